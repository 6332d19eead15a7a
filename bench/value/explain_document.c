/* Why a policy loses: by labels left, and by its costliest decisions. */
#include "bench/value/explain_document.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/words.h"

enum {
    BAR_WIDTH = 40,
    POSTERIOR_BYTES = 1024,
};

static og_fraction plus(og_fraction value, int32_t labels)
{
    return (og_fraction){value.num + labels * value.den, value.den};
}

/* The instances of a group as a problem would give them. A mixture has no such words: its weights
 * have changed, so it stays what it was, and its labels are told beside it. */
static og_group posterior_of(const og_arms *arms, const og_decision_group *group)
{
    og_group now = *og_arm_prior(arms->arm[arms->arm_of_group[group->prior]]);
    now.count = group->copies;
    if (now.kind == OG_PRIOR_BETA) {
        now.a = plus(now.a, group->labels[0]);
        now.b = plus(now.b, group->labels[1]);
    }
    for (int32_t k = 0; now.kind == OG_PRIOR_DIRICHLET && k < now.part_count; k++) {
        now.alpha[k] = plus(now.alpha[k], group->labels[k]);
    }
    return now;
}

static void format_posterior(const og_arms *arms, const og_decision_group *group, int64_t count,
                             char text[POSTERIOR_BYTES])
{
    og_group now = posterior_of(arms, group);
    now.count = count;
    int used = og_group_format(&now, text, POSTERIOR_BYTES);
    if (now.kind == OG_PRIOR_MIXTURE && used > 0 && used < POSTERIOR_BYTES) {
        snprintf(text + used, POSTERIOR_BYTES - (size_t)used,
                 " after %" PRId32 " and %" PRId32 " labels", group->labels[0], group->labels[1]);
    }
}

/* Is the label drawn among instances, all alike? */
static bool drawn_alike(const og_decision *decision)
{
    const double rounding = 1e-9;
    double chosen = 0;
    double copies = 0;
    for (int32_t i = 0; i < decision->count; i++) {
        const og_decision_group *group = &decision->group[i];
        chosen += group->chosen;
        copies += group->chosen > 0 ? (double)group->copies : 0;
    }
    for (int32_t i = 0; i < decision->count; i++) {
        const og_decision_group *group = &decision->group[i];
        if (group->chosen > 0 &&
            fabs(group->chosen / chosen - (double)group->copies / copies) > rounding) {
            return false;
        }
    }
    return true;
}

/* The groups that are chosen, or optimal, one of each; posteriors that read alike are named once.
 */
static void show_groups(og_document *row, const og_arms *arms, const og_decision *decision,
                        bool optimal)
{
    char text[POSTERIOR_BYTES];
    char before[POSTERIOR_BYTES];
    bool shares = !optimal && !drawn_alike(decision);
    bool first = true;
    for (int32_t i = 0; i < decision->count; i++) {
        const og_decision_group *group = &decision->group[i];
        bool named = optimal ? !group->optimal : group->chosen == 0;
        format_posterior(arms, group, 1, text);
        for (int32_t j = 0; !named && !shares && j < i; j++) {
            const og_decision_group *other = &decision->group[j];
            format_posterior(arms, other, 1, before);
            named = (optimal ? other->optimal : other->chosen > 0) && strcmp(before, text) == 0;
        }
        if (!named) {
            og_show_cell(row, "text", "%s%s", first ? "" : " or ", text);
            first = false;
        }
        if (!named && shares) {
            og_show_cell(row, "text", " (%.3g %%)", 100 * group->chosen);
        }
    }
}

static void put_group(og_document *state, const og_arms *arms, const og_decision_group *group)
{
    og_group now = posterior_of(arms, group);
    bool mixture = now.kind == OG_PRIOR_MIXTURE;
    og_document *object = og_put_instance(state, &now, mixture ? "prior" : "posterior");
    og_document *labels = og_put_array(object, "labels");
    int32_t count = now.kind == OG_PRIOR_DIRICHLET ? now.part_count : 2;
    for (int32_t k = 0; k < count; k++) {
        og_put_whole(labels, NULL, (uint64_t)group->labels[k]);
    }
    og_put_number(object, "chosen", group->chosen);
    og_put_number(object, "q", group->q);
    og_put_bool(object, "optimal", group->optimal);
}

static void put_decision(og_document *decisions, const og_arms *arms, const og_decision *decision)
{
    char text[POSTERIOR_BYTES];
    og_document *object = og_put_object(decisions, NULL);
    og_put_whole(object, "left", (uint64_t)decision->left);
    og_put_number(object, "probability", decision->probability);
    og_put_number(object, "loss", decision->loss);
    og_put_number(object, "contribution", decision->contribution);
    og_document *state = og_put_array(object, "state");
    for (int32_t i = 0; i < decision->count; i++) {
        put_group(state, arms, &decision->group[i]);
        format_posterior(arms, &decision->group[i], decision->group[i].copies, text);
        og_show_cell(object, "text", "%s%s", i > 0 ? " " : "", text);
    }
    og_show_cell(object, "text", ": labels ");
    show_groups(object, arms, decision, false);
    og_show_cell(object, "text", "; optimal: ");
    show_groups(object, arms, decision, true);
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

void og_explanation_put(og_document *parent, const og_arms *arms, const og_explanation *explanation)
{
    og_document *object = og_put_object(parent, "explain");
    og_put_number(object, "total", explanation->total);
    og_put_number(object, "error_bound", explanation->error);
    og_put_whole(object, "states", explanation->states);
    put_stages(object, explanation);
    og_document *decisions = og_put_array(object, "decisions");
    for (int32_t i = 0; i < explanation->decision_count; i++) {
        put_decision(decisions, arms, &explanation->decision[i]);
    }
}

void og_explanation_show(og_document *document, const char *name, const og_explanation *explanation,
                         const og_document *explain)
{
    if (explanation->decision_count == 0) {
        og_show_paragraph(document, "\n%s loses nothing: it labels as optimal play could.", name);
        return;
    }
    og_show_paragraph(document, "\nWhy %s loses %s:", name,
                      og_words_gap(explanation->total, explanation->error).text);
    og_document *table = og_show_table(document, og_document_find(explain, "stages"));
    og_show_column(table, "labels\nleft", 'r', "left", OG_SHOW_PLAIN);
    og_show_column(table, "lost", 'd', "loss", OG_SHOW_GAP);
    og_show_column(table, "%", 'd', "percent", OG_SHOW_PLAIN);
    og_show_column(table, "", 'l', "bar", OG_SHOW_PLAIN);
    table = og_show_table(document, og_document_find(explain, "decisions"));
    og_show_column(table, "adds", 'd', "contribution", OG_SHOW_GAP);
    og_show_column(table, "labels\nleft", 'r', "left", OG_SHOW_PLAIN);
    og_show_column(table, "probability", 'd', "probability", OG_SHOW_GAP);
    og_show_column(table, "lost\nthere", 'd', "loss", OG_SHOW_GAP);
    og_show_column(table, "state, what is labelled, what is optimal", 'l', "text", OG_SHOW_PLAIN);
}
