/* Finds the smallest problem in which a policy loses, two policies differ, or a claim fails. */
#include "bench/find/find.h"

#include "bench/families/independent/independent.h"
#include "bench/families/independent/priced.h"
#include "bench/find/find_document.h"
#include "bench/public/problem.h"

/* The family and options of the searched problems; the scope points to them. */
typedef struct {
    og_priced_options priced;
    og_independent_options given;
    char words[OG_PAYOFF_TEXT_BYTES + 100];
} stakes_of;

static og_status read_stakes(const og_stakes *given, stakes_of *stakes, og_find_scope *out,
                             og_message *message)
{
    og_text words = og_text_begin(stakes->words, sizeof stakes->words);
    og_call_options *calls = &stakes->given.calls;
    char text[OG_PAYOFF_TEXT_BYTES];
    out->family = given->price != NULL ? &og_family_priced : &og_family_independent;
    out->options =
        given->price != NULL ? (const void *)&stakes->priced : (const void *)&stakes->given;
    out->prices = given->price != NULL;
    OG_TRY(og_stakes_price(given, &stakes->priced.price[0], message));
    if (given->payoff != NULL) {
        OG_TRY(og_payoff_parse(given->payoff, "--payoff", &calls->payoff, message));
    }
    stakes->priced.price_count = 1;
    if (given->price != NULL) {
        og_fraction_format(stakes->priced.price[0], text, sizeof text);
        og_text_add(&words, " --price %s", text);
    }
    if (calls->payoff.given) {
        og_payoff_format(&calls->payoff, text, sizeof text);
        og_text_add(&words, " --payoff %s", text);
        out->losses = og_payoff_may_lose(&calls->payoff);
        out->grid.apart = !og_payoff_is_symmetric(&calls->payoff);
    }
    stakes->priced.calls = *calls;
    out->stakes = stakes->words;
    return OG_OK;
}

static og_status read_search(const og_asked *asked, og_find_scope *out, og_message *message)
{
    const og_search *search = asked->given;
    if (asked->policy_count < 1 || asked->policy_count > 2) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "find supports one policy, and optionally a second one with --against");
    }
    if (asked->request.ties_count != 1) {
        return og_message_set(message, OG_BAD_INPUT, "find supports one tie rule; give one");
    }
    out->claim.kind = og_find_against(asked) != NULL ? OG_CLAIM_EQUAL : OG_CLAIM_OPTIMAL;
    out->worst = search->worst;
    out->grid = (og_order_grid){
        .instances = search->instances, .budget = search->budget, .parameter = search->parameter};
    OG_TRY(og_order_thresholds_parse(search->thresholds, &out->grid, message));
    return search->claim != NULL ? og_claim_parse(search->claim, &out->claim, message) : OG_OK;
}

static og_status answer(og_asked *asked, og_message *message)
{
    stakes_of stakes = {.priced = {.price_count = 0}};
    og_find_scope scope = {.family = NULL};
    og_found_problem found = {.family = NULL};
    const og_search *search = asked->given;
    OG_TRY(read_search(asked, &scope, message));
    OG_TRY(read_stakes(&search->stakes, &stakes, &scope, message));
    og_stop_tell(&asked->stop, "searching", 0);
    og_status status = og_find_run(asked, &scope, &found, message);
    if (status == OG_OK) {
        asked->document = og_find_describe(asked, &scope, &found);
        asked->warning = found.why;
        asked->optimal_status = found.complete ? OG_OK : OG_STOPPED;
    }
    og_found_problem_clear(&found);
    return status;
}

const og_question_kind og_question_find = {.answer = answer, .policies = true};
