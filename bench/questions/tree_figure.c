/*
 * The figure of a decision tree: boxes for states, ellipses for choices, arrows for outcomes, and
 * their words.
 */
#include <stdio.h> /* before gmp.h, which declares functions on streams only after it */

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "bench/questions/tree_figure.h"
#include "bench/questions/tree_fold.h"
#include "bench/words.h"

enum { TEXT_BYTES = 1 << 16, NAME_SHOWN = 24 /* characters of a policy's name in an ellipse */ };

typedef struct {
    const og_asked *asked;
    const og_tree *tree;
    const og_tree_fold *fold;
    char *text; /* [TEXT_BYTES] scratch */
    og_document *nodes, *arrows;
} figure;

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

static void put_node(const figure *f, node_name name, const char *kind, const og_text *words)
{
    og_document *node = og_put_object(f->nodes, NULL);
    og_put_text(node, "name", name.text);
    og_put_text(node, "kind", kind);
    og_put_text(node, "text", words->text);
}

/* Without words it leads from a state to a choice. */
static void put_arrow(const figure *f, node_name from, node_name to, bool bold,
                      const og_text *words)
{
    og_document *arrow = og_put_object(f->arrows, NULL);
    og_put_text(arrow, "from", from.text);
    og_put_text(arrow, "to", to.text);
    og_put_text(arrow, "kind", words != NULL ? "outcome" : bold ? "best" : "other");
    og_put_text(arrow, "text", words != NULL ? words->text : NULL);
}

/* A value in words: five digits, or a short fraction if requested. */
static og_words value_words(const og_tree *tree, double value, mpq_srcptr exact)
{
    og_words words;
    if (tree->exact && mpz_sizeinbase(mpq_numref(exact), 10) <= OG_FRACTION_SHOWN &&
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

static void put_state(const figure *f, int32_t number)
{
    const og_tree_state *state = &f->tree->state[number];
    bool end = state->action_count == 0 && !state->cut;
    og_words value = value_words(f->tree, state->value, state->exact);
    og_text words = og_text_begin(f->text, TEXT_BYTES);
    og_text_add(&words, "%s\n", state->text);
    if (state->left > 0) {
        og_text_add(&words, "%" PRId32 " left\n", state->left);
    }
    og_text_add(&words, "value %s", value.text);
    if (state->left > 0) {
        og_text_add(&words, "%s", end ? "\nno more gain" : state->cut ? "\n..." : "");
    }
    put_node(f, name_of('s', number),
             end             ? "end"
             : state->chance ? "chance"
             : state->cut    ? "cut"
                             : "state",
             &words);
}

static bool share_arrow(const figure *f, const og_tree_outcome *x, const og_tree_outcome *y)
{
    return x->to != y->to && f->fold->state[x->to] == f->fold->state[y->to];
}

static void add_outcome(og_text *words, const figure *f, const og_tree_outcome *outcome)
{
    bool mirrored = f->fold->state[outcome->to] != outcome->to;
    og_text_add(words, " %s  %s %s", outcome->text,
                value_words(f->tree, outcome->probability, outcome->exact).text,
                mirrored ? "\n (mirrored) " : "");
}

/* Outcomes that lead to images of one state share an arrow. */
static void put_outcomes(const figure *f, const og_tree_action *action, node_name from)
{
    const og_tree_outcome *outcome = &f->tree->outcome[action->outcome_first];
    for (int32_t k = 0; k < action->outcome_count; k++) {
        bool drawn = false;
        for (int32_t j = 0; j < k; j++) {
            drawn = drawn || share_arrow(f, &outcome[j], &outcome[k]);
        }
        if (drawn) {
            continue;
        }
        og_text words = og_text_begin(f->text, TEXT_BYTES);
        add_outcome(&words, f, &outcome[k]);
        for (int32_t j = k + 1; j < action->outcome_count; j++) {
            if (share_arrow(f, &outcome[k], &outcome[j])) {
                og_text_add(&words, "\n");
                add_outcome(&words, f, &outcome[j]);
            }
        }
        put_arrow(f, from, name_of('s', f->fold->state[outcome[k].to]), false, &words);
    }
}

/* "opt-kg", "loses 1/96", where the policy takes this action or, of ties, one of its images. */
static void add_choice(og_text *words, const figure *f, const og_tree_action *action, double chosen)
{
    const char *name = f->tree->against;
    if (chosen > 0) {
        og_text_add(words, "\n%s", strlen(name) > NAME_SHOWN ? "policy" : name);
        if (chosen < 1 - 1e-9) {
            og_text_add(words, " %.3g %%", 100 * chosen);
        }
    }
    if (chosen > 0 && !action->optimal) {
        og_text_add(words, "\nloses %s",
                    value_words(f->tree, action->lost, action->lost_exact).text);
    }
}

static void put_action(const figure *f, int32_t number, int32_t at)
{
    const og_tree_action *action = &f->tree->action[at];
    double chosen = action->chosen;
    const og_tree_state *state = &f->tree->state[number];
    const char *verb = og_family_words_of(f->asked->family).verb;
    og_text words = og_text_begin(f->text, TEXT_BYTES);
    og_text_add(&words, "%s %s", verb, action->text);
    for (int32_t i = 0; i < state->action_count; i++) {
        int32_t other = state->action_first + i;
        if (other != at && f->fold->action[other] == at) {
            og_text_add(&words, "\nor %s (mirrored)", f->tree->action[other].text);
            chosen += f->tree->action[other].chosen;
        }
    }
    og_text_add(&words, "\n%s", value_words(f->tree, action->value, action->exact).text);
    add_choice(&words, f, action, chosen);
    node_name name = name_of('a', at);
    put_node(f, name,
             action->optimal ? (chosen > 0 ? "agreed" : "best")
             : chosen > 0    ? "losing"
                             : "other",
             &words);
    put_arrow(f, name_of('s', number), name, action->optimal, NULL);
    put_outcomes(f, action, name);
}

static void put_actions(const figure *f, int32_t number)
{
    const og_tree_state *state = &f->tree->state[number];
    for (int32_t i = 0; i < state->action_count; i++) {
        int32_t at = state->action_first + i;
        if (state->chance) {
            put_outcomes(f, &f->tree->action[at], name_of('s', number));
        } else if (f->fold->action[at] == at) {
            put_action(f, number, at);
        }
    }
}

/* Adds the instances of the problem if their words are short. */
static void add_problem(og_text *words, const og_asked *asked)
{
    char word[OG_GROUP_TEXT_BYTES];
    const og_arms *arms = og_family_arms(asked->family, asked->problem);
    for (int32_t i = 0; arms != NULL && i < arms->group_count; i++) {
        og_group group = *og_arm_prior(arms->arm[arms->arm_of_group[i]]);
        group.count = arms->group_size[i];
        og_group_format(&group, word, sizeof word);
        og_text_add(words, " %s", word);
    }
    if (arms == NULL) {
        og_text_add(words, " %s", asked->family->words.problems);
    }
}

/* "Optimal policy for 2x1,1 with 3 labels". */
static void put_title(const figure *f, og_document *out)
{
    const og_problem_size *sizes = &f->asked->sizes;
    const char *units = og_family_words_of(f->asked->family).budget_name; /* "Labels" */
    int length = (int)strlen(units) - 1 - (sizes->left == 1);
    og_text words = og_text_begin(f->text, TEXT_BYTES);
    og_text_add(&words, "Optimal policy for");
    add_problem(&words, f->asked);
    og_text_add(&words, " with %" PRId32 " %c%.*s", sizes->left, tolower(units[0]), length,
                units + 1);
    if (f->tree->against != NULL) {
        og_text_add(&words, ", and choices of %s", f->tree->against);
    }
    og_put_text(out, "title", words.text);
}

/* The marks of the policy's choices, and its gap. */
static void add_marks(og_text *words, const og_tree *tree)
{
    og_text_add(words, "\nFilled: choices of %s%s.", tree->against,
                tree->lost == 0 ? ", which lose nothing" : ", orange where it loses");
    if (tree->lost > 0) {
        og_text_add(words, " In all they lose %s.",
                    value_words(tree, tree->lost, tree->lost_exact).text);
    }
}

static void put_legend(const figure *f, og_document *out)
{
    const char *units = og_family_words_of(f->asked->family).budget_name;
    og_text words = og_text_begin(f->text, TEXT_BYTES);
    og_text_add(&words,
                "Boxes: the state, %c%s left, expected %s %s.\n"
                "Ellipses: choices, bold if optimal, and their values. "
                "Arrows: outcomes and their probabilities.%s",
                tolower(units[0]), units + 1, f->asked->sizes.metric.unit,
                f->tree->gains ? "still to be gained" : "at the end",
                f->fold->folded > 0
                    ? "\n(mirrored): with positive and negative exchanged; drawn once."
                    : "");
    if (f->tree->against != NULL) {
        add_marks(&words, f->tree);
    }
    og_put_text(out, "subtitle", words.text);
}

/* True if positive and negative can be exchanged without changing values: for correct calls of
 * independent instances. */
static bool has_mirrors(const og_asked *asked)
{
    const og_arms *arms = og_family_arms(asked->family, asked->problem);
    bool calls = arms != NULL;
    for (int32_t a = 0; calls && a < arms->arm_count; a++) {
        calls = og_arm_has_calls(arms->arm[a]);
    }
    return calls;
}

og_status og_tree_figure(const og_asked *asked, const og_tree *tree, bool whole, og_document *out)
{
    og_arena arena = {0};
    og_tree_fold fold;
    figure f = {asked, tree, &fold, og_arena_array(&arena, TEXT_BYTES, 1), NULL, NULL};
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_tree_fold_find(&arena, tree, !whole && has_mirrors(asked), &fold));
    if (status == OG_OK) {
        og_put_text(out, "figure", "tree");
        put_title(&f, out);
        put_legend(&f, out);
        f.nodes = og_put_array(out, "nodes");
        f.arrows = og_put_array(out, "arrows");
        for (int32_t i = 0; i < tree->state_count; i++) {
            if (fold.shown[i]) {
                put_state(&f, i);
            }
        }
        for (int32_t i = 0; i < tree->state_count; i++) {
            if (fold.shown[i]) {
                put_actions(&f, i);
            }
        }
    }
    og_arena_clear(&arena);
    return status;
}
