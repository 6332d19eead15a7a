/* Why a policy loses, as tables and as JSON. */
#include "tools/show/explained.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/show/json.h"
#include "tools/show/number.h"
#include "tools/show/table.h"

enum {
    BAR_WIDTH = 40,
    POSTERIOR_BYTES = 1024,
    WORDS_BYTES = 4096,
};

static og_fraction plus(og_fraction value, int32_t labels)
{
    return (og_fraction){value.num + labels * value.den, value.den};
}

/* The instances of a group as a problem would give them. A mixture has no such words: its weights
 * have changed, so it stays what it was, and its labels are told beside it. */
static og_group posterior_of(const og_problem *problem, const og_decision_group *group)
{
    og_group now = problem->groups[group->prior];
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

static void format_posterior(const og_problem *problem, const og_decision_group *group,
                             int64_t count, char text[POSTERIOR_BYTES])
{
    og_group now = posterior_of(problem, group);
    now.count = count;
    int used = og_group_format(&now, text, POSTERIOR_BYTES);
    if (now.kind == OG_PRIOR_MIXTURE && used > 0 && used < POSTERIOR_BYTES) {
        snprintf(text + used, POSTERIOR_BYTES - (size_t)used,
                 " after %" PRId32 " and %" PRId32 " labels", group->labels[0], group->labels[1]);
    }
}

/* ---- for people ---- */

static void append(char words[WORDS_BYTES], const char *separator, const char *text)
{
    size_t used = strlen(words);
    snprintf(words + used, WORDS_BYTES - used, "%s%s", used > 0 ? separator : "", text);
}

static void format_state(const og_problem *problem, const og_decision *decision,
                         char words[WORDS_BYTES])
{
    char text[POSTERIOR_BYTES];
    words[0] = '\0';
    for (int32_t i = 0; i < decision->count; i++) {
        format_posterior(problem, &decision->group[i], decision->group[i].copies, text);
        append(words, " ", text);
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
static void format_groups(const og_problem *problem, const og_decision *decision, bool optimal,
                          char words[WORDS_BYTES])
{
    char text[POSTERIOR_BYTES];
    char before[POSTERIOR_BYTES];
    bool shares = !optimal && !drawn_alike(decision);
    words[0] = '\0';
    for (int32_t i = 0; i < decision->count; i++) {
        const og_decision_group *group = &decision->group[i];
        bool named = optimal ? !group->optimal : group->chosen == 0;
        format_posterior(problem, group, 1, text);
        for (int32_t j = 0; !named && !shares && j < i; j++) {
            const og_decision_group *other = &decision->group[j];
            format_posterior(problem, other, 1, before);
            named = (optimal ? other->optimal : other->chosen > 0) && strcmp(before, text) == 0;
        }
        if (!named) {
            char share[NUMBER_TEXT_BYTES] = "";
            if (shares) {
                snprintf(share, sizeof share, " (%.3g %%)", 100 * group->chosen);
            }
            append(words, " or ", text);
            append(words, "", share);
        }
    }
}

static void print_stages(const og_explanation *explanation)
{
    static const char *const headings[] = {"labels\nleft", "lost", "%", ""};
    double most = 0;
    for (int32_t left = explanation->budget; left >= 1; left--) {
        most = fmax(most, explanation->stage[left]);
    }
    table *grid = table_new("rddl", headings);
    for (int32_t left = explanation->budget; left >= 1; left--) {
        static const char bar[BAR_WIDTH + 1] = "########################################";
        char words[NUMBER_TEXT_BYTES];
        double lost = explanation->stage[left];
        table_cell(grid, "%" PRId32, left);
        number_format_gap(lost, 0, words);
        table_cell(grid, "%s", words);
        table_cell(grid, "%.1f", lost > 0 ? 100 * lost / explanation->total : 0);
        table_cell(grid, "%.*s", lost > 0 ? (int)ceil(BAR_WIDTH * lost / most) : 0, bar);
    }
    table_print(grid, stdout);
    table_free(grid);
}

static void print_decisions(const og_problem *problem, const og_explanation *explanation)
{
    static const char *const headings[] = {"adds", "labels\nleft", "probability", "lost\nthere",
                                           "state, what is labelled, what is optimal"};
    table *grid = table_new("drddl", headings);
    for (int32_t i = 0; i < explanation->decision_count; i++) {
        const og_decision *decision = &explanation->decision[i];
        char words[WORDS_BYTES];
        char number[NUMBER_TEXT_BYTES];
        number_format_gap(decision->contribution, 0, number);
        table_cell(grid, "%s", number);
        table_cell(grid, "%" PRId32, decision->left);
        number_format_gap(decision->probability, 0, number);
        table_cell(grid, "%s", number);
        number_format_gap(decision->loss, 0, number);
        table_cell(grid, "%s", number);
        char labelled[WORDS_BYTES];
        char optimal[WORDS_BYTES];
        format_state(problem, decision, words);
        format_groups(problem, decision, false, labelled);
        format_groups(problem, decision, true, optimal);
        table_cell(grid, "%s: labels %s; optimal: %s", words, labelled, optimal);
    }
    table_print(grid, stdout);
    table_free(grid);
}

void explanation_print(const og_problem *problem, const char *name,
                       const og_explanation *explanation)
{
    char words[NUMBER_TEXT_BYTES];
    if (explanation->decision_count == 0) {
        print_paragraph(stdout, "%s loses nothing: it labels as optimal play could.", name);
        return;
    }
    number_format_gap(explanation->total, explanation->error, words);
    print_paragraph(stdout, "Why %s loses %s:", name, words);
    putchar('\n');
    print_stages(explanation);
    putchar('\n');
    print_decisions(problem, explanation);
}

/* ---- JSON ---- */

static json_t *group_json(const og_problem *problem, const og_decision_group *group)
{
    og_group now = posterior_of(problem, group);
    bool mixture = now.kind == OG_PRIOR_MIXTURE;
    json_t *object = instance(&now, mixture ? "prior" : "posterior");
    json_t *labels = array_new();
    int32_t count = now.kind == OG_PRIOR_DIRICHLET ? now.part_count : 2;
    for (int32_t k = 0; k < count; k++) {
        array_add(labels, whole((uint64_t)group->labels[k]));
    }
    object_put(object, "labels", labels);
    object_put(object, "chosen", real(group->chosen));
    object_put(object, "q", real(group->q));
    object_put(object, "optimal", json_boolean(group->optimal));
    return object;
}

static json_t *decision_json(const og_problem *problem, const og_decision *decision)
{
    json_t *object = object_new();
    json_t *state = array_new();
    object_put(object, "left", whole((uint64_t)decision->left));
    object_put(object, "probability", real(decision->probability));
    object_put(object, "loss", real(decision->loss));
    object_put(object, "contribution", real(decision->contribution));
    for (int32_t i = 0; i < decision->count; i++) {
        array_add(state, group_json(problem, &decision->group[i]));
    }
    object_put(object, "state", state);
    return object;
}

json_t *explanation_json(const og_problem *problem, const og_explanation *explanation)
{
    json_t *object = object_new();
    json_t *stages = array_new();
    json_t *decisions = array_new();
    object_put(object, "total", real(explanation->total));
    object_put(object, "error_bound", real(explanation->error));
    object_put(object, "states", whole(explanation->states));
    for (int32_t left = explanation->budget; left >= 1; left--) {
        json_t *stage = object_new();
        object_put(stage, "left", whole((uint64_t)left));
        object_put(stage, "loss", real(explanation->stage[left]));
        array_add(stages, stage);
    }
    object_put(object, "stages", stages);
    for (int32_t i = 0; i < explanation->decision_count; i++) {
        array_add(decisions, decision_json(problem, &explanation->decision[i]));
    }
    object_put(object, "decisions", decisions);
    return object;
}
