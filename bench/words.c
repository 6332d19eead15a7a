/* Formats numbers for people; bounds are rounded up, so that they stay bounds. */
#include "bench/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/status.h"

og_words og_words_exact(double value)
{
    og_words words;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(words.text, sizeof words.text, "%.*g", digits, value);
        if (strtod(words.text, NULL) == value) {
            break;
        }
    }
    return words;
}

static og_words rounded(double value, int digits)
{
    og_words words = {"-"};
    if (!isnan(value)) {
        snprintf(words.text, sizeof words.text, "%.*g", digits, value);
    }
    return words;
}

/* value >= 0 */
static og_words rounded_up(double value, int digits)
{
    og_words words;
    snprintf(words.text, sizeof words.text, "%.*e", digits - 1, value);
    double nearest = strtod(words.text, NULL);
    if (nearest < value) {
        /* One in the last digit, as the double nearest to the power of ten. */
        char step[OG_WORDS_BYTES];
        snprintf(step, sizeof step, "1e%d",
                 (int)strtol(strchr(words.text, 'e') + 1, NULL, 10) - digits + 1);
        nearest += strtod(step, NULL);
    }
    return rounded(nearest, digits);
}

og_words og_words_value(double value)
{
    return rounded(value, 10);
}

og_words og_words_gap(double value, double error)
{
    return rounded(fabs(value) <= error ? 0.0 : value, 4);
}

og_words og_words_most(double value)
{
    return rounded_up(value, 4);
}

og_words og_words_bound(double value)
{
    return rounded_up(value, 2);
}

og_words og_words_bytes(uint64_t bytes)
{
    og_words words;
    og_bytes_format(bytes, words.text);
    return words;
}

og_words og_words_count(double count)
{
    static const char *const units[] = {"", " thousand", " million", " billion"};
    og_words words;
    size_t unit = 0;
    while (count >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        count /= 1000;
        unit++;
    }
    int decimals = unit == 0 || count >= 99.95 ? 0 : count >= 9.995 ? 1 : 2;
    snprintf(words.text, sizeof words.text, "%.*f%s", decimals, count, units[unit]);
    return words;
}

bool og_fraction_is_long(const char *fraction)
{
    return strlen(fraction) > OG_FRACTION_SHOWN;
}

bool og_write_field(FILE *to, const char *text, bool commas)
{
    if (!commas || strpbrk(text, ",\"\r\n|;\t") == NULL) {
        fputs(text, to);
        return commas || strpbrk(text, "\t\r\n") == NULL;
    }
    putc('"', to);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, to);
    }
    putc('"', to);
    return true;
}
