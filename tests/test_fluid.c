/*
 * The fluid value of states, and the policies that use it. The value is compared with its linear
 * programme, written out literally and solved by GLPK's simplex (no prices, no planes), and with
 * its properties; the policies with their relations. Their known values are in
 * tests/data/golden.tsv.
 */
#include <glpk.h>

#include "dp/product/chooser.h"
#include "dp/product/solve.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/fluid.h"
#include "heuristics/policy.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(fluid, 120);

enum { PLACES_MOST = 12 };

/* What GLPK may be off by: its tolerances are relative, and values here are below ten. */
static const double simplex_error = 1e-10;

/* A state: nodes of the arms in ascending order of their global numbers. */
typedef struct {
    og_fluid_place place[PLACES_MOST];
    int32_t count;
} fluid_state;

static void put(fluid_state *state, uint32_t node, int64_t copies)
{
    int32_t at = 0;
    while (at < state->count && state->place[at].node < node) {
        at++;
    }
    if (at < state->count && state->place[at].node == node) {
        state->place[at].copies += copies;
    } else {
        ck_assert_int_lt(state->count, PLACES_MOST);
        memmove(&state->place[at + 1], &state->place[at],
                (size_t)(state->count - at) * sizeof state->place[0]);
        state->place[at] = (og_fluid_place){node, copies};
        state->count++;
    }
    if (state->place[at].copies == 0) {
        state->count--;
        memmove(&state->place[at], &state->place[at + 1],
                (size_t)(state->count - at) * sizeof state->place[0]);
    }
}

static fluid_state root_of(const og_arms *arms)
{
    fluid_state out = {.count = 0};
    for (int32_t g = 0; g < arms->group_count; g++) {
        put(&out, arms->node_offset[arms->arm_of_group[g]], arms->group_size[g]);
    }
    return out;
}

typedef struct {
    const og_arm *arm;
    uint32_t node, offset;
} spot;

static spot spot_of(const og_arms *arms, uint32_t global)
{
    int32_t arm = og_arms_arm_of(arms, global);
    return (spot){arms->arm[arm], global - arms->node_offset[arm], arms->node_offset[arm]};
}

static double probability(spot at, int32_t outcome)
{
    return at.arm->probability[at.node * (size_t)at.arm->outcome_count + (size_t)outcome];
}

/* The state after an outcome of a label of place i. */
static fluid_state after(const og_arms *arms, const fluid_state *state, int32_t i, int32_t outcome)
{
    spot at = spot_of(arms, state->place[i].node);
    fluid_state out = *state;
    put(&out, state->place[i].node, -1);
    put(&out, at.offset + at.arm->next[at.node * (size_t)at.arm->outcome_count + (size_t)outcome],
        1);
    return out;
}

/* A state that some labels of the problem lead to; *left is what remains. */
static fluid_state random_state(random_source *random, const og_arms *arms, int32_t *left)
{
    fluid_state out = root_of(arms);
    int32_t labels = (int32_t)random_below(random, (uint32_t)arms->budget + 1);
    *left = arms->budget - labels;
    for (int32_t n = 0; n < labels; n++) {
        int32_t i = (int32_t)random_below(random, (uint32_t)out.count), outcome;
        spot at = spot_of(arms, out.place[i].node);
        do {
            outcome = (int32_t)random_below(random, (uint32_t)at.arm->outcome_count);
        } while (probability(at, outcome) == 0);
        out = after(arms, &out, i, outcome);
    }
    return out;
}

static double fluid_value(og_fluid *fluid, const fluid_state *at, int32_t left)
{
    double value;
    ck_assert_int_eq(og_fluid_value(fluid, at->place, at->count, left, &value), OG_OK);
    og_fluid_leave(fluid);
    return value;
}

/* ---- the linear programme ---- */

/* Columns y(x, l) and q(x, l) of one place, for all nodes of its arm: one is `first`, and the
 * others follow node by node, then stage by stage. */
typedef struct {
    glp_prob *problem;
    int32_t left;
    int share_row; /* the row of stage 1: at most one label */
} linear_programme;

static int y_column(int first, spot at, int32_t left, uint32_t node, int32_t stage)
{
    (void)left;
    return first + 2 * ((stage - 1) * (int)at.arm->level[at.arm->depth] + (int)node);
}

static void set_entry(linear_programme *programme, int row, int column, double value)
{
    int index[256];
    double item[256];
    int count = glp_get_mat_row(programme->problem, row, index, item);
    index[count + 1] = column;
    item[count + 1] = value;
    ck_assert_int_lt(count + 1, 256);
    glp_set_mat_row(programme->problem, row, count + 1, index, item);
}

/* q(x, l + 1) = q(x, l) - y(x, l) + sum over w of p(w -> x) y(w, l), with q(x, 1) given; y <= q. */
static void add_place(linear_programme *programme, spot at, double copies)
{
    int nodes = (int)at.arm->level[at.arm->depth], outcomes = at.arm->outcome_count;
    int first = glp_get_num_cols(programme->problem) + 1;
    glp_add_cols(programme->problem, 2 * nodes * programme->left);
    for (int32_t l = 1; l <= programme->left; l++) {
        for (int x = 0; x < nodes; x++) {
            int y = y_column(first, at, programme->left, (uint32_t)x, l), q = y + 1;
            int row = glp_add_rows(programme->problem, 2);
            glp_set_col_bnds(programme->problem, y, GLP_LO, 0, 0);
            glp_set_col_bnds(programme->problem, q, GLP_LO, 0, 0);
            glp_set_obj_coef(programme->problem, y, at.arm->reward[x]);
            set_entry(programme, programme->share_row + l - 1, y, 1);
            set_entry(programme, row, y, 1); /* y - q <= 0 */
            set_entry(programme, row, q, -1);
            glp_set_row_bnds(programme->problem, row, GLP_UP, 0, 0);
            set_entry(programme, row + 1, q, 1); /* the flow */
            glp_set_row_bnds(programme->problem, row + 1, GLP_FX, 0, 0);
            if (l == 1) {
                double there = (uint32_t)x == at.node ? copies : 0;
                glp_set_row_bnds(programme->problem, row + 1, GLP_FX, there, there);
                continue;
            }
            int before = y_column(first, at, programme->left, (uint32_t)x, l - 1);
            set_entry(programme, row + 1, before + 1, -1);
            set_entry(programme, row + 1, before, 1);
            for (int w = 0; w < nodes; w++) {
                for (int k = 0; k < outcomes; k++) {
                    double p = at.arm->probability[w * outcomes + k];
                    if (p > 0 && at.arm->next[w * outcomes + k] == (uint32_t)x) {
                        set_entry(programme, row + 1,
                                  y_column(first, at, programme->left, (uint32_t)w, l - 1), -p);
                    }
                }
            }
        }
    }
}

static double programme_value(const og_arms *arms, const fluid_state *at, int32_t left)
{
    linear_programme programme = {.problem = glp_create_prob(), .left = left};
    glp_smcp control;
    glp_set_obj_dir(programme.problem, GLP_MAX);
    programme.share_row = left > 0 ? glp_add_rows(programme.problem, left) : 1;
    for (int l = 0; l < left; l++) {
        glp_set_row_bnds(programme.problem, programme.share_row + l, GLP_UP, 0, 1);
    }
    for (int32_t i = 0; left > 0 && i < at->count; i++) {
        add_place(&programme, spot_of(arms, at->place[i].node), (double)at->place[i].copies);
    }
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    control.tol_bnd = control.tol_dj = 1e-11;
    glp_term_out(GLP_OFF);
    ck_assert(left == 0 || (glp_simplex(programme.problem, &control) == 0 &&
                            glp_get_status(programme.problem) == GLP_OPT));
    double value = left == 0 ? 0 : glp_get_obj_val(programme.problem);
    glp_delete_prob(programme.problem);
    return value;
}

/* ---- the value ---- */

static og_fluid *fluid_of(const question *q)
{
    og_fluid *fluid = NULL;
    question_ok(og_fluid_new(q->arms, QUESTION_MEMORY_BYTES, NULL, &fluid), NULL, q->words);
    return fluid;
}

OG_TEST(value_is_that_of_the_linear_programme)
{
    uint64_t seed = test_seed(20262601);
    random_source random = random_start(seed);
    random_limits limits = {.instances = 4, .budget = 5, .mixtures = true, .payoffs = true};
    for (int n = 0; n < test_cases(60); n++) {
        OWN(question) q = question_random(&random, &limits, seed, n);
        og_fluid *fluid = fluid_of(&q);
        for (int k = 0; k < 6; k++) {
            int32_t left;
            fluid_state at = random_state(&random, q.arms, &left);
            double value = fluid_value(fluid, &at, left);
            double exact = programme_value(q.arms, &at, left);
            ck_assert_msg(fabs(value - exact) <= OG_FLUID_ERROR + simplex_error,
                          "%s: %.17g, not %.17g", q.words, value, exact);
            ck_assert(value == fluid_value(fluid, &at, left));
        }
        og_fluid_free(fluid);
    }
}

OG_TEST(value_is_the_bound_without_the_calls)
{
    uint64_t seed = test_seed(20262602);
    random_source random = random_start(seed);
    for (int n = 0; n < test_cases(150); n++) {
        OWN(question) q = question_of_any_kind(&random, seed, n);
        og_fluid *fluid = fluid_of(&q);
        og_upper_bound bound;
        fluid_state at = root_of(q.arms);
        double value = fluid_value(fluid, &at, q.arms->budget),
               call = og_arms_prior_value(q.arms, NULL);
        question_ok(og_bound_lagrangian_vector(q.arms, 1, NULL, &bound), NULL, q.words);
        /* bound.h: the bound is within a relative 1e-7 of the best. */
        ck_assert_msg(bound.value >= call + value - OG_FLUID_ERROR - bound.error &&
                          bound.value <= call + value + 1e-7 * fabs(bound.value),
                      "%s: %.17g, not %.17g", q.words, value, bound.value - call);
        og_bound_clear(&bound);
        og_fluid_free(fluid);
    }
}

static double largest_reward(const og_arms *arms, const fluid_state *at)
{
    double largest = 0;
    for (int32_t i = 0; i < at->count; i++) {
        spot here = spot_of(arms, at->place[i].node);
        largest = fmax(largest, here.arm->reward[here.node]);
    }
    return largest;
}

/* F is at least what a label and F after it are worth, and at least the optimal gain, with equality
 * for one instance; it never falls with the labels. */
static void check_properties(const question *q, og_fluid *fluid, og_solver *solver,
                             const fluid_state *at, int32_t left)
{
    og_state_group group[PLACES_MOST];
    og_message message = {""};
    int64_t instances = 0;
    double value = fluid_value(fluid, at, left), gain, slack = 2 * OG_FLUID_ERROR;
    for (int32_t i = 0; i < at->count; i++) {
        spot here = spot_of(q->arms, at->place[i].node);
        double label = here.arm->reward[here.node];
        for (int32_t k = 0; left > 1 && k < here.arm->outcome_count; k++) {
            if (probability(here, k) > 0) {
                fluid_state next = after(q->arms, at, i, k);
                label += probability(here, k) * fluid_value(fluid, &next, left - 1);
            }
        }
        ck_assert_msg(value >= label - slack, "%s: %.17g < %.17g", q->words, value, label);
        group[i] = (og_state_group){og_arms_arm_of(q->arms, at->place[i].node), here.node,
                                    at->place[i].copies};
        instances += at->place[i].copies;
    }
    const og_state seen = {left, q->arms->budget, at->count, group};
    question_ok(og_solver_value_at(solver, &seen, &gain, &message), &message, q->words);
    double error = OG_FLUID_ERROR + gain * og_solver_relative_error(solver);
    ck_assert_msg(value >= gain - error, "%s: %.17g < %.17g", q->words, value, gain);
    ck_assert_msg(instances > 1 || value <= gain + error, "%s: %.17g > %.17g", q->words, value,
                  gain);
    ck_assert_msg(value >= fluid_value(fluid, at, left - 1) - slack, "%s", q->words);
    ck_assert(fluid_value(fluid, at, 1) == largest_reward(q->arms, at));
}

OG_TEST(value_has_its_properties)
{
    uint64_t seed = test_seed(20262603);
    random_source random = random_start(seed);
    for (int n = 0; n < test_cases(100); n++) {
        OWN(question)
        q = n % 4 == 0 ? question_of(n % 8 == 0 ? "2,1" : "3,2@0.4", 6)
                       : question_of_any_kind(&random, seed, n);
        og_settings settings = question_settings(OG_REDUCE_ALL, 1);
        og_message message = {""};
        og_solver *solver = NULL;
        og_fluid *fluid = fluid_of(&q);
        question_ok(og_solver_new(q.arms, &settings, &solver, &message), &message, q.words);
        for (int k = 0; k < 4; k++) {
            int32_t left;
            fluid_state at = random_state(&random, q.arms, &left);
            if (left > 0) {
                check_properties(&q, fluid, solver, &at, left);
            }
        }
        og_solver_free(solver);
        og_fluid_free(fluid);
    }
}

OG_TEST(value_is_within_its_error_for_many_labels)
{
    static const struct {
        const char *words;
        int32_t budget;
    } problems[] = {{"20x1,1", 40}, {"10x1,1 5x2,1@0.4 3x4,4", 30}, {"1000000x1,1", 20}};
    for (size_t n = 0; n < sizeof problems / sizeof problems[0]; n++) {
        OWN(question) q = question_of(problems[n].words, problems[n].budget);
        og_fluid *fluid = fluid_of(&q);
        og_upper_bound bound;
        fluid_state at = root_of(q.arms);
        double value = fluid_value(fluid, &at, q.arms->budget),
               call = og_arms_prior_value(q.arms, NULL);
        question_ok(og_bound_lagrangian_vector(q.arms, 1, NULL, &bound), NULL, q.words);
        ck_assert(bound.value >= call + value - OG_FLUID_ERROR - bound.error);
        ck_assert(bound.value <= call + value + 1e-7 * bound.value);
        og_bound_clear(&bound);
        og_fluid_free(fluid);
    }
}

OG_TEST(value_is_the_same_again)
{
    OWN(question) q = question_of("50x1,1", 60);
    og_fluid *fluid = fluid_of(&q);
    fluid_state at = root_of(q.arms);
    for (int32_t left = 60; left > 40; left--) {
        for (int32_t k = 0; k < 2; k++) {
            fluid_state next = after(q.arms, &at, 0, k);
            double value = fluid_value(fluid, &next, left - 1);
            ck_assert(value == fluid_value(fluid, &next, left - 1));
        }
        at = after(q.arms, &at, 0, left % 2);
    }
    og_fluid_free(fluid);
}

/* ---- the policies ---- */

static double value_of(const question *q, const char *name, double *error)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    og_result result;
    og_ranks *ranks = question_named_ranks(q->arms, name, q->words);
    question_ok(og_policy_value(q->arms, ranks, OG_TIES_RANDOM, &settings, &result, &message),
                &message, q->words);
    og_ranks_free(ranks);
    *error = result.error_bound;
    return result.value;
}

OG_TEST(dual_is_optimal_for_few_labels)
{
    uint64_t seed = test_seed(20262604);
    random_source random = random_start(seed);
    for (int n = 0; n < test_cases(60); n++) {
        char name[32];
        int depth = 1 + n % 3;
        OWN(question)
        q = question_random(
            &random, &(random_limits){.instances = 4, .budget = depth + 1, .mixtures = n % 5 == 0},
            seed, n);
        og_settings settings = question_settings(OG_REDUCE_ALL, 1);
        double error, value;
        snprintf(name, sizeof name, "dual:%d", depth);
        value = value_of(&q, name, &error);
        og_result optimal = question_solve(q.arms, &settings, q.words);
        ck_assert_msg(fabs(value - optimal.value) <= error + optimal.error_bound,
                      "%s: %s: %.17g, not %.17g", q.words, name, value, optimal.value);
    }
}

OG_TEST(rollout_is_not_worse_than_what_it_follows)
{
    static const char *const names[] = {"dual", "dual:2", "midway:gittins-fh", "lp-update"};
    uint64_t seed = test_seed(20262605);
    random_source random = random_start(seed);
    for (int n = 0; n < test_cases(24); n++) {
        char name[64];
        question q =
            question_random(&random, &(random_limits){.instances = 3, .budget = 6}, seed, n);
        double error, larger_error;
        double followed = value_of(&q, names[n % 4], &error);
        snprintf(name, sizeof name, "rollout:%s", names[n % 4]);
        double value = value_of(&q, name, &larger_error);
        ck_assert_msg(value >= followed - error - larger_error, "%s: %s: %.17g < %.17g", q.words,
                      name, value, followed);
        question_free(&q);
    }
}

/* In this problem GLPK, at its first tolerance, considers planes satisfied that cut its proposal
 * off. The search then has to go on with a smaller one. */
OG_TEST(value_is_found_though_the_model_stands_still)
{
    OWN(question) q = question_of("3x2,1@0.3", 17);
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    double error, value = value_of(&q, "dual", &error);
    og_result optimal = question_solve(q.arms, &settings, q.words);
    ck_assert_double_le(value, optimal.value + error + optimal.error_bound);
    ck_assert_double_ge(value, optimal.value - 0.001);
}

/* One instance has nothing to decide, mirror images are one problem, and order does not matter. */
OG_TEST(order_and_mirrors_change_nothing)
{
    static const struct {
        const char *words, *other;
        int32_t budget;
    } same[] = {{"2,1@0.4 3,3@0.4", "3,3@0.6 1,2@0.6", 4},
                {"4x5,3 5,2", "2,5 4x3,5", 7},
                {"2x3,2@0.4 4,1@0.4 4,3@0.4", "4,3@0.4 2x3,2@0.4 4,1@0.4", 6}};
    static const char *const names[] = {"dual", "dual:2", "midway:gittins-fh", "lp-update"};
    for (size_t n = 0; n < sizeof same / sizeof same[0]; n++) {
        for (size_t p = 0; p < sizeof names / sizeof names[0]; p++) {
            OWN(question) q = question_of(same[n].words, same[n].budget);
            OWN(question) r = question_of(same[n].other, same[n].budget);
            double error, other_error;
            double value = value_of(&q, names[p], &error);
            double other = value_of(&r, names[p], &other_error);
            ck_assert_msg(fabs(value - other) <= error + other_error, "%s: %s: %.17g, not %.17g",
                          q.words, names[p], value, other);
        }
    }
}

/* The choices of lp-update are those of lagrangian in the problem that begins at the state, whose
 * arms are made from its posteriors. */
static void check_update(const question *q, const fluid_state *at, int32_t left)
{
    char words[512] = "";
    og_state_group group[PLACES_MOST];
    double weight[PLACES_MOST + 1], expected[PLACES_MOST + 1];
    og_fraction posterior[2];
    og_state_group begun[PLACES_MOST];
    for (int32_t i = 0; i < at->count; i++) {
        spot here = spot_of(q->arms, at->place[i].node);
        const og_group *prior = og_arm_prior(here.arm);
        og_arm_posterior(here.arm, here.node, posterior);
        group[i] = (og_state_group){og_arms_arm_of(q->arms, at->place[i].node), here.node,
                                    at->place[i].copies};
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%ldx%g,%g@%g",
                 i == 0 ? "" : " ", (long)at->place[i].copies, og_fraction_double(posterior[0]),
                 og_fraction_double(posterior[1]), og_fraction_double(prior->threshold));
    }
    OWN(question) r = question_of(words, left);
    OWN(og_ranks) *ranks = question_named_ranks(q->arms, "lp-update", q->words);
    OWN(og_ranks) *later = question_named_ranks(r.arms, "lagrangian", r.words);
    for (int32_t i = 0; i < at->count; i++) {
        begun[i] = (og_state_group){r.arms->arm_of_group[i], 0, at->place[i].copies};
    }
    const og_state seen = {left, q->arms->budget, at->count, group};
    const og_state there = {left, left, at->count, begun};
    ck_assert_int_eq(og_ranks_choose(later, &there, OG_TIES_RANDOM, expected), OG_OK);
    for (int again = 0; again < 2; again++) { /* then from memory */
        ck_assert_int_eq(og_ranks_choose(ranks, &seen, OG_TIES_RANDOM, weight), OG_OK);
        for (int32_t i = 0; i < at->count; i++) {
            ck_assert_msg(weight[i] == expected[i], "%s, then %s: %g, not %g", q->words, r.words,
                          weight[i], expected[i]);
        }
    }
}

OG_TEST(lp_update_is_lagrangian_from_the_state_on)
{
    uint64_t seed = test_seed(20262606);
    random_source random = random_start(seed);
    for (int n = 0; n < test_cases(40); n++) {
        random_limits limits = {.instances = 4, .budget = 7, .integers = true};
        OWN(question) q = question_random(&random, &limits, seed, n);
        int32_t left;
        fluid_state at = random_state(&random, q.arms, &left);
        if (left > 0) {
            check_update(&q, &at, left);
        }
    }
}
