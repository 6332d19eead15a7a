#ifndef OG_TOOLS_COMMAND_FAMILY_FEATURES_H
#define OG_TOOLS_COMMAND_FAMILY_FEATURES_H

#include "tools/option/family.h"

/* Instances with features, read from a file; their weights have a normal prior. */
extern const option option_features;
extern const option option_weight_mean;
extern const option option_weight_sd;

#endif
