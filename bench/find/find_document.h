#ifndef OG_BENCH_FIND_FIND_DOCUMENT_H
#define OG_BENCH_FIND_FIND_DOCUMENT_H

#include "bench/document.h"
#include "bench/find/find.h"

/*
 * Writes the results of a search. "search": {"policy", "against" (null: the optimum), "ties",
 * "claim", "worst", "instances", "budget", "parameter", "thresholds", "problems" (of the grid),
 * "settled", "complete", "limit", "tolerance"}; "found", null if there is no counterexample:
 * {"text", "budget", "number", "smaller" (problems of smaller classes), "loss", "loss_exact"}. If
 * the search is complete and has an answer, also "problem", "optimal" and "policies" with
 * "explain", as in compare. The caller frees the document.
 */
og_document *og_find_describe(const og_asked *asked, const og_find_scope *scope,
                              const og_found_problem *found);

#endif
