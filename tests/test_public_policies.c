/* Policies of optgap.h that are functions, compared with the named ones that they copy, and the
 * threads that call them. */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/public_support.h"

OG_SUITE(public_policies, 60);

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

/* Tracks the calls in progress and their threads. */
typedef struct {
    _Atomic int inside, most, calls, elsewhere;
    pthread_t home;
    og_status fail;
    const char *words;
} visit_log;

static void enter(visit_log *visits)
{
    int inside = ++visits->inside;
    if (inside > visits->most) {
        visits->most = inside;
    }
    visits->calls++;
    visits->elsewhere += !pthread_equal(pthread_self(), visits->home);
}

static og_status own_opt_kg(void *user, const og_plugin_state *state, double *answer, bool *weights,
                            og_message *message)
{
    visit_log *visits = user;
    enter(visits);
    ck_assert(!*weights);
    ck_assert(state->left >= 1 && state->left <= state->budget);
    for (int32_t i = 0; i < state->count; i++) {
        const og_plugin_group *group = &state->group[i];
        double a = group->parameter[0], b = group->parameter[1];
        ck_assert_ptr_null(group->labels);
        answer[i] = fmax(called(a + 1, b), called(a, b + 1)) - called(a, b);
    }
    if (visits->words != NULL) {
        snprintf(message->text, sizeof message->text, "%s", visits->words);
    }
    visits->inside--;
    return visits->fail;
}

static og_status own_uniform(void *user, const og_plugin_state *state, double *answer,
                             bool *weights, og_message *message)
{
    visit_log *visits = user;
    enter(visits);
    (void)message;
    *weights = true;
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = (double)state->group[i].copies;
        ck_assert_ptr_nonnull(state->group[i].labels);
    }
    visits->inside--;
    return OG_OK;
}

static bool own_watch(void *user, const og_progress *progress)
{
    enter(user);
    ck_assert_double_ge(progress->seconds, 0);
    ((visit_log *)user)->inside--;
    return true;
}

static og_policy *function(const char *name, visit_log *visits, bool labels)
{
    og_policy *policy = NULL;
    const og_callback callback = {
        .user = visits, .looks_at_labels = labels, .choose = labels ? own_uniform : own_opt_kg};
    ck_assert_int_eq(og_policy_callback(name, &callback, &policy, &said), OG_OK);
    visits->home = pthread_self();
    return policy;
}

/* To the bit; or within what rounding may do, where states are told apart that the named policy
 * takes together, so that sums have another order. */
static void same(const og_document *report, int32_t rows, bool bits)
{
    for (int32_t i = 0; i < rows; i++) {
        const og_document *x = policy_of(report, i), *y = policy_of(report, rows + i);
        double error = bits ? 0 : policy_error(x) + policy_error(y);
        ck_assert_ptr_null(og_text_at(x, "limit"));
        ck_assert_ptr_null(og_text_at(y, "limit"));
        ck_assert(fabs(policy_value(x) - policy_value(y)) <= error);
        ck_assert(isnan(og_number_at(x, "gain")) ||
                  fabs(og_number_at(x, "gain") - og_number_at(y, "gain")) <= error);
    }
}

OG_TEST(test_a_function_is_the_policy_it_copies)
{
    visit_log visits = {.inside = 0};
    og_policy *own = function("own", &visits, false);
    og_problem *problem = instances("6", "3x1,1");
    add(problem, "2,1");
    static const char all[] = "ties=random,first,best,worst";
    og_document *report = ask("compare", problem, POLICIES(own), "policy=opt-kg", all, NULL);
    same(report, 4, false);
    ck_assert_str_eq(og_text_at(policy_of(report, 0), "name"), "own"); /* in the order given */
    og_document_free(report);
    report = ask("compare", problem, POLICIES(own), "policy=opt-kg", all, "arithmetic=exact", NULL);
    same(report, 4, true);
    og_document_free(report);
    report = ask("simulate", problem, POLICIES(own), "policy=opt-kg", "ties=random,first", NULL);
    same(report, 2, true);
    og_document_free(report);
    report = ask("query", problem, POLICIES(own), "policy=opt-kg", NULL);
    for (int32_t i = 0; i < og_document_count(acts_of(report)); i++) {
        ck_assert_int_eq(is_picked(report, 0, i), is_picked(report, 1, i));
    }
    og_document_free(report);
    ck_assert_int_gt(visits.calls, 0);
    ck_assert_int_eq(visits.most, 1);
    og_problem_free(problem);
    og_policy_free(own);
}

/* The mean nearest to 1/2: in doubles, and in fractions of 720720, which all sums up to 16 divide.
 */
static og_status nearest_mean(void *user, const og_plugin_state *state, double *answer,
                              bool *weights, og_message *message)
{
    (void)weights, (void)message;
    for (int32_t i = 0; i < state->count; i++) {
        double a = state->group[i].parameter[0], b = state->group[i].parameter[1];
        answer[i] = *(bool *)user ? -fabs(720720 * a / (a + b) - 360360) : -fabs(a / (a + b) - 0.5);
    }
    return OG_OK;
}

OG_TEST(test_near_indices_tie)
{
    bool whole[2] = {false, true};
    og_policy *own[2];
    og_problem *problem = instances("11", "5x1,1");
    add(problem, "2x3,2");
    for (int i = 0; i < 2; i++) {
        const og_callback callback = {.user = &whole[i], .choose = nearest_mean};
        const char *names[] = {"doubles", "whole"};
        ck_assert_int_eq(og_policy_callback(names[i], &callback, &own[i], &said), OG_OK);
    }
    og_document *report = ask("compare", problem, POLICIES(own[0], own[1]), NULL);
    same(report, 1, true);
    og_document_free(report);
    report = ask("compare", problem, POLICIES(own[0], own[1]), "tie-tolerance=0", NULL);
    ck_assert(fabs(policy_value(policy_of(report, 0)) - policy_value(policy_of(report, 1))) > 1e-6);
    og_document_free(report);
    og_problem_free(problem);
    og_policy_free(own[0]);
    og_policy_free(own[1]);
}

OG_TEST(test_functions_come_one_at_a_time)
{
    visit_log visits = {.inside = 0};
    og_policy *x = function("x", &visits, false), *y = function("y", &visits, true);
    og_problem *problem = instances("9", "4x1,1");
    static const char *const all[] = {"compare", "compare", "query", "simulate", "solve", "bound"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        og_question *asked = question_with(all[i], i < 4 ? POLICIES(x, y, x, y) : NULL,
                                           i == 0 ? "threads=4" : "threads=1", NULL);
        og_question_watch(asked, own_watch, &visits);
        og_document_free(answer_of(asked, problem));
        og_question_free(asked);
        ck_assert_int_eq(visits.most, 1);
        visits.elsewhere = i == 0 ? 0 : visits.elsewhere;
    }
    ck_assert_int_eq(visits.elsewhere, 0);
    og_problem_free(problem);
    og_policy_free(x);
    og_policy_free(y);
}

/* The function is called for each instance separately: opt-kg depends only on the posterior. */
OG_TEST(test_functions_where_labels_take_time)
{
    visit_log visits = {.inside = 0};
    og_policy *own = function("own", &visits, false);
    og_problem *problem = problem_of("delayed");
    set(problem, "workers", "5");
    set(problem, "arrival-rate", "2");
    set(problem, "service-rate", "1");
    add(problem, "2x1,1");
    add(problem, "2,1");
    static const char one[] = "threads=1", name[] = "policy=opt-kg";
    og_document *report = ask("compare", problem, POLICIES(own), name, one, NULL);
    same(report, 1, false);
    ck_assert(og_number_at(policy_of(report, 0), "gap") > 1e-6);
    og_document_free(report);
    report = ask("simulate", problem, POLICIES(own), name, one, NULL);
    same(report, 1, true);
    og_document_free(report);
    report = ask("query", problem, POLICIES(own), name, one, NULL);
    for (int32_t i = 0; i < og_document_count(acts_of(report)); i++) {
        ck_assert_int_eq(is_picked(report, 0, i), is_picked(report, 1, i));
    }
    og_document_free(report);
    report = NULL;
    ck_assert(visits.calls > 0 && visits.most == 1 && visits.elsewhere == 0);
    visits.fail = OG_FAILED;
    visits.words = "the moon is in the way";
    REFUSED(OG_FAILED, "the moon", attempt("compare", problem, POLICIES(own), &report, one, NULL));
    og_policy *uniform = function("share", &visits, true); /* by weights */
    REFUSED(OG_BAD_INPUT, "weights",
            attempt("compare", problem, POLICIES(uniform), &report, one, NULL));
    ck_assert_ptr_null(report);
    og_problem_free(problem);
    og_policy_free(own);
    og_policy_free(uniform);
}

OG_TEST(test_functions_that_fail)
{
    visit_log visits = {.fail = OG_FAILED, .words = "the moon is in the way"};
    og_policy *own = function("own", &visits, false);
    og_problem *problem = instances("4", "3x1,1");
    og_document *report = NULL;
    static const char *const names[] = {"compare", "query", "simulate"};
    for (int i = 0; i < 3; i++) {
        REFUSED(OG_FAILED, "the moon", attempt(names[i], problem, POLICIES(own), &report, NULL));
    }
    visits.words = NULL;
    REFUSED(OG_FAILED, "no answer", attempt("compare", problem, POLICIES(own), &report, NULL));
    ck_assert_ptr_null(report);
    og_problem_free(problem);
    problem = problem_of("workers"); /* which does not support functions */
    set(problem, "budget", "2");
    set(problem, "workers-prior", "4,1");
    add(problem, "1,1");
    REFUSED(OG_BAD_INPUT, "own", attempt("compare", problem, POLICIES(own), &report, NULL));
    og_problem_free(problem);
    og_policy_free(own);
}

/* Policies that draw from a generator: from the first state on, or rarely. */
typedef struct {
    uint64_t drawn;
    int32_t calls, rare; /* of so many calls one is drawn */
    double noise;        /* how far an answer is from the one before */
    bool weights;
} random_gambler;

static void gamble(random_gambler *gambler, int32_t count, double *answer, bool *weights)
{
    bool draws = gambler->calls++ % gambler->rare == gambler->rare - 1;
    for (int32_t i = 0; i < count; i++) {
        gambler->drawn =
            gambler->drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        answer[i] = 1 + (draws ? gambler->noise * (double)(gambler->drawn >> 40) * 0x1p-24 : 0);
    }
    *weights = gambler->weights;
}

static og_status own_gamble(void *user, const og_plugin_state *state, double *answer, bool *weights,
                            og_message *message)
{
    (void)message;
    gamble(user, state->count, answer, weights);
    return OG_OK;
}

static og_status own_gamble_coupled(void *user, const og_situation *now, double *answer,
                                    bool *weights, og_message *message)
{
    (void)message;
    gamble(user, now->choice_count, answer, weights);
    return OG_OK;
}

static og_status gambled(og_problem *problem, random_gambler *gambler, bool coupled,
                         const char *one)
{
    const og_callback callback = {.user = gambler, .choose = own_gamble};
    og_policy *policy = NULL;
    og_document *report = NULL;
    ck_assert_int_eq(coupled ? og_policy_decide("dice", own_gamble_coupled, gambler, &policy, &said)
                             : og_policy_callback("dice", &callback, &policy, &said),
                     OG_OK);
    memset(&said, 0, sizeof said);
    og_status status = attempt(one, problem, POLICIES(policy), &report, NULL);
    og_document_free(report);
    og_policy_free(policy);
    return status;
}

/* In every family that asks functions, and every question. */
OG_TEST(test_functions_that_answer_at_random)
{
    static const char *const families[] = {"independent", "delayed", "workers", "assignment"};
    static const char *const questions[] = {"compare", "simulate", "query"};
    for (int i = 0; i < 4 * 3 * 2; i++) {
        int family = i % 4;
        const char *one = questions[i / 4 % 3];
        bool coupled = family > 1;
        random_gambler gambler = {.rare = 1, .noise = 1, .weights = i / 12 == 1};
        if ((family == 1 && gambler.weights) || (coupled && one == questions[1])) {
            continue; /* refused for that */
        }
        og_problem *problem = problem_of(families[family]);
        if (family == 1) {
            set(problem, "workers", "3");
            set(problem, "arrival-rate", "2");
            set(problem, "service-rate", "1");
        } else {
            set(problem, "budget", "3");
        }
        if (coupled) {
            set(problem, "workers-prior", "2x4,1");
        }
        add(problem, family == 3 ? "3x1" : "1,1");
        add(problem, family == 3 ? "2x1" : "2,1");
        ck_assert_msg(gambled(problem, &gambler, coupled, one) == OG_FAILED, "%d: %s", i,
                      said.text);
        ck_assert_msg(strstr(said.text, "'dice' answers at random") != NULL &&
                          strstr(said.text, "return weights") != NULL,
                      "%s", said.text);
        og_problem_free(problem);
    }
}

OG_TEST(test_states_that_are_asked_twice)
{
    og_problem *problem = instances("14", "6x1,1");
    random_gambler calm = {.rare = 1, .noise = 1e-13}; /* which ties */
    ck_assert_int_eq(gambled(problem, &calm, false, "compare"), OG_OK);
    ck_assert_int_gt(calm.calls, 2 * 100 + 1000);
    int32_t states = calm.calls;
    random_gambler late = {.rare = 251,
                           .noise = 1}; /* a few of the hundreds that are asked later */
    ck_assert_int_eq(gambled(problem, &late, false, "compare"), OG_FAILED);
    ck_assert_int_lt(late.calls, states);
    og_problem_free(problem);
}

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

OG_TEST(test_table)
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
    og_document *report = ask("compare", problem, POLICIES(own, table), NULL);
    same(report, 1, true);
    og_document_free(report);
    report = NULL;
    set(problem, "budget", "12");
    REFUSED(OG_BAD_INPUT, "no index for 5 labels",
            attempt("compare", problem, POLICIES(own, table), &report, NULL));
    ck_assert_ptr_null(report);
    og_policy_free(table);
    og_policy_free(own);
    og_problem_free(problem);
    table = NULL;
    REFUSED(OG_BAD_INPUT, "0 to 10000", og_policy_numbers("mine", -1, index, &table, &said));
    REFUSED(OG_BAD_INPUT, "already the name", og_policy_numbers("kg", 0, index, &table, &said));
    index[2] = NAN;
    REFUSED(OG_BAD_INPUT, "index 2", og_policy_numbers("mine", 1, index, &table, &said));
    ck_assert_ptr_null(table);
}

OG_TEST(test_policies_that_are_refused)
{
    og_policy *policy = NULL;
    og_callback callback = {.choose = own_uniform};
    REFUSED(OG_BAD_INPUT, "already", og_policy_callback("kg", &callback, &policy, &said));
    REFUSED(OG_BAD_INPUT, "characters", og_policy_callback("", &callback, &policy, &said));
    callback.choose = NULL;
    REFUSED(OG_BAD_INPUT, "choose", og_policy_callback("own", &callback, &policy, &said));
    ck_assert_ptr_null(policy);
}
