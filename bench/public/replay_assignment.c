/* Task assignment on recorded labels or with drawn crowds: from files to a report. */
#include <math.h>
#include <string.h>

#include "bench/public/replayed.h"
#include "bench/recorded/accuracy.h"
#include "bench/recorded/tasks.h"
#include "dp/base/arena.h"
#include "dp/base/rows.h"

typedef struct {
    og_arena arena;
    og_assignment_world world;
    og_replay_words words;
    const char **name;  /* [tasks] */
    int32_t *context;   /* [tasks] */
    int8_t *truth;      /* [tasks] */
    int8_t *label;      /* [tasks * workers] */
    og_labels labels;   /* recorded; or */
    og_task_words gold; /* tasks for a crowd */
    og_class_list classes;
    og_message blanks;  /* a note about trimmed blanks */
    double *accuracies; /* [(contexts + 1) * OG_ACCURACY_BINS]; NULL: not requested */
} task_world;

static void world_free(task_world *world)
{
    if (world != NULL) {
        og_labels_clear(&world->labels);
        og_classes_clear(&world->classes);
        og_task_words_clear(&world->gold);
    }
    og_arena_free(world);
}

/* ---- tasks ---- */

static og_status make_tasks(task_world *world, int64_t tasks, int64_t workers, og_message *message)
{
    if (tasks * workers > OG_ASSIGNMENT_CELLS_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "%lld tasks and %lld workers are too many: their product is at most "
                              "%d",
                              (long long)tasks, (long long)workers, OG_ASSIGNMENT_CELLS_MAX);
    }
    size_t cells = (size_t)tasks * (size_t)workers;
    world->world.setting.tasks = (int32_t)tasks;
    world->world.setting.workers = (int32_t)workers;
    world->world.setting.budget = (int32_t)cells;
    world->name = og_arena_array(&world->arena, (size_t)tasks, sizeof *world->name);
    world->context = og_arena_array(&world->arena, (size_t)tasks, sizeof *world->context);
    world->truth = og_arena_array(&world->arena, (size_t)tasks, sizeof *world->truth);
    world->label = og_arena_array(&world->arena, cells, sizeof *world->label);
    world->world.setting.context = world->context;
    world->world.truth = world->truth;
    return og_arena_status(&world->arena);
}

static og_status read_crowd(task_world *world, const og_replay_input *given,
                            const og_settings *settings, og_message *message)
{
    og_drawn_crowd *crowd = &world->world.crowd;
    OG_TRY(og_drawn_crowd_parse(given->crowd, crowd, message));
    OG_TRY(og_task_words_read(given->recording.gold_file, OG_COLUMN_GOLD, settings, &world->gold,
                              message));
    OG_TRY(make_tasks(world, world->gold.count, crowd->workers, message));
    world->words.crowd = given->crowd;
    og_rows_note(&world->blanks, given->recording.gold_file, world->gold.trimmed);
    for (int32_t i = 0; i < world->gold.count; i++) {
        world->name[i] = og_task_name(&world->gold, i);
    }
    return og_task_truths(&world->gold, given->recording.gold_file, settings->tables,
                          &world->classes, world->truth, message);
}

static og_status read_gold(task_world *world, const og_replay_input *given,
                           const og_settings *settings, og_message *message)
{
    og_gold_count count;
    size_t tasks = world->labels.task_count;
    uint8_t *gold = og_arena_array(&world->arena, tasks, sizeof *gold);
    OG_TRY(OG_ALLOCATED(gold));
    OG_TRY(
        og_gold_read(given->recording.gold_file, &world->labels, settings, gold, &count, message));
    og_labels_warning(&world->labels, given->recording.labels_file, &world->blanks);
    og_rows_note(&world->blanks, given->recording.gold_file, count.trimmed);
    for (size_t i = 0; i < tasks; i++) {
        world->truth[i] =
            gold[i] == OG_GOLD_NONE ? 0 : og_class_code(world->labels.class_count, gold[i]);
        world->name[i] = og_labels_task_name(&world->labels, (uint32_t)i);
    }
    return OG_OK;
}

static og_status read_labels(task_world *world, const og_replay_input *given,
                             const og_settings *settings, og_message *message)
{
    OG_TRY(og_labels_read(given->recording.labels_file, settings, &world->labels, message));
    OG_TRY(make_tasks(world, world->labels.task_count,
                      world->labels.worker_count > 0 ? world->labels.worker_count : 1, message));
    OG_TRY(og_fill_table(&world->labels, world->label, message));
    world->world.label = world->label;
    world->world.labels = &world->labels;
    return read_gold(world, given, settings, message);
}

/* ---- contexts ---- */

static og_status read_contexts(task_world *world, const og_replay_input *given,
                               const og_asked *asked, og_message *message)
{
    og_assignment_setting *setting = &world->world.setting;
    const og_settings *settings = &asked->request.settings;
    if ((given->clusters > 0) != (given->data_file != NULL)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--kmeans S and --data FILE require each other; give both");
    }
    if (given->clusters > 0 && given->recording.contexts_file != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--contexts and --kmeans cannot be combined; give one");
    }
    og_contexts read = {
        .name = world->name, .count = setting->tasks, .context = world->context, .contexts = 1};
    const char *path = NULL;
    if (given->clusters > 0) {
        path = given->data_file;
        OG_TRY(og_contexts_cluster(path, given->clusters, asked->request.seed, settings, &read,
                                   message));
    } else if (given->recording.contexts_file != NULL) {
        path = given->recording.contexts_file;
        OG_TRY(og_contexts_read(path, settings, &read, message));
    }
    if (path != NULL) {
        og_rows_note(&world->blanks, path, read.trimmed);
    }
    setting->contexts = read.contexts;
    return OG_OK;
}

/* ---- empty cells ---- */

static og_fill_problem problem_of(const task_world *world)
{
    const og_assignment_setting *setting = &world->world.setting;
    return (og_fill_problem){setting->tasks, setting->workers, setting->contexts,
                             world->context, world->truth,     setting->classes};
}

/* The share of right labels among the filled-in cells. */
static double right_share(const task_world *world, const bool *recorded)
{
    int64_t cells = 0, right = 0;
    for (int32_t i = 0, k = 0; i < world->world.setting.tasks; i++) {
        for (int32_t j = 0; j < world->world.setting.workers; j++, k++) {
            bool counts = !recorded[k] && world->label[k] != 0 && world->truth[i] != 0;
            cells += counts;
            right += counts && world->label[k] == world->truth[i];
        }
    }
    return cells > 0 ? (double)right / (double)cells : NAN;
}

/* Fill the empty cells; cells that stay empty cannot be asked. */
static og_status fill_holes(task_world *world, const og_asked *asked, og_message *message)
{
    const og_replay_input *given = asked->given;
    og_fill fill;
    og_assignment_setting *setting = &world->world.setting;
    const og_fill_problem problem = problem_of(world);
    int32_t cells = setting->budget, there = 0;
    bool *at = og_arena_array(&world->arena, (size_t)cells, sizeof *at);
    OG_TRY(OG_ALLOCATED(at));
    OG_TRY(og_fill_parse(given->recording.fill, &fill, message));
    if (fill.kind == OG_FILL_GROUSE && og_assignment_several(setting)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--fill grouse requires labels of two classes, got %d; choose "
                              "accuracy or none",
                              setting->classes);
    }
    for (int32_t k = 0; k < cells; k++) {
        at[k] = world->label[k] != 0;
    }
    if (world->accuracies != NULL) {
        OG_TRY(og_accuracies_recorded(&problem, world->label, world->accuracies));
    }
    OG_TRY(og_fill_in(&fill, &problem, asked->request.seed, og_stop_of(&asked->request.settings),
                      world->label));
    world->words.recorded = world->labels.label_count;
    world->words.fill = given->recording.fill;
    world->words.fill_right = right_share(world, at);
    for (int32_t k = 0; k < cells; k++) {
        at[k] = world->label[k] != 0;
        there += at[k];
    }
    setting->there = there < cells ? at : NULL;
    setting->budget = there;
    return OG_OK;
}

/* ---- the world ---- */

static og_status read_world(task_world *world, const og_asked *asked, og_message *message)
{
    const og_replay_input *given = asked->given;
    const og_settings *settings = &asked->request.settings;
    if ((given->crowd != NULL) == (given->recording.labels_file != NULL)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "task assignment needs recorded labels, --labels FILE, or a drawn "
                              "crowd, --crowd MODEL:K; give one");
    }
    if (asked->request.result && given->crowd != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--result does not support --crowd, which draws workers without "
                              "names; omit it");
    }
    OG_TRY(given->crowd != NULL ? read_crowd(world, given, settings, message)
                                : read_labels(world, given, settings, message));
    world->words.classes = given->crowd != NULL ? &world->classes : &world->labels.classes;
    world->world.setting.classes = world->words.classes->count;
    OG_TRY(read_contexts(world, given, asked, message));
    if (asked->request.counts) {
        size_t bins = ((size_t)world->world.setting.contexts + 1) * OG_ACCURACY_BINS;
        world->accuracies = og_arena_array(&world->arena, bins, sizeof *world->accuracies);
        world->words.accuracies = world->accuracies;
        OG_TRY(OG_ALLOCATED(world->accuracies));
    }
    return given->crowd != NULL ? OG_OK : fill_holes(world, asked, message);
}

/* The default policies. */
static og_status take_usual(og_asked *asked, bool several, og_message *message)
{
    const og_replay_input *given = asked->given;
    bool contexts = given->recording.contexts_file != NULL || given->clusters > 1;
    return og_asked_take_policies(asked,
                                  several    ? "naive,bbta:0,bbta:1"
                                  : contexts ? "naive,opt-kg,opt-kg-multi,bbta:0,bbta:1"
                                             : "naive,opt-kg,bbta:0,bbta:1",
                                  message);
}

static og_status play_world(og_asked *asked, const task_world *world, og_message *message)
{
    const og_replay_input *given = asked->given;
    const og_recorded_world from = {.world = &world->world, .words = &world->words};
    og_replayed found = {.at = NULL};
    OG_TRY(og_replay_run(asked, &from, &found, message));
    og_status status = OG_OK;
    if (world->accuracies != NULL && given->crowd != NULL) {
        const og_fill_problem problem = problem_of(world);
        status = og_accuracies_drawn(&problem, &world->world.crowd, asked->request.seed,
                                     found.runs.runs, world->accuracies);
    }
    if (status == OG_OK) {
        asked->runs = found.runs.runs;
        asked->document = og_replayed_describe(asked, &from, &found);
    }
    og_replayed_clear(&found);
    return status;
}

og_status og_replay_assignment(og_asked *asked, og_message *message)
{
    task_world *world = og_arena_new(sizeof *world);
    OG_TRY(OG_ALLOCATED(world));
    og_status status = read_world(world, asked, message);
    if (status == OG_OK && asked->policy_count == 0) {
        status = take_usual(asked, og_assignment_several(&world->world.setting), message);
    }
    OG_THEN(status, play_world(asked, world, message));
    if (status == OG_OK) {
        asked->warning = world->blanks;
    }
    world_free(world);
    return status;
}
