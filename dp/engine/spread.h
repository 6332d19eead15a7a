#ifndef OG_DP_ENGINE_SPREAD_H
#define OG_DP_ENGINE_SPREAD_H

#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/world.h"
#include "dp/engine/model.h"
#include "dp/engine/settings.h"

/*
 * The value of a state by all ranks of a world: the same bits as og_engine_value's, for any number
 * of ranks and threads.
 *
 * Every state has an owner by the hash of its key. Forward, layer by layer, each rank expands its
 * own states and sends the keys of their successors to the owners, who keep each once and remember
 * who asked for what. Backward the values go to those who asked, in the order of the keys. No bound
 * prunes: all actions of all states that can be reached are valued. (Prior art: the distributed
 * generation of states of LTSmin, Blom, van de Pol and Weber, "LTSmin: distributed and symbolic
 * reachability", CAV 2010.)
 *
 * A layer is what the model calls a stage. Where it knows none it is a number of steps from the
 * root, and a state that is met after different numbers of steps is there as often: that is more
 * work, and the same value.
 */
typedef struct {
    const og_world *world;
    int threads;
    uint64_t memory_bytes; /* most that this rank may hold */
    uint64_t fixed_bytes;  /* what it holds beside that, for whoever watches */
    uint64_t states_max;   /* of all ranks, looked at after each layer; 0: no limit */
    og_watch *watch;       /* NULL: nobody */
    void *user;
} og_spread_use;

typedef struct {
    uint64_t states;     /* of all ranks */
    uint64_t expanded;   /* twice that when all is done */
    uint64_t looked_up;  /* successors */
    uint64_t bytes_max;  /* most held by any rank at any time */
    uint64_t sent_bytes; /* between all ranks */
} og_spread_info;

/*
 * All ranks call it with the same model and key, and are answered alike. *info is filled with
 * OG_OK and OG_STOPPED, which has a message: a limit of some rank was reached, or its watch said
 * so. OG_NO_MEMORY; what the model's expand failed with on some rank; OG_BAD_INPUT with a message:
 * the ranks do not ask for the same.
 */
og_status og_spread_value(const og_model *model, const og_spread_use *use, const uint64_t *key,
                          int32_t words, double *value, og_spread_info *info, og_message *message);

#endif
