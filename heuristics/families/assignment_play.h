#ifndef OG_HEURISTICS_FAMILIES_ASSIGNMENT_PLAY_H
#define OG_HEURISTICS_FAMILIES_ASSIGNMENT_PLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"

struct og_strategy; /* dp/engine/strategy.h */

/*
 * Policies that assign workers to tasks, played one label at a time: for runs that are drawn or
 * recorded, and for their exact value over all histories.
 *
 * A task has a context; a cell is a task and a worker, task * workers + worker. A worker gives a
 * task one label: who asks a cell again hears the same, and the label is spent. Task and worker
 * count from 0; labels are +1 and -1.
 *
 *   naive        any cell without a label; a majority in the end
 *   bbta[:N'[,skip][,fresh][,plus]]    [Zhang, Ma and Sugiyama 2015]: all workers label the first
 *                N' tasks of each context (default 0), then the least certain task is labelled by a
 *                worker drawn by weights that fall with how often he lost. skip: nobody is drawn
 *                twice for a task; fresh: scores by the weights after the loss; plus: a sign of 0
 *                is +, not a coin
 *   kg, opt-kg   [Chen, Lin and Zhou 2015, section 5], tasks Beta(1, 1) and workers Beta(4, 1)
 *                whatever the context: the largest mean (best) gain of a label by moment matching
 *   opt-kg-multi opt-kg in each context for itself, with a share of the budget by its tasks, the
 *                largest remainders rounded up
 *   iethresh:EPS [Donmez, Carbonell and Schneider 2009]: tasks in their order; asked are all whose
 *                upper interval is at least EPS of the largest; a majority
 *   crowdsense:EPS    [Ertekin, Rudin and Hirsh 2014]: tasks in their order; two of the largest
 *                quality and one other, then the next while the votes are within EPS; a weighted
 *                vote
 *
 * The last two end of their own; with a budget they may be cut short by it.
 */
typedef struct {
    int32_t tasks, workers; /* >= 1; tasks * workers at most OG_ASSIGNMENT_CELLS_MAX */
    int32_t contexts;       /* >= 1 */
    const int32_t *context; /* [tasks] 0 .. contexts - 1 */
    const bool *there;      /* [tasks * workers] which cells can be asked; NULL: all */
    int32_t budget;         /* labels in all; -1: none, for policies that end of their own */
} og_assignment_setting;

enum { OG_ASSIGNMENT_CELLS_MAX = 1 << 24 };

/* What comes next. */
typedef enum {
    OG_ASSIGNMENT_OVER,  /* nothing is asked any more */
    OG_ASSIGNMENT_ALIKE, /* one of the cells, all alike */
    OG_ASSIGNMENT_TIED,  /* any of the cells: a tie rule decides; in rising order */
    OG_ASSIGNMENT_DRAWN, /* one of the cells by the chances */
} og_assignment_move;

/* The caller's room. */
typedef struct {
    int32_t *cell;  /* [tasks * workers] */
    double *chance; /* [workers] of the first cells; OG_ASSIGNMENT_DRAWN alone; > 0, sum 1 */
    int32_t count;
} og_assignment_choice;

/*
 * A policy, which never changes, for any number of threads. What it knows is a state, state_bytes
 * of the caller's, aligned for doubles, which may be copied. It begins with the table of labels,
 * int8_t[tasks * workers], 0 where there is none.
 *
 * `begin`, then `next`, `tell` of one of the cells, `toss` if the answer is true, and again. `next`
 * is called once before each label.
 */
typedef struct {
    void *self;
    size_t state_bytes;
    bool ends; /* of its own: a budget is not needed */
    void (*begin)(const void *self, void *state);
    og_assignment_move (*next)(const void *self, void *state, og_assignment_choice *out);
    /* true: a coin must be tossed before anything else. */
    bool (*tell)(const void *self, void *state, int32_t cell, int8_t label);
    void (*toss)(const void *self, void *state, int8_t side); /* +1 or -1; NULL: never */
    /* positive[tasks]: 1 or 0 where a task is called + or -, 1/2 where a coin is. */
    void (*call)(const void *self, const void *state, double *positive);
    /* bbta alone, after OG_ASSIGNMENT_DRAWN: the losses in this step, loss[workers], if each worker
     * had been drawn and the task's labels were label[workers]; 1/2 for a coin. */
    void (*losses)(const void *self, const void *state, int32_t task, const int8_t *label,
                   double *loss);
    void (*free)(void *self);
} og_assignment_player;

/*
 * The policy of this name. Copies the setting. OG_BAD_INPUT with a message: it is not known, its
 * parameter is not one, it takes a budget and there is none, or the budget is less than the labels
 * of bbta's exploration. OG_NO_MEMORY.
 */
og_status og_assignment_player_new(const char *name, const og_assignment_setting *setting,
                                   og_assignment_player *out, og_message *message);
void og_assignment_player_free(og_assignment_player *player); /* a zeroed one is fine */

/* The same as a strategy, which only runs and histories know how to follow: asked to choose in a
 * state it refuses with a message. What such a one follows, NULL if it is another's; and its name.
 */
og_status og_assignment_played(const char *name, const og_assignment_setting *setting,
                               struct og_strategy *out, og_message *message);
const og_assignment_player *og_assignment_player_of(const struct og_strategy *by);
const char *og_assignment_played_name(const struct og_strategy *by);

/* The bound of [Zhang, Ma and Sugiyama 2015, theorem 1] on the regret of bbta:N'. */
double og_bbta_bound(double budget, double contexts, double workers, double explored);

/* The upper interval of iethresh after n rewards, ok of them 1 and the others 0. */
double og_iethresh_upper(int32_t n, int32_t ok);

#endif
