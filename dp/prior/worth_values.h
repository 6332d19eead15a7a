#ifndef OG_DP_PRIOR_WORTH_VALUES_H
#define OG_DP_PRIOR_WORTH_VALUES_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/fraction.h"
#include "dp/base/rows.h"
#include "dp/base/status.h"

/*
 * The worth of an instance as a list of exact numbers: --payoff table:FILE, or what a function
 * answered. A table has the columns a, b and value, tab separated, a row for each posterior
 * Beta(a, b); numbers are those of og_rational_parse, of at most OG_WORTH_MOST in size. The values
 * of a function belong to the nodes of one arm.
 */
#define OG_WORTH_MOST 1000000

typedef struct {
    og_arena arena;
    int32_t held;          /* atomic: how often it is held */
    int32_t number;        /* of a function: differs for different arms of a problem */
    const char *name;      /* "table:FILE", or the function's */
    bool by_node;          /* value[node] of one arm, whose nodes these are; `key` is NULL */
    size_t count;          /* of values */
    og_fraction (*key)[2]; /* [count] a and b, ascending */
    mpq_t *value;          /* [count] */
    double least, most;    /* of all values, rounded */
} og_worth_values;

/* Reads a table; `limits` may be NULL. OG_BAD_INPUT with a message of the file and, where it helps,
 * the line; and the failures of og_rows_open. The caller holds it once. */
og_status og_worth_values_read(const char *path, const og_rows_limits *limits,
                               og_worth_values **out, og_message *message);

/* The values of a function at the nodes of an arm: value[count], finite and of at most
 * OG_WORTH_MOST in size, as exact numbers; copied. The caller holds it once. OG_NO_MEMORY. */
og_status og_worth_values_new(const char *name, int32_t number, const double *value, size_t count,
                              og_worth_values **out);

/* Holds it once more; it is freed when all who hold it have released it. Any thread. NULL is
 * fine. */
og_worth_values *og_worth_values_hold(const og_worth_values *values);
void og_worth_values_release(const og_worth_values *values);

/* The value of a posterior, of a table; NULL: it has none. O(log count). */
mpq_srcptr og_worth_values_find(const og_worth_values *values, og_fraction a, og_fraction b);

/* An order; 0 for tables with the same rows, and for the same values of one function. NULL is equal
 * to nothing. */
int og_worth_values_compare(const og_worth_values *x, const og_worth_values *y);

#endif
