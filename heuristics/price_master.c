/*
 * The linear programme of the cutting planes. Every row is scaled by a power of two so that its
 * largest entry is about one: purchases of a thousand million instances and of one stand side by
 * side.
 *
 * GLPK ends the process when it finds something wrong, after calling a hook; the hook jumps back
 * here, and GLPK's environment of this thread, which is undefined by then, is thrown away.
 */
#include "heuristics/price_master.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>

/* Cuts that were slack this many times in a row are dropped. */
enum { IDLE_MOST = 30 };

struct og_price_master {
    glp_prob *problem; /* columns: prices, then u */
    int32_t arms;
    int32_t blocks;
    const double *charge; /* only while the model is set up */
    double dearest;
    bool broken;  /* GLPK gave up: there is no problem any more */
    int *column;  /* [blocks + 2] a row to be added, GLPK counts from 1 */
    double *item; /* [blocks + 2] */
    int items;
    double worth;
    bool solved;
    jmp_buf back;
};

typedef void glpk_work(og_price_master *master);

static void jump_back(void *info)
{
    og_price_master *master = info;
    longjmp(master->back, 1);
}

/* Run `work`, silently, and come back whatever happens. */
static og_status guarded(og_price_master *master, glpk_work *work)
{
    if (master->broken)
        return OG_FAILED;
    int talk = glp_term_out(GLP_OFF);
    glp_error_hook(jump_back, master);
    if (setjmp(master->back) == 0) {
        work(master);
        glp_error_hook(NULL, NULL);
    } else {
        master->broken = true;
        master->problem = NULL;
        glp_free_env();
    }
    glp_term_out(talk);
    return master->broken ? OG_FAILED : OG_OK;
}

static void set_up(og_price_master *master)
{
    master->problem = glp_create_prob();
    glp_set_obj_dir(master->problem, GLP_MIN);
    glp_add_cols(master->problem, master->blocks + master->arms);
    for (int b = 1; b <= master->blocks; b++) {
        glp_set_col_bnds(master->problem, b, master->dearest > 0 ? GLP_DB : GLP_FX, 0,
                         master->dearest);
        glp_set_obj_coef(master->problem, b, master->charge[b - 1]);
    }
    for (int a = 1; a <= master->arms; a++) {
        glp_set_col_bnds(master->problem, master->blocks + a, GLP_LO, 0, 0);
        glp_set_obj_coef(master->problem, master->blocks + a, 1);
    }
}

static void tear_down(og_price_master *master)
{
    glp_delete_prob(master->problem);
}

og_status og_price_master_new(int32_t arms, int32_t blocks, const double *charge, double dearest,
                              og_price_master **out)
{
    og_price_master *master = calloc(1, sizeof *master);
    if (master == NULL)
        return OG_NO_MEMORY;
    master->arms = arms;
    master->blocks = blocks;
    master->charge = charge;
    master->dearest = dearest;
    master->column = malloc(((size_t)blocks + 2) * sizeof *master->column);
    master->item = malloc(((size_t)blocks + 2) * sizeof *master->item);
    og_status status =
        master->column == NULL || master->item == NULL ? OG_NO_MEMORY : guarded(master, set_up);
    master->charge = NULL;
    if (status != OG_OK) {
        og_price_master_free(master);
        return status;
    }
    *out = master;
    return OG_OK;
}

void og_price_master_free(og_price_master *master)
{
    if (master == NULL)
        return;
    if (master->problem != NULL)
        guarded(master, tear_down);
    free(master->column);
    free(master->item);
    free(master);
}

static void add_row(og_price_master *master)
{
    int row = glp_add_rows(master->problem, 1);
    glp_set_row_bnds(master->problem, row, GLP_LO, master->worth, 0);
    glp_set_mat_row(master->problem, row, master->items, master->column, master->item);
}

og_status og_price_master_cut(og_price_master *master, int32_t arm, double worth,
                              const double *bought)
{
    double largest = 1;
    for (int b = 0; b < master->blocks; b++)
        largest = fmax(largest, bought[b]);
    int power;
    frexp(largest, &power);
    double scale = ldexp(1, 1 - power);
    master->items = 0;
    for (int b = 0; b < master->blocks; b++) {
        if (bought[b] > 0) {
            master->column[++master->items] = b + 1;
            master->item[master->items] = scale * bought[b];
        }
    }
    master->column[++master->items] = master->blocks + 1 + arm;
    master->item[master->items] = scale;
    master->worth = scale * worth;
    return guarded(master, add_row);
}

static void run_simplex(og_price_master *master)
{
    glp_smcp control;
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    control.meth = GLP_DUALP;
    control.tol_bnd = 1e-9;
    control.tol_dj = 1e-9;
    master->solved =
        glp_simplex(master->problem, &control) == 0 && glp_get_status(master->problem) == GLP_OPT;
    if (!master->solved) {
        /* Numerical trouble with the basis at hand: once more from scratch. */
        glp_std_basis(master->problem);
        control.meth = GLP_PRIMAL;
        master->solved = glp_simplex(master->problem, &control) == 0 &&
                         glp_get_status(master->problem) == GLP_OPT;
    }
}

og_status og_price_master_solve(og_price_master *master, double *price, double *least)
{
    og_status status = guarded(master, run_simplex);
    if (status != OG_OK || !master->solved)
        return OG_FAILED;
    for (int b = 0; b < master->blocks; b++) {
        double found = glp_get_col_prim(master->problem, b + 1);
        price[b] = fmin(fmax(found, 0), master->dearest);
    }
    *least = glp_get_obj_val(master->problem);
    return OG_OK;
}
