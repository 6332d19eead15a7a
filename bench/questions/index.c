/*
 * Writes the table of an index policy: the index of every reachable posterior, for every number of
 * labels that can then be left.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/asked.h"

enum { COLUMNS_MAX = OG_CLASSES_MAX + 2 };

typedef struct {
    const og_arms *arms;
    const og_index *index;
    const og_index_lines *lines; /* NULL: use rows */
    og_document *rows;
} listing;

/* An entry of a posterior, or of a table's node if it has a name. */
static void list_entry(const listing *to, const char *node, const og_fraction *posterior,
                       int32_t left, double value)
{
    int32_t count = node != NULL ? 0 : to->arms->arm[0]->outcome_count;
    if (to->lines != NULL) {
        to->lines->entry(to->lines->user, node, posterior, count, left, value);
        return;
    }
    og_document *row = og_put_array(to->rows, NULL);
    if (node != NULL) {
        og_put_text(row, NULL, node);
    }
    for (int32_t i = 0; i < count; i++) {
        og_put_number(row, NULL, og_fraction_double(posterior[i]));
    }
    og_put_whole(row, NULL, (uint64_t)left);
    og_put_number(row, NULL, value);
}

/* List every node that can still be labelled, with every number of labels that can be left there. A
 * table's node is listed in the first level that has it. */
static og_status list_arm(const listing *to, int32_t number, og_stop *stop)
{
    const og_arm *arm = to->arms->arm[number];
    const og_node_table *table = og_arm_table(arm);
    const double bonus = og_fraction_double(og_group_bonus(og_arm_prior(arm)));
    bool *listed = table != NULL ? calloc(table->node_count, sizeof *listed) : NULL;
    og_status status = table != NULL ? OG_ALLOCATED(listed) : OG_OK;
    for (uint32_t node = 0; status == OG_OK && node < arm->level[arm->depth]; node++) {
        og_fraction posterior[OG_CLASSES_MAX];
        const char *name = NULL;
        if (table == NULL) {
            og_arm_posterior(arm, node, posterior);
        } else if (listed[og_arm_table_node(arm, node)]) {
            continue;
        } else {
            listed[og_arm_table_node(arm, node)] = true;
            name = table->node[og_arm_table_node(arm, node)];
        }
        int32_t most = arm->depth - og_arm_level(arm, node);
        for (int32_t left = 1; left <= most; left++) {
            list_entry(to, name, posterior, left,
                       og_index_of(to->index, number, left)[node] - bonus);
        }
        status = og_stop_asked(stop) ? OG_STOPPED : OG_OK;
    }
    free(listed);
    return status;
}

/* The name of a column: a parameter of the posterior; for a mixture, a count of labels. */
static const char *column_name(const og_arms *arms, int32_t column)
{
    static const char *const letters[OG_CLASSES_MAX] = {"a", "b", "c", "d", "e",
                                                        "f", "g", "h", "i", "j"};
    bool mixture = og_arm_prior(arms->arm[0])->kind == OG_PRIOR_MIXTURE;
    return !mixture ? letters[column] : column == 0 ? "positive" : "negative";
}

static int32_t name_columns(const og_arms *arms, const char **name)
{
    bool nodes = og_arm_table(arms->arm[0]) != NULL;
    int32_t count = nodes ? 1 : arms->arm[0]->outcome_count;
    for (int32_t i = 0; i < count; i++) {
        name[i] = nodes ? "node" : column_name(arms, i);
    }
    name[count] = "left";
    name[count + 1] = "index";
    return count + 2;
}

/* The same rows as a table in a file: the last two columns are the labels left and the index. */
static void put_in_file(og_document *document, const og_document *rows, const char *const *name,
                        int32_t count)
{
    static const char *const places[COLUMNS_MAX] = {"/0", "/1", "/2", "/3", "/4",  "/5",
                                                    "/6", "/7", "/8", "/9", "/10", "/11"};
    og_file_rows(document, "index", rows);
    for (int32_t i = 0; i < count; i++) {
        bool last = i == count - 1;
        og_file_column(document, name[i], NULL, strcmp(name[i], "node") == 0 ? 'l' : 'd', places[i],
                       last ? OG_SHOW_VALUE : OG_SHOW_PLAIN);
    }
}

static og_status describe(og_asked *asked, const og_arms *arms, const og_index *index)
{
    const char *name[COLUMNS_MAX];
    int32_t count = name_columns(arms, name);
    const og_index_lines *lines = asked->given;
    og_document *document = asked->document = og_document_new();
    og_family_describe_problem(asked->family, asked->problem, document);
    og_put_text(document, "policy", og_policy_name_shown(&asked->policies[0]));
    og_put_number(document, "relative_error", index->error);
    og_put_number(document, "absolute_error", index->absolute_error);
    og_put_text(document, "note", index->note);
    og_document *columns = og_put_array(document, "columns");
    for (int32_t i = 0; i < count; i++) {
        og_put_text(columns, NULL, name[i]);
    }
    if (lines != NULL) {
        lines->head(lines->user, name, count);
    }
    const listing to = {arms, index, lines, og_put_array(document, "rows")};
    put_in_file(document, to.rows, name, count);
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < arms->arm_count; i++) {
        status = list_arm(&to, i, og_stop_of(&asked->request.settings));
    }
    return status;
}

/* Refuse different thresholds, because the table has no column for them; and different priors if
 * nodes are named by their labels. */
static og_status check_instances(const og_arms *arms, og_message *message)
{
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const og_group *prior = og_arm_prior(arms->arm[i]);
        if (prior->kind != OG_PRIOR_BETA && arms->group_count > 1) {
            return og_message_set(
                message, OG_BAD_INPUT,
                "an index table of a prior that is not a Beta supports one instance; give one");
        }
        if (og_fraction_compare(prior->threshold, og_arm_prior(arms->arm[0])->threshold) != 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "the instances of an index table must have the same threshold");
        }
    }
    return OG_OK;
}

static og_status answer(og_asked *asked, og_message *message)
{
    const og_arms *arms = og_family_arms(asked->family, asked->problem);
    if (arms == NULL) {
        return og_family_lacks(asked->family, "index", message);
    }
    if (asked->policy_count != 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "an index table supports one policy; give one");
    }
    if (asked->request.exact) {
        return og_message_set(message, OG_BAD_INPUT,
                              "index tables do not support --arithmetic exact; omit it");
    }
    OG_TRY(check_instances(arms, message));
    const og_settings *settings = &asked->request.settings;
    const og_policy_use use = {.whole_budget = asked->sizes.budget,
                               .threads = settings->threads,
                               .memory_bytes = settings->memory_bytes,
                               .stop = og_stop_of(settings)};
    og_index *index = NULL;
    OG_TRY(og_policy_name_index(&asked->policies[0], arms, &use, &index, message));
    og_status status = describe(asked, arms, index);
    og_index_free(index);
    if (status != OG_OK) {
        return og_message_set(message, status, "the table does not have all rows");
    }
    bool shown = asked->given != NULL; /* line by line: the document lacks nothing that is shown */
    return shown || !og_document_failed(asked->document) ? OG_OK : OG_NO_MEMORY;
}

const og_question_kind og_question_index = {
    .answer = answer, .policies = true, .no_document = true};
