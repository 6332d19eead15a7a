/*
 * Follows a policy forward under the actual distribution of the labels. Invariant: with r labels
 * left, the table holds every state that the policy can reach with its probability, as a double or
 * as a fraction, and no other state.
 */
#include "dp/product/characteristics.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/base/grow.h"
#include "dp/base/stop.h"
#include "dp/base/ties.h"
#include "dp/base/wide.h"
#include "dp/product/envelope.h"
#include "dp/product/truth_law.h"

/* Data of a state before the pass takes it. */
typedef struct {
    double probability;
    uint64_t terms; /* terms added up in it */
} presence;

/* The same as fractions, by entry number; 0 beyond the entries in use. */
typedef struct {
    mpq_t *at; /* [room] */
    size_t room;
} fraction_list;

typedef struct {
    og_arena arena;
    const og_characteristics_question *question;
    og_message *message;
    og_truth_law_arms actual;
    og_state_count tally;
    og_forward pass;           /* payload: presence */
    fraction_list here, below; /* exact only */
    mpq_t *term;               /* [3] exact only */
    uint64_t limbs;            /* of the fractions, counting all that are not 0 */
    uint64_t fraction_bytes_max;
    og_stop *stop;
    og_shown shown;
    og_envelope *envelope; /* ties best and worst, else NULL */
    double drift;          /* proved relative error of the probabilities here */
    uint64_t states;
} walk;

static const double unit = 0x1p-53;

static og_status failed(const walk *w, og_status status)
{
    const char *text = status == OG_STOPPED
                           ? "the memory limit does not hold the states that the policy reaches"
                           : og_status_text(status);
    return og_message_set(w->message, status, "%s", text);
}

/* ---- fractions ---- */

static og_status fractions_fit(fraction_list *fractions, size_t count)
{
    size_t room = fractions->room;
    mpq_t *at = og_grown(fractions->at, &room, count, sizeof *at);
    OG_TRY(OG_ALLOCATED(at));
    fractions->at = at;
    for (; fractions->room < room; fractions->room++) {
        mpq_init(fractions->at[fractions->room]);
    }
    return OG_OK;
}

static void fractions_clear(fraction_list *fractions)
{
    for (size_t i = 0; i < fractions->room; i++) {
        mpq_clear(fractions->at[i]);
    }
    free(fractions->at);
}

static uint64_t limbs_of(mpq_srcptr value)
{
    return mpz_size(mpq_numref(value)) + mpz_size(mpq_denref(value));
}

/* Adds w->term[0] to the probability of an entry of `below`. */
static og_status add_fraction(walk *w, uint32_t entry)
{
    OG_TRY(fractions_fit(&w->below, (size_t)entry + 1));
    mpq_ptr at = w->below.at[entry];
    w->limbs -= limbs_of(at);
    mpq_add(at, at, w->term[0]);
    w->limbs += limbs_of(at);
    uint64_t bytes = (w->here.room + w->below.room) * sizeof(mpq_t) + w->limbs * sizeof(mp_limb_t);
    return bytes > w->fraction_bytes_max ? OG_STOPPED : OG_OK;
}

/* ---- from one label to the next ---- */

/* Labels the group with this probability, which includes that of the state (w->term[1] exactly). */
static og_status label(walk *w, int32_t i, double probability, uint64_t *terms_max)
{
    for (int outcome = 0; outcome < 2; outcome++) {
        const og_state_group *group = &w->pass.group[i];
        double chance = og_truth_law_chance(&w->actual, group, outcome);
        uint32_t entry;
        if (chance == 0) {
            continue;
        }
        OG_TRY(og_forward_put(&w->pass, i, outcome, &entry));
        presence *at = og_state_set_payload(w->pass.below, entry);
        at->probability += probability * chance;
        at->terms++;
        *terms_max = at->terms > *terms_max ? at->terms : *terms_max;
        if (w->question->exact) {
            og_truth_law_chance_exact(&w->actual, group, outcome, w->term[0]);
            mpq_mul(w->term[0], w->term[0], w->term[1]);
            OG_TRY(add_fraction(w, entry));
        }
    }
    return OG_OK;
}

/* The state is the last with the probability of stopping there. */
static og_status stop_here(walk *w, uint32_t entry, double chance)
{
    mpq_ptr share = w->question->exact ? w->term[1] : NULL;
    if (w->question->exact) {
        og_shown_total_exact(&w->shown, w->term[2], w->term[0]);
        mpq_set_d(share, w->shown.stop);
        mpq_div(share, share, w->term[2]);
        mpq_mul(share, share, w->here.at[entry]);
    }
    og_status status =
        og_state_count_add(&w->tally, &w->pass.state, chance, w->question->exact ? share : NULL);
    return status == OG_OK ? OG_OK
                           : og_message_set(w->message, status,
                                            "the probability of a correct call could not be "
                                            "computed");
}

/* w->term[1] = probability of the state * weight * part / (sum of the weights * of). */
static void share_exactly(const walk *w, uint32_t entry, const og_shown_share *shown)
{
    mpq_ptr share = w->term[1], other = w->term[0], sum = w->term[2];
    og_shown_total_exact(&w->shown, sum, other);
    mpq_set_d(share, shown->weight);
    mpq_div(share, share, sum);
    og_mpz_set(mpq_numref(other), shown->part);
    og_mpz_set(mpq_denref(other), shown->whole);
    mpq_canonicalize(other);
    mpq_mul(share, share, other);
    mpq_mul(share, share, w->here.at[entry]);
}

static og_status visit(walk *w, uint32_t entry, uint64_t *terms_max)
{
    og_forward_take(&w->pass, entry);
    const presence *at = og_state_set_payload(w->pass.here, entry);
    double probability = at->probability;
    OG_TRY(og_shown_look(&w->shown, &w->pass, w->message));
    if (w->envelope != NULL) {
        og_envelope_settle(w->envelope, &w->pass, &w->shown);
    }
    double total = og_shown_total(&w->shown);
    if (w->shown.stop > 0) {
        OG_TRY(stop_here(w, entry, probability * (w->shown.stop / total)));
    }
    for (int32_t i = 0; i < w->pass.state.count; i++) {
        const og_shown_share *share = &w->shown.share[i];
        if (share->part == 0) {
            continue;
        }
        if (w->question->exact) {
            share_exactly(w, entry, share);
        }
        double chance = share->weight / total * ((double)share->part / (double)share->whole);
        og_status status = label(w, i, probability * chance, terms_max);
        if (status != OG_OK) {
            return failed(w, status);
        }
    }
    return OG_OK;
}

static og_status look_around(walk *w)
{
    uint64_t most = w->question->settings.states_max;
    w->states++;
    if (most > 0 && w->states > most) {
        return og_message_set(w->message, OG_STOPPED,
                              "the policy reaches more than %" PRIu64 " states", most);
    }
    return og_stop_asked(w->stop) ? og_message_set(w->message, OG_STOPPED, "the work was stopped")
                                  : OG_OK;
}

/* Makes the next states the current ones, with their fractions; the old fractions are set to 0. */
static void pass_on(walk *w)
{
    fraction_list done = w->here;
    uint32_t count = og_forward_count(&w->pass);
    for (size_t i = 0; w->question->exact && i < count; i++) {
        w->limbs -= limbs_of(done.at[i]);
        mpq_set_ui(done.at[i], 0, 1);
        w->limbs += limbs_of(done.at[i]);
    }
    w->here = w->below;
    w->below = done;
    og_forward_next(&w->pass);
}

static og_status one_stage(walk *w)
{
    uint64_t terms_max = 0;
    int32_t groups_max = 0;
    uint32_t count = og_forward_count(&w->pass);
    for (uint32_t entry = 0; entry < count; entry++) {
        OG_TRY(look_around(w));
        OG_TRY(visit(w, entry, &terms_max));
        groups_max = w->shown.seen_count > groups_max ? w->shown.seen_count : groups_max;
    }
    /* A probability is a sum of products of four factors: the state's probability, a weight
     * divided by the sum of all, the share of instances that look alike, and the probability of
     * an outcome. */
    w->drift =
        1.01 * (w->drift + ((double)terms_max + groups_max + OG_ACTUAL_ROUNDINGS + 6) * unit);
    pass_on(w);
    return OG_OK;
}

static og_status add_up(walk *w)
{
    uint32_t count = og_forward_count(&w->pass);
    for (uint32_t entry = 0; entry < count; entry++) {
        OG_TRY(look_around(w));
        og_forward_take(&w->pass, entry);
        const presence *at = og_state_set_payload(w->pass.here, entry);
        og_status status = og_state_count_add(&w->tally, &w->pass.state, at->probability,
                                              w->question->exact ? w->here.at[entry] : NULL);
        if (status != OG_OK) {
            return og_message_set(w->message, status,
                                  "the probability of a correct call could not be computed");
        }
    }
    return OG_OK;
}

/* ---- begin and end ---- */

/* The root has probability 1. */
static og_status begin_pass(walk *w, uint64_t bytes)
{
    bool exact = w->question->exact;
    bool in_order = w->question->ties == OG_TIES_FIRST;
    w->fraction_bytes_max = exact ? bytes / 2 : 0;
    OG_TRY(og_forward_begin(&w->actual.arms, in_order ? OG_FORWARD_RUNS : OG_FORWARD_SORTED,
                            sizeof(presence), bytes / (exact ? 4 : 2), &w->pass));
    *(presence *)og_state_set_payload(w->pass.here, 0) = (presence){1, 1};
    OG_TRY(og_shown_init(w->question, &w->actual, w->pass.room, &w->shown));
    if (exact) {
        w->term = og_arena_fractions(&w->arena, 3);
        OG_TRY(og_arena_status(&w->arena));
        OG_TRY(fractions_fit(&w->here, 1));
        mpq_set_ui(w->here.at[0], 1, 1);
    }
    return OG_OK;
}

static bool by_value(const og_characteristics_question *question)
{
    return og_ties_by_value(question->ties);
}

static og_status begin_walk(walk *w)
{
    const og_settings *settings = &w->question->settings;
    w->stop = og_stop_of(settings);
    w->message->text[0] = '\0';
    og_status status = og_truth_law_arms_init(w->question, &w->actual, w->message);
    uint64_t tables = w->actual.bytes + og_state_count_bytes(&w->actual, w->question);
    if (status == OG_OK && tables > settings->memory_bytes / 2) {
        status = OG_STOPPED;
    }
    uint64_t bytes = settings->memory_bytes - tables;
    OG_THEN(status, og_state_count_init(&w->actual, w->question, &w->tally));
    if (status == OG_OK && by_value(w->question)) {
        bytes /= 2;
        status = og_envelope_new(w->question, &w->actual, bytes, w->stop, &w->envelope, w->message);
    }
    OG_THEN(status, begin_pass(w, bytes));
    return status == OG_OK || w->message->text[0] != '\0' ? status : failed(w, status);
}

static void walk_clear(walk *w)
{
    og_forward_clear(&w->pass);
    og_shown_clear(&w->shown);
    og_envelope_free(w->envelope);
    og_state_count_clear(&w->tally);
    og_truth_law_arms_clear(&w->actual);
    fractions_clear(&w->here);
    fractions_clear(&w->below);
    og_arena_clear(&w->arena);
}

/* The rule labelled one of the ties that may be best: how far the mean may be from the best
 * mean. */
static void tell_envelope(const walk *w, og_characteristics *out)
{
    double error, value = og_envelope_value(w->envelope, &error);
    mpq_srcptr exact = og_envelope_value_exact(w->envelope);
    assert(exact == NULL || mpq_equal(exact, out->moment[0]));
    if (exact == NULL) {
        out->mean_error = fmax(out->mean_error, fabs(value - out->mean) + 1.01 * error * value);
    }
}

static og_status read_characteristics(walk *w, og_characteristics *out)
{
    og_status status = og_state_count_tell(&w->tally, w->drift, w->states, out);
    if (status == OG_OK && w->envelope != NULL) {
        tell_envelope(w, out);
        w->states += og_envelope_states(w->envelope);
    }
    return status == OG_OK ? OG_OK : failed(w, status);
}

og_status og_characteristics_find(const og_characteristics_question *question,
                                  og_characteristics *out, og_message *message)
{
    og_message ignored = {""};
    walk w = {.question = question, .message = message != NULL ? message : &ignored};
    og_characteristics found = {.instances = 0};
    double begun = og_seconds();
    og_status status = begin_walk(&w);
    while (status == OG_OK && w.pass.left > 0) {
        status = one_stage(&w);
    }
    OG_THEN(status, add_up(&w));
    OG_THEN(status, read_characteristics(&w, &found));
    if (status == OG_OK) {
        found.states = w.states;
        found.seconds = og_seconds() - begun;
        *out = found;
    } else {
        og_characteristics_clear(&found);
    }
    walk_clear(&w);
    return status;
}

void og_characteristics_clear(og_characteristics *characteristics)
{
    og_arena_clear(&characteristics->arena);
    *characteristics = (og_characteristics){.instances = 0};
}
