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

static bool reads(const option_question *question, const char *name, bool own)
{
    const char *words = own ? question->reads : question->reads_of_family;
    return words == NULL || has_word(words, name);
}

/* True if one of these options is given. */
static bool is_given(const option_list *list, const bool *seen, const char *names)
{
    for (int32_t i = 0; i < list->count; i++) {
        if (seen[i] && has_word(names, list->row[i]->name)) {
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

/* True if another of these questions reads the option and has a shorter name. */
static bool is_longer(const option_question *all, const option_question *question, const char *name)
{
    for (const option_question *at = all; at->name != NULL; at++) {
        if (at != question && reads(at, name, true) && strstr(question->name, at->name) != NULL) {
            return true;
        }
    }
    return false;
}

/* "--arrival-rate or --pairs": the options that ask a question that reads this one. */
static void list_asking(const option_question *all, const char *name, char words[WORDS_BYTES])
{
    words[0] = '\0';
    for (const option_question *at = all; at->name != NULL; at++) {
        size_t used = strlen(words);
        if (at->name[0] == '-' && reads(at, name, true) && !is_longer(all, at, name)) {
            snprintf(words + used, WORDS_BYTES - used, "%s%s", used > 0 ? " or " : "", at->name);
        }
    }
}

/* The last question is asked if no option asks another one. */
static og_status refuse(const og_option_row *row, bool own, const option_question *all,
                        const option_question *asked, og_message *message)
{
    char words[WORDS_BYTES] = "";
    if (own && asked[1].name == NULL) {
        list_asking(all, row->name, words);
    }
    if (words[0] != '\0') {
        return og_message_set(message, OG_BAD_INPUT, "--%s requires %s; give both or neither",
                              row->name, words);
    }
    return og_message_set(message, OG_BAD_INPUT, "%s does not support --%s; omit it", asked->name,
                          row->name);
}

/* "--a or --b" of words that are separated by blanks, with what is before each of them. */
static void list_words(const char *words, const char *before, char list[WORDS_BYTES])
{
    list[0] = '\0';
    while (*words != '\0') {
        int length = (int)strcspn(words, " ");
        size_t used = strlen(list);
        snprintf(list + used, WORDS_BYTES - used, "%s%s%.*s", used > 0 ? " or " : "", before,
                 length, words);
        words += length + (words[length] == ' ');
    }
}

static og_status check_row(const command *chosen, const command_request *request,
                           const option_list *list, const bool *seen, int32_t i,
                           og_message *message)
{
    const og_option_row *row = list->row[i];
    const void *options = list->family[i] == NULL ? request : request->family_options;
    if (row->only != NULL && !has_word(row->only, chosen->name)) {
        char words[WORDS_BYTES];
        list_words(row->only, "", words);
        return og_message_set(message, OG_BAD_INPUT, "%s does not support --%s; omit it, or use %s",
                              chosen->name, row->name, words);
    }
    if (row->with != NULL && !is_given(list, seen, row->with)) {
        const char *more = family_option(list, seen, i);
        char others[WORDS_BYTES];
        list_words(row->with, "--", others);
        return og_message_set(message, OG_BAD_INPUT, "%s%s%s--%s requires %s; give both or neither",
                              more != NULL ? "with --" : "", more != NULL ? more : "",
                              more != NULL ? ", " : "", row->name, others);
    }
    if (row->is_there != NULL && !row->is_there(options)) {
        return og_message_set(message, OG_BAD_INPUT, "--%s requires %s; give both or neither",
                              row->name, row->about);
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
        bool own = list->family[i] == NULL;
        if (asked != NULL && asked->name != NULL && !reads(asked, row->name, own)) {
            return refuse(row, own, chosen->questions, asked, message);
        }
        OG_TRY(check_row(chosen, request, list, seen, i, message));
    }
    return OG_OK;
}
