/*
 * Bounds the states and the memory of a solve with the generating function of its classes; it
 * visits no state.
 */
#include "dp/product/forecast.h"

#include <math.h>
#include <string.h>

#include "dp/product/solver.h"

static const double count_steps_max = 1e9;

/* The data of a layer's live classes that the count needs. */
typedef struct {
    int32_t labels; /* least number of labels that lead to the class */
    int64_t cap;    /* number of copies that matter */
} counted_class;

/* Least and largest number of labels that lead to a class; least > most: it is never met. */
typedef struct {
    int32_t least;
    int32_t most;
} label_range;

static const label_range never_met = {INT32_MAX, -1};

static void widen(label_range *range, int32_t least, int32_t most)
{
    range->least = least < range->least ? least : range->least;
    range->most = most > range->most ? most : range->most;
}

/* Ranges of a layer from those of the layer above. */
static void ranges_below(const og_layer *above, const label_range *labels, label_range *below)
{
    for (uint32_t c = 0; c < above->class_count; c++) {
        if (labels[c].least > labels[c].most) {
            continue;
        }
        widen(&below[above->down[c]], labels[c].least, labels[c].most);
        for (uint32_t k = above->outcome_first[c]; k < above->outcome_first[c + 1]; k++) {
            widen(&below[above->next[k]], labels[c].least + 1, labels[c].most + 1);
        }
        if (c == 0 || above->outcome_first[c] == above->outcome_first[c + 1]) {
            widen(&below[0], labels[c].least + 1, labels[c].most + 1); /* dead, but labelled */
        }
    }
}

/* The live classes of a layer that can be met; returns their number. *plain is true if each is met
 * with one number of labels only. */
static size_t live_classes(const og_layer *layer, int32_t left, int64_t instances,
                           const label_range *labels, counted_class *out, bool *plain)
{
    size_t count = 0;
    *plain = true;
    for (uint32_t c = 1; c < layer->class_count; c++) {
        if (labels[c].least > labels[c].most || layer->first_live[c] == 0) {
            continue;
        }
        int64_t cap = left - layer->first_live[c] + 1;
        out[count++] = (counted_class){labels[c].least, cap < instances ? cap : instances};
        *plain = *plain && labels[c].least == labels[c].most;
    }
    return count;
}

/*
 * Counts multisets of at most `most` classes that `given` labels in all can lead to. They account
 * for all the labels, or for up to `dead` fewer if an instance that is now dead had the others.
 *
 * sum[k * (given + 1) + m] counts those of k instances and m labels. A factor (1 - z^(cap + 1)) /
 * (1 - z), z = x y^l, is one running sum upwards and, if the cap matters, one difference downwards.
 */
static double count_both(const counted_class *class, size_t count, int64_t most, int32_t given,
                         int32_t dead, double *sum)
{
    size_t width = (size_t)given + 1;
    memset(sum, 0, ((size_t)most + 1) * width * sizeof *sum);
    sum[0] = 1;
    for (size_t c = 0; c < count; c++) {
        size_t labels = (size_t) class[c].labels;
        size_t drop = (size_t) class[c].cap + 1;
        for (size_t k = 1; k <= (size_t)most; k++) {
            for (size_t m = labels; m < width; m++) {
                sum[k * width + m] += sum[(k - 1) * width + m - labels];
            }
        }
        for (size_t k = (size_t)most; k >= drop; k--) {
            for (size_t m = width; m-- > drop * labels;) {
                sum[k * width + m] -= sum[(k - drop) * width + m - drop * labels];
            }
        }
    }
    double all = 0;
    for (size_t k = 0; k <= (size_t)most; k++) {
        int32_t less = k < (size_t)most ? given - dead : -1;
        for (int32_t m = 0; m <= given; m++) {
            all += m <= less || m == given ? fmax(sum[k * width + (size_t)m], 0) : 0;
        }
    }
    return all;
}

/*
 * The same without counting instances and caps; classes of no labels are a separate factor. It is
 * the number of ways to write m as a sum of the classes' labels, from n a_n = sum_k b_k a_{n-k}.
 * Here b_k is the sum of d * N_d over the divisors d of k, and N_d the number of classes with d
 * labels.
 */
static double count_labels(const counted_class *class, size_t count, int32_t given, double *sum,
                           double *divisors)
{
    memset(divisors, 0, ((size_t)given + 1) * sizeof *divisors);
    double untouched = 1; /* choices of copies of classes without labels */
    for (size_t c = 0; c < count; c++) {
        int32_t labels = class[c].labels;
        if (labels == 0) {
            untouched *= (double)class[c].cap + 1;
        }
        for (int32_t k = labels; labels > 0 && k <= given; k += labels) {
            divisors[k] += labels;
        }
    }
    double all = 1;
    sum[0] = 1;
    for (int32_t n = 1; n <= given; n++) {
        sum[n] = 0;
        for (int32_t k = 1; k <= n; k++) {
            sum[n] += divisors[k] * sum[n - k];
        }
        sum[n] /= n;
        all += sum[n];
    }
    return all * untouched;
}

/* Number of steps of count_both over all layers. */
static double steps_of(const og_layers *layers, int64_t instances)
{
    double steps = 0;
    for (int32_t left = 1; left <= layers->budget; left++) {
        steps += (double)layers->layer[left].class_count * (layers->budget - left + 1) *
                 ((double)instances + 1);
    }
    return steps;
}

typedef struct {
    og_arena arena;
    label_range *labels;
    label_range *below;
    counted_class *class;
    double *sum;
    double *divisors;
} scratch;

static og_status scratch_init(scratch *s, const og_layers *layers, int64_t rows)
{
    size_t classes = 1;
    for (int32_t left = 0; left <= layers->budget; left++) {
        size_t count = layers->layer[left].class_count;
        classes = count > classes ? count : classes;
    }
    size_t width = (size_t)layers->budget + 1;
    s->labels = og_arena_array(&s->arena, classes, sizeof *s->labels);
    s->below = og_arena_array(&s->arena, classes, sizeof *s->below);
    s->class = og_arena_array(&s->arena, classes, sizeof *s->class);
    s->sum = og_arena_array(&s->arena, (size_t)rows * width, sizeof *s->sum);
    s->divisors = og_arena_array(&s->arena, width, sizeof *s->divisors);
    return og_arena_status(&s->arena);
}

static og_status count_states(const og_arms *arms, const og_layers *layers, int64_t instances,
                              og_stop *stop, double *states)
{
    bool both = steps_of(layers, instances) <= count_steps_max;
    scratch s = {.labels = NULL};
    og_status status = scratch_init(&s, layers, both ? instances + 1 : 1);
    if (status != OG_OK) {
        og_arena_clear(&s.arena);
        return status;
    }
    int32_t top = layers->budget;
    for (uint32_t c = 0; c < layers->layer[top].class_count; c++) {
        s.labels[c] = never_met;
    }
    for (int32_t a = 0; a < arms->arm_count; a++) {
        s.labels[layers->root_class[a]] = (label_range){0, 0};
    }
    /* The root; states with one label left are terminal. */
    *states = 1;
    for (int32_t left = top - 1; left >= 2 && !og_stop_asked(stop); left--) {
        const og_layer *layer = &layers->layer[left];
        for (uint32_t c = 0; c < layer->class_count; c++) {
            s.below[c] = never_met;
        }
        ranges_below(&layers->layer[left + 1], s.labels, s.below);
        label_range *above = s.labels;
        s.labels = s.below;
        s.below = above;
        bool plain;
        size_t count = live_classes(layer, left, instances, s.labels, s.class, &plain);
        int32_t given = top - left;
        int32_t dead = !plain ? 0 : s.labels[0].least < given ? s.labels[0].least : given;
        *states += both ? count_both(s.class, count, instances, given, dead, s.sum)
                        : count_labels(s.class, count, given, s.sum, s.divisors);
    }
    og_arena_clear(&s.arena);
    return og_stop_status(stop);
}

/* Bytes of an entry in a table that is two thirds full on average, for a key of average length. */
static double entry_bytes(const og_product *product, int64_t instances)
{
    int32_t half = product->budget / 2;
    double pairs = fmin((double)instances, sqrt(2.0 * product->budget));
    double bits = product->left_bits + pairs * (product->order[half] + 4);
    double words = 2;
    while (words * 64 < bits) {
        words *= 2;
    }
    return (words + 1.4) * 8 * 1.5 * 1.4;
}

og_status og_forecast_make(const og_arms *arms, const og_settings *settings, og_forecast *out,
                           og_message *message)
{
    og_settings all = *settings;
    all.reductions = OG_REDUCE_ALL;
    all.checkpoint = NULL;
    og_solver *solver;
    OG_TRY(og_solver_new(arms, &all, &solver, message));
    int64_t instances = og_arms_capped(arms);
    og_forecast forecast;
    og_status status =
        count_states(arms, solver->layers, instances, og_stop_of(settings), &forecast.states);
    if (status == OG_OK) {
        forecast.bytes_per_state = entry_bytes(&solver->product, instances);
        forecast.table_bytes = solver->valuation.fixed_bytes;
        forecast.memory_bytes =
            (double)forecast.table_bytes + forecast.states * forecast.bytes_per_state;
        *out = forecast;
    }
    og_solver_free(solver);
    return status;
}
