#ifndef OG_TOOLS_COMMAND_FAMILY_WORKERS_H
#define OG_TOOLS_COMMAND_FAMILY_WORKERS_H

#include "tools/option/family.h"

/* Workers of unknown reliability. */
extern const option option_workers_prior;
extern const option option_once;

#endif
