/*
 * Assigning workers to tasks by optgap.h: sessions and functions of the caller's beside the
 * definition, on random problems.
 */
#include "tests/oracle_assignment.h"
#include "tests/public_support.h"
#include "tests/random_problem.h"

OG_SUITE(public_assignment, 60);

enum { TEXT = 200 };

static const double tolerance = 1e-13; /* of the definition's long doubles, generously */

/* Labels so many that the definition takes a moment. */
static int32_t draw_problem(random_source *random, oracle_tasks *oracle)
{
    *oracle = (oracle_tasks){.tasks = 1 + (int32_t)random_below(random, ORACLE_TASKS),
                             .workers = 1 + (int32_t)random_below(random, 2),
                             .contexts = 1 + (int32_t)random_below(random, ORACLE_CONTEXTS),
                             .known = random_below(random, 2) == 0};
    int32_t used = 1;
    for (int32_t i = 0; i < oracle->tasks; i++) {
        oracle->context[i] = (int32_t)random_below(random, (uint32_t)oracle->contexts);
        used = oracle->context[i] >= used ? oracle->context[i] + 1 : used;
    }
    oracle->contexts = oracle->known ? oracle->contexts : used;
    for (int32_t k = 0; k < oracle->contexts * oracle->workers; k++) {
        const og_fraction *first = oracle->accuracy[k % oracle->workers];
        bool same =
            !oracle->known && k >= oracle->workers; /* a prior is the same in all contexts */
        oracle->accuracy[k][0] =
            same ? first[0] : og_fraction_make(1 + (int32_t)random_below(random, 9), 10);
        oracle->accuracy[k][1] =
            same ? first[1] : og_fraction_make(1 + (int32_t)random_below(random, 9), 10);
    }
    return 1 + (int32_t)random_below(random, 4);
}

static void add_workers(og_problem *problem, const oracle_tasks *oracle)
{
    char text[TEXT] = "", one[TEXT];
    for (int32_t k = 0; k < oracle->contexts * oracle->workers; k++) {
        const og_fraction *pair = oracle->accuracy[k];
        double first = og_fraction_double(pair[0]), second = og_fraction_double(pair[1]);
        if (oracle->known) {
            snprintf(one, sizeof one, "%s%.1f",
                     k == 0                     ? ""
                     : k % oracle->workers == 0 ? ";"
                                                : ",",
                     first);
            strcat(text, one);
        } else if (k < oracle->workers) {
            snprintf(one, sizeof one, "%.1f,%.1f", first, second);
            set(problem, "workers-prior", one);
        }
    }
    if (oracle->known) {
        set(problem, "accuracies", text);
    }
}

static og_problem *problem_for(const oracle_tasks *oracle, int32_t budget)
{
    char text[TEXT];
    og_problem *problem = problem_of("assignment");
    snprintf(text, sizeof text, "%d", (int)budget);
    set(problem, "budget", text);
    add_workers(problem, oracle);
    for (int32_t i = 0; i < oracle->tasks; i++) {
        snprintf(text, sizeof text, "%d", (int)oracle->context[i] + 1);
        add(problem, text);
    }
    return problem;
}

/* ---- sessions ---- */

/* One that can be asked; -1: there is none. */
static int32_t check_session(og_session *session, const oracle_tasks *oracle,
                             const oracle_table *at, int32_t left)
{
    double q[ORACLE_TASKS * ORACLE_WORKERS], error[ORACLE_TASKS * ORACLE_WORKERS];
    long double mass = oracle_evidence(oracle, at, -1), now = oracle_called(oracle, at) / mass;
    og_situation told;
    int32_t open = -1, count = 0;
    ck_assert_int_eq(og_session_left(session), left);
    og_session_situation(session, &told);
    ck_assert_int_eq(told.left, left);
    ck_assert_msg(og_session_q(session, q, error, NULL, &said) == OG_OK, "%s", said.text);
    for (int32_t k = 0; k < oracle->tasks * oracle->workers; k++) {
        int8_t label = at->label[k / oracle->workers][k % oracle->workers];
        ck_assert(told.positive[k] == (label > 0) && told.negative[k] == (label < 0));
        if (label != 0) {
            ck_assert(isnan(q[k]));
            REFUSED(OG_BAD_INPUT, "already", og_session_label(session, k, 0, &said));
            continue;
        }
        long double wanted = oracle_assignment_asked(oracle, at, left, k, NULL) / mass - now;
        ck_assert_msg(fabsl(q[k] - wanted) <= error[k] + tolerance, "%d: %.17g, not %.17Lg", (int)k,
                      q[k], wanted);
        ck_assert(error[k] < 1e-11);
        open = k;
        count++;
    }
    ck_assert_int_eq(told.choice_count, count);
    return open;
}

OG_TEST_LOOP(test_session, 0, test_cases(40))
{
    random_source random = random_start(test_seed(7900 + (uint64_t)_i));
    oracle_tasks oracle;
    oracle_table at = {{{0}}};
    og_session *session = NULL;
    int32_t budget = draw_problem(&random, &oracle), cells = oracle.tasks * oracle.workers;
    og_problem *problem = problem_for(&oracle, budget);
    ck_assert_msg(og_session_new(problem, NULL, &session, &said) == OG_OK, "%s", said.text);
    ck_assert_int_eq(og_session_size(session), cells);
    for (int32_t left = budget < cells ? budget : cells; left > 0; left--) {
        int32_t cell = check_session(session, &oracle, &at, left),
                negative = (int32_t)random_below(&random, 2);
        at.label[cell / oracle.workers][cell % oracle.workers] = negative != 0 ? -1 : 1;
        ck_assert_int_eq(og_session_label(session, cell, negative, &said), OG_OK);
    }
    REFUSED(OG_BAD_INPUT, "no label", og_session_q(session, NULL, NULL, NULL, &said));
    og_session_free(session);
    og_problem_free(problem);
}

OG_TEST(test_labels_that_cannot_be)
{
    og_problem *problem = problem_of("assignment");
    og_session *session = NULL;
    set(problem, "budget", "3");
    set(problem, "accuracies", "1,1,0.6");
    add(problem, "1");
    ck_assert_int_eq(og_session_new(problem, NULL, &session, &said), OG_OK);
    ck_assert_int_eq(og_session_label(session, 0, 0, &said), OG_OK);
    ck_assert_int_eq(og_session_q(session, NULL, NULL, NULL, &said), OG_OK);
    ck_assert_int_eq(og_session_label(session, 1, 1, &said), OG_OK);
    REFUSED(OG_BAD_INPUT, "impossible", og_session_q(session, NULL, NULL, NULL, &said));
    og_session_free(session);
    og_problem_free(problem);
}

/* ---- functions of the caller's ---- */

/* Distinguishes what the model does not: signs, interchangeable tasks and workers; some ties. */
static double crooked(int positive, int negative, int task, int worker, int left)
{
    return 2 * positive - negative + (task == 1) + (left == 2 ? worker : 0);
}

static void cells_crooked(const oracle_tasks *oracle, const oracle_table *at, int32_t left,
                          const int32_t *cell, int32_t count, double *answer)
{
    for (int32_t k = 0; k < count; k++) {
        int32_t i = cell[k] / oracle->workers, positive = 0, negative = 0;
        for (int32_t j = 0; j < oracle->workers; j++) {
            positive += at->label[i][j] > 0;
            negative += at->label[i][j] < 0;
        }
        answer[k] = crooked(positive, negative, i, cell[k] % oracle->workers, left);
    }
}

static og_status own_crooked(void *user, const og_situation *now, double *answer, bool *weights,
                             og_message *message)
{
    (void)user, (void)weights, (void)message;
    for (int32_t k = 0; k < now->choice_count; k++) {
        const og_label_choice *choice = &now->choice[k];
        int positive = 0, negative = 0;
        for (int32_t j = 0; j < now->worker_count; j++) {
            positive += now->positive[choice->instance * now->worker_count + j];
            negative += now->negative[choice->instance * now->worker_count + j];
        }
        answer[k] = crooked(positive, negative, choice->instance, choice->worker, now->left);
    }
    return OG_OK;
}

OG_TEST_LOOP(test_function, 0, test_cases(40))
{
    random_source random = random_start(test_seed(8000 + (uint64_t)_i));
    oracle_tasks oracle;
    const oracle_table none = {{{0}}};
    int32_t budget = draw_problem(&random, &oracle);
    og_problem *problem = problem_for(&oracle, budget);
    og_policy *own = NULL;
    ck_assert_int_eq(og_policy_decide("crooked", own_crooked, NULL, &own, &said), OG_OK);
    const char *threads = _i % 2 == 0 ? "threads=1" : "threads=2";
    og_document *report = ask("compare", problem, POLICIES(own), threads, NULL);
    const og_document *row = policy_of(report, 0);
    ck_assert_msg(og_text_at(row, "limit") == NULL, "%s", og_text_at(row, "limit"));
    ck_assert_double_eq_tol(policy_value(row),
                            (double)oracle_assignment(&oracle, &none, budget, cells_crooked),
                            policy_error(row) + tolerance);
    ck_assert_double_eq_tol(og_number_at(report, "optimal.value"),
                            (double)oracle_assignment(&oracle, &none, budget, NULL),
                            og_number_at(report, "optimal.error_bound") + tolerance);
    ck_assert(policy_error(row) < 1e-11);
    og_document_free(report);
    report = ask("query", problem, POLICIES(own), threads, NULL);
    bool any = false;
    for (int32_t k = 0; k < og_document_count(acts_of(report)); k++) {
        any = any || is_picked(report, 0, k);
    }
    ck_assert(any);
    og_document_free(report);
    og_policy_free(own);
    og_problem_free(problem);
}

OG_TEST(test_functions_that_are_refused)
{
    og_policy *own = NULL;
    og_document *report = NULL;
    ck_assert_int_eq(og_policy_decide("crooked", own_crooked, NULL, &own, &said), OG_OK);
    og_problem *problem = problem_of("assignment");
    set(problem, "budget", "2");
    set(problem, "accuracies", "0.9,0.6");
    add(problem, "2x1");
    REFUSED(OG_BAD_INPUT, "a function", attempt("simulate", problem, POLICIES(own), &report, NULL));
    og_policy_free(own);
    og_problem_free(problem);
}
