/* The fractions of a product's model: those that its layers name (dp/arm/exact_names.h). */
#include <stddef.h>

#include "dp/product/product.h"

static mpq_srcptr reward(const void *self, const og_expansion *x, const og_action *action,
                         mpq_t room)
{
    const og_product *p = self;
    int32_t left;
    if (p->worth.labels || action->outcome_count == 0) { /* a label, or the end of labelling */
        mpq_set_ui(room, p->worth.labels && action->outcome_count > 0, 1);
        return room;
    }
    uint32_t number = og_product_class(p, x, action, &left);
    mpq_srcptr earned =
        p->names->reward.value[og_layer_reward_name(&p->layers->layer[left], number)];
    if (p->worth.fee.num == 0) {
        return earned;
    }
    mpq_t fee;
    mpq_init(fee);
    og_fraction_get_mpq(fee, p->worth.fee);
    mpq_sub(room, earned, fee);
    mpq_clear(fee);
    return room;
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

const og_model_exact og_product_exact = {.reward = reward, .probability = probability};
