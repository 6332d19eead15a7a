/* solve, query and bound for problems of another kind than independent instances. */
#include "tools/option/family.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/words.h"
#include "tools/show/memory.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { ACTION_BYTES = 256, ACTIONS_MAX = 100000 };

const family_kind *const family_kinds[] = {&family_delayed, &family_workers, &family_features,
                                           NULL};

og_status family_choose(request *asked, const family_kind *kind, og_message *message)
{
    if (asked->kind != NULL && asked->kind != kind) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s and %s are different kinds of problems; give one of them",
                              asked->kind->option, kind->option);
    }
    if (asked->kind == NULL) {
        asked->family_options = allocate(1, kind->options->bytes);
    }
    asked->kind = kind;
    return OG_OK;
}

void family_forget(request *asked)
{
    if (asked->kind != NULL && asked->kind->options->clear != NULL) {
        asked->kind->options->clear(asked->family_options);
    }
    free(asked->family_options);
}

og_status family_usual_policies(request *asked, const char *names, og_message *message)
{
    static const og_option_row row = OG_OPTION(POLICIES, "policies", "NAMES", request, policies,
                                               .count = offsetof(request, policy_count));
    if (asked->policies_given) {
        return OG_OK;
    }
    asked->policy_count = 0;
    return og_option_read(&row, asked, names, message);
}

og_status family_make(request *asked, og_family *out, og_message *message)
{
    enum { POLICIES_ROOM = 64 }; /* more than a kind has of its own */
    if (asked->problem.objective == OG_OBJECTIVE_BANDIT) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--objective bandit is for independent instances, not with %s",
                              asked->kind->option);
    }
    int32_t count = asked->policy_count > POLICIES_ROOM ? asked->policy_count : POLICIES_ROOM;
    og_status status = asked->kind->make(asked, count, out, message);
    if (status == OG_OK) {
        status = family_usual_policies(asked, out->policies, message);
        if (status != OG_OK) {
            og_family_free(out);
        }
    }
    return status;
}

static og_settings watched_settings(const request *asked)
{
    og_settings settings = asked->settings;
    settings.watch = progress_watch;
    progress_catch_signals();
    return settings;
}

static void show_note(const request *asked, og_document *document)
{
    if (asked->kind->note != NULL) {
        og_show_paragraph(document, "\n%s", asked->kind->note);
    }
}

static int fail(const request *asked, og_status status, const og_message *message)
{
    char words[STOP_REASON_BYTES];
    show_stage(NULL);
    return complain_limit(status, message, stop_reason(asked, words), asked);
}

/* ---- solve ---- */

typedef struct {
    double call;
    og_result result;
    mpq_t value, gain;
} solution;

static og_document *describe_solution(const request *asked, const og_family *family,
                                      const solution *found)
{
    og_document *document = og_document_new();
    asked->kind->describe(asked, document);
    og_describe_optimum(document, &found->result, asked->exact, found->value, found->gain,
                        found->call, og_counted_of(&asked->problem, family->instances).text, "");
    show_note(asked, document);
    return document;
}

static og_status solve(const request *asked, const og_family *family, solution *found,
                       og_message *message)
{
    og_settings settings = watched_settings(asked);
    og_status status = OG_OK;
    double error;
    if (asked->exact) {
        status = family->check_exact != NULL
                     ? family->check_exact(family->self, message)
                     : og_message_set(message, OG_BAD_INPUT, "exact arithmetic is not there for %s",
                                      asked->kind->option);
    }
    if (status == OG_OK && settings.checkpoint != NULL) {
        status = og_message_set(message, OG_BAD_INPUT, "checkpoints are not there for %s",
                                asked->kind->option);
    }
    if (status == OG_OK) {
        status = family->call(family->self, &found->call, &error, NULL, message);
    }
    if (status == OG_OK) {
        og_valued valued = {.result = &found->result};
        valued.value = asked->exact ? found->value : NULL;
        valued.gain = asked->exact ? found->gain : NULL;
        show_stage("solving");
        status = family->optimum(family->self, &settings, &valued, message);
    }
    return status;
}

int family_solve(request *asked)
{
    og_message message = {""};
    og_family family = {.free = NULL};
    solution found = {.call = 0};
    if (asked->dry_run || asked->export_policy != NULL) {
        og_message_set(&message, OG_BAD_INPUT, "%s is not there for %s",
                       asked->dry_run ? "--dry-run" : "--export-policy", asked->kind->option);
        return complain(OG_BAD_INPUT, &message);
    }
    mpq_inits(found.value, found.gain, NULL);
    og_status status = family_make(asked, &family, &message);
    if (status == OG_OK) {
        status = solve(asked, &family, &found, &message);
    }
    show_stage(NULL);
    int code = EXIT_RESULT;
    if (status != OG_OK) {
        code = fail(asked, status, &message);
    } else {
        code = show(describe_solution(asked, &family, &found), asked->json);
    }
    og_family_free(&family);
    mpq_clears(found.value, found.gain, NULL);
    return code;
}

/* ---- query ---- */

typedef struct {
    og_first_action *action;
    int32_t count;
    bool *pick; /* [policy_count * count] */
    double best;
    double error;
} answer;

/* Not proved worse than another. */
static bool is_optimal(const answer *found, int32_t i)
{
    return found->action[i].q + found->action[i].error >= found->best - found->error;
}

static og_status ask(const request *asked, const og_family *family, answer *found,
                     og_message *message)
{
    og_settings settings = watched_settings(asked);
    if (family->first_actions == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "query does not know %s", asked->kind->option);
    }
    if (asked->left < 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "with no labels left there is nothing to choose");
    }
    found->action = allocate(ACTIONS_MAX, sizeof *found->action);
    show_stage("solving");
    og_status status = family->first_actions(family->self, &settings, found->action, ACTIONS_MAX,
                                             &found->count, message);
    size_t count = status == OG_OK ? (size_t)found->count : 0;
    found->pick = allocate((size_t)asked->policy_count * count + 1, sizeof *found->pick);
    found->best = 0;
    for (size_t i = 0; i < count; i++) {
        if (found->action[i].q > found->best) {
            found->best = found->action[i].q;
            found->error = found->action[i].error;
        }
    }
    for (int32_t p = 0; status == OG_OK && p < asked->policy_count; p++) {
        status = family->prepare(family->self, p, &asked->policies[p], &asked->settings, message);
        if (status == OG_OK) {
            status = family->picks(family->self, p, found->action, found->count,
                                   found->pick + (size_t)p * count, message);
        }
    }
    return status;
}

static void put_actions(const request *asked, const answer *found, og_document *actions)
{
    char words[ACTION_BYTES];
    for (int32_t i = 0; i < found->count; i++) {
        const og_first_action *action = &found->action[i];
        og_document *object = og_put_object(actions, NULL);
        asked->kind->action(asked, action, words, sizeof words);
        og_put_text(object, "text", words);
        og_put_whole(object, "instance", (uint64_t)action->instance);
        if (action->worker < 0) {
            og_put_null(object, "worker");
        } else {
            og_put_whole(object, "worker", (uint64_t)action->worker);
        }
        og_put_number(object, "q", action->q);
        og_put_number(object, "error_bound", action->error);
        og_put_bool(object, "optimal", is_optimal(found, i));
        og_show_cell(object, "optimal", "%s", is_optimal(found, i) ? "optimal" : "");
        og_show_cell(object, "lost", "%s",
                     isnan(action->q)       ? "-"
                     : is_optimal(found, i) ? "0"
                                            : og_words_gap(found->best - action->q, 0).text);
    }
}

static void put_picks(const request *asked, const answer *found, og_document *policies)
{
    char words[ACTION_BYTES];
    for (int32_t p = 0; p < asked->policy_count; p++) {
        og_document *picks = og_put_array(policies, asked->policies[p].name);
        og_show_cell(picks, "picks", "%s", "");
        for (int32_t i = 0; i < found->count; i++) {
            if (found->pick[(size_t)p * (size_t)found->count + (size_t)i]) {
                asked->kind->action(asked, &found->action[i], words, sizeof words);
                og_show_cell(picks, "picks", "%s%s", og_document_count(picks) > 0 ? "; " : "",
                             words);
                og_put_whole(picks, NULL, (uint64_t)i);
            }
        }
    }
}

static og_document *describe_answer(const request *asked, const answer *found)
{
    og_document *document = og_document_new();
    asked->kind->describe(asked, document);
    og_put_whole(document, "budget", (uint64_t)asked->budget);
    og_put_whole(document, "left", (uint64_t)asked->left);
    og_put_number(document, "q", found->best);
    og_put_text(document, "accuracy", "double");
    og_document *actions = og_put_array(document, "actions");
    og_document *policies = og_put_object(document, "policies");
    put_actions(asked, found, actions);
    put_picks(asked, found, policies);
    og_document *table = og_show_table(document, actions);
    og_show_column(table, "label", 'l', "text", OG_SHOW_PLAIN);
    og_show_column(table, "Q", 'd', "q", OG_SHOW_VALUE);
    og_show_column(table, "lost", 'd', "lost", OG_SHOW_PLAIN);
    og_show_column(table, "", 'l', "optimal", OG_SHOW_PLAIN);
    table = og_show_table(document, policies);
    og_show_column(table, "policy", 'l', NULL, OG_SHOW_PLAIN);
    og_show_column(table, "would label", 'l', "picks", OG_SHOW_PLAIN);
    og_show_paragraph(document,
                      "Q: expected correct calls still to be gained if this is labelled now and "
                      "play is optimal after that. Lost: the best Q minus this one; what is "
                      "optimal is so within the errors.");
    show_note(asked, document);
    return document;
}

int family_query(request *asked)
{
    og_message message = {""};
    og_family family = {.free = NULL};
    answer found = {.count = 0};
    og_status status = OG_OK;
    if (asked->exact) {
        status = og_message_set(&message, OG_BAD_INPUT,
                                "query in exact arithmetic is for independent instances");
    }
    if (status == OG_OK) {
        status = family_make(asked, &family, &message);
    }
    if (status == OG_OK) {
        status = ask(asked, &family, &found, &message);
    }
    show_stage(NULL);
    int code = EXIT_RESULT;
    if (status != OG_OK) {
        code = fail(asked, status, &message);
    } else {
        code = show(describe_answer(asked, &found), asked->json);
    }
    free(found.action);
    free(found.pick);
    og_family_free(&family);
    return code;
}

/* ---- bound ---- */

static const char *const bound_names[OG_BOUND_COUNT] = {
    [OG_BOUND_SCALAR] = "lagrangian_scalar",
    [OG_BOUND_VECTOR] = "lagrangian_vector",
    [OG_BOUND_PREVAILING] = "prevailing_charge",
};

static og_document *describe_bounds(const request *asked, const og_bound *bounds, double call)
{
    og_document *document = og_document_new();
    asked->kind->describe(asked, document);
    og_put_number(document, "call_value", call);
    og_put_text(document, "accuracy", "double");
    og_show_field(document, "Without labels", "%s expected correct calls",
                  og_words_value(call).text);
    og_document *object =
        og_put_bounds(document, &bounds[0], &bounds[1], &bounds[2], NULL, NULL, false);
    og_show_bounds(document, object, false, "correct calls");
    return document;
}

int family_bound(request *asked)
{
    og_message message = {""};
    og_family family = {.free = NULL};
    og_bound bounds[OG_BOUND_COUNT] = {{0}};
    double call = 0;
    double error;
    bool some = false;
    og_status status = OG_OK;
    if (asked->exact) {
        status =
            og_message_set(&message, OG_BAD_INPUT, "exact bounds are for independent instances");
    }
    if (status == OG_OK) {
        status = family_make(asked, &family, &message);
    }
    if (status == OG_OK) {
        status = family.call(family.self, &call, &error, NULL, &message);
    }
    for (int i = 0; status == OG_OK && i < OG_BOUND_COUNT; i++) {
        bounds[i].value = INFINITY;
        if (family.bound != NULL) {
            show_stage(bound_names[i]);
            status =
                family.bound(family.self, (og_bound_kind)i, &asked->settings, &bounds[i], &message);
            some = some || isfinite(bounds[i].value);
        }
    }
    if (status == OG_OK && !some) {
        status =
            og_message_set(&message, OG_BAD_INPUT, "no bound is known for %s", asked->kind->option);
    }
    show_stage(NULL);
    int code = EXIT_RESULT;
    if (status != OG_OK) {
        code = fail(asked, status, &message);
    } else {
        code = show(describe_bounds(asked, bounds, call), asked->json);
    }
    for (int i = 0; i < OG_BOUND_COUNT; i++) {
        og_bound_clear(&bounds[i]);
    }
    og_family_free(&family);
    return code;
}
