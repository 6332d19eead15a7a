#ifndef OG_TESTS_INDEPENDENT_H
#define OG_TESTS_INDEPENDENT_H

#include "bench/value/compare.h"
#include "dp/prior/problem.h"

/* og_compare of independent instances: the request's family is theirs. */
og_status compare_independent(const og_problem *problem, og_compare_request *request,
                              og_comparison *out, og_message *message);

#endif
