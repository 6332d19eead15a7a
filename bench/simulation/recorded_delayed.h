#ifndef OG_BENCH_SIMULATION_RECORDED_DELAYED_H
#define OG_BENCH_SIMULATION_RECORDED_DELAYED_H

#include "bench/document.h"
#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"
#include "dp/engine/settings.h"
#include "heuristics/bounds/bound.h"

/* Recorded labels that take time: their bound, and what is shown of their runs. */

/* The bound on the mean over runs of the sum of h, if labels fall by the prior:
 * og_bound_delayed_drawn for the tasks of a run. OG_NO_MEMORY also if it would take too long. */
og_status og_recorded_delayed_bound(const og_recorded_delayed *recorded,
                                    const og_settings *settings, og_upper_bound *out,
                                    og_message *message);

/* What is shown next to the labels and the prior. */
typedef struct {
    og_recorded_delayed world;
    int64_t held;         /* number of tasks held out */
    const char *method;   /* of the fit of the prior to these; NULL: it was given */
    og_upper_bound bound; /* price_count 0: too large to compute */
} og_replay_arrivals;

void og_replay_arrivals_put(const og_replay_arrivals *arrivals, og_document *document);
void og_replay_arrivals_put_row(const og_replay_arrivals *arrivals, const og_simulate_row *row,
                                og_document *object);
void og_replay_arrivals_show(const og_replay_arrivals *arrivals, og_document *document);
void og_replay_arrivals_show_table(const og_replay_arrivals *arrivals, const og_document *policies,
                                   og_document *document);

#endif
