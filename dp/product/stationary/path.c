/*
 * Follows the probabilities of an instance through the stages of a stationary index, level by
 * level.
 */
#include "dp/product/stationary/path.h"

#include <stdlib.h>
#include <string.h>

static void places_new(og_arena *arena, uint32_t nodes, og_path_places *out)
{
    out->mass = og_arena_array(arena, nodes, sizeof *out->mass);
    out->rounds = og_arena_array(arena, nodes, sizeof *out->rounds);
    out->node = og_arena_array(arena, nodes, sizeof *out->node);
}

/* Adds roundings to a sum that had `sum` roundings. */
static uint32_t add_rounds(uint32_t sum, uint32_t rounds)
{
    return (rounds > sum ? rounds : sum) + 1;
}

static void places_add(og_path_places *to, uint32_t node, double chance, uint32_t rounds)
{
    if (to->mass[node] == 0) {
        to->node[to->count++] = node;
        to->rounds[node] = rounds;
    } else {
        to->rounds[node] = add_rounds(to->rounds[node], rounds);
    }
    to->mass[node] += chance;
}

/* Adds to the current visit. */
static void now_add(og_path *path, uint32_t node, double chance, uint32_t rounds)
{
    int32_t n = path->level[node];
    path->now_rounds[node] =
        path->now[node] == 0 ? rounds : add_rounds(path->now_rounds[node], rounds);
    path->now[node] += chance;
    path->low[n] = node < path->low[n] ? node : path->low[n];
    path->high[n] = node > path->high[n] ? node : path->high[n];
}

static void span_clear(og_path *path, int32_t level)
{
    path->low[level] = UINT32_MAX;
    path->high[level] = 0;
}

og_status og_path_new(const og_arm *arm, const uint32_t *rank, int32_t budget, og_path **out)
{
    og_path *path = og_arena_new(sizeof *path);
    OG_TRY(OG_ALLOCATED(path));
    uint32_t nodes = arm->node_count;
    size_t levels = (size_t)budget + 1;
    path->arm = arm;
    path->rank = rank;
    path->budget = budget;
    places_new(&path->arena, nodes, &path->wait);
    places_new(&path->arena, nodes, &path->next);
    path->level = og_arena_array(&path->arena, nodes, sizeof *path->level);
    path->now = og_arena_array(&path->arena, nodes, sizeof *path->now);
    path->now_rounds = og_arena_array(&path->arena, nodes, sizeof *path->now_rounds);
    path->low = og_arena_array(&path->arena, levels, sizeof *path->low);
    path->high = og_arena_array(&path->arena, levels, sizeof *path->high);
    og_status status = og_arena_status(&path->arena);
    if (status != OG_OK) {
        og_path_free(path);
        return status;
    }
    for (int32_t n = 0; n <= budget; n++) {
        span_clear(path, n);
        for (uint32_t x = arm->level[n]; x < arm->level[n + 1]; x++) {
            path->level[x] = n;
        }
    }
    places_add(&path->wait, 0, 1, 0);
    *out = path;
    return OG_OK;
}

void og_path_free(og_path *path)
{
    if (path != NULL) {
        free(path->gain);
        free(path->law);
    }
    og_arena_free(path);
}

uint64_t og_path_bytes(const og_arm *arm, int32_t budget)
{
    uint64_t places = sizeof(double) + 2 * sizeof(uint32_t);
    uint64_t node = 2 * places + sizeof(int32_t) + sizeof(double) + sizeof(uint32_t);
    return node * arm->node_count + 2 * sizeof(uint32_t) * ((uint64_t)budget + 1);
}

bool og_path_rank(const og_path *path, uint32_t *rank)
{
    bool any = false;
    *rank = 0;
    for (uint32_t i = 0; i < path->wait.count; i++) {
        uint32_t x = path->wait.node[i];
        if (path->level[x] < path->budget) {
            *rank = path->rank[x] > *rank ? path->rank[x] : *rank;
            any = true;
        }
    }
    return any;
}

/* Makes room for the rows of one more visit. */
static og_status need_room(og_path *path)
{
    if (path->visits + 1 < path->visits_room) {
        return OG_OK;
    }
    size_t rows = path->visits_room > 0 ? 2 * (size_t)path->visits_room : 2;
    size_t row = ((size_t)path->budget + 1) * sizeof(double);
    double *gain = realloc(path->gain, rows * row);
    path->gain = gain != NULL ? gain : path->gain;
    double *law = realloc(path->law, rows * row);
    path->law = law != NULL ? law : path->law;
    if (gain == NULL || law == NULL) {
        return OG_NO_MEMORY;
    }
    path->visits_room = (int32_t)rows;
    return OG_OK;
}

static void law_add(og_path *path, const og_path_places *places, double *law)
{
    for (uint32_t i = 0; i < places->count; i++) {
        uint32_t x = places->node[i];
        uint32_t rounds = places->rounds[x] + path->wait.count + path->next.count;
        law[path->level[x]] += places->mass[x];
        path->rounds = rounds > path->rounds ? rounds : path->rounds;
    }
}

/* Writes the row of the distribution after this many visits: all that wait, for this stage or a
 * later one. */
static void write_law(og_path *path, int32_t visits)
{
    size_t row = (size_t)path->budget + 1;
    double *law = path->law + (size_t)visits * row;
    memset(law, 0, row * sizeof *law);
    law_add(path, &path->wait, law);
    law_add(path, &path->next, law);
}

/* Moves the posteriors of this rank from those that wait for a later stage. */
static void begin_stage(og_path *path, uint32_t rank)
{
    og_path_places *wait = &path->wait;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < wait->count; i++) {
        uint32_t x = wait->node[i];
        if (path->level[x] == path->budget || path->rank[x] < rank) {
            wait->node[kept++] = x;
        } else {
            places_add(&path->next, x, wait->mass[x], wait->rounds[x]);
            wait->mass[x] = 0;
        }
    }
    wait->count = kept;
}

static void begin_visit(og_path *path)
{
    og_path_places *next = &path->next;
    for (uint32_t i = 0; i < next->count; i++) {
        uint32_t x = next->node[i];
        now_add(path, x, next->mass[x], next->rounds[x]);
        next->mass[x] = 0;
    }
    next->count = 0;
}

/* A label at a node: the instance then goes on, or waits for the next visit or a later stage. */
static void label(og_path *path, uint32_t x, double chance, uint32_t rank, bool apart)
{
    const og_arm *arm = path->arm;
    uint32_t rounds = path->now_rounds[x] + 1;
    bool last = path->level[x] + 1 == path->budget;
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        size_t outcome = (size_t)x * (size_t)arm->outcome_count + (size_t)k;
        uint32_t y = arm->next[outcome];
        double part = chance * arm->probability[outcome];
        if (part == 0) {
            continue;
        }
        if (last || path->rank[y] < rank) {
            places_add(&path->wait, y, part, rounds);
        } else if (apart && path->rank[y] == rank) {
            places_add(&path->next, y, part, rounds);
        } else {
            now_add(path, y, part, rounds);
        }
    }
}

static void play_visit(og_path *path, uint32_t rank, bool apart, double *gain)
{
    memset(gain, 0, ((size_t)path->budget + 1) * sizeof *gain);
    for (int32_t n = 0; n < path->budget; n++) {
        for (uint32_t x = path->low[n]; x <= path->high[n]; x++) {
            double chance = path->now[x];
            if (chance > 0) {
                path->now[x] = 0;
                gain[n] += chance * path->arm->reward[x];
                label(path, x, chance, rank, apart);
            }
        }
        span_clear(path, n);
    }
}

og_status og_path_play(og_path *path, uint32_t rank, bool apart)
{
    path->visits = 0;
    OG_TRY(need_room(path));
    write_law(path, 0);
    begin_stage(path, rank);
    while (path->next.count > 0) {
        if (path->visits == OG_PATH_VISITS_MAX) {
            return OG_STOPPED;
        }
        OG_TRY(need_room(path));
        begin_visit(path);
        play_visit(path, rank, apart,
                   path->gain + (size_t)path->visits * ((size_t)path->budget + 1));
        path->visits++;
        write_law(path, path->visits);
    }
    return OG_OK;
}
