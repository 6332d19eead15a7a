#ifndef OG_DP_FAMILIES_DELAYED_PAIRS_H
#define OG_DP_FAMILIES_DELAYED_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/engine/model.h"
#include "dp/families/delayed.h"

/*
 * States of instances with labels under way, as the models of labels that take time and of labels
 * in batches store them (private to dp/families/): pairs of an item, which describes an instance
 * completely, and the number of such instances. A key is a word that the model defines, then one
 * word (item + 1, copies) for each pair.
 */
typedef struct {
    uint32_t item;
    uint32_t copies;
} og_delayed_pair;

/* The state of an expansion, and its latest successor. */
typedef struct {
    og_arena arena;
    og_delayed_state shown;
    og_delayed_item *item; /* [pairs_max + 2] for policies and readers */
    int32_t left, after_left;
    bool chance, after_chance; /* there is no decision; an event comes next */
    int32_t count, after_count;
    og_delayed_pair *pairs; /* [pairs_max + 1] */
    og_delayed_pair *after; /* [pairs_max + 2] */
} og_delayed_scratch;

/* Allocates its og_delayed_scratch and room for an action of each pair. OG_NO_MEMORY. */
og_status og_delayed_expansion_new(int32_t pairs_max, int32_t outcomes_max, og_expansion *out);

/* By item. */
void og_delayed_pairs_sort(og_delayed_pair *pairs, int32_t count);

/* The pairs of a key. */
static inline og_delayed_pair og_delayed_pair_of(uint64_t word)
{
    return (og_delayed_pair){(uint32_t)(word >> 32) - 1, (uint32_t)word};
}
static inline uint64_t og_delayed_word_of(og_delayed_pair pair)
{
    return (uint64_t)(pair.item + 1) << 32 | pair.copies;
}

/* The form of states that a question requires. */
typedef struct {
    bool optimum;
    og_ties ties;
    bool ordered; /* a pair for each instance, in their order */
    bool cap;     /* at most as many copies as labels left */
    int32_t pairs_max;
} og_delayed_rules;

/* `fresh`: number of pairs of instances without a label. OG_STOPPED with a message if a state has
 * more pairs than a key can hold. */
og_status og_delayed_rules_init(const og_arms *arms, const og_question *question, int32_t fresh,
                                og_delayed_rules *out, og_message *message);

og_combine og_delayed_combine(const og_delayed_rules *rules);

/* The answer that leads from one instance to the other. */
int32_t og_delayed_answer(const og_arms *arms, const og_delayed_instance *from,
                          const og_delayed_instance *to);

static inline og_act og_delayed_act(const og_delayed_instance *of)
{
    return (og_act){{(uint32_t)of->arm, of->node, (uint32_t)of->at_work}};
}

#endif
