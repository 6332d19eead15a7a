/* The families that the browser laboratory asks about: the linker leaves out the others' code. */
#include "bench/families/independent/independent.h"
#include "bench/families/ranking/ranking.h"
#include "bench/families/table.h"
#include "bench/families/workers/workers.h"

const og_family *const og_families[] = {&og_family_independent, &og_family_workers,
                                        &og_family_ranking, NULL};
