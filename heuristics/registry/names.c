/*
 * Parses policy names using the rows of any table. This file has no code for single policies: the
 * row determines the valid parameters and the messages for invalid ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/suggest.h"
#include "heuristics/index/stopping.h"
#include "heuristics/policy.h"
#include "heuristics/whole_state/command.h"

enum { WORD_SHOWN = 60, LIST_BYTES = 240 };

static bool needs_parameter(const og_policy_row *row)
{
    return row->parameter[0] != '\0' && row->parameter[0] != '[';
}

/* True if the word ends with this file extension. */
static bool ends_with(const char *word, const char *end)
{
    size_t length = strlen(word), tail = strlen(end);
    return length > tail && strcmp(word + length - tail, end) == 0;
}

/* Reports a plain file name, and suggests the policy's name with its prefix. */
static og_status plain_file(const char *word, const char *before, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "unknown policy '%.64s'; if it is a file, write '%s%.64s'", word, before,
                          word);
}

/* The names of a table as " (known: ...)". A longer list is where all policies are told. */
static const char *list_names(const og_policy_table *table, bool any_near, char out[LIST_BYTES])
{
    size_t used = 0;
    for (size_t i = 0; i < table->count && used < LIST_BYTES; i++) {
        const og_policy_row *info = &table->row[i];
        used += (size_t)snprintf(
            out + used, LIST_BYTES - used, "%s%s%s%s%s", i > 0 ? ", " : " (known: ", info->name,
            needs_parameter(info) ? ":" : "", info->parameter, i + 1 == table->count ? ")" : "");
    }
    return used < LIST_BYTES ? out : any_near ? "" : "; see optgap policies";
}

static og_status unknown_name(const og_policy_table *table, const char *word, size_t length,
                              og_message *message)
{
    static const char *const files[][2] = {{".py", "command:python3 "},
                                           {".so", "plugin:"},
                                           {".tsv", "table:"},
                                           {".sh", "command:sh "}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (ends_with(word, files[i][0])) {
            return plain_file(word, files[i][1], message);
        }
    }
    char known[LIST_BYTES], given[WORD_SHOWN + 1], hint[OG_SUGGESTION_BYTES];
    const char **names = malloc((table->count + 1) * sizeof *names);
    if (names == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "out of memory for the names of policies");
    }
    for (size_t i = 0; i < table->count; i++) {
        names[i] = table->row[i].name;
    }
    snprintf(given, sizeof given, "%.*s", (int)(length < WORD_SHOWN ? length : WORD_SHOWN), word);
    og_suggestion(given, names, table->count, hint);
    free(names);
    return og_message_set(message, OG_BAD_INPUT, "unknown policy '%s'%s%s", given, hint,
                          list_names(table, hint[0] != '\0', known));
}

static og_status bad_parameter(const og_policy_row *row, const char *text, const char *fault,
                               og_message *message)
{
    const char *name = row->parameter;
    name += strspn(name, "[:"); /* an optional one is written [:NAME] */
    return og_message_set(message, OG_BAD_INPUT, "policy '%s': '%.40s' %s: 0 <= %.*s %s %d",
                          row->name, text, fault, (int)strcspn(name, "]"), name,
                          row->form == OG_PARAMETER_PART || row->form == OG_PARAMETER_LOOK ? "<"
                                                                                           : "<=",
                          row->form == OG_PARAMETER_FACTOR ? OG_BUDGET_MAX : 1);
}

/* Checks that the parameter is the name of a policy with an exact value, which rollout and midway
 * can improve, midway only once, or a stopping rule end. */
static og_status read_name(const og_policy_table *table, const og_policy_row *row, const char *text,
                           og_message *message)
{
    og_policy_name inner;
    OG_TRY(og_policy_name_parse_in(table, text, &inner, message));
    if (!table->row[inner.kind].valued_exactly) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "policy '%s' requires a policy with an exact value, and '%.200s' is only simulated",
            row->name, text);
    }
    if (strcmp(row->name, "midway") == 0 && &table->row[inner.kind] == row) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy 'midway' does not support another midway; give its NAME "
                              "instead of '%.200s'",
                              text);
    }
    return OG_OK;
}

static og_status read_whole(const og_policy_row *row, const char *text, og_fraction *value,
                            og_message *message)
{
    bool whole = og_fraction_parse(text, strlen(text), value) == OG_OK &&
                 og_fraction_is_integer(*value) && value->num >= 1 && value->num <= OG_BUDGET_MAX;
    return whole ? OG_OK
                 : og_message_set(message, OG_BAD_INPUT,
                                  "policy '%s': '%.40s' is not a whole number from 1 to %d",
                                  row->name, text, OG_BUDGET_MAX);
}

static og_status read_part(const og_policy_row *row, const char *text, og_fraction *value,
                           og_message *message)
{
    if (*text == '-' && og_fraction_parse(text + 1, strlen(text + 1), value) == OG_OK) {
        return bad_parameter(row, text, "is out of range", message);
    }
    if (og_fraction_parse(text, strlen(text), value) != OG_OK) {
        return bad_parameter(row, text, "is not a decimal number of at most 18 digits", message);
    }
    int order = og_fraction_compare(*value, (og_fraction){1, 1});
    bool in_range = order < 0 || (order == 0 && row->form == OG_PARAMETER_SHARE) ||
                    (order > 0 && row->form == OG_PARAMETER_LOOK &&
                     og_fraction_is_integer(*value) && value->num <= OG_BUDGET_MAX) ||
                    (row->form == OG_PARAMETER_FACTOR &&
                     og_fraction_compare(*value, (og_fraction){OG_BUDGET_MAX, 1}) <= 0);
    return in_range ? OG_OK : bad_parameter(row, text, "is out of range", message);
}

/* Reads NAME:NUMBERS or NAME:NUMBERS:POLICY. */
static og_status read_rule(const og_policy_table *table, const og_policy_row *row, const char *name,
                           og_message *message)
{
    og_stopping rule;
    const char *policy;
    OG_TRY(og_stopping_parse(name, &rule, &policy, message));
    return policy != NULL ? read_name(table, row, policy, message) : OG_OK;
}

static og_status read_parameter(const og_policy_table *table, const og_policy_row *row,
                                const char *text, og_policy_name *out, og_message *message)
{
    og_fraction value = {0, 1};
    if (row->parameter[0] == '\0') {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%s' takes no parameter; omit ':%.40s'", row->name, text);
    }
    if (row->form == OG_PARAMETER_POLICY) {
        OG_TRY(read_name(table, row, text, message));
    } else if (row->form == OG_PARAMETER_STOPPING) {
        OG_TRY(read_rule(table, row, text - strlen(row->name) - 1, message));
    } else if (row->form == OG_PARAMETER_COUNT) {
        OG_TRY(read_whole(row, text, &value, message));
    } else if (row->form == OG_PARAMETER_PART || row->form == OG_PARAMETER_LOOK ||
               row->form == OG_PARAMETER_SHARE || row->form == OG_PARAMETER_FACTOR) {
        OG_TRY(read_part(row, text, &value, message));
    }
    if (*text == '\0') {
        return og_message_set(message, OG_BAD_INPUT, "policy '%s' needs the name of a %s",
                              row->name, row->noun);
    }
    out->has_parameter = true;
    out->parameter = og_fraction_double(value);
    out->parameter_exact = value;
    return OG_OK;
}

static int find_row(const og_policy_table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->count; i++) {
        const char *own = table->row[i].name;
        if (strlen(own) == length && memcmp(own, name, length) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* Reads OURS and its = before the user's own policy, and moves *name behind them. */
static og_status read_ours(const og_policy_table *table, const char **name, og_policy_name *out,
                           og_message *message)
{
    static const char *const kinds[] = {"table:", "command:", "plugin:"};
    size_t length = strcspn(*name, ":=");
    bool given = false;
    for (size_t k = 0; (*name)[length] == '=' && k < sizeof kinds / sizeof *kinds; k++) {
        given = given || strncmp(*name + length + 1, kinds[k], strlen(kinds[k])) == 0;
    }
    if (!given) {
        return OG_OK;
    }
    if (length == 0 || length >= sizeof out->ours || find_row(table, *name, length) >= 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "'%.80s': the name before '=' must have 1 to %d characters and must "
                              "differ from the policies' names",
                              *name, OG_POLICY_OURS_BYTES - 1);
    }
    memcpy(out->ours, *name, length);
    *name += length + 1;
    return OG_OK;
}

const char *og_policy_name_shown(const og_policy_name *policy)
{
    return policy->ours[0] != '\0' ? policy->ours : policy->name;
}

og_status og_policy_name_parse_in(const og_policy_table *table, const char *name,
                                  og_policy_name *out, og_message *message)
{
    og_policy_name policy = {.answer_seconds = OG_ANSWER_SECONDS, .tie_relative = OG_TIE_TOLERANCE};
    OG_TRY(read_ours(table, &name, &policy, message));
    size_t length = strcspn(name, ":");
    if (strlen(name) >= sizeof policy.name) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.40s...': a name has at most %d characters", name,
                              OG_POLICY_NAME_BYTES - 1);
    }
    policy.kind = find_row(table, name, length);
    if (policy.kind < 0) {
        return unknown_name(table, name, length, message);
    }
    const og_policy_row *row = &table->row[policy.kind];
    strcpy(policy.name, name);
    bool empty =
        row->form == OG_PARAMETER_POLICY && name[length] == ':' && name[length + 1] == '\0';
    if (row->form == OG_PARAMETER_STOPPING && name[length] == '\0') {
        OG_TRY(read_rule(table, row, name, message));
    } else if (needs_parameter(row) && (name[length] == '\0' || empty)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%s' needs a parameter: %s:%s, such as %s:%s", row->name,
                              row->name, row->parameter, row->name, row->example);
    } else if (name[length] == ':') {
        OG_TRY(read_parameter(table, row, name + length + 1, &policy, message));
    }
    *out = policy;
    return OG_OK;
}
