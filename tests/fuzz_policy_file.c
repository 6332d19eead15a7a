/* Exported policies. The bytes are read unchanged, and again with a correct checksum, so that only
 * the format can refuse them. An accepted file satisfies the reader's guarantees, and has the same
 * bytes when it is written again. */
#include <math.h>
#include <xxhash.h>

#include "dp/export/policy_file.h"
#include "tests/fuzz.h"

static void check_header(const og_policy_header *header)
{
    fuzz_check(header->prior_count >= 1 && header->budget >= 0 && header->budget <= OG_BUDGET_MAX,
               "a header out of range");
    for (int32_t i = 0; i < header->prior_count; i++) {
        fuzz_check(og_group_check(&header->prior[i], header->budget, NULL) == OG_OK &&
                       header->prior[i].kind != OG_PRIOR_DIRICHLET,
                   "a prior out of range");
    }
    const double number[] = {header->value, header->gain, header->error_bound};
    for (int i = 0; i < 3; i++) {
        fuzz_check(isfinite(number[i]) && number[i] >= 0, "a value out of range");
    }
}

/* What the header promises of a state, from the state alone. */
static void check_state(const og_policy_header *header, const og_policy_state *state)
{
    int64_t had = 0, chosen = 0;
    for (int32_t prior = 0; prior < header->prior_count; prior++) {
        int64_t copies = 0;
        for (int32_t i = 0; i < state->count; i++) {
            copies += state->item[i].prior == prior ? state->item[i].copies : 0;
        }
        fuzz_check(copies == header->prior[prior].count, "instances that do not add up");
    }
    for (int32_t i = 0; i < state->count; i++) {
        const og_policy_item *item = &state->item[i];
        fuzz_check(item->prior >= 0 && item->prior < header->prior_count && item->copies >= 1 &&
                       item->positive >= 0 && item->negative >= 0,
                   "an item out of range");
        had += item->copies * ((int64_t)item->positive + item->negative);
        chosen += item->choice != OG_CHOICE_NONE;
    }
    fuzz_check(state->left >= 1 && had + state->left == header->budget,
               "labels that do not add up");
    fuzz_check(state->any    ? chosen == 0
               : header->all ? chosen >= 1
                             : chosen == 1,
               "a wrong number of choices");
}

static void print_item(FILE *out, const og_policy_item *item)
{
    fprintf(out, "%" PRId32 ":%" PRId32 ",%" PRId32, item->prior, item->positive, item->negative);
}

/* The format, from what dp/export/policy_file.h says of it. */
static void print_header(FILE *out, const og_policy_header *header)
{
    fprintf(out, "optgap-policy\t1\nbudget\t%" PRId32 "\n", header->budget);
    for (int32_t i = 0; i < header->prior_count; i++) {
        char word[OG_GROUP_TEXT_BYTES];
        og_group_format(&header->prior[i], word, sizeof word);
        fprintf(out, "prior\t%s\n", word);
    }
    fprintf(out, "value\t%.17g\ngain\t%.17g\nerror_bound\t%.17g\nactions\t%s\n", header->value,
            header->gain, header->error_bound, header->all ? "all" : "one");
}

static void print_state(FILE *out, const og_policy_state *state)
{
    fprintf(out, "%" PRId32 "\t", state->left);
    for (int32_t i = 0; i < state->count; i++) {
        fputs(i > 0 ? ";" : "", out);
        print_item(out, &state->item[i]);
        fprintf(out, "x%" PRId64, state->item[i].copies);
    }
    fputs(state->any ? "\t*" : "\t", out);
    const char *between = "";
    for (int32_t i = 0; i < state->count; i++) {
        if (state->item[i].choice == OG_CHOICE_NONE) {
            continue;
        }
        fputs(between, out);
        print_item(out, &state->item[i]);
        fputs(state->item[i].choice == OG_CHOICE_NEAR ? "~" : "", out);
        between = ";";
    }
    fputs("\n", out);
}

static void check_refusal(og_status status, const og_message *message)
{
    fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
    fuzz_check_message(message);
}

/* All states, then the end; false where one of them is refused. */
static bool read_states(og_policy_reader *reader, FILE *out, uint64_t *states)
{
    const og_policy_header *header = og_policy_reader_header(reader);
    const og_policy_state *state = NULL;
    int32_t left = header->budget;
    bool more = true;
    for (*states = 0;; ++*states) {
        og_message message = {""};
        og_status status = og_policy_reader_next(reader, &state, &more, &message);
        if (status != OG_OK) {
            check_refusal(status, &message);
        }
        if (status != OG_OK || !more) {
            return status == OG_OK;
        }
        check_state(header, state);
        fuzz_check(state->left <= left, "states out of order");
        left = state->left;
        print_state(out, state);
    }
}

static void try_file(const char *bytes, size_t size)
{
    og_policy_reader *reader = NULL;
    og_message message = {""};
    FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "rb");
    fuzz_check(file != NULL, "no file in memory");
    og_status status = og_policy_reader_new(file, "fuzz", &reader, &message);
    if (status != OG_OK) {
        check_refusal(status, &message);
        fuzz_check(reader == NULL, "a refusal writes the output");
        fclose(file);
        return;
    }
    char *text = NULL;
    size_t length = 0;
    uint64_t states;
    FILE *out = open_memstream(&text, &length);
    fuzz_check(out != NULL, "out of memory");
    check_header(og_policy_reader_header(reader));
    print_header(out, og_policy_reader_header(reader));
    if (read_states(reader, out, &states)) {
        fprintf(out, "end\t%" PRIu64 "\t", states);
        fflush(out);
        fprintf(out, "%016" PRIx64 "\n", (uint64_t)XXH3_64bits(text, length));
        fflush(out);
        fuzz_check(length == size && memcmp(text, bytes, size) == 0, "another file when written");
    }
    fclose(out);
    free(text);
    og_policy_reader_free(reader);
    fclose(file);
}

FUZZ_TARGET(policy_file)
{
    enum { SUM_BYTES = 17 };
    char *bytes = malloc(size + SUM_BYTES + 1);
    fuzz_check(bytes != NULL, "out of memory");
    if (size > 0) {
        memcpy(bytes, data, size);
    }
    try_file(bytes, size);
    snprintf(bytes + size, SUM_BYTES + 1, "%016" PRIx64 "\n", (uint64_t)XXH3_64bits(bytes, size));
    try_file(bytes, size + SUM_BYTES);
    free(bytes);
}
