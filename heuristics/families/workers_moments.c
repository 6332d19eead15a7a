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

void og_workers_match(double instance[2], double worker[2], bool positive)
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

bool og_workers_rule_of(const char *name, double part, og_workers_rule *out)
{
    static const char *const names[] = {[OG_WORKERS_ANY] = "uniform",
                                        [OG_WORKERS_MEAN] = "kg",
                                        [OG_WORKERS_BEST] = "opt-kg",
                                        [OG_WORKERS_WORST] = "pess-kg",
                                        [OG_WORKERS_PART] = "cvar-kg"};
    size_t length = strcspn(name, ":");
    for (size_t way = 0; way < sizeof names / sizeof *names; way++) {
        if (strlen(names[way]) == length && memcmp(names[way], name, length) == 0) {
            *out = (og_workers_rule){(og_workers_way)way, part};
            return true;
        }
    }
    return false;
}

double og_workers_combine(const og_workers_rule *rule, double chance, double if_positive,
                          double if_negative)
{
    double best = fmax(if_positive, if_negative), worst = fmin(if_positive, if_negative);
    double of_best = if_positive >= if_negative ? chance : 1 - chance;
    switch (rule->way) {
    case OG_WORKERS_MEAN:
        return chance * if_positive + (1 - chance) * if_negative;
    case OG_WORKERS_BEST:
        return best;
    case OG_WORKERS_WORST:
        return worst;
    case OG_WORKERS_PART:
        return of_best >= rule->part
                   ? best
                   : (of_best * best + (rule->part - of_best) * worst) / rule->part;
    case OG_WORKERS_ANY:
        break;
    }
    return 0;
}

static void indices_of_some(const og_workers_rule *rule, const double *instance,
                            const double *worker, const double *now, int32_t count, double *index)
{
    double after[2 * 2 * AT_ONCE], right[2 * AT_ONCE];
    for (int32_t k = 0; k < count; k++) {
        for (int sign = 0; sign < 2; sign++) {
            double *moved = &after[2 * (2 * k + sign)], by[2] = {worker[2 * k], worker[2 * k + 1]};
            memcpy(moved, &instance[2 * k], 2 * sizeof *moved);
            og_workers_match(moved, by, sign == 0);
        }
    }
    og_workers_right(after, 2 * count, right);
    for (int32_t k = 0; k < count; k++) {
        double a = instance[2 * k], b = instance[2 * k + 1];
        double c = worker[2 * k], d = worker[2 * k + 1];
        double chance = (a * c + b * d) / ((a + b) * (c + d));
        index[k] = c == d ? 0
                          : og_workers_combine(rule, chance, right[2 * k] - now[k],
                                               right[2 * k + 1] - now[k]);
    }
}

void og_workers_indices(const og_workers_rule *rule, const double *instance, const double *worker,
                        const double *now, int32_t count, double *index)
{
    for (int32_t from = 0; from < count; from += AT_ONCE) {
        int32_t part = count - from < AT_ONCE ? count - from : AT_ONCE;
        indices_of_some(rule, &instance[2 * from], &worker[2 * from], &now[from], part,
                        &index[from]);
    }
}

double og_workers_index(const double instance[2], const double worker[2],
                        const og_workers_rule *rule)
{
    double now, index;
    og_workers_right(instance, 1, &now);
    og_workers_indices(rule, instance, worker, &now, 1, &index);
    return index;
}
