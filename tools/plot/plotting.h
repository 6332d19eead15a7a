#ifndef OG_TOOLS_PLOT_PLOTTING_H
#define OG_TOOLS_PLOT_PLOTTING_H

#include "tools/plot/plots.h"

/* Functions that the kinds of figures share (private to tools/plot/). */

/* The data of a figure. */
typedef struct {
    og_study_db *db;
    const plot_request *request;
    const char *condition;
    plot_figure *out;
    og_message *message;
    bool many_ties; /* so that names must include the tie rule */
    bool many_runs; /* exact and simulated values */
} plotting;

/* The rows of a query's result; the first failure is kept. */
typedef struct {
    const plotting *plot;
    sqlite3_stmt *at;
    og_status status;
} answers;

/* Asks a query; `format` has "%s" in place of the condition. End with plot_done. */
answers plot_ask(const plotting *plot, const char *format);
bool plot_next(answers *rows);
og_status plot_done(answers *rows);
double plot_real(const answers *rows, int column); /* NAN: NULL */
int64_t plot_whole(const answers *rows, int column);
const char *plot_text(const answers *rows, int column);

/* The single value of a column; OG_BAD_INPUT if there is none or more than one. `where` extends the
 * condition. */
og_status plot_find_one(const plotting *plot, const char *column, const char *option,
                        const char *where, char value[FIGURE_TEXT_BYTES]);

/* Finds whether names must include the tie rule and the number of runs. */
og_status plot_find_names(plotting *plot, const char *where);

/* For the subtitle: the tie rule if there is only one, and the number of runs. */
og_status plot_say_ties_and_runs(const plotting *plot, const char *where,
                                 char words[FIGURE_TEXT_BYTES]);

/* The number of different values of a column. */
og_status plot_count_of(const plotting *plot, const char *what, const char *where, int64_t *out);

/* A policy looks the same in all figures, if it can: by its place in the registry. */
int plot_home_of(const char *policy);

/* The curve of that name, which is made where there is none yet. */
plot_curve *plot_curve_named(figure_panel *panel, const char *name, const char *kin,
                             curve_kind kind, int home);

/* The policy's name in the figure, and its curve. */
const char *plot_name_of(const plot_request *request, const char *policy);
plot_curve *plot_curve_of(const plotting *plot, figure_panel *panel, const char *policy,
                          const char *ties, int64_t runs);

__attribute__((format(printf, 2, 3))) void plot_append(char words[FIGURE_TEXT_BYTES],
                                                       const char *format, ...);

/* Makes a figure of a file's JSON instead of a study; clears it on error. */
struct json_t;
typedef og_status plot_maker(const struct json_t *document, const plot_request *request,
                             const char *path, plot_figure *out, og_message *message);
og_status plot_json(const char *path, const plot_request *request, plot_maker *maker,
                    plot_figure *out, og_message *message);

/* The factor of a gap, in SQL, and the label of the axis. */
typedef struct {
    const char *factor, *label;
} plot_unit;
extern const plot_unit plot_units[PLOT_AXES];

/* The kinds of figures about truths and assumed priors. */
og_status plot_truth(plotting *plot, bool wrong);
og_status plot_beliefs(plotting *plot);

#endif
