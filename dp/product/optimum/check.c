/* Refuses settings that no engine supports together. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "dp/base/file.h"
#include "dp/base/world.h"
#include "dp/product/optimum/optimum.h"

static og_status check_scratch(const og_settings *settings, og_message *message)
{
    struct stat found;
    if (settings->engine == OG_ENGINE_RECURSION) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--scratch cannot be combined with --engine recursion; omit one of them");
    }
    if (settings->checkpoint != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--scratch cannot be combined with --checkpoint; omit one of them");
    }
    int reason = stat(settings->scratch, &found) != 0 ? errno
                 : !S_ISDIR(found.st_mode)            ? ENOTDIR
                                                      : 0;
    return reason == 0 ? OG_OK
                       : og_message_set(message, og_file_status(reason),
                                        "the scratch folder %s could not be used: %s",
                                        settings->scratch, strerror(reason));
}

og_status og_optimum_check(const og_settings *settings, og_message *message)
{
    if (og_world_is_shared(settings->world) && settings->engine == OG_ENGINE_RECURSION) {
        return og_message_set(message, OG_BAD_INPUT,
                              "several ranks do not support --engine recursion: omit it or mpirun");
    }
    if (og_world_is_shared(settings->world) &&
        (settings->scratch != NULL || settings->checkpoint != NULL)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "several ranks do not support --%s: omit it or mpirun",
                              settings->scratch != NULL ? "scratch" : "checkpoint");
    }
    return settings->scratch != NULL ? check_scratch(settings, message) : OG_OK;
}
