/* Products of arms: code shared by independent instances and labels with a price. */
#include "bench/families/independent/problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/history.h"
#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "dp/exact/exact.h"
#include "dp/exact/near_tie.h"
#include "dp/product/chooser.h"
#include "dp/product/optimum/optimum.h"

/* ---- the problem ---- */

void og_arms_problem_clear(og_arms_problem *problem)
{
    og_arms_free(problem->arms);
    og_groups_clear(&problem->instances);
}

static og_status take_bonuses(og_arms_problem *problem, const og_arms_problem_options *options,
                              og_message *message)
{
    if (options->bonus != NULL && options->bonus_count != problem->instances.group_count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--price has %" PRId32 " prices for %" PRId32
                              " INSTANCE words; give one for all or one for each",
                              options->bonus_count, problem->instances.group_count);
    }
    if (options->bonus == NULL) {
        return OG_OK;
    }
    og_groups with;
    og_groups_init(&with, problem->instances.budget);
    with.objective = problem->instances.objective;
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < problem->instances.group_count; i++) {
        og_group group = *og_groups_at(&problem->instances, i);
        group.bonus = options->bonus[i];
        status = og_groups_add(&with, &group, message);
    }
    og_groups_clear(&problem->instances);
    problem->instances = with;
    return status;
}

/* With more labels, tables of all of them take minutes and gigabytes; the bound without them is
 * then within some millionths of the others. */
enum { SHORT_BOUNDS_FROM = 10000 };

void og_take_off_exactly(int32_t labels, og_fraction each, mpq_t value)
{
    mpq_t all, count;
    mpq_inits(all, count, NULL);
    mpq_set_si(count, labels, 1);
    og_fraction_get_mpq(all, each);
    mpq_mul(all, all, count);
    mpq_sub(value, value, all);
    mpq_clears(all, count, NULL);
}

void og_take_off(int32_t labels, og_fraction each, double *value, double *error)
{
    mpq_t exact;
    mpq_init(exact);
    mpq_set_d(exact, *value);
    og_take_off_exactly(labels, each, exact);
    *value = og_nearest(exact);
    *error += fabs(*value) * 0x1p-52;
    mpq_clear(exact);
}

og_status og_arms_problem_open(const og_problem_text *given, const og_arms_problem_options *options,
                               const og_settings *settings, og_arms_problem *out,
                               og_message *message)
{
    og_problem_text with_payoffs = *given;
    with_payoffs.payoffs = true;
    *out = (og_arms_problem){.whole_budget = given->budget, .history = given->history};
    OG_TRY(og_problem_text_instances(&with_payoffs, &out->instances, message));
    if (given->objective != NULL && strcmp(given->objective, "bandit") == 0) {
        out->instances.objective = OG_OBJECTIVE_BANDIT;
    } else if (given->instances != NULL) {
        out->instances.objective = given->instances->objective;
    }
    OG_TRY(og_arms_problem_take_payoffs(out, &options->calls, message));
    OG_TRY(take_bonuses(out, options, message));
    OG_TRY(og_history_apply(given->history, &out->instances, message));
    OG_TRY(og_arms_problem_take_values(out, given->reward, settings, message));
    OG_TRY(og_arms_problem_take_offset(out, settings, options->may_stop ? NULL : given->warning,
                                       message));
    bool brief = options->short_bounds && settings->joint_end == 0 &&
                 out->instances.budget > SHORT_BOUNDS_FROM && og_bound_short_fits(&out->instances);
    return options->without_arms || brief
               ? OG_OK
               : og_arms_new(&out->instances, settings, &out->arms, message);
}

og_status og_arms_problem_check_history(const og_arms_problem *problem, const og_policy_name *name,
                                        og_message *message)
{
    return problem->whole_budget == problem->instances.budget || !og_policy_name_recalls(name)
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "policy '%.64s' does not support %s, because it depends on all "
                                "labels since the start; omit it",
                                name->name,
                                og_history_count(problem->history) > 0 ? "--history" : "--left");
}

static bool is_rational(const og_groups *instances)
{
    bool whole = true;
    for (int32_t i = 0; i < instances->group_count; i++) {
        const og_group *group = og_groups_at(instances, i);
        bool always =
            group->payoff.kind == OG_WORTH_SQUARED || group->payoff.kind == OG_WORTH_VALUES;
        whole = whole && group->payoff.kind != OG_WORTH_LOG && (always || og_group_is_whole(group));
    }
    return whole || instances->objective == OG_OBJECTIVE_BANDIT;
}

/* The most that all calls can be worth. */
static double most_of(const og_groups *instances)
{
    double most = 0, least, best;
    for (int32_t i = 0; i < instances->group_count; i++) {
        const og_group *group = og_groups_at(instances, i);
        if (group->kind == OG_PRIOR_NODES) {
            og_node_table_range(group->nodes, instances->budget, &least, &best);
        } else {
            best = og_payoff_best(&group->payoff);
        }
        most += (double)group->count * best;
    }
    return most;
}

void og_arms_problem_sizes(const og_arms_problem *problem, og_problem_size *out)
{
    *out = (og_problem_size){
        .budget = problem->whole_budget,
        .left = problem->instances.budget,
        .decisions = og_groups_size(&problem->instances),
        .acts = problem->arms != NULL ? problem->arms->group_count : problem->instances.group_count,
        .rational = is_rational(&problem->instances),
        .losses = problem->offset.num > 0,
        .most = most_of(&problem->instances),
        .metric = {.unit = problem->paid ? "payoff" : "correct calls", .amount = problem->paid}};
}

/* ---- bounds ---- */

og_status og_bound_less(const og_arms *arms, og_fraction each, const og_bound_use *use,
                        og_upper_bound *out, og_message *message)
{
    OG_TRY(og_bound_of_arms(arms, use, out, NULL, message));
    if (!isfinite(out->value)) {
        return OG_OK; /* not requested, or not supported in this build */
    }
    double rounding = 0;
    og_take_off(arms->budget, each, &out->value, &rounding);
    out->value += rounding;
    out->error += 2 * rounding;
    return OG_OK;
}

/* ---- acts ---- */

int32_t og_arms_problem_acts(const void *problem, og_act_open *open, int32_t room)
{
    const og_arms_problem *given = problem;
    int32_t count = given->arms->group_count < room ? given->arms->group_count : room;
    for (int32_t i = 0; i < count; i++) {
        open[i] = (og_act_open){{{(uint32_t)i}}, given->arms->group_size[i]};
    }
    return count;
}

void og_arms_problem_act_text(const void *problem, og_act act, char *text, size_t size)
{
    const og_arms_problem *given = problem;
    og_group one = *og_groups_at(&given->instances, act.part[0]);
    one.count = 1;
    og_group_format(&one, text, size);
}

og_document *og_arms_problem_put_act(const void *problem, og_act act, og_document *array)
{
    const og_arms_problem *given = problem;
    return og_put_instance(array, og_groups_at(&given->instances, act.part[0]), "posterior");
}

bool og_arms_problem_alike(const void *problem, og_act x, og_act y)
{
    const og_arms_problem *given = problem;
    og_state_group of_x = {given->arms->arm_of_group[x.part[0]], 0, 1};
    og_state_group of_y = {given->arms->arm_of_group[y.part[0]], 0, 1};
    return og_alike(given->arms, &of_x, &of_y);
}

static og_status prior_of(const og_arms *arms, double *value, double *error, mpq_ptr exact,
                          og_message *message)
{
    *value = og_arms_prior_value(arms, error);
    if (exact == NULL) {
        return OG_OK;
    }
    og_status status = og_exact_check(arms, message);
    if (status == OG_OK) {
        og_arms_exact_call(arms, exact);
        *value = og_nearest_quotient(mpq_numref(exact), mpq_denref(exact));
        *error = fabs(*value) * 0x1p-53;
    }
    return status;
}

/* If no arms were built, arms with no labels give the value. */
og_status og_arms_problem_prior(const void *problem, double *value, double *error, mpq_ptr exact,
                                og_message *message)
{
    const og_arms_problem *given = problem;
    og_arms *arms = NULL;
    if (given->arms != NULL) {
        return prior_of(given->arms, value, error, exact, message);
    }
    og_groups unlabelled = given->instances;
    const og_settings any = og_stop_limits(1, UINT64_MAX, NULL);
    unlabelled.budget = 0;
    OG_TRY(og_arms_new(&unlabelled, &any, &arms, message));
    og_status status = prior_of(arms, value, error, exact, message);
    og_arms_free(arms);
    return status;
}

/* ---- policies ---- */

static void ranks_free(void *self)
{
    og_ranks_free(self);
}

static uint64_t ranks_tolerance_ties(void *self)
{
    return og_ranks_tolerance_ties(self);
}

og_strategy og_strategy_of_ranks(og_ranks *ranks)
{
    return (og_strategy){
        .self = ranks, .ranks = ranks, .tolerance_ties = ranks_tolerance_ties, .free = ranks_free};
}

/* ---- values ---- */

typedef struct {
    const og_arms_problem *problem;
    og_value_asked question;
    og_settings settings;
    og_optimum *optimum; /* NULL until needed */
} valued;

static og_status need_optimum(valued *v, og_message *message)
{
    return v->optimum != NULL
               ? OG_OK
               : og_optimum_new(v->problem->arms, &v->settings, &v->optimum, message);
}

static og_ranks_play play_of(const valued *v)
{
    return (og_ranks_play){v->problem->arms, v->question.by->ranks, v->question.ties};
}

/* True for a policy that may leave labels over: the offset is then taken off each label that it
 * uses, and not off all. */
static bool may_leave_labels(const valued *v)
{
    return v->question.by != NULL && og_ranks_may_stop(v->question.by->ranks);
}

static og_fraction fee_of(const valued *v)
{
    return v->problem->fee.num == 0 && may_leave_labels(v) ? v->problem->offset : v->problem->fee;
}

static og_status exact_value(const valued *v, og_value_found *out, og_message *message)
{
    const og_arms *arms = v->problem->arms;
    if (v->question.by != NULL) {
        const og_ranks_play play = play_of(v);
        const og_play_worth worth = {.fee = fee_of(v)};
        return worth.fee.num != 0
                   ? og_exact_policy_value_of(&play, &worth, &v->settings, out, message)
                   : og_exact_policy_value(&play, &v->settings, out->value, out->gain, &out->result,
                                           message);
    }
    og_exact *exact = NULL;
    og_status status = og_exact_new(arms, &v->settings, &exact, message);
    OG_THEN(status, og_exact_value(exact, out->value, out->gain, &out->result, message));
    og_exact_free(exact);
    return status;
}

/* Labels of a policy, which are unknown for ties that look at values and over a limit. */
static og_status count_labels(const valued *v, og_value_found *out, og_message *message)
{
    const og_ranks_play play = play_of(v);
    og_message ignored = {""};
    double labels, error;
    og_value_found found;
    mpq_t exact, value;
    og_status status;
    if (og_ties_by_value(play.ties)) {
        return OG_OK;
    }
    mpq_inits(exact, value, NULL);
    if (!v->question.fractions || !og_ranks_may_stop(play.ranks)) {
        status = og_policy_labels(&play, &v->settings, &labels, &error, &ignored);
        mpq_set_d(exact,
                  status == OG_OK ? labels : 0); /* if fractions are wanted, a whole number */
    } else {
        found = (og_value_found){.value = value, .gain = exact};
        status = og_exact_policy_value_of(&play, &(og_play_worth){.labels = true}, &v->settings,
                                          &found, &ignored);
        labels = og_nearest(exact);
        error = labels * 0x1p-53;
    }
    if (status == OG_OK) {
        out->labels = (og_labels_paid){.known = true,
                                       .exact = out->labels_exact != NULL,
                                       .least = labels,
                                       .most = labels,
                                       .error = error};
    }
    if (out->labels.exact) {
        mpq_set(out->labels_exact, exact);
    }
    if (status == OG_OK && out->law != NULL) {
        status = og_policy_labels_law(&play, &v->settings, out->law, &ignored);
        out->law_known = status == OG_OK;
    }
    mpq_clears(exact, value, NULL);
    return status == OG_OK || status == OG_STOPPED || status == OG_NO_MEMORY
               ? OG_OK
               : og_message_set(message, status, "%s", ignored.text);
}

/* Takes the offset of all labels off a value and its gain. */
static void take_off_value(const og_arms_problem *problem, bool fractions, og_value_found *out)
{
    const int32_t labels = problem->arms->budget;
    og_result *found = &out->result;
    if (fractions) {
        og_take_off_exactly(labels, problem->offset, out->value);
        og_take_off_exactly(labels, problem->offset, out->gain);
        found->value = og_nearest(out->value);
        found->gain = og_nearest(out->gain);
        found->error_bound = fmax(fabs(found->value), fabs(found->gain)) * 0x1p-53;
        return;
    }
    double error = 0;
    og_take_off(labels, problem->offset, &found->value, &found->error_bound);
    og_take_off(labels, problem->offset, &found->gain, &error);
    found->error_bound += error;
}

static og_status value(void *self, og_value_found *out, og_message *message)
{
    valued *v = self;
    const og_strategy *by = v->question.by;
    og_status status = OG_OK;
    out->called_value = NAN;
    if (v->question.fractions) {
        status = exact_value(v, out, message);
    } else if (by != NULL && fee_of(v).num != 0) {
        const og_ranks_play play = play_of(v);
        const og_play_worth worth = {.fee = fee_of(v)};
        status = og_policy_value_of(&play, &worth, &v->settings, &out->result, message);
    } else if (by != NULL) {
        status = og_optimum_policy(v->problem->arms, by->ranks, v->question.ties, &v->settings,
                                   &out->result, message);
    } else {
        status = need_optimum(v, message);
        OG_THEN(status, og_optimum_value(v->optimum, &out->result, message));
    }
    if (status == OG_OK && by != NULL && v->question.labels) {
        status = count_labels(v, out, message);
    }
    out->tolerance_ties = by != NULL ? og_ranks_tolerance_ties(by->ranks) : 0;
    if (status == OG_OK && v->problem->offset.num > 0 && !may_leave_labels(v)) {
        take_off_value(v->problem, v->question.fractions, out);
    }
    return status;
}

/* Acts and actions both list all groups in the same order. */
static og_status q(void *self, const og_act_open *open, int32_t count, double *out, double *error,
                   og_message *message)
{
    valued *v = self;
    (void)open;
    og_status status = need_optimum(v, message);
    OG_THEN(status, og_optimum_q(v->optimum, out, error, message));
    for (int32_t i = 0; status == OG_OK && v->problem->offset.num > 0 && i < count; i++) {
        og_take_off(v->problem->arms->budget, v->problem->offset, &out[i], &error[i]);
    }
    return status;
}

static og_status q_exact(void *self, const og_act_open *open, int32_t count, mpq_t *out,
                         og_message *message)
{
    const valued *v = self;
    og_exact *exact = NULL;
    (void)open;
    og_status status = og_exact_new(v->problem->arms, &v->settings, &exact, message);
    OG_THEN(status, og_exact_q(exact, out, message));
    for (int32_t i = 0; status == OG_OK && v->problem->offset.num > 0 && i < count; i++) {
        og_take_off_exactly(v->problem->arms->budget, v->problem->offset, out[i]);
    }
    og_exact_free(exact);
    return status;
}

static og_status picks(void *self, const og_act_open *open, int32_t count, bool *pick,
                       double *index, og_message *message)
{
    const valued *v = self;
    (void)index; /* ranks have the order only */
    const og_arms *arms = v->problem->arms;
    const og_ranks *ranks = v->question.by->ranks;
    og_state_group *group = calloc((size_t)count + 1, sizeof *group);
    double *weight = calloc((size_t)count + 1, sizeof *weight);
    og_status status = group == NULL || weight == NULL ? OG_NO_MEMORY : OG_OK;
    const int32_t groups = count < arms->group_count ? count : arms->group_count;
    for (int32_t i = 0; status == OG_OK && i < groups; i++) {
        group[i] = (og_state_group){arms->arm_of_group[open[i].act.part[0]], 0, open[i].copies};
    }
    if (status == OG_OK) { /* an act after those of the groups is to stop */
        og_state state = {arms->budget, v->problem->whole_budget, groups, group};
        status = og_ranks_choose(ranks, &state, OG_TIES_RANDOM, weight);
        if (status != OG_OK) {
            og_ranks_failure(ranks, message);
        }
    }
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        pick[i] = weight[i] > 0;
    }
    if (status == OG_OK && count == groups) {
        pick[count] = weight[count] > 0;
    }
    free(group);
    free(weight);
    return status;
}

static void valued_free(void *self)
{
    valued *v = self;
    og_optimum_free(v->optimum);
    free(v);
}

og_status og_arms_problem_solve(const void *problem, const og_value_asked *question,
                                const og_settings *settings, og_solution *out, og_message *message)
{
    if (question->fractions && settings->engine == OG_ENGINE_BLOCKS) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--engine blocks does not support --arithmetic exact; omit one of them");
    }
    if (question->fractions && settings->scratch != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--scratch does not support --arithmetic exact; omit one of them");
    }
    valued *v = calloc(1, sizeof *v);
    OG_TRY(OG_ALLOCATED(v));
    *v = (valued){.problem = problem, .question = *question, .settings = *settings};
    *out = (og_solution){
        .self = v, .value = value, .q = q, .q_exact = q_exact, .picks = picks, .free = valued_free};
    return OG_OK;
}

/* ---- labels that would have a price ---- */

og_fraction og_arms_problem_least_reward(const void *problem, og_fraction price)
{
    og_fraction offset = ((const og_arms_problem *)problem)->offset;
    return offset.num == 0 ? price
                           : og_fraction_make(price.num * offset.den + offset.num * price.den,
                                              price.den * offset.den);
}

og_status og_arms_problem_priced_gain(const void *problem, og_fraction price,
                                      const og_priced_use *use, mpq_t low, mpq_t high,
                                      og_message *message)
{
    og_arms_problem other = *(const og_arms_problem *)problem;
    const og_value_asked question = {.reductions = use->settings->reductions,
                                     .fractions = use->fractions};
    const og_fraction stays = og_arms_problem_least_reward(problem, price);
    other.offset = (og_fraction){0, 1};
    og_solution solution = {.self = NULL};
    mpq_t value, earned;
    mpq_inits(value, earned, NULL);
    og_value_found found = {.called_value = NAN,
                            .value = use->fractions ? value : NULL,
                            .gain = use->fractions ? low : NULL};
    og_status status = og_arms_plus_standard(other.arms, stays, &other.arms);
    if (status == OG_OK) {
        status = og_arms_problem_solve(&other, &question, use->settings, &solution, message);
        OG_THEN(status, solution.value(solution.self, &found, message));
        og_solution_free(&solution);
        og_fraction_get_mpq(earned, stays);
        mpq_set_si(value, other.arms->budget, 1);
        mpq_mul(earned, earned, value);
        og_arms_with_standard_free(other.arms);
    }
    if (status == OG_OK) {
        *use->states += found.result.expanded;
        if (!use->fractions) {
            mpq_set_d(low, found.result.gain);
        }
        mpq_sub(low, low, earned);
        mpq_set(high, low);
        mpq_set_d(earned, use->fractions ? 0 : found.result.error_bound);
        mpq_sub(low, low, earned);
        mpq_add(high, high, earned);
    }
    mpq_clears(value, earned, NULL);
    return status;
}

double og_arms_problem_reward_most(const void *problem)
{
    const og_arms_problem *given = problem;
    double most = 0;
    for (int32_t a = 0; a < given->arms->arm_count; a++) {
        const og_arm *arm = given->arms->arm[a];
        for (uint32_t node = 0; node < arm->level[given->arms->budget]; node++) {
            most = fmax(most, arm->reward[node] * (1 + arm->reward_error));
        }
    }
    return most;
}
