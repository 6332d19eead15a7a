#ifndef OG_TOOLS_COMMAND_FAMILY_DELAYED_H
#define OG_TOOLS_COMMAND_FAMILY_DELAYED_H

#include "dp/families/delayed.h"
#include "tools/option/family.h"

/* The rates, where labels take time; else NULL. */
const og_delay *delay_of(const request *asked);

#endif
