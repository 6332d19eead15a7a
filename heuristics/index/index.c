/*
 * Computes the indices that look one label ahead: kg is the arm's reward R; the others follow from
 * the gains R_k = h(next_k) - h of a node's outcomes by their rule (heuristics/rule.h). Each value
 * has a proved radius, from the bounds of dp/arm/arm.h on R, R_k and p_k.
 */
#include "heuristics/index/index.h"

#include <float.h>
#include <math.h>

/* u: the relative error of rounding to nearest. */
static const double unit_roundoff = DBL_EPSILON / 2;

/* Rows of zeros for every (left, arm) from `first` up to `last` left; none for left == 0. */
static double **new_rows(og_arena *arena, const og_index_job *job, bool by_left, int32_t first,
                         int32_t last)
{
    const og_arms *arms = job->arms;
    size_t arm_count = (size_t)arms->arm_count;
    double **rows = og_arena_array(arena, arm_count * ((size_t)last + 1), sizeof *rows);
    for (int32_t left = by_left ? first : 0; !arena->failed && left <= last; left++) {
        for (size_t i = 0; i < arm_count; i++) {
            int32_t levels = by_left ? arms->budget - left + 1 : arms->budget;
            size_t nodes = og_index_nodes(job, (int32_t)i, levels);
            rows[(size_t)left * arm_count + i] = og_arena_array(arena, nodes, sizeof **rows);
        }
    }
    return rows;
}

static og_status init(const og_index_job *job, bool by_left, int32_t from, int32_t last,
                      bool with_radius, og_scored *out)
{
    const og_arms *arms = job->arms;
    og_index *index = out->index = og_arena_new(sizeof *index);
    OG_TRY(OG_ALLOCATED(index));
    index->arm_count = arms->arm_count;
    index->by_left = by_left;
    index->index = new_rows(&index->arena, job, by_left, from, last);
    int32_t first = job->first && arms->budget > 0 ? arms->budget : 1; /* whose radius is read */
    out->radius = with_radius ? new_rows(&out->arena, job, by_left, first, last) : NULL;
    out->left_error = og_arena_array(&out->arena, (size_t)arms->budget + 1, sizeof(double));
    return index->arena.failed || out->arena.failed ? OG_NO_MEMORY : OG_OK;
}

og_status og_scored_init(const og_index_job *job, bool by_left, bool with_radius, og_scored *out)
{
    return init(job, by_left, 1, by_left ? job->arms->budget : 0, with_radius, out);
}

og_status og_scored_init_up_to(const og_index_job *job, int32_t last, og_scored *out)
{
    return init(job, true, 1, last, false, out);
}

og_status og_scored_init_needed(const og_index_job *job, og_scored *out)
{
    const int32_t last = job->arms->budget;
    return init(job, true, job->first && last > 0 ? last : 1, last, true, out);
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

/* The outcomes of a node without those that are impossible, which are the last. */
static int32_t possible_outcomes(const og_arm *arm, uint32_t node)
{
    const double *probability = arm->probability + (size_t)node * (size_t)arm->outcome_count;
    int32_t count = arm->outcome_count;
    while (probability[count - 1] == 0) {
        count--;
    }
    return count;
}

/* What is kept of an arm's root by the rule; NULL: nothing is. */
static og_kept_root *kept_of(const og_index_job *job, const og_arm *arm)
{
    const og_group *group = og_arm_group(arm);
    return group == NULL || group->payoff.given || !job->roots
               ? NULL
               : og_kept_roots_at(job->kept, &(og_kept_key){.a = group->a,
                                                            .b = group->b,
                                                            .threshold = group->threshold,
                                                            .rule = job->rule.rule,
                                                            .delta = job->rule.part,
                                                            .end = job->arms->budget});
}

static og_status score_arm(const og_index_job *job, int32_t number, og_scored *scored)
{
    const og_rule_use use = job->rule;
    const og_arm *arm = job->arms->arm[number];
    size_t outcomes = (size_t)arm->outcome_count, labelled = arm->level[job->arms->budget];
    uint32_t nodes = og_index_nodes(job, number, job->arms->budget);
    double bonus = og_fraction_double(og_group_bonus(og_arm_prior(arm)));
    og_arena arena = {0};
    double *gain = og_arena_array(&arena, labelled * outcomes, sizeof *gain);
    og_prospect label = {.probability_error = arm->probability_error, .gain_absolute = DBL_MIN};
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_arm_gains(arm, job->stop, gain, &label.gain_error));
    for (uint32_t node = 0; status == OG_OK && node < nodes; node++) {
        label.gain = gain + node * outcomes;
        label.probability = arm->probability + node * outcomes;
        label.count = possible_outcomes(arm, node);
        label.mean = arm->reward[node] - (arm->paying ? bonus : 0);
        label.mean_radius =
            (arm->reward_error + (arm->paying ? 2 * unit_roundoff : 0)) * arm->reward[node];
        double radius, value = use.rule->index(&label, &use, &radius);
        if (arm->paying && !use.rule->no_gain) {
            value += bonus;
            radius += unit_roundoff * (fabs(value) + bonus) * (1 + DBL_EPSILON);
        }
        scored->index->index[number][node] = value;
        scored->radius[number][node] = radius;
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

/* The gains and probabilities of a node's outcomes, and the rule. */
static og_status exact_by_rule(const og_index_job *job, const og_scored *scored, int32_t number,
                               uint32_t node, int32_t left, mpq_t out)
{
    const og_arm *arm = job->arms->arm[number];
    const int32_t count = possible_outcomes(arm, node);
    const og_rule_use use = job->rule;
    og_arena arena = {0};
    mpq_t *gain = og_arena_fractions(&arena, (size_t)count);
    mpq_t *probability = og_arena_fractions(&arena, (size_t)count);
    og_status status = og_arena_status(&arena);
    (void)scored, (void)left;
    for (int32_t k = 0; status == OG_OK && k < count; k++) {
        og_arm_exact_gain(arm, node, k, gain[k]);
        og_arm_exact_probability(arm, node, k, probability[k]);
    }
    if (status == OG_OK) {
        use.rule->exact(count, probability, gain, use.parameter, out);
    }
    if (status == OG_OK && arm->paying && !use.rule->no_gain) {
        og_fraction_get_mpq(*gain, og_arm_prior(arm)->bonus);
        mpq_add(out, out, *gain);
    }
    og_arena_clear(&arena);
    return status;
}

static og_status score_kept_arm(const og_index_job *job, int32_t number, og_scored *scored)
{
    og_kept_root *kept = kept_of(job, job->arms->arm[number]);
    double *value = scored->index->index[number], *radius = scored->radius[number];
    if (kept != NULL && kept->scored) {
        *value = kept->value;
        *radius = kept->radius;
        return OG_OK;
    }
    OG_TRY(score_arm(job, number, scored));
    if (kept != NULL) {
        kept->value = *value;
        kept->radius = *radius;
        kept->scored = true;
    }
    return OG_OK;
}

og_status og_score_rule(const og_index_job *job, og_scored *out, og_message *message)
{
    (void)message;
    OG_TRY(og_scored_init(job, false, true, out));
    for (int32_t i = 0; i < job->arms->arm_count; i++) {
        OG_TRY(score_kept_arm(job, i, out));
    }
    og_scored_copy_to_twins(job, out, 0);
    state_errors(job, out);
    out->exact = job->rule.rule->exact != NULL ? exact_by_rule : NULL;
    return OG_OK;
}
