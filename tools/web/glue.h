#ifndef OG_TOOLS_WEB_GLUE_H
#define OG_TOOLS_WEB_GLUE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The interface for a web page: a function that takes a question and returns the answer, both JSON;
 * and two functions of the page that it calls meanwhile. In WebAssembly these two are imports
 * (imports.js); a native test has them in C.
 *
 * The question is an object:
 *
 *   "question"      "solve", "compare", "query", "bound", "simulate", "index", "tree"; "problem",
 *                   which only describes; or "family", which needs only the family's name
 *   "family"        default: "independent"
 *   "options"       {"budget": "12", "left": "3", ...}, texts as on the command line; null for a
 *                   switch, a list of texts for an option that is repeated
 *   "instances"     ["5x1,1", "2,1@0.3", ...]
 *   "policies"      names, or {"name", "function", "labels"}: the number of a function of the page,
 *                   and whether it needs labels; none: the usual ones of the family
 *   "with"          {"arithmetic": "exact", "explain": null, ...}, options of the question,
 * likewise
 *
 * The answer is {"status", "message", "warning", "document"}: status "ok", "bad_input",
 * "no_memory", "stopped" or "failed"; message is the error, or ""; document is
 * the program's --json without "command", byte for byte, or null. Another key in a question, or
 * another kind of value, is "bad_input". One thread; one call at a time.
 */

/* Free the answer with free(). NULL: no memory, not even for a message. */
char *lab_ask(const char *question);

/* ---- the page's ---- */

/* Called with og_progress about ten times a second; false stops the work. The numbers are doubles,
 * because JavaScript has no others. */
bool lab_progress(double settled, double states, double memory_bytes, double seconds);

/* Return values of lab_choose. */
enum {
    LAB_FAILED = 0,  /* with a line in message[0 .. message_bytes) */
    LAB_INDEX = 1,   /* the group with the largest answer is labelled */
    LAB_WEIGHTS = 2, /* the answers are probabilities up to a factor */
};

/*
 * Calls a function of the page in a state; it writes answer[count]. `number` holds the groups one
 * after another: copies, threshold, kind (OG_PLUGIN_BETA, ...), number of parameters, number of
 * labels (0 if the policy does not need them), then the parameters and the labels.
 */
int lab_choose(int32_t function, int32_t left, int32_t budget, int32_t count, const double *number,
               double *answer, char *message, int32_t message_bytes);

#endif
