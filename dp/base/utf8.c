/* Decodes one character of UTF-8 at a time, as strictly as Unicode requires: no overlong forms, no
 * surrogates, nothing beyond U+10FFFF. */
#include "dp/base/utf8.h"

#include <stdbool.h>
#include <stdint.h>

size_t og_utf8_bytes(const char *from)
{
    const unsigned char *text = (const unsigned char *)from;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = text[0] < 0x80         ? 1
                   : text[0] >> 5 == 0x06 ? 2
                   : text[0] >> 4 == 0x0e ? 3
                   : text[0] >> 3 == 0x1e ? 4
                                          : 0;
    uint32_t code = bytes > 1 ? text[0] & (0x7fU >> bytes) : text[0];
    for (size_t i = 1; i < bytes; i++) {
        if (text[i] >> 6 != 2) {
            return 0;
        }
        code = code << 6 | (text[i] & 0x3fU);
    }
    bool surrogate = code >> 11 == 0x1b;
    return code < least[bytes] || code > 0x10ffff || surrogate ? 0 : bytes;
}
