/*
 * Arms of two outcomes as tables: Betas and mixtures of them. At most one node of a level has a
 * reward (dp/prior/beta.h); a mixture's other numbers come from dp/prior/mixture.h, those of a Beta
 * are arithmetic on the parameters.
 *
 * Probabilities of a Beta: with c the common denominator of a and b, p1 = (a+s)c / (a+b+n)c is
 * computed as the quotient of these integers, each rounded to double first. Below 2^53 they are
 * exact and p is rounded to nearest; above, p carries three roundings. Either way it depends on the
 * posterior alone (c is the same for every posterior of a prior), and mirror images have the same
 * bits.
 */
#include <arb.h>
#include <flint/fmpz.h>
#include <stdlib.h>

#include "dp/arm/arm_builder.h"
#include "dp/prior/beta.h"
#include "dp/prior/beta_walk.h"
#include "dp/prior/mixture.h"

/* u: the relative error of rounding to nearest. */
static const double unit_roundoff = 0x1p-53;

/* The parameters of the nodes times the common denominator, as doubles. */
typedef struct {
    double *plus;  /* [depth + 1] (a + s) c */
    double *minus; /* [depth + 1] (b + f) c */
    double *total; /* [depth + 1] (a + b + n) c */
    bool exact;    /* none of them had to be rounded */
} parameter_table;

/* value, value + unit, ... to the nearest doubles; says whether all are exact. */
static bool fill_arithmetic(const fmpz_t start, const fmpz_t unit, double *out, int32_t count)
{
    fmpz_t value;
    arf_t real;
    arf_init(real);
    fmpz_init_set(value, start);
    for (int32_t i = 0; i < count; i++) {
        arf_set_fmpz(real, value);
        out[i] = arf_get_d(real, ARF_RND_NEAR);
        fmpz_add(value, value, unit);
    }
    fmpz_sub(value, value, unit);
    bool exact = fmpz_bits(value) <= 53;
    fmpz_clear(value);
    arf_clear(real);
    return exact;
}

static og_status parameter_table_init(const og_group *group, int32_t depth, parameter_table *out)
{
    size_t levels = (size_t)depth + 1;
    double *all = malloc(3 * levels * sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    *out = (parameter_table){.plus = all, .minus = all + levels, .total = all + 2 * levels};
    walk w;
    fmpz_t sum;
    og_walk_init(&w, group, false, 64);
    fmpz_init(sum);
    fmpz_add(sum, w.a, w.b);
    fill_arithmetic(w.a, w.unit, out->plus, depth + 1);
    fill_arithmetic(w.b, w.unit, out->minus, depth + 1);
    out->exact = fill_arithmetic(sum, w.unit, out->total, depth + 1);
    fmpz_clear(sum);
    og_walk_clear(&w);
    return OG_OK;
}

static void fill_probabilities(const parameter_table *table, og_arm *arm)
{
    double *probability = (double *)arm->probability;
    for (int32_t n = 0; n < arm->depth; n++) {
        for (int32_t s = 0; s <= n; s++) {
            *probability++ = table->plus[s] / table->total[n];
            *probability++ = table->minus[n - s] / table->total[n];
        }
    }
}

/* What the arm takes from what it now owns. */
static void take(og_beta *own, og_arm *arm)
{
    arm->own = own;
    arm->rational = own->exact;
    arm->call = own->call;
    arm->call_error = arm->reward_error = unit_roundoff;
    for (int32_t n = 0; n < arm->depth; n++) {
        if (own->flip[n] >= 0) {
            ((double *)arm->reward)[arm->level[n] + (uint32_t)own->flip[n]] = own->reward[n];
        }
    }
}

static og_status build_beta(const og_group *plain, og_stop *stop, og_arm *arm)
{
    (void)stop;
    og_beta *beta;
    parameter_table table;
    OG_TRY(og_lattice_new(arm));
    OG_TRY(og_beta_new(plain, arm->depth, &beta));
    take(beta, arm);
    OG_TRY(parameter_table_init(plain, arm->depth, &table));
    /* (1+u)^2 / (1-u) - 1 < 3.001 u. */
    arm->probability_error = table.exact ? unit_roundoff : 3.001 * unit_roundoff;
    fill_probabilities(&table, arm);
    free(table.plus);
    return OG_OK;
}

static og_status build_mixture(const og_group *plain, og_stop *stop, og_arm *arm)
{
    (void)stop;
    og_mixture *mixture;
    OG_TRY(og_lattice_new(arm));
    OG_TRY(og_mixture_new(plain, arm->depth, (double *)arm->probability, &mixture));
    arm->probability_error = unit_roundoff;
    take(mixture, arm);
    return OG_OK;
}

/* Saturates at UINT64_MAX. */
static uint64_t lattice_and(int32_t depth, uint64_t more)
{
    uint64_t sum;
    return __builtin_add_overflow(og_lattice_bytes(depth), more, &sum) ? UINT64_MAX : sum;
}

uint64_t og_arm_beta_bytes(int32_t depth)
{
    uint64_t scratch = 3 * sizeof(double) * ((uint64_t)depth + 1);
    return lattice_and(depth, og_beta_bytes(depth) + scratch);
}

static uint64_t beta_bytes(const og_group *prior, int32_t depth)
{
    (void)prior;
    return og_arm_beta_bytes(depth);
}

static uint64_t mixture_bytes(const og_group *prior, int32_t depth)
{
    (void)prior;
    return lattice_and(depth, og_mixture_bytes(depth));
}

static bool is_mixture(const og_arm *arm)
{
    return ((const og_beta *)arm->own)->group.kind == OG_PRIOR_MIXTURE;
}

static og_status gains(const og_arm *arm, double *gain, double *error)
{
    return (is_mixture(arm) ? og_mixture_gains : og_beta_gains)(arm->own, gain, error);
}

static int32_t called(const og_arm *arm, const int32_t *counts)
{
    return og_beta_positive(arm->own, counts[0] + counts[1], counts[0]) ? 0 : 1;
}

static bool mirror(const og_arm *arm, int32_t *diagonal)
{
    const og_mixture *mixture = arm->own;
    if (mixture->symmetric) {
        *diagonal = mixture->diagonal;
    }
    return mixture->symmetric && og_payoff_is_symmetric(&mixture->group.payoff);
}

static void beta_posterior(const og_arm *arm, const int32_t *counts, og_fraction *parameter)
{
    parameter[0] = og_fraction_plus(arm->prior.a, counts[0]);
    parameter[1] = og_fraction_plus(arm->prior.b, counts[1]);
}

/* The components share the labels, which stand for the node. */
static void mixture_posterior(const og_arm *arm, const int32_t *counts, og_fraction *parameter)
{
    (void)arm;
    parameter[0] = (og_fraction){counts[0], 1};
    parameter[1] = (og_fraction){counts[1], 1};
}

static void exact_call(const og_arm *arm, mpq_t out)
{
    (is_mixture(arm) ? og_mixture_exact_call : og_beta_exact_call)(arm->own, out);
}

static void exact_reward(const og_arm *arm, const int32_t *counts, mpq_t out)
{
    (is_mixture(arm) ? og_mixture_exact_reward
                     : og_beta_exact_reward)(arm->own, counts[0] + counts[1], counts[0], out);
}

static void exact_probability(const og_arm *arm, const int32_t *counts, int32_t outcome, mpq_t out)
{
    og_mixture_exact_probability(arm->own, counts[0] + counts[1], counts[0], outcome, out);
}

static void exact_gain(const og_arm *arm, const int32_t *counts, int32_t outcome, mpq_t out)
{
    (is_mixture(arm) ? og_mixture_exact_gain : og_beta_exact_gain)(arm->own, counts[0] + counts[1],
                                                                   counts[0], outcome, out);
}

const og_arm_builder og_arm_beta = {
    .bytes = beta_bytes,
    .nodes = og_lattice_nodes,
    .build = build_beta,
    .gains = gains,
    .counts = og_lattice_counts,
    .called = called,
    .posterior = beta_posterior,
    .exact_call = exact_call,
    .exact_reward = exact_reward,
    .exact_gain = exact_gain,
};

const og_arm_builder og_arm_mixture = {
    .bytes = mixture_bytes,
    .nodes = og_lattice_nodes,
    .build = build_mixture,
    .gains = gains,
    .counts = og_lattice_counts,
    .called = called,
    .mirror = mirror,
    .posterior = mixture_posterior,
    .exact_call = exact_call,
    .exact_reward = exact_reward,
    .exact_probability = exact_probability,
    .exact_gain = exact_gain,
};
