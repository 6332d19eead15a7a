#ifndef OG_HEURISTICS_INDEX_INDEX_H
#define OG_HEURISTICS_INDEX_INDEX_H

#include <gmp.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/parallel.h"
#include "dp/base/stop.h"
#include "heuristics/index/twin.h"
#include "heuristics/policy.h"

/*
 * How an index is made (private to heuristics/): a row of the registry names a function that fills
 * an og_scored; heuristics/index/rank.c turns that into ranks.
 */
typedef struct {
    const og_arms *arms;
    const og_policy_name *policy;
    const og_twins *twins;
    int32_t whole_budget;
    bool roots;  /* only the arms' roots matter, with all labels left: an index has one row for each
                    arm, not by left, of one entry, and twins are of roots */
    int threads; /* >= 1 */
    uint64_t memory_bytes; /* limit of what is read from files */
    og_stop *stop;         /* asked in the loops; OG_STOPPED without a message where it says so */
} og_index_job;

/* The threads worth starting where each posterior takes about so long. */
static inline int og_index_threads(const og_index_job *job, double nanoseconds)
{
    const og_arms *arms = job->arms;
    return og_threads_worth(job->threads, nanoseconds * arms->node_offset[arms->arm_count]);
}

typedef struct og_scored og_scored;

/*
 * The order of the exact indices of all classes, for one `left` after the other: place[c] is 0, 1,
 * ... for the classes that can be met with `left` labels left, larger for a larger index, equal for
 * equal ones. For an index that is not by left there is one call, with left 1. `near`: neighbours
 * in order that differ and are called equal by a tolerance. A status that `take` returns is passed
 * up.
 */
typedef og_status og_take_places(void *sink, int32_t left, const uint32_t *place, uint64_t near);
typedef og_status og_exact_places(const og_index_job *job, const og_scored *scored,
                                  og_take_places *take, void *sink);

/* The exact index of a node of a rational arm. */
typedef og_status og_exact_index(const og_index_job *job, const og_scored *scored, int32_t arm,
                                 uint32_t node, int32_t left, mpq_t out);

/* Measured, for ln(chance / (1 - chance)): neighbours are beyond 1e-5 of each other, but for one in
 * a thousand, or within 1e-13. */
#define OG_SECOND_TIE 1e-5
typedef const double *og_second_index(const og_scored *scored, int32_t left);

/*
 * An index with what ranking needs to know of it. Twins have the same bits.
 */
struct og_scored {
    og_arena arena; /* of all arrays here but the index */
    og_index *index;
    /*
     * Proved |stored - exact| of every value: rows like those of the index; 0 says that the
     * stored number is the exact one. NULL: left_error[left] * |stored| + absolute, and a stored 0
     * is exact.
     */
    double **radius;
    double *left_error; /* [by_left ? budget + 1 : 1], left_error[0] for all where not by_left */
    double absolute;
    og_exact_index *exact; /* NULL: near-ties are called equal by tolerance */
    /* Not NULL: knows the whole order, so that neither radii nor `exact` are asked. */
    og_exact_places *places;
    /* Not NULL: orders the classes that tie, [og_twins_with_left], by numbers of which larger come
     * first and neighbours within OG_SECOND_TIE tie still; INFINITY and -INFINITY are numbers. */
    og_second_index *second;
    void *own; /* what `places` and `second` need; freed by free_own */
    void (*free_own)(void *own);
};

/* `out` is zeroed before, and the caller's to clear whatever comes of it. Without memory no message
 * is needed: the caller has one. */
typedef og_status og_score(const og_index_job *job, og_scored *out, og_message *message);

/* One row in registry order for each index policy. */
og_score og_score_kg, og_score_opt_kg, og_score_pess_kg, og_score_cvar_kg;
og_score og_score_gittins_fh, og_score_gittins_inf;
og_score og_score_kg_star, og_score_lagrangian, og_score_table;

og_exact_index og_exact_gittins_fh;

/* Give a zeroed `out` (its own set, perhaps) an index with rows for every (left, arm), all zero.
 * `with_radius`: the rows of radius too. In any case og_scored_clear frees it. */
og_status og_scored_init(const og_index_job *job, bool by_left, bool with_radius, og_scored *out);

/* The same, by left, with the rows of 1 .. last labels left only, and without radii. */
og_status og_scored_init_up_to(const og_index_job *job, int32_t last, og_scored *out);

/* The nodes that an index or its ranks have in an arm, those of so many levels. */
static inline uint32_t og_index_nodes(const og_index_job *job, int32_t arm, int32_t levels)
{
    return job->roots ? 1 : job->arms->arm[arm]->level[levels];
}
void og_scored_clear(og_scored *scored);

/* The index alone, now the caller's; the rest is freed. */
og_index *og_scored_take_index(og_scored *scored);

/* The proved radius of a stored value, as the fields above say. */
double og_scored_radius(const og_scored *scored, int32_t arm, uint32_t node, int32_t left);

/* A class and its exact index; for qsort, by index and then by class. */
typedef struct {
    mpq_srcptr index;
    uint32_t class;
} og_exact_item;
int og_compare_exact_items(const void *x, const void *y);

/* The largest error of a probability or a reward, and `roundings` and one for each outcome beside
 * it: what one node's sum is off by, relatively. */
double og_node_error(const og_arms *arms, int roundings);

/* Copy the values (and radii) of first members to all members of their classes, for one `left`. */
void og_scored_copy_to_twins(const og_index_job *job, og_scored *scored, int32_t left);

#endif
