/* The worth of instances in products of arms: payoffs, tables and functions, and labels that lower
 * it. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/independent/problem.h"
#include "bench/posterior.h"
#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "heuristics/user_policy.h"

/* ---- options ---- */

og_status og_payoff_option(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    og_call_options *calls = og_option_value(options, row);
    *calls = (og_call_options){.table = og_payoff_file(text)};
    return calls->table != NULL ? OG_OK
                                : og_payoff_parse(text, "--payoff", &calls->payoff, message);
}

/* ---- payoffs ---- */

static og_status check_common(const og_payoff *payoff, const og_group *group, og_message *message)
{
    if (group->kind == OG_PRIOR_DIRICHLET && payoff->kind == OG_WORTH_CALLS) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--payoff supports two classes only; with more, a right call is worth 1: omit it");
    }
    if (group->kind != OG_PRIOR_BETA && payoff->kind == OG_WORTH_VALUES) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--payoff table:FILE supports only instances with one Beta prior, "
                              "A,B");
    }
    return OG_OK;
}

/* Gives the payoff to all instances without one; those of a table of nodes have their values. */
static og_status take_common(og_arms_problem *problem, const og_payoff *payoff, og_message *message)
{
    if (payoff->given && problem->instances.objective == OG_OBJECTIVE_BANDIT) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--payoff is about calls, and --problem bandit makes none");
    }
    for (int32_t k = 0; k < problem->instances.kind_count; k++) {
        og_group *group = &problem->instances.kind[k];
        if (payoff->given && group->kind != OG_PRIOR_NODES && !group->payoff.given) {
            OG_TRY(check_common(payoff, group, message));
            group->payoff = *payoff;
            og_worth_values_hold(payoff->values);
        }
        problem->paid = problem->paid || group->payoff.given || group->kind == OG_PRIOR_NODES;
    }
    return OG_OK;
}

og_status og_arms_problem_take_payoffs(og_arms_problem *problem, const og_call_options *calls,
                                       og_message *message)
{
    og_worth_values *values = NULL;
    og_payoff payoff = calls->payoff;
    if (calls->table != NULL) {
        OG_TRY(og_worth_values_read(calls->table, NULL, &values, message));
        payoff = (og_payoff){.given = true, .kind = OG_WORTH_VALUES, .values = values};
    }
    og_status status = take_common(problem, &payoff, message);
    og_worth_values_release(values);
    return status;
}

/* ---- functions ---- */

static og_status check_answer(const og_reward_function *reward, const og_arm *arm, uint32_t node,
                              double value, og_message *message)
{
    char words[OG_GROUP_TEXT_BYTES];
    if (fabs(value) <= OG_WORTH_MOST) {
        return OG_OK;
    }
    og_posterior_format(arm, node, words, sizeof words);
    return isfinite(value)
               ? og_message_set(message, OG_BAD_INPUT,
                                "payoff: the function %.60s returned %g for the posterior %.200s; "
                                "it must lie between -%d and %d",
                                reward->name, value, words, OG_WORTH_MOST, OG_WORTH_MOST)
               : og_message_set(message, OG_BAD_INPUT,
                                "payoff: the function %.60s returned %s for the posterior %.200s",
                                reward->name,
                                isnan(value) ? "nan"
                                : value > 0  ? "inf"
                                             : "-inf",
                                words);
}

static og_status ask_function(const og_reward_function *reward, const og_arm *arm, double *value,
                              og_message *message)
{
    double parameter[OG_POSTERIOR_NUMBERS];
    int32_t labels[OG_CLASSES_MAX];
    for (uint32_t node = 0; node < arm->node_count; node++) {
        const og_plugin_group at = og_user_group(arm, node, 1, parameter, labels);
        value[node] = reward->reward(reward->user, &at);
        OG_TRY(check_answer(reward, arm, node, value[node], message));
    }
    return OG_OK;
}

/* The function's answers at all nodes of an instance of this group. */
static og_status values_of(const og_reward_function *reward, const og_group *group, int32_t number,
                           int32_t labels, const og_settings *settings, og_worth_values **out,
                           og_message *message)
{
    og_arm *arm = NULL;
    og_group one = *group;
    one.bonus = (og_fraction){0, 0};
    OG_TRY(og_arm_new(&one, labels, settings->memory_bytes, &arm, message));
    double *value = calloc(arm->node_count, sizeof *value);
    og_status status = OG_ALLOCATED(value);
    OG_THEN(status, ask_function(reward, arm, value, message));
    OG_THEN(status, og_worth_values_new(reward->name, number, value, arm->node_count, out));
    free(value);
    og_arm_free(arm);
    return status;
}

/* The payoff of an earlier kind with the same prior that is the function; NULL: there is none. */
static const og_worth_values *known_values(const og_groups *instances, const og_group *group,
                                           int32_t before)
{
    og_group plain, other;
    og_group_plain(group, &plain);
    plain.bonus = (og_fraction){0, 0};
    for (int32_t k = 0; k < before; k++) {
        og_group_plain(&instances->kind[k], &other);
        const og_worth_values *values = other.payoff.values;
        other.payoff = (og_payoff){.given = false};
        other.bonus = (og_fraction){0, 0};
        if (values != NULL && values->by_node && og_group_compare(&plain, &other) == 0) {
            return values;
        }
    }
    return NULL;
}

og_status og_arms_problem_take_values(og_arms_problem *problem, const og_reward_function *reward,
                                      const og_settings *settings, og_message *message)
{
    og_groups *instances = &problem->instances;
    if (reward != NULL && instances->objective == OG_OBJECTIVE_BANDIT) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a payoff is about the end, and --problem bandit counts labels");
    }
    for (int32_t k = 0; k < instances->kind_count; k++) {
        og_group *group = &instances->kind[k];
        if (group->payoff.kind == OG_WORTH_VALUES) {
            OG_TRY(og_group_check(group, instances->budget, message));
        }
        if (reward == NULL || group->kind == OG_PRIOR_NODES || group->payoff.given) {
            continue;
        }
        og_worth_values *values = og_worth_values_hold(known_values(instances, group, k));
        if (values == NULL) {
            OG_TRY(values_of(reward, group, k, instances->budget, settings, &values, message));
        }
        group->payoff = (og_payoff){.given = true, .kind = OG_WORTH_VALUES, .values = values};
        problem->paid = true;
    }
    return OG_OK;
}

/* ---- rewards that may be negative ---- */

/* The least multiple of a millionth that is at least -least; 0 if `least` is not negative. */
static og_fraction offset_for(const mpq_t least)
{
    mpz_t millionths;
    mpz_init(millionths);
    mpz_mul_ui(millionths, mpq_numref(least), OG_PAYOFF_MAX);
    mpz_neg(millionths, millionths);
    mpz_cdiv_q(millionths, millionths, mpq_denref(least));
    og_wide count = mpz_sgn(millionths) > 0 ? og_mpz_get_wide(millionths) : 0;
    mpz_clear(millionths);
    return og_fraction_make(count, OG_PAYOFF_MAX);
}

/* True for a loss by which doubles can differ from what was meant. */
static bool is_rounding(const og_groups *instances, const mpq_t least)
{
    double size = 0, low, high;
    for (int32_t k = 0; k < instances->kind_count; k++) {
        const og_group *group = &instances->kind[k];
        if (group->kind == OG_PRIOR_NODES) {
            og_node_table_range(group->nodes, 1, &low, &high);
            size = fmax(size, fmax(fabs(low), fabs(high)));
        } else if (group->payoff.kind == OG_WORTH_VALUES) {
            size = fmax(size, og_payoff_most(&group->payoff, 2));
        }
    }
    return -og_nearest(least) <= 0x1p-48 * size;
}

/* The least reward so far, and where it is. */
typedef struct {
    mpq_t least;  /* of the nodes that the budget reaches */
    mpq_t of_all; /* also of others, at which an index may look */
    char node[OG_GROUP_TEXT_BYTES];
} least_reward;

static og_status look_at_nodes(const og_group *group, int32_t labels, og_stop *stop,
                               least_reward *found)
{
    const char *node = NULL, *ignored = NULL;
    OG_TRY(og_group_least_reward(group, labels, stop, found->least, &node));
    if (node != NULL) {
        snprintf(found->node, sizeof found->node, "%s", node);
    }
    return og_group_least_reward(group, OG_BUDGET_MAX, stop, found->of_all, &ignored);
}

/* Doubles are rounded to nearest: where they are least, so is a fraction. */
static og_status look_at_values(const og_group *group, int32_t labels, const og_settings *settings,
                                least_reward *found, og_message *message)
{
    og_arm *arm = NULL;
    og_group one = *group;
    double least = 0;
    mpq_t reward;
    one.bonus = (og_fraction){0, 0};
    OG_TRY(og_arm_new(&one, labels, settings->memory_bytes, &arm, message));
    for (uint32_t node = 0; node < arm->level[labels]; node++) {
        least = fmin(least, arm->reward[node]);
    }
    mpq_init(reward);
    for (uint32_t node = 0; least < 0 && node < arm->level[labels]; node++) {
        if (arm->reward[node] > least) {
            continue;
        }
        og_arm_exact_reward(arm, node, reward);
        if (mpq_cmp(reward, found->least) < 0) {
            og_group at = og_posterior_group(arm, node);
            at.payoff = (og_payoff){.given = false};
            mpq_set(found->least, reward);
            og_group_format(&at, found->node, sizeof found->node);
        }
    }
    if (mpq_cmp(found->least, found->of_all) < 0) {
        mpq_set(found->of_all, found->least);
    }
    mpq_clear(reward);
    og_arm_free(arm);
    return OG_OK;
}

static void add_offset(og_fraction offset, og_groups *instances)
{
    for (int32_t k = 0; offset.num > 0 && k < instances->kind_count; k++) {
        og_fraction bonus = og_group_bonus(&instances->kind[k]);
        instances->kind[k].bonus = og_fraction_make(bonus.num * offset.den + offset.num * bonus.den,
                                                    bonus.den * offset.den);
    }
}

/* The warning names a node that the labels reach. */
og_status og_arms_problem_take_offset(og_arms_problem *problem, const og_settings *settings,
                                      og_message *warning, og_message *message)
{
    least_reward found = {.node = ""};
    og_groups *instances = &problem->instances;
    og_status status = OG_OK;
    og_message words = {""};
    mpq_inits(found.least, found.of_all, NULL);
    for (int32_t k = 0; status == OG_OK && k < instances->kind_count; k++) {
        const og_group *group = &instances->kind[k];
        if (group->kind == OG_PRIOR_NODES) {
            status = look_at_nodes(group, instances->budget, og_stop_of(settings), &found);
        } else if (group->payoff.kind == OG_WORTH_VALUES) {
            status = look_at_values(group, instances->budget, settings, &found, &words);
        }
    }
    problem->offset = offset_for(found.of_all);
    add_offset(problem->offset, instances);
    if (found.node[0] != '\0' && warning != NULL && !is_rounding(instances, found.least)) {
        (void)og_message_set(warning, OG_OK,
                             "a label can lower this payoff (at %.200s by %.4g); all labels are "
                             "used; --price 0 lets a policy stop",
                             found.node, -og_nearest(found.least));
    }
    mpq_clears(found.least, found.of_all, NULL);
    return status == OG_OK
               ? OG_OK
               : og_message_set(message, status, "%s",
                                words.text[0] != '\0' ? words.text : og_status_text(status));
}
