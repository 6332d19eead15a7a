#ifndef OG_DP_EXPORT_EXPORT_H
#define OG_DP_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/product/optimum/kept.h"
#include "dp/product/solve.h"

/*
 * Optimal play, written to a file (dp/export/policy_file.h): followed from the root, state by
 * state, with a choice for every state that it can reach.
 *
 * Of every state, the actions that are not proved worse than another are looked at: Q + e(Q) >= Q'
 * - e(Q') for all others, e(Q) the proved error of Q. Equal posteriors and mirror images are worth
 * the same. Where others remain, fractions say which are truly optimal if all arms are rational and
 * as long as OG_SETTLE_STATES of their states and a half of memory_bytes last (dp/exact/settle.h);
 * where they do not, the choice is marked as a near tie.
 *
 * One action: the first of the optimal ones; of a near tie the first whose computed value is the
 * state's, in an order of the problem's own. So the file is the same for any number of threads and
 * whatever the memory has forgotten, but for near ties that a larger memory_bytes would settle.
 * With layers that are kept it has the same states and choices, but for near ties, and their value.
 * A computed value is within the proved error of the true one, so the choice of a near tie loses at
 * most twice that; the others lose nothing.
 *
 * All actions (`all`): all of the optimal ones, or of the near tie. Every action of every state is
 * valued for that: refused past OG_EXPORT_ALL_STATES states.
 */
enum { OG_EXPORT_ALL_STATES = 200000 };

typedef struct {
    const char *path;
    bool all;
    const og_kept *kept;   /* layers that value states in the solver's place, of the same arms;
                              borrowed; NULL: there are none */
    uint64_t memory_bytes; /* hard limit for what following the play holds, beside the solver's own
                              tables: posteriors' classes and the states of two numbers of labels
                              left; 0: a quarter of the solver's limit */
    uint64_t states_max; /* stop past so many states; 0: none with one action, OG_EXPORT_ALL_STATES
                            with all of them (no more is possible) */
} og_export_request;

typedef struct {
    uint64_t states;    /* in the file */
    uint64_t near_ties; /* of them, with a near tie */
    uint64_t file_bytes;
} og_export_info;

/*
 * Makes sure that the file can be written, then values the root, if it is not yet known; *result is
 * its (NULL: not wanted). The solver must
 * be one for the optimum. OG_STOPPED with a message when a limit is reached, the solver's watch
 * included; OG_BAD_INPUT, OG_NO_MEMORY, OG_FAILED with a message: then no file is left behind, and
 * one that was there is as it was. Time: for one action, little more than what the
 * solver took, times what the states of posteriors are more than those of classes.
 */
og_status og_export_policy(og_solver *solver, const og_export_request *request, og_result *result,
                           og_export_info *info, og_message *message);

#endif
