/*
 * The command tree: the decision tree of the optimal policy, perhaps with another policy beside it,
 * as a picture or in the language of Graphviz.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/questions/tree_figure.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/plot/draw.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

/* The kinds of nodes and arrows (tools/python/optgap/_figures/tree.py), with their attributes in
 * Graphviz. */
static const struct {
    const char *kind, *dot;
} node_styles[] =
    {
        {"state", "shape=box"},
        {"end", "shape=box, style=filled, fillcolor=\"gray92\""},
        {"chance", "shape=box, style=rounded"},
        {"cut", "shape=box, style=dotted"},
        {"best", "shape=ellipse, style=bold"},
        {"other", "shape=ellipse, style=dashed"},
        {"agreed", "shape=ellipse, style=\"bold,filled\", fillcolor=\"#CCE3F0\""},
        {"losing", "shape=ellipse, style=filled, color=\"#D55E00\", fillcolor=\"#F9DFCC\""},
},
  arrow_styles[] = {
      {"best", "style=bold, penwidth=2.2, arrowhead=none"},
      {"other", "style=dashed, penwidth=0.8, arrowhead=none"},
};

static const char *text_of(const og_document *part, const char *name)
{
    return og_document_text(og_document_find(part, name));
}

/* Prints a text of several lines as Graphviz writes it. */
static void print_words(const char *words)
{
    for (const char *at = words; *at != '\0'; at++) {
        if (*at == '\n') {
            fputs("\\n", stdout);
        } else {
            printf("%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
        }
    }
}

static void print_node(const og_document *node)
{
    size_t style = 0;
    while (strcmp(node_styles[style].kind, text_of(node, "kind")) != 0) {
        style++;
    }
    printf("  %s [%s, label=\"", text_of(node, "name"), node_styles[style].dot);
    print_words(text_of(node, "text"));
    puts("\"];");
}

static void print_arrow(const og_document *arrow)
{
    const char *words = text_of(arrow, "text");
    printf("  %s -> %s [", text_of(arrow, "from"), text_of(arrow, "to"));
    if (words != NULL) {
        fputs("label=\"", stdout);
        print_words(words);
        puts("\"];");
    } else {
        bool best = strcmp(text_of(arrow, "kind"), arrow_styles[0].kind) == 0;
        printf("%s];\n", arrow_styles[best ? 0 : 1].dot);
    }
}

static void print_all(const og_document *rows, void print(const og_document *row))
{
    for (int32_t i = 0; i < og_document_count(rows); i++) {
        print(og_document_child(rows, i));
    }
}

static void print_tree(const og_document *figure)
{
    fputs("digraph \"optgap tree\" {\n"
          "  rankdir=LR;\n"
          "  labelloc=t;\n"
          "  fontname=\"Helvetica\";\n"
          "  label=\"",
          stdout);
    print_words(text_of(figure, "title"));
    fputs(". ", stdout);
    print_words(text_of(figure, "subtitle"));
    fputs("\";\n"
          "  node [fontname=\"Helvetica\", fontsize=11];\n"
          "  edge [fontname=\"Helvetica\", fontsize=10];\n",
          stdout);
    print_all(og_document_find(figure, "nodes"), print_node);
    print_all(og_document_find(figure, "arrows"), print_arrow);
    puts("}");
}

/* Writes a picture, or prints the language of Graphviz on standard output. */
static og_status write_tree(const command_request *request, og_document *figure,
                            og_message *message)
{
    if (request->output == NULL) {
        print_tree(figure);
        return OG_OK;
    }
    picture_format format;
    OG_TRY(picture_format_of(request->output, &format, message));
    og_document *paper = request->kept_count > 0 ? og_put_object(figure, "paper") : NULL;
    for (int32_t i = 0; i < request->kept_count; i++) {
        og_put_text(paper, request->kept[i].key, request->kept[i].text);
    }
    return picture_save(figure, NULL, format, request->output, "tree", message);
}

static og_status draw(og_asked *asked, og_message *message)
{
    og_tree tree = {.state = NULL};
    OG_TRY(og_tree_grow(asked, &tree, message));
    show_stage(NULL);
    const command_request *request = asked->user;
    og_document *figure = og_document_new();
    og_status status = og_tree_figure(asked, &tree, request->tree_whole, figure);
    OG_THEN(status, og_document_status(figure, message));
    OG_THEN(status, write_tree(request, figure, message));
    og_document_free(figure);
    og_tree_clear(&tree);
    return status;
}

static og_status check_json(const command_request *request, og_message *message)
{
    return request->output == NULL && !request->tree_whole
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "--json does not support -o and --whole; omit them");
}

static og_status check_picture(const command_request *request, og_message *message)
{
    picture_format unused;
    return request->output == NULL ? OG_OK : picture_format_of(request->output, &unused, message);
}

static int run(command_request *request)
{
    static const og_question_kind drawing = {.answer = draw, .no_document = true};
    static const question as_json = {.ask = &og_question_tree,
                                     .check = check_json,
                                     .stage = "solving",
                                     .opens = true,
                                     .fail = fail_by_limit};
    static const question as_picture = {.ask = &drawing,
                                        .check = check_picture,
                                        .stage = "solving",
                                        .opens = true,
                                        .fail = fail_by_limit};
    return answer_question(request, request->json ? &as_json : &as_picture, NULL);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(og_tree_options),
    OG_OPTION(OUTPUT, "output", "FILE", command_request, output, .what = "tree",
              .topic = OG_TOPIC_FILES, .basic = true,
              .brief = "write .svg, .png or .pdf (default: Graphviz)",
              .help = "picture to write: .svg, .png or .pdf (default: the language of Graphviz on "
                      "standard output)",
              .letter = 'o'),
    PAPER_ROWS("as large as needed", "11, or as --size needs", "output"),
    OG_OPTION(SWITCH, "whole", NULL, command_request, tree_whole, .topic = OG_TOPIC_OUTPUT,
              .basic = true, .brief = "also draw mirror images", .help = "also draw mirror images"),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_tree = {
    .name = "tree",
    .summary = "draw an optimal policy as a tree",
    .word = INSTANCE_WORDS("2x1,1"),
    .brief = "Draw an optimal policy of a small problem as a tree of states (posteriors and\n"
             "labels left). States and choices have values; optimal choices are bold.",
    .example = "  optgap tree -T 3 --arithmetic exact -o tree.svg 2x1,1\n"
               "  optgap tree -T 2 --against opt-kg -o tree.svg 2,1 4,2 4,4",
    .notes = "Without -o it prints the picture in Graphviz's language.",
    .about =
        "Draws the decision tree of the optimal policy, for small problems. Each state is drawn "
        "once, with its value; each of its choices has a value, and optimal ones are bold.",
    .details =
        "Examples:\n"
        "\n"
        "  optgap tree -T 3 --arithmetic exact -o tree.svg 2x1,1\n"
        "  optgap tree -T 2 --against opt-kg -o tree.svg 2,1 4,2 4,4\n"
        "\n"
        "Pictures need Python's matplotlib; without -o the tree is printed in the language of "
        "Graphviz. States that differ only in the names of positive and negative, or of the "
        "classes, are drawn once, with a note; --whole draws all of them.\n"
        "\n"
        "Optimal choices are followed to the states that their labels lead to; other choices only "
        "with --all-actions. --against NAME also follows the choices of a policy, with ties broken "
        "at "
        "random: they are filled, orange where they lose value, with the loss. The sum over the "
        "states of each loss times the probability that the policy reaches it is the policy's gap. "
        "If several choices are equally good, all are bold; doubles treat "
        "choices within their proved error as equal. Gray states have no further gain. In rounded "
        "boxes labels are under way, and the next event is random. With workers, features or "
        "delays, instance 1 of one state may be instance 2 of another.",
    .options = options,
    .families = FAMILY_STATES,
    .run = run,
};
