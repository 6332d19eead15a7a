/* Sorting a handful of numbers; see the header for why that is enough. */
#include "heuristics/index/twin_classes.h"

static og_fraction fractional_part(og_fraction value)
{
    return (og_fraction){value.num % value.den, value.den};
}

void og_class_order_init(og_class_order *of, const og_group *prior)
{
    *of = (og_class_order){.classes = prior->part_count};
    for (int32_t c = 0; c < of->classes; c++) {
        og_fraction rest = fractional_part(prior->alpha[c]);
        int32_t at = c;
        for (; at > 0 && og_fraction_compare(of->rest[at - 1], rest) > 0; at--) {
            of->rest[at] = of->rest[at - 1];
            of->order[at] = of->order[at - 1];
        }
        of->rest[at] = rest;
        of->order[at] = c;
        of->whole[c] = (int32_t)(prior->alpha[c].num / prior->alpha[c].den);
    }
    for (int32_t i = of->classes; i-- > 0;) {
        bool last = i + 1 == of->classes || og_fraction_compare(of->rest[i], of->rest[i + 1]) != 0;
        of->end[i] = last ? i + 1 : of->end[i + 1];
    }
}

bool og_class_order_same(const og_class_order *x, const og_class_order *y)
{
    bool same = x->classes == y->classes;
    for (int32_t i = 0; same && i < x->classes; i++) {
        same = og_fraction_compare(x->rest[i], y->rest[i]) == 0;
    }
    return same;
}

void og_class_order_key(const og_class_order *of, const int32_t *counts, int32_t *key)
{
    for (int32_t start = 0; start < of->classes; start = of->end[start]) {
        for (int32_t i = start; i < of->end[start]; i++) {
            int32_t value = of->whole[of->order[i]] + counts[of->order[i]], at = i;
            for (; at > start && key[at - 1] > value; at--) {
                key[at] = key[at - 1];
            }
            key[at] = value;
        }
    }
}
