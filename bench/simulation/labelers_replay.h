#ifndef OG_BENCH_SIMULATION_LABELERS_REPLAY_H
#define OG_BENCH_SIMULATION_LABELERS_REPLAY_H

#include "bench/document.h"
#include "bench/recorded/labels.h"
#include "dp/base/stop.h"

/*
 * LS_OL (dp/families/labelers.h) on recorded votes, compared with asking all labelers. Tasks come
 * in random order, and the first becomes the first tester. Each labeler votes once on a task, so
 * testers are labelled once. A labeler without a vote on a task is not asked. A labeler's estimate
 * uses only testers with a vote, and is 1/2 before the first; of several votes on one task the
 * first counts. Labels are pluralities, with random ties; the best set is that of two classes.
 *
 * Weighted: votes have the weight log odds of (agreed + 1/2) / (testers + 1), and the label is a
 * class with the largest sum. Labelers are sorted by the size of their log odds, and the set is the
 * smallest prefix whose result the other votes can never change. So it is right as often as the
 * votes of all. If this is not found quickly, the others are asked too.
 *
 * Disagreements of a labeler are with the plurality of all; if it ties, the share of the tied
 * labels that differ. The error of a label is its distance from gold if all classes are whole
 * numbers, else 0 or 1.
 */
typedef struct {
    const og_labels *labels;
    const uint8_t *gold; /* [labels->task_count] as bench/recorded/gold.h */
    const char *name;    /* of the labels, for people */
    double explore;      /* G1 >= 0 */
    double drop;         /* as --drop; 0: never */
    double drop_exponent;
    bool weighted;
    bool result;    /* the document's "results" have what each policy concluded in the first run */
    bool in_order;  /* tasks come as in the labels, not in random order */
    int64_t budget; /* tasks, at least 1; -1: all */
    const int32_t *at; /* [at_count] tasks after which results are reported, ascending */
    int32_t at_count;
    bool counts;  /* also report disagreements of each labeler, and errors of labels */
    int64_t runs; /* >= 2 */
    uint64_t seed;
    og_stop *stop; /* looked at between runs; NULL: none */
} og_labelers_replay;

/* Simulate and write the document. OG_BAD_INPUT with a message: no worker is named, tasks times
 * workers exceeds OG_LABELERS_VOTES_MAX, or a budget is out of range. OG_STOPPED: stopped before
 * two runs; OG_NO_MEMORY. */
#define OG_LABELERS_VOTES_MAX 100000000
og_status og_labelers_replay_run(const og_labelers_replay *request, og_document **out,
                                 og_message *message);

#endif
