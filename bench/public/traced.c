/* Writes a file that work makes, such as the trace of a run, after the work. */
#include "bench/public/traced.h"

#include <stdbool.h>
#include <stdlib.h>

#include "dp/base/file.h"

og_status og_traced(const char *path, const char *what, const char *head, og_traced_work *work,
                    void *user, og_message *message)
{
    og_atomic_file file;
    char *text = NULL;
    size_t length = 0;
    if (path == NULL) {
        return work(user, NULL, message);
    }
    OG_TRY(og_atomic_file_begin(path, what, &file, message));
    FILE *trace = open_memstream(&text, &length);
    og_status status = OG_ALLOCATED(trace);
    if (status == OG_OK) {
        fputs(head, trace);
        status = work(user, trace, message);
        bool whole = ferror(trace) == 0;
        whole = fclose(trace) == 0 && whole;
        status = status == OG_OK && !whole ? OG_NO_MEMORY : status;
    }
    if (status == OG_OK) {
        og_atomic_file_write(&file, text, length);
        status = og_atomic_file_end(&file, what, message);
    } else {
        og_atomic_file_drop(&file);
    }
    free(text);
    return status;
}
