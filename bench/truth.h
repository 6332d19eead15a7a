#ifndef OG_BENCH_TRUTH_H
#define OG_BENCH_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/random.h"
#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * Where the instances' soft labels come from in a simulation. A policy always reckons with the
 * priors of the problem; the truth may be something else.
 */
typedef enum {
    OG_TRUTH_PRIOR,     /* each instance's own prior, drawn anew in every run */
    OG_TRUTH_BETA,      /* Beta(a, b) for all instances, drawn anew in every run */
    OG_TRUTH_LIST,      /* given, the same in every run */
    OG_TRUTH_DIRICHLET, /* of a ranking: scores drawn anew in every run with these parameters */
} og_truth_kind;

typedef struct og_truth og_truth;
struct og_truth {
    og_truth_kind kind;
    og_fraction a, b;  /* OG_TRUTH_BETA */
    int64_t count;     /* OG_TRUTH_LIST, OG_TRUTH_DIRICHLET: one for each instance or item, in the
                          order given */
    og_fraction *soft; /* [count] >= 0; owned */
    og_truth *workers; /* of a ranking: how reliable they are; owned. NULL: OG_TRUTH_PRIOR */
};

/*
 * Read "prior", "beta:A,B", "list:X,X,..." or "dirichlet:A,A,..." (decimals >= 0), and of workers
 * "workers:A,B" or "workers-list:X,X,...", alone or behind one of the others and a blank.
 * OG_BAD_INPUT with a message that names what is wrong; OG_NO_MEMORY. *out is written on success
 * only; free it with og_truth_clear. A zeroed og_truth is "prior".
 */
og_status og_truth_parse(const char *text, og_truth *out, og_message *message);

/* Is nothing else said? NULL: so it is. */
bool og_truth_is_prior(const og_truth *truth);

/*
 * Read what is believed of all instances, "A,B", a Beta whose threshold each instance has of its
 * own. OG_BAD_INPUT with a message; *out is written on success only.
 */
og_status og_belief_parse(const char *text, og_group *out, og_message *message);

/* Does a list have one soft label for each instance, 0 .. 1, and is the truth of several classes
 * their prior? OG_BAD_INPUT with a message if not. */
og_status og_truth_check(const og_truth *truth, const og_groups *problem, og_message *message);

/*
 * The soft label of an instance of `group` in a run, 0 .. 1, for OG_TRUTH_PRIOR and OG_TRUTH_BETA:
 * GSL's Beta variates from numbers drawn by address (bench/random.h); of a mixture,
 * first one of its components is drawn. run < 2^56.
 */
double og_truth_draw(const og_truth *truth, const og_group *group, uint64_t seed, uint64_t run,
                     uint32_t instance);

/*
 * For a group with several classes: their shares from its prior (GSL's Dirichlet variates), summed
 * up: cut[c] = share of class 0 + .. + share of class c, [classes - 1]. Returns the class with the
 * largest share.
 */
int32_t og_truth_draw_classes(const og_group *group, uint64_t seed, uint64_t run, uint32_t instance,
                              double *cut);

/* Where a stream of random numbers begins (bench/random.h). */
typedef struct {
    uint64_t seed;
    og_draw_purpose purpose;
    uint64_t run;
    uint32_t instance;
    uint32_t number; /* the first */
} og_draw_place;

/* GSL's Beta(a, b) variate from the numbers that begin here: a handful of them. */
double og_beta_draw(double a, double b, const og_draw_place *from);

/* And Gamma(a), > 0: such numbers over their sum are a Dirichlet variate. */
double og_gamma_draw(double a, const og_draw_place *from);

void og_truth_clear(og_truth *truth);

#endif
