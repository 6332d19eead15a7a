/*
 * Workers of unknown reliability: known fractions, and what a label does to a belief. The
 * definition is in tests/conformance_crowd.c.
 */
#include "bench/families/workers/workers.h"
#include "dp/engine/strategy.h"
#include "dp/exact/fractions.h"
#include "dp/families/workers.h"
#include "heuristics/families/workers_policy.h"
#include "tests/families.h"
#include "tests/oracle.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(workers, 300);

/* ---- a problem ---- */

typedef struct {
    og_groups problem, workers;
    bool once;
    char words[256];
    og_workers_posterior posterior;
} random_sample;

static void sample_init(random_sample *sample, const char *instances, const char *workers,
                        int32_t labels, bool once)
{
    og_message message;
    memset(sample, 0, sizeof *sample);
    sample->once = once;
    test_problem(instances, labels, &sample->problem);
    test_workers(workers, &sample->workers);
    snprintf(sample->words, sizeof sample->words, "-T %d %s --workers-prior %s%s", (int)labels,
             instances, workers, once ? " --once" : "");
    int32_t given = og_workers_labels(og_groups_size(&sample->problem),
                                      og_groups_size(&sample->workers), labels, once);
    ck_assert_msg(og_workers_posterior_init(&sample->posterior, &sample->problem, &sample->workers,
                                            given, &message) == OG_OK,
                  "%s: %s", sample->words, message.text);
}

static void sample_clear(random_sample *sample)
{
    og_workers_posterior_clear(&sample->posterior);
    og_groups_clear(&sample->problem);
    og_groups_clear(&sample->workers);
}

static og_value_found found_with(const random_sample *sample, const og_strategy *by, og_ties ties)
{
    const og_value_asked asked = {.by = by, .ties = ties, .reductions = OG_REDUCE_ALL};
    const og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_model model;
    ck_assert_int_eq(og_workers_model(&sample->posterior, sample->once, &asked, &model), OG_OK);
    return question_value(&model, &asked, &settings, sample->words);
}

static og_result optimum(const random_sample *sample)
{
    return found_with(sample, NULL, OG_TIES_BEST).result;
}

static void assert_value(const random_sample *sample, const og_result *found, const mpq_t exact,
                         const char *what)
{
    ck_assert_msg(oracle_within(found->value, found->error_bound + ORACLE_H_ERROR, exact),
                  "%s: %s is %.17g, not %.17g, error bound %g", sample->words, what, found->value,
                  mpq_get_d(exact), found->error_bound);
    ck_assert_msg(found->error_bound < 1e-12, "%s: %g", sample->words, found->error_bound);
}

/* ---- values ---- */

typedef struct {
    const char *instances, *workers;
    int32_t labels;
    bool once;
    const char *value;
} known_value;

static const known_value known_values[] = {
    {"1,1", "4,1", 1, false, "13/20"},
    {"1,1", "4,1", 1, true, "13/20"},
    {"1,1", "4,1", 3, false, "393/560"},
    {"1,1", "4,1", 3, true, "13/20"},
    {"2x1,1", "2x4,1", 3, false, "1369/1050"},
    {"2x1,1", "2x4,1", 3, true, "13/10"},
    {"2x1,1", "2x4,1", 4, false, "3817/2800"},
    {"2x1,1", "2x4,1", 4, true, "13/10"},
    {"2x1,1", "3,1 8,1", 4, false, "11497/7920"},
    {"2x1,1", "3,1 8,1", 4, true, "25/18"},
    {"2,1 1,1", "4,1 1,1", 4, false, "7319/5040"},
    {"2,1 1,1", "4,1 1,1", 4, true, "7/5"},
    {"2,1 1,1", "4,1", 0, false, "5/4"},
    {"1,1", "4,1/2,1", 2, false, "5/8"},
    {"2x1,1", "2x4,1/4,1", 3, false, "457/350"},
    {"1,1 2,1", "4,1/2,2 3,1/3,1", 3, true, "11/8"},
    {"1,1 1,2", "8,1/1,1 4,1", 3, false, "813/560"},
    {"2x1,1", "2x0.5*5,1+0.3*1,1+0.2*1,5", 3, false, "27757/25200"},
    {"2x1,1", "2x0.5*5,1+0.3*1,1+0.2*1,5", 3, true, "11/10"},
    {"2,1 1,1", "0.75*4,1+0.25*1,2 2,1", 3, true, "1459/1080"},
};

enum { KNOWN_VALUES = sizeof known_values / sizeof *known_values };

/* The optimum in fractions, which must be exactly this. */
static void assert_fraction(const random_sample *sample, const mpq_t exact)
{
    const og_value_asked asked = {.reductions = OG_REDUCE_ALL, .fractions = true};
    const og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    og_model model;
    OWN_MPQ value = MPQ_NEW, gain = MPQ_NEW;
    og_value_found found = {.value = value, .gain = gain};
    ck_assert_int_eq(og_workers_model(&sample->posterior, sample->once, &asked, &model), OG_OK);
    ck_assert_msg(og_fractions_value(&model, &asked, &settings, &found, &message) == OG_OK,
                  "%s: %s", sample->words, message.text);
    ck_assert_msg(mpq_equal(value, exact), "%s: %g", sample->words, mpq_get_d(value));
}

OG_TEST_LOOP(optimum_has_the_known_values, 0, KNOWN_VALUES)
{
    const known_value *known = &known_values[_i];
    random_sample sample;
    OWN_MPQ exact = MPQ_NEW;
    mpq_set_str(exact, known->value, 10);
    sample_init(&sample, known->instances, known->workers, known->labels, known->once);
    og_result found = optimum(&sample);
    assert_value(&sample, &found, exact, "the optimum");
    assert_fraction(&sample, exact);
    ck_assert_double_ge(found.gain, 0);
    sample_clear(&sample);
}

/* ---- the number of states ---- */

enum { COUNTED_INSTANCES = 3, COUNTED_WORKERS = 3, COUNTED_LABELS = 4, COUNTED_MOST = 4000 };

typedef struct {
    int count[COUNTED_INSTANCES][COUNTED_WORKERS][2];
    uint64_t seen[COUNTED_MOST];
    int states;
} state_count;

static uint64_t row_code(const int (*row)[2], const int *order, int turned)
{
    uint64_t code = 0;
    for (int j = 0; j < COUNTED_WORKERS; j++) {
        code = code << 4 | (uint64_t)row[order[j]][turned] << 2 | (uint64_t)row[order[j]][!turned];
    }
    return code;
}

/* One code for all states that differ by the order of workers and instances, and by the labels'
 * names at an instance. */
static uint64_t state_code(const state_count *c)
{
    static const int orders[][COUNTED_WORKERS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                  {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    uint64_t least = UINT64_MAX;
    for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
        uint64_t rows[COUNTED_INSTANCES], code = 0;
        for (int i = 0; i < COUNTED_INSTANCES; i++) {
            uint64_t one = row_code(c->count[i], orders[o], 0);
            uint64_t other = row_code(c->count[i], orders[o], 1);
            rows[i] = one < other ? one : other;
            for (int k = i; k > 0 && rows[k] < rows[k - 1]; k--) {
                uint64_t swap = rows[k];
                rows[k] = rows[k - 1];
                rows[k - 1] = swap;
            }
        }
        for (int i = 0; i < COUNTED_INSTANCES; i++) {
            code = code << 12 | rows[i];
        }
        least = code < least ? code : least;
    }
    return least;
}

static void count_from(state_count *c, int left)
{
    uint64_t code = state_code(c);
    for (int i = 0; i < c->states; i++) {
        if (c->seen[i] == code) {
            return;
        }
    }
    ck_assert_int_lt(c->states, COUNTED_MOST);
    c->seen[c->states++] = code;
    int *counts = &c->count[0][0][0];
    for (size_t k = 0; left > 1 && k < sizeof c->count / sizeof *counts; k++) {
        counts[k]++;
        count_from(c, left - 1);
        counts[k]--;
    }
}

OG_TEST(each_state_is_visited_once_whatever_its_names)
{
    random_sample sample;
    state_count c = {.states = 0};
    count_from(&c, COUNTED_LABELS);
    sample_init(&sample, "3x1,1", "3x4,1", COUNTED_LABELS, false);
    ck_assert_uint_eq(optimum(&sample).states, (uint64_t)c.states);
    ck_assert_int_gt(c.states, 20);
    sample_clear(&sample);
}

/* States that differ by names meet, with rows in a word (up to four workers) and without. */
OG_TEST_LOOP(names_change_no_value, 0, 7)
{
    static const struct {
        const char *instances, *workers;
        int32_t labels;
        bool once;
    } problems[] = {{"3x1,1", "2x4,1 3,1", 4, false},   {"2x1,1 2,1", "4x2,1", 3, false},
                    {"2x1,1", "5x3,1", 4, true},        {"2,1 2x1,2", "2x4,1 2x1,1", 3, false},
                    {"2x1,1", "3x2,1 2x4,1", 3, false}, {"2x1,1 1,3", "2x4,1/2,1", 4, false},
                    {"3x1,1", "2x4,1/3,1 5,1", 3, true}};
    random_sample sample;
    sample_init(&sample, problems[_i].instances, problems[_i].workers, problems[_i].labels,
                problems[_i].once);
    const og_value_asked asked = {.reductions = 0};
    const og_settings settings = question_settings(0, 1);
    og_model model;
    ck_assert_int_eq(og_workers_model(&sample.posterior, sample.once, &asked, &model), OG_OK);
    og_result whole = question_value(&model, &asked, &settings, sample.words).result;
    og_result met = optimum(&sample);
    ck_assert_uint_lt(met.states, whole.states);
    ck_assert_double_eq_tol(met.value, whole.value, met.error_bound + whole.error_bound);
    sample_clear(&sample);
}

OG_TEST(moment_matching_is_that_of_the_paper)
{
    for (int sign = 0; sign < 2; sign++) {
        const double a = 2.5, b = 1.25, c = 4, d = 0.75;
        double theta[2] = {a, b}, rho[2] = {c, d}, e, e2, f, f2;
        if (sign == 0) {
            e = a * ((a + 1) * c + b * d) / ((a + b + 1) * (a * c + b * d));
            e2 =
                a * (a + 1) * ((a + 2) * c + b * d) / ((a + b + 1) * (a + b + 2) * (a * c + b * d));
            f = c * (a * (c + 1) + b * d) / ((c + d + 1) * (a * c + b * d));
            f2 =
                c * (c + 1) * (a * (c + 2) + b * d) / ((c + d + 1) * (c + d + 2) * (a * c + b * d));
        } else {
            e = a * (b * c + (a + 1) * d) / ((a + b + 1) * (b * c + a * d));
            e2 =
                a * (a + 1) * (b * c + (a + 2) * d) / ((a + b + 1) * (a + b + 2) * (b * c + a * d));
            f = c * (b * (c + 1) + a * d) / ((c + d + 1) * (b * c + a * d));
            f2 =
                c * (c + 1) * (b * (c + 2) + a * d) / ((c + d + 1) * (c + d + 2) * (b * c + a * d));
        }
        og_workers_match(theta, rho, sign == 0);
        ck_assert_double_eq_tol(theta[0], e * (e - e2) / (e2 - e * e), 1e-12);
        ck_assert_double_eq_tol(theta[1], (1 - e) * (e - e2) / (e2 - e * e), 1e-12);
        ck_assert_double_eq_tol(rho[0], f * (f - f2) / (f2 - f * f), 1e-11);
        ck_assert_double_eq_tol(rho[1], (1 - f) * (f - f2) / (f2 - f * f), 1e-11);
    }
}

/* One label: p, the instance's Beta, and the worker's numbers, computed by hand. */
static const struct {
    const char *instance, *worker;
    bool positive;
    double p, task[2], after[9];
} known_steps[] = {
    {"1,1",
     "4,1/2,1",
     true,
     17 / 30.,
     {493 / 409., 374 / 409.},
     {308 / 67., 66 / 67., 42 / 23., 26 / 23.}},
    {"1,1",
     "4,1/2,1",
     false,
     13 / 30.,
     {208 / 229., 299 / 229.},
     {40 / 11., 12 / 11., 76 / 29., 28 / 29.}},
    {"2,1",
     "3,1/5,2",
     true,
     25 / 42.,
     {5609 / 2395., 2291 / 2395.},
     {1683 / 449., 442 / 449., 77 / 16., 33 / 16.}},
    {"2,1",
     "3,1/5,2",
     false,
     17 / 42.,
     {2501 / 1387., 1647 / 1387.},
     {3393 / 1271., 1537 / 1271., 175 / 32., 63 / 32.}},
    {"1,1",
     "0.5*5,1+0.3*1,1+0.2*1,5",
     true,
     0.5,
     {40 / 37., 35 / 37.},
     {0.5, 5, 1, 0.3, 1, 1, 0.2, 1, 5}},
    {"2,3",
     "0.5*5,1+0.3*1,1+0.2*1,5",
     true,
     12 / 25.,
     {85 / 41., 119 / 41.},
     {65 / 144., 225 / 47., 48 / 47., 5 / 16., 35 / 37., 40 / 37., 17 / 72., 209 / 211.,
      1100 / 211.}},
    {"2,3",
     "0.5*5,1+0.3*1,1+0.2*1,5",
     false,
     13 / 25.,
     {45 / 23., 72 / 23.},
     {85 / 156., 1100 / 211., 209 / 211., 15 / 52., 40 / 37., 35 / 37., 1 / 6., 48 / 47.,
      225 / 47.}},
};

OG_TEST(one_label_moves_coins_and_kinds_as_by_hand)
{
    for (size_t k = 0; k < sizeof known_steps / sizeof *known_steps; k++) {
        og_groups instance, worker;
        double belief[OG_WORKER_WIDTH_MAX] = {0};
        test_problem(known_steps[k].instance, 1, &instance);
        test_workers(known_steps[k].worker, &worker);
        double task[2] = {og_fraction_double(og_groups_at(&instance, 0)->a),
                          og_fraction_double(og_groups_at(&instance, 0)->b)};
        og_worker_form form = og_worker_believe(og_groups_at(&worker, 0), belief);
        double p = og_workers_chance(&form, task, belief);
        ck_assert_double_eq_tol(known_steps[k].positive ? p : 1 - p, known_steps[k].p, 1e-15);
        og_workers_learn(&form, task, belief, known_steps[k].positive);
        ck_assert_double_eq_tol(task[0], known_steps[k].task[0], 1e-13);
        ck_assert_double_eq_tol(task[1], known_steps[k].task[1], 1e-13);
        for (int i = 0; i < og_worker_width(&worker); i++) {
            ck_assert_double_eq_tol(belief[i], known_steps[k].after[i], 1e-13);
        }
        og_groups_clear(&instance);
        og_groups_clear(&worker);
    }
}

OG_TEST(words_of_workers_are_read_back)
{
    static const char *const words[] = {"4,1",
                                        "3x2,0.5",
                                        "4,1/2,1",
                                        "12x0.5,1e-06/1,3",
                                        "2x1*4,1",
                                        "0.5*5,1+0.3*1,1+0.2*1,5",
                                        "1e-6*4,1+0.999999*2,3"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[2][OG_GROUP_TEXT_BYTES];
        og_group group, again;
        ck_assert_int_eq(og_worker_parse(words[i], &group, NULL), OG_OK);
        og_worker_format(&group, text[0], sizeof text[0]);
        ck_assert_msg(og_worker_parse(text[0], &again, NULL) == OG_OK, "%s", text[0]);
        og_worker_format(&again, text[1], sizeof text[1]);
        ck_assert_str_eq(text[0], text[1]);
        ck_assert(og_group_compare(&group, &again) == 0 && group.count == again.count);
    }
}

/* ---- contract ---- */

OG_TEST(init_refuses_what_is_no_such_problem)
{
    static const struct {
        const char *instances, *workers;
        int32_t labels;
        const char *says;
    } wrong[] = {
        {"1,1@0.3", "4,1", 3, "the threshold must be 0.5"},
        {"1,1", "4,1@0.3", 3, "has no threshold"},
        {"33x1,1", "4,1", 3, "at most 32 instances"},
        {"20x1,1", "10x4,1", 3, "128 pairs"},
        {"1,1", "4,1", 61, "at most 60 labels"},
        {"1,1,1", "4,1", 3, "every prior must be a Beta"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        og_groups problem, workers;
        og_workers_posterior found;
        og_message message = {""};
        test_problem(wrong[i].instances, wrong[i].labels, &problem);
        test_workers(wrong[i].workers, &workers);
        ck_assert_int_eq(
            og_workers_posterior_init(&found, &problem, &workers, wrong[i].labels, &message),
            OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, wrong[i].says) != NULL, "%s", message.text);
        og_groups_clear(&problem);
        og_groups_clear(&workers);
    }
}

OG_TEST(family_refuses_too_many_histories)
{
    const og_family *family = &og_family_workers;
    og_workers_options options = {.once = false};
    og_groups problem;
    og_strategy made;
    void *opened = NULL;
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    test_problem("2x1,1", 11, &problem);
    test_problem("2x4,1", 0, &options.workers);
    ck_assert_int_eq(family_open(family, &problem, &options, &settings, &opened, &message), OG_OK);
    ck_assert_int_eq(family_strategy(family, opened, "kg", &settings, &made, &message),
                     OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "2^31 histories"));
    ck_assert_int_eq(family_strategy(family, opened, "kg-exact", &settings, &made, &message),
                     OG_OK);
    og_strategy_free(&made);
    og_family_close(family, opened);
    og_groups_clear(&problem);
    og_groups_clear(&options.workers);
}
