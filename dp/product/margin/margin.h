#ifndef OG_DP_PRODUCT_MARGIN_MARGIN_H
#define OG_DP_PRODUCT_MARGIN_MARGIN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/product/state.h"

/*
 * The margin cut: two problems without instances far from the threshold enclose the optimum. A
 * third engine for independent instances, next to the recursion and blocks, with far fewer states.
 *
 * Threshold 1/2, a - b whole. An instance with posterior (c, d), c <= d, has the margin d - c. In
 * LOWER(m) an instance whose margin exceeds m is gone: its value is a lower end. SUPPLY(m) has the
 * same states, but any state may also label a (c, c+m+1) that could be there; the label leads to
 * (c+1, c+m+1), or changes nothing: an upper end. Proofs: bench/studies/THEOREMS.md, theorems 10
 * and
 * 11. If both ends agree within the rounding error, the optimum is known.
 *
 * Forced labels (theorem 8) lead from the root to *starts*, in which no label is forced. There most
 * instances are in one posterior, the bulk, of the total D = c + d, and one may wait in front of
 * it, as the last (2,1) does in front of the (3,1) at the uniform prior. The weight of a posterior
 * is w = max(0, c + d - D); a label raises the sum of weights by at most one. So layer r, with r
 * labels left, holds all multisets of posteriors of w >= 1 with a sum of weights of at most W_r =
 * n0 - r, at most r - margin copies of each, and a number of bulk instances for each multiset.
 * Places are computed, not looked up: no keys are stored.
 */
typedef struct og_margin og_margin;

/* The greatest margin of an instance before the first label. */
enum { OG_MARGIN_MOST = 16 };

/* True if all instances have a Beta prior at threshold 1/2, a - b whole and at most OG_MARGIN_MOST,
 * and a call is worth 1 if it is right; no prices. */
bool og_margin_can(const og_arms *arms);

typedef struct {
    double
        states; /* places of all layers; each holds both values; INFINITY: the form does not fit */
    double bytes;      /* for the largest layers and their tables; arms not counted */
    double kept_bytes; /* for all layers, if they are kept */
} og_margin_size;

static const og_margin_size og_margin_none = {INFINITY, INFINITY, INFINITY};

/*
 * Finds the starts of the states `root` [count], which have the same number of labels left and
 * instances of the same problem (groups of no copies are ignored), and counts places. NULL: the
 * problem's root alone. Borrows arms, for which og_margin_can must be true. Of the settings it uses
 * threads, memory_bytes (a hard limit, arms included) and the watch. m >= 1. *out always has a
 * size; og_margin_solve needs a finite one that fits into the memory. OG_NO_MEMORY; OG_STOPPED if
 * the watch ends it.
 */
og_status og_margin_new(const og_arms *arms, const og_state *root, int32_t count, int32_t m,
                        const og_settings *settings, og_margin **out);
void og_margin_free(og_margin *margin); /* NULL is fine */
void og_margin_get_size(const og_margin *margin, og_margin_size *out);

/* Lets og_margin_solve keep all layers, in kept_bytes, for og_margin_ends_of. */
void og_margin_keep(og_margin *margin);

/* Gains still to come. */
typedef struct {
    double lower;
    double upper;
} og_margin_ends;

/*
 * The values of LOWER(m) and SUPPLY(m) of each root, ends [count], as computed: the optimum is at
 * least lower * (1 - eps) and at most upper * (1 + eps), eps = og_margin_relative_error. Their
 * difference is rounded up to single precision in each layer; 0 stays 0. The bits do not depend on
 * threads or vector units. *result gets states, bytes and seconds. OG_STOPPED with a message if the
 * watch ends it or the memory limit is exceeded; OG_NO_MEMORY.
 */
og_status og_margin_solve(og_margin *margin, og_margin_ends *ends, og_result *result,
                          og_message *message);
double og_margin_relative_error(const og_margin *margin);

/* Those of a later state, from kept layers; with the same errors. OG_BAD_INPUT if the layers do not
 * hold what forced labels lead to: each state that follows a root by any labels is held. Costs as
 * many steps as there are forced labels. OG_NO_MEMORY. */
og_status og_margin_ends_of(const og_margin *margin, const og_state *state, og_margin_ends *ends);

#endif
