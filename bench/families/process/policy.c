/*
 * Optimal policies of processes as files, with the columns state and act, and their check: it walks
 * forward from the root and adds up probability times reward, without the values of any state.
 *
 * Errors of the walk (u = 2^-53): a probability is a product of at most D probabilities, each
 * rounded once, and shares of acts; each step adds the product's rounding and one for each outcome
 * but one that leads to the state. The sum is compensated: 2u [Neumaier, Z. angew. Math. Mech. 54
 * (1974), 39-51]. All of it is relative to the expected sum of absolute rewards and values.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/process/problem.h"
#include "bench/words.h"
#include "dp/base/arena.h"
#include "dp/base/file.h"
#include "dp/base/sort.h"
#include "heuristics/process_policy.h"

enum { LOOK_EVERY = 1024 };

/* ---- writing ---- */

typedef struct {
    og_arena arena;
    const og_process_table *table;
    const og_request *request;
    bool exact;        /* fractions decide, else doubles */
    uint64_t bytes;    /* of memory */
    bool *reached;     /* [state_count] */
    const char **text; /* [text_count] texts of the states that were written */
    size_t text_count;
    char *room; /* [OG_PROCESS_TEXT_BYTES] */
    og_atomic_file file;
    og_export_info info;
} writer;

static int compare_texts(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void put(writer *w, const char *text)
{
    size_t bytes = strlen(text);
    og_atomic_file_write(&w->file, text, bytes);
    w->info.file_bytes += bytes;
}

static void put_act(writer *w, const char *state, uint32_t act)
{
    put(w, state);
    put(w, "\t");
    put(w, og_process_act_name(w->table, act));
    put(w, "\n");
    for (uint32_t k = w->table->act[act].outcome_first; k < w->table->act[act + 1].outcome_first;
         k++) {
        w->reached[w->table->outcome[k].next] = true;
    }
}

/* Whether each act of a state is optimal, as far as the numbers tell; true: they leave it open. */
static bool find_optimal(const writer *w, uint32_t state, bool *optimal)
{
    const og_process_table *table = w->table;
    uint32_t first = table->act_first[state], count = og_process_acts(table, state), near = 0;
    double error = 2 * og_process_error(table, 0, true);
    mpq_t q;
    mpq_init(q);
    for (uint32_t a = 0; a < count; a++) {
        optimal[a] = og_process_q(table, table->value, first + a) >= table->value[state] - error;
        if (w->exact && optimal[a]) {
            og_process_q_exact(table, table->value_exact, first + a, q);
            optimal[a] = mpq_equal(q, table->value_exact[state]) != 0;
        }
        near += optimal[a];
    }
    mpq_clear(q);
    return !w->exact && near > 1 && error > 0;
}

static og_status write_state(writer *w, uint32_t state, bool *optimal, og_message *message)
{
    const og_process_table *table = w->table;
    uint32_t first = table->act_first[state], count = og_process_acts(table, state);
    og_process_state_text(table, state, w->room, OG_PROCESS_TEXT_BYTES);
    w->bytes += strlen(w->room) + 1;
    OG_TRY(og_process_room(table, w->bytes, w->request->settings.memory_bytes, message));
    const char *text = og_arena_copy(&w->arena, w->room, strlen(w->room) + 1, 1);
    OG_TRY(og_arena_status(&w->arena));
    w->text[w->text_count++] = text;
    w->info.near_ties += find_optimal(w, state, optimal);
    for (uint32_t a = 0; a < count; a++) {
        bool best = og_process_q(table, table->value, first + a) == table->value[state];
        if (w->request->all_optimal ? optimal[a] : best) {
            put_act(w, text, first + a);
        }
        if (!w->request->all_optimal && best) {
            break;
        }
    }
    return OG_OK;
}

static og_status write_states(writer *w, og_message *message)
{
    const og_process_table *table = w->table;
    og_stop *stop = og_stop_of(&w->request->settings);
    w->bytes = table->state_count * (sizeof *w->reached + sizeof *w->text);
    OG_TRY(og_process_room(table, w->bytes, w->request->settings.memory_bytes, message));
    bool *optimal = og_arena_array(&w->arena, (size_t)table->acts_max + 1, sizeof *optimal);
    w->reached = og_arena_array(&w->arena, table->state_count, sizeof *w->reached);
    w->text = og_arena_array(&w->arena, table->state_count, sizeof *w->text);
    w->room = og_arena_array(&w->arena, OG_PROCESS_TEXT_BYTES, 1);
    OG_TRY(og_arena_status(&w->arena));
    w->reached[0] = true;
    put(w, "state\tact\n");
    for (uint32_t i = 0; i < table->state_count; i++) {
        uint32_t state = og_process_at(table, i);
        if (i % LOOK_EVERY == 0 && og_stop_asked(stop)) {
            return og_message_set(message, OG_STOPPED, "the work was stopped");
        }
        if (w->reached[state] && og_process_acts(table, state) > 0) {
            OG_TRY(write_state(w, state, optimal, message));
        }
    }
    w->info.states = w->text_count;
    OG_TRY(og_sort(w->text, w->text_count, sizeof *w->text, compare_texts, stop));
    for (size_t i = 1; i < w->text_count; i++) {
        if (strcmp(w->text[i - 1], w->text[i]) == 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--export-policy needs different texts for states, and two have "
                                  "the text '%.100s'",
                                  w->text[i]);
        }
    }
    return OG_OK;
}

og_status process_export(const void *problem, const og_request *request, og_export_info *out,
                         og_message *message)
{
    og_process_table *table = ((const process *)problem)->table;
    const og_settings *settings = &request->settings;
    writer w = {
        .table = table, .request = request, .exact = table->rational && request->all_optimal};
    og_status status = og_atomic_file_begin(request->export_policy, "policy", &w.file, message);
    if (w.exact) {
        OG_THEN(status,
                og_process_exact(table, settings->memory_bytes, og_stop_of(settings), message));
    }
    OG_THEN(status, write_states(&w, message));
    if (status == OG_OK) {
        status = og_atomic_file_end(&w.file, "policy", message);
    } else {
        og_atomic_file_drop(&w.file);
    }
    og_arena_clear(&w.arena);
    if (status == OG_OK) {
        *out = w.info;
    }
    return status;
}

/* ---- checking ---- */

typedef struct {
    og_arena arena;
    const og_process_table *table;
    og_strategy by;      /* of the file */
    double *probability; /* [state_count] of reaching it */
    uint32_t *summands;  /* [state_count] */
    uint32_t summands_most, states;
    og_act_open *open;
    double *answer;
    double sum, rest; /* of the value; compensation of its rounding */
} walk;

/* The next term of a compensated sum. */
static void add(walk *w, double term)
{
    double sum = w->sum + term;
    w->rest += fabs(w->sum) >= fabs(term) ? (w->sum - sum) + term : (term - sum) + w->sum;
    w->sum = sum;
}

static void follow(walk *w, uint32_t act, double probability)
{
    const og_process_table *table = w->table;
    for (uint32_t k = table->act[act].outcome_first; k < table->act[act + 1].outcome_first; k++) {
        const og_process_outcome *outcome = &table->outcome[k];
        double reached = probability * outcome->probability;
        uint32_t *summands = &w->summands[outcome->next];
        add(w, reached * outcome->reward);
        w->probability[outcome->next] += reached;
        ++*summands;
        w->summands_most = *summands > w->summands_most ? *summands : w->summands_most;
    }
}

static og_status visit(walk *w, uint32_t state, og_message *message)
{
    const og_process_table *table = w->table;
    const og_process_view seen = {table, state};
    int32_t count = og_process_open(table, state, w->open);
    const og_strategy_view view = {.state = &seen, .open = w->open, .count = count};
    og_answer kind;
    double listed = 0;
    w->states++;
    OG_TRY(w->by.choose(w->by.self, &view, w->answer, &kind, message));
    for (int32_t a = 0; a < count; a++) {
        listed += w->answer[a];
    }
    for (int32_t a = 0; a < count; a++) {
        if (w->answer[a] > 0) {
            follow(w, table->act_first[state] + (uint32_t)a, w->probability[state] / listed);
        }
    }
    return OG_OK;
}

static og_status walk_all(walk *w, og_stop *stop, og_message *message)
{
    const og_process_table *table = w->table;
    uint32_t end = 0;
    w->probability[0] = 1;
    for (uint32_t i = 0; i < table->state_count; i++) {
        uint32_t state = og_process_at(table, i);
        if (i % LOOK_EVERY == 0 && og_stop_asked(stop)) {
            return og_message_set(message, OG_STOPPED, "the work was stopped");
        }
        if (w->probability[state] > 0 && og_process_acts(table, state) > 0) {
            OG_TRY(visit(w, state, message));
        }
    }
    for (; end < table->end_count; end++) {
        add(w, w->probability[table->end[end].state] * table->end[end].value);
    }
    return OG_OK;
}

static void describe(const walk *w, const char *file, og_document *document)
{
    const og_process_table *table = w->table;
    double value = w->sum + w->rest;
    double steps = ((double)w->summands_most + 4) * table->height[0] + 4;
    double error = steps * 0x1p-53 * (1 + 0x1p-20) * table->absolute;
    double doubt = error + og_process_error(table, 0, false);
    double loss = fmax(0, table->value[0] - value + doubt);
    bool optimal = loss <= 2 * doubt;
    og_put_text(document, "file", file);
    og_put_whole(document, "budget", table->height[0]);
    og_put_whole(document, "states", w->states);
    og_put_result(document, "value", true, value);
    og_put_result(document, "error_bound", true, error);
    og_put_result(document, "optimal_value", true, table->value[0]);
    og_put_bool(document, "optimality_certified", optimal);
    og_put_result(document, "loss_bound", true, loss);
    og_show_field(document, "Policy file", "%s", file);
    og_show_field(document, "States", "%" PRIu32 " with a choice", w->states);
    og_show_field(document, "Value", "%s, from the file's choices (error at most %s)",
                  og_words_value(value).text, og_words_bound(error).text);
    og_show_field(document, "Optimal value", "%s", og_words_value(table->value[0]).text);
    og_show_paragraph(document, "%s: the policy loses at most %s.",
                      optimal ? "Certified as optimal within the errors" : "Not optimal",
                      og_words_most(loss).text);
}

og_status process_verify(const void *problem, const char *file, const og_settings *settings,
                         og_document *document, og_message *message)
{
    const og_process_table *table = ((const process *)problem)->table;
    walk w = {.table = table};
    size_t states = table->state_count, acts = (size_t)table->acts_max + 1;
    uint64_t bytes = states * (sizeof *w.probability + sizeof *w.summands);
    og_policy_name name = og_policy_name_of("", NULL);
    if (strlen(file) + sizeof "table:" > sizeof name.name) {
        return og_message_set(message, OG_BAD_INPUT, "the name of the policy file is too long");
    }
    snprintf(name.name, sizeof name.name, "table:%s", file);
    OG_TRY(og_process_room(table, bytes, settings->memory_bytes, message));
    const og_policy_use use = {.memory_bytes = settings->memory_bytes - bytes,
                               .stop = og_stop_of(settings)};
    w.probability = og_arena_array(&w.arena, states, sizeof *w.probability);
    w.summands = og_arena_array(&w.arena, states, sizeof *w.summands);
    w.open = og_arena_array(&w.arena, acts, sizeof *w.open);
    w.answer = og_arena_array(&w.arena, acts, sizeof *w.answer);
    og_status status = og_arena_status(&w.arena);
    OG_THEN(status, og_process_strategy(&name, table, &use, &w.by, message));
    OG_THEN(status, walk_all(&w, use.stop, message));
    if (status == OG_OK) {
        describe(&w, file, document);
    }
    og_strategy_free(&w.by);
    og_arena_clear(&w.arena);
    return status;
}
