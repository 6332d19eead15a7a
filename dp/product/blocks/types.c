/*
 * The forward pass over types.
 *
 * Forced types: if a group has one class x, and R(x) is at least every R that any other instance of
 * the type can still reach, then x is optimal in every state of the block (reduction 4). Only that
 * group is followed.
 *
 * Contraction: if x has appeared, and R(x) is at least every R that the others can still reach, x
 * is labelled at once. Blocks never hold such an x, so the condition must hold wherever one
 * appears: every type in which one appears is checked here.
 *
 * Several actions: a group is followed once for each affordable cost of its classes, into the layer
 * so many units below. Only a class of one action, of the least cost of all, is forced
 * (dp/product/layers.h).
 */
#include "dp/product/blocks/types.h"

#include <stdlib.h>
#include <string.h>

#include "dp/product/blocks/blocks.h"
#include "dp/product/blocks/ranks.h"

og_status og_block_slots_init(const og_arms *arms, bool fold, og_block_slots *out)
{
    int64_t count = arms->arm_count;
    for (int32_t g = 0; g < arms->group_count && !fold; g++) {
        count += arms->group_size[g];
    }
    if ((double)count * ((double)arms->budget + 3) > UINT32_MAX) {
        return OG_STOPPED;
    }
    og_block_slots slots = {.budget = arms->budget};
    slots.arm = calloc((size_t)count + 1, sizeof *slots.arm);
    slots.count = calloc((size_t)count + 1, sizeof *slots.count);
    if (slots.arm == NULL || slots.count == NULL) {
        og_block_slots_clear(&slots);
        return OG_NO_MEMORY;
    }
    for (int32_t a = 0; fold && a < arms->arm_count; a++) {
        int64_t instances = 0;
        for (int32_t g = 0; g < arms->group_count; g++) {
            instances += arms->arm_of_group[g] == a ? arms->group_size[g] : 0;
        }
        if (instances > 0) {
            slots.arm[slots.slot_count] = a;
            slots.count[slots.slot_count++] = instances;
        }
    }
    for (int32_t g = 0; !fold && g < arms->group_count; g++) {
        for (int64_t i = 0; i < arms->group_size[g]; i++) {
            slots.arm[slots.slot_count] = arms->arm_of_group[g];
            slots.count[slots.slot_count++] = 1;
        }
    }
    *out = slots;
    return OG_OK;
}

void og_block_slots_clear(og_block_slots *slots)
{
    free(slots->arm);
    free(slots->count);
    memset(slots, 0, sizeof *slots);
}

/* ---- summaries ---- */

og_status og_block_summaries_new(const og_arms *arms, const og_layers_use *use,
                                 const bool *contracted, bool ahead, og_block_summaries **out)
{
    uint64_t budget = (uint64_t)arms->budget, arm_count = (uint64_t)arms->arm_count;
    double depths = (double)arm_count * ((double)budget + 1) * ((double)budget + 2) / 2;
    double bytes = depths * sizeof(og_block_summary) + 8 * ((double)budget + 3);
    if (bytes + og_block_classes_bytes(arms, use->ranks, ahead) > (double)use->memory_bytes) {
        return OG_STOPPED;
    }
    og_block_summaries *s = calloc(1, sizeof *s);
    og_block_classes *classes = NULL;
    og_status status = OG_NO_MEMORY;
    if (s != NULL) {
        s->arm_count = arms->arm_count;
        s->budget = arms->budget;
        s->bytes = (uint64_t)bytes;
        s->summary = calloc((size_t)depths + 1, sizeof *s->summary);
        s->first = calloc((size_t)budget + 3, sizeof *s->first);
        if (s->summary != NULL && s->first != NULL) {
            status = og_block_classes_new(arms, use->ranks, contracted, ahead, &classes);
        }
    }
    for (int32_t left = 0; status == OG_OK && left <= arms->budget; left++) {
        if (og_stop_asked(use->stop)) {
            status = OG_STOPPED;
            break;
        }
        if (left > 0) {
            og_block_classes_step(classes);
        }
        uint64_t levels = budget - (uint64_t)left + 1;
        s->first[left + 1] = s->first[left] + arm_count * levels;
        for (int32_t a = 0; a < arms->arm_count; a++) {
            for (int32_t n = 0; n < (int32_t)levels; n++) {
                const og_block_depth *d = og_block_classes_depth(classes, a, n);
                double only = d->count == 1 && d->live == 1 && d->forces ? d->reward[0] : -1;
                double waiting = 0;
                for (int32_t i = 0; i < d->live; i++) {
                    waiting = d->reward[i] > waiting ? d->reward[i] : waiting;
                }
                s->summary[s->first[left] + (uint64_t)a * levels + (uint64_t)n] =
                    (og_block_summary){d->count, d->live,       d->reach,     only,
                                       waiting,  d->rank_least, d->rank_most, d->contracts,
                                       d->same,  d->costs,      d->two};
            }
        }
    }
    og_block_classes_free(classes);
    return OG_MADE(status, s, og_block_summaries_free, out);
}

void og_block_summaries_free(og_block_summaries *s)
{
    if (s != NULL) {
        free(s->summary);
        free(s->first);
    }
    free(s);
}

/* ---- the forward pass ---- */

typedef struct {
    const og_block_wish *wish;
    const og_block_slots *slots;
    og_block_plan *plan;
    og_copies *list;  /* [groups_room] a copy of a type: its set may move in memory */
    og_copies *moved; /* [groups_room + 1] */
    int32_t groups_room;
    uint64_t set_bytes; /* of finished layers and their neighbours */
} pass;

static const og_block_summary *summary_of(const pass *p, int32_t left, uint32_t member)
{
    return og_block_summary_of(p->wish->summaries, left,
                               p->slots->arm[og_block_slot_of(p->slots, member)],
                               og_block_depth_of(p->slots, member));
}

/* The group that is labelled in every state of the type; -1: none is certain. */
static int32_t forced_group(const pass *p, int32_t left, const og_copies *list, int32_t count)
{
    double first = -1, second = -1; /* largest reaches of groups; another copy counts as another
                                     * group */
    int32_t best = -1;
    for (int32_t i = 0; i < count; i++) {
        const og_block_summary *s = summary_of(p, left, list[i].member);
        if (s->only > 0 && (best < 0 || s->only > summary_of(p, left, list[best].member)->only)) {
            best = i;
        }
        if (s->reach > first) {
            second = list[i].copies > 1 ? s->reach : first;
            first = s->reach;
        } else if (s->reach > second) {
            second = s->reach;
        }
    }
    if (best < 0) {
        return -1;
    }
    const og_block_summary *s = summary_of(p, left, list[best].member);
    bool alone_on_top = list[best].copies == 1 && s->reach == first && second < first;
    return s->only >= (alone_on_top ? second : first) ? best : -1;
}

/* Two copies of the best arm (dp/product/two_copies.h): the group of one class that holds them; -1
 * if that is not certain. Assumes that as many instances as possible are good. */
static int32_t two_group(const pass *p, int32_t left, const og_copies *list, int32_t count)
{
    double target = 0, gain = 0;
    for (int32_t i = 0; i < count; i++) {
        const og_two_copies_class *two = &summary_of(p, left, list[i].member)->two;
        if (!two->fits) {
            return -1;
        }
        target = two->target_reach > target ? two->target_reach : target;
        gain = two->gain_reach > gain ? two->gain_reach : gain;
    }
    for (int32_t i = 0; i < count; i++) {
        const og_block_summary *s = summary_of(p, left, list[i].member);
        const og_two_copies_class *x = &s->two;
        if (s->only != 0 || list[i].copies < 2 || x->chance == 0 || x->target < target ||
            x->gain < gain) {
            continue;
        }
        int64_t good = 0;
        for (int32_t j = 0; j < count; j++) {
            double waiting = summary_of(p, left, list[j].member)->waiting;
            good += waiting >= x->gain / (1 + x->chance) ? list[j].copies : 0;
        }
        if (left - good >= 2) {
            return i;
        }
    }
    return -1;
}

/* True if a contracted node may be next to the rest of the list with `left` labels left. */
static bool may_contract(const pass *p, int32_t left, const og_copies *list, int32_t count,
                         int32_t gone)
{
    for (int32_t i = 0; i < count; i++) {
        if ((i != gone || list[i].copies > 1) &&
            summary_of(p, left, list[i].member)->reach > p->wish->contracted) {
            return false;
        }
    }
    return true;
}

static og_status put(pass *p, int32_t left, int32_t count, uint32_t *entry)
{
    og_state_set *set = p->plan->layer[left].set;
    bool added;
    uint64_t held = p->plan->bytes + p->set_bytes;
    uint64_t limit = p->wish->memory_bytes;
    return held >= limit ? OG_STOPPED
                         : og_state_set_put(set, p->moved, count, limit - held, entry, &added);
}

static og_status add_action(og_block_plan *plan, og_block_types *types, uint64_t at,
                            const og_block_action *action, uint64_t limit)
{
    if (at == types->action_capacity) {
        uint64_t capacity = at + at / 2 + 64;
        uint64_t more = (capacity - at) * sizeof *action;
        if (plan->bytes + more > limit) {
            return OG_STOPPED;
        }
        og_block_action *bigger = realloc(types->action, (size_t)capacity * sizeof *bigger);
        OG_TRY(OG_ALLOCATED(bigger));
        plan->bytes += more;
        types->action = bigger;
        types->action_capacity = capacity;
    }
    types->action[at] = *action;
    return OG_OK;
}

/* Follows the label of an instance of group i, of the cost in this place. */
static og_status follow(pass *p, int32_t left, int32_t count, int32_t i, int32_t place,
                        og_block_action *action, og_block_end *end)
{
    uint32_t member = p->list[i].member;
    int32_t cost = p->plan->costs.cost[place];
    *action = (og_block_action){(uint32_t)i, 0, OG_BLOCK_NONE, (uint32_t)place};
    if (left == cost) {
        return OG_OK;
    }
    int32_t moved = og_multiset_replace(p->list, count, member, member + (uint32_t)cost, p->moved);
    og_status status = put(p, left - cost, moved, &action->one);
    if (status != OG_OK || !summary_of(p, left, member)->contracts) {
        return status;
    }
    action->two = 0;
    if (!p->wish->policy && !may_contract(p, left - 1, p->list, count, i)) {
        *end = OG_BLOCK_NOT_CONTRACTED;
    }
    if (*end != OG_BLOCK_PLANNED || left == 2) {
        return OG_OK;
    }
    uint32_t two;
    moved = og_multiset_replace(p->list, count, member, member + 2, p->moved);
    status = put(p, left - 2, moved, &two);
    action->two = two;
    return status;
}

/* The largest rank that is certainly present: a policy labels no group whose largest rank is below
 * it. */
static uint32_t rank_there(const pass *p, int32_t left, const og_copies *list, int32_t count)
{
    uint32_t most = 0;
    for (int32_t i = 0; p->wish->policy && p->wish->force && i < count; i++) {
        uint32_t least = summary_of(p, left, list[i].member)->rank_least;
        most = least > most ? least : most;
    }
    return most;
}

static og_status follow_type(pass *p, int32_t left, int32_t count, uint64_t *at, og_block_end *end)
{
    og_block_plan *plan = p->plan;
    bool all = left == plan->budget && p->wish->all_first;
    bool force = p->wish->force && !p->wish->policy;
    int32_t forced = force && !all ? forced_group(p, left, p->list, count) : -1;
    if (forced < 0 && p->wish->two && !all && left >= 2) {
        forced = two_group(p, left, p->list, count);
    }
    uint32_t there = rank_there(p, left, p->list, count);
    for (int32_t i = forced < 0 ? 0 : forced; i < (forced < 0 ? count : forced + 1); i++) {
        const og_block_summary *s = summary_of(p, left, p->list[i].member);
        if ((s->live == 0 && !all) || s->rank_most < there) {
            continue;
        }
        for (int32_t place = 0; place < plan->costs.count; place++) {
            if (plan->costs.several && (s->costs >> place & 1) == 0) {
                continue;
            }
            og_block_action action;
            og_status status = follow(p, left, count, i, place, &action, end);
            if (status == OG_OK && *end == OG_BLOCK_PLANNED) {
                status =
                    add_action(plan, &plan->layer[left], (*at)++, &action, p->wish->memory_bytes);
            }
            if (status != OG_OK || *end != OG_BLOCK_PLANNED) {
                return status;
            }
        }
    }
    return OG_OK;
}

static og_status reserve_groups(pass *p, int32_t count)
{
    if (count < p->groups_room) {
        return OG_OK;
    }
    size_t room = (size_t)count * 2 + 16;
    og_copies *list = realloc(p->list, room * sizeof *list);
    if (list != NULL) {
        p->list = list;
    }
    og_copies *moved = realloc(p->moved, (room + 1) * sizeof *moved);
    if (moved != NULL) {
        p->moved = moved;
    }
    if (list == NULL || moved == NULL) {
        return OG_NO_MEMORY;
    }
    p->groups_room = (int32_t)room;
    return OG_OK;
}

/* The number of states of a type's block; also records which tables of ranks it needs. */
static double block_states(pass *p, int32_t left, const og_copies *list, int32_t count)
{
    og_block_plan *plan = p->plan;
    double states = 1;
    for (int32_t i = 0; i < count; i++) {
        uint32_t classes = (uint32_t)summary_of(p, left, list[i].member)->count;
        if (classes < 2) {
            continue;
        }
        uint32_t copies = list[i].copies;
        states *= og_block_rank_count(classes, copies);
        if (states < 0x1p32) {
            plan->copies_max =
                (int32_t)copies > plan->copies_max ? (int32_t)copies : plan->copies_max;
            plan->classes[copies] =
                classes > plan->classes[copies] ? classes : plan->classes[copies];
        }
    }
    return states;
}

/* Checks the limits within a layer, because there may be many types. */
static og_status check_limits(pass *p, double layer_states, uint32_t layer_types, og_block_end *end)
{
    const og_block_wish *wish = p->wish;
    og_blocks_size size = {.states = p->plan->states + layer_states,
                           .types = p->plan->types + layer_types};
    if (wish->states_max > 0 && og_blocks_work(&size) > (double)wish->states_max) {
        *end = OG_BLOCK_TOO_MANY;
    } else if (layer_types % 1024 == 0 && wish->go_on != NULL &&
               !wish->go_on(wish->user, p->plan->bytes + p->set_bytes)) {
        *end = OG_BLOCK_INTERRUPTED;
    }
    return *end == OG_BLOCK_PLANNED ? OG_OK : OG_STOPPED;
}

/* Follows a layer. Its types are complete once those of the two layers above have been followed. */
static og_status follow_layer(pass *p, int32_t left, og_block_end *end)
{
    og_block_plan *plan = p->plan;
    og_block_types *layer = &plan->layer[left];
    uint32_t types = og_state_set_count(layer->set);
    plan->bytes += og_state_set_bytes(layer->set) + (types + 1) * sizeof *layer->first;
    layer->first = calloc((size_t)types + 1, sizeof *layer->first);
    OG_TRY(OG_ALLOCATED(layer->first));
    uint64_t at = 0;
    double states = 0;
    for (uint32_t t = 0; t < types; t++) {
        int32_t count;
        const og_copies *there = og_state_set_at(layer->set, t, &count);
        OG_TRY(reserve_groups(p, count));
        memcpy(p->list, there, (size_t)count * sizeof *there);
        plan->groups_max = count > plan->groups_max ? count : plan->groups_max;
        double block = block_states(p, left, p->list, count);
        *(uint64_t *)og_state_set_payload(layer->set, t) = (uint64_t)states;
        states += block;
        if (block >= 0x1p32 || states >= 0x1p60) {
            return OG_STOPPED;
        }
        plan->block_max = block > plan->block_max ? (uint32_t)block : plan->block_max;
        layer->first[t] = at;
        og_status status = check_limits(p, states, t + 1, end);
        OG_THEN(status, follow_type(p, left, count, &at, end));
        if (status != OG_OK || *end != OG_BLOCK_PLANNED) {
            return status;
        }
    }
    layer->first[types] = at;
    layer->states = (uint64_t)states;
    plan->states += states;
    plan->types += types;
    return OG_OK;
}

static og_status put_root(pass *p)
{
    const og_block_slots *slots = p->slots;
    OG_TRY(reserve_groups(p, slots->slot_count + 1));
    for (int32_t s = 0; s < slots->slot_count; s++) {
        p->moved[s] = (og_copies){og_block_member(slots, s, 0), (uint32_t)slots->count[s]};
    }
    uint32_t entry;
    bool also = p->wish->costs->several && p->wish->all_first && slots->budget > 1;
    og_status status = put(p, slots->budget, slots->slot_count, &entry);
    return status != OG_OK || !also ? status : put(p, slots->budget - 1, slots->slot_count, &entry);
}

static og_status plan_fill(pass *p, og_block_end *end)
{
    og_block_plan *plan = p->plan;
    int32_t budget = plan->budget;
    int32_t deep = og_block_costs_last(&plan->costs); /* or two layers, for contracted outcomes */
    deep = deep > 2 ? deep : 2;
    og_status status = OG_OK;
    for (int32_t left = budget; status == OG_OK && *end == OG_BLOCK_PLANNED && left >= 1; left--) {
        for (int32_t new = left; status == OG_OK &&new >= left - deep &&new >= 1; new --) {
            if (plan->layer[new].set == NULL) {
                status = og_state_set_new(sizeof(uint64_t), &plan->layer[new].set);
            }
        }
        if (status == OG_OK && left == budget) {
            status = put_root(p);
        }
        if (status == OG_OK) {
            p->set_bytes = 0;
            for (int32_t new = left - 1; new >= left - deep &&new >= 1; new --) {
                p->set_bytes += og_state_set_bytes(plan->layer[new].set);
            }
            status = follow_layer(p, left, end);
        }
    }
    return status;
}

og_status og_block_plan_new(const og_block_wish *wish, og_block_end *end, og_block_plan **out)
{
    og_block_plan *plan = calloc(1, sizeof *plan);
    OG_TRY(OG_ALLOCATED(plan));
    int32_t budget = wish->slots->budget;
    pass p = {.wish = wish, .slots = wish->slots, .plan = plan};
    plan->budget = budget;
    plan->costs = *wish->costs;
    plan->layer = calloc((size_t)budget + 1, sizeof *plan->layer);
    plan->classes = calloc((size_t)budget + 3, sizeof *plan->classes);
    plan->bytes = ((uint64_t)budget + 1) * sizeof *plan->layer;
    *end = OG_BLOCK_PLANNED;
    og_status status = OG_NO_MEMORY;
    if (plan->layer != NULL && plan->classes != NULL) {
        status = plan_fill(&p, end);
    }
    free(p.list);
    free(p.moved);
    if (status != OG_OK || *end != OG_BLOCK_PLANNED) {
        og_block_plan_free(plan);
        return status;
    }
    *out = plan;
    return OG_OK;
}

void og_block_plan_free(og_block_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    for (int32_t left = 0; plan->layer != NULL && left <= plan->budget; left++) {
        og_state_set_free(plan->layer[left].set);
        free(plan->layer[left].first);
        free(plan->layer[left].action);
    }
    free(plan->layer);
    free(plan->classes);
    free(plan);
}
