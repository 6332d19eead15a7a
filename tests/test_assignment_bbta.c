/*
 * Bandit-based task assignment as in the paper, step by step, on random problems. The test sums
 * over all draws, coins and labels, each label with its probability given those before it, in the
 * simplest way and in long doubles. The library's values and regret are the same.
 */
#include "heuristics/families/assignment_histories.h"
#include "tests/oracle_assignment.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(assignment_bbta, 60);

enum { TASKS = ORACLE_TASKS, WORKERS = ORACLE_WORKERS, CONTEXTS = ORACLE_CONTEXTS };
enum { BUDGET_MOST = 7, LEAVES_MOST = 20000 };

/* Weights are doubles there, exponentials of sums of inverses of chances: the two differ by some
 * units of the last place in each of a few labels. */
static const double digits = 1e-12;
static const long double zero = 1e-12L;

typedef struct {
    oracle_tasks is;
    int32_t budget, explored;
    bool skip, fresh, plus;
    int8_t matrix[TASKS][WORKERS]; /* labels that are fixed, for regret */
} bbta_problem;

/* A history's data, and its probability. */
typedef struct {
    oracle_table table;
    long double loss[CONTEXTS][WORKERS], weight[CONTEXTS][WORKERS];
    int32_t steps[CONTEXTS], spent;
    long double chance;
} history;

typedef struct {
    const bbta_problem *problem;
    bool fixed; /* labels are those of the matrix */
    long double own, called, labels, all;
    int64_t leaves;
    long double drawn, lost[CONTEXTS][WORKERS]; /* regret */
} totals;

/* ---- the policy ---- */

/* Sum of w y / sum of w of a task, with the current weights. */
static long double score(const bbta_problem *problem, const history *at, int32_t i)
{
    const long double *w = at->weight[problem->is.context[i]];
    long double above = 0, below = 0;
    for (int32_t j = 0; j < problem->is.workers; j++) {
        above += w[j] * at->table.label[i][j];
        below += w[j];
    }
    return above / below;
}

static int sign(const bbta_problem *problem, long double score)
{
    return fabsl(score) < zero ? problem->plus : score > 0 ? 1 : -1;
}

static void renew(const bbta_problem *problem, history *at, int32_t s, long double eta)
{
    long double least = INFINITY;
    for (int32_t j = 0; j < problem->is.workers; j++) {
        least = fminl(least, at->loss[s][j]);
    }
    for (int32_t j = 0; j < problem->is.workers; j++) {
        at->weight[s][j] = expl(-eta * (at->loss[s][j] - least));
    }
}

static bool is_full(const bbta_problem *problem, const history *at, int32_t i)
{
    for (int32_t j = 0; j < problem->is.workers; j++) {
        if (at->table.label[i][j] == 0) {
            return false;
        }
    }
    return true;
}

/* The task with the least |score| of those that lack a label, the first of equal ones; -1: none. */
static int32_t least_certain(const bbta_problem *problem, const history *at)
{
    long double least = INFINITY;
    for (int32_t i = 0; i < problem->is.tasks; i++) {
        least = is_full(problem, at, i) ? least : fminl(least, fabsl(score(problem, at, i)));
    }
    for (int32_t i = 0; i < problem->is.tasks; i++) {
        if (!is_full(problem, at, i) && fabsl(score(problem, at, i)) <= least + zero) {
            return i;
        }
    }
    return -1;
}

/* Labels of the first tasks of each context: is it one of them? */
static bool is_explored(const bbta_problem *problem, int32_t i)
{
    int32_t before = 0;
    for (int32_t k = 0; k < i; k++) {
        before += problem->is.context[k] == problem->is.context[i];
    }
    return before < problem->explored;
}

/* ---- all histories ---- */

static void settle(totals *out, const history *at)
{
    const bbta_problem *problem = out->problem;
    long double all = oracle_evidence(&problem->is, &at->table, -1);
    for (int32_t i = 0; i < problem->is.tasks && !out->fixed; i++) {
        long double plus = oracle_evidence(&problem->is, &at->table, i) / all;
        int call = sign(problem, score(problem, at, i));
        out->own += at->chance / problem->is.tasks * (call > 0 ? plus : call < 0 ? 1 - plus : 0.5L);
        out->called += at->chance / problem->is.tasks * fmaxl(plus, 1 - plus);
    }
    out->labels += at->chance * at->spent;
    out->all += at->chance;
    out->leaves++;
}

static void adapt(totals *out, const history *at);

/* Adds the loss that each worker would have had in this step. */
static void count_losses(totals *out, const history *at, int32_t i, const long double *p)
{
    const bbta_problem *problem = out->problem;
    for (int32_t b = 0; b < problem->is.workers; b++) {
        history with = *at;
        with.table.label[i][b] = problem->matrix[i][b];
        int call = sign(problem, score(problem, &with, i));
        long double loss = call == 0 ? 0.5L : call != problem->matrix[i][b];
        out->lost[problem->is.context[i]][b] += at->chance * loss;
        out->drawn += at->chance * p[b] * loss;
    }
}

/* Worker j was drawn with probability p for task i and gave the label in the table. */
static void heard(totals *out, const history *before, int32_t i, int32_t j, long double p,
                  long double eta)
{
    const bbta_problem *problem = out->problem;
    int32_t s = problem->is.context[i];
    int call = sign(problem, score(problem, before, i));
    for (int side = -1; side <= 1; side += 2) {
        history at = *before;
        if (call == -side) {
            continue;
        }
        at.chance *= call == 0 ? 0.5L : 1;
        at.loss[s][j] += at.table.label[i][j] != side ? 1 / p : 0;
        if (problem->fresh) {
            renew(problem, &at, s, eta);
        }
        adapt(out, &at);
    }
}

/* The worker repeats an earlier label, gives the matrix's label, or gives either of two labels. */
static void ask(totals *out, const history *before, int32_t i, int32_t j, long double p,
                long double eta)
{
    const bbta_problem *problem = out->problem;
    const int8_t said = before->table.label[i][j];
    for (int8_t y = -1; y <= 1; y += 2) {
        history at = *before;
        at.spent++;
        at.chance *= p;
        at.table.label[i][j] = y;
        if (said != 0 ? y != said : out->fixed && y != problem->matrix[i][j]) {
            continue;
        }
        if (said == 0 && !out->fixed) {
            at.chance *= oracle_evidence(&problem->is, &at.table, -1) /
                         oracle_evidence(&problem->is, &before->table, -1);
        }
        heard(out, &at, i, j, p, eta);
    }
}

static void adapt(totals *out, const history *before)
{
    const bbta_problem *problem = out->problem;
    history at = *before;
    int32_t i = least_certain(problem, &at);
    if (i < 0 || at.spent == problem->budget) {
        settle(out, &at);
        return;
    }
    int32_t s = problem->is.context[i], K = problem->is.workers;
    long double eta = sqrtl(logl(K) / ((long double)++at.steps[s] * K)), p[WORKERS], all = 0;
    renew(problem, &at, s, eta);
    for (int32_t j = 0; j < K; j++) {
        p[j] = problem->skip && at.table.label[i][j] != 0 ? 0 : at.weight[s][j];
        all += p[j];
    }
    for (int32_t j = 0; j < K; j++) {
        p[j] /= all;
    }
    if (out->fixed) {
        count_losses(out, &at, i, p);
    }
    for (int32_t j = 0; j < K; j++) {
        if (p[j] > 0) {
            ask(out, &at, i, j, p[j], eta);
        }
    }
}

/* Explored tasks, from the i-th on, have all their labels: the majority makes the calls. */
static void call_explored(totals *out, const history *before, int32_t i)
{
    const bbta_problem *problem = out->problem;
    int sum = 0;
    if (i == problem->is.tasks) {
        adapt(out, before);
        return;
    }
    if (!is_explored(problem, i)) {
        call_explored(out, before, i + 1);
        return;
    }
    for (int32_t j = 0; j < problem->is.workers; j++) {
        sum += before->table.label[i][j];
    }
    sum = sum == 0 && problem->plus ? 1 : sum;
    for (int side = -1; side <= 1; side += 2) {
        history at = *before;
        if (sum * side < 0) {
            continue;
        }
        at.chance *= sum == 0 ? 0.5L : 1;
        for (int32_t j = 0; j < problem->is.workers; j++) {
            at.loss[problem->is.context[i]][j] += at.table.label[i][j] != side;
        }
        call_explored(out, &at, i + 1);
    }
}

/* All labels of the tasks that are explored, from this cell on. */
static void explore(totals *out, const history *before, int32_t cell)
{
    const bbta_problem *problem = out->problem;
    int32_t i = cell / problem->is.workers, j = cell % problem->is.workers;
    if (i == problem->is.tasks) {
        call_explored(out, before, 0);
        return;
    }
    if (!is_explored(problem, i)) {
        explore(out, before, cell + 1);
        return;
    }
    for (int8_t y = -1; y <= 1; y += 2) {
        history at = *before;
        at.spent++;
        at.table.label[i][j] = y;
        if (!out->fixed) {
            at.chance *= oracle_evidence(&problem->is, &at.table, -1) /
                         oracle_evidence(&problem->is, &before->table, -1);
            explore(out, &at, cell + 1);
        } else if (y == problem->matrix[i][j]) {
            explore(out, &at, cell + 1);
        }
    }
}

static totals literal(const bbta_problem *problem, bool fixed)
{
    totals out = {.problem = problem, .fixed = fixed};
    history at = {.chance = 1};
    for (int32_t s = 0; s < problem->is.contexts; s++) {
        for (int32_t j = 0; j < problem->is.workers; j++) {
            at.weight[s][j] = 1;
        }
    }
    explore(&out, &at, 0);
    ck_assert(fabsl(out.all - 1) < digits);
    return out;
}

/* ---- random problems ---- */

static int32_t explored_cells(const bbta_problem *problem)
{
    int32_t count = 0;
    for (int32_t i = 0; i < problem->is.tasks; i++) {
        count += is_explored(problem, i) ? problem->is.workers : 0;
    }
    return count;
}

/* At most so many histories; those that explore have no draws there. */
static double most_leaves(const bbta_problem *problem)
{
    int32_t cells = explored_cells(problem);
    return pow(2, cells) * pow(2 * problem->is.workers, problem->budget - cells);
}

static bbta_problem draw_problem(random_source *state)
{
    bbta_problem problem = {.is.tasks = 1 + (int32_t)random_below(state, TASKS),
                            .is.workers = 1 + (int32_t)random_below(state, WORKERS),
                            .is.contexts = 1 + (int32_t)random_below(state, CONTEXTS),
                            .is.known = random_below(state, 2) == 0,
                            .skip = random_below(state, 2) == 0,
                            .fresh = random_below(state, 2) == 0,
                            .plus = random_below(state, 2) == 0,
                            .explored = (int32_t)random_below(state, 3),
                            .budget = (int32_t)random_below(state, BUDGET_MOST + 1)};
    for (int32_t i = 0; i < problem.is.tasks; i++) {
        problem.is.context[i] = (int32_t)random_below(state, (uint32_t)problem.is.contexts);
        for (int32_t j = 0; j < problem.is.workers; j++) {
            problem.matrix[i][j] = random_below(state, 2) == 0 ? 1 : -1;
        }
    }
    for (int32_t k = 0; k < problem.is.contexts * problem.is.workers; k++) {
        problem.is.accuracy[k][0] = og_fraction_make(1 + (int32_t)random_below(state, 9), 10);
        problem.is.accuracy[k][1] = og_fraction_make(1 + (int32_t)random_below(state, 9), 10);
    }
    while (explored_cells(&problem) > BUDGET_MOST) {
        problem.explored--;
    }
    problem.budget =
        problem.budget < explored_cells(&problem) ? explored_cells(&problem) : problem.budget;
    while (most_leaves(&problem) > LEAVES_MOST && problem.budget > explored_cells(&problem)) {
        problem.budget--;
    }
    return problem;
}

typedef struct {
    char name[64];
    og_assignment *problem;
    og_assignment_posterior posterior;
    og_assignment_player player;
    og_assignment_histories question;
} opened_policy;

static void open_policy(const bbta_problem *problem, opened_policy *out)
{
    const og_assignment_setting setting = {.tasks = problem->is.tasks,
                                           .workers = problem->is.workers,
                                           .contexts = problem->is.contexts,
                                           .context = problem->is.context,
                                           .budget = problem->budget};
    og_message message = {""};
    snprintf(out->name, sizeof out->name, "bbta:%d%s%s%s", (int)problem->explored,
             problem->skip ? ",skip" : "", problem->fresh ? ",fresh" : "",
             problem->plus ? ",plus" : "");
    og_status status = og_assignment_new(
        &(og_assignment_given){problem->is.tasks, problem->is.context, problem->is.contexts,
                               problem->is.workers, problem->is.known,
                               (const og_fraction(*)[2])problem->is.accuracy},
        &out->problem, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    status = og_assignment_posterior_init(out->problem, problem->is.tasks * problem->is.workers,
                                          &out->posterior, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    status = og_assignment_player_new(out->name, &setting, &out->player, &message);
    ck_assert_msg(status == OG_OK, "%s: %s", out->name, message.text);
    out->question = (og_assignment_histories){.player = &out->player,
                                              .problem = out->problem,
                                              .posterior = &out->posterior,
                                              .budget = problem->budget,
                                              .leaves_max = OG_ASSIGNMENT_LEAVES,
                                              .threads = 1};
}

static void close_policy(opened_policy *opened)
{
    og_assignment_player_free(&opened->player);
    og_assignment_posterior_clear(&opened->posterior);
    og_assignment_free(opened->problem);
}

OG_TEST_LOOP(value_is_the_literal_one, 0, test_cases(300))
{
    random_source state = random_start(test_seed(7700 + (uint64_t)_i));
    const bbta_problem problem = draw_problem(&state);
    const totals wanted = literal(&problem, false);
    opened_policy at;
    og_assignment_valued value;
    open_policy(&problem, &at);
    ck_assert(og_assignment_value(&at.question, &value, NULL) == OG_OK);
    ck_assert_msg(fabsl(value.value[OG_ASSIGNMENT_OWN] - wanted.own) < digits &&
                      fabsl(value.value[OG_ASSIGNMENT_CALLED] - wanted.called) < digits &&
                      fabsl(value.value[OG_ASSIGNMENT_LABELS] - wanted.labels) <
                          BUDGET_MOST * digits,
                  "%d tasks, %d workers, -T %d, %s: %.17g, not %.17Lg; called %.17g, not %.17Lg",
                  (int)problem.is.tasks, (int)problem.is.workers, (int)problem.budget, at.name,
                  value.value[OG_ASSIGNMENT_OWN], wanted.own, value.value[OG_ASSIGNMENT_CALLED],
                  wanted.called);
    ck_assert_int_eq(value.leaves, wanted.leaves);
    close_policy(&at);
}

OG_TEST_LOOP(regret_is_the_literal_one, 0, test_cases(300))
{
    random_source state = random_start(test_seed(7800 + (uint64_t)_i));
    const bbta_problem problem = draw_problem(&state);
    const totals wanted = literal(&problem, true);
    opened_policy at;
    og_assignment_regret regret;
    int8_t label[TASKS * WORKERS];
    long double best = 0;
    for (int32_t cell = 0; cell < problem.is.tasks * problem.is.workers; cell++) {
        label[cell] = problem.matrix[cell / problem.is.workers][cell % problem.is.workers];
    }
    for (int32_t s = 0; s < problem.is.contexts; s++) {
        long double least = INFINITY;
        for (int32_t b = 0; b < problem.is.workers; b++) {
            least = fminl(least, wanted.lost[s][b]);
        }
        best += least;
    }
    open_policy(&problem, &at);
    ck_assert(og_assignment_regret_of(&at.question, label, &regret, NULL) == OG_OK);
    ck_assert_msg(fabsl(regret.drawn - wanted.drawn) < BUDGET_MOST * digits &&
                      fabsl(regret.best - best) < BUDGET_MOST * digits,
                  "%d tasks, %d workers, -T %d, %s: %.17g and %.17g, not %.17Lg and %.17Lg",
                  (int)problem.is.tasks, (int)problem.is.workers, (int)problem.budget, at.name,
                  regret.drawn, regret.best, wanted.drawn, best);
    close_policy(&at);
}
