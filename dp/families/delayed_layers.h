#ifndef OG_DP_FAMILIES_DELAYED_LAYERS_H
#define OG_DP_FAMILIES_DELAYED_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"

struct og_strategy; /* dp/engine/strategy.h */

/*
 * Classes of instances with workers at work: the data of one instance for the model of labels that
 * take time (dp/families/delayed.h).
 *
 * An instance is (x, w): its arm's node and the workers at work on it. With m workers still to come
 * it can be given one more, which gains D(x, w), the expected gain of the label after the w that
 * are under way:
 *
 *   D(x, 0) = R(x),   D(x, w) = sum_k p_k(x) D(next_k(x), w - 1),
 *
 * or one of the w ends, at the rate w p_k(x) with outcome k. Two instances are equivalent with m to
 * come if four conditions hold: they gain the same; they are equivalent with m - 1 to come, given
 * one more or not; they have the same index of the policy; and they leave for each other class at
 * the same rate. A Markov process may be lumped in this way, whatever happens within a class. With
 * none to come all are equivalent.
 */
typedef struct {
    double reward;       /* D */
    double index;        /* of the policy; 0 if there is none */
    double rate_total;   /* of all ways */
    uint32_t given;      /* class in the layer below after it gets a worker */
    uint32_t down;       /* and if another one gets the worker */
    uint32_t first, end; /* its ways to other classes: first .. end - 1 */
    bool alive;          /* true if it can ever gain anything */
} og_delayed_row;

/* A transition to another class of the same layer. */
typedef struct {
    uint32_t to;
    double rate; /* > 0; in labels a unit of time, if each worker ends one in it */
} og_delayed_way;

typedef struct {
    uint32_t class_count;
    og_delayed_row *row; /* [class_count] */
    og_delayed_way *way;
} og_delayed_layer;

typedef struct {
    og_arena arena;      /* except for the arrays of the layers, which grow */
    int32_t workers;     /* U */
    int32_t *most;       /* [arm_count] most labels of an instance, including those under way */
    int32_t outcome_max; /* largest number of classes to which one leads */
    bool dead_first;     /* class 0 of every layer is for instances that can never gain anything */
    og_delayed_layer *layer; /* [U + 1] by number of workers still to come */
    uint32_t *root;          /* [arm_count] class of an arm's node 0 without workers at work, layer
                              * U */
    uint32_t **class;        /* private: see og_delayed_class */
    uint64_t bytes;
} og_delayed_layers;

/* The class of an instance with `left` workers to come, if classes are kept; level of the node +
 * at_work <= min(U - left, most). O(at_work). */
uint32_t og_delayed_class(const og_delayed_layers *layers, const og_arms *arms, int32_t arm,
                          uint32_t node, int32_t at_work, int32_t left);

/* The inverse, if classes are not merged, for left >= 1. O(arms U). */
typedef struct {
    int32_t arm;
    uint32_t node;
    int32_t at_work;
} og_delayed_instance;
og_delayed_instance og_delayed_instance_of(const og_delayed_layers *layers, const og_arms *arms,
                                           uint32_t class, int32_t left);

/* Options for building the classes of instances. */
typedef struct {
    /* An index of each instance alone (dp/families/delayed.h); NULL: none. */
    const struct og_strategy *by;
    bool merge; /* false: while workers are to come, a class has only instances of one arm and node
                 */
    bool keep;  /* keep the class of every instance: 4 bytes for each */
    /* As og_delay.most: an instance with as many labels cannot be given a worker, so D is 0 and the
     * classes below are the same. NULL: U. Not without merge. */
    const int32_t *most;
    uint64_t memory_bytes;
    og_stop *stop; /* may be NULL */
} og_delayed_layers_use;

/*
 * dead_first is set for merge without a policy. U is the arms' budget; arms are at least `most`
 * deep. Takes O(arms U most^3) steps, and memory for the classes and O(arms most^3) more.
 * OG_NO_MEMORY with a message if they exceed memory_bytes, OG_STOPPED with one if `stop` ends the
 * work; any error of the policy.
 */
og_status og_delayed_layers_new(const og_arms *arms, const og_delayed_layers_use *use,
                                og_delayed_layers **out, og_message *message);

void og_delayed_layers_free(og_delayed_layers *layers); /* NULL is fine */

/* For tables by class: first[U + 1] receives the begin of each layer's classes among all, *dearest
 * the largest D of all. Returns the number of classes. */
size_t og_delayed_layers_first(const og_delayed_layers *layers, size_t *first, double *dearest);

#endif
