#ifndef OG_BENCH_SIMULATION_INDEPENDENT_H
#define OG_BENCH_SIMULATION_INDEPENDENT_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/simulation/block.h"
#include "bench/simulation/sources.h"
#include "dp/product/state.h"

/* Runs of independent instances (private to bench/simulation/), also where their labels take time.
 */

/* What the runs share. */
typedef struct og_instances og_instances;
struct og_instances {
    const og_groups *problem; /* borrowed */
    const og_truth *truth;    /* borrowed */
    og_environment_use use;
    og_arms *arms;
    uint32_t count;     /* K, instances in the order given */
    uint32_t *arm_of;   /* [count] */
    uint32_t *group_of; /* [count] */
    uint32_t *by_arm;   /* [count] the instances of arm 0 in order, of arm 1, ... */
    uint32_t *first;    /* [arm_count + 1] where an arm begins in by_arm */
    uint32_t cuts;      /* one less than there are outcomes, at most */
    double *gain;       /* [global node] h(node) - h(node 0) */
    double *worth;      /* [arm_count][OG_CALL_COUNT][2] by call and truth, where `paid` */
    bool paid;          /* calls have payoffs, not 1 if they are right */
    og_arena steps;
    double **step;     /* [arm_count] of og_arm_gains, one label each; NULL until a policy that is
                          only played needs them */
    const void *delay; /* an og_delay, an og_deadline; borrowed; NULL: labels come at once */
    /* Where labels have a price: the last arm is the standard arm, which has no instance. */
    bool priced;
    double *price; /* [arm_count] of a label */
    /* The strategy of an index policy, on these arms or on the same with fewer labels. */
    og_status (*make)(const og_instances *all, const og_policy_name *policy, const og_arms *arms,
                      og_strategy *out, og_message *message);
};

/* Build what is shared, but for `make`. *out is filled but for `strategy` and `environment`. */
og_status og_instances_open(const og_source *source, const og_environment_use *use,
                            og_environments *out, og_message *message);

/* By `make`, if the index is worth beginning: else OG_STOPPED or OG_NO_MEMORY with a message. */
og_status og_instances_strategy(void *instances, const og_policy_name *policy, og_strategy *out,
                                og_message *message);

/* The largest rank below a vertex of a tournament, and how many instances have it. */
typedef struct {
    uint32_t rank;
    uint32_t count;
} og_leader;

uint32_t og_tournament_width(uint64_t instances); /* leaves: a power of two >= instances */

/* One policy; owns its tables. */
typedef struct {
    og_arms *arms;    /* that the ranks were made for, where they are its own; else NULL */
    og_ranks *ranks;  /* NULL: only played */
    og_played played; /* how */
    uint32_t width;   /* leaves of the tournament */
    og_leader *start; /* [2 * width] before any label; NULL where ranks depend on labels left, and
                         where they are asked */
    og_index *index;  /* of recorded labels, where it depends on the labels left; else NULL */
    double slack;     /* relative: indices that close tie */
    bool stops;  /* recorded labels have a price: a run ends where no score is above this one, */
    double stop; /* the price where there is an index, else its rank */
} og_index_play;

/* These two take the tables over, on error too. OG_NO_MEMORY. */
og_status og_index_play_strategy(const og_index_play *by, og_strategy *out);
og_status og_index_play_new(const og_instances *all, og_ranks *ranks, og_strategy *out);

typedef struct {
    uint32_t node;
    uint32_t labels; /* had so far */
} og_place;

/* One run at a time. */
typedef struct {
    const og_instances *all;
    og_environment interface;
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
    og_leader *tournament; /* [2 * width] */
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

og_episode *og_episode_new(const og_instances *all); /* NULL: no memory; free() it */
void og_episode_begin(void *episode, uint64_t seed, uint64_t run, uint64_t *labels);
void og_episode_score(void *episode, double *metric);

/* Draw the instance's next label and move it on; returns its outcome. */
uint32_t og_episode_label(og_episode *episode, uint32_t instance);

/* Which of `count` tied instances with `left` labels left. */
uint32_t og_episode_draw_tie(const og_episode *episode, og_ties ties, uint32_t count, int32_t left);

/* An og_environment's play: by a tournament, by looking, by chance, or asked. */
og_status og_episode_play(void *episode, const og_strategy *by, og_ties ties, double *metric,
                          og_message *message);
void og_episode_play_by_chance(og_episode *episode, og_played played, og_ties ties);

#endif
