/*
 * Follows a strategy with its belief through a model. A key consists of the model's first word, the
 * belief's words, the model's other words and, if there is a belief, a last word that is not 0.
 * `successor` returns no status, so an error inside it is recorded, and the next expansion ends the
 * work with it.
 */
#include "dp/engine/belief.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/clock.h"
#include "dp/base/parallel.h"
#include "dp/engine/engine.h"

enum { LAST_WORD = 1, LOOK_HISTORIES = 16, WALK_DECISIONS_MAX = 31 };

static const uint64_t histories_max = UINT64_C(1) << 31;
static const double chance_rounding = 1e-12;
static const double look_seconds = 0.1;

struct og_followed {
    og_model base;
    const og_strategy *by;
    og_ties ties;
    bool own; /* by->decide makes the final calls */
    og_guide guide;
    int32_t belief_words;
    int32_t branches;
    int32_t key_words_max; /* without the belief if nothing is remembered */

    og_followed *notes; /* itself, writable for the threads: */
    og_lock lock;
    og_message message; /* of the first failure; guarded by the lock */
    _Atomic int status;
    _Atomic uint64_t tolerance_ties;
};

/* The scratch of an expansion. */
typedef struct {
    og_arena arena;
    const og_followed *followed;
    og_expansion base;
    void *scratch;
    uint64_t *belief;  /* [belief_words] of the state */
    uint64_t *after;   /* [belief_words] of the latest successor */
    uint64_t *key;     /* [key_words_max] */
    og_act_open *open; /* [acts_max] */
    double *guided;    /* [acts_max] the guide's value of each action taken */
    double *answer; /* [acts_max + 1] then the weights of the model's actions, 0: not taken, and of
                     * stopping */
    double *decision; /* [decision_count] */
} view;

/* ---- asking the strategy ---- */

static void enter(const og_followed *w)
{
    if (!w->by->concurrent) {
        og_lock_take(&w->notes->lock);
    }
}

static void leave(const og_followed *w)
{
    if (!w->by->concurrent) {
        og_lock_release(&w->notes->lock);
    }
}

static og_status fail(const og_followed *w, og_status status, const og_message *message)
{
    og_lock_take(&w->notes->lock);
    if (w->status == OG_OK) {
        w->notes->message = *message;
        w->notes->status = (int)status;
    }
    og_lock_release(&w->notes->lock);
    return status;
}

static og_status status_of(const og_followed *w)
{
    return (og_status)w->status;
}

og_status og_followed_failure(og_followed *followed, og_message *message)
{
    if (status_of(followed) != OG_OK && message != NULL) {
        *message = followed->message;
    }
    return status_of(followed);
}

uint64_t og_followed_tolerance_ties(const og_followed *followed)
{
    const og_strategy *by = followed->by;
    return followed->tolerance_ties +
           (by->tolerance_ties != NULL ? by->tolerance_ties(by->self) : 0);
}

static const void *state_of(const og_followed *w, const view *s, const og_outcome *outcome)
{
    return w->base.state != NULL ? w->base.state(w->base.self, &s->base, outcome) : NULL;
}

/* Chooses in the state just expanded: the weights of its actions, and how to combine them. */
static og_status choose(const og_followed *w, view *s, og_combine *combine)
{
    const og_expansion *x = &s->base;
    const og_strategy *by = w->by;
    og_answer kind = OG_ANSWER_INDEX;
    og_message message;
    og_message_clear(&message);
    int32_t apart = 0;
    *combine = x->combine;
    for (int32_t a = 0; a < x->action_count; a++) {
        s->answer[a] = x->action[a].weight;
        s->open[a] = (og_act_open){w->base.act(w->base.self, x, &x->action[a]),
                                   (int64_t)x->action[a].weight};
    }
    if (x->combine != OG_COMBINE_MAX) { /* a chance event, not a decision */
        return OG_OK;
    }
    const og_strategy_view seen = {s->scratch, state_of(w, s, NULL), s->belief, s->open,
                                   x->action_count};
    s->answer[x->action_count] = -INFINITY;
    enter(w);
    og_status status = by->choose(by->self, &seen, s->answer, &kind, &message);
    leave(w);
    OG_THEN(status, og_strategy_weigh(by, kind, w->ties, s->open, x->action_count, s->answer,
                                      &apart, &message));
    if (status == OG_OK && s->answer[x->action_count] > 0) {
        status = og_message_set(&message, OG_BAD_INPUT,
                                "the policy stops, which an exact value does not support for this "
                                "problem; simulate supports it");
    }
    atomic_fetch_add_explicit(&w->notes->tolerance_ties, apart > 0, memory_order_relaxed);
    *combine = kind == OG_ANSWER_WEIGHTS  ? OG_COMBINE_MEAN
               : w->ties == OG_TIES_BEST  ? OG_COMBINE_MAX
               : w->ties == OG_TIES_WORST ? OG_COMBINE_MIN
                                          : OG_COMBINE_MEAN;
    return status == OG_OK ? OG_OK : fail(w, status, &message);
}

/* The belief after an outcome of the model's expansion; returns the probability of this branch, or
 * 0 if it failed. */
static double learn(const og_followed *w, const view *s, const og_outcome *outcome, int32_t branch,
                    void *after)
{
    const og_strategy *by = w->by;
    og_act act = {{0}};
    static const og_message message = {"the policy failed to learn an answer"};
    if (w->belief_words == 0) {
        return 1;
    }
    int32_t answer = w->base.answer(w->base.self, &s->base, outcome, &act);
    assert(answer != OG_ANSWER_SEVERAL); /* the model was made for this strategy */
    if (answer == OG_ANSWER_NONE) {
        memcpy(after, s->belief, (size_t)w->belief_words * sizeof *s->belief);
        return 1;
    }
    const og_strategy_view seen = {
        .scratch = s->scratch, .state = state_of(w, s, NULL), .belief = s->belief};
    enter(w);
    double chance = by->learn(by->self, &seen, act, answer, branch, after);
    leave(w);
    if (chance > 0 && chance <= 1 + chance_rounding) {
        return chance;
    }
    fail(w, OG_FAILED, &message);
    return 0;
}

/* The probabilities of the branches of one answer must add up to 1. */
static void check_coins(const og_followed *w, double left)
{
    static const og_message message = {
        "the probabilities of the policy's own draws do not add up to 1"};
    if (fabs(left) > chance_rounding && status_of(w) == OG_OK) {
        fail(w, OG_FAILED, &message);
    }
}

/* The value of a terminal state under the strategy's own calls. */
static double decide(const og_followed *w, const view *s, const og_outcome *outcome,
                     const void *belief)
{
    og_message message;
    og_message_clear(&message);
    const og_strategy_view seen = {
        .scratch = s->scratch, .state = state_of(w, s, outcome), .belief = belief};
    enter(w);
    og_status status = w->by->decide(w->by->self, &seen, s->decision, &message);
    leave(w);
    if (status != OG_OK) {
        fail(w, status, &message);
        return 0;
    }
    return w->base.score(w->base.self, &s->base, outcome, s->decision);
}

/* ---- keys ---- */

/* Inserts the belief into a key of the model. */
static int32_t join(const og_followed *w, const uint64_t *belief, uint64_t *key, int32_t words)
{
    size_t more = (size_t)w->belief_words;
    assert(words > 0 && words <= w->base.key_words_max);
    if (more == 0) {
        return words;
    }
    memmove(&key[1 + more], &key[1], ((size_t)words - 1) * sizeof *key);
    memcpy(&key[1], belief, more * sizeof *key);
    key[(size_t)words + more] = LAST_WORD;
    return words + w->belief_words + 1;
}

/* Copies the model's part of a key to s->key and the belief to s->belief. */
static int32_t split(const og_followed *w, const uint64_t *key, int32_t words, view *s)
{
    size_t more = (size_t)w->belief_words;
    int32_t rest = more == 0 ? words : words - w->belief_words - 1;
    assert(rest > 0);
    memcpy(s->belief, &key[1], more * sizeof *key);
    s->key[0] = key[0];
    memcpy(&s->key[1], &key[1 + more], ((size_t)rest - 1) * sizeof *key);
    return rest;
}

static og_belief belief_at(const og_followed *w, void *at)
{
    const og_strategy *by = w->by;
    return (og_belief){at, by->belief_bytes, {by->item_bytes[0], by->item_bytes[1]}};
}

/* The model's successor; moves its records in `after` too. */
static int32_t next(const og_followed *w, const view *s, const og_outcome *outcome, void *after,
                    uint64_t *key, double *value)
{
    og_belief belief = belief_at(w, after);
    if (w->belief_words == 0 || w->base.successor_with == NULL) {
        return w->base.successor(w->base.self, &s->base, outcome, key, value);
    }
    return w->base.successor_with(w->base.self, &s->base, outcome, &belief, key, value);
}

/* ---- the model ---- */

static int32_t successor_by(const og_followed *w, const og_expansion *expansion,
                            const og_outcome *outcome, bool own, uint64_t *key, double *value)
{
    const view *s = expansion->scratch;
    const og_outcome *base = &s->base.outcome[outcome->from];
    if (w->belief_words == 0 && !own) {
        return w->base.successor(w->base.self, &s->base, base, key, value);
    }
    double chance = learn(w, s, base, (int32_t)outcome->to, s->after);
    if (w->branches == 1) {
        check_coins(w, 1 - chance);
    }
    if (status_of(w) != OG_OK) {
        *value = 0;
        return 0;
    }
    int32_t words = next(w, s, base, s->after, key, value);
    if (words == 0 && own) {
        *value = decide(w, s, base, s->after);
    }
    return words > 0 ? join(w, s->after, key, words) : 0;
}

static int32_t successor(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    const og_followed *w = self;
    return successor_by(w, expansion, outcome, w->own, key, value);
}

/* Adds the outcomes of an action of the model, one for each branch of the strategy's coins. */
static void add_outcomes(const og_followed *w, const view *s, const og_action *action,
                         og_expansion *x, int32_t *count)
{
    for (int32_t k = 0; k < action->outcome_count; k++) {
        uint32_t from = (uint32_t)(action->outcome_first + k);
        const og_outcome *o = &s->base.outcome[from];
        double left = 1;
        for (int32_t b = 0; b < w->branches && left > chance_rounding; b++) {
            double chance = w->branches == 1 ? 1 : learn(w, s, o, b, s->after);
            x->outcome[(*count)++] = (og_outcome){.probability = o->probability * chance,
                                                  .bound = o->bound,
                                                  .from = from,
                                                  .to = (uint32_t)b};
            left -= chance;
        }
        check_coins(w, left);
    }
}

/* The model's actions of positive weight. */
static void fill_expansion(const og_followed *w, view *s, og_combine combine, og_expansion *x)
{
    int32_t outcomes = 0;
    x->combine = combine;
    x->action_count = 0;
    for (int32_t a = 0; a < s->base.action_count; a++) {
        if (s->answer[a] > 0) {
            og_action *action = &x->action[x->action_count++];
            *action = s->base.action[a];
            action->weight = s->answer[a];
            action->outcome_first = outcomes;
            add_outcomes(w, s, &s->base.action[a], x, &outcomes);
            action->outcome_count = outcomes - action->outcome_first;
        }
    }
    assert(x->action_count > 0);
}

/* Two values under a policy's own calls that tie: rounding must not choose between them. */
static bool tie(double x, double y)
{
    const double rounding = 1e-11;
    return fabs(x - y) <= rounding * fmax(fabs(x), fabs(y));
}

/* Keeps the actions that the guide's values choose; of tied ones, those that the exact posterior's
 * values choose. */
static og_status follow_guide(const og_followed *w, view *s, og_expansion *x)
{
    const og_engine_use one = {.threads = 1};
    double best = 0;
    int32_t left = 0;
    for (int32_t a = 0; a < x->action_count; a++) {
        double sum = x->action[a].reward;
        for (int32_t k = 0; k < x->action[a].outcome_count; k++) {
            const og_outcome *o = &x->outcome[x->action[a].outcome_first + k];
            double value = 0;
            og_engine_info info = {0, 0};
            int32_t words = successor_by(w, x, o, true, s->key, &value);
            if (words > 0) {
                OG_TRY(og_engine_value(w->guide.model, w->guide.memo, &one, s->key, words, &value,
                                       &info));
            }
            sum += o->probability * value;
        }
        s->guided[a] = sum;
        if (a == 0 || (x->combine == OG_COMBINE_MAX ? sum > best : sum < best)) {
            best = sum;
        }
    }
    for (int32_t a = 0; a < x->action_count; a++) {
        if (tie(s->guided[a], best)) {
            x->action[left++] = x->action[a];
        }
    }
    x->action_count = left;
    return OG_OK;
}

static og_status expand(const void *self, const uint64_t *key, int32_t words,
                        og_expansion *expansion)
{
    const og_followed *w = self;
    view *s = expansion->scratch;
    og_combine combine;
    OG_TRY(status_of(w));
    int32_t rest = split(w, key, words, s);
    OG_TRY(w->base.expand(w->base.self, s->key, rest, &s->base));
    bool chosen = s->base.combine == OG_COMBINE_MAX;
    OG_TRY(choose(w, s, &combine));
    fill_expansion(w, s, combine, expansion);
    bool guided = w->guide.model != NULL && chosen && combine != OG_COMBINE_MEAN;
    return guided && expansion->action_count > 1 ? follow_guide(w, s, expansion) : status_of(w);
}

/* Writes the model's key of the root and begins its belief: in the given order, and in that of the
 * key. */
static int32_t root_with_belief(const og_followed *w, const view *s, void *given, void *renamed,
                                uint64_t *key, double *value)
{
    const og_strategy *by = w->by;
    og_belief belief = belief_at(w, renamed);
    og_message message = {""};
    *value = 0;
    if (w->belief_words > 0) {
        og_status status = og_strategy_begin(by, s->scratch, given, &message);
        if (status != OG_OK) {
            fail(w, status, &message);
            return 0;
        }
        memmove(renamed, given, (size_t)w->belief_words * sizeof(uint64_t));
    }
    int32_t words =
        w->base.root(w->base.self, &s->base, w->belief_words > 0 ? &belief : NULL, key, value);
    if (words == 0 && w->own) {
        *value = decide(w, s, NULL, renamed);
    }
    return words;
}

static int32_t root(const void *self, const og_expansion *expansion, og_belief *unused,
                    uint64_t *key, double *value)
{
    const og_followed *w = self;
    const view *s = expansion->scratch;
    (void)unused;
    int32_t words = root_with_belief(w, s, s->belief, s->after, key, value);
    return words > 0 ? join(w, s->after, key, words) : 0;
}

static void expansion_free(og_expansion *expansion)
{
    view *s = expansion->scratch;
    if (s->base.action != NULL) {
        s->followed->base.expansion_free(&s->base);
    }
    og_arena_free(s);
    memset(expansion, 0, sizeof *expansion);
}

static og_status expansion_new(const void *self, og_expansion *expansion)
{
    const og_followed *w = self;
    size_t acts = (size_t)w->base.acts_max, words = (size_t)w->belief_words;
    size_t outcomes = acts * (size_t)w->base.outcomes_max * (size_t)w->branches;
    view *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    og_arena *arena = &s->arena;
    s->followed = w;
    s->scratch = og_arena_array(arena, w->by->scratch_bytes, 1);
    s->belief = og_arena_array(arena, words, sizeof *s->belief);
    s->after = og_arena_array(arena, words, sizeof *s->after);
    s->key = og_arena_array(arena, (size_t)w->key_words_max, sizeof *s->key);
    s->open = og_arena_array(arena, acts, sizeof *s->open);
    s->answer = og_arena_array(arena, acts + 1, sizeof *s->answer);
    s->guided = og_arena_array(arena, acts, sizeof *s->guided);
    s->decision = og_arena_array(arena, (size_t)w->base.decision_count, sizeof *s->decision);
    *expansion =
        (og_expansion){.action = og_arena_array(arena, acts, sizeof *expansion->action),
                       .outcome = og_arena_array(arena, outcomes, sizeof *expansion->outcome),
                       .scratch = s};
    og_status status = og_arena_status(arena);
    if (status == OG_OK) {
        status = w->base.expansion_new(w->base.self, &s->base);
        s->base.action = status == OG_OK ? s->base.action : NULL;
    }
    if (status != OG_OK) {
        expansion_free(expansion);
    }
    return status;
}

og_status og_followed_new(const og_model *model, const og_value_asked *question, bool own,
                          const og_guide *guide, og_followed **out, og_message *message)
{
    const og_strategy *by = question->by;
    assert(model->act != NULL && model->acts_max > 0 && by->choose != NULL);
    assert(by->belief_bytes == 0 || (by->begin != NULL && by->learn != NULL));
    size_t words = (by->belief_bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    size_t key = (size_t)model->key_words_max + (words > 0 && !by->forest ? words + 1 : 0);
    if (words > INT32_MAX / 2 || key > OG_KEY_WORDS_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "states with a belief of %zu bytes are too large to store",
                              by->belief_bytes);
    }
    og_followed *made = calloc(1, sizeof *made);
    OG_TRY(OG_ALLOCATED(made));
    *made = (og_followed){.base = *model,
                          .by = by,
                          .ties = question->ties,
                          .own = own && by->decide != NULL,
                          .guide = guide != NULL ? *guide : (og_guide){NULL, NULL},
                          .belief_words = (int32_t)words,
                          .branches = by->branches_max > 1 ? by->branches_max : 1,
                          .key_words_max = (int32_t)key,
                          .notes = made};
    og_lock_init(&made->lock);
    *out = made;
    return OG_OK;
}

void og_followed_free(og_followed *followed)
{
    if (followed != NULL) {
        og_lock_clear(&followed->lock);
    }
    free(followed);
}

og_model og_followed_model(const og_followed *followed)
{
    return (og_model){.self = followed,
                      .depth_max = followed->base.depth_max,
                      .outcomes_max = followed->base.outcomes_max * followed->branches,
                      .key_words_max = followed->key_words_max,
                      .margin = followed->base.margin,
                      .expansion_new = expansion_new,
                      .expansion_free = expansion_free,
                      .expand = expand,
                      .successor = successor,
                      .root = root};
}

/* ---- histories ---- */

/* The values of a history under the strategy's own calls and under those of the exact posterior. */
typedef struct {
    double own;
    double exact;
} both_values;

typedef struct {
    const og_followed *followed;
    const og_settings *settings;
    og_message *message;
    double start, looked;
    uint64_t histories;
    uint64_t bytes;
    og_expansion *level; /* [depth_max] the view of the history after so many answers */
} walk;

static og_status visit(walk *k)
{
    const og_settings *settings = k->settings;
    k->histories++;
    if (k->histories > histories_max) {
        return og_message_set(k->message, OG_STOPPED, "there are more than 2^31 histories");
    }
    if (settings->states_max > 0 && k->histories > settings->states_max) {
        return og_message_set(k->message, OG_STOPPED,
                              "the limit on states was reached after %llu histories",
                              (unsigned long long)settings->states_max);
    }
    double now = settings->watch != NULL && k->histories % LOOK_HISTORIES == 0 ? og_seconds() : 0;
    if (now - k->looked >= look_seconds) {
        k->looked = now;
        og_progress progress = {
            .states = k->histories, .memory_bytes = k->bytes, .seconds = now - k->start};
        if (!settings->watch(settings->watch_user, &progress)) {
            return og_message_set(k->message, OG_STOPPED,
                                  "the work was stopped after %llu histories",
                                  (unsigned long long)k->histories);
        }
    }
    return OG_OK;
}

static og_status walk_from(walk *k, int32_t depth, both_values *out);

/* Evaluates an outcome, with its belief in the next level. */
static og_status walk_outcome(walk *k, int32_t depth, const og_outcome *outcome, both_values *out)
{
    const og_followed *w = k->followed;
    view *s = k->level[depth].scratch, *after = k->level[depth + 1].scratch;
    double value = 0;
    int32_t words = next(w, s, outcome, after->belief, s->key, &value);
    if (words == 0) {
        OG_TRY(visit(k));
        *out = (both_values){w->own ? decide(w, s, outcome, after->belief) : value, value};
        return status_of(w);
    }
    OG_TRY(w->base.expand_after != NULL
               ? w->base.expand_after(w->base.self, &s->base, outcome, &after->base)
               : w->base.expand(w->base.self, s->key, words, &after->base));
    return walk_from(k, depth + 1, out);
}

static og_status walk_action(walk *k, int32_t depth, const og_action *action, both_values *out)
{
    const og_followed *w = k->followed;
    const view *s = k->level[depth].scratch, *after = k->level[depth + 1].scratch;
    both_values sum = {action->reward, action->reward};
    for (int32_t i = 0; i < action->outcome_count; i++) {
        const og_outcome *o = &s->base.outcome[action->outcome_first + i];
        double left = 1;
        for (int32_t b = 0; b < w->branches && left > chance_rounding; b++) {
            double chance = learn(w, s, o, b, after->belief);
            both_values found = {0, 0};
            OG_TRY(status_of(w));
            OG_TRY(walk_outcome(k, depth, o, &found));
            sum.own += o->probability * chance * found.own;
            sum.exact += o->probability * chance * found.exact;
            left -= chance;
        }
        check_coins(w, left);
    }
    *out = sum;
    return status_of(w);
}

/* Chooses by the strategy's own calls and, if these tie, by those of the exact posterior. */
static bool is_taken(bool larger, const both_values *one, const both_values *other)
{
    bool equal = tie(one->own, other->own);
    double x = equal ? one->exact : one->own, y = equal ? other->exact : other->own;
    return larger ? x > y : x < y;
}

static og_status walk_from(walk *k, int32_t depth, both_values *out)
{
    view *s = k->level[depth].scratch;
    og_combine combine;
    both_values sum = {0, 0};
    double weight = 0;
    assert(depth + 1 < k->followed->base.depth_max);
    OG_TRY(visit(k));
    OG_TRY(choose(k->followed, s, &combine));
    for (int32_t a = 0; a < s->base.action_count; a++) {
        if (s->answer[a] <= 0) {
            continue;
        }
        both_values one = {0, 0};
        OG_TRY(walk_action(k, depth, &s->base.action[a], &one));
        if (combine == OG_COMBINE_MEAN) {
            sum.own += s->answer[a] * one.own;
            sum.exact += s->answer[a] * one.exact;
        } else if (weight == 0 || is_taken(combine == OG_COMBINE_MAX, &one, &sum)) {
            sum = one;
        }
        weight += s->answer[a];
    }
    double share = combine == OG_COMBINE_MEAN ? 1 / weight : 1;
    *out = (both_values){sum.own * share, sum.exact * share};
    return OG_OK;
}

static og_status walk_root(walk *k, both_values *out)
{
    const og_followed *w = k->followed;
    view *s = k->level[0].scratch;
    double value = 0;
    int32_t words = root_with_belief(w, s, s->belief, s->belief, s->key, &value);
    OG_TRY(status_of(w));
    if (words == 0) {
        double exact = value;
        if (w->own) {
            w->base.root(w->base.self, &s->base, NULL, s->key, &exact);
        }
        *out = (both_values){value, exact};
        return visit(k);
    }
    OG_TRY(w->base.expand(w->base.self, s->key, words, &s->base));
    return walk_from(k, 0, out);
}

og_status og_followed_walk(og_followed *followed, const og_settings *settings, double *own,
                           double *exact, og_result *result, og_message *message)
{
    const og_model *base = &followed->base;
    walk k = {
        .followed = followed, .settings = settings, .message = message, .start = og_seconds()};
    int32_t decisions = base->depth_max - 1, levels = 0;
    both_values found = {0, 0};
    *result = (og_result){.states = 0};
    if (decisions > WALK_DECISIONS_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "%ld labels have more than 2^31 histories, and this policy depends "
                              "on their order",
                              (long)decisions);
    }
    k.bytes = base->bytes +
              (uint64_t)base->depth_max * (base->expansion_bytes + followed->by->belief_bytes);
    if (k.bytes > og_settings_filled(settings).memory_bytes) {
        return og_message_set(message, OG_STOPPED,
                              "the memory limit does not hold the data of one history");
    }
    k.level = calloc((size_t)base->depth_max, sizeof *k.level);
    og_status status = k.level != NULL ? OG_OK : OG_NO_MEMORY;
    while (status == OG_OK && levels < base->depth_max) {
        status = expansion_new(followed, &k.level[levels]);
        levels += status == OG_OK;
    }
    OG_THEN(status, walk_root(&k, &found));
    for (int32_t i = 0; k.level != NULL && i < levels; i++) {
        expansion_free(&k.level[i]);
    }
    free(k.level);
    *result = (og_result){.states = k.histories,
                          .expanded = k.histories,
                          .memory_bytes = k.bytes,
                          .seconds = og_seconds() - k.start};
    if (status == OG_OK) {
        *own = found.own;
        *exact = found.exact;
    }
    return status;
}
