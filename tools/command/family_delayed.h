#ifndef OG_TOOLS_COMMAND_FAMILY_DELAYED_H
#define OG_TOOLS_COMMAND_FAMILY_DELAYED_H

#include "tools/option/family.h"

/* Labels that take time: workers arrive, and each takes his time. */
extern const option option_arrival_rate;
extern const option option_service_rate;
extern const option option_workers;

bool is_delayed(const request *asked);

/* For commands that do not make a family: OG_BAD_INPUT with a message if one of the three options
 * is missing or -T is given too; the policies that are valued where none were asked for. */
og_status delayed_prepare(request *asked, og_message *message);

#endif
