#ifndef OG_DP_FAMILIES_SOURCES_UNKNOWN_SUMS_H
#define OG_DP_FAMILIES_SOURCES_UNKNOWN_SUMS_H

#include "dp/families/sources_unknown.h"

/*
 * The numbering of a table's sum over truths, in doubles and in fractions (private to
 * dp/families/). A vector of right labels of the unknown sources is the number with these as
 * digits, to the bases labels + 1.
 */
typedef struct {
    int32_t labels[OG_SOURCES_MAX]; /* of each source */
    size_t stride[OG_SOURCES_MAX];  /* of a digit; 0: known */
    size_t vectors;
    int64_t instances; /* with labels */
} og_crowd_layout;

og_crowd_layout og_crowd_layout_of(const og_crowd_problem *of, const og_crowd_group *group,
                                   int32_t count);

/* The numbers that an instance of a group adds if it is positive, negative; true if it has
 * labels. */
bool og_crowd_shift(const og_crowd_problem *of, const og_crowd_layout *layout,
                    const og_crowd_group *group, size_t shift[2]);

#endif
