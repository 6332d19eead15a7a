#ifndef OG_BENCH_QUESTIONS_EXPLAIN_DOCUMENT_H
#define OG_BENCH_QUESTIONS_EXPLAIN_DOCUMENT_H

#include "bench/document.h"
#include "bench/questions/explain.h"

/* Explanations of a policy's losses, as parts of a document. */

/*
 * "explain": {"total", "calls" (what its own final calls lose more; NAN: it makes none),
 * "error_bound", "states", "stages": [{"left", "loss"}], "decisions":
 * [{"left", "probability", "loss", "contribution", "state": [...]}]}. A row of "state" is an act:
 * for independent instances a group with its "posterior" (a mixture: its "prior") and "labels",
 * else the act's "text", and the state's text is in "words". Then follow "chosen", "q", "optimal".
 */
void og_explanation_put(og_document *parent, const og_family *family, const void *problem,
                        const og_explanation *explanation, double calls);

/* The losses by labels left as a bar chart, and the costliest decisions as a table; `name` is the
 * name of the policy, `explain` that object. */
void og_explanation_show(og_document *document, const char *name, const og_metric *metric,
                         const og_explanation *explanation, const og_document *explain);

/* A paragraph after the last of these tables that explains their terms; `calls`: a policy makes its
 * own final calls. */
void og_explanations_end(og_document *document, const og_metric *metric, bool calls);

#endif
