/* Cases of families whose instances are coupled by those who label them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/assignment/assignment.h"
#include "bench/families/sources/sources.h"
#include "bench/families/workers/workers.h"
#include "dp/families/workers.h"
#include "tests/conformance.h"
#include "tests/literal.h"
#include "tests/oracle_assignment.h"
#include "tests/oracle_workers.h"

/* ---- workers of unknown reliability ---- */

/* Words, and how many instances and workers are theirs. */
typedef struct {
    const char *text;
    uint32_t instances, workers;
} counted_labels;

/* The next label of a history, "2@1+"; false: there is none. */
static bool next_label(const char **rest, int32_t *i, int32_t *j, bool *positive)
{
    char sign;
    int used = 0;
    if (*rest == NULL || sscanf(*rest, "%d@%d%c%n", i, j, &sign, &used) < 3) {
        return false;
    }
    *rest += used + ((*rest)[used] == ',');
    *positive = sign == '+';
    --*i, --*j;
    return true;
}

/* So many labels, and every other time up to two so far. */
static void draw_labels(random_source *random, const counted_labels *counted, bool once,
                        uint32_t labels, char *text, size_t size)
{
    uint32_t had = 0, cells = counted->instances * counted->workers,
             most = random_below(random, 5) / 2;
    char history[64] = "";
    for (uint32_t k = 0; k < most; k++) {
        uint32_t cell = random_below(random, cells);
        if (!once || (had >> cell & 1) == 0) {
            size_t used = strlen(history);
            snprintf(history + used, sizeof history - used, "%s%u@%u%c",
                     had == 0 ? " --history " : ",", cell / counted->workers + 1,
                     cell % counted->workers + 1, "+-"[random_below(random, 2)]);
            had |= 1U << cell;
            labels++;
        }
    }
    size_t used = strlen(text);
    snprintf(text + used, size - used, " -T %u%s", labels, history);
}

static void draw_workers(random_source *random, char *text, size_t size)
{
    static const counted_labels tasks[] = {{"1,1", 1, 0},        {"2x1,1", 2, 0}, {"2,1 1,1", 2, 0},
                                           {"0.5,1.5", 1, 0},    {"2x3,1", 2, 0}, {"3,2 1,1", 2, 0},
                                           {"1,2 0.7,0.7", 2, 0}};
    static const counted_labels people[] = {{"4,1", 0, 1},
                                            {"2x2,1", 0, 2},
                                            {"3,1 --workers-prior 8,1", 0, 2},
                                            {"1,1", 0, 1},
                                            {"1,3", 0, 1},
                                            {"2x4,1/2,1.5", 0, 2},
                                            {"0.5*4,1+0.5*1,2", 0, 1},
                                            {"0.25*4,1+0.25*1,1+0.5*0.5,2", 0, 1},
                                            {"2,1 --workers-prior 1,1/0.5,3", 0, 2},
                                            {"2,1/1,2 --workers-prior 0.6*3,1+0.4*1,3", 0, 2}};
    const counted_labels *who = &CASE_PICK(random, people), *what = &CASE_PICK(random, tasks);
    const counted_labels both = {NULL, what->instances, who->workers};
    bool once = random_below(random, 3) == 0;
    uint32_t most = both.instances * both.workers > 2 ? 4 : 6;
    snprintf(text, size, "--workers-prior %s%s %s", who->text, once ? " --once" : "", what->text);
    draw_labels(random, &both, once, (1 + random_below(random, most)) / 2, text, size);
}

static double workers_oracle(const case_question *asked, double *called)
{
    const og_problem *problem = asked->problem;
    const og_workers_options *options = problem->options;
    const char *history = asked->history;
    oracle_workers oracle = {.once = options->once, .ties = asked->ties};
    oracle_worth worth;
    int32_t i, j, had = 0;
    bool positive;
    if (asked->first != NULL) {
        return NAN;
    }
    oracle_worth_init(&worth);
    oracle_betas_init(&oracle.prior);
    oracle_betas_take(&oracle.prior, &problem->instances, &options->workers);
    oracle.instances = (int)og_groups_size(&problem->instances);
    oracle.workers = (int)og_groups_size(&options->workers);
    oracle.labels =
        og_workers_labels(oracle.instances, oracle.workers, problem->budget, oracle.once);
    oracle.history = calloc((size_t)oracle.labels + 1, sizeof *oracle.history);
    while (next_label(&history, &i, &j, &positive)) {
        oracle.history[had++] = (oracle_label){i, j, positive};
    }
    oracle.rule = asked->policy;
    oracle_workers_value(&oracle, had, &worth);
    bool own = oracle_workers_decides(&oracle);
    double value = mpq_get_d(own ? worth.own : worth.exact);
    *called = own ? mpq_get_d(worth.exact) : NAN;
    free(oracle.history);
    oracle_betas_clear(&oracle.prior);
    oracle_worth_clear(&worth);
    return value;
}

/* Policies have no fractions. uniform, kg and opt-kg have no explanation, as they call by a belief
 * of their own. */
const og_case og_case_workers = {
    .family = "workers",
    .rounds = 10,
    .draw = draw_workers,
    .oracle = workers_oracle,
    .more = "kg-exact,pess-kg,cvar-kg:0.8,pess-kg-exact,cvar-kg-exact:0.7,entropy,least-confidence",
    .unplayed = "-exact",
    .fixed = {"-T 2 --workers-prior 4,1 2x1,1", /* order of instances, ties first */
              "-T 2 --workers-prior 0.5*4,1+0.5*1,2 1,1"},
    .refused = {{"-T 3 1,1", "--workers-prior"}},
};

/* ---- labels from sources: numbers of a state are the units left, then what each source said of
 * each instance, positive and negative ---- */

enum { INSTANCES = 3, SOURCES = 2, UNITS = 0, SAID = 1 };

static void draw_sources(random_source *random, char *text, size_t size)
{
    static const char *const words[] = {"1,1", "2x1,1", "2,1 1,1", "2x1,3", "1,1 3,1", "2x3,1"};
    static const char *const units[] = {"0", "1", "2", "3", "4", "4", "5"};
    static const char *const accuracies[] = {"0.8", "0.7", "1",       "0.5", "4,1",
                                             "3,2", "3,1", "2.5,0.5", "0.3"};
    uint32_t count = 1 + (random_below(random, 3) == 0);
    snprintf(text, size, "-T %s %s", CASE_PICK(random, units), CASE_PICK(random, words));
    for (uint32_t j = 0; j < count; j++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, " --source %c:%u:%s%s", "ab"[j],
                 1 + random_below(random, 3), CASE_PICK(random, accuracies),
                 random_below(random, 3) == 0 ? ":1" : "");
    }
}

typedef struct {
    const og_crowd_sources *sources;
    int32_t count;
    int32_t group[INSTANCES];
    og_fraction prior[INSTANCES][2];
} random_crowd;

static long double number(og_fraction fractions)
{
    return (long double)fractions.num / fractions.den;
}

static int32_t said(const literal_place *at, int32_t i, int32_t j, int32_t answer)
{
    return at->x[SAID + 2 * (SOURCES * i + j) + answer];
}

/* Of so many right and wrong labels of a source. */
static long double likelihood(const random_crowd *crowd, int32_t j, int32_t right, int32_t wrong)
{
    const og_fraction a = crowd->sources->sources.source[j].accuracy, b = crowd->sources->wrong[j];
    long double product = 1;
    for (int32_t k = 0; k < right + wrong; k++) {
        bool good = k < right;
        product *= b.den == 0 ? (good ? number(a) : 1 - number(a))
                              : (good ? number(a) + k : number(b) + k - right) /
                                    (number(a) + number(b) + k);
    }
    return product;
}

/* Of the table and these truths, a bit for each positive instance. */
static long double chance_of(const random_crowd *crowd, const literal_place *at, uint32_t truths)
{
    long double product = 1;
    for (int32_t i = 0; i < crowd->count; i++) {
        long double a = number(crowd->prior[i][0]), b = number(crowd->prior[i][1]);
        product *= ((truths >> i & 1) != 0 ? a : b) / (a + b);
    }
    for (int32_t j = 0; j < crowd->sources->sources.count; j++) {
        int32_t right = 0, wrong = 0;
        for (int32_t i = 0; i < crowd->count; i++) {
            right += said(at, i, j, (truths >> i & 1) == 0);
            wrong += said(at, i, j, (truths >> i & 1) != 0);
        }
        product *= likelihood(crowd, j, right, wrong);
    }
    return product;
}

/* The chance of the table, and of it with a positive truth of each instance. */
static long double weigh(const random_crowd *crowd, const literal_place *at,
                         long double positive[INSTANCES])
{
    long double all = 0;
    memset(positive, 0, INSTANCES * sizeof *positive);
    for (uint32_t truths = 0; truths < 1U << crowd->count; truths++) {
        long double chance = chance_of(crowd, at, truths);
        all += chance;
        for (int32_t i = 0; i < crowd->count; i++) {
            positive[i] += (truths >> i & 1) != 0 ? chance : 0;
        }
    }
    return all;
}

static long double crowd_worth(const literal *by, const literal_place *at)
{
    const random_crowd *crowd = by->object;
    long double positive[INSTANCES], sum = 0, all = weigh(crowd, at, positive);
    for (int32_t i = 0; i < crowd->count; i++) {
        sum += fmaxl(positive[i], all - positive[i]) / all;
    }
    return sum;
}

static bool is_certain(const random_crowd *crowd, const literal_place *at, int32_t i)
{
    bool certain = false;
    for (int32_t j = 0; j < crowd->sources->sources.count; j++) {
        og_fraction right = crowd->sources->sources.source[j].accuracy;
        certain = certain || (crowd->sources->wrong[j].den == 0 &&
                              (right.num == 0 || right.num == right.den) &&
                              said(at, i, j, 0) + said(at, i, j, 1) > 0);
    }
    return certain;
}

/* An act of this number: an instance and a source; false: there are not so many. */
static bool find_ask(const random_crowd *crowd, const literal_place *at, int32_t act, int32_t *i,
                     int32_t *j)
{
    for (*i = 0; *i < crowd->count; ++*i) {
        for (*j = 0; *j < crowd->sources->sources.count; ++*j) {
            const og_label_source *source = &crowd->sources->sources.source[*j];
            bool can =
                source->price <= at->x[UNITS] &&
                (source->most == 0 || said(at, *i, *j, 0) + said(at, *i, *j, 1) < source->most) &&
                (crowd->sources->wrong[*j].den > 0 || !is_certain(crowd, at, *i));
            if (can && act-- == 0) {
                return true;
            }
        }
    }
    return false;
}

static int32_t crowd_acts(const literal *by, const literal_place *at)
{
    int32_t i = 0, j = 0, count = 0;
    while (find_ask(by->object, at, count, &i, &j)) {
        count++;
    }
    return count;
}

static int32_t crowd_answers(const literal *by, const literal_place *at, int32_t act,
                             literal_place *next, long double *chance)
{
    const random_crowd *crowd = by->object;
    long double positive[INSTANCES], all = weigh(crowd, at, positive);
    int32_t i = 0, j = 0;
    find_ask(crowd, at, act, &i, &j);
    for (int k = 0; k < 2; k++) {
        next[k] = *at;
        next[k].x[UNITS] -= crowd->sources->sources.source[j].price;
        next[k].x[SAID + 2 * (SOURCES * i + j) + k]++;
        chance[k] = weigh(crowd, &next[k], positive) / all;
    }
    return 2;
}

static long double crowd_index(const literal *by, const literal_place *at, int32_t act)
{
    const random_crowd *crowd = by->object;
    int32_t i = 0, j = 0;
    find_ask(crowd, at, act, &i, &j);
    int32_t price = crowd->sources->sources.source[j].price;
    long double gain = (literal_ahead(by, at, act) - crowd_worth(by, at)) / price;
    return strcmp(by->policy, "naive") == 0      ? 0
           : strcmp(by->policy, "cheapest") == 0 ? gain - 100 * price
           : strcmp(by->policy, "dearest") == 0  ? gain + 100 * price
                                                 : literal_rule_of_act(by, at, act) / price;
}

/* The number of this instance and source among the acts. */
static int32_t ask_of(const random_crowd *crowd, const literal_place *at, uint32_t group,
                      uint32_t source)
{
    int32_t act = 0, i, j;
    while (find_ask(crowd, at, act, &i, &j) &&
           (crowd->group[i] != (int32_t)group || j != (int32_t)source)) {
        act++;
    }
    return act;
}

static double sources_oracle(const case_question *asked, double *called)
{
    (void)called;
    const og_problem *problem = asked->problem;
    const og_sources_options *options = problem->options;
    random_crowd crowd = {.sources = &options->given};
    for (int32_t g = 0; g < problem->instances.group_count; g++) {
        for (int64_t k = 0; k < og_groups_at(&problem->instances, g)->count; k++) {
            crowd.group[crowd.count] = g;
            crowd.prior[crowd.count][0] = og_groups_at(&problem->instances, g)->a;
            crowd.prior[crowd.count++][1] = og_groups_at(&problem->instances, g)->b;
        }
    }
    const bool any = asked->policy != NULL && strcmp(asked->policy, "naive") == 0;
    const literal by = {.object = &crowd,
                        .policy = asked->policy,
                        .ties = any ? OG_TIES_RANDOM : asked->ties, /* it draws, nothing ties */
                        .acts = crowd_acts,
                        .answers = crowd_answers,
                        .worth = crowd_worth,
                        .index = crowd_index};
    const literal_place root = {{problem->budget}};
    const og_act *first = asked->first;
    return (double)literal_value_of_act(
        &by, &root, first != NULL ? ask_of(&crowd, &root, first->part[0], first->part[1]) : -1);
}

/* No explanations: the family has no steps for them. */
const og_case og_case_sources = {
    .family = "sources",
    .rounds = 24,
    .draw = draw_sources,
    .oracle = sources_oracle,
    .more = "uniform,opt-kg,pess-kg,cvar-kg:0.6,cvar-kg:1,kg-exact,entropy,least-confidence",
    .fixed = {"-T 4 2x1,3 --source a:1:0.3",
              "-T 5 2x3,1 --source a:1:4,1", /* order of instances, ties first */
              "-T 2 3x1,9 --source a:1:3,2 --source b:2:5,1",
              "-T 3 2x1,9 --source a:1:1 --source b:1:0.6:2",
              "-T 5 2x1,1 --source a:2:0.7 --source b:4:0.9:1", /* gains of 0.1 a unit, twice */
              "-T 5 1,1 --source a:1:1,1",                      /* nothing can be learnt */
              "-T 4 1,1 --source a:2:0.7 --source b:4:0.9",     /* equal gains a unit, not alike */
              "-T 4 2x1,1 --source a:1:0.7 --source b:3:0.9"},  /* the larger gain is too dear */
    .refused = {{"-T 3 1,1", "--source NAME:PRICE:P is missing"}},
};

/* ---- task assignment ---- */

/* Two or three tasks of two contexts. No history, which might be impossible. */
static void draw_accuracies(random_source *random, char *text, size_t size)
{
    static const char *const accuracies[] = {"0", "1", "0.5", "0.7", "0.7", "0.95", "0.3", "0.65"};
    static const char *const tasks[] = {"1 2", "2 1", "1 2 1", "2x1 2"};
    uint32_t workers = 2 + random_below(random, 2);
    snprintf(text, size, "-T %u --accuracies ", 1 + random_below(random, 3));
    for (uint32_t k = 0; k < 2 * workers; k++) {
        strcat(text, k == 0 ? "" : k == workers ? ";" : ",");
        strcat(text, CASE_PICK(random, accuracies));
    }
    strcat(strcat(text, " "), CASE_PICK(random, tasks));
}

static void draw_assignment(random_source *random, char *text, size_t size)
{
    static const counted_labels given[] = {
        {"--accuracies 0.9,0.6;0.6,0.9 1 2", 2, 2},
        {"--accuracies 0.9,0.6;0.6,0.9 2x1", 2, 2},
        {"--accuracies 0.8,0.8,0.5 2x1", 2, 3},
        {"--accuracies 0.5,0.75 3x1", 3, 2},
        {"--accuracies 1,0.3;0.5,0.7 1 2", 2, 2},
        {"--accuracies 1,0,0.7;0.7,0.7,0.5 1 2 1", 3, 3},
        {"--workers-prior 2x4,1 2x1", 2, 2},
        {"--workers-prior 4,1 --workers-prior 1,1 1 2", 2, 2},
        {"--workers-prior 3x2,1 1", 1, 3},
        {"--workers-prior 2x0.5,2 --workers-prior 0.75,1 2x1 2", 3, 3},
    };
    const counted_labels *words = &CASE_PICK(random, given);
    if (random_below(random, 3) == 0) {
        draw_accuracies(random, text, size);
        return;
    }
    uint32_t most = words->instances * words->workers > 4 ? 7 : 9;
    snprintf(text, size, "%s", words->text);
    draw_labels(random, words, true, (1 + random_below(random, most)) / 2, text, size);
}

static void any_cell(const oracle_tasks *oracle, const oracle_table *at, int32_t left,
                     const int32_t *cell, int32_t count, double *answer)
{
    (void)oracle, (void)at, (void)left, (void)cell;
    memset(answer, 0, (size_t)count * sizeof *answer);
}

/* Fills tasks and accuracies from what was given; contexts are 1, 2. */
static void read_tasks(const og_problem *problem, oracle_tasks *oracle)
{
    const og_assignment_options *options = problem->options;
    for (int32_t w = 0; w < problem->word_count; w++) {
        const char *times = strchr(problem->word[w], 'x');
        int32_t copies = times != NULL ? atoi(problem->word[w]) : 1;
        for (int32_t k = 0; k < copies; k++) {
            oracle->context[oracle->tasks] = atoi(times != NULL ? times + 1 : problem->word[w]) - 1;
            oracle->contexts = oracle->context[oracle->tasks] >= oracle->contexts
                                   ? oracle->context[oracle->tasks] + 1
                                   : oracle->contexts;
            oracle->tasks++;
        }
    }
    oracle->known = options->accuracies != NULL;
    if (oracle->known) {
        og_accuracies read;
        og_accuracies_read(options->accuracies, NULL, &read, NULL);
        oracle->workers = read.workers;
        memcpy(oracle->accuracy, read.accuracy,
               (size_t)(oracle->contexts * oracle->workers) * sizeof *oracle->accuracy);
        og_arena_clear(&read.arena);
        return;
    }
    oracle->workers = (int32_t)og_groups_size(&options->workers);
    for (int32_t g = 0, j = 0; g < options->workers.group_count; g++) {
        for (int64_t k = 0; k < og_groups_at(&options->workers, g)->count; k++, j++) {
            for (int32_t s = 0; s < oracle->contexts; s++) {
                oracle->accuracy[s * oracle->workers + j][0] =
                    og_groups_at(&options->workers, g)->a;
                oracle->accuracy[s * oracle->workers + j][1] =
                    og_groups_at(&options->workers, g)->b;
            }
        }
    }
}

/* The cells with the largest index of an exact rule. */
static void ruled_cell(const oracle_tasks *oracle, const oracle_table *at, int32_t left,
                       const int32_t *cell, int32_t count, double *answer)
{
    long double index[ORACLE_TASKS * ORACLE_WORKERS], most = -INFINITY;
    (void)left;
    for (int32_t k = 0; k < count; k++) {
        long double chance[2], gain[2], now = oracle_evidence(oracle, at, -1);
        for (int said = 0; said < 2; said++) {
            oracle_table after = *at;
            after.label[cell[k] / oracle->workers][cell[k] % oracle->workers] = said == 0 ? -1 : 1;
            long double then = oracle_evidence(oracle, &after, -1);
            chance[said] = then / now;
            gain[said] = then > 0 ? oracle_called(oracle, &after) / then : 0;
        }
        index[k] = literal_rule(oracle->policy, 2, chance, gain);
        most = fmaxl(most, index[k]);
    }
    for (int32_t k = 0; k < count; k++) {
        answer[k] = index[k] >= most - 1e-12L ? 1 : 0;
    }
}

static double assignment_oracle(const case_question *asked, double *called)
{
    oracle_tasks oracle = {.tasks = 0};
    oracle_table table = {{{0}}};
    const char *history = asked->history, *policy = asked->policy;
    int32_t i, j, left = asked->problem->budget;
    bool positive;
    const bool naive = policy != NULL && strcmp(policy, "naive") == 0;
    if (policy != NULL && !naive &&
        (strstr(policy, "-exact") == NULL || asked->ties != OG_TIES_RANDOM)) {
        return NAN;
    }
    oracle.policy = policy;
    read_tasks(asked->problem, &oracle);
    while (next_label(&history, &i, &j, &positive)) {
        table.label[i][j] = positive ? 1 : -1;
        left--;
    }
    const uint32_t *first = asked->first != NULL ? asked->first->part : NULL;
    long double value =
        first == NULL
            ? oracle_assignment(&oracle, &table, left,
                                policy == NULL ? NULL
                                : naive        ? any_cell
                                               : ruled_cell)
            : oracle_assignment_asked(&oracle, &table, left,
                                      (int32_t)first[0] * oracle.workers + (int32_t)first[1], NULL);
    value /= oracle_evidence(&oracle, &table, -1);
    *called = naive ? (double)value : NAN;
    return naive ? NAN : (double)value;
}

/* Policies have no oracle beside exact rules, and naive where the posterior calls, and no
 * explanation: they go by the order of labels, and call by what they believe.
 * tests/test_assignment_bbta.c and tests/test_assignment_play.c have them literally; bbta's weights
 * are no fractions. */
const og_case og_case_assignment = {
    .family = "assignment",
    .rounds = 30,
    .draw = draw_assignment,
    .oracle = assignment_oracle,
    .more = "kg-exact,opt-kg-exact,pess-kg-exact,cvar-kg-exact:0.6",
    .unplayed = "-exact",
    .fixed = {"-T 3 --accuracies 0.7,0.5 2x1", /* who tells nothing, and after what is certain */
              "-T 4 --accuracies 1,0.7 2x1 --history 2@1+"},
    .refused = {{"-T 3 1", "--accuracies"}},
};
