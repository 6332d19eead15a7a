#ifndef OG_BENCH_RECORDED_STANDING_H
#define OG_BENCH_RECORDED_STANDING_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/recorded/free_workers.h"
#include "bench/recorded/labels.h"
#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/* What is known about the tasks in addition to their labels, and which labels can be bought; all
 * borrowed. */
typedef struct {
    const og_group *prior; /* [prior_count] each the prior of one task */
    int32_t prior_count;
    const int32_t *prior_of; /* [task_count] 0 .. prior_count - 1; NULL: all 0 */
    const int32_t *room;     /* [task_count] most labels that a task can still get, >= 0; NULL: any
                                number */
    int32_t budget;          /* labels left, >= 0; at most what the workers can give */
    double price;            /* of a label, in units of the worth of calls; 0: free */
    const og_free_workers *workers; /* who can give labels; NULL: anybody. `room` has theirs */
} og_task_terms;

/*
 * The state of tasks after recorded labels. Tasks with the same prior, labels and room are at one
 * place. All places of a prior are nodes of its arm, whose depth is the most labels of a task plus
 * `ahead`. If it needs fewer posteriors, each place is instead the root of a separate arm of depth
 * `ahead`.
 */
typedef struct {
    int32_t arm;
    uint32_t node; /* in that arm */
    uint32_t tasks;
    int32_t prior;                  /* of og_task_terms */
    int32_t counts[OG_CLASSES_MAX]; /* labels by outcome */
    int32_t steps;                  /* most labels that the search gives a task, 0 .. ahead */
    bool capped;                    /* the room of the tasks, and not the budget, limits `steps` */
    bool beyond;                    /* the tasks can get more labels than `steps` */
} og_spot;

typedef struct {
    const og_labels *labels; /* borrowed */
    og_task_terms terms;
    og_arms *arms;
    uint32_t task_count, place_count;
    uint32_t *place_of; /* [task_count] */
    og_spot *place;     /* [place_count] sorted by prior, number of labels, counts and room */
    uint32_t open;      /* tasks that can get a label */
    int32_t ahead;
} og_standing;

enum { OG_AHEAD_MAX = 200 };

/*
 * Set up the state, looking as many labels ahead as the budget and the room of the tasks can use:
 * all of it up to OG_AHEAD_MAX; fewer with classes, so that all arms together have at most some
 * 30000 nodes, and with several priors, a million (but at least 1 label ahead if a task has room).
 * OG_BAD_INPUT with a message if a prior has a different number of classes, or too few labels fit
 * (dp/arm/arm.h); OG_NO_MEMORY; OG_STOPPED if settings->watch stops it. Clear it whatever is
 * returned.
 */
og_status og_standing_init(const og_labels *labels, const og_task_terms *terms,
                           const og_settings *settings, og_standing *out, og_message *message);
void og_standing_clear(og_standing *standing); /* may be zeroed */

/* Each place as the root of an arm of its own, of this depth, at most `ahead`:
 * out->arm_of_group[place]. They copy the tables of the state's arms, which they borrow; their
 * calls are unknown. OG_NO_MEMORY. */
og_status og_standing_roots(const og_standing *standing, int32_t depth, og_arms **out);

/* The nodes of such arms, before equal ones are joined. */
double og_standing_root_nodes(const og_standing *standing, int32_t depth);

/* Refuses arms of a table of payoffs that a label can lower, on which no bound is proved here.
 * OG_BAD_INPUT with a message. */
og_status og_standing_check_payoffs(const og_arms *arms, og_message *message);

/* The current call of each task (og_arm_called), and the probability that it is right, or with a
 * payoff its expected worth (to some 1e-13), both [task_count]. OG_NO_MEMORY or OG_FAILED. */
og_status og_standing_calls(const og_standing *standing, int32_t *called, double *worth);

/* The same for each node of an arm: right[node_count] is the probability that its call is right, or
 * the expected worth of the call. */
og_status og_standing_rights(const og_arm *arm, double *right);

/* The number of the place's node among the nodes of all arms. */
static inline uint32_t og_standing_node(const og_standing *standing, size_t place)
{
    return standing->arms->node_offset[standing->place[place].arm] + standing->place[place].node;
}

#endif
