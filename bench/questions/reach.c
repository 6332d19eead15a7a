/*
 * The number of labels after which the expected share of correct calls reaches a goal, for an
 * optimal policy and for given policies with each tie rule.
 *
 * Each row is the least T at which the value of the problem with T labels in all is large enough.
 * It is found by computing the value for one T after the other, so nothing is assumed about
 * policies. For the optimum the search begins at the first T that the Lagrangian bound with one
 * price does not exclude. For policies it begins at the result of the optimum, which no policy
 * exceeds.
 *
 * Every budget is a separate problem, which is opened, evaluated and closed. Invariant of the
 * search: all smaller budgets are too small, by proof or computation.
 */

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/asked.h"
#include "bench/describe.h"
#include "bench/words.h"

static const uint64_t usual_states = 20000000;

typedef struct {
    og_asked *asked;
    og_stop *stop;
    double decisions; /* the share is of so many calls */
    double enough;    /* the value to reach */
    og_unit_text counted;
    int32_t first; /* least number of labels: those of the history */
    uint64_t policy_states_max, optimum_states_max;
} reach_work;

/* One row, at the last budget tried. */
typedef struct {
    int32_t labels;
    bool found;
    double value, error;
    uint64_t expanded;
    og_status status; /* OG_STOPPED, OG_NO_MEMORY: a limit was reached at `labels` */
    og_message message;
} row;

static og_status open_at(const reach_work *reach, int32_t labels, void **problem,
                         og_message *message)
{
    const og_asked *asked = reach->asked;
    const og_settings settings = og_stop_settings(&reach->asked->request.settings, reach->stop);
    og_problem_text given = *asked->from;
    given.budget = labels;
    given.warning = NULL;
    return og_family_open(asked->family, &given, &settings, problem, message);
}

/* ---- one budget ---- */

static og_status value_at(const reach_work *reach, const void *problem,
                          const og_value_asked *question, row *out)
{
    og_settings settings = og_stop_settings(&reach->asked->request.settings, reach->stop);
    og_solution solution = {.self = NULL};
    og_value_found found = {.result = {0}};
    settings.states_max =
        question->by != NULL ? reach->policy_states_max : reach->optimum_states_max;
    og_status status = og_family_solve(reach->asked->family, problem, question, &settings,
                                       &solution, &out->message);
    OG_THEN(status, solution.value(solution.self, &found, &out->message));
    og_solution_free(&solution);
    out->value = found.result.value;
    out->error = found.result.error_bound;
    out->expanded = found.result.expanded;
    return status;
}

static og_status value_policy(const reach_work *reach, const void *problem, int32_t policy,
                              og_ties ties, row *out)
{
    const og_asked *asked = reach->asked;
    const og_policy_use use = {.whole_budget = out->labels,
                               .threads = asked->request.settings.threads,
                               .memory_bytes = asked->request.settings.memory_bytes,
                               .stop = reach->stop};
    og_strategy by = {.self = NULL};
    og_status status = og_family_strategy(asked->family, problem, &asked->policies[policy], &use,
                                          &by, &out->message);
    if (status == OG_OK) {
        const og_value_asked question = {
            .by = &by, .ties = ties, .reductions = asked->request.settings.reductions};
        status = value_at(reach, problem, &question, out);
    }
    og_strategy_free(&by);
    return status;
}

/* Evaluate the budget of `out`; policy -1 means the optimum. */
static void try_one(const reach_work *reach, int32_t policy, og_ties ties, row *out)
{
    const og_value_asked optimum = {.reductions = reach->asked->request.settings.reductions};
    void *problem = NULL;
    out->status = open_at(reach, out->labels, &problem, &out->message);
    if (out->status == OG_OK) {
        out->status = policy < 0 ? value_at(reach, problem, &optimum, out)
                                 : value_policy(reach, problem, policy, ties, out);
        og_family_close(reach->asked->family, problem);
    }
    og_message_complete(&out->message, out->status);
    out->found = out->status == OG_OK && out->value + out->error >= reach->enough;
}

/* Search upwards from the budget of `out`, which may be one too many. */
static void search(const reach_work *reach, int32_t policy, og_ties ties, row *out)
{
    while (out->labels <= reach->asked->from->budget) {
        try_one(reach, policy, ties, out);
        if (out->status != OG_OK || out->found) {
            return;
        }
        out->labels++;
    }
}

/* ---- the first budget ---- */

/* True if the bound with one price proves that so many labels are too few. False if there is no
 * bound. */
static bool too_few(const reach_work *reach, int32_t labels)
{
    const og_settings settings = og_stop_settings(&reach->asked->request.settings, reach->stop);
    const og_family *family = reach->asked->family;
    og_upper_bound bound = {.value = INFINITY};
    og_message message;
    void *problem = NULL;
    if (family->model.bound == NULL || strcmp(family->model.bounds[0], "lagrangian_scalar") != 0 ||
        open_at(reach, labels, &problem, &message) != OG_OK) {
        return false;
    }
    og_status status = family->model.bound(
        problem, &(og_bound_use){.which = 0, .settings = &settings}, &bound, NULL, &message);
    bool few = status == OG_OK && bound.value < reach->enough;
    og_bound_clear(&bound);
    og_family_close(family, problem);
    return few;
}

/* The bound grows with the budget; its statement about any single budget is valid. */
static int32_t least_possible(const reach_work *reach)
{
    int32_t few = reach->first - 1, many = reach->asked->from->budget + 1;
    for (int32_t step = 1; few + step < many; step *= 2) { /* small ones are cheap */
        if (!too_few(reach, few + step)) {
            many = few + step;
            break;
        }
        few += step;
    }
    while (many - few > 1) {
        int32_t half = few + (many - few) / 2;
        if (too_few(reach, half)) {
            few = half;
        } else {
            many = half;
        }
    }
    return many;
}

/* ---- the document ---- */

static void put_row(const reach_work *reach, const row *of_row, og_document *object)
{
    int32_t most = reach->asked->from->budget;
    if (of_row->found) {
        og_put_whole(object, "labels", (uint64_t)of_row->labels);
    } else {
        og_put_null(object, "labels");
        og_show_cell(object, "labels", "> %" PRId32,
                     of_row->labels - 1 < most ? of_row->labels - 1 : most);
    }
    og_put_result(object, "value", of_row->found, of_row->value);
    og_put_number(object, "share", of_row->found ? of_row->value / reach->decisions : NAN);
    og_put_result(object, "error_bound", of_row->found, of_row->error);
    og_put_bool(object, "within_error",
                of_row->found && of_row->value - of_row->error < reach->enough);
    og_put_whole(object, "more_than", (uint64_t)(of_row->labels - 1));
    og_put_text(object, "limit", of_row->status == OG_OK ? NULL : of_row->message.text);
}

static void show_rows(og_document *document, const og_document *rows)
{
    og_document *table = og_show_by_policy(document, rows);
    og_show_column(table, "labels", 'r', "labels", OG_SHOW_PLAIN);
    og_show_column(table, "value", 'd', "value", OG_SHOW_VALUE);
    og_show_column(table, "share", 'd', "share", OG_SHOW_GAP);
}

static og_status find_policy(const reach_work *reach, int32_t policy, og_ties ties, int32_t labels,
                             og_document *rows, og_message *message)
{
    const char *name = og_policy_name_shown(&reach->asked->policies[policy]);
    row now = {.labels = labels};
    search(reach, policy, ties, &now);
    if (now.status != OG_OK && now.status != OG_STOPPED && now.status != OG_NO_MEMORY) {
        return og_message_set(message, now.status, "--reach with -T %" PRId32 ": %s", now.labels,
                              now.message.text);
    }
    if (now.status != OG_OK) {
        reach->asked->limit = OG_LIMIT_STATES;
        reach->asked->warning = now.message;
    }
    og_document *object = og_put_by_policy(rows, name, ties);
    put_row(reach, &now, object);
    return OG_OK;
}

static og_status find_policies(const reach_work *reach, int32_t labels, og_document *document,
                               og_message *message)
{
    const og_asked *asked = reach->asked;
    og_document *rows = og_put_array(document, "policies");
    for (int32_t p = 0; p < asked->policy_count; p++) {
        og_stop_tell(reach->stop, asked->policies[p].name, 0);
        for (int32_t t = 0; t < asked->request.ties_count; t++) {
            OG_TRY(find_policy(reach, p, asked->request.ties[t], labels, rows, message));
        }
    }
    if (asked->policy_count > 0) {
        show_rows(document, rows);
    }
    for (int32_t i = 0; i < og_document_count(rows); i++) {
        const og_document *of_row = og_document_child(rows, i);
        const char *limit = og_document_text(og_document_find(of_row, "limit"));
        if (limit != NULL) {
            og_show_paragraph(document, "%s: %s",
                              og_document_text(og_document_find(of_row, "name")), limit);
        }
    }
    return OG_OK;
}

static og_status describe(const reach_work *reach, og_document *document, og_message *message)
{
    const og_asked *asked = reach->asked;
    void *problem = NULL;
    OG_TRY(open_at(reach, asked->from->budget, &problem, message));
    og_family_describe_problem(asked->family, problem, document);
    og_family_close(asked->family, problem);
    og_document *object = og_put_object(document, "reach");
    og_put_number(object, "share", asked->request.reach);
    og_put_number(object, "correct", reach->enough);
    og_show_field(document, "Wanted", "%s expected %s, a share of %s",
                  og_words_value(reach->enough).text, reach->counted.text,
                  og_words_exact(asked->request.reach).text);
    return OG_OK;
}

/* Find the number of calls, as the value is a share of it, and the number of labels in the
 * history. */
static og_status find_calls(reach_work *reach, og_message *message)
{
    const og_asked *asked = reach->asked;
    og_problem_size sizes, fewer;
    void *problem = NULL;
    if (asked->family->own_budget) {
        return og_family_lacks(asked->family, "--reach", message);
    }
    OG_TRY(open_at(reach, asked->from->budget, &problem, message));
    asked->family->model.sizes(problem, &sizes);
    og_family_close(asked->family, problem);
    reach->first = sizes.budget - sizes.left;
    OG_TRY(open_at(reach, reach->first, &problem, message));
    asked->family->model.sizes(problem, &fewer);
    og_family_close(asked->family, problem);
    if (sizes.metric.less_is_better || sizes.metric.amount || sizes.decisions != fewer.decisions) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--reach is a share of the calls and does not support problems that count %s; omit it",
            sizes.metric.unit);
    }
    reach->decisions = sizes.metric.share ? 1 : (double)sizes.decisions;
    reach->enough = asked->request.reach * reach->decisions;
    reach->counted = og_counted_of(&sizes);
    return OG_OK;
}

static void show_optimum(const reach_work *reach, const row *optimum, og_document *document)
{
    if (!optimum->found) {
        og_show_field(document, "Labels needed", "more than %" PRId32 " (-T)",
                      reach->asked->from->budget);
        return;
    }
    og_show_field(document, "Labels needed", "%" PRId32 ", if they are chosen optimally",
                  optimum->labels);
    og_show_field(document, "Value then", "%s", og_words_value(optimum->value).text);
}

static og_status find(reach_work *reach, og_document *document, og_message *message)
{
    OG_TRY(describe(reach, document, message));
    row optimum = {.labels = least_possible(reach)};
    search(reach, -1, OG_TIES_RANDOM, &optimum);
    if (optimum.status != OG_OK) {
        return og_message_set(message, optimum.status,
                              "more than %" PRId32
                              " labels are needed; the number was not found: %s",
                              optimum.labels - 1, optimum.message.text);
    }
    og_document *object = og_put_object(document, "optimal");
    put_row(reach, &optimum, object);
    show_optimum(reach, &optimum, document);
    if (reach->asked->request.policy_states_max == OG_STATES_USUAL &&
        4 * optimum.expanded > usual_states) {
        reach->policy_states_max = 4 * optimum.expanded;
    }
    OG_TRY(find_policies(reach, optimum.labels, document, message));
    og_show_paragraph(document,
                      "\nLabels: the smallest number that reaches the share; \"> N\": N are too "
                      "few.");
    return OG_OK;
}

/*
 * The document: "problem" with the most labels, "reach": {"share", "correct"}, "optimal" and
 * "policies"[]: each has "labels" and, at that number, "value", "share" and "error_bound". If
 * "labels" is null, the number exceeds the largest one tried, or "more_than" if a limit, named in
 * "limit", was reached, which asked->limit says too. If the value equals the goal within its error,
 * it counts as large enough, and "within_error" is true.
 *
 * OG_BAD_INPUT with a message for a family whose value is not a share of a
 * fixed number of calls, or a policy that it does not support. OG_STOPPED with a message if a limit
 * was reached before the optimum was large enough.
 */
static og_status answer(og_asked *asked, og_message *message)
{
    const og_request *request = &asked->request;
    og_stop stop = og_stop_for(&asked->stop, request->seconds_max);
    bool usual_policy = request->policy_states_max == OG_STATES_USUAL;
    bool usual_optimum = request->optimum_states_max == OG_STATES_USUAL;
    reach_work reach = {.asked = asked,
                        .stop = &stop,
                        .policy_states_max =
                            usual_policy ? usual_states : request->policy_states_max,
                        .optimum_states_max = usual_optimum ? 0 : request->optimum_states_max};
    OG_TRY(find_calls(&reach, message));
    asked->document = og_document_new();
    return find(&reach, asked->document, message);
}

static og_status check(const og_request *request, og_message *message)
{
    return request->reach <= 1
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "--reach must be a share of at most 1, such as 0.9");
}

const og_question_kind og_question_reach = {
    .answer = answer, .check = check, .policies = true, .index_time = true, .own_time = true};
