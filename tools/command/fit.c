/* The command fit: fits a prior to recorded labels and prints it as an INSTANCE. */
#include "bench/recorded/fit.h"

#include <stdio.h>
#include <string.h>

#include "bench/document.h"
#include "bench/recorded/labels.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { WORDS_BYTES = 24 * OG_CLASSES_MAX };

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

static og_document *describe(const command_request *request, const og_fit *fit,
                             const og_labels *labels, int64_t repeats)
{
    char words[WORDS_BYTES];
    og_document *document = og_document_new();
    og_put_numbers(document, "prior", fit->parameter, fit->class_count);
    og_put_text(document, "method", request->method);
    if (og_fit_method_of(request->method) == OG_FIT_ML) {
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
    og_put_whole(document, "repeated_labels", (uint64_t)repeats);
    og_document *classes = og_put_array(document, "classes");
    for (int32_t k = 0; k < fit->class_count; k++) {
        og_put_text(classes, NULL, og_labels_outcome_name(labels, k));
    }
    og_put_number(document, "log_likelihood", fit->log_likelihood);
    /* Twelve digits: more than the data support, and always readable as an INSTANCE. */
    og_show_paragraph(document, "%s", join(fit->parameter, fit->class_count, ",", 12, words));
    return document;
}

/* Notes about a table with other labels than 0 and 1, or with repeated labels. */
static void tell_labels(const og_labels *labels, int64_t repeats)
{
    char words[OG_CLASSES_MAX * (OG_CLASS_NAME_BYTES + 2)] = "";
    int32_t classes = og_labels_classes(labels);
    for (int32_t k = 0; k < classes; k++) {
        strcat(strcat(words, k > 0 ? ", " : ""), og_labels_outcome_name(labels, k));
    }
    if (strcmp(words, "1, 0") != 0) {
        note(classes == 2 ? "the labels are %s; A is for the first"
                          : "the labels are of the classes %s, in this order",
             words);
    }
    if (repeats > 0) {
        note("%lld labels are of a worker who had labelled the task before", (long long)repeats);
    }
}

/* What is read and fitted. */
typedef struct {
    og_labels labels;
    og_fit fit;
    int64_t repeats;
} fitted;

/* Only reading takes time. During it a signal ends the program, because the file may be a pipe. */
static og_status read_and_fit(og_asked *asked, og_message *message)
{
    const command_request *request = asked->user;
    fitted *const *given = asked->given;
    fitted *out = *given;
    OG_TRY(og_labels_read(request->file, &asked->request.settings, &out->labels, message));
    OG_TRY(og_fit_prior(&out->labels, og_fit_method_of(request->method), &out->fit, message));
    OG_TRY(og_labels_repeats(&out->labels, &out->repeats));
    asked->box->document = describe(request, &out->fit, &out->labels, out->repeats);
    return OG_OK;
}

static int tell_more(const command_request *request, const og_asked *asked)
{
    fitted *const *given = asked->given;
    const fitted *found = *given;
    char words[WORDS_BYTES];
    og_message message = {""};
    if (request->json || request->quiet || fflush(stdout) != 0 || ferror(stdout) != 0) {
        return EXIT_RESULT; /* without a result, main reports it */
    }
    if (og_fit_method_of(request->method) == OG_FIT_ML) {
        note("standard errors %s",
             join(found->fit.standard_error, found->fit.class_count, ", ", 3, words));
    }
    tell_labels(&found->labels, found->repeats);
    og_labels_warning(&found->labels, request->file, &message);
    tell(&message);
    return EXIT_RESULT;
}

static int run(command_request *request)
{
    static const og_question_kind kind = {.answer = read_and_fit};
    static const question about = {.ask = &kind, .fail = fail_by_limit, .finish = tell_more};
    fitted found = {.repeats = 0};
    fitted *given = &found;
    int code = answer_question(request, &about, &given);
    og_labels_clear(&found.labels);
    return code;
}

static const og_option_row options[] = {
    OG_OPTION(CHOICE, "method", "METHOD", command_request, method, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "ml (maximum likelihood), moments or paper",
              .help = "ml: maximum likelihood of the beta-binomial distribution. moments: its "
                      "moments, corrected for the noise of the counts. paper: moments of the "
                      "tasks' shares of positive labels, without this correction (Hu and Frazier)",
              .fallback = "ml", .choices = "ml moments paper"),
    OG_OPTION_TABLE(label_rows),
    OG_OPTION_TABLE(time_rows),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_fit = {
    .name = "fit",
    .summary = "fit a prior to recorded labels",
    .word = FILE_WORD("LABELS.tsv", .required = "no file of labels is given, such as labels.tsv",
                      .once = "fit reads one file"),
    .brief = "Fit a prior (a Beta or Dirichlet distribution of soft labels) to recorded\n"
             "labels, and print it as A,B, for an INSTANCE.",
    .example = "  optgap fit --quiet labels.tsv\n"
               "  optgap compare -T 12 10x$(optgap fit --quiet labels.tsv)",
    .notes = "The table has the columns task, worker and label; - reads standard input. Labels\n"
             "are 0 and 1, or two to ten classes. More about files: optgap help files",
    .about = "Fits a Beta prior to recorded labels and prints it as A,B. The standard errors of A "
             "and B go to standard error.",
    .details =
        "Example:\n"
        "\n"
        "  optgap compare -T 12 10x$(optgap fit --quiet labels.tsv)\n"
        "\n"
        "The file is a table, possibly compressed with gzip; - is standard input. Its first "
        "line names the columns, separated by tabs, commas, semicolons or |; task, worker and "
        "label, or other usual names such as item, annotator and answer, are used. Labels are "
        "0 and 1, no and yes, false and true, or two to ten classes with any names, which are "
        "sorted. Of two classes the second is positive; A counts it. Three or more get a "
        "Dirichlet prior, A,B,C and so on.\n"
        "\n"
        "Use maximum likelihood, the default. The paper's formula treats chance differences "
        "between two labels of a task as differences between tasks: 30000 tasks drawn from "
        "Beta(2,2) with two labels each look like 0.33,0.33. It is there to reproduce the "
        "paper's figures.",
    .options = options,
    .run = run,
};
