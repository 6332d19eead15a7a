/*
 * The command report: writes a study as one self-contained HTML page of tables and figures, each
 * with its command.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "dp/base/utf8.h"
#include "tools/command/commands.h"
#include "tools/option/study_options.h"
#include "tools/plot/draw.h"
#include "tools/plot/figure.h"
#include "tools/plot/plots.h"
#include "tools/show/memory.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

typedef struct {
    const command_request *request;
    og_study_db *db;
    FILE *page;           /* in memory, with FIGURE_PLACE where a figure goes */
    og_document *numbers; /* of all figures, which are drawn together at the end */
    og_document *figures; /* their array in `numbers` */
    og_message message;
} writing;

static const char style[] =
    "body{font-family:sans-serif;line-height:1.45;max-width:46rem;margin:0 auto;padding:0 1rem "
    "3rem;"
    "color:#111;background:#fff}\n"
    "h1{font-size:1.6rem}h2{font-size:1.3rem;margin-top:2.2rem;border-bottom:1px solid #bbb}"
    "h3{font-size:1.1rem}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;margin:.5rem 0}"
    "th,td{padding:.2rem .5rem;text-align:right;border-bottom:1px solid #ddd}"
    "td{white-space:nowrap}th{border-bottom:2px solid #888;vertical-align:bottom;"
    "overflow-wrap:anywhere;min-width:3.5rem}th:first-child,td:first-child{text-align:left}\n"
    "figure{margin:1rem 0}svg{width:100%;max-width:36rem;height:auto}"
    "figcaption,.how{font-size:.85rem;color:#444}\n"
    "@media(max-width:30rem){body{padding:0 .5rem 2rem}}"
    "@media print{.wide{overflow:visible}table{font-size:.75rem}}\n"
    "code,pre{font-family:monospace;font-size:.85em;background:#f3f3f3}"
    "code{overflow-wrap:anywhere;padding:.1em .3em}"
    "pre{padding:.6rem;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "summary{cursor:pointer}\n";

/* -- HTML ------------------------------------------------------------------------------------- */

/* Writes the first character of a text, escaped; returns the rest of the text. */
static const char *put_character(FILE *to, const char *text)
{
    size_t bytes = og_utf8_bytes(text);
    switch (*text) {
    case '<':
        fputs("&lt;", to);
        break;
    case '>':
        fputs("&gt;", to);
        break;
    case '&':
        fputs("&amp;", to);
        break;
    case '"':
        fputs("&quot;", to);
        break;
    default:
        if (bytes == 0) {
            fputs("\xef\xbf\xbd", to); /* U+FFFD */
        } else if ((unsigned char)*text < ' ' && *text != '\n') {
            fputc(' ', to);
        } else {
            fwrite(text, 1, bytes, to);
        }
    }
    return text + (bytes > 0 ? bytes : 1);
}

static void put_text(FILE *to, const char *text)
{
    while (*text != '\0') {
        text = put_character(to, text);
    }
}

/* Writes a printf-style text, escaped, between <tag> and </tag>. */
static void put_element(FILE *to, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void put_element(FILE *to, const char *tag, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    fprintf(to, "<%s>", tag);
    if (length >= 0) {
        put_text(to, text);
        free(text);
    }
    fprintf(to, "</%s>\n", tag);
}

/* Writes a word of a command. */
static void put_word(FILE *to, const char *text)
{
    bool plain = text[0] != '\0' && strpbrk(text, " '\"\\$`*?&;<>|()[]{}~#!") == NULL;
    fputs(plain ? "" : "'", to);
    for (const char *at = text; *at != '\0';) {
        if (*at == '\'') {
            fputs("'\\''", to);
            at++;
        } else {
            at = put_character(to, at);
        }
    }
    fputs(plain ? "" : "'", to);
}

enum { FIGURE_PLACE = '\x01' }; /* put_text writes no such byte */

/* Writes one SVG as a part of the page: without its first lines, and with identifiers that are
 * unique to this figure. Returns the rest of the text. */
static const char *put_svg(FILE *to, const char *svg, int number)
{
    static const char *const marks[] = {"id=\"", "href=\"#", "url(#"};
    static const char last[] = "</svg>";
    const char *at = strstr(svg, "<svg");
    const char *end = at != NULL ? strstr(at, last) : NULL;
    end = end != NULL ? end + strlen(last) : svg + strlen(svg);
    while (at != NULL && at < end) {
        const char *mark = NULL;
        for (size_t i = 0; mark == NULL && i < sizeof marks / sizeof *marks; i++) {
            mark = strncmp(at, marks[i], strlen(marks[i])) == 0 ? marks[i] : NULL;
        }
        if (mark != NULL) {
            fprintf(to, "%sfigure%d-", mark, number);
            at += strlen(mark);
        } else {
            fputc(*at++, to);
        }
    }
    fputc('\n', to);
    return end;
}

/* -- Queries ---------------------------------------------------------------------------------- */

static og_status failed(writing *to)
{
    return og_message_set(&to->message, OG_FAILED, "the study cannot be read: %s",
                          sqlite3_errmsg(og_study_db_handle(to->db)));
}

static og_status prepare(writing *to, const char *sql, sqlite3_stmt **at)
{
    return sqlite3_prepare_v2(og_study_db_handle(to->db), sql, -1, at, NULL) == SQLITE_OK
               ? OG_OK
               : failed(to);
}

static const char *text_at(sqlite3_stmt *at, int column)
{
    const char *text = (const char *)sqlite3_column_text(at, column);
    return text != NULL ? text : "";
}

static void put_cell(FILE *to, sqlite3_stmt *at, int column)
{
    switch (sqlite3_column_type(at, column)) {
    case SQLITE_NULL:
        fputs("<td>–</td>", to);
        return;
    case SQLITE_FLOAT:
        fprintf(to, "<td>%s</td>", og_words_gap(sqlite3_column_double(at, column), 0).text);
        return;
    default:
        fputs("<td>", to);
        put_text(to, text_at(at, column));
        fputs("</td>", to);
    }
}

/* Writes a table of the query's results, with the SQL below it. */
static og_status put_table(writing *to, const char *sql)
{
    sqlite3_stmt *at = NULL;
    FILE *page = to->page;
    OG_TRY(prepare(to, sql, &at));
    int columns = sqlite3_column_count(at);
    int code = SQLITE_DONE;
    fputs("<div class=\"wide\"><table>\n<tr>", page);
    for (int i = 0; i < columns; i++) {
        fputs("<th>", page);
        put_text(page, sqlite3_column_name(at, i));
        fputs("</th>", page);
    }
    fputs("</tr>\n", page);
    while ((code = sqlite3_step(at)) == SQLITE_ROW) {
        fputs("<tr>", page);
        for (int i = 0; i < columns; i++) {
            put_cell(page, at, i);
        }
        fputs("</tr>\n", page);
    }
    sqlite3_finalize(at);
    fputs("</table></div>\n<details class=\"how\"><summary>how</summary><pre>sqlite3 ", page);
    put_word(page, to->request->file);
    fputs(" \"", page);
    put_text(page, sql);
    fputs("\"</pre></details>\n", page);
    return code == SQLITE_DONE ? OG_OK : failed(to);
}

/* The numbers of a figure; instances 0 and budget -1 mean all. */
static og_status make_figure(writing *to, plot_kind kind, const char *prior, int64_t instances,
                             int64_t budget, plot_figure *out)
{
    og_study only = {0};
    char number[32], labels[32];
    plot_request wanted = {.kind = kind, .only = &only};
    snprintf(number, sizeof number, "%" PRId64, instances);
    snprintf(labels, sizeof labels, "%" PRId64, budget);
    og_status status = og_study_set(&only, "prior", prior, &to->message);
    if (status == OG_OK && instances > 0) {
        status = og_study_set(&only, "instances", number, &to->message);
    }
    if (status == OG_OK && budget >= 0) {
        status = og_study_set(&only, "budget", labels, &to->message);
    }
    OG_THEN(status, plot_make(to->db, &wanted, out, &to->message));
    og_study_clear(&only);
    return status;
}

/* Writes a figure and its command, unless the study has no data for it. */
static og_status put_figure(writing *to, plot_kind kind, const char *prior, int64_t instances,
                            int64_t budget)
{
    plot_figure made = {.panel_count = 0};
    FILE *page = to->page;
    og_status status = make_figure(to, kind, prior, instances, budget, &made);
    OG_THEN(status, figure_check(&made, &to->message));
    if (status == OG_OK) {
        figure_put(&made, og_put_object(to->figures, NULL));
        fprintf(page, "<figure>\n%c<figcaption><code>optgap plot ", FIGURE_PLACE);
        put_word(page, to->request->file);
        fprintf(page, " %s --prior ", plot_infos[kind].name);
        put_word(page, prior);
        if (instances > 0) {
            fprintf(page, " --instances %" PRId64, instances);
        }
        if (budget >= 0) {
            fprintf(page, " --budget %" PRId64, budget);
        }
        fprintf(page, " -o %s.svg</code></figcaption>\n</figure>\n", plot_infos[kind].name);
    }
    figure_clear(&made);
    return status == OG_BAD_INPUT ? OG_OK : status;
}

/* -- The page --------------------------------------------------------------------------------- */

/* The number of policies that fit the page's column. */
enum { TABLE_POLICIES = 5 };

/* Returns "max(iif(policy='kg' and ties='random', COLUMN, NULL)) AS 'kg'" for TABLE_POLICIES of the
 * policies and tie rules that satisfy the condition, beginning with number `first`. NULL: there are
 * none, or no memory. */
static char *columns_by_policy(writing *to, const char *condition, const char *column, int first)
{
    sqlite3_stmt *at = NULL;
    char *sql = sqlite3_mprintf("SELECT DISTINCT policy, ties FROM result WHERE policy IS NOT NULL"
                                " AND %s ORDER BY ties = 'random' DESC, ties, policy"
                                " LIMIT %d OFFSET %d",
                                condition, TABLE_POLICIES, first);
    sqlite3_str *list = sqlite3_str_new(NULL);
    if (sql != NULL && prepare(to, sql, &at) == OG_OK) {
        while (sqlite3_step(at) == SQLITE_ROW) {
            const char *policy = text_at(at, 0);
            bool random = strcmp(text_at(at, 1), "random") == 0;
            char *name =
                sqlite3_mprintf("%s%s%s", policy, random ? "" : ", ", random ? "" : text_at(at, 1));
            sqlite3_str_appendf(list, ",\n  max(iif(policy=%Q AND ties=%Q, %s, NULL)) AS %Q",
                                policy, text_at(at, 1), column, name != NULL ? name : policy);
            sqlite3_free(name);
        }
        sqlite3_finalize(at);
    }
    sqlite3_free(sql);
    return sqlite3_str_finish(list);
}

/* Splits a table that is wider than the page into several tables. */
static og_status put_pivot(writing *to, const char *first, const char *condition,
                           const char *column, const char *group)
{
    char *columns = NULL;
    og_status status = OG_OK;
    for (int from = 0;
         status == OG_OK && (columns = columns_by_policy(to, condition, column, from)) != NULL;
         from += TABLE_POLICIES) {
        char *sql = sqlite3_mprintf("SELECT %s%s\nFROM result WHERE %s\n"
                                    "GROUP BY %s ORDER BY %s",
                                    first, columns, condition, group, group);
        status = sql != NULL ? put_table(to, sql) : OG_NO_MEMORY;
        sqlite3_free(sql);
        sqlite3_free(columns);
    }
    return status;
}

static int64_t count(writing *to, const char *format, ...)
{
    sqlite3_stmt *at = NULL;
    int64_t found = 0;
    va_list arguments;
    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    if (sql != NULL && prepare(to, sql, &at) == OG_OK && sqlite3_step(at) == SQLITE_ROW) {
        found = sqlite3_column_int64(at, 0);
    }
    sqlite3_finalize(at);
    sqlite3_free(sql);
    return found;
}

/* Writes the results under other truths and assumed priors, at the largest budget that has them. */
static og_status put_laws(writing *to, const char *prior, int64_t instances)
{
    static const plot_kind kinds[] = {PLOT_CORRECT_TRUTH, PLOT_WRONG_TRUTH, PLOT_REGRET_BELIEF};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int64_t budget = count(to,
                               "SELECT coalesce(max(budget), -1) FROM cell WHERE prior=%Q AND"
                               " instances=%lld AND runs=0 AND truth<>'prior' AND"
                               " (truth LIKE 'believe:%%') = %d",
                               prior, instances, kinds[i] == PLOT_REGRET_BELIEF);
        OG_TRY(budget >= 0 ? put_figure(to, kinds[i], prior, instances, budget) : OG_OK);
    }
    return OG_OK;
}

static og_status put_size(writing *to, const char *prior, int64_t instances)
{
    char *exact = sqlite3_mprintf("prior=%Q AND instances=%lld AND runs=0 AND truth='prior'", prior,
                                  instances);
    char *played = sqlite3_mprintf("prior=%Q AND instances=%lld AND runs>0", prior, instances);
    FILE *page = to->page;
    og_status status = exact != NULL && played != NULL ? OG_OK : OG_NO_MEMORY;
    if (status == OG_OK) {
        put_element(page, "h3", "%" PRId64 " instance%s", instances, instances == 1 ? "" : "s");
        status = put_figure(to, PLOT_GAP_BUDGET, prior, instances, -1);
    }
    OG_THEN(status, put_figure(to, PLOT_VALUE, prior, instances, -1));
    OG_THEN(status, put_figure(to, PLOT_SPENT, prior, instances, -1));
    OG_THEN(status, put_laws(to, prior, instances));
    if (status == OG_OK && count(to, "SELECT count(*) FROM result WHERE %s", exact) > 0) {
        fputs("<details><summary>Optimum, best bound and gaps</summary>\n", page);
        status = put_pivot(to,
                           "budget AS labels, max(optimal_value) AS optimum,\n"
                           "  min(min(lagrangian_scalar, lagrangian_vector, prevailing_charge))"
                           " AS 'best bound'",
                           exact, "gap", "budget");
        fputs("</details>\n", page);
    }
    if (status == OG_OK && count(to, "SELECT count(*) FROM result WHERE %s", played) > 0) {
        fputs("<details><summary>Correct calls, played</summary>\n", page);
        status = put_pivot(to, "budget AS labels, truth, runs", played, "correct",
                           "budget, truth, runs, seed");
        fputs("</details>\n", page);
    }
    sqlite3_free(exact);
    sqlite3_free(played);
    return status;
}

static og_status put_sizes(writing *to, const char *prior)
{
    sqlite3_stmt *at = NULL;
    char *sql =
        sqlite3_mprintf("SELECT DISTINCT instances FROM cell WHERE prior=%Q ORDER BY 1", prior);
    og_status status = sql != NULL ? prepare(to, sql, &at) : OG_NO_MEMORY;
    while (status == OG_OK && sqlite3_step(at) == SQLITE_ROW) {
        status = put_size(to, prior, sqlite3_column_int64(at, 0));
    }
    sqlite3_finalize(at);
    sqlite3_free(sql);
    return status;
}

static og_status put_prior(writing *to, const char *prior)
{
    char *exact = sqlite3_mprintf("prior=%Q AND runs=0 AND truth='prior'", prior);
    FILE *page = to->page;
    og_status status = exact != NULL ? OG_OK : OG_NO_MEMORY;
    put_element(page, "h2", "Prior %s", prior);
    if (status == OG_OK && count(to, "SELECT count(*) FROM result WHERE %s", exact) > 0) {
        put_element(page, "p",
                    "The largest gap over all numbers of labels, in percent of the "
                    "optimal value:");
        status = put_pivot(to, "instances", exact, "gap_percent", "instances");
    }
    OG_THEN(status, put_figure(to, PLOT_INDEX, prior, 0, -1));
    sqlite3_free(exact);
    return status == OG_OK ? put_sizes(to, prior) : status;
}

/* Prints how many results of each kind the study has. */
static void put_counts(writing *to)
{
    char words[256] = "";
    int64_t exact = count(to, "SELECT count(*) FROM cell WHERE runs = 0 AND truth = 'prior'");
    int64_t proved = count(to, "SELECT count(*) FROM cell WHERE runs = 0 AND status = 'ok'"
                               " AND truth = 'prior'");
    int64_t other = count(to, "SELECT count(*) FROM cell WHERE runs = 0 AND truth <> 'prior'");
    int64_t played = count(to, "SELECT count(*) FROM cell WHERE runs > 0");
    if (exact > 0) {
        snprintf(words, sizeof words,
                 "%" PRId64 " problem%s valued exactly, %" PRId64
                 " of them with the optimum proved",
                 exact, exact == 1 ? "" : "s", proved);
    }
    size_t used = strlen(words);
    if (other > 0) {
        snprintf(words + used, sizeof words - used,
                 "%s%" PRId64 " valued under another truth or a wrong prior", used > 0 ? "; " : "",
                 other);
    }
    used = strlen(words);
    if (played > 0) {
        snprintf(words + used, sizeof words - used, "%s%" PRId64 " problem%s played, not valued",
                 used > 0 ? "; " : "", played, played == 1 ? "" : "s");
    }
    put_element(to->page, "p",
                "%s. Value: expected correct calls. Gap: optimal value minus the policy's value, 0 "
                "where it is within the proved errors. A dash: not known, since a limit was "
                "reached or nothing of that kind was asked for.",
                words);
}

static og_status put_head(writing *to)
{
    FILE *page = to->page;
    const char *slash = strrchr(to->request->file, '/');
    const char *name = slash != NULL ? slash + 1 : to->request->file;
    sqlite3_stmt *at = NULL;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
          page);
    put_element(page, "title", "Study %s", name);
    fprintf(page, "<style>\n%s</style>\n</head>\n<body>\n", style);
    put_element(page, "h1", "How far from optimal? Study %s", name);
    put_counts(to);
    og_status status = prepare(to,
                               "SELECT DISTINCT command, program, commit_id FROM run"
                               " ORDER BY id",
                               &at);
    while (status == OG_OK && sqlite3_step(at) == SQLITE_ROW) {
        put_element(page, "pre", "%s\n# optgap %s, commit %s", text_at(at, 0), text_at(at, 1),
                    text_at(at, 2));
    }
    sqlite3_finalize(at);
    return status;
}

static og_status put_page(writing *to)
{
    sqlite3_stmt *at = NULL;
    og_status status = put_head(to);
    OG_THEN(status, prepare(to, "SELECT prior FROM cell GROUP BY prior ORDER BY min(id)", &at));
    while (status == OG_OK && sqlite3_step(at) == SQLITE_ROW) {
        char words[FIGURE_TEXT_BYTES];
        snprintf(words, sizeof words, "report, prior %.100s", text_at(at, 0));
        show_stage(words);
        status = put_prior(to, text_at(at, 0));
    }
    sqlite3_finalize(at);
    show_stage(NULL);
    fputs("<p class=\"how\">Made by <code>optgap report ", to->page);
    put_word(to->page, to->request->file);
    fprintf(to->page, "</code>, optgap %s.</p>\n</body>\n</html>\n", OG_VERSION);
    return status;
}

/* Replaces the places of figures by pictures; the caller frees the page. */
static og_status draw_figures(writing *to, const char *page, char **whole, size_t *size)
{
    char *pictures = NULL;
    size_t pictures_size = 0;
    int number = 0;
    if (og_document_failed(to->numbers)) {
        return OG_NO_MEMORY;
    }
    if (strchr(page, FIGURE_PLACE) != NULL) {
        OG_TRY(picture_draw(to->numbers, PICTURE_SVG, &pictures, &pictures_size, &to->message));
    }
    FILE *stream = stream_open(whole, size);
    const char *next = pictures;
    for (const char *at = page; *at != '\0'; at++) {
        if (*at == FIGURE_PLACE) {
            next = put_svg(stream, next, ++number);
        } else {
            fputc(*at, stream);
        }
    }
    stream_close(stream);
    free(pictures);
    return OG_OK;
}

static og_status write_page(writing *to)
{
    char *text = NULL, *whole = NULL;
    size_t size = 0;
    to->page = stream_open(&text, &size);
    to->numbers = og_document_new();
    to->figures = og_put_array(to->numbers, "figures");
    og_status status = to->figures != NULL ? put_page(to) : OG_NO_MEMORY;
    stream_close(to->page);
    if (status == OG_OK) {
        show_stage("drawing");
        status = draw_figures(to, text, &whole, &size);
        show_stage(NULL);
    }
    OG_THEN(status, save_output(to->request->output, "report", whole, size, &to->message));
    og_document_free(to->numbers);
    free(whole);
    free(text);
    return status;
}

static int run(command_request *request)
{
    writing to = {.request = request};
    og_status status = og_study_db_open(request->file, false, NULL, &to.db, &to.message);
    if (status == OG_OK && count(&to, "SELECT count(*) FROM cell") == 0) {
        status = og_message_set(&to.message, OG_BAD_INPUT, "the study %s is empty", request->file);
    }
    OG_THEN(status, write_page(&to));
    og_study_db_close(to.db);
    return status == OG_OK ? EXIT_RESULT : complain(status, &to.message);
}

static const og_option_row options[] = {
    OG_OPTION(OUTPUT, "output", "FILE", command_request, output, .what = "report",
              .topic = OG_TOPIC_FILES, .basic = true, .brief = "the page to write",
              .help = "HTML page to write; required", .letter = 'o',
              .required = "-o FILE is missing: where the page goes, such as report.html"),
    OG_OPTION_TABLE(quiet_rows),
    OG_OPTION_LAST,
};

const command command_report = {
    .name = "report",
    .summary = "write a study as one HTML page",
    .word = FILE_WORD("STUDY.db",
                      .required = "no STUDY.db is given: a database that 'optgap sweep' filled"),
    .brief = "Write the tables and figures of a study, a database of 'optgap sweep', as one\n"
             "HTML page.",
    .example = "  optgap sweep few.db --prior 1,1 --instances 2,3 --budget 1:8\n"
               "  optgap report few.db -o report.html",
    .about = "Writes the tables and figures of a study as one self-contained HTML file, each with "
             "its command.",
    .details = "Example:\n"
               "\n"
               "  optgap sweep few.db --prior 1,1 --instances 2,3 --budget 1:8\n"
               "  optgap report few.db -o report.html\n"
               "\n"
               "The figures are those of 'optgap plot' and need Python's matplotlib.",
    .options = options,
    .run = run,
};
