#ifndef OG_BENCH_PUBLIC_REPLAYED_H
#define OG_BENCH_PUBLIC_REPLAYED_H

#include "bench/public/problem.h"
#include "bench/simulation/replay.h"

/* Replay, and write the document; for labels from a file also notes about it and
 * about the gold's file. */
og_status og_asked_replay(og_asked *asked, const og_recorded_world *world, og_message *message);

/* Parts of og_question_replay. */
og_question_function og_replay_assignment, og_replay_workers, og_replay_delayed;

#endif
