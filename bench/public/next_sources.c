/* Plans labels from sources with prices, and writes the document. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench/public/next_work.h"

og_status og_next_read_sources(og_next_work *next, og_message *message)
{
    const og_batch *given = next->given;
    const char *other = given->stakes.price != NULL     ? "--price"
                        : given->stakes.payoff != NULL  ? "--payoff"
                        : given->model_strength != NULL ? "--model-strength"
                        : given->free_file != NULL      ? "--workers-free"
                        : given->per_batch > 1          ? "--per-batch"
                        : given->workers_prior != NULL  ? "--workers-prior"
                                                        : NULL;
    if (other != NULL) {
        return og_message_set(message, OG_BAD_INPUT, "--source and %s cannot be combined; omit one",
                              other);
    }
    for (int32_t k = 0; k < given->source_count; k++) {
        OG_TRY(
            og_option_read(og_sources_option_set.rows, &next->sources, given->sources[k], message));
    }
    return og_crowd_check(&next->sources.given, message);
}

static og_status make_offers(og_next_work *next, og_offers *offers, og_message *message)
{
    uint32_t tasks = next->labels.task_count;
    int32_t classes = og_labels_classes(&next->labels);
    if (classes != 2 || next->prior.kind != OG_PRIOR_BETA) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--source supports labels of two classes and a prior A,B, which "
                              "means that a task is positive with probability A/(A+B)");
    }
    double a = og_fraction_double(next->prior.a), b = og_fraction_double(next->prior.b);
    double *prior = og_arena_array(&next->arena, tasks, sizeof *prior);
    const char **name = og_arena_array(&next->arena, OG_SOURCES_MAX, sizeof *name);
    OG_TRY(og_arena_status(&next->arena));
    for (uint32_t i = 0; i < tasks; i++) {
        bool known = next->share != NULL && next->share[i] != OG_SHARE_NONE;
        prior[i] = known ? next->share[i] / 100.0 : a / (a + b);
    }
    for (int32_t j = 0; j < OG_SOURCES_MAX; j++) {
        name[j] = next->sources.name[j];
    }
    *offers = (og_offers){&next->sources.given, name, prior, next->terms.room};
    return OG_OK;
}

/* The belief about sources of unknown accuracy; NULL if there are none. */
static og_status believe_sources(og_next_work *next, const og_offers *offers,
                                 const og_crowd_belief **belief, og_message *message)
{
    *belief = NULL;
    if (!og_crowd_any(&next->sources.given)) {
        return OG_OK;
    }
    next->source_of =
        og_arena_array(&next->arena, next->labels.worker_count, sizeof *next->source_of);
    OG_TRY(OG_ALLOCATED(next->source_of));
    *belief = &next->belief;
    return og_sources_believe(&next->labels, offers, &next->asked->stop, next->source_of,
                              &next->belief, message);
}

og_status og_next_find_purchases(og_next_work *next, og_message *message)
{
    og_offers offers;
    uint32_t tasks = next->labels.task_count;
    OG_TRY(make_offers(next, &offers, message));
    next->counts = og_arena_array(&next->arena, 2 * (size_t)tasks, sizeof *next->counts);
    OG_TRY(og_arena_status(&next->arena));
    for (int64_t i = 0; i < next->labels.label_count; i++) {
        next->counts[2 * (size_t)next->labels.task[i] +
                     (size_t)og_labels_outcome(&next->labels, i)]++;
    }
    const og_crowd_belief *belief;
    OG_TRY(believe_sources(next, &offers, &belief, message));
    return og_purchases_find(next->asked, &next->labels, &offers, belief, &next->purchases,
                             message);
}

og_status og_next_call_by_sources(og_next_work *next, og_message *message)
{
    og_offers offers;
    OG_TRY(make_offers(next, &offers, message));
    const og_crowd_belief *belief;
    OG_TRY(believe_sources(next, &offers, &belief, message));
    OG_TRY(og_sources_calls(&next->labels, &offers, belief, next->worth, message));
    for (uint32_t i = 0; i < next->labels.task_count; i++) {
        next->called[i] = next->worth[i] >= 0.5 ? 0 : 1;
        next->worth[i] = fmax(next->worth[i], 1 - next->worth[i]);
    }
    return OG_OK;
}

/* ---- the document ---- */

static void put_purchases(const og_next_work *next, og_document *rows)
{
    for (int32_t k = 0; k < next->purchases.count; k++) {
        const og_purchase *one = &next->purchases.purchase[k];
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "task", og_labels_task_name(&next->labels, one->task));
        og_put_whole(row, "rank", (uint64_t)k + 1);
        og_put_whole(row, "positive", (uint64_t)next->counts[2 * (size_t)one->task]);
        og_put_whole(row, "negative", (uint64_t)next->counts[2 * (size_t)one->task + 1]);
        og_put_text(row, "source", next->sources.name[one->source]);
        og_put_number(row, "index", one->gain);
        og_put_number(row, "probability", one->positive);
    }
}

static void put_sources(const og_next_work *next, og_document *rows)
{
    for (int32_t j = 0; j < next->sources.given.sources.count; j++) {
        const og_label_source *source = &next->sources.given.sources.source[j];
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "name", next->sources.name[j]);
        og_put_whole(row, "price", (uint64_t)source->price);
        og_put_number(row, "accuracy", next->purchases.accuracy[j]);
        og_put_whole(row, "labels", (uint64_t)next->purchases.given[j]);
        og_put_number(row, "planned", next->purchases.planned[j]);
    }
}

static void put_summary(const og_next_work *next, og_document *document)
{
    char words[2048];
    const og_purchases *found = &next->purchases;
    int used = snprintf(words, sizeof words,
                        "%" PRId32 " units can raise the expected correct calls of %" PRIu32
                        " tasks from %.2f to at most %.2f (%s); planned:",
                        next->given->budget, next->labels.task_count, found->now, found->most,
                        next->source_of != NULL ? "with the expected accuracies" : "proved");
    for (int32_t j = 0; j < next->sources.given.sources.count; j++) {
        used += snprintf(words + used, sizeof words - (size_t)used, "%s %.1f labels of %s",
                         j > 0 ? "," : "", found->planned[j], next->sources.name[j]);
    }
    if (found->count < next->given->batch) {
        snprintf(words + used, sizeof words - (size_t)used,
                 "; only %" PRId32 " of %" PRId32 " labels are worth their price now", found->count,
                 next->given->batch);
    }
    og_put_text(document, "summary", words);
}

og_document *og_next_describe_purchases(const og_next_work *next)
{
    og_document *document = og_document_new();
    og_put_whole(document, "tasks", next->labels.task_count);
    og_put_whole(document, "labels", (uint64_t)next->labels.label_count);
    og_put_text(document, "positive_class", og_labels_class_name(&next->labels, 1));
    og_put_text(document, "negative_class", og_labels_class_name(&next->labels, 0));
    og_put_whole(document, "budget", (uint64_t)next->given->budget);
    og_put_whole(document, "batch", (uint64_t)next->purchases.count);
    og_put_whole(document, "seed", next->asked->request.seed);
    og_put_number(document, "value_now", next->purchases.now);
    og_put_number(document, "value_at_most", next->purchases.most);
    og_put_number(document, "price", next->purchases.unit);
    put_sources(next, og_put_array(document, "sources"));
    put_purchases(next, og_put_array(document, "next"));
    if (next->source_of != NULL) {
        og_next_put_workers(next, document);
    }
    put_summary(next, document);
    return document;
}
