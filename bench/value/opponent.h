#ifndef OG_BENCH_VALUE_OPPONENT_H
#define OG_BENCH_VALUE_OPPONENT_H

#include "bench/value/play.h"

/*
 * A policy that plays beside a person, with labels of its own: the n-th label of an instance is the
 * same for both, so that what one has got is how the labels of the other go on. The truth is drawn
 * in the end, from the posterior after all labels that either of them has got; both games together
 * are then distributed as if it had been drawn at first. For independent instances with Beta or
 * Dirichlet priors, whose calls are counted, and policies with an index. One thread at a time.
 */
typedef struct {
    og_play game;
    og_strategy by;
} og_opponent;

/* What is true of an instance, and who calls it so. */
typedef struct {
    double soft;   /* share of positive labels; with classes: of those of the true class */
    int32_t label; /* the true call: as og_label_format takes it */
    bool right[2]; /* the person's call, the policy's */
    char text[24]; /* of the true call: "positive", "class 2" */
} og_revealed;

/* OG_BAD_INPUT with a message: not for this problem or this policy; else as og_play_begin and
 * og_family.strategy. Borrows as og_play_begin does. Clear it in any case. */
og_status og_opponent_begin(const og_family *family, const void *problem,
                            const og_settings *settings, const og_policy_name *policy,
                            uint64_t seed, og_opponent *opponent, og_message *message);
void og_opponent_clear(og_opponent *opponent); /* a zeroed one is fine */

/* The policy labels an instance, *act, and gets an answer, as og_play_do says it. Ties are drawn.
 * Its game must not be over. */
og_status og_opponent_move(og_opponent *opponent, int32_t *act, char *answer, size_t size,
                           og_message *message);

/* Instances are those of both games' states, from 0 on. */
int32_t og_opponent_instances(const og_opponent *opponent);
void og_opponent_reveal(const og_opponent *opponent, const og_play *person, int32_t instance,
                        og_revealed *out);

#endif
