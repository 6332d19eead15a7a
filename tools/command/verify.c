/* verify: an exported policy, checked without the engine that made it. */
#include <inttypes.h>
#include <stdio.h>

#include "bench/verify/verify.h"
#include "tools/command/commands.h"
#include "tools/show/json.h"
#include "tools/show/number.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

static void print_table(const request *asked, const og_verification *found)
{
    char words[NUMBER_TEXT_BYTES];
    char error[NUMBER_TEXT_BYTES];
    table *fields = fields_new();
    table_cell(fields, "Policy file");
    table_cell(fields, "%s", asked->file);
    table_cell(fields, "Instances");
    table_cell(fields, "%" PRId64, found->instances);
    table_cell(fields, "Labels");
    table_cell(fields, "%" PRId32, found->budget);
    table_cell(fields, "States");
    table_cell(fields, "%" PRIu64 ", %s", found->states,
               found->all ? "all optimal actions" : "one action each");
    if (found->all || found->near_ties > 0) {
        table_cell(fields, "Near ties");
        table_cell(fields, "%" PRIu64 " of them, which doubles cannot decide", found->near_ties);
    }
    number_format_value(found->value, words);
    number_format_bound(found->error_bound, error);
    table_cell(fields, "Value");
    table_cell(fields, "%s, found anew from the file's choices (error at most %s)", words, error);
    number_format_value(found->stated_value, words);
    number_format_bound(found->stated_error, error);
    table_cell(fields, "Stated value");
    table_cell(fields, "%s (error at most %s)", words, error);
    fields_print(fields);
    putchar('\n');
    print_paragraph(stdout, "Certified: %s.", found->certified.text);
}

static void print_json(const request *asked, const og_verification *found)
{
    json_t *document = object_new();
    object_put(document, "file", phrase(asked->file));
    object_put(document, "budget", whole((uint64_t)found->budget));
    object_put(document, "instances", whole((uint64_t)found->instances));
    object_put(document, "actions", phrase(found->all ? "all" : "one"));
    object_put(document, "states", whole(found->states));
    object_put(document, "near_ties", whole(found->near_ties));
    object_put(document, "value", real(found->value));
    object_put(document, "gain", real(found->gain));
    object_put(document, "error_bound", real(found->error_bound));
    object_put(document, "stated_value", real(found->stated_value));
    object_put(document, "stated_error_bound", real(found->stated_error));
    object_put(document, "optimality_certified", json_boolean(found->optimal));
    object_put(document, "optimality_states", whole(found->optimum_states));
    object_put(document, "certified", phrase(found->certified.text));
    document_print(document);
}

static int run(request *asked)
{
    og_message message = {""};
    og_verification found;
    og_verify_request wanted = {.threads = asked->settings.threads,
                                .memory_bytes = asked->settings.memory_bytes};
    show_stage("verifying");
    og_status status = og_verify_path(asked->file, &wanted, &found, &message);
    show_stage(NULL);
    if (status != OG_OK) {
        return complain_limit(status, &message, NULL, asked);
    }
    if (asked->json) {
        print_json(asked, &found);
    } else {
        print_table(asked, &found);
    }
    return EXIT_RESULT;
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(thread_rows),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_verify = {
    .name = "verify",
    .summary = "an exported policy, checked without the engine that made it",
    .word = FILE_WORD(
        "FILE",
        .required = "no FILE is given: a policy that 'optgap solve --export-policy FILE' wrote",
        .once = "verify takes one policy file"),
    .about = "Checks a policy that 'optgap solve --export-policy FILE' wrote, by code that shares "
             "nothing with the engine but the tables of posteriors: that the file is whole, that "
             "it has a legal choice for every state that its choices can reach, and what these "
             "choices are worth.",
    .details =
        "Example:\n"
        "\n"
        "  optgap solve -T 12 --export-policy policy.txt 10x1,1\n"
        "  optgap verify policy.txt\n"
        "\n"
        "Where all actions from all states reach few enough states (two million), every choice "
        "is compared with all other actions too, and the policy is certified to be optimal; "
        "beyond, its value is certified and not its optimality. The result says which.\n"
        "\n"
        "Exit status: 0 certified; 1 the file cannot be read; 2 there is none, it is no policy "
        "file, damaged, or not what it claims to be, and one line on standard error says where; 3 "
        "the memory "
        "limit does not hold what must be held.\n"
        "\n"
        "JSON: file, budget, instances, actions (\"one\" or \"all\"), states, near_ties, "
        "value, gain, error_bound, stated_value, stated_error_bound, optimality_certified, "
        "optimality_states, certified (in words).",
    .options = options,
    .run = run,
};
