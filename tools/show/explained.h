#ifndef OG_TOOLS_SHOW_EXPLAINED_H
#define OG_TOOLS_SHOW_EXPLAINED_H

#include "bench/document.h"
#include "bench/value/explain.h"
#include "dp/prior/problem.h"

/* Why a policy loses. */

/*
 * "explain": {"total", "error_bound", "states", "stages": [{"left", "loss"}], "decisions":
 * [{"left", "probability", "loss", "contribution", "state": [...]}]}; a group of a state is an
 * instance with its "posterior" (a mixture: its "prior"), and "labels", "chosen", "q", "optimal".
 */
void explanation_put(og_document *parent, const og_problem *problem,
                     const og_explanation *explanation);

/* The losses by labels left as a bar chart, and the costliest decisions as a table; `name` is what
 * the policy is called, `explain` that object. */
void explanation_show(og_document *document, const char *name, const og_explanation *explanation,
                      const og_document *explain);

#endif
