/* The question about a policy file: its report and its document. */
#include <inttypes.h>
#include <math.h>

#include "bench/asked.h"
#include "bench/questions/verify.h"
#include "bench/words.h"

static og_document *describe(const char *file, const og_verification *found)
{
    og_document *document = og_document_new();
    og_put_text(document, "file", file);
    og_put_whole(document, "budget", (uint64_t)found->budget);
    og_put_whole(document, "instances", (uint64_t)found->instances);
    og_put_text(document, "actions", found->all ? "all" : "one");
    og_put_whole(document, "states", found->states);
    og_put_whole(document, "near_ties", found->near_ties);
    og_put_result(document, "value", true, found->value);
    og_put_result(document, "gain", true, found->gain);
    og_put_result(document, "error_bound", true, found->error_bound);
    og_put_result(document, "stated_value", true, found->stated_value);
    og_put_result(document, "stated_error_bound", true, found->stated_error);
    og_put_bool(document, "optimality_certified", found->optimal);
    og_put_whole(document, "optimality_states", found->optimum_states);
    og_put_text(document, "certificate",
                !found->optimal          ? "value"
                : found->loss_bound == 0 ? "optimal"
                                         : "within");
    og_put_result(document, "loss_bound", found->optimal, found->loss_bound);
    og_put_text(document, "certified", found->certified.text);
    og_show_field(document, "Policy file", "%s", file);
    og_show_field(document, "Instances", "%" PRId64, found->instances);
    og_show_field(document, "Labels", "%" PRId32, found->budget);
    og_show_field(document, "States", "%" PRIu64 ", %s", found->states,
                  found->all ? "all optimal actions" : "one action each");
    if (found->all || found->near_ties > 0) {
        og_show_field(document, "Near ties", "%" PRIu64 " of them, which doubles cannot decide",
                      found->near_ties);
    }
    og_show_field(document, "Value",
                  "%s, computed again from the file's choices (error at most %s)",
                  og_words_value(found->value).text, og_words_bound(found->error_bound).text);
    og_show_field(document, "Stated value", "%s (error at most %s)",
                  og_words_value(found->stated_value).text,
                  og_words_bound(found->stated_error).text);
    og_show_paragraph(document, "Certified: %s.", found->certified.text);
    return document;
}

/* ---- the question ---- */

static og_status answer(og_asked *asked, og_message *message)
{
    const char *file = asked->given;
    og_verification found;
    og_stop_tell(&asked->stop, "verifying", 0);
    if (asked->problem != NULL) {
        asked->document = og_document_new();
        return asked->family->model.verify(asked->problem, file, &asked->request.settings,
                                           asked->document, message);
    }
    OG_TRY(og_verify_path(file, &asked->request.settings, &found, message));
    asked->document = describe(file, &found);
    return OG_OK;
}

const og_question_kind og_question_verify = {.answer = answer};
