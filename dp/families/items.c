/* The form of states of items. */
#include "dp/families/items.h"

#include "dp/engine/model.h"

og_status og_items_rules_init(const og_arms *arms, const og_question *question, int32_t fresh,
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
