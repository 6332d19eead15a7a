#ifndef OG_BENCH_RECORDED_LABELS_H
#define OG_BENCH_RECORDED_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "bench/recorded/classes.h"
#include "dp/base/status.h"

/*
 * Recorded labels: triples of task, worker and label. Tasks and workers are numbered from 0 in the
 * order of their first labels in the file; labels keep the order of the file. A pair (task,
 * worker) may occur twice: in recorded data some workers were asked again, and each answer is a
 * label.
 */
typedef struct {
    int64_t label_count;
    uint32_t task_count;
    uint32_t unlabelled_count; /* tasks that occur only in rows without a label */
    uint32_t worker_count;
    uint32_t *task;      /* [label_count] 0 .. task_count - 1 */
    uint32_t *worker;    /* [label_count] 0 .. worker_count - 1 */
    uint8_t *label;      /* [label_count] 0 or 1; with several classes 0 .. class_count - 1 */
    int32_t class_count; /* 3 or more; otherwise there are two classes */
    char *task_text;
    size_t *task_start; /* [task_count + unlabelled_count] start of each name in task_text; tasks
                           without a label are numbered after the others */
    char *worker_text;
    size_t *worker_start; /* [worker_count] */
    int64_t trimmed;      /* fields of the file with blanks around them */
    int64_t missing;      /* rows without a label */
    og_message form;      /* how the file was read, for the user */
    char class_name[OG_CLASSES_MAX][OG_CLASS_NAME_BYTES]; /* by label, as in the file; "": use the
                                                             numbers */
} og_labels;

#define OG_LABELS_MAX INT64_C(2000000000)

/*
 * Read a file of labels:
 *
 *     task<TAB>worker<TAB>label
 *     t1<TAB>w1<TAB>1
 *
 * The first line names the columns, in any order (bench/recorded/columns.h has their names),
 * separated by tabs, commas, semicolons or |; other columns are ignored. Or it is another form of
 * file (bench/recorded/answers.h); `settings->tables` describes it. Names are UTF-8 and must not be
 * empty; blanks around them are removed. A byte order mark, CRLF line ends, empty lines, a last
 * line without its end, and gzip are accepted. The path may be a pipe, and "-" is standard input.
 *
 * Labels are whole numbers, or words of at most 31 bytes; there may be 2 to OG_CLASSES_MAX
 * different ones (bench/recorded/classes.h). Of two labels the second is label 1, the positive one.
 * Rows whose label is missing are counted.
 *
 * OG_BAD_INPUT with a message that gives the path and, if there is one, the line: the file does not
 * exist, is empty, lacks a column (which is named), has only a header, or a line breaks the format.
 * OG_FAILED: it cannot be opened or read for another reason (dp/base/file.h). OG_NO_MEMORY. `out`
 * is written on success only; free it with og_labels_clear. OG_STOPPED: the labels exceed the
 * memory limit of the settings, or their watch stopped it; NULL settings mean the usual limit and
 * no watch. Reads the file once, in time O(file) and at most 18 bytes for each label plus the
 * names.
 */
og_status og_labels_read(const char *path, const og_settings *settings, og_labels *out,
                         og_message *message);

/* Count the rows that are not the first of their task and worker; OG_NO_MEMORY. Uses 8 bytes for
 * each label. */
og_status og_labels_repeats(const og_labels *labels, int64_t *repeats);

/* Append warnings about the file to the note: blanks were trimmed, rows have no label, or classes
 * differ only in capitals. */
void og_labels_warning(const og_labels *labels, const char *path, og_message *note);

static inline int32_t og_labels_classes(const og_labels *labels)
{
    return labels->class_count > 2 ? labels->class_count : 2;
}

/* A label as the outcome of an arm (dp/arm/arm.h): for two classes outcome 0 is label 1,
 * positive. */
static inline int32_t og_labels_outcome(const og_labels *labels, int64_t row)
{
    return labels->class_count > 2 ? labels->label[row] : 1 - labels->label[row];
}

/* The name of label 0, 1, ... in the file; its number if there is no file. */
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

/* The struct may be cleared already, or zeroed. */
void og_labels_clear(og_labels *labels);

#endif
