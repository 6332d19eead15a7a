#ifndef OG_BENCH_RECORDED_ANSWERS_JSON_H
#define OG_BENCH_RECORDED_ANSWERS_JSON_H

#include "bench/recorded/answers.h"

/*
 * Files of labels in JSON (private to bench/recorded/): an array of objects, or JSON lines. The
 * first object shows the form:
 *
 *   Label Studio      data and annotations: each annotation's choices, rating or number
 *   doccano           text and annotations, with the users' numbers; or text and label of one user
 *   Prodigy           answer, with _task_hash or _input_hash: accept and reject, or the chosen
 * option other             keys as the columns of a table, Label Studio's JSON-MIN among them
 *
 * --columns gives other keys, "data.id" for one inside of another. A list of one label is that
 * label, an empty one is none, and more are refused. In a build without Jansson all are refused.
 */
void og_answers_read_json(const og_answers *answers);

/* The label in a cell of JSON, as Mechanical Turk writes answers: the only text, number or true
 * inside of it. To be freed; NULL, and a failure of the rows: there is none or more than one. */
char *og_answer_in_json(og_rows *rows, const char *text);

#endif
