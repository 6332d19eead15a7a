/* Accuracies of workers, as a word or as a file: each is a number from 0 to 1, every worker has one
 * in every context, and they are the same when they are written again and read. */
#include "bench/families/assignment/assignment.h"
#include "tests/fuzz.h"

static void check_numbers(const og_accuracies *accuracies)
{
    fuzz_check(accuracies->contexts >= 1 && accuracies->contexts <= OG_ACCURACIES_CONTEXTS_MAX &&
                   accuracies->workers >= 1 && accuracies->workers <= OG_ACCURACIES_WORKERS_MAX,
               "sizes beyond the limits");
    for (int32_t k = 0; k < accuracies->contexts * accuracies->workers; k++) {
        og_fraction chance = accuracies->accuracy[k][0];
        fuzz_check(chance.num >= 0 && chance.den > 0 && chance.num <= chance.den,
                   "accepted what is no chance");
    }
    for (int32_t s = 0; accuracies->context_name != NULL && s < accuracies->contexts; s++) {
        for (int32_t k = 0; k < s; k++) {
            fuzz_check(strcmp(accuracies->context_name[s], accuracies->context_name[k]) != 0,
                       "a name twice");
        }
    }
}

static bool same(const og_accuracies *x, const og_accuracies *y)
{
    bool equal = x->contexts == y->contexts && x->workers == y->workers;
    for (int32_t k = 0; equal && k < x->contexts * x->workers; k++) {
        equal = og_fraction_compare(x->accuracy[k][0], y->accuracy[k][0]) == 0;
    }
    return equal;
}

/* As a word, then as a file; the last worker of a context before the others but in the first. */
static void check_read_back(const og_accuracies *accuracies, bool as_file)
{
    char *text = NULL, number[64];
    size_t size = 0;
    og_accuracies again;
    FILE *file = open_memstream(&text, &size);
    fuzz_check(file != NULL, "out of memory");
    for (int32_t k = 0; k < accuracies->contexts * accuracies->workers; k++) {
        int32_t s = k / accuracies->workers, j = k % accuracies->workers,
                last = accuracies->workers - 1;
        int32_t at = as_file && s > 0 ? s * accuracies->workers + last - j : k;
        og_fraction_format(accuracies->accuracy[at][0], number, sizeof number);
        if (as_file) {
            fprintf(file, "context %d\tworker %d\t%s\n", s, at % accuracies->workers, number);
        } else {
            fprintf(file, "%s%s", k == 0 ? "" : j == 0 ? ";" : ",", number);
        }
    }
    fclose(file);
    og_status status =
        og_accuracies_read(as_file ? fuzz_file(text, size) : text, NULL, &again, NULL);
    fuzz_check(status == OG_OK && same(accuracies, &again), "not read back");
    og_arena_clear(&again.arena);
    free(text);
}

static void check(const char *word)
{
    og_accuracies accuracies;
    og_message message = {""};
    og_status status = og_accuracies_read(word, NULL, &accuracies, &message);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check_message(&message);
        return;
    }
    check_numbers(&accuracies);
    check_read_back(&accuracies, false);
    check_read_back(&accuracies, true);
    og_arena_clear(&accuracies.arena);
}

FUZZ_TARGET(accuracies)
{
    char *word = fuzz_text(data, size);
    if (word[strspn(word, "0123456789.,;")] == '\0') {
        check(word); /* else it would be the name of a file */
    }
    check(fuzz_file(data, size));
    free(word);
}
