/*
 * A family of problems that exists only in this test: the search problem of tests/search_problem.h.
 * It brings a model, a policy and words; the defaults make compare, query, bounds, simulate, tree,
 * play and their documents of them, without a row in any registry. Unsupported features are refused
 * with one kind of message.
 */
#include "bench/questions/bounds.h"
#include "bench/questions/compare_document.h"
#include "bench/questions/play.h"
#include "bench/questions/query_document.h"
#include "bench/questions/tree.h"
#include "bench/random.h"
#include "bench/simulation/simulate.h"
#include "tests/search_problem.h"
#include "tests/support.h"
#include "tests/tree_checks.h"

OG_SUITE(family, 120);

/* ---- the family: a word is MASS,CHANCE of a box; masses add up to 1 ---- */

static og_status open_search(const og_problem_text *given, const og_settings *settings,
                             void **problem, og_message *message)
{
    search *boxes = calloc(1, sizeof *boxes);
    (void)settings;
    if (boxes == NULL) {
        return OG_NO_MEMORY;
    }
    boxes->boxes = given->word_count;
    boxes->looks = og_problem_text_left(given);
    for (int i = 0; i < boxes->boxes; i++) {
        if (i >= BOXES ||
            sscanf(given->words[i], "%lf,%lf", &boxes->mass[i], &boxes->found[i]) != 2) {
            free(boxes);
            return og_message_set(message, OG_BAD_INPUT, "'%s' is no box", given->words[i]);
        }
    }
    *problem = boxes;
    return OG_OK;
}

static void search_sizes(const void *problem, og_problem_size *out)
{
    const search *boxes = problem;
    *out = (og_problem_size){.budget = boxes->looks,
                             .left = boxes->looks,
                             .decisions = 1,
                             .acts = boxes->boxes,
                             .metric = {.unit = "things found"}};
}

static void search_act_text(const void *problem, og_act act, char *text, size_t size)
{
    (void)problem;
    snprintf(text, size, "box %u", (unsigned)act.part[0] + 1);
}

/* "uniform" takes any box, as for all families; "kg" the one where a look is likeliest to find the
 * thing. */
static og_status choose_likeliest(void *self, const og_strategy_view *view, double *answer,
                                  og_answer *kind, og_message *message)
{
    const search *boxes = self;
    const shown *now = view->state;
    (void)message;
    for (int32_t i = 0; i < view->count; i++) {
        int box = (int)view->open[i].act.part[0];
        answer[i] = mass_of(boxes, now->looks, box) * boxes->found[box];
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

static og_status search_strategy(const void *problem, const og_policy_name *name,
                                 const og_policy_use *use, og_strategy *out, og_message *message)
{
    static const char *const known[] = {"kg", "uniform"};
    (void)use;
    for (int i = 0; i < 2; i++) {
        if (strcmp(name->name, known[i]) == 0) {
            *out = (og_strategy){.self = (void *)problem,
                                 .concurrent = true,
                                 .choose = i == 0 ? choose_likeliest : og_strategy_choose_any};
            return OG_OK;
        }
    }
    return og_message_set(message, OG_BAD_INPUT, "nobody searches by '%s'", name->name);
}

static og_status open_model(const void *problem, const og_value_asked *question,
                            const og_settings *settings, og_model *out, og_message *message)
{
    (void)settings, (void)message;
    *out = search_model(problem, question);
    return OG_OK;
}

/* ---- its words ---- */

static void search_state_text(const void *problem, const void *state, char *text, size_t size)
{
    const search *boxes = problem;
    const shown *now = state;
    og_text out = og_text_begin(text, size);
    for (int i = 0; i < boxes->boxes; i++) {
        og_text_add(&out, "%s%d", i > 0 ? " " : "looks ", now->looks[i]);
    }
    if (now->found) {
        og_text_add(&out, ", found in box %d", now->box + 1);
    }
}

static void search_answer_text(const void *problem, og_act act, int32_t answer, char *text,
                               size_t size)
{
    (void)problem, (void)act;
    snprintf(text, size, "%s", answer == 1 ? "found" : "nothing");
}

static const og_family family_search = {
    .name = "search",
    .model = {.open = open_search,
              .sizes = search_sizes,
              .strategy = search_strategy,
              .model = open_model},
    .words = {.problems = "searches",
              .budget_name = "Looks",
              .act_name = "look",
              .verb = "look into",
              .act_text = search_act_text,
              .state_text = search_state_text,
              .answer_text = search_answer_text},
};

/* ---- tests ---- */

static const char *const words[] = {"0.5,0.25", "0.25,0.5", "0.25,0.5"};

static void *open_sample(og_settings *settings)
{
    const og_problem_text given = {.words = words, .word_count = 3, .budget = 3, .left = -1};
    void *problem = NULL;
    og_message message = {""};
    og_settings_default(settings);
    settings->threads = 2;
    settings->memory_bytes = UINT64_C(1) << 27;
    ck_assert_msg(family_search.model.open(&given, settings, &problem, &message) == OG_OK, "%s",
                  message.text);
    return problem;
}

static og_policy_name named(const char *name)
{
    og_policy_name policy;
    ck_assert_int_eq(og_policy_name_parse(name, &policy, NULL), OG_OK);
    return policy;
}

/* A thing is found, or the box named in the end is its own: the definition. */
static double best_from(const search *boxes, int left, const int *looks)
{
    double best = 0;
    for (int i = 0; left > 0 && i < boxes->boxes; i++) {
        int next[BOXES];
        memcpy(next, looks, sizeof next);
        next[i]++;
        best = fmax(best,
                    mass_of(boxes, looks, i) * boxes->found[i] + best_from(boxes, left - 1, next));
    }
    return left > 0 ? best : largest_mass(boxes, looks);
}

static const og_ties ties[] = {OG_TIES_RANDOM, OG_TIES_FIRST};

static void compare_sample(void *problem, const og_settings *settings, int64_t runs,
                           uint64_t policy_states, og_comparison *out, og_document **document)
{
    og_policy_name policies[] = {named("uniform"), named("kg")};
    const og_asked asked = {.family = &family_search,
                            .problem = problem,
                            .policies = policies,
                            .policy_count = 2,
                            .request = {.settings = *settings,
                                        .ties = ties,
                                        .ties_count = 2,
                                        .explain = true,
                                        .policy_states_max = policy_states,
                                        .runs = runs,
                                        .seed = 5}};
    og_message message = {""};
    ck_assert_msg(og_compare_run(&asked, NULL, out, &message) == OG_OK, "%s", message.text);
    *document = og_comparison_describe(&asked, out);
}

OG_TEST(compare_values_the_optimum_and_policies)
{
    static const int none[BOXES] = {0};
    og_settings settings;
    void *problem = open_sample(&settings);
    og_comparison found;
    og_document *document;
    compare_sample(problem, &settings, 0, 0, &found, &document);
    ck_assert_double_eq_tol(found.optimal.value, best_from(problem, 3, none), SEARCH_ROUNDING);
    ck_assert_int_eq(found.row_count, 4);
    for (int32_t i = 0; i < found.row_count; i++) {
        ck_assert_int_eq(found.rows[i].status, OG_OK);
        ck_assert_double_ge(found.rows[i].gap, 0);
        ck_assert(found.rows[i].explained);
        ck_assert_double_eq_tol(found.rows[i].explanation.total, found.rows[i].gap, 1e-11);
    }
    ck_assert_double_gt(found.rows[0].gap, 0.01); /* any box at all loses */
    char *json = og_document_json(document);
    ck_assert_ptr_nonnull(json);
    ck_assert_ptr_nonnull(strstr(json, "\"budget\": 3"));
    ck_assert_ptr_nonnull(strstr(json, "\"words\": \"looks "));
    free(json);
    og_document_free(document);
    og_comparison_clear(&found);
    og_family_close(&family_search, problem);
}

OG_TEST(simulation_agrees_with_exact_values)
{
    og_settings settings;
    void *problem = open_sample(&settings);
    og_comparison exact, played;
    og_document *document;
    compare_sample(problem, &settings, 0, 0, &exact, &document);
    og_document_free(document);
    compare_sample(problem, &settings, 20000, 1, &played, &document);
    og_document_free(document);
    for (int32_t i = 0; i < exact.row_count; i++) {
        const og_compare_row *row = &played.rows[i];
        if (row->simulated) {
            ck_assert(fabs(row->result.value - exact.rows[i].result.value) <=
                      5 * row->estimate.standard_error);
        }
    }
    og_policy_name policies[] = {named("uniform"), named("kg")};
    const og_source source = og_family_source(&family_search, problem, NULL);
    const og_asked asked = {
        .policies = policies,
        .policy_count = 2,
        .request = {.ties = ties,
                    .ties_count = 2,
                    .runs = 20000,
                    .seed = 7,
                    .settings = {.threads = 2, .memory_bytes = settings.memory_bytes}}};
    og_simulation found;
    og_message message = {""};
    ck_assert_msg(og_simulate_run(&asked, &source, &found, &message) == OG_OK, "%s", message.text);
    for (int32_t i = 0; i < found.row_count; i++) {
        const og_estimate *estimate = &found.rows[i].metric[0];
        ck_assert_double_gt(estimate->standard_error, 0);
        ck_assert(fabs(estimate->mean - exact.rows[i].result.value) <=
                  5 * estimate->standard_error);
    }
    og_simulation_clear(&found);
    og_comparison_clear(&exact);
    og_comparison_clear(&played);
    og_family_close(&family_search, problem);
}

/* A strategy's tolerance is taken off after the relative one, valued or played. */
OG_TEST(answers_tie_down_to_both_tolerances)
{
    const og_strategy by = {.tie = 0.125, .tie_relative = 0.25};
    const og_act_open open[] = {{.copies = 1}, {.copies = 2}, {.copies = 3}};
    double answer[] = {1, 0.625, 0.5, -INFINITY};
    int32_t apart;
    og_message message = {""};
    ck_assert_double_eq(og_strategy_least(&by, 1), 0.625);
    ck_assert_int_eq(
        og_strategy_weigh(&by, OG_ANSWER_INDEX, OG_TIES_RANDOM, open, 3, answer, &apart, &message),
        OG_OK);
    ck_assert(answer[0] == 1 && answer[1] == 2 && answer[2] == 0);
    ck_assert_int_eq(apart, 1);
}

OG_TEST(query_tells_q_and_picks)
{
    static const int none[BOXES] = {0};
    og_settings settings;
    search *boxes = open_sample(&settings);
    og_policy_name policies[] = {named("kg")};
    og_asked asked = og_asked_about(&family_search, boxes, &settings);
    asked.policies = policies;
    asked.policy_count = 1;
    og_query_result found;
    og_message message = {""};
    ck_assert_msg(og_query_run(&asked, &found, &message) == OG_OK, "%s", message.text);
    ck_assert_int_eq(found.count, 3);
    ck_assert_double_eq_tol(found.best, best_from(boxes, 3, none) - 0.5, SEARCH_ROUNDING);
    ck_assert(found.pick[0] && found.pick[1] && found.pick[2]); /* 1/8 each */
    og_document *document = og_query_describe(&asked, &found);
    char *json = og_document_json(document);
    ck_assert_ptr_nonnull(strstr(json, "\"actions\""));
    free(json);
    og_document_free(document);
    og_query_clear(&found);
    og_family_close(&family_search, boxes);
}

OG_TEST(its_tree_is_the_definition)
{
    static const int none[BOXES] = {0};
    og_settings settings;
    void *problem = open_sample(&settings);
    og_asked asked = og_asked_about(&family_search, problem, &settings);
    og_message message = {""};
    og_tree tree;
    asked.request.all_actions = true;
    asked.request.tree_states_max = 1000;
    ck_assert_msg(og_tree_grow(&asked, &tree, &message) == OG_OK, "%s", message.text);
    check_tree(&tree, true, false, "search");
    ck_assert_double_eq_tol(tree.state[0].value, best_from(problem, 3, none), SEARCH_ROUNDING);
    ck_assert_str_eq(tree.state[0].text, "looks 0 0 0");
    ck_assert_int_eq(tree.state[0].action_count, 3);
    ck_assert_str_eq(tree.action[0].text, "box 1");
    og_tree_clear(&tree);
    og_family_close(&family_search, problem);
}

/* With optimal acts the final values average to the optimum, and nothing is lost. */
OG_TEST(it_is_played_by_hand)
{
    enum { GAMES = 300 };
    og_settings settings;
    void *problem = open_sample(&settings);
    og_message message = {""};
    double sum = 0, value = 0;
    settings.threads = 1;
    settings.memory_bytes = UINT64_C(1) << 20;
    for (uint64_t seed = 1; seed <= GAMES; seed++) {
        og_play game;
        char text[64];
        ck_assert_msg(
            og_play_begin(&family_search, problem, &settings, NULL, seed, &game, &message) == OG_OK,
            "%s", message.text);
        value = game.value;
        while (!game.over) {
            int32_t best = 0;
            ck_assert_int_eq(game.count, 3);
            while (og_play_is_worse(&game, best)) {
                best++;
            }
            ck_assert_double_eq_tol(game.q[best], game.best, SEARCH_ROUNDING);
            ck_assert_int_eq(og_play_do(&game, best, text, sizeof text, &message), OG_OK);
            ck_assert(strcmp(text, "found") == 0 || strcmp(text, "nothing") == 0);
        }
        sum += game.here.value;
        ck_assert_double_eq(game.cost, 0);
        og_play_clear(&game);
    }
    ck_assert_double_le(fabs(sum / GAMES - value), 5 * 0.5 / sqrt(GAMES));
    og_family_close(&family_search, problem);
}

OG_TEST(what_it_has_not_is_refused_in_one_voice)
{
    og_settings settings;
    void *problem = open_sample(&settings);
    og_message message = {""};
    og_asked asked = og_asked_about(&family_search, problem, &settings);
    asked.request.exact = true;
    ck_assert_int_eq(og_question_solve.answer(&asked, &message), OG_BAD_INPUT);
    ck_assert_str_eq(message.text, "--arithmetic exact does not support searches; omit it");
    asked.request.exact = false;
    asked.request.dry_run = true;
    ck_assert_int_eq(og_question_solve.answer(&asked, &message), OG_BAD_INPUT);
    ck_assert_str_eq(message.text, "--dry-run does not support searches; omit it");
    og_bounds bounds;
    ck_assert_int_eq(og_bounds_find(&asked, &settings, &bounds, &message), OG_OK);
    ck_assert_int_eq(og_bounds_shown(&bounds), 0);
    og_bounds_clear(&bounds);
    og_family_close(&family_search, problem);
}
