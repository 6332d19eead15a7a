/*
 * Arms of any kind, and the arms of a problem. The differences between the kinds are in their
 * builders (dp/arm/arm_builder.h).
 */
#include "dp/arm/arm.h"

#include <assert.h>
#include <flint/flint.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dp/arm/arm_builder.h"
#include "dp/arm/arm_shared.h"
#include "dp/base/parallel.h"
#include "dp/base/wide.h"

/* u: the relative error of rounding to nearest. */
static const double unit_roundoff = 0x1p-53;

/* Approximate time to build one posterior: 0.2 us with whole parameters, 10 us with others. */
static const double node_nanoseconds = 2000;

static uint64_t product(uint64_t x, uint64_t y)
{
    uint64_t result;
    return __builtin_mul_overflow(x, y, &result) ? UINT64_MAX : result;
}

static uint64_t sum(uint64_t x, uint64_t y)
{
    uint64_t result;
    return __builtin_add_overflow(x, y, &result) ? UINT64_MAX : result;
}

/* -- Arms of two outcomes --------------------------------------------------------------------- */

uint64_t og_lattice_nodes(int32_t depth)
{
    uint64_t levels = (uint64_t)depth + 1;
    return levels * (levels + 1) / 2;
}

uint64_t og_lattice_bytes(int32_t depth)
{
    const uint64_t node_bytes = sizeof(double) + 2 * sizeof(double) + 2 * sizeof(uint32_t);
    uint64_t fixed = sizeof(og_arm) + ((uint64_t)depth + 2) * sizeof(uint32_t);
    return sum(product(og_lattice_nodes(depth), node_bytes), fixed);
}

og_status og_lattice_new(og_stop *stop, og_arm *arm)
{
    int32_t depth = arm->depth;
    assert(depth >= 0 && depth <= OG_BUDGET_MAX);
    size_t labelled = (size_t)arm->node_count - (size_t)depth - 1;
    uint32_t *level = og_arena_array(&arm->arena, (size_t)depth + 2, sizeof *level);
    uint32_t *next = og_arena_array(&arm->arena, 2 * labelled, sizeof *next);
    arm->outcome_count = 2;
    arm->lattice = true;
    arm->level = level;
    arm->next = next;
    arm->reward = og_arena_array(&arm->arena, labelled, sizeof *arm->reward);
    arm->probability = og_arena_array(&arm->arena, 2 * labelled, sizeof *arm->probability);
    OG_TRY(og_arena_status(&arm->arena));
    for (int32_t n = 0; n <= depth + 1; n++) {
        level[n] = (uint32_t)((uint64_t)n * ((uint64_t)n + 1) / 2);
    }
    for (int32_t n = 0; n < depth; n++) {
        if (og_stop_asked(stop)) {
            return OG_STOPPED;
        }
        for (uint32_t node = level[n]; node < level[n + 1]; node++) {
            next[2 * (size_t)node] = node + (uint32_t)n + 2;
            next[2 * (size_t)node + 1] = node + (uint32_t)n + 1;
        }
    }
    return OG_OK;
}

void og_lattice_counts(const og_arm *arm, uint32_t node, int32_t *counts)
{
    int32_t n = og_arm_level(arm, node);
    counts[0] = (int32_t)(node - arm->level[n]);
    counts[1] = n - counts[0];
}

/* -- One arm ---------------------------------------------------------------------------------- */

int32_t og_arm_level(const og_arm *arm, uint32_t node)
{
    int32_t low = 0, high = arm->depth;
    assert(node < arm->node_count);
    while (low < high) {
        int32_t middle = high - (high - low) / 2;
        if (arm->level[middle] <= node) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static const og_arm_builder *const builders[] = {
    [OG_PRIOR_BETA] = &og_arm_beta,
    [OG_PRIOR_MIXTURE] = &og_arm_mixture,
    [OG_PRIOR_DIRICHLET] = &og_arm_dirichlet,
    [OG_PRIOR_NODES] = &og_arm_nodes,
};

static og_status check_bandit(const og_group *group, og_message *message)
{
    if (group->kind == OG_PRIOR_NODES) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--problem bandit does not support arm:%.200s; give rewards in the "
                              "arm file and omit it",
                              group->nodes->name);
    }
    if (group->kind == OG_PRIOR_DIRICHLET) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--problem bandit supports no further classes: labels are 1 or 0; give A,B");
    }
    if (group->threshold.num != 1 || group->threshold.den != 2) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--problem bandit supports no threshold, since it makes no "
                              "final calls; omit @D");
    }
    if (group->payoff.given) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--problem bandit supports no payoff, since it makes no "
                              "final calls; omit it");
    }
    return OG_OK;
}

/* A table of nodes that takes more than the memory or than 2^32 nodes. */
static og_status nodes_too_large(const og_group *plain, int32_t depth, uint64_t memory_bytes,
                                 og_message *message)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(
        message, OG_NO_MEMORY,
        "%.200s: too large: %" PRIu32 " nodes times %" PRId32 " levels; memory limit %s",
        plain->nodes->name, plain->nodes->node_count, depth, og_bytes_format(memory_bytes, limit));
}

static const char *build_failure(og_status status)
{
    return status == OG_STOPPED ? "the work was stopped while its tables were built"
           : status == OG_FAILED
               ? "the numbers of an instance cannot be computed to the precision of a double"
               : "out of memory for the posteriors of an instance";
}

/* The size of an arm; a table of nodes that is too large is refused by its name. */
static og_status find_size(const og_arm_builder *builder, const og_group *plain, int32_t depth,
                           const og_settings *settings, og_arm_size *out, og_message *message)
{
    og_status status = builder->size(plain, depth, settings, out);
    if (status != OG_OK) {
        return og_message_set(message, status, "%s", build_failure(status));
    }
    return plain->kind == OG_PRIOR_NODES && out->bytes > settings->memory_bytes
               ? nodes_too_large(plain, depth, settings->memory_bytes, message)
               : OG_OK;
}

static og_status check_size(const og_arm_size *size, int32_t depth, uint64_t memory_bytes,
                            og_message *message)
{
    char need[OG_BYTES_TEXT_BYTES], limit[OG_BYTES_TEXT_BYTES];
    if (size->bytes > memory_bytes) {
        return og_message_set(message, OG_NO_MEMORY,
                              "the posteriors of one instance after up to %" PRId32
                              " labels take %s; the limit is %s",
                              depth, og_bytes_format(size->bytes, need),
                              og_bytes_format(memory_bytes, limit));
    }
    if (size->nodes > UINT32_MAX) {
        return og_message_set(message, OG_NO_MEMORY,
                              "an instance has more than 2^32 posteriors after %" PRId32 " labels",
                              depth);
    }
    return OG_OK;
}

/* The plain form of a group that og_group_check accepts, and the builder of its arm. */
static og_status find_builder(const og_group *group, og_objective objective, og_group *plain,
                              const og_arm_builder **out, og_message *message)
{
    if (objective == OG_OBJECTIVE_BANDIT) {
        OG_TRY(check_bandit(group, message));
    }
    bool whole = og_group_plain(group, plain);
    assert(whole);
    (void)whole;
    *out = plain->payoff.kind != OG_WORTH_VALUES ? builders[plain->kind]
           : plain->kind == OG_PRIOR_BETA        ? &og_arm_values_beta
                                                 : &og_arm_values;
    return OG_OK;
}

/*
 * The Bernoulli bandit: every label pays its outcome, 1 or 0, and there are no final calls. Only
 * the rewards differ from the tables of the prior. In the terms of dp/arm/arm.h: let h of a node be
 * the number of positive labels before it. Then h of the root is 0, a positive label gains 1 and a
 * negative one 0, and R = p1, the probability of a positive label. Policies defined by gains keep
 * their meaning.
 */
static void pay_labels(og_arm *arm)
{
    double *reward = (double *)arm->reward;
    for (uint32_t node = 0; node < arm->level[arm->depth]; node++) {
        reward[node] = arm->probability[2 * (size_t)node];
    }
    arm->call = arm->call_error = 0;
    arm->reward_error = arm->probability_error;
    arm->rational = true; /* rational parameters make rational probabilities */
}

/* Adds the bonus of labels to the rewards. */
static void add_bonus(og_arm *arm)
{
    og_fraction bonus = og_group_bonus(&arm->prior);
    double *reward = (double *)arm->reward, earned = og_fraction_double(bonus);
    arm->paying = bonus.num > 0;
    if (arm->builder->rounds_bonus) {
        return;
    }
    for (uint32_t node = 0; arm->paying && node < arm->level[arm->depth]; node++) {
        reward[node] += earned;
    }
    /* The relative error of a sum of two terms that are not negative is at most that of the worse
     * term, plus a rounding. */
    arm->reward_error += arm->paying ? 2.001 * unit_roundoff : 0;
}

/* What the arms of a problem have in common. */
typedef struct {
    og_objective objective;
    int32_t depth;
    const og_settings *settings; /* memory and stop */
    og_arm_shared *shared;       /* may be NULL */
    const og_arm_size *size;     /* of each arm, if they are known; may be NULL */
} arm_use;

static og_status new_arm(const og_group *group, const arm_use *use, int64_t number, og_arm **out,
                         og_message *message)
{
    const int32_t depth = use->depth;
    og_arm_size size;
    og_group plain;
    const og_arm_builder *builder = NULL;
    if (depth < 0 || depth > OG_BUDGET_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the number of labels must lie between 0 and %d", OG_BUDGET_MAX);
    }
    OG_TRY(og_group_check(group, depth, message));
    OG_TRY(find_builder(group, use->objective, &plain, &builder, message));
    if (use->size != NULL) {
        size = use->size[number];
    } else {
        OG_TRY(find_size(builder, &plain, depth, use->settings, &size, message));
    }
    OG_TRY(check_size(&size, depth, use->settings->memory_bytes, message));
    og_arm *arm = og_arena_new(sizeof *arm);
    if (arm == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", build_failure(OG_NO_MEMORY));
    }
    arm->builder = builder;
    arm->bandit = use->objective == OG_OBJECTIVE_BANDIT;
    arm->prior = plain.kind == OG_PRIOR_BETA ? plain : *group;
    arm->depth = depth;
    arm->node_count = (uint32_t)size.nodes;
    arm->bytes = size.bytes;
    arm->shared = og_arm_shared_hold(use->shared);
    if (use->shared != NULL) {
        arm->bytes -= og_dirichlet_bytes(plain.part_count, plain.alpha, depth);
    }
    og_status status = builder->build(&plain, og_stop_of(use->settings), arm);
    if (status != OG_OK) {
        og_arm_free(arm);
        return og_message_set(message, status, "%s", build_failure(status));
    }
    if (arm->bandit) {
        pay_labels(arm);
    }
    add_bonus(arm);
    *out = arm;
    return OG_OK;
}

og_status og_arm_new(const og_group *group, int32_t depth, uint64_t memory_bytes, og_arm **out,
                     og_message *message)
{
    const og_settings settings = {.memory_bytes = memory_bytes};
    const arm_use use = {OG_OBJECTIVE_CALLS, depth, &settings, NULL, NULL};
    return new_arm(group, &use, 0, out, message);
}

og_status og_arm_new_bandit(const og_group *group, int32_t depth, uint64_t memory_bytes,
                            og_arm **out, og_message *message)
{
    const og_settings settings = {.memory_bytes = memory_bytes};
    const arm_use use = {OG_OBJECTIVE_BANDIT, depth, &settings, NULL, NULL};
    return new_arm(group, &use, 0, out, message);
}

og_status og_arm_new_like(const og_arm *arm, int32_t depth, og_stop *stop, og_arm **out)
{
    const og_settings settings = og_stop_limits(1, UINT64_MAX, stop);
    const arm_use use = {arm->bandit ? OG_OBJECTIVE_BANDIT : OG_OBJECTIVE_CALLS, depth, &settings,
                         NULL, NULL};
    return new_arm(&arm->prior, &use, 0, out, NULL);
}

og_status og_arm_gains(const og_arm *arm, og_stop *stop, double *gain, double *error)
{
    if (!arm->bandit) {
        return arm->builder->gains(arm, stop, gain, error);
    }
    for (size_t node = 0; node < arm->level[arm->depth]; node++) {
        gain[2 * node] = 1;
        gain[2 * node + 1] = 0;
    }
    *error = 0;
    return OG_OK;
}

void og_arm_counts(const og_arm *arm, uint32_t node, int32_t *counts)
{
    arm->builder->counts(arm, node, counts);
}

/* The largest reward, which includes the bonus. */
static double largest_reward(const og_arm *arm)
{
    double most = 0;
    for (uint32_t node = 0; node < arm->level[arm->depth]; node++) {
        most = arm->reward[node] > most ? arm->reward[node] : most;
    }
    return most * (1 + 4 * unit_roundoff);
}

double og_arm_scale(const og_arm *arm)
{
    if (arm->prior.kind == OG_PRIOR_NODES || og_payoff_name(&arm->prior.payoff) != NULL) {
        return largest_reward(arm);
    }
    double bonus = og_fraction_double(og_group_bonus(&arm->prior));
    return arm->bandit               ? 1 + bonus
           : og_arm_is_standard(arm) ? arm->reward[0]
                                     : og_payoff_scale(&arm->prior.payoff) + bonus;
}

bool og_arm_has_calls(const og_arm *arm)
{
    return !arm->bandit && !og_arm_is_standard(arm) && arm->prior.kind != OG_PRIOR_NODES;
}

bool og_arm_positive(const og_arm *arm, uint32_t node)
{
    assert(!arm->bandit && arm->lattice);
    return arm->builder->called(arm, node) == 0;
}

int32_t og_arm_called(const og_arm *arm, uint32_t node)
{
    assert(!arm->bandit);
    return arm->builder->called(arm, node);
}

const og_group *og_arm_prior(const og_arm *arm)
{
    return &arm->prior;
}

const og_group *og_arm_group(const og_arm *arm)
{
    return arm->builder->beta && !arm->bandit && !arm->paying ? &arm->prior : NULL;
}

bool og_arm_mirror(const og_arm *arm, int32_t *diagonal)
{
    return arm->builder->mirror != NULL && !arm->bandit && arm->builder->mirror(arm, diagonal);
}

void og_arm_posterior(const og_arm *arm, uint32_t node, og_fraction *parameter)
{
    arm->builder->posterior(arm, node, parameter);
}

void og_arm_exact_call(const og_arm *arm, mpq_t out)
{
    mpq_set_ui(out, 0, 1);
    if (!arm->bandit) {
        arm->builder->exact_call(arm, out);
    }
}

/* The share of a whole parameter, if all are. */
static bool exact_of_whole(const og_fraction *parameter, int32_t count, int32_t one, mpq_t out)
{
    og_wide total = 0;
    for (int32_t k = 0; k < count; k++) {
        if (parameter[k].den != 1) {
            return false;
        }
        total += parameter[k].num;
    }
    og_mpz_set(mpq_numref(out), parameter[one].num);
    og_mpz_set(mpq_denref(out), total);
    mpq_canonicalize(out);
    return true;
}

void og_arm_exact_probability(const og_arm *arm, uint32_t action, int32_t outcome, mpq_t out)
{
    og_fraction parameter[OG_CLASSES_MAX];
    mpq_t total, part;
    if (arm->action_first != NULL) {
        arm->builder->exact_action(arm, action, outcome, out);
        return;
    }
    if (arm->builder->exact_probability != NULL) {
        arm->builder->exact_probability(arm, action, outcome, out);
        return;
    }
    arm->builder->posterior(arm, action, parameter);
    if (exact_of_whole(parameter, arm->outcome_count, outcome, out)) {
        return;
    }
    mpq_inits(total, part, NULL);
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        og_fraction_get_mpq(part, parameter[k]);
        mpq_add(total, total, part);
    }
    og_fraction_get_mpq(part, parameter[outcome]);
    mpq_div(out, part, total);
    mpq_clears(total, part, NULL);
}

void og_arm_exact_sum(const og_arm *arm, uint32_t node, mpq_t out)
{
    mpq_t chance, gain;
    mpq_inits(chance, gain, NULL);
    mpq_set_ui(out, 0, 1);
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        og_arm_exact_probability(arm, node, k, chance);
        arm->builder->exact_gain(arm, node, k, gain);
        mpq_mul(gain, gain, chance);
        mpq_add(out, out, gain);
    }
    mpq_clears(chance, gain, NULL);
}

void og_arm_exact_reward(const og_arm *arm, uint32_t action, mpq_t out)
{
    if (arm->action_first != NULL) {
        arm->builder->exact_action(arm, action, -1, out);
        return;
    }
    if (arm->bandit) {
        og_arm_exact_probability(arm, action, 0, out);
    } else {
        arm->builder->exact_reward(arm, action, out);
    }
    if (arm->paying) {
        mpq_t bonus;
        mpq_init(bonus);
        og_fraction_get_mpq(bonus, arm->prior.bonus);
        mpq_add(out, out, bonus);
        mpq_clear(bonus);
    }
}

void og_arm_exact_gain(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    mpq_set_ui(out, outcome == 0, 1);
    if (!arm->bandit) {
        arm->builder->exact_gain(arm, node, outcome, out);
    }
}

/* -- The arms of a problem -------------------------------------------------------------------- */

/* The origin of labels; if it depends on the group, of_group gives the origin of each. */
typedef struct {
    const og_sources *sources; /* NULL: labels cost 1, and there is one kind */
    const int32_t *of_group;   /* NULL: the first, for all groups */
} origins;

static int32_t sources_number(const origins *from, int32_t group)
{
    return from->of_group != NULL ? from->of_group[group] : 0;
}

/* A group in plain form, the number of its sources, and its index. */
typedef struct {
    const og_group *plain;
    uint64_t hash; /* of plain */
    int32_t sources, group;
} model;

static int compare_kinds(const model *x, const model *y)
{
    int order = (x->hash > y->hash) - (x->hash < y->hash);
    order = order != 0 ? order : og_group_compare(x->plain, y->plain);
    return order != 0 ? order : (x->sources > y->sources) - (x->sources < y->sources);
}

static int compare_models(const void *x, const void *y)
{
    const model *left = x, *right = y;
    int order = compare_kinds(left, right);
    return order != 0 ? order : (left->group > right->group) - (left->group < right->group);
}

/*
 * Finds the distinct models: arm_of_group and arm_count, with arms in the order in which their
 * first groups were given; first_group[arm] is that group.
 */
static og_status find_models(const og_groups *problem, const origins *from, og_arms *arms,
                             int32_t *first_group)
{
    int32_t count = problem->group_count, mixtures = 0, listed = 0;
    for (int32_t k = 0; k < problem->kind_count; k++) {
        mixtures += problem->kind[k].kind == OG_PRIOR_MIXTURE;
    }
    model *sorted = malloc((size_t)count * sizeof *sorted);
    int32_t *seen = calloc((size_t)problem->kind_count + 1, sizeof *seen); /* 1 + a model's place */
    og_group *plain = malloc(((size_t)mixtures + 1) * sizeof *plain);
    if (sorted == NULL || seen == NULL || plain == NULL) {
        free(sorted);
        free(seen);
        free(plain);
        return OG_NO_MEMORY;
    }
    mixtures = 0;
    for (int32_t i = 0; i < count; i++) {
        const og_group *own = og_groups_at(problem, i);
        int32_t *last = &seen[own - problem->kind], sources = sources_number(from, i);
        const model *same = *last > 0 ? &sorted[*last - 1] : NULL;
        if (same != NULL && same->sources == sources) {
            arms->arm_of_group[i] = same->group; /* most of many groups end here */
            continue;
        }
        if (same == NULL && own->kind == OG_PRIOR_MIXTURE) { /* others are plain */
            og_group_plain(own, &plain[mixtures]);
            own = &plain[mixtures++];
        }
        sorted[listed++] = same != NULL ? (model){same->plain, same->hash, sources, i}
                                        : (model){own, og_group_hash(own), sources, i};
        *last = listed;
    }
    free(seen);
    qsort(sorted, (size_t)listed, sizeof *sorted, compare_models);
    /* arm_of_group holds an earlier group of the same model until the arms are numbered. */
    for (int32_t i = 0; i < listed; i++) {
        bool same = i > 0 && compare_kinds(&sorted[i], &sorted[i - 1]) == 0;
        arms->arm_of_group[sorted[i].group] =
            same ? arms->arm_of_group[sorted[i - 1].group] : sorted[i].group;
    }
    free(sorted);
    free(plain);
    for (int32_t i = 0; i < count; i++) {
        int32_t first = arms->arm_of_group[i];
        if (first == i) {
            first_group[arms->arm_count++] = i;
        }
        arms->arm_of_group[i] = first == i ? arms->arm_count - 1 : arms->arm_of_group[first];
    }
    return OG_OK;
}

/* Checks the totals of so many arms. */
static og_status check_sums(int32_t arm_count, int32_t depth, uint64_t bytes, uint64_t nodes,
                            uint64_t memory_bytes, og_message *message)
{
    char need[OG_BYTES_TEXT_BYTES], limit[OG_BYTES_TEXT_BYTES];
    if (bytes > memory_bytes) {
        return og_message_set(message, OG_NO_MEMORY,
                              "the posteriors of %" PRId32 " %s after up to %" PRId32
                              " labels take %s; the limit is %s",
                              arm_count, arm_count == 1 ? "instance" : "different instances", depth,
                              og_bytes_format(bytes, need), og_bytes_format(memory_bytes, limit));
    }
    if (nodes > UINT32_MAX) {
        return og_message_set(message, OG_NO_MEMORY,
                              "%" PRId32
                              " different instances have more than 2^32 posteriors after "
                              "up to %" PRId32 " labels",
                              arm_count, depth);
    }
    return OG_OK;
}

/* Arms are built by serial code without shared data. */
typedef struct {
    const og_groups *problem;
    const origins *from;
    int32_t *first_group;
    og_arm_size *size; /* [groups] of the arms */
    og_arms *arms;
    arm_use use;
} arms_work;

static og_status check_arms_size(arms_work *work, uint64_t *node_count, og_shared_plan *plan,
                                 og_message *message)
{
    const og_groups *problem = work->problem;
    const og_arms *arms = work->arms;
    uint64_t bytes = 0, nodes = 0;
    og_shared_plan_init(arms->budget, plan);
    for (int32_t i = 0; i < arms->arm_count; i++) {
        og_group plain;
        const og_arm_builder *builder;
        OG_TRY(find_builder(og_groups_at(problem, work->first_group[i]), problem->objective, &plain,
                            &builder, message));
        og_arm_size *size = &work->size[i];
        OG_TRY(find_size(builder, &plain, arms->budget, work->use.settings, size, message));
        bytes = sum(bytes, size->bytes);
        nodes = sum(nodes, size->nodes);
        og_shared_plan_add(plan, &plain, size->nodes);
    }
    work->use.size = work->size;
    bytes = og_shared_plan_bytes(plan, bytes);
    OG_TRY(check_sums(arms->arm_count, arms->budget, bytes, nodes, work->use.settings->memory_bytes,
                      message));
    *node_count = nodes;
    return OG_OK;
}

static og_status build_arm(void *context, int thread, int64_t i)
{
    const arms_work *work = context;
    int32_t first = work->first_group[i];
    const og_group *group = og_groups_at(work->problem, first);
    const og_sources *sources = work->from->sources;
    og_arm **arm = &work->arms->arm[i];
    og_status status = sources != NULL
                           ? og_arm_new_sources(group, &sources[sources_number(work->from, first)],
                                                work->use.depth, work->use.settings, arm, NULL)
                           : new_arm(group, &work->use, i, arm, NULL);
    if (thread != 0) {
        flint_cleanup();
    }
    return status;
}

static og_status fill_arms(arms_work *work, og_message *message)
{
    const og_groups *problem = work->problem;
    const og_settings *settings = work->use.settings;
    const bool priced = work->from->sources != NULL;
    og_arms *arms = work->arms;
    for (int32_t k = 0; k < problem->kind_count; k++) {
        OG_TRY(og_group_check(&problem->kind[k], problem->budget, message));
        if (priced) {
            OG_TRY(og_sources_check_group(&problem->kind[k], message));
        }
    }
    for (int32_t i = 0; i < problem->group_count; i++) {
        arms->group_size[i] = og_groups_at(problem, i)->count;
    }
    og_status status = find_models(problem, work->from, arms, work->first_group);
    if (status != OG_OK) {
        return og_message_set(message, status, "out of memory for the list of instances");
    }
    uint64_t nodes = UINT64_MAX;
    if (!priced) {
        og_shared_plan plan;
        OG_TRY(check_arms_size(work, &nodes, &plan, message));
        OG_TRY(og_arm_shared_new(&plan, &work->use.shared));
    }
    int threads =
        og_threads_worth(og_thread_count(settings->threads), node_nanoseconds * (double)nodes);
    status = og_parallel_items(threads, arms->arm_count, 1, build_arm, work);
    og_arm_shared_release(work->use.shared);
    OG_THEN(status, og_arms_number(arms));
    if (status == OG_STOPPED && priced && og_stop_status(og_stop_of(settings)) == OG_OK) {
        return og_sources_too_many(arms->budget, settings->memory_bytes, message);
    }
    return status == OG_OK ? OG_OK : og_message_set(message, status, "%s", build_failure(status));
}

static og_status arms_new(const og_groups *problem, const origins *from,
                          const og_settings *settings, og_arms **out, og_message *message)
{
    if (problem->group_count < 1) {
        return og_message_set(message, OG_BAD_INPUT, "a problem needs at least one instance");
    }
    if (problem->budget < 0 || problem->budget > OG_BUDGET_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "the budget must lie between 0 and %d",
                              OG_BUDGET_MAX);
    }
    og_arms *arms = og_arms_allocate(problem->budget, problem->group_count);
    int32_t *first_group = calloc((size_t)problem->group_count, sizeof *first_group);
    og_arm_size *size = calloc((size_t)problem->group_count, sizeof *size);
    og_status status = OG_NO_MEMORY;
    if (arms != NULL && first_group != NULL && size != NULL) {
        arms_work work = {problem,     from,
                          first_group, size,
                          arms,        {problem->objective, problem->budget, settings, NULL, NULL}};
        status = fill_arms(&work, message);
    } else {
        og_message_set(message, status, "out of memory for the list of instances");
    }
    free(first_group);
    free(size);
    return OG_MADE(status, arms, og_arms_free, out);
}

og_status og_arms_new(const og_groups *problem, const og_settings *settings, og_arms **out,
                      og_message *message)
{
    return arms_new(problem, &(origins){0}, settings, out, message);
}

og_status og_arms_new_sources(const og_groups *problem, const og_sources *sources, int threads,
                              uint64_t memory_bytes, og_arms **out, og_message *message)
{
    const og_settings settings = {.threads = threads, .memory_bytes = memory_bytes};
    return og_arms_new_sources_of(problem, sources, 1, NULL, &settings, out, message);
}

og_status og_arms_new_sources_of(const og_groups *problem, const og_sources *sources,
                                 int32_t sources_count, const int32_t *sources_of_group,
                                 const og_settings *settings, og_arms **out, og_message *message)
{
    for (int32_t i = 0; i < sources_count; i++) {
        OG_TRY(og_sources_check(&sources[i], message));
    }
    return arms_new(problem, &(origins){sources, sources_of_group}, settings, out, message);
}

og_status og_arms_check(const og_arms *arms, int32_t depth, const og_settings *settings,
                        og_message *message)
{
    uint64_t bytes = 0, nodes = 0;
    og_shared_plan plan;
    og_shared_plan_init(depth, &plan);
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const og_arm_builder *builder = arms->arm[i]->builder;
        og_group plain;
        og_arm_size size;
        og_group_plain(&arms->arm[i]->prior, &plain);
        OG_TRY(find_size(builder, &plain, depth, settings, &size, message));
        bytes = sum(bytes, size.bytes);
        nodes = sum(nodes, size.nodes);
        og_shared_plan_add(&plan, &plain, size.nodes);
    }
    bytes = og_shared_plan_bytes(&plan, bytes);
    return check_sums(arms->arm_count, depth, bytes, nodes, settings->memory_bytes, message);
}

uint64_t og_arms_bytes(const og_arms *arms)
{
    uint64_t bytes = 0;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        bytes = sum(bytes, arms->arm[i]->bytes);
    }
    return sum(bytes, arms->arm_count > 0 ? og_arm_shared_bytes(arms->arm[0]->shared) : 0);
}
