#ifndef OG_BENCH_FAMILY_H
#define OG_BENCH_FAMILY_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/estimate.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/product/policy.h"
#include "dp/product/solve.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/exact_bounds.h"
#include "heuristics/policy.h"

/*
 * What compare and query need to know of a problem. Independent instances
 * (bench/families/independent.h) are one family of problems; those whose instances are coupled, or
 * in which things happen without a decision, are others. A family knows its problem, how to value
 * the optimum and a policy on it, and which bounds it has; the order of events, limits, gaps and
 * brackets are written once, in bench/value/compare.c.
 */
struct og_explanation; /* bench/value/explain.h */

typedef struct {
    og_result *result; /* as og_solver_value fills it */
    mpq_ptr value;     /* these two: as fractions; NULL unless exact arithmetic was asked for */
    mpq_ptr gain;
    uint64_t tolerance_ties; /* policies: see og_ranks */
    /* Policies whose own final calls are not those of the exact posterior: the value when the exact
     * posterior makes them; NAN where there is no such difference. */
    double called_value;
} og_valued;

/* The bounds a comparison can hold. */
typedef enum {
    OG_BOUND_SCALAR,
    OG_BOUND_VECTOR,
    OG_BOUND_PREVAILING,
    OG_BOUND_COUNT
} og_bound_kind;

/* What can be labelled first, and what that is worth. */
typedef struct {
    int32_t instance; /* group, in the order given */
    int32_t worker;   /* group of workers; -1: there is one kind */
    double q;         /* gain still to come if this is done now and play is optimal after that */
    double error;     /* proved, or as stated by the family */
} og_first_action;

/* How often and how long policies are played. */
typedef struct {
    int64_t runs;
    uint64_t seed;
    int threads;
    uint64_t memory_bytes;
    double seconds_max; /* as in og_simulate_request, like the rest */
    bool (*interrupted)(void *user);
    void *user;
} og_family_runs;

typedef struct og_family og_family;
struct og_family {
    void *self;
    int32_t budget;       /* labels to give */
    int64_t instances;    /* whose calls are counted */
    const char *policies; /* names valued where none are asked for, commas between */
    /* Everything below may be NULL where the family has no such thing, but for `call`, `optimum`,
     * `policy` and `free`. Calls for different policies are made by several threads at once, unless
     * settings->threads > 1. */

    /* What is expected without any label, and its absolute error, proved. */
    og_status (*call)(void *self, double *call, double *error, mpq_ptr exact, og_message *message);

    /* Exact arithmetic is possible; else OG_BAD_INPUT with a message. NULL: never. */
    og_status (*check_exact)(void *self, og_message *message);

    /* A checkpoint that is there can be continued from. NULL: there are no checkpoints. */
    og_status (*check_checkpoint)(void *self, const og_settings *settings, og_message *message);

    /* *out is filled on OG_OK; on OG_STOPPED sizes and seconds only. */
    og_status (*optimum)(void *self, const og_settings *settings, og_valued *out,
                         og_message *message);

    /* Make what valuing a policy needs (tables of an index), number `policy` of the caller's list.
     * One at a time, on the calling thread. The memory is for a solver inside the policy, if it has
     * one (og_policy_has_solver), and the watch for that one's work, on any thread. OG_BAD_INPUT:
     * this family does not know the policy. */
    og_status (*prepare)(void *self, int32_t policy, const og_policy *named,
                         const og_settings *settings, og_message *message);

    /* The exact value of a policy that was prepared. */
    og_status (*policy)(void *self, int32_t policy, og_ties ties, const og_settings *settings,
                        og_valued *out, og_message *message);

    /* Why a policy that was prepared loses, in doubles. The memory of the settings is for all that
     * is kept for this, from one policy to the next, and watch and watch_user must be the same for
     * all. NULL: this family cannot tell. */
    og_status (*explain)(void *self, int32_t policy, og_ties ties, const og_settings *settings,
                         struct og_explanation *out, og_message *message);

    /* Play a policy many times, whether it was prepared or not. OG_BAD_INPUT, OG_STOPPED or
     * OG_NO_MEMORY with a message: not simulated. NULL: never. */
    og_status (*simulate)(void *self, const og_policy *named, og_ties ties,
                          const og_family_runs *runs, og_estimate *out, og_message *message);

    /* An upper bound; *out is untouched where the family has none of this kind (its value is
     * INFINITY then). */
    og_status (*bound)(void *self, og_bound_kind kind, const og_settings *settings, og_bound *out,
                       og_message *message);

    /* The same as a fraction, from *bound, which a search in doubles found; as og_exact_bound_find.
     */
    og_status (*exact_bound)(void *self, og_bound_kind kind, uint64_t memory_bytes,
                             const og_exact_bound *least, og_bound *bound, og_exact_bound *out,
                             og_message *message);

    /* Q of everything that can be done first, at most `room`; *count of them. budget >= 1. */
    og_status (*first_actions)(void *self, const og_settings *settings, og_first_action *action,
                               int32_t room, int32_t *count, og_message *message);

    /* Which of these actions a policy that was prepared could take. */
    og_status (*picks)(void *self, int32_t policy, const og_first_action *action, int32_t count,
                       bool *pick, og_message *message);

    void (*free)(void *self);
};

void og_family_free(og_family *family); /* a zeroed one is fine */

#endif
