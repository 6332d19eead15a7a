/* Cases of features, rankings and labelers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/families/features/features.h"
#include "bench/families/labelers/labelers.h"
#include "bench/families/ranking/ranking.h"
#include "dp/families/ranking.h"
#include "tests/conformance.h"
#include "tests/literal.h"
#include "tests/oracle_features.h"

/* ---- instances with features: a file that has no name ---- */

static void draw_features(random_source *random, char *text, size_t size)
{
    static const char *const numbers[] = {"0", "1", "0.5", "-1", "2", "0.25"};
    static int file = -1;
    const char *row[2];
    uint32_t instances = 1 + random_below(random, 3), features = 1 + random_below(random, 2);
    if (file >= 0) {
        close(file);
    }
    bool labels = random_below(random, 3) == 0;
    file = memfd_create("features", 0);
    dprintf(file, "%s%s", features == 1 ? "x" : "x\ty", labels ? "\tpositive\tnegative" : "");
    for (uint32_t i = 0; i < instances; i++) {
        uint32_t kind = random_below(random, 5); /* nothing, as before, any */
        for (uint32_t d = 0; d < features; d++) {
            row[d] = kind == 0            ? numbers[0]
                     : kind == 1 && i > 0 ? row[d]
                                          : CASE_PICK(random, numbers);
            dprintf(file, "%s%s", d == 0 ? "\n" : "\t", row[d]);
        }
        if (labels) {
            dprintf(file, "\t%u\t%u", random_below(random, 2), random_below(random, 2));
        }
    }
    dprintf(file, "\n");
    snprintf(text, size, "-T %u --features /proc/self/fd/%d --weight-mean %s --weight-sd %s",
             1 + random_below(random, features == 1 ? 3 : 2), file, CASE_PICK(random, numbers),
             random_below(random, 2) == 0 ? "1" : "0.5");
}

static double features_oracle(const case_question *asked, double *called)
{
    const og_problem *problem = asked->problem;
    const char *policy = asked->policy;
    const og_features_options *options = problem->options;
    const og_feature_table *table = &options->table;
    double mean[2], sd[2], own = NAN;
    for (int32_t d = 0; d < table->feature_count; d++) {
        mean[d] = og_features_number(options->mean, options->mean_count, d);
        sd[d] = og_features_number(options->sd, options->sd_count, d);
    }
    const og_features_problem features = {.instance_count = table->instance_count,
                                          .feature_count = table->feature_count,
                                          .row = table->row,
                                          .mean = mean,
                                          .sd = sd,
                                          .positive = table->positive,
                                          .negative = table->negative,
                                          .budget = problem->budget};
    if (policy == NULL) {
        return asked->first == NULL ? oracle_features_value(&features, NULL)
                                    : oracle_features_first(&features, (int)asked->first->part[1]);
    }
    if (asked->ties != OG_TIES_RANDOM) {
        return NAN;
    }
    if (strcmp(policy, "uniform") != 0 && strstr(policy, "-exact") == NULL) {
        oracle_features_laplace(&features, policy, &own, called);
        return own;
    }
    return oracle_features_value(&features, policy);
}

/* No fractions: the family has none. Under other ties than random policies have no oracle, but keep
 * to the order of ties. In runs uniform calls by
 * a belief of its own, and loses much less than 400 runs show. */
const og_case og_case_features = {
    .family = "features",
    .rounds = 8,
    .draw = draw_features,
    .oracle = features_oracle,
    .more = "pess-kg,cvar-kg:0.6,pess-kg-exact,cvar-kg-exact:0.4,entropy,least-confidence",
    .error = ORACLE_FEATURES_ERROR,
    .unplayed = "-exact",
    .refused = {{"-T 3", "--features FILE is missing"}},
};

/* ---- ranking: numbers of a state are the comparisons left and what each worker said of each item
 * over each. Masses are the library's, which tests/test_ranking.c and tests/test_ranking_crowd.c
 * hold against other integrals and sums. ---- */

enum { ITEMS = 3, PEOPLE = 2, SAID = 1 };

typedef struct {
    og_ranking_posterior posterior;
    int32_t items, workers; /* 0 workers: one who is always right, and may be asked again */
} test_items;

static void draw_ranking(random_source *random, char *text, size_t size)
{
    static const char *const words[] = {"3x1", "2 1", "2 1 3", "2x1 2", "2x2", "1.5 1 0.75"};
    static const char *const workers[] = {"2x4,1", "4,1 --workers-prior 1,2", "1.5,0.5"};
    static const char *const history[] = {"", "", "1>2", "2>1,1>2", "2>1,2>1"};
    static const char *const told[] = {"", "1>2@1", "2>1@1"};
    const char *word = CASE_PICK(random, words);
    bool people = random_below(random, 3) == 0;
    const char *had = people ? CASE_PICK(random, told) : CASE_PICK(random, history);
    uint32_t budget = random_below(random, people ? 3 : 4) + (had[0] != '\0') + (strlen(had) > 5);
    snprintf(text, size, "-T %u %s%s%s%s%s", budget, word, people ? " --workers-prior " : "",
             people ? CASE_PICK(random, workers) : "", had[0] != '\0' ? " --history " : "", had);
}

static int32_t *said(literal_place *at, int32_t i, int32_t j, int32_t w)
{
    return &at->x[SAID + (ITEMS * i + j) * PEOPLE + w];
}

static long double mass_of(const test_items *items, const literal_place *at, double *above)
{
    og_ranking_counts counts = {.wins = {0}};
    literal_place copy = *at;
    for (int32_t i = 0; i < items->items; i++) {
        for (int32_t j = 0; j < items->items; j++) {
            for (int32_t w = 0; w < PEOPLE; w++) {
                for (int32_t k = 0; k < *said(&copy, i, j, w); k++) {
                    og_ranking_add(&items->posterior.prior, &counts, i, j, w);
                }
            }
        }
    }
    return og_ranking_masses(&items->posterior, &counts, above);
}

/* The pair and worker of this number; false: there are not so many. */
static bool find_pair(const test_items *items, const literal_place *at, int32_t act,
                      int32_t part[3])
{
    literal_place copy = *at;
    for (part[0] = 0; part[0] < items->items; part[0]++) {
        for (part[1] = part[0] + 1; part[1] < items->items; part[1]++) {
            for (part[2] = 0; part[2] == 0 || part[2] < items->workers; part[2]++) {
                bool asked = *said(&copy, part[0], part[1], part[2]) > 0 ||
                             *said(&copy, part[1], part[0], part[2]) > 0;
                if (!(items->workers > 0 && asked) && act-- == 0) {
                    return true;
                }
            }
        }
    }
    return false;
}

static int32_t ranking_acts(const literal *by, const literal_place *at)
{
    int32_t part[3], count = 0;
    while (at->x[0] > 0 && find_pair(by->object, at, count, part)) {
        count++;
    }
    return count;
}

static int32_t ranking_answers(const literal *by, const literal_place *at, int32_t act,
                               literal_place *next, long double *chance)
{
    const test_items *items = by->object;
    double above[ITEMS * ITEMS];
    long double all = mass_of(items, at, above);
    int32_t part[3];
    find_pair(items, at, act, part);
    for (int k = 0; k < 2; k++) {
        next[k] = *at;
        next[k].x[0]--;
        ++*said(&next[k], part[k], part[1 - k], part[2]);
        chance[k] = mass_of(items, &next[k], above) / all;
    }
    return 2;
}

static long double ranking_worth(const literal *by, const literal_place *at)
{
    const test_items *items = by->object;
    double above[ITEMS * ITEMS];
    long double all = mass_of(items, at, above);
    return og_ranking_best(items->items, above) / all;
}

static long double ranking_index(const literal *by, const literal_place *at, int32_t act)
{
    return literal_rule_of_act(by, at, act);
}

static void read_items(const og_problem *problem, og_ranking_prior *out)
{
    const og_ranking_options *options = problem->options;
    for (int32_t w = 0; w < problem->word_count; w++) {
        const char *times = strchr(problem->word[w], 'x');
        int32_t copies = times != NULL ? atoi(problem->word[w]) : 1;
        for (int32_t k = 0; k < copies; k++) {
            out->item[out->items++] = atof(times != NULL ? times + 1 : problem->word[w]);
        }
    }
    for (int32_t g = 0; g < options->workers.group_count; g++) {
        const og_group *group = og_groups_at(&options->workers, g);
        for (int64_t k = 0; k < group->count; k++) {
            out->worker[out->workers][0] = og_fraction_double(group->a);
            out->worker[out->workers++][1] = og_fraction_double(group->b);
        }
    }
}

/* What was said, and so many fewer to come. */
static void read_comparisons(const char *text, literal_place *root)
{
    int32_t winner, loser, worker, used = 0;
    while (text != NULL && sscanf(text, "%d>%d%n", &winner, &loser, &used) == 2) {
        text += used;
        worker = 1;
        if (sscanf(text, "@%d%n", &worker, &used) == 1) {
            text += used;
        }
        ++*said(root, winner - 1, loser - 1, worker - 1);
        root->x[0]--;
        text += *text == ',';
    }
}

static double ranking_oracle(const case_question *asked, double *called)
{
    (void)called;
    const char *policy = asked->policy;
    og_ranking_prior prior = {.items = 0};
    literal_place root = {{asked->problem->budget}};
    bool any = policy != NULL && strcmp(policy, "uniform") == 0; /* it draws, nothing ties */
    int32_t act = -1, part[3] = {0};
    if (policy != NULL && !any && strstr(policy, "-exact") == NULL) {
        return NAN;
    }
    read_items(asked->problem, &prior);
    read_comparisons(asked->history, &root);
    test_items items = {.items = prior.items, .workers = prior.workers};
    og_ranking_posterior_init(&items.posterior, &prior, asked->problem->budget + 1,
                              UINT64_C(1) << 28, NULL, NULL);
    const literal by = {.object = &items,
                        .policy = policy,
                        .ties = any ? OG_TIES_RANDOM : asked->ties,
                        .tie = 1e-11L,
                        .acts = ranking_acts,
                        .answers = ranking_answers,
                        .worth = ranking_worth,
                        .index = ranking_index};
    for (const og_act *first = asked->first;
         first != NULL && find_pair(&items, &root, ++act, part);) {
        if (memcmp(part, first->part, sizeof part) == 0) {
            break;
        }
    }
    double value = (double)literal_value_of_act(&by, &root, act);
    og_ranking_posterior_clear(&items.posterior);
    return value;
}

/* No fractions: masses are integrals. akg and distance have no oracle (tests/test_ranking_belief.c
 * has their beliefs) and no explanation. */
const og_case og_case_ranking = {
    .family = "ranking",
    .rounds = 20,
    .draw = draw_ranking,
    .oracle = ranking_oracle,
    .more = "kg-exact,opt-kg-exact,pess-kg-exact,cvar-kg-exact:0.6",
    .fixed = {"-T 3 2 1 3"},
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
    bool nobody, odd;
} labelers;

static void draw_labelers(random_source *random, char *text, size_t size)
{
    static const char *const chances[] = {"0.9", "0.7", "0.6", "0.55", "0.3", "0.8",
                                          "0.5", "0.4", "1",   "0",    "0.9", "0.7"};
    static const char *const history[] = {"0", "1", "0", "1", "-"};
    uint32_t count = 1 + random_below(random, LABELERS), had = random_below(random, 3) == 0;
    snprintf(text, size, "-T %u", had + 1 + random_below(random, count < 3 ? 3 : 2));
    const char *const words[] = {"",
                                 " --unknown orders",
                                 " --unknown orders",
                                 " --cost 0.02 --price 1.5",
                                 " --cost 0.05 --price 1 --sets odd",
                                 " --cost 0.02 --price 4 --allow-nobody",
                                 " --unknown orders --cost 0.1 --price 1 --sets odd,nobody"};
    strcat(text, CASE_PICK(random, words));
    strcat(text, had == 1 ? " --history " : "");
    for (uint32_t i = 0; had == 1 && i < count; i++) {
        strcat(text, CASE_PICK(random, history));
    }
    for (uint32_t i = 0; i < count; i++) {
        /* after votes none is certain, as they might be impossible */
        strcat(strcat(text, " "), chances[random_below(random, had == 1 ? 8 : 12)]);
    }
}

/* Sets by size, then by members; 0 where there are not so many. */
static uint32_t set_of(const labelers *problem, int32_t act, bool *found)
{
    *found = true;
    for (int size = problem->nobody ? 0 : 1; size <= problem->count; size++) {
        for (uint32_t set = 0; set < 1U << problem->count; set++) {
            bool asked = !problem->odd || size % 2 == 1 || size == 0 || size == problem->count;
            if (asked && __builtin_popcount(set) == size && act-- == 0) {
                return set;
            }
        }
    }
    *found = false;
    return 0;
}

/* These votes of a set and, with `one`, that the first label is right; else that it is or not. */
static long double votes(const labelers *problem, int32_t h, uint32_t set, uint32_t ones, int one)
{
    long double product[2] = {0.5L, 0.5L};
    for (int32_t i = 0; i < problem->count; i++) {
        long double p = problem->right[h][i];
        bool says = (ones >> i & 1) != 0, asked = (set >> i & 1) != 0;
        product[0] *= !asked ? 1 : says ? 1 - p : p;
        product[1] *= !asked ? 1 : says ? p : 1 - p;
    }
    return one < 0 ? product[0] + product[1] : product[one];
}

/* The chance of these accuracies and of all that was voted. */
static long double weight_of(const labelers *problem, const literal_place *at, int32_t h)
{
    long double weight = 1;
    for (int32_t t = 0; t < at->x[0]; t++) {
        weight *= votes(problem, h, (uint32_t)at->x[1 + 2 * t], (uint32_t)at->x[2 + 2 * t], -1);
    }
    return weight;
}

static int32_t labelers_acts(const literal *by, const literal_place *at)
{
    const labelers *problem = by->object;
    int32_t count = 0;
    bool found = at->x[0] < problem->budget;
    while (found) {
        set_of(problem, count, &found);
        count += found;
    }
    return count;
}

static int32_t labelers_answers(const literal *by, const literal_place *at, int32_t act,
                                literal_place *next, long double *chance)
{
    const labelers *problem = by->object;
    bool found;
    uint32_t set = set_of(problem, act, &found);
    int32_t count = 0;
    for (uint32_t ones = 0; ones <= set; ones++) {
        if ((ones & ~set) != 0) {
            continue;
        }
        long double all = 0, sum = 0;
        for (int32_t h = 0; h < problem->orders; h++) {
            long double weight = weight_of(problem, at, h);
            all += weight;
            sum += weight * votes(problem, h, set, ones, -1);
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
    const labelers *problem = by->object;
    bool found;
    uint32_t set = set_of(problem, act, &found);
    int size = __builtin_popcount(set);
    long double all = 0, sum = 0, cost = 0;
    for (int32_t i = 0; i < problem->count; i++) {
        cost += (set >> i & 1) != 0 ? problem->cost[i] : 0;
    }
    for (int32_t h = 0; h < problem->orders; h++) {
        long double weight = weight_of(problem, at, h);
        all += weight;
        for (uint32_t ones = 0; ones <= set; ones++) {
            int more = 2 * __builtin_popcount(ones) - size;
            long double both = votes(problem, h, set, ones, -1);
            long double right = more == 0 ? both / 2 : votes(problem, h, set, ones, more > 0);
            sum += (ones & ~set) == 0 ? weight * right : 0;
        }
    }
    return sum / all - cost;
}

static long double labelers_index(const literal *by, const literal_place *at, int32_t act)
{
    const labelers *problem = by->object;
    bool found;
    uint32_t everybody = (1U << problem->count) - 1;
    return strcmp(by->policy, "everybody") == 0 ? set_of(problem, act, &found) == everybody
                                                : labelers_reward(by, at, act);
}

static long double nothing(const literal *by, const literal_place *at)
{
    (void)by, (void)at;
    return 0;
}

/* Every order of the accuracies given, or that order alone. */
static void read_labelers(const og_problem *problem, labelers *own)
{
    static const int order[ORDERS][LABELERS] = {{0, 1, 2}, {1, 0, 2}, {2, 0, 1},
                                                {2, 1, 0}, {0, 2, 1}, {1, 2, 0}};
    const og_labelers_options *options = problem->options;
    *own = (labelers){.count = problem->word_count,
                      .budget = problem->budget,
                      .nobody = options->nobody,
                      .odd = options->sets != NULL && strcmp(options->sets, "odd") == 0,
                      .orders = options->unknown == NULL || problem->word_count == 1 ? 1
                                : problem->word_count == 2                           ? 2
                                                                                     : ORDERS};
    for (int32_t i = 0; i < own->count; i++) {
        og_fraction cost = options->cost[options->cost_count == 1 ? 0 : i];
        own->cost[i] = (long double)cost.num / cost.den * options->price.num / options->price.den;
        for (int32_t h = 0; h < own->orders; h++) {
            own->right[h][i] = strtold(problem->word[order[h][i]], NULL);
        }
    }
}

/* Who was asked about each task so far, and who voted for the first label: "1-0". */
static literal_place voted(const char *history, int32_t count)
{
    literal_place at = {{0}};
    for (; history != NULL && *history != '\0'; history += count + (history[count] == ',')) {
        for (int32_t i = 0; i < count; i++) {
            at.x[1 + 2 * at.x[0]] |= (history[i] != '-') << i;
            at.x[2 + 2 * at.x[0]] |= (history[i] == '1') << i;
        }
        at.x[0]++;
    }
    return at;
}

static double labelers_oracle(const case_question *asked, double *called)
{
    (void)called;
    labelers problem;
    const char *policy = asked->policy;
    bool greedy = policy != NULL && strcmp(policy, "greedy") == 0, found = true;
    int32_t act = -1;
    if (policy != NULL && !greedy && strcmp(policy, "everybody") != 0) {
        return NAN;
    }
    read_labelers(asked->problem, &problem);
    const literal by = {.object = &problem,
                        .policy = policy,
                        .ties = greedy ? OG_TIES_FIRST : asked->ties,
                        .acts = labelers_acts,
                        .answers = labelers_answers,
                        .worth = nothing,
                        .index = labelers_index,
                        .reward = labelers_reward};
    const literal_place root = voted(asked->history, problem.count);
    while (asked->first != NULL && set_of(&problem, ++act, &found) != asked->first->part[0]) {
    }
    return (double)literal_value_of_act(&by, &root, act);
}

/* best-set, bayes-vote and ls-ol have no oracle: tests/test_labelers.c has their definitions. The
 * last two have no explanation. */
const og_case og_case_labelers = {
    .family = "labelers",
    .rounds = 60,
    .draw = draw_labelers,
    .oracle = labelers_oracle,
    .tasks = true,
    .fixed = {"-T 2 --unknown orders --cost 0.02 --price 4 0.6 0.9 0.6"},
    .beyond = "bayes-vote,ls-ol,ls-ol-weighted",
    .refused = {{"-T 2 1.5", "1.5"}},
};
