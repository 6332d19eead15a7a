/* Asks a program or a function about a state and its acts in words. */
#include "heuristics/named_policy.h"

#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "heuristics/steady.h"
#include "heuristics/user_policy.h"
#include "heuristics/whole_state/coupled_command.h"

enum { STATE_BYTES = 1 << 16, ACT_BYTES = 256 };

typedef struct {
    og_arena arena; /* of the next three, [room] */
    const char **act;
    char *act_text;
    double *answer;
    int32_t room, count;
    char *state; /* [STATE_BYTES] */
    og_texts texts;
    char *name;
    double tie_relative;
    const og_user_policy *function;
    og_coupled_asker *asker; /* of a command */
    og_stop *stop;
    og_steady steady;
} named;

static void named_free(void *self)
{
    named *n = self;
    og_coupled_asker_free(n->asker);
    og_steady_clear(&n->steady);
    og_arena_clear(&n->arena);
    free(n->state);
    free(n->name);
    free(n);
}

static og_status reserve(named *n, int32_t count)
{
    if (count <= n->room) {
        return OG_OK;
    }
    og_arena_clear(&n->arena);
    n->act = og_arena_array(&n->arena, (size_t)count, sizeof *n->act);
    n->act_text = og_arena_array(&n->arena, (size_t)count, ACT_BYTES);
    n->answer = og_arena_array(&n->arena, (size_t)count, sizeof *n->answer);
    n->room = n->arena.failed ? 0 : count;
    return og_arena_status(&n->arena);
}

static og_status ask(void *self, og_answer *kind, og_message *message)
{
    named *n = self;
    og_message words = {""};
    bool weights = false;
    if (n->asker != NULL) {
        return og_process_ask(n->asker, n->state, n->count, n->act, n->answer, kind, message);
    }
    og_status status = n->function->act(n->function->user, n->state, strlen(n->state), n->count,
                                        n->act, n->answer, &weights, &words);
    *kind = weights ? OG_ANSWER_WEIGHTS : OG_ANSWER_INDEX;
    return og_own_status(status, &words, message);
}

static og_status choose(void *self, const og_strategy_view *view, double *answer, og_answer *kind,
                        og_message *message)
{
    named *n = self;
    OG_TRY(og_own_stopped(n->stop, message));
    OG_TRY(reserve(n, view->count));
    n->count = view->count;
    n->texts.state(&n->texts, view->state, n->state, STATE_BYTES);
    for (int32_t i = 0; i < view->count; i++) {
        char *text = n->act_text + (size_t)i * ACT_BYTES;
        n->texts.act(&n->texts, view->open[i].act, text, ACT_BYTES);
        n->act[i] = text;
    }
    const og_steady_question question = {.ask = ask,
                                         .self = n,
                                         .answer = n->answer,
                                         .count = n->count,
                                         .tie_relative = n->tie_relative,
                                         .prefix = "",
                                         .policy = n->name,
                                         .weights = n->asker != NULL ? "{\"weights\":[...]}"
                                                                     : OG_STEADY_FUNCTION};
    OG_TRY(og_steady_ask(&n->steady, &question, kind, message));
    memcpy(answer, n->answer, (size_t)n->count * sizeof *answer);
    return OG_OK;
}

static og_status make(named *n, const og_policy_name *policy, og_message *message)
{
    n->state = malloc(STATE_BYTES);
    n->name = strdup(policy->name);
    OG_TRY(n->state == NULL || n->name == NULL ? OG_NO_MEMORY : OG_OK);
    if (!og_user_policy_asks(policy)) {
        return policy->function->act != NULL
                   ? OG_OK
                   : og_message_set(message, OG_BAD_INPUT,
                                    "policy '%.64s' is a function for other problems, and this "
                                    "one supports functions of a state and its acts",
                                    policy->name);
    }
    return og_coupled_asker_new(strchr(policy->name, ':') + 1, policy->answer_seconds, n->stop,
                                &n->asker, message);
}

og_status og_named_strategy(const og_policy_name *policy, const og_texts *texts, og_stop *stop,
                            og_strategy *out, og_message *message)
{
    named *n = calloc(1, sizeof *n);
    OG_TRY(OG_ALLOCATED(n));
    n->texts = *texts;
    n->tie_relative = policy->tie_relative;
    n->function = policy->function;
    n->stop = stop;
    og_status status = make(n, policy, message);
    if (status != OG_OK) {
        named_free(n);
        return status;
    }
    *out = (og_strategy){.self = n,
                         .one_thread = true,
                         .tie_relative = policy->tie_relative,
                         .choose = choose,
                         .free = named_free};
    og_strategy_keep_names(out); /* they are in the texts */
    return OG_OK;
}
