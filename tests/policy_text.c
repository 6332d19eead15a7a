/* Exports policies to memory, changes them there, verifies them, and compares them with the oracle
 * (test_verify.c).
 */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "dp/export/export.h"
#include "dp/export/policy_file.h"
#include "tests/oracle.h"
#include "tests/policy_text.h"

/* ---- files ---- */

static char folder[TEST_PATH_BYTES];

void policy_folder_make(void)
{
    snprintf(folder, sizeof folder, "%s/optgap-verify-XXXXXX", test_temporary());
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

void policy_folder_remove(void)
{
    ck_assert_msg(rmdir(folder) == 0, "%s: %s", folder,
                  strerror(errno)); /* nothing is left behind */
}

test_path policy_folder_path(const char *name)
{
    test_path path;
    int length =
        snprintf(path.text, sizeof path.text, "%s%s%s", folder, name[0] != '\0' ? "/" : "", name);
    ck_assert_int_lt(length, (int)sizeof path.text);
    return path;
}

policy_text policy_text_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    policy_text text = {.length = (size_t)ftell(file)};
    text.text = calloc(1, text.length + 1);
    rewind(file);
    ck_assert_ptr_nonnull(text.text);
    ck_assert_uint_eq(fread(text.text, 1, text.length, file), text.length);
    fclose(file);
    return text;
}

/* ---- exporting and checking ---- */

og_settings export_settings(int threads)
{
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = threads;
    settings.memory_bytes = MEMORY_BYTES;
    return settings;
}

policy_text export_of(const og_groups *problem, bool all, const og_settings *settings,
                      og_result *result)
{
    og_arms *arms = NULL;
    og_solver *solver = NULL;
    og_query_cache *kept = NULL;
    og_message message = {""};
    og_export_info info;
    test_path path = policy_folder_path("policy");
    og_export_request request = {.path = path.text, .all = all, .memory_bytes = MEMORY_BYTES};
    ck_assert_msg(test_arms_new(problem, 1, MEMORY_BYTES, &arms, &message) == OG_OK &&
                      og_solver_new(arms, settings, &solver, &message) == OG_OK,
                  "%s", message.text);
    if (settings->engine == OG_ENGINE_BLOCKS) {
        ck_assert_int_eq(
            og_query_cache_new(arms, settings, OG_KEPT_FORCED, solver, &kept, &message), OG_OK);
        ck_assert_msg(kept != NULL || problem->budget == 0, "layers were not kept");
    }
    request.kept = kept;
    ck_assert_msg(og_export_policy(solver, &request, result, &info, &message) == OG_OK, "%s",
                  message.text);
    ck_assert(result->by_blocks == (kept != NULL));
    og_query_cache_free(kept);
    og_solver_free(solver);
    og_arms_free(arms);
    policy_text text = policy_text_read(path.text);
    ck_assert_int_eq(unlink(path.text), 0);
    return text;
}

policy_text export_words(const char *words, int32_t budget, bool all)
{
    og_groups problem;
    og_result result;
    og_settings settings = export_settings(1);
    test_problem(words, budget, &problem);
    policy_text text = export_of(&problem, all, &settings, &result);
    og_groups_clear(&problem);
    return text;
}

og_status verify_text(const policy_text *text, uint64_t optimum_states, og_verification *found,
                      og_message *message)
{
    FILE *file = fmemopen(text->text, text->length, "rb");
    ck_assert_ptr_nonnull(file);
    const og_settings settings = {
        .threads = 1, .memory_bytes = MEMORY_BYTES, .states_max = optimum_states};
    message->text[0] = '\0';
    og_status status = og_verify_run(file, "p", &settings, found, message);
    fclose(file);
    return status;
}

/* ---- changing files ---- */

void policy_text_repair(policy_text *text)
{
    size_t before = text->length - SUM_DIGITS - 1;
    char digits[SUM_DIGITS + 2];
    snprintf(digits, sizeof digits, "%016" PRIx64 "\n", (uint64_t)XXH3_64bits(text->text, before));
    memcpy(text->text + before, digits, SUM_DIGITS + 1);
}

policy_text policy_text_changed(const policy_text *text, size_t from, size_t to, const char *put,
                                int more_states)
{
    policy_text copy = {.text = calloc(1, text->length + strlen(put) + 64)};
    memcpy(copy.text, text->text, from);
    strcpy(copy.text + from, put);
    strcat(copy.text + from, text->text + to);
    char *end = strstr(copy.text, "\nend\t");
    ck_assert_ptr_nonnull(end);
    long long states = strtoll(end + 5, NULL, 10) + more_states;
    sprintf(end, "\nend\t%lld\t0123456789abcdef\n", states);
    copy.length = strlen(copy.text);
    policy_text_repair(&copy);
    return copy;
}

bool state_at(const policy_text *text, int n, size_t *first, size_t *last)
{
    const char *at = strstr(text->text, "\nactions\t") + 1;
    for (int i = 0; i <= n; i++) {
        at = strchr(at, '\n') + 1;
        if (strncmp(at, "end\t", 4) == 0) {
            return false;
        }
    }
    *first = (size_t)(at - text->text);
    *last = (size_t)(strchr(at, '\n') + 1 - text->text);
    return true;
}

size_t choice_at(const policy_text *text, size_t first)
{
    const char *state = strchr(text->text + first, '\t') + 1;
    return (size_t)(strchr(state, '\t') + 1 - text->text);
}

/* ---- the oracle's judgement ---- */

void oracle_q_of(const og_policy_header *header, const og_policy_state *state, mpq_t *q)
{
    og_groups problem;
    og_groups_init(&problem, state->left);
    for (int32_t i = 0; i < state->count; i++) {
        const og_policy_item *item = &state->item[i];
        og_group group = header->prior[item->prior];
        group.count = item->copies;
        group.a.num += item->positive * group.a.den;
        group.b.num += item->negative * group.b.den;
        ck_assert_int_eq(og_groups_add(&problem, &group, NULL), OG_OK);
    }
    oracle_arms *oracle = oracle_new(&problem);
    for (int32_t i = 0; i < state->count; i++) {
        oracle_q(oracle, i, q[i]);
    }
    oracle_free(oracle);
    og_groups_clear(&problem);
}

double loss_of(mpq_t *q, int32_t count, int32_t item)
{
    OWN_MPQ best = MPQ_NEW;
    for (int32_t i = 0; i < count; i++) {
        if (mpq_cmp(q[i], best) > 0) {
            mpq_set(best, q[i]);
        }
    }
    mpq_sub(best, best, q[item]);
    double loss = mpq_get_d(best);
    return loss;
}

int assert_choices(const policy_text *stored, const char *words)
{
    int near_ties = 0;
    mpq_t q[ITEMS_MOST];
    for (int i = 0; i < ITEMS_MOST; i++) {
        mpq_init(q[i]);
    }
    FILE *file = fmemopen(stored->text, stored->length, "rb");
    og_policy_reader *reader = NULL;
    og_message message = {""};
    ck_assert_int_eq(og_policy_reader_new(file, "p", &reader, &message), OG_OK);
    const og_policy_header *header = og_policy_reader_header(reader);
    const og_policy_state *state;
    bool more = true;
    bool rational = true;
    for (int32_t i = 0; i < header->prior_count; i++) {
        rational = rational && og_fraction_is_integer(header->prior[i].a) &&
                   og_fraction_is_integer(header->prior[i].b);
    }
    while (og_policy_reader_next(reader, &state, &more, &message) == OG_OK && more) {
        ck_assert_int_le(state->count, ITEMS_MOST);
        oracle_q_of(header, state, q);
        for (int32_t i = 0; i < state->count; i++) {
            char text[256];
            double loss = loss_of(q, state->count, i);
            bool chosen = state->any || state->item[i].choice != OG_CHOICE_NONE;
            bool near = state->item[i].choice == OG_CHOICE_NEAR;
            og_policy_state_format(state, text, sizeof text);
            ck_assert_msg(!near || !rational, "%s: %s: fractions settle all", words, text);
            near_ties += near;
            /* Two doubles, each with the error that the file states. */
            ck_assert_msg(!chosen || loss <= (near ? 2 * header->error_bound : 0) + 1e-30,
                          "%s: %s: choice %d loses %g", words, text, i, loss);
            ck_assert_msg(chosen || !header->all || loss > 0, "%s: %s: %d is optimal too", words,
                          text, i);
        }
    }
    ck_assert_msg(!more, "%s: %s", words, message.text);
    og_policy_reader_free(reader);
    fclose(file);
    for (int i = 0; i < ITEMS_MOST; i++) {
        mpq_clear(q[i]);
    }
    return near_ties;
}
