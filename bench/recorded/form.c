/* How a file of labels is read, for the user. */
#include <stdarg.h>
#include <stdio.h>

#include "bench/recorded/answers.h"

void og_answers_form(const og_answers *answers, const char *format, ...)
{
    char text[OG_MESSAGE_BYTES];
    va_list arguments;
    if (answers->form == NULL || *answers->form->text != '\0') {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    og_message_set(answers->form, OG_OK, "%s", text);
}
