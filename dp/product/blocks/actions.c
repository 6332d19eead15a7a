/*
 * Classes of nodes that have several actions: the row that distinguishes them, and the lanes of a
 * depth.
 */
#include "dp/product/blocks/actions.h"

#include <assert.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/product/blocks/classes_made.h"

static int32_t cost_of(const og_arm *arm, uint32_t action)
{
    return arm->cost == NULL ? 1 : arm->cost[action];
}

bool og_block_costs_of(const og_arms *arms, og_block_costs *out)
{
    bool there[OG_ARM_COST_MAX + 1] = {false};
    *out = (og_block_costs){.several = og_arms_have_actions(arms), .most = 1};
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        there[1] = there[1] || arm->cost == NULL;
        for (uint32_t i = 0; arm->cost != NULL && i < og_arm_action_count(arm); i++) {
            there[arm->cost[i]] = true;
        }
        for (uint32_t x = 0; arm->action_first != NULL && x < arm->level[arm->depth]; x++) {
            int32_t count = (int32_t)(arm->action_first[x + 1] - arm->action_first[x]);
            out->most = count > out->most ? count : out->most;
        }
    }
    for (int32_t cost = 1; cost <= OG_ARM_COST_MAX; cost++) {
        if (there[cost] && out->count == OG_BLOCK_COSTS_MAX) {
            return false;
        }
        if (there[cost]) {
            out->cost[out->count++] = cost;
        }
    }
    if (out->count == 0) { /* no action is affordable */
        out->cost[out->count++] = 1;
    }
    return true;
}

/* ---- rows that distinguish nodes ---- */

static uint32_t header_of(int32_t cost, int32_t outcomes)
{
    assert(cost <= OG_ARM_COST_MAX && outcomes <= UINT16_MAX);
    return (uint32_t)cost << 16 | (uint32_t)outcomes;
}

static int32_t header_cost(uint32_t header)
{
    return (int32_t)(header >> 16);
}

static int32_t header_outcomes(uint32_t header)
{
    return (int32_t)(header & UINT16_MAX);
}

int32_t og_block_outcomes_of(const og_block_classes *c, int32_t a, uint32_t action,
                             const layer *below, outcome *list)
{
    const og_arm *arm = c->arms->arm[a];
    uint32_t offset = c->arms->node_offset[a];
    const uint32_t *class = below->class;
    int32_t count = 0;
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        size_t at = (size_t)action * (size_t)arm->outcome_count + (size_t)k;
        uint32_t next = offset + arm->next[at];
        outcome item = {arm->probability[at], class[next], next};
        if (c->costs.several && item.probability == 0) {
            continue;
        }
        int32_t j = count++;
        while (j > 0 &&
               (list[j - 1].class > item.class ||
                (list[j - 1].class == item.class && list[j - 1].probability > item.probability))) {
            list[j] = list[j - 1];
            j--;
        }
        list[j] = item;
    }
    int32_t kept = 0;
    for (int32_t k = 0; k < count; k++) {
        if (kept == 0 || list[kept - 1].class != list[k].class) {
            list[kept++] = list[k];
        } else {
            list[kept - 1].probability += list[k].probability;
        }
    }
    return kept;
}

int32_t og_block_actions_row(const og_block_classes *c, int32_t a, uint32_t node, double *reward)
{
    const og_arm *arm = c->arms->arm[a];
    uint32_t end = og_arm_first_action(arm, node + 1);
    int32_t length = 0;
    *reward = 0;
    for (uint32_t action = og_arm_first_action(arm, node); action < end; action++) {
        outcome *row = &c->scratch[length];
        int32_t cost = cost_of(arm, action);
        if (cost > c->left) {
            continue;
        }
        double own = arm->reward[action] + 0.0; /* no negative zero */
        int32_t kept = og_block_outcomes_of(c, a, action, og_block_layer_below(c, cost), row + 1);
        bool dead = kept == 0 || (kept == 1 && row[1].class == 0);
        if (own > 0 || !dead) {
            row[0] = (outcome){own, header_of(cost, kept), 0};
            *reward = own > *reward ? own : *reward;
            length += 1 + kept;
        }
    }
    return length;
}

double og_block_actions_reach(const og_block_classes *c, const outcome *row, int32_t length)
{
    double most = 0;
    for (int32_t at = 0; at < length;) {
        const layer *below = og_block_layer_below(c, header_cost(row[at].class));
        int32_t end = at + 1 + header_outcomes(row[at].class);
        most = row[at].probability > most ? row[at].probability : most;
        for (at++; at < end; at++) {
            most = below->reach[row[at].class] > most ? below->reach[row[at].class] : most;
        }
    }
    return most;
}

/* The least budget with which the action gains anything; 0: it never does. */
static uint32_t birth_of(const og_arm *arm, const uint32_t *birth, uint32_t action)
{
    size_t outcomes = (size_t)arm->outcome_count;
    uint32_t least = 0;
    for (size_t k = 0; k < outcomes; k++) {
        uint32_t next = birth[arm->next[action * outcomes + k]];
        bool happens = arm->probability[action * outcomes + k] > 0;
        least = happens && next > 0 && (least == 0 || next < least) ? next : least;
    }
    uint32_t cost = (uint32_t)cost_of(arm, action);
    return arm->reward[action] > 0 ? cost : least > 0 ? cost + least : 0;
}

void og_block_actions_births(og_block_classes *c)
{
    for (int32_t a = 0; a < c->arms->arm_count; a++) {
        const og_arm *arm = c->arms->arm[a];
        uint32_t *number = &c->birth[c->arms->node_offset[a]];
        for (uint32_t node = arm->level[c->arms->budget]; node-- > 0;) {
            uint32_t end = og_arm_first_action(arm, node + 1);
            for (uint32_t action = og_arm_first_action(arm, node); action < end; action++) {
                uint32_t birth = birth_of(arm, number, action);
                number[node] =
                    birth > 0 && (number[node] == 0 || birth < number[node]) ? birth : number[node];
            }
        }
    }
}

/* ---- lanes ---- */

struct og_block_lanes {
    og_arena arena;
    og_block_costs costs;
    size_t levels;     /* budget + 2 */
    uint32_t *most;    /* [arm * levels + depth][costs] lanes in any layer */
    og_block_way *way; /* likewise */
    og_block_depth *lane;
    double *numbers;
    int32_t *places; /* all places of the current layer, cut into arrays */
    size_t lane_at, number_at, place_at;
};

/* Number of lanes of each cost that a level needs, [costs->count]. */
static void count_lanes(const og_arm *arm, int32_t level, const og_block_costs *costs,
                        uint32_t *lanes)
{
    memset(lanes, 0, (size_t)costs->count * sizeof *lanes);
    for (uint32_t x = arm->level[level]; x < arm->level[level + 1]; x++) {
        uint32_t own[OG_BLOCK_COSTS_MAX] = {0};
        uint32_t end = og_arm_first_action(arm, x + 1);
        for (uint32_t action = og_arm_first_action(arm, x); action < end; action++) {
            int32_t place = og_block_costs_place(costs, cost_of(arm, action));
            lanes[place] = ++own[place] > lanes[place] ? own[place] : lanes[place];
        }
    }
}

/* Totals over all levels: lanes, and classes in lanes. */
typedef struct {
    double lanes, cells;
} lane_sizes;

static lane_sizes sizes_of(const og_arms *arms, const og_block_costs *costs)
{
    lane_sizes sizes = {0, 0};
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        for (int32_t n = 0; n < arms->budget; n++) {
            uint32_t lanes[OG_BLOCK_COSTS_MAX];
            count_lanes(arm, n, costs, lanes);
            for (int32_t i = 0; i < costs->count; i++) {
                sizes.lanes += lanes[i];
                sizes.cells += (double)lanes[i] * (arm->level[n + 1] - arm->level[n]);
            }
        }
    }
    return sizes;
}

static double ways_of(const og_arms *arms, const og_block_costs *costs)
{
    return (double)arms->arm_count * (arms->budget + 2.0) * costs->count;
}

double og_block_lanes_bytes(const og_arms *arms, const og_block_costs *costs, int32_t outcomes)
{
    lane_sizes sizes = sizes_of(arms, costs);
    double nodes = arms->node_offset[arms->arm_count];
    return ways_of(arms, costs) * (sizeof(og_block_way) + sizeof(uint32_t)) +
           sizes.lanes * sizeof(og_block_depth) + sizes.cells * (8 + 12.0 * outcomes) +
           4 * nodes * costs->count;
}

og_status og_block_lanes_new(const og_block_classes *c, og_block_lanes **out)
{
    const og_arms *arms = c->arms;
    lane_sizes sizes = sizes_of(arms, &c->costs);
    size_t outcomes = (size_t)c->outcomes, cells = (size_t)sizes.cells;
    size_t ways = (size_t)ways_of(arms, &c->costs);
    og_block_lanes *lanes = og_arena_new(sizeof *lanes);
    OG_TRY(OG_ALLOCATED(lanes));
    og_arena *arena = &lanes->arena;
    lanes->costs = c->costs;
    lanes->levels = (size_t)arms->budget + 2;
    lanes->most = og_arena_array(arena, ways, sizeof *lanes->most);
    lanes->way = og_arena_array(arena, ways, sizeof *lanes->way);
    lanes->lane = og_arena_array(arena, (size_t)sizes.lanes, sizeof *lanes->lane);
    lanes->numbers = og_arena_array(arena, cells * (1 + outcomes), sizeof *lanes->numbers);
    lanes->places = og_arena_array(
        arena, cells * outcomes + (size_t)c->nodes * (size_t)c->costs.count, sizeof *lanes->places);
    og_status status = og_arena_status(arena);
    for (int32_t a = 0; status == OG_OK && a < arms->arm_count; a++) {
        for (int32_t n = 0; n < arms->budget; n++) {
            uint32_t most[OG_BLOCK_COSTS_MAX];
            size_t at = ((size_t)a * lanes->levels + (size_t)n) * (size_t)c->costs.count;
            count_lanes(arms->arm[a], n, &c->costs, most);
            for (int32_t i = 0; i < c->costs.count; i++) {
                lanes->most[at + (size_t)i] = most[i];
            }
        }
    }
    return OG_MADE(status, lanes, og_block_lanes_free, out);
}

void og_block_lanes_free(og_block_lanes *lanes)
{
    og_arena_free(lanes);
}

void og_block_lanes_begin(og_block_lanes *lanes)
{
    lanes->lane_at = lanes->number_at = lanes->place_at = 0;
}

static og_block_way *way_at(const og_block_lanes *lanes, int32_t arm, int32_t depth, int32_t place)
{
    size_t at = (size_t)arm * lanes->levels + (size_t)depth;
    return &lanes->way[at * (size_t)lanes->costs.count + (size_t)place];
}

const og_block_way *og_block_classes_way(const og_block_classes *c, int32_t arm, int32_t depth,
                                         int32_t place)
{
    return way_at(c->lanes, arm, depth, place);
}

/* The way of a depth, with empty lanes. */
static void begin_way(const og_block_classes *c, int32_t a, int32_t n, int32_t place,
                      const og_block_depth *d, const uint32_t *first)
{
    og_block_lanes *lanes = c->lanes;
    og_block_way *way = way_at(lanes, a, n, place);
    size_t at = (size_t)(way - lanes->way), count = (size_t)d->count;
    const int32_t *number = og_block_layer_below(c, c->costs.cost[place])->number;
    *way = (og_block_way){0, &lanes->lane[lanes->lane_at], &lanes->places[lanes->place_at], true};
    lanes->place_at += count;
    for (size_t i = 0; i < count; i++) {
        way->down[i] = number[first[i]];
        way->same = way->same && way->down[i] == (int32_t)i;
    }
    for (uint32_t k = 0; k < lanes->most[at]; k++) {
        og_block_depth *lane = &lanes->lane[lanes->lane_at++];
        *lane = (og_block_depth){.count = d->count,
                                 .live = d->live,
                                 .reward = &lanes->numbers[lanes->number_at],
                                 .probability = &lanes->numbers[lanes->number_at + count],
                                 .next = &lanes->places[lanes->place_at]};
        lanes->number_at += count * ((size_t)c->outcomes + 1);
        lanes->place_at += count * (size_t)c->outcomes;
        for (size_t i = 0; i < count; i++) {
            lane->reward[i] = -1;
        }
        memset(lane->probability, 0, count * (size_t)c->outcomes * sizeof *lane->probability);
        memset(lane->next, 0, count * (size_t)c->outcomes * sizeof *lane->next);
    }
}

/* Puts the actions of the class in the row into lanes, each into the next lane of its cost. */
static int32_t fill_lanes(const og_block_classes *c, int32_t a, int32_t n, int32_t class,
                          const outcome *row, int32_t length)
{
    int32_t used[OG_BLOCK_COSTS_MAX] = {0}, actions = 0;
    for (int32_t at = 0; at < length; actions++) {
        int32_t cost = header_cost(row[at].class), outcomes = header_outcomes(row[at].class);
        int32_t place = og_block_costs_place(&c->costs, cost);
        const int32_t *number = og_block_layer_below(c, cost)->number;
        og_block_way *way = way_at(c->lanes, a, n, place);
        const og_block_depth *lane = &way->lane[used[place]++];
        way->lanes = used[place] > way->lanes ? used[place] : way->lanes;
        lane->reward[class] = row[at++].probability;
        for (int32_t k = 0; k < outcomes; k++, at++) {
            size_t to = (size_t)k * (size_t)lane->count + (size_t) class;
            lane->probability[to] = row[at].probability;
            lane->next[to] = number[row[at].node];
        }
    }
    return actions;
}

void og_block_lanes_fill(og_block_classes *c, int32_t a, int32_t n, og_block_depth *d,
                         const uint32_t *first)
{
    for (int32_t place = 0; place < c->costs.count; place++) {
        if (c->costs.cost[place] <= c->left) {
            begin_way(c, a, n, place, d, first);
        }
    }
    d->forces = true;
    for (int32_t i = 0; i < d->live; i++) {
        double reward;
        uint32_t node = first[i] - c->arms->node_offset[a];
        int32_t length = og_block_actions_row(c, a, node, &reward);
        int32_t actions = fill_lanes(c, a, n, i, c->scratch, length);
        bool cheapest = header_cost(c->scratch[0].class) == c->costs.cost[0];
        d->forces = d->forces && actions == 1 && cheapest;
    }
    for (int32_t place = 0; place < c->costs.count; place++) {
        if (c->costs.cost[place] <= c->left && way_at(c->lanes, a, n, place)->lanes > 0) {
            d->costs |= UINT64_C(1) << place;
        }
    }
}
