/*
 * Breadth first, by labels left: the states of one number of labels are a set, their successors by
 * the chosen actions the next. States are multisets of nodes, since that is what a reader can
 * follow; the solver is asked about the classes of their nodes.
 */
#include "dp/export/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/multisets.h"
#include "dp/engine/engine.h"
#include "dp/exact/settle.h"
#include "dp/export/policy_file.h"
#include "dp/product/layers.h"
#include "dp/product/solver.h"

typedef struct {
    og_solver *solver;
    const og_arms *arms;
    const og_export_request *request;
    og_message *message;
    uint64_t memory_bytes;
    uint64_t states_max;
    double error; /* relative, of a Q */
    og_classes *classes;
    og_model model;
    og_expansion expansion;
    bool expansion_made;
    og_multisets *here;
    og_multisets *below;
    og_policy_writer *writer;
    og_export_info info;
    /* The state at hand; room for a successor too. */
    int32_t capacity;
    int32_t left;
    int32_t count;
    og_copies *list;       /* [capacity] */
    og_copies *mixed;      /* [capacity] */
    uint32_t *class;       /* [capacity] of the nodes in list */
    uint32_t *down;        /* [capacity] their classes one layer below */
    og_policy_item *item;  /* [capacity] */
    double *q;             /* [capacity] */
    bool *open;            /* [capacity] is not proved worse than another action */
    og_state_group *group; /* [capacity] the items, as those who settle see them */
    og_pair *pair;         /* [capacity] */
    uint64_t *key;         /* [key_words_max] */
    og_settler *settler;
} walk;

/* ---- asking the solver ---- */

/* The value of the state whose key stands in `key`. */
static og_status value_of_key(walk *w, const uint64_t *key, int32_t words, double *value)
{
    if (words == 0) {
        *value = 0;
        return OG_OK;
    }
    og_memo_user user;
    og_memo_join(w->solver->valuation.memo, &user);
    bool known = og_memo_get(&user, key, words, og_memo_hash(key, words), value);
    og_memo_leave(&user);
    if (known) {
        return OG_OK;
    }
    memcpy(w->solver->key, key, (size_t)words * sizeof *key);
    return og_solver_state(w->solver, words, value, w->message);
}

/* The key of the state at hand, classes at `left`, with one instance of item `moved` in `to`. */
static og_status key_of(walk *w, int32_t left, const uint32_t *class, int32_t moved, uint32_t to,
                        int32_t *words)
{
    for (int32_t i = 0; i < w->count; i++) {
        w->pair[i] = (og_pair){class[i], w -> list[i].copies};
    }
    return og_product_key(&w->solver->product, left, w->pair, w->count, moved, to, w->key, words);
}

/* What an action can still be worth, as the engine bounds it (dp/engine/engine.c). */
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

/* The successor's value if the memory has it, or in any case; else NaN. */
static og_status successor_value(walk *w, const og_outcome *outcome, bool compute, double *value)
{
    int32_t words = w->model.successor(w->model.self, &w->expansion, outcome, w->key, value);
    if (words == 0) {
        return OG_OK;
    }
    if (compute) {
        return value_of_key(w, w->key, words, value);
    }
    og_memo_user user;
    og_memo_join(w->solver->valuation.memo, &user);
    if (!og_memo_get(&user, w->key, words, og_memo_hash(w->key, words), value)) {
        *value = NAN;
    }
    og_memo_leave(&user);
    return OG_OK;
}

/*
 * The action's computed value; -1 where it is proved that it cannot be better than `best`, the
 * state's. Successors that are not in the memory are computed, the likeliest first, unless the
 * others show that.
 */
static og_status action_value(walk *w, const og_action *action, double best, double *found)
{
    const og_outcome *outcome = &w->expansion.outcome[action->outcome_first];
    double *value = w->q; /* outcomes are fewer than its room */
    for (int32_t k = 0; k < action->outcome_count; k++) {
        og_status status = successor_value(w, &outcome[k], false, &value[k]);
        if (status != OG_OK) {
            return status;
        }
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
        og_status status = successor_value(w, &outcome[open], true, &value[open]);
        if (status != OG_OK) {
            return status;
        }
    }
    double sum = action->reward;
    for (int32_t k = 0; k < action->outcome_count; k++) {
        sum += outcome[k].probability * value[k];
    }
    *found = sum;
    return OG_OK;
}

static void open_class(walk *w, uint32_t class)
{
    for (int32_t i = 0; i < w->count; i++) {
        w->open[i] = w->open[i] || w->class[i] == class;
    }
}

/* The class of an optimal action of the state at hand, as far as doubles can tell; not all its
 * nodes are dead. Opens all the classes that may be as good. */
static og_status best_class(walk *w, uint32_t *class)
{
    bool known = false;
    int32_t words;
    double best = 0;
    og_status status = key_of(w, w->left, w->class, -1, 0, &words);
    if (status != OG_OK) {
        return status;
    }
    status = w->model.expand(w->model.self, w->key, words, &w->expansion);
    if (status != OG_OK) {
        return status;
    }
    const og_expansion *x = &w->expansion;
    if (x->action_count > 1) { /* a single one is forced, and proved */
        status = value_of_key(w, w->key, words, &best);
    }
    for (int32_t a = 0; status == OG_OK && a < x->action_count; a++) {
        double value = x->action_count == 1 ? best : -1;
        if (x->action_count > 1 && x->action[a].bound + w->model.margin > best) {
            status = action_value(w, &x->action[a], best, &value);
        }
        if (status == OG_OK && value * (1 + w->error) >= best * (1 - w->error)) {
            int32_t left;
            uint32_t found = og_product_class(&w->solver->product, x, &x->action[a], &left);
            open_class(w, found);
            if (value == best && !known) {
                *class = found;
                known = true;
            }
        }
    }
    /* A state's value is the largest of its actions', bit for bit. */
    return status != OG_OK || known ? status
                                    : og_message_set(w->message, OG_FAILED,
                                                     "no action has the value of its state; "
                                                     "the checkpoint may be of another program");
}

/* Q of labelling an instance of an item. */
static og_status item_q(walk *w, int32_t item, double *q)
{
    const og_layer *layer = &w->solver->layers->layer[w->left];
    uint32_t class = w->class[item];
    uint32_t first = layer->outcome_first[class];
    uint32_t last = layer->outcome_first[class + 1];
    bool dead = first == last; /* wherever it goes the others are what they are */
    double sum = layer->reward[class];
    for (uint32_t k = first; dead || k < last; k++) {
        int32_t words;
        double value;
        og_status status = key_of(w, w->left - 1, w->down, item, dead ? 0 : layer->next[k], &words);
        if (status == OG_OK) {
            status = value_of_key(w, w->key, words, &value);
        }
        if (status != OG_OK) {
            return status;
        }
        sum += dead ? value : layer->probability[k] * value;
        dead = false;
    }
    *q = sum;
    return OG_OK;
}

/* ---- choosing ---- */

static bool all_dead(const walk *w)
{
    const og_layer *layer = &w->solver->layers->layer[w->left];
    for (int32_t i = 0; i < w->count; i++) {
        if (layer->first_live[w->class[i]] > 0) {
            return false;
        }
    }
    return true;
}

/* Are all open actions proved to be worth the same, or can fractions say which are best? Those are
 * the open ones then. */
static og_status settle(walk *w, bool *settled)
{
    int32_t first = -1;
    *settled = true;
    for (int32_t i = 0; i < w->count; i++) {
        w->group[i] =
            (og_state_group){.arm = w->item[i].prior,
                             .node = w->list[i].member - w->arms->node_offset[w->item[i].prior],
                             .copies = w->item[i].copies};
        first = first < 0 && w->open[i] ? i : first;
        *settled = *settled && (!w->open[i] || og_alike(w->arms, &w->group[first], &w->group[i]));
    }
    if (*settled) {
        return OG_OK;
    }
    og_state state = {
        .left = w->left, .budget = w->arms->budget, .count = w->count, .group = w->group};
    return og_settle(w->settler, &state, w->open, settled, w->message);
}

static og_status choose_one(walk *w)
{
    uint32_t class = 0;
    bool settled = false;
    memset(w->open, 0, (size_t)w->count * sizeof *w->open);
    og_status status = best_class(w, &class);
    if (status == OG_OK) {
        status = settle(w, &settled);
    }
    for (int32_t i = 0; status == OG_OK && i < w->count; i++) {
        if (settled ? w->open[i] : w->class[i] == class) {
            w->item[i].choice = settled ? OG_CHOICE_OPTIMAL : OG_CHOICE_NEAR;
            break;
        }
    }
    w->info.near_ties += !settled;
    return status;
}

static og_status choose_all(walk *w)
{
    double proved = 0;
    bool settled = false;
    for (int32_t i = 0; i < w->count; i++) {
        int32_t same = 0;
        while (w->class[same] != w->class[i]) {
            same++;
        }
        og_status status = OG_OK;
        if (same < i) {
            w->q[i] = w->q[same];
        } else {
            status = item_q(w, i, &w->q[i]);
        }
        if (status != OG_OK) {
            return status;
        }
        proved = fmax(proved, w->q[i] * (1 - w->error));
    }
    for (int32_t i = 0; i < w->count; i++) {
        w->open[i] = w->q[i] * (1 + w->error) >= proved;
    }
    og_status status = settle(w, &settled);
    for (int32_t i = 0; i < w->count; i++) {
        if (w->open[i]) {
            w->item[i].choice = settled ? OG_CHOICE_OPTIMAL : OG_CHOICE_NEAR;
        }
    }
    w->info.near_ties += !settled;
    return status;
}

/* ---- walking ---- */

static og_status stopped(const walk *w)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(w->message, OG_STOPPED,
                          "the states that optimal play can reach do not fit the %s left for them: "
                          "%llu were written, with %d labels left",
                          og_bytes_format(w->memory_bytes, limit),
                          (unsigned long long)w->info.states, w->left);
}

/* The state `entry` of the set at hand: its nodes, classes and what a reader calls them. */
static void take_state(walk *w, uint32_t entry)
{
    const og_arms *arms = w->arms;
    const og_layer *layer = &w->solver->layers->layer[w->left];
    const og_copies *list = og_multisets_at(w->here, entry, &w->count);
    memcpy(w->list, list, (size_t)w->count * sizeof *list);
    for (int32_t i = 0; i < w->count; i++) {
        int32_t arm = og_arms_arm_of(arms, list[i].member);
        uint32_t node = list[i].member - arms->node_offset[arm];
        int32_t counts[2];
        og_arm_counts(arms->arm[arm], node, counts);
        w->item[i] = (og_policy_item){.prior = arm,
                                      .positive = counts[0],
                                      .negative = counts[1],
                                      .choice = OG_CHOICE_NONE,
                                      .copies = list[i].copies};
        w->class[i] = og_classes_of(w->classes, w->left, arm, node);
        w->down[i] = layer->down[w->class[i]];
    }
}

static og_status add_successors(walk *w, int32_t item)
{
    int32_t number = w->item[item].prior;
    const og_arm *arm = w->arms->arm[number];
    uint32_t offset = w->arms->node_offset[number];
    uint32_t node = w->list[item].member - offset;
    uint64_t held = w->classes->bytes + og_multisets_bytes(w->here);
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        uint32_t next = offset + arm->next[(size_t)node * (size_t)arm->outcome_count + (size_t)k];
        int32_t count = og_multiset_replace(w->list, w->count, offset + node, next, w->mixed);
        uint32_t entry;
        bool added;
        uint64_t limit = w->memory_bytes > held ? w->memory_bytes - held : 0;
        og_status status = og_multisets_put(w->below, w->mixed, count, limit, &entry, &added);
        if (status != OG_OK) {
            return status == OG_STOPPED ? stopped(w) : status;
        }
    }
    return OG_OK;
}

static og_status write_state(walk *w, uint32_t entry)
{
    take_state(w, entry);
    og_policy_state state = {
        .left = w->left, .any = all_dead(w), .count = w->count, .item = w->item};
    og_status status = OG_OK;
    if (!state.any) {
        status = w->request->all ? choose_all(w) : choose_one(w);
    }
    if (status == OG_OK && w->info.states == w->states_max) {
        status = og_message_set(w->message, OG_STOPPED,
                                "optimal play can reach more than %llu states, the most that can "
                                "be exported%s",
                                (unsigned long long)w->states_max,
                                w->request->all ? " with all optimal actions" : "");
    }
    if (status == OG_OK) {
        status = og_policy_writer_put(w->writer, &state);
        w->info.states++;
    }
    for (int32_t i = 0; status == OG_OK && w->left > 1 && i < w->count; i++) {
        if (w->item[i].choice != OG_CHOICE_NONE) {
            status = add_successors(w, i);
        }
    }
    return status;
}

static og_status write_states(walk *w)
{
    const og_arms *arms = w->arms;
    og_status status = OG_OK;
    uint32_t root;
    bool added;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        int64_t copies = 0;
        for (int32_t g = 0; g < arms->group_count; g++) {
            copies += arms->arm_of_group[g] == a ? arms->group_size[g] : 0;
        }
        w->list[a] = (og_copies){arms->node_offset[a], (uint32_t)copies};
    }
    if (arms->budget > 0) {
        status =
            og_multisets_put(w->here, w->list, arms->arm_count, w->memory_bytes, &root, &added);
        status = status == OG_STOPPED ? stopped(w) : status;
    }
    for (w->left = arms->budget; status == OG_OK && w->left > 0; w->left--) {
        uint32_t count = og_multisets_count(w->here);
        for (uint32_t i = 0; status == OG_OK && i < count; i++) {
            status = write_state(w, i);
        }
        og_multisets *swap = w->here;
        w->here = w->below;
        w->below = swap;
        og_multisets_empty(w->below);
    }
    return status;
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
    if (header->prior == NULL) {
        return OG_NO_MEMORY;
    }
    for (int32_t a = 0; a < arms->arm_count; a++) {
        if (!og_arm_has_calls(arms->arm[a]) || !arms->arm[a]->lattice) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "only policies for calls by two kinds of labels can be exported");
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
    const og_product *product = &w->solver->product;
    bool merge = product->drop;
    w->capacity = product->pairs_max + w->solver->layers->outcome_max + 2;
    size_t room = (size_t)w->capacity;
    w->list = calloc(room, sizeof *w->list);
    w->mixed = calloc(room, sizeof *w->mixed);
    w->class = calloc(room, sizeof *w->class);
    w->down = calloc(room, sizeof *w->down);
    w->item = calloc(room, sizeof *w->item);
    w->q = calloc(room, sizeof *w->q);
    w->open = calloc(room, sizeof *w->open);
    w->group = calloc(room, sizeof *w->group);
    w->pair = calloc(room, sizeof *w->pair);
    w->key = calloc((size_t)product->key_words_max, sizeof *w->key);
    if (w->list == NULL || w->mixed == NULL || w->class == NULL || w->down == NULL ||
        w->item == NULL || w->q == NULL || w->open == NULL || w->group == NULL || w->pair == NULL ||
        w->key == NULL) {
        return OG_NO_MEMORY;
    }
    w->model = og_product_model(product);
    og_status status = w->model.expansion_new(w->model.self, &w->expansion);
    w->expansion_made = status == OG_OK;
    if (status == OG_OK) {
        status = og_multisets_new(0, &w->here);
    }
    if (status == OG_OK) {
        status = og_multisets_new(0, &w->below);
    }
    if (status == OG_OK) {
        uint64_t half = w->memory_bytes / 2;
        w->memory_bytes -= half; /* for following the play */
        status = og_settler_new(w->arms, &w->solver->valuation.settings, half, &w->settler);
    }
    if (status == OG_OK) {
        status =
            og_classes_new(w->arms, NULL, merge, w->memory_bytes, NULL, &w->classes, w->message);
    }
    return status;
}

static void walk_clear(walk *w)
{
    if (w->expansion_made) {
        w->model.expansion_free(&w->expansion);
    }
    og_multisets_free(w->here);
    og_multisets_free(w->below);
    og_classes_free(w->classes);
    og_policy_writer_drop(w->writer);
    free(w->list);
    free(w->mixed);
    free(w->class);
    free(w->down);
    free(w->item);
    free(w->q);
    free(w->open);
    free(w->group);
    og_settler_free(w->settler);
    free(w->pair);
    free(w->key);
}

static og_status walk_run(walk *w, const og_result *result)
{
    og_policy_header header = {.prior = NULL};
    og_status status = header_of(w->arms, w->request->all, result, &header, w->message);
    if (status == OG_OK) {
        status = walk_init(w);
    }
    if (status == OG_OK) {
        status = og_policy_writer_new(w->request->path, &header, &w->writer, w->message);
    }
    free(header.prior);
    if (status == OG_OK) {
        status = write_states(w);
    }
    if (status == OG_OK) {
        og_policy_writer *writer = w->writer;
        w->writer = NULL; /* the end frees it */
        status = og_policy_writer_end(writer, &w->info.file_bytes, w->message);
    }
    return status;
}

og_status og_export_policy(og_solver *solver, const og_export_request *request, og_result *result,
                           og_export_info *info, og_message *message)
{
    og_result found;
    og_status status = og_policy_writer_check(request->path, message);
    if (status == OG_OK) {
        status = og_solver_value(solver, &found, message);
    }
    if (status != OG_OK) {
        return status;
    }
    walk w = {.solver = solver, .arms = solver->arms, .request = request, .message = message};
    w.memory_bytes = request->memory_bytes > 0 ? request->memory_bytes
                                               : solver->valuation.settings.memory_bytes / 4;
    w.states_max = request->states_max > 0 ? request->states_max : UINT64_MAX;
    if (request->all && w.states_max > OG_EXPORT_ALL_STATES) {
        w.states_max = OG_EXPORT_ALL_STATES;
    }
    w.error = 1.01 * og_solver_relative_error(solver) + 0x1p-51; /* and of comparing */
    int threads = solver->valuation.settings.threads;
    if (request->all) {
        solver->valuation.settings.threads =
            1; /* many small questions: a team costs more than it saves */
    }
    status = walk_run(&w, &found);
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
