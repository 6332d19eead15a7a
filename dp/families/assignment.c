/*
 * Assigning workers to tasks: problems, and the posterior of the truths after a table of labels.
 * Only tasks of one context are coupled, by their unknown accuracies. A table's probability is the
 * product over these clusters, each of which is a sum over the truths of its labelled tasks.
 */
#include "dp/families/assignment.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>

enum { TOGETHER = OG_ASSIGNMENT_TOGETHER_MAX, WORKERS = OG_ASSIGNMENT_WORKERS_MAX };

/* ---- problems ---- */

static og_status check(int32_t tasks, const int32_t *context, int32_t contexts, int32_t workers,
                       bool known, const og_fraction (*accuracy)[2], og_message *message)
{
    if (tasks < 1 || workers < 1 || contexts < 1) {
        return og_message_set(message, OG_BAD_INPUT, "there must be at least one %s",
                              tasks < 1     ? "task"
                              : workers < 1 ? "worker"
                                            : "context");
    }
    for (int32_t i = 0; i < tasks; i++) {
        if (context[i] < 0 || context[i] >= contexts) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "task %" PRId32 " has context %" PRId64
                                  "; accuracies are given for contexts 1 to %" PRId32,
                                  i + 1, (int64_t)context[i] + 1, contexts);
        }
    }
    for (int64_t k = 0; k < (int64_t)contexts * workers; k++) {
        og_fraction first = accuracy[k][0];
        bool right = known ? first.num >= 0 && first.num <= first.den
                           : first.num > 0 && accuracy[k][1].num > 0;
        if (!right) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "the accuracy of worker %" PRId64 " in context %" PRId64
                                  " must be %s",
                                  k % workers + 1, k / workers + 1,
                                  known ? "from 0 to 1" : "a Beta with parameters greater than 0");
        }
    }
    return OG_OK;
}

og_status og_assignment_new(int32_t tasks, const int32_t *context, int32_t contexts,
                            int32_t workers, bool known, const og_fraction (*accuracy)[2],
                            og_assignment **out, og_message *message)
{
    OG_TRY(check(tasks, context, contexts, workers, known, accuracy, message));
    og_assignment *of = og_arena_new(sizeof *of);
    OG_TRY(OG_ALLOCATED(of));
    size_t pairs = (size_t)contexts * (size_t)workers;
    of->tasks = tasks;
    of->contexts = contexts;
    of->workers = workers;
    of->known = known;
    of->context = og_arena_copy(&of->arena, context, (size_t)tasks, sizeof *context);
    of->accuracy = og_arena_copy(&of->arena, accuracy, pairs, sizeof *accuracy);
    of->chance = og_arena_array(&of->arena, pairs, sizeof *of->chance);
    og_status status = og_arena_status(&of->arena);
    for (size_t k = 0; status == OG_OK && k < pairs; k++) {
        og_fraction *pair = of->accuracy[k];
        if (known) {
            pair[1] = og_fraction_make(pair[0].den - pair[0].num, pair[0].den);
        }
        of->chance[k][0] = og_fraction_double(pair[0]);
        of->chance[k][1] = og_fraction_double(pair[1]);
    }
    return OG_MADE(status, of, og_assignment_free, out);
}

void og_assignment_free(og_assignment *of)
{
    og_arena_free(of);
}

int64_t og_assignment_cells(const og_assignment *of)
{
    return (int64_t)of->tasks * of->workers;
}

bool og_assignment_workers_alike(const og_assignment *of, int32_t j, int32_t k)
{
    bool alike = true;
    for (int32_t s = 0; s < of->contexts; s++) {
        const og_fraction *x = of->accuracy[(ptrdiff_t)s * of->workers + j];
        const og_fraction *y = of->accuracy[(ptrdiff_t)s * of->workers + k];
        alike =
            alike && og_fraction_compare(x[0], y[0]) == 0 && og_fraction_compare(x[1], y[1]) == 0;
    }
    return alike;
}

/* ---- tables of factors ---- */

/* The number of coupled tasks that so many labels can reach. */
static int32_t coupled(const og_assignment *of, int32_t labels)
{
    int32_t most = 0;
    for (int32_t s = 0; !of->known && s < of->contexts; s++) {
        int32_t count = 0;
        for (int32_t i = 0; i < of->tasks; i++) {
            count += of->context[i] == s;
        }
        most = count > most ? count : most;
    }
    most = most < labels ? most : labels;
    return most > 1 ? most : 1;
}

/* B(c + r, d + n - r) / B(c, d) for n labels, r of them right, for n up to `most`. */
static void fill_factors(const double beta[2], int32_t most, double *factor)
{
    for (int32_t n = 0; n <= most; n++) {
        for (int32_t r = 0; r <= n; r++) {
            double value = 1;
            for (int32_t k = 0; k < n; k++) {
                value *= (k < r ? beta[0] + k : beta[1] + (k - r)) / (beta[0] + beta[1] + k);
            }
            factor[n * (most + 1) + r] = value;
        }
    }
}

/*
 * In units of u: a parameter has an error of 2. So a label's factor has 3 above and 4 below, and
 * takes a quotient and a product: 9, with a product for its worker 10. The sum over truths is a
 * tree, except for the parts by truth, to which 2^(together - 1) numbers are added one by one. A
 * cluster is multiplied by the others, at most one for each label. Halves are exact.
 */
static double relative_error(int32_t labels, int32_t together)
{
    return 1.02 * DBL_EPSILON / 2 * (11.0 * labels + together + ldexp(1, together) + 8);
}

og_status og_assignment_posterior_init(const og_assignment *of, int32_t labels,
                                       og_assignment_posterior *out, og_message *message)
{
    const int32_t together = coupled(of, labels);
    if (of->workers > WORKERS) {
        return og_message_set(message, OG_STOPPED,
                              "exact values support at most %d workers, not %" PRId32, WORKERS,
                              of->workers);
    }
    if (together > TOGETHER) {
        return og_message_set(
            message, OG_STOPPED,
            "exact values support at most %d labelled tasks of a context, not %" PRId32, TOGETHER,
            together);
    }
    og_assignment_posterior made = {.of = of,
                                    .labels = labels,
                                    .together = together,
                                    .error = relative_error(labels, together)};
    size_t pairs = of->known ? 0 : (size_t)of->contexts * (size_t)of->workers;
    size_t side = (size_t)together + 1;
    made.factor = og_arena_array(&made.arena, pairs * side * side, sizeof *made.factor);
    og_status status = og_arena_status(&made.arena);
    for (size_t k = 0; status == OG_OK && k < pairs; k++) {
        fill_factors(of->chance[k], together, &made.factor[k * side * side]);
    }
    if (status != OG_OK) {
        og_arena_clear(&made.arena);
        return status;
    }
    *out = made;
    return OG_OK;
}

void og_assignment_posterior_clear(og_assignment_posterior *posterior)
{
    og_arena_clear(&posterior->arena);
}

/* ---- a cluster: the labelled tasks of one context ---- */

typedef struct {
    int32_t tasks, workers;
    const int8_t *label[TOGETHER]; /* rows of the table */
    int32_t worker[WORKERS];       /* the worker of each label */
    const double *factor[WORKERS]; /* of these, by number of right labels */
    int32_t right[WORKERS];        /* so far */
    double part[TOGETHER][2];      /* by truth -1, +1 of a task */
} cluster;

static double product_of_factors(const cluster *c)
{
    double product = 1;
    for (int32_t k = 0; k < c->workers; k++) {
        product *= c->factor[k][c->right[k]];
    }
    return product;
}

/* The sum over the truths of task `at` and the tasks after it. */
static double sum_over_truths(cluster *c, int32_t at)
{
    double sum[2];
    if (at == c->tasks) {
        return product_of_factors(c);
    }
    for (int truth = 0; truth < 2; truth++) {
        const int8_t as = truth == 0 ? -1 : 1;
        for (int32_t k = 0; k < c->workers; k++) {
            c->right[k] += c->label[at][c->worker[k]] == as;
        }
        sum[truth] = sum_over_truths(c, at + 1);
        for (int32_t k = 0; k < c->workers; k++) {
            c->right[k] -= c->label[at][c->worker[k]] == as;
        }
        c->part[at][truth] += sum[truth];
    }
    return sum[0] + sum[1];
}

static bool has_labels(const og_assignment *of, const int8_t *label, int32_t i)
{
    bool any = false;
    for (int32_t j = 0; j < of->workers; j++) {
        any = any || label[(ptrdiff_t)i * of->workers + j] != 0;
    }
    return any;
}

/* Finds the labelled tasks of context s; task[] lists them. */
static void gather(const og_assignment_posterior *p, const int8_t *label, int32_t s, cluster *c,
                   int32_t *task)
{
    const og_assignment *of = p->of;
    const int32_t side = p->together + 1;
    c->tasks = 0;
    c->workers = 0;
    for (int32_t i = 0; i < of->tasks; i++) {
        if (of->context[i] == s && has_labels(of, label, i)) {
            assert(c->tasks < p->together);
            task[c->tasks] = i;
            c->part[c->tasks][0] = 0;
            c->part[c->tasks][1] = 0;
            c->label[c->tasks++] = &label[(ptrdiff_t)i * of->workers];
        }
    }
    for (int32_t j = 0; j < of->workers; j++) {
        int32_t labels = 0;
        for (int32_t k = 0; k < c->tasks; k++) {
            labels += c->label[k][j] != 0;
        }
        if (labels > 0) {
            ptrdiff_t pair = (ptrdiff_t)s * of->workers + j;
            c->factor[c->workers] = &p->factor[pair * side * side + (ptrdiff_t)labels * side];
            c->right[c->workers] = 0;
            c->worker[c->workers++] = j;
        }
    }
}

/* ---- the whole table ---- */

/* Multiplies everything so far by the factor of the tasks that come now; see weigh. */
static void multiply(double *plus, double *minus, int32_t count, double by)
{
    for (int32_t i = 0; i < count; i++) {
        plus[i] *= by;
        minus[i] *= by;
    }
}

static double weigh_coupled(const og_assignment_posterior *p, const int8_t *label, double *plus,
                            double *minus)
{
    const og_assignment *of = p->of;
    cluster c;
    int32_t task[TOGETHER];
    double evidence = 1;
    for (int32_t i = 0; plus != NULL && i < of->tasks; i++) {
        plus[i] = minus[i] = 0.5;
    }
    for (int32_t s = 0; s < of->contexts; s++) {
        gather(p, label, s, &c, task);
        if (c.tasks == 0) {
            continue;
        }
        double here = ldexp(sum_over_truths(&c, 0), -c.tasks);
        if (plus != NULL) {
            multiply(plus, minus, of->tasks, here);
            for (int32_t k = 0; k < c.tasks; k++) {
                minus[task[k]] = ldexp(c.part[k][0], -c.tasks) * evidence;
                plus[task[k]] = ldexp(c.part[k][1], -c.tasks) * evidence;
            }
        }
        evidence *= here;
    }
    return evidence;
}

/* Every task is independent if q is known. */
static double weigh_known(const og_assignment_posterior *p, const int8_t *label, double *plus,
                          double *minus)
{
    const og_assignment *of = p->of;
    double evidence = 1;
    for (int32_t i = 0; i < of->tasks; i++) {
        double by_truth[2] = {0.5, 0.5};
        for (int32_t j = 0; j < of->workers; j++) {
            const double *q = of->chance[(ptrdiff_t)of->context[i] * of->workers + j];
            int8_t said = label[(ptrdiff_t)i * of->workers + j];
            if (said != 0) {
                by_truth[0] *= q[said == 1];
                by_truth[1] *= q[said != 1];
            }
        }
        double here = by_truth[0] + by_truth[1];
        if (plus != NULL) {
            multiply(plus, minus, i, here);
            minus[i] = by_truth[0] * evidence;
            plus[i] = by_truth[1] * evidence;
        }
        evidence *= here;
    }
    return evidence;
}

double og_assignment_weigh(const og_assignment_posterior *posterior, const int8_t *label,
                           double *plus, double *minus)
{
    assert((plus == NULL) == (minus == NULL));
    return posterior->of->known ? weigh_known(posterior, label, plus, minus)
                                : weigh_coupled(posterior, label, plus, minus);
}

double og_assignment_predict(const og_assignment_posterior *posterior, int8_t *label, int32_t i,
                             int32_t j)
{
    int8_t *cell = &label[(ptrdiff_t)i * posterior->of->workers + j];
    assert(*cell == 0);
    *cell = 1;
    double plus = og_assignment_weigh(posterior, label, NULL, NULL);
    *cell = -1;
    double minus = og_assignment_weigh(posterior, label, NULL, NULL);
    *cell = 0;
    return plus + minus > 0 ? plus / (plus + minus) : 0.5;
}

double og_assignment_called(int32_t tasks, const double *plus, const double *minus)
{
    double sum = 0;
    for (int32_t i = 0; i < tasks; i++) {
        sum += fmax(plus[i], minus[i]);
    }
    return sum;
}

double og_assignment_scored(int32_t tasks, const double *plus, const double *minus,
                            const double *decision)
{
    double sum = 0;
    for (int32_t i = 0; i < tasks; i++) {
        sum += decision[i] > 0 ? plus[i] : decision[i] < 0 ? minus[i] : (plus[i] + minus[i]) / 2;
    }
    return sum;
}
