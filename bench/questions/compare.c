/*
 * The order of a comparison and its shares of time: the optimum, the bounds, the policies. So
 * everything proved before a limit remains valid. bench/questions/compare_check.c checks that the
 * results agree.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/questions/compare_job.h"
#include "dp/base/clock.h"

/* The rest of the time is for the bounds and the policies, which give the bracket if the optimum is
 * not proved. */
static const double share_of_optimum = 0.5;
/* Of the rest, for the bounds; those that take longer come after the policies. */
static const double share_of_bounds = 0.5;

/*
 * The most states of the optimum. If the user limits states or time, or saves a checkpoint, there
 * is no further limit. Otherwise the optimum may expand as many states as memory holds; once states
 * are evicted and must be expanded again, *again_max limits the total. The cost of a state is
 * proportional to the number of labels, so the limit is divided by it: the time is then about the
 * same for any budget.
 */
static uint64_t limit_optimum(const og_compare_job *work, uint64_t *again_max)
{
    const uint64_t most = 20000000, labels = 100, budget = (uint64_t)work->sizes.budget;
    const og_asked *asked = work->asked;
    uint64_t states_max = asked->request.optimum_states_max;
    *again_max = 0;
    if (states_max == OG_STATES_USUAL) {
        bool limited = asked->request.seconds_max > 0 || asked->request.settings.checkpoint != NULL;
        *again_max = limited ? 0 : budget <= labels ? most : most * labels / budget;
        states_max = 0;
    }
    work->out->optimum_states_max = states_max + *again_max;
    return states_max;
}

static og_status solve_optimum(const og_compare_job *work)
{
    og_comparison *out = work->out;
    double now = og_seconds();
    og_stop stop = og_stop_part(work->stop, now + share_of_optimum * (work->stop->end - now));
    og_settings settings = og_stop_settings(&work->asked->request.settings, &stop);
    settings.states_max = limit_optimum(work, &stop.states_max);
    og_status status = OG_STOPPED;
    if (og_stop_look(&stop) != OG_LIMIT_NONE) {
        og_message_set(&out->optimal_message, OG_STOPPED, "the optimum was not begun");
    } else {
        og_value_found found = {.result = {0}};
        if (out->exact) {
            found.value = out->optimal_exact;
            found.gain = out->gain_exact;
        }
        const og_value_asked question = {
            .reductions = settings.reductions, .fractions = out->exact, .labels = true};
        status = og_compare_value_of(work, &question, &settings, &found, &out->optimal_message);
        out->optimal = found.result;
        out->optimal_labels = found.labels;
    }
    out->optimal_status = status;
    if (og_compare_limit_reached(status)) {
        og_limit limit = og_stop_limit(&stop);
        if (limit == OG_LIMIT_STATES) {
            char held[OG_BYTES_TEXT_BYTES];
            og_message_set(&out->optimal_message, status,
                           "memory of %s is full and the limit on states was reached",
                           og_bytes_format(settings.memory_bytes, held));
        }
        bool many = settings.states_max > 0 && out->optimal.expanded > settings.states_max;
        out->optimal_limit = limit != OG_LIMIT_NONE ? limit
                             : work->sizes.unvalued ? OG_LIMIT_SIZE
                             : many                 ? OG_LIMIT_STATES
                                                    : OG_LIMIT_MEMORY;
        return OG_OK;
    }
    return status;
}

/* Refuse a checkpoint that cannot be continued, or that another process uses, before hours are
 * spent on the rest. */
static og_status check_checkpoint(const og_compare_job *work, og_message *message)
{
    const og_settings *settings = &work->asked->request.settings;
    const og_family *family = work->family;
    if (settings->checkpoint == NULL) {
        return OG_OK;
    }
    if (work->out->exact) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--arithmetic exact does not support --checkpoint; omit one of them");
    }
    if (family->model.check_checkpoint == NULL) {
        return og_family_lacks(family, "--checkpoint", message);
    }
    OG_TRY(og_file_lock_take(settings->checkpoint, "checkpoint", work->lock, message));
    og_status status = family->model.check_checkpoint(work->problem, settings, message);
    return og_compare_limit_reached(status) ? OG_OK : status;
}

/* `rest`: those that took longer than their share. */
static og_status find_bounds(const og_compare_job *work, bool rest, og_message *message)
{
    double now = og_seconds(), share = rest || work->out->row_count == 0 ? 1 : share_of_bounds;
    og_stop stop = og_stop_part(work->stop, now + share * (work->stop->end - now));
    const og_settings settings = og_stop_settings(&work->asked->request.settings, &stop);
    og_stop_tell(work->stop, "bounds", 0);
    stop.quiet = true;
    return (rest ? og_bounds_find_rest : og_bounds_find)(work->asked, &settings, &work->out->bounds,
                                                         message);
}

/* Without the optimum, the upper end that the search for it proved is one more bound. */
static void add_margin(og_comparison *out)
{
    const og_result *found = &out->optimal;
    if (out->optimal_status != OG_OK && found->bracketed) {
        double value = out->call + found->upper, error = out->call_error + fabs(value) * 0x1p-52;
        og_bounds_add(&out->bounds, "margin", value + error, error);
    }
}

/* Find the value without any label; refuses problems without fractions, if these are requested. */
static og_status find_prior(const og_compare_job *work, og_message *message)
{
    og_comparison *out = work->out;
    return og_family_prior(work->family, work->problem, &out->call, &out->call_error,
                           out->exact ? out->call_exact : NULL, message);
}

/*
 * Set the most states of a policy: the usual number, or four times the states of the optimum. Forty
 * states in blocks or of a margin cut count as one of the recursion.
 */
static void limit_policies(const og_compare_job *work)
{
    og_comparison *out = work->out;
    const uint64_t usual = 20000000, blocks = 40;
    uint64_t expanded =
        out->optimal.expanded / (out->optimal.by_blocks || out->optimal.by_margin ? blocks : 1);
    if (out->policy_states_max == OG_STATES_USUAL) {
        bool more = out->optimal_status == OG_OK && expanded > usual / 4;
        out->policy_states_max = more ? 4 * expanded : usual;
    }
}

/* Find invalid policies before hours are spent on the optimum, as far as a moment suffices. */
static og_status prepare_for_a_moment(const og_compare_job *work, og_message *message)
{
    const double moment = 0.5, share = 1.0 / 16;
    double now = og_seconds();
    og_compare_prepare(work, now + fmin(moment, share * (work->stop->end - now)));
    return og_compare_preparing_failed(work, message);
}

/* What bounds the optimum if nothing else does. */
static void fill_most(const og_compare_job *work)
{
    const og_problem_size *sizes = &work->sizes;
    work->out->sum = sizes->metric.sum;
    work->out->most = sizes->metric.sum       ? sizes->most
                      : sizes->decisions == 0 ? INFINITY
                      : sizes->metric.amount  ? sizes->most
                                              : (double)sizes->decisions;
}

/* Without tables, only the value of the prior and the most that all calls can be worth are
 * available. */
static og_status run_without_tables(og_compare_job *work, og_message *message)
{
    og_comparison *out = work->out;
    work->stop->end = 0; /* no time is left */
    OG_TRY(find_prior(work, message));
    OG_TRY(solve_optimum(work));
    og_stop_building(&out->optimal_message);
    OG_TRY(og_compare_rows(work, message));
    fill_most(work);
    return og_comparison_conclude(out, message);
}

static og_status run(og_compare_job *work, og_message *message)
{
    if (work->asked->without_tables) {
        return run_without_tables(work, message);
    }
    OG_TRY(og_compare_truth_begin(work, message));
    OG_TRY(check_checkpoint(work, message));
    OG_TRY(find_prior(work, message));
    OG_TRY(prepare_for_a_moment(work, message));
    og_stop_tell(work->stop, "optimum", 0);
    og_status status = solve_optimum(work);
    if (status != OG_OK) {
        *message = work->out->optimal_message;
        return status;
    }
    limit_policies(work);
    OG_TRY(find_bounds(work, false, message));
    OG_TRY(og_compare_rows(work, message));
    OG_TRY(find_bounds(work, true, message));
    add_margin(work->out);
    fill_most(work);
    OG_TRY(og_comparison_conclude(work->out, message));
    OG_TRY(og_compare_find_equal(work, message));
    OG_TRY(og_compare_truth_rows(work, message));
    OG_TRY(og_compare_grid(work, message));
    return work->asked->request.explain ? og_compare_explain(work, message) : OG_OK;
}

static void job_clear(og_compare_job *work)
{
    og_file_lock_release(work->lock);
    og_steps_free(&work->steps[0]);
    og_steps_free(&work->steps[1]);
    for (int32_t i = 0; work->strategy != NULL && i < work->asked->policy_count; i++) {
        og_strategy_free(&work->strategy[i]);
    }
    free(work->strategy);
    free(work->prepared);
    free(work->prepare_message);
    free(work->run);
    if (work->believed != NULL) {
        og_family_close(work->family, work->believed);
    }
}

static void comparison_init_exact(og_comparison *comparison)
{
    comparison->exact = true;
    mpq_inits(comparison->call_exact, comparison->optimal_exact, comparison->gain_exact,
              comparison->informed.exact, NULL);
    for (int32_t i = 0; i < comparison->row_count; i++) {
        og_compare_row *row = &comparison->rows[i];
        mpq_inits(row->value_exact, row->gain_exact, row->gap_exact, row->labels_exact,
                  row->equal.value_exact, row->equal.gap_exact, row->equal.labels_exact, NULL);
    }
}

static void comparison_clear_exact(og_comparison *comparison)
{
    for (int32_t i = 0; i < comparison->row_count; i++) {
        og_compare_row *row = &comparison->rows[i];
        mpq_clears(row->value_exact, row->gain_exact, row->gap_exact, row->labels_exact,
                   row->equal.value_exact, row->equal.gap_exact, row->equal.labels_exact, NULL);
    }
    mpq_clears(comparison->call_exact, comparison->optimal_exact, comparison->gain_exact,
               comparison->informed.exact, NULL);
}

static og_status job_init(og_compare_job *work)
{
    const og_asked *asked = work->asked;
    size_t policies = (size_t)asked->policy_count;
    size_t rows = policies * (size_t)asked->request.ties_count;
    work->strategy = calloc(policies + 1, sizeof *work->strategy);
    work->prepared = calloc(policies + 1, sizeof *work->prepared);
    work->prepare_message = calloc(policies + 1, sizeof *work->prepare_message);
    work->out->rows = calloc(rows + 1, sizeof *work->out->rows);
    if (work->strategy == NULL || work->prepared == NULL || work->prepare_message == NULL ||
        work->out->rows == NULL) {
        return OG_NO_MEMORY;
    }
    for (size_t i = 0; i < policies; i++) {
        work->prepared[i] = OG_STOPPED;
    }
    work->out->row_count = (int32_t)rows;
    if (asked->request.exact) {
        comparison_init_exact(work->out);
    }
    return OG_OK;
}

og_status og_compare_run(const og_asked *asked, const og_compare_under *under, og_comparison *out,
                         og_message *message)
{
    og_comparison result = {0};
    og_message ignored;
    og_stop stop = og_stop_for(og_stop_of(&asked->request.settings), asked->request.seconds_max);
    og_stop making = og_stop_for(&stop, 0);
    og_steps steps[2] = {{.self = NULL}, {.self = NULL}};
    og_file_lock lock = {.path = NULL};
    og_compare_job work = {.asked = asked,
                           .family = asked->family,
                           .problem = asked->problem,
                           .steps = steps,
                           .lock = &lock,
                           .stop = &stop,
                           .making = &making,
                           .out = &result};
    work.family->model.sizes(work.problem, &work.sizes);
    result.under = under != NULL ? *under : (og_compare_under){0};
    result.losses = work.sizes.losses;
    result.policy_states_max = asked->request.policy_states_max;
    for (int32_t i = 0; i < asked->policy_count; i++) {
        work.solvers += og_policy_name_has_solver(&asked->policies[i]);
    }
    if (message == NULL) {
        message = &ignored;
    }
    og_status status = job_init(&work);
    OG_THEN(status, run(&work, message));
    job_clear(&work);
    if (status == OG_OK) {
        *out = result;
    } else {
        og_comparison_clear(&result);
    }
    return status;
}

void og_comparison_clear(og_comparison *comparison)
{
    if (comparison->exact) {
        comparison_clear_exact(comparison);
    }
    for (int32_t i = 0; i < comparison->row_count; i++) {
        og_explanation_clear(&comparison->rows[i].explanation);
        free(comparison->rows[i].law);
        og_characteristics_clear(&comparison->rows[i].truth.found);
    }
    og_characteristics_clear(&comparison->optimal_truth.found);
    free(comparison->rows);
    free(comparison->grid);
    og_bounds_clear(&comparison->bounds);
    memset(comparison, 0, sizeof *comparison);
}
