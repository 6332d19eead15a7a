/*
 * Collects INSTANCE words from the command line, a file or a line, unparsed: the family parses
 * them. Words from a file are copied and belong to the request.
 */
#include <string.h>

#include "dp/base/rows.h"
#include "tools/option/options.h"
#include "tools/show/memory.h"

/* Grows an array by one element; its capacity doubles when it is full. */
static void *room_for_one(void *array, int32_t count, size_t size)
{
    size_t held = (size_t)count;
    return (held & (held - 1)) == 0 ? grow(array, held > 0 ? 2 * held : 1, size) : array;
}

static void keep(command_request *request, const char *word)
{
    request->word = room_for_one(request->word, request->word_count, sizeof *request->word);
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

enum { BLOCK_BYTES = 1 << 16 };

char *own_room(command_request *request, size_t bytes)
{
    if (bytes > request->own_left) {
        request->own_left = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        request->own_block =
            room_for_one(request->own_block, request->own_block_count, sizeof *request->own_block);
        request->own_block[request->own_block_count++] = allocate(request->own_left, 1);
    }
    request->own_left -= bytes;
    return request->own_block[request->own_block_count - 1] + request->own_left;
}

static og_status keep_file(command_request *request, const char *path, og_message *message)
{
    og_rows rows;
    int32_t before = request->word_count;
    if (path[0] == '\0') {
        return og_message_set(
            message, OG_BAD_INPUT,
            "'@' must be followed by the name of a file of INSTANCEs, such as @instances.txt");
    }
    request->word_file =
        room_for_one(request->word_file, request->word_file_count, sizeof *request->word_file);
    request->word_file[request->word_file_count++] = path;
    og_rows_open(&rows, strcmp(path, "-") == 0 ? "/dev/stdin" : path, '\0', '#', NULL, message);
    while (og_rows_next(&rows)) {
        char *line = own_room(request, strlen(rows.field[0]) + 1);
        keep_instances(request, strcpy(line, rows.field[0]));
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
