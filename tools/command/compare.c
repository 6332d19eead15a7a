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
    return request->wish.ask.reach > 0;
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

static const og_option_row options[] = {
    OG_OPTION_TABLE(og_compare_options),
    OG_OPTION_TABLE(table_rows),
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
