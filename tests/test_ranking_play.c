/*
 * Rankings that are played: values by simulation against the exact ones, the rivals' beliefs
 * against their definitions, and what a run may and may not do.
 */
#include "bench/families/ranking/ranking.h"
#include "bench/simulation/simulate.h"
#include "dp/engine/strategy.h"
#include "heuristics/families/ranking_play.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(ranking_play, 60);

enum { ITEMS_MAX = 12, WORKERS_MAX = 4 };

static const uint64_t plenty = UINT64_C(1) << 30;

/* ---- values ---- */

static void *open_ranking(const char *word, int32_t budget, og_ranking_options *options)
{
    const og_settings settings = {.threads = 2, .memory_bytes = plenty};
    const og_problem_text given = {
        .options = options, .words = &word, .word_count = 1, .budget = budget, .left = -1};
    og_message message = {""};
    void *problem = NULL;
    og_status status = og_family_ranking.model.open(&given, &settings, &problem, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return problem;
}

static og_simulation play(const void *problem, const char *const *names, int32_t count,
                          int64_t runs, const char *truth, bool counts)
{
    /* akg-printed has known values if the first of tied pairs is compared; the others do not depend
     * on this. */
    const og_ties ties = strcmp(names[0], "akg-printed") == 0 ? OG_TIES_FIRST : OG_TIES_RANDOM;
    og_policy_name policies[8];
    og_message message = {""};
    og_simulation out;
    og_truth from = {0};
    for (int32_t i = 0; i < count; i++) {
        ck_assert(og_policy_name_parse(names[i], &policies[i], &message) == OG_OK);
    }
    ck_assert(og_truth_parse(truth, &from, &message) == OG_OK);
    const og_source source = og_family_source(&og_family_ranking, problem, &from);
    const og_asked asked = {.policies = policies,
                            .policy_count = count,
                            .request = {.ties = &ties,
                                        .ties_count = 1,
                                        .runs = runs,
                                        .seed = test_seed(5),
                                        .counts = counts,
                                        .settings = {.threads = 2, .memory_bytes = plenty}}};
    og_status status = og_simulate_run(&asked, &source, &out, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    og_truth_clear(&from);
    return out;
}

/* Known to twelve digits; a mean is farther off than five standard errors once in a million. */
OG_TEST_LOOP(test_exact_values_are_met, 0, 9)
{
    static const struct {
        const char *policy;
        int32_t budget;
        double own, called;
    } rows[] = {
        {"sorting", 2, 0.689424728391, 0.691154413571},
        {"sorting", 4, 0.750159776475, 0.753111469109},
        {"uniform", 4, 0.753111469109, 0.753111469109},
        {"akg", 5, 0.795526501616, 0.797919145509},
        {"akg", 10, 0.845350475058, 0.846302932762},
        {"distance", 10, 0.846167843897, 0.849384191531},
        {"akg-printed", 2, 0.700258888856, 0},
        {"akg-printed", 10, 0.845722168100, 0},
        {"kg-exact", 5, 0.794135762677, 0.794135762677},
    };
    og_ranking_options options = {.workers = {.group_count = 0}};
    void *problem = open_ranking("3x1", rows[_i].budget, &options);
    og_simulation found = play(problem, &rows[_i].policy, 1, test_cases(4000), "prior", false);
    const og_estimate *metric = found.rows[0].metric;
    ck_assert_int_eq(found.metric_count, 3);
    double off = (metric[0].mean - rows[_i].own) / metric[0].standard_error;
    ck_assert_msg(fabs(off) < 5, "%s: %g standard errors", rows[_i].policy, off);
    off = (metric[2].mean - rows[_i].called) / metric[2].standard_error;
    ck_assert_msg(fabs(off) < 5 || rows[_i].called == 0, "%s, called exactly: %g standard errors",
                  rows[_i].policy, off);
    og_simulation_clear(&found);
    og_family_close(&og_family_ranking, problem);
}

/* The same with workers: three items, two workers. */
OG_TEST(test_exact_values_with_workers)
{
    const og_settings settings = {.threads = 1, .memory_bytes = plenty};
    const char *const names[] = {"akg", "uniform"};
    og_ranking_options options = {.workers = {.group_count = 0}};
    og_message message = {""};
    og_group pair;
    ck_assert(og_group_parse("2x4,1", &pair, &message) == OG_OK);
    ck_assert(og_groups_add(&options.workers, &pair, &message) == OG_OK);
    (void)settings;
    void *problem = open_ranking("3x1", 5, &options);
    og_simulation found = play(problem, names, 2, test_cases(4000), "prior", true);
    const og_estimate *metric = found.rows[0].metric;
    ck_assert(fabs(metric[0].mean - 0.683331600481) < 5 * metric[0].standard_error);
    ck_assert(fabs(metric[2].mean - 0.683944979840) < 5 * metric[2].standard_error);
    for (int32_t i = 0; i < 2; i++) {
        const double *labels = found.rows[i].labels;
        ck_assert_double_eq_tol(labels[0] + labels[1], 5, 1e-12);
        ck_assert_double_eq_tol(labels[2] + labels[3], 5, 1e-12);
        ck_assert(labels[2] <= 3 && labels[3] <= 3); /* each pair once */
    }
    og_simulation_clear(&found);
    og_family_close(&og_family_ranking, problem);
    og_groups_clear(&options.workers);
}

/* Perfect workers are none, where no pair is asked twice; comparisons beyond what can be asked are
 * lost; and a batch of one is no batch. */
OG_TEST(test_runs_agree)
{
    static const char *const names[] = {"akg", "akg:1", "akg:2", "rc+akg"};
    og_ranking_options options = {.workers = {.group_count = 0}};
    void *problem = open_ranking("5x1", 9, &options);
    og_simulation found = play(problem, names, 4, 40, "list:1,2,4,8,16", true);
    ck_assert(found.rows[0].metric[0].mean == found.rows[1].metric[0].mean);
    ck_assert(found.rows[0].metric[0].mean != found.rows[2].metric[0].mean);
    for (int32_t d = 0; d < 4; d++) { /* rc+akg asks as akg does */
        ck_assert(found.rows[0].labels[d] == found.rows[3].labels[d]);
        ck_assert(found.rows[0].labels[d] == found.rows[1].labels[d]);
    }
    og_simulation_clear(&found);
    og_family_close(&og_family_ranking, problem);
}

OG_TEST_LOOP(test_what_is_refused, 0, 8)
{
    static const struct {
        const char *policy, *truth, *says;
    } rows[] = {
        {"crowd-bt", "prior", "workers of unknown reliability"},
        {"kg", "prior", "does not support ranking"},
        {"akg", "beta:1,2", "not beta:A,B"},
        {"akg", "list:1,2", "lists 2 numbers, but there are 5 items"},
        {"akg", "list:1,2,0,1,1", "number 3 must be greater than 0"},
        {"akg", "dirichlet:1,2", "lists 2 numbers"},
        {"akg", "workers:1,2", "requires workers"},
        {"kg-exact", "prior", "can be simulated only with"},
    };
    const og_ties ties = OG_TIES_RANDOM;
    og_ranking_options options = {.workers = {.group_count = 0}};
    og_message message = {""};
    og_policy_name policy;
    og_truth truth;
    og_simulation out;
    void *problem = open_ranking("5x1", 3, &options);
    ck_assert(og_policy_name_parse(rows[_i].policy, &policy, &message) == OG_OK);
    ck_assert(og_truth_parse(rows[_i].truth, &truth, &message) == OG_OK);
    const og_source source = og_family_source(&og_family_ranking, problem, &truth);
    const og_asked asked = {.policies = &policy,
                            .policy_count = 1,
                            .request = {.ties = &ties,
                                        .ties_count = 1,
                                        .runs = 2,
                                        .settings = {.threads = 1, .memory_bytes = plenty}}};
    og_status status = og_simulate_run(&asked, &source, &out, &message);
    ck_assert_int_eq(status, _i == 7 ? OG_STOPPED : OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, rows[_i].says) != NULL, "%s", message.text);
    og_truth_clear(&truth);
    og_family_close(&og_family_ranking, problem);
}

/* ---- policies ---- */

typedef struct {
    double prior[ITEMS_MAX + 2 * WORKERS_MAX];
    og_ranking_setting setting;
    og_strategy by;
    double belief[64 * ITEMS_MAX], after[64 * ITEMS_MAX], scratch[200 * ITEMS_MAX];
    int32_t won[ITEMS_MAX * ITEMS_MAX];
    og_ranking_played shown;
    og_act_open open[ITEMS_MAX * ITEMS_MAX * WORKERS_MAX];
    int32_t open_count;
    double answer[ITEMS_MAX * ITEMS_MAX * WORKERS_MAX];
} table;

static void sit_down(table *t, const char *name, int32_t items, int32_t workers)
{
    og_policy_name policy;
    og_message message = {""};
    memset(t, 0, sizeof *t);
    for (int32_t i = 0; i < items + 2 * workers; i++) {
        t->prior[i] = i < items ? 1 : i % 2 == items % 2 ? 4 : 1;
    }
    t->setting = (og_ranking_setting){items, workers, t->prior, NULL};
    t->shown = (og_ranking_played){.items = items, .won = t->won};
    ck_assert(og_policy_name_parse(name, &policy, &message) == OG_OK);
    og_status status = og_ranking_player(&policy, &t->setting, &t->by, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    ck_assert(t->by.belief_bytes <= sizeof t->belief && t->by.scratch_bytes <= sizeof t->scratch);
    for (uint32_t i = 0; i < (uint32_t)items; i++) {
        for (uint32_t j = i + 1; j < (uint32_t)items; j++) {
            for (uint32_t w = 0; w == 0 || w < (uint32_t)workers; w++) {
                t->open[t->open_count++] = (og_act_open){{{i, j, w}}, 1};
            }
        }
    }
    if (t->by.begin != NULL) {
        ck_assert(t->by.begin(t->by.self, t->scratch, t->belief, &message) == OG_OK);
    }
}

static og_strategy_view view_of(table *t)
{
    return (og_strategy_view){t->scratch, &t->shown, t->belief, t->open, t->open_count};
}

static void choose(table *t)
{
    const og_strategy_view view = view_of(t);
    og_answer kind;
    og_message message = {""};
    og_status status = t->by.choose(t->by.self, &view, t->answer, &kind, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
}

static void tell(table *t, uint32_t winner, uint32_t loser, uint32_t worker)
{
    og_act act = {{winner < loser ? winner : loser, winner < loser ? loser : winner, worker}};
    const og_strategy_view view = view_of(t);
    t->won[(int32_t)winner * t->setting.items + (int32_t)loser]++;
    if (t->by.learn != NULL) {
        ck_assert(t->by.learn(t->by.self, &view, act, winner < loser, 0, t->after) == 1);
        memcpy(t->belief, t->after, t->by.belief_bytes);
    }
}

static void decide(table *t, double *decision)
{
    const og_strategy_view view = view_of(t);
    og_message message = {""};
    ck_assert(t->by.decide(t->by.self, &view, decision, &message) == OG_OK);
}

OG_TEST(test_printed_index)
{
    static const double known[] = {-0.0199989933068, 0.0337501691351, 0.0298178035461};
    table t;
    sit_down(&t, "akg-printed", 3, 0);
    tell(&t, 0, 1, 0);
    choose(&t);
    for (int32_t p = 0; p < 3; p++) {
        ck_assert_double_eq_tol(t.answer[p], known[p], 1e-12);
    }
    og_strategy_free(&t.by);
}

/* The belief at the start of a batch chooses the whole batch, and its answers are applied in order.
 */
OG_TEST(test_batches)
{
    table one, three;
    double order[3] = {0}, at_once[ITEMS_MAX], in_turn[ITEMS_MAX];
    sit_down(&one, "akg", 5, 0);
    sit_down(&three, "akg:3", 5, 0);
    tell(&one, 0, 1, 0), tell(&three, 0, 1, 0);
    tell(&one, 2, 1, 0), tell(&three, 2, 1, 0);
    tell(&one, 3, 1, 0), tell(&three, 3, 1, 0);
    choose(&one);
    for (int32_t k = 0; k < 3; k++) {
        int32_t best = 0;
        choose(&three);
        for (int32_t p = 0; p < three.open_count; p++) {
            best = three.answer[p] > three.answer[best] ? p : best;
            bool asked = three.answer[p] == -INFINITY;
            ck_assert(asked || three.answer[p] == one.answer[p]);
        }
        order[k] = best;
        tell(&three, three.open[best].act.part[1], three.open[best].act.part[0], 0);
    }
    for (int32_t k = 0; k < 3; k++) {
        const uint32_t *part = one.open[(int32_t)order[k]].act.part;
        tell(&one, part[1], part[0], 0);
    }
    decide(&one, in_turn);
    decide(&three, at_once);
    ck_assert_mem_eq(in_turn, at_once, 5 * sizeof *in_turn);
    choose(&one);
    choose(&three);
    ck_assert_mem_eq(one.answer, three.answer, (size_t)one.open_count * sizeof *one.answer);
    og_strategy_free(&one.by);
    og_strategy_free(&three.by);
}

/* Where the walk stays: what flows in is what flows out. */
OG_TEST_LOOP(test_rank_centrality, 0, test_cases(10))
{
    random_source state = random_start(test_seed(7600 + (uint64_t)_i));
    int32_t items = 3 + (int32_t)random_below(&state, 6), most = 0, won[ITEMS_MAX * ITEMS_MAX];
    double score[ITEMS_MAX], room[ITEMS_MAX * (ITEMS_MAX + 4)], sum = 0;
    for (int32_t k = 0; k < items * items; k++) {
        won[k] = k / items == k % items ? 0 : 1 + (int32_t)random_below(&state, 4);
    }
    og_rank_centrality(items, won, score, room);
    for (int32_t i = 0; i < items; i++) {
        most = items - 1;
        double in = 0, out = 0;
        for (int32_t j = 0; j < items; j++) {
            double met = won[i * items + j] + won[j * items + i];
            in += i == j ? 0 : score[j] * won[i * items + j] / met / most;
            out += i == j ? 0 : score[i] * won[j * items + i] / met / most;
        }
        ck_assert_double_eq_tol(in, out, 1e-12);
        sum += score[i];
    }
    ck_assert_double_eq_tol(sum, 1, 1e-12);
}

/* One comparison of two items: the walk ends at the winner. An item without comparisons keeps its
 * score. */
OG_TEST(test_rank_centrality_by_hand)
{
    const int32_t won[9] = {0, 1, 0, 0, 0, 0, 0, 0, 0};
    double score[3], room[ITEMS_MAX * (ITEMS_MAX + 4)];
    og_rank_centrality(3, won, score, room);
    ck_assert_double_eq_tol(score[0], 2. / 3, 1e-15);
    ck_assert(score[1] == 0);
    ck_assert_double_eq_tol(score[2], 1. / 3, 1e-15);
}

/* A ladder on which each wins once in a million against the next: ratios of any size. */
OG_TEST_LOOP(test_rank_centrality_of_a_ladder, 0, 2)
{
    enum { LADDER = 100 };
    const double million = 1e6;
    int32_t won[LADDER * LADDER] = {0};
    double score[LADDER], *room = calloc(og_rank_centrality_room(LADDER), sizeof *room);
    for (int32_t i = 0; i + 1 < LADDER; i++) {
        int32_t worse = _i == 0 ? i : i + 1, better = _i == 0 ? i + 1 : i;
        won[worse * LADDER + better] = 1;
        won[better * LADDER + worse] = 1000000;
    }
    og_rank_centrality(LADDER, won, score, room);
    for (int32_t i = 0; i + 1 < LADDER; i++) {
        double worse = score[_i == 0 ? i : i + 1], better = score[_i == 0 ? i + 1 : i];
        ck_assert(isfinite(better) && better <= 1);
        if (worse > 1e-290) {
            ck_assert_double_eq_tol(better / worse / million, 1, 1e-12);
        }
    }
    free(room);
}

/* From the definition: the reachable items from each item, then a long walk. */
static void walk_for_long(int32_t items, const int32_t *won, double *score)
{
    enum { ROUNDS = 20000 };
    bool reach[ITEMS_MAX][ITEMS_MAX], leaves[ITEMS_MAX] = {false};
    for (int32_t i = 0; i < items; i++) {
        score[i] = 1. / items;
        for (int32_t j = 0; j < items; j++) {
            reach[i][j] = i == j || won[j * items + i] > 0;
        }
    }
    for (int32_t k = 0; k < items * items; k++) {
        for (int32_t i = 0, by = k % items; i < items; i++) {
            for (int32_t j = 0; j < items; j++) {
                reach[i][j] = reach[i][j] || (reach[i][by] && reach[by][j]);
            }
        }
    }
    for (int32_t i = 0; i < items * items; i++) {
        int32_t from = i / items, to = i % items;
        leaves[from] = leaves[from] || (reach[from][to] && !reach[to][from]);
    }
    for (int32_t round = 0; round < ROUNDS; round++) {
        double next[ITEMS_MAX];
        memcpy(next, score, sizeof next);
        for (int32_t k = 0; k < items * items; k++) {
            int32_t i = k / items, j = k % items, met = won[k] + won[j * items + i];
            double moved = met > 0 ? score[i] * won[j * items + i] / ((double)met * items) : 0;
            next[i] -= moved;
            next[j] += moved;
        }
        memcpy(score, next, sizeof next);
    }
    for (int32_t i = 0; i < items; i++) {
        score[i] = leaves[i] ? 0 : score[i];
    }
}

OG_TEST_LOOP(test_rank_centrality_where_few_have_met, 0, test_cases(100))
{
    random_source state = random_start(test_seed(7650 + (uint64_t)_i));
    int32_t items = 2 + (int32_t)random_below(&state, 6), won[ITEMS_MAX * ITEMS_MAX] = {0};
    double score[ITEMS_MAX], known[ITEMS_MAX], room[ITEMS_MAX * (ITEMS_MAX + 4)];
    for (int32_t k = 0; k < items * items; k++) {
        won[k] = k / items == k % items || random_below(&state, 3) > 0
                     ? 0
                     : 1 + (int32_t)random_below(&state, 3);
    }
    og_rank_centrality(items, won, score, room);
    walk_for_long(items, won, known);
    for (int32_t i = 0; i < items; i++) {
        ck_assert_double_eq_tol(score[i], known[i], 1e-11);
        ck_assert((score[i] == 0) == (known[i] == 0));
    }
}

static double normal_below(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

static double log_likelihood(const table *t, const double *m)
{
    double sum = 0;
    int32_t items = t->setting.items;
    for (int32_t i = 0; i < items; i++) {
        for (int32_t j = 0; j < items; j++) {
            sum += i == j ? 0
                          : (0.15 + t->won[i * items + j]) *
                                log(normal_below((m[i] - m[j]) / sqrt(2)));
        }
    }
    return sum;
}

/* The means are the likeliest; an index is the literal distance of two normal distributions: of two
 * items everything is a number. */
OG_TEST_LOOP(test_adaptive_polling, 0, test_cases(12))
{
    random_source state = random_start(test_seed(7700 + (uint64_t)_i));
    int32_t items = 2 + _i % 4;
    double m[ITEMS_MAX], sum = 0;
    table t;
    sit_down(&t, "adaptive-polling", items, 0);
    for (int32_t k = 0; k < 3 * items; k++) {
        uint32_t i = random_below(&state, (uint32_t)items);
        uint32_t j = random_below(&state, (uint32_t)items - 1);
        tell(&t, i, j + (j >= i), 0);
    }
    decide(&t, m);
    double top = log_likelihood(&t, m);
    for (int32_t i = 0; i < items; i++) {
        double moved[ITEMS_MAX];
        sum += m[i];
        for (int32_t side = -1; side <= 1; side += 2) {
            memcpy(moved, m, sizeof moved);
            moved[i] += side * 1e-4;
            ck_assert(log_likelihood(&t, moved) <= top + 1e-12);
        }
    }
    ck_assert_double_eq_tol(sum, 0, 1e-10);
    choose(&t);
    if (items == 2) { /* d = m0 - m1 alone is not known: its information, before and after */
        double d = m[0] - m[1], h = 1e-4, expected = 0;
        double moved[2] = {m[0] + h / 2, m[1] - h / 2}, back[2] = {m[0] - h / 2, m[1] + h / 2};
        double before = -(log_likelihood(&t, moved) + log_likelihood(&t, back) - 2 * top) / (h * h);
        for (int32_t won = 0; won < 2; won++) {
            double e = won == 0 ? d : -d;
            double up = log(normal_below((e + h) / sqrt(2))),
                   down = log(normal_below((e - h) / sqrt(2))),
                   here = log(normal_below(e / sqrt(2)));
            double slope = (up - down) / (2 * h), after = before - (up + down - 2 * here) / (h * h);
            double step = slope / after;
            expected += normal_below(e / sqrt(2)) *
                        (before / after - 1 + step * step * before + log(after / before)) / 2;
        }
        ck_assert_double_eq_tol(t.answer[0], expected, 1e-6);
    }
    og_strategy_free(&t.by);
}

/* The Kullback-Leibler distance of Beta(p) from Beta(q), from the trapezoidal rule in the logits.
 */
static double beta_distance(const double p[2], const double q[2])
{
    double sum = 0, step = 1. / 64;
    double front = lgamma(p[0] + p[1]) - lgamma(p[0]) - lgamma(p[1]);
    double other = lgamma(q[0] + q[1]) - lgamma(q[0]) - lgamma(q[1]);
    for (double u = -60; u <= 60; u += step) {
        double x = -log1p(exp(-u)), y = -log1p(exp(u));
        double log_p = front + p[0] * x + p[1] * y, log_q = other + q[0] * x + q[1] * y;
        sum += step * exp(log_p) * (log_p - log_q);
    }
    return sum;
}

static double normal_distance(double m, double v, double m0, double v0)
{
    return (v / v0 - 1 - log(v / v0) + (m - m0) * (m - m0) / v0) / 2;
}

/* From equal items everything is known by hand: f = be-al over 2(al+be), the worker keeps his
 * mean. */
OG_TEST(test_crowd_bt)
{
    table t;
    double m[ITEMS_MAX];
    sit_down(&t, "crowd-bt", 3, 2);
    choose(&t);
    double first = t.answer[0];
    for (int32_t k = 1; k < t.open_count; k++) {
        ck_assert_double_eq_tol(t.answer[k], first, 1e-13);
    }
    tell(&t, 0, 1, 1);
    decide(&t, m);
    const double *v = t.belief + 3, *worker = t.belief + 6;
    double f = 4. / 5 - 1. / 2, x = 4. / 25 - 1. / 4;
    ck_assert_double_eq_tol(m[0], f, 1e-15);
    ck_assert_double_eq_tol(m[1], -f, 1e-15);
    ck_assert_double_eq_tol(v[0], 1 + x, 1e-15);
    ck_assert_double_eq_tol(v[1], 1 + x, 1e-15);
    ck_assert(m[2] == 0 && v[2] == 1 && worker[0] == 4 && worker[1] == 1);
    ck_assert_double_eq_tol(worker[2] / (worker[2] + worker[3]), 4. / 5, 1e-13);
    double hand =
        2 * normal_distance(f, 1 + x, 0, 1) + beta_distance(worker + 2, (const double[]){4, 1});
    ck_assert_double_eq_tol(first, hand, 1e-11);
    for (int32_t k = 0; k < 30; k++) { /* both outcomes of every act, again and again */
        choose(&t);
        tell(&t, (uint32_t)k % 3, (uint32_t)(k + 1) % 3, (uint32_t)k % 2);
    }
    for (int32_t i = 0; i < 3; i++) {
        ck_assert(v[i] > 0 && isfinite(t.belief[i]));
    }
    og_strategy_free(&t.by);
}
