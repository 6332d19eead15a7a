#ifndef OG_TOOLS_COMMAND_WORLD_H
#define OG_TOOLS_COMMAND_WORLD_H

#include "bench/public/recordings.h"
#include "tools/option/options.h"

/* Task assignment on recorded labels or with drawn crowds, for replay and for simulate with --gold.
 * Returns the exit status. */
int replay_world(command_request *request, const og_assignment_recording *recording);

#endif
