/* The engine at work under limits: who watches, what is saved, what is told. */
#include "dp/engine/valuation.h"

#include <math.h>
#include <string.h>

#include "dp/base/clock.h"

/* One call of the engine, watched. */
typedef struct {
    og_valuation *valuation;
    double start;
    double told;             /* seconds since the start, when the caller was last told */
    double save_next;        /* when the checkpoint is to be written again */
    og_message save_message; /* what went wrong with it last */
    const char *stopped;     /* why the work was stopped; NULL: the caller's watch said so */
} errand;

static const double watch_seconds = 0.1;
/* After a writing, as many times its duration pass before the next: a tenth of the time at most. */
static const double saving_rest = 9;

/* ---- limits, progress, checkpoints ---- */

static void save(errand *e, og_memo_user *user)
{
    const og_valuation *v = e->valuation;
    if (v->settings.checkpoint != NULL) {
        e->save_message.text[0] = '\0';
        og_checkpoint_write(v->settings.checkpoint, &v->fingerprint, v->memo, user,
                            &e->save_message);
    }
}

static bool errand_watch(void *user, const og_engine_progress *engine)
{
    errand *e = user;
    const og_valuation *v = e->valuation;
    const og_settings *settings = &v->settings;
    if (settings->states_max > 0 && engine->expanded > settings->states_max) {
        e->stopped = "the limit on states was reached";
        return false;
    }
    if (settings->stop_when_full && og_memo_is_full(v->memo)) {
        e->stopped = "the memory limit was reached";
        return false;
    }
    double seconds = og_seconds() - e->start;
    if (settings->checkpoint != NULL && seconds >= e->save_next) {
        save(e, engine->memo_user);
        double after = og_seconds() - e->start;
        e->save_next = after + fmax(settings->checkpoint_seconds, saving_rest * (after - seconds));
        seconds = after;
    }
    if (settings->watch == NULL || seconds - e->told < watch_seconds) {
        return true;
    }
    e->told = seconds;
    og_memo_info memo;
    og_memo_get_info(v->memo, &memo);
    og_progress progress = {.states = memo.entries + memo.forgotten,
                            .memory_bytes = v->fixed_bytes + memo.bytes,
                            .settled = engine->settled,
                            .seconds = seconds};
    return settings->watch(settings->watch_user, &progress);
}

og_status og_valuation_run(og_valuation *valuation, const uint64_t *key, int32_t words,
                           double *value, og_engine_info *info, og_message *message)
{
    const og_settings *settings = &valuation->settings;
    errand e = {
        .valuation = valuation, .start = og_seconds(), .save_next = settings->checkpoint_seconds};
    bool watched = settings->watch != NULL || settings->states_max > 0 ||
                   settings->stop_when_full || settings->checkpoint != NULL;
    og_engine_use use = {
        .threads = settings->threads, .watch = watched ? errand_watch : NULL, .user = &e};
    og_status status =
        og_engine_value(&valuation->model, valuation->memo, &use, key, words, value, info);
    if (status == OG_STOPPED) {
        save(&e, NULL);
        og_memo_info memo;
        char held[OG_BYTES_TEXT_BYTES];
        og_memo_get_info(valuation->memo, &memo);
        og_message_set(message, OG_STOPPED, "%s after %llu states and %s%s%s",
                       e.stopped != NULL ? e.stopped : "the work was stopped",
                       (unsigned long long)(memo.entries + memo.forgotten),
                       og_bytes_format(valuation->fixed_bytes + memo.bytes_max, held),
                       e.save_message.text[0] != '\0' ? "; " : "", e.save_message.text);
    } else if (status == OG_OK && e.save_message.text[0] != '\0') {
        og_message_set(message, OG_OK, "%s", e.save_message.text);
    }
    return status;
}

void og_valuation_sizes(const og_valuation *valuation, double start, const og_engine_info *info,
                        og_result *result)
{
    og_memo_info memo;
    og_memo_get_info(valuation->memo, &memo);
    result->states = memo.entries + memo.forgotten;
    result->forgotten = memo.forgotten;
    result->expanded = info->expanded;
    result->memory_bytes = valuation->fixed_bytes + memo.bytes_max;
    result->seconds = og_seconds() - start;
}

/* ---- set-up ---- */

og_status og_valuation_init(og_valuation *valuation, const og_model *model,
                            const og_settings *settings, uint64_t fixed_bytes, og_message *message)
{
    og_valuation v = {
        .model = *model, .settings = og_settings_filled(settings), .fixed_bytes = fixed_bytes};
    uint64_t limit = v.settings.memory_bytes;
    og_status status = OG_NO_MEMORY;
    if (fixed_bytes < limit) {
        status = og_memo_new(limit - fixed_bytes, model->key_words_max, &v.memo);
    }
    if (status == OG_NO_MEMORY) {
        char text[OG_BYTES_TEXT_BYTES];
        return og_message_set(message, OG_STOPPED,
                              "the memory limit of %s does not hold the tables of this problem",
                              og_bytes_format(limit, text));
    }
    if (status == OG_OK) {
        *valuation = v;
    }
    return status;
}

void og_valuation_clear(og_valuation *valuation)
{
    og_memo_free(valuation->memo);
    valuation->memo = NULL;
}

og_status og_model_value(const og_model_root *root, const og_settings *settings, og_result *result,
                         og_message *message)
{
    double start = og_seconds();
    og_settings own = *settings;
    own.checkpoint = NULL;
    og_valuation valuation = {.memo = NULL};
    og_status status = og_valuation_init(&valuation, root->model, &own, root->fixed_bytes, message);
    if (status != OG_OK) {
        return status;
    }
    og_engine_info info = {0, 0};
    og_result found = {0};
    double gain;
    status = og_valuation_run(&valuation, root->key, root->words, &gain, &info, message);
    if (status == OG_OK) {
        found.gain = gain;
        found.value = root->call + gain;
        found.error_bound =
            1.01 * gain * root->relative_error + root->call_error + found.value * 0x1p-53;
    }
    og_valuation_sizes(&valuation, start, &info, &found);
    og_valuation_clear(&valuation);
    if (status == OG_OK || status == OG_STOPPED) {
        *result = found;
    }
    return status;
}
