/*
 * Computes values of task assignment by a walk over all histories. A subtree's value is not
 * normalised: it is the sum over its leaves of the probability of the policy's draws times
 * Pr(labels) times the correct calls. So the values of a label's two answers are added, and no
 * probability of a label is needed. Threads evaluate the subtrees below a cut; the part above the
 * cut is walked again with their values, in the same order of sums.
 */
#include "heuristics/families/assignment_histories.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"
#include "dp/base/parallel.h"

/* A value in doubles or, if `exact`, in fractions. */
typedef struct {
    double number[OG_ASSIGNMENT_VALUES];
    mpq_t exact[OG_ASSIGNMENT_VALUES];
} history_worth;

/* One level of the walk. */
typedef struct {
    og_arena arena;
    void *state, *child, *tossed;
    og_assignment_choice cells;
    history_worth branch, below; /* values of one cell; of one answer */
} frame;

/* States at the cut, later their values. */
typedef struct {
    char *state;
    size_t state_room;
    double (*value)[OG_ASSIGNMENT_VALUES];
    int64_t count, next;
} frontier;

typedef enum { WHOLE, COLLECT, REPLAY } pass;

typedef struct {
    const og_assignment_histories *histories;
    bool exact;
    pass pass;
    int32_t cut; /* number of labels above the cut */
    frontier *at_cut;
    frame **frame; /* [frame_count] */
    size_t frame_count, frame_room;
    double *positive, *decision, *plus, *minus; /* [tasks] */
    mpq_t *exact_plus, *exact_minus, *scratch;  /* [tasks], [tasks], [2] */
    og_arena arena;
    _Atomic int64_t *leaves; /* number of leaves so far, shared by all threads */
    int64_t leaves_max;
    og_message *message; /* NULL except in the calling thread */
} walker;

enum { SCRATCH = 2, FRONTIER = 64, LOOK = 64 };

/* ---- room ---- */

static void worth_init(history_worth *worth)
{
    for (int v = 0; v < OG_ASSIGNMENT_VALUES; v++) {
        mpq_init(worth->exact[v]);
    }
}

static void worth_clear(history_worth *worth)
{
    for (int v = 0; v < OG_ASSIGNMENT_VALUES; v++) {
        mpq_clear(worth->exact[v]);
    }
}

static og_status make_frame(const walker *w, frame **out)
{
    const og_assignment *problem = w->histories->problem;
    size_t bytes = w->histories->player->state_bytes;
    frame *at = og_arena_new(sizeof *at);
    OG_TRY(OG_ALLOCATED(at));
    at->state = og_arena_array(&at->arena, bytes, 1);
    at->child = og_arena_array(&at->arena, bytes, 1);
    at->tossed = og_arena_array(&at->arena, bytes, 1);
    at->cells.cell =
        og_arena_array(&at->arena, (size_t)og_assignment_cells(problem), sizeof *at->cells.cell);
    at->cells.chance =
        og_arena_array(&at->arena, (size_t)problem->workers, sizeof *at->cells.chance);
    OG_TRY(og_arena_whole(at));
    if (w->exact) {
        worth_init(&at->branch);
        worth_init(&at->below);
    }
    *out = at;
    return OG_OK;
}

static og_status reach(walker *w, size_t depth)
{
    if (depth < w->frame_count) {
        return OG_OK;
    }
    frame **grown = og_grown(w->frame, &w->frame_room, depth + 1, sizeof(frame *));
    OG_TRY(OG_ALLOCATED(grown));
    w->frame = grown;
    OG_TRY(make_frame(w, &grown[depth]));
    w->frame_count++;
    return OG_OK;
}

static og_status walker_init(walker *w, const og_assignment_histories *histories, bool exact,
                             _Atomic int64_t *leaves, int64_t leaves_max)
{
    size_t tasks = (size_t)histories->problem->tasks;
    *w = (walker){
        .histories = histories, .exact = exact, .leaves = leaves, .leaves_max = leaves_max};
    w->positive = og_arena_array(&w->arena, tasks, sizeof *w->positive);
    w->decision = og_arena_array(&w->arena, tasks, sizeof *w->decision);
    w->plus = og_arena_array(&w->arena, tasks, sizeof *w->plus);
    w->minus = og_arena_array(&w->arena, tasks, sizeof *w->minus);
    if (exact) {
        w->exact_plus = og_arena_fractions(&w->arena, tasks);
        w->exact_minus = og_arena_fractions(&w->arena, tasks);
        w->scratch = og_arena_fractions(&w->arena, SCRATCH);
    }
    return og_arena_status(&w->arena);
}

static void walker_clear(walker *w)
{
    for (size_t k = 0; k < w->frame_count; k++) {
        if (w->exact) {
            worth_clear(&w->frame[k]->branch);
            worth_clear(&w->frame[k]->below);
        }
        og_arena_free(w->frame[k]);
    }
    free(w->frame);
    og_arena_clear(&w->arena);
}

/* ---- sums ---- */

static void set_zero(const walker *w, history_worth *to)
{
    for (int v = 0; v < OG_ASSIGNMENT_VALUES; v++) {
        to->number[v] = 0;
        if (w->exact) {
            mpq_set_ui(to->exact[v], 0, 1);
        }
    }
}

/* Adds what / share to fractions, and what * chance to doubles. */
static void add(const walker *w, history_worth *to, const history_worth *what, double chance,
                int32_t share)
{
    for (int v = 0; v < OG_ASSIGNMENT_VALUES; v++) {
        to->number[v] += what->number[v] * chance;
        if (w->exact) {
            mpq_set_ui(w->scratch[0], 1, (uint32_t)share);
            mpq_mul(w->scratch[0], w->scratch[0], what->exact[v]);
            mpq_add(to->exact[v], to->exact[v], w->scratch[0]);
        }
    }
}

/* True if x has the larger value with the policy's calls. */
static bool more(const walker *w, const history_worth *x, const history_worth *y)
{
    return w->exact ? mpq_cmp(x->exact[OG_ASSIGNMENT_OWN], y->exact[OG_ASSIGNMENT_OWN]) > 0
                    : x->number[OG_ASSIGNMENT_OWN] > y->number[OG_ASSIGNMENT_OWN];
}

/* ---- leaves ---- */

static og_status score_exact(walker *w, const int8_t *label, int32_t labels, history_worth *out)
{
    int32_t tasks = w->histories->problem->tasks;
    mpq_t *sum = &w->scratch[0], *part = &w->scratch[1];
    OG_TRY(og_assignment_weigh_exact(w->histories->problem, label, out->exact[OG_ASSIGNMENT_LABELS],
                                     w->exact_plus, w->exact_minus));
    mpq_set_si(*part, labels, 1);
    mpq_mul(out->exact[OG_ASSIGNMENT_LABELS], out->exact[OG_ASSIGNMENT_LABELS], *part);
    for (int v = OG_ASSIGNMENT_OWN; v <= OG_ASSIGNMENT_CALLED; v++) {
        mpq_set_ui(*sum, 0, 1);
        for (int32_t i = 0; i < tasks; i++) {
            mpq_t *plus = &w->exact_plus[i], *minus = &w->exact_minus[i];
            bool called = v == OG_ASSIGNMENT_CALLED;
            bool plus_called = called ? mpq_cmp(*plus, *minus) > 0 : w->positive[i] == 1;
            if (!called && w->positive[i] == 0.5) {
                mpq_add(*part, *plus, *minus);
                mpq_div_2exp(*part, *part, 1);
            } else {
                mpq_set(*part, plus_called ? *plus : *minus);
            }
            mpq_add(*sum, *sum, *part);
        }
        mpq_set_ui(*part, 1, (uint32_t)tasks);
        mpq_mul(out->exact[v], *sum, *part);
    }
    return OG_OK;
}

static og_status score(walker *w, const void *state, int32_t labels, history_worth *out)
{
    const og_assignment_player *player = w->histories->player;
    const int8_t *label = state;
    int32_t tasks = w->histories->problem->tasks;
    player->call(player->self, state, w->positive);
    if (w->exact) {
        return score_exact(w, label, labels, out);
    }
    for (int32_t i = 0; i < tasks; i++) {
        w->decision[i] = 2 * w->positive[i] - 1;
    }
    double chance = og_assignment_weigh(w->histories->posterior, label, w->plus, w->minus);
    out->number[OG_ASSIGNMENT_OWN] =
        og_assignment_scored(tasks, w->plus, w->minus, w->decision) / tasks;
    out->number[OG_ASSIGNMENT_CALLED] = og_assignment_called(tasks, w->plus, w->minus) / tasks;
    out->number[OG_ASSIGNMENT_LABELS] = chance * labels;
    return OG_OK;
}

static og_status count_leaf(const walker *w)
{
    int64_t before = atomic_fetch_add_explicit(w->leaves, 1, memory_order_relaxed);
    bool asked = before % LOOK == 0 && og_stop_asked(w->histories->stop);
    return before >= w->leaves_max || asked ? OG_STOPPED : OG_OK;
}

/* ---- the walk ---- */

static og_status walk(walker *w, size_t depth, int32_t labels, history_worth *out);

static og_status walk_from(walker *w, size_t depth, const void *state, int32_t labels,
                           history_worth *out)
{
    OG_TRY(reach(w, depth));
    memcpy(w->frame[depth]->state, state, w->histories->player->state_bytes);
    return walk(w, depth, labels, out);
}

/* Adds one answer, with the coin after it. */
static og_status walk_answer(walker *w, size_t depth, int32_t labels, int32_t cell, int8_t label)
{
    const og_assignment_player *player = w->histories->player;
    frame *at = w->frame[depth];
    memcpy(at->child, at->state, player->state_bytes);
    bool coin = player->tell(player->self, at->child, cell, label);
    for (int side = 1; side >= (coin ? -1 : 1); side -= 2) {
        memcpy(at->tossed, at->child, player->state_bytes);
        if (coin) {
            player->toss(player->self, at->tossed, (int8_t)side);
        }
        OG_TRY(walk_from(w, depth + 1, at->tossed, labels + 1, &at->below));
        add(w, &at->branch, &at->below, coin ? 0.5 : 1, coin ? 2 : 1);
    }
    return OG_OK;
}

static og_status walk_cell(walker *w, size_t depth, int32_t labels, int32_t cell)
{
    int8_t known = ((const int8_t *)w->frame[depth]->state)[cell];
    set_zero(w, &w->frame[depth]->branch);
    if (known != 0) {
        return walk_answer(w, depth, labels, cell, known);
    }
    OG_TRY(walk_answer(w, depth, labels, cell, 1));
    return walk_answer(w, depth, labels, cell, -1);
}

/* Computes the mean, the best or the worst of the cells, according to the tie rule. */
static og_status walk_cells(walker *w, size_t depth, int32_t labels, og_assignment_move move,
                            history_worth *out)
{
    const frame *at = w->frame[depth];
    og_ties ties = move == OG_ASSIGNMENT_TIED ? w->histories->ties : OG_TIES_RANDOM;
    bool best = ties == OG_TIES_BEST, worst = ties == OG_TIES_WORST;
    int32_t count = ties == OG_TIES_FIRST ? 1 : at->cells.count;
    set_zero(w, out);
    for (int32_t k = 0; k < count; k++) {
        OG_TRY(walk_cell(w, depth, labels, at->cells.cell[k]));
        if (!best && !worst) {
            double chance = move == OG_ASSIGNMENT_DRAWN ? at->cells.chance[k] : 1. / count;
            add(w, out, &at->branch, chance, count);
        } else if (k == 0 || (best ? more(w, &at->branch, out) : more(w, out, &at->branch))) {
            set_zero(w, out);
            add(w, out, &at->branch, 1, 1);
        }
    }
    return OG_OK;
}

/* At the cut: stores the state, or returns its stored value. */
static og_status at_cut(walker *w, const void *state, history_worth *out)
{
    frontier *at = w->at_cut;
    size_t bytes = w->histories->player->state_bytes;
    if (w->pass == REPLAY) {
        memcpy(out->number, at->value[at->next++], sizeof out->number);
        return OG_OK;
    }
    char *grown = og_grown(at->state, &at->state_room, ((size_t)at->count + 1) * bytes, 1);
    OG_TRY(OG_ALLOCATED(grown));
    at->state = grown;
    memcpy(grown + (size_t)at->count++ * bytes, state, bytes);
    return OG_OK;
}

/* Computes the value of the subtree below the state in the frame of this depth. */
static og_status walk(walker *w, size_t depth, int32_t labels, history_worth *out)
{
    const og_assignment_player *player = w->histories->player;
    frame *at = w->frame[depth];
    if (w->pass != WHOLE && labels == w->cut) {
        return at_cut(w, at->state, out);
    }
    og_assignment_move move = OG_ASSIGNMENT_OVER;
    if (labels != w->histories->budget) {
        move = player->next(player->self, at->state, &at->cells);
    }
    if (move == OG_ASSIGNMENT_DRAWN && w->exact) {
        return og_message_set(
            w->message, OG_BAD_INPUT,
            "--arithmetic exact does not support bbta, whose probabilities are not "
            "fractions");
    }
    if (move != OG_ASSIGNMENT_OVER) {
        return walk_cells(w, depth, labels, move, out);
    }
    OG_TRY(w->pass != COLLECT ? count_leaf(w) : OG_OK);
    return score(w, at->state, labels, out);
}

static og_status walk_root(walker *w, history_worth *out)
{
    const og_assignment_player *player = w->histories->player;
    OG_TRY(reach(w, 0));
    player->begin(player->self, w->frame[0]->state);
    return walk(w, 0, 0, out);
}

/* ---- with threads ---- */

typedef struct {
    const og_assignment_histories *histories;
    walker *walker; /* [threads] */
    frontier at_cut;
} team;

static og_status walk_subtree(void *context, int thread, int64_t item)
{
    team *all = context;
    walker *w = &all->walker[thread];
    history_worth out = {.number = {0}};
    OG_TRY(walk_from(w, 0, all->at_cut.state + (size_t)item * all->histories->player->state_bytes,
                     w->cut, &out));
    memcpy(all->at_cut.value[item], out.number, sizeof out.number);
    return OG_OK;
}

/* Lowers the cut until it has at least FRONTIER states, and collects them; none if the tree is not
 * as deep. */
static og_status collect(walker *w, frontier *at_cut)
{
    history_worth ignored = {.number = {0}};
    w->pass = COLLECT;
    w->at_cut = at_cut;
    do {
        at_cut->count = 0;
        w->cut++;
        OG_TRY(walk_root(w, &ignored));
    } while (at_cut->count > 0 && at_cut->count < FRONTIER);
    return OG_OK;
}

static og_status walk_by_threads(team *all, walker *top, int threads, history_worth *out)
{
    OG_TRY(collect(top, &all->at_cut));
    all->at_cut.value = calloc((size_t)all->at_cut.count + 1, sizeof *all->at_cut.value);
    OG_TRY(OG_ALLOCATED(all->at_cut.value));
    for (int t = 0; t < threads; t++) {
        all->walker[t].cut = top->cut;
    }
    OG_TRY(og_parallel_items(threads, all->at_cut.count, 1, walk_subtree, all));
    top->pass = REPLAY;
    return walk_root(top, out);
}

/* Initialises the team's walkers; walker[threads] is zeroed. */
static og_status init_team(team *all, int threads, _Atomic int64_t *leaves, int64_t leaves_max)
{
    og_status status = OG_OK;
    all->walker = calloc((size_t)threads, sizeof *all->walker);
    OG_TRY(OG_ALLOCATED(all->walker));
    for (int t = 0; t < threads; t++) {
        OG_THEN(status, walker_init(&all->walker[t], all->histories, false, leaves, leaves_max));
    }
    return status;
}

static og_status value_by_threads(const og_assignment_histories *histories, walker *top,
                                  int threads, history_worth *out)
{
    team all = {.histories = histories};
    og_status status = init_team(&all, threads, top->leaves, top->leaves_max);
    OG_THEN(status, walk_by_threads(&all, top, threads, out));
    for (int t = 0; all.walker != NULL && t < threads; t++) {
        walker_clear(&all.walker[t]);
    }
    free(all.walker);
    free(all.at_cut.state);
    free(all.at_cut.value);
    return status;
}

/* Sets the message if the limit on leaves was the reason for stopping. */
static og_status too_many(const walker *w, og_status status, og_message *message)
{
    if (status != OG_STOPPED || atomic_load(w->leaves) <= w->leaves_max) {
        return status;
    }
    return og_message_set(message, OG_STOPPED,
                          "the policy has more than %" PRId64
                          " histories; --max-histories takes up to "
                          "%" PRId64,
                          w->leaves_max, OG_ASSIGNMENT_LEAVES_MAX);
}

og_status og_assignment_value(const og_assignment_histories *question, og_assignment_valued *out,
                              og_message *message)
{
    const int64_t soon = 2048; /* with fewer leaves, threads cost more than they save */
    const og_assignment *problem = question->problem;
    int threads = og_thread_count(question->threads);
    bool alone = threads == 1 || question->leaves_max <= soon;
    _Atomic int64_t leaves = 0;
    walker w;
    history_worth found = {.number = {0}};
    og_status status =
        walker_init(&w, question, false, &leaves, alone ? question->leaves_max : soon);
    w.message = message;
    OG_THEN(status, walk_root(&w, &found));
    if (status == OG_STOPPED && !alone && atomic_load(&leaves) > soon) {
        atomic_store(&leaves, 0);
        w.leaves_max = question->leaves_max;
        status = value_by_threads(question, &w, threads, &found);
    }
    status = too_many(&w, status, message);
    if (status == OG_OK) {
        double steps = (double)(w.frame_count + (size_t)problem->tasks + 4);
        *out = (og_assignment_valued){.leaves = leaves, .error = question->posterior->error};
        out->error += steps * ((double)og_assignment_cells(problem) + 4) * DBL_EPSILON;
        memcpy(out->value, found.number, sizeof out->value);
    }
    walker_clear(&w);
    return status;
}

og_status og_assignment_value_exact(const og_assignment_histories *question, mpq_t *value,
                                    og_message *message)
{
    _Atomic int64_t leaves = 0;
    walker w;
    history_worth found = {.number = {0}};
    og_status status = walker_init(&w, question, true, &leaves, question->leaves_max);
    w.message = message;
    worth_init(&found);
    OG_THEN(status, walk_root(&w, &found));
    status = too_many(&w, status, message);
    for (int v = 0; status == OG_OK && v < OG_ASSIGNMENT_VALUES; v++) {
        mpq_set(value[v], found.exact[v]);
    }
    worth_clear(&found);
    walker_clear(&w);
    return status;
}

/* ---- regret ---- */

typedef struct {
    walker w;
    const int8_t *label; /* the matrix of labels */
    double *lost;        /* [contexts * workers] expected loss of each worker */
    double *loss;        /* [workers] losses in one step */
    double drawn;
} regret_walk;

static void count_losses(regret_walk *regrets, const frame *at, double chance)
{
    const og_assignment_histories *question = regrets->w.histories;
    const og_assignment_player *player = question->player;
    int32_t workers = question->problem->workers, task = at->cells.cell[0] / workers;
    double *lost = regrets->lost + question->problem->context[task] * workers;
    player->losses(player->self, at->state, task, regrets->label + (size_t)task * (size_t)workers,
                   regrets->loss);
    for (int32_t b = 0; b < workers; b++) {
        lost[b] += chance * regrets->loss[b];
    }
    for (int32_t k = 0; k < at->cells.count; k++) {
        regrets->drawn += chance * at->cells.chance[k] * regrets->loss[at->cells.cell[k] % workers];
    }
}

/* Continues from the state in the frame of this depth, which has this probability. */
static og_status walk_fixed(regret_walk *regrets, size_t depth, int32_t labels, double chance)
{
    const og_assignment_player *player = regrets->w.histories->player;
    frame *at = regrets->w.frame[depth];
    og_assignment_move move = OG_ASSIGNMENT_OVER;
    if (labels != regrets->w.histories->budget) {
        move = player->next(player->self, at->state, &at->cells);
    }
    if (move == OG_ASSIGNMENT_OVER) {
        return count_leaf(&regrets->w);
    }
    if (move == OG_ASSIGNMENT_DRAWN) {
        count_losses(regrets, at, chance);
    }
    for (int32_t k = 0; k < at->cells.count; k++) {
        int32_t cell = at->cells.cell[k];
        double drawn = move == OG_ASSIGNMENT_DRAWN ? at->cells.chance[k] : 1. / at->cells.count;
        OG_TRY(reach(&regrets->w, depth + 1));
        memcpy(at->child, at->state, player->state_bytes);
        bool coin = player->tell(player->self, at->child, cell, regrets->label[cell]);
        for (int side = 1; side >= (coin ? -1 : 1); side -= 2) {
            void *state = regrets->w.frame[depth + 1]->state;
            memcpy(state, at->child, player->state_bytes);
            if (coin) {
                player->toss(player->self, state, (int8_t)side);
            }
            OG_TRY(walk_fixed(regrets, depth + 1, labels + 1, chance * drawn * (coin ? 0.5 : 1)));
        }
    }
    return OG_OK;
}

/* The sum over contexts of the loss of each context's best worker. */
static double best_loss(const regret_walk *regrets)
{
    const og_assignment *problem = regrets->w.histories->problem;
    double sum = 0;
    for (int32_t s = 0; s < problem->contexts; s++) {
        double least = INFINITY;
        for (int32_t b = 0; b < problem->workers; b++) {
            least = fmin(least, regrets->lost[s * problem->workers + b]);
        }
        sum += least;
    }
    return sum;
}

og_status og_assignment_regret_of(const og_assignment_histories *question, const int8_t *label,
                                  og_assignment_regret *out, og_message *message)
{
    const og_assignment *problem = question->problem;
    size_t workers = (size_t)problem->workers;
    _Atomic int64_t leaves = 0;
    regret_walk regrets = {.label = label};
    if (question->player->losses == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "regret supports only policy bbta");
    }
    og_status status = walker_init(&regrets.w, question, false, &leaves, question->leaves_max);
    regrets.lost =
        og_arena_array(&regrets.w.arena, (size_t)problem->contexts * workers, sizeof *regrets.lost);
    regrets.loss = og_arena_array(&regrets.w.arena, workers, sizeof *regrets.loss);
    OG_THEN(status, og_arena_status(&regrets.w.arena));
    OG_THEN(status, reach(&regrets.w, 0));
    if (status == OG_OK) {
        question->player->begin(question->player->self, regrets.w.frame[0]->state);
        status = too_many(&regrets.w, walk_fixed(&regrets, 0, 0, 1), message);
    }
    if (status == OG_OK) {
        *out = (og_assignment_regret){regrets.drawn, best_loss(&regrets), leaves};
    }
    walker_clear(&regrets.w);
    return status;
}
