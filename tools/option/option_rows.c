/* Option rows of what is printed, which several commands share. */
#include "tools/option/options.h"

#include "tools/show/memory.h"

og_status keep_for_python(void *options, const og_option_row *row, const char *text,
                          og_message *message)
{
    command_request *request = options;
    (void)message;
    request->kept = grow(request->kept, (size_t)request->kept_count + 1, sizeof *request->kept);
    request->kept[request->kept_count++] = (kept_word){row->name, text != NULL ? text : ""};
    return OG_OK;
}

const og_option_row quiet_rows[] = {
    OG_OPTION(SWITCH, "quiet", NULL, command_request, quiet, .topic = OG_TOPIC_OUTPUT,
              .basic = true, .brief = "hide progress and warnings",
              .help = "hide progress and warnings, except for results that could not be saved"),
    OG_OPTION_LAST,
};

const og_option_row json_rows[] = {
    OG_OPTION(SWITCH, "json", NULL, command_request, json, .topic = OG_TOPIC_OUTPUT, .basic = true,
              .brief = "print one JSON object", .help = "print one JSON object instead of tables"),
    OG_OPTION_LAST,
};

const og_option_row output_rows[] = {
    OG_OPTION_TABLE(quiet_rows),
    OG_OPTION_TABLE(json_rows),
    OG_OPTION_LAST,
};

const og_option_row table_rows[] = {
    OG_OPTION_TABLE(output_rows),
    OG_OPTION(SWITCH, "csv", NULL, command_request, csv, .topic = OG_TOPIC_OUTPUT, .basic = true,
              .brief = "print comma-separated values",
              .help = "print one table of comma-separated values, unrounded. The first line has "
                      "names and units, and the first column the kind of each row"),
    OG_OPTION(SWITCH, "latex", NULL, command_request, latex, .topic = OG_TOPIC_OUTPUT,
              .basic = true, .brief = "print a LaTeX table (package booktabs)",
              .help = "print a table for LaTeX with the package booktabs"),
    OG_OPTION_LAST,
};
