/*
 * Allocations that fail, one after the other, where workers are assigned to tasks: policies on
 * histories, their runs, and what runs are made from.
 */
#include "bench/recorded/accuracy.h"
#include "bench/recorded/tasks.h"
#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"
#include "dp/base/rational.h"
#include "heuristics/families/assignment_histories.h"
#include "tests/fault_walk.h"
#include "tests/support.h"

enum { TASKS = 2, WORKERS = 2, CELLS = TASKS * WORKERS, BUDGET = 3 };

static const int32_t context[TASKS] = {0, 1};
static const bool there[CELLS] = {true, true, true, false};

static struct {
    og_assignment *problem;
    og_assignment_posterior posterior;
    char path[64];
} setting;

static og_assignment_setting setting_of(const bool *cells)
{
    return (og_assignment_setting){.tasks = TASKS,
                                   .workers = WORKERS,
                                   .contexts = 2,
                                   .context = context,
                                   .there = cells,
                                   .budget = BUDGET};
}

static og_assignment_histories question_of(const og_assignment_player *player)
{
    return (og_assignment_histories){.player = player,
                                     .problem = setting.problem,
                                     .posterior = &setting.posterior,
                                     .budget = BUDGET,
                                     .leaves_max = OG_ASSIGNMENT_LEAVES,
                                     .threads = 1};
}

static void value_policy(outcome *out, const char *name)
{
    og_assignment_setting given = setting_of(NULL);
    og_assignment_player player;
    og_assignment_valued value;
    PAINT(player);
    PAINT(value);
    out->status = og_assignment_player_new(name, &given, &player, &out->message);
    CHECK_PAINT(out, player);
    if (out->status != OG_OK) {
        return;
    }
    const og_assignment_histories question = question_of(&player);
    out->status = og_assignment_value(&question, &value, &out->message);
    CHECK_PAINT(out, value);
    if (out->status == OG_OK) {
        digest(out, value.value, sizeof value.value);
    }
    og_assignment_player_free(&player);
}

static void run_values(outcome *out)
{
    static const char *const names[] = {"naive", "bbta:0,skip", "opt-kg-multi", "iethresh:0.9",
                                        "crowdsense:0.1"};
    for (size_t k = 0; out->status == OG_OK && k < sizeof names / sizeof *names; k++) {
        value_policy(out, names[k]);
    }
}

static void run_fractions(outcome *out)
{
    og_assignment_setting given = setting_of(NULL);
    og_assignment_player player;
    mpq_t value[OG_ASSIGNMENT_VALUES];
    out->status = og_assignment_player_new("opt-kg", &given, &player, &out->message);
    if (out->status != OG_OK) {
        return;
    }
    for (int v = 0; v < OG_ASSIGNMENT_VALUES; v++) {
        mpq_init(value[v]);
    }
    const og_assignment_histories question = question_of(&player);
    out->status = og_assignment_value_exact(&question, value, &out->message);
    for (int v = 0; v < OG_ASSIGNMENT_VALUES; v++) {
        digest_double(out, og_nearest(value[v]));
        mpq_clear(value[v]);
    }
    og_assignment_player_free(&player);
}

static void run_regret(outcome *out)
{
    static const int8_t label[CELLS] = {1, -1, -1, 1};
    og_assignment_setting given = setting_of(NULL);
    og_assignment_player player;
    og_assignment_regret regret;
    PAINT(regret);
    out->status = og_assignment_player_new("bbta:0", &given, &player, &out->message);
    if (out->status == OG_OK) {
        const og_assignment_histories question = question_of(&player);
        out->status = og_assignment_regret_of(&question, label, &regret, &out->message);
        CHECK_PAINT(out, regret);
        og_assignment_player_free(&player);
    }
    if (out->status == OG_OK) {
        digest_double(out, regret.drawn);
        digest_double(out, regret.best);
    }
}

/* ---- runs ---- */

static void play(outcome *out, const og_assignment_world *world, const char *name)
{
    og_policy_name policy;
    og_ties ties = OG_TIES_RANDOM;
    og_simulation found;
    og_source source = og_source_assignment(world);
    og_asked asked = {.policies = &policy,
                      .policy_count = 1,
                      .request = {.ties = &ties,
                                  .ties_count = 1,
                                  .runs = 3,
                                  .seed = 1,
                                  .settings = {.threads = 1, .memory_bytes = UINT64_C(1) << 30}}};
    PAINT(found);
    out->status = og_policy_name_parse(name, &policy, &out->message);
    if (out->status == OG_OK) {
        out->status = og_simulate_run(&asked, &source, &found, &out->message);
        CHECK_PAINT(out, found);
    }
    if (out->status == OG_OK) {
        digest_double(out, found.rows[0].metric[0].mean);
        og_simulation_clear(&found);
    }
}

static void run_drawn(outcome *out)
{
    const og_assignment_world world = {.setting = setting_of(NULL), .problem = setting.problem};
    play(out, &world, "bbta:0");
}

static void run_recorded(outcome *out)
{
    static const int8_t truth[TASKS] = {1, -1}, label[CELLS] = {1, -1, -1, 0};
    static const int32_t at[] = {1, BUDGET};
    const og_assignment_world world = {
        .setting = setting_of(there), .truth = truth, .label = label, .at = at, .at_count = 2};
    play(out, &world, "crowdsense:0");
}

/* ---- contexts and fills ---- */

static void run_contexts(outcome *out)
{
    static const char *const names[] = {"b", "a"};
    int32_t found[TASKS];
    og_contexts read = {.name = names, .count = TASKS, .context = found};
    out->status = og_contexts_read(setting.path, NULL, &read, &out->message);
    if (out->status == OG_OK) {
        out->status = og_contexts_cluster(setting.path, 2, 1, NULL, &read, &out->message);
    }
    digest_double(out, read.contexts);
}

static void run_fills(outcome *out)
{
    static const int8_t gold[TASKS] = {1, -1};
    const og_fill_problem problem = {TASKS, WORKERS, 2, context, gold, 2};
    for (og_fill_kind kind = OG_FILL_ACCURACY; out->status == OG_OK && kind <= OG_FILL_GROUSE;
         kind++) {
        int8_t label[CELLS] = {1, 0, -1, 0};
        const og_fill fill = {kind, 1};
        out->status = og_fill_in(&fill, &problem, 1, NULL, label);
        digest(out, label, sizeof label);
    }
}

static void run_accuracies(outcome *out)
{
    static const int8_t gold[TASKS] = {1, -1}, label[CELLS] = {1, 0, -1, 0};
    const og_fill_problem problem = {TASKS, WORKERS, 2, context, gold, 2};
    const og_drawn_crowd crowd = {OG_CROWD_MALICIOUS, WORKERS};
    double recorded[3 * OG_ACCURACY_BINS], drawn[3 * OG_ACCURACY_BINS];
    PAINT(recorded);
    PAINT(drawn);
    out->status = og_accuracies_recorded(&problem, label, recorded);
    CHECK_PAINT(out, recorded);
    if (out->status != OG_OK) {
        return;
    }
    out->status = og_accuracies_drawn(&problem, &crowd, 1, 3, drawn);
    CHECK_PAINT(out, drawn);
    if (out->status == OG_OK) {
        digest(out, recorded, sizeof recorded);
        digest(out, drawn, sizeof drawn);
    }
}

static const fault_scene scenes[] = {
    SCENE("values over histories", .run = run_values),
    SCENE("values in fractions", .run = run_fractions),
    SCENE("regret", .run = run_regret),
    SCENE("drawn runs", .run = run_drawn),
    SCENE("recorded runs", .run = run_recorded),
    SCENE("contexts", .run = run_contexts),
    SCENE("fills", .run = run_fills),
    SCENE("accuracies", .run = run_accuracies),
};

static void start_world(void)
{
    static const og_fraction accuracy[2 * WORKERS][2] = {
        {{4, 1}, {1, 1}}, {{3, 1}, {1, 1}}, {{2, 1}, {1, 1}}, {{4, 1}, {1, 1}}};
    if (og_assignment_new(&(og_assignment_given){TASKS, context, 2, WORKERS, false, accuracy},
                          &setting.problem, NULL) != OG_OK ||
        og_assignment_posterior_init(setting.problem, CELLS, &setting.posterior, NULL) != OG_OK) {
        abort();
    }
    strcpy(setting.path, "/tmp/optgap-faults-XXXXXX");
    int file = mkstemp(setting.path);
    FILE *to = file >= 0 ? fdopen(file, "w") : NULL;
    if (to == NULL || fputs("task\tcontext\na\t1\nb\t2\n", to) < 0 || fclose(to) != 0) {
        abort();
    }
}

static void end_world(void)
{
    remove(setting.path);
    og_assignment_posterior_clear(&setting.posterior);
    og_assignment_free(setting.problem);
}

OG_SUITE_RUN(faults_assignment)
{
    return fault_suite("faults_assignment", scenes, sizeof scenes / sizeof *scenes, start_world,
                       end_world);
}
