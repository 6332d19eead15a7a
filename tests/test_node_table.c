/*
 * Tables of nodes: what the reader accepts and refuses, and arms of tables against the arms that
 * they copy. Values are tested in test_arm_cli.py.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/arm/arm.h"
#include "dp/base/rational.h"
#include "dp/base/stop.h"
#include "dp/prior/node_table.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(node_table, 60);

/* ---- an arm as a table ---- */

static void put_number(FILE *to, const mpq_t number)
{
    char *text = mpq_get_str(NULL, 10, number);
    fprintf(to, "%s", text);
    free(text);
}

/* The rows of a node whose value is known; sets the values of the nodes after it. A bandit's
 * outcomes have rewards instead. */
static void put_node(FILE *to, const og_arm *arm, uint32_t node, mpq_t *value)
{
    OWN_MPQ number = MPQ_NEW;
    bool ends = node >= arm->level[arm->depth];
    for (int32_t k = 0; !ends && k < arm->outcome_count; k++) {
        uint32_t next = arm->next[node * (size_t)arm->outcome_count + (size_t)k];
        og_arm_exact_gain(arm, node, k, number);
        mpq_add(value[next], value[node], number);
        fprintf(to, "n%u\to%d\t", node, k);
        og_arm_exact_probability(arm, node, k, number);
        put_number(to, number);
        fprintf(to, "\tn%u\t", next);
        if (arm->bandit) {
            fprintf(to, "0\t%d\n", k == 0);
            mpq_set_ui(value[next], 0, 1);
        } else {
            put_number(to, value[node]);
            fprintf(to, "\t\n");
        }
    }
    if (ends) {
        fprintf(to, "n%u\t\t\t\t", node);
        put_number(to, value[node]);
        fprintf(to, "\t\n");
    }
}

/* The caller frees the text. */
static char *table_of(const og_arm *arm)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    og_arena arena = {0};
    mpq_t *value = og_arena_fractions(&arena, arm->node_count);
    ck_assert(to != NULL && value != NULL);
    og_arm_exact_call(arm, value[0]);
    fprintf(to, "node\toutcome\tprobability\tnext\tvalue\treward\n");
    for (uint32_t node = 0; node < arm->node_count; node++) {
        put_node(to, arm, node, value);
    }
    fclose(to);
    og_arena_clear(&arena);
    return text;
}

static og_group group_of(const char *text)
{
    og_node_table *table = NULL;
    og_message message = {""};
    ck_assert_msg(og_node_table_read_text("arm", text, strlen(text), &table, &message) == OG_OK,
                  "%s", message.text);
    return (og_group){.kind = OG_PRIOR_NODES, .threshold = {1, 2}, .count = 1, .nodes = table};
}

/* Each number of the table's arm has the bits of the arm's; gains agree within their errors. */
static void check_copy(const og_arm *arm, const char *word)
{
    char *text = table_of(arm);
    og_group group = group_of(text);
    OWN(og_arm) *copy = NULL;
    double error, copied_error;
    size_t outcomes = (size_t)arm->outcome_count, labelled = arm->level[arm->depth];
    ck_assert_int_eq(og_arm_new(&group, arm->depth, UINT64_MAX, &copy, NULL), OG_OK);
    og_node_table_release(group.nodes);
    double *gain = calloc(labelled * outcomes + 1, sizeof *gain);
    double *copied = calloc(labelled * outcomes + 1, sizeof *copied);
    ck_assert_int_eq(og_arm_gains(arm, NULL, gain, &error), OG_OK);
    ck_assert_int_eq(og_arm_gains(copy, NULL, copied, &copied_error), OG_OK);
    ck_assert_msg(copy->node_count == arm->node_count && copy->call == arm->call, "%s", word);
    for (uint32_t node = 0; node < labelled; node++) {
        uint32_t at = (uint32_t)strtoul(og_arm_table(copy)->node[og_arm_table_node(copy, node)] + 1,
                                        NULL, 10);
        ck_assert_msg(copy->reward[node] == arm->reward[at], "%s: reward of n%u", word, at);
        for (size_t k = 0; k < outcomes; k++) {
            size_t here = node * outcomes + k, there = at * outcomes + k;
            ck_assert_msg(copy->probability[here] == arm->probability[there], "%s: p", word);
            double off = fabs(copied[here] - gain[there]);
            ck_assert_msg(off <= (error + copied_error) * fabs(gain[there]), "%s: gain", word);
        }
    }
    free(gain);
    free(copied);
    free(text);
}

OG_TEST(arm_of_a_table_has_the_bits_of_the_arm)
{
    static const char *const words[] = {"1,1",          "2,1@0.3",         "3,5@0.9",
                                        "1,1=1,-5,0,1", "2,1=1,0,0,1,0.7", "0.25:1,1+0.5:5,1",
                                        "1,1,1",        "2,1,1",           "4,1@0.7=2,0,-1,1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        og_group group;
        OWN(og_arm) *arm = NULL;
        ck_assert_int_eq(og_group_parse_paid(words[i], &group, NULL), OG_OK);
        ck_assert_int_eq(og_arm_new(&group, 6, UINT64_MAX, &arm, NULL), OG_OK);
        check_copy(arm, words[i]);
    }
}

OG_TEST(arm_of_a_table_of_rewards_has_the_bits_of_a_bandit)
{
    og_group group;
    OWN(og_arm) *arm = NULL;
    ck_assert_int_eq(og_group_parse("2,3", &group, NULL), OG_OK);
    ck_assert_int_eq(og_arm_new_bandit(&group, 6, UINT64_MAX, &arm, NULL), OG_OK);
    check_copy(arm, "bandit 2,3");
}

OG_TEST(standard_arm_is_a_table_of_one_node_with_a_loop)
{
    og_group group = group_of("node\toutcome\tprobability\tnext\tvalue\treward\n"
                              "here\twait\t1\there\t0\t0.3\n");
    OWN(og_arm) *arm = NULL, *standard = NULL;
    ck_assert_int_eq(og_arm_new(&group, 5, UINT64_MAX, &arm, NULL), OG_OK);
    ck_assert_int_eq(og_arm_new_standard((og_fraction){3, 10}, 5, &standard), OG_OK);
    og_node_table_release(group.nodes);
    ck_assert_int_eq(arm->node_count, standard->node_count);
    for (uint32_t node = 0; node < 5; node++) {
        ck_assert(arm->reward[node] == standard->reward[node] && arm->next[node] == node + 1 &&
                  arm->probability[node] == 1);
    }
    ck_assert(arm->call == 0 && og_arm_scale(arm) >= arm->reward[0]);
}

/* ---- unrolling ---- */

static const char loop[] = "node\toutcome\tprobability\tnext\tvalue\n"
                           "new\thit\t1/3\twon\t0\n"
                           "new\tmiss\t2/3\tnew\t\n"
                           "won\t\t\t\t1\n";

OG_TEST(loops_are_unrolled_level_by_level)
{
    og_group group = group_of(loop);
    OWN(og_arm) *arm = NULL, *deeper = NULL;
    ck_assert_int_eq(og_arm_new(&group, 3, UINT64_MAX, &arm, NULL), OG_OK);
    ck_assert_int_eq(og_arm_new(&group, 9, UINT64_MAX, &deeper, NULL), OG_OK);
    og_node_table_release(group.nodes); /* the arms hold it */
    ck_assert_int_eq(arm->node_count, 7);
    ck_assert_int_eq(deeper->node_count, 19);
    for (uint32_t node = 0; node < arm->level[3]; node++) {
        ck_assert(arm->reward[node] == deeper->reward[node]);
        ck_assert_int_eq(arm->next[2 * node], deeper->next[2 * node]);
        ck_assert_int_eq(arm->next[2 * node + 1], deeper->next[2 * node + 1]);
    }
    /* A node that stays has one outcome, which earns nothing. */
    ck_assert_str_eq(og_arm_table(arm)->node[og_arm_table_node(arm, 1)], "won");
    ck_assert(arm->reward[1] == 0 && arm->probability[2] == 1 && arm->probability[3] == 0);
}

OG_TEST(limits_are_kept_before_anything_is_built)
{
    og_group group = group_of(loop);
    og_message message = {""};
    og_arm *arm = NULL;
    ck_assert_int_eq(og_arm_new(&group, 100000, 1 << 20, &arm, &message), OG_NO_MEMORY);
    ck_assert_str_eq(message.text, "arm: too large: 2 nodes times 100000 levels; memory limit "
                                   "1.0 MB");
    ck_assert_ptr_null(arm);
    og_node_table_release(group.nodes);
}

/* A circle of so many groups of `wide` nodes, each of which leads to all of the next. */
static og_group circle_of(int groups, int wide)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    fprintf(to, "node\toutcome\tprobability\tnext\tvalue\n");
    for (int node = 0; node < groups * wide; node++) {
        int next = (node / wide + 1) % groups * wide;
        for (int k = 0; k < wide; k++) {
            fprintf(to, "%d\t%d\t1/%d\t%d\t0\n", node, k, wide, next + k);
        }
    }
    fclose(to);
    og_group group = group_of(text);
    free(text);
    return group;
}

OG_TEST(levels_that_come_again_are_counted_at_once)
{
    for (int groups = 1; groups <= 6; groups++) {
        og_group group = circle_of(groups, 3);
        for (int32_t depth = 0; depth < 40; depth++) {
            OWN(og_arm) *arm = NULL;
            ck_assert_int_eq(og_arm_new(&group, depth, UINT64_MAX, &arm, NULL), OG_OK);
            ck_assert_int_eq(arm->node_count, 1 + 3 * depth);
            ck_assert_int_eq(arm->level[depth + 1], arm->node_count);
        }
        og_node_table_release(group.nodes);
    }
    /* A million levels of 64 nodes, which one after the other take minutes. */
    og_group group = circle_of(64, 64);
    og_message message = {""};
    og_arm *arm = NULL;
    const char *node = NULL;
    OWN_MPQ least = MPQ_NEW;
    ck_assert_int_eq(og_arm_new(&group, 1000000, UINT64_C(1) << 34, &arm, &message), OG_NO_MEMORY);
    ck_assert_int_eq(og_group_least_reward(&group, OG_BUDGET_MAX, NULL, least, &node), OG_OK);
    ck_assert_ptr_null(node);
    og_node_table_release(group.nodes);
}

OG_TEST(work_on_tables_looks_at_the_stop)
{
    og_group group = circle_of(2, 3);
    og_groups problem;
    og_stop stop;
    og_message message = {""};
    const char *node = NULL;
    og_arms *arms = NULL;
    OWN(og_arm) *arm = NULL;
    OWN_MPQ gain = MPQ_NEW;
    const og_fraction price = {1, 10};
    og_groups_init(&problem, 5);
    ck_assert_int_eq(og_groups_add(&problem, &group, NULL), OG_OK);
    ck_assert_int_eq(og_arm_new(&group, 5, UINT64_MAX, &arm, NULL), OG_OK);
    og_stop_init(&stop, NULL, NULL);
    og_stop_end(&stop);
    const og_settings settings = og_stop_limits(1, UINT64_MAX, &stop);
    ck_assert_int_eq(og_arms_new(&problem, &settings, &arms, &message), OG_STOPPED);
    ck_assert_int_eq(og_group_least_reward(&group, 5, &stop, gain, &node), OG_STOPPED);
    ck_assert_int_eq(og_arm_priced_gain_exact(arm, 5, price, &stop, gain), OG_STOPPED);
    og_groups_clear(&problem);
    og_node_table_release(group.nodes);
}

OG_TEST(least_reward_is_that_of_nodes_that_labels_reach)
{
    og_group group = group_of("node\toutcome\tprobability\tnext\tvalue\treward\n"
                              "a\tgo\t1\tb\t0\t1\n"
                              "b\tgo\t1\tc\t0\t-1/4\n"
                              "c\tgo\t1\tc\t0\t-2\n");
    static const char *const nodes[] = {NULL, NULL, "b", "c", "c"};
    static const double least[] = {0, 0, -0.25, -2, -2};
    for (int32_t depth = 0; depth <= 4; depth++) {
        OWN_MPQ found = MPQ_NEW;
        const char *node = NULL;
        ck_assert_int_eq(og_group_least_reward(&group, depth, NULL, found, &node), OG_OK);
        ck_assert(og_nearest(found) == least[depth]);
        ck_assert(nodes[depth] == NULL ? node == NULL : strcmp(node, nodes[depth]) == 0);
    }
    OWN(og_arm) *arm = NULL;
    group.bonus = (og_fraction){2, 1};
    ck_assert_int_eq(og_arm_new(&group, 3, UINT64_MAX, &arm, NULL), OG_OK);
    ck_assert(arm->reward[0] == 3 && arm->reward[1] == 1.75 && arm->reward[2] == 0);
    og_node_table_release(group.nodes);
}

/* ---- the reader ---- */

OG_TEST(sums_near_1_are_divided_out_as_fractions)
{
    og_group group = group_of("node\toutcome\tprobability\tnext\tvalue\n"
                              "a\tx\t0.3333333333333333\ta\t-1e-3\n"
                              "a\ty\t0.3333333333333333\ta\t-0.001\n"
                              "a\tz\t0.3333333333333333\ta\t-1/1000\n");
    for (int k = 0; k < 3; k++) {
        ck_assert(mpq_cmp_ui(group.nodes->probability[k], 1, 3) == 0);
    }
    og_node_table_release(group.nodes);
}

OG_TEST(tables_are_equal_by_content)
{
    og_group x = group_of(loop), y = group_of(loop);
    og_group z = group_of("node\toutcome\tprobability\tnext\tvalue\n"
                          "new\thit\t1/3\twon\t0\nnew\tmiss\t2/3\tnew\t0\nwon\t\t\t\t2\n");
    ck_assert_int_eq(og_group_compare(&x, &y), 0);
    ck_assert_int_lt(og_group_compare(&x, &z), 0);
    ck_assert_int_gt(og_group_compare(&z, &y), 0);
    og_node_table_release(x.nodes);
    og_node_table_release(y.nodes);
    og_node_table_release(z.nodes);
}

#define HEAD "node\toutcome\tprobability\tnext\tvalue\treward\n"
static const char long_name[] = "0123456789012345678901234567890123456789012345678901234567890123";

OG_TEST(reader_refuses_with_the_line)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "arm: the table has no node"},
        {HEAD, "arm: the table has no node"},
        {"node\tvalue\na\t1\n", "arm, line 1: the column 'outcome' is missing"},
        {"node\tnode\n", "arm, line 1: the column 'node' is there twice"},
        {HEAD "hot\twin\t0.5\thot\t1\t\nhot\tlose\t0.4\thot\t1\t\n",
         "arm: probabilities of node 'hot' add up to 0.9"},
        {HEAD "hot\twin\t1\twarm\t1\t\n", "arm, line 2: node 'warm' is not defined"},
        {HEAD "hot\twin\t1/2\thot\t0\t\nhot\tlose\t1/2\thot\t1\t\n",
         "arm, line 3: node 'hot' has two values, 0 and 1"},
        {HEAD "a\tx\t1\ta\t0\t\na\t\t\t\t0\t\n",
         "arm: node 'a' has an outcome and a row without one"},
        {HEAD "a\tx\t0\ta\t0\t\n", "arm, line 2: probability '0' must be above 0"},
        {HEAD "a\tx\t-0.5\ta\t0\t\n", "arm, line 2: probability '-0.5' must be above 0"},
        {HEAD "a\tx\tnan\ta\t0\t\n",
         "arm, line 2: probability 'nan' is not a decimal or a fraction"},
        {HEAD "a\tx\t1/0\ta\t0\t\n", "arm, line 2: probability '1/0' is not a decimal"},
        {HEAD "a\tx\t1\ta\tinf\t\n", "arm, line 2: value 'inf' is not a decimal or a fraction"},
        {HEAD "a\tx\t1\ta\t1e300\t\n", "arm, line 2: value '1e300' must lie between"},
        {HEAD "a\tx\t1\ta\t0\t-2e6\n", "arm, line 2: reward '-2e6' must lie between"},
        {HEAD "a\tx\t1\ta\t\t\n", "arm, line 2: node 'a' has no value"},
        {HEAD "a\tx\t\ta\t0\t\n", "arm, line 2: an outcome needs its name, a probability and"},
        {HEAD "a\t\t\t\t0\t1\n", "arm, line 2: an outcome needs its name, a probability and"},
        {HEAD "a\tx\t1/2\ta\t0\t\na\tx\t1/2\ta\t0\t\n",
         "arm, line 3: node 'a' has two outcomes 'x'"},
        {HEAD "\tx\t1\ta\t0\t\n", "arm, line 2: the node is missing"},
        {HEAD "a\x01\tx\t1\ta\t0\t\n", "arm, line 2: the name of a node has a byte that is not"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        og_node_table *table = NULL;
        og_message message = {""};
        ck_assert_int_eq(
            og_node_table_read_text("arm", rows[i].text, strlen(rows[i].text), &table, &message),
            OG_BAD_INPUT);
        ck_assert_msg(strncmp(message.text, rows[i].message, strlen(rows[i].message)) == 0,
                      "'%s', not '%s'", message.text, rows[i].message);
        ck_assert_ptr_null(table);
    }
}

OG_TEST(reader_limits_names_and_outcomes)
{
    char text[8192];
    og_node_table *table = NULL;
    og_message message = {""};
    snprintf(text, sizeof text, HEAD "%s\t\t\t\t0\t\n", long_name);
    ck_assert_int_eq(og_node_table_read_text("arm", text, strlen(text), &table, &message),
                     OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "more than 63 bytes") != NULL, "%s", message.text);
    for (int most = OG_NODE_OUTCOMES_MAX; most <= OG_NODE_OUTCOMES_MAX + 1; most++) {
        int used = snprintf(text, sizeof text, HEAD);
        for (int k = 0; k < most; k++) {
            used += snprintf(text + used, sizeof text - (size_t)used, "a\to%d\t1/%d\ta\t0\t\n", k,
                             most);
        }
        og_status status = og_node_table_read_text("arm", text, strlen(text), &table, &message);
        ck_assert_int_eq(status, most == OG_NODE_OUTCOMES_MAX ? OG_OK : OG_BAD_INPUT);
    }
    ck_assert_int_eq(table->outcome_most, OG_NODE_OUTCOMES_MAX);
    og_node_table_release(table);
    ck_assert_msg(strstr(message.text, "more than 64 outcomes") != NULL, "%s", message.text);
}
