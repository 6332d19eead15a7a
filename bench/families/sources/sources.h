#ifndef OG_BENCH_FAMILIES_SOURCES_SOURCES_H
#define OG_BENCH_FAMILIES_SOURCES_SOURCES_H

#include "bench/family.h"
#include "dp/families/sources_unknown.h"

/*
 * Labels bought from sources with a price as a family: an act is an instance and a source, and the
 * budget counts units. Accuracies are given (dp/arm/sources.h), or some have a prior
 * (dp/families/sources_unknown.h).
 */
extern const og_family og_family_sources;

enum { OG_SOURCE_NAME_BYTES = 32 };

typedef struct {
    og_crowd_sources given;
    char name[OG_SOURCES_MAX][OG_SOURCE_NAME_BYTES];
} og_sources_options;

extern const og_option_set og_sources_option_set;

#endif
