#ifndef OG_DP_EXPORT_POLICY_FILE_H
#define OG_DP_EXPORT_POLICY_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * Optimal play as a file: a choice for every state that it can reach. The file is text with nothing
 * but the following; lines end with a newline, fields are separated by one tab, numbers are
 * decimal:
 *
 *   optgap-policy  1                     name and version of the format
 *   budget         12                    labels in all
 *   prior          10x1,1                one line for each distinct prior, an INSTANCE word of
 *                                        two kinds of labels; the
 *                                        first is prior 0
 *   value          7.5625                the optimum, expected correct calls
 *   gain           2.5625                of it by labels
 *   error_bound    1.3e-14               proved: |value - truth| is at most this
 *   actions        one                   or "all": every optimal action is listed
 *   12  0:0,0x10          0:0,0          states: labels left, state, choice
 *   11  0:0,0x9;0:0,1x1   0:0,0
 *   ...
 *   end  3456  89abcdef01234567          number of states; XXH3 (64 bits, in hexadecimal digits) of
 *                                        every byte before these digits
 *
 * A state lists the posteriors of all instances: "0:3,1x2" means that two instances of prior 0 have
 * had 3 positive labels and 1 negative one. Order: by prior, then by labels had, then by positive
 * ones. The choice is a posterior of the state: label any instance that has it. With "all" it is a
 * list, "0:0,0;0:3,1". In a near tie, where not all actions listed are proved optimal, each is
 * followed by "~". "*" means that no label can gain anything any more: every action is optimal, and
 * play is not followed further.
 *
 * States come by labels left, most first; the first is the root. States that the listed actions
 * cannot reach are not in the file.
 */
enum { OG_POLICY_FILE_VERSION = 1 };

typedef struct {
    int32_t budget;
    int32_t prior_count;
    og_group *prior; /* [prior_count] distinct; count: instances with that prior */
    double value;
    double gain;
    double error_bound;
    bool all; /* every optimal action is listed */
} og_policy_header;

typedef enum {
    OG_CHOICE_NONE = 0,
    OG_CHOICE_OPTIMAL,
    OG_CHOICE_NEAR, /* of a near tie: optimal as far as doubles can tell */
} og_choice;

typedef struct {
    int32_t prior;
    int32_t positive; /* labels had */
    int32_t negative;
    og_choice choice;
    int64_t copies;
} og_policy_item;

typedef struct {
    int32_t left;
    bool any; /* no label can gain anything; no item is chosen */
    int32_t count;
    og_policy_item *item; /* [count] in the order of the file */
} og_policy_state;

/* ---- writing ---- */

typedef struct og_policy_writer og_policy_writer;

/* As og_atomic_file_check (dp/base/file.h), for such a file. */
og_status og_policy_writer_check(const char *path, og_message *message);

/* The file appears at `path` only when og_policy_writer_end succeeds (dp/base/file.h). OG_BAD_INPUT
 * if a prior's numbers have no finite decimal. */
og_status og_policy_writer_new(const char *path, const og_policy_header *header,
                               og_policy_writer **out, og_message *message);

/* Appends a state; the caller follows the order above. OG_NO_MEMORY. Failed writes are reported at
 * the end. */
og_status og_policy_writer_put(og_policy_writer *writer, const og_policy_state *state);

/* Finishes the file and frees the writer in any case. *bytes: the size of the file, on OG_OK. */
og_status og_policy_writer_end(og_policy_writer *writer, uint64_t *bytes, og_message *message);

/* Discards the file: nothing is left behind. NULL is fine. */
void og_policy_writer_drop(og_policy_writer *writer);

/* ---- reading ---- */

typedef struct og_policy_reader og_policy_reader;

/*
 * Checks the file's checksum and reads its header. `file` must be seekable; it is borrowed until
 * the reader is freed. `name` is for messages. OG_BAD_INPUT with a message if it is not an exported
 * policy, or is of another version, damaged or a folder; OG_NO_MEMORY; OG_FAILED if it cannot be
 * read.
 */
og_status og_policy_reader_new(FILE *file, const char *name, og_policy_reader **out,
                               og_message *message);

const og_policy_header *og_policy_reader_header(const og_policy_reader *reader);

/*
 * The next state, valid until the next call; *more is false at the end, which is checked.
 * OG_BAD_INPUT with a message at a line that breaks the format. Guaranteed for each state: its
 * items are in order, each prior has as many copies as in the header, the labels had and left sum
 * to the budget, and at least one of its own items is chosen (exactly one unless header->all). Not
 * checked: whether the state can be reached, and whether states are missing.
 */
og_status og_policy_reader_next(og_policy_reader *reader, const og_policy_state **state, bool *more,
                                og_message *message);

/* Number of the last line read, from 1. */
uint64_t og_policy_reader_line(const og_policy_reader *reader);

void og_policy_reader_free(og_policy_reader *reader); /* NULL is fine */

/* A state as in the file, cut to fit ("12 left: 0:0,0x10"). Returns text. */
const char *og_policy_state_format(const og_policy_state *state, char *text, size_t size);

#endif
