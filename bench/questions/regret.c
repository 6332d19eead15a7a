/*
 * Regret over a list of priors. Invariant: every row belongs to one strategy, made for its belief
 * and evaluated under every prior of the list.
 */
#include "bench/questions/regret.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/questions/compare_job.h"
#include "bench/truth_grid.h"
#include "dp/base/rational.h"
#include "dp/base/ties.h"
#include "dp/prior/tails.h"
#include "dp/product/characteristics.h"

static const uint64_t usual_states = 20000000;

typedef struct {
    const og_asked *asked;
    og_regret *out;
    og_message *message;
    const og_arms *arms; /* of the problem */
    og_problem_size sizes;
    og_stop *stop;
} finding;

static og_settings settings_of(const finding *regret, uint64_t states)
{
    og_settings settings = og_stop_settings(&regret->asked->request.settings, regret->stop);
    settings.checkpoint = NULL;
    settings.states_max = states == OG_STATES_USUAL ? usual_states : states;
    return settings;
}

static bool is_limit(og_status status)
{
    return status == OG_STOPPED || status == OG_NO_MEMORY;
}

/* ---- the list ---- */

static og_status take_prior(void *user, const char *text, og_message *message)
{
    finding *regret = user;
    og_regret *out = regret->out;
    for (int32_t i = 0; i < out->prior_count; i++) {
        if (strcmp(out->text[i], text) == 0) {
            return OG_OK;
        }
    }
    if (out->prior_count == OG_REGRET_PRIORS_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--priors supports at most %d priors; give fewer",
                              (int)OG_REGRET_PRIORS_MAX);
    }
    OG_TRY(og_belief_parse(text, &out->prior[out->prior_count], message));
    out->text[out->prior_count] = og_arena_copy(&out->arena, text, strlen(text) + 1, 1);
    OG_TRY(OG_ALLOCATED(out->text[out->prior_count]));
    out->prior_count++;
    return OG_OK;
}

static og_status read_priors(finding *regret)
{
    og_regret *out = regret->out;
    out->prior = og_arena_array(&out->arena, OG_REGRET_PRIORS_MAX, sizeof *out->prior);
    out->text = og_arena_array(&out->arena, OG_REGRET_PRIORS_MAX, sizeof *out->text);
    out->optimal = og_arena_array(&out->arena, OG_REGRET_PRIORS_MAX, sizeof *out->optimal);
    out->error = og_arena_array(&out->arena, OG_REGRET_PRIORS_MAX, sizeof *out->error);
    char *words = og_arena_copy(&out->arena, regret->asked->request.priors,
                                strlen(regret->asked->request.priors) + 1, 1);
    if (words == NULL || out->arena.failed) {
        return OG_NO_MEMORY;
    }
    char *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        OG_TRY(og_belief_points(word, take_prior, regret, regret->message));
    }
    return out->prior_count > 0
               ? OG_OK
               : og_message_set(regret->message, OG_BAD_INPUT,
                                "--priors must be one or more A,B with blanks between, such as "
                                "'1,1 2,1', or ranges such as 1:3,1:3");
}

static og_status no_fractions(const finding *regret, int32_t prior)
{
    return og_message_set(
        regret->message, OG_BAD_INPUT,
        "--arithmetic exact supports only short whole numbers in --priors, not %s",
        regret->out->text[prior]);
}

static bool is_bandit(const finding *regret)
{
    return !og_arm_has_calls(regret->arms->arm[0]);
}

static og_status check_group(const finding *regret, const og_group *group)
{
    if (group->kind == OG_PRIOR_DIRICHLET) {
        return og_message_set(regret->message, OG_BAD_INPUT,
                              "--priors does not support several classes; omit it");
    }
    for (int32_t i = 0; i < regret->out->prior_count; i++) {
        og_group real = regret->out->prior[i];
        real.threshold = group->threshold;
        OG_TRY(og_group_check(&real, regret->sizes.left, regret->message));
        if (regret->asked->request.exact && !is_bandit(regret) &&
            !og_beta_tails_are_exact(&real, regret->sizes.left)) {
            return no_fractions(regret, i);
        }
    }
    return OG_OK;
}

static og_status check(const finding *regret)
{
    if (is_bandit(regret) && regret->asked->request.minimax) {
        return og_message_set(regret->message, OG_BAD_INPUT,
                              "--minimax does not support --problem bandit; omit it");
    }
    for (int32_t a = 0; a < regret->arms->arm_count; a++) {
        if (og_arm_prior(regret->arms->arm[a])->payoff.given) {
            return og_message_set(regret->message, OG_BAD_INPUT,
                                  "--priors does not support --payoff; omit it");
        }
    }
    for (int32_t i = 0; i < regret->asked->request.ties_count; i++) {
        og_ties ties = regret->asked->request.ties[i];
        if (og_ties_by_value(ties)) {
            return og_message_set(regret->message, OG_BAD_INPUT,
                                  "--priors supports only --ties random and first, not '%s'",
                                  og_ties_name(ties));
        }
    }
    for (int32_t g = 0; g < regret->out->groups.group_count; g++) {
        OG_TRY(check_group(regret, &regret->out->groups.groups[g]));
    }
    return OG_OK;
}

/* ---- values ---- */

/* Open the problem with this prior for all instances; -1: the given problem. The caller closes
 * it. */
static og_status open_with(const finding *regret, int32_t prior, void **problem,
                           og_message *message)
{
    const og_regret *out = regret->out;
    const og_settings settings = settings_of(regret, 0);
    og_groups groups = {.budget = regret->sizes.left, .group_count = out->groups.group_count};
    groups.groups = calloc((size_t)groups.group_count + 1, sizeof *groups.groups);
    OG_TRY(OG_ALLOCATED(groups.groups));
    for (int32_t g = 0; g < groups.group_count; g++) {
        const og_group *from = &out->groups.groups[g];
        groups.groups[g] = *from;
        if (prior >= 0) {
            groups.groups[g] = (og_group){.a = out->prior[prior].a,
                                          .b = out->prior[prior].b,
                                          .threshold = from->threshold,
                                          .count = from->count};
        }
    }
    const og_problem_text given = {.instances = &groups,
                                   .budget = regret->sizes.left,
                                   .left = regret->sizes.left,
                                   .objective = is_bandit(regret) ? "bandit" : NULL};
    og_status status = og_family_open(regret->asked->family, &given, &settings, problem, message);
    og_groups_clear(&groups);
    return status;
}

/* The value of the problem with this prior for all instances; fractions go into `found`. */
static og_status value_of(const finding *regret, const void *problem, int32_t prior,
                          og_value_found *found)
{
    const og_family *family = regret->asked->family;
    og_settings settings = settings_of(regret, regret->asked->request.optimum_states_max);
    settings.stop_when_full =
        true; /* one of many: recomputing evicted states would take too long */
    const og_question question = {.reductions = settings.reductions,
                                  .fractions = regret->asked->request.exact};
    og_solution solution = {.self = NULL};
    og_problem_size sizes;
    family->sizes(problem, &sizes);
    if (regret->asked->request.exact && !sizes.rational) {
        return no_fractions(regret, prior);
    }
    og_status status = family->solve(problem, &question, &settings, &solution, regret->message);
    OG_THEN(status, solution.value(solution.self, found, regret->message));
    og_solution_free(&solution);
    return status;
}

static og_status find_optimum(const finding *regret, int32_t prior)
{
    og_value_found found = {.result = {0}};
    void *problem = NULL;
    mpq_t gain;
    mpq_init(gain);
    if (regret->asked->request.exact) {
        found.value = regret->out->optimal_exact[prior];
        found.gain = gain;
    }
    og_status status = open_with(regret, prior, &problem, regret->message);
    OG_THEN(status, value_of(regret, problem, prior, &found));
    regret->asked->family->close(problem);
    mpq_clear(gain);
    regret->out->optimal[prior] = found.result.value;
    regret->out->error[prior] = found.result.error_bound;
    return status;
}

static og_status find_optima(const finding *regret)
{
    if (regret->asked->request.exact) {
        regret->out->optimal_exact =
            og_arena_fractions(&regret->out->arena, (size_t)regret->out->prior_count);
        if (regret->out->arena.failed) {
            return OG_NO_MEMORY;
        }
    }
    for (int32_t i = 0; i < regret->out->prior_count; i++) {
        regret->message->text[0] = '\0';
        og_status status = find_optimum(regret, i);
        if (is_limit(status)) {
            char why[200];
            snprintf(why, sizeof why, "%.180s", og_message_words(regret->message, status));
            return og_message_set(regret->message, status,
                                  "the optimal value with the prior %s was not found: %s",
                                  regret->out->text[i], why);
        }
        OG_TRY(status);
    }
    return OG_OK;
}

/* ---- rows ---- */

/* Set a regret. No policy exceeds the optimum, so a negative regret is rounding, or an error. */
static og_status take_regret(const finding *work, const og_characteristics *found,
                             og_regret_row *row, int32_t prior)
{
    const og_regret *out = work->out;
    double regret = out->optimal[prior] - found->mean;
    bool wrong;
    if (work->asked->request.exact) {
        mpq_ptr exact = row->regret_exact[prior];
        mpq_sub(exact, out->optimal_exact[prior], found->moment[0]);
        regret = og_nearest(exact);
        row->error[prior] = 0x1p-53 * fabs(regret);
        wrong = mpq_sgn(exact) < 0;
    } else {
        row->error[prior] = out->error[prior] + found->mean_error + 0x1p-52 * out->optimal[prior];
        wrong = regret < -row->error[prior];
    }
    row->regret[prior] = fmax(regret, 0);
    return wrong ? og_message_set(&row->message, OG_FAILED,
                                  "the results contradict each other (a regret of %.17g at %s): "
                                  "please report this",
                                  regret, out->text[prior])
                 : OG_OK;
}

static og_status follow(const finding *regret, const void *believed, const og_strategy *by,
                        og_regret_row *row, int32_t prior)
{
    const og_regret *out = regret->out;
    og_truth_law_run *run = calloc((size_t)out->groups.group_count + 1, sizeof *run);
    og_characteristics found = {.instances = 0};
    OG_TRY(OG_ALLOCATED(run));
    for (int32_t g = 0; g < out->groups.group_count; g++) {
        run[g] = (og_truth_law_run){
            g, out->groups.groups[g].count, {.a = out->prior[prior].a, .b = out->prior[prior].b}};
    }
    const og_characteristics_question question = {
        .arms = regret->asked->family->arms(believed),
        .ranks = by->ranks,
        .ties = row->ties,
        .run = run,
        .run_count = out->groups.group_count,
        .exact = regret->asked->request.exact,
        .settings = settings_of(regret, regret->asked->request.policy_states_max)};
    og_status status = og_characteristics_find(&question, &found, &row->message);
    free(run);
    OG_THEN(status, take_regret(regret, &found, row, prior));
    og_characteristics_clear(&found);
    return status;
}

/* The optimal policy is the one that looks ahead over all labels. */
static og_status name_of(const finding *regret, int32_t policy, og_policy_name *out,
                         og_message *message)
{
    char name[32] = "uniform"; /* without labels */
    if (policy >= 0) {
        *out = regret->asked->policies[policy];
        return OG_OK;
    }
    if (regret->sizes.left > 0) {
        snprintf(name, sizeof name, "lookahead:%" PRId32, regret->sizes.left);
    }
    return og_policy_name_parse(name, out, message);
}

static int compare_regrets(const og_regret_row *x, int32_t i, const og_regret_row *y, int32_t j)
{
    return x->regret_exact != NULL ? mpq_cmp(x->regret_exact[i], y->regret_exact[j])
                                   : (x->regret[i] > y->regret[j]) - (x->regret[i] < y->regret[j]);
}

static og_status find_row(const finding *regret, const void *believed, og_regret_row *row)
{
    const og_settings *settings = &regret->asked->request.settings;
    const og_policy_use use = {.whole_budget = regret->sizes.budget,
                               .threads = settings->threads,
                               .memory_bytes = settings->memory_bytes / 2,
                               .stop = regret->stop};
    og_strategy by = {.self = NULL};
    og_policy_name name;
    if (og_stop_look(regret->stop) !=
        OG_LIMIT_NONE) { /* otherwise each row would work until its first check */
        return OG_STOPPED;
    }
    og_status status = name_of(regret, row->policy, &name, &row->message);
    if (status == OG_OK && !og_policy_row_at((size_t)name.kind)->valued_exactly) {
        return og_message_set(&row->message, OG_STOPPED, "the policy has no exact value");
    }
    OG_THEN(status, regret->asked->family->strategy(believed, &name, &use, &by, &row->message));
    for (int32_t i = 0; status == OG_OK && i < regret->out->prior_count; i++) {
        status = follow(regret, believed, &by, row, i);
        row->worst = compare_regrets(row, i, row, row->worst) > 0 ? i : row->worst;
    }
    og_strategy_free(&by);
    return status;
}

static og_status note_status(const finding *regret, og_status status, og_regret_row *row)
{
    row->status = status;
    if (status == OG_OK) {
        row->message.text[0] = '\0';
        return OG_OK;
    }
    if (row->message.text[0] == '\0') {
        og_message_set(&row->message, status, "%s",
                       og_stop_limit(regret->stop) == OG_LIMIT_TIME ? "time limit"
                                                                    : og_status_text(status));
    }
    /* A lack of memory is an error: otherwise the rows would depend on the machine. */
    if (status == OG_STOPPED) {
        return OG_OK;
    }
    *regret->message = row->message;
    return status;
}

/* The rows of one belief: the optimal policy, then the given policies. */
static og_status find_believers(const finding *regret, int32_t belief, og_regret_row *row)
{
    const og_asked *asked = regret->asked;
    size_t priors = (size_t)regret->out->prior_count;
    void *problem = NULL;
    int32_t count = 1 + asked->policy_count * asked->request.ties_count;
    og_status status = open_with(regret, belief, &problem, regret->message);
    og_stop_tell(regret->stop, belief < 0 ? "as believed" : regret->out->text[belief], 0);
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        row[i] = (og_regret_row){
            .policy = i == 0 ? -1 : (i - 1) / asked->request.ties_count,
            .ties =
                i == 0 ? OG_TIES_RANDOM : asked->request.ties[(i - 1) % asked->request.ties_count],
            .belief = belief,
            .regret = og_arena_array(&regret->out->arena, priors, sizeof(double)),
            .error = og_arena_array(&regret->out->arena, priors, sizeof(double))};
        row[i].regret_exact =
            asked->request.exact ? og_arena_fractions(&regret->out->arena, priors) : NULL;
        status = regret->out->arena.failed
                     ? OG_NO_MEMORY
                     : note_status(regret, find_row(regret, problem, &row[i]), &row[i]);
        regret->out->row_count += status == OG_OK;
    }
    asked->family->close(problem);
    return status;
}

/* True if all instances of the problem have this prior: then one belief fewer is needed. */
static bool is_given(const og_regret *out, int32_t prior)
{
    for (int32_t g = 0; g < out->groups.group_count; g++) {
        const og_group *group = &out->groups.groups[g];
        if (group->kind != OG_PRIOR_BETA ||
            og_fraction_compare(group->a, out->prior[prior].a) != 0 ||
            og_fraction_compare(group->b, out->prior[prior].b) != 0) {
            return false;
        }
    }
    return true;
}

/* Rows with a result come first, in order of their largest regret; other rows keep their order. */
static bool goes_before(const og_regret_row *x, const og_regret_row *y)
{
    bool known = x->status == OG_OK, other = y->status == OG_OK;
    return known != other ? known : known && compare_regrets(x, x->worst, y, y->worst) < 0;
}

static void sort_rows(const og_regret *found)
{
    for (int32_t i = 0; i < found->row_count; i++) {
        int32_t at = i;
        for (; at > 0 && goes_before(&found->rows[i], found->order[at - 1]); at--) {
            found->order[at] = found->order[at - 1];
        }
        found->order[at] = &found->rows[i];
    }
}

static og_status find_rows(const finding *regret)
{
    og_regret *out = regret->out;
    size_t each =
        1 + (size_t)regret->asked->policy_count * (size_t)regret->asked->request.ties_count;
    out->rows =
        og_arena_array(&out->arena, each * ((size_t)out->prior_count + 1), sizeof *out->rows);
    out->order =
        og_arena_array(&out->arena, each * ((size_t)out->prior_count + 1), sizeof *out->order);
    if (og_arena_status(&out->arena) != OG_OK) {
        return OG_NO_MEMORY;
    }
    for (int32_t i = -1; i < out->prior_count; i++) {
        if (i < 0 || !is_given(out, i)) {
            OG_TRY(find_believers(regret, i, &out->rows[out->row_count]));
        }
    }
    sort_rows(out);
    return OG_OK;
}

/* ---- the least largest regret ---- */

static int32_t collect_classes(const og_groups *groups, og_fraction *threshold, int64_t *count)
{
    int32_t classes = 0;
    for (int32_t g = 0; g < groups->group_count; g++) {
        int32_t c = 0;
        while (c < classes && og_fraction_compare(threshold[c], groups->groups[g].threshold) != 0) {
            c++;
        }
        threshold[c] = groups->groups[g].threshold;
        count[c] = (c == classes ? 0 : count[c]) + groups->groups[g].count;
        classes += c == classes;
    }
    return classes;
}

static og_status find_minimax(const finding *regret)
{
    og_regret *out = regret->out;
    size_t groups = (size_t)out->groups.group_count;
    og_fraction *threshold = og_arena_array(&out->arena, groups + 1, sizeof *threshold);
    int64_t *count = og_arena_array(&out->arena, groups + 1, sizeof *count);
    if (out->arena.failed) {
        return OG_NO_MEMORY;
    }
    const og_minimax_question question = {
        .prior = out->prior,
        .prior_count = out->prior_count,
        .threshold = threshold,
        .count = count,
        .class_count = collect_classes(&out->groups, threshold, count),
        .budget = regret->sizes.left,
        .optimal = out->optimal,
        .optimal_error = out->error,
        .settings = settings_of(regret, regret->asked->request.optimum_states_max)};
    og_stop_tell(regret->stop, "least largest regret", 0);
    og_status status = og_minimax_find(&question, &out->minimax, &out->minimax_message);
    og_message_complete(&out->minimax_message, status);
    if (status == OG_STOPPED || status == OG_OK) {
        return OG_OK;
    }
    *regret->message = out->minimax_message;
    return status;
}

og_status og_regret_find(const og_asked *asked, og_regret *out, og_message *message)
{
    og_message ignored = {""};
    og_stop stop = og_stop_for(og_stop_of(&asked->request.settings), asked->request.seconds_max);
    *out = (og_regret){.prior_count = 0};
    finding regret = {.asked = asked,
                      .out = out,
                      .message = message != NULL ? message : &ignored,
                      .arms =
                          asked->family->arms != NULL ? asked->family->arms(asked->problem) : NULL,
                      .stop = &stop};
    if (regret.arms == NULL || og_arms_have_actions(regret.arms)) {
        return og_family_lacks(asked->family, "--priors", message);
    }
    regret.sizes = asked->sizes;
    OG_TRY(read_priors(&regret));
    OG_TRY(og_compare_groups(regret.arms, &out->groups));
    OG_TRY(check(&regret));
    OG_TRY(find_optima(&regret));
    OG_TRY(find_rows(&regret));
    og_status status = asked->request.minimax ? find_minimax(&regret) : OG_OK;
    out->stopped = og_stop_status(&stop) != OG_OK;
    return status;
}

void og_regret_clear(og_regret *regret)
{
    og_minimax_free(regret->minimax);
    og_groups_clear(&regret->groups);
    og_arena_clear(&regret->arena);
    *regret = (og_regret){.prior_count = 0};
}
