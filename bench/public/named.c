/*
 * Writes the program's options in a text as the names of optgap.h. An option begins with dashes
 * where a word may begin. Quoted text and --name=value, a word of a prior, stay as they are.
 */
#include "bench/public/named.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bench/family.h"

enum { NAME_BYTES = 64 };

/* Options that are fields, with the field's name, NULL: the same. With a problem, all others are
 * its options. */
static const struct {
    const char *option, *field;
    bool recorded; /* of structs for recorded labels: without a problem only */
} fields[] = {
    {"against", "policies", false},
    {"all-actions", NULL, false},
    {"all-optimal", NULL, false},
    {"arithmetic", "exact", false},
    {"arithmetic double", "exact=false", false},
    {"arithmetic exact", "exact=true", false},
    {"assume", "believe", false},
    {"checkpoint", NULL, false},
    {"checkpoint-every", "checkpoint_seconds", false},
    {"claim", NULL, false},
    {"closed", "closed_file", true},
    {"counts", NULL, false},
    {"dry-run", NULL, false},
    {"engine", NULL, false},
    {"explain", NULL, false},
    {"export-model", NULL, false},
    {"export-policy", NULL, false},
    {"final", "final_calls", true},
    {"final-ties", "final_positive", true},
    {"gold", "gold_file", true},
    {"joint-end", NULL, false},
    {"labels", "labels_file", true},
    {"levels", "tree_levels", false},
    {"max-index-time", "index_seconds_max", false},
    {"max-policy-states", "policy_states_max", false},
    {"max-states", "optimum_states_max", false},
    {"memory", "memory_bytes", false},
    {"pairs", "pairs_file", true},
    {"policies", NULL, false},
    {"policy", "policies", false},
    {"reach", NULL, false},
    {"result", NULL, false},
    {"runs", NULL, false},
    {"scratch", NULL, false},
    {"seed", NULL, false},
    {"source", "sources", true},
    {"states", "tree_states_max", false},
    {"tasks", "tasks_file", true},
    {"threads", NULL, false},
    {"tie-tolerance", NULL, false},
    {"ties", NULL, false},
    {"time-limit", "seconds_max", false},
    {"truth", NULL, false},
    {"workers-free", "free_file", true},
};

static bool in_word(char at)
{
    return isalnum((unsigned char)at) || at == '_';
}

/* True if an option, or a part of it, may end before this character. */
static bool ends(char at)
{
    return !in_word(at) && at != '-' && at != '=';
}

/* The length of an option at the text's begin, with dashes; 0: there is none. */
static size_t option_length(const char *text)
{
    size_t length = 1;
    if (strncmp(text, "-T", 2) == 0) {
        return ends(text[2]) ? 2 : 0;
    }
    if (strncmp(text, "--", 2) != 0) {
        return 0;
    }
    do {
        size_t part = strspn(text + length + 1, "abcdefghijklmnopqrstuvwxyz");
        if (part == 0) {
            return 0;
        }
        length += 1 + part;
    } while (text[length] == '-');
    for (const char *const *value = (const char *const[]){" exact", " double", NULL};
         strncmp(text, "--arithmetic ", 13) == 0 && *value != NULL; value++) {
        size_t more = strlen(*value);
        if (strncmp(text + length, *value, more) == 0 && ends(text[length + more])) {
            return length + more;
        }
    }
    return ends(text[length]) ? length : 0;
}

/* The length of a placeholder after -T. */
static size_t placeholder_length(const char *text)
{
    static const char *const all[] = {" N (--budget N)", " N"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t length = strlen(all[i]);
        if (strncmp(text, all[i], length) == 0 && ends(text[length])) {
            return length;
        }
    }
    return 0;
}

static void add_name(og_text *out, const char *option, size_t length, og_naming naming)
{
    char name[NAME_BYTES];
    if (option[1] == 'T') {
        option = "--budget";
        length = strlen(option);
    }
    snprintf(name, sizeof name, "%.*s", (int)length - 2, option + 2);
    const char *other = NULL;
    bool field = naming == OG_NAMED_FIELDS;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        bool may = naming == OG_NAMED_FIELDS || !fields[i].recorded;
        if (may && strcmp(fields[i].option, name) == 0) {
            field = true;
            other = fields[i].field;
        }
    }
    for (char *at = name; field && *at != '\0'; at++) {
        *at = *at == '-' ? '_' : *at;
    }
    og_text_add(out, field ? "%s" : "\"%s\"", other != NULL ? other : name);
}

/* Writes a text in which options have dashes, such as --time-limit, with the names of optgap.h:
 * seconds_max. Cut if it does not fit. */
static void name_options(const char *text, og_naming naming, char *to, size_t size)
{
    og_text out = og_text_begin(to, size);
    char before = ' ';
    while (*text != '\0') {
        const char *quote = *text == '\'' && !in_word(before) ? strchr(text + 1, '\'') : NULL;
        size_t length = in_word(before) || before == '-' ? 0 : option_length(text);
        if (length > 0) {
            add_name(&out, text, length, naming);
            length += text[1] == 'T' ? placeholder_length(text + length) : 0;
        } else {
            length = quote != NULL ? (size_t)(quote + 1 - text) : 1;
            og_text_add(&out, "%.*s", (int)length, text);
        }
        before = text[length - 1];
        text += length;
    }
}

og_status og_message_pass(og_message *message, og_status status, const og_message *words,
                          og_naming naming)
{
    const char *text = status == OG_OK ? words->text : og_message_words(words, status);
    if (message != NULL) {
        name_options(text, naming, message->text, sizeof message->text);
    }
    return status;
}

char *og_options_named(const char *text)
{
    size_t size = 2 * strlen(text) + 1;
    char *to = malloc(size);
    if (to != NULL) {
        name_options(text, OG_NAMED_OPTIONS, to, size);
    }
    return to;
}
