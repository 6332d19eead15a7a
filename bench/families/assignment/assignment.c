/*
 * Assigning workers to tasks as a family: words, history and output. -T counts the labels to come
 * and those of --history.
 */
#include "bench/families/assignment/assignment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/families/assignment/problem.h"
#include "bench/history.h"
#include "dp/base/number.h"

enum { WORD_BYTES = 64, TEXT_BYTES = 2000, TASKS = 1 << 20 };

/* ---- words ---- */

/* Read COUNT, 1 if missing, and return the rest. */
static const char *skip_count(const char *word, int64_t *count)
{
    char digits[16];
    size_t length = strspn(word, "0123456789");
    *count = 1;
    if (length == 0 || length >= sizeof digits || word[length] != 'x') {
        return word;
    }
    snprintf(digits, sizeof digits, "%.*s", (int)length, word);
    return og_number_parse(digits, 1, TASKS, count) ? word + length + 1 : NULL;
}

/* The number of a context, given as a name or as a number from 1 on; -1 if there is none. */
static int32_t context_of(const assignment *problem, const char *name)
{
    const og_accuracies *from = &problem->accuracies;
    bool known = problem->options->accuracies != NULL;
    int64_t number;
    for (int32_t s = 0; from->context_name != NULL && s < from->contexts; s++) {
        if (strcmp(from->context_name[s], name) == 0) {
            return s;
        }
    }
    return og_number_parse(name, 1, known ? from->contexts : OG_ACCURACIES_CONTEXTS_MAX, &number)
               ? (int32_t)number - 1
               : -1;
}

static og_status bad_word(const assignment *problem, const char *word, og_message *message)
{
    bool known = problem->options->accuracies != NULL;
    return og_message_set(message, OG_BAD_INPUT,
                          "task '%.60s': --problem assignment expects [COUNTx]S, COUNT tasks of "
                          "context S from 1 to %" PRId32 "%s, such as 3x1",
                          word, known ? problem->accuracies.contexts : OG_ACCURACIES_CONTEXTS_MAX,
                          problem->accuracies.context_name != NULL ? " or by its name" : "");
}

/* Read the tasks into context[tasks]; a NULL context means to count them only. */
static og_status read_tasks(const assignment *problem, const og_problem_text *given,
                            int32_t *context, int32_t *tasks, og_message *message)
{
    int64_t used = 0, count;
    for (int32_t w = 0; w < given->word_count; w++) {
        const char *name = skip_count(given->words[w], &count);
        int32_t s = name != NULL ? context_of(problem, name) : -1;
        if (s < 0) {
            return bad_word(problem, given->words[w], message);
        }
        if (used + count > TASKS) {
            return og_message_set(message, OG_STOPPED,
                                  "--problem assignment supports at most %d tasks; give fewer",
                                  TASKS);
        }
        for (int64_t k = 0; context != NULL && k < count; k++) {
            context[used + k] = s;
        }
        used += count;
    }
    *tasks = (int32_t)used;
    return OG_OK;
}

/* ---- accuracies ---- */

static og_status check_worker(const og_group *group, og_message *message)
{
    char text[OG_GROUP_TEXT_BYTES];
    if (group->kind == OG_PRIOR_BETA && group->threshold.num * 2 == group->threshold.den) {
        return OG_OK;
    }
    og_group_format(group, text, sizeof text);
    return og_message_set(message, OG_BAD_INPUT,
                          "--workers-prior must be a Beta, [COUNTx]A,B such as 4,1, not '%.64s'",
                          text);
}

/* Use the same priors in each of `contexts` contexts. */
static og_status take_priors(assignment *problem, const og_groups *priors, int32_t contexts,
                             og_message *message)
{
    og_accuracies *out = &problem->accuracies;
    int64_t workers = og_groups_size(priors);
    if (workers > OG_ACCURACIES_WORKERS_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "--problem assignment supports at most %d workers; give fewer",
                              OG_ACCURACIES_WORKERS_MAX);
    }
    out->contexts = contexts;
    out->workers = (int32_t)workers;
    out->accuracy =
        og_arena_array(&out->arena, (size_t)contexts * (size_t)workers, sizeof *out->accuracy);
    OG_TRY(og_arena_status(&out->arena));
    for (int32_t g = 0, used = 0; g < priors->group_count; g++) {
        OG_TRY(check_worker(og_groups_at(priors, g), message));
        for (int64_t k = 0; k < og_groups_at(priors, g)->count; k++, used++) {
            for (int32_t s = 0; s < contexts; s++) {
                og_fraction *pair = out->accuracy[s * out->workers + used];
                pair[0] = og_groups_at(priors, g)->a;
                pair[1] = og_groups_at(priors, g)->b;
            }
        }
    }
    return OG_OK;
}

/* The same for the workers of --regret-on, which need no prior for regret: Beta(4, 1), as opt-kg
 * assumes. */
static og_status take_matrix_priors(assignment *problem, int32_t contexts, og_message *message)
{
    og_group group = {.kind = OG_PRIOR_BETA, .a = {4, 1}, .b = {1, 1}, .threshold = {1, 2}};
    og_groups priors;
    OG_TRY(assignment_matrix_workers(problem, &group.count, message));
    og_groups_init(&priors, 0);
    og_status status = og_groups_add(&priors, &group, message);
    OG_THEN(status, take_priors(problem, &priors, contexts, message));
    og_groups_clear(&priors);
    return status;
}

static og_status read_problem(assignment *problem, const og_problem_text *given,
                              og_message *message)
{
    bool known = problem->options->accuracies != NULL;
    int32_t tasks = 0;
    const og_assignment_options *own = problem->options;
    if (own->gold_file != NULL || own->crowd != NULL || own->contexts_file != NULL ||
        own->data_file != NULL || own->clusters > 0) {
        return og_message_set(message, OG_BAD_INPUT, "%s",
                              own->gold_file == NULL
                                  ? "--crowd, --contexts, --kmeans and --data require --gold FILE, "
                                    "in 'optgap simulate' or 'optgap replay'"
                                  : "--gold supports only 'optgap simulate' and 'optgap replay', "
                                    "without instances");
    }
    bool files = own->matrix_file != NULL || (known && !og_accuracies_given(own->accuracies));
    if (own->tables.columns != NULL && !files) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--columns requires a table, such as --accuracies FILE; give both or neither");
    }
    bool priors = problem->options->workers.group_count > 0;
    if (known == priors && (known || own->matrix_file == NULL)) {
        return og_message_set(
            message, OG_BAD_INPUT,
            known ? "--accuracies and --workers-prior cannot be combined; give one"
                  : "--problem assignment requires workers; give --accuracies or --workers-prior");
    }
    if (known) {
        OG_TRY(og_accuracies_read(own->accuracies, &own->tables, &problem->accuracies, message));
    }
    OG_TRY(read_tasks(problem, given, NULL, &tasks, message));
    if (given->instances != NULL || tasks == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--problem assignment requires words [COUNTx]S, such as 3x1");
    }
    int32_t *context = og_arena_array(&problem->arena, (size_t)tasks, sizeof *context),
            contexts = 0;
    OG_TRY(og_arena_status(&problem->arena));
    OG_TRY(read_tasks(problem, given, context, &tasks, message));
    for (int32_t i = 0; i < tasks; i++) {
        contexts = context[i] >= contexts ? context[i] + 1 : contexts;
    }
    if (!known) {
        OG_TRY(priors ? take_priors(problem, &own->workers, contexts, message)
                      : take_matrix_priors(problem, contexts, message));
    }
    return og_assignment_new(
        &(og_assignment_given){tasks, context, problem->accuracies.contexts,
                               problem->accuracies.workers, known,
                               (const og_fraction(*)[2])problem->accuracies.accuracy},
        &problem->assignment, message);
}

/* ---- history ---- */

static og_status add_label(assignment *problem, og_history_word word, og_message *message)
{
    og_history_label read;
    OG_TRY(og_history_label_read(word, problem->assignment->tasks, problem->assignment->workers,
                                 &read, message));
    if (read.of_class) {
        return og_history_refuse(word, message,
                                 "must be a label of two classes, such as 1@1+ or 1@1-");
    }
    int32_t cell = read.instance * problem->assignment->workers + read.worker;
    if (problem->label[cell] != 0) {
        return og_history_refuse(word, message, "is a second label by this worker for this task");
    }
    problem->label[cell] = read.label == 0 ? 1 : -1;
    problem->made[problem->had++] = (assignment_label){cell, problem->label[cell]};
    return OG_OK;
}

static og_status read_history(assignment *problem, const og_problem_text *given,
                              og_message *message)
{
    const char *rest = given->history;
    og_history_word word;
    problem->history = given->history;
    problem->label = og_arena_array(
        &problem->arena, (size_t)og_assignment_cells(problem->assignment), sizeof *problem->label);
    problem->made =
        og_arena_array(&problem->arena, (size_t)og_history_count(rest), sizeof *problem->made);
    OG_TRY(og_arena_status(&problem->arena));
    while (og_history_next(&rest, &word)) {
        OG_TRY(add_label(problem, word, message));
    }
    int64_t open = og_assignment_cells(problem->assignment) - problem->had;
    problem->spent = og_problem_text_left(given);
    problem->left = open < problem->spent ? (int32_t)open : problem->spent;
    return OG_OK;
}

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    assignment *own = problem;
    if (own != NULL) {
        assignment_asked_free(own->asked != NULL ? *own->asked : NULL);
        if (own->lock != NULL) {
            og_lock_clear(own->lock);
        }
        og_assignment_start_free(own->start);
        og_assignment_free(own->assignment);
        og_arena_clear(&own->accuracies.arena);
    }
    og_arena_free(own);
}

static og_status make_problem(assignment *problem, const og_problem_text *given,
                              og_message *message)
{
    if (given->budget < 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "-T N is missing: the number of labels, such as -T 12");
    }
    og_lock *lock = og_arena_array(&problem->arena, 1, sizeof *lock);
    problem->asked = og_arena_array(&problem->arena, 1, sizeof(struct assignment_asked *));
    OG_TRY(og_arena_status(&problem->arena));
    og_lock_init(lock);
    problem->lock = lock;
    OG_TRY(read_problem(problem, given, message));
    OG_TRY(read_history(problem, given, message));
    assignment_make_world(problem);
    OG_TRY(assignment_read_matrix(problem, given->warning, message));
    og_status status = og_assignment_start_new(problem->assignment, problem->label, problem->left,
                                               &problem->start, &problem->why);
    return status == OG_OK || status == OG_STOPPED
               ? OG_OK
               : og_message_set(message, status, "%s", problem->why.text);
}

static og_status open_problem(const og_problem_text *given, const og_settings *settings,
                              void **problem, og_message *message)
{
    assignment *own = og_arena_new(sizeof *own);
    (void)settings;
    OG_TRY(OG_ALLOCATED(own));
    own->options = given->options;
    own->whole_budget = given->budget;
    og_status status = make_problem(own, given, message);
    return OG_MADE(status, own, close_problem, problem);
}

/* ---- acts: the first of equal cells represents all ---- */

static bool is_first_task(const assignment *problem, int32_t i)
{
    const size_t row = (size_t)problem->assignment->workers;
    for (int32_t k = i; k-- > 0;) {
        if (problem->assignment->context[k] == problem->assignment->context[i] &&
            memcmp(&problem->label[(size_t)k * row], &problem->label[(size_t)i * row], row) == 0) {
            return false;
        }
    }
    return true;
}

static bool is_first_worker(const assignment *problem, int32_t j)
{
    for (int32_t k = 0; k < j; k++) {
        bool same = og_assignment_workers_alike(problem->assignment, k, j);
        for (int32_t i = 0; same && i < problem->assignment->tasks; i++) {
            const int8_t *row = &problem->label[(int64_t)i * problem->assignment->workers];
            same = row[k] == row[j];
        }
        if (same) {
            return false;
        }
    }
    return true;
}

/* A NULL open means to count only. */
static int32_t acts(const void *problem, og_act_open *open, int32_t room)
{
    const assignment *own = problem;
    int32_t used = 0;
    for (int32_t i = 0; own->left > 0 && i < own->assignment->tasks; i++) {
        for (int32_t j = 0; is_first_task(own, i) && j < own->assignment->workers && used < room;
             j++) {
            if (own->label[i * own->assignment->workers + j] != 0 || !is_first_worker(own, j)) {
                continue;
            }
            if (open != NULL) {
                open[used] = (og_act_open){{{(uint32_t)i, (uint32_t)j, 0}}, 1};
            }
            used++;
        }
    }
    return used;
}

static void act_text(const void *problem, og_act act, char *text, size_t size)
{
    (void)problem;
    snprintf(text, size, "task %" PRIu32 " by worker %" PRIu32, act.part[0] + 1, act.part[1] + 1);
}

static const og_share_words share_words = {
    .in_short = "right",
    .without = "Without labels",
    .of_what = "of the tasks right",
    .meaning =
        "Share right: tasks that the policy's own calls are right about, a coin counting one "
        "half",
    .same = "the same truths, accuracies and labels"};

static void sizes(const void *problem, og_problem_size *out)
{
    const assignment *own = problem;
    *out = (og_problem_size){.budget = own->whole_budget,
                             .left = own->left,
                             .decisions = 1,
                             .acts = acts(own, NULL, INT32_MAX),
                             .unvalued = own->start == NULL,
                             .rational = true,
                             .metric = {.unit = "share of tasks called correctly",
                                        .share = true,
                                        .words = &share_words}};
}

/* ---- output ---- */

static void context_text(const assignment *problem, int32_t s, char *text, size_t size)
{
    if (problem->accuracies.context_name != NULL) {
        snprintf(text, size, "%.40s", problem->accuracies.context_name[s]);
    } else {
        snprintf(text, size, "%" PRId32, s + 1);
    }
}

/* Consecutive tasks of one context form a word. */
static void put_tasks(const assignment *problem, og_document *object, og_text *words)
{
    og_document *rows = og_put_array(object, "instances");
    const int32_t *context = problem->assignment->context;
    for (int32_t i = 0, count; i < problem->assignment->tasks; i += count) {
        char name[WORD_BYTES], word[WORD_BYTES + 16];
        for (count = 1;
             i + count < problem->assignment->tasks && context[i + count] == context[i];) {
            count++;
        }
        context_text(problem, context[i], name, sizeof name);
        snprintf(word, sizeof word, count > 1 ? "%" PRId32 "x%s" : "%.0" PRId32 "%s",
                 count > 1 ? count : 0, name);
        og_text_add(words, "%s%s", i > 0 ? " " : "", word);
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "text", word);
        og_put_text(row, "context", name);
        og_put_whole(row, "count", (uint64_t)count);
    }
}

/* The workers, each with the accuracy q or the prior c, d in each context. */
static void put_workers(const assignment *problem, og_document *object)
{
    const og_assignment *known = problem->assignment;
    og_document *rows = og_put_array(object, "workers");
    for (int32_t j = 0; j < known->workers; j++) {
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "name",
                    problem->accuracies.worker_name != NULL ? problem->accuracies.worker_name[j]
                                                            : NULL);
        og_document *array = og_put_array(row, known->known ? "accuracy" : "prior");
        for (int32_t s = 0; s < known->contexts; s++) {
            const double *pair = known->chance[(int64_t)s * known->workers + j];
            if (known->known) {
                og_put_number(array, NULL, pair[0]);
            } else {
                og_put_numbers(array, NULL, pair, 2);
            }
        }
    }
}

static void describe_workers(const assignment *problem, og_document *document)
{
    char number[WORD_BYTES], text[TEXT_BYTES];
    og_text words = og_text_begin(text, sizeof text);
    const og_assignment *known = problem->assignment;
    if (!known->known && problem->options->workers.group_count == 0) {
        og_show_field(document, "Workers", "%" PRId32 " of the table; values assume Beta(4,1)",
                      known->workers);
        return;
    }
    if (!known->known) {
        og_show_workers(document, &problem->options->workers);
        return;
    }
    for (int64_t k = 0; k < (int64_t)known->contexts * known->workers; k++) {
        og_fraction_format(known->accuracy[k][0], number, sizeof number);
        og_text_add(&words, "%s%s", k == 0 ? "" : k % known->workers == 0 ? "; " : " ", number);
    }
    og_show_field(document, "Accuracies", "%s (%" PRId32 " worker%s)", text, known->workers,
                  known->workers == 1 ? "" : "s");
}

static void describe(const void *problem, og_document *document)
{
    const assignment *own = problem;
    char text[TEXT_BYTES];
    og_text words = og_text_begin(text, sizeof text);
    og_document *object = og_put_object(document, "problem");
    put_tasks(own, object, &words);
    put_workers(own, object);
    og_put_whole(object, "budget", (uint64_t)own->whole_budget);
    og_put_text(object, "objective", "assignment");
    og_show_field(document, "Problem", "%s (%" PRId32 " task%s)", text, own->assignment->tasks,
                  own->assignment->tasks == 1 ? "" : "s");
    describe_workers(own, document);
    og_history_describe(own->history, document, object);
    og_show_field(document, "Labels", "%" PRId32, own->left);
}

/* The table as a history: "1@2+ 3@1-". */
static void state_text(const void *problem, const void *state, char *text, size_t size)
{
    const assignment *own = problem;
    const og_assignment_state *now = state;
    const int32_t workers = own->assignment->workers;
    og_text out = og_text_begin(text, size);
    for (int64_t k = 0; k < og_assignment_cells(own->assignment); k++) {
        if (now->label[k] != 0) {
            og_text_add(&out, "%s%" PRId64 "@%" PRId64 "%c", out.length > 0 ? " " : "",
                        k / workers + 1, k % workers + 1, now->label[k] == 1 ? '+' : '-');
        }
    }
    og_text_add(&out, "%s", out.length > 0 ? "" : "no label");
}

const og_family og_family_assignment = {
    .name = "assignment",
    .objectives = "assignment",
    .options = &og_assignment_option_set,
    .words_or_options = true,
    .model = {.own_policies = true,
              .bounds = assignment_bounds,
              .open = open_problem,
              .close = close_problem,
              .sizes = sizes,
              .policies = assignment_policies,
              .acts = acts,
              .prior = assignment_prior,
              .situations = assignment_situations,
              .strategy = assignment_strategy,
              .model = assignment_model,
              .solve = assignment_solve,
              .bound = assignment_bound,
              .steps = assignment_steps},
    .words = {.problems = "the assignment of workers to tasks",
              .verb = "ask for",
              .history = "1@2+ 1@3-",
              .note = "Probabilities and beliefs of policies are doubles without a proved error.",
              .describe = describe,
              .act_text = act_text,
              .act_parts = {0, 1},
              .theory = assignment_theory,
              .put_policy = assignment_put_policy,
              .show_policies = assignment_show_policies,
              .state_text = state_text},
    .runs = {.source = assignment_source,
             .curves = "labels",
             .put_counts = assignment_put_counts,
             .show_counts = assignment_show_counts},
};
