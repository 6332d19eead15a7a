/* Writes the points of curves, and beliefs, for workers of unknown reliability. */
#include "bench/simulation/workers_document.h"

#include <math.h>
#include <string.h>

#include "bench/simulation/sources.h"

void og_workers_put_point(const char *policy, const og_estimate *metric, int32_t at_count,
                          og_document *object)
{
    const og_estimate *majority = &metric[OG_WORKERS_MAJORITY * at_count];
    bool graph = strncmp(policy, "kos", 3) == 0; /* without a posterior */
    og_put_number(object, "believed", graph ? NAN : metric[OG_WORKERS_BELIEVED * at_count].mean);
    og_put_number(object, "repeats", metric[OG_WORKERS_REPEATS * at_count].mean);
    og_document *votes = og_put_object(object, "majority");
    og_put_number(votes, "mean", majority->mean);
    og_put_number(votes, "standard_error", majority->standard_error);
}

void og_workers_put_belief(og_document *object, const char *key, const og_worker_form *form,
                           const double *belief)
{
    if (form == NULL || form->kind == OG_PRIOR_BETA) {
        og_put_numbers(object, key, belief, 2);
        return;
    }
    int32_t each = form->kind == OG_PRIOR_COINS ? 2 : 3;
    og_document *rows = og_put_array(object, key);
    for (int32_t m = 0; m < form->parts; m++) {
        og_put_numbers(rows, NULL, &belief[each * m], each);
    }
}
