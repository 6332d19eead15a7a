/* Tables of aligned columns. */
#include "tools/show/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/show/memory.h"

enum { GUTTER = 2 };

struct table {
    const char *align;
    const char *const *headings;
    int columns;
    size_t cell_count;
    size_t cell_room;
    char **cell;
};

typedef struct {
    int before[TABLE_COLUMNS_MAX]; /* 'd': widest part before the point */
    int width[TABLE_COLUMNS_MAX];
} layout;

table *table_new(const char *align, const char *const *headings)
{
    table *grid = allocate(1, sizeof *grid);
    grid->align = align;
    grid->headings = headings;
    grid->columns = (int)strlen(align);
    assert(grid->columns <= TABLE_COLUMNS_MAX);
    return grid;
}

void table_cell(table *grid, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = allocate((size_t)length + 1, 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    if (grid->cell_count == grid->cell_room) {
        grid->cell_room = 2 * grid->cell_room + 32;
        grid->cell = grow(grid->cell, grid->cell_room, sizeof *grid->cell);
    }
    grid->cell[grid->cell_count++] = text;
}

void table_free(table *grid)
{
    if (grid != NULL) {
        for (size_t i = 0; i < grid->cell_count; i++) {
            free(grid->cell[i]);
        }
        free(grid->cell);
        free(grid);
    }
}

/* Letters before the decimal point of the number a text begins with. */
static int before_point(const char *text)
{
    return (int)strspn(text, "-0123456789");
}

/* A blank cell and a word such as "-" take no part in the alignment of numbers. */
static bool is_number(const char *text)
{
    return text[strspn(text, "-")] >= '0' && text[strspn(text, "-")] <= '9';
}

static int widest_line(const char *text)
{
    int widest = 0;
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n");
        widest = length > widest ? length : widest;
        text += length + (text[length] == '\n');
    }
    return widest;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static layout measure(const table *grid)
{
    layout plan = {0};
    int after[TABLE_COLUMNS_MAX] = {0};
    for (size_t i = 0; i < grid->cell_count; i++) {
        int column = (int)(i % (size_t)grid->columns);
        const char *text = grid->cell[i];
        int length = (int)strlen(text);
        if (grid->align[column] == 'd' && is_number(text)) {
            int before = before_point(text);
            plan.before[column] = larger(plan.before[column], before);
            after[column] = larger(after[column], length - before);
        }
        plan.width[column] = larger(plan.width[column], length);
    }
    for (int j = 0; j < grid->columns; j++) {
        plan.width[j] = larger(plan.width[j], plan.before[j] + after[j]);
        if (grid->headings != NULL) {
            plan.width[j] = larger(plan.width[j], widest_line(grid->headings[j]));
        }
    }
    return plan;
}

/* Blanks are owed until something follows them, so that no line ends in one. */
typedef struct {
    FILE *out;
    int owed;
} pen;

static void write_text(pen *hand, const char *text, int length)
{
    if (length > 0) {
        fprintf(hand->out, "%*s%.*s", hand->owed, "", length, text);
        hand->owed = 0;
    }
}

static void end_line(pen *hand)
{
    putc('\n', hand->out);
    hand->owed = 0;
}

/* Text of `length` letters, `left` blanks into a column. */
static void write_cell(pen *hand, const char *text, int length, int left, int width)
{
    hand->owed += left;
    write_text(hand, text, length);
    hand->owed += width - left - length + GUTTER;
}

/* How far into its column a text begins. */
static int indent_of(const table *grid, const layout *plan, int column, const char *text,
                     int length)
{
    switch (grid->align[column]) {
    case 'r':
        return plan->width[column] - length;
    case 'd':
        return is_number(text) ? plan->before[column] - before_point(text) : 0;
    default:
        return 0;
    }
}

static void print_headings(const table *grid, const layout *plan, pen *hand)
{
    const char *rest[TABLE_COLUMNS_MAX];
    bool more = false;
    for (int j = 0; j < grid->columns; j++) {
        rest[j] = grid->headings[j];
    }
    do {
        more = false;
        for (int j = 0; j < grid->columns; j++) {
            int length = (int)strcspn(rest[j], "\n");
            int left = grid->align[j] == 'r' ? plan->width[j] - length : 0;
            write_cell(hand, rest[j], length, left, plan->width[j]);
            rest[j] += length + (rest[j][length] == '\n');
            more = more || *rest[j] != '\0';
        }
        end_line(hand);
    } while (more);
}

/* Words, broken at blanks; `used` letters of the line are taken, further lines are indented. */
static void write_words(pen *hand, const char *text, int used, int indent)
{
    bool first = true;
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        if (!first && used + 1 + length > PAGE_WIDTH) {
            end_line(hand);
            hand->owed = indent;
            used = indent;
        } else if (!first) {
            hand->owed++;
            used++;
        }
        write_text(hand, text, length);
        used += length;
        first = false;
        text += length + (text[length] == ' ');
    }
    end_line(hand);
}

void table_print(const table *grid, FILE *out)
{
    layout plan = measure(grid);
    pen hand = {.out = out};
    if (grid->headings != NULL) {
        print_headings(grid, &plan, &hand);
    }
    for (size_t i = 0; i < grid->cell_count; i += (size_t)grid->columns) {
        int used = 0;
        for (int j = 0; j + 1 < grid->columns; j++) {
            const char *text = grid->cell[i + (size_t)j];
            int length = (int)strlen(text);
            write_cell(&hand, text, length, indent_of(grid, &plan, j, text, length), plan.width[j]);
            used += plan.width[j] + GUTTER;
        }
        const char *text = grid->cell[i + (size_t)grid->columns - 1];
        int left = indent_of(grid, &plan, grid->columns - 1, text, (int)strlen(text));
        hand.owed += left;
        write_words(&hand, text, used + left, used);
    }
}

void print_paragraph(FILE *out, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_words(&(pen){.out = out}, text, 0, 0);
}
