/* Draws crowds: the good context of each worker. */
#include "bench/recorded/drawn_crowd.h"

#include <string.h>

#include "bench/random.h"
#include "dp/base/number.h"

static const struct {
    const char *name;
    double good, bad, other;
} models[] = {
    [OG_CROWD_SPAMMER] = {"spammer-hammer", 1, 0.5, 0.5},
    [OG_CROWD_ONE_COIN] = {"one-coin", 0.9, 0.6, 0.6},
    [OG_CROWD_MALICIOUS] = {"malicious", 0.9, 0.3, 0.6},
};

og_status og_drawn_crowd_parse(const char *text, og_drawn_crowd *out, og_message *message)
{
    size_t length = strcspn(text, ":");
    int64_t workers;
    for (size_t k = OG_CROWD_SPAMMER; k <= OG_CROWD_MALICIOUS; k++) {
        if (strlen(models[k].name) == length && memcmp(models[k].name, text, length) == 0 &&
            text[length] == ':' &&
            og_number_parse(text + length + 1, 1, OG_CROWD_WORKERS_MAX, &workers)) {
            *out = (og_drawn_crowd){(og_drawn_crowd_kind)k, (int32_t)workers};
            return OG_OK;
        }
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "--crowd must be MODEL:K with MODEL spammer-hammer, one-coin or "
                          "malicious and K from 1 to %d workers, not '%.64s'",
                          OG_CROWD_WORKERS_MAX, text);
}

void og_drawn_crowd_draw(const og_drawn_crowd *crowd, int32_t contexts, uint64_t seed, uint64_t run,
                         double *accuracy)
{
    enum { GOOD, BAD };
    for (int32_t j = 0; j < crowd->workers; j++) {
        uint64_t first = og_draw(seed, OG_DRAW_TRUTH, run, (uint32_t)j, GOOD);
        uint64_t second = og_draw(seed, OG_DRAW_TRUTH, run, (uint32_t)j, BAD);
        int32_t good = (int32_t)og_draw_below(first, (uint32_t)contexts), bad = -1;
        if (contexts > 1) {
            bad = (int32_t)og_draw_below(second, (uint32_t)contexts - 1);
            bad += bad >= good;
        }
        for (int32_t s = 0; s < contexts; s++) {
            accuracy[s * crowd->workers + j] = s == good  ? models[crowd->kind].good
                                               : s == bad ? models[crowd->kind].bad
                                                          : models[crowd->kind].other;
        }
    }
}
