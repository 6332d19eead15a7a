#ifndef OG_HEURISTICS_FAMILIES_ASSIGNMENT_PLAY_H
#define OG_HEURISTICS_FAMILIES_ASSIGNMENT_PLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/prior/problem.h"
#include "heuristics/policy.h"

struct og_strategy; /* dp/engine/strategy.h */

/*
 * Policies that assign workers to tasks one label at a time: for simulated and recorded runs, and
 * for their exact value over all histories.
 *
 * A task has a context; a cell is a task and a worker, task * workers + worker. A worker has one
 * label for a task: asking a cell again returns the same label and uses a label of the budget.
 * Tasks and workers are numbered from 0; labels are +1 and -1. Only naive and bbta support several
 * classes: labels are then 1, 2, ..., the majority is the plurality, and a weighted vote calls the
 * class with the largest sum; its score is the difference to the second largest.
 *
 *   naive        any cell without a label; final calls by majority
 *   bbta[:N'[,skip][,fresh][,plus]]    [Zhang, Ma and Sugiyama 2015]: all workers label the first
 *                N' tasks of each context (default 0). Then the least certain task is labelled by
 *                a worker drawn with weights that decrease with the worker's loss. skip: no worker
 *                is drawn twice for a task; fresh: scores use the weights after the loss; plus: a
 *                sign of 0 is +, not a coin
 *   kg, opt-kg, ... the rules of one label (heuristics/rule.h) as in [Chen, Lin and Zhou 2015,
 *                section 5], tasks Beta(1, 1) and workers Beta(4, 1) in every context: gains of a
 *                label with moment matching
 *   opt-kg-multi opt-kg in each context separately, with a share of the budget for its tasks; the
 *                largest remainders are rounded up
 *   iethresh:EPS [Donmez, Carbonell and Schneider 2009]: tasks in order; asks all workers whose
 *                upper interval is at least EPS of the largest; calls by majority
 *   crowdsense:EPS    [Ertekin, Rudin and Hirsh 2014]: tasks in order; asks two of the largest
 *                quality and one other, then the next while the votes are within EPS; calls by
 *                weighted vote
 *
 * The last two end without a budget; a budget may end them earlier.
 */
typedef struct {
    int32_t tasks, workers; /* >= 1; tasks * workers at most OG_ASSIGNMENT_CELLS_MAX */
    int32_t contexts;       /* >= 1 */
    const int32_t *context; /* [tasks] 0 .. contexts - 1 */
    const bool *there;      /* [tasks * workers] which cells can be asked; NULL: all */
    int32_t budget;         /* labels in all; -1: none, for policies that end without one */
    int32_t classes;        /* 3 .. OG_CLASSES_MAX, of labels 1 .. classes; less: +1 and -1 */
} og_assignment_setting;

enum { OG_ASSIGNMENT_CELLS_MAX = 1 << 24 };

/* The policy's next move. */
typedef enum {
    OG_ASSIGNMENT_OVER,  /* no more labels */
    OG_ASSIGNMENT_ALIKE, /* one of the cells, with equal probabilities */
    OG_ASSIGNMENT_TIED,  /* any of the cells: a tie rule decides; in ascending order */
    OG_ASSIGNMENT_DRAWN, /* one of the cells, with the given probabilities */
} og_assignment_move;

/* The cells of a move; the caller provides the arrays. */
typedef struct {
    int32_t *cell;  /* [tasks * workers] */
    double *chance; /* [workers] only for OG_ASSIGNMENT_DRAWN: the cells' probabilities, > 0, with
                       sum 1 */
    int32_t count;
} og_assignment_choice;

/*
 * A policy, which is constant and can be used by any number of threads. Its memory is a state:
 * state_bytes that the caller provides, aligned for doubles, which may be copied. It starts with
 * the table of labels, int8_t[tasks * workers], 0 for cells without a label.
 *
 * Call `begin` once, then repeat: `next`, `tell` for one of the cells, and `toss` if `tell` returns
 * true. `next` is called once before each label.
 */
typedef struct {
    void *self;
    size_t state_bytes;
    bool ends; /* true if it ends without a budget */
    void (*begin)(const void *self, void *state);
    og_assignment_move (*next)(const void *self, void *state, og_assignment_choice *out);
    /* Returns true if `toss` must be called next. */
    bool (*tell)(const void *self, void *state, int32_t cell, int8_t label);
    void (*toss)(const void *self, void *state, int8_t side); /* +1 or -1; NULL: never */
    /* Only several classes, if `tell` returned true: how many classes are equally good; `toss` then
     * takes the number of one of them, 1 .. this. */
    int32_t (*sides)(const void *self, const void *state);
    /* Writes positive[tasks]: 1 or 0 if a task is called + or -, 1/2 for a coin. Several classes:
     * positive[tasks * classes], the probability that a task is called so. */
    void (*call)(const void *self, const void *state, double *positive);
    /* Only bbta, after OG_ASSIGNMENT_DRAWN: writes loss[workers], each worker's loss in this step
     * if that worker had been drawn and the task's labels were label[workers]; 1/2 for a coin. */
    void (*losses)(const void *self, const void *state, int32_t task, const int8_t *label,
                   double *loss);
    /* Only bbta: writes what it chooses by: loss and weight [contexts * workers], where the largest
     * weight of a context is 1, and the score of each task, from -1 (several classes: 0) to 1. */
    void (*standing)(const void *self, const void *state, double *loss, double *weight,
                     double *score);
    void (*free)(void *self);
} og_assignment_player;

/*
 * Creates the policy with this name. Copies the setting. OG_BAD_INPUT with a message: an unknown
 * name, an invalid parameter, a missing budget, or a budget smaller than the labels of bbta's
 * exploration. OG_NO_MEMORY.
 */
og_status og_assignment_player_new(const char *name, const og_assignment_setting *setting,
                                   og_assignment_player *out, og_message *message);
void og_assignment_player_free(og_assignment_player *player); /* a zeroed one is fine */

/* The same as a strategy, which only simulated runs and histories support; its `choose` fails with
 * a message. The other two functions return the player and the name of such a strategy; the player
 * of another strategy is NULL.
 */
og_status og_assignment_played(const og_policy_name *named, const og_assignment_setting *setting,
                               struct og_strategy *out, og_message *message);
const og_assignment_player *og_assignment_player_of(const struct og_strategy *by);
const char *og_assignment_played_name(const struct og_strategy *by);

static inline bool og_assignment_several(const og_assignment_setting *setting)
{
    return setting->classes > 2;
}

/* The classes, 1 and on, whose votes are within the tolerance of the largest, ascending; returns
 * their number. */
int32_t og_assignment_leaders(const double *vote, int32_t classes, double tolerance,
                              int8_t *leader);

/* Writes share[classes]: the leaders have equal shares, the others none. */
void og_assignment_share(const int8_t *leader, int32_t count, int32_t classes, double *share);

/* Writes share[classes] of a task by its labels, label[workers], each weighted by the odds of its
 * worker's accuracy (NULL: the plurality). Workers err to any other class. */
void og_assignment_vote(const og_assignment_setting *setting, const int8_t *label,
                        const double *accuracy, double tolerance, double *share);

/* The bound of [Zhang, Ma and Sugiyama 2015, theorem 1] on the regret of bbta:N'. */
double og_bbta_bound(double budget, double contexts, double workers, double explored);

#endif
