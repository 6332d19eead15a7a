/* The labels in a cell of a table. */
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/answers.h"
#include "bench/recorded/answers_json.h"

/* Passes on the labels of a list. One person's answer has one label; without a name each is by
 * somebody else. */
static bool take_list(const og_answers *answers, char *task, char *worker, char *list)
{
    og_array array = {.at = list};
    char nothing[] = "";
    int count = 0;
    for (char *label; (label = og_array_next(&array)) != NULL;) {
        count += *label != '\0';
        if (count > 1 && (*worker != '\0' || answers->gold)) {
            return og_rows_fail(answers->rows,
                                "several labels in one answer, where one is expected");
        }
        if (*label != '\0' && !answers->take(answers->user, answers->rows, task, worker, label)) {
            return false;
        }
    }
    return count > 0 || answers->take(answers->user, answers->rows, task, worker, nothing);
}

bool og_answers_take(const og_answers *answers, char *task, char *worker, char *label)
{
    bool fine, list;
    if (og_text_is_array(label, &list) != OG_OK) {
        return og_rows_no_memory(answers->rows);
    }
    if (list) {
        return take_list(answers, task, worker, label);
    }
    if (*label == '{' && label[strlen(label) - 1] == '}') {
        char *found = og_answer_in_json(answers->rows, label);
        fine = found != NULL && answers->take(answers->user, answers->rows, task, worker, found);
        free(found);
        return fine;
    }
    return answers->take(answers->user, answers->rows, task, worker, label);
}
