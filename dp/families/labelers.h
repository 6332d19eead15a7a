#ifndef OG_DP_FAMILIES_LABELERS_H
#define OG_DP_FAMILIES_LABELERS_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * Choosing labelers without ground truth (Liu and Liu, SIGMETRICS 2015). A task arrives at each
 * time 1 .. T and gets one label of two at once, by the votes of a set of labelers; labeler i is
 * right with chance p_i, independently of everything, and no truth is ever seen. A set is a mask
 * of bits.
 */
enum { OG_LABELERS_MAX = 9, OG_LABELERS_SETS = 1 << OG_LABELERS_MAX };

typedef struct {
    int32_t count;                        /* 1 .. OG_LABELERS_MAX */
    og_fraction right[OG_LABELERS_MAX];   /* p_i, from 0 to 1; what fractions go by */
    double chance[OG_LABELERS_MAX];       /* p_i and 1 - p_i, each rounded by itself; */
    double chance_wrong[OG_LABELERS_MAX]; /* what doubles go by */
    og_fraction cost[OG_LABELERS_MAX];    /* of a vote, >= 0 */
    double eps; /* sums of log odds below this are a tie of a weighted vote; 0: equal ones alone */
} og_labelers;

og_fraction og_labelers_complement(og_fraction chance); /* 1 - chance, of a chance from 0 to 1 */

/* Labeler i, whose p is this fraction, or this double with its complement. */
void og_labelers_set(og_labelers *of, int32_t i, og_fraction right);
void og_labelers_set_double(og_labelers *of, int32_t i, double right, double wrong);

/* ---- votes; OG_NO_MEMORY all of them. Relative errors of doubles: og_labelers_error ---- */

/* What votes are worth, exactly or in doubles. */
typedef struct {
    double majority[OG_LABELERS_SETS]; /* U of each set: its majority is right; of nobody 1/2 */
    double weighted; /* of the best vote weighted by the log odds of p: without eps, everybody's,
                        the best there is */
    uint32_t best, best_weighted;         /* the smallest best sets, by both ways of voting */
    double disagreement[OG_LABELERS_MAX]; /* chance to differ from the majority of all */
} og_votes;
og_status og_votes_make(const og_labelers *of, og_votes *out);

/* The same as fractions: majority[2^count], disagreement[count], weighted, each NULL where it is
 * not wanted. */
og_status og_votes_make_exact(const og_labelers *of, mpq_t *majority, mpq_t *disagreement,
                              mpq_ptr weighted, uint32_t *best);

/* The chance that the vote of a set, weighted by the log odds of what `by` says, is right. */
og_status og_votes_weighted(const og_labelers *of, const og_labelers *by, uint32_t set,
                            double *out);
og_status og_votes_weighted_exact(const og_labelers *of, const og_labelers *by, uint32_t set,
                                  mpq_t out);

/* U of one set alone. */
og_status og_votes_majority(const og_labelers *of, uint32_t set, double *out);

/* After n votes of everybody: the chance that i has differed from the majority less often than j,
 * and as often as j. */
og_status og_votes_order(const og_labelers *of, int32_t i, int32_t j, int32_t n, double *fewer,
                         double *equal);

/* Proved relative error of anything above that is a double. */
double og_labelers_error(int32_t count);

/* ---- LS_OL ---- */

typedef struct {
    double explore[2]; /* G1, G2 >= 0 */
    int32_t budget;    /* T */
    bool weighted;     /* votes are weighted by estimates, (agreed + 1/2) / (testers + 1) */
    double cells;      /* G1 ln t and G2 ln t times t to this power, for so many cells of contexts;
                          0: as they are */
} og_ls_ol;

/* What is done at a time: the task is given to the best set for the estimates, or becomes a tester,
 * or a tester is labelled again and the task gets a coin. */
typedef enum { OG_LS_OL_EXPLOIT, OG_LS_OL_NEW, OG_LS_OL_AGAIN } og_ls_ol_step;
enum { OG_LS_OL_STEPS = 3 };

/* The schedule, which nothing random enters. */
typedef struct {
    const og_ls_ol *by;
    int32_t time;
    int64_t testers; /* after the last step */
    int64_t times;   /* every tester was labelled so often, at an exploitation */
    int64_t missing; /* labels of testers until then */
} og_ls_ol_state;
void og_ls_ol_begin(const og_ls_ol *by, og_ls_ol_state *out);
og_ls_ol_step og_ls_ol_next(og_ls_ol_state *state);

/* The law of one tester labelled `times` times: law[2^count] over the sets of those who agree. */
og_status og_tester_law(const og_labelers *of, int32_t times, double *law);
og_status og_tester_law_exact(const og_labelers *of, int32_t times, mpq_t *law);

typedef struct {
    double right; /* expected right labels of T tasks */
    double cost;  /* expected cost of votes, without time 0 */
    double error; /* of both, relative, proved */
    int32_t steps[OG_LS_OL_STEPS];
    int32_t testers, times;       /* at the last exploitation; 0: there is none */
    double set[OG_LABELERS_SETS]; /* law of the set then */
} og_ls_ol_value;

/*
 * The exact expectation: (E + 1)^count cells for E testers, and as many sets. OG_STOPPED with a
 * message where they take more than memory_bytes, where testers are labelled more than
 * OG_LS_OL_TIMES_MAX times, and without one where `stop` (NULL: nobody) says so; OG_NO_MEMORY.
 */
enum { OG_LS_OL_TIMES_MAX = 10000 };
og_status og_ls_ol_run(const og_labelers *of, const og_ls_ol *by, uint64_t memory_bytes,
                       og_stop *stop, og_ls_ol_value *out, og_message *message);

/* The same in fractions, and the doubles of *out rounded: right, cost and set[2^count] (NULL: not
 * wanted) are the caller's. */
og_status og_ls_ol_run_exact(const og_labelers *of, const og_ls_ol *by, uint64_t memory_bytes,
                             og_stop *stop, og_ls_ol_value *out, mpq_t right, mpq_t cost,
                             mpq_t *set, og_message *message);

/* What LS_OL asks among these labelers, who agreed so often with so many testers: the best set for
 * the estimates, which *by says too. OG_NO_MEMORY. */
og_status og_ls_ol_select(const og_labelers *of, bool weighted, uint32_t among,
                          const int32_t *agreed, int32_t testers, og_labelers *by, uint32_t *set);

#endif
