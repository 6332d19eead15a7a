#ifndef OG_BENCH_FAMILIES_FEATURES_FEATURES_H
#define OG_BENCH_FAMILIES_FEATURES_FEATURES_H

#include "bench/families/features/file.h"
#include "bench/family.h"
#include "dp/families/features.h"

/*
 * Instances with features (dp/families/features.h) as a family: an act labels an instance. Its
 * policies are the rules of one label: uniform; kg and the like with Laplace's approximation
 * (heuristics/families/laplace.h) and their own final calls; and kg-exact and the like, the same
 * with the exact posterior. There are no bounds. With more than OG_FEATURES_EXACT_MAX features
 * there are no values: the Q of acts is NAN, and only the picks of uniform, kg and the like are
 * available, and their runs.
 */
extern const og_family og_family_features;

/* Its options: the contents of a file, and the prior of the weights, one number for all or one for
 * each, or a covariance. */
typedef struct {
    og_feature_table table;
    const char *file; /* borrowed */
    double *mean;     /* [mean_count] */
    double *sd;       /* [sd_count] */
    int32_t mean_count, sd_count;
    bool sd_given;
    og_feature_table covariance; /* a row for each weight; or zeroed */
    const char *covariance_file; /* borrowed; NULL: none */
} og_features_options;

extern const og_option_set og_features_option_set;

/* Number d of numbers given as one for all or one for each. */
double og_features_number(const double *number, int32_t count, int32_t d);

/* Check that there is a number for each feature, that every standard deviation is greater than 0,
 * and that a covariance is square and symmetric. OG_BAD_INPUT with a message if not. */
og_status og_features_options_check(const og_features_options *options, og_message *message);

#endif
