/*
 * Processes of the user's own as a family: words and the acts of the root. The process is found and
 * solved when it is opened; questions look at its table.
 */
#include "bench/families/process/process.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/process/problem.h"
#include "dp/base/clock.h"
#include "dp/base/rational.h"
#include "heuristics/process_policy.h"

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    process *own = problem;
    if (own != NULL) {
        if (own->options->kept == NULL) {
            og_process_free(own->table);
        }
        process_program_close(own->program);
    }
    free(own);
}

static og_status find(process *problem, const og_settings *settings, og_message *message)
{
    const og_process_options *options = problem->options;
    og_process_source source = {.process = options->given};
    double begun = og_seconds();
    bool keeps = options->kept != NULL;
    if (keeps && *options->kept != NULL && (*options->kept)->bytes <= settings->memory_bytes) {
        problem->table = *options->kept;
        return OG_OK;
    }
    if (options->program != NULL) {
        OG_TRY(process_program_open(options->program, og_stop_of(settings), &problem->program,
                                    &source, message));
    } else if (options->given.version == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--process PROGRAM is missing: plugin:FILE.so or command:CMD");
    }
    OG_TRY(og_process_find(&source, settings->memory_bytes, og_stop_of(settings), &problem->table,
                           message));
    if (keeps) {
        og_process_free(*options->kept);
        *options->kept = problem->table;
    }
    problem->found_seconds = og_seconds() - begun;
    return OG_OK;
}

static og_status open_problem(const og_problem_text *given, const og_settings *settings,
                              void **problem, og_message *message)
{
    if (given->budget >= 0 || given->left >= 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "-T and --left do not support --process; omit "
                              "them");
    }
    if (given->word_count > 0 || (given->instances != NULL && given->instances->group_count > 0)) {
        return og_message_set(message, OG_BAD_INPUT, "--process has no INSTANCE; omit '%.60s'",
                              given->words != NULL && given->word_count > 0 ? given->words[0]
                                                                            : "them");
    }
    process *own = calloc(1, sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    own->options = given->options;
    return OG_MADE(find(own, settings, message), own, close_problem, problem);
}

static int32_t longest(const process *problem)
{
    return (int32_t)problem->table->height[0];
}

static void sizes(const void *problem, og_problem_size *out)
{
    const process *own = problem;
    *out = (og_problem_size){.budget = longest(own),
                             .left = longest(own),
                             .most = own->table->absolute + og_process_error(own->table, 0, false),
                             .acts = (int32_t)og_process_acts(own->table, 0),
                             .rational = own->table->rational,
                             .metric = {.unit = "reward", .amount = true, .sum = true}};
}

static const char *policies(const void *problem)
{
    (void)problem;
    return "uniform,first";
}

static void describe(const void *problem, og_document *document)
{
    const process *own = problem;
    const og_process_table *table = own->table;
    char root[OG_PROCESS_SHOWN];
    og_document *object = og_put_object(document, "problem");
    og_process_state_text(table, 0, root, sizeof root);
    og_put_array(object, "instances");
    og_put_whole(object, "budget", table->height[0]);
    og_put_text(object, "process", own->options->program);
    og_put_text(object, "root", root);
    og_put_whole(object, "states", table->state_count);
    og_put_whole(object, "ends", table->end_count);
    og_put_whole(object, "acts", table->act_count);
    og_put_whole(object, "outcomes", table->outcome_count);
    og_put_whole(object, "longest", table->height[0]);
    if (own->options->program != NULL) {
        og_show_field(document, "Process", "%s", own->options->program);
    }
    og_show_field(document, "Root", "%s", root);
    og_show_field(document, "States", "%" PRIu32 ", %" PRIu32 " of them ends", table->state_count,
                  table->end_count);
    og_show_field(document, "Outcomes", "%" PRIu32 " of %" PRIu32 " acts", table->outcome_count,
                  table->act_count);
    og_show_field(document, "Longest path", "%" PRIu32 " acts", table->height[0]);
}

/* ---- acts ---- */

static int32_t acts(const void *problem, og_act_open *open, int32_t room)
{
    const og_process_table *table = ((const process *)problem)->table;
    int32_t count = (int32_t)og_process_acts(table, 0);
    if (count > room) {
        for (int32_t i = 0; i < room; i++) {
            open[i] = (og_act_open){og_process_act_of(table, 0, (uint32_t)i), 1};
        }
        return room;
    }
    return og_process_open(table, 0, open);
}

static void act_text(const void *problem, og_act act, char *text, size_t size)
{
    const process *own = problem;
    og_text out = og_text_begin(text, size);
    og_text_add(&out, "%s", own->table->name[act.part[1]].text);
}

static og_document *put_act(const void *problem, og_act act, og_document *array)
{
    const process *own = problem;
    og_document *object = og_put_object(array, NULL);
    og_put_text(object, "text", own->table->name[act.part[1]].text);
    return object;
}

/* The same act alone. */
static bool alike(const void *problem, og_act x, og_act y)
{
    (void)problem;
    return og_act_equal(x, y);
}

/* ---- values ---- */

/* There is no value without acts: gains are values. */
static og_status prior(const void *problem, double *value, double *error, mpq_ptr exact,
                       og_message *message)
{
    const og_process_table *table = ((const process *)problem)->table;
    *value = *error = 0;
    if (exact == NULL) {
        return OG_OK;
    }
    mpq_set_ui(exact, 0, 1);
    if (!table->rational) {
        char state[OG_PROCESS_SHOWN];
        og_process_state_text(table, table->real_state, state, sizeof state);
        return og_message_set(message, OG_BAD_INPUT,
                              "process: state '%s' has a double; --arithmetic exact needs whole "
                              "numbers and fractions, as texts such as \"1/3\"",
                              state);
    }
    return OG_OK;
}

static og_status strategy(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message)
{
    const process *own = problem;
    return og_process_strategy(name, own->table, use, out, message);
}

/* ---- state by state ---- */

static void state_text(const void *problem, const void *state, char *text, size_t size)
{
    const process *own = problem;
    const og_process_view *seen = state;
    og_process_state_text(own->table, seen->state, text, size);
}

static void answer_text(const void *problem, og_act act, int32_t answer, char *text, size_t size)
{
    const process *own = problem;
    (void)act;
    og_process_state_text(own->table, (uint32_t)answer, text, size);
}

/* ---- options ---- */

static void clear(void *options)
{
    const og_process_options *own = options;
    if (own->kept != NULL) {
        og_process_free(*own->kept);
        *own->kept = NULL;
    }
}

/* Replaces a process that was given before. */
static og_status read_program(void *options, const og_option_row *row, const char *text,
                              og_message *message)
{
    const char *colon = strchr(text, ':');
    bool known = strncmp(text, "plugin:", 7) == 0 || strncmp(text, "command:", 8) == 0;
    if (!known || colon[1] == '\0') {
        return og_option_refuse(row, text, message,
                                "plugin:FILE.so or \"command:CMD\", such as "
                                "\"command:python3 trial.py\"");
    }
    clear(options);
    *(og_process_options *)options = (og_process_options){.program = text};
    return OG_OK;
}

static const og_option_row rows[] = {
    OG_OPTION(CUSTOM, "process", "PROGRAM", og_process_options, program, .topic = OG_TOPIC_PROBLEM,
              .read = read_program, .brief = "a process of your own: plugin:FILE.so or command:CMD",
              .help = "a decision process of your own, instead of -T and INSTANCE words: "
                      "plugin:FILE.so is a shared object, command:CMD a program that gets lines of "
                      "JSON and answers each with the acts of states"),
    OG_OPTION_LAST,
};

static const og_option_set option_set = {rows, sizeof(og_process_options), clear};

const og_family og_family_process = {
    .name = "process",
    .options = &option_set,
    .own_words = true,
    .own_budget = true,
    .model = {.own_policies = true,
              .open = open_problem,
              .close = close_problem,
              .sizes = sizes,
              .policies = policies,
              .acts = acts,
              .alike = alike,
              .prior = prior,
              .strategy = strategy,
              .solve = process_solve,
              .export_policy = process_export,
              .verify = process_verify,
              .steps = process_steps},
    .words = {.problems = "processes",
              .budget_name = "Acts",
              .act_name = "act",
              .verb = "take",
              .describe = describe,
              .act_text = act_text,
              .put_act = put_act,
              .act_parts = {-1, -1},
              .state_text = state_text,
              .answer_text = answer_text},
    .runs = {.source = process_source},
};
