/* Lists of tasks and workers, with a form feed between: a list is the same when it is written again
 * and read, tasks are added once, and a worker is assigned only where the list and the labels allow
 * it. */
#include <math.h>

#include "bench/recorded/free_workers.h"
#include "tests/fuzz.h"

static bool same_text(const char *x, const char *y)
{
    return x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
}

static void check_read_back(const og_list *list, og_list_kind kind)
{
    char *text = NULL;
    size_t size = 0;
    og_list again = {.count = 0};
    FILE *file = open_memstream(&text, &size);
    fuzz_check(file != NULL, "out of memory");
    fprintf(file, "%s,other%s%s%s\n", kind == OG_LIST_WORKERS ? "worker" : "task",
            list->has_task ? ",task" : "", list->has_probability ? ",p" : "",
            list->has_capacity ? ",capacity" : "");
    for (uint32_t i = 0; i < list->count; i++) {
        const og_list_row *row = &list->row[i];
        fuzz_quote(file, row->name, ',');
        fputs("x", file);
        if (list->has_task) {
            fputs(",", file);
            fuzz_quote(file, row->task, ' ');
        }
        if (list->has_probability) {
            fprintf(file, isnan(row->probability) ? "," : ",%.17g", row->probability);
        }
        if (list->has_capacity) {
            fprintf(file, row->capacity < 0 ? "," : ",%d", (int)row->capacity);
        }
        fputs("\n", file);
    }
    fclose(file);
    og_status status = og_list_read(fuzz_file(text, size), kind, NULL, &again, NULL);
    fuzz_check(status == OG_OK && again.count == list->count, "not read back");
    for (uint32_t i = 0; i < list->count; i++) {
        const og_list_row *x = &list->row[i], *y = &again.row[i];
        fuzz_check(same_text(x->name, y->name) && same_text(x->task, y->task) &&
                       x->number == y->number && x->capacity == y->capacity &&
                       (x->probability == y->probability ||
                        (isnan(x->probability) && isnan(y->probability))),
                   "read back as something else");
        fuzz_check(isnan(x->probability) || (x->probability >= 0 && x->probability <= 1),
                   "accepted what is no probability");
    }
    og_list_clear(&again);
    free(text);
}

static bool is_listed(const og_list *list, const char *worker, const char *task)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const og_list_row *row = &list->row[i];
        if (strcmp(row->name, worker) == 0 && (!list->has_task || strcmp(row->task, task) == 0)) {
            return true;
        }
    }
    return false;
}

/* Assign as many labels of each task as workers are there for them. */
static void check_workers(const og_labels *labels, const og_list *list)
{
    og_free_workers workers = {.count = 0};
    uint32_t tasks = labels->task_count, most = 3, count = 0;
    int32_t *room = calloc((size_t)tasks + 1, sizeof *room);
    uint32_t *task = calloc((size_t)most * tasks + 1, sizeof *task);
    fuzz_check(room != NULL && task != NULL, "out of memory");
    for (uint32_t i = 0; i < tasks; i++) {
        room[i] = (int32_t)most;
    }
    fuzz_check(og_free_workers_find(labels, list, room, &workers) == OG_OK, "out of memory");
    og_matching *matching = og_matching_new(&workers, tasks, (int64_t)most * tasks);
    fuzz_check(matching != NULL, "out of memory");
    for (uint32_t i = 0; i < tasks; i++) {
        fuzz_check(room[i] >= 0 && room[i] <= (int32_t)most, "a room that is none");
        for (int32_t k = 0; k < room[i]; k++) {
            bool added = og_matching_add(matching, i, 1);
            fuzz_check(added || workers.limited, "no worker without capacities");
            task[count] = i;
            count += added;
        }
    }
    fuzz_check(count <= workers.labels, "more labels than the bound");
    for (uint32_t k = 0; k < count; k++) {
        uint32_t worker = og_matching_worker(matching, k);
        int32_t used = 0;
        fuzz_check(is_listed(list, workers.name[worker], og_labels_task_name(labels, task[k])),
                   "a worker who is not free");
        for (uint32_t j = 0; j < count; j++) {
            bool same = og_matching_worker(matching, j) == worker;
            used += same;
            fuzz_check(!same || j == k || task[j] != task[k], "twice");
        }
        fuzz_check(used <= workers.capacity[worker], "more than the capacity");
    }
    og_matching_free(matching);
    og_free_workers_clear(&workers);
    free(room);
    free(task);
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
            fuzz_check(strcmp(og_labels_task_name(&labels, task[i]), tasks->row[i].name) == 0,
                       "another task");
        }
        check_workers(&labels, workers);
    }
    free(task);
    og_labels_clear(&labels);
}

static bool read_list(const char *path, og_list_kind kind, og_list *out)
{
    og_message message = {""};
    og_status status = og_list_read(path, kind, NULL, out, &message);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check_message(&message);
    }
    return status == OG_OK;
}

FUZZ_TARGET(lists)
{
    og_list tasks = {.count = 0}, workers = {.count = 0};
    const uint8_t *second;
    size_t second_size, first = fuzz_cut(data, size, &second, &second_size);
    bool fine = read_list(fuzz_file(data, first), OG_LIST_TASKS, &tasks);
    if (fine) {
        check_read_back(&tasks, OG_LIST_TASKS);
    }
    if (fine && read_list(fuzz_file(second, second_size), OG_LIST_WORKERS, &workers)) {
        check_read_back(&workers, OG_LIST_WORKERS);
        check_tasks(&tasks, &workers);
    }
    og_list_clear(&tasks);
    og_list_clear(&workers);
}
