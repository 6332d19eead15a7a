/* Means and calls of tasks of several classes, as convolutions of polynomials. */
#include "bench/recorded/crowd_classes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* A sum that is the same for any order. */
static double sum_of(const double *part, int32_t count)
{
    double sum = 0, sorted[OG_CLASSES_MAX];
    for (int32_t k = 0; k < count; k++) {
        int32_t place = k;
        for (; place > 0 && sorted[place - 1] > part[k]; place--) {
            sorted[place] = sorted[place - 1];
        }
        sorted[place] = part[k];
    }
    for (int32_t k = 0; k < count; k++) {
        sum += sorted[k];
    }
    return sum;
}

og_status og_crowd_classes_init(og_arena *arena, int32_t classes, int32_t longest,
                                og_crowd_classes *out)
{
    size_t most = (size_t)longest + 2;
    *out = (og_crowd_classes){.classes = classes, .longest = longest};
    for (int32_t k = 0; k < classes; k++) {
        out->rise[k] = og_arena_array(arena, most, sizeof(double));
    }
    out->whole = og_arena_array(arena, most, sizeof(double));
    out->room = og_arena_array(arena, most + (size_t)classes, sizeof(double));
    out->prefix = og_arena_array(arena, most * (most + 1) / 2, sizeof(double));
    out->product = og_arena_array(arena, most, sizeof(double));
    out->spare = og_arena_array(arena, most, sizeof(double));
    out->value = og_arena_array(arena, most, sizeof(double));
    return og_arena_status(arena);
}

void og_crowd_classes_begin(og_crowd_classes *all, const double *alpha)
{
    double sum = sum_of(alpha, all->classes);
    memcpy(all->alpha, alpha, (size_t)all->classes * sizeof *alpha);
    double scale = sum + all->longest / 2.0;
    all->whole[0] = 1;
    for (int32_t n = 0; n < all->longest; n++) {
        all->whole[n + 1] = all->whole[n] * (scale / (sum + n));
    }
    for (int32_t k = 0; k < all->classes; k++) {
        all->rise[k][0] = 1;
        for (int32_t n = 0; n < all->longest; n++) {
            all->rise[k][n + 1] = all->rise[k][n] * ((alpha[k] + n) / scale);
        }
    }
}

/* ---- a task ---- */

/* The line as low + high * theta, relative to the larger end. */
static void ends_of(const og_crowd_line *line, double *low, double *high)
{
    double most = fmax(line->at, line->rest);
    *low = line->rest / most;
    *high = (line->at - line->rest) / most;
}

/* next[degree + 2] = last[degree + 1] times the line; they may be the same. */
static void times_line(const double *last, int32_t degree, const og_crowd_line *line, double *next)
{
    double low, high;
    ends_of(line, &low, &high);
    og_crowd_times(last, degree, low, high, next);
}

/* Classes with equal polynomials and parameters are equal here. */
static int compare_classes(const og_crowd_classes *all, int32_t k, int32_t l)
{
    if (all->count[k] != all->count[l]) {
        return all->count[k] < all->count[l] ? -1 : 1;
    }
    if (all->alpha[k] != all->alpha[l]) {
        return all->alpha[k] < all->alpha[l] ? -1 : 1;
    }
    for (int32_t i = 0; i <= all->count[k]; i++) {
        if (all->power[k][i] != all->power[l][i]) {
            return all->power[k][i] < all->power[l][i] ? -1 : 1;
        }
    }
    return 0;
}

static void sort_classes(og_crowd_classes *all)
{
    for (int32_t k = 0; k < all->classes; k++) {
        int32_t place = k;
        for (; place > 0 && compare_classes(all, all->order[place - 1], k) > 0; place--) {
            all->order[place] = all->order[place - 1];
        }
        all->order[place] = k;
    }
}

void og_crowd_classes_take(og_crowd_classes *all, og_crowd_line *const *line, const int32_t *count)
{
    double *room = all->room;
    for (int32_t k = 0; k < all->classes; k++) {
        all->count[k] = count[k];
        all->power[k] = room;
        room[0] = 1;
        for (int32_t l = 0; l < count[k]; l++) {
            times_line(room, l, &line[k][l], room);
        }
        for (int32_t i = 0; i <= count[k]; i++) {
            room[i] *= all->rise[k][i];
        }
        room += count[k] + 1;
    }
    sort_classes(all);
}

/* out[first + second + 1] = the product of two polynomials of these degrees. */
static void multiply(const double *x, int32_t first, const double *y, int32_t second, double *out)
{
    memset(out, 0, ((size_t)first + (size_t)second + 1) * sizeof *out);
    for (int32_t i = 0; i <= first; i++) {
        for (int32_t j = 0; j <= second; j++) {
            out[i + j] += x[i] * y[j];
        }
    }
}

/* The product of all polynomials but that of class k (-1: of all), in all->product; returns its
 * degree. */
static int32_t multiply_others(og_crowd_classes *all, double *const *power, const int32_t *count,
                               int32_t k)
{
    int32_t degree = 0;
    all->product[0] = 1;
    for (int32_t i = 0; i < all->classes; i++) {
        int32_t other = all->order[i];
        if (other == k) {
            continue;
        }
        double *last = all->product;
        multiply(last, degree, power[other], count[other], all->spare);
        all->product = all->spare;
        all->spare = last;
        degree += count[other];
    }
    return degree;
}

/* value[i], i <= count: the mean of the other classes' lines times theta_k^i. */
static void find_values(og_crowd_classes *all, int32_t k)
{
    int32_t others = multiply_others(all, all->power, all->count, k);
    for (int32_t i = 0; i <= all->count[k]; i++) {
        double sum = 0;
        for (int32_t n = 0; n <= others; n++) {
            sum += all->product[n] * all->whole[n + i];
        }
        all->value[i] = sum * all->rise[k][i];
    }
}

/* Lines are taken away from the last on, into the values; before them are the prefixes. */
static void find_class_means(og_crowd_classes *all, int32_t k, og_crowd_line *line)
{
    int32_t count = all->count[k];
    double *prefix = all->prefix;
    if (count == 0) {
        return;
    }
    find_values(all, k);
    prefix[0] = 1;
    for (int32_t l = 0; l + 1 < count; l++) {
        times_line(prefix, l, &line[l], prefix + l + 1);
        prefix += l + 1;
    }
    for (int32_t l = count - 1; l >= 0; l--) {
        double low, high, with = 0, all_of = 0;
        for (int32_t i = 0; i <= l; i++) {
            with += prefix[i] * all->value[i + 1];
            all_of += prefix[i] * all->value[i];
        }
        line[l].mean.right = fmin(1, fmax(0, with / all_of));
        line[l].mean.wrong = fmin(1, fmax(0, (all_of - with) / all_of));
        ends_of(&line[l], &low, &high);
        for (int32_t i = 0; i <= l; i++) {
            all->value[i] = low * all->value[i] + high * all->value[i + 1];
        }
        prefix -= l;
    }
    for (int32_t l = count - 2; l >= 0; l--) { /* equal lines have equal means */
        bool same = og_crowd_lines_equal(&line[l], &line[l + 1]);
        line[l].mean = same ? line[l + 1].mean : line[l].mean;
    }
}

void og_crowd_classes_means(og_crowd_classes *all, og_crowd_line *const *line)
{
    for (int32_t k = 0; k < all->classes; k++) {
        find_class_means(all, k, line[k]);
    }
}

/* Adds the tails of probabilities of 0 .. count, relative to their sum. */
static void add_tails(const double *part, int32_t count, double unit, int32_t width,
                      int64_t *beyond)
{
    double above = 0, sum = 0;
    for (int32_t i = 0; i <= count; i++) {
        sum += part[i];
    }
    for (int32_t j = count - 1; j >= 0; j--) {
        above += part[j + 1];
        beyond[(size_t)j * (size_t)width] += (int64_t)rint(unit * fmin(1, fmax(0, above / sum)));
    }
}

void og_crowd_classes_tails(og_crowd_classes *all, double unit, int64_t *beyond)
{
    for (int32_t k = 0; k <= all->classes; k++) {
        bool whole = k == all->classes;
        int32_t count = whole ? 0 : all->count[k];
        if (whole) {
            count = multiply_others(all, all->power, all->count, -1);
        } else if (count > 0) {
            find_values(all, k);
        }
        for (int32_t i = 0; i <= count && (whole || count > 0); i++) {
            all->value[i] = whole ? all->product[i] * all->whole[i]
                                  : all->power[k][i] / all->rise[k][i] * all->value[i];
        }
        add_tails(all->value, count, unit, all->classes + 1, beyond + k);
    }
}

double *og_crowd_classes_keep(const og_crowd_classes *all, double *power, int32_t *count)
{
    for (int32_t k = 0; k < all->classes; k++) {
        count[k] = all->count[k];
        memcpy(power, all->power[k], ((size_t)count[k] + 1) * sizeof *power);
        power += count[k] + 1;
    }
    return power;
}

/* ---- calls ---- */

/* A point t = e^log_t of the integral: for each class and number of labels n, with a = alpha + n,
 * the density of Gamma(a) times t, and the probability below t. */
typedef struct {
    double *log_gamma[OG_CLASSES_MAX]; /* [longest + 2] of alpha + n + 1 */
    double *density[OG_CLASSES_MAX], *below[OG_CLASSES_MAX];
    double *dense[OG_CLASSES_MAX], *lower[OG_CLASSES_MAX]; /* of the task: times its powers */
    double *found;                                         /* of the task: the product */
} point;

static og_status point_new(og_arena *arena, const og_crowd_classes *all, point *out)
{
    size_t most = (size_t)all->longest + 2;
    for (int32_t k = 0; k < all->classes; k++) {
        double **part[] = {&out->log_gamma[k], &out->density[k], &out->below[k], &out->dense[k],
                           &out->lower[k]};
        for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
            *part[i] = og_arena_array(arena, most, sizeof **part[i]);
        }
        for (size_t n = 0; out->log_gamma[k] != NULL && n < most; n++) {
            out->log_gamma[k][n] = lgamma(all->alpha[k] + (double)n + 1);
        }
    }
    out->found = og_arena_array(arena, most, sizeof *out->found);
    return og_arena_status(arena);
}

/* The probability that Gamma(a) is below t, where step = t^a e^-t / Gamma(a + 1). */
static double gamma_below(double a, double t, double step)
{
    if (t > a + 40 + 12 * sqrt(a)) {
        return 1;
    }
    double sum = step, term = step;
    for (int32_t n = 1; term > 1e-18 * sum; n++) {
        term *= t / (a + n);
        sum += term;
    }
    return fmin(1, sum);
}

void og_crowd_gammas(double alpha, int32_t labels, const double *log_gamma, double log_t,
                     double *density, double *below)
{
    double t = exp(log_t);
    for (int32_t n = labels; n >= 0; n--) {
        double a = alpha + n, step = exp(a * log_t - t - log_gamma[n]);
        density[n] = a * step;
        below[n] = n == labels ? gamma_below(a, t, step) : fmin(1, below[n + 1] + step);
    }
}

og_crowd_steps og_crowd_steps_of(double sum, double most, int32_t labels)
{
    og_crowd_steps out = {.first = -40}; /* below it only powers of t without a label count: their
                                            sum is known */
    out.step = fmin(0.25, 0.7 / sqrt(sum + labels));
    out.weight = 1 + 1 / expm1(sum * out.step);
    double last = log(most + labels + 40 + 12 * sqrt(most + labels));
    out.count = (int32_t)ceil((last - out.first) / out.step);
    return out;
}

/* chance[classes] += weight times the value of the integrals at the point. */
static void add_point(og_crowd_classes *all, point *at, double weight, double *chance)
{
    for (int32_t k = 0; k < all->classes; k++) {
        for (int32_t n = 0; n <= all->count[k]; n++) {
            at->dense[k][n] = all->power[k][n] * at->density[k][n];
            at->lower[k][n] = all->power[k][n] * at->below[k][n];
        }
    }
    for (int32_t k = 0; k < all->classes; k++) {
        int32_t others = multiply_others(all, at->lower, all->count, k);
        double sum = 0;
        multiply(all->product, others, at->dense[k], all->count[k], at->found);
        for (int32_t n = 0; n <= others + all->count[k]; n++) {
            sum += at->found[n] * all->whole[n];
        }
        chance[k] += weight * sum;
    }
}

/* Takes a task whose polynomials were kept. */
static const double *take_kept(og_crowd_classes *all, const double *power, const int32_t *count)
{
    double *room = all->room;
    for (int32_t k = 0; k < all->classes; k++) {
        size_t terms = (size_t)count[k] + 1;
        all->count[k] = count[k];
        all->power[k] = memcpy(room, power, terms * sizeof *room);
        room += terms;
        power += terms;
    }
    sort_classes(all);
    return power;
}

static void add_points(og_crowd_classes *all, const double *power, const int32_t *count,
                       uint32_t tasks, point *at, double weight, double *chance)
{
    size_t classes = (size_t)all->classes;
    for (uint32_t i = 0; i < tasks; i++) {
        power = take_kept(all, power, count + i * classes);
        add_point(all, at, weight, chance + i * classes);
    }
}

og_status og_crowd_classes_calls(og_crowd_classes *all, const double *power, const int32_t *count,
                                 uint32_t tasks, og_stop *stop, double *chance)
{
    og_arena arena = {0};
    point at;
    double most = 0;
    for (int32_t k = 0; k < all->classes; k++) {
        most = fmax(most, all->alpha[k]);
    }
    og_crowd_steps steps = og_crowd_steps_of(sum_of(all->alpha, all->classes), most, all->longest);
    og_status status = point_new(&arena, all, &at);
    for (int32_t n = 0; status == OG_OK && n < steps.count; n++) {
        for (int32_t k = 0; k < all->classes; k++) {
            og_crowd_gammas(all->alpha[k], all->longest, at.log_gamma[k],
                            steps.first + n * steps.step, at.density[k], at.below[k]);
        }
        add_points(all, power, count, tasks, &at, n == 0 ? steps.weight : 1, chance);
        status = og_stop_asked(stop) ? OG_STOPPED : OG_OK;
    }
    for (size_t i = 0; i < tasks; i++) {
        double *here = chance + i * (size_t)all->classes, whole;
        for (int32_t k = 0; k < all->classes; k++) {
            here[k] = fmax(0, here[k]);
        }
        whole = sum_of(here, all->classes);
        for (int32_t k = 0; k < all->classes; k++) {
            here[k] /= whole;
        }
    }
    og_arena_clear(&arena);
    return status;
}
