#ifndef OG_BENCH_QUESTIONS_MODEL_TEXT_H
#define OG_BENCH_QUESTIONS_MODEL_TEXT_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/file.h"
#include "dp/base/status.h"

/*
 * Writes a Markov decision process with state rewards for a model checker: NAME.drn for Storm, or
 * NAME.tra with NAME.lab and NAME.srew for PRISM, and NAME.states for its readers: each state that
 * has a comment, by its number. PRISM's names of choices are identifiers: other bytes are '_', and
 * names that begin with none are label_NAME. Each state has its reward and its choices; each
 * choice has its next states. States are numbered from 0 in the order in which they are written;
 * the first is "init", the last "done".
 */
enum { OG_MODEL_FILES = 4, OG_MODEL_NAME_BYTES = 200 };

typedef struct {
    uint64_t states, choices, transitions;
    uint64_t rewards; /* states with a nonzero reward */
} og_model_counts;

typedef struct {
    bool prism; /* else Storm's */
    bool exact; /* numbers are fractions */
    og_atomic_file file[OG_MODEL_FILES];
    og_model_counts put;            /* written so far */
    int32_t choice;                 /* number of the choice within the current state, from 0 */
    char name[OG_MODEL_NAME_BYTES]; /* of the choice, for PRISM */
    uint64_t bytes;                 /* of all files */
} og_model_text;

/* Check that the files can be written there, as og_atomic_file_check. */
og_status og_model_text_check(const char *path, og_message *message);

bool og_model_text_is_prism(const char *path); /* of a path that was checked */

/* Begin the files; they appear only with og_model_text_end. Call og_model_text_drop after a failure
 * too. */
og_status og_model_text_begin(const char *path, bool exact, const og_model_counts *counts,
                              og_model_text *out, og_message *message);

/* Write the next state with its reward; then its choices, at least one; after each choice its next
 * states, at least one, in ascending order. Names have no blanks or line ends, comments no line
 * ends; a comment precedes its state. Numbers are `value`, or `exact` in fractions.
 * og_model_text_end reports failed writes. OG_NO_MEMORY. */
void og_model_text_comment(og_model_text *text, const char *words);
og_status og_model_text_state(og_model_text *text, double value, mpq_srcptr exact,
                              const char *label);
void og_model_text_choice(og_model_text *text, const char *name);
og_status og_model_text_target(og_model_text *text, uint64_t state, double value, mpq_srcptr exact);

/* Finish the files and set text->bytes. OG_FAILED with a message: the requested file was not
 * replaced. */
og_status og_model_text_end(og_model_text *text, og_message *message);

/* Remove unfinished files; `text` may be zeroed. */
void og_model_text_drop(og_model_text *text);

#endif
