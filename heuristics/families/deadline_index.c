/*
 * Computes the indices of each single instance state by state, successors first. For each state it
 * computes the value of the labels under way, and the additional gain of the instance as a function
 * of the price. This function is stored until all predecessors are done.
 */
#include "heuristics/families/deadline_index.h"

#include <math.h>
#include <stdlib.h>

#include "heuristics/families/polygon.h"

enum { TAKEN, NOT_TAKEN, WAYS_USED };

typedef struct {
    og_arena arena;
    const og_deadline_alone *alone;
    double *worth;       /* [count] of the labels under way */
    uint32_t *uses;      /* [count] number of unprocessed predecessors */
    og_polygon *polygon; /* [count] */
    double slack;
    double dearest; /* the largest expected gain of a label */
    uint64_t bytes, memory_bytes;
    og_stop *stop;
} maker;

static const og_polygon nothing = {0, NULL};

static double worth_at(const maker *m, uint32_t state)
{
    return state == OG_ALONE_END ? 0 : m->worth[state];
}

static const og_polygon *polygon_at(const maker *m, uint32_t state)
{
    return state == OG_ALONE_END ? &nothing : &m->polygon[state];
}

/* Number of ways that determine a state's function; turning a worker away never gains anything. */
static uint32_t ways_used(const og_alone_state *at)
{
    return at->worker ? WAYS_USED : at->end - at->first;
}

/* Expected gain of one more label, after those under way. */
static double reward_of(const maker *m, const og_alone_state *at)
{
    const og_alone_way *way = &m->alone->way[at->first];
    return fmax(0, worth_at(m, way[TAKEN].to) - worth_at(m, way[NOT_TAKEN].to));
}

static void find_worths(maker *m)
{
    const og_deadline_alone *alone = m->alone;
    for (uint32_t i = 0; i < alone->count; i++) {
        const og_alone_state *at = &alone->state[i];
        double sum = at->reward;
        for (uint32_t k = at->first; !at->worker && k < at->end; k++) {
            sum += alone->way[k].chance * worth_at(m, alone->way[k].to);
        }
        m->worth[i] = at->worker ? worth_at(m, alone->way[at->first + NOT_TAKEN].to) : sum;
        m->dearest = at->worker ? fmax(m->dearest, reward_of(m, at)) : m->dearest;
        for (uint32_t k = at->first; k < at->first + ways_used(at); k++) {
            if (alone->way[k].to != OG_ALONE_END) {
                m->uses[alone->way[k].to]++;
            }
        }
    }
}

static void forget(maker *m, uint32_t state)
{
    m->bytes -= m->polygon[state].count * sizeof(og_corner);
    free(m->polygon[state].corner);
    m->polygon[state] = nothing;
}

static bool make_state(maker *m, uint32_t i, double *index)
{
    const og_alone_state *at = &m->alone->state[i];
    const og_alone_way *way = &m->alone->way[at->first];
    og_polygon_draft d = {.count = 0};
    bool good = true;
    if (at->worker) {
        good = og_polygon_larger(m->slack, polygon_at(m, way[NOT_TAKEN].to),
                                 polygon_at(m, way[TAKEN].to), reward_of(m, at), &d, index);
    }
    for (uint32_t k = 0; good && !at->worker && k < at->end - at->first; k++) {
        good = og_polygon_add(m->slack, &d, 1, way[k].chance, polygon_at(m, way[k].to));
    }
    m->bytes += good ? d.count * sizeof *d.corner : 0;
    good = good && m->bytes <= m->memory_bytes && og_polygon_store(&d, &m->polygon[i]);
    free(d.corner);
    for (uint32_t k = 0; good && k < ways_used(at); k++) {
        if (way[k].to != OG_ALONE_END && --m->uses[way[k].to] == 0) {
            forget(m, way[k].to);
        }
    }
    return good;
}

static og_status refuse(uint64_t memory_bytes, og_message *message)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(message, OG_NO_MEMORY,
                          "its index up to the deadline does not fit the memory limit of %s",
                          og_bytes_format(memory_bytes, limit));
}

static og_status make_arm(maker *m, double *index)
{
    uint32_t count = m->alone->count;
    m->worth = og_arena_array(&m->arena, count, sizeof *m->worth);
    m->uses = og_arena_array(&m->arena, count, sizeof *m->uses);
    m->polygon = og_arena_array(&m->arena, count, sizeof *m->polygon);
    OG_TRY(og_arena_status(&m->arena));
    m->bytes += count * (sizeof *m->worth + sizeof *m->uses + sizeof *m->polygon);
    find_worths(m);
    m->slack = 1e-13 * m->dearest;
    bool good = m->bytes <= m->memory_bytes;
    for (uint32_t i = 0; good && i < count; i++) {
        good = !og_stop_asked(m->stop) && make_state(m, i, &index[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        free(m->polygon[i].corner);
    }
    OG_TRY(og_stop_status(m->stop));
    return good ? OG_OK : OG_NO_MEMORY;
}

/* Ranks the indices of all arms together with a first index 0, so that only indices of 0 have the
 * rank 0. */
static og_status make_ranks(og_deadline_index *deadline, double dearest)
{
    og_arena arena = {0};
    size_t count = 1, at = 1;
    for (int32_t a = 0; a < deadline->arms->arm_count; a++) {
        count += deadline->alone[a]->count;
    }
    double *index = og_arena_array(&arena, count, sizeof *index);
    uint32_t *rank = og_arena_array(&arena, count, sizeof *rank);
    og_status status = og_arena_status(&arena);
    for (int32_t a = 0; status == OG_OK && a < deadline->arms->arm_count; a++) {
        for (uint32_t i = 0; i < deadline->alone[a]->count; i++) {
            index[at++] = deadline->index[a][i];
        }
    }
    if (status == OG_OK &&
        !og_price_ranks(index, count, OG_DEADLINE_TIE * dearest, rank, &deadline->tolerance_ties)) {
        status = OG_NO_MEMORY;
    }
    at = 1;
    for (int32_t a = 0; status == OG_OK && a < deadline->arms->arm_count; a++) {
        for (uint32_t i = 0; i < deadline->alone[a]->count; i++) {
            deadline->rank[a][i] = rank[at++];
        }
    }
    og_arena_clear(&arena);
    return status;
}

static og_status fill_index(og_deadline_index *index, const og_deadline *deadline,
                            uint64_t memory_bytes, og_stop *stop, og_message *message)
{
    size_t arms = (size_t)index->arms->arm_count;
    double dearest = 0;
    uint64_t bytes = 0;
    index->alone = og_arena_array(&index->arena, arms, sizeof *index->alone);
    index->index = og_arena_array(&index->arena, arms, sizeof *index->index);
    index->rank = og_arena_array(&index->arena, arms, sizeof *index->rank);
    OG_TRY(og_arena_status(&index->arena));
    for (size_t a = 0; a < arms; a++) {
        OG_TRY(og_deadline_alone_new(index->arms->arm[a], deadline, memory_bytes - bytes, stop,
                                     &index->alone[a], message));
        size_t count = index->alone[a]->count;
        index->index[a] = og_arena_array(&index->arena, count, sizeof **index->index);
        index->rank[a] = og_arena_array(&index->arena, count, sizeof **index->rank);
        OG_TRY(og_arena_status(&index->arena));
        bytes += index->alone[a]->bytes + count * (sizeof **index->index + sizeof **index->rank);
        if (bytes > memory_bytes) {
            return refuse(memory_bytes, message);
        }
        maker m = {
            .alone = index->alone[a], .bytes = bytes, .memory_bytes = memory_bytes, .stop = stop};
        og_status status = make_arm(&m, index->index[a]);
        dearest = fmax(dearest, m.dearest);
        og_arena_clear(&m.arena);
        if (status != OG_OK) {
            return status == OG_STOPPED ? status : refuse(memory_bytes, message);
        }
    }
    return make_ranks(index, dearest);
}

og_status og_deadline_index_new(const og_arms *arms, const og_deadline *deadline,
                                const og_policy_use *use, og_deadline_index **out,
                                og_message *message)
{
    og_deadline_index *made = og_arena_new(sizeof *made);
    OG_TRY(OG_ALLOCATED(made));
    made->arms = arms;
    og_status status = fill_index(made, deadline, use->memory_bytes, use->stop, message);
    return OG_MADE(status, made, og_deadline_index_free, out);
}

void og_deadline_index_free(og_deadline_index *index)
{
    for (int32_t a = 0; index != NULL && index->alone != NULL && a < index->arms->arm_count; a++) {
        og_deadline_alone_free(index->alone[a]);
    }
    og_arena_free(index);
}

uint32_t og_deadline_index_rank(const og_deadline_index *index, int32_t arm, uint32_t node,
                                uint32_t under_way, const og_deadline_state *now)
{
    uint32_t state = og_deadline_alone_at(index->alone[arm], node, under_way, now);
    return state == OG_ALONE_END ? 0 : index->rank[arm][state];
}
