#ifndef OG_DP_PRODUCT_LAYERS_H
#define OG_DP_PRODUCT_LAYERS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/arm/exact_names.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/product/policy.h"

/*
 * The classes of r-step equivalent nodes (reduction 2), one layer for every number of labels left.
 *
 * Layer r divides the nodes that can be met with r labels left (levels 0 .. budget - r of every
 * arm) into classes. Nodes of a class have the same R, the same rank if a policy is given, the same
 * total probability of each class of layer r - 1 after a label, and the same class of layer r - 1
 * without a label. The last condition is automatic for exact values. Requiring it makes `down` well
 * defined for rounded sums too, and separates the ranks of later layers.
 *
 * Class 0 of every layer is the class of dead nodes: whatever the next r labels are, every
 * reachable R is 0 (the class may be empty). With a policy, dead nodes are divided by their ranks
 * like all others, so class 0 is empty, and class_count[0] is still reserved.
 *
 * The engine sees instances only as classes; arms are not needed once the layers are built.
 *
 * If nodes have several actions (dp/arm/arm.h), `left` counts units of the budget, and layer r has
 * the actions that cost at most r. Nodes of a class have the same actions, in the same order: same
 * cost c, R, and total probability of each class of layer r - c. An action that gains nothing and
 * leads to dead nodes only is omitted if classes are merged, and a node without actions is dead.
 * The reductions of dp/product/solve.h then hold as follows:
 *
 * 1. The order of instances does not matter: unchanged.
 * 2. Classes: unchanged, by induction over r, because an action of cost c leads to layer r - c. An
 *    omitted action is never better than doing nothing: with a dead instance in place of the one
 *    labelled, G_(r-c) of the state is at most G_r. The reason is that an instance that is never
 *    labelled adds nothing to the gain of the others, and more units never harm.
 * 3. Caps: unchanged. When the k-th copy of x is first labelled at most r - k + 1 units are left,
 *    because every action costs at least one; if that is less than L(x), the copy is dead.
 * 4. Forced labels: only for a class with one action, whose cost c is the least of any action of
 *    the problem. Proof. Play any policy, but buy that label of x first. Until the policy asks for
 *    x, go on with c units less; when it does, it asks for this very label, because x is the same
 *    node and fewer units leave fewer actions, and from there on both have the same. If the policy
 *    buys an action that does not fit into c units less, it has fewer than c left after it and buys
 *    no more: one label is lost, worth at most M of the other instances, and R(x) was gained. (With
 *    a dearer label several could be lost; with two actions the policy may use the other action of
 *    x.) Off for all other classes.
 * 5. Prices: unchanged, with v_z(x, r) = max(0, max over actions of -z c + R + sum_k p_k
 *    v_z(next_k, r - c)). The price is for each unit, and a policy spends at most r of them.
 * 6. Two copies: off, because its proof counts labels, not units.
 */
typedef struct {
    uint32_t class_count; /* class 0 included */
    double *reward;       /* [class_count] R, the largest of its actions */
    double *reach;  /* [class_count] M: largest R met within `left` labels, the first included */
    uint32_t *down; /* [class_count] class in the layer below of an instance without a label */
    int32_t *first_live; /* [class_count] L: least number of labels left at which the node is live;
                          * 0: dead */
    uint32_t *rank;      /* [class_count] of the policy; NULL for the optimum */
    uint32_t *member;    /* [class_count] a global node of the class; NULL for the optimum */
    /* Several actions. The three arrays are NULL if each class has one action of cost 1, which has
     * the number and the reward of its class (and no outcomes in class 0). Else class 0 has no
     * action. */
    uint32_t *action_first;  /* [class_count + 1] */
    int32_t *action_cost;    /* [actions] */
    double *action_reward;   /* [actions]; exact layers: the doubles of action_reward_name */
    uint32_t *outcome_first; /* [actions + 1] */
    double *probability;     /* outcomes in ascending order of `next` */
    uint32_t *next;          /* class in the layer below, action_cost layers down */
    /* Exact layers only, else NULL: the names (dp/arm/exact_names.h) of the fractions that the
     * doubles round, as whole numbers. Names of rewards compare as the rewards do. */
    double *reward_name;        /* [class_count] */
    double *action_reward_name; /* [actions]; NULL as above */
    double *reach_name;         /* [class_count] of the largest reward within reach */
    double *probability_name;   /* of outcomes */
} og_layer;

/* The first action of a class, which is the end of the actions of the class before; class <=
 * class_count. */
static inline uint32_t og_layer_first_action(const og_layer *layer, uint32_t class)
{
    return layer->action_first == NULL ? class : layer->action_first[class];
}

static inline int32_t og_layer_cost(const og_layer *layer, uint32_t action)
{
    return layer->action_cost == NULL ? 1 : layer->action_cost[action];
}

/* Exact layers: the name of an action's reward. */
static inline uint32_t og_layer_reward_name(const og_layer *layer, uint32_t action)
{
    return (uint32_t)(layer->action_reward_name == NULL ? layer->reward_name[action]
                                                        : layer->action_reward_name[action]);
}

static inline double og_layer_reward(const og_layer *layer, uint32_t action)
{
    return layer->action_reward == NULL ? layer->reward[action] : layer->action_reward[action];
}

typedef struct {
    og_arena arena; /* of the arrays here */
    int32_t budget;
    og_layer *layer;      /* [budget + 1], layer[0] has class 0 only */
    uint32_t *root_class; /* [arm_count] class of node 0 of each arm in layer[budget] */
    int32_t outcome_max;  /* most outcomes of any action */
    int32_t action_max;   /* most actions of any class */
    int32_t cost_count;   /* number of different costs of actions; 1 if nodes have one action of
                           * cost 1 */
    int32_t *cost;        /* [cost_count] ascending */
    int32_t *cost_place;  /* [OG_ARM_COST_MAX + 1] place of a cost in that list */
    uint64_t bytes;       /* memory held */
} og_layers;

/* The class, `units` layers down, of an instance of this class that is not labelled. */
static inline uint32_t og_layers_down(const og_layers *layers, int32_t left, uint32_t class,
                                      int32_t units)
{
    for (int32_t i = 0; i < units; i++) {
        class = layers->layer[left - i].down[class];
    }
    return class;
}

/* What layers are built for. */
typedef struct {
    const og_ranks *ranks; /* NULL: the optimum */
    bool ends;  /* of ranks that stop: only values of whole states are asked for, so that nodes that
                 * are done need no outcomes, and those that stay so are class 0 */
    bool merge; /* false: every node is its own class and none is dead (reduction 2 switched off,
                 * for tests) */
    og_exact_names *names; /* of the same arms: a class has equal fractions, and equal fractions
                            * have one class; sums of probabilities are added, and their growth
                            * counts as memory; doubles are the fractions rounded to nearest. NULL:
                            * equal doubles */
    uint64_t memory_bytes;
    og_stop *stop; /* NULL: never */
} og_layers_use;

/*
 * Builds the layers of all arms. Time O(sum over left of nodes), memory O(classes). OG_STOPPED with
 * a message if the layers would exceed memory_bytes; layers far above the limit are refused in time
 * O(nodes), before they are built, with a message that gives the size. OG_STOPPED also if `stop`
 * ends the work.
 */
og_status og_layers_new(const og_arms *arms, const og_layers_use *use, og_layers **out,
                        og_message *message);
void og_layers_free(og_layers *layers);

/* The class of each node; the layers themselves do not keep it. */
typedef struct {
    og_arena arena;
    int32_t arm_count;
    uint32_t **class_of; /* [(budget + 1) * arm_count] */
    uint64_t bytes;      /* memory held */
} og_classes;

/*
 * The classes of og_layers_new, with the same numbers: the layers are built once more and
 * discarded. Takes 4 bytes for every node and number of labels it can be met with, a sixth of
 * budget^3 for a Beta arm. OG_STOPPED with a message if that and the layers would exceed
 * memory_bytes, or if `stop` ends the work.
 */
og_status og_classes_new(const og_arms *arms, const og_layers_use *use, og_classes **out,
                         og_message *message);
void og_classes_free(og_classes *classes); /* NULL is fine */

/* The class of an arm's node of levels 0 .. budget - left; left >= 1. */
static inline uint32_t og_classes_of(const og_classes *classes, int32_t left, int32_t arm,
                                     uint32_t node)
{
    return classes->class_of[(int64_t)left * classes->arm_count + arm][node];
}

/* Nodes of all layers together: pairs of posteriors and labels left. A double, because it may be a
 * sixth of budget^3. */
double og_layers_nodes(const og_arms *arms);

#endif
