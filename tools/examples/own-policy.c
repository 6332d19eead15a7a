/*
 * Evaluates a user-defined policy exactly, with the installed library:
 *
 *   cc own-policy.c $(pkg-config --cflags --libs optgap) -o own-policy
 *   ./own-policy 12 10x1,1
 *
 * The policy labels an instance with the fewest labels so far. The library calls its function once
 * or more in each state; identical instances are one group.
 */
#include <stdio.h>

#include <optgap.h>

/* Writes an index for each group: the largest is labelled, and equal ones tie. */
static og_status fewest_labels(void *user, const og_plugin_state *state, double *answer,
                               bool *weights, og_message *message)
{
    (void)user;
    (void)weights;
    (void)message;
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = 0;
        for (int32_t k = 0; k < state->group[i].label_count; k++) {
            answer[i] -= state->group[i].labels[k];
        }
    }
    return OG_OK;
}

static og_status read_problem(char **words, og_problem *problem, og_message *message)
{
    og_status status = og_problem_set(problem, "budget", words[0], message);
    for (words++; *words != NULL && status == OG_OK; words++) {
        status = og_problem_add(problem, *words, message);
    }
    return status;
}

static og_status compare(og_problem *problem, const og_policy *policy, og_message *message)
{
    og_question *question = NULL;
    og_document *found = NULL;
    og_status status = og_question_new("compare", &question, message);
    if (status == OG_OK) {
        status = og_question_policy(question, policy, message);
    }
    if (status == OG_OK) {
        status = og_ask(problem, question, &found, message);
    }
    if (status == OG_OK) {
        printf("optimal value\t%.10g\n%s\t%.10g\ngap\t%.10g\n",
               og_number_at(found, "optimal.value"), og_text_at(found, "policies.0.name"),
               og_number_at(found, "policies.0.value"), og_number_at(found, "policies.0.gap"));
    }
    og_document_free(found);
    og_question_free(question);
    return status;
}

int main(int argc, char **argv)
{
    const og_callback fewest = {.looks_at_labels = true, .choose = fewest_labels};
    og_problem *problem = NULL;
    og_policy *policy = NULL;
    og_message message = {""};
    if (argc < 3) {
        fprintf(stderr, "usage: own-policy BUDGET INSTANCE...\n");
        return 2;
    }
    og_status status = og_problem_new("independent", &problem, &message);
    if (status == OG_OK) {
        status = read_problem(argv + 1, problem, &message);
    }
    if (status == OG_OK) {
        status = og_policy_callback("fewest labels", &fewest, &policy, &message);
    }
    if (status == OG_OK) {
        status = compare(problem, policy, &message);
    }
    og_policy_free(policy);
    og_problem_free(problem);
    if (status != OG_OK) {
        fprintf(stderr, "own-policy: %s\n", message.text);
        return 1;
    }
    return 0;
}
