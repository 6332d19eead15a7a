/*
 * Policies that buy labels from sources. All use one rank of an arm's actions, by reward per unit
 * of price; among labels with one price this is the order of rewards.
 */
#include "heuristics/families/sources_policy.h"

#include <float.h>
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "dp/engine/strategy.h"

const char og_sources_policies[] = "naive,kg,cheapest,dearest";

typedef struct {
    og_arena arena;
    const og_sources_problem *problem;
    og_sources_rule rule;
    double **rank; /* [arm_count][actions] from 0 on; 0 is the rank of a reward of 0 */
} sources_policy;

/* ---- ranks ---- */

typedef struct {
    double index; /* with an error of at most 2 roundings */
    int32_t arm;
    uint32_t action;
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

static void exact_index(const og_arms *arms, source_item *item)
{
    const og_arm *arm = arms->arm[item->arm];
    og_arm_exact_reward(arm, item->action, item->exact);
    mpz_mul_si(mpq_denref(item->exact), mpq_denref(item->exact), arm->cost[item->action]);
    mpq_canonicalize(item->exact);
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
        exact_index(policy->problem->arms, &items[i]);
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

static og_status rank_sorted(const sources_policy *policy, source_item *items, size_t count)
{
    const double near = 1 + 4 * DBL_EPSILON;
    double rank = 0;
    size_t end;
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && items[end].index <= near * items[end - 1].index; end++) {
        }
        if (items[i].index == 0) {
            continue; /* all are exactly 0: rank 0 */
        }
        if (end == i + 1) {
            policy->rank[items[i].arm][items[i].action] = ++rank;
        } else {
            OG_TRY(rank_near(policy, &items[i], end - i, &rank));
        }
    }
    return OG_OK;
}

/* Lists the actions of the nodes that occur in states. */
static size_t list_items(const og_sources_problem *problem, source_item *items)
{
    size_t count = 0;
    for (int32_t i = 0; i < problem->arms->arm_count; i++) {
        const og_arm *arm = problem->arms->arm[i];
        for (uint32_t node = 0; node < arm->level[arm->depth]; node++) {
            for (uint32_t a = arm->action_first[node];
                 problem->first[i][node] == node && a < arm->action_first[node + 1]; a++) {
                if (items != NULL) {
                    items[count] = (source_item){arm->reward[a] / arm->cost[a], i, a, NULL};
                }
                count++;
            }
        }
    }
    return count;
}

static og_status make_ranks(sources_policy *policy)
{
    const og_arms *arms = policy->problem->arms;
    policy->rank = og_arena_array(&policy->arena, (size_t)arms->arm_count, sizeof *policy->rank);
    for (int32_t i = 0; policy->rank != NULL && i < arms->arm_count; i++) {
        policy->rank[i] = og_arena_array(&policy->arena, og_arm_action_count(arms->arm[i]),
                                         sizeof **policy->rank);
    }
    OG_TRY(og_arena_status(&policy->arena));
    size_t count = list_items(policy->problem, NULL);
    source_item *items = calloc(count + 1, sizeof *items);
    OG_TRY(OG_ALLOCATED(items));
    list_items(policy->problem, items);
    qsort(items, count, sizeof *items, compare_doubles);
    og_status status = rank_sorted(policy, items, count);
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
    } rows[] = {{"naive", {true, 0}},
                {"kg", {false, 0}},
                {"cheapest", {false, -1}},
                {"dearest", {false, 1}}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        if (strcmp(rows[row].name, named->name) == 0) {
            *out = rows[row].rule;
            return OG_OK;
        }
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%.64s' does not support sources of labels; choose one of %s",
                          named->name, og_sources_policies);
}

og_status og_sources_strategy(const og_policy_name *named, const og_sources_problem *problem,
                              og_strategy *out, og_message *message)
{
    og_sources_rule rule;
    OG_TRY(og_sources_rule_named(named, &rule, message));
    sources_policy *policy = og_arena_new(sizeof *policy);
    OG_TRY(OG_ALLOCATED(policy));
    policy->problem = problem;
    policy->rule = rule;
    og_status status = rule.any ? OG_OK : make_ranks(policy);
    if (status != OG_OK) {
        og_arena_free(policy);
        return status;
    }
    *out = (og_strategy){.self = policy,
                         .concurrent = true,
                         .choose = rule.any ? og_strategy_choose_any : choose_ranked,
                         .free = og_arena_free};
    return OG_OK;
}
