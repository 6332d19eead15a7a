/*
 * Policies in shared objects and caller's functions: passes each state in plain numbers and returns
 * the answer.
 */
#include "heuristics/whole_state/plugin.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/file.h"
#include "heuristics/steady.h"
#include "heuristics/whole_state/view.h"

static const char entry_point[] = "optgap_policy";

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
    double tie_relative;
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
    plugin_host *of = self;
    if (of != NULL) {
        if (of->created && of->plugin->destroy != NULL) {
            of->plugin->destroy(of->own);
        }
        if (of->library != NULL) {
            dlclose(of->library);
        }
        og_steady_clear(&of->steady);
        og_view_clear(&of->view);
        og_arena_clear(&of->arena);
        free(of->path);
    }
    free(of);
}

/* ---- telling a state ---- */

static og_status reserve(plugin_host *of, int32_t count)
{
    if (count <= of->room) {
        return OG_OK;
    }
    size_t room = (size_t)count + 8;
    og_arena_clear(&of->arena);
    of->group = og_arena_array(&of->arena, room, sizeof *of->group);
    of->parameter = og_arena_array(&of->arena, room * OG_POSTERIOR_NUMBERS, sizeof *of->parameter);
    of->labels = og_arena_array(&of->arena, room * OG_CLASSES_MAX, sizeof *of->labels);
    of->room = of->arena.failed ? 0 : (int32_t)room;
    return og_arena_status(&of->arena);
}

static int32_t kind_of(const og_group *prior)
{
    static const int32_t kinds[] = {[OG_PRIOR_BETA] = OG_PLUGIN_BETA,
                                    [OG_PRIOR_MIXTURE] = OG_PLUGIN_MIXTURE,
                                    [OG_PRIOR_DIRICHLET] = OG_PLUGIN_CLASSES};
    return kinds[prior->kind];
}

static void tell_group(plugin_host *of, int32_t at)
{
    const og_state_group *seen = &of->view.group[at];
    const og_arm *arm = of->arms->arm[seen->arm];
    const og_group *prior = og_arm_prior(arm);
    double *parameter = &of->parameter[(size_t)at * OG_POSTERIOR_NUMBERS];
    int32_t *labels = &of->labels[(size_t)at * OG_CLASSES_MAX];
    og_arm_counts(arm, seen->node, labels);
    of->group[at] = (og_plugin_group){
        .copies = seen->copies,
        .kind = kind_of(prior),
        .parameter_count = og_posterior_numbers(arm, seen->node, parameter),
        .parameter = parameter,
        .threshold = prior->kind == OG_PRIOR_DIRICHLET ? 0.5 : og_fraction_double(prior->threshold),
        .label_count = arm->outcome_count,
        .labels = of->looks_at_labels ? labels : NULL,
    };
}

static og_status ask_plugin(void *self, og_answer *kind, og_message *message)
{
    plugin_host *of = self;
    char words[OG_MESSAGE_BYTES] = "";
    int done = of->plugin->choose(of->own, &of->told, of->view.answer, words, sizeof words);
    words[sizeof words - 1] = '\0';
    if (done != OG_PLUGIN_INDEX && done != OG_PLUGIN_WEIGHTS) {
        return og_message_set(message, OG_FAILED, "plugin '%.200s' has no answer%s%.200s", of->path,
                              words[0] != '\0' ? ": " : "", words);
    }
    *kind = done == OG_PLUGIN_WEIGHTS ? OG_ANSWER_WEIGHTS : OG_ANSWER_INDEX;
    return OG_OK;
}

static og_status ask_function(void *self, og_answer *kind, og_message *message)
{
    plugin_host *of = self;
    og_message words = {""};
    bool weights = false;
    og_lock_take(of->function->lock);
    og_status status = of->function->callback.choose(of->function->callback.user, &of->told,
                                                     of->view.answer, &weights, &words);
    og_lock_release(of->function->lock);
    *kind = weights ? OG_ANSWER_WEIGHTS : OG_ANSWER_INDEX;
    return og_own_status(status, &words, message);
}

static og_status choose(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message)
{
    plugin_host *of = self;
    og_status status = og_view_take(&of->view, of->ranks, state);
    OG_THEN(status, reserve(of, of->view.count));
    if (status != OG_OK) {
        return og_message_set(message, status, "out of memory for a state of policy '%.200s'",
                              of->path);
    }
    for (int32_t i = 0; i < of->view.count; i++) {
        tell_group(of, i);
    }
    of->told = (og_plugin_state){state->left, state->budget, of->view.count, of->group};
    const og_steady_question question = {
        .ask = of->function != NULL ? ask_function : ask_plugin,
        .self = of,
        .answer = of->view.answer,
        .count = of->view.count,
        .tie_relative = of->tie_relative,
        .prefix = of->function != NULL ? "" : "plugin:",
        .policy = of->path,
        .weights = of->function != NULL ? OG_STEADY_FUNCTION : "OG_PLUGIN_WEIGHTS",
    };
    OG_TRY(og_steady_ask(&of->steady, &question, kind, message));
    return og_view_answer(&of->view, state, *kind, answer, message);
}

/* ---- opening ---- */

static og_status open_library(plugin_host *of, og_message *message)
{
    if (strchr(of->path, '/') == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "plugin '%.200s' must be a path with a slash, such as ./%.200s",
                              of->path, of->path);
    }
    const char *reason = "";
    if (og_file_check_regular(of->path, &reason) != OG_OK) {
        return og_message_set(message, OG_BAD_INPUT, "plugin '%.200s' cannot be opened: %s",
                              of->path, reason);
    }
    of->library = dlopen(of->path, RTLD_NOW | RTLD_LOCAL);
    if (of->library == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "the plugin cannot be opened: %.400s",
                              dlerror());
    }
    const og_plugin *(*entry)(void);
    void *symbol = dlsym(of->library, entry_point);
    memcpy(&entry, &symbol, sizeof entry); /* the POSIX idiom: C does not define this cast */
    of->plugin = symbol != NULL ? entry() : NULL;
    if (of->plugin == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "plugin '%.200s' has no %s", of->path,
                              symbol != NULL ? "policy" : "function optgap_policy");
    }
    if (of->plugin->version != OG_PLUGIN_VERSION) {
        return og_message_set(message, OG_BAD_INPUT,
                              "plugin '%.200s' has version %" PRId32
                              "; this program supports version %d",
                              of->path, of->plugin->version, OG_PLUGIN_VERSION);
    }
    if (of->plugin->choose == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "plugin '%.200s' has no function choose",
                              of->path);
    }
    return OG_OK;
}

static og_status create(plugin_host *of, int32_t budget, og_message *message)
{
    of->looks_at_labels = of->plugin->looks_at_labels != 0;
    if (of->plugin->create == NULL) {
        return OG_OK;
    }
    char words[OG_MESSAGE_BYTES] = "";
    of->own = of->plugin->create(budget, words, sizeof words);
    words[sizeof words - 1] = '\0';
    of->created = of->own != NULL;
    return of->created ? OG_OK
                       : og_message_set(message, OG_FAILED, "plugin '%.200s' cannot start%s%.200s",
                                        of->path, words[0] != '\0' ? ": " : "", words);
}

og_status og_plugin_ranks(const og_policy_name *policy, const og_arms *arms, og_ranks **out,
                          og_message *message)
{
    const og_user_policy *function = policy->function;
    const char *path = function != NULL ? policy->name : strchr(policy->name, ':') + 1;
    if (function != NULL && function->callback.choose == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.64s' is a function of situations, and independent "
                              "instances support functions of a state only",
                              path);
    }
    plugin_host *of = calloc(1, sizeof *of);
    if (of != NULL) {
        of->path = strdup(path);
        of->arms = arms;
        of->function = function;
        of->tie_relative = policy->tie_relative;
    }
    og_status status = OG_NO_MEMORY;
    og_ranks *ranks = NULL;
    og_message_set(message, status, "out of memory for the policy");
    if (of != NULL && of->path != NULL) {
        status = function != NULL ? OG_OK : open_library(of, message);
    }
    if (status == OG_OK && function != NULL) {
        of->looks_at_labels = function->callback.looks_at_labels;
    } else if (status == OG_OK) {
        status = create(of, arms->budget, message);
    }
    if (status == OG_OK) {
        og_chooser chooser = {.self = of,
                              .look = of->looks_at_labels ? OG_LOOK_LABELS : OG_LOOK_POSTERIOR,
                              .tie_relative = policy->tie_relative,
                              .choose = choose,
                              .free = host_free};
        status = og_ranks_new_chooser(arms, &chooser, &ranks);
        if (status != OG_OK) {
            og_message_set(message, status, "out of memory for the policy");
        }
    }
    if (status != OG_OK) {
        host_free(of);
        return status;
    }
    of->ranks = ranks;
    *out = ranks;
    return OG_OK;
}
