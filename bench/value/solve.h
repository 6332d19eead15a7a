#ifndef OG_BENCH_VALUE_SOLVE_H
#define OG_BENCH_VALUE_SOLVE_H

#include <gmp.h>
#include <stdbool.h>

#include "bench/family.h"
#include "bench/value/model_file.h"
#include "dp/export/export.h"
#include "dp/product/forecast.h"
#include "dp/product/optimum/optimum.h"

/* The optimal value and, on request, the optimal policy or a forecast of the size. */
typedef struct {
    const og_family *family;
    const void *problem; /* of the family; borrowed, like the rest */
    og_settings settings;
    bool exact;                /* fractions; OG_BAD_INPUT if there are none */
    const char *export_policy; /* a file for the optimal choices; NULL: none */
    bool all_optimal;          /* export all optimal actions, not one for each state */
    const char *export_model; /* a file for model checkers (bench/value/model_file.h); NULL: none */
    bool dry_run;             /* solve nothing: fill `forecast` */
} og_solve_request;

typedef struct {
    double prior; /* expected without any label */
    og_result result;
    og_labels_bought labels; /* if labels have a price */
    mpq_t value, gain;       /* with request->exact */
    og_message warning;      /* that a checkpoint could not be written; or empty */
    og_export_info exported;
    og_model_file_info model;
    og_forecast forecast; /* only with request->dry_run; then only this and `blocks` are set */
    og_blocks_size blocks;
    bool blocks_known, blocks_exact; /* if false, the size is an upper limit */
    bool by_blocks; /* the forecast is for blocks and bytes_per_state is NAN: the recursion would
                       not run */
} og_solved;

/* Fill *out; free it with og_solved_clear, whatever is returned. OG_STOPPED or OG_NO_MEMORY with a
 * message if a limit was reached; OG_BAD_INPUT if the family does not support a request. */
og_status og_solve_run(const og_solve_request *request, og_solved *out, og_message *message);

void og_solved_clear(og_solved *solved);

og_document *og_solved_describe(const og_solve_request *request, const og_solved *found);

#endif
