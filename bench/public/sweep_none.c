/* Studies in a build without SQLite: there are none. */
#include "bench/asked.h"

static og_status answer(og_asked *asked, og_message *message)
{
    (void)asked;
    return og_message_set(message, OG_BAD_INPUT,
                          "a study needs SQLite, which this build was made without");
}

const og_question_kind og_question_sweep = {.answer = answer};
