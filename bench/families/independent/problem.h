#ifndef OG_BENCH_FAMILIES_INDEPENDENT_PROBLEM_H
#define OG_BENCH_FAMILIES_INDEPENDENT_PROBLEM_H

#include "bench/family.h"
#include "dp/arm/arm.h"

/*
 * Parts shared by the families whose problems are products of arms, with one act for each group of
 * arms (private to bench/families/independent/).
 */

/* Options for the worth of instances. */
typedef struct {
    og_payoff payoff;  /* of every instance without its own payoff */
    const char *table; /* the file of a table of worths, in place of a payoff; NULL: none */
} og_call_options;

#define OG_CALL_OPTIONS(type, member)                                                              \
    OG_OPTION(CUSTOM, "payoff", "WORTH", type, member, .topic = OG_TOPIC_PRICES, .basic = true,    \
              .brief = "TP,FP,FN,TN[,U], brier, squared, log, table:FILE",                         \
              .help = "worth of an instance at the end. TP,FP,FN,TN[,U]: of a positive call that " \
                      "is right, a positive call that is wrong, a negative call that is wrong, a " \
                      "negative call that is right, and of no call. The call with the largest "    \
                      "expected worth is made. accuracy: 1,0,0,1. With P the probability of a "    \
                      "positive instance, brier: -P(1-P); log: P ln P + (1-P) ln(1-P). squared: "  \
                      "minus the variance of the soft label. table:FILE: column value for each "   \
                      "posterior a, b (default: accuracy)",                                        \
              .read = og_payoff_option)
og_status og_payoff_option(void *options, const og_option_row *row, const char *text,
                           og_message *message);

/* A problem of such a family begins with one of these; `problem` below is that family's problem. */
typedef struct {
    og_groups instances;
    int32_t whole_budget;
    const char *history; /* borrowed */
    bool paid;           /* instances have payoffs, not 1 if their call is right */
    og_fraction fee;     /* of each label that a policy uses; zeroed: none */
    og_fraction offset;  /* added to the gain of every label, so that none is negative, and taken
                          * off values, which is 0 in the usual case: see og_arms_problem_solve */
    og_arms *arms;       /* of the instances first; a family may add its own; NULL if the problem is
                            opened for its runs only, or for bounds of very many labels */
} og_arms_problem;

/* Read the instances, the worth of calls and the bonus that each group's labels earn
 * (bonus[bonus_count]; NULL: none), and build the arms. OG_BAD_INPUT, also if bonus_count differs
 * from the number of INSTANCE words; the errors of og_arms_new. After an error, clear *out
 * too. */
typedef struct {
    og_call_options calls;
    const og_fraction *bonus;
    int32_t bonus_count;
    bool may_stop; /* so that a label that lowers the payoff is no surprise */
    bool without_arms;
    bool short_bounds; /* without arms if that leaves a bound (og_bound_short) and there are many
                        * labels */
} og_arms_problem_options;
og_status og_arms_problem_open(const og_problem_text *given, const og_arms_problem_options *options,
                               const og_settings *settings, og_arms_problem *out,
                               og_message *message);
void og_arms_problem_clear(og_arms_problem *problem);

/* The payoff of each group: its own, or the common one; and after the history that its table has
 * all posteriors that the labels reach, or what the function answers. Then the offset of payoffs
 * that a label may lower, which each bonus includes. OG_BAD_INPUT. */
og_status og_arms_problem_take_payoffs(og_arms_problem *problem, const og_call_options *calls,
                                       og_message *message);
og_status og_arms_problem_take_values(og_arms_problem *problem, const og_reward_function *reward,
                                      const og_settings *settings, og_message *message);
og_status og_arms_problem_take_offset(og_arms_problem *problem, const og_settings *settings,
                                      og_message *warning, og_message *message);

/* Refuses a policy that needs the labels before the root. */
og_status og_arms_problem_check_history(const og_arms_problem *problem, const og_policy_name *name,
                                        og_message *message);

/* What a label must gain to be worth the price, in the rewards of the arms, which include the
 * offset. */
og_fraction og_arms_problem_least_reward(const void *problem, og_fraction price);

/* As og_family.model.priced_gain and reward_most. */
og_status og_arms_problem_priced_gain(const void *problem, og_fraction price,
                                      const og_priced_use *use, mpq_t low, mpq_t high,
                                      og_message *message);
double og_arms_problem_reward_most(const void *problem);

/* The metric is correct calls, or payoff. */
void og_arms_problem_sizes(const og_arms_problem *problem, og_problem_size *out);

/* As in og_family. */
int32_t og_arms_problem_acts(const void *problem, og_act_open *open, int32_t room);
void og_arms_problem_act_text(const void *problem, og_act act, char *text, size_t size);
og_document *og_arms_problem_put_act(const void *problem, og_act act, og_document *array);
bool og_arms_problem_alike(const void *problem, og_act x, og_act y);
og_status og_arms_problem_prior(const void *problem, double *value, double *error, mpq_ptr exact,
                                og_message *message);
/*
 * With an offset c every label of every instance earns the bonus c more. All T labels are used, so
 * values are c T less. *Proof.* Each policy's value grows by c T. Then no reward is negative, and
 * all results about products of arms hold.
 */
og_status og_arms_problem_solve(const void *problem, const og_value_asked *question,
                                const og_settings *settings, og_solution *out, og_message *message);

/* Subtracts `labels` times `each` from *value, and adds the rounding error to *error. The second
 * function does so in fractions. */
void og_take_off(int32_t labels, og_fraction each, double *value, double *error);
void og_take_off_exactly(int32_t labels, og_fraction each, mpq_t value);

/* The bound of these arms less `each` for every label, in doubles. */
og_status og_bound_less(const og_arms *arms, og_fraction each, const og_bound_use *use,
                        og_upper_bound *out, og_message *message);

/* Words for states and acts, as in og_family; an act on a standard arm means to stop. */
void og_arms_problem_state_text(const void *problem, const void *state, char *text, size_t size);
void og_arms_problem_step_text(const void *problem, og_act act, char *text, size_t size);
void og_arms_problem_answer_text(const void *problem, og_act act, int32_t answer, char *text,
                                 size_t size);
og_document *og_arms_problem_put_step(const void *problem, og_act act, int64_t copies,
                                      og_document *array);
void og_arms_problem_show_state(const void *problem, const void *state, og_document *document);

/* Takes ownership of the ranks. */
og_strategy og_strategy_of_ranks(og_ranks *ranks);

#endif
