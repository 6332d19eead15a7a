/*
 * Draws pictures: sends a document to Python's standard input, and checks the picture from its
 * output.
 */
#include "tools/plot/draw.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "dp/base/file.h"
#include "tools/plot/child.h"

enum { CODE_BAD = 2, CODE_NO_MATPLOTLIB = 3 }; /* exit statuses of _figures/command.py */

/* -- Formats ---------------------------------------------------------------------------------- */

/* The first and last bytes of a file of each format. */
static const struct {
    const char *name;
    const char *begin, *end;
} formats[] = {
    [PICTURE_SVG] = {"svg", "<?xml", "</svg>"},
    [PICTURE_PNG] = {"png", "\x89PNG", "IEND"},
    [PICTURE_PDF] = {"pdf", "%PDF-", "%%EOF"},
    [PICTURE_NUMBERS] = {"json", "{", "}"},
    [PICTURE_PAGE] = {"html", "<!DOCTYPE html>", "</html>"},
};

og_status picture_format_of(const char *path, picture_format *out, og_message *message)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i <= PICTURE_PDF; i++) {
        if (strcmp(dot + 1, formats[i].name) == 0) {
            *out = (picture_format)i;
            return OG_OK;
        }
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "-o must name a file that ends in .svg, .png or .pdf, not '%.200s'",
                          path);
}

static bool is_whole(const char *bytes, size_t size, picture_format format)
{
    enum { TAIL = 16 }; /* the last chunk of a PNG has 12 bytes */
    size_t tail = size < TAIL ? size : TAIL;
    const char *begin = formats[format].begin, *end = formats[format].end;
    return size > strlen(begin) && memcmp(bytes, begin, strlen(begin)) == 0 &&
           memmem(bytes + size - tail, tail, end, strlen(end)) != NULL;
}

/* -- Python ----------------------------------------------------------------------------------- */

/* Finds the module next to the program in a build, or where it is installed. */
static og_status find_module(char module[PATH_MAX], og_message *message)
{
    static const char *const places[] = {"tools/python/optgap/_figures", OG_DATA_FOLDER "/figures"};
    char program[PATH_MAX];
    const char *given = getenv("OPTGAP_FIGURES"); /* of the Python package */
    if (given != NULL && strlen(given) < PATH_MAX) {
        strcpy(module, given);
        return OG_OK;
    }
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    *(slash != NULL ? slash : program) = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        bool whole = places[i][0] == '/';
        int written =
            snprintf(module, PATH_MAX, "%s%s%s", whole ? "" : program, whole ? "" : "/", places[i]);
        if (written < PATH_MAX && access(module, R_OK) == 0) {
            return OG_OK;
        }
    }
    return og_message_set(message, OG_FAILED,
                          "the folder that draws figures is missing: there is neither %s/%s nor %s",
                          program, places[0], places[1]);
}

/* Sets the message from Python's error. */
static og_status refused(int code, char *errors, og_message *message)
{
    switch (code) {
    case CHILD_MISSING:
    case CODE_NO_MATPLOTLIB:
        return og_message_set(message, OG_FAILED,
                              "figures need %s, which is not installed (on Debian: apt-get install "
                              "python3-matplotlib)",
                              code == CHILD_MISSING ? "python3" : "Python's matplotlib");
    case CODE_BAD:
        return og_message_set(message, OG_BAD_INPUT, "%.300s", child_last_line(errors));
    default:
        return og_message_set(message, OG_FAILED, "python3 failed: %.300s",
                              child_last_line(errors));
    }
}

/* Tries several Pythons, because the first one may lack Debian's packages. */
static og_status run_python(const char *json, const char *study, picture_format format,
                            char **bytes, size_t *size, og_message *message)
{
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    char module[PATH_MAX];
    OG_TRY(find_module(module, message));
    og_status status = OG_FAILED;
    for (size_t i = 0; i < sizeof pythons / sizeof *pythons; i++) {
        const char *const words[] = {pythons[i], "-B", module, formats[format].name, study, NULL};
        child_result made;
        OG_TRY(child_run(words, json, &made, message));
        status = made.code == 0 ? OG_OK : refused(made.code, made.errors, message);
        free(made.errors);
        if (made.code == 0) {
            *bytes = made.bytes;
            *size = made.size;
            return OG_OK;
        }
        free(made.bytes);
        if (made.code != CHILD_MISSING && made.code != CODE_NO_MATPLOTLIB) {
            return status;
        }
    }
    return status;
}

static og_status draw(const og_document *document, const char *study, picture_format format,
                      char **bytes, size_t *size, og_message *message)
{
    char *json = og_document_json_line(document);
    OG_TRY(OG_ALLOCATED(json));
    og_status status = run_python(json, study, format, bytes, size, message);
    free(json);
    if (status == OG_OK && !is_whole(*bytes, *size, format)) {
        status = og_message_set(message, OG_FAILED, "python3 drew no complete picture");
    }
    return status;
}

og_status picture_save(const og_document *document, const char *study, picture_format format,
                       const char *path, const char *what, og_message *message)
{
    char *bytes = NULL;
    size_t size = 0;
    og_status status = draw(document, study, format, &bytes, &size, message);
    OG_THEN(status, og_atomic_file_save(path, what, bytes, size, message));
    free(bytes);
    return status;
}
