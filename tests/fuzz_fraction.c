/* Decimals: an accepted number is in lowest terms, equals the double that the C library reads, and
 * is read back from its output. */
#include "dp/base/fraction.h"
#include "tests/fuzz.h"

static bool same(og_fraction x, og_fraction y)
{
    return x.num == y.num && x.den == y.den;
}

FUZZ_TARGET(fraction)
{
    const og_fraction untouched = {-7, -7};
    og_fraction value = untouched, again;
    og_status status = og_fraction_parse((const char *)data, size, &value);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT && same(value, untouched), "a refusal writes the output");
        return;
    }
    fuzz_check(value.num >= 0 && value.num <= OG_FRACTION_MAX && value.den >= 1 &&
                   value.den <= OG_FRACTION_MAX &&
                   same(value, og_fraction_make(value.num, value.den)),
               "not in lowest terms, or out of range");
    char *text = fuzz_text(data, size), back[64];
    fuzz_check(og_fraction_double(value) == strtod(text, NULL), "not the nearest double");
    free(text);
    int length = og_fraction_format(value, back, sizeof back);
    fuzz_check(length > 0 && (size_t)length == strlen(back), "a wrong length");
    fuzz_check(og_fraction_parse(back, strlen(back), &again) == OG_OK && same(value, again),
               "not read back");
}
