/* The classes of labels: numbers as they come, in order at the end. */
#include "bench/recorded/classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/request.h"
#include "dp/base/utf8.h"

enum { FIELD_SHOWN = 48 };

/* Words for label 0 and 1. */
static const char *const pair[][2] = {
    {"0", "1"},  {"no", "yes"},  {"false", "true"},        {"n", "y"},
    {"f", "t"},  {"neg", "pos"}, {"negative", "positive"}, {"reject", "accept"},
    {"-1", "1"},
};

enum { PAIR_COUNT = sizeof pair / sizeof *pair };

static bool is_number(const char *text)
{
    text += *text == '-';
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static void make_plain(char *label)
{
    size_t length = strlen(label);
    if (length > 2 && strcmp(label + length - 2, ".0") == 0) {
        label[length - 2] = '\0';
        label[length - 2] = is_number(label) ? '\0' : '.';
    }
    for (int i = 0; i < 2 * PAIR_COUNT; i++) {
        if (strcasecmp(label, pair[i / 2][i % 2]) == 0) {
            memcpy(label, pair[i / 2][i % 2], strlen(label));
        }
    }
}

/* The length of a label without a last ".0" of a number. */
static size_t plain_length(const char *label)
{
    size_t length = strlen(label), digits = length > 2 ? length - 2 : 0;
    bool whole = digits > 0 && strcmp(label + digits, ".0") == 0 &&
                 strspn(label + (*label == '-'), "0123456789") == digits - (*label == '-');
    return whole ? digits : length;
}

bool og_label_is_missing(const og_tables *how, const char *label)
{
    const char *rest = how != NULL ? how->missing : NULL;
    if (rest == NULL || *label == '\0') {
        return *label == '\0';
    }
    size_t length = strlen(label), plain = plain_length(label);
    while (rest != NULL) {
        size_t size = strcspn(rest, ",");
        if ((size == length || size == plain) && memcmp(rest, label, size) == 0) {
            return true;
        }
        rest = rest[size] == ',' ? rest + size + 1 : NULL;
    }
    return false;
}

/* The beginning of a label, in whole characters and in one line. */
static bool fail_at(og_rows *rows, const char *label, const char *why)
{
    char shown[FIELD_SHOWN + 1] = "";
    size_t used = 0, bytes = 1;
    while (label[used] != '\0' && bytes > 0 && used + bytes <= FIELD_SHOWN) {
        memcpy(shown + used, label + used, bytes);
        shown[used] = (unsigned char)label[used] < ' ' ? ' ' : shown[used];
        used += bytes;
        bytes = label[used] != '\0' ? og_utf8_bytes(label + used) : 1;
    }
    return og_rows_fail(rows, "the label is '%s%s'%s", shown, label[used] != '\0' ? "..." : "",
                        why);
}

void og_classes_clear(og_class_list *classes)
{
    for (int32_t k = 0; k < classes->count; k++) {
        free(classes->name[k]);
    }
    *classes = (og_class_list){.count = 0};
}

bool og_classes_add(og_class_list *classes, og_rows *rows, const char *name)
{
    if (classes->count == OG_CLASSES_READ) {
        return fail_at(rows, name,
                       ", a class beyond the 250 that there may be; name the column of the labels "
                       "by --columns label=NAME");
    }
    char *copy = strdup(name);
    if (copy == NULL) {
        return og_rows_no_memory(rows);
    }
    classes->name[classes->count++] = copy;
    return true;
}

static int32_t find_class(const og_class_list *classes, const char *label)
{
    int32_t at = 0;
    while (at < classes->count && strcmp(classes->name[at], label) != 0) {
        at++;
    }
    return at;
}

bool og_classes_begin(og_class_list *classes, og_rows *rows, const og_tables *how)
{
    const char *rest = how != NULL ? how->classes : NULL;
    bool given = rest != NULL, fine = true;
    while (fine && rest != NULL) {
        size_t length = strcspn(rest, ",");
        char *name = strndup(rest, length);
        if (name == NULL) {
            return og_rows_no_memory(rows);
        }
        make_plain(name);
        fine = *name != '\0' && find_class(classes, name) == classes->count
                   ? og_classes_add(classes, rows, name)
                   : og_rows_fail(rows, "--classes must be different names, not '%.*s'",
                                  FIELD_SHOWN, how->classes);
        free(name);
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    classes->fixed = given;
    return fine && (!given || classes->count > 1 ||
                    og_rows_fail(rows, "--classes must name two classes or more, not '%.*s'",
                                 FIELD_SHOWN, how->classes));
}

/* A new class among the others. */
static bool check_new(const og_class_list *classes, og_rows *rows, const char *label)
{
    bool array;
    if (og_text_is_array(label, &array) != OG_OK) {
        return og_rows_no_memory(rows);
    }
    if (array || (*label == '{' && label[strlen(label) - 1] == '}')) {
        return fail_at(rows, label, "; a text is expected in a list, not another list");
    }
    if (classes->fixed) {
        return fail_at(rows, label,
                       ", which is none of the classes of the labels; name all by --classes");
    }
    if (strpbrk(label, "\n\r") != NULL) {
        return fail_at(rows, label, ", several labels in one answer, where one is expected");
    }
    int32_t other = classes->count > 0 && og_label_is_dash(classes->name[0]) ? 1 : 0;
    if (other >= classes->count || og_label_is_dash(label) ||
        is_number(label) == is_number(classes->name[other])) {
        return true;
    }
    return fail_at(rows, label,
                   is_number(label) ? "; those before it are words, not numbers; name values that "
                                      "are no label by --missing"
                                    : "; those before it are numbers; name values that are no "
                                      "label by --missing");
}

bool og_classes_number(og_class_list *classes, og_rows *rows, char *label, uint8_t *number)
{
    int32_t at = find_class(classes, label);
    if (at == classes->count) {
        make_plain(label);
        at = find_class(classes, label);
    }
    *number = (uint8_t)at;
    return at < classes->count ||
           (check_new(classes, rows, label) && og_classes_add(classes, rows, label));
}

og_status og_classes_check(int32_t count, const char *path, og_message *message)
{
    return count <= OG_CLASSES_MAX
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "%.200s: %d classes, and at most %d are supported; 'optgap labels' "
                                "counts more",
                                path, (int)count, (int)OG_CLASSES_MAX);
}

/* ---- order ---- */

/* A pair, no and yes, has its order only where it is all: among three it would be no order. */
static int compare_classes(const char *x, const char *y, bool two)
{
    long a = strtol(x, NULL, 10), b = strtol(y, NULL, 10);
    for (int i = 0; i < PAIR_COUNT && two; i++) {
        for (int turned = 0; turned < 2; turned++) {
            if (strcmp(x, pair[i][turned]) == 0 && strcmp(y, pair[i][1 - turned]) == 0) {
                return turned ? 1 : -1;
            }
        }
    }
    return is_number(x) && is_number(y) && a != b ? (a > b) - (a < b) : strcmp(x, y);
}

static bool add_made(og_class_list *classes, og_rows *rows, const char *name)
{
    char *made = NULL;
    if (asprintf(&made, "not %s", name) < 0) {
        return og_rows_no_memory(rows);
    }
    bool fine = og_classes_add(classes, rows, made);
    free(made);
    return fine;
}

/* Adds what lacks of two classes. */
static bool complete_pair(og_class_list *classes, og_rows *rows, const char *positive)
{
    const char *name = positive != NULL ? positive : pair[0][1];
    if (classes->count == 0 && !og_classes_add(classes, rows, name)) {
        return false;
    }
    name = classes->name[0];
    if (positive != NULL && strcmp(positive, name) != 0) {
        return og_classes_add(classes, rows, positive);
    }
    for (int i = 0; i < 2 * PAIR_COUNT; i++) {
        if (strcmp(name, pair[i / 2][i % 2]) == 0) {
            return og_classes_add(classes, rows, pair[i / 2][1 - i % 2]);
        }
    }
    classes->lone = true;
    return add_made(classes, rows, name);
}

static void exchange(og_class_list *classes, uint8_t place[OG_CLASSES_READ])
{
    char *first = classes->name[0];
    classes->name[0] = classes->name[1];
    classes->name[1] = first;
    place[0] = (uint8_t)(1 - place[0]);
    place[1] = (uint8_t)(1 - place[1]);
}

/* Makes the class called `positive` the second of two. */
static bool turn(og_class_list *classes, og_rows *rows, const char *positive,
                 uint8_t place[OG_CLASSES_READ])
{
    if (classes->count > 2) {
        return og_rows_fail(rows, "--positive requires two classes, and there are %d; omit it",
                            (int)classes->count);
    }
    if (strcmp(positive, classes->name[0]) != 0 && strcmp(positive, classes->name[1]) != 0) {
        return og_rows_fail(rows, "--positive must be '%.*s' or '%.*s', not '%.*s'", FIELD_SHOWN,
                            classes->name[0], FIELD_SHOWN, classes->name[1], FIELD_SHOWN, positive);
    }
    if (strcmp(positive, classes->name[0]) == 0) {
        exchange(classes, place);
    }
    return true;
}

/* Sorts the classes, unless --classes did. */
static void put_in_order(og_class_list *classes, uint8_t place[OG_CLASSES_READ])
{
    char *name[OG_CLASSES_READ];
    memcpy(name, classes->name, sizeof name);
    for (int32_t k = 0; k < classes->count; k++) {
        place[k] = classes->fixed ? (uint8_t)k : 0;
        for (int32_t other = 0; other < classes->count && !classes->fixed; other++) {
            place[k] = (uint8_t)(place[k] +
                                 (compare_classes(name[other], name[k], classes->count == 2) < 0));
        }
        classes->name[place[k]] = name[k];
    }
}

bool og_classes_sort(og_class_list *classes, og_rows *rows, const og_tables *how,
                     uint8_t place[OG_CLASSES_READ])
{
    char *positive = how != NULL && how->positive != NULL ? strdup(how->positive) : NULL;
    if (how != NULL && how->positive != NULL && positive == NULL) {
        return og_rows_no_memory(rows);
    }
    if (positive != NULL) {
        make_plain(positive);
    }
    bool fine = classes->count > 1 || complete_pair(classes, rows, positive);
    if (fine) {
        put_in_order(classes, place);
        if (classes->lone && place[0] == 0) {
            exchange(classes, place);
        }
        fine = positive == NULL || turn(classes, rows, positive, place);
    }
    free(positive);
    return fine;
}
