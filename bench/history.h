#ifndef OG_BENCH_HISTORY_H
#define OG_BENCH_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/document.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * Earlier answers, the text of --history: words in order of time, separated by blanks or commas.
 * Each family defines its words; the word for a label is here.
 */
typedef struct {
    const char *text; /* not terminated */
    int32_t length;
} og_history_word;

/* Read the next word and move *rest after it; false if there is none. NULL is an empty history. */
bool og_history_next(const char **rest, og_history_word *word);
int32_t og_history_count(const char *history);

/* Add the history to a document's object "problem"; NULL adds nothing. */
void og_history_describe(const char *history, og_document *document, og_document *problem);

/* Returns OG_BAD_INPUT with the message "--history: 'WORD' is FORMAT". */
og_status og_history_refuse(og_history_word word, og_message *message, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A label: "2+" and "2-" of instance 2, "2:3" of class 3, "2:win" of this name, "2@1+" by worker
 * 1. */
typedef struct {
    int32_t instance; /* from 0 on */
    int32_t worker;   /* from 0 on; -1: not given */
    int32_t label;    /* 0 positive, 1 negative; the class, from 0 on; -1: no number */
    bool of_class;
    og_history_word name; /* of a class: its text */
} og_history_label;

/* Read a label. If workers > 0, the word must name one of so many workers; if 0, it must not name
 * one. OG_BAD_INPUT with a message. */
og_status og_history_label_read(og_history_word word, int64_t instances, int64_t workers,
                                og_history_label *out, og_message *message);

/*
 * Apply these labels to independent instances: a labelled instance leaves its group and joins those
 * that now have the same posterior. A label of a table of nodes is the name of an outcome there, or
 * its number, from 1 on, if none has this name; its reward is not counted. Instances are numbered
 * in the order of the groups, copies singly. OG_BAD_INPUT for a mixture, whose posterior is not an
 * INSTANCE; OG_NO_MEMORY. The budget is unchanged.
 */
og_status og_history_apply(const char *history, og_groups *instances, og_message *message);

#endif
