#ifndef OG_BENCH_RECORDED_CLASSES_H
#define OG_BENCH_RECORDED_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/rows.h"
#include "dp/prior/problem.h"

enum { OG_CLASS_NAME_BYTES = 32 };

/* The classes of labels, as they come. */
typedef struct {
    int32_t count;
    bool fixed; /* no others are accepted */
    char name[OG_CLASSES_MAX][OG_CLASS_NAME_BYTES];
} og_class_list;

/* Whether a label is none: it is empty, or one of the values of --missing (`how` may be NULL). */
bool og_label_is_missing(const og_tables *how, const char *label);

/* The number of a label's class, a new one if it is new; the label's text is normalised: 1.0
 * becomes 1, True becomes true. False, and a failure of the rows: it is too long, is not one of the
 * fixed ones, is an eleventh, or one of words and numbers among the other. */
bool og_classes_number(og_class_list *classes, og_rows *rows, char *label, uint8_t *number);

/*
 * Puts the classes in order, numbers by value and words by bytes, or two of which one usually is
 * positive (no and yes) with that one second. `how->positive` then becomes the second. place[k] is
 * the new number of class k. A single class is completed to a usual pair, or with `how->positive`.
 * False, and a failure of the rows: there is only one class, or no class is called `positive`.
 */
bool og_classes_sort(og_class_list *classes, og_rows *rows, const og_tables *how,
                     uint8_t place[OG_CLASSES_MAX]);

/* Class k, from 0, as task assignment has it: +1 and -1 of two classes, where the second is +1; 1,
 * 2, ... of several. */
static inline int8_t og_class_code(int32_t classes, int32_t k)
{
    return (int8_t)(classes > 2 ? k + 1 : k == 1 ? 1 : -1);
}

#endif
