/*
 * The arm of a table of nodes, unrolled: the nodes of a level are those of the table that as many
 * labels can reach, in the order in which they are first reached. So every level is new, loops of
 * the table end, and a node has the same number whatever the depth. Numbers are exact fractions of
 * the table, each rounded once.
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "dp/arm/arm_builder.h"
#include "dp/base/rational.h"

typedef struct {
    og_arena arena;
    const og_node_table *table; /* held */
    uint32_t *node;             /* [node_count] of the table */
    double *gain;               /* [outcomes of the table] to the nearest double */
} unrolled;

static const unrolled *own(const og_arm *arm)
{
    return arm->own;
}

/* ---- levels ---- */

/* The table's nodes of one level after the other. */
typedef struct {
    const og_node_table *table;
    uint32_t *node, *next; /* [node_count of the table] the level and the one after it */
    uint32_t *place;       /* [...] its place in the latest level that has it */
    int32_t *level;        /* [...] 1 + that level */
    uint32_t count, next_count;
    int32_t now;
} walk;

static void walk_clear(walk *w)
{
    free(w->node);
    free(w->next);
    free(w->place);
    free(w->level);
}

/* At the group's root. */
static og_status walk_init(walk *w, const og_group *group)
{
    const og_node_table *table = group->nodes;
    size_t nodes = table->node_count;
    *w = (walk){.table = table,
                .node = calloc(nodes, sizeof *w->node),
                .next = calloc(nodes, sizeof *w->next),
                .place = calloc(nodes, sizeof *w->place),
                .level = calloc(nodes, sizeof *w->level),
                .count = 1};
    if (w->node == NULL || w->next == NULL || w->place == NULL || w->level == NULL) {
        walk_clear(w);
        return OG_NO_MEMORY;
    }
    w->node[0] = group->root;
    w->level[group->root] = 1;
    return OG_OK;
}

/* The place of a node in the next level. */
static uint32_t reach(walk *w, uint32_t node)
{
    if (w->level[node] != w->now + 2) {
        w->level[node] = w->now + 2;
        w->place[node] = w->next_count;
        w->next[w->next_count++] = node;
    }
    return w->place[node];
}

/* Goes to the next level, which is complete. */
static void walk_on(walk *w)
{
    uint32_t *node = w->node;
    w->node = w->next;
    w->next = node;
    w->count = w->next_count;
    w->next_count = 0;
    w->now++;
}

/* The outcomes of a node; one that stays has none. */
static uint32_t first_of(const og_node_table *table, uint32_t node)
{
    return table->first[node];
}

static uint32_t count_of(const og_node_table *table, uint32_t node)
{
    return table->first[node + 1] - table->first[node];
}

/* Looks once in a thousand nodes. */
static bool stop_asked(og_stop *stop, uint32_t i)
{
    return (i & 1023) == 0 && og_stop_asked(stop);
}

/* Reaches all nodes after those of this level. */
static og_status reach_all(walk *w, og_stop *stop)
{
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t node = w->node[i], first = first_of(w->table, node);
        uint32_t count = count_of(w->table, node);
        if (stop_asked(stop, i)) {
            return OG_STOPPED;
        }
        for (uint32_t k = 0; k < count; k++) {
            reach(w, w->table->next[first + k]);
        }
        if (count == 0) {
            reach(w, node);
        }
    }
    return OG_OK;
}

/* A level that is kept, to see when its nodes come again. */
typedef struct {
    int32_t *kept;   /* [node_count of the table] 1 + the last kept level that has the node */
    int32_t level;   /* the last one */
    uint32_t count;  /* of its nodes */
    uint64_t before; /* nodes of the levels before it */
} keeper;

static void keep(keeper *k, const walk *w, uint64_t before)
{
    k->level = w->now;
    k->count = w->count;
    k->before = before;
    for (uint32_t i = 0; i < w->count; i++) {
        k->kept[w->node[i]] = w->now + 1;
    }
}

static bool is_kept(const keeper *k, const walk *w)
{
    bool same = w->count == k->count;
    for (uint32_t i = 0; same && i < w->count; i++) {
        same = k->kept[w->node[i]] == k->level + 1;
    }
    return same;
}

/*
 * The nodes of the first `depth` levels, or some number above `most` if they are more; and those of
 * one level more. Levels repeat once a level has the nodes of an earlier one. Brent's method finds
 * that: the level kept is the last whose number is a power of two.
 */
static og_status count_levels(const og_group *plain, int32_t depth, uint64_t most, og_stop *stop,
                              uint64_t *labelled, uint64_t *all)
{
    walk w;
    keeper k = {.kept = calloc(plain->nodes->node_count, sizeof *k.kept)};
    og_status status = OG_ALLOCATED(k.kept);
    if (status != OG_OK || walk_init(&w, plain) != OG_OK) {
        free(k.kept);
        return OG_NO_MEMORY;
    }
    uint64_t nodes = 0;
    bool repeats = false;
    keep(&k, &w, 0);
    for (int32_t n = 0; status == OG_OK && n < depth && nodes <= most; n++) {
        nodes += w.count;
        status = reach_all(&w, stop);
        walk_on(&w);
        if (!repeats && is_kept(&k, &w)) {
            int32_t period = w.now - k.level, times = (depth - n - 1) / period;
            nodes += (uint64_t)times * (nodes - k.before);
            n += times * period;
            repeats = true;
        } else if (!repeats && (w.now & (w.now - 1)) == 0) {
            keep(&k, &w, nodes);
        }
    }
    *labelled = nodes;
    *all = nodes + w.count;
    walk_clear(&w);
    free(k.kept);
    return status;
}

static og_status size_of(const og_group *plain, int32_t depth, const og_settings *settings,
                         og_arm_size *out)
{
    const og_node_table *table = plain->nodes;
    const uint64_t each =
        sizeof(double) + table->outcome_most * (sizeof(double) + sizeof(uint32_t));
    const uint64_t fits = settings->memory_bytes / each;
    uint64_t labelled;
    OG_TRY(count_levels(plain, depth, fits < UINT32_MAX ? fits : UINT32_MAX, og_stop_of(settings),
                        &labelled, &out->nodes));
    out->bytes = sizeof(og_arm) + sizeof(unrolled) + ((uint64_t)depth + 2) * sizeof(uint32_t) +
                 labelled * each + out->nodes * sizeof(uint32_t) +
                 (2 * (uint64_t)table->first[table->node_count] + 4 * (uint64_t)table->node_count) *
                     sizeof(double);
    out->bytes = out->nodes > UINT32_MAX ? UINT64_MAX : out->bytes;
    return OG_OK;
}

/* ---- building ---- */

/* Numbers of the table as doubles, while the arm is built. */
typedef struct {
    double *reward;      /* [node_count of the table] with the bonus; NAN: not yet known */
    double *probability; /* [outcomes of the table] */
} rounded;

/* A number that keeps its relative error as a double: 0, or at least the smallest normal one. */
static bool is_normal(const mpq_t exact, double value)
{
    return mpq_sgn(exact) == 0 || fabs(value) >= DBL_MIN;
}

/* The reward of a label at a node of the table, with the bonus; the rewards of nodes that no label
 * meets are never needed. */
static og_status find_reward(const og_group *plain, uint32_t node, double *out)
{
    mpq_t reward, bonus;
    mpq_inits(reward, bonus, NULL);
    og_fraction_get_mpq(bonus, og_group_bonus(plain));
    mpq_add(reward, plain->nodes->gain[node], bonus);
    assert(mpq_sgn(reward) >= 0);
    *out = og_nearest(reward);
    bool normal = is_normal(reward, *out);
    mpq_clears(reward, bonus, NULL);
    return normal ? OG_OK : OG_FAILED;
}

static og_status round_numbers(const og_node_table *table, og_arena *scratch, unrolled *kept,
                               rounded *out)
{
    size_t outcomes = table->first[table->node_count];
    mpq_t gain;
    kept->gain = og_arena_array(&kept->arena, outcomes, sizeof *kept->gain);
    out->reward = og_arena_array(scratch, table->node_count, sizeof *out->reward);
    out->probability = og_arena_array(scratch, outcomes, sizeof *out->probability);
    if (kept->arena.failed || scratch->failed) {
        return OG_NO_MEMORY;
    }
    bool normal = true;
    mpq_init(gain);
    for (uint32_t i = 0; i < table->node_count; i++) {
        out->reward[i] = NAN;
        for (uint32_t k = table->first[i]; k < table->first[i + 1]; k++) {
            og_node_table_gain(table, i, k, gain);
            kept->gain[k] = og_nearest(gain);
            out->probability[k] = og_nearest(table->probability[k]);
            normal = normal && is_normal(table->probability[k], out->probability[k]);
        }
    }
    mpq_clear(gain);
    return normal ? OG_OK : OG_FAILED;
}

/* The labels of one node of the level; `at` is its number. */
static og_status unroll_node(const og_group *plain, const rounded *numbers, walk *w, uint32_t node,
                             uint32_t at, og_arm *arm)
{
    const og_node_table *table = plain->nodes;
    uint32_t first = first_of(table, node), count = count_of(table, node);
    uint32_t below = arm->level[w->now + 1];
    size_t to = (size_t)at * (size_t)arm->outcome_count;
    double *probability = (double *)arm->probability + to, *reward = (double *)arm->reward + at;
    uint32_t *next = (uint32_t *)arm->next + to;
    if (isnan(numbers->reward[node])) {
        OG_TRY(find_reward(plain, node, &numbers->reward[node]));
    }
    *reward = numbers->reward[node];
    for (uint32_t k = 0; k < count; k++) {
        probability[k] = numbers->probability[first + k];
        next[k] = below + reach(w, table->next[first + k]);
    }
    if (count == 0) {
        probability[0] = 1;
        next[0] = below + reach(w, node);
    }
    for (uint32_t k = count == 0 ? 1 : count; k < (uint32_t)arm->outcome_count; k++) {
        next[k] = next[0]; /* impossible outcomes */
    }
    return OG_OK;
}

static og_status unroll(const og_group *plain, const rounded *numbers, og_stop *stop, og_arm *arm)
{
    walk w;
    uint32_t *level = (uint32_t *)arm->level, *name = own(arm)->node;
    OG_TRY(walk_init(&w, plain));
    og_status status = OG_OK;
    for (int32_t n = 0; status == OG_OK && n <= arm->depth; n++) {
        level[n + 1] = level[n] + w.count;
        for (uint32_t i = 0; status == OG_OK && i < w.count; i++) {
            name[level[n] + i] = w.node[i];
            status = stop_asked(stop, i) ? OG_STOPPED : OG_OK;
            if (status == OG_OK && n < arm->depth) {
                status = unroll_node(plain, numbers, &w, w.node[i], level[n] + i, arm);
            }
        }
        walk_on(&w);
    }
    walk_clear(&w);
    return status;
}

static og_status build(const og_group *plain, og_stop *stop, og_arm *arm)
{
    const og_node_table *table = plain->nodes;
    og_arena scratch = {0};
    rounded numbers;
    uint64_t labelled, all;
    OG_TRY(count_levels(plain, arm->depth, UINT32_MAX, stop, &labelled, &all));
    unrolled *kept = og_arena_new(sizeof *kept);
    OG_TRY(OG_ALLOCATED(kept));
    arm->own = kept;
    kept->table = og_node_table_hold(table);
    kept->node = og_arena_array(&kept->arena, arm->node_count, sizeof *kept->node);
    arm->outcome_count = (int32_t)table->outcome_most;
    size_t outcomes = (size_t)labelled * table->outcome_most;
    arm->level = og_arena_array(&arm->arena, (size_t)arm->depth + 2, sizeof *arm->level);
    arm->reward = og_arena_array(&arm->arena, labelled, sizeof *arm->reward);
    arm->probability = og_arena_array(&arm->arena, outcomes, sizeof *arm->probability);
    arm->next = og_arena_array(&arm->arena, outcomes, sizeof *arm->next);
    arm->rational = true;
    arm->call = og_nearest(table->value[plain->root]);
    arm->call_error = arm->reward_error = arm->probability_error = DBL_EPSILON / 2;
    og_status status = kept->arena.failed ? OG_NO_MEMORY : og_arena_status(&arm->arena);
    OG_THEN(status, round_numbers(table, &scratch, kept, &numbers));
    OG_THEN(status, unroll(plain, &numbers, stop, arm));
    og_arena_clear(&scratch);
    return status;
}

static void free_unrolled(void *object)
{
    unrolled *kept = object;
    og_node_table_release(kept->table);
    og_arena_free(kept);
}

/* ---- asked later ---- */

/* The table's outcome of a node's label; false if it is impossible, or the node stays. */
static bool find_outcome(const og_arm *arm, uint32_t node, int32_t outcome, uint32_t *out)
{
    const og_node_table *table = own(arm)->table;
    uint32_t at = own(arm)->node[node];
    *out = first_of(table, at) + (uint32_t)outcome;
    return (uint32_t)outcome < count_of(table, at);
}

static og_status gains(const og_arm *arm, og_stop *stop, double *gain, double *error)
{
    uint32_t k;
    for (uint32_t node = 0; node < arm->level[arm->depth]; node++) {
        if (stop_asked(stop, node)) {
            return OG_STOPPED;
        }
        for (int32_t outcome = 0; outcome < arm->outcome_count; outcome++) {
            *gain++ = find_outcome(arm, node, outcome, &k) ? own(arm)->gain[k] : 0;
        }
    }
    *error = DBL_EPSILON / 2;
    return OG_OK;
}

static void exact_value(const og_arm *arm, uint32_t node, mpq_t out)
{
    mpq_set(out, own(arm)->table->value[own(arm)->node[node]]);
}

static void exact_call(const og_arm *arm, mpq_t out)
{
    exact_value(arm, 0, out);
}

static void exact_reward(const og_arm *arm, uint32_t node, mpq_t out)
{
    mpq_set(out, own(arm)->table->gain[own(arm)->node[node]]);
}

static void exact_probability(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    uint32_t k;
    if (find_outcome(arm, node, outcome, &k)) {
        mpq_set(out, own(arm)->table->probability[k]);
    } else { /* a node that stays has one outcome */
        mpq_set_ui(out, count_of(own(arm)->table, own(arm)->node[node]) == 0 && outcome == 0, 1);
    }
}

static void exact_gain(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    uint32_t k;
    mpq_set_ui(out, 0, 1);
    if (find_outcome(arm, node, outcome, &k)) {
        og_node_table_gain(own(arm)->table, own(arm)->node[node], k, out);
    }
}

const og_arm_builder og_arm_nodes = {
    .rounds_bonus = true,
    .size = size_of,
    .build = build,
    .free = free_unrolled,
    .gains = gains,
    .exact_call = exact_call,
    .exact_reward = exact_reward,
    .exact_probability = exact_probability,
    .exact_gain = exact_gain,
    .exact_value = exact_value,
};

const og_node_table *og_arm_table(const og_arm *arm)
{
    return arm->builder == &og_arm_nodes ? own(arm)->table : NULL;
}

uint32_t og_arm_table_node(const og_arm *arm, uint32_t node)
{
    return own(arm)->node[node];
}

uint32_t og_arm_alike(const og_arm *arm, uint32_t node)
{
    return og_arm_table(arm) != NULL ? own(arm)->node[node] : node;
}

const char *og_arm_node_name(const og_arm *arm, uint32_t node)
{
    return og_arm_table(arm) != NULL ? own(arm)->table->node[own(arm)->node[node]] : NULL;
}

const char *og_arm_outcome_name(const og_arm *arm, uint32_t node, int32_t outcome)
{
    uint32_t k;
    return og_arm_table(arm) == NULL              ? NULL
           : find_outcome(arm, node, outcome, &k) ? own(arm)->table->outcome[k]
                                                  : "no more";
}

/* By breadth first search: fewer labels than `depth` reach a node if the shortest way has fewer. */
og_status og_group_least_reward(const og_group *group, int32_t depth, og_stop *stop, mpq_t least,
                                const char **node)
{
    const og_node_table *table = group->nodes;
    walk w; /* its levels leave out nodes of earlier ones */
    og_status status = OG_OK;
    OG_TRY(walk_init(&w, group));
    for (; status == OG_OK && w.count > 0 && w.now < depth; walk_on(&w)) {
        for (uint32_t i = 0; status == OG_OK && i < w.count; i++) {
            uint32_t at = w.node[i];
            status = stop_asked(stop, i) ? OG_STOPPED : OG_OK;
            if (mpq_cmp(table->gain[at], least) < 0) {
                mpq_set(least, table->gain[at]);
                *node = table->node[at];
            }
            for (uint32_t k = table->first[at]; k < table->first[at + 1]; k++) {
                if (w.level[table->next[k]] == 0) {
                    reach(&w, table->next[k]);
                }
            }
        }
    }
    walk_clear(&w);
    return status;
}
