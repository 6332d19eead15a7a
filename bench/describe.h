#ifndef OG_BENCH_DESCRIBE_H
#define OG_BENCH_DESCRIBE_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/document.h"
#include "dp/engine/settings.h"
#include "dp/engine/solution.h"
#include "dp/prior/problem.h"

/* What several documents have in common. Functions that begin with og_put put values for programs,
 * og_show what people see, og_describe both. */

/* "121/16", a whole number without a denominator; null for NULL. */
void og_put_fraction(og_document *parent, const char *name, mpq_srcptr value);

/* [a, b]; of a mixture [[weight, a, b], ...]. */
void og_put_parameters(og_document *parent, const char *name, const og_group *group);

/* "payoff": [TP, FP, FN, TN], and "undecided" if a call may be that. */
void og_put_payoff(og_document *object, const og_payoff *payoff);

/* {"text", KEY: [a, b], "count", "threshold"}, and "payoff" where it has one, the next of an array;
 * KEY is "prior" or "posterior".
 */
og_document *og_put_instance(og_document *parent, const og_group *group, const char *key);

/* "problem": {"instances", "budget", "objective"}, and the fields "Problem" and the number of
 * labels under the name given. Returns the object. */
og_document *og_describe_problem(og_document *document, const og_groups *problem,
                                 const char *budget_name);

/* A field: the groups as INSTANCE words and their number, "10x1,1 2,1@0.3 (11 instances)", with
 * the number of classes where it is more than two. */
void og_show_instances(og_document *document, const char *title, const og_groups *problem,
                       const char *what);

/* "optimal". A value that is not finite (a limit was reached) becomes null. In exact arithmetic
 * with "value_exact" and "gain_exact", which may be NULL. Returns the object. */
og_document *og_put_optimum(og_document *parent, const og_result *result, bool exact,
                            mpq_srcptr value, mpq_srcptr gain);

/* The field "Exactly", below a decimal, if the parent has a fraction of that name: it, or where it
 * is to be had if it is long. */
void og_show_fraction(og_document *document, const og_document *parent, const char *name);

/* Columns of the table in a file (bench/document.h): the value in this unit, and, for programs, how
 * far it can be trusted. Where `exact`, the fraction too, for who reads it. */
void og_file_values(og_document *document, const char *unit, bool exact);

/* What was computed for it, for programs. */
void og_file_effort(og_document *document);

/* "version" and "commit", null where the source was no git repository: last in every document. */
void og_put_origin(og_document *document);

/* The field "Forgotten", where the memory was full. */
void og_show_forgotten(og_document *document, const og_result *result);

/* For notes below tables in which a fraction was long; begins with a blank. */
extern const char og_fraction_note[];

/* A paragraph where `pairs` > 0: indices of a policy were too close to tell apart. `ties` is its
 * tie rule; NULL: it was not played. */
void og_show_tolerance(og_document *document, const char *policy, const char *ties, uint64_t pairs);

/* "labels" into the object of an optimum or a policy, and for people: how many are bought. */
void og_put_labels(og_document *object, const og_labels_bought *labels);
void og_show_labels(og_document *document, const og_labels_bought *labels);

#endif
