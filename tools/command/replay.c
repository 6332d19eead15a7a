/* The command replay: tests policies on recorded labels, against the true labels. */
#include <string.h>

#include "tools/command/commands.h"
#include "tools/command/open.h"

static bool is_labelers(const command_request *request)
{
    return strcmp(request->wish.objective, "labelers") == 0;
}

static bool is_assignment(const command_request *request)
{
    return strcmp(request->wish.objective, "assignment") == 0;
}

static bool is_pairs(const command_request *request)
{
    const og_recording *given = &request->wish.replay.recording;
    return given->pairs_file != NULL && given->labels_file == NULL;
}

static bool is_people(const command_request *request)
{
    return og_replay_has_people(&request->wish.replay);
}

static bool is_delayed(const command_request *request)
{
    return og_replay_is_delayed(&request->wish.replay);
}

#define ALL_READ                                                                                   \
    "gold runs seed problem threads memory time-limit quiet json no-times columns missing "        \
    "encoding result "
#define PLAYED_READ ALL_READ "budget at policy policies max-answer-time tie-tolerance ties "

static const option_question questions[] = {
    {"--problem assignment",
     PLAYED_READ
     "labels format classes repeats positive wide contexts kmeans data crowd counts fill",
     is_assignment, NULL},
    {"--problem labelers",
     ALL_READ "labels format classes repeats positive wide explore drop drop-exponent votes "
              "weighted budget at "
              "counts order",
     is_labelers, NULL},
    {"--labels with --arrival-rate",
     ALL_READ
     "policy policies max-answer-time tie-tolerance ties labels format classes repeats positive "
     "wide prior "
     "final-ties trace order arrival-rate service-rate arrivals tasks holdout method events",
     is_delayed, NULL},
    {"--labels with --workers-prior",
     PLAYED_READ "labels format classes repeats positive wide prior workers-prior task-priors "
                 "worker-priors order "
                 "final-ties trace",
     is_people, NULL},
    {"--pairs", PLAYED_READ "pairs draws prior workers-prior counts", is_pairs, NULL},
    {"--labels",
     PLAYED_READ "labels pairs format classes repeats positive wide prior price payoff final-ties",
     NULL, NULL},
    {.name = NULL},
};

static og_status check(const command_request *request, og_message *message)
{
    return og_wishes_check_replay(&request->wish, message);
}

static int run(command_request *request)
{
    request->wish.ask.result = request->result_file != NULL;
    return answer_replay(request, check, og_wishes_replay(&request->wish));
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(og_replay_options),
    OG_OPTION(OUTPUT, "result", "FILE", command_request, result_file, .what = "result",
              .topic = OG_TOPIC_OUTPUT, .basic = true,
              .brief = "write what the first run concluded to FILE",
              .help = "write what each policy concluded in the first run to a table: calls and "
                      "posteriors of tasks, labels and disagreements of workers, and the like; "
                      ".csv, .json or a table with tabs"),
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
    .about = "Tests policies on recorded labels. A policy asks for a label of a task and gets a "
             "random one of those recorded, each at most once. The program prints the accuracy of "
             "the calls against the true labels as the budget grows.",
    .details =
        "Examples:\n"
        "\n"
        "  optgap replay --labels labels.tsv --gold gold.tsv --policies uniform,opt-kg\n"
        "  optgap replay --pairs pairs.tsv --gold scores.tsv\n"
        "\n"
        "All workers count equally. A task without labels left cannot be chosen; policies that "
        "look ahead take into account that no task can have more labels than are recorded. Within "
        "a run all policies get the labels of a task in the same order. --ties is random or "
        "first.\n"
        "\n"
        "With --price or --payoff, scores are printed next to the accuracy: the worth of the calls "
        "against the true labels, minus the prices of the labels. A policy stops when no index "
        "exceeds the price; uniform never stops. --at and -T then limit the labels to buy.\n"
        "\n"
        "With --pairs a policy asks for a pair of items that has comparisons left; with "
        "--workers-prior, for a pair and a worker. A recorded comparison is drawn. Accuracy is the "
        "share of pairs in the order of their scores. Comparisons of an item with itself are "
        "ignored.\n"
        "\n"
        "With --labels and --workers-prior, policies choose a task and a worker, as for workers of "
        "unknown reliability, and learn about both.\n"
        "\n"
        "With --arrival-rate labels take time: workers arrive, each is given a task of which fewer "
        "labels are used or under way than are recorded, and the label comes later. Policies see "
        "the labels that came; hu-frazier also sees the workers at work. Printed are the accuracy, "
        "the accuracy that the posteriors expect, and a bound on the latter.\n"
        "\n"
        "With --problem labelers, tasks come in random order, each with the recorded votes of the "
        "set that ls-ol asks.",
    .options = options,
    .questions = questions,
    .run = run,
};
