/* The options of assigning workers to tasks. */
#include "bench/families/assignment/assignment.h"
#include "bench/recorded/columns.h"
#include "heuristics/families/assignment_histories.h"

static bool has_table(const void *options)
{
    const og_assignment_options *own = options;
    return own->gold_file != NULL || own->matrix_file != NULL ||
           (own->accuracies != NULL && !og_accuracies_given(own->accuracies));
}

static const og_option_row rows[] = {
    OG_OPTION(TEXT, "accuracies", "Q|FILE", og_assignment_options, accuracies,
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "known accuracies of workers in contexts",
              .help = "probability that each worker is right, if known. '0.9,0.6;0.6,0.9' means "
                      "two contexts, separated by a semicolon, of two workers. A FILE has the "
                      "columns context, worker and accuracy"),
    OG_OPTION(GROUP, "workers-prior", "[Nx]A,B", og_assignment_options, workers,
              .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "N workers, accuracy from Beta(A,B); repeatable",
              .help = "N workers (default: 1) whose probability of being right is unknown and has "
                      "the prior Beta(A,B), independently in each context. May be repeated",
              .count = offsetof(og_assignment_options, workers.group_count), .repeats = true),
    OG_OPTION(PATH, "gold", "FILE", og_assignment_options, gold_file, .only = "simulate",
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "true labels, instead of INSTANCE words",
              .help = "tasks and their true labels, instead of INSTANCE words: a table with the "
                      "columns task and label. Needs --crowd"),
    OG_OPTION(TEXT, "crowd", "MODEL:K", og_assignment_options, crowd, .with = "gold",
              .only = "simulate", .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "with --gold: draw K workers for each run",
              .help = "with --gold: draw K workers for each run. MODEL is spammer-hammer, one-coin "
                      "or malicious"),
    OG_OPTION(PATH, "contexts", "FILE", og_assignment_options, contexts_file, .with = "gold",
              .only = "simulate", .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "with --gold: context of each task",
              .help = "with --gold: context of each task, a table with the columns task and "
                      "context (any words)"),
    OG_OPTION(INT32, "kmeans", "S", og_assignment_options, clusters, .with = "gold",
              .only = "simulate", .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "with --gold: number of contexts to find in --data",
              .help = "with --gold: number of contexts to find in the numbers of --data, 1 to 1000",
              .least = 1, .most = 1000),
    OG_OPTION(PATH, "data", "FILE", og_assignment_options, data_file, .with = "kmeans",
              .only = "simulate", .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "with --kmeans: numbers about each task",
              .help = "with --kmeans: a table with the column task and columns of numbers"),
    OG_OPTION(CUSTOM, "columns", "LIST", og_assignment_options, tables.columns,
              .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "columns of the tables: task=item,label=answer",
              .help = "columns of these tables, by name or number, task=item,label=answer",
              .read = og_columns_keep, .about = "tables, such as --accuracies FILE",
              .is_there = has_table),
    OG_OPTION(CHOICE, "encoding", "NAME", og_assignment_options, tables.encoding,
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "encoding of the tables: utf8 or latin1",
              .help = "encoding of these tables: utf8 or latin1", .fallback = "utf8",
              .choices = "utf8 latin1", .about = "tables, such as --accuracies FILE",
              .is_there = has_table),
    OG_OPTION(TEXT, "classes", "CLASS,...", og_assignment_options, tables.classes, .with = "gold",
              .only = "simulate", .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "with --gold: all classes: neg,neutral,pos",
              .help =
                  "with --gold: all classes in their order, neg,neutral,pos, also those that no "
                  "task has (default: those that occur)"),
    OG_OPTION(PATH, "regret-on", "FILE", og_assignment_options, matrix_file, .only = "compare",
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "add the exact regret of bbta on these labels",
              .help = "add the exact regret of bbta if every worker labelled every task: a table "
                      "with the columns task, worker and label, tasks and workers numbered from 1. "
                      "Values then assume workers of Beta(4,1) if no others are given",
              .given = offsetof(og_assignment_options, regret)),
    OG_OPTION(PATH, "matrix", "FILE", og_assignment_options, matrix_file,
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "--regret-on FILE, with --regret",
              .help = "--regret-on FILE, with --regret", .hidden = true),
    OG_OPTION(SWITCH, "regret", NULL, og_assignment_options, regret, .only = "compare",
              .topic = OG_TOPIC_ASSIGNMENT, .brief = "--regret-on, with --matrix",
              .help = "--regret-on, with --matrix", .hidden = true),
    OG_OPTION(INT64, "max-histories", "N", og_assignment_options, leaves, .was = "leaves",
              .with = "accuracies workers-prior regret-on", .topic = OG_TOPIC_ASSIGNMENT,
              .brief = "label sequences followed for a policy (a limit)",
              .help = "limit of the sequences of labels that are followed for a policy that "
                      "depends on their order",
              .least = 1, .most = OG_ASSIGNMENT_LEAVES_MAX, .fallback = "16777216"),
    OG_OPTION_LAST,
};

static void clear(void *options)
{
    og_assignment_options *own = options;
    og_groups_clear(&own->workers);
}

const og_option_set og_assignment_option_set = {rows, sizeof(og_assignment_options), clear};
