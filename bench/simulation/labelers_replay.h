#ifndef OG_BENCH_SIMULATION_LABELERS_REPLAY_H
#define OG_BENCH_SIMULATION_LABELERS_REPLAY_H

#include "bench/asked.h"
#include "bench/recorded/labels.h"

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

/* Replay the og_replay_input of a question with these labels and gold, [labels->task_count] as in
 * bench/recorded/gold.h, and write the document; stops between runs. OG_BAD_INPUT with a message:
 * no worker is named, tasks times workers exceeds OG_LABELERS_VOTES_MAX, or a budget is out of
 * range. OG_STOPPED: stopped before two runs; OG_NO_MEMORY. */
#define OG_LABELERS_VOTES_MAX 100000000
og_status og_labelers_replay_run(const og_asked *asked, const og_labels *labels,
                                 const uint8_t *gold, og_document **out, og_message *message);

#endif
