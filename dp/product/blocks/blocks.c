/*
 * The second exact engine: plans the blocks and checks that they fit the limits;
 * dp/product/blocks/solve.c evaluates them.
 */
#include "dp/product/blocks/blocks.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

#include "dp/base/clock.h"
#include "dp/product/blocks/made.h"
#include "dp/product/blocks/sweep.h"

/* Savings that need the largest reward that labels can reach. */
static const unsigned ahead = OG_BLOCKS_FORCE | OG_BLOCKS_CONTRACT | OG_BLOCKS_TWO;

/* True if every label has a reward, as in bandits. Then no label is ever forced. */
static bool all_reward(const og_arms *arms)
{
    bool all = !og_arms_have_actions(arms);
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        for (uint32_t x = 0; all && x < arm->level[arms->budget]; x++) {
            all = arm->reward[x] > 0;
        }
    }
    return all;
}

/* ---- contracted nodes ---- */

/*
 * Marks the nodes with the largest R that a label can lead to, if that happens early enough to
 * matter. Returns that R; 0 for none. Does not mark a node that leads to another such node: chains
 * are not followed.
 */
static double mark_contracted(const og_arms *arms, bool *contracted)
{
    double most = 0;
    int32_t count = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        for (uint32_t x = arm->level[1]; x < arm->level[arms->budget]; x++) {
            most = arm->reward[x] > most ? arm->reward[x] : most;
        }
    }
    for (int32_t a = 0; a < arms->arm_count && most > 0; a++) {
        const og_arm *arm = arms->arm[a];
        size_t outcomes = (size_t)arm->outcome_count;
        for (uint32_t x = arm->level[1]; x < arm->level[arms->budget]; x++) {
            if (arm->reward[x] != most) {
                continue;
            }
            contracted[arms->node_offset[a] + x] = true;
            bool late = x >= arm->level[arms->budget / 2 + 1];
            for (size_t k = 0; k < outcomes; k++) {
                uint32_t next = arm->next[x * outcomes + k];
                late = late || (next < arm->level[arms->budget] && arm->reward[next] == most);
            }
            if (late || ++count > 32) {
                return 0;
            }
        }
    }
    return most;
}

/*
 * Marks nodes of a policy whose ranks do not depend on the labels left. Such a policy gave its last
 * label to the largest rank, so no other instance has a larger rank now. Hence a node whose rank is
 * above those of all nodes that lead to it is the only one on top. Does not mark a node that a
 * contracted one leads to, as above.
 */
static bool mark_policy(const og_arms *arms, const og_ranks *ranks, bool *contracted)
{
    enum { MOST = 64 }; /* og_block_classes supports no more for one layer */
    uint32_t nodes = arms->node_offset[arms->arm_count];
    bool *barred = calloc((size_t)nodes + 1, sizeof *barred);
    int32_t count = 0;
    for (int32_t a = 0; barred != NULL && a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        const uint32_t *rank = og_ranks_of(ranks, a, 1);
        size_t outcomes = (size_t)arm->outcome_count;
        uint32_t end = arm->level[arms->budget];
        bool *own = &barred[arms->node_offset[a]];
        for (uint32_t x = 0; x < end; x++) {
            bool taken = x > 0 && !own[x] && count < MOST;
            contracted[arms->node_offset[a] + x] = taken;
            count += taken;
            for (size_t k = 0; k < outcomes; k++) {
                uint32_t next = arm->next[x * outcomes + k];
                own[next] = own[next] || taken || next >= end || rank[next] <= rank[x];
            }
        }
    }
    bool marked = barred != NULL;
    free(barred);
    return marked;
}

/* ---- planning ---- */

static og_status out_of_limit(const og_blocks *b, double bytes, og_message *message)
{
    char limit[OG_BYTES_TEXT_BYTES], needed[OG_BYTES_TEXT_BYTES];
    og_bytes_format(b->settings.memory_bytes, limit);
    if (bytes > 0 && bytes < 0x1p63) {
        return og_message_set(
            message, OG_STOPPED,
            "the layers of this problem%s need %s, more than the memory limit of %s",
            b->owners != NULL ? ", with the buffers of one rank," : "",
            og_bytes_format((uint64_t)bytes, needed), limit);
    }
    return og_message_set(message, OG_STOPPED,
                          "the memory limit of %s does not hold the layers of this problem", limit);
}

/* Calls the watch about ten times a second while types are enumerated, too. */
static bool go_on(void *user, uint64_t bytes)
{
    og_blocks *b = user;
    double seconds = og_seconds() - b->start;
    if (b->settings.watch == NULL || seconds - b->told < 0.1) {
        return true;
    }
    b->told = seconds;
    og_progress progress = {.memory_bytes = b->arm_bytes + bytes, .seconds = seconds};
    return b->settings.watch(b->settings.watch_user, &progress);
}

static og_status plan_with(og_blocks *b, double contracted, og_block_end *end)
{
    uint64_t limit = b->settings.memory_bytes;
    bool look = b->ranks_of == NULL && (b->use & ahead) != 0;
    og_stop *stop = og_stop_of(&b->settings);
    og_status status = og_block_summaries_new(
        b->arms,
        &(og_layers_use){.ranks = b->ranks_of, .memory_bytes = limit - b->arm_bytes, .stop = stop},
        b->contracted, look, &b->summaries);
    if (status != OG_OK) {
        *end = og_stop_status(stop) == OG_STOPPED ? OG_BLOCK_INTERRUPTED : *end;
        return status;
    }
    uint64_t held = b->arm_bytes + b->summaries->bytes;
    og_block_wish wish = {.slots = &b->slots,
                          .summaries = b->summaries,
                          .costs = &b->costs,
                          .contracted = contracted,
                          .policy = b->ranks_of != NULL,
                          .force = (b->use & OG_BLOCKS_FORCE) != 0,
                          .two = (b->use & OG_BLOCKS_TWO) != 0,
                          .all_first = (b->use & OG_BLOCKS_Q) != 0,
                          .memory_bytes = limit > held ? limit - held : 0,
                          .states_max = b->settings.states_max,
                          .go_on = go_on,
                          .user = b};
    return og_block_plan_new(&wish, end, &b->plan);
}

/* Plans with contraction if that is valid, else without. */
static og_status make_plan(og_blocks *b, og_block_end *end)
{
    double contracted = 0;
    if ((b->use & OG_BLOCKS_CONTRACT) != 0 && b->arms->budget > 1) {
        b->contracted = calloc(b->arms->node_offset[b->arms->arm_count], sizeof *b->contracted);
        OG_TRY(OG_ALLOCATED(b->contracted));
        if (b->ranks_of == NULL) {
            contracted = mark_contracted(b->arms, b->contracted);
        } else if (!mark_policy(b->arms, b->ranks_of, b->contracted)) {
            return OG_NO_MEMORY;
        } else {
            contracted = 1;
        }
    }
    *end = OG_BLOCK_NOT_CONTRACTED;
    og_status status = OG_OK;
    if (contracted > 0) {
        status = plan_with(b, contracted, end);
    }
    if (status == OG_OK && *end == OG_BLOCK_NOT_CONTRACTED) {
        free(b->contracted);
        b->contracted = NULL;
        og_block_summaries_free(b->summaries);
        b->summaries = NULL;
        status = plan_with(b, 0, end);
    }
    return status;
}

/* States of the largest layer in this place of the ring. */
double og_blocks_ring_size(const og_blocks *b, int32_t place)
{
    double most = 0;
    for (int32_t left = place > 0 ? place : b->ring; left <= b->arms->budget; left += b->ring) {
        most = fmax(most, (double)b->plan->layer[left].states);
    }
    return most;
}

/* True if the numbers of a depth are the same so many layers below. */
static bool same_below(const og_blocks *b, int32_t left, int32_t arm, int32_t depth, int32_t units)
{
    bool same = true;
    for (int32_t i = 0; same && i < units && left - i >= 1; i++) {
        same = og_block_summary_of(b->summaries, left - i, arm, depth)->same;
    }
    return same;
}

/* Number of layers below for which a depth has maps. */
static double map_layers(const og_blocks *b, int32_t left, int32_t arm, int32_t depth)
{
    double layers = 0;
    for (int32_t i = 0; b->costs.several && i < b->costs.count; i++) {
        layers += same_below(b, left, arm, depth, b->costs.cost[i]) ? 0 : 1;
    }
    if (!b->costs.several) {
        layers = same_below(b, left, arm, depth, 2) ? 0 : b->contracted != NULL ? 2 : 1;
    }
    return layers;
}

/* Bytes of the largest maps of any layer, and of their table. */
static double map_bytes(const og_blocks *b)
{
    int32_t budget = b->arms->budget;
    double most = 0;
    for (int32_t left = 2; left <= budget; left++) {
        double bytes = 0;
        for (int32_t a = 0; a < b->arms->arm_count; a++) {
            for (int32_t n = 1; n <= budget - left; n++) {
                const og_block_summary *s = og_block_summary_of(b->summaries, left, a, n);
                double maps = map_layers(b, left, a, n) + (b->ranks_of != NULL ? 1 : 0);
                for (int32_t g = 1; maps > 0 && g <= b->plan->copies_max && g * n <= budget; g++) {
                    bytes += maps * sizeof(uint32_t) * og_block_rank_count(s->count, g);
                }
            }
        }
        most = fmax(most, bytes);
    }
    double depths = (double)b->arms->arm_count * (budget + 1.0);
    return most + depths * (b->plan->copies_max + 1) * b->costs.count * sizeof(og_block_maps);
}

/* Sizes for layers in files: enough in memory at a time that reading them again costs no time. */
static void count_files(og_blocks *b)
{
    const double least = 1 << 20, share = 1.0 / 8;
    b->disk_bytes = og_block_files_disk_bytes(b->plan, b->ring);
    b->window =
        (uint64_t)fmin(b->disk_bytes, fmax(least, share * (double)b->settings.memory_bytes));
    b->bytes += (double)b->window + og_block_files_bytes(b->plan, b->ring);
}

static void count_bytes(og_blocks *b)
{
    b->bytes = 0;
    for (int32_t i = 0; i < b->ring; i++) {
        double states = og_blocks_ring_size(b, i);
        b->layer_most = fmax(b->layer_most, states);
        b->bytes += b->on_disk || b->owners != NULL ? 0 : sizeof(double) * states;
    }
    if (b->owners != NULL) {
        b->bytes += (double)b->owners->bytes +
                    og_block_owners_bytes(b->owners, b->plan, b->ring, b->settings.world->parcel);
    }
    b->bytes += (double)b->plan->bytes + (double)b->summaries->bytes +
                og_block_classes_bytes(b->arms, b->ranks_of, false) + map_bytes(b);
    for (int32_t left = 1; (b->use & OG_BLOCKS_KEEP) != 0 && left <= b->arms->budget; left++) {
        b->bytes += sizeof(int32_t) * (double)b->arms->node_offset[b->arms->arm_count];
    }
    if (b->on_disk) {
        count_files(b);
    }
}

/* Uses the wanted number of threads, or as many as the memory limit has scratch for. */
static og_status take_threads(og_blocks *b, og_message *message)
{
    double each = og_block_scratch_bytes(b->plan, b->outcomes, b->ranks_of != NULL) +
                  (b->on_disk ? og_block_files_thread_bytes(b->plan) : 0);
    double room = (double)b->settings.memory_bytes - (double)b->arm_bytes - b->bytes;
    if (room < each) {
        return out_of_limit(b, (double)b->arm_bytes + b->bytes + each, message);
    }
    if (room < each * b->settings.threads) {
        b->settings.threads = (int)(room / each);
    }
    b->bytes += each * b->settings.threads;
    return OG_OK;
}

/* Allocates the rest, once the types are known, within the limit. */
static og_status fit(og_blocks *b, og_message *message)
{
    uint64_t limit = b->settings.memory_bytes;
    og_status status = OG_OK;
    count_bytes(b);
    double held = (double)b->arm_bytes + b->bytes;
    if (held < (double)limit) {
        status = og_block_ranks_new(b->plan->copies_max, b->plan->classes, b->ranks_of != NULL,
                                    limit - (uint64_t)held, &b->ranks);
    }
    if (held >= (double)limit || status == OG_STOPPED) {
        return out_of_limit(b, held, message);
    }
    if (status == OG_OK) {
        b->bytes += (double)b->ranks->bytes;
        status = take_threads(b, message);
    }
    return status;
}

/* True if ranks share the layers; layers that are kept, in files, or needed for first labels are
 * not shared. */
static bool is_shared(const og_blocks *b)
{
    const unsigned alone = OG_BLOCKS_Q | OG_BLOCKS_KEEP | OG_BLOCKS_FILES;
    return og_world_ranks(b->settings.world) > 1 && b->ranks_of == NULL && (b->use & alone) == 0 &&
           b->arms->budget > 0;
}

static og_status make_owners(og_blocks *b, og_message *message)
{
    uint64_t limit = b->settings.memory_bytes;
    uint64_t held = b->arm_bytes + b->summaries->bytes + b->plan->bytes;
    og_status status = !is_shared(b) ? OG_OK
                       : held >= limit
                           ? OG_STOPPED
                           : og_block_owners_new(b->plan, &b->slots, b->settings.world->ranks,
                                                 limit - held, &b->owners);
    return status == OG_STOPPED ? out_of_limit(b, 0, message) : status;
}

static og_status blocks_make(og_blocks *b, bool *too_many, og_message *message)
{
    uint64_t limit = b->settings.memory_bytes;
    b->arm_bytes = og_arms_bytes(b->arms);
    if (b->arm_bytes >= limit) {
        return out_of_limit(b, 0, message);
    }
    og_block_end end = OG_BLOCK_PLANNED;
    og_status status = og_block_slots_init(b->arms, (b->use & OG_BLOCKS_FOLD) != 0, &b->slots);
    OG_THEN(status, make_plan(b, &end));
    *too_many = end == OG_BLOCK_TOO_MANY;
    if (status == OG_STOPPED && (*too_many || end == OG_BLOCK_INTERRUPTED)) {
        return og_message_set(message, OG_STOPPED,
                              *too_many ? "the limit on states was reached"
                                        : "the work was stopped while its states were counted");
    }
    if (status != OG_OK) {
        return status == OG_STOPPED ? out_of_limit(b, 0, message) : status;
    }
    b->ring = b->contracted != NULL ? 3 : og_block_costs_last(&b->costs) + 1;
    if ((b->use & OG_BLOCKS_KEEP) != 0) {
        b->ring = b->arms->budget + 1;
    }
    OG_TRY(make_owners(b, message));
    og_message none = {""};
    b->on_disk = (b->use & OG_BLOCKS_FILES) != 0;
    bool again = b->settings.scratch != NULL && !b->on_disk && b->owners == NULL;
    status = fit(b, again ? &none : message);
    if (status == OG_STOPPED && again) {
        og_block_ranks_free(b->ranks);
        b->ranks = NULL;
        b->on_disk = true;
        status = fit(b, message);
    }
    return status;
}

/* Allocates the common part of both kinds; NULL: no memory. */
static og_blocks *blocks_begin(const og_arms *arms, unsigned use, const og_settings *settings)
{
    og_blocks *b = calloc(1, sizeof *b);
    if (b == NULL) {
        return NULL;
    }
    b->start = og_seconds();
    b->arms = arms;
    b->use = use;
    b->settings = og_settings_filled(settings);
    b->outcomes = 1;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        int32_t count = arms->arm[a]->outcome_count;
        b->outcomes = count > b->outcomes ? count : b->outcomes;
    }
    return b;
}

static og_status blocks_finish(og_blocks *b, bool *too_many, og_blocks **out, og_message *message)
{
    bool many = false;
    og_status status = blocks_make(b, &many, message);
    if (too_many != NULL) {
        *too_many = many;
    }
    if (status != OG_OK) {
        og_blocks_free(b);
        return status;
    }
    b->seconds = og_seconds() - b->start;
    *out = b;
    return OG_OK;
}

og_status og_blocks_new(const og_arms *arms, unsigned use, const og_settings *settings,
                        bool *too_many, og_blocks **out, og_message *message)
{
    const unsigned of_one_action = OG_BLOCKS_CONTRACT | OG_BLOCKS_TWO;
    use = all_reward(arms) ? use & ~ahead : og_arms_have_actions(arms) ? use & ~of_one_action : use;
    og_blocks *b = blocks_begin(arms, use, settings);
    OG_TRY(OG_ALLOCATED(b));
    if (!og_block_costs_of(arms, &b->costs)) {
        og_blocks_free(b);
        return og_message_set(message, OG_BAD_INPUT,
                              "--engine blocks supports at most %d different prices",
                              OG_BLOCK_COSTS_MAX);
    }
    return blocks_finish(b, too_many, out, message);
}

og_status og_blocks_new_policy(const og_ranks_play *play, unsigned use, const og_settings *settings,
                               bool *too_many, og_blocks **out, og_message *message)
{
    unsigned exact = OG_BLOCKS_FILES | OG_BLOCKS_KEEP | OG_BLOCKS_FORCE |
                     (play->ranks->by_left ? 0 : OG_BLOCKS_CONTRACT) |
                     (play->ties == OG_TIES_FIRST ? 0 : OG_BLOCKS_FOLD);
    og_blocks *b = blocks_begin(play->arms, use & exact, settings);
    OG_TRY(OG_ALLOCATED(b));
    b->ranks_of = play->ranks;
    b->ties = play->ties;
    assert(!og_arms_have_actions(b->arms)); /* policies rank nodes, not actions */
    og_block_costs_of(b->arms, &b->costs);
    return blocks_finish(b, too_many, out, message);
}

void og_blocks_forget_layers(og_blocks *b)
{
    for (int32_t i = 0; b->layer != NULL && i < b->ring; i++) {
        free(b->layer[i]);
    }
    for (int32_t left = 0; b->number != NULL && left <= b->arms->budget; left++) {
        free(b->number[left]);
    }
    free(b->layer);
    free(b->number);
    og_block_files_close(b->files);
    og_block_share_free(b->share);
    b->share = NULL;
    b->layer = NULL;
    b->number = NULL;
    b->files = NULL;
}

void og_blocks_free(og_blocks *b)
{
    if (b == NULL) {
        return;
    }
    og_block_slots_clear(&b->slots);
    free(b->contracted);
    og_block_summaries_free(b->summaries);
    og_block_plan_free(b->plan);
    og_block_ranks_free(b->ranks);
    og_block_owners_free(b->owners);
    free(b->first_q);
    og_blocks_forget_layers(b);
    free(b);
}

void og_blocks_get_size(const og_blocks *b, og_blocks_size *out)
{
    *out = (og_blocks_size){.states = b->plan->states,
                            .types = b->plan->types,
                            .layer_states = b->layer_most,
                            .bytes = b->bytes,
                            .disk_bytes = b->disk_bytes};
    if (b->owners != NULL) {
        out->ranks = b->owners->ranks;
        out->sent_bytes = sizeof(double) * b->owners->sent;
    }
}

static void hash_arm(XXH3_state_t *hash, const og_arm *arm)
{
    size_t outcomes = (size_t)arm->outcome_count, nodes = og_arm_action_count(arm);
    const int64_t plain[] = {arm->depth, arm->outcome_count, (int64_t)nodes};
    XXH3_128bits_update(hash, plain, sizeof plain);
    XXH3_128bits_update(hash, arm->level, ((size_t)arm->depth + 1) * sizeof *arm->level);
    XXH3_128bits_update(hash, arm->reward, nodes * sizeof *arm->reward);
    XXH3_128bits_update(hash, arm->probability, nodes * outcomes * sizeof *arm->probability);
    XXH3_128bits_update(hash, arm->next, nodes * outcomes * sizeof *arm->next);
    if (arm->action_first != NULL) {
        size_t all = (size_t)arm->level[arm->depth] + 1;
        XXH3_128bits_update(hash, arm->action_first, all * sizeof *arm->action_first);
    }
    if (arm->cost != NULL) {
        XXH3_128bits_update(hash, arm->cost, nodes * sizeof *arm->cost);
    }
}

og_status og_blocks_fingerprint(const og_blocks *b, og_fingerprint *out)
{
    const og_arms *arms = b->arms;
    size_t groups = (size_t)arms->group_count;
    XXH3_state_t *hash = XXH3_createState();
    OG_TRY(OG_ALLOCATED(hash));
    XXH3_128bits_reset(hash);
    const int64_t plain[] = {arms->budget,
                             arms->arm_count,
                             arms->group_count,
                             b->use & ~OG_BLOCKS_FILES,
                             b->contracted != NULL,
                             b->ranks_of != NULL,
                             b->ties};
    XXH3_128bits_update(hash, plain, sizeof plain);
    XXH3_128bits_update(hash, arms->arm_of_group, groups * sizeof *arms->arm_of_group);
    XXH3_128bits_update(hash, arms->group_size, groups * sizeof *arms->group_size);
    for (int32_t a = 0; a < arms->arm_count; a++) {
        hash_arm(hash, arms->arm[a]);
    }
    for (int32_t left = 1; left <= arms->budget; left++) {
        for (int32_t a = 0; b->ranks_of != NULL && a < arms->arm_count; a++) {
            const uint32_t *rank = og_ranks_of(b->ranks_of, a, left);
            size_t nodes = arms->arm[a]->level[arms->budget - left + 1];
            XXH3_128bits_update(hash, rank, nodes * sizeof *rank);
        }
        const og_block_types *layer = &b->plan->layer[left];
        const uint64_t size[] = {layer->states, og_state_set_count(layer->set)};
        XXH3_128bits_update(hash, size, sizeof size);
    }
    XXH128_hash_t digest = XXH3_128bits_digest(hash);
    *out = (og_fingerprint){{digest.low64, digest.high64}};
    XXH3_freeState(hash);
    return OG_OK;
}

double og_blocks_relative_error(const og_blocks *b)
{
    const double u = 0x1p-53;
    double p_error = 0;
    double r_error = 0;
    for (int32_t a = 0; a < b->arms->arm_count; a++) {
        p_error = fmax(p_error, b->arms->arm[a]->probability_error);
        r_error = fmax(r_error, b->arms->arm[a]->reward_error);
    }
    double close = (b->use & OG_BLOCKS_TWO) != 0 ? 16 : 0; /* differences that it ignores */
    double draws = 0;
    if (b->ranks_of != NULL && b->ties == OG_TIES_RANDOM) {
        /* The groups of a type times their classes are at most the instances, and at most the first
         * groups plus one for each label. Each part has n + 2 roundings; one term more is a safety
         * margin, as in the recursion. */
        double parts = (double)b->arms->group_count + b->arms->budget;
        draws = fmin(parts, (double)og_arms_instances(b->arms)) + 4;
    }
    double step = p_error + u * (2.0 * b->outcomes + draws + close);
    return 1.01 * (b->arms->budget * step + r_error);
}

og_status og_blocks_q(const og_blocks *b, double *q, double *error, og_message *message)
{
    if ((b->use & OG_BLOCKS_Q) == 0 || !b->solved || b->arms->budget < 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the values of first labels were not computed");
    }
    double relative = 1.01 * og_blocks_relative_error(b);
    for (int32_t g = 0; g < b->arms->group_count; g++) {
        int32_t slot = 0;
        while (b->slots.arm[slot] != b->arms->arm_of_group[g]) {
            slot++;
        }
        q[g] = b->first_q[slot];
        error[g] = q[g] * relative;
    }
    return OG_OK;
}
