/* The form of states of items. */
#include "dp/families/items.h"

#include "dp/engine/model.h"

og_status og_items_rules_init(const og_arms *arms, const og_value_asked *question, int32_t fresh,
                              int32_t words, og_items_rules *out, og_message *message)
{
    const int32_t most = (OG_KEY_WORDS_MAX - 1) / words;
    bool sort = (question->reductions & OG_REDUCE_SORT) != 0;
    int64_t instances = og_arms_instances(arms), items = (int64_t)fresh + arms->budget;
    out->optimum = question->by == NULL;
    out->ties = question->ties;
    out->ordered = !sort || (!out->optimum && question->ties == OG_TIES_FIRST);
    out->cap = out->optimum && !out->ordered && (question->reductions & OG_REDUCE_CAP) != 0;
    items = out->ordered || instances < items ? instances : items;
    if (items > most || instances > UINT32_MAX - 1) {
        return og_message_set(
            message, OG_STOPPED,
            "states of %lld different instances are too large; at most %d are supported",
            (long long)items, (int)most);
    }
    out->items_max = (int32_t)items;
    return OG_OK;
}

void og_items_root(const og_arms *arms, const uint32_t *kind, bool ordered, int32_t words,
                   og_items *out)
{
    out->count = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        const int32_t a = arms->arm_of_group[g];
        const uint32_t size = (uint32_t)arms->group_size[g];
        if (!ordered && a < out->count) { /* its item is there */
            out->word[(a + 1) * words - 1] += size;
            continue;
        }
        for (uint32_t i = 0; i < (ordered ? size : 1); i++) {
            uint64_t *word = &out->word[words * out->count++];
            memset(word, 0, (size_t)words * sizeof *word);
            word[words - 1] = og_item(kind[a], ordered ? 1 : size);
        }
    }
}

uint32_t og_items_of_arm(const og_arms *arms, int32_t arm, bool ordered)
{
    int64_t i = ordered ? 0 : arm;
    for (int32_t g = 0; ordered && arms->arm_of_group[g] != arm; g++) {
        i += arms->group_size[g];
    }
    return (uint32_t)i;
}
