/*
 * Keys: a word (workers to come, kind), then one word (class + 1, copies) for each pair. Pairs are
 * sorted by class and merged, or in the order of instances, one for each.
 */
#include "dp/families/delayed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/engine/valuation.h"

enum { ORDERED_WORDS_MAX = OG_KEY_WORDS_MAX - 1 };

typedef enum { AT_ARRIVAL, BETWEEN } kind_of_state;

typedef struct {
    uint32_t class;
    uint32_t copies;
} pair;

/* The state an expansion shows, and room for a successor. */
typedef struct {
    int32_t left;
    kind_of_state kind;
    int32_t count;
    pair *pairs; /* [pairs_max] */
    pair *after; /* [pairs_max + 1] */
} scratch;

#define ARRIVAL UINT32_MAX /* og_outcome.from */

og_status og_delay_check(const og_delay *delay, og_message *message)
{
    double arrival = og_fraction_double(delay->arrival_rate);
    double service = og_fraction_double(delay->service_rate);
    if (!(arrival >= OG_RATE_MIN && arrival <= OG_RATE_MAX)) {
        return og_message_set(message, OG_BAD_INPUT, "the arrival rate must lie between %g and %g",
                              OG_RATE_MIN, OG_RATE_MAX);
    }
    if (!(service >= OG_RATE_MIN && service <= OG_RATE_MAX)) {
        return og_message_set(message, OG_BAD_INPUT, "the service rate must lie between %g and %g",
                              OG_RATE_MIN, OG_RATE_MAX);
    }
    return OG_OK;
}

static int64_t instances_of(const og_arms *arms)
{
    int64_t sum = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        sum += arms->group_size[g];
    }
    return sum;
}

og_status og_delayed_init(og_delayed *problem, const og_arms *arms, const og_delay *delay,
                          const og_delayed_use *use, og_message *message)
{
    og_status status = og_delay_check(delay, message);
    if (status != OG_OK) {
        return status;
    }
    bool optimum = use->rank == NULL;
    bool merge = (use->reductions & OG_REDUCE_MERGE) != 0;
    bool ordered =
        (use->reductions & OG_REDUCE_SORT) == 0 || (!optimum && use->ties == OG_TIES_FIRST);
    og_delayed made = {.arms = arms,
                       .arrival_rate = og_fraction_double(delay->arrival_rate),
                       .service_rate = og_fraction_double(delay->service_rate),
                       .optimum = optimum,
                       .ties = use->ties,
                       .ordered = ordered,
                       .drop = optimum && merge,
                       .cap = optimum && !ordered && (use->reductions & OG_REDUCE_CAP) != 0};
    /* Whoever was never given a worker is in the class of an arm's node 0. */
    int64_t instances = instances_of(arms);
    int64_t pairs = (int64_t)arms->arm_count + arms->budget;
    pairs = ordered || instances < pairs ? instances : pairs;
    if (pairs > ORDERED_WORDS_MAX || instances > UINT32_MAX - 1) {
        return og_message_set(message, OG_STOPPED,
                              "states of %lld instances that all differ cannot be remembered: at "
                              "most %d can",
                              (long long)pairs, (int)ORDERED_WORDS_MAX);
    }
    made.pairs_max = (int32_t)pairs;
    made.key_words_max = made.pairs_max + 1;
    const og_delayed_layers_use classes = {.rank = use->rank,
                                           .rank_self = use->rank_self,
                                           .merge = merge,
                                           .memory_bytes = use->memory_bytes};
    status = og_delayed_layers_new(arms, &classes, &made.layers, message);
    if (status == OG_OK) {
        *problem = made;
    }
    return status;
}

void og_delayed_clear(og_delayed *problem)
{
    og_delayed_layers_free(problem->layers);
    memset(problem, 0, sizeof *problem);
}

/* ---- keys ---- */

static int compare_pairs(const void *left, const void *right)
{
    uint32_t a = ((const pair *)left)->class, b = ((const pair *)right)->class;
    return (a > b) - (a < b);
}

/* Few pairs, nearly sorted. */
static void sort_pairs(pair *pairs, int32_t count)
{
    if (count > 32) {
        qsort(pairs, (size_t)count, sizeof *pairs, compare_pairs);
        return;
    }
    for (int32_t i = 1; i < count; i++) {
        pair moved = pairs[i];
        int32_t at = i;
        for (; at > 0 && pairs[at - 1].class > moved.class; at--) {
            pairs[at] = pairs[at - 1];
        }
        pairs[at] = moved;
    }
}

/*
 * The canonical key of the state with these pairs, which are spoilt; 0 words if nothing can be
 * earned. A state between events at which nothing goes on waits for the arrival only.
 */
static int32_t write_key(const og_delayed *p, int32_t left, kind_of_state kind, pair *pairs,
                         int32_t count, uint64_t *key)
{
    const og_delayed_layer *layer = &p->layers->layer[left];
    if (left == 0) {
        return 0;
    }
    if (!p->ordered) {
        sort_pairs(pairs, count);
    }
    bool alive = false, moves = false;
    int32_t words = 1;
    for (int32_t i = 0; i < count; i++) {
        pair now = pairs[i];
        while (!p->ordered && i + 1 < count && pairs[i + 1].class == now.class) {
            now.copies += pairs[++i].copies;
        }
        bool still = layer->rate_total[now.class] == 0;
        if (p->cap && still && now.copies > (uint32_t)left) {
            now.copies = (uint32_t)left;
        }
        alive = alive || layer->alive[now.class];
        if (now.copies == 0 || (p->drop && now.class == 0)) {
            continue;
        }
        moves = moves || !still;
        key[words++] = (uint64_t)(now.class + 1) << 32 | now.copies;
    }
    if (!alive) {
        return 0;
    }
    key[0] = (uint64_t)left << 1 | (uint64_t)(moves ? kind : AT_ARRIVAL);
    return words;
}

og_status og_delayed_key(const og_delayed *problem, int32_t group, uint64_t *key, int32_t *words,
                         double *reward)
{
    const og_arms *arms = problem->arms;
    const og_delayed_layers *layers = problem->layers;
    const og_delayed_layer *top = &layers->layer[layers->workers];
    size_t room = problem->ordered ? (size_t)problem->pairs_max : (size_t)arms->group_count;
    pair *pairs = calloc(room + 2, sizeof *pairs);
    if (pairs == NULL) {
        return OG_NO_MEMORY;
    }
    int32_t count = 0;
    double earned = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        uint32_t class = layers->root[arms->arm_of_group[g]];
        uint32_t down = group >= 0 ? top->down[class] : class;
        uint32_t copies = (uint32_t)arms->group_size[g];
        if (g == group) {
            earned = top->reward[class];
            pairs[count++] = (pair){top->given[class], 1};
            copies--;
        }
        for (; problem->ordered && copies > 0; copies--) {
            pairs[count++] = (pair){down, 1};
        }
        if (copies > 0) {
            pairs[count++] = (pair){down, copies};
        }
    }
    *reward = earned;
    *words = write_key(problem, layers->workers - (group >= 0), group >= 0 ? BETWEEN : AT_ARRIVAL,
                       pairs, count, key);
    free(pairs);
    return OG_OK;
}

static int32_t successor(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    const og_delayed *p = self;
    const scratch *s = expansion->scratch;
    const og_delayed_layer *layer = &p->layers->layer[s->left];
    bool arrival = s->kind == AT_ARRIVAL;
    int32_t count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        pair now = s->pairs[i];
        if (arrival) {
            now.class = layer->down[now.class];
        }
        if ((uint32_t)i == outcome->from) {
            s->after[count++] = (pair){outcome->to, 1};
            now.copies--;
        }
        if (now.copies > 0) {
            s->after[count++] = now;
        }
    }
    kind_of_state kind = outcome->from == ARRIVAL ? AT_ARRIVAL : BETWEEN;
    int32_t words = write_key(p, s->left - arrival, kind, s->after, count, key);
    if (words == 0) {
        *value = 0;
    }
    return words;
}

/* ---- expansion ---- */

static void expand_chances(const og_delayed *p, const scratch *s, og_expansion *expansion)
{
    const og_delayed_layer *layer = &p->layers->layer[s->left];
    double at_work = 0;
    for (int32_t i = 0; i < s->count; i++) {
        at_work += s->pairs[i].copies * layer->rate_total[s->pairs[i].class];
    }
    double q = p->arrival_rate + p->service_rate * at_work;
    int32_t count = 0;
    expansion->outcome[count++] =
        (og_outcome){.probability = p->arrival_rate / q, .bound = INFINITY, .from = ARRIVAL};
    for (int32_t i = 0; i < s->count; i++) {
        uint32_t class = s->pairs[i].class;
        for (uint32_t k = layer->first[class]; k < layer->first[class + 1]; k++) {
            expansion->outcome[count++] = (og_outcome){
                .probability = p->service_rate * (s->pairs[i].copies * layer->rate[k]) / q,
                .bound = INFINITY,
                .from = (uint32_t)i,
                .to = layer->to[k]};
        }
    }
    expansion->combine = OG_COMBINE_MEAN;
    expansion->action_count = 1;
    expansion->action[0] =
        (og_action){.weight = 1, .bound = INFINITY, .outcome_first = 0, .outcome_count = count};
}

static uint32_t largest_rank(const scratch *s, const og_delayed_layer *layer)
{
    uint32_t most = 0;
    for (int32_t i = 0; i < s->count; i++) {
        uint32_t rank = layer->rank[s->pairs[i].class];
        most = rank > most ? rank : most;
    }
    return most;
}

static void expand_actions(const og_delayed *p, const scratch *s, og_expansion *expansion)
{
    static const og_combine combine_of[OG_TIES_COUNT] = {
        [OG_TIES_RANDOM] = OG_COMBINE_MEAN,
        [OG_TIES_FIRST] = OG_COMBINE_MEAN,
        [OG_TIES_BEST] = OG_COMBINE_MAX,
        [OG_TIES_WORST] = OG_COMBINE_MIN,
    };
    const og_delayed_layer *layer = &p->layers->layer[s->left];
    uint32_t most = p->optimum ? 0 : largest_rank(s, layer);
    bool one = !p->optimum && p->ties == OG_TIES_FIRST;
    int32_t count = 0;
    for (int32_t i = 0; i < s->count && !(one && count == 1); i++) {
        uint32_t class = s->pairs[i].class;
        if (!p->optimum && layer->rank[class] != most) {
            continue;
        }
        expansion->outcome[count] = (og_outcome){
            .probability = 1, .bound = INFINITY, .from = (uint32_t)i, .to = layer->given[class]};
        expansion->action[count] = (og_action){.reward = layer->reward[class],
                                               .weight = s->pairs[i].copies,
                                               .bound = INFINITY,
                                               .outcome_first = count,
                                               .outcome_count = 1};
        count++;
    }
    expansion->combine = p->optimum ? OG_COMBINE_MAX : combine_of[p->ties];
    expansion->action_count = count;
}

static og_status expand(const void *self, const uint64_t *key, int32_t words,
                        og_expansion *expansion)
{
    const og_delayed *p = self;
    scratch *s = expansion->scratch;
    s->left = (int32_t)(key[0] >> 1);
    s->kind = (kind_of_state)(key[0] & 1);
    s->count = words - 1;
    for (int32_t i = 0; i < s->count; i++) {
        s->pairs[i] = (pair){(uint32_t)(key[i + 1] >> 32) - 1, (uint32_t)key[i + 1]};
    }
    if (s->kind == BETWEEN) {
        expand_chances(p, s, expansion);
    } else {
        expand_actions(p, s, expansion);
    }
    return OG_OK;
}

static void expansion_free(og_expansion *expansion)
{
    scratch *s = expansion->scratch;
    if (s != NULL) {
        free(s->pairs);
        free(s->after);
    }
    free(s);
    free(expansion->action);
    free(expansion->outcome);
    memset(expansion, 0, sizeof *expansion);
}

static int32_t outcomes_max(const og_delayed *p)
{
    return 1 + p->pairs_max * p->layers->outcome_max;
}

static og_status expansion_new(const void *self, og_expansion *expansion)
{
    const og_delayed *p = self;
    size_t pairs = (size_t)p->pairs_max;
    memset(expansion, 0, sizeof *expansion);
    expansion->action = calloc(pairs + 1, sizeof *expansion->action);
    expansion->outcome = calloc((size_t)outcomes_max(p), sizeof *expansion->outcome);
    scratch *s = calloc(1, sizeof *s);
    expansion->scratch = s;
    if (s != NULL) {
        s->pairs = calloc(pairs + 1, sizeof *s->pairs);
        s->after = calloc(pairs + 2, sizeof *s->after);
    }
    if (expansion->action != NULL && expansion->outcome != NULL && s != NULL && s->pairs != NULL &&
        s->after != NULL) {
        return OG_OK;
    }
    expansion_free(expansion);
    return OG_NO_MEMORY;
}

uint64_t og_delayed_bytes(const og_delayed *problem)
{
    return problem->layers->bytes + og_arms_bytes(problem->arms);
}

og_model og_delayed_model(const og_delayed *problem)
{
    return (og_model){
        .self = problem,
        /* every worker arrives, is placed and ends */
        .depth_max = 3 * problem->layers->workers + 2,
        .outcomes_max = outcomes_max(problem),
        .key_words_max = problem->key_words_max,
        .expansion_new = expansion_new,
        .expansion_free = expansion_free,
        .expand = expand,
        .successor = successor,
    };
}

/*
 * Along a path of the process, U arrivals, U ends and U placements:
 * - a stored rate w p differs from the exact one by p_error + 2u with the sum over outcomes, rho
 *   and mu each by u: as if each event's probability were off by twice 2 (p_error + 4u);
 * - computing q, a probability and a term of the sum takes at most n + 8 roundings for n outcomes;
 * - a placement takes 2, its mean over the tied 3 more and one for each of them;
 * - D is off by what og_delayed_rewards says.
 */
double og_delayed_relative_error(const og_delayed *problem)
{
    const double u = 0x1p-53;
    double workers = problem->layers->workers;
    double p_error = 0, r_error = 0;
    for (int32_t a = 0; a < problem->arms->arm_count; a++) {
        p_error = fmax(p_error, problem->arms->arm[a]->probability_error);
        r_error = fmax(r_error, problem->arms->arm[a]->reward_error);
    }
    double outcomes = outcomes_max(problem);
    double event = 2 * (p_error + 4 * u) + u * (2 * outcomes + 10);
    double placement = u * (5 + problem->pairs_max);
    double reward = workers * (p_error + 2 * u) + r_error;
    return 1.02 * (workers * (2 * event + placement) + reward); /* 1.02: second order */
}

/* ---- values ---- */

og_status og_delayed_value(const og_delayed *problem, const og_settings *settings,
                           og_result *result, og_message *message)
{
    og_model model = og_delayed_model(problem);
    og_model_root root = {.model = &model,
                          .relative_error = og_delayed_relative_error(problem),
                          .fixed_bytes = og_delayed_bytes(problem)};
    uint64_t *key = calloc((size_t)problem->key_words_max, sizeof *key);
    double ignored;
    og_status status =
        key == NULL ? OG_NO_MEMORY : og_delayed_key(problem, -1, key, &root.words, &ignored);
    root.key = key;
    root.call = og_arms_call(problem->arms, &root.call_error);
    if (status == OG_OK) {
        status = og_model_value(&root, settings, result, message);
    }
    free(key);
    return status;
}

/* Q of each group, those of one arm once. */
static og_status value_groups(const og_delayed *problem, og_valuation *valuation, uint64_t *key,
                              double *q, og_message *message)
{
    const og_arms *arms = problem->arms;
    og_engine_info info = {0, 0};
    og_status status = OG_OK;
    for (int32_t g = 0; status == OG_OK && g < arms->group_count; g++) {
        int32_t same = 0, words;
        double reward, after;
        while (arms->arm_of_group[same] != arms->arm_of_group[g]) {
            same++;
        }
        if (same < g) {
            q[g] = q[same];
            continue;
        }
        status = og_delayed_key(problem, g, key, &words, &reward);
        if (status == OG_OK) {
            status = og_valuation_run(valuation, key, words, &after, &info, message);
        }
        if (status == OG_OK) {
            q[g] = reward + after;
        }
    }
    return status;
}

og_status og_delayed_q(const og_delayed *problem, const og_settings *settings, double *q,
                       double *error, og_message *message)
{
    const og_arms *arms = problem->arms;
    if (arms->budget < 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "with no workers to come there is nothing to choose");
    }
    og_model model = og_delayed_model(problem);
    og_valuation valuation = {.memo = NULL};
    size_t groups = (size_t)arms->group_count;
    uint64_t *key = calloc((size_t)problem->key_words_max, sizeof *key);
    double *found = calloc(groups + 1, sizeof *found);
    og_status status = key == NULL || found == NULL ? OG_NO_MEMORY : OG_OK;
    if (status == OG_OK) {
        status =
            og_valuation_init(&valuation, &model, settings, og_delayed_bytes(problem), message);
    }
    if (status == OG_OK) {
        status = value_groups(problem, &valuation, key, found, message);
    }
    for (size_t g = 0; status == OG_OK && g < groups; g++) {
        q[g] = found[g];
        error[g] = 1.01 * found[g] * og_delayed_relative_error(problem);
    }
    og_valuation_clear(&valuation);
    free(key);
    free(found);
    return status;
}
