/* The public policy: a function of the caller, or a table, which a function in this file
 * looks up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/public/problem.h"

static og_status make(const og_policy *from, og_policy **out, og_message *message)
{
    og_policy *made = malloc(sizeof *made);
    if (made == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    *made = *from;
    *out = made;
    return OG_OK;
}

static og_status make_function(const char *name, const og_user_policy *function, og_policy **out,
                               og_message *message)
{
    og_policy_name known;
    if (function->callback.choose == NULL && function->decide == NULL && function->act == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "the policy has no function choose");
    }
    if (*name == '\0' || strlen(name) >= OG_POLICY_NAME_BYTES) {
        return og_message_set(message, OG_BAD_INPUT, "a policy's name must have 1 to %d characters",
                              OG_POLICY_NAME_BYTES - 1);
    }
    if (og_policy_name_parse(name, &known, NULL) == OG_OK) {
        return og_message_set(message, OG_BAD_INPUT,
                              "'%.64s' is already the name of a policy; choose another", name);
    }
    const og_policy made = {.name = og_policy_name_of(name, NULL), .function = *function};
    return make(&made, out, message);
}

og_status og_policy_callback(const char *name, const og_callback *callback, og_policy **out,
                             og_message *message)
{
    const og_user_policy function = {.callback = *callback};
    return make_function(name, &function, out, message);
}

og_status og_policy_decide(const char *name, og_decide *decide, void *user, og_policy **out,
                           og_message *message)
{
    const og_user_policy function = {.decide = decide, .user = user};
    return make_function(name, &function, out, message);
}

og_status og_policy_process(const char *name, og_choose_act *choose, void *user, og_policy **out,
                            og_message *message)
{
    const og_user_policy function = {.act = choose, .user = user};
    return make_function(name, &function, out, message);
}

static og_status look_up(void *user, const og_plugin_state *state, double *answer, bool *weights,
                         og_message *message)
{
    const og_policy *policy = user;
    (void)weights;
    for (int32_t i = 0; i < state->count; i++) {
        const og_plugin_group *group = &state->group[i];
        if (group->label_count != 2) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "policy '%.64s' is a table, which supports only two classes",
                                  policy->name.name);
        }
        size_t n = (size_t)group->labels[0] + (size_t)group->labels[1];
        if (n > (size_t)policy->labels_max) {
            return og_message_set(
                message, OG_BAD_INPUT,
                "policy '%.64s' has no index for %lu labels; its table holds at most %d",
                policy->name.name, (unsigned long)n, (int)policy->labels_max);
        }
        answer[i] = policy->index[(n + 1) * n / 2 + (size_t)group->labels[1]];
    }
    return OG_OK;
}

og_status og_policy_numbers(const char *name, int32_t labels_max, const double *index,
                            og_policy **out, og_message *message)
{
    enum { LABELS_MAX = 10000 };
    const og_callback callback = {.looks_at_labels = true, .choose = look_up};
    if (labels_max < 0 || labels_max > LABELS_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "a table must be for 0 to %d labels",
                              LABELS_MAX);
    }
    size_t count = ((size_t)labels_max + 1) * ((size_t)labels_max + 2) / 2;
    for (size_t i = 0; i < count; i++) {
        if (isnan(index[i])) {
            return og_message_set(message, OG_BAD_INPUT, "index %lu of the table is not a number",
                                  (unsigned long)i);
        }
    }
    og_policy *made = NULL;
    OG_TRY(og_policy_callback(name, &callback, &made, message));
    made->labels_max = labels_max;
    made->function.callback.user = made;
    made->index = malloc(count * sizeof *index);
    if (made->index == NULL) {
        og_policy_free(made);
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    memcpy(made->index, index, count * sizeof *index);
    *out = made;
    return OG_OK;
}

void og_policy_free(og_policy *policy)
{
    if (policy != NULL) {
        free(policy->index);
    }
    free(policy);
}
