/* Describes states of products of arms; an act on a standard arm means to stop. */
#include <inttypes.h>
#include <stdio.h>

#include "bench/describe.h"
#include "bench/families/independent/problem.h"
#include "bench/posterior.h"

static const og_arms *arms_of(const void *problem)
{
    const og_arms_problem *given = problem;
    return given->arms;
}

void og_arms_problem_step_text(const void *problem, og_act act, char *text, size_t size)
{
    const og_arm *arm = arms_of(problem)->arm[act.part[0]];
    if (og_arm_is_standard(arm)) {
        snprintf(text, size, "stop");
    } else {
        og_posterior_format(arm, act.part[1], text, size);
    }
}

void og_arms_problem_state_text(const void *problem, const void *state, char *text, size_t size)
{
    const og_state *place = state;
    og_text out = og_text_begin(text, size);
    for (int32_t i = 0; i < place->count; i++) {
        char words[OG_GROUP_TEXT_BYTES + 32];
        const og_state_group *group = &place->group[i];
        if (og_arm_is_standard(arms_of(problem)->arm[group->arm])) {
            continue; /* the last */
        }
        og_posterior_format(arms_of(problem)->arm[group->arm], group->node, words, sizeof words);
        og_text_add(&out, "%s", i > 0 ? "  " : "");
        if (group->copies > 1) {
            og_text_add(&out, "%" PRId64 "x", group->copies);
        }
        og_text_add(&out, "%s", words);
    }
}

void og_arms_problem_answer_text(const void *problem, og_act act, int32_t answer, char *text,
                                 size_t size)
{
    const og_arm *arm = arms_of(problem)->arm[act.part[0]];
    text[0] = '\0';
    if (!og_arm_is_standard(arm)) {
        og_label_format(arm, act.part[1], answer, text, size);
    }
}

/* The posterior as an INSTANCE word for `query`. A mixture has no such word, because its weights
 * have changed; it keeps its prior, and its labels are added. */
og_document *og_arms_problem_put_step(const void *problem, og_act act, int64_t copies,
                                      og_document *array)
{
    const og_arm *arm = arms_of(problem)->arm[act.part[0]];
    char name[OG_NODE_NAME_BYTES];
    int32_t counts[OG_CLASSES_MAX];
    if (og_arm_is_standard(arm)) {
        og_document *stop = og_put_object(array, NULL);
        og_put_text(stop, "text", "stop");
        og_put_whole(stop, "count", 1);
        return stop;
    }
    og_group now = og_posterior_group(arm, act.part[1]);
    now.count = copies;
    if (og_arm_table(arm) != NULL) {
        og_document *node = og_put_object(array, NULL);
        og_arms_problem_step_text(problem, act, name, sizeof name);
        og_put_text(node, "text", name);
        og_put_text(node, "posterior", name);
        og_put_whole(node, "count", (uint64_t)copies);
        og_put_null(node, "threshold");
        return node;
    }
    og_arm_counts(arm, act.part[1], counts);
    og_document *object =
        og_put_instance(array, &now, now.kind == OG_PRIOR_MIXTURE ? "prior" : "posterior");
    og_document *labels = og_put_array(object, "labels");
    int32_t outcomes = now.kind == OG_PRIOR_DIRICHLET ? now.part_count : 2;
    for (int32_t k = 0; k < outcomes; k++) {
        og_put_whole(labels, NULL, (uint64_t)counts[k]);
    }
    return object;
}

/* "positive", "class 2"; "-" if there is no call. */
static void put_call(og_document *row, const og_arm *arm, uint32_t node)
{
    static const char *const words[] = {"positive", "negative", "undecided"};
    char label[16];
    if (!og_arm_has_calls(arm)) {
        og_put_null(row, "call");
    } else if (arm->lattice) {
        og_put_text(row, "call", words[og_arm_called(arm, node)]);
    } else {
        og_label_format(arm, node, og_arm_called(arm, node), label, sizeof label);
        og_show_cell(row, "call", "class %s", label);
    }
}

void og_arms_problem_show_state(const void *problem, const void *state, og_document *document)
{
    const og_state *now = state;
    og_document *rows = og_show_rows(document);
    for (int32_t i = 0; i < now->count; i++) {
        const og_arm *arm = arms_of(problem)->arm[now->group[i].arm];
        uint32_t node = now->group[i].node;
        og_document *row = og_put_object(rows, NULL);
        char words[OG_GROUP_TEXT_BYTES];
        int32_t counts[OG_CLASSES_MAX];
        og_arms_problem_step_text(problem, (og_act){{(uint32_t)now->group[i].arm, node}}, words,
                                  sizeof words);
        og_put_whole(row, "instance", (uint64_t)i + 1);
        og_put_text(row, "posterior", words);
        if (og_arm_is_standard(arm)) {
            og_put_text(row, "call", "");
            og_put_text(row, "labels", "");
            continue;
        }
        if (og_arm_table(arm) != NULL) {
            put_call(row, arm, node);
            og_show_cell(row, "labels", "%" PRId32, og_arm_level(arm, node));
            continue;
        }
        og_arm_counts(arm, node, counts);
        for (int32_t k = 0; k < arm->outcome_count; k++) {
            char label[16];
            og_label_format(arm, node, k, label, sizeof label);
            og_show_cell(row, "labels", "%s%" PRId32 "%s%s", k > 0 ? "  " : "", counts[k],
                         arm->outcome_count == 2 ? "" : " of class ", label);
        }
        put_call(row, arm, node);
    }
    og_document *table = og_show_table(document, rows);
    og_show_column(table, "instance", 'r', "instance", OG_SHOW_PLAIN);
    og_show_column(table, "posterior", 'l', "posterior", OG_SHOW_PLAIN);
    og_show_column(table, "call now", 'l', "call", OG_SHOW_PLAIN);
    og_show_column(table, "labels so far", 'l', "labels", OG_SHOW_PLAIN);
}
