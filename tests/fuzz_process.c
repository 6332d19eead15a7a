/* Answers of a process's program, a line each: the root, then batches of states until the lines
 * end. What is accepted is a process: its numbers are finite and add up, its states follow each
 * other to the ends, and if its numbers are fractions the values agree with those in fractions. */
#include <math.h>

#include "bench/families/process/answers.h"
#include "dp/families/process.h"
#include "tests/fuzz.h"

typedef struct {
    char *rest; /* the lines that come */
    process_answers answers;
} script;

static og_child_line next_line(script *from)
{
    const char *line = from->rest != NULL ? strsep(&from->rest, "\n") : "";
    return (og_child_line){line, strlen(line)};
}

static size_t root(void *user, void *state, char *message, size_t message_bytes)
{
    size_t bytes = 0;
    og_message why = {""};
    og_status status = process_answers_root(next_line(user), state, &bytes, &why);
    fuzz_check((status == OG_OK) == (bytes > 0), "a root without bytes");
    snprintf(message, message_bytes, "%s", why.text);
    return bytes;
}

static og_status ahead(void *user, int32_t *count, const og_process_state *state,
                       og_message *message)
{
    script *from = user;
    (void)state;
    *count = *count < 2 ? *count : 2;
    return process_answers_read(&from->answers, next_line(from), *count, message);
}

static bool expand(void *user, const void *state, size_t bytes, og_expanded *to, char *message,
                   size_t message_bytes)
{
    script *from = user;
    (void)state, (void)bytes;
    return process_answers_tell(&from->answers, to, message, message_bytes);
}

static void check_state(const og_process_table *table, uint32_t state)
{
    for (uint32_t a = table->act_first[state]; a < table->act_first[state + 1]; a++) {
        double sum = 0;
        fuzz_check(og_process_outcomes(table, a) > 0, "an act without outcomes");
        for (uint32_t k = table->act[a].outcome_first; k < table->act[a + 1].outcome_first; k++) {
            const og_process_outcome *outcome = &table->outcome[k];
            fuzz_check(outcome->probability > 0 && isfinite(outcome->reward), "a wrong number");
            fuzz_check(outcome->next < table->state_count, "an outcome out of the table");
            fuzz_check(table->height[outcome->next] < table->height[state], "a cycle");
            sum += outcome->probability;
        }
        fuzz_check(fabs(sum - 1) < 1e-9, "probabilities that do not add up");
        fuzz_check(og_process_q(table, table->value, a) <= table->value[state], "a better act");
    }
}

static void check_table(og_process_table *table)
{
    for (uint32_t s = 0; s < table->state_count; s++) {
        fuzz_check(isfinite(table->value[s]), "a value that is not finite");
        check_state(table, s);
    }
    if (table->rational) {
        mpq_t distance, bound;
        mpq_inits(distance, bound, NULL);
        fuzz_check(og_process_exact(table, UINT64_C(1) << 26, NULL, NULL) == OG_OK, "no fractions");
        mpq_set_d(distance, table->value[0]);
        mpq_sub(distance, distance, table->value_exact[0]);
        mpq_abs(distance, distance);
        mpq_set_d(bound, og_process_error(table, 0, false));
        fuzz_check(mpq_cmp(distance, bound) <= 0, "a value beyond its error");
        mpq_clears(distance, bound, NULL);
    }
}

FUZZ_TARGET(process)
{
    char *text = fuzz_text(data, size);
    script from = {.rest = text};
    og_process_table *table = NULL;
    og_message message = {""};
    const og_process_source source = {
        .process = {.version = OG_PROCESS_VERSION, .user = &from, .root = root, .expand = expand},
        .ahead = ahead};
    og_status status = og_process_find(&source, UINT64_C(1) << 26, NULL, &table, &message);
    if (status == OG_OK) {
        check_table(table);
        og_process_free(table);
    } else {
        fuzz_check(table == NULL, "a refusal writes the output");
        fuzz_check(status == OG_BAD_INPUT || status == OG_FAILED, "another status");
        fuzz_check_message(&message);
    }
    process_answers_clear(&from.answers);
    free(text);
}
