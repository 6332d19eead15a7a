/* labels: what a file of labels holds, and the same as a plain table. */
#include "tools/command/commands.h"
#include "tools/command/open.h"

static int run(command_request *request)
{
    static const question about = {.ask = &og_question_labels, .fail = fail_by_limit};
    request->wish.labels.file = request->wish.file;
    return answer_question(request, &about, &request->wish.labels);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(og_labels_options),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_labels = {
    .name = "labels",
    .summary = "print what a file of labels holds",
    .word = FILE_WORD("LABELS", .repeats = true,
                      .required = "no file of labels is given, such as labels.tsv"),
    .brief = "Print how optgap reads a file of labels, what it holds, and how far the labels\n"
             "agree. With -o also write them as a plain table.",
    .example = "  optgap labels labels.tsv\n"
               "  optgap labels --missing unsure,-1 labels.tsv -o plain.csv",
    .notes = "Formats and columns: optgap help files",
    .about = "Prints how a file of labels is read and what it holds: tasks, workers, classes, "
             "repeated labels, ties and agreement; with --gold also how often the majority is "
             "right. With -o the labels are also written as a plain table.",
    .details =
        "Examples:\n"
        "\n"
        "  optgap labels labels.tsv\n"
        "  optgap labels --missing unsure,-1 labels.tsv -o plain.csv\n"
        "\n"
        "Agreement is the share of pairs of labels of a task that are equal; Krippendorff's alpha "
        "is 1 if all are, and 0 if they are as by chance.\n"
        "\n"
        "JSON: form (how the file was read), tasks, tasks_without_labels, workers, "
        "labels_without_worker, labels, rows_without_label, repeated_labels (of a worker who had "
        "labelled the task before), "
        "labels_per_task.least, .mean, .most, labels_per_worker, ties, agreement, alpha, "
        "gold.tasks, .tasks_without_gold, .gold_without_labels, .majority_accuracy (a tie of k "
        "classes counts 1/k), classes[].class, .labels, .share (the positive one of two is the "
        "second).",
    .options = options,
    .run = run,
};
