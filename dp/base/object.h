#ifndef OG_DP_BASE_OBJECT_H
#define OG_DP_BASE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"

/*
 * JSON objects as rows of a table. Each key is a column, "data.id" for one inside of another, in
 * the order of first appearance; an object may lack columns and may have new ones. The choices of
 * "mood": {"choices": [...]}, as Label Studio writes them, are in the column "mood".
 *
 * Values are texts: the characters of a string, without blanks around them; the digits of a number,
 * 1 for 1.0; true or false. null, NaN and what an object lacks are "". An array stays JSON.
 */
typedef struct {
    char **name;     /* [count] of the columns; owned */
    char **value;    /* [count] of the current object; they point into its text */
    int count;       /* at most OG_OBJECT_COLUMNS_MAX */
    int64_t trimmed; /* strings with blanks around them */

    /* Private. */
    int *seen; /* [seen_count] columns of the current object */
    size_t seen_count, seen_room, name_room, value_room, path_room, slot_count;
    int *slot; /* [slot_count] a column plus 1, by the hash of its name; 0: free */
    char *path;
} og_objects; /* zeros: no columns */

enum { OG_OBJECT_COLUMNS_MAX = 50000, OG_OBJECT_DEPTH_MAX = 100 };

/* Cut the text of one object, which changes it. OG_BAD_INPUT and *why: it is not JSON in UTF-8, or
 * has too many columns. OG_NO_MEMORY. After an error the values are invalid. */
og_status og_objects_cut(og_objects *objects, char *text, const char **why);
void og_objects_clear(og_objects *objects); /* a zeroed one is fine */

/*
 * The elements of an array in JSON, or as Python and NumPy print it ('...', or blanks for commas),
 * cut in place: begin with its text. Elements are texts as values are.
 */
typedef struct {
    char *at;
    char mark; /* the byte at `at`, which may have been overwritten; 0: before the first */
} og_array;

/* The next element; NULL: after the last one (then `mark` is ']'), or this is no array. */
char *og_array_next(og_array *array);

/* Sets *is: whether the text, which stays, is an array. OG_NO_MEMORY. */
og_status og_text_is_array(const char *text, bool *is);

#endif
