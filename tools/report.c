#include "tools/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/memory.h"
#include "tools/number.h"

int exit_status(og_status status)
{
    switch (status) {
    case OG_OK:
        return EXIT_RESULT;
    case OG_BAD_INPUT:
        return EXIT_USAGE;
    case OG_NO_MEMORY:
    case OG_STOPPED:
        return EXIT_LIMIT;
    case OG_FAILED:
        break;
    }
    return EXIT_FAILED;
}

void note(const char *format, ...)
{
    char line[2 * OG_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    /* A name from the command line may hold anything; the line stays one line. */
    for (char *letter = line; *letter != '\0'; letter++) {
        *letter = iscntrl((unsigned char)*letter) ? '?' : *letter;
    }
    show_stage(NULL);
    fprintf(stderr, "optgap: %s\n", line);
}

int complain(og_status status, const og_message *message)
{
    note("%s", message->text[0] != '\0' ? message->text : og_status_text(status));
    return exit_status(status);
}

int complain_limit(og_status status, const og_message *message, const og_settings *settings,
                   const og_result *reached)
{
    if (message->text[0] == '\0' && reached->memory_bytes > 0) {
        char limit[NUMBER_TEXT_BYTES];
        char used[NUMBER_TEXT_BYTES];
        size_format(settings->memory_bytes, limit);
        size_format(reached->memory_bytes, used);
        note("%s of the memory limit of %s used, %" PRIu64 " states reached in %.1f s, and the "
             "optimum is not proved",
             used, limit, reached->states, reached->seconds);
        return exit_status(status);
    }
    return complain(status, message);
}

void show_stage(const char *stage)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K%s%s", stage != NULL ? stage : "", stage != NULL ? " ..." : "");
        fflush(stderr);
    }
}

char *problem_text(const og_problem *problem)
{
    enum { GROUP_BYTES = 160 };
    char *text = allocate((size_t)problem->group_count * GROUP_BYTES + 1, 1);
    size_t length = 0;
    for (int32_t i = 0; i < problem->group_count; i++) {
        length += (size_t)snprintf(text + length, 2, "%s", i > 0 ? " " : "");
        og_group_format(&problem->groups[i], text + length, GROUP_BYTES - 1);
        length += strlen(text + length);
    }
    return text;
}

table *fields_new(void)
{
    return table_new("ll", NULL);
}

void fields_problem(table *fields, const og_problem *problem, const char *budget_name)
{
    char *text = problem_text(problem);
    int64_t size = og_problem_size(problem);
    table_cell(fields, "Problem");
    table_cell(fields, "%s (%" PRId64 " instance%s)", text, size, size == 1 ? "" : "s");
    table_cell(fields, "%s", budget_name);
    table_cell(fields, "%" PRId32, problem->budget);
    free(text);
}

void fields_print(table *fields)
{
    table_print(fields, stdout);
    table_free(fields);
}
