#ifndef OG_DP_PRODUCT_ACTUAL_H
#define OG_DP_PRODUCT_ACTUAL_H

#include "dp/product/characteristics.h"
#include "dp/product/state.h"

/*
 * What labels and final decisions go by, and the sums over final states, of
 * dp/product/characteristics.h (private to dp/product/).
 */

/* How a decision in a posterior ends; both 0: not looked at yet. */
typedef struct {
    double wrong, right;
} og_verdict;

/*
 * The problem in which instances of one posterior and different actual laws are of different arms;
 * those of one prior are neighbours. Its arms have the nodes of those believed in.
 */
typedef struct {
    og_arena arena;
    og_arms arms; /* not to be freed: its tables are of the arena and of `believed` */
    const og_arms *believed;
    int32_t *base;     /* [arms.arm_count] the arm that is believed in */
    og_actual *actual; /* [arms.arm_count] */
    int64_t instances;
    bool decides;        /* calls; else a bandit, which has no verdicts */
    og_verdict *verdict; /* [nodes of all arms] */
    mpq_t *wrong;        /* [the same] exact only, else NULL; with its verdict */
    uint64_t bytes;      /* of these tables */
} og_actual_arms;

/* OG_STOPPED with a message if more than memory_bytes would be held; OG_NO_MEMORY. */
og_status og_actual_arms_init(const og_characteristics_question *question, og_actual_arms *out,
                              og_message *message);
void og_actual_arms_clear(og_actual_arms *of); /* a zeroed one is fine */

/* The chance of outcome 0 or 1 of a label, with OG_ACTUAL_ROUNDINGS of 2^-53; and exactly. */
enum { OG_ACTUAL_ROUNDINGS = 10 };
double og_actual_chance(const og_actual_arms *of, const og_state_group *group, int outcome);
void og_actual_chance_exact(const og_actual_arms *of, const og_state_group *group, int outcome,
                            mpq_ptr out);

/* Positive labels of the group's instances, all together. */
int64_t og_actual_positives(const og_actual_arms *of, const og_state_group *group);

/* The mean of what a final state scores, of terms that are at least 0; exactly into `exact`, unless
 * that is NULL. OG_FAILED as og_beta_tails. */
og_status og_actual_score(og_actual_arms *of, const og_state *state, double *mean, mpq_ptr exact);

/* The verdict of this node of all arms, and `wrong`, are there. OG_FAILED as og_beta_tails. */
og_status og_actual_verdict(og_actual_arms *of, const og_state_group *group, uint32_t *node);

/* What is added up over the final states. */
typedef struct {
    og_arena arena;
    og_actual_arms *of;
    bool exact, in_order;
    int64_t most;                    /* as og_characteristics' */
    int32_t slot_count;              /* instances, where they are in order, else arms */
    long double *law, *wrong, *gets; /* as og_characteristics' */
    mpq_t *law_exact, *wrong_exact, *gets_exact;
    double *chance; /* [instances + 1] scratch */
    mpq_t *chance_exact;
    mpq_t *term;    /* [2] scratch */
    uint64_t added; /* groups of states so far */
} og_tally;

og_status og_tally_init(og_actual_arms *of, const og_characteristics_question *question,
                        og_tally *out);
void og_tally_clear(og_tally *tally); /* a zeroed one is fine */
uint64_t og_tally_bytes(const og_actual_arms *of, const og_characteristics_question *question);

/* Add a final state of this probability. OG_FAILED as og_beta_tails. */
og_status og_tally_add(og_tally *tally, const og_state *state, double probability,
                       mpq_srcptr exact);

/* The sums as they are told: probabilities had this relative error, of so many final states. */
og_status og_tally_tell(const og_tally *tally, double relative_error, uint64_t states,
                        og_characteristics *out);

#endif
