/*
 * What a simulation is made of: numbers drawn by address, truths, and one run of one policy.
 */
#include "bench/random.h"
#include "bench/simulation/independent.h"
#include "bench/simulation/sources.h"
#include "dp/product/solve.h"
#include "heuristics/policy.h"
#include "tests/support.h"

OG_SUITE(play, 60);

static const double sigmas = 4;

/* -- random numbers --------------------------------------------------------------------------- */

typedef struct {
    uint32_t counter[4];
    uint32_t key[2];
    uint32_t block[4];
} known_block;

/* The known answers that come with the authors' own implementation (Random123, kat_vectors). */
OG_TEST(philox_gives_the_known_blocks)
{
    static const known_block known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t block[4];
        memcpy(block, known[i].counter, sizeof block);
        og_philox(block, known[i].key);
        ck_assert_mem_eq(block, known[i].block, sizeof block);
    }
}

OG_TEST(draw_depends_on_every_part_of_the_address)
{
    uint64_t base = og_draw(1, OG_DRAW_LABEL, 2, 3, 4);
    ck_assert_uint_ne(base, og_draw(2, OG_DRAW_LABEL, 2, 3, 4));
    ck_assert_uint_ne(base, og_draw(1 + (UINT64_C(1) << 32), OG_DRAW_LABEL, 2, 3, 4));
    ck_assert_uint_ne(base, og_draw(1, OG_DRAW_TIE, 2, 3, 4));
    ck_assert_uint_ne(base, og_draw(1, OG_DRAW_LABEL, 3, 3, 4));
    ck_assert_uint_ne(base, og_draw(1, OG_DRAW_LABEL, 2 + (UINT64_C(1) << 32), 3, 4));
    ck_assert_uint_ne(base, og_draw(1, OG_DRAW_LABEL, 2, 4, 4));
    ck_assert_uint_ne(base, og_draw(1, OG_DRAW_LABEL, 2, 3, 5));
    ck_assert_uint_eq(base, og_draw(1, OG_DRAW_LABEL, 2, 3, 4));
}

OG_TEST(draw_below_divides_the_range_evenly)
{
    ck_assert_uint_eq(og_draw_below(0, 5), 0);
    ck_assert_uint_eq(og_draw_below(UINT64_MAX, 5), 4);
    ck_assert_uint_eq(og_draw_below(UINT64_MAX, UINT32_MAX), UINT32_MAX - 1);
    ck_assert_uint_eq(og_draw_below(UINT64_MAX / 2, 2), 0);
    ck_assert_uint_eq(og_draw_below(UINT64_MAX / 2 + 1, 2), 1);
    ck_assert_uint_eq(og_draw_below(UINT64_MAX / 3, 3), 0);
    ck_assert_uint_eq(og_draw_below(UINT64_MAX / 3 + 1, 3), 1);
    ck_assert_double_lt(og_draw_unit(UINT64_MAX), 1);
    ck_assert_double_eq(og_draw_unit(UINT64_C(1) << 63), 0.5);
}

/* Mean and variance of Beta variates, parameters below, at and above 1. */
OG_TEST(truth_draws_have_the_moments_of_their_beta)
{
    static const double parameters[][2] = {{1, 1}, {0.5, 0.5}, {4, 1}, {0.3, 2}, {30, 20}};
    static const char *const words[] = {"1,1", "0.5,0.5", "4,1", "0.3,2", "30,20"};
    const int draws = 40000;
    og_truth prior = {.kind = OG_TRUTH_PRIOR};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        og_group group;
        double a = parameters[i][0], b = parameters[i][1], sum = 0, squares = 0;
        double mean = a / (a + b), variance = mean * (1 - mean) / (a + b + 1);
        ck_assert_int_eq(og_group_parse(words[i], &group, NULL), OG_OK);
        for (int run = 0; run < draws; run++) {
            double soft = og_truth_draw(&prior, &group, 3, (uint64_t)run, (uint32_t)i);
            ck_assert(soft >= 0 && soft <= 1);
            sum += soft - mean;
            squares += (soft - mean) * (soft - mean);
        }
        ck_assert_double_le(fabs(sum / draws), sigmas * sqrt(variance / draws));
        /* A variable on [0, 1]: its square about the mean has a variance of at most `variance`. */
        ck_assert_double_le(fabs(squares / draws - variance), sigmas * sqrt(variance / draws));
    }
}

OG_TEST(truth_parse_names_what_is_wrong)
{
    static const char *const wrong[][2] = {
        {"betta:1,1", "prior, beta:A,B or list"},
        {"", "prior, beta:A,B or list"},
        {"beta:4", "beta:A,B"},
        {"beta:4,", "beta:A,B"},
        {"beta:4,1@0.3", "beta:A,B"},
        {"beta:0,1", "beta:0,1"},
        {"list:", "number 1"},
        {"list:0.5,-0.1", "number 2"},
        {"list:0.5,,1", "number 2"},
        {"list:0.5,1,", "number 3"},
        {"list:nan", "number 1"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        og_truth truth = {.kind = OG_TRUTH_BETA};
        og_message message = {""};
        ck_assert_int_eq(og_truth_parse(wrong[i][0], &truth, &message), OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, wrong[i][1]) != NULL, "'%s': %s", wrong[i][0],
                      message.text);
        ck_assert_int_eq(truth.kind, OG_TRUTH_BETA);
    }
}

/* A score may be larger than 1, a soft label not. */
OG_TEST(truth_check_names_what_is_wrong)
{
    OWN(og_groups) problem;
    og_truth truth;
    og_message message = {""};
    test_problem("2x1,1", 1, &problem);
    ck_assert_int_eq(og_truth_parse("list:0.5,1.5", &truth, &message), OG_OK);
    ck_assert_int_eq(og_truth_check(&truth, &problem, &message), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "soft label 2") != NULL, "%s", message.text);
    og_truth_clear(&truth);
}

/* -- play -------------------------------------------------------------------------------------- */

/* Ranks that do not depend on the labels left, written as if they did. */
static og_ranks *ranks_by_left(const og_arms *arms, const og_ranks *fixed)
{
    og_ranks *ranks = calloc(1, sizeof *ranks);
    *ranks = (og_ranks){.arm_count = arms->arm_count, .budget = arms->budget, .by_left = true};
    ranks->rank = calloc((size_t)arms->arm_count * ((size_t)arms->budget + 1), sizeof *ranks->rank);
    for (int32_t left = 1; left <= arms->budget; left++) {
        for (int32_t a = 0; a < arms->arm_count; a++) {
            size_t nodes = arms->arm[a]->level[arms->budget - left + 1];
            uint32_t *row = malloc(nodes * sizeof *row);
            memcpy(row, og_ranks_of(fixed, a, left), nodes * sizeof *row);
            ranks->rank[left * arms->arm_count + a] = row;
        }
    }
    return ranks;
}

/* A policy's order of instances kept in a tournament, and looked through label by label. */
typedef struct {
    og_groups problem;
    og_truth truth;
    og_environments all;
    og_environment environment;
    og_strategy tournament, looking;
    double exact; /* gain under random ties */
} two_ways;

static void two_ways_init(two_ways *pair, const char *words, int32_t budget, const char *policy,
                          const char *truth)
{
    const og_environment_use use = {.threads = 1, .memory_bytes = 1 << 30, .policy_count = 1};
    og_policy_name name;
    og_settings settings;
    og_result result;
    og_settings_default(&settings);
    memset(pair, 0, sizeof *pair);
    test_problem(words, budget, &pair->problem);
    ck_assert_int_eq(og_truth_parse(truth, &pair->truth, NULL), OG_OK);
    ck_assert_int_eq(og_policy_name_parse(policy, &name, NULL), OG_OK);
    og_source source = og_source_independent(&pair->problem, &pair->truth);
    og_environments *all = &pair->all;
    ck_assert_int_eq(source.open(&source, &use, all, NULL), OG_OK);
    ck_assert_int_eq(all->strategy(all->self, &name, &pair->tournament, NULL), OG_OK);
    const og_instances *instances = all->self;
    const og_ranks *fixed = pair->tournament.ranks;
    ck_assert(!fixed->by_left);
    ck_assert_int_eq(
        og_policy_value(instances->arms, fixed, OG_TIES_RANDOM, &settings, &result, NULL), OG_OK);
    pair->exact = result.gain;
    ck_assert_int_eq(
        og_index_play_new(instances, ranks_by_left(instances->arms, fixed), &pair->looking), OG_OK);
    ck_assert_int_eq(all->environment(all->self, &pair->environment), OG_OK);
}

static void two_ways_clear(two_ways *pair)
{
    pair->tournament.free(pair->tournament.self);
    pair->looking.free(pair->looking.self);
    pair->environment.free(pair->environment.self);
    pair->all.free(pair->all.self);
    og_truth_clear(&pair->truth);
    og_groups_clear(&pair->problem);
}

typedef struct {
    double metric[2];
} run_score;

static run_score play(const two_ways *pair, int run, const og_strategy *by, og_ties ties)
{
    const og_environment *on = &pair->environment;
    run_score score;
    on->begin(on->self, test_seed(20), (uint64_t)run, NULL);
    ck_assert_int_eq(on->play(on->self, by, ties, score.metric, NULL), OG_OK);
    return score;
}

/*
 * With ties first both ways play the same runs; with random ties they draw in different orders but
 * with the same chances. Policies that care about ties, and priors that share a rank.
 */
OG_TEST(looking_through_instances_plays_as_the_tournament_does)
{
    static const char *const policies[] = {"uniform", "kg", "opt-kg"};
    static const char *const words[] = {"3x1,1", "1,1 2x2,1@0.3 1,1 2,3 1,2"};
    const int runs = 10000;
    for (int i = 0; i < 6; i++) {
        two_ways pair;
        double sum = 0, squares = 0;
        two_ways_init(&pair, words[i / 3], 6, policies[i % 3], "prior");
        for (int run = 0; run < runs; run++) {
            run_score x = play(&pair, run, &pair.tournament, OG_TIES_FIRST);
            run_score y = play(&pair, run, &pair.looking, OG_TIES_FIRST);
            /* The same places, added up in the same order. */
            ck_assert_mem_eq(&x, &y, sizeof x);
            double off = play(&pair, run, &pair.looking, OG_TIES_RANDOM).metric[0] - pair.exact;
            sum += off;
            squares += off * off;
        }
        ck_assert_double_le(fabs(sum / runs), sigmas * sqrt(squares / runs / runs));
        two_ways_clear(&pair);
    }
}

static void assert_loop_plays_the_same(const og_source *source, const char *policy)
{
    const og_environment_use use = {.threads = 1, .memory_bytes = 1 << 30, .policy_count = 1};
    static const og_ties ties[] = {OG_TIES_RANDOM, OG_TIES_FIRST};
    og_environments all;
    og_environment on;
    og_strategy by;
    og_policy_name name;
    ck_assert_int_eq(og_policy_name_parse(policy, &name, NULL), OG_OK);
    ck_assert_int_eq(source->open(source, &use, &all, NULL), OG_OK);
    ck_assert_int_eq(all.strategy(all.self, &name, &by, NULL), OG_OK);
    ck_assert_int_eq(all.environment(all.self, &on), OG_OK);
    for (int i = 0; i < 2 * test_cases(500); i++) {
        double fast[2], slow[2];
        uint64_t run = (uint64_t)i / 2, given[2][8] = {{0}};
        on.begin(on.self, 7, run, given[0]);
        ck_assert_int_eq(on.play(on.self, &by, ties[i % 2], fast, NULL), OG_OK);
        on.begin(on.self, 7, run, given[1]);
        ck_assert_int_eq(og_environment_loop(&on, &by, ties[i % 2], 7, run, slow, NULL), OG_OK);
        ck_assert_mem_eq(given[0], given[1], sizeof given[0]); /* the same picks */
        /* Recorded labels also report seconds. */
        ck_assert_mem_eq(fast, slow, all.block_runs > 0 ? sizeof fast : sizeof *fast);
    }
    by.free(by.self);
    on.free(on.self);
    all.free(all.self);
}

/* The fast ways against the definition of a run. */
OG_TEST(asking_at_every_label_plays_the_same_runs)
{
    static const char *const policies[] = {"uniform", "kg", "opt-kg", "hu-frazier"};
    const og_delay delay = {.arrival_rate = {1, 2}, .service_rate = {1, 5}};
    OWN(og_groups) problem;
    og_group prior;
    uint32_t task[] = {0, 0, 0, 1, 1, 2, 2, 3}, worker[] = {0, 1, 2, 0, 1, 0, 1, 0};
    uint8_t label[] = {1, 1, 0, 0, 1, 1, 0, 0}, gold[] = {1, 0, 1, 1};
    const og_labels labels = {.label_count = 8,
                              .task_count = 4,
                              .worker_count = 3,
                              .task = task,
                              .worker = worker,
                              .label = label};
    const int32_t at[] = {6};
    const og_recorded recorded = {
        .labels = &labels, .gold = gold, .prior = &prior, .at = at, .at_count = 1};
    test_problem("2,1 2x1,1@0.3 1,1 2,3 1,2", 9, &problem);
    ck_assert_int_eq(og_group_parse("1,1", &prior, NULL), OG_OK);
    og_source drawn = og_source_independent(&problem, NULL);
    og_source delayed = og_source_delayed(&problem, NULL, &delay);
    og_source replayed = og_source_recorded(&recorded);
    for (int i = 0; i < 4; i++) {
        assert_loop_plays_the_same(&delayed, policies[i]);
        if (i < 3) {
            assert_loop_plays_the_same(&drawn, policies[i]);
            assert_loop_plays_the_same(&replayed, policies[i]);
        }
    }
}

/* Instances of one prior are told apart where the truth is a list: one label among three, where the
 * two whose soft label is 0 gain by it. */
OG_TEST(looking_through_instances_draws_all_of_a_crowd_alike)
{
    const int runs = 10000;
    double sum = 0;
    two_ways pair;
    two_ways_init(&pair, "3x1,1", 1, "uniform", "list:1,0,0");
    for (int run = 0; run < runs; run++) {
        sum += play(&pair, run, &pair.looking, OG_TIES_RANDOM).metric[OG_CORRECT];
    }
    double spread = sqrt(2 / 9.0 / runs); /* of a share of 2/3 */
    ck_assert_double_le(fabs(sum / runs - (1 + 2 / 3.0)), sigmas * spread);
    two_ways_clear(&pair);
}
