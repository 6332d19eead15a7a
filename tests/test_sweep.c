/*
 * Sweeps and their database: the stored numbers are those of og_compare_run and og_simulate_run for
 * each problem, after any interruption, and no proved bound is ever lost.
 */
#include <unistd.h>

#include "bench/questions/compare.h"
#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"
#include "bench/study/sweep.h"
#include "config.h"
#include "tests/families.h"
#include "tests/ranks.h"
#include "tests/support.h"

OG_SUITE(sweep, 60);

enum { FILE_BYTES = 128, VALUES_MAX = 1024 };

typedef struct {
    char path[FILE_BYTES];
    og_study study;
    og_study_db *db;
    og_grid grid;
    og_asked asked;
    og_sweep_result result;
    og_message message;
    int cells_left; /* until the work is interrupted; -1: never */
    og_stop stop;
} random_sample;

static void remove_files(const char *path)
{
    unlink(path);
    test_remove_beside(path);
}

static void count_cell(void *user, const char *words, double share)
{
    random_sample *sample = user;
    ck_assert_ptr_nonnull(strstr(words, " of "));
    if (share > 0 && sample->cells_left > 0 && --sample->cells_left == 0) {
        og_stop_end(&sample->stop);
    }
}

static void set(random_sample *sample, const char *key, const char *text)
{
    ck_assert_msg(og_study_set(&sample->study, key, text, &sample->message) == OG_OK, "%s",
                  sample->message.text);
}

static void open_db(random_sample *sample)
{
    ck_assert_msg(og_study_db_open(sample->path, true, NULL, &sample->db, &sample->message) ==
                      OG_OK,
                  "%s", sample->message.text);
}

/* Two priors, 1 and 3 instances, 0 to 4 labels: 20 cells. */
static void sample_init(random_sample *sample, const char *name)
{
    memset(sample, 0, sizeof *sample);
    snprintf(sample->path, sizeof sample->path, "%.60s/test-sweep-%s-%d.db", test_temporary(), name,
             (int)getpid());
    remove_files(sample->path);
    set(sample, "prior", "1,1");
    set(sample, "prior", "2,1@0.3");
    set(sample, "instances", "1,3");
    set(sample, "budget", "0:4");
    sample->cells_left = -1;
    og_stop_init(&sample->stop, NULL, sample);
    sample->stop.stage = count_cell;
    sample->grid = (og_grid){.database = sample->path, .commit = "commit"};
    const og_settings settings = {.threads = 1, .memory_bytes = UINT64_C(1) << 28};
    sample->asked.given = &sample->grid;
    sample->asked.request.settings = og_stop_settings(&settings, &sample->stop);
    open_db(sample);
}

/* Ten instances of the first prior and two budgets; the larger one takes long. */
static void make_large(random_sample *sample, const char *budgets)
{
    free(sample->study.priors[--sample->study.prior_count]);
    sample->study.instances_count = sample->study.budget_count = 0;
    set(sample, "instances", "10");
    set(sample, "budget", budgets);
    set(sample, "policies", "kg,opt-kg");
}

static void sample_run(random_sample *sample)
{
    if (sample->study.policy_count == 0) {
        set(sample, "policies", "uniform,kg,opt-kg,gittins-fh");
    }
    ck_assert_msg(og_study_complete(&sample->study, &sample->message) == OG_OK, "%s",
                  sample->message.text);
    og_stop_extend(&sample->stop, INFINITY);
    ck_assert_msg(og_sweep_run(&sample->asked, &sample->study, sample->db, &sample->result,
                               &sample->message) == OG_OK,
                  "%s", sample->message.text);
}

static void sample_clear(random_sample *sample)
{
    og_study_db_close(sample->db);
    og_study_clear(&sample->study);
    remove_files(sample->path);
}

/* A number of the database; `found` false where it is NULL or no row. */
static double number(const random_sample *sample, const char *sql, bool *found)
{
    sqlite3_stmt *at = NULL;
    ck_assert_msg(sqlite3_prepare_v2(og_study_db_handle(sample->db), sql, -1, &at, NULL) ==
                      SQLITE_OK,
                  "%s: %s", sql, sqlite3_errmsg(og_study_db_handle(sample->db)));
    bool any = sqlite3_step(at) == SQLITE_ROW && sqlite3_column_type(at, 0) != SQLITE_NULL;
    double value = any ? sqlite3_column_double(at, 0) : NAN;
    sqlite3_finalize(at);
    if (found != NULL) {
        *found = any;
    }
    return value;
}

static void execute(const random_sample *sample, const char *sql)
{
    ck_assert_msg(sqlite3_exec(og_study_db_handle(sample->db), sql, NULL, NULL, NULL) == SQLITE_OK,
                  "%s", sqlite3_errmsg(og_study_db_handle(sample->db)));
}

/* Everything but times and who did it, as one text to compare. */
static char *contents(const random_sample *sample)
{
    static const char sql[] =
        "SELECT prior, instances, budget, runs, policy, ties, status, value, gain, error, gap,"
        " optimal_value, lower, upper, lagrangian_scalar, lagrangian_vector, prevailing_charge,"
        " cell_status FROM result ORDER BY prior, instances, budget, policy, ties";
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    sqlite3_stmt *at = NULL;
    ck_assert_int_eq(sqlite3_prepare_v2(og_study_db_handle(sample->db), sql, -1, &at, NULL),
                     SQLITE_OK);
    while (sqlite3_step(at) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(at); i++) {
            if (sqlite3_column_type(at, i) == SQLITE_FLOAT) {
                fprintf(to, "%a|", sqlite3_column_double(at, i));
            } else {
                const unsigned char *word = sqlite3_column_text(at, i);
                fprintf(to, "%s|", word != NULL ? (const char *)word : "NULL");
            }
        }
        fputc('\n', to);
    }
    sqlite3_finalize(at);
    fclose(to);
    return text;
}

/* -- value ------------------------------------------------------------------------------------ */

static void compare(const random_sample *sample, const char *prior, int64_t instances,
                    int64_t budget, og_comparison *out)
{
    OWN(og_groups) problem;
    og_asked asked = {.policies = sample->study.policies,
                      .policy_count = sample->study.policy_count,
                      .request = {.ties = sample->study.ties,
                                  .ties_count = sample->study.ties_count,
                                  .policy_states_max = sample->study.policy_states_max}};
    og_settings_default(&asked.request.settings);
    asked.request.settings.threads = 1;
    asked.request.settings.memory_bytes = UINT64_C(1) << 28;
    ck_assert_int_eq(og_study_problem(prior, instances, budget, &problem, NULL), OG_OK);
    ck_assert_int_eq(compare_independent(&problem, &asked, out, NULL), OG_OK);
}

static void assert_cell(const random_sample *sample, const char *prior, int64_t instances,
                        int64_t budget)
{
    char sql[OG_POLICY_NAME_BYTES + 400];
    OWN(og_comparison) known = {0};
    compare(sample, prior, instances, budget, &known);
    for (int32_t i = 0; i < known.row_count; i++) {
        const og_compare_row *row = &known.rows[i];
        static const char *const columns[] = {
            "value", "gain", "error", "gap", "optimal_value", "upper", "prevailing_charge"};
        const double values[] = {
            row->result.value,          row->result.gain,
            row->result.error_bound,    row->gap <= row->gap_error ? 0 : row->gap,
            known.optimal.value,        known.upper,
            known.bounds.bound[2].value};
        for (size_t j = 0; j < sizeof values / sizeof *values; j++) {
            snprintf(sql, sizeof sql,
                     "SELECT %s FROM result WHERE prior = '%s' AND instances = %d AND budget = %d "
                     "AND policy = '%s' AND ties = '%s'",
                     columns[j], prior, (int)instances, (int)budget,
                     sample->study.policies[row->policy].name, og_ties_name(row->ties));
            ck_assert_msg(number(sample, sql, NULL) == values[j], "%s: not %.17g", sql, values[j]);
        }
    }
}

OG_TEST(sweep_stores_what_compare_says)
{
    random_sample sample;
    sample_init(&sample, "value");
    set(&sample, "ties", "random,worst");
    sample_run(&sample);
    ck_assert_int_eq(sample.result.cells, 20);
    ck_assert_int_eq(sample.result.finished, 20);
    ck_assert_int_eq(sample.result.limited, 0);
    ck_assert_double_eq(number(&sample, "SELECT count(*) FROM result", NULL), 20 * 4 * 2);
    for (int32_t p = 0; p < 2; p++) {
        for (int64_t k = 0; k < 2; k++) {
            for (int64_t t = 0; t <= 4; t++) {
                assert_cell(&sample, sample.study.priors[p], sample.study.instances[k], t);
            }
        }
    }
    sample_clear(&sample);
}

/* 121/16 is the optimum of 10x1,1 with 12 labels (tests/data/golden.tsv). */
OG_TEST(sweep_knows_a_known_value)
{
    random_sample sample;
    sample_init(&sample, "known");
    set(&sample, "instances", "10");
    set(&sample, "budget", "12");
    sample_run(&sample);
    double value = number(&sample,
                          "SELECT value FROM cell WHERE instances = 10 AND budget = 12 AND"
                          " prior = '1,1'",
                          NULL);
    double error = number(&sample,
                          "SELECT error FROM cell WHERE instances = 10 AND budget = 12 AND"
                          " prior = '1,1'",
                          NULL);
    ck_assert_double_le(fabs(value - 121.0 / 16), error);
    ck_assert_double_le(error, 1e-12);
    sample_clear(&sample);
}

OG_TEST(simulated_cells_hold_what_simulate_says)
{
    random_sample sample;
    og_groups problem;
    og_simulation known = {0};
    sample_init(&sample, "runs");
    set(&sample, "runs", "200");
    set(&sample, "seed", "5");
    sample_run(&sample);
    og_source source = og_source_independent(&problem, NULL);
    og_asked wanted = {.policies = sample.study.policies,
                       .policy_count = sample.study.policy_count,
                       .request = {.ties = sample.study.ties,
                                   .ties_count = sample.study.ties_count,
                                   .runs = 200,
                                   .seed = 5,
                                   .settings = {.threads = 1, .memory_bytes = UINT64_C(1) << 28}}};
    ck_assert_int_eq(og_study_problem("2,1@0.3", 3, 4, &problem, NULL), OG_OK);
    ck_assert_int_eq(og_simulate_run(&wanted, &source, &known, NULL), OG_OK);
    og_groups_clear(&problem);
    static const char where[] = "FROM result WHERE prior = '2,1@0.3' AND instances = 3 AND"
                                " budget = 4 AND policy = 'kg'";
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT value %s", where);
    ck_assert_double_eq(number(&sample, sql, NULL), known.rows[1].metric[OG_EXPECTED].mean);
    snprintf(sql, sizeof sql, "SELECT correct_high %s", where);
    ck_assert_double_eq(number(&sample, sql, NULL), known.rows[1].metric[OG_CORRECT].high);
    snprintf(sql, sizeof sql, "SELECT gap %s", where);
    bool found = true;
    number(&sample, sql, &found);
    ck_assert_msg(!found, "a gap without an optimum");
    og_simulation_clear(&known);
    sample_clear(&sample);
}

OG_TEST(gap_of_a_simulated_cell_is_to_the_exact_optimum_of_the_same_problem)
{
    random_sample sample;
    sample_init(&sample, "both");
    sample_run(&sample);
    set(&sample, "runs", "200");
    sample_run(&sample);
    ck_assert_int_eq(sample.result.finished, 20);
    static const char sql[] =
        "SELECT count(*) FROM result s JOIN cell e ON e.runs = 0 AND e.prior = s.prior AND"
        " e.instances = s.instances AND e.budget = s.budget WHERE s.runs = 200 AND"
        " abs(s.gap - (e.gain - s.gain)) < 1e-12 AND s.gap_low <= max(s.gap, 0) AND"
        " s.gap_high >= s.gap";
    ck_assert_double_eq(number(&sample, sql, NULL), 20 * 4);
    sample_clear(&sample);
}

OG_TEST(labels_of_a_list_are_stored_for_each_instance)
{
    random_sample sample;
    sample_init(&sample, "spent");
    sample.study.instances_count = 0;
    sample.study.budget_count = 0;
    set(&sample, "instances", "3");
    set(&sample, "budget", "4");
    set(&sample, "runs", "50");
    set(&sample, "truth", "list:0,0.5,1");
    sample_run(&sample);
    ck_assert_double_eq(number(&sample, "SELECT count(*) FROM spent", NULL), 2 * 4 * 3);
    ck_assert_double_eq_tol(number(&sample, "SELECT sum(labels) FROM spent", NULL), 2 * 4 * 4,
                            1e-12);
    ck_assert_double_eq(number(&sample, "SELECT soft FROM spent WHERE instance = 1", NULL), 0.5);
    sample_clear(&sample);
}

/* -- resume ----------------------------------------------------------------------------------- */

OG_TEST(sweep_does_only_what_is_missing)
{
    random_sample sample;
    sample_init(&sample, "again");
    sample_run(&sample);
    sample_run(&sample);
    ck_assert_int_eq(sample.result.found, 20);
    ck_assert_int_eq(sample.result.finished, 0);
    set(&sample, "budget", "5");
    sample_run(&sample);
    ck_assert_int_eq(sample.result.found, 20);
    ck_assert_int_eq(sample.result.finished, 4);
    sample_clear(&sample);
}

OG_TEST(another_policy_or_tie_rule_adds_to_the_cells)
{
    random_sample sample, whole;
    sample_init(&sample, "more");
    set(&sample, "policies", "kg,opt-kg");
    sample_run(&sample);
    set(&sample, "ties", "random,first");
    set(&sample, "policy", "pess-kg");
    sample_run(&sample);
    ck_assert_int_eq(sample.result.finished, 20);
    ck_assert_double_eq(number(&sample, "SELECT count(*) FROM policy", NULL), 20 * 3 * 2);
    sample_init(&whole, "whole");
    set(&whole, "policies", "kg,opt-kg,pess-kg");
    set(&whole, "ties", "random,first");
    sample_run(&whole);
    char *added = contents(&sample), *at_once = contents(&whole);
    ck_assert_str_eq(added, at_once);
    free(added);
    free(at_once);
    sample_clear(&sample);
    sample_clear(&whole);
}

/* Stop after each number of cells in turn; two threads may both be at work then. */
OG_TEST_LOOP(interrupted_sweep_goes_on_to_the_same_end, 0, 3)
{
    random_sample whole, part;
    sample_init(&whole, "straight");
    sample_run(&whole);
    char *known = contents(&whole);
    sample_init(&part, "parts");
    part.asked.request.settings.threads = 1 + _i;
    int64_t stored = 0;
    int rounds = 0;
    do {
        part.cells_left = 3;
        sample_run(&part);
        ck_assert_int_eq(part.result.found, stored);
        stored += part.result.finished;
        ck_assert(part.result.interrupted || stored == 20);
        rounds++;
    } while (stored < 20 && rounds < 40);
    ck_assert_int_ge(rounds, 5);
    char *found = contents(&part);
    ck_assert_str_eq(found, known);
    free(known);
    free(found);
    sample_clear(&whole);
    sample_clear(&part);
}

OG_TEST(values_do_not_depend_on_threads_or_memory)
{
    random_sample whole, tight;
    sample_init(&whole, "wide");
    make_large(&whole, "12,24");
    sample_run(&whole);
    char *known = contents(&whole);
    sample_init(&tight, "tight");
    make_large(&tight, "12,24");
    tight.asked.request.settings.threads = 3;
    tight.asked.request.settings.memory_bytes =
        20 << 20; /* a third of it is less than the forecast's 13 MB */
    sample_run(&tight);
    ck_assert_double_eq(number(&tight, "SELECT threads FROM cell WHERE budget = 24", NULL), 3);
    ck_assert_double_eq(number(&tight, "SELECT threads FROM cell WHERE budget = 12", NULL), 1);
    char *found = contents(&tight);
    ck_assert_str_eq(found, known);
    free(found);
    free(known);
    sample_clear(&whole);
    sample_clear(&tight);
}

typedef struct {
    random_sample *sample;
    og_sweep_result result[4];
    og_status status[4];
    og_message message[4];
} shared;

static void run_rank(shared *s, const og_world *world, og_stop *stop)
{
    og_asked asked = {.given = &s->sample->grid};
    asked.request.settings = og_stop_settings(&s->sample->asked.request.settings, stop);
    asked.request.settings.world = world;
    s->status[world->rank] =
        og_sweep_run(&asked, &s->sample->study, world->rank == 0 ? s->sample->db : NULL,
                     &s->result[world->rank], &s->message[world->rank]);
}

static void sweep_as_rank(void *user, const og_world *world)
{
    shared *s = user;
    run_rank(s, world, &s->sample->stop);
}

/* Ended after some cells, they go on; every second time with arrays of each instance. */
OG_TEST_LOOP(ranks_fill_one_database, 0, 6)
{
    static const char labels[] = "SELECT total(round(labels * 20) * (instance + 1)) FROM spent";
    random_sample sample[2];
    for (int k = 0; k < 2; k++) {
        sample_init(&sample[k], k == 0 ? "alone" : "ranks");
        if (_i % 2 == 1) {
            sample[k].study.instances_count = 0;
            set(&sample[k], "instances", "3");
            set(&sample[k], "truth", "list:0.3,0.6,0.8");
            set(&sample[k], "runs", "20");
        }
    }
    sample_run(&sample[0]);
    ck_assert(og_study_set(&sample[1].study, "policies", "uniform,kg,opt-kg,gittins-fh", NULL) ==
              OG_OK);
    ck_assert(og_study_complete(&sample[1].study, NULL) == OG_OK);
    shared s = {.sample = &sample[1]};
    do {
        sample[1].cells_left = 4;
        og_stop_extend(&sample[1].stop, INFINITY);
        ranks_run(2 + _i / 2, 1, sweep_as_rank, &s);
        for (int i = 0; i < 2 + _i / 2; i++) {
            ck_assert_msg(s.status[i] == OG_OK, "%s", s.message[i].text);
            ck_assert(memcmp(&s.result[i], &s.result[0], sizeof s.result[0]) == 0);
        }
        ck_assert(s.result[0].finished > 0);
    } while (s.result[0].interrupted);
    ck_assert_int_eq(s.result[0].found + s.result[0].finished, sample[0].result.cells);
    char *known = contents(&sample[0]), *found = contents(&sample[1]);
    ck_assert_str_eq(found, known);
    double told = number(&sample[0], labels, NULL);
    ck_assert(told == number(&sample[1], labels, NULL) && (told > 0) == (_i % 2 == 1));
    free(known);
    free(found);
    sample_clear(&sample[0]);
    sample_clear(&sample[1]);
}

/* A rank that is interrupted before rank 0 loses cells, and rank 0 reports this; a third rank may
 * have done all of them. */
static void sweep_with_one_ended(void *user, const og_world *world)
{
    shared *s = user;
    og_stop ended;
    og_stop_init(&ended, NULL, NULL);
    if (world->rank == 1) {
        og_stop_end(&ended);
    }
    run_rank(s, world, &ended);
}

OG_TEST_LOOP(rank_that_is_interrupted_alone_is_told_of, 0, 2)
{
    random_sample sample;
    sample_init(&sample, "one");
    ck_assert(og_study_set(&sample.study, "policies", "kg", NULL) == OG_OK);
    ck_assert(og_study_complete(&sample.study, NULL) == OG_OK);
    shared s = {.sample = &sample};
    ranks_run(2 + _i, 1, sweep_with_one_ended, &s);
    for (int i = 0; i < 2 + _i; i++) {
        ck_assert_msg(s.status[i] == OG_OK, "%s", s.message[i].text);
        ck_assert(s.result[i].interrupted == (s.result[i].finished < s.result[i].cells));
        ck_assert(s.result[i].interrupted || _i > 0);
    }
    sample_clear(&sample);
}

/* -- limits ----------------------------------------------------------------------------------- */

OG_TEST(limit_is_stored_and_redone_only_when_asked)
{
    random_sample sample;
    sample_init(&sample, "limit");
    make_large(&sample, "4,32");
    set(&sample, "policy-states", "1");
    sample_run(&sample);
    int64_t limited = sample.result.limited;
    ck_assert_int_eq(limited, 1);
    double open = number(&sample, "SELECT count(*) FROM policy WHERE status = 'limit'", NULL);
    ck_assert_double_gt(open, 0);
    ck_assert_double_eq(number(&sample,
                               "SELECT count(*) FROM policy WHERE status = 'limit' AND"
                               " (value IS NOT NULL OR reason <> 'more than 1 states')",
                               NULL),
                        0);
    set(&sample, "policy-states", "0");
    sample_run(&sample);
    ck_assert_int_eq(sample.result.finished, 0);
    ck_assert_int_eq(sample.result.limited, limited);
    sample.grid.retry = true;
    sample_run(&sample);
    ck_assert_int_eq(sample.result.finished, limited);
    ck_assert_int_eq(sample.result.limited, 0);
    ck_assert_double_eq(number(&sample, "SELECT count(*) FROM policy WHERE status = 'limit'", NULL),
                        0);
    sample_clear(&sample);
}

/* A cell by hand: 2 instances, 3 labels. */
static og_cell cell_of(og_cell_status status, double value, og_cell_row *row)
{
    og_cell cell = {.key = {.prior = "1,1", .instances = 2, .budget = 3, .truth = "prior"},
                    .status = status,
                    .reason = "time limit",
                    .call = 1,
                    .value = value,
                    .gain = value - 1,
                    .error = 1e-9,
                    .lower = 1.2,
                    .upper = 1.9,
                    .scalar = 1.9,
                    .vector = INFINITY,
                    .prevailing = NAN,
                    .row_count = 1,
                    .rows = row};
    *row = (og_cell_row){.policy = "kg",
                         .known = status == OG_CELL_OK,
                         .reason = "time limit",
                         .value = status == OG_CELL_OK ? 1.3 : NAN,
                         .gain = status == OG_CELL_OK ? 0.3 : NAN,
                         .error = 1e-9};
    return cell;
}

static og_status put(random_sample *sample, const og_cell *cell)
{
    int64_t run = 0;
    ck_assert_int_eq(og_study_db_begin(sample->db, "by hand", "0", "0", &run, NULL), OG_OK);
    return og_study_db_put(sample->db, run, cell, &sample->message);
}

OG_TEST(what_is_proved_is_not_replaced_by_a_bracket)
{
    random_sample sample;
    og_cell_row row;
    sample_init(&sample, "keep");
    og_cell proved = cell_of(OG_CELL_OK, 1.5, &row);
    ck_assert_int_eq(put(&sample, &proved), OG_OK);
    og_cell bracket = cell_of(OG_CELL_LIMIT, NAN, &row);
    ck_assert_int_eq(put(&sample, &bracket), OG_OK);
    ck_assert_double_eq(number(&sample, "SELECT value FROM cell", NULL), 1.5);
    ck_assert_double_eq(number(&sample, "SELECT value FROM policy", NULL), 1.3);
    ck_assert_double_eq(number(&sample, "SELECT count(*) FROM result", NULL), 1);
    sample_clear(&sample);
}

OG_TEST(bracket_only_gets_narrower_until_it_is_proved)
{
    random_sample sample;
    og_cell_row row;
    sample_init(&sample, "bracket");
    og_cell first = cell_of(OG_CELL_LIMIT, NAN, &row);
    ck_assert_int_eq(put(&sample, &first), OG_OK);
    og_cell second = cell_of(OG_CELL_LIMIT, NAN, &row);
    second.lower = 1.1;
    second.upper = 1.7;
    ck_assert_int_eq(put(&sample, &second), OG_OK);
    ck_assert_double_eq(number(&sample, "SELECT lower FROM cell", NULL), 1.2);
    ck_assert_double_eq(number(&sample, "SELECT upper FROM cell", NULL), 1.7);
    og_cell proved = cell_of(OG_CELL_OK, 1.5, &row);
    ck_assert_int_eq(put(&sample, &proved), OG_OK);
    ck_assert_double_eq(number(&sample, "SELECT gap FROM result", NULL), 0.5 - 0.3);
    sample_clear(&sample);
}

OG_TEST(contradicting_values_are_refused_and_change_nothing)
{
    random_sample sample;
    og_cell_row row;
    sample_init(&sample, "contradiction");
    og_cell one = cell_of(OG_CELL_OK, 1.5, &row);
    ck_assert_int_eq(put(&sample, &one), OG_OK);
    og_cell other = cell_of(OG_CELL_OK, 1.6, &row);
    ck_assert_int_eq(put(&sample, &other), OG_FAILED);
    ck_assert_ptr_nonnull(strstr(sample.message.text, "one of them is wrong"));
    og_cell policy = cell_of(OG_CELL_OK, 1.5, &row);
    row.value = 1.31;
    ck_assert_int_eq(put(&sample, &policy), OG_FAILED);
    ck_assert_double_eq(number(&sample, "SELECT value FROM cell", NULL), 1.5);
    ck_assert_double_eq(number(&sample, "SELECT value FROM policy", NULL), 1.3);
    og_cell same = cell_of(OG_CELL_OK, 1.5 + 1.5e-9, &row);
    ck_assert_int_eq(put(&sample, &same), OG_OK);
    sample_clear(&sample);
}

/* -- contract --------------------------------------------------------------------------------- */

static char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

typedef struct {
    const char *sql; /* done to a study; NULL: the file is no database */
    const char *words;
} stranger;

static const stranger strangers[] = {
    {"PRAGMA user_version = 2", "has version 2; this program reads version 1"},
    {"PRAGMA user_version = 0", "has version 0"},
    {"PRAGMA application_id = 7", "is not a study database"},
    {NULL, "is not a study database"},
};

OG_TEST_LOOP(database_of_another_kind_is_refused_untouched, 0, sizeof strangers / sizeof *strangers)
{
    const stranger *at = &strangers[_i];
    random_sample sample;
    size_t before_size = 0, after_size = 0;
    og_study_db *db = NULL;
    sample_init(&sample, "stranger");
    sample_run(&sample);
    if (at->sql != NULL) {
        execute(&sample, at->sql);
    }
    og_study_db_close(sample.db);
    sample.db = NULL;
    if (at->sql == NULL) {
        FILE *file = fopen(sample.path, "w");
        fputs("a text that is longer than the header of a database, which has 100 bytes, so that "
              "it is looked at as one\n",
              file);
        fclose(file);
    }
    char *before = read_bytes(sample.path, &before_size);
    for (int write = 0; write <= 1; write++) {
        ck_assert_int_eq(og_study_db_open(sample.path, write == 1, NULL, &db, &sample.message),
                         OG_BAD_INPUT);
        ck_assert_msg(strstr(sample.message.text, at->words) != NULL, "%s", sample.message.text);
        ck_assert_ptr_null(db);
    }
    char *after = read_bytes(sample.path, &after_size);
    ck_assert_uint_eq(before_size, after_size);
    ck_assert_mem_eq(before, after, after_size);
    free(before);
    free(after);
    sample_clear(&sample);
}

OG_TEST(reading_makes_no_database)
{
    og_study_db *db = NULL;
    og_message message = {""};
    char path[FILE_BYTES];
    snprintf(path, sizeof path, "/tmp/test-sweep-none-%d.db", (int)getpid());
    ck_assert_int_ne(og_study_db_open(path, false, NULL, &db, &message), OG_OK);
    ck_assert_ptr_nonnull(strstr(message.text, path));
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(og_study_db_open("/nonexistent/a.db", true, NULL, &db, &message), OG_FAILED);
}

OG_TEST(a_study_is_one_file_when_the_last_has_closed_it)
{
    random_sample sample;
    og_study_db *other = NULL;
    sample_init(&sample, "one");
    ck_assert_int_eq(og_study_db_open(sample.path, true, NULL, &other, &sample.message), OG_OK);
    og_study_db_close(other);
    sample_run(&sample);
    ck_assert_int_gt(test_files_beside(sample.path), 0);
    og_study_db_close(sample.db);
    ck_assert(access(sample.path, F_OK) == 0 && test_files_beside(sample.path) == 0);
    ck_assert_int_eq(og_study_db_open(sample.path, false, NULL, &sample.db, &sample.message),
                     OG_OK);
    ck_assert_double_eq(number(&sample, "SELECT count(*) FROM cell", NULL), 20);
    ck_assert(access(sample.path, F_OK) == 0 && test_files_beside(sample.path) == 0);
    og_study_db_close(sample.db);
    open_db(&sample); /* to write again */
    sample_clear(&sample);
}

OG_TEST(sweep_says_who_did_it)
{
    random_sample sample;
    sample_init(&sample, "who");
    sample_run(&sample);
    ck_assert_double_eq(
        number(&sample, "SELECT count(*) FROM run WHERE command LIKE 'optgap sweep %'", NULL), 1);
    ck_assert_double_eq(number(&sample,
                               "SELECT count(*) FROM cell JOIN run ON run.id = cell.run WHERE"
                               " cell.program = '" OG_VERSION
                               "' AND cell.commit_id = 'commit' AND seconds > 0 AND"
                               " accuracy = 'double' AND threads = 1 AND memory_bytes > 0 AND"
                               " finished LIKE '20__-__-__T__:__:__Z'",
                               NULL),
                        20);
    sample_clear(&sample);
}

/* -- times ------------------------------------------------------------------------------------ */

static void watch_guess(void *user, const char *words, double share)
{
    double *last = user;
    const char *guess = strstr(words, ", about ");
    *last = guess != NULL ? strtod(guess + strlen(", about "), NULL) : NAN;
    ck_assert(isnan(*last) || *last >= 0);
    ck_assert_double_le(share, 1);
}

OG_TEST(guess_of_the_time_left_ends_at_nothing)
{
    random_sample sample;
    double last = NAN;
    sample_init(&sample, "guess");
    sample.stop.stage = watch_guess;
    sample.stop.user = &last;
    sample_run(&sample);
    ck_assert_double_eq(last, 0);
    sample_clear(&sample);
}
