/* Finds the tasks to label next, or the current call of each, from recorded labels, and writes the
 * document. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/describe.h"
#include "bench/public/handles.h"
#include "bench/recorded/fit.h"
#include "bench/recorded/next.h"

typedef struct {
    const og_batch *given;
    const og_request *request;
    og_policy_name policy;
    og_labels labels;
    og_group prior;
    og_fraction price; /* of a label; 0: free */
    og_standing standing;
    og_next next;
    int32_t *called; /* [tasks] outcomes: the final calls */
    double *worth;   /* [tasks] the probability that the call is right, or its expected payoff */
} work;

/* ---- the document ---- */

static void put_counts(const work *of, uint32_t task, og_document *row)
{
    int32_t classes = og_labels_classes(&of->labels);
    const int32_t *counts = of->standing.place[of->standing.place_of[task]].counts;
    og_document *array = classes > 2 ? og_put_array(row, "counts") : NULL;
    for (int32_t k = 0; k < classes; k++) {
        og_put_whole(classes > 2 ? array : row,
                     classes > 2 ? NULL
                     : k == 0    ? "positive"
                                 : "negative",
                     (uint64_t)counts[k]);
    }
}

/* True if calls have payoffs. */
static bool is_paid(const work *of)
{
    return of->prior.payoff.given;
}

static void put_next(const work *of, og_document *rows)
{
    for (int32_t i = 0; i < of->next.count; i++) {
        uint32_t task = of->next.task[i];
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "task", og_labels_task_name(&of->labels, task));
        og_put_whole(row, "rank", (uint64_t)i + 1);
        put_counts(of, task, row);
        if (of->next.index != NULL) {
            og_put_number(row, "index", of->next.index[i]);
        } else {
            og_put_null(row, "index");
        }
    }
}

static void put_calls(const work *of, og_document *rows)
{
    for (uint32_t task = 0; task < of->labels.task_count; task++) {
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "task", og_labels_task_name(&of->labels, task));
        put_counts(of, task, row);
        bool undecided = is_paid(of) && of->called[task] == OG_CALL_UNDECIDED;
        og_put_text(row, "call",
                    undecided ? "undecided"
                              : og_labels_outcome_name(&of->labels, of->called[task]));
        og_put_number(row, is_paid(of) ? "payoff" : "probability", of->worth[task]);
    }
}

static double loss_of(const og_next *next)
{
    double loss = next->gain_most - next->gain_least; /* NAN where one is missing */
    return loss <= 0 ? 0 : loss;
}

static bool is_priced(const work *of)
{
    return of->price.num > 0;
}

static const char *unit_of(const work *of)
{
    return is_paid(of) ? "payoff" : "correct calls";
}

/* Summarise the worth of labels at their price. */
static void put_priced_summary(const work *of, const char *prior, og_document *document)
{
    char price[48], words[OG_GROUP_TEXT_BYTES + 512];
    og_fraction_format(of->price, price, sizeof price);
    if (of->next.stops) {
        snprintf(words, sizeof words,
                 "stop: no task is worth a label at %s; beyond their prices labels can add at most "
                 "%.3g expected %s (proved); prior %s",
                 price, of->next.gain_most, unit_of(of), prior);
    } else if (of->next.count == 0) {
        snprintf(
            words, sizeof words,
            "no task is worth a label at %s as far as %" PRId32 " labels of each tell, and %" PRId32
            " are left; beyond their prices they can add at most %.4g expected %s (proved); "
            "prior %s",
            price, of->next.index_ahead, of->given->budget, of->next.gain_most, unit_of(of), prior);
    } else {
        snprintf(words, sizeof words,
                 "%" PRIu32 " of %" PRIu32 " tasks %s worth a label at %s; %" PRId32
                 " labels can add at most %.4g expected %s beyond their prices; giving these "
                 "%" PRId32 " first, without seeing any of them before all are chosen, loses at "
                 "most %.3g of that (proved); prior %s",
                 of->next.worth, of->labels.task_count, of->next.worth == 1 ? "is" : "are", price,
                 of->given->budget, of->next.gain_most, unit_of(of), of->next.count,
                 loss_of(&of->next), prior);
    }
    og_put_text(document, "summary", words);
}

/* True if the bounds are missing; the batch is valid without them. */
static bool lacks_bounds(const work *of)
{
    return !of->given->final_calls && (isnan(of->next.gain_most) || isnan(of->next.gain_least));
}

static void put_summary(const work *of, og_document *document)
{
    char prior[OG_GROUP_TEXT_BYTES], words[OG_GROUP_TEXT_BYTES + 512];
    og_group_format(&of->prior, prior, sizeof prior);
    if (lacks_bounds(of)) {
        snprintf(words, sizeof words,
                 "what these %" PRId32
                 " labels can lose is not known: the search for its bounds was "
                 "ended early; prior %s",
                 of->next.count, prior);
        og_put_text(document, "summary", words);
        return;
    }
    if (is_priced(of)) {
        put_priced_summary(of, prior, document);
        return;
    }
    if (of->given->final_calls) {
        double right = 0;
        for (uint32_t i = 0; i < of->labels.task_count; i++) {
            right += of->worth[i];
        }
        snprintf(words, sizeof words,
                 is_paid(of) ? "a payoff of %.6g is expected of %" PRIu32 " calls; prior %s"
                             : "%.6g of %" PRIu32 " calls are expected to be right; prior %s",
                 right, of->labels.task_count, prior);
    } else {
        snprintf(words, sizeof words,
                 "%" PRId32 " labels can add at most %.4g expected %s; giving these "
                 "%" PRId32 " first, without seeing any of them before all are chosen, loses at "
                 "most %.3g of that (proved); prior %s",
                 of->given->budget, of->next.gain_most, unit_of(of), of->next.count,
                 loss_of(&of->next), prior);
    }
    og_put_text(document, "summary", words);
}

static og_document *describe(const work *of)
{
    og_document *document = og_document_new();
    const og_batch *given = of->given;
    int32_t classes = og_labels_classes(&of->labels);
    og_put_whole(document, "tasks", of->labels.task_count);
    og_put_whole(document, "labels", (uint64_t)of->labels.label_count);
    og_put_parameters(document, "prior", &of->prior);
    og_put_text(document, "prior_from", given->prior != NULL ? "given" : "labels");
    if (!given->final_calls) {
        og_put_whole(document, "budget", (uint64_t)given->budget);
        og_put_whole(document, "batch", (uint64_t)of->next.count);
        og_put_text(document, "policy", of->policy.name);
        og_put_whole(document, "seed", of->request->seed);
        og_put_number(document, "gain_at_most", of->next.gain_most);
        og_put_number(document, "gain_at_least", of->next.gain_least);
        og_put_number(document, "loss_at_most", loss_of(&of->next));
        if (is_priced(of)) {
            og_put_number(document, "price", og_fraction_double(of->price));
            og_put_whole(document, "worth_a_label", of->next.worth);
            og_put_bool(document, "stop", of->next.stops);
        }
    }
    if (classes > 2) {
        og_document *names = og_put_array(document, "classes");
        for (int32_t k = 0; k < classes; k++) {
            og_put_text(names, NULL, og_labels_class_name(&of->labels, k));
        }
    } else {
        og_put_text(document, "positive_class", og_labels_class_name(&of->labels, 1));
        og_put_text(document, "negative_class", og_labels_class_name(&of->labels, 0));
    }
    if (given->final_calls) {
        put_calls(of, og_put_array(document, "final"));
    } else {
        put_next(of, og_put_array(document, "next"));
    }
    put_summary(of, document);
    return document;
}

/* ---- the work ---- */

static og_status find_prior(work *of, og_message *message)
{
    char words[24 * OG_CLASSES_MAX] = "";
    size_t used = 0;
    if (of->given->prior != NULL) {
        return og_group_parse_paid(of->given->prior, &of->prior, message);
    }
    og_fit fit;
    og_message why = {""};
    og_status status = og_fit_prior(&of->labels, OG_FIT_ML, &fit, &why);
    if (status != OG_OK) {
        return og_message_set(message, status, "%.300s; here by --prior", why.text);
    }
    for (int32_t k = 0; k < fit.class_count; k++) {
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%.12g", k > 0 ? "," : "",
                                 fit.parameter[k]);
    }
    return og_group_parse(words, &of->prior, message);
}

static og_status check_batch(const work *of, og_message *message)
{
    const og_batch *given = of->given;
    if (given->budget < 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "-T N (--budget N) is missing: how many labels are left to give");
    }
    if (given->batch < 1) {
        return og_message_set(message, OG_BAD_INPUT, "a batch has at least one label, not %" PRId32,
                              given->batch);
    }
    if (given->batch > given->budget) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a batch of %" PRId32 " labels, but only %" PRId32
                              " are left to give",
                              given->batch, given->budget);
    }
    if ((uint32_t)given->batch > of->labels.task_count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a batch has each task at most once: %" PRId32 " of %" PRIu32
                              " tasks",
                              given->batch, of->labels.task_count);
    }
    return OG_OK;
}

static og_status find(work *of, og_message *message)
{
    const og_batch *given = of->given;
    og_payoff payoff;
    size_t tasks = of->labels.task_count;
    const og_settings *how = &of->request->settings;
    OG_TRY(given->final_calls ? OG_OK : check_batch(of, message));
    if (given->stakes.price != NULL && given->final_calls) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--price is for the tasks to label next: --final buys no labels");
    }
    OG_TRY(og_stakes_read(&given->stakes, &of->price, &payoff, message));
    OG_TRY(find_prior(of, message));
    OG_TRY(og_stakes_apply(&given->stakes, &payoff, &of->prior, message));
    OG_TRY(og_standing_init(&of->labels, &of->prior, given->final_calls ? 0 : given->budget, how,
                            &of->standing, message));
    if (!given->final_calls) {
        const og_next_request wanted = {.policy = &of->policy,
                                        .budget = given->budget,
                                        .batch = given->batch,
                                        .price = og_fraction_double(of->price),
                                        .seed = of->request->seed,
                                        .settings = how};
        return og_next_find(&of->standing, &wanted, &of->next, message);
    }
    of->called = calloc(tasks, sizeof *of->called);
    of->worth = calloc(tasks, sizeof *of->worth);
    OG_TRY(OG_ALLOCATED(of->called));
    OG_TRY(OG_ALLOCATED(of->worth));
    return og_standing_calls(&of->standing, of->called, of->worth);
}

static og_status take_policy(const og_task *task, og_policy_name *out, og_message *message)
{
    if (task->policy_count > 1) {
        return og_message_set(message, OG_BAD_INPUT, "next asks one policy");
    }
    if (task->policy_count == 0) {
        return og_policy_name_parse("opt-kg", out, message);
    }
    *out = task->policies[0];
    return OG_OK;
}

og_status og_task_next(og_task *task, og_message *message)
{
    work of = {.given = task->given, .request = &task->request, .price = {0, 1}};
    og_status status = take_policy(task, &of.policy, message);
    if (status == OG_OK) {
        status = og_labels_read(of.given->labels_file, &of.request->settings, &of.labels, message);
    }
    og_task_stage(task, "choosing");
    if (status == OG_OK) {
        status = find(&of, message);
    }
    if (status == OG_OK) {
        og_labels_warning(&of.labels, of.given->labels_file, &task->warning);
        task->box->document = describe(&of);
        task->limit = lacks_bounds(&of) ? OG_LIMIT_TIME : OG_LIMIT_NONE;
    }
    og_next_clear(&of.next);
    og_standing_clear(&of.standing);
    og_labels_clear(&of.labels);
    free(of.called);
    free(of.worth);
    return status;
}
