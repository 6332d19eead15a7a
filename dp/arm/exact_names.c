/*
 * Gives each fraction in an arm's tables a small number as its name, so that comparing names
 * compares fractions.
 */
#include "dp/arm/exact_names.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "dp/base/rational.h"

enum { FIRST_SLOTS = 64 };

/* ---- distinct fractions ---- */

static uint32_t hash_of(const mpq_t value)
{
    XXH64_hash_t num = XXH3_64bits(mpz_limbs_read(mpq_numref(value)),
                                   mpz_size(mpq_numref(value)) * sizeof(mp_limb_t));
    return (uint32_t)XXH3_64bits_withSeed(mpz_limbs_read(mpq_denref(value)),
                                          mpz_size(mpq_denref(value)) * sizeof(mp_limb_t), num);
}

/* Limbs of a fraction, plus the allocator's overhead for its two blocks. */
static uint64_t limb_bytes(const mpq_t value)
{
    size_t limbs = mpz_size(mpq_numref(value)) + mpz_size(mpq_denref(value));
    return limbs * sizeof(mp_limb_t) + 2 * 16;
}

static uint32_t *slot_for(uint32_t *slot, uint32_t slot_count, const og_numbers *numbers,
                          const mpq_t value)
{
    uint32_t at = hash_of(value) & (slot_count - 1);
    while (slot[at] != 0 && !mpq_equal(numbers->value[slot[at] - 1], value)) {
        at = (at + 1) & (slot_count - 1);
    }
    return &slot[at];
}

/* Room for one more number; slots are at most half full. */
static og_status numbers_grow(og_numbers *numbers)
{
    uint32_t capacity = numbers->capacity == 0 ? FIRST_SLOTS / 2 : numbers->capacity * 2;
    uint32_t slot_count = capacity * 2;
    if (slot_count == 0) {
        return OG_NO_MEMORY; /* 2^31 numbers */
    }
    mpq_t *value = realloc(numbers->value, capacity * sizeof *value);
    numbers->value = value != NULL ? value : numbers->value;
    double *nearest = realloc(numbers->nearest, capacity * sizeof *nearest);
    numbers->nearest = nearest != NULL ? nearest : numbers->nearest;
    uint32_t *slot = calloc(slot_count, sizeof *slot);
    if (value == NULL || nearest == NULL || slot == NULL) {
        free(slot);
        return OG_NO_MEMORY;
    }
    for (uint32_t name = 0; name < numbers->count; name++) {
        *slot_for(slot, slot_count, numbers, numbers->value[name]) = name + 1;
    }
    free(numbers->slot);
    numbers->slot = slot;
    numbers->slot_count = slot_count;
    uint64_t each = sizeof *value + sizeof *nearest + 2 * sizeof *slot;
    numbers->bytes += (capacity - numbers->capacity) * each;
    numbers->capacity = capacity;
    return OG_OK;
}

/* The name of a fraction >= 0, a new one if it has none. OG_NO_MEMORY leaves the table valid. */
static og_status name_number(og_numbers *numbers, const mpq_t value, uint32_t *name)
{
    if (numbers->count == numbers->capacity) {
        OG_TRY(numbers_grow(numbers));
    }
    uint32_t *slot = slot_for(numbers->slot, numbers->slot_count, numbers, value);
    if (*slot == 0) {
        uint32_t fresh = numbers->count++;
        mpq_init(numbers->value[fresh]);
        mpq_set(numbers->value[fresh], value);
        numbers->nearest[fresh] = og_nearest(value);
        numbers->bytes += limb_bytes(value);
        *slot = fresh + 1;
    }
    *name = *slot - 1;
    return OG_OK;
}

static void numbers_clear(og_numbers *numbers)
{
    for (uint32_t name = 0; name < numbers->count; name++) {
        mpq_clear(numbers->value[name]);
    }
    free(numbers->value);
    free(numbers->nearest);
    free(numbers->slot);
    memset(numbers, 0, sizeof *numbers);
}

/* ---- tables of arms ---- */

static og_status name_arm(og_exact_names *names, const og_arm *arm, int32_t a, og_stop *stop)
{
    uint32_t count = (uint32_t)arm->outcome_count;
    for (uint32_t node = 0; node < og_arm_action_count(arm); node++) {
        if (og_stop_asked(stop)) {
            return OG_STOPPED;
        }
        /* A stored reward is 0 exactly where the reward is. */
        if (arm->reward[node] > 0) {
            og_arm_exact_reward(arm, node, names->scratch);
            OG_TRY(name_number(&names->reward, names->scratch, &names->reward_of[a][node]));
        }
        for (uint32_t k = 0; k < count; k++) {
            og_arm_exact_probability(arm, node, (int32_t)k, names->scratch);
            OG_TRY(name_number(&names->probability, names->scratch,
                               &names->probability_of[a][(size_t)node * count + k]));
        }
    }
    return OG_OK;
}

typedef struct {
    mpq_srcptr value;
    uint32_t name;
} named;

static int by_value(const void *x, const void *y)
{
    return mpq_cmp(((const named *)x)->value, ((const named *)y)->value);
}

/* Renames the rewards in ascending order; frees the slots, which are no longer needed. */
static og_status sort_rewards(og_exact_names *names, const og_arms *arms)
{
    og_numbers *reward = &names->reward;
    size_t count = reward->count;
    og_arena arena = {0};
    named *sorted = og_arena_array(&arena, count, sizeof *sorted);
    mpq_t *value = og_arena_copy(&arena, reward->value, count, sizeof *value);
    uint32_t *place = og_arena_array(&arena, count, sizeof *place);
    og_status status = og_arena_status(&arena);
    for (uint32_t i = 0; status == OG_OK && i < count; i++) {
        sorted[i] = (named){value[i], i};
    }
    if (status == OG_OK) {
        qsort(sorted, count, sizeof *sorted, by_value);
    }
    for (uint32_t i = 0; status == OG_OK && i < count; i++) {
        memcpy(reward->value[i], sorted[i].value, sizeof *value);
        reward->nearest[i] = og_nearest(reward->value[i]);
        place[sorted[i].name] = i;
    }
    for (int32_t a = 0; status == OG_OK && a < arms->arm_count; a++) {
        for (uint32_t node = 0; node < og_arm_action_count(arms->arm[a]); node++) {
            names->reward_of[a][node] = place[names->reward_of[a][node]];
        }
    }
    if (status == OG_OK) {
        free(reward->slot);
        reward->slot = NULL;
        reward->slot_count = 0;
    }
    og_arena_clear(&arena);
    return status;
}

static og_status allocate(og_exact_names *names, const og_arms *arms)
{
    og_arena *arena = &names->arena;
    size_t count = (size_t)arms->arm_count;
    names->reward_of = og_arena_array(arena, count, sizeof *names->reward_of);
    names->probability_of = og_arena_array(arena, count, sizeof *names->probability_of);
    for (int32_t a = 0; !arena->failed && a < arms->arm_count; a++) {
        size_t nodes = og_arm_action_count(arms->arm[a]);
        size_t outcomes = nodes * (size_t)arms->arm[a]->outcome_count;
        names->reward_of[a] = og_arena_array(arena, nodes, sizeof **names->reward_of);
        names->probability_of[a] = og_arena_array(arena, outcomes, sizeof **names->probability_of);
    }
    return og_arena_status(arena);
}

og_status og_exact_check(const og_arms *arms, og_message *message)
{
    for (int32_t a = 0; a < arms->arm_count; a++) {
        if (!arms->arm[a]->rational) {
            char word[96];
            if (og_arm_prior(arms->arm[a])->payoff.kind == OG_WORTH_LOG) {
                return og_message_set(message, OG_BAD_INPUT,
                                      "payoff log is not rational; use --arithmetic double, which "
                                      "has a proved error bound");
            }
            og_group one = *og_arm_prior(arms->arm[a]);
            one.count = 1;
            og_group_format(&one, word, sizeof word);
            return og_message_set(message, OG_BAD_INPUT,
                                  "%s has no exact values: these need whole numbers in the prior, "
                                  "and small parameters, labels and threshold denominators; use "
                                  "--arithmetic double, which has a proved error bound",
                                  word);
        }
    }
    return OG_OK;
}

static uint64_t name_bytes(const og_arms *arms)
{
    uint64_t bytes = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        bytes += (uint64_t)og_arm_action_count(arms->arm[a]) * sizeof(uint32_t) *
                 (1 + (uint64_t)arms->arm[a]->outcome_count);
    }
    return bytes;
}

static og_status out_of_limit(uint64_t memory_bytes, og_message *message)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(message, OG_STOPPED,
                          "the exact numbers of the posteriors take more than the memory limit "
                          "leaves for them, %s",
                          og_bytes_format(memory_bytes, limit));
}

static og_status name_all(og_exact_names *names, const og_arms *arms, uint64_t memory_bytes,
                          og_stop *stop, og_message *message)
{
    uint32_t zero;
    OG_TRY(allocate(names, arms));
    mpq_set_ui(names->scratch, 0, 1);
    OG_TRY(name_number(&names->reward, names->scratch, &zero));
    for (int32_t a = 0; a < arms->arm_count; a++) {
        og_status status = name_arm(names, arms->arm[a], a, stop);
        if (status != OG_OK) {
            return status == OG_STOPPED ? og_stop_building(message) : status;
        }
        if (og_exact_names_bytes(names) > memory_bytes) {
            return out_of_limit(memory_bytes, message);
        }
    }
    return sort_rewards(names, arms);
}

og_status og_exact_names_new(const og_arms *arms, uint64_t memory_bytes, og_stop *stop,
                             og_exact_names **out, og_message *message)
{
    OG_TRY(og_exact_check(arms, message));
    uint64_t bytes = name_bytes(arms);
    if (bytes > memory_bytes) {
        return out_of_limit(memory_bytes, message);
    }
    og_exact_names *names = og_arena_new(sizeof *names);
    OG_TRY(OG_ALLOCATED(names));
    mpq_init(names->scratch);
    names->bytes = bytes;
    og_status status = name_all(names, arms, memory_bytes, stop, message);
    return OG_MADE(status, names, og_exact_names_free, out);
}

void og_exact_names_free(og_exact_names *names)
{
    if (names != NULL) {
        numbers_clear(&names->reward);
        numbers_clear(&names->probability);
        mpq_clear(names->scratch);
    }
    og_arena_free(names);
}

og_status og_exact_names_sum(og_exact_names *names, uint32_t x, uint32_t y, uint32_t *sum)
{
    mpq_add(names->scratch, names->probability.value[x], names->probability.value[y]);
    return name_number(&names->probability, names->scratch, sum);
}

uint64_t og_exact_names_bytes(const og_exact_names *names)
{
    return names->bytes + names->reward.bytes + names->probability.bytes;
}
