/*
 * Prints a document as one table, for programs (CSV) or for print (LaTeX), with the same rows. CSV
 * has every column with full values; LaTeX has the columns for print with rounded values. Names are
 * escaped, so that they are never read as markup.
 */
#include "tools/show/columns.h"

#include <stdio.h>
#include <string.h>

#include "bench/words.h"
#include "config.h"
#include "dp/base/utf8.h"

enum { HEADING_BYTES = 200 };

typedef void row_printer(const og_document *columns, const char *kind, const og_document *row);

/* Prints every row, and `between` where the kind changes. */
static void print_rows(const og_document *document, row_printer *print, const char *between)
{
    const og_document *blocks = document->is.many.beside;
    const og_document *columns = og_file_columns(document);
    const char *before = "";
    for (int32_t i = 0; i < og_document_count(blocks); i++) {
        const og_document *part = og_document_child(blocks, i);
        const og_document *rows = part->file ? part->is.many.beside : NULL;
        int32_t count = rows == NULL ? 0 : part->one ? 1 : og_document_count(rows);
        for (int32_t j = 0; j < count; j++) {
            const og_document *row = part->one ? rows : og_document_child(rows, j);
            if (!row->hidden) {
                fputs(before[0] != '\0' && strcmp(before, part->name) != 0 ? between : "", stdout);
                print(columns, part->name, row);
                before = part->name;
            }
        }
    }
}

/* ---- CSV ---- */

static void csv_field(const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        fputs(text, stdout);
    } else {
        og_write_field(stdout, text, true);
    }
}

static void print_csv_row(const og_document *columns, const char *kind, const og_document *row)
{
    csv_field(kind);
    for (int32_t i = 0; i < og_document_count(columns); i++) {
        char room[OG_CELL_BYTES];
        putchar(',');
        csv_field(og_file_cell(row, og_document_child(columns, i), room));
    }
    putchar('\n');
}

void csv_print(const og_document *document)
{
    const og_document *columns = og_file_columns(document);
    csv_field("kind");
    for (int32_t i = 0; i < og_document_count(columns); i++) {
        putchar(',');
        csv_field(og_document_text(og_document_child(columns, i)));
    }
    putchar('\n');
    print_rows(document, print_csv_row, "");
}

/* ---- LaTeX ---- */

/* The escape for a byte that LaTeX reads as markup, or that its oldest fonts show as another
 * character; NULL if it needs none. */
static const char *escape_of(const char *text)
{
    static const char letters[] = "\\{}$&#%_^~<>|\"`";
    static const char *const escapes[] = {
        "\\textbackslash{}",
        "\\{",
        "\\}",
        "\\$",
        "\\&",
        "\\#",
        "\\%",
        "\\_",
        "\\textasciicircum{}",
        "\\textasciitilde{}",
        "\\textless{}",
        "\\textgreater{}",
        "\\textbar{}",
        "\\textquotedbl{}",
        "\\textasciigrave{}",
    };
    const char *at = strchr(letters, *text);
    if (at != NULL) {
        return escapes[at - letters];
    }
    if ((*text == '-' || *text == '\'') && text[1] == *text) { /* LaTeX would join two of them */
        return *text == '-' ? "-{}" : "'{}";
    }
    return (unsigned char)*text < ' ' || *text == '\x7f' ? " " : NULL;
}

/* Bytes that are not UTF-8 become question marks. */
static void print_latex_text(const char *text)
{
    while (*text != '\0') {
        size_t bytes = og_utf8_bytes(text);
        const char *escape = bytes == 1 ? escape_of(text) : NULL;
        if (escape != NULL || bytes == 0) {
            fputs(escape != NULL ? escape : "?", stdout);
        } else {
            printf("%.*s", (int)bytes, text);
        }
        text += bytes > 0 ? bytes : 1;
    }
}

/* Prints a number such as "-1.5e-07" or "~3" in math mode; false, with no output, if the text is
 * not a number. */
static bool print_latex_number(const char *text)
{
    bool about = text[0] == '~';
    const char *number = text + about;
    size_t digits = strspn(number, "-.0123456789");
    size_t sign = number[digits] == 'e' ? 1 + (number[digits + 1] == '+') : 0;
    const char *power = number + digits + sign;
    size_t minus = power[0] == '-';
    if (digits == 0 || strpbrk(number, "0123456789") == NULL ||
        power[minus + strspn(power + minus, "0123456789")] != '\0' ||
        (sign == 0 && *power != '\0')) {
        return false;
    }
    printf("$%s%.*s", about ? "\\sim " : "", (int)digits, number);
    if (sign > 0) {
        const char *first = power + minus;
        first += strspn(first, "0") < strlen(first) ? strspn(first, "0") : 0;
        printf(" \\times 10^{%s%s}", minus > 0 ? "-" : "", first);
    }
    putchar('$');
    return true;
}

static void print_latex_cell(const og_document *row, const og_document *column)
{
    char room[OG_CELL_BYTES];
    const char *text = og_document_cell(row, column, room);
    if (column->align != 'd' || !print_latex_number(text)) {
        print_latex_text(strcmp(text, "-") == 0 ? "" : text);
    }
}

static void print_latex_row(const og_document *columns, const char *kind, const og_document *row)
{
    const char *before = "";
    (void)kind;
    for (int32_t i = 0; i < og_document_count(columns); i++) {
        const og_document *column = og_document_child(columns, i);
        if (column->align != OG_CSV_ONLY) {
            fputs(before, stdout);
            print_latex_cell(row, column);
            before = " & ";
        }
    }
    puts(" \\\\");
}

/* Prints the command as a comment of one line. */
static void print_comment(const char *command)
{
    fputs("% optgap " OG_VERSION ": ", stdout);
    for (; *command != '\0'; command++) {
        putchar((unsigned char)*command < ' ' ? ' ' : *command);
    }
    puts("\n% \\usepackage{booktabs}");
}

/* Prints a heading "gap (% of value)" as "gap (%)", and a unit only at the first column that has
 * one. */
static void print_heading(const char *heading, bool *unit_was)
{
    const char *unit = strstr(heading, " (");
    char words[HEADING_BYTES];
    size_t length = unit != NULL ? (size_t)(unit - heading) : strlen(heading);
    bool percent = unit != NULL && unit[2] == '%';
    bool shown = unit != NULL && !percent && !*unit_was;
    *unit_was = *unit_was || shown;
    snprintf(words, sizeof words, "%.*s%s", (int)length, heading,
             percent ? " (%)"
             : shown ? unit
                     : "");
    print_latex_text(words);
}

void latex_print(const og_document *document, const char *command)
{
    const og_document *columns = og_file_columns(document);
    const char *before = "";
    bool unit_was = false;
    print_comment(command);
    fputs("\\begin{tabular}{", stdout);
    for (int32_t i = 0; i < og_document_count(columns); i++) {
        char align = og_document_child(columns, i)->align;
        fputs(align == OG_CSV_ONLY ? "" : align == 'd' ? "r" : "l", stdout);
    }
    puts("}\n\\toprule");
    for (int32_t i = 0; i < og_document_count(columns); i++) {
        const og_document *column = og_document_child(columns, i);
        if (column->align != OG_CSV_ONLY) {
            fputs(before, stdout);
            print_heading(og_document_text(column), &unit_was);
            before = " & ";
        }
    }
    puts(" \\\\\n\\midrule");
    print_rows(document, print_latex_row, "\\midrule\n");
    puts("\\bottomrule\n\\end{tabular}");
}
