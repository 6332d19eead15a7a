/*
 * The belief after comparisons, against the posterior itself: sums over a grid of scores, and over
 * points of each worker's reliability. The posterior of two items is a Beta.
 */
#include "bench/recorded/pairs_belief.h"

#include <math.h>
#include <string.h>

#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(pairs_belief, 60);

enum { ITEMS = 4, WORKERS = 3, REPORTS = 16, POINTS = 24 };

typedef struct {
    og_pairs pairs;
    og_pair pair[REPORTS];
    og_pairs_prior prior;
} sample;

/* Reports of items with random scores by workers who are right four times in five. */
static void draw_sample(random_source *random, uint32_t items, bool crowd, sample *out)
{
    double score[ITEMS];
    int32_t count = 4 + (int32_t)random_below(random, REPORTS - 4);
    *out = (sample){.prior = {.item = 1 + (double)random_below(random, 2)}};
    out->prior.worker[0] = crowd ? 4 : 0;
    out->prior.worker[1] = crowd ? 1 : 0;
    for (uint32_t i = 0; i < items; i++) {
        score[i] = exp(3 * random_unit(random));
    }
    for (int32_t k = 0; k < count; k++) {
        uint32_t i = (uint32_t)random_below(random, items - 1);
        uint32_t j = i + 1 + (uint32_t)random_below(random, items - 1 - i);
        bool wins = random_unit(random) < score[i] / (score[i] + score[j]);
        bool draw = random_below(random, 8) == 0, wrong = crowd && random_below(random, 5) == 0;
        out->pair[k] = (og_pair){.item = {i, j},
                                 .worker = (uint32_t)random_below(random, crowd ? WORKERS : 1),
                                 .first = !draw && wins != wrong,
                                 .draw = draw};
        out->pairs.draws += draw;
    }
    out->pairs.count = count;
    out->pairs.item_count = items;
    out->pairs.worker_count = crowd ? WORKERS : 1;
}

/* ---- the posterior ---- */

/* A report of a worker with this reliability. */
static double likelihood(const og_pair *pair, const double *p, double right)
{
    double up = p[pair->item[0]] / (p[pair->item[0]] + p[pair->item[1]]);
    double report = pair->first ? up : 1 - up;
    return pair->draw ? sqrt(up * (1 - up)) : right * report + (1 - right) * (1 - report);
}

/* The likelihood of all reports, over the Beta of each worker's reliability. */
static double density(const sample *s, const double *p)
{
    double all = 1;
    for (uint32_t w = 0; w < s->pairs.worker_count; w++) {
        bool crowd = s->prior.worker[0] > 0;
        double sum = 0, weights = 0;
        for (int n = 0; n < (crowd ? POINTS : 1); n++) {
            double right = crowd ? (n + 0.5) / POINTS : 1;
            double weight = crowd ? pow(right, s->prior.worker[0] - 1) : 1;
            weights += weight;
            for (int64_t k = 0; k < s->pairs.count; k++) {
                bool own = s->pair[k].worker == w;
                weight *= own ? likelihood(&s->pair[k], p, s->pair[k].draw ? 1 : right) : 1;
            }
            sum += weight;
        }
        all *= sum / weights;
    }
    for (uint32_t i = 0; i < s->pairs.item_count; i++) {
        all *= pow(p[i], s->prior.item - 1);
    }
    return all;
}

/* Adds the points of the simplex whose first `items - left` scores are given, of `rest` parts. */
static void add_points(const sample *s, int *part, uint32_t at, int rest, double above[][ITEMS],
                       double *whole)
{
    uint32_t items = s->pairs.item_count;
    if (at + 1 < items) {
        for (part[at] = 0; part[at] <= rest; part[at]++) {
            add_points(s, part, at + 1, rest - part[at], above, whole);
        }
        return;
    }
    double p[ITEMS] = {0};
    part[at] = rest;
    for (uint32_t i = 0; i < items; i++) {
        p[i] = part[i] + 1.0 / items; /* up to a factor */
    }
    double weight = density(s, p);
    *whole += weight;
    for (uint32_t i = 0; i < items; i++) {
        for (uint32_t j = 0; j < items; j++) {
            above[i][j] += part[i] > part[j] ? weight : part[i] == part[j] ? weight / 2 : 0;
        }
    }
}

typedef struct {
    double sum, most;
    int64_t count;
} errors;

static void add_errors(const sample *s, int parts, errors *out)
{
    int part[ITEMS];
    double above[ITEMS][ITEMS] = {{0}}, whole = 0, found;
    og_pairs_belief belief;
    og_message message = {""};
    add_points(s, part, 0, parts, above, &whole);
    ck_assert_int_eq(og_pairs_believe(&s->pairs, &s->prior, NULL, &belief, &message), OG_OK);
    ck_assert(belief.settled);
    for (uint32_t i = 0; i < s->pairs.item_count; i++) {
        for (uint32_t j = i + 1; j < s->pairs.item_count; j++) {
            og_pairs_above(&belief, &i, &j, 1, &found);
            double off = fabs(found - above[i][j] / whole);
            out->sum += off;
            out->most = fmax(out->most, off);
            out->count++;
        }
    }
    og_pairs_belief_clear(&belief);
}

/* TEST_SCALE=8: a mean error of .0085 and a largest of .0626 in 2151 pairs. With a grid of 18 parts
 * for four items the largest was .089, an error of the grid. */
OG_TEST(probabilities_are_near_the_posterior)
{
    random_source random = random_start(1);
    errors found = {0};
    for (int k = 0; k < test_cases(60); k++) {
        sample s;
        uint32_t items = 3 + (uint32_t)random_below(&random, 2);
        draw_sample(&random, items, false, &s);
        s.pairs.pair = s.pair;
        add_errors(&s, items == 3 ? 60 : 44, &found);
    }
    ck_assert_double_le(found.sum / (double)found.count, 0.012);
    ck_assert_double_le(found.most, 0.07);
}

OG_TEST(probabilities_with_workers_are_near_the_posterior)
{
    random_source random = random_start(2);
    errors found = {0};
    for (int k = 0; k < test_cases(20); k++) {
        sample s;
        draw_sample(&random, 3, true, &s);
        s.pairs.pair = s.pair;
        add_errors(&s, 30, &found);
    }
    ck_assert_double_le(found.sum / (double)found.count, 0.019);
    ck_assert_double_le(found.most, 0.12);
}

/* ---- two items ---- */

/* After w wins of n the share of the first item is Beta(A + w, A + n - w): the mode of its log odds
 * and the curvature there. */
OG_TEST(two_items_are_a_beta)
{
    for (int n = 0; n < 9; n++) {
        for (int wins = 0; wins <= n; wins++) {
            og_pair pair[9];
            og_pairs pairs = {.pair = pair, .count = n, .item_count = 2, .worker_count = 1};
            const og_pairs_prior prior = {.item = 1.5};
            og_pairs_belief belief;
            og_message message = {""};
            double a = 1.5 + wins, b = 1.5 + n - wins;
            for (int k = 0; k < n; k++) {
                pair[k] = (og_pair){.item = {0, 1}, .first = k < wins};
            }
            ck_assert_int_eq(og_pairs_believe(&pairs, &prior, NULL, &belief, &message), OG_OK);
            const double *c = belief.covariance;
            ck_assert_double_eq_tol(exp(belief.mode[0]), a / (a + b), 1e-10);
            ck_assert_double_eq_tol(c[0] + c[3] - 2 * c[1], 1 / a + 1 / b, 1e-10);
            ck_assert_double_eq_tol(belief.size, a + b, 1e-9);
            og_pairs_belief_clear(&belief);
        }
    }
}

/* ---- contract ---- */

/* The density is the largest: it falls in every direction, by its definition. */
OG_TEST_LOOP(the_mode_is_a_maximum, 0, 8)
{
    random_source random = random_start((uint64_t)_i);
    sample s;
    og_pairs_belief belief;
    og_message message = {""};
    draw_sample(&random, ITEMS, false, &s);
    s.pairs.pair = s.pair;
    ck_assert_int_eq(og_pairs_believe(&s.pairs, &s.prior, NULL, &belief, &message), OG_OK);
    double at[3];
    for (int k = 0; k < 10; k++) {
        double step[ITEMS];
        for (int i = 0; i < ITEMS; i++) {
            step[i] = random_unit(&random) - 0.5;
        }
        for (int side = 0; side < 3; side++) {
            double p[ITEMS], sum = 0;
            at[side] = 0;
            for (int i = 0; i < ITEMS; i++) {
                p[i] = exp(belief.mode[i] + (side - 1) * 1e-3 * step[i]);
                sum += p[i];
            }
            for (int i = 0; i < ITEMS; i++) {
                p[i] /= sum;
                at[side] += log(p[i]); /* of log scores */
            }
            at[side] += log(density(&s, p));
        }
        ck_assert_double_le(at[0], at[1] + 1e-12);
        ck_assert_double_le(at[2], at[1] + 1e-12);
    }
    og_pairs_belief_clear(&belief);
}

OG_TEST(many_items_have_scores_and_no_covariance)
{
    enum { MANY = OG_PAIRS_SPREAD_MAX + 1 };
    static og_pair pair[MANY - 1];
    og_pairs pairs = {.pair = pair, .count = MANY - 1, .item_count = MANY, .worker_count = 1};
    og_pairs_belief belief = {.items = 7};
    og_message message = {""};
    for (uint32_t k = 0; k + 1 < MANY; k++) {
        pair[k] = (og_pair){.item = {k, k + 1}, .first = true};
    }
    const og_pairs_prior crowd = {1, {4, 1}}, prior = {.item = 1};
    ck_assert_int_eq(og_pairs_believe(&pairs, &crowd, NULL, &belief, &message), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "at most 2000 items, not 2001; omit it"));
    ck_assert_uint_eq(belief.items, 7);
    ck_assert_int_eq(og_pairs_believe(&pairs, &prior, NULL, &belief, &message), OG_OK);
    ck_assert_ptr_null(belief.covariance);
    for (uint32_t k = 0; k + 1 < MANY; k++) {
        ck_assert_double_ge(belief.mode[k], belief.mode[k + 1]);
    }
    og_pairs_belief_clear(&belief);
}
