#ifndef OG_BENCH_RECORDED_TASKS_H
#define OG_BENCH_RECORDED_TASKS_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * Tables about tasks: a first line that names the columns, `task` among them, and a line for each
 * task. OG_BAD_INPUT with a message that holds the path and, where there is one, the line: a column
 * is missing, a task is there twice; as dp/base/rows.h says. OG_STOPPED: the memory of the settings
 * does not hold it; OG_NO_MEMORY.
 */
typedef struct {
    char *text;    /* words, one after the other */
    size_t *start; /* [2 * count] in it: a task and its word */
    int32_t count;
    int64_t trimmed; /* fields of the file with blanks around them */
} og_task_words;

static inline const char *og_task_name(const og_task_words *of, int32_t row)
{
    return of->text + of->start[2 * row];
}

static inline const char *og_task_word(const og_task_words *of, int32_t row)
{
    return of->text + of->start[2 * row + 1];
}

/* Tasks and what they have in this column. `out` is written on success only. */
og_status og_task_words_read(const char *path, const char *column, const og_settings *settings,
                             og_task_words *out, og_message *message);
void og_task_words_clear(og_task_words *words); /* a zeroed one is fine */

/* Their labels, 1 or +1, and 0 or -1, into sign[count], +1 and -1. OG_BAD_INPUT for another one. */
og_status og_task_signs(const og_task_words *words, const char *path, int8_t *sign,
                        og_message *message);

/*
 * The contexts of these tasks, name[count], into context[count], 0 .. *contexts - 1 as they first
 * appear: from the columns task and context of a file. Other tasks in it do not matter;
 * OG_BAD_INPUT with a message: a task has none. *trimmed: fields with blanks around them; NULL: not
 * wanted.
 */
og_status og_contexts_read(const char *path, const char *const *name, int32_t count,
                           const og_settings *settings, int32_t *context, int32_t *contexts,
                           int64_t *trimmed, og_message *message);

/*
 * The same by the k-means of Lloyd, `contexts` of them at most: of all columns but task and label,
 * numbers, each scaled to mean 0 and variance 1; it starts from tasks drawn by the seed, each with
 * a chance that grows as the squared distance to those before it, and goes on until nothing moves.
 */
og_status og_contexts_cluster(const char *path, int32_t wanted, uint64_t seed,
                              const char *const *name, int32_t count, const og_settings *settings,
                              int32_t *context, int32_t *contexts, int64_t *trimmed,
                              og_message *message);

#endif
