#ifndef OG_BENCH_RECORDED_ANSWERS_JSON_H
#define OG_BENCH_RECORDED_ANSWERS_JSON_H

#include "bench/recorded/answers.h"

/*
 * Files of labels in the JSON of annotation tools (private to bench/recorded/). The first object
 * shows the form:
 *
 *   Label Studio   data and annotations: each annotation's choices, rating or number
 *   doccano        text and annotations, with the users' numbers; or text and label of one user
 *   Prodigy        answer, with _task_hash or _input_hash: accept and reject, or the chosen option
 *   Ground Truth   datasetObjectId and annotations: a consolidation request, whose workers' content
 *                  is JSON in a text
 *   Argilla        fields and responses: the submitted answers to a question, by user_id
 *   Potato         label_annotations: of a question the chosen option
 *
 * --columns gives other keys, "data.id" for one inside of another. A list of one label is that
 * label, an empty one is none, and more are refused.
 *
 * False: it is a table of objects with keys as columns, whose keys are the next row (og_rows_keys).
 * In a build without Jansson all are.
 */
bool og_answers_read_json(const og_answers *answers);

/* The label in a cell of JSON, as Mechanical Turk writes answers: the only text, number or true
 * inside of it. To be freed; NULL, and a failure of the rows: there is none or more than one. */
char *og_answer_in_json(og_rows *rows, const char *text);

/* The same in a list of answers to questions, {"task": "T0", "value": "Yes"}, as Zooniverse writes
 * them: to this question, or "" for the only one that has a text or a number. "" if it is not
 * answered. */
char *og_answer_to(og_rows *rows, const char *text, const char *question);

#endif
