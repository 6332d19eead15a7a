#ifndef OG_HEURISTICS_BOUNDS_MINIMAX_GAME_H
#define OG_HEURISTICS_BOUNDS_MINIMAX_GAME_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * Solves a matrix game with GLPK: the row player minimises the loss, the column player maximises
 * it. Weights are at least 0 and add up to 1 up to rounding. Their optimality is not proved;
 * callers that need a proof must evaluate them.
 *
 * loss[row * columns + column], finite; row_weight[rows], column_weight[columns] are written on
 * success. OG_FAILED: GLPK failed; OG_NO_MEMORY; OG_BAD_INPUT: a build without GLPK.
 */
og_status og_game_solve(int32_t rows, int32_t columns, const double *loss, double *row_weight,
                        double *column_weight);

#endif
