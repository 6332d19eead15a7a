#ifndef OG_DP_PRIOR_RESPELL_H
#define OG_DP_PRIOR_RESPELL_H

#include <stdbool.h>

/*
 * What somebody may have meant by an INSTANCE word (dp/prior/problem.h). Nothing here decides what
 * a word says; what comes out is another word, and og_group_parse reads it. Words that do not fit
 * OG_RESPELT_BYTES are not respelt.
 */
enum { OG_RESPELT_BYTES = 64 };

/* Of a word that is refused: blanks, a capital X, a star or the sign of multiplication behind the
 * count, other marks than commas, commas for decimal points. False: none is known; *out is
 * undefined then. */
bool og_group_respell(const char *word, char out[OG_RESPELT_BYTES]);

/*
 * Of three or four classes: the pair A,B that they are if commas stand for decimal points, "1.5,1"
 * for "1,5,1". False where that is unlikely: none of the fractions ends in 5 or begins with 0,
 * and no whole part is 0.
 */
bool og_group_with_points(const char *word, char out[OG_RESPELT_BYTES]);

#endif
