/*
 * Arms of two outcomes as tables: Betas and mixtures of them. At most one node of a level has a
 * reward (dp/prior/beta.h); a mixture's other numbers come from dp/prior/mixture.h, those of a Beta
 * are arithmetic on the parameters. With a third call, everything is combined from payoffs of two
 * calls (dp/prior/payoff.h), and at most two nodes of a level have a reward. If the worth has a
 * name (dp/prior/worth.h), the tables of calls tell the calls, and it tells everything else.
 *
 * Probabilities of a Beta: with c the common denominator of a and b, p1 = (a+s)c / (a+b+n)c is
 * computed as the quotient of these integers, each rounded to double first. Below 2^53 they are
 * exact and p is rounded to nearest; above, p carries three roundings. Either way it depends on the
 * posterior alone (c is the same for every posterior of a prior), and mirror images have the same
 * bits.
 */
#include <flint/fmpz.h>
#include <stdlib.h>

#include "dp/arm/arm_builder.h"
#include "dp/base/arb.h"
#include "dp/prior/beta.h"
#include "dp/prior/beta_walk.h"
#include "dp/prior/mixture.h"
#include "dp/prior/worth.h"

/* u: the relative error of rounding to nearest. */
static const double unit_roundoff = 0x1p-53;

/* The parameters of the nodes times the common denominator, as doubles. */
typedef struct {
    double *plus;  /* [depth + 1] (a + s) c */
    double *minus; /* [depth + 1] (b + f) c */
    double *total; /* [depth + 1] (a + b + n) c */
    bool exact;    /* none of them was rounded */
} parameter_table;

/* Writes value, value + unit, ... rounded to doubles; returns whether all are exact. */
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

static og_status fill_probabilities(const parameter_table *table, og_stop *stop, og_arm *arm)
{
    double *probability = (double *)arm->probability;
    for (int32_t n = 0; n < arm->depth; n++) {
        if (og_stop_asked(stop)) {
            return OG_STOPPED;
        }
        for (int32_t s = 0; s <= n; s++) {
            *probability++ = table->plus[s] / table->total[n];
            *probability++ = table->minus[n - s] / table->total[n];
        }
    }
    return OG_OK;
}

/* The arm's own data: one table of nodes for each payoff of two calls. */
typedef struct {
    og_arena arena;
    og_group plain;
    bool named; /* the worth is not of calls */
    og_payoff_calls calls;
    og_beta *between[3]; /* as in calls */
} beta_tables;

static int table_count(const og_payoff_calls *calls)
{
    return calls->count == 3 ? 3 : 1;
}

static const beta_tables *own(const og_arm *arm)
{
    return arm->own;
}

static void free_tables(void *object)
{
    beta_tables *tables = object;
    for (int i = 0; tables != NULL && i < 3; i++) {
        og_beta_free(tables->between[i]);
    }
    og_arena_free(tables);
}

/* The node's call, numbered in the order of P. */
static int call_at(const beta_tables *tables, int32_t n, int32_t s)
{
    return og_beta_positive(tables->between[0], n, s) +
           (tables->calls.count == 3 && og_beta_positive(tables->between[1], n, s));
}

/* Sets the arm's fields from its own data. */
static og_status take(og_arm *arm)
{
    const beta_tables *tables = own(arm);
    double *reward = (double *)arm->reward;
    if (tables->named) {
        arm->rational = og_worth_is_exact(&tables->plain, arm->depth);
        arm->call_error = unit_roundoff;
        arm->reward_error = unit_roundoff * (1 + 0x1p-40); /* with the least doubles, worth.h */
        return og_worth_rewards(&tables->plain, arm->depth, &arm->call, reward);
    }
    bool second = call_at(tables, 0, 0) == 2;
    arm->rational = tables->between[0]->exact;
    arm->call = tables->between[second]->call;
    arm->call_error = unit_roundoff;
    /* Two rewards may meet in a node: (1+u)^2 - 1 < 2.001 u. */
    arm->reward_error = tables->calls.count == 3 ? 2.001 * unit_roundoff : unit_roundoff;
    for (int i = 0; i < tables->calls.count - 1; i++) {
        const og_beta *between = tables->between[i];
        for (int32_t n = 0; n < arm->depth; n++) {
            if (between->flip[n] >= 0) {
                reward[arm->level[n] + (uint32_t)between->flip[n]] += between->reward[n];
            }
        }
    }
    return OG_OK;
}

static og_status new_tables(const og_group *plain, og_arm *arm)
{
    beta_tables *tables = og_arena_new(sizeof *tables);
    OG_TRY(OG_ALLOCATED(tables));
    arm->own = tables;
    tables->plain = *plain;
    tables->named = og_payoff_name(&plain->payoff) != NULL;
    tables->calls = og_payoff_in_calls(&plain->payoff);
    for (int i = 0; i < table_count(&tables->calls); i++) {
        og_group paid = *plain;
        paid.payoff = tables->calls.between[i];
        OG_TRY(
            plain->kind == OG_PRIOR_MIXTURE
                ? og_mixture_new(&paid, arm->depth, (double *)arm->probability, &tables->between[i])
                : og_beta_new(&paid, arm->depth, &tables->between[i]));
    }
    return take(arm);
}

static og_status build_beta(const og_group *plain, og_stop *stop, og_arm *arm)
{
    parameter_table table;
    OG_TRY(og_lattice_new(stop, arm));
    OG_TRY(new_tables(plain, arm));
    OG_TRY(parameter_table_init(plain, arm->depth, &table));
    /* (1+u)^2 / (1-u) - 1 < 3.001 u. */
    arm->probability_error = table.exact ? unit_roundoff : 3.001 * unit_roundoff;
    og_status status = fill_probabilities(&table, stop, arm);
    free(table.plus);
    return status;
}

static og_status build_mixture(const og_group *plain, og_stop *stop, og_arm *arm)
{
    OG_TRY(og_lattice_new(stop, arm));
    arm->probability_error = unit_roundoff;
    return new_tables(plain, arm);
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

static uint64_t worth_bytes(const og_group *plain, int32_t depth)
{
    return og_payoff_name(&plain->payoff) != NULL ? og_worth_bytes(depth) : 0;
}

static og_status beta_size(const og_group *plain, int32_t depth, const og_settings *settings,
                           og_arm_size *out)
{
    og_payoff_calls calls = og_payoff_in_calls(&plain->payoff);
    uint64_t more =
        (uint64_t)(table_count(&calls) - 1) * og_beta_bytes(depth) + worth_bytes(plain, depth);
    (void)settings;
    *out = (og_arm_size){og_arm_beta_bytes(depth) + more, og_lattice_nodes(depth)};
    return OG_OK;
}

static og_status mixture_size(const og_group *plain, int32_t depth, const og_settings *settings,
                              og_arm_size *out)
{
    og_payoff_calls calls = og_payoff_in_calls(&plain->payoff);
    uint64_t more =
        (uint64_t)table_count(&calls) * og_mixture_bytes(depth) + worth_bytes(plain, depth);
    (void)settings;
    *out = (og_arm_size){lattice_and(depth, more), og_lattice_nodes(depth)};
    return OG_OK;
}

static bool is_mixture(const og_arm *arm)
{
    return own(arm)->between[0]->group.kind == OG_PRIOR_MIXTURE;
}

/* The table of these two calls. If the middle call stays, both tables have it. If a label flips the
 * call in one of the two, that one has the gains rounded to nearest, as its mirror image has. */
static int table_of(const beta_tables *tables, int32_t n, int32_t s, int before, int after)
{
    int low = before < after ? before : after, high = before < after ? after : before;
    if (tables->calls.count == 2 || high == 0) {
        return 0;
    }
    if (low == 1 && high == 1) {
        return tables->between[0]->flip[n] == s ? 0 : 1;
    }
    return high == 1 ? 0 : low == 0 ? 2 : 1;
}

static int table_of_label(const beta_tables *tables, int32_t n, int32_t s, int outcome)
{
    return table_of(tables, n, s, call_at(tables, n, s),
                    call_at(tables, n + 1, s + (outcome == 0)));
}

static og_status gains(const og_arm *arm, og_stop *stop, double *gain, double *error)
{
    (void)stop;
    const beta_tables *tables = own(arm);
    if (tables->named) {
        *error = unit_roundoff;
        return og_worth_gains(&tables->plain, arm->depth, gain);
    }
    int count = table_count(&tables->calls);
    size_t places = 2 * (size_t)arm->level[arm->depth];
    double *between[3] = {gain};
    og_arena arena = {0};
    for (int i = 1; i < count; i++) {
        between[i] = og_arena_array(&arena, places, sizeof *gain);
    }
    og_status status = og_arena_status(&arena);
    for (int i = 0; status == OG_OK && i < count; i++) {
        status = (is_mixture(arm) ? og_mixture_gains : og_beta_gains)(tables->between[i],
                                                                      between[i], error);
    }
    for (int32_t n = 0; status == OG_OK && count > 1 && n < arm->depth; n++) {
        for (int32_t s = 0; s <= n; s++) {
            size_t at = 2 * ((size_t)arm->level[n] + (size_t)s);
            gain[at] = between[table_of_label(tables, n, s, 0)][at];
            gain[at + 1] = between[table_of_label(tables, n, s, 1)][at + 1];
        }
    }
    og_arena_clear(&arena);
    return status;
}

static int32_t called(const og_arm *arm, uint32_t node)
{
    int32_t counts[2];
    og_lattice_counts(arm, node, counts);
    return own(arm)->calls.call[call_at(own(arm), counts[0] + counts[1], counts[0])];
}

/* With a third call the payoffs of two calls are not their own mirror images. */
static bool mirror(const og_arm *arm, int32_t *diagonal)
{
    const og_mixture *mixture = own(arm)->between[0];
    if (own(arm)->calls.count == 3 || !mixture->symmetric) {
        return false;
    }
    *diagonal = mixture->diagonal;
    return og_payoff_is_symmetric(&mixture->group.payoff);
}

static void beta_posterior(const og_arm *arm, uint32_t node, og_fraction *parameter)
{
    int32_t counts[2];
    og_lattice_counts(arm, node, counts);
    parameter[0] = og_fraction_plus(arm->prior.a, counts[0]);
    parameter[1] = og_fraction_plus(arm->prior.b, counts[1]);
}

/* The components share the labels, whose counts identify the node. */
static void mixture_posterior(const og_arm *arm, uint32_t node, og_fraction *parameter)
{
    int32_t counts[2];
    og_lattice_counts(arm, node, counts);
    parameter[0] = (og_fraction){counts[0], 1};
    parameter[1] = (og_fraction){counts[1], 1};
}

static void exact_call(const og_arm *arm, mpq_t out)
{
    if (own(arm)->named) {
        og_worth_exact(&own(arm)->plain, 0, 0, out);
        return;
    }
    const og_beta *best = own(arm)->between[call_at(own(arm), 0, 0) == 2];
    (is_mixture(arm) ? og_mixture_exact_call : og_beta_exact_call)(best, out);
}

static void exact_gain(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    int32_t counts[2];
    og_lattice_counts(arm, node, counts);
    int32_t n = counts[0] + counts[1], s = counts[0];
    if (own(arm)->named) {
        mpq_t here;
        mpq_init(here);
        og_worth_exact(&own(arm)->plain, n, s, here);
        og_worth_exact(&own(arm)->plain, n + 1, s + (outcome == 0), out);
        mpq_sub(out, out, here);
        mpq_clear(here);
        return;
    }
    const og_beta *between = own(arm)->between[table_of_label(own(arm), n, s, outcome)];
    (is_mixture(arm) ? og_mixture_exact_gain : og_beta_exact_gain)(between, n, s, outcome, out);
}

static void exact_reward(const og_arm *arm, uint32_t node, mpq_t out)
{
    const beta_tables *tables = own(arm);
    int32_t counts[2];
    mpq_t part;
    if (tables->named) {
        og_arm_exact_sum(arm, node, out);
        return;
    }
    og_lattice_counts(arm, node, counts);
    mpq_init(part);
    mpq_set_ui(out, 0, 1);
    for (int i = 0; i < tables->calls.count - 1; i++) {
        (is_mixture(arm) ? og_mixture_exact_reward : og_beta_exact_reward)(
            tables->between[i], counts[0] + counts[1], counts[0], part);
        mpq_add(out, out, part);
    }
    mpq_clear(part);
}

static void exact_probability(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    int32_t counts[2];
    og_lattice_counts(arm, node, counts);
    og_mixture_exact_probability(own(arm)->between[0], counts[0] + counts[1], counts[0], outcome,
                                 out);
}

const og_arm_builder og_arm_beta = {
    .beta = true,
    .size = beta_size,
    .build = build_beta,
    .free = free_tables,
    .gains = gains,
    .counts = og_lattice_counts,
    .called = called,
    .posterior = beta_posterior,
    .exact_call = exact_call,
    .exact_reward = exact_reward,
    .exact_gain = exact_gain,
};

const og_arm_builder og_arm_mixture = {
    .size = mixture_size,
    .build = build_mixture,
    .free = free_tables,
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
