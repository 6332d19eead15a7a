/*
 * Makes figures from a study. Each figure is one query of the view `result`
 * (bench/study/study_db.h), whose rows become curves according to their names.
 */
#include "tools/plot/plots.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dp/arm/arm.h"
#include "heuristics/policy.h"
#include "tools/plot/plotting.h"

const plot_info plot_infos[PLOT_KINDS] = {
    [PLOT_GAP_BUDGET] = {"gap-budget", "gap against the number of labels"},
    [PLOT_GAP_INSTANCES] = {"gap-instances", "gap against the number of instances"},
    [PLOT_VALUE] = {"value", "value against the number of labels, with optimum and bounds"},
    [PLOT_SPENT] = {"spent", "labels per instance against its soft label (--truth list:...)"},
    [PLOT_CORRECT_TRUTH] = {"correct-truth",
                            "correct decisions against the truth (--truth grid:...)"},
    [PLOT_WRONG_TRUTH] = {"wrong-truth", "chance of a wrong decision against the truth"},
    [PLOT_REGRET_BELIEF] = {"regret-belief", "the regret of wrong priors as a map (--assume)"},
    [PLOT_INDEX_MAP] = {"index-map", "an index over a and b as a map (index --json)"},
    [PLOT_PAIRS] = {"pairs", "comparisons of each pair of items (simulate --counts --json)"},
    [PLOT_INDEX] = {"index", "the policies' indices against the posterior and the labels left"},
};

const char *const plot_axis_names[PLOT_AXES] = {"gap", "gap-percent", "gain-lost"};

enum { SQL_BYTES = 1024 };

/* Makes the title: "with 3 instances", with the name of the policy if there is only one. */
static og_status make_title(const plotting *plot, const char *where, const char *one,
                            const char *many, const char *count, const char *what)
{
    int64_t policies = 0;
    char policy[FIGURE_TEXT_BYTES] = "";
    OG_TRY(plot_count_of(plot, "policy", where, &policies));
    if (policies == 1) {
        OG_TRY(plot_find_one(plot, "policy", "--policies", where, policy));
    }
    snprintf(plot->out->title, sizeof plot->out->title, "What %.80s %s with %.20s %s%s",
             policies == 1 ? plot_name_of(plot->request, policy) : "policies",
             policies == 1 ? one : many, count, what, strcmp(count, "1") == 0 ? "" : "s");
    return OG_OK;
}

/* -- Notes ------------------------------------------------------------------------------------ */

/* Adds notes about policies without a point. The query's rows: policy, reason, first and last x,
 * number; policies of one note follow each other. */
static og_status note_missing(plotting *plot, const char *what, const char *sql)
{
    char names[FIGURE_TEXT_BYTES] = "", where[4 * FIGURE_TEXT_BYTES] = "";
    answers rows = plot_ask(plot, sql);
    for (bool more = true; more;) {
        char now[sizeof where] = "";
        more = plot_next(&rows);
        if (more && plot_whole(&rows, 4) > 1) {
            snprintf(now, sizeof now, " from %" PRId64 " to %" PRId64 ": %s.", plot_whole(&rows, 2),
                     plot_whole(&rows, 3), plot_text(&rows, 1));
        } else if (more) {
            snprintf(now, sizeof now, " at %" PRId64 ": %s.", plot_whole(&rows, 2),
                     plot_text(&rows, 1));
        }
        if (names[0] != '\0' && strcmp(now, where) != 0) {
            figure_note(plot->out, "No %s of %s%s", what, names, where);
            names[0] = '\0';
        }
        if (more) {
            plot_append(names, "%s%.100s", names[0] != '\0' ? ", " : "",
                        plot_name_of(plot->request, plot_text(&rows, 0)));
        }
        memcpy(where, now, sizeof where);
    }
    return plot_done(&rows);
}

/* Joins simulated values with a line, except where the policy has exact ones. */
static void join_marks(figure_panel *panel)
{
    for (int32_t i = 0; i < panel->curve_count; i++) {
        bool lined = panel->curves[i].kind != CURVE_MARKS;
        for (int32_t j = 0; j < panel->curve_count && !lined; j++) {
            const plot_curve *other = &panel->curves[j];
            lined = other->kind == CURVE_LINE && !curve_is_dot(other) &&
                    strcmp(other->kin, panel->curves[i].kin) == 0;
        }
        panel->curves[i].kind = lined ? panel->curves[i].kind : CURVE_TRACE;
    }
}

static bool is_line(const plot_curve *curve)
{
    return curve_is_drawn(curve) && !curve_is_dot(curve) &&
           (curve->kind == CURVE_LINE || curve->kind == CURVE_TRACE);
}

static double first_x(const plot_curve *curve)
{
    return curve->points[0].x;
}

static double last_x(const plot_curve *curve)
{
    return curve->points[curve->count - 1].x;
}

/* Adds notes about curves that end early, one note for those that end alike. */
static void note_ends(plot_figure *figure)
{
    const figure_panel *panel = &figure->panels[0];
    double first = INFINITY, last = -INFINITY;
    for (int32_t i = 0; i < panel->curve_count; i++) {
        if (is_line(&panel->curves[i])) {
            first = fmin(first, first_x(&panel->curves[i]));
            last = fmax(last, last_x(&panel->curves[i]));
        }
    }
    for (int32_t i = 0; i < panel->curve_count; i++) {
        char names[FIGURE_TEXT_BYTES] = "";
        const plot_curve *at = &panel->curves[i];
        bool told = !is_line(at) || (first_x(at) == first && last_x(at) == last);
        for (int32_t j = 0; j < panel->curve_count && !told; j++) {
            const plot_curve *other = &panel->curves[j];
            if (is_line(other) && first_x(other) == first_x(at) && last_x(other) == last_x(at)) {
                told = j < i;
                plot_append(names, "%s%.100s", names[0] != '\0' ? ", " : "", other->name);
            }
        }
        if (!told) {
            figure_note(figure, "In the study from %g to %g only: %s.", first_x(at), last_x(at),
                        names);
        }
    }
}

/* -- Gaps ------------------------------------------------------------------------------------- */

const plot_unit plot_units[PLOT_AXES] = {
    [PLOT_AXIS_GAP] = {"1.0", "gap (expected correct calls)"},
    [PLOT_AXIS_PERCENT] = {"(100 / optimal_value)", "gap (% of the optimum)"},
    [PLOT_AXIS_GAIN_LOST] = {"CASE WHEN optimal_gain > 0 THEN 100 / optimal_gain"
                             " WHEN optimal_gain = 0 THEN 0.0 END",
                             "gain lost (% of the optimal)"},
};

/* Columns: x, policy, ties, runs, gap, gap_low, gap_high. Rows without a gap break the line. */
static og_status add_gaps(plotting *plot, const char *x)
{
    figure_panel *panel = &plot->out->panels[0];
    char sql[SQL_BYTES];
    bool zeros = false;
    snprintf(sql, sizeof sql,
             "SELECT %s, policy, ties, runs, gap * f, gap_low * f, gap_high * f FROM"
             " (SELECT *, %s AS f FROM result WHERE policy IS NOT NULL %%s)"
             " ORDER BY policy, ties, runs, %s",
             x, plot_units[plot->request->axis].factor, x);
    answers rows = plot_ask(plot, sql);
    while (plot_next(&rows)) {
        plot_curve *to = plot_curve_of(plot, panel, plot_text(&rows, 1), plot_text(&rows, 2),
                                       plot_whole(&rows, 3));
        curve_add(to, plot_real(&rows, 0), plot_real(&rows, 4), plot_real(&rows, 5),
                  plot_real(&rows, 6));
        zeros = zeros || plot_real(&rows, 4) == 0;
    }
    if (plot->request->logarithmic && zeros) {
        figure_note(plot->out, "Points on the lowest line, 0: no gap, within the proved errors.");
    }
    OG_TRY(plot_done(&rows));
    snprintf(sql, sizeof sql,
             "SELECT policy, why, min(x), max(x), count(DISTINCT x) FROM (SELECT policy, %s AS x,"
             " CASE WHEN status = 'limit' THEN coalesce(reason, 'a limit was reached')"
             " WHEN truth <> 'prior' THEN 'played with another truth'"
             " WHEN cell_status = 'limit' THEN 'the optimum: ' || coalesce(cell_reason, 'a limit')"
             " ELSE 'the study has no optimum there' END AS why"
             " FROM result WHERE policy IS NOT NULL AND gap IS NULL %%s)"
             " GROUP BY policy, why ORDER BY why, min(x), max(x), count(DISTINCT x), policy",
             x);
    OG_TRY(note_missing(plot, "gap", sql));
    join_marks(&plot->out->panels[0]);
    note_ends(plot->out);
    return OG_OK;
}

static og_status make_gaps(plotting *plot, bool by_budget)
{
    char prior[FIGURE_TEXT_BYTES], other[FIGURE_TEXT_BYTES];
    plot_figure *out = plot->out;
    static const char where[] = "AND gap IS NOT NULL";
    OG_TRY(plot_find_one(plot, "prior", "--prior", where, prior));
    OG_TRY(by_budget ? plot_find_one(plot, "instances", "--instances", where, other)
                     : plot_find_one(plot, "budget", "--budget", where, other));
    OG_TRY(plot_find_names(plot, where));
    OG_TRY(make_title(plot, where, "loses", "lose", other, by_budget ? "instance" : "label"));
    figure_panel *panel = &out->panels[0];
    out->panel_count = 1;
    panel->from_zero = panel->whole_x = true;
    panel->logarithmic = plot->request->logarithmic;
    snprintf(out->subtitle, sizeof out->subtitle, "against the optimum, prior %.100s", prior);
    snprintf(panel->x_label, sizeof panel->x_label, by_budget ? "labels (T)" : "instances (K)");
    snprintf(panel->y_label, sizeof panel->y_label, "%s", plot_units[plot->request->axis].label);
    OG_TRY(plot_say_ties_and_runs(plot, where, out->subtitle));
    return add_gaps(plot, by_budget ? "budget" : "instances");
}

/* -- Values ----------------------------------------------------------------------------------- */

static const char optimum_name[] = "optimum", band_name[] = "upper bound";

/* Adds the optimum and the bounds, for labels that follow the prior. */
static og_status add_optimum(plotting *plot)
{
    figure_panel *panel = &plot->out->panels[0];
    figure_curve(panel, band_name, band_name, CURVE_BAND, 0);
    figure_curve(panel, optimum_name, optimum_name, CURVE_HEAVY, 0);
    answers rows = plot_ask(
        plot, "SELECT budget, max(optimal_value), coalesce(max(lower), max(value)),"
              " min(min(coalesce(lagrangian_scalar, 9e99), coalesce(lagrangian_vector, 9e99),"
              " coalesce(prevailing_charge, 9e99))) FROM result"
              " WHERE policy IS NOT NULL AND truth = 'prior' %s GROUP BY budget ORDER BY budget");
    while (plot_next(&rows)) {
        double x = plot_real(&rows, 0), optimum = plot_real(&rows, 1), bound = plot_real(&rows, 3);
        double low = isnan(optimum) ? plot_real(&rows, 2) : optimum;
        if (bound < 9e98 && !isnan(low)) {
            curve_add(&panel->curves[0], x, low, low, bound);
        }
        curve_add(&panel->curves[1], x, optimum, optimum, optimum);
    }
    OG_TRY(plot_done(&rows));
    return curve_is_drawn(&panel->curves[1])
               ? note_missing(plot, "value",
                              "SELECT 'the optimum', coalesce(cell_reason, 'not computed'),"
                              " min(budget), max(budget), count(*) FROM (SELECT budget,"
                              " max(cell_reason) AS cell_reason FROM result WHERE policy IS NOT"
                              " NULL AND truth = 'prior' %s GROUP BY budget"
                              " HAVING max(optimal_value) IS NULL) HAVING count(*) > 0")
               : OG_OK;
}

static og_status add_values(plotting *plot)
{
    figure_panel *panel = &plot->out->panels[0];
    answers rows = plot_ask(
        plot, "SELECT budget, policy, ties, runs, iif(truth = 'prior', value, correct),"
              " iif(truth = 'prior', low, correct_low), iif(truth = 'prior', high, correct_high)"
              " FROM result WHERE policy IS NOT NULL %s ORDER BY policy, ties, runs, budget");
    while (plot_next(&rows)) {
        plot_curve *to = plot_curve_of(plot, panel, plot_text(&rows, 1), plot_text(&rows, 2),
                                       plot_whole(&rows, 3));
        curve_add(to, plot_real(&rows, 0), plot_real(&rows, 4), plot_real(&rows, 5),
                  plot_real(&rows, 6));
    }
    OG_TRY(plot_done(&rows));
    OG_TRY(note_missing(plot, "value",
                        "SELECT policy, coalesce(reason, 'a limit was reached') AS why,"
                        " min(budget), max(budget), count(DISTINCT budget) FROM result"
                        " WHERE status = 'limit' %s GROUP BY policy, why"
                        " ORDER BY why, min(budget), max(budget), count(DISTINCT budget), policy"));
    join_marks(&plot->out->panels[0]);
    note_ends(plot->out);
    return OG_OK;
}

static og_status make_value(plotting *plot)
{
    char prior[FIGURE_TEXT_BYTES], instances[FIGURE_TEXT_BYTES], truth[FIGURE_TEXT_BYTES];
    plot_figure *out = plot->out;
    OG_TRY(plot_find_one(plot, "prior", "--prior", "", prior));
    OG_TRY(plot_find_one(plot, "instances", "--instances", "", instances));
    OG_TRY(plot_find_one(plot, "truth", "another database", "", truth));
    OG_TRY(plot_find_names(plot, ""));
    bool as_prior = strcmp(truth, "prior") == 0;
    if (strncmp(truth, "list:", 5) == 0) {
        snprintf(truth, sizeof truth, "a list");
    }
    figure_panel *panel = &out->panels[0];
    out->panel_count = 1;
    OG_TRY(make_title(plot, "", "is worth", "are worth", instances, "instance"));
    snprintf(out->subtitle, sizeof out->subtitle, "prior %.100s%s%.40s", prior,
             as_prior ? "" : ", truth ", as_prior ? "" : truth);
    snprintf(panel->x_label, sizeof panel->x_label, "labels (T)");
    snprintf(panel->y_label, sizeof panel->y_label, "%scorrect calls, of %.40s",
             as_prior ? "expected " : "", instances);
    panel->whole_x = true;
    OG_TRY(plot_say_ties_and_runs(plot, "", out->subtitle));
    if (as_prior) {
        OG_TRY(add_optimum(plot));
    }
    return add_values(plot);
}

/* -- Labels spent ----------------------------------------------------------------------------- */

static og_status add_spent(plotting *plot, bool many_budgets, bool many_policies)
{
    figure_panel *panel = &plot->out->panels[0];
    int64_t budget = -1;
    int budgets = -1;
    answers rows = plot_ask(
        plot, "SELECT s.soft, s.labels, r.policy, r.ties, r.budget FROM (SELECT * FROM result"
              " WHERE truth LIKE 'list:%%' %s) r"
              " JOIN cell c ON c.prior = r.prior AND c.instances = r.instances"
              " AND c.budget = r.budget AND c.runs = r.runs AND c.seed = r.seed"
              " AND c.truth = r.truth JOIN spent s ON s.cell = c.id AND s.policy = r.policy"
              " AND s.ties = r.ties ORDER BY r.budget, r.policy, r.ties, s.soft, s.instance");
    while (plot_next(&rows)) {
        char name[OG_POLICY_NAME_BYTES + FIGURE_TEXT_BYTES] = "";
        int used = 0;
        int64_t now = plot_whole(&rows, 4);
        budgets += now != budget;
        budget = now;
        if (many_policies || !many_budgets) {
            used =
                snprintf(name, sizeof name, "%s", plot_name_of(plot->request, plot_text(&rows, 2)));
        }
        if (plot->many_ties) {
            used += snprintf(name + used, sizeof name - (size_t)used, "%sties %s",
                             used > 0 ? ", " : "", plot_text(&rows, 3));
        }
        if (many_budgets) {
            snprintf(name + used, sizeof name - (size_t)used, "%s%" PRId64 " labels",
                     used > 0 ? ", " : "", now);
        }
        plot_curve *to =
            plot_curve_named(panel, name, name, CURVE_LINE,
                             (many_policies ? plot_home_of(plot_text(&rows, 2)) : 0) + budgets);
        double labels = plot_real(&rows, 1);
        curve_add(to, plot_real(&rows, 0), labels, labels, labels);
    }
    return plot_done(&rows);
}

static og_status make_spent(plotting *plot)
{
    char prior[FIGURE_TEXT_BYTES], instances[FIGURE_TEXT_BYTES], runs[FIGURE_TEXT_BYTES];
    char truth[FIGURE_TEXT_BYTES], policy[FIGURE_TEXT_BYTES] = "";
    int64_t budgets = 0, policies = 0;
    plot_figure *out = plot->out;
    static const char where[] = "AND truth LIKE 'list:%%'";
    OG_TRY(plot_find_one(plot, "prior", "--prior", where, prior));
    OG_TRY(plot_find_one(plot, "instances", "--instances", where, instances));
    OG_TRY(plot_find_one(plot, "truth", "another database", where, truth));
    OG_TRY(plot_find_one(plot, "runs", "another database", where, runs));
    OG_TRY(plot_find_names(plot, where));
    OG_TRY(plot_count_of(plot, "budget", where, &budgets));
    OG_TRY(plot_count_of(plot, "policy", where, &policies));
    if (policies == 1) {
        OG_TRY(plot_find_one(plot, "policy", "--policies", where, policy));
    }
    figure_panel *panel = &out->panels[0];
    out->panel_count = 1;
    panel->logarithmic = plot->request->logarithmic;
    panel->from_zero = true;
    snprintf(out->title, sizeof out->title, "Where the labels go%s%.100s",
             policies == 1 ? ": " : "", plot_name_of(plot->request, policy));
    snprintf(out->subtitle, sizeof out->subtitle,
             strcmp(runs, "0") == 0 ? "%.40s instances, prior %.100s, expected"
                                    : "%.40s instances, prior %.100s, mean of %.20s runs",
             instances, prior, runs);
    snprintf(panel->x_label, sizeof panel->x_label, "soft label (chance of a positive label)");
    snprintf(panel->y_label, sizeof panel->y_label, "labels per instance");
    return add_spent(plot, budgets > 1, policies > 1);
}

/* -- Indices ---------------------------------------------------------------------------------- */

enum { LEVEL_MOST = 12 };

/* Adds the index against the posterior's mean after `level` labels, and against the labels left for
 * an instance without labels. */
static void add_index(const plotting *plot, const char *policy, const og_groups *problem,
                      const og_arms *arms, const og_index *index, int32_t level)
{
    plot_figure *out = plot->out;
    const char *name = plot_name_of(plot->request, policy);
    int home = plot_home_of(policy);
    const og_arm *arm = arms->arm[0];
    const og_group *group = &problem->groups[0];
    double a = og_fraction_double(group->a), b = og_fraction_double(group->b);
    int32_t budget = problem->budget;
    plot_curve *by_mean = figure_curve(&out->panels[0], name, policy, CURVE_LINE, home);
    for (int32_t s = 0; s <= level; s++) {
        double value = og_index_of(index, 0, budget - level)[arm->level[level] + (uint32_t)s];
        curve_add(by_mean, (a + s) / (a + b + level), value, value, value);
    }
    plot_curve *by_left = figure_curve(&out->panels[1], name, policy, CURVE_LINE, home);
    for (int32_t left = 1; left < budget; left++) {
        double value = og_index_of(index, 0, left)[arm->level[1] + 1];
        curve_add(by_left, left, value, value, value);
    }
}

/* uniform has no index, and the index of lagrangian belongs to the whole problem. */
static og_status add_indices(plotting *plot, const og_groups *problem, int32_t level)
{
    const og_settings settings = {.threads = 1, .memory_bytes = UINT64_C(1) << 32};
    og_arms *arms = NULL;
    OG_TRY(og_arms_new(problem, &settings, &arms, plot->message));
    const og_policy_use use = {.whole_budget = problem->budget, .threads = 1};
    answers rows =
        plot_ask(plot, "SELECT DISTINCT policy FROM result WHERE policy IS NOT NULL"
                       " AND policy NOT IN ('uniform', 'lagrangian') %s ORDER BY policy");
    while (plot_next(&rows)) {
        og_policy_name policy;
        og_index *index = NULL;
        rows.status = og_policy_name_parse(plot_text(&rows, 0), &policy, plot->message);
        if (rows.status == OG_OK) {
            rows.status = og_policy_name_index(&policy, arms, &use, &index, plot->message);
        }
        if (rows.status == OG_OK) {
            add_index(plot, policy.name, problem, arms, index, level);
        }
        og_index_free(index);
    }
    og_arms_free(arms);
    return plot_done(&rows);
}

static og_status make_index(plotting *plot)
{
    char prior[FIGURE_TEXT_BYTES];
    og_groups problem;
    plot_figure *out = plot->out;
    OG_TRY(plot_find_one(plot, "prior", "--prior", "", prior));
    answers rows = plot_ask(plot, "SELECT max(budget) FROM result WHERE policy IS NOT NULL %s");
    int64_t budget = plot_next(&rows) ? plot_whole(&rows, 0) : 0;
    OG_TRY(plot_done(&rows));
    OG_TRY(og_study_problem(prior, 1, budget, &problem, plot->message));
    if (budget < 2 || problem.groups[0].kind != OG_PRIOR_BETA) {
        og_groups_clear(&problem);
        return og_message_set(plot->message, OG_BAD_INPUT,
                              "index curves need a Beta prior and two labels at least");
    }
    int32_t level = (int32_t)(budget / 2 < LEVEL_MOST ? budget / 2 : LEVEL_MOST);
    out->panel_count = 2;
    out->panels[0].from_zero = out->panels[1].from_zero = true;
    out->panels[1].whole_x = true;
    snprintf(out->title, sizeof out->title, "How policies rate an instance");
    snprintf(out->subtitle, sizeof out->subtitle,
             "highest first; prior %.100s, %" PRId64 " labels in all", prior, budget);
    snprintf(out->panels[0].x_label, FIGURE_TEXT_BYTES,
             "posterior mean after %" PRId32 " labels, %" PRId64 " left", level, budget - level);
    snprintf(out->panels[1].x_label, FIGURE_TEXT_BYTES, "labels left, after one positive label");
    for (int i = 0; i < 2; i++) {
        snprintf(out->panels[i].y_label, FIGURE_TEXT_BYTES, "index (correct calls per label)");
    }
    og_status status = add_indices(plot, &problem, level);
    og_groups_clear(&problem);
    return status;
}

/* Refuses a name for a policy that the study does not contain. */
static og_status check_names(const plotting *plot)
{
    for (int32_t i = 0; i < plot->request->name_count; i++) {
        const plot_name *at = &plot->request->names[i];
        char *where = sqlite3_mprintf("AND policy = '%.*q'", (int)at->policy_bytes, at->policy);
        plotting all = *plot;
        int64_t found = 0;
        all.condition = where != NULL ? where : "";
        og_status status = plot_count_of(&all, "policy", "", &found);
        sqlite3_free(where);
        if (status == OG_OK && found == 0) {
            status = og_message_set(
                plot->message, OG_BAD_INPUT, "--name must be for a policy of the study, not '%.*s'",
                (int)(at->policy_bytes < 100 ? at->policy_bytes : 100), at->policy);
        }
        OG_TRY(status);
    }
    return OG_OK;
}

static og_status make(plotting *plot)
{
    OG_TRY(check_names(plot));
    switch (plot->request->kind) {
    case PLOT_VALUE:
        return make_value(plot);
    case PLOT_SPENT:
        return make_spent(plot);
    case PLOT_CORRECT_TRUTH:
    case PLOT_WRONG_TRUTH:
        return plot_truth(plot, plot->request->kind == PLOT_WRONG_TRUTH);
    case PLOT_REGRET_BELIEF:
        return plot_beliefs(plot);
    case PLOT_INDEX:
        return make_index(plot);
    default:
        return make_gaps(plot, plot->request->kind == PLOT_GAP_BUDGET);
    }
}

og_status plot_make(og_study_db *db, const plot_request *request, plot_figure *out,
                    og_message *message)
{
    plot_figure made = {.panel_count = 0};
    bool plain = request->kind != PLOT_SPENT && request->kind != PLOT_CORRECT_TRUTH &&
                 request->kind != PLOT_WRONG_TRUTH && request->kind != PLOT_REGRET_BELIEF;
    char *list = plot_condition(request->only);
    /* Exact cells under a truth or an assumed prior have their own kinds of figures. */
    char *condition = sqlite3_mprintf("%s%s", list != NULL ? list : "",
                                      plain ? " AND (runs > 0 OR truth = 'prior')" : "");
    sqlite3_free(list);
    plotting plot = {.db = db,
                     .request = request,
                     .condition = condition != NULL ? condition : "",
                     .out = &made,
                     .message = message};
    og_status status = make(&plot);
    sqlite3_free(condition);
    if (status != OG_OK) {
        figure_clear(&made);
        return status;
    }
    made.paper = request->paper;
    if (request->title != NULL) {
        snprintf(made.title, sizeof made.title, "%s", request->title);
    }
    *out = made;
    return OG_OK;
}
