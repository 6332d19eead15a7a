#ifndef OG_DP_FAMILIES_ASSIGNMENT_SUMS_H
#define OG_DP_FAMILIES_ASSIGNMENT_SUMS_H

#include <assert.h>

#include "dp/families/assignment.h"
#include "dp/families/crowd_number.h"

/*
 * The posterior of the truths after a table of labels in numbers of one kind (private to
 * dp/families/): a template that dp/families/assignment.c uses for doubles and
 * dp/families/assignment_exact.c for whole numbers. Only tasks of one context are coupled, by their
 * unknown accuracies. A table's probability is the product over these clusters, each of which is a
 * sum over the truths of its labelled tasks.
 */
enum { TOGETHER = OG_ASSIGNMENT_TOGETHER_MAX, WORKERS = OG_ASSIGNMENT_WORKERS_MAX };

/* A cluster: the labelled tasks of one context; or one task if q is known. */
typedef struct {
    const og_assignment *assignment;
    const void *own;     /* of the kind of numbers */
    const int8_t *label; /* the table */
    int32_t context, tasks, workers;
    int32_t task[TOGETHER];
    const int8_t *row[TOGETHER];  /* of the table */
    int32_t worker[WORKERS];      /* those who labelled the tasks */
    int32_t right[WORKERS];       /* so far */
    number *factor[WORKERS];      /* of these, by number of right labels */
    number part[TOGETHER + 1][2]; /* by truth -1, +1 of a task */
    number sum[TOGETHER + 1][2];  /* scratch */
} cluster;

/* The factors of the next worker, j, who gave so many labels, by number of right ones. */
static number *factors_of(const cluster *c, int32_t j, int32_t labels);

/* The truths are fair: divides the parts and the whole sum by 2 for each task. */
static number_in halve(cluster *c, number_in whole);

/* The sum over the truths of task `at` and the tasks after it; `room` is where it may be put. */
static number_in sum_over_truths(cluster *c, int32_t at, number *room)
{
    number_in sum[2];
    if (at == c->tasks) {
        return number_product(room, c->factor, c->right, c->workers);
    }
    for (int truth = 0; truth < 2; truth++) {
        const int8_t as = truth == 0 ? -1 : 1;
        for (int32_t k = 0; k < c->workers; k++) {
            c->right[k] += c->row[at][c->worker[k]] == as;
        }
        sum[truth] = sum_over_truths(c, at + 1, &c->sum[at][truth]);
        for (int32_t k = 0; k < c->workers; k++) {
            c->right[k] -= c->row[at][c->worker[k]] == as;
        }
        number_add(&c->part[at][truth], sum[truth]);
    }
    return number_plus(room, sum[0], sum[1]);
}

static bool has_labels(const og_assignment *assignment, const int8_t *label, int32_t i)
{
    bool any = false;
    for (int32_t j = 0; j < assignment->workers; j++) {
        any = any || label[(ptrdiff_t)i * assignment->workers + j] != 0;
    }
    return any;
}

/* Finds the labelled tasks of context s, or task s if q is known. */
static void gather(cluster *c, int32_t s)
{
    const og_assignment *assignment = c->assignment;
    const int32_t end = assignment->known ? s + 1 : assignment->tasks;
    c->context = assignment->known ? assignment->context[s] : s;
    c->tasks = 0;
    c->workers = 0;
    for (int32_t i = assignment->known ? s : 0; i < end; i++) {
        if (assignment->context[i] == c->context && has_labels(assignment, c->label, i)) {
            assert(c->tasks < TOGETHER);
            number_set(&c->part[c->tasks][0], 0);
            number_set(&c->part[c->tasks][1], 0);
            c->row[c->tasks] = &c->label[(ptrdiff_t)i * assignment->workers];
            c->task[c->tasks++] = i;
        }
    }
    for (int32_t j = 0; j < assignment->workers; j++) {
        int32_t labels = 0;
        for (int32_t k = 0; k < c->tasks; k++) {
            labels += c->row[k][j] != 0;
        }
        if (labels > 0) {
            c->factor[c->workers] = factors_of(c, j, labels);
            c->right[c->workers] = 0;
            c->worker[c->workers++] = j;
        }
    }
}

/* As og_assignment_weigh. */
static void weigh(cluster *c, number *evidence, number *plus, number *minus)
{
    const int32_t clusters = c->assignment->known ? c->assignment->tasks : c->assignment->contexts;
    number_set(evidence, 1);
    for (int32_t i = 0; plus != NULL && i < c->assignment->tasks; i++) {
        number_set_half(&plus[i]);
        number_set_half(&minus[i]);
    }
    for (int32_t s = 0; s < clusters; s++) {
        gather(c, s);
        if (c->tasks == 0) {
            continue;
        }
        number_in here = halve(c, sum_over_truths(c, 0, c->sum[TOGETHER]));
        for (int32_t i = 0; plus != NULL && i < c->assignment->tasks; i++) {
            number_multiply(&plus[i], here);
            number_multiply(&minus[i], here);
        }
        for (int32_t k = 0; plus != NULL && k < c->tasks; k++) {
            number_move(&minus[c->task[k]], &c->part[k][0]);
            number_move(&plus[c->task[k]], &c->part[k][1]);
            number_multiply(&minus[c->task[k]], *evidence);
            number_multiply(&plus[c->task[k]], *evidence);
        }
        number_multiply(evidence, here);
    }
}

#endif
