/* solve, query and bound for problems of another kind than independent instances. */
#include "tools/option/family.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/show/json.h"
#include "tools/show/memory.h"
#include "tools/show/number.h"
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

static void print_note(const request *asked)
{
    if (asked->kind->note != NULL) {
        putchar('\n');
        print_paragraph(stdout, "%s", asked->kind->note);
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

static void print_solution(const request *asked, const og_family *family, const solution *found)
{
    char words[NUMBER_TEXT_BYTES];
    const og_result *result = &found->result;
    table *fields = fields_new();
    asked->kind->fields(asked, fields);
    table_cell(fields, "Optimal value");
    number_format_value(result->value, words);
    table_cell(fields, "%s expected correct calls of %" PRId64, words, family->instances);
    if (asked->exact) {
        fields_fraction(fields, found->value);
    }
    table_cell(fields, "Without labels");
    number_format_value(found->call, words);
    table_cell(fields, "%s", words);
    table_cell(fields, "Gain");
    number_format_value(result->gain, words);
    table_cell(fields, "%s", words);
    if (asked->exact) {
        fields_fraction(fields, found->gain);
    } else {
        table_cell(fields, "Error at most");
        number_format_bound(result->error_bound, words);
        table_cell(fields, "%s", words);
    }
    table_cell(fields, "States");
    table_cell(fields, "%" PRIu64, result->states);
    fields_forgotten(fields, result);
    table_cell(fields, "Memory");
    og_bytes_format(result->memory_bytes, words);
    table_cell(fields, "%s", words);
    table_cell(fields, "Time");
    table_cell(fields, "%.2f s", result->seconds);
    fields_print(fields);
    print_note(asked);
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
    } else if (asked->json) {
        json_t *document = object_new();
        object_put(document, "problem", asked->kind->problem(asked));
        object_put(document, "optimal",
                   optimal_json(&found.result, asked->exact, found.value, found.gain));
        document_print(document);
    } else {
        print_solution(asked, &family, &found);
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

static void print_answer(const request *asked, const answer *found)
{
    static const char *const headings[] = {"label", "Q", "lost", ""};
    static const char *const policy_headings[] = {"policy", "would label"};
    char words[ACTION_BYTES];
    char number[NUMBER_TEXT_BYTES];
    table *fields = fields_new();
    asked->kind->fields(asked, fields);
    fields_print(fields);
    putchar('\n');
    table *grid = table_new("lddl", headings);
    for (int32_t i = 0; i < found->count; i++) {
        const og_first_action *action = &found->action[i];
        asked->kind->action(asked, action, words, sizeof words);
        table_cell(grid, "%s", words);
        number_format_value(action->q, number);
        table_cell(grid, "%s", isnan(action->q) ? "-" : number);
        number_format_gap(is_optimal(found, i) ? 0 : found->best - action->q, 0, number);
        table_cell(grid, "%s", isnan(action->q) ? "-" : number);
        table_cell(grid, "%s", is_optimal(found, i) ? "optimal" : "");
    }
    table_print(grid, stdout);
    table_free(grid);
    putchar('\n');
    grid = table_new("ll", policy_headings);
    for (int32_t p = 0; p < asked->policy_count; p++) {
        size_t room = (size_t)found->count * (ACTION_BYTES + 2) + 1;
        size_t length = 0;
        char *list = allocate(room, 1);
        for (int32_t i = 0; i < found->count; i++) {
            if (found->pick[(size_t)p * (size_t)found->count + (size_t)i]) {
                asked->kind->action(asked, &found->action[i], words, sizeof words);
                length += (size_t)snprintf(list + length, room - length, "%s%s",
                                           length > 0 ? "; " : "", words);
            }
        }
        table_cell(grid, "%s", asked->policies[p].name);
        table_cell(grid, "%s", list);
        free(list);
    }
    table_print(grid, stdout);
    table_free(grid);
    putchar('\n');
    print_paragraph(stdout, "Q: expected correct calls still to be gained if this is labelled now "
                            "and play is optimal after that. Lost: the best Q minus this one; "
                            "what is optimal is so within the errors.");
    print_note(asked);
}

static void print_answer_json(const request *asked, const answer *found)
{
    json_t *document = object_new();
    json_t *actions = array_new();
    json_t *policies = object_new();
    char words[ACTION_BYTES];
    object_put(document, "problem", asked->kind->problem(asked));
    object_put(document, "budget", whole((uint64_t)asked->budget));
    object_put(document, "left", whole((uint64_t)asked->left));
    object_put(document, "q", real(found->best));
    object_put(document, "accuracy", phrase("double"));
    for (int32_t i = 0; i < found->count; i++) {
        const og_first_action *action = &found->action[i];
        json_t *object = object_new();
        asked->kind->action(asked, action, words, sizeof words);
        object_put(object, "text", phrase(words));
        object_put(object, "instance", whole((uint64_t)action->instance));
        object_put(object, "worker",
                   action->worker < 0 ? json_null() : whole((uint64_t)action->worker));
        object_put(object, "q", real(action->q));
        object_put(object, "error_bound", real(action->error));
        object_put(object, "optimal", json_boolean(is_optimal(found, i)));
        array_add(actions, object);
    }
    for (int32_t p = 0; p < asked->policy_count; p++) {
        json_t *picks = array_new();
        for (int32_t i = 0; i < found->count; i++) {
            if (found->pick[(size_t)p * (size_t)found->count + (size_t)i]) {
                array_add(picks, whole((uint64_t)i));
            }
        }
        object_put(policies, asked->policies[p].name, picks);
    }
    object_put(document, "actions", actions);
    object_put(document, "policies", policies);
    document_print(document);
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
    } else if (asked->json) {
        print_answer_json(asked, &found);
    } else {
        print_answer(asked, &found);
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

static void print_bounds(const request *asked, const og_bound *bounds, double call)
{
    static const char *const headings[] = {"upper bound", "value", "rounding\nallowed for",
                                           "price of a label"};
    char words[NUMBER_TEXT_BYTES];
    table *fields = fields_new();
    asked->kind->fields(asked, fields);
    number_format_value(call, words);
    table_cell(fields, "Without labels");
    table_cell(fields, "%s expected correct calls", words);
    fields_print(fields);
    putchar('\n');
    table *grid = table_new("ldll", headings);
    for (int i = 0; i < OG_BOUND_COUNT; i++) {
        const og_bound *bound = &bounds[i];
        if (!isfinite(bound->value)) {
            continue;
        }
        table_cell(grid, "%s", bound_names[i]);
        number_format_value(bound->value, words);
        table_cell(grid, "%s", words);
        number_format_bound(bound->error, words);
        table_cell(grid, "%s", words);
        if (bound->price_count == 1) {
            number_format_value(bound->price[0], words);
        }
        table_cell(grid, "%s",
                   bound->price_count == 1  ? words
                   : bound->price_count > 1 ? "one for each label"
                                            : "-");
    }
    table_print(grid, stdout);
    table_free(grid);
    puts("\nNo policy can expect more correct calls than the smallest bound.");
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
    } else if (asked->json) {
        json_t *document = object_new();
        object_put(document, "problem", asked->kind->problem(asked));
        object_put(document, "call_value", real(call));
        object_put(document, "accuracy", phrase("double"));
        object_put(document, "bounds", bounds_json(&bounds[0], &bounds[1], &bounds[2], NULL, NULL));
        document_print(document);
    } else {
        print_bounds(asked, bounds, call);
    }
    for (int i = 0; i < OG_BOUND_COUNT; i++) {
        og_bound_clear(&bounds[i]);
    }
    og_family_free(&family);
    return code;
}
