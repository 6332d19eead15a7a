/*
 * A ranking split into its pairs. A pair's problem has the states of the ranking, up to renamings
 * that leave the pair unchanged. The cost of comparisons depends only on the number of comparisons
 * of the pair, so it is added at the end, when integrals are already known: a price takes one sweep
 * over the states. `price` is added to every comparison, and subtracted from the final sum, so that
 * nothing is negative.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "dp/base/grow.h"
#include "dp/base/parallel.h"
#include "dp/families/ranking_bounds.h"
#include "dp/families/ranking_names.h"

enum { ITEMS = OG_RANKING_ITEMS_MAX, PAIRS = OG_RANKING_PAIRS_MAX, GRAIN = 64, ASK_EVERY = 256 };

/* The states with so many comparisons to come. */
typedef struct {
    og_ranking_counts *state; /* [count]; NULL once their successors are known */
    size_t room;
    int32_t count;
    int32_t *slot; /* [slots] index + 1 of a state at its hash; 0: none */
    size_t slots;
    int32_t *next; /* [count][acts][2] in the level below; -1: not possible */
} level;

typedef struct {
    int32_t i, j;
    int32_t alike; /* number of pairs with the same values, including this one */
    og_ranking_names names;
    level *level;      /* [budget + 1], the last has no comparison to come */
    double (*mass)[2]; /* [count of the last] i above j, j above i */
} pair_problem;

struct og_ranking_split {
    og_arena arena;
    const og_ranking *ranking; /* borrowed */
    int32_t acts;              /* largest number in a state */
    int32_t pair_count;        /* different ones */
    pair_problem pair[PAIRS];
    og_ranking_names names; /* names of all equal items and workers */
    level end;              /* final states of all pairs under these names */
    double *above;          /* [count of these][items * items] */
    int32_t widest;         /* largest number of states of a level */
    double *value[2];       /* [widest] room */
    uint64_t bytes;
};

/* ---- levels ---- */

static uint64_t hash_of(const og_ranking_counts *x)
{
    uint64_t hash = XXH3_64bits(x->wins, sizeof x->wins);
    hash = XXH3_64bits_withSeed(x->compared, sizeof x->compared, hash);
    return XXH3_64bits_withSeed(x->said, sizeof x->said, hash);
}

/* The slot of a state, or an empty one for it. */
static size_t find_slot(const level *l, const og_ranking_counts *x)
{
    size_t at = hash_of(x) & (l->slots - 1);
    while (l->slot[at] != 0 && og_ranking_compare(&l->state[l->slot[at] - 1], x) != 0) {
        at = (at + 1) & (l->slots - 1);
    }
    return at;
}

static og_status make_room(level *l)
{
    og_ranking_counts *state = og_grown(l->state, &l->room, (size_t)l->count + 1, sizeof *l->state);
    OG_TRY(OG_ALLOCATED(state));
    l->state = state;
    if (2 * l->room > l->slots) {
        int32_t *slot = calloc(2 * l->room, sizeof *slot);
        OG_TRY(OG_ALLOCATED(slot));
        free(l->slot);
        l->slot = slot;
        l->slots = 2 * l->room;
        for (int32_t k = 0; k < l->count; k++) {
            l->slot[find_slot(l, &l->state[k])] = k + 1;
        }
    }
    return OG_OK;
}

static og_status level_put(level *l, const og_ranking_counts *x, int32_t *index)
{
    OG_TRY(make_room(l));
    size_t at = find_slot(l, x);
    if (l->slot[at] == 0) {
        l->state[l->count++] = *x;
        l->slot[at] = l->count;
    }
    *index = l->slot[at] - 1;
    return OG_OK;
}

/* Finds the successors of a state, for its row of `next`. */
static og_status follow(const pair_problem *p, const og_ranking_counts *from, level *below,
                        int32_t *next)
{
    const og_ranking_prior *prior = p->names.prior;
    char *const room[2] = {NULL, NULL};
    for (int32_t i = 0, pair = 0; i < prior->items; i++) {
        for (int32_t j = i + 1; j < prior->items; j++, pair++) {
            for (int32_t w = 0; w == 0 || w < prior->workers; w++, next += 2) {
                bool open = og_ranking_answer(from, w, pair) == OG_RANKING_UNASKED;
                next[0] = next[1] = -1;
                for (int32_t k = 0; open && k < 2; k++) {
                    og_ranking_counts after = *from, to;
                    og_ranking_add(prior, &after, k == 0 ? i : j, k == 0 ? j : i, w);
                    og_ranking_canonical(&p->names, &after, NULL, room, &to);
                    OG_TRY(level_put(below, &to, &next[k]));
                }
            }
        }
    }
    return OG_OK;
}

static og_status fill_level(og_ranking_split *split, pair_problem *p, int32_t t,
                            uint64_t bytes_most, og_stop *stop)
{
    level *now = &p->level[t], *below = &p->level[t + 1];
    size_t row = 2 * (size_t)split->acts;
    now->next = calloc((size_t)now->count * row, sizeof *now->next);
    OG_TRY(OG_ALLOCATED(now->next));
    split->bytes += (uint64_t)now->count * row * sizeof *now->next;
    for (int32_t s = 0; s < now->count; s++) {
        OG_TRY(follow(p, &now->state[s], below, &now->next[(size_t)s * row]));
        uint64_t held =
            split->bytes + below->room * sizeof *below->state + below->slots * sizeof *below->slot;
        if (held > bytes_most || (s % ASK_EVERY == 0 && og_stop_asked(stop))) {
            return OG_STOPPED;
        }
    }
    free(now->state);
    free(now->slot);
    now->state = NULL;
    now->slot = NULL;
    return OG_OK;
}

/* ---- the end ---- */

/* The final states of a pair under the names of all equal items: the integrals are the same. */
static og_status list_ends(og_ranking_split *split, const pair_problem *p, og_stop *stop)
{
    const level *last = &p->level[split->ranking->budget];
    char *const room[2] = {NULL, NULL};
    for (int32_t s = 0; s < last->count; s++) {
        og_ranking_counts end;
        int32_t index;
        og_ranking_canonical(&split->names, &last->state[s], NULL, room, &end);
        OG_TRY(level_put(&split->end, &end, &index));
        if (s % ASK_EVERY == 0 && og_stop_asked(stop)) {
            return OG_STOPPED;
        }
    }
    return OG_OK;
}

typedef struct {
    og_ranking_split *split;
    og_stop *stop;
} ends;

static void value_ends(void *context, int thread, int64_t begin, int64_t end)
{
    const ends *e = context;
    const og_ranking_posterior *p = &e->split->ranking->posterior;
    size_t masses = (size_t)(p->prior.items * p->prior.items);
    (void)thread;
    for (int64_t s = begin; s < end && !og_stop_asked(e->stop); s++) {
        og_ranking_masses(p, &e->split->end.state[s], &e->split->above[(size_t)s * masses]);
    }
}

/* Copies the masses of a pair's final states, in which its items have other names. */
static void take_masses(const og_ranking_split *split, pair_problem *p)
{
    const level *last = &p->level[split->ranking->budget];
    int32_t items = split->names.prior->items;
    char *const room[2] = {NULL, NULL};
    for (int32_t s = 0; s < last->count; s++) {
        og_ranking_counts end;
        int32_t o = og_ranking_canonical(&split->names, &last->state[s], NULL, room, &end);
        size_t at = (size_t)split->end.slot[find_slot(&split->end, &end)] - 1;
        int32_t i = 0, j = 0;
        while (split->names.order[o][i] != p->i) {
            i++;
        }
        while (split->names.order[o][j] != p->j) {
            j++;
        }
        const double *above = &split->above[at * (size_t)(items * items)];
        p->mass[s][0] = above[i * items + j];
        p->mass[s][1] = above[j * items + i];
    }
}

static og_status fill_ends(og_ranking_split *split, int threads, uint64_t bytes_most, og_stop *stop)
{
    size_t items = (size_t)split->names.prior->items;
    og_status status = OG_OK;
    for (int32_t k = 0; status == OG_OK && k < split->pair_count; k++) {
        status = list_ends(split, &split->pair[k], stop);
    }
    OG_TRY(status);
    size_t masses = (size_t)split->end.count * items * items;
    if (split->bytes + masses * sizeof *split->above > bytes_most) {
        return OG_STOPPED;
    }
    split->above = og_arena_array(&split->arena, masses, sizeof *split->above);
    OG_TRY(og_arena_status(&split->arena));
    ends e = {split, stop};
    og_parallel_ranges(threads, split->end.count, GRAIN, value_ends, &e);
    OG_TRY(stop != NULL ? og_stop_status(stop) : OG_OK);
    for (int32_t k = 0; k < split->pair_count; k++) {
        take_masses(split, &split->pair[k]);
    }
    return OG_OK;
}

/* Number of comparisons of the pair. */
static int32_t times_compared(const og_ranking_prior *prior, const og_ranking_counts *counts,
                              int32_t i, int32_t j)
{
    int32_t pair = og_ranking_pair(prior->items, i, j), times = counts->compared[pair];
    for (int32_t w = 0; w < prior->workers; w++) {
        times += og_ranking_answer(counts, w, pair) != OG_RANKING_UNASKED;
    }
    return times;
}

static og_status fill_pair(og_ranking_split *split, pair_problem *p, uint64_t bytes_most,
                           og_stop *stop)
{
    int32_t budget = split->ranking->budget, root;
    og_ranking_counts start;
    char *const room[2] = {NULL, NULL};
    p->level = og_arena_array(&split->arena, (size_t)budget + 1, sizeof *p->level);
    OG_TRY(og_arena_status(&split->arena));
    og_ranking_names_init(&p->names, split->names.prior, true, p->i, p->j);
    og_ranking_canonical(&p->names, &split->ranking->start, NULL, room, &start);
    OG_TRY(level_put(&p->level[0], &start, &root));
    for (int32_t t = 0; t < budget; t++) {
        OG_TRY(fill_level(split, p, t, bytes_most, stop));
    }
    p->mass = og_arena_array(&split->arena, (size_t)p->level[budget].count, sizeof *p->mass);
    for (int32_t t = 0; t <= budget; t++) {
        split->widest = p->level[t].count > split->widest ? p->level[t].count : split->widest;
    }
    return og_arena_status(&split->arena);
}

/* ---- pairs ---- */

/* Pairs of equal priors are alike if they have no comparisons yet. */
static void list_pairs(og_ranking_split *split)
{
    const og_ranking_prior *prior = &split->ranking->posterior.prior;
    for (int32_t i = 0; i < prior->items; i++) {
        for (int32_t j = i + 1; j < prior->items; j++) {
            double low = fmin(prior->item[i], prior->item[j]);
            double high = fmax(prior->item[i], prior->item[j]);
            int32_t k = 0;
            while (k < split->pair_count) {
                double one = prior->item[split->pair[k].i], other = prior->item[split->pair[k].j];
                if (split->ranking->had == 0 && fmin(one, other) == low &&
                    fmax(one, other) == high) {
                    break;
                }
                k++;
            }
            split->pair_count += k == split->pair_count;
            split->pair[k] = (pair_problem){.i = i, .j = j, .alike = split->pair[k].alike + 1};
        }
    }
}

og_status og_ranking_split_new(const og_ranking *ranking, int threads, uint64_t memory_bytes,
                               og_stop *stop, og_ranking_split **out)
{
    int32_t workers = ranking->posterior.prior.workers;
    og_ranking_split *split = og_arena_new(sizeof *split);
    OG_TRY(OG_ALLOCATED(split));
    split->ranking = ranking;
    split->acts = ranking->posterior.pairs * (workers > 0 ? workers : 1);
    og_ranking_names_init(&split->names, &ranking->posterior.prior, true, -1, -1);
    list_pairs(split);
    og_status status = OG_OK;
    for (int32_t k = 0; status == OG_OK && k < split->pair_count; k++) {
        status = fill_pair(split, &split->pair[k], memory_bytes, stop);
    }
    OG_THEN(status, fill_ends(split, threads, memory_bytes, stop));
    for (int32_t k = 0; k < 2; k++) {
        split->value[k] =
            og_arena_array(&split->arena, (size_t)split->widest, sizeof *split->value[k]);
    }
    OG_THEN(status, og_arena_status(&split->arena));
    return OG_MADE(status, split, og_ranking_split_free, out);
}

static void level_clear(level *l)
{
    free(l->state);
    free(l->slot);
    free(l->next);
}

void og_ranking_split_free(og_ranking_split *split)
{
    for (int32_t k = 0; split != NULL && k < split->pair_count; k++) {
        for (int32_t t = 0; split->pair[k].level != NULL && t <= split->ranking->budget; t++) {
            level_clear(&split->pair[k].level[t]);
        }
    }
    if (split != NULL) {
        level_clear(&split->end);
    }
    og_arena_free(split);
}

/* ---- values ---- */

/* Multiplied by the probability of the root, and with `price` added for each comparison. */
static double pair_value(og_ranking_split *split, const pair_problem *p, double price)
{
    const og_ranking_prior *prior = &split->ranking->posterior.prior;
    int32_t budget = split->ranking->budget, pairs = split->ranking->posterior.pairs;
    int32_t before = times_compared(prior, &split->ranking->start, p->i, p->j);
    double earned = pairs > 1 ? price * pairs / (pairs - 1) : 0;
    double *now = split->value[0], *below = split->value[1];
    for (int32_t s = 0; s < p->level[budget].count; s++) {
        int32_t own = times_compared(prior, &p->level[budget].state[s], p->i, p->j) - before;
        double up = p->mass[s][0], down = p->mass[s][1];
        now[s] = fmax(up, down) + (up + down) * (earned * (budget - own));
    }
    for (int32_t t = budget - 1; t >= 0; t--) {
        double *swap = below;
        below = now;
        now = swap;
        for (int32_t s = 0; s < p->level[t].count; s++) {
            const int32_t *next = &p->level[t].next[2 * (size_t)s * (size_t)split->acts];
            double best = -1;
            for (int32_t a = 0; a < split->acts; a++) {
                double sum = next[2 * a] < 0 ? -1 : below[next[2 * a]] + below[next[2 * a + 1]];
                best = fmax(best, sum);
            }
            now[s] = best;
        }
    }
    return now[0];
}

double og_ranking_split_value(og_ranking_split *split, double price, double *error)
{
    int32_t pairs = split->ranking->posterior.pairs;
    double sum = 0, whole = pairs > 1 ? price * split->ranking->budget : 0;
    for (int32_t k = 0; k < split->pair_count; k++) {
        sum += split->pair[k].alike * pair_value(split, &split->pair[k], price);
    }
    sum /= split->ranking->mass * pairs;
    *error = sum * (og_ranking_error(split->ranking) + (2 * pairs + 8) * DBL_EPSILON);
    return sum - whole;
}
