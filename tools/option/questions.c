/*
 * Refuses options that the requested question does not use: an option of a family with a command
 * that its row excludes, an option without the one that it refines, and an option of the command
 * that the question does not list (options.h).
 */
#include <stdio.h>
#include <string.h>

#include "tools/option/options.h"

enum { WORDS_BYTES = 256 };

/* True if the word is one of these, which are separated by blanks. */
static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(words, word); at != NULL; at = strstr(at + 1, word)) {
        if ((at == words || at[-1] == ' ') && strchr(" ", at[length]) != NULL) {
            return true;
        }
    }
    return false;
}

static bool reads(const option_question *question, const char *name)
{
    return question->reads == NULL || has_word(question->reads, name);
}

static bool is_given(const option_list *list, const bool *seen, const char *name)
{
    for (int32_t i = 0; i < list->count; i++) {
        if (seen[i] && strcmp(list->row[i]->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Another given option of the same family, to identify the family if the name of option `counts` is
 * ambiguous; NULL: none. */
static const char *family_option(const option_list *list, const bool *seen, int32_t counts)
{
    for (int32_t i = 0; i < list->count; i++) {
        if (seen[i] && list->family[counts] != NULL && list->family[i] == list->family[counts] &&
            strcmp(list->row[i]->name, list->row[counts]->name) != 0) {
            return list->row[i]->name;
        }
    }
    return NULL;
}

/* "--at is for --labels, --pairs, not for --problem labelers". */
static og_status refuse(const og_option_row *row, const option_question *all,
                        const option_question *asked, og_message *message)
{
    char words[WORDS_BYTES] = "";
    for (const option_question *at = all; at->name != NULL; at++) {
        size_t used = strlen(words);
        if (reads(at, row->name)) {
            snprintf(words + used, sizeof words - used, "%s%s", used > 0 ? ", " : " is for ",
                     at->name);
        }
    }
    return og_message_set(message, OG_BAD_INPUT, "--%s%s, not for %s; omit it", row->name, words,
                          asked->name);
}

static og_status check_row(const command *chosen, const command_request *request,
                           const option_list *list, const bool *seen, int32_t i,
                           og_message *message)
{
    const og_option_row *row = list->row[i];
    const void *options = list->family[i] == NULL ? request : request->family_options;
    if (row->only != NULL && !has_word(row->only, chosen->name)) {
        char words[WORDS_BYTES];
        snprintf(words, sizeof words, "%s", row->only);
        for (char *blank = strchr(words, ' '); blank != NULL; blank = strchr(blank, ' ')) {
            *blank = '/';
        }
        return og_message_set(message, OG_BAD_INPUT, "--%s is for %s, not for %s; omit it",
                              row->name, words, chosen->name);
    }
    if (row->with != NULL && !is_given(list, seen, row->with)) {
        const char *more = family_option(list, seen, i);
        return og_message_set(message, OG_BAD_INPUT,
                              "%s%s%s--%s requires --%s; give both or neither",
                              more != NULL ? "with --" : "", more != NULL ? more : "",
                              more != NULL ? ", " : "", row->name, row->with);
    }
    if (row->is_there != NULL && !row->is_there(options)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--%s is for %s, and there is none here; omit it", row->name,
                              row->about);
    }
    return OG_OK;
}

og_status check_questions(const command *chosen, const command_request *request,
                          const option_list *list, const bool *seen, og_message *message)
{
    const option_question *asked = chosen->questions;
    while (asked != NULL && asked->name != NULL && asked->asked != NULL && !asked->asked(request)) {
        asked++;
    }
    for (int32_t i = 0; i < list->count; i++) {
        const og_option_row *row = list->row[i];
        if (!seen[i]) {
            continue;
        }
        if (asked != NULL && asked->name != NULL && list->family[i] == NULL &&
            !reads(asked, row->name)) {
            return refuse(row, chosen->questions, asked, message);
        }
        OG_TRY(check_row(chosen, request, list, seen, i, message));
    }
    return OG_OK;
}
