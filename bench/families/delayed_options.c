/* The options of labels that take time. */
#include "bench/families/delayed.h"

static const og_option_row rows[] = {
    OG_OPTION(
        FRACTION, "arrival-rate", "R", og_delayed_options, delay.arrival_rate,
        .topic = OG_TOPIC_DEADLINE, .brief = "mean number of workers that arrive per unit of time",
        .help = "mean number of workers that arrive per unit of time, at random moments. A "
                "worker is given one instance at once",
        .required =
            "--arrival-rate R is missing: the mean number of workers that arrive per unit of time"),
    OG_OPTION(
        FRACTION, "service-rate", "R", og_delayed_options, delay.service_rate,
        .topic = OG_TOPIC_DEADLINE, .brief = "labels per unit of time of a busy worker",
        .help = "with --arrival-rate: labels per unit of time of a busy worker. The time of a "
                "label is random (exponential), 1/R on average",
        .required = "--service-rate R is missing: the labels per unit of time of a busy worker"),
    OG_OPTION(
        INT32, "arrivals", "U", og_delayed_options, workers, .was = "workers",
        .topic = OG_TOPIC_DEADLINE, .brief = "number of arrivals, which replaces -T",
        .help =
            "with --arrival-rate: number of workers that arrive in all, 0 to 1000000. Replaces -T",
        .most = OG_BUDGET_MAX,
        .required = "--arrivals U is missing: the number of workers that arrive"),
    OG_OPTION_LAST,
};

const og_option_set og_delayed_option_set = {.rows = rows, .bytes = sizeof(og_delayed_options)};
