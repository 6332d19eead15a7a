/*
 * Policies with a chooser: an index policy as a chooser equals the index policy, weights equal to
 * copies give the uniform policy, and choosing with the solver's Q in every state has the optimal
 * value.
 */
#include "dp/base/stop.h"
#include "dp/exact/exact.h"
#include "dp/product/chooser.h"
#include "dp/product/solve.h"
#include "heuristics/policy.h"
#include "tests/oracle.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(chooser, 120);

enum { PROBLEMS = 60 };

/* Answers with the ranks of another policy. */
static og_status by_ranks(void *self, const og_state *state, double *answer, og_answer *kind,
                          og_message *message)
{
    (void)message;
    const og_ranks *ranks = self;
    *kind = OG_ANSWER_INDEX;
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        answer[i] = og_ranks_of(ranks, group->arm, state->left)[group->node];
    }
    return OG_OK;
}

static double value_of(const question *q, const og_ranks *ranks, og_ties ties)
{
    og_result result;
    og_message message = {""};
    ck_assert_msg(og_policy_value(q->arms, ranks, ties, &q->settings, &result, &message) == OG_OK,
                  "%s: %s", q->words, message.text);
    return result.value;
}

OG_TEST(an_index_policy_asked_is_the_index_policy)
{
    static const char *const names[] = {"kg", "opt-kg", "gittins-fh", "uniform"};
    random_source random = random_start(test_seed(20261121));
    random_limits limits = {.instances = 5, .budget = 6};
    for (int n = 0; n < test_cases(PROBLEMS); n++) {
        OWN(question) q = question_plain(&random, &limits, test_seed(20261121), n);
        OWN(og_ranks) *ranks = question_named_ranks(q.arms, names[n % 4], q.words);
        /* LABELS distinguishes all nodes. The index of `kg` does not depend on the labels left, so
         * posteriors and values are enough for it; ranks are not the index of other problems. */
        og_chooser chooser = {.self = ranks, .choose = by_ranks, .look = OG_LOOK_LABELS};
        OWN(og_ranks) *asked = NULL;
        ck_assert_int_eq(og_ranks_new_chooser(q.arms, &chooser, &asked), OG_OK);
        chooser.look = OG_LOOK_POSTERIOR;
        OWN(og_ranks) *by_posterior = NULL;
        ck_assert_int_eq(og_ranks_new_chooser(q.arms, &chooser, &by_posterior), OG_OK);
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            double expected = value_of(&q, ranks, (og_ties)ties);
            double error = 1e-13 * expected;
            ck_assert_msg(fabs(value_of(&q, asked, (og_ties)ties) - expected) <= error,
                          "%s: %s, ties %s", q.words, names[n % 4], og_ties_name((og_ties)ties));
            ck_assert_msg(fabs(value_of(&q, by_posterior, (og_ties)ties) - expected) <= error,
                          "%s: %s by posterior, ties %s", q.words, names[n % 4],
                          og_ties_name((og_ties)ties));
        }
    }
}

/* ---- weights of any size ---- */

/* Weights of a posterior's place: as users' softmax, counts and mistakes make them. */
static const double weights_of[][5] = {{5e-324, 5e-324, 5e-324, 5e-324, 5e-324},
                                       {1e308, 1e308, 1.7e308, 1e308, 9e307},
                                       {1, 5e-324, 0.25, 1e-320, 3},
                                       {1e308, 1, 1e-200, 1e100, 1e-250},
                                       {2.3e-308, 5e-324, 1e-310, 1.5e-323, 4e-309},
                                       {1.0 / 3, 0.1, 1e16, 1e-17, 0.7},
                                       {5e-324, 1, -0.0, 0.1, 1e-160},
                                       {5e-324, 1.5e-323, 1e-323, 5e-324, 3.5e-323}};

static double weight_at(const double *weights, const og_state_group *group)
{
    return weights[(group->arm + 2 * group->node) % 5];
}

static og_status by_weights(void *self, const og_state *state, double *answer, og_answer *kind,
                            og_message *message)
{
    (void)message;
    *kind = OG_ANSWER_WEIGHTS;
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = weight_at(self, &state->group[i]);
    }
    return OG_OK;
}

/* The gain of by_weights in fractions, from its definition over every history. */
static void gain_by_weights(const og_arms *arms, const double *weights, og_state_group *group,
                            int32_t left, mpq_t out)
{
    OWN_MPQ sum = MPQ_NEW, q = MPQ_NEW, term = MPQ_NEW;
    mpq_set_ui(out, 0, 1);
    for (int32_t i = 0; left > 0 && i < arms->group_count; i++) {
        const og_arm *arm = arms->arm[group[i].arm];
        uint32_t node = group[i].node;
        og_arm_exact_reward(arm, node, q);
        OWN_MPQ below = MPQ_NEW;
        double weight = weight_at(weights, &group[i]);
        for (int32_t k = 0; k < 2; k++) {
            group[i].node = arm->next[2 * node + (uint32_t)k];
            gain_by_weights(arms, weights, group, left - 1, below);
            og_arm_exact_probability(arm, node, k, term);
            mpq_mul(term, term, below);
            mpq_add(q, q, term);
        }
        group[i].node = node;
        mpq_set_d(term, weight);
        mpq_add(sum, sum, term);
        mpq_mul(q, q, term);
        mpq_add(out, out, q);
    }
    if (left > 0) {
        mpq_div(out, out, sum);
    }
}

OG_TEST_LOOP(weights_of_any_size_are_drawn_by_within_the_error, 0,
             sizeof weights_of / sizeof *weights_of)
{
    og_state_group group[3];
    OWN_MPQ gain = MPQ_NEW, value = MPQ_NEW, exact = MPQ_NEW;
    OWN(question) q = question_of("1,1 2,1 1,2@0.4", 3);
    for (int32_t i = 0; i < 3; i++) {
        group[i] = (og_state_group){q.arms->arm_of_group[i], 0, 1};
    }
    og_chooser chooser = {
        .self = (void *)weights_of[_i], .choose = by_weights, .look = OG_LOOK_LABELS};
    OWN(og_ranks) *asked = NULL;
    ck_assert_int_eq(og_ranks_new_chooser(q.arms, &chooser, &asked), OG_OK);
    gain_by_weights(q.arms, weights_of[_i], group, 3, gain);
    ck_assert(og_arms_exact_call(q.arms, value));
    mpq_add(value, value, gain);
    for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
        og_result result;
        og_message message = {""};
        og_status status =
            og_policy_value(q.arms, asked, (og_ties)ties, &q.settings, &result, &message);
        ck_assert_msg(status == OG_OK, "%s", message.text);
        ck_assert_msg(oracle_within(result.value, result.error_bound, value), "%.17g",
                      result.value);
        status = og_exact_policy_value(&(og_ranks_play){q.arms, asked, (og_ties)ties}, &q.settings,
                                       exact, NULL, NULL, &message);
        ck_assert_msg(status == OG_OK && mpq_equal(exact, value), "%s", message.text);
    }
}

OG_TEST(a_weight_that_is_lost_beside_another_is_refused)
{
    static const double lost[] = {1e308, 1e-300, 1, 1, 1};
    OWN(og_ranks) *asked = NULL;
    og_result result;
    og_message message = {""};
    OWN(question) q = question_of("1,1 2,1", 2);
    og_chooser chooser = {.self = (void *)lost, .choose = by_weights, .look = OG_LOOK_LABELS};
    ck_assert_int_eq(og_ranks_new_chooser(q.arms, &chooser, &asked), OG_OK);
    ck_assert_int_eq(og_policy_value(q.arms, asked, OG_TIES_RANDOM, &q.settings, &result, &message),
                     OG_FAILED);
    ck_assert_ptr_nonnull(strstr(message.text, "1e-300, is too small beside 1e+308"));
}

/* Indices at the ends of the range of doubles have the order of ordinary ones; -0.0 is 0. */
static const double ends[2][6] = {{INFINITY, 1e308, 0, -0.0, -5e-324, -INFINITY},
                                  {3, 2, 1, 1, 0.5, -1}};

static og_status by_ends(void *self, const og_state *state, double *answer, og_answer *kind,
                         og_message *message)
{
    const double *index = self;
    (void)message;
    *kind = OG_ANSWER_INDEX;
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = index[(7 * state->group[i].node + 2 * (uint32_t)state->group[i].arm) % 6];
    }
    return OG_OK;
}

OG_TEST(indices_at_the_ends_of_doubles_stand_in_order)
{
    double value[2][OG_TIES_COUNT];
    OWN(question) q = question_of("2x1,1 2,1 1,2@0.4", 5);
    for (int kind = 0; kind < 2; kind++) {
        og_chooser chooser = {
            .self = (void *)ends[kind], .choose = by_ends, .look = OG_LOOK_LABELS};
        OWN(og_ranks) *asked = NULL;
        ck_assert_int_eq(og_ranks_new_chooser(q.arms, &chooser, &asked), OG_OK);
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            value[kind][ties] = value_of(&q, asked, (og_ties)ties);
        }
    }
    for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
        ck_assert_double_eq(value[0][ties], value[1][ties]);
    }
    ck_assert_double_ne(value[0][OG_TIES_BEST], value[0][OG_TIES_WORST]);
}

static og_status by_copies(void *self, const og_state *state, double *answer, og_answer *kind,
                           og_message *message)
{
    (void)self;
    (void)message;
    *kind = OG_ANSWER_WEIGHTS;
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = (double)state->group[i].copies / 8;
    }
    return OG_OK;
}

OG_TEST(weights_by_copies_are_the_uniform_policy)
{
    random_source random = random_start(test_seed(20261122));
    random_limits limits = {.instances = 5, .budget = 6, .integers = true};
    for (int n = 0; n < test_cases(PROBLEMS); n++) {
        OWN(question) q = question_plain(&random, &limits, test_seed(20261122), n);
        OWN(og_ranks) *ranks = question_named_ranks(q.arms, "uniform", q.words);
        og_chooser chooser = {.choose = by_copies, .look = (og_look)(n % 3)};
        OWN(og_ranks) *asked = NULL;
        ck_assert_int_eq(og_ranks_new_chooser(q.arms, &chooser, &asked), OG_OK);
        double expected = value_of(&q, ranks, OG_TIES_RANDOM);
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) { /* which do not matter to weights ... */
            if (ties == OG_TIES_FIRST) {                   /* ... but "the first of its group" */
                continue;
            }
            ck_assert_msg(fabs(value_of(&q, asked, (og_ties)ties) - expected) <= 1e-13 * expected,
                          "%s: ties %s", q.words, og_ties_name((og_ties)ties));
        }
        mpq_t exact;
        mpq_t asked_exact;
        mpq_inits(exact, asked_exact, NULL);
        ck_assert_int_eq(og_exact_policy_value(&(og_ranks_play){q.arms, ranks, OG_TIES_RANDOM},
                                               &q.settings, exact, NULL, NULL, NULL),
                         OG_OK);
        ck_assert_int_eq(og_exact_policy_value(&(og_ranks_play){q.arms, asked, OG_TIES_RANDOM},
                                               &q.settings, asked_exact, NULL, NULL, NULL),
                         OG_OK);
        ck_assert_msg(mpq_equal(exact, asked_exact), "%s", q.words);
        mpq_clears(exact, asked_exact, NULL);
    }
}

/* What a function answers about nodes in their order: of the state's groups, the first. */
typedef struct {
    const double *answer;
    og_answer kind;
} told_labels;

static og_status as_told(void *self, const og_state *state, double *answer, og_answer *kind,
                         og_message *message)
{
    const told_labels *told = self;
    (void)message;
    *kind = told->kind;
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = told->answer[state->group[i].arm];
    }
    return OG_OK;
}

/* Answers about four instances: which are made equal to the largest, and their ranks one by one. */
static const struct {
    double answer[4];
    og_answer kind;
    double relative;
    bool taken[4];
    uint32_t rank[4];
    uint64_t near[2]; /* among all, and in ranks one by one */
} ties_of[] = {
    {{1, 1 + 1e-13, 0.5, 0.5 - 1e-13}, OG_ANSWER_INDEX, 1e-12, {1, 1, 0, 0}, {1, 1, 0, 0}, {1, 2}},
    {{1, 1 + 1e-13, 0.5, 0.5 - 1e-13}, OG_ANSWER_INDEX, 0, {0, 1, 0, 0}, {2, 3, 1, 0}, {0, 0}},
    {{1, 1 + 1e-13, 0.5, 0.5 - 1e-13}, OG_ANSWER_EXACT, 1e-12, {0, 1, 0, 0}, {2, 3, 1, 0}, {0, 0}},
    /* A chain: 1 is near 1.1, which is near the largest, but 1 is not. */
    {{1, 1.1, 1.2, 0}, OG_ANSWER_INDEX, 0.125, {0, 1, 1, 0}, {1, 2, 2, 0}, {1, 1}},
    {{-1, -1.1, -1.2, -8}, OG_ANSWER_INDEX, 0.125, {1, 1, 0, 0}, {2, 2, 1, 0}, {1, 1}},
    {{0, 1e-300, -1e-300, 0}, OG_ANSWER_INDEX, 1e-12, {0, 1, 0, 0}, {1, 2, 0, 1}, {0, 0}},
    {{INFINITY, 1e308, -1e308, INFINITY}, OG_ANSWER_INDEX, 1, {1, 0, 0, 1}, {2, 1, 0, 2}, {0, 0}},
};

OG_TEST_LOOP(near_indices_tie_in_groups_from_the_largest, 0, sizeof ties_of / sizeof *ties_of)
{
    OWN(question) q = question_of("1,1 2,1 3,1 4,1", 1);
    told_labels how = {ties_of[_i].answer, ties_of[_i].kind};
    og_chooser chooser = {.self = &how,
                          .look = OG_LOOK_POSTERIOR,
                          .tie_relative = ties_of[_i].relative,
                          .choose = as_told};
    og_state_group group[4];
    const og_state state = {1, 1, 4, group};
    og_ranks *asked, *alone;
    double weight[5];
    ck_assert_int_eq(og_ranks_new_chooser(q.arms, &chooser, &asked), OG_OK);
    for (int32_t i = 0; i < 4; i++) {
        group[i] = (og_state_group){i, 0, 1};
    }
    ck_assert_int_eq(og_ranks_choose(asked, &state, OG_TIES_RANDOM, weight), OG_OK);
    ck_assert_uint_eq(og_ranks_tolerance_ties(asked), ties_of[_i].near[0]);
    ck_assert_int_eq(og_ranks_alone(asked, q.arms, &alone, NULL), OG_OK);
    for (int32_t i = 0; i < 4; i++) {
        ck_assert_msg(weight[i] == ties_of[_i].taken[i], "instance %d", (int)i);
        ck_assert_uint_eq(og_ranks_of(alone, i, 1)[0], ties_of[_i].rank[i]);
    }
    ck_assert_uint_eq(alone->tolerance_ties, ties_of[_i].near[1]);
    og_ranks_free(alone);
    og_ranks_free(asked);
}

/* Counts the states that it is shown; stops with two labels left. */
static og_status stop_late(void *self, const og_state *state, double *answer, og_answer *kind,
                           og_message *message)
{
    (void)self, (void)message;
    *kind = OG_ANSWER_INDEX;
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = 1;
    }
    answer[state->count] = state->left <= 2 ? 2 : 0;
    return OG_OK;
}

static og_status count_foreseen(void *self, const og_state *state, int32_t count, bool *more,
                                og_message *message)
{
    int64_t *foreseen = self;
    (void)state, (void)message;
    *foreseen += count;
    *more = true;
    return OG_OK;
}

OG_TEST(states_are_foreseen_once_for_a_value_and_its_labels)
{
    OWN(question) q = question_of("2x1,1", 6);
    int64_t foreseen = 0;
    const og_chooser chooser = {.self = &foreseen,
                                .look = OG_LOOK_POSTERIOR,
                                .choose = stop_late,
                                .foresee = count_foreseen};
    og_ranks *ranks;
    og_result result;
    double labels, error;
    ck_assert_int_eq(og_ranks_new_chooser(q.arms, &chooser, &ranks), OG_OK);
    const og_ranks_play play = {q.arms, ranks, OG_TIES_RANDOM};
    const og_settings settings = og_stop_limits(1, UINT64_C(1) << 24, NULL);
    ck_assert_int_eq(og_policy_value(q.arms, ranks, OG_TIES_RANDOM, &settings, &result, NULL),
                     OG_OK);
    const int64_t once = foreseen;
    ck_assert_int_gt(once, 4);
    ck_assert_int_eq(og_policy_labels(&play, &settings, &labels, &error, NULL), OG_OK);
    ck_assert_double_eq_tol(labels, 4, error);
    ck_assert_int_eq(foreseen, once);
    og_ranks_free(ranks);
}

static og_status by_q(void *self, const og_state *state, double *answer, og_answer *kind,
                      og_message *message)
{
    double error[64];
    *kind = OG_ANSWER_INDEX;
    og_status status = og_solver_q_at(self, state, answer, error, message);
    double gain = 0;
    double best = 0;
    for (int32_t i = 0; status == OG_OK && i < state->count; i++) {
        best = fmax(best, answer[i]);
    }
    if (status == OG_OK) {
        status = og_solver_value_at(self, state, &gain, message);
    }
    /* Bellman's equation, at a state that optimal play may never meet */
    if (status == OG_OK && fabs(best - gain) > 1e-13) {
        return og_message_set(message, OG_FAILED, "best Q %.17g, value %.17g", best, gain);
    }
    return status;
}

OG_TEST(labelling_by_the_solvers_q_is_optimal)
{
    random_source random = random_start(test_seed(20261123));
    random_limits limits = {.instances = 5, .budget = 7};
    for (int n = 0; n < test_cases(PROBLEMS); n++) {
        OWN(question) q = question_plain(&random, &limits, test_seed(20261123), n);
        OWN(og_solver) *solver = NULL;
        og_result optimum;
        og_settings settings = q.settings;
        settings.reductions = n % 2 == 0 ? OG_REDUCE_ALL : OG_REDUCE_SORT;
        ck_assert_int_eq(og_solver_new(q.arms, &settings, &solver, NULL), OG_OK);
        ck_assert_int_eq(og_solver_value(solver, &optimum, NULL), OG_OK);
        og_chooser chooser = {.self = solver, .choose = by_q, .look = (og_look)(n % 3)};
        OWN(og_ranks) *asked = NULL;
        ck_assert_int_eq(og_ranks_new_chooser(q.arms, &chooser, &asked), OG_OK);
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            ck_assert_msg(fabs(value_of(&q, asked, (og_ties)ties) - optimum.value) <=
                              1e-13 * optimum.value,
                          "%s: ties %s", q.words, og_ties_name((og_ties)ties));
        }
    }
}

/* The doubles and the fractions of one policy, or of the optimum. */
typedef struct {
    og_solver *solver;
    og_exact *exact;
} two_ways;

static og_status by_both(void *self, const og_state *state, double *answer, og_answer *kind,
                         og_message *message)
{
    const two_ways *ways = self;
    double error[64];
    mpq_t q[64];
    *kind = OG_ANSWER_INDEX;
    for (int32_t i = 0; i < state->count; i++) {
        mpq_init(q[i]);
    }
    og_status status = og_solver_q_at(ways->solver, state, answer, error, message);
    if (status == OG_OK) {
        status = og_exact_q_at(ways->exact, state, q, message);
    }
    for (int32_t i = 0; i < state->count; i++) {
        if (status == OG_OK && fabs(mpq_get_d(q[i]) - answer[i]) > error[i] + 1e-15 * answer[i]) {
            status = og_message_set(message, OG_FAILED, "Q %.17g, in fractions %.17g", answer[i],
                                    mpq_get_d(q[i]));
        }
        mpq_clear(q[i]);
    }
    return status;
}

OG_TEST(fractions_and_doubles_agree_at_every_state)
{
    random_source random = random_start(test_seed(20261125));
    random_limits limits = {.instances = 4, .budget = 6, .integers = true};
    static const char *const names[] = {NULL, "kg", "uniform", "gittins-fh"};
    for (int n = 0; n < test_cases(PROBLEMS); n++) {
        OWN(question) q = question_plain(&random, &limits, test_seed(20261125), n);
        const char *name = names[n % 4];
        og_ties ties = (og_ties)(n / 4 % OG_TIES_COUNT);
        OWN(og_ranks) *ranks = name == NULL ? NULL : question_named_ranks(q.arms, name, q.words);
        two_ways ways = {NULL, NULL};
        if (ranks == NULL) {
            ck_assert_int_eq(og_solver_new(q.arms, &q.settings, &ways.solver, NULL), OG_OK);
            ck_assert_int_eq(og_exact_new(q.arms, &q.settings, &ways.exact, NULL), OG_OK);
        } else {
            ck_assert_int_eq(
                og_solver_new_policy(q.arms, ranks, ties, &q.settings, &ways.solver, NULL), OG_OK);
            ck_assert_int_eq(
                og_exact_new_policy(q.arms, ranks, ties, &q.settings, &ways.exact, NULL), OG_OK);
        }
        og_chooser chooser = {.self = &ways, .choose = by_both, .look = OG_LOOK_POSTERIOR};
        og_ranks *asked;
        ck_assert_int_eq(og_ranks_new_chooser(q.arms, &chooser, &asked), OG_OK);
        value_of(&q, asked, OG_TIES_BEST);
        og_ranks_free(asked);
        og_exact_free(ways.exact);
        og_solver_free(ways.solver);
    }
}

/* A policy's own solver knows its value at every state. */
OG_TEST(a_policys_q_adds_up_to_its_value)
{
    random_source random = random_start(test_seed(20261124));
    random_limits limits = {.instances = 4, .budget = 6};
    for (int n = 0; n < test_cases(PROBLEMS); n++) {
        OWN(question) given = question_plain(&random, &limits, test_seed(20261124), n);
        OWN(og_ranks) *ranks = question_named_ranks(given.arms, "kg", given.words);
        og_ties ties = (og_ties)(n % OG_TIES_COUNT);
        OWN(og_solver) *solver = NULL;
        og_result result;
        ck_assert_int_eq(
            og_solver_new_policy(given.arms, ranks, ties, &given.settings, &solver, NULL), OG_OK);
        ck_assert_int_eq(og_solver_value(solver, &result, NULL), OG_OK);
        og_state_group group[16];
        og_state state = {given.arms->budget, given.arms->budget, given.arms->group_count, group};
        for (int32_t g = 0; g < given.arms->group_count; g++) {
            group[g] = (og_state_group){given.arms->arm_of_group[g], 0, given.arms->group_size[g]};
        }
        if (state.left > 0) {
            double q[16];
            double error[16];
            double weight[17];
            ck_assert_int_eq(og_solver_q_at(solver, &state, q, error, NULL), OG_OK);
            ck_assert_int_eq(og_ranks_choose(ranks, &state, ties, weight), OG_OK);
            for (int32_t g = 0; g < state.count; g++) {
                double alone;
                ck_assert_int_eq(og_solver_q_of(solver, &state, g, &alone, NULL), OG_OK);
                ck_assert_msg(alone == q[g], "%s: group %d: %.17g, %.17g", given.words, g, alone,
                              q[g]);
                ck_assert(error[g] <= q[g] * 1.02 * og_solver_relative_error(solver));
            }
            double alone = -1;
            ck_assert_int_eq(og_solver_q_of(solver, &state, state.count, &alone, NULL),
                             OG_BAD_INPUT);
            ck_assert(alone == -1);
            double sum = 0;
            double total = 0;
            double extreme = ties == OG_TIES_WORST ? INFINITY : -INFINITY;
            for (int32_t g = 0; g < state.count; g++) {
                sum += weight[g] * q[g];
                total += weight[g];
                if (weight[g] > 0) {
                    extreme = ties == OG_TIES_WORST ? fmin(extreme, q[g]) : fmax(extreme, q[g]);
                }
            }
            double mean = sum / total;
            bool drawn = ties == OG_TIES_RANDOM || ties == OG_TIES_FIRST;
            ck_assert_msg(fabs((drawn ? mean : extreme) - result.gain) <= 1e-13, "%s: ties %s",
                          given.words, og_ties_name(ties));
        }
    }
}

/* Where instances keep their order, weights go to the first of those that look alike. */
OG_TEST(weights_of_ordered_instances_stand_with_the_first)
{
    OWN(question) q = question_of("1,1 2,1 1,1", 3);
    og_chooser chooser = {.choose = by_copies, .look = OG_LOOK_POSTERIOR};
    OWN(og_ranks) *asked = NULL;
    ck_assert_int_eq(og_ranks_new_chooser(q.arms, &chooser, &asked), OG_OK);
    const og_arm *arm = q.arms->arm[0];
    uint32_t positive = arm->level[1] + 1; /* of 1,1: as the second prior */
    og_state_group group[] = {{0, 0, 1}, {1, 0, 1}, {0, positive, 2}, {0, 0, 4}};
    og_state state = {2, 3, 4, group};
    double weight[5];
    ck_assert_int_eq(og_ranks_choose(asked, &state, OG_TIES_FIRST, weight), OG_OK);
    ck_assert(3 * weight[0] == 5 * weight[1] && weight[1] > 0);
    ck_assert(weight[2] == 0 && weight[3] == 0);
    ck_assert_int_eq(og_ranks_choose(asked, &state, OG_TIES_RANDOM, weight), OG_OK);
    ck_assert(4 * weight[0] == weight[3] && weight[0] > 0);
}

static og_status refuse(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message)
{
    const char *fault = self;
    *kind = strcmp(fault, "nan") == 0 ? OG_ANSWER_INDEX : OG_ANSWER_WEIGHTS;
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = 0;
    }
    if (state->left > 2) {
        answer[0] = 1;
        return OG_OK;
    }
    if (strcmp(fault, "nan") == 0) {
        answer[0] = NAN;
    } else if (strcmp(fault, "negative") == 0) {
        answer[0] = -1;
    } else if (strcmp(fault, "refused") == 0) {
        return og_message_set(message, OG_BAD_INPUT, "I do not know this state");
    }
    return OG_OK;
}

OG_TEST(what_goes_wrong_is_said)
{
    static const char *const faults[][2] = {
        {"nan", "index of group 0 is not a number"},
        {"negative", "weight of group 0 must be at least 0, not -1"},
        {"nothing", "weights add up to 0"},
        {"refused", "I do not know this state"}};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char fault[16];
        OWN(question) q = question_of("3x1,1 2,1", 5);
        strcpy(fault, faults[i][0]);
        og_chooser chooser = {.self = fault, .choose = refuse, .look = OG_LOOK_POSTERIOR};
        OWN(og_ranks) *asked = NULL;
        ck_assert_int_eq(og_ranks_new_chooser(q.arms, &chooser, &asked), OG_OK);
        og_result result;
        og_message message = {""};
        og_status wanted = strcmp(fault, "refused") == 0 ? OG_BAD_INPUT : OG_FAILED;
        og_status status =
            og_policy_value(q.arms, asked, OG_TIES_RANDOM, &q.settings, &result, &message);
        ck_assert_int_eq(status, wanted);
        ck_assert_msg(strstr(message.text, faults[i][1]) != NULL, "%s", message.text);
    }
}
