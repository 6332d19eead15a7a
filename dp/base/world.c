/* Common functions of all worlds. */
#include "dp/base/world.h"

#include <string.h>

int og_world_ranks(const og_world *world)
{
    return world == NULL ? 1 : world->ranks;
}

bool og_world_is_shared(const og_world *world)
{
    return og_world_ranks(world) > 1 && world->swap != NULL;
}

og_status og_world_agree(const og_world *world, og_status status, og_message *message)
{
    struct {
        og_status status;
        og_message message;
    } first;
    if (!og_world_is_shared(world)) {
        return status;
    }
    int64_t mine = status == OG_OK ? world->ranks : world->rank;
    int64_t rank = world->fold(world->self, mine, OG_WORLD_LEAST);
    if (rank == world->ranks) {
        return OG_OK;
    }
    memset(&first, 0, sizeof first);
    if (rank == world->rank) {
        first.status = status;
        first.message = *message;
    }
    world->tell(world->self, (int)rank, &first, sizeof first);
    const char *text = first.message.text;
    text = text[0] != '\0' ? text : og_status_text(first.status);
    return rank == 0 ? og_message_set(message, first.status, "%s", text)
                     : og_message_set(message, first.status, "rank %d: %.480s", (int)rank, text);
}
