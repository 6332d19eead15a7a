#ifndef OG_DP_ENGINE_ACT_H
#define OG_DP_ENGINE_ACT_H

#include <stdint.h>

/* One act: an instance; an instance and a worker; a pair; bits of a set. Each family defines the
 * parts. */
typedef struct {
    uint32_t part[3];
} og_act;

/* `copies` acts that are alike and share a random tie. */
typedef struct {
    og_act act;
    int64_t copies;
} og_act_open;

/* The meaning of an answer's numbers, one for each open act. */
typedef enum {
    OG_ANSWER_INDEX,   /* the largest is taken; equal ones tie, counting copies */
    OG_ANSWER_WEIGHTS, /* probabilities, up to a factor; tie rules do not apply */
    OG_ANSWER_EXACT,   /* of a chooser: an index with exact numbers, so that no tolerance applies;
                        * og_ranks_ask returns it as OG_ANSWER_INDEX */
} og_answer;

static inline int og_act_equal(og_act x, og_act y)
{
    return x.part[0] == y.part[0] && x.part[1] == y.part[1] && x.part[2] == y.part[2];
}

#endif
