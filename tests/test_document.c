/* Documents: output for programs, output for people, and the result of failed allocations. */
#include "bench/document.h"

#include <jansson.h>

#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(document, 60);

static void check_json(og_document *document, const char *expected)
{
    char *text = og_document_json(document);
    ck_assert_ptr_nonnull(text);
    ck_assert_str_eq(text, expected);
    free(text);
    og_document_free(document);
}

OG_TEST(json_keeps_the_order_of_putting)
{
    og_document *document = og_document_new();
    og_document *inner = og_put_object(document, "z");
    og_document *list = og_put_array(document, "a");
    og_put_whole(inner, "y", 3);
    og_put_bool(inner, "b", true);
    og_put_null(inner, "n");
    og_put_text(list, NULL, "one");
    og_put_number(list, NULL, 2);
    og_put_object(list, NULL);
    og_put_text(inner, "late", NULL);
    check_json(document, "{\n  \"z\": {\n    \"y\": 3,\n    \"b\": true,\n    \"n\": null,\n"
                         "    \"late\": null\n  },\n"
                         "  \"a\": [\n    \"one\",\n    2.0,\n    {}\n  ]\n}");
}

OG_TEST(json_numbers_read_back_and_others_are_null)
{
    const double values[] = {0.1, 1e300, -1e-7, -0.0, 1.0 / 3, NAN, INFINITY, -INFINITY};
    og_document *document = og_document_new();
    og_put_numbers(document, "n", values, 8);
    check_json(document, "{\n  \"n\": [\n    0.10000000000000001,\n    1.0000000000000001e300,\n"
                         "    -9.9999999999999995e-8,\n    -0.0,\n    0.33333333333333331,\n"
                         "    null,\n    null,\n    null\n  ]\n}");
}

OG_TEST(json_escapes_what_it_must)
{
    og_document *document = og_document_new();
    og_put_text(document, "a\"b", "quote \" stroke \\ line \n tab \t bell \a end");
    check_json(document, "{\n  \"a\\\"b\": \"quote \\\" stroke \\\\ line \\n tab \\t bell \\u0007 "
                         "end\"\n}");
}

static void random_text(random_source *random, char *text, uint32_t most)
{
    uint32_t length = random_below(random, most);
    for (uint32_t i = 0; i < length; i++) {
        text[i] = (char)(1 + random_below(random, random_below(random, 3) == 0 ? 255 : 127));
    }
    text[length] = '\0';
}

static double random_number(random_source *random)
{
    const double simple[] = {0, -0.0, 1, -6, 0.5, 1e15, 1e16, 1e17, 1e-4, 1e-5, 5e-324, 1e308};
    switch (random_below(random, 3)) {
    case 0:
        return simple[random_below(random, sizeof simple / sizeof *simple)];
    case 1:
        return ldexp((double)random_below(random, 1U << random_below(random, 32)) - 5,
                     20 - (int)random_below(random, 60));
    default:
        return ldexp((double)random_below(random, UINT32_MAX) - 2e9,
                     (int)random_below(random, 1900) - 1000);
    }
}

static void put_random(random_source *random, og_document *parent, bool named, int depth)
{
    char text[40], name[64];
    for (uint32_t i = 0, count = random_below(random, 6); i < count; i++) {
        random_text(random, text, sizeof text);
        snprintf(name, sizeof name, "%" PRIu32 "%s", i, text);
        const char *key = named ? name : NULL;
        switch (random_below(random, depth > 0 ? 7 : 5)) {
        case 0:
            og_put_number(parent, key, random_number(random));
            break;
        case 1:
            og_put_whole(parent, key, UINT64_MAX >> (1 + random_below(random, 63)));
            break;
        case 2:
            random_text(random, text, sizeof text);
            og_put_text(parent, key, text);
            break;
        case 3:
            og_put_bool(parent, key, random_below(random, 2) == 0);
            break;
        case 4:
            og_put_null(parent, key);
            break;
        case 5:
            put_random(random, og_put_array(parent, key), false, depth - 1);
            break;
        default:
            put_random(random, og_put_object(parent, key), true, depth - 1);
        }
    }
}

static void check_jansson(char *text, size_t flags, uint64_t seed)
{
    json_t *read = json_loads(text, 0, NULL);
    ck_assert_msg(read != NULL, "seed %" PRIu64 ": %s", seed, text);
    char *again = json_dumps(read, flags | JSON_REAL_PRECISION(17));
    ck_assert_msg(strcmp(text, again) == 0, "seed %" PRIu64 ": %s is not %s", seed, text, again);
    json_decref(read);
    free(again);
    free(text);
}

OG_TEST(json_is_what_jansson_writes)
{
    for (int n = 0; n < test_cases(2000); n++) {
        uint64_t seed = test_seed(4400) + (uint64_t)n;
        random_source random = random_start(seed);
        og_document *document = og_document_new();
        put_random(&random, document, true, 3);
        check_jansson(og_document_json(document), JSON_INDENT(2), seed);
        check_jansson(og_document_json_line(document), 0, seed);
        og_document_free(document);
    }
}

/* U+FFFD for each byte that is no part of a character. */
OG_TEST(json_replaces_bytes_that_are_no_utf8)
{
    static const struct {
        const char *text, *expected;
    } rows[] = {
        {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"caf\xe9", "caf?"},
        {"\xff\xfe", "??"},
        {"\xc0\xaf", "??"},           /* too long a form of '/' */
        {"\xe0\x9f\xbf", "???"},      /* as well */
        {"\xf0\x8f\xbf\xbf", "????"}, /* as well */
        {"\xed\xa0\x80", "???"},      /* a surrogate */
        {"\xed\x9f\xbf", "\xed\x9f\xbf"},
        {"\xf4\x90\x80\x80", "????"}, /* above U+10FFFF */
        {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
        {"\xe2\x82", "??"}, /* ends too early */
        {"\xe2\x82z", "??z"},
        {"\x80", "?"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[128] = "{\n  \"";
        for (int twice = 0; twice < 2; twice++) {
            for (const char *at = rows[i].expected; *at != '\0'; at++) {
                char one[2] = {*at, '\0'};
                strcat(expected, *at == '?' ? "\xef\xbf\xbd" : one);
            }
            strcat(expected, twice == 0 ? "\": \"" : "\"\n}");
        }
        og_document *document = og_document_new();
        og_put_text(document, rows[i].text, rows[i].text);
        check_json(document, expected);
    }
}

OG_TEST(reading_gives_what_was_put)
{
    og_document *document = og_document_new();
    og_put_number(document, "x", 0.5);
    og_put_whole(document, "n", 1ULL << 40);
    og_put_text(document, "t", "text");
    ck_assert_int_eq(og_document_count(document), 3);
    ck_assert_str_eq(og_document_name(og_document_child(document, 1)), "n");
    ck_assert_double_eq(og_document_number(og_document_find(document, "x")), 0.5);
    ck_assert_double_eq(og_document_number(og_document_find(document, "n")), 0x1p40);
    ck_assert_str_eq(og_document_text(og_document_find(document, "t")), "text");
    ck_assert_ptr_null(og_document_text(og_document_find(document, "x")));
    ck_assert_double_nan(og_document_number(og_document_find(document, "t")));
    ck_assert_ptr_null(og_document_find(document, "missing"));
    ck_assert_ptr_null(og_document_child(document, 3));
    ck_assert_int_eq(og_document_count(og_document_child(document, 0)), 0);
    og_document_free(document);
}

OG_TEST(a_part_can_be_put_again)
{
    og_document *document = og_document_new();
    og_document *array = og_put_array(document, "a");
    og_document *part = og_put_object(array, NULL);
    og_put_again(array, part);
    og_put_whole(array, NULL, 7);
    og_put_again(array, part);
    og_put_whole(part, "n", 3);
    char *json = og_document_json_line(document);
    ck_assert_str_eq(json, "{\"a\": [{\"n\": 3}, {\"n\": 3}, 7, {\"n\": 3}]}");
    free(json);
    og_put_again(array, NULL);
    ck_assert(og_document_failed(document));
    og_document_free(document);
}

OG_TEST(values_of_another_document_come_last)
{
    og_document *document = og_document_new(), *from = og_document_new();
    og_put_whole(document, "first", 1);
    og_document *rows = og_put_array(from, "rows");
    og_put_number(og_put_object(rows, NULL), "x", 0.5);
    og_put_text(from, "t", "text");
    og_put_all(document, from);
    og_put_all(document, NULL);
    og_put_whole(rows, NULL, 7);
    check_json(document, "{\n  \"first\": 1,\n  \"rows\": [\n    {\n      \"x\": 0.5\n    },\n    "
                         "7\n  ],\n  \"t\": \"text\"\n}");
}

/* What a cell of one row shows, the column being of that name. */
static void check_cell(const og_document *table, const og_document *row, int32_t column,
                       const char *expected)
{
    char room[OG_CELL_BYTES];
    ck_assert_str_eq(og_document_cell(row, og_document_child(table, column), room), expected);
}

/* Checks the field of one column. */
static void check_field(const og_document *row, int32_t column, const char *expected)
{
    char room[OG_CELL_BYTES];
    const og_document *columns = og_file_columns(row->whole);
    ck_assert_str_eq(og_file_cell(row, og_document_child(columns, column), room), expected);
}

OG_TEST(files_have_the_values_of_the_tree_unrounded)
{
    og_document *document = og_document_new();
    ck_assert_ptr_null(og_file_columns(document));
    og_put_number(document, "alone", 0.1);
    og_document *rows = og_put_array(document, "rows");
    og_document *row = og_put_object(rows, NULL);
    og_put_text(row, "name", "first");
    og_put_number(row, "value", 1.0 / 3);
    og_put_number(row, "missing", NAN);
    og_put_bool(row, "sure", true);
    og_put_whole(row, "states", UINT64_MAX);
    og_show_cell(row, "value", "about a third");
    og_show_cell(row, "picks", "1,1");
    og_show_field(document, "before", "1");
    og_file_rows(document, "kind", rows);
    og_file_row(document, "other", og_document_find(document, "alone"));
    og_file_column(document, "name", NULL, 'l', NULL, OG_SHOW_PLAIN);
    og_file_column(document, "value", "calls", 'd', "value", OG_SHOW_VALUE);
    og_file_column(document, "missing", NULL, 'd', "missing", OG_SHOW_VALUE);
    og_file_column(document, "sure", NULL, 'l', "sure", OG_SHOW_PLAIN);
    og_file_column(document, "states", NULL, OG_CSV_ONLY, "states", OG_SHOW_PLAIN);
    og_file_column(document, "picks", NULL, 'l', "picks", OG_SHOW_PLAIN);
    og_file_column(document, "picks", NULL, 'd', "picks", OG_SHOW_GAP);
    og_show_field(document, "after", "2");
    static const char *const first[] = {
        "first", "0.3333333333333333", "", "true", "18446744073709551615", "1,1", ""};
    static const char *const second[] = {"alone", "0.1", "", "", "", "", ""};
    for (int32_t i = 0; i < 7; i++) {
        check_field(row, i, first[i]);
        check_field(og_document_find(document, "alone"), i, second[i]);
    }
    ck_assert_str_eq(og_document_text(og_document_child(og_file_columns(document), 1)),
                     "value (calls)");
    const og_document *fields = og_document_child(document->is.many.beside, 1);
    ck_assert_int_eq(og_document_count(fields->is.many.beside), 2); /* one block still */
    og_document_free(document);
}

OG_TEST(tables_show_the_values_of_the_tree_or_their_cells)
{
    og_document *document = og_document_new();
    og_document *rows = og_put_object(document, "rows");
    og_document *row = og_put_object(rows, "first");
    og_put_number(row, "value", 1.0 / 3);
    og_put_number(row, "gap", 0);
    og_put_text(row, "exact", "1/3");
    og_put_bool(row, "yes", true);
    og_show_cell(row, "gap", "%d", 4);
    og_show_cell(row, "gap", " to %d", 5);
    og_document *table = og_show_table(document, rows);
    og_show_column(table, "", 'l', NULL, OG_SHOW_PLAIN);
    og_show_column(table, "value", 'd', "value", OG_SHOW_VALUE);
    og_show_column(table, "", 'd', "gap", OG_SHOW_GAP);
    og_show_column(table, "", 'l', "exact", OG_SHOW_FRACTION);
    og_show_column(table, "", 'l', "yes", OG_SHOW_PLAIN);
    og_show_column(table, "", 'l', "missing", OG_SHOW_PLAIN);
    static const char *const expected[] = {"first", "0.3333333333", "4 to 5", "1/3", "yes", "-"};
    for (int32_t i = 0; i < 6; i++) {
        check_cell(table, row, i, expected[i]);
    }
    ck_assert_ptr_eq(table->is.many.beside, rows);
    ck_assert_str_eq(og_document_child(table, 1)->is.words.text, "value");
    check_json(document, "{\n  \"rows\": {\n    \"first\": {\n      \"value\": 0.33333333333333331,"
                         "\n      \"gap\": 0.0,\n      \"exact\": \"1/3\",\n      \"yes\": true\n"
                         "    }\n  }\n}");
}

OG_TEST(long_fractions_are_told)
{
    og_document *document = og_document_new();
    og_document *rows = og_put_array(document, "rows");
    og_put_text(og_put_object(rows, NULL), "x", "123456789012/123456789013"); /* 25 */
    og_put_text(og_put_object(rows, NULL), "y", "12345678901/123456789013");
    og_document *table = og_show_table(document, rows);
    og_show_column(table, "", 'l', "x", OG_SHOW_FRACTION);
    check_cell(table, og_document_child(rows, 0), 0, "long");
    check_cell(table, og_document_child(rows, 1), 0, "-");
    ck_assert(og_document_is_long(rows, "x"));
    ck_assert(!og_document_is_long(rows, "y"));
    og_document_free(document);
}

OG_TEST(fields_in_a_row_are_one_block)
{
    og_document *document = og_document_new();
    og_document *inner = og_put_object(document, "inner");
    og_show_field(document, "One", "%d", 1);
    og_show_field(inner, "Two", "%s", "2");
    og_show_more(document, " and %d", 3);
    og_show_paragraph(inner, "words");
    og_show_field(document, "Three", "3");
    const og_document *blocks = document->is.many.beside;
    int32_t tables = 0;
    for (int32_t i = 0; i < og_document_count(blocks); i++) {
        tables += og_document_child(blocks, i)->kind == OG_TABLE;
    }
    ck_assert_int_eq(tables, 2);
    const og_document *first = og_document_child(blocks, 1); /* after its rows */
    ck_assert(first->fields);
    ck_assert_int_eq(og_document_count(first->is.many.beside), 2);
    check_cell(first, og_document_child(first->is.many.beside, 1), 0, "Two");
    check_cell(first, og_document_child(first->is.many.beside, 1), 1, "2 and 3");
    check_json(document, "{\n  \"inner\": {}\n}");
}

OG_TEST(what_could_not_be_made_is_a_failure_that_stays)
{
    ck_assert(og_document_failed(NULL));
    ck_assert_ptr_null(og_document_json(NULL));
    ck_assert_ptr_null(og_put_object(NULL, "x"));
    ck_assert_ptr_null(og_put_buffer(NULL, "x", 10));
    ck_assert_ptr_null(og_show_table(NULL, og_show_rows(NULL)));
    og_put_number(NULL, "x", 1);
    og_put_text(NULL, "x", "y");
    og_put_again(NULL, NULL);
    og_show_field(NULL, "x", "y");
    og_show_more(NULL, "x");
    og_show_paragraph(NULL, "x");
    og_show_column(NULL, "x", 'l', "y", OG_SHOW_PLAIN);
    og_show_cell(NULL, "x", "y");
    og_show_hide(NULL);
    ck_assert_int_eq(og_document_count(NULL), 0);
    og_document_free(NULL);
    og_document *document = og_document_new();
    ck_assert(!og_document_failed(document));
    og_document_free(document);
}

OG_TEST(a_result_that_is_not_finite_is_a_failure_and_an_unknown_one_is_null)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < 3; k++) {
        og_document *document = og_document_new(), *whole = og_document_new();
        og_message message = {""};
        og_put_result(document, "value", false, wrong[k]);
        og_put_number(document, "index", wrong[k]);
        ck_assert_int_eq(og_document_child(document, 0)->kind, OG_NULL);
        ck_assert_int_eq(og_document_child(document, 1)->kind, OG_NULL);
        ck_assert_int_eq(og_document_status(document, NULL), OG_OK);
        og_put_result(og_put_object(document, "optimal"), "gain", true, wrong[k]);
        og_put_all(whole, document);
        ck_assert_int_eq(og_document_status(whole, &message), OG_FAILED);
        ck_assert_ptr_nonnull(strstr(message.text, "'gain'"));
        ck_assert_ptr_null(og_document_json(whole));
        og_document_free(whole);
    }
    ck_assert_int_eq(og_document_status(NULL, NULL), OG_NO_MEMORY);
}
