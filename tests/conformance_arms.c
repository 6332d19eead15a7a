/* Cases of families whose instances are independent Betas: their definitions in numbers of labels.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/families/deadline/deadline.h"
#include "bench/families/delayed/delayed.h"
#include "bench/families/independent/priced.h"
#include "tests/conformance.h"
#include "tests/literal.h"
#include "tests/oracle.h"
#include "tests/oracle_classes.h"
#include "tests/oracle_delayed.h"

enum { INSTANCES = 4 };

/* ---- independent instances ---- */

/* Whole parameters, several classes and two. */
static void draw_classes(random_source *random, char *text, size_t size)
{
    static const char *const priors[] = {"1,1,1", "1,1,2", "2,1,1", "2,2,1", "1,1", "1,1,1,2"};
    uint32_t groups = 1 + random_below(random, 2);
    snprintf(text, size, "-T %u", 1 + random_below(random, 3));
    for (uint32_t g = 0; g < groups; g++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, " %ux%s", 1 + random_below(random, 3 - groups),
                 CASE_PICK(random, priors));
    }
}

static void draw_independent(random_source *random, char *text, size_t size)
{
    static const random_limits kinds[] = {
        {.instances = 4, .budget = 6, .integers = true},
        {.instances = 4, .budget = 5, .integers = true, .payoffs = true},
        {.instances = 4, .budget = 5, .payoffs = true},
        {.instances = 4, .budget = 5, .integers = true, .mixtures = true},
        {.instances = 3, .budget = 5, .mixtures = true, .payoffs = true},
        {.instances = 3, .budget = 6, .integers = true, .halves = true},
        {.instances = 3, .budget = 5, .integers = true, .bandit = true},
    };
    uint32_t kind = random_below(random, 1 + sizeof kinds / sizeof *kinds);
    og_groups problem;
    if (kind >= sizeof kinds / sizeof *kinds) {
        draw_classes(random, text, size);
        return;
    }
    random_problem(random, &kinds[kind], &problem);
    problem_format(&problem, text, size);
    og_groups_clear(&problem);
}

static og_groups with_budget(const og_problem *problem, int32_t budget)
{
    og_groups groups = problem->instances; /* borrowed */
    groups.budget = budget;
    return groups;
}

/* Of several classes: ties at random alone, cvar-kg:0.5. */
static double classes_oracle(const og_groups *groups, const case_question *asked)
{
    oracle_races races = {0};
    double value = NAN;
    OWN_MPQ exact = MPQ_NEW;
    if (asked->policy == NULL && asked->first == NULL) {
        oracle_classes_optimum(&races, groups, exact);
        value = mpq_get_d(exact);
    } else if (asked->policy != NULL && asked->ties == OG_TIES_RANDOM &&
               strcmp(asked->policy, "hu-frazier") != 0 &&
               strcmp(asked->policy, "cvar-kg:0.75") != 0) {
        oracle_classes_policy(&races, groups, asked->policy, exact);
        value = mpq_get_d(exact);
    }
    oracle_races_clear(&races);
    return value;
}

static bool has_classes(const og_groups *groups)
{
    bool has = false;
    for (int32_t g = 0; g < groups->group_count; g++) {
        has = has || og_groups_at(groups, g)->kind == OG_PRIOR_DIRICHLET;
    }
    return has;
}

static double independent_oracle(const case_question *asked, double *called)
{
    (void)called;
    og_groups groups = with_budget(asked->problem, asked->problem->budget);
    const bool bandit = asked->problem->objective != NULL;
    mpq_t exact, call;
    if (asked->policy != NULL && strcmp(asked->policy, "gittins-inf") == 0) {
        return NAN;
    }
    if (has_classes(&groups)) {
        return classes_oracle(&groups, asked);
    }
    groups.objective = bandit ? OG_OBJECTIVE_BANDIT : OG_OBJECTIVE_CALLS;
    mpq_inits(exact, call, NULL);
    oracle_arms *oracle = oracle_new(&groups);
    if (asked->first != NULL) {
        oracle_q(oracle, asked->number, exact);
        oracle_call(oracle, call);
        mpq_add(exact, exact, call);
    } else if (asked->policy == NULL) {
        oracle_optimum(oracle, exact);
    } else {
        oracle_choose_named(oracle, asked->policy);
        oracle_policy_value(oracle, asked->ties, exact);
    }
    double value = mpq_get_d(exact);
    oracle_free(oracle);
    mpq_clears(exact, call, NULL);
    return value;
}

/* gittins-inf has no oracle: its index is no fraction (tests/test_index.c has its known values). */
const og_case og_case_independent = {
    .family = "independent",
    .rounds = 24,
    .draw = draw_independent,
    .oracle = independent_oracle,
    .more = "pess-kg,cvar-kg:0.5,cvar-kg:0.75,kg-star,hu-frazier,entropy,least-confidence,apt,"
            "apt:0.125,lsa,lsa:5",
    .fixed = {"-T 3 1:1,2+1:2,1=1,-3,0,0 1:1,2+1:2,1=2,0,0,2 1,1@0.3=1,0,0,1,0.75",
              "-T 2 1:1,3+1:3,1=1,0,0,1,0.75", "-T 2 1,1,1 2,1", "--objective bandit -T 2 2x1.5,1"},
    .refused = {{"1,1", "-T N is missing"}, {"-T 3", "no instances"}, {"-T 3 1,0", "1,0"}},
};

/* ---- what definitions share: Beta instances in the order in which they are given ---- */

typedef struct {
    int32_t count, budget;
    int32_t prior[INSTANCES][2];
    int32_t group[INSTANCES];
    long double threshold[INSTANCES];
    const og_problem *problem;
} beta_arms;

static long double number(og_fraction fractions)
{
    return (long double)fractions.num / fractions.den;
}

static beta_arms betas_of(const og_problem *problem, int32_t budget)
{
    beta_arms betas = {.budget = budget, .problem = problem};
    for (int32_t g = 0; g < problem->instances.group_count; g++) {
        const og_group *group = og_groups_at(&problem->instances, g);
        for (int64_t k = 0; k < group->count; k++) {
            betas.prior[betas.count][0] = (int32_t)group->a.num;
            betas.prior[betas.count][1] = (int32_t)group->b.num;
            betas.group[betas.count] = g;
            betas.threshold[betas.count++] = number(group->threshold);
        }
    }
    return betas;
}

/* Numbers of a state: labels (or slots) left, some of the family's own, then a and b of each
 * instance. */
enum { LEFT, OWN, BESIDE, LABELS, FIRST };

static literal_place place_of(const beta_arms *betas)
{
    literal_place at = {{betas->budget}};
    for (int32_t i = 0; i < betas->count; i++) {
        at.x[FIRST + 2 * i] = betas->prior[i][0];
        at.x[FIRST + 2 * i + 1] = betas->prior[i][1];
    }
    return at;
}

static const int32_t *beta_at(const literal_place *at, int32_t i)
{
    return &at->x[FIRST + 2 * i];
}

/* Both answers about an instance. */
static int32_t both_answers(const literal_place *at, int32_t i, literal_place *next,
                            long double *chance)
{
    const int32_t *beta = beta_at(at, i);
    for (int k = 0; k < 2; k++) {
        next[k] = *at;
        next[k].x[FIRST + 2 * i + k]++;
        chance[k] = (long double)beta[k] / (beta[0] + beta[1]);
    }
    return 2;
}

/* The act that is done first, where acts are groups, and here instances; -1: any. */
static int32_t first_act(const beta_arms *betas, const case_question *asked)
{
    int32_t i = 0;
    while (i < betas->count && betas->group[i] != asked->number) {
        i++;
    }
    return asked->first != NULL ? i : -1;
}

/* The best call of an instance. */
static long double call_of(const beta_arms *betas, const literal_place *at, int32_t i)
{
    const og_payoff *pays = &og_groups_at(&betas->problem->instances, betas->group[i])->payoff;
    long double p = literal_positive(beta_at(at, i)[0], beta_at(at, i)[1], betas->threshold[i]);
    long double best = fmaxl(p, 1 - p);
    if (pays->given) {
        best = fmaxl(p * number(pays->worth[0][0]) + (1 - p) * number(pays->worth[0][1]),
                     p * number(pays->worth[1][0]) + (1 - p) * number(pays->worth[1][1]));
    }
    return pays->third ? fmaxl(best, number(pays->undecided)) : best;
}

static long double all_calls(const literal *by, const literal_place *at)
{
    const beta_arms *betas = by->object;
    long double sum = 0;
    for (int32_t i = 0; i < betas->count; i++) {
        sum += call_of(betas, at, i);
    }
    return sum;
}

/* kg and opt-kg of an instance by itself, and uniform. */
static long double index_at(const literal *by, const literal_place *at, int32_t i)
{
    const beta_arms *betas = by->object;
    literal_place next[2];
    long double chance[2], gain[2];
    both_answers(at, i, next, chance);
    for (int k = 0; k < 2; k++) {
        gain[k] = call_of(betas, &next[k], i) - call_of(betas, at, i);
    }
    return strcmp(by->policy, "kg") == 0       ? chance[0] * gain[0] + chance[1] * gain[1]
           : strcmp(by->policy, "opt-kg") == 0 ? fmaxl(gain[0], gain[1])
                                               : 0;
}

/* The rules that ask where the next label is least sure. */
static bool is_unsure(const char *policy)
{
    return strcmp(policy, "entropy") == 0 || strcmp(policy, "least-confidence") == 0;
}

static bool knows(const char *policy)
{
    return policy == NULL || strcmp(policy, "uniform") == 0 || strcmp(policy, "kg") == 0 ||
           strcmp(policy, "opt-kg") == 0;
}

static const char *const beta_words[] = {"1,1", "1,1",     "2,1",     "1,2",
                                         "3,2", "1,1@0.3", "2,1@0.7", "3,1@0.7"};

/* Words of up to so many instances. */
static void draw_betas(random_source *random, uint32_t instances, char *text, size_t size)
{
    uint32_t count = 1 + random_below(random, instances);
    for (uint32_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, " %s", CASE_PICK(random, beta_words));
    }
}

/* ---- labels with a price ---- */

static void draw_priced(random_source *random, char *text, size_t size)
{
    static const char *const prices[] = {"0.01", "0.05", "0.1", "0.02", "0.0625", "1.5"};
    static const char *const payoffs[] = {
        "",         "",           "=1,-5,0,1",     "=2,0,-1,1",
        "=3,1,2,2", "=0,-1,-1,0", "=1,0,0,1,0.75", "=1,-5,0,1,0.5"};
    uint32_t count = 1 + random_below(random, 3);
    bool each = random_below(random, 2) == 0;
    snprintf(text, size, "-T %u --price %s", random_below(random, 5), CASE_PICK(random, prices));
    for (uint32_t i = 1; each && i < count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, ",%s", CASE_PICK(random, prices));
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, " %s%s", CASE_PICK(random, beta_words),
                 CASE_PICK(random, payoffs));
    }
}

static int32_t priced_acts(const literal *by, const literal_place *at)
{
    const beta_arms *betas = by->object;
    return at->x[LEFT] == 0 || at->x[OWN] > 0 ? 0 : betas->count + 1; /* the last stops */
}

static int32_t priced_answers(const literal *by, const literal_place *at, int32_t act,
                              literal_place *next, long double *chance)
{
    const beta_arms *betas = by->object;
    literal_place after = *at;
    after.x[LEFT]--;
    if (act < betas->count) {
        return both_answers(&after, act, next, chance);
    }
    after.x[OWN] = 1;
    next[0] = after;
    chance[0] = 1;
    return 1;
}

/* Less the price of a label; nothing for the stop. */
static long double priced_reward(const literal *by, const literal_place *at, int32_t act)
{
    const beta_arms *betas = by->object;
    const og_priced_options *options = betas->problem->options;
    (void)at;
    return act < betas->count
               ? -number(options->price[options->price_count > 1 ? betas->group[act] : 0])
               : 0;
}

/* An index policy stops where no index is above the price; one whose index is no gain never. */
static long double priced_index(const literal *by, const literal_place *at, int32_t act)
{
    const beta_arms *betas = by->object;
    bool any = strcmp(by->policy, "uniform") == 0, unsure = is_unsure(by->policy);
    literal_place next[2];
    long double chance[2];
    if (act == betas->count) {
        return any || unsure ? -INFINITY : 2 * LITERAL_TIE;
    }
    if (unsure) {
        both_answers(at, act, next, chance);
        return -fabsl(chance[0] - chance[1]);
    }
    return any ? 0 : index_at(by, at, act) + priced_reward(by, at, act);
}

static double priced_oracle(const case_question *asked, double *called)
{
    (void)called;
    const beta_arms betas = betas_of(asked->problem, asked->problem->budget);
    const literal_place root = place_of(&betas);
    const literal by = {.object = &betas,
                        .policy = asked->policy,
                        .ties = asked->ties,
                        .acts = priced_acts,
                        .answers = priced_answers,
                        .worth = all_calls,
                        .index = priced_index,
                        .reward = priced_reward};
    int32_t first = first_act(&betas, asked);
    return knows(asked->policy) || is_unsure(asked->policy)
               ? (double)literal_value_of_act(&by, &root, first)
               : NAN;
}

/* gittins-fh, apt, lsa, kg-star and lookahead have no oracle. */
const og_case og_case_priced = {
    .family = "priced",
    .rounds = 60,
    .draw = draw_priced,
    .oracle = priced_oracle,
    .more = "entropy,least-confidence,apt,lsa,kg-star,lookahead:2",
    .refused = {{"-T 3 1,1", "--price Z is missing"}},
};

/* ---- labels that take time ---- */

static void draw_delayed(random_source *random, char *text, size_t size)
{
    static const char *const rates[] = {"0.1", "0.1", "0.2", "0.7", "4"};
    snprintf(text, size, "--workers %u --arrival-rate %s --service-rate %s",
             random_below(random, 5), CASE_PICK(random, rates), CASE_PICK(random, rates));
    draw_betas(random, 3, text, size);
}

static void no_index(mpq_t out, int group, int s, int f, int at_work, int left, const void *data)
{
    (void)group, (void)s, (void)f, (void)at_work, (void)left, (void)data;
    mpq_set_ui(out, 0, 1);
}

static void posterior_index(mpq_t out, int group, int s, int f, int at_work, int left,
                            const void *data)
{
    (void)at_work;
    oracle_index_at(data, group, s, f, left, out);
}

static double delayed_oracle(const case_question *asked, double *called)
{
    (void)called;
    const og_delayed_options *options = asked->problem->options;
    const og_groups groups = with_budget(asked->problem, options->workers);
    const char *policy = asked->policy;
    const bool any = policy != NULL && strcmp(policy, "uniform") == 0;
    if (policy != NULL && strcmp(policy, "hu-frazier") == 0) {
        return NAN;
    }
    OWN_MPQ arrival = MPQ_NEW, service = MPQ_NEW, exact = MPQ_NEW, call = MPQ_NEW;
    og_fraction_get_mpq(arrival, options->delay.arrival_rate);
    og_fraction_get_mpq(service, options->delay.service_rate);
    oracle_delayed *oracle = oracle_delayed_new(&groups, arrival, service);
    oracle_arms *index = oracle_new(&groups);
    if (asked->first != NULL) {
        oracle_delayed_q(oracle, asked->number, exact);
        oracle_call(index, call);
        mpq_add(exact, exact, call);
    } else {
        if (policy != NULL && !any) {
            oracle_choose_named(index, policy);
        }
        oracle_delayed_value(oracle,
                             policy == NULL ? NULL
                             : any          ? no_index
                                            : posterior_index,
                             index, asked->ties, exact);
    }
    double value = mpq_get_d(exact);
    oracle_free(index);
    oracle_delayed_free(oracle);
    return value;
}

/* No fractions: rates add up to chances of which the family keeps doubles. hu-frazier has no
 * oracle: what it does by its own index is in tests/test_delayed.c. */
const og_case og_case_delayed = {
    .family = "delayed",
    .rounds = 40,
    .draw = draw_delayed,
    .oracle = delayed_oracle,
    .refused = {{"--workers 3 1,1", "--arrival-rate"}},
};

/* ---- labels in batches: OWN are to be ordered before any of the batch is seen ---- */

enum { UNDER_WAY = FIRST + 2 * INSTANCES }; /* numbers of each instance behind those of Betas */

static void draw_batch(random_source *random, char *text, size_t size)
{
    snprintf(text, size, "-T %u --batch %u", random_below(random, 6), 1 + random_below(random, 6));
    draw_betas(random, 3, text, size);
}

static bool is_ordering(const literal_place *at)
{
    return at->x[OWN] > 0;
}

static int32_t under_way(const beta_arms *betas, const literal_place *at)
{
    int32_t i = 0;
    while (i < betas->count && at->x[UNDER_WAY + i] == 0) {
        i++;
    }
    return i;
}

/* A batch begins where nothing is under way. */
static void begin_batch(const beta_arms *betas, literal_place *at)
{
    const og_batch_options *options = betas->problem->options;
    if (under_way(betas, at) == betas->count) {
        at->x[OWN] = at->x[LEFT] < options->batch ? at->x[LEFT] : options->batch;
    }
}

static int32_t batch_acts(const literal *by, const literal_place *at)
{
    const beta_arms *betas = by->object;
    return is_ordering(at) ? betas->count : under_way(betas, at) < betas->count ? 1 : 0;
}

static int32_t batch_answers(const literal *by, const literal_place *at, int32_t act,
                             literal_place *next, long double *chance)
{
    const beta_arms *betas = by->object;
    if (is_ordering(at)) {
        next[0] = *at;
        next[0].x[OWN]--;
        next[0].x[LEFT]--;
        next[0].x[UNDER_WAY + act]++;
        chance[0] = 1;
        return 1;
    }
    literal_place seen = *at;
    int32_t i = under_way(betas, at);
    seen.x[UNDER_WAY + i]--;
    both_answers(&seen, i, next, chance);
    begin_batch(betas, &next[0]);
    begin_batch(betas, &next[1]);
    return 2;
}

/* In rounds: nobody gets a second label before all have one. */
static long double batch_index(const literal *by, const literal_place *at, int32_t act)
{
    const beta_arms *betas = by->object;
    for (int32_t i = 0; i < betas->count; i++) {
        if (at->x[UNDER_WAY + i] < at->x[UNDER_WAY + act]) {
            return -INFINITY;
        }
    }
    return index_at(by, at, act);
}

static double batch_oracle(const case_question *asked, double *called)
{
    (void)called;
    const beta_arms betas = betas_of(asked->problem, asked->problem->budget);
    literal_place root = place_of(&betas);
    const literal by = {.object = &betas,
                        .policy = asked->policy,
                        .ties = asked->ties,
                        .acts = batch_acts,
                        .answers = batch_answers,
                        .worth = all_calls,
                        .index = batch_index};
    begin_batch(&betas, &root);
    int32_t first = first_act(&betas, asked);
    return knows(asked->policy) ? (double)literal_value_of_act(&by, &root, first) : NAN;
}

/* No runs: the family has none. gittins-fh has no oracle. */
const og_case og_case_batch = {
    .family = "batch",
    .rounds = 40,
    .draw = draw_batch,
    .oracle = batch_oracle,
    .refused = {{"-T 3 --batch 0 1,1", "from 1 to"}, {"--batch 2 1,1", "-T N is missing"}},
};

/* ---- labels with a deadline: slots LEFT are to come, BESIDE workers have in this one ---- */

enum {
    PHASES = 3,
    MOVED = UNDER_WAY + PHASES * INSTANCES, /* labels whose phase of this slot is over */
    STAGE = LITERAL_NUMBERS - 1,
};
enum { START, WORKER, MOVE, LATE };

static void draw_deadline(random_source *random, char *text, size_t size)
{
    static const char *const arrival[] = {"1", "0.5", "0.8,0.2", "0,1", "0.2,0.3", "0,0.5,0.4"};
    static const char *const service[] = {"1", "1", "2", "1,0.5", "2,0.3", "3"};
    const char *phases = CASE_PICK(random, service);
    bool sure = strchr(phases, ',') == NULL;
    snprintf(text, size, "-T %u --deadline %u --arrival %s --service %s%s%s",
             random_below(random, sure ? 4 : 3), 1 + random_below(random, sure ? 5 : 3),
             CASE_PICK(random, arrival), phases, random_below(random, 3) == 0 ? " --turn-away" : "",
             random_below(random, 3) == 0 ? " --late-labels" : "");
    draw_betas(random, sure ? 3 : 2, text, size);
}

static const og_deadline *deadline_of(const literal *by)
{
    return &((const og_deadline_options *)((const beta_arms *)by->object)->problem->options)
                ->deadline;
}

static int32_t deadline_acts(const literal *by, const literal_place *at)
{
    const beta_arms *betas = by->object;
    int32_t i = 0;
    switch (at->x[STAGE]) {
    case WORKER:
        return betas->count + (deadline_of(by)->turn_away && by->policy == NULL);
    case LATE:
        while (i < PHASES * betas->count && at->x[UNDER_WAY + i] == 0) {
            i++;
        }
        return deadline_of(by)->late && i < PHASES * betas->count;
    default:
        return 1;
    }
}

static int32_t start_answers(const literal *by, const literal_place *at, literal_place *next,
                             long double *chance)
{
    const og_deadline *deadline = deadline_of(by);
    bool can = at->x[LABELS] > 0 && at->x[BESIDE] < og_deadline_at_once(deadline);
    og_fraction comes = can ? og_deadline_arrival(deadline, at->x[BESIDE]) : og_fraction_make(0, 1);
    next[0] = next[1] = *at;
    next[0].x[STAGE] = WORKER;
    next[1].x[STAGE] = MOVE;
    chance[0] = (long double)comes.num / comes.den;
    chance[1] = 1 - chance[0];
    return 2;
}

/* One label goes through its phase, or not; after the last the next slot begins. */
static int32_t move_answers(const literal *by, const literal_place *at, literal_place *next,
                            long double *chance)
{
    const beta_arms *betas = by->object;
    const og_fraction advance = deadline_of(by)->advance;
    literal_place moved = *at;
    int32_t i = 0;
    while (i < PHASES * betas->count && at->x[UNDER_WAY + i] == 0) {
        i++;
    }
    if (i == PHASES * betas->count) {
        memcpy(&moved.x[UNDER_WAY], &at->x[MOVED], (size_t)i * sizeof *at->x);
        memset(&moved.x[MOVED], 0, (size_t)i * sizeof *at->x);
        moved.x[LEFT]--;
        moved.x[BESIDE] = 0;
        moved.x[STAGE] = moved.x[LEFT] > 0 ? START : LATE;
        next[0] = moved;
        chance[0] = 1;
        return 1;
    }
    moved.x[UNDER_WAY + i]--;
    int32_t count = i % PHASES == 0 ? both_answers(&moved, i / PHASES, next, chance) : 1;
    if (i % PHASES > 0) {
        next[0] = moved;
        next[0].x[MOVED + i - 1]++;
        chance[0] = 1;
    }
    for (int32_t k = 0; k < count; k++) {
        chance[k] *= (long double)advance.num / advance.den;
    }
    next[count] = moved;
    next[count].x[MOVED + i]++;
    chance[count] = (long double)(advance.den - advance.num) / advance.den;
    return count + 1;
}

static int32_t deadline_answers(const literal *by, const literal_place *at, int32_t act,
                                literal_place *next, long double *chance)
{
    const beta_arms *betas = by->object;
    literal_place after = *at;
    int32_t i = 0;
    switch (at->x[STAGE]) {
    case START:
        return start_answers(by, at, next, chance);
    case MOVE:
        return move_answers(by, at, next, chance);
    case WORKER:
        after.x[STAGE] = START;
        after.x[BESIDE]++;
        if (act < betas->count) {
            after.x[LABELS]--;
            after.x[UNDER_WAY + PHASES * act + deadline_of(by)->phases - 1]++;
        }
        next[0] = after;
        chance[0] = 1;
        return 1;
    default:
        while (at->x[UNDER_WAY + i] == 0) {
            i++;
        }
        after.x[UNDER_WAY + i]--;
        return both_answers(&after, i / PHASES, next, chance);
    }
}

static double deadline_oracle(const case_question *asked, double *called)
{
    (void)called;
    const beta_arms betas = betas_of(asked->problem, asked->problem->budget);
    literal_place root = place_of(&betas);
    const literal by = {.object = &betas,
                        .policy = asked->policy,
                        .ties = asked->ties,
                        .acts = deadline_acts,
                        .answers = deadline_answers,
                        .worth = all_calls,
                        .index = index_at};
    int32_t first = first_act(&betas, asked);
    root.x[LABELS] = betas.budget;
    root.x[LEFT] = deadline_of(&by)->slots;
    root.x[STAGE] = first >= 0 ? WORKER : START;
    return knows(asked->policy) ? (double)literal_value_of_act(&by, &root, first) : NAN;
}

/* gittins-fh and hu-frazier have no oracle; the index of the latter is in tests/test_deadline.c. Of
 * Q only that none is too small, as no worker may come in the first slot. */
const og_case og_case_deadline = {
    .family = "deadline",
    .rounds = 24,
    .draw = draw_deadline,
    .oracle = deadline_oracle,
    .perhaps = true,                                              /* a worker in the first slot */
    .fixed = {"-T 3 --deadline 3 --arrival 1 --service 2 3x1,1"}, /* more alike than labels left */
    .refused = {{"-T 3 --deadline 2 --arrival 2 1,1", "a probability greater than 0"},
                {"-T 3 --arrival 0.5 1,1", "--deadline"}},
};
