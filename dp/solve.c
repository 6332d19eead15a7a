#include "dp/solve.h"

#include <assert.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "dp/engine.h"
#include "dp/solver.h"
#include "dp/uniform.h"

/* One call of the engine, watched. */
typedef struct {
    og_solver *solver;
    double start;
    double told;             /* seconds since the start, when the caller was last told */
    double save_next;        /* when the checkpoint is to be written again */
    og_message save_message; /* what went wrong with it last */
    const char *stopped;     /* why the work was stopped; NULL: the caller's watch said so */
} errand;

static const double watch_seconds = 0.1;
/* After a writing, as many times its duration pass before the next: a tenth of the time at most. */
static const double saving_rest = 9;

static uint64_t default_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGE_SIZE);
    uint64_t bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 32;
    return bytes / 4 * 3;
}

void og_settings_default(og_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    settings->threads = omp_get_num_procs();
    settings->memory_bytes = default_memory();
    settings->reductions = OG_REDUCE_ALL;
    settings->checkpoint_seconds = OG_CHECKPOINT_SECONDS;
}

static og_settings settings_filled(const og_settings *given)
{
    og_settings usual;
    og_settings_default(&usual);
    og_settings settings = *given;
    settings.threads = given->threads > 0 ? given->threads : usual.threads;
    settings.memory_bytes = given->memory_bytes > 0 ? given->memory_bytes : usual.memory_bytes;
    settings.checkpoint_seconds =
        given->checkpoint_seconds > 0 ? given->checkpoint_seconds : OG_CHECKPOINT_SECONDS;
    return settings;
}

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t arms_bytes(const og_arms *arms)
{
    uint64_t bytes = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        bytes += (uint64_t)arm->node_count * (8 + (8 + 4) * (uint64_t)arm->outcome_count);
    }
    return bytes;
}

/* Instances that are not dropped by the caps: what sums over a state can count. */
static int64_t instances_kept(const og_arms *arms, unsigned reductions)
{
    int64_t kept = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        int64_t size = arms->group_size[g];
        bool capped = (reductions & OG_REDUCE_CAP) != 0 && size > arms->budget;
        kept += capped ? arms->budget : size;
    }
    return kept;
}

static og_status out_of_limit(const og_settings *settings, og_message *message)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(message, OG_STOPPED,
                          "the memory limit of %s does not hold the tables of this problem",
                          og_bytes_format(settings->memory_bytes, limit));
}

static void hash_bytes(XXH3_state_t *hash, const void *bytes, size_t count)
{
    XXH3_128bits_update(hash, bytes, count);
}

/* What the values in the memory depend on, and how their keys are written. */
static og_status take_fingerprint(og_solver *solver)
{
    const og_arms *arms = solver->arms;
    const og_product *product = &solver->product;
    XXH3_state_t *hash = XXH3_createState();
    if (hash == NULL) {
        return OG_NO_MEMORY;
    }
    XXH3_128bits_reset(hash);
    int64_t plain[] = {product->budget,
                       product->optimum,
                       product->ties,
                       product->ordered,
                       product->drop,
                       product->cap,
                       product->force,
                       product->left_bits,
                       arms->arm_count,
                       arms->group_count,
                       solver->settings.reductions};
    hash_bytes(hash, plain, sizeof plain);
    size_t groups = (size_t)arms->group_count;
    hash_bytes(hash, arms->arm_of_group, groups * sizeof *arms->arm_of_group);
    hash_bytes(hash, arms->group_size, groups * sizeof *arms->group_size);
    hash_bytes(hash, solver->layers->root_class,
               (size_t)arms->arm_count * sizeof *solver->layers->root_class);
    for (int32_t left = 1; left <= arms->budget; left++) {
        const og_layer *layer = &solver->layers->layer[left];
        size_t classes = layer->class_count;
        size_t outcomes = layer->outcome_first[classes];
        hash_bytes(hash, &product->order[left], sizeof *product->order);
        hash_bytes(hash, layer->reward, classes * sizeof *layer->reward);
        hash_bytes(hash, layer->down, classes * sizeof *layer->down);
        hash_bytes(hash, layer->outcome_first, (classes + 1) * sizeof *layer->outcome_first);
        hash_bytes(hash, layer->probability, outcomes * sizeof *layer->probability);
        hash_bytes(hash, layer->next, outcomes * sizeof *layer->next);
    }
    XXH128_hash_t digest = XXH3_128bits_digest(hash);
    solver->fingerprint = (og_fingerprint){{digest.low64, digest.high64}};
    XXH3_freeState(hash);
    return OG_OK;
}

/* Everything but the recursion. `ranks` NULL: the optimum. */
static og_status solver_build(og_solver *solver, const og_ranks *ranks, const og_product_use *use,
                              og_message *message)
{
    const og_arms *arms = solver->arms;
    uint64_t limit = solver->settings.memory_bytes;
    solver->fixed_bytes = arms_bytes(arms);
    if (solver->fixed_bytes >= limit) {
        return out_of_limit(&solver->settings, message);
    }
    bool merge = (use->reductions & OG_REDUCE_MERGE) != 0;
    og_status status =
        og_layers_new(arms, ranks, merge, limit - solver->fixed_bytes, &solver->layers, message);
    if (status != OG_OK) {
        return status;
    }
    solver->fixed_bytes += solver->layers->bytes;
    if (use->optimum && (use->reductions & OG_REDUCE_BOUND) != 0) {
        double favourite;
        status = og_prices_favourite(solver->layers, arms, &favourite);
        if (status != OG_OK) {
            return status;
        }
        status = og_prices_new(solver->layers, instances_kept(arms, use->reductions), favourite,
                               (limit - solver->fixed_bytes) / 2, &solver->prices);
        if (status == OG_OK) {
            solver->fixed_bytes += solver->prices->bytes;
        } else if (status != OG_STOPPED) { /* no room for bounds: slower, not wrong */
            return status;
        }
    }
    status = og_product_init(&solver->product, arms, solver->layers, solver->prices, use, message);
    if (status != OG_OK) {
        return status;
    }
    solver->key = calloc((size_t)solver->product.key_words_max, sizeof *solver->key);
    if (solver->key == NULL) {
        return OG_NO_MEMORY;
    }
    status = og_memo_new(limit - solver->fixed_bytes, solver->product.key_words_max, &solver->memo);
    if (status == OG_NO_MEMORY) {
        return out_of_limit(&solver->settings, message);
    }
    if (status == OG_OK && solver->settings.checkpoint != NULL) {
        status = take_fingerprint(solver);
        if (status == OG_OK) {
            status = og_checkpoint_read(solver->settings.checkpoint, &solver->fingerprint,
                                        solver->memo, solver->product.key_words_max, message);
        }
    }
    return status;
}

static og_status solver_new(const og_arms *arms, const og_ranks *ranks, const og_product_use *use,
                            const og_settings *settings, og_solver **out, og_message *message)
{
    double start = clock_seconds();
    og_solver *solver = calloc(1, sizeof *solver);
    if (solver == NULL) {
        return OG_NO_MEMORY;
    }
    solver->arms = arms;
    solver->settings = settings_filled(settings);
    og_status status = solver_build(solver, ranks, use, message);
    if (status != OG_OK) {
        og_solver_free(solver);
        return status;
    }
    assert(solver->layers != NULL && solver->key != NULL && solver->memo != NULL);
    solver->seconds = clock_seconds() - start;
    *out = solver;
    return OG_OK;
}

og_status og_solver_new(const og_arms *arms, const og_settings *settings, og_solver **out,
                        og_message *message)
{
    og_product_use use = {.optimum = true, .reductions = settings->reductions};
    return solver_new(arms, NULL, &use, settings, out, message);
}

void og_solver_free(og_solver *solver)
{
    if (solver == NULL) {
        return;
    }
    og_memo_free(solver->memo);
    og_product_clear(&solver->product);
    og_prices_free(solver->prices);
    og_layers_free(solver->layers);
    free(solver->key);
    free(solver);
}

/*
 * Relative error of a computed gain, all terms being >= 0.
 *
 * A value with r labels left is R + sum p_k G_{r-1}. Stored p and R are within probability_error
 * and reward_error; adding up the p of outcomes that lead to one class costs at most m - 1
 * roundings, a product one, the sum with R at most m, so a label multiplies the relative error by
 * at most (1 + probability_error)(1 + u)^(2m); a draw among n ties adds n products and sums and one
 * division, at most (1 + u)^(n + 2). Maximum and minimum add none. R enters once on every path.
 */
double og_solver_relative_error(const og_solver *solver)
{
    const double u = 0x1p-53;
    double p_error = 0;
    double r_error = 0;
    for (int32_t a = 0; a < solver->arms->arm_count; a++) {
        const og_arm *arm = solver->arms->arm[a];
        p_error = fmax(p_error, arm->probability_error);
        r_error = fmax(r_error, arm->reward_error);
    }
    const og_product *product = &solver->product;
    double draws =
        product->optimum || product->ties != OG_TIES_RANDOM ? 0 : product->actions_max + 2;
    double step = p_error + u * (2.0 * solver->layers->outcome_max + draws);
    double total = 1.01 * (product->budget * step + r_error); /* 1.01: second order, tiny */
    return total;
}

static void result_fill(const og_solver *solver, double gain, og_result *result)
{
    double call_error;
    double call = og_arms_call(solver->arms, &call_error);
    result->gain = gain;
    result->value = call + gain;
    result->error_bound =
        1.01 * gain * og_solver_relative_error(solver) + call_error + result->value * 0x1p-53;
}

static void result_sizes(const og_solver *solver, double start, const og_engine_info *info,
                         og_result *result)
{
    og_memo_info memo;
    og_memo_get_info(solver->memo, &memo);
    result->states = memo.entries + memo.forgotten;
    result->forgotten = memo.forgotten;
    result->expanded = info->expanded;
    result->memory_bytes = solver->fixed_bytes + memo.bytes_max;
    result->seconds = clock_seconds() - start + solver->seconds;
}

/* ---- limits, progress, checkpoints ---- */

static void save(errand *e, og_memo_user *user)
{
    const og_settings *settings = &e->solver->settings;
    if (settings->checkpoint != NULL) {
        e->save_message.text[0] = '\0';
        og_checkpoint_write(settings->checkpoint, &e->solver->fingerprint, e->solver->memo, user,
                            &e->save_message);
    }
}

static bool errand_watch(void *user, const og_engine_progress *engine)
{
    errand *e = user;
    const og_solver *solver = e->solver;
    const og_settings *settings = &solver->settings;
    if (settings->states_max > 0 && engine->expanded > settings->states_max) {
        e->stopped = "the limit on states was reached";
        return false;
    }
    if (settings->stop_when_full && og_memo_is_full(solver->memo)) {
        e->stopped = "the memory limit was reached";
        return false;
    }
    double seconds = clock_seconds() - e->start;
    if (settings->checkpoint != NULL && seconds >= e->save_next) {
        save(e, engine->memo_user);
        double after = clock_seconds() - e->start;
        e->save_next = after + fmax(settings->checkpoint_seconds, saving_rest * (after - seconds));
        seconds = after;
    }
    if (settings->watch == NULL || seconds - e->told < watch_seconds) {
        return true;
    }
    e->told = seconds;
    og_memo_info memo;
    og_memo_get_info(solver->memo, &memo);
    og_progress progress = {.states = memo.entries + memo.forgotten,
                            .memory_bytes = solver->fixed_bytes + memo.bytes,
                            .settled = engine->settled,
                            .seconds = seconds};
    return settings->watch(settings->watch_user, &progress);
}

/* The value of a state, under the settings' limits. */
static og_status run(og_solver *solver, int32_t words, double *value, og_engine_info *info,
                     og_message *message)
{
    const og_settings *settings = &solver->settings;
    errand e = {
        .solver = solver, .start = clock_seconds(), .save_next = settings->checkpoint_seconds};
    bool watched = settings->watch != NULL || settings->states_max > 0 ||
                   settings->stop_when_full || settings->checkpoint != NULL;
    og_engine_use use = {
        .threads = settings->threads, .watch = watched ? errand_watch : NULL, .user = &e};
    og_model model = og_product_model(&solver->product);
    og_status status = og_engine_value(&model, solver->memo, &use, solver->key, words, value, info);
    if (status == OG_STOPPED) {
        save(&e, NULL);
        og_memo_info memo;
        char held[OG_BYTES_TEXT_BYTES];
        og_memo_get_info(solver->memo, &memo);
        og_message_set(message, OG_STOPPED, "%s after %llu states and %s%s%s",
                       e.stopped != NULL ? e.stopped : "the work was stopped",
                       (unsigned long long)(memo.entries + memo.forgotten),
                       og_bytes_format(solver->fixed_bytes + memo.bytes_max, held),
                       e.save_message.text[0] != '\0' ? "; " : "", e.save_message.text);
    } else if (status == OG_OK && e.save_message.text[0] != '\0') {
        og_message_set(message, OG_OK, "%s", e.save_message.text);
    }
    return status;
}

og_status og_solver_value(og_solver *solver, og_result *result, og_message *message)
{
    double start = clock_seconds();
    const og_arms *arms = solver->arms;
    og_result sizes;
    memset(&sizes, 0, sizeof sizes);
    uint32_t *class = calloc((size_t)arms->group_count + 1, sizeof *class);
    if (class == NULL) {
        return OG_NO_MEMORY;
    }
    for (int32_t g = 0; g < arms->group_count; g++) {
        class[g] = solver->layers->root_class[arms->arm_of_group[g]];
    }
    int32_t words;
    og_status status =
        og_product_key(&solver->product, arms, arms->budget, class, -1, 0, solver->key, &words);
    free(class);
    og_engine_info info = {0, 0};
    double gain;
    if (status == OG_OK) {
        status = run(solver, words, &gain, &info, message);
    }
    if (status == OG_OK) {
        result_fill(solver, gain, &sizes);
    }
    result_sizes(solver, start, &info, &sizes);
    if (status == OG_OK || status == OG_STOPPED) {
        *result = sizes;
    }
    return status;
}

og_status og_solver_state(og_solver *solver, int32_t words, double *value, og_message *message)
{
    og_engine_info info = {0, 0};
    return run(solver, words, value, &info, message);
}

/* Value of the state one layer down, in which one instance of group `moved` is in class `to`. */
static og_status value_below(og_solver *solver, const uint32_t *down, int32_t moved, uint32_t to,
                             double *value, og_message *message)
{
    int32_t words;
    og_status status = og_product_key(&solver->product, solver->arms, solver->arms->budget - 1,
                                      down, moved, to, solver->key, &words);
    if (status != OG_OK) {
        return status;
    }
    return og_solver_state(solver, words, value, message);
}

static og_status group_q(og_solver *solver, const uint32_t *down, int32_t group, double *q,
                         og_message *message)
{
    const og_layer *top = &solver->layers->layer[solver->arms->budget];
    uint32_t class = solver->layers->root_class[solver->arms->arm_of_group[group]];
    double sum = top->reward[class];
    uint32_t first = top->outcome_first[class];
    uint32_t last = top->outcome_first[class + 1];
    if (first == last) { /* dead: wherever it goes the others are what they are */
        return value_below(solver, down, group, 0, q, message);
    }
    for (uint32_t k = first; k < last; k++) {
        double value;
        og_status status = value_below(solver, down, group, top->next[k], &value, message);
        if (status != OG_OK) {
            return status;
        }
        sum += top->probability[k] * value;
    }
    *q = sum;
    return OG_OK;
}

og_status og_solver_q(og_solver *solver, double *q, double *error, og_message *message)
{
    const og_arms *arms = solver->arms;
    if (arms->budget < 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "with no labels left there is nothing to choose");
    }
    size_t groups = (size_t)arms->group_count;
    uint32_t *down = calloc(groups + 1, sizeof *down);
    double *values = calloc(groups + 1, sizeof *values);
    og_status status = down == NULL || values == NULL ? OG_NO_MEMORY : OG_OK;
    const og_layer *top = &solver->layers->layer[arms->budget];
    for (int32_t g = 0; status == OG_OK && g < arms->group_count; g++) {
        down[g] = top->down[solver->layers->root_class[arms->arm_of_group[g]]];
    }
    for (int32_t g = 0; status == OG_OK && g < arms->group_count; g++) {
        int32_t same = 0;
        while (arms->arm_of_group[same] != arms->arm_of_group[g]) {
            same++;
        }
        if (same < g) {
            values[g] = values[same]; /* copies of one instance have one Q */
        } else {
            status = group_q(solver, down, g, &values[g], message);
        }
    }
    if (status == OG_OK) {
        memcpy(q, values, groups * sizeof *q);
        for (size_t g = 0; g < groups; g++) {
            error[g] = 1.01 * values[g] * og_solver_relative_error(solver);
        }
    }
    free(values);
    free(down);
    return status;
}

/* No state is needed. */
static og_status uniform_value(const og_arms *arms, og_result *result)
{
    double start = clock_seconds();
    double gain;
    double gain_error;
    double call_error;
    og_status status = og_uniform_gain(arms, &gain, &gain_error);
    if (status != OG_OK) {
        return status;
    }
    memset(result, 0, sizeof *result);
    result->gain = gain;
    result->value = og_arms_call(arms, &call_error) + gain;
    result->error_bound = 1.01 * gain_error + call_error + result->value * 0x1p-53;
    result->seconds = clock_seconds() - start;
    return OG_OK;
}

og_status og_policy_value(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                          const og_settings *settings, og_result *result, og_message *message)
{
    if (ties == OG_TIES_RANDOM && arms->group_count > 0 && og_ranks_are_uniform(arms, ranks)) {
        return uniform_value(arms, result);
    }
    og_product_use use = {.optimum = false, .ties = ties, .reductions = settings->reductions};
    og_settings own = *settings;
    own.checkpoint = NULL;
    og_solver *solver;
    og_status status = solver_new(arms, ranks, &use, &own, &solver, message);
    if (status != OG_OK) {
        return status;
    }
    status = og_solver_value(solver, result, message);
    og_solver_free(solver);
    return status;
}
