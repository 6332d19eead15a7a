/* Writes the points of curves for workers of unknown reliability. */
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
