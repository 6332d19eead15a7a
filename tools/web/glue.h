#ifndef OG_TOOLS_WEB_GLUE_H
#define OG_TOOLS_WEB_GLUE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a web page calls: one question in, one answer out, both JSON, and two functions of the
 * page's own that are called meanwhile. Compiled to WebAssembly these two are imports (imports.js);
 * a native test has them in C.
 *
 * The question is an object:
 *
 *   "question"      "solve", "compare", "query", "bound", "simulate", "index", "tree"; "problem",
 *                   which only describes; or "family", which looks at the family's name alone
 *   "family"        "independent" where it is missing
 *   "options"       {"budget": "12", "left": "3", ...}, texts as the program takes them; a switch
 *                   has null
 *   "instances"     ["5x1,1", "2,1@0.3", ...]
 *   "policies"      names, or {"name", "function", "labels"}: a function of the page's, by number,
 *                   and whether it looks at labels; none: those that the family is known for
 *   "ties"          ["random", "first", "best", "worst"], each at most once
 *   "exact", "explain", "dry_run", "all_actions"           as in og_request, likewise
 *   "seconds_max", "memory_bytes", "optimum_states_max", "policy_states_max", "runs", "seed",
 *   "truth", "tree_states_max", "tree_levels"
 *
 * The answer is {"status", "message", "warning", "document"}: status "ok", "bad_input",
 * "no_memory", "stopped" or "failed"; message what is wrong, or ""; document what the program
 * prints with --json but for "command", to the byte, or null. Another key in a question, or another
 * kind of value, is "bad_input". One thread; one call at a time.
 */

/* To be freed with free(). NULL: no memory, not even for a message. */
char *lab_ask(const char *question);

/* ---- the page's ---- */

/* How far the work is, as og_progress, about ten times a second; false stops it. Doubles, as
 * JavaScript has no other numbers. */
bool lab_progress(double settled, double states, double memory_bytes, double seconds);

/* What lab_choose returns. */
enum {
    LAB_FAILED = 0,  /* with a line in message[0 .. message_bytes) */
    LAB_INDEX = 1,   /* the group with the largest answer is labelled */
    LAB_WEIGHTS = 2, /* the answers are probabilities up to a factor */
};

/*
 * What a function of the page's does in a state: answer[count]. The groups stand one after the
 * other in `number`: copies, threshold, kind (OG_PLUGIN_BETA, ...), how many parameters, how many
 * labels (0 where the policy does not look at them), then the parameters and the labels.
 */
int lab_choose(int32_t function, int32_t left, int32_t budget, int32_t count, const double *number,
               double *answer, char *message, int32_t message_bytes);

#endif
