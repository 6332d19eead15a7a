#ifndef OG_TESTS_POLICY_TEXT_H
#define OG_TESTS_POLICY_TEXT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/verify/verify.h"
#include "dp/engine/settings.h"
#include "dp/export/policy_file.h"
#include "tests/support.h"

/* Policies exported into memory, changed there, verified, and judged by the oracle. All that fails
 * fails the test. */

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
/* settings->engine: with OG_ENGINE_BLOCKS by layers that are kept, else by the recursion. */
policy_text export_of(const og_groups *problem, bool all, const og_settings *settings,
                      og_result *result);
policy_text export_words(const char *words, int32_t budget, bool all);
og_status verify_text(const policy_text *of, uint64_t optimum_states, og_verification *found,
                      og_message *message);

/* Put the right checksum at the end. */
void policy_text_repair(policy_text *of);

/* A copy in which text[from .. to) is replaced, with the right number of states and checksum. */
policy_text policy_text_changed(const policy_text *of, size_t from, size_t to, const char *put,
                                int more_states);

/* The n-th line that is a state, as [*first, *last) with its newline; false past the last. */
bool state_at(const policy_text *of, int n, size_t *first, size_t *last);
size_t choice_at(const policy_text *of, size_t first); /* where its choice stands */

/* Q of every item of a state, in fractions; how far Q of one lies below the largest. */
void oracle_q_of(const og_policy_header *header, const og_policy_state *state, mpq_t *q);
double loss_of(mpq_t *q, int32_t count, int32_t item);

/* Every choice of the file against the oracle; with all actions, what is not chosen too. Fractions
 * leave no near tie. Returns how many there are. */
int assert_choices(const policy_text *of, const char *words);

#endif
