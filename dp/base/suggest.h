#ifndef OG_DP_BASE_SUGGEST_H
#define OG_DP_BASE_SUGGEST_H

#include <stddef.h>

/* What somebody may have meant by a word that is no known name. */

/*
 * How many letters must be inserted, deleted, replaced or swapped with their neighbour to turn one
 * word into the other (each letter in one swap at most); capitals are as good as small letters.
 * Only the first 63 letters count.
 */
int og_edit_distance(const char *a, const char *b);

enum { OG_SUGGESTION_BYTES = 96 };

/*
 * "; did you mean 'NAME'?" with the name nearest to `word`, the first of equally near ones; ""
 * where none is near: where more than a third of the longer word, and one letter, would have to
 * change and the word does not begin the name. Returns `out`.
 */
const char *og_suggestion(const char *word, const char *const *names, size_t count,
                          char out[OG_SUGGESTION_BYTES]);

#endif
