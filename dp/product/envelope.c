/*
 * Backward induction under the actual distribution, for ties best and worst. First it goes forward
 * through every label that some tie rule gives and keeps all layers of states; then it evaluates
 * each state, from the last layer to the root.
 *
 * Invariant: layer n holds all states with n labels left that such play can reach. Once layer n is
 * evaluated, each payload is a value within relative error[n] of the exact one: all terms are at
 * least 0, and taking the best of several numbers does not increase the error.
 */
#include "dp/product/envelope.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

struct og_envelope {
    og_arena arena;
    const og_characteristics_question *question;
    og_truth_law_arms *actual;
    og_forward pass;
    og_shown shown;
    og_state_set **layer; /* [budget + 1] payload: the value */
    mpq_t **exact;        /* [budget + 1][states] exact only */
    double *error;        /* [budget + 1] */
    double *q;            /* of the groups of the current state */
    mpq_t *q_exact;       /* the same, exact only */
    int32_t *top;         /* the best group of each contest */
    int64_t *equal;       /* number of instances that are equally good */
    mpq_t *term;          /* [3] scratch, exact only */
    og_stop *stop;
    og_message *message;
    uint64_t bytes_max, bytes, states; /* memory of finished layers and of fractions */
};

static const double unit = 0x1p-53;

static og_status look_around(og_envelope *e)
{
    uint64_t most = e->question->settings.states_max;
    if (most > 0 && e->states > most) {
        return og_message_set(e->message, OG_STOPPED,
                              "tie rules reach more than %" PRIu64 " states", most);
    }
    return og_stop_asked(e->stop) ? og_message_set(e->message, OG_STOPPED, "the work was stopped")
                                  : OG_OK;
}

/* ---- forward ---- */

/* Puts all states after a label that some tie rule gives. */
static og_status expand(og_envelope *e, uint32_t entry)
{
    og_forward_take(&e->pass, entry);
    OG_TRY(og_shown_look(&e->shown, &e->pass, e->message));
    for (int32_t i = 0; i < e->pass.state.count; i++) {
        for (int outcome = 0; e->shown.share[i].part > 0 && outcome < 2; outcome++) {
            uint32_t ignored;
            if (og_truth_law_chance(e->actual, &e->pass.group[i], outcome) > 0) {
                OG_TRY(og_forward_put(&e->pass, i, outcome, &ignored));
            }
        }
    }
    return OG_OK;
}

static og_status keep_layer(og_envelope *e)
{
    int32_t left = e->pass.left;
    OG_TRY(og_forward_keep(&e->pass, &e->layer[left]));
    e->bytes += og_state_set_bytes(e->layer[left]);
    /* The next layer is filled in addition to the current one, which is not among those kept. */
    uint64_t held = e->bytes + og_state_set_bytes(e->pass.here);
    e->pass.limit_bytes = held < e->bytes_max ? e->bytes_max - held : 0;
    return OG_OK;
}

static og_status meet_states(og_envelope *e)
{
    while (e->pass.left > 0) {
        uint32_t count = og_forward_count(&e->pass);
        for (uint32_t entry = 0; entry < count; entry++) {
            e->states++;
            OG_TRY(look_around(e));
            OG_TRY(expand(e, entry));
        }
        OG_TRY(keep_layer(e));
    }
    e->states += og_forward_count(&e->pass);
    return keep_layer(e);
}

/* ---- backward ---- */

static void take(og_envelope *e, int32_t left, uint32_t entry)
{
    int32_t count;
    const og_copies *list = og_state_set_at(e->layer[left], entry, &count);
    e->pass.left = left;
    og_forward_take_list(&e->pass, left, list, count);
}

static double *value_at(const og_envelope *e, int32_t left, uint32_t entry)
{
    return og_state_set_payload(e->layer[left], entry);
}

/* The value of labelling an instance of the group; also exactly into e->q_exact. */
static double q_of(og_envelope *e, const og_forward *pass, int32_t i)
{
    double sum = 0;
    bool exact = e->question->exact;
    if (exact) {
        mpq_set_ui(e->q_exact[i], 0, 1);
    }
    for (int outcome = 0; outcome < 2; outcome++) {
        double chance = og_truth_law_chance(e->actual, &pass->group[i], outcome);
        uint32_t entry = 0;
        if (chance == 0) {
            continue;
        }
        int32_t count = og_forward_successor(pass, i, outcome);
        bool met = og_state_set_find(e->layer[pass->left - 1], pass->successor, count, &entry);
        assert(met);
        (void)met;
        sum += chance * *value_at(e, pass->left - 1, entry);
        if (exact) {
            og_truth_law_chance_exact(e->actual, &pass->group[i], outcome, e->term[0]);
            mpq_mul(e->term[0], e->term[0], e->exact[pass->left - 1][entry]);
            mpq_add(e->q_exact[i], e->q_exact[i], e->term[0]);
        }
    }
    return sum;
}

/* True if labelling group i is certainly better than j, given the errors. */
static bool beats(const og_envelope *e, int32_t i, int32_t j)
{
    int order = e->question->exact ? mpq_cmp(e->q_exact[i], e->q_exact[j])
                                   : (e->q[i] > e->q[j]) - (e->q[i] < e->q[j]);
    return e->question->ties == OG_TIES_BEST ? order > 0 : order < 0;
}

/* True if group i may be as good as j, which no other group beats. */
static bool is_as_good(const og_envelope *e, int32_t left, int32_t i, int32_t j)
{
    double doubt = 2.01 * e->error[left] * fmax(e->q[i], e->q[j]);
    return e->question->exact ? mpq_equal(e->q_exact[i], e->q_exact[j])
                              : fabs(e->q[i] - e->q[j]) <= doubt;
}

/* Finds in each contest the group that no other beats, e->top; -1: nothing is labelled. */
static void find_tops(og_envelope *e, const og_forward *pass, const og_shown *shown)
{
    for (int32_t c = 0; c < pass->state.count; c++) {
        e->top[c] = -1;
    }
    for (int32_t i = 0; i < pass->state.count; i++) {
        int32_t *top = &e->top[og_shown_contest(shown, i)];
        if (shown->share[i].part > 0) {
            e->q[i] = q_of(e, pass, i);
            *top = *top < 0 || beats(e, i, *top) ? i : *top;
        }
    }
}

void og_envelope_settle(og_envelope *e, const og_forward *pass, og_shown *shown)
{
    find_tops(e, pass, shown);
    for (int32_t c = 0; c < pass->state.count; c++) {
        e->equal[c] = 0;
    }
    for (int32_t i = 0; i < pass->state.count; i++) {
        og_shown_share *share = &shown->share[i];
        int32_t c = og_shown_contest(shown, i);
        share->part = share->part > 0 && is_as_good(e, pass->left, i, e->top[c]) ? share->part : 0;
        e->equal[c] += share->part;
    }
    for (int32_t i = 0; i < pass->state.count; i++) {
        shown->share[i].whole = e->equal[og_shown_contest(shown, i)];
    }
}

static og_status put_exact(og_envelope *e, int32_t left, uint32_t entry, mpq_srcptr value)
{
    mpq_set(e->exact[left][entry], value);
    e->bytes += sizeof(mp_limb_t) * (mpz_size(mpq_numref(value)) + mpz_size(mpq_denref(value)));
    return e->bytes > e->bytes_max ? OG_STOPPED : OG_OK;
}

/* The mean over the contests of the best value in each; exactly in e->term[1]. */
static double value_of(og_envelope *e)
{
    const og_shown *shown = &e->shown;
    double sum = 0, total = og_shown_total(shown);
    if (e->question->exact) {
        mpq_set_ui(e->term[1], 0, 1);
        og_shown_total_exact(shown, e->term[2], e->term[0]);
    }
    for (int32_t c = 0; c < e->pass.state.count; c++) {
        int32_t top = e->top[c];
        if (top < 0) {
            continue;
        }
        sum += shown->share[top].weight / total * e->q[top];
        if (e->question->exact) {
            mpq_set_d(e->term[0], shown->share[top].weight);
            mpq_div(e->term[0], e->term[0], e->term[2]);
            mpq_mul(e->term[0], e->term[0], e->q_exact[top]);
            mpq_add(e->term[1], e->term[1], e->term[0]);
        }
    }
    return sum;
}

static og_status value_entry(og_envelope *e, int32_t left, uint32_t entry)
{
    mpq_ptr exact = e->question->exact ? e->term[1] : NULL;
    double *value = value_at(e, left, entry);
    take(e, left, entry);
    if (left > 0) {
        OG_TRY(og_shown_look(&e->shown, &e->pass, e->message));
    }
    if (left == 0 || e->shown.stop > 0) {
        OG_TRY(og_truth_law_score(e->actual, &e->pass.state, value, exact));
    } else {
        find_tops(e, &e->pass, &e->shown);
        *value = value_of(e);
    }
    return exact != NULL ? put_exact(e, left, entry, exact) : OG_OK;
}

static og_status make_fractions(og_envelope *e, int32_t left, uint32_t count)
{
    e->bytes += (uint64_t)count * sizeof(mpq_t);
    if (e->bytes > e->bytes_max) {
        return OG_STOPPED;
    }
    e->exact[left] = og_arena_fractions(&e->arena, count);
    return og_arena_status(&e->arena);
}

static og_status value_layer(og_envelope *e, int32_t left)
{
    uint32_t count = og_state_set_count(e->layer[left]);
    int32_t groups = 0;
    OG_TRY(e->question->exact ? make_fractions(e, left, count) : OG_OK);
    for (uint32_t entry = 0; entry < count; entry++) {
        OG_TRY(look_around(e));
        OG_TRY(value_entry(e, left, entry));
        groups = e->pass.state.count > groups ? e->pass.state.count : groups;
    }
    /* Last label: the probability of a call, copies and a sum. Else: probabilities, two products,
     * and the mean of contests. */
    double before = left == 0 ? 0 : e->error[left - 1];
    e->error[left] = 1.01 * (before + (groups + OG_ACTUAL_ROUNDINGS + 6) * unit);
    return OG_OK;
}

/* ---- begin and end ---- */

static og_status allocate(og_envelope *e)
{
    size_t layers = (size_t)e->actual->arms.budget + 1, room = (size_t)e->pass.room;
    bool exact = e->question->exact;
    e->layer = og_arena_array(&e->arena, layers, sizeof *e->layer);
    e->error = og_arena_array(&e->arena, layers, sizeof *e->error);
    e->q = og_arena_array(&e->arena, room, sizeof *e->q);
    e->top = og_arena_array(&e->arena, room, sizeof *e->top);
    e->equal = og_arena_array(&e->arena, room, sizeof *e->equal);
    if (exact) {
        e->exact = og_arena_array(&e->arena, layers, sizeof *e->exact);
        e->q_exact = og_arena_fractions(&e->arena, room);
        e->term = og_arena_fractions(&e->arena, 3);
    }
    return og_arena_status(&e->arena);
}

static og_status fill_envelope(og_envelope *e)
{
    OG_TRY(og_forward_begin(&e->actual->arms, OG_FORWARD_SORTED, sizeof(double), e->bytes_max,
                            &e->pass));
    OG_TRY(og_shown_init(e->question, e->actual, e->pass.room, &e->shown));
    OG_TRY(allocate(e));
    OG_TRY(meet_states(e));
    for (int32_t left = 0; left <= e->actual->arms.budget; left++) {
        OG_TRY(value_layer(e, left));
    }
    return OG_OK;
}

og_status og_envelope_new(const og_characteristics_question *question, og_truth_law_arms *actual,
                          uint64_t bytes, og_stop *stop, og_envelope **out, og_message *message)
{
    og_envelope *e = og_arena_new(sizeof *e);
    OG_TRY(OG_ALLOCATED(e));
    e->question = question;
    e->actual = actual;
    e->stop = stop;
    e->message = message;
    e->bytes_max = bytes;
    og_status status = fill_envelope(e);
    if (status == OG_OK) {
        *out = e;
    } else {
        og_envelope_free(e);
    }
    return status;
}

void og_envelope_free(og_envelope *e)
{
    if (e == NULL) {
        return;
    }
    for (int32_t left = 0; e->layer != NULL && left <= e->actual->arms.budget; left++) {
        og_state_set_free(e->layer[left]);
    }
    og_forward_clear(&e->pass);
    og_shown_clear(&e->shown);
    og_arena_free(e);
}

double og_envelope_value(const og_envelope *e, double *error)
{
    int32_t budget = e->actual->arms.budget;
    *error = e->error[budget];
    return *value_at(e, budget, 0);
}

mpq_srcptr og_envelope_value_exact(const og_envelope *e)
{
    return e->question->exact ? e->exact[e->actual->arms.budget][0] : NULL;
}

uint64_t og_envelope_states(const og_envelope *e)
{
    return e->states;
}
