/*
 * A policy of one's own, valued exactly with the installed library:
 *
 *   cc own-policy.c $(pkg-config --cflags --libs optgap) -o own-policy
 *   ./own-policy 12 10x1,1
 *
 * The policy here labels an instance that has the fewest labels so far. Each instance is an arm,
 * whose nodes are its posteriors, level by level; the policy is the rank that it gives to each
 * node, and labels an instance of the largest rank.
 */
#include <stdio.h>
#include <stdlib.h>

#include <optgap/dp/arm.h>
#include <optgap/dp/policy.h>
#include <optgap/dp/problem.h>
#include <optgap/dp/solve.h>

static void rank_by_fewest_labels(const og_arms *arms, og_ranks *ranks)
{
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const og_arm *arm = arms->arm[i];
        for (int32_t labels = 0; labels <= arm->depth; labels++) {
            for (uint32_t node = arm->level[labels]; node < arm->level[labels + 1]; node++) {
                ranks->rank[i][node] = (uint32_t)(arm->depth - labels);
            }
        }
    }
}

static og_status read_problem(char **words, og_problem *problem, og_message *message)
{
    og_status status = OG_OK;
    for (; *words != NULL && status == OG_OK; words++) {
        og_group group;
        status = og_group_parse(*words, &group, message);
        if (status == OG_OK) {
            status = og_problem_add(problem, &group, message);
        }
    }
    return status;
}

static og_status compare(const og_problem *problem, og_message *message)
{
    og_settings settings;
    og_arms *arms = NULL;
    og_ranks *ranks = NULL;
    og_solver *solver = NULL;
    og_result optimum;
    og_result own;
    og_settings_default(&settings);
    og_status status = og_arms_new(problem, 1, UINT64_C(1) << 30, &arms, message);
    if (status == OG_OK) {
        status = og_ranks_new_uniform(arms, &ranks);
    }
    if (status == OG_OK) {
        rank_by_fewest_labels(arms, ranks);
        status = og_policy_value(arms, ranks, OG_TIES_RANDOM, &settings, &own, message);
    }
    if (status == OG_OK) {
        status = og_solver_new(arms, &settings, &solver, message);
    }
    if (status == OG_OK) {
        status = og_solver_value(solver, &optimum, message);
    }
    if (status == OG_OK) {
        printf("optimal value\t%.10g\nfewest labels\t%.10g\ngap\t%.10g\n", optimum.value, own.value,
               optimum.value - own.value);
    }
    og_solver_free(solver);
    og_ranks_free(ranks);
    og_arms_free(arms);
    return status;
}

int main(int argc, char **argv)
{
    og_problem problem;
    og_message message = {""};
    if (argc < 3) {
        fprintf(stderr, "usage: own-policy BUDGET INSTANCE...\n");
        return 2;
    }
    og_problem_init(&problem, atoi(argv[1]));
    og_status status = read_problem(argv + 2, &problem, &message);
    if (status == OG_OK) {
        status = compare(&problem, &message);
    }
    og_problem_clear(&problem);
    if (status != OG_OK) {
        fprintf(stderr, "own-policy: %s\n",
                message.text[0] != '\0' ? message.text : og_status_text(status));
        return 1;
    }
    return 0;
}
