/*
 * A user-defined policy in a shared object, for the installed program:
 *
 *   cc -shared -fPIC own-plugin.c $(pkg-config --cflags optgap) -o own-plugin.so
 *   optgap compare -T 8 --policy plugin:./own-plugin.so 3x1,1
 *
 * The policy labels the instance whose mean is nearest to its threshold; of those, one with few
 * labels.
 */
#include <math.h>

#include <optgap.h>

static int choose(void *own, const og_plugin_state *state, double *answer, char *message,
                  size_t message_bytes)
{
    (void)own;
    (void)message;
    (void)message_bytes;
    for (int32_t i = 0; i < state->count; i++) {
        const og_plugin_group *group = &state->group[i];
        double a = group->parameter[0];
        double b = group->parameter[1];
        answer[i] = -fabs(a / (a + b) - group->threshold) - 1e-3 * (a + b);
    }
    return OG_PLUGIN_INDEX;
}

const og_plugin *optgap_policy(void);

const og_plugin *optgap_policy(void)
{
    static const og_plugin policy = {.version = OG_PLUGIN_VERSION, .choose = choose};
    return &policy;
}
