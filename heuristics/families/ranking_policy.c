/* Creates policies for ranking from comparisons: based on a Dirichlet that approximates the
 * posterior, or on the exact posterior. */
#include "heuristics/families/ranking_policy.h"

#include <math.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/engine/strategy.h"
#include "heuristics/families/ranking_belief.h"
#include "heuristics/families/ranking_tiny.h"

enum { ITEMS = OG_RANKING_ITEMS_MAX, BELIEF = OG_RANKING_BELIEF_MAX };

typedef struct {
    og_ruled ruled;
    const og_ranking *ranking;
    double start[BELIEF]; /* the belief at the root: items, then mu, nu of each worker */
} ranking_policy;

static size_t belief_bytes(const og_ranking *ranking)
{
    const og_ranking_prior *prior = &ranking->posterior.prior;
    return (size_t)(prior->items + 2 * prior->workers) * sizeof(double);
}

/* The worker of an act, in a belief; NULL without workers. */
static const double *worker_of(const og_ranking *ranking, const double *belief, og_act act)
{
    const og_ranking_prior *prior = &ranking->posterior.prior;
    return prior->workers > 0 ? &belief[prior->items + 2 * (int32_t)act.part[2]] : NULL;
}

static og_status begin(void *self, void *scratch, void *belief, og_message *message)
{
    const ranking_policy *policy = self;
    (void)scratch, (void)message;
    memcpy(belief, policy->start, belief_bytes(policy->ranking));
    return OG_OK;
}

static double learn(void *self, const og_strategy_view *view, og_act act, int32_t answer,
                    int32_t branch, void *after)
{
    const ranking_policy *policy = self;
    const og_ranking_prior *prior = &policy->ranking->posterior.prior;
    int32_t i = (int32_t)act.part[0], j = (int32_t)act.part[1];
    double *a = after,
           *worker = prior->workers > 0 ? &a[prior->items + 2 * (int32_t)act.part[2]] : NULL;
    (void)branch;
    memcpy(a, view->belief, belief_bytes(policy->ranking));
    bool fine = og_ranking_match(a, prior->items, worker, answer == 1 ? i : j, answer == 1 ? j : i);
    return fine ? 1 : NAN;
}

static og_status decide(void *self, const og_strategy_view *view, double *decision,
                        og_message *message)
{
    const ranking_policy *policy = self;
    (void)message;
    memcpy(decision, view->belief,
           (size_t)policy->ranking->posterior.prior.items * sizeof *decision);
    return OG_OK;
}

/* ---- choosing ---- */

og_status og_ranking_choose_nearest(void *self, const og_strategy_view *view, double *answer,
                                    og_answer *kind, og_message *message)
{
    const double *a = view->belief;
    (void)self, (void)message;
    for (int32_t k = 0; k < view->count; k++) {
        double x = og_ranking_plain(a[view->open[k].act.part[0]]);
        answer[k] = -fabs(x - og_ranking_plain(a[view->open[k].act.part[1]]));
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

static og_status choose_akg(void *self, const og_strategy_view *view, double *answer,
                            og_answer *kind, og_message *message)
{
    const ranking_policy *policy = self;
    const double *a = view->belief;
    int32_t items = policy->ranking->posterior.prior.items;
    double now = og_ranking_sorted(a, items), after[ITEMS];
    for (int32_t k = 0; k < view->count; k++) {
        int32_t i = (int32_t)view->open[k].act.part[0], j = (int32_t)view->open[k].act.part[1];
        const double *worker = worker_of(policy->ranking, a, view->open[k].act);
        answer[k] = og_ranking_rise(&(og_ranking_match_up){a, items, worker, i, j}, now, after);
        if (isnan(answer[k])) {
            return og_message_set(message, OG_FAILED,
                                  "akg: a parameter of the belief leaves the range of doubles");
        }
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

/* Expected accuracy after a comparison. The scratch: the mass now. */
static og_status look_ahead(const void *self, const og_strategy_view *view, int32_t k,
                            og_prospect *out, og_message *message)
{
    const ranking_policy *policy = self;
    const og_ranking_posterior *p = &policy->ranking->posterior;
    const og_ranking_state *state = view->state;
    const int32_t i = (int32_t)view->open[k].act.part[0], j = (int32_t)view->open[k].act.part[1];
    double above[ITEMS * ITEMS], *mass = view->scratch, chance[2], gain[2], mean = 0;
    (void)message;
    *mass = k == 0 ? og_ranking_masses(p, state->counts, above) : *mass;
    for (int32_t won = 0; won < 2; won++) {
        og_ranking_counts after = *state->counts;
        og_ranking_add(&p->prior, &after, won == 0 ? i : j, won == 0 ? j : i,
                       (int32_t)view->open[k].act.part[2]);
        double then = og_ranking_masses(p, &after, above);
        double best = og_ranking_best(p->prior.items, above);
        mean += best / *mass;
        chance[won] = then / *mass;
        gain[won] = best / then;
    }
    og_prospect_pair(out, chance, gain);
    out->mean = mean;
    out->mean_radius = 0;
    return OG_OK;
}

/* ---- names ---- */

bool og_ranking_looks_ahead(const og_policy_name *named, og_rule_use *use)
{
    return og_policy_name_rule(named, use) && (use->exact || named->function != NULL);
}

static og_status by_exact_rule(const og_rule_use *use, const og_ranking *ranking, og_strategy *out)
{
    OG_TRY(og_ruled_new(sizeof(ranking_policy), use, look_ahead, out));
    ((ranking_policy *)out->self)->ranking = ranking;
    out->tie_relative = OG_RANKING_TIE_EXACT;
    out->scratch_bytes = sizeof(double);
    return OG_OK;
}

og_status og_ranking_strategy(const og_policy_name *named, const og_ranking *ranking,
                              const double *belief, struct og_strategy *out, og_message *message)
{
    static const struct {
        const char *name;
        og_strategy_choose *choose;
        bool believes;
        bool reliable; /* does not support workers of unknown reliability */
        double tie;
    } rows[] = {
        {"uniform", og_strategy_choose_any, false, false, 0},
        {"sorting", og_strategy_choose_any, true, false, 0},
        {"distance", og_ranking_choose_nearest, true, true, OG_RANKING_TIE},
        {"akg", choose_akg, true, false, OG_RANKING_TIE},
    };
    og_rule_use use;
    size_t row = 0;
    if (og_ranking_looks_ahead(named, &use)) {
        return by_exact_rule(&use, ranking, out);
    }
    while (row < sizeof rows / sizeof *rows && strcmp(rows[row].name, named->name) != 0) {
        row++;
    }
    if (row == sizeof rows / sizeof *rows) {
        return og_policy_name_refuse(
            named,
            ranking->posterior.prior.workers > 0
                ? "ranking"
                : "ranking without workers (--workers-prior A,B gives them)",
            "ranking", message);
    }
    if (rows[row].reliable && ranking->posterior.prior.workers > 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%s' does not support workers of unknown reliability",
                              rows[row].name);
    }
    ranking_policy *policy = og_arena_new(sizeof *policy);
    OG_TRY(OG_ALLOCATED(policy));
    policy->ranking = ranking;
    memcpy(policy->start, belief, belief_bytes(ranking));
    *out = (og_strategy){.self = policy,
                         .concurrent = true,
                         .tie = rows[row].tie,
                         .tie_relative = rows[row].tie,
                         .choose = rows[row].choose,
                         .free = og_arena_free};
    if (rows[row].believes) {
        out->belief_bytes = belief_bytes(ranking);
        out->item_bytes[0] = sizeof(double);
        out->item_bytes[1] = 2 * sizeof(double);
        out->begin = begin;
        out->learn = learn;
        out->decide = decide;
    }
    return OG_OK;
}
