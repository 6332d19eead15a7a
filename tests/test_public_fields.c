/* Every field of the public structs that is a number, a text or an array has a row with its valid
 * values, and the functions that read the field refuse other values. */
#include <ctype.h>

#include "bench/public/fields.h"
#include "tests/public_support.h"

OG_SUITE(public_fields, 60);

typedef struct {
    const char *name;
    const og_field *row;
    size_t bytes;
    const char *any; /* fields that take every value, or are looked at elsewhere */
    og_status (*ask)(const void *object);
} field_table;

static og_status ask_settings(const void *object)
{
    og_problem *problem = instances("1", "1,1");
    og_document *report = NULL;
    og_session *session = NULL;
    og_request request;
    og_request_default(&request);
    request.settings = *(const og_settings *)object;
    og_status status = og_solve(problem, &request, &report, &said);
    ck_assert_int_eq(og_session_new(problem, object, &session, &said), status);
    og_problem_free(problem);
    return status;
}

static og_status ask_request(const void *object)
{
    og_problem *problem = instances("1", "1,1");
    og_document *report = NULL;
    og_status status = og_compare(problem, object, &report, &said);
    og_problem_free(problem);
    return status;
}

static og_status ask_search(const void *object)
{
    og_document *report = NULL;
    return og_find(object, NULL, &report, &said);
}

static og_status ask_recording(const void *object)
{
    og_document *report = NULL;
    return og_replay(object, NULL, &report, &said);
}

static og_status ask_batch(const void *object)
{
    og_document *report = NULL;
    return og_next_batch(object, NULL, &report, &said);
}

static const field_table tables[] = {
    {"og_settings", og_settings_fields, sizeof(og_settings),
     " memory_bytes watch_user states_max world tables ", ask_settings},
    {"og_request", og_request_fields, sizeof(og_request),
     " settings policy_states_max optimum_states_max seed ", ask_request},
    {"og_search", og_search_fields, sizeof(og_search), "", ask_search},
    {"og_recording", og_recording_fields, sizeof(og_recording), " task worker label gold ",
     ask_recording},
    {"og_batch", og_batch_fields, sizeof(og_batch), "", ask_batch},
};
enum { TABLES = sizeof tables / sizeof *tables };

static void *usual(const field_table *table)
{
    void *made = calloc(1, table->bytes);
    ck_assert_ptr_nonnull(made);
    if (table->row == og_request_fields) {
        og_request_default(made);
    } else if (table->row == og_settings_fields) {
        og_settings_default(made);
    }
    return made;
}

static void refused(const field_table *table, const og_field *row, const void *bytes, size_t size)
{
    char *made = usual(table);
    memcpy(made + row->at, bytes, size);
    memset(&said, 0, sizeof said);
    ck_assert_msg(table->ask(made) == OG_BAD_INPUT && strstr(said.text, row->name) != NULL &&
                      strchr(said.text, '\n') == NULL,
                  "%s.%s: '%s'", table->name, row->name, said.text);
    free(made);
}

static void number_refused(const field_table *table, const og_field *row, double value)
{
    int32_t narrow = (int32_t)(row->kind == OG_FIELD_INT ? value : 0);
    int64_t wide = (int64_t)(row->kind == OG_FIELD_INT64 ? value : 0);
    unsigned flags = (unsigned)(row->kind == OG_FIELD_FLAGS ? value : 0);
    row->kind == OG_FIELD_INT     ? refused(table, row, &narrow, sizeof narrow)
    : row->kind == OG_FIELD_INT64 ? refused(table, row, &wide, sizeof wide)
    : row->kind == OG_FIELD_FLAGS ? refused(table, row, &flags, sizeof flags)
                                  : refused(table, row, &value, sizeof value);
}

OG_TEST_LOOP(what_a_row_does_not_take_is_refused, 0, TABLES)
{
    const field_table *table = &tables[_i];
    const char *empty = "";
    for (const og_field *row = table->row; row->name != NULL; row++) {
        if (row->kind == OG_FIELD_TEXT) {
            refused(table, row, &empty, sizeof empty);
        } else if (row->kind == OG_FIELD_WORDS) {
            continue; /* beside its count, below */
        } else {
            if (row->kind != OG_FIELD_FLAGS) {
                number_refused(table, row, row->least - 1);
            }
            if (row->most < INT32_MAX) {
                number_refused(table, row, row->most + 1);
            }
            if (row->kind == OG_FIELD_DOUBLE) {
                number_refused(table, row, NAN);
                number_refused(table, row, -INFINITY);
            }
        }
    }
}

OG_TEST_LOOP(an_array_that_is_missing_is_refused, 0, TABLES)
{
    const field_table *table = &tables[_i];
    for (const og_field *row = table->row; row->name != NULL; row++) {
        if (row->kind == OG_FIELD_WORDS) {
            const int32_t two = 2;
            og_field counter = {.name = " is NULL", .at = row->count};
            refused(table, &counter, &two, sizeof two);
        }
    }
}

/* Without its comments, which become blanks. */
static char *header(void)
{
    char *text = calloc(1, 1 << 20);
    FILE *file = fopen(test_source_path("optgap.h").text, "r");
    ck_assert(text != NULL && file != NULL);
    ck_assert_uint_gt(fread(text, 1, (1 << 20) - 1, file), 0);
    fclose(file);
    for (char *at = strstr(text, "/*"); at != NULL; at = strstr(at, "/*")) {
        const char *end = strstr(at, "*/") + 2;
        while (at < end) {
            *at++ = ' ';
        }
    }
    return text;
}

static bool has_row(const field_table *table, const char *field)
{
    char spaced[80];
    snprintf(spaced, sizeof spaced, " %s ", field);
    bool has = strstr(table->any, spaced) != NULL;
    for (const og_field *row = table->row; row->name != NULL; row++) {
        size_t length = strlen(field);
        has = has || (strncmp(row->name, field, length) == 0 &&
                      (row->name[length] == '\0' || row->name[length] == '.'));
    }
    return has;
}

/* The names of one declaration, "int32_t part, parts"; flags and functions take every value. */
static int look_at(const field_table *table, char *declaration)
{
    int names = 0;
    if (strstr(declaration, "bool ") != NULL || strstr(declaration, "og_watch ") != NULL) {
        return 1;
    }
    for (char *rest = declaration, *part; (part = strsep(&rest, ",")) != NULL; names++) {
        size_t length = strlen(part);
        while (length > 0 && isspace((unsigned char)part[length - 1])) {
            part[--length] = '\0';
        }
        char *name = part + length;
        while (name > part && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) {
            name--;
        }
        ck_assert_msg(*name == '\0' || has_row(table, name), "%s.%s has no row in fields.c",
                      table->name, name);
    }
    return names;
}

OG_TEST_LOOP(every_field_has_a_row, 0, TABLES)
{
    const field_table *table = &tables[_i];
    char *text = header(), end[80];
    int names = 0;
    snprintf(end, sizeof end, "} %s;", table->name);
    char *last = strstr(text, end), *first = text;
    ck_assert_ptr_nonnull(last);
    *last = '\0';
    for (char *at = text; (at = strstr(at, "typedef struct {")) != NULL;) {
        at += strlen("typedef struct {");
        first = at;
    }
    for (char *declaration; (declaration = strsep(&first, ";")) != NULL;) {
        names += look_at(table, declaration);
    }
    ck_assert_int_gt(names, 3);
    free(text);
}
