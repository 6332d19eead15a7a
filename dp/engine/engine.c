/*
 * The recursion is a loop over explicit frames, so that its depth is limited by memory, not by a
 * thread's stack.
 *
 * Successors are looked up a window at a time: their keys are written and their places in the
 * memory are prefetched. Then the known values are taken, and only the successors that are still
 * open are recursed into. This hides the latency of the table, and values known at no cost settle
 * many states at once.
 *
 * Threads: all of them evaluate the root. A thread claims each state that it expands; another
 * thread that reaches a claimed successor evaluates its siblings first. If there are none it
 * expands the claimed state as well, and so finds unclaimed work further down; it leaves that state
 * as soon as the memory has its value. Claims are hints: losing one only doubles some work. The
 * other threads start after the calling one has worked alone for a moment, whose results are in the
 * memory.
 */
#include "dp/engine/engine.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/clock.h"
#include "dp/base/parallel.h"
#include "dp/engine/combine.h"

enum {
    WINDOW_WORDS = 128, /* of key buffer in a frame, unless one action needs more */
    CLAIM_COUNT = 4096, /* a power of two, many times threads * depth */
    WAIT_TURNS = 64,
    WATCH_STATES = 4096, /* of one thread, between two checks of the limits that count */
    LOOK_STATES = 32,    /* between two looks at the clock, if states are quick */
    SETTLED_DEPTH = 12,  /* levels of the recursion that the share of settled decisions counts */
};

static const double look_seconds = 0.05;
static const double slow_seconds = 0.2; /* between two looks */

/* A successor within the window. */
typedef struct {
    double value; /* NaN: unknown so far */
    uint64_t hash;
    uint64_t *key;
    int32_t words;
} successor;

/* The evaluation of one state; one frame for every depth of the recursion. */
typedef struct {
    og_arena arena;
    og_expansion expansion;
    successor *successor; /* [window_outcomes] */
    uint64_t *keys;       /* [window_outcomes * key_words_max] */
    int32_t *picked;      /* [window_outcomes] actions in the window that may still win */
    int32_t *place;       /* [window_outcomes] begin of the successors of each */
    int32_t picked_count;
    int32_t picked_at; /* the action being evaluated */
    int32_t next;      /* first action beyond the window */
    og_combination found;
    const successor *state; /* the state of this frame; in the frame above */
    successor *waiting;     /* the successor whose value is being computed in the frame below */
    uint64_t expanded_before;
    bool mine;  /* claimed by this frame */
    bool helps; /* claimed by another thread */
    bool stale; /* something was computed after the window was looked up */
} frame;

/* Data shared by the threads. */
typedef struct {
    const og_model *model;
    og_memo *memo;
    const og_engine_use *use;
    bool crowded;
    _Atomic bool over; /* the root has its value, or the work must stop */
    _Atomic int status;
    double value;            /* of the root; written once, by the thread that first sets `over` */
    _Atomic uint64_t *claim; /* [CLAIM_COUNT] hashes of states being evaluated; 0: free */
    _Alignas(64) _Atomic uint64_t expanded; /* updated by the threads now and then */
} team;

typedef struct {
    team *team;
    const og_model *model;
    og_memo_user user;
    int32_t window_outcomes;
    bool watches;
    bool slow;     /* LOOK_STATES states took long: look at the clock after each one */
    double looked; /* time of the last look */
    double until;  /* time at which it leaves the work unfinished; INFINITY: never */
    frame *frame;  /* [depth_max + 1], laid out when first needed */
    int32_t depth; /* of the current frame */
    og_engine_info info;
    double settled;
} worker;

/* ---- claims ---- */

static void pause_briefly(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

static _Atomic uint64_t *claim_at(const team *t, uint64_t hash)
{
    return &t->claim[hash & (CLAIM_COUNT - 1)];
}

static bool is_claimed(const team *t, uint64_t hash)
{
    return t->crowded && atomic_load_explicit(claim_at(t, hash), memory_order_relaxed) == hash;
}

/* Waits a moment, since most states are finished quickly by the thread that claimed them. */
static bool wait_for_claim(const team *t, uint64_t hash)
{
    if (!is_claimed(t, hash)) {
        return false;
    }
    for (int i = 0; i < WAIT_TURNS && is_claimed(t, hash); i++) {
        pause_briefly();
    }
    return true;
}

/* Claims a state for this frame, or finds that another thread has it. A place in use by another
 * state is left alone; then the claim is not recorded. */
static void claim(const team *t, frame *f)
{
    f->mine = false;
    f->helps = false;
    if (!t->crowded) {
        return;
    }
    uint64_t there = 0;
    uint64_t hash = f->state->hash;
    f->mine = atomic_compare_exchange_strong_explicit(claim_at(t, hash), &there, hash,
                                                      memory_order_relaxed, memory_order_relaxed);
    f->helps = !f->mine && there == hash;
}

static void claim_end(const team *t, frame *f)
{
    if (f->mine) {
        atomic_store_explicit(claim_at(t, f->state->hash), 0, memory_order_relaxed);
        f->mine = false;
    }
}

/* ---- frames ---- */

static void frame_clear(const og_model *model, frame *f)
{
    if (f->expansion.action != NULL) {
        model->expansion_free(&f->expansion);
    }
    og_arena_clear(&f->arena);
    memset(f, 0, sizeof *f);
}

static og_status frame_init(const worker *w, frame *f)
{
    size_t outcomes = (size_t)w->window_outcomes;
    size_t words = (size_t)w->model->key_words_max;
    f->successor = og_arena_array(&f->arena, outcomes, sizeof *f->successor);
    f->keys = og_arena_array(&f->arena, outcomes * words, sizeof *f->keys);
    f->picked = og_arena_array(&f->arena, outcomes, sizeof *f->picked);
    f->place = og_arena_array(&f->arena, outcomes, sizeof *f->place);
    og_status status = og_arena_status(&f->arena);
    OG_THEN(status, w->model->expansion_new(w->model->self, &f->expansion));
    if (status != OG_OK) {
        f->expansion.action = NULL;
        frame_clear(w->model, f);
        return status;
    }
    for (size_t i = 0; i < outcomes; i++) {
        f->successor[i].key = &f->keys[i * words];
    }
    return OG_OK;
}

/* ---- combining ---- */

/* The value that an action must exceed: none unless the largest counts. */
static double to_beat(const og_combination *c)
{
    return c->combine == OG_COMBINE_MAX ? c->value : -INFINITY;
}

/* ---- one action ---- */

static const og_outcome *outcomes_of(const frame *f, const og_action *action)
{
    return &f->expansion.outcome[action->outcome_first];
}

/* Writes the keys of an action's successors from `place` on and prefetches their places in the
 * memory. */
static void prepare(worker *w, frame *f, const og_action *action, successor *place)
{
    for (int32_t k = 0; k < action->outcome_count; k++) {
        successor *s = &place[k];
        s->words = w->model->successor(w->model->self, &f->expansion, &outcomes_of(f, action)[k],
                                       s->key, &s->value);
        if (s->words > 0) {
            s->value = NAN;
            s->hash = og_memo_hash(s->key, s->words);
            og_memo_prefetch(w->user.memo, s->words, s->hash);
        }
    }
    w->info.looked_up += (uint64_t)action->outcome_count;
}

static bool is_known(worker *w, successor *s)
{
    return !isnan(s->value) || og_memo_get(&w->user, s->key, s->words, s->hash, &s->value);
}

/*
 * The outcome to evaluate next; -1 if none is open. `all_needed`: the action is expected to win, so
 * all its outcomes are needed and threads share them. Then it is the likeliest open outcome that is
 * not claimed, else the likeliest open one. Otherwise it is the likeliest, claimed or not, because
 * it is expected to make the rest unnecessary.
 */
static int32_t next_outcome(const team *t, bool all_needed, const og_outcome *outcome,
                            const successor *place, int32_t count)
{
    int32_t best = -1;
    bool best_claimed = false;
    for (int32_t k = 0; k < count; k++) {
        if (!isnan(place[k].value)) {
            continue;
        }
        bool claimed = all_needed && is_claimed(t, place[k].hash);
        if (best < 0 || claimed < best_claimed ||
            (claimed == best_claimed && outcome[k].probability > outcome[best].probability)) {
            best = k;
            best_claimed = claimed;
        }
    }
    return best;
}

/* Upper bound of the action's value, given the successors known so far. */
static double still_possible(const og_action *action, const og_outcome *outcome,
                             const successor *place)
{
    double sum = action->bound;
    if (isfinite(sum)) {
        for (int32_t k = 0; k < action->outcome_count; k++) {
            if (!isnan(place[k].value)) {
                sum -= outcome[k].probability * (outcome[k].bound - place[k].value);
            }
        }
    }
    return sum;
}

/* Sums in the order in which the model lists the outcomes, whatever the order of their
 * evaluation. */
static double value_from(const og_action *action, const og_outcome *outcome, const successor *place)
{
    double sum = action->reward;
    for (int32_t k = 0; k < action->outcome_count; k++) {
        sum += outcome[k].probability * place[k].value;
    }
    return sum;
}

static bool all_known(const og_action *action, const successor *place)
{
    for (int32_t k = 0; k < action->outcome_count; k++) {
        if (isnan(place[k].value)) {
            return false;
        }
    }
    return true;
}

/* ---- looking at the clock ---- */

/* The share of the work that the frames 0 .. depth have finished, with equal weight for every
 * action and outcome. */
static double settled_share(const worker *w)
{
    double share = 0;
    double unit = 1;
    for (int32_t d = 0; d <= w->depth && d < SETTLED_DEPTH; d++) {
        const frame *f = &w->frame[d];
        if (f->picked_at >= f->picked_count) {
            break;
        }
        const og_action *action = &f->expansion.action[f->picked[f->picked_at]];
        const successor *place = &f->successor[f->place[f->picked_at]];
        double known = 0;
        for (int32_t k = 0; k < action->outcome_count; k++) {
            known += !isnan(place[k].value);
        }
        double actions = f->picked_count + (f->expansion.action_count - f->next);
        share += unit * (f->picked_at + known / action->outcome_count) / actions;
        unit /= actions * action->outcome_count;
    }
    return share;
}

/* Ends the work for all threads; the first call sets the result. */
static void finish(team *t, og_status status, double value)
{
    bool expected = false;
    if (atomic_compare_exchange_strong(&t->over, &expected, true)) {
        t->value = value;
        atomic_store(&t->status, (int)status);
    }
}

static void look(worker *w, bool counted)
{
    team *t = w->team;
    uint64_t expanded = counted ? atomic_fetch_add(&t->expanded, WATCH_STATES) + WATCH_STATES
                                : atomic_load_explicit(&t->expanded, memory_order_relaxed);
    double now = w->watches ? og_seconds() : 0;
    bool over = atomic_load(&t->over); /* a watch that stopped the work is not called again */
    if (!w->watches || over || (!counted && now - w->looked < look_seconds)) {
        return;
    }
    w->slow = now - w->looked >= slow_seconds;
    w->looked = now;
    double share = settled_share(w);
    w->settled = share > w->settled ? share : w->settled;
    og_engine_progress progress = {w->settled, expanded, counted, &w->user};
    if (!t->use->watch(t->use->user, &progress)) {
        finish(t, OG_STOPPED, NAN);
    }
}

/* Limits that count are checked after fixed numbers of states, so that they end the same work in
 * each run; the watch is also called as time passes. */
static void watch(worker *w)
{
    if (w->team->use->watch != NULL && (w->slow || w->info.expanded % LOOK_STATES == 0)) {
        look(w, w->info.expanded % WATCH_STATES == 0);
    }
}

/* True if the work is over. Checked within a state, which may take long. */
static bool is_over(worker *w)
{
    if (w->slow && w->team->use->watch != NULL) {
        look(w, false);
    }
    return atomic_load_explicit(&w->team->over, memory_order_relaxed);
}

/* ---- one state ---- */

/*
 * Prepares the next actions that can still win, as many as fit, and looks up their successors. If
 * the largest counts, actions whose successors are all known are added at once: they may settle the
 * others.
 */
static void fill_window(worker *w, frame *f)
{
    int32_t used = 0;
    int32_t count = 0;
    bool first = f->next == 0 && f->found.combine == OG_COMBINE_MAX;
    for (; f->next < f->expansion.action_count && !is_over(w); f->next++) {
        const og_action *action = &f->expansion.action[f->next];
        if (action->bound + w->model->margin <= to_beat(&f->found)) {
            continue;
        }
        if (used + action->outcome_count > w->window_outcomes || (count > 0 && first)) {
            break;
        }
        prepare(w, f, action, &f->successor[used]);
        f->picked[count] = f->next;
        f->place[count++] = used;
        used += action->outcome_count;
    }
    for (int32_t i = 0; i < used; i++) {
        is_known(w, &f->successor[i]);
    }
    f->stale = false;
    f->picked_count = 0;
    f->picked_at = 0;
    for (int32_t i = 0; i < count; i++) {
        const og_action *action = &f->expansion.action[f->picked[i]];
        const successor *place = &f->successor[f->place[i]];
        if (f->found.combine == OG_COMBINE_MAX && all_known(action, place)) {
            og_combination_add(&f->found, action,
                               value_from(action, outcomes_of(f, action), place));
        } else {
            f->picked[f->picked_count] = f->picked[i];
            f->place[f->picked_count++] = f->place[i];
        }
    }
}

/* The successor of this action to evaluate next; NULL once the action is evaluated and added, or
 * proved not to win. */
static successor *advance_action(worker *w, frame *f, const og_action *action, successor *place)
{
    const og_outcome *outcome = outcomes_of(f, action);
    bool all_needed = true;
    for (;;) {
        int32_t k = next_outcome(w->team, all_needed, outcome, place, action->outcome_count);
        if (k < 0) {
            og_combination_add(&f->found, action, value_from(action, outcome, place));
            return NULL;
        }
        if (still_possible(action, outcome, place) + w->model->margin <= to_beat(&f->found)) {
            return NULL;
        }
        /* Another thread may have stored the value while this one was busy below, or be about
         * to. */
        bool waited = wait_for_claim(w->team, place[k].hash);
        if (!(waited || (f->stale && w->team->crowded)) || !is_known(w, &place[k])) {
            return &place[k];
        }
    }
}

/* The successor to evaluate next; NULL when the state's value is in found.value, and when the work
 * is over. */
static successor *advance(worker *w, frame *f)
{
    for (;;) {
        while (f->picked_at < f->picked_count) {
            const og_action *action = &f->expansion.action[f->picked[f->picked_at]];
            successor *s = advance_action(w, f, action, &f->successor[f->place[f->picked_at]]);
            if (s != NULL) {
                return s;
            }
            f->picked_at++;
        }
        if (f->next >= f->expansion.action_count) {
            f->found.value = og_combination_end(&f->found);
            return NULL;
        }
        fill_window(w, f);
        if (f->next < f->expansion.action_count && is_over(w)) {
            return NULL;
        }
    }
}

/* The work for a value, on a logarithmic scale with eight steps for each doubling. */
static uint32_t cost_of(uint64_t expanded)
{
    uint32_t doublings = 63 - (uint32_t)__builtin_clzll(expanded | 1);
    uint32_t cost = doublings * 8;
    return cost < 255 ? cost : 255;
}

static og_status frame_begin(worker *w, frame *f, const successor *state)
{
    if (f->keys == NULL) {
        og_status made = frame_init(w, f);
        if (made != OG_OK) {
            return made;
        }
    }
    f->state = state;
    claim(w->team, f);
    f->expanded_before = w->info.expanded++;
    OG_TRY(w->model->expand(w->model->self, state->key, state->words, &f->expansion));
    assert(f->expansion.action_count > 0);
    og_combination_begin(&f->found, f->expansion.combine);
    f->picked_count = 0;
    f->picked_at = 0;
    f->next = 0;
    return OG_OK;
}

static void frame_end(worker *w, frame *f)
{
    og_memo_put(&w->user, f->state->key, f->state->words, f->state->hash, f->found.value,
                cost_of(w->info.expanded - f->expanded_before));
    claim_end(w->team, f);
}

/* ---- the whole ---- */

/* Evaluates the root, or stops when another thread has done so. */
static void work(worker *w, successor *root)
{
    team *t = w->team;
    if (is_known(w, root)) {
        finish(t, OG_OK, root->value);
        return;
    }
    og_status status = frame_begin(w, &w->frame[0], root);
    while (status == OG_OK && !atomic_load_explicit(&t->over, memory_order_relaxed) &&
           (w->until == INFINITY || og_seconds() < w->until)) {
        frame *f = &w->frame[w->depth];
        if (f->helps && f->stale) { /* the thread that claimed it may have finished it */
            double value;
            if (og_memo_get(&w->user, f->state->key, f->state->words, f->state->hash, &value)) {
                f->found.value = value;
                f->waiting = NULL;
                goto valued;
            }
        }
        f->waiting = advance(w, f);
        if (f->waiting != NULL) {
            w->depth++;
            assert(w->depth < w->model->depth_max);
            status = frame_begin(w, &w->frame[w->depth], f->waiting);
            watch(w);
            continue;
        }
        if (f->next < f->expansion.action_count) { /* the work is over */
            break;
        }
        frame_end(w, f);
    valued:
        if (w->depth == 0) {
            finish(t, OG_OK, f->found.value);
            break;
        }
        w->depth--;
        w->frame[w->depth].waiting->value = f->found.value;
        w->frame[w->depth].stale = true;
    }
    if (status != OG_OK) {
        finish(t, status, NAN);
    }
}

/* Input of the threads of one call, and their counts. */
typedef struct {
    team *team;
    const uint64_t *key;
    int32_t words;
    double until; /* as of each worker */
    _Atomic uint64_t expanded, looked_up;
} root_work;

/* One thread's share of the work. */
static void take_part(void *context, int thread)
{
    root_work *part = context;
    team *t = part->team;
    const og_model *model = t->model;
    int32_t fit = WINDOW_WORDS / model->key_words_max;
    worker w = {.team = t,
                .model = model,
                .watches = thread == 0,
                .slow = true,
                .looked = og_seconds(),
                .until = part->until};
    w.window_outcomes = fit > model->outcomes_max ? fit : model->outcomes_max;
    w.frame = calloc((size_t)model->depth_max + 1, sizeof *w.frame);
    uint64_t *root_key = calloc((size_t)model->key_words_max, sizeof *root_key);
    if (w.frame == NULL || root_key == NULL) {
        finish(t, OG_NO_MEMORY, NAN);
    } else {
        memcpy(root_key, part->key, (size_t)part->words * sizeof *root_key);
        successor root = {NAN, og_memo_hash(root_key, part->words), root_key, part->words};
        og_memo_join(t->memo, &w.user);
        work(&w, &root);
        og_memo_leave(&w.user);
        for (int32_t d = 0; d <= model->depth_max; d++) {
            frame_clear(model, &w.frame[d]);
        }
    }
    free(root_key);
    free(w.frame);
    part->expanded += w.info.expanded;
    part->looked_up += w.info.looked_up;
}

/* True if the root's value is in the memory; checked before threads and their frames are made,
 * because it is often needed. */
static bool known_at_root(og_memo *memo, const uint64_t *key, int32_t words, double *value)
{
    og_memo_user user;
    og_memo_join(memo, &user);
    bool known = og_memo_get(&user, key, words, og_memo_hash(key, words), value);
    og_memo_leave(&user);
    return known;
}

og_status og_engine_value(const og_model *model, og_memo *memo, const og_engine_use *use,
                          const uint64_t *key, int32_t words, double *value, og_engine_info *info)
{
    assert(use->threads >= 1 && words <= model->key_words_max && model->outcomes_max >= 1);
    if (words == 0) {
        *value = 0;
        return OG_OK;
    }
    if (known_at_root(memo, key, words, value)) {
        info->looked_up++;
        return OG_OK;
    }
    team t = {.model = model, .memo = memo, .use = use};
    root_work root = {.team = &t, .key = key, .words = words, .until = INFINITY};
    if (use->threads > 1) {
        root.until = og_seconds() + og_moment_seconds / 4; /* one call may ask for several values */
    }
    if (use->threads == 1 || og_moment_seconds > 0) {
        take_part(&root, 0);
    }
    if (!atomic_load(&t.over)) {
        root.until = INFINITY;
        t.crowded = true;
        t.claim = calloc(CLAIM_COUNT, sizeof *t.claim);
        OG_TRY(OG_ALLOCATED(t.claim));
        og_parallel_team(use->threads, take_part, &root);
        free(t.claim);
    }
    info->expanded += root.expanded;
    info->looked_up += root.looked_up;
    OG_TRY((og_status)atomic_load(&t.status));
    *value = t.value;
    return OG_OK;
}
