/* What compare prints, as tables and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/value/compare.h"
#include "tools/option/family.h"
#include "tools/show/comparison.h"
#include "tools/show/explained.h"
#include "tools/show/json.h"
#include "tools/show/number.h"
#include "tools/show/report.h"

enum { LIMIT_BYTES = 64 };

static const char *name_of(const compared *seen, const og_compare_row *row)
{
    return seen->asked->policies[row->policy].name;
}

static void print_solved(const compared *seen, table *fields)
{
    char words[NUMBER_TEXT_BYTES];
    char counts[COUNTED_BYTES];
    const og_result *optimal = &seen->found->optimal;
    table_cell(fields, "Optimal value");
    number_format_value(optimal->value, words);
    table_cell(fields, "%s expected %s", words,
               counted_of(&seen->asked->problem, seen->instances, counts));
    table_cell(fields, "Gain");
    number_format_value(optimal->gain, words);
    char call[NUMBER_TEXT_BYTES];
    number_format_value(seen->found->call, call);
    table_cell(fields, "%s over the %s without labels", words, call);
    table_cell(fields, "Error at most");
    number_format_bound(optimal->error_bound, words);
    table_cell(fields, "%s (proved); %" PRIu64 " state%s, %.2f s", words, optimal->states,
               optimal->states == 1 ? "" : "s", optimal->seconds);
    fields_forgotten(fields, optimal);
}

/* The same in fractions. */
static void print_solved_exactly(const compared *seen, table *fields)
{
    char words[NUMBER_TEXT_BYTES];
    char call[NUMBER_TEXT_BYTES];
    char counts[COUNTED_BYTES];
    const og_comparison *found = seen->found;
    table_cell(fields, "Optimal value");
    number_format_value(found->optimal.value, words);
    table_cell(fields, "%s expected %s", words,
               counted_of(&seen->asked->problem, seen->instances, counts));
    fields_fraction(fields, found->optimal_exact);
    table_cell(fields, "Gain");
    number_format_value(found->optimal.gain, words);
    number_format_value(found->call, call);
    table_cell(fields, "%s over the %s without labels", words, call);
    fields_fraction(fields, found->gain_exact);
    table_cell(fields, "Accuracy");
    table_cell(fields, "exact, decimals are rounded; %" PRIu64 " state%s, %.2f s",
               found->optimal.states, found->optimal.states == 1 ? "" : "s",
               found->optimal.seconds);
}

/* What ended a computation early; NULL: nothing. */
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
    case OG_LIMIT_TIME:
        return "time limit";
    case OG_LIMIT_INTERRUPT:
        return "interrupted";
    }
    return "limit";
}

/* Independent instances have all bounds, if there was time. */
static bool has_bounds(const compared *seen)
{
    const og_comparison *found = seen->found;
    return seen->asked->kind == NULL || isfinite(found->scalar.value) ||
           isfinite(found->vector.value) || isfinite(found->prevailing.value);
}

static void print_bracket(const compared *seen, table *fields)
{
    char low[NUMBER_TEXT_BYTES];
    char high[NUMBER_TEXT_BYTES];
    const og_comparison *found = seen->found;
    number_format_value(found->lower, low);
    number_format_value(found->upper, high);
    table_cell(fields, "Optimal value");
    char limit[LIMIT_BYTES];
    table_cell(fields, "not proved (%s)",
               limit_words(seen->asked->optimum_states, found->optimal_limit, limit));
    table_cell(fields, "at least");
    if (found->lower_row >= 0) {
        const og_compare_row *row = &found->rows[found->lower_row];
        table_cell(fields, "%s (%s%s, ties %s%s)", low, found->lower_simulated ? "likely: " : "",
                   name_of(seen, row), og_ties_name(row->ties),
                   found->lower_simulated ? ", 95 % interval" : "");
    } else {
        table_cell(fields, "%s (calling without labels)", low);
    }
    table_cell(fields, "at most");
    table_cell(fields, "%s (%s)", high,
               has_bounds(seen) ? "the smallest upper bound" : "every call right");
    number_format_gap_most(found->upper - found->lower, high);
    table_cell(fields, "Width");
    table_cell(fields, "%s expected correct calls", high);
}

static void print_gap(table *grid, const og_compare_row *row)
{
    char words[NUMBER_TEXT_BYTES];
    bool none = row->gap <= row->gap_error;
    number_format_gap(row->gap, row->gap_error, words);
    table_cell(grid, "%s", words);
    number_format_gap(none ? 0 : row->gap_percent, 0, words);
    table_cell(grid, "%s", words);
    number_format_gap(none ? 0 : row->gain_lost_percent, 0, words);
    table_cell(grid, "%s", words);
}

static void print_gap_most(table *grid, const og_compare_row *row)
{
    char words[NUMBER_TEXT_BYTES];
    number_format_gap_most(row->gap_most, words);
    table_cell(grid, "%s", words);
    number_format_gap_most(row->gap_most_percent, words);
    table_cell(grid, "%s", words);
    number_format_gap_most(row->gain_lost_most_percent, words);
    table_cell(grid, "%s", words);
}

static void print_row(const compared *seen, table *grid, const og_compare_row *row)
{
    char words[NUMBER_TEXT_BYTES];
    table_cell(grid, "%s", name_of(seen, row));
    table_cell(grid, "%s", og_ties_name(row->ties));
    if (row->status != OG_OK) {
        table_cell(grid, "not valued");
        table_cell(grid, "-");
        table_cell(grid, "-");
        table_cell(grid, "-");
    } else {
        number_format_value(row->result.value, words);
        table_cell(grid, "%s%s", row->simulated ? "~" : "", words);
        if (seen->solved) {
            print_gap(grid, row);
        } else {
            print_gap_most(grid, row);
        }
    }
    if (seen->own_calls) {
        number_format_value(row->called_value, words);
        table_cell(grid, "%s", row->status == OG_OK && !isnan(row->called_value) ? words : "-");
    }
}

static void print_policies(const compared *seen)
{
    static const char *const solved[] = {"policy",
                                         "ties",
                                         "value",
                                         "gap",
                                         "gap, %\nof value",
                                         "gain\nlost, %",
                                         "value if\ncalled exactly"};
    static const char *const bracketed[] = {"policy",
                                            "ties",
                                            "value",
                                            "gap\nat most",
                                            "gap at most,\n% of value",
                                            "gain lost\nat most, %",
                                            "value if\ncalled exactly"};
    table *grid =
        table_new(seen->own_calls ? "llddddd" : "lldddd", seen->solved ? solved : bracketed);
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        print_row(seen, grid, &seen->found->rows[i]);
    }
    table_print(grid, stdout);
    table_free(grid);
}

/* Values and gaps in fractions; false if one is too long. */
static bool print_fractions(const compared *seen)
{
    static const char *const headings[] = {"policy", "ties", "value exactly", "gap exactly"};
    table *grid = table_new(seen->solved ? "llll" : "lll", headings);
    bool shown = true;
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_compare_row *row = &seen->found->rows[i];
        char words[FRACTION_TEXT_BYTES];
        bool valued = row->status == OG_OK;
        table_cell(grid, "%s", name_of(seen, row));
        table_cell(grid, "%s", og_ties_name(row->ties));
        shown = fraction_format(valued ? row->value_exact : NULL, words) && shown;
        table_cell(grid, "%s", words);
        if (seen->solved) {
            shown = fraction_format(valued ? row->gap_exact : NULL, words) && shown;
            table_cell(grid, "%s", words);
        }
    }
    table_print(grid, stdout);
    table_free(grid);
    return shown;
}

/* `exact` is NULL in doubles; else false is returned if it is too long. */
static bool print_bound(const compared *seen, table *grid, const char *name, const og_bound *bound,
                        const og_exact_bound *exact)
{
    char words[NUMBER_TEXT_BYTES];
    char fraction[FRACTION_TEXT_BYTES];
    const og_result *optimal = &seen->found->optimal;
    double above = bound->value - optimal->value;
    double error = optimal->error_bound + bound->error;
    bool known = isfinite(bound->value);
    bool shown = true;
    if (!known && seen->asked->kind != NULL) {
        return true; /* none that is known for this kind, or no time */
    }
    table_cell(grid, "%s", name);
    number_format_value(bound->value, words);
    table_cell(grid, "%s", known ? words : "no time");
    if (exact != NULL) {
        shown = fraction_format(og_exact_bound_value(exact), fraction);
        table_cell(grid, "%s", fraction);
    }
    if (seen->solved) {
        number_format_gap(above, error, words);
        table_cell(grid, "%s", known ? words : "-");
        number_format_gap(above <= error ? 0 : 100 * above / optimal->value, 0, words);
        table_cell(grid, "%s", known ? words : "-");
    }
    return shown;
}

static bool print_bounds(const compared *seen)
{
    static const char *const plain[] = {"upper bound", "value", "above the\noptimum",
                                        "above, %\nof value"};
    static const char *const fractions[] = {"upper bound", "value", "exactly", "above the\noptimum",
                                            "above, %\nof value"};
    const og_comparison *found = seen->found;
    const og_exact_bound none = {0};
    bool exact = found->exact;
    table *grid = exact ? table_new(seen->solved ? "ldldd" : "ldl", fractions)
                        : table_new(seen->solved ? "lddd" : "ld", plain);
    bool one = print_bound(seen, grid, "lagrangian_scalar", &found->scalar,
                           exact ? &found->scalar_exact : NULL);
    bool many = print_bound(seen, grid, "lagrangian_vector", &found->vector,
                            exact ? &found->vector_exact : NULL);
    print_bound(seen, grid, "prevailing_charge", &found->prevailing, exact ? &none : NULL);
    table_print(grid, stdout);
    table_free(grid);
    return one && many;
}

static void print_not_valued(const compared *seen, const og_compare_row *row)
{
    static const char *const advice[] = {
        [OG_LIMIT_MEMORY] = "; --memory SIZE may raise it",
        [OG_LIMIT_STATES] = "; --policy-states N allows more, 0 any number",
        [OG_LIMIT_INDEX] = "; --index-time SECONDS allows more",
        [OG_LIMIT_NATURE] = ", in doubles, with ties random or first",
        [OG_LIMIT_TIME] = "; --time-limit may allow more, --policies leaves others more",
        [OG_LIMIT_INTERRUPT] = "",
    };
    char limit[LIMIT_BYTES];
    if (row->simulated) {
        char low[NUMBER_TEXT_BYTES];
        char high[NUMBER_TEXT_BYTES];
        number_format_value(row->estimate.low, low);
        number_format_value(row->estimate.high, high);
        print_paragraph(stdout,
                        "~ %s (%s): the mean of %" PRId64
                        " simulated runs, 95 %% interval %s to %s; "
                        "not valued exactly: %s.",
                        name_of(seen, row), og_ties_name(row->ties), row->runs, low, high,
                        limit_words(seen->asked->policy_states, row->limit, limit));
    }
    if (row->status != OG_OK) {
        print_paragraph(
            stdout, "Not valued: %s (%s): %s%s.", name_of(seen, row), og_ties_name(row->ties),
            limit_words(seen->asked->policy_states, row->limit, limit), advice[row->limit]);
    }
}

/* What a reader must know to trust the figures above. */
static void print_notes(const compared *seen, bool shown)
{
    char words[NUMBER_TEXT_BYTES];
    const char *counts = counted(&seen->asked->problem);
    double error = 0;
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_compare_row *row = &seen->found->rows[i];
        error = row->simulated ? error : fmax(error, row->gap_error);
    }
    if (seen->solved && seen->asked->exact) {
        print_paragraph(stdout,
                        "Value: expected %s. Gap: optimal value minus the policy's "
                        "value, also in percent of the optimal value. Gain lost: the gap in "
                        "percent of the optimal gain. All are fractions, and decimals these "
                        "rounded; but prevailing_charge has no exact form here.%s",
                        counts, shown ? "" : fraction_note);
    } else if (seen->solved) {
        number_format_bound(error, words);
        print_paragraph(stdout,
                        "Value: expected %s. Gap: optimal value minus the policy's "
                        "value, also in percent of the optimal value; 0 where it is within the "
                        "errors (at most %s). Gain lost: the gap in percent of the optimal gain.",
                        counts, words);
    } else {
        print_paragraph(stdout,
                        "Value: expected %s. Gap at most: the smallest upper bound "
                        "minus the policy's value; the percentages, of the optimal value and of "
                        "the optimal gain, are proved as well.%s",
                        counts, shown ? "" : fraction_note);
    }
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        print_not_valued(seen, &seen->found->rows[i]);
    }
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_compare_row *row = &seen->found->rows[i];
        if (row->tolerance_ties > 0) {
            print_paragraph(stdout,
                            "Ties of %s (%s) hang on a tolerance: %" PRIu64
                            " pairs of indices too close to tell apart.",
                            name_of(seen, row), og_ties_name(row->ties), row->tolerance_ties);
        }
    }
}

/* Why there is no explanation of a row that was valued. */
static const char *not_explained(const compared *seen, const og_compare_row *row,
                                 char words[LIMIT_BYTES])
{
    if (seen->asked->kind != NULL) {
        return "not for this kind of problem";
    }
    if (!seen->solved) {
        return "the optimum is not known";
    }
    if (row->simulated) {
        return "a simulation knows values, not decisions";
    }
    const char *limit = limit_words(seen->asked->policy_states, row->explain_limit, words);
    return limit != NULL ? limit : row->explain_message.text;
}

static void print_explanations(const compared *seen)
{
    char words[LIMIT_BYTES];
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_compare_row *row = &seen->found->rows[i];
        char name[OG_POLICY_NAME_BYTES + 32];
        snprintf(name, sizeof name, "%s (ties %s)", name_of(seen, row), og_ties_name(row->ties));
        if (row->explained) {
            putchar('\n');
            explanation_print(&seen->asked->problem, name, &row->explanation);
        } else if (row->status == OG_OK) {
            putchar('\n');
            print_paragraph(stdout, "Not explained: %s: %s.", name,
                            not_explained(seen, row, words));
        }
    }
    putchar('\n');
    print_paragraph(stdout,
                    "Lost: the optimal gain still to come minus that after what the policy labels, "
                    "play being optimal from then on, on average over the states that the policy "
                    "meets; these losses add up to its gap. Adds: what one decision adds to the "
                    "gap, its probability times what is lost there.");
}

static void describe(const request *asked, table *fields)
{
    if (asked->kind != NULL) {
        asked->kind->fields(asked, fields);
    } else {
        fields_problem(fields, &asked->problem, "Labels");
    }
}

void comparison_print_table(const compared *seen)
{
    table *fields = fields_new();
    describe(seen->asked, fields);
    if (seen->solved && seen->asked->exact) {
        print_solved_exactly(seen, fields);
    } else if (seen->solved) {
        print_solved(seen, fields);
    } else {
        print_bracket(seen, fields);
    }
    fields_print(fields);
    putchar('\n');
    print_policies(seen);
    putchar('\n');
    bool shown = true;
    if (seen->found->exact) {
        shown = print_fractions(seen);
        putchar('\n');
    }
    if (has_bounds(seen)) {
        shown = print_bounds(seen) && shown;
        putchar('\n');
    }
    print_notes(seen, shown);
    if (seen->asked->kind != NULL && seen->asked->kind->note != NULL) {
        print_paragraph(stdout, "%s", seen->asked->kind->note);
    }
    if (seen->asked->explain) {
        print_explanations(seen);
    }
}

static json_t *limit_json(const char *words)
{
    return words != NULL ? phrase(words) : json_null();
}

static json_t *row_json(const compared *seen, const og_compare_row *row)
{
    bool valued = row->status == OG_OK;
    bool gap = valued && seen->solved;
    bool exact = seen->found->exact;
    char limit[LIMIT_BYTES];
    json_t *object = object_new();
    object_put(object, "name", phrase(name_of(seen, row)));
    object_put(object, "ties", phrase(og_ties_name(row->ties)));
    object_put(object, "status", phrase(row->simulated ? "simulated" : valued ? "ok" : "limit"));
    object_put(object, "limit",
               limit_json(limit_words(seen->asked->policy_states, row->limit, limit)));
    object_put(object, "value", real(valued ? row->result.value : NAN));
    if (seen->asked->kind != NULL) {
        object_put(object, "called_value", real(valued ? row->called_value : NAN));
    }
    object_put(object, "gain", real(valued ? row->result.gain : NAN));
    object_put(object, "error_bound",
               real(valued && !row->simulated ? row->result.error_bound : NAN));
    object_put(object, "simulated", json_boolean(row->simulated));
    if (row->simulated) {
        object_put(object, "runs", whole((uint64_t)row->runs));
        object_put(object, "standard_error", real(row->estimate.standard_error));
        object_put(object, "low", real(row->estimate.low));
        object_put(object, "high", real(row->estimate.high));
    }
    object_put(object, "gap", real(gap ? row->gap : NAN));
    object_put(object, "gap_error_bound", real(gap ? row->gap_error : NAN));
    if (exact) {
        object_put(object, "value_exact", fraction_json(valued ? row->value_exact : NULL));
        object_put(object, "gain_exact", fraction_json(valued ? row->gain_exact : NULL));
        object_put(object, "gap_exact", fraction_json(gap ? row->gap_exact : NULL));
    }
    object_put(object, "gap_percent", real(gap ? row->gap_percent : NAN));
    object_put(object, "gain_lost_percent", real(gap ? row->gain_lost_percent : NAN));
    object_put(object, "gap_at_most", real(valued ? row->gap_most : NAN));
    object_put(object, "gap_at_most_percent", real(valued ? row->gap_most_percent : NAN));
    object_put(object, "gain_lost_at_most_percent",
               real(valued ? row->gain_lost_most_percent : NAN));
    if (seen->asked->explain) {
        bool missing = !row->explained && valued;
        object_put(object, "explain",
                   row->explained ? explanation_json(&seen->asked->problem, &row->explanation)
                                  : json_null());
        object_put(object, "explain_limit",
                   missing ? phrase(not_explained(seen, row, limit)) : json_null());
    }
    object_put(object, "tolerance_ties", whole(row->tolerance_ties));
    object_put(object, "states", whole(row->result.states));
    object_put(object, "memory_bytes", whole(row->result.memory_bytes));
    object_put(object, "seconds", real(row->result.seconds));
    return object;
}

static json_t *bracket_json(const og_comparison *found)
{
    json_t *object = object_new();
    object_put(object, "lower", real(found->lower));
    object_put(object, "upper", real(found->upper));
    object_put(object, "lower_simulated", json_boolean(found->lower_simulated));
    return object;
}

void comparison_print_json(const compared *seen)
{
    char limit[LIMIT_BYTES];
    const og_comparison *found = seen->found;
    og_result optimal = found->optimal;
    if (!seen->solved) {
        optimal.value = optimal.gain = optimal.error_bound = NAN;
    }
    json_t *document = object_new();
    json_t *policies = array_new();
    object_put(document, "problem",
               seen->asked->kind != NULL ? seen->asked->kind->problem(seen->asked)
                                         : problem_json(&seen->asked->problem));
    object_put(document, "call_value", real(found->call));
    if (found->exact) {
        object_put(document, "call_value_exact", fraction_json(found->call_exact));
    }
    json_t *object =
        optimal_json(&optimal, found->exact, seen->solved ? found->optimal_exact : NULL,
                     seen->solved ? found->gain_exact : NULL);
    object_put(object, "limit",
               limit_json(limit_words(seen->asked->optimum_states, found->optimal_limit, limit)));
    object_put(document, "optimal", object);
    object_put(document, "bracket", bracket_json(found));
    object_put(document, "bounds",
               bounds_json(&found->scalar, &found->vector, &found->prevailing,
                           found->exact ? &found->scalar_exact : NULL, &found->vector_exact));
    for (int32_t i = 0; i < found->row_count; i++) {
        array_add(policies, row_json(seen, &found->rows[i]));
    }
    object_put(document, "policies", policies);
    document_print(document);
}
