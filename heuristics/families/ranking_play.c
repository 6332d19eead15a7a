/* Policies for ranking in simulated runs: their beliefs, and their next comparisons. Policies with
 * other kinds of beliefs are in ranking_rivals.c. */
#include "heuristics/families/ranking_play.h"

#include <math.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/engine/strategy.h"
#include "heuristics/families/ranking_belief.h"
#include "heuristics/families/ranking_index.h"
#include "heuristics/families/ranking_policy.h"
#include "heuristics/families/ranking_rivals.h"

/* An answer that is applied to the belief only when its batch is complete. */
typedef struct {
    uint32_t act[3];
    uint32_t answer;
} pending;

typedef struct {
    og_arena arena;
    int32_t items, workers;
    int32_t batch; /* number of answers that are applied together */
    double *start; /* [items + 2 * workers] */
    bool printed;  /* with the misprinted weights */
} ranking_player;

/* ---- the belief: items, workers, number of pending answers, pending answers ---- */

static size_t numbers(const ranking_player *of)
{
    return (size_t)of->items + 2 * (size_t)of->workers;
}

static double *worker_of(const ranking_player *of, double *belief, const uint32_t act[3])
{
    return of->workers > 0 ? belief + of->items + 2 * act[2] : NULL;
}

static uint64_t *count_of(const ranking_player *of, void *belief)
{
    return (uint64_t *)((double *)belief + numbers(of));
}

static pending *list_of(const ranking_player *of, void *belief)
{
    return (pending *)(count_of(of, belief) + 1);
}

static size_t belief_bytes(const ranking_player *of)
{
    return numbers(of) * sizeof(double) +
           (of->batch > 1 ? sizeof(uint64_t) + (size_t)of->batch * sizeof(pending) : 0);
}

static og_status begin(void *self, void *scratch, void *belief, og_message *message)
{
    const ranking_player *of = self;
    (void)scratch, (void)message;
    memset(belief, 0, belief_bytes(of));
    memcpy(belief, of->start, numbers(of) * sizeof *of->start);
    return OG_OK;
}

static bool learn_one(const ranking_player *of, double *belief, const uint32_t act[3],
                      uint32_t answer)
{
    int32_t i = (int32_t)act[0], j = (int32_t)act[1];
    return og_ranking_match(belief, of->items, worker_of(of, belief, act), answer == 1 ? i : j,
                            answer == 1 ? j : i);
}

/* Applies the pending answers, in the order of their questions. */
static bool learn_batch(const ranking_player *of, void *belief)
{
    bool fine = true;
    uint64_t *count = count_of(of, belief);
    for (uint64_t k = 0; fine && k < *count; k++) {
        const pending *one = &list_of(of, belief)[k];
        fine = learn_one(of, belief, one->act, one->answer);
    }
    memset(count, 0, sizeof *count + (size_t)of->batch * sizeof(pending));
    return fine;
}

static bool waits(const ranking_player *of, const void *belief, const uint32_t act[3])
{
    void *own = (void *)belief; /* it is only read */
    const pending *list = list_of(of, own);
    for (uint64_t k = 0; k < *count_of(of, own); k++) {
        if (memcmp(list[k].act, act, sizeof list[k].act) == 0) {
            return true;
        }
    }
    return false;
}

static double learn(void *self, const og_strategy_view *view, og_act act, int32_t answer,
                    int32_t branch, void *after)
{
    const ranking_player *of = self;
    (void)branch;
    memcpy(after, view->belief, belief_bytes(of));
    if (of->batch == 1) {
        return learn_one(of, after, act.part, (uint32_t)answer) ? 1 : NAN;
    }
    uint64_t *count = count_of(of, after);
    bool whole = *count == (uint64_t)of->batch || waits(of, after, act.part);
    bool fine = !whole || learn_batch(of, after);
    list_of(of, after)[*count] =
        (pending){{act.part[0], act.part[1], act.part[2]}, (uint32_t)answer};
    ++*count;
    return fine ? 1 : NAN;
}

static og_status out_of_range(og_message *message)
{
    return og_message_set(message, OG_FAILED,
                          "a parameter of the belief leaves the range of doubles");
}

static og_status decide(void *self, const og_strategy_view *view, double *decision,
                        og_message *message)
{
    const ranking_player *of = self;
    const double *a = view->belief;
    if (of->batch > 1) {
        memcpy(view->scratch, a, belief_bytes(of));
        if (!learn_batch(of, view->scratch)) {
            return out_of_range(message);
        }
        a = view->scratch;
    }
    memcpy(decision, a, (size_t)of->items * sizeof *decision);
    return OG_OK;
}

static og_status decide_by_centrality(void *self, const og_strategy_view *view, double *decision,
                                      og_message *message)
{
    const og_ranking_played *shown = view->state;
    (void)self, (void)message;
    og_rank_centrality(shown->items, shown->won, decision, view->scratch);
    return OG_OK;
}

/* ---- choosing ---- */

/* The belief for choosing within a batch: that at its start, or that at the start of the next one.
 */
static og_status belief_of_batch(const ranking_player *of, const og_strategy_view *view,
                                 og_message *message)
{
    int32_t left = view->count;
    memcpy(view->scratch, view->belief, belief_bytes(of));
    if (of->batch == 1) {
        return OG_OK;
    }
    for (int32_t k = 0; k < view->count; k++) {
        left -= waits(of, view->belief, view->open[k].act.part);
    }
    bool whole = left == 0 || *count_of(of, view->scratch) == (uint64_t)of->batch;
    return whole && !learn_batch(of, view->scratch) ? out_of_range(message) : OG_OK;
}

static double printed_rise(const ranking_player *of, const double *a, const uint32_t act[3],
                           double now, double *after)
{
    int32_t i = (int32_t)act[0], j = (int32_t)act[1];
    double sorted[2];
    bool fine =
        og_ranking_outcomes(&(og_ranking_match_up){a, of->items, NULL, i, j}, after, sorted);
    return fine ? og_ranking_chance(a, NULL, i, j) * (sorted[0] - now + (sorted[1] - now)) : NAN;
}

static og_status choose_akg(void *self, const og_strategy_view *view, double *answer,
                            og_answer *kind, og_message *message)
{
    const ranking_player *of = self;
    double *a = view->scratch, *after = (double *)((char *)view->scratch + belief_bytes(of));
    OG_TRY(belief_of_batch(of, view, message));
    double now = of->printed ? og_ranking_sorted(a, of->items) : 0;
    if (!of->printed) {
        OG_TRY(og_ranking_rises(a, of->items, of->workers > 0 ? a + of->items : NULL, view->open,
                                view->count, answer));
    }
    for (int32_t k = 0; k < view->count; k++) {
        if (of->printed) {
            answer[k] = printed_rise(of, a, view->open[k].act.part, now, after);
        }
        if (isnan(answer[k])) {
            return out_of_range(message);
        }
        if (of->batch > 1 && waits(of, a, view->open[k].act.part)) {
            answer[k] = -INFINITY;
        }
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

/* ---- names ---- */

typedef enum { EITHER, WITHOUT_WORKERS } who;

static const struct {
    const char *name;
    og_strategy_choose *choose;
    og_strategy_decide *decide;
    who with;
    bool printed;
} rows[] = {
    {"uniform", og_strategy_choose_any, decide, EITHER, false},
    {"sorting", og_strategy_choose_any, decide, EITHER, false},
    {"distance", og_ranking_choose_nearest, decide, WITHOUT_WORKERS, false},
    {"akg", choose_akg, decide, EITHER, false},
    {"akg-printed", choose_akg, decide, WITHOUT_WORKERS, true},
    {"rc+uniform", og_strategy_choose_any, decide_by_centrality, EITHER, false},
    {"rc+akg", choose_akg, decide_by_centrality, EITHER, false},
};

enum { ROWS = sizeof rows / sizeof *rows };

static og_status make(const og_ranking_setting *setting, int32_t batch, bool printed,
                      ranking_player **out)
{
    ranking_player *of = og_arena_new(sizeof *of);
    OG_TRY(OG_ALLOCATED(of));
    of->items = setting->items;
    of->workers = setting->workers;
    of->batch = batch;
    of->printed = printed;
    of->start = og_arena_copy(&of->arena, setting->prior, numbers(of), sizeof *of->start);
    og_status status = og_arena_status(&of->arena);
    return OG_MADE(status, of, og_arena_free, out);
}

og_status og_ranking_player(const og_policy_name *named, const og_ranking_setting *setting,
                            struct og_strategy *out, og_message *message)
{
    size_t length = strcspn(named->name, ":");
    size_t row = 0;
    ranking_player *of;
    while (row < ROWS &&
           (strncmp(rows[row].name, named->name, length) != 0 || rows[row].name[length] != '\0')) {
        row++;
    }
    if (row == ROWS) {
        return og_ranking_rival(named, setting, out, message);
    }
    if (rows[row].with == WITHOUT_WORKERS && setting->workers > 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.64s' does not support workers of unknown reliability",
                              named->name);
    }
    OG_TRY(make(setting, named->has_parameter ? (int32_t)named->parameter : 1, rows[row].printed,
                &of));
    size_t walk = rows[row].decide == decide_by_centrality
                      ? og_rank_centrality_room(of->items) * sizeof(double)
                      : 0;
    *out = (og_strategy){.self = of,
                         .concurrent = true,
                         .tie = rows[row].choose == og_strategy_choose_any ? 0 : OG_RANKING_TIE,
                         .tie_relative =
                             rows[row].choose == og_strategy_choose_any ? 0 : OG_RANKING_TIE,
                         .belief_bytes = belief_bytes(of),
                         .scratch_bytes = belief_bytes(of) + numbers(of) * sizeof(double) + walk,
                         .begin = begin,
                         .learn = learn,
                         .choose = rows[row].choose,
                         .decide = rows[row].decide,
                         .free = og_arena_free};
    return OG_OK;
}

/* ---- rank centrality ---- */

/* The state reduction of Grassmann, Taksar and Heyman, Operations Research 33 (1985), 1107-1116. It
 * has no subtractions, so small scores keep their digits, and scores of items that the walk leaves
 * forever are exactly 0. */
typedef struct {
    int32_t items;
    double *move; /* [items * items] by rows: probabilities of a move, up to a common factor */
    double *mass; /* [items] probability that the walk starts, and later that it ends, there */
    double *out;  /* [items] sum of moves to the remaining items; 0: absorbing */
} chain_reduction;

/* True if j remains when k is removed: all items before k, and absorbing ones after k. */
static bool is_left(const chain_reduction *of, int32_t j, int32_t k)
{
    return j < k || (j > k && of->out[j] == 0);
}

/* Removes an item: moves to it continue at once to the next item. */
static void leave_out(const chain_reduction *of, int32_t k)
{
    const double *from = &of->move[(size_t)k * (size_t)of->items];
    of->out[k] = 0;
    for (int32_t j = 0; j < of->items; j++) {
        of->out[k] += is_left(of, j, k) ? from[j] : 0;
    }
    for (int32_t i = 0; of->out[k] > 0 && i < k; i++) {
        double *other = &of->move[(size_t)i * (size_t)of->items], share = other[k] / of->out[k];
        for (int32_t j = 0; share > 0 && j < of->items; j++) {
            other[j] += j != i && is_left(of, j, k) ? share * from[j] : 0;
        }
    }
    for (int32_t j = 0; of->out[k] > 0 && j < of->items; j++) {
        of->mass[j] += is_left(of, j, k) ? of->mass[k] * (from[j] / of->out[k]) : 0;
    }
}

/* Computes the time that the walk spends at each item of its final class, relative to the absorbing
 * item of this class, which is written to `end`. */
static void put_back(const chain_reduction *of, double *score, int32_t *end)
{
    const double much = 0x1p500;
    for (int32_t k = 0; k < of->items; k++) {
        score[k] = of->out[k] > 0 ? 0 : 1;
        end[k] = k;
        for (int32_t i = 0; of->out[k] > 0 && i < k; i++) {
            double in = score[i] * of->move[(size_t)i * (size_t)of->items + (size_t)k] / of->out[k];
            score[k] += in;
            end[k] = in > 0 ? end[i] : end[k];
        }
        for (int32_t i = 0; score[k] > much && i < k; i++) {
            score[i] *= end[i] == end[k] ? 1 / much : 1;
        }
        score[k] *= score[k] > much ? 1 / much : 1;
    }
}

size_t og_rank_centrality_room(int32_t items)
{
    return (size_t)items * ((size_t)items + 4);
}

void og_rank_centrality(int32_t items, const int32_t *won, double *score, double *room)
{
    const size_t n = (size_t)items;
    chain_reduction of = {items, room, room + n * n, room + n * n + n};
    double *whole = of.out + n;
    int32_t *end = (int32_t *)(whole + n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double met = (double)won[i * n + j] + won[j * n + i];
            of.move[i * n + j] = met > 0 ? won[j * n + i] / met : 0;
        }
        of.mass[i] = 1. / items;
        whole[i] = 0;
    }
    for (int32_t k = items - 1; k >= 0; k--) {
        leave_out(&of, k);
    }
    put_back(&of, score, end);
    for (int32_t k = 0; k < items; k++) {
        whole[end[k]] += score[k];
    }
    for (int32_t k = 0; k < items; k++) {
        score[k] = score[k] > 0 ? score[k] / whole[end[k]] * of.mass[end[k]] : 0;
    }
}
