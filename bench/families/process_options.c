/* The option of processes: a program. */
#include <string.h>

#include "bench/families/process.h"

static void clear(void *options)
{
    const og_process_options *own = options;
    if (own->kept != NULL) {
        og_process_free(*own->kept);
        *own->kept = NULL;
    }
}

/* Replaces a process that was given before. */
static og_status read_program(void *options, const og_option_row *row, const char *text,
                              og_message *message)
{
    const char *colon = strchr(text, ':');
    bool known = strncmp(text, "plugin:", 7) == 0 || strncmp(text, "command:", 8) == 0;
    if (!known || colon[1] == '\0') {
        return og_option_refuse(row, text, message,
                                "plugin:FILE.so or \"command:CMD\", such as "
                                "\"command:python3 trial.py\"");
    }
    clear(options);
    *(og_process_options *)options = (og_process_options){.program = text};
    return OG_OK;
}

static const og_option_row rows[] = {
    OG_OPTION(CUSTOM, "process", "PROGRAM", og_process_options, program, .topic = OG_TOPIC_PROBLEM,
              .read = read_program, .brief = "a process of your own: plugin:FILE.so or command:CMD",
              .help = "a decision process of your own, instead of -T and INSTANCE words: "
                      "plugin:FILE.so is a shared object, command:CMD a program that gets lines of "
                      "JSON and answers each with the acts of states"),
    OG_OPTION_LAST,
};

const og_option_set og_process_option_set = {rows, sizeof(og_process_options), clear};
