/*
 * Layers over ranks, there and back.
 *
 * A layer is expanded in rounds, each of as many pages as make a few megabytes of keys. In a round
 * every rank lists what its pages ask for, all swap that, and each looks the keys up among its own
 * states. What it found, in that order, and how many keys came from whom is all that is kept; the
 * way back goes through the same rounds.
 *
 * Invariant: all ranks go through the same rounds and make the same calls of the world. One that
 * fails in between goes on swapping, without using what comes, until the ranks meet next.
 */
#include "dp/engine/spread.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/base/grow.h"
#include "dp/base/number.h"
#include "dp/base/parallel.h"
#include "dp/base/stop.h"
#include "dp/engine/memo.h"
#include "dp/engine/spread_layer.h"
#include "dp/engine/spread_mail.h"
#include "dp/engine/spread_page.h"

enum {
    ROUND_WORDS = 1 << 18, /* of keys that a rank asks for in a round, about */
    ROUND_PARCELS = 64,    /* the same in messages, where these are small */
    PLACE_BITS = 14,       /* of a page of places */
    HANDS = 4,             /* pages of each thread at a time */
    AHEAD = 16,            /* keys whose slots are fetched together */
};

static const char memory_reached[] = "the memory limit was reached";
static const char states_reached[] = "the limit on states was reached";
static const char stopped[] = "the work was stopped";

/* So many places in a row that are of one layer. */
typedef struct {
    int32_t layer;
    uint64_t count;
} run;

/* What others asked this rank for, in the order in which they did. */
typedef struct {
    uint32_t **page; /* of 2^PLACE_BITS places */
    size_t page_room;
    uint64_t count;
    run *run; /* [run_count] */
    size_t run_count, run_room;
} places;

typedef struct {
    og_spread_layer states;
    int32_t asker; /* the first layer that led here, which is the last one to need its values */
    /* Its expansion: */
    size_t rounds;
    uint32_t *end;  /* [rounds] pages that were expanded by the end of each */
    uint32_t *sent; /* [rounds][ranks] keys that were asked of each rank */
    uint32_t *came; /* [rounds][ranks] and by each */
    size_t end_room, sent_room, came_room;
    uint32_t *first; /* [pages][ranks] where a page's keys begin among those of its round */
    size_t first_room;
    places asked;
} layer;

typedef struct {
    const og_model *model;
    const og_spread_use *use;
    int ranks, me;
    og_spread_mail mail;
    og_spread_hand *hand; /* [hands] pages at work at a time */
    int hands;
    layer **layer; /* [top + 1] NULL: nothing of it is here */
    int32_t top;
    int32_t *walked; /* [walked_count] layers in their order, the same on all ranks */
    size_t walked_count, walked_room;
    int32_t at; /* the layer at work */
    uint64_t round_words;
    og_stop stop;
    const char *reason;        /* why this rank stops */
    uint64_t own;              /* states here */
    uint64_t known, known_own; /* of all ranks at the end of a layer, and how many were here */
    uint64_t valued;           /* of those here */
    uint64_t bytes_most;
} spread;

/* ---- memory ---- */

static uint64_t layer_bytes(const layer *l)
{
    const places *p = &l->asked;
    uint64_t pages = (p->count + (1 << PLACE_BITS) - 1) >> PLACE_BITS;
    return sizeof *l + og_spread_layer_bytes(&l->states) +
           sizeof(uint32_t) * (l->end_room + l->sent_room + l->came_room + l->first_room) +
           (pages << PLACE_BITS) * sizeof(uint32_t) + p->page_room * sizeof *p->page +
           p->run_room * sizeof *p->run;
}

static uint64_t held(const spread *s)
{
    uint64_t bytes = og_spread_mail_bytes(&s->mail) + ((uint64_t)s->top + 1) * sizeof *s->layer +
                     s->walked_room * sizeof *s->walked;
    for (int32_t i = 0; i <= s->top; i++) {
        bytes += s->layer[i] != NULL ? layer_bytes(s->layer[i]) : 0;
    }
    for (int i = 0; i < s->hands; i++) {
        bytes += sizeof *s->hand + og_spread_hand_bytes(&s->hand[i]);
    }
    return bytes;
}

static og_status check_memory(spread *s)
{
    uint64_t bytes = held(s);
    s->bytes_most = bytes > s->bytes_most ? bytes : s->bytes_most;
    if (bytes > s->use->memory_bytes) {
        s->reason = memory_reached;
        return OG_STOPPED;
    }
    return OG_OK;
}

static void forget_expansion(layer *l)
{
    places *p = &l->asked;
    for (uint64_t i = 0; i < (p->count + (1 << PLACE_BITS) - 1) >> PLACE_BITS; i++) {
        free(p->page[i]);
    }
    free(p->page);
    free(p->run);
    free(l->end);
    free(l->sent);
    free(l->came);
    free(l->first);
    *p = (places){.count = 0};
    l->end = l->sent = l->came = l->first = NULL;
    l->end_room = l->sent_room = l->came_room = l->first_room = 0;
}

static void layer_free(layer *l)
{
    if (l != NULL) {
        forget_expansion(l);
        og_spread_layer_clear(&l->states);
    }
    free(l);
}

/* Made where it is not there. */
static og_status need_layer(spread *s, int32_t at, layer **out)
{
    assert(at >= 0 && at <= s->top);
    if (s->layer[at] == NULL) {
        layer *l = calloc(1, sizeof *l);
        OG_TRY(OG_ALLOCATED(l));
        l->states.page_bits = og_spread_page_bits(s->model->key_words_max);
        l->asker = s->at;
        s->layer[at] = l;
    }
    *out = s->layer[at];
    return OG_OK;
}

/* An array of numbers of 32 bits with room for so many more than `count`, zeros. */
static og_status more(uint32_t **array, size_t *room, size_t count, size_t by)
{
    uint32_t *grown = og_grown(*array, room, count + by, sizeof *grown);
    OG_TRY(OG_ALLOCATED(grown));
    *array = grown;
    memset(grown + count, 0, by * sizeof *grown);
    return OG_OK;
}

/* ---- who watches ---- */

static bool watch(void *user, const og_progress *progress)
{
    spread *s = user;
    bool back = s->valued > 0 || s->at < 0;
    double share = back ? 0.5 + 0.5 * (double)s->valued / (double)(s->own + 1)
                        : 0.5 * (s->top - s->at) / ((double)s->top + 1);
    og_progress whole = {.states = s->known + (s->own - s->known_own),
                         .memory_bytes = s->use->fixed_bytes + s->bytes_most,
                         .settled = share,
                         .seconds = progress->seconds};
    bool goes_on = s->use->watch(s->use->user, &whole);
    s->reason = goes_on ? s->reason : stopped;
    return goes_on;
}

/* All ranks meet. OG_OK: none has failed, and *any says whether one has something left to do. */
static og_status meet(const spread *s, og_status status, bool mine, bool *any, og_message *message)
{
    const og_world *world = s->use->world;
    int64_t own = status != OG_OK ? s->me : mine ? s->ranks : s->ranks + 1;
    int64_t least = world->fold(world->self, own, OG_WORLD_LEAST);
    *any = least == s->ranks;
    if (least >= s->ranks) {
        return OG_OK;
    }
    if (status != OG_OK && message->text[0] == '\0' && s->reason != NULL) {
        og_message_set(message, status, "%s", s->reason);
    }
    return og_world_agree(world, status, message);
}

/* ---- forward ---- */

static og_status append_place(places *p, int32_t at, uint32_t place)
{
    size_t page = (size_t)(p->count >> PLACE_BITS), in = p->count & ((1 << PLACE_BITS) - 1);
    if (in == 0) {
        uint32_t **pages = og_grown(p->page, &p->page_room, page + 1, sizeof *pages);
        OG_TRY(OG_ALLOCATED(pages));
        p->page = pages;
    }
    if (p->run_count == 0 || p->run[p->run_count - 1].layer != at) {
        run *runs = og_grown(p->run, &p->run_room, p->run_count + 1, sizeof *runs);
        OG_TRY(OG_ALLOCATED(runs));
        p->run = runs;
        runs[p->run_count++] = (run){at, 0};
    }
    if (in == 0) {
        p->page[page] = malloc(sizeof(uint32_t) << PLACE_BITS);
        OG_TRY(OG_ALLOCATED(p->page[page]));
    }
    p->page[page][in] = place;
    p->count++;
    p->run[p->run_count - 1].count++;
    return OG_OK;
}

/* The layer that a state met from the one at work is in. */
static int32_t layer_of(const spread *s, const uint64_t *key, int32_t words)
{
    int32_t left;
    return s->model->stage == NULL ? s->at - 1 : s->model->stage(s->model->self, key, words, &left);
}

/* Look up keys that a rank asks for. */
static og_status take_keys(spread *s, layer *l, const og_spread_bag *bag)
{
    uint64_t hash[AHEAD];
    layer *to[AHEAD];
    int32_t at[AHEAD];
    const uint64_t *key = bag->key;
    for (size_t begin = 0; begin < bag->count; begin += AHEAD) {
        const uint64_t *from = key;
        size_t end = begin + AHEAD < bag->count ? begin + AHEAD : bag->count;
        for (size_t i = begin; i < end; i++) {
            int32_t words = bag->length[i];
            at[i - begin] = layer_of(s, key, words);
            assert(at[i - begin] < s->at);
            OG_TRY(need_layer(s, at[i - begin], &to[i - begin]));
            hash[i - begin] = og_memo_hash(key, words);
            og_spread_layer_prefetch(&to[i - begin]->states, hash[i - begin]);
            key += words;
        }
        for (size_t i = begin; i < end; i++) {
            uint32_t place;
            og_spread_layer *states = &to[i - begin]->states;
            uint64_t before = states->states;
            og_status status =
                og_spread_layer_put(states, from, bag->length[i], hash[i - begin], &place);
            if (status == OG_STOPPED) {
                s->reason = "a layer came to 32 GB on a rank";
            }
            OG_THEN(status, append_place(&l->asked, at[i - begin], place));
            OG_TRY(status);
            s->own += states->states - before;
            from += bag->length[i];
        }
    }
    return OG_OK;
}

/* Pages from `begin` on, one for each hand. */
typedef struct {
    spread *s;
    layer *l;
    uint32_t begin;
    const double *const *answer; /* NULL: forward */
} wave;

static og_status visit_page(void *context, int thread, int64_t item)
{
    const wave *w = context;
    spread *s = w->s;
    og_spread_hand *hand = &s->hand[item];
    uint32_t page = w->begin + (uint32_t)item;
    (void)thread;
    hand->answer = w->answer;
    hand->first = w->answer != NULL ? &w->l->first[(size_t)page * (size_t)s->ranks] : NULL;
    return og_spread_hand_visit(hand, &w->l->states, page);
}

/* As many pages as there are hands, up to `end`. Returns how many. */
static uint32_t visit_pages(spread *s, layer *l, uint32_t begin, uint32_t end,
                            const double *const *answer, og_status *status)
{
    uint32_t count = end - begin < (uint32_t)s->hands ? end - begin : (uint32_t)s->hands;
    wave w = {s, l, begin, answer};
    *status = og_parallel_items(s->use->threads, count, 1, visit_page, &w);
    return count;
}

/* What a page asks for, into the bags. */
static og_status take_asked(spread *s, layer *l, uint32_t page, const og_spread_hand *hand)
{
    size_t at = 0, ranks = (size_t)s->ranks;
    og_spread_asked one;
    OG_TRY(more(&l->first, &l->first_room, page * ranks, ranks));
    for (int i = 0; i < s->ranks; i++) {
        l->first[page * ranks + (size_t)i] = (uint32_t)s->mail.out[i].count;
    }
    while (og_spread_hand_next(hand, &at, &one)) {
        OG_TRY(og_spread_bag_put(&s->mail.out[one.owner], one.key, one.words));
    }
    return OG_OK;
}

static uint64_t bag_words(const spread *s)
{
    uint64_t words = 0;
    for (int i = 0; i < s->ranks; i++) {
        words += s->mail.out[i].words;
    }
    return words;
}

/* List what the next pages ask for, until that is enough for a round. */
static og_status list_round(spread *s, layer *l, uint32_t *next)
{
    og_status status = OG_OK;
    for (int i = 0; i < s->ranks; i++) {
        s->mail.out[i].count = s->mail.out[i].words = 0;
    }
    while (status == OG_OK && *next < l->states.page_count && bag_words(s) < s->round_words) {
        uint32_t count = visit_pages(s, l, *next, l->states.page_count, NULL, &status);
        for (uint32_t i = 0; status == OG_OK && i < count; i++) {
            status = take_asked(s, l, *next + i, &s->hand[i]);
        }
        *next += count;
        OG_THEN(status, check_memory(s));
    }
    return status;
}

/* All swap what they ask for, and look up what they are asked. */
static og_status swap_keys(spread *s, layer *l, uint32_t next)
{
    size_t ranks = (size_t)s->ranks, at = l->rounds * ranks;
    og_status status = more(&l->end, &l->end_room, l->rounds, 1);
    OG_THEN(status, more(&l->sent, &l->sent_room, at, ranks));
    OG_THEN(status, more(&l->came, &l->came_room, at, ranks));
    if (status == OG_OK) {
        l->end[l->rounds++] = next;
        for (int i = 0; i < s->ranks; i++) {
            l->sent[at + (size_t)i] = (uint32_t)s->mail.out[i].count;
        }
        l->came[at + (size_t)s->me] = l->sent[at + (size_t)s->me];
        status = take_keys(s, l, &s->mail.out[s->me]);
    }
    for (int step = 1; step < s->ranks; step++) {
        og_status came = og_spread_mail_keys(&s->mail, step);
        OG_THEN(status, came);
        if (status == OG_OK) {
            l->came[at + (size_t)og_spread_mail_before(&s->mail, step)] =
                (uint32_t)s->mail.in.count;
            status = take_keys(s, l, &s->mail.in);
            OG_THEN(status, check_memory(s));
        }
    }
    return status;
}

static og_status expand_layer(spread *s, og_message *message)
{
    layer *l = NULL;
    uint32_t next = 0;
    bool any = true;
    og_status status = need_layer(s, s->at, &l);
    if (status == OG_OK) {
        og_spread_layer_close(&l->states);
    }
    for (;;) {
        uint32_t before = next;
        OG_THEN(status, list_round(s, l, &next));
        OG_TRY(meet(s, status, l != NULL && next > before, &any, message));
        if (!any) {
            return OG_OK;
        }
        status = swap_keys(s, l, next);
    }
}

/* The next layer in which a rank has states; below 0: none. */
static int32_t next_layer(const spread *s)
{
    const og_world *world = s->use->world;
    int32_t next = s->at - 1;
    while (next >= 0 && s->layer[next] == NULL) {
        next--;
    }
    return (int32_t)-world->fold(world->self, -(int64_t)next, OG_WORLD_LEAST);
}

static og_status walk(spread *s, og_message *message)
{
    const og_world *world = s->use->world;
    while (s->at >= 0) {
        bool ignored;
        og_status status = expand_layer(s, message);
        OG_TRY(status);
        int32_t *grown = og_grown(s->walked, &s->walked_room, s->walked_count + 1, sizeof *grown);
        status = OG_ALLOCATED(grown);
        if (status == OG_OK) {
            s->walked = grown;
            s->walked[s->walked_count++] = s->at;
        }
        s->known = (uint64_t)world->fold(world->self, (int64_t)s->own, OG_WORLD_SUM);
        s->known_own = s->own;
        if (status == OG_OK && s->use->states_max > 0 && s->known > s->use->states_max) {
            s->reason = states_reached;
            status = OG_STOPPED;
        }
        OG_TRY(meet(s, status, false, &ignored, message));
        s->at = next_layer(s);
    }
    return OG_OK;
}

/* ---- backward ---- */

/* How far what a layer was asked has been answered. */
typedef struct {
    uint64_t next; /* of the places */
    size_t run;
    uint64_t in_run;
} reader;

static void read_values(const spread *s, const places *p, reader *r, size_t count, double *to)
{
    for (size_t i = 0; i < count; i++, r->next++, r->in_run++) {
        if (r->in_run == p->run[r->run].count) {
            r->run++;
            r->in_run = 0;
        }
        const layer *of = s->layer[p->run[r->run].layer];
        uint32_t place = p->page[r->next >> PLACE_BITS][r->next & ((1 << PLACE_BITS) - 1)];
        memcpy(&to[i], og_spread_layer_at(&of->states, place), sizeof *to);
    }
}

/* Answer what this rank was asked in a round, and get the answers to what it asked. */
static og_status swap_values(spread *s, layer *l, size_t round, reader *r)
{
    size_t at = round * (size_t)s->ranks;
    size_t own = l->sent[at + (size_t)s->me];
    og_status status = og_spread_mail_room(&s->mail, s->me, own);
    if (status == OG_OK) {
        read_values(s, &l->asked, r, own, s->mail.answer[s->me]);
    }
    for (int step = 1; step < s->ranks; step++) {
        size_t replies = l->came[at + (size_t)og_spread_mail_before(&s->mail, step)];
        size_t answers = l->sent[at + (size_t)og_spread_mail_after(&s->mail, step)];
        OG_THEN(status, og_spread_mail_reply_room(&s->mail, replies));
        if (status == OG_OK) {
            read_values(s, &l->asked, r, replies, s->mail.reply);
        }
        status = og_spread_mail_answers(&s->mail, step, status, replies, answers);
    }
    return status;
}

static og_status value_layer(spread *s, og_message *message)
{
    layer *l = s->layer[s->at];
    og_status status = OG_OK;
    bool ignored;
    reader r = {0, 0, 0};
    for (size_t round = 0; round < l->rounds; round++) {
        OG_TRY(meet(s, status, false, &ignored, message));
        status = swap_values(s, l, round, &r);
        uint32_t next = round > 0 ? l->end[round - 1] : 0;
        while (status == OG_OK && next < l->end[round]) {
            next += visit_pages(s, l, next, l->end[round], (const double *const *)s->mail.answer,
                                &status);
        }
        OG_THEN(status, check_memory(s));
    }
    s->valued += l->states.states;
    forget_expansion(l);
    /* No layer above this one asks for what this one was the first to ask for. */
    for (int32_t below = 0; below < s->at; below++) {
        if (s->layer[below] != NULL && s->layer[below]->asker == s->at) {
            layer_free(s->layer[below]);
            s->layer[below] = NULL;
        }
    }
    return meet(s, status, false, &ignored, message);
}

static og_status walk_back(spread *s, og_message *message)
{
    for (size_t i = s->walked_count; i > 0; i--) {
        s->at = s->walked[i - 1];
        OG_TRY(value_layer(s, message));
    }
    return OG_OK;
}

/* ---- the whole ---- */

static void spread_free(spread *s)
{
    for (int32_t i = 0; s->layer != NULL && i <= s->top; i++) {
        layer_free(s->layer[i]);
    }
    for (int i = 0; s->hand != NULL && i < s->hands; i++) {
        og_spread_hand_free(&s->hand[i]);
    }
    og_spread_mail_free(&s->mail);
    free(s->layer);
    free(s->hand);
    free(s->walked);
}

static og_status spread_init(spread *s, const uint64_t *key, int32_t words)
{
    int32_t left;
    const og_world *world = s->use->world;
    int64_t parcels = (int64_t)world->parcel * ROUND_PARCELS;
    s->ranks = world->ranks;
    s->me = world->rank;
    s->top = s->at = s->model->stage == NULL ? s->model->depth_max
                                             : s->model->stage(s->model->self, key, words, &left);
    uint64_t share = s->use->memory_bytes / sizeof *key / 64;
    s->round_words = parcels < ROUND_WORDS ? (uint64_t)parcels : ROUND_WORDS;
    s->round_words = share < s->round_words ? share : s->round_words;
    og_stop_init(&s->stop, s->use->watch != NULL ? watch : NULL, s);
    s->layer = calloc((size_t)s->top + 1, sizeof *s->layer);
    int hands = s->use->threads * HANDS;
    s->hand = calloc((size_t)hands, sizeof *s->hand);
    og_status status = s->layer != NULL && s->hand != NULL ? OG_OK : OG_NO_MEMORY;
    OG_THEN(status, og_spread_mail_new(world, &s->mail));
    while (status == OG_OK && s->hands < hands) {
        status = og_spread_hand_new(s->model, s->ranks, &s->stop, &s->hand[s->hands]);
        s->hands += status == OG_OK;
    }
    return status;
}

/* The rank that owns the root begins with it. */
static og_status put_root(spread *s, const uint64_t *key, int32_t words, int owner)
{
    layer *l;
    uint32_t place;
    OG_TRY(need_layer(s, s->top, &l));
    if (owner == s->me) {
        OG_TRY(og_spread_layer_put(&l->states, key, words, og_memo_hash(key, words), &place));
        s->own = 1;
    }
    return check_memory(s);
}

static og_status check_alike(const og_model *model, const og_world *world, uint64_t hash,
                             og_message *message)
{
    const int64_t all = (int64_t)(hash >> 2) ^ model->depth_max ^
                        (int64_t)model->outcomes_max << 16 ^ (int64_t)model->key_words_max << 40;
    int64_t least = world->fold(world->self, all, OG_WORLD_LEAST);
    int64_t most = -world->fold(world->self, -all, OG_WORLD_LEAST);
    return least == most ? OG_OK
                         : og_message_set(message, OG_BAD_INPUT,
                                          "the ranks were not all given the same problem, or not "
                                          "the same memory");
}

static int64_t most_of(const og_world *world, uint64_t mine)
{
    return -world->fold(world->self, -(int64_t)mine, OG_WORLD_LEAST);
}

/* What all ranks have come to, alike on each. */
static void take_info(const spread *s, og_spread_info *info)
{
    const og_world *world = s->use->world;
    uint64_t expanded = 0, looked_up = 0;
    for (int i = 0; i < s->hands; i++) {
        expanded += s->hand[i].expanded;
        looked_up += s->hand[i].looked_up;
    }
    *info = (og_spread_info){
        .states = (uint64_t)world->fold(world->self, (int64_t)s->own, OG_WORLD_SUM),
        .expanded = (uint64_t)world->fold(world->self, (int64_t)expanded, OG_WORLD_SUM),
        .looked_up = (uint64_t)world->fold(world->self, (int64_t)looked_up, OG_WORLD_SUM),
        .bytes_max = (uint64_t)most_of(world, s->bytes_most),
        .sent_bytes = sizeof(uint64_t) *
                      (uint64_t)world->fold(world->self, (int64_t)s->mail.sent, OG_WORLD_SUM)};
}

static void tell_stopped(const spread *s, const og_spread_info *info, og_message *message)
{
    char bytes[OG_BYTES_TEXT_BYTES];
    const og_message reason = *message;
    og_message_set(message, OG_STOPPED, "%.300s after %llu states and %s on a rank", reason.text,
                   (unsigned long long)info->states,
                   og_bytes_format(s->use->fixed_bytes + info->bytes_max, bytes));
}

og_status og_spread_value(const og_model *model, const og_spread_use *use, const uint64_t *key,
                          int32_t words, double *value, og_spread_info *info, og_message *message)
{
    const og_world *world = use->world;
    spread s = {.model = model, .use = use};
    uint64_t hash = og_memo_hash(key, words);
    int owner = og_spread_owner(hash, world->ranks);
    OG_TRY(check_alike(model, world, hash, message));
    bool ignored;
    og_status status = spread_init(&s, key, words);
    OG_THEN(status, put_root(&s, key, words, owner));
    status = meet(&s, status, false, &ignored, message);
    OG_THEN(status, walk(&s, message));
    OG_THEN(status, walk_back(&s, message));
    if (status == OG_OK) {
        if (owner == s.me) {
            memcpy(value, og_spread_layer_at(&s.layer[s.top]->states, 0), sizeof *value);
        }
        world->tell(world->self, owner, value, sizeof *value);
    }
    if (status == OG_OK || status == OG_STOPPED) {
        take_info(&s, info);
    }
    if (status == OG_STOPPED) {
        tell_stopped(&s, info, message);
    }
    spread_free(&s);
    return status;
}
