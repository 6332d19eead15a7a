#ifndef OG_DP_BASE_TIES_H
#define OG_DP_BASE_TIES_H

#include "dp/base/status.h"

/* "random", "first", "best", "worst". */
const char *og_ties_name(og_ties ties);
og_status og_ties_parse(const char *name, og_ties *out);

#endif
