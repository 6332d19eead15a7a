/*
 * The linear programme of the cutting planes. Every row is scaled by a power of two so that its
 * largest entry is about one, since purchases of 10^9 instances and of one instance occur in one
 * model.
 *
 * On an internal error GLPK calls a hook and then ends the process. The hook jumps back here, and
 * GLPK's environment of this thread, which is then undefined, is freed.
 */
#include "heuristics/bounds/price_master.h"

#include <float.h>
#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>

#include "dp/base/arena.h"
#include "dp/base/grow.h"

/* Cuts that were slack this many times in a row are dropped, unless another number is set. */
enum { IDLE_MOST = 20 };

/* What is kept of a row. */
typedef struct {
    int32_t idle; /* number of consecutive solutions with slack */
    int32_t arm;
    void *label;
} note;

struct og_price_master {
    og_arena arena;
    glp_prob *problem; /* columns: drops, then worths; row 1: the first price */
    int32_t arms;
    int32_t stages;
    double dearest;
    double tolerance; /* relative, for rows and reduced costs */
    bool broken;      /* GLPK failed: the problem no longer exists */
    bool own;         /* the thread had no GLPK environment before, so it is freed at the end */
    int *column;      /* [stages + 2] the row to add; GLPK counts from 1 */
    double *item;     /* [stages + 2] */
    int items;        /* 1 .. items */
    double least;     /* lower bound of the row to add */
    note *notes;      /* [notes_room] for each row */
    int *going;       /* [going_room] rows to drop */
    double *weight;   /* [weight_room] of the arms */
    size_t notes_room, going_room, weight_room;
    note added;        /* of the row to add, or its arm of the weight to set */
    int32_t idle_most; /* cuts are dropped after this */
    int steps_most;    /* limit of the simplex method's steps; 0: none */
    bool weighed;      /* weights were set after a solution */
    bool solved;
    double proved, rounding; /* as og_price_master_proved */
    uint64_t work;
    jmp_buf back;
};

typedef void glpk_work(og_price_master *master);

static void jump_back(void *info)
{
    og_price_master *master = info;
    longjmp(master->back, 1);
}

static int swallow(void *info, const char *text)
{
    (void)info;
    (void)text;
    return 1;
}

/* Runs `work` without output (GLPK's message before it aborts ignores glp_term_out), and returns
 * even if GLPK aborts. */
static og_status guarded(og_price_master *master, glpk_work *work)
{
    if (master->broken) {
        return OG_FAILED;
    }
    int talk = glp_term_out(GLP_OFF);
    glp_term_hook(swallow, NULL);
    glp_error_hook(jump_back, master);
    if (setjmp(master->back) == 0) {
        work(master);
    } else {
        master->broken = true;
        master->problem = NULL;
        glp_free_env();
    }
    glp_error_hook(NULL, NULL);
    glp_term_hook(NULL, NULL);
    glp_term_out(talk);
    return master->broken ? OG_FAILED : OG_OK;
}

static void set_up(og_price_master *master)
{
    master->problem = glp_create_prob();
    glp_set_obj_dir(master->problem, GLP_MIN);
    glp_add_cols(master->problem, master->stages + master->arms);
    for (int m = 1; m <= master->stages; m++) {
        glp_set_col_bnds(master->problem, m, GLP_LO, 0, 0);
        glp_set_obj_coef(master->problem, m, m);
        master->column[m] = m;
        master->item[m] = 1;
    }
    for (int a = 1; a <= master->arms; a++) {
        glp_set_col_bnds(master->problem, master->stages + a, GLP_LO, 0, 0);
        glp_set_obj_coef(master->problem, master->stages + a, 1);
    }
    glp_add_rows(master->problem, 1);
    glp_set_row_bnds(master->problem, 1, GLP_UP, 0, master->dearest);
    glp_set_mat_row(master->problem, 1, master->stages, master->column, master->item);
}

static void tear_down(og_price_master *master)
{
    glp_delete_prob(master->problem);
}

og_status og_price_master_new(int32_t arms, int32_t stages, double dearest, og_price_master **out)
{
    int there = glp_init_env(); /* 0: created now, 1: it existed, else: failed */
    if (there > 1) {
        return OG_NO_MEMORY;
    }
    og_price_master *master = og_arena_new(sizeof *master);
    if (master == NULL) {
        if (there == 0) {
            glp_free_env();
        }
        return OG_NO_MEMORY;
    }
    master->own = there == 0;
    master->arms = arms;
    master->stages = stages;
    master->dearest = dearest;
    master->tolerance = OG_PRICE_TOLERANCE;
    master->idle_most = IDLE_MOST;
    master->column = og_arena_array(&master->arena, (size_t)stages + 2, sizeof *master->column);
    master->item = og_arena_array(&master->arena, (size_t)stages + 2, sizeof *master->item);
    og_status status = master->arena.failed ? OG_NO_MEMORY : guarded(master, set_up);
    return OG_MADE(status, master, og_price_master_free, out);
}

void og_price_master_free(og_price_master *master)
{
    if (master == NULL) {
        return;
    }
    if (master->problem != NULL) {
        guarded(master, tear_down);
    }
    if (master->own) {
        glp_free_env();
    }
    free(master->notes);
    free(master->going);
    free(master->weight);
    og_arena_free(master);
}

/* Makes room for the data of one more row. */
static og_status reserve_row(og_price_master *master)
{
    size_t need = (master->broken ? 0 : (size_t)glp_get_num_rows(master->problem)) + 2;
    note *notes = og_grown(master->notes, &master->notes_room, need, sizeof *notes);
    master->notes = notes != NULL ? notes : master->notes;
    int *going = og_grown(master->going, &master->going_room, need, sizeof *going);
    master->going = going != NULL ? going : master->going;
    return notes != NULL && going != NULL ? OG_OK : OG_NO_MEMORY;
}

static void add_row(og_price_master *master)
{
    int row = glp_add_rows(master->problem, 1);
    glp_set_row_bnds(master->problem, row, GLP_LO, master->least, 0);
    glp_set_mat_row(master->problem, row, master->items, master->column, master->item);
    master->notes[row] = master->added;
}

og_status og_price_master_cut(og_price_master *master, int32_t arm, double intercept,
                              const double *bought, void *label)
{
    OG_TRY(reserve_row(master));
    double sum = 0;
    master->items = 0;
    for (int m = 0; m < master->stages; m++) {
        sum += bought[m];
        if (sum > 0) {
            master->column[++master->items] = m + 1;
            master->item[master->items] = sum;
        }
    }
    int power;
    frexp(fmax(sum, 1), &power);
    double scale = ldexp(1, 1 - power);
    master->column[++master->items] = master->stages + 1 + arm;
    master->item[master->items] = 1;
    for (int i = 1; i <= master->items; i++) {
        master->item[i] *= scale;
    }
    master->least = scale * intercept;
    master->added = (note){.arm = arm, .label = label};
    return guarded(master, add_row);
}

static bool simplex_from_here(og_price_master *master, int method)
{
    glp_smcp control;
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    control.meth = method;
    control.tol_bnd = master->tolerance;
    control.tol_dj = master->tolerance;
    if (master->steps_most > 0) {
        control.it_lim = master->steps_most;
    }
    return glp_simplex(master->problem, &control) == 0 &&
           glp_get_status(master->problem) == GLP_OPT;
}

/* Drops the rows that have been slack for long. They are basic, so the rest is still a basis. */
static void drop_idle_rows(og_price_master *master)
{
    int rows = glp_get_num_rows(master->problem);
    int kept = 1;
    int gone = 0;
    for (int i = 2; i <= rows; i++) {
        bool slack = glp_get_row_stat(master->problem, i) == GLP_BS;
        note at = master->notes[i];
        bool away = master->weight != NULL && master->weight[at.arm] == 0;
        at.idle = !slack ? 0 : away ? at.idle : at.idle + 1;
        if (at.idle > master->idle_most) {
            master->going[++gone] = i;
        } else {
            master->notes[++kept] = at;
        }
    }
    if (gone > 0) {
        glp_del_rows(master->problem, gone, master->going);
    }
}

static void run_simplex(og_price_master *master)
{
    glp_prob *problem = master->problem;
    int before = glp_get_it_cnt(problem);
    /* Other weights leave the basis feasible for the primal simplex; other rows, for the dual. */
    master->solved = simplex_from_here(master, master->weighed ? GLP_PRIMAL : GLP_DUALP);
    master->weighed = false;
    if (!master->solved && master->steps_most > 0) { /* it may have cycled */
        glp_std_basis(problem);
        master->solved = simplex_from_here(master, GLP_DUALP);
    }
    if (!master->solved) {
        /* Numerical trouble with the current basis: solve again from the standard basis. */
        glp_std_basis(problem);
        master->solved = simplex_from_here(master, GLP_PRIMAL);
    }
    if (master->solved && master->tolerance < OG_PRICE_TOLERANCE && glp_factorize(problem) == 0) {
        glp_warm_up(problem); /* computes the solution anew: its updates have rounded */
    }
    int steps = 1 + glp_get_it_cnt(problem) - before;
    master->work += (uint64_t)(steps > 0 ? steps : 1) * (uint64_t)glp_get_num_rows(problem) *
                    (uint64_t)glp_get_num_cols(problem);
}

og_status og_price_master_solve(og_price_master *master, double *price, double *worth,
                                double *least)
{
    og_status status = guarded(master, run_simplex);
    if (status != OG_OK || !master->solved) {
        return OG_FAILED;
    }
    double sum = 0;
    for (int m = master->stages; m >= 1; m--) {
        sum += fmax(0, glp_get_col_prim(master->problem, m));
        price[m - 1] = fmin(sum, master->dearest);
    }
    for (int a = 0; a < master->arms; a++) {
        worth[a] = glp_get_col_prim(master->problem, master->stages + 1 + a);
    }
    *least = glp_get_obj_val(master->problem);
    return guarded(master, drop_idle_rows);
}

static void add_part(og_price_master *master)
{
    glp_add_cols(master->problem, 1);
    int column = glp_get_num_cols(master->problem);
    glp_set_col_bnds(master->problem, column, GLP_LO, 0, 0);
}

og_status og_price_master_part(og_price_master *master, int32_t *arm)
{
    size_t need = (size_t)master->arms + 1;
    double *weight = og_grown(master->weight, &master->weight_room, need, sizeof *weight);
    OG_TRY(OG_ALLOCATED(weight));
    for (int32_t a = 0; master->weight == NULL && a < master->arms; a++) {
        weight[a] = 1;
    }
    master->weight = weight;
    OG_TRY(guarded(master, add_part));
    weight[master->arms] = 0;
    *arm = master->arms++;
    return OG_OK;
}

static void set_weight(og_price_master *master)
{
    int32_t arm = master->added.arm;
    glp_set_obj_coef(master->problem, master->stages + 1 + arm, master->weight[arm]);
}

og_status og_price_master_weigh(og_price_master *master, int32_t arm, double weight)
{
    if (master->weight[arm] != weight) {
        master->weight[arm] = weight;
        master->weighed = master->solved;
        master->added.arm = arm;
        return guarded(master, set_weight);
    }
    return OG_OK;
}

void og_price_master_idle(og_price_master *master, int32_t idle_most)
{
    master->idle_most = idle_most;
}

void og_price_master_each(const og_price_master *master, void (*take)(void *label))
{
    int rows = master->broken ? 0 : glp_get_num_rows(master->problem);
    for (int i = 2; i <= rows; i++) {
        take(master->notes[i].label);
    }
}

/* Adds the cuts, times their dual values, to used[column], and returns the sum of their intercepts;
 * *cuts: number of cuts. Cuts of arms of weight 0 are omitted. */
static double add_cuts(og_price_master *master, double *used, int *cuts)
{
    double sum = 0;
    int rows = glp_get_num_rows(master->problem);
    *cuts = 0;
    for (int i = 2; i <= rows; i++) {
        double mu = glp_get_row_dual(master->problem, i);
        bool away = master->weight != NULL && master->weight[master->notes[i].arm] == 0;
        if (mu > 0 && !away) {
            int count = glp_get_mat_row(master->problem, i, master->column, master->item);
            for (int k = 1; k <= count; k++) {
                used[master->column[k]] += mu * master->item[k];
            }
            sum += mu * glp_get_row_lb(master->problem, i);
            (*cuts)++;
        }
    }
    return sum;
}

/* Rounding: all terms are positive, and each has two roundings. */
static void find_proved(og_price_master *master)
{
    int columns = glp_get_num_cols(master->problem), cuts;
    double factor = 1;
    double *used = calloc((size_t)columns + 1, sizeof *used);
    master->proved = -INFINITY;
    if (used == NULL) {
        return;
    }
    double sum = add_cuts(master, used, &cuts);
    for (int k = 1; k <= columns; k++) {
        double cost = glp_get_obj_coef(master->problem, k);
        factor = used[k] > cost ? fmin(factor, cost / used[k]) : factor;
    }
    master->proved = factor * sum;
    master->rounding = 2 * (cuts + 4) * DBL_EPSILON * sum;
    free(used);
}

og_status og_price_master_proved(og_price_master *master, double *least, double *rounding)
{
    OG_TRY(guarded(master, find_proved));
    *least = master->proved;
    *rounding = master->rounding;
    return OG_OK;
}

void og_price_master_tolerance(og_price_master *master, double tolerance)
{
    master->tolerance = tolerance;
}

void og_price_master_limit(og_price_master *master, int steps)
{
    master->steps_most = steps;
}

uint64_t og_price_master_work(const og_price_master *master)
{
    return master->work;
}
