#ifndef OG_TESTS_ORACLE_CLASSES_H
#define OG_TESTS_ORACLE_CLASSES_H

#include <gmp.h>
#include <stdint.h>

#include "dp/base/arb.h"
#include "dp/prior/problem.h"

/*
 * Pr(the share of a class is the largest) under a Dirichlet posterior, by ways that dp/ does not
 * go.
 */

/*
 * Whole parameters, exact: Gamma(a) with a whole is the time of the a-th arrival of a stream. So
 * the largest belongs to the stream that is last to have its a arrivals, and each unfinished stream
 * is equally likely to have the next arrival. A table over all missing arrivals: (a_0 + 1) * (a_1 +
 * 1) * ... entries.
 */
void oracle_last_of_race(int classes, const int *a, int class_, mpq_t out);

/* h: the largest of these. */
void oracle_class_call(int classes, const int *a, mpq_t out);

/*
 * Any parameters, to some 22 digits after the point: Gauss and Legendre's quadrature of the density
 * of log x and Arb's incomplete gamma functions, which is neither the rule nor the series of dp/.
 * The radius is the difference between two numbers of panels: an estimate.
 */
void oracle_class_chance(int classes, const og_fraction *a, int class_, arb_t out);

/*
 * Problems whose priors have whole parameters: Dirichlets, and Betas at threshold 1/2 as two
 * classes. Instances are ordered, every history of labels is followed: (instances * classes)^budget
 * steps. A zeroed oracle_races is empty; it stores each h.
 */
typedef struct {
    int classes;
    int a[OG_CLASSES_MAX];
    mpq_t h;
} oracle_race;

typedef struct {
    int count;
    oracle_race *race;
} oracle_races;

void oracle_races_clear(oracle_races *races);

void oracle_classes_optimum(oracle_races *races, const og_groups *problem, mpq_t out);

/*
 * The value of a policy that labels an instance with the largest index, all such alike: kg, opt-kg,
 * pess-kg, cvar-kg (ALPHA = 1/2), gittins-fh, kg-star or uniform.
 */
void oracle_classes_policy(oracle_races *races, const og_groups *problem, const char *name,
                           mpq_t out);

#endif
