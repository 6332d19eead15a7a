/*
 * The recursion's states over ranks, which are threads here: the bits of the recursion on one for
 * any number of ranks, threads and words in a message, for models made at random, for families and
 * for products of arms; a rank that stops, fails or has too little memory ends all of them with the
 * same answer.
 */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/families/deadline.h"
#include "bench/families/delayed.h"
#include "bench/families/labelers.h"
#include "bench/families/ranking.h"
#include "bench/families/sources.h"
#include "bench/families/workers.h"
#include "dp/engine/spread.h"
#include "dp/engine/valuation.h"
#include "dp/product/optimum/optimum.h"
#include "tests/families.h"
#include "tests/question.h"
#include "tests/ranks.h"
#include "tests/support.h"

enum { RANKS_MOST = 5 };

static bool same_bits(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

/* ---- models made at random ---- */

enum { NODES = 2000, ARCS = 3, REACH = 3, LONG = 1500 };

/* Nodes stand in rows and lead to later rows; a key is the node, and words that follow from it. */
typedef struct {
    int32_t nodes, row;
    int32_t longest; /* words of some keys */
    int fails_on;    /* node whose expansion fails; -1: none */
    double value[NODES];
    double reward[NODES][ARCS];
    double weight[NODES][ARCS];
    double probability[NODES][ARCS][ARCS];
    int32_t to[NODES][ARCS][ARCS]; /* nodes: over */
    og_combine combine[NODES];
} graph;

static og_status graph_expansion_new(const void *self, og_expansion *x)
{
    (void)self;
    x->action = calloc(ARCS, sizeof *x->action);
    x->outcome = calloc(ARCS * ARCS, sizeof *x->outcome);
    return OG_OK;
}

static void graph_expansion_free(og_expansion *x)
{
    free(x->action);
    free(x->outcome);
}

static og_status graph_expand(const void *self, const uint64_t *key, int32_t words, og_expansion *x)
{
    const graph *g = self;
    int32_t node = (int32_t)key[0] - 1;
    (void)words;
    if (node == g->fails_on) {
        return OG_FAILED;
    }
    x->combine = g->combine[node];
    x->action_count = ARCS;
    for (int32_t a = 0; a < ARCS; a++) {
        x->action[a] =
            (og_action){g->reward[node][a], g->weight[node][a], INFINITY, ARCS * a, ARCS};
        for (int32_t k = 0; k < ARCS; k++) {
            x->outcome[ARCS * a + k] = (og_outcome){g->probability[node][a][k], INFINITY,
                                                    (uint32_t)node, (uint32_t)g->to[node][a][k]};
        }
    }
    return OG_OK;
}

static int32_t graph_key(const graph *g, int32_t node, uint64_t *key)
{
    int32_t words = node % 97 == 5 ? g->longest : 1 + node % 4;
    for (int32_t i = 0; i < words; i++) {
        key[i] = (uint64_t)node + 1 + (uint64_t)i * 77;
    }
    return words;
}

static int32_t graph_successor(const void *self, const og_expansion *x, const og_outcome *outcome,
                               uint64_t *key, double *value)
{
    const graph *g = self;
    (void)x;
    if ((int32_t)outcome->to >= g->nodes) {
        *value = outcome->to - g->nodes;
        return 0;
    }
    return graph_key(g, (int32_t)outcome->to, key);
}

static int32_t graph_stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    const graph *g = self;
    (void)words;
    *left = (g->nodes - 1) / g->row - ((int32_t)key[0] - 1) / g->row;
    return *left;
}

static double uniform(random_source *source)
{
    return (double)(random_next(source) >> 11) * 0x1p-53;
}

static void graph_make(random_source *source, int32_t nodes, int32_t row, bool by_stage, graph *g,
                       og_model *model)
{
    *g = (graph){.nodes = nodes,
                 .row = row,
                 .fails_on = -1,
                 .longest = random_below(source, 8) == 0 ? LONG : 9};
    for (int32_t n = nodes - 1; n >= 0; n--) {
        g->combine[n] = random_below(source, 3) == 0   ? OG_COMBINE_MEAN
                        : random_below(source, 2) == 0 ? OG_COMBINE_MIN
                                                       : OG_COMBINE_MAX;
        double best = NAN, sum = 0, all = 0;
        for (int32_t a = 0; a < ARCS; a++) {
            g->reward[n][a] = uniform(source) - 0.5;
            g->weight[n][a] = uniform(source) + 0.1;
            double value = g->reward[n][a];
            for (int32_t k = 0; k < ARCS; k++) {
                int32_t ahead = n / row + 1 + (int32_t)random_below(source, REACH);
                int32_t to = ahead * row + (int32_t)random_below(source, (uint32_t)row);
                double p = uniform(source);
                g->to[n][a][k] = to;
                g->probability[n][a][k] = p;
                value += p * (to < nodes ? g->value[to] : to - nodes);
            }
            best = isnan(best)                       ? value
                   : g->combine[n] == OG_COMBINE_MIN ? fmin(best, value)
                                                     : fmax(best, value);
            sum += g->weight[n][a] * value;
            all += g->weight[n][a];
        }
        g->value[n] = g->combine[n] == OG_COMBINE_MEAN ? sum / all : best;
    }
    *model = (og_model){.self = g,
                        .depth_max = nodes / row + 2,
                        .outcomes_max = ARCS,
                        .key_words_max = g->longest,
                        .expansion_new = graph_expansion_new,
                        .expansion_free = graph_expansion_free,
                        .expand = graph_expand,
                        .successor = graph_successor,
                        .stage = by_stage ? graph_stage : NULL};
}

typedef struct {
    const og_model *model[RANKS_MOST];
    int threads;
    uint64_t memory_bytes[RANKS_MOST], states_max;
    uint64_t key[LONG];
    int32_t words;
    og_status status[RANKS_MOST];
    double value[RANKS_MOST];
    og_spread_info info[RANKS_MOST];
    og_message message[RANKS_MOST];
} spreading;

static void by_spread(void *user, const og_world *world)
{
    spreading *w = user;
    int i = world->rank;
    const og_spread_use use = {.world = world,
                               .threads = w->threads,
                               .memory_bytes = w->memory_bytes[i],
                               .states_max = w->states_max};
    w->status[i] = og_spread_value(w->model[i], &use, w->key, w->words, &w->value[i], &w->info[i],
                                   &w->message[i]);
}

static spreading spreading_of(const graph *g, const og_model *model, int threads)
{
    spreading w = {.threads = threads};
    w.words = graph_key(g, 0, w.key);
    for (int i = 0; i < RANKS_MOST; i++) {
        w.model[i] = model;
        w.memory_bytes[i] = UINT64_C(1) << 28;
    }
    return w;
}

/* How many of the nodes can be reached. */
static uint64_t reached(const graph *g)
{
    static bool met[NODES];
    uint64_t count = 0;
    memset(met, 0, sizeof met);
    met[0] = true;
    for (int32_t n = 0; n < g->nodes; n++) {
        for (int32_t i = 0; met[n] && i < ARCS * ARCS; i++) {
            int32_t to = g->to[n][i / ARCS][i % ARCS];
            if (to < g->nodes) {
                met[to] = true;
            }
        }
        count += met[n];
    }
    return count;
}

/* By stages each state is there once; by steps as often as it is met after another number. */
START_TEST(models_made_at_random_have_their_values)
{
    uint64_t seed = test_seed(2303);
    random_source source = random_start(seed);
    static const int parcels[] = {1, 7, 100, OG_WORLD_PARCEL};
    graph *g = malloc(sizeof *g);
    for (int round = 0; round < test_cases(40); round++) {
        bool by_stage = round % 3 != 0;
        int ranks = 1 + round % RANKS_MOST;
        og_model model;
        int32_t nodes = 1 + (int32_t)random_below(&source, round % 4 == 0 ? 150 : NODES);
        int32_t row = 1 + (int32_t)random_below(&source, 10 + (uint32_t)nodes / 3);
        graph_make(&source, nodes, row, by_stage, g, &model);
        spreading w = spreading_of(g, &model, 1 + round % 3);
        int64_t sent = ranks_run(ranks, parcels[round % 4], by_spread, &w);
        uint64_t all = reached(g);
        for (int i = 0; i < ranks; i++) {
            const og_spread_info *info = &w.info[i];
            test_assert_msg(w.status[i] == OG_OK && same_bits(w.value[i], g->value[0]) &&
                                (by_stage ? info->states == all : info->states >= all) &&
                                info->expanded == 2 * info->states &&
                                info->sent_bytes == 8 * (uint64_t)sent,
                            "seed %" PRIu64 ", round %d, rank %d of %d: %s, %.17g, not %.17g; "
                            "%" PRIu64 " states, not %" PRIu64 "; %" PRIu64 " bytes, not %" PRId64,
                            seed, round, i, ranks, w.message[i].text, w.value[i], g->value[0],
                            info->states, all, info->sent_bytes, 8 * sent);
        }
    }
    free(g);
}
END_TEST

/* As every rank is answered that fails in the middle, or is given something else. */
START_TEST(a_rank_that_fails_ends_all)
{
    random_source source = random_start(test_seed(2304));
    graph *g = malloc(sizeof *g), *broken = malloc(sizeof *broken);
    og_model model, other;
    graph_make(&source, NODES, 50, true, g, &model);
    *broken = *g;
    broken->fails_on = NODES / 2;
    other = model;
    other.self = broken;
    spreading w = spreading_of(g, &model, 2);
    for (int i = 0; i < 3; i++) {
        w.model[i] = &other;
    }
    ranks_run(3, 10, by_spread, &w);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(w.status[i], OG_FAILED);
        ck_assert_str_eq(w.message[i].text, w.message[0].text);
    }
    other.depth_max++;
    w = spreading_of(g, &model, 2);
    w.model[1] = &other;
    ranks_run(3, 10, by_spread, &w);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(w.status[i], OG_BAD_INPUT);
    }
    free(g);
    free(broken);
}
END_TEST

START_TEST(limits_end_all)
{
    random_source source = random_start(test_seed(2305));
    graph *g = malloc(sizeof *g);
    og_model model;
    graph_make(&source, NODES, 50, true, g, &model);
    for (int which = 0; which < 4; which++) {
        spreading w = spreading_of(g, &model, 1);
        if (which < 3) {
            w.memory_bytes[which] = 300000;
        } else {
            w.states_max = 1000;
        }
        ranks_run(3, 10, by_spread, &w);
        static const char *const words[] = {"the memory limit was reached after ",
                                            "rank 1: the memory limit was reached after ",
                                            "rank 2: the memory limit was reached after ",
                                            "the limit on states was reached after "};
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(w.status[i], OG_STOPPED);
            ck_assert_msg(strncmp(w.message[i].text, words[which], strlen(words[which])) == 0, "%s",
                          w.message[i].text);
            ck_assert_str_eq(w.message[i].text, w.message[0].text);
            ck_assert(w.info[i].states > 0 && w.info[i].states == w.info[0].states);
        }
    }
    free(g);
}
END_TEST

/* ---- products of arms, by --engine recursion ---- */

typedef struct {
    const og_arms *arms;
    og_settings settings[RANKS_MOST];
    og_status status[RANKS_MOST];
    og_result result[RANKS_MOST];
    og_message message[RANKS_MOST];
} optimum;

static void by_optimum(void *user, const og_world *world)
{
    optimum *w = user;
    int i = world->rank;
    og_settings settings = w->settings[i];
    settings.world = world;
    og_optimum *of = NULL;
    w->status[i] = og_optimum_new(w->arms, &settings, &of, &w->message[i]);
    if (w->status[i] == OG_OK) {
        w->status[i] = og_optimum_value(of, &w->result[i], &w->message[i]);
    }
    og_optimum_free(of);
}

/* Ranks prune nothing; on one rank, what threads begin early differs from run to run. */
static void assert_found(const char *words, int ranks, int i, og_status status,
                         const og_message *message, const og_result *found, const og_result *alone)
{
    question_ok(status, message, words);
    test_assert_msg(same_bits(found->value, alone->value) && same_bits(found->gain, alone->gain) &&
                        same_bits(found->error_bound, alone->error_bound) &&
                        (ranks == 1 || found->states >= alone->states) &&
                        found->ranks == (ranks > 1 ? ranks : 0),
                    "%s: rank %d of %d: %.17g, %" PRIu64 " states; alone %.17g, %" PRIu64, words, i,
                    ranks, found->value, found->states, alone->value, alone->states);
}

START_TEST(arms_have_the_bits_of_one)
{
    static const unsigned reductions[] = {OG_REDUCE_ALL, 0, OG_REDUCE_ALL & ~OG_REDUCE_BOUND,
                                          OG_REDUCE_FORCE | OG_REDUCE_SORT};
    uint64_t seed = test_seed(2306);
    random_source source = random_start(seed);
    for (int round = 0; round < test_cases(80); round++) {
        question q = question_of_any_kind(&source, seed, round);
        optimum w = {.arms = q.arms};
        int ranks = 1 + round % 4;
        for (int i = 0; i < RANKS_MOST; i++) {
            w.settings[i] = question_settings(reductions[round % 4], 1 + round % 3);
            w.settings[i].engine = OG_ENGINE_RECURSION;
        }
        og_result alone;
        og_message message = {""};
        question_ok(question_try(q.arms, &w.settings[0], &alone, &message), &message, q.words);
        ranks_run(ranks, round % 5 == 0 ? 1 : 100, by_optimum, &w);
        for (int i = 0; i < ranks; i++) {
            og_result *found = &w.result[i];
            found->ranks = q.arms->budget == 0 ? (ranks > 1 ? ranks : 0) : found->ranks;
            assert_found(q.words, ranks, i, w.status[i], &w.message[i], found, &alone);
        }
        question_free(&q);
    }
}
END_TEST

/* Each meeting begins so late that the watch is asked, however fast the machine is. */
static int64_t fold_late(void *self, int64_t mine, og_world_fold how)
{
    const og_world *world = self;
    nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
    return world->fold(world->self, mine, how);
}

static void tell_through(void *self, int from, void *data, size_t bytes)
{
    const og_world *world = self;
    world->tell(world->self, from, data, bytes);
}

static void swap_through(void *self, int to, const void *send, int send_count, int from,
                         void *receive, int receive_count)
{
    const og_world *world = self;
    world->swap(world->self, to, send, send_count, from, receive, receive_count);
}

static void by_late_optimum(void *user, const og_world *world)
{
    og_world late = *world, own = *world;
    late.self = &own;
    late.fold = fold_late;
    late.tell = tell_through;
    late.swap = swap_through;
    by_optimum(user, &late);
}

static bool stop_at_once(void *user, const og_progress *progress)
{
    (void)user;
    return progress->states == 0; /* not while tables are made */
}

START_TEST(a_rank_that_stops_stops_all)
{
    question q = question_of("6x1,1", 24);
    for (int which = 0; which < 3; which++) {
        optimum w = {.arms = q.arms};
        for (int i = 0; i < RANKS_MOST; i++) {
            w.settings[i] = question_settings(OG_REDUCE_ALL & ~OG_REDUCE_FORCE, 1);
            w.settings[i].engine = OG_ENGINE_RECURSION;
        }
        w.settings[which].watch = stop_at_once;
        ranks_run(3, 100, by_late_optimum, &w);
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(w.status[i], OG_STOPPED);
            ck_assert_msg(strstr(w.message[i].text, "the work was stopped after") != NULL, "%s",
                          w.message[i].text);
            ck_assert(w.result[i].states > 0 && w.result[i].states == w.result[0].states);
        }
    }
    question_free(&q);
}
END_TEST

/* ---- families ---- */

typedef struct {
    const og_family *family;
    const void *problem;
    int threads;
    og_status status[RANKS_MOST];
    og_found found[RANKS_MOST];
    og_message message[RANKS_MOST];
} family_work;

static og_settings family_settings(int threads, const og_world *world)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, threads);
    settings.engine = OG_ENGINE_RECURSION; /* the race may leave it to rank 0 */
    settings.world = world;
    return settings;
}

static void by_family(void *user, const og_world *world)
{
    family_work *w = user;
    int i = world->rank;
    og_settings settings = family_settings(w->threads, world);
    w->status[i] = family_value(w->family, w->problem, NULL, OG_TIES_BEST, &settings, NULL,
                                &w->found[i], &w->message[i]);
}

static void check_family(const og_family *family, const void *problem)
{
    const og_settings settings = family_settings(1, NULL);
    og_message message = {""};
    og_found alone;
    question_ok(
        family_value(family, problem, NULL, OG_TIES_BEST, &settings, NULL, &alone, &message),
        &message, family->name);
    for (int ranks = 1; ranks <= 4; ranks++) {
        family_work w = {.family = family, .problem = problem, .threads = 1 + ranks % 2};
        ranks_run(ranks, ranks == 3 ? 2 : 1000, by_family, &w);
        for (int i = 0; i < ranks; i++) {
            assert_found(family->name, ranks, i, w.status[i], &w.message[i], &w.found[i].result,
                         &alone.result);
            /* Its states are met after different numbers of steps; nothing is pruned. */
            ck_assert(family != &og_family_deadline ||
                      w.found[i].result.states == alone.result.states);
        }
    }
}

static void check_words(const og_family *family, const char *const *words, int32_t count,
                        int32_t budget, const void *options)
{
    const og_given given = {
        .options = options, .words = words, .word_count = count, .budget = budget, .left = -1};
    const og_settings settings = family_settings(1, NULL);
    og_message message = {""};
    void *problem = NULL;
    question_ok(family->open(&given, &settings, &problem, &message), &message, family->name);
    check_family(family, problem);
    family->close(problem);
}

static void check_instances(const og_family *family, const char *words, int32_t budget,
                            const void *options)
{
    const og_settings settings = family_settings(1, NULL);
    og_message message = {""};
    og_groups instances;
    void *problem = NULL;
    test_problem(words, budget, &instances);
    question_ok(family_open(family, &instances, options, &settings, &problem, &message), &message,
                words);
    check_family(family, problem);
    family->close(problem);
    og_groups_clear(&instances);
}

START_TEST(families_have_the_bits_of_one)
{
    static const char *const items[] = {"3x1"}, *const labelers[] = {"0.9", "0.7", "0.6"};
    static const og_sources_options known = {{{2, {{{4, 5}, 1, 2}, {{9, 10}, 2, 0}}}, {{0, 0}}},
                                             {"a", "b"}};
    static const og_sources_options sources = {
        {{2, {{{2, 1}, 1, 2}, {{9, 10}, 2, 0}}}, {{1, 1}, {0, 0}}}, {"a", "b"}};
    static const og_deadline_options deadline = {{6, {1, 2}, 2, {1, 1}, .turn_away = true}};
    const og_delayed_options delayed = delayed_options(12);
    const og_labelers_options unknown = {.explore = {1, 1},
                                         .contexts = 1,
                                         .unknown = "orders",
                                         .cost = {{1, 50}},
                                         .cost_count = 1,
                                         .price = {0, 1}};
    og_workers_options workers = {.once = false};
    test_problem("2x4,1", 0, &workers.workers);
    check_words(&og_family_ranking, items, 1, 7, NULL);
    check_words(&og_family_labelers, labelers, 3, 5, &unknown);
    check_instances(&og_family_sources, "3x1,1", 6, &sources);
    check_instances(&og_family_sources, "3x1,1", 7, &known);
    check_instances(&og_family_deadline, "3x1,1", 5, &deadline);
    check_instances(&og_family_delayed, "3x1,1", 6, &delayed);
    check_instances(&og_family_batch, "3x1,1", 6, &(og_batch_options){2});
    check_instances(&og_family_workers, "2x1,1 2,1", 5, &workers);
    og_groups_clear(&workers.workers);
}
END_TEST

OG_SUITE(spread)
{
    Suite *suite = suite_create("spread");
    TCase *value = test_group(suite, "value", 60), *contract = test_group(suite, "contract", 60);
    tcase_add_test(value, models_made_at_random_have_their_values);
    tcase_add_test(value, arms_have_the_bits_of_one);
    tcase_add_test(value, families_have_the_bits_of_one);
    tcase_add_test(contract, a_rank_that_fails_ends_all);
    tcase_add_test(contract, limits_end_all);
    tcase_add_test(contract, a_rank_that_stops_stops_all);
    return test_run(suite);
}
