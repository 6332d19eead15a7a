/*
 * Processes of the caller's own as tables: known values, in doubles within the proved error and as
 * fractions; every message; paths of a million acts.
 */
#include <jansson.h>
#include <pthread.h>

#include "dp/base/rational.h"
#include "dp/families/process.h"
#include "tests/process_sample.h"
#include "tests/public_support.h"

OG_SUITE(process, 60);

enum { KNOWN = 18 }; /* known values of an independent program, part D of golden-own.json */

static const uint64_t plenty = UINT64_C(1) << 30;

static og_status try_find(sample *from, uint64_t bytes, og_process_table **out)
{
    const og_process_source source = {.process = sample_process(from)};
    said.text[0] = '\0';
    return og_process_find(&source, bytes, NULL, out, &said);
}

static og_process_table *find(sample *from)
{
    og_process_table *table = NULL;
    og_status status = try_find(from, plenty, &table);
    ck_assert_msg(status == OG_OK, "%s", said.text);
    return table;
}

static void assert_near(double value, const char *exact, double error, const char *what)
{
    mpq_t fraction, distance;
    mpq_inits(fraction, distance, NULL);
    ck_assert_int_eq(mpq_set_str(fraction, exact, 10), 0);
    mpq_set_d(distance, value);
    mpq_sub(distance, distance, fraction);
    mpq_abs(distance, distance);
    ck_assert_msg(mpq_get_d(distance) <= error, "%s: %.17g is not %s", what, value, exact);
    mpq_clears(fraction, distance, NULL);
}

static void assert_exact(mpq_srcptr value, const char *exact, const char *what)
{
    char *text = mpq_get_str(NULL, 10, value);
    ck_assert_msg(strcmp(text, exact) == 0, "%s: %s is not %s", what, text, exact);
    free(text);
}

/* ---- strategies ---- */

static og_status choose_any(void *self, const og_strategy_view *view, double *answer,
                            og_answer *kind, og_message *message)
{
    (void)self, (void)message;
    for (int32_t i = 0; i < view->count; i++) {
        answer[i] = 3;
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

static og_status choose_winner(void *self, const og_strategy_view *view, double *answer,
                               og_answer *kind, og_message *message)
{
    const og_process_view *seen = view->state;
    const og_process_table *table = seen->table;
    *kind = OG_ANSWER_INDEX;
    return sample_winner(self, table->key + table->key_first[seen->state], 5, view->count, NULL,
                         answer, NULL, message);
}

static void assert_policy(const og_process_table *table, og_strategy_choose *choose, og_ties ties,
                          const char *exact)
{
    const og_strategy by = {.choose = choose};
    mpq_t fraction;
    mpq_init(fraction);
    og_process_valued found = {.exact = table->rational ? fraction : NULL};
    ck_assert_int_eq(og_process_value(table, &by, ties, plenty, NULL, &found, &said), OG_OK);
    assert_near(found.value, exact, og_process_error(table, table->acts_max, false), "policy");
    if (table->rational) {
        assert_exact(fraction, exact, "policy");
    }
    mpq_clear(fraction);
}

/* ---- known values ---- */

static void assert_q(const og_process_table *table, json_t *known)
{
    uint32_t act = table->act_first[0];
    const char *name;
    json_t *exact;
    mpq_t q;
    mpq_init(q);
    json_object_foreach(known, name, exact)
    {
        ck_assert_str_eq(og_process_act_name(table, act), name);
        assert_near(og_process_q(table, table->value, act), json_string_value(exact),
                    og_process_error(table, 0, false), name);
        if (table->value_exact != NULL) {
            og_process_q_exact(table, table->value_exact, act, q);
            assert_exact(q, json_string_value(exact), name);
        }
        act++;
    }
    ck_assert_uint_eq(act, table->act_first[1]);
    mpq_clear(q);
}

static const char *text_in(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

static void check_known(const json_t *row, bool exact)
{
    const char *name = text_in(row, "process"), *optimal = text_in(row, "optimal");
    const json_t *policies = json_object_get(row, "policies");
    sample from = sample_named(name);
    from.exact = exact;
    og_process_table *table = find(&from);
    ck_assert_int_eq(table->state_count, json_integer_value(json_object_get(row, "states")));
    ck_assert_int_eq(table->height[0], json_integer_value(json_object_get(row, "longest")));
    ck_assert(table->rational == exact);
    assert_near(table->value[0], optimal, og_process_error(table, 0, false), name);
    ck_assert_double_lt(og_process_error(table, 0, false), 1e-12);
    if (exact) {
        ck_assert_int_eq(og_process_exact(table, plenty, NULL, &said), OG_OK);
        assert_exact(table->value_exact[0], optimal, name);
    }
    assert_q(table, json_object_get(row, "q"));
    assert_policy(table, choose_any, OG_TIES_RANDOM, text_in(policies, "uniform"));
    assert_policy(table, choose_any, OG_TIES_FIRST, text_in(policies, "first"));
    assert_policy(table, choose_any, OG_TIES_BEST, optimal);
    if (text_in(policies, "winner") != NULL) {
        assert_policy(table, choose_winner, OG_TIES_RANDOM, text_in(policies, "winner"));
    }
    og_process_free(table);
}

OG_TEST_LOOP(values_are_the_known_ones, 0, KNOWN)
{
    const test_path path = test_source_path("tests/data/golden-own.json");
    json_t *all = json_load_file(path.text, 0, NULL), *rows = json_object_get(all, "D");
    ck_assert_uint_eq(json_array_size(rows), KNOWN);
    check_known(json_array_get(rows, (size_t)_i), false);
    check_known(json_array_get(rows, (size_t)_i), true);
    json_decref(all);
}

/* ---- what is refused ---- */

static const struct refused {
    const char *lines[6], *message;
} refused[] = {
    {{"x a=1:0:y", "y a=1/2:0:x,1/2:0:z", "z 1"},
     "process: state 'x' leads back to itself: x, y, x"},
    {{"x a=1:0:x"}, "process: state 'x' leads back to itself: x, x"},
    {{"r a=1:0:d b=1:0:a", "a x=1:0:b", "b x=1:0:c", "c x=1/2:0:a,1/2:0:d", "d 0"},
     "process: state 'a' leads back to itself: a, b, c, a"},
    {{"x A=2/5:0:y,1/2:0:y", "y 0"}, "process: state 'x', act 'A': probabilities add up to 0.9"},
    {{"x A=1:0:y", "y"}, "process: state 'y' has no act and no value"},
    {{"x A=1:0:y A=1:0:y", "y 0"}, "process: state 'x' has two acts 'A'"},
    {{"x A=-1/10:0:y", "y 0"}, "process: state 'x', act 'A': probability -0.1"},
    {{"x A=0:0:y,1:0:y", "y 0"}, "process: state 'x', act 'A': probability 0"},
    {{"x A=1:0:y 3", "y 0"}, "process: state 'x': a value and acts; an end has no acts"},
    {{"x 3 A=1:0:y", "y 0"}, "process: state 'x' has a value and the act 'A'; an end has no acts"},
    {{"x 3 4"}, "process: state 'x': two values"},
    {{"x A=", "y 0"}, "process: state 'x', act 'A': it has no outcome"},
    {{"x 1e101"}, "process: state 'x': value 1e+101"},
    {{"x A=1:-1e101:y", "y 0"}, "process: state 'x', act 'A': reward -1e+101"},
};
enum { REFUSED = sizeof refused / sizeof *refused };

static sample sample_of(const char *const *lines, bool exact)
{
    return (sample){.kind = SAMPLE_TEXT, .lines = lines, .exact = exact};
}

OG_TEST_LOOP(wrong_input_has_one_clear_line, 0, REFUSED)
{
    for (int exact = 0; exact < 2; exact++) {
        sample from = sample_of(refused[_i].lines, exact);
        og_process_table *table = NULL;
        ck_assert_int_eq(try_find(&from, plenty, &table), OG_BAD_INPUT);
        ck_assert_str_eq(said.text, refused[_i].message);
        ck_assert_ptr_null(table);
    }
}

/* What only a caller of the functions can do. */
typedef struct {
    int what;
    char state[OG_PROCESS_STATE_BYTES_MAX + 1];
} wrong;

static size_t wrong_root(void *user, void *state, char *message, size_t message_bytes)
{
    const wrong *w = user;
    memcpy(state, "x", 1);
    if (w->what == 0) {
        snprintf(message, message_bytes, "no root today");
    }
    return w->what == 0 ? 0 : w->what == 1 ? OG_PROCESS_STATE_BYTES_MAX + 1 : 1;
}

static bool wrong_expand(void *user, const void *state, size_t bytes, og_expanded *to,
                         char *message, size_t message_bytes)
{
    wrong *w = user;
    (void)state;
    if (w->what == 2) {
        snprintf(message, message_bytes, "it broke");
        return false;
    }
    if (w->what == 3) {
        to->outcome(to, 1, 0, "y", 1);
    } else if (w->what == 4) {
        to->end(to, NAN);
    } else if (w->what == 5) {
        to->act(to, "");
    } else if (w->what == 6) {
        memset(w->state, 'n', OG_PROCESS_NAME_BYTES_MAX);
        to->act(to, w->state);
    } else if (w->what == 7 || w->what == 8) {
        to->act(to, "A");
        to->outcome(to, 1, 0, w->state, w->what == 7 ? 0 : sizeof w->state);
    } else if (w->what == 9) {
        to->end_text(to, "1/0");
    } else if (w->what == 10) {
        to->act(to, "A\n");
    } else if (w->what == 11) {
        to->act(to, "A");
        to->outcome_text(to, "one", "0", "y", bytes);
    } else if (w->what == 12) {
        to->act(to, "A");
        to->outcome(to, NAN, 0, "y", bytes);
    }
    return true;
}

static const struct {
    og_status status;
    const char *message;
} wrongs[] = {
    {OG_FAILED, "process: no root today"},
    {OG_BAD_INPUT, "process: the root must have 1 to 4096 bytes"},
    {OG_FAILED, "process: state '78': it broke"},
    {OG_BAD_INPUT, "process: state '78': an outcome comes before its act"},
    {OG_BAD_INPUT, "process: state '78': value nan"},
    {OG_BAD_INPUT, "process: state '78' has an act whose name is empty or longer than 63 bytes"},
    {OG_BAD_INPUT, "process: state '78' has an act whose name is empty or longer than 63 bytes"},
    {OG_BAD_INPUT, "process: state '78', act 'A': an outcome's state must have 1 to 4096 bytes"},
    {OG_BAD_INPUT, "process: state '78', act 'A': an outcome's state must have 1 to 4096 bytes"},
    {OG_BAD_INPUT, "process: state '78': value '1/0' is not a number such as 0.25 or -1/3"},
    {OG_BAD_INPUT, "process: state '78' has an act with a control character in its name"},
    {OG_BAD_INPUT,
     "process: state '78', act 'A': probability 'one' is not a number such as 0.25 or -1/3"},
    {OG_BAD_INPUT, "process: state '78', act 'A': probability nan"},
};
enum { WRONGS = sizeof wrongs / sizeof *wrongs };

OG_TEST_LOOP(wrong_calls_are_refused, 0, WRONGS)
{
    wrong w = {.what = _i};
    og_process_table *table = NULL;
    const og_process_source source = {
        .process = {
            .version = OG_PROCESS_VERSION, .user = &w, .root = wrong_root, .expand = wrong_expand}};
    said.text[0] = '\0';
    ck_assert_int_eq(og_process_find(&source, plenty, NULL, &table, &said), wrongs[_i].status);
    ck_assert_str_eq(said.text, wrongs[_i].message);
}

OG_TEST(numbers_are_decimals_and_fractions)
{
    static const char *const read[][2] = {{"0.25", "1/4"},    {"-1/3", "-1/3"}, {"2/4", "1/2"},
                                          {"1e-3", "1/1000"}, {".5", "1/2"},    {"-2.50E1", "-25"},
                                          {"7", "7"},         {"0", "0"},       {"1.", "1"}};
    static const char *const bad[] = {"",      "-",   "1/",     "/2",    "1/-2", "0x1",
                                      "nan",   "inf", "1e",     "1 ",    " 1",   "1/2/3",
                                      "1.5/2", ".",   "1e1001", "1/2e1", "1e+-1"};
    mpq_t value;
    mpq_init(value);
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        ck_assert_msg(og_rational_parse(value, read[i][0]), "%s", read[i][0]);
        assert_exact(value, read[i][1], read[i][0]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(!og_rational_parse(value, bad[i]), "%s", bad[i]);
    }
    mpq_clear(value);
}

/* ---- edges ---- */

static double optimal_of(const char *const *lines, bool exact, double *error)
{
    sample from = sample_of(lines, exact);
    og_process_table *table = find(&from);
    double value = table->value[0];
    *error = og_process_error(table, 0, false);
    og_process_free(table);
    return value;
}

OG_TEST(edges_have_their_values)
{
    static const char *const end[] = {"x -3/4", NULL};
    static const char *const one[] = {"x a=1:-2:y", "y b=1:-1/2:z", "z -1", NULL};
    static const char *const repeated[] = {"x a=1/4:0:y,1/2:1:y,1/4:0:z", "y 2", "z -6", NULL};
    static const char *const alike[] = {"x a=1:1:y b=1:1:y", "y 0", NULL};
    /* y is found at height 2 and follows x directly too. */
    static const char *const two[] = {
        "r near=1:0:y far=1:1:x", "y go=1:0:z", "z go=1:5:e", "x go=1:1:y", "e 0", NULL};
    static const char *const negative[] = {"x a=1:-3:e b=1:-2:e c=1:-4:e", "e 0", NULL};
    double error;
    ck_assert_double_eq(optimal_of(end, false, &error), -0.75);
    for (int exact = 0; exact < 2; exact++) {
        ck_assert_double_eq(optimal_of(one, exact, &error), -3.5);
        ck_assert_double_eq(optimal_of(repeated, exact, &error), 0.5);
        ck_assert_double_eq(optimal_of(alike, exact, &error), 1);
        ck_assert_double_eq(optimal_of(two, exact, &error), 7);
        ck_assert_double_eq(optimal_of(negative, exact, &error), -2);
        ck_assert_double_lt(error, 1e-13);
    }
    sample from = sample_of(two, true);
    og_process_table *table = find(&from);
    ck_assert_ptr_nonnull(table->order); /* y has a smaller number than x, which leads to it */
    ck_assert_uint_eq(table->height[0], 4);
    og_process_free(table);
}

/* 1/3 three times as a double adds up to less than 1: probabilities are divided by their sum. */
OG_TEST(probabilities_are_divided_by_their_sum)
{
    static const char *const thirds[] = {
        "x a=0.333333333333333:3:e,0.333333333333333:0:e,0.333333333333333:0:e", "e 0", NULL};
    double error;
    for (int exact = 0; exact < 2; exact++) {
        ck_assert_double_eq_tol(optimal_of(thirds, exact, &error), 1, error);
        ck_assert_double_lt(error, 1e-14);
    }
    static const char *const off[] = {"x a=0.33333333333:3:e,0.33333333333:0:e,0.33333333333:0:e",
                                      "e 0", NULL};
    sample from = sample_of(off, false);
    og_process_table *table = NULL;
    ck_assert_int_eq(try_find(&from, plenty, &table), OG_BAD_INPUT);
    ck_assert_str_eq(said.text,
                     "process: state 'x', act 'a': probabilities add up to 0.99999999999");
}

OG_TEST(paths_of_a_million_acts_need_no_stack)
{
    sample from = {.kind = SAMPLE_CHAIN, .after = test_is_short() ? 100000 : 1000000};
    og_process_table *table = find(&from);
    ck_assert_uint_eq(table->height[0], (uint32_t)from.after);
    ck_assert_double_eq(table->value[0], from.after);
    og_process_free(table);
}

OG_TEST(some_states_are_asked_twice)
{
    sample from = sample_named("trial N=20 M=10");
    og_process_table *table = find(&from);
    int64_t again = from.expanded - table->state_count;
    ck_assert_uint_eq(table->state_count, 10626); /* C(24, 4) */
    ck_assert_int_gt(again, 900);
    ck_assert_int_le(again, 1000);
    og_process_free(table);
    from.expanded = 0;
    from.odd_from = 10627; /* when all have been asked once */
    ck_assert_int_eq(try_find(&from, plenty, &table), OG_FAILED);
    ck_assert_ptr_nonnull(strstr(said.text, "was expanded in two ways when asked twice"));
}

static bool stop_at_once(void *user, const og_progress *progress)
{
    (void)user, (void)progress;
    return false;
}

OG_TEST(limits_stop_the_search)
{
    sample from = sample_named("trial N=40 M=10");
    og_process_table *table = NULL;
    ck_assert_int_eq(try_find(&from, 1 << 20, &table), OG_NO_MEMORY);
    ck_assert_int_eq(strncmp(said.text, "process: more than ", 19), 0);
    ck_assert_ptr_nonnull(strstr(said.text, " states in 1.0 MB"));
    og_stop stop;
    const og_process_source source = {.process = sample_process(&from)};
    og_stop_init(&stop, stop_at_once, NULL);
    ck_assert_int_eq(og_stop_look(&stop), OG_LIMIT_INTERRUPT);
    ck_assert_int_eq(og_process_find(&source, plenty, &stop, &table, &said), OG_STOPPED);
}

/* Memory that holds the table but not the values of a strategy, or the fractions. */
OG_TEST(limits_stop_values)
{
    const og_strategy by = {.choose = choose_any};
    sample from = sample_named("trial N=6 M=10");
    from.exact = true;
    og_process_table *table = find(&from);
    og_process_valued found = {.values = NULL};
    /* Bytes beside the table: too few for each, and enough. */
    const uint64_t own = table->bytes;
    ck_assert_int_eq(og_process_value(table, &by, OG_TIES_RANDOM, own + 100, NULL, &found, &said),
                     OG_STOPPED);
    ck_assert_int_eq(og_process_value(table, &by, OG_TIES_RANDOM, own - 1, NULL, &found, &said),
                     OG_STOPPED);
    ck_assert_int_eq(og_process_value(table, &by, OG_TIES_RANDOM, own + 9000, NULL, &found, &said),
                     OG_OK);
    ck_assert_int_eq(og_process_exact(table, own + 100, NULL, &said), OG_STOPPED);
    ck_assert_int_eq(og_process_exact(table, own + 8000, NULL, &said), OG_STOPPED);
    ck_assert_ptr_null(table->value_exact);
    ck_assert_int_eq(og_process_exact(table, own + 100000, NULL, &said), OG_OK);
    ck_assert_uint_gt(table->bytes, own + 8000);
    og_process_free(table);
}

/* ---- through optgap.h ---- */

static og_document *asked(sample *from, const og_question *question)
{
    const og_process process = sample_process(from);
    og_problem *problem = NULL;
    og_document *answer = NULL;
    ck_assert_int_eq(og_problem_new("process", &problem, &said), OG_OK);
    ck_assert_int_eq(og_problem_process(problem, &process, &said), OG_OK);
    ck_assert_msg(og_ask(problem, question, &answer, &said) == OG_OK, "%s", said.text);
    og_problem_free(problem);
    return answer;
}

OG_TEST(the_library_compares_functions)
{
    sample from = sample_named("trial N=6 M=10");
    og_policy *winner = NULL;
    from.exact = true;
    ck_assert_int_eq(og_policy_process("winner", sample_winner, NULL, &winner, &said), OG_OK);
    og_question *compare = question_with("compare", POLICIES(winner), "policy=uniform",
                                         "arithmetic=exact", "explain", NULL);
    og_document *answer = asked(&from, compare);
    ck_assert_str_eq(og_text_at(answer, "optimal.value_exact"), "12311/1260");
    ck_assert_str_eq(og_text_at(answer, "policies.0.value_exact"), "16279/1680");
    ck_assert_str_eq(og_text_at(answer, "policies.1.value_exact"), "12437/1344");
    double gap = og_number_at(answer, "policies.0.gap");
    ck_assert_double_eq_tol(gap, 12311.0 / 1260 - 16279.0 / 1680, 1e-14);
    ck_assert_double_eq_tol(og_number_at(answer, "policies.0.explain.total"), gap, 1e-12);
    ck_assert_double_eq(og_number_at(answer, "problem.states"), 210);
    og_document_free(answer);
    og_question_free(compare);
    og_policy_free(winner);
}

OG_TEST(simulated_values_agree)
{
    sample from = sample_named("trial N=6 M=10");
    og_policy *winner = NULL;
    ck_assert_int_eq(og_policy_process("winner", sample_winner, NULL, &winner, &said), OG_OK);
    og_question *simulate = question_with("simulate", POLICIES(winner), NULL);
    og_document *answer = asked(&from, simulate);
    double mean = og_number_at(answer, "policies.0.mean");
    double error = og_number_at(answer, "policies.0.standard_error");
    ck_assert_double_gt(error, 0);
    ck_assert_double_le(fabs(mean - 16279.0 / 1680), 5 * error);
    og_document_free(answer);
    og_question_free(simulate);
    og_policy_free(winner);
}

/* Values below 0, an act worth exactly the same, and one that is not. */
OG_TEST(query_and_tree_take_either_sign)
{
    static const char *const lines[] = {"x a=1:-3:e b=1:-2:e c=1/3:-2:e,2/3:-2:e", "e 0", NULL};
    for (int exact = 0; exact < 2; exact++) {
        sample from = sample_of(lines, exact);
        og_question *query = question_with("query", NULL, NULL);
        og_question *tree = question_with(
            "tree", NULL, exact ? "arithmetic=exact" : "arithmetic=double", "all-actions", NULL);
        og_document *answer = asked(&from, query);
        ck_assert_double_eq(og_number_at(answer, "q"), -2);
        ck_assert_double_eq(og_number_at(answer, "actions.0.optimal"), 0);
        ck_assert_double_eq(og_number_at(answer, "actions.1.optimal"), 1);
        ck_assert_double_eq(og_number_at(answer, "actions.2.optimal"), 1);
        ck_assert_double_eq(og_number_at(answer, "actions.1.near_tie"), !exact);
        og_document_free(answer);
        answer = asked(&from, tree);
        og_question_free(query);
        og_question_free(tree);
        ck_assert_double_eq(og_number_at(answer, "states.0.value"), -2);
        ck_assert_str_eq(og_text_at(answer, "states.0.actions.0.text"), "a");
        ck_assert_double_eq(og_number_at(answer, "states.0.actions.0.value"), -3);
        ck_assert_double_eq(og_number_at(answer, "states.0.actions.0.optimal"), 0);
        ck_assert_double_eq(og_number_at(answer, "states.0.actions.1.optimal"), 1);
        og_document_free(answer);
    }
}

OG_TEST(handles_are_checked)
{
    sample from = sample_named("hand");
    og_process process = sample_process(&from);
    og_problem *problem = NULL;
    og_policy *policy = NULL;
    og_document *answer = NULL;
    ck_assert_int_eq(og_problem_new("independent", &problem, &said), OG_OK);
    ck_assert_int_eq(og_problem_process(problem, &process, &said), OG_BAD_INPUT);
    og_problem_free(problem);
    ck_assert_int_eq(og_problem_new("process", &problem, &said), OG_OK);
    ck_assert_int_eq(attempt("solve", problem, NULL, &answer, NULL), OG_BAD_INPUT);
    ck_assert_str_eq(said.text, "\"process\" PROGRAM is missing: plugin:FILE.so or command:CMD");
    process.version = 2;
    ck_assert_int_eq(og_problem_process(problem, &process, &said), OG_BAD_INPUT);
    process = sample_process(&from);
    ck_assert_int_eq(og_problem_process(problem, &process, &said), OG_OK);
    ck_assert_int_eq(attempt("solve", problem, NULL, &answer, "arithmetic=exact", NULL),
                     OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(said.text, "process: state 'start' has a double; "));
    ck_assert_int_eq(og_policy_process("first", sample_winner, NULL, &policy, &said), OG_BAD_INPUT);
    ck_assert_int_eq(og_policy_process("mine", NULL, NULL, &policy, &said), OG_BAD_INPUT);
    ck_assert_int_eq(attempt("compare", problem, NULL, &answer, "policy=kg", NULL), OG_BAD_INPUT);
    ck_assert_str_eq(said.text,
                     "policy 'kg' does not support processes; choose one of 'optgap policies "
                     "process'");
    ck_assert_ptr_null(policy);
    og_problem_free(problem);
}

/* ---- the caller's functions ---- */

/* What is noticed when a question calls them: another thread, a state with one act, and how often
 * each state was asked about. */
typedef struct {
    og_process inner;
    pthread_t thread;
    int strayed, alone, asked[UINT8_MAX + 1];
    double answer; /* of each act */
    bool mute;     /* states have no text */
} watched;

static void look(watched *w)
{
    w->strayed += !pthread_equal(w->thread, pthread_self());
}

static size_t watched_root(void *user, void *state, char *message, size_t message_bytes)
{
    watched *w = user;
    look(w);
    return w->inner.root(w->inner.user, state, message, message_bytes);
}

static bool watched_expand(void *user, const void *state, size_t bytes, og_expanded *to,
                           char *message, size_t message_bytes)
{
    watched *w = user;
    look(w);
    return w->inner.expand(w->inner.user, state, bytes, to, message, message_bytes);
}

static int watched_text(void *user, const void *state, size_t bytes, char *text, size_t text_bytes)
{
    watched *w = user;
    look(w);
    return w->mute ? -1 : snprintf(text, text_bytes, "%.*s", (int)bytes, (const char *)state);
}

static og_status watched_choose(void *user, const void *state, size_t bytes, int32_t act_count,
                                const char *const *act, double *answer, bool *weights,
                                og_message *message)
{
    watched *w = user;
    (void)bytes, (void)act, (void)weights, (void)message;
    look(w);
    w->alone += act_count == 1;
    w->asked[*(const uint8_t *)state]++;
    for (int32_t i = 0; i < act_count; i++) {
        answer[i] = w->answer;
    }
    return OG_OK;
}

/* b and d are chance. */
static const char *const chances[] = {"a x=1/2:0:b,1/2:0:c y=1:1:d",
                                      "b x=1:0:c",
                                      "c x=1:2:d y=1/2:0:d,1/2:5:e",
                                      "d x=1:1:e",
                                      "e 0",
                                      NULL};

/* Asks a question about a watched process with the policies `watched` and uniform. */
static og_status ask_watched(watched *w, const char *name, og_document **answer)
{
    sample from = sample_of(chances, false);
    og_problem *problem = NULL;
    og_policy *own = NULL;
    bool query = strcmp(name, "query") == 0;
    w->inner = sample_process(&from);
    w->thread = pthread_self();
    const og_process process = {OG_PROCESS_VERSION, w, watched_root, watched_expand, watched_text};
    ck_assert_int_eq(og_problem_new("process", &problem, &said), OG_OK);
    ck_assert_int_eq(og_problem_process(problem, &process, &said), OG_OK);
    ck_assert_int_eq(og_policy_process("own", watched_choose, w, &own, &said), OG_OK);
    og_status status = attempt(name, problem, POLICIES(own), answer, "policy=uniform", "threads=4",
                               query ? "threads=4" : "ties=random,first",
                               strcmp(name, "compare") == 0 ? "explain" : "threads=4", NULL);
    og_policy_free(own);
    og_problem_free(problem);
    return status;
}

static const char *const questions[] = {"compare", "simulate", "query"};
enum { QUESTIONS = sizeof questions / sizeof *questions };

OG_TEST_LOOP(functions_are_called_on_one_thread_once_a_state, 0, QUESTIONS)
{
    watched w = {.answer = 1};
    og_document *answer = NULL;
    ck_assert_msg(ask_watched(&w, questions[_i], &answer) == OG_OK, "%s", said.text);
    ck_assert_int_eq(w.strayed, 0);
    ck_assert_int_eq(w.alone, 0);
    /* Twice: the first states are asked a second time, to compare. Explanations make the policy
     * anew. */
    int most = _i == 0 ? 4 : 2; /* compare */
    ck_assert_int_ge(w.asked['a'], 2);
    ck_assert_int_le(w.asked['a'], most);
    ck_assert_int_le(w.asked['c'], most);
    ck_assert_int_eq(w.asked['b'] + w.asked['d'], 0);
    og_document_free(answer);
}

OG_TEST_LOOP(a_policy_that_stops_is_refused_by_each_question, 0, QUESTIONS)
{
    watched w = {.answer = -INFINITY};
    og_document *answer = NULL;
    ck_assert_int_eq(ask_watched(&w, questions[_i], &answer), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(said.text, "stops, which processes do not support"));
    ck_assert_ptr_null(answer);
}

OG_TEST(a_state_without_a_text_is_shown_in_hexadecimal)
{
    watched w = {.answer = 1, .mute = true};
    og_document *answer = NULL;
    ck_assert_int_eq(ask_watched(&w, "query", &answer), OG_OK);
    ck_assert_str_eq(og_text_at(answer, "problem.root"), "61");
    og_document_free(answer);
}

/* The last process that is given counts, also in later questions. */
OG_TEST(a_process_is_replaced_by_the_next_one)
{
    sample from = sample_of(chances, false);
    const og_process process = sample_process(&from);
    og_problem *problem = NULL;
    og_document *answer = NULL;
    ck_assert_int_eq(og_problem_new("process", &problem, &said), OG_OK);
    ck_assert_int_eq(og_problem_process(problem, &process, &said), OG_OK);
    ck_assert_int_eq(og_problem_set(problem, "process", "command:exit 3", &said), OG_OK);
    ck_assert_int_eq(attempt("solve", problem, NULL, &answer, NULL), OG_FAILED);
    ck_assert_ptr_nonnull(strstr(said.text, "it ended with status 3"));
    ck_assert_int_eq(og_problem_process(problem, &process, &said), OG_OK);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(attempt("solve", problem, NULL, &answer, NULL), OG_OK);
        ck_assert_double_eq(og_number_at(answer, "optimal.value"), 3);
        og_document_free(answer);
    }
    og_problem_free(problem);
}

/* Errors of values below 0 are not. */
OG_TEST(errors_of_fractions_are_not_negative)
{
    static const char *const lines[] = {"x a=1:-1/3:e b=1:-2/3:e", "e 0", NULL};
    sample from = sample_of(lines, true);
    og_question *query = question_with("query", NULL, "arithmetic=exact", NULL);
    og_document *answer = asked(&from, query);
    og_question_free(query);
    ck_assert_str_eq(og_text_at(answer, "actions.1.q_exact"), "-2/3");
    ck_assert_double_gt(og_number_at(answer, "actions.1.error_bound"), 0);
    og_document_free(answer);
}
