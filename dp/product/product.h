#ifndef OG_DP_PRODUCT_PRODUCT_H
#define OG_DP_PRODUCT_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/exact_names.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/engine/model.h"
#include "dp/product/chooser.h"
#include "dp/product/layers.h"
#include "dp/product/price.h"
#include "dp/product/state.h"

/*
 * The product of arms as a model: instances are independent, and a label changes only its own
 * instance.
 *
 * A state is the number of labels left and a multiset of classes of that layer or, if the order of
 * instances matters, a sequence of runs (class, copies). Its key is an injective bit string: labels
 * left, then every class as the gap from the one before (Exp-Golomb code of an order fixed for the
 * layer) and its copies (Elias gamma). No code word is all zeros, so the string needs no end mark
 * and trailing zeros are not significant.
 */
typedef struct {
    int32_t budget;
    const og_layers *layers; /* borrowed */
    const og_prices *prices; /* borrowed; NULL: no bounds */
    bool optimum; /* all actions; false: only those of the policy with the layers' ranks */
    og_ties ties; /* of the policy */
    const og_ranks *chosen_by;   /* borrowed; NULL: an index policy, or the optimum */
    bool stops;                  /* an index policy whose nodes of rank 0 are done */
    og_play_worth worth;         /* of a policy's labels */
    double fee_nearest;          /* its fee, 0 if there is none */
    const og_arms *arms;         /* borrowed */
    bool ordered;                /* sequences instead of multisets */
    bool drop;                   /* drop class 0 */
    bool cap;                    /* reduction 3; for a policy: `left` copies at most */
    bool force;                  /* reduction 4 */
    struct og_two_copies *two;   /* owned; NULL: OG_REDUCE_TWO is off or never fires */
    const og_exact_names *names; /* borrowed; of the layers' fractions: every successor has a key,
                                  * terminal ones in doubles too; NULL: doubles */
    bool several;                /* classes have several actions (dp/product/layers.h) */
    int64_t instances;           /* of the problem */
    int32_t pairs_max;           /* most (class, copies) pairs of a state */
    int32_t actions_max;
    int32_t key_words_max;
    int32_t left_bits;
    int32_t *order; /* [budget + 1] of the class code; owned */
    double margin;  /* of the model */
} og_product;

typedef struct {
    uint32_t class;
    int64_t copies;
} og_pair;

/* The purpose of a product. */
typedef struct {
    bool optimum;
    og_ties ties;          /* policy only */
    const og_ranks *ranks; /* of the policy for which the layers were made; NULL: the optimum */
    bool ends;             /* as in the layers (og_layers_use) */
    og_play_worth worth;   /* policy only; zeroed if Q is asked for */
    unsigned reductions;   /* OG_REDUCE_* of dp/product/solve.h */
    const og_exact_names *names; /* of the exact layers, for values in fractions; NULL: doubles */
} og_product_use;

/* Borrows everything except `use`. OG_STOPPED with a message if the states cannot be written as
 * keys. */
og_status og_product_init(og_product *product, const og_arms *arms, const og_layers *layers,
                          const og_prices *prices, const og_product_use *use, og_message *message);
void og_product_clear(og_product *product);

/* The model of an initialised product, which it borrows. It has fractions if the product has
 * names. */
og_model og_product_model(const og_product *product);

/* A state with `left` labels left: the number of instances in each class of that layer, in any
 * order (in the state's order if that matters); classes may be repeated. One instance of
 * pair[moved] (-1: none) is in class `to` instead. */
typedef struct {
    int32_t left;
    const og_pair *pair; /* [count] */
    int32_t count, moved;
    uint32_t to;
} og_pairs;

/*
 * Writes the key of a state and
 * the number of its words, 0 if nothing is left to gain (value 0). OG_BAD_INPUT with a message if
 * there are more different classes, or runs, than the problem's groups can have. Allocates scratch:
 * OG_NO_MEMORY.
 */
og_status og_product_key(const og_product *product, const og_pairs *pairs, uint64_t *key,
                         int32_t *words, og_message *message);

/*
 * The classes of the groups of a state that passes og_state_check, [state->count] each, for
 * og_product_key: `pair` with the state's labels left, `down` with one less. `classes` belong to
 * the product's layers; they may be NULL for og_state_is_first.
 */
void og_product_pairs(const og_product *product, const og_classes *classes, const og_state *state,
                      og_pair *pair, og_pair *down);

/* The first group of a state that is in the class of group i, from the pairs above; if order
 * matters, all groups are different. Equivalent instances have the same Q. */
int32_t og_product_alike(const og_product *product, const og_pair *pair, int32_t i);

/* The problem's first state; its groups are the caller's to free. OG_NO_MEMORY. */
og_status og_state_first(const og_arms *arms, og_state *state);

/* True if no instance is labelled yet and the whole budget is left. */
bool og_state_is_first(const og_arms *arms, const og_state *state);

extern const og_model_exact og_product_exact; /* of its model; private to dp/product/ */

/* The action of the layer of *left labels left for an action of an expansion; if classes have one
 * action each, it is the class of the labelled instance. Their outcomes are the same, in order. The
 * action must have one: it is not that of stopping, which has none and earns 0. */
uint32_t og_product_class(const og_product *product, const og_expansion *expansion,
                          const og_action *action, int32_t *left);

/* The state with this key as a policy with a chooser sees it; borrows the expansion, which is
 * overwritten. */
og_state og_product_shown(const og_product *product, const uint64_t *key, int32_t words,
                          og_expansion *x);

/* Labels left in the state with this key. */
int32_t og_product_left(const og_product *product, const uint64_t *key);

#endif
