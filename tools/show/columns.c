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

/* Prints every row. */
static void print_rows(const og_document *document, row_printer *print)
{
    const og_document *blocks = document->is.many.beside;
    const og_document *columns = og_file_columns(document);
    for (int32_t i = 0; i < og_document_count(blocks); i++) {
        const og_document *part = og_document_child(blocks, i);
        const og_document *rows = part->file ? part->is.many.beside : NULL;
        int32_t count = rows == NULL ? 0 : part->one ? 1 : og_document_count(rows);
        for (int32_t j = 0; j < count; j++) {
            const og_document *row = part->one ? rows : og_document_child(rows, j);
            if (!row->hidden) {
                print(columns, part->name, row);
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
    print_rows(document, print_csv_row);
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
static void print_latex_text(FILE *to, const char *text)
{
    while (*text != '\0') {
        size_t bytes = og_utf8_bytes(text);
        const char *escape = bytes == 1 ? escape_of(text) : NULL;
        if (escape != NULL || bytes == 0) {
            fputs(escape != NULL ? escape : "?", to);
        } else {
            fprintf(to, "%.*s", (int)bytes, text);
        }
        text += bytes > 0 ? bytes : 1;
    }
}

/* Prints a number such as "-1.5e-07" or "~3" in math mode; false, with no output, if the text is
 * not a number. */
static bool print_latex_number(FILE *to, const char *text)
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
    fprintf(to, "$%s%.*s", about ? "\\sim " : "", (int)digits, number);
    if (sign > 0) {
        const char *first = power + minus;
        first += strspn(first, "0") < strlen(first) ? strspn(first, "0") : 0;
        fprintf(to, " \\times 10^{%s%s}", minus > 0 ? "-" : "", first);
    }
    fputc('$', to);
    return true;
}

/* Prints the command as a comment of one line. */
static void print_comment(FILE *to, const char *command)
{
    fputs("% optgap " OG_VERSION ": ", to);
    for (; *command != '\0'; command++) {
        fputc((unsigned char)*command < ' ' ? ' ' : *command, to);
    }
    fputs("\n% \\usepackage{booktabs}\n", to);
}

/* Prints a heading "gap (% of value)" as "gap (%)", and a unit only at the first column that has
 * one. */
static void print_heading(FILE *to, const char *heading, bool *unit_was)
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
    print_latex_text(to, words);
}

/* The columns for print, or those that were chosen. */
typedef struct {
    FILE *to;
    const og_document *columns;
    const latex_choice *chosen; /* NULL: none */
    int32_t count;
} latex_table;

static bool is_numeric(const og_document *column)
{
    return column->align == 'd' || column->align == OG_CSV_ONLY;
}

/* The k-th column; NULL: there are no more. */
static const og_document *column_at(const latex_table *table, int32_t k)
{
    for (int32_t i = 0; i < og_document_count(table->columns); i++) {
        const og_document *column = og_document_child(table->columns, i);
        bool same =
            table->chosen != NULL && k < table->count &&
            strcmp(column->name[0] != '\0' ? column->name : "name", table->chosen[k].name) == 0;
        if (table->chosen != NULL ? same : column->align != OG_CSV_ONLY && k-- == 0) {
            return column;
        }
    }
    return NULL;
}

/* True if the row is shown: where columns were chosen, one with a number among them must be known.
 */
static bool is_shown(const latex_table *table, const og_document *row)
{
    const og_document *column;
    bool numeric = false;
    for (int32_t k = 0; table->chosen != NULL && (column = column_at(table, k)) != NULL; k++) {
        char room[OG_CELL_BYTES];
        if (is_numeric(column) && strcmp(og_document_cell(row, column, room), "-") != 0) {
            return !row->hidden;
        }
        numeric = numeric || is_numeric(column);
    }
    return !row->hidden && !numeric;
}

/* Returns whether a row was printed. A rule comes before the first one if `rule`. */
static bool print_latex_rows(const latex_table *table, const og_document *part, bool rule)
{
    const og_document *rows = part->is.many.beside, *column;
    int32_t count = part->one ? 1 : og_document_count(rows);
    bool printed = false;
    for (int32_t j = 0; j < count; j++) {
        const og_document *row = part->one ? rows : og_document_child(rows, j);
        if (!is_shown(table, row)) {
            continue;
        }
        fputs(rule && !printed ? "\\midrule\n" : "", table->to);
        printed = true;
        for (int32_t k = 0; (column = column_at(table, k)) != NULL; k++) {
            char room[OG_CELL_BYTES];
            const char *text = og_document_cell(row, column, room);
            fputs(k > 0 ? " & " : "", table->to);
            if (!is_numeric(column) || !print_latex_number(table->to, text)) {
                print_latex_text(table->to, strcmp(text, "-") == 0 ? "" : text);
            }
        }
        fputs(" \\\\\n", table->to);
    }
    return printed;
}

static void print_latex_head(const latex_table *table)
{
    const og_document *column;
    bool unit_was = false;
    fputs("\\begin{tabular}{", table->to);
    for (int32_t k = 0; (column = column_at(table, k)) != NULL; k++) {
        fputc(is_numeric(column) ? 'r' : 'l', table->to);
    }
    fputs("}\n\\toprule\n", table->to);
    for (int32_t k = 0; (column = column_at(table, k)) != NULL; k++) {
        const char *own = table->chosen != NULL ? table->chosen[k].heading : NULL;
        fputs(k > 0 ? " & " : "", table->to);
        if (own != NULL) {
            print_latex_text(table->to, own);
        } else {
            print_heading(table->to, og_document_text(column), &unit_was);
        }
    }
    fputs(" \\\\\n\\midrule\n", table->to);
}

bool latex_print(FILE *to, const og_document *document, const char *command,
                 const latex_choice *chosen, int32_t count)
{
    const latex_table table = {to, og_file_columns(document), chosen, count};
    const og_document *blocks = document->is.many.beside;
    const char *before = NULL; /* the last kind of row */
    for (int32_t k = 0; k < count; k++) {
        if (column_at(&table, k) == NULL) {
            return false;
        }
    }
    if (table.columns == NULL) {
        return false;
    }
    print_comment(to, command);
    print_latex_head(&table);
    for (int32_t i = 0; i < og_document_count(blocks); i++) {
        const og_document *part = og_document_child(blocks, i);
        bool rule = before != NULL && strcmp(before, part->name) != 0;
        if (part->file && part->is.many.beside != NULL && print_latex_rows(&table, part, rule)) {
            before = part->name;
        }
    }
    fputs("\\bottomrule\n\\end{tabular}\n", to);
    return true;
}
