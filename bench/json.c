/*
 * Writes documents as JSON; the only file that uses Jansson. Jansson refuses texts that are not
 * UTF-8, as file names may be. So every invalid byte is replaced first, and then Jansson fails only
 * for lack of memory.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bench/document.h"
#include "dp/base/utf8.h"

/* A copy in UTF-8; NULL if memory runs out. */
static char *readable(const char *text)
{
    static const char stand_in[] = "\xef\xbf\xbd"; /* U+FFFD */
    char *copy = malloc(3 * strlen(text) + 1);
    size_t length = 0;
    while (copy != NULL && *text != '\0') {
        size_t bytes = og_utf8_bytes(text);
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

/* An object or an array. NULL if memory runs out; Jansson's functions accept that. */
static json_t *children_of(const og_document *node, bool named)
{
    json_t *many = named ? json_object() : json_array();
    bool failed = many == NULL;
    for (int32_t i = 0; !failed && i < node->is.many.count; i++) {
        const og_document *child = node->is.many.child[i];
        if (named) {
            char *name = readable(child->name);
            failed = name == NULL || json_object_set_new(many, name, value_of(child)) != 0;
            free(name);
        } else {
            failed = json_array_append_new(many, value_of(child)) != 0;
        }
    }
    if (failed) {
        json_decref(many);
    }
    return failed ? NULL : many;
}

static json_t *value_of(const og_document *node)
{
    switch (node->kind) {
    case OG_OBJECT:
    case OG_ARRAY:
        return children_of(node, node->kind == OG_OBJECT);
    case OG_NUMBER:
        return json_real(node->is.number);
    case OG_WHOLE:
        return json_integer((json_int_t)node->is.whole_number);
    case OG_TEXT:
        return string_of(node->is.words.text);
    case OG_BOOL:
        return json_boolean(node->is.truth);
    default:
        return json_null();
    }
}

static char *text_of(const og_document *document, size_t flags)
{
    json_t *value = og_document_failed(document) ? NULL : value_of(document);
    char *text = value != NULL ? json_dumps(value, flags | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(value);
    return text;
}

char *og_document_json(const og_document *document)
{
    return text_of(document, JSON_INDENT(2));
}

char *og_document_json_line(const og_document *document)
{
    return text_of(document, 0);
}
