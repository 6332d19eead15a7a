#ifndef OG_DP_ENGINE_SPREAD_MAIL_H
#define OG_DP_ENGINE_SPREAD_MAIL_H

#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/world.h"

/* Keys in an order, on their way from one rank to another. */
typedef struct {
    uint16_t *length; /* [count], zeros up to a whole word */
    uint64_t *key;    /* [words], one after the other */
    size_t length_room, key_room;
    size_t count, words;
} og_spread_bag;

og_status og_spread_bag_put(og_spread_bag *bag, const uint64_t *key, int32_t words);

/*
 * What goes between ranks in a round of og_spread_value: keys there, in messages of a bounded
 * length, and a number back for each. With step s = 1 .. ranks - 1 keys go to the s-th rank after
 * this one while those of the s-th before it come, and numbers the other way. All ranks make the
 * same calls; one without memory makes them too, and then says so.
 */
typedef struct {
    const og_world *world;
    og_spread_bag *out; /* [ranks] own included, which does not travel */
    og_spread_bag in;
    double **answer;     /* [ranks] of the keys in `out` */
    size_t *answer_room; /* [ranks] */
    double *reply;       /* to those in `in`, and room for them */
    size_t reply_room;
    uint64_t *spare; /* [piece] for what there is no memory for */
    int piece;       /* most words of a message */
    uint64_t sent;   /* words */
} og_spread_mail;

og_status og_spread_mail_new(const og_world *world, og_spread_mail *out);
void og_spread_mail_free(og_spread_mail *mail); /* a zeroed one is fine */
uint64_t og_spread_mail_bytes(const og_spread_mail *mail);

/* The rank that keys of this step come from, and the one that they go to. */
int og_spread_mail_before(const og_spread_mail *mail, int step);
int og_spread_mail_after(const og_spread_mail *mail, int step);

/* out[after] goes, `in` comes. OG_NO_MEMORY: it came and is lost. */
og_status og_spread_mail_keys(og_spread_mail *mail, int step);

/* Room for so many numbers from a rank, in answer[], and for so many to one, in `reply`. */
og_status og_spread_mail_room(og_spread_mail *mail, int from, size_t count);
og_status og_spread_mail_reply_room(og_spread_mail *mail, size_t count);

/* reply[replies] goes to `before`, answer[after][answers] comes; OG_NO_MEMORY as it was found
 * before, `had`, or for them. */
og_status og_spread_mail_answers(og_spread_mail *mail, int step, og_status had, size_t replies,
                                 size_t answers);

#endif
