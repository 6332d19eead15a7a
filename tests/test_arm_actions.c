/*
 * Arms whose nodes offer several actions of several costs (dp/arm/arm.h), against their definition:
 * the best of all actions of all instances, state by state, without a memory and without classes.
 *
 * Rewards and chances of the random arms are dyadic, so that every value is a double and all roads
 * must end in the same bits. Sources are valued from explicit histories in fractions: posteriors
 * are multiplied up label by label, and nothing is said of differences, rewards or levels.
 */
#include "dp/exact/exact.h"
#include "dp/product/solve.h"
#include "tests/question.h"
#include "tests/random_actions.h"
#include "tests/support.h"

OG_SUITE(arm_actions, 60);

static const uint64_t plenty = UINT64_C(1) << 30;

enum { INSTANCES_MAX = 4 };

static const unsigned reduction_sets[] = {
    OG_REDUCE_ALL,
    0,
    OG_REDUCE_SORT,
    OG_REDUCE_MERGE,
    OG_REDUCE_SORT | OG_REDUCE_MERGE,
    OG_REDUCE_SORT | OG_REDUCE_CAP,
    OG_REDUCE_SORT | OG_REDUCE_FORCE,
    OG_REDUCE_SORT | OG_REDUCE_BOUND,
    OG_REDUCE_SORT | OG_REDUCE_MERGE | OG_REDUCE_CAP | OG_REDUCE_FORCE,
};
enum { SETS = sizeof reduction_sets / sizeof *reduction_sets };

static double solved_gain(const og_arms *arms, unsigned reductions, int threads, const char *what)
{
    og_settings settings = question_settings(reductions, threads);
    og_solver *solver = NULL;
    og_result result = {0};
    og_message message = {""};
    og_status status = og_solver_new(arms, &settings, &solver, &message);
    status = status == OG_OK ? og_solver_value(solver, &result, &message) : status;
    test_assert_msg(status == OG_OK, "%s, reductions %u: %s", what, reductions, message.text);
    og_solver_free(solver);
    return result.gain;
}

/* ---- the definition ---- */

typedef struct {
    int32_t count;
    const og_arm *arm[8];
    uint32_t node[8];
} instances;

static instances instances_of(const og_arms *arms)
{
    instances all = {0};
    for (int32_t g = 0; g < arms->group_count; g++) {
        for (int64_t i = 0; i < arms->group_size[g]; i++) {
            all.arm[all.count++] = arms->arm[arms->arm_of_group[g]];
        }
    }
    return all;
}

static double defined_gain(instances *all, int32_t left);

static double defined_q(instances *all, int32_t i, uint32_t action, int32_t left)
{
    const og_arm *arm = all->arm[i];
    uint32_t node = all->node[i];
    double sum = arm->reward[action];
    int32_t cost = arm->cost[action];
    for (int32_t k = 0; k < 2; k++) {
        double p = arm->probability[2 * action + (uint32_t)k];
        all->node[i] = arm->next[2 * action + (uint32_t)k];
        sum += p > 0 ? p * defined_gain(all, left - cost) : 0;
    }
    all->node[i] = node;
    return sum;
}

static double defined_gain(instances *all, int32_t left)
{
    double best = 0;
    for (int32_t i = 0; left > 0 && i < all->count; i++) {
        const og_arm *arm = all->arm[i];
        for (uint32_t a = arm->action_first[all->node[i]]; a < arm->action_first[all->node[i] + 1];
             a++) {
            if (arm->cost[a] <= left) {
                double q = defined_q(all, i, a, left);
                best = q > best ? q : best;
            }
        }
    }
    return best;
}

OG_TEST(the_value_is_that_of_the_definition)
{
    uint64_t seed = test_seed(1);
    random_source random = random_start(seed);
    int cases = test_cases(250);
    for (int round = 0; round < cases; round++) {
        int32_t budget = (int32_t)random_below(&random, 6);
        OWN(og_arms) *arms = random_actions(&random, budget, true);
        char what[96];
        snprintf(what, sizeof what, "TEST_SEED=%llu, round %d", (unsigned long long)seed, round);
        instances all = instances_of(arms);
        double gain = defined_gain(&all, budget);
        for (int i = 0; i < SETS; i++) {
            double found = solved_gain(arms, reduction_sets[i], 1 + round % 2, what);
            test_assert_msg(found == gain, "%s, reductions %u: %.17g, not %.17g", what,
                            reduction_sets[i], found, gain);
        }
    }
}

/* Checks a later state, with any nodes that the spent units can lead to. */
static void check_q_later(random_source *random, const og_arms *arms, og_solver *solver,
                          const char *what)
{
    instances all = instances_of(arms);
    og_state_group group[8];
    int32_t spent = 0, budget = arms->budget;
    for (int32_t i = 0; i < all.count; i++) {
        int32_t level = (int32_t)random_below(random, (uint32_t)(budget - spent));
        const og_arm *arm = all.arm[i];
        all.node[i] =
            arm->level[level] + random_below(random, arm->level[level + 1] - arm->level[level]);
        spent += level;
        int32_t number = arm == arms->arm[0] ? 0 : 1;
        group[i] = (og_state_group){number, all.node[i], 1};
    }
    og_state state = {budget - spent, budget, all.count, group};
    og_message message = {""};
    for (int32_t i = 0; i < all.count; i++) {
        const og_arm *arm = all.arm[i];
        for (uint32_t a = arm->action_first[all.node[i]]; a < arm->action_first[all.node[i] + 1];
             a++) {
            double q = -1;
            og_status status = og_solver_q_of_action(solver, &state, i, a, &q, &message);
            if (arm->cost[a] > state.left) {
                test_assert_msg(status == OG_BAD_INPUT, "%s: %d", what, status);
                continue;
            }
            double defined = defined_q(&all, i, a, state.left);
            test_assert_msg(status == OG_OK, "%s: %s", what, message.text);
            test_assert_msg(q == defined, "%s, action %u: %.17g, not %.17g", what, a, q, defined);
        }
    }
    double gain = -1, defined = defined_gain(&all, state.left);
    og_status status = og_solver_value_at(solver, &state, &gain, &message);
    test_assert_msg(status == OG_OK && gain == defined, "%s: %.17g, not %.17g %s", what, gain,
                    defined, message.text);
}

OG_TEST(q_is_that_of_the_definition)
{
    uint64_t seed = test_seed(2);
    random_source random = random_start(seed);
    int cases = test_cases(200);
    for (int round = 0; round < cases; round++) {
        OWN(og_arms) *arms = random_actions(&random, 1 + (int32_t)random_below(&random, 5), true);
        char what[96];
        snprintf(what, sizeof what, "TEST_SEED=%llu, round %d", (unsigned long long)seed, round);
        og_settings settings = question_settings(reduction_sets[round % SETS] | OG_REDUCE_SORT, 1);
        OWN(og_solver) *solver = NULL;
        og_message message = {""};
        ck_assert_int_eq(og_solver_new(arms, &settings, &solver, &message), OG_OK);
        check_q_later(&random, arms, solver, what);
    }
}

/* ---- one action of cost 1, written as one of several ---- */

OG_TEST(one_action_has_the_bits_of_the_usual_case)
{
    random_source random = random_start(test_seed(3));
    random_limits limits = {.instances = 6, .budget = 12};
    int cases = test_cases(60);
    for (int round = 0; round < cases; round++) {
        OWN(og_groups) problem;
        char words[512];
        random_problem(&random, &limits, &problem);
        problem_format(&problem, words, sizeof words);
        OWN(og_arms) *usual = test_arms(&problem), *several = rewritten_arms(usual);
        for (int i = 0; i < SETS; i++) {
            unsigned set = reduction_sets[i] & ~(unsigned)OG_REDUCE_TWO;
            if ((set & OG_REDUCE_SORT) == 0 && problem.budget > 6) {
                continue;
            }
            double x = solved_gain(usual, set, 1, words), y = solved_gain(several, set, 1, words);
            test_assert_msg(x == y, "%s, reductions %u: %.17g, not %.17g", words, set, y, x);
        }
    }
}

/* ---- sources ---- */

/*
 * Of all instances: the chance of the labels so far together with a positive, a negative truth, the
 * sources that label it, and how often each has.
 */
typedef struct {
    int32_t count;
    const og_sources *sources[INSTANCES_MAX];
    int32_t asked[INSTANCES_MAX][OG_SOURCES_MAX];
    mpq_t truth[INSTANCES_MAX][2];
} history;

static void history_value(history *h, int32_t left, mpq_t value);

/* Asks a source about an instance; the value is a sum over the possible answers. */
static void value_of_asking(history *h, int32_t i, int32_t j, int32_t left, mpq_t value)
{
    mpq_t right, wrong, before[2], part;
    mpq_inits(right, wrong, before[0], before[1], part, NULL);
    const og_label_source *source = &h->sources[i]->source[j];
    og_fraction_get_mpq(right, source->accuracy);
    h->asked[i][j]++;
    mpq_set_ui(wrong, 1, 1);
    mpq_sub(wrong, wrong, right);
    mpq_set(before[0], h->truth[i][0]);
    mpq_set(before[1], h->truth[i][1]);
    mpq_set_ui(value, 0, 1);
    for (int answer = 0; answer < 2; answer++) {
        mpq_mul(h->truth[i][0], before[0], answer == 0 ? right : wrong);
        mpq_mul(h->truth[i][1], before[1], answer == 0 ? wrong : right);
        history_value(h, left - source->price, part);
        mpq_add(value, value, part);
    }
    h->asked[i][j]--;
    mpq_set(h->truth[i][0], before[0]);
    mpq_set(h->truth[i][1], before[1]);
    mpq_clears(right, wrong, before[0], before[1], part, NULL);
}

/* The expected number of right calls, times the chance of all labels so far. */
static void value_without(const history *h, mpq_t value)
{
    OWN_MPQ sum = MPQ_NEW, all = MPQ_NEW;
    mpq_set_ui(value, 0, 1);
    for (int32_t i = 0; i < h->count;
         i++) { /* the labels of the others have a separate probability */
        mpq_set(all, mpq_cmp(h->truth[i][0], h->truth[i][1]) > 0 ? h->truth[i][0] : h->truth[i][1]);
        for (int32_t o = 0; o < h->count; o++) {
            if (o != i) {
                mpq_add(sum, h->truth[o][0], h->truth[o][1]);
                mpq_mul(all, all, sum);
            }
        }
        mpq_add(value, value, all);
    }
}

static void history_value(history *h, int32_t left, mpq_t value)
{
    OWN_MPQ q = MPQ_NEW;
    value_without(h, value);
    for (int32_t i = 0; i < h->count; i++) {
        for (int32_t j = 0; j < h->sources[i]->count; j++) {
            const og_label_source *source = &h->sources[i]->source[j];
            if (source->price <= left && (source->most == 0 || h->asked[i][j] < source->most)) {
                value_of_asking(h, i, j, left, q);
                if (mpq_cmp(q, value) > 0) {
                    mpq_set(value, q);
                }
            }
        }
    }
}

/* sources[of_group[g]] label group g. */
static void defined_value(const og_groups *problem, const og_sources *sources,
                          const int32_t *of_group, mpq_t value)
{
    history h = {0};
    OWN_MPQ total = MPQ_NEW;
    for (int i = 0; i < INSTANCES_MAX; i++) {
        mpq_inits(h.truth[i][0], h.truth[i][1], NULL);
    }
    for (int32_t g = 0; g < problem->group_count; g++) {
        for (int64_t c = 0; c < og_groups_at(problem, g)->count; c++) {
            mpq_t *truth = h.truth[h.count];
            h.sources[h.count++] = &sources[of_group[g]];
            og_fraction_get_mpq(truth[0], og_groups_at(problem, g)->a);
            og_fraction_get_mpq(truth[1], og_groups_at(problem, g)->b);
            mpq_add(total, truth[0], truth[1]);
            mpq_div(truth[0], truth[0], total);
            mpq_div(truth[1], truth[1], total);
        }
    }
    history_value(&h, problem->budget, value);
    for (int i = 0; i < INSTANCES_MAX; i++) {
        mpq_clears(h.truth[i][0], h.truth[i][1], NULL);
    }
}

static og_arms *arms_with(const char *words, int32_t budget, const og_sources *sources)
{
    og_groups problem;
    og_arms *arms = NULL;
    og_message message = {""};
    test_problem(words, budget, &problem);
    og_status status = og_arms_new_sources(&problem, sources, 1, plenty, &arms, &message);
    ck_assert_msg(status == OG_OK, "%s: %s", words, message.text);
    og_groups_clear(&problem);
    return arms;
}

static void exact_value(const og_arms *arms, unsigned reductions, mpq_t value, const char *what)
{
    og_settings settings = question_settings(reductions, 1);
    OWN(og_exact) *exact = NULL;
    og_message message = {""};
    og_status status = og_exact_new(arms, &settings, &exact, &message);
    status = status == OG_OK ? og_exact_value(exact, value, NULL, NULL, &message) : status;
    test_assert_msg(status == OG_OK, "%s: %s", what, message.text);
}

static void check_doubles(const og_arms *arms, unsigned reductions, const mpq_t value,
                          const char *what)
{
    og_settings settings = question_settings(reductions, 1);
    og_solver *solver = NULL;
    og_result result = {0};
    og_message message = {""};
    ck_assert_int_eq(og_solver_new(arms, &settings, &solver, &message), OG_OK);
    ck_assert_int_eq(og_solver_value(solver, &result, &message), OG_OK);
    og_solver_free(solver);
    OWN_MPQ off = MPQ_NEW, bound = MPQ_NEW;
    mpq_set_d(off, result.value);
    mpq_sub(off, off, value);
    mpq_abs(off, off);
    mpq_set_d(bound, result.error_bound);
    test_assert_msg(mpq_cmp(off, bound) <= 0, "%s: %.17g +- %g, not %.17g", what, result.value,
                    result.error_bound, mpq_get_d(value));
}

OG_TEST(sources_are_worth_what_histories_say)
{
    static const struct {
        const char *words, *sources;
        int32_t budget;
    } cases[] = {
        {"1,1", "4/5:1", 4},
        {"2x1,1", "4/5:1 1/1:2", 4},
        {"1,1 3,1", "9/10:2 7/10:1", 4},
        {"2x1,2", "9/10:3 4/5:2", 7},
        {"3x1,1", "1/1:3 3/4:2", 6},
        {"1,1 2,1", "4/5:1 1/5:1 1/2:1", 3},
        {"2x1,1", "4/5:1 16/17:2", 4},
        {"2,3 5,4", "0/1:2 2/3:1", 4},
        {"2x1,1", "7/10:5", 4},
        {"1,1 1,1 7,5", "3/5:1 19/20:3", 4},
        {"1,1", "4/5:1:1", 3},
        {"2x1,1", "4/5:1:1 7/10:1", 4},
        {"1,1 3,1", "9/10:2:1 7/10:1:2", 5},
        {"1,1", "4/5:1:1 7/10:1:1 3/5:1:1 9/10:1:1", 4},
        {"2x1,1", "1/2:1:1 2/3:1:2 1/1:3:1", 4},
        {"2x2,3", "9/10:2:2 3/4:1:4", 5},
        {"1,1", "4/5:2", 0},
    };
    OWN_MPQ defined = MPQ_NEW, value = MPQ_NEW;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        og_sources sources = sources_of(cases[i].sources);
        OWN(og_groups) problem;
        test_problem(cases[i].words, cases[i].budget, &problem);
        defined_value(&problem, &sources, (const int32_t[INSTANCES_MAX]){0}, defined);
        OWN(og_arms) *arms = arms_with(cases[i].words, cases[i].budget, &sources);
        for (int set = 0; set < SETS; set++) {
            exact_value(arms, reduction_sets[set], value, cases[i].words);
            test_assert_msg(mpq_equal(value, defined), "%s, %s, reductions %u: %g, not %g",
                            cases[i].words, cases[i].sources, reduction_sets[set], mpq_get_d(value),
                            mpq_get_d(defined));
            check_doubles(arms, reduction_sets[set], defined, cases[i].words);
        }
    }
}

/* The same sources, better at some instances than at others. */
OG_TEST(sources_may_depend_on_the_group)
{
    static const struct {
        const char *words, *sources[2];
        int32_t budget;
    } cases[] = {
        {"1,1 1,1", {"4/5:1:1 7/10:1:1", "3/5:1:1 9/10:1:1"}, 4},
        {"2x1,1 1,2", {"4/5:1:1 9/10:2:1", "3/5:1 2/3:1:2"}, 4},
        {"1,1 2x1,1", {"4/5:2", "19/20:2:1 3/5:1"}, 5},
    };
    const int32_t of_group[] = {0, 1};
    OWN_MPQ defined = MPQ_NEW, value = MPQ_NEW;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        og_sources sources[] = {sources_of(cases[i].sources[0]), sources_of(cases[i].sources[1])};
        OWN(og_groups) problem;
        OWN(og_arms) *arms = NULL;
        og_message message = {""};
        const og_settings settings = {.threads = 1, .memory_bytes = plenty};
        test_problem(cases[i].words, cases[i].budget, &problem);
        defined_value(&problem, sources, of_group, defined);
        og_status status =
            og_arms_new_sources_of(&problem, sources, 2, of_group, &settings, &arms, &message);
        ck_assert_msg(status == OG_OK, "%s", message.text);
        ck_assert_int_eq(arms->arm_count, 2);
        for (int set = 0; set < SETS; set++) {
            exact_value(arms, reduction_sets[set], value, cases[i].words);
            test_assert_msg(mpq_equal(value, defined), "%s, reductions %u: %g, not %g",
                            cases[i].words, reduction_sets[set], mpq_get_d(value),
                            mpq_get_d(defined));
        }
    }
}

/* Two tasks, workers of accuracy 0.7: the values of the specification of task assignment. A worker
 * labels a task once there, but no task is worth a fourth label within this budget. */
OG_TEST(known_values_come_out)
{
    static const struct {
        int32_t budget;
        long num, den;
    } known[] = {{1, 6, 5}, {2, 7, 5}, {3, 7, 5}, {4, 371, 250}};
    og_sources sources = sources_of("7/10:1");
    OWN_MPQ value = MPQ_NEW;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        OWN(og_arms) *arms = arms_with("2x1,1", known[i].budget, &sources);
        exact_value(arms, OG_REDUCE_ALL, value, "known");
        ck_assert_msg(mpq_cmp_ui(value, (unsigned long)known[i].num, (unsigned long)known[i].den) ==
                          0,
                      "T=%d: %g", known[i].budget, mpq_get_d(value));
    }
}

/* Arms that are refused in advance could not have been built. */
OG_TEST(arms_need_the_memory_they_take)
{
    static const char *const sources[] = {"4/5:1",          "4/5:2 7/10:3", "4/5:1 7/10:1 3/5:5",
                                          "4/5:1:2 7/10:3", "1/2:1 1/1:2",  "1/2:1 3/5:2:3"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        for (int32_t budget = 0; budget <= 24; budget += 3) {
            og_sources from = sources_of(sources[i]);
            og_groups problem;
            og_message message = {""};
            OWN(og_arms) *arms = arms_with("1,1", budget, &from), *again = NULL;
            uint64_t bytes = og_arms_bytes(arms);
            test_problem("1,1", budget, &problem);
            og_status status = og_arms_new_sources(&problem, &from, 1, bytes, &again, &message);
            ck_assert_msg(status == OG_OK, "%s, %d: %s", sources[i], budget, message.text);
            og_groups_clear(&problem);
        }
    }
}

/* Arms that are far too large are refused at once. */
OG_TEST(large_arms_are_refused_at_once)
{
    og_sources from = sources_of("4/5:1 7/10:1 9/10:20");
    OWN(og_groups) problem;
    og_message message = {""};
    og_arms *arms = NULL;
    test_problem("1,1", 5000, &problem);
    ck_assert_int_eq(og_arms_new_sources(&problem, &from, 1, UINT64_C(1) << 40, &arms, &message),
                     OG_STOPPED);
    ck_assert_ptr_null(arms);
}

OG_TEST(bad_sources_are_refused)
{
    static const char *const bad[] = {"4/5:0", "6/5:1", "4/5:1001"};
    og_groups problem;
    og_message message = {""};
    og_arms *arms = NULL;
    test_problem("1,1", 3, &problem);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        og_sources sources = sources_of(bad[i]);
        ck_assert_int_eq(og_arms_new_sources(&problem, &sources, 1, plenty, &arms, &message),
                         OG_BAD_INPUT);
    }
    og_sources none = {0}, good = sources_of("4/5:1");
    ck_assert_int_eq(og_arms_new_sources(&problem, &none, 1, plenty, &arms, &message),
                     OG_BAD_INPUT);
    ck_assert_int_eq(og_arms_new_sources(&problem, &good, 1, 100, &arms, &message), OG_STOPPED);
    og_groups_clear(&problem);
    test_problem("1,1@0.3", 3, &problem);
    ck_assert_int_eq(og_arms_new_sources(&problem, &good, 1, plenty, &arms, &message),
                     OG_BAD_INPUT);
    ck_assert_ptr_null(arms);
    og_groups_clear(&problem);
}
