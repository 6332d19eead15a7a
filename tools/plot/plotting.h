#ifndef OG_TOOLS_PLOT_PLOTTING_H
#define OG_TOOLS_PLOT_PLOTTING_H

#include "tools/plot/plots.h"

/* What the kinds of figures are made with (private to tools/plot/). */

/* What a figure is made from. */
typedef struct {
    og_study_db *db;
    const plot_request *request;
    const char *condition;
    figure *out;
    og_message *message;
    bool many_ties; /* so that names must say the rule */
    bool many_runs; /* exact values and played ones */
} plotting;

/* The rows that a query gives; the first failure is kept. */
typedef struct {
    const plotting *of;
    sqlite3_stmt *at;
    og_status status;
} answers;

/* `format` with "%s" where the condition goes; end with plot_done. */
answers plot_ask(const plotting *of, const char *format);
bool plot_next(answers *rows);
og_status plot_done(answers *rows);
double plot_real(const answers *rows, int column); /* NAN: NULL */
int64_t plot_whole(const answers *rows, int column);
const char *plot_text(const answers *rows, int column);

/* The one value of a column; OG_BAD_INPUT for none and for several. `where`: more of the condition.
 */
og_status plot_find_one(const plotting *of, const char *column, const char *option,
                        const char *where, char value[FIGURE_TEXT_BYTES]);

/* Do names have to say the rule of ties, and how often was played? */
og_status plot_find_names(plotting *of, const char *where);

/* For the subtitle: the rule of ties where there is one, and how often policies were played. */
og_status plot_say_ties_and_runs(const plotting *of, const char *where,
                                 char words[FIGURE_TEXT_BYTES]);

/* The number of different values of a column. */
og_status plot_count_of(const plotting *of, const char *what, const char *where, int64_t *out);

/* A policy looks the same in all figures, if it can: by its place in the registry. */
int plot_home_of(const char *policy);

/* The curve of that name, which is made where there is none yet. */
curve *plot_curve_named(figure_panel *panel, const char *name, const char *kin, curve_kind kind,
                        int home);

/* The policy's name in the figure, and its curve. */
const char *plot_name_of(const plotting *of, const char *policy);
curve *plot_curve_of(const plotting *of, figure_panel *panel, const char *policy, const char *ties,
                     int64_t runs);

__attribute__((format(printf, 2, 3))) void plot_append(char words[FIGURE_TEXT_BYTES],
                                                       const char *format, ...);

/* What a gap is multiplied by, in SQL, and the axis' words. */
typedef struct {
    const char *factor, *label;
} plot_unit;
extern const plot_unit plot_units[PLOT_AXES];

/* The kinds about truths and beliefs. */
og_status plot_truth(plotting *of, bool wrong);
og_status plot_beliefs(plotting *of);

#endif
