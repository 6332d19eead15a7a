/* The output of compare: each policy compared with the optimum, or with its proved bounds. */
#include "bench/questions/compare_document.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench/describe.h"
#include "bench/questions/explain_document.h"
#include "bench/questions/truth_document.h"
#include "bench/words.h"

enum { LIMIT_BYTES = 64 };

typedef struct {
    const og_asked *asked;
    const og_comparison *found;
    og_problem_size sizes;
    bool solved;
    bool followed;  /* a truth or a wrong belief is given */
    bool own_calls; /* the final calls of some policy are not those of the exact posterior */
} compared_rows;

static const char *name_of(const compared_rows *seen, const og_compare_row *row)
{
    return og_policy_name_shown(&seen->asked->policies[row->policy]);
}

static void show_solved(og_document *document, const compared_rows *seen, const og_document *object)
{
    const og_result *optimal = &seen->found->optimal;
    bool exact = seen->asked->request.exact;
    og_show_field(document, "Optimal value", "%s expected %s", og_words_value(optimal->value).text,
                  og_counted_of(&seen->sizes).text);
    og_show_fraction(document, object, "value_exact");
    if (seen->found->call != 0) { /* otherwise the value is the gain */
        og_show_field(document, "Gain", "%s over the %s without labels",
                      og_words_value(optimal->gain).text, og_words_value(seen->found->call).text);
        og_show_fraction(document, object, "gain_exact");
    }
    if (seen->sizes.priced) {
        og_show_labels(document, &seen->found->optimal_labels);
    }
    og_show_field(document, exact ? "Accuracy" : "Error at most",
                  "%s%s; %" PRIu64 " state%s%s, %.2f s",
                  exact ? "exact, decimals are rounded" : og_words_bound(optimal->error_bound).text,
                  exact ? "" : " (proved)", optimal->states, optimal->states == 1 ? "" : "s",
                  optimal->by_blocks   ? " in blocks"
                  : optimal->by_margin ? " of a margin cut"
                                       : "",
                  optimal->seconds);
    if (!exact) {
        og_show_forgotten(document, optimal);
    }
}

/* The reason why a computation ended early; NULL: it did not. */
static const char *limit_words(uint64_t states, og_limit limit, char words[LIMIT_BYTES])
{
    switch (limit) {
    case OG_LIMIT_NONE:
        return NULL;
    case OG_LIMIT_MEMORY:
        return "memory limit";
    case OG_LIMIT_STATES:
        snprintf(words, LIMIT_BYTES, "more than %" PRIu64 " states", states);
        return words;
    case OG_LIMIT_INDEX:
        return "its index takes too long";
    case OG_LIMIT_NATURE:
        return "it can only be simulated";
    case OG_LIMIT_SIZE:
        return "too large for exact values";
    case OG_LIMIT_TIME:
        return "time limit";
    case OG_LIMIT_INTERRUPT:
        return "interrupted";
    }
    return "limit";
}

static bool has_bounds(const compared_rows *seen)
{
    return og_bounds_shown(&seen->found->bounds) > 0;
}

/* The name of the smallest bound; NULL: there is none. */
static const char *least_bound(const og_bounds *bounds)
{
    const char *name = NULL;
    for (int32_t i = bounds->count; i-- > 0;) {
        double value = bounds->bound[i].value;
        name = isfinite(value) && value == og_bounds_least(bounds) ? bounds->name[i] : name;
    }
    return name;
}

static void show_bracket(og_document *document, const compared_rows *seen)
{
    char limit[LIMIT_BYTES];
    const og_comparison *found = seen->found;
    const char *low = found->lower_simulated ? "likely: " : "";
    const char *interval = found->lower_simulated ? ", 95 % interval" : "";
    og_show_field(document, "Optimal value", "not proved (%s)",
                  limit_words(seen->found->optimum_states_max, found->optimal_limit, limit));
    og_show_field(document, "at least", "%s (", og_words_value(found->lower).text);
    if (found->lower_row >= 0) {
        const og_compare_row *row = &found->rows[found->lower_row];
        og_show_more(document, "%s%s, ties %s%s)", low, name_of(seen, row), og_ties_name(row->ties),
                     interval);
    } else {
        og_show_more(document, "%s)",
                     found->lower_margin      ? "the margin cut"
                     : seen->sizes.metric.sum ? "all rewards and ends added up in size, below 0"
                                              : "calling without labels");
    }
    const char *least = least_bound(&found->bounds);
    og_show_field(document, "at most", "%s (%s)", og_words_value(found->upper).text,
                  least != NULL            ? least
                  : seen->sizes.metric.sum ? "all rewards and ends added up in size"
                                           : "every call right");
    og_show_field(document, "Width", "%s expected %s",
                  og_words_most(found->upper - found->lower).text, seen->sizes.metric.unit);
}

/* True if a policy uses fewer labels than there are. */
static bool any_stops(const compared_rows *seen)
{
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_labels_paid *labels = &seen->found->rows[i].labels;
        if (labels->known && labels->most + labels->error < seen->sizes.left) {
            return true;
        }
    }
    return false;
}

static bool has_equal(const compared_rows *seen)
{
    bool has = false;
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        has = has || seen->found->rows[i].equal.known;
    }
    return has;
}

static void show_policies(og_document *document, const compared_rows *seen,
                          const og_document *policies)
{
    bool solved = seen->solved;
    og_show how = solved ? OG_SHOW_GAP : OG_SHOW_MOST;
    og_document *table = og_show_by_policy(document, policies);
    og_show_column(table, "value", 'd', "value", OG_SHOW_VALUE);
    og_show_column(table, solved ? "gap" : "gap\nat most", 'd', solved ? "gap" : "gap_at_most",
                   how);
    if (seen->found->call != 0) {
        og_show_column(table, solved ? "gap, %\nof value" : "gap at most,\n% of value", 'd',
                       solved ? "gap_percent" : "gap_at_most_percent", how);
    }
    og_show_column(table, solved ? "gain\nlost, %" : "gain lost\nat most, %", 'd',
                   solved ? "gain_lost_percent" : "gain_lost_at_most_percent", how);
    if (!seen->sizes.priced && any_stops(seen) && !has_equal(seen)) {
        og_show_column(table, "labels", 'd', "labels", OG_SHOW_PLAIN);
    }
    if (seen->sizes.priced) {
        og_show_column(table, "labels\nbought", 'd', "labels", OG_SHOW_PLAIN);
    }
    if (seen->own_calls) {
        og_show_column(table, "value if\ncalled exactly", 'd', "called_value", OG_SHOW_VALUE);
    }
    if (has_equal(seen)) {
        table = og_show_by_policy(document, policies);
        og_show_column(table, "labels", 'd', "labels", OG_SHOW_PLAIN);
        og_show_column(table, "lost at\nsame labels", 'd', "equal_gap", OG_SHOW_PLAIN);
        og_show_column(table, "of the\ngain, %", 'd', "equal_lost", OG_SHOW_PLAIN);
        og_show_column(table, "labels\nneeded", 'd', "equal_labels", OG_SHOW_PLAIN);
    }
    if (seen->found->exact) {
        table = og_show_by_policy(document, policies);
        og_show_column(table, "value exactly", 'l', "value_exact", OG_SHOW_FRACTION);
        if (solved) {
            og_show_column(table, "gap exactly", 'l', "gap_exact", OG_SHOW_FRACTION);
        }
    }
}

static void show_bounds(og_document *document, const compared_rows *seen, const og_document *bounds)
{
    og_document *table = og_show_table(document, bounds);
    og_show_column(table, "upper bound", 'l', NULL, OG_SHOW_PLAIN);
    og_show_column(table, "value", 'd', "value", OG_SHOW_VALUE);
    if (seen->found->exact) {
        og_show_column(table, "exactly", 'l', "value_exact", OG_SHOW_FRACTION);
    }
    if (seen->solved) {
        og_show_column(table, "above the\noptimum", 'd', "above", OG_SHOW_PLAIN);
        og_show_column(table, "above, %\nof value", 'd', "above_percent", OG_SHOW_PLAIN);
    }
}

/* Show next to a bound how far it is above the optimum. */
static void show_above(const compared_rows *seen, og_document *row, const og_upper_bound *bound)
{
    const og_result *optimal = &seen->found->optimal;
    double above = bound->value - optimal->value;
    double error = optimal->error_bound + bound->error;
    if (isfinite(bound->value)) {
        og_show_cell(row, "above", "%s", og_words_gap(above, error).text);
        og_show_cell(row, "above_percent", "%s",
                     og_words_gap(above <= error ? 0 : 100 * above / optimal->value, 0).text);
    }
}

static void show_not_valued(og_document *document, const compared_rows *seen,
                            const og_compare_row *row)
{
    static const char *const advice[] = {
        [OG_LIMIT_MEMORY] = "; --memory SIZE may raise it",
        [OG_LIMIT_STATES] = "; --max-policy-states N allows more, 0 any number",
        [OG_LIMIT_INDEX] = "; --max-index-time SECONDS allows more",
        [OG_LIMIT_NATURE] = ", in doubles, with ties random or first",
        [OG_LIMIT_SIZE] = "",
        [OG_LIMIT_TIME] = "; --time-limit may allow more, --policies leaves others more",
        [OG_LIMIT_INTERRUPT] = "",
    };
    char limit[LIMIT_BYTES];
    const char *why = limit_words(seen->found->policy_states_max, row->limit, limit);
    if (row->simulated) {
        og_show_paragraph(document,
                          "~ %s (%s): the mean of %" PRId64
                          " simulated runs, 95 %% interval %s to %s; not valued exactly: %s.",
                          name_of(seen, row), og_ties_name(row->ties), row->runs,
                          og_words_value(row->estimate.low).text,
                          og_words_value(row->estimate.high).text, why);
    }
    if (row->status != OG_OK) {
        og_show_paragraph(document, "Not valued: %s (%s): %s%s.", name_of(seen, row),
                          og_ties_name(row->ties), why, advice[row->limit]);
    }
}

static void show_not_all_valued(og_document *document, const compared_rows *seen)
{
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        show_not_valued(document, seen, &seen->found->rows[i]);
    }
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_compare_row *row = &seen->found->rows[i];
        og_show_tolerance(document, name_of(seen, row), og_ties_name(row->ties),
                          row->tolerance_ties);
        if (i == 0 || row->policy != row[-1].policy) {
            og_show_reading(document, name_of(seen, row));
        }
    }
}

/* The meaning of the columns of policies. */
static void show_legend(og_document *document, const compared_rows *seen, const char *fraction_note)
{
    char inexact[OG_BOUNDS_INEXACT_BYTES];
    int without = og_bounds_inexact(&seen->found->bounds, inexact, sizeof inexact);
    double error = 0;
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_compare_row *row = &seen->found->rows[i];
        error = row->simulated ? error : fmax(error, row->gap_error);
    }
    if (seen->solved && seen->asked->request.exact) {
        og_show_paragraph(document,
                          "Gap: optimal value minus the policy's value. Gain lost: the gap in "
                          "percent of the optimal gain.%s%s%s%s",
                          without > 0 ? " Of the bounds, " : "", inexact, without > 0 ? "." : "",
                          fraction_note);
    } else if (seen->solved) {
        og_show_paragraph(document,
                          "Gap: optimal value minus the policy's value, 0 if within the errors (at "
                          "most %s). Gain lost: the gap in percent of the optimal gain.",
                          og_words_bound(error).text);
    } else {
        og_show_paragraph(document,
                          "Gap at most: the smallest upper bound minus the policy's value. Gain "
                          "lost: the gap in percent of the optimal gain. All are proved.%s",
                          fraction_note);
    }
    if (has_equal(seen)) {
        og_show_paragraph(document,
                          "Lost at same labels: the value of the best policy with as many expected "
                          "labels, minus the policy's. Labels needed: those of the best policy of "
                          "the same value.");
    }
    if (seen->own_calls) {
        og_show_paragraph(document, "Called exactly: the same labels, with the final calls of the "
                                    "exact posterior.");
    }
}

/* The reason why a row with a value has no explanation. */
static const char *not_explained(const compared_rows *seen, const og_compare_row *row,
                                 char words[LIMIT_BYTES])
{
    if (!og_family_is_followed(seen->asked->family)) {
        return og_explain_refusal(seen->asked->family, NULL);
    }
    if (!seen->solved) {
        return "the optimum was not found";
    }
    if (row->simulated) {
        return "a simulated policy has values, not decisions";
    }
    const char *limit = limit_words(seen->found->policy_states_max, row->explain_limit, words);
    return limit != NULL ? limit : row->explain_message.text;
}

static void show_explanations(og_document *document, const compared_rows *seen,
                              const og_document *policies)
{
    char words[LIMIT_BYTES];
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_compare_row *row = &seen->found->rows[i];
        char name[OG_POLICY_NAME_BYTES + 32];
        snprintf(name, sizeof name, "%s (ties %s)", name_of(seen, row), og_ties_name(row->ties));
        if (row->explained) {
            og_explanation_show(document, name, &seen->asked->sizes.metric, &row->explanation,
                                og_document_find(og_document_child(policies, i), "explain"));
        } else if (row->status == OG_OK) {
            og_show_paragraph(document, "\nNot explained: %s: %s.", name,
                              not_explained(seen, row, words));
        }
    }
}

static bool has_explanations(const compared_rows *seen)
{
    bool any = false;
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_compare_row *row = &seen->found->rows[i];
        any = any || (row->explained && row->explanation.decision_count > 0);
    }
    return any;
}

static bool calls_itself(const compared_rows *seen)
{
    bool any = false;
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        any = any || !isnan(seen->found->rows[i].called_value);
    }
    return any;
}

static void put_explanation(og_document *object, const compared_rows *seen,
                            const og_compare_row *row)
{
    char words[LIMIT_BYTES];
    bool missing = !row->explained && row->status == OG_OK;
    if (row->explained) {
        og_explanation_put(object, seen->asked->family, seen->asked->problem, &row->explanation,
                           row->called_value - row->result.value);
    } else {
        og_put_null(object, "explain");
    }
    og_put_text(object, "explain_limit", missing ? not_explained(seen, row, words) : NULL);
}

/* Show the parts of a row whose text differs from their value. */
static void show_row(og_document *object, const compared_rows *seen, const og_compare_row *row)
{
    static const char *const gaps[] = {"gap", "gap_percent", "gain_lost_percent"};
    if (row->status != OG_OK) {
        og_show_cell(object, "value", "not valued");
    } else if (row->simulated) {
        og_show_cell(object, "value", "~%s", og_words_value(row->result.value).text);
    }
    for (int i = 0; i < 3 && row->status == OG_OK && seen->solved; i++) {
        if (fabs(row->gap) <= row->gap_error) {
            og_show_cell(object, gaps[i], "0");
        }
    }
}

/* At the same labels: the best value, what the policy loses against it, and the labels needed. */
static void put_equal(og_document *object, const compared_rows *seen, const og_compare_row *row)
{
    const og_compare_equal *equal = &row->equal;
    double lost = equal->gain > 0 ? 100 * equal->gap / equal->gain : 0;
    og_document *put = og_put_object(object, "equal");
    og_show_cell(object, "equal_gap", "%.4g", equal->gap);
    og_show_cell(object, "equal_lost", "%.4g", lost);
    og_show_cell(object, "equal_labels", "%.5g", equal->labels);
    og_put_result(put, "value", true, seen->found->call + equal->gain);
    og_put_result(put, "gap", true, equal->gap);
    og_put_number(put, "gain_lost_percent", lost);
    og_put_number(put, "error", equal->error);
    og_put_number(put, "labels", equal->labels);
    og_put_number(put, "labels_error", equal->labels_error);
    og_put_number(put, "price", equal->price);
    if (seen->found->exact) {
        og_put_fraction(put, "value_exact", equal->value_exact);
        og_put_fraction(put, "gap_exact", equal->gap_exact);
        og_put_fraction(put, "labels_exact", equal->labels_exact);
    }
}

static void put_row(og_document *policies, const compared_rows *seen, const og_compare_row *row)
{
    bool valued = row->status == OG_OK;
    bool gap = valued && seen->solved;
    char limit[LIMIT_BYTES];
    og_document *object = og_put_by_policy(policies, name_of(seen, row), row->ties);
    og_put_text(object, "status", row->simulated ? "simulated" : valued ? "ok" : "limit");
    og_put_text(object, "limit", limit_words(seen->found->policy_states_max, row->limit, limit));
    og_put_result(object, "value", valued, row->result.value);
    og_put_number(object, "called_value", valued ? row->called_value : NAN);
    og_put_result(object, "gain", valued, row->result.gain);
    og_put_result(object, "error_bound", valued && !row->simulated, row->result.error_bound);
    og_put_text(object, "engine",
                !valued || row->simulated ? NULL : og_result_engine(&row->result));
    og_put_bool(object, "simulated", row->simulated);
    if (row->simulated) {
        og_put_whole(object, "runs", (uint64_t)row->runs);
        og_put_result(object, "standard_error", true, row->estimate.standard_error);
        og_put_result(object, "low", true, row->estimate.low);
        og_put_result(object, "high", true, row->estimate.high);
    }
    og_put_result(object, "gap", gap, row->gap);
    og_put_result(object, "gap_error_bound", gap, row->gap_error);
    if (seen->found->exact) {
        og_put_fraction(object, "value_exact", valued ? row->value_exact : NULL);
        og_put_fraction(object, "gain_exact", valued ? row->gain_exact : NULL);
        og_put_fraction(object, "gap_exact", gap ? row->gap_exact : NULL);
    }
    og_put_number(object, "gap_percent", gap ? row->gap_percent : NAN);
    og_put_number(object, "gain_lost_percent", gap ? row->gain_lost_percent : NAN);
    og_put_result(object, "gap_at_most", valued, row->gap_most);
    og_put_number(object, "gap_at_most_percent", valued ? row->gap_most_percent : NAN);
    og_put_number(object, "gain_lost_at_most_percent", valued ? row->gain_lost_most_percent : NAN);
    if (seen->asked->request.explain) {
        put_explanation(object, seen, row);
    }
    if (seen->followed) {
        og_truth_put(object, seen->found, row);
    }
    if (seen->sizes.priced || row->labels.known || seen->asked->family->model.arms != NULL) {
        og_put_labels(object, &row->labels);
    }
    og_document *labels = row->labels.known ? og_document_find(object, "labels") : NULL;
    if (row->labels.exact) {
        og_put_fraction(labels, "exact", row->labels_exact);
    }
    if (labels != NULL && row->law_known) {
        og_put_numbers(labels, "law", row->law, seen->sizes.budget + 1);
    } else if (labels != NULL && row->law != NULL) {
        og_put_null(labels, "law");
    }
    if (row->equal.known) {
        put_equal(object, seen, row);
    }
    og_put_whole(object, "tolerance_ties", row->tolerance_ties);
    og_put_whole(object, "states", row->result.states);
    og_put_whole(object, "memory_bytes", row->result.memory_bytes);
    og_put_number(object, "seconds", row->result.seconds);
    if (valued && seen->asked->family->words.put_policy != NULL) {
        seen->asked->family->words.put_policy(
            seen->asked->problem, &seen->asked->policies[row->policy], seen->found->exact,
            og_stop_of(&seen->asked->request.settings), object);
    }
    show_row(object, seen, row);
}

static og_document *put_optimum(og_document *document, const compared_rows *seen)
{
    char limit[LIMIT_BYTES];
    const og_comparison *found = seen->found;
    og_document *object = og_put_optimum(document, &found->optimal, seen->solved, found->exact,
                                         seen->solved ? found->optimal_exact : NULL,
                                         seen->solved ? found->gain_exact : NULL);
    og_put_text(object, "limit",
                limit_words(seen->found->optimum_states_max, found->optimal_limit, limit));
    if (seen->sizes.priced) {
        og_put_labels(object, &found->optimal_labels);
    }
    if (seen->followed) {
        og_truth_put(object, found, NULL);
    }
    og_document *bracket = og_put_object(document, "bracket");
    og_put_result(bracket, "lower", true, found->lower);
    og_put_result(bracket, "upper", true, found->upper);
    og_put_bool(bracket, "lower_simulated", found->lower_simulated);
    if (found->prices_solved > 0) {
        og_put_whole(document, "prices_solved", (uint64_t)found->prices_solved);
    }
    return object;
}

static og_document *put_bounds(og_document *document, const compared_rows *seen)
{
    const og_bounds *bounds = &seen->found->bounds;
    og_document *object = og_put_bounds(document, bounds, seen->found->exact);
    for (int32_t i = 0; i < bounds->count && seen->solved; i++) {
        show_above(seen, og_document_child(object, i), &bounds->bound[i]);
    }
    return object;
}

/* The optimum or its bracket, the policies and the bounds in one table. */
static void file_all(og_document *document, const compared_rows *seen, const og_document *policies)
{
    const char *unit = seen->sizes.metric.unit;
    const char exact = seen->found->exact ? 'l' : OG_CSV_ONLY;
    const char gap = seen->solved ? 'd' : OG_CSV_ONLY, most = seen->solved ? OG_CSV_ONLY : 'd';
    og_file_row(document, "optimum",
                og_document_find(document, seen->solved ? "optimal" : "bracket"));
    og_file_rows(document, "policy", policies);
    og_file_rows(document, "bound", og_document_find(document, "bounds"));
    og_file_column(document, "name", NULL, 'l', NULL, OG_SHOW_PLAIN);
    og_file_column(document, "ties", NULL, 'l', "ties", OG_SHOW_PLAIN);
    og_file_values(document, unit, seen->found->exact);
    og_file_column(document, "gap", unit, gap, "gap", OG_SHOW_GAP);
    og_file_column(document, "gap exactly", NULL, seen->solved ? exact : OG_CSV_ONLY, "gap_exact",
                   OG_SHOW_FRACTION);
    og_file_column(document, "gap", "% of value", gap, "gap_percent", OG_SHOW_GAP);
    og_file_column(document, "gain lost", "%", gap, "gain_lost_percent", OG_SHOW_GAP);
    og_file_column(document, "gap at most", unit, most, "gap_at_most", OG_SHOW_MOST);
    og_file_column(document, "gap at most", "% of value", most, "gap_at_most_percent",
                   OG_SHOW_MOST);
    og_file_column(document, "gain lost at most", "%", most, "gain_lost_at_most_percent",
                   OG_SHOW_MOST);
    og_file_column(document, "at least", unit, most, "lower", OG_SHOW_VALUE);
    og_file_column(document, "at most", unit, most, "upper", OG_SHOW_VALUE);
    og_file_column(document, "gain", unit, OG_CSV_ONLY, "gain", OG_SHOW_VALUE);
    og_file_column(document, "error of the gap at most", unit, OG_CSV_ONLY, "gap_error_bound",
                   OG_SHOW_BOUND);
    og_file_column(document, "limit", NULL, OG_CSV_ONLY, "limit", OG_SHOW_PLAIN);
    og_file_column(document, "simulated", NULL, OG_CSV_ONLY, "simulated", OG_SHOW_PLAIN);
    og_file_column(document, "runs", NULL, OG_CSV_ONLY, "runs", OG_SHOW_PLAIN);
    og_file_column(document, "95 % from", unit, OG_CSV_ONLY, "low", OG_SHOW_VALUE);
    og_file_column(document, "95 % to", unit, OG_CSV_ONLY, "high", OG_SHOW_VALUE);
    og_file_effort(document);
}

/* The answers to what was asked in addition to values. */
static void show_asked(og_document *document, const compared_rows *seen,
                       const og_document *policies)
{
    if (seen->followed) {
        og_truth_show(document, seen->asked, seen->found);
    }
    if (seen->found->grid != NULL) {
        og_truth_grid_show(document, seen->asked, seen->found,
                           og_document_find(document, "truths"));
    }
    if (seen->asked->request.explain) {
        show_explanations(document, seen, policies);
    }
}

/* The meaning of the words of all tables. */
static void show_legends(og_document *document, const compared_rows *seen,
                         const char *fraction_note)
{
    const og_family *family = seen->asked->family;
    if (seen->found->row_count > 0) {
        show_legend(document, seen, fraction_note);
    }
    if (family->words.legend != NULL) {
        og_show_paragraph(document, "%s", family->words.legend);
    }
    if (family->words.note != NULL) {
        og_show_paragraph(document, "%s", family->words.note);
    }
    if (seen->followed) {
        og_truth_legend(document, seen->asked, seen->found);
    }
    if (seen->found->grid != NULL) {
        og_truth_grid_legend(document, seen->asked, seen->found);
    }
    if (has_explanations(seen)) {
        og_explanations_end(document, &seen->asked->sizes.metric, calls_itself(seen));
    }
}

static void show_all(og_document *document, const compared_rows *seen, const og_document *policies,
                     const og_document *bounds)
{
    bool too_long = og_document_is_long(policies, "value_exact") ||
                    og_document_is_long(policies, "gap_exact") ||
                    og_document_is_long(bounds, "value_exact");
    bool ranked = seen->found->row_count > 0; /* a family may have no policies */
    const og_family *family = seen->asked->family;
    if (ranked) {
        show_policies(document, seen, policies);
    }
    if (ranked && family->words.show_policies != NULL) {
        family->words.show_policies(document, policies, seen->found->exact);
    }
    show_not_all_valued(document, seen);
    show_asked(document, seen, policies);
    if (has_bounds(seen)) {
        show_bounds(document, seen, bounds);
    }
    show_legends(document, seen, too_long ? og_fraction_note : "");
}

og_document *og_comparison_describe(const og_asked *asked, const og_comparison *found)
{
    compared_rows compared = {.asked = asked,
                              .found = found,
                              .solved = found->optimal_status == OG_OK,
                              .followed =
                                  found->under.truth != NULL || found->under.believed != NULL};
    const compared_rows *seen = &compared;
    asked->family->model.sizes(asked->problem, &compared.sizes);
    for (int32_t i = 0; i < found->row_count; i++) {
        compared.own_calls |= found->rows[i].status == OG_OK && !isnan(found->rows[i].called_value);
    }
    og_document *document = og_document_new();
    og_family_describe_problem(asked->family, asked->problem, document);
    if (seen->followed) {
        og_put_text(document, found->under.truth != NULL ? "truth" : "believed",
                    og_compare_under_text(asked));
    }
    og_put_number(document, "call_value", found->call);
    if (found->exact) {
        og_put_fraction(document, "call_value_exact", found->call_exact);
    }
    og_document *optimal = put_optimum(document, seen);
    og_document *bounds = put_bounds(document, seen);
    og_document *policies = og_put_array(document, "policies");
    for (int32_t i = 0; i < found->row_count; i++) {
        put_row(policies, seen, &found->rows[i]);
    }
    if (found->grid != NULL) {
        og_put_text(document, "truth", og_compare_under_text(asked));
        og_truth_grid_put(document, found);
    }
    og_put_whole(document, "seed", asked->request.seed);
    if (seen->solved) {
        show_solved(document, seen, optimal);
    } else {
        show_bracket(document, seen);
    }
    show_all(document, seen, policies, bounds);
    file_all(document, seen, policies);
    return document;
}
