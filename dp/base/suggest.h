#ifndef OG_DP_BASE_SUGGEST_H
#define OG_DP_BASE_SUGGEST_H

#include <stddef.h>

/* The likely meaning of a word that is not a valid name. */

enum { OG_SUGGESTION_BYTES = 96 };

/*
 * Returns `out`: "; did you mean 'NAME'?" with the name nearest to `word`, the first of equally
 * near ones; "" if none is near. A name that the word begins is nearest; another is not near if
 * more than a third of the longer word, and more than one letter, would have to change.
 */
const char *og_suggestion(const char *word, const char *const *names, size_t count,
                          char out[OG_SUGGESTION_BYTES]);

#endif
