#ifndef OG_BENCH_SIMULATION_INDEPENDENT_H
#define OG_BENCH_SIMULATION_INDEPENDENT_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/simulation/block.h"
#include "bench/simulation/sources.h"
#include "bench/simulation/tournament.h"
#include "dp/base/arena.h"
#include "dp/product/state.h"

/* Runs of independent instances (private to bench/simulation/), also where their labels take time.
 */

/*
 * The arms, unrolled for so many labels of one instance, and what goes with their nodes. Most
 * instances have a handful of some hundred thousand labels, so that arms are made for a few labels
 * at first and for about twice as many whenever a run has an instance that has had them all: depth
 * 0, 1, ..., of which the last has all T. Each is made once, by whoever needs it first, and stays
 * as it is.
 *
 * No number that a run reads depends on how deep the arms are. A node has its number and its bits,
 * of gains, rewards and what it is called, by its posterior alone (dp/arm/arm.h), in arms of any
 * depth that hold it. So a run goes on in deeper arms where it stands.
 */
typedef struct {
    og_arena arena;    /* of the arrays */
    og_arms *arms;     /* budget: the labels of one instance */
    double *gain;      /* [global node] h(node) - h(node 0) */
    double **step;     /* [arm_count] of og_arm_gains, one label each; NULL until a policy that is
                          only played needs them */
    uint8_t *called;   /* [global node] og_arm_called, where there are fewer nodes than instances;
                          else NULL */
    double gain_error; /* relative, of the gain by one label */
} og_depth;

/* What an instance in this node is called. */
static inline int32_t og_depth_called(const og_depth *of, uint32_t arm, uint32_t node)
{
    return of->called != NULL ? of->called[of->arms->node_offset[arm] + node]
                              : og_arm_called(of->arms->arm[arm], node);
}

/* Depths, made or not; private to independent_depth.c. */
typedef struct og_depths og_depths;

/* What the runs share. */
typedef struct og_instances og_instances;
struct og_instances {
    const og_groups *problem; /* borrowed */
    const og_truth *truth;    /* borrowed */
    og_environment_use use;
    const og_arms *arms; /* of depth 0; arms and groups are the same in all */
    og_depths *depths;   /* owned */
    int32_t depth_last;
    int32_t labels;            /* T */
    uint64_t bytes;            /* of everything but depths */
    uint32_t count;            /* K, instances in the order given */
    og_tournament_shape shape; /* of K */
    uint32_t *arm_of;          /* [count] */
    uint32_t *group_of;        /* [count] */
    uint32_t *by_arm;          /* [count] the instances of arm 0 in order, of arm 1, ... */
    uint32_t *first;           /* [arm_count + 1] where an arm begins in by_arm */
    uint32_t cuts;             /* one less than there are outcomes, at most */
    double *worth;             /* [arm_count][OG_CALL_COUNT][2] by call and truth, where `paid` */
    bool paid;                 /* calls have payoffs, not 1 if they are right */
    bool bandit;       /* there are no calls: gains count positive labels, and so do both metrics */
    const void *delay; /* an og_delay, an og_deadline; borrowed; NULL: labels come at once */
    /* Where labels have a price: the last arm is the standard arm, which has no instance. */
    bool priced;
    og_fraction price_most; /* without a bonus */
    double *price;          /* [arm_count] of a label */
    /* The strategy of an index policy, on these arms or on the same with fewer labels. */
    og_status (*make)(const og_instances *all, const og_policy_name *policy, const og_arms *arms,
                      og_strategy *out, og_message *message);
};

/* Build what is shared, but for `make`. *out is filled but for `strategy` and `environment`. Where
 * labels come at once and have no price there may be several depths; else depth 0 is the last. */
og_status og_instances_open(const og_source *source, const og_environment_use *use,
                            og_environments *out, og_message *message);

/* By `make` on the deepest arms, if the index is worth beginning: else OG_STOPPED or OG_NO_MEMORY
 * with a message. */
og_status og_instances_strategy(void *instances, const og_policy_name *policy, og_strategy *out,
                                og_message *message);

/* Would the index for so many labels take too long, or too much? */
og_status og_instances_check_index(const og_instances *all, const og_policy_name *policy,
                                   int32_t labels, og_message *message);

/* T is at most OG_BUDGET_MAX, and each depth has more than half as many labels as the next. */
enum { OG_DEPTHS_MOST = 21 };

/* Depth 0, with its arms alone; `all` has its problem and use. Sets depths, depth_last and arms. */
og_status og_depths_new(og_instances *all, og_message *message);
void og_depths_free(og_depths *depths); /* NULL is fine */

/* By any thread; number <= depth_last. `all` has its bytes and its place in memory. OG_NO_MEMORY
 * with a message that says what it takes, and as og_arms_new. */
og_status og_instances_depth(const og_instances *all, int32_t number, const og_depth **out,
                             og_message *message);

/* The same, with its steps. */
og_status og_instances_steps(const og_instances *all, int32_t number, const og_depth **out,
                             og_message *message);

/* One policy; owns its tables. */
typedef struct {
    og_arms *arms;    /* that the ranks were made for, where they are its own; else NULL */
    og_ranks *ranks;  /* NULL: only played */
    og_played played; /* how */
    uint32_t *start;  /* a tournament before any label; NULL where ranks depend on labels left, and
                         where they are asked */
    og_index *index;  /* of recorded labels, where it depends on the labels left; else NULL */
    double slack;     /* relative: indices that close tie */
    struct og_recorded_order *order; /* of recorded labels; owned; NULL: it would take too much */
    bool looks;    /* recorded labels: the slow way, every instance is looked at for every label */
    int32_t first; /* depth whose nodes the ranks are of */
    struct og_deeper *deeper; /* ranks of the depths behind it; NULL: there are none */
    bool stops;  /* recorded labels have a price: a run ends where no score is above this one, */
    double stop; /* the price where there is an index, else its rank */
} og_index_play;

/* These two take the tables over, on error too. OG_NO_MEMORY. */
og_status og_index_play_strategy(const og_index_play *by, og_strategy *out);
og_status og_index_play_new(const og_instances *all, og_ranks *ranks, og_strategy *out);

/*
 * The ranks of a strategy of og_index_play_new are those of depth `number`; where runs need deeper
 * arms, ranks by the policy's name are made for them. Only for policies that look one label ahead
 * (og_policy_name_one_label) and only where depth `number` has an order that is proved throughout.
 * OG_NO_MEMORY.
 */
og_status og_index_play_deepens(void *index_play, const og_instances *all,
                                const og_policy_name *policy, int32_t number);

typedef struct {
    uint32_t node;
    uint32_t labels; /* had so far */
} og_place;

/* One run at a time. */
typedef struct {
    const og_instances *all;
    og_environment interface;
    const og_depth *first; /* depth 0 */
    int32_t depth_number;  /* of the arms that the run is in */
    const og_depth *depth; /* these */
    uint64_t seed, run;
    bool drawn;
    double *cut;    /* [count][cuts] a label is the first outcome whose cut, the sum of its share
                       and those before it, is above a uniform number; else the last */
    int32_t *truly; /* [count] the outcome that the instance should be called (og_arm_called) */
    double fresh_correct; /* correct calls, or what calls pay, before any label */
    og_place *places;     /* [count] {0, 0} but for those touched */
    uint32_t *touched;    /* [touched_count] instances that had a label, by their first one */
    uint32_t touched_count;
    uint64_t *labels; /* [count] given in all runs; borrowed; NULL: not counted */
    /* Index policies: */
    uint32_t *tournament;  /* bench/simulation/tournament.h */
    uint32_t *crowd;       /* [count] by_arm, those without labels in front from crowd_first on */
    uint32_t *crowd_first; /* [arm_count] */
    uint32_t *crowd_end;   /* [arm_count] */
    /* Where the policy is asked: */
    og_state state;
    og_state_group *group; /* [count] instances by arm and node, ascending */
    uint32_t latest;       /* the instance labelled last; UINT32_MAX: it was heard */
    int32_t answer;        /* about it */
    /* Where it goes by what labels gained: */
    double *index;          /* [count] */
    double *gained;         /* [count] sum of the gains of an instance's labels */
    double *gained_squares; /* [count] of their squares */
} og_episode;

/* What a policy on these arms is made with, within so much memory. */
static inline og_policy_use og_instances_policy_use(const og_instances *all, const og_arms *arms,
                                                    uint64_t memory_bytes)
{
    return (og_policy_use){.whole_budget = arms->budget,
                           .threads = all->use.threads,
                           .memory_bytes = memory_bytes,
                           .watch = all->use.watch,
                           .watch_user = all->use.watch_user};
}

og_episode *og_episode_new(const og_instances *all); /* NULL: no memory; free() it */
void og_episode_begin(void *episode, uint64_t seed, uint64_t run, uint64_t *labels);
void og_episode_score(void *episode, double *metric);

/* Draw the instance's next label and move it on; returns its outcome. If there is one left it is
 * not in the last level of the episode's depth. */
uint32_t og_episode_label(og_episode *episode, uint32_t instance);

/* Is the instance in the last level, where it has neither a rank nor a next label? */
static inline bool og_episode_at_end(const og_episode *of, uint32_t instance)
{
    return of->places[instance].labels == (uint32_t)of->depth->arms->budget;
}

/* On to these arms, which hold all that the run has come to. As og_instances_depth. */
og_status og_episode_go(og_episode *episode, int32_t depth_number, og_message *message);

/* Which of `count` tied instances with `left` labels left. */
uint32_t og_episode_draw_tie(const og_episode *episode, og_ties ties, uint32_t count, int32_t left);

/* An og_environment's play: by a tournament, by looking, by chance, or asked. */
og_status og_episode_play(void *episode, const og_strategy *by, og_ties ties, double *metric,
                          og_message *message);
og_status og_episode_play_by_chance(og_episode *episode, og_played played, og_ties ties,
                                    og_message *message);

#endif
