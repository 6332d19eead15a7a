#ifndef OG_DP_PRODUCT_MARGIN_MADE_H
#define OG_DP_PRODUCT_MARGIN_MADE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/state_set.h"
#include "dp/product/margin/margin.h"

/* Private to dp/product/margin/. */

/* ---- posteriors ---- */

/* A posterior (c, d), in terms of total = c + d and margin = d - c. Instances of different arms are
 * in the same node if their posteriors are equal. */
typedef struct {
    int32_t total;  /* its whole part */
    int32_t margin; /* d - c */
    int32_t kind;   /* which fraction the total has; kinds ascend with it */
    int32_t level;  /* the least number of labels after which an arm is here; INT32_MAX: never */
    int32_t class;  /* its number in the layers; -1: none */
    double reward;
    double chance[2]; /* toward (a margin less), away (a margin more); {0, 1} on the diagonal */
    int32_t after[2]; /* nodes; -1: beyond the grid */
    double target_reach, gain_reach; /* as og_two_copies_class's, of all nodes that it can reach */
} og_margin_node;

enum { OG_TOWARD, OG_AWAY };

/* Where an arm begins. */
typedef struct {
    og_fraction rest;   /* of the total, below 1 */
    int32_t total;      /* its whole part */
    int32_t difference; /* a - b */
    int32_t kind;
} og_margin_origin;

typedef struct {
    og_margin_origin *origin;       /* [arms] */
    int32_t kinds, totals, margins; /* the grid: [kinds][totals][margins] */
    int32_t total_least;
    og_margin_node *node;
} og_margin_nodes;

/* Margins up to `margin`, or more if instances begin with more. Arrays are in the arena. False: the
 * posteriors are too different for one grid. */
bool og_margin_nodes_init(const og_arms *arms, int32_t margin, og_arena *arena,
                          og_margin_nodes *out);

/* The node of an arm's node, or that of margin `most` with the same minor parameter if its margin
 * is larger; -1: beyond the grid. */
int32_t og_margin_node_of(const og_arms *arms, const og_margin_nodes *nodes, int32_t arm,
                          uint32_t node, int32_t most);

/* 2 d = total + margin of one, compared with 2 k = total of a node (k, k). */
static inline bool og_margin_is_beyond(const og_margin_node *x, const og_margin_node *diagonal)
{
    int32_t major = x->total + x->margin;
    return major > diagonal->total || (major == diagonal->total && x->kind >= diagonal->kind);
}

/* ---- starts ---- */

enum { OG_MARGIN_NO_CLASS = -1 };

/* A state that forced labels lead through, or to. */
typedef struct {
    int32_t left;
    int32_t start; /* its number, -1: its label is forced, or no label is left */
    double reward;
    double chance[2];
    uint32_t after[2];
} og_margin_step;

/* Follows forced labels from the roots [count]; each entry of *out has an og_margin_step, and steps
 * lead to later entries. The roots are the first entries that were put, root_entry [count] says
 * where. An instance of a margin above m + 1 counts as one of margin m + 1, if the grid has that.
 * OG_STOPPED if there are more than OG_MARGIN_STEPS or the stop asks. */
enum { OG_MARGIN_STEPS = 1 << 17 };
og_status og_margin_starts(const og_margin *g, const og_state *root, int32_t count,
                           uint32_t *root_entry, int32_t *starts, og_state_set **out);

/* ---- layers ---- */

/* Multisets of a list of classes by their rank in lexicographic order, the first class counting
 * most. */
typedef struct {
    int32_t count, most; /* classes, largest sum of weights */
    const int32_t *weight, *cap;
    uint32_t **before; /* [count][(weight left) * stride + n]: multisets with fewer of the class */
    int32_t *stride;
    int32_t *last; /* [most + 1] the last class that fits into so much weight; -1: none */
    uint32_t all;
} og_margin_ranks;

/* The classes of all layers: those of the suffix first. */
typedef struct {
    int32_t suffix, count;
    int32_t *node;   /* [count] */
    int32_t *weight; /* [count] >= 1 */
} og_margin_classes;

typedef struct {
    uint16_t class;
    uint16_t copies;
} og_margin_part;

/*
 * A layer: r labels left, with or without the instance in front of the bulk.
 *
 * A place is (f, p, q): p a multiset of prefix classes, a row; q one of suffix classes; and f = cap
 * - e for e bulk instances, 0 if there are at least as many as count. f is at most s - the sum of
 * max(0, w - 1) over p and q, or 0. Multisets q are listed in the order of their weights, so those
 * that fit beside p are the first of the list. A row with f > 0 has its own list: q of an excess,
 * the sum of max(0, w - 1), of at most s - f - that of p.
 */
typedef struct {
    int32_t left;
    bool front;
    int32_t most;       /* W_r */
    int32_t slack;      /* s; 0: f is 0 */
    int32_t bulk_cap;   /* >= 0; 0: the bulk has no axis */
    int32_t short_most; /* largest f */
    int32_t *cap;       /* [classes] 0: dead or not there */
    og_margin_ranks prefix, suffix;
    uint32_t lists; /* 1 + slack: list 0 holds all q, list 1 + x those of an excess of at most x */
    uint32_t q_count;
    uint16_t *copies;  /* [q_count][suffix] */
    int32_t *q_excess; /* [q_count] */
    uint32_t *by_rank; /* [suffix.all] place in list 0 */
    uint32_t **member; /* [lists] q of each place; [0] is NULL */
    int32_t **place;   /* [lists][q_count] -1: not in the list; [0] is NULL */
    uint32_t *up_to;   /* [lists][most + 1] places of at most this weight */
    uint32_t rows;
    uint32_t *part_first; /* [rows + 1] */
    og_margin_part *part;
    uint16_t *row_weight, *row_excess; /* [rows] */
    uint64_t *first;                   /* [rows] of f = 0 */
    uint32_t *few; /* [rows] number among rows of little excess; UINT32_MAX: not one; NULL */
    uint64_t *first_short; /* [short_most][few_count] of f = 1, 2, ... */
    uint32_t few_count;
    uint64_t places;
    double *lower; /* [places] LOWER; not owned */
    float *more;   /* [places] SUPPLY is at most lower + more */
    og_arena arena;
} og_margin_layer;

typedef struct og_margin_run og_margin_run;

struct og_margin {
    const og_arms *arms;
    og_settings settings; /* filled */
    og_arena arena;
    og_margin_nodes nodes;
    int32_t m;
    uint32_t *root_entry;
    int32_t root_count, start_count;
    og_state_set *steps;
    bool fits;
    int32_t bulk, front; /* nodes; -1: none */
    int32_t total;       /* D */
    bool has_axis;       /* the bulk is not gone */
    int32_t most[2],
        slack[2]; /* n0 and s without and with the front instance; -1: no such layers */
    int32_t left_most[2];
    int32_t forced[2]; /* class whose label is forced if it is present; -1: none */
    og_margin_classes classes;
    int32_t supplies;
    int32_t *supply; /* nodes of margin m + 1 */
    og_margin_size size;
    double *places; /* [most + 1] of the layers without the front instance */
    bool keep;
    og_margin_run *kept;  /* its layers; NULL: none */
    double largest[2][2]; /* places of the largest layer of either kind, for even and odd left */
    _Atomic uint64_t done;
    double start, told; /* on the clock */
    uint64_t bytes;     /* of the sweep */
    _Atomic bool stopped;
};

static inline int32_t og_margin_weight(const og_margin *g, const og_margin_node *x)
{
    return x->total > g->total ? x->total - g->total : 0;
}

static inline int32_t og_margin_excess(int32_t weight)
{
    return weight > 1 ? weight - 1 : 0;
}

/* Number of places of a layer; the same as og_margin_layer's, without building it. INFINITY without
 * memory. */
double og_margin_count(const og_margin *g, int32_t left, bool front);

/* The same of multisets of the classes first .. end - 1: rows of f = 0, or list 0. */
double og_margin_count_classes(const og_margin *g, int32_t left, bool front, int32_t first,
                               int32_t end);

/* Sets the bounds of a layer (as for og_margin_count) and builds its index. *out holds no values.
 */
og_status og_margin_layer_init(const og_margin *g, int32_t left, bool front, og_margin_layer *out);
void og_margin_layer_clear(og_margin_layer *layer);

/* What so many copies of a class add to a rank, n at most its cap; takes their weight off the room.
 */
static inline uint32_t og_margin_rank_step(const og_margin_ranks *ranks, int32_t class, int32_t n,
                                           int32_t *room)
{
    if (n <= 0) {
        return 0;
    }
    uint32_t before = ranks->before[class][*room * ranks->stride[class] + n];
    *room -= n * ranks->weight[class];
    return before;
}

/* Computes the values of `layer` from those below: [0] without, [1] with the front instance one
 * label below, and [2] without it two below (NULL if not needed). */
og_status og_margin_layer_values(og_margin *g, og_margin_layer *layer,
                                 const og_margin_layer *const below[3]);

/* The values in a start: a list of nodes. */
og_margin_ends og_margin_at(const og_margin *g, const og_margin_layer *layer, const og_copies *list,
                            int32_t count);

#endif
