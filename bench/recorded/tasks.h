#ifndef OG_BENCH_RECORDED_TASKS_H
#define OG_BENCH_RECORDED_TASKS_H

#include <stdint.h>

#include "bench/recorded/classes.h"
#include "bench/recorded/columns.h"
#include "dp/base/status.h"

/*
 * Tables about tasks (bench/recorded/columns.h): a column of tasks, and a row for each task.
 * OG_BAD_INPUT with a message that gives the path and, if there is one, the line: a column is
 * missing, a task occurs twice, or an error of dp/base/rows.h. OG_STOPPED: the memory limit of the
 * settings is too small; OG_NO_MEMORY.
 */
typedef struct {
    char *text;    /* words, one after another */
    size_t *start; /* [2 * count] starts in `text`: of a task and of its word */
    int32_t count;
    int64_t trimmed; /* fields of the file with blanks around them */
} og_task_words;

static inline const char *og_task_name(const og_task_words *words, int32_t row)
{
    return words->text + words->start[2 * row];
}

static inline const char *og_task_word(const og_task_words *words, int32_t row)
{
    return words->text + words->start[2 * row + 1];
}

/* Read the tasks and their words in this column. `out` is written on success only. */
og_status og_task_words_read(const char *path, og_column column, const og_settings *settings,
                             og_task_words *out, og_message *message);
void og_task_words_clear(og_task_words *words); /* a zeroed one is fine */

/* Convert labels to truth[count]: +1 and -1 of two classes, where the second is +1; 1, 2, ... of
 * several. *classes receives the classes in their order (og_classes_sort), to be cleared also after
 * errors; `how` may be NULL.
 * OG_BAD_INPUT with a message as there, and for a missing label. */
og_status og_task_truths(const og_task_words *words, const char *path, const og_tables *how,
                         og_class_list *classes, int8_t *truth, og_message *message);

/* Contexts of tasks. */
typedef struct {
    const char *const *name; /* [count] the tasks */
    int32_t count;
    int32_t *context; /* out: [count] 0 .. contexts - 1 */
    int32_t contexts; /* out */
    int64_t trimmed;  /* out: fields of the file with blanks around them */
} og_contexts;

/*
 * Read contexts from the columns task and context of a file, numbered as they first appear. Other
 * tasks in the file are ignored; OG_BAD_INPUT with a message if a task has no context.
 */
og_status og_contexts_read(const char *path, const og_settings *settings, og_contexts *contexts,
                           og_message *message);

/*
 * The same with Lloyd's k-means, at most `wanted` contexts. It uses all columns except task and
 * label, which must hold numbers, each scaled to mean 0 and variance 1. It starts from tasks drawn
 * with the seed, each with probability proportional to the squared distance from those drawn
 * before, and iterates until no task moves.
 */
og_status og_contexts_cluster(const char *path, int32_t wanted, uint64_t seed,
                              const og_settings *settings, og_contexts *contexts,
                              og_message *message);

#endif
