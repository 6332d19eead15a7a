#ifndef OG_DP_FAMILIES_FEATURES_TABLES_H
#define OG_DP_FAMILIES_FEATURES_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/families/features.h"
#include "dp/prior/gauss_rule.h"

/* Tables for the integrals over the weights of a problem with features (private to dp/). */
typedef struct og_features_tables {
    og_arena arena; /* of the arrays */
    og_gauss_rule *rule;
    double *chance[2];  /* [action_count * points] of a negative, a positive label */
    bool *side;         /* [action_count * cell_count] true if <w, x> >= 0 in the cell */
    double *prior;      /* [points] the rule's weights times the likelihood of the labels so far */
    double evidence;    /* their sum */
    double prior_value; /* expected correct calls at the root */
    double value_error; /* proved, for any value at the root, including `prior_value` */
    uint64_t bytes;
} og_features_tables;

/* For the masses of the cells, [cell_count]: their sum; and the expected number of correct calls of
 * all instances times that sum. */
double og_features_mass(const og_features *features, const double *mass);
double og_features_correct(const og_features *features, const double *mass);

/* The sum of x[i], of x[i] * y[i], with an error of at most count / 4 + 4 roundings of the sum, for
 * terms >= 0. */
double og_features_sum(const double *x, int64_t count);
double og_features_dot(const double *x, const double *y, int64_t count);

enum { OG_FEATURES_CHUNK = 512 }; /* points summed at a time */

#endif
