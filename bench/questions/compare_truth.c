/*
 * The rows of a comparison under a truth, or with a wrong belief. Under a truth, the evaluated
 * policies choose and call with the problem's priors, and labels follow other soft labels. With a
 * wrong belief, labels follow the problem's priors, and the policies are those of another problem,
 * whose prior is the belief. The value counts correct calls under the true soft labels, or for a
 * bandit positive labels.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/questions/compare_job.h"
#include "dp/prior/tails.h"

enum { INSTANCES_MAX = 1000000 };

/* ---- the truth as runs of instances ---- */

/* The problem's groups, for functions that take groups, not arms; the caller owns *out. */
static og_status find_groups(const og_arms *arms, og_groups *out)
{
    og_group *group = calloc((size_t)arms->group_count + 1, sizeof *group);
    OG_TRY(OG_ALLOCATED(group));
    for (int32_t g = 0; g < arms->group_count; g++) {
        group[g] = *og_arm_prior(arms->arm[arms->arm_of_group[g]]);
        group[g].count = arms->group_size[g];
    }
    *out = og_groups_of(group, arms->group_count);
    out->budget = arms->budget;
    return OG_OK;
}

static const char *option_of(const og_compare_job *work)
{
    return work->believed != NULL ? "--assume"
           : work->truth != NULL  ? "--truth"
                                  : "--truth or --assume";
}

static og_status check_family(const og_compare_job *work, og_message *message)
{
    const og_family *family = work->family;
    const og_arms *arms = og_family_arms(family, work->problem);
    if (arms == NULL || og_arms_have_actions(arms)) {
        return og_family_lacks(family, option_of(work), message);
    }
    for (int32_t a = 0; a < arms->arm_count; a++) {
        if (og_arm_table(arms->arm[a]) != NULL) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "%s needs instances with a prior; arm:%.200s has none",
                                  option_of(work), og_arm_table(arms->arm[a])->name);
        }
        if (og_arm_prior(arms->arm[a])->payoff.given) {
            return og_message_set(message, OG_BAD_INPUT, "%s does not support --payoff; omit it",
                                  option_of(work));
        }
    }
    return OG_OK;
}

static bool is_bandit(const og_compare_job *work)
{
    return !og_arm_has_calls(og_family_arms(work->family, work->problem)->arm[0]);
}

/* The truth for the rows; with a wrong belief, soft labels follow the problem's priors. */
static og_truth truth_of(const og_compare_job *work)
{
    return work->truth != NULL ? *work->truth : (og_truth){.kind = OG_TRUTH_PRIOR};
}

/* Check that a group is supported: its instances are drawn from its prior, or from a Beta. */
static og_status check_group(const og_compare_job *work, const og_group *group, og_message *message)
{
    const og_truth truth = truth_of(work);
    if (group->kind == OG_PRIOR_DIRICHLET) {
        return og_message_set(message, OG_BAD_INPUT, "%s does not support several classes; omit it",
                              option_of(work));
    }
    if (truth.kind == OG_TRUTH_LIST) {
        return OG_OK;
    }
    og_group drawn = *group;
    if (truth.kind == OG_TRUTH_BETA) {
        drawn = (og_group){.a = truth.a, .b = truth.b, .threshold = group->threshold, .count = 1};
    }
    OG_TRY(og_group_check(&drawn, work->sizes.left, message));
    if (is_bandit(work)) {
        return OG_OK; /* its probabilities are fractions for all parameters */
    }
    bool exact = drawn.kind == OG_PRIOR_MIXTURE
                     ? og_mixture_tails_are_exact(&drawn, work->sizes.left)
                     : og_beta_tails_are_exact(&drawn, work->sizes.left);
    if (work->asked->request.exact && !exact) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--arithmetic exact supports only short whole numbers in --truth: "
                              "beta:A,B with whole A and B, a mixture of such, or list:X,X,...");
    }
    return OG_OK;
}

static og_status check(const og_compare_job *work, const og_groups *groups, og_message *message)
{
    const og_truth truth = truth_of(work);
    OG_TRY(og_truth_check(&truth, groups, message));
    for (int32_t g = 0; g < groups->group_count; g++) {
        OG_TRY(check_group(work, og_groups_at(groups, g), message));
    }
    if (og_groups_size(groups) > INSTANCES_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "%s supports at most %d instances; give fewer",
                              option_of(work), INSTANCES_MAX);
    }
    return OG_OK;
}

static void add_run(og_compare_job *work, int32_t group, int64_t count, const og_truth_law *actual)
{
    og_truth_law_run *last = work->run_count > 0 ? &work->run[work->run_count - 1] : NULL;
    bool same = last != NULL && last->group == group && actual->fixed && last->actual.fixed &&
                og_fraction_compare(last->actual.soft, actual->soft) == 0;
    if (same) {
        last->count += count;
    } else {
        work->run[work->run_count++] = (og_truth_law_run){group, count, *actual};
    }
}

static og_status fill_runs(og_compare_job *work, const og_groups *groups)
{
    const og_truth truth = truth_of(work);
    const og_arms *arms = og_family_arms(work->family, work->problem);
    bool listed = truth.kind == OG_TRUTH_LIST;
    size_t most = (size_t)(listed ? truth.count : groups->group_count);
    int64_t at = 0;
    free(work->run); /* from the previous point */
    work->run_count = 0;
    work->run = calloc(most + 1, sizeof *work->run);
    OG_TRY(OG_ALLOCATED(work->run));
    for (int32_t g = 0; g < groups->group_count; g++) {
        const og_group *group = og_groups_at(groups, g);
        bool own = truth.kind == OG_TRUTH_PRIOR;
        og_truth_law drawn = {.a = own ? group->a : truth.a, .b = own ? group->b : truth.b};
        if (own && group->kind == OG_PRIOR_MIXTURE) {
            int32_t arm = arms->arm_of_group[g];
            drawn = (og_truth_law){.mixed = arms->arm[arm], .mixed_number = arm};
        }
        for (int64_t i = 0; listed && i < group->count; i++) {
            add_run(work, g, 1, &(og_truth_law){.fixed = true, .soft = truth.soft[at++]});
        }
        if (!listed) {
            add_run(work, g, group->count, &drawn);
        }
    }
    return OG_OK;
}

static void inform(const og_compare_job *work, const og_groups *groups)
{
    const og_truth truth = truth_of(work);
    bool exact = work->out->exact;
    if (is_bandit(work)) {
        og_truth_value_of_bandit(&truth, groups, work->sizes.left, exact, &work->out->informed);
    } else {
        og_truth_value_of_calls(og_groups_size(groups), exact, &work->out->informed);
    }
}

/* Open the problem of the same instances with the believed prior. */
static og_status open_belief(og_compare_job *work, og_groups *groups, og_message *message)
{
    const og_group *believed = work->out->under.believed;
    og_settings settings = work->asked->request.settings;
    settings.checkpoint = NULL;
    if (believed == NULL) {
        return OG_OK;
    }
    for (int32_t k = 0; k < groups->kind_count; k++) {
        og_group *kind = &groups->kind[k];
        *kind = (og_group){
            .a = believed->a, .b = believed->b, .threshold = kind->threshold, .count = kind->count};
        OG_TRY(og_group_check(kind, work->sizes.left, message));
    }
    const og_problem_text given = {.instances = groups,
                                   .budget = work->sizes.left,
                                   .left = work->sizes.left,
                                   .objective = is_bandit(work) ? "bandit" : NULL};
    return og_family_open(work->family, &given, &settings, &work->believed, message);
}

og_status og_compare_truth_begin(og_compare_job *work, og_message *message)
{
    const og_compare_under *under = &work->out->under;
    og_groups groups;
    if (under->truth == NULL && under->believed == NULL && under->grid_count == 0) {
        return OG_OK;
    }
    OG_TRY(check_family(work, message));
    OG_TRY(find_groups(og_family_arms(work->family, work->problem), &groups));
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < under->grid_count; i++) {
        work->truth = &under->grid[i];
        status = check(work, &groups, message);
    }
    if (under->grid_count > 0) {
        og_groups_clear(&groups);
        return status;
    }
    work->truth = under->truth;
    OG_THEN(status, check(work, &groups, message));
    OG_THEN(status, fill_runs(work, &groups));
    if (status == OG_OK) {
        inform(work, &groups);
    }
    OG_THEN(status, open_belief(work, &groups, message));
    og_groups_clear(&groups);
    return status;
}

/* ---- rows ---- */

/* The problem that policies assume. */
static const void *played_problem(const og_compare_job *work)
{
    return work->believed != NULL ? work->believed : work->problem;
}

static og_status follow(const og_compare_job *work, const og_strategy *by, og_ties ties,
                        og_compare_truth *out)
{
    og_characteristics_question question = {
        .arms = og_family_arms(work->family, played_problem(work)),
        .ranks = by->ranks,
        .ties = ties,
        .run = work->run,
        .run_count = work->run_count,
        .exact = work->out->exact,
        .settings = og_stop_settings(&work->asked->request.settings, work->stop)};
    question.settings.states_max = work->out->policy_states_max;
    og_status status = og_compare_is_over(work)
                           ? OG_STOPPED
                           : og_characteristics_find(&question, &out->found, &out->message);
    out->known = status == OG_OK;
    out->limit = out->known ? OG_LIMIT_NONE : og_stop_limit(work->stop);
    return status;
}

/* Record limits in the row; other errors end the comparison. */
static og_status note_limit(og_status status, og_compare_truth *truth, og_message *message)
{
    if (status == OG_OK) {
        return OG_OK;
    }
    if (truth->limit == OG_LIMIT_TIME || truth->limit == OG_LIMIT_INTERRUPT) {
        og_message_set(&truth->message, status, "%s",
                       truth->limit == OG_LIMIT_TIME ? "time limit" : "interrupted");
    }
    og_message_complete(&truth->message, status);
    if (og_compare_limit_reached(status)) {
        return OG_OK;
    }
    *message = truth->message;
    return status;
}

/* Make the policy for the problem that it assumes, and evaluate it. */
static og_status make_and_follow(const og_compare_job *work, const og_policy_name *name,
                                 og_ties ties, og_compare_truth *out)
{
    const og_settings *settings = &work->asked->request.settings;
    const og_policy_use use = {.whole_budget = work->sizes.budget,
                               .threads = settings->threads,
                               .memory_bytes = settings->memory_bytes / 2,
                               .stop = work->stop};
    og_strategy by = {.self = NULL};
    og_status status =
        og_family_strategy(work->family, played_problem(work), name, &use, &by, &out->message);
    OG_THEN(status, follow(work, &by, ties, out));
    out->limit = status != OG_OK ? og_stop_limit(work->stop) : out->limit;
    og_strategy_free(&by);
    return status;
}

/* The optimal policy is the one that looks ahead over all labels. */
static og_status name_optimum(const og_compare_job *work, og_policy_name *out, og_message *message)
{
    char name[32] = "uniform"; /* without labels */
    if (work->sizes.left > 0) {
        snprintf(name, sizeof name, "lookahead:%" PRId32, work->sizes.left);
    }
    return og_policy_name_parse(name, out, message);
}

static og_status follow_optimum(const og_compare_job *work, og_compare_truth *out)
{
    og_policy_name ahead;
    og_status status = name_optimum(work, &ahead, &out->message);
    return status == OG_OK ? make_and_follow(work, &ahead, OG_TIES_RANDOM, out) : status;
}

static og_status optimum_row(const og_compare_job *work, og_message *message)
{
    og_compare_truth *row = &work->out->optimal_truth;
    if (work->out->optimal_status != OG_OK) {
        og_message_set(&row->message, OG_OK, "the optimum was not found");
        return OG_OK;
    }
    og_stop_tell(work->stop, "followed: the optimal policy", 0);
    return note_limit(follow_optimum(work, row), row, message);
}

static og_status policy_row(const og_compare_job *work, og_compare_row *row, og_message *message)
{
    char stage[OG_POLICY_NAME_BYTES + 64];
    if (row->status != OG_OK || row->simulated) {
        og_message_set(&row->truth.message, OG_OK,
                       work->believed != NULL
                           ? "the policy is not valued exactly"
                           : "the policy has no exact value; use simulate --truth");
        return OG_OK;
    }
    snprintf(stage, sizeof stage, "followed: %s, ties %s", work->asked->policies[row->policy].name,
             og_ties_name(row->ties));
    og_stop_tell(work->stop, stage, 0);
    og_status status =
        work->believed != NULL
            ? make_and_follow(work, &work->asked->policies[row->policy], row->ties, &row->truth)
            : follow(work, &work->strategy[row->policy], row->ties, &row->truth);
    return note_limit(status, &row->truth, message);
}

/* Check that no policy with a wrong belief exceeds the optimal policy with the true prior. */
static og_status check_belief(const og_compare_job *work, const og_compare_truth *truth,
                              og_message *message)
{
    const og_result *optimal = &work->out->optimal;
    const og_characteristics *found = &truth->found;
    if (work->believed == NULL || work->out->optimal_status != OG_OK || !truth->known ||
        found->mean - found->mean_error <= optimal->value + optimal->error_bound) {
        return OG_OK;
    }
    return og_message_set(message, OG_FAILED,
                          "the results contradict each other (a wrong belief worth more than the "
                          "optimum: %.17g > %.17g): please report this",
                          found->mean, optimal->value);
}

og_status og_compare_truth_rows(const og_compare_job *work, og_message *message)
{
    if (work->run == NULL) {
        return OG_OK;
    }
    for (int32_t i = 0; i < work->out->row_count; i++) {
        OG_TRY(policy_row(work, &work->out->rows[i], message));
        OG_TRY(check_belief(work, &work->out->rows[i].truth, message));
    }
    OG_TRY(optimum_row(work, message)); /* last, because it may use all the time left */
    return check_belief(work, &work->out->optimal_truth, message);
}

/* ---- a grid of truths ---- */

static og_status follow_point(const og_compare_job *work, const og_strategy *by, og_ties ties,
                              og_compare_point *out, og_message *message)
{
    og_compare_truth row = {.known = false};
    OG_TRY(note_limit(follow(work, by, ties, &row), &row, message));
    *out = (og_compare_point){row.known, row.found.mean, row.found.mean_error, row.found.variance};
    og_characteristics_clear(&row.found);
    return OG_OK;
}

/* Evaluate all rows at the current point, and the optimal policy if `optimal` has functions. */
static og_status follow_all(const og_compare_job *work, const og_strategy *optimal,
                            og_compare_point *out, og_message *message)
{
    const og_comparison *found = work->out;
    for (int32_t i = 0; i < found->row_count; i++) {
        const og_compare_row *row = &found->rows[i];
        if (row->status == OG_OK && !row->simulated) {
            OG_TRY(follow_point(work, &work->strategy[row->policy], row->ties, &out[i], message));
        }
    }
    return optimal->ranks != NULL
               ? follow_point(work, optimal, OG_TIES_RANDOM, &out[found->row_count], message)
               : OG_OK;
}

/* Make the optimal policy once for all points; zeroed if its ranks need too much time or memory. */
static og_status make_optimal(const og_compare_job *work, og_strategy *out, og_message *message)
{
    const og_settings *settings = &work->asked->request.settings;
    const og_policy_use use = {.whole_budget = work->sizes.budget,
                               .threads = settings->threads,
                               .memory_bytes = settings->memory_bytes / 2,
                               .stop = work->stop};
    og_policy_name name;
    og_message why = {""};
    if (work->out->optimal_status != OG_OK) {
        return OG_OK;
    }
    OG_TRY(name_optimum(work, &name, message));
    og_status status = og_family_strategy(work->family, work->problem, &name, &use, out, &why);
    return status == OG_OK || og_compare_limit_reached(status)
               ? OG_OK
               : og_message_set(message, status, "%s", why.text);
}

og_status og_compare_grid(og_compare_job *work, og_message *message)
{
    const og_compare_under *under = &work->out->under;
    og_comparison *found = work->out;
    size_t columns = (size_t)found->row_count + 1;
    og_strategy optimal = {.self = NULL};
    og_groups groups;
    if (under->grid_count == 0) {
        return OG_OK;
    }
    found->grid = calloc((size_t)under->grid_count * columns, sizeof *found->grid);
    OG_TRY(OG_ALLOCATED(found->grid));
    OG_TRY(find_groups(og_family_arms(work->family, work->problem), &groups));
    og_status status = make_optimal(work, &optimal, message);
    for (int32_t i = 0; status == OG_OK && i < under->grid_count; i++) {
        char stage[64];
        snprintf(stage, sizeof stage, "followed: truth %" PRId32 " of %" PRId32, i + 1,
                 under->grid_count);
        og_stop_tell(work->stop, stage, 0);
        work->truth = &under->grid[i];
        status = fill_runs(work, &groups);
        OG_THEN(status, follow_all(work, &optimal, found->grid + (size_t)i * columns, message));
    }
    og_strategy_free(&optimal);
    og_groups_clear(&groups);
    return status;
}
