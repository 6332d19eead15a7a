/* Refuses --process command:CMD in a build without Jansson. */
#include "bench/families/process/problem.h"

og_status process_child_open(const char *command, og_stop *stop, process_child **out,
                             og_process_source *source, og_message *message)
{
    (void)command, (void)stop, (void)out, (void)source;
    return og_message_set(message, OG_BAD_INPUT,
                          "this build does not support --process command:CMD; use plugin:FILE.so");
}

void process_child_close(process_child *child)
{
    (void)child;
}
