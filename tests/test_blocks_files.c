/*
 * Layers in files against layers in memory: the same bits of values, Q and later states, of the
 * optimum and of policies, with any number of threads; what an earlier run left is continued from;
 * a disk that is full, files that are damaged or foreign, folders that cannot be used. Checkpoints
 * of layers in memory likewise.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "dp/base/file.h"
#include "dp/product/blocks/blocks.h"
#include "heuristics/policy.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(blocks_files, 60);

static char folder[64];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "%.40s/optgap-XXXXXX", test_temporary());
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

/* Calls `each` for all names in the folder; returns how many there are. */
static int each_file(void (*each)(const char *path))
{
    int count = 0;
    DIR *open = opendir(folder);
    ck_assert_ptr_nonnull(open);
    for (struct dirent *item = readdir(open); item != NULL; item = readdir(open)) {
        char path[512];
        if (item->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
            count++;
            if (each != NULL) {
                each(path);
            }
        }
    }
    closedir(open);
    return count;
}

static void remove_file(const char *path)
{
    unlink(path);
}

static void remove_folder(void)
{
    each_file(remove_file);
    rmdir(folder);
}

static bool same_bits(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

static og_settings settings_of(int threads, bool files)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, threads);
    settings.scratch = files ? folder : NULL;
    return settings;
}

/* ---- the same bits ---- */

static og_blocks *solved(const question *q, unsigned use, int threads, og_result *result)
{
    og_settings settings = settings_of(threads, (use & OG_BLOCKS_FILES) != 0);
    og_message message = {""};
    og_blocks *blocks = NULL;
    question_ok(og_blocks_new(q->arms, use, &settings, NULL, &blocks, &message), &message,
                q->words);
    question_ok(og_blocks_solve(blocks, result, &message), &message, q->words);
    return blocks;
}

static void assert_same_states(const question *q, const og_blocks *memory, const og_blocks *files)
{
    og_state_group group[64];
    og_state state = {.left = q->arms->budget, .count = q->arms->group_count, .group = group};
    for (int32_t g = 0; g < state.count; g++) {
        group[g] = (og_state_group){q->arms->arm_of_group[g], 0, q->arms->group_size[g]};
    }
    og_message message = {""};
    for (; state.left >= 0; state.left--) { /* one instance is labelled again and again */
        double x, y;
        og_status status = og_blocks_value_at(memory, &state, &x, &message);
        ck_assert_int_eq(og_blocks_value_at(files, &state, &y, &message), status);
        test_assert_msg(status != OG_OK || same_bits(x, y),
                        "%s: %" PRId32 " left: %.17g, not %.17g", q->words, state.left, y, x);
        if (state.left == q->arms->budget) {
            group[0].copies--;
            group[state.count++] = (og_state_group){group[0].arm, 0, 1};
        }
        const og_arm *arm = q->arms->arm[group[0].arm];
        if (state.left > 0) {
            og_state_group *one = &group[state.count - 1];
            one->node = arm->next[one->node * (uint32_t)arm->outcome_count];
        }
    }
}

OG_TEST(files_have_the_bits_of_memory)
{
    uint64_t seed = test_seed(2301);
    random_source source = random_start(seed);
    make_folder();
    for (int round = 0; round < test_cases(60); round++) {
        random_limits limits = {.instances = 5,
                                .budget = 8,
                                .mixtures = round % 4 == 1,
                                .halves = round % 4 == 2,
                                .bandit = round % 8 == 3};
        OWN(question) q = question_random(&source, &limits, seed, round);
        unsigned use = random_below(&source, OG_BLOCKS_ALL + 1) | (round % 2 ? OG_BLOCKS_Q : 0) |
                       (round % 3 ? 0 : OG_BLOCKS_KEEP);
        og_result memory, files;
        og_blocks *one = solved(&q, use, 1, &memory);
        og_blocks *other = solved(&q, use | OG_BLOCKS_FILES, 1 + round % 3, &files);
        test_assert_msg(same_bits(memory.value, files.value) &&
                            same_bits(memory.gain, files.gain) && memory.states == files.states,
                        "%s: use %u: gain %.17g in files, %.17g in memory", q.words, use,
                        files.gain, memory.gain);
        ck_assert_uint_eq(memory.disk_bytes, 0);
        ck_assert(q.arms->budget < 2 || files.disk_bytes > 0);
        if ((use & OG_BLOCKS_Q) != 0 && q.arms->budget > 0) {
            double of_one[64], of_other[64], error[64];
            question_ok(og_blocks_q(one, of_one, error, NULL), NULL, q.words);
            question_ok(og_blocks_q(other, of_other, error, NULL), NULL, q.words);
            ck_assert_mem_eq(of_one, of_other, (size_t)q.arms->group_count * sizeof *of_one);
        }
        assert_same_states(&q, one, other);
        og_blocks_free(one);
        og_blocks_free(other);
        ck_assert_int_eq(each_file(NULL), 0);
    }
    remove_folder();
}

OG_TEST(policies_have_the_bits_of_memory)
{
    static const char *const names[] = {"kg", "opt-kg", "uniform", "gittins-fh"};
    OWN(question) q = question_of("4x1,1 2x2,1", 14);
    make_folder();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        og_policy_name name;
        OWN(og_ranks) *ranks = NULL;
        og_message message = {""};
        question_ok(og_policy_name_parse(names[i], &name, &message), &message, names[i]);
        question_ok(og_policy_name_ranks(&name, q.arms, q.arms->budget, 1, &ranks, &message),
                    &message, names[i]);
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            og_result result[2];
            for (int files = 0; files < 2; files++) {
                og_settings settings = settings_of(2, files > 0);
                OWN(og_blocks) *blocks = NULL;
                unsigned use = OG_BLOCKS_ALL | (files > 0 ? OG_BLOCKS_FILES : 0);
                question_ok(og_blocks_new_policy(&(og_ranks_play){q.arms, ranks, (og_ties)ties},
                                                 use, &settings, NULL, &blocks, &message),
                            &message, names[i]);
                question_ok(og_blocks_solve(blocks, &result[files], &message), &message, names[i]);
            }
            ck_assert_msg(same_bits(result[0].value, result[1].value) && result[1].disk_bytes > 0,
                          "%s: %.17g in files, %.17g in memory", names[i], result[1].value,
                          result[0].value);
        }
    }
    ck_assert_int_eq(each_file(NULL), 0);
    remove_folder();
}

/* ---- runs that end too early ---- */

enum { BUDGET = 36, FULL = 300000 }; /* bytes of a file that are more than this do not fit */

/* No file may be larger: a disk that is full for layers of many states. 0: as before. */
static void limit_files(rlim_t bytes)
{
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes > 0 ? bytes : limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static og_status attempt(const question *q, int threads, og_result *result, og_message *message)
{
    og_settings settings = settings_of(threads, true);
    og_blocks *blocks = NULL;
    *result = (og_result){0};
    question_ok(
        og_blocks_new(q->arms, OG_BLOCKS_FOLD | OG_BLOCKS_FILES, &settings, NULL, &blocks, message),
        message, q->words);
    og_status status = og_blocks_solve(blocks, result, message);
    og_blocks_free(blocks);
    return status;
}

static double value_in_memory(const question *q)
{
    og_result result;
    og_blocks_free(solved(q, OG_BLOCKS_FOLD, 1, &result));
    return result.value;
}

/* The layer that is there; there must be one, and nothing else. */
static char found[512];
static void find_file(const char *path)
{
    strcpy(found, path);
}

/* A run that finds the disk full, and the layer that it leaves. */
static void leave_a_layer(const question *q, rlim_t full)
{
    og_message message = {""};
    og_result result;
    make_folder();
    limit_files(full);
    ck_assert_int_eq(attempt(q, 2, &result, &message), OG_FAILED);
    limit_files(0);
    ck_assert_msg(strstr(message.text, "could not be written: File too large") != NULL, "%s",
                  message.text);
    ck_assert_int_eq(each_file(find_file), 1);
    ck_assert_msg(strstr(found, ".layer") != NULL && strstr(found, ".part") == NULL, "%s", found);
}

OG_TEST(a_full_disk_leaves_what_is_whole)
{
    OWN(question) q = question_of("6x1,1", BUDGET);
    double known = value_in_memory(&q);
    for (int threads = 1; threads <= 2; threads++) {
        og_message message = {""};
        og_result result;
        leave_a_layer(&q, FULL);
        struct stat before, after;
        ck_assert_int_eq(stat(found, &before), 0);
        limit_files(FULL); /* the same layer again: all before it are taken from the file */
        ck_assert_int_eq(attempt(&q, threads, &result, &message), OG_FAILED);
        limit_files(0);
        ck_assert_int_eq(each_file(find_file), 1);
        ck_assert_int_eq(stat(found, &after), 0);
        ck_assert(before.st_ino == after.st_ino);
        question_ok(attempt(&q, threads, &result, &message), &message, q.words);
        ck_assert_msg(same_bits(result.value, known), "%.17g, not %.17g", result.value, known);
        ck_assert_int_eq(each_file(NULL), 0);
        remove_folder();
    }
}

/* A layer of one piece with doubled values and correct checksums: code that reuses it gets another
 * value. */
OG_TEST(what_is_there_is_not_computed_again)
{
    enum { HEADER = 8, ONE_PIECE = 8 * 12000 };
    OWN(question) q = question_of("6x1,1", 30);
    og_message message = {""};
    og_result result;
    leave_a_layer(&q, ONE_PIECE);
    struct stat file;
    ck_assert_int_eq(stat(found, &file), 0);
    size_t words = (size_t)file.st_size / sizeof(uint64_t);
    uint64_t *word = malloc((size_t)file.st_size);
    int descriptor = open(found, O_RDWR);
    ck_assert_int_eq(pread(descriptor, word, (size_t)file.st_size, 0), file.st_size);
    ck_assert_uint_eq(word[5], words - HEADER - 2);
    ck_assert_uint_eq(word[6], 1);
    ck_assert_uint_eq(word[HEADER - 1], XXH3_64bits(word, (HEADER - 1) * sizeof *word));
    for (size_t i = HEADER; i < words - 2; i++) {
        double value;
        memcpy(&value, &word[i], sizeof value);
        value *= 2;
        memcpy(&word[i], &value, sizeof value);
    }
    word[words - 2] = XXH3_64bits(&word[HEADER], word[5] * sizeof *word);
    word[words - 1] = XXH3_64bits_withSeed(&word[words - 2], sizeof *word, word[HEADER - 1]);
    ck_assert_int_eq(pwrite(descriptor, word, (size_t)file.st_size, 0), file.st_size);
    close(descriptor);
    free(word);
    question_ok(attempt(&q, 1, &result, &message), &message, q.words);
    ck_assert(result.value > 1.01 * value_in_memory(&q));
    remove_folder();
}

/* ---- checkpoints ---- */

static og_status saved(const question *q, unsigned use, int threads, const char *path,
                       og_result *result, og_message *message)
{
    og_settings settings = settings_of(threads, false);
    og_blocks *blocks = NULL;
    settings.checkpoint = path;
    settings.checkpoint_seconds = 1e-9;
    *message = (og_message){""};
    question_ok(og_blocks_new(q->arms, use, &settings, NULL, &blocks, message), message, q->words);
    og_status status = og_blocks_solve(blocks, result, message);
    og_blocks_free(blocks);
    return status;
}

/* Without interruption, then from the saved layers: the first layer, because the second is there
 * too early. */
OG_TEST(layers_are_saved_and_continued)
{
    uint64_t seed = test_seed(2303);
    random_source source = random_start(seed);
    make_folder();
    char path[128];
    snprintf(path, sizeof path, "%s/saved", folder);
    int files = 0;
    for (int round = 0; round < test_cases(60); round++) {
        random_limits limits = {.instances = 5, .budget = 8, .mixtures = round % 4 == 1};
        OWN(question) q = question_random(&source, &limits, seed, round);
        unsigned use = random_below(&source, OG_BLOCKS_ALL + 1);
        og_message message;
        og_result memory, result;
        og_blocks_free(solved(&q, use, 1, &memory));
        for (int i = 0; i < 2; i++) {
            ck_assert_int_eq(saved(&q, use, 1 + i, path, &result, &message), OG_OK);
            test_assert_msg(same_bits(memory.value, result.value) &&
                                memory.states == result.states && message.text[0] == '\0',
                            "%s: use %u: %.17g, not %.17g; %s", q.words, use, result.value,
                            memory.value, message.text);
            files += access(path, F_OK) == 0;
        }
        unlink(path);
    }
    ck_assert_int_gt(files, test_cases(60));
    remove_folder();
}

static void change_byte(const char *path, off_t at);

/* Like what_is_there_is_not_computed_again, with refused files. */
OG_TEST(a_checkpoint_is_read_and_checked)
{
    enum { HEADER = 4 };
    make_folder();
    char path[128];
    snprintf(path, sizeof path, "%s/saved", folder);
    OWN(question) q = question_of("6x1,1", 12), other = question_of("6x1,1", 13);
    og_message message;
    og_result result, again;
    ck_assert_int_eq(saved(&q, OG_BLOCKS_FOLD, 1, path, &result, &message), OG_OK);
    ck_assert_int_eq(saved(&other, OG_BLOCKS_FOLD, 1, path, &again, &message), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "of another problem") != NULL, "%s", message.text);
    struct stat file;
    ck_assert_int_eq(stat(path, &file), 0);
    for (off_t at = 0; at < file.st_size; at += at < 64 ? 8 : file.st_size / 20) {
        change_byte(path, at);
        ck_assert_int_eq(saved(&q, OG_BLOCKS_FOLD, 1, path, &again, &message), OG_BAD_INPUT);
        change_byte(path, at);
    }
    size_t words = (size_t)file.st_size / sizeof(uint64_t);
    uint64_t *word = malloc((size_t)file.st_size);
    int descriptor = open(path, O_RDWR);
    ck_assert_int_eq(pread(descriptor, word, (size_t)file.st_size, 0), file.st_size);
    ck_assert_uint_eq(word[HEADER + 1], words - HEADER - 2 - 3); /* one layer */
    for (size_t i = HEADER + 2; i < words - 3; i++) {
        double value;
        memcpy(&value, &word[i], sizeof value);
        value *= 2;
        memcpy(&word[i], &value, sizeof value);
    }
    word[words - 1] = XXH3_64bits(word, (words - 1) * sizeof *word);
    ck_assert_int_eq(pwrite(descriptor, word, (size_t)file.st_size, 0), file.st_size);
    close(descriptor);
    free(word);
    ck_assert_int_eq(saved(&q, OG_BLOCKS_FOLD, 1, path, &again, &message), OG_OK);
    ck_assert(again.value > result.value);
    ck_assert_int_eq(truncate(path, file.st_size - 8), 0);
    ck_assert_int_eq(saved(&q, OG_BLOCKS_FOLD, 1, path, &again, &message), OG_BAD_INPUT);
    remove_folder();
}

/* The message about each kind names the other one. */
OG_TEST(two_kinds_of_checkpoints)
{
    make_folder();
    char path[128];
    snprintf(path, sizeof path, "%s/saved", folder);
    OWN(question) q = question_of("6x1,1", 30);
    og_message message = {""};
    og_result result;
    og_solver *solver = NULL;
    og_settings settings = settings_of(1, false);
    settings.checkpoint = path;
    ck_assert_int_eq(saved(&q, OG_BLOCKS_ALL, 1, path, &result, &message), OG_OK);
    ck_assert_int_eq(og_solver_new(q.arms, &settings, &solver, &message), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "holds layers of blocks") != NULL, "%s", message.text);
    ck_assert_int_eq(unlink(path), 0);
    settings.checkpoint_seconds = 1e-9;
    question_ok(og_solver_new(q.arms, &settings, &solver, &message), &message, q.words);
    question_ok(og_solver_value(solver, &result, &message), &message, q.words);
    og_solver_free(solver);
    ck_assert_int_eq(access(path, F_OK), 0);
    ck_assert_int_eq(saved(&q, OG_BLOCKS_ALL, 1, path, &result, &message), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "holds states of the recursion") != NULL, "%s",
                  message.text);
    remove_folder();
}

/* A failure to save is reported, and the value remains valid. */
OG_TEST(a_checkpoint_that_cannot_be_written)
{
    make_folder();
    char path[128];
    snprintf(path, sizeof path, "%s/none/saved", folder);
    OWN(question) q = question_of("6x1,1", 30);
    og_message message;
    og_result result;
    ck_assert_int_eq(saved(&q, OG_BLOCKS_FOLD, 1, path, &result, &message), OG_OK);
    ck_assert_msg(strstr(message.text, "could not be written") != NULL, "%s", message.text);
    ck_assert(same_bits(result.value, value_in_memory(&q)));
    ck_assert_int_eq(each_file(NULL), 0);
    remove_folder();
}

/* ---- files that are not as they were left ---- */

static void change_byte(const char *path, off_t at)
{
    int descriptor = open(path, O_RDWR);
    char byte;
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(pread(descriptor, &byte, 1, at), 1);
    byte = (char)(byte ^ 0x40);
    ck_assert_int_eq(pwrite(descriptor, &byte, 1, at), 1);
    close(descriptor);
}

OG_TEST(damage_is_refused)
{
    OWN(question) q = question_of("6x1,1", BUDGET);
    leave_a_layer(&q, FULL);
    struct stat file;
    ck_assert_int_eq(stat(found, &file), 0);
    random_source source = random_start(test_seed(2302));
    for (int i = 0; i < test_cases(40); i++) {
        static const off_t some[] = {0, 8, 16, 24, 32, 40, 48, 56, 64};
        off_t at = i < 9    ? some[i]
                   : i < 20 ? file.st_size - 1 - 8 * (i - 9)
                            : (off_t)random_below(&source, (uint32_t)file.st_size);
        og_message message = {""};
        og_result result;
        change_byte(found, at);
        og_status status = attempt(&q, 1 + i % 2, &result, &message);
        ck_assert_msg(status == OG_BAD_INPUT, "byte %lld: %d %s", (long long)at, status,
                      message.text);
        const char *says = at >= 24 && at < 32 ? "is of another problem" : "is damaged";
        ck_assert_msg(strstr(message.text, says) != NULL, "%s", message.text);
        ck_assert_int_eq(each_file(NULL), 1);
        change_byte(found, at);
    }
    og_message message = {""};
    og_result result;
    ck_assert_int_eq(truncate(found, file.st_size - 8), 0);
    ck_assert_int_eq(attempt(&q, 1, &result, &message), OG_BAD_INPUT);
    ck_assert_int_eq(unlink(found), 0);
    question_ok(attempt(&q, 1, &result, &message), &message, q.words);
    ck_assert(same_bits(result.value, value_in_memory(&q)));
    remove_folder();
}

OG_TEST(what_others_left_is_let_be)
{
    OWN(question) q = question_of("6x1,1", BUDGET), other = question_of("6x1,1", BUDGET - 1);
    og_message message = {""};
    og_result result;
    leave_a_layer(&q, FULL);
    question_ok(attempt(&other, 1, &result, &message), &message, other.words);
    ck_assert(same_bits(result.value, value_in_memory(&other)));
    ck_assert_int_eq(each_file(NULL), 1);
    char draft[600]; /* draft of a killed run; the next run removes it */
    snprintf(draft, sizeof draft, "%s.part", found);
    ck_assert_int_eq(link(found, draft), 0);
    question_ok(attempt(&q, 1, &result, &message), &message, q.words);
    ck_assert(same_bits(result.value, value_in_memory(&q)));
    ck_assert_int_eq(each_file(NULL), 0);
    remove_folder();
}

OG_TEST(one_process_at_a_time)
{
    OWN(question) q = question_of("6x1,1", BUDGET);
    og_message message = {""};
    og_result result;
    og_file_lock lock;
    leave_a_layer(&q, FULL);
    *strrchr(found, '-') = '\0';
    question_ok(og_file_lock_take(found, "test", &lock, &message), &message, q.words);
    ck_assert_int_eq(attempt(&q, 1, &result, &message), OG_FAILED);
    ck_assert_msg(strstr(message.text, "is in use") != NULL, "%s", message.text);
    og_file_lock_release(&lock);
    question_ok(attempt(&q, 1, &result, &message), &message, q.words);
    remove_folder();
}

OG_TEST(a_folder_that_cannot_be_used)
{
    OWN(question) q = question_of("6x1,1", BUDGET);
    og_message message = {""};
    og_result result;
    strcpy(folder, "/proc");
    ck_assert_int_ne(attempt(&q, 1, &result, &message), OG_OK);
    ck_assert_msg(strstr(message.text, "could not be written") != NULL, "%s", message.text);
    make_folder();
    remove_folder();
    ck_assert_int_ne(attempt(&q, 1, &result, &message), OG_OK);
}

/* Where memory holds all but the layers, they go into files; where it holds them, they do not. */
OG_TEST(memory_decides)
{
    OWN(question) q = question_of("10x1,1", 44);
    og_message message = {""};
    og_result large, small;
    make_folder();
    og_settings settings = settings_of(2, true);
    for (int i = 0; i < 2; i++) {
        og_result *result = i == 0 ? &large : &small;
        OWN(og_blocks) *blocks = NULL;
        settings.memory_bytes = i == 0 ? QUESTION_MEMORY_BYTES : 4 << 20;
        question_ok(og_blocks_new(q.arms, OG_BLOCKS_ALL, &settings, NULL, &blocks, &message),
                    &message, q.words);
        og_blocks_size size;
        og_blocks_get_size(blocks, &size);
        question_ok(og_blocks_solve(blocks, result, &message), &message, q.words);
        ck_assert((size.disk_bytes > 0) == (i > 0));
        ck_assert_uint_eq(result->disk_bytes, (uint64_t)size.disk_bytes);
        ck_assert_uint_le(result->memory_bytes, settings.memory_bytes);
    }
    ck_assert(same_bits(large.value, small.value));
    ck_assert_uint_eq(large.states, small.states);
    settings.scratch = NULL;
    og_blocks *blocks;
    ck_assert_int_eq(og_blocks_new(q.arms, OG_BLOCKS_ALL, &settings, NULL, &blocks, &message),
                     OG_STOPPED);
    remove_folder();
}
