/*
 * Arms with several classes: their tables, what merges them, and the bounds. The numbers
 * themselves: tests/test_dirichlet.c; values: the conformance suite.
 */
#include "dp/prior/dirichlet.h"
#include "dp/product/layers.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/index/fast/gittins_wide.h"
#include "heuristics/index/symmetry.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(classes, 120);

static og_arm *arm_of(const char *word, int32_t depth)
{
    og_group group;
    og_arm *arm = NULL;
    og_message message = {""};
    question_ok(og_group_parse(word, &group, &message), &message, word);
    question_ok(og_arm_new(&group, depth, QUESTION_MEMORY_BYTES, &arm, &message), &message, word);
    return arm;
}

static const char *const words_of_arms[] = {
    "1,1,1",     "2,1,1",        "0.5,1.5,0.25,1.25",        "3,1,2",
    "1,1,1,1,1", "0.1,0.7,1.05", "1.25,0.7500000000000001,1"};
enum { ARMS = sizeof words_of_arms / sizeof *words_of_arms };

/* Levels hold all vectors of counts, each once and in order, and outcomes lead to their sums. */
OG_TEST_LOOP(nodes_are_the_vectors_of_counts, 0, ARMS)
{
    enum { DEPTH = 6 };
    OWN(og_arm) *arm = arm_of(words_of_arms[_i], DEPTH);
    int32_t classes = arm->outcome_count;
    for (int32_t n = 0; n <= DEPTH; n++) {
        int32_t before[OG_CLASSES_MAX] = {0};
        uint64_t expected = 1;
        for (int32_t i = 1; i < classes; i++) {
            expected = expected * (uint64_t)(n + i) / (uint64_t)i;
        }
        ck_assert_uint_eq(arm->level[n + 1] - arm->level[n], expected);
        for (uint32_t node = arm->level[n]; node < arm->level[n + 1]; node++) {
            int32_t counts[OG_CLASSES_MAX], after[OG_CLASSES_MAX], sum = 0, differs = 0;
            og_arm_counts(arm, node, counts);
            for (int32_t c = 0; c < classes; c++) {
                sum += counts[c];
            }
            ck_assert_int_eq(sum, n);
            while (differs < classes && before[differs] == counts[differs]) {
                differs++;
            }
            ck_assert(node == arm->level[n] ||
                      (differs < classes && before[differs] < counts[differs]));
            memcpy(before, counts, sizeof before);
            for (int32_t c = 0; n < DEPTH && c < classes; c++) {
                og_arm_counts(arm, arm->next[node * (uint32_t)classes + (uint32_t)c], after);
                for (int32_t d = 0; d < classes; d++) {
                    ck_assert_int_eq(after[d], counts[d] + (c == d));
                }
            }
        }
    }
    ck_assert_uint_eq(arm->level[DEPTH + 1], arm->node_count);
}

/* Reward, gains and probabilities of every node from its posterior alone. */
/* So the ends of a range of nodes bound its followers. */
OG_TEST_LOOP(outcomes_of_later_nodes_lead_to_later_ones, 0, ARMS)
{
    OWN(og_arm) *arm = arm_of(words_of_arms[_i], 6);
    const uint32_t outcomes = (uint32_t)arm->outcome_count;
    ck_assert(arm->rising);
    for (int32_t n = 0; n < arm->depth; n++) {
        for (uint32_t node = arm->level[n] + 1; node < arm->level[n + 1]; node++) {
            for (uint32_t k = 0; k < outcomes; k++) {
                ck_assert_uint_gt(arm->next[node * outcomes + k],
                                  arm->next[(node - 1) * outcomes + k]);
            }
        }
    }
}

OG_TEST_LOOP(tables_hold_what_the_posteriors_are_worth, 0, ARMS)
{
    enum { DEPTH = 5 };
    static const int32_t no_labels[OG_CLASSES_MAX];
    const char *word = words_of_arms[_i];
    OWN(og_arm) *arm = arm_of(word, DEPTH);
    uint32_t classes = (uint32_t)arm->outcome_count;
    double *gain = malloc(arm->level[DEPTH] * classes * sizeof *gain), error;
    ck_assert_int_eq(og_arm_gains(arm, NULL, gain, &error), OG_OK);
    ck_assert_double_eq(error, 0x1p-53);
    for (uint32_t node = 0; node < arm->level[DEPTH]; node++) {
        og_fraction a[OG_CLASSES_MAX];
        og_dirichlet *dirichlet = NULL;
        double reward, gains[OG_CLASSES_MAX], call;
        OWN_MPQ exact = MPQ_NEW;
        og_arm_posterior(arm, node, a);
        ck_assert_int_eq(og_dirichlet_new((int32_t)classes, a, 1, &dirichlet), OG_OK);
        ck_assert_int_eq(og_dirichlet_reward(dirichlet, OG_WORTH_CALLS, no_labels, &reward), OG_OK);
        ck_assert_int_eq(og_dirichlet_gains(dirichlet, OG_WORTH_CALLS, no_labels, gains), OG_OK);
        ck_assert_int_eq(og_dirichlet_call(dirichlet, OG_WORTH_CALLS, no_labels, &call), OG_OK);
        ck_assert_msg(arm->reward[node] == reward, "%s node %u", word, node);
        ck_assert(node > 0 || arm->call == call);
        for (uint32_t c = 0; c < classes; c++) {
            ck_assert_msg(gain[node * classes + c] == gains[c], "%s node %u gain %u", word, node,
                          c);
            og_arm_exact_probability(arm, node, (int32_t)c, exact);
            ck_assert_msg(oracle_within(arm->probability[node * classes + c],
                                        mpq_get_d(exact) * arm->probability_error * 1.001, exact),
                          "%s node %u p %u", word, node, c);
        }
        og_dirichlet_free(dirichlet);
    }
    free(gain);
}

/* By hand: with n labels left a symmetric prior has no more classes than sorted vectors of counts,
 * and the node of another order is in the same class. */
OG_TEST(layers_lump_permutations_of_the_classes)
{
    enum { BUDGET = 7 };
    OWN(question) q = question_of("1,1,1", BUDGET);
    og_layers *layers = NULL, *apart = NULL;
    og_classes *classes = NULL;
    og_message message = {""};
    question_ok(og_layers_new(q.arms, &(og_layers_use){.merge = true, .memory_bytes = UINT64_MAX},
                              &layers, &message),
                &message, "merged");
    question_ok(og_layers_new(q.arms, &(og_layers_use){.merge = false, .memory_bytes = UINT64_MAX},
                              &apart, &message),
                &message, "apart");
    question_ok(og_classes_new(q.arms, &(og_layers_use){.merge = true, .memory_bytes = UINT64_MAX},
                               &classes, &message),
                &message, "classes");
    const og_arm *arm = q.arms->arm[0];
    for (int32_t left = 1; left <= BUDGET; left++) {
        uint32_t nodes = arm->level[BUDGET - left + 1];
        uint32_t sorted = 1; /* class 0, the dead */
        for (uint32_t node = 0; node < nodes; node++) {
            int32_t counts[3];
            og_arm_counts(arm, node, counts);
            sorted += counts[0] >= counts[1] && counts[1] >= counts[2];
            /* The node with the first two exchanged. */
            for (uint32_t other = 0; other < nodes; other++) {
                int32_t twin[3];
                og_arm_counts(arm, other, twin);
                if (twin[0] == counts[1] && twin[1] == counts[0] && twin[2] == counts[2]) {
                    ck_assert_uint_eq(og_classes_of(classes, left, 0, node),
                                      og_classes_of(classes, left, 0, other));
                }
            }
        }
        ck_assert_uint_le(layers->layer[left].class_count, sorted);
        ck_assert_uint_ge(apart->layer[left].class_count, nodes);
    }
    og_classes_free(classes);
    og_layers_free(layers);
    og_layers_free(apart);
}

/* With one label left only a tie at the top is live: (1,1,1)'s posteriors after two labels have one
 * class of them, (2,2,1). */
OG_TEST(last_layer_has_one_class_for_each_kind_of_tie)
{
    OWN(question) q = question_of("1,1,1", 3);
    OWN(og_layers) *layers = NULL;
    og_message message = {""};
    question_ok(og_layers_new(q.arms, &(og_layers_use){.merge = true, .memory_bytes = UINT64_MAX},
                              &layers, &message),
                &message, "3");
    /* dead; (1,1,1) itself; (2,2,1) */
    ck_assert_uint_eq(layers->layer[1].class_count, 3);
}

static bool same_multiset(const og_arm *x, uint32_t in_x, const og_arm *y, uint32_t in_y)
{
    og_fraction a[OG_CLASSES_MAX], b[OG_CLASSES_MAX];
    int32_t count = x->outcome_count;
    og_arm_posterior(x, in_x, a);
    og_arm_posterior(y, in_y, b);
    for (int32_t i = 0; i < count; i++) {
        int32_t j = 0;
        while (j < y->outcome_count && og_fraction_compare(a[i], b[j]) != 0) {
            j++;
        }
        if (j == y->outcome_count) {
            return false;
        }
        b[j] = (og_fraction){0, 1};
    }
    return count == y->outcome_count;
}

/* Twins: the same multiset of parameters, and nothing else. */
OG_TEST(twins_are_permutations_of_the_parameters)
{
    static const char *const rows[] = {"1,1,1 2,1,1 1,3,1",
                                       "0.5,1.5,1 1,0.5,0.5 0.5,0.5,2 1.5,1,1.5",
                                       "1,1,1 1,1,1,1 2,1", "0.25,1.5,2.75 0.75,1.25,0.5"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum { BUDGET = 4 };
        OWN(question) q = question_of(rows[i], BUDGET);
        OWN(og_twins) *twins = NULL;
        ck_assert_int_eq(og_twins_new(q.arms, OG_TWINS_ALL, NULL, &twins), OG_OK);
        for (uint32_t x = 0; x < q.arms->node_offset[q.arms->arm_count]; x++) {
            for (uint32_t y = 0; y < x; y++) {
                int32_t a = og_arms_arm_of(q.arms, x), b = og_arms_arm_of(q.arms, y);
                const og_arm *left = q.arms->arm[a], *right = q.arms->arm[b];
                uint32_t in_a = x - q.arms->node_offset[a], in_b = y - q.arms->node_offset[b];
                if (in_a >= left->level[BUDGET] || in_b >= right->level[BUDGET]) {
                    continue;
                }
                ck_assert_msg((twins->class_of[x] == twins->class_of[y]) ==
                                  same_multiset(left, in_a, right, in_b),
                              "%s: nodes %u and %u", rows[i], x, y);
            }
        }
    }
}

/* Parameters that are no whole numbers, beside Betas of any kind: the engine with and without its
 * reductions, and the bounds above. */
OG_TEST(reductions_agree_and_bounds_hold_for_reals)
{
    static const char *const rows[] = {
        "0.5,0.5,0.5 0.5,1.5,0.5 2,1@0.3",  "3x0.7,0.9,1.1",       "2x0.1,0.1,0.1,0.1 1,1",
        "1.25,0.25,1.25 2x0.5:2,1+0.5:1,2", "2x2.5,2.4,2.6 1,1,1",
    };
    static og_status (*const bounds[])(const og_arms *, int, og_stop *, og_upper_bound *) = {
        og_bound_lagrangian_scalar, og_bound_lagrangian_vector, og_bound_prevailing_charge,
        og_bound_priced_end};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(question) q = question_of(rows[i], 4);
        og_settings one = question_settings(OG_REDUCE_SORT, 1);
        og_settings all = question_settings(OG_REDUCE_ALL, 2);
        og_result plain = question_solve(q.arms, &one, rows[i]);
        og_result best = question_solve(q.arms, &all, rows[i]);
        ck_assert_msg(fabs(plain.value - best.value) <= plain.error_bound + best.error_bound &&
                          best.states <= plain.states,
                      "%s: %.17g %.17g", rows[i], plain.value, best.value);
        ck_assert_double_lt(best.error_bound, 1e-13);
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
            OWN(og_upper_bound) bound;
            ck_assert_int_eq(bounds[b](q.arms, 1, NULL, &bound), OG_OK);
            ck_assert_msg(
                bound.value >= best.value - best.error_bound && bound.value <= 1.1 * best.value,
                "%s: bound %zu is %.17g, the value %.17g", rows[i], b, bound.value, best.value);
        }
    }
}

/* The spec's values for two outcomes, which gittins_inf.c finds another way (tests/test_index.c).
 */
OG_TEST(wide_gittins_index_of_two_outcomes_is_the_known_one)
{
    static const struct {
        int s, f;
        double index;
    } rows[] = {{1, 0, 0.0450949367089}, {2, 0, 0.0146044859197}, {2, 1, 0.0430253623188}};
    OWN(og_arm) *arm = arm_of("1,1", 5);
    og_gittins_wide *wide = NULL;
    ck_assert_int_eq(og_gittins_wide_new(arm, 0.95, 0x1p-46, NULL, &wide), OG_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double index;
        uint32_t node = arm->level[rows[i].s + rows[i].f] + (uint32_t)rows[i].s;
        ck_assert_int_eq(og_gittins_wide_index(wide, node, &index), OG_OK);
        ck_assert_double_eq_tol(index, rows[i].index, 1e-12);
        ck_assert_double_le(wide->beyond[node], 1e-10);
    }
    og_gittins_wide_free(wide);
}

/* v_z(x) of a single instance, over every node of the deep arm: nothing left out. */
static double worth_at_price(const og_arm *arm, uint32_t from, double price, double delta,
                             double *v)
{
    uint32_t outcomes = (uint32_t)arm->outcome_count;
    for (uint32_t node = arm->node_count; node-- > from;) {
        v[node] = 0;
        if (node >= arm->level[arm->depth]) {
            continue;
        }
        double now = arm->reward[node] - price;
        for (uint32_t k = 0; k < outcomes; k++) {
            now +=
                delta * arm->probability[node * outcomes + k] * v[arm->next[node * outcomes + k]];
        }
        v[node] = now > 0 || node == from ? now : 0;
    }
    return v[from];
}

/* The price at which a first label is worth nothing, by halving. */
OG_TEST(wide_gittins_index_is_the_price_that_leaves_nothing)
{
    static const struct {
        const char *word;
        double delta;
    } rows[] = {{"1,1,1", 0.5}, {"0.5,1.5,0.7,1", 0.3}, {"2,1,1", 0.6}, {"1,1,1,1", 0.4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum { DEPTH = 4 };
        OWN(og_arm) *arm = arm_of(rows[i].word, DEPTH);
        og_gittins_wide *wide = NULL;
        ck_assert_int_eq(og_gittins_wide_new(arm, rows[i].delta, 1e-4, NULL, &wide), OG_OK);
        og_arm *deep = arm_of(rows[i].word, wide->end);
        double *v = malloc(deep->node_count * sizeof *v);
        for (uint32_t node = 0; node < arm->level[DEPTH]; node += 1 + node / 5) {
            double low = 0, high = 1, index;
            for (int step = 0; step < 60; step++) {
                double middle = (low + high) / 2;
                if (worth_at_price(deep, node, middle, rows[i].delta, v) > 0) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            ck_assert_int_eq(og_gittins_wide_index(wide, node, &index), OG_OK);
            ck_assert_msg(fabs(index - low) <= 1e-12, "%s node %u: %.17g, not %.17g", rows[i].word,
                          node, index, low);
        }
        free(v);
        og_arm_free(deep);
        og_gittins_wide_free(wide);
    }
}

OG_TEST(new_refuses_arms_that_are_too_large)
{
    static const struct {
        const char *word;
        int32_t depth;
        uint64_t memory_bytes;
        const char *why;
    } rows[] = {
        {"1,1,1", 4000, UINT64_MAX, "2^32"},
        {"1,1,1", 1000000, UINT64_MAX, "2^32"},
        {"1,1,1,1,1,1,1,1,1,1", 1000000, UINT64_MAX, "2^32"},
        {"1,1,1,1,1,1,1,1,1,1", 40, 1 << 20, "limit"},
        {"1,1,1", 30, 1000, "limit"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        og_group group;
        og_arm *arm = NULL;
        og_message message = {""};
        ck_assert_int_eq(og_group_parse(rows[i].word, &group, &message), OG_OK);
        ck_assert_int_eq(og_arm_new(&group, rows[i].depth, rows[i].memory_bytes, &arm, &message),
                         OG_NO_MEMORY);
        ck_assert_msg(strstr(message.text, rows[i].why) != NULL, "%s: %s", rows[i].word,
                      message.text);
    }
}
