#ifndef OG_HEURISTICS_FAMILIES_KOS_H
#define OG_HEURISTICS_FAMILIES_KOS_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * The method of Karger, Oh and Shah [Budget-optimal task allocation for reliable crowdsourcing
 * systems, Operations Research 62 (2014)]: a random regular graph says which worker labels which
 * instance, and messages between them say how much each label counts.
 */

/* The next 64 random bits of the caller's stream. */
typedef uint64_t og_kos_random(void *stream);

/*
 * Assigns `count` labels to pairs. Each instance has count / instances of them and each worker
 * count / workers; if these are not whole, numbers differ by one, and which are larger is random.
 * The ends of edges are matched by a random permutation. A repeated pair exchanges its worker with
 * that of a random pair such that neither result is a repetition; it is kept if there is no such
 * pair, as with more labels of an instance than workers. Writes instance[count] and worker[count],
 * by instance. OG_NO_MEMORY. Takes about O(count) and a bit for each pair.
 */
og_status og_kos_assign(int32_t instances, int32_t workers, int32_t count, og_kos_random *random,
                        void *stream, int32_t *instance, int32_t *worker);

/* Labels as edges. A pair may occur more than once. */
typedef struct {
    int32_t instances, workers;
    int64_t count;
    const int32_t *instance, *worker; /* [count] */
    const int8_t *label;              /* [count] +1 or -1 */
} og_kos_labels;

/*
 * Passes messages: x of an edge is the sum of label * y over its instance's other edges, y of an
 * edge the sum of label * x over its worker's other edges. `message`[count] holds the first y, and
 * the last y after the call, divided by the largest in each round. score[instances] is the sum of
 * label * y over the instance's edges, divided by the largest absolute value; exactly 0 within
 * 1e-12 of it. Its sign is the call, and 0 means undecided. OG_NO_MEMORY. Takes O(count) a round.
 */
og_status og_kos_run(const og_kos_labels *labels, int32_t rounds, double *message, double *score);

#endif
