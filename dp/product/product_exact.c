/* The fractions of a product's model: those that its layers name (dp/arm/exact_names.h). */
#include <stddef.h>

#include "dp/product/product.h"

static mpq_srcptr reward_named(const og_product *p, uint32_t name)
{
    return p->names->reward.value[name];
}

static mpq_srcptr reward(const void *self, const og_expansion *x, const og_action *action,
                         mpq_t room)
{
    const og_product *p = self;
    int32_t left;
    (void)room;
    uint32_t number = og_product_class(p, x, action, &left);
    return reward_named(p, og_layer_reward_name(&p->layers->layer[left], number));
}

static mpq_srcptr probability(const void *self, const og_expansion *x, const og_action *action,
                              const og_outcome *outcome, mpq_t room)
{
    const og_product *p = self;
    int32_t left;
    (void)room;
    uint32_t number = og_product_class(p, x, action, &left);
    const og_layer *layer = &p->layers->layer[left];
    ptrdiff_t k = outcome - &x->outcome[action->outcome_first];
    return p->names->probability
        .value[(uint32_t)layer->probability_name[layer->outcome_first[number] + k]];
}

/* The optimum with one label left: the largest reward. */
static mpq_srcptr last_label(const void *self, const uint64_t *key, int32_t words, og_expansion *x)
{
    const og_product *p = self;
    uint32_t best = 0; /* the name of reward 0 */
    if (!p->optimum || og_product_left(p, key) != 1) {
        return NULL;
    }
    og_product_expand(p, key, words, x); /* no chooser is called, so it cannot fail */
    for (int32_t a = 0; a < x->action_count; a++) {
        int32_t left;
        uint32_t number = og_product_class(p, x, &x->action[a], &left);
        uint32_t name = og_layer_reward_name(&p->layers->layer[left], number);
        best = name > best ? name : best;
    }
    return reward_named(p, best);
}

const og_model_exact og_product_exact = {
    .reward = reward, .probability = probability, .last = last_label};
