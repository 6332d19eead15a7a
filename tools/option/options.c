/* Words into a request: argp reads, and what it finds wrong is said here in one line. */
#include "tools/option/options.h"

#include <argp.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dp/base/parallel.h"
#include "dp/base/suggest.h"
#include "tools/option/family.h"
#include "tools/show/memory.h"
#include "tools/show/report.h"

enum {
    OPTIONS_MAX = 40,
    KEY_FIRST = 0x100, /* keys of rows without a letter: beyond all letters */
    KEY_HELP = 'h',
    WORD_BYTES = 128,
};

static bool delay_given(const request *asked)
{
    return asked->workers_given || asked->delay.arrival_rate.den != 0 ||
           asked->delay.service_rate.den != 0;
}

/* --policy and --policies add to one list, so either one replaces the default; --workers takes the
 * place of -T. */
static bool has_value(const request *asked, const option *row, bool seen)
{
    return seen || (row == &option_policies && asked->policy_count > 0) ||
           (row->read == read_budget && delay_given(asked));
}

typedef struct {
    const command *verb;
    request *asked;
    bool *help;
    bool seen[OPTIONS_MAX];
    bool argument_seen;
    og_status status;
    og_message *message;
} reading;

static int option_count(const command *verb)
{
    int count = 0;
    while (verb->options[count] != NULL) {
        count++;
    }
    return count;
}

static int key_of(const command *verb, int index)
{
    int letter = verb->options[index]->letter;
    return letter != 0 ? letter : KEY_FIRST + index;
}

static error_t read_option(reading *state, int key, const char *text)
{
    for (int i = 0; state->verb->options[i] != NULL; i++) {
        if (key_of(state->verb, i) == key) {
            state->seen[i] = true;
            state->status = state->verb->options[i]->read(state->asked, text, state->message);
            return state->status == OG_OK ? 0 : EINVAL;
        }
    }
    return ARGP_ERR_UNKNOWN;
}

static error_t parse(int key, char *text, struct argp_state *at)
{
    reading *state = at->input;
    if (*state->help) {
        return 0; /* nothing after --help matters, be it in the same word */
    }
    switch (key) {
    case KEY_HELP:
        *state->help = true;
        return 0;
    case ARGP_KEY_ARG:
        state->argument_seen = true;
        if (state->verb->read_argument == NULL) {
            state->status =
                og_message_set(state->message, OG_BAD_INPUT, "%s takes no argument; '%.64s' is one",
                               state->verb->name, text);
            return EINVAL;
        }
        state->status = state->verb->read_argument(state->asked, text, state->message);
        return state->status == OG_OK ? 0 : EINVAL;
    default:
        return read_option(state, key, text);
    }
}

/* What argp is told: the command's rows and --help, in this order. */
typedef struct {
    struct argp_option rows[OPTIONS_MAX + 2];
    char *help[OPTIONS_MAX];
    char *text;
    struct argp argp;
} dialect;

static char *help_text(const option *row)
{
    size_t size = strlen(row->help) + 32;
    size += row->fallback != NULL ? strlen(row->fallback) : 0;
    char *text = allocate(size, 1);
    if (row->fallback != NULL) {
        snprintf(text, size, "%s (default: %s)", row->help, row->fallback);
    } else {
        snprintf(text, size, "%s", row->help);
    }
    return text;
}

static void dialect_init(dialect *words, const command *verb)
{
    memset(words, 0, sizeof *words);
    int count = option_count(verb);
    for (int i = 0; i < count; i++) {
        const option *row = verb->options[i];
        words->help[i] = help_text(row);
        words->rows[i] = (struct argp_option){.name = row->name,
                                              .key = key_of(verb, i),
                                              .arg = row->argument,
                                              .doc = words->help[i],
                                              .group = i + 1};
    }
    words->rows[count] = (struct argp_option){
        .name = "help", .key = KEY_HELP, .doc = "print this help", .group = count + 1};
    size_t size = strlen(verb->about) + strlen(verb->details) + 2;
    words->text = allocate(size, 1);
    snprintf(words->text, size, "%s\v%s", verb->about, verb->details);
    words->argp = (struct argp){
        .options = words->rows, .parser = parse, .args_doc = verb->arguments, .doc = words->text};
}

static void dialect_clear(dialect *words)
{
    for (int i = 0; i < OPTIONS_MAX; i++) {
        free(words->help[i]);
    }
    free(words->text);
}

/* All that may follow a dash, dashes included. */
static og_status unknown_option(const command *verb, const char *word, og_message *message)
{
    char text[2 * OPTIONS_MAX + 2][WORD_BYTES];
    const char *names[2 * OPTIONS_MAX + 2];
    size_t count = 0;
    for (int i = 0; verb->options[i] != NULL; i++) {
        snprintf(text[count++], WORD_BYTES, "--%s", verb->options[i]->name);
        if (verb->options[i]->letter != 0) {
            snprintf(text[count++], WORD_BYTES, "-%c", verb->options[i]->letter);
        }
    }
    snprintf(text[count++], WORD_BYTES, "--help");
    for (size_t i = 0; i < count; i++) {
        names[i] = text[i];
    }
    char given[WORD_BYTES], hint[OG_SUGGESTION_BYTES];
    snprintf(given, sizeof given, "%.*s", (int)strcspn(word, "="), word);
    return og_message_set(message, OG_BAD_INPUT, "unknown option '%.64s' of %s%s", given,
                          verb->name, og_suggestion(given, names, count, hint));
}

/* How many rows a long name, perhaps shortened, stands for; an exact one is the only one. */
static int match_long(const dialect *words, const char *name, size_t length,
                      const struct argp_option **row)
{
    int matches = 0;
    for (const struct argp_option *at = words->rows; at->name != NULL; at++) {
        if (strncmp(at->name, name, length) == 0) {
            *row = at;
            matches++;
            if (at->name[length] == '\0') {
                return 1;
            }
        }
    }
    return matches;
}

static og_status ambiguous_option(const dialect *words, const char *word, og_message *message)
{
    char list[WORD_BYTES] = "";
    size_t length = strcspn(word + 2, "=");
    for (const struct argp_option *at = words->rows; at->name != NULL; at++) {
        size_t used = strlen(list);
        if (strncmp(at->name, word + 2, length) == 0) {
            snprintf(list + used, sizeof list - used, "%s--%s", used > 0 ? ", " : "", at->name);
        }
    }
    return og_message_set(message, OG_BAD_INPUT, "option '%.64s' can be any of %s; write it out",
                          word, list);
}

static const struct argp_option *match_letter(const dialect *words, int letter)
{
    for (const struct argp_option *at = words->rows; at->name != NULL; at++) {
        if (at->key == letter) {
            return at;
        }
    }
    return NULL;
}

static og_status value_missing(const struct argp_option *row, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT, "option '--%s' needs a value: %s", row->name,
                          row->arg);
}

/* One word that begins with two dashes; *skip is set if the next word is its value. */
static og_status check_long(const command *verb, const dialect *words, const char *word,
                            bool is_last, bool *skip, og_message *message)
{
    const struct argp_option *row = NULL;
    size_t length = strcspn(word + 2, "=");
    bool has_text = word[2 + length] == '=';
    int matches = match_long(words, word + 2, length, &row);
    if (matches == 0) {
        return unknown_option(verb, word, message);
    }
    if (matches > 1) {
        return ambiguous_option(words, word, message);
    }
    if (row->arg == NULL && has_text) {
        return og_message_set(message, OG_BAD_INPUT, "option '--%s' takes no value", row->name);
    }
    *skip = row->arg != NULL && !has_text;
    return *skip && is_last ? value_missing(row, message) : OG_OK;
}

/* One word of letters behind a dash, the last of which may take the rest of it or the next word. */
static og_status check_letters(const command *verb, const dialect *words, const char *word,
                               bool is_last, bool *skip, og_message *message)
{
    if (strchr("0123456789.", word[1]) != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "'%.64s' is not an option, and numbers here are not negative", word);
    }
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        const struct argp_option *row = match_letter(words, *letter);
        if (row == NULL) {
            return unknown_option(verb, word, message);
        }
        if (row->arg != NULL) {
            *skip = letter[1] == '\0';
            return *skip && is_last ? value_missing(row, message) : OG_OK;
        }
    }
    return OG_OK;
}

/*
 * argp says that a word is wrong on its own lines and in its own way, or not at all. So it is told
 * to be silent, and the word is looked for here.
 */
static og_status find_mistake(const command *verb, const dialect *words, int argc, char **argv,
                              og_message *message)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *word = argv[i];
        bool is_last = i + 1 == argc;
        bool skip = false;
        og_status status = OG_OK;
        if (strncmp(word, "--", 2) == 0) {
            status = check_long(verb, words, word, is_last, &skip, message);
        } else if (word[0] == '-' && word[1] != '\0') {
            status = check_letters(verb, words, word, is_last, &skip, message);
        }
        if (status != OG_OK) {
            return status;
        }
        i += skip;
    }
    return og_message_set(message, OG_BAD_INPUT, "the options of %s cannot be read", verb->name);
}

static og_status fill_defaults(reading *state)
{
    const command *verb = state->verb;
    for (int i = 0; verb->options[i] != NULL; i++) {
        const option *row = verb->options[i];
        if (has_value(state->asked, row, state->seen[i])) {
            continue;
        }
        if (row->required != NULL) {
            return og_message_set(state->message, OG_BAD_INPUT, "%s", row->required);
        }
        if (row->fallback != NULL) {
            state->asked->usual_policies |= row == &option_policies;
            og_status status = row->read(state->asked, row->fallback, state->message);
            if (status != OG_OK) {
                return status;
            }
        }
    }
    const family_kind *kind = state->asked->kind;
    bool brought = kind != NULL && kind->own_instances;
    if (!state->argument_seen && !brought && verb->argument_missing != NULL) {
        return og_message_set(state->message, OG_BAD_INPUT, "%s", verb->argument_missing);
    }
    return OG_OK;
}

static void settings_init(og_settings *settings)
{
    og_settings_default(settings);
    settings->threads = og_thread_count(0);
    if (settings->threads > OPTION_THREADS_MAX) {
        settings->threads = OPTION_THREADS_MAX;
    }
    if (settings->memory_bytes == 0) {
        uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
        settings->memory_bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE) / 4 * 3;
    }
}

og_status options_read(const command *verb, int argc, char **argv, request *asked, bool *help,
                       og_message *message)
{
    reading state = {.verb = verb, .asked = asked, .help = help, .message = message};
    dialect words;
    memset(asked, 0, sizeof *asked);
    og_problem_init(&asked->problem, 0);
    og_problem_init(&asked->crew, 0);
    settings_init(&asked->settings);
    asked->left = -1;
    *help = false;
    dialect_init(&words, verb);
    error_t error = argp_parse(&words.argp, argc, argv, ARGP_NO_HELP | ARGP_NO_ERRS | ARGP_NO_EXIT,
                               NULL, &state);
    og_status status = state.status;
    if (error != 0 && status == OG_OK && !*help) {
        status = find_mistake(verb, &words, argc, argv, message);
    }
    dialect_clear(&words);
    if (status == OG_OK && !*help) {
        status = fill_defaults(&state);
    }
    for (int32_t i = 0; asked->answer_seconds > 0 && i < asked->policy_count; i++) {
        asked->policies[i].answer_seconds = asked->answer_seconds;
    }
    asked->left = asked->left < 0 ? asked->budget : asked->left;
    asked->problem.budget = asked->left;
    return status;
}

static void print_policies(void)
{
    og_document *document = og_document_new();
    og_show_paragraph(document, "\nPolicies:");
    for (size_t i = 0; og_policy_info_at(i) != NULL; i++) {
        const og_policy_info *info = og_policy_info_at(i);
        const char *colon = isupper((unsigned char)info->parameter[0]) ? ":" : "";
        char name[WORD_BYTES];
        snprintf(name, sizeof name, "  %s%s%s", info->name, colon, info->parameter);
        og_show_field(document, name, "%s", info->summary);
    }
    show_part(document);
}

void options_help(const command *verb)
{
    dialect words;
    char name[WORD_BYTES];
    dialect_init(&words, verb);
    snprintf(name, sizeof name, "optgap %s", verb->name);
    setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
    argp_help(&words.argp, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, name);
    if (verb->lists_policies) {
        print_policies();
    }
    dialect_clear(&words);
}

void request_clear(request *asked)
{
    og_problem_clear(&asked->problem);
    og_problem_clear(&asked->crew);
    og_truth_clear(&asked->truth);
    og_feature_table_clear(&asked->features);
    free(asked->weight_mean.value);
    free(asked->weight_sd.value);
    free(asked->study_words);
    free(asked->policies);
    free(asked->at);
    memset(asked, 0, sizeof *asked);
}
