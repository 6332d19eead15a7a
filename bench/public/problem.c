/*
 * The public problem: stores options and instances until a question opens it. Every value is parsed
 * when it is set, with the program's rows, so errors are reported at their place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/process/process.h"
#include "bench/families/table.h"
#include "bench/public/problem.h"
#include "config.h"
#include "dp/base/grow.h"
#include "dp/base/suggest.h"

enum { NAMES_MAX = OG_PROBLEM_OPTIONS + 3, NUMBER_BYTES = 40, DIGITS_MAX = 17 };

static og_status read_budget(void *self, const og_option_row *row, const char *text,
                             og_message *message)
{
    og_problem *problem = self;
    return og_budget_read(row, text, &problem->budget, &problem->each, message);
}

static const og_option_row budget_row =
    OG_OPTION(CUSTOM, "budget", "N[each]", og_problem, budget, .read = read_budget,
              .help = "number of labels, 0 to 1000000; Neach: at most N for each instance",
              .required = "-T N is missing: the number of labels, such as -T 12");
static const og_option_row left_row =
    OG_OPTION(INT32, "left", "N", og_problem, left, .most = OG_BUDGET_MAX,
              .help = "labels left, if fewer than the whole budget");
static const char objective_labels[] = "labels";
static const og_option_row objective_row =
    OG_OPTION(CUSTOM, "problem", "WHAT", og_problem, objective, .was = "objective",
              .choices = "labels bandit", .read = og_problem_option,
              .help = "what counts. labels: correct calls at the end. bandit: positive labels");

const char *og_version(void)
{
    return OG_VERSION;
}

static og_status no_memory(og_message *message)
{
    return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
}

/* ---- families ---- */

const char *og_family_name(int32_t number)
{
    for (int32_t i = 0; number >= 0 && og_families[i] != NULL; i++) {
        if (i == number) {
            return og_families[i]->name;
        }
    }
    return NULL;
}

static og_status find_family(const char *name, const og_family **out, og_message *message)
{
    const char *names[OG_PROBLEM_OPTIONS];
    size_t count = 0;
    for (; og_families[count] != NULL; count++) {
        names[count] = og_families[count]->name;
        if (strcmp(names[count], name) == 0) {
            *out = og_families[count];
            return OG_OK;
        }
    }
    char hint[OG_SUGGESTION_BYTES];
    return og_message_set(message, OG_BAD_INPUT, "unknown problem type '%.60s'%s", name,
                          og_suggestion(name, names, count, hint));
}

/* True if instances are words that only the family can read; then it has its own objective. */
static bool reads_words(const og_family *family)
{
    return family->objectives != NULL && strstr(family->objectives, objective_labels) == NULL;
}

static int32_t list_all_rows(const og_family *family, const og_option_row **row)
{
    int32_t count = og_option_set_list(family->options, row, OG_PROBLEM_OPTIONS);
    if (!family->own_budget) {
        row[count++] = &budget_row;
        row[count++] = &left_row;
    }
    if (!reads_words(family)) {
        row[count++] = &objective_row;
    }
    return count;
}

static void put_options(og_document *document, const og_family *family)
{
    const og_option_row *row[NAMES_MAX];
    og_document *options = og_put_array(document, "options");
    int32_t count = list_all_rows(family, row);
    for (int32_t i = 0; i < count; i++) {
        og_document *object = og_put_object(options, NULL);
        og_put_text(object, "name", row[i]->name);
        og_put_text(object, "was", row[i]->was);
        og_put_bool(object, "hidden", row[i]->hidden);
        og_put_text(object, "argument", row[i]->argument);
        og_put_text(object, "help", row[i]->help);
        og_put_text(object, "default", row[i]->fallback);
        og_put_bool(object, "required", row[i]->required != NULL);
    }
}

static void put_policies(og_document *document)
{
    og_document *policies = og_put_array(document, "policies");
    for (size_t i = 0; og_policy_row_at(i) != NULL; i++) {
        const og_policy_row *row = og_policy_row_at(i);
        og_document *object = og_put_object(policies, NULL);
        og_put_text(object, "name", row->name);
        og_put_text(object, "parameter", row->parameter);
        og_put_text(object, "summary", row->summary);
        og_put_text(object, "source", row->source);
        og_put_bool(object, "valued_exactly", row->valued_exactly);
    }
}

static og_status finish(og_document *document, og_document **out, og_message *message)
{
    if (og_document_failed(document)) {
        og_document_free(document);
        return no_memory(message);
    }
    *out = document;
    return OG_OK;
}

og_status og_family_describe(const char *name, og_document **out, og_message *message)
{
    const og_family *family = NULL;
    OG_TRY(find_family(name, &family, message));
    og_document *document = og_document_new();
    og_put_text(document, "name", family->name);
    og_put_text(document, "problems", family->words.problems);
    put_options(document, family);
    og_document *bounds = og_put_array(document, "bounds");
    for (int32_t i = 0; family->model.bound != NULL && family->model.bounds[i] != NULL; i++) {
        og_put_text(bounds, NULL, family->model.bounds[i]);
    }
    og_put_bool(document, "simulated", og_family_is_simulated(family));
    put_policies(document);
    return finish(document, out, message);
}

/* ---- problems ---- */

og_status og_problem_new(const char *family, og_problem **out, og_message *message)
{
    const og_family *found = NULL;
    OG_TRY(find_family(family, &found, message));
    og_problem *made = og_arena_new(sizeof *made);
    if (made == NULL) {
        return no_memory(message);
    }
    made->family = found;
    made->budget = -1;
    made->left = -1;
    made->row_count = og_option_set_list(found->options, made->row, OG_PROBLEM_OPTIONS);
    og_groups_init(&made->instances, 0);
    if (found->options != NULL) {
        made->options = calloc(1, found->options->bytes);
        if (made->options == NULL) {
            og_problem_free(made);
            return no_memory(message);
        }
    }
    *out = made;
    return OG_OK;
}

void og_problem_free(og_problem *problem)
{
    if (problem == NULL) {
        return;
    }
    if (problem->options != NULL && problem->family->options->clear != NULL) {
        problem->family->options->clear(problem->options);
    }
    free(problem->options);
    og_groups_clear(&problem->instances);
    free(problem->word);
    og_arena_free(problem);
}

static og_status unknown_option(const og_problem *problem, const char *option, og_message *message)
{
    const og_option_row *row[NAMES_MAX];
    const char *names[NAMES_MAX];
    char hint[OG_SUGGESTION_BYTES];
    int32_t count = list_all_rows(problem->family, row), listed = 0;
    for (int32_t i = 0; i < count; i++) {
        if (!row[i]->hidden) {
            names[listed++] = row[i]->name;
        }
    }
    return og_message_set(message, OG_BAD_INPUT, "unknown option '%.64s' of %s%s", option,
                          problem->family->words.problems,
                          og_suggestion(option, names, (size_t)listed, hint));
}

static const char *keep_text(og_arena *arena, const char *text)
{
    return og_arena_copy(arena, text, strlen(text) + 1, 1);
}

static og_status read_option(og_problem *problem, const og_option_row *row, void *options,
                             const char *text, og_message *message)
{
    const char *kept = NULL;
    OG_TRY(og_option_keep(row, &problem->arena, text, &kept, message));
    return og_option_read(row, options, kept, message);
}

static og_status set_option(og_problem *problem, const char *option, const char *text,
                            og_message *message)
{
    const og_option_row *row[NAMES_MAX];
    int32_t i = og_option_find(row, list_all_rows(problem->family, row), option);
    if (i < 0) {
        return unknown_option(problem, option, message);
    }
    if (i >= problem->row_count) {
        return read_option(problem, row[i], problem, text, message);
    }
    if (problem->complete) {
        return og_message_set(message, OG_BAD_INPUT,
                              "option '%s' cannot be set after the first question", option);
    }
    OG_TRY(read_option(problem, row[i], problem->options, text, message));
    problem->seen[i] = true;
    return OG_OK;
}

og_status og_problem_set(og_problem *problem, const char *option, const char *text,
                         og_message *message)
{
    og_message words = {""};
    og_status status = set_option(problem, option, text, &words);
    return og_message_pass(message, status, &words);
}

og_status og_problem_process(og_problem *problem, const og_process *process, og_message *message)
{
    if (problem->family != &og_family_process) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s do not have a process; make a problem of the type 'process'",
                              problem->family->words.problems);
    }
    if (process->version != OG_PROCESS_VERSION || process->root == NULL ||
        process->expand == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a process must have version %d and the functions root and expand",
                              OG_PROCESS_VERSION);
    }
    og_process_table **kept = og_arena_array(&problem->arena, 1, sizeof *kept);
    if (kept == NULL) {
        return no_memory(message);
    }
    problem->family->options->clear(problem->options);
    *(og_process_options *)problem->options = (og_process_options){.given = *process, .kept = kept};
    return OG_OK;
}

/* True if the family has the option "payoff"; *set: it was given. */
static bool has_payoffs(const og_problem *problem, bool *set)
{
    for (int32_t i = 0; i < problem->row_count; i++) {
        if (strcmp(problem->row[i]->name, "payoff") == 0) {
            *set = problem->seen[i];
            return true;
        }
    }
    return false;
}

og_status og_problem_final_reward(og_problem *problem, const char *name, og_final_reward *reward,
                                  void *user, og_message *message)
{
    bool set;
    if (!has_payoffs(problem, &set)) {
        return og_message_set(message, OG_BAD_INPUT, "%s do not support a function as payoff",
                              problem->family->words.problems);
    }
    const char *kept = keep_text(&problem->arena, name);
    if (kept == NULL) {
        return no_memory(message);
    }
    problem->reward = (og_reward_function){kept, reward, user};
    return OG_OK;
}

static og_status add_word(og_problem *problem, const char *word, og_message *message)
{
    const char **grown = og_grown(problem->word, &problem->word_room,
                                  (size_t)problem->word_count + 1, sizeof *grown);
    if (grown == NULL) {
        return no_memory(message);
    }
    problem->word = grown;
    grown[problem->word_count] = keep_text(&problem->arena, word);
    if (grown[problem->word_count] == NULL) {
        return no_memory(message);
    }
    problem->word_count++;
    return OG_OK;
}

static og_status check_numbers(const og_problem *problem, og_message *message)
{
    return reads_words(problem->family)
               ? og_family_lacks(problem->family, "an instance in numbers instead of a word",
                                 message)
               : OG_OK;
}

/* Adds a group, which holds its tables once. */
static og_status add_group(og_problem *problem, const og_group *group, og_message *message)
{
    og_status status = og_groups_add(&problem->instances, group, message);
    og_family_group_release(group);
    return status;
}

og_status og_problem_add(og_problem *problem, const char *word, og_message *message)
{
    og_group group;
    if (reads_words(problem->family)) {
        return add_word(problem, word, message);
    }
    OG_TRY(og_family_group(word, &(og_problem_text){0}, &group,
                           message)); /* payoffs and tables are refused later if the
                  family does not support them */
    return add_group(problem, &group, message);
}

og_status og_problem_add_arm(og_problem *problem, int64_t copies, const char *table,
                             og_message *message)
{
    og_group group = {.kind = OG_PRIOR_NODES, .threshold = {1, 2}, .count = copies};
    og_node_table *nodes = NULL;
    OG_TRY(check_numbers(problem, message));
    OG_TRY(og_node_table_read_text("arm", table, strlen(table), &nodes, message));
    group.nodes = nodes;
    return add_group(problem, &group, message);
}

og_status og_read_number(double number, const char *what, og_fraction *out, og_message *message)
{
    char text[NUMBER_BYTES];
    int digits = 1;
    do {
        snprintf(text, sizeof text, "%.*g", digits, number);
    } while (digits++ < DIGITS_MAX && strtod(text, NULL) != number);
    if (!(number > 0)) {
        return og_message_set(message, OG_BAD_INPUT, "%s must be a positive number, not %s", what,
                              text);
    }
    if (og_fraction_parse(text, strlen(text), out) != OG_OK) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s must lie between 1e-24 and 1e18 and have at most 24 decimals, "
                              "not %s",
                              what, text);
    }
    return OG_OK;
}

static og_status make_beta(double a, double b, double threshold, og_group *out, og_message *message)
{
    *out = (og_group){.kind = OG_PRIOR_BETA, .count = 1};
    OG_TRY(og_read_number(a, "a", &out->a, message));
    OG_TRY(og_read_number(b, "b", &out->b, message));
    return og_read_number(threshold, "the threshold", &out->threshold, message);
}

og_status og_problem_add_beta(og_problem *problem, int64_t copies, double a, double b,
                              double threshold, og_message *message)
{
    og_group group;
    OG_TRY(check_numbers(problem, message));
    OG_TRY(make_beta(a, b, threshold, &group, message));
    group.count = copies;
    return og_groups_add(&problem->instances, &group, message);
}

static og_status add_counted(og_problem *problem, const og_group *prior, int32_t positive,
                             int32_t negative, og_message *message)
{
    og_group group = *prior;
    if (positive < 0 || negative < 0 || positive > OG_BUDGET_MAX || negative > OG_BUDGET_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "numbers of labels must be from 0 to %d, not %d and %d",
                              OG_BUDGET_MAX, (int)positive, (int)negative);
    }
    OG_TRY(og_group_check(prior, positive > negative ? positive : negative, message));
    group.a = og_fraction_plus(prior->a, positive);
    group.b = og_fraction_plus(prior->b, negative);
    return og_groups_add(&problem->instances, &group, message);
}

og_status og_problem_add_counts(og_problem *problem, int32_t count, const int32_t *positive,
                                const int32_t *negative, double a, double b, double threshold,
                                og_message *message)
{
    og_group prior;
    if (count < 0) {
        return og_message_set(message, OG_BAD_INPUT, "count must be at least 0, not %d",
                              (int)count);
    }
    OG_TRY(check_numbers(problem, message));
    OG_TRY(make_beta(a, b, threshold, &prior, message));
    int32_t before = problem->instances.group_count;
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        status = add_counted(problem, &prior, positive[i], negative[i], message);
    }
    if (status != OG_OK) {
        og_groups_cut(&problem->instances, before);
    }
    return status;
}

/* ---- opening ---- */

static og_status check_complete(const og_problem *problem, og_message *message)
{
    const og_family *family = problem->family;
    for (int32_t i = 0; i < problem->row_count; i++) {
        if (!problem->seen[i] && problem->row[i]->required != NULL) {
            return og_message_set(message, OG_BAD_INPUT, "%s", problem->row[i]->required);
        }
    }
    if (!family->own_budget && problem->budget < 0) {
        return og_message_set(message, OG_BAD_INPUT, "%s", budget_row.required);
    }
    if (!family->own_words && problem->instances.group_count + problem->word_count == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the problem has no instances; add at least one");
    }
    return OG_OK;
}

/* Fill in the defaults. If a required option is missing nothing changes, so that it can be set
 * later. */
static og_status complete(og_problem *problem, og_message *message)
{
    OG_TRY(check_complete(problem, message));
    for (int32_t i = 0; !problem->complete && i < problem->row_count; i++) {
        if (!problem->seen[i]) {
            OG_TRY(og_option_default(problem->row[i], problem->options, message));
        }
    }
    problem->complete = true;
    return OG_OK;
}

og_status og_problem_texts(og_problem *problem, og_problem_text *out, og_message *message)
{
    OG_TRY(complete(problem, message));
    bool words = reads_words(problem->family), paid = false;
    if (problem->reward.name != NULL && has_payoffs(problem, &paid) && paid) {
        return og_message_set(message, OG_BAD_INPUT,
                              "\"payoff\" and the function %.60s cannot be combined; give one",
                              problem->reward.name);
    }
    *out = (og_problem_text){.options = problem->options,
                             .words = problem->word,
                             .instances = words ? NULL : &problem->instances,
                             .word_count =
                                 words ? problem->word_count : problem->instances.group_count,
                             .budget = problem->budget,
                             .each = problem->each,
                             .left = problem->left,
                             .objective = problem->objective,
                             .reward = problem->reward.name != NULL ? &problem->reward : NULL};
    return OG_OK;
}

og_status og_problem_open(og_problem *problem, const og_settings *settings, void **out,
                          og_message *message)
{
    og_problem_text given;
    og_message warning = {""};
    OG_TRY(og_problem_texts(problem, &given, message));
    given.warning = &warning;
    return og_family_open(problem->family, &given, settings, out, message);
}

/* The family of the problem, also with a budget of each instance. */
static const og_family *family_of(const og_problem *problem)
{
    const og_family *apart = problem->family->apart;
    return problem->each && apart != NULL ? apart : problem->family;
}

static og_status open_usual(og_problem *problem, void **out, og_message *message)
{
    og_settings settings;
    og_problem_text given;
    og_message words = {""};
    og_settings_default(&settings);
    og_status status = og_problem_texts(problem, &given, &words);
    OG_THEN(status, og_family_open(family_of(problem), &given, &settings, out, &words));
    return og_message_pass(message, status, &words);
}

og_status og_problem_check(og_problem *problem, og_message *message)
{
    void *open = NULL;
    OG_TRY(open_usual(problem, &open, message));
    og_family_close(family_of(problem), open);
    return OG_OK;
}

og_status og_problem_describe(og_problem *problem, og_document **out, og_message *message)
{
    void *open = NULL;
    OG_TRY(open_usual(problem, &open, message));
    og_document *document = og_document_new();
    og_family_describe_problem(family_of(problem), open, document);
    og_family_close(family_of(problem), open);
    return finish(document, out, message);
}
