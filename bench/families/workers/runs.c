/* Runs of workers of unknown reliability. */
#include <inttypes.h>

#include "bench/families/workers/problem.h"

static og_status check_truth(const og_truth *truth, const og_workers_setting *setting,
                             og_message *message)
{
    OG_TRY(og_truth_for_labelers(truth, message));
    if (truth->kind == OG_TRUTH_DIRICHLET) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--truth dirichlet:A,A,... requires --problem ranking");
    }
    OG_TRY(og_truth_check_list(truth, setting->instances, "soft label", "instances", message));
    return og_truth_check_list(truth->workers, setting->workers, "reliability", "workers", message);
}

static og_status open_runs(const og_source *source, const og_environment_use *use,
                           og_environments *out, og_message *message)
{
    const workers *problem = source->problem;
    if (problem->had > 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "simulate does not support --history for workers; omit it");
    }
    if (source->trace != NULL && problem->world.setting.form != NULL) {
        return og_message_set(message, OG_BAD_INPUT, OG_WORKERS_NO_TRACE);
    }
    if (source->truth != NULL) {
        OG_TRY(check_truth(source->truth, &problem->world.setting, message));
    }
    og_source world = og_source_workers(&problem->world);
    world.truth = source->truth;
    world.at = source->at;
    world.at_count = source->at_count;
    world.trace = source->trace;
    return world.open(&world, use, out, message);
}

og_source workers_source(const void *problem, const og_truth *truth)
{
    return (og_source){.open = open_runs, .problem = problem, .truth = truth};
}

/* Writes the beliefs about every member of the groups, and their forms unless it is NULL. */
static double *expand(og_arena *arena, const og_groups *groups, int32_t width, og_worker_form *form)
{
    size_t count = (size_t)og_groups_size(groups), used = 0;
    double *list = og_arena_array(arena, (size_t)width * count, sizeof *list);
    for (int32_t g = 0; list != NULL && g < groups->group_count; g++) {
        for (int64_t k = 0; k < og_groups_at(groups, g)->count; k++, used++) {
            og_worker_form made =
                og_worker_believe(og_groups_at(groups, g), &list[(size_t)width * used]);
            if (form != NULL) {
                form[used] = made;
            }
        }
    }
    return list;
}

og_status workers_make_world(workers *problem, og_message *message)
{
    const og_groups *people = &problem->options->workers;
    int64_t instances = og_groups_size(&problem->instances), count = og_groups_size(people);
    if (instances > OG_WORKERS_CELLS_MAX / count) {
        return og_message_set(message, OG_STOPPED,
                              "%" PRId64 " instances and %" PRId64
                              " workers are too many: their product is at most %d",
                              instances, count, OG_WORKERS_CELLS_MAX);
    }
    int32_t width = og_worker_width(people);
    og_worker_form *form = NULL;
    if (width > 2) {
        form = og_arena_array(&problem->arena, (size_t)count, sizeof *form);
        OG_TRY(og_arena_status(&problem->arena));
    }
    double *instance = expand(&problem->arena, &problem->instances, 2, NULL);
    double *worker = expand(&problem->arena, people, width, form);
    int32_t *at = og_arena_array(&problem->arena, 1, sizeof *at);
    OG_TRY(og_arena_status(&problem->arena));
    problem->prior = og_workers_right_sum(instance, (int32_t)instances);
    at[0] = problem->instances.budget;
    problem->world = (og_workers_world){.setting = {.instances = (int32_t)instances,
                                                    .workers = (int32_t)count,
                                                    .instance = instance,
                                                    .worker = worker,
                                                    .width = width,
                                                    .form = form,
                                                    .once = problem->options->once},
                                        .final_ties = OG_FINAL_POSITIVE,
                                        .at = at,
                                        .at_count = 1};
    return OG_OK;
}

/* Labels of each worker and of each instance. */
void workers_put_counts(const void *problem, const double *counts, og_document *object)
{
    const og_workers_setting *setting = &((const workers *)problem)->world.setting;
    og_put_numbers(object, "by_instance", counts, setting->instances);
    og_put_numbers(object, "by_worker", counts + setting->instances, setting->workers);
}

static void show_some(og_document *document, const char *policy, const char *what,
                      const double *counts, int32_t count)
{
    enum { SHOWN = 20, NUMBER = 16 };
    char words[SHOWN * NUMBER];
    og_text text = og_text_begin(words, sizeof words);
    for (int32_t j = 0; j < count && j < SHOWN; j++) {
        og_text_add(&text, " %.3g", counts[j]);
    }
    og_show_paragraph(document, "%s: labels by %s 1, 2, ...:%s%s", policy, what, words,
                      count > SHOWN ? " ..." : "");
}

void workers_show_counts(const void *problem, const char *policy, const double *counts,
                         og_document *document)
{
    const og_workers_setting *setting = &((const workers *)problem)->world.setting;
    show_some(document, policy, "instance", counts, setting->instances);
    show_some(document, policy, "worker", counts + setting->instances, setting->workers);
}
