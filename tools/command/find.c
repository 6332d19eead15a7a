/*
 * The command find: the smallest problem in which a policy loses, two policies differ, or a claim
 * fails.
 */
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/report.h"

static int finish(const command_request *request, const og_asked *asked)
{
    char words[STOP_REASON_BYTES];
    return asked->optimal_status == OG_OK
               ? EXIT_RESULT
               : complain_limit(OG_STOPPED, &asked->warning, stop_reason(request, words), request);
}

static int run(command_request *request)
{
    static const question about = {.ask = &og_question_find, .finish = finish};
    og_message message = {""};
    const og_search *search = NULL;
    og_status status = og_wishes_find(&request->wish, &search);
    return status == OG_OK ? answer_question(request, &about, search) : complain(status, &message);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(og_find_options),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_find = {
    .name = "find",
    .summary = "find the smallest problem in which a policy loses",
    .word = OG_OPTION(POLICY, NULL, "POLICY", command_request, wish.policies,
                      .count = offsetof(command_request, wish.policy_count),
                      .given = offsetof(command_request, wish.policies_given),
                      .required = "no POLICY is given, such as gittins-fh",
                      .example = "--against names a second one"),
    .brief = "Find the smallest problem in which POLICY loses against the optimum or another\n"
             "policy, or breaks a claim, and show the decision that loses.",
    .example = "  optgap find gittins-fh\n"
               "  optgap find kg --against opt-kg --instances 2",
    .about = "Finds the smallest problem where POLICY loses against the optimum, differs in value "
             "from another policy, or breaks a claim. Prints the decision that loses. Every "
             "smaller problem of the grid is solved in fractions, so none is missed.",
    .details = "Examples:\n"
               "\n"
               "  optgap find gittins-fh\n"
               "  optgap find kg --against opt-kg --instances 2\n"
               "  optgap find opt-kg --claim gain:0.75 --parameter 5\n"
               "  optgap find kg --worst --instances 2 -T 3 --thresholds 0.5,0.3\n"
               "  optgap find opt-kg --price 0.05 --instances 1\n"
               "\n"
               "A problem is smaller if it has fewer instances; then fewer labels; then a smaller "
               "largest parameter; then a smaller sum of parameters. Among equally small problems, "
               "the one with the largest loss is printed. The grid begins with one instance, one "
               "label and the prior 1,1.\n"
               "\n"
               "Problems that differ only in the order of instances, or are mirror images (A,B "
               "with the threshold D, and B,A with 1-D), are solved once if the policy and the "
               "payoff treat them alike.\n"
               "\n"
               "With --price, values are net of prices, and policies may stop early; uniform never "
               "stops. If labels cost more than they are worth, the optimal policy buys none.\n"
               "\n"
               "If no problem is found, the result states this, which is a proof for the grid. At "
               "a limit the program prints the results proved so far, with exit status 3; with "
               "--checkpoint FILE the same command continues.",
    .options = options,
    .run = run,
};
