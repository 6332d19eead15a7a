#ifndef OG_TESTS_PUBLIC_SUPPORT_H
#define OG_TESTS_PUBLIC_SUPPORT_H

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optgap.h"
#include "tests/support.h"

/* What the tests of optgap.h share: problems by their words, questions that are answered or
 * refused.
 */

static og_message said; /* message of the last call that failed */

static inline og_problem *problem_of(const char *family)
{
    og_problem *problem = NULL;
    ck_assert_int_eq(og_problem_new(family, &problem, &said), OG_OK);
    return problem;
}

static inline void set(og_problem *problem, const char *option, const char *text)
{
    og_status status = og_problem_set(problem, option, text, &said);
    ck_assert_msg(status == OG_OK, "%s: %s", option, said.text);
}

static inline void add(og_problem *problem, const char *word)
{
    og_status status = og_problem_add(problem, word, &said);
    ck_assert_msg(status == OG_OK, "%s: %s", word, said.text);
}

static inline og_problem *instances(const char *budget, const char *word)
{
    og_problem *problem = problem_of("independent");
    set(problem, "budget", budget);
    add(problem, word);
    return problem;
}

/* The call's status and a message that holds these words. */
#define REFUSED(status_, words_, call_)                                                            \
    do {                                                                                           \
        memset(&said, 0, sizeof said);                                                             \
        ck_assert_int_eq(call_, status_);                                                          \
        ck_assert_msg(strstr(said.text, words_) != NULL, "%s", said.text);                         \
    } while (0)

typedef og_status question(og_problem *problem, const og_request *request, og_document **out,
                           og_message *message);

/* Parts of an answer. */
static inline const og_document *policy_of(const og_document *answer, int32_t i)
{
    return og_document_child(og_document_find(answer, "policies"), i);
}

static inline double policy_value(const og_document *policy)
{
    double value = og_number_at(policy, "value");
    return isnan(value) ? og_number_at(policy, "mean") : value;
}

/* Of runs; on recorded labels with the whole budget. */
static inline double policy_accuracy(const og_document *policy)
{
    const og_document *points = og_document_find(policy, "points");
    int32_t count = og_document_count(points);
    return count > 0 ? og_number_at(og_document_child(points, count - 1), "accuracy")
                     : og_number_at(policy, "accuracy");
}

/* Proved; of an estimate, half of its interval. */
static inline double policy_error(const og_document *policy)
{
    double error = og_number_at(policy, "error_bound"), mean = og_number_at(policy, "mean");
    return !isnan(error) ? error
                         : fmax(og_number_at(policy, "interval.1") - mean,
                                mean - og_number_at(policy, "interval.0"));
}

/* The ends between which the optimum lies. */
static inline double lower_of(const og_document *answer)
{
    double lower = og_number_at(answer, "bracket.lower");
    return !isnan(lower) ? lower
                         : og_number_at(answer, "optimal.value") -
                               og_number_at(answer, "optimal.error_bound");
}

static inline double upper_of(const og_document *answer)
{
    double upper = og_number_at(answer, "bracket.upper");
    return !isnan(upper) ? upper
                         : og_number_at(answer, "optimal.value") +
                               og_number_at(answer, "optimal.error_bound");
}

/* The choices of a query. */
static inline const og_document *acts_of(const og_document *answer)
{
    const og_document *acts = og_document_find(answer, "actions");
    return acts != NULL ? acts : og_document_find(answer, "instances");
}

static inline const og_document *act_of(const og_document *answer, int32_t i)
{
    return og_document_child(acts_of(answer), i);
}

static inline bool is_picked(const og_document *answer, int32_t policy, int32_t act)
{
    const og_document *picks = policy_of(answer, policy);
    bool found = false;
    for (int32_t i = 0; i < og_document_count(picks); i++) {
        found = found || og_document_number(og_document_child(picks, i)) == act;
    }
    return found;
}

static inline og_document *ask(question *q, og_problem *problem, const og_request *request)
{
    og_document *report = NULL;
    og_status status = q(problem, request, &report, &said);
    ck_assert_msg(status == OG_OK, "%s", said.text);
    ck_assert_ptr_nonnull(report);
    char *json = og_document_json(report);
    ck_assert_ptr_nonnull(json);
    ck_assert_int_eq(json[0], '{');
    free(json);
    return report;
}

static inline og_request request_of(const og_policy *const *policies, int32_t count)
{
    og_request request;
    og_request_default(&request);
    request.settings.memory_bytes = UINT64_C(1) << 28;
    request.policies = policies;
    request.policy_count = count;
    return request;
}

#endif
