#ifndef OG_BENCH_VALUE_EXPLAIN_DOCUMENT_H
#define OG_BENCH_VALUE_EXPLAIN_DOCUMENT_H

#include "bench/document.h"
#include "bench/value/explain.h"

/* Why a policy loses. */

/*
 * "explain": {"total", "error_bound", "states", "stages": [{"left", "loss"}], "decisions":
 * [{"left", "probability", "loss", "contribution", "state": [...]}]}. A row of a state is what
 * could be done there: of independent instances a group with its "posterior" (a mixture: its
 * "prior") and "labels", else an act's "text", of the state in "words"; then "chosen", "q",
 * "optimal".
 */
void og_explanation_put(og_document *parent, const og_family *family, const void *problem,
                        const og_explanation *explanation);

/* The losses by labels left as a bar chart, and the costliest decisions as a table; `name` is what
 * the policy is called, `explain` that object. */
void og_explanation_show(og_document *document, const char *name, const og_explanation *explanation,
                         const og_document *explain);

/* What the words of these tables mean: a paragraph behind the last of them. */
void og_explanations_end(og_document *document);

#endif
