/*
 * Arms with a mixture of Betas as prior: compares their numbers from two methods (the sweep in
 * balls, closed forms in fractions) with the definition (tests/oracle.h) and with Beta arms, bit
 * for bit. test_ladder.c tests the engine with them.
 */
#include "dp/arm/arm.h"
#include "dp/prior/beta.h"
#include "dp/prior/mixture.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(mixture, 60);

static const double unit_roundoff = 0x1p-53;

static og_group group_of(const char *word)
{
    og_group group;
    og_message message;
    ck_assert_msg(og_group_parse(word, &group, &message) == OG_OK, "%s", message.text);
    return group;
}

static og_arm *arm_of(const char *word, int32_t depth)
{
    og_group group = group_of(word);
    og_arm *arm = NULL;
    og_message message;
    ck_assert_msg(og_arm_new(&group, depth, UINT64_MAX, &arm, &message) == OG_OK, "%s: %s", word,
                  message.text);
    return arm;
}

static double *gains_of(const og_arm *arm)
{
    double *gain = malloc((2 * (size_t)arm->node_count + 1) * sizeof *gain), error;
    ck_assert_ptr_nonnull(gain);
    ck_assert_int_eq(og_arm_gains(arm, NULL, gain, &error), OG_OK);
    ck_assert_double_le(error, unit_roundoff);
    return gain;
}

/* |value - exact| <= relative * |exact|; 0 is exactly 0. */
static bool is_near(double value, const mpq_t exact, double relative)
{
    OWN_MPQ bound = MPQ_NEW, scale = MPQ_NEW;
    mpq_set_d(scale, relative);
    mpq_abs(bound, exact);
    mpq_mul(bound, bound, scale);
    mpq_set_d(scale, value);
    mpq_sub(scale, scale, exact);
    mpq_abs(scale, scale);
    bool near = mpq_cmp(scale, bound) <= 0;
    return near;
}

static const char *const whole_words[] = {
    "0.25:5,1+0.5:1,1+0.25:1,5", "1:1,2+1:2,1",     "1:3,1+1:1,2@0.3",   "0.1:9,1+0.9:1,3@0.9",
    "3:1,1+1e-6:30,60@0.25",     "2:3,1+1:2,2",     "1:40,2+2:2,40@0.4", "1:1,1+2:2,1+3:3,1+4:4,1",
    "1:1000,1+1:1,1000",         "1:1,1+5:2,2@0.1", "3:1,2+2:3,1",
};
static const char *const real_words[] = {
    "0.5:0.5,1.5+0.5:1.5,0.5",
    "1:0.01,3+1:3,0.01@0.2",
    "3:2.5,0.5+1:1.5,1.5",
    "1:100.5,2+2:0.7,0.3@0.9",
};
enum {
    WHOLE = sizeof whole_words / sizeof *whole_words,
    REAL = sizeof real_words / sizeof *real_words,
    DEPTH = 14,
};

OG_TEST_LOOP(doubles_are_the_exact_values_rounded_to_nearest, 0, WHOLE)
{
    const char *word = whole_words[_i];
    OWN(og_arm) *arm = arm_of(word, DEPTH);
    double *gain = gains_of(arm);
    ck_assert_msg(arm->rational && arm->lattice && arm->outcome_count == 2, "%s", word);
    ck_assert_double_le(arm->call_error, unit_roundoff);
    ck_assert_double_le(arm->reward_error, unit_roundoff);
    ck_assert_double_le(arm->probability_error, unit_roundoff);
    OWN_MPQ exact = MPQ_NEW;
    og_arm_exact_call(arm, exact);
    ck_assert_msg(is_near(arm->call, exact, unit_roundoff), "%s: call", word);
    for (uint32_t node = 0; node < arm->level[DEPTH]; node++) {
        og_arm_exact_reward(arm, node, exact);
        ck_assert_msg(is_near(arm->reward[node], exact, unit_roundoff), "%s: reward of node %u",
                      word, node);
        for (int32_t k = 0; k < 2; k++) {
            og_arm_exact_probability(arm, node, k, exact);
            ck_assert_msg(is_near(arm->probability[2 * node + (uint32_t)k], exact, unit_roundoff),
                          "%s: probability of node %u", word, node);
            og_arm_exact_gain(arm, node, k, exact);
            ck_assert_msg(is_near(gain[2 * node + (uint32_t)k], exact, unit_roundoff),
                          "%s: gain of node %u", word, node);
        }
    }
    free(gain);
}

/* h of the oracle along any path: the call, then the gains. */
static void assert_is_definition(const char *word)
{
    OWN(og_groups) problem;
    test_problem(word, DEPTH, &problem);
    OWN(oracle_arms) *oracle = oracle_new(&problem);
    OWN(og_arm) *arm = arm_of(word, DEPTH);
    OWN_MPQ kg = MPQ_NEW;
    oracle_call(oracle, kg);
    ck_assert(oracle_within(arm->call, unit_roundoff + oracle_error(oracle), kg));
    oracle_choose_named(oracle, "kg");
    for (uint32_t node = 0; node < arm->level[DEPTH]; node++) {
        int32_t counts[2];
        og_arm_counts(arm, node, counts);
        oracle_index_at(oracle, 0, counts[0], counts[1], 1, kg);
        ck_assert_msg(oracle_within(arm->reward[node], unit_roundoff + oracle_error(oracle), kg),
                      "%s: reward after %d,%d is %.17g, not %.17g", word, counts[0], counts[1],
                      arm->reward[node], mpq_get_d(kg));
    }
}

OG_TEST_LOOP(rewards_are_the_definition, 0, WHOLE + REAL)
{
    assert_is_definition(_i < WHOLE ? whole_words[_i] : real_words[_i - WHOLE]);
}

/* A mixture with one component, computed with the code for mixtures, has the bits of the Beta arm.
 */
OG_TEST(one_component_has_the_bits_of_a_beta)
{
    static const char *const words[] = {"1,1",         "3,1",          "2,5@0.3",   "0.5,0.5",
                                        "1.5,2.25@.9", "1000,1@0.999", "1,1e4@0.4", "30.5,30.5"};
    enum { LABELS = 40, NODES = LABELS * (LABELS + 1) / 2 };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        og_group group = group_of(words[i]);
        og_group prior = {.threshold = group.threshold,
                          .count = 1,
                          .kind = OG_PRIOR_MIXTURE,
                          .part_count = 1,
                          .component = {{{1, 1}, group.a, group.b}}};
        OWN(og_arm) *arm = arm_of(words[i], LABELS);
        double probability[2 * NODES], gain[2 * NODES], error;
        og_mixture *mixture = NULL;
        ck_assert_int_eq(og_mixture_new(&prior, LABELS, probability, &mixture), OG_OK);
        ck_assert_int_eq(og_mixture_gains(mixture, gain, &error), OG_OK);
        double *plain = malloc(2 * (size_t)NODES * sizeof *plain), plain_error;
        ck_assert_ptr_nonnull(plain);
        ck_assert_int_eq(og_arm_gains(arm, NULL, plain, &plain_error), OG_OK);
        ck_assert_msg(mixture->call == arm->call, "%s: call", words[i]);
        for (int32_t n = 0; n < LABELS; n++) {
            for (int32_t s = 0; s <= n; s++) {
                uint32_t node = arm->level[n] + (uint32_t)s;
                double reward = mixture->flip[n] == s ? mixture->reward[n] : 0;
                ck_assert_msg(reward == arm->reward[node], "%s: reward at %d,%d", words[i], s,
                              n - s);
                ck_assert_msg(og_beta_positive(mixture, n, s) == og_arm_positive(arm, node),
                              "%s: call at %d,%d", words[i], s, n - s);
                for (uint32_t k = 2 * node; k < 2 * node + 2; k++) {
                    ck_assert_msg(probability[k] == arm->probability[k], "%s: probability at %d,%d",
                                  words[i], s, n - s);
                    ck_assert_msg(fabs(gain[k] - plain[k]) <= (error + plain_error) * fabs(gain[k]),
                                  "%s: gain at %d,%d: %.17g, not %.17g", words[i], s, n - s,
                                  gain[k], plain[k]);
                }
            }
        }
        free(plain);
        og_beta_free(mixture);
    }
}

/* Mixtures of one Beta are the Beta's own arm; others are shared where they are the same prior. */
OG_TEST(arms_are_shared_by_what_the_prior_is)
{
    OWN(og_groups) problem;
    OWN(og_arms) *arms = NULL;
    test_problem("1,1 2x1:1,1 1:1,1+3:1,1 1:1,2+2:2,1 10:2,1+5:1,2 1:1,2+2:2,1@0.3", 5, &problem);
    ck_assert_int_eq(test_arms_new(&problem, 2, UINT64_MAX, &arms, NULL), OG_OK);
    static const int32_t expected[] = {0, 0, 0, 1, 1, 2};
    ck_assert_int_eq(arms->arm_count, 3);
    for (int32_t g = 0; g < 6; g++) {
        ck_assert_int_eq(arms->arm_of_group[g], expected[g]);
    }
    ck_assert_ptr_nonnull(og_arm_group(arms->arm[0]));
    ck_assert_ptr_null(og_arm_group(arms->arm[1]));
    ck_assert_int_eq(og_arm_prior(arms->arm[1])->kind, OG_PRIOR_MIXTURE);
    og_fraction labels[2];
    og_arm_posterior(arms->arm[1], arms->arm[1]->level[3] + 2, labels);
    ck_assert(labels[0].num == 2 && labels[0].den == 1 && labels[1].num == 1);
}

/* The mirror image swaps the labels and leaves every bit. */
OG_TEST(mirror_images_have_the_same_bits)
{
    static const char *const words[][2] = {
        {"1:3,1+2:1,4@0.3", "2:4,1+1:1,3@0.7"},
        {"1:0.5,1.5+3:2.5,1", "3:1,2.5+1:1.5,0.5"},
        {"1:7.25,1+3:2.5,0.125@0.9", "3:0.125,2.5+1:1,7.25@0.1"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        og_arm *arm = arm_of(words[i][0], DEPTH), *image = arm_of(words[i][1], DEPTH);
        double *gain = gains_of(arm), *image_gain = gains_of(image);
        ck_assert(arm->call == image->call);
        for (int32_t n = 0; n < DEPTH; n++) {
            for (int32_t s = 0; s <= n; s++) {
                size_t here = arm->level[n] + (uint32_t)s,
                       there = arm->level[n] + (uint32_t)(n - s);
                ck_assert(arm->reward[here] == image->reward[there]);
                for (size_t k = 0; k < 2; k++) {
                    ck_assert(arm->probability[2 * here + k] ==
                              image->probability[2 * there + 1 - k]);
                    ck_assert(gain[2 * here + k] == image_gain[2 * there + 1 - k]);
                }
            }
        }
        free(gain);
        free(image_gain);
        og_arm_free(arm);
        og_arm_free(image);
    }
}

/* Nodes that are their own mirror image tie exactly, wherever the diagonal lies: both labels are
 * worth the same there, and a label that leads to such a node gains nothing. */
OG_TEST(symmetric_posteriors_tie_exactly)
{
    static const struct {
        const char *word;
        int32_t diagonal; /* positive labels minus negative ones */
    } rows[] = {
        {"0.25:5,1+0.5:1,1+0.25:1,5", 0},
        {"1:0.5,1.5+1:1.5,0.5", 0},
        {"2:3,1+1:2,2", -1},
        {"3:2.5,0.5+1:1.5,1.5", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(og_arm) *arm = arm_of(rows[i].word, DEPTH);
        double *gain = gains_of(arm);
        int ties = 0;
        int32_t diagonal = 99;
        ck_assert(og_arm_mirror(arm, &diagonal));
        ck_assert_int_eq(diagonal, rows[i].diagonal);
        for (uint32_t node = 0; node < arm->level[DEPTH]; node++) {
            int32_t counts[2];
            og_arm_counts(arm, node, counts);
            int32_t away = counts[0] - counts[1] - rows[i].diagonal;
            if (away == 0) {
                ties++;
                ck_assert(og_arm_positive(arm, node) && arm->reward[node] > 0);
                ck_assert(gain[2 * node] == gain[2 * node + 1]);
                ck_assert_double_eq(arm->probability[2 * node], 0.5);
            } else if (away == 1) {
                ck_assert_double_eq(arm->reward[node], 0);
            }
        }
        ck_assert_int_ge(ties, DEPTH / 2);
        free(gain);
    }
}

/* Three times a probability of 1/4 and twice one of 7/8 are at equal distances from 1/2: only
 * fractions determine the sign. */
OG_TEST(a_tie_without_symmetry_is_exact)
{
    OWN(og_arm) *arm = arm_of("3:1,2+2:3,1", DEPTH);
    double *gain = gains_of(arm);
    ck_assert(!og_arm_mirror(arm, &(int32_t){0}));
    ck_assert(og_arm_positive(arm, 0));
    ck_assert_double_eq(arm->call, 0.5);
    ck_assert_double_gt(arm->reward[0], 0);
    ck_assert(gain[0] == gain[1]);
    free(gain);
}

OG_TEST(mirror_finds_no_symmetry_where_there_is_none)
{
    static const char *const words[] = {"1:5,1+1:1,5@0.4", "1:5,1+2:1,5", "1:2.5,1+1:1,2",
                                        "1:30,1+1:31,1", "5,5"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        OWN(og_arm) *arm = arm_of(words[i], DEPTH);
        int32_t diagonal = 99;
        ck_assert_msg(!og_arm_mirror(arm, &diagonal) && diagonal == 99, "%s", words[i]);
    }
}

/* Far from the threshold nothing cancels: gains keep their relative accuracy down to 1e-300. */
OG_TEST(tables_reach_far_tails)
{
    OWN(og_arm) *arm = arm_of("1:50,1+1:300,2", 30);
    double *gain = gains_of(arm);
    OWN_MPQ exact = MPQ_NEW;
    for (uint32_t node = 0; node < arm->level[30]; node += 7) {
        og_arm_exact_gain(arm, node, 1, exact);
        ck_assert(is_near(gain[2 * (size_t)node + 1], exact, unit_roundoff));
        ck_assert_double_ne(gain[2 * (size_t)node + 1], 0);
    }
    free(gain);
}

OG_TEST(new_refuses_what_passes_the_limits)
{
    og_group group = group_of("1:1,1+1:2,1");
    og_arm *arm = NULL;
    og_message message;
    ck_assert_int_eq(og_arm_new(&group, 100, 10000, &arm, &message), OG_NO_MEMORY);
    ck_assert_msg(strstr(message.text, "the limit is") != NULL, "%s", message.text);
    ck_assert_int_eq(og_arm_new(&group, 92681, UINT64_MAX, &arm, &message), OG_NO_MEMORY);
    ck_assert_int_eq(og_arm_new(&group, -1, UINT64_MAX, &arm, &message), OG_BAD_INPUT);
    group.component[1].weight = (og_fraction){0, 1};
    ck_assert_int_eq(og_arm_new(&group, 1, UINT64_MAX, &arm, &message), OG_BAD_INPUT);
    group.component[1].weight = (og_fraction){2, 2};
    ck_assert_int_eq(og_arm_new(&group, 1, UINT64_MAX, &arm, &message), OG_BAD_INPUT);
    group.part_count = OG_PARTS_MAX + 1;
    ck_assert_int_eq(og_arm_new(&group, 1, UINT64_MAX, &arm, &message), OG_BAD_INPUT);
    ck_assert_ptr_null(arm);
}
