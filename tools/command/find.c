/* find: the smallest problem in which a policy loses, or two differ, or a claim fails. */
#include "bench/find/order.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/report.h"

static og_status find(og_task *task, og_message *message)
{
    const command_request *of = task->user;
    og_policy_name policies[2] = {of->policies[0]};
    if (of->against_count > 0) {
        policies[1] = of->against[0];
    }
    task->policies = policies;
    task->policy_count = 1 + of->against_count;
    og_status status = og_task_find(task, message);
    task->policies = NULL;
    return status;
}

static int finish(const command_request *request, const og_task *task)
{
    char words[STOP_REASON_BYTES];
    return task->box->report.optimal_status == OG_OK
               ? EXIT_RESULT
               : complain_limit(OG_STOPPED, &task->warning, stop_reason(request, words), request);
}

static int run(command_request *request)
{
    static const question about = {.ask = find, .watched = true, .finish = finish};
    const og_search search = {.claim = request->claim,
                              .worst = request->worst,
                              .instances = request->instances,
                              .budget = request->budget,
                              .parameter = request->parameter,
                              .thresholds = request->thresholds,
                              .stakes = request->stakes};
    return answer_question(request, &about, &search);
}

static const og_option_row options[] = {
    OG_OPTION(POLICY, "against", "NAME", command_request, against, .topic = OG_TOPIC_POLICIES,
              .basic = true, .brief = "second policy, in the place of the optimum",
              .help = "the other policy, in the place of the optimum: the smallest problem in "
                      "which the two have different values",
              .count = offsetof(command_request, against_count),
              .once = "find is against one policy"),
    OG_OPTION(TEXT, "claim", "CLAIM", command_request, claim, .topic = OG_TOPIC_QUESTIONS,
              .basic = true, .brief = "test value:C or gain:C, a share of the optimum",
              .help = "what is claimed of POLICY instead: value:C, its value is at least C times "
                      "that of the optimum (or of --against), or gain:C, its gain is; C is a "
                      "decimal greater than 0 and at most 1",
              .example = "gain:0.5"),
    OG_OPTION(CHOICES, "ties", "RULE", command_request, ties, .topic = OG_TOPIC_POLICIES,
              .basic = true, .brief = "tie-breaking: random, first, best or worst",
              .help = "which of a policy's equally good instances is labelled: random (all alike), "
                      "first (the one given first: then the order of instances matters), best, "
                      "worst (the tied instance whose continuation is worth most, least)",
              .count = offsetof(command_request, ties_count), .fallback = "random",
              .choices = TIES_CHOICES, .what = "tie rule"),
    OG_OPTION_TABLE(own_policy_rows),
    OG_OPTION(SWITCH, "worst", NULL, command_request, worst, .topic = OG_TOPIC_QUESTIONS,
              .basic = true, .brief = "search the whole grid for the largest loss",
              .help = "look at the whole grid, and find the problem in which most is lost"),
    OG_OPTION(INT32, "instances", "N", command_request, instances, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "largest number of instances", .help = "most instances",
              .least = 1, .most = OG_ORDER_INSTANCES_MAX, .fallback = "3"),
    OG_OPTION(INT32, "budget", "N", command_request, budget, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "largest number of labels", .help = "most labels",
              .letter = 'T', .least = 1, .most = OG_ORDER_BUDGET_MAX, .fallback = "4",
              .what = "the budget (-T)"),
    OG_OPTION(INT32, "parameter", "N", command_request, parameter, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "largest parameter of the priors Beta(A,B)",
              .help = "the priors are Beta(A,B), A and B whole numbers from 1 to N", .least = 1,
              .most = OG_ORDER_PARAMETER_MAX, .fallback = "4"),
    OG_OPTION(TEXT, "thresholds", "D[,D...]", command_request, thresholds,
              .topic = OG_TOPIC_PROBLEM, .basic = true,
              .brief = "thresholds above which an instance is positive",
              .help = "an instance is truly positive if its chance of a positive label is at least "
                      "D, one of these",
              .fallback = "0.5"),
    OG_OPTION_TABLE(stakes_rows),
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION(OUTPUT, "checkpoint", "FILE", command_request, settings.checkpoint, .what = "search",
              .topic = OG_TOPIC_LIMITS, .basic = true,
              .brief = "save the search in FILE and continue from it",
              .help =
                  "keep in FILE how far the search is, saved at intervals, at Ctrl-C or SIGTERM "
                  "and at a limit; the same command continues from it"),
    OG_OPTION(SECONDS, "checkpoint-every", "SECONDS", command_request, settings.checkpoint_seconds,
              .topic = OG_TOPIC_LIMITS, .brief = "time between two saves",
              .help = "time between two savings", .fallback = "60", .with = "checkpoint"),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_find = {
    .name = "find",
    .summary = "find the smallest problem in which a policy loses",
    .word =
        OG_OPTION(POLICY, NULL, "POLICY", command_request, policies,
                  .count = offsetof(command_request, policy_count),
                  .required = "no POLICY is given, such as gittins-fh",
                  .once = "find is about one policy", .example = "--against names a second one"),
    .brief = "Find the smallest problem in which POLICY loses against the optimum or another\n"
             "policy, or breaks a claim, and show the decision that loses.",
    .example = "  optgap find gittins-fh\n"
               "  optgap find kg --against opt-kg --instances 2",
    .about = "Finds the smallest problem in which POLICY loses against the optimum, or is worth "
             "another value than a second policy, or does not keep the share that is claimed, and "
             "tells the decision that loses. Every smaller problem of the grid is valued in "
             "fractions, so that none is overlooked.",
    .details =
        "Examples:\n"
        "\n"
        "  optgap find gittins-fh\n"
        "  optgap find kg --against opt-kg --instances 2\n"
        "  optgap find opt-kg --claim gain:0.75 --parameter 5\n"
        "  optgap find kg --worst --instances 2 -T 3 --thresholds 0.5,0.3\n"
        "  optgap find opt-kg --price 0.05 --instances 1\n"
        "\n"
        "Smaller is: fewer instances; then fewer labels; then a smaller largest parameter; then a "
        "smaller sum of all parameters. Of equally small problems the one with the largest loss is "
        "found. The grid begins with one instance, one label and the parameters 1,1. Problems that "
        "differ in the order of instances, or in mirror images (A,B at D and B,A at 1-D), are "
        "looked "
        "at once, but the former with --ties first, and the latter with policies that may tell "
        "them "
        "apart: nlu, rollout, midway and your own; nor where a payoff is another one in the "
        "mirror.\n"
        "\n"
        "With a price values are less by what labels cost, and policies stop early; where labels "
        "are dearer than what they tell, the optimum buys none; uniform never stops.\n"
        "\n"
        "With nothing against the claim the whole grid is looked at, and the result says so: that "
        "is "
        "a proof for the grid. At a limit what is proved so far is printed, with exit status 3, "
        "and "
        "with --checkpoint FILE the same command goes on.\n"
        "\n"
        "JSON: search (.policy, .against, .ties, .claim, .worst, .instances, .budget, .parameter, "
        ".thresholds, .stakes (what --price and --payoff say), .problems, .settled, .complete, "
        ".limit, .tolerance), found (null: nothing; "
        ".text, .budget, .number, .smaller, .loss, .loss_exact, .loss_is_share), and of what was "
        "found, as compare has them, problem, optimal and policies[] with .explain.",
    .options = options,
    .run = run,
};
