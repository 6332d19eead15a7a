#ifndef OG_DP_EXPORT_EXPORT_H
#define OG_DP_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/product/optimum/query_cache.h"
#include "dp/product/solve.h"

/*
 * Writes optimal play to a file (dp/export/policy_file.h): follows it from the root, state by
 * state, with a choice for every state that it can reach.
 *
 * In every state it considers the actions that are not proved worse than another: Q + e(Q) >= Q' -
 * e(Q') for all others, e(Q) the proved error of Q. Equal posteriors and mirror images have the
 * same value. If others remain, fractions decide which are truly optimal, provided that all arms
 * are rational and within OG_SETTLE_STATES states and half of memory_bytes (dp/exact/near_tie.h);
 * beyond that the choice is marked as a near tie. So is one between actions whose ends of a margin
 * cut overlap.
 *
 * One action: the first of the optimal ones; of a near tie the first whose computed value is the
 * state's, in an order that depends only on the problem. So the file is the same for any number of
 * threads and whatever values were forgotten, except for near ties that a larger memory_bytes would
 * settle. With kept layers it has the same states and choices, except for near ties, and the same
 * value. A computed value is within its proved error of the true one, so the choice in a near tie
 * loses at most twice that; the others lose nothing.
 *
 * All actions (`all`): all of the optimal ones, or of the near tie. This evaluates every action of
 * every state: refused above OG_EXPORT_ALL_STATES states.
 */
enum { OG_EXPORT_ALL_STATES = 200000 };

typedef struct {
    const char *path;
    bool all;
    const og_query_cache *kept; /* layers that replace the solver's values, for the same arms;
                                 * borrowed; may be NULL */
    uint64_t memory_bytes; /* hard limit of the memory for following the play, in addition to the
                            * solver's own tables: posteriors' classes and the states of two numbers
                            * of labels left; 0: a quarter of the solver's limit */
    uint64_t states_max;   /* stop above so many states; 0: no limit with one action,
                            * OG_EXPORT_ALL_STATES with all of them (the maximum) */
} og_export_request;

typedef struct {
    uint64_t states;    /* in the file */
    uint64_t near_ties; /* states with a near tie */
    uint64_t file_bytes;
} og_export_info;

/*
 * Makes sure that the file can be written, then evaluates the root if necessary; *result is that of
 * the root (NULL: not wanted). The solver must be for the optimum. OG_STOPPED with a message when a
 * limit is reached or the solver's watch stops the work; OG_BAD_INPUT, OG_NO_MEMORY, OG_FAILED with
 * a message: then no file is left behind, and an existing one is unchanged. Time: for one action,
 * little more than the solver's, multiplied by the ratio of states of posteriors to states of
 * classes.
 */
og_status og_export_policy(og_solver *solver, const og_export_request *request, og_result *result,
                           og_export_info *info, og_message *message);

#endif
