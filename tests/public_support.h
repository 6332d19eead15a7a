#ifndef OG_TESTS_PUBLIC_SUPPORT_H
#define OG_TESTS_PUBLIC_SUPPORT_H

#include <check.h>
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

typedef og_status question(og_problem *problem, const og_request *request, og_report **out,
                           og_message *message);

static inline og_report *ask(question *q, og_problem *problem, const og_request *request)
{
    og_report *report = NULL;
    og_status status = q(problem, request, &report, &said);
    ck_assert_msg(status == OG_OK, "%s", said.text);
    ck_assert_ptr_nonnull(report->document);
    char *json = og_document_json(report->document);
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
