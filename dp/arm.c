/*
 * Beta arms as tables, and the arms of a problem. The rewards come from the walk along the
 * boundary (dp/beta.h); the rest of a table is arithmetic on the parameters.
 *
 * Probabilities: with c the common denominator of a and b, p1 = (a+s)c / (a+b+n)c is computed as
 * the quotient of these integers, each rounded to double first. Below 2^53 they are exact and p is
 * rounded to nearest; above, p carries three roundings. Either way it depends on the posterior
 * alone (c is the same for every posterior of a prior), and mirror images have the same bits.
 */
#include "dp/arm.h"

#include <arb.h>
#include <assert.h>
#include <flint/fmpz.h>
#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>

#include "dp/beta.h"
#include "dp/beta_walk.h"

/* u: the relative error of rounding to nearest. */
static const double unit_roundoff = 0x1p-53;

static uint64_t node_count_of(int32_t depth)
{
    uint64_t levels = (uint64_t)depth + 1;
    return levels * (levels + 1) / 2;
}

uint64_t og_arm_beta_bytes(int32_t depth)
{
    const uint64_t node_bytes = sizeof(double) + 2 * sizeof(double) + 2 * sizeof(uint32_t);
    uint64_t bytes, fixed = sizeof(og_arm) + og_beta_bytes(depth) +
                            ((uint64_t)depth + 2) * (sizeof(uint32_t) + 3 * sizeof(double));
    if (__builtin_mul_overflow(node_count_of(depth), node_bytes, &bytes) ||
        __builtin_add_overflow(bytes, fixed, &bytes))
        return UINT64_MAX;
    return bytes;
}

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
    if (all == NULL)
        return OG_NO_MEMORY;
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
                       double *reward, double *probability, uint32_t *next)
{
    for (int32_t s = 0; s <= n; s++) {
        uint32_t node = first + (uint32_t)s;
        reward[node] = 0;
        probability[2 * (size_t)node] = table->plus[s] / table->total[n];
        probability[2 * (size_t)node + 1] = table->minus[n - s] / table->total[n];
        next[2 * (size_t)node] = node + (uint32_t)n + 2;
        next[2 * (size_t)node + 1] = node + (uint32_t)n + 1;
    }
    if (beta->flip[n] >= 0)
        reward[first + (uint32_t)beta->flip[n]] = beta->reward[n];
}

static og_status fill_tables(og_arm *arm, const parameter_table *table)
{
    int32_t depth = arm->depth;
    assert(depth >= 0 && depth <= OG_BUDGET_MAX);
    size_t labelled = (size_t)arm->node_count - (size_t)depth - 1;
    uint32_t *level = malloc(((size_t)depth + 2) * sizeof *level);
    double *reward = malloc((labelled + 1) * sizeof *reward);
    double *probability = malloc((2 * labelled + 1) * sizeof *probability);
    uint32_t *next = malloc((2 * labelled + 1) * sizeof *next);
    arm->level = level;
    arm->reward = reward;
    arm->probability = probability;
    arm->next = next;
    if (level == NULL || reward == NULL || probability == NULL || next == NULL)
        return OG_NO_MEMORY;
    for (int32_t n = 0; n <= depth + 1; n++)
        level[n] = (uint32_t)((uint64_t)n * ((uint64_t)n + 1) / 2);
    for (int32_t n = 0; n < depth; n++)
        fill_level(arm->beta, table, n, level[n], reward, probability, next);
    return OG_OK;
}

static og_status build(const og_group *group, int32_t depth, og_arm *arm)
{
    arm->depth = depth;
    arm->outcome_count = 2;
    arm->lattice = true;
    arm->node_count = (uint32_t)node_count_of(depth);
    og_status status = og_beta_new(group, depth, &arm->beta);
    if (status != OG_OK)
        return status;
    arm->rational = arm->beta->exact;
    arm->call = arm->beta->call;
    arm->call_error = unit_roundoff;
    arm->reward_error = unit_roundoff;
    parameter_table table;
    status = parameter_table_init(group, depth, &table);
    if (status != OG_OK)
        return status;
    /* (1+u)^2 / (1-u) - 1 < 3.001 u. */
    arm->probability_error = table.exact ? unit_roundoff : 3.001 * unit_roundoff;
    status = fill_tables(arm, &table);
    free(table.plus);
    return status;
}

static og_status check_size(int32_t depth, uint64_t memory_bytes, og_message *message)
{
    char need[OG_BYTES_TEXT_BYTES], limit[OG_BYTES_TEXT_BYTES];
    uint64_t bytes = og_arm_beta_bytes(depth);
    if (depth < 0 || depth > OG_BUDGET_MAX)
        return og_message_set(message, OG_BAD_INPUT,
                              "the number of labels must lie between 0 and %d", OG_BUDGET_MAX);
    if (bytes > memory_bytes)
        return og_message_set(message, OG_NO_MEMORY,
                              "the posteriors of one instance after up to %" PRId32
                              " labels take %s; the limit is %s",
                              depth, og_bytes_format(bytes, need),
                              og_bytes_format(memory_bytes, limit));
    if (node_count_of(depth) > UINT32_MAX)
        return og_message_set(message, OG_NO_MEMORY,
                              "an instance has more than 2^32 posteriors after %" PRId32 " labels",
                              depth);
    return OG_OK;
}

static const char *build_failure(og_status status)
{
    return status == OG_FAILED
               ? "the numbers of an instance cannot be computed to the precision of a double"
               : "out of memory for the posteriors of an instance";
}

og_status og_arm_new_beta(const og_group *group, int32_t depth, uint64_t memory_bytes, og_arm **out,
                          og_message *message)
{
    og_status status = check_size(depth, memory_bytes, message);
    if (status == OG_OK)
        status = og_group_check(group, depth, message);
    if (status != OG_OK)
        return status;
    og_arm *arm = calloc(1, sizeof *arm);
    status = arm == NULL ? OG_NO_MEMORY : build(group, depth, arm);
    if (status != OG_OK) {
        og_arm_free(arm);
        return og_message_set(message, status, "%s", build_failure(status));
    }
    *out = arm;
    return OG_OK;
}

void og_arm_free(og_arm *arm)
{
    if (arm == NULL)
        return;
    og_beta_free(arm->beta);
    free((void *)arm->level);
    free((void *)arm->reward);
    free((void *)arm->probability);
    free((void *)arm->next);
    free(arm);
}

og_status og_arm_gains(const og_arm *arm, double *gain, double *error)
{
    return og_beta_gains(arm->beta, gain, error);
}

/* The level a node is in: the largest n with level[n] <= node. */
static int32_t level_of(const og_arm *arm, uint32_t node)
{
    int32_t low = 0, high = arm->depth;
    assert(node < arm->node_count);
    while (low < high) {
        int32_t middle = high - (high - low) / 2;
        if (arm->level[middle] <= node)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void og_arm_counts(const og_arm *arm, uint32_t node, int32_t *counts)
{
    int32_t n = level_of(arm, node);
    counts[0] = (int32_t)(node - arm->level[n]);
    counts[1] = n - counts[0];
}

bool og_arm_positive(const og_arm *arm, uint32_t node)
{
    int32_t n = level_of(arm, node);
    return og_beta_positive(arm->beta, n, (int32_t)(node - arm->level[n]));
}

const og_group *og_arm_group(const og_arm *arm)
{
    return arm->beta != NULL ? &arm->beta->group : NULL;
}

static og_fraction plus_labels(og_fraction value, int32_t labels)
{
    return (og_fraction){value.num + labels * value.den, value.den};
}

void og_arm_posterior(const og_arm *arm, uint32_t node, og_fraction *parameter)
{
    int32_t counts[2];
    og_arm_counts(arm, node, counts);
    parameter[0] = plus_labels(arm->beta->group.a, counts[0]);
    parameter[1] = plus_labels(arm->beta->group.b, counts[1]);
}

void og_arm_exact_call(const og_arm *arm, mpq_t out)
{
    og_beta_exact_call(arm->beta, out);
}

void og_arm_exact_reward(const og_arm *arm, uint32_t node, mpq_t out)
{
    int32_t counts[2];
    og_arm_counts(arm, node, counts);
    og_beta_exact_reward(arm->beta, counts[0] + counts[1], counts[0], out);
}

void og_arm_exact_probability(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    og_fraction parameter[2];
    mpq_t other;
    mpq_init(other);
    og_arm_posterior(arm, node, parameter);
    og_fraction_get_mpq(out, parameter[outcome]);
    og_fraction_get_mpq(other, parameter[1 - outcome]);
    mpq_add(other, other, out);
    mpq_div(out, out, other);
    mpq_clear(other);
}

void og_arm_exact_gain(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    int32_t counts[2];
    og_arm_counts(arm, node, counts);
    og_beta_exact_gain(arm->beta, counts[0] + counts[1], counts[0], outcome, out);
}

static int compare_models(const og_group *x, const og_group *y)
{
    int order = og_fraction_compare(x->a, y->a);
    if (order == 0)
        order = og_fraction_compare(x->b, y->b);
    return order != 0 ? order : og_fraction_compare(x->threshold, y->threshold);
}

static int compare_groups(const void *x, const void *y)
{
    const og_group *left = *(const og_group *const *)x, *right = *(const og_group *const *)y;
    int order = compare_models(left, right);
    return order != 0 ? order : (left > right) - (left < right);
}

/*
 * Find the distinct models: arm_of_group and arm_count, arms in the order in which their first
 * groups were given; first_group[arm] is that group.
 */
static og_status find_models(const og_problem *problem, og_arms *arms, int32_t *first_group)
{
    int32_t count = problem->group_count;
    const og_group **sorted = malloc((size_t)count * sizeof *sorted);
    if (sorted == NULL)
        return OG_NO_MEMORY;
    for (int32_t i = 0; i < count; i++)
        sorted[i] = &problem->groups[i];
    qsort(sorted, (size_t)count, sizeof *sorted, compare_groups);
    /* arm_of_group holds the first group of the same model until the arms are numbered. */
    for (int32_t i = 0; i < count; i++) {
        int32_t group = (int32_t)(sorted[i] - problem->groups);
        bool same = i > 0 && compare_models(sorted[i], sorted[i - 1]) == 0;
        arms->arm_of_group[group] =
            same ? arms->arm_of_group[sorted[i - 1] - problem->groups] : group;
    }
    free(sorted);
    for (int32_t i = 0; i < count; i++) {
        int32_t first = arms->arm_of_group[i];
        if (first == i)
            first_group[arms->arm_count++] = i;
        arms->arm_of_group[i] = first == i ? arms->arm_count - 1 : arms->arm_of_group[first];
    }
    return OG_OK;
}

static og_status check_arms_size(const og_arms *arms, uint64_t memory_bytes, og_message *message)
{
    char need[OG_BYTES_TEXT_BYTES], limit[OG_BYTES_TEXT_BYTES];
    uint64_t bytes, one = og_arm_beta_bytes(arms->budget);
    if (__builtin_mul_overflow(one, (uint64_t)arms->arm_count, &bytes) || bytes > memory_bytes)
        return og_message_set(
            message, OG_NO_MEMORY,
            "the posteriors of %" PRId32 " %s after up to %" PRId32
            " labels take %s each; the limit is %s in all",
            arms->arm_count, arms->arm_count == 1 ? "instance" : "different instances",
            arms->budget, og_bytes_format(one, need), og_bytes_format(memory_bytes, limit));
    if (node_count_of(arms->budget) * (uint64_t)arms->arm_count > UINT32_MAX)
        return og_message_set(message, OG_NO_MEMORY,
                              "%" PRId32
                              " different instances have more than 2^32 posteriors after "
                              "up to %" PRId32 " labels",
                              arms->arm_count, arms->budget);
    return OG_OK;
}

/* The thin parallel wrapper: every arm is built by serial code that touches nothing shared. */
static og_status build_arms(const og_problem *problem, const int32_t *first_group, int threads,
                            uint64_t memory_bytes, og_arms *arms)
{
    og_status worst = OG_OK;
    if (threads < 1) {
        /* Read by the pragma: NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores) */
        threads = omp_get_max_threads();
    }
#pragma omp parallel num_threads(threads) reduction(max : worst) if (arms->arm_count > 1)
    {
#pragma omp for schedule(dynamic, 1)
        for (int32_t i = 0; i < arms->arm_count; i++) {
            og_status status = og_arm_new_beta(&problem->groups[first_group[i]], arms->budget,
                                               memory_bytes, &arms->arm[i], NULL);
            worst = status > worst ? status : worst;
        }
        /* FLINT caches memory for each thread; a worker may never come back for its own. */
        if (omp_get_thread_num() != 0)
            flint_cleanup();
    }
    return worst;
}

static og_status allocate_arms(const og_problem *problem, og_arms *arms)
{
    size_t groups = (size_t)problem->group_count;
    arms->budget = problem->budget;
    arms->group_count = problem->group_count;
    arms->arm = calloc(groups, sizeof *arms->arm);
    arms->node_offset = calloc(groups + 1, sizeof *arms->node_offset);
    arms->arm_of_group = calloc(groups, sizeof *arms->arm_of_group);
    arms->group_size = calloc(groups, sizeof *arms->group_size);
    if (arms->arm == NULL || arms->node_offset == NULL || arms->arm_of_group == NULL ||
        arms->group_size == NULL)
        return OG_NO_MEMORY;
    for (size_t i = 0; i < groups; i++)
        arms->group_size[i] = problem->groups[i].count;
    return OG_OK;
}

static og_status fill_arms(const og_problem *problem, int32_t *first_group, int threads,
                           uint64_t memory_bytes, og_arms *arms, og_message *message)
{
    og_status status = OG_OK;
    for (int32_t i = 0; i < problem->group_count && status == OG_OK; i++)
        status = og_group_check(&problem->groups[i], problem->budget, message);
    if (status != OG_OK)
        return status;
    status = allocate_arms(problem, arms);
    if (status == OG_OK)
        status = find_models(problem, arms, first_group);
    if (status != OG_OK)
        return og_message_set(message, status, "out of memory for the list of instances");
    status = check_arms_size(arms, memory_bytes, message);
    if (status != OG_OK)
        return status;
    status = build_arms(problem, first_group, threads, memory_bytes, arms);
    if (status != OG_OK)
        return og_message_set(message, status, "%s", build_failure(status));
    for (int32_t i = 0; i < arms->arm_count; i++)
        arms->node_offset[i + 1] = arms->node_offset[i] + arms->arm[i]->node_count;
    return OG_OK;
}

og_status og_arms_new(const og_problem *problem, int threads, uint64_t memory_bytes, og_arms **out,
                      og_message *message)
{
    if (problem->group_count < 1)
        return og_message_set(message, OG_BAD_INPUT, "a problem needs at least one instance");
    if (problem->budget < 0 || problem->budget > OG_BUDGET_MAX)
        return og_message_set(message, OG_BAD_INPUT, "the budget must lie between 0 and %d",
                              OG_BUDGET_MAX);
    og_arms *arms = calloc(1, sizeof *arms);
    int32_t *first_group = calloc((size_t)problem->group_count, sizeof *first_group);
    og_status status = OG_NO_MEMORY;
    if (arms != NULL && first_group != NULL)
        status = fill_arms(problem, first_group, threads, memory_bytes, arms, message);
    else
        og_message_set(message, status, "out of memory for the list of instances");
    free(first_group);
    if (status != OG_OK) {
        og_arms_free(arms);
        return status;
    }
    *out = arms;
    return OG_OK;
}

/* The sum is exact in rationals and rounded once: |result - exact| is at most the error of the
 * stored terms, u each, and the last rounding. */
double og_arms_call(const og_arms *arms, double *error)
{
    mpq_t sum, term;
    mpq_inits(sum, term, NULL);
    for (int32_t i = 0; i < arms->group_count; i++) {
        mpq_t size;
        mpq_init(size);
        mpq_set_si(size, arms->group_size[i], 1);
        mpq_set_d(term, arms->arm[arms->arm_of_group[i]]->call);
        mpq_mul(term, term, size);
        mpq_add(sum, sum, term);
        mpq_clear(size);
    }
    double value = og_nearest_quotient(mpq_numref(sum), mpq_denref(sum));
    mpq_clears(sum, term, NULL);
    /* exact <= value (1+u)/(1-u) and (u + u(1+u)) exact < 2.001 u value. */
    if (error != NULL)
        *error = 2.001 * unit_roundoff * value;
    return value;
}

bool og_arms_exact_call(const og_arms *arms, mpq_t out)
{
    for (int32_t i = 0; i < arms->arm_count; i++)
        if (!arms->arm[i]->rational)
            return false;
    mpq_t term, size;
    mpq_inits(term, size, NULL);
    mpq_set_ui(out, 0, 1);
    for (int32_t i = 0; i < arms->group_count; i++) {
        og_arm_exact_call(arms->arm[arms->arm_of_group[i]], term);
        mpq_set_si(size, arms->group_size[i], 1);
        mpq_mul(term, term, size);
        mpq_add(out, out, term);
    }
    mpq_clears(term, size, NULL);
    return true;
}

void og_arms_free(og_arms *arms)
{
    if (arms == NULL)
        return;
    for (int32_t i = 0; arms->arm != NULL && i < arms->arm_count; i++)
        og_arm_free(arms->arm[i]);
    free(arms->arm);
    free(arms->node_offset);
    free(arms->arm_of_group);
    free(arms->group_size);
    free(arms);
}
