/* Opens plugins. */
#include "dp/base/library.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>

#include "dp/base/file.h"

/* The structure that the entry point returns, NULL with a message if there is none. */
static const void *call_entry(void *library, const char *path, const char *entry_point,
                              const char *what, og_message *message)
{
    const void *(*entry)(void);
    void *symbol = dlsym(library, entry_point);
    memcpy(&entry, &symbol, sizeof entry); /* the POSIX idiom: C does not define this cast */
    const void *found = symbol != NULL ? entry() : NULL;
    if (found == NULL) {
        og_message_set(message, OG_BAD_INPUT, "plugin '%.200s' has no %s%s", path,
                       symbol != NULL ? "" : "function ", symbol != NULL ? what : entry_point);
    }
    return found;
}

static og_status check_version(const void *found, const char *path, int32_t version_max,
                               og_message *message)
{
    int32_t version;
    memcpy(&version, found, sizeof version);
    return version >= 1 && version <= version_max
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "plugin '%.200s' has version %" PRId32
                                "; this program supports version%s%" PRId32,
                                path, version, version_max > 1 ? "s 1 to " : " ", version_max);
}

og_status og_library_open(const char *path, const char *entry_point, const char *what,
                          int32_t version_max, void **library, const void **out,
                          og_message *message)
{
    const char *reason = "";
    if (strchr(path, '/') == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "plugin '%.200s' must be a path with a slash, such as ./%.200s", path,
                              path);
    }
    if (og_file_check_regular(path, &reason) != OG_OK) {
        return og_message_set(message, OG_BAD_INPUT, "plugin '%.200s' cannot be opened: %s", path,
                              reason);
    }
    void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (opened == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "the plugin cannot be opened: %.400s",
                              dlerror());
    }
    const void *found = call_entry(opened, path, entry_point, what, message);
    og_status status =
        found != NULL ? check_version(found, path, version_max, message) : OG_BAD_INPUT;
    if (status != OG_OK) {
        dlclose(opened);
        return status;
    }
    *library = opened;
    *out = found;
    return OG_OK;
}

void og_library_close(void *library)
{
    if (library != NULL) {
        dlclose(library);
    }
}
