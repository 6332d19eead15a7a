/*
 * The states of one instance, by depth-first search: a state is numbered after all that follow it.
 * The states still to be numbered are a stack of keys; each stays there until all its successors
 * are known, and is expanded twice.
 */
#include "dp/families/deadline_alone.h"

#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"
#include "dp/engine/memo.h"
#include "dp/families/deadline_items.h"

enum { KEY_WORDS = 3, SLOTS_FIRST = 1024, LOOK_STATES = 256 };

typedef struct {
    uint64_t word[KEY_WORDS]; /* zeros after the last */
} key;

struct og_alone_table {
    key *keys;      /* [count] by state */
    size_t room;    /* of keys */
    uint32_t *slot; /* [slots] a state, or OG_ALONE_END */
    size_t slots;   /* a power of two */
};

typedef struct {
    og_deadline_alone *out;
    og_model model;
    og_expansion x;
    key *stack;
    size_t stack_count, stack_room;
    uint64_t memory_bytes;
    og_stop *stop;
} search;

/* ---- states by their keys ---- */

static size_t slot_of(const struct og_alone_table *t, const key *k)
{
    return og_memo_hash(k->word, KEY_WORDS) & (t->slots - 1);
}

static uint32_t find(const struct og_alone_table *t, const key *k)
{
    if (t->slots == 0) {
        return OG_ALONE_END;
    }
    size_t i = slot_of(t, k);
    while (t->slot[i] != OG_ALONE_END && memcmp(&t->keys[t->slot[i]], k, sizeof *k) != 0) {
        i = (i + 1) & (t->slots - 1);
    }
    return t->slot[i];
}

static void enter(struct og_alone_table *t, uint32_t state)
{
    size_t i = slot_of(t, &t->keys[state]);
    while (t->slot[i] != OG_ALONE_END) {
        i = (i + 1) & (t->slots - 1);
    }
    t->slot[i] = state;
}

static bool grow_slots(struct og_alone_table *t, uint32_t count)
{
    size_t slots = t->slots == 0 ? SLOTS_FIRST : 2 * t->slots;
    uint32_t *slot = malloc(slots * sizeof *slot);
    if (slot == NULL) {
        return false;
    }
    free(t->slot);
    t->slot = slot;
    t->slots = slots;
    memset(slot, 0xff, slots * sizeof *slot);
    for (uint32_t i = 0; i < count; i++) {
        enter(t, i);
    }
    return true;
}

/* ---- the search ---- */

static og_status refuse(const search *s, og_message *message)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(message, OG_NO_MEMORY,
                          "the states of one instance up to the deadline do not fit the memory "
                          "limit of %s",
                          og_bytes_format(s->memory_bytes, limit));
}

/* The state after an outcome; *known false: it was put on the stack. */
static og_status follow(search *s, const og_outcome *outcome, uint32_t *to, bool *known)
{
    key next = {{0}};
    double value;
    int32_t words = s->model.successor(s->model.self, &s->x, outcome, next.word, &value);
    *known = true;
    *to = OG_ALONE_END;
    if (words == 0) {
        return OG_OK;
    }
    *to = find(s->out->table, &next);
    if (*to != OG_ALONE_END) {
        return OG_OK;
    }
    key *grown = og_grown(s->stack, &s->stack_room, s->stack_count + 1, sizeof *grown);
    OG_TRY(OG_ALLOCATED(grown));
    s->stack = grown;
    s->stack[s->stack_count++] = next;
    *known = false;
    return OG_OK;
}

/* Makes room for a state and its ways, and counts it. */
static og_status make_room(search *s, size_t ways)
{
    og_deadline_alone *out = s->out;
    struct og_alone_table *t = out->table;
    og_alone_state *state =
        og_grown(out->state, &out->state_room, (size_t)out->count + 1, sizeof *state);
    OG_TRY(OG_ALLOCATED(state));
    out->state = state;
    if (out->way_count + ways > UINT32_MAX) { /* their numbers have 32 bits */
        return OG_NO_MEMORY;
    }
    og_alone_way *way = og_grown(out->way, &out->way_room, out->way_count + ways, sizeof *way);
    OG_TRY(OG_ALLOCATED(way));
    out->way = way;
    key *keys = og_grown(t->keys, &t->room, (size_t)out->count + 1, sizeof *keys);
    OG_TRY(OG_ALLOCATED(keys));
    t->keys = keys;
    if (2 * ((size_t)out->count + 1) > t->slots && !grow_slots(t, out->count)) {
        return OG_NO_MEMORY;
    }
    return OG_OK;
}

static uint64_t bytes_of(const search *s)
{
    const og_deadline_alone *out = s->out;
    return out->state_room * sizeof *out->state + out->way_room * sizeof *out->way +
           out->table->room * sizeof(key) + out->table->slots * sizeof(uint32_t) +
           s->stack_room * sizeof(key) + out->classes->bytes;
}

/* Handles the state on top of the stack: numbers it, or puts its successors above it. */
static og_status look(search *s)
{
    og_deadline_alone *out = s->out;
    const key top = s->stack[s->stack_count - 1];
    if (find(out->table, &top) != OG_ALONE_END) { /* it was put there twice */
        s->stack_count--;
        return OG_OK;
    }
    int32_t words = 1 + (top.word[1] != 0) + (top.word[2] != 0);
    OG_TRY(s->model.expand(s->model.self, top.word, words, &s->x));
    bool worker = s->x.combine == OG_COMBINE_MAX, all = true;
    size_t ways = 0;
    for (int32_t a = 0; a < s->x.action_count; a++) {
        ways += (size_t)s->x.action[a].outcome_count;
    }
    OG_TRY(make_room(s, ways));
    uint32_t first = out->way_count;
    for (size_t k = 0; k < ways; k++) {
        bool known;
        og_alone_way *way = &out->way[first + k];
        way->chance = s->x.outcome[k].probability;
        OG_TRY(follow(s, &s->x.outcome[k], &way->to, &known));
        all = all && known;
    }
    if (all) {
        out->table->keys[out->count] = top;
        og_alone_state state = {.worker = worker,
                                .first = first,
                                .end = first + (uint32_t)ways,
                                .reward = s->x.action[0].reward};
        if (worker) {
            const og_deadline_state *now = s->model.state(s->model.self, &s->x, NULL);
            state.slots = (uint16_t)now->slots;
            state.come = (uint16_t)now->come;
            state.left = now->left;
        }
        out->state[out->count] = state;
        enter(out->table, out->count);
        out->count++;
        out->way_count = first + (uint32_t)ways;
        s->stack_count--;
    }
    return OG_OK;
}

static og_status run(search *s, og_message *message)
{
    key root = {{0}};
    double value;
    int32_t words = s->model.root(s->model.self, &s->x, NULL, root.word, &value);
    s->out->root = OG_ALONE_END;
    if (words == 0) {
        return OG_OK;
    }
    s->stack = og_grown(s->stack, &s->stack_room, 1, sizeof *s->stack);
    OG_TRY(OG_ALLOCATED(s->stack));
    s->stack[s->stack_count++] = root;
    while (s->stack_count > 0) {
        if (s->out->count % LOOK_STATES == 0 && og_stop_asked(s->stop)) {
            return og_stop_building(message);
        }
        OG_TRY(look(s));
        if (bytes_of(s) > s->memory_bytes || s->out->count == OG_ALONE_END - 1) {
            return refuse(s, message);
        }
    }
    s->out->root = find(s->out->table, &root);
    return OG_OK;
}

static og_status make_alone(og_deadline_alone *out, uint64_t memory_bytes, og_stop *stop,
                            og_message *message)
{
    og_arm *the_arm = (og_arm *)out->arm; /* og_arms owns the arms that it lists; this one owns
                                           * nothing */
    uint32_t offset[2] = {0, out->arm->node_count};
    int32_t group_arm = 0;
    int64_t one = 1;
    og_arms arms = {.budget = out->arm->depth,
                    .arm_count = 1,
                    .arm = &the_arm,
                    .node_offset = offset,
                    .group_count = 1,
                    .arm_of_group = &group_arm,
                    .group_size = &one};
    const og_value_asked question = {.reductions = OG_REDUCE_ALL, .stop = stop};
    search s = {.out = out, .memory_bytes = memory_bytes, .stop = stop};
    out->table = og_arena_array(&out->arena, 1, sizeof *out->table);
    OG_TRY(og_arena_status(&out->arena));
    OG_TRY(og_classes_new(
        &arms, &(og_layers_use){.merge = true, .memory_bytes = memory_bytes, .stop = stop},
        &out->classes, message));
    OG_TRY(og_deadline_model(&arms, &out->deadline, &question, memory_bytes, &s.model, message));
    og_status status = s.model.expansion_new(s.model.self, &s.x);
    if (status == OG_OK) {
        status = run(&s, message);
        s.model.expansion_free(&s.x);
    }
    free(s.stack);
    og_model_free(&s.model);
    out->bytes = status == OG_OK ? bytes_of(&s) : 0;
    return status;
}

og_status og_deadline_alone_new(const og_arm *arm, const og_deadline *deadline,
                                uint64_t memory_bytes, og_stop *stop, og_deadline_alone **out,
                                og_message *message)
{
    og_deadline_alone *made = og_arena_new(sizeof *made);
    OG_TRY(OG_ALLOCATED(made));
    made->arm = arm;
    made->deadline = *deadline;
    made->deadline.counted_away = true;
    og_status status = make_alone(made, memory_bytes, stop, message);
    return OG_MADE(status, made, og_deadline_alone_free, out);
}

void og_deadline_alone_free(og_deadline_alone *alone)
{
    if (alone != NULL) {
        if (alone->table != NULL) {
            free(alone->table->keys);
            free(alone->table->slot);
        }
        free(alone->state);
        free(alone->way);
        og_classes_free(alone->classes);
    }
    og_arena_free(alone);
}

uint32_t og_deadline_alone_at(const og_deadline_alone *alone, uint32_t node, uint32_t under_way,
                              const og_deadline_state *now)
{
    const form f = form_of(&alone->deadline, alone->arm->depth);
    const uint32_t class =
        og_classes_of(alone->classes, now->left + labels_in(&f, under_way), 0, node);
    if (class == 0) { /* dead */
        return OG_ALONE_END;
    }
    const moment at = {now->slots, now->left, OG_DEADLINE_WORKER, now->come};
    uint64_t word[WORDS] = {under_way, og_item(class, 1)};
    key k = {{0}};
    write_key(&f, &(og_items){.count = 1, .word = word}, &at, k.word);
    return find(alone->table, &k);
}
