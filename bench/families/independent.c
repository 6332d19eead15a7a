/*
 * Independent instances, the product of arms, as a family: the first row of the table. Values come
 * from dp/product, from dp/exact where fractions are asked for.
 */
#include "bench/families/independent.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/describe.h"
#include "bench/history.h"
#include "bench/posterior.h"
#include "bench/simulation/index_cost.h"
#include "bench/simulation/sources.h"
#include "dp/base/rational.h"
#include "dp/exact/exact.h"
#include "dp/exact/settle.h"
#include "dp/product/chooser.h"
#include "dp/product/optimum/optimum.h"

typedef struct {
    og_groups instances;
    int32_t whole_budget;
    double index_seconds;
    og_arms *arms;
    const char *history; /* borrowed */
    bool paid;           /* calls have payoffs, not 1 if they are right */
} independent;

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    independent *of = problem;
    if (of != NULL) {
        og_arms_free(of->arms);
        og_groups_clear(&of->instances);
    }
    free(of);
}

/* Of all instances, given once, but for those that have their own. */
static og_status take_payoff(const og_given *given, og_groups *instances, og_message *message)
{
    const og_independent_options *options = given->options;
    if (options == NULL || !options->payoff.given) {
        return OG_OK;
    }
    if (instances->objective == OG_OBJECTIVE_BANDIT) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--payoff is about calls, and the objective bandit makes none");
    }
    for (int32_t i = 0; i < instances->group_count; i++) {
        if (instances->groups[i].kind == OG_PRIOR_DIRICHLET) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--payoff is about two classes, positive and negative; of more, "
                                  "the right call is worth 1");
        }
        if (!instances->groups[i].payoff.given) {
            instances->groups[i].payoff = options->payoff;
        }
    }
    return OG_OK;
}

static og_status open_problem(const og_given *given, const og_settings *settings, void **problem,
                              og_message *message)
{
    independent *of = calloc(1, sizeof *of);
    if (of == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    of->whole_budget = given->budget;
    of->history = given->history;
    of->index_seconds = given->index_seconds;
    og_given paid = *given;
    paid.payoffs = true;
    og_status status = og_given_instances(&paid, &of->instances, message);
    if (given->objective != NULL && strcmp(given->objective, "bandit") == 0) {
        of->instances.objective = OG_OBJECTIVE_BANDIT;
    } else if (given->instances != NULL) {
        of->instances.objective = given->instances->objective;
    }
    OG_THEN(status, take_payoff(given, &of->instances, message));
    OG_THEN(status, og_history_apply(given->history, &of->instances, message));
    for (int32_t i = 0; status == OG_OK && i < of->instances.group_count; i++) {
        of->paid = of->paid || of->instances.groups[i].payoff.given;
    }
    if (status == OG_OK) {
        status = og_arms_new_for(&of->instances, settings, &of->arms, message);
    }
    return OG_MADE(status, of, close_problem, problem);
}

static bool is_rational(const og_groups *instances)
{
    bool whole = true;
    for (int32_t i = 0; i < instances->group_count; i++) {
        whole = whole && og_group_is_whole(&instances->groups[i]);
    }
    return whole || instances->objective == OG_OBJECTIVE_BANDIT;
}

/* The most that all calls can be worth: right ones are worth no less than wrong ones. */
static double most_of(const independent *of)
{
    double most = 0;
    for (int32_t i = 0; i < of->instances.group_count; i++) {
        const og_group *group = &of->instances.groups[i];
        most += (double)group->count *
                fmax(og_payoff_worth(&group->payoff, 0, 0), og_payoff_worth(&group->payoff, 1, 1));
    }
    return most;
}

static void sizes(const void *problem, og_sizes *out)
{
    const independent *of = problem;
    bool bandit = of->instances.objective == OG_OBJECTIVE_BANDIT;
    *out = (og_sizes){.budget = of->whole_budget,
                      .left = of->instances.budget,
                      .decisions = bandit ? of->whole_budget : og_groups_size(&of->instances),
                      .acts = of->instances.group_count,
                      .rational = is_rational(&of->instances),
                      .most = most_of(of),
                      .metric = {.unit = bandit     ? "positive labels"
                                         : of->paid ? "payoff"
                                                    : "correct calls",
                                 .amount = of->paid}};
}

static const char *policies(const void *problem)
{
    (void)problem;
    return "uniform,kg,opt-kg,gittins-fh,gittins-inf";
}

static void describe(const void *problem, og_document *document)
{
    const independent *of = problem;
    og_document *object = og_describe_problem(document, &of->instances, "Labels");
    og_history_describe(of->history, document, object);
}

static const og_arms *arms_of(const void *problem)
{
    const independent *of = problem;
    return of->arms;
}

/* ---- what can be done ---- */

static int32_t acts(const void *problem, og_open *open, int32_t room)
{
    const independent *of = problem;
    int32_t count = of->arms->group_count < room ? of->arms->group_count : room;
    for (int32_t i = 0; i < count; i++) {
        open[i] = (og_open){{{(uint32_t)i}}, of->arms->group_size[i]};
    }
    return count;
}

static void act_text(const void *problem, og_act act, char *text, size_t size)
{
    const independent *of = problem;
    og_group one = of->instances.groups[act.part[0]];
    one.count = 1;
    og_group_format(&one, text, size);
}

static og_document *put_act(const void *problem, og_act act, og_document *array)
{
    const independent *of = problem;
    return og_put_instance(array, &of->instances.groups[act.part[0]], "posterior");
}

static bool alike(const void *problem, og_act x, og_act y)
{
    const independent *of = problem;
    og_state_group of_x = {of->arms->arm_of_group[x.part[0]], 0, 1};
    og_state_group of_y = {of->arms->arm_of_group[y.part[0]], 0, 1};
    return og_alike(of->arms, &of_x, &of_y);
}

static og_status prior(const void *problem, double *value, double *error, mpq_ptr exact,
                       og_message *message)
{
    const independent *of = problem;
    *value = og_arms_call(of->arms, error);
    if (exact == NULL) {
        return OG_OK;
    }
    og_status status = og_exact_check(of->arms, message);
    if (status == OG_OK) {
        og_arms_exact_call(of->arms, exact);
        *value = og_nearest_quotient(mpq_numref(exact), mpq_denref(exact));
        *error = fabs(*value) * 0x1p-53;
    }
    return status;
}

/* ---- policies ---- */

typedef struct {
    const og_policy_name *name;
    const og_policy_use *use;
} making;

/* The ranks of the problem with fewer labels, for how long they take. */
static og_status make_smaller(void *user, const og_arms *arms, bool *by_left, og_message *message)
{
    const making *of = user;
    og_policy_use use = *of->use;
    og_ranks *ranks = NULL;
    use.whole_budget = arms->budget;
    og_status status = og_policy_name_ranks_for(of->name, arms, &use, &ranks, message);
    *by_left = status == OG_OK && ranks->by_left;
    og_ranks_free(ranks);
    return status;
}

static void ranks_free(void *self)
{
    og_ranks_free(self);
}

static uint64_t ranks_tolerance_ties(void *self)
{
    return og_ranks_tolerance_ties(self);
}

static og_status strategy(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message)
{
    const independent *of = problem;
    making made = {name, use};
    og_index_cost cost = {.problem = &of->instances,
                          .threads = use->threads,
                          .memory_bytes = use->memory_bytes,
                          .seconds_max = of->index_seconds,
                          .make = make_smaller,
                          .user = &made};
    og_ranks *ranks = NULL;
    og_status status =
        og_policy_name_roots(name, use) ? OG_OK : og_index_cost_check(&cost, of->arms, message);
    if (status == OG_OK) {
        status = og_policy_name_ranks_for(name, of->arms, use, &ranks, message);
    }
    if (status == OG_OK) {
        *out = (og_strategy){.self = ranks,
                             .ranks = ranks,
                             .tolerance_ties = ranks_tolerance_ties,
                             .free = ranks_free};
    }
    return status;
}

/* ---- values ---- */

typedef struct {
    const independent *of;
    og_question question;
    og_settings settings;
    og_optimum *optimum; /* NULL: not needed yet */
} valued;

static og_status need_optimum(valued *v, og_message *message)
{
    return v->optimum != NULL ? OG_OK
                              : og_optimum_new(v->of->arms, &v->settings, &v->optimum, message);
}

static og_status exact_value(const valued *v, og_found *out, og_message *message)
{
    const og_arms *arms = v->of->arms;
    if (v->question.by != NULL) {
        return og_exact_policy_value(arms, v->question.by->ranks, v->question.ties, &v->settings,
                                     out->value, out->gain, &out->result, message);
    }
    og_exact *exact = NULL;
    og_status status = og_exact_new(arms, &v->settings, &exact, message);
    if (status == OG_OK) {
        status = og_exact_value(exact, out->value, out->gain, &out->result, message);
    }
    og_exact_free(exact);
    return status;
}

static og_status value(void *self, og_found *out, og_message *message)
{
    valued *v = self;
    const og_strategy *by = v->question.by;
    og_status status = OG_OK;
    out->called_value = NAN;
    if (v->question.fractions) {
        status = exact_value(v, out, message);
    } else if (by != NULL) {
        status = og_optimum_policy(v->of->arms, by->ranks, v->question.ties, &v->settings,
                                   &out->result, message);
    } else {
        status = need_optimum(v, message);
        if (status == OG_OK) {
            status = og_optimum_value(v->optimum, &out->result, message);
        }
    }
    out->tolerance_ties = by != NULL ? og_ranks_tolerance_ties(by->ranks) : 0;
    return status;
}

/* Both are of all groups, in their order: acts() lists them so. */
static og_status q(void *self, const og_open *open, int32_t count, double *out, double *error,
                   og_message *message)
{
    valued *v = self;
    (void)open;
    (void)count;
    og_status status = need_optimum(v, message);
    return status == OG_OK ? og_optimum_q(v->optimum, out, error, message) : status;
}

static og_status q_exact(void *self, const og_open *open, int32_t count, mpq_t *out,
                         og_message *message)
{
    const valued *v = self;
    og_exact *exact = NULL;
    (void)open;
    (void)count;
    og_status status = og_exact_new(v->of->arms, &v->settings, &exact, message);
    if (status == OG_OK) {
        status = og_exact_q(exact, out, message);
    }
    og_exact_free(exact);
    return status;
}

static og_status picks(void *self, const og_open *open, int32_t count, bool *pick,
                       og_message *message)
{
    const valued *v = self;
    const og_arms *arms = v->of->arms;
    const og_ranks *ranks = v->question.by->ranks;
    og_state_group *group = calloc((size_t)count + 1, sizeof *group);
    double *weight = calloc((size_t)count + 1, sizeof *weight);
    og_status status = group == NULL || weight == NULL ? OG_NO_MEMORY : OG_OK;
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        group[i] = (og_state_group){arms->arm_of_group[open[i].act.part[0]], 0, open[i].copies};
    }
    if (status == OG_OK) {
        og_state state = {arms->budget, v->of->whole_budget, count, group};
        status = og_ranks_choose(ranks, &state, OG_TIES_RANDOM, weight);
        if (status != OG_OK) {
            og_ranks_failure(ranks, message);
        }
    }
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        pick[i] = weight[i] > 0;
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

static og_status solve(const void *problem, const og_question *question,
                       const og_settings *settings, og_solution *out, og_message *message)
{
    if (question->fractions && settings->engine == OG_ENGINE_BLOCKS) {
        return og_message_set(message, OG_BAD_INPUT,
                              "blocks know no fractions: leave --arithmetic exact or --engine "
                              "blocks out");
    }
    if (question->fractions && settings->scratch != NULL) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "blocks know no fractions: leave --arithmetic exact or --scratch out");
    }
    valued *v = calloc(1, sizeof *v);
    if (v == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    *v = (valued){.of = problem, .question = *question, .settings = *settings};
    *out = (og_solution){
        .self = v, .value = value, .q = q, .q_exact = q_exact, .picks = picks, .free = valued_free};
    return OG_OK;
}

static og_status check_checkpoint(const void *problem, const og_settings *settings,
                                  og_message *message)
{
    og_solver *solver = NULL;
    OG_TRY(og_optimum_check(settings, message));
    if (access(settings->checkpoint, F_OK) != 0 || settings->engine == OG_ENGINE_BLOCKS) {
        return OG_OK; /* blocks look at theirs before they begin, which takes a moment */
    }
    og_status status = og_solver_new(arms_of(problem), settings, &solver, message);
    og_solver_free(solver);
    return status;
}

/* ---- state by state ---- */

static og_status steps(const void *problem, const og_steps_use *use, og_steps *out,
                       og_message *message)
{
    return og_steps_of_arms(arms_of(problem), use, out, message);
}

static void step_text(const void *problem, og_act act, char *text, size_t size)
{
    og_posterior_format(arms_of(problem)->arm[act.part[0]], act.part[1], text, size);
}

static void state_text(const void *problem, const void *state, char *text, size_t size)
{
    const og_state *of = state;
    og_text out = og_text_begin(text, size);
    for (int32_t i = 0; i < of->count; i++) {
        char words[OG_GROUP_TEXT_BYTES + 32];
        const og_state_group *group = &of->group[i];
        og_posterior_format(arms_of(problem)->arm[group->arm], group->node, words, sizeof words);
        og_text_add(&out, "%s", i > 0 ? "   " : "");
        if (group->copies > 1) {
            og_text_add(&out, "%" PRId64 "x", group->copies);
        }
        og_text_add(&out, "%s", words);
    }
}

static void answer_text(const void *problem, og_act act, int32_t answer, char *text, size_t size)
{
    og_label_format(arms_of(problem)->arm[act.part[0]], answer, text, size);
}

/* The posterior as it would be given to `query`; a mixture has no such words: its weights have
 * changed, so it stays what it was, and its labels are told beside it. */
static og_document *put_step(const void *problem, og_act act, int64_t copies, og_document *array)
{
    const og_arm *arm = arms_of(problem)->arm[act.part[0]];
    int32_t counts[OG_CLASSES_MAX];
    og_group now = og_posterior_group(arm, act.part[1]);
    now.count = copies;
    og_arm_counts(arm, act.part[1], counts);
    og_document *object =
        og_put_instance(array, &now, now.kind == OG_PRIOR_MIXTURE ? "prior" : "posterior");
    og_document *labels = og_put_array(object, "labels");
    int32_t outcomes = now.kind == OG_PRIOR_DIRICHLET ? now.part_count : 2;
    for (int32_t k = 0; k < outcomes; k++) {
        og_put_whole(labels, NULL, (uint64_t)counts[k]);
    }
    return object;
}

/* "positive", "class 2"; "-" where there is nothing to call. */
static void put_call(og_document *row, const og_arm *arm, uint32_t node)
{
    char label[16];
    if (!og_arm_has_calls(arm)) {
        og_put_null(row, "call");
    } else if (arm->lattice) {
        og_put_text(row, "call", og_arm_positive(arm, node) ? "positive" : "negative");
    } else {
        og_label_format(arm, og_arm_called(arm, node), label, sizeof label);
        og_show_cell(row, "call", "class %s", label);
    }
}

static void show_state(const void *problem, const void *state, og_document *document)
{
    const og_state *now = state;
    og_document *rows = og_show_rows(document);
    for (int32_t i = 0; i < now->count; i++) {
        const og_arm *arm = arms_of(problem)->arm[now->group[i].arm];
        uint32_t node = now->group[i].node;
        og_document *row = og_put_object(rows, NULL);
        char words[OG_GROUP_TEXT_BYTES];
        int32_t counts[OG_CLASSES_MAX];
        og_posterior_format(arm, node, words, sizeof words);
        og_arm_counts(arm, node, counts);
        og_put_whole(row, "instance", (uint64_t)i + 1);
        og_put_text(row, "posterior", words);
        for (int32_t k = 0; k < arm->outcome_count; k++) {
            char label[16];
            og_label_format(arm, k, label, sizeof label);
            og_show_cell(row, "labels", "%s%" PRId32 "%s%s", k > 0 ? "  " : "", counts[k],
                         arm->outcome_count == 2 ? "" : " of class ", label);
        }
        put_call(row, arm, node);
    }
    og_document *table = og_show_table(document, rows);
    og_show_column(table, "instance", 'r', "instance", OG_SHOW_PLAIN);
    og_show_column(table, "posterior", 'l', "posterior", OG_SHOW_PLAIN);
    og_show_column(table, "call now", 'l', "call", OG_SHOW_PLAIN);
    og_show_column(table, "labels so far", 'l', "labels", OG_SHOW_PLAIN);
}

/* ---- bounds and runs ---- */

static og_status bound(const void *problem, int32_t which, const og_settings *settings,
                       const og_exact_bound *least, og_upper_bound *out, og_exact_bound *exact,
                       og_message *message)
{
    return og_bound_of_arms(arms_of(problem), which, settings, least, out, exact, message);
}

static og_source source(const void *problem, const og_truth *truth)
{
    const independent *of = problem;
    return og_source_independent(&of->instances, truth);
}

const og_family og_family_independent = {
    .name = "independent",
    .problems = "independent instances",
    .objectives = "calls bandit",
    .acts_name = "instances",
    .act_name = "instance",
    .options = &og_independent_option_set,
    .acts_between = " ",
    .budget_name = "Labels",
    .history = "1+ 2-",
    .bounds = og_bounds_of_arms,
    .open = open_problem,
    .close = close_problem,
    .sizes = sizes,
    .policies = policies,
    .describe = describe,
    .acts = acts,
    .act_text = act_text,
    .put_act = put_act,
    .alike = alike,
    .prior = prior,
    .strategy = strategy,
    .solve = solve,
    .bound = bound,
    .source = source,
    .steps = steps,
    .state_text = state_text,
    .step_text = step_text,
    .answer_text = answer_text,
    .put_step = put_step,
    .show_state = show_state,
    .arms = arms_of,
    .check_checkpoint = check_checkpoint,
};
