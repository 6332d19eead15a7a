/* Parses the words of a command into a request, using the command's rows. */
#include "tools/option/options.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dp/base/parallel.h"
#include "dp/base/suggest.h"
#include "tools/show/memory.h"

enum {
    WORD_BYTES = 128,
};

/* The options that print help, in this order after a command's rows. */
static const og_option_row help_rows[] = {
    {.kind = OG_OPTION_SWITCH, .name = "help", .letter = 'h'},
    {.kind = OG_OPTION_SWITCH, .name = "help-all"},
    {.kind = OG_OPTION_SWITCH, .name = "help-page"},
};
enum { HELP_ROWS = 3 };

static bool family_has(const og_family *family, family_use use)
{
    return use == FAMILY_VALUES || (use == FAMILY_BOUNDS && family->model.bound != NULL) ||
           (use == FAMILY_RUNS && og_family_is_simulated(family)) ||
           (use == FAMILY_STATES && og_family_is_followed(family)) ||
           (use == FAMILY_FILES && family->model.verify != NULL);
}

static const og_option_row *find_row(const og_family *family, const char *name)
{
    const og_option_row *row[OPTIONS_MAX];
    int32_t found =
        og_option_find(row, og_option_set_list(family->options, row, OPTIONS_MAX), name);
    return found >= 0 ? row[found] : NULL;
}

/* Adds a family's rows. If several families have an option, it is listed once: the first one's row,
 * or that of `wanted`. */
static void add_rows(option_list *out, const og_family *family, const og_family *wanted)
{
    const og_option_row *row[OPTIONS_MAX];
    int32_t count = og_option_set_list(family->options, row, OPTIONS_MAX), others = out->count;
    for (int32_t i = 0; i < count; i++) {
        int32_t at = 0;
        while (at < others &&
               (out->family[at] == NULL || out->row[at]->name[0] != row[i]->name[0] ||
                strcmp(out->row[at]->name, row[i]->name) != 0)) {
            at++;
        }
        if (at == others || family == wanted) {
            at = at == others ? out->count++ : at;
            assert(at < OPTIONS_MAX);
            out->row[at] = row[i];
            out->family[at] = family;
        }
    }
}

void options_list(const command *chosen, const og_family *wanted, option_list *out)
{
    *out = (option_list){.count = 0};
    og_option_list(chosen->options, out->row, OPTIONS_MAX, &out->count);
    for (int i = 0; chosen->families != FAMILY_NONE && og_families[i] != NULL; i++) {
        if (family_has(og_families[i], chosen->families)) {
            add_rows(out, og_families[i], wanted);
        }
    }
}

/* ---- reading ---- */

/* An option of a family, which is read when the family is known. */
typedef struct {
    int32_t row; /* number in the list */
    const char *text;
} own_option;

/* An option as it was read, and the place of its row. */
typedef struct {
    const og_option_row *row;
    const char *text; /* NULL: a switch */
    int32_t at;
} read_option;

typedef struct {
    const command *chosen;
    command_request *request;
    read_option *read; /* [read_count] in the order of the words */
    int32_t read_count;
    option_list list; /* followed by help_rows */
    bool seen[OPTIONS_MAX];
    own_option *own; /* [own_count] */
    int32_t own_count;
    help_kind *help;
    og_message *message;
} reading;

/* Lists the command's rows and help_rows, with the options of this family, or of all (NULL). */
static void list_for(reading *state, const og_family *wanted)
{
    options_list(state->chosen, wanted, &state->list);
    for (int i = 0; i < HELP_ROWS; i++) {
        state->list.row[state->list.count + i] = &help_rows[i];
    }
}

/* The family that has this option, --NAME or --NAME=TEXT; NULL if there is none. */
static const og_family *family_of_option(const char *word)
{
    char name[WORD_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    for (int i = 0; strncmp(name, "--", 2) == 0 && og_families[i] != NULL; i++) {
        if (find_row(og_families[i], name + 2) != NULL) {
            return og_families[i];
        }
    }
    return NULL;
}

const char *option_habit(const char *word)
{
    static const char *const habits[][2] = {
        {"-v", "; 'optgap --version' prints the version"},
        {"-V", "; 'optgap --version' prints the version"},
        {"--version", "; 'optgap --version' prints the version"},
        {"-o", "; write '> FILE' behind the command to keep what it prints"},
        {"--output", "; write '> FILE' behind the command to keep what it prints"},
    };
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
        if (strcmp(word, habits[i][0]) == 0) {
            return habits[i][1];
        }
    }
    return NULL;
}

/* The row of a whole name; an abbreviation could be another command's option. -1: there is none. */
static int32_t find_long(const reading *state, const char *name, size_t length)
{
    char whole[WORD_BYTES];
    snprintf(whole, sizeof whole, "%.*s", (int)length, name);
    return length < sizeof whole
               ? og_option_find(state->list.row, state->list.count + HELP_ROWS, whole)
               : -1;
}

/* What to write instead of an option that other programs have, or other commands of this one. */
static const char *hint_for(const reading *state, const char *given)
{
    const command *chosen = state->chosen;
    if (strncmp(given, "--polic", 7) == 0 && chosen->word.kind == OG_OPTION_POLICY) {
        return "; write the policy's name alone";
    }
    if (chosen->word.read != keep_instance) {
        return NULL;
    }
    if (strncmp(given, "--polic", 7) == 0 && find_long(state, "policy", strlen("policy")) < 0) {
        return "; 'optgap compare' values policies";
    }
    if (strncmp(given, "-K", 2) == 0) {
        return "; write K before the prior: 10x1,1";
    }
    if (strcmp(given, "--threshold") == 0) {
        return "; write it behind the prior: 1,1@0.3";
    }
    return strcmp(given, "--exact") == 0 &&
                   find_long(state, "arithmetic", strlen("arithmetic")) >= 0
               ? "; write --arithmetic exact"
               : NULL;
}

/* Reports an unknown option, with the nearest names. */
static og_status unknown_option(const reading *state, const char *word)
{
    const og_family *family = family_of_option(word);
    if (family != NULL && !family->own_words && strcmp(state->chosen->name, "sweep") == 0) {
        char name[WORD_BYTES];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
        bool value = find_row(family, name + 2)->argument != NULL && strchr(word, '=') == NULL;
        return og_message_set(state->message, OG_BAD_INPUT,
                              "with sweep, %.64s follows the prior: --prior '1,1 %.64s%s'", name,
                              word, value ? "=..." : "");
    }
    if (family != NULL && family != og_families[0] && state->chosen->families != FAMILY_NONE) {
        return og_family_lacks(family, state->chosen->name, state->message);
    }
    char text[2 * OPTIONS_MAX + 2][WORD_BYTES];
    const char *names[2 * OPTIONS_MAX + 2];
    size_t count = 0;
    for (int32_t i = 0; i <= state->list.count; i++) {
        const og_option_row *row = state->list.row[i];
        if (row->hidden) {
            continue;
        }
        snprintf(text[count++], WORD_BYTES, "--%s", row->name);
        if (row->letter != 0 && i < state->list.count) {
            snprintf(text[count++], WORD_BYTES, "-%c", row->letter);
        }
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = text[i];
    }
    char given[WORD_BYTES], hint[OG_SUGGESTION_BYTES];
    snprintf(given, sizeof given, "%.*s", (int)strcspn(word, "="), word);
    const char *habit = option_habit(given);
    habit = habit != NULL ? habit : hint_for(state, given);
    return og_message_set(state->message, OG_BAD_INPUT, "unknown option '%.64s' of %s%s", given,
                          state->chosen->name,
                          habit != NULL ? habit : og_suggestion(given, names, count, hint));
}

/* A list, as the name of its value shows: "N,N,...", "S[,S...]". */
static bool is_list(const og_option_row *row)
{
    return row->argument != NULL && strchr(row->argument, ',') != NULL &&
           strstr(row->argument, "...") != NULL;
}

static og_status given_twice(const reading *state, const og_option_row *row)
{
    char letter[8] = "";
    if (row->letter != 0) {
        snprintf(letter, sizeof letter, " (-%c)", row->letter);
    }
    return og_message_set(state->message, OG_BAD_INPUT, "--%s%s is given twice; %s", row->name,
                          letter, is_list(row) ? "write one list with commas" : "give it once");
}

/* Both, as og_files_next reads them. */
static const char *join_files(command_request *request, const char *files, const char *more)
{
    char *text = own_room(request, strlen(files) + strlen(more) + 2);
    sprintf(text, "%s\n%s", files, more);
    return text;
}

/* Reads the value of row i; NULL: it has none. */
static og_status read_row(reading *state, int32_t i, const char *text)
{
    const og_option_row *row = state->list.row[i];
    const og_family *family = state->list.family[i];
    if (i >= state->list.count) {
        *state->help = (help_kind)(HELP_BASIC + i - state->list.count);
        return OG_OK;
    }
    if (row->argument != NULL && text == NULL) {
        return og_message_set(state->message, OG_BAD_INPUT, "option '--%s' needs a value: %s",
                              row->name, row->argument);
    }
    if (state->seen[i] && !row->repeats) {
        return given_twice(state, row);
    }
    if (state->seen[i] && row->kind == OG_OPTION_PATH && family == NULL) {
        text = join_files(state->request, *(char **)og_option_value(state->request, row), text);
    }
    state->seen[i] = true;
    state->read[state->read_count++] = (read_option){row, row->argument != NULL ? text : NULL, i};
    if (family == NULL && strcmp(row->name, "policy") == 0 && strchr(text, ',') != NULL &&
        strpbrk(text, ":/") == NULL && find_long(state, "policies", strlen("policies")) >= 0) {
        return og_message_set(state->message, OG_BAD_INPUT,
                              "--policy takes one policy; write --policies %.64s", text);
    }
    if (family == NULL) {
        return og_option_read(row, state->request, text, state->message);
    }
    assert(row->letter == 0); /* so that there are at most as many as words */
    state->own[state->own_count++] = (own_option){i, text};
    return OG_OK;
}

/* Reads a word that begins with two dashes. `next` is the following word; *used is set if that is
 * the value. */
static og_status read_long(reading *state, const char *word, const char *next, bool *used)
{
    size_t length = strcspn(word + 2, "=");
    bool has_text = word[2 + length] == '=';
    int32_t found = find_long(state, word + 2, length);
    if (found < 0) {
        return unknown_option(state, word);
    }
    const og_option_row *row = state->list.row[found];
    if (row->argument == NULL && has_text) {
        return og_message_set(state->message, OG_BAD_INPUT, "option '--%s' takes no value",
                              row->name);
    }
    *used = row->argument != NULL && !has_text;
    return read_row(state, found, has_text ? word + 3 + length : next);
}

/* Reads a word of letters after one dash. The last letter may take the rest of the word, or the
 * next word, as its value. */
static og_status read_letters(reading *state, const char *word, const char *next, bool *used)
{
    if (strchr("0123456789.", word[1]) != NULL) {
        return og_message_set(state->message, OG_BAD_INPUT,
                              "'%.64s' is not an option, and numbers must not be negative", word);
    }
    for (const char *letter = word + 1; *letter != '\0' && *state->help == HELP_NONE; letter++) {
        int32_t i = 0;
        while (i <= state->list.count && state->list.row[i]->letter != *letter) {
            i++;
        }
        if (i > state->list.count) {
            return unknown_option(state, word);
        }
        if (state->list.row[i]->argument != NULL) {
            *used = letter[1] == '\0';
            return read_row(state, i, *used ? next : letter + 1);
        }
        OG_TRY(read_row(state, i, NULL));
    }
    return OG_OK;
}

/* Reads the options, at any place; ignores words after --help. Other words are moved together:
 * words[0 .. *count). */
static og_status read_options(reading *state, int argc, char **argv, const char **words, int *count)
{
    og_status status = OG_OK;
    bool only_words = false;
    for (int i = 1; status == OG_OK && *state->help == HELP_NONE && i < argc; i++) {
        const char *word = argv[i];
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        bool used = false;
        if (only_words || word[0] != '-' || word[1] == '\0') {
            words[(*count)++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_words = true;
        } else if (word[1] == '-') {
            status = read_long(state, word, next, &used);
        } else {
            status = read_letters(state, word, next, &used);
        }
        i += used;
    }
    return status;
}

/* True for the second name in "--policy kg opt-kg", which is not an INSTANCE, unless the family has
 * its own words. */
static bool is_stray_policy(const reading *state, const char *word)
{
    og_policy_name ignored;
    const og_family *family = state->request->family;
    bool own = family != NULL && family->objectives != NULL;
    return !own && state->chosen->word.read == keep_instance && isalpha((unsigned char)word[0]) &&
           find_long(state, "policy", strlen("policy")) >= 0 &&
           og_policy_name_parse(word, &ignored, NULL) == OG_OK;
}

/* With the list of policies that was given, if the command has one. A name with a comma is no part
 * of a list. */
static og_status fail_stray_policy(const reading *state, const char *word)
{
    const char *list = NULL;
    bool single = find_long(state, "policies", strlen("policies")) < 0 || strchr(word, ',') != NULL;
    for (int32_t i = 0; i < state->read_count; i++) {
        bool policies = strncmp(state->read[i].row->name, "polic", 5) == 0;
        list = policies ? state->read[i].text : list;
    }
    return og_message_set(state->message, OG_BAD_INPUT,
                          "'%.64s' is a policy, not an INSTANCE; write --polic%s %.64s%s%.64s",
                          word, single ? "y" : "ies", single || list == NULL ? "" : list,
                          single || list == NULL ? "" : ",", word);
}

static og_status read_word(reading *state, const char *word, bool another)
{
    const command *chosen = state->chosen;
    if (chosen->word.kind == OG_OPTION_END && access(word, R_OK) == 0 &&
        find_long(state, "labels", strlen("labels")) >= 0) {
        return og_message_set(state->message, OG_BAD_INPUT,
                              "%s takes no argument; for the file '%.64s' write --labels %.64s",
                              chosen->name, word, word);
    }
    if (chosen->word.kind == OG_OPTION_END) {
        return og_message_set(state->message, OG_BAD_INPUT, "%s takes no argument; '%.64s' is one",
                              chosen->name, word);
    }
    if (another && !chosen->word.repeats) {
        const char *advice = chosen->word.example;
        return og_message_set(state->message, OG_BAD_INPUT, "%s takes one %s; omit '%.64s'%s%s%s",
                              chosen->name, chosen->word.argument, word, advice != NULL ? " (" : "",
                              advice != NULL ? advice : "", advice != NULL ? ")" : "");
    }
    if (is_stray_policy(state, word)) {
        return fail_stray_policy(state, word);
    }
    if (another && chosen->word.kind == OG_OPTION_PATH) {
        word = join_files(state->request, *(char **)og_option_value(state->request, &chosen->word),
                          word);
    }
    return og_option_read(&chosen->word, state->request, word, state->message);
}

static og_status read_words(reading *state, const char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        OG_TRY(read_word(state, words[i], i > 0));
    }
    return OG_OK;
}

/* ---- the family ---- */

/* The number of the given family options that this family has, up to the first one that it lacks.
 */
static int32_t count_known(const reading *state, const og_family *family)
{
    int32_t i = 0;
    while (i < state->own_count &&
           find_row(family, state->list.row[state->own[i].row]->name) != NULL) {
        i++;
    }
    return i;
}

/* Chooses the family that has all given options and supports the objective. */
static og_status choose_family(reading *state)
{
    command_request *request = state->request;
    const og_family *wanted = og_family_of_objective(request->wish.objective), *best = wanted;
    int32_t most = wanted != NULL ? count_known(state, wanted) : 0;
    for (int i = 0; og_families[i] != NULL; i++) {
        if (wanted == NULL && family_has(og_families[i], state->chosen->families) &&
            count_known(state, og_families[i]) > most) {
            best = og_families[i];
            most = count_known(state, best);
        }
    }
    if (most < state->own_count) {
        const char *first = state->list.row[state->own[0].row]->name;
        const char *name = state->list.row[state->own[most].row]->name;
        const og_family *owner = state->list.family[state->own[most].row];
        if (wanted != NULL) {
            return og_message_set(
                state->message, OG_BAD_INPUT,
                "--problem %s does not support --%s, an option of %s; omit one of them",
                request->wish.objective, name, owner->words.problems);
        }
        bool other = most == 0;
        return og_message_set(state->message, OG_BAD_INPUT,
                              "--%s%s%s and --%s are different problem types; give one of them",
                              other ? "problem" : first, other ? " " : "",
                              other ? request->wish.objective : "", name);
    }
    for (int i = 0; wanted == NULL && state->own_count > 0 && og_families[i] != best; i++) {
        if (count_known(state, og_families[i]) ==
            state->own_count) { /* it has all options, but does not support this command */
            return og_family_lacks(og_families[i], state->chosen->name, state->message);
        }
    }
    if (best != NULL) {
        request->family = best;
        request->family_options = best->options != NULL ? allocate(1, best->options->bytes) : NULL;
        list_for(state, best);
    }
    return OG_OK;
}

/* Marks the family's `row` as given in place of row `given`, which may have another name. */
static void note_own(reading *state, int32_t given, const og_option_row *row)
{
    int32_t at = 0;
    while (state->list.row[at] != row) {
        at++;
    }
    state->seen[given] = false;
    state->seen[at] = true;
}

static og_status read_own_options(reading *state)
{
    og_status status = choose_family(state);
    for (int32_t i = 0; status == OG_OK && i < state->own_count; i++) {
        const own_option *own = &state->own[i];
        const og_option_row *row =
            find_row(state->request->family, state->list.row[own->row]->name);
        note_own(state, own->row, row);
        status = og_option_read(row, state->request->family_options, own->text, state->message);
    }
    return status;
}

static og_status fill_defaults(reading *state, bool has_words)
{
    const command *chosen = state->chosen;
    command_request *request = state->request;
    const og_family *family = request->family;
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < state->list.count; i++) {
        const og_option_row *row = state->list.row[i];
        bool own = state->list.family[i] != NULL;
        bool replaced = !own && family != NULL && family->own_budget &&
                        row->into == offsetof(command_request, wish.budget);
        if (!state->seen[i] && !replaced && (!own || state->list.family[i] == family)) {
            status =
                og_option_default(row, own ? request->family_options : request, state->message);
            if (own && status == OG_BAD_INPUT && row->required != NULL && state->own_count > 0) {
                status = og_message_set(state->message, status, "--%s: %s",
                                        state->list.row[state->own[0].row]->name, row->required);
            }
        }
    }
    bool brought = family != NULL && (family->own_words || family->words_or_options);
    if (status == OG_OK && !has_words && !brought && chosen->word.required != NULL) {
        status = og_message_set(state->message, OG_BAD_INPUT, "%s", chosen->word.required);
    }
    return status;
}

static void settings_init(og_settings *settings)
{
    *settings = og_settings_filled(settings);
    settings->threads = settings->threads > OG_THREADS_MAX ? OG_THREADS_MAX : settings->threads;
}

char *options_line(int argc, char **argv)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_@%+=:,./-";
    size_t size = sizeof "optgap";
    for (int i = 0; i < argc; i++) {
        size += 4 * strlen(argv[i]) + 3;
    }
    char *line = allocate(size, 1);
    char *end = stpcpy(line, "optgap");
    for (int i = 0; i < argc; i++) {
        bool quotes = argv[i][strspn(argv[i], plain)] != '\0' || argv[i][0] == '\0';
        end = stpcpy(end, quotes ? " '" : " ");
        for (const char *at = argv[i]; *at != '\0'; at++) {
            end = *at == '\'' ? stpcpy(end, "'\\''") : stpncpy(end, at, 1);
        }
        end = stpcpy(end, quotes ? "'" : "");
    }
    return line;
}

/* ---- what is asked ---- */

/* Adds a word of three parts. */
static void add_asked(command_request *request, const char *first, const char *between,
                      const char *last)
{
    char *copy = allocate(strlen(first) + strlen(between) + strlen(last) + 1, 1);
    stpcpy(stpcpy(stpcpy(copy, first), between), last);
    request->asked[request->asked_count++] = copy;
}

/* True if the option changes no answer. */
static bool is_apart(const og_option_row *row)
{
    static const char *const names[] = {"threads", "memory", "time-limit", "quiet", "json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(row->name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Lists what was read, in one form. */
static void list_asked(reading *state, const char *const *words, int count)
{
    command_request *request = state->request;
    request->asked =
        allocate(2 * (size_t)state->read_count + (size_t)count, sizeof *request->asked);
    for (int32_t place = 0; place < OPTIONS_MAX; place++) {
        for (int32_t i = 0; i < state->read_count; i++) {
            const read_option *at = &state->read[i];
            char name[WORD_BYTES];
            if (at->at != place || is_apart(at->row)) {
                continue;
            }
            if (at->row->letter != 0 && at->text != NULL) {
                const char letter[] = {'-', at->row->letter, '\0'};
                add_asked(request, letter, "", "");
                add_asked(request, at->text, "", "");
            } else {
                snprintf(name, sizeof name, "--%s", at->row->name);
                add_asked(request, name, at->text != NULL ? "=" : "",
                          at->text != NULL ? at->text : "");
            }
        }
    }
    for (int i = 0; i < count; i++) {
        add_asked(request, words[i], "", "");
    }
}

og_status options_read(const command *chosen, int argc, char **argv, command_request *request,
                       help_kind *help, og_message *message)
{
    reading state = {.chosen = chosen, .request = request, .help = help, .message = message};
    const char **words = allocate((size_t)argc, sizeof *words);
    int count = 0;
    memset(request, 0, sizeof *request);
    og_wishes_init(&request->wish);
    settings_init(&request->wish.ask.settings);
    *help = HELP_NONE;
    request->command_line = options_line(argc, argv);
    list_for(&state, NULL);
    state.own = allocate((size_t)argc, sizeof *state.own);
    state.read = allocate((size_t)argc, sizeof *state.read);
    og_status status = read_options(&state, argc, argv, words, &count);
    if (status == OG_OK && *help == HELP_NONE) {
        status = read_own_options(&state);
    }
    if (status == OG_OK && *help == HELP_NONE) {
        status = read_words(&state, words, count);
    }
    if (status == OG_OK && *help == HELP_NONE) {
        status = fill_defaults(&state, count > 0);
    }
    list_asked(&state, words, count);
    free(state.read);
    free(state.own);
    free(words);
    if (status == OG_OK && *help == HELP_NONE) {
        status = check_questions(chosen, request, &state.list, state.seen, message);
    }
    if (status == OG_OK && request->json + request->csv + request->latex > 1) {
        status = og_message_set(message, OG_BAD_INPUT, "%s and %s cannot be combined; give one",
                                request->json ? "--json" : "--csv",
                                request->latex ? "--latex" : "--csv");
    }
    const og_family *family = request->family != NULL ? request->family : og_families[0];
    for (int32_t i = 0; i < state.list.count && family->model.check_checkpoint != NULL; i++) {
        request->has_checkpoint |= strcmp(state.list.row[i]->name, "checkpoint") == 0;
    }
    for (int32_t i = 0; i < state.list.count; i++) {
        size_t into = state.list.row[i]->into;
        bool own = state.list.family[i] == NULL && state.seen[i];
        request->own_threads |= own && into == offsetof(command_request, wish.ask.settings.threads);
        request->own_memory |=
            own && into == offsetof(command_request, wish.ask.settings.memory_bytes);
    }
    og_wishes_set_policies(&request->wish);
    return status;
}

void request_clear(command_request *request)
{
    if (request->family_options != NULL && request->family->options->clear != NULL) {
        request->family->options->clear(request->family_options);
    }
    free(request->family_options);
    free(request->command_line);
    for (int32_t i = 0; i < request->own_block_count; i++) {
        free(request->own_block[i]);
    }
    free(request->own_block);
    for (int32_t i = 0; i < request->asked_count; i++) {
        free(request->asked[i]);
    }
    free(request->asked);
    free(request->names);
    free(request->word_file);
    free(request->word);
    free(request->kept);
    og_wishes_clear(&request->wish);
    memset(request, 0, sizeof *request);
}
