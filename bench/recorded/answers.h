#ifndef OG_BENCH_RECORDED_ANSWERS_H
#define OG_BENCH_RECORDED_ANSWERS_H

#include <stdbool.h>

#include "dp/base/rows.h"
#include "dp/base/status.h"

/*
 * Reads files of labels in any supported form and passes on one label after another: who gave
 * which label to which task. Each label is passed in the row that it is from, so that og_rows_fail
 * names its line. The texts may be changed until the function returns; an empty label is none, an
 * empty worker has no name. Returns false after a failure.
 */
typedef bool og_answer_taker(void *user, og_rows *rows, char *task, char *worker, char *label);

/* What is read, and who takes it. */
typedef struct {
    og_rows *rows;        /* open, and not read yet */
    const og_tables *how; /* may be NULL */
    bool gold;            /* the true labels; `worker` is then "" */
    og_answer_taker *take;
    void *user;
    og_message *form; /* out: how the file is read, for the user; may be NULL */
    bool *numbered;   /* out: tasks have the numbers of rows in place of names; may be NULL */
} og_answers;

/* Passes on all labels of a file. Its end, or a failure of the rows, ends it. */
void og_answers_read(const og_answers *answers);

/* Passes on a cell that may have labels in JSON, as a list or as the only value of an object. A
 * list of several is of one label each by different people, and refused if the worker has a name.
 */
bool og_answers_take(const og_answers *answers, char *task, char *worker, char *label);

/* Sets the form, printf-style, if it is wanted and not set yet. */
void og_answers_form(const og_answers *answers, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
