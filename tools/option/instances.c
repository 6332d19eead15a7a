/*
 * INSTANCE words, from the command line, a file or a line of one: kept as they are for the family,
 * which reads them. Words of a file are copied and last as long as the request.
 */
#include <string.h>

#include "dp/base/rows.h"
#include "tools/option/options.h"
#include "tools/show/memory.h"

static void keep(command_request *request, const char *word)
{
    request->word = grow(request->word, (size_t)request->word_count + 1, sizeof *request->word);
    request->word[request->word_count++] = word;
}

void keep_instances(command_request *request, char *line)
{
    static const char blanks[] = " \t\v\f\r";
    char *rest = NULL;
    for (char *word = strtok_r(line, blanks, &rest); word != NULL;
         word = strtok_r(NULL, blanks, &rest)) {
        keep(request, word);
    }
}

/* A copy that the request owns. */
static char *own(command_request *request, const char *text)
{
    size_t count = (size_t)request->own_text_count + 1;
    char *copy = allocate(strlen(text) + 1, 1);
    request->own_text = grow(request->own_text, count, sizeof *request->own_text);
    request->own_text[request->own_text_count++] = strcpy(copy, text);
    return copy;
}

static og_status keep_file(command_request *request, const char *path, og_message *message)
{
    og_rows rows;
    int32_t before = request->word_count;
    size_t count = (size_t)request->word_file_count + 1;
    if (path[0] == '\0') {
        return og_message_set(message, OG_BAD_INPUT,
                              "'@' needs the name of a file of INSTANCEs behind it");
    }
    request->word_file = grow(request->word_file, count, sizeof *request->word_file);
    request->word_file[request->word_file_count++] = path;
    og_rows_open(&rows, strcmp(path, "-") == 0 ? "/dev/stdin" : path, '\0', '#', NULL, message);
    while (og_rows_next(&rows)) {
        keep_instances(request, own(request, rows.field[0]));
        if (request->word_count > INSTANCES_MAX) {
            og_rows_fail(&rows, "more than %d INSTANCEs", INSTANCES_MAX);
        }
    }
    if (rows.status == OG_OK && request->word_count == before) {
        og_rows_fail(&rows, "there is no INSTANCE in it");
    }
    return og_rows_close(&rows);
}

og_status keep_instance(void *options, const og_option_row *row, const char *text,
                        og_message *message)
{
    command_request *request = options;
    (void)row;
    if (text[0] == '@') {
        return keep_file(request, text + 1, message);
    }
    keep(request, text);
    return OG_OK;
}
