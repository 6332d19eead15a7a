/*
 * Searches for the smallest counterexample to a claim. Problems are taken in batches, evaluated in
 * parallel in fractions, and then checked one by one in their order. So the state of the search,
 * which is saved, is always that all problems up to the last checked one were evaluated, plus the
 * best answer so far. Neither threads nor interruptions change the result.
 */
#include "bench/find/find.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/find/find_file.h"
#include "dp/base/clock.h"
#include "dp/base/file.h"
#include "dp/base/parallel.h"

enum {
    BATCH = 256,
    SEARCH_BYTES = 4096,
    STAGE_BYTES = 128,
    POINT_BYTES = OG_ORDER_TEXT_BYTES + 16
};

/* A problem of a batch. */
typedef struct {
    og_order_problem problem;
    og_status status;
    og_message message;
    bool tolerance; /* ties of a policy depend on a tolerance */
    bool against;   /* violates the claim */
    bool whole;     /* the loss is not a share */
    mpq_t loss;
} slot;

typedef struct {
    const og_asked *asked;
    const og_find_scope *scope;
    og_found_problem *out;
    og_settings settings; /* for one problem */
    slot *slot;           /* [BATCH] */
    mpq_t allowed;        /* the largest loss that satisfies the claim */
    char search[SEARCH_BYTES];
    og_file_lock lock;
    double saved; /* clock time */
    og_stop stop;
    /* Problems of the current batch that are no longer needed, because of results for earlier ones.
     * These are problems after the class that begins with this number, */
    _Atomic uint64_t class_needed;
    _Atomic uint64_t number_needed; /* and problems after this number. */
} find_search;

/* ---- claims ---- */

og_status og_claim_parse(const char *text, og_claim *out, og_message *message)
{
    static const char *const names[] = {[OG_CLAIM_VALUE] = "value:", [OG_CLAIM_GAIN] = "gain:"};
    for (int kind = OG_CLAIM_VALUE; kind <= OG_CLAIM_GAIN; kind++) {
        size_t length = strlen(names[kind]);
        og_fraction share;
        if (strncmp(text, names[kind], length) == 0 &&
            og_fraction_parse(text + length, strlen(text + length), &share) == OG_OK &&
            share.num > 0 && share.num <= share.den) {
            *out = (og_claim){(og_claim_kind)kind, share};
            return OG_OK;
        }
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "--claim must be value:C or gain:C with 0 < C <= 1, not '%.64s'", text);
}

void og_claim_text(const og_claim *claim, char text[OG_CLAIM_TEXT_BYTES])
{
    char share[40];
    bool shared = claim->kind == OG_CLAIM_VALUE || claim->kind == OG_CLAIM_GAIN;
    if (shared) {
        og_fraction_format(claim->share, share, sizeof share);
        snprintf(text, OG_CLAIM_TEXT_BYTES, "%s:%s",
                 claim->kind == OG_CLAIM_VALUE ? "value" : "gain", share);
    } else {
        snprintf(text, OG_CLAIM_TEXT_BYTES, "%s",
                 claim->kind == OG_CLAIM_EQUAL ? "equal" : "optimal");
    }
}

/* The allowed loss: 1 - share; 0 for claims without a share. */
static void find_allowed(const og_claim *claim, mpq_t allowed)
{
    mpq_set_ui(allowed, 0, 1);
    if (claim->kind == OG_CLAIM_VALUE || claim->kind == OG_CLAIM_GAIN) {
        og_fraction lost = og_fraction_make(claim->share.den - claim->share.num, claim->share.den);
        og_fraction_get_mpq(allowed, lost);
    }
}

/* ---- one problem ---- */

static bool is_stopped(find_search *search)
{
    return og_stop_look(&search->stop) != OG_LIMIT_NONE;
}

/* A value and a gain in fractions. */
typedef struct {
    mpq_t value, gain;
} worth;

static og_status solve(find_search *search, const void *problem, const og_value_asked *question,
                       slot *into, worth *out)
{
    const og_family *family = search->scope->family;
    og_solution solution = {.self = NULL};
    og_value_found found = {.value = out->value, .gain = out->gain};
    og_status status =
        og_family_solve(family, problem, question, &search->settings, &solution, &into->message);
    OG_THEN(status, solution.value(solution.self, &found, &into->message));
    og_solution_free(&solution);
    into->tolerance = into->tolerance || (status == OG_OK && found.tolerance_ties > 0);
    return status;
}

static og_status solve_policy(find_search *search, const void *problem,
                              const og_policy_name *policy, slot *into, worth *out)
{
    const og_policy_use use = {.whole_budget = into->problem.budget,
                               .threads = 1,
                               .memory_bytes = search->settings.memory_bytes,
                               .stop = &search->stop};
    og_strategy by = {.self = NULL};
    og_status status =
        og_family_strategy(search->scope->family, problem, policy, &use, &by, &into->message);
    if (status == OG_OK) {
        const og_value_asked question = {.by = &by,
                                         .ties = search->asked->request.ties[0],
                                         .reductions = search->settings.reductions,
                                         .fractions = true};
        status = solve(search, problem, &question, into, out);
    }
    og_strategy_free(&by);
    return status;
}

static og_status solve_optimum(find_search *search, const void *problem, slot *into, worth *out)
{
    const og_value_asked question = {.reductions = search->settings.reductions, .fractions = true};
    return solve(search, problem, &question, into, out);
}

/* Compute the loss of the policy relative to `other`, as the claim measures it. If there is a loss
 * but no gain to share, it exceeds any share, and the absolute loss is returned. */
static void find_loss(const og_claim *claim, const worth *own, const worth *other, slot *into)
{
    bool of_gain = claim->kind == OG_CLAIM_GAIN;
    bool shared = of_gain || claim->kind == OG_CLAIM_VALUE;
    mpq_srcptr whole = of_gain ? other->gain : other->value;
    mpq_sub(into->loss, whole, of_gain ? own->gain : own->value);
    if (claim->kind == OG_CLAIM_EQUAL) {
        mpq_abs(into->loss, into->loss);
    }
    into->whole = shared && mpq_sgn(whole) == 0 && mpq_sgn(into->loss) > 0;
    if (shared && mpq_sgn(whole) != 0) {
        mpq_div(into->loss, into->loss, whole);
    }
}

static og_status value_both(find_search *search, const void *problem, slot *into)
{
    const og_policy_name *against = og_find_against(search->asked);
    worth own, other;
    mpq_inits(own.value, own.gain, other.value, other.gain, NULL);
    og_status status = solve_policy(search, problem, &search->asked->policies[0], into, &own);
    OG_THEN(status, against != NULL ? solve_policy(search, problem, against, into, &other)
                                    : solve_optimum(search, problem, into, &other));
    if (status == OG_OK && against == NULL && mpq_cmp(own.value, other.value) > 0) {
        status = og_message_set(&into->message, OG_FAILED,
                                "the results contradict each other (a policy above the optimum): "
                                "please report this");
    }
    if (status == OG_OK) {
        find_loss(&search->scope->claim, &own, &other, into);
        into->against = into->whole || mpq_cmp(into->loss, search->allowed) > 0;
    }
    mpq_clears(own.value, own.gain, other.value, other.gain, NULL);
    return status;
}

static og_status open_problem(const find_search *search, const og_order_problem *at,
                              const og_settings *settings, void **problem, og_message *message)
{
    og_groups groups;
    og_status status = og_order_groups(&search->out->order, at, &groups, message);
    if (status == OG_OK) {
        const og_problem_text given = {.options = search->scope->options,
                                       .instances = &groups,
                                       .budget = at->budget,
                                       .left = -1};
        status = og_family_open(search->scope->family, &given, settings, problem, message);
    }
    og_groups_clear(&groups);
    return status;
}

static og_status value_slot(find_search *search, slot *into)
{
    void *problem = NULL;
    into->tolerance = into->against = false;
    into->message.text[0] = '\0';
    og_status status =
        open_problem(search, &into->problem, &search->settings, &problem, &into->message);
    OG_THEN(status, value_both(search, problem, into));
    og_family_close(search->scope->family, problem);
    return status;
}

/* ---- a batch ---- */

static void lower(_Atomic uint64_t *bound, uint64_t value)
{
    uint64_t now = atomic_load(bound);
    while (value < now && !atomic_compare_exchange_weak(bound, &now, value)) {
    }
}

/* Evaluate a problem of the batch. Omitted problems come after the one that ends the search, for
 * any number of threads. */
static og_status value_item(void *context, int thread, int64_t item)
{
    find_search *search = context;
    slot *into = &search->slot[item];
    const og_order_problem *problem = &into->problem;
    (void)thread;
    if (is_stopped(search) || problem->first > search->class_needed ||
        problem->number > search->number_needed) {
        into->status = og_message_set(&into->message, OG_STOPPED, "the search was stopped");
        return OG_OK;
    }
    into->status = value_slot(search, into);
    if (into->status != OG_OK) {
        lower(&search->number_needed, problem->number);
    } else if (into->against && !search->scope->worst) {
        lower(&search->class_needed, problem->first);
    }
    return OG_OK;
}

/* True if this problem comes after all possible answers. */
static bool is_behind(const find_search *search, const og_order_problem *problem)
{
    const og_order_problem *best = &search->out->best;
    return best->number > 0 && !search->scope->worst && problem->first != best->first;
}

static int32_t take_batch(find_search *search)
{
    og_order *order = &search->out->order;
    int32_t count = 0;
    while (count < BATCH && og_order_next(order) && !is_behind(search, &order->at)) {
        search->slot[count++].problem = order->at;
    }
    search->class_needed = search->number_needed = UINT64_MAX;
    return count;
}

static void take_best(og_found_problem *out, const slot *at)
{
    out->best = at->problem;
    out->whole = at->whole;
    mpq_set(out->loss, at->loss);
}

static void look_at(find_search *search, const slot *at)
{
    og_found_problem *out = search->out;
    bool better = out->best.number == 0 ||
                  (at->whole != out->whole ? at->whole : mpq_cmp(at->loss, out->loss) > 0);
    if (at->against && better) {
        take_best(out, at);
    }
    out->tolerance += at->tolerance;
    out->last = at->problem;
}

static bool limit_reached(og_status status)
{
    return status == OG_STOPPED || status == OG_NO_MEMORY;
}

/* Evaluate again with all the memory the problems that did not fit in their share, and those
 * omitted because of them. */
static void value_alone(find_search *search, slot *again)
{
    uint64_t share = search->settings.memory_bytes;
    search->settings.memory_bytes = search->asked->request.settings.memory_bytes;
    again->status = value_slot(search, again);
    search->settings.memory_bytes = share;
}

/* Check the problems in order, up to the first without a value. *over is true if the answer is
 * known or the search cannot continue. */
static og_status look_at_batch(find_search *search, int32_t count, bool *over, og_message *message)
{
    for (int32_t i = 0; i < count; i++) {
        slot *at = &search->slot[i];
        if (is_behind(search, &at->problem)) {
            *over = search->out->complete = true;
            return OG_OK;
        }
        if (limit_reached(at->status) && !is_stopped(search)) {
            value_alone(search, at);
        }
        if (limit_reached(at->status)) {
            search->out->why = at->message;
            og_message_complete(&search->out->why, at->status);
            *over = true;
            return OG_OK;
        }
        if (at->status != OG_OK) {
            *message = at->message;
            return at->status;
        }
        look_at(search, at);
    }
    return OG_OK;
}

static void report_progress(const find_search *search)
{
    char stage[STAGE_BYTES];
    const og_order_problem *last = &search->out->last;
    double count = og_order_count(&search->out->order);
    snprintf(stage, sizeof stage,
             "%" PRIu64 " of %.0f problems; now %" PRId32 " instance%s, %" PRId32 " label%s",
             last->number, count, last->instances, last->instances == 1 ? "" : "s", last->budget,
             last->budget == 1 ? "" : "s");
    og_stop_tell(og_stop_of(&search->asked->request.settings), stage, (double)last->number / count);
}

/* ---- the file ---- */

/* Labels and instances as text, which identifies a problem. */
static void point_text(const find_search *search, const og_order_problem *problem,
                       char text[POINT_BYTES])
{
    int length = snprintf(text, POINT_BYTES, "-T %" PRId32 " ", problem->budget);
    if (problem->number == 0) {
        snprintf(text, POINT_BYTES, "-");
    } else {
        og_order_text(&search->out->order, problem, text + length);
    }
}

static og_status save(find_search *search, og_message *message)
{
    const og_found_problem *out = search->out;
    og_search_position now = {
        .settled = out->last.number, .best = out->best.number, .tolerance = out->tolerance};
    search->saved = og_seconds();
    if (search->asked->request.settings.checkpoint == NULL) {
        return OG_OK;
    }
    point_text(search, &out->last, now.last);
    return og_search_position_write(search->asked->request.settings.checkpoint, search->search,
                                    &now, message);
}

static bool save_is_due(const find_search *search)
{
    return og_seconds() - search->saved >= search->asked->request.settings.checkpoint_seconds;
}

/* Evaluate the best problem again, so that its values are computed, not read from the file. */
static og_status value_best(find_search *search, og_message *message)
{
    slot *again = &search->slot[0];
    again->problem = search->out->best;
    og_status status = value_slot(search, again);
    if (status == OG_OK && !again->against) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s: problem %" PRIu64
                              " does not contradict the claim; remove the file to start anew",
                              search->asked->request.settings.checkpoint, again->problem.number);
    }
    take_best(search->out, again);
    *message = again->message;
    return status;
}

/* Skip the problems that were evaluated before. */
static og_status skip(find_search *search, const og_search_position *to, og_message *message)
{
    og_found_problem *out = search->out;
    char text[POINT_BYTES];
    while (out->order.at.number < to->settled) {
        if (!og_order_next(&out->order)) {
            break;
        }
        out->best = out->order.at.number == to->best ? out->order.at : out->best;
    }
    out->last = out->order.at;
    point_text(search, &out->last, text);
    if (out->last.number != to->settled || (to->settled > 0 && strcmp(text, to->last) != 0)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s: problem %" PRIu64
                              " is not '%.100s'; remove the file to start anew",
                              search->asked->request.settings.checkpoint, to->settled, to->last);
    }
    out->tolerance = to->tolerance;
    return out->best.number > 0 ? value_best(search, message) : OG_OK;
}

static og_status go_on(find_search *search, og_message *message)
{
    og_search_position before = {0};
    const char *path = search->asked->request.settings.checkpoint;
    if (path == NULL) {
        return OG_OK;
    }
    OG_TRY(og_file_lock_take(path, "search", &search->lock, message));
    OG_TRY(og_search_position_read(path, search->search, &before, message));
    return before.settled > 0 ? skip(search, &before, message) : OG_OK;
}

/* ---- the name of the search ---- */

/* The name of the search, with a hash of the files of user-defined policies. */
static og_status name_search(find_search *search, og_message *message)
{
    const og_find_scope *scope = search->scope;
    const og_order_grid *grid = &search->out->order.grid;
    og_text text = og_text_begin(search->search, sizeof search->search);
    char words[OG_CLAIM_TEXT_BYTES];
    for (int32_t i = 0; i < search->asked->policy_count; i++) {
        const og_policy_name *policy = &search->asked->policies[i];
        uint64_t hash = 0;
        if (policy->function == NULL) {
            OG_TRY(og_policy_name_file_hash(policy->name, &hash, message));
        }
        og_text_add(&text, "%s%s", i > 0 ? " --against " : "", policy->name);
        if (og_policy_name_apart(policy)) {
            og_text_add(&text, " (files %016" PRIx64 ", tie tolerance %.17g)", hash,
                        policy->tie_relative);
        }
    }
    og_claim_text(&scope->claim, words);
    og_text_add(&text,
                " --ties %s --claim %s%s --instances %" PRId32 " -T %" PRId32
                " --parameter %" PRId32 " --thresholds ",
                og_ties_name(search->asked->request.ties[0]), words, scope->worst ? " --worst" : "",
                grid->instances, grid->budget, grid->parameter);
    for (int32_t i = 0; i < grid->threshold_count; i++) {
        og_fraction_format(grid->threshold[i], words, sizeof words);
        og_text_add(&text, "%s%s", i > 0 ? "," : "", words);
    }
    og_text_add(&text, "%s", scope->stakes);
    for (char *letter = search->search; *letter != '\0'; letter++) {
        *letter = (unsigned char)*letter < ' ' ? ' ' : *letter;
    }
    return OG_OK;
}

/* Shares need values that are not negative. The gain of the optimum is at least 0, because it may
 * stop. */
static og_status check_share(const find_search *search, og_message *message)
{
    const og_find_scope *scope = search->scope;
    bool of_value = scope->claim.kind == OG_CLAIM_VALUE;
    bool shared = of_value || scope->claim.kind == OG_CLAIM_GAIN;
    if (shared && scope->prices && og_find_against(search->asked) != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--claim does not support --price with --against, because the value "
                              "may be negative; omit one");
    }
    return of_value && scope->losses
               ? og_message_set(
                     message, OG_BAD_INPUT,
                     "--claim value:C does not support payoffs that may be negative; use gain:C")
               : OG_OK;
}

static og_status check(const find_search *search, og_message *message)
{
    for (int32_t i = 0; i < search->asked->policy_count; i++) {
        const og_policy_name *policy = &search->asked->policies[i];
        const og_policy_row *row = &og_policies_independent()->row[policy->kind];
        if (policy->function == NULL && !row->valued_exactly) {
            return og_message_set(
                message, OG_BAD_INPUT,
                "policy '%.64s' can only be simulated; choose one with an exact value",
                policy->name);
        }
    }
    return check_share(search, message);
}

static og_status begin_search(find_search *search, og_message *message)
{
    const og_asked *asked = search->asked;
    og_order_grid grid = search->scope->grid;
    OG_TRY(check(search, message));
    grid.ordered = asked->request.ties[0] == OG_TIES_FIRST;
    for (int32_t i = 0; i < asked->policy_count; i++) {
        grid.apart = grid.apart || og_policy_name_apart(&asked->policies[i]);
    }
    OG_TRY(og_order_init(&grid, &search->out->order, message));
    find_allowed(&search->scope->claim, search->allowed);
    OG_TRY(name_search(search, message));
    return go_on(search, message);
}

/* ---- the search ---- */

static og_status search_all(find_search *search, og_message *message)
{
    bool over = false;
    og_status status = OG_OK;
    while (status == OG_OK && !over) {
        int32_t count = take_batch(search);
        if (count == 0) {
            over = search->out->complete = true;
        } else {
            report_progress(search);
            og_parallel_items(search->asked->request.settings.threads, count, 1, value_item,
                              search);
            status = look_at_batch(search, count, &over, message);
        }
        if (status == OG_OK && (over || save_is_due(search))) {
            status = save(search, message);
        }
    }
    return status;
}

/* Fill in the answer: each policy's value, and where it loses. */
static og_status explain(find_search *search, og_message *message)
{
    const og_asked *asked = search->asked;
    og_found_problem *out = search->out;
    og_settings settings = asked->request.settings;
    settings.checkpoint = NULL;
    settings.watch = NULL;
    OG_TRY(open_problem(search, &out->best, &settings, &out->problem, message));
    for (int32_t i = 0; i < asked->policy_count; i++) {
        out->policies[i] = asked->policies[i];
    }
    out->asked = og_asked_about(search->scope->family, out->problem, &settings);
    out->asked.policies = out->policies;
    out->asked.policy_count = asked->policy_count;
    out->asked.request.ties = asked->request.ties;
    out->asked.request.exact = true;
    out->asked.request.explain = true;
    OG_TRY(og_compare_run(&out->asked, NULL, &out->comparison, message));
    const og_comparison *values = &out->comparison;
    if (values->optimal_status != OG_OK) {
        *message = values->optimal_message;
        return values->optimal_status;
    }
    for (int32_t i = 0; i < values->row_count; i++) {
        if (values->rows[i].status != OG_OK) {
            *message = values->rows[i].message;
            return values->rows[i].status;
        }
    }
    return OG_OK;
}

static og_status allocate(find_search *search)
{
    search->slot = calloc(BATCH, sizeof *search->slot);
    OG_TRY(OG_ALLOCATED(search->slot));
    for (int32_t i = 0; i < BATCH; i++) {
        mpq_init(search->slot[i].loss);
    }
    return OG_OK;
}

static void clear(find_search *search)
{
    for (int32_t i = 0; search->slot != NULL && i < BATCH; i++) {
        mpq_clear(search->slot[i].loss);
    }
    free(search->slot);
    mpq_clear(search->allowed);
    og_file_lock_release(&search->lock);
}

const og_policy_name *og_find_against(const og_asked *asked)
{
    return asked->policy_count == 2 ? &asked->policies[1] : NULL;
}

og_status og_find_run(const og_asked *asked, const og_find_scope *scope, og_found_problem *out,
                      og_message *message)
{
    find_search search = {
        .asked = asked, .scope = scope, .out = out, .settings = asked->request.settings};
    *out = (og_found_problem){.family = scope->family};
    search.saved = og_seconds();
    search.stop = og_stop_for(og_stop_of(&asked->request.settings), 0);
    search.stop.quiet = true;
    search.settings.threads = 1;
    search.settings.memory_bytes /= (uint64_t)asked->request.settings.threads;
    search.settings.checkpoint = NULL;
    search.settings = og_stop_settings(&search.settings, &search.stop);
    mpq_inits(search.allowed, out->loss, NULL);
    og_status status = allocate(&search);
    OG_THEN(status, begin_search(&search, message));
    OG_THEN(status, search_all(&search, message));
    if (status == OG_OK && out->complete && out->best.number > 0) {
        status = explain(&search, message);
    }
    clear(&search);
    return status;
}

void og_found_problem_clear(og_found_problem *found)
{
    if (found->family == NULL) {
        return;
    }
    og_comparison_clear(&found->comparison);
    og_family_close(found->family, found->problem);
    og_order_clear(&found->order);
    mpq_clear(found->loss);
    memset(found, 0, sizeof *found);
}
