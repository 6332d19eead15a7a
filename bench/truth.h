#ifndef OG_BENCH_TRUTH_H
#define OG_BENCH_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/random.h"
#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * The truth: the source of the instances' soft labels in a simulation. Policies always use the
 * priors of the problem; the truth may differ.
 */
typedef enum {
    OG_TRUTH_PRIOR,     /* each instance's own prior, drawn anew in every run */
    OG_TRUTH_BETA,      /* Beta(a, b) for all instances, drawn anew in every run */
    OG_TRUTH_LIST,      /* given, the same in every run */
    OG_TRUTH_DIRICHLET, /* of a ranking: scores drawn anew in every run with these parameters */
    OG_TRUTH_UNIFORM,   /* of labelers: accuracies drawn anew in every run, uniformly from a .. b */
} og_truth_kind;

typedef struct og_truth og_truth;
struct og_truth {
    og_truth_kind kind;
    og_fraction a, b;  /* OG_TRUTH_BETA, OG_TRUTH_UNIFORM */
    int64_t count;     /* OG_TRUTH_LIST, OG_TRUTH_DIRICHLET: one for each instance or item, in the
                          order given */
    og_fraction *soft; /* [count] >= 0; owned */
    og_truth *workers; /* of a ranking: how reliable they are; owned. NULL: OG_TRUTH_PRIOR */
};

/*
 * Read "prior", "beta:A,B", "list:X,X,...", "dirichlet:A,A,..." (decimals >= 0) or "uniform:LO,HI"
 * (0 <= LO <= HI <= 1), and of workers "workers:A,B" or "workers-list:X,X,...", alone or after one
 * of the others and a blank.
 * OG_BAD_INPUT with a message; OG_NO_MEMORY. *out is written on success only; free it with
 * og_truth_clear. A zeroed og_truth is "prior".
 */
og_status og_truth_parse(const char *text, og_truth *out, og_message *message);

/* True if the truth is the prior; NULL means the prior. */
bool og_truth_is_prior(const og_truth *truth);

/*
 * Read a belief "A,B": the Beta prior that policies assume for all instances. Each instance keeps
 * its threshold. OG_BAD_INPUT with a message; *out is written on success only.
 */
og_status og_belief_parse(const char *text, og_group *out, og_message *message);

/* Refuse what only labelers support: OG_TRUTH_UNIFORM. OG_BAD_INPUT with a message. */
og_status og_truth_for_labelers(const og_truth *truth, og_message *message);

/* Check that a list has one soft label in 0 .. 1 for each instance, and that the truth of instances
 * with several classes is their prior. OG_BAD_INPUT with a message if not. */
og_status og_truth_check(const og_truth *truth, const og_groups *problem, og_message *message);

/* For coupled instances: OG_BAD_INPUT with a message unless a list has so many numbers, each at
 * most 1; `what` is one of them ("soft label"), `name` what they are of ("instances"). NULL, and
 * what is no list, are fine. */
og_status og_truth_check_list(const og_truth *truth, int64_t count, const char *what,
                              const char *name, og_message *message);

/*
 * The soft label of an instance of `group` in a run, 0 .. 1, for OG_TRUTH_PRIOR and OG_TRUTH_BETA:
 * GSL's Beta variates from random numbers with addresses (bench/random.h). For a mixture, first one
 * of its components is drawn. run < 2^56.
 */
double og_truth_draw(const og_truth *truth, const og_group *group, uint64_t seed, uint64_t run,
                     uint32_t instance);

/*
 * For a group with several classes: draw their probabilities from its prior (GSL's Dirichlet
 * variates) and write the cumulative sums, cut[c] = probability of class 0 + .. + probability of
 * class c, [classes - 1]. Returns the most probable class.
 */
int32_t og_truth_draw_classes(const og_group *group, uint64_t seed, uint64_t run, uint32_t instance,
                              double *cut);

/* The start of a stream of random numbers (bench/random.h). */
typedef struct {
    uint64_t seed;
    og_draw_purpose purpose;
    uint64_t run;
    uint32_t instance;
    uint32_t number; /* the first */
} og_draw_place;

/* GSL's Beta(a, b) variate from the stream that starts here; it uses a few numbers. */
double og_beta_draw(double a, double b, const og_draw_place *from);

/* GSL's Gamma(a) variate, > 0. Such variates divided by their sum are a Dirichlet variate. */
double og_gamma_draw(double a, const og_draw_place *from);

void og_truth_clear(og_truth *truth);

#endif
