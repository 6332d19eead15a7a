/*
 * Policies that buy labels from sources of unknown accuracy. A label's outcomes follow from the
 * table's probabilities and values before and after both answers. Doubles decide if their proved
 * errors allow it, otherwise fractions.
 */
#include "heuristics/families/sources_unknown_policy.h"

#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/engine/strategy.h"
#include "heuristics/families/sources_policy.h"

typedef struct {
    const og_crowd_problem *problem;
    og_sources_rule rule;
} crowd_policy;

/* A possible label, and bounds on its index per unit of price. */
typedef struct {
    double low, high; /* low > high: not one of the policy's prices */
    int32_t like;     /* an earlier equivalent candidate, or itself */
} candidate;

typedef struct {
    og_arena arena;
    const og_crowd_problem *problem;
    const og_crowd_state *state;
    const og_act_open *open;
    int32_t count;
    candidate *candidate; /* [count] */
    og_crowd_group *next; /* [groups + 1] */
    double *plus, *minus; /* [groups + 1] */
    double *room;         /* scratch space of og_crowd_weigh */
    const og_rule_use *use;
    mpq_t *exact; /* [EXACT] */
} choice;

/* Scratch in fractions: an index and the largest one, probabilities and gains of outcomes, and the
 * numbers of a table. */
enum { INDEX, LARGEST, PROBABILITY, GAIN = PROBABILITY + 2, TABLE = GAIN + 2, CALLED, EXACT };

static og_status make_choice(const crowd_policy *policy, const og_crowd_state *state,
                             const og_act_open *open, int32_t count, choice *c)
{
    const size_t groups = (size_t)state->count + 1;
    *c = (choice){.problem = policy->problem,
                  .state = state,
                  .open = open,
                  .count = count,
                  .use = &policy->rule.use};
    c->candidate = og_arena_array(&c->arena, (size_t)count, sizeof *c->candidate);
    c->next = og_arena_array(&c->arena, groups, sizeof *c->next);
    c->plus = og_arena_array(&c->arena, groups, sizeof *c->plus);
    c->minus = og_arena_array(&c->arena, groups, sizeof *c->minus);
    c->room = og_arena_array(&c->arena, policy->problem->room, sizeof *c->room);
    c->exact = og_arena_fractions(&c->arena, EXACT);
    return og_arena_status(&c->arena);
}

static int32_t price_of(const choice *c, int32_t k)
{
    return c->problem->source[c->open[k].act.part[1]].price;
}

/* Marks the labels with the policy's prices; the first of several for interchangeable instances
 * represents all. */
static void take_prices(choice *c, int32_t prices)
{
    const og_crowd_group *group = c->state->group;
    int32_t wanted = price_of(c, 0);
    for (int32_t k = 1; k < c->count; k++) {
        int32_t price = price_of(c, k);
        wanted = (prices < 0 ? price < wanted : price > wanted) ? price : wanted;
    }
    for (int32_t k = 0; k < c->count; k++) {
        const uint32_t *part = c->open[k].act.part;
        int32_t like = 0;
        for (; like < k; like++) {
            const uint32_t *other = c->open[like].act.part;
            if (part[1] == other[1] && group[part[0]].prior == group[other[0]].prior &&
                memcmp(group[part[0]].label, group[other[0]].label, sizeof group->label) == 0) {
                break;
            }
        }
        bool out = prices != 0 && price_of(c, k) != wanted;
        c->candidate[k] = (candidate){out, 0, like};
    }
}

/* A table's probability, and its expected right calls times that. */
typedef struct {
    double mass, called;
} weighed;

static weighed weigh(const choice *c, const og_crowd_group *group, int32_t count)
{
    double mass = og_crowd_weigh(c->problem, group, count, c->room, c->plus, c->minus);
    return (weighed){mass, og_crowd_called(group, count, c->plus, c->minus)};
}

/* The table after a label of candidate k with this answer. */
static int32_t answered(const choice *c, int32_t k, int answer)
{
    const uint32_t *part = c->open[k].act.part;
    return og_crowd_label(c->state->group, c->state->count, (int32_t)part[0], (int32_t)part[1],
                          answer, c->next);
}

/* Numbers below 2^-800 need fractions. */
static void bound_index(const choice *c, weighed now, int32_t k)
{
    const double right = now.called / now.mass, error = 1.1 * c->problem->error + 4 * DBL_EPSILON;
    double chance[2], gain[2], sum = 0, most = right;
    og_prospect at;
    for (int answer = 0; answer < 2; answer++) {
        weighed after = weigh(c, c->next, answered(c, k, answer));
        double then = after.called / after.mass;
        sum += after.called;
        chance[answer] = after.mass / now.mass;
        gain[answer] = then - right;
        most = fmax(most, then);
    }
    og_prospect_pair(&at, chance, gain);
    at.mean = (sum - now.called) / now.mass;
    at.mean_radius = 2 * error * (sum + now.called) / now.mass;
    at.probability_error = 2 * error;
    at.gain_absolute = 4 * error * most;
    double radius, index = c->use->rule->index(&at, c->use, &radius);
    radius += 2 * DBL_EPSILON * fabs(index);
    bool sure = now.called > 0x1p-800;
    c->candidate[k].low = sure ? (index - radius) / price_of(c, k) : -INFINITY;
    c->candidate[k].high = sure ? (index + radius) / price_of(c, k) : INFINITY;
}

static og_status exact_index(const choice *c, int32_t k)
{
    mpq_t *e = c->exact;
    mpq_t *probability = e + PROBABILITY, *gain = e + GAIN;
    int32_t outcomes = 0;
    OG_TRY(
        og_crowd_called_exact(c->problem, c->state->group, c->state->count, e[CALLED], e[TABLE]));
    mpq_div(e[CALLED], e[CALLED], e[TABLE]);
    for (int answer = 0; answer < 2; answer++) {
        int32_t count = answered(c, k, answer);
        OG_TRY(og_crowd_called_exact(c->problem, c->next, count, gain[outcomes],
                                     probability[outcomes]));
        if (mpq_sgn(probability[outcomes]) > 0) {
            mpq_div(gain[outcomes], gain[outcomes], probability[outcomes]);
            mpq_sub(gain[outcomes], gain[outcomes], e[CALLED]);
            mpq_div(probability[outcomes], probability[outcomes], e[TABLE]);
            outcomes++;
        }
    }
    c->use->rule->exact(outcomes, probability, gain, c->use->parameter, e[INDEX]);
    mpq_set_si(e[CALLED], price_of(c, k), 1);
    mpq_div(e[INDEX], e[INDEX], e[CALLED]);
    return OG_OK;
}

/* Finds the largest of the remaining indices in fractions; sets the answer to 1 for those equal to
 * it. */
static og_status choose_exact(const choice *c, double least, double *answer)
{
    bool any = false;
    for (int32_t k = 0; k < c->count; k++) {
        const candidate *at = &c->candidate[k];
        answer[k] = 0;
        if (at->low > at->high || at->high < least) {
            continue;
        }
        if (at->like < k) {
            answer[k] = answer[at->like];
            continue;
        }
        OG_TRY(exact_index(c, k));
        int order = any ? mpq_cmp(c->exact[INDEX], c->exact[LARGEST]) : 1;
        if (order > 0) {
            memset(answer, 0, (size_t)k * sizeof *answer);
            mpq_set(c->exact[LARGEST], c->exact[INDEX]);
        }
        answer[k] = order >= 0 ? 1 : 0;
        any = true;
    }
    return OG_OK;
}

static og_status choose_by_index(const choice *c, double *answer)
{
    const weighed now = weigh(c, c->state->group, c->state->count);
    double least = -INFINITY;
    int32_t different = 0;
    for (int32_t k = 0; k < c->count; k++) {
        candidate *at = &c->candidate[k];
        if (at->low <= at->high && at->like == k) {
            bound_index(c, now, k);
            least = fmax(least, at->low);
        } else if (at->low <= at->high) {
            at->low = c->candidate[at->like].low;
            at->high = c->candidate[at->like].high;
        }
    }
    for (int32_t k = 0; k < c->count; k++) {
        const candidate *at = &c->candidate[k];
        answer[k] = at->low <= at->high && at->high >= least ? 1 : 0;
        different += answer[k] > 0 && at->like == k;
    }
    return different > 1 && c->use->rule->exact != NULL ? choose_exact(c, least, answer) : OG_OK;
}

static og_status choose(void *self, const og_strategy_view *view, double *answer, og_answer *kind,
                        og_message *message)
{
    const crowd_policy *policy = self;
    choice c;
    (void)message;
    og_status status = make_choice(policy, view->state, view->open, view->count, &c);
    if (status == OG_OK) {
        take_prices(&c, policy->rule.prices);
        status = choose_by_index(&c, answer);
        *kind = OG_ANSWER_INDEX;
    }
    og_arena_clear(&c.arena);
    return status;
}

og_status og_crowd_strategy(const og_policy_name *named, const og_crowd_problem *problem,
                            og_strategy *out, og_message *message)
{
    og_sources_rule rule;
    OG_TRY(og_sources_rule_named(named, &rule, message));
    crowd_policy *policy = malloc(sizeof *policy);
    OG_TRY(OG_ALLOCATED(policy));
    *policy = (crowd_policy){problem, rule};
    *out = (og_strategy){.self = policy,
                         .concurrent = true,
                         .choose = rule.any                       ? og_strategy_choose_any
                                   : rule.use.rule->index == NULL ? og_ruled_tie
                                                                  : choose,
                         .free = free};
    return OG_OK;
}
