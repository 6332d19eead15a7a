#ifndef OG_BENCH_RECORDED_LABELS_H
#define OG_BENCH_RECORDED_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/prior/problem.h"

enum { OG_CLASS_NAME_BYTES = 32 };

/*
 * Recorded labels: who said what about which task.
 *
 * Tasks and workers are numbered from 0 in the order in which the file names
 * them first; labels keep the order of the file. A pair (task, worker) that
 * occurs twice stays twice: recorded data has workers who were asked again, and
 * each answer is a label.
 */
typedef struct {
    int64_t label_count;
    uint32_t task_count;
    uint32_t worker_count;
    uint32_t *task;      /* [label_count] 0 .. task_count - 1 */
    uint32_t *worker;    /* [label_count] 0 .. worker_count - 1 */
    uint8_t *label;      /* [label_count] 0 or 1; of several classes 0 .. class_count - 1 */
    int32_t class_count; /* 3 or more; else there are two */
    char *task_text;
    size_t *task_start; /* [task_count] where a name begins in task_text */
    char *worker_text;
    size_t *worker_start; /* [worker_count] */
    int64_t trimmed;      /* fields of the file with blanks around them */
    char class_name[OG_CLASSES_MAX][OG_CLASS_NAME_BYTES]; /* by label, as in the file; "": their
                                                             numbers */
} og_labels;

#define OG_LABELS_MAX INT64_C(2000000000)

/*
 * Read a file of labels (the crowd-kit convention):
 *
 *     task<TAB>worker<TAB>label
 *     t1<TAB>w1<TAB>1
 *
 * The first line names the columns, in any order, with tabs between or else commas; other columns
 * are ignored. Names are any bytes but NUL, the separator and line ends, and not empty; blanks
 * around them are not theirs. A byte order mark, CRLF line ends, empty lines, a last line without
 * its end and gzip are fine. The path may be a pipe, and "-" is standard input.
 *
 * Labels are whole numbers, or words of at most 31 bytes, 2 to OG_CLASSES_MAX different ones: "1.0"
 * is 1, and true, yes and the like may be written in capitals. They are put in order, numbers by
 * value and words by their bytes; of two the second is label 1, the positive one. One alone is fine
 * where the other is clear: 0 or 1, no or yes, false or true, n or y, f or t, neg or pos, negative
 * or positive.
 *
 * OG_BAD_INPUT with a message that holds the path and, where there is one, the
 * line: there is no such file, it is empty, misses a column (named), has a
 * header only, or a line breaks the format. OG_FAILED: it cannot be opened or
 * read for another reason (dp/base/file.h). OG_NO_MEMORY. `out` is written on success only; free it
 * with og_labels_clear. OG_STOPPED: the memory limit of the settings does not hold them, or their
 * watch said so; NULL: the usual limit, and nobody watches. Reads once, in O(file) time and at most
 * 18 bytes a label plus the names.
 */
og_status og_labels_read(const char *path, const og_settings *settings, og_labels *out,
                         og_message *message);

/* The same for a file without the column `worker`, of labels that are classes of `like`, such as
 * gold: rows without a label are passed over, worker_count is 0 and worker NULL. */
og_status og_labels_read_tasks(const char *path, const og_labels *like, const og_settings *settings,
                               og_labels *out, og_message *message);

/* Rows that are not the first of their task and worker; OG_NO_MEMORY. Takes 8 bytes a label. */
og_status og_labels_repeats(const og_labels *labels, int64_t *repeats);

/* What whoever gave the file should know, behind what the note says already: that blanks were
 * trimmed, and that classes differ in capitals alone. */
void og_labels_warning(const og_labels *labels, const char *path, og_message *note);

static inline int32_t og_labels_classes(const og_labels *labels)
{
    return labels->class_count > 2 ? labels->class_count : 2;
}

/* A label as the outcome of an arm (dp/arm/arm.h): of two classes 0 is positive, label 1. */
static inline int32_t og_labels_outcome(const og_labels *labels, int64_t row)
{
    return labels->class_count > 2 ? labels->label[row] : 1 - labels->label[row];
}

/* What the file calls label 0, 1, ...; their numbers where there is no file. */
const char *og_labels_class_name(const og_labels *labels, int32_t label);

static inline const char *og_labels_outcome_name(const og_labels *labels, int32_t outcome)
{
    return og_labels_class_name(labels, labels->class_count > 2 ? outcome : 1 - outcome);
}

static inline const char *og_labels_task_name(const og_labels *labels, uint32_t task)
{
    return labels->task_text + labels->task_start[task];
}

static inline const char *og_labels_worker_name(const og_labels *labels, uint32_t worker)
{
    return labels->worker_text + labels->worker_start[worker];
}

/* Of two classes, each task's labels: ones[task] of total[task], both the caller's, [task_count].
 */
void og_labels_count(const og_labels *labels, int64_t *ones, int64_t *total);

/* A cleared or zeroed struct is fine. */
void og_labels_clear(og_labels *labels);

#endif
