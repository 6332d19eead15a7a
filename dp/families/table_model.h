#ifndef OG_DP_FAMILIES_TABLE_MODEL_H
#define OG_DP_FAMILIES_TABLE_MODEL_H

#include <math.h>

#include "dp/engine/model.h"

/*
 * Parts of the models of tables (private to dp/families/): an act asks for a cell, the `from` of
 * its outcomes, which has two answers, `to` 0 for the positive one and 1 for the negative one. A
 * template: the file that includes it has the types `problem` and `scratch`, and the functions that
 * are declared here. The words of a key have a mark that keeps them from being 0; the
 * first has, below it, the labels left.
 */
#define MARK (UINT64_C(1) << 63)

static og_act act_of(const problem *m, uint32_t cell);
static void read_key(const problem *m, const uint64_t *key, scratch *s);
static og_status expand_shown(const void *self, og_expansion *x); /* the state in the scratch */
static int32_t successor_with(const void *self, const og_expansion *x, const og_outcome *outcome,
                              og_belief *belief, uint64_t *key, double *value);

static void add_act(og_expansion *x, uint32_t cell)
{
    int32_t a = x->action_count++;
    x->action[a] =
        (og_action){.weight = 1, .bound = INFINITY, .outcome_first = 2 * a, .outcome_count = 2};
    for (uint32_t k = 0; k < 2; k++) {
        x->outcome[2 * a + (int32_t)k] =
            (og_outcome){.probability = 1, .bound = INFINITY, .from = cell, .to = k};
    }
}

static og_status expand(const void *self, const uint64_t *key, int32_t words, og_expansion *x)
{
    (void)words;
    read_key(self, key, x->scratch);
    return expand_shown(self, x);
}

static int32_t successor(const void *self, const og_expansion *x, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    return successor_with(self, x, outcome, NULL, key, value);
}

static og_act act(const void *self, const og_expansion *x, const og_action *action)
{
    return act_of(self, x->outcome[action->outcome_first].from);
}

static int32_t answer(const void *self, const og_expansion *x, const og_outcome *outcome,
                      og_act *act)
{
    (void)x;
    *act = act_of(self, outcome->from);
    return outcome->to == 0;
}

static int32_t left_in(const uint64_t *key)
{
    return (int32_t)(key[0] & ~MARK);
}

static int32_t stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    (void)self;
    (void)words;
    *left = left_in(key);
    return *left;
}

#endif
