/*
 * Writes the program's options in a text as the names of optgap.h, in double quotes. An option
 * begins with dashes where a word may begin. Quoted text and --name=value, a word of a prior, stay
 * as they are.
 */
#include "bench/public/named.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bench/family.h"

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

static void add_name(og_text *out, const char *option, size_t length)
{
    bool budget = option[1] == 'T';
    og_text_add(out, "\"%.*s\"", budget ? 6 : (int)length - 2, budget ? "budget" : option + 2);
}

/* Writes a text in which options have dashes, such as --time-limit, in double quotes.
 * Cut if it does not fit. */
static void name_options(const char *text, char *to, size_t size)
{
    og_text out = og_text_begin(to, size);
    char before = ' ';
    while (*text != '\0') {
        const char *quote = *text == '\'' && !in_word(before) ? strchr(text + 1, '\'') : NULL;
        size_t length = in_word(before) || before == '-' ? 0 : option_length(text);
        if (length > 0) {
            add_name(&out, text, length);
            length += text[1] == 'T' ? placeholder_length(text + length) : 0;
        } else {
            length = quote != NULL ? (size_t)(quote + 1 - text) : 1;
            og_text_add(&out, "%.*s", (int)length, text);
        }
        before = text[length - 1];
        text += length;
    }
}

og_status og_message_pass(og_message *message, og_status status, const og_message *words)
{
    const char *text = status == OG_OK ? words->text : og_message_words(words, status);
    if (message != NULL) {
        name_options(text, message->text, sizeof message->text);
    }
    return status;
}

char *og_options_named(const char *text)
{
    size_t size = 2 * strlen(text) + 1;
    char *to = malloc(size);
    if (to != NULL) {
        name_options(text, to, size);
    }
    return to;
}
