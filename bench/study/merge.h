#ifndef OG_BENCH_STUDY_MERGE_H
#define OG_BENCH_STUDY_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/study/study_db.h"
#include "dp/base/status.h"

/*
 * One study's cells into another: what parts of a grid, on several machines, came to.
 *
 * Each is stored as a sweep would store it (og_study_db_put): what is known stays, a bracket gets
 * no wider, values that contradict each other are an error. It keeps the program and commit that
 * computed it; when it was finished is when it came here. Done again, it changes nothing; one that
 * is ended goes on.
 */
typedef struct {
    const char *path;          /* of the other study; borrowed, like the rest */
    const og_study_wait *wait; /* NULL is fine */
    /* Asked before each cell, with how many of how many are done; false ends it. NULL: nobody. */
    bool (*go_on)(void *user, int64_t done, int64_t cells);
    void *user;
} og_merge_request;

typedef struct {
    int64_t cells;   /* of the other study that were looked at */
    int64_t added;   /* of them, those that were not here */
    int64_t limited; /* of them, those in which something is not proved or not played */
    bool ended;      /* go_on said so */
} og_merged;

/* Is there a study at `path`? As og_study_db_open for reading: before another one is made. */
og_status og_study_check(const char *path, const og_study_wait *wait, og_message *message);

/*
 * OG_BAD_INPUT with a message: there is no study at `path`, or one of an older version, or it is
 * the same file. OG_FAILED: a value contradicts one that is here, or a database cannot be read or
 * written; what came before that cell stays. OG_NO_MEMORY.
 */
og_status og_study_merge(og_study_db *into, const og_merge_request *request, og_merged *out,
                         og_message *message);

#endif
