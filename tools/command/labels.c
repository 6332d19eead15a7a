/* labels: what a file of labels holds, and the same as a plain table. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/document.h"
#include "bench/recorded/summary.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/option/study_options.h"
#include "tools/show/columns.h"
#include "tools/show/report.h"

typedef struct {
    og_labels labels;
    uint8_t *gold; /* [labels.task_count]; NULL: none is given */
    og_gold_count count;
    og_summary summary;
} work;

/* ---- the plain table ---- */

static og_status put_name(FILE *table, const char *name, bool commas, og_message *message)
{
    return show_field(table, name, commas)
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "the name '%.60s' has a tab or a line end; write a file that ends "
                                "in .csv",
                                name);
}

static og_status put_rows(FILE *table, const og_labels *labels, bool commas, og_message *message)
{
    char mark = commas ? ',' : '\t';
    fprintf(table, "task%cworker%clabel\n", mark, mark);
    for (int64_t i = 0; i < labels->label_count; i++) {
        OG_TRY(put_name(table, og_labels_task_name(labels, labels->task[i]), commas, message));
        fputc(mark, table);
        OG_TRY(put_name(table, og_labels_worker_name(labels, labels->worker[i]), commas, message));
        fputc(mark, table);
        OG_TRY(put_name(table, og_labels_class_name(labels, labels->label[i]), commas, message));
        fputc('\n', table);
    }
    return OG_OK;
}

static og_status write_table(const og_labels *labels, const char *path, og_message *message)
{
    size_t length = strlen(path), size = 0;
    bool commas = length >= 4 && strcmp(path + length - 4, ".csv") == 0;
    char *text = NULL;
    FILE *table = open_memstream(&text, &size);
    OG_TRY(OG_ALLOCATED(table));
    og_status status = put_rows(table, labels, commas, message);
    bool failed = ferror(table) != 0;
    failed = fclose(table) != 0 || failed;
    OG_THEN(status, failed ? OG_NO_MEMORY : OG_OK);
    OG_THEN(status, save_output(path, "table", text, size, message));
    free(text);
    return status;
}

/* ---- the summary ---- */

static void put_range(og_document *document, const char *name, int64_t least, double mean,
                      int64_t most)
{
    og_document *range = og_put_object(document, name);
    og_put_whole(range, "least", (uint64_t)least);
    og_put_number(range, "mean", mean);
    og_put_whole(range, "most", (uint64_t)most);
}

/* "8 of a task", "1 to 12 of a task". */
static void show_range(og_document *document, int64_t least, int64_t most, const char *of)
{
    og_show_more(document, ", %" PRId64, least);
    if (most > least) {
        og_show_more(document, " to %" PRId64, most);
    }
    og_show_more(document, " of a %s", of);
}

static void put_classes(const work *of, og_document *document)
{
    const og_labels *labels = &of->labels;
    og_document *classes = og_put_array(document, "classes");
    for (int32_t k = 0; k < og_labels_classes(labels); k++) {
        int64_t count = of->summary.of_class[k];
        og_document *row = og_put_object(classes, NULL);
        og_put_text(row, "class", og_labels_class_name(labels, k));
        og_put_whole(row, "labels", (uint64_t)count);
        og_put_number(row, "share", (double)count / (double)labels->label_count);
        og_show_cell(row, "share", "%.1f %%", 100.0 * (double)count / (double)labels->label_count);
    }
    og_document *table = og_show_table(document, classes);
    og_show_column(table, "class", 'l', "class", OG_SHOW_PLAIN);
    og_show_column(table, "labels", 'r', "labels", OG_SHOW_PLAIN);
    og_show_column(table, "share", 'r', "share", OG_SHOW_PLAIN);
}

static void put_gold(const work *of, og_document *document)
{
    int64_t known = (int64_t)of->labels.task_count - of->count.missing;
    og_document *gold = og_put_object(document, "gold");
    og_put_whole(gold, "tasks", (uint64_t)known);
    og_put_whole(gold, "tasks_without_gold", (uint64_t)of->count.missing);
    og_put_whole(gold, "gold_without_labels", (uint64_t)of->count.unknown);
    og_put_number(gold, "majority_accuracy", of->summary.majority);
    og_show_field(document, "Gold", "%" PRId64 " tasks; the majority is right in %.2f %%", known,
                  100 * of->summary.majority);
}

static void put_counts(const work *of, og_document *document)
{
    const og_labels *labels = &of->labels;
    const og_summary *summary = &of->summary;
    double all = (double)labels->label_count;
    og_put_whole(document, "tasks", labels->task_count);
    og_put_whole(document, "tasks_without_labels", labels->unlabelled_count);
    og_put_whole(document, "workers", labels->worker_count);
    og_put_whole(document, "labels", (uint64_t)labels->label_count);
    og_put_whole(document, "rows_without_label", (uint64_t)labels->missing);
    og_put_whole(document, "repeated_labels", (uint64_t)summary->repeats);
    put_range(document, "labels_per_task", summary->least_of_task, all / labels->task_count,
              summary->most_of_task);
    put_range(document, "labels_per_worker", summary->least_of_worker, all / labels->worker_count,
              summary->most_of_worker);
    og_put_whole(document, "ties", (uint64_t)summary->ties);
    og_put_number(document, "agreement", summary->agreement);
    og_put_number(document, "alpha", summary->alpha);
    og_show_field(document, "Tasks", "%" PRIu32, labels->task_count);
    if (labels->unlabelled_count > 0) {
        og_show_more(document, ", and %" PRIu32 " without labels", labels->unlabelled_count);
    }
    og_show_field(document, "Workers", "%" PRIu32, labels->worker_count);
    og_show_field(document, "Labels", "%" PRId64, labels->label_count);
    show_range(document, summary->least_of_task, summary->most_of_task, "task");
    show_range(document, summary->least_of_worker, summary->most_of_worker, "worker");
    og_show_field(document, "Repeated",
                  "%" PRId64 " (labels of a worker who had labelled the task before)",
                  summary->repeats);
    og_show_field(document, "Ties", "%" PRId64 " (tasks without a majority)", summary->ties);
    if (!isnan(summary->agreement)) {
        og_show_field(document, "Agreement", "%.1f %% of pairs", 100 * summary->agreement);
    }
    if (!isnan(summary->alpha)) {
        og_show_more(document, "; Krippendorff's alpha %.3f", summary->alpha);
    }
}

static og_document *describe(const work *of)
{
    og_document *document = og_document_new();
    og_put_text(document, "form", of->labels.form.text);
    og_show_field(document, "Form", "%s", of->labels.form.text);
    put_counts(of, document);
    if (of->gold != NULL) {
        put_gold(of, document);
    } else {
        og_put_null(document, "gold");
    }
    put_classes(of, document);
    return document;
}

/* ---- the command ---- */

static og_status read_all(og_asked *asked, og_message *message)
{
    const command_request *request = asked->user;
    const og_settings *settings = &asked->request.settings;
    work *const *given = asked->given;
    work *of = *given;
    OG_TRY(og_labels_read(request->file, settings, &of->labels, message));
    if (request->gold_file != NULL) {
        of->gold = calloc((size_t)of->labels.task_count + 1, 1);
        OG_TRY(OG_ALLOCATED(of->gold));
        OG_TRY(
            og_gold_read(request->gold_file, &of->labels, settings, of->gold, &of->count, message));
    }
    OG_TRY(og_summary_of(&of->labels, of->gold, &of->summary));
    OG_TRY(request->output != NULL ? write_table(&of->labels, request->output, message) : OG_OK);
    og_labels_warning(&of->labels, request->file, &asked->warning);
    asked->box->document = describe(of);
    return OG_OK;
}

static int run(command_request *request)
{
    static const og_question_kind kind = {.answer = read_all};
    static const question about = {.ask = &kind, .fail = fail_by_limit};
    work of = {.gold = NULL};
    work *given = &of;
    int code = answer_question(request, &about, &given);
    og_labels_clear(&of.labels);
    free(of.gold);
    return code;
}

static const og_option_row options[] = {
    OG_OPTION(PATH, "gold", "FILE", command_request, gold_file, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "true labels: columns task, label",
              .help = "the true labels, a table with the columns task and label; perhaps the same "
                      "file"),
    OG_OPTION(OUTPUT, "output", "FILE", command_request, output, .topic = OG_TOPIC_OUTPUT,
              .letter = 'o', .what = "table", .basic = true,
              .brief = "write the labels as a plain table",
              .help = "also write the labels as a table with the columns task, worker and label, "
                      "with commas if FILE ends in .csv, else with tabs"),
    OG_OPTION_TABLE(label_rows),
    OG_OPTION_TABLE(time_rows),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_labels = {
    .name = "labels",
    .summary = "print what a file of labels holds",
    .word = FILE_WORD("LABELS", .required = "no file of labels is given, such as labels.tsv",
                      .once = "labels reads one file"),
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
        "JSON: form (how the file was read), tasks, tasks_without_labels, workers, labels, "
        "rows_without_label, repeated_labels (of a worker who had labelled the task before), "
        "labels_per_task.least, .mean, .most, labels_per_worker, ties, agreement, alpha, "
        "gold.tasks, .tasks_without_gold, .gold_without_labels, .majority_accuracy (a tie of k "
        "classes counts 1/k), classes[].class, .labels, .share (the positive one of two is the "
        "second).",
    .options = options,
    .run = run,
};
