/* Writes what a run concluded: the labels bought, tasks and workers. */
#include "bench/simulation/concluded.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/gold.h"

og_status og_concluded_new(const og_labels *labels, int64_t room, og_concluded *out)
{
    size_t tasks = labels->task_count, workers = labels->worker_count;
    size_t classes = (size_t)og_labels_classes(labels), most = (size_t)room;
    *out = (og_concluded){.labels = labels};
    out->count = og_arena_array(&out->arena, tasks * classes, sizeof *out->count);
    out->given = og_arena_array(&out->arena, workers, sizeof *out->given);
    out->differed = og_arena_array(&out->arena, workers, sizeof *out->differed);
    out->task = og_arena_array(&out->arena, most, sizeof *out->task);
    out->worker = og_arena_array(&out->arena, most, sizeof *out->worker);
    out->outcome = og_arena_array(&out->arena, most, sizeof *out->outcome);
    og_status status = og_arena_status(&out->arena);
    if (status != OG_OK) {
        og_concluded_clear(out);
    }
    return status;
}

void og_concluded_clear(og_concluded *concluded)
{
    og_arena_clear(&concluded->arena);
    *concluded = (og_concluded){.bought = 0};
}

static int64_t *counts_of(const og_concluded *concluded, uint32_t task)
{
    return &concluded->count[task * (size_t)og_labels_classes(concluded->labels)];
}

/* ---- the labels ---- */

void og_concluded_add(og_concluded *concluded, uint32_t task, uint32_t worker, int32_t outcome)
{
    int64_t k = concluded->bought++;
    concluded->task[k] = task;
    concluded->worker[k] = worker;
    concluded->outcome[k] = (uint8_t)outcome;
    counts_of(concluded, task)[outcome]++;
    if (concluded->labels->worker_count > 0) {
        concluded->given[worker]++;
    }
}

double og_concluded_differs(const int64_t *count, int32_t classes, int32_t outcome)
{
    int32_t tied = 0;
    for (int32_t c = 0; c < classes; c++) {
        if (count[c] > count[outcome]) {
            return 1;
        }
        tied += count[c] == count[outcome];
    }
    return 1 - 1.0 / tied;
}

void og_concluded_compare(og_concluded *concluded)
{
    int32_t classes = og_labels_classes(concluded->labels);
    for (int64_t k = 0; concluded->labels->worker_count > 0 && k < concluded->bought; k++) {
        concluded->differed[concluded->worker[k]] += og_concluded_differs(
            counts_of(concluded, concluded->task[k]), classes, concluded->outcome[k]);
    }
}

/* ---- orders ---- */

static int compare_places(const void *left, const void *right)
{
    const og_concluded_place *x = left, *y = right;
    if (x->by != y->by) {
        return x->by > y->by ? -1 : 1;
    }
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

void og_concluded_sort(og_concluded_place *place, size_t count)
{
    qsort(place, count, sizeof *place, compare_places);
}

og_status og_concluded_order(og_concluded *concluded, const double *reliability, uint32_t **out)
{
    uint32_t workers = concluded->labels->worker_count;
    uint32_t *order = og_arena_array(&concluded->arena, workers, sizeof *order);
    og_concluded_place *by = calloc((size_t)workers + 1, sizeof *by);
    og_status status = order == NULL ? OG_NO_MEMORY : OG_ALLOCATED(by);
    for (uint32_t j = 0; status == OG_OK && j < workers; j++) {
        double given = (double)concluded->given[j];
        double agreed = given > 0 ? 1 - concluded->differed[j] / given : -1;
        bool named = concluded->labels->worker_start != NULL;
        by[j] = (og_concluded_place){reliability != NULL ? reliability[j] : agreed,
                                     named ? og_labels_worker_name(concluded->labels, j) : "", j};
    }
    if (status == OG_OK) {
        og_concluded_sort(by, workers);
        *out = order;
    }
    for (uint32_t j = 0; status == OG_OK && j < workers; j++) {
        order[j] = by[j].number;
    }
    free(by);
    return status;
}

/* ---- rows ---- */

/* Without names, the number. */
static void put_name(og_document *row, const char *kind, const char *name, uint32_t number)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRIu32, number);
    og_put_text(row, kind, name != NULL ? name : text);
}

og_document *og_concluded_put_task(og_document *rows, const og_concluded *concluded, uint32_t task)
{
    const og_labels *labels = concluded->labels;
    const int64_t *count = counts_of(concluded, task);
    og_document *row = og_put_object(rows, NULL);
    put_name(row, "task", labels->task_start != NULL ? og_labels_task_name(labels, task) : NULL,
             task);
    if (labels->class_count > 2) {
        og_document *counts = og_put_array(row, "counts");
        for (int32_t c = 0; c < labels->class_count; c++) {
            og_put_whole(counts, NULL, (uint64_t)count[c]);
        }
    } else {
        og_put_whole(row, "positive", (uint64_t)count[0]);
        og_put_whole(row, "negative", (uint64_t)count[1]);
    }
    return row;
}

og_document *og_concluded_put_worker(og_document *rows, const og_concluded *concluded,
                                     uint32_t worker)
{
    const og_labels *labels = concluded->labels;
    bool any = concluded->given[worker] > 0;
    og_document *row = og_put_object(rows, NULL);
    put_name(row, "worker",
             labels->worker_start != NULL ? og_labels_worker_name(labels, worker) : NULL, worker);
    og_put_whole(row, "labels", (uint64_t)concluded->given[worker]);
    og_put_number(row, "disagreements", any ? concluded->differed[worker] : NAN);
    return row;
}

void og_concluded_put_call(og_document *row, const og_concluded *concluded, int32_t outcome)
{
    og_put_text(row, "call",
                outcome == OG_CONCLUDED_TIE ? "tie"
                : outcome == OG_CONCLUDED_UNDECIDED
                    ? "undecided"
                    : og_labels_outcome_name(concluded->labels, outcome));
}

/* ---- totals ---- */

void og_concluded_count(og_concluded_totals *totals, const og_concluded *concluded, int32_t outcome,
                        uint8_t gold, double right)
{
    totals->positive += concluded->labels->class_count <= 2 && outcome == 0;
    totals->ties += outcome == OG_CONCLUDED_TIE;
    totals->gold += gold != OG_GOLD_NONE;
    totals->right += gold != OG_GOLD_NONE ? right : 0;
}

void og_concluded_put_totals(og_document *object, const og_concluded *concluded,
                             const og_concluded_totals *totals, bool expected)
{
    og_document *row = og_put_object(object, "totals");
    og_put_whole(row, "labels", (uint64_t)concluded->bought);
    if (concluded->labels->class_count <= 2) {
        og_put_whole(row, "positive", (uint64_t)totals->positive);
    }
    og_put_whole(row, "tied", (uint64_t)totals->ties);
    og_put_whole(row, "gold", (uint64_t)totals->gold);
    og_put_number(row, "right", totals->right);
    if (expected) {
        og_put_number(row, "expected", totals->expected);
    }
}
