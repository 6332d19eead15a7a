#ifndef OG_DP_FAMILIES_DEADLINE_ALONE_H
#define OG_DP_FAMILIES_DEADLINE_ALONE_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/families/deadline.h"
#include "dp/product/layers.h"

/*
 * One instance on its own where labels have a deadline (dp/families/deadline.h): all states it can
 * come to if each worker who comes is taken or not, as a graph. It is what indices and bounds that
 * price labels are computed on. A worker who is not taken is one of the T, since another instance
 * has him; with turn_away he may also be none of them, as nobody has him then.
 *
 * States are numbered so that every way leads to a smaller number. Nodes are merged
 * (OG_REDUCE_MERGE), so that mirror images are one state.
 */
typedef struct {
    double chance; /* > 0; 1 where a worker has come */
    uint32_t to;   /* OG_ALONE_END: nothing can be earned any more */
} og_alone_way;

typedef struct {
    bool worker; /* one has come: the ways are taken, not taken, and with turn_away sent away;
                    else chances */
    uint16_t slots, come; /* of a worker: as in og_deadline_state */
    int32_t left;
    uint32_t first, end; /* of the ways */
    double reward;       /* R of a label that arrives here, times its chance; not of workers */
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

/* The labels in time are the arm's depth. OG_NO_MEMORY with a message if it passes memory_bytes;
 * OG_STOPPED, also where `stop` says so, or OG_BAD_INPUT as og_deadline_model. Some hundred bytes
 * for each state. */
og_status og_deadline_alone_new(const og_arm *arm, const og_deadline *deadline,
                                uint64_t memory_bytes, og_stop *stop, og_deadline_alone **out,
                                og_message *message);
void og_deadline_alone_free(og_deadline_alone *alone); /* NULL is fine */

/* The state at which a worker has come, all being as og_deadline_state tells it, which is one of
 * this instance: `node`, `under_way`. OG_ALONE_END where the instance can earn nothing. */
uint32_t og_deadline_alone_at(const og_deadline_alone *alone, uint32_t node, uint32_t under_way,
                              const og_deadline_state *now);

#endif
