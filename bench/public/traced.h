#ifndef OG_BENCH_PUBLIC_TRACED_H
#define OG_BENCH_PUBLIC_TRACED_H

#include <stdio.h>

#include "dp/base/status.h"

/* Work that writes a file, such as a trace; NULL: none is wanted. */
typedef og_status og_traced_work(void *user, FILE *trace, og_message *message);

/* Do the work, and write its file, a `what`, after this head, if it succeeded; a NULL path means no
 * file. The errors of the work, and of dp/base/file.h (private to bench/public/). */
og_status og_traced(const char *path, const char *what, const char *head, og_traced_work *work,
                    void *user, og_message *message);

#endif
