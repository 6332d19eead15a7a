#ifndef OG_BENCH_PUBLIC_RECORDING_H
#define OG_BENCH_PUBLIC_RECORDING_H

#include "bench/public/problem.h"
#include "bench/recorded/gold.h"
#include "bench/recorded/labels.h"

/*
 * Use arrays [count] as labels (private to bench/public/). Every task from 0 to the largest must
 * have a label. Workers are numbered likewise; NULL means unknown. Do not clear *out. OG_BAD_INPUT
 * with a message.
 */
og_status og_labels_borrow(int64_t count, const uint32_t *task, const uint32_t *worker,
                           const uint8_t *label, og_labels *out, og_message *message);

#endif
