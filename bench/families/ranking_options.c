/* The options of ranking by comparisons. */
#include "bench/families/ranking.h"

static const og_option_row rows[] = {
    OG_OPTION(GROUP, "workers-prior", "[Nx]A,B", og_ranking_options, workers,
              .topic = OG_TOPIC_RANKING, .brief = "N workers, accuracy from Beta(A,B); repeatable",
              .help = "N workers (default: 1) whose reliability is unknown: a worker names the "
                      "winner of a comparison with a probability that has the prior Beta(A,B), "
                      "otherwise the other item. May be repeated",
              .count = offsetof(og_ranking_options, workers.group_count), .repeats = true),
    OG_OPTION_LAST,
};

static void clear(void *options)
{
    og_ranking_options *own = options;
    og_groups_clear(&own->workers);
}

const og_option_set og_ranking_option_set = {rows, sizeof(og_ranking_options), clear};
