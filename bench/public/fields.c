/* The valid values of the fields of the public structs. */
#include "bench/public/fields.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "bench/simulation/simulate.h"
#include "dp/prior/problem.h"

#define OG_FIELD(type, field, kind_, ...)                                                          \
    {                                                                                              \
        .name = #field, .at = offsetof(type, field), .kind = OG_FIELD_##kind_, __VA_ARGS__         \
    }
#define OG_FIELD_OF_TEXT(type, field) OG_FIELD(type, field, TEXT, .most = 0)
#define OG_FIELD_ARRAY(type, field, counter)                                                       \
    OG_FIELD(type, field, WORDS, .count = offsetof(type, counter))

const og_field og_settings_fields[] = {
    OG_FIELD(og_settings, threads, INT, .most = OG_THREADS_MAX),
    OG_FIELD(og_settings, reductions, FLAGS, .most = OG_REDUCE_ALL),
    OG_FIELD(og_settings, engine, INT, .most = OG_ENGINE_BLOCKS),
    OG_FIELD_OF_TEXT(og_settings, checkpoint),
    OG_FIELD(og_settings, checkpoint_seconds, DOUBLE, .most = INFINITY),
    OG_FIELD_OF_TEXT(og_settings, scratch),
    OG_FIELD(og_settings, joint_end, INT, .most = 8),
    {.name = NULL},
};

const og_field og_request_fields[] = {
    OG_FIELD(og_request, seconds_max, DOUBLE, .most = INFINITY),
    OG_FIELD(og_request, policy_count, INT, .most = INT32_MAX),
    OG_FIELD_ARRAY(og_request, policies, policy_count),
    OG_FIELD(og_request, ties_count, INT, .most = INT32_MAX),
    OG_FIELD_ARRAY(og_request, ties, ties_count),
    OG_FIELD(og_request, index_seconds_max, DOUBLE, .most = INFINITY),
    OG_FIELD(og_request, runs, INT64, .most = OG_RUNS_MAX),
    OG_FIELD_OF_TEXT(og_request, truth),
    OG_FIELD_OF_TEXT(og_request, believe),
    OG_FIELD(og_request, reach, DOUBLE, .most = 1),
    OG_FIELD_OF_TEXT(og_request, export_policy),
    OG_FIELD_OF_TEXT(og_request, export_model),
    OG_FIELD(og_request, tie_tolerance, DOUBLE, .most = 1),
    OG_FIELD(og_request, tree_states_max, INT, .most = INT32_MAX),
    OG_FIELD(og_request, tree_levels, INT, .most = INT32_MAX),
    OG_FIELD_OF_TEXT(og_request, history),
    {.name = NULL},
};

const og_field og_search_fields[] = {
    OG_FIELD_OF_TEXT(og_search, claim),
    OG_FIELD(og_search, instances, INT, .most = INT32_MAX),
    OG_FIELD(og_search, budget, INT, .most = OG_BUDGET_MAX),
    OG_FIELD(og_search, parameter, INT, .most = INT32_MAX),
    OG_FIELD_OF_TEXT(og_search, thresholds),
    OG_FIELD_OF_TEXT(og_search, stakes.price),
    OG_FIELD_OF_TEXT(og_search, stakes.payoff),
    {.name = NULL},
};

const og_field og_recording_fields[] = {
    OG_FIELD_OF_TEXT(og_recording, labels_file),
    OG_FIELD_OF_TEXT(og_recording, gold_file),
    OG_FIELD(og_recording, count, INT64, .most = INT32_MAX),
    OG_FIELD_OF_TEXT(og_recording, prior),
    OG_FIELD(og_recording, budget, INT, .least = -1, .most = INT32_MAX),
    OG_FIELD(og_recording, at_count, INT, .most = INT32_MAX),
    OG_FIELD_ARRAY(og_recording, at, at_count),
    OG_FIELD_OF_TEXT(og_recording, pairs_file),
    OG_FIELD_OF_TEXT(og_recording, workers_prior),
    OG_FIELD_OF_TEXT(og_recording, stakes.price),
    OG_FIELD_OF_TEXT(og_recording, stakes.payoff),
    OG_FIELD_OF_TEXT(og_recording, problem),
    OG_FIELD_OF_TEXT(og_recording, contexts_file),
    OG_FIELD_OF_TEXT(og_recording, fill),
    OG_FIELD(og_recording, explore, DOUBLE, .most = INFINITY),
    {.name = NULL},
};

const og_field og_batch_fields[] = {
    OG_FIELD_OF_TEXT(og_batch, labels_file),
    OG_FIELD_OF_TEXT(og_batch, prior),
    OG_FIELD(og_batch, budget, INT, .least = -1, .most = INT32_MAX),
    OG_FIELD(og_batch, batch, INT, .most = INT32_MAX),
    OG_FIELD_OF_TEXT(og_batch, stakes.price),
    OG_FIELD_OF_TEXT(og_batch, stakes.payoff),
    OG_FIELD_OF_TEXT(og_batch, tasks_file),
    OG_FIELD_OF_TEXT(og_batch, model_strength),
    OG_FIELD_OF_TEXT(og_batch, closed_file),
    OG_FIELD_OF_TEXT(og_batch, free_file),
    OG_FIELD(og_batch, max_per_task, INT, .most = INT32_MAX),
    OG_FIELD(og_batch, per_batch, INT, .most = 20),
    OG_FIELD_OF_TEXT(og_batch, gold_file),
    OG_FIELD_OF_TEXT(og_batch, workers_prior),
    OG_FIELD_OF_TEXT(og_batch, pairs_file),
    OG_FIELD(og_batch, source_count, INT, .most = 16),
    OG_FIELD_ARRAY(og_batch, sources, source_count),
    {.name = NULL},
};

static double number_of(const og_field *row, const char *at)
{
    int32_t narrow;
    int64_t wide;
    unsigned flags;
    double number;
    switch (row->kind) {
    case OG_FIELD_INT64:
        memcpy(&wide, at, sizeof wide);
        return (double)wide;
    case OG_FIELD_FLAGS:
        memcpy(&flags, at, sizeof flags);
        return flags;
    case OG_FIELD_DOUBLE:
        memcpy(&number, at, sizeof number);
        return number;
    default:
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
}

static og_status check_number(const og_field *row, const char *at, og_message *message)
{
    double number = number_of(row, at);
    bool good = row->kind == OG_FIELD_FLAGS
                    ? ((unsigned)number & ~(unsigned)row->most) == 0
                    : number >= row->least && number <= row->most; /* false for NaN */
    if (good) {
        return OG_OK;
    }
    if (row->most == INT32_MAX || row->most == INFINITY) {
        return og_message_set(message, OG_BAD_INPUT, "%s must be at least %.17g, not %.17g",
                              row->name, row->least, number);
    }
    return og_message_set(message, OG_BAD_INPUT, "%s must be from %.17g to %.17g, not %.17g",
                          row->name, row->least, row->most, number);
}

static og_status check_pointer(const og_field *row, const char *what, og_message *message)
{
    const char *pointer;
    int32_t count = 0;
    memcpy(&pointer, what + row->at, sizeof pointer);
    if (row->kind == OG_FIELD_WORDS) {
        memcpy(&count, what + row->count, sizeof count);
        return pointer != NULL || count <= 0
                   ? OG_OK
                   : og_message_set(message, OG_BAD_INPUT, "%s is NULL, but its count is %d",
                                    row->name, (int)count);
    }
    return pointer == NULL || *pointer != '\0'
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT, "%s is an empty text; use NULL or a text",
                                row->name);
}

og_status og_fields_check(const og_field *row, const void *object, og_message *message)
{
    for (; object != NULL && row->name != NULL; row++) {
        bool pointer = row->kind == OG_FIELD_TEXT || row->kind == OG_FIELD_WORDS;
        OG_TRY(pointer ? check_pointer(row, object, message)
                       : check_number(row, (const char *)object + row->at, message));
    }
    return OG_OK;
}
