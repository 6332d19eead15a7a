/*
 * Speed of processes (dp/families/process.h): a trial of 60 patients, 635 376 states. Prints states
 * found and outcomes solved in a second of the processor, and the table's bytes:
 *
 *   ninja -C build bench/speed/speed_process && build/bench/speed/speed_process
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dp/families/process.h"

enum { PATIENTS = 60, AFTER = 10, BYTES = 5, SOLVES = 20 };

static size_t root(void *user, void *state, char *message, size_t message_bytes)
{
    static const unsigned char first[BYTES] = {1, 1, 1, 1, PATIENTS};
    (void)user, (void)message, (void)message_bytes;
    memcpy(state, first, BYTES);
    return BYTES;
}

static bool expand(void *user, const void *state, size_t bytes, og_expanded *to, char *message,
                   size_t message_bytes)
{
    const unsigned char *s = state;
    double mean[] = {(double)s[0] / (s[0] + s[1]), (double)s[2] / (s[2] + s[3])};
    (void)user, (void)message, (void)message_bytes;
    if (s[4] == 0) {
        to->end(to, AFTER * (mean[0] > mean[1] ? mean[0] : mean[1]));
        return true;
    }
    for (int arm = 0; arm < 2; arm++) {
        to->act(to, arm == 0 ? "A" : "B");
        for (int lost = 0; lost < 2; lost++) {
            unsigned char next[BYTES];
            memcpy(next, s, BYTES);
            next[2 * arm + lost]++;
            next[4]--;
            to->outcome(to, lost ? 1 - mean[arm] : mean[arm], !lost, next, bytes);
        }
    }
    return true;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Values of all states once more, as og_process_find computes them. */
static double solve(const og_process_table *table)
{
    for (uint32_t i = table->state_count; i-- > 0;) {
        uint32_t act = table->act_first[i], after = table->act_first[i + 1];
        double best = act < after ? og_process_q(table, table->value, act) : table->value[i];
        while (++act < after) {
            double q = og_process_q(table, table->value, act);
            best = q > best ? q : best;
        }
        table->value[i] = best;
    }
    return table->value[0];
}

int main(void)
{
    const og_process_source source = {
        .process = {.version = OG_PROCESS_VERSION, .root = root, .expand = expand}};
    og_process_table *table = NULL;
    og_message message = {""};
    double begun = seconds(), value = 0;
    if (og_process_find(&source, UINT64_C(1) << 32, NULL, &table, &message) != OG_OK) {
        fprintf(stderr, "%s\n", message.text);
        return EXIT_FAILURE;
    }
    double found = seconds() - begun;
    begun = seconds();
    for (int i = 0; i < SOLVES; i++) {
        value = solve(table);
    }
    double solved = (seconds() - begun) / SOLVES;
    printf("value %.12g, %u states, %u outcomes, %.1f MB\n", value, table->state_count,
           table->outcome_count, (double)table->bytes / 1e6);
    printf("found and solved in %.3f s: %.2f million states a second\n", found,
           table->state_count / found / 1e6);
    printf("solved in %.4f s: %.0f million outcomes a second\n", solved,
           table->outcome_count / solved / 1e6);
    og_process_free(table);
    return EXIT_SUCCESS;
}
