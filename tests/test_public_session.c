/* Sessions and recorded labels by optgap.h: beside questions about each state, and files beside
 * arrays.
 */
#include <pthread.h>
#include <unistd.h>

#include "tests/public_support.h"

OG_SUITE(public_session, 60);

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
    for (int i = OG_FIT_MOMENTS; i <= OG_FIT_PAPER; i++) {
        og_fit_method method = (og_fit_method)i;
        double prior[OG_FIT_CLASSES_MAX] = {0}, a = 0, b = 0;
        int32_t count = 2;
        og_status status = og_fit_file(path, NULL, method, prior, &count, &said);
        ck_assert_int_eq(og_fit_labels(COUNT, task, label, method, &a, &b, NULL), status);
        ck_assert(count == 2 && prior[0] == a && prior[1] == b);
        ck_assert(status != OG_OK || a > 0);
        ck_assert(status == OG_OK || method != OG_FIT_PAPER);
    }
    unlink(path);
    double a = 7, b = 7;
    int32_t count = 7;
    REFUSED(OG_BAD_INPUT, "optgap-public", og_fit_file(path, NULL, OG_FIT_ML, &a, &count, &said));
    REFUSED(OG_BAD_INPUT, "no labels", og_fit_labels(0, task, label, OG_FIT_ML, &a, &b, &said));
    REFUSED(OG_BAD_INPUT, "task 2 has no label",
            og_fit_labels(4, (const uint32_t[]){0, 1, 3, 3}, label, OG_FIT_ML, &a, &b, &said));
    REFUSED(OG_BAD_INPUT, "0 or 1",
            og_fit_labels(1, task, (const uint8_t[]){2}, OG_FIT_ML, &a, &b, &said));
    ck_assert(a == 7 && b == 7 && count == 7);
}

/* A fit has a parameter for each class of the file. */
OG_TEST(test_fit_of_classes)
{
    for (int32_t classes = 2; classes <= OG_FIT_CLASSES_MAX; classes++) {
        char path[] = "/tmp/optgap-public-XXXXXX";
        FILE *file = fdopen(mkstemp(path), "w");
        double prior[OG_FIT_CLASSES_MAX + 1] = {[OG_FIT_CLASSES_MAX] = 7};
        int32_t count = 0;
        ck_assert_ptr_nonnull(file);
        fputs("task\tworker\tlabel\n", file);
        for (int i = 0; i < 6 * 8 * classes; i++) { /* a class, and every eighth label another */
            int task = i / 8, other = i % 8 == 0;
            fprintf(file, "t%d\tw%d\tc%d\n", task, i, (task + other) % classes);
        }
        fclose(file);
        for (int i = OG_FIT_MOMENTS; i <= OG_FIT_ML; i++) {
            ck_assert_int_eq(og_fit_file(path, NULL, (og_fit_method)i, prior, &count, &said),
                             OG_OK);
            ck_assert_int_eq(count, classes);
            for (int32_t k = 0; k < classes; k++) { /* all classes are alike here */
                ck_assert_double_eq_tol(prior[k], prior[0], 1e-6 * prior[0]);
            }
        }
        ck_assert(prior[OG_FIT_CLASSES_MAX] == 7);
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
    const int32_t at[] = {0, 3};
    og_recording from[2] = {{.labels_file = labels, .gold_file = truth},
                            {.count = COUNT, .task = task, .worker = worker, .label = label}};
    from[1].gold = gold;
    og_request request = request_of(NULL, 0);
    request.runs = 30;
    char *json[2];
    for (int i = 0; i < 2; i++) {
        og_document *report = NULL;
        from[i].budget = 5;
        from[i].at = at;
        from[i].at_count = 2;
        ck_assert_msg(og_replay(&from[i], &request, &report, &said) == OG_OK, "%s", said.text);
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
    og_document *report = NULL;
    ck_assert_int_eq(og_replay(&from[1], NULL, &report, &said), OG_OK);
    ck_assert_int_eq((int)og_number_at(report, "runs"), 20);
    og_document_free(report);
    report = NULL;
    REFUSED(OG_BAD_INPUT, "optgap-public", og_replay(&from[0], &request, &report, &said));
    from[1].budget = 10;
    REFUSED(OG_BAD_INPUT, "more than the 9 recorded labels",
            og_replay(&from[1], &request, &report, &said));
    from[1].budget = 2;
    REFUSED(OG_BAD_INPUT, "3 is more", og_replay(&from[1], &request, &report, &said));
    from[1].at = (const int32_t[]){2, 2};
    REFUSED(OG_BAD_INPUT, "larger than", og_replay(&from[1], &request, &report, &said));
    from[1].at_count = 0;
    from[1].prior = "2x1,1";
    REFUSED(OG_BAD_INPUT, "2x1,1", og_replay(&from[1], &request, &report, &said));
    from[1].prior = NULL;
    from[1].gold = (const uint8_t[]){0, 1, 2, 0};
    REFUSED(OG_BAD_INPUT, "task 2", og_replay(&from[1], &request, &report, &said));
    ck_assert_ptr_null(report);
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
        og_document *report = ask(og_query, now, NULL);
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
