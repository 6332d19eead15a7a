/* JSON objects as rows of a table: values and columns, against JSON written from known ones. */
#include "dp/base/object.h"

#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(object, 20);

static const struct {
    const char *json, *value;
} values[] = {
    {"\"a\"", "a"},
    {"\"\"", ""},
    {"null", ""},
    {"NaN", ""},
    {"true", "true"},
    {"-12", "-12"},
    {"1.0", "1"},
    {"0.50", "0.5"},
    {"1e5", "1e5"},
    {"\"1.0\"", "1.0"},
    {"\"a\\\"\\\\\\/\\n\\u00e4\\u4e2d\\ud83d\\ude00b\"", "a\"\\/\n\u00e4\u4e2d\U0001F600b"},
    {"[1, {\"a\": \"]\"}]", "[1, {\"a\": \"]\"}]"},
    {" [ ] ", "[ ]"},
};

OG_TEST_LOOP(cut_gives_each_value_as_text, 0, sizeof values / sizeof *values)
{
    static const char *const forms[] = {"{\"k\":%s}", "{ \"x\" : 1 , \"k\" : %s , \"y\" : \"z\" }",
                                        "{\"k\"\n:\t%s\r\n}"};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        char text[256];
        const char *why;
        og_objects objects = {.count = 0};
        snprintf(text, sizeof text, forms[f], values[_i].json);
        ck_assert_int_eq(og_objects_cut(&objects, text, &why), OG_OK);
        ck_assert_str_eq(objects.name[f == 1], "k");
        ck_assert_str_eq(objects.value[f == 1], values[_i].value);
        og_objects_clear(&objects);
    }
}

static const char *const wrong[] = {
    "",
    "{",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{\"a\":1}}",
    "[1]",
    "{a:1}",
    "{\"a\":b}",
    "{\"a\":\"\\x\"}",
    "{\"a\":\"\\u0000\"}",
    "{\"a\":\"b}",
    "{,}",
    "{\"a\" 1}",
    "{\"a\":[1,}",
    "{\"a\":[1}",
    "{\"a\":\"\\ud83d\"}",
    "{\"a\":1 2}",
    "{\"a\":{\"b\":1}",
    "{\"a\":[1 2]}",
    "{\"a\":\"\\udc00\"}",
};

OG_TEST_LOOP(cut_refuses_what_is_no_object, 0, sizeof wrong / sizeof *wrong)
{
    char text[64];
    const char *why = NULL;
    og_objects objects = {.count = 0};
    snprintf(text, sizeof text, "%s", wrong[_i]);
    ck_assert_msg(og_objects_cut(&objects, text, &why) == OG_BAD_INPUT, "%s", wrong[_i]);
    ck_assert_str_eq(why, "not valid JSON");
    og_objects_clear(&objects);
}

OG_TEST(cut_keeps_columns_in_their_order_and_empties_those_that_lack)
{
    og_objects objects = {.count = 0};
    const char *why;
    char first[] = "{\"a\":1,\"b\":{\"c\":{\"d\":2},\"e\":3},\"f\":{}}";
    char second[] = "{\"g\":4,\"b\":{\"e\":{\"choices\":5}},\"a.x\":6}";
    static const char *const names[] = {"a", "b.c.d", "b.e", "g", "a.x"};
    static const char *const lasts[] = {"", "", "5", "4", "6"};
    ck_assert_int_eq(og_objects_cut(&objects, first, &why), OG_OK);
    ck_assert_int_eq(objects.count, 3);
    ck_assert_int_eq(og_objects_cut(&objects, second, &why), OG_OK);
    ck_assert_int_eq(objects.count, 5);
    for (int i = 0; i < objects.count; i++) {
        ck_assert_str_eq(objects.name[i], names[i]);
        ck_assert_str_eq(objects.value[i], lasts[i]);
    }
    og_objects_clear(&objects);
}

/* Objects with some of many keys in any order: each value is in the column of its name. */
OG_TEST(cut_finds_columns_among_many)
{
    enum { KEYS = 3000, OBJECTS = 200 };
    random_source source = random_start(test_seed(7));
    og_objects objects = {.count = 0};
    char *text = malloc(KEYS * 32);
    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < OBJECTS; i++) {
        uint32_t key[8], count = random_below(&source, 8) + 1;
        size_t used = 0;
        const char *why;
        for (uint32_t k = 0; k < count; k++) {
            key[k] = random_below(&source, KEYS);
            used += (size_t)sprintf(text + used, "%s\"k%u\":\"v%u\"", k == 0 ? "{" : ",", key[k],
                                    key[k]);
        }
        strcpy(text + used, "}");
        ck_assert_int_eq(og_objects_cut(&objects, text, &why), OG_OK);
        int there = 0;
        for (int c = 0; c < objects.count; c++) {
            there += *objects.value[c] != '\0';
            ck_assert(*objects.value[c] == '\0' ||
                      strcmp(objects.value[c] + 1, objects.name[c] + 1) == 0);
        }
        ck_assert_int_ge(there, 1);
        ck_assert_int_le(there, (int)count);
    }
    free(text);
    og_objects_clear(&objects);
}

static const struct {
    const char *text, *elements[4];
    bool is;
} arrays[] = {
    {"[]", {NULL}, true},
    {"[1, \"a b\", null]", {"1", "a b", "", NULL}, true},
    {"['a', \"it's\", 2.0]", {"a", "it's", "2", NULL}, true}, /* Python */
    {"['a' 'b']", {"a", "b", NULL}, true},                    /* NumPy */
    {"[0 1]", {"0", "1", NULL}, true},
    {"[1", {"1", NULL}, false},
    {"[a] b]", {NULL}, false},
    {"[1] and [2]", {NULL}, false},
    {"[one]", {NULL}, false},
    {"a", {NULL}, false},
};

OG_TEST_LOOP(array_has_its_elements, 0, sizeof arrays / sizeof *arrays)
{
    char text[64];
    bool is;
    ck_assert_int_eq(og_text_is_array(arrays[_i].text, &is), OG_OK);
    ck_assert_int_eq(is, arrays[_i].is);
    snprintf(text, sizeof text, "%s", arrays[_i].text);
    og_array array = {.at = text};
    for (int k = 0; is && arrays[_i].elements[k] != NULL; k++) {
        ck_assert_str_eq(og_array_next(&array), arrays[_i].elements[k]);
    }
    ck_assert(!is || og_array_next(&array) == NULL);
}
