/*
 * A policy of one's own, valued exactly with the installed library:
 *
 *   cc own-policy.c $(pkg-config --cflags --libs optgap) -o own-policy
 *   ./own-policy 12 10x1,1
 *
 * The policy here labels an instance that has the fewest labels so far. It is a function that is
 * asked, state by state; instances that it cannot tell apart stand in one group.
 */
#include <stdio.h>
#include <stdlib.h>

#include <optgap/dp/arm/arm.h>
#include <optgap/dp/prior/problem.h>
#include <optgap/dp/product/chooser.h>
#include <optgap/dp/product/policy.h>
#include <optgap/dp/product/solve.h>

/* An index for each group: the one with the largest is labelled, equal ones tie. */
static og_status fewest_labels(void *self, const og_state *state, double *answer, og_answer *kind,
                               og_message *message)
{
    const og_arms *arms = self;
    (void)message;
    *kind = OG_ANSWER_INDEX;
    for (int32_t i = 0; i < state->count; i++) {
        int32_t counts[2]; /* positive and negative labels: priors here have two classes */
        og_arm_counts(arms->arm[state->group[i].arm], state->group[i].node, counts);
        answer[i] = -(counts[0] + counts[1]);
    }
    return OG_OK;
}

static og_status read_problem(char **words, og_groups *problem, og_message *message)
{
    og_status status = OG_OK;
    for (; *words != NULL && status == OG_OK; words++) {
        og_group group;
        status = og_group_parse(*words, &group, message);
        if (status == OG_OK) {
            status = og_groups_add(problem, &group, message);
        }
    }
    return status;
}

static og_status compare(const og_groups *problem, og_message *message)
{
    og_settings settings;
    og_arms *arms = NULL;
    og_ranks *ranks = NULL;
    og_solver *solver = NULL;
    og_result optimum;
    og_result own;
    og_settings_default(&settings);
    og_status status =
        og_arms_new(problem, settings.threads, settings.memory_bytes, &arms, message);
    if (status == OG_OK) {
        og_chooser chooser = {
            .self = arms, .look = OG_LOOK_LABELS, .concurrent = true, .choose = fewest_labels};
        status = og_ranks_new_chooser(arms, &chooser, &ranks);
    }
    if (status == OG_OK) {
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
    og_groups problem;
    og_message message = {""};
    if (argc < 3) {
        fprintf(stderr, "usage: own-policy BUDGET INSTANCE...\n");
        return 2;
    }
    og_groups_init(&problem, atoi(argv[1]));
    og_status status = read_problem(argv + 2, &problem, &message);
    if (status == OG_OK) {
        status = compare(&problem, &message);
    }
    og_groups_clear(&problem);
    if (status != OG_OK) {
        fprintf(stderr, "own-policy: %s\n",
                message.text[0] != '\0' ? message.text : og_status_text(status));
        return 1;
    }
    return 0;
}
