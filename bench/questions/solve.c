/* Solves a problem of any family. For a product of arms also exports the policy and makes dry
 * runs. */
#include <gmp.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/asked.h"
#include "bench/describe.h"
#include "bench/questions/model_file.h"
#include "bench/words.h"
#include "dp/base/file.h"
#include "dp/base/world.h"
#include "dp/export/export.h"
#include "dp/export/policy_file.h"
#include "dp/product/forecast.h"
#include "dp/product/optimum/optimum.h"
#include "dp/product/optimum/query_cache.h"
#include "dp/product/solve.h"

typedef struct {
    double prior; /* expected without any label */
    og_result result;
    og_labels_paid labels; /* if labels have a price */
    mpq_t value, gain;     /* with exact */
    og_message warning;    /* that a checkpoint could not be written; or empty */
    og_export_info exported;
    og_model_file_info model;
    og_forecast forecast; /* only with dry_run; then only the sizes are set */
    og_blocks_size blocks;
    og_margin_size margin;
    bool blocks_known, blocks_exact; /* if false, the size is an upper limit */
    bool by_blocks; /* the forecast is for blocks and bytes_per_state is NAN: the recursion would
                       not run */
} solved;

/* Use layers if they need less and no checkpoint of the recursion is requested. */
static og_status keep(const og_asked *asked, const og_settings *settings, og_solver *solver,
                      og_query_cache **kept, og_message *message)
{
    const og_arms *arms = og_family_arms(asked->family, asked->problem);
    OG_TRY(settings->checkpoint == NULL
               ? og_query_cache_new(arms, settings, OG_KEPT_FORCED, solver, kept, message)
               : OG_OK);
    return *kept != NULL || settings->engine != OG_ENGINE_BLOCKS || arms->budget == 0
               ? OG_OK
               : og_message_set(message, OG_STOPPED,
                                "--export-policy keeps all layers of --engine blocks, which do not "
                                "fit the memory limit; omit --engine blocks");
}

/* Compute the value first, so that a checkpoint holds it even if writing the file fails. */
static og_status find_and_export(const og_asked *asked, const og_settings *settings,
                                 og_solver *solver, og_query_cache **kept, solved *out,
                                 og_message *message)
{
    OG_TRY(keep(asked, settings, solver, kept, message));
    if (*kept != NULL) {
        og_query_cache_value(*kept, &out->result);
    } else {
        OG_TRY(og_solver_value(solver, &out->result, message));
    }
    out->warning = *message;
    message->text[0] = '\0';
    og_stop_tell(og_stop_of(&asked->request.settings), "writing the policy", 0);
    const og_export_request wanted = {
        .path = asked->request.export_policy, .all = asked->request.all_optimal, .kept = *kept};
    return og_export_policy(solver, &wanted, NULL, &out->exported, message);
}

static og_status solve_and_export(const og_asked *asked, solved *out, og_message *message)
{
    og_settings settings = asked->request.settings;
    settings.memory_bytes -= settings.memory_bytes / 5; /* following the policy takes a quarter of
                                                           the solver's memory in addition */
    og_solver *solver = NULL;
    og_query_cache *kept = NULL;
    og_status status =
        og_solver_new(og_family_arms(asked->family, asked->problem), &settings, &solver, message);
    OG_THEN(status, find_and_export(asked, &settings, solver, &kept, out, message));
    og_query_cache_free(kept);
    og_solver_free(solver);
    return status;
}

static og_status value(const og_asked *asked, solved *out, og_message *message)
{
    og_solution solution = {.self = NULL};
    og_value_found found = {.called_value = NAN};
    const og_value_asked question = {.reductions = asked->request.settings.reductions,
                                     .fractions = asked->request.exact,
                                     .labels = true};
    if (asked->request.exact) {
        found.value = out->value;
        found.gain = out->gain;
    }
    og_status status = og_family_solve(asked->family, asked->problem, &question,
                                       &asked->request.settings, &solution, message);
    OG_THEN(status, solution.value(solution.self, &found, message));
    og_solution_free(&solution);
    if (status == OG_STOPPED && found.result.bracketed && message != NULL) {
        const og_message why = *message;
        og_message_set(message, status, "%.300s; a margin cut encloses the gain: %s to %s",
                       why.text, og_words_value(found.result.lower).text,
                       og_words_value(found.result.upper).text);
    }
    out->result = found.result;
    out->labels = found.labels;
    if (status == OG_OK) {
        out->warning = *message;
    }
    return status;
}

static og_status check_export(const og_asked *asked, og_message *message)
{
    const char *checkpoint = asked->request.settings.checkpoint;
    if (checkpoint != NULL && og_file_same(checkpoint, asked->request.export_policy)) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--checkpoint and --export-policy must be different files, not both '%.200s'",
            checkpoint);
    }
    return og_policy_writer_check(asked->request.export_policy, message);
}

/* If blocks are not counted, the forecast is that of the recursion: the upper limit of blocks,
 * without forced labels, can exceed their number by ten orders of magnitude. If blocks are chosen
 * at once, or the recursion's tables do not fit, the forecast is for blocks. */
static og_status forecast(const og_asked *asked, solved *out, og_message *message)
{
    const og_arms *arms = og_family_arms(asked->family, asked->problem);
    og_status status = og_optimum_forecast(arms, &asked->request.settings, &out->blocks,
                                           &out->blocks_exact, message);
    if (status != OG_OK && status != OG_STOPPED) {
        return status;
    }
    message->text[0] = '\0';
    out->blocks_known = status == OG_OK && out->blocks_exact;
    OG_TRY(og_optimum_margin(arms, &asked->request.settings,
                             out->blocks_known ? &out->blocks : NULL, &out->margin));
    og_layers_taken taken = out->blocks_known
                                ? og_optimum_takes(arms, &asked->request.settings, &out->blocks)
                                : OG_LAYERS_NEVER;
    status = OG_STOPPED;
    if (taken != OG_LAYERS_AT_ONCE) {
        status = og_forecast_make(arms, &asked->request.settings, &out->forecast, message);
    }
    out->by_blocks = status == OG_STOPPED && taken != OG_LAYERS_NEVER;
    if (!out->by_blocks) {
        return status;
    }
    message->text[0] = '\0';
    uint64_t tables = og_arms_bytes(arms);
    out->forecast = (og_forecast){.states = out->blocks.states,
                                  .bytes_per_state = NAN,
                                  .memory_bytes = out->blocks.bytes + (double)tables,
                                  .table_bytes = tables};
    return OG_OK;
}

/* Refuse commands that do not support ranks: every rank would run them in full. */
static og_status check_ranks(const og_asked *asked, og_message *message)
{
    const char *unfit = asked->request.exact                   ? "--arithmetic exact"
                        : asked->request.export_policy != NULL ? "--export-policy"
                        : asked->request.export_model != NULL  ? "--export-model"
                                                               : NULL;
    if (unfit == NULL || !og_world_is_shared(asked->request.settings.world)) {
        return OG_OK;
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "several ranks do not support %s; omit it or mpirun", unfit);
}

static og_status check(const og_asked *asked, og_message *message)
{
    const og_family *family = asked->family;
    OG_TRY(check_ranks(asked, message));
    if (asked->request.settings.checkpoint != NULL && family->model.check_checkpoint == NULL) {
        return og_family_lacks(family, "--checkpoint", message);
    }
    if (asked->request.settings.engine == OG_ENGINE_BLOCKS &&
        asked->request.export_policy != NULL && asked->request.settings.checkpoint != NULL) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--export-policy does not support --checkpoint with --engine blocks; omit one of them");
    }
    if (family->model.arms == NULL && asked->request.dry_run) {
        return og_family_lacks(family, "--dry-run", message);
    }
    if (family->model.arms == NULL && family->model.export_policy == NULL &&
        asked->request.export_policy != NULL) {
        return og_family_lacks(family, "--export-policy", message);
    }
    if (asked->request.export_model != NULL) {
        OG_TRY(og_model_file_check(asked, message));
    }
    return asked->request.export_policy != NULL ? check_export(asked, message) : OG_OK;
}

static og_status find(const og_asked *asked, solved *out, og_message *message)
{
    const og_request *request = &asked->request;
    double error = 0;
    if (request->dry_run) {
        return forecast(asked, out, message);
    }
    OG_TRY(og_family_prior(asked->family, asked->problem, &out->prior, &error,
                           request->exact ? out->value : NULL, message));
    bool own = asked->family->model.export_policy != NULL, exports = request->export_policy != NULL;
    OG_TRY(exports && !own ? solve_and_export(asked, out, message) : value(asked, out, message));
    OG_TRY(exports && own ? asked->family->model.export_policy(asked->problem, request,
                                                               &out->exported, message)
                          : OG_OK);
    if (request->export_model != NULL) {
        og_stop_tell(og_stop_of(&request->settings), "writing the model", 0);
        return og_model_file_write(asked, &out->model, message);
    }
    return OG_OK;
}

/* ---- the document ---- */

static void file_optimum(og_document *document, const og_document *optimal, const char *unit,
                         bool exact)
{
    og_file_row(document, "optimum", optimal);
    og_file_column(document, "name", NULL, 'l', NULL, OG_SHOW_PLAIN);
    og_file_values(document, unit, exact);
    og_file_column(document, "gain", unit, 'd', "gain", OG_SHOW_VALUE);
    og_file_column(document, "gain exactly", NULL, exact ? 'l' : OG_CSV_ONLY, "gain_exact",
                   OG_SHOW_FRACTION);
    og_file_effort(document);
}

static void describe_value(og_document *document, const og_asked *asked, const solved *found)
{
    const og_result *result = &found->result;
    const og_problem_size *sizes = &asked->sizes;
    og_document *optimal =
        og_put_optimum(document, result, true, asked->request.exact, found->value, found->gain);
    og_show_field(document, "Optimal value", "%s expected %s", og_words_value(result->value).text,
                  og_counted_of(sizes).text);
    og_show_fraction(document, optimal, "value_exact");
    if (found->prior != 0) { /* otherwise the value is the gain */
        og_show_field(document, "Gain", "%s over the %s without labels",
                      og_words_value(result->gain).text, og_words_value(found->prior).text);
        og_show_fraction(document, optimal, "gain_exact");
    }
    if (sizes->priced) {
        og_put_labels(optimal, &found->labels);
        og_show_labels(document, &found->labels);
    }
    if (asked->request.exact) {
        og_show_field(document, "Accuracy", "exact, decimals are rounded");
    } else {
        og_show_field(document, "Error at most", "%s (proved)",
                      og_words_bound(result->error_bound).text);
    }
    og_show_field(document, "Engine", "%s", og_document_text(og_document_find(optimal, "engine")));
    og_show_field(document, "States", "%" PRIu64, result->states);
    og_show_forgotten(document, result);
    og_show_field(document, "Memory", "%s", og_words_bytes(result->memory_bytes).text);
    if (result->disk_bytes > 0) {
        og_show_field(document, "On disk", "%s at most", og_words_bytes(result->disk_bytes).text);
    }
    if (result->ranks > 1) {
        og_show_field(document, "Ranks", "%d, of which each has at most that memory; %s sent",
                      result->ranks, og_words_bytes(result->sent_bytes).text);
    }
    og_show_field(document, "Time", "%.2f s", result->seconds);
    file_optimum(document, optimal, sizes->metric.unit, asked->request.exact);
}

static void describe_export(og_document *document, const og_request *request,
                            const og_export_info *exported)
{
    bool all = request->all_optimal;
    og_document *policy = og_put_object(document, "policy");
    og_put_text(policy, "file", request->export_policy);
    og_put_text(policy, "actions", all ? "all" : "one");
    og_put_whole(policy, "states", exported->states);
    og_put_whole(policy, "near_ties", exported->near_ties);
    og_put_whole(policy, "bytes", exported->file_bytes);
    og_show_field(document, "Policy file", "%s", request->export_policy);
    og_show_field(document, "States in it", "%" PRIu64 ", %s, %s", exported->states,
                  all ? "all optimal actions" : "one optimal action each",
                  og_words_bytes(exported->file_bytes).text);
    if (all || exported->near_ties > 0) {
        og_show_field(document, "Near ties", "%" PRIu64 " of them, which doubles cannot decide",
                      exported->near_ties);
    }
}

static void describe_model(og_document *document, const og_request *request,
                           const og_model_file_info *written)
{
    const og_model_counts *counts = &written->counts;
    og_document *model = og_put_object(document, "model");
    char property[64] = "Rmax=? [F \"done\"]", command[512];
    if (written->prism && written->exact) { /* where PRISM knows no labels */
        snprintf(property, sizeof property, "Rmax=? [F x=%" PRIu64 "]", counts->states - 1);
    }
    if (written->prism) {
        snprintf(command, sizeof command, "prism %s -mdp -importmodel %.300s,%ssrew -pf '%s'",
                 written->exact ? "-exact" : "-explicit", request->export_model,
                 written->exact ? "" : "lab,", property);
    } else {
        snprintf(command, sizeof command, "storm --explicit-drn %.300s%s --prop '%s'",
                 request->export_model, written->exact ? " --exact" : "", property);
    }
    og_put_text(model, "file", request->export_model);
    og_put_text(model, "format", written->prism ? "prism" : "drn");
    og_put_text(model, "property", property);
    og_put_text(model, "command", command);
    og_put_number(model, "constant", written->constant);
    og_put_whole(model, "states", counts->states);
    og_put_whole(model, "choices", counts->choices);
    og_put_whole(model, "transitions", counts->transitions);
    og_put_whole(model, "bytes", written->bytes);
    og_show_field(document, "Model file", "%s%s", request->export_model,
                  written->prism ? ", with .lab, .srew and .states beside it" : "");
    og_show_field(document, "States in it",
                  "%" PRIu64 ", %" PRIu64 " choices, %" PRIu64 " transitions, %s", counts->states,
                  counts->choices, counts->transitions, og_words_bytes(written->bytes).text);
    og_show_field(document, "To solve it", "%s", command);
    if (written->constant != 0) {
        og_show_field(document, "Its value", "%.17g more, because PRISM refuses rewards below 0",
                      written->constant);
    }
}

static void describe_blocks(og_document *document, og_document *object, const og_request *request,
                            const solved *found)
{
    const og_blocks_size *size = &found->blocks;
    og_document *blocks = og_put_object(object, "blocks");
    og_put_number(blocks, "states", found->blocks_known ? size->states : NAN);
    og_put_number(blocks, "memory_bytes", found->blocks_known ? size->bytes : NAN);
    og_put_bool(blocks, "exact", found->blocks_exact);
    if (request->settings.scratch != NULL) {
        og_put_number(blocks, "disk_bytes", found->blocks_known ? size->disk_bytes : NAN);
    }
    if (found->blocks_known) {
        og_show_field(document, "In blocks", "%s states, %s", og_words_most(size->states).text,
                      og_words_bytes((uint64_t)size->bytes).text);
    } else {
        og_show_field(document, "In blocks", "not counted: too many, or more than memory holds");
    }
    if (isfinite(found->margin.states)) {
        og_document *margin = og_put_object(object, "margin");
        og_put_number(margin, "states", found->margin.states);
        og_put_number(margin, "memory_bytes", found->margin.bytes);
        og_show_field(document, "Margin cut", "%s states, %s, if it closes",
                      og_words_most(found->margin.states).text,
                      og_words_bytes((uint64_t)found->margin.bytes).text);
    }
    if (found->blocks_known && size->ranks > 1) {
        og_put_whole(blocks, "ranks", (uint64_t)size->ranks);
        og_put_number(blocks, "sent_bytes", size->sent_bytes);
        og_show_field(document, "Ranks", "%d, of which each has at most that memory; %s sent",
                      size->ranks, og_words_bytes((uint64_t)size->sent_bytes).text);
    }
    if (found->blocks_known && size->disk_bytes > 0) {
        og_show_field(document, "On disk", "%s at a time, %s written in all",
                      og_words_bytes((uint64_t)size->disk_bytes).text,
                      og_words_bytes((uint64_t)(sizeof(double) * size->states)).text);
    }
}

static void describe_forecast(og_document *document, const og_request *request, const solved *found)
{
    const og_forecast *forecast = &found->forecast;
    uint64_t limit = request->settings.memory_bytes;
    double most = forecast->memory_bytes;
    bool counted = isfinite(forecast->states);
    og_document *object = og_put_object(document, "forecast");
    og_put_number(object, "states", forecast->states);
    og_put_number(object, "bytes_per_state", forecast->bytes_per_state);
    og_put_number(object, "memory_bytes", most);
    og_put_whole(object, "table_bytes", forecast->table_bytes);
    og_put_whole(object, "memory_limit_bytes", limit);
    og_show_field(document, "States", "at most %s",
                  counted ? og_words_most(forecast->states).text : "more than 1e308");
    if (found->by_blocks) {
        og_show_field(document, "Memory", "%s, by a layer or two at a time",
                      og_words_bytes((uint64_t)most).text);
    } else {
        og_show_field(document, "Memory", "%s for all of them, %.0f bytes each",
                      most < 0x1p62 ? og_words_bytes((uint64_t)most).text
                                    : "more than any machine has",
                      forecast->bytes_per_state);
    }
    og_show_field(document, "Tables", "%s of it, needed in any case",
                  og_words_bytes(forecast->table_bytes).text);
    describe_blocks(document, object, request, found);
    og_file_row(document, "forecast", object);
    og_file_column(document, "name", NULL, 'l', NULL, OG_SHOW_PLAIN);
    og_file_column(document, "states at most", NULL, 'd', "states", OG_SHOW_MOST);
    og_file_column(document, "memory at most", "bytes", 'd', "memory_bytes", OG_SHOW_MOST);
    og_file_column(document, "tables", "bytes", 'd', "table_bytes", OG_SHOW_PLAIN);
    og_show_field(document, "Memory limit", "%s", og_words_bytes(limit).text);
    if (found->by_blocks) {
        og_show_paragraph(document, "Nothing was solved. The states are those of the blocks, "
                                    "which are taken here and counted exactly.");
        return;
    }
    og_show_paragraph(
        document,
        "Nothing was solved. The count of states does not use bounds and forced labels, "
        "which usually leave far fewer. %s",
        most <= (double)limit
            ? "Even all of them fit the memory limit."
            : "Where the memory is full, states that are cheap to solve again are "
              "forgotten: slower, the same value.");
}

static og_document *describe(const og_asked *asked, const solved *found)
{
    const og_request *request = &asked->request;
    og_document *document = og_document_new();
    og_family_describe_problem(asked->family, asked->problem, document);
    if (request->dry_run) {
        describe_forecast(document, request, found);
        return document;
    }
    describe_value(document, asked, found);
    if (request->export_policy != NULL) {
        describe_export(document, request, &found->exported);
    }
    if (request->export_model != NULL) {
        describe_model(document, request, &found->model);
    }
    return document;
}

/* ---- the question ---- */

static og_status check_request(const og_request *request, og_message *message)
{
    if (request->all_optimal && request->export_policy == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--all-optimal requires --export-policy FILE; give both");
    }
    const char *unfit = request->export_policy != NULL  ? "--export-policy"
                        : request->export_model != NULL ? "--export-model"
                                                        : NULL;
    if (request->dry_run && unfit != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--dry-run does not support %s; omit one of them", unfit);
    }
    return og_check_exact(request, message);
}

static og_status answer(og_asked *asked, og_message *message)
{
    solved found = {.prior = NAN};
    og_file_lock lock = {.path = NULL};
    const char *checkpoint = asked->request.settings.checkpoint;
    mpq_inits(found.value, found.gain, NULL);
    og_status status = check(asked, message);
    if (status == OG_OK && checkpoint != NULL && !asked->request.dry_run) {
        status = og_file_lock_take(checkpoint, "checkpoint", &lock, message);
    }
    OG_THEN(status, find(asked, &found, message));
    og_file_lock_release(&lock);
    if (status == OG_OK) {
        asked->warning = found.warning;
        asked->document = describe(asked, &found);
    }
    mpq_clears(found.value, found.gain, NULL);
    return status;
}

const og_question_kind og_question_solve = {.answer = answer, .check = check_request, .each = true};
