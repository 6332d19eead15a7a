#ifndef OG_DP_PRODUCT_OPTIMUM_CUT_H
#define OG_DP_PRODUCT_OPTIMUM_CUT_H

#include <stdbool.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/product/margin/margin.h"

/* Private to dp/product/optimum/: answers of the margin cut (dp/product/margin/). */

/* The cuts m that are tried. */
enum { OG_CUT_LEAST = 2, OG_CUT_MOST = 6 };

/* Least work of blocks for a state of a cut: one that does not close takes little beside them. */
static const double og_cut_ratio = 10;

/* With fewer than 20 instances, cuts that close are no smaller than blocks. */
bool og_cut_can(const og_arms *arms);

/* True if both ends are the same within their errors. */
bool og_cut_closes(const og_margin_ends *ends, double relative);

/* The lower end if it closes, else the middle, with its proved error. */
void og_cut_take(const og_margin_ends *ends, double relative, double *value, double *error);

/* As og_margin_new of the root, or of what each group's label leads to, for Q. */
og_status og_cut_new(const og_arms *arms, bool q, int32_t m, const og_settings *settings,
                     og_margin **out);

/* Computes a cut of the root. *result gets the proved bracket of the gain and, if it closes, the
 * optimum (by_margin). */
og_status og_cut_value(const og_arms *arms, og_margin *cut, og_result *result, og_message *message);

/* Computes a cut for Q: q and error [group_count]. *closed: all of them. */
og_status og_cut_q(const og_arms *arms, og_margin *cut, double *q, double *error, bool *closed,
                   og_result *result, og_message *message);

#endif
