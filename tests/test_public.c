/*
 * optgap.h as a user meets it: every function, what is refused and how, policies that are functions
 * beside the named ones that they copy, and who is called on which thread.
 */
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "optgap.h"
#include "tests/support.h"

static og_message said;

static og_problem *problem_of(const char *family)
{
    og_problem *problem = NULL;
    ck_assert_int_eq(og_problem_new(family, &problem, &said), OG_OK);
    return problem;
}

static void set(og_problem *problem, const char *option, const char *text)
{
    og_status status = og_problem_set(problem, option, text, &said);
    ck_assert_msg(status == OG_OK, "%s: %s", option, said.text);
}

static void add(og_problem *problem, const char *word)
{
    og_status status = og_problem_add(problem, word, &said);
    ck_assert_msg(status == OG_OK, "%s: %s", word, said.text);
}

static og_problem *instances(const char *budget, const char *word)
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

static og_report *ask(question *of, og_problem *problem, const og_request *request)
{
    og_report *report = NULL;
    og_status status = of(problem, request, &report, &said);
    ck_assert_msg(status == OG_OK, "%s", said.text);
    ck_assert_ptr_nonnull(report->document);
    char *json = og_document_json(report->document);
    ck_assert_ptr_nonnull(json);
    ck_assert_int_eq(json[0], '{');
    free(json);
    return report;
}

static og_request request_of(const og_policy *const *policies, int32_t count)
{
    og_request request;
    og_request_default(&request);
    request.settings.memory_bytes = UINT64_C(1) << 28;
    request.policies = policies;
    request.policy_count = count;
    return request;
}

/* ---- what there is ---- */

START_TEST(test_families)
{
    int32_t count = 0;
    for (; og_family_name(count) != NULL; count++) {
        og_document *document = NULL;
        ck_assert_int_eq(og_family_describe(og_family_name(count), &document, &said), OG_OK);
        ck_assert_str_eq(og_document_text(og_document_find(document, "name")),
                         og_family_name(count));
        const og_document *options = og_document_find(document, "options");
        ck_assert_int_ge(og_document_count(options), 1);
        const og_document *first = og_document_child(options, 0);
        ck_assert_ptr_nonnull(og_document_text(og_document_find(first, "help")));
        ck_assert_int_gt(og_document_count(og_document_find(document, "policies")), 10);
        og_document_free(document);
    }
    ck_assert_int_ge(count, 4);
    ck_assert_str_eq(og_family_name(0), "independent");
    ck_assert_ptr_null(og_family_name(-1));
    ck_assert_str_eq(og_status_text(OG_NO_MEMORY), "out of memory");
    ck_assert_int_gt((int)strlen(og_version()), 0);
    og_document *document = NULL;
    REFUSED(OG_BAD_INPUT, "unknown family 'worker'",
            og_family_describe("worker", &document, &said));
    ck_assert_ptr_null(document);
}
END_TEST

START_TEST(test_documents_take_null)
{
    ck_assert_int_eq(og_document_count(NULL), 0);
    ck_assert_ptr_null(og_document_child(NULL, 0));
    ck_assert_ptr_null(og_document_find(NULL, "x"));
    ck_assert_str_eq(og_document_name(NULL), "");
    ck_assert(isnan(og_document_number(NULL)));
    ck_assert_ptr_null(og_document_text(NULL));
    og_document_free(NULL);
    og_problem_free(NULL);
    og_policy_free(NULL);
    og_report_free(NULL);
}
END_TEST

/* ---- problems ---- */

START_TEST(test_problems_that_are_refused)
{
    og_problem *problem = NULL;
    REFUSED(OG_BAD_INPUT, "unknown family", og_problem_new("indepedent", &problem, &said));
    ck_assert_ptr_null(problem);
    problem = problem_of("independent");
    REFUSED(OG_BAD_INPUT, "'budge' of independent", og_problem_set(problem, "budge", "1", &said));
    REFUSED(OG_BAD_INPUT, "whole number", og_problem_set(problem, "budget", "-1", &said));
    REFUSED(OG_BAD_INPUT, "needs a value", og_problem_set(problem, "budget", NULL, &said));
    REFUSED(OG_BAD_INPUT, "calls", og_problem_set(problem, "objective", "gold", &said));
    REFUSED(OG_BAD_INPUT, "'1,'", og_problem_add(problem, "1,", &said));
    REFUSED(OG_BAD_INPUT, "the budget is missing", og_problem_check(problem, &said));
    set(problem, "budget", "3");
    REFUSED(OG_BAD_INPUT, "no instances", og_problem_check(problem, &said));
    const double wrong[] = {0, -1, NAN, INFINITY, 1e-9, 1e9};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(og_problem_add_beta(problem, 1, wrong[i], 1, 0.5, NULL), OG_BAD_INPUT);
        ck_assert_int_eq(og_problem_add_beta(problem, 1, 1, wrong[i], 0.5, NULL), OG_BAD_INPUT);
    }
    ck_assert_int_eq(og_problem_add_beta(problem, 1, 1, 1, 1, NULL), OG_BAD_INPUT);
    ck_assert_int_eq(og_problem_add_beta(problem, 0, 1, 1, 0.5, NULL), OG_BAD_INPUT);
    const int32_t labels[] = {1, -1};
    REFUSED(OG_BAD_INPUT, "-1",
            og_problem_add_counts(problem, 2, labels, labels, 1, 1, 0.5, &said));
    REFUSED(OG_BAD_INPUT, "no instances", og_problem_check(problem, &said));
    add(problem, "1,1");
    ck_assert_int_eq(og_problem_check(problem, NULL), OG_OK);
    set(problem, "left", "4");
    REFUSED(OG_BAD_INPUT, "more than the whole budget", og_problem_check(problem, &said));
    og_problem_free(problem);
}
END_TEST

START_TEST(test_options_of_a_family)
{
    og_problem *problem = problem_of("workers");
    set(problem, "budget", "2");
    add(problem, "2x1,1");
    REFUSED(OG_BAD_INPUT, "takes no value", og_problem_set(problem, "once", "yes", &said));
    REFUSED(OG_BAD_INPUT, "--workers-prior", og_problem_check(problem, &said));
    set(problem, "once", NULL);
    char text[] = "2x4,1"; /* copied */
    set(problem, "workers-prior", text);
    text[0] = '9';
    og_report *report = ask(og_solve, problem, NULL);
    ck_assert_double_gt(report->gain, 0);
    og_report_free(report);
    REFUSED(OG_BAD_INPUT, "after the first question", og_problem_set(problem, "once", NULL, &said));
    set(problem, "objective", "bandit");
    REFUSED(OG_BAD_INPUT, "bandit", og_problem_check(problem, &said));
    og_problem_free(problem);
}
END_TEST

/* The document of what a problem is made of. */
static char *described(og_problem *problem)
{
    og_document *document = NULL;
    ck_assert_int_eq(og_problem_describe(problem, &document, &said), OG_OK);
    char *json = og_document_json(document);
    og_document_free(document);
    return json;
}

START_TEST(test_numbers_are_words)
{
    og_problem *words = instances("5", "3x1.5,0.7@0.3");
    add(words, "3,1");
    add(words, "1,2");
    og_problem *numbers = problem_of("independent");
    set(numbers, "budget", "5");
    ck_assert_int_eq(og_problem_add_beta(numbers, 3, 1.5, 0.7, 0.3, &said), OG_OK);
    const int32_t positive[] = {2, 0}, negative[] = {0, 1};
    ck_assert_int_eq(og_problem_add_counts(numbers, 2, positive, negative, 1, 1, 0.5, &said),
                     OG_OK);
    char *x = described(words), *y = described(numbers);
    ck_assert_str_eq(x, y);
    free(x);
    free(y);
    og_problem_free(words);
    og_problem_free(numbers);
}
END_TEST

/* ---- questions ---- */

START_TEST(test_solve)
{
    og_problem *problem = instances("1", "1,1"); /* Beta(1,1), one label: 1/2 becomes 3/4 */
    og_report *report = ask(og_solve, problem, NULL);
    ck_assert_double_eq_tol(report->prior, 0.5, 1e-12);
    ck_assert_double_eq_tol(report->value, 0.75, report->error_bound);
    ck_assert_double_eq_tol(report->gain, 0.25, 1e-12);
    ck_assert(report->lower <= 0.75 && 0.75 <= report->upper);
    const og_document *optimal = og_document_find(report->document, "optimal");
    ck_assert_double_eq(og_document_number(og_document_find(optimal, "value")), report->value);
    ck_assert_str_eq(og_document_name(optimal), "optimal");
    og_report_free(report);
    og_request request = request_of(NULL, 0);
    request.exact = true;
    report = ask(og_solve, problem, &request);
    optimal = og_document_find(report->document, "optimal");
    ck_assert_str_eq(og_document_text(og_document_find(optimal, "value_exact")), "3/4");
    og_report_free(report);
    request.exact = false;
    request.dry_run = true;
    report = ask(og_solve, problem, &request);
    ck_assert(isnan(report->value));
    og_report_free(report);
    report = NULL;
    request.export_policy = "x";
    REFUSED(OG_BAD_INPUT, "dry run", og_solve(problem, &request, &report, &said));
    request.export_policy = NULL;
    request.all_optimal = true;
    REFUSED(OG_BAD_INPUT, "all_optimal", og_solve(problem, &request, &report, &said));
    ck_assert_ptr_null(report);
    og_problem_free(problem);
}
END_TEST

START_TEST(test_export)
{
    char path[] = "/tmp/optgap-public-XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
    og_problem *problem = instances("3", "2x1,1");
    og_request request = request_of(NULL, 0);
    request.export_policy = path;
    og_report *report = ask(og_solve, problem, &request);
    ck_assert_ptr_nonnull(og_document_find(report->document, "policy"));
    og_report *verified = NULL;
    ck_assert_int_eq(og_verify(path, NULL, &verified, &said), OG_OK);
    ck_assert_double_eq_tol(verified->value, report->value,
                            verified->error_bound + report->error_bound);
    ck_assert_double_ge(verified->upper, verified->value);
    ck_assert_str_eq(og_document_text(og_document_find(verified->document, "file")), path);
    og_report_free(verified);
    og_report_free(report);
    verified = NULL;
    REFUSED(OG_BAD_INPUT, "no-such-file", og_verify("no-such-file", NULL, &verified, &said));
    ck_assert_ptr_null(verified);
    unlink(path);
    og_problem_free(problem);
}
END_TEST

START_TEST(test_compare_usual_policies)
{
    og_problem *problem = instances("4", "3x1,1");
    og_report *report = ask(og_compare, problem, NULL);
    ck_assert_int_eq(report->policy_count, 5);
    ck_assert_int_eq(report->optimal_status, OG_OK);
    for (int32_t i = 0; i < report->policy_count; i++) {
        const og_report_policy *row = &report->policy[i];
        ck_assert_int_eq(row->status, OG_OK);
        ck_assert_str_eq(row->why, "");
        ck_assert_double_eq_tol(row->gap, report->value - row->value, 1e-12);
        ck_assert(isnan(row->accuracy));
    }
    ck_assert_str_eq(report->policy[2].policy, "opt-kg");
    ck_assert_int_eq(report->bound_count, 3);
    ck_assert_double_ge(report->bound[0].value, report->value);
    og_report_free(report);
    og_problem_free(problem);
}
END_TEST

START_TEST(test_compare_explains)
{
    og_policy *kg = NULL;
    ck_assert_int_eq(og_policy_new("kg", &kg, &said), OG_OK);
    const og_ties ties[] = {OG_TIES_FIRST, OG_TIES_WORST};
    og_problem *problem = instances("4", "3x1,1");
    og_request request = request_of((const og_policy *[]){kg}, 1);
    request.ties = ties;
    request.ties_count = 2;
    request.explain = true;
    og_report *report = ask(og_compare, problem, &request);
    ck_assert_int_eq(report->policy_count, 2);
    ck_assert_int_eq(report->policy[1].ties, OG_TIES_WORST);
    const og_document *row = og_document_child(og_document_find(report->document, "policies"), 0);
    ck_assert_ptr_nonnull(og_document_find(row, "explain"));
    og_report_free(report);
    report = NULL;
    const og_ties wrong = (og_ties)9;
    request.ties = &wrong;
    request.ties_count = 1;
    REFUSED(OG_BAD_INPUT, "tie rule", og_compare(problem, &request, &report, &said));
    request.ties_count = 0;
    request.settings.threads = OG_THREADS_MAX + 1;
    REFUSED(OG_BAD_INPUT, "threads", og_compare(problem, &request, &report, &said));
    request.settings.threads = 1;
    request.runs = 1;
    REFUSED(OG_BAD_INPUT, "runs", og_compare(problem, &request, &report, &said));
    request.runs = 0;
    request.seconds_max = NAN;
    REFUSED(OG_BAD_INPUT, "seconds", og_compare(problem, &request, &report, &said));
    ck_assert_ptr_null(report);
    og_policy_free(kg);
    og_problem_free(problem);
}
END_TEST

START_TEST(test_query_and_bound)
{
    og_problem *problem = instances("2", "2x2,1");
    add(problem, "3,3");
    og_report *report = ask(og_query, problem, NULL);
    ck_assert_int_eq(report->act_count, 2);
    ck_assert_str_eq(report->act[0].text, "2,1");
    ck_assert_int_eq((int)report->act[0].copies, 2);
    bool best = report->act[0].q >= report->act[1].q;
    ck_assert(report->act[best ? 0 : 1].optimal);
    ck_assert_double_eq(report->act[best ? 0 : 1].lost, 0);
    for (int32_t i = 0; i < 2; i++) {
        ck_assert(report->pick[i]); /* uniform */
    }
    og_report_free(report);
    report = ask(og_bound, problem, NULL);
    og_report *solved = ask(og_solve, problem, NULL);
    ck_assert_double_ge(report->upper, solved->value);
    ck_assert_double_le(report->lower, solved->value);
    ck_assert_str_eq(report->bound[0].name, "lagrangian_scalar");
    og_report_free(report);
    og_report_free(solved);
    set(problem, "left", "0");
    report = ask(og_query, problem, NULL);
    ck_assert(isnan(report->act[0].q));
    og_report_free(report);
    og_problem_free(problem);
}
END_TEST

START_TEST(test_simulate)
{
    og_problem *problem = instances("6", "4x1,1");
    og_request request = request_of(NULL, 0);
    request.runs = 2000;
    og_report *report = ask(og_simulate, problem, &request);
    og_report *exact = ask(og_compare, problem, &request);
    ck_assert_int_eq((int)report->runs, 2000);
    for (int32_t i = 0; i < report->policy_count; i++) {
        const og_report_policy *row = &report->policy[i];
        ck_assert(row->simulated);
        ck_assert_double_eq_tol(row->value, exact->policy[i].value, 4 * row->error_bound);
        ck_assert(row->accuracy > 0.5 && row->accuracy < 1);
    }
    ck_assert_double_eq(report->policy[0].difference, 0);
    og_report_free(report);
    og_report_free(exact);
    report = NULL;
    request.truth = "beta:0,1";
    ck_assert_int_eq(og_simulate(problem, &request, &report, &said), OG_BAD_INPUT);
    request.truth = "beta:4,1";
    report = ask(og_simulate, problem, &request);
    og_report_free(report);
    og_problem_free(problem);
}
END_TEST

START_TEST(test_fit)
{
    static const uint32_t task[] = {0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3};
    static const uint8_t label[] = {1, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1};
    enum { COUNT = sizeof label };
    char path[] = "/tmp/optgap-public-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    ck_assert_ptr_nonnull(file);
    fputs("task\tworker\tlabel\n", file);
    for (int i = 0; i < COUNT; i++) {
        fprintf(file, "t%d\tw\t%d\n", (int)task[i], label[i]);
    }
    fclose(file);
    for (int ml = 0; ml < 2; ml++) {
        double a[2] = {0}, b[2] = {0};
        og_status status = og_fit_file(path, ml == 1, &a[0], &b[0], &said);
        ck_assert_int_eq(og_fit_labels(COUNT, task, label, ml == 1, &a[1], &b[1], NULL), status);
        ck_assert(a[0] == a[1] && b[0] == b[1]);
        ck_assert(status != OG_OK || a[0] > 0);
        ck_assert(status == OG_OK || ml == 1);
    }
    unlink(path);
    double a = 7, b = 7;
    REFUSED(OG_BAD_INPUT, "optgap-public", og_fit_file(path, false, &a, &b, &said));
    REFUSED(OG_BAD_INPUT, "no labels", og_fit_labels(0, task, label, false, &a, &b, &said));
    REFUSED(OG_BAD_INPUT, "task 2 has no label",
            og_fit_labels(4, (const uint32_t[]){0, 1, 3, 3}, label, false, &a, &b, &said));
    REFUSED(OG_BAD_INPUT, "0 or 1",
            og_fit_labels(1, task, (const uint8_t[]){2}, false, &a, &b, &said));
    ck_assert(a == 7 && b == 7);
}
END_TEST

/* After every answer the session says what a query of the posteriors says. */
START_TEST(test_session)
{
    static const int32_t instance[] = {1, 1, 3}, outcome[] = {0, 1, 0};
    static const char *const word[] = {"2x1,1", "1,1", "2,1"};
    int32_t labels[2][4] = {{0}}; /* positive and negative ones of the instances */
    double q[4], error[4];
    bool optimal[4];
    og_problem *problem = instances("4", word[0]);
    add(problem, word[1]);
    add(problem, word[2]);
    og_session *session = NULL;
    ck_assert_int_eq(og_session_new(problem, NULL, &session, &said), OG_OK);
    ck_assert_int_eq(og_session_size(session), 4);
    for (int step = 0; step <= 3; step++) {
        char left[2] = {(char)('4' - step), '\0'};
        og_problem *now = problem_of("independent");
        set(now, "budget", left);
        for (int i = 0; i < 4; i++) {
            ck_assert_int_eq(og_problem_add_counts(now, 1, &labels[0][i], &labels[1][i],
                                                   i == 3 ? 2 : 1, 1, 0.5, &said),
                             OG_OK);
        }
        og_report *report = ask(og_query, now, NULL);
        ck_assert_int_eq(og_session_left(session), 4 - step);
        ck_assert_int_eq(og_session_q(session, q, error, optimal, &said), OG_OK);
        for (int i = 0; i < 4; i++) {
            ck_assert(fabs(q[i] - report->act[i].q) <= error[i] + report->act[i].q_error);
            ck_assert_int_eq(optimal[i], report->act[i].optimal);
        }
        og_report_free(report);
        og_problem_free(now);
        if (step < 3) {
            labels[outcome[step]][instance[step]]++;
            ck_assert_int_eq(og_session_label(session, instance[step], outcome[step], &said),
                             OG_OK);
        }
    }
    REFUSED(OG_BAD_INPUT, "no instance 4", og_session_label(session, 4, 0, &said));
    REFUSED(OG_BAD_INPUT, "0 to 1", og_session_label(session, 0, 2, &said));
    ck_assert_int_eq(og_session_label(session, 0, 0, &said), OG_OK);
    REFUSED(OG_BAD_INPUT, "no label", og_session_label(session, 0, 0, &said));
    REFUSED(OG_BAD_INPUT, "no label", og_session_q(session, NULL, NULL, NULL, &said));
    og_session_free(session);
    og_session_free(NULL);
    og_problem_free(problem);
    session = NULL;
    problem = instances("4", "1001x1,1");
    REFUSED(OG_BAD_INPUT, "1001", og_session_new(problem, NULL, &session, &said));
    ck_assert_ptr_null(session);
    og_problem_free(problem);
}
END_TEST

/* ---- policies that are functions ---- */

/* The chance that a Beta(a, b) of whole numbers is at least 1/2: a sum of binomials, exact in
 * doubles. */
static double chance(double a, double b)
{
    int n = (int)(a + b) - 1;
    double sum = 0, binomial = 1;
    for (int k = 0; k < (int)a; k++) {
        sum += binomial;
        binomial = binomial * (n - k) / (k + 1);
    }
    return ldexp(sum, -n);
}

static double called(double a, double b)
{
    return fmax(chance(a, b), 1 - chance(a, b));
}

/* Who is inside a function of ours, and on which threads. */
typedef struct {
    _Atomic int inside, most, calls, elsewhere;
    pthread_t home;
    og_status fail;
    const char *words;
} visits;

static void enter(visits *of)
{
    int inside = ++of->inside;
    if (inside > of->most) {
        of->most = inside;
    }
    of->calls++;
    of->elsewhere += !pthread_equal(pthread_self(), of->home);
}

static og_status own_opt_kg(void *user, const og_plugin_state *state, double *answer, bool *weights,
                            og_message *message)
{
    visits *of = user;
    enter(of);
    ck_assert(!*weights);
    ck_assert(state->left >= 1 && state->left <= state->budget);
    for (int32_t i = 0; i < state->count; i++) {
        const og_plugin_group *group = &state->group[i];
        double a = group->parameter[0], b = group->parameter[1];
        ck_assert_ptr_null(group->labels);
        answer[i] = fmax(called(a + 1, b), called(a, b + 1)) - called(a, b);
    }
    if (of->words != NULL) {
        snprintf(message->text, sizeof message->text, "%s", of->words);
    }
    of->inside--;
    return of->fail;
}

static og_status own_uniform(void *user, const og_plugin_state *state, double *answer,
                             bool *weights, og_message *message)
{
    visits *of = user;
    enter(of);
    (void)message;
    *weights = true;
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = (double)state->group[i].copies;
        ck_assert_ptr_nonnull(state->group[i].labels);
    }
    of->inside--;
    return OG_OK;
}

static bool own_watch(void *user, const og_progress *progress)
{
    enter(user);
    ck_assert_double_ge(progress->seconds, 0);
    ((visits *)user)->inside--;
    return true;
}

static og_policy *function(const char *name, visits *of, bool labels)
{
    og_policy *policy = NULL;
    const og_callback callback = {
        .user = of, .looks_at_labels = labels, .choose = labels ? own_uniform : own_opt_kg};
    ck_assert_int_eq(og_policy_callback(name, &callback, &policy, &said), OG_OK);
    ck_assert_str_eq(og_policy_text(policy), name);
    of->home = pthread_self();
    return policy;
}

static og_policy *named(const char *name)
{
    og_policy *policy = NULL;
    ck_assert_int_eq(og_policy_new(name, &policy, &said), OG_OK);
    ck_assert_str_eq(og_policy_text(policy), name);
    return policy;
}

/* To the bit; or within what rounding may do, where states are told apart that the named policy
 * takes together, so that sums have another order. */
static void same(const og_report *report, int32_t rows, bool bits)
{
    for (int32_t i = 0; i < rows; i++) {
        const og_report_policy *x = &report->policy[i], *y = &report->policy[rows + i];
        double error = bits ? 0 : x->error_bound + y->error_bound;
        ck_assert_int_eq(x->status, OG_OK);
        ck_assert_int_eq(y->status, OG_OK);
        ck_assert(fabs(x->value - y->value) <= error);
        ck_assert(fabs(x->gain - y->gain) <= error);
    }
}

START_TEST(test_a_function_is_the_policy_it_copies)
{
    static const og_ties ties[] = {OG_TIES_RANDOM, OG_TIES_FIRST, OG_TIES_BEST, OG_TIES_WORST};
    visits of = {.inside = 0};
    og_policy *name = named("opt-kg"), *own = function("own", &of, false);
    og_problem *problem = instances("6", "3x1,1");
    add(problem, "2,1");
    og_request request = request_of((const og_policy *[]){name, own}, 2);
    request.ties = ties;
    request.ties_count = 4;
    og_report *report = ask(og_compare, problem, &request);
    same(report, 4, false);
    ck_assert_str_eq(report->policy[4].policy, "own");
    og_report_free(report);
    request.exact = true;
    report = ask(og_compare, problem, &request);
    same(report, 4, true);
    og_report_free(report);
    request.exact = false;
    request.ties_count = 2;
    report = ask(og_simulate, problem, &request);
    same(report, 2, true);
    og_report_free(report);
    report = ask(og_query, problem, &request);
    for (int32_t i = 0; i < report->act_count; i++) {
        ck_assert_int_eq(report->pick[i], report->pick[report->act_count + i]);
    }
    og_report_free(report);
    ck_assert_int_gt(of.calls, 0);
    ck_assert_int_eq(of.most, 1);
    og_problem_free(problem);
    og_policy_free(name);
    og_policy_free(own);
}
END_TEST

START_TEST(test_functions_come_one_at_a_time)
{
    visits of = {.inside = 0};
    og_policy *x = function("x", &of, false), *y = function("y", &of, true);
    og_problem *problem = instances("9", "4x1,1");
    og_request request = request_of((const og_policy *[]){x, y, x, y}, 4);
    request.settings.threads = 4;
    request.settings.watch = own_watch;
    request.settings.watch_user = &of;
    og_report *report = ask(og_compare, problem, &request);
    og_report_free(report);
    ck_assert_int_eq(of.most, 1);
    of.elsewhere = 0;
    request.settings.threads = 1;
    question *const all[] = {og_compare, og_query, og_simulate, og_solve, og_bound};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        report = ask(all[i], problem, &request);
        og_report_free(report);
    }
    ck_assert_int_eq(of.elsewhere, 0);
    og_problem_free(problem);
    og_policy_free(x);
    og_policy_free(y);
}
END_TEST

START_TEST(test_functions_that_fail)
{
    visits of = {.fail = OG_FAILED, .words = "the moon is in the way"};
    og_policy *own = function("own", &of, false);
    og_problem *problem = instances("4", "3x1,1");
    og_request request = request_of((const og_policy *[]){own}, 1);
    og_report *report = NULL;
    REFUSED(OG_FAILED, "the moon", og_compare(problem, &request, &report, &said));
    REFUSED(OG_FAILED, "the moon", og_query(problem, &request, &report, &said));
    REFUSED(OG_FAILED, "the moon", og_simulate(problem, &request, &report, &said));
    of.words = NULL;
    REFUSED(OG_FAILED, "no answer", og_compare(problem, &request, &report, &said));
    ck_assert_ptr_null(report);
    og_problem_free(problem);
    problem = problem_of("workers"); /* which knows no functions */
    set(problem, "budget", "2");
    set(problem, "workers-prior", "4,1");
    add(problem, "1,1");
    REFUSED(OG_BAD_INPUT, "own", og_compare(problem, &request, &report, &said));
    og_problem_free(problem);
    og_policy_free(own);
}
END_TEST

static og_status own_fewest(void *user, const og_plugin_state *state, double *answer, bool *weights,
                            og_message *message)
{
    (void)user;
    (void)weights;
    (void)message;
    for (int32_t i = 0; i < state->count; i++) {
        const int32_t *labels = state->group[i].labels;
        answer[i] = -labels[0] - 1.5 * labels[1];
    }
    return OG_OK;
}

START_TEST(test_table)
{
    enum { MOST = 4, COUNT = (MOST + 1) * (MOST + 2) / 2 };
    double index[COUNT];
    for (int n = 0; n <= MOST; n++) {
        for (int f = 0; f <= n; f++) {
            index[(n + 1) * n / 2 + f] = -(n - f) - 1.5 * f;
        }
    }
    const og_callback callback = {.looks_at_labels = true, .choose = own_fewest};
    og_policy *table = NULL, *own = NULL;
    ck_assert_int_eq(og_policy_callback("own", &callback, &own, &said), OG_OK);
    ck_assert_int_eq(og_policy_numbers("mine", MOST, index, &table, &said), OG_OK);
    og_problem *problem = instances("5", "2x1,1");
    og_request request = request_of((const og_policy *[]){own, table}, 2);
    og_report *report = ask(og_compare, problem, &request);
    same(report, 1, true);
    og_report_free(report);
    report = NULL;
    set(problem, "budget", "12");
    REFUSED(OG_BAD_INPUT, "no index of 5 labels", og_compare(problem, &request, &report, &said));
    ck_assert_ptr_null(report);
    og_policy_free(table);
    og_policy_free(own);
    og_problem_free(problem);
    table = NULL;
    REFUSED(OG_BAD_INPUT, "0 to 10000", og_policy_numbers("mine", -1, index, &table, &said));
    REFUSED(OG_BAD_INPUT, "known", og_policy_numbers("kg", 0, index, &table, &said));
    index[2] = NAN;
    REFUSED(OG_BAD_INPUT, "index 2", og_policy_numbers("mine", 1, index, &table, &said));
    ck_assert_ptr_null(table);
}
END_TEST

START_TEST(test_policies_that_are_refused)
{
    og_policy *policy = NULL;
    og_callback callback = {.choose = own_uniform};
    REFUSED(OG_BAD_INPUT, "unknown policy", og_policy_new("opt-k", &policy, &said));
    REFUSED(OG_BAD_INPUT, "known", og_policy_callback("kg", &callback, &policy, &said));
    REFUSED(OG_BAD_INPUT, "characters", og_policy_callback("", &callback, &policy, &said));
    callback.choose = NULL;
    REFUSED(OG_BAD_INPUT, "choose", og_policy_callback("own", &callback, &policy, &said));
    ck_assert_ptr_null(policy);
}
END_TEST

/* ---- the end of a question ---- */

static bool enough(void *user, const og_progress *progress)
{
    (void)progress;
    ++*(int *)user;
    return false;
}

START_TEST(test_cancelling)
{
    int asked = 0;
    og_problem *problem = instances("80", "10x1,1");
    og_request request = request_of(NULL, 0);
    og_report *report = NULL;
    request.settings.watch = enough;
    request.settings.watch_user = &asked;
    REFUSED(OG_STOPPED, "", og_solve(problem, &request, &report, &said));
    REFUSED(OG_STOPPED, "", og_query(problem, &request, &report, &said));
    ck_assert_ptr_null(report);
    ck_assert_int_eq(asked, 2);                   /* nobody is asked again */
    report = ask(og_simulate, problem, &request); /* two runs are done, whatever comes */
    ck_assert_int_lt((int)report->runs, 10000);
    og_report_free(report);
    report = ask(og_compare, problem, &request);
    ck_assert_int_eq(report->optimal_status, OG_STOPPED);
    ck_assert(isnan(report->value));
    ck_assert_double_le(report->lower, report->upper);
    ck_assert_int_ne(report->policy[0].status, OG_OK);
    ck_assert_str_ne(report->policy[0].why, "");
    og_report_free(report);
    report = NULL;
    request.settings.watch = NULL;
    request.seconds_max = 1e-3;
    REFUSED(OG_STOPPED, "", og_solve(problem, &request, &report, &said));
    ck_assert_ptr_null(report);
    ck_assert_int_gt((int)strlen(said.text), 0);
    og_problem_free(problem);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("public");
    TCase *basics = tcase_create("basics");
    tcase_add_test(basics, test_families);
    tcase_add_test(basics, test_documents_take_null);
    tcase_add_test(basics, test_problems_that_are_refused);
    tcase_add_test(basics, test_options_of_a_family);
    tcase_add_test(basics, test_numbers_are_words);
    suite_add_tcase(suite, basics);
    TCase *questions = tcase_create("questions");
    tcase_set_timeout(questions, test_seconds(60));
    tcase_add_test(questions, test_solve);
    tcase_add_test(questions, test_export);
    tcase_add_test(questions, test_compare_usual_policies);
    tcase_add_test(questions, test_compare_explains);
    tcase_add_test(questions, test_query_and_bound);
    tcase_add_test(questions, test_simulate);
    tcase_add_test(questions, test_fit);
    tcase_add_test(questions, test_session);
    tcase_add_test(questions, test_cancelling);
    suite_add_tcase(suite, questions);
    TCase *policies = tcase_create("policies");
    tcase_set_timeout(policies, test_seconds(60));
    tcase_add_test(policies, test_a_function_is_the_policy_it_copies);
    tcase_add_test(policies, test_functions_come_one_at_a_time);
    tcase_add_test(policies, test_functions_that_fail);
    tcase_add_test(policies, test_table);
    tcase_add_test(policies, test_policies_that_are_refused);
    suite_add_tcase(suite, policies);
    return test_run(suite);
}
