#ifndef OG_HEURISTICS_PROCESS_POLICY_H
#define OG_HEURISTICS_PROCESS_POLICY_H

#include "dp/families/process.h"
#include "heuristics/policy.h"

/*
 * Policies of processes: uniform, first (the act that is listed first), table:FILE, command:CMD and
 * functions. A table has the columns state and act; several rows of a state are acts that tie. A
 * command gets {"state":"...","acts":["A","B"]} and answers {"choose":"A"}, {"weights":[...]} or
 * {"index":[...]}.
 *
 * Borrows the table and the stop. OG_BAD_INPUT with a message: not such a policy, or its file;
 * OG_FAILED, OG_STOPPED: the file.
 */
og_status og_process_strategy(const og_policy_name *policy, const og_process_table *table,
                              const og_policy_use *use, og_strategy *out, og_message *message);

/* Bytes that any state takes as a text. */
enum { OG_PROCESS_TEXT_BYTES = 2 * OG_PROCESS_STATE_BYTES_MAX + 1 };

#endif
