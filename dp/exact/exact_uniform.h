#ifndef OG_DP_EXACT_EXACT_UNIFORM_H
#define OG_DP_EXACT_EXACT_UNIFORM_H

#include <gmp.h>

#include "dp/arm/arm.h"
#include "dp/arm/exact_names.h"
#include "dp/base/status.h"

/* dp/product/uniform.h in fractions (private to dp/): the gain of the policy that tells no instance
 * from another, ties at random. Takes O(nodes) additions of fractions. */
og_status og_exact_uniform_gain(const og_arms *arms, const og_exact_names *names, mpq_t gain);

#endif
