#ifndef OG_BENCH_VALUE_TRUTH_DOCUMENT_H
#define OG_BENCH_VALUE_TRUTH_DOCUMENT_H

#include "bench/document.h"
#include "bench/value/compare.h"

/*
 * What play comes to under a truth, or with a wrong belief, into the object of who plays, a row or
 * (NULL) the optimum: "truth" or "believed", null where it is not known, and "truth_limit" or
 * "believed_limit", why not. A wrong belief has a price, what the value is more.
 */
void og_truth_put(og_document *object, const og_compare_request *request,
                  const og_comparison *found, const og_compare_row *row);

/* The same of all who play as tables, and what is not known. */
void og_truth_show(og_document *document, const og_compare_request *request,
                   const og_comparison *found);

/* Of a grid of truths: the array "truths" and a table of it, which go together. */
void og_truth_grid_put(og_document *document, const og_compare_request *request,
                       const og_comparison *found);
void og_truth_grid_show(og_document *document, const og_compare_request *request,
                        const og_comparison *found, const og_document *truths);

#endif
