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
    og_stop *stop;
    bool printed; /* with the misprinted weights */
} ranking_player;

/* ---- the belief: items, workers, number of pending answers, pending answers ---- */

static size_t numbers(const ranking_player *player)
{
    return (size_t)player->items + 2 * (size_t)player->workers;
}

static double *worker_of(const ranking_player *player, double *belief, const uint32_t act[3])
{
    return player->workers > 0 ? belief + player->items + 2 * act[2] : NULL;
}

static uint64_t *count_of(const ranking_player *player, void *belief)
{
    return (uint64_t *)((double *)belief + numbers(player));
}

static pending *list_of(const ranking_player *player, void *belief)
{
    return (pending *)(count_of(player, belief) + 1);
}

static size_t belief_bytes(const ranking_player *player)
{
    return numbers(player) * sizeof(double) +
           (player->batch > 1 ? sizeof(uint64_t) + (size_t)player->batch * sizeof(pending) : 0);
}

static og_status begin(void *self, void *scratch, void *belief, og_message *message)
{
    const ranking_player *player = self;
    (void)scratch, (void)message;
    memset(belief, 0, belief_bytes(player));
    memcpy(belief, player->start, numbers(player) * sizeof *player->start);
    return OG_OK;
}

static bool learn_one(const ranking_player *player, double *belief, const uint32_t act[3],
                      uint32_t answer)
{
    int32_t i = (int32_t)act[0], j = (int32_t)act[1];
    return og_ranking_match(belief, player->items, worker_of(player, belief, act),
                            answer == 1 ? i : j, answer == 1 ? j : i);
}

/* Applies the pending answers, in the order of their questions. */
static bool learn_batch(const ranking_player *player, void *belief)
{
    bool fine = true;
    uint64_t *count = count_of(player, belief);
    for (uint64_t k = 0; fine && k < *count; k++) {
        const pending *one = &list_of(player, belief)[k];
        fine = learn_one(player, belief, one->act, one->answer);
    }
    memset(count, 0, sizeof *count + (size_t)player->batch * sizeof(pending));
    return fine;
}

static bool waits(const ranking_player *player, const void *belief, const uint32_t act[3])
{
    void *own = (void *)belief; /* it is only read */
    const pending *list = list_of(player, own);
    for (uint64_t k = 0; k < *count_of(player, own); k++) {
        if (memcmp(list[k].act, act, sizeof list[k].act) == 0) {
            return true;
        }
    }
    return false;
}

static double learn(void *self, const og_strategy_view *view, og_act act, int32_t answer,
                    int32_t branch, void *after)
{
    const ranking_player *player = self;
    (void)branch;
    memcpy(after, view->belief, belief_bytes(player));
    if (player->batch == 1) {
        return learn_one(player, after, act.part, (uint32_t)answer) ? 1 : NAN;
    }
    uint64_t *count = count_of(player, after);
    bool whole = *count == (uint64_t)player->batch || waits(player, after, act.part);
    bool fine = !whole || learn_batch(player, after);
    list_of(player, after)[*count] =
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
    const ranking_player *player = self;
    const double *a = view->belief;
    if (player->batch > 1) {
        memcpy(view->scratch, a, belief_bytes(player));
        if (!learn_batch(player, view->scratch)) {
            return out_of_range(message);
        }
        a = view->scratch;
    }
    memcpy(decision, a, (size_t)player->items * sizeof *decision);
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
static og_status belief_of_batch(const ranking_player *player, const og_strategy_view *view,
                                 og_message *message)
{
    int32_t left = view->count;
    memcpy(view->scratch, view->belief, belief_bytes(player));
    if (player->batch == 1) {
        return OG_OK;
    }
    for (int32_t k = 0; k < view->count; k++) {
        left -= waits(player, view->belief, view->open[k].act.part);
    }
    bool whole = left == 0 || *count_of(player, view->scratch) == (uint64_t)player->batch;
    return whole && !learn_batch(player, view->scratch) ? out_of_range(message) : OG_OK;
}

static double printed_rise(const ranking_player *player, const double *a, const uint32_t act[3],
                           double now, double *after)
{
    int32_t i = (int32_t)act[0], j = (int32_t)act[1];
    double sorted[2];
    bool fine =
        og_ranking_outcomes(&(og_ranking_match_up){a, player->items, NULL, i, j}, after, sorted);
    return fine ? og_ranking_chance(a, NULL, i, j) * (sorted[0] - now + (sorted[1] - now)) : NAN;
}

static og_status choose_akg(void *self, const og_strategy_view *view, double *answer,
                            og_answer *kind, og_message *message)
{
    const ranking_player *player = self;
    double *a = view->scratch, *after = (double *)((char *)view->scratch + belief_bytes(player));
    OG_TRY(belief_of_batch(player, view, message));
    double now = player->printed ? og_ranking_sorted(a, player->items) : 0;
    if (!player->printed) {
        OG_TRY(og_ranking_rises(a, player->items, player->workers > 0 ? a + player->items : NULL,
                                view->open, view->count, player->stop, answer));
    }
    for (int32_t k = 0; k < view->count; k++) {
        if (player->printed) {
            OG_TRY(og_stop_asked(player->stop) ? OG_STOPPED : OG_OK);
            answer[k] = printed_rise(player, a, view->open[k].act.part, now, after);
        }
        if (isnan(answer[k])) {
            return out_of_range(message);
        }
        if (player->batch > 1 && waits(player, a, view->open[k].act.part)) {
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
    ranking_player *player = og_arena_new(sizeof *player);
    OG_TRY(OG_ALLOCATED(player));
    player->items = setting->items;
    player->workers = setting->workers;
    player->batch = batch;
    player->printed = printed;
    player->stop = setting->stop;
    player->start =
        og_arena_copy(&player->arena, setting->prior, numbers(player), sizeof *player->start);
    og_status status = og_arena_status(&player->arena);
    return OG_MADE(status, player, og_arena_free, out);
}

og_status og_ranking_player(const og_policy_name *named, const og_ranking_setting *setting,
                            struct og_strategy *out, og_message *message)
{
    size_t length = strcspn(named->name, ":");
    size_t row = 0;
    ranking_player *player;
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
                &player));
    size_t walk = rows[row].decide == decide_by_centrality
                      ? og_rank_centrality_room(player->items) * sizeof(double)
                      : 0;
    *out = (og_strategy){
        .self = player,
        .concurrent = true,
        .tie = rows[row].choose == og_strategy_choose_any ? 0 : OG_RANKING_TIE,
        .tie_relative = rows[row].choose == og_strategy_choose_any ? 0 : OG_RANKING_TIE,
        .belief_bytes = belief_bytes(player),
        .scratch_bytes = belief_bytes(player) + numbers(player) * sizeof(double) + walk,
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
static bool is_left(const chain_reduction *reduction, int32_t j, int32_t k)
{
    return j < k || (j > k && reduction->out[j] == 0);
}

/* Removes an item: moves to it continue at once to the next item. */
static void leave_out(const chain_reduction *reduction, int32_t k)
{
    const double *from = &reduction->move[(size_t)k * (size_t)reduction->items];
    reduction->out[k] = 0;
    for (int32_t j = 0; j < reduction->items; j++) {
        reduction->out[k] += is_left(reduction, j, k) ? from[j] : 0;
    }
    for (int32_t i = 0; reduction->out[k] > 0 && i < k; i++) {
        double *other = &reduction->move[(size_t)i * (size_t)reduction->items],
               share = other[k] / reduction->out[k];
        for (int32_t j = 0; share > 0 && j < reduction->items; j++) {
            other[j] += j != i && is_left(reduction, j, k) ? share * from[j] : 0;
        }
    }
    for (int32_t j = 0; reduction->out[k] > 0 && j < reduction->items; j++) {
        reduction->mass[j] +=
            is_left(reduction, j, k) ? reduction->mass[k] * (from[j] / reduction->out[k]) : 0;
    }
}

/* Computes the time that the walk spends at each item of its final class, relative to the absorbing
 * item of this class, which is written to `end`. */
static void put_back(const chain_reduction *reduction, double *score, int32_t *end)
{
    const double much = 0x1p500;
    for (int32_t k = 0; k < reduction->items; k++) {
        score[k] = reduction->out[k] > 0 ? 0 : 1;
        end[k] = k;
        for (int32_t i = 0; reduction->out[k] > 0 && i < k; i++) {
            double in = score[i] *
                        reduction->move[(size_t)i * (size_t)reduction->items + (size_t)k] /
                        reduction->out[k];
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
    chain_reduction reduction = {items, room, room + n * n, room + n * n + n};
    double *whole = reduction.out + n;
    int32_t *end = (int32_t *)(whole + n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double met = (double)won[i * n + j] + won[j * n + i];
            reduction.move[i * n + j] = met > 0 ? won[j * n + i] / met : 0;
        }
        reduction.mass[i] = 1. / items;
        whole[i] = 0;
    }
    for (int32_t k = items - 1; k >= 0; k--) {
        leave_out(&reduction, k);
    }
    put_back(&reduction, score, end);
    for (int32_t k = 0; k < items; k++) {
        whole[end[k]] += score[k];
    }
    for (int32_t k = 0; k < items; k++) {
        score[k] = score[k] > 0 ? score[k] / whole[end[k]] * reduction.mass[end[k]] : 0;
    }
}
