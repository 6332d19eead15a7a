/* The classes of labels: numbers as they come, in order at the end. */
#include "bench/recorded/classes.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FIELD_SHOWN = 24 };

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
    size_t length = strlen(label), plain = plain_length(label);
    while (rest != NULL && length > 0) {
        size_t size = strcspn(rest, ",");
        if ((size == length || size == plain) && memcmp(rest, label, size) == 0) {
            return true;
        }
        rest = rest[size] == ',' ? rest + size + 1 : NULL;
    }
    return length == 0;
}

static bool fail_at(og_rows *rows, const char *label, const char *why)
{
    char shown[FIELD_SHOWN + 1] = "";
    for (size_t i = 0; i < FIELD_SHOWN && label[i] != '\0'; i++) {
        shown[i] = label[i] >= ' ' && label[i] < 127 ? label[i] : '?';
    }
    return og_rows_fail(rows, "the label is '%s%s'%s", shown,
                        strlen(label) > FIELD_SHOWN ? "..." : "", why);
}

bool og_classes_number(og_class_list *classes, og_rows *rows, char *label, uint8_t *number)
{
    make_plain(label);
    int32_t at = 0;
    while (at < classes->count && strcmp(classes->name[at], label) != 0) {
        at++;
    }
    *number = (uint8_t)at;
    if (at < classes->count) {
        return true;
    }
    if (classes->fixed) {
        return fail_at(rows, label, ", which nobody gave in the recorded labels");
    }
    if (strlen(label) >= OG_CLASS_NAME_BYTES) {
        return fail_at(rows, label, "; a class has at most 31 bytes");
    }
    if (at > 0 && is_number(label) != is_number(classes->name[0])) {
        return fail_at(rows, label,
                       is_number(label) ? "; those before it are words, not numbers; name values "
                                          "that are no label by --missing"
                                        : "; those before it are numbers; name values that are no "
                                          "label by --missing");
    }
    if (at == OG_CLASSES_MAX) {
        return fail_at(rows, label, ", an eleventh class; there may be ten");
    }
    strcpy(classes->name[classes->count++], label);
    return true;
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

/* Adds the other class of a pair to a single one. */
static bool complete_pair(og_class_list *classes, og_rows *rows, const char *positive)
{
    const char *name = classes->name[0];
    if (positive != NULL && strcmp(positive, name) != 0 && strlen(positive) < OG_CLASS_NAME_BYTES) {
        strcpy(classes->name[classes->count++], positive);
        return true;
    }
    for (int i = 0; i < 2 * PAIR_COUNT; i++) {
        if (strcmp(name, pair[i / 2][i % 2]) == 0) {
            strcpy(classes->name[classes->count++], pair[i / 2][1 - i % 2]);
            return true;
        }
    }
    return og_rows_fail(rows, "every label is '%s': there must be two classes", name);
}

/* Makes the class called `positive` the second of two. */
static bool turn(og_class_list *classes, og_rows *rows, const char *positive,
                 uint8_t place[OG_CLASSES_MAX])
{
    char first[OG_CLASS_NAME_BYTES];
    if (classes->count > 2) {
        return og_rows_fail(rows, "--positive is for two classes, and there are %d; omit it",
                            (int)classes->count);
    }
    if (strcmp(positive, classes->name[0]) != 0 && strcmp(positive, classes->name[1]) != 0) {
        return og_rows_fail(rows, "--positive must be '%s' or '%s', not '%.24s'", classes->name[0],
                            classes->name[1], positive);
    }
    if (strcmp(positive, classes->name[0]) == 0) {
        strcpy(first, classes->name[0]);
        strcpy(classes->name[0], classes->name[1]);
        strcpy(classes->name[1], first);
        place[0] = (uint8_t)(1 - place[0]);
        place[1] = (uint8_t)(1 - place[1]);
    }
    return true;
}

bool og_classes_sort(og_class_list *classes, og_rows *rows, const og_tables *how,
                     uint8_t place[OG_CLASSES_MAX])
{
    char name[OG_CLASSES_MAX][OG_CLASS_NAME_BYTES];
    char plain[OG_CLASS_NAME_BYTES] = "";
    const char *positive = how != NULL ? how->positive : NULL;
    if (positive != NULL) {
        snprintf(plain, sizeof plain, "%s", positive);
        make_plain(plain);
        positive = plain;
    }
    if (classes->count == 1 && !complete_pair(classes, rows, positive)) {
        return false;
    }
    memcpy(name, classes->name, sizeof name);
    memset(place, 0, OG_CLASSES_MAX);
    for (int32_t k = 0; k < classes->count; k++) {
        for (int32_t other = 0; other < classes->count; other++) {
            place[k] = (uint8_t)(place[k] +
                                 (compare_classes(name[other], name[k], classes->count == 2) < 0));
        }
    }
    for (int32_t k = 0; k < classes->count; k++) {
        strcpy(classes->name[place[k]], name[k]);
    }
    return positive == NULL || turn(classes, rows, positive, place);
}
