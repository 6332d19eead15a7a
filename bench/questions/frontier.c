/*
 * Bounds of a convex function of which some values are known. Invariant: samples ascend by price;
 * the first is the price 0 and the last one at which no label is bought.
 */
#include "bench/questions/frontier.h"

#include <stdlib.h>
#include <string.h>

#include "dp/base/rational.h"

typedef struct {
    mpq_t price, low, high; /* low <= W(price) <= high */
} sample;

/* value + slope * (z - at) */
typedef struct {
    mpq_t at, value, slope;
} line;

struct og_frontier {
    og_priced_gains gains;
    sample *sample; /* [count] */
    int32_t count, room, solved;
    line left, right; /* bounds between two samples, from the left and from the right of them */
    mpq_t cross, bound, x, y;
};

static void line_init(line *made)
{
    mpq_inits(made->at, made->value, made->slope, NULL);
}

static void line_clear(line *made)
{
    mpq_clears(made->at, made->value, made->slope, NULL);
}

/* Makes room for one more sample. */
static og_status reserve(og_frontier *f)
{
    if (f->count < f->room) {
        return OG_OK;
    }
    int32_t room = 2 * f->room + 8;
    sample *more = realloc(f->sample, (size_t)room * sizeof *more);
    OG_TRY(OG_ALLOCATED(more));
    f->sample = more;
    for (; f->room < room; f->room++) {
        mpq_inits(more[f->room].price, more[f->room].low, more[f->room].high, NULL);
    }
    return OG_OK;
}

og_status og_frontier_new(const og_priced_gains *gains, const mpq_t low, const mpq_t high,
                          og_frontier **out)
{
    og_frontier *f = calloc(1, sizeof *f);
    OG_TRY(OG_ALLOCATED(f));
    f->gains = *gains;
    line_init(&f->left);
    line_init(&f->right);
    mpq_inits(f->cross, f->bound, f->x, f->y, NULL);
    og_status status = reserve(f);
    if (status == OG_OK) {
        mpq_set(f->sample[0].low, low);
        mpq_set(f->sample[0].high, high);
        og_fraction_get_mpq(f->sample[1].price, gains->price_none);
        f->count = 2;
    }
    return OG_MADE(status, f, og_frontier_free, out);
}

void og_frontier_free(og_frontier *f)
{
    if (f == NULL) {
        return;
    }
    for (int32_t i = 0; i < f->room; i++) {
        mpq_clears(f->sample[i].price, f->sample[i].low, f->sample[i].high, NULL);
    }
    free(f->sample);
    line_clear(&f->left);
    line_clear(&f->right);
    mpq_clears(f->cross, f->bound, f->x, f->y, NULL);
    free(f);
}

int32_t og_frontier_solved(const og_frontier *f)
{
    return f->solved;
}

/* ---- bounds between two samples ---- */

/* The line through (x, high) and (at, low), from `at` on away from x. */
static void extend(line *out, const sample *from, const sample *at)
{
    mpq_t run;
    mpq_init(run);
    mpq_set(out->at, at->price);
    mpq_set(out->value, at->low);
    mpq_sub(out->slope, at->low, from->high);
    mpq_sub(run, at->price, from->price);
    mpq_div(out->slope, out->slope, run);
    mpq_clear(run);
}

static void find_lines(og_frontier *f, int32_t i)
{
    const sample *at = &f->sample[i];
    if (i > 0) {
        extend(&f->left, at - 1, at);
    } else {
        mpq_set(f->left.at, at->price);
        mpq_set(f->left.value, at->low);
        mpq_set_si(f->left.slope, -f->gains.labels_max, 1);
    }
    if (i + 2 < f->count) {
        extend(&f->right, at + 2, at + 1);
    } else {
        mpq_set(f->right.at, at[1].price);
        mpq_set(f->right.value, at[1].low);
        mpq_set_ui(f->right.slope, 0, 1);
    }
}

static void value_of(const line *along, const mpq_t z, mpq_t out)
{
    mpq_sub(out, z, along->at);
    mpq_mul(out, out, along->slope);
    mpq_add(out, out, along->value);
}

/* f->bound: the lower bound of W(z), by both lines. */
static void bound_at(og_frontier *f, const mpq_t z)
{
    value_of(&f->left, z, f->bound);
    value_of(&f->right, z, f->x);
    if (mpq_cmp(f->x, f->bound) > 0) {
        mpq_set(f->bound, f->x);
    }
}

/* f->cross: where the lines cross; false if that is not between the samples. */
static bool find_crossing(og_frontier *f, int32_t i)
{
    mpq_set_ui(f->cross, 0, 1);
    value_of(&f->left, f->cross, f->x);
    value_of(&f->right, f->cross, f->y);
    mpq_sub(f->x, f->x, f->y);
    mpq_sub(f->y, f->right.slope, f->left.slope);
    if (mpq_sgn(f->y) == 0) {
        return false;
    }
    mpq_div(f->cross, f->x, f->y);
    return mpq_cmp(f->cross, f->sample[i].price) > 0 &&
           mpq_cmp(f->cross, f->sample[i + 1].price) < 0;
}

/* ---- a price to solve ---- */

/* True if the numbers are small enough for prices to be multiplied by them. */
static bool is_small(const mpq_t z)
{
    return mpz_sizeinbase(mpq_numref(z), 2) < 60 && mpz_sizeinbase(mpq_denref(z), 2) < 60;
}

/* The price z, or one with few decimals, well between the samples i and i + 1; false: none. */
static bool round_price(const og_frontier *f, int32_t i, const mpq_t z, og_fraction *out)
{
    bool found = is_small(z);
    mpz_t scale, whole;
    mpq_t near, apart, room;
    mpq_inits(near, apart, room, NULL);
    mpz_inits(scale, whole, NULL);
    mpq_set(near, z);
    mpq_sub(room, z, f->sample[i].price);
    mpq_sub(apart, f->sample[i + 1].price, z);
    if (mpq_cmp(apart, room) < 0) {
        mpq_set(room, apart);
    }
    mpz_ui_pow_ui(scale, 10, 6);
    for (int digits = 6; !found && digits <= 16; digits++) {
        mpz_mul(whole, mpq_numref(z), scale);
        mpz_fdiv_q(whole, whole, mpq_denref(z));
        mpq_set_num(near, whole);
        mpq_set_den(near, scale);
        mpq_canonicalize(near);
        mpq_sub(apart, z, near);
        mpq_mul_2exp(apart, apart, 2);
        found = mpq_cmp(apart, room) <= 0 && mpq_sgn(near) > 0 && is_small(near);
        mpz_mul_ui(scale, scale, 10);
    }
    if (found) {
        *out = og_fraction_make(mpz_get_si(mpq_numref(near)), mpz_get_si(mpq_denref(near)));
    }
    mpz_clears(scale, whole, NULL);
    mpq_clears(near, apart, room, NULL);
    return found;
}

/* Solves the price between the samples i and i + 1. */
static og_status add_sample(og_frontier *f, int32_t i, og_fraction price, og_message *message)
{
    OG_TRY(reserve(f));
    sample made = f->sample[f->count];
    og_fraction_get_mpq(made.price, price);
    OG_TRY(f->gains.gain(f->gains.self, price, made.low, made.high, message));
    f->solved++;
    memmove(&f->sample[i + 2], &f->sample[i + 1], (size_t)(f->count - i - 1) * sizeof *f->sample);
    f->sample[i + 1] = made;
    f->count++;
    return OG_OK;
}

/* ---- the two questions ---- */

typedef struct {
    const mpq_t *labels, *gain; /* one of them; the other is NULL */
    mpq_ptr low, high, best;    /* best: the price of the sample that bounds the answer */
    mpq_t candidate, next;      /* next: the price where the other bound is attained */
    int32_t place;              /* the sample before it; -1: it is a sample */
} search;

/* W + z n, or (gain - W) / z, of which the least, or the largest, is the answer; `w` is changed. */
static void rate(search *s, const mpq_t z, mpq_t w)
{
    if (s->labels != NULL) {
        mpq_mul(s->candidate, z, *s->labels);
        mpq_add(s->candidate, s->candidate, w);
    } else {
        mpq_sub(s->candidate, *s->gain, w);
        mpq_div(s->candidate, s->candidate, z);
    }
}

static bool is_better(const search *s, mpq_srcptr than)
{
    int order = mpq_cmp(s->candidate, than);
    return s->labels != NULL ? order < 0 : order > 0;
}

/* The bound from the samples themselves: F from above, the labels from below. */
static void rate_samples(og_frontier *f, search *s)
{
    mpq_ptr out = s->labels != NULL ? s->high : s->low;
    mpq_set_ui(out, 0, 1);
    for (int32_t i = 0; i < f->count; i++) {
        if (s->gain != NULL && i == 0) {
            continue;
        }
        mpq_set(f->bound, f->sample[i].high);
        rate(s, f->sample[i].price, f->bound);
        if ((s->labels != NULL && i == 0) || is_better(s, out)) {
            mpq_set(out, s->candidate);
            mpq_set(s->best, f->sample[i].price);
        }
    }
}

static void consider(og_frontier *f, search *s, const mpq_t z, int32_t place, bool first)
{
    mpq_ptr out = s->labels != NULL ? s->low : s->high;
    bound_at(f, z);
    rate(s, z, f->bound);
    if (first || is_better(s, out)) {
        mpq_set(out, s->candidate);
        mpq_set(s->next, z);
        s->place = place;
    }
}

/* The bound from the lines between samples: F from below, the labels from above. */
static void rate_lines(og_frontier *f, search *s)
{
    bool first = true;
    s->place = -1;
    for (int32_t i = 0; i + 1 < f->count; i++) {
        find_lines(f, i);
        if (i > 0 || s->labels != NULL) {
            consider(f, s, f->sample[i].price, -1, first);
            first = false;
        }
        consider(f, s, f->sample[i + 1].price, -1, first);
        first = false;
        if (find_crossing(f, i)) {
            mpq_set(f->y, f->cross);
            consider(f, s, f->y, i, false);
        }
    }
}

/* The labels are at least 0 and at most all; no bound passes the other. */
static void clamp(const og_frontier *f, const search *s)
{
    if (s->gain != NULL) {
        if (mpq_sgn(s->high) < 0) {
            mpq_set_ui(s->high, 0, 1);
        }
        mpq_t all;
        mpq_init(all);
        mpq_set_si(all, f->gains.labels_max, 1);
        if (mpq_cmp(s->high, all) > 0) {
            mpq_set(s->high, all);
        }
        mpq_clear(all);
    }
    if (mpq_cmp(s->low, s->high) > 0) {
        mpq_set(s->labels != NULL ? s->low : s->high, s->labels != NULL ? s->high : s->low);
    }
}

/* How far the bounds are apart, in gains. */
static double width_of(og_frontier *f, const search *s)
{
    mpq_sub(f->x, s->high, s->low);
    if (s->gain != NULL) {
        mpq_mul(f->x, f->x, s->next);
    }
    return og_nearest(f->x);
}

static og_status answer(og_frontier *f, search *s, const og_frontier_end *end, og_message *message)
{
    og_status status = OG_OK;
    mpq_inits(s->candidate, s->next, NULL);
    for (;;) {
        og_fraction price;
        rate_samples(f, s);
        rate_lines(f, s);
        clamp(f, s);
        if (status != OG_OK || s->place < 0 || mpq_equal(s->low, s->high) ||
            width_of(f, s) <= end->width || f->solved >= end->solved_max ||
            !round_price(f, s->place, s->next, &price)) {
            break;
        }
        status = add_sample(f, s->place, price, message);
        if (status != OG_OK) {
            break;
        }
    }
    mpq_clears(s->candidate, s->next, NULL);
    return status;
}

og_status og_frontier_gain(og_frontier *frontier, const mpq_t labels, const og_frontier_end *end,
                           mpq_t low, mpq_t high, mpq_t price, og_message *message)
{
    search s = {.labels = (const mpq_t *)labels, .low = low, .high = high, .best = price};
    return answer(frontier, &s, end, message);
}

og_status og_frontier_labels(og_frontier *frontier, const mpq_t gain, const og_frontier_end *end,
                             mpq_t low, mpq_t high, mpq_t price, og_message *message)
{
    search s = {.gain = (const mpq_t *)gain, .low = low, .high = high, .best = price};
    return answer(frontier, &s, end, message);
}
