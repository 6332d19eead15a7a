#ifndef OG_BENCH_QUESTIONS_COMPARE_DOCUMENT_H
#define OG_BENCH_QUESTIONS_COMPARE_DOCUMENT_H

#include "bench/document.h"
#include "bench/questions/compare.h"

/* The results of og_compare_run as a document: each policy compared with the optimum, or with its
 * proved bounds. */
og_document *og_comparison_describe(const og_asked *asked, const og_comparison *found);

#endif
