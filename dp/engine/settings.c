/* The default settings, and the machine's properties on which they depend. */
#include "dp/engine/settings.h"

#include <string.h>
#include <unistd.h>

#include "dp/base/parallel.h"

static uint64_t default_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGE_SIZE);
    uint64_t bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 32;
    return bytes / 4 * 3;
}

/* Below this limit, every request to the system fits into a size_t. */
static uint64_t most_memory(uint64_t bytes)
{
    const uint64_t most = SIZE_MAX / 4 * 3;
    return bytes < most ? bytes : most;
}

void og_settings_default(og_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    settings->threads = og_thread_count(0);
    settings->memory_bytes = most_memory(default_memory());
    settings->reductions = OG_REDUCE_ALL;
    settings->checkpoint_seconds = OG_CHECKPOINT_SECONDS;
}

const char *og_engine_name(og_engine engine)
{
    static const char *const names[OG_ENGINE_COUNT] = {"auto", "recursion", "blocks"};
    return names[engine];
}

const char *og_result_engine(const og_result *result)
{
    return result->by_stages ? "stages"
           : result->by_margin
               ? "margin"
               : og_engine_name(result->by_blocks ? OG_ENGINE_BLOCKS : OG_ENGINE_RECURSION);
}

/* Asks the machine only for what is not given: small questions come here often. */
og_settings og_settings_filled(const og_settings *given)
{
    og_settings settings = *given;
    settings.threads = og_thread_count(given->threads);
    settings.memory_bytes =
        most_memory(given->memory_bytes > 0 ? given->memory_bytes : default_memory());
    settings.checkpoint_seconds =
        given->checkpoint_seconds > 0 ? given->checkpoint_seconds : OG_CHECKPOINT_SECONDS;
    return settings;
}
