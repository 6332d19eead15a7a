/* Writes the results of a search: the problem, its values, and the decision that loses. */
#include "bench/find/find_document.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench/describe.h"
#include "bench/questions/explain_document.h"
#include "bench/words.h"
#include "dp/base/rational.h"

enum { THRESHOLDS_BYTES = 40 * OG_ORDER_THRESHOLDS_MAX, CLAIM_BYTES = 256 };

/* ---- the claim ---- */

/* "gains at least 0.5 of what the optimum gains". */
static void claim_words(const og_asked *asked, const og_find_scope *scope, char words[CLAIM_BYTES])
{
    char share[40] = "";
    const og_policy_name *against = og_find_against(asked);
    const char *other = against != NULL ? against->name : "the optimum";
    if (scope->claim.share.den > 0) {
        og_fraction_format(scope->claim.share, share, sizeof share);
    }
    switch (scope->claim.kind) {
    case OG_CLAIM_OPTIMAL:
        snprintf(words, CLAIM_BYTES, "loses nothing against the optimum");
        return;
    case OG_CLAIM_EQUAL:
        snprintf(words, CLAIM_BYTES, "is worth what %.100s is worth", other);
        return;
    case OG_CLAIM_VALUE:
        snprintf(words, CLAIM_BYTES, "is worth at least %s of what %.100s is worth", share, other);
        return;
    case OG_CLAIM_GAIN:
        snprintf(words, CLAIM_BYTES, "gains at least %s of what %.100s gains", share, other);
        return;
    }
}

static const char *loss_words(const og_find_scope *scope, const og_found_problem *found)
{
    if (found->whole) {
        return scope->claim.kind == OG_CLAIM_GAIN
                   ? "in value: there is no gain to have a share of"
                   : "in value: there is no value to have a share of";
    }
    switch (scope->claim.kind) {
    case OG_CLAIM_OPTIMAL:
        return "the optimal value minus the policy's";
    case OG_CLAIM_EQUAL:
        return "the difference of the values";
    case OG_CLAIM_VALUE:
        return "the share of the value that is lost";
    case OG_CLAIM_GAIN:
        break;
    }
    return "the share of the gain that is lost";
}

static void put_search(og_document *document, const og_asked *asked, const og_find_scope *scope,
                       const og_found_problem *found)
{
    char claim[OG_CLAIM_TEXT_BYTES];
    const og_policy_name *against = og_find_against(asked);
    const og_order_grid *grid = &found->order.grid;
    og_document *object = og_put_object(document, "search");
    og_claim_text(&scope->claim, claim);
    og_put_text(object, "policy", asked->policies[0].name);
    og_put_text(object, "against", against != NULL ? against->name : NULL);
    og_put_text(object, "ties", og_ties_name(asked->request.ties[0]));
    og_put_text(object, "claim", claim);
    og_put_bool(object, "worst", scope->worst);
    og_put_whole(object, "instances", (uint64_t)grid->instances);
    og_put_whole(object, "budget", (uint64_t)grid->budget);
    og_put_whole(object, "parameter", (uint64_t)grid->parameter);
    og_put_text(object, "stakes", scope->stakes[0] != '\0' ? scope->stakes + 1 : NULL);
    og_document *thresholds = og_put_array(object, "thresholds");
    for (int32_t i = 0; i < grid->threshold_count; i++) {
        og_put_number(thresholds, NULL, og_fraction_double(grid->threshold[i]));
    }
    og_put_number(object, "problems", og_order_count(&found->order));
    og_put_whole(object, "settled", found->last.number);
    og_put_bool(object, "complete", found->complete);
    og_put_text(object, "limit", found->complete ? NULL : found->why.text);
    og_put_whole(object, "tolerance", found->tolerance);
}

static void show_search(og_document *document, const og_asked *asked, const og_find_scope *scope,
                        const og_found_problem *found)
{
    char words[CLAIM_BYTES], thresholds[THRESHOLDS_BYTES];
    const og_order_grid *grid = &found->order.grid;
    og_text text = og_text_begin(thresholds, sizeof thresholds);
    for (int32_t i = 0; i < grid->threshold_count; i++) {
        char number[40];
        og_fraction_format(grid->threshold[i], number, sizeof number);
        og_text_add(&text, "%s%s", i > 0 ? ", " : "", number);
    }
    claim_words(asked, scope, words);
    og_show_field(document, "Claim", "%s (ties %s) %s", asked->policies[0].name,
                  og_ties_name(asked->request.ties[0]), words);
    og_show_field(document, "Grid",
                  "instances up to %" PRId32 ", labels up to %" PRId32 ", parameters up to %" PRId32
                  ", threshold%s %s%s%s: %s problems",
                  grid->instances, grid->budget, grid->parameter,
                  grid->threshold_count > 1 ? "s" : "", thresholds,
                  scope->stakes[0] != '\0' ? "," : "", scope->stakes,
                  og_words_count(og_order_count(&found->order)).text);
}

/* ---- the answer ---- */

static void put_found(og_document *document, const og_find_scope *scope,
                      const og_found_problem *found)
{
    char text[OG_ORDER_TEXT_BYTES];
    const og_order_problem *best = &found->best;
    if (best->number == 0) {
        og_put_null(document, "found");
        return;
    }
    og_document *object = og_put_object(document, "found");
    og_order_text(&found->order, best, text);
    og_put_text(object, "text", text);
    og_put_whole(object, "budget", (uint64_t)best->budget);
    og_put_whole(object, "number", best->number);
    og_put_whole(object, "smaller", best->first - 1);
    og_put_number(object, "loss", og_nearest(found->loss));
    og_put_fraction(object, "loss_exact", found->loss);
    og_put_bool(object, "loss_is_share", scope->claim.share.den > 0 && !found->whole);
}

/* Show how far the search came, and its conclusions. */
static void show_settled(og_document *document, const og_find_scope *scope,
                         const og_found_problem *found)
{
    uint64_t settled = found->last.number, smaller = found->best.first - 1;
    if (found->best.number == 0) {
        og_show_field(document, "Found",
                      found->complete
                          ? "nothing: the claim holds for all %" PRIu64 " problems of the grid"
                          : "nothing so far: %" PRIu64 " problems were valued, and the claim holds",
                      settled);
    } else if (scope->worst) {
        og_show_field(document, "Worst of", "%" PRIu64 " problems that were valued", settled);
    } else {
        og_show_field(document, "Smaller ones", "%" PRIu64 ", and the claim holds for all of them",
                      smaller);
    }
}

static void show_point(og_document *document, const og_find_scope *scope,
                       const og_found_problem *found)
{
    char text[OG_ORDER_TEXT_BYTES];
    if (found->best.number > 0) {
        og_show_field(document, "Loss", "%s, %s", og_words_gap(og_nearest(found->loss), 0).text,
                      loss_words(scope, found));
        og_show_fraction(document, og_document_find(document, "found"), "loss_exact");
    }
    if (!found->complete && found->best.number > 0) {
        og_order_text(&found->order, &found->best, text);
        og_show_field(document, "So far", "-T %" PRId32 " %s", found->best.budget, text);
    }
    if (!found->complete && found->last.number > 0) {
        og_order_text(&found->order, &found->last, text);
        og_show_field(document, "Valued", "all problems up to -T %" PRId32 " %s",
                      found->last.budget, text);
    }
}

/* ---- the answer's values ---- */

static void put_row(og_document *policies, const og_found_problem *found, const og_compare_row *row)
{
    og_document *object = og_put_by_policy(policies, found->policies[row->policy].name, row->ties);
    og_put_result(object, "value", true, row->result.value);
    og_put_fraction(object, "value_exact", row->value_exact);
    og_put_result(object, "gain", true, row->result.gain);
    og_put_fraction(object, "gain_exact", row->gain_exact);
    og_put_result(object, "gap", true, row->gap);
    og_put_fraction(object, "gap_exact", row->gap_exact);
    og_put_number(object, "gap_percent", row->gap_percent);
    og_put_number(object, "gain_lost_percent", row->gain_lost_percent);
    og_put_whole(object, "tolerance_ties", row->tolerance_ties);
    if (row->explained) {
        og_explanation_put(object, found->family, found->problem, &row->explanation, NAN);
    } else {
        og_put_null(object, "explain");
    }
    og_put_text(object, "explain_limit", row->explained ? NULL : row->explain_message.text);
}

/* True if the loss is a policy's gap, which the field Loss has. */
static bool loses_gap(const og_find_scope *scope, const og_found_problem *found)
{
    return scope->claim.kind == OG_CLAIM_OPTIMAL && found->best.number > 0;
}

static void show_policies(og_document *document, const og_find_scope *scope,
                          const og_found_problem *found, const og_document *policies)
{
    og_document *table = og_show_by_policy(document, policies);
    og_show_column(table, "value exactly", 'l', "value_exact", OG_SHOW_FRACTION);
    if (!loses_gap(scope, found)) {
        og_show_column(table, "gap exactly", 'l', "gap_exact", OG_SHOW_FRACTION);
    }
    og_show_column(table, "gap, %\nof value", 'd', "gap_percent", OG_SHOW_GAP);
    og_show_column(table, "gain\nlost, %", 'd', "gain_lost_percent", OG_SHOW_GAP);
}

static void show_why(og_document *document, const og_found_problem *found,
                     const og_document *policies)
{
    static const og_metric labels = {0};
    bool any = false;
    for (int32_t i = 0; i < found->comparison.row_count; i++) {
        char name[OG_POLICY_NAME_BYTES + 32];
        const og_compare_row *row = &found->comparison.rows[i];
        any = any || (row->explained && row->explanation.decision_count > 0);
        snprintf(name, sizeof name, "%s (ties %s)", found->policies[row->policy].name,
                 og_ties_name(row->ties));
        if (row->explained) {
            og_explanation_show(document, name, &labels, &row->explanation,
                                og_document_find(og_document_child(policies, i), "explain"));
        } else {
            og_show_paragraph(document, "\nNot explained: %s: %s.", name,
                              row->explain_message.text);
        }
    }
    if (any) {
        og_explanations_end(document, &labels, false);
    }
}

static void describe_answer(og_document *document, const og_find_scope *scope,
                            const og_found_problem *found)
{
    const og_comparison *values = &found->comparison;
    og_family_describe_problem(found->family, found->problem, document);
    og_document *optimal = og_put_optimum(document, &values->optimal, true, true,
                                          values->optimal_exact, values->gain_exact);
    og_show_field(document, "Optimal value", "%s", og_words_value(values->optimal.value).text);
    og_show_fraction(document, optimal, "value_exact");
    show_point(document, scope, found);
    show_settled(document, scope, found);
    og_document *policies = og_put_array(document, "policies");
    for (int32_t i = 0; i < values->row_count; i++) {
        put_row(policies, found, &values->rows[i]);
    }
    show_policies(document, scope, found, policies);
    show_why(document, found, policies);
}

/* The meaning of "smaller", if that is shown, and of a problem of the grid. */
static void show_order(og_document *document, const og_find_scope *scope,
                       const og_found_problem *found)
{
    const og_order_grid *grid = &found->order.grid;
    const char *alike = grid->ordered && grid->apart ? ""
                        : grid->ordered ? " Mirror images of instances are the same problem."
                        : grid->apart   ? " Other orders of the instances are the same problem."
                                        : " Other orders of the instances, and mirror images of "
                                          "them, are the same problem.";
    if (found->best.number > 0 && !scope->worst) {
        og_show_paragraph(document,
                          "\nSmaller: fewer instances, then fewer labels, then a smaller largest "
                          "parameter, then a smaller sum of parameters; of equally small ones the "
                          "one with the largest loss.%s",
                          alike);
    } else if (*alike != '\0') {
        og_show_paragraph(document, "\n%s", alike + 1);
    }
}

og_document *og_find_describe(const og_asked *asked, const og_find_scope *scope,
                              const og_found_problem *found)
{
    og_document *document = og_document_new();
    put_search(document, asked, scope, found);
    put_found(document, scope, found);
    show_search(document, asked, scope, found);
    if (found->problem != NULL) {
        describe_answer(document, scope, found);
    } else {
        show_point(document, scope, found);
        show_settled(document, scope, found);
    }
    show_order(document, scope, found);
    if (found->tolerance > 0) {
        og_show_paragraph(document,
                          "In %" PRIu64
                          " problems indices were too close to tell apart, and tie within a "
                          "tolerance, also in these values.",
                          found->tolerance);
    }
    return document;
}
