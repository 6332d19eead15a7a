#ifndef OG_BENCH_PUBLIC_RECORDING_H
#define OG_BENCH_PUBLIC_RECORDING_H

#include "bench/public/handles.h"
#include "bench/recorded/gold.h"
#include "bench/recorded/labels.h"

/*
 * Arrays [count] as labels (private to bench/public/): every task from 0 to the largest has one,
 * and workers are numbered likewise, NULL: not known. Not to be cleared. OG_BAD_INPUT with a
 * message.
 */
og_status og_labels_borrow(int64_t count, const uint32_t *task, const uint32_t *worker,
                           const uint8_t *label, og_labels *out, og_message *message);

#endif
