#ifndef OG_TESTS_POLICY_TEXT_H
#define OG_TESTS_POLICY_TEXT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/questions/verify.h"
#include "dp/engine/settings.h"
#include "dp/export/policy_file.h"
#include "tests/support.h"

/* Exports policies to memory, changes them there, verifies them, and compares them with the oracle.
 * Any failure fails the test. */

enum { MEMORY_BYTES = 1 << 29, SUM_DIGITS = 16, ITEMS_MOST = 16 };

/* A policy file in memory. */
typedef struct {
    char *text;
    size_t length;
} policy_text;

/* A folder for a test's files; the second fails where anything is left in it. */
void policy_folder_make(void);
void policy_folder_remove(void);
test_path policy_folder_path(const char *name); /* "": the folder itself */

policy_text policy_text_read(const char *path);
og_settings export_settings(int threads);
/* settings->engine: with OG_ENGINE_BLOCKS from stored layers, else from the recursion. */
policy_text export_of(const og_groups *problem, bool all, const og_settings *settings,
                      og_result *result);
policy_text export_words(const char *words, int32_t budget, bool all);
og_status verify_text(const policy_text *text, uint64_t optimum_states, og_verification *found,
                      og_message *message);

/* Put the right checksum at the end. */
void policy_text_repair(policy_text *text);

/* A copy with text[from .. to) replaced, and with the right number of states and checksum. */
policy_text policy_text_changed(const policy_text *text, size_t from, size_t to, const char *put,
                                int more_states);

/* The n-th line that is a state, as [*first, *last) with its newline; false past the last. */
bool state_at(const policy_text *text, int n, size_t *first, size_t *last);
size_t choice_at(const policy_text *text, size_t first); /* where its choice stands */

/* Q of every item of a state, in fractions; how far Q of one lies below the largest. */
void oracle_q_of(const og_policy_header *header, const og_policy_state *state, mpq_t *q);
double loss_of(mpq_t *q, int32_t count, int32_t item);

/* Compares every choice of the file with the oracle; with all actions, also the other actions.
 * Fractions leave no near ties. Returns the number of choices. */
int assert_choices(const policy_text *stored, const char *words);

#endif
