/* verify: an exported policy, checked without the engine that made it. */
#include <inttypes.h>

#include "bench/document.h"
#include "bench/verify/verify.h"
#include "bench/words.h"
#include "tools/command/commands.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

static og_document *describe(const request *asked, const og_verification *found)
{
    og_document *document = og_document_new();
    og_put_text(document, "file", asked->file);
    og_put_whole(document, "budget", (uint64_t)found->budget);
    og_put_whole(document, "instances", (uint64_t)found->instances);
    og_put_text(document, "actions", found->all ? "all" : "one");
    og_put_whole(document, "states", found->states);
    og_put_whole(document, "near_ties", found->near_ties);
    og_put_number(document, "value", found->value);
    og_put_number(document, "gain", found->gain);
    og_put_number(document, "error_bound", found->error_bound);
    og_put_number(document, "stated_value", found->stated_value);
    og_put_number(document, "stated_error_bound", found->stated_error);
    og_put_bool(document, "optimality_certified", found->optimal);
    og_put_whole(document, "optimality_states", found->optimum_states);
    og_put_text(document, "certified", found->certified.text);
    og_show_field(document, "Policy file", "%s", asked->file);
    og_show_field(document, "Instances", "%" PRId64, found->instances);
    og_show_field(document, "Labels", "%" PRId32, found->budget);
    og_show_field(document, "States", "%" PRIu64 ", %s", found->states,
                  found->all ? "all optimal actions" : "one action each");
    if (found->all || found->near_ties > 0) {
        og_show_field(document, "Near ties", "%" PRIu64 " of them, which doubles cannot decide",
                      found->near_ties);
    }
    og_show_field(document, "Value", "%s, found anew from the file's choices (error at most %s)",
                  og_words_value(found->value).text, og_words_bound(found->error_bound).text);
    og_show_field(document, "Stated value", "%s (error at most %s)",
                  og_words_value(found->stated_value).text,
                  og_words_bound(found->stated_error).text);
    og_show_paragraph(document, "Certified: %s.", found->certified.text);
    return document;
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
    return show(describe(asked, &found), asked->json);
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
