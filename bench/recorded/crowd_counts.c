/* Tasks of several classes, labelled with two coins: sums over the labels of reliable workers. */
#include "bench/recorded/crowd_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

og_status og_crowd_counts_init(og_arena *arena, int32_t classes, int32_t longest,
                               og_crowd_counts *out)
{
    *out = (og_crowd_counts){.arena = arena, .classes = classes, .longest = longest};
    out->rise = og_arena_array(arena, (size_t)classes * ((size_t)longest + 1), sizeof *out->rise);
    return OG_ALLOCATED(out->rise);
}

static void forget(og_crowd_counts *all)
{
    for (int32_t i = 0; i < OG_CROWD_COUNTS_KEPT; i++) {
        free(all->kept[i].chance);
        all->kept[i].chance = NULL;
    }
}

void og_crowd_counts_clear(og_crowd_counts *all)
{
    forget(all);
    *all = (og_crowd_counts){.arena = NULL};
}

void og_crowd_counts_begin(og_crowd_counts *all, const double *alpha)
{
    memcpy(all->alpha, alpha, (size_t)all->classes * sizeof *alpha);
    forget(all);
}

/* ---- a task ---- */

/* Numbers of labels up to these, in so many groups. */
static double count_numbers(int32_t labels, int32_t groups)
{
    double all = 1;
    for (int32_t j = 1; j <= groups; j++) {
        all = all * (labels + j) / j;
    }
    return all;
}

static bool is_in_range(int32_t labels, int32_t groups)
{
    return labels <= OG_CROWD_COUNTS_LABELS &&
           count_numbers(labels, groups) <= OG_CROWD_COUNTS_ENTRIES;
}

/* Classes with equal lines and parameters are equal here. */
static int compare_classes(const og_crowd_counts *all, int32_t k, int32_t l)
{
    if (all->alpha[k] != all->alpha[l]) {
        return all->alpha[k] < all->alpha[l] ? -1 : 1;
    }
    if (all->count[k] != all->count[l]) {
        return all->count[k] < all->count[l] ? -1 : 1;
    }
    for (int32_t i = 0; i < all->count[k]; i++) {
        int order = og_crowd_lines_compare(&all->line[k][i], &all->line[l][i]);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

/* The last class, then the others with labels, then those without. */
static void sort_classes(og_crowd_counts *all)
{
    int32_t last = all->classes - 1, placed = 1;
    all->order[0] = last;
    for (int32_t with = 1; with >= 0; with--) {
        int32_t from = placed;
        for (int32_t k = 0; k < last; k++) {
            if ((all->count[k] > 0) != (with == 1)) {
                continue;
            }
            int32_t place = placed++;
            for (; place > from && compare_classes(all, all->order[place - 1], k) > 0; place--) {
                all->order[place] = all->order[place - 1];
            }
            all->order[place] = k;
        }
        all->named = with == 1 ? placed : all->named;
    }
    all->groups = all->named + (all->named < all->classes ? 1 : 0);
}

static og_status make_room(og_crowd_counts *all, size_t entries)
{
    if (entries <= all->room) {
        return OG_OK;
    }
    entries += entries / 2;
    all->prefix = og_arena_array(all->arena, entries, sizeof *all->prefix);
    all->weight = og_arena_array(all->arena, entries, sizeof *all->weight);
    all->value = og_arena_array(all->arena, entries, sizeof *all->value);
    all->room = entries;
    return og_arena_status(all->arena);
}

static og_status find_numbers(og_crowd_counts *all)
{
    og_crowd_numbers *numbers = &all->numbers[all->groups - 1];
    int32_t most = all->labels;
    all->own = numbers;
    if (numbers->dims > 0) {
        return OG_OK;
    }
    while (most < all->longest && is_in_range(most + 1, all->groups)) {
        most++;
    }
    return og_crowd_numbers_init(all->arena, all->groups - 1, most, numbers);
}

/* The parameter of a group. */
static double parameter_of(const og_crowd_counts *all, int32_t group)
{
    double sum = 0;
    for (int32_t i = group; i < (group < all->named ? group + 1 : all->classes); i++) {
        sum += all->alpha[all->order[i]];
    }
    return sum;
}

static double *rise_of(const og_crowd_counts *all, int32_t group)
{
    return all->rise + (size_t)group * ((size_t)all->longest + 1);
}

static void fill_weights(og_crowd_counts *all)
{
    const og_crowd_numbers *own = all->own;
    double scale = all->labels / 2.0;
    for (int32_t group = 0; group < all->groups; group++) {
        scale += parameter_of(all, group);
    }
    for (int32_t group = 0; group < all->groups; group++) {
        double *rise = rise_of(all, group), alpha = parameter_of(all, group);
        rise[0] = 1;
        for (int32_t n = 0; n < all->labels; n++) {
            rise[n + 1] = rise[n] * ((alpha + n) / scale);
        }
    }
    for (int32_t sum = 0; sum <= all->labels; sum++) {
        for (uint32_t entry = own->first[sum]; entry < own->first[sum + 1]; entry++) {
            const uint16_t *count = own->count + (size_t)entry * (size_t)own->dims;
            double weight = rise_of(all, 0)[all->labels - sum];
            for (int32_t j = 0; j < own->dims; j++) {
                weight *= rise_of(all, j + 1)[count[j]];
            }
            all->weight[entry] = weight;
        }
    }
}

/* The factors of a line in the class of that group. */
static void factors_of(const og_crowd_counts *all, int32_t group, const og_crowd_line *line,
                       double *factor)
{
    double others = group == 0 ? line->rest : (1 - line->at) / (all->classes - 1);
    for (int32_t other = 0; other < all->groups; other++) {
        factor[other] = others;
    }
    factor[0] = line->rest;
    factor[group] = line->at;
}

/* next = last times the line. */
static void times_line(const og_crowd_counts *all, const double *last, int32_t labels,
                       const double *factor, double *next)
{
    const og_crowd_numbers *own = all->own;
    size_t dims = (size_t)own->dims;
    memset(next, 0, own->first[labels + 2] * sizeof *next);
    for (uint32_t entry = 0; entry < own->first[labels + 1]; entry++) {
        next[entry] += factor[0] * last[entry];
        for (size_t j = 0; j < dims; j++) {
            next[own->next[entry * dims + j]] += factor[j + 1] * last[entry];
        }
    }
}

static size_t prefix_end(const og_crowd_counts *all)
{
    size_t sum = 0;
    for (int32_t n = 0; n <= all->labels; n++) {
        sum += all->own->first[n + 1];
    }
    return sum;
}

og_status og_crowd_counts_take(og_crowd_counts *all, og_crowd_line *const *line,
                               const int32_t *count, og_message *message)
{
    all->labels = 0;
    for (int32_t k = 0; k < all->classes; k++) {
        all->line[k] = line[k];
        all->count[k] = count[k];
        all->labels += count[k];
    }
    sort_classes(all);
    if (!is_in_range(all->labels, all->groups)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--workers-prior A,B/A,B, two coins, does not support a task with %d "
                              "labels of %d classes; give A,B",
                              (int)all->labels, (int)all->classes);
    }
    OG_TRY(find_numbers(all));
    OG_TRY(make_room(all, prefix_end(all)));
    fill_weights(all);
    double *prefix = all->prefix;
    int32_t labels = 0;
    prefix[0] = 1;
    for (int32_t group = 0; group < all->named; group++) {
        int32_t k = all->order[group];
        for (int32_t i = 0; i < count[k]; i++, labels++) {
            double factor[OG_CLASSES_MAX], *next = prefix + all->own->first[labels + 1];
            factors_of(all, group, &line[k][i], factor);
            times_line(all, prefix, labels, factor, next);
            prefix = next;
        }
    }
    return OG_OK;
}

int64_t og_crowd_counts_work(const og_crowd_counts *all)
{
    return (int64_t)prefix_end(all) * all->groups;
}

/* Takes the line after the prefix away, into the values: of the numbers with it they become those
 * without. */
static void take_away(og_crowd_counts *all, const double *prefix, int32_t labels, int32_t group,
                      og_crowd_line *line)
{
    const og_crowd_numbers *own = all->own;
    size_t dims = (size_t)own->dims;
    double factor[OG_CLASSES_MAX], with[OG_CLASSES_MAX] = {0}, sum = 0, *value = all->value;
    factors_of(all, group, line, factor);
    for (uint32_t entry = 0; entry < own->first[labels + 1]; entry++) {
        double before = value[entry], after = factor[0] * before;
        with[0] += prefix[entry] * before;
        for (size_t j = 0; j < dims; j++) {
            double next = value[own->next[entry * dims + j]];
            with[j + 1] += prefix[entry] * next;
            after += factor[j + 1] * next;
        }
        value[entry] = after;
    }
    for (int32_t other = all->groups - 1; other > 0; other--) {
        sum += with[other];
    }
    line->mean.right = with[group] / (sum + with[0]);
    line->mean.wrong = (group == 0 ? sum : with[0]) / (sum + with[0]);
}

/* Equal lines have equal means, also in equal classes. */
static void make_equal(og_crowd_counts *all)
{
    for (int32_t group = 0; group < all->named; group++) {
        int32_t k = all->order[group], before = all->order[group > 0 ? group - 1 : 0];
        bool same_class = group > 1 && compare_classes(all, before, k) == 0;
        for (int32_t i = 0; i < all->count[k]; i++) {
            og_crowd_line *line = &all->line[k][i];
            if (same_class) {
                line->mean = all->line[before][i].mean;
            } else if (i > 0 && og_crowd_lines_equal(line, line - 1)) {
                line->mean = line[-1].mean;
            }
        }
    }
}

void og_crowd_counts_means(og_crowd_counts *all)
{
    const double *prefix = all->prefix + prefix_end(all);
    int32_t labels = all->labels;
    prefix -= all->own->first[labels + 1];
    memcpy(all->value, all->weight, all->own->first[labels + 1] * sizeof *all->value);
    for (int32_t group = all->named - 1; group >= 0; group--) {
        int32_t k = all->order[group];
        for (int32_t i = all->count[k] - 1; i >= 0; i--) {
            labels--;
            prefix -= all->own->first[labels + 1];
            take_away(all, prefix, labels, group, &all->line[k][i]);
        }
    }
    make_equal(all);
}

/* value[entries]: the probabilities of the numbers; returns how many. */
static uint32_t find_chances(og_crowd_counts *all)
{
    uint32_t entries = all->own->first[all->labels + 1];
    const double *product = all->prefix + prefix_end(all) - entries;
    double sum = 0;
    for (uint32_t entry = 0; entry < entries; entry++) {
        all->value[entry] = product[entry] * all->weight[entry];
        sum += all->value[entry];
    }
    for (uint32_t entry = 0; entry < entries; entry++) {
        all->value[entry] /= sum;
    }
    return entries;
}

/* Adds the tails of a group, of whose numbers n these are the probabilities. */
static void add_tails(og_crowd_counts *all, int32_t group, const double *chance, double unit,
                      int64_t *beyond)
{
    size_t width = (size_t)all->classes + 1;
    double above = 0, sum = parameter_of(all, group), firsts = 0;
    for (int32_t j = all->labels - 1; j >= 0; j--) {
        above += chance[j + 1];
        firsts += above / (sum + j);
        if (group < all->named) {
            beyond[(size_t)j * width + (size_t)all->order[group]] +=
                (int64_t)rint(unit * fmin(1, above));
        }
    }
    for (int32_t i = all->named; group == all->named && i < all->classes; i++) {
        int32_t k = all->order[i];
        beyond[k] += (int64_t)rint(unit * fmin(1, firsts * all->alpha[k]));
    }
}

void og_crowd_counts_tails(og_crowd_counts *all, double unit, int64_t *beyond)
{
    const og_crowd_numbers *own = all->own;
    size_t width = (size_t)all->classes + 1;
    double chance[OG_CLASSES_MAX][OG_CROWD_COUNTS_LABELS + 1];
    find_chances(all);
    for (int32_t group = 0; group < all->groups; group++) {
        memset(chance[group], 0, ((size_t)all->labels + 1) * sizeof(double));
    }
    for (int32_t sum = 0; sum <= all->labels; sum++) {
        for (uint32_t entry = own->first[sum]; entry < own->first[sum + 1]; entry++) {
            chance[0][all->labels - sum] += all->value[entry];
            for (int32_t j = 0; j < own->dims; j++) {
                chance[j + 1][own->count[(size_t)entry * (size_t)own->dims + (size_t)j]] +=
                    all->value[entry];
            }
        }
    }
    for (int32_t group = 0; group < all->groups; group++) {
        bool same = group > 1 && group < all->named &&
                    compare_classes(all, all->order[group - 1], all->order[group]) == 0;
        add_tails(all, group, chance[same ? group - 1 : group], unit, beyond);
    }
    for (int32_t j = 0; j < all->labels; j++) {
        beyond[(size_t)j * width + (size_t)all->classes] += (int64_t)unit;
    }
}

/* ---- calls ---- */

static og_status find_kept(og_crowd_counts *all, og_stop *stop, const double **chance)
{
    og_crowd_kept one = {.named = all->named, .labels = all->labels};
    for (int32_t i = 0; i < all->classes; i++) {
        one.alpha[i] = all->alpha[all->order[i]];
    }
    for (int32_t i = 0; i < OG_CROWD_COUNTS_KEPT; i++) {
        const og_crowd_kept *kept = &all->kept[i];
        if (kept->chance != NULL && kept->named == one.named && kept->labels == one.labels &&
            memcmp(kept->alpha, one.alpha, sizeof one.alpha) == 0) {
            *chance = kept->chance;
            return OG_OK;
        }
    }
    og_crowd_kept *place = &all->kept[all->next_kept];
    OG_TRY(og_crowd_largest(all->own, all->classes, one.named, one.labels, one.alpha, stop,
                            &one.chance));
    free(place->chance);
    *place = one;
    all->next_kept = (all->next_kept + 1) % OG_CROWD_COUNTS_KEPT;
    *chance = one.chance;
    return OG_OK;
}

og_status og_crowd_counts_call(og_crowd_counts *all, og_stop *stop, double *chance)
{
    const double *largest;
    double sum[OG_CLASSES_MAX] = {0};
    OG_TRY(find_kept(all, stop, &largest));
    uint32_t entries = find_chances(all);
    for (uint32_t entry = 0; entry < entries; entry++) {
        for (int32_t i = 0; i < all->classes; i++) {
            sum[i] += all->value[entry] * largest[entry * (size_t)all->classes + (size_t)i];
        }
    }
    for (int32_t i = 0; i < all->classes; i++) {
        bool same = i > 1 && compare_classes(all, all->order[i - 1], all->order[i]) == 0;
        chance[all->order[i]] = same ? chance[all->order[i - 1]] : sum[i];
    }
    return OG_OK;
}
