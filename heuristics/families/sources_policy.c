/*
 * Policies that buy labels from sources. All use one rank of an arm's actions, by the rule's index
 * per unit of price; among labels with one price this is the order of indices.
 */
#include "heuristics/families/sources_policy.h"

#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/rational.h"
#include "dp/base/sort.h"
#include "dp/engine/strategy.h"

typedef struct {
    og_arena arena;
    const og_sources_problem *problem;
    og_sources_rule rule;
    double **rank; /* [arm_count][actions] from 0 on; 0 is the rank of a reward of 0 */
    mpq_t *exact;  /* [EXACT] scratch while ranks are made */
    og_stop *stop; /* likewise */
} sources_policy;

enum { PROBABILITY, GAIN = 2, NOW = 4, INDEX, EXACT };

/* ---- ranks ---- */

typedef struct {
    double index;
    int32_t arm;
    uint32_t node, action;
    mpq_ptr exact;
} source_item;

static int compare_places(const source_item *x, const source_item *y)
{
    int order = (x->arm > y->arm) - (x->arm < y->arm);
    return order != 0 ? order : (x->action > y->action) - (x->action < y->action);
}

static int compare_doubles(const void *x, const void *y)
{
    const source_item *a = x, *b = y;
    int order = (a->index > b->index) - (a->index < b->index);
    return order != 0 ? order : compare_places(a, b);
}

static int compare_exact(const void *x, const void *y)
{
    const source_item *a = x, *b = y;
    int order = mpq_cmp(a->exact, b->exact);
    return order != 0 ? order : compare_places(a, b);
}

/* The possible outcomes of a node's action; their number. */
static int32_t outcomes_of(const sources_policy *policy, const og_arm *arm, uint32_t node,
                           uint32_t action)
{
    mpq_t *probability = policy->exact + PROBABILITY, *gain = policy->exact + GAIN;
    int32_t count = 0;
    og_sources_exact_call(arm, node, policy->exact[NOW]);
    for (int32_t k = 0; k < 2; k++) {
        og_arm_exact_probability(arm, action, k, probability[count]);
        if (mpq_sgn(probability[count]) > 0) {
            og_sources_exact_call(arm, arm->next[2 * (size_t)action + (size_t)k], gain[count]);
            mpq_sub(gain[count], gain[count], policy->exact[NOW]);
            count++;
        }
    }
    return count;
}

static void exact_index(const sources_policy *policy, const source_item *item, mpq_ptr out)
{
    const og_arm *arm = policy->problem->arms->arm[item->arm];
    const og_rule_use *use = &policy->rule.use;
    if (use->rule == &og_rule_mean) {
        og_arm_exact_reward(arm, item->action, out);
    } else {
        int32_t count = outcomes_of(policy, arm, item->node, item->action);
        use->rule->exact(count, policy->exact + PROBABILITY, policy->exact + GAIN, use->parameter,
                         out);
    }
    mpz_mul_si(mpq_denref(out), mpq_denref(out), arm->cost[item->action]);
    mpq_canonicalize(out);
}

/* With an error of at most 2 roundings; a rule without fractions: of its own. */
static double index_of(const sources_policy *policy, const source_item *item)
{
    const og_arm *arm = policy->problem->arms->arm[item->arm];
    const og_rule_use *use = &policy->rule.use;
    double probability[2] = {0}, gain[2] = {0};
    og_prospect at;
    if (use->rule == &og_rule_mean) {
        return arm->reward[item->action] / arm->cost[item->action];
    }
    if (use->rule->exact != NULL) {
        exact_index(policy, item, policy->exact[INDEX]);
        return og_nearest(policy->exact[INDEX]);
    }
    int32_t count = outcomes_of(policy, arm, item->node, item->action);
    for (int32_t k = 0; k < count; k++) {
        probability[k] = og_nearest(policy->exact[PROBABILITY + k]);
        gain[k] = og_nearest(policy->exact[GAIN + k]);
    }
    og_prospect_pair(&at, probability, gain);
    return og_rule_value(use, &at) / arm->cost[item->action];
}

/* Ranks indices that are too close for doubles, using fractions. */
static og_status rank_near(const sources_policy *policy, source_item *items, size_t count,
                           double *rank)
{
    og_arena arena = {0};
    mpq_t *exact = og_arena_fractions(&arena, count);
    og_status status = og_arena_status(&arena);
    for (size_t i = 0; status == OG_OK && i < count; i++) {
        items[i].exact = exact[i];
        exact_index(policy, &items[i], exact[i]);
    }
    if (status == OG_OK) {
        qsort(items, count, sizeof *items, compare_exact);
    }
    for (size_t i = 0; status == OG_OK && i < count; i++) {
        *rank += i == 0 || mpq_cmp(items[i].exact, items[i - 1].exact) != 0;
        policy->rank[items[i].arm][items[i].action] = *rank;
    }
    og_arena_clear(&arena);
    return status;
}

static bool is_near(double index, double next)
{
    return next - index <= 4 * DBL_EPSILON * fabs(index);
}

static og_status rank_sorted(const sources_policy *policy, source_item *items, size_t count)
{
    const bool fractions = policy->rule.use.rule->exact != NULL;
    double rank = 0;
    size_t end;
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && is_near(items[end - 1].index, items[end].index); end++) {
        }
        bool zero = items[i].index == 0; /* all are exactly 0 */
        if (fractions && !zero && end > i + 1) {
            OG_TRY(rank_near(policy, &items[i], end - i, &rank));
            continue;
        }
        rank += zero && rank == 0 ? 0 : 1;
        for (size_t k = i; k < end; k++) {
            policy->rank[items[k].arm][items[k].action] = rank;
        }
    }
    return OG_OK;
}

/* Lists the actions of the nodes that occur in states; items NULL: counts them. */
static og_status list_items(const sources_policy *policy, source_item *items, size_t *listed)
{
    const og_sources_problem *problem = policy->problem;
    size_t count = 0;
    for (int32_t i = 0; i < problem->arms->arm_count; i++) {
        const og_arm *arm = problem->arms->arm[i];
        for (uint32_t node = 0; node < arm->level[arm->depth]; node++) {
            for (uint32_t a = arm->action_first[node];
                 problem->first[i][node] == node && a < arm->action_first[node + 1]; a++) {
                if (items != NULL) {
                    items[count] = (source_item){0, i, node, a, NULL};
                    items[count].index = index_of(policy, &items[count]);
                }
                count++;
            }
            if (items != NULL && node % 256 == 0 && og_stop_asked(policy->stop)) {
                return OG_STOPPED;
            }
        }
    }
    *listed = count;
    return OG_OK;
}

static og_status make_ranks(sources_policy *policy)
{
    const og_arms *arms = policy->problem->arms;
    policy->rank = og_arena_array(&policy->arena, (size_t)arms->arm_count, sizeof *policy->rank);
    for (int32_t i = 0; policy->rank != NULL && i < arms->arm_count; i++) {
        policy->rank[i] = og_arena_array(&policy->arena, og_arm_action_count(arms->arm[i]),
                                         sizeof **policy->rank);
    }
    policy->exact = og_arena_fractions(&policy->arena, EXACT);
    OG_TRY(og_arena_status(&policy->arena));
    size_t count;
    OG_TRY(list_items(policy, NULL, &count));
    source_item *items = calloc(count + 1, sizeof *items);
    OG_TRY(OG_ALLOCATED(items));
    og_status status = list_items(policy, items, &count);
    OG_THEN(status, og_sort(items, count, sizeof *items, compare_doubles, policy->stop));
    OG_THEN(status, rank_sorted(policy, items, count));
    free(items);
    return status;
}

/* ---- choices ---- */

static const og_arm *asked(const sources_policy *policy, const og_sources_state *state, og_act act,
                           uint32_t *action)
{
    const og_sources_group *group = &state->group[act.part[0]];
    const og_arm *arm = policy->problem->arms->arm[group->arm];
    *action = og_sources_action(arm, group->node, act.part[1]);
    return arm;
}

static og_status choose_ranked(void *self, const og_strategy_view *view, double *answer,
                               og_answer *kind, og_message *message)
{
    const sources_policy *policy = self;
    const og_sources_state *now = view->state;
    int32_t wanted = 0;
    uint32_t action;
    (void)message;
    for (int32_t k = 0; k < view->count; k++) {
        const og_arm *arm = asked(policy, now, view->open[k].act, &action);
        int32_t price = arm->cost[action];
        bool better = policy->rule.prices < 0 ? price < wanted : price > wanted;
        wanted = k == 0 || better ? price : wanted;
    }
    for (int32_t k = 0; k < view->count; k++) {
        const og_arm *arm = asked(policy, now, view->open[k].act, &action);
        bool out = policy->rule.prices != 0 && arm->cost[action] != wanted;
        answer[k] = out ? -1 : policy->rank[now->group[view->open[k].act.part[0]].arm][action];
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

og_status og_sources_rule_named(const og_policy_name *named, og_sources_rule *out,
                                og_message *message)
{
    static const struct {
        const char *name;
        og_sources_rule rule;
    } rows[] = {{"naive", {{.rule = &og_rule_any}, true, 0}},
                {"cheapest", {{.rule = &og_rule_mean}, false, -1}},
                {"dearest", {{.rule = &og_rule_mean}, false, 1}}};
    *out = (og_sources_rule){.prices = 0};
    if (og_policy_name_rule(named, &out->use)) {
        return OG_OK;
    }
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        if (strcmp(rows[row].name, named->name) == 0) {
            *out = rows[row].rule;
            return OG_OK;
        }
    }
    return og_policy_name_refuse(named, "sources of labels", "sources", message);
}

og_status og_sources_strategy(const og_policy_name *named, const og_sources_problem *problem,
                              og_stop *stop, og_strategy *out, og_message *message)
{
    og_sources_rule rule;
    OG_TRY(og_sources_rule_named(named, &rule, message));
    sources_policy *policy = og_arena_new(sizeof *policy);
    OG_TRY(OG_ALLOCATED(policy));
    policy->problem = problem;
    policy->rule = rule;
    policy->stop = stop;
    og_status status = rule.use.rule->index == NULL ? OG_OK : make_ranks(policy);
    if (status != OG_OK) {
        og_arena_free(policy);
        return status == OG_STOPPED
                   ? og_message_set(message, status, "the index of policy '%.60s' was stopped",
                                    named->name)
                   : status;
    }
    *out = (og_strategy){.self = policy,
                         .concurrent = true,
                         .choose = rule.any                       ? og_strategy_choose_any
                                   : rule.use.rule->index == NULL ? og_ruled_tie
                                                                  : choose_ranked,
                         .free = og_arena_free};
    return OG_OK;
}
