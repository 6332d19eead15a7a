#ifndef OG_DP_FAMILIES_DEADLINE_ALONE_H
#define OG_DP_FAMILIES_DEADLINE_ALONE_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/families/deadline.h"
#include "dp/product/layers.h"

/*
 * One instance alone if labels have a deadline (dp/families/deadline.h): the graph of all its
 * states, when each worker that arrives is taken or not. Indices and bounds that price labels are
 * computed on it. A worker that is not taken is one of the T, since another instance gets the
 * worker; with turn_away the worker may also be sent away and not count.
 *
 * States are numbered so that every way leads to a smaller number. Nodes are merged
 * (OG_REDUCE_MERGE), so mirror images are one state.
 */
typedef struct {
    double chance; /* > 0; 1 if a worker has arrived */
    uint32_t to;   /* OG_ALONE_END: nothing can be gained any more */
} og_alone_way;

typedef struct {
    bool worker; /* a worker has arrived: the ways are taken, not taken, and with turn_away sent
                  * away; else chance events */
    uint16_t slots, come; /* if a worker has arrived: as in og_deadline_state */
    int32_t left;
    uint32_t first, end; /* of the ways */
    double reward; /* R of a label that arrives here, times its probability; not for workers */
} og_alone_state;

#define OG_ALONE_END UINT32_MAX

typedef struct {
    og_arena arena;
    const og_arm *arm;    /* borrowed */
    og_deadline deadline; /* counted_away */
    uint32_t count;
    og_alone_state *state; /* [count] */
    og_alone_way *way;
    uint32_t root;
    uint32_t way_count;
    size_t state_room, way_room;
    og_classes *classes;
    struct og_alone_table *table; /* private: states by their keys */
    uint64_t bytes;
} og_deadline_alone;

/* The arm's depth is the number of labels in time. OG_NO_MEMORY with a message if the graph exceeds
 * memory_bytes; OG_STOPPED, also if `stop` ends the work, or OG_BAD_INPUT as og_deadline_model.
 * Some hundred bytes for each state. */
og_status og_deadline_alone_new(const og_arm *arm, const og_deadline *deadline,
                                uint64_t memory_bytes, og_stop *stop, og_deadline_alone **out,
                                og_message *message);
void og_deadline_alone_free(og_deadline_alone *alone); /* NULL is fine */

/* The state at which a worker has arrived, with the data of og_deadline_state, for an instance with
 * this `node` and `under_way`. OG_ALONE_END if the instance can gain nothing. */
uint32_t og_deadline_alone_at(const og_deadline_alone *alone, uint32_t node, uint32_t under_way,
                              const og_deadline_state *now);

#endif
