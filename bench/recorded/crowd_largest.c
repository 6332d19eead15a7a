/* Numbers of labels in groups, and which class has the largest theta after them. */
#include "bench/recorded/crowd_largest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/crowd_classes.h"

/* ---- numbers ---- */

static size_t count_entries(int32_t dims, int32_t most)
{
    double entries = 1;
    for (int32_t j = 1; j <= dims; j++) {
        entries = entries * (most + j) / j;
    }
    return (size_t)rint(entries);
}

/* The last group that has a label; 0: none has. */
static int32_t last_group(const og_crowd_numbers *numbers, uint32_t entry)
{
    const uint16_t *count = numbers->count + (size_t)entry * (size_t)numbers->dims;
    int32_t last = numbers->dims - 1;
    while (last > 0 && count[last] == 0) {
        last--;
    }
    return last;
}

/* An entry is made from the one without a label of its last group; so all have one maker. */
static void fill_level(og_crowd_numbers *numbers, int32_t sum, uint32_t *maker)
{
    size_t dims = (size_t)numbers->dims;
    uint32_t end = numbers->first[sum + 1], made = end;
    for (uint32_t entry = numbers->first[sum]; entry < end; entry++) {
        for (size_t j = (size_t)last_group(numbers, entry); j < dims; j++) {
            uint16_t *count = numbers->count + made * dims;
            memcpy(count, numbers->count + entry * dims, dims * sizeof *count);
            count[j]++;
            maker[made] = entry;
            numbers->next[entry * dims + j] = made++;
        }
    }
    numbers->first[sum + 2] = made;
    for (uint32_t entry = numbers->first[sum]; entry < end; entry++) {
        size_t last = (size_t)last_group(numbers, entry);
        for (size_t j = 0; j < last; j++) {
            uint32_t other = numbers->next[maker[entry] * dims + j];
            numbers->next[entry * dims + j] = numbers->next[other * dims + last];
        }
    }
}

og_status og_crowd_numbers_init(og_arena *arena, int32_t dims, int32_t most, og_crowd_numbers *out)
{
    size_t width = (size_t)dims, entries = count_entries(dims, most);
    *out = (og_crowd_numbers){.dims = dims, .most = most};
    out->first = og_arena_array(arena, (size_t)most + 2, sizeof *out->first);
    out->next = og_arena_array(arena, entries * width, sizeof *out->next);
    out->count = og_arena_array(arena, entries * width, sizeof *out->count);
    uint32_t *maker = calloc(entries, sizeof *maker);
    og_status status = maker != NULL ? og_arena_status(arena) : OG_NO_MEMORY;
    if (status == OG_OK) {
        out->first[1] = 1;
    }
    for (int32_t sum = 0; status == OG_OK && sum < most; sum++) {
        fill_level(out, sum, maker);
    }
    free(maker);
    return status;
}

/* ---- the largest ---- */

/* A point t: for each class and number of labels n, the density of Gamma(alpha + n) times t, and
 * the probability below t; of the last group, for its number: with the class the largest, and all
 * below. */
typedef struct {
    const og_crowd_numbers *numbers;
    int32_t classes, named, labels;
    const double *alpha;
    size_t width;                        /* labels + 1 */
    double *log_gamma, *density, *below; /* [classes][width] */
    double *urn;                         /* [classes][width] balls of a class in the urn */
    double *together;                    /* [width] balls of the last group */
    double *part, *spare;                /* [width] */
    double *largest;                     /* [classes][width] */
    double *all_below;                   /* [width] */
} point;

static double *row(double *table, const point *at, int32_t k)
{
    return table + (size_t)k * at->width;
}

/* out[n] = (alpha)_n / n! * scale^n. */
static void fill_urn(double alpha, double scale, const point *at, double *out)
{
    out[0] = 1;
    for (int32_t n = 0; n < at->labels; n++) {
        out[n + 1] = out[n] * ((alpha + n) / (n + 1) * scale);
    }
}

static og_status point_init(og_arena *arena, point *at)
{
    size_t all = (size_t)at->classes * at->width;
    double **table[] = {&at->log_gamma, &at->density, &at->below, &at->urn, &at->largest};
    double **line[] = {&at->together, &at->part, &at->spare, &at->all_below};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        *table[i] = og_arena_array(arena, all, sizeof(double));
    }
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        *line[i] = og_arena_array(arena, at->width, sizeof(double));
    }
    OG_TRY(og_arena_status(arena));
    double sum = 0;
    for (int32_t k = at->named; k < at->classes; k++) {
        sum += at->alpha[k];
    }
    double scale = (at->labels / 2.0 + 1) / (sum + at->labels / 2.0);
    for (int32_t k = 0; k < at->classes; k++) {
        fill_urn(at->alpha[k], scale, at, row(at->urn, at, k));
        for (int32_t n = 0; n <= at->labels; n++) {
            row(at->log_gamma, at, k)[n] = lgamma(at->alpha[k] + n + 1);
        }
    }
    fill_urn(sum, scale, at, at->together);
    return OG_OK;
}

/* part = part times the urn's balls of a class, weighed by chance[]; up to all labels. */
static void add_class(point *at, const double *urn, const double *chance)
{
    double *last = at->part;
    for (int32_t n = 0; n <= at->labels; n++) {
        double sum = 0;
        for (int32_t i = 0; i <= n; i++) {
            sum += last[n - i] * urn[i] * chance[i];
        }
        at->spare[n] = sum;
    }
    at->part = at->spare;
    at->spare = last;
}

/* The last group, with one of its classes the largest, or -1: none. */
static void fill_group(point *at, int32_t winner, double *out)
{
    memset(at->part, 0, at->width * sizeof *at->part);
    at->part[0] = 1;
    for (int32_t k = at->named; k < at->classes; k++) {
        add_class(at, row(at->urn, at, k), row(k == winner ? at->density : at->below, at, k));
    }
    for (int32_t n = 0; n <= at->labels; n++) {
        out[n] = at->part[n] / at->together[n];
    }
}

static void fill_point(point *at, double log_t)
{
    for (int32_t k = 0; k < at->classes; k++) {
        og_crowd_gammas(at->alpha[k], at->labels, row(at->log_gamma, at, k), log_t,
                        row(at->density, at, k), row(at->below, at, k));
    }
    for (int32_t k = at->named; k < at->classes; k++) {
        bool same = k > at->named && at->alpha[k] == at->alpha[k - 1];
        if (same) {
            memcpy(row(at->largest, at, k), row(at->largest, at, k - 1),
                   at->width * sizeof(double));
        } else {
            fill_group(at, k, row(at->largest, at, k));
        }
    }
    if (at->named < at->classes) {
        fill_group(at, -1, at->all_below);
    }
}

/* Adds the integrals' value at the point for one entry. */
static void add_entry(point *at, uint32_t entry, int32_t sum, double weight, double *chance)
{
    const uint16_t *count = at->numbers->count + (size_t)entry * (size_t)at->numbers->dims;
    bool grouped = at->named < at->classes;
    int32_t in_group = grouped ? count[at->named - 1] : 0;
    double below[OG_CLASSES_MAX], density[OG_CLASSES_MAX], after[OG_CLASSES_MAX + 1];
    for (int32_t k = 0; k < at->named; k++) {
        int32_t n = k == 0 ? at->labels - sum : count[k - 1];
        below[k] = row(at->below, at, k)[n];
        density[k] = row(at->density, at, k)[n];
    }
    after[at->named] = weight * (grouped ? at->all_below[in_group] : 1);
    for (int32_t k = at->named - 1; k >= 0; k--) {
        after[k] = below[k] * after[k + 1];
    }
    double before = 1;
    for (int32_t k = 0; k < at->named; k++) {
        chance[k] += before * density[k] * after[k + 1];
        before *= below[k];
    }
    for (int32_t k = at->named; k < at->classes; k++) {
        chance[k] += weight * before * row(at->largest, at, k)[in_group];
    }
}

static void add_point(point *at, double weight, double *chance)
{
    const uint32_t *first = at->numbers->first;
    for (int32_t sum = 0; sum <= at->labels; sum++) {
        for (uint32_t entry = first[sum]; entry < first[sum + 1]; entry++) {
            add_entry(at, entry, sum, weight, chance + entry * (size_t)at->classes);
        }
    }
}

static og_status integrate(point *at, og_stop *stop, double *chance)
{
    double sum = 0, most = 0;
    for (int32_t k = 0; k < at->classes; k++) {
        sum += at->alpha[k];
        most = fmax(most, at->alpha[k]);
    }
    og_crowd_steps steps = og_crowd_steps_of(sum, most, at->labels);
    for (int32_t n = 0; n < steps.count; n++) {
        fill_point(at, steps.first + n * steps.step);
        add_point(at, n == 0 ? steps.weight : 1, chance);
        OG_TRY(og_stop_asked(stop) ? OG_STOPPED : OG_OK);
    }
    return OG_OK;
}

og_status og_crowd_largest(const og_crowd_numbers *numbers, int32_t classes, int32_t named,
                           int32_t labels, const double *alpha, og_stop *stop, double **chance)
{
    og_arena arena = {0};
    size_t entries = numbers->first[labels + 1], width = (size_t)classes;
    point at = {.numbers = numbers,
                .classes = classes,
                .named = named,
                .labels = labels,
                .alpha = alpha,
                .width = (size_t)labels + 1};
    double *made = calloc(entries * width, sizeof *made);
    og_status status = OG_ALLOCATED(made);
    OG_THEN(status, point_init(&arena, &at));
    OG_THEN(status, integrate(&at, stop, made));
    for (size_t entry = 0; status == OG_OK && entry < entries; entry++) {
        double sum = 0, *here = made + entry * width;
        for (size_t k = 0; k < width; k++) {
            sum += here[k];
        }
        for (size_t k = 0; k < width; k++) {
            here[k] /= sum;
        }
    }
    og_arena_clear(&arena);
    if (status != OG_OK) {
        free(made);
        return status;
    }
    *chance = made;
    return OG_OK;
}
