/* Files of labels in JSON, in a build without Jansson: they are refused. */
#include "bench/recorded/answers_json.h"

void og_answers_read_json(const og_answers *answers)
{
    og_rows_fail(answers->rows, "this build does not support JSON; give a table");
}

char *og_answer_in_json(og_rows *rows, const char *text)
{
    (void)text;
    og_rows_fail(rows, "this build does not support JSON; give a table");
    return NULL;
}
