#ifndef OG_DP_PRIOR_RESPELL_H
#define OG_DP_PRIOR_RESPELL_H

#include <stdbool.h>

/*
 * The likely meaning of a misspelt INSTANCE word (dp/prior/problem.h). These functions never
 * interpret a word; they return another word, for which `is_word` is true. Words longer than
 * OG_RESPELT_BYTES are not respelt.
 */
enum { OG_RESPELT_BYTES = 64 };
typedef bool og_is_word(const char *word);

/* For a refused word: blanks, a capital X, a star or a multiplication sign after the count, other
 * marks than commas, commas for decimal points. False: no suggestion; *out is then undefined. */
bool og_group_respell(const char *word, og_is_word *is_word, char out[OG_RESPELT_BYTES]);

/*
 * For three or four classes: the pair A,B that they are if commas are decimal points, "1.5,1" for
 * "1,5,1". False if that is unlikely: none of the fractions ends in 5 or begins with 0, and no
 * whole part is 0.
 */
bool og_group_with_points(const char *word, og_is_word *is_word, char out[OG_RESPELT_BYTES]);

#endif
