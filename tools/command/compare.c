/* compare: the main job. Optimum, policies with their gaps, bounds. */
#include <stdio.h>

#include <string.h>

#include "bench/public/task.h"
#include "bench/value/reach.h"
#include "dp/base/number.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/report.h"

/* The optimal value decides the exit status; a policy without a value is shown in the result. */
static int report_optimum(const command_request *request, const og_task *task)
{
    char words[STOP_REASON_BYTES];
    og_status status = task->box->report.optimal_status;
    if (status == OG_OK) {
        tell(&task->warning);
        return EXIT_RESULT;
    }
    if (task->limit == OG_LIMIT_STATES) {
        note("%s; --max-states N allows more, 0 any number", task->warning.text);
        return EXIT_LIMIT;
    }
    /* The optimal value may use up its share of the time, although the whole time is not over. */
    bool stopped = task->limit != OG_LIMIT_MEMORY && task->limit != OG_LIMIT_SIZE;
    const char *reason = task->limit == OG_LIMIT_TIME ? time_reason(request, words)
                         : stopped                    ? stop_reason(request, words)
                                                      : NULL;
    return complain_limit(status, &task->warning, reason, request);
}

/* Results in addition to the optimal values decide in the same way. */
static int report_regret(const command_request *request, const og_task *task)
{
    char words[STOP_REASON_BYTES];
    og_status status = task->box->report.optimal_status;
    return status == OG_OK
               ? EXIT_RESULT
               : complain_limit(status, &task->warning, stop_reason(request, words), request);
}

/* ---- the questions ---- */

static bool asks_reach(const command_request *request)
{
    return request->reach.num > 0;
}

static bool asks_priors(const command_request *request)
{
    return request->priors != NULL;
}

#define ALL_READ                                                                                   \
    "budget policy policies max-answer-time tie-tolerance ties problem engine threads memory "     \
    "time-limit max-policy-states max-states max-index-time scratch quiet json csv latex "
#define PLAIN_READ                                                                                 \
    ALL_READ "arithmetic joint-end checkpoint checkpoint-every runs seed explain truth assume "

static const option_question questions[] = {
    {"--reach", ALL_READ "reach", asks_reach},
    {"--priors", ALL_READ "arithmetic priors minimax", asks_priors},
    {"a comparison without --reach and --priors", PLAIN_READ, NULL},
    {.name = NULL},
};

/* ---- how many labels are enough ---- */

static og_status find_reach(og_task *task, og_message *message)
{
    const command_request *of = task->user;
    const og_request *request = &task->request;
    const og_reach_request wanted = {.family = task->family,
                                     .given = given_of(of, NULL),
                                     .settings = request->settings,
                                     .policies = task->policies,
                                     .policy_count = task->policy_count,
                                     .ties = request->ties,
                                     .ties_count = request->ties_count,
                                     .share = og_fraction_double(of->reach),
                                     .policy_states_max = request->policy_states_max,
                                     .optimum_states_max = request->optimum_states_max,
                                     .seconds_max = request->seconds_max,
                                     .progress = og_task_stage,
                                     .user = task};
    return og_reach_find(&wanted, &task->box->document, message);
}

static og_status check_reach(const command_request *request, og_message *message)
{
    if (og_fraction_double(request->reach) > 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--reach must be a share of at most 1, such as 0.9");
    }
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

static og_status check_priors(const command_request *request, og_message *message)
{
    if (request->exact && request->minimax) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--minimax does not support --arithmetic exact; omit one of them");
    }
    return check_arithmetic(request, message);
}

static og_status check_compare(const command_request *request, og_message *message)
{
    if (request->truth != NULL && request->believe != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--truth and --assume cannot be combined; give one");
    }
    return check_arithmetic(request, message);
}

static int run(command_request *request)
{
    static const question reach = {.check = check_reach,
                                   .ask = find_reach,
                                   .watched = true,
                                   .opens = true,
                                   .fail = fail_by_limit};
    static const question about = {.check = check_compare,
                                   .ask = og_task_compare,
                                   .watched = true,
                                   .opens = true,
                                   .without_tables = true,
                                   .finish = report_optimum};
    static const question regret = {.check = check_priors,
                                    .ask = og_task_compare,
                                    .watched = true,
                                    .opens = true,
                                    .fail = fail_by_limit,
                                    .finish = report_regret};
    if (asks_reach(request)) {
        request->has_checkpoint = false; /* nor is one advised */
        return answer_question(request, &reach, NULL);
    }
    if (asks_priors(request)) {
        request->has_checkpoint = false;
        return answer_question(request, &regret, NULL);
    }
    return answer_question(request, &about, NULL);
}

/* A number of states, or `auto`. */
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
    OG_OPTION_TABLE(budget_rows),
    OG_OPTION_TABLE(policy_rows),
    OG_OPTION_TABLE(ties_rows),
    OG_OPTION_TABLE(objective_rows),
    OG_OPTION_TABLE(arithmetic_rows),
    OG_OPTION_TABLE(bound_rows),
    OG_OPTION(SWITCH, "explain", NULL, command_request, explain, .topic = OG_TOPIC_QUESTIONS,
              .basic = true, .brief = "show the decisions in which each policy loses",
              .help = "say why each policy loses: what is lost by the labels left, and the ten "
                      "costliest decisions"),
    OG_OPTION(CUSTOM, "truth", "TRUTH", command_request, truth, .topic = OG_TOPIC_TRUTH,
              .basic = true, .brief = "evaluate policies under these soft labels",
              .help = "also what play comes to where soft labels are these, while policies believe "
                      "in INSTANCE: list:X,X,... one for each instance; beta:A,B, drawn for each; "
                      "prior, the same as is believed; grid:FROM:TO:STEP, each of these for all "
                      "instances, in one table, or grid:X,X,... with ranges among the X; ties best "
                      "and worst go by this truth",
              .read = keep_truths),
    OG_OPTION(CUSTOM, "assume", "A,B", command_request, believe, .was = "believe",
              .topic = OG_TOPIC_TRUTH, .basic = true,
              .brief = "evaluate policies that assume the prior Beta(A,B)",
              .help = "also what play comes to that takes every prior for Beta(A,B), chooses and "
                      "decides by it, while labels fall as INSTANCE says, and the price of that",
              .read = read_belief),
    OG_OPTION(TEXT, "priors", "A,B...", command_request, priors, .topic = OG_TOPIC_TRUTH,
              .basic = true, .brief = "compare the regret of policies over several priors",
              .help =
                  "instead: the regret of policies where labels fall by any of these priors, "
                  "'1,1 2,1' or 1:3,1:3, while they believe in INSTANCE or in any of them; with "
                  "--arithmetic exact in fractions, of lists of whole numbers",
              .example = "1:3,1:3"),
    OG_OPTION(SWITCH, "minimax", NULL, command_request, minimax, .topic = OG_TOPIC_TRUTH,
              .brief = "with --priors: add the minimax regret",
              .help = "with --priors, also the least largest regret of all policies, of a policy "
                      "that is drawn before the first label, and the mixture of the priors that "
                      "proves it; in doubles"),
    OG_OPTION(FRACTION, "reach", "SHARE", command_request, reach, .topic = OG_TOPIC_QUESTIONS,
              .basic = true, .brief = "find the fewest labels for this share of right calls",
              .help =
                  "how many labels are needed: the least number, up to -T, with which this share "
                  "of the final decisions is expected to be correct, such as 0.9; optimally, "
                  "and by each policy"),
    OG_OPTION_TABLE(engine_rows),
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION(
        CUSTOM, "max-policy-states", "N", command_request, policy_states, .was = "policy-states",
        .topic = OG_TOPIC_LIMITS, .brief = "state limit for each policy; beyond it, simulate",
        .help = "most states that valuing one policy may take; one that needs more is simulated; "
                "0: any number; auto: 20000000, or four times those that the optimum took, if "
                "that is more",
        .fallback = "auto", .read = read_states),
    OG_OPTION(CUSTOM, "max-states", "N", command_request, optimum_states, .was = "optimum-states",
              .topic = OG_TOPIC_LIMITS, .brief = "state limit for the optimum",
              .help = "most states that the optimum may take; one that needs more ends as a "
                      "bracket; 0: any number; auto: any number too, but once --memory is full "
                      "20000000, over 100 labels fewer in proportion, unless --time-limit or "
                      "--checkpoint is given",
              .fallback = "auto", .read = read_states),
    OG_OPTION_TABLE(index_time_rows),
    OG_OPTION(CUSTOM, "runs", "N", command_request, runs, .topic = OG_TOPIC_LIMITS,
              .brief = "runs for policies without an exact value",
              .help = "how many times a policy is played that cannot be valued exactly; 0: never",
              .most = OG_RUNS_MAX, .fallback = "10000", .read = read_runs),
    SEED_ROW("1", "of these runs"),
    OG_OPTION_TABLE(checkpoint_rows),
    OG_OPTION_TABLE(scratch_rows),
    OG_OPTION_TABLE(table_rows),
    OG_OPTION_LAST,
};

const command command_compare = {
    .name = "compare",
    .summary = "compare policies with the optimum",
    .word = INSTANCE_WORDS("10x1,1"),
    .brief = "Compare policies with the optimum: the optimal value, each policy's value and\n"
             "gap, and upper bounds.",
    .example = "  optgap compare -T 12 10x1,1\n"
               "  optgap compare -T 12 --policies kg,opt-kg --explain 5x1,1",
    .about = "How far policies are from optimal: the optimal value, every policy's exact value "
             "on the same problem, and upper bounds that hold without solving it.",
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
        "  optgap compare -T 4 --policies kg --priors 1:2,1:2 --minimax 2x1,1\n"
        "  optgap compare -T 60 --reach 0.8 --policies kg,uniform 10x1,1\n"
        "  optgap compare -T 8 --policy \"command:sed -u 's/.*/{\\\"choose\\\":0}/'\" 3x1,1\n"
        "\n"
        "The order is: optimum, bounds, policies. If a limit is reached, or at Ctrl-C, what is "
        "proved by then is printed, and of each row that is missing why it is. Without the "
        "optimum that is a bracket (best policy below, bound above), and the exit status is 3. "
        "A policy that has no exact value within the limits is simulated. A time limit is for "
        "all: the optimum gets half of it, exact values of policies five eighths of what the "
        "bounds leave, and simulation the rest, with fewer runs where that is too short. A bound "
        "that is ended early holds as far as it came, or is told as missing. A limit that is "
        "reached while the problem's tables are built leaves no result.\n"
        "\n"
        "JSON: problem, optimal.value, .gain, .error_bound, .accuracy, .engine, "
        ".states, .forgotten, .seconds, .limit, bounds.NAME.value, policies[].name, .ties, .value, "
        ".gap, .gap_percent (of the optimal value), .gain_lost_percent (of the optimal "
        "gain), .limit (why it is not valued), bracket.lower, .upper; with --explain "
        "policies[].explain.stages[] and .decisions[]; with --truth optimal.truth and "
        "policies[].truth, with --assume .believed, with .price: .mean, .error_bound, .variance, "
        ".regret, .regret_error_bound, .law[] (chance of 0, 1, ... correct decisions, of a bandit "
        "positive labels), .wrong[] (not of a bandit) and .labels[] (of each instance the chance "
        "of a wrong decision and the expected labels), .labels_law[], of a grid truths[].truth, "
        ".optimal and "
        ".policies[] with .mean, .error_bound, .variance; with --arithmetic exact "
        "optimal.value_exact, .gain_exact, policies[].value_exact, .gap_exact, "
        "bounds.NAME.value_exact, such as \"121/16\". With --priors: priors[].prior, .value, "
        "policies[].name, .ties, .believes, .largest_regret, .error_bound, .worst_prior, "
        ".regret[], .limit, with --arithmetic exact .value_exact, .largest_regret_exact, "
        ".regret_exact[]; with --minimax minimax.lower, .upper, .mixture[], .regret[], "
        ".policies[]. With --reach: reach.share, .correct, "
        "optimal.labels, .value, .share, .error_bound, .within_error, policies[].name, .ties and "
        "the same, .more_than where labels is null, .limit (why it is not known).",
    .options = options,
    .questions = questions,
    .families = FAMILY_VALUES,
    .run = run,
};
