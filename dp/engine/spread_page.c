/* One page's states, expanded twice: to ask for their successors, and to be valued by them. */
#include "dp/engine/spread_page.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"
#include "dp/engine/combine.h"
#include "dp/engine/memo.h"

enum {
    SEEN = 1 << 13, /* a power of two, some times the different successors of a page */
    HEAD = 2,       /* words of a record before the key: owner and length, value */
};

og_status og_spread_hand_new(const og_model *model, int ranks, og_stop *stop, og_spread_hand *out)
{
    og_spread_hand h = {.model = model, .ranks = ranks, .stop = stop};
    og_status status = model->expansion_new(model->self, &h.expansion);
    if (status != OG_OK) {
        h.expansion.action = NULL;
    }
    h.key = calloc((size_t)model->key_words_max, sizeof *h.key);
    h.seen = calloc(SEEN, sizeof *h.seen);
    h.asked = calloc((size_t)ranks, sizeof *h.asked);
    OG_THEN(status, h.key != NULL && h.seen != NULL && h.asked != NULL ? OG_OK : OG_NO_MEMORY);
    if (status != OG_OK) {
        og_spread_hand_free(&h);
        return status;
    }
    *out = h;
    return OG_OK;
}

void og_spread_hand_free(og_spread_hand *h)
{
    if (h->expansion.action != NULL) {
        h->model->expansion_free(&h->expansion);
    }
    free(h->key);
    free(h->seen);
    free(h->met);
    free(h->asked);
    memset(h, 0, sizeof *h);
}

uint64_t og_spread_hand_bytes(const og_spread_hand *h)
{
    return h->room * sizeof *h->met + (uint64_t)h->ranks * sizeof *h->asked +
           (uint64_t)h->model->key_words_max * sizeof *h->key + SEEN * sizeof *h->seen;
}

/* The successor whose key stands in h->key: known from another state of the page, or asked for. */
static og_status meet(og_spread_hand *h, int32_t words, double *value)
{
    size_t bytes = (size_t)words * sizeof *h->key;
    uint64_t hash = og_memo_hash(h->key, words);
    uint32_t *seen = &h->seen[hash & (SEEN - 1)];
    if (*seen > 0) {
        const uint64_t *record = &h->met[*seen - 1];
        if ((uint32_t)record[0] == (uint32_t)words && memcmp(record + HEAD, h->key, bytes) == 0) {
            memcpy(value, &record[1], sizeof *value);
            return OG_OK;
        }
    }
    size_t needed = h->used + HEAD + (size_t)words;
    uint64_t *met = needed > UINT32_MAX ? NULL : og_grown(h->met, &h->room, needed, sizeof *met);
    OG_TRY(OG_ALLOCATED(met));
    h->met = met;
    int owner = og_spread_owner(hash, h->ranks);
    uint32_t place = h->asked[owner]++;
    *value = h->answer != NULL ? h->answer[owner][h->first[owner] + place] : 0;
    uint64_t *record = &met[h->used];
    record[0] = (uint64_t)owner << 32 | (uint32_t)words;
    memcpy(&record[1], value, sizeof *value);
    memcpy(record + HEAD, h->key, bytes);
    *seen = (uint32_t)h->used + 1;
    h->used = needed;
    return OG_OK;
}

static og_status visit(og_spread_hand *h, uint64_t *record)
{
    const og_model *model = h->model;
    og_expansion *x = &h->expansion;
    og_combination found;
    OG_TRY(model->expand(model->self, record + 1, (int32_t)record[0], x));
    assert(x->action_count > 0);
    h->expanded++;
    og_combination_begin(&found, x->combine);
    for (int32_t a = 0; a < x->action_count; a++) {
        const og_action *action = &x->action[a];
        const og_outcome *outcome = &x->outcome[action->outcome_first];
        double sum = action->reward;
        for (int32_t k = 0; k < action->outcome_count; k++) {
            double value = 0;
            int32_t words = model->successor(model->self, x, &outcome[k], h->key, &value);
            if (words > 0) {
                OG_TRY(meet(h, words, &value));
            }
            sum += outcome[k].probability * value;
        }
        og_combination_add(&found, action, sum);
        h->looked_up += (uint64_t)action->outcome_count;
    }
    if (h->answer != NULL) {
        double value = og_combination_end(&found);
        memcpy(record, &value, sizeof value);
    }
    return OG_OK;
}

og_status og_spread_hand_visit(og_spread_hand *h, const og_spread_layer *layer, uint32_t page)
{
    uint64_t *from = layer->page[page];
    uint32_t end = og_spread_layer_page_words(layer, page), next;
    memset(h->seen, 0, SEEN * sizeof *h->seen);
    memset(h->asked, 0, (size_t)h->ranks * sizeof *h->asked);
    h->used = 0;
    for (uint32_t at = 0; at < end && from[at] != 0; at = next) {
        next = at + 1 + (uint32_t)from[at];
        if (og_stop_asked(h->stop)) {
            return OG_STOPPED;
        }
        OG_TRY(visit(h, &from[at]));
    }
    return OG_OK;
}

bool og_spread_hand_next(const og_spread_hand *h, size_t *at, og_spread_asked *out)
{
    if (*at >= h->used) {
        return false;
    }
    const uint64_t *record = &h->met[*at];
    *out = (og_spread_asked){
        .owner = (int)(record[0] >> 32), .words = (int32_t)record[0], .key = record + HEAD};
    *at += HEAD + (size_t)out->words;
    return true;
}
