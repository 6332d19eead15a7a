#ifndef OG_TOOLS_SHOW_EXPLAINED_H
#define OG_TOOLS_SHOW_EXPLAINED_H

#include <jansson.h>

#include "bench/value/explain.h"
#include "dp/prior/problem.h"

/* Why a policy loses, for people and as JSON. */

/* The losses by labels left as a bar chart, and the costliest decisions as a table; `name` is what
 * the policy is called. */
void explanation_print(const og_problem *problem, const char *name,
                       const og_explanation *explanation);

/*
 * {"total", "error_bound", "states", "stages": [{"left", "loss"}], "decisions": [{"left",
 * "probability", "loss", "contribution", "state": [...]}]}; a group of a state is an instance with
 * its "posterior" (a mixture: its "prior"), and "labels", "chosen", "q", "optimal".
 */
json_t *explanation_json(const og_problem *problem, const og_explanation *explanation);

#endif
