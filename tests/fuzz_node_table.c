/* Tables of nodes (arm:FILE): an accepted one is complete and within its limits, its arm can be
 * built, and it is read back from its numbers. */
#include "dp/arm/arm.h"
#include "dp/prior/node_table.h"
#include "tests/fuzz.h"

static void check_node(const og_node_table *table, uint32_t node)
{
    mpq_t sum, gain, all;
    mpq_inits(sum, gain, all, NULL);
    fuzz_check(table->first[node] <= table->first[node + 1], "outcomes out of order");
    fuzz_check(table->first[node + 1] - table->first[node] <= table->outcome_most, "more outcomes");
    for (uint32_t k = table->first[node]; k < table->first[node + 1]; k++) {
        fuzz_check(table->next[k] < table->node_count, "a node that does not exist");
        fuzz_check(mpq_sgn(table->probability[k]) > 0, "a probability that is not above 0");
        mpq_add(sum, sum, table->probability[k]);
        og_node_table_gain(table, node, k, gain);
        mpq_mul(gain, gain, table->probability[k]);
        mpq_add(all, all, gain);
    }
    bool stays = table->first[node] == table->first[node + 1];
    fuzz_check(stays || mpq_cmp_ui(sum, 1, 1) == 0, "probabilities do not add up to 1");
    fuzz_check(mpq_equal(all, table->gain[node]), "not the gain of its outcomes");
    mpq_clears(sum, gain, all, NULL);
}

static void put(FILE *file, const mpq_t number)
{
    char *text = mpq_get_str(NULL, 10, number);
    fprintf(file, "\t%s", text);
    free(text);
}

static void check_read_back(const og_node_table *table)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    og_node_table *again = NULL;
    fuzz_check(file != NULL, "out of memory");
    fprintf(file, "value\treward\tprobability\tnext\toutcome\tnode\n");
    for (uint32_t i = 0; i < table->node_count; i++) {
        uint32_t first = table->first[i], end = table->first[i + 1];
        for (uint32_t k = first; k < (end > first ? end : first + 1); k++) {
            bool stays = first == end;
            char *value = mpq_get_str(NULL, 10, table->value[i]);
            fprintf(file, "%s", k == first ? value : "");
            free(value);
            if (stays) {
                fprintf(file, "\t\t\t\t\t%s\n", table->node[i]);
                continue;
            }
            put(file, table->reward[k]);
            put(file, table->probability[k]);
            fprintf(file, "\t%s\t%s\t%s\n", table->node[table->next[k]], table->outcome[k],
                    table->node[i]);
        }
    }
    fclose(file);
    og_message message = {""};
    og_status status = og_node_table_read_text("again", text, size, &again, &message);
    free(text);
    if (status == OG_OK) { /* nodes may have other numbers, which the order of rows gives */
        fuzz_check(again->node_count == table->node_count &&
                       again->first[again->node_count] == table->first[table->node_count],
                   "another table when read back");
    }
    /* A fraction after a division may be longer than numbers are allowed to be. */
    fuzz_check(status == OG_OK || strstr(message.text, "is not a decimal") != NULL,
               "not read back");
    og_node_table_release(again);
}

FUZZ_TARGET(node_table)
{
    og_node_table *table = NULL;
    og_message message = {""};
    og_arm *arm = NULL;
    og_status status = og_node_table_read_text("arm", (const char *)data, size, &table, &message);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT && table == NULL, "not a clean refusal");
        fuzz_check_message(&message);
        return;
    }
    fuzz_check(table->node_count >= 1 && table->outcome_most <= OG_NODE_OUTCOMES_MAX, "its size");
    for (uint32_t i = 0; i < table->node_count; i++) {
        check_node(table, i);
    }
    check_read_back(table);
    /* Any reward and bonus is below 2e8. */
    const og_group group = {.kind = OG_PRIOR_NODES,
                            .threshold = {1, 2},
                            .count = 1,
                            .bonus = {200000000, 1},
                            .nodes = table};
    status = og_arm_new(&group, 5, UINT64_C(1) << 28, &arm, &message);
    fuzz_check(status == OG_OK || status == OG_FAILED, "no arm");
    og_arm_free(arm);
    og_node_table_release(table);
}
