/*
 * Runs a fuzz target on each input of its corpus, so that what fuzzing found once stays found, and
 * then on random mutations of them: libFuzzer's, without its look at the code that they reach.
 *
 *     corpus NAME     one target; TEST_SCALE and TEST_SEED as in all tests
 *     corpus --list   their names, one a line
 *
 * If the program crashes, the last input is in the file that it printed.
 */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "tests/fuzz.h"
#include "tests/random_problem.h"
#include "tests/support.h"

enum {
    INPUTS_MOST = 256,
    BYTES_MOST = 1 << 13, /* of an input, mutated or not */
    PART_MOST = 32,       /* bytes that one step moves */
    STEPS_MOST = 4,       /* of a mutation */
    MUTATIONS = 20000,
};

typedef struct {
    size_t size;
    uint8_t data[BYTES_MOST];
} fuzz_input;

static fuzz_input corpus[INPUTS_MOST];
static uint32_t corpus_count;

static void read_corpus(const char *name)
{
    char below[64];
    snprintf(below, sizeof below, "tests/data/fuzz/%s", name);
    test_path folder = test_source_path(below);
    struct dirent **entry;
    int count = scandir(folder.text, &entry, NULL, alphasort);
    fuzz_check(count >= 0, folder.text);
    for (int i = 0; i < count; i++) {
        char path[TEST_PATH_BYTES + 300];
        snprintf(path, sizeof path, "%s/%s", folder.text, entry[i]->d_name);
        FILE *file = entry[i]->d_name[0] != '.' ? fopen(path, "rb") : NULL;
        if (file != NULL) {
            fuzz_check(corpus_count < INPUTS_MOST, "more inputs than INPUTS_MOST");
            fuzz_input *to = &corpus[corpus_count++];
            to->size = fread(to->data, 1, BYTES_MOST, file);
            fuzz_check(fgetc(file) == EOF, "an input of more than BYTES_MOST bytes");
            fclose(file);
        }
        free(entry[i]);
    }
    free(entry);
    fuzz_check(corpus_count > 0, "an empty corpus");
}

/* `count` bytes of `from` take the place of `gone` bytes at `at`. */
static void replace(fuzz_input *x, size_t at, size_t gone, const uint8_t *from, size_t count)
{
    if (x->size - gone + count <= BYTES_MOST) {
        memmove(x->data + at + count, x->data + at + gone, x->size - at - gone);
        memcpy(x->data + at, from, count);
        x->size += count - gone;
    }
}

/* One to PART_MOST bytes of any input, or a text that readers may take for something. */
static size_t draw_part(random_source *source, uint8_t *part)
{
    static const char *const texts[] = {
        "0",     "1",      "-1",   "2147483648",   "4294967296", "9223372036854775808",
        "1e308", "1e-400", "nan",  "inf",          "0x1",        "\n",
        "\r\n",  "\t",     ",",    "\"",           "\f",         "+",
        "/",     "@",      "\xff", "\xef\xbb\xbf", "#",          "--",
        "=",     ":"};
    if (random_below(source, 3) == 0) {
        const char *text = texts[random_below(source, sizeof texts / sizeof *texts)];
        memcpy(part, text, strlen(text));
        return strlen(text);
    }
    const fuzz_input *input = &corpus[random_below(source, corpus_count)];
    if (input->size == 0) {
        return 0;
    }
    size_t from = random_below(source, (uint32_t)input->size), left = input->size - from;
    size_t count = 1 + random_below(source, (uint32_t)(left < PART_MOST ? left : PART_MOST));
    memcpy(part, input->data + from, count);
    return count;
}

static void mutate_once(random_source *source, fuzz_input *x)
{
    uint8_t part[PART_MOST], byte = (uint8_t)random_below(source, 256);
    size_t at = random_below(source, (uint32_t)x->size + 1), left = x->size - at;
    size_t gone = random_below(source, (uint32_t)(left < PART_MOST ? left : PART_MOST) + 1);
    switch (random_below(source, 6)) {
    case 0:
        replace(x, at, gone, part, 0);
        break;
    case 1:
        replace(x, at, left > 0, &byte, 1);
        break;
    case 2:
        if (left > 0) {
            x->data[at] ^= (uint8_t)(1 << random_below(source, 8));
        }
        break;
    case 3:
        replace(x, at, gone, part, draw_part(source, part));
        break;
    case 4: /* the same bytes once more */
        memcpy(part, x->data + at, gone);
        replace(x, at, 0, part, gone);
        break;
    default:
        replace(x, at, 0, part, draw_part(source, part));
    }
}

/* Runs the target on bytes that are alone in their block, so that the address sanitizer detects a
 * read past their end. `last` is the file that outlives a crash. */
static void run(const fuzz_target *target, const fuzz_input *x, int last)
{
    uint8_t *exact = malloc(x->size + (x->size == 0));
    fuzz_check(exact != NULL, "out of memory");
    memcpy(exact, x->data, x->size);
    fuzz_check(ftruncate(last, 0) == 0 && pwrite(last, exact, x->size, 0) == (ssize_t)x->size,
               "the last input is not written");
    target->run(exact, x->size);
    free(exact);
}

static void run_all(const fuzz_target *target, int last)
{
    static fuzz_input mutated;
    uint64_t seed = test_seed(1);
    for (uint32_t i = 0; i < corpus_count; i++) {
        run(target, &corpus[i], last);
    }
    random_source source = random_start(seed);
    for (int i = test_cases(MUTATIONS); i > 0; i--) {
        mutated = corpus[random_below(&source, corpus_count)];
        for (uint32_t step = random_below(&source, STEPS_MOST) + 1; step > 0; step--) {
            mutate_once(&source, &mutated);
        }
        run(target, &mutated, last);
    }
}

int main(int count, char **argument)
{
    if (count == 2 && strcmp(argument[1], "--list") == 0) {
        fuzz_list();
        return EXIT_SUCCESS;
    }
    const fuzz_target *target = count == 2 ? fuzz_find(argument[1]) : NULL;
    fuzz_check(target != NULL, "usage: corpus NAME, one of those that --list prints");
    read_corpus(target->name);
    char path[TEST_PATH_BYTES];
    snprintf(path, sizeof path, "%s/fuzz-%s-%ld", test_temporary(), target->name, (long)getpid());
    int last = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fuzz_check(last >= 0, path);
    fprintf(stderr, "if this crashes, the input is %s\n", path);
    run_all(target, last);
    close(last);
    unlink(path);
    return EXIT_SUCCESS;
}
