/* The command plot: draws figures of studies, with Python. */
#include <stdio.h>
#include <string.h>

#include "tools/command/commands.h"
#include "tools/plot/draw.h"
#include "tools/show/report.h"

/* Reads a word: first the study, then the kind of figure. */
static og_status read_word(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    command_request *request = options;
    (void)row;
    if (request->wish.file == NULL) {
        request->wish.file = text;
    } else if (request->plot == NULL) {
        request->plot = text;
    } else {
        return og_message_set(message, OG_BAD_INPUT,
                              "plot draws one figure of one study; omit '%.64s'", text);
    }
    return OG_OK;
}

/* What Python is asked: the kind of figure, and the values of each option. */
static og_document *ask_for(const command_request *request)
{
    og_document *wanted = og_document_new();
    og_put_text(wanted, "kind", request->plot);
    for (int32_t i = 0; i < request->kept_count; i++) {
        const char *key = request->kept[i].key;
        og_document *values = og_document_find(wanted, key);
        values = values != NULL ? values : og_put_array(wanted, key);
        og_put_text(values, NULL, request->kept[i].text);
    }
    return wanted;
}

static og_status draw(const command_request *request, og_message *message)
{
    picture_format format = PICTURE_SVG;
    if (request->plot == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the kind of figure is missing, such as 'optgap plot %.200s value "
                              "-o value.svg'",
                              request->wish.file);
    }
    if (request->output == NULL && request->data == NULL) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "-o FILE is missing: the figure's file, such as value.svg, .png or .pdf");
    }
    OG_TRY(request->output != NULL ? picture_format_of(request->output, &format, message) : OG_OK);
    og_document *wanted = ask_for(request);
    og_status status = OG_OK;
    if (request->data != NULL) {
        status = picture_save(wanted, request->wish.file, PICTURE_NUMBERS, request->data, "numbers",
                              message);
    }
    if (status == OG_OK && request->output != NULL) {
        status =
            picture_save(wanted, request->wish.file, format, request->output, "figure", message);
    }
    og_document_free(wanted);
    return status;
}

static int run(command_request *request)
{
    og_message message = {""};
    og_status status = draw(request, &message);
    return status == OG_OK ? EXIT_RESULT : complain(status, &message);
}

static const og_option_row options[] = {
    OG_OPTION(OUTPUT, "output", "FILE", command_request, output, .what = "figure",
              .topic = OG_TOPIC_FILES, .basic = true, .brief = "write .svg, .png or .pdf",
              .help = "figure to write: .svg, .png or .pdf", .letter = 'o'),
    OG_OPTION(OUTPUT, "data", "FILE", command_request, data, .what = "numbers",
              .topic = OG_TOPIC_FILES, .basic = true,
              .brief = "write the numbers of the figure as JSON",
              .help = "write the numbers of the figure as JSON, with or without -o"),
    KEPT("prior", "PRIOR", .repeats = true, .topic = OG_TOPIC_PROBLEM,
         .brief = "draw only this prior; may be repeated",
         .help = "draw only this prior: the INSTANCE words without COUNT, and the options of the "
                 "problem. May be repeated"),
    KEPT("instances", "NUMBERS", .repeats = true, .topic = OG_TOPIC_PROBLEM,
         .brief = "draw only these numbers of instances",
         .help = "draw only these numbers of instances: 2,3,5 or 10:50:10"),
    KEPT("budget", "NUMBERS", .repeats = true, .topic = OG_TOPIC_PROBLEM,
         .brief = "draw only these numbers of labels",
         .help = "draw only these numbers of labels: 12 or 1:40", .letter = 'T'),
    KEPT("policies", "NAME,...", .repeats = true, .topic = OG_TOPIC_POLICIES,
         .brief = "draw only these policies", .help = "draw only these policies"),
    KEPT("ties", "RULE,...", .repeats = true, .topic = OG_TOPIC_POLICIES,
         .brief = "draw only these tie rules", .help = "draw only these tie rules",
         .choices = OG_TIES_CHOICES),
    KEPT("axis", "WHAT", .choices = "gap gap-percent gain-lost", .topic = OG_TOPIC_OUTPUT,
         .brief = "gap, gap-percent (of value) or gain-lost (of gain)",
         .help = "unit of gaps: correct calls, percent of the optimal value, or percent of the "
                 "optimal gain (default: gap)"),
    {.kind = OG_OPTION_CUSTOM,
     .name = "log",
     .read = keep_for_python,
     .topic = OG_TOPIC_OUTPUT,
     .basic = true,
     .brief = "use a logarithmic axis for gaps",
     .help = "draw gaps on a logarithmic axis, with a separate line for 0"},
    KEPT("title", "TEXT", .topic = OG_TOPIC_OUTPUT, .brief = "title of the figure; empty for none",
         .help = "title of the figure; an empty text means none"),
    KEPT("name", "POLICY=NAME", .repeats = true, .topic = OG_TOPIC_OUTPUT,
         .brief = "name of a policy in the figure; may be repeated",
         .help = "name of a policy in the figure; may be repeated"),
    PAPER_ROWS("480 pixels wide, as high as needed", "12", NULL),
    OG_OPTION_LAST,
};

const command command_plot = {
    .name = "plot",
    .summary = "draw a figure of a study",
    .word = {.kind = OG_OPTION_CUSTOM,
             .argument = "STUDY.jsonl KIND",
             .repeats = true,
             .required = "no STUDY.jsonl is given: a file that 'optgap sweep' wrote",
             .choices = "gap-budget gap-instances value spent correct-truth wrong-truth "
                        "regret-belief losses index index-map pairs",
             .read = read_word},
    .brief = "Draw a figure of a study, a file of 'optgap sweep'.",
    .example = "  optgap sweep gaps.jsonl --quiet --for T=1:12 compare -T %T 3x1,1\n"
               "  optgap plot gaps.jsonl gap-budget -o gap.svg",
    .notes = "Kinds: gap-budget, gap-instances, value, spent, correct-truth, wrong-truth,\n"
             "regret-belief, losses, index, index-map, pairs (explained in man optgap-plot)",
    .about = "Draws a figure from a file of 'optgap sweep'.",
    .details =
        "Kinds:\n"
        "\n"
        "  gap-budget      gap against labels, for one prior and number of instances\n"
        "  gap-instances   gap against instances, for one prior and number of labels\n"
        "  value           value against labels, with the optimum and the best bound\n"
        "  spent           labels per instance against its soft label, from compare, or\n"
        "                  simulate --counts, with --truth list:...\n"
        "  correct-truth   correct calls against the truth of the first instance, from\n"
        "                  compare --truth list:%X, or grid:...\n"
        "  wrong-truth     probability of a wrong call of the first instance against\n"
        "                  its soft label, from the same\n"
        "  regret-belief   regret of wrong priors, a map over A and B of the assumed\n"
        "                  Beta prior, from compare --assume %A,%B; for the policy that\n"
        "                  is optimal under it, or for one policy\n"
        "  losses          where policies lose, a map over policies and labels left, from\n"
        "                  compare --explain\n"
        "  index           the policies' indices, against posterior and labels left,\n"
        "                  from index --policy %P\n"
        "  index-map       an index over the posterior Beta(a, b), a map, from index;\n"
        "                  -T selects the labels left (default: 1)\n"
        "  pairs           how often each pair of items is compared, a map of true ranks,\n"
        "                  from simulate or replay with --counts; --policies selects the\n"
        "                  policy\n"
        "\n"
        "A file of one answer, as --json prints it, is a study too.\n"
        "\n"
        "Examples:\n"
        "\n"
        "  optgap sweep gaps.jsonl --quiet --for T=1:12 compare -T %T 3x1,1\n"
        "  optgap plot gaps.jsonl gap-budget -o gap.svg\n"
        "  optgap plot gaps.jsonl value --policies kg,opt-kg -o value.png\n"
        "  optgap plot gaps.jsonl gap-budget --size 8x7cm --font 9 -o gap.pdf\n"
        "\n"
        "If a figure needs one prior and the study has several, --prior selects one; "
        "likewise --instances and --budget. Curves differ in colours that colour-blind "
        "readers can distinguish, in dashes and in marks. A note below the figure lists "
        "curves that coincide, end early or have no value.\n"
        "\n"
        "Figures need Python's matplotlib; --data, which writes the numbers of a figure, needs "
        "Python alone:\n"
        "\n"
        "  optgap plot gaps.jsonl gap-budget --data gap.json",
    .options = options,
    .run = run,
};
