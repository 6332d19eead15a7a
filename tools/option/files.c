/*
 * Checks the files that a request names, which its rows identify: each file has one role, and
 * output files can be written. A mistyped name is thus refused before the work begins, and
 * overwrites no input and no older result.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "dp/base/file.h"
#include "tools/option/options.h"

enum { NAME_BYTES = 64 };

/* A file that an option names. */
typedef struct {
    const og_option_row *row;
    const char *path; /* NULL: none */
} named_file;

static named_file file_of(const og_option_row *row, const void *options)
{
    named_file file = {.row = row};
    bool custom = row->kind == OG_OPTION_CUSTOM && row->argument != NULL &&
                  strcmp(row->argument, "FILE") == 0;
    if (row->kind == OG_OPTION_PATH || row->kind == OG_OPTION_OUTPUT || custom) {
        memcpy(&file.path, (const char *)options + row->into, sizeof file.path);
    }
    return file;
}

/* Lists all files; returns their number. */
static int32_t list_files(const command *chosen, const command_request *request,
                          named_file files[OPTIONS_MAX + 1])
{
    option_list list;
    int32_t count = 0;
    options_list(chosen, request->family, &list);
    list.row[list.count] = &chosen->word;
    list.family[list.count] = NULL;
    for (int32_t i = 0; i <= list.count; i++) {
        const og_family *family = list.family[i];
        if (family == NULL || family == request->family) {
            files[count] = file_of(list.row[i], family != NULL ? request->family_options : request);
            count += files[count].path != NULL;
        }
    }
    return count;
}

static const char *name_of(const named_file *file, char name[NAME_BYTES])
{
    const og_option_row *row = file->row;
    snprintf(name, NAME_BYTES, "%s%s", row->name != NULL ? "--" : "",
             row->name != NULL ? row->name : row->argument);
    return name;
}

/* True if a file of one list is a file of the other; a list has line ends between its files. */
static bool share_file(const char *one, const char *other)
{
    char name[PATH_MAX];
    size_t length = strcspn(one, "\n");
    if (one[length] == '\0') {
        return strchr(other, '\n') != NULL ? share_file(other, one) : og_file_same(one, other);
    }
    snprintf(name, sizeof name, "%.*s", (int)length, one);
    return share_file(other, name) || share_file(one + length + 1, other);
}

static og_status check_roles(const named_file *one, const named_file *other, og_message *message)
{
    char names[2][NAME_BYTES];
    bool written = one->row->kind == OG_OPTION_OUTPUT || other->row->kind == OG_OPTION_OUTPUT;
    if (!written || !share_file(one->path, other->path)) {
        return OG_OK;
    }
    return og_message_set(message, OG_BAD_INPUT, "%s and %s are the same file: %.200s",
                          name_of(one, names[0]), name_of(other, names[1]), one->path);
}

/* Files of INSTANCEs have been read already, but overwriting one must be a mistake. */
static og_status check_words(const named_file *file, const command_request *request,
                             og_message *message)
{
    char name[NAME_BYTES];
    for (int32_t i = 0; i < request->word_file_count; i++) {
        if (file->row->kind == OG_OPTION_OUTPUT &&
            og_file_same(file->path, request->word_file[i])) {
            return og_message_set(message, OG_BAD_INPUT, "%s and @FILE are the same file: %.200s",
                                  name_of(file, name), file->path);
        }
    }
    return OG_OK;
}

og_status check_files(const command *chosen, const command_request *request, og_message *message)
{
    named_file files[OPTIONS_MAX + 1];
    int32_t count = list_files(chosen, request, files);
    for (int32_t i = 0; i < count; i++) {
        OG_TRY(check_words(&files[i], request, message));
        for (int32_t j = 0; j < i; j++) {
            OG_TRY(check_roles(&files[j], &files[i], message));
        }
    }
    for (int32_t i = 0; i < count; i++) {
        const og_option_row *row = files[i].row;
        if (row->kind == OG_OPTION_OUTPUT && row->name != NULL) {
            OG_TRY(og_atomic_file_check(files[i].path, row->what, message));
        }
    }
    return OG_OK;
}
