/*
 * Values of policies that choose labelers. Under a prior a value is the mean over its hypotheses,
 * which fix the accuracies.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/families/labelers/problem.h"
#include "dp/base/clock.h"
#include "dp/base/rational.h"
#include "dp/engine/strategy.h"

/* ---- supported policies ---- */

og_status labelers_check_way(const labelers *problem, og_labelers_way way, og_message *message)
{
    bool known = problem->options->unknown == NULL;
    bool ls_ol = way == OG_LABELERS_BY_LS_OL || way == OG_LABELERS_BY_LS_OL_WEIGHTED;
    if (way == OG_LABELERS_BY_BEST_SET && !known) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy 'best-set' does not support --accuracy-prior; see the bound "
                              "'told', which is its value");
    }
    if (way == OG_LABELERS_BY_BAYES_VOTE && known) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "policy 'bayes-vote' requires --accuracy-prior; with given accuracies, "
            "--votes weighted is the best vote");
    }
    if (problem->played && way == OG_LABELERS_BY_GREEDY) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy 'greedy' does not support --truth and more than %d labelers; "
                              "with given accuracies it is best-set",
                              OG_LABELERS_EXACT_MAX);
    }
    bool learns = way == OG_LABELERS_BY_BAYES_VOTE || way == OG_LABELERS_BY_GREEDY;
    if (learns && !known && problem->options->contexts == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "greedy and bayes-vote do not support --contexts unit, because "
                              "accuracies change between contexts");
    }
    if (problem->had > 0 && ls_ol) {
        return og_message_set(message, OG_BAD_INPUT,
                              "ls-ol and ls-ol-weighted do not support --history; omit it");
    }
    return OG_OK;
}

og_ls_ol labelers_algorithm(const labelers *problem, og_labelers_way way)
{
    return (og_ls_ol){.explore = {problem->options->explore[0], problem->options->explore[1]},
                      .budget = problem->left,
                      .cells = problem->options->contexts == 0 ? problem->options->cells : 0,
                      .weighted =
                          problem->options->weighted || way == OG_LABELERS_BY_LS_OL_WEIGHTED};
}

/* ---- in doubles ---- */

static double cost_of(const og_labelers *at, uint32_t members)
{
    double cost = 0;
    for (int32_t i = 0; i < at->count; i++) {
        cost += (members >> i & 1) != 0 ? og_fraction_double(at->cost[i]) : 0;
    }
    return cost;
}

static uint32_t everybody_of(const labelers *problem)
{
    return (UINT32_C(1) << problem->given.count) - 1;
}

/* The value of LS_OL, the mean over the hypotheses; with only one, its exploration too. */
static og_status ls_ol_worth(const labelers *problem, og_labelers_way way, og_stop *stop,
                             labelers_worth *out, og_message *message)
{
    const og_ls_ol by = labelers_algorithm(problem, way);
    for (int32_t h = 0; h < problem->prior->hypotheses; h++) {
        OG_TRY(og_ls_ol_run(&problem->prior->at[h], &by, problem->memory_bytes, stop, &out->ls_ol,
                            message));
        out->right += problem->game->weight[h] * out->ls_ol.right;
        out->cost += problem->game->weight[h] * out->ls_ol.cost;
        out->error = fmax(out->error, out->ls_ol.error);
    }
    out->scheduled = true;
    return OG_OK;
}

/* The value of asking one set for every task. */
static og_status set_worth(const labelers *problem, uint32_t members, labelers_worth *out)
{
    for (int32_t h = 0; h < problem->prior->hypotheses; h++) {
        const og_labelers *at = &problem->prior->at[h];
        og_votes votes;
        OG_TRY(og_votes_make(at, &votes));
        double right = votes.majority[members];
        if (problem->options->weighted) {
            OG_TRY(og_votes_weighted(at, at, members, &right));
        }
        out->right += problem->left * problem->game->weight[h] * right;
    }
    out->cost = problem->left * cost_of(&problem->given, members);
    return OG_OK;
}

static og_status find_worth(const labelers *problem, og_labelers_way way, og_stop *stop,
                            labelers_worth *out, og_message *message)
{
    uint32_t best =
        problem->game->choice[og_labelers_greedy(problem->game, problem->game->weight)].members;
    switch (way) {
    case OG_LABELERS_BY_LS_OL:
    case OG_LABELERS_BY_LS_OL_WEIGHTED:
        OG_TRY(ls_ol_worth(problem, way, stop, out, message));
        break;
    case OG_LABELERS_BY_BAYES_VOTE:
        OG_TRY(og_labelers_any_rule(problem->game, stop, &out->right, message));
        out->cost = problem->left * cost_of(&problem->given, everybody_of(problem));
        break;
    case OG_LABELERS_BY_EVERYBODY:
        OG_TRY(set_worth(problem, everybody_of(problem), out));
        break;
    case OG_LABELERS_BY_BEST_SET:
    case OG_LABELERS_BY_GREEDY: /* with given accuracies */
        OG_TRY(set_worth(problem, best, out));
        break;
    }
    double price = og_fraction_double(problem->options->price);
    out->value = out->right - price * out->cost;
    out->error = (out->error + problem->game->error) * (out->right + price * out->cost);
    return OG_OK;
}

/* ---- in fractions ---- */

static void add_cost(const og_labelers *at, uint32_t members, mpq_t cost)
{
    mpq_t one;
    mpq_init(one);
    for (int32_t i = 0; i < at->count; i++) {
        if ((members >> i & 1) != 0) {
            og_fraction_get_mpq(one, at->cost[i]);
            mpq_add(cost, cost, one);
        }
    }
    mpq_clear(one);
}

static void times(mpq_t value, int32_t count)
{
    mpq_t factor;
    mpq_init(factor);
    mpq_set_si(factor, count, 1);
    mpq_mul(value, value, factor);
    mpq_clear(factor);
}

static og_status ls_ol_exact(const labelers *problem, og_labelers_way way, og_stop *stop,
                             labelers_worth *out, og_message *message)
{
    const og_ls_ol by = labelers_algorithm(problem, way);
    size_t sets = (size_t)1 << problem->given.count;
    og_arena local = {0};
    mpq_t *mean = og_arena_fractions(&local, 2), *set = og_arena_fractions(&local, sets);
    og_status status = og_arena_status(&local);
    for (int32_t h = 0; status == OG_OK && h < problem->prior->hypotheses; h++) {
        og_ls_ol_exact found = {.right = mean[0], .cost = mean[1], .set = set};
        status = og_ls_ol_run_exact(&problem->prior->at[h], &by, problem->memory_bytes, stop,
                                    &found, message);
        out->ls_ol = found.rounded;
        for (int k = 0; status == OG_OK && k < 2; k++) { /* the weights are those of the prior */
            mpq_mul(mean[k], mean[k], problem->prior->exact[h]);
            mpq_add(out->exact[LABELERS_RIGHT + k], out->exact[LABELERS_RIGHT + k], mean[k]);
        }
    }
    for (size_t x = 0; status == OG_OK && x < sets; x++) {
        mpq_set(out->exact[LABELERS_SETS_LAW + x], set[x]);
    }
    out->scheduled = true;
    og_arena_clear(&local);
    return status;
}

/* The value of one set in fractions: the game with this set as its only choice. */
static og_status set_exact(const labelers *problem, uint32_t members, labelers_worth *out)
{
    og_arena local = {0};
    mpq_t *majority = og_arena_fractions(&local, OG_LABELERS_SETS);
    og_status status = og_arena_status(&local);
    for (int32_t h = 0; status == OG_OK && h < problem->prior->hypotheses; h++) {
        const og_labelers *at = &problem->prior->at[h];
        status = problem->options->weighted
                     ? og_votes_weighted_exact(at, at, members, majority[members])
                     : og_votes_make_exact(at, majority, NULL, NULL, NULL);
        mpq_mul(majority[members], majority[members], problem->prior->exact[h]);
        mpq_add(out->exact[LABELERS_RIGHT], out->exact[LABELERS_RIGHT], majority[members]);
    }
    add_cost(&problem->given, members, out->exact[LABELERS_COST]);
    times(out->exact[LABELERS_RIGHT], problem->left);
    times(out->exact[LABELERS_COST], problem->left);
    og_arena_clear(&local);
    return status;
}

static og_status greedy_exact(const labelers *problem, og_stop *stop, labelers_worth *out,
                              og_message *message)
{
    mpq_ptr right = out->exact[LABELERS_RIGHT], cost = out->exact[LABELERS_COST];
    mpq_ptr paid = out->exact[LABELERS_VALUE];
    OG_TRY(og_labelers_value_exact(problem->game, OG_LABELERS_GREEDY, stop, right, message));
    OG_TRY(og_labelers_value_exact(problem->game, OG_LABELERS_GREEDY_COST, stop, cost, message));
    og_fraction_get_mpq(paid, problem->options->price);
    mpq_mul(paid, paid, cost);
    mpq_add(right, right, paid);
    return OG_OK;
}

static og_status find_exact(const labelers *problem, og_labelers_way way, og_stop *stop,
                            labelers_worth *out, og_message *message)
{
    uint32_t best =
        problem->game->choice[og_labelers_greedy(problem->game, problem->game->weight)].members;
    mpq_ptr right = out->exact[LABELERS_RIGHT], cost = out->exact[LABELERS_COST];
    if (way == OG_LABELERS_BY_LS_OL || way == OG_LABELERS_BY_LS_OL_WEIGHTED) {
        OG_TRY(ls_ol_exact(problem, way, stop, out, message));
    } else if (way == OG_LABELERS_BY_BAYES_VOTE) {
        OG_TRY(og_labelers_value_exact(problem->game, OG_LABELERS_ANY_RULE, stop, right, message));
        add_cost(&problem->given, everybody_of(problem), cost);
        times(cost, problem->left);
    } else if (way == OG_LABELERS_BY_GREEDY) {
        OG_TRY(greedy_exact(problem, stop, out, message));
    } else {
        OG_TRY(set_exact(problem, way == OG_LABELERS_BY_EVERYBODY ? everybody_of(problem) : best,
                         out));
    }
    mpq_ptr value = out->exact[LABELERS_VALUE];
    og_fraction_get_mpq(value, problem->options->price);
    mpq_mul(value, value, cost);
    mpq_sub(value, right, value);
    out->value = og_nearest(value);
    out->right = og_nearest(right);
    out->cost = og_nearest(cost);
    out->error = fabs(out->value) * 0x1p-53;
    return OG_OK;
}

/* ---- the memo ---- */

og_status labelers_policy_worth(const labelers *problem, og_labelers_way way, bool exact,
                                const og_settings *settings, const labelers_worth **out,
                                og_message *message)
{
    labelers_worth *kept = &problem->worth[(int)way + (exact ? OG_LABELERS_WAYS : 0)];
    og_stop *stop = og_stop_of(settings);
    og_lock_take(problem->lock);
    og_status status = OG_OK;
    if (!kept->known) {
        labelers_worth found = {.known = true, .exact = kept->exact};
        if (exact && found.exact == NULL) {
            size_t numbers = LABELERS_EXACT + ((size_t)1 << problem->given.count);
            found.exact = og_arena_fractions((og_arena *)&problem->arena, numbers);
            status = OG_ALLOCATED(found.exact);
            kept->exact = found.exact;
        }
        for (int k = 0; status == OG_OK && exact && k < LABELERS_EXACT; k++) {
            mpq_set_ui(found.exact[k], 0, 1);
        }
        OG_THEN(status, exact ? find_exact(problem, way, stop, &found, message)
                              : find_worth(problem, way, stop, &found, message));
        if (status == OG_OK) {
            *kept = found;
        }
    }
    og_lock_release(problem->lock);
    *out = kept;
    return status;
}

/* ---- solutions that need no engine ---- */

typedef struct {
    const labelers *problem;
    og_value_asked question;
    og_settings settings;
} valued;

static og_status check_contexts(const labelers *problem, og_message *message)
{
    return problem->options->contexts == 1
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "--contexts supports only 'optgap simulate', because exact values "
                                "need one context; omit it");
}

og_status labelers_model(const void *problem, const og_value_asked *question,
                         const og_settings *settings, og_model *out, og_message *message)
{
    const labelers *own = problem;
    (void)settings;
    OG_TRY(check_contexts(own, message));
    return question->by != NULL && og_labelers_has_way(question->by)
               ? og_labelers_greedy_model(own->game, false, out)
               : og_labelers_model(own->game, question, out);
}

static og_status by_engine(const labelers *problem, const og_value_asked *question,
                           const og_settings *settings, og_solution *out, og_message *message)
{
    return og_family_solve_by_model(&og_family_labelers, problem, question, settings, out, message);
}

static og_status value_greedy(const valued *v, og_value_found *out, og_message *message)
{
    og_solution inner;
    OG_TRY(by_engine(v->problem, &v->question, &v->settings, &inner, message));
    og_status status = inner.value(inner.self, out, message);
    og_solution_free(&inner);
    return status;
}

/* The cost of the votes, over the same states. */
static og_status greedy_cost(const valued *v, double *cost, og_message *message)
{
    og_model model;
    og_solution solution = {.self = NULL};
    og_value_found found;
    *cost = 0;
    if (cost_of(&v->problem->given, everybody_of(v->problem)) == 0) {
        return OG_OK;
    }
    OG_TRY(og_labelers_greedy_model(v->problem->game, true, &model));
    OG_TRY(og_solution_by_engine(&model, &v->question, &v->settings, &solution, message));
    og_status status = solution.value(solution.self, &found, message);
    if (status == OG_OK) {
        *cost = found.result.value;
    }
    og_solution_free(&solution);
    return status;
}

/* Compute greedy's value, then the cost of its votes and so its right labels, for the memo. If a
 * limit stops the second part, the value is kept. */
static og_status find_greedy(const valued *v, og_value_found *out, og_message *message)
{
    const labelers *problem = v->problem;
    double cost = 0;
    OG_TRY(value_greedy(v, out, message));
    og_status status = greedy_cost(v, &cost, message);
    if (status != OG_OK) {
        return status == OG_STOPPED ? OG_OK : status;
    }
    labelers_worth *kept = &problem->worth[OG_LABELERS_BY_GREEDY];
    og_lock_take(problem->lock);
    kept->cost = cost;
    kept->right = out->result.value + og_fraction_double(problem->options->price) * cost;
    kept->known = true;
    og_lock_release(problem->lock);
    return OG_OK;
}

static og_status optimum_exact(const valued *v, og_value_found *out, og_message *message)
{
    return og_labelers_value_exact(v->problem->game, OG_LABELERS_OPTIMUM, og_stop_of(&v->settings),
                                   out->value, message);
}

static og_status value(void *self, og_value_found *out, og_message *message)
{
    const valued *v = self;
    const labelers_worth *worth = NULL;
    const og_strategy *by = v->question.by;
    og_result *result = &out->result;
    double start = og_seconds(), prior = 0, prior_error = 0;
    bool exact = v->question.fractions;
    bool greedy = by != NULL && og_labelers_way_of(by) == OG_LABELERS_BY_GREEDY;
    out->called_value = NAN;
    *result = (og_result){.value = 0};
    if (greedy && !exact) {
        return find_greedy(v, out, message);
    }
    OG_TRY(og_family_prior(&og_family_labelers, v->problem, &prior, &prior_error,
                           exact ? out->gain : NULL, message));
    if (by == NULL) {
        OG_TRY(optimum_exact(v, out, message));
    } else {
        og_labelers_way way = og_labelers_way_of(by);
        OG_TRY(labelers_policy_worth(v->problem, way, exact, &v->settings, &worth, message));
        result->value = worth->value;
        result->error_bound = worth->error + prior_error;
        result->gain = result->value - prior;
    }
    if (exact) {
        if (worth != NULL) {
            mpq_set(out->value, worth->exact[LABELERS_VALUE]);
        }
        mpq_sub(out->gain, out->value, out->gain);
        result->value = og_nearest(out->value);
        result->gain = og_nearest(out->gain);
        result->error_bound = fabs(result->value) * 0x1p-53;
    }
    result->seconds = og_seconds() - start;
    return OG_OK;
}

/* Q as the engine counts it: less the value without votes. */
static og_status q_exact(void *self, const og_act_open *open, int32_t count, mpq_t *q,
                         og_message *message)
{
    const valued *v = self;
    double value, error;
    mpq_t prior;
    mpq_init(prior);
    og_status status =
        og_family_prior(&og_family_labelers, v->problem, &value, &error, prior, message);
    OG_THEN(status, og_labelers_q_exact(v->problem->game, open, count, og_stop_of(&v->settings), q,
                                        message));
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        mpq_sub(q[i], q[i], prior);
    }
    mpq_clear(prior);
    return status;
}

/* The sets that LS_OL may ask for the first task, after the votes on its first tester. */
static og_status first_sets(const labelers *problem, og_labelers_way way, bool *may,
                            og_message *message)
{
    og_ls_ol by = labelers_algorithm(problem, way);
    by.budget = 1;
    for (int32_t h = 0; h < problem->prior->hypotheses; h++) {
        og_ls_ol_value first;
        OG_TRY(og_ls_ol_run(&problem->prior->at[h], &by, problem->memory_bytes, NULL, &first,
                            message));
        for (int x = 0; x < 1 << problem->given.count; x++) {
            may[x] = may[x] || first.set[x] > 0;
        }
    }
    return OG_OK;
}

static og_status picks(void *self, const og_act_open *open, int32_t count, bool *pick,
                       double *index, og_message *message)
{
    const valued *v = self;
    (void)index; /* sets have none */
    const labelers *problem = v->problem;
    og_labelers_way way = og_labelers_way_of(v->question.by);
    int32_t greedy = og_labelers_greedy(problem->game, problem->game->weight);
    bool may[OG_LABELERS_SETS] = {false};
    if (way == OG_LABELERS_BY_LS_OL || way == OG_LABELERS_BY_LS_OL_WEIGHTED) {
        OG_TRY(first_sets(problem, way, may, message));
    } else {
        bool one = way == OG_LABELERS_BY_GREEDY || way == OG_LABELERS_BY_BEST_SET;
        may[one ? problem->game->choice[greedy].members : everybody_of(problem)] = true;
    }
    for (int32_t i = 0; i < count; i++) {
        pick[i] = may[open[i].act.part[0]];
    }
    return OG_OK;
}

static void valued_free(void *self)
{
    free(self);
}

og_status labelers_solve(const void *problem, const og_value_asked *question,
                         const og_settings *settings, og_solution *out, og_message *message)
{
    const labelers *own = problem;
    OG_TRY(check_contexts(own, message));
    bool plain = question->by == NULL || !og_labelers_has_way(question->by);
    if (plain && question->by != NULL && question->fractions) {
        return og_family_lacks(&og_family_labelers, "--arithmetic exact with a policy of your own",
                               message);
    }
    if (plain && !question->fractions) {
        return by_engine(own, question, settings, out, message);
    }
    valued *v = calloc(1, sizeof *v);
    OG_TRY(OG_ALLOCATED(v));
    *v = (valued){.problem = own, .question = *question, .settings = *settings};
    *out = (og_solution){
        .self = v, .value = value, .q_exact = q_exact, .picks = picks, .free = valued_free};
    return OG_OK;
}

/* ---- further results in a comparison ---- */

/* True if the policy weights votes although majorities count: its regret is against the best
 * weighted vote. */
static bool is_weighted_apart(const labelers *problem, og_labelers_way way)
{
    return way == OG_LABELERS_BY_LS_OL_WEIGHTED && problem->options->unknown == NULL;
}

/* The expected cost of each hypothesis's best set; false with a history, which changes the
 * weights. */
static bool best_cost_exact(const labelers *problem, bool weighted, mpq_t out)
{
    mpq_t cost;
    mpq_init(cost);
    mpq_set_ui(out, 0, 1);
    for (int32_t h = 0; h < problem->prior->hypotheses; h++) {
        mpq_set_ui(cost, 0, 1);
        add_cost(&problem->prior->at[h],
                 weighted ? problem->votes.best_weighted : problem->best_set[h], cost);
        mpq_mul(cost, cost, problem->prior->exact[h]);
        mpq_add(out, out, cost);
    }
    mpq_clear(cost);
    return problem->had == 0 || problem->prior->hypotheses == 1;
}

/* Add regrets as fractions, if votes have no price. */
static void put_exact(const labelers *problem, og_labelers_way way, const labelers_worth *worth,
                      og_document *object)
{
    og_arena local = {0};
    mpq_t *q = og_arena_fractions(&local, 2);
    bool apart = is_weighted_apart(problem, way);
    og_status status =
        q == NULL ? OG_NO_MEMORY
        : apart   ? og_votes_make_exact(&problem->given, NULL, NULL, q[0], NULL)
                  : og_labelers_value_exact(problem->game, OG_LABELERS_TOLD, NULL, q[0], NULL);
    if (status == OG_OK && problem->options->price.num == 0) {
        times(q[0], problem->left);
        mpq_sub(q[0], q[0], worth->exact[LABELERS_RIGHT]);
        og_put_fraction(object, "regret_exact", q[0]);
    }
    if (status == OG_OK && best_cost_exact(problem, apart, q[1])) {
        times(q[1], problem->left);
        mpq_sub(q[1], worth->exact[LABELERS_COST], q[1]);
        og_put_fraction(object, "cost_regret_exact", q[1]);
    }
    og_arena_clear(&local);
}

static void put_schedule(const og_ls_ol_value *ls_ol, int32_t count, og_document *object)
{
    static const char *const steps[] = {"exploit", "new", "again"};
    og_document *schedule = og_put_object(object, "schedule");
    for (int k = 0; k < OG_LS_OL_STEPS; k++) {
        og_put_whole(schedule, steps[k], (uint64_t)ls_ol->steps[k]);
    }
    og_put_whole(object, "testers", (uint64_t)ls_ol->testers);
    og_put_whole(object, "labelled", (uint64_t)ls_ol->times);
    og_document *sets = og_put_array(object, "sets");
    for (uint32_t x = 0; x < UINT32_C(1) << count; x++) {
        if (ls_ol->set[x] > 0) {
            og_document *row = og_put_object(sets, NULL);
            og_document *members = og_put_array(row, "set");
            for (int32_t i = 0; i < count; i++) {
                if ((x >> i & 1) != 0) {
                    og_put_whole(members, NULL, (uint64_t)i);
                }
            }
            og_put_number(row, "probability", ls_ol->set[x]);
        }
    }
}

void labelers_put_policy(const void *problem, const og_policy_name *name, bool exact, og_stop *stop,
                         og_document *object)
{
    const labelers *own = problem;
    og_labelers_way way = OG_LABELERS_BY_EVERYBODY;
    (void)stop;
    (void)og_labelers_way_parse(name->name, &way, NULL);
    const labelers_worth *worth = &own->worth[(int)way + (exact ? OG_LABELERS_WAYS : 0)];
    bool apart = is_weighted_apart(own, way);
    double best = apart ? own->votes.weighted : own->best_right;
    double cost = apart ? cost_of(&own->given, own->votes.best_weighted) : own->best_cost;
    if (!worth->known) { /* greedy, whose cost was stopped by a limit */
        og_put_number(object, "regret",
                      own->options->price.num > 0
                          ? NAN
                          : own->left * best -
                                og_document_number(og_document_find(object, "value")));
        og_put_null(object, "cost_regret");
        return;
    }
    og_put_number(object, "regret", own->left * best - worth->right);
    og_put_number(object, "cost_regret", worth->cost - own->left * cost);
    if (exact) {
        put_exact(own, way, worth, object);
    }
    if (worth->scheduled) {
        put_schedule(&worth->ls_ol, own->given.count, object);
    }
}

/* True if a number of some policy differs from 0, or from another of it. */
static bool differs(const og_document *policies, const char *name, const char *other)
{
    const double rounding = 1e-9;
    for (int32_t i = 0; i < og_document_count(policies); i++) {
        const og_document *row = og_document_child(policies, i);
        double value = og_document_number(og_document_find(row, name));
        double from = other != NULL ? og_document_number(og_document_find(row, other)) : 0;
        if (!isnan(value) && !(fabs(value - from) <= rounding * fmax(1, fabs(value)))) {
            return true;
        }
    }
    return false;
}

/* Show regrets, unless they are the gaps. */
void labelers_show_policies(og_document *document, const og_document *policies, bool exact)
{
    bool costs = differs(policies, "cost_regret", NULL);
    if (!costs && !differs(policies, "regret", "gap")) {
        return;
    }
    og_document *table = og_show_table(document, policies);
    og_show_column(table, "policy", 'l', "name", OG_SHOW_PLAIN);
    og_show_column(table, "regret", 'd', "regret", OG_SHOW_VALUE);
    if (costs) {
        og_show_column(table, "cost regret", 'd', "cost_regret", OG_SHOW_VALUE);
    }
    if (exact) {
        og_show_column(table, "regret exactly", 'l', "regret_exact", OG_SHOW_FRACTION);
    }
    og_show_paragraph(document,
                      "Regret: what the best set of each hypothesis, asked from the "
                      "start, is worth more than the policy, in right labels%s.",
                      costs ? " and in costs" : "");
}

/* ---- bounds ---- */

/* The number of tasks after which the bound reveals the accuracies: as many as are solved in a
 * moment. */
static int32_t told_after(const labelers *problem)
{
    const double states_most = 100000;
    const og_labelers_problem *game = problem->game;
    bool left_out[OG_LABELERS_SETS];
    int32_t kinds = 0, tasks = 0;
    double states = 1;
    og_labelers_left_out(game, left_out);
    for (int32_t c = 0; c < game->choices; c++) {
        kinds += left_out[c] ? 0 : game->choice[c].kinds;
    }
    while (kinds > 0 && states <= states_most && tasks < problem->left) {
        tasks++;
        states *= (double)(tasks + kinds) / tasks;
    }
    return tasks;
}

static og_status bound_later(const labelers *problem, const og_settings *settings,
                             og_upper_bound *out, og_message *message)
{
    const og_value_asked optimum = {.reductions = OG_REDUCE_ALL};
    og_labelers_rules rules = problem->game->rules;
    og_labelers_problem *game = NULL;
    og_solution solution = {.self = NULL};
    og_value_found found;
    og_model model;
    rules.budget = told_after(problem);
    if (rules.budget == 0 || rules.budget >= problem->left) {
        return OG_OK;
    }
    OG_TRY(og_labelers_problem_new(problem->prior, &rules, problem->memory_bytes, &game, message));
    og_status status = og_labelers_model(game, &optimum, &model);
    OG_THEN(status, og_solution_by_engine(&model, &optimum, settings, &solution, message));
    OG_THEN(status, solution.value(solution.self, &found, message));
    if (status == OG_OK) {
        double later = problem->left - rules.budget;
        double error = found.result.error_bound + later * game->error * game->scale;
        *out = (og_upper_bound){.value = found.result.value +
                                         later * og_labelers_told(problem->game) + error,
                                .error = error,
                                .converged = true};
    }
    og_solution_free(&solution);
    og_labelers_problem_free(game);
    return status;
}

/* Sums of log odds that are close are not treated as ties here; that would not improve the
 * bound. */
static og_status bound_by_votes(const labelers *problem, const og_settings *settings,
                                og_upper_bound *out, og_message *message)
{
    og_labelers closely = problem->given;
    double right = 0, error = problem->left * problem->game->error;
    closely.eps = 0;
    OG_TRY(og_votes_weighted(&closely, &closely, everybody_of(problem), &right));
    right *= problem->left;
    if (problem->options->unknown != NULL) {
        const labelers_worth *worth = NULL;
        OG_TRY(labelers_policy_worth(problem, OG_LABELERS_BY_BAYES_VOTE, false, settings, &worth,
                                     message));
        right = worth->right;
    }
    *out = (og_upper_bound){.value = right + error, .error = error, .converged = true};
    return OG_OK;
}

static og_status bound_told(const labelers *problem, og_upper_bound *out, og_exact_bound *exact)
{
    double error = problem->left * problem->game->error * problem->game->scale;
    *out = (og_upper_bound){.value = problem->left * og_labelers_told(problem->game) + error,
                            .error = error,
                            .converged = true};
    if (exact == NULL) {
        return OG_OK;
    }
    *exact = (og_exact_bound){.price_count = 0};
    exact->number = og_arena_fractions(&exact->arena, 1);
    og_status status = og_arena_status(&exact->arena);
    OG_THEN(status,
            og_labelers_value_exact(problem->game, OG_LABELERS_TOLD, NULL, exact->number[0], NULL));
    if (status == OG_OK) {
        times(exact->number[0], problem->left);
        double near = og_nearest(exact->number[0]);
        *out = (og_upper_bound){.value = nextafter(near, INFINITY),
                                .error = nextafter(near, INFINITY) - near,
                                .converged = true};
    } else {
        og_exact_bound_clear(exact);
    }
    return status;
}

og_status labelers_bound(const void *problem, const og_bound_use *use, og_upper_bound *out,
                         og_exact_bound *exact, og_message *message)
{
    const labelers *own = problem;
    if (use->which == 0) {
        return bound_told(own, out, exact);
    }
    if (exact != NULL) {
        return OG_OK;
    }
    og_status status = use->which == 1 ? bound_later(own, use->settings, out, message)
                                       : bound_by_votes(own, use->settings, out, message);
    return status == OG_STOPPED ? OG_OK : status; /* too large: no bound */
}
