#ifndef OG_HEURISTICS_BOUNDS_GAME_H
#define OG_HEURISTICS_BOUNDS_GAME_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * A matrix game through GLPK: who draws the row wants little loss, who draws the column much.
 * Weights are at least 0 and add up to 1 but for rounding; that they are optimal is GLPK's word
 * alone, and whoever needs more has to value them.
 *
 * loss[row * columns + column], finite; row_weight[rows], column_weight[columns] are written on
 * success. OG_FAILED: GLPK gave up; OG_NO_MEMORY; OG_BAD_INPUT: the program was built without it.
 */
og_status og_game_solve(int32_t rows, int32_t columns, const double *loss, double *row_weight,
                        double *column_weight);

#endif
