#ifndef OG_DP_ENGINE_ACT_H
#define OG_DP_ENGINE_ACT_H

#include <stdint.h>

/* What can be done: an instance; an instance and a worker; a pair; bits of a set. A family says
 * what the parts mean. */
typedef struct {
    uint32_t part[3];
} og_act;

/* `copies` acts alike, which share a random tie. */
typedef struct {
    og_act act;
    int64_t copies;
} og_open;

/* What an answer's numbers are, one for each act that is open. */
typedef enum {
    OG_ANSWER_INDEX,   /* the largest is taken; equal ones tie, copies counted */
    OG_ANSWER_WEIGHTS, /* probabilities, up to a factor; no tie rule is asked */
    OG_ANSWER_EXACT,   /* of a chooser: an index that stands for exact numbers, so that no tolerance
                          applies; og_ranks_ask tells it as OG_ANSWER_INDEX */
} og_answer;

static inline int og_act_equal(og_act x, og_act y)
{
    return x.part[0] == y.part[0] && x.part[1] == y.part[1] && x.part[2] == y.part[2];
}

#endif
