/* A figure as gnuplot draws it: a script to its standard input, the picture from its output, which
 * is looked at before anybody gets it. */
#include "tools/figure/figure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/utf8.h"
#include "tools/figure/child.h"
#include "tools/figure/layout.h"
#include "tools/figure/script.h"
#include "tools/show/memory.h"

/* -- Data ------------------------------------------------------------------------------------- */

static char *copy_text(const char *text)
{
    char *copy = allocate(strlen(text), 1); /* and the byte behind it */
    memcpy(copy, text, strlen(text));
    return copy;
}

curve *figure_curve(figure_panel *panel, const char *name, const char *kin, curve_kind kind,
                    int home)
{
    size_t count = (size_t)panel->curve_count + 1;
    panel->curves = grow(panel->curves, count, sizeof *panel->curves);
    curve *made = &panel->curves[panel->curve_count++];
    *made = (curve){.kind = kind, .home = home, .name = copy_text(name), .kin = copy_text(kin)};
    return made;
}

bool figure_has_map(const figure_panel *panel)
{
    return panel->curve_count > 0 && panel->curves[0].kind == CURVE_MAP;
}

void figure_note(figure *of, const char *format, ...)
{
    char text[4 * FIGURE_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    of->notes = grow(of->notes, (size_t)of->note_count + 1, sizeof *of->notes);
    of->notes[of->note_count++] = copy_text(text);
}

void curve_add(curve *to, double x, double y, double low, double high)
{
    to->points = grow(to->points, to->count + 1, sizeof *to->points);
    to->points[to->count++] = (curve_point){x, y, low, high};
}

void figure_clear(figure *of)
{
    for (int p = 0; p < of->panel_count; p++) {
        figure_panel *panel = &of->panels[p];
        for (int32_t i = 0; i < panel->curve_count; i++) {
            free(panel->curves[i].name);
            free(panel->curves[i].kin);
            free(panel->curves[i].points);
        }
        free(panel->curves);
    }
    for (int32_t i = 0; i < of->note_count; i++) {
        free(of->notes[i]);
    }
    free(of->notes);
    memset(of, 0, sizeof *of);
}

/* -- Formats ---------------------------------------------------------------------------------- */

/* How a file of each format begins and ends, as far as gnuplot writes it. */
typedef struct {
    const char *suffix; /* of the name of the file */
    const char *other_suffix;
    const char *name;
    const char *begin, *end;
    size_t tail; /* the end is within so many last bytes */
} format_info;

static const format_info formats[] = {
    [PICTURE_SVG] = {".svg", ".svg", "SVG", "<svg", "</svg>", 16},
    [PICTURE_PNG] = {".png", ".png", "PNG", "PNG", "IEND", 16}, /* the last chunk has 12 bytes */
    [PICTURE_PDF] = {".pdf", ".pdf", "PDF", "%PDF-", "%%EOF", 16},
    [PICTURE_EPS] = {".eps", ".eps", "EPS", "%!PS-Adobe", "%%EOF", 16},
    [PICTURE_TIKZ] = {".tex", ".tikz", "TikZ", "\\begin{tikzpicture}", "\\end{tikzpicture}", 64},
};

og_status picture_format_of(const char *path, picture_format *out, og_message *message)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(dot, formats[i].suffix) == 0 || strcmp(dot, formats[i].other_suffix) == 0) {
            *out = (picture_format)i;
            return OG_OK;
        }
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "-o must name a file that ends in .svg, .png, .pdf, .eps or .tex "
                          "(TikZ), not '%.200s'",
                          path);
}

bool picture_is_whole(const char *bytes, size_t size, picture_format format)
{
    const format_info *info = &formats[format];
    size_t tail = size < info->tail ? size : info->tail;
    return size > 0 && memmem(bytes, size, info->begin, strlen(info->begin)) != NULL &&
           memmem(bytes + size - tail, tail, info->end, strlen(info->end)) != NULL;
}

/* Text of XML; the caller frees it. */
static char *escape(const char *text, size_t *length)
{
    char *escaped = allocate(5 * strlen(text), 1);
    *length = 0;
    for (const char *at = text; *at != '\0';) {
        size_t bytes = og_utf8_bytes(at);
        const char *as = *at == '&' ? "&amp;" : *at == '<' ? "&lt;" : *at == '>' ? "&gt;" : NULL;
        if (as != NULL) {
            memcpy(escaped + *length, as, strlen(as));
            *length += strlen(as);
        } else if (script_shows(text, at, bytes)) {
            memcpy(escaped + *length, at, bytes);
            *length += bytes;
        } else {
            escaped[(*length)++] = '?';
        }
        at += bytes > 0 ? bytes : 1;
    }
    return escaped;
}

/* Puts a text between two marks, the first of which begins at `from` or behind: returns where it
 * begins, or the size where there are none. */
static size_t replace(char **bytes, size_t *size, size_t from, const char *const marks[2],
                      const char *text)
{
    size_t length;
    char *begin = memmem(*bytes + from, *size - from, marks[0], strlen(marks[0]));
    char *end = begin == NULL
                    ? NULL
                    : memmem(begin, *size - (size_t)(begin - *bytes), marks[1], strlen(marks[1]));
    if (end == NULL) {
        return *size;
    }
    char *escaped = escape(text, &length);
    size_t before = (size_t)(begin - *bytes) + strlen("<title>");
    size_t after = *size - (size_t)(end - *bytes);
    char *made = allocate(before + length + after, 1);
    memcpy(made, *bytes, before);
    memcpy(made + before, escaped, length);
    memcpy(made + before + length, end, after);
    free(escaped);
    free(*bytes);
    *bytes = made;
    *size = before + length + after;
    return before;
}

/* gnuplot calls every SVG "Gnuplot", and every curve by its data: a browser shows that, and a
 * screen reader reads it. */
static void name_svg(const figure *of, char **bytes, size_t *size)
{
    static const char *const title[] = {"<title>Gnuplot", "</title>"};
    static const char *const curve_title[] = {"<title>" SCRIPT_CURVE, "</title>"};
    size_t at = replace(bytes, size, 0, title, of->title);
    while (at < *size) {
        const char *mark = memmem(*bytes + at, *size - at, curve_title[0], strlen(curve_title[0]));
        int panel = 0, number = 0;
        if (mark == NULL || sscanf(mark + strlen(curve_title[0]), "%d_%d", &panel, &number) != 2) {
            return;
        }
        at = replace(bytes, size, at, curve_title, of->panels[panel].curves[number].name);
    }
}

/* -- gnuplot ---------------------------------------------------------------------------------- */

static og_status gnuplot_failed(char *errors, picture_format format, og_message *message)
{
    if (strstr(errors, "ambiguous terminal type") != NULL) {
        return og_message_set(message, OG_FAILED,
                              "this gnuplot cannot draw %s (that of Debian can: apt-get install "
                              "gnuplot-nox)",
                              formats[format].name);
    }
    return og_message_set(message, OG_FAILED, "gnuplot failed: %.300s", child_last_line(errors));
}

/* gnuplot does not say when it could not write. */
static og_status draw(const char *script, size_t script_size, picture_format format, char **bytes,
                      size_t *size, og_message *message)
{
    static const char *const words[] = {"gnuplot", "-", NULL};
    static const child_program gnuplot = {words, "the figures", "gnuplot-nox"};
    char *errors = NULL, *drawn = NULL;
    bool failed = false;
    OG_TRY(child_run(&gnuplot, script, script_size, &drawn, size, &errors, &failed, message));
    og_status status = OG_OK;
    if (failed) {
        status = gnuplot_failed(errors, format, message);
    } else if (!picture_is_whole(drawn, *size, format)) {
        status = og_message_set(message, OG_FAILED, "gnuplot drew no whole picture");
    }
    free(errors);
    if (status == OG_OK) {
        *bytes = drawn;
    } else {
        free(drawn);
    }
    return status;
}

static bool is_empty(const figure_panel *panel)
{
    for (int32_t i = 0; i < panel->curve_count; i++) {
        if (curve_is_drawn(&panel->curves[i])) {
            return false;
        }
    }
    return true;
}

og_status figure_draw(figure *of, picture_format format, char **bytes, size_t *size,
                      og_message *message)
{
    for (int i = 0; i < of->panel_count; i++) {
        if (is_empty(&of->panels[i])) {
            return og_message_set(message, OG_BAD_INPUT, "there is nothing to draw");
        }
    }
    layout at;
    OG_TRY(layout_find(of, &at, message));
    char *script = NULL;
    size_t script_size = 0;
    FILE *to = stream_open(&script, &script_size);
    script_write(to, of, &at, format);
    stream_close(to);
    og_status status = draw(script, script_size, format, bytes, size, message);
    free(script);
    if (status == OG_OK && format == PICTURE_SVG) {
        name_svg(of, bytes, size);
    }
    return status;
}
