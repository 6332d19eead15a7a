/*
 * Points of the Gauss-Jacobi rule for the weight x^(A-1) on [0,1], each the double nearest to the
 * exact one. The roots of the polynomial are located with the signs of Sturm's sequence, and then
 * with Newton's method in Arb's balls; n disjoint balls at whose ends the polynomial has different
 * signs contain them all.
 */
#include <float.h>

#include "dp/base/arb.h"
#include "dp/families/ranking_rule.h"

enum { NEWTON_STEPS = 4, BISECTIONS = 60 };

/* The recurrence p_(j+1) = (x - a_j) p_j - b_j p_(j-1), p_0 = 1. */
typedef struct {
    int32_t count;
    slong bits, radius_bits; /* balls grow by some bits from one polynomial to the next */
    arb_t *a, *b;            /* [count] */
    arb_t p[2], slope[2], part, norm;
} node_polynomials;

static og_status polynomials_init(og_arena *arena, int32_t count, node_polynomials *out)
{
    arb_t *a = og_arena_array(arena, (size_t)count, sizeof *a);
    arb_t *b = og_arena_array(arena, (size_t)count, sizeof *b);
    OG_TRY(og_arena_status(arena));
    *out = (node_polynomials){
        .count = count, .bits = 200 + 5 * count, .radius_bits = 90 + 2 * count, .a = a, .b = b};
    for (int32_t j = 0; j < count; j++) {
        arb_init(out->a[j]);
        arb_init(out->b[j]);
    }
    for (int32_t i = 0; i < 2; i++) {
        arb_init(out->p[i]);
        arb_init(out->slope[i]);
    }
    arb_init(out->part);
    arb_init(out->norm);
    return OG_OK;
}

static void polynomials_clear(node_polynomials *polynomials)
{
    for (int32_t j = 0; j < polynomials->count; j++) {
        arb_clear(polynomials->a[j]);
        arb_clear(polynomials->b[j]);
    }
    for (int32_t i = 0; i < 2; i++) {
        arb_clear(polynomials->p[i]);
        arb_clear(polynomials->slope[i]);
    }
    arb_clear(polynomials->part);
    arb_clear(polynomials->norm);
}

/* With beta = A - 1 and m = 2j + beta: a_j = (1 + beta^2 / (m (m + 2))) / 2, a_0 = A / (A + 1),
 * b_j = j^2 (j + beta)^2 / (m^2 (m^2 - 1)); norm = 1/A * b_1 ... b_(n-1), of p_(n-1). */
static void fill_recurrence(node_polynomials *polynomials, double below)
{
    arb_t beta, m, x;
    arb_init(beta);
    arb_init(m);
    arb_init(x);
    arb_set_d(beta, below);
    arb_inv(polynomials->norm, beta, polynomials->bits);
    arb_add_ui(x, beta, 1, polynomials->bits);
    arb_div(polynomials->a[0], beta, x, polynomials->bits);
    arb_sub_ui(beta, beta, 1, polynomials->bits);
    for (int32_t j = 1; j < polynomials->count; j++) {
        arb_add_ui(m, beta, 2 * (uint32_t)j, polynomials->bits);
        arb_add_ui(x, m, 2, polynomials->bits);
        arb_mul(x, x, m, polynomials->bits);
        arb_div(polynomials->a[j], beta, x, polynomials->bits);
        arb_mul(polynomials->a[j], polynomials->a[j], beta, polynomials->bits);
        arb_add_ui(polynomials->a[j], polynomials->a[j], 1, polynomials->bits);
        arb_mul_2exp_si(polynomials->a[j], polynomials->a[j], -1);
        arb_add_ui(polynomials->b[j], beta, (uint32_t)j, polynomials->bits);
        arb_mul_ui(polynomials->b[j], polynomials->b[j], (uint32_t)j, polynomials->bits);
        arb_div(polynomials->b[j], polynomials->b[j], m, polynomials->bits);
        arb_mul(polynomials->b[j], polynomials->b[j], polynomials->b[j], polynomials->bits);
        arb_mul(x, m, m, polynomials->bits);
        arb_sub_ui(x, x, 1, polynomials->bits);
        arb_div(polynomials->b[j], polynomials->b[j], x, polynomials->bits);
        arb_mul(polynomials->norm, polynomials->norm, polynomials->b[j], polynomials->bits);
    }
    arb_clear(beta);
    arb_clear(m);
    arb_clear(x);
}

/* p_(n-1) and p_n at x, and their slopes, into p[0], p[1] and slope[0], slope[1]. */
static void evaluate(node_polynomials *polynomials, const arb_t x)
{
    arb_zero(polynomials->p[0]);
    arb_one(polynomials->p[1]);
    arb_zero(polynomials->slope[0]);
    arb_zero(polynomials->slope[1]);
    for (int32_t j = 0; j < polynomials->count; j++) {
        arb_sub(polynomials->part, x, polynomials->a[j], polynomials->bits);
        arb_mul(polynomials->slope[0], polynomials->slope[0], polynomials->b[j], polynomials->bits);
        arb_neg(polynomials->slope[0], polynomials->slope[0]);
        arb_addmul(polynomials->slope[0], polynomials->part, polynomials->slope[1],
                   polynomials->bits);
        arb_add(polynomials->slope[0], polynomials->slope[0], polynomials->p[1], polynomials->bits);
        arb_swap(polynomials->slope[0], polynomials->slope[1]);
        arb_mul(polynomials->p[0], polynomials->p[0], polynomials->b[j], polynomials->bits);
        arb_neg(polynomials->p[0], polynomials->p[0]);
        arb_addmul(polynomials->p[0], polynomials->part, polynomials->p[1], polynomials->bits);
        arb_swap(polynomials->p[0], polynomials->p[1]);
    }
}

static int sign_at(node_polynomials *polynomials, const arb_t x, int side)
{
    arb_t end;
    arb_init(end);
    arb_set_si(end, side);
    arb_mul_2exp_si(end, end, -polynomials->radius_bits);
    arb_add(end, end, x, polynomials->bits);
    evaluate(polynomials, end);
    arb_clear(end);
    return arb_is_positive(polynomials->p[1]) - arb_is_negative(polynomials->p[1]);
}

/* A ball around the root near `node`, which becomes the root, and its weight; false: not found. */
static bool find_root(node_polynomials *polynomials, arb_t x, double *node, double *weight)
{
    arb_set_d(x, *node);
    for (int32_t i = 0; i < NEWTON_STEPS; i++) {
        evaluate(polynomials, x);
        arb_div(polynomials->part, polynomials->p[1], polynomials->slope[1], polynomials->bits);
        arb_sub(x, x, polynomials->part, polynomials->bits);
        arb_get_mid_arb(x, x);
    }
    if (sign_at(polynomials, x, -1) * sign_at(polynomials, x, 1) >= 0) {
        return false;
    }
    arb_add_error_2exp_si(x, -polynomials->radius_bits);
    evaluate(polynomials, x); /* weight = norm / (p_(n-1) p_n') */
    arb_mul(polynomials->part, polynomials->p[0], polynomials->slope[1], polynomials->bits);
    arb_div(polynomials->part, polynomials->norm, polynomials->part, polynomials->bits);
    *node = arf_get_d(arb_midref(x), ARF_RND_NEAR);
    *weight = arf_get_d(arb_midref(polynomials->part), ARF_RND_NEAR);
    return arb_rel_accuracy_bits(x) > 64 && arb_rel_accuracy_bits(polynomials->part) > 64;
}

/* Number of roots below x: changes of sign in Sturm's sequence, computed from its quotients. */
static int32_t count_below(const double *a, const double *b, int32_t count, double x)
{
    double quotient = 1;
    int32_t below = 0;
    for (int32_t j = 0; j < count; j++) {
        quotient = x - a[j] - (j > 0 ? b[j] / quotient : 0);
        quotient = quotient == 0 ? DBL_MIN : quotient;
        below += quotient > 0;
    }
    return below;
}

/* Approximate roots, in ascending order. */
static og_status guess(og_arena *arena, const node_polynomials *polynomials, double *node)
{
    int32_t n = polynomials->count;
    double *a = og_arena_array(arena, (size_t)n, sizeof *a);
    double *b = og_arena_array(arena, (size_t)n, sizeof *b);
    OG_TRY(og_arena_status(arena));
    for (int32_t j = 0; j < n; j++) {
        a[j] = arf_get_d(arb_midref(polynomials->a[j]), ARF_RND_NEAR);
        b[j] = arf_get_d(arb_midref(polynomials->b[j]), ARF_RND_NEAR);
    }
    for (int32_t k = 0; k < n; k++) {
        double low = 0, high = 1;
        for (int32_t i = 0; i < BISECTIONS; i++) {
            double middle = (low + high) / 2;
            *(count_below(a, b, n, middle) > k ? &high : &low) = middle;
        }
        node[k] = (low + high) / 2;
    }
    return OG_OK;
}

og_status og_ranking_nodes(double below, int32_t count, double *node, double *weight)
{
    og_arena local = {0};
    node_polynomials polynomials = {.count = 0};
    arb_t x, before;
    og_status status = polynomials_init(&local, count, &polynomials);
    arb_init(x);
    arb_init(before);
    if (status == OG_OK) {
        fill_recurrence(&polynomials, below);
        status = guess(&local, &polynomials, node);
        arb_set_si(before, -1);
        for (int32_t i = 0; status == OG_OK && i < count; i++) {
            bool found = find_root(&polynomials, x, &node[i], &weight[i]) && arb_lt(before, x);
            status = found ? OG_OK : OG_FAILED;
            arb_set(before, x);
        }
    }
    polynomials_clear(&polynomials);
    arb_clear(x);
    arb_clear(before);
    og_arena_clear(&local);
    return status;
}
