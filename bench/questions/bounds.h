#ifndef OG_BENCH_QUESTIONS_BOUNDS_H
#define OG_BENCH_QUESTIONS_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/asked.h"

/* Upper bounds on the optimal value: those that the family supports, in its order; joint_end only
 * if the settings ask for it. */
typedef struct {
    const char *name[OG_BOUNDS_MAX]; /* borrowed from the family, */
    int32_t which[OG_BOUNDS_MAX];    /* and their numbers there */
    int32_t count;
    bool tried[OG_BOUNDS_MAX];           /* false: there was no time for it */
    og_upper_bound bound[OG_BOUNDS_MAX]; /* value INFINITY if the problem has no bound of this name,
                                            or there was no time for it */
    og_exact_bound exact[OG_BOUNDS_MAX]; /* empty if fractions were not requested, memory or time
                                            was too small, or there is none */
} og_bounds;

/* Fill *out; free it with og_bounds_clear, whatever is returned. The settings are the request's,
 * perhaps with another stop, which ends all except the first: that has a moment in any case.
 * Returns OG_OK even if some bounds are missing, or with a message any other error of a bound. */
og_status og_bounds_find(const og_asked *asked, const og_settings *settings, og_bounds *out,
                         og_message *message);

/* Those for which there was no time, with these settings; as above. */
og_status og_bounds_find_rest(const og_asked *asked, const og_settings *settings, og_bounds *out,
                              og_message *message);

/* Adds one that the search for the optimum proved; `name` is borrowed. Nothing for a full list. */
void og_bounds_add(og_bounds *bounds, const char *name, double value, double error);

void og_bounds_clear(og_bounds *bounds); /* may be zeroed */

/* The least of them; INFINITY if there is none. */
double og_bounds_least(const og_bounds *bounds);

/* The number of bounds to show: those computed, and those without time. */
int32_t og_bounds_shown(const og_bounds *bounds);

/*
 * "bounds": {NAME: {"value", "error_bound", "converged", "price" or "prices"}}. Missing values are
 * null. With `exact` also "value_exact" and "price_exact" or "prices_exact", null if there is no
 * such fraction. Returns the object; its children can be the rows of a table, which shows "value"
 * and "price" as text.
 */
og_document *og_put_bounds(og_document *parent, const og_bounds *bounds, bool exact);

/* For bounds in fractions: count those without a fraction, and write "NAME and NAME have no exact
 * form here", or an empty text. */
int og_bounds_inexact(const og_bounds *bounds, char *text, size_t size);
enum { OG_BOUNDS_INEXACT_BYTES = 200 };

#endif
