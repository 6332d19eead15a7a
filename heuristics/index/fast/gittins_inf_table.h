#ifndef OG_HEURISTICS_INDEX_FAST_GITTINS_INF_TABLE_H
#define OG_HEURISTICS_INDEX_FAST_GITTINS_INF_TABLE_H

#include <stdint.h>

#include "dp/prior/beta.h"
#include "heuristics/index/fast/gittins_strip.h"
#include "heuristics/index/fast/gittins_wide.h"

/* The tables of an arm for the infinite-horizon Gittins index (private to heuristics/index/). */

#define OG_INF_TRUNCATION 0x1p-46 /* delta to the power of the labels in the look-ahead */

/* Nodes s = first .. last of a level; none if first > last. */
typedef struct {
    int32_t first, last;
} og_inf_span;

/* The data for the strips of one arm, by level; nodes are (n, s). */
typedef struct {
    int32_t end;
    og_arena arena;
    og_gittins_wide *wide; /* labels with more than two outcomes: the only table; else NULL */
    og_arm *arm; /* without a calls_group: the arm; else NULL, and the next four are used */
    double delta;
    int32_t look; /* rules stop after so many labels at the latest; 0: at level `end` */
    og_beta *beta;
    double *plus;      /* [end + 1] a + s */
    double *minus;     /* [end + 1] b + end - i: a level's entries are in descending order of s */
    double *scale;     /* [end] delta / (a + b + n) */
    double open_price; /* of a table for the root only: `open` has one row, the nodes that may have
                          v > 0 at prices >= this one; else 0 */
    og_inf_span *open; /* [PRICES][end] nodes with v > 0 */
    double *ratio;     /* [nodes of levels below the budget] of the best rule so far */
    double *beyond;    /* likewise: the truncation error */
} og_inf_table;

static inline int64_t og_inf_node(int32_t n, int32_t s)
{
    return (int64_t)n * (n + 1) / 2 + s;
}

/* The prior of an arm whose tables are rows of parameters; NULL for other arms. */
const og_group *og_inf_calls_group(const og_arm *arm);

/* Builds the table of an arm; `end` and `delta` must be set, all else 0. The caller must clear it,
 * also on failure. `w` is scratch space of end + 3 entries, here and below. OG_NO_MEMORY,
 * OG_FAILED, OG_STOPPED. */
og_status og_inf_table_init(const og_arm *arm, int32_t budget, og_stop *stop, og_worth w,
                            og_inf_table *t);

/* The same without `open` and `ratio`, which og_inf_index reads. */
og_status og_inf_table_init_rows(const og_arm *arm, int32_t budget, og_stop *stop, og_worth w,
                                 og_inf_table *t);

/* Builds only the rows of parameters. */
og_status og_inf_table_init_beta(const og_group *group, og_inf_table *t);
void og_inf_table_clear(og_inf_table *t);

double og_inf_reward(const og_inf_table *t, int32_t n, int32_t s);

/* Computes level n of these nodes from the next level, in place; entry s of a worth is node s. */
void og_inf_value_level(const og_inf_table *t, int32_t n, og_inf_span nodes, double price,
                        og_worth w);
void og_inf_clear(og_worth w, int32_t first, int32_t last);

/* Clears the entries that the next level filled and this one did not. */
void og_inf_clear_outside(og_worth w, og_inf_span filled, og_inf_span kept);

/* An upper bound on log Pr(Bin(m, d) <= k); 0 <= k <= m. */
double og_inf_log_tail(double m, double k, double d);

/* An upper bound on min(P, 1 - P) of Beta(a, b) at threshold d. */
double og_inf_wrong_call(double a, double b, double d);

/* Computes the index of node (n, s), up to a relative tolerance. */
double og_inf_index(const og_inf_table *t, int32_t n, int32_t s, double tolerance, og_worth w);

#endif
