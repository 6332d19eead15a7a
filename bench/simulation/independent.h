#ifndef OG_BENCH_SIMULATION_INDEPENDENT_H
#define OG_BENCH_SIMULATION_INDEPENDENT_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/simulation/chance.h"
#include "bench/simulation/run_block.h"
#include "bench/simulation/sources.h"
#include "bench/simulation/tournament.h"
#include "dp/base/arena.h"
#include "dp/product/state.h"

/* Runs of independent instances (private to bench/simulation/), also if their labels take time. */

/*
 * The arms, unrolled for a number of labels of one instance, with data for their nodes. Even with
 * some hundred thousand labels most instances receive a handful. So arms are first built for a few
 * labels. Whenever an instance in a run has received all of these, arms for about twice as many are
 * built: depth 0, 1, ..., where the last has all T. The first thread that needs a depth builds it,
 * and it never changes.
 *
 * No number that a run reads depends on the depth of the arms. A node's number and the bits of its
 * gains, rewards and call depend only on its posterior (dp/arm/arm.h), and are the same in arms of
 * any depth that hold it. So a run can continue in deeper arms from its current state.
 */
typedef struct {
    og_arena arena;    /* of the arrays */
    og_arms *arms;     /* budget: the labels of one instance */
    double *gain;      /* [global node] h(node) - h(node 0) */
    double **step;     /* [arm_count] of og_arm_gains, one label each; NULL until a policy that can
                          only be simulated needs them */
    uint8_t *called;   /* [global node] og_arm_called, if there are fewer nodes than instances; else
                          NULL */
    double gain_error; /* relative, of the gain from one label */
} og_depth;

/* The call of an instance in this node. */
static inline int32_t og_depth_called(const og_depth *depth, uint32_t arm, uint32_t node)
{
    return depth->called != NULL ? depth->called[depth->arms->node_offset[arm] + node]
                                 : og_arm_called(depth->arms->arm[arm], node);
}

/* The depths, built or not; private to independent_depth.c. */
typedef struct og_depths og_depths;

/* Data shared by all runs. */
typedef struct og_instances og_instances;
struct og_instances {
    const og_groups *problem; /* borrowed */
    const og_truth *truth;    /* borrowed */
    og_environment_use use;
    const og_ranks *ranks; /* as in og_source, like the next */
    int32_t first_depth;
    const og_arms *arms; /* of depth 0; all depths have the same arms and groups */
    og_depths *depths;   /* owned */
    int32_t depth_last;
    int32_t labels;            /* T */
    uint64_t bytes;            /* of everything except depths */
    uint32_t count;            /* K, instances in the order given */
    og_tournament_shape shape; /* of K */
    uint32_t *arm_of;          /* [count] */
    uint32_t *group_of;        /* [count] */
    uint32_t *by_arm;          /* [count] the instances of arm 0 in order, of arm 1, ... */
    uint32_t *first;           /* [arm_count + 1] start of each arm in by_arm */
    uint32_t cuts;             /* at most the number of outcomes less one */
    double *worth;             /* [arm_count][OG_CALL_COUNT][2] by call and truth, if `paid` */
    bool paid;                 /* calls have payoffs, not 1 if they are right */
    bool bandit;       /* there are no calls: gains and both metrics count positive labels */
    const int32_t *at; /* [at_count] budgets of a curve */
    int32_t at_count;
    const void *delay; /* an og_delay, an og_deadline; borrowed; NULL: labels are immediate */
    /* If labels have a price, the last arm is the standard arm, which has no instance. */
    bool priced;
    og_arms alone;          /* the arms without it, of the only depth; a view */
    og_fraction price_most; /* without a bonus */
    double *price;          /* [arm_count] of a label */
    /* Makes the strategy of an index policy, on these arms or on the same with fewer labels. */
    og_status (*make)(const og_instances *all, const og_policy_name *policy, const og_arms *arms,
                      og_strategy *out, og_message *message);
};

/* Build the shared data, except `make`, and fill *out, except `strategy` and `environment`. If
 * labels are immediate and have no price there may be several depths; else depth 0 is the last. */
og_status og_instances_open(const og_source *source, const og_environment_use *use,
                            og_environments *out, og_message *message);

/* Make a strategy with `make` on the deepest arms, if the cost of its index is acceptable; else
 * OG_STOPPED or OG_NO_MEMORY with a message. */
og_status og_instances_strategy(void *instances, const og_policy_name *policy, og_strategy *out,
                                og_message *message);

/* Check that the index for so many labels does not take too much time or memory. */
og_status og_instances_check_index(const og_instances *all, const og_policy_name *policy,
                                   int32_t labels, og_message *message);

/* T is at most OG_BUDGET_MAX, and each depth has more than half as many labels as the next. */
enum { OG_DEPTHS_MOST = 21 };

/* Build depth 0, only its arms; `problem` and `use` of `all` are set before. Sets depths,
 * depth_last and arms. */
og_status og_depths_new(og_instances *all, og_message *message);
void og_depths_free(og_depths *depths); /* NULL is allowed */

/* Return a depth, built if necessary; any thread may call it. number <= depth_last. `all` must have
 * its bytes and its final address. OG_NO_MEMORY with a message that gives the memory needed; the
 * errors of og_arms_new. */
og_status og_instances_depth(const og_instances *all, int32_t number, const og_depth **out,
                             og_message *message);

/* The same, with its steps. */
og_status og_instances_steps(const og_instances *all, int32_t number, const og_depth **out,
                             og_message *message);

/* One policy; owns its tables. */
typedef struct {
    og_arms *arms;    /* the arms of the ranks, if they are its own; else NULL */
    og_ranks *ranks;  /* NULL: can only be simulated */
    og_played played; /* how */
    uint32_t *start;  /* a tournament before any label; NULL if ranks depend on the labels left or
                         are requested */
    og_index *index;  /* for recorded labels, if it depends on the labels left; else NULL */
    double slack;     /* relative: indices this close tie */
    struct og_recorded_order *order; /* for recorded labels; owned; NULL: too large */
    bool looks;    /* recorded labels: the slow way, which checks every instance for every label */
    int32_t first; /* the ranks are for nodes of this depth */
    struct og_deeper *deeper; /* ranks of deeper depths; NULL: none */
    bool stops;  /* recorded labels have a price: a run ends if no score is above `stop`, */
    double stop; /* the price if there is an index, else its rank */
} og_index_play;

/* Both take ownership of the tables, even on error. OG_NO_MEMORY. */
og_status og_index_play_strategy(const og_index_play *by, og_strategy *out);
og_status og_index_play_new(const og_instances *all, og_ranks *ranks, og_strategy *out);

/*
 * State that the ranks of a strategy of og_index_play_new are for depth `number`; if runs need
 * deeper arms, ranks of the policy are built for them. Only for policies that look one label ahead
 * (og_policy_name_one_label), and only if the whole order of depth `number` is proved.
 * OG_NO_MEMORY.
 */
og_status og_index_play_deepens(void *index_play, const og_instances *all,
                                const og_policy_name *policy, int32_t number);

typedef struct {
    uint32_t node;
    uint32_t labels; /* received so far */
} og_run_place;

/* One run at a time. */
typedef struct {
    const og_instances *all;
    og_environment interface;
    const og_depth *first; /* depth 0 */
    int32_t depth_number;  /* depth of the arms in use */
    const og_depth *depth; /* the arms in use */
    uint64_t seed, run;
    bool drawn;
    double *cut;          /* [count][cuts] a label is the first outcome whose cut exceeds a uniform
                             number, else the last; a cut is the sum of the probabilities up to its
                             outcome */
    int32_t *truly;       /* [count] the right call of the instance (og_arm_called) */
    double fresh_correct; /* correct calls, or payoff, before any label */
    og_run_place *places; /* [count] {0, 0} except those touched */
    double *earned;       /* [count] rewards of a table's outcomes; 0 except those touched */
    uint32_t *touched;    /* [touched_count] labelled instances, in the order of their first
                             label */
    uint32_t touched_count;
    uint64_t *labels; /* [count] given in all runs; borrowed; NULL: do not count */
    int32_t given;    /* labels so far */
    int32_t reported; /* budgets of the curve so far */
    double *curve;    /* [all->at_count] share of correct calls */
    /* Index policies: */
    uint32_t *tournament;  /* bench/simulation/tournament.h */
    uint32_t *crowd;       /* [count] by_arm; each arm's unlabelled instances are from crowd_first
                              to crowd_end */
    uint32_t *crowd_first; /* [arm_count] */
    uint32_t *crowd_end;   /* [arm_count] */
    /* If the strategy is asked: */
    og_state state;
    og_state_group *group; /* [count] instances by arm and node, ascending */
    uint32_t latest;       /* the instance labelled last; UINT32_MAX: its answer was given */
    int32_t answer;        /* the answer */
    /* If the policy uses the gains of past labels: */
    double *index;           /* [count] */
    og_chance_gains *gained; /* [count] of an instance's labels */
} og_episode;

/* The settings to make a policy on these arms, within so much memory. */
static inline og_policy_use og_instances_policy_use(const og_instances *all, const og_arms *arms,
                                                    uint64_t memory_bytes)
{
    return (og_policy_use){.whole_budget = arms->budget,
                           .threads = all->use.threads,
                           .memory_bytes = memory_bytes,
                           .stop = all->use.stop};
}

og_status og_instances_environment(void *self,
                                   og_environment *out); /* og_environments.environment */
og_episode *og_episode_new(const og_instances *all);     /* NULL: no memory; free() it */
void og_episode_begin(void *episode, uint64_t seed, uint64_t run, uint64_t *labels);
void og_episode_score(void *episode, double *metric);

/* Draw the instance's next label, update its state and return the outcome. If a label is left, the
 * instance must not be in the last level of the episode's depth. */
uint32_t og_episode_label(og_episode *episode, uint32_t instance);

/* True if the instance is in the last level, where it has neither a rank nor a next label. */
static inline bool og_episode_at_end(const og_episode *episode, uint32_t instance)
{
    return episode->places[instance].labels == (uint32_t)episode->depth->arms->budget;
}

/* Switch to these arms, which must hold all nodes of the run. Fails like og_instances_depth. */
og_status og_episode_go(og_episode *episode, int32_t depth_number, og_message *message);

/* Draw one of `count` tied instances with `left` labels left. */
uint32_t og_episode_draw_tie(const og_episode *episode, og_ties ties, uint32_t count, int32_t left);

/* The `play` of og_environment: with a tournament, by checking every instance, at random, or by
 * asking the strategy. */
og_status og_episode_play(void *episode, const og_strategy *by, og_ties ties, double *metric,
                          og_message *message);
og_status og_episode_play_by_chance(og_episode *episode, const og_strategy *by, og_ties ties,
                                    og_message *message);

#endif
