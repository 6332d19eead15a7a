/* bound: upper bounds without solving. */
#include <stddef.h>

#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/report.h"

/* Bounds that a limit ended hold as they are; they are not all that was asked for. */
static int finish(const command_request *request, const og_task *task)
{
    char words[STOP_REASON_BYTES];
    if (task->limit == OG_LIMIT_NONE) {
        return EXIT_RESULT;
    }
    const char *reason = stop_reason(request, words);
    note("%s: bounds are missing, or could be tighter", reason != NULL ? reason : "stopped");
    return EXIT_LIMIT;
}

static int run(command_request *request)
{
    static const question about = {
        .ask = og_task_bound, .opens = true, .fail = fail_by_limit, .finish = finish};
    return answer_question(request, &about, NULL);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(budget_rows),
    OG_OPTION_TABLE(objective_rows),
    OG_OPTION_TABLE(arithmetic_rows),
    OG_OPTION_TABLE(bound_rows),
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION_TABLE(table_rows),
    OG_OPTION_LAST,
};

const command command_bound = {
    .name = "bound",
    .summary = "compute upper bounds, for any number of instances and labels",
    .word = INSTANCE_WORDS("10x1,1"),
    .brief = "Compute upper bounds on the optimal value without solving the problem.",
    .example = "  optgap bound -T 100 50x1,1\n"
               "  optgap bound -T 200 --joint-end 6 50x1,1",
    .about =
        "Upper bounds on the optimal value, without solving the problem. In the Lagrangian "
        "relaxation of Hu and Frazier every instance buys labels for itself at a price; "
        "lagrangian_scalar has one price for all labels, lagrangian_vector one for each. "
        "prevailing_charge charges every label of an instance its least Gittins index so far "
        "(Weber 1992) and adds up what the T largest charges can pay. priced_end does so for all "
        "labels but the last, which have prices: little is left to choose from at the end. "
        "joint_end (--joint-end) plays the last labels together, whatever they begin with.",
    .details =
        "Examples:\n"
        "\n"
        "  optgap bound -T 100 50x1,1\n"
        "  optgap bound -T 200 --joint-end 6 50x1,1\n"
        "\n"
        "The Lagrangian values are the relaxation's own at the prices that were found. All "
        "values are raised by the rounding allowed for (those with charges: and by their grid), "
        "so they are upper bounds whatever the search found. With --arithmetic exact the "
        "Lagrangian bounds are fractions, at fractions near these prices.\n"
        "\n"
        "JSON: problem, call_value, bounds.NAME.value, .error_bound (part of the value), "
        ".converged, .price or .prices, .labels (joint_end); with --arithmetic exact .value_exact, "
        ".price_exact or "
        ".prices_exact.",
    .options = options,
    .families = FAMILY_BOUNDS,
    .run = run,
};
