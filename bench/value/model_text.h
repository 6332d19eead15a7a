#ifndef OG_BENCH_VALUE_MODEL_TEXT_H
#define OG_BENCH_VALUE_MODEL_TEXT_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/file.h"
#include "dp/base/status.h"

/*
 * A Markov decision process with rewards of states as files of a model checker: NAME.drn as Storm
 * reads it, or NAME.tra with NAME.lab and NAME.srew as PRISM does. State by state: its reward, its
 * choices, each with where it leads. States are numbered from 0 in the order in which they are
 * written; the first is "init", the last "done".
 */
enum { OG_MODEL_FILES = 3 };

typedef struct {
    uint64_t states, choices, transitions;
    uint64_t rewards; /* states with one that is not 0 */
} og_model_counts;

typedef struct {
    bool prism; /* else Storm's */
    bool exact; /* numbers are fractions */
    og_atomic_file file[OG_MODEL_FILES];
    og_model_counts put; /* so far */
    int32_t choice;      /* of the state that began last, from 0 */
    uint64_t bytes;      /* of all files */
} og_model_text;

/* OG_BAD_INPUT with a message if the name ends in none of these. */
og_status og_model_text_format(const char *path, bool *prism, og_message *message);

/* Can they be written there? As og_atomic_file_check. */
og_status og_model_text_check(const char *path, og_message *message);

/* Begin the files; nothing stands at their places before og_model_text_end. Drop it on failure
 * too. */
og_status og_model_text_begin(const char *path, bool exact, const og_model_counts *counts,
                              og_model_text *out, og_message *message);

/* The next state, with what is earned in it; then its choices, one at least; after each where it
 * leads, one at least, in order of the numbers. Names have no blanks or line ends, and nor have
 * comments the latter; a comment stands before its state. Numbers are `value`, or `exact` in
 * fractions. Failed writes are told at the end. OG_NO_MEMORY. */
void og_model_text_comment(og_model_text *text, const char *words);
og_status og_model_text_state(og_model_text *text, double value, mpq_srcptr exact,
                              const char *label);
void og_model_text_choice(og_model_text *text, const char *name);
og_status og_model_text_target(og_model_text *text, uint64_t state, double value, mpq_srcptr exact);

/* Finish the files; then text->bytes are theirs. OG_FAILED with a message: the one that was asked
 * for is not new. */
og_status og_model_text_end(og_model_text *text, og_message *message);

/* Nothing is left behind; a zeroed one is fine. */
void og_model_text_drop(og_model_text *text);

#endif
