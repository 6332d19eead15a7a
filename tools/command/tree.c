/*
 * The command tree: the decision tree of the optimal policy, perhaps with another policy beside it,
 * as a picture or in the language of Graphviz.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/questions/tree.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/plot/draw.h"
#include "tools/plot/fold.h"
#include "tools/show/memory.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

/* The output: the language of Graphviz, or a document for optgap_figures/tree.py. */
typedef struct {
    const og_asked *asked;
    const og_tree *tree;
    const tree_fold *fold;
    FILE *to;                    /* Graphviz; NULL: the document */
    og_document *nodes, *arrows; /* arrays of the document */
} tree_picture;

/* The styles of nodes and arrows, with their attributes in Graphviz and their names in the
 * document. */
typedef enum {
    NODE_STATE,
    NODE_END,
    NODE_CHANCE,
    NODE_CUT,
    NODE_BEST,
    NODE_OTHER,
    NODE_AGREED, /* optimal, and the policy's choice */
    NODE_LOSING  /* only the policy's choice */
} node_style;

static const struct {
    const char *dot, *name;
} node_styles[] = {
    [NODE_STATE] = {"shape=box", "state"},
    [NODE_END] = {"shape=box, style=filled, fillcolor=\"gray92\"", "end"},
    [NODE_CHANCE] = {"shape=box, style=rounded", "chance"},
    [NODE_CUT] = {"shape=box, style=dotted", "cut"},
    [NODE_BEST] = {"shape=ellipse, style=bold", "best"},
    [NODE_OTHER] = {"shape=ellipse, style=dashed", "other"},
    [NODE_AGREED] = {"shape=ellipse, style=\"bold,filled\", fillcolor=\"#CCE3F0\"", "agreed"},
    [NODE_LOSING] = {"shape=ellipse, style=filled, color=\"#D55E00\", fillcolor=\"#F9DFCC\"",
                     "losing"},
};

enum { NAME_SHOWN = 24 }; /* characters of a policy's name in an ellipse */

/* "a12" or "s3". */
typedef struct {
    char text[16];
} node_name;

static node_name name_of(char kind, int32_t number)
{
    node_name name;
    snprintf(name.text, sizeof name.text, "%c%" PRId32, kind, number);
    return name;
}

/* Prints a text of several lines as Graphviz writes it. */
static void print_words(FILE *to, const char *words)
{
    fputs("label=\"", to);
    for (const char *at = words; *at != '\0'; at++) {
        if (*at == '\n') {
            fputs("\\n", to);
        } else {
            fprintf(to, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
        }
    }
    fputc('"', to);
}

/* Adds a node; takes ownership of the words. */
static void put_node(const tree_picture *picture, node_name name, node_style style, char *words)
{
    if (picture->to != NULL) {
        fprintf(picture->to, "  %s [%s, ", name.text, node_styles[style].dot);
        print_words(picture->to, words);
        fputs("];\n", picture->to);
    } else {
        og_document *node = og_put_object(picture->nodes, NULL);
        og_put_text(node, "name", name.text);
        og_put_text(node, "kind", node_styles[style].name);
        og_put_text(node, "text", words);
    }
    free(words);
}

/* Adds an arrow; takes ownership of the words. NULL: from a state to a choice. */
static void put_arrow(const tree_picture *picture, node_name from, node_name to, bool bold,
                      char *words)
{
    if (picture->to == NULL) {
        og_document *arrow = og_put_object(picture->arrows, NULL);
        og_put_text(arrow, "from", from.text);
        og_put_text(arrow, "to", to.text);
        og_put_text(arrow, "kind", words != NULL ? "outcome" : bold ? "best" : "other");
        og_put_text(arrow, "text", words);
    } else if (words == NULL) {
        fprintf(picture->to, "  %s -> %s [style=%s, penwidth=%s, arrowhead=none];\n", from.text,
                to.text, bold ? "bold" : "dashed", bold ? "2.2" : "0.8");
    } else {
        fprintf(picture->to, "  %s -> %s [", from.text, to.text);
        print_words(picture->to, words);
        fputs("];\n", picture->to);
    }
    free(words);
}

/* A value in words: five digits, or a short fraction if requested. */
static og_words value_words(const tree_picture *picture, double value, mpq_srcptr exact)
{
    og_words words;
    if (picture->tree->exact && mpz_sizeinbase(mpq_numref(exact), 10) <= OG_FRACTION_SHOWN &&
        mpz_sizeinbase(mpq_denref(exact), 10) <= OG_FRACTION_SHOWN) {
        char text[2 * OG_FRACTION_SHOWN + 4];
        mpq_get_str(text, 10, exact);
        if (!og_fraction_is_long(text)) {
            snprintf(words.text, sizeof words.text, "%.*s", OG_FRACTION_SHOWN, text);
            return words;
        }
    }
    snprintf(words.text, sizeof words.text, "%.5g", value);
    return words;
}

static void put_state(const tree_picture *picture, int32_t number)
{
    const og_tree_state *state = &picture->tree->state[number];
    bool end = state->action_count == 0 && !state->cut;
    og_words value = value_words(picture, state->value, state->exact);
    char *words = NULL;
    size_t size;
    FILE *to = stream_open(&words, &size);
    if (state->left == 0) {
        fprintf(to, "%s\nvalue %s", state->text, value.text);
    } else {
        fprintf(to, "%s\n%" PRId32 " left, value %s%s", state->text, state->left, value.text,
                end          ? "\nnothing more to gain"
                : state->cut ? "\n..."
                             : "");
    }
    stream_close(to);
    put_node(picture, name_of('s', number),
             end             ? NODE_END
             : state->chance ? NODE_CHANCE
             : state->cut    ? NODE_CUT
                             : NODE_STATE,
             words);
}

static bool share_arrow(const tree_picture *picture, const og_tree_outcome *x,
                        const og_tree_outcome *y)
{
    return x->to != y->to && picture->fold->state[x->to] == picture->fold->state[y->to];
}

static void print_outcome(FILE *to, const tree_picture *picture, const og_tree_outcome *outcome)
{
    bool mirrored = picture->fold->state[outcome->to] != outcome->to;
    fprintf(to, " %s  %s%s ", outcome->text,
            value_words(picture, outcome->probability, outcome->exact).text,
            mirrored ? " (mirrored)" : "");
}

/* Outcomes that lead to images of one state share an arrow. */
static void put_outcomes(const tree_picture *picture, const og_tree_action *action, node_name from)
{
    const og_tree_outcome *outcome = &picture->tree->outcome[action->outcome_first];
    for (int32_t k = 0; k < action->outcome_count; k++) {
        bool drawn = false;
        char *words = NULL;
        size_t size;
        for (int32_t j = 0; j < k; j++) {
            drawn = drawn || share_arrow(picture, &outcome[j], &outcome[k]);
        }
        if (drawn) {
            continue;
        }
        FILE *to = stream_open(&words, &size);
        print_outcome(to, picture, &outcome[k]);
        for (int32_t j = k + 1; j < action->outcome_count; j++) {
            if (share_arrow(picture, &outcome[k], &outcome[j])) {
                fputc('\n', to);
                print_outcome(to, picture, &outcome[j]);
            }
        }
        stream_close(to);
        put_arrow(picture, from, name_of('s', picture->fold->state[outcome[k].to]), false, words);
    }
}

/* "opt-kg: loses 1/96", where the policy takes this action or, of ties, one of its images. */
static void print_choice(FILE *to, const tree_picture *picture, const og_tree_action *action,
                         double chosen)
{
    const char *name = picture->tree->against;
    if (chosen > 0) {
        fprintf(to, "\n%s", strlen(name) > NAME_SHOWN ? "policy" : name);
        if (chosen < 1 - 1e-9) {
            fprintf(to, " %.3g %%", 100 * chosen);
        }
    }
    if (chosen > 0 && !action->optimal) {
        fprintf(to, ": loses %s", value_words(picture, action->lost, action->lost_exact).text);
    }
}

static void put_action(const tree_picture *picture, int32_t number, int32_t at)
{
    const og_tree_action *action = &picture->tree->action[at];
    double chosen = action->chosen;
    const og_tree_state *state = &picture->tree->state[number];
    const char *verb = picture->asked->family->verb;
    char *words = NULL;
    size_t size;
    FILE *to = stream_open(&words, &size);
    fprintf(to, "%s %s", verb != NULL ? verb : "label", action->text);
    for (int32_t i = 0; i < state->action_count; i++) {
        int32_t other = state->action_first + i;
        if (other != at && picture->fold->action[other] == at) {
            fprintf(to, " or %s (mirrored)", picture->tree->action[other].text);
            chosen += picture->tree->action[other].chosen;
        }
    }
    fprintf(to, "\n%s", value_words(picture, action->value, action->exact).text);
    print_choice(to, picture, action, chosen);
    stream_close(to);
    node_name name = name_of('a', at);
    put_node(picture, name,
             action->optimal ? (chosen > 0 ? NODE_AGREED : NODE_BEST)
             : chosen > 0    ? NODE_LOSING
                             : NODE_OTHER,
             words);
    put_arrow(picture, name_of('s', number), name, action->optimal, NULL);
    put_outcomes(picture, action, name);
}

static void put_actions(const tree_picture *picture, int32_t number)
{
    const og_tree_state *state = &picture->tree->state[number];
    for (int32_t i = 0; i < state->action_count; i++) {
        int32_t at = state->action_first + i;
        if (state->chance) {
            put_outcomes(picture, &picture->tree->action[at], name_of('s', number));
        } else if (picture->fold->action[at] == at) {
            put_action(picture, number, at);
        }
    }
}

/* Prints the instances of the problem if their words are short. */
static void print_problem(const og_asked *asked, FILE *to)
{
    char words[OG_GROUP_TEXT_BYTES];
    const og_arms *arms = asked->family->arms != NULL ? asked->family->arms(asked->problem) : NULL;
    for (int32_t i = 0; arms != NULL && i < arms->group_count; i++) {
        og_group group = *og_arm_prior(arms->arm[arms->arm_of_group[i]]);
        group.count = arms->group_size[i];
        og_group_format(&group, words, sizeof words);
        fprintf(to, " %s", words);
    }
    if (arms == NULL) {
        fprintf(to, " %s", asked->family->problems);
    }
}

/* Returns the title, "Optimal policy for 2x1,1 with 3 labels", and a legend. */
static char *title_of(const tree_picture *picture)
{
    const og_problem_size *sizes = &picture->asked->sizes;
    const char *units = picture->asked->family->budget_name; /* "Labels" */
    int length = (int)strlen(units) - 1 - (sizes->left == 1);
    char *words = NULL;
    size_t size;
    FILE *to = stream_open(&words, &size);
    fputs("Optimal policy for", to);
    print_problem(picture->asked, to);
    fprintf(to, " with %" PRId32 " %c%.*s", sizes->left, tolower(units[0]), length, units + 1);
    if (picture->tree->against != NULL) {
        fprintf(to, ", and choices of %s", picture->tree->against);
    }
    stream_close(to);
    return words;
}

/* The marks of the policy's choices, and its gap. */
static void print_marks(FILE *to, const tree_picture *picture)
{
    const og_tree *tree = picture->tree;
    fprintf(to, "\nFilled: choices of %s%s.", tree->against,
            tree->lost == 0 ? ", which loses nothing" : ", orange where it loses");
    if (tree->lost > 0) {
        fprintf(to, " In all it loses %s.",
                value_words(picture, tree->lost, tree->lost_exact).text);
    }
}

static char *legend_of(const tree_picture *picture)
{
    const char *units = picture->asked->family->budget_name;
    char *words = NULL;
    size_t size;
    FILE *to = stream_open(&words, &size);
    fprintf(to,
            "Boxes: posteriors, %c%s left, expected %s %s.\n"
            "Ellipses: choices, bold if optimal, and their values. "
            "Arrows: outcomes and their probabilities.%s",
            tolower(units[0]), units + 1, picture->asked->sizes.metric.unit,
            picture->tree->gains ? "still to be gained" : "at the end",
            picture->fold->folded > 0
                ? "\nMirror images, with positive and negative exchanged, are drawn once."
                : "");
    if (picture->tree->against != NULL) {
        print_marks(to, picture);
    }
    stream_close(to);
    return words;
}

static void put_tree(const tree_picture *picture)
{
    for (int32_t i = 0; i < picture->tree->state_count; i++) {
        if (picture->fold->shown[i]) {
            put_state(picture, i);
        }
    }
    for (int32_t i = 0; i < picture->tree->state_count; i++) {
        if (picture->fold->shown[i]) {
            put_actions(picture, i);
        }
    }
}

static void print_tree(const tree_picture *picture)
{
    char *title = title_of(picture), *legend = legend_of(picture), *head = NULL;
    size_t size;
    FILE *to = stream_open(&head, &size);
    fprintf(to, "%s. %s", title, legend);
    stream_close(to);
    fputs("digraph \"optgap tree\" {\n"
          "  rankdir=LR;\n"
          "  labelloc=t;\n"
          "  fontname=\"Helvetica\";\n  ",
          picture->to);
    print_words(picture->to, head);
    fputs(";\n"
          "  node [fontname=\"Helvetica\", fontsize=11];\n"
          "  edge [fontname=\"Helvetica\", fontsize=10];\n",
          picture->to);
    put_tree(picture);
    fputs("}\n", picture->to);
    free(head);
    free(legend);
    free(title);
}

static og_status save_tree(tree_picture *picture, const char *path, og_message *message)
{
    picture_format format;
    OG_TRY(picture_format_of(path, &format, message));
    og_document *document = og_document_new();
    char *title = title_of(picture), *legend = legend_of(picture);
    og_put_text(document, "figure", "tree");
    og_put_text(document, "title", title);
    og_put_text(document, "subtitle", legend);
    picture->nodes = og_put_array(document, "nodes");
    picture->arrows = og_put_array(document, "arrows");
    put_tree(picture);
    og_status status = document == NULL || og_document_failed(document)
                           ? OG_NO_MEMORY
                           : picture_save(document, NULL, format, path, "tree", message);
    og_document_free(document);
    free(legend);
    free(title);
    return status;
}

/* True if positive and negative can be exchanged without changing values: for correct calls of
 * independent instances. */
static bool has_mirrors(const command_request *request, const og_asked *asked)
{
    const og_arms *arms = asked->family->arms != NULL ? asked->family->arms(asked->problem) : NULL;
    bool calls = arms != NULL;
    for (int32_t a = 0; calls && a < arms->arm_count; a++) {
        calls = og_arm_has_calls(arms->arm[a]);
    }
    return !request->tree_whole && calls;
}

/* Writes a picture, or prints the language of Graphviz on standard output. */
static og_status write_tree(const command_request *request, const og_asked *asked,
                            const og_tree *tree, og_message *message)
{
    tree_fold fold = fold_tree(tree, has_mirrors(request, asked));
    tree_picture made = {asked, tree, &fold, request->output == NULL ? stdout : NULL, NULL, NULL};
    og_status status = OG_OK;
    if (request->output == NULL) {
        print_tree(&made);
    } else {
        status = save_tree(&made, request->output, message);
    }
    fold_clear(&fold);
    return status;
}

static og_status draw(og_asked *asked, og_message *message)
{
    og_tree tree = {.state = NULL};
    OG_TRY(og_tree_grow(asked, &tree, message));
    show_stage(NULL);
    og_status status = write_tree(asked->user, asked, &tree, message);
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
    OG_OPTION_TABLE(budget_rows),
    OG_OPTION(OUTPUT, "output", "FILE", command_request, output, .what = "tree",
              .topic = OG_TOPIC_FILES, .basic = true,
              .brief = "write .svg, .png or .pdf (default: Graphviz)",
              .help = "picture to write: .svg, .png or .pdf (default: the language of Graphviz on "
                      "standard output)",
              .letter = 'o'),
    OG_OPTION(INT32, "levels", "N", command_request, ask.tree_levels, .topic = OG_TOPIC_OUTPUT,
              .basic = true, .brief = "number of labels to follow; 0 follows all",
              .help = "follow at most this many labels, and draw dots for the rest. 0: all",
              .most = 1000000, .fallback = "0"),
    OG_OPTION(SWITCH, "whole", NULL, command_request, tree_whole, .topic = OG_TOPIC_OUTPUT,
              .basic = true, .brief = "also draw mirror images", .help = "also draw mirror images"),
    OG_OPTION(POLICY, "against", "NAME", command_request, policies, .topic = OG_TOPIC_POLICIES,
              .basic = true, .brief = "also show this policy's choices and losses",
              .help = "policy whose choices are drawn beside the optimal ones, with what they lose",
              .count = offsetof(command_request, policy_count),
              .given = offsetof(command_request, policies_given)),
    OG_OPTION(SWITCH, "all-actions", NULL, command_request, ask.all_actions,
              .topic = OG_TOPIC_OUTPUT, .basic = true,
              .brief = "follow every choice, not only the optimal ones",
              .help = "follow all choices, not only optimal ones"),
    OG_OPTION(INT32, "states", "N", command_request, ask.tree_states_max, .topic = OG_TOPIC_LIMITS,
              .basic = true, .brief = "largest number of states to draw",
              .help = "largest number of states to draw; a larger tree is refused", .least = 1,
              .most = 1000000, .fallback = "300"),
    OG_OPTION_TABLE(objective_rows),
    OG_OPTION_TABLE(arithmetic_rows),
    OG_OPTION_TABLE(limit_rows),
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
