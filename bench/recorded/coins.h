#ifndef OG_BENCH_RECORDED_COINS_H
#define OG_BENCH_RECORDED_COINS_H

#include <stdint.h>

#include "bench/recorded/labels.h"
#include "bench/recorded/pairs.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/* Read the Beta "A,B" of an option, one with the threshold 1/2 for every task or worker (`each`).
 * OG_BAD_INPUT with a message. */
og_status og_one_beta(const char *option, const char *each, const char *text, og_group *out,
                      og_message *message);

/* Read --workers-prior, one prior for all workers (dp/prior/worker.h). OG_BAD_INPUT with a
 * message. */
og_status og_one_worker(const char *text, og_group *out, og_message *message);

/* Read --workers-prior, "A,B". OG_BAD_INPUT with a message. */
og_status og_coin_prior(const char *text, double worker[2], og_message *message);

/* The same for comparisons (NULL: workers are always right), and --prior of items, "A" (NULL: 1).
 */
og_status og_pairs_prior_read(const char *items, const char *workers, og_pairs_prior *out,
                              og_message *message);

#endif
