/* Stand-ins for questions about files and for searches, which the page does not ask. */
#include "bench/asked.h"
#include "bench/wishes/wishes.h"

static og_status refuse(og_asked *asked, og_message *message)
{
    (void)asked;
    return og_message_set(message, OG_BAD_INPUT, "this build does not support this question");
}

const og_question_kind og_question_find = {.answer = refuse};
const og_question_kind og_question_fit = {.answer = refuse};
const og_question_kind og_question_labels = {.answer = refuse};
const og_question_kind og_question_next = {.answer = refuse};
const og_question_kind og_question_replay = {.answer = refuse};
const og_question_kind og_question_verify = {.answer = refuse};
const og_option_row og_find_options[] = {OG_OPTION_LAST};
const og_option_row og_next_options[] = {OG_OPTION_LAST};
const og_option_row og_replay_options[] = {OG_OPTION_LAST};
