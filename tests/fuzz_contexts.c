/* Tables of tasks and of their contexts, with a form feed between: contexts are numbered as they
 * first appear, and are the same when the table is written again, last row first. */
#include "bench/recorded/tasks.h"
#include "tests/fuzz.h"

typedef struct {
    og_task_words words;
    const char **name; /* [words.count] */
    int32_t *context, contexts;
} fuzz_tasks;

static void tasks_clear(fuzz_tasks *tasks)
{
    og_task_words_clear(&tasks->words);
    free(tasks->name);
    free(tasks->context);
}

/* Without gaps, by first appearance; and what differs by name differs by number. */
static void check_numbers(const fuzz_tasks *tasks)
{
    int32_t met = 0;
    for (int32_t i = 0; i < tasks->words.count; i++) {
        fuzz_check(tasks->context[i] >= 0 && tasks->context[i] <= met, "a number before its turn");
        met += tasks->context[i] == met;
    }
    fuzz_check(met == tasks->contexts, "a wrong number of contexts");
}

static void check_read_back(const fuzz_tasks *tasks)
{
    char *text = NULL;
    size_t size = 0;
    int32_t *again = calloc((size_t)tasks->words.count, sizeof *again);
    og_contexts read = {.name = tasks->name, .count = tasks->words.count, .context = again};
    FILE *file = open_memstream(&text, &size);
    fuzz_check(file != NULL && again != NULL, "out of memory");
    fputs("context,task,other\n", file);
    for (int32_t i = tasks->words.count; i-- > 0;) {
        fprintf(file, "%c%d,", 'a' + tasks->context[i] % 26, tasks->context[i]);
        fuzz_quote(file, tasks->name[i], ',');
        fputs("0\n", file);
    }
    fclose(file);
    og_status status = og_contexts_read(fuzz_file(text, size), NULL, &read, NULL);
    fuzz_check(status == OG_OK && read.contexts == tasks->contexts &&
                   memcmp(again, tasks->context, (size_t)tasks->words.count * sizeof *again) == 0,
               "not read back");
    free(again);
    free(text);
}

static og_status read_contexts(fuzz_tasks *tasks, const char *path, og_message *message)
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
    og_status status = og_contexts_read(path, NULL, &read, message);
    tasks->contexts = read.contexts;
    return status;
}

FUZZ_TARGET(contexts)
{
    fuzz_tasks tasks = {.name = NULL};
    og_message message = {""};
    const uint8_t *second;
    size_t second_size, first = fuzz_cut(data, size, &second, &second_size);
    og_status status =
        og_task_words_read(fuzz_file(data, first), OG_COLUMN_GOLD, NULL, &tasks.words, &message);
    if (status == OG_OK) {
        fuzz_check(tasks.words.count >= 1, "accepted without a task");
        status = read_contexts(&tasks, fuzz_file(second, second_size), &message);
    }
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check_message(&message);
    } else {
        check_numbers(&tasks);
        check_read_back(&tasks);
    }
    tasks_clear(&tasks);
}
