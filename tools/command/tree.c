/* tree: the decision tree of optimal play, as a picture for Graphviz. */
#include <inttypes.h>
#include <stdio.h>

#include "bench/value/tree.h"
#include "bench/words.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/posterior.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

typedef struct {
    const og_arms *arms;
    const og_tree *tree;
} picture;

enum { WORDS = OG_GROUP_TEXT_BYTES + 32 };

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
    char words[WORDS];
    printf("  s%" PRId32 " [shape=box%s, label=\"", number,
           state->action_count == 0 ? ", style=filled, fillcolor=\"gray92\"" : "");
    for (int32_t i = 0; i < state->group_count; i++) {
        const og_state_group *group = &of->tree->group[state->group_first + i];
        posterior_words(of->arms->arm[group->arm], group->node, words, sizeof words);
        if (group->copies > 1) {
            printf("%s%" PRId64 "x%s", i > 0 ? "   " : "", group->copies, words);
        } else {
            printf("%s%s", i > 0 ? "   " : "", words);
        }
    }
    og_words value = value_words(of, state->value, state->exact);
    if (state->left == 0) {
        printf("\\nvalue %s\"];\n", value.text);
    } else {
        printf("\\n%" PRId32 " left, value %s%s\"];\n", state->left, value.text,
               state->action_count == 0 ? "\\nnothing more to gain" : "");
    }
}

static void print_actions(const picture *of, int32_t number)
{
    const og_tree_state *state = &of->tree->state[number];
    char words[WORDS];
    for (int32_t i = 0; i < state->action_count; i++) {
        int32_t at = state->action_first + i;
        const og_tree_action *action = &of->tree->action[at];
        const og_state_group *group = &of->tree->group[state->group_first + action->group];
        const og_arm *arm = of->arms->arm[group->arm];
        const char *style = action->optimal ? "bold" : "dashed";
        const char *width = action->optimal ? "2.2" : "0.8";
        posterior_words(arm, group->node, words, sizeof words);
        printf("  a%" PRId32 " [shape=ellipse, style=%s, label=\"label %s\\n%s\"];\n", at, style,
               words, value_words(of, action->value, action->exact).text);
        printf("  s%" PRId32 " -> a%" PRId32 " [style=%s, penwidth=%s, arrowhead=none];\n", number,
               at, style, width);
        for (int32_t k = 0; k < action->outcome_count; k++) {
            const og_tree_outcome *outcome = &of->tree->outcome[action->outcome_first + k];
            label_words(arm, outcome->label, words, sizeof words);
            printf("  a%" PRId32 " -> s%" PRId32 " [label=\" %s  %s \"];\n", at, outcome->to, words,
                   value_words(of, outcome->probability, outcome->exact).text);
        }
    }
}

static void print_tree(const picture *of)
{
    const og_arms *arms = of->arms;
    char words[WORDS];
    printf("digraph \"optgap tree\" {\n"
           "  rankdir=LR;\n"
           "  labelloc=t;\n"
           "  fontname=\"Helvetica\";\n"
           "  label=\"Optimal play of");
    for (int32_t i = 0; i < arms->group_count; i++) {
        og_group group = *og_arm_prior(arms->arm[arms->arm_of_group[i]]);
        group.count = arms->group_size[i];
        og_group_format(&group, words, sizeof words);
        printf(" %s", words);
    }
    printf(" with %" PRId32 " label%s. Boxes: posteriors, labels left, "
           "expected correct calls at the end.\\nEllipses: what is labelled, bold where optimal, "
           "and what is expected then. Arrows: what the label says, and how likely that is.\";\n"
           "  node [fontname=\"Helvetica\", fontsize=11];\n"
           "  edge [fontname=\"Helvetica\", fontsize=10];\n",
           arms->budget, arms->budget == 1 ? "" : "s");
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
    const og_arms *arms = arms_of(of, "tree");
    if (arms == NULL) {
        return EXIT_USAGE;
    }
    og_settings settings = watched_settings(request);
    og_tree_request wanted = {.arms = arms,
                              .settings = &settings,
                              .exact = request->exact,
                              .all = request->all_actions,
                              .states_max = request->tree_states};
    show_stage("solving");
    og_status status = og_tree_grow(&wanted, &tree, &message);
    show_stage(NULL);
    int code = EXIT_RESULT;
    if (status == OG_OK) {
        print_tree(&(picture){arms, &tree});
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
    .details = "Example:\n"
               "\n"
               "  optgap tree -T 3 --arithmetic exact 2x1,1 >tree.dot\n"
               "\n"
               "and then 'dot -Tsvg tree.dot >tree.svg' (Graphviz).\n"
               "\n"
               "An optimal action is followed to where its label may lead; another one is drawn, "
               "with its value, and followed with --all-actions only. Where several actions are "
               "equally good all of them are bold; doubles call those equal that are within "
               "their proved error, --arithmetic exact settles it. Gray: nothing more to gain.",
    .options = options,
    .run = run,
};
