#ifndef OG_BENCH_STUDY_LAW_H
#define OG_BENCH_STUDY_LAW_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/study/study.h"
#include "bench/truth.h"
#include "dp/base/status.h"

/*
 * The law of a cell: the distribution of its labels and the belief of its policies, as one text.
 * The text is part of the cell's key in the database (bench/study/study_db.h). "prior": both are
 * the prior. "believe:A,B": labels follow the prior, and policies assume Beta(A, B). Otherwise a
 * truth, with policies that assume the prior: "list:X,X,...", "beta:A,B", or "grid:X", the soft
 * label X for all instances.
 */
typedef struct {
    bool believed; /* true if there is a belief */
    bool actual;   /* true if there is a truth; neither: "prior" */
    og_group belief;
    og_truth truth; /* owned */
} og_study_law;

/* Read a law for so many instances. OG_BAD_INPUT with a message; free it with
 * og_study_law_clear. */
og_status og_study_law_read(const char *text, int64_t instances, og_study_law *out,
                            og_message *message);
void og_study_law_clear(og_study_law *law); /* may be zeroed */

/* Check that this problem supports the law (exact cells, OG_OBJECTIVE_CALLS). OG_BAD_INPUT with a
 * message. */
og_status og_study_law_check(const og_study_law *law, const og_groups *problem,
                             og_message *message);

/*
 * List the laws for every problem of the study, from its beliefs or its truth. OG_BAD_INPUT with a
 * message if it has both.
 */
og_status og_study_laws_make(og_study *study, og_message *message);

/* Check that this problem supports all of them, as og_study_law_check. */
og_status og_study_laws_check(const og_study *study, const og_groups *problem, int64_t instances,
                              og_message *message);

/* True if the only law is "prior". */
bool og_study_is_plain(const og_study *study);

/* Append a copy of the text to a list, unless it is there; `what` names the list in messages. */
og_status og_study_add_text(char ***list, int32_t *count, const char *text, const char *what,
                            og_message *message);

#endif
