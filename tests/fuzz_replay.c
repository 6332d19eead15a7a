/* Runs a fuzz target on every file of a folder: what fuzzing once found stays found. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz.h"
#include "tests/support.h"

enum { INPUT_MOST = 1 << 20 };

static void replay(const char *path)
{
    uint8_t *data = malloc(INPUT_MOST);
    FILE *file = fopen(path, "rb");
    fuzz_check(data != NULL && file != NULL, path);
    size_t size = fread(data, 1, INPUT_MOST, file);
    fclose(file);
    /* An array of the exact size lets the address sanitizer detect reads past its end. */
    uint8_t *exact = malloc(size + (size == 0));
    fuzz_check(exact != NULL, "out of memory");
    for (size_t i = 0; i < size; i++) {
        exact[i] = data[i];
    }
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    free(data);
}

int main(int count, char **argument)
{
    fuzz_check(count == 2, "usage: corpus_NAME tests/data/fuzz/NAME");
    test_path folder = test_source_path(argument[1]);
    DIR *entries = opendir(folder.text);
    fuzz_check(entries != NULL, folder.text);
    int inputs = 0;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char path[2 * TEST_PATH_BYTES];
        if (entry->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", folder.text, entry->d_name);
        replay(path);
        inputs++;
    }
    closedir(entries);
    fuzz_check(inputs > 0, "an empty corpus");
    return EXIT_SUCCESS;
}
