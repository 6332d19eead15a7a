/* Suggests a name for a misspelt one. */
#include "dp/base/suggest.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Wagner and Fischer's table with Damerau's swap of neighbours ("optimal string alignment"). */
enum { LETTERS_MAX = 63 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int lower(char letter)
{
    return tolower((unsigned char)letter);
}

/* The number of letters to insert, delete, replace or swap with their neighbour to turn one word
 * into the other (each letter in one swap at most); capitals count as small letters. Only the first
 * 63 letters count. */
static int edit_distance(const char *a, const char *b)
{
    int rows = (int)strnlen(a, LETTERS_MAX);
    int columns = (int)strnlen(b, LETTERS_MAX);
    int cost[LETTERS_MAX + 1][LETTERS_MAX + 1];
    for (int j = 0; j <= columns; j++) {
        cost[0][j] = j;
    }
    for (int i = 1; i <= rows; i++) {
        cost[i][0] = i;
        for (int j = 1; j <= columns; j++) {
            int replace = cost[i - 1][j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            cost[i][j] = least(replace, least(cost[i - 1][j], cost[i][j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[rows][columns];
}

const char *og_suggestion(const char *word, const char *const *names, size_t count,
                          char out[OG_SUGGESTION_BYTES])
{
    const char *nearest = NULL;
    int nearest_distance = INT_MAX;
    size_t length = strlen(word);
    for (size_t i = 0; i < count; i++) {
        size_t longer = strlen(names[i]) > length ? strlen(names[i]) : length;
        int distance = edit_distance(word, names[i]);
        bool near = distance <= (int)(longer < LETTERS_MAX ? longer : LETTERS_MAX) / 3 + 1;
        if (length > 0 && strncmp(word, names[i], length) == 0) {
            near = true;
            distance = 0;
        }
        if (near && distance < nearest_distance) {
            nearest = names[i];
            nearest_distance = distance;
        }
    }
    out[0] = '\0';
    if (nearest != NULL) {
        snprintf(out, OG_SUGGESTION_BYTES, "; did you mean '%.64s'?", nearest);
    }
    return out;
}
