#ifndef OG_BENCH_QUESTIONS_SECOND_PLAYER_H
#define OG_BENCH_QUESTIONS_SECOND_PLAYER_H

#include "bench/questions/play.h"

/*
 * A policy that plays the same game as a person, with separate labels. The n-th label of an
 * instance is the same for both, so the labels of one continue those of the other. The truth is
 * drawn at the end, from the posterior after all labels that either has received. Both games are
 * then distributed as if it had been drawn first. For independent instances with Beta or Dirichlet
 * priors, whose calls are counted, and policies with an index. One thread at a time.
 */
typedef struct {
    og_play game;
    og_strategy by;
} og_second_player;

/* The truth about an instance, and whether the calls are right. */
typedef struct {
    double soft;   /* probability of a positive label; with classes: of a label of the true class */
    int32_t label; /* the right call, as in og_label_format */
    double right[2]; /* the person's call, the policy's: 1, 0, or 0.5 where it is undecided */
    char text[24];   /* the right call as text: "positive", "class 2" */
} og_revealed;

/* OG_BAD_INPUT with a message: this problem or policy is not supported. Other errors as in
 * og_play_begin and og_family.model.strategy. Borrows as og_play_begin does. Clear it in any case.
 */
og_status og_second_player_begin(const og_family *family, const void *problem,
                                 const og_settings *settings, const og_policy_name *policy,
                                 uint64_t seed, og_second_player *opponent, og_message *message);
void og_second_player_clear(og_second_player *opponent); /* a zeroed one is fine */

/* Let the policy label an instance, *act, and receive an answer, written as in og_play_do. Ties are
 * broken at random. Its game must not be over. */
og_status og_second_player_move(og_second_player *opponent, int32_t *act, char *answer, size_t size,
                                og_message *message);

/* The number of instances; they are numbered from 0 in the states of both games. */
int32_t og_second_player_instances(const og_second_player *opponent);
void og_second_player_reveal(const og_second_player *opponent, const og_play *person,
                             int32_t instance, og_revealed *out);

#endif
