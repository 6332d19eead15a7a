#ifndef OG_BENCH_QUESTIONS_REGRET_H
#define OG_BENCH_QUESTIONS_REGRET_H

#include <gmp.h>

#include "bench/asked.h"
#include "heuristics/bounds/minimax.h"

/*
 * Regret when the prior is unknown: how far each policy falls short of the optimum for each prior
 * of a list, if all instances have that prior.
 */
enum { OG_REGRET_PRIORS_MAX = 400 };

/* A policy with one tie rule and one belief. */
typedef struct {
    int32_t policy; /* index into the request's policies; -1: the optimal policy for the belief */
    og_ties ties;
    int32_t belief; /* index into the priors; -1: the problem's own prior */
    og_status status;
    og_message message;  /* why it is missing */
    double *regret;      /* [prior_count] like the next */
    double *error;       /* proved; for a fraction the error of rounding it */
    mpq_t *regret_exact; /* [prior_count]; NULL: in doubles */
    int32_t worst;       /* the prior with the largest regret */
} og_regret_row;

typedef struct {
    og_arena arena;
    og_groups groups; /* of the problem; owned */
    bool stopped;     /* time or the watch ended a part, so rows are missing */
    int32_t prior_count;
    og_group *prior;         /* [prior_count] */
    char **text;             /* [prior_count] "A,B" */
    double *optimal, *error; /* [prior_count] optimal values for the true prior, and their proved
                                errors */
    mpq_t *optimal_exact;    /* [prior_count]; NULL: in doubles */
    int32_t row_count;
    og_regret_row *rows;
    const og_regret_row **order; /* [row_count] rows with a result first, in order of their largest
                                    regret */
    og_minimax *minimax;         /* NULL: not requested, or missing */
    og_message minimax_message;  /* then the reason */
} og_regret;

/*
 * Fill *out; free it with og_regret_clear, whatever is returned. Here OG_STATES_USUAL is 20
 * million. OG_BAD_INPUT with a message: not such a list, an unsupported problem or tie rule, or
 * priors without fractions. OG_STOPPED, OG_NO_MEMORY: an optimal value could not be computed. If a
 * limit ended a row or the minimax, its own message shows it. Each row needs one evaluation for
 * each prior.
 */
og_status og_regret_find(const og_asked *asked, og_regret *out, og_message *message);
void og_regret_clear(og_regret *regret);

#endif
