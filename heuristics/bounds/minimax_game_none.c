/* Matrix games in a build without GLPK: not supported. */
#include "heuristics/bounds/minimax_game.h"

og_status og_game_solve(int32_t rows, int32_t columns, const double *loss, double *row_weight,
                        double *column_weight)
{
    (void)rows;
    (void)columns;
    (void)loss;
    (void)row_weight;
    (void)column_weight;
    return OG_BAD_INPUT;
}
