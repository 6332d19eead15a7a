/*
 * The optimum in fractions, for states where doubles cannot decide. Invariant: the value kept for a
 * state is the largest Q of all its actions, because each omitted action has a proved upper bound
 * below a proved lower bound of another.
 */
#include "bench/questions/verify_exact.h"

#include <math.h>
#include <string.h>

#include "dp/arm/exact_names.h"
#include "dp/base/arena.h"
#include "dp/base/grow.h"

/* A state of the recursion. */
typedef struct {
    og_copies *list; /* NULL until needed */
    double *q;       /* [room] in doubles */
    int32_t count;
    mpq_t best, sum, term;
} frame;

struct og_verify_exact {
    og_arena arena;
    const og_arms *arms;
    const og_verify_optimum *optimum;
    double error;
    og_verify_limits limits;
    og_exact_names *names;
    og_state_set *known; /* entry n has value[n] */
    mpq_t *value;
    size_t value_room, value_count;
    uint64_t value_bytes;
    frame *frame; /* [budget + 1] one for each number of labels left */
    int32_t room;
    uint64_t frame_bytes;
};

void og_verify_exact_free(og_verify_exact *x)
{
    if (x == NULL) {
        return;
    }
    for (size_t i = 0; i < x->value_count; i++) {
        mpq_clear(x->value[i]);
    }
    for (int32_t left = 0; x->frame != NULL && left <= x->arms->budget; left++) {
        if (x->frame[left].list != NULL) {
            mpq_clears(x->frame[left].best, x->frame[left].sum, x->frame[left].term, NULL);
        }
    }
    free(x->value);
    og_state_set_free(x->known);
    og_exact_names_free(x->names);
    og_arena_free(x);
}

static uint64_t bytes_left(const og_verify_exact *x)
{
    uint64_t held = x->frame_bytes + x->value_bytes + og_exact_names_bytes(x->names);
    return x->limits.memory_bytes > held ? x->limits.memory_bytes - held : 0;
}

static og_status frame_ready(og_verify_exact *x, int32_t left)
{
    frame *f = &x->frame[left];
    size_t room = (size_t)x->room;
    uint64_t bytes = room * (sizeof *f->list + sizeof *f->q);
    if (f->list != NULL) {
        return OG_OK;
    }
    if (bytes > bytes_left(x)) {
        return OG_STOPPED;
    }
    f->q = og_arena_array(&x->arena, room, sizeof *f->q);
    og_copies *list = og_arena_array(&x->arena, room, sizeof *list);
    OG_TRY(og_arena_status(&x->arena));
    f->list = list;
    x->frame_bytes += bytes;
    mpq_inits(f->best, f->sum, f->term, NULL);
    return OG_OK;
}

/* Store the frame's value; *entry is its number. */
static og_status keep(og_verify_exact *x, const frame *f, uint32_t *entry)
{
    bool added;
    if (og_state_set_count(x->known) >= x->limits.states_max || og_stop_asked(x->limits.stop)) {
        return OG_STOPPED;
    }
    mpq_t *grown = og_grown(x->value, &x->value_room, x->value_count + 1, sizeof *grown);
    OG_TRY(OG_ALLOCATED(grown));
    x->value = grown;
    OG_TRY(og_state_set_put(x->known, f->list, f->count, bytes_left(x), entry, &added));
    mpq_init(grown[x->value_count]);
    mpq_set(grown[x->value_count], f->best);
    x->value_count++;
    x->value_bytes +=
        2 * sizeof *grown + 32 +
        sizeof(mp_limb_t) * (mpz_size(mpq_numref(f->best)) + mpz_size(mpq_denref(f->best)));
    return OG_OK;
}

static og_status value_of_frame(og_verify_exact *x, int32_t left, uint32_t *entry);

/* Compute Q of an item of the frame in its `sum`; overwrites the frames below. */
static og_status frame_q(og_verify_exact *x, int32_t left, int32_t item)
{
    frame *here = &x->frame[left], *below = &x->frame[left - 1];
    uint32_t member = here->list[item].member;
    int32_t number = og_arms_arm_of(x->arms, member);
    const og_arm *arm = x->arms->arm[number];
    uint32_t offset = x->arms->node_offset[number];
    uint32_t node = member - offset;
    const og_exact_names *names = x->names;
    mpq_set(here->sum, names->reward.value[names->reward_of[number][node]]);
    OG_TRY(frame_ready(x, left - 1));
    for (int32_t k = 0; k < arm->outcome_count && left > 1; k++) {
        size_t at = (size_t)node * (size_t)arm->outcome_count + (size_t)k;
        uint32_t entry = 0;
        below->count = og_multiset_replace(here->list, here->count, member, offset + arm->next[at],
                                           below->list);
        OG_TRY(value_of_frame(x, left - 1, &entry));
        mpq_mul(here->term, names->probability.value[names->probability_of[number][at]],
                x->value[entry]);
        mpq_add(here->sum, here->sum, here->term);
    }
    return OG_OK;
}

static og_status value_of_frame(og_verify_exact *x, int32_t left, uint32_t *entry)
{
    frame *f = &x->frame[left];
    double proved = 0;
    if (og_state_set_find(x->known, f->list, f->count, entry)) {
        return OG_OK;
    }
    for (int32_t i = 0; i < f->count; i++) {
        f->q[i] = og_verify_optimum_q(x->optimum, f->list, f->count, i, left);
        proved = fmax(proved, f->q[i] * (1 - x->error));
    }
    mpq_set_ui(f->best, 0, 1);
    for (int32_t i = 0; i < f->count; i++) {
        if (f->q[i] * (1 + x->error) < proved) {
            continue;
        }
        OG_TRY(frame_q(x, left, i));
        if (mpq_cmp(f->sum, f->best) > 0) {
            mpq_swap(f->sum, f->best);
        }
    }
    return keep(x, f, entry);
}

og_status og_verify_exact_q(og_verify_exact *x, const og_copies *list, int32_t count, int32_t item,
                            int32_t left, mpq_t q)
{
    OG_TRY(frame_ready(x, left));
    frame *f = &x->frame[left];
    memcpy(f->list, list, (size_t)count * sizeof *list);
    f->count = count;
    OG_TRY(frame_q(x, left, item));
    mpq_set(q, f->sum);
    return OG_OK;
}

og_status og_verify_exact_new(const og_arms *arms, const og_verify_optimum *optimum, double error,
                              const og_verify_limits *limits, og_verify_exact **out)
{
    if (og_exact_check(arms, NULL) != OG_OK) {
        return OG_STOPPED;
    }
    og_verify_exact *x = og_arena_new(sizeof *x);
    OG_TRY(OG_ALLOCATED(x));
    x->arms = arms;
    x->optimum = optimum;
    x->error = error;
    x->limits = *limits;
    x->frame = og_arena_array(&x->arena, (size_t)arms->budget + 1, sizeof *x->frame);
    int64_t most = og_arms_instances(arms);
    int64_t room = (int64_t)arms->arm_count + arms->budget;
    x->room = (int32_t)(most < room ? most : room) + 2; /* every label adds at most one item */
    og_status status = og_arena_status(&x->arena);
    OG_THEN(status, og_exact_names_new(arms, limits->memory_bytes, limits->stop, &x->names, NULL));
    OG_THEN(status, og_state_set_new(8, &x->known));
    return OG_MADE(status, x, og_verify_exact_free, out);
}
