/* Assigning workers to tasks: problems, and the posterior of the truths after a table of labels. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>

#include "dp/families/assignment_sums.h"
#include "dp/families/crowd.h"

/* ---- problems ---- */

static og_status check(const og_assignment_given *given, og_message *message)
{
    if (given->tasks < 1 || given->workers < 1 || given->contexts < 1) {
        return og_message_set(message, OG_BAD_INPUT, "there must be at least one %s",
                              given->tasks < 1     ? "task"
                              : given->workers < 1 ? "worker"
                                                   : "context");
    }
    for (int32_t i = 0; i < given->tasks; i++) {
        if (given->context[i] < 0 || given->context[i] >= given->contexts) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "task %" PRId32 " has context %" PRId64
                                  "; accuracies are given for contexts 1 to %" PRId32,
                                  i + 1, (int64_t)given->context[i] + 1, given->contexts);
        }
    }
    for (int64_t k = 0; k < (int64_t)given->contexts * given->workers; k++) {
        og_fraction first = given->accuracy[k][0];
        bool right = given->known ? first.num >= 0 && first.num <= first.den
                                  : first.num > 0 && given->accuracy[k][1].num > 0;
        if (!right) {
            return og_message_set(
                message, OG_BAD_INPUT,
                "the accuracy of worker %" PRId64 " in context %" PRId64 " must be %s",
                k % given->workers + 1, k / given->workers + 1,
                given->known ? "from 0 to 1" : "a Beta with parameters greater than 0");
        }
    }
    return OG_OK;
}

og_status og_assignment_new(const og_assignment_given *given, og_assignment **out,
                            og_message *message)
{
    OG_TRY(check(given, message));
    og_assignment *assignment = og_arena_new(sizeof *assignment);
    OG_TRY(OG_ALLOCATED(assignment));
    size_t tasks = (size_t)given->tasks, pairs = (size_t)given->contexts * (size_t)given->workers;
    assignment->tasks = given->tasks;
    assignment->contexts = given->contexts;
    assignment->workers = given->workers;
    assignment->known = given->known;
    assignment->context =
        og_arena_copy(&assignment->arena, given->context, tasks, sizeof *assignment->context);
    assignment->accuracy =
        og_arena_copy(&assignment->arena, given->accuracy, pairs, sizeof *assignment->accuracy);
    assignment->chance = og_arena_array(&assignment->arena, pairs, sizeof *assignment->chance);
    og_status status = og_arena_status(&assignment->arena);
    for (size_t k = 0; status == OG_OK && k < pairs; k++) {
        og_fraction *pair = assignment->accuracy[k];
        if (assignment->known) {
            pair[1] = og_fraction_make(pair[0].den - pair[0].num, pair[0].den);
        }
        assignment->chance[k][0] = og_fraction_double(pair[0]);
        assignment->chance[k][1] = og_fraction_double(pair[1]);
    }
    return OG_MADE(status, assignment, og_assignment_free, out);
}

void og_assignment_free(og_assignment *assignment)
{
    og_arena_free(assignment);
}

int64_t og_assignment_cells(const og_assignment *assignment)
{
    return (int64_t)assignment->tasks * assignment->workers;
}

bool og_assignment_workers_alike(const og_assignment *assignment, int32_t j, int32_t k)
{
    bool alike = true;
    for (int32_t s = 0; s < assignment->contexts; s++) {
        const og_fraction *x = assignment->accuracy[(ptrdiff_t)s * assignment->workers + j];
        const og_fraction *y = assignment->accuracy[(ptrdiff_t)s * assignment->workers + k];
        alike =
            alike && og_fraction_compare(x[0], y[0]) == 0 && og_fraction_compare(x[1], y[1]) == 0;
    }
    return alike;
}

/* ---- tables of factors ---- */

/* The number of coupled tasks that so many labels can reach. */
static int32_t coupled(const og_assignment *assignment, int32_t labels)
{
    int32_t most = 0;
    for (int32_t s = 0; !assignment->known && s < assignment->contexts; s++) {
        int32_t count = 0;
        for (int32_t i = 0; i < assignment->tasks; i++) {
            count += assignment->context[i] == s;
        }
        most = count > most ? count : most;
    }
    most = most < labels ? most : labels;
    return most > 1 ? most : 1;
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

og_status og_assignment_posterior_init(const og_assignment *assignment, int32_t labels,
                                       og_assignment_posterior *out, og_message *message)
{
    const int32_t together = coupled(assignment, labels);
    if (assignment->workers > WORKERS) {
        return og_message_set(message, OG_STOPPED,
                              "exact values support at most %d workers, not %" PRId32, WORKERS,
                              assignment->workers);
    }
    if (together > TOGETHER) {
        return og_message_set(
            message, OG_STOPPED,
            "exact values support at most %d labelled tasks of a context, not %" PRId32, TOGETHER,
            together);
    }
    og_assignment_posterior made = {.assignment = assignment,
                                    .labels = labels,
                                    .together = together,
                                    .error = relative_error(labels, together)};
    size_t pairs = (size_t)assignment->contexts * (size_t)assignment->workers;
    size_t side = (size_t)together + 1;
    made.factor = og_arena_array(&made.arena, pairs * side * side, sizeof *made.factor);
    og_status status = og_arena_status(&made.arena);
    for (size_t k = 0; status == OG_OK && k < pairs; k++) {
        double *factor = &made.factor[k * side * side];
        if (assignment->known) { /* of one label */
            factor[side] = assignment->chance[k][1];
            factor[side + 1] = assignment->chance[k][0];
        } else {
            og_crowd_factors(assignment->chance[k], together, factor);
        }
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

/* ---- the sums ---- */

static double *factors_of(const cluster *c, int32_t j, int32_t labels)
{
    const og_assignment_posterior *by = c->own;
    const ptrdiff_t side = by->together + 1,
                    pair = (ptrdiff_t)c->context * c->assignment->workers + j;
    return &by->factor[(pair * side + labels) * side];
}

static number_in halve(cluster *c, number_in whole)
{
    for (int32_t k = 0; k < c->tasks; k++) {
        c->part[k][0] = ldexp(c->part[k][0], -c->tasks);
        c->part[k][1] = ldexp(c->part[k][1], -c->tasks);
    }
    return ldexp(whole, -c->tasks);
}

double og_assignment_weigh(const og_assignment_posterior *posterior, const int8_t *label,
                           double *plus, double *minus)
{
    double evidence;
    cluster c;
    assert((plus == NULL) == (minus == NULL));
    c.assignment = posterior->assignment;
    c.own = posterior;
    c.label = label;
    weigh(&c, &evidence, plus, minus);
    return evidence;
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
