#ifndef OG_DP_FAMILIES_PROCESS_PARTS_H
#define OG_DP_FAMILIES_PROCESS_PARTS_H

#include "dp/families/process.h"

/* Parts of dp/families/process.c (private to dp/families/). */

/* Bytes that each state needs after it was found: its value, height and place in the order. */
enum { OG_PROCESS_STATE_BYTES = 16 };

/* Finds the states. *sorted: every outcome leads to a state with a larger number. */
og_status og_process_states(const og_process_source *source, uint64_t memory_bytes, og_stop *stop,
                            og_process_table *table, bool *sorted, og_message *message);

/* Orders the states and finds their heights. OG_BAD_INPUT with a message: a cycle. */
og_status og_process_order(og_process_table *table, bool sorted, og_stop *stop,
                           og_message *message);

#endif
