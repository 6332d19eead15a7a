/* Pairs of an item and its copies: their order, their memory, and the meaning of answers for
 * them. */
#include "dp/families/delayed_pairs.h"

#include <stdlib.h>

enum { PAIRS_MAX = OG_KEY_WORDS_MAX - 1 };

static int compare_pairs(const void *left, const void *right)
{
    uint32_t a = ((const og_delayed_pair *)left)->item, b = ((const og_delayed_pair *)right)->item;
    return (a > b) - (a < b);
}

/* Sorts few pairs, which are nearly sorted. */
void og_delayed_pairs_sort(og_delayed_pair *pairs, int32_t count)
{
    if (count > 32) {
        qsort(pairs, (size_t)count, sizeof *pairs, compare_pairs);
        return;
    }
    for (int32_t i = 1; i < count; i++) {
        og_delayed_pair moved = pairs[i];
        int32_t at = i;
        for (; at > 0 && pairs[at - 1].item > moved.item; at--) {
            pairs[at] = pairs[at - 1];
        }
        pairs[at] = moved;
    }
}

og_status og_delayed_expansion_new(int32_t pairs_max, int32_t outcomes_max, og_expansion *out)
{
    size_t pairs = (size_t)pairs_max;
    og_delayed_scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    s->pairs = og_arena_array(&s->arena, pairs + 1, sizeof *s->pairs);
    s->after = og_arena_array(&s->arena, pairs + 2, sizeof *s->after);
    s->item = og_arena_array(&s->arena, pairs + 2, sizeof *s->item);
    return og_expansion_init(s, pairs + 1, (size_t)outcomes_max, out);
}

og_status og_delayed_rules_init(const og_arms *arms, const og_question *question, int32_t fresh,
                                og_delayed_rules *out, og_message *message)
{
    bool sort = (question->reductions & OG_REDUCE_SORT) != 0;
    int64_t instances = og_arms_instances(arms), pairs = (int64_t)fresh + arms->budget;
    out->optimum = question->by == NULL;
    out->ties = question->ties;
    out->ordered = !sort || (!out->optimum && question->ties == OG_TIES_FIRST);
    out->cap = out->optimum && !out->ordered && (question->reductions & OG_REDUCE_CAP) != 0;
    pairs = out->ordered || instances < pairs ? instances : pairs;
    if (pairs > PAIRS_MAX || instances > UINT32_MAX - 1) {
        return og_message_set(
            message, OG_STOPPED,
            "states of %lld different instances are too large; at most %d are supported",
            (long long)pairs, (int)PAIRS_MAX);
    }
    out->pairs_max = (int32_t)pairs;
    return OG_OK;
}

og_combine og_delayed_combine(const og_delayed_rules *rules)
{
    static const og_combine combine_of[OG_TIES_COUNT] = {
        [OG_TIES_RANDOM] = OG_COMBINE_MEAN,
        [OG_TIES_FIRST] = OG_COMBINE_MEAN,
        [OG_TIES_BEST] = OG_COMBINE_MAX,
        [OG_TIES_WORST] = OG_COMBINE_MIN,
    };
    return rules->optimum ? OG_COMBINE_MAX : combine_of[rules->ties];
}

int32_t og_delayed_answer(const og_arms *arms, const og_delayed_instance *from,
                          const og_delayed_instance *to)
{
    const og_arm *arm = arms->arm[from->arm];
    int32_t k = 0;
    while (arm->next[from->node * (size_t)arm->outcome_count + (size_t)k] != to->node) {
        k++;
    }
    return k;
}
