#ifndef OG_BENCH_STUDY_STUDY_FAMILY_H
#define OG_BENCH_STUDY_STUDY_FAMILY_H

#include <stddef.h>
#include <stdint.h>

#include "bench/family.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"

/*
 * The family of a study's prior: an INSTANCE word, behind which options of a family of problems may
 * stand, "1,1 --workers-prior=4,1 --workers-prior=2,1 --once". A family with an objective of its
 * own has words of its own, several where instances differ, "0.9 0.7 0.6 --objective=labelers
 * --explore=1.5,1"; a cell has its number of instances of each. All of it is what a cell is known
 * by.
 */
typedef struct {
    const og_family *family;
    void *options; /* the family's own struct; NULL: it has none */
    bool by_words; /* instances are its own words, and no og_groups */
    int32_t word_count;
    const char **words; /* [word_count] as og_family.open takes them, if by_words */
    int32_t budget;
    char *text;     /* what the options borrow */
    og_arena arena; /* of the words */
} og_study_family;

/*
 * Read a prior, as og_study_family_format writes it, for cells with so many instances and labels.
 * OG_BAD_INPUT with a message: options that are unknown, wrong, missing or of several families, or
 * a family whose instances do not come from priors. Clear it in any case.
 */
og_status og_study_family_read(const char *prior, int64_t instances, int64_t budget,
                               og_study_family *out, og_message *message);
void og_study_family_clear(og_study_family *family); /* a zeroed one is fine */

/* What og_family.open takes for a cell: these instances, or the words. Borrows both. */
og_given og_study_family_given(const og_study_family *family, const og_groups *instances);

/* A prior in the form of cells: words, then " --name=value", one blank before each. OG_BAD_INPUT
 * with a message where a word has a COUNT or is no option, or all do not fit `size`. */
og_status og_study_family_format(const char *prior, char *text, size_t size, og_message *message);

#endif
