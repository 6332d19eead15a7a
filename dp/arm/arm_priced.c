/* One instance alone whose labels have a price: backward induction over its nodes, because a node's
 * level says how many labels are left. */
#include "dp/arm/arm.h"

og_status og_arm_priced_gain_exact(const og_arm *arm, int32_t labels, og_fraction price,
                                   og_stop *stop, mpq_t gain)
{
    og_arena arena = {0};
    mpq_t *worth = og_arena_fractions(&arena, (size_t)arm->level[labels + 1] + 1);
    mpq_t *room = og_arena_fractions(&arena, 2);
    og_status status = og_arena_status(&arena);
    for (int64_t node = (int64_t)arm->level[labels] - 1; status == OG_OK && node >= 0; node--) {
        status = og_stop_asked(stop) ? OG_STOPPED : OG_OK;
        og_arm_exact_reward(arm, (uint32_t)node, worth[node]);
        og_fraction_get_mpq(room[0], price);
        mpq_sub(worth[node], worth[node], room[0]);
        for (int32_t k = 0; k < arm->outcome_count; k++) {
            mpq_srcptr next = worth[arm->next[node * arm->outcome_count + k]];
            if (mpq_sgn(next) > 0) {
                og_arm_exact_probability(arm, (uint32_t)node, k, room[1]);
                mpq_mul(room[1], room[1], next);
                mpq_add(worth[node], worth[node], room[1]);
            }
        }
        if (mpq_sgn(worth[node]) < 0) {
            mpq_set_ui(worth[node], 0, 1);
        }
    }
    if (status == OG_OK) {
        mpq_set(gain, worth[0]);
    }
    og_arena_clear(&arena);
    return status;
}
