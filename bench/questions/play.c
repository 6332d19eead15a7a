/*
 * A game played by a person, with the optimal values: moves from state to state. Random numbers
 * have the address seed, place and number. Invariant: unless the game is over, `here` is the
 * current state of `steps`, and in a decision q holds the values of its acts.
 */
#include "bench/questions/play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"
#include "dp/base/grow.h"

enum { UNHEARD_BYTES = 256 };

static og_status find_q(og_play *p, og_message *message)
{
    OG_TRY(p->steps.q(p->steps.self, p->q, p->q_error, message));
    p->count = p->stand.x->action_count;
    for (int32_t i = 0; i < p->count; i++) {
        p->q[i] -= p->steps.gains ? 0 : p->prior;
        p->best = i == 0 || p->q[i] > p->best ? p->q[i] : p->best;
    }
    return OG_OK;
}

/* Move to p->next. */
static og_status enter(og_play *p, og_message *message)
{
    uint64_t *key = p->here.key;
    p->here = p->next;
    p->next.key = key;
    p->state = p->here.state;
    p->over = p->here.words == 0;
    p->count = 0;
    if (p->over) {
        return OG_OK;
    }
    OG_TRY(p->steps.take(p->steps.self, &p->here, &p->stand, message));
    p->state = p->stand.state;
    p->left = p->stand.left;
    p->over = p->left == 0;
    return p->over || og_play_waits(p) ? OG_OK : find_q(p, message);
}

bool og_play_waits(const og_play *play)
{
    return !play->over && play->stand.x->combine == OG_COMBINE_MEAN;
}

static og_status begin_play(og_play *p, const og_settings *settings, const og_strategy *by,
                            og_message *message)
{
    const og_family *family = p->family;
    const og_steps_use use = {.settings = *settings, .apart = true, .along = by};
    double error;
    OG_TRY(og_family_prior(family, p->problem, &p->prior, &error, NULL, message));
    OG_TRY(og_family_steps(family, p->problem, &use, &p->steps, message));
    size_t words = (size_t)p->steps.key_words_max, acts = (size_t)p->steps.acts_max;
    p->here.key = og_arena_array(&p->arena, words, sizeof *p->here.key);
    p->next.key = og_arena_array(&p->arena, words, sizeof *p->next.key);
    p->q = og_arena_array(&p->arena, acts, sizeof *p->q);
    p->q_error = og_arena_array(&p->arena, acts, sizeof *p->q_error);
    p->asked = og_arena_array(&p->arena, acts, sizeof *p->asked);
    OG_TRY(og_arena_status(&p->arena));
    p->steps.root(p->steps.self, &p->next);
    OG_TRY(enter(p, message));
    bool gains = p->steps.gains && p->steps.counted == NULL; /* an end has none */
    p->value = p->here.words == 0 && !gains ? p->here.value : p->prior;
    if (!p->over) {
        double value = 0;
        OG_TRY(p->steps.value(p->steps.self, &value, &error, message));
        p->value = p->steps.gains ? p->prior + value : value;
    }
    return OG_OK;
}

og_status og_play_begin(const og_family *family, const void *problem, const og_settings *settings,
                        const og_strategy *by, uint64_t seed, og_play *play, og_message *message)
{
    og_problem_size sizes;
    *play = (og_play){.family = family, .problem = problem, .seed = seed};
    if (!og_family_is_followed(family)) {
        return og_family_lacks(family, "play", message);
    }
    family->model.sizes(problem, &sizes);
    if (sizes.decisions > OG_PLAY_DECISIONS) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a game supports at most %d instances, not %" PRId64,
                              OG_PLAY_DECISIONS, sizes.decisions);
    }
    return begin_play(play, settings, by, message);
}

void og_play_clear(og_play *play)
{
    og_steps_free(&play->steps);
    og_arena_clear(&play->arena);
    free(play->chosen);
    memset(play, 0, sizeof *play);
}

bool og_play_is_worse(const og_play *play, int32_t act)
{
    int32_t top = 0;
    for (int32_t i = 1; i < play->count; i++) {
        top = play->q[i] > play->q[top] ? i : top;
    }
    return play->best - play->q[act] > play->q_error[top] + play->q_error[act];
}

void og_play_act_text(const og_play *play, int32_t act, char *text, size_t size)
{
    const og_steps *steps = &play->steps;
    og_act which = steps->act(steps->self, &play->stand.x->action[act]);
    text[0] = '\0';
    if (play->family->words.show_state != NULL) { /* an act without an answer has no number */
        og_family_words_of(play->family).answer_text(play->problem, which, 0, text, size);
    }
    if (text[0] != '\0') {
        snprintf(text, size, "%s %" PRId32, og_family_words_of(play->family).act_name, act + 1);
    } else {
        og_family_words_of(play->family).step_text(play->problem, which, text, size);
    }
}

/* Draw an outcome of an action, write its text and move there. */
static og_status draw(og_play *p, const og_action *action, double unit, char *text, size_t size,
                      og_message *message)
{
    const og_steps *steps = &p->steps;
    const og_outcome *outcome = &p->stand.x->outcome[action->outcome_first];
    og_act act;
    steps->next(steps->self, outcome, &p->next);
    for (int32_t k = 1; k < action->outcome_count && unit >= p->next.probability; k++) {
        unit -= p->next.probability;
        steps->next(steps->self, ++outcome, &p->next);
    }
    int32_t answer = steps->answer(steps->self, outcome, &act);
    og_family_words_of(p->family).answer_text(p->problem, act, answer, text, size);
    return enter(p, message);
}

og_status og_play_do(og_play *play, int32_t act, char *answer, size_t size, og_message *message)
{
    const og_action *action = &play->stand.x->action[act];
    size_t needed = (size_t)play->done + 1;
    int32_t *chosen = og_grown(play->chosen, &play->chosen_room, needed, sizeof *chosen);
    OG_TRY(OG_ALLOCATED(chosen));
    play->chosen = chosen; /* acts without labels can make it longer than the budget */
    uint64_t bits = og_draw(play->seed, OG_DRAW_LABEL, 0, (uint32_t)act, play->asked[act]++);
    if (og_play_is_worse(play, act)) {
        play->cost += play->best - play->q[act];
    }
    play->left--;
    play->chosen[play->done++] = act;
    return draw(play, action, og_draw_unit(bits), answer, size, message);
}

og_status og_play_wait(og_play *play, char *event, size_t size, og_message *message)
{
    uint64_t bits = og_draw(play->seed, OG_DRAW_TIE, 0, 0, play->asked[0]++);
    return draw(play, &play->stand.x->action[0], og_draw_unit(bits), event, size, message);
}

/* Replay from the start, without the last choice. */
og_status og_play_undo(og_play *play, og_message *message)
{
    char unheard[UNHEARD_BYTES];
    int32_t done = play->done - 1;
    memset(play->asked, 0, (size_t)play->steps.acts_max * sizeof *play->asked);
    play->cost = 0;
    play->done = 0;
    play->steps.root(play->steps.self, &play->next);
    OG_TRY(enter(play, message));
    while (play->done < done || (!play->over && og_play_waits(play))) {
        OG_TRY(og_play_waits(play)
                   ? og_play_wait(play, unheard, sizeof unheard, message)
                   : og_play_do(play, play->chosen[play->done], unheard, sizeof unheard, message));
    }
    return OG_OK;
}
