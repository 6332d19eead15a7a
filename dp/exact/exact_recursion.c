/*
 * The recursion again, in fractions and on one thread. It shares no code with dp/engine, so that
 * each can be checked against the other.
 */
#include "dp/exact/exact_recursion.h"

#include <string.h>

#include "dp/base/arena.h"

enum { WATCH_STATES = 256, SETTLED_DEPTH = 6 };

/* The evaluation of one state; one frame for every depth. */
typedef struct {
    og_expansion expansion;
    uint64_t *key;
    int32_t words;
    uint64_t hash;
    int32_t *chosen; /* [actions_max] actions to evaluate */
    int32_t chosen_count;
    int32_t at;      /* the one being evaluated */
    int32_t outcome; /* its outcome whose value is added next */
    const og_layer *layer;
    uint32_t number; /* of the action in the layer */
    mpq_t action;    /* its value so far */
    mpq_t found;     /* combined value of the actions before it */
    mpq_t weight;    /* their weight; 0: none yet */
} frame;

typedef struct {
    og_arena arena; /* of the frames */
    og_exact_work *work;
    og_model model;
    frame *frame;      /* [depth_max + 1], made when first needed */
    og_expansion last; /* for states with one label left */
    mpq_t term;
    double settled;
} recursion;

static void frame_clear(const recursion *r, frame *f)
{
    if (f->expansion.action != NULL) {
        r->model.expansion_free(&f->expansion);
    }
    if (f->key != NULL) {
        mpq_clears(f->action, f->found, f->weight, NULL);
    }
    f->key = NULL;
}

static og_status frame_init(recursion *r, frame *f)
{
    if (f->key != NULL) {
        return OG_OK;
    }
    size_t actions = (size_t)r->work->product->actions_max;
    OG_TRY(r->model.expansion_new(r->model.self, &f->expansion));
    f->chosen = og_arena_array(&r->arena, actions, sizeof *f->chosen);
    f->key = og_arena_array(&r->arena, (size_t)r->model.key_words_max, sizeof *f->key);
    if (f->key != NULL) {
        mpq_inits(f->action, f->found, f->weight, NULL);
    }
    return og_arena_status(&r->arena);
}

static mpq_srcptr reward_of(const recursion *r, uint32_t name)
{
    return r->work->names->reward.value[name];
}

/* The optimum with one label left: the largest reward. */
static mpq_srcptr last_label(recursion *r, const uint64_t *key, int32_t words)
{
    const og_product *product = r->work->product;
    const og_layer *layer = &product->layers->layer[1];
    uint32_t best = 0; /* the name of reward 0 */
    r->model.expand(r->model.self, key, words,
                    &r->last); /* no chooser is called, so it cannot fail */
    for (int32_t a = 0; a < r->last.action_count; a++) {
        int32_t left;
        uint32_t name = og_layer_reward_name(
            layer, og_product_class(product, &r->last, &r->last.action[a], &left));
        best = name > best ? name : best;
    }
    return reward_of(r, best);
}

static void action_begin(recursion *r, frame *f)
{
    const og_product *product = r->work->product;
    if (f->at < f->chosen_count) {
        int32_t left;
        const og_action *action = &f->expansion.action[f->chosen[f->at]];
        f->number = og_product_class(product, &f->expansion, action, &left);
        f->layer = &product->layers->layer[left];
        f->outcome = 0;
        mpq_set(f->action, reward_of(r, og_layer_reward_name(f->layer, f->number)));
    }
}

static void action_add(recursion *r, frame *f, mpq_srcptr value)
{
    uint32_t at = f->layer->outcome_first[f->number] + (uint32_t)f->outcome++;
    if (mpq_sgn(value) != 0) {
        uint32_t name = (uint32_t)f->layer->probability_name[at];
        mpq_mul(r->term, r->work->names->probability.value[name], value);
        mpq_add(f->action, f->action, r->term);
    }
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
        mpq_set_d(r->term, x->action[f->chosen[f->at]].weight);
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
    r->work->full = status == OG_STOPPED;
    return status;
}

static og_status frame_begin(recursion *r, frame *f)
{
    og_exact_work *work = r->work;
    work->expanded++;
    OG_TRY(r->model.expand(r->model.self, f->key, f->words, &f->expansion));
    f->at = 0;
    mpq_set_ui(f->weight, 0, 1);
    if (work->guide != NULL) {
        OG_TRY(og_exact_guide_choose(work->guide, work->use, f->key, f->words, &f->expansion,
                                     f->chosen, &f->chosen_count));
    } else {
        f->chosen_count = f->expansion.action_count;
        for (int32_t a = 0; a < f->chosen_count; a++) {
            f->chosen[a] = a;
        }
    }
    action_begin(r, f);
    return OG_OK;
}

/* Adds known values; true if a successor is missing, whose key and hash are then in `below`. */
static bool advance(recursion *r, frame *f, frame *below)
{
    const og_product *product = r->work->product;
    while (f->at < f->chosen_count) {
        const og_action *action = &f->expansion.action[f->chosen[f->at]];
        while (f->outcome < action->outcome_count) {
            const og_outcome *outcome = &f->expansion.outcome[action->outcome_first + f->outcome];
            double terminal;
            mpq_t known = {0};
            below->words =
                r->model.successor(r->model.self, &f->expansion, outcome, below->key, &terminal);
            if (below->words == 0) {
                f->outcome++; /* worth nothing */
            } else if (product->optimum && og_product_left(product, below->key) == 1) {
                action_add(r, f, last_label(r, below->key, below->words));
            } else {
                below->hash = og_memo_hash(below->key, below->words);
                if (!og_exact_table_get(r->work->table, below->key, below->words, below->hash,
                                        known)) {
                    return true;
                }
                action_add(r, f, known);
            }
        }
        action_end(r, f);
    }
    return false;
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
    if (work->watch == NULL || work->expanded % WATCH_STATES != 0) {
        return true;
    }
    double share = settled_share(r, depth);
    r->settled = share > r->settled ? share : r->settled;
    return work->watch(work->user, work->expanded, r->settled);
}

static og_status value_root(recursion *r)
{
    int32_t depth = 0;
    og_status status = frame_begin(r, &r->frame[0]);
    while (status == OG_OK) {
        frame *f = &r->frame[depth];
        status = frame_init(r, f + 1);
        if (status == OG_OK && advance(r, f, f + 1)) {
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

static og_status recurse(recursion *r, const uint64_t *key, int32_t words, mpq_t gain)
{
    frame *root = &r->frame[0];
    OG_TRY(r->model.expansion_new(r->model.self, &r->last));
    OG_TRY(frame_init(r, root));
    memcpy(root->key, key, (size_t)words * sizeof *key);
    root->words = words;
    root->hash = og_memo_hash(key, words);
    OG_TRY(value_root(r));
    mpq_set(gain, root->found);
    return OG_OK;
}

og_status og_exact_recursion(og_exact_work *work, const uint64_t *key, int32_t words, mpq_t gain)
{
    mpq_t known = {0};
    if (words == 0) {
        mpq_set_ui(gain, 0, 1);
        return OG_OK;
    }
    if (og_exact_table_get(work->table, key, words, og_memo_hash(key, words), known)) {
        mpq_set(gain, known);
        return OG_OK;
    }
    recursion r = {.work = work, .model = og_product_model(work->product)};
    r.frame = og_arena_array(&r.arena, (size_t)r.model.depth_max + 2, sizeof *r.frame);
    mpq_init(r.term);
    og_status status = r.frame == NULL ? OG_NO_MEMORY : recurse(&r, key, words, gain);
    for (int32_t d = 0; r.frame != NULL && d <= r.model.depth_max + 1; d++) {
        frame_clear(&r, &r.frame[d]);
    }
    if (r.last.action != NULL) {
        r.model.expansion_free(&r.last);
    }
    mpq_clear(r.term);
    og_arena_clear(&r.arena);
    return status;
}
