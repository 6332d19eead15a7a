/*
 * Beta arms as tables. The rewards come from the walk along the boundary (dp/prior/beta.h); the
 * rest of a table is arithmetic on the parameters.
 *
 * Probabilities: with c the common denominator of a and b, p1 = (a+s)c / (a+b+n)c is computed as
 * the quotient of these integers, each rounded to double first. Below 2^53 they are exact and p is
 * rounded to nearest; above, p carries three roundings. Either way it depends on the posterior
 * alone (c is the same for every posterior of a prior), and mirror images have the same bits.
 */
#include <arb.h>
#include <flint/fmpz.h>
#include <stdlib.h>

#include "dp/arm/arm_builder.h"
#include "dp/prior/beta.h"
#include "dp/prior/beta_walk.h"

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
    OG_TRY(og_allocated(all));
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

static void fill_level(const og_beta *beta, const parameter_table *table, int32_t n, uint32_t first,
                       double *reward, double *probability)
{
    for (int32_t s = 0; s <= n; s++) {
        size_t node = first + (uint32_t)s;
        probability[2 * node] = table->plus[s] / table->total[n];
        probability[2 * node + 1] = table->minus[n - s] / table->total[n];
    }
    if (beta->flip[n] >= 0) {
        reward[first + (uint32_t)beta->flip[n]] = beta->reward[n];
    }
}

static og_status build(const og_group *plain, og_arm *arm)
{
    og_beta *beta;
    arm->outcome_count = 2;
    arm->lattice = true;
    OG_TRY(og_beta_new(plain, arm->depth, &beta));
    arm->own = beta;
    arm->rational = beta->exact;
    arm->call = beta->call;
    arm->call_error = unit_roundoff;
    arm->reward_error = unit_roundoff;
    parameter_table table;
    OG_TRY(parameter_table_init(plain, arm->depth, &table));
    /* (1+u)^2 / (1-u) - 1 < 3.001 u. */
    arm->probability_error = table.exact ? unit_roundoff : 3.001 * unit_roundoff;
    og_status status = og_lattice_new(arm);
    for (int32_t n = 0; status == OG_OK && n < arm->depth; n++) {
        fill_level(beta, &table, n, arm->level[n], (double *)arm->reward,
                   (double *)arm->probability);
    }
    free(table.plus);
    return status;
}

static uint64_t bytes(const og_group *prior, int32_t depth)
{
    (void)prior;
    return og_arm_beta_bytes(depth);
}

uint64_t og_arm_beta_bytes(int32_t depth)
{
    uint64_t sum, scratch = 3 * sizeof(double) * ((uint64_t)depth + 1);
    if (__builtin_add_overflow(og_lattice_bytes(depth), og_beta_bytes(depth) + scratch, &sum)) {
        return UINT64_MAX;
    }
    return sum;
}

static og_status gains(const og_arm *arm, double *gain, double *error)
{
    return og_beta_gains(arm->own, gain, error);
}

static int32_t called(const og_arm *arm, const int32_t *counts)
{
    return og_beta_positive(arm->own, counts[0] + counts[1], counts[0]) ? 0 : 1;
}

static void posterior(const og_arm *arm, const int32_t *counts, og_fraction *parameter)
{
    parameter[0] = og_fraction_plus(arm->prior.a, counts[0]);
    parameter[1] = og_fraction_plus(arm->prior.b, counts[1]);
}

static void exact_call(const og_arm *arm, mpq_t out)
{
    og_beta_exact_call(arm->own, out);
}

static void exact_reward(const og_arm *arm, const int32_t *counts, mpq_t out)
{
    og_beta_exact_reward(arm->own, counts[0] + counts[1], counts[0], out);
}

static void exact_gain(const og_arm *arm, const int32_t *counts, int32_t outcome, mpq_t out)
{
    og_beta_exact_gain(arm->own, counts[0] + counts[1], counts[0], outcome, out);
}

const og_arm_builder og_arm_beta = {
    .bytes = bytes,
    .nodes = og_lattice_nodes,
    .build = build,
    .gains = gains,
    .counts = og_lattice_counts,
    .called = called,
    .posterior = posterior,
    .exact_call = exact_call,
    .exact_reward = exact_reward,
    .exact_gain = exact_gain,
};
