/*
 * Writes a decision process for model checkers, in two passes over its states. The first counts,
 * because the files begin with sizes and a state's number depends on all states before it; the
 * second writes. Invariant: both visit the same states and choices in the same order, so `number`
 * of the first is valid in the second.
 */
#include "bench/questions/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/clock.h"
#include "dp/engine/steps.h"

enum { TEXT_BYTES = 1 << 16, DONE = -1 };

static const double watch_seconds = 0.1;

/* A possible next state of a choice; stage DONE means the last state. */
typedef struct {
    int32_t stage;
    uint32_t entry;
    double probability;
    mpq_t exact;
} target;

typedef struct {
    og_arena arena;
    const og_asked *asked;
    og_message *message;
    og_steps steps;
    og_forward_pass pass;
    og_step_view stand; /* the current state */
    og_step_state here, next;
    uint64_t *first;        /* [stages] number of states before those of the stage */
    uint64_t *number;       /* [room] of each visited state; filled in the first pass */
    uint64_t met, room;     /* states visited so far in this pass */
    og_model_counts counts; /* from the first pass */
    bool writes;            /* in the second pass */
    og_model_text text;
    target *to; /* [to_count] of the current choice, in the order of the states */
    int32_t to_count, to_room;
    double earned; /* from the current choice */
    mpq_t earned_exact, one_reward;
    double begun, looked;
    char *words;              /* [TEXT_BYTES] scratch */
    mpq_t reward;             /* of the current state, in fractions; else 0 */
    double least, least_root; /* rewards of the first pass: of choices and ends, and at the root */
    double shift; /* what each stage pays more, so that no reward is negative; a power of 2 or 0 */
    double root_shift;
    int32_t stages;
    mpq_t shift_exact, drop, part;
    mpq_t certain; /* 1 */
} writer;

/* ---- writing or counting ---- */

static og_status put_state(writer *w, double value, mpq_srcptr exact, const char *label)
{
    if (w->writes) {
        return og_model_text_state(&w->text, value, exact, label);
    }
    w->counts.states++;
    w->counts.rewards += w->asked->request.exact ? mpq_sgn(exact) != 0 : value != 0;
    return OG_OK;
}

static void put_choice(writer *w, const char *name)
{
    if (w->writes) {
        og_model_text_choice(&w->text, name);
    } else {
        w->counts.choices++;
    }
}

static og_status put_target(writer *w, uint64_t state, double probability, mpq_srcptr exact)
{
    if (w->writes) {
        return og_model_text_target(&w->text, state, probability, exact);
    }
    w->counts.transitions++;
    return OG_OK;
}

static og_status put_certain(writer *w, const char *name, uint64_t state)
{
    put_choice(w, name);
    return put_target(w, state, 1, w->certain);
}

/* The numbers of states are valid only in the second pass. */
static uint64_t states_so_far(const writer *w)
{
    return w->writes ? w->text.put.states : w->counts.states;
}

static uint64_t last_state(const writer *w)
{
    return w->writes ? w->counts.states - 1 : 0;
}

/* ---- next states of choices ---- */

/* The states of an earlier stage come first, the last state at the end. */
static int compare(const void *one, const void *other)
{
    const target *x = one, *y = other;
    if (x->stage != y->stage) {
        return x->stage > y->stage ? -1 : 1;
    }
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static og_status next_target(writer *w, target **out)
{
    if (w->to_count == w->to_room) {
        int32_t room = 2 * w->to_room + 16;
        target *to = realloc(w->to, (size_t)room * sizeof *to);
        OG_TRY(OG_ALLOCATED(to));
        w->to = to;
        for (; w->to_room < room; w->to_room++) {
            mpq_init(w->to[w->to_room].exact);
        }
    }
    *out = &w->to[w->to_count++];
    (*out)->entry = 0;
    return OG_OK;
}

/* `share`: probability of the outcome's action, if chance takes one of several. */
static og_status add_outcome(writer *w, const og_outcome *outcome, double share)
{
    const bool exact = w->asked->request.exact;
    target *to;
    OG_TRY(next_target(w, &to));
    w->steps.next(w->steps.self, outcome, &w->next);
    to->probability = share * w->next.probability;
    to->stage = DONE;
    if (w->next.words > 0) {
        to->stage = w->next.stage;
        OG_TRY(og_forward_pass_put(&w->pass, &w->next, &to->entry));
    } else {
        w->earned += to->probability * w->next.value;
    }
    if (exact) {
        w->steps.probability_exact(w->steps.self, outcome, to->exact);
    }
    if (exact && w->next.words == 0 && w->next.value != 0) { /* the state is terminal */
        double counted;
        w->steps.counted(w->steps.self, &counted, w->one_reward);
        mpq_mul(w->one_reward, w->one_reward, to->exact);
        mpq_add(w->earned_exact, w->earned_exact, w->one_reward);
    }
    return OG_OK;
}

/* Merge the outcomes into one target for each next state; at least one. */
static og_status gather(writer *w)
{
    int32_t count = 0;
    if (w->to_count == 0) {
        target *to;
        OG_TRY(next_target(w, &to));
        to->stage = DONE;
        to->probability = 1;
        mpq_set_ui(to->exact, 1, 1);
    }
    qsort(w->to, (size_t)w->to_count, sizeof *w->to, compare);
    for (int32_t i = 0; i < w->to_count; i++) {
        if (count > 0 && compare(&w->to[count - 1], &w->to[i]) == 0) {
            w->to[count - 1].probability += w->to[i].probability;
            mpq_add(w->to[count - 1].exact, w->to[count - 1].exact, w->to[i].exact);
        } else {
            target held = w->to[count];
            w->to[count] = w->to[i];
            w->to[i] = held; /* keeps the fraction it owns */
            count++;
        }
    }
    w->to_count = count;
    return OG_OK;
}

/* Every stage that play passes pays `shift`, so all paths together pay the same. */
static void add_shift(writer *w)
{
    if (w->shift == 0) {
        return;
    }
    for (int32_t i = 0; i < w->to_count; i++) {
        int32_t stages = w->pass.stage - w->to[i].stage;
        w->earned += w->shift * (w->to[i].probability * stages);
        mpq_set_si(w->drop, stages, 1);
        mpq_mul(w->part, w->drop, w->to[i].exact);
        mpq_mul(w->part, w->part, w->shift_exact);
        mpq_add(w->earned_exact, w->earned_exact, w->part);
    }
}

/* Find the next states and the reward of action `a`; with a = -1, where chance moves, of all
 * actions together. */
static og_status follow(writer *w, int32_t a)
{
    const og_expansion *x = w->stand.x;
    double weight = 0;
    w->to_count = 0;
    w->earned = 0;
    mpq_set_ui(w->earned_exact, 0, 1);
    for (int32_t i = 0; i < x->action_count; i++) {
        weight += x->action[i].weight;
    }
    for (int32_t i = a < 0 ? 0 : a; i < (a < 0 ? x->action_count : a + 1); i++) {
        const og_action *action = &x->action[i];
        double share = a < 0 ? action->weight / weight : 1;
        w->earned += share * w->steps.reward(w->steps.self, action, w->one_reward);
        mpq_add(w->earned_exact, w->earned_exact, w->one_reward);
        for (int32_t k = 0; k < action->outcome_count; k++) {
            OG_TRY(add_outcome(w, &x->outcome[action->outcome_first + k], share));
        }
    }
    OG_TRY(gather(w));
    w->least = fmin(w->least, w->earned);
    add_shift(w);
    return OG_OK;
}

static og_status put_targets(writer *w)
{
    for (int32_t i = 0; i < w->to_count; i++) {
        const target *to = &w->to[i];
        uint64_t state = to->stage == DONE || !w->writes
                             ? last_state(w)
                             : w->number[w->first[to->stage] + to->entry];
        OG_TRY(put_target(w, state, to->probability, to->exact));
    }
    return OG_OK;
}

/* ---- a state ---- */

static void name_choice(writer *w, int32_t a)
{
    og_act act = w->steps.act(w->steps.self, &w->stand.x->action[a]);
    og_family_words_of(w->asked->family).step_text(w->asked->problem, act, w->words, TEXT_BYTES);
    for (char *c = w->words; *c != '\0'; c++) {
        *c = *c == ' ' ? '_' : *c;
    }
}

/* The reward of the current state. At the end it is the whole value, unless rewards of choices
 * contain it; at the root, if values are gains, the value without labels. */
static og_status earned_here(writer *w, double *value)
{
    const og_asked *asked = w->asked;
    bool root = w->met == 0, end = w->stand.x->action_count == 0;
    double error;
    *value = 0;
    mpq_set_ui(w->reward, 0, 1);
    if (w->steps.counted != NULL && end) {
        w->steps.counted(w->steps.self, value, w->reward);
        w->least = fmin(w->least, *value);
    }
    if (w->steps.counted == NULL && w->steps.gains && root) {
        OG_TRY(og_family_prior(asked->family, asked->problem, value, &error,
                               asked->request.exact ? w->reward : NULL, w->message));
        w->least_root = fmin(0, *value);
        *value += w->root_shift;
        mpq_set_d(w->part, w->root_shift);
        mpq_add(w->reward, w->reward, w->part);
    }
    if (end) {
        *value += w->shift * (w->pass.stage + 1);
        mpq_set_si(w->drop, w->pass.stage + 1, 1);
        mpq_mul(w->part, w->drop, w->shift_exact);
        mpq_add(w->reward, w->reward, w->part);
    }
    return OG_OK;
}

static og_status tell_state(writer *w)
{
    double value;
    if (w->writes) {
        w->asked->family->words.state_text(w->asked->problem, w->stand.state, w->words, TEXT_BYTES);
        og_model_text_comment(&w->text, w->words);
    }
    OG_TRY(earned_here(w, &value));
    return put_state(w, value, w->reward, w->met == 0 ? "init" : "");
}

/* Write the states that earn the rewards of choices, directly after the choices' state and in their
 * order. */
static og_status put_earners(writer *w, int32_t choices, bool chance)
{
    for (int32_t a = 0; a < choices; a++) {
        OG_TRY(follow(w, chance ? -1 : a));
        if (w->earned != 0) {
            OG_TRY(put_state(w, w->earned, w->earned_exact, ""));
            put_choice(w, "earned");
            OG_TRY(put_targets(w));
        }
    }
    return OG_OK;
}

static og_status visit(writer *w)
{
    const og_expansion *x = w->stand.x;
    bool chance = x->combine == OG_COMBINE_MEAN && x->action_count > 0;
    int32_t choices = chance ? 1 : x->action_count;
    uint64_t earners = 0;
    OG_TRY(tell_state(w));
    uint64_t own = states_so_far(w);
    for (int32_t a = 0; a < choices; a++) {
        OG_TRY(follow(w, chance ? -1 : a));
        strcpy(w->words, "chance");
        if (w->writes && !chance) {
            name_choice(w, a);
        }
        if (w->earned != 0) {
            OG_TRY(put_certain(w, w->words, own + earners));
            earners++;
        } else {
            put_choice(w, w->words);
            OG_TRY(put_targets(w));
        }
    }
    if (choices == 0) {
        OG_TRY(put_certain(w, "end", last_state(w)));
    }
    return earners > 0 ? put_earners(w, choices, chance) : OG_OK;
}

/* ---- all states ---- */

static og_status remember_number(writer *w)
{
    if (w->writes) {
        return OG_OK;
    }
    if (w->met == w->room) {
        uint64_t room = 2 * w->room + 1024;
        uint64_t *number = realloc(w->number, (size_t)room * sizeof *number);
        OG_TRY(OG_ALLOCATED(number));
        w->number = number;
        w->room = room;
    }
    w->number[w->met] = w->counts.states;
    return OG_OK;
}

static og_status too_large(const writer *w)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(w->message, OG_STOPPED,
                          "the memory limit of %s is too small for the states of the model",
                          og_bytes_format(w->asked->request.settings.memory_bytes, limit));
}

static og_status look_around(writer *w)
{
    const og_settings *settings = &w->asked->request.settings;
    double now = og_seconds();
    if (now - w->looked < watch_seconds) {
        return OG_OK;
    }
    w->looked = now;
    og_progress progress = {.states = w->met,
                            .memory_bytes =
                                og_forward_pass_bytes(&w->pass) + w->room * sizeof *w->number,
                            .seconds = now - w->begun};
    if (progress.memory_bytes > settings->memory_bytes) {
        return too_large(w);
    }
    return settings->watch == NULL || settings->watch(settings->watch_user, &progress)
               ? OG_OK
               : og_message_set(w->message, OG_STOPPED, "the work was stopped");
}

static og_status visit_stage(writer *w)
{
    uint32_t count = og_forward_pass_count(&w->pass);
    w->first[w->pass.stage] = w->met;
    for (uint32_t i = 0; i < count; i++) {
        OG_TRY(look_around(w));
        og_forward_pass_place(&w->pass, i, &w->here);
        OG_TRY(w->steps.take(w->steps.self, &w->here, &w->stand, w->message));
        OG_TRY(remember_number(w));
        OG_TRY(visit(w));
        w->met++;
    }
    return OG_OK;
}

static og_status one_pass(writer *w)
{
    w->met = 0;
    w->steps.root(w->steps.self, &w->next);
    if (w->next.words == 0) {
        return og_message_set(w->message, OG_BAD_INPUT,
                              "--export-model does not support a problem without choices; give at "
                              "least one label (-T)");
    }
    OG_TRY(og_forward_pass_begin(&w->next, 0, w->asked->request.settings.memory_bytes, &w->pass));
    w->stages = w->pass.stage + 1;
    if (!w->writes) {
        w->first = og_arena_array(&w->arena, (size_t)w->pass.stage + 1, sizeof *w->first);
        OG_TRY(og_arena_status(&w->arena));
    }
    og_status status = OG_OK;
    for (; status == OG_OK && w->pass.stage >= 0; og_forward_pass_next(&w->pass)) {
        status = visit_stage(w);
    }
    og_forward_pass_clear(&w->pass);
    OG_TRY(status);
    mpq_set_ui(w->reward, 0, 1);
    OG_TRY(put_state(w, 0, w->reward, "done"));
    return put_certain(w, "stay", last_state(w));
}

static og_status begin_file(writer *w)
{
    const og_asked *asked = w->asked;
    const og_steps_use use = {
        .settings = asked->request.settings, .counted = true, .exact = asked->request.exact};
    OG_TRY(og_family_steps(asked->family, asked->problem, &use, &w->steps, w->message));
    if (asked->request.exact && w->steps.probability_exact == NULL) {
        return og_family_lacks(asked->family, "--arithmetic exact with --export-model", w->message);
    }
    size_t words = (size_t)w->steps.key_words_max;
    w->here.key = og_arena_array(&w->arena, words, sizeof *w->here.key);
    w->next.key = og_arena_array(&w->arena, words, sizeof *w->next.key);
    w->words = og_arena_array(&w->arena, TEXT_BYTES, 1);
    return og_arena_status(&w->arena);
}

/* The least power of 2 above -x; 0 if x is not negative. */
static double beyond(double x)
{
    int exponent;
    frexp(-x, &exponent);
    return x < 0 ? ldexp(1, exponent) : 0;
}

/* PRISM refuses negative rewards of states: what is paid more is counted again. */
static og_status forbid_losses(writer *w)
{
    w->shift = beyond(w->least);
    w->root_shift = beyond(w->least_root);
    if (!og_model_text_is_prism(w->asked->request.export_model) ||
        (w->shift == 0 && w->root_shift == 0)) {
        w->shift = w->root_shift = 0;
        return OG_OK;
    }
    mpq_set_d(w->shift_exact, w->shift);
    w->counts = (og_model_counts){.states = 0};
    return one_pass(w);
}

static og_status write_all(writer *w)
{
    const og_asked *asked = w->asked;
    OG_TRY(begin_file(w));
    OG_TRY(one_pass(w));
    OG_TRY(forbid_losses(w));
    w->writes = true;
    OG_TRY(og_model_text_begin(asked->request.export_model, asked->request.exact, &w->counts,
                               &w->text, w->message));
    OG_TRY(one_pass(w));
    return og_model_text_end(&w->text, w->message);
}

static void clear(writer *w)
{
    for (int32_t i = 0; i < w->to_room; i++) {
        mpq_clear(w->to[i].exact);
    }
    free(w->to);
    free(w->number);
    mpq_clears(w->reward, w->certain, w->earned_exact, w->one_reward, w->shift_exact, w->drop,
               w->part, NULL);
    og_model_text_drop(&w->text);
    og_forward_pass_clear(&w->pass);
    og_steps_free(&w->steps);
    og_arena_clear(&w->arena);
}

og_status og_model_file_check(const og_asked *asked, og_message *message)
{
    if (!og_family_is_followed(asked->family)) {
        return og_family_lacks(asked->family, "--export-model", message);
    }
    return og_model_text_check(asked->request.export_model, message);
}

og_status og_model_file_write(const og_asked *asked, og_model_file_info *info, og_message *message)
{
    og_message own = {""};
    OG_TRY(og_model_file_check(asked, message));
    writer w = {.asked = asked, .message = message != NULL ? message : &own, .begun = og_seconds()};
    mpq_inits(w.reward, w.certain, w.earned_exact, w.one_reward, w.shift_exact, w.drop, w.part,
              NULL);
    mpq_set_ui(w.certain, 1, 1);
    og_status status = write_all(&w);
    if (status == OG_STOPPED && w.message->text[0] == '\0') {
        status = too_large(&w);
    }
    if (status == OG_OK) {
        *info = (og_model_file_info){.prism = w.text.prism,
                                     .exact = w.text.exact,
                                     .constant = w.shift * w.stages + w.root_shift,
                                     .counts = w.counts,
                                     .bytes = w.text.bytes};
    }
    clear(&w);
    return status;
}
