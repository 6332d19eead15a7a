/* Means and calls of tasks of two classes, as sums over the labels of reliable workers. */
#include "bench/recorded/crowd_soft.h"

#include <math.h>

#include "heuristics/families/ranking_belief.h"

og_status og_crowd_soft_init(og_arena *arena, uint32_t longest, og_crowd_soft *out)
{
    size_t most = longest + (size_t)1, few = OG_CROWD_SOFT_FEW + 1;
    *out = (og_crowd_soft){.arena = arena, .longest = longest};
    out->outcome = og_arena_array(arena, most, sizeof *out->outcome);
    out->factor = og_arena_array(arena, most, sizeof(double));
    out->term = og_arena_array(arena, most, sizeof(double));
    out->right[0] = og_arena_array(arena, most, sizeof(double));
    out->right[1] = og_arena_array(arena, most, sizeof(double));
    out->prefix = og_arena_array(arena, few * few, sizeof(double));
    out->value = og_arena_array(arena, few, sizeof(double));
    OG_TRY(og_arena_status(arena));
    for (size_t n = 0; n < most; n++) {
        out->factor[n] = lgamma((double)n + 1);
    }
    return OG_OK;
}

void og_crowd_soft_forget(og_crowd_soft *soft)
{
    for (uint32_t n = 0; n <= soft->longest; n++) {
        soft->outcome[n].prior = 0;
    }
}

static int32_t labels_of(const og_crowd_soft *soft)
{
    return soft->count[0] + soft->count[1];
}

static bool are_few(const og_crowd_soft *soft)
{
    return labels_of(soft) <= OG_CROWD_SOFT_FEW;
}

static void fill_weights(const og_crowd_soft *soft, int32_t labels, og_crowd_outcomes *out)
{
    double most = -INFINITY;
    for (int32_t k = 0; k <= labels; k++) {
        out->weight[k] = lgamma(soft->a + k) + lgamma(soft->b + (labels - k));
        most = fmax(most, out->weight[k]);
    }
    for (int32_t k = 0; k <= labels; k++) {
        out->plain[k] = exp(out->weight[k] - most);
    }
}

og_status og_crowd_soft_take(og_crowd_soft *soft, int32_t prior, const double beta[2],
                             og_crowd_line *const line[2], const uint32_t count[2])
{
    for (int32_t kind = 0; kind < 2; kind++) {
        soft->line[kind] = line[kind];
        soft->count[kind] = (int32_t)count[kind];
    }
    soft->a = beta[0];
    soft->b = beta[1];
    int32_t labels = labels_of(soft);
    og_crowd_outcomes *own = soft->own = &soft->outcome[labels];
    if (own->weight == NULL) {
        size_t size = (size_t)labels + 1;
        double *all = og_arena_array(soft->arena, 4 * size, sizeof *all);
        OG_TRY(OG_ALLOCATED(all));
        *own = (og_crowd_outcomes){0, false, all, all + size, all + 2 * size, all + 3 * size};
    }
    if (own->prior != prior + 1) {
        own->prior = prior + 1;
        own->called = false;
        fill_weights(soft, labels, own);
    }
    return OG_OK;
}

/* ---- few labels ---- */

/* right[kind][k]: the weight of k labels that a reliable worker would give, too. */
static void multiply_few(og_crowd_soft *soft)
{
    for (int32_t kind = 0; kind < 2; kind++) {
        soft->right[kind][0] = 1;
        for (int32_t l = 0; l < soft->count[kind]; l++) {
            const og_crowd_line *line = &soft->line[kind][l];
            og_crowd_times(soft->right[kind], l, line->rest, line->at, soft->right[kind]);
        }
    }
}

/* Takes the lines of a kind away, from the last on; value[k] is what k labels of this kind that are
 * right mean for the rest. */
static void find_kind_means(og_crowd_soft *soft, int32_t kind)
{
    og_crowd_line *line = soft->line[kind];
    int32_t count = soft->count[kind];
    double *prefix = soft->prefix, *value = soft->value;
    prefix[0] = 1;
    for (int32_t l = 0; l + 1 < count; l++) {
        og_crowd_times(prefix, l, line[l].rest, line[l].at, prefix + l + 1);
        prefix += l + 1;
    }
    for (int32_t l = count - 1; l >= 0; l--) {
        double right = 0, wrong = 0;
        for (int32_t k = 0; k <= l; k++) {
            right += prefix[k] * value[k + 1];
            wrong += prefix[k] * value[k];
            value[k] = line[l].rest * value[k] + line[l].at * value[k + 1];
        }
        bool same = l + 1 < count && og_crowd_lines_equal(&line[l], &line[l + 1]);
        og_crowd_pair mean = {right / (right + wrong), wrong / (right + wrong)};
        line[l].mean = same ? line[l + 1].mean : mean;
        prefix -= l;
    }
}

void og_crowd_soft_means(og_crowd_soft *soft)
{
    multiply_few(soft);
    for (int32_t kind = 0; kind < 2; kind++) {
        const double *other = soft->right[1 - kind];
        int32_t count = soft->count[kind], others = soft->count[1 - kind];
        for (int32_t k = 0; k <= count; k++) {
            soft->value[k] = 0;
            for (int32_t j = 0; j <= others; j++) {
                int32_t positive = kind == 0 ? k + (others - j) : j + (count - k);
                soft->value[k] += other[j] * soft->own->plain[positive];
            }
        }
        find_kind_means(soft, kind);
    }
}

/* ---- any number ---- */

/* The densities of the numbers of labels that a reliable worker would give too, as logarithms:
 * coefficients of the product of the lines, in Bernstein's basis, times the binomials. */
static void count_right(const og_crowd_soft *soft, int32_t kind)
{
    const double *factor = soft->factor;
    double *out = soft->right[kind];
    int32_t count = soft->count[kind];
    out[0] = 1;
    for (int32_t j = 1; j <= count; j++) {
        const og_crowd_line *line = &soft->line[kind][j - 1];
        double at = line->at / j, rest = line->rest / j, most = 0;
        out[j] = 0;
        for (int32_t k = j; k >= 0; k--) {
            out[k] = (j - k) * rest * out[k] + (k > 0 ? k * at * out[k - 1] : 0);
            most = fmax(most, out[k]);
        }
        for (int32_t k = 0; most < 1e-100 && k <= j; k++) {
            out[k] /= most;
        }
    }
    for (int32_t k = 0; k <= count; k++) {
        out[k] = log(out[k]) + factor[count] - (factor[k] + factor[count - k]);
    }
}

static void find_terms_of_many(og_crowd_soft *soft)
{
    int32_t positive = soft->count[0], negative = soft->count[1];
    const double *up = soft->right[0], *down = soft->right[1], *weight = soft->own->weight;
    double most = -INFINITY;
    count_right(soft, 0);
    count_right(soft, 1);
    for (int32_t i = 0; i <= positive; i++) {
        for (int32_t j = 0; j <= negative; j++) {
            most = fmax(most, up[i] + down[j] + weight[i + negative - j]);
        }
    }
    for (int32_t k = 0; k <= positive + negative; k++) {
        int32_t first = k > negative ? k - negative : 0;
        soft->term[k] = 0;
        for (int32_t i = first; i <= positive && i <= k; i++) {
            soft->term[k] += exp(up[i] + down[i + negative - k] + weight[k] - most);
        }
    }
}

/* term[k]: the probability of k positive labels of reliable workers, relative to another. */
static void find_terms(og_crowd_soft *soft)
{
    int32_t positive = soft->count[0], negative = soft->count[1];
    if (!are_few(soft)) {
        find_terms_of_many(soft);
        return;
    }
    multiply_few(soft);
    for (int32_t k = 0; k <= positive + negative; k++) {
        int32_t first = k > negative ? k - negative : 0;
        double sum = 0;
        for (int32_t i = first; i <= positive && i <= k; i++) {
            sum += soft->right[0][i] * soft->right[1][i + negative - k];
        }
        soft->term[k] = sum * soft->own->plain[k];
    }
}

void og_crowd_soft_tails(og_crowd_soft *soft, double unit, int64_t *beyond)
{
    int32_t labels = labels_of(soft);
    find_terms(soft);
    double more = 0, fewer = 0, part = unit / og_crowd_sum(soft->term, labels + 1);
    for (int32_t j = labels - 1; j >= 0; j--) {
        more += soft->term[j + 1];
        fewer += soft->term[labels - 1 - j];
        beyond[3 * j] += (int64_t)rint(part * more);
        beyond[3 * j + 1] += (int64_t)rint(part * fewer);
        beyond[3 * j + 2] += (int64_t)unit;
    }
}

static void find_outcomes(og_crowd_soft *soft)
{
    int32_t labels = labels_of(soft);
    double *up = soft->right[0], *down = soft->right[1];
    for (int32_t k = 0; k <= labels; k++) {
        up[k] = soft->a + k;
        down[k] = soft->b + (labels - k);
    }
    og_ranking_above(up, down, labels + 1, soft->own->above);
    og_ranking_above(down, up, labels + 1, soft->own->less);
    soft->own->called = true;
}

void og_crowd_soft_call(og_crowd_soft *soft, double *positive, double *negative)
{
    int32_t labels = labels_of(soft);
    double *up = soft->right[0], *down = soft->right[1];
    if (!soft->own->called) {
        find_outcomes(soft);
    }
    find_terms(soft);
    for (int32_t k = 0; k <= labels; k++) {
        up[k] = soft->term[k] * soft->own->above[k];
        down[k] = soft->term[k] * soft->own->less[k];
    }
    *positive = og_crowd_sum(up, labels + 1);
    *negative = og_crowd_sum(down, labels + 1);
}
