/* fit: a Beta prior from recorded labels, ready to be an INSTANCE. */

#include "bench/recorded/fit.h"
#include "bench/document.h"
#include "bench/recorded/labels.h"
#include "tools/command/commands.h"
#include "tools/show/report.h"

static og_document *describe(const command_request *request, const og_fit *fit)
{
    double prior[] = {fit->a, fit->b};
    og_document *document = og_document_new();
    og_put_numbers(document, "prior", prior, 2);
    og_put_text(document, "method", request->maximum_likelihood ? "ml" : "moments");
    og_put_whole(document, "tasks", fit->task_count);
    og_put_whole(document, "labels", (uint64_t)fit->label_count);
    og_put_number(document, "mean", fit->mean);
    og_put_number(document, "variance", fit->variance);
    og_put_number(document, "log_likelihood", fit->log_likelihood);
    /* Twelve digits: more than the data say, and always readable as an INSTANCE. */
    og_show_paragraph(document, "%.12g,%.12g", fit->a, fit->b);
    return document;
}

static int run(command_request *request)
{
    og_message message = {""};
    og_labels labels = {0};
    og_fit fit;
    og_status status = og_labels_read(request->file, &labels, &message);
    if (status == OG_OK) {
        status = request->maximum_likelihood ? og_fit_ml(&labels, &fit, &message)
                                             : og_fit_moments(&labels, &fit, &message);
    }
    og_labels_clear(&labels);
    return status == OG_OK ? show(describe(request, &fit), request->json)
                           : complain(status, &message);
}

static const og_option_row options[] = {
    OG_OPTION(EITHER, "method", "METHOD", command_request, maximum_likelihood,
              .help = "moments of the tasks' fractions of ones, or ml: maximum likelihood of the "
                      "beta-binomial",
              .fallback = "moments", .choices = "moments ml"),
    OG_OPTION_TABLE(json_rows),
    OG_OPTION_LAST,
};

const command command_fit = {
    .name = "fit",
    .summary = "a Beta prior from recorded labels",
    .word = FILE_WORD("LABELS.tsv", .required = "no file of labels is given, such as labels.tsv",
                      .once = "fit reads one file"),
    .about = "Fit a Beta prior to recorded labels and print it as A,B.",
    .details = "Example:\n"
               "\n"
               "  optgap compare -T 12 10x$(optgap fit labels.tsv)\n"
               "\n"
               "The file is tab separated; its first line names the columns, among them task, "
               "worker and label; labels are 0 or 1.\n"
               "\n"
               "JSON: prior, method, tasks, labels, mean, variance (of the tasks' fractions of "
               "ones), log_likelihood.",
    .options = options,
    .run = run,
};
