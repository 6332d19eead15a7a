/*
 * Computes the optimum a second way, with plain recursion over multisets of posteriors: no engine,
 * and no reduction except the order of instances.
 */
#include "bench/questions/verify_optimum.h"

#include <assert.h>

#include "dp/base/arena.h"

/* A state of the recursion. */
typedef struct {
    og_copies *list;
    int32_t count;
} frame;

struct og_verify_optimum {
    og_arena arena;
    const og_arms *arms;
    og_verify_limits limits;
    og_state_set *known; /* payload: the value */
    frame *frame;        /* [budget + 1] one for each number of labels left, built when needed */
    int32_t room;        /* most items of a frame */
    uint64_t frame_bytes;
    og_status status;
    og_copies *scratch; /* [room] */
};

enum { BUDGET_MOST = 10000 }; /* the recursion's depth */

void og_verify_optimum_free(og_verify_optimum *optimum)
{
    if (optimum != NULL) {
        og_state_set_free(optimum->known);
    }
    og_arena_free(optimum);
}

static bool frame_ready(og_verify_optimum *o, int32_t left)
{
    uint64_t bytes = (uint64_t)o->room * sizeof(og_copies);
    if (o->frame[left].list != NULL) {
        return true;
    }
    o->frame_bytes += bytes;
    if (o->frame_bytes > o->limits.memory_bytes) {
        o->status = OG_STOPPED;
        return false;
    }
    o->frame[left].list = og_arena_array(&o->arena, (size_t)o->room, sizeof(og_copies));
    o->status = og_arena_status(&o->arena);
    return o->status == OG_OK;
}

static double value_of_frame(og_verify_optimum *o, int32_t left);

/* Q of an item of the frame; overwrites the frame below. */
static double frame_q(og_verify_optimum *o, int32_t left, int32_t item)
{
    const frame *here = &o->frame[left];
    frame *below = &o->frame[left - 1];
    uint32_t member = here->list[item].member;
    int32_t number = og_arms_arm_of(o->arms, member);
    const og_arm *arm = o->arms->arm[number];
    uint32_t offset = o->arms->node_offset[number];
    uint32_t node = member - offset;
    double q = arm->reward[node];
    for (int32_t k = 0; k < arm->outcome_count && left > 1 && o->status == OG_OK; k++) {
        size_t at = (size_t)node * (size_t)arm->outcome_count + (size_t)k;
        below->count = og_multiset_replace(here->list, here->count, member, offset + arm->next[at],
                                           below->list);
        q += arm->probability[at] * value_of_frame(o, left - 1);
    }
    return q;
}

static double value_of_frame(og_verify_optimum *o, int32_t left)
{
    enum { SOME = 1024 };
    const frame *here = &o->frame[left];
    uint32_t entry;
    if (og_state_set_find(o->known, here->list, here->count, &entry)) {
        return *(double *)og_state_set_payload(o->known, entry);
    }
    double best = 0;
    if (!frame_ready(o, left - 1)) {
        return 0;
    }
    for (int32_t i = 0; i < here->count && o->status == OG_OK; i++) {
        double q = frame_q(o, left, i);
        best = q > best ? q : best;
    }
    bool added;
    uint32_t count = og_state_set_count(o->known);
    if (o->status == OG_OK &&
        (count >= o->limits.states_max || (count % SOME == 0 && og_stop_asked(o->limits.stop)))) {
        o->status = OG_STOPPED;
    }
    if (o->status == OG_OK) {
        o->status = og_state_set_put(o->known, here->list, here->count,
                                     o->limits.memory_bytes - o->frame_bytes, &entry, &added);
    }
    if (o->status == OG_OK) {
        *(double *)og_state_set_payload(o->known, entry) = best;
    }
    return best;
}

/* True if the states surely exceed the limit: one instance alone has left (left + 1) / 2 states. */
static bool clearly_too_large(int32_t budget, uint64_t states_max)
{
    return budget > BUDGET_MOST || (uint64_t)budget * ((uint64_t)budget + 1) / 2 > states_max;
}

og_status og_verify_optimum_new(const og_arms *arms, const og_copies *root, int32_t count,
                                const og_verify_limits *limits, og_verify_optimum **out,
                                uint64_t *visited)
{
    *visited = 0;
    if (clearly_too_large(arms->budget, limits->states_max)) {
        return OG_STOPPED;
    }
    og_verify_optimum *o = og_arena_new(sizeof *o);
    OG_TRY(OG_ALLOCATED(o));
    o->arms = arms;
    o->limits = *limits;
    o->room = count + arms->budget + 2; /* every label adds at most one item */
    o->frame = og_arena_array(&o->arena, (size_t)arms->budget + 1, sizeof *o->frame);
    o->scratch = og_arena_array(&o->arena, (size_t)o->room, sizeof *o->scratch);
    og_status status = og_arena_status(&o->arena);
    OG_THEN(status, og_state_set_new(sizeof(double), &o->known));
    if (status == OG_OK && !frame_ready(o, arms->budget)) {
        status = o->status;
    }
    if (status == OG_OK && arms->budget > 0) {
        frame *top = &o->frame[arms->budget];
        for (int32_t i = 0; i < count; i++) {
            top->list[i] = root[i];
        }
        top->count = count;
        value_of_frame(o, arms->budget);
        status = o->status;
        *visited = og_state_set_count(o->known);
    }
    return OG_MADE(status, o, og_verify_optimum_free, out);
}

double og_verify_optimum_q(const og_verify_optimum *o, const og_copies *list, int32_t count,
                           int32_t item, int32_t left)
{
    uint32_t member = list[item].member;
    int32_t number = og_arms_arm_of(o->arms, member);
    const og_arm *arm = o->arms->arm[number];
    uint32_t offset = o->arms->node_offset[number];
    uint32_t node = member - offset;
    double q = arm->reward[node];
    for (int32_t k = 0; k < arm->outcome_count && left > 1; k++) {
        size_t at = (size_t)node * (size_t)arm->outcome_count + (size_t)k;
        uint32_t entry = 0;
        int32_t next = og_multiset_replace(list, count, member, offset + arm->next[at], o->scratch);
        bool found = og_state_set_find(o->known, o->scratch, next, &entry);
        assert(found);
        q += found ? arm->probability[at] * *(double *)og_state_set_payload(o->known, entry) : 0;
    }
    return q;
}
