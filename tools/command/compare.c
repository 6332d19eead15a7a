/* compare: the main job. Optimum, policies with their gaps, bounds. */
#include <stdio.h>
#include <string.h>

#include "dp/base/number.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/report.h"

/* The optimum decides the exit status: a policy that was not valued is said in the result. */
static int report_optimum(const command_request *request, const og_task *task)
{
    char words[STOP_REASON_BYTES];
    og_status status = task->box->report.optimal_status;
    if (status == OG_OK) {
        tell(&task->warning);
        return EXIT_RESULT;
    }
    if (task->limit == OG_LIMIT_STATES) {
        note("%s; --optimum-states N allows more, 0 any number", task->warning.text);
        return EXIT_LIMIT;
    }
    bool stopped = task->limit != OG_LIMIT_MEMORY;
    return complain_limit(status, &task->warning, stopped ? stop_reason(request, words) : NULL,
                          request);
}

static int run(command_request *request)
{
    static const question about = {.check = check_arithmetic,
                                   .ask = og_task_compare,
                                   .watched = true,
                                   .opens = true,
                                   .finish = report_optimum};
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
        status = og_message_set(message, OG_BAD_INPUT, "--runs must be 0, or 2 or more");
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
    OG_OPTION(SWITCH, "explain", NULL, command_request, explain,
              .help = "say why each policy loses: what is lost by the labels left, and the ten "
                      "costliest decisions"),
    OG_OPTION_TABLE(engine_rows),
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION(CUSTOM, "policy-states", "N", command_request, policy_states,
              .help =
                  "most states that valuing one policy may take; one that needs more is simulated; "
                  "0: any number; auto: 20000000 up to 100 labels, fewer in proportion for more",
              .fallback = "auto", .read = read_states),
    OG_OPTION(CUSTOM, "optimum-states", "N", command_request, optimum_states,
              .help = "most states that the optimum may take; one that needs more ends as a "
                      "bracket; 0: any number; auto: like --policy-states, but any number where "
                      "--time-limit or --checkpoint is given",
              .fallback = "auto", .read = read_states),
    OG_OPTION_TABLE(index_time_rows),
    OG_OPTION(CUSTOM, "runs", "N", command_request, runs,
              .help = "how many times a policy is played that cannot be valued exactly; 0: never",
              .most = OG_RUNS_MAX, .fallback = "10000", .read = read_runs),
    SEED_ROW("1", "of these runs"),
    OG_OPTION_TABLE(checkpoint_rows),
    OG_OPTION_TABLE(table_rows),
    OG_OPTION_LAST,
};

const command command_compare = {
    .name = "compare",
    .summary = "the main job: optimal value, policies' values and gaps, bounds",
    .word = INSTANCE_WORDS("10x1,1"),
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
        "  optgap compare -T 8 --policy \"command:sed -u 's/.*/{\\\"choose\\\":0}/'\" 3x1,1\n"
        "\n"
        "The order is: bounds, policies, optimum. A time limit is for all of them: the "
        "policies get half of what the bounds leave, the optimum what is left then, and a "
        "policy that was stopped is tried again if there is time after the optimum. If a "
        "limit is reached before the optimum is proved, or at Ctrl-C, what is proved is "
        "printed (best policy below, bound above) and the exit status is 3. Bounds and "
        "tables that were begun are finished first.\n"
        "\n"
        "JSON: problem, optimal.value, .gain, .error_bound, .accuracy, .engine, "
        ".states, .forgotten, .seconds, .limit, bounds.NAME.value, policies[].name, .ties, .value, "
        ".gap, .gap_percent (of the optimal value), .gain_lost_percent (of the optimal "
        "gain), .limit (why it is not valued), bracket.lower, .upper; with --explain "
        "policies[].explain.stages[] and .decisions[]; with --arithmetic exact "
        "optimal.value_exact, .gain_exact, policies[].value_exact, .gap_exact, "
        "bounds.NAME.value_exact, such as \"121/16\".",
    .options = options,
    .families = FAMILY_VALUES,
    .lists_policies = true,
    .run = run,
};
