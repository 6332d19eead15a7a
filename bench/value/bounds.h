#ifndef OG_BENCH_VALUE_BOUNDS_H
#define OG_BENCH_VALUE_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/family.h"

/* Upper bounds on the optimal value, those that the family knows, in its order; joint_end among
 * them where the settings ask for it. */
typedef struct {
    const char *name[OG_BOUNDS_MAX]; /* borrowed from the family, */
    int32_t which[OG_BOUNDS_MAX];    /* and its number there */
    int32_t count;
    bool tried[OG_BOUNDS_MAX];           /* there was time for it, or none is known */
    og_upper_bound bound[OG_BOUNDS_MAX]; /* value INFINITY where the problem has none of this name,
                                      or there was no time for it */
    og_exact_bound exact[OG_BOUNDS_MAX]; /* empty where fractions were not asked for, where memory
                                            or time did not do, or where there is none */
} og_bounds;

typedef struct {
    const og_family *family;
    const void *problem;
    const og_settings *settings; /* threads, memory_bytes */
    bool exact;
    bool (*stop)(void *user); /* asked before each but the first: true ends the work; may be NULL */
    void (*progress)(void *user, const char *name); /* may be NULL */
    void *user;
} og_bounds_request;

/* Fill *out; free it with og_bounds_clear, whatever is returned. OG_OK also where some are not
 * known; with a message what else a bound failed with. */
og_status og_bounds_find(const og_bounds_request *request, og_bounds *out, og_message *message);

void og_bounds_clear(og_bounds *bounds); /* a zeroed one is fine */

/* The least of them; INFINITY: there is none. */
double og_bounds_least(const og_bounds *bounds);

/* Was there time for all of them, to the end? */
bool og_bounds_whole(const og_bounds *bounds);

/* How many there are to show: those that are known, and those there was no time for. */
int32_t og_bounds_shown(const og_bounds *bounds);

/*
 * "bounds": {NAME: {"value", "error_bound", "converged", "price" or "prices"}}. What is not known
 * is null. With `exact` also "value_exact" and "price_exact" or "prices_exact", null where there is
 * no such fraction. Returns the object, whose children can be the rows of a table: their "value"
 * and "price" are words there.
 */
og_document *og_put_bounds(og_document *parent, const og_bounds *bounds, bool exact);

/* Of bounds in fractions: how many are known and none, and "NAME and NAME have no exact form here",
 * or an empty text. */
int og_bounds_inexact(const og_bounds *bounds, char *text, size_t size);
enum { OG_BOUNDS_INEXACT_BYTES = 200 };

/* The whole of `bound`: the problem, its value without a label (`prior`, and as a fraction or
 * NULL) and its bounds. */
og_document *og_bounds_describe(const og_bounds_request *request, const og_bounds *bounds,
                                double prior, mpq_srcptr prior_exact);

#endif
