/* The options of a search for a problem. */
#include "bench/wishes/wishes.h"

const og_option_row og_find_options[] = {
    OG_OPTION(POLICY, "against", "NAME", og_wishes, against, .topic = OG_TOPIC_POLICIES,
              .basic = true, .brief = "second policy, in place of the optimum",
              .help = "another policy, in place of the optimum: find the smallest problem where "
                      "both have different values",
              .count = offsetof(og_wishes, against_count)),
    OG_OPTION(TEXT, "claim", "CLAIM", og_wishes, search.claim, .topic = OG_TOPIC_QUESTIONS,
              .basic = true, .brief = "test value:C or gain:C, a share of the optimum",
              .help =
                  "find where this claim fails. value:C: the value of POLICY is at least C times "
                  "that of the optimum (or of --against). gain:C: its gain is. 0 < C <= 1",
              .example = "gain:0.5"),
    OG_OPTION(
        CHOICES, "ties", "RULE", og_wishes, ties, .topic = OG_TOPIC_POLICIES, .basic = true,
        .brief = "tie-breaking: random, first, best or worst",
        .help =
            "tie-breaking: instance to label if several have equal indices. random: each with "
            "equal probability. first: the first one given; the order of instances then matters. "
            "best, worst: the one whose continuation has the largest or smallest value",
        .count = offsetof(og_wishes, ask.ties_count), .fallback = "random",
        .choices = OG_TIES_CHOICES, .what = "tie rule"),
    OG_OPTION_TABLE(og_own_policy_rows),
    OG_OPTION(SWITCH, "worst", NULL, og_wishes, search.worst, .topic = OG_TOPIC_QUESTIONS,
              .basic = true, .brief = "search the whole grid for the largest loss",
              .help = "search the whole grid for the problem with the largest loss"),
    OG_OPTION(INT32, "instances", "N", og_wishes, search.instances, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "largest number of instances",
              .help = "largest number of instances", .least = 1, .most = OG_ORDER_INSTANCES_MAX,
              .fallback = "3"),
    OG_OPTION(INT32, "budget", "N", og_wishes, search.budget, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "largest number of labels",
              .help = "largest number of labels", .letter = 'T', .least = 1,
              .most = OG_ORDER_BUDGET_MAX, .fallback = "4", .what = "the budget (-T)"),
    OG_OPTION(INT32, "parameter", "N", og_wishes, search.parameter, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "largest parameter of the priors Beta(A,B)",
              .help =
                  "largest parameter: priors are Beta(A,B) with whole numbers A and B from 1 to N",
              .least = 1, .most = OG_ORDER_PARAMETER_MAX, .fallback = "4"),
    OG_OPTION(TEXT, "thresholds", "D[,D...]", og_wishes, search.thresholds,
              .topic = OG_TOPIC_PROBLEM, .basic = true,
              .brief = "thresholds above which an instance is positive",
              .help = "thresholds to try: an instance is positive if its soft label is at least D",
              .fallback = "0.5"),
    OG_OPTION_TABLE(og_stakes_rows),
    OG_OPTION_TABLE(og_limit_rows),
    OG_OPTION(OUTPUT, "checkpoint", "FILE", og_wishes, ask.settings.checkpoint, .what = "search",
              .topic = OG_TOPIC_LIMITS, .basic = true,
              .brief = "save the search in FILE and continue from it",
              .help = "save the search in FILE at intervals, at a limit, and at Ctrl-C or SIGTERM; "
                      "the same command continues from it"),
    OG_OPTION(SECONDS, "checkpoint-every", "SECONDS", og_wishes, ask.settings.checkpoint_seconds,
              .topic = OG_TOPIC_LIMITS, .brief = "time between two saves",
              .help = "time between two saves, in seconds", .fallback = "60", .with = "checkpoint"),
    OG_OPTION_TABLE(og_no_times_rows),
    OG_OPTION_LAST,
};
