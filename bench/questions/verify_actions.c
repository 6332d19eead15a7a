/*
 * Doubles with proved errors find the actions that may be the best of a state; fractions decide
 * among these. Equal posteriors and mirror images have the same value without a computation
 * (og_alike).
 */
#include "bench/questions/verify_actions.h"

#include <math.h>

#include "dp/exact/near_tie.h"

/* The check of one state. */
typedef struct {
    og_verify_actions *actions;
    const og_copies *list;
    const og_policy_item *const *item;
    int32_t count;
    int32_t left;
    double proved; /* the best Q is at least this */
    bool near;     /* the choices are marked as a near tie */
    bool settled;  /* decided by fractions; then `best` is the place of the best */
    int32_t best;
} look;

og_status og_verify_actions_init(og_verify_actions *actions, og_arena *arena, int32_t room)
{
    actions->q = og_arena_array(arena, (size_t)room, sizeof *actions->q);
    actions->open = og_arena_array(arena, (size_t)room, sizeof *actions->open);
    actions->fraction = og_arena_fractions(arena, (size_t)room);
    return og_arena_status(arena);
}

static bool chosen(const look *at, int32_t i)
{
    return at->item[i]->choice != OG_CHOICE_NONE;
}

static og_state_group group_of(const look *at, int32_t i)
{
    int32_t arm = og_arms_arm_of(at->actions->arms, at->list[i].member);
    return (og_state_group){arm, at->list[i].member - at->actions->arms->node_offset[arm], 1};
}

static bool alike(const look *at, int32_t i, int32_t j)
{
    og_state_group x = group_of(at, i), y = group_of(at, j);
    return og_alike(at->actions->arms, &x, &y);
}

/* True if two of the open items are not alike. */
static bool several_open(const look *at)
{
    int32_t first = -1;
    for (int32_t i = 0; i < at->count; i++) {
        if (at->actions->open[i] && first >= 0 && !alike(at, first, i)) {
            return true;
        }
        first = first < 0 && at->actions->open[i] ? i : first;
    }
    return false;
}

static og_status wrong(const look *at, int32_t i, og_message *why, const char *what)
{
    const og_policy_item *item = at->item[i];
    return og_message_set(why, OG_BAD_INPUT, "labelling %ld:%ld,%ld %s", (long)item->prior,
                          (long)item->positive, (long)item->negative, what);
}

static og_status loses(const look *at, int32_t i, og_message *why, double loss)
{
    char what[80];
    snprintf(what, sizeof what, "is not optimal, it loses %.3g", loss);
    return wrong(at, i, why, what);
}

/* Mark as open the items that may be the best, if each Q has the relative error `error`. */
static void find_open(look *at, double error)
{
    og_verify_actions *actions = at->actions;
    at->proved = 0;
    for (int32_t i = 0; actions->optimum != NULL && i < at->count; i++) {
        at->proved = fmax(at->proved, actions->q[i] * (1 - error));
    }
    for (int32_t i = 0; i < at->count; i++) {
        actions->open[i] = actions->optimum == NULL || actions->q[i] * (1 + error) >= at->proved;
    }
}

/* Check the marks: all chosen items are marked as near ties or none, and only if two different
 * actions are near ties. */
static og_status check_marks(look *at, og_message *why)
{
    bool plain = false;
    for (int32_t i = 0; i < at->count; i++) {
        at->near = at->near || at->item[i]->choice == OG_CHOICE_NEAR;
        plain = plain || at->item[i]->choice == OG_CHOICE_OPTIMAL;
    }
    if (at->near && plain) {
        return og_message_set(why, OG_BAD_INPUT, "a near tie (~) is marked in part");
    }
    find_open(at, at->actions->error + at->actions->doubt);
    if (at->near && !several_open(at)) {
        return og_message_set(why, OG_BAD_INPUT,
                              "a near tie (~) is marked, but no other action is near");
    }
    return OG_OK;
}

/* Compute fractions of the open items, and find the best. */
static og_status value_exactly(look *at)
{
    og_verify_actions *actions = at->actions;
    at->best = -1;
    for (int32_t i = 0; i < at->count; i++) {
        if (!actions->open[i]) {
            continue;
        }
        OG_TRY(og_verify_exact_q(actions->exact, at->list, at->count, i, at->left,
                                 actions->fraction[i]));
        if (at->best < 0 || mpq_cmp(actions->fraction[i], actions->fraction[at->best]) > 0) {
            at->best = i;
        }
    }
    at->settled = true;
    return OG_OK;
}

/* An upper bound of the loss of item i. */
static double loss_of(const look *at, int32_t i)
{
    const og_verify_actions *actions = at->actions;
    double best = 0;
    if (at->settled && actions->open[i]) {
        mpq_t loss;
        mpq_init(loss);
        mpq_sub(loss, actions->fraction[at->best], actions->fraction[i]);
        double most = mpq_get_d(loss); /* truncated, not rounded */
        bool some = mpq_sgn(loss) > 0;
        mpq_clear(loss);
        return some ? nextafter(most, INFINITY) : 0;
    }
    for (int32_t j = 0; j < at->count; j++) {
        if (actions->open[j] && !alike(at, i, j)) {
            best = fmax(best, actions->q[j] * (1 + actions->error));
        }
    }
    return fmax(0, best - actions->q[i] * (1 - actions->error));
}

/* Check that the chosen item i is as good as its mark states. */
static og_status check_chosen(const look *at, int32_t i, double loss, og_message *why)
{
    const og_verify_actions *actions = at->actions;
    bool refuted = !actions->open[i] || (at->settled && loss > 0);
    double lost = actions->open[i] ? loss : at->proved - actions->q[i] * (1 + actions->error);
    bool tellable = lost > 2 * (actions->doubt + actions->error) * at->proved;
    return refuted && (!at->near || tellable) ? loses(at, i, why, lost) : OG_OK;
}

/* Check that item i, which is not chosen, is worse, if all optimal items must be chosen. */
static og_status check_left_out(const look *at, int32_t i, og_message *why)
{
    const og_verify_actions *actions = at->actions;
    double best = at->proved / (1 - actions->error);
    bool optimal =
        at->settled
            ? actions->open[i] && mpq_equal(actions->fraction[i], actions->fraction[at->best])
            /* the exporter's doubles needed a larger difference */
            : best - actions->q[i] <= actions->error / 2 * (best + actions->q[i]);
    return optimal ? wrong(at, i, why, "is optimal too, and not listed") : OG_OK;
}

og_status og_verify_actions_check(og_verify_actions *actions, const og_copies *list,
                                  const og_policy_item *const *item, int32_t count, int32_t left,
                                  double *loss, og_message *why)
{
    look at = {.actions = actions, .list = list, .item = item, .count = count, .left = left};
    double sum = 0;
    int32_t taken = 0;
    for (int32_t i = 0; actions->optimum != NULL && i < count; i++) {
        actions->q[i] = og_verify_optimum_q(actions->optimum, list, count, i, left);
    }
    OG_TRY(check_marks(&at, why));
    if (actions->optimum == NULL) {
        return OG_OK;
    }
    find_open(&at, actions->error);
    if (actions->exact != NULL && several_open(&at)) {
        og_status status = value_exactly(&at);
        if (status != OG_OK && status != OG_STOPPED) {
            return status;
        }
    }
    for (int32_t i = 0; i < count; i++) {
        if (chosen(&at, i)) {
            double lost = loss_of(&at, i);
            OG_TRY(check_chosen(&at, i, lost, why));
            sum += lost;
            taken++;
        } else if (actions->all) {
            OG_TRY(check_left_out(&at, i, why));
        }
    }
    *loss = sum / taken;
    return OG_OK;
}
