#ifndef OG_BENCH_PUBLIC_REPLAYED_H
#define OG_BENCH_PUBLIC_REPLAYED_H

#include "bench/public/problem.h"
#include "bench/public/recordings.h"
#include "bench/simulation/replay.h"

/* Add the report's rows for replayed policies (private to bench/public/). */
void og_asked_report_played(og_asked *asked, const og_replayed *found);

/* Replay, and write the report and the document; for labels from a file, `wanted->name`, also notes
 * about it and about the gold's file. NULL: labels from elsewhere. */
og_status og_asked_replay(og_asked *asked, const og_replay_request *wanted, const char *gold_file,
                          og_message *message);

#endif
