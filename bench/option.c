/* Reads options: parses an option's text as its row describes and stores the value in a struct.
 * This file does not depend on any particular option. */
#include "bench/option.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/fraction.h"
#include "dp/base/number.h"
#include "dp/base/suggest.h"
#include "dp/prior/problem.h"
#include "dp/prior/worker.h"
#include "heuristics/policy.h"

enum { CHOICES_MAX = 16, CHOICES_BYTES = 200, WORD_BYTES = 128 };

void *og_option_value(void *options, const og_option_row *row)
{
    return (char *)options + row->into;
}

int32_t *og_option_count(void *options, const og_option_row *row)
{
    return (int32_t *)((char *)options + row->count);
}

og_status og_option_refuse(const og_option_row *row, const char *text, og_message *message,
                           const char *format, ...)
{
    char name[WORD_BYTES], wanted[OG_MESSAGE_BYTES];
    va_list arguments;
    snprintf(name, sizeof name, "%s%s", row->what == NULL ? "--" : "",
             row->what == NULL ? row->name : row->what);
    va_start(arguments, format);
    vsnprintf(wanted, sizeof wanted, format, arguments);
    va_end(arguments);
    return og_message_set(message, OG_BAD_INPUT, "%s must be %s, not '%.64s'", name, wanted, text);
}

/* ---- numbers ---- */

og_status og_option_whole(const og_option_row *row, const char *text, int64_t *out,
                          og_message *message)
{
    return og_number_parse(text, row->least, row->most, out)
               ? OG_OK
               : og_option_refuse(row, text, message, "a whole number from %lld to %lld",
                                  (long long)row->least, (long long)row->most);
}

static og_status read_int32(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    int64_t number = 0;
    size_t length = strlen(text);
    if (strcmp(row->name, "budget") == 0 && length > 4 && length < 16 &&
        strcmp(text + length - 4, "each") == 0) {
        return og_message_set(message, OG_BAD_INPUT, "-T %s is supported by solve and compare",
                              text);
    }
    OG_TRY(og_option_whole(row, text, &number, message));
    assert(row->most <= INT32_MAX);
    *(int32_t *)og_option_value(options, row) = (int32_t)number;
    return OG_OK;
}

static og_status read_int64(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    return og_option_whole(row, text, og_option_value(options, row), message);
}

static og_status read_seconds(void *options, const og_option_row *row, const char *text,
                              og_message *message)
{
    return og_seconds_parse(text, og_option_value(options, row))
               ? OG_OK
               : og_option_refuse(row, text, message,
                                  "a number of seconds greater than 0, such as %s (at most "
                                  "1000000000)",
                                  row->example != NULL ? row->example : "90 or 0.5");
}

static og_status read_bytes(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    return og_bytes_parse(text, og_option_value(options, row))
               ? OG_OK
               : og_option_refuse(row, text, message,
                                  "a number of bytes such as 16M or 2G (K, M, G, T; at most "
                                  "1024T)");
}

static og_status read_fraction(void *options, const og_option_row *row, const char *text,
                               og_message *message)
{
    og_fraction value;
    if (og_fraction_parse(text, strlen(text), &value) != OG_OK || value.num <= 0) {
        return og_option_refuse(row, text, message, "a decimal number greater than 0");
    }
    *(og_fraction *)og_option_value(options, row) = value;
    return OG_OK;
}

/* ---- words and lists of words ---- */

typedef struct {
    char text[CHOICES_BYTES];
    const char *word[CHOICES_MAX];
    int32_t count;
} choices;

static void split_choices(const og_option_row *row, choices *out)
{
    char *rest = out->text;
    assert(strlen(row->choices) < sizeof out->text);
    snprintf(out->text, sizeof out->text, "%s", row->choices);
    for (out->count = 0; rest != NULL && out->count < CHOICES_MAX; out->count++) {
        out->word[out->count] = strsep(&rest, " ");
    }
}

/* "a, b or c": join the choices with commas, with `last` before the last one. */
static void join_choices(const choices *known, const char *last, char list[2 * CHOICES_BYTES])
{
    size_t used = 0;
    for (int32_t i = 0; i < known->count; i++) {
        const char *between = i == 0 ? "" : i + 1 < known->count ? ", " : last;
        used += (size_t)snprintf(list + used, 2 * CHOICES_BYTES - used, "%s%s", between,
                                 known->word[i]);
    }
}

/* The number of the choice; the count of choices if it is not one. */
static int32_t find_choice(const choices *known, const char *text)
{
    int32_t i = 0;
    while (i < known->count && strcmp(known->word[i], text) != 0) {
        i++;
    }
    return i;
}

static og_status read_choice(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    char list[2 * CHOICES_BYTES];
    choices known;
    split_choices(row, &known);
    int32_t found = find_choice(&known, text);
    if (found == known.count) {
        join_choices(&known, " or ", list);
        return og_option_refuse(row, text, message, "%s", list);
    }
    if (row->kind == OG_OPTION_EITHER) {
        *(bool *)og_option_value(options, row) = found == 1;
    } else {
        *(const char **)og_option_value(options, row) = text;
    }
    return OG_OK;
}

static og_status unknown_choice(const og_option_row *row, const choices *known, const char *text,
                                og_message *message)
{
    char hint[OG_SUGGESTION_BYTES], list[2 * CHOICES_BYTES];
    join_choices(known, ", ", list);
    return og_message_set(message, OG_BAD_INPUT, "unknown %s '%.64s'%s (known: %s)", row->what,
                          text, og_suggestion(text, known->word, (size_t)known->count, hint), list);
}

/* The choices of a list that is read. */
typedef struct {
    int32_t value[CHOICES_MAX]; /* [count] */
    int32_t count;
} chosen;

/* One word of the list. */
static og_status add_choice(void *list, const og_option_row *row, const char *text,
                            og_message *message)
{
    chosen *to = list;
    choices known;
    split_choices(row, &known);
    int32_t found = find_choice(&known, text);
    if (found == known.count) {
        return unknown_choice(row, &known, text, message);
    }
    for (int32_t i = 0; i < to->count; i++) {
        if (to->value[i] == found) {
            return og_message_set(message, OG_BAD_INPUT, "--%s names '%s' twice", row->name, text);
        }
    }
    to->value[to->count++] = found;
    return OG_OK;
}

/* Call `read` for every word between commas. */
static og_status read_list(void *options, const og_option_row *row, const char *text,
                           og_option_reader *read, og_message *message)
{
    og_status status = OG_OK;
    const char *rest = text;
    while (status == OG_OK && rest != NULL) {
        char word[WORD_BYTES];
        size_t length = strcspn(rest, ",");
        if (length == 0 || length >= sizeof word) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "expected names with commas between them, not '%.64s'", text);
        }
        memcpy(word, rest, length);
        word[length] = '\0';
        status = read(options, row, word, message);
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return status;
}

static og_status read_choices(void *options, const og_option_row *row, const char *text,
                              og_message *message)
{
    chosen found = {.count = 0};
    OG_TRY(read_list(&found, row, text, add_choice, message));
    memcpy(og_option_value(options, row), found.value, (size_t)found.count * sizeof *found.value);
    *og_option_count(options, row) = found.count;
    return OG_OK;
}

/* ---- lists that grow ---- */

/* Make room for one more element in the array whose address is the value; NULL if memory runs
 * out. */
static void *grow_list(void *options, const og_option_row *row, size_t bytes)
{
    void *list;
    int32_t *count = og_option_count(options, row);
    memcpy(&list, og_option_value(options, row), sizeof list);
    list = realloc(list, ((size_t)*count + 1) * bytes);
    if (list == NULL) {
        return NULL;
    }
    memcpy(og_option_value(options, row), &list, sizeof list);
    return (char *)list + (size_t)(*count)++ * bytes;
}

static og_status read_decimal(const og_option_row *row, const char *text, size_t length,
                              double *out, og_message *message)
{
    char word[WORD_BYTES] = "";
    char *end = word;
    if (length < sizeof word / 2 && strspn(text, "+-.0123456789eE") >= length) {
        memcpy(word, text, length);
        word[length] = '\0';
        *out = strtod(word, &end);
    }
    if (end == word || *end != '\0' || !isfinite(*out)) {
        return og_option_refuse(row, text, message, "a decimal, or %s with commas between",
                                row->example);
    }
    return OG_OK;
}

static og_status read_numbers(void *options, const og_option_row *row, const char *text,
                              og_message *message)
{
    og_status status = OG_OK;
    *og_option_count(options, row) = 0;
    for (const char *rest = text; status == OG_OK && rest != NULL;) {
        size_t length = strcspn(rest, ",");
        if (*og_option_count(options, row) == row->most) {
            return og_message_set(message, OG_BAD_INPUT, "--%s has more than %lld numbers",
                                  row->name, (long long)row->most);
        }
        double *number = grow_list(options, row, sizeof *number);
        status = number == NULL ? OG_NO_MEMORY : read_decimal(row, rest, length, number, message);
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return status;
}

static og_status read_policy(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    og_policy_name policy;
    OG_TRY(og_policy_name_parse(text, &policy, message));
    og_policy_name *place = grow_list(options, row, sizeof *place);
    OG_TRY(OG_ALLOCATED(place));
    *place = policy;
    return OG_OK;
}

static og_status read_policies(void *options, const og_option_row *row, const char *text,
                               og_message *message)
{
    int32_t *count = og_option_count(options, row), before = *count;
    og_status status = read_list(options, row, text, read_policy, message);
    *count = status == OG_OK ? *count : before;
    return status;
}

/* ---- the rest ---- */

static og_status read_switch(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    (void)text;
    (void)message;
    *(bool *)og_option_value(options, row) = true;
    return OG_OK;
}

static og_status read_text(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    const char **value = og_option_value(options, row);
    if (row->kind != OG_OPTION_TEXT && text[0] == '\0') {
        return og_message_set(message, OG_BAD_INPUT, "%s%s needs the name of a file",
                              row->name != NULL ? "--" : "",
                              row->name != NULL ? row->name : row->argument);
    }
    *value = text;
    return OG_OK;
}

static og_status read_group(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    og_group group;
    bool worker = row->name != NULL; /* options of this kind give workers */
    og_status status = (worker ? og_worker_parse : og_group_parse)(text, &group, message);
    if (status != OG_OK) {
        if (worker && message != NULL && strncmp(message->text, "--", 2) != 0) {
            og_message fault = *message;
            og_message_set(message, status, "--%s %.40s: %s", row->name, text, fault.text);
        }
        return status;
    }
    return og_groups_add(og_option_value(options, row), &group, message);
}

static og_option_reader *const readers[] = {
    [OG_OPTION_SWITCH] = read_switch,
    [OG_OPTION_INT32] = read_int32,
    [OG_OPTION_INT64] = read_int64,
    [OG_OPTION_SECONDS] = read_seconds,
    [OG_OPTION_BYTES] = read_bytes,
    [OG_OPTION_FRACTION] = read_fraction,
    [OG_OPTION_EITHER] = read_choice,
    [OG_OPTION_CHOICE] = read_choice,
    [OG_OPTION_CHOICES] = read_choices,
    [OG_OPTION_NUMBERS] = read_numbers,
    [OG_OPTION_TEXT] = read_text,
    [OG_OPTION_PATH] = read_text,
    [OG_OPTION_OUTPUT] = read_text,
    [OG_OPTION_POLICY] = read_policy,
    [OG_OPTION_POLICIES] = read_policies,
    [OG_OPTION_GROUP] = read_group,
    [OG_OPTION_CUSTOM] = NULL,
};

static og_status read_value(const og_option_row *row, void *options, const char *text,
                            og_message *message)
{
    og_option_reader *read = row->kind == OG_OPTION_CUSTOM ? row->read : readers[row->kind];
    assert(read != NULL);
    return read(options, row, text, message);
}

og_status og_option_read(const og_option_row *row, void *options, const char *text,
                         og_message *message)
{
    og_status status = read_value(row, options, text, message);
    if (status == OG_OK && row->given != 0) {
        *(bool *)((char *)options + row->given) = true;
    }
    return status;
}

og_status og_option_keep(const og_option_row *row, og_arena *arena, const char *text,
                         const char **kept, og_message *message)
{
    if ((row->argument == NULL) != (text == NULL)) {
        return og_message_set(message, OG_BAD_INPUT,
                              text == NULL ? "option '%s' needs a value"
                                           : "option '%s' does not take a value",
                              row->name);
    }
    *kept = text != NULL ? og_arena_copy(arena, text, strlen(text) + 1, 1) : NULL;
    return text == NULL ? OG_OK : OG_ALLOCATED(*kept);
}

og_status og_option_default(const og_option_row *row, void *options, og_message *message)
{
    if (row->count != 0 && *og_option_count(options, row) > 0) {
        return OG_OK;
    }
    if (row->required != NULL) {
        return og_message_set(message, OG_BAD_INPUT, "%s", row->required);
    }
    return row->fallback != NULL ? read_value(row, options, row->fallback, message) : OG_OK;
}

void og_option_list(const og_option_row *rows, const og_option_row **list, int32_t room,
                    int32_t *count)
{
    for (; rows->kind != OG_OPTION_END; rows++) {
        if (rows->kind == OG_OPTION_ROWS) {
            og_option_list(rows->rows, list, room, count);
        } else {
            assert(*count < room);
            list[(*count)++] = rows;
        }
    }
}

int32_t og_option_set_list(const og_option_set *set, const og_option_row **list, int32_t room)
{
    int32_t count = 0;
    if (set != NULL) {
        og_option_list(set->rows, list, room, &count);
    }
    return count;
}

int32_t og_option_find(const og_option_row *const *list, int32_t count, const char *name)
{
    int32_t earlier = -1;
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(list[i]->name, name) == 0) {
            return i;
        }
        if (earlier < 0 && list[i]->was != NULL && strcmp(list[i]->was, name) == 0) {
            earlier = i;
        }
    }
    return earlier;
}
