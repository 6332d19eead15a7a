#ifndef OG_DP_FAMILIES_LABELERS_GAME_H
#define OG_DP_FAMILIES_LABELERS_GAME_H

#include "dp/base/arena.h"
#include "dp/engine/solution.h"
#include "dp/families/labelers.h"

/*
 * What labelers are worth to whoever knows a prior on their accuracies: a finite mixture of
 * hypotheses. Each task is given to a set of labelers whose majority is its label, at once and for
 * ever; what their votes tell is only who agrees with whom.
 */
typedef struct {
    og_arena arena;
    int32_t count;      /* labelers */
    int32_t hypotheses; /* at least 1 */
    double *weight;     /* [hypotheses] > 0, one in all */
    og_labelers *at;    /* [hypotheses] */
    bool rational;      /* weights and accuracies are fractions as well: */
    mpq_t *exact;       /* [hypotheses] weights */
    bool alike;         /* labelers may change their places */
    double error;       /* relative, of weights and chances, beside their last digits */
} og_labelers_prior;

enum { OG_LABELERS_HYPOTHESES_MAX = 100000 };

/* These accuracies, known; or known but not whose they are: all different orders, alike where
 * costs are equal. OG_NO_MEMORY; OG_STOPPED with a message for more than
 * OG_LABELERS_HYPOTHESES_MAX. */
og_status og_labelers_prior_known(const og_labelers *of, og_labelers_prior **out);
og_status og_labelers_prior_orders(const og_labelers *of, og_labelers_prior **out,
                                   og_message *message);

/* Independent Beta(a, b), by as many points each as are exact for `tasks` tasks and LS_OL's first;
 * `of` says the rest of the labelers. */
og_status og_labelers_prior_beta(const og_labelers *of, og_fraction a, og_fraction b, int32_t tasks,
                                 og_labelers_prior **out, og_message *message);

/* Hypotheses given: weight[hypotheses] one in all, and their accuracies; `of` says the rest. */
og_status og_labelers_prior_given(const og_labelers *of, const og_fraction *weight,
                                  const og_fraction *right, int32_t hypotheses,
                                  og_labelers_prior **out);
void og_labelers_prior_free(og_labelers_prior *prior); /* NULL is fine */

/* ---- the game ---- */

/* Votes of a set: `asked` and, of them, those who voted for the first of the two labels. */
typedef struct {
    uint32_t asked, ones;
} og_labelers_votes;

typedef struct {
    int32_t budget;                   /* tasks to come */
    og_fraction price;                /* of one unit of cost, in right labels */
    bool odd;                         /* sets of odd size alone, and everybody */
    bool nobody;                      /* may be asked, for a coin */
    bool weighted;                    /* votes are weighted by the accuracies, which are known */
    int32_t had;                      /* tasks before */
    const og_labelers_votes *history; /* [had] */
} og_labelers_rules;

/* A set that may be asked. */
typedef struct {
    uint32_t members;
    int32_t kind_first,
        kinds; /* its outcomes, up to their complements; kinds 0: they tell nothing */
} og_labelers_choice;

typedef struct {
    og_arena arena;
    const og_labelers_prior *prior; /* borrowed */
    og_labelers_rules rules;        /* with a history of its own */
    double *weight;                 /* [hypotheses] after the history */
    bool alike;                     /* labelers may still change their places */
    int32_t choices;
    og_labelers_choice *choice; /* [choices] by size, then by members */
    int32_t kinds;              /* outcomes of all choices: */
    uint32_t *kind_ones;        /* [kinds] without its complement; */
    double *chance;             /* [kinds * hypotheses] */
    double *cost;               /* [choices] of a task's votes */
    double *worth;              /* [choices * hypotheses] U of the set, less what it costs */
    double *most;               /* [hypotheses] worth of the best choice there */
    double *power;              /* [kinds * hypotheses * (budget + 1)] of the chances */
    double still;               /* expected of one task with the choice that is best now */
    double error;               /* relative, of a value at the root; proved, but for the points of
                                   a Beta */
    double scale;               /* no task's worth is larger in absolute value */
} og_labelers_game;

/* OG_BAD_INPUT with a message: the history is impossible under every hypothesis. OG_STOPPED with
 * one: tables are larger than memory_bytes; OG_NO_MEMORY. */
og_status og_labelers_game_new(const og_labelers_prior *prior, const og_labelers_rules *rules,
                               uint64_t memory_bytes, og_labelers_game **out, og_message *message);
void og_labelers_game_free(og_labelers_game *game); /* NULL is fine */

/*
 * Choices that the optimum can do without, left_out[choices]. Those that tell nothing: what is
 * known does not change after one, so whoever asks one may as well do so after all others, and then
 * the best of them to the end. At price 0, where nobody is wrong more often than right, sets of
 * even size: the same with one labeler more is worth at least as much and tells at least as much.
 */
void og_labelers_left_out(const og_labelers_game *game, bool *left_out);

/* What a policy is shown (og_model.state). An act is {members}. */
typedef struct {
    const og_labelers_game *game;
    int32_t left;
    const double *weight; /* [hypotheses] now, one in all */
    const uint8_t *times; /* [kinds] each outcome came about */
} og_labelers_state;

/*
 * The model under a question. With OG_REDUCE_MERGE og_labelers_left_out is left out, the best
 * choice that tells nothing being one to the end; OG_REDUCE_SORT renames labelers that are alike.
 * Strategies see all sets. Borrows the game; OG_NO_MEMORY.
 */
og_status og_labelers_model(const og_labelers_game *game, const og_question *question,
                            og_model *out);

/* The same under greedy: og_labelers_greedy's choice in every state, one that tells nothing to the
 * end. It is the question's strategy itself (og_model.decided). `costs`: counted is what its votes
 * cost, and nothing else. */
og_status og_labelers_greedy_model(const og_labelers_game *game, bool costs, og_model *out);

/* ---- values beside the model's ---- */

/* If everybody votes on every task and the label is the likelier one by all votes so far: nobody
 * who never asks again can expect more right labels, by whatever rule. OG_STOPPED with a message
 * where it takes long. */
og_status og_labelers_any_rule(const og_labelers_game *game, og_stop *stop, double *value,
                               og_message *message);

/* Expected of one task if the accuracies are told before it: nobody can expect more. */
double og_labelers_told(const og_labelers_game *game);

/* In fractions. what: the optimum; greedy, which asks the smallest set that is best now, or what
 * its votes cost; the value of og_labelers_any_rule; `still`, and what og_labelers_told tells, of
 * one task. OG_STOPPED with a message for more than OG_LABELERS_EXACT_STATES states; the prior is
 * rational. */
typedef enum {
    OG_LABELERS_OPTIMUM,
    OG_LABELERS_GREEDY,
    OG_LABELERS_GREEDY_COST,
    OG_LABELERS_ANY_RULE,
    OG_LABELERS_STILL,
    OG_LABELERS_TOLD,
} og_labelers_exact;
enum { OG_LABELERS_EXACT_STATES = 2000000 };
og_status og_labelers_value_exact(const og_labelers_game *game, og_labelers_exact what,
                                  og_stop *stop, mpq_t value, og_message *message);

/* Of these acts at the root, and optimal play after that: all that comes, q[count]. */
og_status og_labelers_q_exact(const og_labelers_game *game, const og_open *open, int32_t count,
                              og_stop *stop, mpq_t *q, og_message *message);

/* The choice that greedy takes under these weights: the largest worth, ties within
 * OG_LABELERS_TIE, the smallest set, then the first. */
#define OG_LABELERS_TIE 1e-12
int32_t og_labelers_greedy(const og_labelers_game *game, const double *weight);

#endif
