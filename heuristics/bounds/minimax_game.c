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
    truth_game *of = info;
    longjmp(of->back, 1);
}

static int swallow(void *info, const char *text)
{
    (void)info;
    (void)text;
    return 1;
}

static void set_up(truth_game *of)
{
    glp_prob *lp = of->problem;
    int last = of->rows + 1;
    glp_set_obj_dir(lp, GLP_MIN);
    glp_add_cols(lp, last);
    for (int i = 1; i <= of->rows; i++) {
        glp_set_col_bnds(lp, i, GLP_LO, 0, 0);
    }
    glp_set_col_bnds(lp, last, GLP_FR, 0, 0);
    glp_set_obj_coef(lp, last, 1);
    glp_add_rows(lp, of->columns + 1);
    for (int f = 0; f < of->columns; f++) {
        for (int i = 1; i <= of->rows; i++) {
            of->index[i] = i;
            of->item[i] = of->loss[(size_t)(i - 1) * (size_t)of->columns + (size_t)f];
        }
        of->index[last] = last;
        of->item[last] = -1;
        glp_set_row_bnds(lp, f + 1, GLP_UP, 0, 0);
        glp_set_mat_row(lp, f + 1, last, of->index, of->item);
    }
    for (int i = 1; i <= of->rows; i++) {
        of->item[i] = 1;
    }
    glp_set_row_bnds(lp, of->columns + 1, GLP_FX, 1, 1);
    glp_set_mat_row(lp, of->columns + 1, of->rows, of->index, of->item);
}

static bool simplex(truth_game *of, int method)
{
    glp_smcp control;
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    control.meth = method;
    control.tol_bnd = control.tol_dj = 1e-12;
    return glp_simplex(of->problem, &control) == 0 && glp_get_status(of->problem) == GLP_OPT;
}

static void work(truth_game *of)
{
    of->problem = glp_create_prob();
    set_up(of);
    of->solved = simplex(of, GLP_PRIMAL);
    if (!of->solved) {
        glp_std_basis(of->problem);
        of->solved = simplex(of, GLP_DUALP);
    }
    double sum = 0;
    for (int i = 0; i < of->rows && of->solved; i++) {
        of->row_weight[i] = fmax(0, glp_get_col_prim(of->problem, i + 1));
    }
    for (int f = 0; f < of->columns && of->solved; f++) {
        of->column_weight[f] = fmax(0, -glp_get_row_dual(of->problem, f + 1));
        sum += of->column_weight[f];
    }
    of->solved = of->solved && sum > 0.5;
    glp_delete_prob(of->problem);
}

/* Runs GLPK without output; returns false if it aborts. */
static bool guarded(truth_game *of)
{
    volatile bool broken = false;
    int talk = glp_term_out(GLP_OFF);
    glp_term_hook(swallow, NULL);
    glp_error_hook(jump_back, of);
    if (setjmp(of->back) == 0) {
        work(of);
    } else {
        broken = true;
        glp_free_env();
    }
    glp_error_hook(NULL, NULL);
    glp_term_hook(NULL, NULL);
    glp_term_out(talk);
    return !broken && of->solved;
}

og_status og_game_solve(int32_t rows, int32_t columns, const double *loss, double *row_weight,
                        double *column_weight)
{
    int there = glp_init_env(); /* 0: created now, 1: it existed, else: failed */
    if (there > 1) {
        return OG_NO_MEMORY;
    }
    truth_game of = {.rows = rows,
                     .columns = columns,
                     .loss = loss,
                     .row_weight = row_weight,
                     .column_weight = column_weight,
                     .index = calloc((size_t)rows + 3, sizeof *of.index),
                     .item = calloc((size_t)rows + 3, sizeof *of.item)};
    og_status status = of.index == NULL || of.item == NULL ? OG_NO_MEMORY
                       : guarded(&of)                      ? OG_OK
                                                           : OG_FAILED;
    free(of.index);
    free(of.item);
    if (there == 0) {
        glp_free_env();
    }
    return status;
}
