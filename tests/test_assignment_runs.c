/*
 * Runs of task assignment: simulated means agree with exact values; crowds, contexts and fills
 * satisfy their headers.
 */
#include <float.h>
#include <unistd.h>

#include "bench/recorded/accuracy.h"
#include "bench/recorded/drawn_crowd.h"
#include "bench/recorded/missing_labels.h"
#include "bench/recorded/tasks.h"
#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"
#include "heuristics/families/assignment_histories.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(assignment_runs, 30);

enum { TASKS = 3, WORKERS = 3, CELLS = TASKS * WORKERS, POLICIES = 6, BUDGET = 4 };

static const char *const names[POLICIES] = {"naive",          "bbta:0", "bbta:0,skip,fresh",
                                            "crowdsense:0.1", "opt-kg", "opt-kg-multi"};

/* ---- runs against values ---- */

static og_assignment *new_problem(bool known)
{
    static const int32_t context[TASKS] = {0, 1, 1};
    og_fraction accuracy[2 * WORKERS][2];
    og_assignment *assignment = NULL;
    for (int32_t k = 0; k < 2 * WORKERS; k++) {
        accuracy[k][0] = known ? og_fraction_make(9 - k, 10) : og_fraction_make(4 - k % 2, 1);
        accuracy[k][1] = og_fraction_make(1, 1);
    }
    ck_assert(og_assignment_new(&(og_assignment_given){TASKS, context, 2, WORKERS, known,
                                                       (const og_fraction(*)[2])accuracy},
                                &assignment, NULL) == OG_OK);
    return assignment;
}

static double exact_value(const og_assignment *problem, const og_assignment_setting *setting,
                          const char *name, og_ties ties)
{
    og_assignment_posterior posterior;
    og_assignment_player player;
    og_assignment_valued value = {.leaves = 0};
    ck_assert(og_assignment_posterior_init(problem, BUDGET, &posterior, NULL) == OG_OK);
    ck_assert(og_assignment_player_new(name, setting, &player, NULL) == OG_OK);
    const og_assignment_histories question = {.player = &player,
                                              .problem = problem,
                                              .posterior = &posterior,
                                              .budget = BUDGET,
                                              .ties = ties,
                                              .leaves_max = OG_ASSIGNMENT_LEAVES,
                                              .threads = 1};
    ck_assert(og_assignment_value(&question, &value, NULL) == OG_OK);
    og_assignment_player_free(&player);
    og_assignment_posterior_clear(&posterior);
    return value.value[OG_ASSIGNMENT_OWN];
}

OG_TEST_LOOP(test_runs_come_to_the_exact_values, 0, 2)
{
    const double errors = 5;
    const og_ties ties[] = {OG_TIES_RANDOM, OG_TIES_FIRST};
    og_assignment *problem = new_problem(_i == 0);
    const og_assignment_world world = {.setting = {.tasks = TASKS,
                                                   .workers = WORKERS,
                                                   .contexts = 2,
                                                   .context = problem->context,
                                                   .budget = BUDGET},
                                       .problem = problem};
    const og_source source = og_source_assignment(&world);
    og_policy_name policy[POLICIES];
    og_simulation found;
    og_message message = {""};
    for (int32_t k = 0; k < POLICIES; k++) {
        ck_assert(og_policy_name_parse(names[k], &policy[k], NULL) == OG_OK);
    }
    const og_asked asked = {
        .policies = policy,
        .policy_count = POLICIES,
        .request = {.ties = ties,
                    .ties_count = 2,
                    .runs = test_cases(4000),
                    .seed = test_seed(3),
                    .settings = {.threads = 2, .memory_bytes = UINT64_C(1) << 30}}};
    ck_assert_msg(og_simulate_run(&asked, &source, &found, &message) == OG_OK, "%s", message.text);
    for (int32_t r = 0; r < found.row_count; r++) {
        const og_simulate_row *row = &found.rows[r];
        const og_estimate *metric = &row->metric[OG_CORRECT];
        double value = exact_value(problem, &world.setting, names[row->policy], row->ties);
        ck_assert_msg(fabs(metric->mean - value) <= errors * metric->standard_error,
                      "%s: %g +- %g, not %g", names[row->policy], metric->mean,
                      metric->standard_error, value);
    }
    og_simulation_clear(&found);
    og_assignment_free(problem);
}

/* ---- crowds ---- */

OG_TEST_LOOP(test_crowds, 0, 3)
{
    enum { CONTEXTS = 3, CROWD = 50 };
    static const struct {
        const char *text;
        double good, bad, other;
    } rows[] = {{"spammer-hammer:50", 1, 0.5, 0.5},
                {"one-coin:50", 0.9, 0.6, 0.6},
                {"malicious:50", 0.9, 0.3, 0.6}};
    double accuracy[CONTEXTS * CROWD];
    og_drawn_crowd crowd;
    ck_assert(og_drawn_crowd_parse(rows[_i].text, &crowd, NULL) == OG_OK && crowd.workers == CROWD);
    for (uint64_t run = 0; run < 4; run++) {
        int32_t good_at[CONTEXTS] = {0};
        og_drawn_crowd_draw(&crowd, CONTEXTS, test_seed(5), run, accuracy);
        for (int32_t j = 0; j < CROWD; j++) {
            double sum = 0;
            for (int32_t s = 0; s < CONTEXTS; s++) {
                good_at[s] += accuracy[s * CROWD + j] == rows[_i].good;
                sum += accuracy[s * CROWD + j];
            }
            ck_assert_double_eq_tol(sum, rows[_i].good + rows[_i].bad + rows[_i].other,
                                    4 * DBL_EPSILON);
        }
        ck_assert_int_eq(good_at[0] + good_at[1] + good_at[2], CROWD);
        ck_assert(good_at[0] > 0 && good_at[1] > 0 && good_at[2] > 0);
    }
    og_drawn_crowd_draw(&crowd, 1, 1, 0, accuracy);
    ck_assert(accuracy[0] == rows[_i].good);
}

/* Three contexts of 2, 1 and 1 tasks. Workers who are good at the first and guess elsewhere are
 * right for about 3/4 of all tasks; in the other contexts each accuracy of the crowd has an
 * interval. */
OG_TEST_LOOP(test_accuracies_of_crowds, 0, 3)
{
    enum { CONTEXTS = 3, BINS = OG_ACCURACY_BINS, CROWD = 50, RUNS = 7 };
    static const struct {
        const char *text;
        int good, bad, other; /* intervals of a context */
        int all[6];           /* and of all tasks, -1: there are no more */
    } rows[] = {{"spammer-hammer:50", 19, 10, 10, {15, 12, -1}},
                {"one-coin:50", 18, 12, 12, {15, 13, -1}},
                {"malicious:50", 18, 6, 12, {13, 10, 12, -1}}};
    static const int32_t contexts[] = {0, 1, 0, 2};
    double workers[(CONTEXTS + 1) * BINS], good = 0;
    og_drawn_crowd crowd;
    ck_assert(og_drawn_crowd_parse(rows[_i].text, &crowd, NULL) == OG_OK);
    const og_fill_problem problem = {4, CROWD, CONTEXTS, contexts, NULL, 2};
    ck_assert(og_accuracies_drawn(&problem, &crowd, test_seed(5), RUNS, workers) == OG_OK);
    for (int32_t s = 0; s <= CONTEXTS; s++) {
        double *row = &workers[(ptrdiff_t)s * BINS], sum = 0;
        good += s < CONTEXTS ? row[rows[_i].good] : 0;
        for (int32_t k = 0; k < BINS; k++) {
            bool there = k == rows[_i].good || k == rows[_i].bad || k == rows[_i].other;
            sum += row[k];
            ck_assert(s == CONTEXTS || (row[k] > 0) == there);
        }
        ck_assert_double_eq_tol(sum, CROWD, CROWD * DBL_EPSILON * BINS);
    }
    ck_assert_double_eq_tol(good, CROWD, CROWD * DBL_EPSILON * BINS);
    for (int32_t k = 0; rows[_i].all[k] >= 0; k++) {
        double *own = &workers[CONTEXTS * BINS + rows[_i].all[k]];
        ck_assert(*own > 0);
        *own = 0;
    }
    for (int32_t k = 0; k < BINS; k++) {
        ck_assert(workers[CONTEXTS * BINS + k] == 0);
    }
}

/* Ends of intervals, nothing known, and a task without truth. */
OG_TEST(test_accuracies_of_labels)
{
    enum { TWENTY = 21, MEN = 3, BINS = OG_ACCURACY_BINS };
    int8_t label[TWENTY * MEN] = {0}, gold[TWENTY];
    int32_t contexts[TWENTY];
    double workers[3 * BINS];
    for (int32_t right = 0; right < TWENTY; right++) {
        for (int32_t i = 0; i < TWENTY; i++) {
            gold[i] = (int8_t)(i == TWENTY - 1 ? 0 : i % 3 == 0 ? 1 : -1);
            contexts[i] = i == TWENTY - 1;
            label[i * MEN] = (int8_t)(i < right ? gold[i] : -gold[i]);
            label[i * MEN + 2] = 1; /* the second gives none */
        }
        label[(TWENTY - 1) * MEN] = 1;
        const og_fill_problem problem = {TWENTY, MEN, 2, contexts, gold, 2};
        ck_assert(og_accuracies_recorded(&problem, label, workers) == OG_OK);
        for (int32_t k = 0; k < BINS; k++) {
            bool own = k == (right == BINS ? BINS - 1 : right), third = k == 7; /* 7 of 20 */
            ck_assert(workers[k] == own + third && workers[2 * BINS + k] == own + third);
            ck_assert(workers[BINS + k] == 0);
        }
    }
}

OG_TEST(test_crowds_that_are_none)
{
    static const char *const texts[] = {"",
                                        "one-coin",
                                        "one-coin:",
                                        "one-coin:0",
                                        "two-coin:3",
                                        "one-coin:3.5",
                                        "one-coin:-1",
                                        "one-coin:99999",
                                        "malicious:3x"};
    og_drawn_crowd crowd;
    og_message message = {""};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        ck_assert(og_drawn_crowd_parse(texts[k], &crowd, &message) == OG_BAD_INPUT);
        ck_assert(strstr(message.text, "MODEL:K") != NULL);
    }
}

/* ---- files ---- */

typedef struct {
    char path[32];
} temporary;

static temporary write_file(const char *text)
{
    temporary made = {"/tmp/optgap-tasks-XXXXXX"};
    int file = mkstemp(made.path);
    size_t length = strlen(text);
    ck_assert(file >= 0 && write(file, text, length) == (ssize_t)length);
    close(file);
    return made;
}

static const char *const three[] = {"a", "b", "c"};

OG_TEST(test_contexts_are_numbered_as_they_appear)
{
    temporary file = write_file("task\tcontext\nz\tother\nc\tred\na\tblue\nb\tred\n");
    int32_t context[3];
    og_contexts read = {.name = three, .count = 3, .context = context};
    ck_assert(og_contexts_read(file.path, NULL, &read, NULL) == OG_OK);
    ck_assert(read.contexts == 2 && context[0] == 0 && context[1] == 1 && context[2] == 1);
    unlink(file.path);
}

OG_TEST(test_tables_that_are_wrong)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", ""},
        {"task\tcontext\n", "no tasks"},
        {"task\tcolour\na\tred\n", "no column 'context'"},
        {"context\nred\n", "no column 'task'"},
        {"task\tcontext\na\tred\nb\tred\n", "'c' has no context"},
        {"task\tcontext\na\tred\nb\tred\nc\tred\na\tblue\n", "'a' has two lines"},
        {"task\tcontext\na\tred\nb\n", "line 3"},
    };
    int32_t context[3];
    og_contexts read = {.name = three, .count = 3, .context = context};
    og_message message = {""};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        temporary file = write_file(rows[k].text);
        ck_assert(og_contexts_read(file.path, NULL, &read, &message) == OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, rows[k].says) != NULL, "%s", message.text);
        unlink(file.path);
    }
}

OG_TEST(test_numbers_that_are_wrong)
{
    static const struct {
        const char *text, *says;
    } rows[] = {{"task\tlabel\na\t1\nb\t1\nc\t0\n", "no column with numbers"},
                {"task\tx\na\t1\nb\ttwo\nc\t0\n", "must be a number"},
                {"task\tx\na\t1\nb\t2\n", "'c' has no line"}};
    int32_t context[3];
    og_contexts read = {.name = three, .count = 3, .context = context};
    og_message message = {""};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        temporary file = write_file(rows[k].text);
        ck_assert(og_contexts_cluster(file.path, 2, 1, NULL, &read, &message) == OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, rows[k].says) != NULL, "%s", message.text);
        unlink(file.path);
    }
}

/* Two heaps far from each other; and three clusters of two different points are two. */
OG_TEST(test_clusters)
{
    enum { HEAP = 10, TEXT = 4000, NAME = 8, LINE = 60 };
    char text[TEXT] = "task\tx\tlabel\tconstant\ty\n", name[2 * HEAP][NAME];
    const char *tasks[2 * HEAP];
    int32_t context[2 * HEAP];
    og_contexts read = {.name = tasks, .count = 2 * HEAP, .context = context};
    random_source state = random_start(test_seed(77));
    for (int32_t i = 0; i < 2 * HEAP; i++) {
        char line[LINE];
        int heap = 1000 * (i % 2), x = (int)random_below(&state, 10),
            y = (int)random_below(&state, 10);
        snprintf(name[i], sizeof name[i], "t%d", (int)i);
        tasks[i] = name[i];
        snprintf(line, sizeof line, "t%d\t%d\t1\t5\t%d\n", (int)i, heap + x, heap + y);
        strcat(text, line);
    }
    temporary file = write_file(text);
    for (uint64_t seed = 1; seed < 10; seed++) {
        ck_assert(og_contexts_cluster(file.path, 2, seed, NULL, &read, NULL) == OG_OK);
        ck_assert_int_eq(read.contexts, 2);
        for (int32_t i = 2; i < 2 * HEAP; i++) {
            ck_assert(context[i] == context[i % 2] && context[0] != context[1]);
        }
    }
    unlink(file.path);
    file = write_file("task,x\na,1\nb,2\nc,1\n");
    read.name = three;
    read.count = 3;
    ck_assert(og_contexts_cluster(file.path, 3, 4, NULL, &read, NULL) == OG_OK);
    ck_assert(read.contexts == 2 && context[0] == context[2] && context[0] != context[1]);
    unlink(file.path);
}

/* ---- fills ---- */

OG_TEST(test_fill_by_accuracy)
{
    enum { MANY = 4000, RECORDED = 8 };
    static int8_t label[2 * MANY], gold[MANY];
    static int32_t context[MANY];
    const og_fill fill = {OG_FILL_ACCURACY, 0};
    const og_fill_problem problem = {MANY, 2, 1, context, gold, 2};
    double right[2] = {0, 0}, errors = 5;
    for (int32_t i = 0; i < MANY; i++) { /* the first worker is always right, the other never */
        gold[i] = i % 3 == 0 ? 1 : -1;
        label[2 * i] = i < RECORDED ? gold[i] : 0;
        label[2 * i + 1] = (int8_t)(i < RECORDED ? -gold[i] : 0);
    }
    ck_assert(og_fill_in(&fill, &problem, test_seed(9), NULL, label) == OG_OK);
    for (int32_t i = 0; i < MANY; i++) {
        for (int32_t j = 0; j < 2; j++) {
            ck_assert(i >= RECORDED || label[2 * i + j] == (j == 0 ? gold[i] : -gold[i]));
            right[j] += i >= RECORDED && label[2 * i + j] == gold[i];
        }
    }
    const double chance = (RECORDED + 1.) / (RECORDED + 2), drawn = MANY - RECORDED;
    double deviation = errors * sqrt(chance * (1 - chance) / drawn);
    ck_assert_double_eq_tol(right[0] / drawn, chance, deviation);
    ck_assert_double_eq_tol(right[1] / drawn, 1 - chance, deviation);
}

/* Equal steps of u are right in the given share, and give the others equal shares. */
OG_TEST(test_labels_of_classes)
{
    enum { STEPS = 1200, CLASSES = 4 };
    for (int8_t truth = 1; truth <= CLASSES; truth++) {
        int32_t given[CLASSES + 1] = {0};
        for (int32_t k = 0; k < STEPS; k++) {
            given[og_label_drawn((k + 0.5) / STEPS, 0.25, CLASSES, truth)]++;
        }
        for (int8_t c = 1; c <= CLASSES; c++) {
            ck_assert_int_eq(given[c], STEPS / 4);
        }
        ck_assert(og_label_drawn(1 - 0x1p-53, 0.7, CLASSES, truth) != truth);
    }
    ck_assert(og_label_drawn(0.5, 0.5, 2, 1) == -1 && og_label_drawn(0.4, 0.5, 2, 1) == 1);
    ck_assert_int_eq(og_label_drawn(0.5, 0.2, CLASSES, 0), 0);
}

/* A matrix of signs of rank 1 comes back, whatever half of it is not known. */
OG_TEST_LOOP(test_fill_by_rank, 0, 5)
{
    enum { ROWS = 40, COLUMNS = 30 };
    int8_t whole[ROWS * COLUMNS], label[ROWS * COLUMNS], gold[ROWS] = {0}, truth[ROWS];
    int32_t context[ROWS] = {0};
    og_fill fill;
    random_source state = random_start(test_seed(700 + (uint64_t)_i));
    const og_fill_problem problem = {ROWS, COLUMNS, 1, context, gold, 2};
    ck_assert(og_fill_parse("grouse", &fill, NULL) == OG_OK && fill.rank == 1);
    for (int32_t i = 0; i < ROWS; i++) {
        truth[i] = (int8_t)(random_below(&state, 2) == 0 ? -1 : 1);
    }
    for (int32_t j = 0; j < COLUMNS; j++) {
        int8_t sign = (int8_t)(random_below(&state, 4) == 0 ? -1 : 1);
        for (int32_t i = 0; i < ROWS; i++) {
            whole[i * COLUMNS + j] = (int8_t)(sign * truth[i]);
            label[i * COLUMNS + j] = random_below(&state, 2) == 0 ? 0 : whole[i * COLUMNS + j];
        }
    }
    ck_assert(og_fill_in(&fill, &problem, (uint64_t)_i, NULL, label) == OG_OK);
    ck_assert(memcmp(whole, label, sizeof whole) == 0);
}

OG_TEST(test_fills_by_name)
{
    static const char *const wrong[] = {"", "some", "grouse:", "grouse:0", "grouse:x", "grouses"};
    og_fill fill;
    ck_assert(og_fill_parse("none", &fill, NULL) == OG_OK && fill.kind == OG_FILL_NONE);
    ck_assert(og_fill_parse("accuracy", &fill, NULL) == OG_OK && fill.kind == OG_FILL_ACCURACY);
    ck_assert(og_fill_parse("grouse:5", &fill, NULL) == OG_OK && fill.kind == OG_FILL_GROUSE);
    ck_assert_int_eq(fill.rank, 5);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        ck_assert(og_fill_parse(wrong[k], &fill, NULL) == OG_BAD_INPUT);
    }
}
