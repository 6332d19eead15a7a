/* tree: the decision tree of optimal play, as a picture by Graphviz. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/value/tree.h"
#include "bench/words.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/figure/child.h"
#include "tools/figure/figure.h"
#include "tools/figure/fold.h"
#include "tools/option/study_options.h"
#include "tools/show/memory.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

typedef struct {
    const opened *of;
    const og_tree *tree;
    const tree_fold *fold;
    FILE *to;
} picture;

/* Five digits in a picture are plenty; fractions where they were asked for and are short. */
static og_words value_words(const picture *of, double value, mpq_srcptr exact)
{
    og_words words;
    if (of->tree->exact && mpz_sizeinbase(mpq_numref(exact), 10) <= OG_FRACTION_SHOWN &&
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

static void print_state(const picture *of, int32_t number)
{
    const og_tree_state *state = &of->tree->state[number];
    bool end = state->action_count == 0 && !state->cut;
    fprintf(of->to, "  s%" PRId32 " [shape=box%s, label=\"%s", number,
            end             ? ", style=filled, fillcolor=\"gray92\""
            : state->chance ? ", style=rounded"
            : state->cut    ? ", style=dotted"
                            : "",
            state->text);
    og_words value = value_words(of, state->value, state->exact);
    if (state->left == 0) {
        fprintf(of->to, "\\nvalue %s\"];\n", value.text);
    } else {
        fprintf(of->to, "\\n%" PRId32 " left, value %s%s\"];\n", state->left, value.text,
                end          ? "\\nnothing more to gain"
                : state->cut ? "\\n..."
                             : "");
    }
}

static bool share_arrow(const picture *of, const og_tree_outcome *x, const og_tree_outcome *y)
{
    return x->to != y->to && of->fold->state[x->to] == of->fold->state[y->to];
}

static void print_outcome(const picture *of, const og_tree_outcome *outcome)
{
    bool mirrored = of->fold->state[outcome->to] != outcome->to;
    fprintf(of->to, " %s  %s%s ", outcome->text,
            value_words(of, outcome->probability, outcome->exact).text,
            mirrored ? " (mirrored)" : "");
}

/* Outcomes that lead to images of one state share an arrow. */
static void print_outcomes(const picture *of, const og_tree_action *action, const char *from,
                           int32_t number)
{
    const og_tree_outcome *outcome = &of->tree->outcome[action->outcome_first];
    for (int32_t k = 0; k < action->outcome_count; k++) {
        bool drawn = false;
        for (int32_t j = 0; j < k; j++) {
            drawn = drawn || share_arrow(of, &outcome[j], &outcome[k]);
        }
        if (drawn) {
            continue;
        }
        fprintf(of->to, "  %s%" PRId32 " -> s%" PRId32 " [label=\"", from, number,
                of->fold->state[outcome[k].to]);
        print_outcome(of, &outcome[k]);
        for (int32_t j = k + 1; j < action->outcome_count; j++) {
            if (share_arrow(of, &outcome[k], &outcome[j])) {
                fputs("\\n", of->to);
                print_outcome(of, &outcome[j]);
            }
        }
        fputs("\"];\n", of->to);
    }
}

static void print_action(const picture *of, int32_t number, int32_t at)
{
    const og_tree_action *action = &of->tree->action[at];
    const og_tree_state *state = &of->tree->state[number];
    const char *verb = of->of->family->verb;
    const char *style = action->optimal ? "bold" : "dashed";
    fprintf(of->to, "  a%" PRId32 " [shape=ellipse, style=%s, label=\"%s %s", at, style,
            verb != NULL ? verb : "label", action->text);
    for (int32_t i = 0; i < state->action_count; i++) {
        int32_t other = state->action_first + i;
        if (other != at && of->fold->action[other] == at) {
            fprintf(of->to, " or %s (mirrored)", of->tree->action[other].text);
        }
    }
    fprintf(of->to, "\\n%s\"];\n", value_words(of, action->value, action->exact).text);
    fprintf(of->to, "  s%" PRId32 " -> a%" PRId32 " [style=%s, penwidth=%s, arrowhead=none];\n",
            number, at, style, action->optimal ? "2.2" : "0.8");
    print_outcomes(of, action, "a", at);
}

static void print_actions(const picture *of, int32_t number)
{
    const og_tree_state *state = &of->tree->state[number];
    for (int32_t i = 0; i < state->action_count; i++) {
        int32_t at = state->action_first + i;
        if (state->chance) {
            print_outcomes(of, &of->tree->action[at], "s", number);
        } else if (of->fold->action[at] == at) {
            print_action(of, number, at);
        }
    }
}

/* What the problem is made of, as far as words for it are short. */
static void print_problem(const opened *of, FILE *to)
{
    char words[OG_GROUP_TEXT_BYTES];
    const og_arms *arms = of->family->arms != NULL ? of->family->arms(of->problem) : NULL;
    for (int32_t i = 0; arms != NULL && i < arms->group_count; i++) {
        og_group group = *og_arm_prior(arms->arm[arms->arm_of_group[i]]);
        group.count = arms->group_size[i];
        og_group_format(&group, words, sizeof words);
        fprintf(to, " %s", words);
    }
    if (arms == NULL) {
        fprintf(to, " %s", of->family->problems);
    }
}

static void print_tree(const picture *of)
{
    const og_sizes *sizes = &of->of->sizes;
    const char *units = of->of->family->budget_name; /* "Labels" */
    int length = (int)strlen(units) - 1 - (sizes->left == 1);
    fprintf(of->to, "digraph \"optgap tree\" {\n"
                    "  rankdir=LR;\n"
                    "  labelloc=t;\n"
                    "  fontname=\"Helvetica\";\n"
                    "  label=\"Optimal play of");
    print_problem(of->of, of->to);
    fprintf(of->to,
            " with %" PRId32 " %c%.*s. Boxes: posteriors, %c%s left, "
            "expected %s %s.\\nEllipses: what is labelled, bold where optimal, "
            "and what is expected then. Arrows: what the label says, and how likely that is.%s\";\n"
            "  node [fontname=\"Helvetica\", fontsize=11];\n"
            "  edge [fontname=\"Helvetica\", fontsize=10];\n",
            sizes->left, tolower(units[0]), length, units + 1, tolower(units[0]), units + 1,
            sizes->metric.unit, of->tree->gains ? "still to be gained" : "at the end",
            of->fold->folded > 0
                ? "\\nMirror images, with the answers' names exchanged, are drawn once."
                : "");
    for (int32_t i = 0; i < of->tree->state_count; i++) {
        if (of->fold->shown[i]) {
            print_state(of, i);
        }
    }
    for (int32_t i = 0; i < of->tree->state_count; i++) {
        if (of->fold->shown[i]) {
            print_actions(of, i);
        }
    }
    fputs("}\n", of->to);
}

/* Exchanging what answers are called changes nothing where correct calls are counted and instances
 * are independent; elsewhere nothing is folded. */
static bool has_mirrors(const command_request *request, const opened *of)
{
    bool bandit = request->objective != NULL && strcmp(request->objective, "bandit") == 0;
    return !request->tree_whole && of->family->arms != NULL && !bandit;
}

static og_status find_format(const char *path, picture_format *out, og_message *message)
{
    og_message unused = {""};
    if (picture_format_of(path, out, &unused) == OG_OK && *out != PICTURE_TIKZ) {
        return OG_OK;
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "-o must name a file that ends in .svg, .png, .pdf or .eps, not '%.200s'",
                          path);
}

static og_status save_picture(const char *path, const char *script, size_t script_size,
                              og_message *message)
{
    static const char *const types[] = {[PICTURE_SVG] = "-Tsvg",
                                        [PICTURE_PNG] = "-Tpng",
                                        [PICTURE_PDF] = "-Tpdf",
                                        [PICTURE_EPS] = "-Teps"};
    picture_format format = PICTURE_SVG;
    char *bytes = NULL, *errors = NULL;
    size_t size = 0;
    bool failed = false;
    OG_TRY(find_format(path, &format, message));
    const char *const words[] = {"dot", types[format], NULL};
    const child_program dot = {words, "the trees", "graphviz"};
    OG_TRY(child_run(&dot, script, script_size, &bytes, &size, &errors, &failed, message));
    og_status status = OG_OK;
    if (failed) {
        status = og_message_set(message, OG_FAILED, "dot failed: %.300s", child_last_line(errors));
    } else if (!picture_is_whole(bytes, size, format)) {
        status = og_message_set(message, OG_FAILED, "dot drew no whole picture");
    } else {
        status = save_output(path, "tree", bytes, size, message);
    }
    free(bytes);
    free(errors);
    return status;
}

/* As a picture, or on standard output for Graphviz. */
static og_status write_tree(const command_request *request, const opened *of, const og_tree *tree,
                            og_message *message)
{
    tree_fold fold = fold_tree(tree, has_mirrors(request, of));
    og_status status = OG_OK;
    if (request->output == NULL) {
        print_tree(&(picture){of, tree, &fold, stdout});
    } else {
        char *script = NULL;
        size_t size = 0;
        FILE *to = stream_open(&script, &size);
        print_tree(&(picture){of, tree, &fold, to});
        stream_close(to);
        status = save_picture(request->output, script, size, message);
        free(script);
    }
    fold_clear(&fold);
    return status;
}

static int draw(const command_request *request, const opened *of)
{
    og_message message = {""};
    og_tree tree = {.state = NULL};
    og_tree_request wanted = {.family = of->family,
                              .problem = of->problem,
                              .settings = watched_settings(request),
                              .exact = request->exact,
                              .all = request->all_actions,
                              .states_max = request->tree_states,
                              .levels_max = request->tree_levels};
    show_stage("solving");
    og_status status = og_tree_grow(&wanted, &tree, &message);
    show_stage(NULL);
    if (status == OG_OK) {
        status = write_tree(request, of, &tree, &message);
    }
    og_tree_clear(&tree);
    return status == OG_OK ? EXIT_RESULT : fail_by_limit(request, status, &message);
}

static og_status check_json(const command_request *request, og_message *message)
{
    return request->output == NULL && !request->tree_whole
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "--json prints the whole tree, and no picture: it goes without -o "
                                "and --whole");
}

static int run(command_request *request)
{
    static const question as_json = {.check = check_json,
                                     .stage = "solving",
                                     .ask = og_task_tree,
                                     .opens = true,
                                     .watched = true,
                                     .fail = fail_by_limit};
    opened of;
    og_message message = {""};
    picture_format unused;
    if (request->json) {
        return answer_question(request, &as_json, NULL);
    }
    if (request->output != NULL && find_format(request->output, &unused, &message) != OG_OK) {
        return complain(OG_BAD_INPUT, &message);
    }
    int code = open_problem(request, &of);
    if (code == EXIT_RESULT) {
        code = draw(request, &of);
    }
    close_problem(&of);
    return code;
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(budget_rows),
    OG_OPTION(OUTPUT, "output", "FILE", command_request, output, .what = "tree",
              .topic = OG_TOPIC_FILES, .basic = true,
              .brief = "write .svg, .png, .pdf or .eps (default: print dot)",
              .help = "the picture: .svg, .png, .pdf or .eps; without it Graphviz's language on "
                      "standard output",
              .letter = 'o'),
    OG_OPTION(INT32, "levels", "N", command_request, tree_levels, .topic = OG_TOPIC_OUTPUT,
              .basic = true, .brief = "number of labels to follow; 0 follows all",
              .help = "follow so many labels, and draw what is behind them as dots; 0: all",
              .most = 1000000, .fallback = "0"),
    OG_OPTION(SWITCH, "whole", NULL, command_request, tree_whole, .topic = OG_TOPIC_OUTPUT,
              .basic = true, .brief = "draw mirror images too", .help = "mirror images too"),
    OG_OPTION(SWITCH, "all-actions", NULL, command_request, all_actions, .topic = OG_TOPIC_OUTPUT,
              .basic = true, .brief = "follow every choice, not only the optimal ones",
              .help = "follow every action, not the optimal ones only"),
    OG_OPTION(INT32, "states", "N", command_request, tree_states, .topic = OG_TOPIC_LIMITS,
              .basic = true, .brief = "most states to draw",
              .help = "most states to draw; a larger tree is refused", .least = 1, .most = 1000000,
              .fallback = "300"),
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
    .brief = "Draw an optimal policy of a small problem as a tree: each state with its value,\n"
             "its choices and theirs; optimal choices are bold.",
    .example = "  optgap tree -T 3 --arithmetic exact -o tree.svg 2x1,1",
    .notes = "Without -o it prints the picture in Graphviz's language.",
    .about = "The decision tree of optimal play as a picture, for small problems: every "
             "state once, however many ways lead there, with the value of playing on from it; "
             "all actions of a state with theirs, optimal ones bold.",
    .details =
        "Example:\n"
        "\n"
        "  optgap tree -T 3 --arithmetic exact -o tree.svg 2x1,1\n"
        "\n"
        "Graphviz's program dot draws it; without -o what dot reads is printed. States that "
        "differ only in what positive and negative, or classes, are called are drawn once, "
        "which the picture says; --whole draws all of them.\n"
        "\n"
        "An optimal action is followed to where its label may lead; another one is drawn, "
        "with its value, and followed with --all-actions only. Where several actions are "
        "equally good all of them are bold; doubles call those equal that are within "
        "their proved error, --arithmetic exact settles it. Gray: nothing more to gain. "
        "Where workers, features or the time that labels take couple instances, what is "
        "alike changes places: instance 1 of one state may be instance 2 of another. Rounded "
        "boxes: somebody is at work, and chance says what is next.\n"
        "\n"
        "JSON: problem, unit, gains (true: values are gains still to come), states[].text, .left, "
        ".value, .chance, .cut, .actions[].text, .optimal, .value, .outcomes[].text, .probability, "
        ".to (a number of states[]); with --arithmetic exact .value_exact, .probability_exact.",
    .options = options,
    .families = FAMILY_STATES,
    .run = run,
};
