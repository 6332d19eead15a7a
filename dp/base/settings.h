#ifndef OG_DP_BASE_SETTINGS_H
#define OG_DP_BASE_SETTINGS_H

#include "dp/base/status.h"

/* How values are computed: limits, the watch, files, and which methods. */

/* The reductions of the search. Each is exact and can be switched off, so that a test can compare
 * the value with and without it. */
enum {
    OG_REDUCE_SORT = 1,   /* 1: the order of instances does not matter */
    OG_REDUCE_MERGE = 2,  /* 2: equivalent nodes are one class, dead ones are dropped */
    OG_REDUCE_CAP = 4,    /* 3: copies that can never all be used are dropped; needs SORT */
    OG_REDUCE_FORCE = 8,  /* 4: a label that is at least as good as anything later is taken */
    OG_REDUCE_BOUND = 16, /* 5: actions that cannot win are skipped */
    OG_REDUCE_TWO = 32,   /* 6: two copies of the best arm force its label; needs SORT */
    OG_REDUCE_ALL = 63,
};

/* Which exact algorithm computes the optimum of independent instances in doubles. All give the same
 * value within its error bound. Only the recursion computes other values and other families. */
typedef enum {
    OG_ENGINE_AUTO,      /* the cheapest one by counted states, also a margin cut: two problems
                            without instances far from the threshold, if both ends agree. The choice
                            is deterministic */
    OG_ENGINE_RECURSION, /* with a memory and bounds */
    OG_ENGINE_BLOCKS, /* layers of dense tensors; OG_BAD_INPUT if they do not support the problem */
} og_engine;

/* How tables are read (bench/request.h). */
typedef struct og_tables og_tables;

typedef struct {
    int threads;           /* at most OG_THREADS_MAX; 0: one per core */
    uint64_t memory_bytes; /* hard limit for tables; 0: three quarters of the physical memory */
    unsigned reductions; /* OG_REDUCE_* for the optimum; a policy's value uses those that are exact
                            for the policy */
    og_engine engine;    /* for the optimum's value and Q, and for values of index policies */
    og_watch *watch;     /* NULL: no progress calls */
    void *watch_user;
    uint64_t states_max; /* stop after this many expanded states; 0: no limit. Each thread checks
                            this and memory after every 4096 states that it expands. A state of
                            blocks or of a margin cut counts as 1/40 */
    bool stop_when_full; /* stop at the memory limit instead of evicting the states that are
                            cheapest to compute again */
    /*
     * A checkpoint file for the optimum. It is read first, if it exists, and written at intervals
     * and when the computation is stopped. It holds states of the recursion, which then computes
     * the optimum, or with OG_ENGINE_BLOCKS whole layers. Borrowed; NULL: none.
     */
    const char *checkpoint;
    /* Least time between two checkpoints, which take at most a tenth of the time. 0:
     * OG_CHECKPOINT_SECONDS. */
    double checkpoint_seconds;
    /*
     * A folder for layers of blocks that do not fit in memory_bytes. They stay there if the
     * computation is stopped or killed, and the same computation resumes from the last whole layer.
     * They are removed once the value is computed. Borrowed; NULL: none.
     */
    const char *scratch;
    /* The ranks that compute the optimum of independent instances together, with layers of blocks,
     * as the program does under mpirun. Borrowed; NULL: this process alone. */
    const struct og_world *world;
    /* For bounds on independent instances: also compute the bound that plays the last joint_end
     * labels jointly. 0 .. 8 and less than the budget, else OG_BAD_INPUT; 0: omit it. It takes
     * longer than other bounds. */
    int32_t joint_end;
    const og_tables *tables; /* for questions about recorded labels; borrowed; NULL: as zeros */
} og_settings;

enum { OG_CHECKPOINT_SECONDS = 300, OG_THREADS_MAX = 1024 };

#endif
