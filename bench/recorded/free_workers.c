/* Finds workers who can give labels, and assigns labels to them by augmenting paths. */
#include "bench/recorded/free_workers.h"

#include <stdlib.h>
#include <string.h>

/* ---- finding ---- */

static int compare_pairs(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Sort, and keep each pair once. */
static size_t sort_pairs(uint64_t *pair, size_t count)
{
    size_t kept = 0;
    qsort(pair, count, sizeof *pair, compare_pairs);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || pair[kept - 1] != pair[i]) {
            pair[kept++] = pair[i];
        }
    }
    return kept;
}

static bool has_pair(const uint64_t *pair, size_t count, uint64_t wanted)
{
    return count > 0 && bsearch(&wanted, pair, count, sizeof *pair, compare_pairs) != NULL;
}

/* The pairs of labelled tasks and workers of the list. */
static og_status list_labelled(const og_labels *labels, const og_list *list, og_arena *arena,
                               uint64_t **out, size_t *count)
{
    const og_sorted_name *sorted = og_sorted_rows(list, arena);
    uint32_t *number = og_arena_array(arena, labels->worker_count, sizeof *number);
    uint64_t *pair = og_arena_array(arena, (size_t)labels->label_count, sizeof *pair);
    OG_TRY(og_arena_status(arena));
    for (uint32_t w = 0; w < labels->worker_count; w++) {
        const og_sorted_name *known =
            og_sorted_find(sorted, list->count, og_labels_worker_name(labels, w));
        number[w] = known != NULL ? list->row[known->number].number : UINT32_MAX;
    }
    *count = 0;
    for (int64_t i = 0; i < labels->label_count; i++) {
        uint32_t worker = number[labels->worker[i]];
        if (worker != UINT32_MAX) {
            pair[(*count)++] = (uint64_t)labels->task[i] << 32 | worker;
        }
    }
    *count = sort_pairs(pair, *count);
    *out = pair;
    return OG_OK;
}

/* The pairs of the list whose task is known and not labelled by the worker. */
static og_status list_free(const og_labels *labels, const og_list *list, og_arena *arena,
                           const uint64_t *labelled, size_t count, og_free_workers *out)
{
    const og_sorted_name *tasks = og_sorted_tasks(labels, arena);
    out->pair = og_arena_array(&out->arena, list->count, sizeof *out->pair);
    OG_TRY(OG_ALLOCATED(tasks));
    OG_TRY(OG_ALLOCATED(out->pair));
    for (uint32_t i = 0; i < list->count; i++) {
        const og_list_row *row = &list->row[i];
        const og_sorted_name *task = og_sorted_find(tasks, labels->task_count, row->task);
        uint64_t pair = task != NULL ? (uint64_t)task->number << 32 | row->number : 0;
        if (task != NULL && !has_pair(labelled, count, pair)) {
            out->pair[out->pair_count++] = pair;
        }
    }
    out->pair_count = sort_pairs(out->pair, out->pair_count);
    return OG_OK;
}

/* Lower the rooms of the tasks, and find the most labels of all workers. */
static og_status limit_room(const og_labels *labels, int32_t *room, og_free_workers *workers)
{
    uint32_t tasks = labels->task_count, able = 0;
    og_arena arena = {0};
    int32_t *of_task = og_arena_array(&arena, tasks, sizeof *of_task);
    int32_t *of_worker = og_arena_array(&arena, workers->count, sizeof *of_worker);
    og_status status = og_arena_status(&arena);
    for (size_t i = 0; status == OG_OK && i < workers->pair_count; i++) {
        uint32_t worker = (uint32_t)workers->pair[i];
        of_task[workers->pair[i] >> 32] += workers->capacity[worker] > 0;
        of_worker[worker]++;
    }
    for (uint32_t w = 0; status == OG_OK && w < workers->count; w++) {
        int64_t most = workers->listed ? of_worker[w] : (int64_t)tasks - of_worker[w];
        able += workers->capacity[w] > 0;
        workers->labels += most < workers->capacity[w] ? most : workers->capacity[w];
    }
    int32_t all = able < INT32_MAX ? (int32_t)able : INT32_MAX;
    for (uint32_t i = 0; status == OG_OK && i < tasks; i++) {
        int32_t most = workers->listed ? of_task[i] : all - of_task[i];
        room[i] = room[i] < most ? room[i] : most;
    }
    og_arena_clear(&arena);
    return status;
}

static og_status find(const og_labels *labels, const og_list *list, og_arena *arena, int32_t *room,
                      og_free_workers *out)
{
    uint64_t *labelled;
    size_t count;
    out->name = og_arena_array(&out->arena, out->count, sizeof *out->name);
    out->capacity = og_arena_array(&out->arena, out->count, sizeof *out->capacity);
    OG_TRY(og_arena_status(&out->arena));
    for (uint32_t i = 0; i < list->count; i++) {
        const og_list_row *row = &list->row[i];
        out->name[row->number] = row->name;
        out->capacity[row->number] = row->capacity >= 0 ? row->capacity : INT32_MAX;
        out->limited = out->limited || row->capacity >= 0;
    }
    OG_TRY(list_labelled(labels, list, arena, &labelled, &count));
    if (out->listed) {
        OG_TRY(list_free(labels, list, arena, labelled, count, out));
    } else {
        out->pair_count = count;
        out->pair = og_arena_copy(&out->arena, labelled, count, sizeof *out->pair);
        OG_TRY(OG_ALLOCATED(out->pair));
    }
    return limit_room(labels, room, out);
}

og_status og_free_workers_find(const og_labels *labels, const og_list *list, int32_t *room,
                               og_free_workers *out)
{
    og_arena arena = {0};
    og_free_workers made = {.listed = list->has_task, .count = list->name_count};
    og_status status = find(labels, list, &arena, room, &made);
    og_arena_clear(&arena);
    return OG_MADE_IN(status, made, og_free_workers_clear, out);
}

void og_free_workers_clear(og_free_workers *workers)
{
    og_arena_clear(&workers->arena);
    *workers = (og_free_workers){.count = 0};
}

/* ---- assigning ---- */

enum { NONE = -1 };

typedef struct {
    uint32_t task, worker;
    int64_t of_task;   /* the label before it of the same task, or NONE */
    int64_t of_worker; /* likewise, of the same worker */
} label;

struct og_matching {
    og_arena arena;
    const og_free_workers *workers;
    label *label; /* [count] */
    int64_t count, most;
    int64_t *last_of_task;   /* [tasks] */
    int64_t *last_of_worker; /* [workers] */
    int32_t *used;           /* [workers] labels */
    bool *full;       /* [workers] no augmenting path leads on from there, whatever is added */
    uint32_t turn;    /* the worker to try first */
    uint32_t *queue;  /* [workers] of a search */
    bool *seen;       /* [workers] */
    int64_t *through; /* [workers] the label that would change to the worker; NONE: the new one */
};

og_matching *og_matching_new(const og_free_workers *workers, uint32_t tasks, int64_t most)
{
    size_t count = workers->count;
    og_matching *matching = og_arena_new(sizeof *matching);
    if (matching == NULL) {
        return NULL;
    }
    matching->workers = workers;
    matching->most = most;
    matching->label = og_arena_array(&matching->arena, (size_t)most, sizeof *matching->label);
    matching->last_of_task =
        og_arena_array(&matching->arena, tasks, sizeof *matching->last_of_task);
    matching->last_of_worker =
        og_arena_array(&matching->arena, count, sizeof *matching->last_of_worker);
    matching->used = og_arena_array(&matching->arena, count, sizeof *matching->used);
    matching->full = og_arena_array(&matching->arena, count, sizeof *matching->full);
    matching->queue = og_arena_array(&matching->arena, count, sizeof *matching->queue);
    matching->seen = og_arena_array(&matching->arena, count, sizeof *matching->seen);
    matching->through = og_arena_array(&matching->arena, count, sizeof *matching->through);
    if (og_arena_status(&matching->arena) != OG_OK) {
        og_matching_free(matching);
        return NULL;
    }
    memset(matching->last_of_task, NONE, tasks * sizeof *matching->last_of_task);
    memset(matching->last_of_worker, NONE, count * sizeof *matching->last_of_worker);
    return matching;
}

void og_matching_free(og_matching *matching)
{
    og_arena_free(matching);
}

uint32_t og_matching_worker(const og_matching *matching, int64_t k)
{
    return matching->label[k].worker;
}

/* True if the worker could give one more label of the task, capacities aside. */
static bool is_free(const og_matching *matching, uint32_t task, uint32_t worker)
{
    const og_free_workers *all = matching->workers;
    int64_t at = matching->last_of_task[task];
    while (at != NONE && matching->label[at].worker != worker) {
        at = matching->label[at].of_task;
    }
    return at == NONE &&
           has_pair(all->pair, all->pair_count, (uint64_t)task << 32 | worker) == all->listed;
}

static bool has_room(const og_matching *matching, uint32_t worker)
{
    return matching->used[worker] < matching->workers->capacity[worker];
}

static void add_label(og_matching *matching, uint32_t task, uint32_t worker)
{
    matching->label[matching->count] =
        (label){task, worker, matching->last_of_task[task], matching->last_of_worker[worker]};
    matching->last_of_task[task] = matching->last_of_worker[worker] = matching->count++;
    matching->used[worker]++;
}

static void unlink_worker(og_matching *matching, int64_t at)
{
    int64_t *link = &matching->last_of_worker[matching->label[at].worker];
    while (*link != at) {
        link = &matching->label[*link].of_worker;
    }
    *link = matching->label[at].of_worker;
    matching->used[matching->label[at].worker]--;
}

static void move_label(og_matching *matching, int64_t at, uint32_t worker)
{
    unlink_worker(matching, at);
    matching->label[at].worker = worker;
    matching->label[at].of_worker = matching->last_of_worker[worker];
    matching->last_of_worker[worker] = at;
    matching->used[worker]++;
}

/* Remove the newest label; its task has no newer one. */
static void drop_label(og_matching *matching)
{
    int64_t at = matching->count - 1;
    unlink_worker(matching, at);
    matching->last_of_task[matching->label[at].task] = matching->label[at].of_task;
    matching->count--;
}

/* A worker with room, in turn; false if there is none. */
static bool find_direct(og_matching *matching, uint32_t task, uint32_t *worker)
{
    uint32_t count = matching->workers->count, at = matching->turn;
    for (uint32_t tried = 0; tried < count; tried++, at = (at + 1) % count) {
        if (has_room(matching, at) && is_free(matching, task, at)) {
            *worker = at;
            return true;
        }
    }
    return false;
}

/* Append to the queue the workers who could take this label (NONE: a new one) of the task. */
static uint32_t reach(og_matching *matching, uint32_t task, int64_t at, uint32_t reached)
{
    for (uint32_t w = 0; w < matching->workers->count; w++) {
        if (!matching->seen[w] && !matching->full[w] && is_free(matching, task, w)) {
            matching->seen[w] = true;
            matching->through[w] = at;
            matching->queue[reached++] = w;
        }
    }
    return reached;
}

/*
 * The last worker of a shortest augmenting path; false if there is none. Then no path leads from
 * the workers reached to one with room, and later labels change nothing there: with `keeps` they
 * are full from now on.
 */
static bool find_path(og_matching *matching, uint32_t task, bool keeps, uint32_t *worker)
{
    memset(matching->seen, 0, matching->workers->count * sizeof *matching->seen);
    uint32_t reached = reach(matching, task, NONE, 0);
    for (uint32_t next = 0; next < reached; next++) {
        uint32_t here = matching->queue[next];
        if (has_room(matching, here)) {
            *worker = here;
            return true;
        }
        for (int64_t at = matching->last_of_worker[here]; at != NONE;
             at = matching->label[at].of_worker) {
            reached = reach(matching, matching->label[at].task, at, reached);
        }
    }
    for (uint32_t next = 0; keeps && next < reached; next++) {
        matching->full[matching->queue[next]] = true;
    }
    return false;
}

/* Give each label of the path to the worker after it, from the end; returns the first worker. */
static uint32_t shift(og_matching *matching, uint32_t worker)
{
    while (matching->through[worker] != NONE) {
        int64_t at = matching->through[worker];
        uint32_t before = matching->label[at].worker;
        move_label(matching, at, worker);
        worker = before;
    }
    return worker;
}

static bool add_one(og_matching *matching, uint32_t task, bool keeps)
{
    uint32_t worker;
    if (matching->count == matching->most) {
        return false;
    }
    if (!find_direct(matching, task, &worker)) {
        if (!find_path(matching, task, keeps, &worker)) {
            return false;
        }
        worker = shift(matching, worker);
    }
    add_label(matching, task, worker);
    matching->turn = (worker + 1) % matching->workers->count;
    return true;
}

bool og_matching_add(og_matching *matching, uint32_t task, int32_t count)
{
    int32_t added = 0;
    while (added < count && add_one(matching, task, added == 0)) {
        added++;
    }
    for (int32_t k = added; k > 0 && added < count; k--) {
        drop_label(matching);
    }
    return added == count;
}
