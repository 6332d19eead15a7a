/*
 * Breadth first, by labels left: the states of one number of labels are a set, their successors
 * under the chosen actions the next. States are multisets of nodes, which readers can follow; the
 * solver, or kept layers, are asked about the classes of these nodes.
 */
#include "dp/export/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/exact/near_tie.h"
#include "dp/export/policy_file.h"
#include "dp/product/forward.h"
#include "dp/product/layers.h"
#include "dp/product/solver.h"

typedef struct {
    og_arena arena;
    og_solver *solver;
    const og_arms *arms;
    const og_export_request *request;
    og_message *message;
    uint64_t memory_bytes;
    uint64_t states_max;
    double error; /* relative, of a Q of the solver */
    og_model model;
    og_expansion expansion;
    og_forward pass;
    og_policy_writer *writer;
    og_export_info info;
    /* Of the current state, with room for the outcomes of an action. */
    og_policy_item *item;        /* [capacity] */
    double *q;                   /* [capacity] */
    double *q_error;             /* [capacity] */
    double *kept_q, *kept_error; /* [capacity] of the actions */
    int32_t words;               /* of its key */
    bool *open;                  /* [capacity] true if it is not proved worse than another action */
    og_near_tie *settler;
} walk;

/* ---- asking the solver ---- */

/* Upper bound of an action's value, as in the engine (dp/engine/engine.c). */
static double still_possible(const og_action *action, const og_outcome *outcome,
                             const double *value)
{
    double sum = action->bound;
    for (int32_t k = 0; isfinite(sum) && k < action->outcome_count; k++) {
        if (!isnan(value[k])) {
            sum -= outcome[k].probability * (outcome[k].bound - value[k]);
        }
    }
    return sum;
}

/* The successor's value if it is in the memory, or computed if `compute` is set; else NaN. */
static og_status successor_value(walk *w, const og_outcome *outcome, bool compute, double *value)
{
    og_solver *solver = w->solver;
    uint64_t *key = solver->key;
    int32_t words = w->model.successor(w->model.self, &w->expansion, outcome, key, value);
    if (words == 0 || compute) {
        return words == 0 ? OG_OK : og_solver_state(solver, words, value, w->message);
    }
    og_memo_user user;
    og_memo_join(solver->valuation.memo, &user);
    if (!og_memo_get(&user, key, words, og_memo_hash(key, words), value)) {
        *value = NAN;
    }
    og_memo_leave(&user);
    return OG_OK;
}

/*
 * The action's computed value; -1 if it is proved that it cannot be better than `best`, the
 * state's. Successors that are not in the memory are computed, the likeliest first, unless the
 * others prove it.
 */
static og_status action_value(walk *w, const og_action *action, double best, double *found)
{
    const og_outcome *outcome = &w->expansion.outcome[action->outcome_first];
    double *value = w->q; /* there are fewer outcomes than it has room for */
    for (int32_t k = 0; k < action->outcome_count; k++) {
        OG_TRY(successor_value(w, &outcome[k], false, &value[k]));
    }
    *found = -1;
    for (;;) {
        int32_t open = -1;
        for (int32_t k = 0; k < action->outcome_count; k++) {
            bool likelier = open < 0 || outcome[k].probability > outcome[open].probability;
            open = isnan(value[k]) && likelier ? k : open;
        }
        if (open < 0) {
            break;
        }
        if (still_possible(action, outcome, value) + w->model.margin <= best) {
            return OG_OK;
        }
        OG_TRY(successor_value(w, &outcome[open], true, &value[open]));
    }
    double sum = action->reward;
    for (int32_t k = 0; k < action->outcome_count; k++) {
        sum += outcome[k].probability * value[k];
    }
    *found = sum;
    return OG_OK;
}

/* The group of the current state whose class an action labels. */
static int32_t group_of(const walk *w, const og_action *action)
{
    int32_t left, i = 0;
    uint32_t class = og_product_class(&w->solver->product, &w->expansion, action, &left);
    while (w->solver->pair[i].class != class) {
        i++;
    }
    return i;
}

/* The values of the actions of the current state, from layers: w->kept_q, and the largest. *known:
 * the layers have all of these states. */
static og_status values_of_kept(walk *w, double *best, bool *known)
{
    const og_query_cache *kept = w->request->kept;
    og_status status = kept != NULL ? OG_OK : OG_BAD_INPUT;
    for (int32_t a = 0; status == OG_OK && a < w->expansion.action_count; a++) {
        int32_t group = group_of(w, &w->expansion.action[a]);
        status = og_query_cache_q_of(kept, &w->pass.state, group, &w->kept_q[a], &w->kept_error[a]);
        *best = a == 0 ? w->kept_q[a] : fmax(*best, w->kept_q[a]);
    }
    *known = status == OG_OK;
    return status == OG_BAD_INPUT ? OG_OK : status;
}

/* Also of the comparison. */
static double error_of_kept(const walk *w, int32_t action)
{
    return w->kept_error[action] + 0x1p-51 * w->kept_q[action];
}

/* The class of an action of the current state that is optimal as far as doubles can tell; not all
 * its nodes are dead. Opens all the classes that may be as good. */
static og_status best_class(walk *w, uint32_t *class)
{
    const og_solver *solver = w->solver;
    bool known = false, by_layers = false;
    double best = 0, proved = 0;
    OG_TRY(w->model.expand(w->model.self, solver->key, w->words, &w->expansion));
    const og_expansion *x = &w->expansion;
    if (x->action_count > 1) { /* a single action is forced, and proved */
        OG_TRY(values_of_kept(w, &best, &by_layers));
    }
    if (x->action_count > 1 && !by_layers) {
        OG_TRY(og_solver_state(w->solver, w->words, &best, w->message));
    }
    for (int32_t a = 0; a < x->action_count; a++) {
        double own = by_layers ? w->kept_q[a] - error_of_kept(w, a) : best * (1 - w->error);
        proved = fmax(proved, own);
    }
    for (int32_t a = 0; a < x->action_count; a++) {
        double value = by_layers ? w->kept_q[a] : x->action_count == 1 ? best : -1;
        if (x->action_count > 1 && !by_layers && x->action[a].bound + w->model.margin > best) {
            OG_TRY(action_value(w, &x->action[a], best, &value));
        }
        if (value + (by_layers ? error_of_kept(w, a) : value * w->error) < proved) {
            continue;
        }
        int32_t left;
        uint32_t found = og_product_class(&solver->product, x, &x->action[a], &left);
        for (int32_t i = 0; i < w->pass.state.count; i++) {
            w->open[i] = w->open[i] || solver->pair[i].class == found;
        }
        if (value == best && !known) {
            *class = found;
            known = true;
        }
    }
    /* A state's value is the largest of its actions', bit for bit. */
    return known ? OG_OK
                 : og_message_set(w->message, OG_FAILED,
                                  "no action has the value of its state; "
                                  "the checkpoint may be of another program");
}

/* ---- choosing ---- */

/* True if all open actions are proved to have the same value, or if fractions can tell the best;
 * those remain open. */
static og_status tell_best_apart(walk *w, bool *settled)
{
    const og_state *state = &w->pass.state;
    int32_t first = -1;
    *settled = true;
    for (int32_t i = 0; i < state->count; i++) {
        first = first < 0 && w->open[i] ? i : first;
        *settled =
            *settled && (!w->open[i] || og_alike(w->arms, &state->group[first], &state->group[i]));
    }
    if (!*settled) {
        OG_TRY(og_near_tie_settle(w->settler, state, w->open, settled, w->message));
    }
    w->info.near_ties += !*settled;
    return OG_OK;
}

static og_status choose_one(walk *w)
{
    int32_t count = w->pass.state.count;
    uint32_t class = 0;
    bool settled = false;
    memset(w->open, 0, (size_t)count * sizeof *w->open);
    OG_TRY(best_class(w, &class));
    OG_TRY(tell_best_apart(w, &settled));
    for (int32_t i = 0; i < count; i++) {
        if (settled ? w->open[i] : w->solver->pair[i].class == class) {
            w->item[i].choice = settled ? OG_CHOICE_OPTIMAL : OG_CHOICE_NEAR;
            break;
        }
    }
    return OG_OK;
}

static og_status choose_all(walk *w)
{
    int32_t count = w->pass.state.count;
    double proved = 0;
    bool settled = false;
    OG_TRY(og_query_cache_q_at(w->request->kept, w->solver, &w->pass.state, w->q, w->q_error,
                               w->message));
    for (int32_t i = 0; i < count; i++) {
        w->q_error[i] += 0x1p-51 * w->q[i]; /* of the comparison */
        proved = fmax(proved, w->q[i] - w->q_error[i]);
    }
    for (int32_t i = 0; i < count; i++) {
        w->open[i] = w->q[i] + w->q_error[i] >= proved;
    }
    OG_TRY(tell_best_apart(w, &settled));
    for (int32_t i = 0; i < count; i++) {
        if (w->open[i]) {
            w->item[i].choice = settled ? OG_CHOICE_OPTIMAL : OG_CHOICE_NEAR;
        }
    }
    return OG_OK;
}

/* ---- walking ---- */

static og_status stopped(const walk *w)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(
        w->message, OG_STOPPED,
        "the states that the optimal policy can reach do not fit the %s of memory left "
        "for them: "
        "%llu were written, with %d labels left",
        og_bytes_format(w->memory_bytes, limit), (unsigned long long)w->info.states, w->pass.left);
}

/* Describes the current state for the reader. *any: no action gains anything. */
static og_status describe(walk *w, bool *any)
{
    const og_state *state = &w->pass.state;
    const og_layer *layer = &w->solver->layers->layer[state->left];
    OG_TRY(og_solver_key(w->solver, state, &w->words, w->message));
    *any = true;
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        int32_t counts[2];
        og_arm_counts(w->arms->arm[group->arm], group->node, counts);
        w->item[i] = (og_policy_item){.prior = group->arm,
                                      .positive = counts[0],
                                      .negative = counts[1],
                                      .choice = OG_CHOICE_NONE,
                                      .copies = group->copies};
        *any = *any && layer->first_live[w->solver->pair[i].class] == 0;
    }
    return OG_OK;
}

static og_status add_successors(walk *w, int32_t item)
{
    int32_t outcomes = w->arms->arm[w->pass.state.group[item].arm]->outcome_count;
    uint64_t held = w->solver->classes->bytes + og_state_set_bytes(w->pass.here);
    w->pass.limit_bytes = w->memory_bytes > held ? w->memory_bytes - held : 0;
    for (int32_t k = 0; k < outcomes; k++) {
        uint32_t entry;
        og_status status = og_forward_put(&w->pass, item, k, &entry);
        if (status != OG_OK) {
            return status == OG_STOPPED ? stopped(w) : status;
        }
    }
    return OG_OK;
}

static og_status write_state(walk *w, uint32_t entry)
{
    og_forward_take(&w->pass, entry);
    og_policy_state state = {.left = w->pass.left, .count = w->pass.state.count, .item = w->item};
    OG_TRY(describe(w, &state.any));
    if (!state.any) {
        OG_TRY(w->request->all ? choose_all(w) : choose_one(w));
    }
    if (w->info.states == w->states_max) {
        return og_message_set(
            w->message, OG_STOPPED,
            "the optimal policy can reach more than %llu states, the most that can "
            "be exported%s",
            (unsigned long long)w->states_max, w->request->all ? " with all optimal actions" : "");
    }
    OG_TRY(og_policy_writer_put(w->writer, &state));
    w->info.states++;
    for (int32_t i = 0; state.left > 1 && i < state.count; i++) {
        if (w->item[i].choice != OG_CHOICE_NONE) {
            OG_TRY(add_successors(w, i));
        }
    }
    return OG_OK;
}

static og_status write_states(walk *w)
{
    og_stop *stop = og_stop_of(&w->solver->valuation.settings);
    for (; w->pass.left > 0; og_forward_next(&w->pass)) {
        for (uint32_t i = 0; i < og_forward_count(&w->pass); i++) {
            if (og_stop_asked(stop)) {
                return og_message_set(w->message, OG_STOPPED,
                                      "the export was stopped with %d labels left, after %llu "
                                      "states; no file was written",
                                      w->pass.left, (unsigned long long)w->info.states);
            }
            OG_TRY(write_state(w, i));
        }
    }
    return OG_OK;
}

/* ---- set-up ---- */

static og_status header_of(const og_arms *arms, bool all, const og_result *result,
                           og_policy_header *header, og_message *message)
{
    header->budget = arms->budget;
    header->prior_count = arms->arm_count;
    header->value = result->value;
    header->gain = result->gain;
    header->error_bound = result->error_bound;
    header->all = all;
    header->prior = calloc((size_t)arms->arm_count + 1, sizeof *header->prior);
    OG_TRY(OG_ALLOCATED(header->prior));
    for (int32_t a = 0; a < arms->arm_count; a++) {
        if (!og_arm_has_calls(arms->arm[a]) || !arms->arm[a]->lattice) {
            return og_message_set(
                message, OG_BAD_INPUT,
                "--export-policy supports only calls by two kinds of labels; omit it");
        }
        if (og_arm_prior(arms->arm[a])->payoff.given) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--export-policy does not support --payoff; omit it");
        }
        header->prior[a] = *og_arm_prior(arms->arm[a]);
        header->prior[a].count = 0;
    }
    for (int32_t g = 0; g < arms->group_count; g++) {
        header->prior[arms->arm_of_group[g]].count += arms->group_size[g];
    }
    return OG_OK;
}

static og_status walk_init(walk *w)
{
    og_solver *solver = w->solver;
    const og_product *product = &solver->product;
    size_t capacity = (size_t)product->pairs_max + (size_t)solver->layers->outcome_max + 2;
    w->item = og_arena_array(&w->arena, capacity, sizeof *w->item);
    w->q = og_arena_array(&w->arena, capacity, sizeof *w->q);
    w->q_error = og_arena_array(&w->arena, capacity, sizeof *w->q_error);
    w->kept_q = og_arena_array(&w->arena, capacity, sizeof *w->kept_q);
    w->kept_error = og_arena_array(&w->arena, capacity, sizeof *w->kept_error);
    w->open = og_arena_array(&w->arena, capacity, sizeof *w->open);
    OG_TRY(og_arena_status(&w->arena));
    w->model = og_product_model(product);
    OG_TRY(w->model.expansion_new(w->model.self, &w->expansion));
    uint64_t half = w->memory_bytes / 2;
    w->memory_bytes -= half; /* for following the play */
    OG_TRY(og_near_tie_new(w->arms, &solver->valuation.settings, half, &w->settler));
    if (solver->classes == NULL) {
        const og_settings *settings = &solver->valuation.settings;
        OG_TRY(og_classes_new(w->arms,
                              &(og_layers_use){.merge = product->drop,
                                               .memory_bytes = w->memory_bytes,
                                               .stop = og_stop_of(settings)},
                              &solver->classes, w->message));
    }
    og_status status = og_forward_begin(w->arms, OG_FORWARD_SORTED, 0, w->memory_bytes, &w->pass);
    return status == OG_STOPPED ? stopped(w) : status;
}

static void walk_clear(walk *w)
{
    if (w->expansion.action != NULL) {
        w->model.expansion_free(&w->expansion);
    }
    og_forward_clear(&w->pass);
    og_policy_writer_drop(w->writer);
    og_near_tie_free(w->settler);
    og_arena_clear(&w->arena);
}

static og_status walk_run(walk *w, const og_result *result)
{
    og_policy_header header = {.prior = NULL};
    og_status status = header_of(w->arms, w->request->all, result, &header, w->message);
    OG_THEN(status, walk_init(w));
    OG_THEN(status, og_policy_writer_new(w->request->path, &header, &w->writer, w->message));
    free(header.prior);
    OG_TRY(status);
    OG_TRY(write_states(w));
    og_policy_writer *writer = w->writer;
    w->writer = NULL; /* og_policy_writer_end frees it */
    return og_policy_writer_end(writer, &w->info.file_bytes, w->message);
}

og_status og_export_policy(og_solver *solver, const og_export_request *request, og_result *result,
                           og_export_info *info, og_message *message)
{
    og_result found;
    OG_TRY(og_policy_writer_check(request->path, message));
    if (request->kept != NULL) {
        og_query_cache_value(request->kept, &found);
    } else {
        OG_TRY(og_solver_value(solver, &found, message));
    }
    walk w = {.solver = solver, .arms = solver->arms, .request = request, .message = message};
    w.memory_bytes = request->memory_bytes > 0 ? request->memory_bytes
                                               : solver->valuation.settings.memory_bytes / 4;
    w.states_max = request->states_max > 0 ? request->states_max : UINT64_MAX;
    if (request->all && w.states_max > OG_EXPORT_ALL_STATES) {
        w.states_max = OG_EXPORT_ALL_STATES;
    }
    w.error = 1.01 * og_solver_relative_error(solver) + 0x1p-51; /* plus the comparison */
    int threads = solver->valuation.settings.threads;
    if (request->all) {
        /* For many small questions a team of threads costs more than it saves. */
        solver->valuation.settings.threads = 1;
    }
    og_status status = walk_run(&w, &found);
    solver->valuation.settings.threads = threads;
    walk_clear(&w);
    if (status == OG_NO_MEMORY) {
        og_message_set(message, status, "out of memory");
    }
    if (status == OG_OK) {
        if (result != NULL) {
            *result = found;
        }
        *info = w.info;
    }
    return status;
}
