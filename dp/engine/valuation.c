/* Runs the engine under limits: calls the watch, saves checkpoints, reports progress. */
#include "dp/engine/valuation.h"

#include <math.h>

#include "dp/base/clock.h"
#include "dp/base/stop.h"

/* One call of the engine, watched. */
typedef struct {
    og_valuation *valuation;
    double start;
    double told;             /* seconds from the start to the last call of the watch */
    double save_next;        /* time of the next checkpoint */
    og_message save_message; /* its last error */
    const char *stopped;     /* reason of the stop; NULL: the caller's watch */
} watched_run;

static const char states_reached[] = "the limit on states was reached";
static const double watch_seconds = 0.1;
/* After writing for some time, waits many times that before the next: a tenth of the time at
 * most. */
static const double saving_rest = 9;

/* ---- limits, progress, checkpoints ---- */

static void save(watched_run *run, og_memo_user *user)
{
    const og_valuation *v = run->valuation;
    if (v->settings.checkpoint != NULL) {
        run->save_message.text[0] = '\0';
        og_checkpoint_write(v->settings.checkpoint, &v->fingerprint, v->memo, user,
                            &run->save_message);
    }
}

/* True if all calls together, with this one's states, have reached their limit. */
static bool is_spent(const og_valuation *v, uint64_t expanded)
{
    return v->expanded_max > 0 && v->expanded + expanded > v->expanded_max;
}

static bool watch_work(void *user, const og_engine_progress *engine)
{
    watched_run *run = user;
    const og_valuation *v = run->valuation;
    const og_settings *settings = &v->settings;
    if ((settings->states_max > 0 && engine->expanded > settings->states_max) ||
        is_spent(v, engine->expanded)) {
        run->stopped = states_reached;
        return false;
    }
    if (engine->counted && settings->stop_when_full && og_memo_is_full(v->memo)) {
        run->stopped = "the memory limit was reached";
        return false;
    }
    double seconds = og_seconds() - run->start;
    if (settings->checkpoint != NULL && seconds >= run->save_next) {
        save(run, engine->memo_user);
        double after = og_seconds() - run->start;
        run->save_next =
            after + fmax(settings->checkpoint_seconds, saving_rest * (after - seconds));
        seconds = after;
    }
    if (settings->watch == NULL || seconds - run->told < watch_seconds) {
        return true;
    }
    run->told = seconds;
    og_memo_info memo;
    og_memo_get_info(v->memo, &memo);
    og_progress progress = {.states = memo.entries + memo.forgotten,
                            .forgotten = memo.forgotten,
                            .memory_bytes = v->fixed_bytes + memo.bytes,
                            .settled = engine->settled,
                            .seconds = seconds};
    return settings->watch(settings->watch_user, &progress);
}

/* ---- runs ---- */

og_status og_valuation_run(og_valuation *valuation, const uint64_t *key, int32_t words,
                           double *value, og_engine_info *info, og_message *message)
{
    const og_settings *settings = &valuation->settings;
    watched_run run = {.valuation = valuation,
                       .start = og_seconds_coarse(),
                       .save_next = settings->checkpoint_seconds};
    bool watched = settings->watch != NULL || settings->states_max > 0 ||
                   valuation->expanded_max > 0 || settings->stop_when_full ||
                   settings->checkpoint != NULL;
    og_engine_use use = {
        .threads = settings->threads, .watch = watched ? watch_work : NULL, .user = &run};
    uint64_t before = info->expanded;
    og_status status = OG_STOPPED;
    /* After many short calls, in each of which nobody looks: */
    if (is_spent(valuation, 0)) {
        run.stopped = states_reached;
    } else if (!og_stop_asked(og_stop_of(settings))) {
        status = og_engine_value(&valuation->model, valuation->memo, &use, key, words, value, info);
    }
    valuation->expanded += info->expanded - before;
    if (status == OG_STOPPED) {
        save(&run, NULL);
        og_memo_info memo;
        char held[OG_BYTES_TEXT_BYTES];
        og_memo_get_info(valuation->memo, &memo);
        og_message_set(message, OG_STOPPED, "%s after %llu states and %s%s%s",
                       run.stopped != NULL ? run.stopped : "the work was stopped",
                       (unsigned long long)(memo.entries + memo.forgotten),
                       og_bytes_format(valuation->fixed_bytes + memo.bytes_max, held),
                       run.save_message.text[0] != '\0' ? "; " : "", run.save_message.text);
    } else if (status == OG_OK && run.save_message.text[0] != '\0') {
        og_message_set(message, OG_OK, "%s", run.save_message.text);
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
