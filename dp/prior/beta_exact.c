/*
 * Exact numbers of Beta arms with whole parameters: the integer number system of the walk
 * (dp/prior/beta_walk.h shows that these are integers), and values of single nodes in closed form.
 */
#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "dp/prior/beta_walk.h"

#include <assert.h>

/* For the sum over l <= j < r of prod over l <= i <= j of (m - i + 1) x / (i y): the product's
 * numerator and denominator, and the sum's numerator over that denominator. */
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

void og_exact_tail(uint32_t a, uint32_t b, og_wide x, og_wide q, mpz_t out)
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

void og_exact_weight(uint32_t a, uint32_t b, og_wide x, og_wide q, mpz_t out)
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

/* Sets D m times the given power of q, from P times that power. */
static void take_excess(const og_payoff_whole *payoff, const mpz_t power, mpz_t excess)
{
    mpz_t part;
    mpz_init(part);
    og_mpz_mul(part, power, payoff->down);
    og_mpz_mul(excess, excess, payoff->up + payoff->down);
    mpz_sub(excess, excess, part);
    mpz_clear(part);
}

static void exact_root(walk *w, walk_node *node)
{
    uint32_t a = (uint32_t)w->group->a.num, b = (uint32_t)w->group->b.num;
    node->positives = node->negatives = 0;
    og_mpz_set(node->power, w->q);
    mpz_pow_ui(node->power, node->power, a + b - 1);
    og_exact_tail(a, b, w->x, w->q, node->whole_excess);
    take_excess(&w->payoff, node->power, node->whole_excess);
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
        mpz_addmul(node->whole_excess, node->whole_weight, w->move);
    } else {
        mpz_submul(node->whole_excess, node->whole_weight, w->move);
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
    mpz_submul(node->whole_excess, node->whole_weight, w->move);
    og_mpz_divexact(node->whole_excess, node->whole_excess, w->q);
    mpz_mul_ui(node->whole_weight, node->whole_weight, part);
    og_mpz_divexact(node->power, node->power, w->q);
}

static int exact_sign(walk *w, const walk_node *node)
{
    (void)w;
    return mpz_sgn(node->whole_excess);
}

/*
 * h as num / den from the excess E = D m power, m the payoff's denominator: P = (down + D) / (up +
 * down). If the call is worth T for a positive and F for a negative instance, h = (T (down + D) + F
 * (up - D)) / (up + down).
 */
static void whole_call(const og_payoff_whole *payoff, const mpz_t excess, const mpz_t power,
                       mpz_t num, mpz_t den)
{
    const int64_t *worth = payoff->worth[mpz_sgn(excess) >= 0 ? 0 : 1];
    og_mpz_mul(num, power, payoff->down);
    mpz_add(num, num, excess);
    og_mpz_mul(num, num, worth[0]);
    og_mpz_mul(den, power, payoff->up);
    mpz_sub(den, den, excess);
    og_mpz_mul(den, den, worth[1]);
    mpz_add(num, num, den);
    og_mpz_mul(den, power, payoff->up + payoff->down);
    og_mpz_mul(den, den, payoff->den);
}

static double exact_call(walk *w, const walk_node *root)
{
    whole_call(&w->payoff, root->whole_excess, root->power, w->scratch, w->other);
    return og_nearest_quotient(w->scratch, w->other);
}

/*
 * The gain of a label that moves P by `move` / power up (outcome 0) or down (1), times m power: the
 * rise in value of the call that is made after the label and, if the label flips the call, its lead
 * over the call before it. `excess` is D m power before the label; NULL: no flip.
 */
static void whole_gain(const og_payoff_whole *payoff, mpz_srcptr excess, const mpz_t move,
                       int outcome, int call, mpz_t out)
{
    og_mpz_mul(out, move, payoff->worth[call][0] - payoff->worth[call][1]);
    if (excess != NULL) {
        mpz_add(out, out, excess);
    }
    if (outcome == 1) {
        mpz_neg(out, out);
    }
}

/* The three numbers of dp/prior/beta.h over m times a power of q: next->power = q^N. A label of the
 * flip node leads to the call of its own sign. */
static flip_value exact_value(walk *w, const walk_node *node, const walk_node *next, int outcome)
{
    flip_value value;
    mpz_t under, move;
    uint32_t part = parameter(w, node, outcome), rest = parameter(w, node, 1 - outcome);
    mpz_inits(under, move, NULL);
    og_mpz_mul(under, next->power, w->payoff.den);
    mpz_abs(w->scratch, next->whole_excess);
    mpz_mul_ui(w->scratch, w->scratch, part);
    mpz_mul_ui(w->other, under, part + rest);
    value.reward = og_nearest_quotient(w->scratch, w->other);
    og_mpz_mul(w->other, node->whole_excess, w->q);
    mpz_divexact_ui(move, node->whole_weight, part);
    whole_gain(&w->payoff, w->other, move, outcome, outcome, w->scratch);
    value.gain[outcome] = og_nearest_quotient(w->scratch, under);
    mpz_divexact_ui(move, node->whole_weight, rest);
    whole_gain(&w->payoff, NULL, move, 1 - outcome, 1 - outcome, w->scratch);
    value.gain[1 - outcome] = og_nearest_quotient(w->scratch, under);
    mpz_clears(under, move, NULL);
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

/* A posterior with whole parameters. */
typedef struct {
    uint32_t part[2]; /* A, B */
    uint32_t total;
    og_wide x, q;
    og_payoff_whole payoff;
} whole_node;

static whole_node whole_node_at(const og_beta *beta, int32_t n, int32_t s)
{
    uint32_t a = (uint32_t)(beta->group.a.num + s), b = (uint32_t)(beta->group.b.num + n - s);
    return (whole_node){.part = {a, b},
                        .total = a + b,
                        .x = beta->group.threshold.num,
                        .q = beta->group.threshold.den,
                        .payoff = og_payoff_in_whole(&beta->group.payoff)};
}

/* num / (scale m q^N) in lowest terms. */
static void set_quotient(mpq_t out, const mpz_t num, uint32_t scale, const whole_node *node)
{
    mpz_set(mpq_numref(out), num);
    if (node->q == 2) {
        mpz_set_ui(mpq_denref(out), scale);
        og_mpz_mul(mpq_denref(out), mpq_denref(out), node->payoff.den);
        mpq_canonicalize(out);
        mpq_div_2exp(out, out, node->total);
        return;
    }
    og_mpz_set(mpq_denref(out), node->q);
    mpz_pow_ui(mpq_denref(out), mpq_denref(out), node->total);
    mpz_mul_ui(mpq_denref(out), mpq_denref(out), scale);
    og_mpz_mul(mpq_denref(out), mpq_denref(out), node->payoff.den);
    mpq_canonicalize(out);
}

/* D m q^exponent of Beta(a, b), exponent = a + b - 1. */
static void whole_excess(const whole_node *node, uint32_t a, uint32_t b, mpz_t out)
{
    mpz_t power;
    mpz_init(power);
    og_mpz_set(power, node->q);
    mpz_pow_ui(power, power, a + b - 1);
    og_exact_tail(a, b, node->x, node->q, out);
    take_excess(&node->payoff, power, out);
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
    whole_call(&node.payoff, excess, power, mpq_numref(out), mpq_denref(out));
    mpq_canonicalize(out);
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
    set_quotient(out, excess, node.total, &node);
    mpz_clear(excess);
}

void og_beta_exact_gain(const og_beta *beta, int32_t n, int32_t s, int outcome, mpq_t out)
{
    assert(beta->exact && n < beta->depth);
    whole_node node = whole_node_at(beta, n, s);
    bool flips = beta->flip[n] == s && og_beta_flip_outcome(beta, n) == outcome;
    int before = og_beta_positive(beta, n, s) ? 0 : 1;
    mpz_t excess, move, gain;
    mpz_inits(excess, move, gain, NULL);
    if (flips) {
        whole_excess(&node, node.part[0], node.part[1], excess);
        og_mpz_mul(excess, excess, node.q);
    }
    og_exact_weight(node.part[0], node.part[1], node.x, node.q, move);
    mpz_divexact_ui(move, move, node.part[outcome]);
    whole_gain(&node.payoff, flips ? excess : NULL, move, outcome, flips ? 1 - before : before,
               gain);
    set_quotient(out, gain, 1, &node);
    mpz_clears(excess, move, gain, NULL);
}
