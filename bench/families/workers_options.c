/* The options of workers of unknown reliability. */
#include "bench/families/workers.h"

static const og_option_row rows[] = {
    OG_OPTION(GROUP, "workers-prior", "[Nx]A,B", og_workers_options, workers,
              .topic = OG_TOPIC_WORKERS, .brief = "N workers, accuracy from Beta(A,B); repeatable",
              .help = "N workers (default: 1) of unknown reliability: a worker answers like a "
                      "reliable one with a probability that has the prior Beta(A,B), otherwise the "
                      "opposite. A,B/C,D: two probabilities, if the reliable answer is + and if it "
                      "is -. W*A,B+W*C,D...: a mixture with weights of sum 1. May be repeated",
              .count = offsetof(og_workers_options, workers.group_count), .repeats = true,
              .required = "--workers-prior A,B is missing: the prior of the workers' accuracy"),
    OG_OPTION(SWITCH, "once", NULL, og_workers_options, once, .topic = OG_TOPIC_WORKERS,
              .brief = "ask each worker at most once per instance",
              .help = "with --workers-prior: ask each worker at most once about an instance"),
    OG_OPTION_LAST,
};

static void clear(void *options)
{
    og_workers_options *own = options;
    og_groups_clear(&own->workers);
}

const og_option_set og_workers_option_set = {rows, sizeof(og_workers_options), clear};
