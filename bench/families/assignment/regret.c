/* Adds to the values of bbta its regret on a table of fixed labels, --regret-on; and the bounds of
 * its theorem. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/families/assignment/problem.h"
#include "bench/recorded/columns.h"
#include "dp/base/number.h"
#include "dp/base/rows.h"
#include "heuristics/families/assignment_histories.h"

static bool add_row(const assignment *problem, const og_columns *columns, int8_t *matrix)
{
    int64_t task, worker;
    og_rows *rows = columns->rows;
    const char *label = og_columns_field(columns, OG_COLUMN_LABEL);
    bool plus = strcmp(label, "1") == 0 || strcmp(label, "+1") == 0;
    if (!og_number_parse(og_columns_field(columns, OG_COLUMN_TASK), 1, problem->assignment->tasks,
                         &task) ||
        !og_number_parse(og_columns_field(columns, OG_COLUMN_WORKER), 1,
                         problem->assignment->workers, &worker)) {
        return og_rows_fail(
            rows, "tasks must be numbers from 1 to %" PRId32 " and workers from 1 to %" PRId32,
            problem->assignment->tasks, problem->assignment->workers);
    }
    if (!plus && strcmp(label, "0") != 0 && strcmp(label, "-1") != 0) {
        return og_rows_fail(rows, "the label must be 0, 1, +1 or -1, not '%.40s'", label);
    }
    int8_t *cell = &matrix[(task - 1) * problem->assignment->workers + worker - 1];
    if (*cell != 0) {
        return og_rows_fail(rows, "a second label by this worker for this task");
    }
    *cell = plus ? 1 : -1;
    return true;
}

og_status assignment_matrix_workers(const assignment *problem, int64_t *workers,
                                    og_message *message)
{
    static const og_column column[] = {OG_COLUMN_WORKER};
    const og_columns_wanted wanted = {column, 1, true, NULL, 0};
    const og_tables *how = &problem->options->tables;
    const og_rows_limits limits = og_table_limits(&(og_settings){.tables = how});
    const char *path = problem->options->matrix_file;
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--regret-on %.200s is not a regular file, which it must be without "
                              "--workers-prior",
                              path);
    }
    og_columns columns;
    og_rows rows;
    *workers = 1;
    og_rows_open(&rows, path, OG_ROWS_BY_HEADER, '\0', &limits, message);
    bool fine = og_columns_find(&columns, &rows, how, &wanted);
    while (fine && og_columns_next(&columns)) {
        int64_t worker;
        fine =
            og_number_parse(og_columns_field(&columns, OG_COLUMN_WORKER), 1,
                            OG_ACCURACIES_WORKERS_MAX, &worker) ||
            og_rows_fail(&rows, "workers must be numbers from 1 to %d", OG_ACCURACIES_WORKERS_MAX);
        *workers = fine && worker > *workers ? worker : *workers;
    }
    return og_rows_close(&rows);
}

static og_status read_matrix(const assignment *problem, const char *path, int8_t *matrix,
                             og_message *note, og_message *message)
{
    static const og_column column[] = {OG_COLUMN_TASK, OG_COLUMN_WORKER, OG_COLUMN_LABEL};
    const og_columns_wanted wanted = {column, 3, true, NULL, 0};
    og_columns columns;
    og_rows rows;
    const og_tables *how = &problem->options->tables;
    const og_rows_limits limits = og_table_limits(&(og_settings){.tables = how});
    og_rows_open(&rows, path, OG_ROWS_BY_HEADER, '\0', &limits, message);
    bool fine = og_columns_find(&columns, &rows, how, &wanted);
    while (fine && og_columns_next(&columns)) {
        fine = add_row(problem, &columns, matrix);
    }
    OG_TRY(og_rows_close(&rows));
    if (note != NULL) {
        og_rows_note(note, path, rows.trimmed);
    }
    for (int32_t k = 0; k < og_assignment_cells(problem->assignment); k++) {
        if (matrix[k] == 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "%.200s: worker %" PRId32 " has no label for task %" PRId32
                                  "; regret requires all of them",
                                  path, k % problem->assignment->workers + 1,
                                  k / problem->assignment->workers + 1);
        }
    }
    return OG_OK;
}

og_status assignment_read_matrix(assignment *problem, og_message *note, og_message *message)
{
    const char *path = problem->options->matrix_file;
    if ((path != NULL) != problem->options->regret) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--regret and --matrix FILE go together; give --regret-on FILE instead");
    }
    if (path == NULL) {
        return OG_OK;
    }
    problem->matrix = og_arena_array(
        &problem->arena, (size_t)og_assignment_cells(problem->assignment), sizeof(int8_t));
    OG_TRY(OG_ALLOCATED(problem->matrix));
    return read_matrix(problem, path, problem->matrix, note, message);
}

/* Returns N' of the name "bbta:N'...". */
static double explored(const char *name)
{
    char number[16];
    int64_t each = 0;
    const char *colon = strchr(name, ':');
    size_t length = colon != NULL ? strcspn(colon + 1, ",") : 0;
    if (length > 0 && length < sizeof number) {
        memcpy(number, colon + 1, length);
        number[length] = '\0';
        og_number_parse(number, 0, INT32_MAX, &each);
    }
    return (double)each;
}

void assignment_put_regret(const assignment *problem, const og_policy_name *name, og_stop *stop,
                           og_document *object)
{
    const og_assignment_setting *setting = &problem->world.setting;
    og_assignment_player player;
    og_assignment_regret regret = {.drawn = NAN, .best = NAN};
    if (problem->matrix == NULL || strcspn(name->name, ":") != 4 ||
        strncmp(name->name, "bbta", 4) != 0) {
        return;
    }
    if (og_assignment_player_new(name->name, setting, &player, NULL) == OG_OK) {
        const og_assignment_histories question = {.player = &player,
                                                  .problem = problem->assignment,
                                                  .budget = setting->budget,
                                                  .leaves_max = problem->options->leaves,
                                                  .stop = stop,
                                                  .threads = 1};
        og_assignment_regret_of(&question, problem->matrix, &regret,
                                NULL); /* else it stays unknown */
        og_assignment_player_free(&player);
    }
    og_put_number(object, "regret", regret.drawn - regret.best);
    og_put_number(
        object, "regret_bound",
        og_bbta_bound(setting->budget, setting->contexts, setting->workers, explored(name->name)));
}

/* The smallest number of tasks of a context that has some. */
static int32_t least_tasks(const og_assignment_setting *setting)
{
    int32_t least = setting->tasks;
    for (int32_t s = 0; s < setting->contexts; s++) {
        int32_t count = 0;
        for (int32_t i = 0; i < setting->tasks; i++) {
            count += setting->context[i] == s;
        }
        least = count > 0 && count < least ? count : least;
    }
    return least;
}

void assignment_theory(const void *problem, og_document *document)
{
    static const int32_t shown[] = {0, 1, 5, 10};
    const assignment *own = problem;
    const og_assignment_setting *setting = &own->world.setting;
    double budget = own->whole_budget, contexts = setting->contexts, workers = setting->workers;
    double most = fmin(floor(budget / (contexts * workers)), least_tasks(setting)), best = 0;
    og_document *object = og_put_object(og_document_find(document, "problem"), "theory");
    og_document *bounds = og_put_array(object, "regret_bounds");
    char words[256];
    og_text text = og_text_begin(words, sizeof words);
    for (double each = 1; each <= most; each++) {
        bool less = og_bbta_bound(budget, contexts, workers, each) <
                    og_bbta_bound(budget, contexts, workers, best);
        best = less ? each : best;
    }
    for (size_t k = 0; k < sizeof shown / sizeof *shown && shown[k] <= most; k++) {
        double bound = og_bbta_bound(budget, contexts, workers, shown[k]);
        og_document *row = og_put_object(bounds, NULL);
        og_put_whole(row, "explored", (uint64_t)shown[k]);
        og_put_number(row, "bound", bound);
        og_text_add(&text, "bbta:%" PRId32 " %.6g, ", shown[k], bound);
    }
    double least = og_bbta_bound(budget, contexts, workers, best);
    og_document *row = og_put_object(object, "least");
    og_put_whole(row, "explored", (uint64_t)best);
    og_put_number(row, "bound", least);
    og_show_field(document, "Regret bounds", "%sleast bbta:%.0f %.6g", words, best, least);
}

void assignment_show_regret(og_document *document, const og_document *policies)
{
    bool any = false;
    for (int32_t i = 0; i < og_document_count(policies); i++) {
        any = any || og_document_find(og_document_child(policies, i), "regret") != NULL;
    }
    if (any) {
        og_document *table = og_show_table(document, policies);
        og_show_column(table, "policy", 'l', "name", OG_SHOW_PLAIN);
        og_show_column(table, "regret on the\nfixed labels", 'd', "regret", OG_SHOW_VALUE);
        og_show_column(table, "bound of\nthe theorem", 'd', "regret_bound", OG_SHOW_VALUE);
    }
}
