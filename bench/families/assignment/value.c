/*
 * Values of assigning workers to tasks: the optimum, policies, and the walk through states. A
 * policy that depends on the order of labels is not a strategy of the model. Its value is computed
 * over all its histories, and only its choice in the first state can be shown.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/assignment/problem.h"
#include "dp/base/clock.h"
#include "dp/base/rational.h"
#include "dp/exact/fractions.h"
#include "dp/families/assignment_arms.h"
#include "dp/families/assignment_bounds.h"
#include "heuristics/families/assignment_histories.h"
#include "heuristics/families/assignment_policy.h"

/* The expected labels that a policy asks for. */
struct assignment_asked {
    struct assignment_asked *next;
    double labels;
    char name[];
};

/* ---- without a label ---- */

og_status assignment_prior(const void *problem, double *value, double *error, mpq_ptr exact,
                           og_message *message)
{
    const assignment *own = problem;
    const og_assignment_start *start;
    if (own->had == 0) { /* for any number of tasks */
        *value = 0.5;
        *error = 0;
        if (exact != NULL) {
            mpq_set_ui(exact, 1, 2);
        }
        return OG_OK;
    }
    OG_TRY(assignment_start(own, &start, message));
    if (exact != NULL) {
        OG_TRY(og_assignment_prior_exact(start, exact));
    }
    *value = start->prior;
    *error = og_assignment_error(start);
    return OG_OK;
}

/* ---- policies ---- */

const char *assignment_policies(const void *problem)
{
    const assignment *own = problem;
    int32_t first = 0; /* the number of contexts so far */
    for (int32_t i = 0; i < own->assignment->tasks; i++) {
        bool seen = false;
        for (int32_t k = i; !seen && k-- > 0;) {
            seen = own->assignment->context[k] == own->assignment->context[i];
        }
        first += !seen;
    }
    bool explores = (int64_t)first * own->assignment->workers <= own->spent;
    if (own->had > 0) {
        return "naive,kg-exact";
    }
    if (first > 1) {
        return explores ? "naive,opt-kg,opt-kg-multi,bbta:0,bbta:1"
                        : "naive,opt-kg,opt-kg-multi,bbta:0";
    }
    return explores ? "naive,opt-kg,bbta:0,bbta:1" : "naive,opt-kg,bbta:0";
}

static og_status make_played(const assignment *problem, const og_policy_name *name,
                             og_strategy *out, og_message *message)
{
    const og_assignment_setting setting = {.tasks = problem->assignment->tasks,
                                           .workers = problem->assignment->workers,
                                           .contexts = problem->assignment->contexts,
                                           .context = problem->assignment->context,
                                           .budget = problem->spent};
    if (problem->had > 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.60s' does not support --history; choose naive or kg-exact",
                              name->name);
    }
    return og_assignment_played(name, &setting, out, message);
}

og_status assignment_strategy(const void *problem, const og_policy_name *name,
                              const og_policy_use *use, og_strategy *out, og_message *message)
{
    const assignment *own = problem;
    const og_assignment_start *start;
    OG_TRY(assignment_start(own, &start, message));
    if (og_user_policy_decides(name)) {
        og_situations told;
        assignment_situations(own, &told);
        return og_own_strategy(name, &told, use->stop, out, message);
    }
    return og_assignment_strategy_known(name) ? og_assignment_strategy(name, start, out, message)
                                              : make_played(own, name, out, message);
}

/* ---- values of histories ---- */

typedef struct {
    og_arena arena;
    const assignment *problem;
    const og_strategy *by; /* over histories */
    og_strategy naive;     /* owned: naive over histories, for its fractions */
    og_value_asked question;
    og_settings settings;
} valued;

static og_status remember(const assignment *problem, const char *name, double labels)
{
    struct assignment_asked *asked = malloc(sizeof *asked + strlen(name) + 1);
    OG_TRY(OG_ALLOCATED(asked));
    asked->labels = labels;
    strcpy(asked->name, name);
    og_lock_take(problem->lock);
    asked->next = *problem->asked;
    *problem->asked = asked;
    og_lock_release(problem->lock);
    return OG_OK;
}

void assignment_asked_free(struct assignment_asked *asked)
{
    while (asked != NULL) {
        struct assignment_asked *next = asked->next;
        free(asked);
        asked = next;
    }
}

static og_status tell_fractions(const assignment *problem, mpq_t *value, og_value_found *out)
{
    mpq_t *called = &value[OG_ASSIGNMENT_CALLED];
    out->called_value = og_nearest(*called);
    OG_TRY(og_assignment_prior_exact(problem->start, *called));
    mpq_set(out->value, value[OG_ASSIGNMENT_OWN]);
    mpq_sub(out->gain, out->value, *called);
    out->result.value = og_nearest(out->value);
    out->result.gain = og_nearest(out->gain);
    out->result.error_bound = 0x1p-53;
    return OG_OK;
}

static void tell_doubles(const assignment *problem, const og_assignment_valued *found,
                         og_value_found *out)
{
    out->result.states = (uint64_t)found->leaves;
    out->result.value = found->value[OG_ASSIGNMENT_OWN];
    out->result.gain = out->result.value - problem->start->prior;
    out->result.error_bound = found->error + og_assignment_error(problem->start);
    out->called_value = found->value[OG_ASSIGNMENT_CALLED];
}

static og_status walk(const valued *v, const og_assignment_histories *question, og_value_found *out,
                      og_message *message)
{
    og_assignment_valued found;
    if (!v->question.fractions) {
        OG_TRY(og_assignment_value(question, &found, message));
        tell_doubles(v->problem, &found, out);
        return remember(v->problem, og_assignment_played_name(v->by),
                        found.value[OG_ASSIGNMENT_LABELS]);
    }
    og_arena arena = {0};
    mpq_t *value = og_arena_fractions(&arena, OG_ASSIGNMENT_VALUES);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_assignment_value_exact(question, value, message));
    OG_THEN(status, remember(v->problem, og_assignment_played_name(v->by),
                             og_nearest(value[OG_ASSIGNMENT_LABELS])));
    OG_THEN(status, tell_fractions(v->problem, value, out));
    og_arena_clear(&arena);
    return status;
}

static og_status value_histories(void *self, og_value_found *out, og_message *message)
{
    const valued *v = self;
    const og_assignment_start *start = v->problem->start;
    const double begun = og_seconds();
    const og_assignment_histories question = {.player = og_assignment_player_of(v->by),
                                              .problem = start->assignment,
                                              .posterior = &start->posterior,
                                              .budget = v->problem->spent,
                                              .ties = v->question.ties,
                                              .leaves_max = v->problem->options->leaves,
                                              .threads = v->settings.threads,
                                              .stop = og_stop_of(&v->settings)};
    og_value_found found = {.value = out->value, .gain = out->gain, .called_value = NAN};
    og_status status = walk(v, &question, &found, message);
    found.result.seconds = og_seconds() - begun;
    if (status == OG_OK || status == OG_STOPPED) {
        *out = found;
    }
    return status;
}

static og_status no_q(void *self, const og_act_open *open, int32_t count, double *q, double *error,
                      og_message *message)
{
    (void)self, (void)open, (void)count, (void)q, (void)error;
    return og_family_lacks(&og_family_assignment, "Q of a policy", message);
}

/* True if the act takes a cell of the first state equal to this one. */
static bool same_cell(const og_assignment *tasks, int32_t cell, og_act act)
{
    int32_t i = cell / tasks->workers, j = cell % tasks->workers;
    return tasks->context[i] == tasks->context[act.part[0]] &&
           og_assignment_workers_alike(tasks, j, (int32_t)act.part[1]);
}

static og_status pick_first(void *self, const og_act_open *open, int32_t count, bool *pick,
                            double *index, og_message *message)
{
    const valued *v = self;
    const og_assignment_player *player = og_assignment_player_of(v->by);
    og_arena arena = {0};
    void *state = og_arena_array(&arena, player->state_bytes, 1);
    og_assignment_choice choice = {.count = 0};
    og_assignment_move move = OG_ASSIGNMENT_OVER;
    (void)message;
    choice.cell = og_arena_array(&arena, (size_t)og_assignment_cells(v->problem->assignment),
                                 sizeof *choice.cell);
    choice.chance =
        og_arena_array(&arena, (size_t)v->problem->assignment->workers, sizeof *choice.chance);
    og_status status = og_arena_status(&arena);
    if (status == OG_OK) {
        player->begin(player->self, state);
        move = player->next(player->self, state, &choice);
        choice.count = move == OG_ASSIGNMENT_OVER ? 0 : choice.count;
        for (int32_t k = 0; k < count; k++) {
            double drawn = 0;
            pick[k] = false;
            for (int32_t c = 0; c < choice.count; c++) {
                bool same = same_cell(v->problem->assignment, choice.cell[c], open[k].act);
                pick[k] = pick[k] || same;
                drawn += same && move == OG_ASSIGNMENT_DRAWN ? choice.chance[c] : 0;
            }
            if (index != NULL && move == OG_ASSIGNMENT_DRAWN) {
                index[k] = drawn;
            }
        }
    }
    og_arena_clear(&arena);
    return status;
}

/* ---- solutions ---- */

static void valued_free(void *self)
{
    valued *v = self;
    og_strategy_free(&v->naive);
    og_arena_free(v);
}

static og_status solve_histories(const assignment *problem, const og_value_asked *question,
                                 const og_settings *settings, og_solution *out, og_message *message)
{
    const bool played = og_assignment_player_of(question->by) != NULL;
    og_strategy naive = {.self = NULL};
    if (question->by->decide == NULL && !played) {
        return og_family_lacks(&og_family_assignment,
                               "--arithmetic exact with a policy that decides in doubles", message);
    }
    if (!played) {
        OG_TRY(make_played(problem, &(const og_policy_name){.name = "naive"}, &naive, message));
    }
    valued *made = og_arena_new(sizeof *made);
    if (made == NULL) {
        og_strategy_free(&naive);
        return OG_NO_MEMORY;
    }
    made->problem = problem;
    made->naive = naive;
    made->by = played ? question->by : &made->naive;
    made->question = *question;
    made->settings = og_settings_filled(settings);
    *out = (og_solution){.self = made,
                         .value = value_histories,
                         .q = no_q,
                         .picks = pick_first,
                         .free = valued_free};
    return OG_OK;
}

og_status assignment_model(const void *problem, const og_value_asked *question,
                           const og_settings *settings, og_model *out, og_message *message)
{
    const og_assignment_start *start;
    (void)settings;
    OG_TRY(assignment_start(problem, &start, message));
    return og_assignment_model(start, question, out);
}

/* OG_STOPPED, OG_FAILED: arms cannot represent it. */
static og_status solve_by_arms(const og_assignment_start *start, const og_value_asked *question,
                               const og_settings *settings, og_solution *out, og_message *message)
{
    return question->by == NULL && og_assignment_has_arms(start)
               ? og_assignment_arms(start, question, settings, out, message)
               : OG_STOPPED;
}

og_status assignment_solve(const void *problem, const og_value_asked *question,
                           const og_settings *settings, og_solution *out, og_message *message)
{
    const assignment *own = problem;
    const og_assignment_start *start;
    og_message words = {""};
    OG_TRY(assignment_start(own, &start, message));
    og_status status = solve_by_arms(start, question, settings, out, &words);
    if (status != OG_STOPPED && status != OG_FAILED) {
        return status == OG_OK ? OG_OK : og_message_set(message, status, "%s", words.text);
    }
    if (question->by != NULL &&
        (question->fractions || og_assignment_player_of(question->by) != NULL)) {
        return solve_histories(own, question, settings, out, message);
    }
    return og_family_solve_by_model(&og_family_assignment, problem, question, settings, out,
                                    message);
}

og_status assignment_steps(const void *problem, const og_steps_use *use, og_steps *out,
                           og_message *message)
{
    if (og_assignment_player_of(use->by) != NULL) { /* which writes the message */
        return use->by->choose(use->by->self, &(og_strategy_view){0}, NULL, NULL, message);
    }
    return og_family_steps_by_model(&og_family_assignment, problem, use, out, message);
}

/* ---- bounds ---- */

enum { BOUND_LAGRANGIAN, BOUND_EVERYTHING };
const char *const assignment_bounds[] = {"lagrangian_scalar", "everything", NULL};

/* Compute the bound at a fraction near the price found in doubles. */
static og_status bound_exact(const assignment *problem, og_upper_bound *out, og_exact_bound *exact)
{
    og_exact_bound made = {.price_count = 1};
    made.number = og_arena_fractions(&made.arena, 2);
    og_status status = og_arena_status(&made.arena);
    if (status == OG_OK) {
        og_exact_bound_price(out->price[0], made.number[0]);
        status = og_assignment_lagrangian_exact(problem->assignment, problem->label, problem->left,
                                                made.number[0], made.number[1]);
    }
    if (status != OG_OK) {
        og_exact_bound_clear(&made);
        return status == OG_STOPPED ? OG_OK : status; /* no bound */
    }
    double near = og_nearest(made.number[1]);
    out->value = nextafter(near, INFINITY);
    out->error = out->value - near;
    out->price[0] = og_nearest(made.number[0]);
    *exact = made;
    return OG_OK;
}

og_status assignment_bound(const void *problem, const og_bound_use *use, og_upper_bound *out,
                           og_exact_bound *exact, og_message *message)
{
    const assignment *own = problem;
    const bool priced = use->which == BOUND_LAGRANGIAN;
    og_assignment_bound found;
    og_stop *stop = og_stop_of(use->settings);
    (void)message;
    if (exact != NULL) { /* requested after *out was found in doubles */
        return priced ? bound_exact(own, out, exact) : OG_OK;
    }
    if (!priced && own->had > 0) {
        return OG_OK;
    }
    og_status status =
        priced ? og_assignment_lagrangian(own->assignment, own->label, own->left, stop, &found)
               : og_assignment_everything(own->assignment, stop, &found);
    if (status != OG_OK) {
        return status == OG_STOPPED ? OG_OK : status; /* too large: no bound */
    }
    double *price = priced ? malloc(sizeof *price) : NULL;
    if (priced && price == NULL) {
        return OG_NO_MEMORY;
    }
    og_upper_bound made = {.value = found.value,
                           .error = found.error,
                           .price_count = priced,
                           .price = price,
                           .evaluations = found.evaluations,
                           .converged = true};
    if (priced) {
        *price = found.price;
    }
    *out = made;
    return OG_OK;
}

/* ---- expected labels ---- */

void assignment_put_policy(const void *problem, const og_policy_name *name, bool exact,
                           og_stop *stop, og_document *object)
{
    const assignment *own = problem;
    double labels = own->left;
    (void)exact;
    og_lock_take(own->lock);
    for (const struct assignment_asked *asked = *own->asked; asked != NULL; asked = asked->next) {
        labels = strcmp(asked->name, name->name) == 0 ? asked->labels : labels;
    }
    og_lock_release(own->lock);
    og_put_number(object, "labels", labels);
    assignment_put_regret(own, name, stop, object);
}

/* Show the labels of each policy if some stop before others. */
void assignment_show_policies(og_document *document, const og_document *policies, bool exact)
{
    const double rounding = 1e-9;
    double least = INFINITY, most = 0;
    (void)exact;
    for (int32_t i = 0; i < og_document_count(policies); i++) {
        double labels =
            og_document_number(og_document_find(og_document_child(policies, i), "labels"));
        least = fmin(least, labels);
        most = fmax(most, labels);
    }
    if (most - least > rounding) {
        og_document *table = og_show_table(document, policies);
        og_show_column(table, "policy", 'l', "name", OG_SHOW_PLAIN);
        og_show_column(table, "expected labels", 'd', "labels", OG_SHOW_VALUE);
    }
    assignment_show_regret(document, policies);
}
