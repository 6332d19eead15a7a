#ifndef OG_BENCH_RECORDED_BETAS_H
#define OG_BENCH_RECORDED_BETAS_H

#include "bench/recorded/columns.h"
#include "bench/recorded/labels.h"
#include "dp/base/status.h"

/*
 * Reads the priors of tasks (OG_COLUMN_TASK) or workers (OG_COLUMN_WORKER) of recorded labels from
 * a table with a column of names, found like those of the labels, and the columns a and b of tasks,
 * c and d of workers. Rows for names without labels are ignored.
 *
 * beta[2 * count] receives the two parameters of each task or worker; one without a row gets
 * `rest`, which may be NULL. OG_BAD_INPUT with a message: a column is missing, a number is out of
 * range, a name has two different priors, no name has labels, or a name has no row and `rest` is
 * NULL. OG_STOPPED, OG_NO_MEMORY, OG_FAILED as in dp/base/rows.h.
 */
og_status og_betas_read(const char *path, og_column column, const og_labels *labels,
                        const og_settings *settings, const double rest[2], double *beta,
                        og_message *message);

#endif
