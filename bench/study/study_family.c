/* Options of a family behind a study's prior, read by the family's own rows. */
#include "bench/study/study_family.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/table.h"

enum { ROWS_MAX = 16, NUMBER_BYTES = 24, OPTION_BYTES = 64 };

static const char no_option[] =
    "expected an option, not '%.*s'; a prior is an INSTANCE that options of its problem type can "
    "follow, such as '1,1 --workers-prior=4,1'";
static const og_option_row problem_row = {.name = "problem", .was = "objective"};

static og_status check_word(const char *at, size_t length, bool option, og_message *message)
{
    size_t digits = strspn(at, "0123456789");
    if (!option && digits > 0 && at[digits] == 'x') {
        return og_message_set(
            message, OG_BAD_INPUT,
            "a prior must have no COUNT, not '%.64s'; give the number with instances", at);
    }
    return option && length == 2
               ? og_message_set(message, OG_BAD_INPUT,
                                "a prior has '--' without the name of an option; add it")
               : OG_OK;
}

static og_status too_long(og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT, "the options of a prior are too long; give fewer");
}

/* Words up to the next that begins with a dash are one option; those before the first are
 * INSTANCE words. */
static og_status format_words(const char *prior, char *text, size_t size, og_message *message)
{
    og_text out = og_text_begin(text, size);
    bool options = false;
    for (const char *at = prior + strspn(prior, " \t"); *at != '\0'; at += strspn(at, " \t")) {
        size_t length = strcspn(at, " \t");
        bool option = strncmp(at, "--", 2) == 0;
        if (options && !option) {
            return og_message_set(message, OG_BAD_INPUT, no_option, (int)length, at);
        }
        OG_TRY(check_word(at, length, option, message));
        og_text_add(&out, "%s%.*s", out.length > 0 ? " " : "", (int)length, at);
        at += length;
        options = option;
        const char *value = at + strspn(at, " \t");
        if (option && *value != '\0' && strncmp(value, "--", 2) != 0) {
            length = strcspn(value, " \t");
            og_text_add(&out, "=%.*s", (int)length, value);
            at = value + length;
        }
        if (out.length + 1 >= size) {
            return too_long(message);
        }
    }
    return OG_OK;
}

static const og_option_row *find_row(const og_family *family, const char *name)
{
    const og_option_row *row[ROWS_MAX];
    int32_t found = og_option_find(row, og_option_set_list(family->options, row, ROWS_MAX), name);
    return found >= 0 ? row[found] : NULL;
}

/* "Arrivals" are --arrivals: the row that takes the place of the budget. */
static const og_option_row *budget_row(const og_family *family)
{
    char name[NUMBER_BYTES];
    snprintf(name, sizeof name, "%s", family->budget_name);
    name[0] = (char)tolower(name[0]);
    return family->own_budget ? find_row(family, name) : NULL;
}

static og_status take_family(const og_family *family, og_study_family *out, og_message *message)
{
    if (family->own_words) {
        return og_family_lacks(family, "sweep", message);
    }
    out->family = family;
    out->by_words = family != og_families[0] && family->objectives != NULL;
    out->options = calloc(1, family->options->bytes);
    return OG_ALLOCATED(out->options);
}

/* The first family with this option; NULL: none. */
static const og_family *family_with(const char *name)
{
    for (int i = 0; og_families[i] != NULL; i++) {
        if (find_row(og_families[i], name) != NULL) {
            return og_families[i];
        }
    }
    return NULL;
}

static og_status choose_family(const char *name, og_study_family *out, og_message *message)
{
    if (out->options != NULL && find_row(out->family, name) != NULL) {
        return OG_OK;
    }
    const og_family *family = family_with(name);
    if (family == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "no problem type has an option --%.64s; omit it", name);
    }
    return out->options == NULL
               ? take_family(family, out, message)
               : og_message_set(
                     message, OG_BAD_INPUT,
                     "--%s is of another problem type than the options before it; omit one of them",
                     name);
}

static bool names_problem(const char *name)
{
    return og_option_find((const og_option_row *const[]){&problem_row}, 1, name) == 0;
}

/* The value of --problem among the words of a formatted prior, up to the next blank; NULL if it is
 * not given. */
static const char *find_problem(const char *prior)
{
    char name[NUMBER_BYTES];
    for (const char *at = strstr(prior, " --"); at != NULL; at = strstr(at + 1, " --")) {
        size_t length = strcspn(at + 3, "= ");
        snprintf(name, sizeof name, "%.*s", (int)length, at + 3);
        if (names_problem(name) && at[3 + length] == '=') {
            return at + length + 4;
        }
    }
    return NULL;
}

/* The family that --problem names, whatever other options precede it. */
static og_status read_objective(const char *prior, og_study_family *out, og_message *message)
{
    char name[NUMBER_BYTES];
    const char *at = find_problem(prior);
    if (at == NULL) {
        return OG_OK;
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
    const og_family *family = og_family_of_objective(name);
    return family != NULL ? take_family(family, out, message)
                          : og_message_set(message, OG_BAD_INPUT,
                                           "studies do not support --problem %s; omit it", name);
}

/* ---- the form of a prior ---- */

/* The row of this option in a family; if *family is NULL, in the first that has it. */
static const og_option_row *current_row(const char *name, const og_family **family)
{
    if (names_problem(name)) {
        return &problem_row;
    }
    *family = *family != NULL ? *family : family_with(name);
    return *family != NULL ? find_row(*family, name) : NULL;
}

/* Give options their current names, so that every spelling of a prior is the same cell. Unknown
 * options remain as they are. */
static og_status rename_options(char *text, size_t size, og_message *message)
{
    char *given = strdup(text), *rest = NULL;
    OG_TRY(OG_ALLOCATED(given));
    og_text out = og_text_begin(text, size);
    char problem[NUMBER_BYTES];
    const char *at = find_problem(given);
    snprintf(problem, sizeof problem, "%.*s", at != NULL ? (int)strcspn(at, " ") : 0,
             at != NULL ? at : "");
    const og_family *family = og_family_of_objective(at != NULL ? problem : NULL);
    for (char *word = strtok_r(given, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        char name[OPTION_BYTES];
        size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word, "=") : 0;
        snprintf(name, sizeof name, "%.*s", length > 2 ? (int)length - 2 : 0, word + 2);
        const og_option_row *row = length > 2 ? current_row(name, &family) : NULL;
        og_text_add(&out, "%s%s%s%s", out.length > 0 ? " " : "", row != NULL ? "--" : "",
                    row != NULL ? row->name : "", row != NULL ? word + length : word);
    }
    free(given);
    return out.length + 1 < size ? OG_OK : too_long(message);
}

og_status og_study_family_format(const char *prior, char *text, size_t size, og_message *message)
{
    OG_TRY(format_words(prior, text, size, message));
    return strstr(text, "--") != NULL ? rename_options(text, size, message) : OG_OK;
}

/* One option, "--name=value" or "--name"; the text is cut in two. */
static og_status read_option(char *word, og_study_family *out, bool given[ROWS_MAX],
                             og_message *message)
{
    const og_option_row *row[ROWS_MAX];
    char *value = strchr(word, '=');
    if (value != NULL) {
        *value++ = '\0';
    }
    if (names_problem(word + 2)) {
        return value != NULL && og_family_of_objective(value) == out->family
                   ? OG_OK
                   : og_message_set(message, OG_BAD_INPUT,
                                    "a prior supports one --problem after its words, such as '0.9 "
                                    "0.7 --problem=labelers'");
    }
    OG_TRY(choose_family(word + 2, out, message));
    int32_t i =
        og_option_find(row, og_option_set_list(out->family->options, row, ROWS_MAX), word + 2);
    given[i] = true;
    if (row[i] == budget_row(out->family)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a prior does not support %s, which is the study's budget; omit it",
                              word);
    }
    if ((value == NULL) != (row[i]->kind == OG_OPTION_SWITCH)) {
        return og_message_set(message, OG_BAD_INPUT, "%s takes %s value", word,
                              value == NULL ? "a" : "no");
    }
    return og_option_read(row[i], out->options, value, message);
}

static og_status fill_rest(og_study_family *out, int64_t budget, const bool given[ROWS_MAX],
                           og_message *message)
{
    const og_option_row *row[ROWS_MAX];
    char number[NUMBER_BYTES];
    int32_t count = og_option_set_list(out->family->options, row, ROWS_MAX);
    snprintf(number, sizeof number, "%" PRId64, budget);
    for (int32_t i = 0; i < count; i++) {
        if (!given[i]) {
            OG_TRY(row[i] == budget_row(out->family)
                       ? og_option_read(row[i], out->options, number, message)
                       : og_option_default(row[i], out->options, message));
        }
    }
    return OG_OK;
}

/* COUNT of each INSTANCE word, or one word that says what an instance is. */
static og_status read_word(const char *word, int64_t instances, og_study_family *out,
                           og_message *message)
{
    enum { COUNT_BYTES = 24 };
    size_t size = strlen(word) + COUNT_BYTES;
    if (!out->by_words) {
        return out->word_count++ == 0
                   ? OG_OK
                   : og_message_set(message, OG_BAD_INPUT, no_option, (int)strlen(word), word);
    }
    char *text = og_arena_array(&out->arena, size, 1);
    OG_TRY(OG_ALLOCATED(text));
    snprintf(text, size, "%" PRId64 "x%s", instances, word);
    out->words[out->word_count++] = text;
    return OG_OK;
}

static og_status read_words(char *text, int64_t instances, og_study_family *out,
                            og_message *message)
{
    char *rest = NULL;
    out->words = og_arena_array(&out->arena, strlen(text) + 1, sizeof *out->words);
    OG_TRY(OG_ALLOCATED(out->words));
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        OG_TRY(read_word(word, instances, out, message));
    }
    return OG_OK;
}

/* Options say whose words those before them are. */
og_status og_study_family_read(const char *prior, int64_t instances, int64_t budget,
                               og_study_family *out, og_message *message)
{
    bool given[ROWS_MAX] = {false};
    char *rest = NULL;
    *out = (og_study_family){.family = og_families[0], .budget = (int32_t)budget};
    out->text = strdup(prior);
    OG_TRY(OG_ALLOCATED(out->text));
    char *before = strstr(out->text, " --"), *options = before != NULL ? before + 1 : NULL;
    OG_TRY(read_objective(prior, out, message));
    for (char *word = options != NULL ? strtok_r(options, " ", &rest) : NULL; word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        OG_TRY(read_option(word, out, given, message));
    }
    if (before != NULL) {
        *before = '\0';
    }
    OG_TRY(read_words(out->text, instances, out, message));
    return out->options != NULL ? fill_rest(out, budget, given, message) : OG_OK;
}

void og_study_family_clear(og_study_family *family)
{
    if (family->options != NULL && family->family->options->clear != NULL) {
        family->family->options->clear(family->options);
    }
    free(family->options);
    free(family->text);
    og_arena_clear(&family->arena);
    *family = (og_study_family){.family = NULL};
}

og_problem_text og_study_family_given(const og_study_family *family, const og_groups *instances)
{
    return (og_problem_text){.options = family->options,
                             .instances = family->by_words ? NULL : instances,
                             .words = family->words,
                             .word_count = family->by_words ? family->word_count : 0,
                             .budget = family->family->own_budget ? -1 : family->budget,
                             .left = -1};
}
