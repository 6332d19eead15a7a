/*
 * A document: values for programs, blocks for people. A part is owned by its parent, or through
 * `beside`: the whole document owns its blocks, a row its cells. All parts point to the whole
 * document, which records that memory ran out. A part that could not be allocated is NULL, and so
 * is everything below it.
 */
#include "bench/document.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/words.h"
#include "dp/base/status.h"

static bool has_children(const og_document *node)
{
    return node->kind <= OG_TABLE;
}

/* Allocate a part without a parent; if `whole` is NULL, a whole document. The text's bytes are
 * zeroed. */
static og_document *make(og_document *whole, int kind, const char *name, size_t text_bytes)
{
    size_t name_bytes = (name != NULL ? strlen(name) : 0) + 1;
    og_document *node = calloc(1, sizeof *node + name_bytes + text_bytes);
    if (node != NULL) {
        node->whole = whole != NULL ? whole : node;
        node->kind = kind;
        memcpy(node->name, name != NULL ? name : "", name_bytes);
        if (text_bytes > 0) {
            node->is.words.text = node->name + name_bytes;
            node->is.words.length = text_bytes - 1;
        }
    } else if (whole != NULL) {
        whole->failed = true;
    }
    return node;
}

og_document *og_document_new(void)
{
    return make(NULL, OG_OBJECT, NULL, 0);
}

og_document *og_document_new_bare(void)
{
    og_document *document = og_document_new();
    if (document != NULL) {
        document->bare = true;
    }
    return document;
}

bool og_document_is_bare(const og_document *part)
{
    return part == NULL || part->whole->bare;
}

void og_document_free(og_document *document)
{
    if (document != NULL && document->again-- > 0) {
        return;
    }
    if (document != NULL && has_children(document)) {
        for (int32_t i = 0; i < document->is.many.count; i++) {
            og_document_free(document->is.many.child[i]);
        }
        free(document->is.many.child);
        if (document->kind != OG_TABLE) {
            og_document_free(document->is.many.beside);
        }
    }
    free(document);
}

og_status og_document_status(const og_document *document, og_message *message)
{
    if (document == NULL || document->whole->failed) {
        return OG_NO_MEMORY;
    }
    const og_document *wrong = document->whole->wrong;
    return wrong == NULL ? OG_OK
                         : og_message_set(message, OG_FAILED,
                                          "the result '%s' is not a finite number, which is a "
                                          "fault of optgap; please report the command",
                                          wrong->name);
}

bool og_document_failed(const og_document *document)
{
    return og_document_status(document, NULL) != OG_OK;
}

void og_document_fail(og_document *document)
{
    if (document != NULL) {
        document->whole->failed = true;
    }
}

void og_document_omit_times(og_document *document)
{
    if (document == NULL || !has_children(document)) {
        return;
    }
    for (int32_t i = 0; i < document->is.many.count; i++) {
        og_document *child = document->is.many.child[i];
        if (strcmp(child->name, "seconds") == 0 || strcmp(child->name, "table_seconds") == 0) {
            child->kind = OG_NULL;
        }
        og_document_omit_times(child);
    }
}

static bool has_room(og_document *parent)
{
    if (parent->is.many.count == parent->is.many.room) {
        int32_t room = parent->is.many.room + parent->is.many.room / 2 + 4;
        og_document **child = realloc(parent->is.many.child, (size_t)room * sizeof *child);
        if (child == NULL) {
            return false;
        }
        parent->is.many.child = child;
        parent->is.many.room = room;
    }
    return true;
}

static og_document *put(og_document *parent, int kind, const char *name, size_t text_bytes)
{
    if (parent == NULL) {
        return NULL;
    }
    og_document *node = make(parent->whole, kind, name, text_bytes);
    if (node == NULL || !has_room(parent)) {
        parent->whole->failed = true;
        free(node);
        return NULL;
    }
    parent->is.many.child[parent->is.many.count++] = node;
    return node;
}

/* ---- values ---- */

og_document *og_put_object(og_document *parent, const char *name)
{
    return put(parent, OG_OBJECT, name, 0);
}

og_document *og_put_array(og_document *parent, const char *name)
{
    return put(parent, OG_ARRAY, name, 0);
}

void og_put_number(og_document *parent, const char *name, double value)
{
    og_document *node = put(parent, isfinite(value) ? OG_NUMBER : OG_NULL, name, 0);
    if (node != NULL) {
        node->is.number = value;
    }
}

void og_put_result(og_document *parent, const char *name, bool known, double value)
{
    og_put_number(parent, name, known ? value : NAN);
    if (known && !isfinite(value) && parent != NULL && parent->is.many.count > 0) {
        parent->whole->wrong = parent->is.many.child[parent->is.many.count - 1];
    }
}

void og_put_numbers(og_document *parent, const char *name, const double *value, int32_t count)
{
    og_document *array = og_put_array(parent, name);
    for (int32_t i = 0; i < count; i++) {
        og_put_number(array, NULL, value[i]);
    }
}

void og_put_whole(og_document *parent, const char *name, uint64_t value)
{
    og_document *node = put(parent, OG_WHOLE, name, 0);
    if (node != NULL) {
        node->is.whole_number = value;
    }
}

void og_put_text(og_document *parent, const char *name, const char *text)
{
    char *room = text != NULL ? og_put_buffer(parent, name, strlen(text) + 1) : NULL;
    if (room != NULL) {
        strcpy(room, text);
    } else if (text == NULL) {
        og_put_null(parent, name);
    }
}

char *og_put_buffer(og_document *parent, const char *name, size_t bytes)
{
    og_document *node = put(parent, OG_TEXT, name, bytes);
    return node != NULL ? node->is.words.text : NULL;
}

void og_put_bool(og_document *parent, const char *name, bool value)
{
    og_document *node = put(parent, OG_BOOL, name, 0);
    if (node != NULL) {
        node->is.truth = value;
    }
}

void og_put_null(og_document *parent, const char *name)
{
    put(parent, OG_NULL, name, 0);
}

void og_put_again(og_document *array, og_document *part)
{
    if (array == NULL || part == NULL || !has_room(array)) {
        og_document_fail(array);
        return;
    }
    array->is.many.child[array->is.many.count++] = part;
    part->again++;
}

static void adopt(og_document *node, og_document *whole)
{
    node->whole = whole;
    for (int32_t i = 0; has_children(node) && i < node->is.many.count; i++) {
        adopt(node->is.many.child[i], whole);
    }
    if (node->kind < OG_TABLE && node->is.many.beside != NULL) {
        adopt(node->is.many.beside, whole);
    }
}

void og_put_all(og_document *document, og_document *from)
{
    for (int32_t i = 0; document != NULL && i < og_document_count(from); i++) {
        if (!has_room(document)) {
            og_document_fail(document);
            break;
        }
        og_document *child = from->is.many.child[i];
        adopt(child, document->whole);
        document->is.many.child[document->is.many.count++] = child;
        from->is.many.child[i] = NULL;
    }
    if (from != NULL && from->failed) {
        og_document_fail(document);
    }
    if (document != NULL && from != NULL && from->wrong != NULL) {
        document->whole->wrong = from->wrong; /* it was moved */
    }
    og_document_free(from);
}

/* Append to the last child, a text. */
static void add_words(og_document *parent, const char *format, va_list arguments)
{
    if (parent == NULL || parent->is.many.count == 0) {
        return;
    }
    va_list again;
    va_copy(again, arguments);
    size_t more = (size_t)vsnprintf(NULL, 0, format, again);
    va_end(again);
    og_document **last = &parent->is.many.child[parent->is.many.count - 1];
    size_t offset = (size_t)((*last)->is.words.text - (char *)*last);
    og_document *node = realloc(*last, offset + (*last)->is.words.length + more + 1);
    if (node == NULL) {
        parent->whole->failed = true;
        return;
    }
    node->is.words.text = (char *)node + offset;
    vsnprintf(node->is.words.text + node->is.words.length, more + 1, format, arguments);
    node->is.words.length += more;
    *last = node;
}

/* ---- for people ---- */

/* The blocks of a whole document, or the cells of a row. */
static og_document *beside(og_document *node, int kind)
{
    if (og_document_is_bare(node)) {
        return NULL;
    }
    if (node->is.many.beside == NULL) {
        node->is.many.beside = make(node->whole, kind, NULL, 0);
    }
    return node->is.many.beside;
}

static og_document *blocks(og_document *part)
{
    return part != NULL ? beside(part->whole, OG_ARRAY) : NULL;
}

og_document *og_show_rows(og_document *document)
{
    return og_put_array(blocks(document), NULL);
}

og_document *og_show_table(og_document *document, const og_document *rows)
{
    og_document *table = put(blocks(document), OG_TABLE, NULL, 0);
    if (table != NULL) {
        table->is.many.beside = (og_document *)rows; /* of the same document, and only read */
    }
    return table;
}

/* The block of fields at the end of the document, or a new one. */
static og_document *fields(og_document *document)
{
    const og_document *list = blocks(document);
    int32_t count = og_document_count(list);
    while (count > 0 && list->is.many.child[count - 1]->file) {
        count--;
    }
    og_document *last = count > 0 ? list->is.many.child[count - 1] : NULL;
    if (last == NULL || !last->fields) {
        last = og_show_table(document, og_show_rows(document));
        if (last != NULL) {
            last->fields = true;
            og_show_column(last, "", 'l', "title", OG_SHOW_PLAIN);
            og_show_column(last, "", 'l', "text", OG_SHOW_PLAIN);
        }
    }
    return last;
}

void og_show_field(og_document *document, const char *title, const char *format, ...)
{
    og_document *table = fields(document);
    og_document *row = table != NULL ? og_put_object(table->is.many.beside, NULL) : NULL;
    va_list arguments;
    va_start(arguments, format);
    og_put_text(row, "title", title);
    og_put_text(row, "text", "");
    add_words(row, format, arguments);
    va_end(arguments);
}

void og_show_more(og_document *document, const char *format, ...)
{
    og_document *table = fields(document);
    const og_document *rows = table != NULL ? table->is.many.beside : NULL;
    int32_t count = og_document_count(rows);
    va_list arguments;
    va_start(arguments, format);
    add_words(count > 0 ? rows->is.many.child[count - 1] : NULL, format, arguments);
    va_end(arguments);
}

void og_show_paragraph(og_document *document, const char *format, ...)
{
    og_document *list = blocks(document);
    va_list arguments;
    va_start(arguments, format);
    if (og_put_buffer(list, NULL, 1) != NULL) {
        add_words(list, format, arguments);
    }
    va_end(arguments);
}

static void __attribute__((format(printf, 2, 3)))
add_to_last(og_document *parent, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_words(parent, format, arguments);
    va_end(arguments);
}

void og_show_column(og_document *table, const char *heading, char align, const char *name,
                    og_show how)
{
    og_document *column = put(table, OG_TEXT, name, strlen(heading) + 1);
    if (column != NULL) {
        strcpy(column->is.words.text, heading);
        column->align = align;
        column->how = (unsigned char)how;
    }
}

void og_show_cell(og_document *row, const char *name, const char *format, ...)
{
    og_document *cells = beside(row, OG_OBJECT);
    int32_t count = og_document_count(cells);
    bool begun = count > 0 && strcmp(cells->is.many.child[count - 1]->name, name) == 0;
    va_list arguments;
    va_start(arguments, format);
    if (begun || og_put_buffer(cells, name, 1) != NULL) {
        add_words(cells, format, arguments);
    }
    va_end(arguments);
}

void og_show_hide(og_document *row)
{
    if (row != NULL) {
        row->hidden = true;
    }
}

/* ---- for files ---- */

static void file_rows(og_document *document, const char *kind, const og_document *rows, bool one)
{
    og_document *part = rows != NULL ? put(blocks(document), OG_TABLE, kind, 0) : NULL;
    if (part != NULL) {
        part->file = true;
        part->one = one;
        part->is.many.beside = (og_document *)rows; /* as in og_show_table */
    }
}

void og_file_rows(og_document *document, const char *kind, const og_document *rows)
{
    file_rows(document, kind, rows, false);
}

void og_file_row(og_document *document, const char *kind, const og_document *row)
{
    file_rows(document, kind, row, true);
}

const og_document *og_file_columns(const og_document *document)
{
    const og_document *list = document->is.many.beside;
    for (int32_t i = 0; i < og_document_count(list); i++) {
        const og_document *block = list->is.many.child[i];
        if (block->file && block->is.many.beside == NULL) {
            return block;
        }
    }
    return NULL;
}

void og_file_column(og_document *document, const char *heading, const char *unit, char align,
                    const char *name, og_show how)
{
    og_document *list = blocks(document);
    og_document *columns = list != NULL ? (og_document *)og_file_columns(list->whole) : NULL;
    if (columns == NULL && (columns = put(list, OG_TABLE, NULL, 0)) != NULL) {
        columns->file = true;
    }
    og_show_column(columns, heading, align, name, how);
    if (unit != NULL) {
        add_to_last(columns, " (%s)", unit);
    }
}

/* ---- reading ---- */

int32_t og_document_count(const og_document *document)
{
    return document != NULL && has_children(document) ? document->is.many.count : 0;
}

og_document *og_document_child(const og_document *document, int32_t i)
{
    return i >= 0 && i < og_document_count(document) ? document->is.many.child[i] : NULL;
}

og_document *og_document_find(const og_document *document, const char *name)
{
    for (int32_t i = 0; i < og_document_count(document); i++) {
        if (strcmp(document->is.many.child[i]->name, name) == 0) {
            return document->is.many.child[i];
        }
    }
    return NULL;
}

const char *og_document_name(const og_document *document)
{
    return document != NULL ? document->name : "";
}

double og_document_number(const og_document *document)
{
    int kind = document != NULL ? document->kind : OG_NULL;
    return kind == OG_NUMBER  ? document->is.number
           : kind == OG_WHOLE ? (double)document->is.whole_number
           : kind == OG_BOOL  ? document->is.truth
                              : NAN;
}

/* The child that a path begins with, and the length of its name: the longest, as in cvar-kg:0.5. */
static const og_document *child_at(const og_document *at, const char *path, size_t *length)
{
    const og_document *found = NULL;
    *length = 0;
    for (int32_t i = 0; i < og_document_count(at); i++) {
        const og_document *child = og_document_child(at, i);
        const char *name = og_document_name(child);
        char number[16];
        if (name[0] == '\0') {
            snprintf(number, sizeof number, "%" PRId32, i);
            name = number;
        }
        size_t size = strlen(name);
        if (strncmp(name, path, size) == 0 && (path[size] == '.' || path[size] == '\0') &&
            (found == NULL || size > *length)) {
            found = child;
            *length = size;
        }
    }
    return found;
}

static const og_document *part_at(const og_document *document, const char *path)
{
    const og_document *at = document;
    while (at != NULL) {
        size_t length;
        const og_document *next = child_at(at, path, &length);
        if (path[length] == '\0') {
            return next;
        }
        path += length + 1;
        at = next;
    }
    return NULL;
}

double og_number_at(const og_document *document, const char *path)
{
    return og_document_number(part_at(document, path));
}

const char *og_text_at(const og_document *document, const char *path)
{
    return og_document_text(part_at(document, path));
}

const char *og_document_text(const og_document *document)
{
    return document != NULL && document->kind == OG_TEXT ? document->is.words.text : NULL;
}

static og_words number_words(double value, int how)
{
    return how == OG_SHOW_GAP     ? og_words_gap(value, 0)
           : how == OG_SHOW_MOST  ? og_words_most(value)
           : how == OG_SHOW_BOUND ? og_words_bound(value)
                                  : og_words_value(value);
}

/* The value of this name in a row; the "value" of a number is the number itself. "NAME/0" and
 * "NAME/1" are the numbers of a pair, such as a Beta's parameters, and "/0", "/1", ... the elements
 * of a row that is an array. */
static const og_document *value_under(const og_document *row, const char *name)
{
    const char *slash = strchr(name, '/');
    if (slash == name) {
        return og_document_child(row, atoi(slash + 1));
    }
    if (slash != NULL) {
        char pair[OG_CELL_BYTES];
        snprintf(pair, sizeof pair, "%.*s", (int)(slash - name), name);
        const og_document *found = og_document_find(row, pair);
        return og_document_count(found) == 2 ? og_document_child(found, slash[1] - '0') : NULL;
    }
    bool itself = !has_children(row) && strcmp(name, "value") == 0;
    return itself ? row : og_document_find(row, name);
}

/* The text that replaces the value for people; NULL: none. */
static const char *shown_under(const og_document *row, const char *name)
{
    return og_document_text(og_document_find(has_children(row) ? row->is.many.beside : NULL, name));
}

/* The name in the tree; elements of an array are named after their text. */
static const char *name_of(const og_document *row)
{
    const char *text = og_document_text(og_document_find(row, "name"));
    text = text != NULL ? text : shown_under(row, "text");
    return row->name[0] != '\0' || text == NULL ? row->name : text;
}

const char *og_document_cell(const og_document *row, const og_document *column,
                             char room[OG_CELL_BYTES])
{
    if (column->name[0] == '\0') {
        return name_of(row);
    }
    const char *shown = shown_under(row, column->name);
    const og_document *value = value_under(row, column->name);
    if (shown != NULL || value == NULL) {
        return shown != NULL ? shown : "-";
    }
    switch (value->kind) {
    case OG_TEXT:
        shown = value->is.words.text;
        return column->how == OG_SHOW_FRACTION && og_fraction_is_long(shown) ? "long" : shown;
    case OG_BOOL:
        return value->is.truth ? "yes" : "no";
    case OG_WHOLE:
        snprintf(room, OG_CELL_BYTES, "%" PRIu64, value->is.whole_number);
        return room;
    case OG_NUMBER:
        memcpy(room, number_words(value->is.number, column->how).text, OG_WORDS_BYTES);
        return room;
    default:
        return "-";
    }
}

const char *og_file_cell(const og_document *row, const og_document *column,
                         char room[OG_CELL_BYTES])
{
    const og_document *value = value_under(row, column->name);
    if (column->name[0] == '\0') {
        return name_of(row);
    }
    if (value == NULL) {
        const char *shown = column->align == 'l' ? shown_under(row, column->name) : NULL;
        return shown != NULL ? shown : "";
    }
    switch (value->kind) {
    case OG_TEXT:
        return value->is.words.text;
    case OG_BOOL:
        return value->is.truth ? "true" : "false";
    case OG_WHOLE:
        snprintf(room, OG_CELL_BYTES, "%" PRIu64, value->is.whole_number);
        return room;
    case OG_NUMBER:
        memcpy(room, og_words_exact(value->is.number).text, OG_WORDS_BYTES);
        return room;
    default:
        return "";
    }
}

bool og_document_is_long(const og_document *rows, const char *name)
{
    bool is_long = false;
    for (int32_t i = 0; i < og_document_count(rows); i++) {
        const char *text = og_document_text(og_document_find(rows->is.many.child[i], name));
        is_long = is_long || (text != NULL && og_fraction_is_long(text));
    }
    return is_long;
}
