/* Keys and numbers between ranks, in messages of a bounded length. */
#include "dp/engine/spread_mail.h"

#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"

enum { PIECE = 1 << 16, LENGTHS = sizeof(uint64_t) / sizeof(uint16_t) };

static size_t length_words(size_t count)
{
    return (count + LENGTHS - 1) / LENGTHS;
}

static og_status bag_room(og_spread_bag *bag, size_t count, size_t words)
{
    uint16_t *length =
        og_grown(bag->length, &bag->length_room, LENGTHS * length_words(count) + 1, sizeof *length);
    bag->length = length != NULL ? length : bag->length;
    uint64_t *key = og_grown(bag->key, &bag->key_room, words + 1, sizeof *key);
    bag->key = key != NULL ? key : bag->key;
    return length != NULL && key != NULL ? OG_OK : OG_NO_MEMORY;
}

og_status og_spread_bag_put(og_spread_bag *bag, const uint64_t *key, int32_t words)
{
    OG_TRY(bag_room(bag, bag->count + 1, bag->words + (size_t)words));
    if (bag->count % LENGTHS == 0) {
        memset(&bag->length[bag->count], 0, LENGTHS * sizeof *bag->length);
    }
    bag->length[bag->count++] = (uint16_t)words;
    memcpy(&bag->key[bag->words], key, (size_t)words * sizeof *key);
    bag->words += (size_t)words;
    return OG_OK;
}

static void bag_free(og_spread_bag *bag)
{
    free(bag->length);
    free(bag->key);
}

static uint64_t bag_bytes(const og_spread_bag *bag)
{
    return bag->length_room * sizeof *bag->length + bag->key_room * sizeof *bag->key;
}

og_status og_spread_mail_new(const og_world *world, og_spread_mail *out)
{
    size_t ranks = (size_t)world->ranks;
    og_spread_mail m = {.world = world, .piece = world->parcel < PIECE ? world->parcel : PIECE};
    m.out = calloc(ranks, sizeof *m.out);
    m.answer = calloc(ranks, sizeof *m.answer);
    m.answer_room = calloc(ranks, sizeof *m.answer_room);
    m.spare = calloc((size_t)m.piece, sizeof *m.spare);
    og_status status = m.out != NULL && m.answer != NULL && m.answer_room != NULL && m.spare != NULL
                           ? OG_OK
                           : OG_NO_MEMORY;
    *out = m;
    return status;
}

void og_spread_mail_free(og_spread_mail *m)
{
    for (int i = 0; m->world != NULL && i < m->world->ranks; i++) {
        if (m->out != NULL) {
            bag_free(&m->out[i]);
        }
        if (m->answer != NULL) {
            free(m->answer[i]);
        }
    }
    bag_free(&m->in);
    free(m->out);
    free(m->answer);
    free(m->answer_room);
    free(m->reply);
    free(m->spare);
    memset(m, 0, sizeof *m);
}

uint64_t og_spread_mail_bytes(const og_spread_mail *m)
{
    uint64_t bytes = bag_bytes(&m->in) + (uint64_t)m->piece * sizeof *m->spare +
                     m->reply_room * sizeof *m->reply;
    for (int i = 0; i < m->world->ranks; i++) {
        bytes += sizeof *m->out + bag_bytes(&m->out[i]) + m->answer_room[i] * sizeof **m->answer;
    }
    return bytes;
}

int og_spread_mail_before(const og_spread_mail *m, int step)
{
    return (m->world->rank - step + m->world->ranks) % m->world->ranks;
}

int og_spread_mail_after(const og_spread_mail *m, int step)
{
    return (m->world->rank + step) % m->world->ranks;
}

/* Piece by piece; NULL: what goes there is of no use, what comes is lost. */
static void swap(og_spread_mail *m, int to, const void *send, size_t send_words, int from,
                 void *receive, size_t receive_words)
{
    const og_world *world = m->world;
    const uint64_t *next = send;
    uint64_t *end = receive;
    m->sent += send_words;
    while (send_words > 0 || receive_words > 0) {
        size_t piece = (size_t)m->piece;
        size_t out = send_words < piece ? send_words : piece;
        size_t in = receive_words < piece ? receive_words : piece;
        world->swap(world->self, to, next != NULL ? next : m->spare, (int)out, from,
                    end != NULL ? end : m->spare, (int)in);
        next = next != NULL ? next + out : NULL;
        end = end != NULL ? end + in : NULL;
        send_words -= out;
        receive_words -= in;
    }
}

og_status og_spread_mail_keys(og_spread_mail *m, int step)
{
    int to = og_spread_mail_after(m, step), from = og_spread_mail_before(m, step);
    const og_spread_bag *out = &m->out[to];
    og_spread_bag *in = &m->in;
    const uint64_t sizes[2] = {out->count, out->words};
    uint64_t coming[2];
    swap(m, to, sizes, 2, from, coming, 2);
    in->count = coming[0];
    in->words = coming[1];
    og_status status = bag_room(in, in->count, in->words);
    bool lost = status != OG_OK;
    swap(m, to, out->length, length_words(out->count), from, lost ? NULL : in->length,
         length_words(in->count));
    swap(m, to, out->key, out->words, from, lost ? NULL : in->key, in->words);
    return status;
}

og_status og_spread_mail_room(og_spread_mail *m, int from, size_t count)
{
    double *grown = og_grown(m->answer[from], &m->answer_room[from], count, sizeof *grown);
    OG_TRY(OG_ALLOCATED(count == 0 ? m : (void *)grown));
    m->answer[from] = grown;
    return OG_OK;
}

og_status og_spread_mail_reply_room(og_spread_mail *m, size_t count)
{
    double *grown = og_grown(m->reply, &m->reply_room, count, sizeof *grown);
    OG_TRY(OG_ALLOCATED(count == 0 ? m : (void *)grown));
    m->reply = grown;
    return OG_OK;
}

og_status og_spread_mail_answers(og_spread_mail *m, int step, og_status had, size_t replies,
                                 size_t answers)
{
    int from = og_spread_mail_after(m, step), to = og_spread_mail_before(m, step);
    og_status status = og_spread_mail_room(m, from, answers);
    swap(m, to, had == OG_OK ? m->reply : NULL, replies, from,
         status == OG_OK ? m->answer[from] : NULL, answers);
    return had != OG_OK ? had : status;
}
