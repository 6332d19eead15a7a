/*
 * Failing allocations in upper bounds, as tests/test_faults.c has them in all that computes.
 */
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/exact_bound.h"
#include "tests/fault_walk.h"
#include "tests/support.h"

static og_arms *arms; /* made before anything fails */

static void start_world(void)
{
    arms = test_arms_in("3x1,1 2,1@0.3 2,2", 6);
}

static void end_world(void)
{
    og_arms_free(arms);
}

static void take_bound(outcome *out,
                       og_status (*make)(const og_arms *, int, og_stop *, og_upper_bound *))
{
    if (out->status == OG_OK) {
        og_upper_bound bound;
        PAINT(bound);
        out->status = make(arms, 1, NULL, &bound);
        CHECK_PAINT(out, bound);
        if (out->status == OG_OK) {
            digest_double(out, bound.value);
            og_bound_clear(&bound);
        }
    }
}

static void run_bounds(outcome *out)
{
    double price = 0.01;
    double value;
    double error;
    PAINT(value);
    out->status = og_bound_evaluate(arms, &price, 1, 1, &value, &error);
    CHECK_PAINT(out, value);
    digest_double(out, value);
    take_bound(out, og_bound_lagrangian_scalar);
    take_bound(out, og_bound_prevailing_charge);
    take_bound(out, og_bound_priced_end);
}

static og_status joint_end(const og_arms *prior, int threads, og_stop *stop, og_upper_bound *out)
{
    return og_bound_joint_end(prior, 3, threads, 1 << 28, stop, out);
}

static void run_vector_bound(outcome *out)
{
    take_bound(out, og_bound_lagrangian_vector);
}

static void run_joint_end(outcome *out)
{
    take_bound(out, joint_end);
}

static void run_exact_bound(outcome *out)
{
    mpq_t prices[6];
    OWN_MPQ bound = MPQ_NEW;
    for (int i = 0; i < 6; i++) {
        mpq_init(prices[i]);
        mpq_set_ui(prices[i], 1, (unsigned long)i + 20);
    }
    for (int32_t count = 1; out->status == OG_OK && count <= 6; count += 5) {
        mpq_set_ui(bound, 0, 1);
        out->status =
            og_exact_bound_evaluate(arms, prices, count, 1 << 26, NULL, bound, &out->message);
        out->touched = out->status != OG_OK && mpq_sgn(bound) != 0;
        digest_double(out, mpq_get_d(bound));
    }
    for (int i = 0; i < 6; i++) {
        mpq_clear(prices[i]);
    }
}

static const fault_scene scenes[] = {
    SCENE("bounds", .run = run_bounds),
    SCENE("vector bound", .run = run_vector_bound),
    SCENE("joint end", .run = run_joint_end),
    SCENE("exact bound", .run = run_exact_bound),
};

OG_SUITE_RUN(faults_bounds)
{
    return fault_suite("faults of bounds", scenes, sizeof scenes / sizeof *scenes, start_world,
                       end_world);
}
