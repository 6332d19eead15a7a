/*
 * Evidence and posterior masses of a matrix of labels: every likelihood is expanded into products
 * of Beta integrals, a sum of positive terms. They are added up one by one if there are few, else
 * item by item (dp/families/workers_sum.h); the choice depends only on counts.
 */
#include "dp/families/workers_posterior.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "dp/families/workers_sum.h"

enum {
    TERMS_FEW = 256, /* cheaper than finding an order of elimination */
    COINS_MAX = OG_WORKER_COINS_MAX * OG_WORKERS_MAX,
};

static og_status check_group(const og_group *group, bool worker, og_message *message)
{
    char text[OG_GROUP_TEXT_BYTES];
    (worker ? og_worker_format : og_group_format)(group, text, sizeof text);
    if (worker ? group->kind == OG_PRIOR_DIRICHLET : group->kind != OG_PRIOR_BETA) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "%s %.64s: with workers of unknown reliability every prior must be a Beta",
            worker ? "workers" : "instance", text);
    }
    if (group->threshold.num * 2 != group->threshold.den) {
        return og_message_set(
            message, OG_BAD_INPUT,
            worker
                ? "workers %.64s: a worker has no threshold; omit @D"
                : "instance %.64s: with workers of unknown reliability the threshold must be 0.5",
            text);
    }
    return OG_OK;
}

og_status og_workers_check(const og_groups *problem, const og_groups *workers, og_message *message)
{
    for (int32_t g = 0; g < problem->group_count; g++) {
        OG_TRY(check_group(og_groups_at(problem, g), false, message));
    }
    for (int32_t g = 0; g < workers->group_count; g++) {
        OG_TRY(check_group(og_groups_at(workers, g), true, message));
    }
    if (og_groups_size(problem) < 1 || og_groups_size(workers) < 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "there must be at least one instance and one worker");
    }
    return OG_OK;
}

static og_status check_sizes(const og_groups *problem, const og_groups *workers, int32_t labels,
                             og_message *message)
{
    int64_t instances = og_groups_size(problem);
    int64_t people = og_groups_size(workers);
    OG_TRY(og_workers_check(problem, workers, message));
    if (instances > OG_WORKERS_INSTANCES_MAX || people > OG_WORKERS_MAX ||
        instances * people > OG_WORKERS_PAIRS_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "with workers of unknown reliability there can be at most %d "
                              "instances, %d workers and %d pairs of them",
                              OG_WORKERS_INSTANCES_MAX, OG_WORKERS_MAX, OG_WORKERS_PAIRS_MAX);
    }
    if (labels > OG_WORKERS_LABELS_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "with workers of unknown reliability there can be at most %d labels",
                              OG_WORKERS_LABELS_MAX);
    }
    return OG_OK;
}

/* Pr(theta >= 1/2) for all posteriors of an arm, from the gains along a path to each. */
static og_status chances(const og_arm *arm, int32_t side, double *chance, double *error)
{
    size_t n = (size_t)side;
    og_arena arena = {0};
    double *gain = og_arena_array(&arena, (size_t)arm->node_count * 2, sizeof *gain);
    double *h = og_arena_array(&arena, arm->node_count, sizeof *h);
    double gain_error = 0;
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_arm_gains(arm, NULL, gain, &gain_error));
    if (status == OG_OK) {
        h[0] = arm->call;
        for (size_t k = 0; k < 2 * (size_t)arm->level[arm->depth]; k++) {
            h[arm->next[k]] = h[k / 2] + gain[k];
        }
        for (uint32_t all = 0; all < n; all++) {
            for (uint32_t s = 0; s <= all; s++) {
                uint32_t node = arm->level[all] + s;
                chance[s * n + all - s] = og_arm_positive(arm, node) ? h[node] : 1 - h[node];
            }
        }
        *error = arm->depth * (gain_error + DBL_EPSILON) + arm->call_error + DBL_EPSILON;
    }
    og_arena_clear(&arena);
    return status;
}

static og_status fill_instances(og_workers_posterior *out, const og_groups *problem,
                                og_message *message)
{
    og_arms *arms = NULL;
    og_groups all = *problem;
    size_t cells = (size_t)out->side * (size_t)out->side;
    const og_settings any = og_stop_limits(1, UINT64_MAX, NULL);
    all.budget = out->labels;
    og_status status = og_arms_new(&all, &any, &arms, message);
    for (int32_t g = 0; status == OG_OK && g < problem->group_count; g++) {
        double error = 0;
        /* as of a worker with this prior */
        out->instance[g] = og_worker_factors(&out->arena, og_groups_at(problem, g), 0, out->side);
        out->chance[g] = og_arena_array(&out->arena, cells, sizeof *out->chance[g]);
        status = og_arena_status(&out->arena);
        OG_THEN(status,
                chances(arms->arm[arms->arm_of_group[g]], out->side, out->chance[g], &error));
        out->chance_error = fmax(out->chance_error, error);
    }
    if (status == OG_OK) {
        out->prior = og_arms_prior_value(arms, &out->prior_error);
    }
    og_arms_free(arms);
    return status;
}

static int32_t *groups_of(og_arena *arena, const og_groups *problem)
{
    int32_t *group = og_arena_array(arena, (size_t)og_groups_size(problem), sizeof *group);
    int32_t at = 0;
    for (int32_t g = 0; group != NULL && g < problem->group_count; g++) {
        for (int64_t i = 0; i < og_groups_at(problem, g)->count; i++) {
            group[at++] = g;
        }
    }
    return group;
}

/* Numbers the coins, and fills their factors. */
static og_status fill_workers(og_workers_posterior *out, const og_groups *workers)
{
    og_arena *arena = &out->arena;
    size_t groups = (size_t)workers->group_count, people = (size_t)out->workers;
    double **factor = og_arena_array(arena, OG_WORKER_COINS_MAX * groups, sizeof *factor);
    out->coin = og_arena_array(arena, OG_WORKER_COINS_MAX * people, sizeof *out->coin);
    out->coin_of = og_arena_array(arena, people, sizeof *out->coin_of);
    OG_TRY(og_arena_status(arena));
    for (int32_t j = 0, first = 0; j < out->workers; j++) {
        int32_t g = out->worker_group[j];
        const og_group *group = og_groups_at(workers, g);
        first = j == 0 || out->worker_group[j - 1] != g ? j : first;
        for (int32_t k = 0; k < OG_WORKER_COINS_MAX; k++) {
            double **here = &factor[OG_WORKER_COINS_MAX * g + k];
            if (k >= og_worker_coins(group)) {
                out->coin_of[j][k] = out->coin_of[j][0];
                continue;
            }
            *here = first == j ? og_worker_factors(arena, group, k, out->side) : *here;
            OG_TRY(og_arena_status(arena));
            out->coin_of[j][k] = out->coins;
            out->coin[out->coins++] = *here;
        }
        out->roundings += og_worker_roundings(group);
    }
    return OG_OK;
}

og_status og_workers_posterior_init(og_workers_posterior *out, const og_groups *problem,
                                    const og_groups *workers, int32_t labels, og_message *message)
{
    OG_TRY(check_sizes(problem, workers, labels, message));
    og_workers_posterior made = {.problem = problem,
                                 .people = workers,
                                 .instances = (int32_t)og_groups_size(problem),
                                 .workers = (int32_t)og_groups_size(workers),
                                 .labels = labels,
                                 .scale = 1,
                                 .side = labels + 1};
    og_arena *arena = &made.arena;
    size_t instances = (size_t)problem->group_count;
    made.instance_group = groups_of(arena, problem);
    made.worker_group = groups_of(arena, workers);
    made.counts =
        og_arena_array(arena, (size_t)(made.instances * made.workers), sizeof *made.counts);
    made.instance = og_arena_array(arena, instances, sizeof *made.instance);
    made.chance = og_arena_array(arena, instances, sizeof *made.chance);
    og_status status = og_arena_status(arena);
    OG_THEN(status, fill_instances(&made, problem, message));
    OG_THEN(status, fill_workers(&made, workers));
    return OG_MADE_IN(status, made, og_workers_posterior_clear, out);
}

void og_workers_posterior_clear(og_workers_posterior *posterior)
{
    og_arena_clear(&posterior->arena);
    memset(posterior, 0, sizeof *posterior);
}

/* ---- the sum ---- */

/* The pairs that have labels, and the choices for the first of them. */
typedef struct {
    const og_workers_posterior *posterior;
    int32_t count;
    int32_t pair[OG_WORKERS_LABELS_MAX];
    og_pair_counts counts[OG_WORKERS_LABELS_MAX];
    int8_t yes[OG_WORKERS_INSTANCES_MAX]; /* A: factors theta_i */
    int8_t no[OG_WORKERS_INSTANCES_MAX];  /* B: factors 1 - theta_i */
    int8_t same[COINS_MAX];               /* C: factors rho of each coin */
    int8_t other[COINS_MAX];              /* D: factors 1 - rho */
    double *evidence, *positive, *negative;
} expansion;

static void add_term(expansion *e, double ways)
{
    const og_workers_posterior *p = e->posterior;
    double term = ways;
    for (int32_t i = 0; i < p->instances; i++) {
        term *= p->instance[p->instance_group[i]][e->yes[i] * p->side + e->no[i]];
    }
    for (int32_t j = 0; j < p->coins; j++) {
        term *= p->coin[j][e->same[j] * p->side + e->other[j]];
    }
    *e->evidence += term;
    for (int32_t i = 0; e->positive != NULL && i < p->instances; i++) {
        double chance = p->chance[p->instance_group[i]][e->yes[i] * p->side + e->no[i]];
        e->positive[i] += term * chance;
        e->negative[i] += term * (1 - chance);
    }
}

/* From C(n, k) to C(n, k + 1): whole numbers, exact. */
static double next_binomial(double binomial, int n, int k)
{
    return binomial * (n - k) / (k + 1);
}

/* Of the positive labels of pair `at`, s were answered as a reliable worker would, and of its
 * negative ones u: a reliable one would have answered s + negatives - u times positively. */
static void expand_pair(expansion *e, int32_t at, double ways)
{
    if (at == e->count) {
        add_term(e, ways);
        return;
    }
    int32_t i = e->pair[at] / e->posterior->workers, j = e->pair[at] % e->posterior->workers;
    int32_t up = e->posterior->coin_of[j][0], down = e->posterior->coin_of[j][1];
    int positives = e->counts[at].positive, negatives = e->counts[at].negative;
    const int8_t yes = e->yes[i], no = e->no[i];
    const int8_t same[2] = {e->same[up], e->same[down]}, other[2] = {e->other[up], e->other[down]};
    double choose_s = 1;
    for (int s = 0; s <= positives; s++) {
        double choose_u = 1;
        for (int u = 0; u <= negatives; u++) {
            e->yes[i] = (int8_t)(yes + s + negatives - u);
            e->no[i] = (int8_t)(no + positives - s + u);
            e->same[down] = same[1];
            e->other[down] = other[1];
            e->same[up] = (int8_t)(same[0] + s);
            e->other[up] = (int8_t)(other[0] + negatives - u);
            e->same[down] = (int8_t)(e->same[down] + u); /* may be the same coin */
            e->other[down] = (int8_t)(e->other[down] + positives - s);
            expand_pair(e, at + 1, ways * choose_s * choose_u);
            choose_u = next_binomial(choose_u, negatives, u);
        }
        choose_s = next_binomial(choose_s, positives, s);
    }
    e->yes[i] = yes;
    e->no[i] = no;
    for (int k = 0; k < 2; k++) {
        e->same[e->posterior->coin_of[j][k]] = same[k];
        e->other[e->posterior->coin_of[j][k]] = other[k];
    }
}

void og_workers_expand(const og_workers_posterior *posterior, const og_pair_counts *counts,
                       double *evidence, double *positive, double *negative)
{
    expansion e = {
        .posterior = posterior, .evidence = evidence, .positive = positive, .negative = negative};
    *evidence = 0;
    for (int32_t k = 0; k < posterior->instances * posterior->workers; k++) {
        if (counts[k].positive + counts[k].negative > 0) {
            e.pair[e.count] = k;
            e.counts[e.count++] = counts[k];
        }
    }
    for (int32_t i = 0; positive != NULL && i < posterior->instances; i++) {
        positive[i] = 0;
        negative[i] = 0;
    }
    expand_pair(&e, 0, 1);
}

double og_workers_terms(const og_workers_posterior *posterior, const og_pair_counts *counts)
{
    double terms = 1;
    for (int32_t k = 0; k < posterior->instances * posterior->workers; k++) {
        terms *= (counts[k].positive + 1) * (counts[k].negative + 1);
    }
    return terms;
}

void og_workers_evidence(const og_workers_posterior *posterior, const og_pair_counts *counts,
                         double *evidence, double *positive, double *negative)
{
    double terms = og_workers_terms(posterior, counts);
    if (terms <= TERMS_FEW ||
        !og_workers_eliminate(posterior, counts, terms, evidence, positive, negative)) {
        og_workers_expand(posterior, counts, evidence, positive, negative);
    }
    if (posterior->had == 0) {
        return;
    }
    *evidence *= posterior->scale;
    for (int32_t i = 0; i < posterior->instances; i++) {
        if (positive != NULL) {
            positive[i] *= posterior->scale;
        }
        if (negative != NULL) {
            negative[i] *= posterior->scale;
        }
    }
}

og_status og_workers_posterior_begin(og_workers_posterior *posterior, const og_pair_label *label,
                                     int32_t count)
{
    double evidence, positive[OG_WORKERS_INSTANCES_MAX], negative[OG_WORKERS_INSTANCES_MAX];
    posterior->root = og_arena_array(&posterior->arena, (size_t)count + 1, sizeof *label);
    OG_TRY(og_arena_status(&posterior->arena));
    for (int32_t i = 0; i < count; i++) {
        og_pair_counts *pair =
            &posterior->counts[label[i].instance * posterior->workers + label[i].worker];
        uint8_t *counted = label[i].positive ? &pair->positive : &pair->negative;
        ++*counted;
        posterior->root[i] = label[i];
    }
    og_workers_evidence(posterior, posterior->counts, &evidence, positive, negative);
    posterior->had = count;
    posterior->scale = 1 / evidence;
    posterior->prior = 0;
    for (int32_t i = 0; i < posterior->instances; i++) {
        posterior->prior += fmax(positive[i], negative[i]) / evidence;
    }
    posterior->prior_error = 1.02 * posterior->instances *
                             (og_workers_posterior_error(posterior) + posterior->chance_error +
                              DBL_EPSILON * (posterior->instances + 2));
    return OG_OK;
}

/*
 * An integral takes 6 roundings a label, and every label belongs to an instance and a coin. A
 * term is a product of its ways (one rounding a pair: fewer than labels) with all integrals. A sum
 * has at most 2^T terms, and at most prod (n + 1) over the counts n of all pairs, which is largest
 * if all are alike; each is rounded as often as the sum is added to. Elimination multiplies no more
 * often, and is used only if its sums are added to less often than there are terms.
 */
double og_workers_posterior_error(const og_workers_posterior *posterior)
{
    const double u = DBL_EPSILON / 2;
    double labels = posterior->labels;
    double factors = posterior->instances + posterior->coins + labels;
    double cells = 2.0 * posterior->instances * posterior->workers;
    double terms = fmin(ldexp(1, posterior->labels), pow(1 + labels / cells, cells));
    double error = 1.02 * u * (12 * labels + 2 * factors + posterior->roundings + 1.01 * terms);
    return posterior->had == 0 ? error : 2.02 * error + 4 * u;
}
