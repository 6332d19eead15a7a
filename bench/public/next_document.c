/* Writes the document of the labels to ask for next, or of the calls. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench/describe.h"
#include "bench/public/next_work.h"

static void put_counts(const og_next_work *of, uint32_t task, og_document *row)
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
static bool is_paid(const og_next_work *of)
{
    return of->prior.payoff.given;
}

static void put_next(const og_next_work *of, og_document *rows)
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
        if (of->next.worker != NULL) {
            og_put_text(row, "worker", of->free.name[of->next.worker[i]]);
        }
    }
}

static void put_calls(const og_next_work *of, og_document *rows)
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
        if (of->has_gold) {
            og_put_number(row, "calibrated",
                          og_calibrated(of->worth[task], of->reliability.factor));
        }
    }
}

static void put_reliability(const og_next_work *of, og_document *document)
{
    const og_reliability *found = &of->reliability;
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

static void put_workers(const og_next_work *of, og_document *rows)
{
    for (uint32_t w = 0; w < of->labels.worker_count; w++) {
        const double *coin = of->coin + 2 * (size_t)w;
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "worker", og_labels_worker_name(&of->labels, w));
        og_put_number(row, "reliability", coin[0] / (coin[0] + coin[1]));
        og_put_numbers(row, "posterior", coin, 2);
    }
}

static double loss_of(const og_next *next)
{
    double loss = next->gain_most - next->gain_least; /* NAN where one is missing */
    return loss <= 0 ? 0 : loss;
}

static const char *unit_of(const og_next_work *of)
{
    return is_paid(of) ? "payoff" : "correct calls";
}

/* ---- the summary ---- */

enum {
    PRIOR_WORDS = OG_GROUP_TEXT_BYTES + 128,
    SUMMARY_BYTES = PRIOR_WORDS + OG_POLICY_NAME_BYTES + 768
};

static void write_prior(const og_next_work *of, char words[PRIOR_WORDS])
{
    char prior[OG_GROUP_TEXT_BYTES];
    og_group_format(&of->prior, prior, sizeof prior);
    int used = snprintf(words, PRIOR_WORDS, "prior %s%s", prior,
                        of->prior_usual ? " (there are no labels to fit it to)" : "");
    if (!isnan(of->strength)) {
        snprintf(words + used, PRIOR_WORDS - (size_t)used, "; p counts as %.4g labels%s",
                 of->strength, of->strength_fit ? " (fitted)" : "");
    }
}

/* Summarise the worth of labels at their price. */
static void write_priced(const og_next_work *of, const char *prior, char words[SUMMARY_BYTES])
{
    char price[48];
    og_fraction_format(of->price, price, sizeof price);
    if (of->next.stops) {
        snprintf(words, SUMMARY_BYTES,
                 "stop: no task is worth a label at %s; beyond their prices labels can add at most "
                 "%.3g expected %s (proved); %s",
                 price, of->next.gain_most, unit_of(of), prior);
    } else if (of->next.count == 0) {
        snprintf(
            words, SUMMARY_BYTES,
            "no task is worth a label at %s if %" PRId32
            " labels of each are considered, and %" PRId32
            " are left; beyond their prices they can add at most %.4g expected %s (proved); %s",
            price, of->next.index_ahead, of->terms.budget, of->next.gain_most, unit_of(of), prior);
    } else {
        snprintf(words, SUMMARY_BYTES,
                 "%" PRIu32 " of %" PRIu32 " tasks %s worth a label at %s; %" PRId32
                 " labels can add at most %.4g expected %s beyond their prices; this batch of "
                 "%" PRId32 ", chosen by %s, loses at most %.3g of that (proved); %s",
                 of->next.worth, of->labels.task_count, of->next.worth == 1 ? "is" : "are", price,
                 of->terms.budget, of->next.gain_most, unit_of(of), of->next.count,
                 of->asked->policies[0].name, loss_of(&of->next), prior);
    }
}

bool og_next_lacks_bounds(const og_next_work *of)
{
    return !of->given->final_calls && (isnan(of->next.gain_most) || isnan(of->next.gain_least));
}

static void write_batch(const og_next_work *of, const char *prior, char words[SUMMARY_BYTES])
{
    const og_next *next = &of->next;
    char fewer[160] = "";
    int32_t wanted = of->given->batch, budget = of->terms.budget;
    if (budget < of->given->budget) {
        snprintf(fewer, sizeof fewer,
                 "the free workers can give only %" PRId32 " of %" PRId32 " labels; ", budget,
                 of->given->budget);
    } else if (next->count < wanted && next->count == budget) {
        snprintf(fewer, sizeof fewer, "only %" PRId32 " of %" PRId32 " labels are left; ", budget,
                 wanted);
    } else if (next->count < wanted) {
        snprintf(fewer, sizeof fewer,
                 "only %" PRId32 " of %" PRId32 " labels are possible now: "
                 "%" PRIu32 " of %" PRIu32 " tasks %s open; ",
                 next->count, wanted, of->standing.open, of->labels.task_count,
                 of->standing.open == 1 ? "is" : "are");
    }
    snprintf(words, SUMMARY_BYTES,
             "%s%" PRId32 " labels can add at most %.4g expected %s; this batch of %" PRId32
             ", chosen by %s, loses at most %.3g of that (proved); %s",
             fewer, budget, next->gain_most, unit_of(of), next->count, of->asked->policies[0].name,
             loss_of(next), prior);
}

/* The probability of a call is about the crowd: a call is right if it is what most of many more
 * labels of the same kind would say. */
static void write_calls(const og_next_work *of, const char *prior, char words[SUMMARY_BYTES])
{
    double right = 0;
    for (uint32_t i = 0; i < of->labels.task_count; i++) {
        right += of->worth[i];
    }
    if (is_paid(of)) {
        snprintf(words, SUMMARY_BYTES,
                 "a payoff of %.6g is expected of %" PRIu32 " calls, if most people of this crowd "
                 "are right; %s",
                 right, of->labels.task_count, prior);
        return;
    }
    bool coins = of->coin != NULL;
    int used = snprintf(words, SUMMARY_BYTES,
                        "%.6g of %" PRIu32 " calls are expected to be right, if %s%s%s", right,
                        of->labels.task_count,
                        coins ? "workers err as their model says" : "most people of this crowd are",
                        coins ? "" : "; ", coins ? "" : prior);
    double corrected = 0;
    for (uint32_t i = 0; of->has_gold && i < of->labels.task_count; i++) {
        corrected += og_calibrated(of->worth[i], of->reliability.factor);
    }
    if (of->has_gold) {
        snprintf(words + used, SUMMARY_BYTES - (size_t)used,
                 "; of %" PRId64 " with gold %" PRId64 " are right and %.6g were expected; "
                 "calibrated, %.6g of all",
                 of->reliability.calls, of->reliability.right, of->reliability.expected, corrected);
    }
}

static void put_summary(const og_next_work *of, og_document *document)
{
    char prior[PRIOR_WORDS], words[SUMMARY_BYTES];
    write_prior(of, prior);
    if (of->given->final_calls) {
        write_calls(of, prior, words);
    } else if (og_next_lacks_bounds(of)) {
        snprintf(words, sizeof words,
                 "the bounds on the loss of these %" PRId32 " labels are missing: the search for "
                 "them was ended early; %s",
                 of->next.count, prior);
    } else if (of->price.num > 0) {
        write_priced(of, prior, words);
    } else if (of->standing.open == 0) {
        snprintf(words, sizeof words, "no task is open for a label; %s", prior);
    } else {
        write_batch(of, prior, words);
    }
    og_put_text(document, "summary", words);
}

/* ---- the document ---- */

static void put_batch(const og_next_work *of, og_document *document)
{
    og_put_whole(document, "budget", (uint64_t)of->given->budget);
    og_put_whole(document, "batch", (uint64_t)of->next.count);
    og_put_whole(document, "open", of->standing.open);
    og_put_text(document, "policy", of->asked->policies[0].name);
    og_put_whole(document, "seed", of->asked->request.seed);
    og_put_number(document, "gain_at_most", of->next.gain_most);
    og_put_number(document, "gain_at_least", of->next.gain_least);
    og_put_number(document, "loss_at_most", loss_of(&of->next));
    if (of->price.num > 0) {
        og_put_number(document, "price", og_fraction_double(of->price));
        og_put_whole(document, "worth_a_label", of->next.worth);
        og_put_bool(document, "stop", of->next.stops);
    }
}

og_document *og_next_describe(const og_next_work *of)
{
    og_document *document = og_document_new();
    bool final = of->given->final_calls;
    int32_t classes = og_labels_classes(&of->labels);
    og_put_whole(document, "tasks", of->labels.task_count);
    og_put_whole(document, "labels", (uint64_t)of->labels.label_count);
    og_put_parameters(document, "prior", &of->prior);
    og_put_text(document, "prior_from",
                of->given->prior != NULL ? "given"
                : of->prior_usual        ? "usual"
                                         : "labels");
    if (!isnan(of->strength)) {
        og_put_number(document, "model_strength", of->strength);
    }
    if (!final) {
        put_batch(of, document);
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
    if (final) {
        put_calls(of, og_put_array(document, "final"));
    } else {
        put_next(of, og_put_array(document, "next"));
    }
    if (of->coin != NULL) {
        put_workers(of, og_put_array(document, "workers"));
    }
    if (of->has_gold) {
        put_reliability(of, document);
    }
    put_summary(of, document);
    return document;
}
