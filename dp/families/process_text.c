/* Texts of processes: of states, for people, and of numbers. */
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/families/process.h"

enum { TEXT_MAX = 4096, EXPONENT_MAX = 1000, DECIMAL = 10 };

/* ---- states ---- */

void og_process_text(const og_process *process, const void *state, size_t bytes, char *text,
                     size_t size)
{
    if (process->text != NULL) {
        process->text(process->user, state, bytes, text, size);
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

/* ---- numbers ---- */

/* Reads digits, with at most one point; *decimals behind it. False: there are none. */
static const char *read_digits(const char *text, char *digits, size_t *decimals)
{
    size_t count = 0;
    bool point = false, any = false;
    *decimals = 0;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        point = point || *text == '.';
        if (*text != '.') {
            any = true;
            digits[count++] = *text;
            *decimals += point;
        }
    }
    digits[count] = '\0';
    return any ? text : NULL;
}

static void scale(mpq_t value, long tens)
{
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, DECIMAL, (unsigned long)labs(tens));
    if (tens >= 0) {
        mpz_mul(mpq_numref(value), mpq_numref(value), power);
    } else {
        mpz_mul(mpq_denref(value), mpq_denref(value), power);
    }
    mpz_clear(power);
}

bool og_process_number(const char *text, mpq_t out)
{
    char digits[TEXT_MAX + 1];
    size_t decimals;
    long exponent = 0;
    bool minus = *text == '-';
    if (strlen(text) > TEXT_MAX) {
        return false;
    }
    const char *at = read_digits(text + minus, digits, &decimals);
    mpq_set_ui(out, 0, 1);
    if (at == NULL || mpz_set_str(mpq_numref(out), digits, DECIMAL) != 0) {
        return false;
    }
    if (*at == '/') {
        size_t more;
        at = decimals == 0 ? read_digits(at + 1, digits, &more) : NULL;
        if (at == NULL || more > 0 || mpz_set_str(mpq_denref(out), digits, DECIMAL) != 0 ||
            mpz_sgn(mpq_denref(out)) == 0) {
            mpq_set_ui(out, 0, 1);
            return false;
        }
    } else if (*at == 'e' || *at == 'E') {
        char *end;
        bool digit = at[1 + (at[1] == '-' || at[1] == '+')] >= '0' &&
                     at[1 + (at[1] == '-' || at[1] == '+')] <= '9';
        exponent = strtol(at + 1, &end, DECIMAL);
        at = digit ? end : at;
    }
    if (*at != '\0' || exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX) {
        return false;
    }
    scale(out, exponent - (long)decimals);
    if (minus) {
        mpq_neg(out, out);
    }
    mpq_canonicalize(out);
    return true;
}
