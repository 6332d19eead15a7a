#include "tests/question.h"

#include "heuristics/policy.h"
#include "tests/support.h"

void question_ok(og_status status, const og_message *message, const char *words)
{
    ck_assert_msg(status == OG_OK, "%s: status %d: %s", words, status, message->text);
}

og_arms *question_arms(const og_groups *problem, const char *words)
{
    og_arms *arms = NULL;
    og_message message = {""};
    question_ok(test_arms_new(problem, 1, QUESTION_MEMORY_BYTES, &arms, &message), &message, words);
    return arms;
}

question question_of(const char *words, int32_t budget)
{
    question q = {.oracle = NULL, .settings = question_settings(OG_REDUCE_ALL, 1)};
    test_problem(words, budget, &q.problem);
    snprintf(q.words, sizeof q.words, "-T %d %s", budget, words);
    q.arms = question_arms(&q.problem, q.words);
    return q;
}

question question_plain(random_source *source, const random_limits *limits, uint64_t seed,
                        int round)
{
    question q = {.oracle = NULL, .settings = question_settings(OG_REDUCE_ALL, 1)};
    char words[400];
    random_problem(source, limits, &q.problem);
    problem_format(&q.problem, words, sizeof words);
    snprintf(q.words, sizeof q.words, "%s (TEST_SEED=%" PRIu64 ", case %d)", words, seed, round);
    q.arms = question_arms(&q.problem, q.words);
    return q;
}

question question_random(random_source *source, const random_limits *limits, uint64_t seed,
                         int round)
{
    question q = question_plain(source, limits, seed, round);
    q.oracle = oracle_new(&q.problem);
    return q;
}

void question_free(question *q)
{
    if (q->oracle != NULL) {
        oracle_free(q->oracle);
    }
    og_arms_free(q->arms);
    og_groups_clear(&q->problem);
}

og_settings question_settings(unsigned reductions, int threads)
{
    og_settings settings;
    og_settings_default(&settings);
    settings.reductions = reductions;
    settings.threads = threads;
    settings.memory_bytes = QUESTION_MEMORY_BYTES;
    return settings;
}

og_value_found question_value(og_model *model, const og_value_asked *asked,
                              const og_settings *settings, const char *words)
{
    og_solution solution = {.self = NULL};
    og_value_found found = {.value = NULL};
    og_message message = {""};
    question_ok(og_solution_by_engine(model, asked, settings, &solution, &message), &message,
                words);
    question_ok(solution.value(solution.self, &found, &message), &message, words);
    og_solution_free(&solution);
    return found;
}

og_status question_try(const og_arms *arms, const og_settings *settings, og_result *result,
                       og_message *message)
{
    og_solver *solver = NULL;
    og_status status = og_solver_new(arms, settings, &solver, message);
    if (status == OG_OK) {
        status = og_solver_value(solver, result, message);
    }
    og_solver_free(solver);
    return status;
}

og_result question_solve(const og_arms *arms, const og_settings *settings, const char *words)
{
    og_message message = {""};
    og_result result = {0};
    question_ok(question_try(arms, settings, &result, &message), &message, words);
    return result;
}

/* Few of them, so that many tie. */
static og_ranks *random_ranks(random_source *source, const og_arms *arms, bool by_left)
{
    og_ranks *ranks = NULL;
    ck_assert_int_eq(og_ranks_new(arms, by_left, &ranks), OG_OK);
    uint32_t most = 1 + random_below(source, 5);
    for (int32_t a = 0; a < arms->arm_count; a++) {
        for (int32_t left = 1; left <= (by_left ? arms->budget : 1); left++) {
            uint32_t *rank = ranks->rank[(by_left ? left * arms->arm_count : 0) + a];
            uint32_t nodes = arms->arm[a]->level[by_left ? arms->budget - left + 1 : arms->budget];
            for (uint32_t x = 0; x < nodes; x++) {
                rank[x] = random_below(source, most);
            }
        }
    }
    return ranks;
}

og_ranks *question_named_ranks(const og_arms *arms, const char *name, const char *words)
{
    og_policy_name policy;
    og_ranks *ranks = NULL;
    og_message message = {""};
    question_ok(og_policy_name_parse(name, &policy, &message), &message, words);
    question_ok(og_policy_name_ranks(&policy, arms, arms->budget, 1, &ranks, &message), &message,
                words);
    return ranks;
}

question question_of_any_kind(random_source *source, uint64_t seed, int round)
{
    static const char *const classes[] = {"2x1,1,1", "3x1,1,1 1,2,1", "2x1,1,1,1 2,1", "4x2,1,1"};
    if (round % 8 == 7) {
        return question_of(classes[random_below(source, 4)], (int32_t)random_below(source, 6));
    }
    random_limits limits = {.instances = round % 2 == 0 ? 4 : 6,
                            .budget = round % 2 == 0 ? 9 : 6,
                            .mixtures = round % 4 == 1,
                            .integers = round % 4 == 2,
                            .halves = round % 8 == 2,
                            .bandit = round % 8 == 4};
    return question_random(source, &limits, seed, round);
}

og_ranks *question_ranks(random_source *source, const question *q, int round, bool by_left)
{
    static const char *const names[] = {"kg", "opt-kg", "gittins-fh", "gittins-inf", "uniform"};
    bool named = round % 8 != 7 && round % 3 == 0 && q->problem.objective == OG_OBJECTIVE_CALLS;
    return named ? question_named_ranks(q->arms, names[random_below(source, 5)], q->words)
                 : random_ranks(source, q->arms, by_left);
}

static og_status read_word(og_problem *problem, const char *word, char **rest, og_message *message)
{
    if (word[0] != '-') {
        return og_problem_add(problem, word, message);
    }
    const char *name = strcmp(word, "-T") == 0 ? "budget" : word + 2;
    bool alone = false;
    for (int32_t i = 0; i < problem->row_count; i++) {
        alone = alone ||
                (strcmp(problem->row[i]->name, name) == 0 && problem->row[i]->argument == NULL);
    }
    return og_problem_set(problem, name, alone ? NULL : strtok_r(NULL, " ", rest), message);
}

og_status question_open(const char *family, char *words, const og_settings *settings,
                        og_problem **given, og_problem_text *text, void **problem,
                        og_message *message)
{
    char *rest = NULL;
    const char *history = NULL;
    static og_message warning; /* that no test reads */
    og_status status = og_problem_new(family, given, message);
    for (char *word = strtok_r(words, " ", &rest); word != NULL && status == OG_OK;
         word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "--history") == 0) { /* is not of the problem */
            history = strtok_r(NULL, " ", &rest);
        } else {
            status = read_word(*given, word, &rest, message);
        }
    }
    if (status == OG_OK) {
        status = og_problem_texts(*given, text, message);
        text->history = history;
        text->warning = &warning;
    }
    return status == OG_OK ? og_family_open((*given)->family, text, settings, problem, message)
                           : status;
}
