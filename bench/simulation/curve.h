#ifndef OG_BENCH_SIMULATION_CURVE_H
#define OG_BENCH_SIMULATION_CURVE_H

#include "bench/asked.h"
#include "bench/document.h"
#include "dp/base/status.h"

/* The budgets of a curve, and tables of results at them. */

/* Writes the budgets of --at, which ascend, then the whole budget if it is not among them; at most
 * given->at_count + 1. `unit` is what a budget counts, "labels". OG_BAD_INPUT with a message: one
 * of them is negative, does not ascend or is above the budget. */
og_status og_curve_budgets(const og_curve *given, int64_t budget, const char *unit, int32_t *at,
                           int32_t *at_count, og_message *message);

/* What a budget counts, the heading of the rows, and how the names of cells begin. */
typedef struct {
    const char *unit, *title, *cell;
} og_curve_words;

/* Show tables of rows with "name" and perhaps "ties", a few budgets each, whose cells are `cell`
 * and the budget. */
void og_curve_show(og_document *document, const og_document *rows, const int32_t *at,
                   int32_t at_count, const og_curve_words *words);

#endif
