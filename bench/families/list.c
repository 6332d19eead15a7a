/* All families of problems. */
#include "bench/families/assignment/assignment.h"
#include "bench/families/deadline/deadline.h"
#include "bench/families/delayed/delayed.h"
#include "bench/families/features/features.h"
#include "bench/families/independent/independent.h"
#include "bench/families/independent/priced.h"
#include "bench/families/labelers/labelers.h"
#include "bench/families/process/process.h"
#include "bench/families/ranking/ranking.h"
#include "bench/families/sources/sources.h"
#include "bench/families/table.h"
#include "bench/families/workers/workers.h"

const og_family *const og_families[] = {
    &og_family_independent,
    &og_family_delayed,
    &og_family_batch,
    &og_family_deadline,
    &og_family_workers,
    &og_family_features,
    &og_family_ranking,
    &og_family_sources,
    &og_family_priced,
    &og_family_labelers,
    &og_family_assignment,
    &og_family_process,
    NULL,
};
