/* Tables of numbers about tasks, after a byte with the number of contexts. Every task is in one
 * context, tasks with equal numbers are in the same one, clearly different tasks are not all in
 * one, and the order of the lines does not matter. */
#include <math.h>

#include "bench/recorded/tasks.h"
#include "tests/fuzz.h"

enum { WANTED = 5, SEED = 7 };

typedef struct {
    og_task_words words;
    const char **name; /* [words.count] */
    int32_t *context, wanted, contexts, features;
    double *number; /* [words.count * features] */
} fuzz_tasks;

static void tasks_clear(fuzz_tasks *tasks)
{
    og_task_words_clear(&tasks->words);
    free(tasks->name);
    free(tasks->context);
    free(tasks->number);
}

/* The numbers of a table that was accepted. */
static void read_numbers(fuzz_tasks *tasks, const char *path)
{
    static const og_column column[] = {OG_COLUMN_TASK};
    const og_columns_wanted wanted = {column, 1, false, NULL, 0};
    og_columns at;
    og_rows rows;
    int32_t line = 0;
    og_rows_open(&rows, path, OG_ROWS_BY_HEADER, '\0', NULL, NULL);
    fuzz_check(og_columns_find(&at, &rows, NULL, &wanted), "no header");
    int columns = rows.field_count;
    bool *feature = calloc((size_t)columns, sizeof *feature);
    fuzz_check(feature != NULL, "out of memory");
    for (int k = 0; k < columns; k++) {
        feature[k] = k != at.at[OG_COLUMN_TASK] && !og_column_named(rows.field[k], "label");
        tasks->features += feature[k];
    }
    tasks->number =
        calloc((size_t)tasks->words.count * (size_t)tasks->features + 1, sizeof *tasks->number);
    fuzz_check(tasks->number != NULL && tasks->features > 0, "accepted without numbers");
    for (double *to = tasks->number; og_columns_next(&at); line++) {
        for (int k = 0; k < columns; k++) {
            fuzz_check(!feature[k] ||
                           (k < rows.field_count && og_rows_decimal(&rows, rows.field[k], to++)),
                       "accepted what is no number");
        }
    }
    fuzz_check(og_rows_close(&rows) == OG_OK && line == tasks->words.count, "lines that are lost");
    free(feature);
}

/* Of scaled numbers the differences are then far above what rounding can make of them. */
static bool differ_clearly(const fuzz_tasks *tasks, int32_t f)
{
    const double clearly = 1e-6;
    double least = INFINITY, most = -INFINITY;
    for (int32_t i = 0; i < tasks->words.count; i++) {
        least = fmin(least, tasks->number[i * tasks->features + f]);
        most = fmax(most, tasks->number[i * tasks->features + f]);
    }
    return most / 2 - least / 2 > clearly * fmax(fabs(least), fabs(most)) && most - least > 1e-300;
}

static void check_contexts(const fuzz_tasks *tasks)
{
    bool apart = false;
    const size_t bytes = (size_t)tasks->features * sizeof *tasks->number;
    fuzz_check(tasks->contexts >= 1 && tasks->contexts <= tasks->wanted &&
                   tasks->contexts <= tasks->words.count,
               "a wrong number of contexts");
    for (int32_t i = 0; i < tasks->words.count; i++) {
        fuzz_check(tasks->context[i] >= 0 && tasks->context[i] < tasks->contexts,
                   "a context of none");
        for (int32_t k = 0; k < i; k++) {
            bool equal = memcmp(tasks->number + i * tasks->features,
                                tasks->number + k * tasks->features, bytes) == 0;
            fuzz_check(!equal || tasks->context[i] == tasks->context[k], "equal tasks apart");
        }
    }
    for (int32_t f = 0; f < tasks->features; f++) {
        apart = apart || differ_clearly(tasks, f);
    }
    fuzz_check(!apart || tasks->wanted == 1 || tasks->contexts > 1,
               "different tasks in one context");
}

static void check_read_back(const fuzz_tasks *tasks)
{
    char *text = NULL;
    size_t size = 0;
    int32_t *again = calloc((size_t)tasks->words.count, sizeof *again);
    og_contexts read = {.name = tasks->name, .count = tasks->words.count, .context = again};
    FILE *file = open_memstream(&text, &size);
    fuzz_check(file != NULL && again != NULL, "out of memory");
    fputs("label,", file);
    for (int32_t f = 0; f < tasks->features; f++) {
        fprintf(file, "x%d,", f);
    }
    fputs("task\n", file);
    for (int32_t i = tasks->words.count; i-- > 0;) {
        fputs("?,", file);
        for (int32_t f = 0; f < tasks->features; f++) {
            fprintf(file, "%.17g,", tasks->number[i * tasks->features + f]);
        }
        fuzz_quote(file, tasks->name[i], '\n');
    }
    fclose(file);
    og_status status =
        og_contexts_cluster(fuzz_file(text, size), tasks->wanted, SEED, NULL, &read, NULL);
    fuzz_check(status == OG_OK && read.contexts == tasks->contexts &&
                   memcmp(again, tasks->context, (size_t)tasks->words.count * sizeof *again) == 0,
               "not read back");
    free(again);
    free(text);
}

static og_status find_contexts(fuzz_tasks *tasks, const char *path, og_message *message)
{
    size_t count = (size_t)tasks->words.count;
    tasks->name = calloc(count, sizeof *tasks->name);
    tasks->context = calloc(count, sizeof *tasks->context);
    fuzz_check(tasks->name != NULL && tasks->context != NULL, "out of memory");
    for (int32_t i = 0; i < tasks->words.count; i++) {
        tasks->name[i] = og_task_name(&tasks->words, i);
    }
    og_contexts read = {
        .name = tasks->name, .count = tasks->words.count, .context = tasks->context};
    og_status status = og_contexts_cluster(path, tasks->wanted, SEED, NULL, &read, message);
    tasks->contexts = read.contexts;
    return status;
}

FUZZ_TARGET(kmeans)
{
    fuzz_tasks tasks = {.wanted = size > 0 ? data[0] % WANTED + 1 : 1};
    og_message message = {""};
    const char *path = fuzz_file(data + (size > 0), size - (size > 0));
    og_status status = og_task_words_read(path, OG_COLUMN_TASK, NULL, &tasks.words, &message);
    if (status == OG_OK) {
        status = find_contexts(&tasks, path, &message);
    }
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check_message(&message);
    } else {
        read_numbers(&tasks, path);
        check_contexts(&tasks);
        check_read_back(&tasks);
    }
    tasks_clear(&tasks);
}
