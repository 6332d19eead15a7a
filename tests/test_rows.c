/* Rows of a text file: what a file may look like, and that its first failure is the one told. */
#include "dp/base/rows.h"

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "dp/base/grow.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(rows, 60);

/* A file of these bytes that nothing is left of after `close`. */
static int file_of(const char *bytes, size_t length, char path[64])
{
    int descriptor = memfd_create("rows", 0);
    ck_assert_int_ge(descriptor, 0);
    for (size_t done = 0; done < length;) {
        ssize_t part = write(descriptor, bytes + done, length - done);
        ck_assert_int_gt(part, 0);
        done += (size_t)part;
    }
    snprintf(path, 64, "/proc/self/fd/%d", descriptor);
    return descriptor;
}

/* Every row as "line:field|field;". */
static og_status show(const char *bytes, size_t length, char separator, char comment, char *shown,
                      og_message *message)
{
    char path[64];
    og_rows rows;
    int descriptor = file_of(bytes, length, path);
    shown[0] = '\0';
    og_rows_open(&rows, path, separator, comment, NULL, message);
    while (og_rows_next(&rows)) {
        shown += sprintf(shown, "%d:", (int)rows.line);
        for (int i = 0; i < rows.field_count; i++) {
            shown += sprintf(shown, "%s%s", i > 0 ? "|" : "", rows.field[i]);
        }
        shown += sprintf(shown, ";");
    }
    ck_assert(!og_rows_next(&rows)); /* again */
    close(descriptor);
    return og_rows_close(&rows);
}

static const struct {
    const char *text;
    char separator, comment;
    const char *shown;
} files[] = {
    {"", '\t', '#', ""},
    {"\n\r\n\n", '\t', '#', ""},
    {"\xEF\xBB\xBF", '\t', '#', ""},
    {"a\tb\n1\t2\n", '\t', '#', "1:a|b;2:1|2;"},
    {"a\tb\r\n1\t2\r", '\t', '#', "1:a|b;2:1|2;"},
    {"\xEF\xBB\xBF\r\n\na\n\n\n\xEF\xBB\xBFz", '\t', '#', "3:a;6:\xEF\xBB\xBFz;"},
    {"#a\n#\n b#\n", '\t', '#', "3: b#;"},
    {"#a\n", '\t', '\0', "1:#a;"},
    {"\t\n\ta\t\n", '\t', '#', "1:|;2:|a|;"},
    {"a,b\tc\n", ',', '#', "1:a|b\tc;"},
    {"a = b\tc,d\n", '\0', '#', "1:a = b\tc,d;"},
    {"a\rb\r\r\n", '\t', '#', "1:a\rb\r;"},
    {"\"a\nb\",c\n\"d\n\n\"\"\n\",\"\"\ne", ',', '#', "1:a\nb|c;3:d\n\n\"\n|;7:e;"},
    {"a\"\nb\"c\n", ',', '#', "1:a\";2:b\"c;"},
    {"\"a\nb\"\n", '\t', '#', "1:\"a;2:b\";"}, /* marks are no marks */
    {"a;b\n1,5;\"2;\n\"\n", OG_ROWS_BY_HEADER, '\0', "1:a|b;2:1,5|2;\n;"},
    {"a|b\n1| 2 \n", OG_ROWS_BY_HEADER, '\0', "1:a|b;2:1|2;"},
    {"\"a;b;c;\",d\n1;2,3\n", OG_ROWS_BY_HEADER, '\0', "1:a;b;c;|d;2:1;2|3;"},
    {"a,b;c\td\n\"1\n", OG_ROWS_BY_HEADER, '\0', "1:a,b;c|d;2:\"1;"},
};

OG_TEST_LOOP(next_gives_the_fields_of_every_row, 0, sizeof files / sizeof *files)
{
    char shown[256];
    og_message message = {""};
    ck_assert_int_eq(show(files[_i].text, strlen(files[_i].text), files[_i].separator,
                          files[_i].comment, shown, &message),
                     OG_OK);
    ck_assert_str_eq(shown, files[_i].shown);
}

/* A whole table in one object, by columns or by rows; other objects are rows. */
static const struct {
    const char *text, *shown;
} tables[] = {
    {"{\"a\":{\"0\":1,\"1\":2},\"b.c\":{\"0\":\"x\",\"1\":null}}", "1:a|b.c;1:1|x;1:2|;"},
    {"{\"0\":{\"a\":1,\"b\":{\"c\":2}},\"7\":{\"a\":3,\"b\":{\"c\":4}}}", "1:a|b.c;1:1|2;1:3|4;"},
    {"[{\"0\":{\"a\":1}}]", "1:a;1:1;"},
    {"{\"a\":{\"0\":1},\"b\":{\"1\":2}}", "1:a.0|b.1;1:1|2;"},
    {"{\"a\":{\"0\":1,\"1\":2},\"b\":{\"0\":3}}", "1:a.0|a.1|b.0;1:1|2|3;"},
    {"{\"0\":{\"a\":1},\"1\":{\"b\":2}}", "1:0.a|1.b;1:1|2;"},
    {"{\"0\":1,\"1\":2}", "1:0|1;1:1|2;"},
    {"{\"a\":{\"x\":1},\"b\":{\"x\":2}}", "1:a.x|b.x;1:1|2;"},
};

OG_TEST_LOOP(a_table_may_be_one_object, 0, sizeof tables / sizeof *tables)
{
    char shown[256];
    og_message message = {""};
    const char *text = tables[_i].text;
    ck_assert_int_eq(show(text, strlen(text), OG_ROWS_BY_HEADER, '\0', shown, &message), OG_OK);
    ck_assert_str_eq(shown, tables[_i].shown);
}

/* Objects of a JSON file as rows; a failure as its words. */
static const struct {
    const char *text, *shown, *said;
} objects[] = {
    {"", "", NULL},
    {" \n[ ]\n", "", NULL},
    {"{\"a\": 1}\n{\"b\": {\"c\": \"}\\\"{\"}}{}",
     "1:{\"a\": 1};2:{\"b\": {\"c\": \"}\\\"{\"}};2:{};", NULL},
    {"\xEF\xBB\xBF[{\"a\":\n[1, 2]},\n\n{}\n]\n", "1:{\"a\":\n[1, 2]};4:{};", NULL},
    {"[{}\n", "1:{};", "the file ends inside a JSON array"},
    {"[{}]\n{}\n", "1:{};", "line 2: no JSON object"},
    {"{}\n[]\n", "1:{};", "line 2: no JSON object"},
    {"{}\n{\"a\": 1\n", "1:{};", "line 2: the file ends inside a JSON object"},
    {"[1]", "", "line 1: no JSON object"},
};

OG_TEST_LOOP(values_gives_the_objects_of_a_json_file, 0, sizeof objects / sizeof *objects)
{
    char path[64], shown[256] = "", *end = shown;
    og_rows rows;
    og_message message = {""};
    int descriptor = file_of(objects[_i].text, strlen(objects[_i].text), path);
    og_rows_open(&rows, path, OG_ROWS_BY_HEADER, '\0', NULL, &message);
    og_rows_values(&rows);
    while (og_rows_next(&rows)) {
        ck_assert_int_eq(rows.field_count, 1);
        end += sprintf(end, "%d:%s;", (int)rows.line, rows.field[0]);
    }
    close(descriptor);
    ck_assert_int_eq(og_rows_close(&rows), objects[_i].said == NULL ? OG_OK : OG_BAD_INPUT);
    ck_assert_str_eq(shown, objects[_i].shown);
    ck_assert_msg(objects[_i].said == NULL || strstr(message.text, objects[_i].said), "%s",
                  message.text);
}

/* A large object over several buffers, and one that is too large. */
OG_TEST(a_json_object_may_be_as_long_as_a_line)
{
    for (size_t more = 0; more < 2; more++) {
        size_t length = OG_ROWS_LINE_MAX + more;
        char *text = malloc(length + 8), path[64];
        og_rows rows;
        og_message message = {""};
        ck_assert_ptr_nonnull(text);
        memset(text, 'x', length);
        memcpy(text, "{\"", 2);
        memcpy(text + length - 2, "\"}", 2);
        memcpy(text + length, "\n{}", 4);
        int descriptor = file_of(text, length + 3, path);
        og_rows_open(&rows, path, OG_ROWS_BY_HEADER, '\0', NULL, &message);
        og_rows_values(&rows);
        ck_assert_int_eq(og_rows_next(&rows), more == 0);
        ck_assert(more > 0 || strlen(rows.field[0]) == length);
        ck_assert(more > 0 || (og_rows_next(&rows) && strcmp(rows.field[0], "{}") == 0));
        ck_assert_int_eq(og_rows_close(&rows), more == 0 ? OG_OK : OG_BAD_INPUT);
        close(descriptor);
        free(text);
    }
}

/* Every byte of Latin-1 in names over several buffers; peek sees the first that is no blank. */
OG_TEST(latin1_becomes_utf8)
{
    enum { ROWS = 3000 };
    const og_rows_limits limits = {.latin1 = true};
    char *text = malloc(ROWS * 64), *end = text, path[64];
    og_rows rows;
    ck_assert_ptr_nonnull(text);
    end += sprintf(end, "\n\n\xE9,b\n");
    for (int i = 0; i < ROWS; i++) {
        end += sprintf(end, "%d,", i);
        for (int k = 0; k < 40; k++) {
            *end++ = (char)(0xA1 + (i + k) % 95);
        }
        *end++ = '\n';
    }
    int descriptor = file_of(text, (size_t)(end - text), path);
    og_rows_open(&rows, path, OG_ROWS_BY_HEADER, '\0', &limits, NULL);
    ck_assert_int_eq(og_rows_peek(&rows), '\xC3');
    ck_assert(og_rows_next(&rows));
    ck_assert_str_eq(rows.field[0], "\xC3\xA9");
    ck_assert_int_eq(rows.line, 3);
    for (int i = 0; i < ROWS; i++) {
        ck_assert(og_rows_next(&rows));
        for (int k = 0; k < 40; k++) {
            int code = 0xA1 + (i + k) % 95;
            ck_assert_int_eq((unsigned char)rows.field[1][2 * k], 0xC0 | code >> 6);
            ck_assert_int_eq((unsigned char)rows.field[1][2 * k + 1], 0x80 | (code & 0x3F));
        }
    }
    ck_assert(!og_rows_next(&rows));
    ck_assert_int_eq(og_rows_close(&rows), OG_OK);
    close(descriptor);
    free(text);
}

/* Random rows over several buffers, with lines across their ends. */
OG_TEST(next_gives_what_was_written_in_a_large_file)
{
    enum { BYTES = 3 * OG_ROWS_LINE_MAX };
    char *text = malloc(BYTES + 64), *shown = malloc(4 * BYTES), *expected = malloc(4 * BYTES);
    ck_assert(text != NULL && shown != NULL && expected != NULL);
    random_source source = random_start(test_seed(77));
    char *end = text, *more = expected;
    for (int line = 1; end - text < BYTES; line++) {
        int length = (int)random_below(&source, 30);
        unsigned number = random_below(&source, 1000000);
        end += sprintf(end, "%.*s\t%u\n", length, "------------------------------", number);
        more +=
            sprintf(more, "%d:%.*s|%u;", line, length, "------------------------------", number);
    }
    ck_assert_int_eq(show(text, (size_t)(end - text), '\t', '#', shown, NULL), OG_OK);
    ck_assert(strcmp(shown, expected) == 0);
    free(text);
    free(shown);
    free(expected);
}

OG_TEST_LOOP(the_longest_line_is_read_and_one_byte_more_is_not, 0, 3)
{
    static const char *const ends[] = {"\n", "\r\n", ""};
    char *text = malloc(2 * OG_ROWS_LINE_MAX), *shown = malloc(2 * OG_ROWS_LINE_MAX);
    og_message message = {""};
    ck_assert(text != NULL && shown != NULL);
    for (size_t more = 0; more < 2; more++) {
        size_t length = OG_ROWS_LINE_MAX + more;
        memcpy(text, "1\n", 2);
        memset(text + 2, 'x', length);
        strcpy(text + 2 + length, ends[_i]);
        og_status status = show(text, strlen(text), '\t', '#', shown, &message);
        ck_assert_int_eq(status, more == 0 ? OG_OK : OG_BAD_INPUT);
        ck_assert_uint_eq(strlen(shown), more == 0 ? 7 + length : 4);
    }
    ck_assert_ptr_nonnull(strstr(message.text, ", line 2: the line is too long"));
    free(text);
    free(shown);
}

OG_TEST(bytes_that_are_no_text_are_refused)
{
    char shown[64];
    og_message message = {""};
    ck_assert_int_eq(show("a\n\0\n", 4, '\t', '#', shown, &message), OG_BAD_INPUT);
    ck_assert_str_eq(shown, "1:a;");
    ck_assert_ptr_nonnull(strstr(message.text, ", line 2: a NUL byte"));
    ck_assert_int_eq(show("#\0", 2, '\t', '#', shown, &message), OG_BAD_INPUT);
}

OG_TEST(a_file_that_cannot_be_read_is_told)
{
    static const struct {
        const char *path, *said;
        og_status status;
    } none[] = {
        {"/no/such/file", "'/no/such/file' cannot be opened: No such file", OG_BAD_INPUT},
        {"/", "'/' cannot be opened: Is a directory", OG_BAD_INPUT},
        {"/dev/zero", "'/dev/zero' cannot be opened: it is a device", OG_BAD_INPUT},
        {"/proc/self/mem", "'/proc/self/mem' cannot be read: Input/output error", OG_FAILED},
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        og_rows rows;
        og_message message = {""};
        og_rows_open(&rows, none[i].path, '\t', '#', NULL, &message);
        ck_assert(!og_rows_next(&rows));
        ck_assert(!og_rows_fail(&rows, "another failure"));
        ck_assert_int_eq(og_rows_close(&rows), none[i].status);
        ck_assert_msg(strstr(message.text, none[i].said) != NULL, "%s", message.text);
    }
}

OG_TEST(the_first_failure_stays_and_ends_the_rows)
{
    static const char text[] = "a\nb\nc\n";
    char path[64];
    og_rows rows;
    og_message message = {""};
    int descriptor = file_of(text, strlen(text), path);
    og_rows_open(&rows, path, '\t', '#', NULL, &message);
    ck_assert(og_rows_next(&rows) && og_rows_next(&rows));
    ck_assert(!og_rows_fail(&rows, "'%s' is %d too many", rows.field[0], 1));
    ck_assert(!og_rows_no_memory(&rows));
    ck_assert(!og_rows_next(&rows));
    ck_assert_int_eq(og_rows_close(&rows), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, ", line 2: 'b' is 1 too many"));
    close(descriptor);
}

OG_TEST(columns_go_by_name)
{
    static const char text[] = "b\tx\ta\tA\nb\tb\n";
    static const char *const names[] = {"a", "b", "c"};
    int position[3];
    char path[64];
    og_rows rows;
    og_message message = {""};
    int descriptor = file_of(text, strlen(text), path);
    og_rows_open(&rows, path, '\t', '#', NULL, &message);
    ck_assert(og_rows_next(&rows));
    ck_assert(og_rows_columns(&rows, names, 3, position));
    ck_assert(position[0] == 2 && position[1] == 0 && position[2] == -1);
    ck_assert(og_rows_next(&rows));
    ck_assert(!og_rows_columns(&rows, names, 3, position));
    ck_assert_int_eq(og_rows_close(&rows), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, ", line 2: the column 'b' is there twice"));
    close(descriptor);
}

OG_TEST(decimals_are_plain_and_finite)
{
    static const char *const good[] = {"1", "-.5", "+2e-3", "1E2", "0", "007"};
    static const double value[] = {1, -.5, 2e-3, 100, 0, 7};
    static const char *const bad[] = {"",   "nan", "inf", "0x1", "1e999", "1 ",
                                      " 1", "1,5", "e",   "1e",  "--1",   "."};
    og_rows rows;
    double out;
    og_rows_open(&rows, "/dev/null", '\t', '#', NULL, NULL);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert(og_rows_decimal(&rows, good[i], &out));
        ck_assert_double_eq(out, value[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(!og_rows_decimal(&rows, bad[i], &out), "'%s'", bad[i]);
    }
    ck_assert_int_eq(og_rows_close(&rows), OG_OK);
}

OG_TEST(grown_doubles_and_refuses_what_cannot_be)
{
    size_t room = 0;
    int *array = og_grown(NULL, &room, 1, sizeof *array);
    ck_assert_ptr_nonnull(array);
    ck_assert_uint_ge(room, 1);
    ck_assert_ptr_eq(og_grown(array, &room, room, sizeof *array), array);
    size_t before = room;
    int *larger = og_grown(array, &room, room + 1, sizeof *array);
    ck_assert_ptr_nonnull(larger);
    ck_assert_uint_eq(room, 2 * before);
    ck_assert_ptr_null(og_grown(larger, &room, SIZE_MAX, sizeof *array));
    ck_assert_ptr_null(og_grown(larger, &room, SIZE_MAX / 4, sizeof *array));
    ck_assert_uint_eq(room, 2 * before);
    free(larger);
}

/* Rows without end, all of them kept. */
OG_TEST(what_is_kept_stays_within_the_memory_limit)
{
    enum { COUNT = 100000, LIMIT = 1 << 18 };
    char path[64], *bytes = malloc(2 * COUNT);
    const og_rows_limits limits = {.memory_bytes = LIMIT};
    og_message message = {""};
    og_rows rows;
    int32_t *kept = NULL;
    size_t count = 0, room = 0;
    for (int i = 0; i < COUNT; i++) {
        memcpy(bytes + 2 * (ptrdiff_t)i, "a\n", 2);
    }
    int descriptor = file_of(bytes, 2 * COUNT, path);
    og_rows_open(&rows, path, '\t', '\0', &limits, &message);
    while (og_rows_next(&rows)) {
        int32_t *grown = og_rows_grown(&rows, kept, &room, count + 1, sizeof *kept);
        if (grown != NULL) {
            kept = grown;
            kept[count++] = (int32_t)rows.line;
        }
    }
    ck_assert_uint_le(room * sizeof *kept, LIMIT);
    ck_assert_uint_ge(2 * room * sizeof *kept, LIMIT / 2); /* one doubling more is too much */
    ck_assert_uint_eq(count, room);
    ck_assert_int_eq(og_rows_close(&rows), OG_STOPPED);
    ck_assert_msg(strstr(message.text, "the memory limit of 256.0 KB") != NULL, "%s", message.text);
    close(descriptor);
    free(kept);
    free(bytes);
}

OG_TEST(what_is_let_go_is_held_no_longer)
{
    const og_rows_limits limits = {.memory_bytes = 1000};
    og_rows rows;
    og_rows_open(&rows, "/dev/null", '\t', '\0', &limits, NULL);
    for (int i = 0; i < 10; i++) {
        ck_assert(og_rows_hold(&rows, 600));
        ck_assert(og_rows_hold(&rows, -600));
    }
    ck_assert(og_rows_hold(&rows, 600));
    ck_assert(!og_rows_hold(&rows, 401));
    ck_assert_int_eq(og_rows_close(&rows), OG_STOPPED);
}

static bool says_stop(void *user, const og_progress *progress)
{
    (void)progress;
    ++*(int *)user;
    return false;
}

/* Loop test: nothing comes; less than a row; less than the buffer holds. */
OG_TEST_LOOP(a_silent_pipe_is_waited_for_until_the_watch_says_stop, 0, 3)
{
    static const char *const comes[] = {"", "a", "a\nb\nc"};
    int ends[2], looks = 0, count = 0;
    char path[64];
    og_stop stop;
    og_message message = {""};
    og_rows rows;
    ck_assert_int_eq(pipe(ends), 0);
    size_t length = strlen(comes[_i]);
    ck_assert_int_eq(write(ends[1], comes[_i], length), (ssize_t)length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    og_stop_init(&stop, says_stop, &looks);
    const og_rows_limits limits = {.stop = &stop};
    og_rows_open(&rows, path, '\t', '\0', &limits, &message);
    while (og_rows_next(&rows)) {
        count++;
    }
    ck_assert_int_eq(looks, 1);
    ck_assert_int_le(count, 2);
    ck_assert_int_eq(og_rows_close(&rows), OG_STOPPED);
    ck_assert_msg(strstr(message.text, "was not read to its end") != NULL, "%s", message.text);
    close(ends[0]);
    close(ends[1]);
}

/* Two members, and what tapes leave behind them; with a byte cut off the second. */
OG_TEST_LOOP(members_of_a_gzip_file_are_read_one_after_the_other, 0, 2)
{
    char path[64], first = '\0';
    const char *texts[] = {"a\tb\n1", "\t2\n"};
    og_rows rows;
    int descriptor = memfd_create("rows", 0);
    for (int i = 0; i < 2; i++) {
        gzFile file = gzdopen(dup(descriptor), "ab");
        ck_assert_int_gt(gzputs(file, texts[i]), 0);
        ck_assert_int_eq(gzclose(file), Z_OK);
    }
    off_t size = lseek(descriptor, 0, SEEK_END);
    ck_assert_int_eq(ftruncate(descriptor, _i == 0 ? size + 10 : size - 1), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    og_rows_open(&rows, path, '\t', '\0', NULL, NULL);
    while (og_rows_next(&rows)) {
        ck_assert_int_eq(rows.field_count, 2);
        first = rows.field[0][0];
    }
    ck_assert_int_eq(first, '1');
    ck_assert_int_eq(og_rows_close(&rows), _i == 0 ? OG_OK : OG_BAD_INPUT);
    close(descriptor);
}
