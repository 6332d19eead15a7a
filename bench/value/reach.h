#ifndef OG_BENCH_VALUE_REACH_H
#define OG_BENCH_VALUE_REACH_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/family.h"
#include "dp/base/ties.h"

/*
 * The number of labels after which the expected share of correct calls reaches a goal, for an
 * optimal policy and for given policies with each tie rule.
 *
 * Each row is the least T at which the value of the problem with T labels in all is large enough.
 * It is found by computing the value for one T after the other, so nothing is assumed about
 * policies. For the optimum the search begins at the first T that the Lagrangian bound with one
 * price does not exclude. For policies it begins at the result of the optimum, which no policy
 * exceeds.
 */
typedef struct {
    const og_family *family;
    og_given given;       /* of the problem; its budget is the largest number of labels tried */
    og_settings settings; /* watch, limits and threads apply to each evaluation */
    const og_policy_name *policies; /* [policy_count], borrowed, like the rest */
    int32_t policy_count;
    const og_ties *ties; /* [ties_count] */
    int32_t ties_count;
    double share; /* the goal: a share of the calls, > 0 and at most 1 */
    /* For each evaluation; 0: any number. OG_STATES_USUAL: for a policy 20 million, or if larger
     * four times the states of the optimum at the least budget; for the optimum any number. */
    uint64_t policy_states_max, optimum_states_max;
    double seconds_max; /* for everything; 0: any time */
} og_reach_request;

/*
 * The document: "problem" with the most labels, "reach": {"share", "correct"}, "optimal" and
 * "policies"[]: each has "labels" and, at that number, "value", "share" and "error_bound". If
 * "labels" is null, the number exceeds the largest one tried, or "more_than" if a limit, named in
 * "limit", was reached. If the value equals the goal within its error, it counts as large enough,
 * and "within_error" is true.
 *
 * The caller frees *out. OG_BAD_INPUT with a message for a family whose value is not a share of a
 * fixed number of calls, or a policy that it does not support. OG_STOPPED with a message if a limit
 * was reached before the optimum was large enough: nothing is printed then.
 */
og_status og_reach_find(const og_reach_request *request, og_document **out, og_message *message);

#endif
