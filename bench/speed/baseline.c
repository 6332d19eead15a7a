/*
 * A baseline: the optimum as dynamic programming gives it after an afternoon's work. It uses the
 * plain Bellman equation and a good hash table of states, one thread, doubles and its own Beta
 * formulas, and no code from dp/. A state is the pair (positive, negative labels) of every
 * instance, two bytes each.
 *
 * With SORTED, pairs are sorted and only one of equal pairs is labelled, which identical instances
 * allow. There is no other reduction.
 *
 * The number of states is computed first: problems that need more than bytes_max (0: 2 GB) are not
 * tried, and bandits neither.
 */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "bench/speed/ladder.h"

enum { INSTANCES_MAX = 255, LABELS_MAX = 255 };

/* Labels of one instance. */
typedef struct {
    uint8_t positive, negative;
} counts;

/* A hash table with linear probing, at most seven tenths full. */
typedef struct {
    size_t key_bytes;
    size_t slots; /* a power of two */
    size_t used;
    unsigned char *key; /* [slots * key_bytes] */
    double *value;      /* [slots]; NaN: empty */
    size_t bytes_most;
} memory;

typedef struct {
    const ladder_rung *rung;
    bool failed;
    double *correct; /* [(budget + 1) * (budget + 1)] probability of a correct call */
    memory known;
} baseline;

/* ---- memory ---- */

static size_t slot_bytes(const memory *m)
{
    return m->key_bytes + sizeof(double);
}

static bool memory_init(memory *m, size_t key_bytes, size_t slots)
{
    m->key_bytes = key_bytes;
    m->slots = slots;
    m->used = 0;
    m->key = malloc(slots * key_bytes);
    m->value = malloc(slots * sizeof *m->value);
    m->bytes_most = slots * slot_bytes(m);
    if (m->key == NULL || m->value == NULL) {
        return false;
    }
    for (size_t i = 0; i < slots; i++) {
        m->value[i] = NAN;
    }
    return true;
}

static void memory_clear(memory *m)
{
    free(m->key);
    free(m->value);
}

/* The slot of the key, or the free slot for it. */
static size_t memory_find(const memory *m, const void *key)
{
    size_t slot = XXH3_64bits(key, m->key_bytes) & (m->slots - 1);
    while (!isnan(m->value[slot]) && memcmp(m->key + slot * m->key_bytes, key, m->key_bytes) != 0) {
        slot = (slot + 1) & (m->slots - 1);
    }
    return slot;
}

static void memory_set(memory *m, const void *key, double value)
{
    size_t slot = memory_find(m, key);
    memcpy(m->key + slot * m->key_bytes, key, m->key_bytes);
    m->value[slot] = value;
    m->used++;
}

static bool memory_put(memory *m, const void *key, double value)
{
    if (m->used >= m->slots / 10 * 7) {
        memory larger;
        if (!memory_init(&larger, m->key_bytes, 2 * m->slots)) {
            memory_clear(&larger);
            return false;
        }
        for (size_t i = 0; i < m->slots; i++) {
            if (!isnan(m->value[i])) {
                memory_set(&larger, m->key + i * m->key_bytes, m->value[i]);
            }
        }
        larger.bytes_most += m->slots * slot_bytes(m); /* both tables exist during the move */
        memory_clear(m);
        *m = larger;
    }
    memory_set(m, key, value);
    return true;
}

/* ---- recursion ---- */

static bool pair_above(counts x, counts y)
{
    return x.positive != y.positive ? x.positive > y.positive : x.negative > y.negative;
}

static bool pairs_equal(counts x, counts y)
{
    return x.positive == y.positive && x.negative == y.negative;
}

/* Pair i has grown: move it up to its place. */
static void restore_order(counts *state, int32_t count, int32_t i)
{
    counts moving = state[i];
    while (i + 1 < count && pair_above(moving, state[i + 1])) {
        state[i] = state[i + 1];
        i++;
    }
    state[i] = moving;
}

static double correct_calls(const baseline *b, const counts *state)
{
    double sum = 0;
    for (int32_t i = 0; i < b->rung->count; i++) {
        sum += b->correct[state[i].positive * (b->rung->budget + 1) + state[i].negative];
    }
    return sum;
}

/* The Bellman equation. */
static double value_of(baseline *b, const counts *state, int32_t left)
{
    if (left == 0) {
        return correct_calls(b, state);
    }
    double known = b->known.value[memory_find(&b->known, state)];
    if (!isnan(known)) {
        return known;
    }
    const ladder_rung *rung = b->rung;
    size_t bytes = (size_t)rung->count * sizeof(counts);
    counts next[INSTANCES_MAX];
    double best = 0;
    for (int32_t i = 0; i < rung->count && !b->failed; i++) {
        if (SORTED && i + 1 < rung->count && pairs_equal(state[i], state[i + 1])) {
            continue; /* the last of equal pairs represents all */
        }
        double p = (rung->a + state[i].positive) /
                   (rung->a + rung->b + state[i].positive + state[i].negative);
        double sum = 0;
        for (int positive = 0; positive <= 1; positive++) {
            memcpy(next, state, bytes);
            next[i].positive = (uint8_t)(next[i].positive + positive);
            next[i].negative = (uint8_t)(next[i].negative + 1 - positive);
            if (SORTED) {
                restore_order(next, rung->count, i);
            }
            sum += (positive ? p : 1 - p) * value_of(b, next, left - 1);
        }
        best = sum > best ? sum : best;
    }
    b->failed = b->failed || !memory_put(&b->known, state, best);
    return best;
}

/* ---- sizes ---- */

/*
 * The number of stored states: all with fewer than `budget` labels. Unsorted, labels are
 * distributed over 2 K counters, C(T - 1 + 2 K, 2 K). Sorted, these are multisets of K pairs,
 * counted one kind of pair after another; there are n + 1 kinds with n labels.
 */
static double states_needed(const ladder_rung *rung)
{
    int32_t most = rung->budget - 1;
    if (!SORTED) {
        double states = 1;
        for (int32_t i = 1; i <= 2 * rung->count; i++) {
            states = states * (most + i) / i; /* a binomial in each step, so exact below 2^53 */
        }
        return states;
    }
    int32_t width = most + 1;
    double *ways = calloc((size_t)(rung->count + 1) * (size_t)width, sizeof *ways);
    if (ways == NULL) {
        return INFINITY;
    }
    ways[0] = 1;
    for (int32_t labels = 0; labels <= most; labels++) {
        for (int32_t kind = 0; kind <= labels; kind++) {
            for (int32_t k = 1; k <= rung->count; k++) {
                for (int32_t t = labels; t <= most; t++) {
                    ways[k * width + t] += ways[(k - 1) * width + t - labels];
                }
            }
        }
    }
    double states = 0;
    for (int32_t t = 0; t <= most; t++) {
        states += ways[rung->count * width + t];
    }
    free(ways);
    return states;
}

/* ---- the solver ---- */

/* h of every posterior: the call is the more likely side of the threshold. */
static bool fill_correct(baseline *b)
{
    const ladder_rung *rung = b->rung;
    int32_t width = rung->budget + 1;
    b->correct = calloc((size_t)width * (size_t)width, sizeof *b->correct);
    if (b->correct == NULL) {
        return false;
    }
    for (int32_t s = 0; s < width; s++) {
        for (int32_t f = 0; s + f < width; f++) {
            double above = gsl_cdf_beta_Q(rung->threshold, rung->a + s, rung->b + f);
            b->correct[s * width + f] = fmax(above, 1 - above);
        }
    }
    return true;
}

static ladder_outcome solve(const ladder_rung *rung, const ladder_settings *settings,
                            ladder_measure *out)
{
    const double bytes_usual = 2e9;
    const size_t slots_first = 1024;
    double bytes_max = settings->bytes_max > 0 ? settings->bytes_max : bytes_usual;
    double states = states_needed(rung);
    double bytes = 2.0 * rung->count + sizeof(double);
    if (rung->threshold <= 0 || rung->count > INSTANCES_MAX || rung->budget > LABELS_MAX ||
        states / 0.35 * bytes * 1.5 > bytes_max) {        /* just doubled: old and new table */
        out->states = rung->threshold < 0 ? NAN : states; /* unknown for a ranking */
        return LADDER_TOO_LARGE;
    }
    double start = ladder_clock();
    baseline b = {.rung = rung};
    counts root[INSTANCES_MAX] = {{0, 0}};
    bool good = fill_correct(&b) &&
                memory_init(&b.known, (size_t)rung->count * sizeof(counts), slots_first);
    if (good) {
        out->value = value_of(&b, root, rung->budget);
        good = !b.failed;
    }
    out->seconds = ladder_clock() - start;
    out->states = (double)b.known.used;
    out->expanded = out->states;
    out->bytes = (double)b.known.bytes_most;
    memory_clear(&b.known);
    free(b.correct);
    return good && out->states == states ? LADDER_DONE : LADDER_FAILED;
}

int main(int argc, char **argv)
{
    return ladder_main(argc, argv, solve);
}
