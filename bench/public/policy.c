/* The public policy: a name that was read, or a function of the caller's. */
#include <stdlib.h>
#include <string.h>

#include "bench/public/handles.h"

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

og_status og_policy_new(const char *name, og_policy **out, og_message *message)
{
    og_policy made = {.own = false};
    OG_TRY(og_policy_name_parse(name, &made.name, message));
    return make(&made, out, message);
}

og_status og_policy_callback(const char *name, const og_callback *callback, og_policy **out,
                             og_message *message)
{
    og_policy_name known;
    if (callback->choose == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "the policy has no function choose");
    }
    if (*name == '\0' || strlen(name) >= OG_POLICY_NAME_BYTES) {
        return og_message_set(message, OG_BAD_INPUT, "a policy's name has 1 to %d characters",
                              OG_POLICY_NAME_BYTES - 1);
    }
    if (og_policy_name_parse(name, &known, NULL) == OG_OK) {
        return og_message_set(message, OG_BAD_INPUT,
                              "'%.64s' is the name of a policy that is known", name);
    }
    const og_policy made = {
        .name = og_policy_name_of(name, NULL), .callback = *callback, .own = true};
    return make(&made, out, message);
}

const char *og_policy_text(const og_policy *policy)
{
    return policy->name.name;
}

void og_policy_free(og_policy *policy)
{
    free(policy);
}
