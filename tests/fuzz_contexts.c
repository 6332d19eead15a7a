/* Tables of tasks and of their contexts, with a form feed between: contexts are numbered as they
 * first appear, and are the same when the table is written again, last row first. */
#include "bench/recorded/tasks.h"
#include "tests/fuzz.h"

typedef struct {
    og_task_words words;
    const char **name; /* [words.count] */
    int32_t *context, contexts;
} fuzz_tasks;

static void tasks_clear(fuzz_tasks *of)
{
    og_task_words_clear(&of->words);
    free(of->name);
    free(of->context);
}

/* Without gaps, by first appearance; and what differs by name differs by number. */
static void check_numbers(const fuzz_tasks *of)
{
    int32_t met = 0;
    for (int32_t i = 0; i < of->words.count; i++) {
        fuzz_check(of->context[i] >= 0 && of->context[i] <= met, "a number before its turn");
        met += of->context[i] == met;
    }
    fuzz_check(met == of->contexts, "a wrong number of contexts");
}

static void check_read_back(const fuzz_tasks *of)
{
    char *text = NULL;
    size_t size = 0;
    int32_t *again = calloc((size_t)of->words.count, sizeof *again);
    og_contexts read = {.name = of->name, .count = of->words.count, .context = again};
    FILE *file = open_memstream(&text, &size);
    fuzz_check(file != NULL && again != NULL, "out of memory");
    fputs("context,task,other\n", file);
    for (int32_t i = of->words.count; i-- > 0;) {
        fprintf(file, "%c%d,", 'a' + of->context[i] % 26, of->context[i]);
        fuzz_quote(file, of->name[i], ',');
        fputs("0\n", file);
    }
    fclose(file);
    og_status status = og_contexts_read(fuzz_file(text, size), NULL, &read, NULL);
    fuzz_check(status == OG_OK && read.contexts == of->contexts &&
                   memcmp(again, of->context, (size_t)of->words.count * sizeof *again) == 0,
               "not read back");
    free(again);
    free(text);
}

static og_status read_contexts(fuzz_tasks *of, const char *path, og_message *message)
{
    size_t count = (size_t)of->words.count;
    of->name = calloc(count, sizeof *of->name);
    of->context = calloc(count, sizeof *of->context);
    fuzz_check(of->name != NULL && of->context != NULL, "out of memory");
    for (int32_t i = 0; i < of->words.count; i++) {
        of->name[i] = og_task_name(&of->words, i);
    }
    og_contexts read = {.name = of->name, .count = of->words.count, .context = of->context};
    og_status status = og_contexts_read(path, NULL, &read, message);
    of->contexts = read.contexts;
    return status;
}

FUZZ_TARGET(contexts)
{
    fuzz_tasks of = {.name = NULL};
    og_message message = {""};
    const uint8_t *second;
    size_t second_size, first = fuzz_cut(data, size, &second, &second_size);
    og_status status =
        og_task_words_read(fuzz_file(data, first), OG_COLUMN_GOLD, NULL, &of.words, &message);
    if (status == OG_OK) {
        fuzz_check(of.words.count >= 1, "accepted without a task");
        status = read_contexts(&of, fuzz_file(second, second_size), &message);
    }
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check_message(&message);
    } else {
        check_numbers(&of);
        check_read_back(&of);
    }
    tasks_clear(&of);
}
