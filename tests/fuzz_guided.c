/* libFuzzer's side of the targets: `fuzz NAME [libFuzzer's own arguments]`, `fuzz --list`. */
#include "tests/fuzz.h"

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const fuzz_target *target;

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    char **word = *arguments;
    if (*count == 2 && strcmp(word[1], "--list") == 0) {
        fuzz_list();
        exit(EXIT_SUCCESS);
    }
    target = *count >= 2 ? fuzz_find(word[1]) : NULL;
    fuzz_check(target != NULL, "usage: fuzz NAME, one of those that --list prints");
    word[1] = word[0];
    ++*arguments;
    --*count;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target->run(data, size);
    return 0;
}
