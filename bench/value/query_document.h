#ifndef OG_BENCH_VALUE_QUERY_DOCUMENT_H
#define OG_BENCH_VALUE_QUERY_DOCUMENT_H

#include "bench/document.h"
#include "bench/value/query.h"

/* What og_query_run found for a request, as a document: what can be done, and what policies would
 * do.
 */
og_document *og_query_describe(const og_query_request *request, const og_query_result *found);

#endif
