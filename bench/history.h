#ifndef OG_BENCH_HISTORY_H
#define OG_BENCH_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/document.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * What was answered before the question, as --history tells it: words in the order of time, with
 * blanks or commas between. What a word says is the family's; that of a label is here.
 */
typedef struct {
    const char *text; /* not terminated */
    int32_t length;
} og_history_word;

/* The next word, *rest being moved behind it; false: there is none. NULL is an empty history. */
bool og_history_next(const char **rest, og_history_word *word);
int32_t og_history_count(const char *history);

/* Into a document's object "problem"; NULL: nothing is told. */
void og_history_describe(const char *history, og_document *document, og_document *problem);

/* OG_BAD_INPUT with "--history: 'WORD' is FORMAT". */
og_status og_history_refuse(og_history_word word, og_message *message, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A label: "2+" and "2-" of instance 2, "2:3" of class 3, "2@1+" by worker 1. */
typedef struct {
    int32_t instance; /* from 0 on */
    int32_t worker;   /* from 0 on; -1: not told */
    int32_t label;    /* 0 positive, 1 negative; the class, from 0 on */
    bool of_class;
} og_history_label;

/* workers > 0: who answered must be told, one of so many; 0: it must not. OG_BAD_INPUT. */
og_status og_history_label_read(og_history_word word, int64_t instances, int64_t workers,
                                og_history_label *out, og_message *message);

/*
 * Give independent instances these labels: a labelled one leaves its group, and joins those that
 * now have the same posterior. Instances count in the order of the groups, copies one by one.
 * OG_BAD_INPUT for a mixture, whose posterior is no INSTANCE; OG_NO_MEMORY. The budget stays.
 */
og_status og_history_apply(const char *history, og_groups *instances, og_message *message);

#endif
