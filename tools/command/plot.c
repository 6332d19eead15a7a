/* plot: a figure of a study, as a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/suggest.h"
#include "tools/command/commands.h"
#include "tools/figure/figure.h"
#include "tools/figure/plots.h"
#include "tools/option/study_options.h"
#include "tools/show/report.h"

static og_status find_kind(const char *name, plot_kind *out, og_message *message)
{
    const char *names[PLOT_KINDS];
    for (int i = 0; i < PLOT_KINDS; i++) {
        names[i] = plot_infos[i].name;
        if (strcmp(name, names[i]) == 0) {
            *out = (plot_kind)i;
            return OG_OK;
        }
    }
    char hint[OG_SUGGESTION_BYTES];
    return og_message_set(message, OG_BAD_INPUT,
                          "unknown kind of figure '%.64s'%s (known: %s, %s, %s, %s, %s)", name,
                          og_suggestion(name, names, PLOT_KINDS, hint), names[0], names[1],
                          names[2], names[3], names[4]);
}

static og_status find_format(const char *path, picture_format *out, og_message *message)
{
    const char *dot = strrchr(path, '.');
    if (dot != NULL && strcmp(dot, ".svg") == 0) {
        *out = PICTURE_SVG;
    } else if (dot != NULL && strcmp(dot, ".png") == 0) {
        *out = PICTURE_PNG;
    } else {
        return og_message_set(message, OG_BAD_INPUT,
                              "-o must name a file that ends in .svg or .png, not '%.200s'", path);
    }
    return OG_OK;
}

static og_status draw(const command_request *request, plot_request *wanted, picture_format format,
                      og_message *message)
{
    og_study_db *db = NULL;
    figure made = {.panel_count = 0};
    char *bytes = NULL;
    size_t size = 0;
    og_status status = og_study_db_open(request->file, false, NULL, &db, message);
    if (status == OG_OK) {
        status = plot_make(db, wanted, &made, message);
    }
    if (status == OG_OK) {
        status = figure_draw(&made, format, &bytes, &size, message);
    }
    if (status == OG_OK) {
        status = save_output(request->output, "figure", bytes, size, message);
    }
    free(bytes);
    figure_clear(&made);
    og_study_db_close(db);
    return status;
}

static int run(command_request *request)
{
    og_message message = {""};
    og_study only = {0};
    plot_request wanted = {.only = &only, .logarithmic = request->logarithmic};
    picture_format format = PICTURE_SVG;
    og_status status = OG_OK;
    if (request->plot == NULL) {
        status = og_message_set(&message, OG_BAD_INPUT,
                                "the kind of figure is missing, such as 'optgap plot %.200s value "
                                "-o value.svg'",
                                request->file);
    }
    if (status == OG_OK) {
        status = read_study_words(request, &only, &message);
    }
    if (status == OG_OK) {
        status = find_kind(request->plot, &wanted.kind, &message);
    }
    if (status == OG_OK) {
        status = find_format(request->output, &format, &message);
    }
    if (status == OG_OK) {
        status = draw(request, &wanted, format, &message);
    }
    og_study_clear(&only);
    return status == OG_OK ? EXIT_RESULT : complain(status, &message);
}

/* The study, then the kind of figure. */
static og_status read_word(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    command_request *request = options;
    (void)row;
    if (request->file == NULL) {
        request->file = text;
    } else if (request->plot == NULL) {
        request->plot = text;
    } else {
        return og_message_set(message, OG_BAD_INPUT,
                              "plot draws one figure of one study; '%.64s' is one word more", text);
    }
    return OG_OK;
}

static const og_option_row options[] = {
    OG_OPTION(OUTPUT, "output", "FILE", command_request, output, .what = "figure",
              .help = "the figure, .svg or .png; required", .letter = 'o',
              .required =
                  "-o FILE is missing: where the figure goes, a name that ends in .svg or .png"),
    OG_OPTION_TABLE(study_rows),
    OG_OPTION(SWITCH, "log", NULL, command_request, logarithmic,
              .help = "gaps on a logarithmic axis; those of 0 are left out"),
    OG_OPTION_LAST,
};

const command command_plot = {
    .name = "plot",
    .summary = "a figure of a study: gaps, values, labels spent, indices",
    .word = {.kind = OG_OPTION_CUSTOM,
             .argument = "STUDY.db KIND",
             .required = "no STUDY.db is given: a database that 'optgap sweep' filled",
             .choices = "gap-budget gap-instances value spent index",
             .read = read_word},
    .about = "Draws a figure from the database that 'optgap sweep' fills.",
    .details = "Kinds:\n"
               "\n"
               "  gap-budget      gap against labels, for one prior and number of instances\n"
               "  gap-instances   gap against instances, for one prior and number of labels\n"
               "  value           value against labels, with the optimum and the best bound\n"
               "  spent           labels per instance against its soft label, from a study\n"
               "                  that was played with --truth list:...\n"
               "  index           the policies' indices, against posterior and labels left\n"
               "\n"
               "Examples:\n"
               "\n"
               "  optgap sweep few.db --prior 1,1 --instances 3 --budget 1:12\n"
               "  optgap plot few.db gap-budget -o gap.svg\n"
               "  optgap plot few.db value --policies kg,opt-kg -o value.png\n"
               "\n"
               "Where a figure is about one prior and the study has several, --prior chooses; "
               "likewise the other options. Lines differ in colours that the colour-blind can tell "
               "apart, in dashes and in marks. gnuplot draws them.",
    .options = options,
    .run = run,
};
