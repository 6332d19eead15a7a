/* The command plot: draws a figure of a study and writes it to a file. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/suggest.h"
#include "tools/command/commands.h"
#include "tools/option/study_options.h"
#include "tools/plot/draw.h"
#include "tools/plot/figure.h"
#include "tools/plot/plots.h"
#include "tools/show/memory.h"
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
    char hint[OG_SUGGESTION_BYTES], known[256] = "";
    for (int i = 0; i < PLOT_KINDS; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    return og_message_set(message, OG_BAD_INPUT, "unknown kind of figure '%.64s'%s (known: %s)",
                          name, og_suggestion(name, names, PLOT_KINDS, hint), known);
}

/* Reads "480x360" or "12x9cm": pixels of 1/96 inch, or the given unit. */
static bool parse_size(const char *text, figure_paper *out)
{
    static const struct {
        const char *name;
        double pixels;
    } units[] = {{"", 1}, {"px", 1}, {"in", 96}, {"cm", 96 / 2.54}, {"mm", 96 / 25.4}};
    enum { LEAST = 100, MOST = 10000 };
    char *end = NULL;
    const char *by = text + strspn(text, "0123456789.");
    const char *unit = by + (*by == 'x') + strspn(by + (*by == 'x'), "0123456789.");
    double width = strtod(text, &end);
    if (end == text || end != by || *by != 'x') {
        return false;
    }
    double height = strtod(by + 1, &end);
    if (end == by + 1 || end != unit) {
        return false;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].name) == 0) {
            out->width = width * units[i].pixels;
            out->height = height * units[i].pixels;
            return out->width >= LEAST && out->width <= MOST && out->height >= LEAST &&
                   out->height <= MOST;
        }
    }
    return false;
}

/* Reads "Times", "Times,10" or "10". */
static bool parse_font(const char *text, figure_paper *out)
{
    const char *comma = strrchr(text, ',');
    const char *points = comma != NULL ? comma + 1 : text;
    size_t digits = strspn(points, "0123456789.");
    bool sized = digits > 0 && points[digits] == '\0';
    size_t length = comma != NULL ? (size_t)(comma - text) : sized ? 0 : strlen(text);
    if (length >= sizeof out->font || (comma != NULL && !sized)) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char at = (unsigned char)text[i];
        if (at < 0x80 && !isalnum(at) && strchr(" -_.", at) == NULL) {
            return false;
        }
    }
    memcpy(out->font, text, length);
    out->font_points = sized ? strtod(points, NULL) : 0;
    return !sized || (out->font_points >= 4 && out->font_points <= 72);
}

static og_status read_size(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    figure_paper unused = {.width = 0};
    if (!parse_size(text, &unused)) {
        return og_option_refuse(row, text, message,
                                "WxH in pixels (1/96 inch), such as 480x360, or 12x9cm, 5x4in, of "
                                "100 to 10000 pixels each");
    }
    *(const char **)og_option_value(options, row) = text;
    return OG_OK;
}

static og_status read_font(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    figure_paper unused = {.width = 0};
    if (text[0] == '\0' || !parse_font(text, &unused)) {
        return og_option_refuse(row, text, message,
                                "a font's name and a size of 4 to 72 points, such as 'Times,10', "
                                "or one of the two");
    }
    *(const char **)og_option_value(options, row) = text;
    return OG_OK;
}

static og_status read_name(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    command_request *request = options;
    const char *equals = strrchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0') {
        return og_option_refuse(row, text, message, "POLICY=Name, such as opt-kg=optimistic");
    }
    request->renames =
        grow(request->renames, (size_t)request->rename_count + 1, sizeof *request->renames);
    request->renames[request->rename_count++] = text;
    return OG_OK;
}

/* Writes the numbers of the figure, for other programs. */
static og_status save_numbers(const og_document *numbers, const char *path, og_message *message)
{
    char *json = og_document_json(numbers);
    OG_TRY(OG_ALLOCATED(json));
    og_status status = save_output(path, "numbers", json, strlen(json), message);
    free(json);
    return status;
}

static og_status save(const command_request *request, const plot_figure *figure,
                      og_message *message)
{
    OG_TRY(figure_check(figure, message));
    og_document *numbers = og_document_new();
    figure_put(figure, numbers);
    og_status status = numbers == NULL || og_document_failed(numbers) ? OG_NO_MEMORY : OG_OK;
    if (status == OG_OK && request->data != NULL) {
        status = save_numbers(numbers, request->data, message);
    }
    if (status == OG_OK && request->output != NULL) {
        status = picture_save(numbers, request->output, "figure", message);
    }
    og_document_free(numbers);
    return status;
}

static og_status draw(const command_request *request, plot_request *wanted, og_message *message)
{
    og_study_db *db = NULL;
    plot_figure made = {.panel_count = 0};
    og_status status = OG_OK;
    if (wanted->kind == PLOT_PAIRS) {
        status = plot_pairs(request->file, wanted, &made, message);
    } else if (wanted->kind == PLOT_INDEX_MAP) {
        status = plot_index_map(request->file, wanted, &made, message);
    } else {
        status = og_study_db_open(request->file, false, NULL, &db, message);
        OG_THEN(status, plot_make(db, wanted, &made, message));
    }
    OG_THEN(status, save(request, &made, message));
    figure_clear(&made);
    og_study_db_close(db);
    return status;
}

/* Splits POLICY=NAME at the last '=': a policy's name may contain one, its name in the figure may
 * not. */
static plot_name *split_names(const command_request *request)
{
    plot_name *names = allocate((size_t)request->rename_count, sizeof *names);
    for (int32_t i = 0; i < request->rename_count; i++) {
        const char *equals = strrchr(request->renames[i], '=');
        names[i] = (plot_name){.policy = request->renames[i],
                               .policy_bytes = (size_t)(equals - request->renames[i]),
                               .name = equals + 1};
    }
    return names;
}

/* Refuses options that the kind of figure does not support. */
static og_status check_kind(const command_request *request, plot_request *wanted,
                            og_message *message)
{
    bool gaps = wanted->kind == PLOT_GAP_BUDGET || wanted->kind == PLOT_GAP_INSTANCES ||
                wanted->kind == PLOT_REGRET_BELIEF;
    while (strcmp(request->axis, plot_axis_names[wanted->axis]) != 0) {
        wanted->axis++;
    }
    return gaps || wanted->axis == PLOT_AXIS_GAP
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "--axis supports only gap-budget, gap-instances and regret-belief, "
                                "not %s; omit it",
                                plot_infos[wanted->kind].name);
}

static int run(command_request *request)
{
    og_message message = {""};
    og_study only = {0};
    plot_name *names = split_names(request);
    plot_request wanted = {.only = &only,
                           .logarithmic = request->logarithmic,
                           .title = request->title,
                           .names = names,
                           .name_count = request->rename_count};
    if (request->size != NULL) {
        parse_size(request->size, &wanted.paper);
    }
    if (request->font != NULL) {
        parse_font(request->font, &wanted.paper);
    }
    picture_format format = PICTURE_SVG;
    og_status status = OG_OK;
    if (request->plot == NULL) {
        status = og_message_set(&message, OG_BAD_INPUT,
                                "the kind of figure is missing, such as 'optgap plot %.200s value "
                                "-o value.svg'",
                                request->file);
    }
    OG_THEN(status, read_study_words(request, &only, &message));
    OG_THEN(status, find_kind(request->plot, &wanted.kind, &message));
    if (status == OG_OK && request->output != NULL) {
        status = picture_format_of(request->output, &format, &message);
    } else if (status == OG_OK && request->data == NULL) {
        status = og_message_set(
            &message, OG_BAD_INPUT,
            "-o FILE is missing: the figure's file, such as value.svg, .png or .pdf");
    }
    OG_THEN(status, check_kind(request, &wanted, &message));
    OG_THEN(status, draw(request, &wanted, &message));
    free(names);
    og_study_clear(&only);
    return status == OG_OK ? EXIT_RESULT : complain(status, &message);
}

/* Reads a word: first the study, then the kind of figure. */
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
                              "plot draws one figure of one study; omit '%.64s'", text);
    }
    return OG_OK;
}

static const og_option_row options[] = {
    OG_OPTION(OUTPUT, "output", "FILE", command_request, output, .what = "figure",
              .topic = OG_TOPIC_FILES, .basic = true, .brief = "write .svg, .png or .pdf",
              .help = "figure to write: .svg, .png or .pdf", .letter = 'o'),
    OG_OPTION(OUTPUT, "data", "FILE", command_request, data, .what = "numbers",
              .topic = OG_TOPIC_FILES, .basic = true,
              .brief = "write the numbers of the figure as JSON",
              .help = "write the numbers of the figure as JSON, with or without -o"),
    OG_OPTION_TABLE(study_rows),
    OG_OPTION(CHOICE, "axis", "WHAT", command_request, axis, .choices = "gap gap-percent gain-lost",
              .fallback = "gap", .topic = OG_TOPIC_OUTPUT, .basic = true,
              .brief = "gap, gap-percent (of value) or gain-lost (of gain)",
              .help = "unit of gaps: correct calls, percent of the optimal value, or percent of "
                      "the optimal gain"),
    OG_OPTION(SWITCH, "log", NULL, command_request, logarithmic, .topic = OG_TOPIC_OUTPUT,
              .basic = true, .brief = "use a logarithmic axis for gaps",
              .help = "draw gaps on a logarithmic axis, with a separate line for 0"),
    OG_OPTION(TEXT, "title", "TEXT", command_request, title, .topic = OG_TOPIC_OUTPUT,
              .basic = true, .brief = "title of the figure; empty for none",
              .help = "title of the figure; an empty text means none"),
    OG_OPTION(CUSTOM, "name", "POLICY=NAME", command_request, renames, .read = read_name,
              .repeats = true, .topic = OG_TOPIC_OUTPUT, .basic = true,
              .brief = "name of a policy in the figure; may be repeated",
              .help = "name of a policy in the figure; may be repeated"),
    OG_OPTION(CUSTOM, "size", "WxH", command_request, size, .read = read_size,
              .topic = OG_TOPIC_OUTPUT, .basic = true,
              .brief = "size in pixels, or with a unit, such as 12x9cm",
              .help = "width and height in pixels (1/96 inch), or with a unit: 12x9cm, 5x4in "
                      "(default: 480 pixels wide, as high as needed)"),
    OG_OPTION(CUSTOM, "font", "NAME,POINTS", command_request, font, .read = read_font,
              .topic = OG_TOPIC_OUTPUT, .basic = true, .brief = "font and size, such as Times,10",
              .help = "font name, size in points, or both, such as 'Times,10' (default: "
                      "sans-serif, 12 points)"),
    OG_OPTION_LAST,
};

const command command_plot = {
    .name = "plot",
    .summary = "draw a figure of a study",
    .word = {.kind = OG_OPTION_CUSTOM,
             .argument = "STUDY.db KIND",
             .repeats = true,
             .required = "no STUDY.db is given: a database that 'optgap sweep' filled",
             .choices = "gap-budget gap-instances value spent correct-truth wrong-truth "
                        "regret-belief index index-map pairs",
             .read = read_word},
    .brief = "Draw a figure of a study, a database of 'optgap sweep'.",
    .example = "  optgap sweep few.db --prior 1,1 --instances 3 --budget 1:12\n"
               "  optgap plot few.db gap-budget -o gap.svg",
    .notes = "Kinds: gap-budget, gap-instances, value, spent, correct-truth, wrong-truth,\n"
             "regret-belief, index, index-map, pairs (explained in man optgap-plot)",
    .about = "Draws a figure from a database of 'optgap sweep'.",
    .details =
        "Kinds:\n"
        "\n"
        "  gap-budget      gap against labels, for one prior and number of instances\n"
        "  gap-instances   gap against instances, for one prior and number of labels\n"
        "  value           value against labels, with the optimum and the best bound\n"
        "  spent           labels per instance against its soft label, from a study\n"
        "                  that was simulated with --truth list:...\n"
        "  correct-truth   correct calls against the truth, from an exact study with\n"
        "                  --truth grid:...\n"
        "  wrong-truth     probability of a wrong call of the first instance against\n"
        "                  its soft label, from the same\n"
        "  regret-belief   regret of wrong priors, a map over A and B of the assumed\n"
        "                  Beta prior, from a study with --assume A:A,B:B; for the\n"
        "                  policy that is optimal under it, or for one policy\n"
        "  index           the policies' indices, against posterior and labels left\n"
        "  index-map       an index over the posterior Beta(a, b), a map; from the output of\n"
        "                  index --json, in place of STUDY.db; -T selects the labels left\n"
        "                  (default: 1)\n"
        "  pairs           how often each pair of items is compared, a map of true ranks;\n"
        "                  from the output of simulate or replay with --counts --json, in\n"
        "                  place of STUDY.db; --policies selects the policy\n"
        "\n"
        "Examples:\n"
        "\n"
        "  optgap sweep few.db --prior 1,1 --instances 3 --budget 1:12\n"
        "  optgap plot few.db gap-budget -o gap.svg\n"
        "  optgap plot few.db value --policies kg,opt-kg -o value.png\n"
        "  optgap plot few.db gap-budget --size 8x7cm --font 9 -o gap.pdf\n"
        "\n"
        "If a figure needs one prior and the study has several, --prior selects one; "
        "likewise --instances and --budget. Curves differ in colours that colour-blind "
        "readers can distinguish, in dashes and in marks. A note below the figure lists "
        "curves that coincide, end early or have no value.\n"
        "\n"
        "Figures need Python's matplotlib. --data writes the numbers of a figure and needs "
        "no other program:\n"
        "\n"
        "  optgap plot few.db gap-budget --data gap.json",
    .options = options,
    .run = run,
};
