#ifndef OG_DP_FAMILIES_LABELERS_H
#define OG_DP_FAMILIES_LABELERS_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * Choosing labelers when the truth is never revealed (Liu and Liu, SIGMETRICS 2015). A task arrives
 * at each time 1 .. T and at once gets one of two labels, from the votes of a set of labelers.
 * Labeler i is right with probability p_i, independently of everything, and no truth is ever seen.
 * A set is a mask of bits.
 */
enum {
    OG_LABELERS_MAX = 30,      /* in runs; */
    OG_LABELERS_EXACT_MAX = 9, /* of all functions that do not say OG_LABELERS_MAX */
    OG_LABELERS_SETS = 1 << OG_LABELERS_EXACT_MAX,
    OG_LABELERS_WEIGHED_MAX = 10, /* of a weighted vote whose patterns are listed */
};

typedef struct {
    int32_t count;                        /* 1 .. OG_LABELERS_MAX */
    og_fraction right[OG_LABELERS_MAX];   /* p_i, from 0 to 1; used by fractions */
    double chance[OG_LABELERS_MAX];       /* p_i and 1 - p_i, each rounded separately; */
    double chance_wrong[OG_LABELERS_MAX]; /* used by doubles */
    og_fraction cost[OG_LABELERS_MAX];    /* of a vote, >= 0 */
    double eps; /* sums of log odds below this tie in a weighted vote; 0: only equal ones */
} og_labelers;

og_fraction og_labelers_complement(og_fraction chance); /* 1 - chance, for chances 0 .. 1 */

/* Sets labeler i, with p from this fraction, or from this double with its complement. */
void og_labelers_set(og_labelers *labelers, int32_t i, og_fraction right);
void og_labelers_set_double(og_labelers *labelers, int32_t i, double right, double wrong);

/* ---- votes; OG_NO_MEMORY all of them. Relative errors of doubles: og_labelers_error ---- */

/* Values of votes, exact or in doubles. */
typedef struct {
    double majority[OG_LABELERS_SETS]; /* U of each set: the probability that its majority is right;
                                        * 1/2 for the empty set */
    double weighted; /* of the best vote weighted with the log odds of p: without eps, that of
                      * everybody, the best possible */
    uint32_t best, best_weighted;         /* the smallest best sets, for both kinds of votes */
    double disagreement[OG_LABELERS_MAX]; /* probability of differing from the majority of all */
} og_votes;
og_status og_votes_make(const og_labelers *labelers, og_votes *out);

/* The same as fractions: majority[2^count], disagreement[count], weighted, each NULL if not
 * wanted. */
og_status og_votes_make_exact(const og_labelers *labelers, mpq_t *majority, mpq_t *disagreement,
                              mpq_ptr weighted, uint32_t *best);

/* The probability that the vote of a set of at most OG_LABELERS_WEIGHED_MAX is right, if it is
 * weighted with the log odds given by `by`. */
og_status og_votes_weighted(const og_labelers *labelers, const og_labelers *by, uint32_t set,
                            double *out);
og_status og_votes_weighted_exact(const og_labelers *labelers, const og_labelers *by, uint32_t set,
                                  mpq_t out);

/* The smallest best set of at most OG_LABELERS_MAX labelers, and the probability that its vote is
 * right; weighted votes have the log odds of p. If more than OG_LABELERS_WEIGHED_MAX weigh, the set
 * is all labelers and the probability NAN. */
og_status og_votes_best(const og_labelers *labelers, bool weighted, uint32_t *set, double *right);

/* U of one set alone, of at most OG_LABELERS_MAX labelers. */
og_status og_votes_majority(const og_labelers *labelers, uint32_t set, double *out);

/* Proved relative error of all doubles above. */
double og_labelers_error(int32_t count);

/* ---- LS_OL ---- */

typedef struct {
    double explore[2]; /* G1, G2 >= 0 */
    int32_t budget;    /* T */
    bool weighted;     /* votes are weighted with estimates, (agreed + 1/2) / (testers + 1) */
    double cells;      /* G1 ln t and G2 ln t times t to this power, for so many cells of contexts;
                        * 0: unchanged */
} og_ls_ol;

/* The step at a time: the task is given to the best set for the estimates; or it becomes a tester;
 * or a tester is labelled again and a coin labels the task. */
typedef enum { OG_LS_OL_EXPLOIT, OG_LS_OL_NEW, OG_LS_OL_AGAIN } og_ls_ol_step;
enum { OG_LS_OL_STEPS = 3 };

/* The schedule, which is not random. */
typedef struct {
    const og_ls_ol *by;
    int32_t time;
    int64_t testers; /* after the last step */
    int64_t times;   /* number of labels of every tester, at an exploitation */
    int64_t missing; /* labels of testers until then */
} og_ls_ol_state;
void og_ls_ol_begin(const og_ls_ol *by, og_ls_ol_state *out);
og_ls_ol_step og_ls_ol_next(og_ls_ol_state *state);

typedef struct {
    double right; /* expected right labels of T tasks */
    double cost;  /* expected cost of votes, without time 0 */
    double error; /* of both, relative, proved */
    int32_t steps[OG_LS_OL_STEPS];
    int32_t testers, times;       /* at the last exploitation; 0: there is none */
    double set[OG_LABELERS_SETS]; /* distribution of the set then */
} og_ls_ol_value;

/*
 * The exact expectation: (E + 1)^count cells for E testers, and as many sets. OG_STOPPED with a
 * message if they exceed memory_bytes or testers are labelled more than OG_LS_OL_TIMES_MAX times,
 * and without one if `stop` (may be NULL) ends the work; OG_NO_MEMORY.
 */
enum { OG_LS_OL_TIMES_MAX = 10000 };
og_status og_ls_ol_run(const og_labelers *labelers, const og_ls_ol *by, uint64_t memory_bytes,
                       og_stop *stop, og_ls_ol_value *out, og_message *message);

/* The same in fractions, and their doubles; the caller owns right, cost and set[2^count] (NULL: not
 * wanted). */
typedef struct {
    og_ls_ol_value rounded;
    mpq_ptr right, cost;
    mpq_t *set;
} og_ls_ol_exact;
og_status og_ls_ol_run_exact(const og_labelers *labelers, const og_ls_ol *by, uint64_t memory_bytes,
                             og_stop *stop, og_ls_ol_exact *out, og_message *message);

/* The set that LS_OL chooses among these labelers, at most OG_LABELERS_MAX, which agreed this often
 * with so many testers: the best set for the estimates, which are also written to *by; with weights
 * all labelers if they are more than OG_LABELERS_WEIGHED_MAX. OG_NO_MEMORY. */
og_status og_ls_ol_select(const og_labelers *labelers, bool weighted, uint32_t among,
                          const int32_t *agreed, int32_t testers, og_labelers *by, uint32_t *set);

#endif
