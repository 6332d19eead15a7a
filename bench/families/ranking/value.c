/*
 * Values of a ranking: exact if the exact posterior is available; otherwise only the choice of a
 * policy. The posterior is computed once, under a lock.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/families/ranking/problem.h"
#include "dp/base/golden.h"
#include "dp/families/ranking_bounds.h"
#include "heuristics/families/ranking_belief.h"
#include "heuristics/families/ranking_policy.h"

/* ---- the exact side ---- */

static og_status make_exact(const ranking *problem, og_stop *stop, og_ranking **out,
                            og_message *message)
{
    if (!problem->small) {
        return og_message_set(message, OG_STOPPED,
                              "--problem ranking supports exact values of at most %d items and "
                              "%d workers; give fewer, or simulate",
                              OG_RANKING_ITEMS_MAX, OG_RANKING_WORKERS_MAX);
    }
    if (problem->whole_budget > OG_RANKING_LABELS_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "--problem ranking supports exact values with -T of at most %d; "
                              "give less, or simulate",
                              OG_RANKING_LABELS_MAX);
    }
    return og_ranking_new(&problem->prior,
                          &(og_ranking_told){&problem->start, problem->had, problem->left},
                          problem->memory_bytes, stop, out, message);
}

og_status ranking_exact(const ranking *problem, og_stop *stop, const og_ranking **out,
                        og_message *message)
{
    ranking_exact_side *exact = problem->exact;
    og_lock_take(&exact->lock);
    if (!exact->tried) {
        exact->status = make_exact(problem, stop, &exact->ranking, &exact->why);
        exact->tried = exact->status != OG_NO_MEMORY && og_stop_status(stop) == OG_OK;
    }
    og_status status = exact->status;
    if (message != NULL && status != OG_OK) {
        *message = exact->why;
    }
    *out = exact->ranking;
    og_lock_release(&exact->lock);
    return status;
}

/* ---- values ---- */

static og_status refuse_fractions(og_message *message)
{
    return og_family_lacks(&og_family_ranking, "--arithmetic exact", message);
}

og_status ranking_prior(const void *problem, double *value, double *error, mpq_ptr exact,
                        og_message *message)
{
    const ranking *own = problem;
    if (exact != NULL) {
        return refuse_fractions(message);
    }
    if (own->had == 0) { /* needs no table */
        *value = og_ranking_sorted(own->start_belief, own->items);
        *error = 1e-12;
        return OG_OK;
    }
    const og_ranking *known;
    OG_TRY(ranking_exact(own, own->stop, &known, message));
    *value = known->prior;
    *error = known->prior * og_ranking_error(known);
    return OG_OK;
}

og_status ranking_strategy(const void *problem, const og_policy_name *name,
                           const og_policy_use *use, og_strategy *out, og_message *message)
{
    const ranking *own = problem;
    const og_ranking *known;
    og_status status = ranking_exact(own, use->stop, &known, message);
    OG_TRY(og_stop_status(use->stop));
    if (status == OG_STOPPED) {
        const og_ranking_setting setting = {own->items, own->workers, own->start_belief, use->stop};
        status = og_ranking_player(name, &setting, out, message);
    } else if (status == OG_OK) {
        status = og_ranking_strategy(name, known, own->start_belief, out, message);
    }
    OG_TRY(status);
    out->told = own->made;
    out->told_count = own->had;
    return OG_OK;
}

/* For problems without values: the choice of a policy. */
typedef struct {
    og_arena arena;
    og_message why;
    const og_strategy *by;
    int32_t *won;
    og_ranking_played shown;
} picks_only;

static og_status value_unknown(void *self, og_value_found *out, og_message *message)
{
    (void)out;
    return og_message_set(message, OG_STOPPED, "%s", ((const picks_only *)self)->why.text);
}

static og_status q_unknown(void *self, const og_act_open *open, int32_t count, double *q,
                           double *error, og_message *message)
{
    (void)open, (void)count, (void)q, (void)error;
    return value_unknown(self, NULL, message);
}

static og_status pick(void *self, const og_act_open *open, int32_t count, bool *picked,
                      double *index, og_message *message)
{
    const picks_only *picks = self;
    return og_strategy_picks(
        picks->by, (og_strategy_view){.state = &picks->shown, .open = open, .count = count}, picked,
        index, message);
}

static og_status solve_picks(const ranking *problem, const og_value_asked *question,
                             const og_message *why, og_solution *out)
{
    picks_only *made = og_arena_new(sizeof *made);
    OG_TRY(OG_ALLOCATED(made));
    size_t items = (size_t)problem->items;
    made->why = *why;
    made->by = question->by;
    made->won = og_arena_array(&made->arena, items * items, sizeof *made->won);
    made->shown = (og_ranking_played){.items = problem->items, .won = made->won};
    made->shown.exact.left = problem->left;
    for (int32_t k = 0; made->won != NULL && k < problem->had; k++) {
        const og_told *one = &problem->made[k];
        uint32_t winner = one->act.part[1 - one->answer], loser = one->act.part[one->answer];
        made->won[winner * (uint32_t)problem->items + loser]++;
    }
    *out = (og_solution){
        .self = made, .value = value_unknown, .q = q_unknown, .picks = pick, .free = og_arena_free};
    og_status status = og_arena_status(&made->arena);
    if (status != OG_OK) {
        og_solution_free(out);
    }
    return status;
}

og_status ranking_model(const void *problem, const og_value_asked *question,
                        const og_settings *settings, og_model *out, og_message *message)
{
    const og_ranking *known;
    OG_TRY(ranking_exact(problem, og_stop_of(settings), &known, message));
    return og_ranking_model(known, question, out);
}

og_status ranking_solve(const void *problem, const og_value_asked *question,
                        const og_settings *settings, og_solution *out, og_message *message)
{
    const ranking *own = problem;
    const og_ranking *known;
    og_message why = {""};
    og_stop *stop = og_stop_of(settings);
    og_status status = ranking_exact(own, stop, &known, &why);
    if (status == OG_STOPPED && og_stop_status(stop) == OG_OK) {
        return solve_picks(own, question, &why, out);
    }
    if (status != OG_OK) {
        return og_message_set(message, status, "%s", why.text);
    }
    return og_family_solve_by_model(&og_family_ranking, problem, question, settings, out, message);
}

/* ---- bounds ---- */

enum { BOUND_PAIRS, BOUND_SPLIT, BOUND_EVERYTHING };

/* The least bound so far, and its price. */
typedef struct {
    og_ranking_split *split;
    double value, error, price;
} search;

static double at_price(void *user, double price)
{
    search *s = user;
    double error, value = og_ranking_split_value(s->split, price, &error);
    if (value + error < s->value) {
        *s = (search){s->split, value + error, error, price};
    }
    return value;
}

/* Each pair separately: at price 0, or at the best price. */
static og_status bound_pairs(const og_ranking *pairs, int32_t which, const og_settings *settings,
                             og_upper_bound *out)
{
    const double price_most = 0.2;
    const int32_t points = 42; /* to 1e-9 */
    search s = {.value = INFINITY};
    og_status status = og_ranking_split_new(pairs, settings->threads, settings->memory_bytes,
                                            og_stop_of(settings), &s.split);
    double *price = NULL;
    if (status == OG_OK) {
        at_price(&s, 0);
        if (which == BOUND_SPLIT) {
            og_golden_least(at_price, &s, 0, price_most, points);
            price = malloc(sizeof *price);
            status = OG_ALLOCATED(price);
        }
    }
    if (status == OG_OK) {
        *out = (og_upper_bound){.value = s.value, .error = s.error, .converged = true};
        if (price != NULL) {
            *price = s.price;
            out->price = price;
            out->price_count = 1;
        }
    }
    og_ranking_split_free(s.split);
    return status == OG_STOPPED ? OG_OK : status;
}

og_status ranking_bound(const void *problem, const og_bound_use *use, og_upper_bound *out,
                        og_exact_bound *exact, og_message *message)
{
    const ranking *own = problem;
    double value = NAN, error = 0;
    if (exact != NULL) {
        return refuse_fractions(message);
    }
    const og_ranking *known;
    og_stop *stop = og_stop_of(use->settings);
    og_status status = ranking_exact(own, stop, &known, message);
    if (status != OG_OK) {
        return status == OG_STOPPED ? OG_OK : status;
    }
    if (use->which != BOUND_EVERYTHING) {
        return bound_pairs(known, use->which, use->settings, out);
    }
    OG_TRY(og_ranking_everything(known, use->settings->memory_bytes, stop, &value, &error));
    if (!isnan(value)) {
        *out = (og_upper_bound){.value = value + error, .error = error, .converged = true};
    }
    return OG_OK;
}
