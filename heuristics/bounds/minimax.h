#ifndef OG_HEURISTICS_BOUNDS_MINIMAX_H
#define OG_HEURISTICS_BOUNDS_MINIMAX_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/prior/problem.h"

/*
 * The least largest regret of any policy over a finite list of priors, one of which all instances
 * have. Regret is the optimal value by the right prior minus the policy's. Policies may be drawn at
 * random before the first label.
 *
 * It is a matrix game: rows are the policies without chance, columns the priors. Rows come one by
 * one: the optimal play for the mixture of the priors that is least favourable to the rows so far.
 * Nothing hangs on the solver of the game (heuristics/bounds/game.h): the drawn policy is valued by
 * a recursion of our own under every prior, so that its largest regret is an upper end; and no
 * policy has, averaged over a mixture, less regret than that mixture's optimal play, so that it is
 * a lower end. Both with proved errors.
 */
typedef struct {
    const og_group *prior; /* [prior_count] Betas; threshold and count mean nothing */
    int32_t prior_count;
    const og_fraction *threshold; /* [class_count] of the instances, none twice */
    const int64_t *count;         /* [class_count] instances with it, >= 1 */
    int32_t class_count;
    int32_t budget;
    const double *optimal, *optimal_error; /* [prior_count] values by the right prior, proved */
    og_settings settings; /* memory_bytes, states_max (0: any number) and the watch */
} og_minimax_question;

/* Instances that are alike, as a state has them. */
typedef struct {
    int32_t group;              /* of the question's classes */
    int32_t positive, negative; /* labels */
    int64_t copies;
    bool called; /* at the end: called positive */
} og_minimax_group;

typedef struct og_minimax og_minimax;
struct og_minimax {
    double lower, upper;  /* lower <= least largest regret <= upper */
    const double *weight; /* [prior_count] the least favourable mixture found, its sum 1 but
                             for rounding: behind `lower` */
    const double *regret, *regret_error; /* [prior_count] of the policy behind `upper` */
    int32_t policy_count;                /* it is one of these, drawn */
    const double *chance;                /* [policy_count] > 0, their sum 1 but for rounding */
    bool told;                           /* og_minimax_tell works: there are few states */
    int32_t rounds;
    uint64_t states;
    bool stopped; /* before the ends met as far as rounding lets them; they hold */
};

/*
 * *out is written on OG_OK only; free it with og_minimax_free. OG_STOPPED with a message where
 * memory or states end it, or the watch does in its first round; OG_NO_MEMORY; OG_BAD_INPUT: built
 * without GLPK; OG_FAILED as og_beta_tails. One thread. A round takes states * groups * priors
 * steps; there are a few dozen.
 */
og_status og_minimax_find(const og_minimax_question *question, og_minimax **out,
                          og_message *message);

/*
 * Tells the states that policy k, 0 .. policy_count - 1, can come to, the root first: with labels
 * left `choice` is the group of which one is labelled, else -1 and every group is called. Stops
 * where the function returns false.
 */
void og_minimax_tell(const og_minimax *of, int32_t k,
                     bool (*take)(void *user, int32_t left, const og_minimax_group *group,
                                  int32_t count, int32_t choice),
                     void *user);

void og_minimax_free(og_minimax *of); /* NULL is fine */

#endif
