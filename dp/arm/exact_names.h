#ifndef OG_DP_ARM_EXACT_NAMES_H
#define OG_DP_ARM_EXACT_NAMES_H

#include <gmp.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * Distinct fractions and their names, small whole numbers: equal names mean equal fractions. Names
 * distinguish the classes of exactly equivalent nodes, because two doubles with the same bits may
 * round different fractions.
 */
typedef struct {
    uint32_t count;
    uint32_t capacity;
    mpq_t *value;    /* [count] */
    double *nearest; /* [count] rounded to nearest */
    uint32_t *slot;  /* hash table of names + 1, 0 is free */
    uint32_t slot_count;
    uint64_t bytes; /* held, fractions included */
} og_numbers;

/*
 * The exact rewards and probabilities of all nodes of a problem's arms. Rewards are named in
 * ascending order, so comparing names compares rewards; reward 0 is the fraction 0.
 */
typedef struct {
    og_arena arena;
    og_numbers reward;
    og_numbers probability;    /* of outcomes, and of sets of outcomes when needed */
    uint32_t **reward_of;      /* [arm_count][actions]: of nodes, if each has one */
    uint32_t **probability_of; /* [arm_count][actions * outcome_count] */
    uint64_t bytes;            /* of the four arrays; the numbers count their own */
    mpq_t scratch;
} og_exact_names;

/* OG_BAD_INPUT with a message that names the first arm that is not rational, if there is one. */
og_status og_exact_check(const og_arms *arms, og_message *message);

/*
 * Names the fractions of the arms, which are only read. Time O(nodes), 12 bytes a node of a Beta
 * arm and some hundred a distinct number. OG_BAD_INPUT with a message if an arm is not rational;
 * OG_STOPPED with a message if it would exceed memory_bytes.
 */
og_status og_exact_names_new(const og_arms *arms, uint64_t memory_bytes, og_stop *stop,
                             og_exact_names **out, og_message *message);
void og_exact_names_free(og_exact_names *names);

/* The name of the sum of two probabilities. */
og_status og_exact_names_sum(og_exact_names *names, uint32_t x, uint32_t y, uint32_t *sum);

/* Bytes held at present. */
uint64_t og_exact_names_bytes(const og_exact_names *names);

#endif
