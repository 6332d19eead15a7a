/* Reads the priors of tasks, of workers and of items. */
#include "bench/recorded/coins.h"

#include <string.h>

#include "dp/prior/worker.h"

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
