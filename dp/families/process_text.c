/* Texts of states, for people. */
#include <stdio.h>

#include "dp/families/process.h"

void og_process_text(const og_process *process, const void *state, size_t bytes, char *text,
                     size_t size)
{
    text[0] = '\0';
    if (process->text != NULL && process->text(process->user, state, bytes, text, size) >= 0) {
        text[size - 1] = '\0';
        for (char *c = text; *c != '\0'; c++) {
            *c = (unsigned char)*c < ' ' ? '?' : *c;
        }
        return;
    }
    const unsigned char *byte = state;
    text[0] = '\0';
    for (size_t i = 0; i < bytes && 2 * i + 3 <= size; i++) {
        snprintf(text + 2 * i, size - 2 * i, "%02x", byte[i]);
    }
}

void og_process_state_text(const og_process_table *table, uint32_t state, char *text, size_t size)
{
    uint64_t first = table->key_first[state];
    og_process_text(&table->process, table->key + first, table->key_first[state + 1] - first, text,
                    size);
}
