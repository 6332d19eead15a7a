/* Lists of tasks and workers, with a form feed between: a list is the same when it is written again
 * and read, tasks are added once, and a worker is assigned only where the list and the labels allow
 * it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/candidates.h"
#include "tests/fuzz.h"

static bool same_text(const char *x, const char *y)
{
    return x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
}

static void check_read_back(const og_list *of, const og_list_columns *columns)
{
    char *text = NULL;
    size_t size = 0;
    og_list again = {.count = 0};
    FILE *file = open_memstream(&text, &size);
    fuzz_check(file != NULL, "out of memory");
    fprintf(file, "%s%s%s%s%s,other\n", columns->first, of->has_second ? "," : "",
            of->has_second ? columns->second : "", of->has_share ? "," : "",
            of->has_share ? columns->share : "");
    for (uint32_t i = 0; i < of->count; i++) {
        fuzz_quote(file, of->row[i].first, ',');
        if (of->has_second) {
            fuzz_quote(file, of->row[i].second, ',');
        }
        if (of->has_share && isnan(of->row[i].share)) {
            fputs(",", file);
        } else if (of->has_share) {
            fprintf(file, "%.17g,", of->row[i].share);
        }
        fputs("x\n", file);
    }
    fclose(file);
    og_status status = og_list_read(fuzz_file(text, size), columns, NULL, &again, NULL);
    fuzz_check(status == OG_OK && again.count == of->count, "not read back");
    for (uint32_t i = 0; i < of->count; i++) {
        const og_list_row *x = &of->row[i], *y = &again.row[i];
        fuzz_check(same_text(x->first, y->first) && same_text(x->second, y->second) &&
                       (x->share == y->share || (isnan(x->share) && isnan(y->share))),
                   "read back as something else");
        fuzz_check(isnan(x->share) || (x->share >= 0 && x->share <= 1),
                   "accepted what is no share");
    }
    og_list_clear(&again);
    free(text);
}

/* Assign as many labels of each task as workers are free for it. */
static void check_workers(const og_labels *labels, const og_list *list)
{
    og_free_workers workers = {.count = 0};
    size_t tasks = labels->task_count, most = 3, count = 0;
    int32_t *room = calloc(tasks + 1, sizeof *room);
    uint32_t *task = calloc(most * tasks + 1, sizeof *task);
    uint32_t *worker = calloc(most * tasks + 1, sizeof *worker);
    fuzz_check(room != NULL && task != NULL && worker != NULL, "out of memory");
    for (uint32_t i = 0; i < tasks; i++) {
        room[i] = (int32_t)most;
    }
    fuzz_check(og_free_workers_find(labels, list, room, &workers) == OG_OK, "out of memory");
    for (uint32_t i = 0; i < tasks; i++) {
        fuzz_check(room[i] >= 0 && room[i] <= (int32_t)most, "a room that is none");
        for (int32_t k = 0; k < room[i]; k++) {
            task[count++] = i;
        }
    }
    fuzz_check(og_free_workers_assign(&workers, task, (int32_t)count, worker) == OG_OK,
               "out of memory");
    for (size_t k = 0; k < count; k++) {
        const char *name = workers.name[worker[k]], *of = og_labels_task_name(labels, task[k]);
        bool listed = false;
        for (uint32_t i = 0; i < list->count; i++) {
            listed = listed || (strcmp(list->row[i].first, name) == 0 &&
                                (!list->has_second || strcmp(list->row[i].second, of) == 0));
        }
        fuzz_check(listed, "a worker who is not free");
        fuzz_check(k == 0 || task[k] != task[k - 1] || worker[k] != worker[k - 1], "twice");
    }
    og_free_workers_clear(&workers);
    free(room);
    free(task);
    free(worker);
}

static void check_tasks(const og_list *tasks, const og_list *workers)
{
    og_labels labels = {0};
    og_message message = {""};
    uint32_t *task = calloc((size_t)tasks->count + 1, sizeof *task);
    fuzz_check(task != NULL, "out of memory");
    og_status status = og_labels_add_tasks(&labels, "tasks", tasks, task, &message);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT && labels.task_count == 0, "not a clean refusal");
        fuzz_check_message(&message);
    } else {
        fuzz_check(labels.task_count == tasks->count, "a task was lost");
        for (uint32_t i = 0; i < tasks->count; i++) {
            fuzz_check(strcmp(og_labels_task_name(&labels, task[i]), tasks->row[i].first) == 0,
                       "another task");
        }
        check_workers(&labels, workers);
    }
    free(task);
    og_labels_clear(&labels);
}

static bool read_list(const char *path, const og_list_columns *columns, og_list *out)
{
    og_message message = {""};
    og_status status = og_list_read(path, columns, NULL, out, &message);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check_message(&message);
    }
    return status == OG_OK;
}

FUZZ_TARGET(lists)
{
    static const og_list_columns of_tasks = {.first = "task", .share = "p"};
    static const og_list_columns of_workers = {.first = "worker", .second = "task"};
    og_list tasks = {.count = 0}, workers = {.count = 0};
    const uint8_t *second;
    size_t second_size, first = fuzz_cut(data, size, &second, &second_size);
    bool fine = read_list(fuzz_file(data, first), &of_tasks, &tasks);
    if (fine) {
        check_read_back(&tasks, &of_tasks);
    }
    if (fine && read_list(fuzz_file(second, second_size), &of_workers, &workers)) {
        check_read_back(&workers, &of_workers);
        check_tasks(&tasks, &workers);
    }
    og_list_clear(&tasks);
    og_list_clear(&workers);
}
