/*
 * Bounds the size of keys: the largest number of pairs of a state, in the longest codes. More
 * classes never make a key shorter, so keys that are too long with some of the classes are too long
 * with all.
 */
#include "dp/product/key_size.h"

#include <stdlib.h>
#include <xxhash.h>

#include "dp/engine/model.h"
#include "dp/product/key_code.h"

enum { REWARDS_MOST = 1 << 16, ROOM = 2 * REWARDS_MOST };

bool og_product_is_ordered(const og_product_use *use)
{
    return use->optimum ? (use->reductions & OG_REDUCE_SORT) == 0 : use->ties == OG_TIES_FIRST;
}

/* `more`: there may be more classes than counted. */
static og_status key_size(const og_arms *arms, const og_product_use *use, int64_t classes,
                          bool more, og_key_size *out, og_message *message)
{
    bool ordered = og_product_is_ordered(use);
    int64_t instances = og_arms_instances(arms);
    /* Runs: every label can split one run into three. */
    int64_t pairs = (int64_t)arms->group_count + (ordered ? 2 : 1) * (int64_t)arms->budget;
    pairs = (pairs < instances ? pairs : instances) + 1;
    int64_t actions = ordered && use->optimum ? instances : pairs;
    int64_t class_bits = og_bit_length((uint64_t)classes + 1);
    int64_t pair_bits = 2 * class_bits + 2 + 2 * og_bit_length((uint64_t)instances) + 1;
    int32_t left_bits = og_bit_length((uint64_t)arms->budget + 1);
    int64_t most = ((int64_t)OG_KEY_WORDS_MAX * 64 - left_bits) / pair_bits;
    *out = (og_key_size){pairs, actions, pair_bits, left_bits};
    if (pairs > INT32_MAX / 64 || actions > INT32_MAX / 64 || pairs > most) {
        return og_message_set(message, OG_STOPPED,
                              "a state can hold %lld different instances, but the solver supports "
                              "%s%lld; give fewer instances or labels",
                              (long long)pairs - 1, more ? "at most " : "", (long long)most - 1);
    }
    return OG_OK;
}

og_status og_key_size_of(const og_arms *arms, const og_product_use *use, int64_t classes,
                         og_key_size *out, og_message *message)
{
    return key_size(arms, use, classes, false, out, message);
}

/* True if the reward is new to the set. */
static bool add_reward(double set[ROOM], double reward)
{
    uint32_t at = (uint32_t)XXH3_64bits(&reward, sizeof reward) & (ROOM - 1);
    for (; set[at] > 0; at = (at + 1) & (ROOM - 1)) {
        if (set[at] == reward) {
            return false;
        }
    }
    set[at] = reward;
    return true;
}

/* The number of different rewards, plus the class without one. */
static int64_t count_rewards(const og_arms *arms, double set[ROOM])
{
    int64_t count = 1;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        for (uint32_t x = 0; x < og_arm_action_count(arm) && count < REWARDS_MOST; x++) {
            count += arm->reward[x] > 0 && add_reward(set, arm->reward[x]);
        }
    }
    return count;
}

og_status og_key_size_check(const og_arms *arms, const og_product_use *use, og_message *message)
{
    og_key_size size;
    og_message why;
    if (key_size(arms, use, REWARDS_MOST, true, &size, &why) == OG_OK) {
        return OG_OK;
    }
    double *set = calloc(ROOM, sizeof *set);
    OG_TRY(OG_ALLOCATED(set));
    int64_t classes = count_rewards(arms, set);
    free(set);
    return key_size(arms, use, classes, true, &size, message);
}
