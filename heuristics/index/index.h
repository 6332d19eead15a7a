#ifndef OG_HEURISTICS_INDEX_INDEX_H
#define OG_HEURISTICS_INDEX_INDEX_H

#include <gmp.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/parallel.h"
#include "dp/base/stop.h"
#include "heuristics/index/kept_roots.h"
#include "heuristics/index/symmetry.h"
#include "heuristics/policy.h"

/*
 * Computation of an index (private to heuristics/): a row of the registry names a function that
 * fills an og_scored; heuristics/index/rank.c converts it to ranks.
 */
typedef struct {
    const og_arms *arms;
    const og_policy_name *policy;
    og_rule_use rule; /* of a policy that looks one label ahead */
    const og_twins *twins;
    int32_t whole_budget;
    bool roots;   /* only the arms' roots with all labels left are needed: an index then has one row
                     with one entry for each arm, not by left, and twins cover only roots */
    bool ordered; /* only the order of the index is needed */
    bool first;   /* of an index by left, only the order with all labels left is needed */
    int threads;  /* >= 1 */
    uint64_t memory_bytes; /* limit for data read from files */
    og_stop *stop;         /* checked in the loops; if set, OG_STOPPED without a message */
    og_kept_roots *kept;   /* of roots, between jobs; NULL: nothing */
} og_index_job;

/* The number of threads worth starting if each posterior takes about this time. */
static inline int og_index_threads(const og_index_job *job, double nanoseconds)
{
    const og_arms *arms = job->arms;
    return og_threads_worth(job->threads, nanoseconds * arms->node_offset[arms->arm_count]);
}

typedef struct og_scored og_scored;

/*
 * Passes the order of the exact indices of all classes to `take`, for one `left` after the other.
 * place[c] is 0, 1, ... for the classes that can occur with `left` labels left, larger for a larger
 * index and equal for equal ones. For an index that is not by left there is one call, with left 1.
 * `near` counts neighbours in order that differ but tie within a tolerance. Returns the status of
 * `take`.
 */
typedef og_status og_take_places(void *sink, int32_t left, const uint32_t *place, uint64_t near);
typedef og_status og_exact_places(const og_index_job *job, const og_scored *scored,
                                  og_take_places *take, void *sink);

/* The exact index of a node of a rational arm. */
typedef og_status og_exact_index(const og_index_job *job, const og_scored *scored, int32_t arm,
                                 uint32_t node, int32_t left, mpq_t out);

/* Tolerance for ln(p / (1 - p)) of a probability p. Measured: neighbours differ by more than 1e-5,
 * with one exception in a thousand, or by less than 1e-13. */
#define OG_SECOND_TIE 1e-5
typedef const double *og_second_index(const og_scored *scored, int32_t left);

/*
 * An index with its errors and exact order for ranking. Twins have the same bits.
 */
struct og_scored {
    og_arena arena; /* of all arrays here except the index */
    og_index *index;
    /*
     * Proved |stored - exact| of every value: rows like those of the index; 0 means that the stored
     * number is exact. NULL: left_error[left] * |stored| + absolute, and a stored 0 is exact.
     */
    double **radius;
    double *left_error; /* [by_left ? budget + 1 : 1], left_error[0] for all if not by_left */
    double absolute;
    og_exact_index *exact; /* NULL: near ties within a tolerance tie */
    /* If not NULL, this function gives the whole order, and radii and `exact` are not used. */
    og_exact_places *places;
    /* If not NULL, orders the classes that tie, [og_twins_with_left]: larger numbers come first,
     * and neighbours within OG_SECOND_TIE still tie; INFINITY and -INFINITY are allowed. */
    og_second_index *second;
    bool stops; /* nodes of index -INFINITY are done; `places` gives them, and only them, place 0 */
    void *own;  /* data of `places` and `second`; freed by free_own */
    void (*free_own)(void *own);
};

/* `out` is zeroed before; the caller clears it, also on failure. OG_NO_MEMORY needs no message,
 * since the caller sets one. */
typedef og_status og_score(const og_index_job *job, og_scored *out, og_message *message);

/* One function for each index policy, in registry order. */
og_score og_score_kg, og_score_rule; /* any rule of one label */
og_score og_score_gittins_fh, og_score_gittins_inf;
og_score og_score_kg_star, og_score_lagrangian, og_score_table;
og_score og_score_apt, og_score_lsa;

og_exact_index og_exact_gittins_fh;

/* The labels left for which gittins-fh values roots alone: all, or N if that is fewer. */
static inline int32_t og_gittins_root_left(const og_index_job *job)
{
    int32_t left = job->arms->budget;
    bool fewer = job->policy->has_parameter && job->policy->parameter < left;
    return fewer ? (int32_t)job->policy->parameter : left;
}

/* The relative error of gittins-fh with `left` labels left. */
double og_gittins_error(const og_arms *arms, int32_t left);

/* Allocates in a zeroed `out` (`own` may be set) an index with rows for every (left, arm), all
 * zero; with `with_radius` also the rows of radius. og_scored_clear frees it, also after a failure.
 */
og_status og_scored_init(const og_index_job *job, bool by_left, bool with_radius, og_scored *out);

/* The same, by left, with only the rows of 1 .. last labels left, and without radii. */
og_status og_scored_init_up_to(const og_index_job *job, int32_t last, og_scored *out);

/* The same, by left, with radii, and only the rows of all labels left if job->first. */
og_status og_scored_init_needed(const og_index_job *job, og_scored *out);

/* The number of nodes that an index or its ranks have in an arm, within this number of levels. */
static inline uint32_t og_index_nodes(const og_index_job *job, int32_t arm, int32_t levels)
{
    return job->roots ? 1 : job->arms->arm[arm]->level[levels];
}
void og_scored_clear(og_scored *scored);

/* Transfers the index to the caller and frees the rest. */
og_index *og_scored_take_index(og_scored *scored);

/* The proved radius of a stored value, as the fields above say. */
double og_scored_radius(const og_scored *scored, int32_t arm, uint32_t node, int32_t left);

/* A class and its exact index; sorted by index and then by class. */
typedef struct {
    mpq_srcptr index;
    uint32_t class;
} og_exact_item;
int og_compare_exact_items(const void *x, const void *y);

/* The relative error of one node's sum: the largest error of a probability or a reward, plus
 * `roundings` roundings and one for each outcome. */
double og_node_error(const og_arms *arms, int roundings);

/* Copies the values (and radii) of first members to all members of their classes, for one `left`.
 */
void og_scored_copy_to_twins(const og_index_job *job, og_scored *scored, int32_t left);

#endif
