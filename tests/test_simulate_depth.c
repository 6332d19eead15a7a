/*
 * Arms that grow with the runs: with any initial depth the bits equal those of full arms; and their
 * purpose, problems with very many instances. Also the tournament that finds the leaders.
 */
#include "bench/simulation/independent.h"
#include "tests/random_problem.h"
#include "tests/simulate_sample.h"
#include "tests/support.h"

OG_SUITE(simulate_depth, 60);

static void sample_init(random_sample *sample, const char *words, int32_t budget,
                        const char *policies, int64_t runs)
{
    sample_begin(sample, policies, runs);
    sample->asked.request.counts = true;
    test_problem(words, budget, &sample->problem);
}

static og_simulation play(random_sample *sample, int32_t first_depth, int threads)
{
    og_simulation found;
    sample->source.first_depth = first_depth;
    sample->asked.request.settings.threads = threads;
    og_status status = og_simulate_run(&sample->asked, &sample->source, &found, &sample->message);
    ck_assert_msg(status == OG_OK, "%s", sample->message.text);
    return found;
}

static void assert_same(const random_sample *sample, const og_simulation *whole,
                        const og_simulation *other)
{
    problem_label label = problem_with_seed(&sample->problem, sample->asked.request.seed);
    test_assert_msg(memcmp(&whole->rounding, &other->rounding, sizeof(double)) == 0 &&
                        memcmp(&whole->call, &other->call, sizeof(double)) == 0,
                    "%s from depth %d: rounding %g, %g", label.text, sample->source.first_depth,
                    whole->rounding, other->rounding);
    for (int32_t i = 0; i < whole->row_count; i++) {
        const og_simulate_row *x = &whole->rows[i], *y = &other->rows[i];
        size_t metrics = (size_t)whole->metric_count * sizeof *x->metric;
        size_t labels = (size_t)whole->instances * sizeof *x->labels;
        test_assert_msg(
            x->status == OG_OK && y->status == OG_OK &&
                memcmp(x->metric, y->metric, metrics) == 0 &&
                memcmp(x->difference, y->difference, metrics) == 0 &&
                memcmp(x->labels, y->labels, labels) == 0 && y->tolerance_ties <= x->tolerance_ties,
            "%s %s from depth %d: %.17g, not %.17g", label.text, sample->policies[x->policy].name,
            sample->source.first_depth, y->metric[0].mean, x->metric[0].mean);
    }
}

/* From these depths and on these threads as with whole arms. */
static void assert_depths_agree(random_sample *sample, int32_t first_most)
{
    OWN(og_simulation) whole = play(sample, OG_BUDGET_MAX, 1);
    for (int32_t first = 0; first <= first_most; first++) {
        OWN(og_simulation) other = play(sample, first, first == 0 ? 1 : 1 << (first - 1));
        assert_same(sample, &whole, &other);
    }
}

/* -- value ------------------------------------------------------------------------------------ */

OG_TEST(runs_of_random_problems_do_not_depend_on_the_first_depth)
{
    random_limits limits = {.instances = 6, .budget = 24};
    random_source source = random_start(test_seed(31));
    for (int i = 0; i < test_cases(24); i++) {
        random_sample sample;
        bool betas = i % 2 == 0;
        sample_begin(&sample,
                     betas
                         ? "uniform,kg,opt-kg,pess-kg,cvar-kg:0.3,thompson,ucb1-tuned,gittins-fh"
                         : "uniform,kg,opt-kg,pess-kg,cvar-kg:0.6,ucb1-tuned,kg-exact,lookahead:1",
                     70);
        sample.asked.request.counts = true;
        limits.payoffs = i % 3 == 1;
        limits.worths = i % 3 == 2;
        limits.mixtures = !betas;
        limits.integers = i % 5 == 2;
        random_problem(&source, &limits, &sample.problem);
        sample.asked.request.seed = random_next(&source);
        assert_depths_agree(&sample, 3);
        sample_clear(&sample);
    }
}

typedef struct {
    const char *words;
    int32_t budget;
    const char *policies;
    bool whole; /* some of the order of one policy is not proved */
} hard_case;

/* Classes; instances with differences too small for doubles, with and without rationals; few
 * instances with many labels, and deep instances together with shallow ones. */
static const hard_case hard_cases[] = {
    {"4x1,1,1 2x1,2,0.5", 18, "uniform,kg,opt-kg,pess-kg,cvar-kg:0.5,ucb1-tuned", false},
    {"2x1,1 2x1,1@0.4999999999999999 1,1@0.5000000000000001", 60,
     "kg,opt-kg,pess-kg,cvar-kg:0.5,thompson", false},
    {"2x0.5,0.5 2x0.5,0.5@0.4999999999999999", 60, "opt-kg,pess-kg,cvar-kg:0.5", true},
    {"60x0.5,0.5", 60, "pess-kg", true},
    {"0.1,0.1 0.1,0.2 3,0.7@0.25", 60, "kg,opt-kg,pess-kg,cvar-kg:0.25,thompson", false},
    {"1,1", 120, "kg,opt-kg,thompson", false},
    {"900,1 1,900 2x1,1", 120, "kg,opt-kg,pess-kg,cvar-kg:0.5", false},
    {"12x1,1", 200, "uniform,kg,opt-kg,pess-kg,ucb1-tuned", false},
};

OG_TEST_LOOP(runs_of_hard_problems_do_not_depend_on_the_first_depth, 0,
             sizeof hard_cases / sizeof *hard_cases)
{
    const hard_case *at = &hard_cases[_i];
    random_sample sample;
    sample_init(&sample, at->words, at->budget, at->policies, 70);
    assert_depths_agree(&sample, 3);
    if (at->whole) {
        OWN(og_simulation) found = play(&sample, 0, 1), whole = play(&sample, OG_BUDGET_MAX, 1);
        ck_assert_uint_gt(found.rows[0].tolerance_ties, 0);
        ck_assert_uint_eq(found.rows[0].tolerance_ties, whole.rows[0].tolerance_ties);
    }
    sample_clear(&sample);
}

/* The loop that asks at every label, on whole arms, against a tournament from one label on. */
OG_TEST(asking_at_every_label_plays_the_same_runs_at_any_depth)
{
    static const char *const names[] = {"kg", "opt-kg", "pess-kg"};
    random_sample sample;
    sample_init(&sample, "2,1 2x1,1@0.3 1,1 2,3 0.5,0.5", 40, "kg", 2);
    for (int i = 0; i < 3 * test_cases(30); i++) {
        double score[2][2];
        for (int32_t first = 0; first < 2; first++) {
            const og_environment_use use = {
                .threads = 1, .memory_bytes = 1 << 30, .policy_count = 1};
            sample.source.first_depth = first > 0 ? OG_BUDGET_MAX : 1;
            og_environments all;
            og_environment on;
            og_strategy by;
            uint64_t run = (uint64_t)i;
            ck_assert_int_eq(og_policy_name_parse(names[i % 3], sample.policies, NULL), OG_OK);
            ck_assert_int_eq(sample.source.open(&sample.source, &use, &all, NULL), OG_OK);
            ck_assert_int_eq(all.strategy(all.self, sample.policies, &by, NULL), OG_OK);
            ck_assert_int_eq(all.environment(all.self, &on), OG_OK);
            on.begin(on.self, 7, run, NULL);
            og_status status =
                first == 0
                    ? on.play(on.self, &by, OG_TIES_RANDOM, score[first], NULL)
                    : og_environment_loop(&on, &by, OG_TIES_RANDOM, 7, run, score[first], NULL);
            ck_assert_int_eq(status, OG_OK);
            by.free(by.self);
            on.free(on.self);
            all.free(all.self);
        }
        ck_assert_mem_eq(score[0], score[1], sizeof score[0]);
    }
    sample_clear(&sample);
}

/* -- size ------------------------------------------------------------------------------------- */

/* Whole arms would take 600 GB. */
OG_TEST(a_hundred_thousand_instances_are_played_in_little_memory)
{
    random_sample sample;
    sample_init(&sample, "99999x1,1 4,1", 200000, "kg,opt-kg,uniform,gittins-fh", 2);
    sample.asked.request.settings.memory_bytes = 32 << 20;
    sample.asked.request.ties_count = 1;
    sample.asked.request.counts = false;
    og_simulation found = play(&sample, 0, 1);
    for (int32_t i = 0; i < 3; i++) {
        ck_assert_int_eq(found.rows[i].status, OG_OK);
        ck_assert_double_gt(found.rows[i].metric[OG_EXPECTED].mean, 70000);
    }
    /* opt-kg spends its labels better than kg, which sees nothing in most instances after two. */
    ck_assert_double_gt(found.rows[1].metric[OG_EXPECTED].mean,
                        found.rows[0].metric[OG_EXPECTED].mean);
    ck_assert_int_eq(found.rows[3].status, OG_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(found.rows[3].message.text, "200000 labels take"));
    og_simulation_clear(&found);
    sample_clear(&sample);
}

/* What fits at first need not in the end. */
OG_TEST(a_run_whose_arms_become_too_deep_says_what_they_take)
{
    random_sample sample;
    og_simulation found;
    sample_init(&sample, "4x1,1", 4000, "kg", 2);
    sample.asked.request.settings.memory_bytes = 4 << 20;
    sample.source.first_depth = 20;
    ck_assert_int_eq(og_simulate_run(&sample.asked, &sample.source, &found, &sample.message),
                     OG_NO_MEMORY);
    ck_assert_msg(strncmp(sample.message.text, "kg: ", 4) == 0 &&
                      strstr(sample.message.text, "limit is 4.0 MB") != NULL,
                  "%s", sample.message.text);
    sample_clear(&sample);
}

/* The runs of other policies remain valid in any order. */
OG_TEST(a_policy_whose_arms_become_too_deep_is_a_row)
{
    /* opt-kg has its labels at one instance, uniform a tenth of them at each. */
    static const char *const names[] = {"uniform,opt-kg", "opt-kg,uniform"};
    for (int i = 0; i < 2; i++) {
        random_sample sample;
        sample_init(&sample, "1,1 9x900,1", 850, names[i], 4);
        sample.asked.request.ties_count = 1;
        sample.asked.request.settings.memory_bytes = 4 << 20;
        sample.source.first_depth = 20;
        og_simulation found;
        og_status status = og_simulate_run(&sample.asked, &sample.source, &found, &sample.message);
        ck_assert_msg(status == OG_OK, "%s", sample.message.text);
        int limited = 0, played = 0;
        for (int32_t row = 0; row < found.row_count; row++) {
            const og_simulate_row *at = &found.rows[row];
            bool uniform = (at->policy == 0) == (i == 0);
            ck_assert_int_eq(at->status, uniform ? OG_OK : OG_NO_MEMORY);
            ck_assert(uniform || strstr(at->message.text, "limit is 4.0 MB") != NULL);
            played += uniform;
            limited += !uniform;
        }
        ck_assert(played == 1 && limited == 1);
        og_simulation_clear(&found);
        sample_clear(&sample);
    }
}

/* -- tournament ------------------------------------------------------------------------------- */

static uint32_t count_leaders(const uint32_t *rank, uint32_t count, uint32_t *top)
{
    uint32_t leaders = 0;
    *top = 0;
    for (uint32_t i = 0; i < count; i++) {
        leaders = i == 0 || rank[i] > *top ? 1 : leaders + (rank[i] == *top);
        *top = i == 0 || rank[i] > *top ? rank[i] : *top;
    }
    return leaders;
}

static void assert_leaders(const og_tournament_shape *shape, const uint32_t *words,
                           const uint32_t *rank)
{
    uint32_t top, count = shape->instances, leaders = count_leaders(rank, count, &top), j = 0;
    ck_assert_uint_eq(og_tournament_leaders(shape, words), leaders);
    for (uint32_t i = 0; i < count; i++) {
        if (rank[i] == top) {
            uint32_t found = og_tournament_leader(shape, words, j++);
            test_assert_msg(found == i, "of %u: %u, not %u", count, found, i);
        }
    }
}

/* Few ranks, the smallest and the largest among them; the leaders are changed most. */
OG_TEST(tournament_knows_all_leaders_after_each_change)
{
    static const uint32_t ranks[] = {0, 1, 2, 3, 1000, UINT32_MAX - 1};
    static const uint32_t counts[] = {1, 2, 15, 16, 17, 255, 256, 257, 300, 4100};
    random_source source = random_start(test_seed(5));
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        uint32_t count = counts[c];
        og_tournament_shape shape = og_tournament_shape_of(count);
        uint32_t *words = calloc(og_tournament_words(&shape), sizeof *words);
        uint32_t *rank = calloc(count, sizeof *rank);
        for (uint32_t i = 0; i < count; i++) {
            rank[i] = ranks[random_below(&source, 6)];
            og_tournament_put(words, i, rank[i]);
        }
        og_tournament_fill(&shape, words);
        for (int change = 0; change < test_cases(count < 1000 ? 400 : 50); change++) {
            assert_leaders(&shape, words, rank);
            uint32_t leaders = og_tournament_leaders(&shape, words);
            uint32_t i = change % 4 == 0
                             ? random_below(&source, count)
                             : og_tournament_leader(&shape, words, random_below(&source, leaders));
            rank[i] = ranks[random_below(&source, change % 7 == 0 ? 6 : 3)];
            og_tournament_change(&shape, words, i, rank[i]);
        }
        free(words);
        free(rank);
    }
}
