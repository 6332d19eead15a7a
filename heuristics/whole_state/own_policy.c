/*
 * A user's function or program as a strategy, for any family with states as og_situation. It may
 * distinguish instances or workers that the model treats as interchangeable. If the model exchanges
 * such instances, the strategy has a constant belief without records, which prevents the exchange.
 */
#include "heuristics/user_policy.h"

#include <math.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/engine/strategy.h"
#include "heuristics/steady.h"
#include "heuristics/whole_state/coupled_command.h"

typedef struct {
    og_arena arena;
    const og_user_policy *function; /* NULL: a program */
    og_coupled_asker *asker;
    og_lock own_lock, *lock; /* the function's, or its own */
    og_situations situations;
    int32_t *positive; /* [instances * workers] of the current state, like the rest */
    int32_t *negative;
    og_label_choice *choice;
    og_situation now; /* the current state */
    double *answer;   /* the function's answer; owned by the caller */
    og_steady steady;
    const char *name;
    double tie_relative;
    og_stop *stop;
} own;

og_status og_own_status(og_status status, og_message *words, og_message *message)
{
    words->text[sizeof words->text - 1] = '\0';
    return status == OG_OK ? OG_OK
                           : og_message_set(message, status, "%s",
                                            words->text[0] != '\0' ? words->text
                                                                   : "a policy returned no answer");
}

og_status og_own_stopped(og_stop *stop, og_message *message)
{
    return og_stop_look(stop) == OG_LIMIT_NONE
               ? OG_OK
               : og_message_set(message, OG_STOPPED, "the work was stopped");
}

static og_situation situation_of(own *w, const void *state, const og_act_open *open, int32_t count)
{
    const og_situations *situations = &w->situations;
    size_t pairs = (size_t)situations->instances * (size_t)situations->workers;
    og_situation now = {.budget = situations->budget,
                        .instance_count = situations->instances,
                        .worker_count = situations->workers,
                        .positive = w->positive,
                        .negative = w->negative,
                        .choice_count = count,
                        .choice = w->choice};
    for (size_t i = 0; i < pairs; i++) {
        w->positive[i] = situations->positive != NULL ? situations->positive[i] : 0;
        w->negative[i] = situations->negative != NULL ? situations->negative[i] : 0;
    }
    situations->count(situations->self, state, w->positive, w->negative, &now.left);
    for (int32_t i = 0; i < count; i++) {
        w->choice[i] = situations->choice(situations->self, open[i].act);
        w->choice[i].copies = open[i].copies;
    }
    return now;
}

static og_status ask(void *self, og_answer *kind, og_message *message)
{
    own *w = self;
    const og_user_policy *function = w->function;
    og_message words = {""};
    bool weights = false;
    w->answer[w->now.choice_count] = -INFINITY;
    if (function == NULL) {
        return og_situation_ask(w->asker, &w->now, w->answer, kind, message);
    }
    og_status status = function->decide(function->user, &w->now, w->answer, &weights, &words);
    *kind = weights ? OG_ANSWER_WEIGHTS : OG_ANSWER_INDEX;
    return og_own_status(status, &words, message);
}

static og_status choose(void *self, const og_strategy_view *view, double *answer, og_answer *kind,
                        og_message *message)
{
    own *w = self;
    OG_TRY(og_own_stopped(w->stop, message));
    og_lock_take(w->lock); /* also of what is here, which all threads share */
    w->now = situation_of(w, view->state, view->open, view->count);
    w->answer = answer;
    const og_steady_question question = {.ask = ask,
                                         .self = w,
                                         .answer = answer,
                                         .count = view->count + 1,
                                         .tie_relative = w->tie_relative,
                                         .prefix = "",
                                         .policy = w->name,
                                         .weights = w->function != NULL ? OG_STEADY_FUNCTION
                                                                        : "{\"weights\":[...]}"};
    og_status status = og_steady_ask(&w->steady, &question, kind, message);
    og_lock_release(w->lock);
    return status;
}

static void own_free(void *self)
{
    own *w = self;
    if (w != NULL) {
        og_steady_clear(&w->steady);
        og_coupled_asker_free(w->asker);
        og_lock_clear(&w->own_lock);
    }
    og_arena_free(w);
}

og_status og_own_strategy(const og_policy_name *policy, const og_situations *situations,
                          og_stop *stop, og_strategy *out, og_message *message)
{
    const og_user_policy *function = policy->function;
    if (function != NULL && function->decide == NULL) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "policy '%.64s' is a function for other problems, and this one supports "
            "functions of situations only",
            policy->name);
    }
    own *w = og_arena_new(sizeof *w);
    OG_TRY(OG_ALLOCATED(w));
    size_t pairs = (size_t)situations->instances * (size_t)situations->workers;
    w->function = function;
    w->stop = stop;
    w->situations = *situations;
    w->positive = og_arena_array(&w->arena, pairs, sizeof *w->positive);
    w->negative = og_arena_array(&w->arena, pairs, sizeof *w->negative);
    w->choice = og_arena_array(&w->arena, pairs, sizeof *w->choice);
    w->name = og_arena_copy(&w->arena, policy->name, strlen(policy->name) + 1, 1);
    w->tie_relative = policy->tie_relative;
    og_lock_init(&w->own_lock);
    w->lock = function != NULL ? function->lock : &w->own_lock;
    og_status status = og_arena_status(&w->arena);
    if (status == OG_OK && function == NULL) {
        status = og_coupled_asker_new(strchr(policy->name, ':') + 1, policy->answer_seconds, stop,
                                      &w->asker, message);
    }
    if (status != OG_OK) {
        own_free(w);
        return status;
    }
    *out = (og_strategy){
        .self = w, .tie_relative = policy->tie_relative, .choose = choose, .free = own_free};
    if (situations->renames) {
        og_strategy_keep_names(out);
    }
    return OG_OK;
}
