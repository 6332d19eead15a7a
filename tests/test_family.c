/*
 * A family of problems that exists only in this test: the search problem of tests/search_problem.h.
 * Its table of functions is enough for compare, query, bounds, simulate, tree and play and their
 * documents, without a row in any registry. Unsupported features are refused with one kind of
 * message.
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

static const og_family family_search;

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

static const char *search_policies(const void *problem)
{
    (void)problem;
    return "uniform";
}

static void describe_search(const void *problem, og_document *document)
{
    const search *boxes = problem;
    og_document *object = og_put_object(document, "problem");
    og_put_numbers(object, "masses", boxes->mass, boxes->boxes);
    og_put_whole(object, "budget", (uint64_t)boxes->looks);
    og_show_field(document, "Problem", "%d boxes", boxes->boxes);
    og_show_field(document, "Looks", "%d", boxes->looks);
}

static int32_t search_acts(const void *problem, og_act_open *open, int32_t room)
{
    const search *boxes = problem;
    int32_t count = boxes->boxes < room ? boxes->boxes : room;
    for (int32_t i = 0; i < count; i++) {
        open[i] = (og_act_open){{{(uint32_t)i, 0, 0}}, 1};
    }
    return count;
}

static void search_act_text(const void *problem, og_act act, char *text, size_t size)
{
    (void)problem;
    snprintf(text, size, "box %u", (unsigned)act.part[0] + 1);
}

static og_document *put_search_act(const void *problem, og_act act, og_document *array)
{
    og_document *object = og_put_object(array, NULL);
    (void)problem;
    og_put_whole(object, "box", act.part[0]);
    return object;
}

static og_status search_prior(const void *problem, double *value, double *error, mpq_ptr exact,
                              og_message *message)
{
    static const int none[BOXES] = {0};
    if (exact != NULL) {
        return og_family_lacks(&family_search, "--arithmetic exact", message);
    }
    *value = largest_mass(problem, none);
    *error = SEARCH_ROUNDING;
    return OG_OK;
}

/* "uniform" takes any box; "kg" the one where a look is likeliest to find the thing. */
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

static og_status choose_any(void *self, const og_strategy_view *view, double *answer,
                            og_answer *kind, og_message *message)
{
    (void)self, (void)message;
    for (int32_t i = 0; i < view->count; i++) {
        answer[i] = 0;
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

static og_status search_strategy(const void *problem, const og_policy_name *name,
                                 const og_policy_use *use, og_strategy *out, og_message *message)
{
    bool likeliest = strcmp(name->name, "kg") == 0;
    (void)use;
    if (!likeliest && strcmp(name->name, "uniform") != 0) {
        return og_message_set(message, OG_BAD_INPUT, "nobody searches by '%s'", name->name);
    }
    *out = (og_strategy){.self = (void *)problem,
                         .concurrent = true,
                         .choose = likeliest ? choose_likeliest : choose_any};
    return OG_OK;
}

static og_status search_solve(const void *problem, const og_question *question,
                              const og_settings *settings, og_solution *out, og_message *message)
{
    og_model model = search_model(problem, question);
    return og_solution_by_engine(&model, question, settings, out, message);
}

/* ---- it is followed from look to look ---- */

static og_status search_steps(const void *problem, const og_steps_use *use, og_steps *out,
                              og_message *message)
{
    const og_question optimum = {.reductions = use->ordered || use->apart ? 0 : OG_REDUCE_SORT};
    const og_question question = {.by = use->by, .ties = use->ties};
    og_model model = search_model(problem, &optimum);
    return og_steps_by_engine(&model, &question, &use->settings, out, message);
}

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

/* ---- it is played: the thing lies somewhere, a look finds it or not ---- */

typedef struct {
    const search *boxes;
    uint64_t seed, run;
    shown now;
    int place, asked; /* the box that was looked into and not heard of yet; -1: none */
    bool found;
} hunt;

static void begin_hunt(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    hunt *h = self;
    double rest = og_draw_unit(og_draw(seed, OG_DRAW_TRUTH, run, 0, 0));
    (void)labels;
    *h = (hunt){
        .boxes = h->boxes, .seed = seed, .run = run, .now = {.left = h->boxes->looks}, .asked = -1};
    while (h->place + 1 < h->boxes->boxes && rest >= h->boxes->mass[h->place]) {
        rest -= h->boxes->mass[h->place++];
    }
}

static const void *hunt_state(void *self)
{
    return &((hunt *)self)->now;
}

static int32_t open_boxes(void *self, og_act_open *open, uint32_t *number)
{
    const hunt *h = self;
    *number = (uint32_t)h->now.left;
    return h->found || h->now.left == 0 ? 0 : search_acts(h->boxes, open, BOXES);
}

static void look(void *self, const bool *tied, int64_t j)
{
    hunt *h = self;
    int box = 0;
    while (!tied[box] || j-- > 0) {
        box++;
    }
    uint64_t bits =
        og_draw(h->seed, OG_DRAW_LABEL, h->run, (uint32_t)box, (uint32_t)h->now.looks[box]);
    h->found = box == h->place && og_draw_unit(bits) < h->boxes->found[box];
    h->now.looks[box]++;
    h->now.left--;
    h->asked = box;
}

static bool hear_hunt(void *self, og_act *act, int32_t *answer)
{
    hunt *h = self;
    bool some = h->asked >= 0;
    *act = (og_act){{some ? (uint32_t)h->asked : 0, 0, 0}};
    *answer = h->found;
    h->asked = -1;
    return some;
}

/* Found, or in the box that is named: the first of those with the largest mass. */
static void score_hunt(void *self, double *metric)
{
    static const int none[BOXES] = {0};
    const hunt *h = self;
    int named = 0;
    for (int i = 1; i < h->boxes->boxes; i++) {
        double more = mass_of(h->boxes, h->now.looks, i) - mass_of(h->boxes, h->now.looks, named);
        named = more > 0 ? i : named;
    }
    metric[0] = (h->found || named == h->place) - largest_mass(h->boxes, none);
}

static og_status new_hunt(void *self, og_environment *out)
{
    hunt *h = calloc(1, sizeof *h);
    if (h == NULL) {
        return OG_NO_MEMORY;
    }
    h->boxes = self;
    *out = (og_environment){.self = h,
                            .open_max = BOXES,
                            .begin = begin_hunt,
                            .state = hunt_state,
                            .open = open_boxes,
                            .step = look,
                            .hear = hear_hunt,
                            .score = score_hunt,
                            .free = free};
    return OG_OK;
}

static og_status hunter(void *self, const og_policy_name *policy, og_strategy *out,
                        og_message *message)
{
    return search_strategy(self, policy, NULL, out, message);
}

static og_status open_hunts(const og_source *source, const og_environment_use *use,
                            og_environments *out, og_message *message)
{
    static const int none[BOXES] = {0};
    (void)use, (void)message;
    *out = (og_environments){.self = (void *)source->problem,
                             .instances = 1,
                             .metric_count = 1,
                             .block_runs = 64,
                             .prior = largest_mass(source->problem, none),
                             .size = 1,
                             .gain_max = 1,
                             .all_labels = NAN,
                             .strategy = hunter,
                             .environment = new_hunt};
    return OG_OK;
}

static og_source search_source(const void *problem, const og_truth *truth)
{
    (void)truth;
    return (og_source){.open = open_hunts, .problem = problem};
}

static const og_family family_search = {
    .name = "search",
    .problems = "searches",
    .budget_name = "Looks",
    .acts_name = "actions",
    .act_name = "look",
    .acts_between = "; ",
    .open = open_search,
    .close = free,
    .sizes = search_sizes,
    .policies = search_policies,
    .describe = describe_search,
    .acts = search_acts,
    .act_text = search_act_text,
    .put_act = put_search_act,
    .prior = search_prior,
    .strategy = search_strategy,
    .solve = search_solve,
    .source = search_source,
    .steps = search_steps,
    .state_text = search_state_text,
    .step_text = search_act_text,
    .answer_text = search_answer_text,
    .verb = "look into",
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
    ck_assert_msg(family_search.open(&given, settings, &problem, &message) == OG_OK, "%s",
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
    ck_assert_ptr_nonnull(strstr(json, "\"masses\""));
    ck_assert_ptr_nonnull(strstr(json, "\"words\": \"looks "));
    free(json);
    og_document_free(document);
    og_comparison_clear(&found);
    family_search.close(problem);
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
    const og_source source = family_search.source(problem, NULL);
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
    family_search.close(problem);
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
    family_search.close(boxes);
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
    family_search.close(problem);
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
        ck_assert_msg(og_play_begin(&family_search, problem, &settings, seed, &game, &message) ==
                          OG_OK,
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
    family_search.close(problem);
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
    family_search.close(problem);
}
