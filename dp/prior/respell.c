/* Suggests INSTANCE words for likely misspellings. A suggestion must be a valid word. */
#include "dp/prior/respell.h"

#include <stdio.h>
#include <string.h>

/* ---- commas for decimal points ---- */

enum { NUMBERS_MAX = 4 };

typedef struct {
    char text[OG_RESPELT_BYTES]; /* the numbers, each with its end */
    const char *number[NUMBERS_MAX];
    int count;
} spelled_numbers;

/* Splits the text between the count and the threshold at commas; false for more than NUMBERS_MAX
 * parts. */
static bool split(const char *from, size_t length, spelled_numbers *out)
{
    memcpy(out->text, from, length);
    out->text[length] = '\0';
    out->count = 0;
    for (char *rest = out->text, *next; (next = strsep(&rest, ",")) != NULL;) {
        if (out->count == NUMBERS_MAX) {
            return false;
        }
        out->number[out->count++] = next;
    }
    return true;
}

static bool is_digits(const char *number)
{
    return number[0] != '\0' && number[strspn(number, "0123456789")] == '\0';
}

/* True if these two can be one number. */
static bool can_join(const spelled_numbers *numbers, int first)
{
    return is_digits(numbers->number[first]) && is_digits(numbers->number[first + 1]);
}

/* True if they also look like one: typical decimals end in 5, and a whole number is never written
 * 05. */
static bool looks_joined(const spelled_numbers *numbers, int first)
{
    const char *whole = numbers->number[first], *part = numbers->number[first + 1];
    return can_join(numbers, first) &&
           (part[0] == '0' || part[strlen(part) - 1] == '5' || strcmp(whole, "0") == 0);
}

/* Joins three or four numbers into a pair; false: they are more likely meant as written. */
static bool join(const spelled_numbers *numbers, char *pair, size_t size)
{
    const char *const *n = numbers->number;
    if (numbers->count == 4) {
        bool likely = looks_joined(numbers, 0) || looks_joined(numbers, 2);
        snprintf(pair, size, "%s.%s,%s.%s", n[0], n[1], n[2], n[3]);
        return likely && can_join(numbers, 0) && can_join(numbers, 2);
    }
    if (numbers->count != 3) {
        return false;
    }
    bool first = looks_joined(numbers, 0);
    snprintf(pair, size, first ? "%s.%s,%s" : "%s,%s.%s", n[0], n[1], n[2]);
    return first || looks_joined(numbers, 1);
}

bool og_group_with_points(const char *word, og_is_word *is_word, char out[OG_RESPELT_BYTES])
{
    spelled_numbers found;
    char pair[OG_RESPELT_BYTES];
    if (strlen(word) >= OG_RESPELT_BYTES) {
        return false;
    }
    const char *count_end = strchr(word, 'x');
    const char *prior = count_end != NULL ? count_end + 1 : word;
    size_t length = strcspn(prior, "@");
    if (!split(prior, length, &found) || !join(&found, pair, sizeof pair)) {
        return false;
    }
    int written = snprintf(out, OG_RESPELT_BYTES, "%.*s%s%s", (int)(prior - word), word, pair,
                           prior + length);
    return written < OG_RESPELT_BYTES && is_word(out);
}

/* ---- other marks ---- */

/* The intended mark, 0 for none; *bytes of the word are used. */
static char mark_of(const char *at, bool colons, size_t *bytes)
{
    static const char times[] = "\xc3\x97"; /* U+00D7 */
    *bytes = strncmp(at, times, strlen(times)) == 0 ? strlen(times) : 1;
    if (*bytes > 1 || *at == 'X' || *at == '*') {
        return 'x';
    }
    bool comma = *at == ';' || (colons && *at == ':');
    return (char)(comma ? ',' : *at == ' ' ? 0 : *at);
}

/* Two words in one: without the blank between them they would be another number. */
static bool parts_digits(const char *word)
{
    static const char digits[] = "0123456789.";
    for (const char *at = strchr(word, ' '); at != NULL; at = strchr(at + 1, ' ')) {
        const char *next = at + strspn(at, " ");
        if (at > word && strchr(digits, at[-1]) != NULL && *next != '\0' &&
            strchr(digits, *next) != NULL) {
            return true;
        }
    }
    return false;
}

bool og_group_respell(const char *word, og_is_word *is_word, char out[OG_RESPELT_BYTES])
{
    char marked[OG_RESPELT_BYTES];
    bool colons = strpbrk(word, ",;") == NULL; /* else colons follow weights */
    size_t used = 0;
    if (strlen(word) >= OG_RESPELT_BYTES || parts_digits(word)) {
        return false;
    }
    for (size_t bytes = 0; *word != '\0'; word += bytes) {
        char mark = mark_of(word, colons, &bytes);
        marked[used] = mark;
        used += mark != 0;
    }
    marked[used] = '\0';
    strcpy(out, marked);
    return is_word(marked) || og_group_with_points(marked, is_word, out);
}
