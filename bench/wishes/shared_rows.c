/* Rows that several questions share, in groups. */
#include <string.h>

#include "bench/families/table.h"
#include "bench/wishes/wishes.h"

const og_option_row og_budget_rows[] = {
    OG_OPTION(INT32, "budget", "N", og_wishes, budget, .topic = OG_TOPIC_PROBLEM, .basic = true,
              .brief = "number of labels, 0 to 1000000",
              .help = "number of labels, 0 to 1000000; required", .letter = 'T',
              .most = OG_BUDGET_MAX,
              .required = "-T N is missing: the number of labels, such as -T 12",
              .what = "the budget (-T)"),
    OG_OPTION_LAST,
};

static og_status read_budget(void *self, const og_option_row *row, const char *text,
                             og_message *message)
{
    og_wishes *wishes = self;
    return og_budget_read(row, text, &wishes->budget, &wishes->each, message);
}

const og_option_row og_each_budget_rows[] = {
    OG_OPTION(CUSTOM, "budget", "N[each]", og_wishes, budget, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "number of labels, 0 to 1000000; or 8each",
              .help = "number of labels, 0 to 1000000; required. Neach: at most N labels for each "
                      "instance, and no common budget",
              .letter = 'T', .required = "-T N is missing: the number of labels, such as -T 12",
              .what = "the budget (-T)", .read = read_budget),
    OG_OPTION_LAST,
};

#define POLICY_LIST                                                                                \
    .repeats = true, .count = offsetof(og_wishes, policy_count),                                   \
    .given = offsetof(og_wishes, policies_given)

static og_status read_share(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    og_fraction value;
    if (og_fraction_parse(text, strlen(text), &value) != OG_OK || value.num > value.den) {
        return og_option_refuse(row, text, message, "a decimal from 0 to 1, such as 1e-12");
    }
    *(double *)og_option_value(options, row) = og_fraction_double(value);
    return OG_OK;
}

static bool has_own(const og_policy_name *policies, int32_t count, const char *kinds)
{
    for (int32_t i = 0; i < count; i++) {
        for (const char *name = policies[i].name; name != NULL; name = strchr(name, ':')) {
            name += *name == ':'; /* the policy after rollout: */
            size_t length = strcspn(name, ":");
            for (const char *at = kinds; name[length] == ':' && *at != '\0';) {
                size_t size = strcspn(at, " ");
                if (size == length && strncmp(at, name, size) == 0) {
                    return true;
                }
                at += size + (at[size] == ' ');
            }
        }
    }
    return false;
}

static bool has_own_policy(const void *options)
{
    const og_wishes *wishes = options;
    const char *kinds = "table command plugin";
    return has_own(wishes->policies, wishes->policy_count, kinds) ||
           has_own(wishes->against, wishes->against_count, kinds);
}

static bool has_program(const void *options)
{
    const og_wishes *wishes = options;
    return has_own(wishes->policies, wishes->policy_count, "command") ||
           has_own(wishes->against, wishes->against_count, "command");
}

const og_option_row og_own_policy_rows[] = {
    OG_OPTION(
        SECONDS, "max-answer-time", "SECONDS", og_wishes, answer_seconds, .was = "policy-timeout",
        .topic = OG_TOPIC_LIMITS, .brief = "time limit for each answer of command:CMD",
        .help = "time limit for each answer of a policy command:CMD, in seconds", .fallback = "10",
        .about = "policies that are programs (command:CMD)", .is_there = has_program),
    OG_OPTION(
        CUSTOM, "tie-tolerance", "SHARE", og_wishes, ask.tie_tolerance, .topic = OG_TOPIC_POLICIES,
        .brief = "relative difference at which your own indices tie",
        .help = "relative difference at which the indices of your own policies (table:, command:, "
                "plugin:) tie with the largest one, 0 to 1. 0: only equal indices tie",
        .fallback = "1e-12", .read = read_share,
        .about = "policies of your own (table:, command:, plugin:)", .is_there = has_own_policy),
    OG_OPTION_LAST,
};

const og_option_row og_policy_rows[] = {
    OG_OPTION(POLICY, "policy", "NAME", og_wishes, policies, .topic = OG_TOPIC_POLICIES,
              .basic = true, .brief = "one policy; may be repeated",
              .help = "one policy; may be repeated", POLICY_LIST),
    OG_OPTION(POLICIES, "policies", "NAME,...", og_wishes, policies, .topic = OG_TOPIC_POLICIES,
              .basic = true, .brief = "policies to use",
              .help = "policies to use, separated by commas", POLICY_LIST,
              .fallback = "uniform,kg,opt-kg,gittins-fh,gittins-inf"),
    OG_OPTION_TABLE(og_own_policy_rows),
    OG_OPTION_LAST,
};

const og_option_row og_ties_rows[] = {
    OG_OPTION(CHOICES, "ties", "RULE,...", og_wishes, ties, .topic = OG_TOPIC_POLICIES,
              .basic = true, .brief = "tie-breaking: random, first, best or worst",
              .help = "tie-breaking: instance to label if several have equal indices. random: each "
                      "with equal probability. first: the first one given. best, worst: the one "
                      "whose continuation has the largest or smallest value. With several rules, "
                      "policies are evaluated under each",
              .count = offsetof(og_wishes, ask.ties_count), .fallback = "random",
              .choices = OG_TIES_CHOICES, .what = "tie rule"),
    OG_OPTION_LAST,
};

const og_option_row og_arithmetic_rows[] = {
    OG_OPTION(EITHER, "arithmetic", "KIND", og_wishes, ask.exact, .topic = OG_TOPIC_OUTPUT,
              .only = "compare solve query bound tree", .basic = true,
              .brief = "double, or exact for fractions",
              .help =
                  "double: floating-point numbers with a proved error bound. exact: fractions, if "
                  "all parameters of the priors are whole numbers; a threshold 0.3 means 3/10",
              .fallback = "double", .choices = "double exact"),
    OG_OPTION_LAST,
};

const og_option_row og_objective_rows[] = {
    OG_OPTION(CUSTOM, "problem", "WHAT", og_wishes, objective, .was = "objective",
              .topic = OG_TOPIC_PROBLEM, .basic = true,
              .brief = "type: labels, bandit, ranking, labelers, assignment",
              .help = "problem type. labels: call instances positive or negative; correct calls "
                      "count. bandit: positive labels count, the Bernoulli bandit with instances "
                      "as arms. ranking: order items with comparisons of two. labelers: choose a "
                      "set of labelers for each task; right labels count. assignment: choose a "
                      "task and a worker; tasks called correctly count",
              .fallback = "labels", .choices = "labels bandit ranking labelers assignment",
              .read = og_problem_option),
    OG_OPTION_LAST,
};

const og_option_row og_stakes_rows[] = {
    OG_OPTION(TEXT, "price", "Z", og_wishes, stakes.price, .topic = OG_TOPIC_PRICES, .basic = true,
              .brief = "price of a label; labelling may stop early",
              .help = "price of a label, in correct calls or in units of --payoff. At most -T "
                      "labels are bought, and a policy may stop at any time"),
    OG_OPTION(TEXT, "payoff", "WORTH", og_wishes, stakes.payoff, .topic = OG_TOPIC_PRICES,
              .basic = true, .brief = "TP,FP,FN,TN[,U], brier, squared or log",
              .help = "worth of a task at the end: of a positive call that is right, a positive "
                      "call that is wrong, a negative call that is wrong, a negative call that is "
                      "right, and of no call, or a name, as for compare (default: accuracy)"),
    OG_OPTION_LAST,
};

const og_option_row og_joint_end_rows[] = {
    OG_OPTION(INT32, "joint-end", "N", og_wishes, ask.settings.joint_end, .topic = OG_TOPIC_LIMITS,
              .brief = "add the bound joint_end over the last N labels",
              .help = "add the bound joint_end, which optimizes the last N labels jointly, 1 to 8. "
                      "It helps with three to six labels an instance. Each further label takes "
                      "about eight times as long: N = 4 a moment, 6 some seconds, 7 a minute and "
                      "6 GB",
              .least = 1, .most = 8),
    OG_OPTION_LAST,
};

const og_option_row og_thread_rows[] = {
    OG_OPTION(INT32, "threads", "N", og_wishes, ask.settings.threads, .topic = OG_TOPIC_LIMITS,
              .basic = true, .brief = "number of threads (default: one per core)",
              .help = "number of threads, 1 to 1024 (default: one per core)", .least = 1,
              .most = OG_THREADS_MAX),
    OG_OPTION(
        BYTES, "memory", "SIZE", og_wishes, ask.settings.memory_bytes, .topic = OG_TOPIC_LIMITS,
        .basic = true, .brief = "memory limit, such as 2G (default: 3/4 of memory)",
        .help = "memory limit, such as 16M or 2G (default: three quarters of the physical memory)"),
    OG_OPTION_LAST,
};

static og_status read_engine(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    for (int engine = 0; engine < OG_ENGINE_COUNT; engine++) {
        if (strcmp(og_engine_name((og_engine)engine), text) == 0) {
            *(og_engine *)og_option_value(options, row) = (og_engine)engine;
            return OG_OK;
        }
    }
    return og_option_refuse(row, text, message, "auto, recursion or blocks");
}

const og_option_row og_engine_rows[] = {
    OG_OPTION(CUSTOM, "engine", "KIND", og_wishes, ask.settings.engine, .topic = OG_TOPIC_LIMITS,
              .brief = "algorithm: auto, recursion or blocks",
              .help = "algorithm for the optimum. recursion: one state after the other, omitting "
                      "those that cannot matter. blocks: whole layers of states at once. auto: the "
                      "one with the smaller forecast of states",
              .fallback = "auto", .choices = "auto recursion blocks", .read = read_engine),
    OG_OPTION_LAST,
};

const og_option_row og_time_rows[] = {
    OG_OPTION(SECONDS, "time-limit", "SECONDS", og_wishes, ask.seconds_max,
              .topic = OG_TOPIC_LIMITS, .basic = true,
              .brief = "stop after this time, with exit status 3",
              .help = "stop after this time, in seconds, with exit status 3"),
    OG_OPTION_LAST,
};

const og_option_row og_limit_rows[] = {
    OG_OPTION_TABLE(og_thread_rows),
    OG_OPTION_TABLE(og_time_rows),
    OG_OPTION_LAST,
};

const og_option_row og_checkpoint_rows[] = {
    OG_OPTION(
        OUTPUT, "checkpoint", "FILE", og_wishes, ask.settings.checkpoint, .what = "checkpoint",
        .topic = OG_TOPIC_LIMITS, .brief = "save progress in FILE and continue from it",
        .help =
            "save progress in FILE at intervals, at a limit, and at Ctrl-C or SIGTERM; the same "
            "command continues from it. Uses the recursion, unless --engine blocks is given"),
    OG_OPTION(SECONDS, "checkpoint-every", "SECONDS", og_wishes, ask.settings.checkpoint_seconds,
              .topic = OG_TOPIC_LIMITS, .brief = "time between two saves",
              .help = "time between two saves, in seconds", .fallback = "300",
              .with = "checkpoint"),
    OG_OPTION_LAST,
};

const og_option_row og_scratch_rows[] = {
    OG_OPTION(TEXT, "scratch", "FOLDER", og_wishes, ask.settings.scratch, .topic = OG_TOPIC_LIMITS,
              .brief = "folder for layers that exceed the memory limit",
              .help = "folder for layers of blocks that exceed the memory limit. The files are "
                      "removed at the end; after a limit, Ctrl-C or a crash the same command "
                      "continues from the last layer"),
    OG_OPTION_LAST,
};

const og_option_row og_no_times_rows[] = {
    OG_OPTION(SWITCH, "no-times", NULL, og_wishes, ask.no_times, .topic = OG_TOPIC_OUTPUT,
              .brief = "leave times out of the JSON",
              .help = "times are null in the JSON, so that the same question has the same bytes",
              .with = "json"),
    OG_OPTION_LAST,
};

const og_option_row og_index_time_rows[] = {
    OG_OPTION(
        SECONDS, "max-index-time", "SECONDS", og_wishes, ask.index_seconds_max, .was = "index-time",
        .topic = OG_TOPIC_LIMITS, .brief = "time limit for computing an index",
        .help =
            "time limit for computing an index, in seconds; a policy that needs more is omitted",
        .fallback = "60", .example = "600"),
    OG_OPTION_LAST,
};
