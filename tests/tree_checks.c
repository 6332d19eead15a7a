/* Checks the numbers of a decision tree with the definitions. */
#include "tests/tree_checks.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "dp/base/rational.h"

static const double rounding = 1e-12;

static bool same_state(const og_tree *tree, int32_t a, int32_t b)
{
    const og_tree_state *x = &tree->state[a];
    const og_tree_state *y = &tree->state[b];
    return x->left == y->left && x->chance == y->chance && strcmp(x->text, y->text) == 0;
}

static void check_followed(const og_tree *tree, const og_tree_action *action, bool rewards,
                           const char *words)
{
    double sum = 0;
    double share = 0;
    mpq_t exact;
    mpq_t term;
    mpq_inits(exact, term, NULL);
    for (int32_t k = 0; k < action->outcome_count; k++) {
        const og_tree_outcome *outcome = &tree->outcome[action->outcome_first + k];
        const og_tree_state *to = &tree->state[outcome->to];
        sum += outcome->probability * to->value;
        share += outcome->probability;
        mpq_mul(term, outcome->exact, to->exact);
        mpq_add(exact, exact, term);
    }
    ck_assert_msg(fabs(share - 1) <= rounding, "%s: probabilities add up to %.17g", words, share);
    ck_assert_msg(rewards ? action->value >= sum - rounding : fabs(sum - action->value) <= rounding,
                  "%s: %.17g, not %.17g", words, action->value, sum);
    if (tree->exact) {
        ck_assert_msg(mpq_equal(exact, action->exact), "%s: a fraction does not follow", words);
    }
    mpq_clears(exact, term, NULL);
}

static void check_state(const og_tree *tree, int32_t number, bool all, bool rewards,
                        const char *words)
{
    const og_tree_state *state = &tree->state[number];
    double best = -INFINITY;
    bool some = false;
    for (int32_t i = 0; i < state->action_count; i++) {
        const og_tree_action *action = &tree->action[state->action_first + i];
        best = fmax(best, action->value);
        some = some || action->optimal;
        ck_assert_msg(!action->optimal || fabs(action->value - state->value) <= rounding, "%s",
                      words);
        ck_assert_msg((action->outcome_count > 0) == (all || action->optimal), "%s", words);
        if (tree->exact) {
            bool equal = mpq_equal(action->exact, state->exact);
            ck_assert_msg(equal == action->optimal, "%s", words);
        }
        if (action->outcome_count > 0) {
            check_followed(tree, action, rewards && !state->chance, words);
        }
    }
    ck_assert_msg(!tree->exact || fabs(og_nearest(state->exact) - state->value) <= rounding,
                  "%s: '%s' is worth %.17g, as a fraction %.17g", words, state->text, state->value,
                  og_nearest(state->exact));
    ck_assert_msg(state->action_count == 0 || (some && fabs(best - state->value) <= rounding), "%s",
                  words);
    ck_assert_msg(!state->chance || state->action_count == 1, "%s", words);
    for (int32_t other = 0; other < number; other++) {
        ck_assert_msg(!same_state(tree, number, other), "%s: '%s' stands there twice", words,
                      state->text);
    }
}

void check_tree(const og_tree *tree, bool all, bool rewards, const char *words)
{
    ck_assert_msg(tree->state_count > 0, "%s", words);
    for (int32_t i = 0; i < tree->state_count; i++) {
        check_state(tree, i, all, rewards, words);
    }
}
