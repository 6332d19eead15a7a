/*
 * Computes the indices that look one label ahead [Chen, Lin and Zhou, sections 3 and 4], from R and
 * the gains R_k = h(next_k) - h of a node's outcomes with probabilities p_k:
 *
 *   kg          R = sum p_k R_k
 *   opt-kg      the largest R_k
 *   pess-kg     the smallest R_k
 *   cvar-kg     max sum q_k R_k over sum q_k = 1, 0 <= q_k <= p_k / ALPHA: the mean over the best
 *               part ALPHA of the outcomes; ALPHA = 1 is kg, ALPHA = 0 is opt-kg
 *
 * Each value has a proved radius, from the bounds of dp/arm/arm.h on R, R_k and p_k.
 */
#include "heuristics/index/index.h"

#include <assert.h>
#include <float.h>
#include <math.h>

/* u: the relative error of rounding to nearest. */
static const double unit_roundoff = DBL_EPSILON / 2;

/* Rows of zeros for every (left, arm) up to `last` left; none for left == 0. */
static double **new_rows(og_arena *arena, const og_index_job *job, bool by_left, int32_t last)
{
    const og_arms *arms = job->arms;
    size_t arm_count = (size_t)arms->arm_count;
    double **rows = og_arena_array(arena, arm_count * ((size_t)last + 1), sizeof *rows);
    for (int32_t left = by_left ? 1 : 0; !arena->failed && left <= last; left++) {
        for (size_t i = 0; i < arm_count; i++) {
            int32_t levels = by_left ? arms->budget - left + 1 : arms->budget;
            size_t nodes = og_index_nodes(job, (int32_t)i, levels);
            rows[(size_t)left * arm_count + i] = og_arena_array(arena, nodes, sizeof **rows);
        }
    }
    return rows;
}

static og_status init(const og_index_job *job, bool by_left, int32_t last, bool with_radius,
                      og_scored *out)
{
    const og_arms *arms = job->arms;
    og_index *index = out->index = og_arena_new(sizeof *index);
    OG_TRY(OG_ALLOCATED(index));
    index->arm_count = arms->arm_count;
    index->by_left = by_left;
    index->index = new_rows(&index->arena, job, by_left, last);
    out->radius = with_radius ? new_rows(&out->arena, job, by_left, last) : NULL;
    out->left_error = og_arena_array(&out->arena, (size_t)arms->budget + 1, sizeof(double));
    return index->arena.failed || out->arena.failed ? OG_NO_MEMORY : OG_OK;
}

og_status og_scored_init(const og_index_job *job, bool by_left, bool with_radius, og_scored *out)
{
    return init(job, by_left, by_left ? job->arms->budget : 0, with_radius, out);
}

og_status og_scored_init_up_to(const og_index_job *job, int32_t last, og_scored *out)
{
    return init(job, true, last, false, out);
}

void og_index_free(og_index *index)
{
    og_arena_free(index);
}

void og_scored_clear(og_scored *scored)
{
    if (scored->free_own != NULL) {
        scored->free_own(scored->own);
    }
    og_index_free(scored->index);
    og_arena_clear(&scored->arena);
    *scored = (og_scored){0};
}

og_index *og_scored_take_index(og_scored *scored)
{
    og_index *index = scored->index;
    scored->index = NULL;
    og_scored_clear(scored);
    return index;
}

static int64_t row_of(const og_index *index, int32_t arm, int32_t left)
{
    return index->by_left ? (int64_t)left * index->arm_count + arm : arm;
}

double og_scored_radius(const og_scored *scored, int32_t arm, uint32_t node, int32_t left)
{
    const og_index *index = scored->index;
    int64_t row = row_of(index, arm, left);
    if (scored->radius != NULL) {
        return scored->radius[row][node];
    }
    double value = index->index[row][node];
    double error = scored->left_error[index->by_left ? left : 0];
    return value == 0 ? 0 : error * fabs(value) + scored->absolute;
}

int og_compare_exact_items(const void *x, const void *y)
{
    const og_exact_item *left = x, *right = y;
    int order = mpq_cmp(left->index, right->index);
    return order != 0 ? order : (left->class > right->class) - (left->class < right->class);
}

double og_node_error(const og_arms *arms, int roundings)
{
    double error = 0;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const og_arm *arm = arms->arm[i];
        error = fmax(error, fmax(arm->probability_error, arm->reward_error) +
                                (arm->outcome_count + roundings) * unit_roundoff);
    }
    return error;
}

static void copy_row(const og_index_job *job, double **rows, int64_t first_row, int32_t arm,
                     uint32_t nodes)
{
    const og_twins *twins = job->twins;
    const uint32_t *class_of = twins->class_of + job->arms->node_offset[arm];
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t class = class_of[node];
        rows[first_row + arm][node] =
            rows[first_row + twins->first_arm[class]][twins->first_node[class]];
    }
}

void og_scored_copy_to_twins(const og_index_job *job, og_scored *scored, int32_t left)
{
    const og_arms *arms = job->arms;
    bool by_left = scored->index->by_left;
    int64_t first_row = row_of(scored->index, 0, left);
    for (int32_t i = 0; i < arms->arm_count; i++) {
        uint32_t nodes = og_index_nodes(job, i, by_left ? arms->budget - left + 1 : arms->budget);
        copy_row(job, scored->index->index, first_row, i, nodes);
        if (scored->radius != NULL) {
            copy_row(job, scored->radius, first_row, i, nodes);
        }
    }
}

static og_status exact_kg(const og_index_job *job, const og_scored *scored, int32_t arm,
                          uint32_t node, int32_t left, mpq_t out)
{
    (void)scored;
    (void)left;
    og_arm_exact_reward(job->arms->arm[arm], node, out);
    return OG_OK;
}

og_status og_score_kg(const og_index_job *job, og_scored *out, og_message *message)
{
    (void)message;
    OG_TRY(og_scored_init(job, false, false, out));
    for (uint32_t c = 0; c < job->twins->class_count; c++) {
        int32_t arm = job->twins->first_arm[c];
        uint32_t node = job->twins->first_node[c];
        out->index->index[arm][node] = job->arms->arm[arm]->reward[node];
    }
    og_scored_copy_to_twins(job, out, 0);
    for (int32_t i = 0; i < job->arms->arm_count; i++) {
        out->left_error[0] = fmax(out->left_error[0], job->arms->arm[i]->reward_error);
    }
    out->index->error = out->left_error[0];
    out->exact = exact_kg;
    return OG_OK;
}

/* The possible outcomes of one label. */
typedef struct {
    int32_t count;
    const double *gain;        /* [count] */
    const double *probability; /* [count] */
    double reward;             /* without the bonus */
    double reward_radius;
    double gain_error, probability_error; /* relative */
    int32_t *order;                       /* [count] scratch */
} outlook;

typedef struct {
    double value;
    double radius;
} estimate;

typedef estimate one_label_index(const outlook *label, const og_policy_name *policy);

/* sign = 1: the largest gain, -1: the smallest. */
static estimate extreme_gain(const outlook *label, double sign)
{
    double value = -INFINITY, upper = -INFINITY, lower = -INFINITY;
    for (int32_t k = 0; k < label->count; k++) {
        double gain = sign * label->gain[k];
        double error = label->gain_error * fabs(gain) + DBL_MIN;
        value = fmax(value, gain);
        upper = fmax(upper, gain + error);
        lower = fmax(lower, gain - error);
    }
    /* The subtractions are exact, or have a relative error u of a number no larger than the radius.
     */
    double radius = fmax(upper - value, value - lower) * (1 + DBL_EPSILON);
    return (estimate){sign * value, radius + unit_roundoff * fabs(value)};
}

static estimate largest_gain(const outlook *label, const og_policy_name *policy)
{
    (void)policy;
    return extreme_gain(label, 1);
}

static estimate smallest_gain(const outlook *label, const og_policy_name *policy)
{
    (void)policy;
    return extreme_gain(label, -1);
}

static void sort_by_gain(const outlook *label)
{
    for (int32_t i = 0; i < label->count; i++) {
        int32_t j = i;
        for (; j > 0 && label->gain[label->order[j - 1]] > label->gain[i]; j--) {
            label->order[j] = label->order[j - 1];
        }
        label->order[j] = i;
    }
}

/*
 * Fills shares q_k <= p_k / alpha, from the outcome order[start] on in steps of `step`, until they
 * sum to `total`. Returns sum q_k R_k. Radius: each share has a relative error e (p, alpha,
 * roundings). The last share is the rest, so its error is the sum of those before; so is the error
 * of the next share, which a slightly larger rest would make positive.
 */
static estimate fill_shares(const outlook *label, double alpha, double total, int32_t start,
                            int32_t step)
{
    double relative = label->probability_error + (label->count + 4) * unit_roundoff;
    double largest = 0, rest = total, value = 0, size = 0, filled = 0;
    for (int32_t k = 0; k < label->count; k++) {
        largest = fmax(largest, fabs(label->gain[k]));
    }
    for (int32_t i = start, n = 0; n < label->count && rest > 0; i += step, n++) {
        int32_t k = label->order[i];
        double share = fmin(label->probability[k] / alpha, rest);
        value += share * label->gain[k];
        size += share * fabs(label->gain[k]);
        filled += share;
        rest -= share;
    }
    double radius = (label->gain_error + 2 * relative) * size + 2 * relative * filled * largest;
    return (estimate){value, radius + DBL_MIN};
}

/*
 * Two forms of the same number, to avoid cancellation: filling from the largest gain, or
 * subtracting from R / alpha the outcomes that are not in the best part,
 *
 *   index = R / alpha - sum e_k R_k,   e_k <= p_k / alpha filled from the smallest gain to
 *   the total 1 / alpha - 1.
 *
 * The second form equals R at alpha = 1. Its terms have one sign if the smallest gain is negative
 * and the first form has terms of both signs.
 */
static estimate mean_of_best_part(const outlook *label, const og_policy_name *policy)
{
    og_fraction exact = policy->parameter_exact;
    if (exact.num == 0) {
        return extreme_gain(label, 1);
    }
    double alpha = og_fraction_double(exact);
    sort_by_gain(label);
    int32_t top = label->order[label->count - 1], bottom = label->order[0];
    double spread = label->gain[top] - label->gain[bottom];
    /* The form depends on p / alpha >= 1; if rounding decides, the two forms differ by at most
     * this. */
    double doubt = (label->probability_error + 4 * unit_roundoff) * spread;
    if (exact.num != exact.den && label->probability[top] >= alpha) {
        estimate result = extreme_gain(label, 1);
        bool certain =
            label->probability[top] * (1 - label->probability_error - 4 * unit_roundoff) > alpha;
        result.radius += certain ? 0 : doubt;
        return result;
    }
    if (exact.num != exact.den && label->gain[bottom] >= 0) {
        estimate result = fill_shares(label, alpha, 1, label->count - 1, -1);
        result.radius += doubt;
        return result;
    }
    double outside = (double)(exact.den - exact.num) / (double)exact.num;
    estimate taken = fill_shares(label, alpha, outside, 0, 1);
    double share = label->reward / alpha;
    double radius = label->reward_radius / alpha + 4 * unit_roundoff * fabs(share) + taken.radius;
    if (exact.num != exact.den) {
        radius += doubt + 4 * unit_roundoff * (fabs(share) + fabs(taken.value)) + DBL_MIN;
    }
    return (estimate){share - taken.value, radius};
}

static og_status score_arm(const og_index_job *job, int32_t number, one_label_index *formula,
                           og_scored *scored)
{
    const og_arm *arm = job->arms->arm[number];
    size_t outcomes = (size_t)arm->outcome_count, labelled = arm->level[job->arms->budget];
    uint32_t nodes = og_index_nodes(job, number, job->arms->budget);
    double bonus = og_fraction_double(og_group_bonus(og_arm_prior(arm)));
    og_arena arena = {0};
    double *gain = og_arena_array(&arena, labelled * outcomes, sizeof *gain);
    outlook label = {.count = arm->outcome_count,
                     .probability_error = arm->probability_error,
                     .order = og_arena_array(&arena, outcomes, sizeof *label.order)};
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_arm_gains(arm, job->stop, gain, &label.gain_error));
    for (uint32_t node = 0; status == OG_OK && node < nodes; node++) {
        label.gain = gain + node * outcomes;
        label.probability = arm->probability + node * outcomes;
        label.reward = arm->reward[node] - (arm->paying ? bonus : 0);
        label.reward_radius =
            (arm->reward_error + (arm->paying ? 2 * unit_roundoff : 0)) * arm->reward[node];
        estimate e = formula(&label, job->policy);
        if (arm->paying) {
            e.value += bonus;
            e.radius += unit_roundoff * (fabs(e.value) + bonus) * (1 + DBL_EPSILON);
        }
        scored->index->index[number][node] = e.value;
        scored->radius[number][node] = e.radius;
    }
    og_arena_clear(&arena);
    return status;
}

/*
 * Sets one relative and one absolute error for the whole table. The absolute error covers values
 * for which a relative error of a few roundings is not enough (a mean with cancelling terms).
 */
static void state_errors(const og_index_job *job, og_scored *scored)
{
    const double relative_most = 64 * DBL_EPSILON;
    const og_twins *twins = job->twins;
    og_index *index = scored->index;
    for (uint32_t c = 0; c < twins->class_count; c++) {
        double value = fabs(index->index[twins->first_arm[c]][twins->first_node[c]]);
        double radius = scored->radius[twins->first_arm[c]][twins->first_node[c]];
        if (value > radius) {
            index->error = fmax(index->error, radius / (value - radius) * (1 + 4 * DBL_EPSILON));
        }
    }
    index->error = fmin(index->error, relative_most);
    for (uint32_t c = 0; c < twins->class_count; c++) {
        double value = fabs(index->index[twins->first_arm[c]][twins->first_node[c]]);
        double radius = scored->radius[twins->first_arm[c]][twins->first_node[c]];
        /* Allows for four roundings, each of a number no larger than the value. */
        double rest = radius - index->error * (value - radius) * (1 - 4 * DBL_EPSILON);
        index->absolute_error = fmax(index->absolute_error, rest);
    }
}

static og_status score_one_label(const og_index_job *job, one_label_index *formula,
                                 og_exact_index *exact, og_scored *out)
{
    OG_TRY(og_scored_init(job, false, true, out));
    for (int32_t i = 0; i < job->arms->arm_count; i++) {
        OG_TRY(score_arm(job, i, formula, out));
    }
    og_scored_copy_to_twins(job, out, 0);
    state_errors(job, out);
    out->exact = exact;
    return OG_OK;
}

/* The exact gain of each outcome; NULL: out of memory. */
static mpq_t *exact_gains(og_arena *arena, const og_arm *arm, uint32_t node)
{
    mpq_t *gain = og_arena_fractions(arena, (size_t)arm->outcome_count);
    for (int32_t k = 0; gain != NULL && k < arm->outcome_count; k++) {
        og_arm_exact_gain(arm, node, k, gain[k]);
    }
    return gain;
}

static void add_bonus(const og_arm *arm, mpq_t scratch, mpq_t out)
{
    if (arm->paying) {
        og_fraction_get_mpq(scratch, og_arm_prior(arm)->bonus);
        mpq_add(out, out, scratch);
    }
}

static og_status exact_extreme(const og_index_job *job, int32_t number, uint32_t node, int sign,
                               mpq_t out)
{
    const og_arm *arm = job->arms->arm[number];
    og_arena arena = {0};
    mpq_t *gain = exact_gains(&arena, arm, node);
    for (int32_t k = 0; gain != NULL && k < arm->outcome_count; k++) {
        if (k == 0 || sign * mpq_cmp(gain[k], out) > 0) {
            mpq_set(out, gain[k]);
        }
    }
    og_status status = og_arena_status(&arena);
    if (status == OG_OK) {
        add_bonus(arm, gain[0], out);
    }
    og_arena_clear(&arena);
    return status;
}

static og_status exact_largest(const og_index_job *job, const og_scored *scored, int32_t arm,
                               uint32_t node, int32_t left, mpq_t out)
{
    (void)scored;
    (void)left;
    return exact_extreme(job, arm, node, 1, out);
}

static og_status exact_smallest(const og_index_job *job, const og_scored *scored, int32_t arm,
                                uint32_t node, int32_t left, mpq_t out)
{
    (void)scored;
    (void)left;
    return exact_extreme(job, arm, node, -1, out);
}

/* The largest of the gains not used yet. */
static int32_t best_unused(mpq_t *gain, const bool *used, int32_t count)
{
    int32_t best = -1;
    for (int32_t k = 0; k < count; k++) {
        if (!used[k] && (best < 0 || mpq_cmp(gain[k], gain[best]) > 0)) {
            best = k;
        }
    }
    return best;
}

/* sum q_k gain_k, filled from the largest gain; alpha > 0. */
static void exact_fill(const og_arm *arm, uint32_t node, mpq_t alpha, mpq_t *gain, bool *used,
                       mpq_t out)
{
    mpq_t rest, share;
    mpq_inits(rest, share, NULL);
    mpq_set_ui(rest, 1, 1);
    mpq_set_ui(out, 0, 1);
    for (int32_t n = 0; n < arm->outcome_count && mpq_sgn(rest) > 0; n++) {
        int32_t k = best_unused(gain, used, arm->outcome_count);
        used[k] = true;
        og_arm_exact_probability(arm, node, k, share);
        mpq_div(share, share, alpha);
        if (mpq_cmp(share, rest) > 0) {
            mpq_set(share, rest);
        }
        mpq_sub(rest, rest, share);
        mpq_mul(share, share, gain[k]);
        mpq_add(out, out, share);
    }
    mpq_clears(rest, share, NULL);
}

static og_status exact_mean_of_best_part(const og_index_job *job, const og_scored *scored,
                                         int32_t number, uint32_t node, int32_t left, mpq_t out)
{
    if (job->policy->parameter_exact.num == 0) {
        return exact_largest(job, scored, number, node, left, out);
    }
    const og_arm *arm = job->arms->arm[number];
    assert(arm->outcome_count > 0);
    og_arena arena = {0};
    mpq_t *gain = exact_gains(&arena, arm, node), *alpha = og_arena_fractions(&arena, 1);
    bool *used = og_arena_array(&arena, (size_t)arm->outcome_count, sizeof *used);
    og_status status = og_arena_status(&arena);
    if (status == OG_OK) {
        og_fraction_get_mpq(*alpha, job->policy->parameter_exact);
        exact_fill(arm, node, *alpha, gain, used, out);
        add_bonus(arm, *alpha, out);
    }
    og_arena_clear(&arena);
    return status;
}

og_status og_score_opt_kg(const og_index_job *job, og_scored *out, og_message *message)
{
    (void)message;
    return score_one_label(job, largest_gain, exact_largest, out);
}

og_status og_score_pess_kg(const og_index_job *job, og_scored *out, og_message *message)
{
    (void)message;
    return score_one_label(job, smallest_gain, exact_smallest, out);
}

og_status og_score_cvar_kg(const og_index_job *job, og_scored *out, og_message *message)
{
    (void)message;
    return score_one_label(job, mean_of_best_part, exact_mean_of_best_part, out);
}
