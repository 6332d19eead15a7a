/*
 * Solves the game as a linear programme: the smallest R such that the expected loss of the random
 * row is at most R in every column. In GLPK, columns 1 .. rows are the rows' weights and the last
 * column is R; rows 1 .. columns belong to the game's columns, and their dual values are the
 * columns' weights.
 *
 * On an internal error GLPK calls a hook and then ends the process. The hook jumps back here, and
 * GLPK's environment of this thread, which is then undefined, is freed.
 */
#include "heuristics/bounds/minimax_game.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    int32_t rows, columns;
    const double *loss;
    double *row_weight, *column_weight;
    int *index;   /* [rows + 3] from 1 */
    double *item; /* [rows + 3] */
    glp_prob *problem;
    bool solved;
    jmp_buf back;
} truth_game;

static void jump_back(void *info)
{
    truth_game *game = info;
    longjmp(game->back, 1);
}

static int swallow(void *info, const char *text)
{
    (void)info;
    (void)text;
    return 1;
}

static void set_up(truth_game *game)
{
    glp_prob *lp = game->problem;
    int last = game->rows + 1;
    glp_set_obj_dir(lp, GLP_MIN);
    glp_add_cols(lp, last);
    for (int i = 1; i <= game->rows; i++) {
        glp_set_col_bnds(lp, i, GLP_LO, 0, 0);
    }
    glp_set_col_bnds(lp, last, GLP_FR, 0, 0);
    glp_set_obj_coef(lp, last, 1);
    glp_add_rows(lp, game->columns + 1);
    for (int f = 0; f < game->columns; f++) {
        for (int i = 1; i <= game->rows; i++) {
            game->index[i] = i;
            game->item[i] = game->loss[(size_t)(i - 1) * (size_t)game->columns + (size_t)f];
        }
        game->index[last] = last;
        game->item[last] = -1;
        glp_set_row_bnds(lp, f + 1, GLP_UP, 0, 0);
        glp_set_mat_row(lp, f + 1, last, game->index, game->item);
    }
    for (int i = 1; i <= game->rows; i++) {
        game->item[i] = 1;
    }
    glp_set_row_bnds(lp, game->columns + 1, GLP_FX, 1, 1);
    glp_set_mat_row(lp, game->columns + 1, game->rows, game->index, game->item);
}

static bool simplex(truth_game *game, int method)
{
    glp_smcp control;
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    control.meth = method;
    control.tol_bnd = control.tol_dj = 1e-12;
    return glp_simplex(game->problem, &control) == 0 && glp_get_status(game->problem) == GLP_OPT;
}

static void work(truth_game *game)
{
    game->problem = glp_create_prob();
    set_up(game);
    game->solved = simplex(game, GLP_PRIMAL);
    if (!game->solved) {
        glp_std_basis(game->problem);
        game->solved = simplex(game, GLP_DUALP);
    }
    double sum = 0;
    for (int i = 0; i < game->rows && game->solved; i++) {
        game->row_weight[i] = fmax(0, glp_get_col_prim(game->problem, i + 1));
    }
    for (int f = 0; f < game->columns && game->solved; f++) {
        game->column_weight[f] = fmax(0, -glp_get_row_dual(game->problem, f + 1));
        sum += game->column_weight[f];
    }
    game->solved = game->solved && sum > 0.5;
    glp_delete_prob(game->problem);
}

/* Runs GLPK without output; returns false if it aborts. */
static bool guarded(truth_game *game)
{
    volatile bool broken = false;
    int talk = glp_term_out(GLP_OFF);
    glp_term_hook(swallow, NULL);
    glp_error_hook(jump_back, game);
    if (setjmp(game->back) == 0) {
        work(game);
    } else {
        broken = true;
        glp_free_env();
    }
    glp_error_hook(NULL, NULL);
    glp_term_hook(NULL, NULL);
    glp_term_out(talk);
    return !broken && game->solved;
}

og_status og_game_solve(int32_t rows, int32_t columns, const double *loss, double *row_weight,
                        double *column_weight)
{
    int there = glp_init_env(); /* 0: created now, 1: it existed, else: failed */
    if (there > 1) {
        return OG_NO_MEMORY;
    }
    truth_game game = {.rows = rows,
                       .columns = columns,
                       .loss = loss,
                       .row_weight = row_weight,
                       .column_weight = column_weight,
                       .index = calloc((size_t)rows + 3, sizeof *game.index),
                       .item = calloc((size_t)rows + 3, sizeof *game.item)};
    og_status status = game.index == NULL || game.item == NULL ? OG_NO_MEMORY
                       : guarded(&game)                        ? OG_OK
                                                               : OG_FAILED;
    free(game.index);
    free(game.item);
    if (there == 0) {
        glp_free_env();
    }
    return status;
}
