/*
 * Coupled families by optgap.h: sessions and functions of the caller's beside the definitions,
 * integrated over all soft labels and reliabilities by a rule that is exact for polynomials.
 */
#include <pthread.h>
#include <unistd.h>

#include "tests/oracle_features.h"
#include "tests/public_support.h"

OG_SUITE(public_coupled, 60);

/* ---- workers by their definition: theta of each instance uniform, rho of each worker Beta ---- */

enum { INSTANCES = 2, WORKERS = 2, PAIRS = 4, HALF = 6, POINTS = 2 * HALF };

static const char *const worker_word[] = {"4,1", "1,2"};
static const double worker_prior[WORKERS][2] = {{4, 1}, {1, 2}};

typedef struct {
    int32_t positive[PAIRS], negative[PAIRS];
} label_counts;

/* Gauss-Legendre on [0, 1/2] and on [1/2, 1], six points each: exact to the degree 11. */
static void make_points(double x[POINTS], double weight[POINTS])
{
    static const double at[] = {0.2386191860831969, 0.6612093864662645, 0.9324695142031521};
    static const double w[] = {0.4679139345726910, 0.3607615730481386, 0.1713244923791704};
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < HALF; i++) {
            double point = i < 3 ? -at[2 - i] : at[i - 3];
            x[half * HALF + i] = 0.25 * (1 + point) + 0.5 * half;
            weight[half * HALF + i] = 0.25 * w[i < 3 ? 2 - i : i - 3];
        }
    }
}

static double density(int worker, double rho)
{
    double c = worker_prior[worker][0], d = worker_prior[worker][1];
    return pow(rho, c - 1) * pow(1 - rho, d - 1) * tgamma(c + d) / (tgamma(c) * tgamma(d));
}

/* Pr(labels in one order and theta_i on side 0 or 1) for these reliabilities. */
static double likelihood(const label_counts *counts, int i, int side, const double rho[WORKERS],
                         const double *x, const double *weight)
{
    double sum = 0;
    for (int t = side * HALF; t < (side + 1) * HALF; t++) {
        double term = weight[t];
        for (int j = 0; j < WORKERS; j++) {
            double p = rho[j] * x[t] + (1 - rho[j]) * (1 - x[t]);
            term *= pow(p, counts->positive[i * WORKERS + j]) *
                    pow(1 - p, counts->negative[i * WORKERS + j]);
        }
        sum += term;
    }
    return sum;
}

/* The evidence, and with the side of each instance. */
static double evidence(const label_counts *counts, double part[INSTANCES][2])
{
    double x[POINTS], weight[POINTS], sum = 0;
    make_points(x, weight);
    memset(part, 0, INSTANCES * sizeof *part);
    for (int a = 0; a < POINTS * POINTS; a++) {
        const double rho[WORKERS] = {x[a % POINTS], x[a / POINTS]};
        double w =
            weight[a % POINTS] * weight[a / POINTS] * density(0, rho[0]) * density(1, rho[1]);
        double like[INSTANCES][2];
        for (int i = 0; i < INSTANCES; i++) {
            like[i][0] = likelihood(counts, i, 0, rho, x, weight);
            like[i][1] = likelihood(counts, i, 1, rho, x, weight);
        }
        double all = w * (like[0][0] + like[0][1]) * (like[1][0] + like[1][1]);
        sum += all;
        for (int i = 0; i < INSTANCES; i++) {
            for (int side = 0; side < 2; side++) {
                part[i][side] += all * like[i][side] / (like[i][0] + like[i][1]);
            }
        }
    }
    return sum;
}

static double final_value(const label_counts *counts)
{
    double part[INSTANCES][2], sum = 0;
    evidence(counts, part);
    for (int i = 0; i < INSTANCES; i++) {
        sum += fmax(part[i][0], part[i][1]);
    }
    return sum;
}

typedef struct {
    og_decide *by; /* NULL: the optimum; else ties are random */
    bool once;
} test_rule;

static double value_of(const test_rule *regret, const label_counts *at, int left);

static double value_after(const test_rule *rule, const label_counts *at, int pair, int left)
{
    label_counts up = *at, down = *at;
    up.positive[pair]++;
    down.negative[pair]++;
    return value_of(rule, &up, left - 1) + value_of(rule, &down, left - 1);
}

/* Not normalised: times the evidence. */
static double value_of(const test_rule *rule, const label_counts *at, int left)
{
    og_label_choice choice[PAIRS];
    double answer[PAIRS], best = -INFINITY, sum = 0;
    int32_t count = 0, tied = 0;
    bool weights = false;
    for (int k = 0; left > 0 && k < PAIRS; k++) {
        if (!rule->once || at->positive[k] + at->negative[k] == 0) {
            choice[count++] = (og_label_choice){k / WORKERS, k % WORKERS, 1};
        }
    }
    if (count == 0) {
        return final_value(at);
    }
    const og_situation now = {left,         4,     INSTANCES, WORKERS, at->positive,
                              at->negative, count, choice,    0};
    if (rule->by != NULL) {
        rule->by(NULL, &now, answer, &weights, NULL);
    }
    for (int k = 0; k < count; k++) {
        int pair = choice[k].instance * WORKERS + choice[k].worker;
        double value = value_after(rule, at, pair, left);
        double index = rule->by != NULL ? answer[k] : value;
        tied = index > best ? 1 : tied + (index == best);
        sum = index > best ? value : index == best ? sum + value : sum;
        best = fmax(best, index);
    }
    return rule->by != NULL ? sum / tied : best;
}

/* ---- the problems ---- */

static og_problem *workers_problem(const char *budget, bool once)
{
    og_problem *problem = problem_of("workers");
    set(problem, "budget", budget);
    set(problem, "workers-prior", worker_word[0]);
    set(problem, "workers-prior", worker_word[1]);
    if (once) {
        set(problem, "once", NULL);
    }
    add(problem, "2x1,1");
    return problem;
}

static const double tolerance = 1e-11; /* of the definition's doubles: 2 * 4^4 sums of 1e4 terms */

/* ---- sessions ---- */

static void check_session(og_session *session, const test_rule *rule, const label_counts *at,
                          int left)
{
    double q[PAIRS], error[PAIRS], part[INSTANCES][2], best = 0;
    bool optimal[PAIRS];
    double mass = evidence(at, part), now = final_value(at) / mass;
    ck_assert_int_eq(og_session_left(session), left);
    ck_assert_msg(og_session_q(session, q, error, optimal, &said) == OG_OK, "%s", said.text);
    og_situation told;
    og_session_situation(session, &told);
    ck_assert_int_eq(told.left, left);
    ck_assert_int_eq(told.worker_count, WORKERS);
    int32_t open = 0;
    for (int k = 0; k < PAIRS; k++) {
        ck_assert_int_eq(told.positive[k], at->positive[k]);
        ck_assert_int_eq(told.negative[k], at->negative[k]);
        if (rule->once && at->positive[k] + at->negative[k] > 0) {
            ck_assert(isnan(q[k]) && !optimal[k]);
            REFUSED(OG_BAD_INPUT, "already", og_session_label(session, k, 0, &said));
            continue;
        }
        ck_assert_int_eq(told.choice[open].instance, k / WORKERS);
        ck_assert_int_eq(told.choice[open++].worker, k % WORKERS);
        double wanted = value_after(rule, at, k, left) / mass - now;
        ck_assert_msg(fabs(q[k] - wanted) <= error[k] + tolerance, "%d: %.17g not %.17g", k, q[k],
                      wanted);
        ck_assert(error[k] < 1e-9);
        best = fmax(best, wanted);
    }
    ck_assert_int_eq(told.choice_count, open);
    for (int k = 0; k < PAIRS; k++) {
        ck_assert(!optimal[k] || q[k] + error[k] >= best - error[k] - tolerance);
    }
}

OG_TEST_LOOP(test_session_of_workers, 0, 2)
{
    static const int32_t pair[] = {3, 0, 2}, outcome[] = {1, 0, 1};
    const test_rule optimum = {.once = _i == 1};
    og_problem *problem = workers_problem("4", optimum.once);
    og_session *session = NULL;
    label_counts at = {{0}, {0}};
    ck_assert_msg(og_session_new(problem, NULL, &session, &said) == OG_OK, "%s", said.text);
    ck_assert_int_eq(og_session_size(session), PAIRS);
    for (int step = 0; step <= 3; step++) {
        check_session(session, &optimum, &at, 4 - step);
        if (step < 3) {
            (outcome[step] == 0 ? at.positive : at.negative)[pair[step]]++;
            ck_assert_int_eq(og_session_label(session, pair[step], outcome[step], &said), OG_OK);
        }
    }
    REFUSED(OG_BAD_INPUT, "no choice 4", og_session_label(session, 4, 0, &said));
    REFUSED(OG_BAD_INPUT, "0 to 1", og_session_label(session, 1, 2, &said));
    ck_assert_int_eq(og_session_label(session, 1, 1, &said), OG_OK);
    REFUSED(OG_BAD_INPUT, "no label", og_session_q(session, NULL, NULL, NULL, &said));
    og_session_free(session);
    og_problem_free(problem);
}

/* Four pairs, each labelled once: more labels than that cannot be given. */
OG_TEST(test_session_ends_with_the_pairs)
{
    og_problem *problem = workers_problem("9", true);
    og_session *session = NULL;
    og_situation told;
    ck_assert_int_eq(og_session_new(problem, NULL, &session, &said), OG_OK);
    for (int k = 0; k < PAIRS; k++) {
        ck_assert_int_eq(og_session_left(session), PAIRS - k);
        ck_assert_int_eq(og_session_q(session, NULL, NULL, NULL, &said), OG_OK);
        ck_assert_int_eq(og_session_label(session, k, k % 2, &said), OG_OK);
    }
    og_session_situation(session, &told);
    ck_assert_int_eq(told.choice_count, 0);
    ck_assert_int_eq(told.left, 0);
    og_session_free(session);
    og_problem_free(problem);
}

/* A query with a history has the values of the state after these labels. */
OG_TEST(test_history_of_workers)
{
    static const char *const history[] = {"2@2-", "2@2- 1@1+", "2@2-\t1@1+,2@1-"};
    static const int32_t pair[] = {3, 0, 2}, outcome[] = {1, 0, 1};
    const test_rule optimum = {.by = NULL};
    double part[INSTANCES][2];
    og_problem *problem = workers_problem("4", false);
    label_counts at = {{0}, {0}};
    for (int step = 0; step < 3; step++) {
        (outcome[step] == 0 ? at.positive : at.negative)[pair[step]]++;
        char option[64];
        snprintf(option, sizeof option, "history=%s", history[step]);
        double mass = evidence(&at, part), now = final_value(&at) / mass;
        og_document *report = ask("query", problem, NULL, option, NULL);
        ck_assert_int_eq(og_document_count(acts_of(report)), PAIRS);
        for (int k = 0; k < PAIRS; k++) {
            double wanted = value_after(&optimum, &at, k, 3 - step) / mass - now;
            ck_assert_double_eq_tol(og_number_at(act_of(report, k), "q"), wanted,
                                    og_number_at(act_of(report, k), "error_bound") + tolerance);
        }
        og_document_free(report);
    }
    og_problem_free(problem);
}

/* ---- features: three instances, the first and the last alike; labels so far ---- */

enum { ROWS = 3 };

static const double rows[ROWS] = {1, -0.5, 1};
static const int32_t positive_before[ROWS] = {1, 0, 0}, negative_before[ROWS] = {0, 1, 0};

static og_problem *features_problem(const char *budget, char path[])
{
    FILE *file = fdopen(mkstemp(path), "w");
    ck_assert_ptr_nonnull(file);
    fputs("x1\tpositive\tnegative\n", file);
    for (int i = 0; i < ROWS; i++) {
        fprintf(file, "%g\t%d\t%d\n", rows[i], positive_before[i], negative_before[i]);
    }
    fclose(file);
    og_problem *problem = problem_of("features");
    set(problem, "budget", budget);
    set(problem, "features", path);
    return problem;
}

OG_TEST(test_session_of_features)
{
    static const int32_t instance[] = {1, 2}, outcome[] = {0, 1};
    static const double mean = 0, sd = 1;
    char path[] = "/tmp/optgap-public-XXXXXX";
    int32_t positive[ROWS], negative[ROWS];
    memcpy(positive, positive_before, sizeof positive);
    memcpy(negative, negative_before, sizeof negative);
    og_problem *problem = features_problem("3", path);
    og_session *session = NULL;
    ck_assert_msg(og_session_new(problem, NULL, &session, &said) == OG_OK, "%s", said.text);
    ck_assert_int_eq(og_session_size(session), ROWS);
    for (int step = 0; step <= 2; step++) {
        double q[ROWS], error[ROWS];
        og_features_problem now = {.instance_count = ROWS,
                                   .feature_count = 1,
                                   .row = rows,
                                   .mean = &mean,
                                   .sd = &sd,
                                   .positive = positive,
                                   .negative = negative};
        double before = oracle_features_value(&now, NULL);
        now.budget = 3 - step;
        ck_assert_int_eq(og_session_q(session, q, error, NULL, &said), OG_OK);
        for (int i = 0; i < ROWS; i++) {
            double wanted = oracle_features_first(&now, i) - before;
            ck_assert_msg(fabs(q[i] - wanted) <= error[i] + 1e-9, "%d: %.12g not %.12g", i, q[i],
                          wanted);
        }
        og_situation told;
        og_session_situation(session, &told);
        ck_assert_int_eq(told.worker_count, 1);
        ck_assert_mem_eq(told.positive, positive, sizeof positive);
        ck_assert_mem_eq(told.negative, negative, sizeof negative);
        if (step < 2) {
            (outcome[step] == 0 ? positive : negative)[instance[step]]++;
            ck_assert_int_eq(og_session_label(session, instance[step], outcome[step], &said),
                             OG_OK);
        }
    }
    og_session_free(session);
    og_problem_free(problem);
    unlink(path);
}

OG_TEST(test_no_session_where_labels_take_time)
{
    og_problem *problem = problem_of("delayed");
    og_session *session = NULL;
    set(problem, "workers", "3");
    set(problem, "arrival-rate", "1");
    set(problem, "service-rate", "1");
    add(problem, "2x1,1");
    REFUSED(OG_BAD_INPUT, "a session does not support",
            og_session_new(problem, NULL, &session, &said));
    ck_assert_ptr_null(session);
    og_problem_free(problem);
}

/* ---- functions of the caller's ---- */

/* Distinguishes what the model does not: positive and negative labels, the first and the second
 * instance; some ties. */
static og_status own_crooked(void *user, const og_situation *now, double *answer, bool *weights,
                             og_message *message)
{
    (void)user, (void)weights, (void)message;
    for (int32_t k = 0; k < now->choice_count; k++) {
        const og_label_choice *choice = &now->choice[k];
        int32_t at = choice->instance * now->worker_count + choice->worker;
        answer[k] = 2 * now->positive[at] - now->negative[at] + (choice->instance == 1) +
                    (now->left == 2 ? choice->worker : 0);
    }
    return OG_OK;
}

OG_TEST_LOOP(test_function_of_workers, 0, 4)
{
    const test_rule rule = {.by = own_crooked, .once = _i % 2 == 1};
    const test_rule optimum = {.once = rule.once};
    const label_counts none = {{0}, {0}};
    const int budget = rule.once ? 3 : 4;
    og_problem *problem = workers_problem(rule.once ? "3" : "4", rule.once);
    og_policy *own = NULL;
    ck_assert_int_eq(og_policy_decide("crooked", own_crooked, NULL, &own, &said), OG_OK);
    const char *threads = _i / 2 == 0 ? "threads=1" : "threads=2";
    og_document *report = ask("compare", problem, POLICIES(own), threads, NULL);
    const og_document *row = policy_of(report, 0);
    ck_assert_msg(og_text_at(row, "limit") == NULL, "%s", og_text_at(row, "limit"));
    ck_assert_double_eq_tol(policy_value(row), value_of(&rule, &none, budget),
                            policy_error(row) + tolerance);
    ck_assert_double_eq_tol(og_number_at(report, "optimal.value"),
                            value_of(&optimum, &none, budget),
                            og_number_at(report, "optimal.error_bound") + tolerance);
    ck_assert(og_number_at(row, "gap") > 1e-6 && policy_error(row) < 1e-9);
    og_document_free(report);
    report = ask("query", problem, POLICIES(own), threads, NULL);
    ck_assert_int_eq(og_document_count(acts_of(report)),
                     2); /* the first instance, by either worker */
    ck_assert(is_picked(report, 0, 0) && is_picked(report, 0, 1));
    og_document_free(report);
    og_policy_free(own);
    og_problem_free(problem);
}

static og_status own_uniform(void *user, const og_situation *now, double *answer, bool *weights,
                             og_message *message)
{
    pthread_t *home = user;
    (void)message;
    *weights = true;
    ck_assert(pthread_equal(*home, pthread_self()));
    ck_assert_int_eq(now->positive[0] + now->negative[0] + now->positive[1] + now->negative[1],
                     2 + 3 - now->left);
    ck_assert_int_eq(now->positive[2] + now->negative[2], 0);
    for (int32_t k = 0; k < now->choice_count; k++) {
        answer[k] = (double)now->choice[k].copies;
    }
    return OG_OK;
}

OG_TEST(test_function_of_features)
{
    char path[] = "/tmp/optgap-public-XXXXXX";
    pthread_t home = pthread_self();
    og_problem *problem = features_problem("3", path);
    og_policy *own = NULL;
    ck_assert_int_eq(og_policy_decide("own", own_uniform, &home, &own, &said), OG_OK);
    og_document *report =
        ask("compare", problem, POLICIES(own), "policy=uniform", "threads=1", NULL);
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(og_text_at(policy_of(report, i), "limit") == NULL, "%s",
                      og_text_at(policy_of(report, i), "limit"));
    }
    ck_assert_double_eq(policy_value(policy_of(report, 0)), policy_value(policy_of(report, 1)));
    og_document_free(report);
    report = ask("query", problem, POLICIES(own), "policy=uniform", "threads=1", NULL);
    ck_assert_int_eq(og_document_count(acts_of(report)), ROWS);
    og_document_free(report);
    og_policy_free(own);
    og_problem_free(problem);
    unlink(path);
}

static og_status own_failing(void *user, const og_situation *now, double *answer, bool *weights,
                             og_message *message)
{
    (void)now, (void)answer, (void)weights;
    snprintf(message->text, sizeof message->text, "%s", (const char *)user);
    return OG_FAILED;
}

OG_TEST(test_functions_that_fail_or_are_refused)
{
    static char words[] = "the moon is in the way";
    og_policy *own = NULL;
    og_document *report = NULL;
    REFUSED(OG_BAD_INPUT, "choose", og_policy_decide("own", NULL, NULL, &own, &said));
    REFUSED(OG_BAD_INPUT, "already", og_policy_decide("kg", own_failing, NULL, &own, &said));
    ck_assert_int_eq(og_policy_decide("own", own_failing, words, &own, &said), OG_OK);
    og_problem *problem = workers_problem("3", false);
    REFUSED(OG_FAILED, "the moon", attempt("compare", problem, POLICIES(own), &report, NULL));
    REFUSED(OG_FAILED, "the moon", attempt("query", problem, POLICIES(own), &report, NULL));
    og_problem_free(problem);
    problem = instances("3", "2x1,1");
    REFUSED(OG_BAD_INPUT, "function for other problems, and independent instances support",
            attempt("compare", problem, POLICIES(own), &report, NULL));
    og_problem_free(problem);
    problem = problem_of("delayed");
    set(problem, "workers", "3");
    set(problem, "arrival-rate", "1");
    set(problem, "service-rate", "1");
    add(problem, "2x1,1");
    REFUSED(OG_BAD_INPUT, "own", attempt("compare", problem, POLICIES(own), &report, NULL));
    ck_assert_ptr_null(report);
    og_problem_free(problem);
    og_policy_free(own);
}
