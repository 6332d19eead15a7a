/* Calls from labels by workers of unknown reliability. */
#include "bench/recorded/coins.h"

#include <string.h>

#include "dp/prior/worker.h"
#include "heuristics/families/ranking_belief.h"
#include "heuristics/families/workers_policy.h"

enum { AT_ONCE = 256 };

void og_coin_calls(const og_labels *labels, double *task, double *worker, double *chance)
{
    for (int64_t i = 0; i < labels->label_count; i++) {
        og_workers_match(&task[2 * (size_t)labels->task[i]], &worker[2 * (size_t)labels->worker[i]],
                         og_labels_outcome(labels, i) == 0);
    }
    for (uint32_t i = 0; i < labels->task_count; i += AT_ONCE) {
        double x[AT_ONCE], y[AT_ONCE];
        uint32_t left = labels->task_count - i;
        int32_t count = left < AT_ONCE ? (int32_t)left : AT_ONCE;
        for (int32_t k = 0; k < count; k++) {
            x[k] = task[2 * (i + (size_t)k)];
            y[k] = task[2 * (i + (size_t)k) + 1];
        }
        og_ranking_above(x, y, count, chance + i);
    }
}

og_status og_one_beta(const char *option, const char *each, const char *text, og_group *out,
                      og_message *message)
{
    OG_TRY(og_group_parse(text, out, message));
    if (out->kind != OG_PRIOR_BETA || out->count != 1 ||
        out->threshold.num * 2 != out->threshold.den) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--%s must be A,B, a Beta, one prior for all %ss (the threshold must "
                              "be 0.5), not '%.64s'",
                              option, each, text);
    }
    return OG_OK;
}

og_status og_one_worker(const char *text, og_group *out, og_message *message)
{
    OG_TRY(og_worker_parse(text, out, message));
    if (out->kind == OG_PRIOR_DIRICHLET || out->count != 1 ||
        out->threshold.num * 2 != out->threshold.den) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--workers-prior must be A,B, a Beta, one prior for all workers (the "
                              "threshold must be 0.5), or A,B/A,B or W*A,B+W*A,B, not '%.64s'",
                              text);
    }
    return OG_OK;
}

og_status og_coin_prior(const char *text, double worker[2], og_message *message)
{
    og_group prior;
    OG_TRY(og_one_worker(text, &prior, message));
    if (prior.kind != OG_PRIOR_BETA) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--workers-prior must be A,B, a Beta, one prior for all workers: two "
                              "coins and mixtures are not supported here, but '%.64s' was given",
                              text);
    }
    worker[0] = og_fraction_double(prior.a);
    worker[1] = og_fraction_double(prior.b);
    return OG_OK;
}

og_status og_pairs_prior_read(const char *items, const char *workers, og_pairs_prior *out,
                              og_message *message)
{
    og_fraction read = {1, 1};
    if (items != NULL &&
        (og_fraction_parse(items, strlen(items), &read) != OG_OK || read.num <= 0)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--prior must be the parameter A > 0 of every item, not '%.64s'",
                              items);
    }
    *out = (og_pairs_prior){.item = og_fraction_double(read)};
    return workers != NULL ? og_coin_prior(workers, out->worker, message) : OG_OK;
}
