#ifndef OG_TOOLS_SUGGEST_H
#define OG_TOOLS_SUGGEST_H

#include <stddef.h>

/*
 * How many letters must be inserted, deleted, replaced or swapped with their neighbour to turn one
 * word into the other (each letter in one swap at most). Only the first 63 letters count.
 */
int edit_distance(const char *a, const char *b);

/* The name nearest to `word`, the first of equally near ones; NULL if count is 0. */
const char *nearest_name(const char *word, const char *const *names, size_t count);

#endif
