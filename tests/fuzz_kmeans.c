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

static void tasks_clear(fuzz_tasks *of)
{
    og_task_words_clear(&of->words);
    free(of->name);
    free(of->context);
    free(of->number);
}

/* The numbers of a table that was accepted. */
static void read_numbers(fuzz_tasks *of, const char *path)
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
        of->features += feature[k];
    }
    of->number = calloc((size_t)of->words.count * (size_t)of->features + 1, sizeof *of->number);
    fuzz_check(of->number != NULL && of->features > 0, "accepted without numbers");
    for (double *to = of->number; og_columns_next(&at); line++) {
        for (int k = 0; k < columns; k++) {
            fuzz_check(!feature[k] ||
                           (k < rows.field_count && og_rows_decimal(&rows, rows.field[k], to++)),
                       "accepted what is no number");
        }
    }
    fuzz_check(og_rows_close(&rows) == OG_OK && line == of->words.count, "lines that are lost");
    free(feature);
}

/* Of scaled numbers the differences are then far above what rounding can make of them. */
static bool differ_clearly(const fuzz_tasks *of, int32_t f)
{
    const double clearly = 1e-6;
    double least = INFINITY, most = -INFINITY;
    for (int32_t i = 0; i < of->words.count; i++) {
        least = fmin(least, of->number[i * of->features + f]);
        most = fmax(most, of->number[i * of->features + f]);
    }
    return most / 2 - least / 2 > clearly * fmax(fabs(least), fabs(most)) && most - least > 1e-300;
}

static void check_contexts(const fuzz_tasks *of)
{
    bool apart = false;
    const size_t bytes = (size_t)of->features * sizeof *of->number;
    fuzz_check(of->contexts >= 1 && of->contexts <= of->wanted && of->contexts <= of->words.count,
               "a wrong number of contexts");
    for (int32_t i = 0; i < of->words.count; i++) {
        fuzz_check(of->context[i] >= 0 && of->context[i] < of->contexts, "a context of none");
        for (int32_t k = 0; k < i; k++) {
            bool equal =
                memcmp(of->number + i * of->features, of->number + k * of->features, bytes) == 0;
            fuzz_check(!equal || of->context[i] == of->context[k], "equal tasks apart");
        }
    }
    for (int32_t f = 0; f < of->features; f++) {
        apart = apart || differ_clearly(of, f);
    }
    fuzz_check(!apart || of->wanted == 1 || of->contexts > 1, "different tasks in one context");
}

static void check_read_back(const fuzz_tasks *of)
{
    char *text = NULL;
    size_t size = 0;
    int32_t *again = calloc((size_t)of->words.count, sizeof *again);
    og_contexts read = {.name = of->name, .count = of->words.count, .context = again};
    FILE *file = open_memstream(&text, &size);
    fuzz_check(file != NULL && again != NULL, "out of memory");
    fputs("label,", file);
    for (int32_t f = 0; f < of->features; f++) {
        fprintf(file, "x%d,", f);
    }
    fputs("task\n", file);
    for (int32_t i = of->words.count; i-- > 0;) {
        fputs("?,", file);
        for (int32_t f = 0; f < of->features; f++) {
            fprintf(file, "%.17g,", of->number[i * of->features + f]);
        }
        fuzz_quote(file, of->name[i], '\n');
    }
    fclose(file);
    og_status status =
        og_contexts_cluster(fuzz_file(text, size), of->wanted, SEED, NULL, &read, NULL);
    fuzz_check(status == OG_OK && read.contexts == of->contexts &&
                   memcmp(again, of->context, (size_t)of->words.count * sizeof *again) == 0,
               "not read back");
    free(again);
    free(text);
}

static og_status find_contexts(fuzz_tasks *of, const char *path, og_message *message)
{
    size_t count = (size_t)of->words.count;
    of->name = calloc(count, sizeof *of->name);
    of->context = calloc(count, sizeof *of->context);
    fuzz_check(of->name != NULL && of->context != NULL, "out of memory");
    for (int32_t i = 0; i < of->words.count; i++) {
        of->name[i] = og_task_name(&of->words, i);
    }
    og_contexts read = {.name = of->name, .count = of->words.count, .context = of->context};
    og_status status = og_contexts_cluster(path, of->wanted, SEED, NULL, &read, message);
    of->contexts = read.contexts;
    return status;
}

FUZZ_TARGET(kmeans)
{
    fuzz_tasks of = {.wanted = size > 0 ? data[0] % WANTED + 1 : 1};
    og_message message = {""};
    const char *path = fuzz_file(data + (size > 0), size - (size > 0));
    og_status status = og_task_words_read(path, OG_COLUMN_TASK, NULL, &of.words, &message);
    if (status == OG_OK) {
        status = find_contexts(&of, path, &message);
    }
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check_message(&message);
    } else {
        read_numbers(&of, path);
        check_contexts(&of);
        check_read_back(&of);
    }
    tasks_clear(&of);
}
