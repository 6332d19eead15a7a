/* The command fit: fits a prior to recorded labels and prints it as an INSTANCE. */
#include <stdio.h>
#include <string.h>

#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/report.h"

enum { WORDS_BYTES = 1024 }; /* of the names of all classes */

/* The children of an array, with commas between; "" if it is none. */
static void join(const og_document *array, char words[WORDS_BYTES])
{
    og_text out = og_text_begin(words, WORDS_BYTES);
    for (int32_t k = 0; k < og_document_count(array); k++) {
        const og_document *one = og_document_child(array, k);
        const char *text = og_document_text(one);
        og_text_add(&out, "%s", k > 0 ? ", " : "");
        if (text != NULL) {
            og_text_add(&out, "%s", text);
        } else {
            og_text_add(&out, "%.3g", og_document_number(one));
        }
    }
}

/* Without a result, main reports it. */
static bool tells(const command_request *request)
{
    return !request->json && !request->quiet && fflush(stdout) == 0 && ferror(stdout) == 0;
}

/* With notes about the errors, and about a table with other labels than 0 and 1. */
static int show_fit(const command_request *request, og_document *document)
{
    char errors[WORDS_BYTES], classes[WORDS_BYTES];
    bool two = og_document_count(og_document_find(document, "classes")) == 2;
    join(og_document_find(document, "standard_error"), errors);
    join(og_document_find(document, "classes"), classes);
    int code = show(document, request);
    if (code != EXIT_RESULT || !tells(request)) {
        return code;
    }
    if (errors[0] != '\0') {
        note("standard errors %s", errors);
    }
    if (strcmp(classes, "1, 0") != 0) {
        note(two ? "the labels are %s; A is for the first"
                 : "the labels are of the classes %s, in this order",
             classes);
    }
    return EXIT_RESULT;
}

static int tell_warning(const command_request *request, const og_asked *asked)
{
    if (tells(request)) {
        tell(&asked->warning);
    }
    return EXIT_RESULT;
}

static int run(command_request *request)
{
    static const question about = {
        .ask = &og_question_fit, .show = show_fit, .fail = fail_by_limit, .finish = tell_warning};
    request->wish.labels.file = request->wish.file;
    return answer_question(request, &about, &request->wish.labels);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(og_fit_options),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_fit = {
    .name = "fit",
    .summary = "fit a prior to recorded labels",
    .word = FILE_WORD("LABELS.tsv", .repeats = true,
                      .required = "no file of labels is given, such as labels.tsv"),
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
