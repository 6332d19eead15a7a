#ifndef OG_BENCH_RECORDED_EXPORTS_H
#define OG_BENCH_RECORDED_EXPORTS_H

#include "bench/recorded/answers.h"

/*
 * Tables that other programs export, known by their header (private to bench/recorded/). What
 * --columns gives goes before.
 *
 *   Mechanical Turk  HITId and WorkerId. The task is a column Input.NAME with a usual name
 *                    (Input.id), else HITId; the label is the only column Answer.NAME, or the one
 *                    with a usual name, or of columns Answer.NAME.CLASS the one that is true;
 *                    Answer.taskAnswers is JSON. Rejected answers are no labels.
 *   Toloka           ASSIGNMENT:worker_id. The task is the only column INPUT:NAME, else
 *                    ASSIGNMENT:task_id; the label the only OUTPUT:NAME, gold GOLDEN:NAME. Answers
 *                    that are rejected, skipped, expired or not yet given are no labels.
 *   Label Studio     annotation_id and annotator. The task is id; the label the only column that
 *                    is not one of Label Studio's own or usual data.
 *   Figure Eight     _unit_id and _worker_id. The label is the only column NAME beside NAME_gold,
 *                    which is gold. Tainted answers are no labels.
 *   Zooniverse       annotations and subject_ids, classifications. The worker is user_name; the
 *                    label the value of the question that --columns label=T0 gives, else the only
 *                    one with a single answer.
 *   Potato           instance_id and columns NAME:::CLASS of one NAME, of which the one with a
 *                    value is the label.
 */
typedef enum {
    OG_EXPORT_NONE,
    OG_EXPORT_MTURK,
    OG_EXPORT_TOLOKA,
    OG_EXPORT_LABEL_STUDIO,
    OG_EXPORT_FIGURE_EIGHT,
    OG_EXPORT_ZOONIVERSE,
    OG_EXPORT_POTATO,
} og_export;

/* The kind of export that `how->format` names, else of which the current row is the header. */
og_export og_export_of(const og_rows *rows, const og_tables *how);

/* Reads it, its header being the current row, as og_answers_read. */
void og_answers_read_export(const og_answers *answers, og_export kind);

#endif
