#ifndef OG_TOOLS_SHOW_JSON_H
#define OG_TOOLS_SHOW_JSON_H

#include <gmp.h>
#include <jansson.h>
#include <stdint.h>

#include "dp/engine/settings.h"
#include "dp/prior/problem.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/exact_bounds.h"

/*
 * JSON documents. Values that are put into an object or an array become its own; when there is no
 * memory the program says so and ends.
 */
json_t *object_new(void);
json_t *array_new(void);
void object_put(json_t *object, const char *key, json_t *value);
void array_add(json_t *array, json_t *value);

json_t *real(double value); /* null if it is not finite: JSON has no word for it */
json_t *whole(uint64_t value);
json_t *phrase(const char *words);
json_t *reals(const double *values, int32_t count);

/* [a, b] */
json_t *parameters(const og_group *group);

/* {"text", KEY: [a, b], "count", "threshold"}; KEY is "prior" or "posterior". */
json_t *instance(const og_group *group, const char *key);

/* {"instances", "budget"} */
json_t *problem_json(const og_problem *problem);

/* "121/16", a whole number without a denominator; null for NULL. */
json_t *fraction_json(mpq_srcptr value);

/* The optimum. A value that is not finite (a limit was reached) becomes null. In exact arithmetic
 * with "value_exact" and "gain_exact", which may be NULL. */
json_t *optimal_json(const og_result *result, bool exact, mpq_srcptr value, mpq_srcptr gain);

/*
 * {"lagrangian_scalar" with one "price", "lagrangian_vector" with "prices", one per label,
 * "prevailing_charge"}. A bound that was not computed has an infinite value, which becomes null.
 * The fractions are NULL where they were not asked for; else bounds have "value_exact" and
 * "price_exact" or "prices_exact", null where there is no such fraction.
 */
json_t *bounds_json(const og_bound *scalar, const og_bound *vector, const og_bound *prevailing,
                    const og_exact_bound *scalar_exact, const og_exact_bound *vector_exact);

/* Print to standard output, reals with 17 significant digits so that they read back as the same
 * double, and free the document. The text is made whole before any of it is printed: without
 * memory for it nothing is. */
void document_print(json_t *document);

#endif
