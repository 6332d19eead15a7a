#ifndef OG_BENCH_RECORDED_CLASSES_H
#define OG_BENCH_RECORDED_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/rows.h"
#include "dp/prior/problem.h"

/* The most classes that a file of labels may have. Where values are computed there are at most
 * OG_CLASSES_MAX. */
enum { OG_CLASSES_READ = 250 };

/* The classes of labels, as they come. Zeros: none so far. */
typedef struct {
    int32_t count;
    bool fixed; /* no others are accepted */
    bool lone;  /* only one occurs: it is the second, and the first has a made name */
    char *name[OG_CLASSES_READ]; /* [count] owned */
} og_class_list;

void og_classes_clear(og_class_list *classes);

/* Whether a label is none: it is empty, or one of the values of --missing (`how` may be NULL). */
bool og_label_is_missing(const og_tables *how, const char *label);

/* A label of one person that is "-": it is none, unless a class is "+". */
static inline bool og_label_is_dash(const char *label)
{
    return label[0] == '-' && label[1] == '\0';
}

/* Takes the classes of --classes, if it is given, in their order; no others are accepted then.
 * False, and a failure of the rows: there are fewer than two, or one is there twice. */
bool og_classes_begin(og_class_list *classes, og_rows *rows, const og_tables *how);

/* Adds a class. False, and a failure of the rows: there are OG_CLASSES_READ, or no memory. */
bool og_classes_add(og_class_list *classes, og_rows *rows, const char *name);

/* The number of a label's class, a new one if it is new; the label's text is normalised: 1.0
 * becomes 1, True becomes true. False, and a failure of the rows: it is not one of the fixed ones,
 * has several lines, is one too many, or one of words and numbers among the other. */
bool og_classes_number(og_class_list *classes, og_rows *rows, char *label, uint8_t *number);

/*
 * Puts the classes in order, numbers by value and words by bytes, or two of which one usually is
 * positive (no and yes) with that one second; those of --classes have theirs. `how->positive` then
 * becomes the second. place[k] is the new number of class k. Fewer than two are completed: to a
 * usual pair, with `how->positive`, or with "not NAME". False, and a failure of the rows: no class
 * is called `positive`.
 */
bool og_classes_sort(og_class_list *classes, og_rows *rows, const og_tables *how,
                     uint8_t place[OG_CLASSES_READ]);

/* OG_BAD_INPUT if there are more classes than values can be computed for. */
og_status og_classes_check(int32_t count, const char *path, og_message *message);

/* Class k, from 0, as task assignment has it: +1 and -1 of two classes, where the second is +1; 1,
 * 2, ... of several. */
static inline int8_t og_class_code(int32_t classes, int32_t k)
{
    return (int8_t)(classes > 2 ? k + 1 : k == 1 ? 1 : -1);
}

#endif
