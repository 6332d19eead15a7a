/* Opens the program of --process: a shared object, or a child. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/process_problem.h"
#include "dp/base/file.h"

struct process_program {
    void *library; /* NULL: a child */
    process_child *child;
};

static const char entry_point[] = "optgap_process";

void process_program_close(process_program *program)
{
    if (program != NULL) {
        process_child_close(program->child);
        if (program->library != NULL) {
            dlclose(program->library);
        }
    }
    free(program);
}

static og_status open_library(const char *path, process_program *program, og_process *out,
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
    program->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (program->library == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "the plugin cannot be opened: %.400s",
                              dlerror());
    }
    const og_process *(*entry)(void);
    void *symbol = dlsym(program->library, entry_point);
    memcpy(&entry, &symbol, sizeof entry); /* the POSIX idiom: C does not define this cast */
    const og_process *found = symbol != NULL ? entry() : NULL;
    if (found == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "plugin '%.200s' has no %s", path,
                              symbol != NULL ? "process" : "function optgap_process");
    }
    if (found->version != OG_PROCESS_VERSION) {
        return og_message_set(message, OG_BAD_INPUT,
                              "plugin '%.200s' has version %" PRId32
                              "; this program supports version %d",
                              path, found->version, OG_PROCESS_VERSION);
    }
    if (found->root == NULL || found->expand == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "plugin '%.200s' has no function root or "
                              "expand",
                              path);
    }
    *out = *found;
    return OG_OK;
}

og_status process_program_open(const char *program, og_stop *stop, process_program **out,
                               og_process_source *source, og_message *message)
{
    process_program *opened = calloc(1, sizeof *opened);
    OG_TRY(OG_ALLOCATED(opened));
    const char *rest = strchr(program, ':') + 1;
    og_status status = *program == 'p'
                           ? open_library(rest, opened, &source->process, message)
                           : process_child_open(rest, stop, &opened->child, source, message);
    return OG_MADE(status, opened, process_program_close, out);
}
