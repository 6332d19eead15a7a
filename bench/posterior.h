#ifndef OG_BENCH_POSTERIOR_H
#define OG_BENCH_POSTERIOR_H

#include <stddef.h>
#include <stdint.h>

#include "dp/arm/arm.h"

/*
 * Write a posterior as an INSTANCE word, the input of `query`: "3,1", "2,1@0.3", "2,1,1". For a
 * mixture write its prior and the labels since, "0.5:1,1+0.5:5,1 after 2+ 1-"; for a node of a
 * table its name.
 */
void og_posterior_format(const og_arm *arm, uint32_t node, char *words, size_t size);

/* A group of one instance with this posterior; a mixture keeps its prior, and a node its table. */
og_group og_posterior_group(const og_arm *arm, uint32_t node);

/* Write a label given at a node: "+" and "-", the number of the class, 1 .. C, or an outcome's
 * name. */
void og_label_format(const og_arm *arm, uint32_t node, int32_t label, char *words, size_t size);

#endif
