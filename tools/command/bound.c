/* bound: upper bounds without solving. */

#include "heuristics/bounds/bound.h"
#include "bench/describe.h"
#include "bench/words.h"
#include "dp/arm/exact_names.h"
#include "heuristics/bounds/exact_bounds.h"
#include "tools/command/commands.h"
#include "tools/option/family.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

typedef struct {
    double call;
    og_bound scalar;
    og_bound vector;
    og_bound prevailing;
    og_exact_bound scalar_exact; /* this and the next: empty in doubles */
    og_exact_bound vector_exact;
    mpq_t call_exact;
} bounds;

static og_document *describe(const request *asked, const bounds *found)
{
    og_document *document = og_document_new();
    og_describe_problem(document, &asked->problem, "Labels");
    og_put_number(document, "call_value", found->call);
    if (asked->exact) {
        og_put_fraction(document, "call_value_exact", found->call_exact);
    }
    og_put_text(document, "accuracy", asked->exact ? "exact" : "double");
    og_show_field(document, "Without labels", "%s expected %s", og_words_value(found->call).text,
                  og_counted_of(&asked->problem, og_problem_size(&asked->problem)).text);
    og_document *object =
        og_put_bounds(document, &found->scalar, &found->vector, &found->prevailing,
                      asked->exact ? &found->scalar_exact : NULL, &found->vector_exact, true);
    og_show_bounds(document, object, asked->exact, og_counted(&asked->problem));
    return document;
}

static og_status make_exact(const request *asked, const og_arms *arms, bounds *found,
                            og_message *message)
{
    uint64_t memory_bytes = asked->settings.memory_bytes;
    og_arms_exact_call(arms, found->call_exact);
    show_stage("fractions");
    og_status status = og_exact_bound_find(arms, memory_bytes, NULL, &found->scalar,
                                           &found->scalar_exact, message);
    if (status == OG_OK) {
        status = og_exact_bound_find(arms, memory_bytes, &found->scalar_exact, &found->vector,
                                     &found->vector_exact, message);
    }
    return status;
}

static og_status find(const request *asked, bounds *found, og_message *message)
{
    og_arms *arms = NULL;
    int threads = asked->settings.threads;
    og_status status =
        og_arms_new(&asked->problem, threads, asked->settings.memory_bytes, &arms, message);
    if (status == OG_OK && asked->exact) {
        status = og_exact_check(arms, message);
    }
    if (status != OG_OK) {
        og_arms_free(arms);
        return status;
    }
    found->call = og_arms_call(arms, NULL);
    show_stage("lagrangian_scalar");
    status = og_bound_lagrangian_scalar(arms, threads, &found->scalar);
    if (status == OG_OK) {
        show_stage("lagrangian_vector");
        status = og_bound_lagrangian_vector(arms, threads, &found->vector);
    }
    if (status == OG_OK) {
        show_stage("prevailing_charge");
        status = og_bound_prevailing_charge(arms, threads, &found->prevailing);
    }
    if (status == OG_OK && asked->exact) {
        status = make_exact(asked, arms, found, message);
    }
    og_arms_free(arms);
    show_stage(NULL);
    return status;
}

static int run(request *asked)
{
    og_message message = {""};
    bounds found = {0};
    if (asked->kind != NULL) {
        return family_bound(asked);
    }
    mpq_init(found.call_exact);
    og_status status = find(asked, &found, &message);
    int code =
        status == OG_OK ? show(describe(asked, &found), asked->json) : complain(status, &message);
    og_bound_clear(&found.scalar);
    og_bound_clear(&found.vector);
    og_bound_clear(&found.prevailing);
    og_exact_bound_clear(&found.scalar_exact);
    og_exact_bound_clear(&found.vector_exact);
    mpq_clear(found.call_exact);
    return code;
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(budget_rows),
    OG_OPTION_TABLE(objective_rows),
    OG_OPTION_TABLE(thread_rows),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_bound = {
    .name = "bound",
    .summary = "upper bounds without solving: any number of instances and labels",
    .word = INSTANCE_WORDS("10x1,1"),
    .about = "Upper bounds on the optimal value, without solving the problem. In the Lagrangian "
             "relaxation of Hu and Frazier every instance buys labels for itself at a price; "
             "lagrangian_scalar has one price for all labels, lagrangian_vector one for each. "
             "prevailing_charge charges every label of an instance its least Gittins index so far "
             "(Weber 1992) and adds up what the T largest charges can pay.",
    .details =
        "Example:\n"
        "\n"
        "  optgap bound -T 100 50x1,1\n"
        "\n"
        "The Lagrangian values are the relaxation's own at the prices that were found. All "
        "values are raised by the rounding allowed for (prevailing_charge: and by its grid), "
        "so they are upper bounds whatever the search found. With --arithmetic exact the "
        "Lagrangian bounds are fractions, at fractions near these prices.\n"
        "\n"
        "JSON: problem, call_value, bounds.NAME.value, .error_bound (part of the value), "
        ".converged, .price or .prices; with --arithmetic exact .value_exact, .price_exact or "
        ".prices_exact.",
    .options = options,
    .families = FAMILY_BOUNDS,
    .run = run,
};
