/* Recognizes a whole table by the names of its keys: "label.0", "label.1", or "0.label". */
#include "dp/base/turned.h"

#include <stdlib.h>
#include <string.h>

/* The length of a name's first part, before a point; of its last part if `last`. 0: it has one. */
static size_t part_length(const char *name, bool last)
{
    const char *point = last ? strrchr(name, '.') : strchr(name, '.');
    return point == NULL ? 0 : last ? strlen(point + 1) : (size_t)(point - name);
}

static bool is_row_number(const char *name, bool last)
{
    size_t length = part_length(name, last);
    const char *digits = last ? name + strlen(name) - length : name;
    return length > 0 && strspn(digits, "0123456789") >= length;
}

/* True if these parts of two names, between points, are equal. */
static bool same_part(const char *one, const char *other, bool last)
{
    size_t length = part_length(one, last);
    return length == part_length(other, last) &&
           (last ? strcmp(one + strlen(one) - length, other + strlen(other) - length) == 0
                 : memcmp(one, other, length) == 0);
}

static bool same_rest(const char *one, const char *other, bool last)
{
    size_t cut = part_length(one, last), other_cut = part_length(other, last);
    size_t length = strlen(one) - cut;
    return length == strlen(other) - other_cut &&
           memcmp(last ? one : one + cut, last ? other : other + other_cut, length) == 0;
}

/* The first keys with the same outer part; 0 if not all keys are one number of a row and one
 * column. */
static int group_of(const og_objects *keys, bool by_column)
{
    int group = 0;
    for (int i = 0; i < keys->count; i++) {
        const char *name = keys->name[i], *first = keys->name[0];
        if (!is_row_number(name, by_column)) {
            return 0;
        }
        bool same = by_column ? same_rest(name, first, true) : same_part(name, first, false);
        group += group == i && same;
    }
    return group;
}

/* A group has one outer part, and each the same inner ones in the same order. */
static bool groups_are_alike(const og_objects *keys, bool by_column, int group)
{
    for (int i = group; i < keys->count; i++) {
        const char *first = keys->name[i - i % group], *like = keys->name[i % group];
        const char *name = keys->name[i];
        if (by_column ? !(same_part(name, like, true) && same_rest(name, first, true))
                      : !(same_rest(name, like, false) && same_part(name, first, false))) {
            return false;
        }
    }
    return keys->count % group == 0;
}

bool og_turned_next(og_turned *turned, og_objects *objects)
{
    if (turned->row == turned->rows) {
        return false;
    }
    size_t from = (size_t)turned->row++ * (size_t)turned->steps[0];
    for (int c = 0; c < objects->count; c++) {
        objects->value[c] = turned->value[from + (size_t)c * (size_t)turned->steps[1]];
    }
    return true;
}

/* Keeps the names of the columns, each from the place of its first value. */
static void name_columns(og_objects *keys, int columns, int step, bool by_column)
{
    for (int c = 0; c < columns; c++) {
        char *name = keys->name[c * step];
        size_t length = strlen(name), cut = part_length(name, by_column) + 1;
        keys->name[c * step] = keys->name[c];
        keys->name[c] = name;
        memmove(name, by_column ? name : name + cut, length - cut);
        name[length - cut] = '\0';
    }
    for (int i = columns; i < keys->count; i++) {
        free(keys->name[i]);
    }
    keys->count = columns;
}

og_status og_turned_find(og_objects *keys, og_turned *out)
{
    bool by_column = group_of(keys, true) > 0;
    int group = group_of(keys, by_column);
    if (group == 0 || !groups_are_alike(keys, by_column, group)) {
        return OG_OK;
    }
    size_t bytes = (size_t)keys->count * sizeof *out->value;
    char **value = malloc(bytes);
    OG_TRY(OG_ALLOCATED(value));
    memcpy(value, keys->value, bytes);
    int columns = by_column ? keys->count / group : group;
    *out = (og_turned){.value = value,
                       .rows = keys->count / columns,
                       .steps = {by_column ? 1 : group, by_column ? group : 1}};
    name_columns(keys, columns, out->steps[1], by_column);
    og_turned_next(out, keys);
    return OG_OK;
}
