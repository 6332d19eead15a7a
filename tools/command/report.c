/* The command report: writes a study as one HTML page of tables and figures, with Python. */
#include "tools/show/report.h"

#include "config.h"
#include "tools/command/commands.h"
#include "tools/plot/draw.h"
#include "tools/show/progress.h"

static int run(command_request *request)
{
    og_message message = {""};
    og_document *wanted = og_document_new();
    og_put_text(wanted, "version", OG_VERSION);
    show_stage("drawing");
    og_status status =
        picture_save(wanted, request->wish.file, PICTURE_PAGE, request->output, "report", &message);
    show_stage(NULL);
    og_document_free(wanted);
    return status == OG_OK ? EXIT_RESULT : complain(status, &message);
}

static const og_option_row options[] = {
    OG_OPTION(OUTPUT, "output", "FILE", command_request, output, .what = "report",
              .topic = OG_TOPIC_FILES, .basic = true, .brief = "the page to write",
              .help = "HTML page to write; required", .letter = 'o',
              .required = "-o FILE is missing: where the page goes, such as report.html"),
    OG_OPTION_TABLE(quiet_rows),
    OG_OPTION_LAST,
};

const command command_report = {
    .name = "report",
    .summary = "write a study as one HTML page",
    .word = FILE_WORD("STUDY.jsonl",
                      .required = "no STUDY.jsonl is given: a file that 'optgap sweep' wrote"),
    .brief = "Write the tables and figures of a study, a file of 'optgap sweep', as one\n"
             "HTML page.",
    .example = "  optgap sweep few.jsonl --quiet --for K=2,3 --for T=1:8 compare -T %T %Kx1,1\n"
               "  optgap report few.jsonl -o report.html",
    .about = "Writes the tables and figures of a study as one self-contained HTML file, each with "
             "its command.",
    .details = "Example:\n"
               "\n"
               "  optgap sweep few.jsonl --quiet --for K=2,3 --for T=1:8 compare -T %T %Kx1,1\n"
               "  optgap report few.jsonl -o report.html\n"
               "\n"
               "The figures are those of 'optgap plot' and need Python's matplotlib.",
    .options = options,
    .run = run,
};
