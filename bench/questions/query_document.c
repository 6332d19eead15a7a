/*
 * Writes the acts of one state with their Q, and the choice of each policy. Acts of independent
 * instances are called "instances", those of other families "actions".
 */
#include "bench/questions/query_document.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bench/describe.h"
#include "bench/words.h"

enum { ACT_BYTES = 1024 };

typedef struct {
    const og_asked *asked;
    const og_query_result *found;
    og_problem_size sizes;
    int32_t best; /* og_query_best */
} query_report;

static const char *verdict(const query_report *seen, int32_t i)
{
    const og_query_result *found = seen->found;
    if (found->lower != NULL) {
        bool possible = found->upper[i] >= found->lower[seen->best];
        return found->optimal[i] ? "proved optimal" : possible ? "open" : "proved worse";
    }
    if (!found->optimal[i]) {
        return "";
    }
    return found->near_tie[i] ? "near-tie" : "optimal";
}

/* Appends the words of an act to a row's cell. */
static void show_act(const query_report *seen, int32_t act, og_document *row, const char *name,
                     const char *before)
{
    char words[ACT_BYTES];
    if (!og_document_is_bare(row)) {
        seen->asked->family->words.act_text(seen->asked->problem, seen->found->act[act].act, words,
                                            sizeof words);
        og_show_cell(row, name, "%s%s", before, words);
    }
}

static const char *between_acts(const query_report *seen)
{
    return og_family_words_of(seen->asked->family).acts_between;
}

static og_document *put_acts(og_document *document, const query_report *seen)
{
    const og_family *family = seen->asked->family;
    const og_query_result *found = seen->found;
    og_document *acts = og_put_array(document, og_family_words_of(family).acts_name);
    for (int32_t i = 0; i < found->count; i++) {
        bool any = found->q != NULL && found->lower == NULL;
        og_document *object =
            og_family_put_act(family, seen->asked->problem, found->act[i].act, acts);
        double error = any ? found->q_error[i] : INFINITY;
        bool known = any && (error != INFINITY || isfinite(found->q[i])); /* not many features */
        og_put_result(object, "q", known, known ? found->q[i] : NAN);
        if (seen->asked->request.exact) {
            og_put_fraction(object, "q_exact", found->q_exact != NULL ? found->q_exact[i] : NULL);
        }
        og_put_result(object, "error_bound", error != INFINITY, error);
        og_put_result(object, "lost", known, known ? found->lost[i] : NAN);
        if (found->lower != NULL) {
            og_put_result(object, "q_lower", true, found->lower[i]);
            og_put_result(object, "q_upper", true, found->upper[i]);
            og_put_result(object, "lost_at_most", true, found->at_most[i]);
        }
        og_put_bool(object, "optimal", found->optimal[i]);
        og_put_bool(object, "near_tie", found->near_tie[i]);
        show_act(seen, i, object, "text", "");
        og_show_cell(object, "optimal", "%s", verdict(seen, i));
    }
    return acts;
}

/* True if nothing is known of an act but the policies' indices. */
static bool only_indices(const query_report *seen)
{
    return seen->found->lower != NULL && seen->asked->family->model.arms == NULL;
}

/* An act and its index; acts that tie come first, in their order, then the largest index. */
typedef struct {
    int32_t act;
    bool picked;
    double index;
} leader;

static int compare_leaders(const void *left, const void *right)
{
    const leader *x = left, *y = right;
    if (x->picked != y->picked) {
        return x->picked ? -1 : 1;
    }
    if (!x->picked && x->index != y->index && !isnan(x->index)) {
        return x->index > y->index ? -1 : 1;
    }
    return (x->act > y->act) - (x->act < y->act);
}

/* The best ten acts of a policy: into "leading", by policy, and as the cell "best" of its picks. */
static void put_leaders(og_document *leading, og_document *picks, const query_report *seen,
                        int32_t policy)
{
    enum { LEADERS = 10 };
    const og_query_result *found = seen->found;
    size_t first = (size_t)policy * (size_t)found->count;
    og_document *rows = og_put_array(leading, og_policy_name_shown(&seen->asked->policies[policy]));
    leader *all = calloc((size_t)found->count + 1, sizeof *all);
    int32_t tied = 0;
    if (all == NULL) {
        og_document_fail(leading);
        return;
    }
    for (int32_t i = 0; i < found->count; i++) {
        all[i] = (leader){i, found->pick[first + (size_t)i], found->index[first + (size_t)i]};
        tied += all[i].picked;
    }
    qsort(all, (size_t)found->count, sizeof *all, compare_leaders);
    for (int32_t i = 0; i < LEADERS && i < found->count; i++) {
        if (!all[i].picked && isnan(all[i].index)) {
            break;
        }
        og_document *row = og_put_object(rows, NULL);
        og_put_whole(row, "action", (uint64_t)all[i].act);
        og_put_number(row, "index", all[i].index);
        show_act(seen, all[i].act, picks, "best", i > 0 ? between_acts(seen) : "");
        if (!isnan(all[i].index)) {
            og_show_cell(picks, "best", " (%.6g)", all[i].index + 0.0);
        }
    }
    og_show_cell(picks, "tied", "%" PRId32, tied);
    free(all);
}

static double largest_q(const og_query_result *found)
{
    double best = 0;
    for (int32_t j = 0; j < found->count; j++) {
        best = fmax(best, found->lower != NULL ? found->upper[j] : found->q[j]);
    }
    return best;
}

/* The choices of each policy, and the least and the largest loss among them. */
static og_document *put_policies(og_document *document, const query_report *seen)
{
    const og_query_result *found = seen->found;
    og_document *policies = og_put_object(document, "policies");
    og_document *leading = only_indices(seen) ? og_put_object(document, "leading") : NULL;
    for (int32_t i = 0; i < found->policy_count; i++) {
        const bool *pick = found->pick + (size_t)i * (size_t)found->count;
        og_document *picks =
            og_put_array(policies, og_policy_name_shown(&seen->asked->policies[i]));
        double least = INFINITY;
        double largest = 0;
        for (int32_t j = 0; j < found->count; j++) {
            if (pick[j]) {
                show_act(seen, j, picks, "picks",
                         og_document_count(picks) > 0 ? between_acts(seen) : "");
                og_put_whole(picks, NULL, (uint64_t)j);
                least = fmin(least, found->lost[j]);
                largest = fmax(largest, found->lower != NULL ? found->at_most[j] : found->lost[j]);
            }
        }
        if (found->stops[i]) { /* which loses what the best act would gain */
            double best = largest_q(found);
            og_show_cell(picks, "picks", "%sstop",
                         og_document_count(picks) > 0 ? between_acts(seen) : "");
            og_put_text(picks, NULL, "stop");
            least = fmin(least, best);
            largest = fmax(largest, best);
        }
        if (found->lower != NULL && og_document_count(picks) > 0) {
            og_show_cell(picks, "lost", "%s%s", largest > 0 ? "at most " : "",
                         og_words_most(largest).text);
        } else if (isfinite(least)) {
            og_show_cell(picks, "lost", "%s", og_words_gap(least, 0).text);
        }
        if (found->not_made[i].text[0] != '\0') {
            og_show_cell(picks, "picks", "not computed: %s", found->not_made[i].text);
        }
        if (found->lower == NULL && largest > least) {
            og_show_cell(picks, "lost", " to %s", og_words_gap(largest, 0).text);
        }
        if (leading != NULL) {
            put_leaders(leading, picks, seen, i);
        }
    }
    return policies;
}

/* The numbers that each policy chose by, in the order of the acts; without a policy that has some,
 * nothing. */
static void put_indices(og_document *document, const query_report *seen)
{
    const og_query_result *found = seen->found;
    og_document *indices = og_put_object(document, "indices");
    for (int32_t i = 0; i < found->policy_count; i++) {
        const double *index = found->index + (size_t)i * (size_t)found->count;
        bool any = false;
        for (int32_t j = 0; j < found->count; j++) {
            any = any || !isnan(index[j]);
        }
        if (any && found->not_made[i].text[0] == '\0') {
            og_put_numbers(indices, og_policy_name_shown(&seen->asked->policies[i]), index,
                           found->count);
        }
    }
}

static bool has_counts(const og_document *acts)
{
    return og_document_find(og_document_child(acts, 0), "count") != NULL;
}

static void show_leaders(og_document *document, const query_report *seen, og_document *policies)
{
    og_document *grid = og_show_table(document, policies);
    og_show_column(grid, "policy", 'l', NULL, OG_SHOW_PLAIN);
    og_show_column(grid, "tied", 'r', "tied", OG_SHOW_PLAIN);
    og_show_column(grid, "best (index)", 'l', "best", OG_SHOW_PLAIN);
    og_show_paragraph(document,
                      "Tied: %ss of %" PRId32 " that the policy would choose from. Best: ten at "
                      "most. Not computed: the value of a choice (%s).",
                      og_family_words_of(seen->asked->family).act_name, seen->found->count,
                      seen->found->why.text);
}

static void show_tables(og_document *document, const query_report *seen, og_document *acts,
                        og_document *policies)
{
    og_document *grid = og_show_table(document, acts);
    og_show_column(grid, og_family_words_of(seen->asked->family).act_name, 'l', "text",
                   OG_SHOW_PLAIN);
    if (has_counts(acts)) {
        og_show_column(grid, "count", 'r', "count", OG_SHOW_PLAIN);
    }
    if (seen->found->lower != NULL) {
        og_show_column(grid, "Q at least", 'd', "q_lower", OG_SHOW_VALUE);
        og_show_column(grid, "at most", 'd', "q_upper", OG_SHOW_VALUE);
        og_show_column(grid, "lost at most", 'd', "lost_at_most", OG_SHOW_GAP);
    } else {
        og_show_column(grid, "Q", 'd', "q", OG_SHOW_VALUE);
    }
    if (seen->asked->request.exact) {
        og_show_column(grid, "exactly", 'l', "q_exact", OG_SHOW_FRACTION);
    }
    if (seen->found->lower == NULL) {
        og_show_column(grid, "lost", 'd', "lost", OG_SHOW_GAP);
    }
    og_show_column(grid, "", 'l', "optimal", OG_SHOW_PLAIN);
    if (seen->found->policy_count == 0) {
        return;
    }
    grid = og_show_table(document, policies);
    og_show_column(grid, "policy", 'l', NULL, OG_SHOW_PLAIN);
    og_show_column(grid, "lost", 'd', "lost", OG_SHOW_PLAIN);
    og_show_column(grid, "would label", 'l', "picks", OG_SHOW_PLAIN);
}

static void file_tables(og_document *document, const query_report *seen, const og_document *acts,
                        const og_document *policies)
{
    const char *unit = seen->sizes.metric.unit;
    bool solved = seen->found->lower == NULL;
    const char known = solved ? 'd' : OG_CSV_ONLY, bracket = solved ? OG_CSV_ONLY : 'd';
    og_file_rows(document, og_family_words_of(seen->asked->family).act_name, acts);
    og_file_rows(document, "policy", policies);
    og_file_column(document, "name", NULL, 'l', NULL, OG_SHOW_PLAIN);
    og_file_column(document, "a", NULL, OG_CSV_ONLY, "posterior/0", OG_SHOW_PLAIN);
    og_file_column(document, "b", NULL, OG_CSV_ONLY, "posterior/1", OG_SHOW_PLAIN);
    og_file_column(document, "count", NULL, OG_CSV_ONLY, "count", OG_SHOW_PLAIN);
    og_file_column(document, "Q", unit, known, "q", OG_SHOW_VALUE);
    og_file_column(document, "Q exactly", NULL, seen->asked->request.exact ? 'l' : OG_CSV_ONLY,
                   "q_exact", OG_SHOW_FRACTION);
    og_file_column(document, "error at most", unit, OG_CSV_ONLY, "error_bound", OG_SHOW_BOUND);
    og_file_column(document, "lost", unit, known, "lost", OG_SHOW_GAP);
    og_file_column(document, "Q at least", unit, bracket, "q_lower", OG_SHOW_VALUE);
    og_file_column(document, "Q at most", unit, bracket, "q_upper", OG_SHOW_VALUE);
    og_file_column(document, "lost at most", unit, bracket, "lost_at_most", OG_SHOW_MOST);
    og_file_column(document, "optimal", NULL, 'l', "optimal", OG_SHOW_PLAIN);
    og_file_column(document, "near-tie", NULL, OG_CSV_ONLY, "near_tie", OG_SHOW_PLAIN);
    og_file_column(document, "would label", NULL, 'l', "picks", OG_SHOW_PLAIN);
}

static bool has_near_tie(const og_query_result *found)
{
    bool some = false;
    for (int32_t i = 0; i < found->count; i++) {
        some = some || found->near_tie[i];
    }
    return some;
}

/* Show the proved bounds if the Qs are unknown, and how to obtain more. */
static void show_bracket(og_document *document, const query_report *seen)
{
    const og_query_result *found = seen->found;
    char words[ACT_BYTES];
    int32_t best = seen->best;
    double most = found->at_most[best];
    seen->asked->family->words.act_text(seen->asked->problem, found->act[best].act, words,
                                        sizeof words);
    if (found->optimal[best]) {
        og_show_paragraph(document, "Labelling %s is proved optimal.", words);
    } else {
        og_show_paragraph(document,
                          "Labelling %s is proved to lose at most %s; whether it is optimal is "
                          "open.",
                          words, og_words_most(most).text);
    }
    og_show_paragraph(
        document,
        "Q: expected %s still to be gained if this is labelled now and all later choices are "
        "optimal. Its value was not computed (%s); proved: %s.%s",
        seen->sizes.metric.unit, found->why.text,
        seen->asked->family->model.arms == NULL
            ? "it is at least 0 and at most the share that is still out of order"
            : "it is at least the value of a policy that labels one instance after the other, and "
              "at most a bound with a price for each label",
        !(seen->asked->request.seconds_max > 0) && seen->asked->family->model.arms != NULL
            ? " --time-limit SECONDS searches for it that long."
            : "");
}

/* Explain Q and its accuracy. */
static void show_accuracy(og_document *document, const query_report *seen, const og_document *acts)
{
    bool exact = seen->asked->request.exact;
    double error = 0;
    for (int32_t i = 0; i < seen->found->count; i++) {
        error = fmax(error, seen->found->q_error[i]);
    }
    og_show_paragraph(
        document,
        "Q: expected %s still to be gained if this is %s now and all later choices are "
        "optimal (%s%s). Lost: the best Q minus this Q.%s",
        seen->sizes.metric.unit, seen->sizes.metric.sum ? "done" : "labelled",
        exact             ? "exact, decimals are rounded"
        : isfinite(error) ? "error at most "
                          : "without a bound of its error",
        exact || !isfinite(error) ? "" : og_words_bound(error).text,
        og_document_is_long(acts, "q_exact") ? og_fraction_note : "");
    if (has_near_tie(seen->found)) {
        og_show_paragraph(
            document,
            "Near-tie: the best Qs differ by less than their error; which one is best is open%s.",
            seen->sizes.rational ? ": --arithmetic exact settles it"
                                 : ", as this problem has no fractions");
    }
    for (int32_t i = 0; i < seen->found->policy_count; i++) {
        og_show_tolerance(document, og_policy_name_shown(&seen->asked->policies[i]), NULL,
                          seen->found->tolerance_ties[i]);
    }
    if (seen->asked->family->words.note != NULL) {
        og_show_paragraph(document, "%s", seen->asked->family->words.note);
    }
}

og_document *og_query_describe(const og_asked *asked, const og_query_result *found)
{
    query_report report = {.asked = asked, .found = found, .best = og_query_best(found)};
    asked->family->model.sizes(asked->problem, &report.sizes);
    og_document *document = asked->for_program ? og_document_new_bare() : og_document_new();
    og_family_describe_problem(asked->family, asked->problem, document);
    og_put_whole(document, "budget", (uint64_t)report.sizes.budget);
    og_put_whole(document, "left", (uint64_t)report.sizes.left);
    og_put_result(document, "q", report.sizes.left > 0 && found->lower == NULL, found->best);
    og_put_text(document, "accuracy", asked->request.exact ? "exact" : "double");
    if (found->lower != NULL) {
        og_document *bracket = og_put_object(document, "bracket");
        og_put_whole(bracket, "best", (uint64_t)report.best);
        og_put_result(bracket, "lost_at_most", true, found->at_most[report.best]);
        og_put_text(bracket, "limit", found->why.text);
    }
    og_document *acts = put_acts(document, &report);
    og_document *policies = put_policies(document, &report);
    put_indices(document, &report);
    if (asked->for_program) {
        return document;
    }
    file_tables(document, &report, acts, policies);
    if (report.sizes.budget != report.sizes.left) {
        og_show_field(document, "Whole budget", "%" PRId32, report.sizes.budget);
    }
    if (report.sizes.left > 0 && only_indices(&report) && found->policy_count > 0) {
        show_leaders(document, &report, policies);
    } else if (report.sizes.left > 0) {
        show_tables(document, &report, acts, policies);
        if (found->lower != NULL) {
            show_bracket(document, &report);
        } else {
            show_accuracy(document, &report, acts);
        }
    } else {
        og_show_paragraph(document, "No %s are left, so there is no choice.",
                          report.sizes.metric.sum ? "acts" : "labels");
    }
    return document;
}

/* ---- the question ---- */

static og_status answer(og_asked *asked, og_message *message)
{
    og_query_result found = {0};
    OG_TRY(og_query_run(asked, &found, message));
    asked->limit = found.lower != NULL ? og_stop_look(&asked->stop) : OG_LIMIT_NONE;
    if (asked->limit == OG_LIMIT_INTERRUPT) {
        og_message_set(message, OG_STOPPED, "%s", found.why.text);
        og_query_clear(&found);
        return OG_STOPPED;
    }
    asked->document = og_query_describe(asked, &found);
    og_query_clear(&found);
    return OG_OK;
}

const og_question_kind og_question_query = {.answer = answer, .policies = true};
