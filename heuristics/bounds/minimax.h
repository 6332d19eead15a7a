#ifndef OG_HEURISTICS_BOUNDS_MINIMAX_H
#define OG_HEURISTICS_BOUNDS_MINIMAX_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/prior/problem.h"

/*
 * Brackets the minimax regret: the smallest largest regret of any policy over a finite list of
 * priors, one of which all instances have. Regret is the optimal value under the true prior minus
 * the policy's value. A randomized policy draws one policy before the first label.
 *
 * This is a matrix game: rows are the policies without randomization, columns the priors. Rows are
 * added one by one: the optimal policy for the mixture of priors that is least favourable to the
 * rows so far. The proof does not depend on the solver of the game
 * (heuristics/bounds/minimax_game.h). A separate recursion evaluates the randomized policy under
 * every prior, so its largest regret is an upper bound. No policy has less average regret over a
 * mixture than the mixture's optimal policy, so that average is a lower bound. Both have proved
 * errors.
 */
typedef struct {
    const og_group *prior; /* [prior_count] Betas; threshold and count are ignored */
    int32_t prior_count;
    const og_fraction *threshold; /* [class_count] of the instances, all different */
    const int64_t *count;         /* [class_count] number of instances with this threshold, >= 1 */
    int32_t class_count;
    int32_t budget;
    const double *optimal,
        *optimal_error;   /* [prior_count] values under the true prior, with proved errors */
    og_settings settings; /* used: memory_bytes, states_max (0: no limit) and the watch */
} og_minimax_question;

/* Interchangeable instances of a state. */
typedef struct {
    int32_t group;              /* class of the question */
    int32_t positive, negative; /* labels */
    int64_t copies;
    bool called; /* at the end: called positive */
} og_minimax_group;

typedef struct og_minimax og_minimax;
struct og_minimax {
    double lower, upper;  /* lower <= minimax regret <= upper */
    const double *weight; /* [prior_count] the least favourable mixture found, which proves `lower`;
                             its sum is 1 up to rounding */
    const double *regret, *regret_error; /* [prior_count] of the policy that proves `upper` */
    int32_t policy_count; /* number of policies that the randomized policy draws from */
    const double *chance; /* [policy_count] probabilities > 0; their sum is 1 up to rounding */
    bool told;            /* few states: og_minimax_tell is available */
    int32_t rounds;
    uint64_t states;
    bool stopped; /* stopped before the bounds met up to rounding; they are valid */
};

/*
 * *out is written on OG_OK only; free it with og_minimax_free. OG_STOPPED with a message if the
 * limit on memory or states, or the watch in the first round, ended it; OG_NO_MEMORY; OG_BAD_INPUT:
 * a build without GLPK; OG_FAILED as og_beta_tails. One thread. A round takes states * groups *
 * priors steps; there are a few dozen rounds.
 */
og_status og_minimax_find(const og_minimax_question *question, og_minimax **out,
                          og_message *message);

/*
 * Passes the states that policy k, 0 .. policy_count - 1, can reach to the function, the root
 * first. With labels left, `choice` is the group that gets a label; without, it is -1 and every
 * group is called. Stops if the function returns false.
 */
void og_minimax_tell(const og_minimax *game, int32_t k,
                     bool (*take)(void *user, int32_t left, const og_minimax_group *group,
                                  int32_t count, int32_t choice),
                     void *user);

void og_minimax_free(og_minimax *game); /* NULL is fine */

#endif
