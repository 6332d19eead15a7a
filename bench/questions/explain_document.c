/* Writes why a policy loses: by labels left, and in its costliest decisions. */
#include "bench/questions/explain_document.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bench/words.h"

enum { BAR_WIDTH = 40 };

/* True if all acts are chosen with equal probability. */
static bool drawn_alike(const og_decision *decision)
{
    const double rounding = 1e-9;
    double chosen = 0;
    double copies = 0;
    for (int32_t i = 0; i < decision->count; i++) {
        const og_decision_act *act = &decision->act[i];
        chosen += act->chosen;
        copies += act->chosen > 0 ? (double)act->copies : 0;
    }
    for (int32_t i = 0; i < decision->count; i++) {
        const og_decision_act *act = &decision->act[i];
        if (act->chosen > 0 &&
            fabs(act->chosen / chosen - (double)act->copies / copies) > rounding) {
            return false;
        }
    }
    return true;
}

/* Show the chosen acts, or the optimal ones; acts with equal text are named once. */
static void show_acts(og_document *row, const og_decision *decision, bool optimal)
{
    bool shares = !optimal && !drawn_alike(decision);
    bool first = true;
    for (int32_t i = 0; i < decision->count; i++) {
        const og_decision_act *act = &decision->act[i];
        bool named = optimal ? !act->optimal : act->chosen == 0;
        for (int32_t j = 0; !named && !shares && j < i; j++) {
            const og_decision_act *other = &decision->act[j];
            named = (optimal ? other->optimal : other->chosen > 0) &&
                    strcmp(other->text, act->text) == 0;
        }
        if (!named) {
            og_show_cell(row, "text", "%s%s", first ? "" : " or ", act->text);
            first = false;
        }
        if (!named && shares) {
            og_show_cell(row, "text", " (%.3g %%)", 100 * act->chosen);
        }
    }
}

static void put_act(og_document *state, const og_family *family, const void *problem,
                    const og_decision_act *act)
{
    og_document *object = NULL;
    if (family->words.put_step != NULL) {
        object = family->words.put_step(problem, act->act, act->copies, state);
    } else {
        object = og_put_object(state, NULL);
        og_put_text(object, "text", act->text);
    }
    og_put_number(object, "chosen", act->chosen);
    og_put_result(object, "q", true, act->q);
    og_put_bool(object, "optimal", act->optimal);
}

/* Show a state's text with single blanks. */
static void show_state(og_document *row, const char *text)
{
    for (const char *part = text; *part != '\0';) {
        size_t length = strcspn(part, " ");
        og_show_cell(row, "text", "%.*s%s", (int)length, part, part[length] == ' ' ? " " : "");
        part += length;
        part += strspn(part, " ");
    }
}

static void put_decision(og_document *decisions, const og_family *family, const void *problem,
                         const og_decision *decision)
{
    og_document *object = og_put_object(decisions, NULL);
    og_put_whole(object, "left", (uint64_t)decision->left);
    og_put_number(object, "probability", decision->probability);
    og_put_number(object, "loss", decision->loss);
    og_put_number(object, "contribution", decision->contribution);
    if (family->words.put_step == NULL) {
        og_put_text(object, "words", decision->text);
    }
    og_document *state = og_put_array(object, "state");
    for (int32_t i = 0; i < decision->count; i++) {
        put_act(state, family, problem, &decision->act[i]);
    }
    show_state(object, decision->text);
    const char *verb = og_family_words_of(family).verb;
    int first = (int)strcspn(verb, " "); /* "asks for" */
    og_show_cell(object, "text", ": %.*ss%s ", first, verb, &verb[first]);
    show_acts(object, decision, false);
    og_show_cell(object, "text", "; optimal: ");
    show_acts(object, decision, true);
}

static void put_stages(og_document *object, const og_explanation *explanation)
{
    static const char bar[BAR_WIDTH + 1] = "########################################";
    og_document *stages = og_put_array(object, "stages");
    double most = 0;
    for (int32_t left = explanation->budget; left >= 1; left--) {
        most = fmax(most, explanation->stage[left]);
    }
    for (int32_t left = explanation->budget; left >= 1; left--) {
        double lost = explanation->stage[left];
        og_document *stage = og_put_object(stages, NULL);
        og_put_whole(stage, "left", (uint64_t)left);
        og_put_number(stage, "loss", lost);
        og_show_cell(stage, "percent", "%.1f", lost > 0 ? 100 * lost / explanation->total : 0);
        og_show_cell(stage, "bar", "%.*s", lost > 0 ? (int)ceil(BAR_WIDTH * lost / most) : 0, bar);
    }
}

void og_explanation_put(og_document *parent, const og_family *family, const void *problem,
                        const og_explanation *explanation, double calls)
{
    og_document *object = og_put_object(parent, "explain");
    og_put_number(object, "total", explanation->total);
    if (!isnan(calls)) {
        og_put_number(object, "calls", calls);
    }
    og_put_result(object, "error_bound", true, explanation->error);
    og_put_whole(object, "states", explanation->states);
    put_stages(object, explanation);
    og_document *decisions = og_put_array(object, "decisions");
    for (int32_t i = 0; i < explanation->decision_count; i++) {
        put_decision(decisions, family, problem, &explanation->decision[i]);
    }
}

/* ", and 0.001 by its own final calls"; empty if they lose nothing. */
static void calls_words(const og_document *explain, char *text, size_t size)
{
    const double rounding = 1e-13;
    double calls = og_document_number(og_document_find(explain, "calls"));
    if (calls > rounding) {
        snprintf(text, size, ", and %s by its own final calls", og_words_gap(calls, rounding).text);
    }
}

void og_explanation_show(og_document *document, const char *name, const og_metric *metric,
                         const og_explanation *explanation, const og_document *explain)
{
    const char *left = metric->sum ? "acts\nleft" : "labels\nleft";
    const char *acts = metric->sum ? "acts" : "labels";
    char calls[96] = "";
    calls_words(explain, calls, sizeof calls);
    if (explanation->decision_count == 0) {
        og_show_paragraph(document, "\n%s loses nothing%s%s: each of its %s is optimal%s.", name,
                          calls[0] != '\0' ? " by its " : "", calls[0] != '\0' ? acts : "", acts,
                          calls);
        return;
    }
    og_show_paragraph(document, "\nWhy %s loses %s%s%s%s:", name,
                      og_words_gap(explanation->total, explanation->error).text,
                      calls[0] != '\0' ? " by its " : "", calls[0] != '\0' ? acts : "", calls);
    og_document *table = og_show_table(document, og_document_find(explain, "stages"));
    og_show_column(table, left, 'r', "left", OG_SHOW_PLAIN);
    og_show_column(table, "lost", 'd', "loss", OG_SHOW_GAP);
    og_show_column(table, "%", 'd', "percent", OG_SHOW_PLAIN);
    og_show_column(table, "", 'l', "bar", OG_SHOW_PLAIN);
    table = og_show_table(document, og_document_find(explain, "decisions"));
    og_show_column(table, "adds", 'd', "contribution", OG_SHOW_GAP);
    og_show_column(table, left, 'r', "left", OG_SHOW_PLAIN);
    og_show_column(table, "probability", 'd', "probability", OG_SHOW_GAP);
    og_show_column(table, "lost\nthere", 'd', "loss", OG_SHOW_GAP);
    og_show_column(table,
                   metric->sum ? "state, choice, what is optimal"
                               : "state, what is labelled, what is optimal",
                   'l', "text", OG_SHOW_PLAIN);
}

void og_explanations_end(og_document *document, const og_metric *metric, bool calls)
{
    og_show_paragraph(
        document,
        "Lost: the optimal %s still to come minus that after the policy's %s, on average over the "
        "states that the policy reaches; these losses%s add up to its gap. Adds: the probability "
        "of "
        "the state times what is lost there.",
        metric->sum ? "reward" : "gain", metric->sum ? "act" : "label",
        calls ? " and those by its final calls" : "");
}
