#ifndef OG_BENCH_PUBLIC_REPLAYED_H
#define OG_BENCH_PUBLIC_REPLAYED_H

#include "bench/public/problem.h"
#include "bench/public/recordings.h"
#include "bench/simulation/replay.h"

/* Add the report's rows for replayed policies (private to bench/public/). */
void og_asked_report_played(og_asked *asked, const og_replayed *found);

#endif
