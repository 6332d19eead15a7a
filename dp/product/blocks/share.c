/*
 * Assigns types to ranks and sends blocks to the ranks that read them.
 *
 * Invariant: before a layer, one rank sends another the blocks that it owns and the other reads,
 * first of the layer below, then of the one below that, in the order of their types. Both sides
 * derive these from the plan.
 */
#include "dp/product/blocks/share.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/bits.h"
#include "dp/product/blocks/label.h"
#include "dp/product/blocks/made.h"

/* ---- owners ---- */

typedef struct {
    uint64_t key;
    uint32_t type;
} place;

static uint32_t types_of(const og_block_plan *plan, int32_t left)
{
    return left < 1 ? 0 : og_state_set_count(plan->layer[left].set);
}

static uint64_t states_of(const og_block_plan *plan, int32_t left, uint32_t type)
{
    uint64_t end = type + 1 < types_of(plan, left) ? og_block_at(plan, left, type + 1)
                                                   : plan->layer[left].states;
    return end - og_block_at(plan, left, type);
}

/* A sort key from the depths and slots of the deepest instances, so that the deepest come first. */
static uint64_t key_of(const og_block_plan *plan, const og_block_slots *slots, int32_t left,
                       uint32_t type)
{
    enum { DEPTHS = 4, DEPTH_MOST = (1 << 12) - 1, SLOT_MOST = (1 << 4) - 1 };
    int32_t deepest[DEPTHS] = {0}, count;
    const og_copies *list = og_state_set_at(plan->layer[left].set, type, &count);
    for (int32_t i = 0; i < count; i++) {
        int32_t depth = og_block_depth_of(slots, list[i].member);
        int32_t slot = og_block_slot_of(slots, list[i].member);
        int32_t number = (depth < DEPTH_MOST ? depth : DEPTH_MOST) * (SLOT_MOST + 1) +
                         (slot < SLOT_MOST ? slot : SLOT_MOST);
        uint32_t copies = list[i].copies;
        for (int32_t k = 0; k < DEPTHS && copies > 0; k++) {
            if (number > deepest[k]) {
                memmove(&deepest[k + 1], &deepest[k], (size_t)(DEPTHS - 1 - k) * sizeof *deepest);
                deepest[k] = number;
                copies--;
            }
        }
    }
    uint64_t key = 0;
    for (int32_t k = 0; k < DEPTHS; k++) {
        key = key << 16 | (uint64_t)deepest[k];
    }
    return key;
}

static int compare_places(const void *x, const void *y)
{
    const place *a = x, *b = y;
    int by_key = (a->key < b->key) - (a->key > b->key);
    return by_key != 0 ? by_key : (a->type > b->type) - (a->type < b->type);
}

/* A rank's share of the work begins where the share of the ranks before it ends. */
static void cut(og_block_owners *o, const og_block_plan *plan, int32_t left, const place *sorted)
{
    uint32_t types = types_of(plan, left);
    double all = 0, before = 0;
    for (uint32_t t = 0; t < types; t++) {
        const og_blocks_size one = {.states = (double)states_of(plan, left, t), .types = 1};
        all += og_blocks_work(&one);
    }
    for (uint32_t i = 0; i < types; i++) {
        uint32_t t = sorted[i].type;
        const og_blocks_size one = {.states = (double)states_of(plan, left, t), .types = 1};
        double middle = before + og_blocks_work(&one) / 2;
        int rank = (int)(middle / all * o->ranks);
        rank = rank < o->ranks ? rank : o->ranks - 1;
        o->owner[left][t] = (uint16_t)rank;
        o->states[(size_t)left * (size_t)o->ranks + (size_t)rank] += states_of(plan, left, t);
        before += og_blocks_work(&one);
    }
}

/* ---- readers ---- */

/* A bit for each rank and each type of a layer: true if the rank reads that block. */
typedef struct {
    size_t words; /* of each type */
    uint64_t *bit;
} readers;

static bool reads(const readers *r, uint32_t type, int rank)
{
    return og_bits_has(&r->bit[type * r->words], (size_t)rank);
}

static uint32_t most_types(const og_block_plan *plan)
{
    uint32_t most = 0;
    for (int32_t left = 1; left <= plan->budget; left++) {
        most = types_of(plan, left) > most ? types_of(plan, left) : most;
    }
    return most;
}

static bool readers_new(const og_block_plan *plan, int ranks, readers *out)
{
    out->words = og_bits_words((size_t)ranks);
    out->bit = calloc((size_t)most_types(plan) * out->words + 1, sizeof *out->bit);
    return out->bit != NULL;
}

/* Readers of the layer so many below, while layer `left` is computed. Owners read too. */
static void find_readers(const og_block_plan *plan, const og_block_owners *o, int32_t left,
                         int32_t below, readers *r)
{
    const og_block_types *layer = &plan->layer[left];
    memset(r->bit, 0, types_of(plan, left - below) * r->words * sizeof *r->bit);
    for (uint32_t t = 0; left > below && t < types_of(plan, left); t++) {
        size_t rank = o->owner[left][t];
        for (uint64_t a = layer->first[t]; a < layer->first[t + 1]; a++) {
            const og_block_action *action = &layer->action[a];
            uint32_t read = plan->costs.cost[action->place] == below ? action->one
                            : below == 2                             ? action->two
                                                                     : OG_BLOCK_NONE;
            if (read != OG_BLOCK_NONE) {
                og_bits_add(&r->bit[read * r->words], rank);
            }
        }
    }
}

/* States that each rank receives from others, added to count[ranks]. */
static void count_read(const og_block_plan *plan, const og_block_owners *o, int32_t left,
                       const readers *r, uint64_t *count)
{
    for (uint32_t t = 0; t < types_of(plan, left); t++) {
        uint64_t states = states_of(plan, left, t);
        for (size_t w = 0; w < r->words; w++) {
            uint64_t bits = r->bit[(size_t)t * r->words + w];
            for (int rank = (int)(64 * w); bits != 0; bits >>= 1, rank++) {
                count[rank] += (bits & 1) != 0 && rank != o->owner[left][t] ? states : 0;
            }
        }
    }
}

static og_status owners_fill(og_block_owners *o, const og_block_plan *plan,
                             const og_block_slots *slots)
{
    size_t ranks = (size_t)o->ranks;
    readers r = {0, NULL};
    int32_t deep = og_block_costs_last(&plan->costs);
    deep = deep > 2 ? deep : 2; /* if outcomes may be contracted */
    place *sorted = calloc((size_t)most_types(plan) + 1, sizeof *sorted);
    if (sorted == NULL || !readers_new(plan, o->ranks, &r)) {
        free(sorted);
        return OG_NO_MEMORY;
    }
    for (int32_t left = 1; left <= plan->budget; left++) {
        uint32_t types = types_of(plan, left);
        for (uint32_t t = 0; t < types; t++) {
            sorted[t] = (place){key_of(plan, slots, left, t), t};
        }
        qsort(sorted, types, sizeof *sorted, compare_places);
        cut(o, plan, left, sorted);
        uint64_t *count = &o->read[(size_t)left * ranks];
        for (int32_t below = 1; below <= deep && below < left; below++) {
            find_readers(plan, o, left, below, &r);
            count_read(plan, o, left - below, &r, count);
        }
        for (size_t i = 0; i < ranks; i++) {
            o->sent += (double)count[i];
        }
    }
    free(sorted);
    free(r.bit);
    return OG_OK;
}

/* Temporary bytes of og_block_owners_new, and those that og_block_share_new holds. */
static double readers_bytes(const og_block_plan *plan, int ranks)
{
    return (double)most_types(plan) * (double)(og_bits_words((size_t)ranks) * sizeof(uint64_t));
}

og_status og_block_owners_new(const og_block_plan *plan, const og_block_slots *slots, int ranks,
                              uint64_t memory_bytes, og_block_owners **out)
{
    assert(ranks <= OG_BLOCK_RANKS_MAX);
    size_t layers = (size_t)plan->budget + 1, counts = layers * (size_t)ranks;
    double bytes = plan->types * sizeof(uint16_t) + 2.0 * (double)counts * sizeof(uint64_t);
    double passing = (double)most_types(plan) * sizeof(place) + readers_bytes(plan, ranks);
    if (bytes + passing > (double)memory_bytes) {
        return OG_STOPPED;
    }
    og_block_owners *o = calloc(1, sizeof *o);
    OG_TRY(OG_ALLOCATED(o));
    o->ranks = ranks;
    o->layers = (int32_t)layers;
    o->bytes = (uint64_t)bytes;
    o->owner = calloc(layers, sizeof *o->owner);
    o->states = calloc(counts, sizeof *o->states);
    o->read = calloc(counts, sizeof *o->read);
    bool made = o->owner != NULL && o->states != NULL && o->read != NULL;
    for (int32_t left = 1; made && left <= plan->budget; left++) {
        o->owner[left] = calloc((size_t)types_of(plan, left) + 1, sizeof **o->owner);
        made = o->owner[left] != NULL;
    }
    og_status status = made ? owners_fill(o, plan, slots) : OG_NO_MEMORY;
    return OG_MADE(status, o, og_block_owners_free, out);
}

void og_block_owners_free(og_block_owners *o)
{
    if (o != NULL) {
        for (int32_t left = 0; o->owner != NULL && left < o->layers; left++) {
            free(o->owner[left]);
        }
        free(o->owner);
        free(o->states);
        free(o->read);
    }
    free(o);
}

/* Most states that a rank owns of any layer in this place of the ring. */
static uint64_t own_most(const og_block_owners *o, int32_t ring, int32_t at, int rank)
{
    uint64_t most = 0;
    for (int32_t left = at > 0 ? at : ring; left < o->layers; left += ring) {
        uint64_t states = og_block_owners_states(o, left, rank);
        most = states > most ? states : most;
    }
    return most;
}

static uint64_t read_most(const og_block_owners *o, int rank)
{
    uint64_t most = 0;
    for (int32_t left = 1; left < o->layers; left++) {
        uint64_t states = o->read[(size_t)left * (size_t)o->ranks + (size_t)rank];
        most = states > most ? states : most;
    }
    return most;
}

double og_block_owners_bytes(const og_block_owners *o, const og_block_plan *plan, int32_t ring,
                             int parcel)
{
    double most = 0;
    for (int rank = 0; rank < o->ranks; rank++) {
        double states = (double)read_most(o, rank);
        for (int32_t i = 0; i < ring; i++) {
            states += (double)own_most(o, ring, i, rank);
        }
        most = states > most ? states : most;
    }
    double each = ring * (sizeof(double *) + sizeof(uint32_t)) + sizeof(uint32_t);
    return sizeof(double) * (most + parcel) + each * (double)most_types(plan) +
           readers_bytes(plan, o->ranks);
}

/* ---- a rank's blocks ---- */

/* A layer in memory. */
typedef struct {
    double *room;  /* own blocks, one after the other */
    double **at;   /* [types] */
    uint32_t *own; /* [count] types, ascending */
    uint32_t count;
} layer;

struct og_block_share {
    const og_block_plan *plan;
    const og_block_owners *owners;
    const og_world *world;
    int32_t ring, left;
    layer *layer; /* [ring] layer r at r % ring */
    double *fetched;
    double *parcel;
    uint32_t *wanted; /* [types] of one layer, grouped by owner */
    uint64_t *first;  /* [ranks + 1] of them */
    readers readers;
};

static layer *layer_at(const og_block_share *s, int32_t left)
{
    return &s->layer[left % s->ring];
}

og_status og_block_share_new(const og_block_plan *plan, const og_block_owners *owners,
                             const og_world *world, int32_t ring, og_block_share **out)
{
    og_block_share *s = calloc(1, sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    *s = (og_block_share){.plan = plan, .owners = owners, .world = world, .ring = ring};
    size_t types = (size_t)most_types(plan) + 1;
    s->layer = calloc((size_t)ring, sizeof *s->layer);
    s->fetched = og_room((double)read_most(owners, world->rank), sizeof(double));
    s->parcel = malloc((size_t)world->parcel * sizeof *s->parcel);
    s->wanted = calloc(types, sizeof *s->wanted);
    s->first = calloc((size_t)owners->ranks + 1, sizeof *s->first);
    bool made = s->layer != NULL && s->fetched != NULL && s->parcel != NULL && s->wanted != NULL &&
                s->first != NULL && readers_new(plan, owners->ranks, &s->readers);
    for (int32_t i = 0; made && i < ring; i++) {
        s->layer[i].room = og_room((double)own_most(owners, ring, i, world->rank), sizeof(double));
        s->layer[i].at = calloc(types, sizeof *s->layer[i].at);
        s->layer[i].own = calloc(types, sizeof *s->layer[i].own);
        made = s->layer[i].room != NULL && s->layer[i].at != NULL && s->layer[i].own != NULL;
    }
    return OG_MADE(made ? OG_OK : OG_NO_MEMORY, s, og_block_share_free, out);
}

void og_block_share_free(og_block_share *s)
{
    if (s == NULL) {
        return;
    }
    for (int32_t i = 0; s->layer != NULL && i < s->ring; i++) {
        free(s->layer[i].room);
        free(s->layer[i].at);
        free(s->layer[i].own);
    }
    free(s->layer);
    free(s->fetched);
    free(s->parcel);
    free(s->wanted);
    free(s->first);
    free(s->readers.bit);
    free(s);
}

static void take_own(og_block_share *s, int32_t left)
{
    layer *l = layer_at(s, left);
    double *to = l->room;
    l->count = 0;
    for (uint32_t t = 0; t < types_of(s->plan, left); t++) {
        bool own = s->owners->owner[left][t] == s->world->rank;
        l->at[t] = own ? to : NULL;
        if (own) {
            l->own[l->count++] = t;
            to += states_of(s->plan, left, t);
        }
    }
}

/* The blocks of a layer that this rank needs, owner by owner, with places from `to` on. Returns
 * their end. */
static double *take_wanted(og_block_share *s, int32_t left, double *to)
{
    const uint16_t *owner = s->owners->owner[left];
    int ranks = s->owners->ranks, me = s->world->rank;
    uint32_t types = types_of(s->plan, left);
    memset(s->first, 0, ((size_t)ranks + 1) * sizeof *s->first);
    for (uint32_t t = 0; t < types; t++) {
        s->first[owner[t] + 1] += owner[t] != me && reads(&s->readers, t, me);
    }
    for (int rank = 0; rank < ranks; rank++) {
        s->first[rank + 1] += s->first[rank];
    }
    for (uint32_t t = 0; t < types; t++) {
        if (owner[t] != me && reads(&s->readers, t, me)) {
            s->wanted[s->first[owner[t]]++] = t;
        }
    }
    for (int rank = ranks; rank > 0; rank--) {
        s->first[rank] = s->first[rank - 1];
    }
    s->first[0] = 0;
    for (uint64_t i = 0; i < s->first[ranks]; i++) {
        layer_at(s, left)->at[s->wanted[i]] = to;
        to += states_of(s->plan, left, s->wanted[i]);
    }
    return to;
}

/* The progress of packing the blocks for another rank. */
typedef struct {
    int32_t left;
    int to;
    uint32_t next;   /* of the own types */
    uint64_t packed; /* states of it already packed */
} packing;

/* Packs the next of them into the parcel. Returns the number of states; 0 at the end. */
static int pack(const og_block_share *s, packing *p)
{
    const layer *l = layer_at(s, p->left);
    uint64_t count = 0, room = (uint64_t)s->world->parcel;
    while (p->next < l->count && count < room) {
        uint32_t t = l->own[p->next];
        uint64_t some = 0, states = states_of(s->plan, p->left, t);
        if (reads(&s->readers, t, p->to)) {
            some = states - p->packed;
            some = some < room - count ? some : room - count;
            memcpy(s->parcel + count, l->at[t] + p->packed, (size_t)some * sizeof *s->parcel);
            count += some;
            p->packed += some;
        }
        if (some == 0 || p->packed == states) {
            p->next++;
            p->packed = 0;
        }
    }
    return (int)count;
}

/* Sends one rank's blocks while receiving those of another; in the other round the roles change. */
static double *exchange(og_block_share *s, int32_t left, double *to)
{
    int ranks = s->owners->ranks, me = s->world->rank;
    double *end = take_wanted(s, left, to);
    for (int step = 1; step < ranks; step++) {
        int from = (me - step + ranks) % ranks;
        packing p = {.left = left, .to = (me + step) % ranks};
        uint64_t receive = 0;
        for (uint64_t i = s->first[from]; i < s->first[from + 1]; i++) {
            receive += states_of(s->plan, left, s->wanted[i]);
        }
        double *in = s->first[from] < s->first[from + 1]
                         ? layer_at(s, left)->at[s->wanted[s->first[from]]]
                         : NULL;
        int send = pack(s, &p);
        while (send > 0 || receive > 0) {
            int room = s->world->parcel;
            int some = receive < (uint64_t)room ? (int)receive : room;
            s->world->swap(s->world->self, p.to, s->parcel, send, from, in, some);
            in = some > 0 ? in + some : in;
            receive -= (uint64_t)some;
            send = send > 0 ? pack(s, &p) : 0;
        }
    }
    return end;
}

void og_block_share_fetch(og_block_share *s, int32_t left)
{
    double *to = s->fetched;
    s->left = left;
    for (int32_t below = 1; below < s->ring && below < left; below++) {
        find_readers(s->plan, s->owners, left, below, &s->readers);
        to = exchange(s, left - below, to);
    }
    take_own(s, left);
}

uint32_t og_block_share_count(const og_block_share *s)
{
    return layer_at(s, s->left)->count;
}

const uint32_t *og_block_share_types(const og_block_share *s)
{
    return layer_at(s, s->left)->own;
}

double *const *og_block_share_here(const og_block_share *s)
{
    return layer_at(s, s->left)->at;
}

const double *const *og_block_share_below(const og_block_share *s, int32_t below)
{
    return below < s->left ? (const double *const *)layer_at(s, s->left - below)->at : NULL;
}
