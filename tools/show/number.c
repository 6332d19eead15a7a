/* Numbers as text, so that reading back gives the same double. */
#include "tools/show/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/show/memory.h"

void number_format_exact(double value, char text[NUMBER_TEXT_BYTES])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER_TEXT_BYTES, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            return;
        }
    }
}

void number_format_value(double value, char text[NUMBER_TEXT_BYTES])
{
    snprintf(text, NUMBER_TEXT_BYTES, "%.10g", value);
}

void number_format_gap(double value, double error, char text[NUMBER_TEXT_BYTES])
{
    snprintf(text, NUMBER_TEXT_BYTES, "%.4g", fabs(value) <= error ? 0.0 : value);
}

/* `digits` significant ones, rounded up; value >= 0. */
static void format_up(double value, int digits, char text[NUMBER_TEXT_BYTES])
{
    snprintf(text, NUMBER_TEXT_BYTES, "%.*e", digits - 1, value);
    double rounded = strtod(text, NULL);
    if (rounded < value) {
        /* One in the last digit, as the double nearest to the power of ten. */
        char step[NUMBER_TEXT_BYTES];
        snprintf(step, sizeof step, "1e%d",
                 (int)strtol(strchr(text, 'e') + 1, NULL, 10) - digits + 1);
        rounded += strtod(step, NULL);
    }
    snprintf(text, NUMBER_TEXT_BYTES, "%.*g", digits, rounded);
}

void number_format_gap_most(double value, char text[NUMBER_TEXT_BYTES])
{
    format_up(value, 4, text);
}

void number_format_bound(double value, char text[NUMBER_TEXT_BYTES])
{
    format_up(value, 2, text);
}

/* Digits of both numbers, a sign, a stroke and an end. */
static size_t fraction_bytes(mpq_srcptr value)
{
    return mpz_sizeinbase(mpq_numref(value), 10) + mpz_sizeinbase(mpq_denref(value), 10) + 3;
}

char *fraction_text(mpq_srcptr value)
{
    return mpq_get_str(allocate(fraction_bytes(value), 1), 10, value);
}

bool fraction_format(mpq_srcptr value, char text[FRACTION_TEXT_BYTES])
{
    if (value == NULL) {
        snprintf(text, FRACTION_TEXT_BYTES, "-");
        return true;
    }
    char words[FRACTION_TEXT_BYTES + 4] = ""; /* sizes in digits may be one too many each */
    bool fits = fraction_bytes(value) <= sizeof words;
    if (fits) {
        mpq_get_str(words, 10, value);
        fits = strlen(words) <= FRACTION_SHOWN;
    }
    snprintf(text, FRACTION_TEXT_BYTES, "%.*s", FRACTION_SHOWN, fits ? words : "long");
    return fits;
}

void count_format(double count, char text[NUMBER_TEXT_BYTES])
{
    static const char *const units[] = {"", " thousand", " million", " billion"};
    size_t unit = 0;
    while (count >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        count /= 1000;
        unit++;
    }
    int decimals = unit == 0 || count >= 99.95 ? 0 : count >= 9.995 ? 1 : 2;
    snprintf(text, NUMBER_TEXT_BYTES, "%.*f%s", decimals, count, units[unit]);
}
