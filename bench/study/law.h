#ifndef OG_BENCH_STUDY_LAW_H
#define OG_BENCH_STUDY_LAW_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/study/study.h"
#include "bench/truth.h"
#include "dp/base/status.h"

/*
 * By what labels fall in a cell, and what policies believe, as one text, which is part of the
 * cell's key in the database (bench/study/study_db.h): "prior", both being as the prior says;
 * "believe:A,B", labels falling by the prior while policies believe in Beta(A, B); or a truth, the
 * prior being believed: "list:X,X,...", "beta:A,B", and "grid:X", all instances having the soft
 * label X.
 */
typedef struct {
    bool believed; /* there is a belief; */
    bool actual;   /* or a truth; neither: "prior" */
    og_group belief;
    og_truth truth; /* owned */
} og_study_law;

/* Of so many instances. OG_BAD_INPUT with a message; free it with og_study_law_clear. */
og_status og_study_law_read(const char *text, int64_t instances, og_study_law *out,
                            og_message *message);
void og_study_law_clear(og_study_law *law); /* a zeroed one is fine */

/* Can it be said of this problem (exact cells, OG_OBJECTIVE_CALLS)? OG_BAD_INPUT with a message. */
og_status og_study_law_check(const og_study_law *law, const og_groups *problem,
                             og_message *message);

/*
 * Write out what every problem of the study is asked: its beliefs, or its truth, as laws.
 * OG_BAD_INPUT with a message: both.
 */
og_status og_study_laws_make(og_study *study, og_message *message);

/* Can all of them be said of this problem? As og_study_law_check. */
og_status og_study_laws_check(const og_study *study, const og_groups *problem, int64_t instances,
                              og_message *message);

/* Do labels fall as is believed, and nothing else is asked? */
bool og_study_is_plain(const og_study *study);

/* A copy of the text as one more of a list of `of`, unless it is there. */
og_status og_study_add_text(char ***list, int32_t *count, const char *text, const char *of,
                            og_message *message);

#endif
