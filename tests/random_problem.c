#include "tests/random_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

random_source random_start(uint64_t seed)
{
    return (random_source){seed};
}

uint64_t random_next(random_source *source)
{
    uint64_t mixed = source->state += UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ mixed >> 31;
}

uint32_t random_below(random_source *source, uint32_t count)
{
    return (uint32_t)((random_next(source) >> 32) * count >> 32);
}

static const char *const integer_priors[] = {"1,1", "1,1", "2,1", "1,2", "2,2", "3,1", "3,2", "4,1",
                                             "1,3", "3,3", "5,3", "6,4", "2,5", "8,1", "30,1"};
static const char *const real_priors[] = {"0.5,0.5", "0.5,0.5", "1.5,1",    "1,1.5",  "2.5,1.5",
                                          "1.5,2.5", "0.3,0.7", "2.25,2.5", "0.01,3", "1.1,1.2"};
static const char *const integer_mixtures[] = {
    "0.25:5,1+0.5:1,1+0.25:1,5",
    "1:1,2+1:2,1",
    "1:3,1+1:1,2",
    "2:1,1+1:4,1",
    "0.1:9,1+0.9:1,3",
    "1:2,2+1:1,1",
    "3:1,1",
    "1:1,1+2:1,1",
    "1:1,1+1:30,30",
    "0.3:1,1+0.7:40,1",
    "1:1,4+1:1,3",
    "1:7,2+2:2,3+3:1,1",
};
static const char *const real_mixtures[] = {
    "0.5:0.5,1.5+0.5:1.5,0.5", "1:0.5,0.5+2:2,2", "0.7:1.1,2+0.3:2.5,1",
    "1:0.01,3+1:3,0.01",       "1:1.5,1+1:1,2.5", "1:0.5,0.5+1e-6:3,3",
};
static const char *const thresholds[] = {"0.5", "0.5", "0.5", "0.5",  "0.3",
                                         "0.7", "0.4", "0.6", "0.25", "0.9"};

/* Calls that flip at P = 3/4, 7/8, 1/4 and others, ties among them; at 1/2, but paid unlike each
 * other; never; losses; large and small ones. */
static const char *const payoffs[] = {
    "1,-3,0,0",  "1,-5,0,1",  "1,-7,0,0",    "2,0,-1,1",         "3,1,2,2",  "0,-1,-1,0",
    "1,0,1,0.5", "0.5,1,0,1", "0,-19,-1,-4", "1000,-250,0,12.5", "4,-1,1,0", "0.001,0,0,0.0025",
};

/* Undecided around 1/2, between ties at 1/4 and 3/4, at 1/8 and 7/8, where the others are paid
 * unlike each other; in the place of one of them; as good as both, which does not count; beside the
 * slopes of both; as good as one; always; hardly ever, so that a label flips over it. */
static const char *const third_calls[] = {
    "1,0,0,1,0.75",  "1,0,0,1,0.875",      "1,-5,0,1,0.5",   "1,-3,0,0,0.25",
    "1,0,0,1,0.5",   "4,-1,1,0,1.5",       "3,1,2,2,2",      "1,0,0,1,2",
    "1,0,0,1,0.505", "0,-1,-1,0,-0.03125", "2,0,-1,1,0.625", "0.001,0,0,0.0025,0.001",
};

static const char *const worths[] = {"brier", "squared", "log"};

static const char *pick(random_source *source, const char *const *from, size_t count)
{
    return from[random_below(source, (uint32_t)count)];
}

#define PICK(source, from) pick(source, from, sizeof(from) / sizeof(from)[0])

static void random_group(random_source *source, const random_limits *limits, og_group *out)
{
    char word[128];
    bool real = !limits->integers && random_below(source, 3) == 0;
    const char *prior = real ? PICK(source, real_priors) : PICK(source, integer_priors);
    if (limits->mixtures && random_below(source, 3) > 0) {
        prior = real ? PICK(source, real_mixtures) : PICK(source, integer_mixtures);
    }
    const char *threshold = limits->halves || limits->bandit ? "0.5" : PICK(source, thresholds);
    snprintf(word, sizeof word, "%s@%s", prior, threshold);
    if (limits->payoffs && !limits->bandit && random_below(source, 4) > 0) {
        const char *payoff =
            random_below(source, 2) > 0 ? PICK(source, payoffs) : PICK(source, third_calls);
        strcat(strcat(word, "="), payoff);
    } else if (limits->worths && random_below(source, 4) > 0) {
        strcat(strcat(word, "="), PICK(source, worths));
    }
    if (og_group_parse_paid(word, out, NULL) != OG_OK) {
        fprintf(stderr, "tests: the program cannot read '%s'\n", word);
        abort();
    }
}

static void add(og_groups *problem, const og_group *group)
{
    if (og_groups_add(problem, group, NULL) != OG_OK) {
        fputs("tests: a random group was refused\n", stderr);
        abort();
    }
}

static void swap(og_fraction *x, og_fraction *y)
{
    og_fraction kept = *x;
    *x = *y;
    *y = kept;
}

/* The same evidence seen from the other side: Beta(b, a) at 1 - d has the same values. */
static void mirror(og_group *group)
{
    swap(&group->a, &group->b);
    for (int32_t m = 0; group->kind == OG_PRIOR_MIXTURE && m < group->part_count; m++) {
        swap(&group->component[m].a, &group->component[m].b);
    }
    group->threshold =
        og_fraction_make(group->threshold.den - group->threshold.num, group->threshold.den);
    group->payoff = og_payoff_mirror(&group->payoff);
}

void random_problem(random_source *source, const random_limits *limits, og_groups *out)
{
    uint32_t longest = (uint32_t)limits->budget;
    og_groups_init(
        out, random_below(source, 20) == 0 ? 0 : (int32_t)(1 + random_below(source, longest)));
    out->objective = limits->bandit ? OG_OBJECTIVE_BANDIT : OG_OBJECTIVE_CALLS;
    int left = 1 + (int)random_below(source, (uint32_t)limits->instances);
    og_group group;
    for (bool first = true; left > 0; first = false) {
        uint32_t kind = random_below(source, 4);
        if (first || kind >= 2) {
            random_group(source, limits, &group);
        } else if (kind == 1) {
            mirror(&group); /* kind 0: the last group once more, as another group */
        }
        group.count = 1 + random_below(source, (uint32_t)left);
        left -= (int)group.count;
        add(out, &group);
    }
}

void problem_format(const og_groups *problem, char *text, size_t size)
{
    bool bandit = problem->objective == OG_OBJECTIVE_BANDIT;
    size_t used = (size_t)snprintf(text, size, "%s-T %d", bandit ? "--objective bandit " : "",
                                   problem->budget);
    for (int i = 0; i < problem->group_count && used + 1 < size; i++) {
        text[used++] = ' ';
        used += (size_t)og_group_format(og_groups_at(problem, i), text + used, size - used);
    }
}

problem_label problem_with_seed(const og_groups *problem, uint64_t seed)
{
    problem_label out;
    int used = snprintf(out.text, sizeof out.text, "seed %llu: ", (unsigned long long)seed);
    problem_format(problem, out.text + used, sizeof out.text - (size_t)used);
    return out;
}

double random_unit(random_source *source)
{
    return (double)(random_next(source) >> 11) * 0x1p-53;
}

void random_prices(random_source *source, int32_t count, double *price)
{
    double scale = random_below(source, 2) == 0 ? 0.25 : 0.05;
    bool falling = random_below(source, 3) == 0;
    for (int32_t l = 0; l < count; l++) {
        uint32_t kind = random_below(source, 4);
        price[l] = scale * random_unit(source);
        if (kind == 0) {
            price[l] = 0;
        } else if (kind <= 2 && l > 0) {
            price[l] = price[l - 1];
        }
        if (falling && l > 0) {
            price[l] = fmin(price[l], price[l - 1]);
        }
    }
}
