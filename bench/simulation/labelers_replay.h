#ifndef OG_BENCH_SIMULATION_LABELERS_REPLAY_H
#define OG_BENCH_SIMULATION_LABELERS_REPLAY_H

#include "bench/document.h"
#include "bench/recorded/labels.h"
#include "dp/base/status.h"

/*
 * LS_OL (dp/families/labelers.h) on recorded votes, beside asking everybody: tasks come in random
 * orders, and the first becomes the first tester. Nobody votes twice, so testers are labelled once.
 * Who has no vote on a task is not asked, and a labeler's estimate is over his own testers, 1/2
 * before the first; of several votes on one task the first counts. Labels are pluralities, ties
 * drawn; the best set is that of two classes.
 *
 * Weighted: a labeler's votes count by the log odds of (agreed + 1/2) / (testers + 1), the label is
 * a class with the largest sum, and the set is the smallest prefix, by the size of their log odds,
 * whose votes the others can never turn: it is right as often as everybody's vote. Where that takes
 * long to find out, the others are asked too.
 */
typedef struct {
    const og_labels *labels;
    const uint8_t *gold; /* [labels->task_count] as bench/recorded/gold.h */
    const char *name;    /* of the labels, for people */
    double explore;      /* G1 >= 0 */
    double drop;         /* as --drop; 0: nobody */
    bool weighted;
    int64_t runs; /* >= 2 */
    uint64_t seed;
    bool (*stops)(void *user); /* asked between runs; may be NULL */
    void *user;
} og_labelers_replay;

/* The whole of it. OG_BAD_INPUT with a message: no worker is named, or more votes are possible than
 * OG_LABELERS_VOTES_MAX; OG_STOPPED: stopped before two runs; OG_NO_MEMORY. */
#define OG_LABELERS_VOTES_MAX 100000000
og_status og_labelers_replay_run(const og_labelers_replay *request, og_document **out,
                                 og_message *message);

#endif
