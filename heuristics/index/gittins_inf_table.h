#ifndef OG_HEURISTICS_INDEX_GITTINS_INF_TABLE_H
#define OG_HEURISTICS_INDEX_GITTINS_INF_TABLE_H

#include <stdint.h>

#include "dp/prior/beta.h"
#include "heuristics/index/gittins.h"
#include "heuristics/index/gittins_wide.h"

/* What the infinite-horizon Gittins index of one arm is found from (private to heuristics/). */

#define OG_INF_TRUNCATION 0x1p-46 /* delta to the power of the labels that are looked ahead */

/* Nodes s = first .. last of a level; none if first > last. */
typedef struct {
    int32_t first, last;
} og_inf_span;

/* What the strips of one arm need, level by level; nodes are (n, s). */
typedef struct {
    int32_t end;
    og_arena arena;
    og_gittins_wide *wide; /* labels of more than two outcomes: all there is; else NULL */
    og_arm *arm;           /* where there is no calls_group: the arm; else NULL and the next four */
    double delta;
    og_beta *beta;
    double *plus;      /* [end + 1] a + s */
    double *minus;     /* [end + 1] b + end - i: the level's own part runs against s */
    double *scale;     /* [end] delta / (a + b + n) */
    double open_price; /* of a root's own table: `open` has one row, of nodes that may have v > 0
                          from this price on; else 0 */
    og_inf_span *open; /* [PRICES][end] nodes with v > 0 */
    double *ratio;     /* [nodes of levels below the budget] of the best rule so far */
    double *beyond;    /* likewise: what truncation can cost */
} og_inf_table;

static inline int64_t og_inf_node(int32_t n, int32_t s)
{
    return (int64_t)n * (n + 1) / 2 + s;
}

/* The prior of calls whose tables are rows of parameters; NULL for an arm of another kind. */
const og_group *og_inf_calls_group(const og_arm *arm);

/* The table of an arm of the job; `end` and `delta` are set before, all else is 0. In any case to
 * be cleared. `w` is scratch of end + 3 entries, here and below. OG_NO_MEMORY, OG_FAILED,
 * OG_STOPPED. */
og_status og_inf_table_init(const og_index_job *job, int32_t number, og_worth w, og_inf_table *t);

/* The rows of parameters alone. */
og_status og_inf_table_init_beta(const og_group *group, og_inf_table *t);
void og_inf_table_clear(og_inf_table *t);

/* Level n of these nodes from the level below it, in place; entry s of a worth is node s. */
void og_inf_value_level(const og_inf_table *t, int32_t n, og_inf_span nodes, double price,
                        og_worth w);
void og_inf_clear(og_worth w, int32_t first, int32_t last);

/* Entries that the level below filled and this one did not. */
void og_inf_clear_outside(og_worth w, og_inf_span filled, og_inf_span kept);

/* log of Pr(Bin(m, d) <= k) at most; 0 <= k <= m. */
double og_inf_log_tail(double m, double k, double d);

/* At least min(P, 1 - P) of Beta(a, b) at threshold d. */
double og_inf_wrong_call(double a, double b, double d);

/* The index of node (n, s), up to a relative tolerance. */
double og_inf_index(const og_inf_table *t, int32_t n, int32_t s, double tolerance, og_worth w);

#endif
