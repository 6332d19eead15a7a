#ifndef OG_BENCH_PUBLIC_QUESTION_H
#define OG_BENCH_PUBLIC_QUESTION_H

#include "bench/public/problem.h"
#include "bench/wishes/wishes.h"

/* The contents of a question (private to bench/public/). */

enum { OG_QUESTION_OPTIONS = 64 }; /* most options of a question */

typedef struct og_question_entry og_question_entry;

struct og_question {
    og_arena arena; /* copies of texts; first, for og_arena_new */
    const og_question_entry *entry;
    const og_option_row *row[OG_QUESTION_OPTIONS]; /* [row_count] */
    bool seen[OG_QUESTION_OPTIONS];
    int32_t row_count;
    og_wishes wishes; /* with the defaults */
    bool in_arrays;   /* the labels */
};

/* Its complete settings; NULL: the defaults. */
og_settings og_question_settings(const og_question *question);

#endif
