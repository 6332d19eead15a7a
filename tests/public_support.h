#ifndef OG_TESTS_PUBLIC_SUPPORT_H
#define OG_TESTS_PUBLIC_SUPPORT_H

#include <check.h>
#include <math.h>
#include <stdarg.h>
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

/* The question's option "NAME=TEXT", or the switch "NAME". */
static inline og_status set_of(og_question *question, const char *option)
{
    char name[64];
    const char *text = strchr(option, '=');
    int length = text != NULL ? (int)(text - option) : (int)strlen(option);
    snprintf(name, sizeof name, "%.*s", length, option);
    return og_question_set(question, name, text != NULL ? text + 1 : NULL, &said);
}

/* A question with these options and policies, ended by NULL; policies NULL: none. */
static inline og_status make_question(const char *name, const og_policy *const *policy,
                                      va_list options, og_question **out)
{
    og_status status = og_question_new(name, out, &said);
    for (; status == OG_OK && policy != NULL && *policy != NULL; policy++) {
        status = og_question_policy(*out, *policy, &said);
    }
    for (const char *option; status == OG_OK && (option = va_arg(options, const char *)) != NULL;) {
        status = set_of(*out, option);
    }
    return status;
}

/* Of these three the first has a status, the second has an answer, and the third is not asked yet:
 * attempt("compare", problem, POLICIES(mine), &report, "runs=2", "explain", NULL). */
#define POLICIES(...) ((const og_policy *const[]){__VA_ARGS__, NULL})

static inline __attribute__((sentinel)) og_status attempt(const char *name, og_problem *problem,
                                                          const og_policy *const *policy,
                                                          og_document **out, ...)
{
    og_question *question = NULL;
    va_list options;
    va_start(options, out);
    og_status status = make_question(name, policy, options, &question);
    va_end(options);
    status = status == OG_OK ? og_ask(problem, question, out, &said) : status;
    og_question_free(question);
    return status;
}

static inline og_document *answer_of(og_question *question, og_problem *problem)
{
    og_document *report = NULL;
    og_status status = og_ask(problem, question, &report, &said);
    ck_assert_msg(status == OG_OK, "%s", said.text);
    ck_assert_ptr_nonnull(report);
    char *json = og_document_json(report);
    ck_assert_ptr_nonnull(json);
    ck_assert_int_eq(json[0], '{');
    free(json);
    return report;
}

static inline __attribute__((sentinel)) og_document *ask(const char *name, og_problem *problem,
                                                         const og_policy *const *policy, ...)
{
    og_question *question = NULL;
    va_list options;
    va_start(options, policy);
    og_status status = make_question(name, policy, options, &question);
    va_end(options);
    ck_assert_msg(status == OG_OK, "%s: %s", name, said.text);
    og_document *report = answer_of(question, problem);
    og_question_free(question);
    return report;
}

static inline __attribute__((sentinel)) og_question *
question_with(const char *name, const og_policy *const *policy, ...)
{
    og_question *question = NULL;
    va_list options;
    va_start(options, policy);
    og_status status = make_question(name, policy, options, &question);
    va_end(options);
    ck_assert_msg(status == OG_OK, "%s: %s", name, said.text);
    return question;
}

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

#endif
