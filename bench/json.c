/*
 * Documents as JSON, through Jansson, whose one place this is. Jansson refuses texts that are no
 * UTF-8, such as the name of a file may be: each byte that cannot be read is replaced before, so
 * that what it fails for is memory alone.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bench/document.h"

/* Bytes of the character that a text begins with; 0: it is none. Shortest forms only, no
 * surrogates, at most U+10FFFF. */
static size_t character_bytes(const unsigned char *text)
{
    static const struct {
        unsigned char first, last, least, most; /* of the first byte, and of the second */
        size_t bytes;
    } forms[] = {
        {0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (text[0] < forms[i].first || text[0] > forms[i].last) {
            continue;
        }
        size_t bytes = 1;
        while (bytes < forms[i].bytes && text[bytes] >= (bytes == 1 ? forms[i].least : 0x80) &&
               text[bytes] <= (bytes == 1 ? forms[i].most : 0xbf)) {
            bytes++;
        }
        return bytes == forms[i].bytes ? bytes : 0;
    }
    return 0;
}

/* A copy in UTF-8, NULL without memory. */
static char *readable(const char *text)
{
    static const char stand_in[] = "\xef\xbf\xbd"; /* U+FFFD */
    char *copy = malloc(3 * strlen(text) + 1);
    size_t length = 0;
    while (copy != NULL && *text != '\0') {
        size_t bytes = character_bytes((const unsigned char *)text);
        size_t written = bytes > 0 ? bytes : strlen(stand_in);
        memcpy(copy + length, bytes > 0 ? text : stand_in, written);
        length += written;
        text += bytes > 0 ? bytes : 1;
    }
    if (copy != NULL) {
        copy[length] = '\0';
    }
    return copy;
}

static json_t *string_of(const char *text)
{
    char *copy = readable(text);
    json_t *string = copy != NULL ? json_string(copy) : NULL;
    free(copy);
    return string;
}

static json_t *value_of(const og_document *node);

static json_t *array_of(const og_document *node)
{
    json_t *array = json_array();
    for (int32_t i = 0; array != NULL && i < og_document_count(node); i++) {
        if (json_array_append_new(array, value_of(og_document_child(node, i))) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

static json_t *object_of(const og_document *node)
{
    json_t *object = json_object();
    for (int32_t i = 0; object != NULL && i < og_document_count(node); i++) {
        const og_document *child = og_document_child(node, i);
        char *name = readable(og_document_name(child));
        if (name == NULL || json_object_set_new(object, name, value_of(child)) != 0) {
            json_decref(object);
            object = NULL;
        }
        free(name);
    }
    return object;
}

/* NULL without memory, which Jansson's functions pass on. */
static json_t *value_of(const og_document *node)
{
    switch (og_document_is(node)) {
    case OG_OBJECT:
        return object_of(node);
    case OG_ARRAY:
        return array_of(node);
    case OG_NUMBER:
        return json_real(og_document_number(node));
    case OG_WHOLE:
        return json_integer((json_int_t)og_document_whole(node));
    case OG_TEXT:
        return string_of(og_document_text(node));
    case OG_BOOL:
        return json_boolean(og_document_bool(node));
    case OG_NULL:
    case OG_TABLE:
        break;
    }
    return json_null();
}

char *og_document_json(const og_document *document)
{
    json_t *value = og_document_failed(document) ? NULL : value_of(document);
    char *text = value != NULL ? json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(value);
    return text;
}
