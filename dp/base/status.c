/* Texts of statuses, and messages of one line. */
#include "dp/base/status.h"
#include "dp/base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

const char *og_status_text(og_status status)
{
    switch (status) {
    case OG_OK:
        return "success";
    case OG_BAD_INPUT:
        return "bad input";
    case OG_NO_MEMORY:
        return "out of memory";
    case OG_STOPPED:
        return "a limit was reached before the proof was complete";
    case OG_FAILED:
        return "an operation failed";
    }
    return "unknown status";
}

const char *og_message_words(const og_message *message, og_status status)
{
    return message->text[0] != '\0' ? message->text : og_status_text(status);
}

void og_message_complete(og_message *message, og_status status)
{
    if (status != OG_OK && message->text[0] == '\0') {
        og_message_set(message, status, "%s", og_status_text(status));
    }
}

/* A message often repeats input, which may contain control characters for the terminal, bytes that
 * are not UTF-8, or a character that the message cuts. */
static void make_one_line(char *text)
{
    while (*text != '\0') {
        size_t bytes = og_utf8_bytes(text);
        if (bytes == 0 || (unsigned char)*text < ' ' || *text == 127) {
            *text = '?';
            bytes = 1;
        }
        text += bytes;
    }
}

og_status(og_message_set)(og_message *message, og_status status, const char *format, ...)
{
    if (message != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message->text, sizeof message->text, format, arguments);
        va_end(arguments);
        make_one_line(message->text);
    }
    return status;
}

const char *og_bytes_format(uint64_t bytes, char text[OG_BYTES_TEXT_BYTES])
{
    static const char *const units[] = {"KB", "MB", "GB", "TB"};
    if (bytes < 1024) {
        snprintf(text, OG_BYTES_TEXT_BYTES, "%" PRIu64 " B", bytes);
        return text;
    }
    double size = (double)bytes / 1024;
    size_t unit = 0;
    while (size >= 1023.95 && unit + 1 < sizeof units / sizeof *units) {
        size /= 1024;
        unit++;
    }
    snprintf(text, OG_BYTES_TEXT_BYTES, "%.1f %s", size, units[unit]);
    return text;
}
