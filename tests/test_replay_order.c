/*
 * Replays by a tournament against looking at every task for every label, and the classes of scores
 * against the definition of what ties.
 */
#include "bench/simulation/independent.h"
#include "bench/simulation/recorded_order.h"
#include "bench/simulation/sources.h"
#include "heuristics/policy.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(replay_order, 120);

enum { TASKS_MAX = 40, LENGTH_MAX = 7, LABELS_MAX = TASKS_MAX * LENGTH_MAX, POINTS = 3 };

static const double slacks[] = {0, 0x1p-50, 0.02, 0.3};

/* An index with its arms. */
typedef struct {
    og_group prior;
    og_arms *arms;
    og_index *index;
} indexed_policy;

static void indexed_init(indexed_policy *indexed, const char *prior, const char *policy,
                         int32_t length)
{
    const og_policy_use use = {
        .whole_budget = length, .threads = 1, .memory_bytes = UINT64_C(1) << 28};
    og_policy_name name;
    og_groups problem;
    ck_assert_int_eq(og_group_parse(prior, &indexed->prior, NULL), OG_OK);
    test_problem(prior, length, &problem);
    ck_assert_int_eq(test_arms_new(&problem, 1, use.memory_bytes, &indexed->arms, NULL), OG_OK);
    og_groups_clear(&problem);
    ck_assert_int_eq(og_policy_name_parse(policy, &name, NULL), OG_OK);
    ck_assert_int_eq(og_policy_name_index(&name, indexed->arms, &use, &indexed->index, NULL),
                     OG_OK);
}

static void indexed_clear(indexed_policy *indexed)
{
    og_index_free(indexed->index);
    og_arms_free(indexed->arms);
}

/* ---- classes ---- */

typedef struct {
    double score;
    uint32_t of_class;
} scored_labels;

/* Of random instances that stand somewhere. */
static int32_t draw_scores(random_source *random, const indexed_policy *indexed,
                           const og_recorded_order *order, scored_labels *out)
{
    const og_arm *arm = indexed->arms->arm[0];
    int32_t count = 1 + (int32_t)random_below(random, TASKS_MAX);
    for (int32_t i = 0; i < count; i++) {
        int32_t length;
        do {
            length = 1 + (int32_t)random_below(random, LENGTH_MAX);
        } while (order->class_of[length] == NULL);
        uint32_t node = random_below(random, arm->level[length]);
        int32_t left = length - og_arm_level(arm, node);
        out[i] = (scored_labels){og_index_of(indexed->index, 0, left)[node],
                                 order->class_of[length][node]};
    }
    return count;
}

/* True if the largest belongs to a class with a distinct index. */
static bool assert_class_ties(const scored_labels *scored, int32_t count,
                              const og_recorded_order *order, double slack, double bound)
{
    scored_labels top = scored[0];
    for (int32_t i = 1; i < count; i++) {
        top = scored[i].score > top.score ? scored[i] : top;
    }
    for (int32_t i = 0; i < count; i++) {
        ck_assert_uint_le(scored[i].of_class, top.of_class);
        if (scored[i].of_class != top.of_class || !order->loose[top.of_class]) {
            bool ties = scored[i].score >= top.score - slack * fabs(top.score);
            ck_assert_int_eq(scored[i].of_class == top.of_class, ties);
        }
        if (scored[i].of_class == top.of_class && !order->loose[top.of_class]) {
            ck_assert_int_eq(scored[i].score <= bound, top.score <= bound);
        }
    }
    return !order->loose[top.of_class];
}

OG_TEST(a_class_that_is_not_loose_is_all_that_ties)
{
    random_source random = random_start(test_seed(1));
    int tells = 0, loose = 0;
    for (int k = 0; k < 8; k++) {
        bool there[LENGTH_MAX + 1] = {false};
        double slack = slacks[k % 4], bound = k < 4 ? -INFINITY : 0.04;
        og_recorded_order *order;
        indexed_policy indexed;
        indexed_init(&indexed, k % 2 == 0 ? "1,1" : "2,3@0.4", "gittins-fh", LENGTH_MAX);
        for (int length = 0; length <= LENGTH_MAX; length++) {
            there[length] = length == 3 || random_below(&random, 3) > 0;
        }
        ck_assert_int_eq(og_recorded_order_new(indexed.index, indexed.arms->arm[0], there, slack,
                                               bound, UINT64_C(1) << 20, &order),
                         OG_OK);
        for (int i = 0; i < test_cases(2000); i++) {
            scored_labels state[TASKS_MAX] = {{0}};
            int32_t count = draw_scores(&random, &indexed, order, state);
            bool told = assert_class_ties(state, count, order, slack, bound);
            tells += told;
            loose += !told;
        }
        og_recorded_order_free(order);
        ck_assert_int_eq(og_recorded_order_new(indexed.index, indexed.arms->arm[0], there, slack,
                                               bound, 64, &order),
                         OG_OK);
        ck_assert_ptr_null(order); /* too little memory */
        indexed_clear(&indexed);
    }
    ck_assert_int_gt(tells, 0); /* both were met */
    ck_assert_int_gt(loose, 0);
}

/* ---- runs ---- */

/* A random table. */
typedef struct {
    uint32_t task[LABELS_MAX], worker[LABELS_MAX];
    uint8_t label[LABELS_MAX], gold[TASKS_MAX];
    bool there[LENGTH_MAX + 1];
    og_labels labels;
    og_group prior;
    int32_t at[POINTS];
    og_recorded recorded;
    og_source source;
} order_table;

static void table_init(order_table *table, random_source *random)
{
    static const char *const priors[] = {"1,1", "2,1", "2,3@0.4", "1.3,0.7"};
    int32_t count = 0, tasks = 1 + (int32_t)random_below(random, TASKS_MAX);
    uint32_t most = 1 + random_below(random, LENGTH_MAX);
    memset(table, 0, sizeof *table);
    for (int32_t i = 0; i < tasks; i++) {
        uint32_t length = 1 + random_below(random, most);
        table->gold[i] = (uint8_t)random_below(random, 2);
        table->there[length] = true;
        for (uint32_t n = 0; n < length; n++) {
            table->task[count] = (uint32_t)i;
            table->worker[count] = n;
            table->label[count++] = random_below(random, 3) > 0 ? table->gold[i] : !table->gold[i];
        }
    }
    table->labels = (og_labels){.label_count = count,
                                .task_count = (uint32_t)tasks,
                                .worker_count = LENGTH_MAX,
                                .task = table->task,
                                .worker = table->worker,
                                .label = table->label};
    ck_assert_int_eq(og_group_parse(priors[random_below(random, 4)], &table->prior, NULL), OG_OK);
    table->at[2] =
        random_below(random, 2) == 0 ? count : (int32_t)random_below(random, (uint32_t)count) + 1;
    table->at[1] = table->at[2] / 2;
    table->at[0] = table->at[2] / 4;
    table->recorded = (og_recorded){.labels = &table->labels,
                                    .gold = table->gold,
                                    .prior = &table->prior,
                                    .at = table->at,
                                    .at_count = POINTS,
                                    .price = {random_below(random, 2) == 0, 40}};
    table->source = og_source_recorded(&table->recorded);
}

static int32_t longest(const order_table *table)
{
    int32_t most = LENGTH_MAX;
    while (!table->there[most]) {
        most--;
    }
    return most;
}

/* Another slack, so that more ties and some classes are loose. */
static void loosen(const order_table *table, og_index_play *play, double slack)
{
    char prior[OG_GROUP_TEXT_BYTES];
    indexed_policy own;
    if (play->index == NULL || play->order == NULL) {
        return;
    }
    og_group_format(&table->prior, prior, sizeof prior);
    indexed_init(&own, prior, "gittins-fh", longest(table)); /* the nodes are the same */
    og_recorded_order_free(play->order);
    play->slack = slack;
    ck_assert_int_eq(og_recorded_order_new(play->index, own.arms->arm[0], table->there, slack,
                                           play->stops ? play->stop * (1 + slack) : -INFINITY,
                                           UINT64_C(1) << 24, &play->order),
                     OG_OK);
    indexed_clear(&own);
}

static void assert_looking_plays_the_same(const order_table *table, const char *policy,
                                          double slack)
{
    const og_environment_use use = {
        .threads = 1, .memory_bytes = UINT64_C(1) << 28, .policy_count = 1};
    og_environments all;
    og_environment on;
    og_strategy by;
    og_policy_name name;
    ck_assert_int_eq(og_policy_name_parse(policy, &name, NULL), OG_OK);
    ck_assert_int_eq(table->source.open(&table->source, &use, &all, NULL), OG_OK);
    og_status status = all.strategy(all.self, &name, &by, NULL);
    if (status == OG_BAD_INPUT && table->recorded.price.num > 0 &&
        strcmp(policy, "gittins-inf") == 0) {
        all.free(all.self); /* it does not support prices */
        return;
    }
    ck_assert_msg(status == OG_OK, "%s", policy);
    ck_assert_int_eq(all.environment(all.self, &on), OG_OK);
    loosen(table, by.self, slack);
    for (uint64_t run = 0; run < 6; run++) {
        og_ties ties = run % 3 == 0 ? OG_TIES_FIRST : OG_TIES_RANDOM;
        double metric[2][4 * POINTS] = {{0}};
        uint64_t given[2][TASKS_MAX] = {{0}};
        for (int slow = 0; slow < 2; slow++) {
            ((og_index_play *)by.self)->looks = slow == 1;
            on.begin(on.self, 7, run / 2, given[slow]);
            ck_assert_int_eq(on.play(on.self, &by, ties, metric[slow], NULL), OG_OK);
            memset(metric[slow] + POINTS, 0, POINTS * sizeof **metric); /* seconds */
        }
        ck_assert_mem_eq(given[0], given[1], sizeof given[0]);
        ck_assert_mem_eq(metric[0], metric[1], sizeof metric[0]);
    }
    by.free(by.self);
    on.free(on.self);
    all.free(all.self);
}

OG_TEST(looking_at_every_task_plays_the_same_runs)
{
    static const char *const policies[] = {"uniform", "kg", "opt-kg", "gittins-inf", "gittins-fh"};
    random_source random = random_start(test_seed(2));
    for (int i = 0; i < test_cases(60); i++) {
        order_table table;
        table_init(&table, &random);
        for (int k = 0; k < 5; k++) {
            assert_looking_plays_the_same(&table, policies[k], slacks[(i + k) % 4]);
        }
    }
}
