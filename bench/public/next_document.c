/* Writes the document of the labels to ask for next, or of the calls. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench/describe.h"
#include "bench/public/next_work.h"
#include "dp/prior/worker.h"

static void put_counts(const og_next_work *next, uint32_t task, og_document *row)
{
    int32_t classes = og_labels_classes(&next->labels);
    const int32_t *counts = next->standing.place[next->standing.place_of[task]].counts;
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
static bool is_paid(const og_next_work *next)
{
    return next->prior.payoff.given;
}

static void put_next(const og_next_work *next, og_document *rows)
{
    for (int32_t i = 0; i < next->next.count; i++) {
        uint32_t task = next->next.task[i];
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "task", og_labels_task_name(&next->labels, task));
        og_put_whole(row, "rank", (uint64_t)i + 1);
        put_counts(next, task, row);
        if (next->next.index != NULL) {
            og_put_number(row, "index", next->next.index[i]);
        } else {
            og_put_null(row, "index");
        }
        if (next->next.worker != NULL) {
            og_put_text(row, "worker", next->free.name[next->next.worker[i]]);
        }
    }
}

static void put_calls(const og_next_work *next, og_document *rows)
{
    for (uint32_t task = 0; task < next->labels.task_count; task++) {
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "task", og_labels_task_name(&next->labels, task));
        put_counts(next, task, row);
        bool undecided = is_paid(next) && next->called[task] == OG_CALL_UNDECIDED;
        og_put_text(row, "call",
                    undecided ? "undecided"
                              : og_labels_outcome_name(&next->labels, next->called[task]));
        og_put_number(row, is_paid(next) ? "payoff" : "probability", next->worth[task]);
        if (next->has_gold) {
            og_put_number(row, "calibrated",
                          og_calibrated(next->worth[task], next->reliability.factor));
        }
    }
}

static void put_reliability(const og_next_work *next, og_document *document)
{
    const og_reliability *found = &next->reliability;
    og_put_number(document, "calibration_factor", found->factor);
    og_document *rows = og_put_array(document, "reliability");
    for (int32_t k = 0; k < OG_RELIABILITY_BINS; k++) {
        const og_reliability_bin *bin = &found->bin[k];
        if (bin->calls > 0) {
            og_document *row = og_put_object(rows, NULL);
            og_put_number(row, "from", bin->low);
            og_put_number(row, "to", bin->high);
            og_put_whole(row, "calls", (uint64_t)bin->calls);
            og_put_number(row, "expected", bin->expected / (double)bin->calls);
            og_put_number(row, "found", (double)bin->right / (double)bin->calls);
            og_put_number(row, "calibrated", bin->calibrated / (double)bin->calls);
        }
    }
}

/* True if workers of unknown reliability make the calls. */
static bool has_workers(const og_next_work *next)
{
    return next->belief.chance != NULL;
}

/* True if this worker's accuracy is given. */
static bool is_known(const og_next_work *next, uint32_t worker)
{
    return next->source_of != NULL && next->sources.given.wrong[next->source_of[worker]].den == 0;
}

void og_next_put_workers(const og_next_work *next, og_document *document)
{
    og_put_bool(document, "settled", next->belief.settled);
    og_document *rows = og_put_array(document, "workers");
    size_t numbers = 2 * (size_t)og_worker_coins(&next->worker_prior);
    for (uint32_t w = 0; w < next->labels.named_count; w++) {
        if (is_known(next, w)) {
            continue;
        }
        const double *coin = next->belief.coin + 4 * (size_t)w;
        double mean = coin[0] / (coin[0] + coin[1]);
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "worker", og_labels_worker_name(&next->labels, w));
        og_put_number(row, "reliability",
                      numbers == 2 ? mean : (mean + coin[2] / (coin[2] + coin[3])) / 2);
        og_put_numbers(row, "posterior", coin, numbers);
    }
}

static double loss_of(const og_next *next)
{
    double loss = next->gain_most - next->gain_least; /* NAN where one is missing */
    return loss <= 0 ? 0 : loss;
}

static const char *unit_of(const og_next_work *next)
{
    return is_paid(next) ? "payoff" : "correct calls";
}

/* ---- the summary ---- */

enum {
    PRIOR_WORDS = OG_GROUP_TEXT_BYTES + 128,
    SUMMARY_BYTES = PRIOR_WORDS + OG_POLICY_NAME_BYTES + 768
};

static void write_prior(const og_next_work *next, char words[PRIOR_WORDS])
{
    char prior[OG_GROUP_TEXT_BYTES];
    og_group_format(&next->prior, prior, sizeof prior);
    int used = snprintf(words, PRIOR_WORDS, "prior %s", prior);
    if (next->prior_usual || next->prior_by_workers) {
        used += snprintf(words + used, PRIOR_WORDS - (size_t)used, " (%.90s)",
                         next->prior_usual ? next->unfit.text : "fitted with the workers");
    }
    if (!isnan(next->strength)) {
        snprintf(words + used, PRIOR_WORDS - (size_t)used, "; p counts as %.4g labels%s",
                 next->strength, next->strength_fit ? " (fitted)" : "");
    }
}

/* Summarise the worth of labels at their price. */
static void write_priced(const og_next_work *next, const char *prior, char words[SUMMARY_BYTES])
{
    char price[48];
    og_fraction_format(next->price, price, sizeof price);
    if (next->next.stops) {
        snprintf(words, SUMMARY_BYTES,
                 "stop: no task is worth a label at %s; beyond their prices labels can add at most "
                 "%.3g expected %s (proved); %s",
                 price, next->next.gain_most, unit_of(next), prior);
    } else if (next->next.count == 0) {
        snprintf(
            words, SUMMARY_BYTES,
            "no task is worth a label at %s if %" PRId32
            " labels of each are considered, and %" PRId32
            " are left; beyond their prices they can add at most %.4g expected %s (proved); %s",
            price, next->next.index_ahead, next->terms.budget, next->next.gain_most, unit_of(next),
            prior);
    } else {
        snprintf(words, SUMMARY_BYTES,
                 "%" PRIu32 " of %" PRIu32 " tasks %s worth a label at %s; %" PRId32
                 " labels can add at most %.4g expected %s beyond their prices; this batch of "
                 "%" PRId32 ", chosen by %s, loses at most %.3g of that (proved); %s",
                 next->next.worth, next->labels.task_count, next->next.worth == 1 ? "is" : "are",
                 price, next->terms.budget, next->next.gain_most, unit_of(next), next->next.count,
                 og_policy_name_shown(&next->asked->policies[0]), loss_of(&next->next), prior);
    }
}

bool og_next_lacks_bounds(const og_next_work *next)
{
    return !next->given->final_calls &&
           (isnan(next->next.gain_most) || isnan(next->next.gain_least));
}

static void write_batch(const og_next_work *work, const char *prior, char words[SUMMARY_BYTES])
{
    const og_next *next = &work->next;
    char fewer[160] = "";
    int32_t wanted = work->given->batch, budget = work->terms.budget;
    if (budget < work->given->budget) {
        snprintf(fewer, sizeof fewer,
                 "the free workers can give only %" PRId32 " of %" PRId32 " labels; ", budget,
                 work->given->budget);
    } else if (next->count < wanted && next->count == budget) {
        snprintf(fewer, sizeof fewer, "only %" PRId32 " of %" PRId32 " labels are left; ", budget,
                 wanted);
    } else if (next->count < wanted) {
        snprintf(fewer, sizeof fewer,
                 "only %" PRId32 " of %" PRId32 " labels are possible now: "
                 "%" PRIu32 " of %" PRIu32 " tasks %s open; ",
                 next->count, wanted, work->standing.open, work->labels.task_count,
                 work->standing.open == 1 ? "is" : "are");
    }
    snprintf(words, SUMMARY_BYTES,
             "%s%" PRId32 " labels can add at most %.4g expected %s; this batch of %" PRId32
             ", chosen by %s, loses at most %.3g of that (proved); %s",
             fewer, budget, next->gain_most, unit_of(work), next->count,
             og_policy_name_shown(&work->asked->policies[0]), loss_of(next), prior);
}

/* Says so if the belief about workers has not settled. */
static int write_settling(const og_next_work *next, char *words, int bytes)
{
    return next->belief.settled ? 0
                                : snprintf(words, (size_t)bytes,
                                           "; but the model did not settle: after %" PRId32
                                           " passes a label's probability still moves by %.2g",
                                           next->belief.passes, next->belief.moved);
}

/* The probability of a call is about the crowd: a call is right if it is what most of many more
 * labels of the same kind would say. */
static void write_calls(const og_next_work *next, const char *prior, char words[SUMMARY_BYTES])
{
    double right = 0;
    for (uint32_t i = 0; i < next->labels.task_count; i++) {
        right += next->worth[i];
    }
    if (is_paid(next)) {
        snprintf(words, SUMMARY_BYTES,
                 "a payoff of %.6g is expected of %" PRIu32 " calls, if most people of this crowd "
                 "are right; %s",
                 right, next->labels.task_count, prior);
        return;
    }
    const char *model = next->source_of != NULL         ? "the sources err as their model says"
                        : next->given->source_count > 0 ? "the sources are right as often as given"
                        : has_workers(next)             ? "workers err as their model says"
                                                        : "most people of this crowd are";
    int used = snprintf(words, SUMMARY_BYTES,
                        "%.6g of %" PRIu32 " calls are expected to be right, if %s; %s", right,
                        next->labels.task_count, model, prior);
    used += has_workers(next) ? write_settling(next, words + used, SUMMARY_BYTES - used) : 0;
    double corrected = 0;
    for (uint32_t i = 0; next->has_gold && i < next->labels.task_count; i++) {
        corrected += og_calibrated(next->worth[i], next->reliability.factor);
    }
    if (next->has_gold) {
        snprintf(words + used, SUMMARY_BYTES - (size_t)used,
                 "; of %" PRId64 " with gold %" PRId64 " are right and %.6g were expected; "
                 "calibrated, %.6g of all",
                 next->reliability.calls, next->reliability.right, next->reliability.expected,
                 corrected);
    }
}

static void put_summary(const og_next_work *next, og_document *document)
{
    char prior[PRIOR_WORDS], words[SUMMARY_BYTES];
    write_prior(next, prior);
    if (next->given->final_calls) {
        write_calls(next, prior, words);
    } else if (og_next_lacks_bounds(next)) {
        snprintf(words, sizeof words,
                 "the bounds on the loss of these %" PRId32 " labels are missing: the search for "
                 "them was ended early; %s",
                 next->next.count, prior);
    } else if (next->price.num > 0) {
        write_priced(next, prior, words);
    } else if (next->standing.open == 0) {
        snprintf(words, sizeof words, "%s; %s",
                 next->given->budget == 0 ? "no labels are left" : "no task is open for a label",
                 prior);
    } else if (next->next.by_rule && next->next.done == next->labels.task_count) {
        snprintf(words, sizeof words, "stop: all %" PRIu32 " tasks are done; %s", next->next.done,
                 prior);
    } else if (next->next.by_rule) {
        og_text whole = og_text_begin(words, sizeof words);
        char batch[SUMMARY_BYTES];
        write_batch(next, prior, batch);
        og_text_add(&whole, "%" PRIu32 " of %" PRIu32 " tasks are done; %s", next->next.done,
                    next->labels.task_count, batch);
    } else {
        write_batch(next, prior, words);
    }
    og_put_text(document, "summary", words);
}

/* ---- the document ---- */

static void put_batch(const og_next_work *next, og_document *document)
{
    og_put_whole(document, "budget", (uint64_t)next->given->budget);
    og_put_whole(document, "batch", (uint64_t)next->next.count);
    og_put_whole(document, "open", next->standing.open);
    og_put_text(document, "policy", og_policy_name_shown(&next->asked->policies[0]));
    og_put_whole(document, "seed", next->asked->request.seed);
    og_put_number(document, "gain_at_most", next->next.gain_most);
    og_put_number(document, "gain_at_least", next->next.gain_least);
    og_put_number(document, "loss_at_most", loss_of(&next->next));
    if (next->next.by_rule) {
        og_put_whole(document, "done", next->next.done);
        og_put_bool(document, "stop", next->next.done == next->labels.task_count);
    }
    if (next->price.num > 0) {
        og_put_number(document, "price", og_fraction_double(next->price));
        og_put_whole(document, "worth_a_label", next->next.worth);
        og_put_bool(document, "stop", next->next.stops);
    }
}

og_document *og_next_describe(const og_next_work *next)
{
    og_document *document = og_document_new();
    bool final = next->given->final_calls;
    int32_t classes = og_labels_classes(&next->labels);
    og_put_whole(document, "tasks", next->labels.task_count);
    og_put_whole(document, "labels", (uint64_t)next->labels.label_count);
    og_put_parameters(document, "prior", &next->prior);
    og_put_text(document, "prior_from",
                next->given->prior != NULL                           ? "given"
                : next->prior_usual || next->given->source_count > 0 ? "usual"
                                                                     : "labels");
    if (!isnan(next->strength)) {
        og_put_number(document, "model_strength", next->strength);
    }
    if (!final) {
        put_batch(next, document);
    }
    if (classes > 2) {
        og_document *names = og_put_array(document, "classes");
        for (int32_t k = 0; k < classes; k++) {
            og_put_text(names, NULL, og_labels_class_name(&next->labels, k));
        }
    } else {
        og_put_text(document, "positive_class", og_labels_class_name(&next->labels, 1));
        og_put_text(document, "negative_class", og_labels_class_name(&next->labels, 0));
    }
    if (final) {
        put_calls(next, og_put_array(document, "final"));
    } else {
        put_next(next, og_put_array(document, "next"));
    }
    if (has_workers(next)) {
        og_next_put_workers(next, document);
    }
    if (next->has_gold) {
        put_reliability(next, document);
    }
    put_summary(next, document);
    return document;
}
