#ifndef OG_BENCH_SIMULATION_REPLAY_H
#define OG_BENCH_SIMULATION_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/recorded/labels.h"
#include "bench/simulation/simulate.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/prior/problem.h"
#include "dp/product/policy.h"
#include "heuristics/policy.h"

/*
 * Policies on recorded labels. A policy asks for a label of an instance and gets one of those that
 * were recorded for it, drawn without replacement; an instance whose labels are used up leaves the
 * choice. What counts is accuracy against gold, as the budget grows. All workers count alike.
 *
 * Common random numbers: in every run all policies meet the recorded labels of an instance in the
 * same order.
 *
 * A policy that looks ahead knows that an instance cannot have more labels than are recorded: its
 * index is that of min(labels left, labels still recorded) labels.
 */
typedef enum {
    OG_FINAL_HALF,     /* an instance whose posterior is exactly at 1/2 counts half */
    OG_FINAL_POSITIVE, /* it is called positive, as everywhere else */
} og_final_ties;

typedef struct {
    const og_labels *labels; /* borrowed, like the rest */
    const uint8_t *gold;     /* [labels->task_count] */
    const og_group *prior;   /* of every instance; Beta; its count means nothing */
    const og_policy *policies;
    int32_t policy_count;
    const og_ties *ties; /* [ties_count] OG_TIES_RANDOM or OG_TIES_FIRST */
    int32_t ties_count;
    const int32_t *at; /* [at_count] budgets at which accuracy is told, ascending, 0 .. the labels
                          there are; the last is the whole budget T */
    int32_t at_count;
    int64_t runs; /* 2 .. OG_RUNS_MAX */
    uint64_t seed;
    og_final_ties final_ties;
    int threads;                                                   /* 0: one per core */
    uint64_t memory_bytes;                                         /* limit for the tables; > 0 */
    bool (*interrupted)(void *user);                               /* as og_simulate_request */
    void (*progress)(void *user, const char *stage, double share); /* may be NULL, like it */
    void *user;
} og_replay_request;

/* One policy under one tie rule. */
typedef struct {
    int32_t policy;
    og_ties ties;
    og_status status; /* OG_OK, or why it was not replayed: message says it */
    og_message message;
    og_estimate *accuracy;   /* [at_count] shares of the instances called correctly */
    double *seconds;         /* [at_count] processor time of one run so far, mean */
    double table_seconds;    /* wall clock, once: indices and ranks */
    uint64_t tolerance_ties; /* see og_ranks */
} og_replay_row;

typedef struct {
    int64_t runs; /* done; fewer than asked for after an interrupt */
    int32_t row_count;
    og_replay_row *rows;
    int32_t at_count;
    double all_labels; /* accuracy when every recorded label is used */
} og_replay;

/*
 * Fill *out; free it with og_replay_clear. The result depends on labels, gold, prior, policies,
 * budgets, runs and seed alone, times apart. OG_BAD_INPUT with a message: no instances, a prior
 * that is no Beta, a budget beyond the labels there are, other tie rules. On error *out is
 * untouched.
 *
 * Cost of a label: O(K), and for policies that look at the whole state what they take.
 */
og_status og_replay_run(const og_replay_request *request, og_replay *out, og_message *message);

void og_replay_clear(og_replay *replay); /* a zeroed one is fine */

#endif
