/*
 * Exact numbers of Beta arms with whole parameters: the integer number system of the
 * walk (the integers and why they are integers: dp/prior/beta_walk.h), and values of
 * single nodes in closed form.
 */
#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "dp/prior/beta_walk.h"

#include <assert.h>
#include <math.h>

/* Of sum over l <= j < r of prod over l <= i <= j of (m - i + 1) x / (i y): the product's numerator
 * and denominator, and the sum's numerator over that denominator. */
typedef struct {
    mpz_t num, den, sum;
} part_sum;

static void part_sum_init(part_sum *part)
{
    mpz_inits(part->num, part->den, part->sum, NULL);
}

static void part_sum_clear(part_sum *part)
{
    mpz_clears(part->num, part->den, part->sum, NULL);
}

static void split_sum(uint32_t m, const mpz_t x, const mpz_t y, uint32_t l, uint32_t r,
                      part_sum *out)
{
    if (r - l == 1) {
        mpz_mul_ui(out->num, x, m - l + 1);
        mpz_mul_ui(out->den, y, l);
        mpz_set(out->sum, out->num);
        return;
    }
    part_sum right;
    part_sum_init(&right);
    uint32_t middle = l + (r - l) / 2;
    split_sum(m, x, y, l, middle, out);
    split_sum(m, x, y, middle, r, &right);
    mpz_mul(out->sum, out->sum, right.den);
    mpz_addmul(out->sum, out->num, right.sum);
    mpz_mul(out->num, out->num, right.num);
    mpz_mul(out->den, out->den, right.den);
    part_sum_clear(&right);
}

/* Sum over j < terms of C(m, j) x^j y^(m-j), 1 <= terms <= m. */
static void lower_sum(uint32_t m, uint32_t terms, const mpz_t x, const mpz_t y, mpz_t out)
{
    mpz_pow_ui(out, y, m);
    if (terms == 1) {
        return;
    }
    part_sum sum;
    part_sum_init(&sum);
    split_sum(m, x, y, 1, terms, &sum);
    mpz_add(sum.sum, sum.sum, sum.den);
    mpz_mul(out, out, sum.sum);
    mpz_divexact(out, out, sum.den);
    part_sum_clear(&sum);
}

void og_exact_tail(uint32_t a, uint32_t b, int64_t x, int64_t q, mpz_t out)
{
    uint32_t m = a + b - 1;
    mpz_t up, down;
    mpz_inits(up, down, NULL);
    og_mpz_set(up, x);
    og_mpz_set(down, q - x);
    if (a <= b) {
        lower_sum(m, a, up, down, out);
    } else {
        lower_sum(m, b, down, up, out);
        og_mpz_set(up, q);
        mpz_pow_ui(up, up, m);
        mpz_sub(out, up, out);
    }
    mpz_clears(up, down, NULL);
}

void og_exact_weight(uint32_t a, uint32_t b, int64_t x, int64_t q, mpz_t out)
{
    mpz_t power;
    mpz_init(power);
    og_mpz_set(power, x);
    mpz_bin_uiui(out, a + b - 1, a - 1);
    mpz_mul_ui(out, out, b);
    mpz_pow_ui(power, power, a);
    mpz_mul(out, out, power);
    og_mpz_set(power, q - x);
    mpz_pow_ui(power, power, b);
    mpz_mul(out, out, power);
    mpz_clear(power);
}

/* A and B of a node: whole numbers here. */
static uint32_t parameter(const walk *w, const walk_node *node, int outcome)
{
    return outcome == 0 ? (uint32_t)(w->group->a.num + node->positives)
                        : (uint32_t)(w->group->b.num + node->negatives);
}

static void exact_root(walk *w, walk_node *node)
{
    uint32_t a = (uint32_t)w->group->a.num, b = (uint32_t)w->group->b.num;
    node->positives = node->negatives = 0;
    og_mpz_set(node->power, w->q);
    mpz_pow_ui(node->power, node->power, a + b - 1);
    og_exact_tail(a, b, w->x, w->q, node->whole_excess);
    mpz_mul_2exp(node->whole_excess, node->whole_excess, 1);
    mpz_sub(node->whole_excess, node->whole_excess, node->power);
    og_exact_weight(a, b, w->x, w->q, node->whole_weight);
}

static void exact_copy(walk_node *to, const walk_node *from)
{
    to->positives = from->positives;
    to->negatives = from->negatives;
    mpz_set(to->whole_excess, from->whole_excess);
    mpz_set(to->whole_weight, from->whole_weight);
    mpz_set(to->power, from->power);
}

static void exact_step(walk *w, walk_node *node, int outcome)
{
    uint32_t part = parameter(w, node, outcome), total = part + parameter(w, node, 1 - outcome);
    mpz_divexact_ui(node->whole_weight, node->whole_weight, part);
    og_mpz_mul(node->whole_excess, node->whole_excess, w->q);
    if (outcome == 0) {
        mpz_addmul_ui(node->whole_excess, node->whole_weight, 2);
    } else {
        mpz_submul_ui(node->whole_excess, node->whole_weight, 2);
    }
    og_mpz_mul(node->whole_weight, node->whole_weight, outcome == 0 ? w->x : w->y);
    mpz_mul_ui(node->whole_weight, node->whole_weight, total);
    og_mpz_mul(node->power, node->power, w->q);
    *(outcome == 0 ? &node->positives : &node->negatives) += 1;
}

static void exact_step_back(walk *w, walk_node *node)
{
    node->positives--;
    uint32_t part = parameter(w, node, 0), total = part + parameter(w, node, 1);
    mpz_divexact_ui(node->whole_weight, node->whole_weight, total);
    og_mpz_divexact(node->whole_weight, node->whole_weight, w->x);
    mpz_submul_ui(node->whole_excess, node->whole_weight, 2);
    og_mpz_divexact(node->whole_excess, node->whole_excess, w->q);
    mpz_mul_ui(node->whole_weight, node->whole_weight, part);
    og_mpz_divexact(node->power, node->power, w->q);
}

static int exact_sign(walk *w, const walk_node *node)
{
    (void)w;
    return mpz_sgn(node->whole_excess);
}

/* h = (q^(N-1) + |excess|) / (2 q^(N-1)). */
static double exact_call(walk *w, const walk_node *node)
{
    mpz_abs(w->scratch, node->whole_excess);
    mpz_add(w->scratch, w->scratch, node->power);
    mpz_mul_2exp(w->other, node->power, 1);
    return og_nearest_quotient(w->scratch, w->other);
}

/* The three numbers of dp/prior/beta.h over a power of q: next->power = q^N. */
static flip_value exact_value(walk *w, const walk_node *node, const walk_node *next, int outcome)
{
    flip_value value;
    uint32_t part = parameter(w, node, outcome), rest = parameter(w, node, 1 - outcome);
    mpz_abs(w->scratch, next->whole_excess);
    mpz_mul_ui(w->scratch, w->scratch, part);
    mpz_mul_ui(w->other, next->power, part + rest);
    value.reward = og_nearest_quotient(w->scratch, w->other);
    og_mpz_mul(w->scratch, node->whole_excess, w->q);
    mpz_add(w->scratch, w->scratch, next->whole_excess);
    if (outcome == 1) {
        mpz_neg(w->scratch, w->scratch);
    }
    mpz_mul_2exp(w->other, next->power, 1);
    value.gain[outcome] = og_nearest_quotient(w->scratch, w->other);
    mpz_divexact_ui(w->scratch, node->whole_weight, rest);
    value.gain[1 - outcome] = og_nearest_quotient(w->scratch, next->power);
    return value;
}

const walk_system og_walk_exact = {
    .root = exact_root,
    .copy = exact_copy,
    .step = exact_step,
    .step_back = exact_step_back,
    .sign = exact_sign,
    .call = exact_call,
    .value = exact_value,
};

/* num / (scale * q^exponent) in lowest terms. */
static void set_quotient(mpq_t out, const mpz_t num, uint32_t scale, int64_t q, uint32_t exponent)
{
    mpz_set(mpq_numref(out), num);
    if (q == 2) {
        mpz_set_ui(mpq_denref(out), scale);
        mpq_canonicalize(out);
        mpq_div_2exp(out, out, exponent);
        return;
    }
    og_mpz_set(mpq_denref(out), q);
    mpz_pow_ui(mpq_denref(out), mpq_denref(out), exponent);
    mpz_mul_ui(mpq_denref(out), mpq_denref(out), scale);
    mpq_canonicalize(out);
}

/* A posterior with whole parameters. */
typedef struct {
    uint32_t part[2]; /* A, B */
    uint32_t total;
    int64_t x, q;
} whole_node;

static whole_node whole_node_at(const og_beta *beta, int32_t n, int32_t s)
{
    uint32_t a = (uint32_t)(beta->group.a.num + s), b = (uint32_t)(beta->group.b.num + n - s);
    return (whole_node){.part = {a, b},
                        .total = a + b,
                        .x = beta->group.threshold.num,
                        .q = beta->group.threshold.den};
}

/* (2P - 1) * q^exponent of Beta(a, b), exponent = a + b - 1. */
static void whole_excess(const whole_node *node, uint32_t a, uint32_t b, mpz_t out)
{
    mpz_t power;
    mpz_init(power);
    og_mpz_set(power, node->q);
    mpz_pow_ui(power, power, a + b - 1);
    og_exact_tail(a, b, node->x, node->q, out);
    mpz_mul_2exp(out, out, 1);
    mpz_sub(out, out, power);
    mpz_clear(power);
}

void og_beta_exact_call(const og_beta *beta, mpq_t out)
{
    assert(beta->exact);
    whole_node node = whole_node_at(beta, 0, 0);
    mpz_t excess, power;
    mpz_inits(excess, power, NULL);
    og_mpz_set(power, node.q);
    whole_excess(&node, node.part[0], node.part[1], excess);
    mpz_pow_ui(power, power, node.total - 1);
    mpz_abs(excess, excess);
    mpz_add(excess, excess, power);
    set_quotient(out, excess, 2, node.q, node.total - 1);
    mpz_clears(excess, power, NULL);
}

void og_beta_exact_reward(const og_beta *beta, int32_t n, int32_t s, mpq_t out)
{
    assert(beta->exact && n < beta->depth);
    if (beta->flip[n] != s) {
        mpq_set_ui(out, 0, 1);
        return;
    }
    whole_node node = whole_node_at(beta, n, s);
    int outcome = og_beta_flip_outcome(beta, n);
    mpz_t excess;
    mpz_init(excess);
    whole_excess(&node, node.part[0] + (outcome == 0), node.part[1] + (outcome == 1), excess);
    mpz_abs(excess, excess);
    mpz_mul_ui(excess, excess, node.part[outcome]);
    set_quotient(out, excess, node.total, node.q, node.total);
    mpz_clear(excess);
}

/* The gain of the label that flips the call: P + P' - 1 or its opposite. */
static void flip_gain(const whole_node *node, int outcome, mpq_t out)
{
    mpz_t here, next;
    mpz_inits(here, next, NULL);
    whole_excess(node, node->part[0], node->part[1], here);
    whole_excess(node, node->part[0] + (outcome == 0), node->part[1] + (outcome == 1), next);
    og_mpz_mul(here, here, node->q);
    mpz_add(here, here, next);
    if (outcome == 1) {
        mpz_neg(here, here);
    }
    set_quotient(out, here, 2, node->q, node->total);
    mpz_clears(here, next, NULL);
}

void og_beta_exact_gain(const og_beta *beta, int32_t n, int32_t s, int outcome, mpq_t out)
{
    assert(beta->exact && n < beta->depth);
    whole_node node = whole_node_at(beta, n, s);
    if (beta->flip[n] == s && og_beta_flip_outcome(beta, n) == outcome) {
        flip_gain(&node, outcome, out);
        return;
    }
    mpz_t change;
    mpz_init(change);
    og_exact_weight(node.part[0], node.part[1], node.x, node.q, change);
    mpz_divexact_ui(change, change, node.part[outcome]);
    if (og_beta_positive(beta, n, s) == (outcome == 1)) {
        mpz_neg(change, change);
    }
    set_quotient(out, change, 1, node.q, node.total);
    mpz_clear(change);
}
