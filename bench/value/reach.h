#ifndef OG_BENCH_VALUE_REACH_H
#define OG_BENCH_VALUE_REACH_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/family.h"
#include "dp/base/ties.h"

/*
 * How many labels it takes until a share of the final decisions is expected to be correct: of
 * optimal play, and of policies, under each tie rule.
 *
 * Each row is the least T at which the value of the problem with T labels in all is large enough,
 * found by valuing it for one T after the other, so nothing is assumed of policies. The optimum
 * begins where the Lagrangian bound of one price no longer says that T labels are too few, policies
 * where the optimum is large enough, since none of them is above it.
 */
typedef struct {
    const og_family *family;
    og_given given;       /* of the problem; its budget is the most labels that are tried */
    og_settings settings; /* watch, limits and threads hold for each valuation */
    const og_policy_name *policies; /* [policy_count], borrowed as all else */
    int32_t policy_count;
    const og_ties *ties; /* [ties_count] */
    int32_t ties_count;
    double share; /* of the decisions, > 0 and at most 1 */
    /* For each valuation; 0: any number. OG_STATES_USUAL: of a policy 20 million, or four times
     * what the least budget took optimally if that is more; of the optimum any number. */
    uint64_t policy_states_max, optimum_states_max;
    double seconds_max; /* for all; 0: any time */
    /* Told what begins, from the calling thread; may be NULL. */
    void (*progress)(void *user, const char *stage);
    void *user;
} og_reach_request;

/*
 * The document: "problem" with the most labels, "reach": {"share", "correct"}, "optimal" and
 * "policies"[]: each has "labels" (null: more than the most, or than `more_than` where a limit was
 * reached, which "limit" tells), "value", "share" and "error_bound" at that many. Where the value
 * cannot be told from the share within its error, it counts as large enough, and "within_error" is
 * true.
 *
 * *out is the caller's to free. OG_BAD_INPUT with a message for a family whose value is no share of
 * a fixed number of decisions, and for a policy that is unknown there; OG_STOPPED with a message
 * where a limit was reached before the optimum was enough: nothing is printed then.
 */
og_status og_reach_find(const og_reach_request *request, og_document **out, og_message *message);

#endif
