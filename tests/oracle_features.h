#ifndef OG_TESTS_ORACLE_FEATURES_H
#define OG_TESTS_ORACLE_FEATURES_H

#include <stdbool.h>

#include "dp/families/features.h"

/*
 * Instances with features from the definitions, for tiny problems only. Bellman's equation is over
 * the counts of every instance. Each integral uses GSL's adaptive rule in coordinates along the
 * called instance (no polar coordinates, no common points). Beliefs are vectors and matrices; the
 * mean comes from Newton's method in all dimensions, the covariance from the inverse of the
 * precision.
 *
 * These are tools for tests: misuse aborts with a line on stderr.
 */
enum { ORACLE_FEATURES_INSTANCES = 4, ORACLE_FEATURES_LABELS = 5, ORACLE_FEATURES_WEIGHTS = 4 };

/* GSL's estimates for one integral are below 1e-12; values add some hundred of them. */
#define ORACLE_FEATURES_ERROR 1e-9

/* The value by a rule that looks one label ahead, ties at random; NULL: the optimum. */
double oracle_features_value(const og_features_problem *problem, const char *rule);

/* Its value if this instance is labelled first, of optimal play. */
double oracle_features_first(const og_features_problem *problem, int instance);

/* By Laplace's approximation, kg and the like, ties at random: with the policy's own calls, and
 * with those of the exact posterior. */
void oracle_features_laplace(const og_features_problem *problem, const char *rule, double *own,
                             double *called);

/* One update of N(mean, covariance), by rows, in place. */
void oracle_features_update(int weights, double *mean, double *covariance, const double *row,
                            bool positive);

#endif
