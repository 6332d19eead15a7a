/* Prints a document's blocks as aligned columns and paragraphs. Each cell's text is computed twice,
 * to measure it and to print it, so that no memory is allocated. */
#include "tools/show/blocks.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { GUTTER = 2 };

typedef struct {
    const og_document *rows;
    const og_document *column[COLUMNS_MAX];
    int columns;
    int before[COLUMNS_MAX]; /* alignment 'd': widest part before the decimal point */
    int width[COLUMNS_MAX];
} layout;

/* Number of characters before the decimal point, if the text begins with a number. */
static int before_point(const char *text)
{
    return (int)strspn(text, "-0123456789");
}

/* False for an empty cell and for "-": they are not aligned as numbers. */
static bool is_number(const char *text)
{
    return text[strspn(text, "-")] >= '0' && text[strspn(text, "-")] <= '9';
}

/* Characters in that many bytes of UTF-8. */
static int width_of(const char *text, int length)
{
    int width = 0;
    for (int i = 0; i < length; i++) {
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return width;
}

static int widest_line(const char *text)
{
    int widest = 0;
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n"), width = width_of(text, length);
        widest = width > widest ? width : widest;
        text += length + (text[length] == '\n');
    }
    return widest;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void measure_row(layout *plan, const og_document *row, int after[COLUMNS_MAX])
{
    for (int j = 0; j < plan->columns; j++) {
        char room[OG_CELL_BYTES];
        const char *text = og_document_cell(row, plan->column[j], room);
        int length = width_of(text, (int)strlen(text));
        if (plan->column[j]->align == 'd' && is_number(text)) {
            int before = before_point(text);
            plan->before[j] = larger(plan->before[j], before);
            after[j] = larger(after[j], length - before);
        }
        plan->width[j] = larger(plan->width[j], length);
    }
}

static layout measure(const og_document *table)
{
    layout plan = {.rows = table->is.many.beside, .columns = og_document_count(table)};
    int after[COLUMNS_MAX] = {0};
    assert(plan.columns <= COLUMNS_MAX);
    for (int j = 0; j < plan.columns; j++) {
        plan.column[j] = og_document_child(table, j);
        plan.width[j] = widest_line(plan.column[j]->is.words.text);
    }
    for (int32_t i = 0; i < og_document_count(plan.rows); i++) {
        const og_document *row = og_document_child(plan.rows, i);
        if (!row->hidden) {
            measure_row(&plan, row, after);
        }
    }
    for (int j = 0; j < plan.columns; j++) {
        plan.width[j] = larger(plan.width[j], plan.before[j] + after[j]);
    }
    return plan;
}

/* Blanks that are printed only before further text, so that no line ends in one. */
typedef struct {
    int owed;
} pen;

static void write_text(pen *hand, const char *text, int length)
{
    if (length > 0) {
        printf("%*s%.*s", hand->owed, "", length, text);
        hand->owed = 0;
    }
}

static void end_line(pen *hand)
{
    putchar('\n');
    hand->owed = 0;
}

/* Prints `length` bytes of text, `left` blanks into a column. */
static void write_cell(pen *hand, const char *text, int length, int left, int width)
{
    hand->owed += left;
    write_text(hand, text, length);
    hand->owed += width - left - width_of(text, length) + GUTTER;
}

/* Number of blanks before a text in its column. */
static int indent_of(const layout *plan, int column, const char *text)
{
    switch (plan->column[column]->align) {
    case 'r':
        return plan->width[column] - width_of(text, (int)strlen(text));
    case 'd':
        return is_number(text) ? plan->before[column] - before_point(text) : 0;
    default:
        return 0;
    }
}

static void print_headings(const layout *plan, pen *hand)
{
    const char *rest[COLUMNS_MAX];
    bool more = true;
    for (int j = 0; j < plan->columns; j++) {
        rest[j] = plan->column[j]->is.words.text;
    }
    while (more) {
        more = false;
        for (int j = 0; j < plan->columns; j++) {
            int length = (int)strcspn(rest[j], "\n");
            bool right = plan->column[j]->align == 'r';
            int left = right ? plan->width[j] - width_of(rest[j], length) : 0;
            write_cell(hand, rest[j], length, left, plan->width[j]);
            rest[j] += length + (rest[j][length] == '\n');
            more = more || *rest[j] != '\0';
        }
        end_line(hand);
    }
}

int blocks_width(void)
{
    enum { LEAST = 40 };
    struct winsize size = {.ws_col = 0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ||
        size.ws_col > LINE_WIDTH) {
        return LINE_WIDTH;
    }
    return size.ws_col < LEAST ? LEAST : size.ws_col;
}

/* Prints words with line breaks at blanks. `used` columns of the first line are taken; `indent` is
 * the indentation of later lines. */
static void write_words(pen *hand, const char *text, int used, int indent)
{
    bool first = true;
    int width = blocks_width();
    while (*text != '\0') {
        int length = (int)strcspn(text, " "), shown = width_of(text, length);
        if (!first && used + 1 + shown > width) {
            end_line(hand);
            hand->owed = indent;
            used = indent;
        } else if (!first) {
            hand->owed++;
            used++;
        }
        write_text(hand, text, length);
        used += shown;
        first = false;
        text += length + (text[length] == ' ');
    }
    end_line(hand);
}

static void print_row(const layout *plan, const og_document *row, pen *hand)
{
    int used = 0;
    for (int j = 0; j < plan->columns; j++) {
        char room[OG_CELL_BYTES];
        const char *text = og_document_cell(row, plan->column[j], room);
        int left = indent_of(plan, j, text);
        if (j + 1 < plan->columns) {
            write_cell(hand, text, (int)strlen(text), left, plan->width[j]);
            used += plan->width[j] + GUTTER;
        } else {
            hand->owed += left;
            write_words(hand, text, used + left, used);
        }
    }
}

static void print_table(const og_document *table)
{
    layout plan = measure(table);
    pen hand = {0};
    if (!table->fields) {
        print_headings(&plan, &hand);
    }
    for (int32_t i = 0; i < og_document_count(plan.rows); i++) {
        const og_document *row = og_document_child(plan.rows, i);
        if (!row->hidden) {
            print_row(&plan, row, &hand);
        }
    }
}

void blocks_print(const og_document *document)
{
    const og_document *blocks = document->is.many.beside;
    bool after_table = false;
    bool first = true;
    for (int32_t i = 0; i < og_document_count(blocks); i++) {
        const og_document *block = og_document_child(blocks, i);
        const char *text = og_document_text(block);
        if (block->file) {
            continue;
        }
        if (block->kind == OG_TABLE) {
            fputs(first ? "" : "\n", stdout);
            print_table(block);
        } else if (text != NULL) {
            fputs(after_table || text[0] == '\n' ? "\n" : "", stdout);
            write_words(&(pen){0}, text + (text[0] == '\n'), 0, 0);
        } else {
            continue; /* rows of a table */
        }
        after_table = text == NULL;
        first = false;
    }
}
