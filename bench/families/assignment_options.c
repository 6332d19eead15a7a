/* The options of assigning workers to tasks. */
#include "bench/families/assignment.h"
#include "heuristics/families/assignment_histories.h"

static const og_option_row rows[] = {
    OG_OPTION(TEXT, "accuracies", "Q|FILE", og_assignment_options, accuracies,
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "known accuracies of workers in contexts",
              .help = "with --problem assignment: the chances that workers are right, "
                      "'0.9,0.6;0.6,0.9' for two contexts of two workers, or a FILE of lines "
                      "CONTEXT WORKER ACCURACY with tabs between"),
    OG_OPTION(GROUP, "workers-prior", "[Nx]A,B", og_assignment_options, workers,
              .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "N workers, accuracy from Beta(A,B); repeatable",
              .help = "or N workers (default 1) each of whom is right with a chance that has the "
                      "prior Beta(A,B), another one in every context; may be given several times",
              .count = offsetof(og_assignment_options, workers.group_count)),
    OG_OPTION(PATH, "gold", "FILE", og_assignment_options, gold_file, .only = "simulate",
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "true labels, instead of INSTANCE words",
              .help = "with simulate, tasks and their truth instead of words, a table with the "
                      "columns task and label; their workers are --crowd's"),
    OG_OPTION(TEXT, "crowd", "MODEL:K", og_assignment_options, crowd, .only = "simulate",
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "with --gold: draw K workers for each run",
              .help = "with --gold, K workers drawn for each run: spammer-hammer, one-coin or "
                      "malicious"),
    OG_OPTION(PATH, "contexts", "FILE", og_assignment_options, contexts_file, .only = "simulate",
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "with --gold: context of each task",
              .help = "with --gold, the context of each task, a table with the columns task and "
                      "context, any words"),
    OG_OPTION(
        INT32, "kmeans", "S", og_assignment_options, clusters, .only = "simulate",
        .topic = OG_TOPIC_ASSIGNMENT, .brief = "with --gold: number of contexts to find in --data",
        .help = "with --gold, S contexts found in the numbers of --data", .least = 1, .most = 1000),
    OG_OPTION(PATH, "data", "FILE", og_assignment_options, data_file, .only = "simulate",
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "with --kmeans: numbers about each task",
              .help = "with --kmeans, a table with the column task and numbers about each"),
    OG_OPTION(PATH, "regret-on", "FILE", og_assignment_options, matrix_file, .only = "compare",
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "add the exact regret of bbta on these labels",
              .help = "also the exact regret of bbta on all labels of all workers, a table with "
                      "the columns task, worker (numbers) and label",
              .given = offsetof(og_assignment_options, regret)),
    OG_OPTION(PATH, "matrix", "FILE", og_assignment_options, matrix_file,
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "--regret-on FILE, with --regret",
              .help = "--regret-on FILE, with --regret", .hidden = true),
    OG_OPTION(SWITCH, "regret", NULL, og_assignment_options, regret, .only = "compare",
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "--regret-on, with --matrix",
              .help = "--regret-on, with --matrix", .hidden = true),
    OG_OPTION(INT64, "max-histories", "N", og_assignment_options, leaves, .was = "leaves",
              .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "limit of histories for policies that use their order",
              .help = "policies that go by the order of labels are valued over at most N histories",
              .least = 1, .most = OG_ASSIGNMENT_LEAVES_MAX, .fallback = "16777216"),
    OG_OPTION_LAST,
};

static void clear(void *options)
{
    og_assignment_options *own = options;
    og_groups_clear(&own->workers);
}

const og_option_set og_assignment_option_set = {rows, sizeof(og_assignment_options), clear};
