/* The command compare: the optimum, the policies with their gaps, and bounds. */

#include <string.h>

#include "dp/base/number.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/report.h"

/* The optimal value decides the exit status; a policy without a value is shown in the result. */
static int report_optimum(const command_request *request, const og_asked *asked)
{
    char words[STOP_REASON_BYTES];
    og_status status = asked->optimal_status;
    if (status == OG_OK) {
        tell(&asked->warning);
        return EXIT_RESULT;
    }
    if (asked->limit == OG_LIMIT_STATES) {
        note("%s; --max-states N allows more, 0 any number", asked->warning.text);
        return EXIT_LIMIT;
    }
    /* The optimal value may use up its share of the time, although the whole time is not over. */
    bool stopped = asked->limit != OG_LIMIT_MEMORY && asked->limit != OG_LIMIT_SIZE;
    const char *reason = asked->limit == OG_LIMIT_TIME ? time_reason(request, words)
                         : stopped                     ? stop_reason(request, words)
                                                       : NULL;
    return complain_limit(status, &asked->warning, reason, request);
}

/* A policy that a limit ended is shown with it, and the exit status says so. */
static int report_reach(const command_request *request, const og_asked *asked)
{
    char words[STOP_REASON_BYTES];
    if (asked->limit == OG_LIMIT_NONE) {
        return EXIT_RESULT;
    }
    const char *reason = stop_reason(request, words);
    note("%s: a policy's number of labels was not found",
         reason != NULL ? reason : asked->warning.text);
    return EXIT_LIMIT;
}

/* ---- the questions ---- */

static bool asks_reach(const command_request *request)
{
    return request->ask.reach > 0;
}

#define ALL_READ                                                                                   \
    "budget policy policies max-answer-time tie-tolerance ties problem engine threads memory "     \
    "time-limit max-policy-states max-states max-index-time scratch quiet json no-times csv "      \
    "latex "
#define PLAIN_READ                                                                                 \
    ALL_READ "arithmetic joint-end checkpoint checkpoint-every runs seed explain truth assume "

static const option_question questions[] = {
    {"--reach", ALL_READ "reach", asks_reach, NULL},
    {"a comparison without --reach", PLAIN_READ, NULL, NULL},
    {.name = NULL},
};

static og_status read_reach(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    og_fraction share;
    if (og_fraction_parse(text, strlen(text), &share) != OG_OK || share.num <= 0) {
        return og_option_refuse(row, text, message, "a decimal number greater than 0");
    }
    *(double *)og_option_value(options, row) = og_fraction_double(share);
    return OG_OK;
}

static og_status read_belief(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    og_group belief;
    if (og_belief_parse(text, &belief, NULL) != OG_OK) {
        return og_option_refuse(row, text, message, "A,B, one prior for all, such as 2,1");
    }
    *(const char **)og_option_value(options, row) = text;
    return OG_OK;
}

static int run(command_request *request)
{
    static const question reach = {
        .ask = &og_question_reach, .opens = true, .fail = fail_by_limit, .finish = report_reach};
    static const question compare = {.ask = &og_question_compare,
                                     .opens = true,
                                     .fail = fail_by_limit,
                                     .finish = report_optimum};
    const question *about = asks_reach(request) ? &reach : &compare;
    if (about != &compare) {
        request->has_checkpoint = false; /* not supported, so the messages must not recommend one */
    }
    return answer_question(request, about, NULL);
}

/* Reads a number of states, or `auto`. */
static og_status read_states(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    int64_t states = -1;
    if (strcmp(text, "auto") != 0 && !og_number_parse(text, 0, INT64_MAX, &states)) {
        return og_option_refuse(row, text, message, "auto or a whole number of states (0: any)");
    }
    *(uint64_t *)og_option_value(options, row) = states < 0 ? OG_STATES_USUAL : (uint64_t)states;
    return OG_OK;
}

static og_status read_runs(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    int64_t runs = 0;
    og_status status = og_option_whole(row, text, &runs, message);
    if (status == OG_OK && runs == 1) {
        status = og_message_set(message, OG_BAD_INPUT, "--runs must be 0 or at least 2");
    }
    if (status == OG_OK) {
        *(int64_t *)og_option_value(options, row) = runs;
    }
    return status;
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(each_budget_rows),
    OG_OPTION_TABLE(policy_rows),
    OG_OPTION_TABLE(ties_rows),
    OG_OPTION_TABLE(objective_rows),
    OG_OPTION_TABLE(arithmetic_rows),
    OG_OPTION_TABLE(bound_rows),
    OG_OPTION(SWITCH, "explain", NULL, command_request, ask.explain, .topic = OG_TOPIC_QUESTIONS,
              .basic = true, .brief = "show the choices in which each policy loses most",
              .help = "show where each policy loses: the loss for each number of labels left, and "
                      "the ten choices that cost most"),
    OG_OPTION(CUSTOM, "truth", "TRUTH", command_request, ask.truth, .topic = OG_TOPIC_TRUTH,
              .basic = true, .brief = "evaluate policies under these soft labels",
              .help = "evaluate policies under these soft labels, while they still assume the "
                      "priors of INSTANCE. list:X,X,...: one soft label for each instance. "
                      "beta:A,B: drawn for each. prior: drawn from the prior. grid:FROM:TO:STEP: "
                      "each number in turn, for all instances; grid:X,X,... may contain such "
                      "ranges. --ties best and worst refer to this truth",
              .read = keep_truths),
    OG_OPTION(
        CUSTOM, "assume", "A,B", command_request, ask.believe, .was = "believe",
        .topic = OG_TOPIC_TRUTH, .basic = true,
        .brief = "evaluate policies that assume the prior Beta(A,B)",
        .help = "evaluate policies that assume the prior Beta(A,B) for every instance, in choices "
                "and calls, while labels follow INSTANCE; also print the price of the wrong prior",
        .read = read_belief),
    OG_OPTION(CUSTOM, "reach", "SHARE", command_request, ask.reach, .read = read_reach,
              .topic = OG_TOPIC_QUESTIONS, .basic = true,
              .brief = "find the fewest labels for this share of right calls",
              .help =
                  "find the fewest labels, at most -T, with this expected share of right calls, "
                  "for the optimum and for each policy. SHARE is at most 1, such as 0.9"),
    OG_OPTION_TABLE(engine_rows),
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION(
        CUSTOM, "max-policy-states", "N", command_request, ask.policy_states_max,
        .was = "policy-states", .topic = OG_TOPIC_LIMITS,
        .brief = "state limit for each policy; beyond it, simulate",
        .help =
            "limit of states for the exact value of one policy; if it needs more, it is simulated. "
            "0: no limit. auto: 20000000, or four times the states of the optimum if that is more",
        .fallback = "auto", .read = read_states),
    OG_OPTION(
        CUSTOM, "max-states", "N", command_request, ask.optimum_states_max, .was = "optimum-states",
        .topic = OG_TOPIC_LIMITS, .brief = "state limit for the optimum",
        .help = "limit of states for the optimum; if it needs more, the result is a bracket. 0: no "
                "limit. auto: no limit until --memory is full, then 20000000, and proportionally "
                "fewer above 100 labels; no limit with --time-limit or --checkpoint",
        .fallback = "auto", .read = read_states),
    OG_OPTION_TABLE(index_time_rows),
    OG_OPTION(
        CUSTOM, "runs", "N", command_request, ask.runs, .topic = OG_TOPIC_LIMITS,
        .brief = "runs for policies without an exact value",
        .help = "simulated runs of a policy without an exact value, at least 2. 0: do not simulate",
        .most = OG_RUNS_MAX, .fallback = "10000", .read = read_runs),
    SEED_ROW("1", "seed of the random numbers of simulated policies"),
    OG_OPTION_TABLE(checkpoint_rows),
    OG_OPTION_TABLE(scratch_rows),
    OG_OPTION_TABLE(table_rows),
    OG_OPTION_TABLE(no_times_rows),
    OG_OPTION_LAST,
};

const command command_compare = {
    .name = "compare",
    .summary = "compare policies with the best possible one",
    .word = INSTANCE_WORDS("10x1,1"),
    .brief = "Compare policies with the best possible one: values, gaps and upper bounds. The\n"
             "value of a policy is its expected number of correct calls.",
    .example = "  optgap compare -T 12 10x1,1\n"
               "  optgap compare -T 12 --policies kg,opt-kg --explain 5x1,1",
    .about = "Computes how far policies are from optimal: the optimal value, the exact value of "
             "each policy on the same problem, and upper bounds that hold without a solution.",
    .details =
        "Examples:\n"
        "\n"
        "  optgap compare -T 12 10x1,1\n"
        "  optgap compare -T 8 --policies kg,opt-kg --ties first,worst 4x1,1@0.3 2,1\n"
        "  optgap compare -T 12 --policy cvar-kg:0.5 --json 10x2,1\n"
        "  optgap compare -T 8 --arithmetic exact 4x1,1@0.3 2,1\n"
        "  optgap compare -T 12 --policies opt-kg --explain 5x1,1\n"
        "  optgap compare -T 8 --policies kg,opt-kg --truth list:.2,.5,.8 3x1,1\n"
        "  optgap compare -T 8 --policies kg --truth grid:.1:.9:.1 3x1,1\n"
        "  optgap compare -T 8 --policies kg,opt-kg --assume 4,1 3x1,1\n"
        "  optgap compare -T 60 --reach 0.8 --policies kg,uniform 10x1,1\n"
        "  optgap compare -T 8 --policy \"command:sed -u 's/.*/{\\\"choose\\\":0}/'\" 3x1,1\n"
        "\n"
        "The optimum is computed first, then the bounds, then the policies. At a limit or Ctrl-C "
        "the program prints the results proved so far, and the reason for each missing value. "
        "Without the optimum it prints a bracket: the best policy below, a bound above; the exit "
        "status is 3. A policy without an exact value within the limits is simulated.\n"
        "\n"
        "A time limit is shared: the optimum gets half of it. Exact values of policies get five "
        "eighths of what the bounds leave. Simulation gets the rest, with fewer runs if that is "
        "too short. A bound that is stopped early still holds, or is reported as missing. If the "
        "limit is reached while the tables of the problem are built, there is no result.",
    .options = options,
    .questions = questions,
    .families = FAMILY_VALUES,
    .run = run,
};
