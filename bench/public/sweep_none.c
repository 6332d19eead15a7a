/* Studies in a build without SQLite: there are none. */
#include "bench/public/task.h"

og_status og_task_sweep(og_task *task, og_message *message)
{
    (void)task;
    return og_message_set(message, OG_BAD_INPUT,
                          "a study needs SQLite, which this build was made without");
}
