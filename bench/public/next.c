/* Finds the labels to ask for next, or the current call of each task, from recorded labels. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/public/next_work.h"
#include "bench/recorded/coins.h"
#include "bench/recorded/columns.h"
#include "bench/recorded/fit.h"
#include "bench/recorded/gold.h"
#include "dp/base/rows.h"

/* ---- files ---- */

/* Labels of no task. A given prior tells the number of classes, unless --classes does. */
static og_status begin_without_labels(og_next_work *next, og_message *message)
{
    og_group prior;
    const og_settings *settings = &next->asked->request.settings;
    if (settings->tables != NULL && settings->tables->classes != NULL) {
        return og_labels_none(settings, &next->labels, message);
    }
    if (next->given->prior == NULL) {
        return OG_OK;
    }
    OG_TRY(og_group_parse_paid(next->given->prior, &prior, message));
    next->labels.class_count = prior.kind == OG_PRIOR_DIRICHLET ? prior.part_count : 0;
    return OG_OK;
}

static og_status read_labels(og_next_work *next, og_message *message)
{
    const og_batch *given = next->given;
    bool empty = given->tasks_file != NULL &&
                 (given->labels_file == NULL || og_labels_empty(given->labels_file));
    if (given->labels_file == NULL && given->tasks_file == NULL) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--labels FILE is missing: the recorded labels, columns task, worker, "
            "label; or, before the first label, --tasks FILE");
    }
    return empty ? begin_without_labels(next, message)
                 : og_labels_read(given->labels_file, &next->asked->request.settings, &next->labels,
                                  message);
}

static og_status read_list(const og_next_work *next, const char *path, og_list_kind kind,
                           og_list *out, og_message *message)
{
    char names[OG_FILES_BYTES];
    OG_TRY(og_list_read(path, kind, &next->asked->request.settings, out, message));
    og_rows_note(&next->asked->warning, og_files_words(path, names), out->trimmed);
    return OG_OK;
}

/* Keep the probabilities of the tasks in hundredths. */
static og_status keep_shares(og_next_work *next, const uint32_t *task, og_message *message)
{
    if (!next->tasks.has_probability) {
        return next->given->model_strength == NULL
                   ? OG_OK
                   : og_message_set(message, OG_BAD_INPUT,
                                    "--model-strength requires a column p in %s; give both or "
                                    "neither",
                                    next->given->tasks_file != NULL ? next->given->tasks_file
                                                                    : "--tasks");
    }
    int32_t classes = og_labels_classes(&next->labels);
    if (classes != 2) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--tasks: the column p must be the probability of the second of two "
                              "classes, but the labels have %d; rename the column",
                              (int)classes);
    }
    next->share = og_arena_array(&next->arena, next->labels.task_count, sizeof *next->share);
    OG_TRY(OG_ALLOCATED(next->share));
    for (uint32_t i = 0; i < next->labels.task_count; i++) {
        next->share[i] = OG_SHARE_NONE;
    }
    for (uint32_t i = 0; i < next->tasks.count; i++) {
        next->share[task[i]] = og_share_of(next->tasks.row[i].probability);
    }
    return OG_OK;
}

static og_status add_tasks(og_next_work *next, og_message *message)
{
    const og_batch *given = next->given;
    char names[OG_FILES_BYTES];
    uint32_t *task = og_arena_array(&next->arena, next->tasks.count, sizeof *task);
    OG_TRY(OG_ALLOCATED(task));
    og_files_words(given->tasks_file != NULL ? given->tasks_file : given->labels_file, names);
    if (given->tasks_file != NULL) {
        OG_TRY(og_labels_add_tasks(&next->labels, names, &next->tasks, task, message));
    }
    if (next->labels.task_count == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s: no tasks; give a line for each, by --tasks FILE", names);
    }
    return keep_shares(next, task, message);
}

/* ---- priors ---- */

static og_status parse_prior(const double *parameter, int32_t count, og_group *out,
                             og_message *message)
{
    char words[OG_PRIOR_WORDS];
    return og_group_parse(og_prior_words(parameter, count, words), out, message);
}

/* The prior of labels to which none can be fitted. */
static og_status take_usual_prior(og_next_work *next, const char *why, og_message *message)
{
    const double one[OG_CLASSES_MAX] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    next->prior_usual = true;
    int length = (int)strcspn(why, ",:;(");
    length -= length > 0 && why[length - 1] == ' ';
    og_message_set(&next->unfit, OG_OK, "%.*s", length, why);
    return parse_prior(one, og_labels_classes(&next->labels), &next->prior, message);
}

static og_status fit_prior(og_next_work *next, og_message *message)
{
    og_fit fit;
    og_message why = {""};
    og_status status = og_fit_prior(&next->labels, OG_FIT_ML, &fit, &why);
    if (status == OG_BAD_INPUT) {
        return take_usual_prior(next, why.text, message);
    }
    if (status != OG_OK) {
        return og_message_set(message, status, "%.300s; use --prior",
                              og_message_words(&why, status));
    }
    return parse_prior(fit.parameter, fit.class_count, &next->prior, message);
}

/* N of "N"; -1 for "auto". */
static og_status read_strength(const og_next_work *next, double *out, og_message *message)
{
    const char *text = next->given->model_strength;
    og_fraction strength;
    *out = -1;
    if (text == NULL || strcmp(text, "auto") == 0) {
        return OG_OK;
    }
    if (og_fraction_parse(text, strlen(text), &strength) != OG_OK ||
        og_fraction_double(strength) > OG_PARAMETER_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--model-strength must be auto or a number of labels from 0 to %g, "
                              "not '%.64s'",
                              OG_PARAMETER_MAX, text);
    }
    *out = og_fraction_double(strength);
    return OG_OK;
}

/* The prior of tasks without a probability, before the tasks without labels are added. */
static og_status find_prior(og_next_work *next, bool fits, og_message *message)
{
    if (next->given->prior != NULL) {
        return og_group_parse_paid(next->given->prior, &next->prior, message);
    }
    if (next->labels.label_count == 0 || next->given->source_count > 0) {
        OG_TRY(take_usual_prior(next, "there are no labels to fit it to", message));
        next->prior_usual = next->labels.label_count == 0;
        return OG_OK;
    }
    return fits ? fit_prior(next, message) : OG_OK;
}

/* Fit what is not given: the strength, and the prior unless it is given or there are no labels. */
static og_status find_strength(og_next_work *next, og_message *message)
{
    og_model_prior found;
    bool fits_prior = next->given->prior == NULL && next->labels.label_count > 0;
    OG_TRY(read_strength(next, &next->strength, message));
    next->strength_fit = next->strength < 0;
    if (!fits_prior && next->prior.kind != OG_PRIOR_BETA) {
        return OG_OK; /* the state refuses it */
    }
    if (next->strength_fit || fits_prior) {
        OG_TRY(og_model_prior_fit(
            &next->labels, next->share, fits_prior ? -1 : og_fraction_double(next->prior.a),
            fits_prior ? -1 : og_fraction_double(next->prior.b), next->strength, &found, message));
        const double base[] = {found.a, found.b};
        OG_TRY(fits_prior ? parse_prior(base, 2, &next->prior, message) : OG_OK);
        next->strength = found.strength;
    }
    return OG_OK;
}

static og_status make_priors(og_next_work *next, og_message *message)
{
    next->terms.prior = &next->prior;
    next->terms.prior_count = 1;
    if (next->share == NULL || next->prior.kind != OG_PRIOR_BETA) {
        return OG_OK;
    }
    uint32_t tasks = next->labels.task_count;
    og_group *prior = og_arena_array(&next->arena, OG_MODEL_PRIORS_MAX, sizeof *prior);
    int32_t *prior_of = og_arena_array(&next->arena, tasks, sizeof *prior_of);
    OG_TRY(og_arena_status(&next->arena));
    next->terms.prior = prior;
    next->terms.prior_of = prior_of;
    return og_model_priors(&next->prior, next->strength, next->share, tasks, prior,
                           &next->terms.prior_count, prior_of, message);
}

/* Labels, tasks and priors. A prior is fitted before tasks without labels are added, a strength
 * after. */
static og_status open_tasks(og_next_work *next, og_message *message)
{
    const og_batch *given = next->given;
    OG_TRY(read_labels(next, message));
    OG_TRY(og_stakes_price(&given->stakes, &next->price, message));
    if (given->tasks_file != NULL) {
        OG_TRY(read_list(next, given->tasks_file, OG_LIST_TASKS, &next->tasks, message));
    }
    OG_TRY(find_prior(next, !next->tasks.has_probability, message));
    next->labels.task_count += next->labels.unlabelled_count; /* tasks of rows without a label */
    next->labels.unlabelled_count = 0;
    OG_TRY(add_tasks(next, message));
    next->strength = NAN;
    bool priced = next->given->source_count > 0; /* p is the prior itself */
    OG_TRY(next->share != NULL && !priced ? find_strength(next, message) : OG_OK);
    OG_TRY(og_stakes_apply(&given->stakes, &next->prior, &next->values, message));
    return priced ? OG_OK : make_priors(next, message);
}

/* ---- limits ---- */

static og_status close_tasks(og_next_work *next, int32_t *room, og_message *message)
{
    const char *path = next->given->closed_file;
    char names[OG_FILES_BYTES];
    og_list closed = {.count = 0};
    int64_t unknown = 0;
    OG_TRY(read_list(next, path, OG_LIST_CLOSED, &closed, message));
    og_status status = og_close_tasks(&next->labels, &closed, room, &unknown);
    og_list_clear(&closed);
    if (unknown > 0) {
        og_message before = next->asked->warning;
        og_message_set(&next->asked->warning, OG_OK,
                       "%s%s%s: rows without such a task in the other tables: %" PRId64,
                       before.text, *before.text != '\0' ? "; " : "", og_files_words(path, names),
                       unknown);
    }
    return status;
}

static og_status find_free(og_next_work *next, int32_t *room, og_message *message)
{
    OG_TRY(og_labels_need_workers(&next->labels, "--workers-free", message));
    OG_TRY(read_list(next, next->given->free_file, OG_LIST_WORKERS, &next->free_list, message));
    OG_TRY(og_free_workers_find(&next->labels, &next->free_list, room, &next->free));
    next->terms.workers = &next->free;
    if (next->free.limited && next->free.labels < next->terms.budget) {
        next->terms.budget = (int32_t)next->free.labels;
    }
    return OG_OK;
}

static og_status limit_labels(og_next_work *next, og_message *message)
{
    const og_batch *given = next->given;
    const og_labels *labels = &next->labels;
    next->terms.budget = given->budget;
    next->terms.price = og_fraction_double(next->price);
    if (given->max_per_task == 0 && given->closed_file == NULL && given->free_file == NULL) {
        return OG_OK;
    }
    int32_t *room = og_arena_array(&next->arena, labels->task_count, sizeof *room);
    OG_TRY(OG_ALLOCATED(room));
    next->terms.room = room;
    for (uint32_t i = 0; i < labels->task_count; i++) {
        room[i] = given->max_per_task > 0 ? given->max_per_task : INT32_MAX;
    }
    for (int64_t i = 0; given->max_per_task > 0 && i < labels->label_count; i++) {
        room[labels->task[i]] -= room[labels->task[i]] > 0;
    }
    OG_TRY(given->closed_file != NULL ? close_tasks(next, room, message) : OG_OK);
    return given->free_file != NULL ? find_free(next, room, message) : OG_OK;
}

/* ---- the next labels ---- */

static og_status check_batch(const og_next_work *next, og_message *message)
{
    const og_batch *given = next->given;
    if (given->budget < 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "-T N is missing: the number of labels left, such as -T 12");
    }
    if (given->batch < 1) {
        return og_message_set(message, OG_BAD_INPUT, "--batch must be at least 1, not %" PRId32,
                              given->batch);
    }
    if (given->gold_file != NULL || given->workers_prior != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--%s needs --final, which reports the calls; give it too",
                              given->gold_file != NULL ? "gold" : "workers-prior");
    }
    return OG_OK;
}

static og_status find_next(og_next_work *next, og_message *message)
{
    OG_TRY(limit_labels(next, message));
    if (next->given->source_count > 0) {
        return og_next_find_purchases(next, message);
    }
    OG_TRY(og_standing_init(&next->labels, &next->terms, &next->asked->request.settings,
                            &next->standing, message));
    return og_next_find(next->asked, &next->standing, &next->next, message);
}

/* ---- the calls ---- */

static og_status check_final(const og_next_work *next, og_message *message)
{
    const og_batch *given = next->given;
    const char *limit = given->stakes.price != NULL  ? "--price"
                        : given->closed_file != NULL ? "--closed"
                        : given->free_file != NULL   ? "--workers-free"
                        : given->max_per_task > 0    ? "--max-per-task"
                        : given->per_batch > 0       ? "--per-batch"
                                                     : NULL;
    if (limit != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--final does not support %s, because it buys no labels; omit one "
                              "of them",
                              limit);
    }
    return OG_OK;
}

/* Calls need probabilities of being right. */
static og_status refuse_payoff(const og_next_work *next, const char *option, og_message *message)
{
    return !next->prior.payoff.given
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "%s does not support payoffs, only calls that are right or not; "
                                "omit one of the two",
                                option);
}

/* The belief; with `fits` also the prior of the tasks, if one fits. */
static og_status believe_workers(og_next_work *next, bool fits, og_message *message)
{
    const og_labels *labels = &next->labels;
    const og_crowd crowd = {.label_count = labels->label_count,
                            .task_count = labels->task_count,
                            .worker_count = labels->worker_count,
                            .task = labels->task,
                            .worker = labels->worker,
                            .label = labels->label,
                            .classes = og_labels_classes(labels),
                            .task_prior = next->terms.prior,
                            .task_priors = next->terms.prior_count,
                            .prior_of = next->terms.prior_of,
                            .fit = fits,
                            .worker_prior = &next->worker_prior,
                            .worker_priors = 1};
    og_message why = {""};
    og_status status = og_crowd_believe(&crowd, &next->asked->stop, &next->belief, &why);
    if (status == OG_BAD_INPUT && fits) {
        OG_TRY(take_usual_prior(next, why.text, message));
        return believe_workers(next, false, message);
    }
    if (status != OG_OK) {
        *message = why;
        return status;
    }
    if (!fits) {
        return OG_OK;
    }
    /* again with this prior, so that the printed one gives the same calls */
    next->prior_by_workers = true;
    OG_TRY(parse_prior(next->belief.prior, crowd.classes, &next->prior, message));
    og_crowd_belief_clear(&next->belief);
    return believe_workers(next, false, message);
}

/* Replace the calls by those of the model of workers. */
static og_status call_by_workers(og_next_work *next, og_message *message)
{
    const og_labels *labels = &next->labels;
    OG_TRY(refuse_payoff(next, "--workers-prior", message));
    OG_TRY(og_labels_need_workers(labels, "--workers-prior", message));
    OG_TRY(og_one_worker(next->given->workers_prior, &next->worker_prior, message));
    int32_t classes = og_labels_classes(labels);
    if (classes == 2 && next->prior.threshold.num * 2 != next->prior.threshold.den) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--workers-prior supports only the threshold 1/2; omit it");
    }
    OG_TRY(believe_workers(
        next, next->given->prior == NULL && !next->prior_usual && next->share == NULL, message));
    for (uint32_t i = 0; i < labels->task_count; i++) {
        const double *chance = &next->belief.chance[i * (size_t)classes];
        int32_t best = 0;
        for (int32_t k = 1; k < classes; k++) {
            best = chance[k] > chance[best] ? k : best;
        }
        next->called[i] = best;
        next->worth[i] = chance[best];
    }
    return OG_OK;
}

static og_status compare_with_gold(og_next_work *next, og_message *message)
{
    const og_labels *labels = &next->labels;
    og_gold_count count;
    OG_TRY(refuse_payoff(next, "--gold", message));
    uint8_t *gold = og_arena_array(&next->arena, labels->task_count, 1);
    bool *right = og_arena_array(&next->arena, labels->task_count, sizeof *right);
    double *worth = og_arena_array(&next->arena, labels->task_count, sizeof *worth);
    OG_TRY(og_arena_status(&next->arena));
    OG_TRY(og_gold_read(next->given->gold_file, labels, &next->asked->request.settings, gold,
                        &count, message));
    og_rows_note(&next->asked->warning, next->given->gold_file, count.trimmed);
    int64_t known = 0;
    for (uint32_t i = 0; i < labels->task_count; i++) {
        if (gold[i] != OG_GOLD_NONE) {
            int32_t called = next->called[i];
            right[known] = gold[i] == (labels->class_count > 2 ? called : 1 - called);
            worth[known++] = next->worth[i];
        }
    }
    next->has_gold = true;
    next->reliability = og_reliability_of(worth, right, known);
    return OG_OK;
}

static og_status find_calls(og_next_work *next, og_message *message)
{
    size_t tasks = next->labels.task_count;
    next->called = og_arena_array(&next->arena, tasks, sizeof *next->called);
    next->worth = og_arena_array(&next->arena, tasks, sizeof *next->worth);
    OG_TRY(og_arena_status(&next->arena));
    bool sources = next->given->source_count > 0;
    if (sources) {
        next->terms.prior = &next->prior;
        next->terms.prior_count = 1;
    }
    OG_TRY(og_standing_init(&next->labels, &next->terms, &next->asked->request.settings,
                            &next->standing, message));
    OG_TRY(sources ? og_next_call_by_sources(next, message)
           : next->given->workers_prior != NULL
               ? call_by_workers(next, message)
               : og_standing_calls(&next->standing, next->called, next->worth));
    return next->given->gold_file != NULL ? compare_with_gold(next, message) : OG_OK;
}

/* ---- all of it ---- */

/* On recorded labels right as often as opt-kg or more often (bench/studies/findings-exact.md, "An
   index for the next batch"); its table takes a moment whatever the budget. */
static const char default_policy[] = "gittins-fh:10";

static og_status find(og_asked *asked, og_next_work *next, og_message *message)
{
    if (asked->policy_count > 1) {
        return og_message_set(message, OG_BAD_INPUT, "next supports one policy; give one");
    }
    OG_TRY(asked->policy_count == 0 ? og_asked_take_policies(asked, default_policy, message)
                                    : OG_OK);
    OG_TRY(next->given->final_calls ? check_final(next, message) : check_batch(next, message));
    OG_TRY(next->given->source_count > 0 ? og_next_read_sources(next, message) : OG_OK);
    OG_TRY(open_tasks(next, message));
    if (next->given->labels_file != NULL && next->labels.label_count > 0) {
        og_labels_warning(&next->labels, next->given->labels_file, &asked->warning);
    }
    og_stop_tell(&asked->stop, "choosing", 0);
    return next->given->final_calls ? find_calls(next, message) : find_next(next, message);
}

static void work_clear(og_next_work *next)
{
    og_next_clear(&next->next);
    og_worth_values_release(next->values);
    og_crowd_belief_clear(&next->belief);
    og_purchases_clear(&next->purchases);
    og_standing_clear(&next->standing);
    og_labels_clear(&next->labels);
    og_list_clear(&next->tasks);
    og_free_workers_clear(&next->free);
    og_list_clear(&next->free_list);
    og_arena_clear(&next->arena);
}

static og_status answer(og_asked *asked, og_message *message)
{
    const og_batch *given = asked->given;
    if (given->pairs_file != NULL) {
        return og_asked_next_pairs(asked, message);
    }
    og_next_work next = {.asked = asked, .given = given, .price = {0, 1}};
    og_status status = find(asked, &next, message);
    if (status == OG_OK) {
        bool priced = given->source_count > 0 && !given->final_calls;
        asked->document = priced ? og_next_describe_purchases(&next) : og_next_describe(&next);
        asked->limit = !priced && og_next_lacks_bounds(&next) ? OG_LIMIT_TIME : OG_LIMIT_NONE;
    }
    work_clear(&next);
    return status;
}

const og_question_kind og_question_next = {.answer = answer};
