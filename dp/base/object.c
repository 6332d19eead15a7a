/* Cuts JSON objects in place: every text is at most as long as what it is made of. */
#include "dp/base/object.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "dp/base/grow.h"

/* The first byte that is no blank; blanks are few. */
static char *past_blanks(char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') {
        at++;
    }
    return at;
}
static const char not_json[] = "not valid JSON";

/* ---- values, in place ---- */

static int hex(char digit)
{
    const char *const digits = "0123456789abcdef0123456789ABCDEF";
    const char *found = digit != '\0' ? strchr(digits, digit) : NULL;
    return found != NULL ? (int)(found - digits) % 16 : -1;
}

/* The number of "uXXXX", 1 or more; -1: it is none. */
static int32_t unit_at(const char *text)
{
    int32_t unit = 0;
    for (int i = 1; i <= 4; i++) {
        int digit = *text == 'u' ? hex(text[i]) : -1;
        if (digit < 0) {
            return -1;
        }
        unit = unit * 16 + digit;
    }
    return unit > 0 ? unit : -1;
}

static char *put_utf8(char *to, int32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* Decodes what follows a backslash at *from; the end of what it wrote, NULL if it is invalid. */
static char *unescape(const char **from, char *to)
{
    static const char letters[] = "\"\\/bfnrt'", meant[] = "\"\\/\b\f\n\r\t'";
    const char *letter = **from != '\0' ? strchr(letters, **from) : NULL;
    if (letter != NULL) {
        *to = meant[letter - letters];
        ++*from;
        return to + 1;
    }
    int32_t code = unit_at(*from);
    bool high = code >= 0xD800 && code < 0xDC00, low = code >= 0xDC00 && code < 0xE000;
    if (code < 0 || low) {
        return NULL;
    }
    *from += 5;
    if (high) {
        int32_t second = (*from)[0] == '\\' ? unit_at(*from + 1) : -1;
        if (second < 0xDC00 || second >= 0xE000) {
            return NULL;
        }
        code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
        *from += 6;
    }
    return put_utf8(to, code);
}

/* The string that begins after this quotation mark: ended in place. The byte after its closing
 * mark; NULL: it is not one. */
static char *cut_string(char *text, char quote)
{
    const char marks[] = {quote, '\\', '\0'};
    char *to = text;
    while (*to != quote && *to != '\\' && *to != '\0') {
        to++;
    }
    const char *from = to;
    while (*from == '\\') {
        from++;
        to = unescape(&from, to);
        if (to == NULL) {
            return NULL;
        }
        size_t length = strcspn(from, marks);
        memmove(to, from, length);
        to += length;
        from += length;
    }
    char *end = *from == quote ? text + (from - text) + 1 : NULL;
    *to = '\0';
    return end;
}

/* Skips a value without changing it; NULL: it is not one. */
static char *skip_value(char *at, int depth)
{
    static const char plain[] = "+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char open = *at, close = open == '[' ? ']' : '}';
    if (open == '"') {
        for (at++; *at != '"' && *at != '\0'; at++) {
            at += *at == '\\' && at[1] != '\0';
        }
        return *at == '"' ? at + 1 : NULL;
    }
    if (open != '[' && open != '{') {
        size_t length = strspn(at, plain);
        return length > 0 ? at + length : NULL;
    }
    at++;
    at = past_blanks(at);
    for (bool first = true; *at != close; first = false) {
        if (!first && *at++ != ',') {
            return NULL;
        }
        at = past_blanks(at);
        if (open == '{') {
            at = *at == '"' ? skip_value(at, depth) : NULL;
            at = at != NULL ? past_blanks(at) : NULL;
            at = at != NULL && *at == ':' ? at + 1 : NULL;
            at = at != NULL ? past_blanks(at) : NULL;
        }
        at = at != NULL && depth > 0 ? skip_value(at, depth - 1) : NULL;
        if (at == NULL) {
            return NULL;
        }
        at = past_blanks(at);
    }
    return at + 1;
}

/* Drops a fraction of zeros. */
static void shorten(char *number)
{
    char *point = strchr(number, '.');
    if (point != NULL && point[strspn(point, ".0123456789")] == '\0') {
        char *end = point + strlen(point);
        while (end > point && (end[-1] == '0' || end[-1] == '.')) {
            *--end = '\0';
        }
    }
}

/* A number, or one of the words of JSON, Python and NumPy; false: neither. */
static bool take_word(char **word)
{
    static const char *const nothing[] = {"null", "NaN", "nan", "None", NULL};
    static const char *const words[] = {"true",     "false",     "True", "False",
                                        "Infinity", "-Infinity", "inf",  NULL};
    static char none[] = "";
    bool number = **word != '\0' && strchr("eE", **word) == NULL &&
                  (*word)[strspn(*word, "+-.0123456789eE")] == '\0';
    if (number) {
        shorten(*word);
        return true;
    }
    for (int i = 0; nothing[i] != NULL; i++) {
        if (strcmp(*word, nothing[i]) == 0) {
            *word = none;
            return true;
        }
    }
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(*word, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

static char *trim(char *text, int64_t *trimmed)
{
    char *begin = text + strspn(text, " \t"), *end = begin + strlen(begin);
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    *trimmed += begin > text || *end != '\0';
    *end = '\0';
    return begin;
}

/* The value at *at as a text, ended in place; *at moves to the byte after it and its blanks, which
 * is returned in *mark and may have been overwritten. NULL: no valid value. */
static char *cut_value(char **at, char *mark, int depth, int64_t *trimmed)
{
    bool quoted = **at == '"' || **at == '\'';
    char *text = *at, *end = quoted ? cut_string(text + 1, *text) : skip_value(text, depth);
    if (end == NULL) {
        return NULL;
    }
    char *after = past_blanks(end);
    *at = after;
    *mark = *after;
    if (quoted) {
        return trim(text + 1, trimmed);
    }
    *end = '\0';
    return *text == '[' || *text == '{' || take_word(&text) ? text : NULL;
}

/* ---- columns ---- */

static uint64_t place_of(const og_objects *all, const char *name)
{
    return XXH3_64bits(name, strlen(name)) & (all->slot_count - 1);
}

static bool double_slots(og_objects *all)
{
    size_t count = all->slot_count == 0 ? 64 : 2 * all->slot_count;
    int *slot = calloc(count, sizeof *slot);
    if (slot == NULL) {
        return false;
    }
    free(all->slot);
    all->slot = slot;
    all->slot_count = count;
    for (int column = 0; column < all->count; column++) {
        uint64_t at = place_of(all, all->name[column]);
        while (slot[at] != 0) {
            at = (at + 1) & (count - 1);
        }
        slot[at] = column + 1;
    }
    return true;
}

static bool grow(og_objects *all)
{
    size_t count = (size_t)all->count + 1;
    char **name = og_grown(all->name, &all->name_room, count, sizeof *name);
    all->name = name != NULL ? name : all->name;
    char **value = og_grown(all->value, &all->value_room, count, sizeof *value);
    all->value = value != NULL ? value : all->value;
    return name != NULL && value != NULL && (2 * count < all->slot_count || double_slots(all));
}

/* The number of the column with this name, a new one if there is none; -1 without memory. `next`
 * is a guess. */
static int column_of(og_objects *all, const char *name, int next)
{
    if (next < all->count && strcmp(all->name[next], name) == 0) {
        return next;
    }
    if (all->slot_count == 0 && !double_slots(all)) {
        return -1;
    }
    uint64_t at = place_of(all, name);
    for (; all->slot[at] != 0; at = (at + 1) & (all->slot_count - 1)) {
        if (strcmp(all->name[all->slot[at] - 1], name) == 0) {
            return all->slot[at] - 1;
        }
    }
    char *copy = grow(all) ? strdup(name) : NULL;
    if (copy == NULL) {
        return -1;
    }
    for (at = place_of(all, name); all->slot[at] != 0; at = (at + 1) & (all->slot_count - 1)) {
    }
    all->name[all->count] = copy;
    all->slot[at] = ++all->count;
    return all->count - 1;
}

static og_status keep(og_objects *all, const char *name, char *value, const char **why)
{
    int next = all->seen_count > 0 ? all->seen[all->seen_count - 1] + 1 : 0;
    int *seen = og_grown(all->seen, &all->seen_room, all->seen_count + 1, sizeof *seen);
    OG_TRY(OG_ALLOCATED(seen));
    all->seen = seen;
    int column = column_of(all, name, next);
    if (column < 0) {
        return OG_NO_MEMORY;
    }
    if (column == OG_OBJECT_COLUMNS_MAX) {
        *why = "more than 50000 different keys";
        return OG_BAD_INPUT;
    }
    all->value[column] = value;
    seen[all->seen_count++] = column;
    return OG_OK;
}

/* path[0 .. inside) and the key, with room for a point. NULL without memory. "choices" inside of a
 * key is that key. */
static char *path_with(og_objects *all, const char *key, size_t inside)
{
    if (inside > 0 && strcmp(key, "choices") == 0) {
        inside--;
        key = "";
    }
    size_t length = strlen(key) + 1;
    char *path = og_grown(all->path, &all->path_room, inside + length + 1, 1);
    if (path != NULL) {
        all->path = path;
        memcpy(path + inside, key, length);
    }
    return path;
}

static og_status refuse(const char **why)
{
    *why = not_json;
    return OG_BAD_INPUT;
}

/* Moves to the value of a member; its key, NULL: there is none. */
static char *cut_key(char **at)
{
    *at = past_blanks(*at);
    char *key = *at + 1, *end = **at == '"' ? cut_string(key, '"') : NULL;
    end = end != NULL ? past_blanks(end) : NULL;
    if (end == NULL || *end != ':') {
        return NULL;
    }
    *at = past_blanks(end + 1);
    return key;
}

/* The members of an object, *at behind its brace; path[0 .. inside) are the keys that it is in. */
static og_status cut_members(og_objects *all, char **at, size_t inside, int depth, const char **why)
{
    char mark = ',';
    *at = past_blanks(*at);
    if (**at == '}') {
        ++*at;
        return OG_OK;
    }
    while (mark == ',') {
        char *name = cut_key(at);
        if (name == NULL || depth == 0) {
            return refuse(why);
        }
        bool object = **at == '{';
        name = inside > 0 || object ? path_with(all, name, inside) : name;
        OG_TRY(OG_ALLOCATED(name));
        if (object) {
            size_t length = strlen(name);
            name[length] = '.';
            ++*at;
            OG_TRY(cut_members(all, at, length + 1, depth - 1, why));
            *at = past_blanks(*at);
            mark = **at;
        } else {
            char *value = cut_value(at, &mark, depth, &all->trimmed);
            OG_TRY(value != NULL ? keep(all, name, value, why) : refuse(why));
        }
        *at += mark != '\0';
    }
    return mark == '}' ? OG_OK : refuse(why);
}

og_status og_objects_cut(og_objects *all, char *text, const char **why)
{
    static char none[] = "";
    for (size_t i = 0; i < all->seen_count; i++) {
        all->value[all->seen[i]] = none;
    }
    all->seen_count = 0;
    char *at = past_blanks(text);
    *why = not_json;
    if (*at++ != '{') {
        return OG_BAD_INPUT;
    }
    OG_TRY(cut_members(all, &at, 0, OG_OBJECT_DEPTH_MAX, why));
    return *past_blanks(at) == '\0' ? OG_OK : OG_BAD_INPUT;
}

void og_objects_clear(og_objects *all)
{
    for (int column = 0; column < all->count; column++) {
        free(all->name[column]);
    }
    free(all->name);
    free(all->value);
    free(all->seen);
    free(all->slot);
    free(all->path);
    *all = (og_objects){.count = 0};
}

char *og_array_next(og_array *array)
{
    char *at = array->at;
    int64_t trimmed = 0;
    bool first = array->mark == '\0';
    if (first && *at != '[') {
        return NULL;
    }
    at += first || array->mark == ',';
    at = past_blanks(at);
    if (array->mark == ']' || (first && *at == ']')) {
        array->mark = ']';
        array->at = at + 1;
        return NULL;
    }
    array->at = at;
    char *element = cut_value(&array->at, &array->mark, 1, &trimmed);
    bool over = element != NULL && array->mark == ']';
    if (element == NULL || (over && *past_blanks(array->at + 1) != '\0')) {
        array->mark = '\0';
        return NULL;
    }
    return element;
}

og_status og_text_is_array(const char *text, bool *is)
{
    *is = false;
    if (*text != '[' || text[strlen(text) - 1] != ']') {
        return OG_OK;
    }
    char *copy = strdup(text);
    OG_TRY(OG_ALLOCATED(copy));
    og_array array = {.at = copy};
    while (og_array_next(&array) != NULL) {
    }
    *is = array.mark == ']';
    free(copy);
    return OG_OK;
}
