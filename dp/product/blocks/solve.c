/*
 * Evaluates the planned blocks, from the last label to the first.
 *
 * Invariant: while layer r is computed, the layers that it reads are whole and no longer written
 * to. These are r - 1 and, if nodes are contracted, r - 2, or r - c for each cost c of several
 * actions. One thread writes each state of layer r.
 */
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/base/parallel.h"
#include "dp/product/blocks/label.h"
#include "dp/product/blocks/made.h"
#include "dp/product/blocks/sweep.h"

/* Layers of more states take longer than waking threads and waiting for them. */
enum { WORTH_THREADS = 1 << 16 };

/* The last layer is only the root: it needs no file. */
static bool in_file(const og_blocks *b, int32_t left)
{
    return b->on_disk && left < b->arms->budget;
}

const double *og_blocks_layer(const og_blocks *b, int32_t left)
{
    return in_file(b, left) ? og_block_files_at(b->files, left) : b->layer[left % b->ring];
}

typedef struct {
    og_blocks *blocks;
    og_block_classes *classes;
    og_block_maps *maps; /* [cost][arm * (budget + 1) + depth][copies_max + 1] */
    size_t map_count;
    og_block_group *group;      /* [cost][members] */
    int32_t *map_scratch;       /* [2 * copies_max + classes] */
    og_block_scratch **scratch; /* [threads] */
    og_block_sweep *sweep;      /* [costs]; the first holds the common data */
    double start, told;
    int32_t whole;           /* the last whole layer */
    double save_next;        /* time of the next checkpoint */
    og_message save_message; /* its last error */
    _Atomic bool stopped;
    _Atomic bool broken;   /* because of an error in a file */
    double all;            /* states of all layers that this rank computes */
    _Atomic uint64_t done; /* states of finished layers and types */
} run;

static og_block_maps *maps_at(const run *r, int32_t place, int32_t arm, int32_t depth,
                              int32_t copies)
{
    const og_block_plan *plan = r->blocks->plan;
    size_t at = (size_t)place * (size_t)r->blocks->arms->arm_count + (size_t)arm;
    at = at * ((size_t)plan->budget + 1) + (size_t)depth;
    return &r->maps[at * ((size_t)plan->copies_max + 1) + (size_t)copies];
}

static og_status make_map(run *r, int32_t classes, int32_t copies, const int32_t *down,
                          uint32_t **out)
{
    const og_block_ranks *ranks = r->blocks->ranks;
    bool same = true;
    for (int32_t i = 0; i < classes; i++) {
        same = same && down[i] == i;
    }
    if (same || *out != NULL) {
        return OG_OK;
    }
    *out = malloc(og_block_axis(ranks, classes, (uint32_t)copies) * sizeof **out);
    OG_TRY(OG_ALLOCATED(*out));
    og_block_map(ranks, classes, copies, down, r->map_scratch, *out);
    return OG_OK;
}

/* Builds the largest ranks of so many copies of a depth. */
static og_status need_tops(run *r, int32_t arm, int32_t depth, int32_t copies)
{
    const og_block_depth *d = og_block_classes_depth(r->classes, arm, depth);
    const og_block_ranks *ranks = r->blocks->ranks;
    og_block_maps *maps = maps_at(r, 0, arm, depth, copies);
    if (r->blocks->ranks_of == NULL || copies < 2 || d->count < 2 || maps->top != NULL) {
        return OG_OK;
    }
    maps->top = malloc(og_block_axis(ranks, d->count, (uint32_t)copies) * sizeof *maps->top);
    OG_TRY(OG_ALLOCATED(maps->top));
    og_block_tops(ranks, d->count, copies, d->rank, r->map_scratch, maps->top);
    return OG_OK;
}

/* The same for several actions, for each cost. */
static og_status need_maps_of_costs(run *r, int32_t left, int32_t arm, int32_t depth,
                                    int32_t copies)
{
    const og_block_depth *d = og_block_classes_depth(r->classes, arm, depth);
    const og_block_costs *costs = &r->blocks->costs;
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < costs->count && costs->cost[i] < left; i++) {
        const og_block_way *way = og_block_classes_way(r->classes, arm, depth, i);
        if (!way->same) {
            status =
                make_map(r, d->count, copies, way->down, &maps_at(r, i, arm, depth, copies)->one);
        }
    }
    return status;
}

/* Builds the maps of so many copies of a depth, if classes die or merge there. */
static og_status need_maps(run *r, int32_t left, int32_t arm, int32_t depth, int32_t copies)
{
    const og_block_depth *d = og_block_classes_depth(r->classes, arm, depth);
    if (copies < 1 || d->count < 2 || left < 2) {
        return OG_OK;
    }
    if (r->blocks->costs.several) {
        return need_maps_of_costs(r, left, arm, depth, copies);
    }
    og_block_maps *maps = maps_at(r, 0, arm, depth, copies);
    og_status status = d->same ? OG_OK : make_map(r, d->count, copies, d->down, &maps->one);
    const og_block_depth *below = og_block_classes_below(r->classes, arm, depth);
    if (status == OG_OK && r->blocks->contracted != NULL && left > 2 && !(d->same && below->same)) {
        int32_t *down = r->map_scratch + 2 * r->blocks->plan->copies_max;
        for (int32_t i = 0; i < d->count; i++) {
            down[i] = below->down[d->down[i]];
        }
        status = make_map(r, d->count, copies, down, &maps->two);
    }
    return status;
}

static void free_maps(run *r)
{
    for (size_t i = 0; r->maps != NULL && i < r->map_count; i++) {
        free(r->maps[i].one);
        free(r->maps[i].two);
        free(r->maps[i].top);
    }
}

static og_status make_maps(run *r, int32_t left)
{
    const og_block_slots *slots = &r->blocks->slots;
    const og_state_set *set = r->blocks->plan->layer[left].set;
    free_maps(r);
    memset(r->maps, 0, r->map_count * sizeof *r->maps);
    og_status status = OG_OK;
    for (uint32_t t = 0; t < og_state_set_count(set); t++) {
        int32_t count;
        const og_copies *list = og_state_set_at(set, t, &count);
        for (int32_t i = 0; status == OG_OK && i < count; i++) {
            int32_t arm = slots->arm[og_block_slot_of(slots, list[i].member)];
            int32_t depth = og_block_depth_of(slots, list[i].member);
            if (list[i].copies <= (uint32_t)r->blocks->plan->copies_max) {
                status = need_maps(r, left, arm, depth, (int32_t)list[i].copies);
                OG_THEN(status, need_tops(r, arm, depth, (int32_t)list[i].copies));
            }
            if (status == OG_OK && list[i].copies <= (uint32_t)r->blocks->plan->copies_max) {
                status = need_maps(r, left, arm, depth, (int32_t)list[i].copies - 1);
            }
        }
    }
    return status;
}

static size_t members_of(const og_blocks *b)
{
    return og_block_member(&b->slots, b->slots.slot_count, 0);
}

/* The group of a depth of an arm for labels of one cost. */
static og_block_group group_of(const run *r, int32_t left, int32_t place, int32_t arm, int32_t n)
{
    const og_blocks *b = r->blocks;
    int32_t budget = b->arms->budget, cost = b->costs.cost[place];
    const int32_t at[3] = {left, left - cost, left - 2};
    og_block_group group = {.lanes = 1};
    for (int32_t below = 0; below < 3; below++) {
        group.classes[below] = at[below] >= 1 && n <= budget - at[below]
                                   ? og_block_summary_of(b->summaries, at[below], arm, n)->count
                                   : 1;
    }
    group.maps = n <= budget ? maps_at(r, place, arm, n, 0) : NULL;
    if (n <= budget - left && !b->costs.several) {
        group.depth = og_block_classes_depth(r->classes, arm, n);
    } else if (n <= budget - left && cost <= left) {
        const og_block_way *way = og_block_classes_way(r->classes, arm, n, place);
        group.depth = way->lane;
        group.lanes = way->lanes;
    }
    return group;
}

/* Collects the data of depths that the sweep of a layer needs. */
static void take_groups(run *r, int32_t left)
{
    const og_blocks *b = r->blocks;
    for (int32_t place = 0; place < b->costs.count; place++) {
        og_block_group *group = &r->group[(size_t)place * members_of(b)];
        r->sweep[place].left = left;
        for (int32_t s = 0; s < b->slots.slot_count; s++) {
            for (int32_t n = 0; n < b->arms->budget + 3; n++) {
                group[og_block_member(&b->slots, s, n)] =
                    group_of(r, left, place, b->slots.arm[s], n);
            }
        }
    }
}

static void watch(run *r)
{
    const og_settings *settings = &r->blocks->settings;
    double seconds = og_seconds() - r->start;
    if (settings->watch == NULL || seconds - r->told < 0.1 || atomic_load(&r->stopped)) {
        return;
    }
    r->told = seconds;
    uint64_t done = atomic_load(&r->done);
    og_progress progress = {.states = done,
                            .memory_bytes = r->blocks->arm_bytes + (uint64_t)r->blocks->bytes,
                            .settled = (double)done / r->all,
                            .seconds = seconds};
    if (!settings->watch(settings->watch_user, &progress)) {
        atomic_store(&r->stopped, true);
    }
}

static void sweep_types(void *context, int thread, int64_t begin, int64_t end)
{
    run *r = context;
    const og_block_sweep *w = r->sweep;
    const og_block_types *layer = &w->plan->layer[w->left];
    uint32_t types = og_state_set_count(layer->set);
    for (int64_t t = begin; t < end && !atomic_load_explicit(&r->stopped, memory_order_relaxed);
         t++) {
        og_block_sweep_type(w, (uint32_t)t, r->scratch[thread]);
        if (thread == 0 && (t % 64 == 0 || t + 1 == end)) {
            watch(r);
        }
    }
    const uint64_t *from = og_state_set_payload(layer->set, (uint32_t)begin);
    uint64_t upto = end < types ? *(const uint64_t *)og_state_set_payload(layer->set, (uint32_t)end)
                                : layer->states;
    atomic_fetch_add_explicit(&r->done, upto - *from, memory_order_relaxed);
}

/* The same for the types that a rank owns. */
static void sweep_own(void *context, int thread, int64_t begin, int64_t end)
{
    run *r = context;
    const uint32_t *own = og_block_share_types(r->blocks->share);
    for (int64_t i = begin; i < end && !atomic_load_explicit(&r->stopped, memory_order_relaxed);
         i++) {
        og_block_sweep_type(r->sweep, own[i], r->scratch[thread]);
        if (thread == 0 && (i % 64 == 0 || i + 1 == end)) {
            watch(r);
        }
    }
}

/* True if the blocks that a type reads are as they were written. */
static bool check_below(const run *r, uint32_t type)
{
    og_block_files *files = r->blocks->files;
    int32_t left = r->sweep->left;
    const og_block_types *layer = &r->sweep->plan->layer[left];
    bool good = true;
    for (uint64_t a = layer->first[type]; good && a < layer->first[type + 1]; a++) {
        const og_block_action *action = &layer->action[a];
        int32_t cost = r->blocks->costs.cost[action->place];
        good = left == cost || og_block_files_check(files, left - cost, action->one);
        if (good && left > 2 && action->two != OG_BLOCK_NONE) {
            good = og_block_files_check(files, left - 2, action->two);
        }
    }
    return good;
}

/* The same into a file. An error stops it; og_block_files_end gives the message. */
static void sweep_pieces(void *context, int thread, int64_t begin, int64_t end)
{
    run *r = context;
    og_block_files *files = r->blocks->files;
    og_block_sweep own = *r->sweep;
    own.here = og_block_files_room(files, thread);
    for (int64_t i = begin; i < end; i++) {
        og_block_piece piece = og_block_files_piece(files, i);
        bool good = true;
        own.from = piece.from;
        for (uint32_t t = piece.first; good && t < piece.last; t++) {
            if (atomic_load_explicit(&r->stopped, memory_order_relaxed)) {
                return;
            }
            good = check_below(r, t);
            if (good) {
                og_block_sweep_type(&own, t, r->scratch[thread]);
            }
            if (thread == 0 && (t % 64 == 0 || t + 1 == piece.last)) {
                watch(r);
            }
        }
        if (!good || !og_block_files_put(files, thread, i)) {
            atomic_store(&r->broken, true);
            atomic_store(&r->stopped, true);
            return;
        }
        atomic_fetch_add_explicit(&r->done, piece.states, memory_order_relaxed);
    }
}

static og_status sweep_into_file(run *r, int threads, og_message *message)
{
    og_block_files *files = r->blocks->files;
    OG_TRY(og_block_files_begin(files, r->sweep->left, message));
    og_parallel_ranges(threads, og_block_files_pieces(files), 1, sweep_pieces, r);
    return atomic_load(&r->stopped) && !atomic_load(&r->broken)
               ? OG_STOPPED
               : og_block_files_end(files, message);
}

static og_status sweep_in_memory(run *r, int threads)
{
    const og_blocks *b = r->blocks;
    int64_t types = og_state_set_count(b->plan->layer[r->sweep->left].set);
    int64_t grain = threads == 1 ? 256 : types / ((int64_t)threads * 32) + 1;
    r->sweep->here = b->layer[r->sweep->left % b->ring];
    og_parallel_ranges(threads, types, grain, sweep_types, r);
    return atomic_load(&r->stopped) ? OG_STOPPED : OG_OK;
}

/* The value of the root with one unit less: the first type of that layer (types.h). */
static double below_root(const og_blocks *b)
{
    return og_blocks_layer(b, b->arms->budget - 1)[0];
}

/* Q of each first label, from the layers below the root. */
static void take_first_q(run *r)
{
    og_blocks *b = r->blocks;
    const og_block_types *layer = &b->plan->layer[b->arms->budget];
    /* With several actions a unit may also be lost without an action. */
    double nothing = !b->costs.several                                     ? NAN
                     : (b->use & OG_BLOCKS_Q) == 0 || b->arms->budget == 1 ? 0
                                                                           : below_root(b);
    for (int32_t s = 0; s < b->slots.slot_count; s++) {
        b->first_q[s] = nothing;
    }
    for (uint64_t a = layer->first[0]; a < layer->first[1]; a++) {
        const og_block_action *action = &layer->action[a];
        const og_block_depth *d =
            og_block_classes_depth(r->classes, b->slots.arm[action->group], 0);
        double *q = &b->first_q[action->group];
        *q = b->costs.several ? *q : 0;
        if (d->live > 0) {
            og_block_sweep_action(r->sweep, 0, action, r->scratch[0], q);
        } else if (b->arms->budget > 1) { /* the value of the others with one label less */
            *q = r->sweep->one[og_block_at(b->plan, b->arms->budget - 1, action->one)];
        }
    }
}

/* Keeps the number of each node in the layer. */
static bool keep_numbers(const run *r, int32_t left)
{
    const og_blocks *b = r->blocks;
    uint32_t nodes = b->arms->node_offset[b->arms->arm_count];
    b->number[left] = malloc(((size_t)nodes + 1) * sizeof *b->number[left]);
    for (uint32_t x = 0; b->number[left] != NULL && x < nodes; x++) {
        b->number[left][x] = og_block_classes_of(r->classes, x);
    }
    return b->number[left] != NULL;
}

/* ---- checkpoints ---- */

static bool saves(const og_blocks *b)
{
    return b->settings.checkpoint != NULL && !b->on_disk && (b->use & OG_BLOCKS_KEEP) == 0;
}

/* Saves the last layer, and those before it that the next one reads. */
static void save(run *r)
{
    const og_blocks *b = r->blocks;
    og_checkpoint_layer layer[OG_ARM_COST_MAX + 1];
    og_fingerprint fingerprint;
    int32_t count = 0;
    while (count < b->ring - 1 && count < r->whole) {
        int32_t left = r->whole - count;
        layer[count++] =
            (og_checkpoint_layer){left, b->plan->layer[left].states, b->layer[left % b->ring]};
    }
    r->save_message.text[0] = '\0';
    if (count > 0 && og_blocks_fingerprint(b, &fingerprint) == OG_OK) {
        og_checkpoint_write_layers(b->settings.checkpoint, &fingerprint, layer, count,
                                   &r->save_message);
    }
}

/* After writing for some time, waits many times that before the next: a tenth of the time at
 * most. */
static void save_sometimes(run *r)
{
    const double rest = 9;
    double seconds = og_seconds() - r->start;
    if (saves(r->blocks) && seconds >= r->save_next) {
        save(r);
        double after = og_seconds() - r->start;
        r->save_next =
            after + fmax(r->blocks->settings.checkpoint_seconds, rest * (after - seconds));
    }
}

static bool find_layer(void *user, int32_t left, og_checkpoint_layer *out)
{
    const og_blocks *b = user;
    if (left < 1 || left >= b->arms->budget) {
        return false;
    }
    *out = (og_checkpoint_layer){left, b->plan->layer[left].states, b->layer[left % b->ring]};
    return true;
}

/* Loads the layers that an earlier run saved. */
static og_status load(run *r, og_message *message)
{
    og_blocks *b = r->blocks;
    og_fingerprint fingerprint;
    int32_t left, count;
    r->save_next = b->settings.checkpoint_seconds;
    if (!saves(b)) {
        return OG_OK;
    }
    OG_TRY(og_blocks_fingerprint(b, &fingerprint));
    OG_TRY(og_checkpoint_read_layers(b->settings.checkpoint, &fingerprint, find_layer, b, &left,
                                     &count, message));
    r->whole = count >= b->ring - 1 || count == left ? left : 0;
    return OG_OK;
}

/* Computes a layer from those below, or reads it from a file. */
static og_status sweep_layer(run *r, int32_t left, og_message *message)
{
    og_blocks *b = r->blocks;
    const og_block_types *layer = &b->plan->layer[left];
    if (left <= (in_file(b, left) ? og_block_files_done(b->files) : r->whole)) {
        atomic_fetch_add(&r->done, layer->states);
        return OG_OK;
    }
    OG_TRY(make_maps(r, left));
    take_groups(r, left);
    for (int32_t i = 0; i < b->costs.count; i++) {
        int32_t at = left - r->sweep[i].cost;
        r->sweep[i].one = at >= 1 ? og_blocks_layer(b, at) : NULL;
        r->sweep[i].two = b->contracted != NULL && left > 2 ? og_blocks_layer(b, left - 2) : NULL;
    }
    int threads = layer->states < WORTH_THREADS ? 1 : b->settings.threads;
    return in_file(b, left) ? sweep_into_file(r, threads, message) : sweep_in_memory(r, threads);
}

/* Computes the own types of a layer, after the blocks that they read have arrived. */
static og_status sweep_share(run *r, int32_t left)
{
    const og_blocks *b = r->blocks;
    uint64_t states = og_block_owners_states(b->owners, left, b->settings.world->rank);
    int threads = states < WORTH_THREADS ? 1 : b->settings.threads;
    og_block_share_fetch(b->share, left);
    r->sweep->here_at = og_block_share_here(b->share);
    for (int32_t i = 0; i < b->costs.count; i++) {
        r->sweep[i].one_at = og_block_share_below(b->share, r->sweep[i].cost);
        r->sweep[i].two_at = b->contracted != NULL ? og_block_share_below(b->share, 2) : NULL;
    }
    int64_t types = og_block_share_count(b->share);
    int64_t grain = threads == 1 ? 256 : types / ((int64_t)threads * 32) + 1;
    og_parallel_ranges(threads, types, grain, sweep_own, r);
    atomic_fetch_add(&r->done, states);
    return atomic_load(&r->stopped) ? OG_STOPPED : OG_OK;
}

/* Layers over ranks. Before each layer, all ranks agree that the one below is whole everywhere, and
 * that no rank lacks memory or was stopped. */
static og_status sweep_over_ranks(run *r, double *gain, og_message *message)
{
    const og_blocks *b = r->blocks;
    const og_world *world = b->settings.world;
    og_status status = OG_OK;
    for (int32_t left = 1; left <= b->arms->budget; left++) {
        og_block_classes_step(r->classes);
        OG_THEN(status, make_maps(r, left));
        OG_TRY(og_world_agree(world, status, message));
        take_groups(r, left);
        status = sweep_share(r, left);
    }
    OG_TRY(og_world_agree(world, status, message));
    int root = b->owners->owner[b->arms->budget][0];
    *gain = root == world->rank ? og_block_share_here(b->share)[0][0] : 0;
    world->tell(world->self, root, gain, sizeof *gain);
    return OG_OK;
}

static og_status sweep_layers(run *r, double *gain, og_message *message)
{
    og_blocks *b = r->blocks;
    int32_t budget = b->arms->budget;
    OG_TRY(load(r, message));
    for (int32_t left = 1; left <= budget; left++) {
        og_block_classes_step(r->classes);
        OG_TRY(sweep_layer(r, left, message));
        if (left > r->whole && left < budget) {
            r->whole = left;
            save_sometimes(r);
        }
        if ((b->use & OG_BLOCKS_KEEP) != 0 && !keep_numbers(r, left)) {
            return OG_NO_MEMORY;
        }
    }
    *gain = budget > 0 ? og_blocks_layer(b, budget)[0] : 0;
    if (budget > 0 && b->ranks_of == NULL) {
        take_first_q(r);
    }
    return OG_OK;
}

/* Allocates the layers, or opens their files. */
static og_status make_layers(og_blocks *b, og_message *message)
{
    og_blocks_forget_layers(b);
    b->layer = calloc((size_t)b->ring + 1, sizeof *b->layer);
    b->number = calloc((size_t)b->arms->budget + 1, sizeof *b->number);
    bool made = b->layer != NULL && b->number != NULL;
    if (made && b->owners != NULL) {
        return og_block_share_new(b->plan, b->owners, b->settings.world, b->ring, &b->share);
    }
    for (int32_t i = 0; made && i < b->ring; i++) {
        bool last = i == b->arms->budget % b->ring;
        double states = !b->on_disk ? og_blocks_ring_size(b, i)
                        : last      ? (double)b->plan->layer[b->arms->budget].states
                                    : 0;
        b->layer[i] = og_room(states, sizeof(double));
        made = b->layer[i] != NULL;
    }
    if (!made || !b->on_disk) {
        return made ? OG_OK : OG_NO_MEMORY;
    }
    og_block_files_use use = {.plan = b->plan,
                              .folder = b->settings.scratch,
                              .ring = b->ring,
                              .threads = b->settings.threads,
                              .window = b->window};
    OG_TRY(og_blocks_fingerprint(b, &use.fingerprint));
    return og_block_files_open(&use, &b->files, message);
}

static og_status run_make(run *r, og_message *message)
{
    og_blocks *b = r->blocks;
    const og_block_plan *plan = b->plan;
    OG_TRY(make_layers(b, message));
    size_t costs = (size_t)b->costs.count;
    size_t depths = (size_t)b->arms->arm_count * ((size_t)plan->budget + 1);
    r->map_count = costs * depths * ((size_t)plan->copies_max + 1);
    r->maps = calloc(r->map_count + 1, sizeof *r->maps);
    int32_t classes = 0;
    for (int32_t g = 0; g <= plan->copies_max; g++) {
        classes = (int32_t)plan->classes[g] > classes ? (int32_t)plan->classes[g] : classes;
    }
    r->map_scratch =
        calloc(2 * (size_t)plan->copies_max + (size_t)classes + 1, sizeof *r->map_scratch);
    r->scratch = calloc((size_t)b->settings.threads, sizeof *r->scratch);
    free(b->first_q);
    b->first_q = calloc((size_t)b->slots.slot_count + 1, sizeof *b->first_q);
    r->group = calloc(costs * members_of(b) + 1, sizeof *r->group);
    r->sweep = calloc(costs, sizeof *r->sweep);
    if (r->sweep == NULL || r->maps == NULL || r->group == NULL || r->map_scratch == NULL ||
        r->scratch == NULL || b->first_q == NULL) {
        return OG_NO_MEMORY;
    }
    og_status status =
        og_block_classes_new(b->arms, b->ranks_of, b->contracted, false, &r->classes);
    for (int i = 0; status == OG_OK && i < b->settings.threads; i++) {
        status = og_block_scratch_new(plan, b->outcomes, b->ranks_of != NULL, &r->scratch[i]);
    }
    for (size_t i = 0; i < costs; i++) {
        r->sweep[i] = (og_block_sweep){.plan = plan,
                                       .ranks = b->ranks,
                                       .classes = r->classes,
                                       .of_cost = b->costs.several ? r->sweep : NULL,
                                       .cost = b->costs.cost[i],
                                       .outcomes = b->outcomes,
                                       .policy = b->ranks_of != NULL,
                                       .ties = b->ties,
                                       .group = &r->group[i * members_of(b)]};
    }
    return status;
}

static void run_clear(run *r)
{
    free_maps(r);
    for (int i = 0; r->scratch != NULL && i < r->blocks->settings.threads; i++) {
        og_block_scratch_free(r->scratch[i]);
    }
    free(r->maps);
    free(r->group);
    free(r->sweep);
    free(r->map_scratch);
    free(r->scratch);
    og_block_classes_free(r->classes);
}

/* Combines the results of all ranks, so that each has the same; returns the number of their
 * states. */
static uint64_t total_of_ranks(const og_blocks *b, uint64_t done, og_result *found)
{
    const og_world *world = b->settings.world;
    found->ranks = world->ranks;
    found->sent_bytes = (uint64_t)(sizeof(double) * b->owners->sent);
    found->memory_bytes =
        (uint64_t)-world->fold(world->self, -(int64_t)found->memory_bytes, OG_WORLD_LEAST);
    return (uint64_t)world->fold(world->self, (int64_t)done, OG_WORLD_SUM);
}

static void tell_stopped(const og_blocks *b, const og_result *found, int32_t layers,
                         og_message *message)
{
    char held[OG_BYTES_TEXT_BYTES], kept[OG_MESSAGE_BYTES] = "";
    if (layers > 0) {
        snprintf(kept, sizeof kept, "; %" PRId32 " of %" PRId32 " layers are in %s", layers,
                 b->arms->budget, b->settings.scratch);
    }
    og_message_set(message, OG_STOPPED, "the work was stopped after %llu states and %s%s",
                   (unsigned long long)found->states, og_bytes_format(found->memory_bytes, held),
                   kept);
}

/* Number of states that this process computes. */
static double states_here(const og_blocks *b)
{
    double states = 0;
    for (int32_t left = 1; b->owners != NULL && left <= b->arms->budget; left++) {
        states += (double)og_block_owners_states(b->owners, left, b->settings.world->rank);
    }
    return b->owners != NULL ? states : b->plan->states;
}

og_status og_blocks_solve(og_blocks *b, og_result *result, og_message *message)
{
    og_message own = {""};
    message = message != NULL ? message : &own;
    run r = {.blocks = b, .start = og_seconds(), .all = states_here(b)};
    double gain = 0;
    bool over_ranks = b->owners != NULL;
    og_status status = run_make(&r, message);
    if (over_ranks) {
        status = og_world_agree(b->settings.world, status, message);
        OG_THEN(status, sweep_over_ranks(&r, &gain, message));
    } else {
        OG_THEN(status, sweep_layers(&r, &gain, message));
    }
    if (status == OG_STOPPED && saves(b)) {
        save(&r);
    }
    run_clear(&r);
    b->solved = status == OG_OK;
    if (b->solved && b->files != NULL) {
        og_block_files_remove(b->files);
    }
    int32_t layers = b->files != NULL ? og_block_files_done(b->files) : 0;
    if (!b->solved || (b->use & OG_BLOCKS_KEEP) == 0) {
        og_blocks_forget_layers(b);
    }
    uint64_t done = atomic_load(&r.done);
    og_result found = {.memory_bytes = b->arm_bytes + (uint64_t)b->bytes,
                       .disk_bytes = (uint64_t)b->disk_bytes,
                       .seconds = og_seconds() - r.start + b->seconds};
    if (over_ranks) {
        done = total_of_ranks(b, done, &found);
    }
    found.states = found.expanded = done;
    if (status == OG_OK) {
        double call_error;
        found.gain = gain;
        found.value = og_arms_prior_value(b->arms, &call_error) + gain;
        found.error_bound =
            1.01 * gain * og_blocks_relative_error(b) + call_error + fabs(found.value) * 0x1p-53;
    } else if (status == OG_STOPPED) {
        tell_stopped(b, &found, layers, message);
    }
    if (r.save_message.text[0] != '\0' && (status == OG_OK || status == OG_STOPPED)) {
        og_message before = *message;
        og_message_set(message, status, "%.240s%s%.240s", before.text,
                       before.text[0] != '\0' ? "; " : "", r.save_message.text);
    }
    if (status == OG_OK || status == OG_STOPPED) {
        *result = found;
    }
    return status;
}
