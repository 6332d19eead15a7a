/*
 * The public question: a name, and options that are read with the program's rows when they are set.
 * Asking it opens the problem, answers and closes it again. The caller's functions are called one
 * at a time, with the lock of the stop held.
 */
#include "bench/public/question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/families/table.h"
#include "dp/base/suggest.h"

enum { JOINED_BYTES = 2 }; /* a line end and the last 0 */

/* What a question can be about. */
typedef enum { OG_ABOUT_NONE, OG_ABOUT_PROBLEM, OG_ABOUT_PERHAPS } subject;

struct og_question_entry {
    const char *name;
    const og_question_kind *kind;
    const og_option_row *rows;
    const og_option_row *words; /* NULL: none; options that are words of the command */
    subject about;
};

static const og_option_row file_word[] = {
    OG_OPTION(PATH, "file", "FILE", og_wishes, file,
              .required = "--file FILE is missing: an exported policy"),
    OG_OPTION_LAST,
};
static const og_option_row labels_word[] = {
    OG_OPTION(PATH, "labels", "FILE", og_wishes, labels.file, .repeats = true,
              .required = "--labels FILE is missing: the recorded labels"),
    OG_OPTION_LAST,
};
static const og_option_row policy_word[] = {
    OG_OPTION(POLICY, "policy", "NAME", og_wishes, policies, .repeats = true,
              .count = offsetof(og_wishes, policy_count),
              .required = "--policy NAME is missing, such as gittins-fh"),
    OG_OPTION_LAST,
};
static const og_option_row result_word[] = {
    OG_OPTION(SWITCH, "result", NULL, og_wishes, ask.result, .brief = NULL),
    OG_OPTION_LAST,
};

static const og_question_entry entries[] = {
    {"solve", &og_question_solve, og_solve_options, NULL, OG_ABOUT_PROBLEM},
    {"compare", &og_question_compare, og_compare_options, NULL, OG_ABOUT_PROBLEM},
    {"query", &og_question_query, og_query_options, NULL, OG_ABOUT_PROBLEM},
    {"bound", &og_question_bound, og_bound_options, NULL, OG_ABOUT_PROBLEM},
    {"simulate", &og_question_simulate, og_simulate_options, NULL, OG_ABOUT_PROBLEM},
    {"index", &og_question_index, og_index_options, NULL, OG_ABOUT_PROBLEM},
    {"tree", &og_question_tree, og_tree_options, NULL, OG_ABOUT_PROBLEM},
    {"verify", &og_question_verify, og_verify_options, file_word, OG_ABOUT_PERHAPS},
    {"find", &og_question_find, og_find_options, policy_word, OG_ABOUT_NONE},
    {"replay", &og_question_replay, og_replay_options, result_word, OG_ABOUT_NONE},
    {"next", &og_question_next, og_next_options, NULL, OG_ABOUT_NONE},
    {"fit", &og_question_fit, og_fit_options, labels_word, OG_ABOUT_NONE},
    {"labels", &og_question_labels, og_labels_options, labels_word, OG_ABOUT_NONE},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static og_status no_memory(og_message *message)
{
    return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
}

/* ---- the handle ---- */

static bool is_of_problem(const og_question *question, const og_option_row *row)
{
    return question->entry->about == OG_ABOUT_PROBLEM &&
           (row->into == offsetof(og_wishes, budget) || row->into == offsetof(og_wishes, left) ||
            row->into == offsetof(og_wishes, objective));
}

/* The default policies are those of the family. */
static bool is_policies(const og_option_row *row)
{
    return row->into == offsetof(og_wishes, policies);
}

static og_status find_entry(const char *name, const og_question_entry **out, og_message *message)
{
    const char *names[ENTRIES];
    char hint[OG_SUGGESTION_BYTES];
    for (size_t i = 0; i < ENTRIES; i++) {
        names[i] = entries[i].name;
        if (strcmp(name, names[i]) == 0) {
            *out = &entries[i];
            return OG_OK;
        }
    }
    return og_message_set(message, OG_BAD_INPUT, "unknown question '%.60s'%s", name,
                          og_suggestion(name, names, ENTRIES, hint));
}

static og_status fill_defaults(og_question *question)
{
    for (int32_t i = 0; i < question->row_count; i++) {
        const og_option_row *row = question->row[i];
        if (row->fallback != NULL && !is_of_problem(question, row) && !is_policies(row)) {
            OG_TRY(og_option_read(row, &question->wishes, row->fallback, NULL));
        }
    }
    return OG_OK;
}

og_status og_question_new(const char *name, og_question **out, og_message *message)
{
    const og_question_entry *entry = NULL;
    OG_TRY(find_entry(name, &entry, message));
    og_question *made = og_arena_new(sizeof *made);
    if (made == NULL) {
        return no_memory(message);
    }
    made->entry = entry;
    og_wishes_init(&made->wishes);
    og_option_list(entry->rows, made->row, OG_QUESTION_OPTIONS, &made->row_count);
    if (entry->words != NULL) {
        og_option_list(entry->words, made->row, OG_QUESTION_OPTIONS, &made->row_count);
    }
    if (fill_defaults(made) != OG_OK) {
        og_question_free(made);
        return no_memory(message);
    }
    *out = made;
    return OG_OK;
}

void og_question_free(og_question *question)
{
    if (question != NULL) {
        og_wishes_clear(&question->wishes);
        og_arena_free(question);
    }
}

/* ---- options ---- */

static og_status unknown_option(const og_question *question, const char *option,
                                og_message *message)
{
    const char *names[OG_QUESTION_OPTIONS];
    char hint[OG_SUGGESTION_BYTES];
    size_t listed = 0;
    for (int32_t i = 0; i < question->row_count; i++) {
        const og_option_row *row = question->row[i];
        if (!row->hidden && !is_of_problem(question, row)) {
            names[listed++] = row->name;
        }
    }
    return og_message_set(message, OG_BAD_INPUT, "unknown option '%.64s' of %s%s", option,
                          question->entry->name, og_suggestion(option, names, listed, hint));
}

/* Of files, which are read as one text, another one follows the others. */
static og_status join(og_question *question, const og_option_row *row, const char **text)
{
    const char *first = *(const char **)og_option_value(&question->wishes, row);
    size_t bytes = strlen(first) + strlen(*text) + JOINED_BYTES;
    char *both = og_arena_array(&question->arena, bytes, 1);
    OG_TRY(OG_ALLOCATED(both));
    snprintf(both, bytes, "%s\n%s", first, *text);
    *text = both;
    return OG_OK;
}

static og_status set_option(og_question *question, const char *option, const char *text,
                            og_message *message)
{
    int32_t i = og_option_find(question->row, question->row_count, option);
    if (i < 0) {
        return unknown_option(question, option, message);
    }
    const og_option_row *row = question->row[i];
    if (is_of_problem(question, row)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--%s is an option of the problem; set it with og_problem_set",
                              row->name);
    }
    const char *kept = NULL;
    OG_TRY(og_option_keep(row, &question->arena, text, &kept, message));
    if (kept != NULL && *kept == '\0') {
        return og_message_set(message, OG_BAD_INPUT, "--%s must be %s, not an empty text",
                              row->name, row->argument);
    }
    if (question->seen[i] && row->repeats && row->kind == OG_OPTION_PATH) {
        OG_TRY(join(question, row, &kept));
    }
    OG_TRY(og_option_read(row, &question->wishes, kept, message));
    question->seen[i] = true;
    return OG_OK;
}

og_status og_question_set(og_question *question, const char *option, const char *text,
                          og_message *message)
{
    og_message words = {""};
    og_status status = set_option(question, option, text, &words);
    return og_message_pass(message, status, &words);
}

og_status og_question_policy(og_question *question, const og_policy *policy, og_message *message)
{
    og_wishes *wishes = &question->wishes;
    int32_t i = 0;
    while (i < question->row_count && !is_policies(question->row[i])) {
        i++;
    }
    if (i == question->row_count) {
        return og_message_set(message, OG_BAD_INPUT, "%s does not support policies",
                              question->entry->name);
    }
    size_t bytes = ((size_t)wishes->policy_count + 1) * sizeof *wishes->policies;
    og_policy_name *larger = realloc(wishes->policies, bytes);
    if (larger == NULL) {
        return no_memory(message);
    }
    wishes->policies = larger;
    larger[wishes->policy_count] = policy->name;
    larger[wishes->policy_count++].function = &policy->function;
    return OG_OK;
}

void og_question_watch(og_question *question, og_watch *watch, void *user)
{
    question->wishes.ask.settings.watch = watch;
    question->wishes.ask.settings.watch_user = user;
}

og_status og_question_set_labels(og_question *question, int64_t count, const uint32_t *task,
                                 const uint32_t *worker, const uint8_t *label, const uint8_t *gold,
                                 og_message *message)
{
    const og_question_kind *kind = question->entry->kind;
    if (kind != &og_question_fit && kind != &og_question_replay) {
        return og_message_set(message, OG_BAD_INPUT, "%s does not support labels in arrays",
                              question->entry->name);
    }
    if ((kind == &og_question_replay) != (gold != NULL)) {
        return og_message_set(message, OG_BAD_INPUT, "%s labels in arrays %s gold",
                              question->entry->name, gold != NULL ? "without" : "with");
    }
    og_recording *recording = &question->wishes.replay.recording;
    og_labels_input *input = &question->wishes.labels;
    input->count = count;
    input->task = task;
    input->label = label;
    recording->count = count;
    recording->task = task;
    recording->worker = worker;
    recording->label = label;
    recording->gold = gold;
    question->in_arrays = true;
    return OG_OK;
}

/* ---- asking ---- */

/* One call. It does not move until its end. */
typedef struct {
    og_asked asked;
    og_wishes wishes; /* the question's, with policies and inputs of this call */
    og_user_policy *functions;
    og_curve curve;
} asking;

static bool is_seen(const og_question *question, const char *name)
{
    int32_t i = og_option_find(question->row, question->row_count, name);
    return i >= 0 && question->seen[i];
}

/* What the recordings of other problem types do not have. */
static og_status check_recording(const og_question *question, og_message *message)
{
    static const char *const not_here[2][9] = {
        {"prior", "pairs", "workers-prior", "price", "payoff", "final-ties", "explore", "votes"},
        {"prior", "pairs", "workers-prior", "price", "payoff", "final-ties", "contexts", "fill"}};
    const char *problem = question->wishes.objective;
    if (strcmp(problem, "labels") == 0) {
        return OG_OK;
    }
    for (const char *const *name = not_here[strcmp(problem, "labelers") == 0]; *name != NULL;
         name++) {
        if (is_seen(question, *name)) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--problem %s does not support --%s; omit it", problem, *name);
        }
    }
    return !question->in_arrays
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "--problem %s requires files of labels and gold", problem);
}

static og_status check_required(const og_question *question, og_message *message)
{
    if (question->in_arrays && (is_seen(question, "labels") || is_seen(question, "pairs"))) {
        return og_message_set(message, OG_BAD_INPUT,
                              "labels are given in arrays and in files; omit one");
    }
    for (int32_t i = 0; i < question->row_count; i++) {
        const og_option_row *row = question->row[i];
        bool given = question->seen[i] || is_of_problem(question, row) ||
                     (row->kind == OG_OPTION_PATH && question->in_arrays) ||
                     (is_policies(row) && question->wishes.policy_count > 0);
        if (row->required != NULL && !given) {
            return og_message_set(message, OG_BAD_INPUT, "%s", row->required);
        }
    }
    return question->entry->kind == &og_question_replay ? check_recording(question, message)
                                                        : OG_OK;
}

static og_status check_problem(const og_question *question, const og_problem *problem,
                               og_message *message)
{
    subject about = question->entry->about;
    const char *name = question->entry->name;
    if (about == OG_ABOUT_PERHAPS && problem != NULL && problem->family->model.verify == NULL) {
        return og_family_lacks(problem->family, name, message);
    }
    if (about == OG_ABOUT_PERHAPS || (about == OG_ABOUT_PROBLEM) == (problem != NULL)) {
        return OG_OK;
    }
    return og_message_set(message, OG_BAD_INPUT,
                          problem == NULL ? "%s is about a problem; give one"
                                          : "%s is not about a problem; give NULL",
                          name);
}

/* The policies of this call, which may have locks of it. */
static og_status take_policies(asking *call, const og_question *question)
{
    og_wishes *wishes = &call->wishes;
    size_t count = (size_t)wishes->policy_count;
    wishes->policies = malloc((count + 1) * sizeof *wishes->policies);
    call->functions = calloc(count + 1, sizeof *call->functions);
    if (wishes->policies == NULL || call->functions == NULL) {
        return OG_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        og_policy_name *policy = &wishes->policies[i];
        *policy = question->wishes.policies[i];
        if (policy->function != NULL) {
            call->functions[i] = *policy->function;
            call->functions[i].lock = &call->asked.stop.lock;
            policy->function = &call->functions[i];
        }
    }
    return OG_OK;
}

static og_status find_given(asking *call, const og_question_kind *kind, og_message *message)
{
    og_asked *asked = &call->asked;
    og_wishes *wishes = &call->wishes;
    const og_search *search = NULL;
    if (kind == &og_question_replay) {
        OG_TRY(og_wishes_check_replay(wishes, message));
        asked->given = og_wishes_replay(wishes);
    } else if (kind == &og_question_next) {
        asked->given = og_wishes_next(wishes);
    } else if (kind == &og_question_find) {
        OG_TRY(og_wishes_find(wishes, &search));
        asked->given = search;
    } else if (kind == &og_question_verify) {
        asked->given = wishes->file;
    } else if (kind == &og_question_simulate) {
        call->curve = (og_curve){wishes->at, wishes->at_count, wishes->trace_file};
        asked->given = &call->curve;
    } else if (kind == &og_question_fit || kind == &og_question_labels) {
        asked->given = &wishes->labels;
    }
    og_wishes_set_policies(wishes);
    asked->policies = wishes->policies;
    asked->policy_count = wishes->policy_count;
    return OG_OK;
}

og_settings og_question_settings(const og_question *question)
{
    og_settings settings;
    if (question == NULL) {
        og_settings_default(&settings);
    } else {
        settings = og_settings_filled(&question->wishes.ask.settings);
    }
    settings.threads = settings.threads > OG_THREADS_MAX ? OG_THREADS_MAX : settings.threads;
    return settings;
}

static og_status run(asking *call, og_problem *problem, const og_question *question,
                     og_message *message)
{
    const og_question_kind *kind = question->entry->kind;
    og_problem_text from = {.options = NULL};
    bool reach = kind == &og_question_compare && question->wishes.ask.reach > 0;
    OG_TRY(check_problem(question, problem, message));
    OG_TRY(check_required(question, message));
    OG_TRY(take_policies(call, question));
    OG_TRY(find_given(call, kind, message));
    OG_TRY(problem != NULL ? og_problem_texts(problem, &from, message) : OG_OK);
    from.history = call->asked.request.history;
    return og_question_run(reach ? &og_question_reach : kind, &call->asked,
                           problem != NULL ? &from : NULL, message);
}

/* Gives the document to the caller, and a warning in place of a message. */
static og_status end(asking *call, og_status status, og_document **out, og_message *words)
{
    og_asked *asked = &call->asked;
    if (status == OG_OK) {
        *words = asked->warning.text[0] != '\0' ? asked->warning : asked->opening;
        og_put_origin(asked->document);
        status = og_document_failed(asked->document) ? OG_NO_MEMORY : OG_OK;
    }
    if (status == OG_OK) {
        *out = asked->document;
        asked->document = NULL;
    }
    og_asked_clear(asked);
    free(call->wishes.policies);
    free(call->functions);
    return status;
}

og_status og_ask(og_problem *problem, const og_question *question, og_document **out,
                 og_message *message)
{
    og_message words = {""};
    asking call = {.asked = {.family = problem != NULL ? problem->family : og_families[0],
                             .request = question->wishes.ask},
                   .wishes = question->wishes};
    call.asked.request.settings = og_question_settings(question);
    call.wishes.policies = NULL;
    og_status status = end(&call, run(&call, problem, question, &words), out, &words);
    return og_message_pass(message, status, &words);
}
