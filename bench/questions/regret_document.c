/* Writes the regret over a list of priors. */
#include <inttypes.h>
#include <math.h>

#include "bench/describe.h"
#include "bench/questions/regret.h"
#include "bench/words.h"

enum { ROWS_MAX = 30, STATE_BYTES = 2048 };

static const char *name_of(const og_asked *asked, const og_regret_row *row)
{
    return row->policy < 0 ? "optimal" : asked->policies[row->policy].name;
}

static const char *belief_of(const og_regret *found, const og_regret_row *row)
{
    return row->belief < 0 ? "as given" : found->text[row->belief];
}

/* ---- for programs ---- */

static void put_priors(og_document *document, const og_regret *found)
{
    og_document *array = og_put_array(document, "priors");
    for (int32_t i = 0; i < found->prior_count; i++) {
        og_document *one = og_put_object(array, NULL);
        og_put_text(one, "prior", found->text[i]);
        og_put_result(one, "value", true, found->optimal[i]);
        if (found->optimal_exact != NULL) {
            og_put_fraction(one, "value_exact", found->optimal_exact[i]);
        }
        og_put_result(one, "error_bound", true, found->error[i]);
    }
}

static void put_fractions(og_document *one, const og_regret *found, const og_regret_row *row)
{
    if (row->status != OG_OK) {
        og_put_null(one, "largest_regret_exact");
        og_put_null(one, "regret_exact");
        return;
    }
    og_put_fraction(one, "largest_regret_exact", row->regret_exact[row->worst]);
    og_document *array = og_put_array(one, "regret_exact");
    for (int32_t i = 0; i < found->prior_count; i++) {
        og_put_fraction(array, NULL, row->regret_exact[i]);
    }
}

static void put_rows(og_document *document, const og_asked *asked, const og_regret *found)
{
    og_document *array = og_put_array(document, "policies");
    for (int32_t i = 0; i < found->row_count; i++) {
        const og_regret_row *row = &found->rows[i];
        og_document *one = og_put_by_policy(array, name_of(asked, row), row->ties);
        bool known = row->status == OG_OK;
        og_put_text(one, "believes", row->belief < 0 ? NULL : found->text[row->belief]);
        og_put_result(one, "largest_regret", known, row->regret[row->worst]);
        og_put_result(one, "error_bound", known, row->error[row->worst]);
        og_put_text(one, "worst_prior", known ? found->text[row->worst] : NULL);
        if (known) {
            og_put_numbers(one, "regret", row->regret, found->prior_count);
        } else {
            og_put_null(one, "regret");
        }
        if (asked->request.exact) {
            put_fractions(one, found, row);
        }
        og_put_text(one, "limit", known ? NULL : row->message.text);
    }
}

/* Append a state to an array. */
static bool put_state(void *user, int32_t left, const og_minimax_group *group, int32_t count,
                      int32_t choice)
{
    og_document *state = og_put_object(user, NULL);
    og_put_whole(state, "left", (uint64_t)left);
    og_document *groups = og_put_array(state, "groups");
    for (int32_t i = 0; i < count; i++) {
        og_document *one = og_put_object(groups, NULL);
        og_put_whole(one, "positive", (uint64_t)group[i].positive);
        og_put_whole(one, "negative", (uint64_t)group[i].negative);
        og_put_whole(one, "copies", (uint64_t)group[i].copies);
        og_put_whole(one, "class", (uint64_t)group[i].group);
        if (choice < 0) {
            og_put_bool(one, "called_positive", group[i].called);
        }
    }
    if (choice >= 0) {
        og_put_whole(state, "label", (uint64_t)choice);
    } else {
        og_put_null(state, "label");
    }
    return true;
}

static void put_minimax(og_document *document, const og_regret *found)
{
    const og_minimax *best = found->minimax;
    if (best == NULL) {
        og_put_null(document, "minimax");
        og_put_text(document, "minimax_limit", found->minimax_message.text);
        return;
    }
    og_document *object = og_put_object(document, "minimax");
    og_put_result(object, "lower", true, best->lower);
    og_put_result(object, "upper", true, best->upper);
    og_put_numbers(object, "mixture", best->weight, found->prior_count);
    og_put_numbers(object, "regret", best->regret, found->prior_count);
    og_document *policies = og_put_array(object, "policies");
    for (int32_t k = 0; k < best->policy_count; k++) {
        og_document *one = og_put_object(policies, NULL);
        og_put_number(one, "chance", best->chance[k]);
        if (best->told) {
            og_minimax_tell(best, k, put_state, og_put_array(one, "states"));
        } else {
            og_put_null(one, "states");
        }
    }
    og_put_whole(object, "rounds", (uint64_t)best->rounds);
    og_put_whole(object, "states", best->states);
    og_put_bool(object, "stopped", best->stopped);
}

/* ---- for people ---- */

static void show_priors(og_document *document, const og_regret *found)
{
    const og_minimax *best = found->minimax;
    og_document *rows = og_show_rows(document);
    for (int32_t i = 0; i < found->prior_count && i < ROWS_MAX; i++) {
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "prior", found->text[i]);
        og_put_result(row, "value", true, found->optimal[i]);
        og_put_fraction(row, "exactly",
                        found->optimal_exact != NULL ? found->optimal_exact[i] : NULL);
        if (best != NULL) {
            og_put_number(row, "weight", best->weight[i]);
            og_show_cell(row, "regret", "%s",
                         og_words_gap(best->regret[i], best->regret_error[i]).text);
        }
    }
    og_document *table = og_show_table(document, rows);
    og_show_column(table, "true\nprior", 'l', "prior", OG_SHOW_PLAIN);
    og_show_column(table, "optimal\nvalue", 'd', "value", OG_SHOW_VALUE);
    if (found->optimal_exact != NULL) {
        og_show_column(table, "\nexactly", 'l', "exactly", OG_SHOW_FRACTION);
    }
    if (best != NULL) {
        og_show_column(table, "regret of the\nminimax policy", 'd', "regret", OG_SHOW_PLAIN);
        og_show_column(table, "least\nfavourable", 'd', "weight", OG_SHOW_GAP);
    }
    if (found->prior_count > ROWS_MAX) {
        og_show_paragraph(document, "%" PRId32 " more priors are in JSON.",
                          found->prior_count - ROWS_MAX);
    }
}

static void show_rows(og_document *document, const og_asked *asked, const og_regret *found)
{
    og_document *rows = og_show_rows(document);
    for (int32_t i = 0; i < found->row_count && i < ROWS_MAX; i++) {
        const og_regret_row *from = found->order[i];
        og_document *row = og_put_by_policy(rows, name_of(asked, from), from->ties);
        og_put_text(row, "believes", belief_of(found, from));
        if (from->status == OG_OK) {
            og_show_cell(row, "largest", "%s",
                         og_words_gap(from->regret[from->worst], from->error[from->worst]).text);
            og_put_fraction(row, "exactly",
                            asked->request.exact ? from->regret_exact[from->worst] : NULL);
            og_put_text(row, "worst", found->text[from->worst]);
        } else {
            og_show_cell(row, "worst", "%.40s", from->message.text);
        }
    }
    og_document *table = og_show_by_policy(document, rows);
    og_show_column(table, "assumes", 'l', "believes", OG_SHOW_PLAIN);
    og_show_column(table, "largest\nregret", 'd', "largest", OG_SHOW_PLAIN);
    if (asked->request.exact) {
        og_show_column(table, "\nexactly", 'l', "exactly", OG_SHOW_FRACTION);
    }
    og_show_column(table, "if true\nis", 'l', "worst", OG_SHOW_PLAIN);
    if (found->row_count > ROWS_MAX) {
        og_show_paragraph(document, "%" PRId32 " more rows, of larger regret, are in JSON.",
                          found->row_count - ROWS_MAX);
    }
}

static void show_minimax(og_document *document, const og_regret *found)
{
    const og_minimax *best = found->minimax;
    if (best == NULL) {
        og_show_field(document, "Least largest", "not computed: %s", found->minimax_message.text);
        return;
    }
    og_show_field(document, "Least largest", "%s regret of any policy, proved within %s",
                  og_words_value((best->lower + best->upper) / 2).text,
                  og_words_bound((best->upper - best->lower) / 2).text);
    og_show_field(document, "By a draw of", "%" PRId32 " polic%s; %" PRId32 " rounds",
                  best->policy_count, best->policy_count == 1 ? "y" : "ies", best->rounds);
}

static og_document *describe(const og_asked *asked, const og_regret *found)
{
    og_document *document = og_document_new();
    asked->family->describe(asked->problem, document);
    put_priors(document, found);
    put_rows(document, asked, found);
    bool too_long =
        og_document_is_long(og_document_find(document, "priors"), "value_exact") ||
        og_document_is_long(og_document_find(document, "policies"), "largest_regret_exact");
    if (asked->request.minimax) {
        put_minimax(document, found);
        show_minimax(document, found);
    }
    show_priors(document, found);
    show_rows(document, asked, found);
    og_show_paragraph(document,
                      "Regret: the optimal value if this prior is true, for all instances, minus "
                      "the policy's value. Each policy assumes INSTANCE (as given) or one of the "
                      "priors.%s%s",
                      asked->request.minimax
                          ? " The minimax policy is drawn before the first label; no "
                            "policy has less regret on average over the least "
                            "favourable weights of the priors."
                          : "",
                      too_long ? og_fraction_note : "");
    return document;
}

/* ---- the question ---- */

/* Record a requested result that is missing in the report; only the first is kept. */
static void take_missing(og_asked *asked, og_status status, const char *what, const og_message *why)
{
    og_report *report = &asked->box->report;
    if (status != OG_OK && report->optimal_status == OG_OK) {
        report->optimal_status = status;
        og_message_set(&asked->warning, status, "%s was not found: %.300s", what, why->text);
    }
}

static void report_regret(og_asked *asked, const og_regret *found)
{
    og_report *report = &asked->box->report;
    og_report_policy *rows = og_report_rows(asked->box, found->row_count);
    for (int32_t i = 0; i < report->policy_count; i++) {
        const og_regret_row *from = &found->rows[i];
        og_report_policy out = og_report_row(asked, from->policy < 0 ? 0 : from->policy, from->ties,
                                             from->status, &from->message);
        out.policy = from->policy < 0 ? "optimal" : out.policy;
        if (from->status == OG_OK) {
            out.gap = from->regret[from->worst];
            out.gap_error = from->error[from->worst];
        }
        rows[i] = out;
        if (found->stopped) {
            take_missing(asked, from->status, "a regret", &from->message);
        }
    }
    if (asked->request.minimax) {
        take_missing(asked, found->minimax == NULL ? OG_STOPPED : OG_OK, "the least largest regret",
                     &found->minimax_message);
    }
    if (found->minimax != NULL) {
        report->lower = found->minimax->lower;
        report->upper = found->minimax->upper;
    }
}

static og_status check(const og_request *request, og_message *message)
{
    if (request->exact && request->minimax) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--minimax does not support --arithmetic exact; omit one of them");
    }
    return request->truth == NULL && request->believe == NULL && !request->explain
               ? og_check_exact(request, message)
               : og_message_set(
                     message, OG_BAD_INPUT,
                     "--priors does not support --truth, --assume and --explain; omit them");
}

static og_status answer(og_asked *asked, og_message *message)
{
    og_regret found;
    og_status status = og_regret_find(asked, &found, message);
    if (status == OG_OK) {
        report_regret(asked, &found);
        asked->box->document = describe(asked, &found);
    }
    og_regret_clear(&found);
    return status;
}

const og_question_kind og_question_regret = {
    .answer = answer, .check = check, .policies = true, .index_time = true, .own_time = true};
