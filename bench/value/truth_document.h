#ifndef OG_BENCH_VALUE_TRUTH_DOCUMENT_H
#define OG_BENCH_VALUE_TRUTH_DOCUMENT_H

#include "bench/document.h"
#include "bench/value/compare.h"

/* What play comes to under a truth, into the object of who plays: "truth", null where it is not
 * known, and "truth_limit", why not. */
void og_truth_put(og_document *object, const og_compare_truth *truth);

/* The same of all who play as tables, and what is not known. */
void og_truth_show(og_document *document, const og_compare_request *request,
                   const og_comparison *found);

#endif
