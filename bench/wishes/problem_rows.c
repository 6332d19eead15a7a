/* The options of questions about a problem. */
#include <string.h>

#include "bench/truth.h"
#include "bench/truth_grid.h"
#include "bench/wishes/wishes.h"
#include "dp/base/number.h"

static og_status keep_truth(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    og_truth truth;
    OG_TRY(og_truth_parse(text, &truth, message));
    og_truth_clear(&truth);
    *(const char **)og_option_value(options, row) = text;
    return OG_OK;
}

static og_status keep_truths(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    if (!og_truth_is_grid(text)) {
        return keep_truth(options, row, text, message);
    }
    OG_TRY(og_truth_points(text, NULL, NULL, message));
    *(const char **)og_option_value(options, row) = text;
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

const og_option_row og_compare_options[] = {
    OG_OPTION_TABLE(og_each_budget_rows),
    OG_OPTION_TABLE(og_policy_rows),
    OG_OPTION_TABLE(og_ties_rows),
    OG_OPTION_TABLE(og_objective_rows),
    OG_OPTION_TABLE(og_arithmetic_rows),
    OG_OPTION_TABLE(og_joint_end_rows),
    OG_OPTION(SWITCH, "explain", NULL, og_wishes, ask.explain, .topic = OG_TOPIC_QUESTIONS,
              .basic = true, .brief = "show the choices in which each policy loses most",
              .help = "show where each policy loses: the loss for each number of labels left, and "
                      "the ten choices that cost most"),
    OG_OPTION(CUSTOM, "truth", "TRUTH", og_wishes, ask.truth, .topic = OG_TOPIC_TRUTH,
              .basic = true, .brief = "evaluate policies under these soft labels",
              .help = "evaluate policies under these soft labels, while they still assume the "
                      "priors of INSTANCE. list:X,X,...: one soft label for each instance. "
                      "beta:A,B: drawn for each. prior: drawn from the prior. grid:FROM:TO:STEP: "
                      "each number in turn, for all instances; grid:X,X,... may contain such "
                      "ranges. --ties best and worst refer to this truth",
              .read = keep_truths),
    OG_OPTION(
        CUSTOM, "assume", "A,B", og_wishes, ask.believe, .was = "believe", .topic = OG_TOPIC_TRUTH,
        .basic = true, .brief = "evaluate policies that assume the prior Beta(A,B)",
        .help = "evaluate policies that assume the prior Beta(A,B) for every instance, in choices "
                "and calls, while labels follow INSTANCE; also print the price of the wrong prior",
        .read = read_belief),
    OG_OPTION(CUSTOM, "reach", "SHARE", og_wishes, ask.reach, .read = read_reach,
              .topic = OG_TOPIC_QUESTIONS, .basic = true,
              .brief = "find the fewest labels for this share of right calls",
              .help =
                  "find the fewest labels, at most -T, with this expected share of right calls, "
                  "for the optimum and for each policy. SHARE is at most 1, such as 0.9"),
    OG_OPTION_TABLE(og_engine_rows),
    OG_OPTION_TABLE(og_limit_rows),
    OG_OPTION(
        CUSTOM, "max-policy-states", "N", og_wishes, ask.policy_states_max, .was = "policy-states",
        .topic = OG_TOPIC_LIMITS, .brief = "state limit for each policy; beyond it, simulate",
        .help =
            "limit of states for the exact value of one policy; if it needs more, it is simulated. "
            "0: no limit. auto: 20000000, or four times the states of the optimum if that is more",
        .fallback = "auto", .read = read_states),
    OG_OPTION(
        CUSTOM, "max-states", "N", og_wishes, ask.optimum_states_max, .was = "optimum-states",
        .topic = OG_TOPIC_LIMITS, .brief = "state limit for the optimum",
        .help = "limit of states for the optimum; if it needs more, the result is a bracket. 0: no "
                "limit. auto: no limit until --memory is full, then 20000000, and proportionally "
                "fewer above 100 labels; no limit with --time-limit or --checkpoint",
        .fallback = "auto", .read = read_states),
    OG_OPTION_TABLE(og_index_time_rows),
    OG_OPTION(
        CUSTOM, "runs", "N", og_wishes, ask.runs, .topic = OG_TOPIC_LIMITS,
        .brief = "runs for policies without an exact value",
        .help = "simulated runs of a policy without an exact value, at least 2. 0: do not simulate",
        .most = OG_RUNS_MAX, .fallback = "10000", .read = read_runs),
    OG_SEED_ROW("1", "seed of the random numbers of simulated policies"),
    OG_OPTION_TABLE(og_checkpoint_rows),
    OG_OPTION_TABLE(og_scratch_rows),
    OG_OPTION_TABLE(og_no_times_rows),
    OG_OPTION_LAST,
};

const og_option_row og_solve_options[] = {
    OG_OPTION_TABLE(og_each_budget_rows),
    OG_OPTION_TABLE(og_objective_rows),
    OG_OPTION_TABLE(og_arithmetic_rows),
    OG_OPTION_TABLE(og_engine_rows),
    OG_OPTION_TABLE(og_limit_rows),
    OG_OPTION_TABLE(og_checkpoint_rows),
    OG_OPTION_TABLE(og_scratch_rows),
    OG_OPTION(OUTPUT, "export-policy", "FILE", og_wishes, ask.export_policy, .what = "policy",
              .topic = OG_TOPIC_FILES, .basic = true, .brief = "write an optimal policy to FILE",
              .help = "write an optimal policy to FILE: one optimal choice for every state that it "
                      "can reach. 'optgap verify FILE' checks it"),
    OG_OPTION(SWITCH, "all-optimal", NULL, og_wishes, ask.all_optimal, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "with --export-policy: write all optimal choices",
              .help = "with --export-policy: write all optimal choices. The problem must be small "
                      "enough to value every choice of every state"),
    OG_OPTION(OUTPUT, "export-model", "FILE", og_wishes, ask.export_model, .what = "model",
              .topic = OG_TOPIC_FILES, .basic = true,
              .brief = "write the model to NAME.drn (Storm) or .tra (PRISM)",
              .help = "write the whole decision process to FILE, for a model checker: NAME.drn for "
                      "Storm; NAME.tra for PRISM, with NAME.lab and NAME.srew next to it"),
    OG_OPTION(SWITCH, "dry-run", NULL, og_wishes, ask.dry_run, .topic = OG_TOPIC_LIMITS,
              .basic = true, .brief = "forecast states and memory, without solving",
              .help = "solve nothing; print the largest number of states and the memory that the "
                      "problem can take"),
    OG_OPTION_TABLE(og_no_times_rows),
    OG_OPTION_LAST,
};

const og_option_row og_query_options[] = {
    OG_OPTION(INT32, "budget", "N", og_wishes, budget, .topic = OG_TOPIC_PROBLEM, .basic = true,
              .brief = "number of labels left, 0 to 1000000",
              .help = "number of labels left, 0 to 1000000; with --left or --history, of all "
                      "labels; required",
              .letter = 'T', .most = OG_BUDGET_MAX,
              .required = "-T N is missing: the number of labels left, such as -T 12",
              .what = "the budget (-T)"),
    OG_OPTION(INT32, "left", "N", og_wishes, left, .topic = OG_TOPIC_PROBLEM, .basic = true,
              .brief = "number of labels left, if fewer than -T",
              .help = "number of labels left, if -T counts all labels. Only policies that depend "
                      "on all, such as gittins-inf, use the difference (default: -T)",
              .most = OG_BUDGET_MAX),
    OG_OPTION(TEXT, "history", "LABELS", og_wishes, ask.history, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "labels recorded so far, such as \"1+ 2-\"",
              .help = "labels so far, separated by blanks. -T then counts these too, and INSTANCEs "
                      "are priors. 2+ is a positive label of the second instance, 2- a negative "
                      "one, 2:3 one of its third class, and 2@1+ one from the first worker. In a "
                      "ranking, 1>2 means that item 1 won against item 2"),
    OG_OPTION_TABLE(og_policy_rows),
    OG_OPTION_TABLE(og_objective_rows),
    OG_OPTION_TABLE(og_arithmetic_rows),
    OG_OPTION_TABLE(og_engine_rows),
    OG_OPTION_TABLE(og_scratch_rows),
    OG_OPTION_TABLE(og_limit_rows),
    OG_OPTION_TABLE(og_no_times_rows),
    OG_OPTION_LAST,
};

const og_option_row og_bound_options[] = {
    OG_OPTION_TABLE(og_budget_rows),
    OG_OPTION_TABLE(og_objective_rows),
    OG_OPTION_TABLE(og_arithmetic_rows),
    OG_OPTION_TABLE(og_joint_end_rows),
    OG_OPTION_TABLE(og_limit_rows),
    OG_OPTION_TABLE(og_no_times_rows),
    OG_OPTION_LAST,
};

const og_option_row og_simulate_options[] = {
    OG_OPTION_TABLE(og_budget_rows),
    OG_OPTION_TABLE(og_policy_rows),
    OG_OPTION_TABLE(og_ties_rows),
    OG_OPTION_TABLE(og_objective_rows),
    OG_RUNS_ROW("10000", "number of runs of each policy"),
    OG_SEED_ROW("1", "seed of the random numbers; the same seed gives the same result"),
    OG_OPTION(CUSTOM, "truth", "TRUTH", og_wishes, ask.truth, .topic = OG_TOPIC_TRUTH,
              .basic = true, .brief = "source of the soft labels",
              .help =
                  "source of the soft labels. prior: the prior. beta:A,B: drawn for each instance. "
                  "list:X,X,...: one for each instance, the same in every run. For labelers, "
                  "of which words are then only a count: uniform:LO,HI or beta:A,B. For rankings: "
                  "prior, dirichlet:A,A,... or list:X,X,... (scores); after a blank, or alone, "
                  "workers:A,B or workers-list:X,X,... (probabilities of being right), which "
                  "--workers-prior also supports",
              .fallback = "prior", .read = keep_truth),
    OG_OPTION(SWITCH, "counts", NULL, og_wishes, ask.counts, .topic = OG_TOPIC_OUTPUT,
              .basic = true, .brief = "also print how often each choice is made",
              .help = "also print counts. For rankings: how often pairs are compared, by their "
                      "distance in rank, and how often workers are asked. For assignment: how "
                      "often workers are asked; with --gold, the number of workers by accuracy"),
    OG_OPTION(CUSTOM, "at", "N,N,...", og_wishes, at, .topic = OG_TOPIC_OUTPUT, .basic = true,
              .brief = "budgets to report, ascending, in addition to -T",
              .help = "budgets at which the accuracy in the same runs is reported, in ascending "
                      "order; the last is always -T. Policies that look ahead have the budget -T",
              .most = OG_BUDGET_MAX, .read = og_keep_budgets),
    OG_OPTION(OUTPUT, "trace", "FILE", og_wishes, trace_file, .what = "trace",
              .topic = OG_TOPIC_WORKERS, .brief = "write the labels of the first run to a table",
              .help = "with --workers-prior: write the labels of the first run, with indices and "
                      "posteriors, to a table"),
    OG_OPTION_TABLE(og_index_time_rows),
    OG_OPTION_TABLE(og_limit_rows),
    OG_OPTION_TABLE(og_no_times_rows),
    OG_OPTION_LAST,
};

const og_option_row og_index_options[] = {
    OG_OPTION_TABLE(og_budget_rows),
    OG_OPTION(POLICY, "policy", "NAME", og_wishes, policies, .topic = OG_TOPIC_POLICIES,
              .basic = true, .brief = "policy whose index is printed",
              .help = "index policy; required", .count = offsetof(og_wishes, policy_count),
              .given = offsetof(og_wishes, policies_given),
              .required = "--policy NAME is missing: an index policy, such as opt-kg"),
    OG_OPTION_TABLE(og_objective_rows),
    OG_OPTION_TABLE(og_limit_rows),
    OG_OPTION_TABLE(og_no_times_rows),
    OG_OPTION_LAST,
};

const og_option_row og_tree_options[] = {
    OG_OPTION_TABLE(og_budget_rows),
    OG_OPTION(INT32, "levels", "N", og_wishes, ask.tree_levels, .topic = OG_TOPIC_OUTPUT,
              .basic = true, .brief = "number of labels to follow; 0 follows all",
              .help = "follow at most this many labels, and draw dots for the rest. 0: all",
              .most = 1000000, .fallback = "0"),
    OG_OPTION(POLICY, "against", "NAME", og_wishes, policies, .topic = OG_TOPIC_POLICIES,
              .basic = true, .brief = "also show this policy's choices and losses",
              .help = "policy whose choices are drawn beside the optimal ones, with what they lose",
              .count = offsetof(og_wishes, policy_count),
              .given = offsetof(og_wishes, policies_given)),
    OG_OPTION(SWITCH, "all-actions", NULL, og_wishes, ask.all_actions, .topic = OG_TOPIC_OUTPUT,
              .basic = true, .brief = "follow every choice, not only the optimal ones",
              .help = "follow all choices, not only optimal ones"),
    OG_OPTION(INT32, "states", "N", og_wishes, ask.tree_states_max, .topic = OG_TOPIC_LIMITS,
              .basic = true, .brief = "largest number of states to draw",
              .help = "largest number of states to draw; a larger tree is refused", .least = 1,
              .most = 1000000, .fallback = "300"),
    OG_OPTION_TABLE(og_objective_rows),
    OG_OPTION_TABLE(og_arithmetic_rows),
    OG_OPTION_TABLE(og_limit_rows),
    OG_OPTION_TABLE(og_no_times_rows),
    OG_OPTION_LAST,
};

const og_option_row og_verify_options[] = {
    OG_OPTION_TABLE(og_limit_rows),
    OG_OPTION_LAST,
};
