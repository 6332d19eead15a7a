/* Parses numbers: the whole text must be a number within the range. */
#include "dp/base/number.h"

#include <stdlib.h>
#include <string.h>

bool og_number_parse(const char *text, int64_t least, int64_t most, int64_t *out)
{
    int64_t value = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        int digit = *text - '0';
        if (digit < 0 || digit > 9 || value > (INT64_MAX - digit) / 10) {
            return false;
        }
        value = 10 * value + digit;
    }
    if (value < least || value > most) {
        return false;
    }
    *out = value;
    return true;
}

bool og_bytes_parse(const char *text, uint64_t *out)
{
    static const char units[] = "KMGTkmgt";
    char digits[24];
    size_t length = strlen(text);
    if (length == 0 || length >= sizeof digits) {
        return false;
    }
    memcpy(digits, text, length + 1);
    const char *unit = strchr(units, digits[length - 1]);
    int shift = 0;
    if (unit != NULL) {
        shift = 10 * ((int)(unit - units) % 4 + 1);
        digits[length - 1] = '\0';
    }
    int64_t count = 0;
    if (!og_number_parse(digits, 1, (INT64_C(1) << 50) >> shift, &count)) {
        return false;
    }
    *out = (uint64_t)count << shift;
    return true;
}

bool og_seconds_parse(const char *text, double *out)
{
    size_t digits = strspn(text, "0123456789");
    size_t point = text[digits] == '.';
    size_t decimals = strspn(text + digits + point, "0123456789");
    if (digits + decimals == 0 || text[digits + point + decimals] != '\0') {
        return false;
    }
    double value = strtod(text, NULL);
    if (!(value > 0 && value <= 1e9)) {
        return false;
    }
    *out = value;
    return true;
}
