#ifndef OG_BENCH_STUDY_STUDY_FAMILY_H
#define OG_BENCH_STUDY_STUDY_FAMILY_H

#include <stddef.h>
#include <stdint.h>

#include "bench/family.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"

/*
 * The family of a study's prior. A prior is an INSTANCE word, which options of a family may follow:
 * "1,1 --workers-prior=4,1 --workers-prior=2,1 --once". A family with its own objective has its own
 * words, several if instances differ: "0.9 0.7 0.6 --problem=labelers --explore=1.5,1"; a cell
 * has its number of instances of each word. The whole text is part of a cell's key.
 */
typedef struct {
    const og_family *family;
    void *options; /* the family's own struct; NULL: no options */
    bool by_words; /* instances are the family's own words, not og_groups */
    int32_t word_count;
    const char **words; /* [word_count] words for og_family.open, if by_words */
    int32_t budget;
    char *text;     /* memory borrowed by the options */
    og_arena arena; /* of the words */
} og_study_family;

/*
 * Read a prior in the form of og_study_family_format, for cells with so many instances and labels.
 * OG_BAD_INPUT with a message: options that are unknown, invalid, missing or of several families,
 * or a family whose instances have no priors. Clear it in any case.
 */
og_status og_study_family_read(const char *prior, int64_t instances, int64_t budget,
                               og_study_family *out, og_message *message);
void og_study_family_clear(og_study_family *family); /* a zeroed one is fine */

/* The input of og_family.open for a cell: these instances, or the words. Borrows both. */
og_problem_text og_study_family_given(const og_study_family *family, const og_groups *instances);

/* Write a prior in the form for cells: words, then " --name=value" with the current names of
 * options, each after one blank. OG_BAD_INPUT with a message if a word has a COUNT or is not an
 * option, or if `size` is too small. */
og_status og_study_family_format(const char *prior, char *text, size_t size, og_message *message);

#endif
