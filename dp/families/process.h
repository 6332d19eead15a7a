#ifndef OG_DP_FAMILIES_PROCESS_H
#define OG_DP_FAMILIES_PROCESS_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/engine/act.h"
#include "dp/engine/strategy.h"

/*
 * A finite decision process without cycles (og_process in optgap.h) as a table: its states are
 * found breadth first, each is expanded once, and values follow by backward induction, without the
 * caller's code. States have numbers in the order in which they were found; 0 is the root.
 *
 *   value(end) = its number
 *   value(state) = largest over acts of sum of probability * (reward + value(next))
 *
 * Errors: with A the largest expected sum of absolute rewards and end values under any policy, D
 * the acts on the longest path and m the most outcomes of an act, a computed value differs from the
 * exact one by at most ((m + 4) D + 2) 2^-53 A, up to a factor below 1 + 2^-20: each level rounds
 * the probability, the reward, their sum with the value, the product and m - 1 additions.
 */

/* A process whose states can be told ahead, in batches of at most *count, before each of them is
 * expanded in this order; `ahead` sets *count to how many it took, at least 1. NULL: it need not
 * know. OG_STOPPED and OG_FAILED with a message. */
typedef struct {
    const void *state;
    size_t bytes;
} og_process_state;
enum { OG_PROCESS_BATCH = 1000 };
typedef struct {
    og_process process;
    og_status (*ahead)(void *user, int32_t *count, const og_process_state *state,
                       og_message *message);
} og_process_source;

typedef struct {
    double probability, reward;
    uint32_t next;
} og_process_outcome;

typedef struct {
    uint32_t name;          /* into `name` */
    uint32_t outcome_first; /* its outcomes end where the next act's begin */
} og_process_act;

typedef struct {
    uint32_t state;
    uint32_t exact; /* into `number`; only if rational */
    double value;
} og_process_end;

typedef struct {
    char text[OG_PROCESS_NAME_BYTES_MAX];
} og_process_name;

typedef struct {
    og_process process; /* for texts of states */
    uint32_t state_count, act_count, outcome_count, end_count, name_count, number_count;
    uint64_t *key_first; /* [state_count + 1] into `key` */
    char *key;           /* bytes of all states */
    uint32_t *act_first; /* [state_count + 1]; an end has no acts */
    og_process_act *act; /* [act_count + 1] */
    og_process_outcome *outcome;
    og_process_end *end;   /* in the order of their states */
    og_process_name *name; /* different */
    /* Fractions, if all numbers were given as texts: */
    bool rational;
    uint32_t (*exact)[2]; /* [outcome_count] probability and reward, into */
    mpq_t *number;        /* [number_count] */
    double *nearest;      /* [number_count] */
    uint32_t real_state;  /* otherwise: the first state with a number that is a double */
    /* Of the whole: */
    uint32_t *order;    /* states, each before those that follow it; NULL: by their numbers */
    uint32_t *height;   /* [state_count] acts on the longest path to an end */
    double *value;      /* [state_count] of optimal policies */
    mpq_t *value_exact; /* [state_count] the same as fractions, after og_process_exact; else NULL */
    bool negative;      /* there are rewards or values below 0 */
    double absolute;    /* A of the root, */
    double absolute_max; /* and the largest of any state */
    int32_t outcomes_max, acts_max;
    uint64_t bytes;
} og_process_table;

/* Finds all states and solves the process. OG_BAD_INPUT with a message: it breaks the rules of
 * og_process, or has a cycle; OG_FAILED: it failed, or answered a state in two ways; OG_NO_MEMORY:
 * more than memory_bytes; OG_STOPPED: the stop. */
og_status og_process_find(const og_process_source *source, uint64_t memory_bytes, og_stop *stop,
                          og_process_table **out, og_message *message);
void og_process_free(og_process_table *table); /* NULL is fine */

/* OG_STOPPED with a message if so many bytes beside the table are more than memory_bytes, as for
 * the functions below. */
og_status og_process_room(const og_process_table *table, uint64_t bytes, uint64_t memory_bytes,
                          og_message *message);

/* Writes a state for people, cut if too long, control characters as '?'; also one that is not in
 * the table. */
void og_process_text(const og_process *process, const void *state, size_t bytes, char *text,
                     size_t size);
enum { OG_PROCESS_SHOWN = 80 }; /* bytes of a state in a message */
void og_process_state_text(const og_process_table *table, uint32_t state, char *text, size_t size);

static inline uint32_t og_process_acts(const og_process_table *table, uint32_t state)
{
    return table->act_first[state + 1] - table->act_first[state];
}

static inline const char *og_process_act_name(const og_process_table *table, uint32_t act)
{
    return table->name[table->act[act].name].text;
}

static inline uint32_t og_process_outcomes(const og_process_table *table, uint32_t act)
{
    return table->act[act + 1].outcome_first - table->act[act].outcome_first;
}

/* An act of a state, as a strategy takes it: {its number in the state, its name, 0}. */
static inline og_act og_process_act_of(const og_process_table *table, uint32_t state, uint32_t act)
{
    return (og_act){{act, table->act[table->act_first[state] + act].name, 0}};
}

/* The i-th state in an order in which each stands before those that follow it. */
static inline uint32_t og_process_at(const og_process_table *table, uint32_t i)
{
    return table->order != NULL ? table->order[i] : i;
}

/* Of an act, if its outcomes have these values. */
double og_process_q(const og_process_table *table, const double *value, uint32_t act);
void og_process_q_exact(const og_process_table *table, mpq_t *value, uint32_t act, mpq_t out);

/* Proved bound of the error of an optimal value as above, and with a policy's draws of at most
 * `drawn` acts, which add 2 * drawn roundings a level: of the root, or of any state. */
double og_process_error(const og_process_table *table, int32_t drawn, bool any);
/* The same relative to the absolute values. */
double og_process_relative_error(const og_process_table *table, int32_t drawn);

/*
 * Values of a strategy that never stops, which sees an og_process_view as its state and acts of
 * og_process_act_of: value[state_count] of the states that it reaches, others NAN (NULL: only the
 * root's). OG_STOPPED with a message: more than memory_bytes with the table, or the stop; or the
 * strategy's errors.
 */
typedef struct {
    const og_process_table *table;
    uint32_t state;
} og_process_view;
typedef struct {
    double value;
    uint64_t reached, bytes, tolerance_ties;
    double *values; /* [state_count] owned by the caller; NULL: not wanted */
    mpq_ptr exact;  /* also as a fraction; NULL: not wanted */
} og_process_valued;
og_status og_process_value(const og_process_table *table, const og_strategy *by, og_ties ties,
                           uint64_t memory_bytes, og_stop *stop, og_process_valued *out,
                           og_message *message);

/* Lists the acts of a state as a strategy takes them, in an array of acts_max. */
int32_t og_process_open(const og_process_table *table, uint32_t state, og_act_open *open);

/* Computes table->value_exact, if it is not there; only if rational. Not on two threads at once.
 * OG_STOPPED with a message: more than memory_bytes with the table, or the stop. */
og_status og_process_exact(og_process_table *table, uint64_t memory_bytes, og_stop *stop,
                           og_message *message);

#endif
