#ifndef OG_DP_PRODUCT_TRUTH_LAW_H
#define OG_DP_PRODUCT_TRUTH_LAW_H

#include "dp/product/characteristics.h"
#include "dp/product/state.h"

/*
 * The actual distributions of labels and final calls, and the sums over final states, for
 * dp/product/characteristics.h (private to dp/product/).
 */

/* Probabilities that the call in a posterior is wrong and right; both 0: not computed yet. */
typedef struct {
    double wrong, right;
} og_verdict;

/*
 * The actual problem: instances with the same assumed prior but different actual distributions have
 * different arms, which are neighbours. Each arm has the nodes of the assumed arm.
 */
typedef struct {
    og_arena arena;
    og_arms arms;         /* not to be freed: its tables belong to the arena and to the question */
    int32_t *base;        /* [arms.arm_count] the assumed arm */
    og_truth_law *actual; /* [arms.arm_count] */
    int64_t instances;
    bool decides;        /* true for calls; a bandit has no verdicts */
    og_verdict *verdict; /* [nodes of all arms] */
    mpq_t *wrong;        /* [nodes of all arms] exact only, else NULL; set with the verdict */
    uint64_t bytes;      /* of these tables */
} og_truth_law_arms;

/* OG_STOPPED with a message if the tables would exceed memory_bytes; OG_NO_MEMORY. */
og_status og_truth_law_arms_init(const og_characteristics_question *question,
                                 og_truth_law_arms *out, og_message *message);
void og_truth_law_arms_clear(og_truth_law_arms *law); /* a zeroed one is fine */

/* The probability of outcome 0 or 1 of a label, with at most OG_ACTUAL_ROUNDINGS relative errors of
 * 2^-53; the second function is exact. */
enum { OG_ACTUAL_ROUNDINGS = 10 };
double og_truth_law_chance(const og_truth_law_arms *law, const og_state_group *group, int outcome);
void og_truth_law_chance_exact(const og_truth_law_arms *law, const og_state_group *group,
                               int outcome, mpq_ptr out);

/* Number of positive labels of all instances of the group together. */
int64_t og_truth_law_positives(const og_truth_law_arms *law, const og_state_group *group);

/* The mean score of a final state, a sum of terms >= 0; also exactly into `exact` unless that is
 * NULL. OG_FAILED as og_beta_tails. */
og_status og_truth_law_score(og_truth_law_arms *law, const og_state *state, double *mean,
                             mpq_ptr exact);

/* Makes sure that the verdict of this node, and its `wrong`, are computed; *node is its number
 * among the nodes of all arms. OG_FAILED as og_beta_tails. */
og_status og_truth_law_verdict(og_truth_law_arms *law, const og_state_group *group, uint32_t *node);

/* Sums over the final states. */
typedef struct {
    og_arena arena;
    og_truth_law_arms *arms;
    bool exact, in_order;
    int64_t most;                    /* as og_characteristics' */
    int32_t slot_count;              /* instances if they are kept in order, else arms */
    long double *law, *wrong, *gets; /* as og_characteristics' */
    mpq_t *law_exact, *wrong_exact, *gets_exact;
    double *chance; /* [instances + 1] scratch */
    mpq_t *chance_exact;
    mpq_t *term;    /* [2] scratch */
    uint64_t added; /* groups of states added so far */
} og_state_count;

og_status og_state_count_init(og_truth_law_arms *law, const og_characteristics_question *question,
                              og_state_count *out);
void og_state_count_clear(og_state_count *tally); /* a zeroed one is fine */
uint64_t og_state_count_bytes(const og_truth_law_arms *law,
                              const og_characteristics_question *question);

/* Adds a final state with this probability. OG_FAILED as og_beta_tails. */
og_status og_state_count_add(og_state_count *tally, const og_state *state, double probability,
                             mpq_srcptr exact);

/* Writes the sums into the result: probabilities had this relative error, over so many final
 * states. */
og_status og_state_count_tell(const og_state_count *tally, double relative_error, uint64_t states,
                              og_characteristics *out);

#endif
