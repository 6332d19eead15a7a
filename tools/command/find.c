/*
 * The command find: the smallest problem in which a policy loses, two policies differ, or a claim
 * fails.
 */
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/report.h"

static og_status find(og_asked *asked, og_message *message)
{
    const command_request *request = asked->user;
    og_policy_name policies[2] = {request->policies[0]};
    if (request->against_count > 0) {
        policies[1] = request->against[0];
    }
    asked->policies = policies;
    asked->policy_count = 1 + request->against_count;
    og_status status = og_question_find.answer(asked, message);
    asked->policies = NULL;
    return status;
}

static int finish(const command_request *request, const og_asked *asked)
{
    char words[STOP_REASON_BYTES];
    return asked->optimal_status == OG_OK
               ? EXIT_RESULT
               : complain_limit(OG_STOPPED, &asked->warning, stop_reason(request, words), request);
}

static int run(command_request *request)
{
    static const og_question_kind kind = {.answer = find};
    static const question about = {.ask = &kind, .finish = finish};
    request->search.stakes = request->stakes;
    return answer_question(request, &about, &request->search);
}

static const og_option_row options[] = {
    OG_OPTION(POLICY, "against", "NAME", command_request, against, .topic = OG_TOPIC_POLICIES,
              .basic = true, .brief = "second policy, in place of the optimum",
              .help = "another policy, in place of the optimum: find the smallest problem where "
                      "both have different values",
              .count = offsetof(command_request, against_count)),
    OG_OPTION(TEXT, "claim", "CLAIM", command_request, search.claim, .topic = OG_TOPIC_QUESTIONS,
              .basic = true, .brief = "test value:C or gain:C, a share of the optimum",
              .help =
                  "find where this claim fails. value:C: the value of POLICY is at least C times "
                  "that of the optimum (or of --against). gain:C: its gain is. 0 < C <= 1",
              .example = "gain:0.5"),
    OG_OPTION(
        CHOICES, "ties", "RULE", command_request, ties, .topic = OG_TOPIC_POLICIES, .basic = true,
        .brief = "tie-breaking: random, first, best or worst",
        .help =
            "tie-breaking: instance to label if several have equal indices. random: each with "
            "equal probability. first: the first one given; the order of instances then matters. "
            "best, worst: the one whose continuation has the largest or smallest value",
        .count = offsetof(command_request, ask.ties_count), .fallback = "random",
        .choices = TIES_CHOICES, .what = "tie rule"),
    OG_OPTION_TABLE(own_policy_rows),
    OG_OPTION(SWITCH, "worst", NULL, command_request, search.worst, .topic = OG_TOPIC_QUESTIONS,
              .basic = true, .brief = "search the whole grid for the largest loss",
              .help = "search the whole grid for the problem with the largest loss"),
    OG_OPTION(INT32, "instances", "N", command_request, search.instances, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "largest number of instances",
              .help = "largest number of instances", .least = 1, .most = OG_ORDER_INSTANCES_MAX,
              .fallback = "3"),
    OG_OPTION(INT32, "budget", "N", command_request, search.budget, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "largest number of labels",
              .help = "largest number of labels", .letter = 'T', .least = 1,
              .most = OG_ORDER_BUDGET_MAX, .fallback = "4", .what = "the budget (-T)"),
    OG_OPTION(INT32, "parameter", "N", command_request, search.parameter, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "largest parameter of the priors Beta(A,B)",
              .help =
                  "largest parameter: priors are Beta(A,B) with whole numbers A and B from 1 to N",
              .least = 1, .most = OG_ORDER_PARAMETER_MAX, .fallback = "4"),
    OG_OPTION(TEXT, "thresholds", "D[,D...]", command_request, search.thresholds,
              .topic = OG_TOPIC_PROBLEM, .basic = true,
              .brief = "thresholds above which an instance is positive",
              .help = "thresholds to try: an instance is positive if its soft label is at least D",
              .fallback = "0.5"),
    OG_OPTION_TABLE(stakes_rows),
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION(OUTPUT, "checkpoint", "FILE", command_request, ask.settings.checkpoint,
              .what = "search", .topic = OG_TOPIC_LIMITS, .basic = true,
              .brief = "save the search in FILE and continue from it",
              .help = "save the search in FILE at intervals, at a limit, and at Ctrl-C or SIGTERM; "
                      "the same command continues from it"),
    OG_OPTION(SECONDS, "checkpoint-every", "SECONDS", command_request,
              ask.settings.checkpoint_seconds, .topic = OG_TOPIC_LIMITS,
              .brief = "time between two saves", .help = "time between two saves, in seconds",
              .fallback = "60", .with = "checkpoint"),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_find = {
    .name = "find",
    .summary = "find the smallest problem in which a policy loses",
    .word = OG_OPTION(POLICY, NULL, "POLICY", command_request, policies,
                      .count = offsetof(command_request, policy_count),
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
