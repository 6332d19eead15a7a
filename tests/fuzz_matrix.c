/* Tables of fixed labels, --matrix: an accepted table has a label of each worker for each task, and
 * is the same after it is written and read again. */
#include "bench/families/assignment/problem.h"
#include "heuristics/families/assignment_histories.h"
#include "tests/fuzz.h"

enum { TASKS = 3, WORKERS = 2, CELLS = TASKS * WORKERS };

static og_status open_with(const char *path, void **problem, og_message *message)
{
    static const char *const words[] = {"2x1", "2"};
    const og_assignment_options options = {.accuracies = "0.9,0.6;0.6,0.9",
                                           .matrix_file = path,
                                           .regret = true,
                                           .leaves = OG_ASSIGNMENT_LEAVES};
    const og_problem_text given = {.options = &options,
                                   .words = words,
                                   .word_count = 2,
                                   .budget = 2,
                                   .left = -1,
                                   .objective = "assignment"};
    og_settings settings;
    og_settings_default(&settings);
    return og_family_open(&og_family_assignment, &given, &settings, problem, message);
}

static void check_read_back(const int8_t *label)
{
    char *text = NULL;
    size_t size = 0;
    void *problem;
    FILE *file = open_memstream(&text, &size);
    fuzz_check(file != NULL, "out of memory");
    fputs("label,other,worker,task\n", file);
    for (int32_t k = CELLS; k-- > 0;) {
        const char *sign = label[k] > 0 ? k % 2 > 0 ? "1" : "+1" : k % 2 > 0 ? "0" : "-1";
        fprintf(file, "%s,,%d,%d\n", sign, k % WORKERS + 1, k / WORKERS + 1);
    }
    fclose(file);
    fuzz_check(open_with(fuzz_file(text, size), &problem, NULL) == OG_OK, "not read back");
    fuzz_check(memcmp(((const assignment *)problem)->matrix, label, CELLS) == 0,
               "another table when read back");
    og_family_close(&og_family_assignment, problem);
    free(text);
}

FUZZ_TARGET(matrix)
{
    void *problem = NULL;
    og_message message = {""};
    og_status status = open_with(fuzz_file(data, size), &problem, &message);
    if (status != OG_OK) {
        fuzz_check(status == OG_BAD_INPUT && problem == NULL, "not a clean refusal");
        fuzz_check_message(&message);
        return;
    }
    const int8_t *label = ((const assignment *)problem)->matrix;
    for (int32_t k = 0; k < CELLS; k++) {
        fuzz_check(label[k] == 1 || label[k] == -1, "accepted without a label");
    }
    check_read_back(label);
    og_family_close(&og_family_assignment, problem);
}
