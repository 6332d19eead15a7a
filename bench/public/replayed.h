#ifndef OG_BENCH_PUBLIC_REPLAYED_H
#define OG_BENCH_PUBLIC_REPLAYED_H

#include "bench/public/problem.h"
#include "bench/simulation/replay.h"

/* Add the report's rows for replayed policies (private to bench/public/). */
void og_asked_report_played(og_asked *asked, const og_replayed *found);

/* Replay, and write the report and the document; for labels from a file also notes about it and
 * about the gold's file. */
og_status og_asked_replay(og_asked *asked, const og_recorded_world *world, og_message *message);

/* Parts of og_question_replay. */
og_question_function og_replay_assignment, og_replay_workers, og_replay_delayed;

#endif
