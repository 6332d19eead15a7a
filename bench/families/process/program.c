/* Opens the program of --process: a shared object, or a child. */
#include <stdlib.h>
#include <string.h>

#include "bench/families/process/problem.h"
#include "dp/base/library.h"

struct process_program {
    void *library; /* NULL: a child */
    process_child *child;
};

void process_program_close(process_program *program)
{
    if (program != NULL) {
        process_child_close(program->child);
        og_library_close(program->library);
    }
    free(program);
}

static og_status open_library(const char *path, process_program *program, og_process *out,
                              og_message *message)
{
    const void *found = NULL;
    OG_TRY(og_library_open(path, "optgap_process", "process", OG_PROCESS_VERSION, &program->library,
                           &found, message));
    *out = *(const og_process *)found;
    return out->root != NULL && out->expand != NULL
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "plugin '%.200s' has no function root or expand", path);
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
