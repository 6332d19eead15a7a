/* Writes a simulation's results as a document: values with intervals, and differences run by
 * run. */
#include "bench/simulation/simulate_document.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench/describe.h"
#include "bench/simulation/curve.h"
#include "bench/words.h"

enum { HEADING = 64 };

typedef struct {
    const og_asked *asked;
    const og_source *source;
    const og_truth *truth;
    const char *truth_text; /* as given */
    const og_simulation *found;
} simulate_report;

/* The number of final calls. */
static double size_of(const simulate_report *seen)
{
    return (double)seen->asked->sizes.decisions;
}

/* True if runs are drawn by the model alone: then nobody knows what is true. */
static bool by_model(const simulate_report *seen)
{
    return seen->source->family != NULL;
}

/* True if there is a share of correct calls. */
static bool has_accuracy(const simulate_report *seen)
{
    const og_metric metric = seen->asked->sizes.metric;
    return !metric.share && !metric.amount && !metric.rewards && !by_model(seen);
}

static const og_share_words *words_of(const simulate_report *seen)
{
    static const og_share_words pairs = {
        .in_short = "in order",
        .without = "Without comparisons",
        .of_what = "of the pairs in order",
        .meaning = "Share in order: pairs that the policy's own ranking orders as the scores do",
        .same = "the same scores and the same n-th answer about a pair"};
    const og_share_words *words = seen->asked->sizes.metric.words;
    return words != NULL ? words : &pairs;
}

static const char *name_of(const simulate_report *seen, const og_simulate_row *row)
{
    return og_policy_name_shown(&seen->asked->policies[row->policy]);
}

/* The number of decimals: up to the first two digits of the standard error. */
static int decimals_for(double error)
{
    const double most = 6;
    return (int)fmax(0, fmin(most, 1 - floor(log10(error))));
}

static og_words mean_words(double mean, double error)
{
    og_words words = og_words_value(mean);
    if (error > 0) {
        snprintf(words.text, sizeof words.text, "%.*f", decimals_for(error), mean);
    }
    return words;
}

/* True if all runs agree, so that the interval holds only rounding. */
static bool is_constant(og_estimate found)
{
    const double rounding = 1e-6;
    return found.standard_error == 0 &&
           found.high - found.low <= rounding * fmax(1, fabs(found.mean));
}

/* The standard error; if it is 0 but the interval is not, as for a share, a quarter of that. */
static double spread_of(og_estimate found)
{
    return found.standard_error > 0 || is_constant(found) ? found.standard_error
                                                          : (found.high - found.low) / 4;
}

/* Show an estimate. If all runs agree, its interval is omitted: it holds only rounding, which would
 * look like noise. */
static void show_estimate(og_document *row, og_estimate found)
{
    double error = spread_of(found);
    bool agree = is_constant(found);
    og_show_cell(row, "mean", "%s", mean_words(found.mean, error).text);
    og_show_cell(row, "standard_error", "%.2g", found.standard_error);
    og_show_cell(row, "interval", "%s .. %s",
                 mean_words(agree ? found.mean : found.low, error).text,
                 mean_words(agree ? found.mean : found.high, error).text);
}

/* True if a policy used fewer labels than there are. */
static bool any_stops(const simulate_report *seen)
{
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_simulate_row *row = &seen->found->rows[i];
        if (row->status == OG_OK && row->used < seen->asked->sizes.left) {
            return true;
        }
    }
    return false;
}

static void show_rows(og_document *document, const og_document *rows, const simulate_report *seen,
                      bool difference)
{
    bool share = seen->asked->sizes.metric.share;
    og_document *table = og_show_by_policy(document, rows);
    char heading[HEADING];
    snprintf(heading, sizeof heading, "%s\n%s",
             difference ? "more"
             : share    ? "share"
                        : "expected",
             share                               ? words_of(seen)->in_short
             : seen->asked->sizes.metric.sum     ? "reward"
             : seen->asked->sizes.metric.amount  ? "payoff"
             : seen->asked->sizes.metric.rewards ? "positive"
                                                 : "correct");
    og_show_column(table, heading, 'd', "mean", OG_SHOW_PLAIN);
    og_show_column(table, "standard\nerror", 'r', "standard_error", OG_SHOW_PLAIN);
    og_show_column(table, "95 % interval", 'l', "interval", OG_SHOW_PLAIN);
    if (!difference && share && seen->found->totals > OG_CALLED) {
        og_show_column(table, "called exactly\n(std. error)", 'l', "called", OG_SHOW_PLAIN);
    } else if (!difference && seen->asked->sizes.metric.amount && !seen->asked->sizes.metric.sum) {
        og_show_column(table, "paid\n(std. error)", 'l', "paid", OG_SHOW_PLAIN);
    } else if (!difference && has_accuracy(seen)) {
        og_show_column(table, "accuracy, %\n(std. error)", 'l', "accuracy", OG_SHOW_PLAIN);
    }
    if (!difference && any_stops(seen)) {
        og_show_column(table, "labels", 'd', "labels", OG_SHOW_PLAIN);
    }
}

/* The same as a table in a file. */
static void put_in_file(og_document *document, const og_document *rows, const simulate_report *seen)
{
    const og_metric metric = seen->asked->sizes.metric;
    const char *unit = metric.share     ? words_of(seen)->in_short
                       : metric.sum     ? "reward"
                       : metric.amount  ? "payoff"
                       : metric.rewards ? "positive labels"
                                        : "correct calls";
    og_file_rows(document, "policy", rows);
    og_file_column(document, "name", NULL, 'l', NULL, OG_SHOW_PLAIN);
    og_file_column(document, "ties", NULL, 'l', "ties", OG_SHOW_PLAIN);
    og_file_column(document, "mean", unit, 'd', "mean", OG_SHOW_VALUE);
    og_file_column(document, "standard error", unit, 'd', "standard_error", OG_SHOW_BOUND);
    og_file_column(document, "95 % from", unit, OG_CSV_ONLY, "interval/0", OG_SHOW_VALUE);
    og_file_column(document, "95 % to", unit, OG_CSV_ONLY, "interval/1", OG_SHOW_VALUE);
    og_file_column(document, "labels", NULL, any_stops(seen) ? 'd' : OG_CSV_ONLY, "labels",
                   OG_SHOW_VALUE);
}

/* True if beta:A,B is the prior of every instance. */
static bool truth_is_each_prior(const simulate_report *seen)
{
    const og_truth *truth = seen->truth;
    og_problem_text given = *seen->asked->from;
    og_groups groups = {0};
    og_message unseen, warning = {""};
    if (truth->kind != OG_TRUTH_BETA || truth->workers != NULL || given.history != NULL) {
        return false;
    }
    given.payoffs = true;
    given.warning = &warning;
    bool same = og_problem_text_instances(&given, &groups, &unseen) == OG_OK;
    for (int32_t i = 0; same && i < groups.group_count; i++) {
        const og_group *group = og_groups_at(&groups, i);
        same = group->kind == OG_PRIOR_BETA && og_fraction_compare(group->a, truth->a) == 0 &&
               og_fraction_compare(group->b, truth->b) == 0;
    }
    og_groups_clear(&groups);
    return same;
}

/* True if expectations are right: they are the truth's, or those of posteriors whose prior is the
 * truth. */
static bool posteriors_are_right(const simulate_report *seen)
{
    return seen->asked->sizes.metric.by_truth || og_truth_is_prior(seen->truth) ||
           truth_is_each_prior(seen);
}

/* Returns false if there is nothing to compare. */
static bool show_differences(og_document *document, const simulate_report *seen)
{
    const og_simulate_row *first = &seen->found->rows[seen->found->first_row];
    og_document *rows = og_show_rows(document);
    for (int32_t i = seen->found->first_row + 1; i < seen->found->row_count; i++) {
        const og_simulate_row *row = &seen->found->rows[i];
        if (row->status == OG_OK) {
            og_document *object = og_put_by_policy(rows, name_of(seen, row), row->ties);
            show_estimate(object, posteriors_are_right(seen) ? row->difference[OG_EXPECTED]
                                                             : row->difference[OG_CORRECT]);
        }
    }
    if (og_document_count(rows) > 0) {
        og_show_paragraph(document, "Minus %s (ties %s), run by run:", name_of(seen, first),
                          og_ties_name(first->ties));
        show_rows(document, rows, seen, true);
    }
    return og_document_count(rows) > 0;
}

/* Explain the intervals of shares, and intervals of width zero. */
static void show_interval_notes(og_document *document, const simulate_report *seen)
{
    bool constant = false;
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_simulate_row *row = &seen->found->rows[i];
        constant = constant ||
                   (row->status == OG_OK && (is_constant(row->metric[OG_EXPECTED]) ||
                                             (i > 0 && is_constant(row->difference[OG_EXPECTED]))));
    }
    if (seen->asked->sizes.metric.share) {
        og_show_paragraph(document, "Intervals of shares are Wilson's.");
    }
    if (constant) {
        og_show_paragraph(document,
                          "Standard error 0: all %" PRId64
                          " runs agree; rare runs that differ are not in the interval.",
                          seen->found->runs);
    }
}

/* "the same soft labels", if there are policies to compare. */
static void show_common(og_document *document, const simulate_report *seen, bool compared)
{
    if (compared) {
        og_show_paragraph(document,
                          "In each run all policies have %s, so differences are more precise than "
                          "values.",
                          seen->asked->sizes.metric.share ? words_of(seen)->same
                          : seen->asked->sizes.metric.by_truth
                              ? "the same accuracies, truths and first votes"
                          : seen->asked->sizes.metric.sum || by_model(seen)
                              ? "the same random number for the outcome of the n-th act"
                              : "the same soft labels and the same labels");
    }
}

/* The meaning of the columns. */
static void show_meaning(og_document *document, const simulate_report *seen)
{
    bool right = posteriors_are_right(seen);
    const char *wrong = right ? "" : ", which are wrong here, because the truth is not the prior";
    if (seen->asked->sizes.metric.share) {
        bool called = seen->found->totals > OG_CALLED;
        og_show_paragraph(document, "%s.%s", words_of(seen)->meaning,
                          called ? " Called exactly: with the calls of the exact posterior." : "");
    } else if (seen->asked->sizes.metric.sum) {
        og_show_paragraph(document, "Expected reward: the mean of the runs' sums of rewards and "
                                    "the value of the end.");
    } else if (seen->asked->sizes.metric.amount) {
        const char *less = seen->asked->sizes.priced ? " less the prices of labels" : "";
        og_show_paragraph(document,
                          "Expected payoff: of the calls by the last posteriors%s%s. Paid: their "
                          "actual payoff%s.",
                          less, wrong, less);
    } else if (seen->asked->sizes.metric.rewards) {
        og_show_paragraph(document,
                          "Expected positive: positive labels of %.0f, the mean of the "
                          "runs.",
                          size_of(seen));
    } else if (seen->asked->sizes.metric.by_truth) {
        og_show_paragraph(document,
                          "Expected correct: labels of %.0f that are right, expected from the "
                          "accuracies of the labelers asked. Accuracy: the share that is right.",
                          size_of(seen));
    } else if (seen->asked->sizes.metric.counted) {
        og_show_paragraph(document,
                          "Expected correct: calls of %.0f that are right, the mean of the runs. "
                          "Accuracy: their share.",
                          size_of(seen));
    } else {
        og_show_paragraph(document,
                          "Expected correct: calls of %.0f that are right by the last "
                          "posteriors%s.%s",
                          size_of(seen), wrong,
                          by_model(seen) ? "" : " Accuracy: the share that is right.");
    }
}

/* Notes on the accuracy of the figures above. */
static void show_notes(og_document *document, const simulate_report *seen, bool compared)
{
    show_meaning(document, seen);
    show_common(document, seen, compared);
    show_interval_notes(document, seen);
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_simulate_row *row = &seen->found->rows[i];
        if (row->status != OG_OK && i % seen->asked->request.ties_count == 0) {
            og_show_paragraph(
                document, "Not simulated: %s: %s%s.", name_of(seen, row), row->message.text,
                row->status == OG_STOPPED ? "; --max-index-time SECONDS allows more" : "");
        } else {
            og_show_tolerance(document, name_of(seen, row), og_ties_name(row->ties),
                              row->tolerance_ties);
        }
        if (i == 0 || row->policy != row[-1].policy) {
            og_show_reading(document, name_of(seen, row));
        }
    }
}

static void put_interval(og_document *object, const char *name, og_estimate found, double scale,
                         bool given)
{
    const double ends[] = {scale * found.low, scale * found.high};
    if (given) {
        og_put_numbers(object, name, ends, 2);
    } else {
        og_put_null(object, name);
    }
}

static void put_estimate(og_document *object, og_estimate found, bool given)
{
    og_put_result(object, "mean", given, found.mean);
    og_put_result(object, "standard_error", given, found.standard_error);
    put_interval(object, "interval", found, 1, given);
}

/* Add the earnings of calls, in place of their accuracy. */
static void put_paid(og_document *object, const og_simulate_row *row)
{
    og_estimate paid = row->metric[OG_CORRECT];
    put_estimate(og_put_object(object, "paid"), paid, row->status == OG_OK);
    if (row->status == OG_OK) {
        og_show_cell(object, "paid", "%s (%.2g)", mean_words(paid.mean, paid.standard_error).text,
                     paid.standard_error);
    }
}

static void put_counts(og_document *object, const simulate_report *seen, const og_simulate_row *row)
{
    const og_family *family = seen->asked->family;
    if (family->runs.put_counts != NULL) {
        family->runs.put_counts(seen->asked->problem, row->labels, object);
    } else {
        og_put_numbers(object, "by_instance", row->labels, seen->found->instances);
    }
}

static void show_counts(og_document *document, const simulate_report *seen,
                        const og_simulate_row *row)
{
    enum { SHOWN = 20, NUMBER = 16 };
    const og_family *family = seen->asked->family;
    const int64_t count = seen->found->instances;
    char words[SHOWN * NUMBER];
    og_text text = og_text_begin(words, sizeof words);
    if (family->runs.show_counts != NULL) {
        family->runs.show_counts(seen->asked->problem, name_of(seen, row), row->labels, document);
        return;
    }
    for (int64_t i = 0; i < count && i < SHOWN; i++) {
        og_text_add(&text, " %.3g", row->labels[i]);
    }
    og_show_paragraph(document, "%s: labels by instance 1, 2, ...:%s%s", name_of(seen, row), words,
                      count > SHOWN ? " ..." : "");
}

/* Add the further metric of a ranking. */
static void put_called(og_document *object, const simulate_report *seen, const og_simulate_row *row)
{
    if (seen->asked->sizes.metric.share && seen->found->totals > OG_CALLED) {
        og_estimate called = row->metric[OG_CALLED];
        put_estimate(og_put_object(object, "called"), called, row->status == OG_OK);
        if (row->status == OG_OK) {
            og_show_cell(object, "called", "%s (%.2g)",
                         mean_words(called.mean, spread_of(called)).text, called.standard_error);
        }
    }
}

/* Show the regret of a point, if it has one. */
static void show_regret(og_document *row, const og_document *point, int32_t at)
{
    double regret = og_document_number(og_document_find(point, "regret"));
    double error = og_document_number(og_document_find(point, "regret_standard_error"));
    char name[32];
    if (isfinite(regret)) {
        snprintf(name, sizeof name, "regret at %" PRId32, at);
        og_show_cell(row, name, "%s (%.2g)", mean_words(regret, error).text, error);
    }
}

/* Add the results at the budgets of a curve. */
static void put_points(og_document *object, const simulate_report *seen, const og_simulate_row *row)
{
    og_document *points = og_put_array(object, "points");
    for (int32_t k = 0; row->status == OG_OK && k < seen->source->at_count; k++) {
        const og_estimate *metric = &row->metric[seen->found->totals + k];
        og_document *point = og_put_object(points, NULL);
        char name[32];
        og_put_whole(point, seen->asked->family->runs.curves, (uint64_t)seen->source->at[k]);
        og_put_number(point, "accuracy", metric->mean);
        og_put_number(point, "standard_error", metric->standard_error);
        put_interval(point, "interval", *metric, 1, true);
        if (seen->asked->family->runs.put_point != NULL) {
            seen->asked->family->runs.put_point(name_of(seen, row), metric, seen->source->at_count,
                                                point);
        }
        snprintf(name, sizeof name, "at %" PRId32, seen->source->at[k]);
        double percent = 100 * metric->standard_error;
        og_show_cell(object, name, "%s (%.2g)", mean_words(100 * metric->mean, percent).text,
                     percent);
        show_regret(object, point, seen->source->at[k]);
    }
}

static void put_row(og_document *policies, const simulate_report *seen, const og_simulate_row *row)
{
    bool given = row->status == OG_OK;
    const og_metric metric = seen->asked->sizes.metric;
    double share = metric.amount || metric.rewards || by_model(seen) ? NAN : 1 / size_of(seen);
    og_document *object = og_put_by_policy(policies, name_of(seen, row), row->ties);
    og_put_text(object, "status", given ? "ok" : "limit");
    og_put_text(object, "limit", given ? NULL : row->message.text);
    put_estimate(object, row->metric[OG_EXPECTED], given);
    og_put_number(object, "accuracy", given ? share * row->metric[OG_CORRECT].mean : NAN);
    og_put_number(object, "accuracy_standard_error",
                  given ? share * row->metric[OG_CORRECT].standard_error : NAN);
    put_interval(object, "accuracy_interval", row->metric[OG_CORRECT], share,
                 given && !isnan(share));
    put_estimate(og_put_object(object, "difference"), row->difference[OG_EXPECTED], given);
    put_estimate(og_put_object(object, "correct_difference"), row->difference[OG_CORRECT], given);
    og_put_whole(object, "tolerance_ties", row->tolerance_ties);
    if (given && !isnan(row->used)) {
        og_put_number(object, "labels", row->used);
        og_show_cell(object, "labels", "%.5g", row->used);
    }
    put_called(object, seen, row);
    if (metric.amount && !metric.sum) {
        put_paid(object, row);
    }
    if (seen->source->at_count > 0) {
        put_points(object, seen, row);
    }
    if (given && row->labels != NULL) {
        put_counts(object, seen, row);
    }
    if (given) {
        show_estimate(object, row->metric[OG_EXPECTED]);
    }
    if (given && size_of(seen) > 0 && !isnan(share)) {
        double percent = 100 / size_of(seen);
        double error = percent * row->metric[OG_CORRECT].standard_error;
        og_show_cell(object, "accuracy", "%s (%.2g)",
                     mean_words(percent * row->metric[OG_CORRECT].mean, error).text, error);
    }
    if (!given) {
        og_show_cell(object, "interval", "not simulated");
    }
}

static void show_fields(og_document *document, const simulate_report *seen)
{
    bool share = seen->asked->sizes.metric.share;
    if (!seen->asked->sizes.metric.sum) {
        og_show_field(document, share ? words_of(seen)->without : "Without labels", "%s %s",
                      og_words_value(seen->found->call).text,
                      share                               ? words_of(seen)->of_what
                      : seen->asked->sizes.metric.amount  ? "expected payoff"
                      : seen->asked->sizes.metric.rewards ? "expected positive labels"
                                                          : "expected correct calls");
    }
    if (seen->truth->kind == OG_TRUTH_LIST && !share) {
        og_show_field(document, "Truth", "a list of %" PRId64 " soft labels", seen->truth->count);
    } else if (!og_truth_is_prior(seen->truth)) {
        og_show_field(document, "Truth", "%s", seen->truth_text);
    }
    og_show_field(document, "Runs", "%" PRId64 " (seed %" PRIu64 ")", seen->found->runs,
                  seen->asked->request.seed);
}

/* True if a policy has a regret at the last point. */
static bool has_regret(const og_document *policies)
{
    for (int32_t i = 0; i < og_document_count(policies); i++) {
        const og_document *points = og_document_find(og_document_child(policies, i), "points");
        int32_t count = og_document_count(points);
        const og_document *last = count > 0 ? og_document_child(points, count - 1) : NULL;
        if (isfinite(og_document_number(og_document_find(last, "regret")))) {
            return true;
        }
    }
    return false;
}

og_document *og_simulation_describe(const og_asked *asked, const og_source *source,
                                    const og_truth *truth, const og_simulation *found)
{
    const char *given = asked->request.truth;
    const simulate_report report = {asked, source, truth, given != NULL ? given : "prior", found},
                          *seen = &report;
    og_document *document = og_document_new();
    og_family_describe_problem(seen->asked->family, seen->asked->problem, document);
    og_put_number(document, "call_value", found->call);
    og_put_text(document, "truth", seen->truth_text);
    og_put_whole(document, "runs", (uint64_t)found->runs);
    og_put_whole(document, "seed", seen->asked->request.seed);
    og_put_whole(document, "difference_to", (uint64_t)found->first_row);
    og_put_number(document, "rounding", found->rounding);
    og_put_number(document, "seconds", found->seconds);
    og_document *policies = og_put_array(document, "policies");
    for (int32_t i = 0; i < found->row_count; i++) {
        put_row(policies, seen, &found->rows[i]);
    }
    show_fields(document, seen);
    show_rows(document, policies, seen, false);
    put_in_file(document, policies, seen);
    if (seen->source->at_count > 1) {
        const char *unit = seen->asked->family->runs.curves;
        char title[HEADING];
        snprintf(title, sizeof title, "%s, %%",
                 seen->asked->sizes.metric.share ? words_of(seen)->in_short : "accuracy");
        og_curve_show(document, policies, seen->source->at, seen->source->at_count,
                      &(og_curve_words){unit, title, "at "});
        if (has_regret(policies)) {
            og_curve_show(document, policies, seen->source->at, seen->source->at_count,
                          &(og_curve_words){unit, "regret", "regret at "});
        }
    }
    bool compared = show_differences(document, seen);
    for (int32_t i = 0; i < found->row_count; i++) {
        const og_simulate_row *row = &found->rows[i];
        if (row->status == OG_OK && row->labels != NULL) {
            show_counts(document, seen, row);
        }
    }
    show_notes(document, seen, compared);
    return document;
}
