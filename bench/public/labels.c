/* What a file of labels holds, the same as a plain table, and the prior fitted to it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/public/recording.h"
#include "bench/public/traced.h"
#include "bench/recorded/fit.h"
#include "bench/recorded/summary.h"
#include "bench/words.h"

typedef struct {
    og_labels labels;
    bool commas;   /* between the fields of the plain table */
    uint8_t *gold; /* [labels.task_count]; NULL: none is given */
    og_gold_count count;
    og_summary summary;
} labels_work;

/* ---- the plain table ---- */

static og_status put_name(FILE *table, const char *name, bool commas, og_message *message)
{
    return og_write_field(table, name, commas)
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "the name '%.60s' has a tab or a line end; write a file that ends "
                                "in .csv",
                                name);
}

static og_status put_rows(void *user, FILE *table, og_message *message)
{
    const labels_work *work = user;
    const og_labels *labels = &work->labels;
    bool commas = work->commas;
    char mark = commas ? ',' : '\t';
    for (int64_t i = 0; i < labels->label_count; i++) {
        OG_TRY(put_name(table, og_labels_task_name(labels, labels->task[i]), commas, message));
        fputc(mark, table);
        OG_TRY(put_name(table, og_labels_worker_name(labels, labels->worker[i]), commas, message));
        fputc(mark, table);
        OG_TRY(put_name(table, og_labels_class_name(labels, labels->label[i]), commas, message));
        fputc('\n', table);
    }
    for (uint32_t i = 0; i < labels->unlabelled_count; i++) {
        const char *name = og_labels_task_name(labels, labels->task_count + i);
        OG_TRY(put_name(table, name, commas, message));
        fprintf(table, "%c%c\n", mark, mark);
    }
    return OG_OK;
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
static void show_range(og_document *document, int64_t least, int64_t most, const char *what)
{
    og_show_more(document, ", %" PRId64, least);
    if (most > least) {
        og_show_more(document, " to %" PRId64, most);
    }
    og_show_more(document, " of a %s", what);
}

static void put_classes(const labels_work *work, og_document *document)
{
    const og_labels *labels = &work->labels;
    og_document *classes = og_put_array(document, "classes");
    for (int32_t k = labels->classes.lone ? 1 : 0; k < og_labels_classes(labels); k++) {
        int64_t count = work->summary.of_class[k];
        og_document *row = og_put_object(classes, NULL);
        og_put_text(row, "class", og_labels_class_name(labels, k));
        og_put_whole(row, "labels", (uint64_t)count);
        double share = count > 0 ? (double)count / (double)labels->label_count : 0;
        og_put_number(row, "share", share);
        og_show_cell(row, "share", "%.1f %%", 100 * share);
    }
    og_document *table = og_show_table(document, classes);
    og_show_column(table, "class", 'l', "class", OG_SHOW_PLAIN);
    og_show_column(table, "labels", 'r', "labels", OG_SHOW_PLAIN);
    og_show_column(table, "share", 'r', "share", OG_SHOW_PLAIN);
}

static void put_gold(const labels_work *work, og_document *document)
{
    int64_t known = (int64_t)work->labels.task_count - work->count.missing;
    og_document *gold = og_put_object(document, "gold");
    og_put_whole(gold, "tasks", (uint64_t)known);
    og_put_whole(gold, "tasks_without_gold", (uint64_t)work->count.missing);
    og_put_whole(gold, "gold_without_labels", (uint64_t)work->count.unknown);
    og_put_number(gold, "majority_accuracy", work->summary.majority);
    og_show_field(document, "Gold", "%" PRId64 " tasks; the majority is right in %.2f %%", known,
                  100 * work->summary.majority);
}

static double mean_of(double sum, uint32_t count)
{
    return count > 0 ? sum / count : 0;
}

static void put_counts(const labels_work *work, og_document *document)
{
    const og_labels *labels = &work->labels;
    const og_summary *summary = &work->summary;
    double all = (double)labels->label_count, nameless = labels->worker_count - labels->named_count;
    bool named = labels->named_count > 0;
    og_put_whole(document, "tasks", labels->task_count);
    og_put_whole(document, "tasks_without_labels", labels->unlabelled_count);
    og_put_whole(document, "workers", labels->named_count);
    og_put_whole(document, "labels_without_worker", (uint64_t)nameless);
    og_put_whole(document, "labels", (uint64_t)labels->label_count);
    og_put_whole(document, "rows_without_label", (uint64_t)labels->missing);
    og_put_whole(document, "repeated_labels", (uint64_t)labels->repeats);
    put_range(document, "labels_per_task", summary->least_of_task, mean_of(all, labels->task_count),
              summary->most_of_task);
    put_range(document, "labels_per_worker", summary->least_of_worker,
              mean_of(all - nameless, labels->named_count), summary->most_of_worker);
    og_put_whole(document, "ties", (uint64_t)summary->ties);
    og_put_number(document, "agreement", summary->agreement);
    og_put_number(document, "alpha", summary->alpha);
    og_show_field(document, "Tasks", "%" PRIu32, labels->task_count);
    if (labels->unlabelled_count > 0) {
        og_show_more(document, ", and %" PRIu32 " without labels", labels->unlabelled_count);
    }
    og_show_field(document, "Workers", "%" PRIu32, labels->named_count);
    if (nameless > 0) {
        og_show_more(document, "; %.0f label%s without a worker's name", nameless,
                     nameless > 1 ? "s" : "");
    }
    og_show_field(document, "Labels", "%" PRId64, labels->label_count);
    show_range(document, summary->least_of_task, summary->most_of_task, "task");
    if (named) {
        show_range(document, summary->least_of_worker, summary->most_of_worker, "worker");
    }
    if (labels->missing > 0) {
        og_show_field(document, "Missing", "%" PRId64 " (rows without a label)", labels->missing);
    }
    og_show_field(
        document, "Repeated", "%" PRId64 " (labels of a worker who had labelled the task before)%s",
        labels->repeats, labels->repeats > 0 && labels->repeats_left_out ? ", left out" : "");
    og_show_field(document, "Ties", "%" PRId64 " (tasks without a majority)", summary->ties);
    if (!isnan(summary->agreement)) {
        og_show_field(document, "Agreement", "%.1f %% of pairs", 100 * summary->agreement);
    }
    if (!isnan(summary->alpha)) {
        og_show_more(document, "; Krippendorff's alpha %.3f", summary->alpha);
    }
}

static og_document *summarize(const labels_work *work)
{
    og_document *document = og_document_new();
    og_put_text(document, "form", work->labels.form.text);
    og_show_field(document, "Form", "%s", work->labels.form.text);
    put_counts(work, document);
    if (work->gold != NULL) {
        put_gold(work, document);
    } else {
        og_put_null(document, "gold");
    }
    put_classes(work, document);
    return document;
}

static og_status read_labels(og_asked *asked, labels_work *work, og_message *message)
{
    const og_labels_input *given = asked->given;
    const og_settings *settings = &asked->request.settings;
    size_t length = given->output != NULL ? strlen(given->output) : 0;
    work->commas = length >= 4 && strcmp(given->output + length - 4, ".csv") == 0;
    OG_TRY(og_labels_read_all(given->file, settings, &work->labels, message));
    if (given->gold_file != NULL) {
        work->gold = calloc((size_t)work->labels.task_count + 1, 1);
        OG_TRY(OG_ALLOCATED(work->gold));
        OG_TRY(og_gold_read(given->gold_file, &work->labels, settings, work->gold, &work->count,
                            message));
    }
    OG_TRY(og_summary_of(&work->labels, work->gold, &work->summary));
    const char *head = work->commas ? "task,worker,label\n" : "task\tworker\tlabel\n";
    OG_TRY(given->output != NULL ? og_traced(given->output, "table", head, put_rows, work, message)
                                 : OG_OK);
    asked->document = summarize(work);
    return OG_OK;
}

static og_status answer_labels(og_asked *asked, og_message *message)
{
    labels_work work = {.gold = NULL};
    og_status status = read_labels(asked, &work, message);
    og_labels_clear(&work.labels);
    free(work.gold);
    return status;
}

/* ---- the fit ---- */

static og_document *describe_fit(const og_labels_input *given, const og_fit *fit,
                                 const og_labels *labels)
{
    char words[OG_PRIOR_WORDS];
    og_document *document = og_document_new();
    og_put_numbers(document, "prior", fit->parameter, fit->class_count);
    og_put_text(document, "method", given->method);
    if (og_fit_method_of(given->method) == OG_FIT_ML) {
        og_put_numbers(document, "standard_error", fit->standard_error, fit->class_count);
    } else {
        og_put_null(document, "standard_error");
    }
    og_put_whole(document, "tasks", fit->task_count);
    og_put_whole(document, "labels", (uint64_t)fit->label_count);
    if (fit->class_count == 2) {
        og_put_number(document, "mean", fit->mean[0]);
    } else {
        og_put_numbers(document, "mean", fit->mean, fit->class_count);
    }
    og_put_number(document, "variance", fit->variance);
    og_put_whole(document, "repeated_labels", (uint64_t)labels->repeats);
    og_document *classes = og_put_array(document, "classes");
    for (int32_t k = 0; k < fit->class_count; k++) {
        og_put_text(classes, NULL, og_labels_outcome_name(labels, k));
    }
    og_put_number(document, "log_likelihood", fit->log_likelihood);
    og_show_paragraph(document, "%s", og_prior_words(fit->parameter, fit->class_count, words));
    return document;
}

/* Only reading takes time. */
static og_status read_and_fit(og_asked *asked, og_labels *labels, og_message *message)
{
    const og_labels_input *given = asked->given;
    og_fit fit;
    OG_TRY(given->file != NULL
               ? og_labels_read(given->file, &asked->request.settings, labels, message)
               : og_labels_borrow(given->count, given->task, NULL, given->label, labels, message));
    OG_TRY(og_fit_prior(labels, og_fit_method_of(given->method), &fit, message));
    if (given->file != NULL) {
        og_labels_warning(labels, given->file, &asked->warning);
    }
    asked->document = describe_fit(given, &fit, labels);
    return OG_OK;
}

static og_status answer_fit(og_asked *asked, og_message *message)
{
    const og_labels_input *given = asked->given;
    og_labels labels = {0};
    og_status status = read_and_fit(asked, &labels, message);
    if (given->file != NULL) {
        og_labels_clear(&labels);
    }
    return status;
}

const og_question_kind og_question_labels = {.answer = answer_labels};
const og_question_kind og_question_fit = {.answer = answer_fit};
