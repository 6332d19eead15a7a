#ifndef OG_BENCH_RECORDED_ITEMS_JSON_H
#define OG_BENCH_RECORDED_ITEMS_JSON_H

#include "bench/recorded/answers.h"

/*
 * A file of labels that is one JSON object with items as keys (private to bench/recorded/):
 *
 *   {"a": "yes", "b": ["yes", "no"]}                           its labels
 *   {"a": {"w1": "yes", "w2": "no"}}                           a worker's label each
 *   {"a": {"label": "yes", "worker": "w1", "times": 2}}        a row; or a list of them
 *
 * The object, the only field of the current row, is none of these if its keys, or those of the
 * objects in it, name a column of tasks, or its own ones labels or workers: then it is a row, or a
 * table by columns or by rows.
 *
 * Returns the text of the same labels as a list of rows, to be freed, or NULL: the object is not
 * such a file, which then remains as it is, or there is a failure of the rows.
 */
char *og_items_as_rows(const og_answers *answers);

#endif
