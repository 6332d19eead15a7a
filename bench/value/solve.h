#ifndef OG_BENCH_VALUE_SOLVE_H
#define OG_BENCH_VALUE_SOLVE_H

#include <gmp.h>
#include <stdbool.h>

#include "bench/family.h"
#include "bench/value/model_file.h"
#include "dp/export/export.h"
#include "dp/product/forecast.h"
#include "dp/product/optimum/optimum.h"

/* The optimal value alone, and on request what optimal play does, or how large it all can be. */
typedef struct {
    const og_family *family;
    const void *problem; /* of the family; borrowed, like the rest */
    og_settings settings;
    bool exact;                /* fractions; OG_BAD_INPUT if there are none */
    const char *export_policy; /* a file for what optimal play labels; NULL: not wanted */
    bool all_optimal;          /* in it: all optimal actions, not one of each state */
    const char *export_model; /* a file for model checkers (bench/value/model_file.h); NULL: none */
    bool dry_run;             /* solve nothing: fill `forecast` */
    /* Told what begins behind the solving, from the calling thread; may be NULL. */
    void (*progress)(void *user, const char *stage);
    void *user;
} og_solve_request;

typedef struct {
    double prior; /* expected without any label */
    og_result result;
    og_labels_bought labels; /* where they have a price */
    mpq_t value, gain;       /* with request->exact */
    og_message warning;      /* a checkpoint that could not be written; or empty */
    og_export_info exported;
    og_model_file_info model;
    og_forecast forecast; /* with request->dry_run, and nothing else than this and blocks */
    og_blocks_size blocks;
    bool blocks_known, blocks_exact; /* else they are at most of that size */
    bool by_blocks; /* the forecast is theirs, bytes_per_state NAN: the recursion is not begun */
} og_solved;

/* Fill *out; free it with og_solved_clear, whatever is returned. OG_STOPPED or OG_NO_MEMORY with a
 * message where a limit was reached; OG_BAD_INPUT for what the family has not. */
og_status og_solve_run(const og_solve_request *request, og_solved *out, og_message *message);

void og_solved_clear(og_solved *solved);

og_document *og_solved_describe(const og_solve_request *request, const og_solved *found);

#endif
