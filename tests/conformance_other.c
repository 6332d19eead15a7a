/* Cases of features, rankings and labelers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/families/features.h"
#include "bench/families/labelers.h"
#include "bench/families/ranking.h"
#include "dp/families/ranking.h"
#include "tests/conformance.h"
#include "tests/literal.h"
#include "tests/oracle_features.h"

/* ---- instances with features: a file that has no name ---- */

static void draw_features(random_source *random, char *text, size_t size)
{
    static const char *const numbers[] = {"0", "1", "0.5", "-1", "2", "0.25"};
    static int file = -1;
    uint32_t instances = 1 + random_below(random, 3), features = 1 + random_below(random, 2);
    if (file >= 0) {
        close(file);
    }
    file = memfd_create("features", 0);
    dprintf(file, features == 1 ? "x" : "x\ty");
    for (uint32_t i = 0; i < instances; i++) {
        dprintf(file, "\n%s", CASE_PICK(random, numbers));
        if (features > 1) {
            dprintf(file, "\t%s", CASE_PICK(random, numbers));
        }
    }
    dprintf(file, "\n");
    snprintf(text, size, "-T %u --features /proc/self/fd/%d --weight-mean %s --weight-sd %s",
             random_below(random, features == 1 ? 4 : 3), file, CASE_PICK(random, numbers),
             random_below(random, 2) == 0 ? "1" : "0.5");
}

static double features_oracle(const og_problem *problem, const char *policy, og_ties ties,
                              double *called)
{
    const og_features_options *options = problem->options;
    const og_feature_table *table = &options->table;
    double mean[2], sd[2], own = NAN;
    for (int32_t d = 0; d < table->feature_count; d++) {
        mean[d] = og_features_number(options->mean, options->mean_count, d);
        sd[d] = og_features_number(options->sd, options->sd_count, d);
    }
    const og_features_problem of = {.instance_count = table->instance_count,
                                    .feature_count = table->feature_count,
                                    .row = table->row,
                                    .mean = mean,
                                    .sd = sd,
                                    .positive = table->positive,
                                    .negative = table->negative,
                                    .budget = problem->budget};
    if (policy == NULL) {
        return oracle_features_value(&of, ORACLE_OPTIMUM);
    }
    if (ties != OG_TIES_RANDOM) {
        return NAN;
    }
    if (strcmp(policy, "kg") == 0 || strcmp(policy, "opt-kg") == 0) {
        oracle_features_laplace(&of, policy[0] == 'o', &own, called);
        return own;
    }
    return oracle_features_value(&of, strcmp(policy, "uniform") == 0    ? ORACLE_UNIFORM
                                      : strcmp(policy, "kg-exact") == 0 ? ORACLE_KG_EXACT
                                                                        : ORACLE_OPT_KG_EXACT);
}

/* No fractions: the family has none. Under other ties than random policies have no oracle, but keep
 * to the order of ties. kg and opt-kg have no explanation, as they call by a belief of their own.
 * In runs so does uniform, which loses much less than 400 runs show. */
const og_case og_case_features = {
    .family = "features",
    .rounds = 4,
    .draw = draw_features,
    .oracle = features_oracle,
    .error = ORACLE_FEATURES_ERROR,
    .unplayed = "-exact",
    .refused = {{"-T 3", "--features FILE is missing"}},
};

/* ---- ranking: numbers of a state are the comparisons left and the wins of each item over each.
 * Masses are the library's, which tests/test_ranking.c holds against other integrals. ---- */

enum { ITEMS = 3, WINS = 1 };

typedef struct {
    og_ranking_posterior posterior;
    int32_t items;
} items;

static void draw_ranking(random_source *random, char *text, size_t size)
{
    static const char *const words[] = {"3x1", "2 1", "2 1 3", "2x1 2", "2x2", "1.5 1 0.75"};
    snprintf(text, size, "-T %u %s", random_below(random, 4), CASE_PICK(random, words));
}

static int32_t wins(const literal_place *at, int32_t i, int32_t j)
{
    return at->x[WINS + ITEMS * i + j];
}

static long double mass_of(const items *of, const literal_place *at, double *above)
{
    og_ranking_counts counts = {.wins = {0}};
    for (int32_t i = 0; i < of->items; i++) {
        for (int32_t j = 0; j < of->items; j++) {
            counts.wins[i] = (uint8_t)(counts.wins[i] + wins(at, i, j));
            if (i < j) {
                counts.compared[og_ranking_pair(of->items, i, j)] =
                    (uint8_t)(wins(at, i, j) + wins(at, j, i));
            }
        }
    }
    return og_ranking_masses(&of->posterior, &counts, above);
}

/* The pair of this number; false: there are not so many. */
static bool find_pair(const items *of, int32_t act, int32_t *i, int32_t *j)
{
    for (*i = 0; *i < of->items; ++*i) {
        for (*j = *i + 1; *j < of->items; ++*j) {
            if (act-- == 0) {
                return true;
            }
        }
    }
    return false;
}

static int32_t ranking_acts(const literal *by, const literal_place *at)
{
    int32_t i = 0, j = 0, count = 0;
    while (at->x[0] > 0 && find_pair(by->of, count, &i, &j)) {
        count++;
    }
    return count;
}

static int32_t ranking_answers(const literal *by, const literal_place *at, int32_t act,
                               literal_place *next, long double *chance)
{
    const items *of = by->of;
    double above[ITEMS * ITEMS];
    long double all = mass_of(of, at, above);
    int32_t i = 0, j = 0;
    find_pair(of, act, &i, &j);
    for (int k = 0; k < 2; k++) {
        next[k] = *at;
        next[k].x[0]--;
        next[k].x[WINS + (k == 0 ? ITEMS * i + j : ITEMS * j + i)]++;
        chance[k] = mass_of(of, &next[k], above) / all;
    }
    return 2;
}

static long double ranking_worth(const literal *by, const literal_place *at)
{
    const items *of = by->of;
    double above[ITEMS * ITEMS];
    long double all = mass_of(of, at, above);
    return og_ranking_best(of->items, above) / all;
}

static long double ranking_index(const literal *by, const literal_place *at, int32_t act)
{
    return strcmp(by->policy, "uniform") == 0 ? 0 : literal_ahead(by, at, act);
}

static double ranking_oracle(const og_problem *problem, const char *policy, og_ties ties,
                             double *called)
{
    (void)called;
    items of = {.items = 0};
    og_ranking_prior prior = {.items = 0};
    literal_place root = {{problem->budget}};
    bool any = policy != NULL && strcmp(policy, "uniform") == 0; /* it draws, nothing ties */
    if (policy != NULL && !any && strcmp(policy, "kg-exact") != 0) {
        return NAN;
    }
    for (int32_t w = 0; w < problem->word_count; w++) {
        const char *times = strchr(problem->word[w], 'x');
        int32_t copies = times != NULL ? atoi(problem->word[w]) : 1;
        for (int32_t k = 0; k < copies; k++) {
            prior.item[prior.items++] = atof(times != NULL ? times + 1 : problem->word[w]);
        }
    }
    of.items = prior.items;
    og_ranking_posterior_init(&of.posterior, &prior, problem->budget + 1, UINT64_C(1) << 28, NULL,
                              NULL);
    const literal by = {.of = &of,
                        .policy = policy,
                        .ties = any ? OG_TIES_RANDOM : ties,
                        .tie = 1e-11L,
                        .acts = ranking_acts,
                        .answers = ranking_answers,
                        .worth = ranking_worth,
                        .index = ranking_index};
    double value = (double)literal_value(&by, &root);
    og_ranking_posterior_clear(&of.posterior);
    return value;
}

/* No fractions: masses are integrals. akg and distance have no oracle (tests/test_ranking_belief.c
 * has their beliefs) and no explanation. Workers and --once are in tests/test_ranking_crowd.c. */
const og_case og_case_ranking = {
    .family = "ranking",
    .rounds = 8,
    .draw = draw_ranking,
    .oracle = ranking_oracle,
    .error = 1e-11,
    .refused = {{"-T 2 kg", "item 'kg'"}},
};

/* ---- labelers: numbers of a state are the tasks done, then who was asked about each, and who
 * voted for the first label ---- */

enum { LABELERS = 3, ORDERS = 6 };

typedef struct {
    int32_t count, budget, orders;
    long double right[ORDERS][LABELERS]; /* accuracies, all alike */
    long double cost[LABELERS];          /* in right labels */
    bool nobody;
} labelers;

static void draw_labelers(random_source *random, char *text, size_t size)
{
    static const char *const words[] = {"0.9 0.7 0.6", "0.9 0.6",      "0.95 0.55 0.55",
                                        "0.3 0.8",     "0.3 0.8 0.45", "1 0.6"};
    static const char *const rest[] = {"",
                                       "",
                                       " --unknown orders",
                                       " --unknown orders",
                                       " --unknown orders --cost 0.02 --price 1.5",
                                       " --cost 0.02 --price 4 --allow-nobody"};
    snprintf(text, size, "-T %u%s %s", 1 + random_below(random, 2), CASE_PICK(random, rest),
             CASE_PICK(random, words));
}

/* Sets by size, then by members; 0 where there are not so many. */
static uint32_t set_of(const labelers *of, int32_t act, bool *found)
{
    *found = true;
    for (int size = of->nobody ? 0 : 1; size <= of->count; size++) {
        for (uint32_t set = 0; set < 1U << of->count; set++) {
            if (__builtin_popcount(set) == size && act-- == 0) {
                return set;
            }
        }
    }
    *found = false;
    return 0;
}

/* These votes of a set and, with `one`, that the first label is right; else that it is or not. */
static long double votes(const labelers *of, int32_t h, uint32_t set, uint32_t ones, int one)
{
    long double product[2] = {0.5L, 0.5L};
    for (int32_t i = 0; i < of->count; i++) {
        long double p = of->right[h][i];
        bool says = (ones >> i & 1) != 0, asked = (set >> i & 1) != 0;
        product[0] *= !asked ? 1 : says ? 1 - p : p;
        product[1] *= !asked ? 1 : says ? p : 1 - p;
    }
    return one < 0 ? product[0] + product[1] : product[one];
}

/* The chance of these accuracies and of all that was voted. */
static long double weight_of(const labelers *of, const literal_place *at, int32_t h)
{
    long double weight = 1;
    for (int32_t t = 0; t < at->x[0]; t++) {
        weight *= votes(of, h, (uint32_t)at->x[1 + 2 * t], (uint32_t)at->x[2 + 2 * t], -1);
    }
    return weight;
}

static int32_t labelers_acts(const literal *by, const literal_place *at)
{
    const labelers *of = by->of;
    int32_t count = 0;
    bool found = at->x[0] < of->budget;
    while (found) {
        set_of(of, count, &found);
        count += found;
    }
    return count;
}

static int32_t labelers_answers(const literal *by, const literal_place *at, int32_t act,
                                literal_place *next, long double *chance)
{
    const labelers *of = by->of;
    bool found;
    uint32_t set = set_of(of, act, &found);
    int32_t count = 0;
    for (uint32_t ones = 0; ones <= set; ones++) {
        if ((ones & ~set) != 0) {
            continue;
        }
        long double all = 0, sum = 0;
        for (int32_t h = 0; h < of->orders; h++) {
            long double weight = weight_of(of, at, h);
            all += weight;
            sum += weight * votes(of, h, set, ones, -1);
        }
        next[count] = *at;
        next[count].x[0]++;
        next[count].x[1 + 2 * at->x[0]] = (int32_t)set;
        next[count].x[2 + 2 * at->x[0]] = (int32_t)ones;
        chance[count++] = sum / all;
    }
    return count;
}

/* That the majority of the set is right, less what its votes cost. */
static long double labelers_reward(const literal *by, const literal_place *at, int32_t act)
{
    const labelers *of = by->of;
    bool found;
    uint32_t set = set_of(of, act, &found);
    int size = __builtin_popcount(set);
    long double all = 0, sum = 0, cost = 0;
    for (int32_t i = 0; i < of->count; i++) {
        cost += (set >> i & 1) != 0 ? of->cost[i] : 0;
    }
    for (int32_t h = 0; h < of->orders; h++) {
        long double weight = weight_of(of, at, h);
        all += weight;
        for (uint32_t ones = 0; ones <= set; ones++) {
            int more = 2 * __builtin_popcount(ones) - size;
            long double both = votes(of, h, set, ones, -1);
            long double right = more == 0 ? both / 2 : votes(of, h, set, ones, more > 0);
            sum += (ones & ~set) == 0 ? weight * right : 0;
        }
    }
    return sum / all - cost;
}

static long double labelers_index(const literal *by, const literal_place *at, int32_t act)
{
    const labelers *of = by->of;
    bool found;
    uint32_t everybody = (1U << of->count) - 1;
    return strcmp(by->policy, "everybody") == 0 ? set_of(of, act, &found) == everybody
                                                : labelers_reward(by, at, act);
}

static long double nothing(const literal *by, const literal_place *at)
{
    (void)by, (void)at;
    return 0;
}

/* Every order of the accuracies given, or that order alone. */
static void read_labelers(const og_problem *problem, labelers *of)
{
    static const int order[ORDERS][LABELERS] = {{0, 1, 2}, {1, 0, 2}, {2, 0, 1},
                                                {2, 1, 0}, {0, 2, 1}, {1, 2, 0}};
    const og_labelers_options *options = problem->options;
    *of = (labelers){.count = problem->word_count,
                     .budget = problem->budget,
                     .nobody = options->nobody,
                     .orders = options->unknown == NULL   ? 1
                               : problem->word_count == 2 ? 2
                                                          : ORDERS};
    for (int32_t i = 0; i < of->count; i++) {
        og_fraction cost = options->cost[options->cost_count == 1 ? 0 : i];
        of->cost[i] = (long double)cost.num / cost.den * options->price.num / options->price.den;
        for (int32_t h = 0; h < of->orders; h++) {
            of->right[h][i] = strtold(problem->word[order[h][i]], NULL);
        }
    }
}

static double labelers_oracle(const og_problem *problem, const char *policy, og_ties ties,
                              double *called)
{
    (void)called;
    labelers of;
    bool greedy = policy != NULL && strcmp(policy, "greedy") == 0;
    if (policy != NULL && !greedy && strcmp(policy, "everybody") != 0) {
        return NAN;
    }
    read_labelers(problem, &of);
    const literal by = {.of = &of,
                        .policy = policy,
                        .ties = greedy ? OG_TIES_FIRST : ties,
                        .acts = labelers_acts,
                        .answers = labelers_answers,
                        .worth = nothing,
                        .index = labelers_index,
                        .reward = labelers_reward};
    const literal_place root = {{0}};
    return (double)literal_value(&by, &root);
}

/* best-set, bayes-vote and ls-ol have no oracle: tests/test_labelers.c has their definitions. The
 * last two have no explanation, as they may do what the optimum may not. */
const og_case og_case_labelers = {
    .family = "labelers",
    .rounds = 24,
    .draw = draw_labelers,
    .oracle = labelers_oracle,
    .refused = {{"-T 2 1.5", "1.5"}},
};
