/* Tables of worths (--payoff table:FILE): rows that are accepted are in order, each once, found
 * again and within their limits, and are read back from their numbers. */
#include "dp/prior/worth_values.h"
#include "tests/fuzz.h"

static int compare_keys(const og_fraction x[2], const og_fraction y[2])
{
    int order = og_fraction_compare(x[0], y[0]);
    return order != 0 ? order : og_fraction_compare(x[1], y[1]);
}

static void check_rows(const og_worth_values *values)
{
    fuzz_check(values->count >= 1 && !values->by_node, "accepted without a row");
    for (size_t i = 0; i < values->count; i++) {
        const og_fraction *key = values->key[i];
        fuzz_check(key[0].num > 0 && key[1].num > 0, "a parameter that is not positive");
        fuzz_check(i == 0 || compare_keys(values->key[i - 1], key) < 0, "rows out of order");
        fuzz_check(og_worth_values_find(values, key[0], key[1]) == values->value[i],
                   "a row is not found");
        fuzz_check(mpq_cmp_si(values->value[i], OG_WORTH_MOST, 1) <= 0 &&
                       mpq_cmp_si(values->value[i], -OG_WORTH_MOST, 1) >= 0,
                   "a value beyond the limit");
    }
}

/* Last row first, so that the order of the file decides nothing. */
static void check_read_back(const og_worth_values *values)
{
    char *text = NULL, a[OG_FRACTION_TEXT_BYTES], b[OG_FRACTION_TEXT_BYTES];
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    og_worth_values *again = NULL;
    fuzz_check(file != NULL, "out of memory");
    fprintf(file, "value\tb\ta\n");
    for (size_t i = values->count; i-- > 0;) {
        char *value = mpq_get_str(NULL, 10, values->value[i]);
        og_fraction_format(values->key[i][0], a, sizeof a);
        og_fraction_format(values->key[i][1], b, sizeof b);
        fprintf(file, "%s\t%s\t%s\n", value, b, a);
        free(value);
    }
    fclose(file);
    og_status status = og_worth_values_read(fuzz_file(text, size), NULL, &again, NULL);
    free(text);
    if (status == OG_OK) { /* a long decimal is longer as a fraction */
        fuzz_check(og_worth_values_compare(values, again) == 0, "other rows");
    }
    og_worth_values_release(again);
}

FUZZ_TARGET(worth_values)
{
    og_worth_values *values = NULL;
    og_message message = {""};
    og_status status = og_worth_values_read(fuzz_file(data, size), NULL, &values, &message);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT && values == NULL, "not a clean refusal");
        fuzz_check_message(&message);
        return;
    }
    check_rows(values);
    check_read_back(values);
    og_worth_values_release(values);
}
