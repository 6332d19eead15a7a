/* INSTANCE words: an accepted word is in range and is read back from its output. */
#include "dp/prior/problem.h"
#include "tests/fuzz.h"

static bool same(const og_group *x, const og_group *y)
{
    return og_fraction_compare(x->a, y->a) == 0 && og_fraction_compare(x->b, y->b) == 0 &&
           og_fraction_compare(x->threshold, y->threshold) == 0 && x->count == y->count &&
           og_group_compare(x, y) == 0;
}

FUZZ_TARGET(group)
{
    const og_group untouched = {.a = {7, 1}, .b = {7, 1}, .threshold = {1, 7}, .count = 7};
    og_group group = untouched, again;
    og_message message = {""};
    char *word = fuzz_text(data, size), back[OG_GROUP_TEXT_BYTES];
    og_status status = og_group_parse(word, &group, &message);
    free(word);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT && same(&group, &untouched),
                   "a refusal writes the output");
        fuzz_check_message(&message);
        return;
    }
    fuzz_check(og_group_check(&group, 0, NULL) == OG_OK, "accepted out of range");
    int length = og_group_format(&group, back, sizeof back);
    fuzz_check(length > 0 && (size_t)length == strlen(back), "a wrong length");
    fuzz_check(og_group_parse(back, &again, NULL) == OG_OK && same(&group, &again),
               "not read back");
}
