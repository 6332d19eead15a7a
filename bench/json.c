/* Writes documents as JSON. Texts may be file names: each byte that is no part of a character in
 * UTF-8 is replaced. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/document.h"
#include "dp/base/grow.h"
#include "dp/base/utf8.h"

typedef struct {
    char *text; /* [length]; NULL: memory ran out */
    size_t length, room;
    bool lines; /* each value on a line of its own */
} writing;

static void add(writing *to, const char *bytes, size_t count)
{
    char *text = to->text != NULL
                     ? og_grown(to->text, &to->room, to->length + count, sizeof *to->text)
                     : NULL;
    if (text == NULL) {
        free(to->text);
    } else {
        memcpy(text + to->length, bytes, count);
        to->length += count;
    }
    to->text = text;
}

static void add_word(writing *to, const char *word)
{
    add(to, word, strlen(word));
}

/* A control character, a quote or a backslash. */
static void add_escaped(writing *to, char character)
{
    static const char short_of[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *found = strchr(short_of, character);
    char escaped[8];
    if (found != NULL) {
        snprintf(escaped, sizeof escaped, "\\%c", letter[found - short_of]);
    } else {
        snprintf(escaped, sizeof escaped, "\\u%04X", (unsigned)character);
    }
    add_word(to, escaped);
}

static bool is_plain(char character)
{
    return character >= ' ' && character <= '~' && character != '"' && character != '\\';
}

static void add_text(writing *to, const char *text)
{
    add_word(to, "\"");
    while (*text != '\0') {
        size_t bytes = 0;
        while (is_plain(text[bytes])) {
            bytes++;
        }
        if (bytes == 0 && (bytes = og_utf8_bytes(text)) == 0) {
            add_word(to, "\xef\xbf\xbd"); /* U+FFFD */
            text++;
            continue;
        }
        if (bytes == 1 && !is_plain(*text) && *text != 0x7f) {
            add_escaped(to, *text);
        } else {
            add(to, text, bytes);
        }
        text += bytes;
    }
    add_word(to, "\"");
}

/* digits / 10^places with a point and a digit on each side of it; places < 0: without. */
static void add_decimal(writing *to, bool negative, uint64_t digits, int places)
{
    char text[48], *at = text + sizeof text;
    if (places == 0) {
        *--at = '0';
        *--at = '.';
    }
    for (int i = 0; i == 0 || digits > 0 || i <= places; i++, digits /= 10) {
        if (i > 0 && i == places) {
            *--at = '.';
        }
        *--at = (char)('0' + digits % 10);
    }
    if (negative) {
        *--at = '-';
    }
    add(to, at, (size_t)(text + sizeof text - at));
}

/* A number that is exact in at most 17 decimal digits, as most in answers are: an odd number times
 * 5^n / 10^n. */
static bool add_short(writing *to, double value)
{
    double odd = fabs(value), power = 1;
    int places = 0;
    for (; odd < 0x1p53 && odd != floor(odd) && places < 17; places++) {
        odd *= 2;
        power *= 5;
    }
    bool exact = odd == floor(odd) && odd * power < 9e16; /* 5^17 is below 2^53 */
    if (!exact || (value != 0 && fabs(value) < 1e-4)) {
        return false;
    }
    add_decimal(to, signbit(value), (uint64_t)odd * (uint64_t)power, places);
    return true;
}

/* With a point, whatever the locale, or an exponent without a plus and zeros at its front. */
static void add_number(writing *to, double value)
{
    char digits[32];
    if (add_short(to, value)) {
        return;
    }
    snprintf(digits, sizeof digits, "%.17g", value);
    char *point = digits + strspn(digits, "-0123456789"), *exponent = strchr(digits, 'e');
    if (*point != '\0' && point != exponent) {
        *point = '.';
    }
    if (exponent == NULL) {
        add_word(to, digits);
        add_word(to, *point == '\0' ? ".0" : "");
        return;
    }
    add(to, digits, (size_t)(exponent - digits) + 1);
    add_word(to, exponent[1] == '-' ? "-" : "");
    add_word(to, exponent + 2 + strspn(exponent + 2, "0"));
}

static void add_whole(writing *to, int64_t value)
{
    add_decimal(to, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value, -1);
}

static void begin_line(writing *to, int depth)
{
    add_word(to, to->lines ? "\n" : "");
    for (int i = 0; to->lines && i < depth; i++) {
        add_word(to, "  ");
    }
}

static void add_value(writing *to, const og_document *node, int depth);

static void add_children(writing *to, const og_document *node, int depth)
{
    bool named = node->kind == OG_OBJECT;
    int32_t count = node->is.many.count;
    add_word(to, named ? "{" : "[");
    for (int32_t i = 0; i < count; i++) {
        const og_document *child = node->is.many.child[i];
        add_word(to, i == 0 ? "" : to->lines ? "," : ", ");
        begin_line(to, depth + 1);
        if (named) {
            add_text(to, child->name);
            add_word(to, ": ");
        }
        add_value(to, child, depth + 1);
    }
    if (count > 0) {
        begin_line(to, depth);
    }
    add_word(to, named ? "}" : "]");
}

static void add_value(writing *to, const og_document *node, int depth)
{
    switch (node->kind) {
    case OG_OBJECT:
    case OG_ARRAY:
        add_children(to, node, depth);
        return;
    case OG_NUMBER:
        add_number(to, node->is.number);
        return;
    case OG_WHOLE:
        add_whole(to, (int64_t)node->is.whole_number);
        return;
    case OG_TEXT:
        add_text(to, node->is.words.text);
        return;
    case OG_BOOL:
        add_word(to, node->is.truth ? "true" : "false");
        return;
    default:
        add_word(to, "null");
    }
}

static char *text_of(const og_document *document, bool lines)
{
    writing to = {
        .text = og_document_failed(document) ? NULL : malloc(1), .room = 1, .lines = lines};
    if (to.text != NULL) {
        add_value(&to, document, 0);
        add(&to, "", 1);
    }
    return to.text;
}

char *og_document_json(const og_document *document)
{
    return text_of(document, true);
}

char *og_document_json_line(const og_document *document)
{
    return text_of(document, false);
}
