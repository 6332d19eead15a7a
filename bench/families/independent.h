#ifndef OG_BENCH_FAMILIES_INDEPENDENT_H
#define OG_BENCH_FAMILIES_INDEPENDENT_H

#include "bench/family.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/prior/problem.h"

/*
 * Independent instances, the product of arms, as a family. Borrows `problem` and builds its arms on
 * settings->threads threads; policies whose index would take longer than index_seconds_max to make
 * are refused (0: any time); policy_count is how many policies may be prepared. Free with
 * og_family_free. Errors as og_arms_new.
 */
og_status og_family_independent(const og_problem *problem, int32_t policy_count,
                                const og_settings *settings, double index_seconds_max,
                                og_family *out, og_message *message);

#endif
