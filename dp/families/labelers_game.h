#ifndef OG_DP_FAMILIES_LABELERS_GAME_H
#define OG_DP_FAMILIES_LABELERS_GAME_H

#include "dp/base/arena.h"
#include "dp/engine/solution.h"
#include "dp/families/labelers.h"

/*
 * The value of labelers for a decision maker with a prior on their accuracies: a finite mixture of
 * hypotheses. Each task is given to a set of labelers, whose majority is its final label at once.
 * Their votes only show which labelers agree.
 */
typedef struct {
    og_arena arena;
    int32_t count;      /* labelers */
    int32_t hypotheses; /* at least 1 */
    double *weight;     /* [hypotheses] > 0, with sum 1 */
    og_labelers *at;    /* [hypotheses] */
    bool rational;      /* weights and accuracies are also given as fractions: */
    mpq_t *exact;       /* [hypotheses] weights */
    bool alike;         /* labelers may be exchanged */
    double error;       /* relative, of weights and probabilities, in addition to their rounding */
} og_labelers_prior;

enum { OG_LABELERS_HYPOTHESES_MAX = 100000 };

/* Either the accuracies are known; or the accuracies are known but not their owners: all different
 * orders, alike if costs are equal. OG_NO_MEMORY; OG_STOPPED with a message for more than
 * OG_LABELERS_HYPOTHESES_MAX. */
og_status og_labelers_prior_known(const og_labelers *labelers, og_labelers_prior **out);
og_status og_labelers_prior_orders(const og_labelers *labelers, og_labelers_prior **out,
                                   og_message *message);

/* Independent Beta(a, b), with as many points each as are exact for `tasks` tasks and the first of
 * LS_OL; `labelers` gives the other properties of the labelers. */
og_status og_labelers_prior_beta(const og_labelers *labelers, og_fraction a, og_fraction b,
                                 int32_t tasks, og_labelers_prior **out, og_message *message);

/* Given hypotheses: weight[hypotheses] with sum 1, and their accuracies; `labelers` gives the other
 * properties. */
og_status og_labelers_prior_given(const og_labelers *labelers, const og_fraction *weight,
                                  const og_fraction *right, int32_t hypotheses,
                                  og_labelers_prior **out);
void og_labelers_prior_free(og_labelers_prior *prior); /* NULL is fine */

/* ---- the game ---- */

/* Votes of a set: `asked` and, of them, the labelers that voted for the first of the two labels. */
typedef struct {
    uint32_t asked, ones;
} og_labelers_votes;

typedef struct {
    int32_t budget;                   /* tasks to come */
    og_fraction price;                /* of one unit of cost, in right labels */
    bool odd;                         /* only sets of odd size, and the set of all */
    bool nobody;                      /* the empty set is allowed, for a coin */
    bool weighted;                    /* votes are weighted with the accuracies, which are known */
    int32_t had;                      /* tasks before */
    const og_labelers_votes *history; /* [had] */
} og_labelers_rules;

/* A set that may be asked. */
typedef struct {
    uint32_t members;
    int32_t kind_first,
        kinds; /* its outcomes, up to their complements; kinds 0: they give no information */
} og_labelers_choice;

typedef struct {
    og_arena arena;
    const og_labelers_prior *prior; /* borrowed */
    og_labelers_rules rules;        /* with their own copy of the history */
    double *weight;                 /* [hypotheses] after the history */
    bool alike;                     /* labelers may still be exchanged */
    int32_t choices;
    og_labelers_choice *choice; /* [choices] sorted by size, then by members */
    int32_t kinds;              /* outcomes of all choices: */
    uint32_t *kind_ones;        /* [kinds] without its complement; */
    double *chance;             /* [kinds * hypotheses] */
    double *cost;               /* [choices] of a task's votes */
    double *worth;              /* [choices * hypotheses] U of the set, minus its cost */
    double *most;               /* [hypotheses] value of the best choice there */
    double *power; /* [kinds * hypotheses * (budget + 1)] powers of the probabilities */
    double still;  /* expected from one task with the choice that is best now */
    double error;  /* relative, of a value at the root; proved */
    double scale;  /* largest absolute value of a task */
} og_labelers_problem;

/* OG_BAD_INPUT with a message: the history is impossible under every hypothesis. OG_STOPPED with
 * one: tables are larger than memory_bytes; OG_NO_MEMORY. */
og_status og_labelers_problem_new(const og_labelers_prior *prior, const og_labelers_rules *rules,
                                  uint64_t memory_bytes, og_labelers_problem **out,
                                  og_message *message);
void og_labelers_problem_free(og_labelers_problem *game); /* NULL is fine */

/*
 * Choices that the optimum does not need, left_out[choices]. First, those without information:
 * after one nothing has changed, so it may as well be made after all others, and then the best of
 * them to the end. Second, at price 0, if no labeler is wrong more often than right, sets of even
 * size: the same set with one more labeler has at least the same value and gives at least as much
 * information.
 */
void og_labelers_left_out(const og_labelers_problem *game, bool *left_out);

/* The data that a policy sees (og_model.state). An act is {members}. */
typedef struct {
    const og_labelers_problem *game;
    int32_t left;
    const double *weight; /* [hypotheses] at present, with sum 1 */
    const uint8_t *times; /* [kinds] how often each outcome has occurred */
} og_labelers_state;

/*
 * The model for a question. With OG_REDUCE_MERGE the choices of og_labelers_left_out are omitted,
 * and the best choice without information is made once, to the end; OG_REDUCE_SORT renames equal
 * labelers. Strategies see all sets. Borrows the game; OG_NO_MEMORY.
 */
og_status og_labelers_model(const og_labelers_problem *game, const og_value_asked *question,
                            og_model *out);

/* The same for the greedy policy: og_labelers_greedy's choice in every state, and one without
 * information to the end. It applies the question's strategy itself (og_model.decided). `costs`:
 * the value is only the cost of its votes. */
og_status og_labelers_greedy_model(const og_labelers_problem *game, bool costs, og_model *out);

/* ---- values without a model ---- */

/* The value if everybody votes on every task and the label is the likelier one given all votes so
 * far: an upper bound on the expected right labels of any rule that asks each labeler at most once
 * for each task. OG_STOPPED with a message if it takes too long. */
og_status og_labelers_any_rule(const og_labelers_problem *game, og_stop *stop, double *value,
                               og_message *message);

/* The mean of worth[hypotheses] under these weights. */
static inline double og_labelers_mean(const og_labelers_problem *game, const double *weight,
                                      const double *worth)
{
    double sum = 0;
    for (int32_t h = 0; h < game->prior->hypotheses; h++) {
        sum += weight[h] * worth[h];
    }
    return sum;
}

/* Expected from one task if the accuracies are revealed before it: an upper bound for any rule. */
double og_labelers_told(const og_labelers_problem *game);

/* In fractions. `what`: the optimum; greedy, which asks the smallest set that is best now, or the
 * cost of its votes; the value of og_labelers_any_rule; `still`, and the value of og_labelers_told,
 * of one task. OG_STOPPED with a message for more than OG_LABELERS_EXACT_STATES states; the prior
 * must be rational. */
typedef enum {
    OG_LABELERS_OPTIMUM,
    OG_LABELERS_GREEDY,
    OG_LABELERS_GREEDY_COST,
    OG_LABELERS_ANY_RULE,
    OG_LABELERS_STILL,
    OG_LABELERS_TOLD,
} og_labelers_exact;
enum { OG_LABELERS_EXACT_STATES = 2000000 };
og_status og_labelers_value_exact(const og_labelers_problem *game, og_labelers_exact what,
                                  og_stop *stop, mpq_t value, og_message *message);

/* The total value of each of these acts at the root followed by optimal play, q[count]. */
og_status og_labelers_q_exact(const og_labelers_problem *game, const og_act_open *open,
                              int32_t count, og_stop *stop, mpq_t *q, og_message *message);

/* The greedy choice under these weights: the largest value, with ties within OG_LABELERS_TIE, then
 * the smallest set, then the first. */
#define OG_LABELERS_TIE 1e-12
int32_t og_labelers_greedy(const og_labelers_problem *game, const double *weight);

#endif
