#ifndef OG_BENCH_STUDY_MERGE_H
#define OG_BENCH_STUDY_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/study/study_db.h"
#include "dp/base/stop.h"

/*
 * Merges one study's cells into another: for parts of a grid computed on several machines.
 *
 * Each cell is stored as a sweep would store it (og_study_db_put): known values stay, a bracket
 * does not grow, contradicting values are an error. It keeps the program and commit that computed
 * it; its time of completion is the time of the merge. A second merge changes nothing, and an
 * interrupted one can be continued.
 */
typedef struct {
    int64_t cells;   /* cells of the other study visited */
    int64_t added;   /* of them, those that were new */
    int64_t limited; /* of them, those in which a value is not proved or not simulated */
    bool ended;      /* the stop ended it */
} og_merged;

/* Check that there is a study at `path`, as og_study_db_open for reading, before another one is
 * created. */
og_status og_study_check(const char *path, const og_study_wait *wait, og_message *message);

/*
 * `wait` may be NULL. Before each cell the stop is told the number done and asked. OG_BAD_INPUT
 * with a message: there is no study at `path`, it has an older version, or it is the
 * same file. OG_FAILED: a value contradicts a stored one, or a database cannot be read or written;
 * earlier cells stay. OG_NO_MEMORY.
 */
og_status og_study_merge(og_study_db *into, const char *path, const og_study_wait *wait,
                         og_stop *stop, og_merged *out, og_message *message);

#endif
