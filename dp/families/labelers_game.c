/*
 * The tables of a game with labelers: the sets that may be asked, the information in their votes,
 * and their values under each hypothesis. A history only changes the weights of the hypotheses.
 */
#include "dp/families/labelers_game.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/families/labelers_rule.h"

void og_labelers_problem_free(og_labelers_problem *game)
{
    og_arena_free(game);
}

/* The probability of these votes, or of their complement. */
static double votes_chance(const og_labelers *labelers, uint32_t asked, uint32_t ones)
{
    double right = 1, wrong = 1;
    for (int32_t i = 0; i < labelers->count; i++) {
        if ((asked >> i & 1) != 0) {
            bool one = (ones >> i & 1) != 0;
            right *= one ? labelers->chance[i] : labelers->chance_wrong[i];
            wrong *= one ? labelers->chance_wrong[i] : labelers->chance[i];
        }
    }
    return right + wrong;
}

/* ---- sets ---- */

static bool is_allowed(const og_labelers_problem *game, uint32_t members)
{
    uint32_t all = (UINT32_C(1) << game->prior->count) - 1;
    return members == 0
               ? game->rules.nobody
               : members == all || !game->rules.odd || __builtin_popcount(members) % 2 != 0;
}

static int compare_choices(const void *x, const void *y)
{
    uint32_t one = ((const og_labelers_choice *)x)->members;
    uint32_t other = ((const og_labelers_choice *)y)->members;
    uint32_t apart = one ^ other;
    int size = __builtin_popcount(one) - __builtin_popcount(other);
    return size != 0 ? size : (one & apart & (~apart + 1)) != 0 ? -1 : 1;
}

static void list_choices(og_labelers_problem *game)
{
    for (uint32_t x = 0; x < UINT32_C(1) << game->prior->count; x++) {
        if (is_allowed(game, x)) {
            game->choice[game->choices++].members = x;
        }
    }
    qsort(game->choice, (size_t)game->choices, sizeof *game->choice, compare_choices);
}

/* Votes in which the first member has a one also represent their complements. */
static bool is_first(uint32_t members, uint32_t ones)
{
    return (ones & ~members) == 0 && (ones & members & (~members + 1)) != 0;
}

/* True if these votes are more likely under one hypothesis than under another. */
static bool tells_something(const og_labelers_prior *prior, uint32_t members)
{
    for (uint32_t ones = members; ones > 0; ones = (ones - 1) & members) {
        double chance = votes_chance(&prior->at[0], members, ones);
        for (int32_t h = 1; is_first(members, ones) && h < prior->hypotheses; h++) {
            if (votes_chance(&prior->at[h], members, ones) != chance) {
                return true;
            }
        }
    }
    return false;
}

static void count_kinds(og_labelers_problem *game)
{
    for (int32_t c = 0; c < game->choices; c++) {
        og_labelers_choice *choice = &game->choice[c];
        int32_t size = __builtin_popcount(choice->members);
        bool tells = size > 1 && tells_something(game->prior, choice->members);
        choice->kind_first = game->kinds;
        choice->kinds = tells ? 1 << (size - 1) : 0;
        game->kinds += choice->kinds;
    }
}

/* ---- tables ---- */

static void fill_kinds(og_labelers_problem *game)
{
    size_t hypotheses = (size_t)game->prior->hypotheses, times = (size_t)game->rules.budget + 1;
    for (int32_t c = 0; c < game->choices; c++) {
        const og_labelers_choice *choice = &game->choice[c];
        size_t kind = (size_t)choice->kind_first;
        for (uint32_t ones = 0; choice->kinds > 0 && ones <= choice->members; ones++) {
            if (!is_first(choice->members, ones)) {
                continue;
            }
            game->kind_ones[kind] = ones;
            for (size_t h = 0; h < hypotheses; h++) {
                double chance = votes_chance(&game->prior->at[h], choice->members, ones);
                double *power = &game->power[(kind * hypotheses + h) * times];
                game->chance[kind * hypotheses + h] = chance;
                power[0] = 1;
                for (size_t n = 1; n < times; n++) {
                    power[n] = power[n - 1] * chance;
                }
            }
            kind++;
        }
    }
}

static double cost_of(const og_labelers_problem *game, uint32_t members)
{
    double cost = 0;
    for (int32_t i = 0; i < game->prior->count; i++) {
        cost += (members >> i & 1) != 0 ? og_fraction_double(game->prior->at[0].cost[i]) : 0;
    }
    return cost;
}

static og_status fill_worth(og_labelers_problem *game)
{
    size_t hypotheses = (size_t)game->prior->hypotheses;
    double price = og_fraction_double(game->rules.price);
    og_votes votes;
    for (int32_t c = 0; c < game->choices; c++) {
        game->cost[c] = cost_of(game, game->choice[c].members);
    }
    for (size_t h = 0; h < hypotheses; h++) {
        OG_TRY(og_votes_make(&game->prior->at[h], &votes));
        game->most[h] = -INFINITY;
        for (int32_t c = 0; c < game->choices; c++) {
            uint32_t members = game->choice[c].members;
            double right = votes.majority[members];
            if (game->rules.weighted) {
                const og_labelers *at = &game->prior->at[h];
                OG_TRY(og_votes_weighted(at, at, members, &right));
            }
            double worth = right - price * game->cost[c];
            game->worth[(size_t)c * hypotheses + h] = worth;
            game->most[h] = fmax(game->most[h], worth);
            game->scale = fmax(game->scale, fabs(worth));
        }
    }
    return OG_OK;
}

/* The weights after the history. */
static og_status weigh(og_labelers_problem *game, og_message *message)
{
    const og_labelers_prior *prior = game->prior;
    double sum = 0;
    memcpy(game->weight, prior->weight, (size_t)prior->hypotheses * sizeof *game->weight);
    game->alike = prior->alike;
    for (int32_t n = 0; n < game->rules.had; n++) {
        og_labelers_votes votes = game->rules.history[n];
        game->alike = game->alike && __builtin_popcount(votes.asked) < 2;
        sum = 0;
        for (int32_t h = 0; h < prior->hypotheses; h++) {
            game->weight[h] *= votes_chance(&prior->at[h], votes.asked, votes.ones);
            sum += game->weight[h];
        }
        for (int32_t h = 0; sum > 0 && h < prior->hypotheses; h++) {
            game->weight[h] /= sum;
        }
        if (!(sum > 0)) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--history: the votes of task %" PRId32
                                  " are impossible with these accuracies",
                                  n + 1);
        }
    }
    return OG_OK;
}

/* ---- omitted choices ---- */

/* True if no hypothesis has a labeler who is wrong more often than right, and votes are free. */
static bool more_is_better(const og_labelers_problem *game)
{
    bool better = game->rules.price.num == 0 && !game->rules.weighted;
    for (int32_t h = 0; h < game->prior->hypotheses; h++) {
        for (int32_t i = 0; i < game->prior->count; i++) {
            better = better && game->prior->at[h].chance[i] >= 0.5;
        }
    }
    return better;
}

void og_labelers_left_out(const og_labelers_problem *game, bool *left_out)
{
    bool better = more_is_better(game);
    for (int32_t c = 0; c < game->choices; c++) {
        int32_t size = __builtin_popcount(game->choice[c].members);
        left_out[c] =
            game->choice[c].kinds == 0 || (better && size % 2 == 0 && size < game->prior->count);
    }
}

/* ---- values ---- */

double og_labelers_told(const og_labelers_problem *game)
{
    return og_labelers_mean(game, game->weight, game->most);
}

int32_t og_labelers_greedy(const og_labelers_problem *game, const double *weight)
{
    size_t hypotheses = (size_t)game->prior->hypotheses;
    double largest = -INFINITY;
    int32_t c = 0;
    for (int32_t k = 0; k < game->choices; k++) {
        largest =
            fmax(largest, og_labelers_mean(game, weight, &game->worth[(size_t)k * hypotheses]));
    }
    while (og_labelers_mean(game, weight, &game->worth[(size_t)c * hypotheses]) <
           largest - OG_LABELERS_TIE * game->scale) {
        c++;
    }
    return c;
}

/*
 * A weight has the roundings of its T powers and their product, twice because it is divided by
 * their sum; so has the value of a task. A value adds T of these, each with as many probabilities.
 */
static double error_of(const og_labelers_problem *game)
{
    const og_labelers_prior *prior = game->prior;
    double steps = game->kinds > 0 ? game->rules.budget : 0; /* the steps that give information */
    double votes = (steps + game->rules.had) * (prior->count + 4);
    double own = votes + prior->hypotheses + game->kinds +
                 og_labelers_error(prior->count) / DBL_EPSILON + 32;
    double of_prior = ((steps + game->rules.had) * prior->count + 1) * prior->error;
    return 2 * (steps + 1) * (own * DBL_EPSILON + of_prior);
}

/* The number of votes of all sets under all hypotheses: some seconds at most. */
static og_status check_votes(const og_labelers_prior *prior, og_message *message)
{
    const double most = 1e8;
    double votes = pow(3, prior->count) * prior->hypotheses;
    return votes <= most
               ? OG_OK
               : og_message_set(message, OG_STOPPED,
                                "%" PRId32 " labelers under %" PRId32 " hypotheses can vote in "
                                "%.3g ways, more than %.3g",
                                prior->count, prior->hypotheses, votes, most);
}

static og_status make_tables(og_labelers_problem *game, uint64_t memory_bytes, og_message *message)
{
    size_t hypotheses = (size_t)game->prior->hypotheses, kinds = (size_t)game->kinds;
    size_t times = (size_t)game->rules.budget + 1;
    double bytes = (double)kinds * (double)hypotheses * (double)(times + 1) * sizeof(double) +
                   (double)game->choices * (double)hypotheses * sizeof(double);
    if (bytes > (double)memory_bytes / 2) {
        return og_message_set(message, OG_STOPPED,
                              "%" PRId32 " outcomes of votes under %zu hypotheses for %" PRId32
                              " tasks need %.3g bytes, more than half of the memory limit",
                              game->kinds, hypotheses, game->rules.budget, bytes);
    }
    game->kind_ones = og_arena_array(&game->arena, kinds, sizeof *game->kind_ones);
    game->chance = og_arena_array(&game->arena, kinds * hypotheses, sizeof *game->chance);
    game->power = og_arena_array(&game->arena, kinds * hypotheses * times, sizeof *game->power);
    game->cost = og_arena_array(&game->arena, (size_t)game->choices, sizeof *game->cost);
    game->worth =
        og_arena_array(&game->arena, (size_t)game->choices * hypotheses, sizeof *game->worth);
    game->most = og_arena_array(&game->arena, hypotheses, sizeof *game->most);
    OG_TRY(og_arena_status(&game->arena));
    fill_kinds(game);
    return fill_worth(game);
}

og_status og_labelers_problem_new(const og_labelers_prior *prior, const og_labelers_rules *rules,
                                  uint64_t memory_bytes, og_labelers_problem **out,
                                  og_message *message)
{
    og_labelers_problem *game = og_arena_new(sizeof *game);
    OG_TRY(OG_ALLOCATED(game));
    game->prior = prior;
    game->rules = *rules;
    game->weight = og_arena_array(&game->arena, (size_t)prior->hypotheses, sizeof *game->weight);
    game->choice = og_arena_array(&game->arena, (size_t)1 << prior->count, sizeof *game->choice);
    game->rules.history =
        og_arena_copy(&game->arena, rules->history, (size_t)rules->had, sizeof *rules->history);
    og_status status = og_arena_status(&game->arena);
    OG_THEN(status, check_votes(prior, message));
    if (status == OG_OK) {
        list_choices(game);
        count_kinds(game);
        status = make_tables(game, memory_bytes, message);
    }
    OG_THEN(status, weigh(game, message));
    if (status == OG_OK) {
        size_t now = (size_t)og_labelers_greedy(game, game->weight);
        game->still =
            og_labelers_mean(game, game->weight, &game->worth[now * (size_t)prior->hypotheses]);
        game->error = error_of(game);
    }
    return OG_MADE(status, game, og_labelers_problem_free, out);
}

og_status og_labelers_any_rule(const og_labelers_problem *game, og_stop *stop, double *value,
                               og_message *message)
{
    const double steps_most = 4e9;
    rule r;
    if (game->rules.budget == 0) {
        *value = 0;
        return OG_OK;
    }
    if (rule_steps(game) > steps_most) {
        return og_message_set(message, OG_STOPPED,
                              "the upper bound for any rule would take %.2g steps, more than %.2g",
                              rule_steps(game), steps_most);
    }
    og_status status = rule_init(&r, game, stop);
    if (status == OG_OK) {
        memcpy(r.mass, game->weight, r.hypotheses * sizeof(number));
        rule_walk(&r, 0, 0);
        status = og_stop_status(stop);
    }
    if (status == OG_OK) {
        *value = *r.sum[0];
    }
    og_arena_clear(&r.arena);
    return status;
}
