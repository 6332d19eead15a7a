#ifndef OG_DP_PRODUCT_BLOCKS_BLOCKS_H
#define OG_DP_PRODUCT_BLOCKS_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/product/policy.h"
#include "dp/product/state.h"

/*
 * The optimum of independent instances by layers of dense tensors: the second exact engine beside
 * the recursion (dp/product/solve.h), without hashing of states and without bounds.
 *
 * With r labels left the depths of all instances add up to T - r. So layer r falls apart into
 * types, the multisets of depths (of each arm), and in each type every multiset of posteriors has
 * its place in a dense tensor, the block. Blocks of layer r come from blocks of layer r - 1, from
 * r = 1 to T; two layers are held, or three.
 *
 * Nodes of several actions (dp/arm/arm.h): layers count units of the budget, and an action of cost
 * c leads from layer r to r - c, so that as many layers are held as the largest cost, and one more.
 * What blocks are holds as it is, by induction over r: such an action makes one instance c levels
 * deeper, so depths still add up to T - r, and units that are never spent only shorten the play.
 * FORCE holds for classes of one action of the least cost alone, CONTRACT and TWO are left out
 * (dp/product/layers.h).
 *
 * Which engine? How many states this one takes is known before it starts and does not depend on
 * values: og_blocks_count says how many at most, og_blocks_new how many exactly, or that there are
 * more than states_max; both take a moment beside the sweep. A state costs 3 to 30 ns, 40 to
 * 300 times less than the recursion's. So dp/product/optimum/ lets the recursion expand up to a
 * 160th of them (less of few instances), on one thread, then takes blocks if their bytes are there,
 * and blocks at once where they take but a moment. The recursion is ahead where bounds bite and
 * OG_BLOCKS_TWO does not: many instances of few labels each, many different priors.
 *
 * Bits. With no saving but OG_BLOCKS_FOLD they are those of og_solver_value without
 * OG_REDUCE_FORCE. The other savings, like that reduction, take one of several optimal labels,
 * whose sums may round differently: within the error bound. They never depend on threads, vector
 * units or ranks.
 */

/* Exact savings, each of which can be left out. */
enum {
    /* Types in which one group is labelled in every state (reduction 4) follow that group alone. */
    OG_BLOCKS_FORCE = 1,
    /* A posterior that is always labelled as soon as it appears has no state: what it leads to is
     * read two layers below. Where this does not hold, nothing is contracted. */
    OG_BLOCKS_CONTRACT = 2,
    /* Instances of one arm are a multiset (reduction 1); off: each is an arm of its own. */
    OG_BLOCKS_FOLD = 4,
    /* Like FORCE, in types in which two copies of the best arm are certain to force the label
     * (dp/product/two.h). */
    OG_BLOCKS_TWO = 8,
    OG_BLOCKS_ALL = 15,
    /* Not a saving: follow every first label, so that og_blocks_q knows all of them. Takes more
     * states where the first label is forced. */
    OG_BLOCKS_Q = 16,
    /* Not a saving: keep all layers, for og_blocks_value_at. Takes their states' bytes, and 4 bytes
     * for every node and number of labels left. */
    OG_BLOCKS_KEEP = 32,
    /* Not a saving: layers go into files of settings.scratch, whatever memory holds. */
    OG_BLOCKS_FILES = 64,
};

/* Doubles, INFINITY where they would be larger. */
typedef struct {
    double states;       /* of all layers: values computed */
    double types;        /* of all layers; each costs about a microsecond beside its states */
    double layer_states; /* of the largest layer */
    double bytes;        /* for layers, types and tables; arms not counted */
    double disk_bytes;   /* of layers, where they are in files; else 0 */
    int ranks;           /* that share them, `bytes` being the most of any; 0: one */
    double sent_bytes;   /* between them, in all */
} og_blocks_size;

/* What they cost, in states. */
static inline double og_blocks_work(const og_blocks_size *size)
{
    return size->states + 64 * size->types;
}

/*
 * How large blocks would be at most: from the generating function
 *
 *   states of layer r  <=  coefficient of x^(T - r) in  product over arms of [t^K] product over
 *                          depths n of (1 - t x^n)^(-classes of n in layer r),
 *
 * without enumerating types. Without FORCE and CONTRACT it is exact where every depth has a live
 * class; with them there may be far fewer. types is 0, bytes are those of three of the largest
 * layer. Ends once states pass `enough` (INFINITY: never); they are then a lower bound of the
 * coefficients' sum. O(T^3) for each layer, less where classes do not change between layers.
 * OG_NO_MEMORY; OG_STOPPED with a message if the tables of classes pass the memory limit.
 */
og_status og_blocks_count(const og_arms *arms, double enough, const og_settings *settings,
                          og_blocks_size *out, og_message *message);

typedef struct og_blocks og_blocks;

/*
 * Enumerate types and make tables, all but the layers themselves. `use`: OG_BLOCKS_*. Borrows
 * `arms`. Of the settings: threads (fewer where the memory limit does not hold what each needs),
 * memory_bytes (a hard limit, arms included), scratch (layers go into files there where the limit
 * does not hold them), checkpoint (of layers in memory), watch, states_max (of og_blocks_work),
 * world (its ranks share the layers, the limit being that of each, but for those that are kept, in
 * files or of first labels; then og_blocks_solve is called by all ranks, for the same blocks); the
 * others say nothing here. OG_BAD_INPUT for more than 64 different costs of actions. OG_STOPPED
 * with a message as soon as there is more work than states_max, which *too_many says (NULL: nobody
 * asks), where all of it, layers included, would pass the memory limit, or if the watch said so;
 * OG_NO_MEMORY. Which of them does not depend on threads. Cost: O(types * groups), some 0.1
 * microseconds each, and twice O(nodes) for each layer.
 */
og_status og_blocks_new(const og_arms *arms, unsigned use, const og_settings *settings,
                        bool *too_many, og_blocks **out, og_message *message);
void og_blocks_free(og_blocks *blocks); /* NULL is fine */

/*
 * The same for the value of the policy given by `ranks`, which are borrowed and have no chooser,
 * under a tie rule; og_blocks_get_size, og_blocks_solve and, with OG_BLOCKS_KEEP and ties that are
 * not OG_TIES_FIRST, og_blocks_value_at go on from there: what the policy still gains. Of the
 * savings, all
 * exact for a policy:
 *
 *   FOLD      as above; left out for OG_TIES_FIRST, where each instance is an axis, in their order.
 *   FORCE     A group whose every rank is below one that is surely there is not followed.
 *   CONTRACT  Ranks that do not depend on the labels left: a label was given to the largest rank
 *             of all, so a posterior of a larger one than every posterior that leads to it is
 *             labelled at once, and alone.
 *
 * Bits. For OG_TIES_BEST, OG_TIES_WORST and OG_TIES_FIRST those of og_policy_value. For
 * OG_TIES_RANDOM tied instances are added in another order, within the error bound of either.
 */
og_status og_blocks_new_policy(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                               unsigned use, const og_settings *settings, bool *too_many,
                               og_blocks **out, og_message *message);

/* Exact. */
void og_blocks_get_size(const og_blocks *blocks, og_blocks_size *out);

/* Was anything contracted? */
bool og_blocks_contract(const og_blocks *blocks);

/*
 * The optimum from the root, as og_solver_value: value, gain, error_bound (proved); states and
 * expanded are the values computed, forgotten is 0. OG_STOPPED with a message if the watch said so:
 * *result then holds sizes and seconds only. The watch is called about ten times a second by the
 * calling thread, with the share of the states that is done. May be called again: all is computed
 * again.
 *
 * With a checkpoint the layers at hand are saved at intervals and when the watch ends the work, as
 * whole ones, and it goes on from those that an earlier run saved: the same bits, as for the
 * recursion. A file that cannot be written to is told with OG_OK or OG_STOPPED; OG_BAD_INPUT as
 * og_checkpoint_read_layers.
 *
 * With layers in files it goes on from what an earlier run left of the same ones, and removes them
 * in the end; OG_BAD_INPUT with a message if they are damaged or the folder is not there; OG_FAILED
 * if it cannot be written to, the disk is full, or another process is at the same layers.
 */
og_status og_blocks_solve(og_blocks *blocks, og_result *result, og_message *message);

/*
 * After og_blocks_solve: Q of labelling an instance of each group first, q[group_count], and its
 * proved absolute error, as og_solver_q: of several actions that of the best, or of losing a unit
 * where that is better. Needs OG_BLOCKS_Q and budget >= 1: else OG_BAD_INPUT.
 */
og_status og_blocks_q(const og_blocks *blocks, double *q, double *error, og_message *message);

/*
 * After og_blocks_solve with OG_BLOCKS_KEEP and OG_BLOCKS_FOLD: what is still to be gained in a
 * state, as og_solver_value_at; nodes are of levels 0 .. budget - left. Known are the states that
 * labels of live instances lead to; with OG_BLOCKS_FORCE or OG_BLOCKS_TWO those only that forced
 * labels lead to, and with OG_BLOCKS_CONTRACT none in which a contracted posterior waits beside a
 * better one. OG_BAD_INPUT with a message for all others; OG_NO_MEMORY.
 */
og_status og_blocks_value_at(const og_blocks *blocks, const og_state *state, double *gain,
                             og_message *message);

/* Proved relative error of every value: that of the recursion (og_solver_relative_error), with
 * OG_REDUCE_TWO if OG_BLOCKS_TWO is in use. */
double og_blocks_relative_error(const og_blocks *blocks);

#endif
