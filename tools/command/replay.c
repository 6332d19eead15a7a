/* replay: policies on recorded labels, against gold. */
#include <stdio.h>
#include <string.h>

#include "bench/families/table.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/command/world.h"
#include "tools/show/memory.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { AT_MAX = 10000 };

static bool is_labelers(const command_request *request)
{
    return strcmp(request->objective, "labelers") == 0;
}

static bool is_assignment(const command_request *request)
{
    return strcmp(request->objective, "assignment") == 0;
}

static bool is_pairs(const command_request *request)
{
    return request->pairs_file != NULL && request->labels_file == NULL;
}

#define ALL_READ                                                                                   \
    "gold runs seed problem threads memory time-limit quiet json columns missing encoding "
#define PLAYED_READ ALL_READ "budget at policy policies max-answer-time tie-tolerance ties "

static const option_question questions[] = {
    {"--problem assignment",
     PLAYED_READ "labels format positive wide contexts kmeans data crowd counts fill",
     is_assignment},
    {"--problem labelers", ALL_READ "labels format positive wide explore drop votes weighted",
     is_labelers},
    {"--pairs", PLAYED_READ "pairs draws prior workers-prior", is_pairs},
    {"--labels", PLAYED_READ "labels pairs format positive wide prior price payoff final-ties",
     NULL},
    {.name = NULL},
};

/* Labels or comparisons; of these, the policies that are known. */
static og_status settle_kind(command_request *request, og_message *message)
{
    static const og_option_row row =
        OG_OPTION(POLICIES, "policies", "NAMES", command_request, policies,
                  .count = offsetof(command_request, policy_count));
    if ((request->labels_file != NULL) == (request->pairs_file != NULL)) {
        return og_message_set(message, OG_BAD_INPUT,
                              request->labels_file != NULL
                                  ? "--labels and --pairs are two kinds of records; give one"
                                  : "--labels FILE is missing: the recorded labels, columns task, "
                                    "worker, label; or --pairs FILE, comparisons");
    }
    const char *usual = request->workers_prior != NULL  ? "uniform,akg"
                        : request->pairs_file != NULL   ? "uniform,distance,akg"
                        : request->stakes.price != NULL ? "uniform,kg,opt-kg,gittins-fh"
                                                        : NULL;
    if (usual == NULL || request->policies_given) {
        return OG_OK;
    }
    request->policy_count = 0;
    return og_option_read(&row, request, usual, message);
}

static int run_labelers(command_request *request)
{
    static const question about = {.ask = og_task_replay_labelers,
                                   .timed = true,
                                   .watched = true,
                                   .fail = fail_by_limit,
                                   .finish = finish_runs};
    const og_labelers_recording given = {.labels_file = request->labels_file,
                                         .gold_file = request->gold_file,
                                         .explore = request->explore,
                                         .drop = request->drop,
                                         .weighted = request->weighted};
    return answer_question(request, &about, &given);
}

static int run_world(command_request *request)
{
    const og_assignment_recording given = {.labels_file = request->labels_file,
                                           .gold_file = request->gold_file,
                                           .contexts_file = request->contexts_file,
                                           .data_file = request->data_file,
                                           .crowd = request->crowd,
                                           .fill = request->fill,
                                           .clusters = request->clusters,
                                           .budget = request->left_open ? -1 : request->budget,
                                           .at = request->at,
                                           .at_count = request->at_count};
    return replay_world(request, &given);
}

static int run(command_request *request)
{
    if (is_assignment(request)) {
        return run_world(request);
    }
    og_message message = {""};
    og_status status = settle_kind(request, &message);
    if (status != OG_OK) {
        return complain(status, &message);
    }
    if (is_labelers(request)) {
        return run_labelers(request);
    }
    static const question about = {.ask = og_task_replay,
                                   .watched = true,
                                   .timed = true,
                                   .fail = fail_by_limit,
                                   .finish = finish_runs};
    const og_recording given = {.labels_file = request->labels_file,
                                .gold_file = request->gold_file,
                                .pairs_file = request->pairs_file,
                                .workers_prior = request->workers_prior,
                                .prior = request->prior,
                                .budget = request->left_open ? -1 : request->budget,
                                .at = request->at,
                                .at_count = request->at_count,
                                .final_positive = request->final_positive,
                                .stakes = request->stakes};
    return answer_question(request, &about, &given);
}

static og_status read_budget(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    command_request *request = options;
    int64_t budget = 0;
    request->left_open = strcmp(text, "all") == 0;
    og_status status = request->left_open ? OG_OK : og_option_whole(row, text, &budget, message);
    if (status == OG_OK) {
        request->budget = (int32_t)budget;
    }
    return status;
}

static og_status read_at(void *options, const og_option_row *row, const char *text,
                         og_message *message)
{
    command_request *request = options;
    request->at_count = 0;
    for (const char *rest = text; rest != NULL;) {
        char word[32];
        int64_t point;
        size_t length = strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), rest);
        og_status status = og_option_whole(row, word, &point, message);
        if (status != OG_OK) {
            return status;
        }
        if (request->at_count == AT_MAX ||
            (request->at_count > 0 && point <= request->at[request->at_count - 1])) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--at takes at most %d budgets, each larger than the one before: "
                                  "'%.40s'",
                                  AT_MAX, word);
        }
        request->at = grow(request->at, (size_t)request->at_count + 1, sizeof *request->at);
        request->at[request->at_count++] = (int32_t)point;
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return OG_OK;
}

/* G1, or G1,0: no labeler votes twice. */
static og_status read_explore(void *options, const og_option_row *row, const char *text,
                              og_message *message)
{
    og_fraction first, second = {0, 1};
    size_t length = strcspn(text, ",");
    const char *rest = text[length] == ',' ? text + length + 1 : "0";
    if (og_fraction_parse(text, length, &first) != OG_OK ||
        og_fraction_parse(rest, strlen(rest), &second) != OG_OK || second.num != 0) {
        return og_option_refuse(row, text, message,
                                "G1,0, a number >= 0 and 0, since nobody votes twice");
    }
    *(double *)og_option_value(options, row) = og_fraction_double(first);
    return OG_OK;
}

static og_status read_drop(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    og_fraction chance;
    if (og_fraction_parse(text, strlen(text), &chance) != OG_OK) {
        return og_option_refuse(row, text, message, "a number >= 0");
    }
    *(double *)og_option_value(options, row) = og_fraction_double(chance);
    return OG_OK;
}

static const og_option_row options[] = {
    OG_OPTION(PATH, "labels", "FILE", command_request, labels_file, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "recorded labels: columns task, worker and label",
              .help =
                  "the recorded labels, a table with the columns task, worker and label, as fit "
                  "takes it; required, or --pairs"),
    OG_OPTION(PATH, "pairs", "FILE", command_request, pairs_file, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "comparisons: columns worker, left, right, label",
              .help = "recorded comparisons instead, a table with the columns worker, left, right "
                      "and label, which is the name of the winner; --gold has the items' scores "
                      "then, columns item and score, and policies are those of a ranking"),
    OG_OPTION(CHOICE, "draws", "HOW", command_request, tables.draws, .topic = OG_TOPIC_RANKING,
              .brief = "with --pairs: draws are half a win, or dropped",
              .help = "with --pairs: a draw (tie, draw or =) is half a win of each item, in each "
                      "run a win of one of them at random, or is left out: half or drop",
              .fallback = "half", .choices = "half drop"),
    OG_OPTION_TABLE(label_rows),
    OG_OPTION(TEXT, "workers-prior", "A,B", command_request, workers_prior,
              .topic = OG_TOPIC_RANKING, .brief = "with --pairs: prior of each worker's accuracy",
              .help = "with --pairs: workers are told apart, each right with a chance that has the "
                      "prior Beta(A,B); else all of them are taken to be right"),
    OG_OPTION(
        PATH, "gold", "FILE", command_request, gold_file, .topic = OG_TOPIC_FILES, .basic = true,
        .brief = "true labels: task, label; of items: item, score",
        .help = "the true labels, a table with the columns task and label; tasks without are "
                "left out of the accuracy; required",
        .required =
            "--gold FILE is missing: the truth, columns task, label; with --pairs item, score"),
    OG_OPTION(CUSTOM, "budget", "N", command_request, budget, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "number of labels", .help = "labels to give, all or a number",
              .letter = 'T', .most = OG_BUDGET_MAX, .fallback = "all", .what = "the budget (-T)",
              .read = read_budget),
    OG_OPTION(TEXT, "prior", "A,B[@D]", command_request, prior, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "prior of every task (default: 1 for each class)",
              .help = "the prior of every task, of several classes A,B,C,... (default: 1 for "
                      "each class)"),
    OG_OPTION_TABLE(policy_rows),
    OG_OPTION_TABLE(ties_rows),
    RUNS_ROW("20", "how many times every policy is played, each time with the labels in another "
                   "order"),
    SEED_ROW("1", "another seed gives other random numbers, the same seed the same ones"),
    OG_OPTION(
        CUSTOM, "problem", "WHAT", command_request, objective, .was = "objective",
        .topic = OG_TOPIC_PROBLEM, .basic = true, .brief = "labels, labelers or assignment",
        .help = "labels: calls of tasks whose labels are asked for one by one; labelers, labels of "
                "tasks "
                "that come one by one, by ls-ol and by everybody; or assignment, of workers to "
                "tasks",
        .fallback = "labels", .choices = "labels labelers assignment", .read = og_problem_option),
    OG_OPTION(PATH, "contexts", "FILE", command_request, contexts_file,
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "context of each task: columns task, context",
              .help = "assignment: the context of each task, a table with the columns task and "
                      "context, any words (default: one context)"),
    OG_OPTION(INT32, "kmeans", "S", command_request, clusters, .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "number of contexts to find in --data",
              .help = "assignment: S contexts found in the numbers of --data", .least = 1,
              .most = 1000),
    OG_OPTION(PATH, "data", "FILE", command_request, data_file, .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "column task and numbers about each task",
              .help = "assignment: a table with the column task and numbers about each"),
    OG_OPTION(TEXT, "crowd", "MODEL:K", command_request, crowd, .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "draw K workers instead of reading --labels",
              .help = "assignment: instead of --labels, K workers drawn for each run: "
                      "spammer-hammer, one-coin or malicious"),
    OG_OPTION(CUSTOM, "at", "N,N,...", command_request, at, .topic = OG_TOPIC_OUTPUT, .basic = true,
              .brief = "budgets to report (default: fifths of -T)",
              .help = "budgets at which accuracy is reported, ascending; the last is always -T "
                      "(default: fifths of it)",
              .most = OG_BUDGET_MAX, .read = read_at),
    OG_OPTION(SWITCH, "counts", NULL, command_request, counts, .topic = OG_TOPIC_OUTPUT,
              .brief = "with assignment: count workers by accuracy",
              .help = "assignment: also tell how many workers have which accuracy"),
    OG_OPTION(TEXT, "fill", "HOW", command_request, fill, .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "missing labels: none, accuracy or grouse[:D]",
              .help = "assignment: cells without a label get none; one by the worker's accuracy; "
                      "or grouse[:D], by a matrix of rank D (default 1)",
              .fallback = "accuracy"),
    OG_OPTION(CUSTOM, "explore", "G1,0", command_request, explore, .topic = OG_TOPIC_LABELERS,
              .brief = "ls-ol keeps G1 ln t tasks with all votes",
              .help = "labelers: ls-ol keeps more than G1 ln t tasks that everybody voted on",
              .fallback = "1,0", .read = read_explore),
    OG_OPTION(CUSTOM, "drop", "CHANCE", command_request, drop, .topic = OG_TOPIC_LABELERS,
              .brief = "drop a worker at this significance; 0 keeps all",
              .help = "labelers: who differs most from the majority leaves once chance explains "
                      "that with less than this; 0 keeps all",
              .fallback = "0", .read = read_drop),
    OG_OPTION(EITHER, "votes", "HOW", command_request, weighted, .topic = OG_TOPIC_LABELERS,
              .brief = "votes of ls-ol: majority or weighted by log odds",
              .help = "labelers: ls-ol counts each vote the same (majority), or by the log odds of "
                      "its estimates (weighted) (default: majority)",
              .choices = "majority weighted"),
    OG_OPTION(SWITCH, "weighted", NULL, command_request, weighted, .topic = OG_TOPIC_LABELERS,
              .brief = "--votes weighted", .help = "--votes weighted", .hidden = true),
    OG_OPTION_TABLE(stakes_rows),
    OG_OPTION(EITHER, "final-ties", "RULE", command_request, final_positive,
              .topic = OG_TOPIC_OUTPUT,
              .brief = "count an undecided task as half right or positive",
              .help = "a task whose posterior is exactly undecided: half counts it half correct, "
                      "positive calls it positive",
              .fallback = "half", .choices = "half positive"),
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_replay = {
    .name = "replay",
    .summary = "test policies on recorded labels",
    .brief = "Test policies on recorded labels: the accuracy of their calls against the true\n"
             "labels, as the budget grows.",
    .example = "  optgap replay --labels labels.tsv --gold gold.tsv --policies uniform,opt-kg\n"
               "  optgap replay --pairs pairs.tsv --gold scores.tsv",
    .notes = "Topics: optgap help files, prices, labelers, assignment, ranking",
    .about = "Plays policies on recorded labels: each asks for a label of a task and gets one of "
             "those recorded, without replacement. Tells the accuracy of the calls against gold as "
             "the budget grows.",
    .details =
        "Examples:\n"
        "\n"
        "  optgap replay --labels labels.tsv --gold gold.tsv --policies uniform,opt-kg\n"
        "  optgap replay --pairs pairs.tsv --gold scores.tsv\n"
        "\n"
        "All workers count alike. A task whose labels are used up leaves the choice; what looks "
        "ahead knows that no task can have more labels than are recorded. All policies meet the "
        "labels of a task in the same order in a run. Ties are random or first.\n"
        "\n"
        "With --price or --payoff scores are told beside accuracy: what the calls are worth "
        "against gold, less what was paid for labels. A policy stops where no index is above the "
        "price, but for uniform, which never does; --at and -T are then the most labels it may "
        "buy.\n"
        "\n"
        "With --pairs a policy asks for a pair that has comparisons left, or with --workers-prior "
        "for a pair and a worker, and one of those recorded is drawn; accuracy is the share of "
        "pairs ranked as their scores are. Comparisons of an item with itself are left out.\n"
        "\n"
        "With --problem labelers tasks come in random orders, each with the recorded votes of "
        "the "
        "set that ls-ol asks; JSON: policies[].accuracy, .standard_error, .votes_per_task, "
        ".set_size, dropped[].\n"
        "\n"
        "JSON: tasks_without_gold, gold_without_labels, repeated_labels, all_labels_accuracy, "
        "policies[].name, .ties, .points[].labels, .accuracy, "
        ".standard_error, .low, .high, .seconds (processor time of one run so far), "
        ".table_seconds; with --price or --payoff price, payoff, points[].bought, .score.mean, "
        ".standard_error, .difference; with --problem assignment and --counts "
        "workers_by_accuracy[].low, "
        ".high, .workers, .by_context[].",
    .options = options,
    .questions = questions,
    .run = run,
};
