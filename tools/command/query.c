/* query: what to label now, and what each policy would label. */
#include <stddef.h>

#include "tools/command/commands.h"
#include "tools/command/open.h"

static int run(command_request *request)
{
    static const question about = {.stage = "solving",
                                   .ask = og_task_query,
                                   .watched = true,
                                   .opens = true,
                                   .fail = fail_by_limit};
    return answer_question(request, &about, NULL);
}

static const og_option_row options[] = {
    OG_OPTION(INT32, "budget", "N", command_request, budget,
              .help = "labels left to give, 0 to 1000000 (with --left: the whole budget); required",
              .letter = 'T', .most = OG_BUDGET_MAX,
              .required = "-T N (--budget N) is missing: how many labels are left",
              .what = "the budget (-T)"),
    OG_OPTION(INT32, "left", "N", command_request, left,
              .help = "labels left, if fewer than the whole budget -T; only policies that depend "
                      "on the whole budget, such as gittins-inf, see the difference (default: all)",
              .most = OG_BUDGET_MAX),
    OG_OPTION_TABLE(policy_rows),
    OG_OPTION_TABLE(objective_rows),
    OG_OPTION_TABLE(arithmetic_rows),
    OG_OPTION_TABLE(engine_rows),
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_query = {
    .name = "query",
    .summary = "one state: what to label now, and what each policy would label",
    .word = INSTANCE_WORDS("2x2,1"),
    .about = "What to label now. Every INSTANCE is a posterior: with a uniform prior, an instance "
             "with s positive and f negative labels is 1+s,1+f.",
    .details =
        "Example: two instances seen positive once, one seen twice each way, two labels left\n"
        "\n"
        "  optgap query -T 2 2x2,1 3,3\n"
        "\n"
        "Q is what is still to be gained if an instance of this posterior is labelled now "
        "and play is optimal after that. All instances tied for a policy's choice are "
        "listed. Near-ties are instances whose Qs differ by less than their proved error; "
        "with --arithmetic exact there are none, equal Qs are equal fractions.\n"
        "\n"
        "Where the Qs of independent instances take more than half a million states (fewer with "
        "more than 15 different instances) or 256M of memory, or reach a limit, each is bracketed "
        "instead, and the exit status stays 0: at least the value of a "
        "policy that labels one instance after the other, at most a bound by a price for each "
        "label. It is said whether the best of them is proved optimal, or what labelling it can "
        "lose at most. With --time-limit the Qs are looked for as long as that.\n"
        "\n"
        "JSON: left, budget, instances[].posterior, .count, .q, .optimal, .near_tie (best "
        "within the error, but not to the bit: --arithmetic exact settles it), policies.NAME "
        "(indices into instances); with --arithmetic exact instances[].q_exact, such as \"5/32\"; "
        "bracketed, q is null, and there are instances[].q_lower, "
        ".q_upper, .lost_at_most and bracket.best, .lost_at_most, .limit.",
    .options = options,
    .families = FAMILY_VALUES,
    .lists_policies = true,
    .run = run,
};
