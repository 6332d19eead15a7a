/* The options of the next labels. */
#include <stdlib.h>

#include "bench/wishes/wishes.h"

/* The question reads the words. */
static og_status keep_source(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    og_wishes *wishes = options;
    size_t bytes = ((size_t)wishes->source_count + 1) * sizeof *wishes->sources;
    const char **larger = realloc(wishes->sources, bytes);
    (void)row, (void)message;
    OG_TRY(OG_ALLOCATED(larger));
    wishes->sources = larger;
    wishes->sources[wishes->source_count++] = text;
    return OG_OK;
}

const og_option_row og_next_options[] = {
    OG_OPTION(
        PATH, "labels", "FILE", og_wishes, batch.labels_file, .repeats = true,
        .topic = OG_TOPIC_FILES, .basic = true,
        .brief = "labels: columns task, worker, label; - reads stdin",
        .help =
            "recorded labels, a table with the columns task, worker and label; required without "
            "--tasks and --pairs. May be repeated"),
    OG_OPTION_TABLE(og_label_rows),
    OG_OPTION_TABLE(og_draw_rows),
    OG_OPTION(
        PATH, "tasks", "FILE", og_wishes, batch.tasks_file, .repeats = true,
        .topic = OG_TOPIC_PROBLEM, .basic = true,
        .brief = "more tasks, also without labels: columns task[, p]",
        .help = "more tasks, with or without labels: a table with the column task and, optionally, "
                "p, a model's probability that the task is positive. With --pairs: items. May be "
                "repeated"),
    OG_OPTION(INT32, "budget", "N", og_wishes, budget, .topic = OG_TOPIC_PROBLEM, .basic = true,
              .brief = "number of labels left (required without --final)",
              .help = "number of labels left; required without --final and --pairs", .letter = 'T',
              .most = OG_BUDGET_MAX, .what = "the budget (-T)"),
    OG_OPTION(INT32, "batch", "N", og_wishes, batch.batch, .topic = OG_TOPIC_PROBLEM, .basic = true,
              .brief = "number of labels to choose",
              .help = "number of labels to choose; fewer if fewer are possible", .least = 1,
              .most = OG_BUDGET_MAX, .fallback = "1"),
    OG_OPTION(SWITCH, "final", NULL, og_wishes, batch.final_calls, .topic = OG_TOPIC_QUESTIONS,
              .basic = true, .brief = "print the call of each task instead",
              .help = "print the call of each task instead; with --pairs the ranking"),
    OG_OPTION(INT32, "max-per-task", "N", og_wishes, batch.max_per_task, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "most labels of a task (default: any number)",
              .help = "most labels of a task, including those it has (default: any number)",
              .least = 1, .most = OG_BUDGET_MAX),
    OG_OPTION(INT32, "per-batch", "N", og_wishes, batch.per_batch, .topic = OG_TOPIC_PROBLEM,
              .brief = "most labels of a task in the batch (default: 1)",
              .help = "most labels of one task in the batch, used where that is better "
                      "(default: 1)",
              .least = 1, .most = 20),
    OG_OPTION(PATH, "closed", "FILE", og_wishes, batch.closed_file, .repeats = true,
              .topic = OG_TOPIC_PROBLEM, .brief = "tasks that get no more labels: column task",
              .help =
                  "tasks that get no more labels, a table with the column task. May be repeated"),
    OG_OPTION(
        PATH, "workers-free", "FILE", og_wishes, batch.free_file, .repeats = true,
        .topic = OG_TOPIC_PROBLEM, .basic = true,
        .brief = "who can label: columns worker[, task, capacity]",
        .help = "workers who can label now: a table with the column worker and, optionally, task "
                "and capacity, the number of labels that the worker can give. Each label is given "
                "to a worker who has not labelled the task. May be repeated"),
    OG_OPTION(PATH, "gold", "FILE", og_wishes, batch.gold_file, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "with --final: true labels of some tasks",
              .help = "with --final: true labels of some tasks, columns task and label. Shows how "
                      "reliable the probabilities are, and calibrates them"),
    OG_OPTION(
        TEXT, "workers-prior", "A,B", og_wishes, batch.workers_prior, .topic = OG_TOPIC_PROBLEM,
        .brief = "with --final or --pairs: workers differ; their prior",
        .help = "with --final or --pairs: each worker is right with a probability of its own, "
                "with the prior Beta(A,B), such as 4,1; with --final also A,B/A,B (the first where "
                "a reliable label is the last class) or W*A,B+W*A,B (kinds of workers)"),
    OG_OPTION(PATH, "pairs", "FILE", og_wishes, batch.pairs_file, .repeats = true,
              .topic = OG_TOPIC_FILES, .basic = true,
              .brief = "comparisons: columns left, right, label[, worker]",
              .help = "recorded comparisons instead of labels, columns left, right, label (the "
                      "winner) and, optionally, worker and times; or wins_left, wins_right and "
                      "ties in place of label. Chooses the next pairs. May be repeated"),
    OG_OPTION(CUSTOM, "source", "NAME:PRICE:P[:MOST]", og_wishes, sources,
              .topic = OG_TOPIC_SOURCES, .brief = "source of labels: its price and accuracy",
              .help =
                  "a source of labels: each costs PRICE units of the budget and is right with "
                  "probability P; a task gets at most MOST of them. A,B in place of P: unknown, "
                  "with the prior Beta(A,B) of each of its workers. The name * is that of all "
                  "other workers. May be repeated",
              .read = keep_source, .repeats = true),
    OG_OPTION(POLICY, "policy", "NAME", og_wishes, policies, .topic = OG_TOPIC_POLICIES,
              .basic = true, .brief = "index policy that chooses (default: gittins-fh:10)",
              .help =
                  "policy that chooses (default: gittins-fh:10); with --pairs akg (default up to "
                  "1000 items) or distance",
              .count = offsetof(og_wishes, policy_count)),
    OG_OPTION(TEXT, "prior", "A,B[@D]", og_wishes, batch.prior, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "prior of every task (default: fitted to the labels)",
              .help =
                  "prior of every task; A,B,C,... for several classes. =TP,FP,FN,TN[,U] may "
                  "follow: the worth of calls (default: fitted to the labels, with --workers-prior "
                  "together with the workers; 1,1 if none fits). "
                  "With --pairs: A of every item (default: 1)"),
    OG_OPTION(TEXT, "model-strength", "N", og_wishes, batch.model_strength,
              .topic = OG_TOPIC_PROBLEM, .brief = "p counts as N labels (default: fitted)",
              .help =
                  "number of labels that the probability p of --tasks counts as; auto: fitted to "
                  "the labels (default)"),
    OG_OPTION_TABLE(og_stakes_rows),
    OG_SEED_ROW("1", "seed of the choice among tied tasks"),
    OG_OPTION_TABLE(og_limit_rows),
    OG_OPTION_LAST,
};
