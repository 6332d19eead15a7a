#ifndef OG_BENCH_STUDY_STUDY_FAMILY_H
#define OG_BENCH_STUDY_STUDY_FAMILY_H

#include <stddef.h>
#include <stdint.h>

#include "bench/family.h"
#include "dp/base/status.h"

/*
 * The family of a study's prior: an INSTANCE word, behind which options of a family of problems may
 * stand, "1,1 --workers-prior=4,1 --workers-prior=2,1 --once". All of it is what a cell is known
 * by.
 */
typedef struct {
    const og_family *family;
    void *options; /* the family's own struct; NULL: it has none */
    char *text;    /* what the options borrow */
} og_study_family;

/*
 * Read a prior for cells with so many labels. OG_BAD_INPUT with a message: options that are
 * unknown, wrong, missing or of several families, or a family whose instances do not come from
 * priors. Clear it in any case.
 */
og_status og_study_family_read(const char *prior, int64_t budget, og_study_family *out,
                               og_message *message);
void og_study_family_clear(og_study_family *family); /* a zeroed one is fine */

/* What og_family.open takes for a cell: these instances, and their budget. */
og_given og_study_family_given(const og_study_family *family, const og_groups *instances);

/* The options of a prior, from its first blank on, in the form of cells: " --name=value", one blank
 * before each. OG_BAD_INPUT with a message where a word is no option, or they do not fit `size`. */
og_status og_study_family_format(const char *prior, char *text, size_t size, og_message *message);

#endif
