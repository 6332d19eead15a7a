/*
 * A figure as a script of gnuplot's. gnuplot draws axes, ticks and curves; texts and the key are
 * put where the layout says. Every label and arrow has a number of its own, and belongs to the
 * first plot.
 */
#include "tools/figure/script.h"

#include <math.h>
#include <string.h>

#include "dp/base/utf8.h"

typedef struct {
    FILE *to;
    const figure *of;
    const layout *at;
    picture_format format;
    int objects; /* labels and arrows so far */
} script;

/* What tells curves apart. A contrast of 3:1 at least with white paper; the two that are nearest to
 * each other are 17 apart (CIE76), also for those who do not see red, green or blue, and as far
 * from the optimum's black. */
typedef struct {
    const char *colour;
    const char *dashes;
    int mark;
} look;

static const look looks[] = {
    {"#0072B2", "solid", 6},         {"#D55E00", "(9,4)", 8},   {"#009E73", "(2,3)", 4},
    {"#A27EA2", "(12,4,2,4)", 12},   {"#6C2400", "(18,5)", 10}, {"#3636D8", "(5,3)", 2},
    {"#48365A", "(9,3,2,3,2,3)", 1},
};

enum { LOOKS = sizeof looks / sizeof *looks };

static const char black[] = "#000000", gray[] = "#444444", band[] = "#BBBBBB";

/* Past the last look the colours come again, with other dashes and marks. */
static look look_of(int number)
{
    int round = number / LOOKS;
    return (look){looks[number % LOOKS].colour, looks[(number + 3 * round) % LOOKS].dashes,
                  looks[(number + 5 * round) % LOOKS].mark};
}

/* ---- words ---- */

bool script_shows(const char *text, const char *character, size_t bytes)
{
    bool ends = character - text >= 2 && memcmp(character - 2, "]]>", 3) == 0;
    bool none = bytes == 3 && memcmp(character, "\xef\xbf", 2) == 0 &&
                (unsigned char)character[2] >= 0xbe; /* U+FFFE, U+FFFF */
    return bytes > 0 && (unsigned char)*character >= ' ' && !none && !ends;
}

/* What TeX would take for a command. */
static const char *tex_words(char character)
{
    switch (character) {
    case '\\':
        return "\\textbackslash{}";
    case '~':
        return "\\textasciitilde{}";
    case '^':
        return "\\textasciicircum{}";
    default:
        return NULL;
    }
}

/* A string of gnuplot's: in single quotes nothing but the quote itself means anything. */
static void write_string(const script *s, const char *text, size_t length)
{
    FILE *to = s->to;
    fputc('\'', to);
    for (const char *at = text; at < text + length;) {
        size_t bytes = og_utf8_bytes(at);
        bool tex = s->format == PICTURE_TIKZ;
        if (tex && tex_words(*at) != NULL) {
            fputs(tex_words(*at), to);
        } else if (script_shows(text, at, bytes)) {
            fputs(*at == '\'' ? "'" : tex && strchr("#$%&_{}", *at) != NULL ? "\\" : "", to);
            fwrite(at, 1, bytes, to);
        } else {
            fputc('?', to);
        }
        at += bytes > 0 ? bytes : 1;
    }
    fputc('\'', to);
}

static double screen_x(const script *s, double x)
{
    return x / s->at->width;
}

static double screen_y(const script *s, double y)
{
    return 1 - y / s->at->height;
}

/* SVG counts letters in pixels, all others in points. */
static double letters_unit(const script *s, double pixels)
{
    return s->format == PICTURE_SVG ? pixels : pixels * 72 / 96;
}

/* One line with letters of that size, its middle at y. `place`: left, center, perhaps turned. */
static void put_line(script *s, const char *text, size_t length, double size, const char *colour,
                     double x, double y, const char *place)
{
    fprintf(s->to, "set label %d ", ++s->objects);
    write_string(s, text, length);
    fprintf(s->to, " at screen %.6f,%.6f %s font ',%.5g' textcolor rgb '%s'\n", screen_x(s, x),
            screen_y(s, y), place, letters_unit(s, size), colour);
}

/* Lines from y down; returns where the next may begin. */
static double put_text(script *s, const char *text, int32_t letters, int kind, double x, double y,
                       const char *place)
{
    size_t bytes;
    for (const char *line; (line = text_next_line(&text, letters, &bytes)) != NULL;) {
        put_line(s, line, bytes, text_size(s->at, kind),
                 kind == TEXT_SUBTITLE || kind == TEXT_NOTE ? gray : black, x,
                 y + text_line(s->at, kind) / 2, place);
        y += text_line(s->at, kind);
    }
    return y;
}

/* ---- curves ---- */

static void write_number(FILE *to, double value, const char *end)
{
    if (isfinite(value)) {
        fprintf(to, "%.17g%s", value, end);
    } else {
        fprintf(to, "NaN%s", end);
    }
}

static void write_data(const script *s, int panel, int32_t index)
{
    const curve *of = &s->of->panels[panel].curves[index];
    bool logarithmic = s->of->panels[panel].logarithmic;
    double zero = s->at->range[panel].zero, least = s->at->range[panel].y_low;
    fprintf(s->to, "$curve%d_%d << END\n", panel, index);
    for (size_t i = 0; i < of->count; i++) {
        curve_point point = of->points[i];
        if (logarithmic) {
            point.y = point.y <= 0 ? zero : point.y;
            point.low = point.low <= least ? least : point.low;
        }
        write_number(s->to, point.x, " ");
        write_number(s->to, point.y, " ");
        write_number(s->to, point.low, " ");
        write_number(s->to, point.high, "\n");
    }
    fputs("END\n", s->to);
}

/* The look of every kin: its home where that is free, else the first that is. */
static int look_number(const figure *of, const char *kin)
{
    enum { KINS_MAX = 256 };
    const curve *kins[KINS_MAX];
    int number[KINS_MAX], count = 0, found = 0;
    bool taken[2 * KINS_MAX] = {false};
    for (int p = 0; p < of->panel_count; p++) {
        for (int32_t i = 0; i < of->panels[p].curve_count; i++) {
            const curve *at = &of->panels[p].curves[i];
            bool known = !curve_is_drawn(at) || count == KINS_MAX || at->kind == CURVE_BAND ||
                         at->kind == CURVE_HEAVY || at->kind == CURVE_MAP;
            for (int k = 0; k < count && !known; k++) {
                known = strcmp(kins[k]->kin, at->kin) == 0;
            }
            if (!known) {
                bool home = at->home < LOOKS && !taken[at->home];
                kins[count] = at;
                number[count++] = home ? at->home : -1;
                taken[at->home % LOOKS] |= home;
            }
        }
    }
    for (int k = 0; k < count; k++) {
        for (int i = 0; number[k] < 0; i++) {
            if (!taken[i]) {
                taken[i] = true;
                number[k] = i;
            }
        }
        found = strcmp(kins[k]->kin, kin) == 0 ? number[k] : found;
    }
    return found;
}

/* Fields are as wide and as high as a number of two digits, such as 0.042. */
static bool numbers_fit(const script *s, int panel)
{
    const figure_panel *of = &s->of->panels[panel];
    const layout *at = s->at;
    const axis_range *range = &at->range[panel];
    double columns = (range->x_high - range->x_low) / of->field_width;
    double rows = (range->y_high - range->y_low) / of->field_height;
    return text_letters(at, TEXT_NOTE, (at->right - at->left) / columns) >= 5 &&
           (at->bottom[panel] - at->top[panel]) / rows >= text_line(at, TEXT_NOTE);
}

/* Few fields of a map have their numbers too. */
static bool has_numbers(const script *s, int panel)
{
    enum { NUMBERS_MAX = 144 };
    const figure_panel *of = &s->of->panels[panel];
    return of->curves[0].kind == CURVE_MAP && of->curves[0].count <= NUMBERS_MAX &&
           numbers_fit(s, panel);
}

/* So many points that marks would hide the line get a mark now and then; of curves that lie on one
 * another each has its own ones. One on a map stands a little above the number of its field. */
static void write_marks(const script *s, int panel, int32_t index, look as)
{
    enum { MARKS = 10 };
    const curve *of = &s->of->panels[panel].curves[index];
    int32_t heap;
    int32_t place = curve_in_heap(&s->of->panels[panel], &s->at->range[panel], index, &heap);
    int32_t every = of->count > 2 * MARKS ? (int32_t)(of->count / MARKS) : 1;
    every = every < heap ? heap : every;
    int32_t first = place * every / heap;
    double lift = has_numbers(s, panel) ? 0.3 * s->of->panels[panel].field_height : 0;
    fprintf(s->to, "$curve%d_%d using 1:($2+%.17g) every %d::%d with points", panel, index, lift,
            every, (size_t)first < of->count ? first : 0);
    fprintf(s->to, " linecolor rgb '%s' linewidth 1.5 pointtype %d pointsize 0.9", as.colour,
            as.mark);
}

/* The darker, the more: told apart by brightness alone. Numbers are dark on bright and bright on
 * dark. */
static void write_map(const script *s, int panel)
{
    const figure_panel *of = &s->of->panels[panel];
    const curve *map = &of->curves[0];
    double w = of->field_width / 2, h = of->field_height / 2, most = 0;
    for (size_t i = 0; i < map->count; i++) {
        most = isfinite(map->points[i].low) ? fmax(most, map->points[i].low) : most;
    }
    fprintf(s->to,
            "$curve%d_0 using 1:2:($1-%.17g):($1+%.17g):($2-%.17g):($2+%.17g):3 with boxxyerror "
            "fillstyle solid 1 border rgb '%s' linewidth 0.3 fillcolor palette",
            panel, w, w, h, h, band);
    bool numbers = has_numbers(s, panel);
    for (int dark = 0; dark < 2 && numbers; dark++) {
        fprintf(s->to,
                ", \\\n  $curve%d_0 using 1:($3 %s %.17g ? $2 : NaN):(sprintf('%%.2g', $3)) with "
                "labels font ',%.5g' textcolor rgb '%s'",
                panel, dark ? ">" : "<=", 0.6 * most, letters_unit(s, text_size(s->at, TEXT_NOTE)),
                dark ? "#FFFFFF" : black);
    }
}

static void write_curve(const script *s, int panel, int32_t index)
{
    const curve *of = &s->of->panels[panel].curves[index];
    look as = look_of(look_number(s->of, of->kin));
    FILE *to = s->to;
    bool bars = of->kind == CURVE_MARKS || of->kind == CURVE_TRACE;
    if (of->kind == CURVE_MAP) {
        write_map(s, panel);
        return;
    }
    if (of->kind == CURVE_BAND) {
        fprintf(to,
                "$curve%d_%d using 1:3:4 with filledcurves fillcolor rgb '%s' fillstyle solid 0.6 "
                "noborder",
                panel, index, band);
        return;
    }
    if (of->kind == CURVE_HEAVY) {
        fprintf(to,
                "$curve%d_%d using 1:2 with linespoints linecolor rgb '%s' linewidth 3.5 "
                "pointtype 7 pointsize %s",
                panel, index, black, curve_is_dot(of) ? "1.2" : "0.3");
        return;
    }
    if (of->kind != CURVE_MARKS) {
        fprintf(to, "$curve%d_%d using 1:2 with lines linecolor rgb '%s' linewidth %s dashtype %s ",
                panel, index, as.colour, bars ? "1.5" : "2", as.dashes);
        fputs(", ", to);
    }
    if (bars) {
        fprintf(to,
                "$curve%d_%d using 1:2:3:4 with yerrorbars linecolor rgb '%s' linewidth 1.5 "
                "pointtype %d pointsize 0.9",
                panel, index, as.colour, as.mark);
    } else {
        write_marks(s, panel, index, as);
    }
}

/* ---- key ---- */

static void put_stroke(script *s, double x, double y, double to_x, double to_y, const char *as)
{
    fprintf(s->to, "set arrow %d from screen %.6f,%.6f to screen %.6f,%.6f nohead %s\n",
            ++s->objects, screen_x(s, x), screen_y(s, y), screen_x(s, to_x), screen_y(s, to_y), as);
}

static void put_mark(script *s, double x, double y, const char *colour, int mark, double size)
{
    fprintf(s->to,
            "set label %d '' at screen %.6f,%.6f point linecolor rgb '%s' linewidth 1.5 "
            "pointtype %d pointsize %g\n",
            ++s->objects, screen_x(s, x), screen_y(s, y), colour, mark, size);
}

/* As the curve is drawn, from x on. */
static void put_sample(script *s, const curve *of, double x, double y)
{
    double font = s->at->font, length = 3 * font, middle = x + length / 2;
    look as = look_of(look_number(s->of, of->kin));
    bool bars = of->kind == CURVE_MARKS || of->kind == CURVE_TRACE;
    char stroke[128];
    if (of->kind == CURVE_BAND) {
        fprintf(s->to,
                "set object %d rectangle from screen %.6f,%.6f to screen %.6f,%.6f "
                "fillcolor rgb '%s' fillstyle solid 0.6 noborder\n",
                ++s->objects, screen_x(s, x), screen_y(s, y + font / 3), screen_x(s, x + length),
                screen_y(s, y - font / 3), band);
        return;
    }
    if (of->kind == CURVE_HEAVY) {
        snprintf(stroke, sizeof stroke, "linecolor rgb '%s' linewidth 3.5", black);
        if (curve_is_dot(of)) {
            put_mark(s, middle, y, black, 7, 1.2);
        } else {
            put_stroke(s, x, y, x + length, y, stroke);
        }
        return;
    }
    snprintf(stroke, sizeof stroke, "linecolor rgb '%s' linewidth %s dashtype %s", as.colour,
             bars ? "1.5" : "2", as.dashes);
    if (of->kind != CURVE_MARKS && !curve_is_dot(of)) {
        put_stroke(s, x, y, x + length, y, stroke);
    }
    if (bars) {
        snprintf(stroke, sizeof stroke, "linecolor rgb '%s' linewidth 1.5", as.colour);
        put_stroke(s, middle, y - font / 2, middle, y + font / 2, stroke);
    }
    put_mark(s, middle, y, as.colour, as.mark, 0.9);
}

static void put_key(script *s)
{
    const layout *at = s->at;
    int column = 0;
    double y = at->key_top;
    for (int p = 0; p < s->of->panel_count; p++) {
        for (int32_t i = 0; i < s->of->panels[p].curve_count; i++) {
            const curve *of = &s->of->panels[p].curves[i];
            if (!layout_in_key(s->of, p, i)) {
                continue;
            }
            double x = at->font + column * at->key_column;
            put_sample(s, of, x, y + text_line(at, TEXT_KEY) / 2);
            double next =
                put_text(s, of->name, at->key_letters, TEXT_KEY, x + 3.5 * at->font, y, "left");
            column = (column + 1) % at->key_columns;
            y = column == 0 ? next : y;
        }
    }
}

/* ---- panels ---- */

/* Marks of an axis that counts: at whole numbers, a dozen at most. */
static void write_whole_ticks(FILE *to, const axis_range *range)
{
    static const double steps[] = {1, 2, 5};
    double step = 1;
    for (int i = 0; (range->x_high - range->x_low) / step > 12; i++) {
        step = steps[(i + 1) % 3] * pow(10, (double)((i + 1) / 3));
    }
    fprintf(to, "set xtics %.17g\n", step);
}

/* Marks of a map's axis, "x" or "y": each field of few has one in its middle. */
static void write_field_ticks(FILE *to, const char *axis, double low, double high, double field)
{
    const double few = 12;
    if (field > 0 && (high - low) / field <= few) {
        fprintf(to, "set %stics %.17g,%.17g\n", axis, low + field / 2, field);
    } else {
        fprintf(to, "set %stics autofreq\n", axis);
    }
}

/* Decades, at most eight of them with a number, and 0 below. */
static void write_decades(FILE *to, const axis_range *range)
{
    double decades = log10(range->y_high / range->y_low);
    int first = (int)ceil(log10(range->y_low) - 1e-9), last = (int)floor(log10(range->y_high));
    int every = 1 + (int)(decades / 9);
    fputs("set logscale y\nset ytics (", to);
    for (int i = first; i <= last; i++) {
        char number[32] = "";
        if ((i - first) % every == 0) {
            snprintf(number, sizeof number, "%g", pow(10, i));
        }
        fprintf(to, "'%s' %.17g%s", number, pow(10, i), i < last ? ", " : "");
        for (int k = 2; k < 10 && every == 1 && i < last; k++) {
            fprintf(to, "'' %.17g 1, ", k * pow(10, i));
        }
    }
    fprintf(to, isfinite(range->zero) ? "%s'0' %.17g)\n" : ")\n", first <= last ? ", " : "",
            range->zero);
}

static void write_axes(script *s, int index)
{
    const figure_panel *panel = &s->of->panels[index];
    const axis_range *range = &s->at->range[index];
    FILE *to = s->to;
    fprintf(to, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
            screen_y(s, s->at->top[index]), screen_y(s, s->at->bottom[index]));
    fprintf(to, "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n", range->x_low, range->x_high,
            range->y_low, range->y_high);
    if (figure_has_map(panel)) {
        write_field_ticks(to, "x", range->x_low, range->x_high, panel->field_width);
        write_field_ticks(to, "y", range->y_low, range->y_high, panel->field_height);
        fputs("unset logscale y\n", to);
        return;
    }
    if (panel->whole_x) {
        write_whole_ticks(to, range);
    } else {
        fputs("set xtics autofreq\n", to);
    }
    if (panel->logarithmic) {
        write_decades(to, range);
    } else {
        fputs("unset logscale y\nset ytics autofreq\n", to);
    }
}

/* Beside a short axis the letters shrink. */
static void put_axis_words(script *s, int index)
{
    const figure_panel *panel = &s->of->panels[index];
    const layout *at = s->at;
    put_text(s, panel->x_label, layout_axis_letters(at), TEXT_LABEL, (at->left + at->right) / 2,
             at->bottom[index] + 2.1 * at->font, "center");
    double room = at->bottom[index] + 3 * at->font - at->top[index];
    double size = text_size(at, TEXT_LABEL);
    double share = text_letters(at, TEXT_LABEL, room) / (double)(strlen(panel->y_label) + 1);
    put_line(s, panel->y_label, strlen(panel->y_label), size * fmin(1, share), black,
             0.9 * at->font,
             share > 1.2 ? (at->top[index] + at->bottom[index]) / 2 : at->top[index] + room / 2,
             "center rotate by 90");
}

/* The scale stands right of the panel, its words beside it. */
static void write_scale(script *s, int index)
{
    const figure_panel *panel = &s->of->panels[index];
    const layout *at = s->at;
    double top = at->top[index], bottom = at->bottom[index], letters = text_size(at, TEXT_LABEL);
    double share =
        text_letters(at, TEXT_LABEL, bottom - top) / (double)(strlen(panel->scale_label) + 1);
    fprintf(s->to,
            "set palette defined (0 '#F7FBFF', 0.5 '#6BAED6', 1 '#08306B')\n"
            "set cbrange [0:*]\nset colorbox vertical user origin screen %.6f,%.6f size screen "
            "%.6f,%.6f\nset cbtics nomirror\n",
            screen_x(s, at->right + 0.6 * at->font), screen_y(s, bottom),
            0.8 * at->font / at->width, (bottom - top) / at->height);
    put_line(s, panel->scale_label, strlen(panel->scale_label), letters * fmin(1, share), black,
             at->width - 0.8 * at->font, (top + bottom) / 2, "center rotate by 90");
}

static void write_panel(script *s, int index)
{
    const figure_panel *panel = &s->of->panels[index];
    const char *before = "plot ";
    write_axes(s, index);
    for (int32_t i = 0; i < panel->curve_count; i++) {
        if (curve_is_drawn(&panel->curves[i])) {
            fputs(before, s->to);
            write_curve(s, index, i);
            before = ", \\\n  ";
        }
    }
    fputc('\n', s->to);
}

/* ---- the whole ---- */

/* Beside the size all of them are told the scale at which a line of width 1 is a pixel wide. */
static void write_terminal(const script *s)
{
    const char *font = s->of->paper.font;
    double width = s->at->width, height = s->at->height, size = letters_unit(s, s->at->font);
    switch (s->format) {
    case PICTURE_SVG:
        fprintf(s->to,
                "set terminal svg noenhanced size %.0f,%.0f dynamic font '%s,%.5g' "
                "background rgb 'white'\n",
                width, height, font[0] != '\0' ? font : "sans-serif", size);
        return;
    case PICTURE_PNG:
        fprintf(s->to,
                "set terminal pngcairo noenhanced size %.0f,%.0f font '%s,%.5g' fontscale 2 "
                "linewidth 2 pointscale 3\n",
                2 * width, 2 * height, font[0] != '\0' ? font : "DejaVu Sans", size);
        return;
    case PICTURE_PDF:
    case PICTURE_EPS:
        fprintf(s->to,
                "set terminal %s noenhanced color size %.6fin,%.6fin font '%s,%.5g' fontscale 0.75 "
                "linewidth 1.5 pointscale 0.9\n",
                s->format == PICTURE_PDF ? "pdfcairo" : "epscairo", width / 96, height / 96,
                font[0] != '\0' ? font : "Sans", size);
        return;
    case PICTURE_TIKZ:
        fprintf(s->to, "set terminal tikz size %.6fin,%.6fin\n", width / 96, height / 96);
        return;
    }
}

void script_write(FILE *to, const figure *of, const layout *at, picture_format format)
{
    script s = {.to = to, .of = of, .at = at, .format = format};
    double middle = at->width / 2, room = at->width - at->font, y = at->font / 2;
    write_terminal(&s);
    for (int i = 0; i < of->panel_count; i++) {
        for (int32_t j = 0; j < of->panels[i].curve_count; j++) {
            write_data(&s, i, j);
        }
    }
    fputs("set encoding utf8\nset multiplot\nset border 3\nset tics nomirror\n"
          "set format '%g'\nunset key\nset bars 0.6\n"
          "set grid linecolor rgb '#DDDDDD' linetype 1 linewidth 0.5\n",
          to);
    fprintf(to, "set tics font ',%.5g'\n", letters_unit(&s, text_size(at, TEXT_SUBTITLE)));
    fprintf(to, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n", screen_x(&s, at->left),
            screen_x(&s, at->right));
    y = put_text(&s, of->title, text_letters(at, TEXT_TITLE, room), TEXT_TITLE, middle, y,
                 "center");
    put_text(&s, of->subtitle, text_letters(at, TEXT_SUBTITLE, room), TEXT_SUBTITLE, middle, y,
             "center");
    for (int i = 0; i < of->panel_count; i++) {
        put_axis_words(&s, i);
        if (figure_has_map(&of->panels[i])) {
            write_scale(&s, i);
        }
    }
    put_key(&s);
    y = at->notes_top;
    for (int32_t i = 0; i < of->note_count; i++) {
        y = put_text(&s, of->notes[i], text_letters(at, TEXT_NOTE, room), TEXT_NOTE, at->font / 2,
                     y, "left");
    }
    for (int i = 0; i < of->panel_count; i++) {
        write_panel(&s, i);
        fputs("unset label\nunset arrow\nunset object\n", to);
    }
    fputs("unset multiplot\n", to);
}
