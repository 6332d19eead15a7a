/* tree: the decision tree of optimal play, as a picture for Graphviz. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/value/tree.h"
#include "bench/words.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

typedef struct {
    const opened *of;
    const og_tree *tree;
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
    printf("  s%" PRId32 " [shape=box%s, label=\"%s", number,
           state->action_count == 0 ? ", style=filled, fillcolor=\"gray92\""
           : state->chance          ? ", style=rounded"
                                    : "",
           state->text);
    og_words value = value_words(of, state->value, state->exact);
    if (state->left == 0) {
        printf("\\nvalue %s\"];\n", value.text);
    } else {
        printf("\\n%" PRId32 " left, value %s%s\"];\n", state->left, value.text,
               state->action_count == 0 ? "\\nnothing more to gain" : "");
    }
}

static void print_outcomes(const picture *of, const og_tree_action *action, const char *from,
                           int32_t number)
{
    for (int32_t k = 0; k < action->outcome_count; k++) {
        const og_tree_outcome *outcome = &of->tree->outcome[action->outcome_first + k];
        printf("  %s%" PRId32 " -> s%" PRId32 " [label=\" %s  %s \"];\n", from, number, outcome->to,
               outcome->text, value_words(of, outcome->probability, outcome->exact).text);
    }
}

static void print_actions(const picture *of, int32_t number)
{
    const og_tree_state *state = &of->tree->state[number];
    const char *verb = of->of->family->verb;
    for (int32_t i = 0; i < state->action_count; i++) {
        int32_t at = state->action_first + i;
        const og_tree_action *action = &of->tree->action[at];
        const char *style = action->optimal ? "bold" : "dashed";
        const char *width = action->optimal ? "2.2" : "0.8";
        if (state->chance) {
            print_outcomes(of, action, "s", number);
            continue;
        }
        printf("  a%" PRId32 " [shape=ellipse, style=%s, label=\"%s %s\\n%s\"];\n", at, style,
               verb != NULL ? verb : "label", action->text,
               value_words(of, action->value, action->exact).text);
        printf("  s%" PRId32 " -> a%" PRId32 " [style=%s, penwidth=%s, arrowhead=none];\n", number,
               at, style, width);
        print_outcomes(of, action, "a", at);
    }
}

/* What the problem is made of, as far as words for it are short. */
static void print_problem(const opened *of)
{
    char words[OG_GROUP_TEXT_BYTES];
    const og_arms *arms = of->family->arms != NULL ? of->family->arms(of->problem) : NULL;
    for (int32_t i = 0; arms != NULL && i < arms->group_count; i++) {
        og_group group = *og_arm_prior(arms->arm[arms->arm_of_group[i]]);
        group.count = arms->group_size[i];
        og_group_format(&group, words, sizeof words);
        printf(" %s", words);
    }
    if (arms == NULL) {
        printf(" %s", of->family->problems);
    }
}

static void print_tree(const picture *of)
{
    const og_sizes *sizes = &of->of->sizes;
    const char *units = of->of->family->budget_name; /* "Labels" */
    int length = (int)strlen(units) - 1 - (sizes->left == 1);
    printf("digraph \"optgap tree\" {\n"
           "  rankdir=LR;\n"
           "  labelloc=t;\n"
           "  fontname=\"Helvetica\";\n"
           "  label=\"Optimal play of");
    print_problem(of->of);
    printf(" with %" PRId32 " %c%.*s. Boxes: posteriors, %c%s left, "
           "expected %s %s.\\nEllipses: what is labelled, bold where optimal, "
           "and what is expected then. Arrows: what the label says, and how likely that is.\";\n"
           "  node [fontname=\"Helvetica\", fontsize=11];\n"
           "  edge [fontname=\"Helvetica\", fontsize=10];\n",
           sizes->left, tolower(units[0]), length, units + 1, tolower(units[0]), units + 1,
           sizes->metric.unit, of->tree->gains ? "still to be gained" : "at the end");
    for (int32_t i = 0; i < of->tree->state_count; i++) {
        print_state(of, i);
    }
    for (int32_t i = 0; i < of->tree->state_count; i++) {
        print_actions(of, i);
    }
    puts("}");
}

static int grow(const command_request *request, const opened *of)
{
    og_message message = {""};
    og_tree tree = {.state = NULL};
    og_tree_request wanted = {.family = of->family,
                              .problem = of->problem,
                              .settings = watched_settings(request),
                              .exact = request->exact,
                              .all = request->all_actions,
                              .states_max = request->tree_states};
    show_stage("solving");
    og_status status = og_tree_grow(&wanted, &tree, &message);
    show_stage(NULL);
    int code = EXIT_RESULT;
    if (status == OG_OK) {
        print_tree(&(picture){of, &tree});
    } else {
        code = complain(status, &message);
    }
    og_tree_clear(&tree);
    return code;
}

static int run(command_request *request)
{
    opened of;
    int code = open_problem(request, &of);
    if (code == EXIT_RESULT) {
        code = grow(request, &of);
    }
    close_problem(&of);
    return code;
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(budget_rows),
    OG_OPTION(SWITCH, "all-actions", NULL, command_request, all_actions,
              .help = "follow every action, not the optimal ones only"),
    OG_OPTION(INT32, "states", "N", command_request, tree_states,
              .help = "most states to draw; a larger tree is refused", .least = 1, .most = 1000000,
              .fallback = "300"),
    OG_OPTION_TABLE(objective_rows),
    OG_OPTION_TABLE(arithmetic_rows),
    OG_OPTION_TABLE(thread_rows),
    OG_OPTION_TABLE(quiet_rows),
    OG_OPTION_LAST,
};

const command command_tree = {
    .name = "tree",
    .summary = "the decision tree of optimal play, for Graphviz",
    .word = INSTANCE_WORDS("2x1,1"),
    .about = "The decision tree of optimal play in Graphviz's language, for small problems: every "
             "state once, however many ways lead there, with the value of playing on from it; "
             "all actions of a state with theirs, optimal ones bold.",
    .details =
        "Example:\n"
        "\n"
        "  optgap tree -T 3 --arithmetic exact 2x1,1 >tree.dot\n"
        "\n"
        "and then 'dot -Tsvg tree.dot >tree.svg' (Graphviz).\n"
        "\n"
        "An optimal action is followed to where its label may lead; another one is drawn, "
        "with its value, and followed with --all-actions only. Where several actions are "
        "equally good all of them are bold; doubles call those equal that are within "
        "their proved error, --arithmetic exact settles it. Gray: nothing more to gain. "
        "Where workers, features or the time that labels take couple instances, what is "
        "alike changes places: instance 1 of one state may be instance 2 of another. Rounded "
        "boxes: somebody is at work, and chance says what is next.",
    .options = options,
    .families = FAMILY_STATES,
    .run = run,
};
