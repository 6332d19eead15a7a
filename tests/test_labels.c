/* Reading recorded labels: valid files, and messages about invalid ones. */
#include "bench/recorded/labels.h"

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "dp/base/rows.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(labels, 60);

/* A file of these bytes that nothing is left of after `close`. */
typedef struct {
    int descriptor;
    char path[64];
} scratch;

static scratch scratch_new(const char *bytes, size_t length)
{
    scratch made = {.descriptor = memfd_create("labels", 0)};
    ck_assert_int_ge(made.descriptor, 0);
    for (size_t done = 0; done < length;) {
        ssize_t part = write(made.descriptor, bytes + done, length - done);
        ck_assert_int_gt(part, 0);
        done += (size_t)part;
    }
    snprintf(made.path, sizeof made.path, "/proc/self/fd/%d", made.descriptor);
    return made;
}

static og_status read_bytes(const char *bytes, size_t length, og_labels *out, og_message *message)
{
    scratch file = scratch_new(bytes, length);
    og_status status = og_labels_read(file.path, NULL, out, message);
    close(file.descriptor);
    return status;
}

static void read_text(const char *text, og_labels *out)
{
    og_message message = {""};
    og_status status = read_bytes(text, strlen(text), out, &message);
    ck_assert_msg(status == OG_OK, "status %d: %s", status, message.text);
}

static void assert_row(const og_labels *labels, int64_t row, const char *task, const char *worker,
                       int label)
{
    ck_assert_int_lt(row, labels->label_count);
    ck_assert_uint_lt(labels->task[row], labels->task_count);
    ck_assert_uint_lt(labels->worker[row], labels->worker_count);
    ck_assert_str_eq(og_labels_task_name(labels, labels->task[row]), task);
    ck_assert_str_eq(og_labels_worker_name(labels, labels->worker[row]), worker);
    ck_assert_int_eq(labels->label[row], label);
}

OG_TEST(read_numbers_names_in_order_and_keeps_the_rows)
{
    og_labels labels;
    read_text("task\tworker\tlabel\n"
              "b\tx\t1\n"
              "a\ty\t0\n"
              "b\tx\t0\n" /* a repeated question is a separate label */
              "b\tz\t1\n",
              &labels);
    ck_assert_int_eq(labels.label_count, 4);
    ck_assert_uint_eq(labels.task_count, 2);
    ck_assert_uint_eq(labels.worker_count, 3);
    assert_row(&labels, 0, "b", "x", 1);
    assert_row(&labels, 1, "a", "y", 0);
    assert_row(&labels, 2, "b", "x", 0);
    assert_row(&labels, 3, "b", "z", 1);
    ck_assert_uint_eq(labels.task[0], 0);
    ck_assert_uint_eq(labels.task[1], 1);
    ck_assert_uint_eq(labels.worker[3], 2);
    og_labels_clear(&labels);
}

/* The same two labels, written in every way that is allowed. */
static const char *const spellings[] = {
    "task\tworker\tlabel\nt1\tw1\t1\nt2\tw2\t0\n",
    "task\tworker\tlabel\nt1\tw1\t1\nt2\tw2\t0",               /* no last line end */
    "task\tworker\tlabel\r\nt1\tw1\t1\r\nt2\tw2\t0\r\n",       /* CRLF */
    "task\tworker\tlabel\r\nt1\tw1\t1\r\nt2\tw2\t0\r",         /* CRLF, cut */
    "\xEF\xBB\xBFtask\tworker\tlabel\nt1\tw1\t1\nt2\tw2\t0\n", /* byte order mark */
    "\xEF\xBB\xBF\r\n\ntask\tworker\tlabel\r\n\r\nt1\tw1\t1\n\nt2\tw2\t0\n\n\n", /* empty lines */
    "label\ttask\tworker\n1\tt1\tw1\n0\tt2\tw2\n",
    "worker\tlabel\ttask\nw1\t1\tt1\nw2\t0\tt2\n",
    "task\tlabel\tworker\nt1\t1\tw1\nt2\t0\tw2\n",
    "when\ttask\tgold\tworker\tlabel\tnote\n9\tt1\t0\tw1\t1\tsure\n\tt2\t\tw2\t0\t\n",
    "when\tlabel\t\tworker\ttask\tnote\nx\t1\t2\tw1\tt1\n\t0\t\tw2\tt2\ty\tz\tmore\n",
    "task,worker,label\nt1,w1,1\nt2,w2,0\n",
    "note,task,worker,label\r\n\"a, \"\"b\"\"\",t1,\"w1\",\"1\"\r\n,\"t2\",w2,0\r\n",
    "task\tworker\tlabel\nt1\tw1\t1.0\nt2\tw2\t0.0\n",
    " task\tworker \tlabel\nt1 \tw1\t 1\n  t2\tw2\t0 \n",
    "task\tworker\tlabel\nt1\tw1\tyes\nt2\tw2\tno\n",
    "task\tworker\tlabel\nt1\tw1\tTrue\nt2\tw2\tFALSE\n",
    "task\tworker\tlabel\nt1\tw1\tpos\nt2\tw2\tneg\n",
    "task\tworker\tlabel\nt1\tw1\t1\nt2\tw2\t-1\n",
    "task\tworker\tlabel\nt1\tw1\tdog\nt2\tw2\tcat\n",
    "task\tworker\tlabel\tLabel\tTASK\nt1\tw1\t1\t5\t6\nt2\tw2\t0\t7\t8\n", /* exact ones first */
    "Task;WORKER;Label\nt1;w1;1\nt2;w2;0\n",
    "task|worker|label\nt1|w1|1\nt2|w2|0\n",
    "item,annotator,answer\nt1,w1,1\nt2,w2,0\n",
    "note\t!amt_worker_ids\torig_id\tresponse\n1\tw1\tt1\t1\n2\tw2\tt2\t0\n",
    "question,worker,answer\nt1,w1,1\nt2,w2,0\n",
    "Worker ID;Task ID;Label;note\nw1;t1;1;\"a\nb;\"\"c\n\"\nw2;t2;0;d,e,f,g,h\n",
    "\"note\nof two lines\",task,worker,label\n,t1,w1,1\n\"\r\n\r\n\",t2,w2,0\n",
    "task,worker,label\nt1,w1,1\nt3,,\nt2,w2,0\nt1,w2,\n", /* without labels */
};

OG_TEST_LOOP(read_accepts_every_spelling_of_the_same_table, 0, sizeof spellings / sizeof *spellings)
{
    og_labels labels;
    read_text(spellings[_i], &labels);
    ck_assert_int_eq(labels.label_count, 2);
    ck_assert_uint_eq(labels.task_count, 2);
    ck_assert_uint_eq(labels.worker_count, 2);
    assert_row(&labels, 0, "t1", "w1", 1);
    assert_row(&labels, 1, "t2", "w2", 0);
    og_labels_clear(&labels);
}

OG_TEST(read_takes_names_as_bytes)
{
    static const char *const name[] = {"1",     "01",       "1  2", "1 2",   "1.0",
                                       "\"1\"", "\xC3\xA9", "e;f",  "e,f",   "#",
                                       "T",     "t",        "tt",   "label", "\r"};
    enum { NAMES = sizeof name / sizeof *name };
    char text[1024] = "task\tworker\tlabel\n";
    for (int i = 0; i < NAMES; i++) {
        sprintf(text + strlen(text), "%s\t%s\t%d\n", name[i], name[NAMES - 1 - i], i % 2);
    }
    og_labels labels;
    read_text(text, &labels);
    ck_assert_uint_eq(labels.task_count, NAMES);
    ck_assert_uint_eq(labels.worker_count, NAMES);
    for (int i = 0; i < NAMES; i++) {
        assert_row(&labels, i, name[i], name[NAMES - 1 - i], i % 2);
    }
    og_labels_clear(&labels);
}

/* The gzip of a table, cut at the end or damaged in the middle. */
OG_TEST(read_takes_gzip_and_refuses_half_of_it)
{
    static const char text[] = "task\tworker\tlabel\nt1\tw1\t1\nt2\tw2\t0\n";
    unsigned char packed[256];
    z_stream stream = {.next_in = (unsigned char *)text,
                       .avail_in = sizeof text - 1,
                       .next_out = packed,
                       .avail_out = sizeof packed};
    ck_assert_int_eq(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t length = stream.total_out;
    deflateEnd(&stream);
    og_labels labels;
    og_message message = {""};
    ck_assert_int_eq(read_bytes((char *)packed, length, &labels, &message), OG_OK);
    ck_assert_int_eq(labels.label_count, 2);
    assert_row(&labels, 1, "t2", "w2", 0);
    og_labels_clear(&labels);
    for (int damaged = 0; damaged < 2; damaged++) {
        packed[length / 2] ^= damaged ? 0xFF : 0;
        og_status status =
            read_bytes((char *)packed, damaged ? length : length - 6, &labels, &message);
        ck_assert_int_eq(status, OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, "gzip") != NULL, "%s", message.text);
    }
}

OG_TEST(read_puts_classes_in_order)
{
    static const struct {
        const char *text, *order[4];
        int label[4];
    } row[] = {
        {"10\n2\n-3\n2\n", {"-3", "2", "10", NULL}, {2, 1, 0, 1}},
        {"pug\nAkita\nborzoi\nAkita\n", {"Akita", "borzoi", "pug", NULL}, {2, 0, 1, 0}},
        {"Yes\nyes\nYES\nyes\n", {"no", "yes", NULL, NULL}, {1, 1, 1, 1}},
        {"-1\n-1\n-1\n-1\n", {"-1", "1", NULL, NULL}, {0, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[256] = "task\tworker\tlabel\n", rest[64];
        strcpy(rest, row[i].text);
        for (char *label = strtok(rest, "\n"); label != NULL; label = strtok(NULL, "\n")) {
            sprintf(text + strlen(text), "t\tw\t%s\n", label);
        }
        og_labels labels;
        read_text(text, &labels);
        ck_assert_int_eq(labels.repeats, 3);
        for (int k = 0; k < 4; k++) {
            ck_assert_int_eq(labels.label[k], row[i].label[k]);
            ck_assert_int_eq(k < og_labels_classes(&labels), row[i].order[k] != NULL);
            if (row[i].order[k] != NULL) {
                ck_assert_str_eq(og_labels_class_name(&labels, k), row[i].order[k]);
            }
        }
        og_labels_clear(&labels);
    }
}

/* Several buffers long, with lines across the ends of the buffer and tables that grow. */
OG_TEST(read_agrees_with_what_was_written_on_a_large_file)
{
    enum { ROWS = 120000, TASKS = 30000, WORKERS = 700 };
    char *text = malloc(ROWS * 64), *end = text;
    ck_assert_ptr_nonnull(text);
    end += sprintf(end, "worker\tnote\ttask\tlabel\n");
    random_source source = random_start(test_seed(21));
    uint32_t *drawn = malloc(3 * ROWS * sizeof *drawn);
    ck_assert_ptr_nonnull(drawn);
    for (int i = 0; i < ROWS; i++) {
        uint32_t *row = drawn + 3 * i;
        row[0] = random_below(&source, TASKS);
        row[1] = random_below(&source, WORKERS);
        row[2] = random_below(&source, 2);
        end += sprintf(end, "w%u\t%.*s\ttask-%u\t%u\n", row[1], (int)random_below(&source, 30),
                       "------------------------------", row[0], row[2]);
    }
    ck_assert_int_gt(end - text, 3 * OG_ROWS_LINE_MAX);
    og_labels labels;
    og_message message = {""};
    ck_assert_int_eq(read_bytes(text, (size_t)(end - text), &labels, &message), OG_OK);
    ck_assert_int_eq(labels.label_count, ROWS);
    for (int i = 0; i < ROWS; i++) {
        char task[32], worker[32];
        sprintf(task, "task-%u", drawn[3 * i]);
        sprintf(worker, "w%u", drawn[3 * i + 1]);
        assert_row(&labels, i, task, worker, (int)drawn[3 * i + 2]);
    }
    og_labels_clear(&labels);
    free(drawn);
    free(text);
}

OG_TEST(read_takes_a_pipe)
{
    static const char text[] = "task\tworker\tlabel\nt1\tw1\t1\n";
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
    close(ends[1]);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    og_labels labels;
    ck_assert_int_eq(og_labels_read(path, NULL, &labels, NULL), OG_OK);
    ck_assert_int_eq(labels.label_count, 1);
    assert_row(&labels, 0, "t1", "w1", 1);
    og_labels_clear(&labels);
    close(ends[0]);
}

static void count_labels(const og_labels *labels, int64_t *ones, int64_t *total)
{
    for (int64_t i = 0; i < labels->label_count; i++) {
        ones[labels->task[i]] += labels->label[i];
        total[labels->task[i]]++;
    }
}

OG_TEST(read_gives_the_sample_file)
{
    og_labels labels;
    test_path path = test_source_path("tests/data/sample-labels.tsv");
    ck_assert_int_eq(og_labels_read(path.text, NULL, &labels, NULL), OG_OK);
    ck_assert_int_eq(labels.label_count, 160);
    ck_assert_uint_eq(labels.task_count, 20);
    ck_assert_uint_eq(labels.worker_count, 12);
    int64_t ones[20] = {0}, total[20] = {0};
    count_labels(&labels, ones, total);
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(total[i], 8);
    }
    og_labels_clear(&labels);
}

/* Its counts as SOURCES.md beside the data gives them. */
OG_TEST(read_gives_the_recorded_rte_labels)
{
    test_path path = test_shared_data_path("rte/labels.tsv");
    if (path.text[0] == '\0') {
        puts("SKIPPED read_gives_the_recorded_rte_labels: no rte/labels.tsv (set OPTGAP_SHARED)");
        return;
    }
    og_labels labels;
    ck_assert_int_eq(og_labels_read(path.text, NULL, &labels, NULL), OG_OK);
    ck_assert_int_eq(labels.label_count, 8000);
    ck_assert_uint_eq(labels.task_count, 800);
    ck_assert_uint_eq(labels.worker_count, 164);
    int64_t ones[800] = {0}, total[800] = {0}, ties = 0;
    count_labels(&labels, ones, total);
    for (int i = 0; i < 800; i++) {
        ck_assert_int_eq(total[i], 10);
        ties += ones[i] == 5;
    }
    ck_assert_int_eq(ties, 65);
    assert_row(&labels, 0, "266", "w1", 1);
    og_labels_clear(&labels);
}

/* Refused with these words, and the output untouched. */
static void assert_refused(const char *bytes, size_t length, const char *words)
{
    og_labels labels, before;
    memset(&labels, 0x5A, sizeof labels);
    memset(&before, 0x5A, sizeof before);
    og_message message = {""};
    og_status status = read_bytes(bytes, length, &labels, &message);
    ck_assert_msg(status == OG_BAD_INPUT, "status %d for: %.60s", status, bytes);
    ck_assert_msg(strstr(message.text, words) != NULL, "\"%s\" does not say \"%s\"", message.text,
                  words);
    ck_assert_msg(strstr(message.text, "/proc/self/fd/") != NULL, "\"%s\" names no file",
                  message.text);
    ck_assert_msg(strchr(message.text, '\n') == NULL, "more than a line: %s", message.text);
    ck_assert_int_eq(memcmp(&labels, &before, sizeof labels), 0);
}

#define HEADER "task\tworker\tlabel\n"
#define TEN "abcdefghij"

static const struct {
    const char *text;
    const char *words;
} wrong[] = {
    {"", "the file is empty"},
    {"\n\r\n\n", "the file is empty"},
    {"\xEF\xBB\xBF", "the file is empty"},
    {"task\tworker\n1\t2\n", "line 1: no column 'label'"},
    {"\nworker\tlabel\n1\t1\n", "line 2: no column 'task'"},
    {"text\tworker\tlabel\n1\t1\t1\n", "line 1: no column 'task'; there are 'text', 'worker', "
                                       "'label'; name it by --columns task=NAME; a "
                                       "file without a header needs numbers, --columns 1,2,3"},
    {"Task\tTASK\tworker\tlabel\n1\t1\t1\t1\n", "the column 'task' is there twice"},
    {"task,worker,label\nt1,w1,1\nt1,w2,\"0\nt1,w2,1\n", "line 3: a quotation mark begins a field"},
    {HEADER "t1\tw1\t1\nt\xE9\tw1\t0\n",
     "line 3: the byte 0xE9 is not UTF-8; for a file in Latin-1"},
    {"worker,label\n1,2\n", "line 1: no column 'task'"},
    {"worker\tleft\tright\tlabel\nw\t1\t2\t1\n", "--problem ranking"},
    {"task worker label\n1 2 0\n", "separated by tabs, commas, semicolons or |"},
    {"t1\tw1\t1\nt2\tw1\t0\n", "no column 'task'"}, /* no header */
    {"task\tworker\tlabel\ttask\n1\t2\t1\t3\n", "twice"},
    {HEADER "t1\tw1\t1\nt1\tw2\tx\n", "line 3: the label is 'x'; those before it are numbers"},
    {HEADER "t1\tw1\tyes\nt1\tw2\t1\n", "line 3: the label is '1'; those before it are words"},
    {HEADER "t1\tw1\t1\nt1\tw1\t0.5\n", "line 3: the label is '0.5'"},
    {HEADER "t\tw\t0\nt\tw\t1\nt\tw\t2\nt\tw\t3\nt\tw\t4\nt\tw\t5\nt\tw\t6\nt\tw\t7\nt\tw\t8\n"
            "t\tw\t9\nt\tw\t10\n",
     "11 classes, and at most 10 are supported"},
    {HEADER "t1\tw1\t1\nt1\tw1\ta\x01\xC3\xA9z\n", "line 3: the label is 'a \xC3\xA9z'"},
    {HEADER "t1\tw1\t1\nt1\tw1\t" TEN TEN TEN TEN "1234567\xC3\xA9x\n",
     "'" TEN TEN TEN TEN "1234567...'; those"},
    {HEADER "\tw1\t1\n", "line 2: the task is missing"},
    {HEADER "t1\tw1\t1\nt1\tw1\n", "line 3: 2 fields, the header needs 3"},
    {HEADER "t1\n", "line 2: 1 field, the header needs 3"},
    {"task\tworker\tlabel\textra\nt1\tw1\n", "line 2: 2 fields, the header needs 3"},
};

OG_TEST_LOOP(read_refuses_a_wrong_file_with_its_line, 0, sizeof wrong / sizeof *wrong)
{
    assert_refused(wrong[_i].text, strlen(wrong[_i].text), wrong[_i].words);
}

OG_TEST(read_refuses_bytes_that_are_no_text)
{
    static const char nul[] = HEADER "t1\tw\0001\t1\n";
    assert_refused(nul, sizeof nul - 1, "line 2: a NUL byte");
    static const char utf16[] = "t\0a\0s\0k\0\n\0";
    assert_refused(utf16, sizeof utf16 - 1, "line 1: a NUL byte");
}

/* A row of exactly `length` bytes, its task's name filling it up. */
static char *file_with_row(size_t length, const char *before, const char *end)
{
    static const char rest[] = "\tw\t1";
    char *text = malloc(length + 64);
    ck_assert_ptr_nonnull(text);
    size_t used = (size_t)sprintf(text, "%s" HEADER, before);
    memset(text + used, 'n', length - strlen(rest));
    used += length - strlen(rest);
    sprintf(text + used, "%s%s", rest, end);
    return text;
}

OG_TEST_LOOP(read_accepts_the_longest_line_and_refuses_one_byte_more, 0, 3)
{
    static const char *const before[] = {"", "\xEF\xBB\xBF", ""};
    static const char *const end[] = {"\n", "\r\n", ""};
    char *text = file_with_row(OG_ROWS_LINE_MAX, before[_i], end[_i]);
    og_labels labels;
    read_text(text, &labels);
    ck_assert_uint_eq(strlen(og_labels_task_name(&labels, 0)), OG_ROWS_LINE_MAX - 4);
    og_labels_clear(&labels);
    free(text);
    text = file_with_row(OG_ROWS_LINE_MAX + 1, before[_i], end[_i]);
    assert_refused(text, strlen(text), "line 2: the line is too long");
    free(text);
    text = file_with_row(3 * OG_ROWS_LINE_MAX, before[_i], end[_i]);
    assert_refused(text, strlen(text), "line 2: the line is too long");
    free(text);
}

OG_TEST(read_names_a_file_that_cannot_be_read)
{
    og_labels labels = {0};
    og_message message = {""};
    ck_assert_int_eq(og_labels_read("/no/such/labels.tsv", NULL, &labels, &message), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "/no/such/labels.tsv"));
    ck_assert_ptr_nonnull(strstr(message.text, "No such file"));
    ck_assert_int_eq(og_labels_read("/", NULL, &labels, &message), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "directory"));
    ck_assert_int_eq(og_labels_read("", NULL, &labels, NULL), OG_BAD_INPUT);
    /* Linux: opens, and its first read fails. */
    ck_assert_int_eq(og_labels_read("/proc/self/mem", NULL, &labels, &message), OG_FAILED);
    ck_assert_ptr_nonnull(strstr(message.text, "Input/output error"));
}

/* The end of the path says more than its beginning, and the reason must still fit. */
OG_TEST(read_cuts_a_path_that_is_too_long_for_the_message)
{
    char path[3000];
    memset(path, 'x', sizeof path);
    memcpy(path, "/no/", 4);
    strcpy(path + sizeof path - 12, "/labels.tsv");
    og_labels labels = {0};
    og_message message = {""};
    ck_assert_int_eq(og_labels_read(path, NULL, &labels, &message), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "/labels.tsv' cannot be opened: ") != NULL, "%s",
                  message.text);
}

OG_TEST(clear_accepts_nothing_and_may_be_repeated)
{
    og_labels labels = {0};
    og_labels_clear(&labels);
    read_text(HEADER "t1\tw1\t1\n", &labels);
    og_labels_clear(&labels);
    og_labels_clear(&labels);
    ck_assert_int_eq(labels.label_count, 0);
}
