#ifndef OG_BENCH_DESCRIBE_H
#define OG_BENCH_DESCRIBE_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/document.h"
#include "dp/engine/settings.h"
#include "dp/prior/problem.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/exact_bounds.h"

/* What several documents have in common. Functions that begin with og_put put values for programs,
 * og_show what people see, og_describe both. */

/* What is counted in the end: "correct calls"; of a bandit "positive labels". */
const char *og_counted(const og_problem *problem);

/* The same "of 3", instances or a bandit's labels. */
enum { OG_COUNTED_BYTES = 48 };
typedef struct {
    char text[OG_COUNTED_BYTES];
} og_counted_words;
og_counted_words og_counted_of(const og_problem *problem, int64_t instances);

/* "121/16", a whole number without a denominator; null for NULL. */
void og_put_fraction(og_document *parent, const char *name, mpq_srcptr value);

/* [a, b]; of a mixture [[weight, a, b], ...]. */
void og_put_parameters(og_document *parent, const char *name, const og_group *group);

/* {"text", KEY: [a, b], "count", "threshold"}, the next of an array; KEY is "prior" or "posterior".
 */
og_document *og_put_instance(og_document *parent, const og_group *group, const char *key);

/* "problem": {"instances", "budget", "objective"}, and the fields "Problem" and the number of
 * labels under the name given. Returns the object. */
og_document *og_describe_problem(og_document *document, const og_problem *problem,
                                 const char *budget_name);
void og_show_problem(og_document *document, const og_problem *problem, const char *budget_name);

/* A field: the groups as INSTANCE words and their number, "10x1,1 2,1@0.3 (11 instances)". */
void og_show_instances(og_document *document, const char *title, const og_problem *problem,
                       const char *what);

/* "optimal". A value that is not finite (a limit was reached) becomes null. In exact arithmetic
 * with "value_exact" and "gain_exact", which may be NULL. Returns the object. */
og_document *og_put_optimum(og_document *parent, const og_result *result, bool exact,
                            mpq_srcptr value, mpq_srcptr gain);

/* The same, and its fields. `counts` is what is counted in the end, `proved` what stands behind the
 * error. */
void og_describe_optimum(og_document *document, const og_result *result, bool exact,
                         mpq_srcptr value, mpq_srcptr gain, double call, const char *counts,
                         const char *proved);

/* The field "Exactly", below a decimal, if the parent has a fraction of that name: it, or where it
 * is to be had if it is long. */
void og_show_fraction(og_document *document, const og_document *parent, const char *name);

/* The field "Forgotten", where the memory was full. */
void og_show_forgotten(og_document *document, const og_result *result);

/*
 * "bounds": {"lagrangian_scalar" with one "price", "lagrangian_vector" with "prices", one per
 * label, "prevailing_charge"}. A bound that was not computed has an infinite value, which becomes
 * null. The fractions are NULL where they were not asked for; else bounds have "value_exact" and
 * "price_exact" or "prices_exact", null where there is no such fraction. Returns the object, whose
 * children can be the rows of a table: their "value" and "price" are words there, and bounds that
 * were not computed are left out, unless `all`.
 */
og_document *og_put_bounds(og_document *parent, const og_bound *scalar, const og_bound *vector,
                           const og_bound *prevailing, const og_exact_bound *scalar_exact,
                           const og_exact_bound *vector_exact, bool all);

/* These as a table, with what it means. `counts`: og_counted. */
void og_show_bounds(og_document *document, const og_document *bounds, bool exact,
                    const char *counts);

/* For notes below tables in which a fraction was long; begins with a blank. */
extern const char og_fraction_note[];

/* A paragraph where `pairs` > 0: indices of a policy were too close to tell apart. `ties` is its
 * tie rule; NULL: it was not played. */
void og_show_tolerance(og_document *document, const char *policy, const char *ties, uint64_t pairs);

#endif
