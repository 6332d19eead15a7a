/*
 * Reductions 4 and 5 against their definitions, node by node.
 *
 * A bound that is too low by a few percent, or a label forced too early, changes few values, and
 * those by little, so comparing values may not detect it. So this test compares the worths, the
 * bounds of all actions and outcomes, and the states with a forced label with its own results from
 * the arm: stored rewards and probabilities (their errors are in dp/arm/arm.h), one-arm values in
 * long double.
 */
#include <float.h>

#include "dp/product/price.h"
#include "dp/product/product.h"
#include "dp/product/solve.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(price, 300);

static const uint64_t plenty = UINT64_C(1) << 30;

enum { GROUPS_MAX = 3, OUTCOMES = 2 };

/* ---- a problem with all that an expansion of its root needs ---- */

typedef struct {
    og_groups problem;
    char words[256];
    og_arms *arms;
    og_layers *layers;
    og_classes *classes;
    og_prices *prices;
    og_product product;
    og_model model;
    og_expansion root;
    bool live; /* something can be gained, and the root is expanded */
    int64_t instances;
} price_sample;

typedef struct {
    uint32_t parameter; /* a and b at most */
    uint32_t budget;
    bool balanced; /* a : b as the threshold has it: rewards that differ by a percent or two */
} limits;

static const limits small = {.parameter = 9, .budget = 9};

static void random_sample(random_source *random, const limits *most, og_groups *out)
{
    static const og_fraction thresholds[] = {{1, 2}, {1, 2}, {3, 10}, {7, 10}, {2, 5}, {1, 4}};
    og_message message = {""};
    og_groups_init(out, 1 + (int32_t)random_below(random, most->budget));
    int32_t groups = 1 + (int32_t)random_below(random, GROUPS_MAX);
    for (int32_t g = 0; g < groups; g++) {
        og_fraction d =
            thresholds[random_below(random, (uint32_t)(sizeof thresholds / sizeof *thresholds))];
        int64_t a = 1 + random_below(random, most->parameter);
        int64_t b = most->balanced ? a * (d.den - d.num) / d.num + random_below(random, 3)
                                   : 1 + random_below(random, most->parameter);
        og_group group = {.a = {a, 1},
                          .b = {b > 0 ? b : 1, 1},
                          .threshold = d,
                          .count = 1 + random_below(random, 3)};
        og_status status = og_groups_add(out, &group, &message);
        ck_assert_msg(status == OG_OK, "%s", message.text);
    }
}

static void open_root(price_sample *sample)
{
    int32_t budget = sample->problem.budget;
    og_pair pair[GROUPS_MAX];
    uint64_t key[OG_KEY_WORDS_MAX];
    int32_t words;
    for (int32_t g = 0; g < sample->arms->group_count; g++) {
        uint32_t class = sample->layers->root_class[sample->arms->arm_of_group[g]];
        pair[g] = (og_pair){class, sample->arms->group_size[g]};
    }
    og_status status = og_product_key(&sample->product,
                                      &(og_pairs){budget, pair, sample->arms->group_count, -1, 0},
                                      key, &words, NULL);
    ck_assert_int_eq(status, OG_OK);
    sample->live = words > 0;
    if (sample->live) {
        ck_assert_int_eq(sample->model.expansion_new(sample->model.self, &sample->root), OG_OK);
        ck_assert_int_eq(sample->model.expand(sample->model.self, key, words, &sample->root),
                         OG_OK);
    }
}

static void sample_init(price_sample *sample, random_source *random, const limits *most,
                        unsigned reductions)
{
    og_message message = {""};
    memset(sample, 0, sizeof *sample);
    random_sample(random, most, &sample->problem);
    problem_format(&sample->problem, sample->words, sizeof sample->words);
    sample->instances = og_groups_size(&sample->problem);
    ck_assert_int_eq(test_arms_new(&sample->problem, 1, plenty, &sample->arms, &message), OG_OK);
    ck_assert_int_eq(og_layers_new(sample->arms,
                                   &(og_layers_use){.merge = true, .memory_bytes = plenty},
                                   &sample->layers, &message),
                     OG_OK);
    ck_assert_int_eq(og_classes_new(sample->arms,
                                    &(og_layers_use){.merge = true, .memory_bytes = plenty},
                                    &sample->classes, &message),
                     OG_OK);
    ck_assert_int_eq(
        og_prices_new(sample->layers, sample->instances, 0.05, plenty, NULL, &sample->prices),
        OG_OK);
    og_product_use use = {.optimum = true, .reductions = reductions};
    const og_prices *prices = (reductions & OG_REDUCE_BOUND) != 0 ? sample->prices : NULL;
    ck_assert_int_eq(
        og_product_init(&sample->product, sample->arms, sample->layers, prices, &use, &message),
        OG_OK);
    sample->model = og_product_model(&sample->product);
    open_root(sample);
}

static void sample_clear(price_sample *sample)
{
    if (sample->live) {
        sample->model.expansion_free(&sample->root);
    }
    og_product_clear(&sample->product);
    og_prices_free(sample->prices);
    og_classes_free(sample->classes);
    og_layers_free(sample->layers);
    og_arms_free(sample->arms);
    og_groups_clear(&sample->problem);
}

/* ---- the definitions ---- */

/* v_z(x, left) = max(0, -z + R(x) + sum_k p_k v_z(next_k, left - 1)) */
static long double worth(const og_arm *arm, uint32_t node, int32_t left, long double price)
{
    if (left == 0) {
        return 0;
    }
    long double v = (long double)arm->reward[node] - price;
    for (size_t k = 0; k < OUTCOMES; k++) {
        size_t at = node * (size_t)OUTCOMES + k;
        v += arm->probability[at] * worth(arm, arm->next[at], left - 1, price);
    }
    return v > 0 ? v : 0;
}

/* Of any worth with at most `left` labels, computed in long double or in double: 4 roundings a
 * label. */
static long double relative(int32_t left, long double epsilon)
{
    return 4 * (left + 1) * epsilon;
}

/* M: the largest reward that at most `labels` labels lead to. */
static double reach(const og_arm *arm, uint32_t node, int32_t labels)
{
    double most = arm->reward[node];
    for (size_t k = 0; labels > 0 && k < OUTCOMES; k++) {
        double below = reach(arm, arm->next[node * (size_t)OUTCOMES + k], labels - 1);
        most = below > most ? below : most;
    }
    return most;
}

static const og_arm *arm_of(const price_sample *sample, int32_t group)
{
    return sample->arms->arm[sample->arms->arm_of_group[group]];
}

/* ---- worths ---- */

static void check_node(const price_sample *sample, int32_t arm, uint32_t node, int32_t left)
{
    const og_prices *prices = sample->prices;
    uint32_t class = og_classes_of(sample->classes, left, arm, node);
    const int32_t *units = og_prices_of(prices, left, class);
    for (int z = 0; z < OG_PRICE_COUNT; z++) {
        long double exact =
            worth(sample->arms->arm[arm], node, left, prices->price[z]) * prices->scale;
        ck_assert_msg(units[z] >= exact * (1 - relative(left, LDBL_EPSILON)),
                      "%s, arm %d, node %u, %d left, price %.17g: %d units below %.12Lg",
                      sample->words, arm, node, left, prices->price[z], units[z], exact);
        ck_assert_msg(units[z] <= exact * (1 + relative(left, DBL_EPSILON)) + 2,
                      "%s, arm %d, node %u, %d left, price %.17g: %d units far above %.12Lg",
                      sample->words, arm, node, left, prices->price[z], units[z], exact);
    }
}

OG_TEST(worths_are_one_arm_values_rounded_up)
{
    random_source random = random_start(test_seed(20261123));
    for (int i = 0; i < test_cases(100); i++) {
        price_sample sample;
        sample_init(&sample, &random, &small, OG_REDUCE_ALL);
        for (int32_t left = 1; left <= sample.problem.budget; left++) {
            for (int32_t arm = 0; arm < sample.arms->arm_count; arm++) {
                uint32_t last = sample.arms->arm[arm]->level[sample.problem.budget - left + 1] - 1;
                check_node(&sample, arm, random_below(&random, last + 1), left);
            }
        }
        sample_clear(&sample);
    }
}

OG_TEST(charges_are_prices_times_labels_rounded_up)
{
    random_source random = random_start(test_seed(20261124));
    for (int i = 0; i < test_cases(100); i++) {
        price_sample sample;
        sample_init(&sample, &random, &small, OG_REDUCE_ALL);
        for (int32_t left = 0; left <= sample.problem.budget; left++) {
            for (int z = 0; z < OG_PRICE_COUNT; z++) {
                long double exact =
                    (long double)sample.prices->price[z] * left * sample.prices->scale;
                int32_t units = sample.prices->charge[left * OG_PRICE_COUNT + z];
                ck_assert(units >= exact && units <= exact * (1 + DBL_EPSILON) + 2);
            }
        }
        sample_clear(&sample);
    }
}

/* ---- bounds of actions ---- */

/*
 * The minimum over prices z of z left + sum of worths of the root's instances with one label less,
 * where one instance of group `moved` is at the node `to` of its arm.
 */
static long double bound_after(const price_sample *sample, int32_t moved, uint32_t to)
{
    int32_t left = sample->problem.budget - 1;
    long double least = INFINITY;
    for (int z = 0; z < OG_PRICE_COUNT; z++) {
        long double price = sample->prices->price[z];
        long double sum = price * left + worth(arm_of(sample, moved), to, left, price);
        for (int32_t g = 0; g < sample->arms->group_count; g++) {
            long double copies = (long double)(sample->arms->group_size[g] - (g == moved));
            sum += copies * worth(arm_of(sample, g), 0, left, price);
        }
        least = sum < least ? sum : least;
    }
    return least;
}

/* A group whose instances an action labels. */
static int32_t group_of_action(const price_sample *sample, const og_action *action)
{
    int32_t left;
    uint32_t class = og_product_class(&sample->product, &sample->root, action, &left);
    int32_t g = 0;
    while (sample->layers->root_class[sample->arms->arm_of_group[g]] != class) {
        g++;
    }
    return g;
}

static void check_action(const price_sample *sample, const og_action *action, const double *q,
                         const double *q_error)
{
    int32_t g = group_of_action(sample, action);
    const og_arm *arm = arm_of(sample, g);
    /* Every worth and charge is rounded up by less than 2 units. */
    long double loose = 2 * (sample->instances + 1) / (long double)sample->prices->scale;
    long double sum = action->reward;
    for (int32_t o = 0; o < action->outcome_count; o++) {
        const og_outcome *outcome = &sample->root.outcome[action->outcome_first + o];
        size_t k = 0;
        while (og_classes_of(sample->classes, sample->problem.budget - 1,
                             sample->arms->arm_of_group[g], arm->next[k]) != outcome->to) {
            k++;
        }
        long double exact = bound_after(sample, g, arm->next[k]);
        long double rounding = exact * relative(sample->problem.budget, DBL_EPSILON);
        ck_assert_msg(outcome->bound >=
                          exact - exact * relative(sample->problem.budget, LDBL_EPSILON),
                      "%s, group %d, outcome %zu: bound %.17g is below %.17Lg", sample->words, g, k,
                      outcome->bound, exact);
        ck_assert_msg(outcome->bound <= exact + rounding + loose,
                      "%s, group %d, outcome %zu: bound %.17g is far above %.17Lg", sample->words,
                      g, k, outcome->bound, exact);
        sum += (long double)outcome->probability * outcome->bound;
    }
    ck_assert_msg(fabsl(action->bound - sum) <= 3 * (OUTCOMES + 1) * DBL_EPSILON * sum,
                  "%s, group %d: bound %.17g of the action, of its outcomes %.17Lg", sample->words,
                  g, action->bound, sum);
    ck_assert_msg(action->bound >= q[g] - q_error[g], "%s, group %d: bound %.17g, value %.17g",
                  sample->words, g, action->bound, q[g]);
}

static void values_without_bounds(const price_sample *sample, double *q, double *error)
{
    og_settings settings = question_settings(OG_REDUCE_SORT | OG_REDUCE_MERGE | OG_REDUCE_CAP, 1);
    OWN(og_solver) *solver = NULL;
    og_message message = {""};
    ck_assert_int_eq(og_solver_new(sample->arms, &settings, &solver, &message), OG_OK);
    ck_assert_int_eq(og_solver_q(solver, q, error, &message), OG_OK);
}

OG_TEST(bounds_are_those_of_the_relaxation_and_never_below_the_value)
{
    random_source random = random_start(test_seed(20261125));
    for (int i = 0; i < test_cases(100); i++) {
        price_sample sample;
        double q[GROUPS_MAX];
        double error[GROUPS_MAX];
        sample_init(&sample, &random, &small, OG_REDUCE_SORT | OG_REDUCE_MERGE | OG_REDUCE_BOUND);
        values_without_bounds(&sample, q, error);
        for (int32_t a = 0;
             sample.live && sample.problem.budget > 1 && a < sample.root.action_count; a++) {
            check_action(&sample, &sample.root.action[a], q, error);
        }
        sample_clear(&sample);
    }
}

/* ---- forced labels ---- */

/* From the definition: at least the most that any other instance could pay after this label. */
static bool is_forced(const price_sample *sample, int32_t group)
{
    double reward = arm_of(sample, group)->reward[0];
    bool forced = true;
    for (int32_t g = 0; g < sample->arms->group_count; g++) {
        bool another = sample->arms->group_size[g] > (g == group);
        double most = reach(arm_of(sample, g), 0, sample->problem.budget - 1);
        forced = forced && (!another || reward >= most);
    }
    return forced;
}

static uint32_t class_of_group(const price_sample *sample, int32_t group)
{
    return sample->layers->root_class[sample->arms->arm_of_group[group]];
}

/* One action for every class but that of the dead. */
static int32_t open_actions(const price_sample *sample)
{
    int32_t count = 0;
    for (int32_t g = 0; g < sample->arms->group_count; g++) {
        bool new = class_of_group(sample, g) != 0;
        for (int32_t before = 0; before < g; before++) {
            new = new &&class_of_group(sample, before) != class_of_group(sample, g);
        }
        count += new;
    }
    return count;
}

/* How much of the largest reward anywhere within reach the best label now pays. */
static double share_of_most(const price_sample *sample)
{
    double best = 0;
    double most = 0;
    for (int32_t g = 0; g < sample->arms->group_count; g++) {
        best = fmax(best, arm_of(sample, g)->reward[0]);
        most = fmax(most, reach(arm_of(sample, g), 0, sample->problem.budget - 1));
    }
    return best / most;
}

OG_TEST(labels_are_forced_where_the_definition_says_so_and_nowhere_else)
{
    random_source random = random_start(test_seed(20261126));
    int forced_count = 0;
    int close_count = 0;
    for (int i = 0; i < test_cases(30000); i++) {
        const limits near = {.parameter = 40, .budget = 5, .balanced = i % 2 == 0};
        price_sample sample;
        sample_init(&sample, &random, &near, OG_REDUCE_SORT | OG_REDUCE_MERGE | OG_REDUCE_FORCE);
        bool forced = false;
        for (int32_t g = 0; g < sample.arms->group_count; g++) {
            forced = forced || (class_of_group(&sample, g) != 0 && is_forced(&sample, g));
        }
        if (sample.live && forced) {
            ck_assert_msg(sample.root.action_count == 1 &&
                              is_forced(&sample, group_of_action(&sample, &sample.root.action[0])),
                          "%s: a label is forced, and %d actions are open", sample.words,
                          sample.root.action_count);
            forced_count++;
        } else if (sample.live) {
            ck_assert_msg(sample.root.action_count == open_actions(&sample),
                          "%s: no label is forced, and %d actions are open", sample.words,
                          sample.root.action_count);
            close_count += open_actions(&sample) > 1 && share_of_most(&sample) > 0.98;
        }
        sample_clear(&sample);
    }
    ck_assert_int_gt(forced_count, test_cases(1000));
    ck_assert_int_ge(close_count, test_cases(21));
}
