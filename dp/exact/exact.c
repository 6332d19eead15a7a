/*
 * The optimum and policies in fractions: doubles with proved errors select the actions that could
 * be best, fractions decide among those.
 */
#include "dp/exact/exact.h"

#include <stdlib.h>
#include <string.h>

#include "dp/arm/exact_names.h"
#include "dp/base/arena.h"
#include "dp/base/clock.h"
#include "dp/base/rational.h"
#include "dp/engine/settings.h"
#include "dp/exact/guide.h"
#include "dp/exact/recursion.h"
#include "dp/exact/table.h"
#include "dp/product/key_size.h"
#include "dp/product/uniform.h"

struct og_exact {
    og_arena arena;
    const og_arms *arms;
    const og_ranks *ranks; /* of a policy; NULL: the optimum */
    og_settings settings;
    bool merge;           /* reduction 2 is in use */
    og_classes *classes;  /* NULL: not needed yet */
    uint64_t fixed_bytes; /* arms and layers; prices and names are counted separately */
    og_exact_names *names;
    og_layers *layers;
    bool guided; /* `guide` is initialised */
    og_exact_guide guide;
    og_product product;
    og_model model; /* of the product */
    og_exact_table *table;
    uint64_t *key; /* [key_words_max] */
    double seconds;
    uint64_t expanded;
};

static uint64_t left_of(uint64_t limit, uint64_t used)
{
    return limit > used ? limit - used : 0;
}

static uint64_t bytes_held(const og_exact *exact)
{
    return exact->fixed_bytes + og_exact_names_bytes(exact->names) +
           (exact->guided ? og_exact_guide_bytes(&exact->guide) : 0) +
           og_exact_table_bytes(exact->table);
}

/* ---- building ---- */

static og_status build_product(og_exact *exact, const og_product_use *use, og_stop *stop,
                               og_message *message)
{
    uint64_t limit = exact->settings.memory_bytes;
    uint64_t rest = left_of(limit, exact->fixed_bytes + og_exact_names_bytes(exact->names));
    if (use->optimum && (use->reductions & OG_REDUCE_BOUND) != 0) {
        og_status status = og_exact_guide_init(&exact->guide, exact->arms, exact->layers, use,
                                               rest / 2, stop, message);
        if (status != OG_OK) {
            return status == OG_NO_MEMORY ? og_exact_out_of_limit(limit, message) : status;
        }
        exact->guided = true;
        rest -= rest / 2;
    }
    const og_prices *prices = exact->guided ? exact->guide.prices : NULL;
    og_product_use named = *use;
    named.names = exact->names;
    OG_TRY(og_product_init(&exact->product, exact->arms, exact->layers, prices, &named, message));
    exact->model = og_product_model(&exact->product);
    size_t words = (size_t)exact->product.key_words_max;
    exact->key = og_arena_array(&exact->arena, words, sizeof *exact->key);
    OG_TRY(og_arena_status(&exact->arena));
    og_status status = og_exact_table_new(rest, &exact->table);
    return status == OG_STOPPED ? og_exact_out_of_limit(limit, message) : status;
}

static og_status build(og_exact *exact, const og_product_use *use, og_message *message)
{
    const og_arms *arms = exact->arms;
    uint64_t limit = exact->settings.memory_bytes;
    exact->fixed_bytes = og_arms_bytes(arms);
    OG_TRY(og_key_size_check(arms, use, message));
    og_stop *stop = og_stop_of(&exact->settings);
    OG_TRY(
        og_exact_names_new(arms, left_of(limit, exact->fixed_bytes), stop, &exact->names, message));
    uint64_t used = exact->fixed_bytes + og_exact_names_bytes(exact->names);
    OG_TRY(og_layers_new(arms,
                         &(og_layers_use){.ranks = use->ranks,
                                          .merge = exact->merge,
                                          .ends = use->ends,
                                          .names = exact->names,
                                          .memory_bytes = left_of(limit, used),
                                          .stop = stop},
                         &exact->layers, message));
    exact->fixed_bytes += exact->layers->bytes;
    return build_product(exact, use, stop, message);
}

static og_status exact_new(const og_arms *arms, const og_product_use *use,
                           const og_settings *settings, og_exact **out, og_message *message)
{
    double start = og_seconds();
    if (settings->checkpoint != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--arithmetic exact does not support --checkpoint; omit it");
    }
    og_exact *exact = og_arena_new(sizeof *exact);
    OG_TRY(OG_ALLOCATED(exact));
    exact->arms = arms;
    exact->ranks = use->ranks;
    exact->merge = (use->reductions & OG_REDUCE_MERGE) != 0;
    exact->settings = og_settings_filled(settings);
    og_status status = build(exact, use, message);
    if (status != OG_OK) {
        og_exact_free(exact);
        return status;
    }
    exact->seconds = og_seconds() - start;
    *out = exact;
    return OG_OK;
}

og_status og_exact_new(const og_arms *arms, const og_settings *settings, og_exact **out,
                       og_message *message)
{
    og_product_use use = {.optimum = true, .reductions = settings->reductions};
    return exact_new(arms, &use, settings, out, message);
}

void og_exact_free(og_exact *exact)
{
    if (exact == NULL) {
        return;
    }
    og_exact_table_free(exact->table);
    og_product_clear(&exact->product);
    if (exact->guided) {
        og_exact_guide_clear(&exact->guide);
    }
    og_classes_free(exact->classes);
    og_layers_free(exact->layers);
    og_exact_names_free(exact->names);
    og_arena_free(exact);
}

/* The value of the state in exact->key, under the settings' limits. */
static og_status run(og_exact *exact, int32_t words, mpq_t gain, og_message *message)
{
    if (words == 0) {
        mpq_set_ui(gain, 0, 1);
        return OG_OK;
    }
    og_exact_work work = {.model = &exact->model,
                          .guide = exact->guided ? &exact->guide : NULL,
                          .table = exact->table,
                          .settings = &exact->settings,
                          .fixed_bytes = exact->fixed_bytes + og_exact_names_bytes(exact->names),
                          .expanded = exact->expanded};
    og_status status = og_exact_recursion(&work, exact->key, words, gain, message);
    exact->expanded = work.expanded;
    return status;
}

/* ---- answers ---- */

/* The fractions as doubles; out->error_bound exceeds the rounding errors. */
static void result_round(const mpq_t value, const mpq_t gain, og_result *out)
{
    out->value = og_nearest(value);
    out->gain = og_nearest(gain);
    out->error_bound = fmax(fabs(out->value), fabs(out->gain)) * 0x1p-53;
}

static void answer(const og_arms *arms, const mpq_t gain, mpq_ptr value_out, mpq_ptr gain_out,
                   og_result *result)
{
    mpq_t value;
    mpq_init(value);
    og_arms_exact_call(arms, value);
    mpq_add(value, value, gain);
    if (result != NULL) {
        result_round(value, gain, result);
    }
    if (value_out != NULL) {
        mpq_set(value_out, value);
    }
    if (gain_out != NULL) {
        mpq_set(gain_out, gain);
    }
    mpq_clear(value);
}

static void result_sizes(const og_exact *exact, double start, og_result *result)
{
    memset(result, 0, sizeof *result);
    result->states = og_exact_table_count(exact->table);
    result->expanded = exact->expanded + (exact->guided ? exact->guide.info.expanded : 0);
    result->memory_bytes = bytes_held(exact);
    result->seconds = og_seconds() - start + exact->seconds;
}

/* The current state: the classes of its groups now, and one label later. */
typedef struct {
    og_arena arena;
    const og_state_group *group; /* [count] */
    int32_t left;
    int32_t count;
    og_pair *pair; /* [count] */
    og_pair *down; /* [count] */
} exact_question;

/* Builds the classes of all nodes, when a state other than the first is given. */
static og_status need_classes(og_exact *exact, og_message *message)
{
    if (exact->classes != NULL) {
        return OG_OK;
    }
    OG_TRY(og_classes_new(
        exact->arms,
        &(og_layers_use){.ranks = exact->ranks,
                         .merge = exact->merge,
                         .names = exact->names,
                         .memory_bytes = left_of(exact->settings.memory_bytes, bytes_held(exact)),
                         .stop = og_stop_of(&exact->settings)},
        &exact->classes, message));
    exact->fixed_bytes += exact->classes->bytes;
    return OG_OK;
}

static og_status question_init(og_exact *exact, const og_state *state, exact_question *out,
                               og_message *message)
{
    *out = (exact_question){.group = state->group, .left = state->left, .count = state->count};
    OG_TRY(og_state_check(exact->arms, state, message));
    if (!og_state_is_first(exact->arms, state)) {
        OG_TRY(need_classes(exact, message));
    }
    out->pair = og_arena_array(&out->arena, (size_t)state->count, sizeof *out->pair);
    out->down = og_arena_array(&out->arena, (size_t)state->count, sizeof *out->down);
    if (!out->arena.failed) {
        og_product_pairs(&exact->product, exact->classes, state, out->pair, out->down);
    }
    return og_arena_status(&out->arena);
}

og_status og_exact_value(og_exact *exact, mpq_t value, mpq_t gain, og_result *result,
                         og_message *message)
{
    double start = og_seconds();
    const og_arms *arms = exact->arms;
    og_state state;
    exact_question question;
    int32_t words;
    OG_TRY(og_state_first(arms, &state));
    og_status status = question_init(exact, &state, &question, message);
    OG_THEN(status, og_product_key(&exact->product,
                                   &(og_pairs){arms->budget, question.pair, question.count, -1, 0},
                                   exact->key, &words, message));
    og_arena_clear(&question.arena);
    free((void *)state.group);
    mpq_t found;
    mpq_init(found);
    OG_THEN(status, run(exact, words, found, message));
    if (result != NULL && (status == OG_OK || status == OG_STOPPED)) {
        result_sizes(exact, start, result);
    }
    if (status == OG_OK) {
        answer(arms, found, value, gain, result);
    }
    mpq_clear(found);
    return status;
}

/* The state after an action of this cost, of which question->down has the classes. */
static og_pairs after(const exact_question *question, int32_t cost, int32_t moved, uint32_t to)
{
    return (og_pairs){question->left - cost, question->down, question->count, moved, to};
}

static og_status value_below(og_exact *exact, og_pairs at, mpq_t value, og_message *message)
{
    int32_t words;
    OG_TRY(og_product_key(&exact->product, &at, exact->key, &words, message));
    return run(exact, words, value, message);
}

/* Q of an action of the current layer for an instance of the group. */
static og_status action_q(og_exact *exact, const exact_question *question, int32_t group,
                          uint32_t action, mpq_t q, og_message *message)
{
    const og_layer *layer = &exact->layers->layer[question->left];
    uint32_t first = layer->outcome_first[action];
    uint32_t last = layer->outcome_first[action + 1];
    int32_t cost = og_layer_cost(layer, action);
    for (int32_t i = 0; exact->product.several && i < question->count; i++) {
        question->down[i].class =
            og_layers_down(exact->layers, question->left, question->pair[i].class, cost);
    }
    mpq_set(q, exact->names->reward.value[og_layer_reward_name(layer, action)]);
    if (first == last) { /* dead: the other instances do not depend on its outcome */
        return value_below(exact, after(question, cost, group, 0), q, message);
    }
    mpq_t value;
    mpq_init(value);
    og_status status = OG_OK;
    for (uint32_t k = first; status == OG_OK && k < last; k++) {
        status = value_below(exact, after(question, cost, group, layer->next[k]), value, message);
        mpq_mul(value, value,
                exact->names->probability.value[(uint32_t)layer->probability_name[k]]);
        mpq_add(q, q, value);
    }
    mpq_clear(value);
    return status;
}

/* Q of the best action; if there are several and none gains anything, the value of doing
 * nothing. */
static og_status group_q(og_exact *exact, const exact_question *question, int32_t group, mpq_t q,
                         og_message *message)
{
    const og_layer *layer = &exact->layers->layer[question->left];
    uint32_t class = question->pair[group].class;
    if (!exact->product.several) {
        return action_q(exact, question, group, class, q, message);
    }
    mpq_t other;
    mpq_init(other);
    og_status status = value_below(exact, after(question, 1, -1, 0), q, message);
    for (uint32_t i = layer->action_first[class]; i < layer->action_first[class + 1]; i++) {
        OG_THEN(status, action_q(exact, question, group, i, other, message));
        if (status == OG_OK && mpq_cmp(other, q) > 0) {
            mpq_swap(other, q);
        }
    }
    mpq_clear(other);
    return status;
}

/* Adds the values of an action's outcomes; question->down is for its cost. */
static og_status add_outcomes(og_exact *exact, const exact_question *question, int32_t group,
                              uint32_t action, int32_t cost, mpq_t sum, og_message *message)
{
    int32_t a = question->group[group].arm;
    const og_arm *arm = exact->arms->arm[a];
    const og_exact_names *names = exact->names;
    mpq_t value;
    mpq_init(value);
    og_status status = OG_OK;
    for (int32_t k = 0; status == OG_OK && k < arm->outcome_count; k++) {
        size_t at = (size_t)action * (size_t)arm->outcome_count + (size_t)k;
        uint32_t to = og_classes_of(exact->classes, question->left - cost, a, arm->next[at]);
        status = value_below(exact, after(question, cost, group, to), value, message);
        mpq_mul(value, value, names->probability.value[names->probability_of[a][at]]);
        mpq_add(sum, sum, value);
    }
    mpq_clear(value);
    return status;
}

og_status og_exact_q_of_action(og_exact *exact, const og_state *state, int32_t group,
                               uint32_t action, mpq_t q, og_message *message)
{
    int32_t a = state->group[group].arm;
    const og_arm *arm = exact->arms->arm[a];
    int32_t cost = arm->cost == NULL ? 1 : arm->cost[action];
    if (cost > state->left) {
        return og_message_set(message, OG_BAD_INPUT, "this label costs more than the budget left");
    }
    exact_question question;
    mpq_t sum;
    OG_TRY(need_classes(exact, message));
    mpq_init(sum);
    og_status status = question_init(exact, state, &question, message);
    for (int32_t i = 0; status == OG_OK && i < question.count; i++) {
        question.down[i].class =
            og_layers_down(exact->layers, question.left, question.pair[i].class, cost);
    }
    mpq_set(sum, exact->names->reward.value[exact->names->reward_of[a][action]]);
    if (status == OG_OK && cost < state->left) {
        status = add_outcomes(exact, &question, group, action, cost, sum, message);
    }
    if (status == OG_OK) {
        mpq_set(q, sum);
    }
    mpq_clear(sum);
    og_arena_clear(&question.arena);
    return status;
}

static og_status all_q(og_exact *exact, const exact_question *question, mpq_t *q,
                       og_message *message)
{
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < question->count; i++) {
        int32_t same = og_product_alike(&exact->product, question->pair, i);
        if (same < i) {
            mpq_set(q[i], q[same]); /* equivalent instances have the same Q */
        } else {
            status = group_q(exact, question, i, q[i], message);
        }
    }
    if (status != OG_OK && exact->ranks != NULL) {
        og_ranks_failure(exact->ranks, message);
    }
    return status;
}

og_status og_exact_q_at(og_exact *exact, const og_state *state, mpq_t *q, og_message *message)
{
    if (state->left < 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "with no labels left there is nothing to choose");
    }
    exact_question question;
    og_status status = question_init(exact, state, &question, message);
    mpq_t *found = og_arena_fractions(&question.arena, (size_t)state->count);
    OG_THEN(status, found == NULL ? OG_NO_MEMORY : all_q(exact, &question, found, message));
    for (int32_t i = 0; status == OG_OK && i < state->count; i++) {
        mpq_set(q[i], found[i]);
    }
    og_arena_clear(&question.arena);
    return status;
}

og_status og_exact_q(og_exact *exact, mpq_t *q, og_message *message)
{
    og_state state;
    OG_TRY(og_state_first(exact->arms, &state));
    og_status status = og_exact_q_at(exact, &state, q, message);
    free((void *)state.group);
    return status;
}

/* ---- any instance, whatever its labels (dp/product/uniform.h) ---- */

/*
 * gain = sum over instances i and labels n of  P(Binomial(T, 1/K) >= n) * (expected reward of the
 * n-th label of i). Takes O(nodes) additions of fractions.
 */

/* The expected reward of the label given at level n, and the probabilities of the level after
 * it. */
static void uniform_step(const og_arms *arms, const og_exact_names *names, int32_t a, int32_t n,
                         mpq_t *here, mpq_t *next, mpq_t reward)
{
    const og_arm *arm = arms->arm[a];
    mpq_t term;
    mpq_init(term);
    mpq_set_ui(reward, 0, 1);
    for (uint32_t node = arm->level[n]; node < arm->level[n + 1]; node++) {
        mpq_ptr chance = here[node - arm->level[n]];
        uint32_t name = names->reward_of[a][node];
        if (name != 0) {
            mpq_mul(term, chance, names->reward.value[name]);
            mpq_add(reward, reward, term);
        }
        for (int32_t k = 0; k < arm->outcome_count; k++) {
            size_t at = (size_t)node * (size_t)arm->outcome_count + (size_t)k;
            mpq_ptr to = next[arm->next[at] - arm->level[n + 1]];
            mpq_mul(term, chance, names->probability.value[names->probability_of[a][at]]);
            mpq_add(to, to, term);
        }
    }
    mpq_clear(term);
}

/* The gain of one instance of the arm: tail[n] is the probability that it gets more than n labels.
 */
static og_status uniform_gain_of(const og_arms *arms, const og_exact_names *names, int32_t a,
                                 mpq_t *tail, mpq_t gain)
{
    const og_arm *arm = arms->arm[a];
    og_arena levels[2] = {{0}}; /* the probabilities of one level, and of the next */
    mpq_t *here = og_arena_fractions(&levels[0], 1);
    og_status status = og_arena_status(&levels[0]);
    mpq_t reward;
    mpq_init(reward);
    mpq_set_ui(gain, 0, 1);
    if (status == OG_OK) {
        mpq_set_ui(here[0], 1, 1);
    }
    for (int32_t n = 0; status == OG_OK && n < arm->depth; n++) {
        og_arena *below = &levels[(n + 1) % 2];
        mpq_t *next = og_arena_fractions(below, arm->level[n + 2] - arm->level[n + 1]);
        status = og_arena_status(below);
        if (status == OG_OK) {
            uniform_step(arms, names, a, n, here, next, reward);
            mpq_mul(reward, reward, tail[n]);
            mpq_add(gain, gain, reward);
        }
        og_arena_clear(&levels[n % 2]);
        here = next;
    }
    og_arena_clear(&levels[0]);
    og_arena_clear(&levels[1]);
    mpq_clear(reward);
    return status;
}

/* tail[n] = P(Binomial(count, 1/instances) > n) = sum over m > n of C(count, m) (K-1)^(count-m) /
 * K^count, added up from the last. */
static void binomial_tails(int32_t count, int64_t instances, mpq_t *tail)
{
    mpz_t sum, term, power, whole;
    mpz_inits(sum, term, power, whole, NULL);
    mpz_set_ui(power, 1);
    mpz_ui_pow_ui(whole, (uint32_t)instances, (uint32_t)count);
    for (int32_t n = count - 1; n >= 0; n--) { /* m = n + 1, power = (K-1)^(count-m) */
        mpz_bin_uiui(term, (uint32_t)count, (uint32_t)n + 1);
        mpz_addmul(sum, term, power);
        mpq_set_num(tail[n], sum);
        mpq_set_den(tail[n], whole);
        mpq_canonicalize(tail[n]);
        mpz_mul_ui(power, power, (uint32_t)instances - 1);
    }
    mpz_clears(sum, term, power, whole, NULL);
}

static og_status uniform_gain(const og_arms *arms, const og_exact_names *names, mpq_t gain)
{
    og_arena arena = {0};
    mpq_t *tail = og_arena_fractions(&arena, (size_t)arms->budget + 1);
    og_status status = og_arena_status(&arena);
    mpq_t sum, part;
    mpq_inits(sum, part, NULL);
    if (status == OG_OK) {
        binomial_tails(arms->budget, og_arms_instances(arms), tail);
    }
    for (int32_t a = 0; status == OG_OK && a < arms->arm_count; a++) {
        status = uniform_gain_of(arms, names, a, tail, part);
        og_add_multiple(sum, og_arms_copies(arms, a), part);
    }
    if (status == OG_OK) {
        mpq_set(gain, sum);
    }
    mpq_clears(sum, part, NULL);
    og_arena_clear(&arena);
    return status;
}

/* Visits no state. */
static og_status uniform_value(const og_arms *arms, const og_settings *settings, mpq_t value,
                               mpq_t gain, og_result *result, og_message *message)
{
    double start = og_seconds();
    og_settings own = og_settings_filled(settings);
    og_exact_names *names;
    uint64_t used = og_arms_bytes(arms);
    OG_TRY(og_exact_names_new(arms, left_of(own.memory_bytes, used), og_stop_of(&own), &names,
                              message));
    mpq_t found;
    mpq_init(found);
    og_status status = uniform_gain(arms, names, found);
    if (status == OG_OK) {
        if (result != NULL) {
            memset(result, 0, sizeof *result);
            result->memory_bytes = used + og_exact_names_bytes(names);
        }
        answer(arms, found, value, gain, result);
        if (result != NULL) {
            result->seconds = og_seconds() - start;
        }
    }
    mpq_clear(found);
    og_exact_names_free(names);
    return status;
}

static og_status new_policy(const og_ranks_play *play, const og_play_worth *worth,
                            const og_settings *settings, og_exact **out, og_message *message)
{
    og_product_use use = {.ties = play->ties,
                          .ranks = play->ranks,
                          .ends = worth != NULL,
                          .reductions = settings->reductions};
    og_settings own = *settings;
    own.checkpoint = NULL;
    if (worth != NULL) {
        use.worth = *worth;
    }
    return exact_new(play->arms, &use, &own, out, message);
}

og_status og_exact_new_policy(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                              const og_settings *settings, og_exact **out, og_message *message)
{
    return new_policy(&(og_ranks_play){arms, ranks, ties}, NULL, settings, out, message);
}

og_status og_exact_policy_value_of(const og_ranks_play *play, const og_play_worth *worth,
                                   const og_settings *settings, og_value_found *out,
                                   og_message *message)
{
    og_exact *exact = NULL;
    OG_TRY(new_policy(play, worth, settings, &exact, message));
    og_status status = og_exact_value(exact, out->value, out->gain, &out->result, message);
    if (status != OG_OK) {
        og_ranks_failure(play->ranks, message);
    }
    og_exact_free(exact);
    return status;
}

og_status og_exact_policy_value(const og_ranks_play *play, const og_settings *settings, mpq_t value,
                                mpq_t gain, og_result *result, og_message *message)
{
    const og_arms *arms = play->arms;
    if (play->ties == OG_TIES_RANDOM && arms->group_count > 0 &&
        og_ranks_are_uniform(arms, play->ranks)) {
        return uniform_value(arms, settings, value, gain, result, message);
    }
    og_value_found found = {.value = value, .gain = gain};
    og_status status = og_exact_policy_value_of(play, &(og_play_worth){.labels = false}, settings,
                                                &found, message);
    if (result != NULL && (status == OG_OK || status == OG_STOPPED)) {
        *result = found.result;
    }
    return status;
}
