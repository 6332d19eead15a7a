/* A figure as gnuplot draws it: a script to its standard input, the picture from its output. */
#include "tools/figure/figure.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dp/base/utf8.h"
#include "tools/show/memory.h"

extern char **environ;

/* Pixels of a picture; PNG has twice as many, for the same picture. BELOW is what stands under the
 * axis: its numbers and its label. gnuplot guesses how wide SVG's letters are, too wide: two
 * columns are all that surely fit. */
enum {
    WIDTH = 580,
    PANEL_HEIGHT = 420,
    BELOW = 78,
    TITLE_HEIGHT = 70,
    KEY_LINE_HEIGHT = 24,
    KEY_EXCESS = 5,      /* one letter in so many is what gnuplot guesses too much */
    KEY_NAME_SHORT = 22, /* letters of the longest name in a key of two columns */
};

/* -- Data ------------------------------------------------------------------------------------- */

curve *figure_curve(figure_panel *panel, const char *name, curve_kind kind, int style)
{
    size_t count = (size_t)panel->curve_count + 1;
    panel->curves = grow(panel->curves, count, sizeof *panel->curves);
    curve *made = &panel->curves[panel->curve_count++];
    *made = (curve){.kind = kind, .style = style, .name = allocate(strlen(name) + 1, 1)};
    memcpy(made->name, name, strlen(name) + 1);
    return made;
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
            free(panel->curves[i].points);
        }
        free(panel->curves);
    }
    memset(of, 0, sizeof *of);
}

/* -- The script ------------------------------------------------------------------------------- */

/* What tells curves apart: Okabe and Ito's colours but for yellow, which is too light on white. */
typedef struct {
    const char *colour;
    const char *dashes;
    int mark;
} look;

static const look looks[] = {
    {"#0072B2", "solid", 6},         {"#D55E00", "(9,4)", 8},   {"#009E73", "(2,3)", 4},
    {"#CC79A7", "(12,4,2,4)", 12},   {"#E69F00", "(18,5)", 10}, {"#56B4E9", "(5,3)", 2},
    {"#000000", "(9,3,2,3,2,3)", 1}, {"#7F7F7F", "(3,6)", 3},
};

enum { LOOKS = sizeof looks / sizeof *looks };

/* May a character of the text stand in SVG, which is XML? gnuplot writes '>' as it is. */
static bool is_shown(const char *text, const char *character, size_t bytes)
{
    bool ends = character - text >= 2 && memcmp(character - 2, "]]>", 3) == 0;
    bool none = bytes == 3 && memcmp(character, "\xef\xbf", 2) == 0 &&
                (unsigned char)character[2] >= 0xbe; /* U+FFFE, U+FFFF */
    return bytes > 0 && (unsigned char)*character >= ' ' && !none && !ends;
}

/* A string of gnuplot's: in single quotes nothing but the quote itself means anything. */
static void write_string(FILE *to, const char *text)
{
    fputc('\'', to);
    for (const char *at = text; *at != '\0';) {
        size_t bytes = og_utf8_bytes(at);
        if (is_shown(text, at, bytes)) {
            fputs(*at == '\'' ? "'" : "", to);
            fwrite(at, 1, bytes, to);
        } else {
            fputc('?', to);
        }
        at += bytes > 0 ? bytes : 1;
    }
    fputc('\'', to);
}

static void write_number(FILE *to, double value, const char *end)
{
    if (isfinite(value)) {
        fprintf(to, "%.17g%s", value, end);
    } else {
        fprintf(to, "NaN%s", end);
    }
}

static void write_data(FILE *to, const curve *of, int panel, int index)
{
    fprintf(to, "$curve%d_%d << END\n", panel, index);
    for (size_t i = 0; i < of->count; i++) {
        write_number(to, of->points[i].x, " ");
        write_number(to, of->points[i].y, " ");
        write_number(to, of->points[i].low, " ");
        write_number(to, of->points[i].high, "\n");
    }
    fputs("END\n", to);
}

/* So many points that marks would hide the line get a mark now and then, not all at the same x. */
static void write_interval(FILE *to, const curve *of)
{
    enum { MARKS = 10 };
    int every = of->count > 2 * MARKS ? (int)(of->count / MARKS) : 1;
    fprintf(to, " pointinterval %d", every);
}

/* Past the last look the colours come again, with other dashes and marks. */
static look look_of(int style)
{
    int round = style / LOOKS;
    return (look){looks[style % LOOKS].colour, looks[(style + 3 * round) % LOOKS].dashes,
                  looks[(style + 5 * round) % LOOKS].mark};
}

static void write_curve(FILE *to, const curve *of, int panel, int index)
{
    look as = look_of(of->style);
    fprintf(to, "$curve%d_%d ", panel, index);
    switch (of->kind) {
    case CURVE_BAND:
        fputs("using 1:3:4 with filledcurves fillcolor rgb '#BBBBBB' fillstyle solid 0.6 noborder",
              to);
        break;
    case CURVE_MARKS:
        fprintf(to,
                "using 1:2:3:4 with yerrorbars linecolor rgb '%s' linewidth 1.5 pointtype %d "
                "pointsize 0.9",
                as.colour, as.mark);
        break;
    case CURVE_TRACE:
        fprintf(to,
                "using 1:2:3:4 with yerrorlines linecolor rgb '%s' linewidth 1.5 dashtype %s "
                "pointtype %d pointsize 0.9",
                as.colour, as.dashes, as.mark);
        break;
    case CURVE_HEAVY:
        fputs("using 1:2 with linespoints linecolor rgb '#000000' linewidth 3 pointtype 7 "
              "pointsize 0.3",
              to);
        break;
    case CURVE_LINE:
        fprintf(to,
                "using 1:2 with linespoints linecolor rgb '%s' linewidth 2 dashtype %s "
                "pointtype %d pointsize 0.9",
                as.colour, as.dashes, as.mark);
        write_interval(to, of);
        break;
    }
    fputs(" title ", to);
    write_string(to, of->name);
}

static bool is_empty(const figure_panel *panel)
{
    for (int32_t i = 0; i < panel->curve_count; i++) {
        if (panel->curves[i].count > 0) {
            return false;
        }
    }
    return true;
}

static size_t longest_name(const figure_panel *panel)
{
    size_t longest = 0;
    for (int32_t i = 0; i < panel->curve_count; i++) {
        size_t length = strlen(panel->curves[i].name);
        longest = length > longest ? length : longest;
    }
    return longest;
}

static int key_columns(const figure_panel *panel)
{
    return longest_name(panel) <= KEY_NAME_SHORT ? 2 : 1;
}

static int key_height(const figure_panel *panel)
{
    int columns = key_columns(panel);
    return (panel->curve_count + columns - 1) / columns * KEY_LINE_HEIGHT;
}

static int height_of(const figure *of)
{
    int height = TITLE_HEIGHT + KEY_LINE_HEIGHT / 2;
    for (int i = 0; i < of->panel_count; i++) {
        height += PANEL_HEIGHT + key_height(&of->panels[i]);
    }
    return height;
}

/* A point alone, or all at one height, leaves gnuplot without a range. */
static void write_ranges(FILE *to, const figure_panel *panel)
{
    double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = -INFINITY;
    for (int32_t i = 0; i < panel->curve_count; i++) {
        const curve *at = &panel->curves[i];
        for (size_t j = 0; j < at->count; j++) {
            const curve_point *point = &at->points[j];
            bool range = at->kind != CURVE_LINE && at->kind != CURVE_HEAVY;
            x_low = fmin(x_low, point->x);
            x_high = fmax(x_high, point->x);
            y_low = fmin(y_low, range ? fmin(point->low, point->y) : point->y);
            y_high = fmax(y_high, range ? fmax(point->high, point->y) : point->y);
        }
    }
    double edge = x_high > x_low ? 0.02 * (x_high - x_low) : 1;
    fprintf(to, "set xrange [%.17g:%.17g]\n", x_low - edge, x_high + edge);
    if (panel->logarithmic) {
        fputs("set logscale y\nset format y '%g'\nset yrange [*:*]\n", to);
        return;
    }
    double bottom = panel->from_zero ? 0 : y_low;
    double rise = y_high > bottom ? 0.06 * (y_high - bottom) : 0.5;
    fprintf(to, "unset logscale y\nset format y '%%g'\nset yrange [%.17g:%.17g]\n",
            panel->from_zero ? -0.3 * rise : bottom - rise, y_high + rise);
}

static void write_panel(FILE *to, const figure *of, int index)
{
    const figure_panel *panel = &of->panels[index];
    double height = height_of(of);
    double above = TITLE_HEIGHT;
    for (int i = 0; i < index; i++) {
        above += PANEL_HEIGHT + key_height(&of->panels[i]);
    }
    double bottom = above + PANEL_HEIGHT - BELOW;
    fprintf(to, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n", 1 - above / height,
            1 - bottom / height);
    fprintf(to,
            "set key at screen 0.52,%.6f center top horizontal samplen 3 width -%d maxcols %d "
            "maxrows %d\n",
            1 - (bottom + BELOW - 8) / height, (int)(longest_name(panel) / KEY_EXCESS),
            key_columns(panel), panel->curve_count);
    fputs("set xlabel ", to);
    write_string(to, panel->x_label);
    fputs("\nset ylabel ", to);
    write_string(to, panel->y_label);
    fputc('\n', to);
    write_ranges(to, panel);
    const char *before = "plot ";
    for (int32_t i = 0; i < panel->curve_count; i++) {
        if (panel->curves[i].count > 0) {
            fputs(before, to);
            write_curve(to, &panel->curves[i], index, i);
            before = ", \\\n  ";
        }
    }
    fputc('\n', to);
}

static void write_script(FILE *to, const figure *of, picture_format format)
{
    int height = height_of(of);
    if (format == PICTURE_SVG) {
        fprintf(to,
                "set terminal svg noenhanced size %d,%d dynamic font 'sans-serif,15' "
                "background rgb 'white'\n",
                WIDTH, height);
    } else {
        fprintf(to,
                "set terminal pngcairo noenhanced size %d,%d font 'DejaVu Sans,15' fontscale 1.5 "
                "linewidth 2 pointscale 2\n",
                2 * WIDTH, 2 * height);
    }
    for (int i = 0; i < of->panel_count; i++) {
        for (int32_t j = 0; j < of->panels[i].curve_count; j++) {
            write_data(to, &of->panels[i].curves[j], i, j);
        }
    }
    fputs("set encoding utf8\nset multiplot\nset border 3\nset tics nomirror\n"
          "set format x '%g'\n"
          "set grid linecolor rgb '#DDDDDD' linetype 1 linewidth 0.5\n"
          "set lmargin at screen 0.15\nset rmargin at screen 0.96\n"
          "set label 1 at screen 0.5,",
          to);
    fprintf(to, "%.6f center ", 1 - 22.0 / height);
    write_string(to, of->title);
    fprintf(to, " font ',17'\nset label 2 at screen 0.5,%.6f center ", 1 - 46.0 / height);
    write_string(to, of->subtitle);
    fputs(" font ',13' textcolor rgb '#444444'\n", to);
    for (int i = 0; i < of->panel_count; i++) {
        write_panel(to, of, i);
        fputs("unset label 1\nunset label 2\n", to);
    }
    fputs("unset multiplot\n", to);
}

/* -- gnuplot ---------------------------------------------------------------------------------- */

/* Files in memory for the child's input and its two outputs. */
typedef struct {
    int in, out, err;
} channels;

static void channels_close(channels *of)
{
    int *const all[] = {&of->in, &of->out, &of->err};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (*all[i] >= 0) {
            close(*all[i]);
        }
    }
}

static bool channels_open(channels *of)
{
    of->in = memfd_create("script", MFD_CLOEXEC);
    of->out = memfd_create("picture", MFD_CLOEXEC);
    of->err = memfd_create("errors", MFD_CLOEXEC);
    return of->in >= 0 && of->out >= 0 && of->err >= 0;
}

static bool send_script(const figure *of, picture_format format, int to)
{
    int copy = dup(to);
    FILE *file = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (file == NULL) {
        return false;
    }
    write_script(file, of, format);
    bool good = ferror(file) == 0;
    good = fclose(file) == 0 && good;
    return good && lseek(to, 0, SEEK_SET) == 0;
}

/* The whole of a file in memory, with a NUL behind it. */
static bool take_all(int from, char **bytes, size_t *size)
{
    off_t length = lseek(from, 0, SEEK_END);
    if (length < 0) {
        return false;
    }
    char *all = allocate((size_t)length + 1, 1);
    for (off_t done = 0; done < length;) {
        ssize_t count = pread(from, all + done, (size_t)(length - done), done);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            free(all);
            return false;
        }
        done += count > 0 ? count : 0;
    }
    *bytes = all;
    *size = (size_t)length;
    return true;
}

static int run_gnuplot(const channels *with, int *wait_status)
{
    char *const words[] = {"gnuplot", "-", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, with->in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, with->out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, with->err, STDERR_FILENO);
    int error = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (error == 0 && waitpid(child, wait_status, 0) < 0) {
        error = errno == EINTR ? 0 : errno;
    }
    return error;
}

/* gnuplot's last line, which says what it did not like. */
static og_status gnuplot_failed(int err, og_message *message)
{
    char *text = NULL;
    size_t size = 0;
    const char *last = "no word about why";
    if (take_all(err, &text, &size)) {
        while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == ' ')) {
            text[--size] = '\0';
        }
        char *line = strrchr(text, '\n');
        last = size == 0 ? last : line != NULL ? line + 1 : text;
    }
    og_message_set(message, OG_FAILED, "gnuplot failed: %.300s", last);
    free(text);
    return OG_FAILED;
}

/* gnuplot does not say when it could not write. */
static bool is_whole(const char *bytes, size_t size, picture_format format)
{
    enum { TAIL = 16 }; /* a PNG's last chunk is 12 bytes long */
    const char *begin = format == PICTURE_SVG ? "<svg" : "PNG";
    const char *end = format == PICTURE_SVG ? "</svg>" : "IEND";
    return size > TAIL && memmem(bytes, size, begin, strlen(begin)) != NULL &&
           memmem(bytes + size - TAIL, TAIL, end, strlen(end)) != NULL;
}

static og_status draw(const figure *of, picture_format format, const channels *with, char **bytes,
                      size_t *size, og_message *message)
{
    int wait_status = 0;
    if (!send_script(of, format, with->in)) {
        return og_message_set(message, OG_FAILED, "the figure cannot be described: %s",
                              strerror(errno));
    }
    int error = run_gnuplot(with, &wait_status);
    if (error == ENOENT ||
        (error == 0 && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 127)) {
        return og_message_set(message, OG_FAILED,
                              "gnuplot is not installed, and draws the figures (on Debian: "
                              "apt-get install gnuplot-nox)");
    }
    if (error != 0) {
        return og_message_set(message, OG_FAILED, "gnuplot cannot be started: %s", strerror(error));
    }
    if (wait_status != 0) {
        return gnuplot_failed(with->err, message);
    }
    if (!take_all(with->out, bytes, size)) {
        return og_message_set(message, OG_FAILED, "the picture cannot be read: %s",
                              strerror(errno));
    }
    if (!is_whole(*bytes, *size, format)) {
        free(*bytes);
        *bytes = NULL;
        return og_message_set(message, OG_FAILED, "gnuplot drew no whole picture");
    }
    return OG_OK;
}

og_status figure_draw(const figure *of, picture_format format, char **bytes, size_t *size,
                      og_message *message)
{
    for (int i = 0; i < of->panel_count; i++) {
        if (is_empty(&of->panels[i])) {
            return og_message_set(message, OG_BAD_INPUT, "there is nothing to draw");
        }
    }
    channels with = {-1, -1, -1};
    og_status status = OG_FAILED;
    if (channels_open(&with)) {
        status = draw(of, format, &with, bytes, size, message);
    } else {
        og_message_set(message, OG_FAILED, "no room for a picture: %s", strerror(errno));
    }
    channels_close(&with);
    return status;
}
