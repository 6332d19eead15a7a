/*
 * From a study to figures. Every figure is one query on the view `result` (bench/study/study_db.h),
 * whose rows become curves by their names.
 */
#include "tools/figure/plots.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/arm/arm.h"
#include "heuristics/policy.h"
#include "tools/show/memory.h"

const plot_info plot_infos[PLOT_KINDS] = {
    [PLOT_GAP_BUDGET] = {"gap-budget", "gap against the number of labels"},
    [PLOT_GAP_INSTANCES] = {"gap-instances", "gap against the number of instances"},
    [PLOT_VALUE] = {"value", "value against the number of labels, with optimum and bounds"},
    [PLOT_SPENT] = {"spent", "labels per instance against its soft label (--truth list:...)"},
    [PLOT_INDEX] = {"index", "the policies' indices against the posterior and the labels left"},
};

enum { SQL_BYTES = 512, LIST_BYTES = 200 };

/* -- Queries ---------------------------------------------------------------------------------- */

static og_status study_failed(og_study_db *db, og_message *message)
{
    return og_message_set(message, OG_FAILED, "the study cannot be read: %s",
                          sqlite3_errmsg(og_study_db_handle(db)));
}

/* " AND COLUMN IN (1,2)"; `at` counts the words. */
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

/* What a figure is made from. */
typedef struct {
    og_study_db *db;
    const plot_request *request;
    const char *condition;
    figure *out;
    og_message *message;
    bool many_ties; /* so that names must say the rule */
    bool many_runs; /* exact values and played ones */
} plotting;

/* The rows that a query gives; the first failure is kept. */
typedef struct {
    const plotting *of;
    sqlite3_stmt *at;
    og_status status;
} answers;

/* `format` with "%s" where the condition goes. */
static answers ask(const plotting *of, const char *format)
{
    answers rows = {.of = of};
    char *sql = sqlite3_mprintf(format, of->condition);
    sqlite3 *db = og_study_db_handle(of->db);
    if (sql == NULL || sqlite3_prepare_v2(db, sql, -1, &rows.at, NULL) != SQLITE_OK) {
        rows.status = study_failed(of->db, of->message);
    }
    sqlite3_free(sql);
    return rows;
}

static bool next(answers *rows)
{
    int code = rows->status == OG_OK ? sqlite3_step(rows->at) : SQLITE_DONE;
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        rows->status = study_failed(rows->of->db, rows->of->message);
    }
    return code == SQLITE_ROW;
}

static og_status done(answers *rows)
{
    sqlite3_finalize(rows->at);
    return rows->status;
}

static double real_at(const answers *rows, int column)
{
    bool none = sqlite3_column_type(rows->at, column) == SQLITE_NULL;
    return none ? NAN : sqlite3_column_double(rows->at, column);
}

static int64_t whole_at(const answers *rows, int column)
{
    return sqlite3_column_int64(rows->at, column);
}

static const char *text_at(const answers *rows, int column)
{
    const char *text = (const char *)sqlite3_column_text(rows->at, column);
    return text != NULL ? text : "";
}

/* The one value of a column; refuses none and several. `where`: more of the condition. */
static og_status find_one(const plotting *of, const char *column, const char *option,
                          const char *where, char value[FIGURE_TEXT_BYTES])
{
    char sql[SQL_BYTES];
    char list[LIST_BYTES] = "";
    int64_t count = 0;
    snprintf(sql, sizeof sql,
             "SELECT DISTINCT %s FROM result WHERE policy IS NOT NULL %s %%s "
             "ORDER BY %s",
             column, where, column);
    answers rows = ask(of, sql);
    while (next(&rows)) {
        size_t used = strlen(list);
        snprintf(value, FIGURE_TEXT_BYTES, "%s", text_at(&rows, 0));
        snprintf(list + used, sizeof list - used, "%s%.60s", count++ > 0 ? " " : "", value);
    }
    OG_TRY(done(&rows));
    if (count == 0) {
        return og_message_set(of->message, OG_BAD_INPUT,
                              "the study has nothing of that kind for '%s'",
                              plot_infos[of->request->kind].name);
    }
    if (count > 1) {
        return og_message_set(of->message, OG_BAD_INPUT,
                              "the figure '%s' shows one of several: choose by %s among %s",
                              plot_infos[of->request->kind].name, option, list);
    }
    return OG_OK;
}

static og_status count_of(const plotting *of, const char *what, const char *where, int64_t *out)
{
    char sql[SQL_BYTES];
    snprintf(sql, sizeof sql,
             "SELECT count(DISTINCT %s) FROM result WHERE policy IS NOT NULL %s "
             "%%s",
             what, where);
    answers rows = ask(of, sql);
    *out = next(&rows) ? whole_at(&rows, 0) : 0;
    return done(&rows);
}

/* -- Curves ----------------------------------------------------------------------------------- */

/* A policy looks the same in all figures: its place in the registry. */
static int style_of(const char *policy)
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

/* The curve of that name, which is made where there is none yet. */
static curve *curve_named(figure_panel *panel, const char *name, curve_kind kind, int style)
{
    for (int32_t i = 0; i < panel->curve_count; i++) {
        if (strcmp(panel->curves[i].name, name) == 0) {
            return &panel->curves[i];
        }
    }
    return figure_curve(panel, name, kind, style);
}

static curve *curve_of(const plotting *of, figure_panel *panel, const char *policy,
                       const char *ties, int64_t runs)
{
    char name[FIGURE_TEXT_BYTES];
    static const char *const rules[] = {"random", "first", "best", "worst"};
    int style = style_of(policy);
    snprintf(name, sizeof name, "%.120s%s%s%s", policy, of->many_ties ? ", ties " : "",
             of->many_ties ? ties : "", of->many_runs && runs > 0 ? " (played)" : "");
    for (int i = 0; of->many_ties && i < OG_TIES_COUNT; i++) {
        style += strcmp(ties, rules[i]) == 0 ? 3 * i : 0;
    }
    curve_kind played = of->many_runs ? CURVE_MARKS : CURVE_TRACE;
    return curve_named(panel, name, runs > 0 ? played : CURVE_LINE, style);
}

static og_status find_names(plotting *of, const char *where)
{
    int64_t ties = 0, runs = 0;
    OG_TRY(count_of(of, "ties", where, &ties));
    OG_TRY(count_of(of, "runs", where, &runs));
    of->many_ties = ties > 1;
    of->many_runs = runs > 1;
    return OG_OK;
}

/* The rule of ties where there is one, for the subtitle. */
static og_status say_ties(const plotting *of, char words[FIGURE_TEXT_BYTES])
{
    char rule[FIGURE_TEXT_BYTES] = "";
    og_status status = of->many_ties ? OG_OK : find_one(of, "ties", "--ties", "", rule);
    size_t used = strlen(words);
    if (status == OG_OK && !of->many_ties) {
        snprintf(words + used, FIGURE_TEXT_BYTES - used, ", ties %s", rule);
    }
    return status;
}

/* -- Gaps ------------------------------------------------------------------------------------- */

/* Columns: x, policy, ties, runs, gap, gap_low, gap_high. */
static og_status add_gaps(plotting *of, const char *x)
{
    figure_panel *panel = &of->out->panels[0];
    char sql[SQL_BYTES];
    snprintf(sql, sizeof sql,
             "SELECT %s, policy, ties, runs, gap, gap_low, gap_high FROM result "
             "WHERE gap IS NOT NULL %%s ORDER BY policy, ties, runs, %s",
             x, x);
    answers rows = ask(of, sql);
    while (next(&rows)) {
        curve *to = curve_of(of, panel, text_at(&rows, 1), text_at(&rows, 2), whole_at(&rows, 3));
        double gap = real_at(&rows, 4);
        bool shown = !of->request->logarithmic || gap > 0;
        curve_add(to, real_at(&rows, 0), shown ? gap : NAN, shown ? real_at(&rows, 5) : NAN,
                  shown ? real_at(&rows, 6) : NAN);
    }
    return done(&rows);
}

static og_status make_gaps(plotting *of, bool by_budget)
{
    char prior[FIGURE_TEXT_BYTES], other[FIGURE_TEXT_BYTES];
    figure *out = of->out;
    static const char where[] = "AND gap IS NOT NULL";
    OG_TRY(find_one(of, "prior", "--prior", where, prior));
    OG_TRY(by_budget ? find_one(of, "instances", "--instances", where, other)
                     : find_one(of, "budget", "--budget", where, other));
    OG_TRY(find_names(of, where));
    figure_panel *panel = &out->panels[0];
    out->panel_count = 1;
    panel->from_zero = true;
    panel->logarithmic = of->request->logarithmic;
    snprintf(out->title, sizeof out->title, "What policies lose against the optimum");
    snprintf(out->subtitle, sizeof out->subtitle,
             by_budget ? "%.40s instances, prior %.100s" : "%.40s labels, prior %.100s", other,
             prior);
    snprintf(panel->x_label, sizeof panel->x_label, by_budget ? "labels (T)" : "instances (K)");
    snprintf(panel->y_label, sizeof panel->y_label, "gap (expected correct calls)%s",
             panel->logarithmic ? ", zeros left out" : "");
    OG_TRY(say_ties(of, out->subtitle));
    return add_gaps(of, by_budget ? "budget" : "instances");
}

/* -- Values ----------------------------------------------------------------------------------- */

static const char optimum_name[] = "optimum", band_name[] = "upper bound";

/* Optimum and bounds, where the truth is as the priors say. */
static og_status add_optimum(plotting *of)
{
    figure_panel *panel = &of->out->panels[0];
    figure_curve(panel, band_name, CURVE_BAND, 0);
    figure_curve(panel, optimum_name, CURVE_HEAVY, 0);
    answers rows =
        ask(of, "SELECT budget, max(optimal_value), coalesce(max(lower), max(value)),"
                " min(min(coalesce(lagrangian_scalar, 9e99), coalesce(lagrangian_vector, 9e99),"
                " coalesce(prevailing_charge, 9e99))) FROM result"
                " WHERE policy IS NOT NULL AND truth = 'prior' %s GROUP BY budget ORDER BY budget");
    while (next(&rows)) {
        double x = real_at(&rows, 0), optimum = real_at(&rows, 1), bound = real_at(&rows, 3);
        double low = isnan(optimum) ? real_at(&rows, 2) : optimum;
        if (bound < 9e98 && !isnan(low)) {
            curve_add(&panel->curves[0], x, low, low, bound);
        }
        curve_add(&panel->curves[1], x, optimum, optimum, optimum);
    }
    return done(&rows);
}

static og_status add_values(plotting *of)
{
    figure_panel *panel = &of->out->panels[0];
    answers rows =
        ask(of, "SELECT budget, policy, ties, runs, iif(truth = 'prior', value, correct),"
                " iif(truth = 'prior', low, correct_low), iif(truth = 'prior', high, correct_high)"
                " FROM result WHERE status = 'ok' %s ORDER BY policy, ties, runs, budget");
    while (next(&rows)) {
        curve *to = curve_of(of, panel, text_at(&rows, 1), text_at(&rows, 2), whole_at(&rows, 3));
        curve_add(to, real_at(&rows, 0), real_at(&rows, 4), real_at(&rows, 5), real_at(&rows, 6));
    }
    return done(&rows);
}

static og_status make_value(plotting *of)
{
    char prior[FIGURE_TEXT_BYTES], instances[FIGURE_TEXT_BYTES], truth[FIGURE_TEXT_BYTES];
    figure *out = of->out;
    OG_TRY(find_one(of, "prior", "--prior", "", prior));
    OG_TRY(find_one(of, "instances", "--instances", "", instances));
    OG_TRY(find_one(of, "truth", "another database", "", truth));
    OG_TRY(find_names(of, ""));
    bool as_prior = strcmp(truth, "prior") == 0;
    if (strncmp(truth, "list:", 5) == 0) {
        snprintf(truth, sizeof truth, "a list");
    }
    figure_panel *panel = &out->panels[0];
    out->panel_count = 1;
    snprintf(out->title, sizeof out->title, "What policies are worth");
    snprintf(out->subtitle, sizeof out->subtitle, "%.40s instances, prior %.100s%s%.40s", instances,
             prior, as_prior ? "" : ", truth ", as_prior ? "" : truth);
    snprintf(panel->x_label, sizeof panel->x_label, "labels (T)");
    snprintf(panel->y_label, sizeof panel->y_label, "%scorrect calls, of %.40s",
             as_prior ? "expected " : "", instances);
    OG_TRY(say_ties(of, out->subtitle));
    if (as_prior) {
        OG_TRY(add_optimum(of));
    }
    return add_values(of);
}

/* -- Labels spent ----------------------------------------------------------------------------- */

static og_status add_spent(plotting *of, bool many_budgets, bool many_policies)
{
    figure_panel *panel = &of->out->panels[0];
    int64_t budget = -1;
    int style = -1;
    answers rows =
        ask(of, "SELECT s.soft, s.labels, r.policy, r.ties, r.budget FROM (SELECT * FROM result"
                " WHERE truth LIKE 'list:%%' %s) r"
                " JOIN cell c ON c.prior = r.prior AND c.instances = r.instances"
                " AND c.budget = r.budget AND c.runs = r.runs AND c.seed = r.seed"
                " AND c.truth = r.truth JOIN spent s ON s.cell = c.id AND s.policy = r.policy"
                " AND s.ties = r.ties ORDER BY r.budget, r.policy, r.ties, s.soft, s.instance");
    while (next(&rows)) {
        char name[FIGURE_TEXT_BYTES] = "";
        int64_t now = whole_at(&rows, 4);
        style += now != budget;
        budget = now;
        if (many_policies || !many_budgets) {
            snprintf(name, sizeof name, "%.100s", text_at(&rows, 2));
        }
        if (of->many_ties) {
            size_t used = strlen(name);
            snprintf(name + used, sizeof name - used, " %s", text_at(&rows, 3));
        }
        if (many_budgets) {
            size_t used = strlen(name);
            snprintf(name + used, sizeof name - used, "%s%" PRId64 " labels", used > 0 ? ", " : "",
                     now);
        }
        curve *to = curve_named(panel, name, CURVE_LINE,
                                many_budgets ? style : style_of(text_at(&rows, 2)));
        double labels = real_at(&rows, 1);
        curve_add(to, real_at(&rows, 0), labels, labels, labels);
    }
    return done(&rows);
}

static og_status make_spent(plotting *of)
{
    char prior[FIGURE_TEXT_BYTES], instances[FIGURE_TEXT_BYTES], runs[FIGURE_TEXT_BYTES];
    char truth[FIGURE_TEXT_BYTES], policy[FIGURE_TEXT_BYTES] = "";
    int64_t budgets = 0, policies = 0;
    figure *out = of->out;
    static const char where[] = "AND truth LIKE 'list:%%'";
    OG_TRY(find_one(of, "prior", "--prior", where, prior));
    OG_TRY(find_one(of, "instances", "--instances", where, instances));
    OG_TRY(find_one(of, "truth", "another database", where, truth));
    OG_TRY(find_one(of, "runs", "another database", where, runs));
    OG_TRY(find_names(of, where));
    OG_TRY(count_of(of, "budget", where, &budgets));
    OG_TRY(count_of(of, "policy", where, &policies));
    if (policies == 1) {
        OG_TRY(find_one(of, "policy", "--policies", where, policy));
    }
    figure_panel *panel = &out->panels[0];
    out->panel_count = 1;
    panel->logarithmic = of->request->logarithmic;
    panel->from_zero = true;
    snprintf(out->title, sizeof out->title, "Where the labels go%s%.100s",
             policies == 1 ? ": " : "", policy);
    snprintf(out->subtitle, sizeof out->subtitle,
             "%.40s instances, prior %.100s, mean of %.20s runs", instances, prior, runs);
    snprintf(panel->x_label, sizeof panel->x_label, "soft label (chance of a positive label)");
    snprintf(panel->y_label, sizeof panel->y_label, "labels per instance");
    return add_spent(of, budgets > 1, policies > 1);
}

/* -- Indices ---------------------------------------------------------------------------------- */

enum { LEVEL_MOST = 12 };

/* Against the posterior's mean after `level` labels, and against the labels left for a fresh one.
 */
static void add_index(figure *out, const char *policy, const og_groups *problem,
                      const og_arms *arms, const og_index *index, int32_t level)
{
    const og_arm *arm = arms->arm[0];
    const og_group *group = &problem->groups[0];
    double a = og_fraction_double(group->a), b = og_fraction_double(group->b);
    int32_t budget = problem->budget;
    curve *by_mean = figure_curve(&out->panels[0], policy, CURVE_LINE, style_of(policy));
    for (int32_t s = 0; s <= level; s++) {
        double value = og_index_of(index, 0, budget - level)[arm->level[level] + (uint32_t)s];
        curve_add(by_mean, (a + s) / (a + b + level), value, value, value);
    }
    curve *by_left = figure_curve(&out->panels[1], policy, CURVE_LINE, style_of(policy));
    for (int32_t left = 1; left < budget; left++) {
        double value = og_index_of(index, 0, left)[arm->level[1] + 1];
        curve_add(by_left, left, value, value, value);
    }
}

/* uniform has no index, and that of lagrangian is the whole problem's, not the instance's. */
static og_status add_indices(plotting *of, const og_groups *problem, int32_t level)
{
    og_arms *arms = NULL;
    OG_TRY(og_arms_new(problem, 1, UINT64_C(1) << 32, &arms, of->message));
    answers rows = ask(of, "SELECT DISTINCT policy FROM result WHERE policy IS NOT NULL"
                           " AND policy NOT IN ('uniform', 'lagrangian') %s ORDER BY policy");
    while (next(&rows)) {
        og_policy_name policy;
        og_index *index = NULL;
        rows.status = og_policy_name_parse(text_at(&rows, 0), &policy, of->message);
        if (rows.status == OG_OK) {
            rows.status =
                og_policy_name_index(&policy, arms, problem->budget, 1, &index, of->message);
        }
        if (rows.status == OG_OK) {
            add_index(of->out, policy.name, problem, arms, index, level);
        }
        og_index_free(index);
    }
    og_arms_free(arms);
    return done(&rows);
}

static og_status make_index(plotting *of)
{
    char prior[FIGURE_TEXT_BYTES];
    og_groups problem;
    figure *out = of->out;
    OG_TRY(find_one(of, "prior", "--prior", "", prior));
    answers rows = ask(of, "SELECT max(budget) FROM result WHERE policy IS NOT NULL %s");
    int64_t budget = next(&rows) ? whole_at(&rows, 0) : 0;
    OG_TRY(done(&rows));
    OG_TRY(og_study_problem(prior, 1, budget, &problem, of->message));
    if (budget < 2 || problem.groups[0].kind != OG_PRIOR_BETA) {
        og_groups_clear(&problem);
        return og_message_set(of->message, OG_BAD_INPUT,
                              "index curves need a Beta prior and two labels at least");
    }
    int32_t level = (int32_t)(budget / 2 < LEVEL_MOST ? budget / 2 : LEVEL_MOST);
    out->panel_count = 2;
    out->panels[0].from_zero = out->panels[1].from_zero = true;
    snprintf(out->title, sizeof out->title, "What policies find worth a label");
    snprintf(out->subtitle, sizeof out->subtitle, "prior %.100s, %" PRId64 " labels in all", prior,
             budget);
    snprintf(out->panels[0].x_label, FIGURE_TEXT_BYTES,
             "posterior mean after %" PRId32 " labels (%" PRId64 " are left)", level,
             budget - level);
    snprintf(out->panels[1].x_label, FIGURE_TEXT_BYTES, "labels left (after one label, positive)");
    for (int i = 0; i < 2; i++) {
        snprintf(out->panels[i].y_label, FIGURE_TEXT_BYTES, "index (correct calls per label)");
    }
    og_status status = add_indices(of, &problem, level);
    og_groups_clear(&problem);
    return status;
}

og_status plot_make(og_study_db *db, const plot_request *request, figure *out, og_message *message)
{
    figure made = {.panel_count = 0};
    char *condition = plot_condition(request->only);
    if (condition == NULL) {
        /* No list at all: sqlite3_str_finish has nothing to return then. */
        condition = sqlite3_mprintf("%s", "");
    }
    plotting of = {.db = db,
                   .request = request,
                   .condition = condition != NULL ? condition : "",
                   .out = &made,
                   .message = message};
    og_status status = request->kind == PLOT_VALUE   ? make_value(&of)
                       : request->kind == PLOT_SPENT ? make_spent(&of)
                       : request->kind == PLOT_INDEX
                           ? make_index(&of)
                           : make_gaps(&of, request->kind == PLOT_GAP_BUDGET);
    sqlite3_free(condition);
    if (status != OG_OK) {
        figure_clear(&made);
        return status;
    }
    *out = made;
    return OG_OK;
}
