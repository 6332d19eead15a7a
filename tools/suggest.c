#include "tools/suggest.h"

#include <limits.h>
#include <string.h>

/* Wagner and Fischer's table with Damerau's swap of neighbours ("optimal string alignment"). */
enum { LETTERS_MAX = 63 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

int edit_distance(const char *a, const char *b)
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
            int replace = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost[i][j] = least(replace, least(cost[i - 1][j], cost[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[rows][columns];
}

const char *nearest_name(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    int nearest_distance = INT_MAX;
    for (size_t i = 0; i < count; i++) {
        int distance = edit_distance(word, names[i]);
        if (distance < nearest_distance) {
            nearest = names[i];
            nearest_distance = distance;
        }
    }
    return nearest;
}
