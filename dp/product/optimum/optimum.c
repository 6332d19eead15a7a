/*
 * Chooses between the engines. The recursion can be stopped and continued, because its values
 * stay in its memory; blocks are counted, and computed only once they are chosen.
 *
 * Invariant: every decision follows from numbers of states that do not depend on threads: the
 * recursion runs on one thread until it is the only engine left.
 */
#include "dp/product/optimum/optimum.h"
#include "dp/product/layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/base/state_set.h"
#include "dp/base/stop.h"
#include "dp/base/world.h"
#include "dp/product/bandit/bandit.h"
#include "dp/product/optimum/cut.h"
#include "dp/product/stationary/stationary.h"
#include "dp/product/uniform.h"

/* Numbers of states: the first ones of the recursion; those of blocks that take a moment; tables
 * that are built in a moment. */
static const uint64_t first_states = 4095; /* it checks every 4096 */
static const double moment_work = 1 << 24;
static const double moment_entries = 1 << 17;
static const double ratio = 40; /* least ratio of the costs of a state: for limits */
/* Work of blocks for which cuts are tried in any case. States that the recursion may expand for one
 * of a cut, where blocks cannot be counted. */
static const double margin_work = 0x1p33;
static const double margin_share = 1.0 / 64;
/* States of a bandit's layers that cost as much as one of blocks. */
static const double bandit_ratio = 16;
/* Number of pairs of posteriors and labels left above which even counting blocks takes more than a
 * few seconds. */
static const double entries_most = 1 << 29;

/* Multiplications of a policy's stages that take some seconds, and some minutes. */
static const double few_stages_work = 0x1p34;
static const double stages_work = 0x1p39;

/* Number of pairs of posteriors and labels left whose blocks are counted in a second. */
static const double entries_quick = 1 << 24;

/* Layers of either kind; the other one is NULL. */
typedef struct {
    og_blocks *blocks;
    og_bandit *bandit;
} layers;

struct og_optimum {
    const og_arms *arms;
    const og_ranks *ranks; /* of a policy, to compute its value; NULL: the optimum */
    og_ties ties;          /* of the policy */
    og_settings settings;  /* filled */
    og_solver *solver;     /* NULL: not needed yet, or no longer needed */
    layers layers;         /* counted, and to be computed next; else none */
    double start;          /* on the clock */
    uint64_t bytes_most;   /* most memory held at any time by freed parts */
    bool bracketed;        /* by the cuts so far; the gain is lower .. upper */
    double lower, upper;
};

/* The question: the value, or Q if `q` has room for it. */
typedef struct {
    og_result *result;
    double *q, *error;
    og_message *message;
} question;

/* ---- the engines ---- */

/* True if the caller ended it; otherwise a limit of the engine did. */
static bool is_stopped(const og_optimum *o)
{
    return og_stop_status(og_stop_of(&o->settings)) != OG_OK;
}

static og_status need_solver(og_optimum *o, og_message *message)
{
    if (o->solver != NULL) {
        return OG_OK;
    }
    og_settings settings = o->settings;
    settings.states_max = 0; /* over all calls: og_solver_pace */
    return o->ranks != NULL
               ? og_solver_new_policy(o->arms, o->ranks, o->ties, &settings, &o->solver, message)
               : og_solver_new(o->arms, &settings, &o->solver, message);
}

static void finish(const og_optimum *o, og_result *result)
{
    result->seconds = og_seconds() - o->start;
    result->bracketed = o->bracketed;
    result->lower = o->lower;
    result->upper = o->upper;
    result->memory_bytes =
        o->bytes_most > result->memory_bytes ? o->bytes_most : result->memory_bytes;
}

/* Expands up to so many states in all; 0: to the end. *paused, and OG_OK: it reached that number
 * and may go on. */
static og_status recurse(og_optimum *o, const question *asked, int threads, uint64_t most,
                         bool *paused)
{
    uint64_t limit = o->settings.states_max;
    bool last = most == 0 || (limit > 0 && limit <= most);
    *paused = false;
    OG_TRY(need_solver(o, asked->message));
    og_result found = {0};
    og_solver_pace(o->solver, threads, last ? limit : most);
    og_status status = asked->q != NULL
                           ? og_solver_q(o->solver, asked->q, asked->error, asked->message)
                           : og_solver_value(o->solver, &found, asked->message);
    if (status != OG_OK && status != OG_STOPPED) {
        return status;
    }
    found.expanded = og_solver_expanded(o->solver);
    finish(o, &found);
    o->bytes_most = found.memory_bytes;
    if (status == OG_STOPPED && !last && !is_stopped(o) && found.expanded > most) {
        *paused = true;
        asked->message->text[0] = '\0';
        return OG_OK;
    }
    if (asked->result != NULL) {
        *asked->result = found;
    }
    return status;
}

static unsigned savings_of(unsigned reductions, bool q)
{
    return ((reductions & OG_REDUCE_SORT) != 0 ? OG_BLOCKS_FOLD : 0) |
           ((reductions & OG_REDUCE_FORCE) != 0 ? OG_BLOCKS_FORCE | OG_BLOCKS_CONTRACT : 0) |
           ((reductions & OG_REDUCE_TWO) != 0 ? OG_BLOCKS_TWO : 0) | (q ? OG_BLOCKS_Q : 0);
}

/* True if some label of the arm has a gain. */
static bool is_live(const og_arm *arm, int32_t budget)
{
    uint32_t action = 0, end = og_arm_first_action(arm, arm->level[budget]);
    while (action < end && arm->reward[action] <= 0) {
        action++;
    }
    return action < end;
}

/*
 * True if there are so many different instances that listing the types of two labels, each with all
 * of them, does not fit, unless labels are forced; then the recursion also handles those in one
 * step each. Does not apply if counting is quick.
 */
static bool too_wide(const og_optimum *o)
{
    const og_arms *arms = o->arms;
    double live = 0;
    if (o->ranks != NULL || og_layers_nodes(arms) <= entries_quick) {
        return false;
    }
    for (int32_t a = 0; a < arms->arm_count; a++) {
        live += is_live(arms->arm[a], arms->budget);
    }
    double types = live * live / 2;
    return types * sizeof(og_copies) * arms->arm_count > (double)o->settings.memory_bytes;
}

/* True if even counting blocks would take too long. */
static bool beyond_blocks(const og_optimum *o)
{
    return og_layers_nodes(o->arms) > entries_most || too_wide(o);
}

/* The work that settings.states_max allows. */
static double work_allowed(const og_optimum *o)
{
    return o->settings.states_max > 0 ? ratio * (double)o->settings.states_max : 0x1p60;
}

static void layers_free(layers *l)
{
    og_blocks_free(l->blocks);
    og_bandit_free(l->bandit);
    *l = (layers){NULL, NULL};
}

static bool have_layers(const layers *l)
{
    return l->blocks != NULL || l->bandit != NULL;
}

/* Layers in place support only the optimum. */
static bool in_place(const og_optimum *o)
{
    return o->ranks == NULL && og_bandit_can(o->arms);
}

static void layers_size(const layers *l, og_blocks_size *size)
{
    if (l->bandit != NULL) {
        og_bandit_get_size(l->bandit, size);
    } else {
        og_blocks_get_size(l->blocks, size);
    }
}

/* Settings within the memory that the recursion leaves, if it has started. */
static og_settings beside_solver(const og_optimum *o)
{
    og_settings settings = o->settings;
    if (o->solver != NULL) {
        uint64_t held = og_solver_bytes(o->solver) - og_arms_bytes(o->arms);
        settings.memory_bytes -= held < settings.memory_bytes ? held : settings.memory_bytes - 1;
    }
    return settings;
}

/* Plans layers of at most so much work, within the memory that the recursion leaves, if it has
 * started. */
static og_status plan(og_optimum *o, bool q, double work, bool *too_many, layers *out,
                      og_message *message)
{
    og_settings settings = beside_solver(o);
    settings.states_max = (uint64_t)fmin(work, 0x1p60);
    if (in_place(o)) {
        settings.states_max = (uint64_t)fmin(bandit_ratio * work, 0x1p60);
        return og_bandit_new(o->arms, &settings, too_many, &out->bandit, message);
    }
    unsigned use = savings_of(settings.reductions, q);
    return o->ranks != NULL
               ? og_blocks_new_policy(&(og_ranks_play){o->arms, o->ranks, o->ties}, use, &settings,
                                      too_many, &out->blocks, message)
               : og_blocks_new(o->arms, use, &settings, too_many, &out->blocks, message);
}

/* ---- several ranks ---- */

/* The orders of rank 0 to the others: an operation, or the final status. */
typedef struct {
    enum { ENDED, SWEEP } what;
    og_status status;
    og_result result;
    og_message message;
} order;

static bool is_shared(const og_optimum *o, const question *asked)
{
    return og_world_is_shared(o->settings.world) && o->ranks == NULL && asked->q == NULL;
}

static order tell_order(const og_optimum *o, const order *own)
{
    order told; /* of the same size on all ranks, including its padding */
    memset(&told, 0, sizeof told);
    if (own != NULL) {
        told = *own;
    }
    o->settings.world->tell(o->settings.world->self, 0, &told, sizeof told);
    return told;
}

/* Computes the blocks that rank 0 has chosen and planned; the others plan them now. */
static og_status sweep_together(const og_optimum *o, og_blocks *blocks, og_status status,
                                og_result *found, og_message *message)
{
    OG_TRY(og_world_agree(o->settings.world, status, message));
    return og_blocks_solve(blocks, found, message);
}

/* Rank 0 decides as it would alone; the others follow its orders. */
static og_status follow_orders(og_optimum *o, const question *asked)
{
    order told = tell_order(o, NULL);
    while (told.what != ENDED) {
        layers by = {NULL, NULL};
        og_result found;
        bool too_many;
        og_message message = {""};
        og_status status = plan(o, false, 0x1p60, &too_many, &by, &message);
        sweep_together(o, by.blocks, status, &found, &message);
        layers_free(&by);
        told = tell_order(o, NULL);
    }
    *asked->message = told.message;
    if (asked->result != NULL && (told.status == OG_OK || told.status == OG_STOPPED)) {
        *asked->result = told.result;
    }
    return told.status;
}

static og_status solve_layers(const og_optimum *o, const layers *l, const question *asked,
                              og_result *found)
{
    if (l->bandit == NULL && is_shared(o, asked)) {
        tell_order(o, &(order){.what = SWEEP});
        return sweep_together(o, l->blocks, OG_OK, found, asked->message);
    }
    if (l->bandit == NULL) {
        OG_TRY(og_blocks_solve(l->blocks, found, asked->message));
        return asked->q == NULL ? OG_OK
                                : og_blocks_q(l->blocks, asked->q, asked->error, asked->message);
    }
    OG_TRY(og_bandit_solve(l->bandit, found, asked->message));
    if (asked->q != NULL) {
        og_bandit_q(l->bandit, asked->q, asked->error);
    }
    return OG_OK;
}

static og_status sweep(og_optimum *o, const layers *by, const question *asked)
{
    og_result found = {0};
    og_status status = solve_layers(o, by, asked, &found);
    if ((status == OG_OK || status == OG_STOPPED) && asked->result != NULL) {
        found.by_blocks = true;
        finish(o, &found);
        *asked->result = found;
    }
    return status;
}

/* Uses blocks only. */
static og_status sweep_alone(og_optimum *o, const question *asked)
{
    bool too_many = false;
    og_status status = OG_OK;
    og_solver_free(o->solver);
    o->solver = NULL;
    if (!have_layers(&o->layers)) {
        status = plan(o, asked->q != NULL, work_allowed(o), &too_many, &o->layers, asked->message);
    }
    if (status == OG_OK) {
        status = sweep(o, &o->layers, asked);
    } else if (status == OG_STOPPED && asked->result != NULL) {
        *asked->result =
            (og_result){.by_blocks = true, .expanded = too_many ? o->settings.states_max + 1 : 0};
        finish(o, asked->result);
    }
    layers_free(&o->layers);
    return status;
}

/* ---- the race ---- */

static bool by_recursion_only(const og_optimum *o)
{
    const og_settings *s = &o->settings;
    bool policy = o->ranks != NULL; /* a policy has no checkpoint */
    return s->engine == OG_ENGINE_RECURSION || s->reductions != OG_REDUCE_ALL ||
           (!policy && s->checkpoint != NULL);
}

static double work_of(const og_blocks_size *size, bool bandit)
{
    return bandit ? size->states / bandit_ratio : og_blocks_work(size);
}

/* Blocks of so much work need no recursion before them. */
static double moment_of(double tables)
{
    return fmax(moment_work, ratio * tables);
}

/* The work of blocks, as far as they are counted. */
typedef struct {
    double work; /* 0: they do not fit, or have more than most */
    double most;
    bool more; /* there may be more work than most; true before the first count */
} tally;

/* Counts blocks of at most so much work, unless that is known. Those of a moment's work are kept,
 * since nothing comes before their sweep. */
static og_status count(og_optimum *o, const question *asked, double moment, double most,
                       tally *known)
{
    double allowed = work_allowed(o);
    layers by = {NULL, NULL};
    og_message why = {""};
    bool too_many = false;
    if (!known->more || most <= known->most) {
        return OG_OK;
    }
    *known = (tally){.most = most};
    if (!in_place(o) && beyond_blocks(o)) {
        return OG_OK;
    }
    og_status status = plan(o, asked->q != NULL, fmin(most, allowed), &too_many, &by, &why);
    known->more = too_many && most < allowed;
    if (status == OG_OK) {
        og_blocks_size size;
        layers_size(&by, &size);
        known->work = work_of(&size, by.bandit != NULL);
        if (known->work > 0 && known->work <= moment) {
            o->layers = by;
            return OG_OK;
        }
    } else if (status != OG_STOPPED || is_stopped(o)) {
        *asked->message = why;
        if (is_stopped(o) && asked->result != NULL) {
            *asked->result = (og_result){0};
            finish(o, asked->result);
        }
    }
    layers_free(&by);
    return status == OG_STOPPED && !is_stopped(o) ? OG_OK : status;
}

/* The share of blocks' states that the recursion may expand before them, such that in vain it takes
 * no longer than they do: some 1.6 us for a state against half a nanosecond for each instance that
 * is labelled. */
static double race_share(const og_optimum *o)
{
    return fmin((double)og_arms_capped(o->arms) / 3200, 1.0 / 160);
}

static bool has_stages(const og_optimum *o)
{
    return o->ranks != NULL && og_stationary_can(o->arms, o->ranks, o->ties, &o->settings);
}

/* Evaluates a policy by its stages, if they take no more than `work`; else *paused stays true. */
static og_status by_stages(og_optimum *o, const question *asked, double work, bool *paused)
{
    og_result found;
    bool too_many = false;
    og_settings settings = o->settings;
    og_status status = og_stationary_value(&(og_ranks_play){o->arms, o->ranks, o->ties}, &settings,
                                           work, &too_many, &found, asked->message);
    *paused = status == OG_STOPPED && too_many && !is_stopped(o);
    if (*paused) {
        asked->message->text[0] = '\0';
        return OG_OK;
    }
    if (status == OG_OK || status == OG_STOPPED) {
        found.by_stages = true;
        finish(o, &found);
        *asked->result = found;
    }
    return status;
}

static bool has_margin(const og_optimum *o, const question *asked)
{
    return o->ranks == NULL && !is_shared(o, asked) && og_cut_can(o->arms);
}

/* The cut m for the question. */
static og_status plan_cut(const og_optimum *o, const question *asked, int32_t m, og_margin **out)
{
    const og_settings settings = beside_solver(o);
    og_status status = og_cut_new(o->arms, asked->q != NULL, m, &settings, out);
    if (status == OG_STOPPED && asked->result != NULL) {
        *asked->result = (og_result){0};
        finish(o, asked->result);
    }
    return status == OG_STOPPED ? og_stop_building(asked->message) : status;
}

/* Computes a cut. *closed: that is the answer. */
static og_status sweep_cut(og_optimum *o, const question *asked, og_margin *cut, bool *closed)
{
    og_result found = {0};
    og_message own = {""};
    og_status status = asked->q != NULL
                           ? og_cut_q(o->arms, cut, asked->q, asked->error, closed, &found, &own)
                           : og_cut_value(o->arms, cut, &found, &own);
    o->bytes_most = found.memory_bytes > o->bytes_most ? found.memory_bytes : o->bytes_most;
    if (found.bracketed) {
        o->lower = o->bracketed ? fmax(o->lower, found.lower) : found.lower;
        o->upper = o->bracketed ? fmin(o->upper, found.upper) : found.upper;
        o->bracketed = true;
        *closed = found.by_margin;
    }
    if ((*closed || status == OG_STOPPED) && asked->result != NULL) {
        finish(o, &found);
        *asked->result = found;
    }
    *asked->message = own;
    return status;
}

/* The least work that blocks have; INFINITY: they do not fit. */
static double least_work(const tally *known)
{
    return known->work > 0 ? known->work : known->more ? known->most : INFINITY;
}

/* Whether a cut fits the limits. */
static bool is_tried(const og_optimum *o, const og_margin_size *size)
{
    double bytes = size->bytes + (double)og_arms_bytes(o->arms);
    return bytes <= (double)beside_solver(o).memory_bytes && size->states <= work_allowed(o);
}

/* The work of blocks from which on it is small beside them. */
static double work_for(const og_margin_size *size)
{
    return fmin(og_cut_ratio * size->states, margin_work);
}

/*
 * Tries the cuts m = 2, 3, ... that take little beside blocks. Ends with the answer
 * (*paused: false), with a failure, or with *paused: the others go on.
 */
static og_status by_margin(og_optimum *o, const question *asked, tally *known, bool *paused)
{
    bool tried = true, closed = false;
    og_status status = OG_OK;
    for (int32_t m = OG_CUT_LEAST; status == OG_OK && tried && *paused && m <= OG_CUT_MOST; m++) {
        og_margin *cut = NULL;
        og_margin_size size;
        OG_TRY(plan_cut(o, asked, m, &cut));
        og_margin_get_size(cut, &size);
        tried = is_tried(o, &size);
        if (tried) {
            double needed = work_for(&size);
            status = count(o, asked, 0, needed, known);
            tried = least_work(known) >= needed;
        }
        if (status == OG_OK && tried && isinf(least_work(known))) {
            double half =
                o->settings.states_max > 0 ? (double)o->settings.states_max / 2 : INFINITY;
            double share = fmin(margin_share * size.states, half);
            status = recurse(o, asked, 1, (uint64_t)share + 1, paused);
        }
        if (status == OG_OK && tried && *paused) {
            status = sweep_cut(o, asked, cut, &closed);
            *paused = !closed;
        }
        og_margin_free(cut);
    }
    return status;
}

/* Counts blocks, which are kept if they take a moment; otherwise tries cuts. */
static og_status margin_first(og_optimum *o, const question *asked, double moment, tally *known,
                              bool *paused)
{
    OG_TRY(count(o, asked, moment, moment, known));
    return have_layers(&o->layers) ? OG_OK : by_margin(o, asked, known, paused);
}

/* Goes on with the recursion, because blocks do not help. */
static og_status alone(og_optimum *o, const question *asked, bool *paused)
{
    if (has_stages(o)) {
        og_status status = by_stages(o, asked, stages_work, paused);
        if (!*paused || status != OG_OK) {
            return status;
        }
    }
    return recurse(o, asked, o->settings.threads, 0, paused);
}

/* Ends with the answer, with a failure, or with *paused: then blocks are used. */
static og_status race(og_optimum *o, const question *asked, bool *paused)
{
    double tables = og_layers_nodes(o->arms);
    double moment = moment_of(tables);
    tally known = {.more = true};
    og_status status = OG_OK;
    *paused = true;
    if (tables <= moment_entries) {
        status = recurse(o, asked, 1, first_states, paused);
    }
    if (*paused && has_stages(o)) {
        status = by_stages(o, asked, few_stages_work, paused);
        OG_TRY(status);
    }
    if (*paused && has_margin(o, asked)) {
        status = margin_first(o, asked, moment, &known, paused);
        if (status != OG_OK || have_layers(&o->layers)) {
            return status;
        }
    }
    /* Layers on a disk are counted at once: later the recursion may have filled the memory. */
    double begin = o->settings.scratch != NULL ? work_allowed(o) : moment;
    for (double most = begin; *paused; most *= 4) {
        OG_TRY(count(o, asked, moment, most, &known));
        if (have_layers(&o->layers)) {
            break;
        }
        if (isinf(least_work(&known))) {
            return alone(o, asked, paused);
        }
        uint64_t share = (uint64_t)((known.work > 0 ? known.work : most) * race_share(o));
        status = recurse(o, asked, 1, share, paused);
        if (*paused && known.work > 0) {
            break;
        }
    }
    return status;
}

/* True if the recursion stopped because of memory: its tables do not fit, or its states do not and
 * may not be forgotten. Blocks need different memory. */
static bool leaves_room(const og_optimum *o)
{
    uint64_t most = o->settings.states_max;
    bool full = o->solver != NULL && o->settings.stop_when_full &&
                (most == 0 || og_solver_expanded(o->solver) <= most);
    return (o->solver == NULL || full) && !is_stopped(o) && !beyond_blocks(o);
}

static og_status answer_alone(og_optimum *o, const question *asked)
{
    bool paused = false;
    const question whole = *asked;
    if (o->settings.engine == OG_ENGINE_BLOCKS) {
        return sweep_alone(o, &whole);
    }
    if (by_recursion_only(o)) {
        return recurse(o, &whole, o->settings.threads, 0, &paused);
    }
    og_status status = race(o, &whole, &paused);
    if (status == OG_OK ? paused : status == OG_STOPPED && leaves_room(o)) {
        og_message tables = *whole.message; /* message of tables that do not fit, or empty */
        whole.message->text[0] = '\0';
        status = sweep_alone(o, &whole);
        if (status == OG_STOPPED && !is_stopped(o) && tables.text[0] != '\0') {
            *whole.message = tables;
        }
    }
    return status;
}

static og_status answer(og_optimum *o, const question *asked)
{
    og_message own = {""};
    og_result found = {0};
    question whole = *asked;
    whole.message = asked->message != NULL ? asked->message : &own;
    if (!is_shared(o, asked)) {
        return answer_alone(o, &whole);
    }
    whole.result = &found;
    og_status status =
        o->settings.world->rank > 0 ? follow_orders(o, &whole) : answer_alone(o, &whole);
    if (o->settings.world->rank == 0) {
        tell_order(o, &(order){.status = status, .result = found, .message = *whole.message});
    }
    if ((status == OG_OK || status == OG_STOPPED) && asked->result != NULL) {
        *asked->result = found;
    }
    return status;
}

/* ---- questions ---- */

og_status og_optimum_new(const og_arms *arms, const og_settings *settings, og_optimum **out,
                         og_message *message)
{
    OG_TRY(og_optimum_check(settings, message));
    if (settings->engine == OG_ENGINE_BLOCKS && settings->checkpoint != NULL &&
        og_bandit_can(arms)) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--engine blocks does not support --checkpoint for this bandit; omit one of them");
    }
    og_optimum *o = calloc(1, sizeof *o);
    OG_TRY(OG_ALLOCATED(o));
    o->arms = arms;
    o->settings = og_settings_filled(settings);
    o->start = og_seconds();
    *out = o;
    return OG_OK;
}

void og_optimum_free(og_optimum *o)
{
    if (o != NULL) {
        og_solver_free(o->solver);
        layers_free(&o->layers);
    }
    free(o);
}

og_status og_optimum_value(og_optimum *o, og_result *result, og_message *message)
{
    return answer(o, &(question){.result = result, .message = message});
}

og_status og_optimum_policy(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                            const og_settings *settings, og_result *result, og_message *message)
{
    bool closed = ties == OG_TIES_RANDOM && og_ranks_are_uniform(arms, ranks);
    bool blocks =
        settings->engine != OG_ENGINE_RECURSION && ranks->chooser_lock == NULL && !ranks->stops;
    if (closed || !blocks) {
        return og_policy_value(arms, ranks, ties, settings, result, message);
    }
    og_settings own = *settings;
    own.checkpoint = NULL;
    og_optimum *o = NULL;
    OG_TRY(og_optimum_new(arms, &own, &o, message));
    o->ranks = ranks;
    o->ties = ties;
    og_status status = og_optimum_value(o, result, message);
    og_optimum_free(o);
    return status;
}

og_status og_optimum_q(og_optimum *o, double *q, double *error, og_message *message)
{
    if (o->arms->budget < 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "with no labels left there is nothing to choose");
    }
    return answer(o, &(question){.q = q, .error = error, .message = message});
}

og_status og_optimum_solver(og_optimum *o, og_solver **out, og_message *message)
{
    OG_TRY(need_solver(o, message));
    og_solver_pace(o->solver, o->settings.threads, 0);
    *out = o->solver;
    return OG_OK;
}

og_status og_optimum_forecast(const og_arms *arms, const og_settings *settings, og_blocks_size *out,
                              bool *exact, og_message *message)
{
    og_settings own = og_settings_filled(settings);
    /* States and types that are counted in seconds. With files or ranks the user can wait, and
     * those of a layer in place are counted at once. */
    bool waits = own.scratch != NULL || og_world_ranks(own.world) > 1 || og_bandit_can(arms);
    const double most = waits ? 0x1p60 : 0x1p33;
    og_optimum o = {.arms = arms, .settings = own, .start = og_seconds()};
    layers by = {NULL, NULL};
    og_message why = {""};
    bool too_many = false;
    if (!og_bandit_can(arms) && og_layers_nodes(arms) > entries_most) {
        return og_message_set(message, OG_STOPPED, "there are too many labels to count blocks");
    }
    og_status status = plan(&o, false, most, &too_many, &by, &why);
    *exact = status == OG_OK;
    if (*exact) {
        layers_size(&by, out);
    } else if (status == OG_STOPPED) {
        status = og_blocks_count(arms, INFINITY, settings, out, message);
    }
    layers_free(&by);
    return status;
}

og_status og_optimum_margin(const og_arms *arms, const og_settings *settings,
                            const og_blocks_size *blocks, og_margin_size *out)
{
    const og_optimum o = {.arms = arms, .settings = og_settings_filled(settings)};
    double work = blocks != NULL ? work_of(blocks, in_place(&o)) : INFINITY;
    og_margin *cut = NULL;
    *out = og_margin_none;
    if (o.settings.engine == OG_ENGINE_BLOCKS || by_recursion_only(&o) ||
        !has_margin(&o, &(question){.q = NULL}) || work <= moment_of(og_layers_nodes(arms))) {
        return OG_OK;
    }
    OG_TRY(og_margin_new(arms, NULL, 0, OG_CUT_LEAST, &o.settings, &cut));
    og_margin_get_size(cut, out);
    og_margin_free(cut);
    *out = is_tried(&o, out) && work >= work_for(out) ? *out : og_margin_none;
    return OG_OK;
}

og_layers_taken og_optimum_takes(const og_arms *arms, const og_settings *settings,
                                 const og_blocks_size *size)
{
    og_settings own = og_settings_filled(settings);
    const og_optimum o = {.arms = arms, .settings = own};
    double tables = og_layers_nodes(arms);
    if (own.engine == OG_ENGINE_BLOCKS) {
        return OG_LAYERS_AT_ONCE;
    }
    if (by_recursion_only(&o)) {
        return OG_LAYERS_NEVER;
    }
    bool at_once = tables > moment_entries && work_of(size, in_place(&o)) <= moment_of(tables);
    return at_once ? OG_LAYERS_AT_ONCE : OG_LAYERS_PERHAPS;
}
