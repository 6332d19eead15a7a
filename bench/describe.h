#ifndef OG_BENCH_DESCRIBE_H
#define OG_BENCH_DESCRIBE_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/document.h"
#include "dp/base/ties.h"
#include "dp/engine/settings.h"
#include "dp/engine/solution.h"
#include "dp/prior/problem.h"

/* Parts that several documents share. Functions named og_put add values for programs, og_show add
 * text for people, og_describe add both. */

/* "121/16", a whole number without a denominator; null for NULL. */
void og_put_fraction(og_document *parent, const char *name, mpq_srcptr value);

/* [a, b]; of a mixture [[weight, a, b], ...]. */
void og_put_parameters(og_document *parent, const char *name, const og_group *group);

/* "payoff": [TP, FP, FN, TN], and "undecided" if calls may be undecided; else a name. */
void og_put_payoff(og_document *object, const og_payoff *payoff);

/* {"text", KEY: [a, b], "count", "threshold"}, and "payoff" if it has one; appended to an array.
 * KEY is "prior" or "posterior". */
og_document *og_put_instance(og_document *parent, const og_group *group, const char *key);

/* "problem": {"instances", "budget", "objective"}, and the fields "Problem" and, titled
 * `budget_name`, the number of labels. Returns the object. */
og_document *og_describe_problem(og_document *document, const og_groups *problem,
                                 const char *budget_name);

/* A field: the priors of workers in words and their number, "2x4,1 4,1/2,1 (3 workers)". */
void og_show_workers(og_document *document, const og_groups *workers);

/* A new row of an array, {"name", "ties"}; and a table of such rows with these two columns, to
 * which others are added. */
og_document *og_put_by_policy(og_document *rows, const char *name, og_ties ties);
og_document *og_show_by_policy(og_document *document, const og_document *rows);

/* "optimal"; not `known`, as a limit was reached: its numbers are null. With `exact` also
 * "value_exact" and "gain_exact"; `value` and `gain` may be NULL. Returns the object. */
og_document *og_put_optimum(og_document *parent, const og_result *result, bool known, bool exact,
                            mpq_srcptr value, mpq_srcptr gain);

/* The field "Exactly", below a decimal, if the parent has a fraction of that name. It shows the
 * fraction, or if it is long the place to find it. */
void og_show_fraction(og_document *document, const og_document *parent, const char *name);

/* Columns of the table in a file (bench/document.h): the value in this unit, and, for programs, its
 * error bound. With `exact` also the fraction. */
void og_file_values(og_document *document, const char *unit, bool exact);

/* More columns: the work done for a value, for programs. */
void og_file_effort(og_document *document);

/* "version" and "commit", null if the source was not in a git repository. They come last in every
 * document. */
void og_put_origin(og_document *document);

/* The field "Forgotten", if the memory was full. */
void og_show_forgotten(og_document *document, const og_result *result);

/* For notes below tables that contain a long fraction; begins with a blank. */
extern const char og_fraction_note[];

/* A paragraph if `pairs` > 0: so many pairs of a policy's indices were too close to be
 * distinguished. `ties` is its tie rule; NULL means that it was not played. */
void og_show_tolerance(og_document *document, const char *policy, const char *ties, uint64_t pairs);

/* A paragraph if the source of a policy leaves a part of it open, and this part is ours. */
void og_show_reading(og_document *document, const char *policy);

/* "labels" into the object of an optimum or a policy, and for people: the number of labels
 * bought. */
void og_put_labels(og_document *object, const og_labels_paid *labels);
void og_show_labels(og_document *document, const og_labels_paid *labels);

#endif
