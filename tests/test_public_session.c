/* Sessions and recorded labels by optgap.h: beside questions about each state, and files beside
 * arrays.
 */
#include <pthread.h>
#include <unistd.h>

#include "tests/public_support.h"

OG_SUITE(public_session, 60);

static og_status fit_of(int64_t count, const uint32_t *task, const uint8_t *label,
                        og_document **out)
{
    og_question *question = question_with("fit", NULL, NULL);
    ck_assert_int_eq(og_question_set_labels(question, count, task, NULL, label, NULL, &said),
                     OG_OK);
    og_status status = og_ask(NULL, question, out, &said);
    og_question_free(question);
    return status;
}

OG_TEST(test_fit)
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
    static const char *const methods[] = {"method=ml", "method=moments", "method=paper"};
    char labels[sizeof path + 16];
    snprintf(labels, sizeof labels, "labels=%s", path);
    for (int i = 0; i < 3; i++) {
        og_document *read = NULL, *given = NULL;
        og_question *arrays = question_with("fit", NULL, methods[i], NULL);
        og_status status = attempt("fit", NULL, NULL, &read, labels, methods[i], NULL);
        ck_assert_int_eq(og_question_set_labels(arrays, COUNT, task, NULL, label, NULL, &said),
                         OG_OK);
        ck_assert_int_eq(og_ask(NULL, arrays, &given, &said), status);
        ck_assert(status != OG_OK || og_number_at(read, "prior.0") > 0);
        ck_assert(status == OG_OK || i < 2);
        for (int k = 0; status == OG_OK && k < 2; k++) {
            const char *at = k == 0 ? "prior.0" : "prior.1";
            ck_assert_double_eq(og_number_at(read, at), og_number_at(given, at));
            at = k == 0 ? "classes.0" : "classes.1";
            ck_assert_str_eq(og_text_at(read, at), og_text_at(given, at));
        }
        og_document_free(read);
        og_document_free(given);
        og_question_free(arrays);
    }
    unlink(path);
    og_document *found = NULL;
    REFUSED(OG_BAD_INPUT, "optgap-public", attempt("fit", NULL, NULL, &found, labels, NULL));
    REFUSED(OG_BAD_INPUT, "\"labels\" FILE is missing", attempt("fit", NULL, NULL, &found, NULL));
    REFUSED(OG_BAD_INPUT, "no labels", fit_of(0, task, label, &found));
    REFUSED(OG_BAD_INPUT, "task 2 has no label",
            fit_of(4, (const uint32_t[]){0, 1, 3, 3}, label, &found));
    REFUSED(OG_BAD_INPUT, "0 or 1", fit_of(1, task, (const uint8_t[]){2}, &found));
    ck_assert_ptr_null(found);
    og_question *solve = question_with("solve", NULL, NULL);
    REFUSED(OG_BAD_INPUT, "solve does not support labels in arrays",
            og_question_set_labels(solve, COUNT, task, NULL, label, NULL, &said));
    og_question_free(solve);
}

/* A fit has a parameter for each class of the file. */
OG_TEST(test_fit_of_classes)
{
    enum { CLASSES_MAX = 10 };
    for (int32_t classes = 2; classes <= CLASSES_MAX; classes++) {
        char path[] = "/tmp/optgap-public-XXXXXX", labels[sizeof path + 16];
        FILE *file = fdopen(mkstemp(path), "w");
        ck_assert_ptr_nonnull(file);
        fputs("task\tworker\tlabel\n", file);
        for (int i = 0; i < 6 * 8 * classes; i++) { /* a class, and every eighth label another */
            int task = i / 8, other = i % 8 == 0;
            fprintf(file, "t%d\tw%d\tc%d\n", task, i, (task + other) % classes);
        }
        fclose(file);
        snprintf(labels, sizeof labels, "labels=%s", path);
        for (int i = 0; i < 2; i++) {
            og_document *fit =
                ask("fit", NULL, NULL, labels, i == 0 ? "method=moments" : "method=ml", NULL);
            const og_document *prior = og_document_find(fit, "prior");
            double first = og_document_number(og_document_child(prior, 0));
            ck_assert_int_eq(og_document_count(prior), classes);
            for (int32_t k = 0; k < classes; k++) { /* all classes are alike here */
                ck_assert_double_eq_tol(og_document_number(og_document_child(prior, k)), first,
                                        1e-6 * first);
            }
            og_document_free(fit);
        }
        unlink(path);
    }
}

/* The same labels as a file and as arrays. */
OG_TEST(test_replay)
{
    static const uint32_t task[] = {0, 0, 0, 1, 1, 1, 2, 2, 3},
                          worker[] = {0, 1, 2, 0, 1, 2, 0, 1, 0};
    static const uint8_t label[] = {1, 1, 0, 0, 0, 1, 1, 0, 1}, gold[] = {1, 0, 0, 1};
    enum { COUNT = sizeof label, TASKS = sizeof gold };
    char labels[] = "/tmp/optgap-public-XXXXXX", truth[] = "/tmp/optgap-public-XXXXXX";
    FILE *file = fdopen(mkstemp(labels), "w");
    ck_assert_ptr_nonnull(file);
    fputs("task\tworker\tlabel\n", file);
    for (int i = 0; i < COUNT; i++) {
        fprintf(file, "t%d\tw%d\t%d\n", (int)task[i], (int)worker[i], label[i]);
    }
    fclose(file);
    file = fdopen(mkstemp(truth), "w");
    ck_assert_ptr_nonnull(file);
    fputs("task\tlabel\n", file);
    for (int i = 0; i < TASKS; i++) {
        fprintf(file, "t%d\t%d\n", i, gold[i]);
    }
    fclose(file);
    char of_labels[sizeof labels + 16], of_gold[sizeof truth + 16];
    snprintf(of_labels, sizeof of_labels, "labels=%s", labels);
    snprintf(of_gold, sizeof of_gold, "gold=%s", truth);
    og_question *from[] = {
        question_with("replay", NULL, of_labels, of_gold, "budget=5", "at=0,3", "runs=30", NULL),
        question_with("replay", NULL, "budget=5", "at=0,3", "runs=30", NULL),
        question_with("replay", NULL, NULL)};
    for (int i = 1; i < 3; i++) {
        ck_assert_int_eq(og_question_set_labels(from[i], COUNT, task, worker, label, gold, &said),
                         OG_OK);
    }
    char *json[2];
    for (int i = 0; i < 2; i++) {
        og_document *report = answer_of(from[i], NULL);
        ck_assert_int_eq(og_document_count(og_document_find(report, "policies")), 5);
        ck_assert_int_eq((int)og_number_at(report, "runs"), 30);
        for (int32_t k = 0; k < og_document_count(og_document_find(report, "policies")); k++) {
            const og_document *row = policy_of(report, k);
            ck_assert(policy_accuracy(row) >= 0.25 && policy_accuracy(row) <= 1);
        }
        const og_document *policies = og_document_find(report, "policies");
        const og_document *points = og_document_find(og_document_child(policies, 0), "points");
        ck_assert_int_eq(og_document_count(points), 3);
        const og_document *none = og_document_child(points, 0), *all = og_document_child(points, 2);
        ck_assert_double_eq(og_document_number(og_document_find(none, "accuracy")), 0.5);
        ck_assert_double_eq(og_document_number(og_document_find(all, "accuracy")),
                            policy_accuracy(policy_of(report, 0)));
        ck_assert_double_eq(og_document_number(og_document_find(report, "workers")), 3);
        ck_assert_int_gt(asprintf(&json[i], "%.17g %.17g", policy_value(policy_of(report, 1)),
                                  og_number_at(policy_of(report, 1), "difference.mean")),
                         0);
        og_document_free(report);
    }
    ck_assert_str_eq(json[0], json[1]);
    free(json[0]);
    free(json[1]);
    unlink(labels);
    unlink(truth);
    og_document *report = answer_of(from[2], NULL);
    ck_assert_int_eq((int)og_number_at(report, "runs"), 20);
    og_document_free(report);
    report = NULL;
    REFUSED(OG_BAD_INPUT, "optgap-public", og_ask(NULL, from[0], &report, &said));
    ck_assert_int_eq(set_of(from[1], "budget=10"), OG_OK);
    REFUSED(OG_BAD_INPUT, "more than the 9 recorded labels", og_ask(NULL, from[1], &report, &said));
    ck_assert_int_eq(set_of(from[1], "budget=2"), OG_OK);
    REFUSED(OG_BAD_INPUT, "3 is more", og_ask(NULL, from[1], &report, &said));
    REFUSED(OG_BAD_INPUT, "ascending", set_of(from[1], "at=2,2"));
    ck_assert_int_eq(set_of(from[2], "prior=2x1,1"), OG_OK);
    REFUSED(OG_BAD_INPUT, "2x1,1", og_ask(NULL, from[2], &report, &said));
    ck_assert_int_eq(set_of(from[2], "prior=1,1"), OG_OK);
    const uint8_t wrong[] = {0, 1, 2, 0};
    ck_assert_int_eq(og_question_set_labels(from[2], COUNT, task, worker, label, wrong, &said),
                     OG_OK);
    REFUSED(OG_BAD_INPUT, "task 2", og_ask(NULL, from[2], &report, &said));
    ck_assert_int_eq(set_of(from[2], "problem=assignment"), OG_OK);
    REFUSED(OG_BAD_INPUT, "\"problem\" assignment does not support \"prior\"",
            og_ask(NULL, from[2], &report, &said));
    ck_assert_int_eq(set_of(from[1], "problem=labelers"), OG_OK);
    REFUSED(OG_BAD_INPUT, "requires files", og_ask(NULL, from[1], &report, &said));
    ck_assert_int_eq(set_of(from[1], of_labels), OG_OK);
    REFUSED(OG_BAD_INPUT, "in arrays and in files", og_ask(NULL, from[1], &report, &said));
    REFUSED(OG_BAD_INPUT, "\"gold\" FILE is missing",
            attempt("replay", NULL, NULL, &report, of_labels, NULL));
    REFUSED(OG_BAD_INPUT, "\"labels\" FILE is missing",
            attempt("replay", NULL, NULL, &report, of_gold, NULL));
    ck_assert_ptr_null(report);
    for (int i = 0; i < 3; i++) {
        og_question_free(from[i]);
    }
}

/* After every answer the session agrees with a query of the posteriors. */
OG_TEST(test_session)
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
        og_document *report = ask("query", now, NULL, NULL);
        ck_assert_int_eq(og_session_left(session), 4 - step);
        ck_assert_int_eq(og_session_q(session, q, error, optimal, &said), OG_OK);
        for (int i = 0; i < 4; i++) {
            ck_assert(fabs(q[i] - og_number_at(act_of(report, i), "q")) <=
                      error[i] + og_number_at(act_of(report, i), "error_bound"));
            ck_assert_int_eq(optimal[i], og_number_at(act_of(report, i), "optimal"));
        }
        og_document_free(report);
        og_problem_free(now);
        if (step < 3) {
            labels[outcome[step]][instance[step]]++;
            ck_assert_int_eq(og_session_label(session, instance[step], outcome[step], &said),
                             OG_OK);
        }
    }
    REFUSED(OG_BAD_INPUT, "no choice 4", og_session_label(session, 4, 0, &said));
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
