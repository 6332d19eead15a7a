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
 * The optimum of independent instances in layers of dense tensors: the second exact engine next to
 * the recursion (dp/product/solve.h), without hashing of states and without bounds.
 *
 * With r labels left the depths of all instances add up to T - r. So layer r consists of types, the
 * multisets of depths (of each arm), and in each type every multiset of posteriors has a place in a
 * dense tensor, the block. Blocks of layer r are computed from blocks of layer r - 1, from r = 1 to
 * T; two layers are in memory, or three.
 *
 * Nodes of several actions (dp/arm/arm.h): layers count units of the budget, and an action of cost
 * c leads from layer r to r - c. So the number of layers in memory is the largest cost plus one.
 * Blocks are defined as before, by induction over r: such an action makes one instance c levels
 * deeper, so depths still add up to T - r, and units that are never spent only shorten the play.
 * FORCE is limited to classes of one action of the least cost; CONTRACT and TWO are off
 * (dp/product/layers.h).
 *
 * Which engine? The number of states of this one is known before it starts and does not depend on
 * values. og_blocks_count gives an upper bound; og_blocks_new gives the exact number, or finds that
 * there are more than states_max. Both take little time compared with the sweep. A state costs 3 to
 * 30 ns, 40 to 300 times less than in the recursion. So dp/product/optimum/ lets the recursion
 * expand up to a 160th of that number of states (less if there are few instances), on one thread.
 * Then it changes to blocks if their bytes are available; it uses blocks at once if they take only
 * a moment. The recursion is faster if bounds skip much and OG_BLOCKS_TWO does not apply: many
 * instances of few labels each, many different priors.
 *
 * Bits. With no saving but OG_BLOCKS_FOLD the values have the same bits as those of og_solver_value
 * without OG_REDUCE_FORCE. The other savings, like that reduction, use one of several optimal
 * labels, whose sums may round differently: within the error bound. The bits never depend on
 * threads, vector units or ranks.
 */

/* Exact savings, each of which is optional. */
enum {
    /* In types in which one group is labelled in every state (reduction 4), follow only that
     * group. */
    OG_BLOCKS_FORCE = 1,
    /* A posterior that is always labelled as soon as it appears has no state: its outcomes are read
     * two layers below. If this does not hold, nothing is contracted. */
    OG_BLOCKS_CONTRACT = 2,
    /* Instances of one arm are a multiset (reduction 1); if off, each has its own arm. */
    OG_BLOCKS_FOLD = 4,
    /* Like FORCE, for types in which two copies of the best arm certainly force the label
     * (dp/product/two_copies.h). */
    OG_BLOCKS_TWO = 8,
    OG_BLOCKS_ALL = 15,
    /* Not a saving: follow every first label, so that og_blocks_q gives all of them. Takes more
     * states if the first label is forced. */
    OG_BLOCKS_Q = 16,
    /* Not a saving: keep all layers, for og_blocks_value_at. Takes the bytes of their states, and 4
     * bytes for every node and number of labels left. */
    OG_BLOCKS_KEEP = 32,
    /* Not a saving: store layers in files of settings.scratch, even if they fit in memory. */
    OG_BLOCKS_FILES = 64,
};

/* Doubles; INFINITY if the number would be larger. */
typedef struct {
    double states; /* of all layers: number of computed values */
    double types;  /* of all layers; each costs about a microsecond in addition to its states */
    double layer_states; /* of the largest layer */
    double bytes;        /* for layers, types and tables; arms not counted */
    double disk_bytes;   /* for layers in files; else 0 */
    int ranks;           /* number of ranks that share them, `bytes` being the largest of any; 0:
                          * one */
    double sent_bytes;   /* sent between ranks, in all */
} og_blocks_size;

/* Cost of the blocks, in states. */
static inline double og_blocks_work(const og_blocks_size *size)
{
    return size->states + 64 * size->types;
}

/*
 * Bounds the size of the blocks with the generating function
 *
 *   states of layer r  <=  coefficient of x^(T - r) in  product over arms of [t^K] product over
 *                          depths n of (1 - t x^n)^(-classes of n in layer r),
 *
 * without enumerating types. Without FORCE and CONTRACT it is exact if every depth has a live
 * class; with them there may be far fewer states. Sets `types` to 0, and `bytes` to those of three
 * times the largest layer. Ends once the number of states exceeds `enough` (INFINITY: never); it is
 * then a lower bound of the coefficients' sum. O(T^3) for each layer, less if classes do not change
 * between layers. OG_NO_MEMORY; OG_STOPPED with a message if the tables of classes exceed the
 * memory limit.
 */
og_status og_blocks_count(const og_arms *arms, double enough, const og_settings *settings,
                          og_blocks_size *out, og_message *message);

typedef struct og_blocks og_blocks;

/*
 * Enumerates types and builds tables, all except the layers themselves. `use`: OG_BLOCKS_*. Borrows
 * `arms`. Cost: O(types * groups), some 0.1 microseconds each, and twice O(nodes) for each layer.
 *
 * These settings apply; the others have no effect here:
 * - threads: fewer if the memory limit does not hold what each needs;
 * - memory_bytes: a hard limit, arms included;
 * - scratch: the folder for layers that the limit does not hold;
 * - checkpoint: of layers in memory;
 * - watch; states_max: of og_blocks_work;
 * - world: its ranks share the layers, and the limit is that of each rank. Layers that are kept, in
 *   files, or needed for first labels are not shared. All ranks then call og_blocks_solve, for the
 *   same blocks.
 *
 * OG_BAD_INPUT for more than 64 different costs of actions. OG_STOPPED with a message as soon as
 * there is more work than states_max (*too_many is then true; may be NULL), if everything, layers
 * included, would exceed the memory limit, or if the watch stopped the work; OG_NO_MEMORY. The
 * status does not depend on threads.
 */
og_status og_blocks_new(const og_arms *arms, unsigned use, const og_settings *settings,
                        bool *too_many, og_blocks **out, og_message *message);
void og_blocks_free(og_blocks *blocks); /* NULL is fine */

/*
 * The same for the value of the policy given by `ranks` under a tie rule; the ranks are borrowed
 * and have no chooser. og_blocks_get_size and og_blocks_solve then apply to the policy's value, and
 * so does og_blocks_value_at (the policy's gain still to come) with OG_BLOCKS_KEEP and ties other
 * than OG_TIES_FIRST. These savings are exact for a policy:
 *
 *   FOLD      as above; off for OG_TIES_FIRST, where each instance is an axis, in their order.
 *   FORCE     A group is not followed if all its ranks are below one that is certainly present.
 *   CONTRACT  For ranks that do not depend on the labels left. The last label went to the largest
 *             rank of all, so a posterior with a larger rank than every posterior that leads to it
 *             is labelled at once, without ties.
 *
 * Bits. For OG_TIES_BEST, OG_TIES_WORST and OG_TIES_FIRST those of og_policy_value. For
 * OG_TIES_RANDOM tied instances are added in another order, within the error bound of either.
 */
og_status og_blocks_new_policy(const og_ranks_play *play, unsigned use, const og_settings *settings,
                               bool *too_many, og_blocks **out, og_message *message);

/* Exact. */
void og_blocks_get_size(const og_blocks *blocks, og_blocks_size *out);

/*
 * The optimum from the root, as og_solver_value: value, gain, error_bound (proved); states and
 * expanded are the values computed, forgotten is 0. OG_STOPPED with a message if the watch stopped
 * the work: *result then holds sizes and seconds only. The calling thread calls the watch about ten
 * times a second, with the share of the states that is done. A second call computes everything
 * again.
 *
 * With a checkpoint, the current layers are saved at intervals and when the watch stops the work.
 * Only whole layers are saved, and a later run goes on from them with the same bits, as for the
 * recursion. If the file cannot be written, the status is OG_OK or OG_STOPPED, with a message;
 * OG_BAD_INPUT as og_checkpoint_read_layers.
 *
 * With layers in files, it goes on from the layers that an earlier run left, and removes them at
 * the end. OG_BAD_INPUT with a message if they are damaged or the folder is missing; OG_FAILED if
 * the folder cannot be written to, the disk is full, or another process works on the same layers.
 */
og_status og_blocks_solve(og_blocks *blocks, og_result *result, og_message *message);

/*
 * After og_blocks_solve: Q of labelling an instance of each group first, q[group_count], and its
 * proved absolute error, as og_solver_q. With several actions it is Q of the best, or of losing a
 * unit if that is better. Needs OG_BLOCKS_Q and budget >= 1; else OG_BAD_INPUT.
 */
og_status og_blocks_q(const og_blocks *blocks, double *q, double *error, og_message *message);

/*
 * After og_blocks_solve with OG_BLOCKS_KEEP and OG_BLOCKS_FOLD: the gain still to come in a state,
 * as og_solver_value_at; nodes are of levels 0 .. budget - left. It covers the states to which
 * labels of live instances lead. With OG_BLOCKS_FORCE or OG_BLOCKS_TWO these are only the states to
 * which forced labels lead, and with OG_BLOCKS_CONTRACT none in which a contracted posterior waits
 * next to a better one. OG_BAD_INPUT with a message for all others; OG_NO_MEMORY.
 */
og_status og_blocks_value_at(const og_blocks *blocks, const og_state *state, double *gain,
                             og_message *message);

/* Proved relative error of every value: that of the recursion (og_solver_relative_error), with
 * OG_REDUCE_TWO if OG_BLOCKS_TWO is in use. */
double og_blocks_relative_error(const og_blocks *blocks);

#endif
