#ifndef OG_BENCH_FIND_FIND_DOCUMENT_H
#define OG_BENCH_FIND_FIND_DOCUMENT_H

#include "bench/document.h"
#include "bench/find/find.h"

/*
 * What a search found. "search": {"policy", "against" (null: the optimum), "ties", "claim",
 * "worst", "instances", "budget", "parameter", "thresholds", "problems" (of the grid), "settled",
 * "complete", "limit", "tolerance"}; "found", null where there is nothing against the claim:
 * {"text", "budget", "number", "smaller" (problems of smaller classes), "loss", "loss_exact"}.
 * Where the search is complete and has found something, as compare has them: "problem", "optimal"
 * and "policies" with "explain". The caller's to free.
 */
og_document *og_find_describe(const og_find_request *request, const og_found_problem *found);

#endif
