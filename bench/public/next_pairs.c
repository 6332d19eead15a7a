/* Finds the pairs to compare next, or the ranking so far, from recorded comparisons, and writes the
 * document. */
#include "bench/recorded/next_pairs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/public/next_work.h"
#include "bench/recorded/coins.h"

typedef struct {
    const og_batch *given;
    const og_request *request;
    og_pairs_prior prior;
    og_pairs from;
    og_pairs_plan plan;
} pairs_work;

/* ---- the document ---- */

static void put_pairs(const pairs_work *work, og_document *rows)
{
    for (int32_t k = 0; k < work->plan.count; k++) {
        const og_next_pair *pair = &work->plan.pair[k];
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "left", work->from.item[pair->item[0]]);
        og_put_text(row, "right", work->from.item[pair->item[1]]);
        og_put_whole(row, "rank", (uint64_t)k + 1);
        og_put_number(row, "index", pair->index);
        if (work->prior.worker[0] > 0) {
            og_put_text(row, "worker", work->from.worker[pair->worker]);
        }
    }
}

/* null: with too many items. */
static void put_known(og_document *to, const char *key, double number)
{
    if (isnan(number)) {
        og_put_null(to, key);
    } else {
        og_put_number(to, key, number);
    }
}

static void put_ranking(const pairs_work *work, og_document *rows)
{
    for (uint32_t k = 0; k < work->from.item_count; k++) {
        uint32_t item = work->plan.ranking[k];
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "item", work->from.item[item]);
        og_put_whole(row, "rank", (uint64_t)k + 1);
        og_put_number(row, "score", work->plan.score[item]);
        put_known(row, "parameter", work->plan.score[item] * work->plan.sum);
        put_known(row, "above_next", work->plan.above_next[k]);
    }
}

static void put_workers(const pairs_work *work, og_document *rows)
{
    for (uint32_t w = 0; w < work->from.worker_count; w++) {
        const double *has = work->plan.worker + 2 * (size_t)w;
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "worker", work->from.worker[w]);
        og_put_number(row, "reliability", has[0] / (has[0] + has[1]));
        og_put_numbers(row, "posterior", has, 2);
    }
}

static og_document *describe(const pairs_work *work)
{
    char words[256];
    og_document *document = og_document_new();
    og_put_whole(document, "items", work->from.item_count);
    og_put_whole(document, "comparisons", (uint64_t)work->from.count);
    og_put_whole(document, "draws", (uint64_t)work->from.draws);
    og_put_number(document, "prior", work->prior.item);
    put_known(document, "pairs_right", work->plan.sorted);
    if (work->given->final_calls) {
        put_ranking(work, og_put_array(document, "final"));
    } else {
        og_put_text(document, "policy", work->plan.nearest ? "distance" : "akg");
        og_put_whole(document, "batch", (uint64_t)work->plan.count);
        og_put_whole(document, "seed", work->request->seed);
        put_pairs(work, og_put_array(document, "next"));
    }
    if (work->prior.worker[0] > 0) {
        put_workers(work, og_put_array(document, "workers"));
    }
    int used = snprintf(words, sizeof words, "%" PRId64 " comparison%s of %" PRIu32 " items",
                        work->from.count, work->from.count == 1 ? "" : "s", work->from.item_count);
    if (!isnan(work->plan.sorted)) {
        used +=
            snprintf(words + used, sizeof words - (size_t)used,
                     "; the ranking is expected to have %.4g %% of the pairs in the right order",
                     100 * work->plan.sorted);
    }
    snprintf(words + used, sizeof words - (size_t)used, "; prior %.10g%s%s", work->prior.item,
             work->prior.worker[0] > 0 ? "" : "; workers are assumed to be always right",
             work->plan.settled ? "" : "; the workers' reliabilities did not settle");
    og_put_text(document, "summary", words);
    return document;
}

/* ---- the work ---- */

static og_status check(const og_batch *given, og_message *message)
{
    const char *other = given->labels_file != NULL      ? "--labels"
                        : given->closed_file != NULL    ? "--closed"
                        : given->free_file != NULL      ? "--workers-free"
                        : given->gold_file != NULL      ? "--gold"
                        : given->model_strength != NULL ? "--model-strength"
                        : given->max_per_task > 0       ? "--max-per-task"
                        : given->per_batch > 0          ? "--per-batch"
                        : given->source_count > 0       ? "--source"
                        : given->stakes.price != NULL   ? "--price"
                        : given->stakes.payoff != NULL  ? "--payoff"
                                                        : NULL;
    if (other != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--pairs does not support %s; omit one of them", other);
    }
    if (!given->final_calls && given->batch < 1) {
        return og_message_set(message, OG_BAD_INPUT, "--batch must be at least 1, not %" PRId32,
                              given->batch);
    }
    return OG_OK;
}

static og_status check_policy(const og_asked *asked, og_message *message)
{
    if (asked->policy_count > 1) {
        return og_message_set(message, OG_BAD_INPUT, "next supports one policy; give one");
    }
    const char *name = asked->policy_count == 0 ? "akg" : asked->policies[0].name;
    if (strcmp(name, "distance") != 0 && strcmp(name, "akg") != 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--policy must be akg or distance with --pairs, not '%.64s'", name);
    }
    return OG_OK;
}

static og_status find(og_asked *asked, pairs_work *work, og_message *message)
{
    OG_TRY(check(work->given, message));
    OG_TRY(check_policy(asked, message));
    OG_TRY(
        og_pairs_prior_read(work->given->prior, work->given->workers_prior, &work->prior, message));
    const og_settings *settings = &work->request->settings;
    const og_pairs_files files = {.pairs = work->given->pairs_file,
                                  .items = work->given->tasks_file};
    OG_TRY(og_pairs_read(&files, settings, &work->from, message));
    og_pairs_warning(&work->from, work->given->pairs_file, settings, &asked->warning);
    og_rows_note(&asked->warning, files.items, work->from.items_trimmed);
    og_stop_tell(&asked->stop, "choosing", 0);
    return og_pairs_plan_find(asked, &work->from, &work->prior, false, &work->plan, message);
}

og_status og_asked_next_pairs(og_asked *asked, og_message *message)
{
    pairs_work work = {.given = asked->given, .request = &asked->request};
    og_status status = find(asked, &work, message);
    if (status == OG_OK) {
        asked->document = describe(&work);
    }
    og_pairs_plan_clear(&work.plan);
    og_pairs_clear(&work.from);
    return status;
}
