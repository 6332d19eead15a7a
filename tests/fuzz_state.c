/* States of any numbers: what the tables of a problem cannot answer for is refused with a line, and
 * of the others the largest Q is what they are worth. */
#include <math.h>

#include "dp/product/chooser.h"
#include "dp/product/solve.h"
#include "heuristics/policy.h"
#include "tests/fuzz.h"

enum { GROUPS_MAX = 64, GROUP_BYTES = 4 };

static const struct {
    const char *words[2];
    int32_t budget;
} problems[] = {{{"1,1", "2x2,1@0.3"}, 4},
                {{"1000x1,1", "1000x2,1"}, 3},
                {{"2x0.5,1.5", "2:1,1+1:3,1"}, 3},
                {{"3x1,1,1", "2,1,1"}, 3}};

enum { PROBLEMS = sizeof problems / sizeof *problems };

/* What does not depend on the state, once for each problem: it takes a hundred times as long as a
 * question. */
typedef struct question {
    og_arms *arms;
    og_ranks *kg, *ahead;
} question;

static og_arms *arms_of(int which)
{
    og_groups groups;
    og_arms *arms = NULL;
    og_groups_init(&groups, problems[which].budget);
    for (int i = 0; i < 2; i++) {
        og_group group;
        fuzz_check(og_group_parse(problems[which].words[i], &group, NULL) == OG_OK &&
                       og_groups_add(&groups, &group, NULL) == OG_OK,
                   "a problem");
    }
    fuzz_check(og_arms_new(&groups, &(og_settings){.threads = 1, .memory_bytes = UINT64_C(1) << 26},
                           &arms, NULL) == OG_OK,
               "its arms");
    og_groups_clear(&groups);
    return arms;
}

static og_ranks *ranks_of(const og_arms *arms, const char *name)
{
    og_policy_name policy;
    og_ranks *ranks = NULL;
    fuzz_check(og_policy_name_parse(name, &policy, NULL) == OG_OK &&
                   og_policy_name_ranks(&policy, arms, arms->budget, 1, &ranks, NULL) == OG_OK,
               "a policy");
    return ranks;
}

/* `best`: the solver is one of the optimum. */
static void ask(og_solver *solver, const og_state *state, bool best)
{
    double gain, q[GROUPS_MAX], error[GROUPS_MAX], largest = 0;
    int32_t alike[GROUPS_MAX];
    og_message message = {""};
    og_status status = og_solver_value_at(solver, state, &gain, &message);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT, "neither answered nor refused");
        fuzz_check_message(&message);
    } else {
        fuzz_check(gain >= 0 && isfinite(gain), "a gain that is none");
    }
    og_solver_alike(solver, state, alike, &message);
    og_solver_q_of(solver, state, 0, q, &message);
    if (og_solver_q_at(solver, state, q, error, &message) != OG_OK || !best || status != OG_OK) {
        return;
    }
    for (int32_t i = 0; i < state->count; i++) {
        largest = fmax(largest, q[i]);
    }
    fuzz_check(fabs(largest - gain) <= 2 * og_solver_relative_error(solver) * gain,
               "the largest Q is not the value");
}

static const question *question_of(int which)
{
    static question known[PROBLEMS];
    question *one = &known[which];
    if (!one->arms) {
        one->arms = arms_of(which);
        one->kg = ranks_of(one->arms, "kg");
        one->ahead = ranks_of(one->arms, "lookahead:2");
    }
    return one;
}

static void ask_all(const question *one, const og_state *state)
{
    og_settings settings;
    og_solver *solver = NULL;
    double answer[GROUPS_MAX + 1];
    og_answer kind;
    og_settings_default(&settings);
    settings.threads = 1;
    settings.memory_bytes = UINT64_C(1) << 26;
    fuzz_check(og_solver_new(one->arms, &settings, &solver, NULL) == OG_OK, "a solver");
    ask(solver, state, true);
    og_solver_free(solver);
    fuzz_check(og_solver_new_policy(one->arms, one->kg, OG_TIES_FIRST, &settings, &solver, NULL) ==
                   OG_OK,
               "a policy's solver");
    ask(solver, state, false);
    og_solver_free(solver);
    og_ranks_ask(one->ahead, state, answer, &kind);
}

/* Two bytes: problem, labels left; four for each group: arm, node (two), copies. */
FUZZ_TARGET(state)
{
    og_state_group group[GROUPS_MAX];
    if (size < 2) {
        return;
    }
    const question *one = question_of(data[0] % PROBLEMS);
    og_state state = {.left = (int8_t)data[1], .budget = one->arms->budget, .group = group};
    for (size_t at = 2; at + GROUP_BYTES <= size && state.count < GROUPS_MAX; at += GROUP_BYTES) {
        group[state.count++] = (og_state_group){.arm = (int8_t)data[at],
                                                .node = data[at + 1] | (uint32_t)data[at + 2] << 8,
                                                .copies = (int8_t)data[at + 3]};
    }
    ask_all(one, &state);
}
