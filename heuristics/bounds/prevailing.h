#ifndef OG_HEURISTICS_BOUNDS_PREVAILING_H
#define OG_HEURISTICS_BOUNDS_PREVAILING_H

#include "heuristics/bounds/bound.h"

/*
 * The bound with prevailing charges (bound_prevailing.c) for a problem with `labels` labels in
 * which an instance is worth h + w in the end.
 */
typedef struct {
    const double *const *worth; /* [arm_count] w >= 0 of the arm's nodes of levels 0 .. labels */
    int32_t labels;             /* 1 .. budget */
    double cheap;               /* a price where the integral is cut first */
} og_labels_left;

og_status og_bound_left(const og_arms *arms, const og_labels_left *left, int threads, og_stop *stop,
                        og_upper_bound *out);

#endif
