/* fit: a prior from recorded labels, ready to be an INSTANCE. */
#include "bench/recorded/fit.h"

#include <stdio.h>
#include <string.h>

#include "bench/document.h"
#include "bench/recorded/labels.h"
#include "tools/command/commands.h"
#include "tools/show/report.h"

enum { WORDS_BYTES = 24 * OG_CLASSES_MAX };

static og_fit_method method_of(const command_request *request)
{
    return strcmp(request->method, "ml") == 0        ? OG_FIT_ML
           : strcmp(request->method, "moments") == 0 ? OG_FIT_MOMENTS
                                                     : OG_FIT_PAPER;
}

static const char *join(const double *value, int32_t count, const char *between, int digits,
                        char words[WORDS_BYTES])
{
    size_t used = 0;
    for (int32_t k = 0; k < count; k++) {
        used += (size_t)snprintf(words + used, WORDS_BYTES - used, "%s%.*g", k > 0 ? between : "",
                                 digits, value[k]);
    }
    return words;
}

static og_document *describe(const command_request *request, const og_fit *fit)
{
    char words[WORDS_BYTES];
    og_document *document = og_document_new();
    og_put_numbers(document, "prior", fit->parameter, fit->class_count);
    og_put_text(document, "method", request->method);
    if (method_of(request) == OG_FIT_ML) {
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
    og_put_number(document, "log_likelihood", fit->log_likelihood);
    /* Twelve digits: more than the data say, and always readable as an INSTANCE. */
    og_show_paragraph(document, "%s", join(fit->parameter, fit->class_count, ",", 12, words));
    return document;
}

static int run(command_request *request)
{
    og_message message = {""};
    og_labels labels = {0};
    og_fit fit;
    char words[WORDS_BYTES];
    og_status status = og_labels_read(request->file, &labels, &message);
    if (status == OG_OK) {
        status = og_fit_prior(&labels, method_of(request), &fit, &message);
    }
    og_labels_clear(&labels);
    if (status != OG_OK) {
        return complain(status, &message);
    }
    int code = show(describe(request, &fit), request->json);
    bool wanted = !request->json && !request->quiet && method_of(request) == OG_FIT_ML;
    if (code == EXIT_RESULT && wanted && fflush(stdout) == 0) { /* else there is no result */
        note("standard errors %s", join(fit.standard_error, fit.class_count, ", ", 3, words));
    }
    return code;
}

static const og_option_row options[] = {
    OG_OPTION(CHOICE, "method", "METHOD", command_request, method,
              .help = "ml: maximum likelihood of the beta-binomial; moments: its moments, without "
                      "the noise of counting; paper: moments of the tasks' fractions, noise "
                      "included [Hu and Frazier]",
              .fallback = "ml", .choices = "ml moments paper"),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_fit = {
    .name = "fit",
    .summary = "a Beta prior from recorded labels",
    .word = FILE_WORD("LABELS.tsv", .required = "no file of labels is given, such as labels.tsv",
                      .once = "fit reads one file"),
    .about = "Fit a Beta prior to recorded labels and print it as A,B; the standard errors of A "
             "and B go to standard error.",
    .details = "Example:\n"
               "\n"
               "  optgap compare -T 12 10x$(optgap fit --quiet labels.tsv)\n"
               "\n"
               "The file is tab separated; its first line names the columns, among them task, "
               "worker and label; labels are 0 or 1.\n"
               "\n"
               "Maximum likelihood is what to use. Two labels of a task differ by chance: the "
               "paper's formula takes that for differences between tasks, so that 30000 tasks "
               "drawn from Beta(2,2) with two labels each look like 0.33,0.33. It is there to "
               "repeat the paper's figures.\n"
               "\n"
               "JSON: prior, method, standard_error (of maximum likelihood, from the observed "
               "information; else null), tasks, labels, mean, variance (of the tasks' fractions "
               "of ones), log_likelihood.",
    .options = options,
    .run = run,
};
