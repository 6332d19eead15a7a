#ifndef OG_BENCH_QUESTIONS_SECOND_PLAYER_H
#define OG_BENCH_QUESTIONS_SECOND_PLAYER_H

#include "bench/questions/choice.h"
#include "bench/questions/play.h"

/*
 * A policy that plays the same game as a person, with separate labels: the n-th answer to an act at
 * one place of the list is drawn with the same random number for both. Of independent instances it
 * is then the same label, and the labels of one player continue those of the other. The truth about
 * them is drawn at the end, from the posterior after all labels that either has received, which is
 * as if it had been drawn first. One thread at a time.
 */
typedef struct {
    og_play game;
    og_strategy by;
    og_choice choice;
    double *weight;  /* [acts + 1] scratch */
    int32_t stopped; /* the number of the move in which it stopped, from 1; 0: not yet */
    bool reveals;    /* Beta and Dirichlet priors, whose calls are counted: there is a truth */
} og_second_player;

/* The truth about an instance, and whether the calls are right. */
typedef struct {
    double soft;   /* probability of a positive label; with classes: of a label of the true class */
    int32_t label; /* the right call, as in og_label_format */
    double right[2]; /* the person's call, the policy's: 1, 0, or 0.5 where it is undecided */
    char text[24];   /* the right call as text: "positive", "class 2" */
} og_revealed;

/* OG_BAD_INPUT with a message: this problem or policy is not supported. Other errors as in
 * og_play_begin and og_family.model.strategy. Borrows as og_play_begin does. It does not move until
 * it is cleared; clear it in any case. */
og_status og_second_player_begin(const og_family *family, const void *problem,
                                 const og_settings *settings, const og_policy_name *policy,
                                 uint64_t seed, og_second_player *opponent, og_message *message);
void og_second_player_clear(og_second_player *opponent); /* a zeroed one is fine */

bool og_second_player_is_over(const og_second_player *opponent);

/* Let the policy choose, and receive an answer, written as in og_play_do; `act` receives the words
 * of the act, as og_play_act_text. It may stop instead: then `act` is "". Ties are broken at
 * random. Its game must neither be over nor wait. */
og_status og_second_player_move(og_second_player *opponent, char *act, char *answer, size_t size,
                                og_message *message);

/* Undo the last move, also a stop. Fails as og_play_undo. */
og_status og_second_player_undo(og_second_player *opponent, og_message *message);

/* Where it reveals: the number of instances; they are numbered from 0 in the states of both games.
 */
int32_t og_second_player_instances(const og_second_player *opponent);
void og_second_player_reveal(const og_second_player *opponent, const og_play *person,
                             int32_t instance, og_revealed *out);

#endif
