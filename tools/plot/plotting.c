/* Queries of a study, and the curves that their rows belong to. */
#include "tools/plot/plotting.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "heuristics/policy.h"

enum { SQL_BYTES = 1024, LIST_BYTES = 200 };

/* -- Queries ---------------------------------------------------------------------------------- */

static og_status study_failed(og_study_db *db, og_message *message)
{
    return og_message_set(message, OG_FAILED, "the study cannot be read: %s",
                          sqlite3_errmsg(og_study_db_handle(db)));
}

/* Appends " AND COLUMN IN (1,2)"; `at` counts the words. */
static void add_word(sqlite3_str *to, const char *column, int32_t at, int32_t count,
                     const char *word)
{
    if (at == 0) {
        sqlite3_str_appendf(to, " AND %s IN (", column);
    }
    sqlite3_str_appendf(to, "%Q%s", word, at + 1 < count ? "," : ")");
}

static void add_numbers(sqlite3_str *to, const char *column, const int64_t *list, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        sqlite3_str_appendf(to, i == 0 ? " AND %s IN (" : "%.0s,", column);
        sqlite3_str_appendf(to, "%lld", (long long)list[i]);
    }
    sqlite3_str_appendall(to, count > 0 ? ")" : "");
}

char *plot_condition(const og_study *only)
{
    sqlite3_str *to = sqlite3_str_new(NULL);
    for (int32_t i = 0; i < only->prior_count; i++) {
        add_word(to, "prior", i, only->prior_count, only->priors[i]);
    }
    add_numbers(to, "instances", only->instances, only->instances_count);
    add_numbers(to, "budget", only->budgets, only->budget_count);
    for (int32_t i = 0; i < only->policy_count; i++) {
        add_word(to, "policy", i, only->policy_count, only->policies[i].name);
    }
    for (int32_t i = 0; i < only->ties_count; i++) {
        add_word(to, "ties", i, only->ties_count, og_ties_name(only->ties[i]));
    }
    return sqlite3_str_finish(to);
}

answers plot_ask(const plotting *plot, const char *format)
{
    answers rows = {.plot = plot};
    char *sql = sqlite3_mprintf(format, plot->condition);
    sqlite3 *db = og_study_db_handle(plot->db);
    if (sql == NULL || sqlite3_prepare_v2(db, sql, -1, &rows.at, NULL) != SQLITE_OK) {
        rows.status = study_failed(plot->db, plot->message);
    }
    sqlite3_free(sql);
    return rows;
}

bool plot_next(answers *rows)
{
    int code = rows->status == OG_OK ? sqlite3_step(rows->at) : SQLITE_DONE;
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        rows->status = study_failed(rows->plot->db, rows->plot->message);
    }
    return code == SQLITE_ROW;
}

og_status plot_done(answers *rows)
{
    sqlite3_finalize(rows->at);
    return rows->status;
}

double plot_real(const answers *rows, int column)
{
    bool none = sqlite3_column_type(rows->at, column) == SQLITE_NULL;
    return none ? NAN : sqlite3_column_double(rows->at, column);
}

int64_t plot_whole(const answers *rows, int column)
{
    return sqlite3_column_int64(rows->at, column);
}

const char *plot_text(const answers *rows, int column)
{
    const char *text = (const char *)sqlite3_column_text(rows->at, column);
    return text != NULL ? text : "";
}

og_status plot_find_one(const plotting *plot, const char *column, const char *option,
                        const char *where, char value[FIGURE_TEXT_BYTES])
{
    char sql[SQL_BYTES];
    char list[LIST_BYTES] = "";
    int64_t count = 0;
    snprintf(sql, sizeof sql,
             "SELECT DISTINCT %s FROM result WHERE policy IS NOT NULL %s %%s "
             "ORDER BY %s",
             column, where, column);
    answers rows = plot_ask(plot, sql);
    while (plot_next(&rows)) {
        size_t used = strlen(list);
        snprintf(value, FIGURE_TEXT_BYTES, "%s", plot_text(&rows, 0));
        snprintf(list + used, sizeof list - used, "%s%.60s", count++ > 0 ? " " : "", value);
    }
    OG_TRY(plot_done(&rows));
    if (count == 0) {
        return og_message_set(plot->message, OG_BAD_INPUT,
                              "the study has no results for the figure '%s'",
                              plot_infos[plot->request->kind].name);
    }
    if (count > 1) {
        return og_message_set(plot->message, OG_BAD_INPUT,
                              "the figure '%s' shows one of several; choose with %s among %s",
                              plot_infos[plot->request->kind].name, option, list);
    }
    return OG_OK;
}

og_status plot_count_of(const plotting *plot, const char *what, const char *where, int64_t *out)
{
    char sql[SQL_BYTES];
    snprintf(sql, sizeof sql,
             "SELECT count(DISTINCT %s) FROM result WHERE policy IS NOT NULL %s "
             "%%s",
             what, where);
    answers rows = plot_ask(plot, sql);
    *out = plot_next(&rows) ? plot_whole(&rows, 0) : 0;
    return plot_done(&rows);
}

/* -- Curves ----------------------------------------------------------------------------------- */

const char *plot_name_of(const plot_request *request, const char *policy)
{
    for (int32_t i = 0; i < request->name_count; i++) {
        const plot_name *at = &request->names[i];
        if (strlen(policy) == at->policy_bytes &&
            memcmp(policy, at->policy, at->policy_bytes) == 0) {
            return at->name;
        }
    }
    return policy;
}

int plot_home_of(const char *policy)
{
    size_t length = strcspn(policy, ":");
    int row = 0;
    for (; og_policy_row_at((size_t)row) != NULL; row++) {
        const char *name = og_policy_row_at((size_t)row)->name;
        if (strlen(name) == length && strncmp(name, policy, length) == 0) {
            break;
        }
    }
    return row;
}

plot_curve *plot_curve_named(figure_panel *panel, const char *name, const char *kin,
                             curve_kind kind, int home)
{
    for (int32_t i = 0; i < panel->curve_count; i++) {
        if (strcmp(panel->curves[i].name, name) == 0) {
            return &panel->curves[i];
        }
    }
    return figure_curve(panel, name, kin, kind, home);
}

/* Exact and simulated values of a policy have the same kin. */
plot_curve *plot_curve_of(const plotting *plot, figure_panel *panel, const char *policy,
                          const char *ties, int64_t runs)
{
    char name[OG_POLICY_NAME_BYTES + FIGURE_TEXT_BYTES], kin[sizeof name], played[48] = "";
    int rule = 0;
    snprintf(kin, sizeof kin, "%s, ties %s", policy, ties);
    if (plot->many_runs && runs > 0) {
        snprintf(played, sizeof played, " (%" PRId64 " runs)", runs);
    }
    snprintf(name, sizeof name, "%s%s%s%s", plot_name_of(plot->request, policy),
             plot->many_ties ? ", ties " : "", plot->many_ties ? ties : "", played);
    while (rule < OG_TIES_COUNT && strcmp(ties, og_ties_name((og_ties)rule)) != 0) {
        rule++;
    }
    curve_kind kind = plot->many_runs ? CURVE_MARKS : CURVE_TRACE;
    return plot_curve_named(panel, name, kin, runs > 0 ? kind : CURVE_LINE,
                            plot_home_of(policy) + 3 * rule);
}

og_status plot_find_names(plotting *plot, const char *where)
{
    int64_t ties = 0, runs = 0;
    OG_TRY(plot_count_of(plot, "ties", where, &ties));
    OG_TRY(plot_count_of(plot, "runs", where, &runs));
    plot->many_ties = ties > 1;
    plot->many_runs = runs > 1;
    return OG_OK;
}

void plot_append(char words[FIGURE_TEXT_BYTES], const char *format, ...)
{
    size_t used = strlen(words);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words + used, FIGURE_TEXT_BYTES - used, format, arguments);
    va_end(arguments);
}

og_status plot_say_ties_and_runs(const plotting *plot, const char *where,
                                 char words[FIGURE_TEXT_BYTES])
{
    char rule[FIGURE_TEXT_BYTES] = "", runs[FIGURE_TEXT_BYTES] = "0";
    if (!plot->many_ties) {
        OG_TRY(plot_find_one(plot, "ties", "--ties", where, rule));
        plot_append(words, ", ties %s", rule);
    }
    if (!plot->many_runs) {
        OG_TRY(plot_find_one(plot, "runs", "another database", where, runs));
    }
    if (strcmp(runs, "0") != 0) {
        plot_append(words, ", %.20s runs", runs);
    }
    if (plot->many_runs || strcmp(runs, "0") != 0) {
        plot_append(words, plot->many_runs ? ", bars: 95 %%" : " (bars: 95 %%)");
    }
    return OG_OK;
}

og_status plot_json(const char *path, const plot_request *request, plot_maker *maker,
                    plot_figure *out, og_message *message)
{
    json_error_t error;
    plot_figure made = {.panel_count = 0};
    json_t *document = json_load_file(path, 0, &error);
    if (document == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "'%.300s' cannot be read as JSON: %.120s",
                              path, error.text);
    }
    og_status status = maker(document, request, path, &made, message);
    json_decref(document);
    if (status != OG_OK) {
        figure_clear(&made);
        return status;
    }
    if (request->title != NULL) {
        snprintf(made.title, sizeof made.title, "%s", request->title);
    }
    *out = made;
    return OG_OK;
}
