#ifndef OG_BENCH_RECORDED_LABELS_H
#define OG_BENCH_RECORDED_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/recorded/classes.h"
#include "dp/base/status.h"

/*
 * Recorded labels: triples of task, worker and label. Tasks and workers are numbered from 0 in the
 * order of their first labels in the file; labels keep the order of the file. A pair (task,
 * worker) may occur twice: in recorded data some workers were asked again, and each answer is a
 * label. A label without a worker's name is by a worker of its own, whose number is after those of
 * all names and whose name is "".
 */
typedef struct {
    int64_t label_count;
    uint32_t task_count;
    uint32_t unlabelled_count; /* tasks that occur only in rows without a label */
    uint32_t worker_count;     /* with those without a name */
    uint32_t named_count;      /* workers with a name */
    uint32_t *task;            /* [label_count] 0 .. task_count - 1 */
    uint32_t *worker;          /* [label_count] 0 .. worker_count - 1 */
    uint8_t *label;            /* [label_count] 0 or 1; with several classes 0 .. class_count - 1 */
    int32_t class_count;       /* 3 .. OG_CLASSES_MAX; otherwise there are two classes */
    char *task_text;
    size_t *task_start; /* [task_count + unlabelled_count] start of each name in task_text; tasks
                           without a label are numbered after the others */
    char *worker_text;
    size_t *worker_start;  /* [named_count] */
    int64_t trimmed;       /* fields of the file with blanks around them */
    int64_t missing;       /* rows without a label */
    int64_t repeats;       /* labels of a worker who had labelled the task before: kept, or */
    bool repeats_left_out; /* those that settings->tables->repeats left out */
    og_message form;       /* how the file was read, for the user */
    og_class_list classes; /* by label, as in the file; count 0: use the numbers */
} og_labels;

#define OG_LABELS_MAX INT64_C(2000000000)

/*
 * Read files of labels, often one (og_files_next):
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
 * Labels are whole numbers or words; there may be up to OG_CLASSES_MAX different ones
 * (bench/recorded/classes.h). Of two the second is label 1, the positive one. Rows whose label is
 * missing are counted. There may be no label at all.
 *
 * OG_BAD_INPUT with a message that gives the path and, if there is one, the line: the file does not
 * exist, is empty, lacks a column (which is named), or a line breaks the format. OG_FAILED: it
 * cannot be opened or read for another reason (dp/base/file.h). OG_NO_MEMORY. `out` is written on
 * success only; free it with og_labels_clear. OG_STOPPED: the labels exceed the memory limit of the
 * settings, or their watch stopped it; NULL settings mean the usual limit and no watch. Reads the
 * file once, in time O(file) and at most 18 bytes for each label plus the names; then 4 bytes for
 * each label to count repeats.
 */
og_status og_labels_read(const char *files, const og_settings *settings, og_labels *out,
                         og_message *message);

/* The same with up to OG_CLASSES_READ classes, for what only counts labels. */
og_status og_labels_read_all(const char *files, const og_settings *settings, og_labels *out,
                             og_message *message);

/* Labels of no task, with the classes of --classes; free them. */
og_status og_labels_none(const og_settings *settings, og_labels *out, og_message *message);

/* Append warnings about the file to the note: blanks were trimmed, rows have no label, a worker has
 * several labels for a task, only one class occurs, or classes differ only in capitals. */
void og_labels_warning(const og_labels *labels, const char *path, og_message *note);

/* OG_BAD_INPUT if no label has a worker's name, which `what` requires. */
og_status og_labels_need_workers(const og_labels *labels, const char *what, og_message *message);

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
    return worker < labels->named_count ? labels->worker_text + labels->worker_start[worker] : "";
}

/* The struct may be cleared already, or zeroed. */
void og_labels_clear(og_labels *labels);

#endif
