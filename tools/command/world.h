#ifndef OG_TOOLS_COMMAND_WORLD_H
#define OG_TOOLS_COMMAND_WORLD_H

#include "tools/option/options.h"

/* Task assignment on recorded labels or by crowds that are drawn: of replay and simulate. */
extern const og_option_row world_rows[];

/* Answers the question of a request with --gold. */
int replay_world(command_request *request);

/* OG_BAD_INPUT with a message if one of these options is given; for other objectives. */
og_status world_unasked(const command_request *request, og_message *message);

#endif
