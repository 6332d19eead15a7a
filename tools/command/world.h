#ifndef OG_TOOLS_COMMAND_WORLD_H
#define OG_TOOLS_COMMAND_WORLD_H

#include "bench/public/task.h"
#include "tools/option/options.h"

/* Task assignment on recorded labels or by crowds that are drawn: what replay does, and simulate
 * where --gold tells the tasks. */
int replay_world(command_request *request, const og_assignment_recording *given);

#endif
