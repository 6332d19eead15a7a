/*
 * Policies in shared objects and caller's functions: passes each state in plain numbers and returns
 * the answer.
 */
#include "heuristics/whole_state/plugin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/library.h"
#include "heuristics/steady.h"
#include "heuristics/whole_state/view.h"

typedef struct {
    const og_user_policy *function; /* the caller's function; NULL: a plugin */
    bool looks_at_labels;
    void *library;
    const og_plugin *plugin;
    void *own;    /* the plugin's data */
    bool created; /* `own` must be destroyed */
    char *path;
    const og_arms *arms;
    const og_ranks *ranks; /* the ranks with this chooser */
    double tie_relative, price;
    og_stop *stop;
    og_steady steady;
    og_view view;
    og_plugin_state told;   /* the view in the plugin's form */
    og_arena arena;         /* of the next three */
    int32_t room;           /* of the next three, in groups */
    og_plugin_group *group; /* [room] */
    double *parameter;      /* [room * OG_POSTERIOR_NUMBERS] */
    int32_t *labels;        /* [room * OG_CLASSES_MAX] */
} plugin_host;

static void host_free(void *self)
{
    plugin_host *host = self;
    if (host != NULL) {
        if (host->created && host->plugin->destroy != NULL) {
            host->plugin->destroy(host->own);
        }
        og_library_close(host->library);
        og_steady_clear(&host->steady);
        og_view_clear(&host->view);
        og_arena_clear(&host->arena);
        free(host->path);
    }
    free(host);
}

/* ---- telling a state ---- */

static og_status reserve(plugin_host *host, int32_t count)
{
    if (count <= host->room) {
        return OG_OK;
    }
    size_t room = (size_t)count + 8;
    og_arena_clear(&host->arena);
    host->group = og_arena_array(&host->arena, room, sizeof *host->group);
    host->parameter =
        og_arena_array(&host->arena, room * OG_POSTERIOR_NUMBERS, sizeof *host->parameter);
    host->labels = og_arena_array(&host->arena, room * OG_CLASSES_MAX, sizeof *host->labels);
    host->room = host->arena.failed ? 0 : (int32_t)room;
    return og_arena_status(&host->arena);
}

static void tell_group(plugin_host *host, int32_t at)
{
    const og_state_group *seen = &host->view.group[at];
    host->group[at] =
        og_user_group(host->arms->arm[seen->arm], seen->node, seen->copies,
                      &host->parameter[(size_t)at * OG_POSTERIOR_NUMBERS],
                      host->looks_at_labels ? &host->labels[(size_t)at * OG_CLASSES_MAX] : NULL);
}

static og_status ask_plugin(void *self, og_answer *kind, og_message *message)
{
    plugin_host *host = self;
    char words[OG_MESSAGE_BYTES] = "";
    host->view.answer[host->view.count] = -INFINITY;
    int done = host->plugin->choose(host->own, &host->told, host->view.answer, words, sizeof words);
    words[sizeof words - 1] = '\0';
    if (done != OG_PLUGIN_INDEX && done != OG_PLUGIN_WEIGHTS) {
        return og_message_set(message, OG_FAILED, "plugin '%.200s' has no answer%s%.200s",
                              host->path, words[0] != '\0' ? ": " : "", words);
    }
    *kind = done == OG_PLUGIN_WEIGHTS ? OG_ANSWER_WEIGHTS : OG_ANSWER_INDEX;
    return OG_OK;
}

static og_status ask_function(void *self, og_answer *kind, og_message *message)
{
    plugin_host *host = self;
    og_message words = {""};
    bool weights = false;
    host->view.answer[host->view.count] = -INFINITY;
    og_lock_take(host->function->lock);
    og_status status = host->function->callback.choose(host->function->callback.user, &host->told,
                                                       host->view.answer, &weights, &words);
    og_lock_release(host->function->lock);
    *kind = weights ? OG_ANSWER_WEIGHTS : OG_ANSWER_INDEX;
    return og_own_status(status, &words, message);
}

static og_status choose(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message)
{
    plugin_host *host = self;
    og_status status = og_view_take(&host->view, host->ranks, state);
    OG_THEN(status, reserve(host, host->view.count));
    if (status != OG_OK) {
        return og_message_set(message, status, "out of memory for a state of policy '%.200s'",
                              host->path);
    }
    for (int32_t i = 0; i < host->view.count; i++) {
        tell_group(host, i);
    }
    host->told =
        (og_plugin_state){state->left, state->budget, host->view.count, host->group, host->price};
    const og_steady_question question = {
        .ask = host->function != NULL ? ask_function : ask_plugin,
        .self = host,
        .answer = host->view.answer,
        .count = host->view.count + 1,
        .tie_relative = host->tie_relative,
        .prefix = host->function != NULL ? "" : "plugin:",
        .policy = host->path,
        .weights = host->function != NULL ? OG_STEADY_FUNCTION : "OG_PLUGIN_WEIGHTS",
    };
    OG_TRY(og_own_stopped(host->stop, message));
    OG_TRY(og_steady_ask(&host->steady, &question, kind, message));
    return og_view_answer(&host->view, state, *kind, answer, message);
}

/* ---- opening ---- */

static og_status open_library(plugin_host *host, og_message *message)
{
    const void *found = NULL;
    OG_TRY(og_library_open(host->path, "optgap_policy", "policy", OG_PLUGIN_VERSION, &host->library,
                           &found, message));
    host->plugin = found;
    return host->plugin->choose != NULL
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT, "plugin '%.200s' has no function choose",
                                host->path);
}

static og_status create(plugin_host *host, int32_t budget, og_message *message)
{
    host->looks_at_labels = host->plugin->looks_at_labels != 0;
    if (host->plugin->create == NULL) {
        return OG_OK;
    }
    char words[OG_MESSAGE_BYTES] = "";
    host->own = host->plugin->create(budget, words, sizeof words);
    words[sizeof words - 1] = '\0';
    host->created = host->own != NULL;
    return host->created
               ? OG_OK
               : og_message_set(message, OG_FAILED, "plugin '%.200s' cannot start%s%.200s",
                                host->path, words[0] != '\0' ? ": " : "", words);
}

og_status og_plugin_ranks(const og_policy_name *policy, const og_arms *arms,
                          const og_policy_use *use, og_ranks **out, og_message *message)
{
    const og_user_policy *function = policy->function;
    const char *path = function != NULL ? policy->name : strchr(policy->name, ':') + 1;
    if (function != NULL && function->callback.choose == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.64s' is a function for other problems, and independent "
                              "instances support functions of a state only",
                              path);
    }
    plugin_host *host = calloc(1, sizeof *host);
    if (host != NULL) {
        host->path = strdup(path);
        host->arms = arms;
        host->function = function;
        host->stop = use->stop;
        host->price = use->price;
        host->tie_relative = policy->tie_relative;
    }
    og_status status = OG_NO_MEMORY;
    og_ranks *ranks = NULL;
    og_message_set(message, status, "out of memory for the policy");
    if (host != NULL && host->path != NULL) {
        status = function != NULL ? OG_OK : open_library(host, message);
    }
    if (status == OG_OK && function != NULL) {
        host->looks_at_labels = function->callback.looks_at_labels;
    } else if (status == OG_OK) {
        status = create(host, arms->budget, message);
    }
    if (status == OG_OK) {
        og_chooser chooser = {.self = host,
                              .look = host->looks_at_labels ? OG_LOOK_LABELS : OG_LOOK_POSTERIOR,
                              .tie_relative = policy->tie_relative,
                              .choose = choose,
                              .free = host_free};
        status = og_ranks_new_chooser(arms, &chooser, &ranks);
        if (status != OG_OK) {
            og_message_set(message, status, "out of memory for the policy");
        }
    }
    if (status != OG_OK) {
        host_free(host);
        return status;
    }
    host->ranks = ranks;
    *out = ranks;
    return OG_OK;
}
