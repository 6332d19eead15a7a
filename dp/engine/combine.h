#ifndef OG_DP_ENGINE_COMBINE_H
#define OG_DP_ENGINE_COMBINE_H

#include <math.h>

#include "dp/engine/model.h"

/* A running maximum, minimum or mean of a state's actions. A mean adds them in their order; the
 * other two have the same bits in any order. */
typedef struct {
    og_combine combine;
    double value;
    double weight;
} og_combination;

static inline void og_combination_begin(og_combination *c, og_combine combine)
{
    c->combine = combine;
    c->weight = 0;
    c->value = combine == OG_COMBINE_MAX ? -INFINITY : combine == OG_COMBINE_MIN ? INFINITY : 0;
}

static inline void og_combination_add(og_combination *c, const og_action *action, double value)
{
    switch (c->combine) {
    case OG_COMBINE_MAX:
        c->value = value > c->value ? value : c->value;
        break;
    case OG_COMBINE_MIN:
        c->value = value < c->value ? value : c->value;
        break;
    case OG_COMBINE_MEAN:
        c->value += action->weight * value;
        c->weight += action->weight;
        break;
    }
}

static inline double og_combination_end(const og_combination *c)
{
    return c->combine == OG_COMBINE_MEAN ? c->value / c->weight : c->value;
}

#endif
