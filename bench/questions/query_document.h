#ifndef OG_BENCH_QUESTIONS_QUERY_DOCUMENT_H
#define OG_BENCH_QUESTIONS_QUERY_DOCUMENT_H

#include "bench/document.h"
#include "bench/questions/query.h"

/* The results of og_query_run as a document: the acts, and the choices of policies. */
og_document *og_query_describe(const og_asked *asked, const og_query_result *found);

#endif
