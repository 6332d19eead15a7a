#ifndef OG_BENCH_VALUE_COMPARE_DOCUMENT_H
#define OG_BENCH_VALUE_COMPARE_DOCUMENT_H

#include "bench/document.h"
#include "bench/value/compare.h"

/* What og_compare_run found for a request, as a document: each policy beside the optimum, or beside
 * what is proved of it. */
og_document *og_comparison_describe(const og_compare_request *request, const og_comparison *found);

#endif
