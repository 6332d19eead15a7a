/*
 * top-two: one draw of all soft labels gives every instance the number t R1 + (1 - t) R2, as for
 * thompson. The instance of the largest number is labelled, or that of the second largest, each
 * with probability 1/2 [after Russo, "Simple Bayesian algorithms for best-arm identification",
 * Operations Research 68 (2020), 1625-1647]. The probabilities over all draws are weights, so the
 * policy has an exact value.
 *
 * Let F be the distribution function of an instance's number and f its density. An instance is
 * largest with probability
 *
 *   integral of f(z) prod F_j(z) over the others j,
 *
 * and second with that of f(z) sum_k (1 - F_k(z)) prod F_j(z) over the others k and j. Instances
 * with R1 = R2, those in balance, have one number each, and the largest of these is a lower limit
 * of the integrals. With whole parameters the integrands are polynomials between the ends of all
 * numbers' ranges, and Gauss's rule with enough points is exact but for rounding.
 */
#include <float.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>

#include "dp/base/rational.h"
#include "dp/product/chooser.h"
#include "heuristics/asking.h"

/* The number of an instance at a node: R2 at t = 0, R1 at t = 1. */
typedef struct {
    double first, second; /* R1, R2; equal doubles if they are equal */
    double a, b, ways;    /* the posterior, binomial(a + b - 1, a) */
} number;

typedef struct {
    og_arena arena;
    const og_arms *arms;
    number **number; /* [arm_count][level[budget]] */
    gsl_integration_glfixed_table *rule;
    size_t points;
    og_stop *stop;
} top_two;

/* A group of the state. */
typedef struct {
    const number *at;
    double copies, low, high;
} competitor;

/* P(no instance is above), P(exactly one is). */
typedef struct {
    double none, one;
} above;

typedef struct {
    const top_two *by;
    competitor *group; /* [count] */
    int32_t count;
    above *before, *after;   /* [count + 1] */
    double *below, *density; /* [count] F and f at a place */
    double *end;             /* [2 count] */
    int32_t end_count;
    double single[2], singles; /* the two largest numbers of groups with one; copies of the first */
    double *weight;
} contest;

static above times(above x, above y)
{
    return (above){x.none * y.none, x.none * y.one + x.one * y.none};
}

/* Copies that are below with this probability. */
static above of_copies(double below, double copies)
{
    return (above){pow(below, copies),
                   copies > 0 ? copies * (1 - below) * pow(below, copies - 1) : 0};
}

static bool is_single(const competitor *group)
{
    return group->low == group->high;
}

/* F and f of a group at z: a binomial's tail, the shorter of both. */
static void distribution(const competitor *group, double z, double *below, double *density)
{
    const number *at = group->at;
    const double length = group->high - group->low;
    *below = z >= group->high ? 1 : 0;
    *density = 0;
    if (z <= group->low || z >= group->high) {
        return;
    }
    bool rising = at->first > at->second;
    double t = (rising ? z - group->low : group->high - z) / length;
    double u = (rising ? group->high - z : z - group->low) / length;
    double labels = at->a + at->b - 1, sum = 0;
    double term = at->ways * pow(t, at->a) * pow(u, at->b - 1);
    *density = term * at->a / (t * length);
    if (at->b <= at->a) { /* P(Beta <= t) = P(at least a of so many) */
        for (double j = at->a; j <= labels && term > 0; j++) {
            sum += term;
            term *= (labels - j) / (j + 1) * (t / u);
        }
    } else {
        for (double j = at->a; j > 0 && term > 0; j--) {
            term *= j / (labels - j + 1) * (u / t);
            sum += term;
        }
        sum = 1 - sum;
    }
    *below = fmin(fmax(rising ? sum : 1 - sum, 0), 1);
}

/* At z, of all groups but those with one number; false if two groups are certainly above. */
static bool look(contest *c, double z)
{
    int32_t zeros = 0;
    for (int32_t g = 0; g < c->count; g++) {
        c->below[g] = 1;
        c->density[g] = 0;
        if (!is_single(&c->group[g])) {
            distribution(&c->group[g], z, &c->below[g], &c->density[g]);
        }
        zeros += c->below[g] == 0;
    }
    c->before[0] = c->after[c->count] = (above){1, 0};
    for (int32_t g = 0; g < c->count; g++) {
        c->before[g + 1] = times(c->before[g], of_copies(c->below[g], c->group[g].copies));
    }
    for (int32_t g = c->count; g-- > 0;) {
        c->after[g] = times(c->after[g + 1], of_copies(c->below[g], c->group[g].copies));
    }
    return zeros < 2;
}

/* Adds `part` of what the density gives at z. */
static void add_place(contest *c, double z, double part)
{
    if (z < c->single[1] || (z < c->single[0] && c->singles > 1) || !look(c, z)) {
        return;
    }
    for (int32_t g = 0; g < c->count; g++) {
        if (c->density[g] > 0) {
            above rest = times(times(c->before[g], c->after[g + 1]),
                               of_copies(c->below[g], c->group[g].copies - 1));
            double both = z > c->single[0] ? rest.none + rest.one : rest.none;
            c->weight[g] += part * c->group[g].copies * c->density[g] * both;
        }
    }
}

static int compare_ends(const void *x, const void *y)
{
    double one = *(const double *)x, other = *(const double *)y;
    return (one > other) - (one < other);
}

static og_status integrate(contest *c)
{
    const top_two *by = c->by;
    qsort(c->end, (size_t)c->end_count, sizeof *c->end, compare_ends);
    for (int32_t i = 1; i < c->end_count; i++) {
        if (og_stop_asked(by->stop)) {
            return OG_STOPPED;
        }
        for (size_t p = 0; c->end[i] > c->end[i - 1] && p < by->points; p++) {
            double z, part;
            gsl_integration_glfixed_point(c->end[i - 1], c->end[i], p, &z, &part, by->rule);
            add_place(c, z, part);
        }
    }
    return OG_OK;
}

/* Groups with one number: the largest of these numbers, and the next, which is second if there is
 * one copy of the largest. */
static void add_singles(contest *c)
{
    for (int place = 0; place < 2 && c->single[place] > -INFINITY; place++) {
        double copies = 0;
        look(c, c->single[place]);
        above other = c->before[c->count];
        double weight = place == 1       ? other.none * (c->singles == 1)
                        : c->singles > 1 ? 2 * other.none + other.one
                                         : other.none + other.one;
        for (int pass = 0; pass < 2; pass++) {
            for (int32_t g = 0; g < c->count; g++) {
                bool here = is_single(&c->group[g]) && c->group[g].low == c->single[place];
                copies += here && pass == 0 ? c->group[g].copies : 0;
                c->weight[g] += here && pass == 1 ? weight * c->group[g].copies / copies : 0;
            }
        }
    }
}

static void enter(contest *c, const og_state *state)
{
    c->single[0] = c->single[1] = -INFINITY;
    for (int32_t g = 0; g < state->count; g++) {
        const og_state_group *posterior = &state->group[g];
        competitor *at = &c->group[g];
        at->at = &c->by->number[posterior->arm][posterior->node];
        at->copies = (double)posterior->copies;
        at->low = fmin(at->at->first, at->at->second);
        at->high = fmax(at->at->first, at->at->second);
        c->weight[g] = 0;
        c->end[c->end_count++] = at->low;
        c->end[c->end_count++] = at->high;
        if (is_single(at) && at->low > c->single[0]) {
            c->single[1] = c->single[0];
            c->single[0] = at->low;
            c->singles = at->copies;
        } else if (is_single(at) && at->low == c->single[0]) {
            c->singles += at->copies;
        } else if (is_single(at)) {
            c->single[1] = fmax(c->single[1], at->low);
        }
    }
}

static og_status choose(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message)
{
    const size_t count = (size_t)state->count;
    og_arena arena = {0};
    contest c = {.by = self, .count = state->count, .weight = answer};
    c.group = og_arena_array(&arena, count, sizeof *c.group);
    c.before = og_arena_array(&arena, count + 1, sizeof *c.before);
    c.after = og_arena_array(&arena, count + 1, sizeof *c.after);
    c.below = og_arena_array(&arena, count, sizeof *c.below);
    c.density = og_arena_array(&arena, count, sizeof *c.density);
    c.end = og_arena_array(&arena, 2 * count, sizeof *c.end);
    og_status status = og_arena_status(&arena);
    *kind = OG_ANSWER_WEIGHTS;
    if (status == OG_OK) {
        enter(&c, state);
        status = integrate(&c);
        add_singles(&c);
    }
    og_arena_clear(&arena);
    return status == OG_STOPPED
               ? og_message_set(message, status, "the weights of policy 'top-two' were stopped")
               : status;
}

static og_status fill_arm(top_two *by, int32_t a, og_stop *stop)
{
    const og_arm *arm = by->arms->arm[a];
    const uint32_t nodes = arm->level[arm->depth];
    double *gain = og_arena_array(&by->arena, 2 * (size_t)nodes, sizeof *gain), ignored;
    number *at = by->number[a] = og_arena_array(&by->arena, nodes, sizeof *at);
    OG_TRY(og_arena_status(&by->arena));
    OG_TRY(og_arm_gains(arm, stop, gain, &ignored));
    mpq_t first, second;
    mpq_inits(first, second, NULL);
    for (uint32_t node = 0; node < nodes; node++) {
        og_fraction parameter[2];
        og_arm_posterior(arm, node, parameter);
        at[node] = (number){.first = gain[2 * (size_t)node],
                            .second = gain[2 * (size_t)node + 1],
                            .a = og_fraction_double(parameter[0]),
                            .b = og_fraction_double(parameter[1])};
        double labels = at[node].a + at[node].b - 1;
        at[node].ways =
            exp(lgamma(labels + 1) - lgamma(at[node].a + 1) - lgamma(labels - at[node].a + 1));
        if (fabs(at[node].first - at[node].second) < 1e-9) {
            og_arm_exact_gain(arm, node, 0, first);
            og_arm_exact_gain(arm, node, 1, second);
            at[node].first = og_nearest(first);
            at[node].second = og_nearest(second);
        }
    }
    mpq_clears(first, second, NULL);
    return OG_OK;
}

static void top_two_free(void *self)
{
    top_two *by = self;
    if (by != NULL) {
        if (by->rule != NULL) {
            gsl_integration_glfixed_table_free(by->rule);
        }
        og_arena_free(by);
    }
}

static og_status check_arms(const og_policy_name *policy, const og_arms *arms, og_message *message)
{
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        if (og_arm_prior(arm)->kind != OG_PRIOR_BETA || !arm->rational) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "policy '%s' supports only priors A,B with whole A and B; omit "
                                  "it, or simulate thompson",
                                  policy->name);
        }
    }
    return OG_OK;
}

/* The degree of the largest integrand is one less. */
static double degree_of(const og_arms *arms)
{
    double sum = arms->budget;
    for (int32_t g = 0; g < arms->group_count; g++) {
        const og_group *prior = og_arm_prior(arms->arm[arms->arm_of_group[g]]);
        sum += (double)arms->group_size[g] *
               (og_fraction_double(prior->a) + og_fraction_double(prior->b) - 1);
    }
    return sum;
}

og_status og_make_top_two(const og_policy_name *policy, const og_arms *arms,
                          const og_policy_use *use, og_ranks **out, og_message *message)
{
    const double points_most = 500;
    OG_TRY(check_arms(policy, arms, message));
    double points = floor(degree_of(arms) / 2) + 1;
    if (points > points_most) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "policy '%s' supports priors and labels that sum to at most %g; omit it, "
            "or simulate thompson",
            policy->name, 2 * points_most);
    }
    top_two *by = og_arena_new(sizeof *by);
    OG_TRY(OG_ALLOCATED(by));
    by->arms = arms;
    by->stop = use->stop;
    by->points = (size_t)points;
    by->rule = gsl_integration_glfixed_table_alloc(by->points);
    by->number = og_arena_array(&by->arena, (size_t)arms->arm_count, sizeof *by->number);
    og_status status = by->rule == NULL ? OG_NO_MEMORY : og_arena_status(&by->arena);
    for (int32_t a = 0; status == OG_OK && a < arms->arm_count; a++) {
        status = fill_arm(by, a, use->stop);
    }
    const og_chooser chooser = {.self = by,
                                .look = OG_LOOK_POSTERIOR,
                                .concurrent = true,
                                .choose = choose,
                                .free = top_two_free};
    OG_THEN(status, og_ranks_new_chooser(arms, &chooser, out));
    if (status != OG_OK) {
        top_two_free(by);
    }
    return status;
}
