/*
 * Slow answers that follow the definitions. States are lists of codes (arm, s, f), one per
 * instance; recursions follow every label.
 *
 * The only rounded number is P for parameters that are not integers, from the series
 *   I_x(a, b) = x^a (1-x)^b / (a B(a,b)) * sum over n of prod_{k<n} x (a+b+k)/(a+1+k),
 * all terms positive, on the side of the mean where they decrease, with MPFR at 320 bits. MPFR
 * rounds every function correctly and the exponent stays below 2^25 for parameters up to 1e6. So
 * the power has a relative error of at most 2^-290, and the sum of some thousand terms a smaller
 * one. Only the final rounding to 128 bits matters: 2^-128 < 1e-38.
 */
#include "tests/oracle.h"

#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct {
    uint32_t *key; /* [words] */
    mpq_t value;
} entry;

typedef struct {
    int words;
    size_t count;
    size_t slot_count; /* a power of two */
    entry *slots;
} oracle_memory;

struct oracle_arms {
    int budget;
    int instance_count;
    int group_count;
    int arm_count;
    oracle_arm *arm;       /* [arm_count] distinct priors */
    int *arm_of_group;     /* [group_count] */
    uint32_t *root;        /* [instance_count] codes in the order given */
    double scale;          /* h moves by so much at most where P moves by 1 */
    oracle_memory optimum; /* over sorted states */
    bool uniform;          /* no index is chosen */
    mpq_t **index_at;      /* [(budget + 1) * arm_count] the chosen index by left, arm, node */
};

enum { WORKING_BITS = 320, RESULT_BITS = 128 };

enum { COUNT_BITS = 10, COUNT_MASK = (1 << COUNT_BITS) - 1 };

static void *must(void *pointer)
{
    if (pointer == NULL) {
        fputs("oracle: out of memory\n", stderr);
        abort();
    }
    return pointer;
}

static void misuse(const char *what)
{
    fprintf(stderr, "oracle: %s\n", what);
    abort();
}

static uint32_t code_of(int arm, int s, int f)
{
    return (uint32_t)arm << 2 * COUNT_BITS | (uint32_t)s << COUNT_BITS | (uint32_t)f;
}

static int arm_in(uint32_t code)
{
    return (int)(code >> 2 * COUNT_BITS);
}

static int node_in(uint32_t code)
{
    return oracle_node((int)(code >> COUNT_BITS & COUNT_MASK), (int)(code & COUNT_MASK));
}

static uint32_t after_one(uint32_t code)
{
    return code + (1 << COUNT_BITS);
}

static uint32_t after_zero(uint32_t code)
{
    return code + 1;
}

/* ---- posteriors ---- */

static bool is_integer(const mpq_t value)
{
    return mpz_cmp_ui(mpq_denref(value), 1) == 0;
}

/* Pr(Bin(a + b - 1, d) <= a - 1), d = u/w: a sum of integers over w^(a+b-1). */
static void positive_of_integers(mpq_t out, unsigned long a, unsigned long b, const mpq_t d)
{
    unsigned long trials = a + b - 1;
    mpz_t term, power, rest, sum;
    mpz_inits(term, power, rest, sum, NULL);
    mpz_sub(rest, mpq_denref(d), mpq_numref(d));
    for (unsigned long k = 0; k < a; k++) {
        mpz_bin_uiui(term, trials, k);
        mpz_pow_ui(power, mpq_numref(d), k);
        mpz_mul(term, term, power);
        mpz_pow_ui(power, rest, trials - k);
        mpz_mul(term, term, power);
        mpz_add(sum, sum, term);
    }
    mpz_pow_ui(power, mpq_denref(d), trials);
    mpz_set(mpq_numref(out), sum);
    mpz_set(mpq_denref(out), power);
    mpq_canonicalize(out);
    mpz_clears(term, power, rest, sum, NULL);
}

/* out = ln Gamma(value) */
static void log_gamma(mpfr_t out, const mpq_t value)
{
    mpfr_set_q(out, value, MPFR_RNDN);
    mpfr_lngamma(out, out, MPFR_RNDN);
}

/* sum += power * ln(base) */
static void add_power(mpfr_t sum, const mpq_t base, const mpq_t power)
{
    mpfr_t part;
    mpfr_init2(part, WORKING_BITS);
    mpfr_set_q(part, base, MPFR_RNDN);
    mpfr_log(part, part, MPFR_RNDN);
    mpfr_mul_q(part, part, power, MPFR_RNDN);
    mpfr_add(sum, sum, part, MPFR_RNDN);
    mpfr_clear(part);
}

/* out = I_x(a, b), y = 1 - x */
static void incomplete_beta(mpfr_t out, const mpq_t a, const mpq_t b, const mpq_t x, const mpq_t y)
{
    mpfr_t part, term;
    mpq_t above, below;
    mpfr_inits2(WORKING_BITS, part, term, NULL);
    mpq_inits(above, below, NULL);
    mpq_add(above, a, b);
    mpq_set_ui(below, 1, 1);
    mpq_add(below, below, a);

    mpfr_set_ui(out, 0, MPFR_RNDN); /* the sum */
    mpfr_set_ui(term, 1, MPFR_RNDN);
    while (mpfr_zero_p(out) || mpfr_get_exp(term) + WORKING_BITS > mpfr_get_exp(out)) {
        mpfr_add(out, out, term, MPFR_RNDN);
        mpfr_mul_q(term, term, above, MPFR_RNDN);
        mpfr_div_q(term, term, below, MPFR_RNDN);
        mpfr_mul_q(term, term, x, MPFR_RNDN);
        mpz_add(mpq_numref(above), mpq_numref(above), mpq_denref(above));
        mpz_add(mpq_numref(below), mpq_numref(below), mpq_denref(below));
    }
    mpq_add(above, a, b);
    mpq_set_ui(below, 1, 1);
    mpq_add(below, below, a);
    log_gamma(term, above); /* from here on the exponent of the factor */
    log_gamma(part, below);
    mpfr_sub(term, term, part, MPFR_RNDN);
    log_gamma(part, b);
    mpfr_sub(term, term, part, MPFR_RNDN);
    add_power(term, x, a);
    add_power(term, y, b);
    mpfr_exp(term, term, MPFR_RNDN);
    mpfr_mul(out, out, term, MPFR_RNDN);
    mpfr_clears(part, term, NULL);
    mpq_clears(above, below, NULL);
}

static void positive_of_reals(mpq_t out, const mpq_t a, const mpq_t b, const mpq_t d)
{
    mpq_t mean, y;
    mpfr_t below;
    mpq_inits(mean, y, NULL);
    mpfr_init2(below, WORKING_BITS);
    mpq_set_ui(y, 1, 1);
    mpq_sub(y, y, d);
    mpq_add(mean, a, b);
    mpq_div(mean, a, mean);
    if (mpq_cmp(d, mean) <= 0) {
        incomplete_beta(below, a, b, d, y);
        mpfr_ui_sub(below, 1, below, MPFR_RNDN);
    } else {
        incomplete_beta(below, b, a, y, d);
    }
    mpfr_prec_round(below, RESULT_BITS, MPFR_RNDN);
    mpfr_get_q(out, below);
    mpfr_clear(below);
    mpq_clears(mean, y, NULL);
}

void oracle_positive(mpq_t out, const mpq_t a, const mpq_t b, const mpq_t threshold)
{
    if (is_integer(a) && is_integer(b)) {
        positive_of_integers(out, mpz_get_ui(mpq_numref(a)), mpz_get_ui(mpq_numref(b)), threshold);
    } else {
        positive_of_reals(out, a, b, threshold);
    }
}

/* out *= start (start + 1) ... (start + count - 1) */
static void times_rising(mpq_t out, const mpq_t start, int count)
{
    OWN_MPQ factor = MPQ_NEW, one = MPQ_NEW;
    mpq_set_ui(one, 1, 1);
    mpq_set(factor, start);
    for (int i = 0; i < count; i++) {
        mpq_mul(out, out, factor);
        mpq_add(factor, factor, one);
    }
}

/* out = w B(a + s, b + f) / B(a, b), a product of ratios of the gamma function */
static void posterior_weight(mpq_t out, const oracle_part *part, int s, int f)
{
    OWN_MPQ sum = MPQ_NEW, divisor = MPQ_NEW;
    mpq_set(out, part->weight);
    times_rising(out, part->a, s);
    times_rising(out, part->b, f);
    mpq_add(sum, part->a, part->b);
    mpq_set_ui(divisor, 1, 1);
    times_rising(divisor, sum, s + f);
    mpq_div(out, out, divisor);
}

/* x ln x, rounded like a P of real numbers. */
static void times_log(const mpq_t x, mpq_t out)
{
    mpfr_t log;
    mpfr_init2(log, WORKING_BITS);
    mpfr_set_q(log, x, MPFR_RNDN);
    mpfr_log(log, log, MPFR_RNDN);
    mpfr_mul_q(log, log, x, MPFR_RNDN);
    mpfr_prec_round(log, RESULT_BITS, MPFR_RNDN);
    mpfr_get_q(out, log);
    mpfr_clear(log);
}

/* h, which is P, becomes the worth of that name; square is the mean of the squared soft label. */
static void named_worth(og_worth_kind kind, const mpq_t negative, const mpq_t mean,
                        const mpq_t square, mpq_t h)
{
    OWN_MPQ part = MPQ_NEW;
    if (kind == OG_WORTH_BRIER) {
        mpq_mul(h, h, negative);
        mpq_neg(h, h);
    } else if (kind == OG_WORTH_SQUARED) {
        mpq_mul(h, mean, mean);
        mpq_sub(h, h, square);
    } else {
        times_log(negative, part);
        times_log(h, h);
        mpq_add(h, h, part);
    }
}

/* h, which is P, becomes the largest of what the calls are worth. */
static void best_call(const og_payoff *payoff, const mpq_t negative, mpq_t h)
{
    mpq_t worth[2], part;
    mpq_inits(worth[0], worth[1], part, NULL);
    for (int call = 0; call < 2; call++) {
        og_fraction_get_mpq(part, payoff->worth[call][0]);
        mpq_mul(worth[call], part, h);
        og_fraction_get_mpq(part, payoff->worth[call][1]);
        mpq_mul(part, part, negative);
        mpq_add(worth[call], worth[call], part);
    }
    mpq_set(h, worth[mpq_cmp(worth[1], worth[0]) > 0]);
    if (payoff->third) {
        og_fraction_get_mpq(part, payoff->undecided);
        if (mpq_cmp(part, h) > 0) {
            mpq_set(h, part);
        }
    }
    mpq_clears(worth[0], worth[1], part, NULL);
}

/* P and p1 are averages over the components, by their posterior weights. */
static void fill_node(oracle_arm *arm, int s, int f)
{
    OWN_MPQ a = MPQ_NEW, b = MPQ_NEW, weight = MPQ_NEW, total = MPQ_NEW, positive = MPQ_NEW;
    OWN_MPQ square = MPQ_NEW, one = MPQ_NEW, next = MPQ_NEW;
    mpq_set_ui(one, 1, 1);
    mpq_ptr h = arm->h[oracle_node(s, f)], p1 = arm->p1[oracle_node(s, f)];
    for (int m = 0; m < arm->parts; m++) {
        mpq_set_si(a, s, 1);
        mpq_add(a, a, arm->part[m].a);
        mpq_set_si(b, f, 1);
        mpq_add(b, b, arm->part[m].b);
        posterior_weight(weight, &arm->part[m], s, f);
        oracle_positive(positive, a, b, arm->threshold);
        mpq_mul(positive, positive, weight);
        mpq_add(h, h, positive);
        mpq_add(b, b, a);
        mpq_add(next, a, one);
        mpq_div(a, a, b);
        mpq_mul(a, a, weight);
        mpq_add(p1, p1, a);
        mpq_mul(next, next, a);
        mpq_add(b, b, one);
        mpq_div(next, next, b);
        mpq_add(square, square, next);
        mpq_add(total, total, weight);
    }
    mpq_div(h, h, total);
    mpq_div(p1, p1, total);
    mpq_set_ui(a, 1, 1);
    mpq_sub(a, a, h);
    mpq_div(square, square, total);
    if (arm->payoff != NULL && og_payoff_name(arm->payoff) != NULL) {
        named_worth(arm->payoff->kind, a, p1, square, h);
    } else if (arm->payoff != NULL) {
        best_call(arm->payoff, a, h);
    } else if (mpq_cmp(a, h) > 0) {
        mpq_set(h, a);
    }
    if (arm->bandit) { /* in the end the labels themselves are counted */
        mpq_set_si(h, s, 1);
    }
}

static void part_init(oracle_arm *arm, og_fraction weight, og_fraction a, og_fraction b)
{
    oracle_part *part = &arm->part[arm->parts++];
    mpq_inits(part->weight, part->a, part->b, NULL);
    og_fraction_get_mpq(part->weight, weight);
    og_fraction_get_mpq(part->a, a);
    og_fraction_get_mpq(part->b, b);
    arm->exact = arm->exact && is_integer(part->a) && is_integer(part->b);
}

static void arm_init(oracle_arm *arm, const og_group *group, og_objective objective, int depth)
{
    arm->bandit = objective == OG_OBJECTIVE_BANDIT;
    arm->payoff = group->payoff.given ? &group->payoff : NULL;
    mpq_init(arm->threshold);
    og_fraction_get_mpq(arm->threshold, group->threshold);
    arm->exact = true;
    if (group->kind == OG_PRIOR_BETA) {
        part_init(arm, (og_fraction){1, 1}, group->a, group->b);
    } else if (group->kind != OG_PRIOR_MIXTURE) {
        misuse("a prior that is neither a Beta nor a mixture");
    }
    for (int m = 0; m < group->part_count; m++) {
        part_init(arm, group->component[m].weight, group->component[m].a, group->component[m].b);
    }
    og_worth_kind worth = group->payoff.kind; /* h is the only number that could be rounded */
    arm->exact = (arm->exact && worth != OG_WORTH_LOG) || arm->bandit || worth == OG_WORTH_SQUARED;
    arm->depth = depth;
    size_t nodes = (size_t)oracle_node(0, depth + 1);
    arm->h = must(malloc(nodes * sizeof *arm->h));
    arm->p1 = must(malloc(nodes * sizeof *arm->p1));
    for (int n = 0; n <= depth; n++) {
        for (int s = 0; s <= n; s++) {
            mpq_inits(arm->h[oracle_node(s, n - s)], arm->p1[oracle_node(s, n - s)], NULL);
            fill_node(arm, s, n - s);
        }
    }
}

static void arm_clear(oracle_arm *arm)
{
    for (int i = 0; i < oracle_node(0, arm->depth + 1); i++) {
        mpq_clears(arm->h[i], arm->p1[i], NULL);
    }
    free(arm->h);
    free(arm->p1);
    for (int m = 0; m < arm->parts; m++) {
        mpq_clears(arm->part[m].weight, arm->part[m].a, arm->part[m].b, NULL);
    }
    mpq_clear(arm->threshold);
}

/* ---- memory ---- */

static void memory_init(oracle_memory *memory, int words)
{
    *memory = (oracle_memory){.words = words, .slot_count = 1024};
    memory->slots = must(calloc(memory->slot_count, sizeof *memory->slots));
}

static void memory_clear(oracle_memory *memory)
{
    for (size_t i = 0; i < memory->slot_count; i++) {
        if (memory->slots[i].key != NULL) {
            free(memory->slots[i].key);
            mpq_clear(memory->slots[i].value);
        }
    }
    free(memory->slots);
}

static entry *memory_at(const oracle_memory *memory, const uint32_t *key)
{
    size_t bytes = (size_t)memory->words * sizeof *key;
    size_t at = XXH3_64bits(key, bytes) & (memory->slot_count - 1);
    while (memory->slots[at].key != NULL && memcmp(memory->slots[at].key, key, bytes) != 0) {
        at = (at + 1) & (memory->slot_count - 1);
    }
    return &memory->slots[at];
}

static void memory_grow(oracle_memory *memory)
{
    oracle_memory larger = {.words = memory->words, .slot_count = memory->slot_count * 2};
    larger.count = memory->count;
    larger.slots = must(calloc(larger.slot_count, sizeof *larger.slots));
    for (size_t i = 0; i < memory->slot_count; i++) {
        if (memory->slots[i].key != NULL) {
            *memory_at(&larger, memory->slots[i].key) =
                memory->slots[i]; /* a moved mpq stays valid */
        }
    }
    free(memory->slots);
    *memory = larger;
}

static void memory_put(oracle_memory *memory, const uint32_t *key, const mpq_t value)
{
    if (2 * (memory->count + 1) > memory->slot_count) {
        memory_grow(memory);
    }
    entry *at = memory_at(memory, key);
    at->key = must(malloc((size_t)memory->words * sizeof *key));
    memcpy(at->key, key, (size_t)memory->words * sizeof *key);
    mpq_init(at->value);
    mpq_set(at->value, value);
    memory->count++;
}

/* ---- the problem ---- */

static int arm_for(oracle_arms *oracle, const og_groups *problem, int group)
{
    for (int before = 0; before < group; before++) {
        const og_group *x = og_groups_at(problem, before), *y = og_groups_at(problem, group);
        if (og_group_compare(x, y) == 0) {
            return oracle->arm_of_group[before];
        }
    }
    arm_init(&oracle->arm[oracle->arm_count], og_groups_at(problem, group), problem->objective,
             oracle->budget);
    return oracle->arm_count++;
}

oracle_arms *oracle_new(const og_groups *problem)
{
    int64_t size = og_groups_size(problem);
    if (size < 1 || size > ORACLE_INSTANCES || problem->budget > ORACLE_BUDGET) {
        misuse("the problem is too large");
    }
    oracle_arms *oracle = must(calloc(1, sizeof *oracle));
    oracle->budget = problem->budget;
    oracle->uniform = true;
    oracle->group_count = problem->group_count;
    oracle->scale = 1;
    for (int i = 0; i < problem->group_count; i++) {
        oracle->scale =
            fmax(oracle->scale, 2 * og_payoff_most(&og_groups_at(problem, i)->payoff, 2));
    }
    oracle->arm = must(calloc((size_t)problem->group_count, sizeof *oracle->arm));
    oracle->arm_of_group = must(calloc((size_t)problem->group_count, sizeof *oracle->arm_of_group));
    oracle->root = must(calloc((size_t)size, sizeof *oracle->root));
    for (int group = 0; group < problem->group_count; group++) {
        oracle->arm_of_group[group] = arm_for(oracle, problem, group);
        for (int64_t copy = 0; copy < og_groups_at(problem, group)->count; copy++) {
            oracle->root[oracle->instance_count++] = code_of(oracle->arm_of_group[group], 0, 0);
        }
    }
    memory_init(&oracle->optimum, oracle->instance_count);
    oracle->index_at =
        must(calloc((size_t)(oracle->budget + 1) * (size_t)oracle->arm_count, sizeof(mpq_t *)));
    return oracle;
}

static void index_clear(oracle_arms *oracle)
{
    for (int left = 0; left <= oracle->budget; left++) {
        for (int arm = 0; arm < oracle->arm_count; arm++) {
            mpq_t **table = &oracle->index_at[left * oracle->arm_count + arm];
            if (*table != NULL) {
                for (int i = 0; i < oracle_node(0, oracle->budget - left + 1); i++) {
                    mpq_clear((*table)[i]);
                }
            }
            free(*table);
            *table = NULL;
        }
    }
    oracle->uniform = true;
}

void oracle_free(oracle_arms *oracle)
{
    if (oracle == NULL) {
        return;
    }
    index_clear(oracle);
    free(oracle->index_at);
    memory_clear(&oracle->optimum);
    for (int arm = 0; arm < oracle->arm_count; arm++) {
        arm_clear(&oracle->arm[arm]);
    }
    free(oracle->arm);
    free(oracle->arm_of_group);
    free(oracle->root);
    free(oracle);
}

double oracle_error(const oracle_arms *oracle)
{
    for (int arm = 0; arm < oracle->arm_count; arm++) {
        if (!oracle->arm[arm].exact) {
            /* gains subtract two sums of h */
            return oracle->instance_count * 2 * ORACLE_H_ERROR * oracle->scale;
        }
    }
    return 0;
}

static void sum_of_calls(const oracle_arms *oracle, const uint32_t *state, mpq_t out)
{
    mpq_set_ui(out, 0, 1);
    for (int i = 0; i < oracle->instance_count; i++) {
        mpq_add(out, out, oracle->arm[arm_in(state[i])].h[node_in(state[i])]);
    }
}

void oracle_call(const oracle_arms *oracle, mpq_t out)
{
    sum_of_calls(oracle, oracle->root, out);
}

/* out = p1 * x + (1 - p1) * y; x and y are spoilt. */
static void expect(mpq_t out, const mpq_t p1, mpq_t x, mpq_t y)
{
    mpq_sub(x, x, y);
    mpq_mul(x, x, p1);
    mpq_add(out, x, y);
}

/* ---- the optimum, literally ---- */

static void value_literally(const oracle_arms *oracle, uint32_t *state, int left, mpq_t out)
{
    if (left == 0) {
        sum_of_calls(oracle, state, out);
        return;
    }
    OWN_MPQ x = MPQ_NEW, y = MPQ_NEW;
    for (int i = 0; i < oracle->instance_count; i++) {
        uint32_t before = state[i];
        state[i] = after_one(before);
        value_literally(oracle, state, left - 1, x);
        state[i] = after_zero(before);
        value_literally(oracle, state, left - 1, y);
        state[i] = before;
        expect(x, oracle->arm[arm_in(before)].p1[node_in(before)], x, y);
        if (i == 0 || mpq_cmp(x, out) > 0) {
            mpq_set(out, x);
        }
    }
}

void oracle_optimum_literally(const oracle_arms *oracle, mpq_t out)
{
    uint32_t state[ORACLE_INSTANCES];
    memcpy(state, oracle->root, (size_t)oracle->instance_count * sizeof *state);
    value_literally(oracle, state, oracle->budget, out);
}

/* ---- recursion over states, for the optimum and for policies ---- */

typedef struct {
    const oracle_arms *oracle;
    oracle_memory *known; /* NULL: forget everything */
    bool sorted;          /* the order of instances does not matter */
    bool uniform;         /* all instances tie */
    og_ties ties;
} oracle_run;

static void insert_sorted(uint32_t *state, int count)
{
    for (int i = 1; i < count; i++) {
        uint32_t moving = state[i];
        int j = i;
        for (; j > 0 && state[j - 1] > moving; j--) {
            state[j] = state[j - 1];
        }
        state[j] = moving;
    }
}

static void visit(const oracle_run *walk, const uint32_t *state, int left, mpq_t out);

/* The future value if instance i is labelled. */
static void label(const oracle_run *how, const uint32_t *state, int i, int left, mpq_t out)
{
    const oracle_arms *oracle = how->oracle;
    uint32_t next[ORACLE_INSTANCES];
    OWN_MPQ x = MPQ_NEW, y = MPQ_NEW;
    memcpy(next, state, (size_t)oracle->instance_count * sizeof *next);
    next[i] = after_one(state[i]);
    visit(how, next, left - 1, x);
    memcpy(next, state, (size_t)oracle->instance_count * sizeof *next);
    next[i] = after_zero(state[i]);
    visit(how, next, left - 1, y);
    expect(out, oracle->arm[arm_in(state[i])].p1[node_in(state[i])], x, y);
}

static mpq_ptr index_of(const oracle_run *how, uint32_t code, int left)
{
    return how->oracle->index_at[left * how->oracle->arm_count + arm_in(code)][node_in(code)];
}

/* Which instances have the largest index; returns how many. */
static int find_tied(const oracle_run *how, const uint32_t *state, int left, bool *tied)
{
    int count = how->oracle->instance_count, tied_count = 0;
    OWN_MPQ bar = MPQ_NEW, tie = MPQ_NEW;
    for (int i = 0; !how->uniform && i < count; i++) {
        if (i == 0 || mpq_cmp(index_of(how, state[i], left), bar) > 0) {
            mpq_set(bar, index_of(how, state[i], left));
        }
    }
    if (oracle_error(how->oracle) > 0) {
        mpq_set_d(tie, ORACLE_TIE);
        mpq_sub(bar, bar, tie);
    }
    for (int i = 0; i < count; i++) {
        tied[i] = how->uniform || mpq_cmp(index_of(how, state[i], left), bar) >= 0;
        tied_count += tied[i];
    }
    return tied_count;
}

/* Take one more tied instance's value in; `first` says that nothing is in `sum` yet. */
static void take(og_ties ties, bool first, mpq_t sum, const mpq_t value)
{
    if (ties == OG_TIES_RANDOM) {
        mpq_add(sum, sum, value);
    } else if (first || (ties == OG_TIES_BEST && mpq_cmp(value, sum) > 0) ||
               (ties == OG_TIES_WORST && mpq_cmp(value, sum) < 0)) {
        mpq_set(sum, value);
    }
}

static void decide(const oracle_run *how, const uint32_t *state, int left, mpq_t out)
{
    bool tied[ORACLE_INSTANCES], first = true;
    int tied_count = find_tied(how, state, left, tied);
    OWN_MPQ value = MPQ_NEW;
    mpq_set_ui(out, 0, 1);
    for (int i = 0; i < how->oracle->instance_count; i++) {
        if (!tied[i] || (how->ties == OG_TIES_FIRST && !first)) {
            continue;
        }
        if (!how->sorted || i == 0 || state[i] != state[i - 1]) {
            label(how, state, i, left, value); /* else it is the value of i - 1 */
        }
        take(how->ties, first, out, value);
        first = false;
    }
    if (how->ties == OG_TIES_RANDOM) {
        mpq_set_si(value, tied_count, 1);
        mpq_div(out, out, value);
    }
}

static void visit(const oracle_run *how, const uint32_t *state, int left, mpq_t out)
{
    const oracle_arms *oracle = how->oracle;
    if (left == 0) {
        sum_of_calls(oracle, state, out);
        return;
    }
    uint32_t key[ORACLE_INSTANCES];
    memcpy(key, state, (size_t)oracle->instance_count * sizeof *key);
    if (how->sorted) {
        insert_sorted(key, oracle->instance_count);
    }
    if (how->known != NULL) { /* the counts in a state say how many labels are left */
        const entry *known = memory_at(how->known, key);
        if (known->key != NULL) {
            mpq_set(out, known->value);
            return;
        }
    }
    decide(how, key, left, out);
    if (how->known != NULL) {
        memory_put(how->known, key, out);
    }
}

/* The optimum breaks a tie between all instances for the best. */
static oracle_run optimal_run(oracle_arms *oracle)
{
    return (oracle_run){.oracle = oracle,
                        .known = &oracle->optimum,
                        .sorted = true,
                        .uniform = true,
                        .ties = OG_TIES_BEST};
}

void oracle_optimum(oracle_arms *oracle, mpq_t out)
{
    oracle_run how = optimal_run(oracle);
    visit(&how, oracle->root, oracle->budget, out);
}

void oracle_q(oracle_arms *oracle, int group, mpq_t out)
{
    oracle_run how = optimal_run(oracle);
    int i = 0;
    while (arm_in(oracle->root[i]) != oracle->arm_of_group[group]) {
        i++;
    }
    label(&how, oracle->root, i, oracle->budget, out);
    OWN_MPQ call = MPQ_NEW;
    oracle_call(oracle, call);
    mpq_sub(out, out, call);
}

void oracle_choose(oracle_arms *oracle, oracle_index *index, const void *data)
{
    index_clear(oracle);
    oracle->uniform = index == NULL;
    for (int left = 1; index != NULL && left <= oracle->budget; left++) {
        for (int arm = 0; arm < oracle->arm_count; arm++) {
            int depth = oracle->budget - left;
            mpq_t *table = must(malloc((size_t)oracle_node(0, depth + 1) * sizeof *table));
            for (int n = 0; n <= depth; n++) {
                for (int s = 0; s <= n; s++) {
                    mpq_init(table[oracle_node(s, n - s)]);
                    index(table[oracle_node(s, n - s)], &oracle->arm[arm], s, n - s, left, data);
                }
            }
            oracle->index_at[left * oracle->arm_count + arm] = table;
        }
    }
}

void oracle_index_at(const oracle_arms *oracle, int group, int s, int f, int left, mpq_t out)
{
    mpq_set(out, oracle->index_at[left * oracle->arm_count + oracle->arm_of_group[group]]
                                 [oracle_node(s, f)]);
}

void oracle_policy_value(const oracle_arms *oracle, og_ties ties, mpq_t out)
{
    oracle_memory known;
    memory_init(&known, oracle->instance_count);
    oracle_run how = {.oracle = oracle,
                      .known = &known,
                      .sorted = ties != OG_TIES_FIRST,
                      .uniform = oracle->uniform,
                      .ties = ties};
    visit(&how, oracle->root, oracle->budget, out);
    memory_clear(&known);
}

void oracle_policy_value_literally(const oracle_arms *oracle, og_ties ties, mpq_t out)
{
    oracle_run how = {.oracle = oracle, .uniform = oracle->uniform, .ties = ties};
    visit(&how, oracle->root, oracle->budget, out);
}

bool oracle_within(double value, double bound, const mpq_t expected)
{
    if (!isfinite(value) || !(bound >= 0) || isinf(bound)) {
        return false;
    }
    OWN_MPQ off = MPQ_NEW, limit = MPQ_NEW;
    mpq_set_d(off, value);
    mpq_set_d(limit, bound);
    mpq_sub(off, off, expected);
    mpq_abs(off, off);
    bool within = mpq_cmp(off, limit) <= 0;
    return within;
}
