/*
 * The recursion again, in fractions and on one thread. It shares no code with dp/engine, so that
 * each can be checked against the other.
 */
#include "dp/exact/recursion.h"

#include <math.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/clock.h"
#include "dp/base/ties.h"
#include "dp/engine/strategy.h"

enum { WATCH_STATES = 256, SETTLED_DEPTH = 6 };

static const double watch_seconds = 0.1;

/* The evaluation of one state; one frame for every depth. */
typedef struct {
    og_expansion expansion;
    uint64_t *key;
    int32_t words;
    uint64_t hash;
    int32_t *chosen; /* [acts_max] actions to evaluate */
    int32_t chosen_count;
    int32_t at;      /* the one being evaluated */
    int32_t outcome; /* its outcome whose value is added next */
    mpq_t action;    /* its value so far */
    mpq_t found;     /* combined value of the actions before it */
    mpq_t weight;    /* their weight; 0: none yet */
} frame;

typedef struct {
    og_arena arena; /* of the frames */
    og_exact_work *work;
    const og_model *model;
    const og_model_exact *exact;
    const og_strategy *by; /* NULL: as the model combines */
    frame *frame;          /* [depth_max + 2], made when first needed */
    og_act_open *open;     /* [acts_max] of a policy ... */
    double *answer;        /* [acts_max + 1] ... and its answer */
    mpq_t term, room, end;
    og_engine_use use; /* of the guide */
    og_message *message;
    double start;        /* on the clock */
    double looked;       /* on the clock: the limits were last looked at ... */
    double told;         /* ... and the caller's watch called */
    double settled;      /* share reported to it */
    bool over;           /* a limit was reached ... */
    const char *stopped; /* ... for this reason; NULL: the caller's watch */
} recursion;

/* ---- frames ---- */

static void frame_clear(const recursion *r, frame *f)
{
    if (f->expansion.scratch != NULL) {
        r->model->expansion_free(&f->expansion);
    }
    if (f->key != NULL) {
        mpq_clears(f->action, f->found, f->weight, NULL);
    }
    f->key = NULL;
}

static og_status frame_init(recursion *r, frame *f)
{
    const og_model *model = r->model;
    if (f->key != NULL) {
        return OG_OK;
    }
    OG_TRY(model->expansion_new(model->self, &f->expansion));
    f->chosen = og_arena_array(&r->arena, (size_t)model->acts_max, sizeof *f->chosen);
    f->key = og_arena_array(&r->arena, (size_t)model->key_words_max, sizeof *f->key);
    if (f->key != NULL) {
        mpq_inits(f->action, f->found, f->weight, NULL);
    }
    return og_arena_status(&r->arena);
}

/* ---- limits and progress ---- */

static bool end_for(recursion *r, const char *reason)
{
    r->over = true;
    r->stopped = reason;
    return false;
}

static bool watch(recursion *r, uint64_t expanded, bool counted, double settled)
{
    const og_exact_work *work = r->work;
    const og_settings *settings = work->settings;
    og_memo_info memo = {.forgotten = 0};
    r->looked = og_seconds();
    if (settings->states_max > 0 && expanded > settings->states_max) {
        return end_for(r, "the limit on states was reached");
    }
    if (work->guide != NULL) {
        if (counted && settings->stop_when_full && og_memo_is_full(work->guide->memo)) {
            return end_for(r, "the memory limit was reached");
        }
        og_memo_get_info(work->guide->memo, &memo);
    }
    if (settings->watch == NULL || r->looked - r->told < watch_seconds) {
        return true;
    }
    r->told = r->looked;
    r->settled = settled > r->settled ? settled : r->settled;
    og_progress progress = {.states = expanded,
                            .forgotten = memo.forgotten,
                            .memory_bytes = og_exact_work_bytes(work),
                            .settled = r->settled,
                            .seconds = r->looked - r->start};
    return settings->watch(settings->watch_user, &progress) || end_for(r, NULL);
}

/* The doubles come first and count as half of the work. */
static bool watch_doubles(void *user, const og_engine_progress *engine)
{
    recursion *r = user;
    return watch(r, r->work->guide->info.expanded + r->work->expanded + engine->expanded,
                 engine->counted, engine->settled / 2);
}

/* The share of the work that the frames 0 .. depth have finished, with equal weight for every
 * action and outcome. */
static double settled_share(const recursion *r, int32_t depth)
{
    double share = 0;
    double unit = 1;
    for (int32_t d = 0; d <= depth && d < SETTLED_DEPTH; d++) {
        const frame *f = &r->frame[d];
        double outcomes = f->expansion.action[f->chosen[f->at]].outcome_count;
        share += unit * (f->at + f->outcome / outcomes) / f->chosen_count;
        unit /= outcomes * f->chosen_count;
    }
    return share;
}

static bool may_go_on(recursion *r, int32_t depth)
{
    const og_exact_work *work = r->work;
    if (work->expanded % WATCH_STATES != 0 && og_seconds_coarse() - r->looked < watch_seconds) {
        return true;
    }
    double share = settled_share(r, depth);
    return work->guide != NULL
               ? watch(r, work->expanded + work->guide->info.expanded, true, (1 + share) / 2)
               : watch(r, work->expanded, true, share);
}

uint64_t og_exact_work_bytes(const og_exact_work *work)
{
    return work->fixed_bytes + og_exact_table_bytes(work->table) +
           (work->guide != NULL ? og_exact_guide_bytes(work->guide) : 0);
}

/* A status of the work; only its own limits have this message. */
static og_status ended(const recursion *r, og_status status)
{
    char held[OG_BYTES_TEXT_BYTES];
    return status != OG_STOPPED || !r->over
               ? status
               : og_message_set(r->message, OG_STOPPED, "%s after %llu states in fractions and %s",
                                r->stopped != NULL ? r->stopped : "the work was stopped",
                                (unsigned long long)og_exact_table_count(r->work->table),
                                og_bytes_format(og_exact_work_bytes(r->work), held));
}

/* ---- which actions ---- */

/* The policy's choice; the weights and the way to combine are those of its answer. */
static og_status ask(recursion *r, frame *f)
{
    const og_model *model = r->model;
    const og_ties ties = r->work->question->ties;
    og_expansion *x = &f->expansion;
    og_answer kind;
    int32_t apart;
    for (int32_t a = 0; a < x->action_count; a++) {
        r->open[a] =
            (og_act_open){model->act(model->self, x, &x->action[a]), (int64_t)x->action[a].weight};
    }
    const og_strategy_view view = {
        .state = model->state(model->self, x, NULL), .open = r->open, .count = x->action_count};
    r->answer[x->action_count] = -INFINITY;
    OG_TRY(r->by->choose(r->by->self, &view, r->answer, &kind, r->message));
    OG_TRY(og_strategy_weigh(r->by, kind, ties, r->open, x->action_count, r->answer, &apart,
                             r->message));
    if (r->answer[x->action_count] > 0) {
        return og_message_set(r->message, OG_BAD_INPUT,
                              "the policy stops, which is not supported here");
    }
    x->combine = kind == OG_ANSWER_WEIGHTS || !og_ties_by_value(ties) ? OG_COMBINE_MEAN
                 : ties == OG_TIES_BEST                               ? OG_COMBINE_MAX
                                                                      : OG_COMBINE_MIN;
    for (int32_t a = 0; a < x->action_count; a++) {
        x->action[a].weight = r->answer[a];
        if (r->answer[a] > 0) {
            f->chosen[f->chosen_count++] = a;
        }
    }
    return OG_OK;
}

static og_status choose(recursion *r, frame *f)
{
    f->chosen_count = 0;
    if (r->by != NULL && f->expansion.combine == OG_COMBINE_MAX) { /* no chance event */
        return ask(r, f);
    }
    if (r->work->guide != NULL) {
        return og_exact_guide_choose(r->work->guide, &r->use, f->key, f->words, &f->expansion,
                                     f->chosen, &f->chosen_count);
    }
    while (f->chosen_count < f->expansion.action_count) {
        f->chosen[f->chosen_count] = f->chosen_count;
        f->chosen_count++;
    }
    return OG_OK;
}

/* ---- values ---- */

static const og_action *action_of(const frame *f)
{
    return &f->expansion.action[f->chosen[f->at]];
}

static void action_begin(recursion *r, frame *f)
{
    if (f->at < f->chosen_count) {
        f->outcome = 0;
        if (r->exact->reward != NULL) {
            mpq_set(f->action,
                    r->exact->reward(r->model->self, &f->expansion, action_of(f), r->room));
        } else {
            mpq_set_ui(f->action, 0, 1);
        }
    }
}

static void action_add(recursion *r, frame *f, mpq_srcptr value)
{
    const og_action *action = action_of(f);
    const og_outcome *outcome = &f->expansion.outcome[action->outcome_first + f->outcome++];
    if (mpq_sgn(value) == 0) {
        return;
    }
    mpq_srcptr probability =
        r->exact->probability != NULL
            ? r->exact->probability(r->model->self, &f->expansion, action, outcome, r->room)
            : NULL;
    if (probability != NULL) {
        mpq_mul(r->term, probability, value);
        value = r->term;
    }
    mpq_add(f->action, f->action, value);
}

static void action_end(recursion *r, frame *f)
{
    const og_expansion *x = &f->expansion;
    bool first = mpq_sgn(f->weight) == 0;
    int order = first ? 0 : mpq_cmp(f->action, f->found);
    switch (x->combine) {
    case OG_COMBINE_MAX:
    case OG_COMBINE_MIN:
        if (first || (order > 0) == (x->combine == OG_COMBINE_MAX)) {
            mpq_swap(f->found, f->action);
        }
        mpq_set_ui(f->weight, 1, 1);
        break;
    case OG_COMBINE_MEAN:
        mpq_set_d(r->term, action_of(f)->weight);
        mpq_mul(f->action, f->action, r->term);
        if (first) {
            mpq_swap(f->found, f->action);
        } else {
            mpq_add(f->found, f->found, f->action);
        }
        mpq_add(f->weight, f->weight, r->term);
        break;
    }
    f->at++;
    action_begin(r, f);
}

/* Combines all actions. */
static og_status frame_end(recursion *r, frame *f)
{
    if (f->expansion.combine == OG_COMBINE_MEAN) {
        mpq_div(f->found, f->found, f->weight);
    }
    og_status status = og_exact_table_put(r->work->table, f->key, f->words, f->hash, f->found);
    if (status == OG_STOPPED) {
        end_for(r, "the memory limit was reached");
    }
    return status;
}

static og_status frame_begin(recursion *r, frame *f)
{
    r->work->expanded++;
    OG_TRY(r->model->expand(r->model->self, f->key, f->words, &f->expansion));
    f->at = 0;
    mpq_set_ui(f->weight, 0, 1);
    OG_TRY(choose(r, f));
    action_begin(r, f);
    return OG_OK;
}

/* The value of the next successor of the action, if it is known; else NULL, and its key and hash
 * are in `below`. */
static og_status look(recursion *r, frame *f, frame *below, mpq_t stored, mpq_srcptr *known)
{
    const og_model *model = r->model;
    const og_outcome *outcome = &f->expansion.outcome[action_of(f)->outcome_first + f->outcome];
    double terminal;
    *known = r->end;
    below->words = model->successor(model->self, &f->expansion, outcome, below->key, &terminal);
    if (below->words == 0) {
        mpq_set_ui(r->end, 0, 1);
        return r->exact->end != NULL ? r->exact->end(model->self, &f->expansion, outcome, r->end)
                                     : OG_OK;
    }
    below->hash = og_memo_hash(below->key, below->words);
    *known = og_exact_table_get(r->work->table, below->key, below->words, below->hash, stored)
                 ? stored
                 : NULL;
    return OG_OK;
}

/* Adds known values; *missing: a successor is not, whose key and hash are then in `below`. */
static og_status advance(recursion *r, frame *f, frame *below, bool *missing)
{
    mpq_t stored = {0};
    mpq_srcptr known;
    while (f->at < f->chosen_count) {
        const int32_t outcomes = action_of(f)->outcome_count;
        while (f->outcome < outcomes) {
            OG_TRY(look(r, f, below, stored, &known));
            if (known == NULL) {
                *missing = true;
                return OG_OK;
            }
            action_add(r, f, known);
        }
        action_end(r, f);
    }
    *missing = false;
    return OG_OK;
}

static og_status value_root(recursion *r)
{
    int32_t depth = 0;
    og_status status = frame_begin(r, &r->frame[0]);
    while (status == OG_OK) {
        frame *f = &r->frame[depth];
        bool missing = false;
        status = frame_init(r, f + 1);
        OG_THEN(status, advance(r, f, f + 1, &missing));
        if (status == OG_OK && missing) {
            status = may_go_on(r, depth) ? frame_begin(r, f + 1) : OG_STOPPED;
            depth++;
        } else if (status == OG_OK) {
            status = frame_end(r, f);
            if (depth == 0) {
                break;
            }
            depth--;
            action_add(r, f - 1, f->found);
        }
    }
    return status;
}

/* ---- the whole ---- */

static og_status recursion_init(recursion *r)
{
    const og_model *model = r->model;
    const size_t acts = r->by != NULL ? (size_t)model->acts_max : 0;
    r->frame = og_arena_array(&r->arena, (size_t)model->depth_max + 2, sizeof *r->frame);
    r->open = og_arena_array(&r->arena, acts, sizeof *r->open);
    r->answer = og_arena_array(&r->arena, acts + 1, sizeof *r->answer);
    return og_arena_status(&r->arena);
}

static void recursion_clear(recursion *r)
{
    for (int32_t d = 0; r->frame != NULL && d <= r->model->depth_max + 1; d++) {
        frame_clear(r, &r->frame[d]);
    }
    mpq_clears(r->term, r->room, r->end, NULL);
    og_arena_clear(&r->arena);
}

static og_status recurse(recursion *r, const uint64_t *key, int32_t words, mpq_t value)
{
    OG_TRY(recursion_init(r));
    frame *root = &r->frame[0];
    OG_TRY(frame_init(r, root));
    memcpy(root->key, key, (size_t)words * sizeof *key);
    root->words = words;
    root->hash = og_memo_hash(key, words);
    OG_TRY(value_root(r));
    mpq_set(value, root->found);
    return OG_OK;
}

og_status og_exact_recursion(og_exact_work *work, const uint64_t *key, int32_t words, mpq_t value,
                             og_message *message)
{
    const og_value_asked *question = work->question;
    recursion r = {.work = work,
                   .model = work->model,
                   .exact = work->model->exact,
                   .by = question != NULL ? question->by : NULL,
                   .message = message,
                   .start = og_seconds()};
    mpq_t known = {0};
    r.looked = r.told = r.start;
    r.use = (og_engine_use){work->settings->threads, watch_doubles, &r};
    if (work->guide != NULL) {
        double ignored;
        OG_TRY(ended(&r, og_exact_guide_value(work->guide, &r.use, key, words, &ignored)));
        r.use.threads = 1; /* the questions still to come are small */
    }
    if (og_exact_table_get(work->table, key, words, og_memo_hash(key, words), known)) {
        mpq_set(value, known);
        return OG_OK;
    }
    mpq_inits(r.term, r.room, r.end, NULL);
    og_status status = recurse(&r, key, words, value);
    recursion_clear(&r);
    return ended(&r, status);
}

og_status og_exact_out_of_limit(uint64_t memory_bytes, og_message *message)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(message, OG_STOPPED,
                          "the memory limit of %s does not hold the tables of this problem in "
                          "exact arithmetic",
                          og_bytes_format(memory_bytes, limit));
}
