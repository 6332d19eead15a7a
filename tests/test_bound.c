/*
 * The upper bounds: known values, the relaxation written out as a linear programme over occupation
 * measures, and the optimum below them.
 */
#include <glpk.h>
#include <unistd.h>

#include "dp/product/solve.h"
#include "heuristics/bounds/bound.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(bound, 60);

static const uint64_t memory_bytes = UINT64_C(1) << 30;

static double optimum_below(const og_arms *arms)
{
    og_settings settings;
    og_solver *solver;
    og_result result;
    og_settings_default(&settings);
    settings.threads = 1;
    settings.memory_bytes = memory_bytes;
    ck_assert_int_eq(og_solver_new(arms, &settings, &solver, NULL), OG_OK);
    ck_assert_int_eq(og_solver_value(solver, &result, NULL), OG_OK);
    og_solver_free(solver);
    return result.value - result.error_bound;
}

/* ---- known values ---- */

typedef og_status bound_function(const og_arms *arms, int threads, og_stop *stop,
                                 og_upper_bound *out);

static bound_function *bound_called(const char *quantity)
{
    if (strcmp(quantity, "lagrangian_vector") == 0) {
        return og_bound_lagrangian_vector;
    }
    return strcmp(quantity, "prevailing_charges") == 0 ? og_bound_prevailing_charge
                                                       : og_bound_lagrangian_scalar;
}

static void check_known(const golden_row *row)
{
    OWN(og_arms) *arms = test_arms_in(row->problem, row->budget);
    OWN(og_upper_bound) bound;
    bool vector = strcmp(row->quantity, "lagrangian_vector") == 0;
    bool charges = strcmp(row->quantity, "prevailing_charges") == 0;
    ck_assert_int_eq(bound_called(row->quantity)(arms, 1, NULL, &bound), OG_OK);
    bool price = strcmp(row->quantity, "lagrangian_scalar_price") == 0;
    double found = price ? bound.price[0] : bound.value;
    double known = mpq_get_d(row->value);
    double allowed = row->tolerance + 1e-12 * known;
    ck_assert(bound.converged);
    ck_assert_int_eq(bound.price_count, charges ? 0 : vector ? row->budget : 1);
    ck_assert_msg(oracle_within(found, allowed, row->value),
                  "%s -T %d: %s is %.17g, expected %.17g", row->problem, row->budget, row->quantity,
                  found, known);
    /* A bound is never below the relaxation's own least value. */
    OWN_MPQ exact = MPQ_NEW;
    mpq_set_d(exact, found);
    ck_assert(price || row->tolerance > 0 || mpq_cmp(exact, row->value) >= 0);
}

OG_TEST(bounds_have_the_known_values)
{
    golden_rows known;
    int checked = 0;
    golden_read(&known);
    for (size_t i = 0; i < known.count; i++) {
        if (strncmp(known.row[i].quantity, "lagrangian", strlen("lagrangian")) == 0 ||
            strcmp(known.row[i].quantity, "prevailing_charges") == 0) {
            check_known(&known.row[i]);
            checked++;
        }
    }
    golden_clear(&known);
    ck_assert_int_ge(checked, 14);
}

/* ---- the relaxation as one linear programme ---- */

/* Columns of GLPK for one group: labels bought at stage l in the posterior (s, f), and waits. */
typedef struct {
    int stages;
    int first; /* column of the first purchase */
} occupation_rows;

/* Nodes (s, f) with s + f < l come before those of stage l, l = 1, 2, ... */
static int occupied(int l)
{
    return (l - 1) * l * (l + 1) / 6;
}

static int bought_column(const occupation_rows *occupation, int l, int s, int f)
{
    return occupation->first + 2 * (occupied(l) + oracle_node(s, f));
}

/* h of Beta(a + s, b + f), the posterior written out. */
static double call_value(const og_group *group, int s, int f)
{
    OWN_MPQ a = MPQ_NEW, b = MPQ_NEW, d = MPQ_NEW, labels = MPQ_NEW, positive = MPQ_NEW;
    og_fraction_get_mpq(a, group->a);
    og_fraction_get_mpq(b, group->b);
    og_fraction_get_mpq(d, group->threshold);
    mpq_set_si(labels, s, 1);
    mpq_add(a, a, labels);
    mpq_set_si(labels, f, 1);
    mpq_add(b, b, labels);
    oracle_positive(positive, a, b, d);
    double p = mpq_get_d(positive);
    return fmax(p, 1 - p);
}

static double positive_probability(const og_group *group, int s, int f)
{
    double a = og_fraction_double(group->a) + s;
    double b = og_fraction_double(group->b) + f;
    return a / (a + b);
}

/* One entry of the row's balance: `column` with `value`. */
static void put(int *column, double *item, int *count, int at, double value)
{
    column[++*count] = at;
    item[*count] = value;
}

/* Instances in (s, f) before stage l waited there or bought in a neighbouring state. */
static void add_balance(glp_prob *lp, const og_group *group, const occupation_rows *occupation,
                        int l, int s, int f)
{
    int column[8], count = 0, row = glp_add_rows(lp, 1);
    double item[8];
    if (l <= occupation->stages) {
        put(column, item, &count, bought_column(occupation, l, s, f), 1);
        put(column, item, &count, bought_column(occupation, l, s, f) + 1, 1);
    } else {
        int end = glp_add_cols(lp, 1);
        glp_set_col_bnds(lp, end, GLP_LO, 0, 0);
        glp_set_obj_coef(lp, end, call_value(group, s, f));
        put(column, item, &count, end, 1);
    }
    if (l > 1 && s + f < l - 1) {
        put(column, item, &count, bought_column(occupation, l - 1, s, f) + 1, -1);
    }
    if (l > 1 && s > 0) {
        put(column, item, &count, bought_column(occupation, l - 1, s - 1, f),
            -positive_probability(group, s - 1, f));
    }
    if (l > 1 && f > 0) {
        put(column, item, &count, bought_column(occupation, l - 1, s, f - 1),
            positive_probability(group, s, f - 1) - 1);
    }
    double start = l == 1 ? (double)group->count : 0;
    glp_set_row_bnds(lp, row, GLP_FX, start, start);
    glp_set_mat_row(lp, row, count, column, item);
}

static void add_group(glp_prob *lp, const og_group *group, occupation_rows *occupation)
{
    int columns = 2 * occupied(occupation->stages + 1);
    occupation->first = columns > 0 ? glp_add_cols(lp, columns) : 0;
    for (int c = 0; c < columns; c++) {
        glp_set_col_bnds(lp, occupation->first + c, GLP_LO, 0, 0);
    }
    for (int l = 1; l <= occupation->stages + 1; l++) {
        for (int n = 0; n < l; n++) {
            for (int s = 0; s <= n; s++) {
                add_balance(lp, group, occupation, l, s, n - s);
            }
        }
    }
}

/* At stage l at most one label is bought, in expectation. */
static void add_capacity(glp_prob *lp, const occupation_rows *groups, int count, int l)
{
    int row = glp_add_rows(lp, 1), items = 0;
    int *column = calloc((size_t)(count * l * (l + 1)) + 1, sizeof *column);
    double *item = calloc((size_t)(count * l * (l + 1)) + 1, sizeof *item);
    for (int i = 0; i < count; i++) {
        for (int n = 0; n < l; n++) {
            for (int s = 0; s <= n; s++) {
                put(column, item, &items, bought_column(&groups[i], l, s, n - s), 1);
            }
        }
    }
    glp_set_row_bnds(lp, row, GLP_UP, 0, 1);
    glp_set_mat_row(lp, row, items, column, item);
    free(column);
    free(item);
}

static double relaxation_literally(const og_groups *problem)
{
    occupation_rows *groups = calloc((size_t)problem->group_count, sizeof *groups);
    glp_prob *lp = glp_create_prob();
    glp_smcp control;
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    control.tol_bnd = 1e-10;
    control.tol_dj = 1e-10;
    glp_set_obj_dir(lp, GLP_MAX);
    for (int i = 0; i < problem->group_count; i++) {
        groups[i].stages = problem->budget;
        add_group(lp, og_groups_at(problem, i), &groups[i]);
    }
    for (int l = 1; l <= problem->budget; l++) {
        add_capacity(lp, groups, problem->group_count, l);
    }
    ck_assert_int_eq(glp_simplex(lp, &control), 0);
    ck_assert_int_eq(glp_get_status(lp), GLP_OPT);
    double value = glp_get_obj_val(lp);
    glp_delete_prob(lp);
    free(groups);
    return value;
}

OG_TEST(vector_equals_the_linear_programme_over_occupations)
{
    uint64_t seed = test_seed(20261);
    random_source source = random_start(seed);
    random_limits limits = {.instances = 6, .budget = 7};
    for (int round = 0; round < test_cases(60); round++) {
        OWN(og_groups) problem;
        OWN(og_upper_bound) bound;
        random_problem(&source, &limits, &problem);
        OWN(og_arms) *arms = test_arms(&problem);
        ck_assert_int_eq(og_bound_lagrangian_vector(arms, 1, NULL, &bound), OG_OK);
        double literal = relaxation_literally(&problem);
        /* GLPK keeps the rows of the programme to a relative 1e-10. */
        ck_assert_msg(bound.converged && fabs(bound.value - literal) <= 1e-9 * literal,
                      "%s: vector %.15g, linear programme %.15g",
                      problem_with_seed(&problem, seed).text, bound.value, literal);
    }
}

/* ---- order ---- */

/* 1, or what all calls can be worth where that is paid. */
static double size_of_values(const og_groups *problem)
{
    double size = 1;
    for (int32_t i = 0; i < problem->group_count; i++) {
        const og_group *group = og_groups_at(problem, i);
        size += group->payoff.given ? (double)group->count * og_payoff_most(&group->payoff, 2) : 0;
    }
    return size;
}

static void check_order(const og_groups *problem, random_source *source, const char *where)
{
    OWN(og_arms) *arms = test_arms(problem);
    og_upper_bound scalar, vector, charges;
    double call_error, value, error, price[64];
    double call = og_arms_prior_value(arms, &call_error);
    double optimum = optimum_below(arms);
    double size = size_of_values(problem);
    ck_assert_int_eq(og_bound_lagrangian_scalar(arms, 1, NULL, &scalar), OG_OK);
    ck_assert_int_eq(og_bound_lagrangian_vector(arms, 1, NULL, &vector), OG_OK);
    ck_assert_int_eq(og_bound_prevailing_charge(arms, 1, NULL, &charges), OG_OK);
    ck_assert_msg(optimum <= charges.value, "%s: optimum %.17g > charges %.17g", where, optimum,
                  charges.value);
    ck_assert_msg(charges.value <= scalar.value, "%s: charges %.17g > scalar %.17g", where,
                  charges.value, scalar.value);
    ck_assert(charges.converged && charges.value >= call);
    /* All steps are taken in problems as small as these. */
    ck_assert(charges.error >= 0 && charges.error <= 1e-11 * (size + fabs(charges.value)));
    ck_assert_msg(optimum <= vector.value, "%s: optimum %.17g > vector %.17g", where, optimum,
                  vector.value);
    ck_assert_msg(vector.value <= scalar.value, "%s: vector %.17g > scalar %.17g", where,
                  vector.value, scalar.value);
    ck_assert_msg(scalar.converged && vector.converged, "%s", where);
    ck_assert(scalar.error >= 0 && scalar.error <= 1e-12 * (size + fabs(scalar.value)));
    ck_assert(vector.error >= 0 && vector.error <= 1e-12 * (size + fabs(vector.value)));
    ck_assert(vector.value >= call);
    ck_assert_int_eq(scalar.price_count, 1);
    ck_assert_int_eq(vector.price_count, problem->budget);
    random_prices(source, problem->budget, price);
    ck_assert_int_eq(og_bound_evaluate(arms, price, problem->budget, 1, &value, &error), OG_OK);
    ck_assert_msg(optimum <= value, "%s: optimum %.17g > %.17g at some prices", where, optimum,
                  value);
    ck_assert_msg(vector.value - 2 * vector.error <= value + 1e-7 * fmax(fabs(value), value - call),
                  "%s: vector %.17g > %.17g at other prices", where, vector.value, value);
    og_bound_clear(&scalar);
    og_bound_clear(&vector);
    og_bound_clear(&charges);
}

OG_TEST(bounds_lie_above_the_optimum_and_in_order)
{
    uint64_t seed = test_seed(20262);
    random_source source = random_start(seed);
    random_limits limits = {.instances = 6, .budget = 9};
    for (int round = 0; round < test_cases(400); round++) {
        OWN(og_groups) problem;
        limits.mixtures = round % 4 == 0;
        limits.bandit = round % 5 == 0;
        limits.payoffs = round % 5 == 1;
        limits.worths = round % 5 == 2;
        random_problem(&source, &limits, &problem);
        check_order(&problem, &source, problem_with_seed(&problem, seed).text);
    }
}

static const struct {
    const char *words;
    int32_t budget;
} extreme[] = {
    {"3x0.001,0.001", 12},       {"2x1000000,1000000 1,1", 8},
    {"2x1,1@0.001", 12},         {"0.001,5@0.9 2,0.001", 10},
    {"1000000,0.000001 2,2", 8}, {"4x0.000001,0.000001 2x3,3@0.999", 8},
    {"5,1@0.001 1,5@0.001", 10}, {"1x1,1", 40},
};

OG_TEST_LOOP(bounds_stand_extreme_inputs, 0, sizeof extreme / sizeof extreme[0])
{
    random_source source = random_start(1);
    OWN(og_groups) problem;
    test_problem(extreme[_i].words, extreme[_i].budget, &problem);
    check_order(&problem, &source, extreme[_i].words);
}

/* ---- prices as arguments ---- */

OG_TEST(evaluate_gives_the_values_that_the_bounds_report)
{
    OWN(og_arms) *arms = test_arms_in("3x1,1 2x2,1@0.3 0.5,0.5", 9);
    og_upper_bound bound;
    double value, error, flat[9];
    ck_assert_int_eq(og_bound_lagrangian_scalar(arms, 1, NULL, &bound), OG_OK);
    ck_assert_int_eq(og_bound_evaluate(arms, bound.price, 1, 1, &value, &error), OG_OK);
    ck_assert(value == bound.value && error == bound.error);
    for (int l = 0; l < 9; l++) {
        flat[l] = bound.price[0];
    }
    ck_assert_int_eq(og_bound_evaluate(arms, flat, 9, 1, &value, &error), OG_OK);
    ck_assert(value == bound.value && error == bound.error);
    og_bound_clear(&bound);
    ck_assert_int_eq(og_bound_lagrangian_vector(arms, 1, NULL, &bound), OG_OK);
    ck_assert_int_eq(og_bound_evaluate(arms, bound.price, 9, 1, &value, &error), OG_OK);
    ck_assert(value == bound.value && error == bound.error);
    og_bound_clear(&bound);
    ck_assert_ptr_null(bound.price);
}

OG_TEST(evaluate_refuses_bad_prices_and_keeps_outputs)
{
    OWN(og_arms) *arms = test_arms_in("2x1,1", 3);
    double value = 7, error = 8;
    const double bad[][3] = {{-1e-9, 0, 0}, {0, NAN, 0}, {0, 0, INFINITY}, {1e301, 0, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_int_eq(og_bound_evaluate(arms, bad[i], 3, 1, &value, &error), OG_BAD_INPUT);
    }
    const double good[3] = {0, 0, 0};
    ck_assert_int_eq(og_bound_evaluate(arms, good, 2, 1, &value, &error), OG_BAD_INPUT);
    ck_assert_int_eq(og_bound_evaluate(arms, good, 0, 1, &value, &error), OG_BAD_INPUT);
    ck_assert(value == 7 && error == 8);
    const double most[3] = {OG_BOUND_PRICE_MAX, OG_BOUND_PRICE_MAX, 0};
    ck_assert_int_eq(og_bound_evaluate(arms, most, 3, 1, &value, &error), OG_OK);
    ck_assert(isfinite(value) && isfinite(error));
}

static const char *const idle[] = {"3x1,1", "5x30,1", "2x1,5@0.9 3x7,1"};

OG_TEST_LOOP(bounds_are_the_call_value_where_nothing_can_be_gained, 0, sizeof idle / sizeof idle[0])
{
    OWN(og_arms) *arms = test_arms_in(idle[_i], _i == 0 ? 0 : 4);
    double call = og_arms_prior_value(arms, NULL);
    og_upper_bound bound[3];
    ck_assert_int_eq(og_bound_lagrangian_scalar(arms, 1, NULL, &bound[0]), OG_OK);
    ck_assert_int_eq(og_bound_lagrangian_vector(arms, 1, NULL, &bound[1]), OG_OK);
    ck_assert_int_eq(og_bound_prevailing_charge(arms, 1, NULL, &bound[2]), OG_OK);
    for (int i = 0; i < 3; i++) {
        ck_assert(bound[i].converged);
        ck_assert(bound[i].value >= call && bound[i].value <= call * (1 + 4e-15));
        og_bound_clear(&bound[i]);
    }
}

/* ---- threads and GLPK ---- */

static void assert_same_bits(const og_upper_bound *one, const og_upper_bound *other)
{
    ck_assert_int_eq(one->price_count, other->price_count);
    ck_assert_int_eq(one->evaluations, other->evaluations);
    ck_assert(memcmp(&one->value, &other->value, sizeof one->value) == 0);
    ck_assert(memcmp(&one->error, &other->error, sizeof one->error) == 0);
    ck_assert(one->price_count == 0 ||
              memcmp(one->price, other->price, (size_t)one->price_count * sizeof *one->price) == 0);
}

OG_TEST_LOOP(bounds_have_the_same_bits_for_every_number_of_threads, 0, 4)
{
    static bound_function *const functions[] = {og_bound_lagrangian_scalar,
                                                og_bound_lagrangian_vector,
                                                og_bound_prevailing_charge, og_bound_priced_end};
    OWN(og_arms) *arms = test_arms_in("3x1,1 2x2,1 4x3,2@0.3 0.5,0.5 2x4,1@0.7 1,3", 90);
    for (int threads = 2; threads <= 5; threads += 3) {
        og_upper_bound one, many;
        ck_assert_int_eq(functions[_i](arms, 1, NULL, &one), OG_OK);
        ck_assert_int_eq(functions[_i](arms, threads, NULL, &many), OG_OK);
        assert_same_bits(&one, &many);
        og_bound_clear(&one);
        og_bound_clear(&many);
    }
}

/* Where both outputs of the process go, and where they went before. */
typedef struct {
    FILE *file;
    int out, err;
} ear;

static ear listen(void)
{
    ear to = {tmpfile(), dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    ck_assert(to.file != NULL && to.out >= 0 && to.err >= 0);
    fflush(NULL);
    ck_assert_int_ge(dup2(fileno(to.file), STDOUT_FILENO), 0);
    ck_assert_int_ge(dup2(fileno(to.file), STDERR_FILENO), 0);
    return to;
}

static void assert_silence(ear heard)
{
    fflush(NULL);
    long length = lseek(fileno(heard.file), 0, SEEK_END);
    dup2(heard.out, STDOUT_FILENO);
    dup2(heard.err, STDERR_FILENO);
    close(heard.out);
    close(heard.err);
    fclose(heard.file);
    ck_assert_int_eq(length, 0);
}

OG_TEST(vector_prints_nothing_and_leaves_glpk_talking)
{
    OWN(og_arms) *arms = test_arms_in("3x1,1 2,1@0.4", 10);
    OWN(og_upper_bound) bound;
    glp_term_out(GLP_ON);
    ear heard = listen();
    ck_assert_int_eq(og_bound_lagrangian_vector(arms, 1, NULL, &bound), OG_OK);
    assert_silence(heard);
    ck_assert_int_eq(glp_term_out(GLP_ON), GLP_ON);
}

/* What GLPK keeps for a thread is neither left behind nor taken from a caller who uses it. */
OG_TEST(vector_leaves_glpk_as_it_was)
{
    OWN(og_arms) *arms = test_arms_in("2x1,1", 3);
    glp_free_env();
    for (int used = 0; used < 2; used++) {
        og_upper_bound bound;
        glp_prob *own = used ? glp_create_prob() : NULL;
        ck_assert_int_eq(og_bound_lagrangian_vector(arms, 1, NULL, &bound), OG_OK);
        og_bound_clear(&bound);
        if (used) {
            glp_add_cols(own, 2);
            ck_assert_int_eq(glp_get_num_cols(own), 2);
            glp_delete_prob(own);
        } else {
            ck_assert_int_eq(glp_free_env(), 1); /* there is none */
        }
    }
    ck_assert_int_eq(glp_free_env(), 0);
}

OG_TEST(vector_survives_an_abort_of_glpk_with_a_valid_bound)
{
    OWN(og_arms) *arms = test_arms_in("20x1,1", 400);
    og_upper_bound scalar, vector;
    ck_assert_int_eq(og_bound_lagrangian_scalar(arms, 1, NULL, &scalar), OG_OK);
    glp_mem_limit(1); /* a megabyte: too little for this model */
    ear heard = listen();
    ck_assert_int_eq(og_bound_lagrangian_vector(arms, 1, NULL, &vector), OG_OK);
    assert_silence(heard);
    ck_assert(!vector.converged);
    ck_assert(vector.value <= scalar.value && vector.value >= og_arms_prior_value(arms, NULL));
    og_bound_clear(&vector);
    ck_assert_int_eq(og_bound_lagrangian_vector(arms, 1, NULL, &vector), OG_OK);
    ck_assert(vector.converged && vector.value < scalar.value);
    og_bound_clear(&vector);
    og_bound_clear(&scalar);
}

/* ---- without tables of all labels ---- */

OG_TEST(short_is_the_scalar_bound)
{
    uint64_t seed = test_seed(40917);
    random_source source = random_start(seed);
    random_limits limits = {.instances = 30, .budget = 400};
    const og_settings settings = og_stop_limits(1, memory_bytes, NULL);
    int doubled = 0;
    for (int round = 0; round < test_cases(150); round++) {
        og_groups problem;
        og_upper_bound scalar, brief;
        random_problem(&source, &limits, &problem);
        OWN(og_arms) *arms = test_arms(&problem);
        ck_assert(og_bound_short_fits(&problem));
        ck_assert_int_eq(og_bound_lagrangian_scalar(arms, 1, NULL, &scalar), OG_OK);
        ck_assert_int_eq(og_bound_short(&problem, &settings, &brief, NULL), OG_OK);
        ck_assert_msg(brief.converged && brief.value - 2 * brief.error <= scalar.value &&
                          scalar.value - 2 * scalar.error <= brief.value,
                      "%s: %.17g, short %.17g", problem_with_seed(&problem, seed).text,
                      scalar.value, brief.value);
        doubled +=
            brief.price[0] > 0 && brief.price[0] < 0.045; /* more than 64 labels can be worth it */
        og_bound_clear(&scalar);
        og_bound_clear(&brief);
        og_groups_clear(&problem);
    }
    ck_assert_int_gt(doubled, 0);
}

/* The inequality on which it stands. */
OG_TEST(short_rewards_fall_with_the_labels)
{
    uint64_t seed = test_seed(55119);
    random_source source = random_start(seed);
    double nearest = 0;
    for (int round = 0; round < test_cases(60); round++) {
        og_groups problem;
        random_problem(&source, &(random_limits){.instances = 2, .budget = 120}, &problem);
        OWN(og_arms) *arms = test_arms(&problem);
        for (int32_t a = 0; a < arms->arm_count; a++) {
            const og_arm *arm = arms->arm[a];
            double prior = og_fraction_double(arm->prior.a) + og_fraction_double(arm->prior.b);
            for (int32_t n = 0; n < arm->depth; n++) {
                double s = prior + n, most = exp(1 / (12 * s)) / sqrt(2 * M_PI * s);
                for (uint32_t x = arm->level[n]; x < arm->level[n + 1]; x++) {
                    ck_assert_msg(arm->reward[x] <= most, "%s: node %u gains %.17g, above %.17g",
                                  problem_with_seed(&problem, seed).text, x, arm->reward[x], most);
                    nearest = fmax(nearest, arm->reward[x] / most);
                }
            }
        }
        og_groups_clear(&problem);
    }
    ck_assert_double_gt(nearest, 0.9);
}

OG_TEST(short_without_memory_is_a_bound_all_the_same)
{
    og_groups problem;
    test_problem("3x1,1", 3000, &problem);
    og_settings settings = og_stop_limits(1, 400000, NULL);
    og_upper_bound brief, whole;
    ck_assert_int_eq(og_bound_short(&problem, &settings, &brief, NULL), OG_OK);
    settings.memory_bytes = memory_bytes;
    ck_assert_int_eq(og_bound_short(&problem, &settings, &whole, NULL), OG_OK);
    ck_assert(!brief.converged && whole.converged);
    ck_assert(brief.value >= whole.value && brief.value <= 3);
    og_bound_clear(&brief);
    og_bound_clear(&whole);
    settings.memory_bytes = 1;
    ck_assert_int_eq(og_bound_short(&problem, &settings, &brief, NULL), OG_OK);
    ck_assert(!brief.converged && brief.value == 3 && brief.price[0] == 0);
    og_bound_clear(&brief);
    og_groups_clear(&problem);
}
