#ifndef OG_BENCH_RECORDED_COINS_H
#define OG_BENCH_RECORDED_COINS_H

#include <stdint.h>

#include "bench/recorded/labels.h"
#include "bench/recorded/pairs.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * Calls from labels by workers of unknown reliability, one coin for each [Chen, Lin and Zhou 2015,
 * section 5]: a worker's label is that of a reliable worker with probability rho ~ Beta(c, d), and
 * the opposite one otherwise. Labels are added one by one, in the order of the file, with moment
 * matching (og_workers_match), so the result depends on this order.
 *
 * task[2 * task_count] holds a, b of each task, and worker[2 * worker_count] c, d of each worker:
 * priors before the call, posteriors after it. chance[task_count] receives the probability that the
 * soft label of the task is at least 1/2. The labels have two classes. Time O(labels).
 */
void og_coin_calls(const og_labels *labels, double *task, double *worker, double *chance);

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
