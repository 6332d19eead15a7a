#ifndef OG_TOOLS_SWEEP_CELLS_H
#define OG_TOOLS_SWEEP_CELLS_H

#include <stdint.h>

#include "tools/option/options.h"
#include "tools/sweep/answers.h"

/* A command line to be asked, and its key in the file of answers. Owns both. */
typedef struct {
    char **word; /* [count] after the command's name, ended by NULL */
    int32_t count;
    char *key;
} cell;

void cell_clear(cell *one);
char *cell_line(const command *asked, const cell *one); /* for a shell; to be freed */

typedef struct {
    const command *asked;
    const cell *cell; /* [count] */
    int64_t count;
    int32_t threads;
    uint64_t memory_bytes; /* of all cells that are asked at once */
    bool own_memory;       /* it was given */
    double seconds_max;    /* of each cell; 0: no limit */
    int (*run)(const command *asked, int argc, char **argv); /* a command line's exit status */
    answers *into;
} cells_work;

typedef struct {
    int64_t done, stopped; /* answered; of these, ended by a limit */
    bool interrupted;
} cells_done;

/*
 * Asks each cell in a process of its own, as many at once as there are threads, and appends its
 * answer. As long as there are more cells than threads, each has one thread and its share of the
 * memory; a cell for which that was too little is asked again at the end, alone.
 *
 * Ends at the first cell that fails, with its message and the cell's command line (OG_BAD_INPUT,
 * OG_FAILED), or after a signal, with OG_OK. Unfinished cells are not answered; of the finished
 * ones each has its line.
 */
og_status cells_ask(const cells_work *work, cells_done *out, og_message *message);

#endif
