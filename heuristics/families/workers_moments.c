/* Moment matching of an instance and a worker, and the gains of one label. */
#include "heuristics/families/workers_moments.h"

#include <math.h>
#include <string.h>

#include "heuristics/families/ranking_belief.h"

/* The Beta with the mean and variance of the mixture u Beta(first) + v Beta(second), where u + v =
 * 1 and both have the same sum of parameters. */
static void merge(double u, double v, const double first[2], const double second[2], double out[2])
{
    double p = first[0], q = first[1], r = second[0], s = second[1], n = p + q, apart = p - r;
    double mean = (u * p + v * r) / n, rest = (u * q + v * s) / n;
    double variance = (u * p * q + v * r * s) / (n * n * (n + 1)) + u * v * apart * apart / (n * n);
    double size = mean * rest / variance - 1;
    out[0] = size * mean;
    out[1] = size * rest;
}

/* Inline, because the indices of a run spend their time here. */
static inline __attribute__((always_inline)) void match(double instance[2], double worker[2],
                                                        bool positive)
{
    double a = instance[0], b = instance[1], c = worker[0], d = worker[1];
    double same = positive ? a * c : b * c, other = positive ? b * d : a * d;
    double u = same / (same + other), v = other / (same + other);
    const double more[2] = {a + 1, b}, less[2] = {a, b + 1};
    const double right[2] = {c + 1, d}, wrong[2] = {c, d + 1};
    if (c != d) {
        merge(u, v, positive ? more : less, positive ? less : more, instance);
    }
    if (a != b) {
        merge(u, v, right, wrong, worker);
    }
}

void og_workers_match(double instance[2], double worker[2], bool positive)
{
    match(instance, worker, positive);
}

/* ---- two coins, and mixtures ---- */

int32_t og_worker_width(const og_groups *workers)
{
    int32_t most = 2;
    for (int32_t g = 0; g < workers->group_count; g++) {
        const og_group *group = og_groups_at(workers, g);
        int32_t width =
            group->kind == OG_PRIOR_MIXTURE ? 3 * group->part_count : 2 * og_worker_coins(group);
        most = width > most ? width : most;
    }
    return most;
}

og_worker_form og_worker_believe(const og_group *group, double *belief)
{
    double sum;
    for (int32_t coin = 0; coin < og_worker_coins(group); coin++) {
        og_component part[OG_PARTS_MAX];
        int32_t count = og_worker_parts(group, coin, part, &sum);
        for (int32_t m = 0; m < count; m++) {
            if (group->kind == OG_PRIOR_MIXTURE) {
                *belief++ = og_fraction_double(part[m].weight) / sum;
            }
            *belief++ = og_fraction_double(part[m].a);
            *belief++ = og_fraction_double(part[m].b);
        }
    }
    return (og_worker_form){group->kind, group->part_count};
}

/* The probabilities of this label if a reliable worker would say +, and if -. */
static void answers(const og_worker_form *form, const double *worker, bool positive, double *if_yes,
                    double *if_no)
{
    int32_t parts = form->kind == OG_PRIOR_MIXTURE ? form->parts : 1, other = !positive;
    bool two = form->kind == OG_PRIOR_COINS, mixed = form->kind == OG_PRIOR_MIXTURE;
    *if_yes = *if_no = 0;
    for (int32_t m = 0; m < parts; m++) {
        const double *yes = mixed ? &worker[3 * m + 1] : worker, *no = two ? worker + 2 : yes;
        double weight = mixed ? worker[3 * m] : 1;
        *if_yes += weight * (yes[other] / (yes[0] + yes[1]));
        *if_no += weight * (no[!other] / (no[0] + no[1]));
    }
}

double og_worker_mean(const og_worker_form *form, const double *worker)
{
    static const og_worker_form one = {OG_PRIOR_BETA, 0};
    double if_yes, if_no;
    answers(form != NULL ? form : &one, worker, true, &if_yes, &if_no);
    return form != NULL && form->kind == OG_PRIOR_COINS ? (if_yes + 1 - if_no) / 2 : if_yes;
}

double og_workers_chance(const og_worker_form *form, const double instance[2], const double *worker)
{
    double a = instance[0], b = instance[1];
    if (form == NULL || form->kind == OG_PRIOR_BETA) {
        double c = worker[0], d = worker[1];
        return (a * c + b * d) / ((a + b) * (c + d));
    }
    double if_yes, if_no;
    answers(form, worker, true, &if_yes, &if_no);
    return (a * if_yes + b * if_no) / (a + b);
}

/* True if a label does not change the instance. */
static bool is_mute(const og_worker_form *form, const double *worker)
{
    if (form == NULL || form->kind == OG_PRIOR_BETA) {
        return worker[0] == worker[1];
    }
    double if_yes, if_no;
    answers(form, worker, true, &if_yes, &if_no);
    return if_yes == if_no;
}

/* The Beta with the mean and variance of a coin that with probability `used` has shown this side,
 * and otherwise has not been thrown. The means differ by (c or d) / (n (n + 1)). */
static void throw_coin(double coin[2], double used, bool same)
{
    double c = coin[0], d = coin[1], n = c + d, p = c + same, q = d + !same, rest = 1 - used;
    double apart = (same ? d : c) / (n * (n + 1));
    double mean = used * (p / (n + 1)) + rest * (c / n);
    double other = used * (q / (n + 1)) + rest * (d / n);
    double variance = used * p * q / ((n + 1) * (n + 1) * (n + 2)) +
                      rest * c * d / (n * n * (n + 1)) + used * rest * apart * apart;
    double size = mean * other / variance - 1;
    coin[0] = size * mean;
    coin[1] = size * other;
}

/* Each kind of a worker; the weights stay if every kind gives the label with probability 1/2. */
static void learn_kinds(const og_worker_form *form, double a, double b, double *worker,
                        bool positive)
{
    const double agrees[2] = {positive ? a : b, positive ? b : a};
    double sum = 0;
    for (int32_t m = 0; m < form->parts && a != b; m++) {
        double *part = &worker[3 * m], instance[2] = {a, b};
        part[0] *= og_workers_chance(NULL, agrees, part + 1);
        sum += part[0];
        og_workers_match(instance, part + 1, positive);
    }
    for (int32_t m = 0; m < form->parts && a != b; m++) {
        worker[3 * m] /= sum;
    }
}

void og_workers_learn(const og_worker_form *form, double instance[2], double *worker, bool positive)
{
    if (form == NULL || form->kind == OG_PRIOR_BETA) {
        og_workers_match(instance, worker, positive);
        return;
    }
    const double a = instance[0], b = instance[1], more[2] = {a + 1, b}, less[2] = {a, b + 1};
    bool mute = is_mute(form, worker);
    double if_yes, if_no;
    answers(form, worker, positive, &if_yes, &if_no);
    double yes = a * if_yes, no = b * if_no;
    double up = yes / (yes + no), down = no / (yes + no);
    if (!mute) {
        merge(up, down, more, less, instance);
    }
    if (form->kind == OG_PRIOR_COINS) {
        throw_coin(worker, up, positive);
        throw_coin(worker + 2, down, !positive);
    } else {
        learn_kinds(form, a, b, worker, positive);
    }
}

/* ---- indices ---- */

enum { AT_ONCE = 64 };

void og_workers_right(const double *instance, int32_t count, double *right)
{
    double large[AT_ONCE], small[AT_ONCE];
    for (int32_t from = 0; from < count; from += AT_ONCE) {
        int32_t part = count - from < AT_ONCE ? count - from : AT_ONCE;
        for (int32_t k = 0; k < part; k++) {
            const double *beta = &instance[2 * (from + k)];
            large[k] = fmax(beta[0], beta[1]);
            small[k] = fmin(beta[0], beta[1]);
        }
        og_ranking_above(large, small, part, &right[from]);
    }
}

double og_workers_right_sum(const double *instance, int32_t count)
{
    double sum = 0;
    for (int32_t from = 0; from < count; from += AT_ONCE) {
        double right[AT_ONCE];
        int32_t part = count - from < AT_ONCE ? count - from : AT_ONCE;
        og_workers_right(&instance[2 * from], part, right);
        for (int32_t k = 0; k < part; k++) {
            sum += right[k];
        }
    }
    return sum;
}

static const og_worker_form *form_of(const og_workers_pairs *pairs, int32_t k)
{
    return pairs->form != NULL ? &pairs->form[k] : NULL;
}

/* The instance of a pair after a label, from a copy of its worker. */
static inline __attribute__((always_inline)) void
learn_one(const og_workers_pairs *pairs, int32_t k, bool positive, double moved[2])
{
    const double *worker = &pairs->worker[pairs->width * k];
    memcpy(moved, &pairs->instance[2 * k], 2 * sizeof *moved);
    if (pairs->form == NULL) { /* the usual case, without a copy of unknown length */
        double by[2] = {worker[0], worker[1]};
        match(moved, by, positive);
    } else {
        double by[OG_WORKER_WIDTH_MAX];
        memcpy(by, worker, (size_t)pairs->width * sizeof *by);
        og_workers_learn(&pairs->form[k], moved, by, positive);
    }
}

/* Of the pairs `from` on: the probability of a positive label, and the gains of both, the negative
 * first. */
static void outcomes_of_some(const og_workers_pairs *pairs, int32_t from, int32_t count,
                             double *chance, double *gain)
{
    const double *instance = &pairs->instance[2 * from];
    double after[2 * 2 * AT_ONCE];
    for (int32_t k = 0; k < count; k++) {
        learn_one(pairs, from + k, false, &after[4 * k]);
        learn_one(pairs, from + k, true, &after[4 * k + 2]);
    }
    og_workers_right(after, 2 * count, gain);
    for (int32_t k = 0; k < count; k++) {
        const og_worker_form *form = form_of(pairs, from + k);
        const double *worker = &pairs->worker[pairs->width * (from + k)];
        const bool mute = is_mute(form, worker);
        const double now = pairs->now[from + k];
        chance[k] = og_workers_chance(form, &instance[2 * k], worker);
        gain[2 * k] = mute ? 0 : gain[2 * k] - now;
        gain[2 * k + 1] = mute ? 0 : gain[2 * k + 1] - now;
    }
}

void og_workers_indices(const og_rule_use *use, const og_workers_pairs *pairs, double *index)
{
    double chance[AT_ONCE], gain[2 * AT_ONCE], both[2];
    og_prospect at = {.count = 2, .probability = both, .mean = NAN};
    for (int32_t from = 0; from < pairs->count; from += AT_ONCE) {
        int32_t part = pairs->count - from < AT_ONCE ? pairs->count - from : AT_ONCE;
        outcomes_of_some(pairs, from, part, chance, gain);
        for (int32_t k = 0; k < part; k++) {
            both[0] = 1 - chance[k];
            both[1] = chance[k];
            at.gain = &gain[2 * k];
            index[from + k] = og_rule_value(use, &at);
        }
    }
}

void og_workers_prospect(const double instance[2], const double *worker, const og_worker_form *form,
                         og_prospect *out)
{
    double now, chance, gain[2];
    og_workers_pairs pair = {
        .instance = instance, .worker = worker, .width = 2, .form = form, .now = &now, .count = 1};
    if (form != NULL && form->kind != OG_PRIOR_BETA) {
        pair.width = form->kind == OG_PRIOR_COINS ? 4 : 3 * form->parts;
    }
    og_workers_right(instance, 1, &now);
    outcomes_of_some(&pair, 0, 1, &chance, gain);
    og_prospect_pair(out, (const double[2]){1 - chance, chance}, gain);
}
