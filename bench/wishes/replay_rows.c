/* The options of policies on recorded labels. */
#include <string.h>

#include "bench/families/table.h"
#include "bench/wishes/wishes.h"

static og_status read_number(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    og_fraction chance;
    if (og_fraction_parse(text, strlen(text), &chance) != OG_OK) {
        return og_option_refuse(row, text, message, "a number >= 0");
    }
    *(double *)og_option_value(options, row) = og_fraction_double(chance);
    return OG_OK;
}

/* Reads G1 or G1,0, because no labeler votes twice on a task. */
static og_status read_explore(void *options, const og_option_row *row, const char *text,
                              og_message *message)
{
    og_fraction first, second = {0, 1};
    size_t length = strcspn(text, ",");
    const char *rest = text[length] == ',' ? text + length + 1 : "0";
    if (og_fraction_parse(text, length, &first) != OG_OK ||
        og_fraction_parse(rest, strlen(rest), &second) != OG_OK || second.num != 0) {
        return og_option_refuse(
            row, text, message,
            "G1,0 with a number G1 >= 0, because no labeler votes twice on a task");
    }
    *(double *)og_option_value(options, row) = og_fraction_double(first);
    return OG_OK;
}

static og_status read_budget(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    int64_t budget = -1;
    OG_TRY(strcmp(text, "all") == 0 ? OG_OK : og_option_whole(row, text, &budget, message));
    *(int32_t *)og_option_value(options, row) = (int32_t)budget;
    return OG_OK;
}

/* Labels that take time. */
static const og_option_row delayed_rows[] = {
    OG_OPTION(FRACTION, "arrival-rate", "R", og_wishes, replay.delay.arrival_rate,
              .topic = OG_TOPIC_DEADLINE, .brief = "labels take time; workers per unit of time",
              .help = "with --labels: labels take time. Mean number of workers that arrive per "
                      "unit of time, at random moments; a worker is given a task at once"),
    OG_OPTION(FRACTION, "service-rate", "R", og_wishes, replay.delay.service_rate,
              .topic = OG_TOPIC_DEADLINE, .brief = "labels per unit of time of a busy worker",
              .help = "with --arrival-rate: labels per unit of time of a busy worker. The time of "
                      "a label is random (exponential), 1/R on average",
              .with = "arrival-rate"),
    OG_OPTION(INT32, "arrivals", "U", og_wishes, replay.arrivals, .was = "workers",
              .topic = OG_TOPIC_DEADLINE, .brief = "number of arrivals, which replaces -T",
              .help = "with --arrival-rate: number of workers that arrive in all, 1 to 1000000. "
                      "Replaces -T",
              .with = "arrival-rate", .least = 1, .most = OG_BUDGET_MAX),
    OG_OPTION(INT32, "tasks", "K", og_wishes, replay.tasks, .topic = OG_TOPIC_DEADLINE,
              .brief = "number of tasks drawn in each run (default: all)",
              .help = "with --arrival-rate: number of tasks with true labels that each run draws "
                      "from those not held out (default: all)",
              .with = "arrival-rate", .least = 1, .most = INT32_MAX),
    OG_OPTION(TEXT, "holdout", "[first:]N", og_wishes, replay.holdout, .topic = OG_TOPIC_DEADLINE,
              .brief = "tasks that fit the prior and are not played",
              .help = "with --arrival-rate: number of tasks to which the prior is fitted unless "
                      "--prior is given, and which are not played. They are drawn once, by --seed; "
                      "first:N are the first N of --labels",
              .with = "arrival-rate"),
    OG_OPTION(CHOICE, "method", "METHOD", og_wishes, replay.method, .topic = OG_TOPIC_DEADLINE,
              .brief = "fit of --holdout: paper, ml or moments",
              .help =
                  "how the prior is fitted to --holdout, as by the command fit (default: paper)",
              .with = "holdout", .choices = "ml moments paper"),
    OG_OPTION(PATH, "events", "FILE", og_wishes, replay.events_file, .topic = OG_TOPIC_DEADLINE,
              .brief = "order of arrivals and ends of labels, not drawn",
              .help = "with --arrival-rate: the order in which workers arrive and labels end, the "
                      "same in every run, as a table with the columns event (arrive or done) and "
                      "task (of done). Labels that it does not end never come",
              .with = "arrival-rate"),
    OG_OPTION_LAST,
};

const og_option_row og_replay_options[] = {
    OG_OPTION(PATH, "labels", "FILE", og_wishes, replay.recording.labels_file, .repeats = true,
              .topic = OG_TOPIC_FILES, .basic = true,
              .brief = "recorded labels: columns task, worker and label",
              .help = "recorded labels, a table with the columns task, worker and label; required "
                      "without --pairs and --crowd. May be repeated"),
    OG_OPTION(PATH, "pairs", "FILE", og_wishes, replay.recording.pairs_file, .repeats = true,
              .topic = OG_TOPIC_FILES, .basic = true,
              .brief = "comparisons: columns worker, left, right, label",
              .help = "recorded comparisons, a table with the columns worker, left, right and "
                      "label (the name of the winner). --gold then has the columns item and score, "
                      "and policies are those of rankings. May be repeated"),
    OG_OPTION_TABLE(og_draw_rows),
    OG_OPTION_TABLE(og_label_rows),
    OG_OPTION(TEXT, "workers-prior", "A,B", og_wishes, replay.recording.workers_prior,
              .topic = OG_TOPIC_RANKING,
              .brief = "distinguish workers, with this prior of accuracies",
              .help = "distinguish workers: each is right (with --labels: answers like a reliable "
                      "one) with a probability that has the prior Beta(A,B). With --labels also "
                      "A,B/C,D, two probabilities, if the reliable answer is + and if it is -, or "
                      "W*A,B+W*C,D..., a mixture with weights of sum 1"),
    OG_OPTION(PATH, "task-priors", "FILE", og_wishes, replay.task_priors_file,
              .topic = OG_TOPIC_WORKERS, .brief = "priors of tasks: columns task, a and b",
              .help = "with --labels and workers: the prior Beta(a,b) of each task, a table with "
                      "the columns task, a and b. Tasks that are not there have --prior, which "
                      "must then be given"),
    OG_OPTION(PATH, "worker-priors", "FILE", og_wishes, replay.worker_priors_file,
              .topic = OG_TOPIC_WORKERS, .brief = "priors of workers: columns worker, c and d",
              .help = "with --labels: distinguish workers, with the prior Beta(c,d) of each "
                      "worker's accuracy, a table with the columns worker, c and d. Workers that "
                      "are not there have --workers-prior, which must then be given"),
    OG_OPTION(
        PATH, "gold", "FILE", og_wishes, replay.recording.gold_file, .topic = OG_TOPIC_FILES,
        .basic = true, .brief = "true labels: task, label; of items: item, score",
        .help = "true labels, a table with the columns task and label; required. Tasks that are "
                "missing there do not count for the accuracy",
        .required =
            "--gold FILE is missing: the truth, columns task, label; with --pairs item, score"),
    OG_OPTION(CUSTOM, "budget", "N", og_wishes, replay.recording.budget, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "number of labels",
              .help = "number of labels, or all; with --problem labelers of tasks", .letter = 'T',
              .most = OG_BUDGET_MAX, .fallback = "all", .what = "the budget (-T)",
              .read = read_budget),
    OG_OPTION(
        TEXT, "prior", "A,B[@D]", og_wishes, replay.recording.prior, .topic = OG_TOPIC_PROBLEM,
        .basic = true, .brief = "prior of every task (default: 1 for each class)",
        .help = "prior of every task; A,B,C,... for several classes (default: 1 for each class)"),
    OG_OPTION_TABLE(og_policy_rows),
    OG_OPTION_TABLE(og_ties_rows),
    OG_RUNS_ROW("20", "number of runs of each policy, each with the labels in a new random order"),
    OG_SEED_ROW("1", "seed of the random numbers; the same seed gives the same result"),
    OG_OPTION(
        CUSTOM, "problem", "WHAT", og_wishes, objective, .was = "objective",
        .topic = OG_TOPIC_PROBLEM, .basic = true, .brief = "labels, labelers or assignment",
        .help = "labels: choose the next task to label. labelers: choose a set of labelers for "
                "each task (policies ls-ol and everybody). assignment: choose a task and a worker",
        .fallback = "labels", .choices = "labels labelers assignment", .read = og_problem_option),
    OG_OPTION(PATH, "contexts", "FILE", og_wishes, replay.recording.contexts_file,
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "context of each task: columns task, context",
              .help = "with --problem assignment: context of each task, a table with the columns "
                      "task and context (default: one context)"),
    OG_OPTION(INT32, "kmeans", "S", og_wishes, replay.clusters, .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "number of contexts to find in --data",
              .help = "with --problem assignment: number of contexts to find in the numbers of "
                      "--data, 1 to 1000",
              .least = 1, .most = 1000),
    OG_OPTION(PATH, "data", "FILE", og_wishes, replay.data_file, .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "column task and numbers about each task",
              .help =
                  "with --problem assignment: a table with the column task and columns of numbers"),
    OG_OPTION(TEXT, "crowd", "MODEL:K", og_wishes, replay.crowd, .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "draw K workers instead of reading --labels",
              .help = "with --problem assignment: draw K workers for each run instead of reading "
                      "--labels. MODEL is spammer-hammer, one-coin or malicious"),
    OG_OPTION(CUSTOM, "at", "N,N,...", og_wishes, at, .topic = OG_TOPIC_OUTPUT, .basic = true,
              .brief = "budgets to report (default: fifths of -T)",
              .help = "budgets at which the accuracy is reported, in ascending order; the last is "
                      "always -T (default: fifths of -T)",
              .most = OG_BUDGET_MAX, .read = og_keep_budgets),
    OG_OPTION(SWITCH, "counts", NULL, og_wishes, ask.counts, .topic = OG_TOPIC_OUTPUT,
              .brief = "also count comparisons, workers or disagreements",
              .help =
                  "also print counts. With --pairs: how often pairs are compared, by their "
                  "distance in rank, and how often workers are asked. With --problem "
                  "assignment: the number of workers by accuracy. With --problem labelers: how "
                  "often each labeler differs from the plurality of all, and how far the labels "
                  "are from the true ones"),
    OG_OPTION(TEXT, "fill", "HOW", og_wishes, replay.recording.fill, .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "missing labels: none, accuracy or grouse[:D]",
              .help = "with --problem assignment: labels that were not recorded. none: they cannot "
                      "be bought. accuracy: drawn with the worker's accuracy. grouse[:D]: from a "
                      "matrix of rank D (default: 1) fitted to the recorded labels",
              .fallback = "accuracy"),
    OG_OPTION(CUSTOM, "explore", "G1,0", og_wishes, replay.recording.explore,
              .topic = OG_TOPIC_LABELERS, .brief = "ls-ol wants G1 ln t tasks with all votes",
              .help = "with --problem labelers: ls-ol wants more than G1 ln t tasks with the votes "
                      "of all labelers. G2 is 0",
              .fallback = "1,0", .read = read_explore),
    OG_OPTION(CUSTOM, "drop", "CHANCE", og_wishes, replay.drop, .topic = OG_TOPIC_LABELERS,
              .brief = "drop a worker at this significance; 0 keeps all",
              .help = "with --problem labelers: drop the labeler that differs most from the "
                      "majority, at this significance level. 0 keeps all",
              .fallback = "0", .read = read_number),
    OG_OPTION(CUSTOM, "drop-exponent", "C", og_wishes, replay.drop_exponent,
              .topic = OG_TOPIC_LABELERS, .brief = "C of the significance exp(-C e^2 n) of --drop",
              .help = "C of the significance of --drop: exp(-C e^2 n) if shares of disagreement "
                      "differ by e after n votes. 1/2 is a bound; larger ones drop sooner",
              .fallback = "0.5", .with = "drop", .read = read_number),
    OG_OPTION(EITHER, "order", "WHICH", og_wishes, replay.in_order, .topic = OG_TOPIC_LABELERS,
              .brief = "order of tasks or labels: random or that of the file",
              .help = "with --problem labelers: tasks come in a random order in each run (random), "
                      "or in the order of their first rows in --labels (file). With workers: so do "
                      "the labels of a pair that was asked more than once, and those of kos. With "
                      "--arrival-rate: the same for the labels of a task",
              .fallback = "random", .choices = "random file"),
    OG_OPTION(EITHER, "votes", "HOW", og_wishes, replay.recording.weighted,
              .topic = OG_TOPIC_LABELERS,
              .brief = "votes of ls-ol: majority or weighted by log odds",
              .help = "with --problem labelers: ls-ol counts all votes equally (majority), or with "
                      "the log odds of its estimates (weighted) (default: majority)",
              .choices = "majority weighted"),
    OG_OPTION(SWITCH, "weighted", NULL, og_wishes, replay.recording.weighted,
              .topic = OG_TOPIC_LABELERS, .brief = "--votes weighted", .help = "--votes weighted",
              .hidden = true),
    OG_OPTION(OUTPUT, "trace", "FILE", og_wishes, replay.trace_file, .what = "trace",
              .topic = OG_TOPIC_WORKERS, .brief = "write the labels of the first run to a table",
              .help =
                  "with --labels and --workers-prior or --arrival-rate: write the labels of the "
                  "first run, with indices and posteriors, to a table"),
    OG_OPTION_TABLE(delayed_rows),
    OG_OPTION_TABLE(og_stakes_rows),
    OG_OPTION(EITHER, "final-ties", "RULE", og_wishes, replay.recording.final_positive,
              .topic = OG_TOPIC_OUTPUT,
              .brief = "count an undecided task as half right or positive",
              .help = "call of a task whose posterior is exactly undecided. half: it counts as "
                      "half right. positive: it is called positive",
              .fallback = "half", .choices = "half positive"),
    OG_OPTION_TABLE(og_limit_rows),
    OG_OPTION_TABLE(og_no_times_rows),
    OG_OPTION_LAST,
};
