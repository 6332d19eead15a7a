/*
 * All upper bounds of a problem. The first is cheap and is computed even without time. After a
 * limit, a bound may exist in doubles but not as a fraction.
 */
#include "bench/questions/bounds.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/words.h"

static bool stopped(const og_settings *settings)
{
    return og_stop_look(og_stop_of(settings)) != OG_LIMIT_NONE;
}

static og_status find(const og_asked *asked, const og_settings *settings, int32_t i, og_bounds *out,
                      og_message *message)
{
    const og_family *family = asked->family;
    int32_t which = out->which[i];
    og_stop stop = og_stop_for(og_stop_of(settings), 0);
    const og_settings part = og_stop_settings(settings, &stop);
    og_stop_tell(&stop, out->name[i], 0);
    og_status status =
        family->model.bound(asked->problem, &(og_bound_use){.which = which, .settings = &part},
                            &out->bound[i], NULL, message);
    out->tried[i] = isfinite(out->bound[i].value) || !stopped(settings);
    if (status == OG_STOPPED && stopped(settings)) { /* this one is missing; the others remain */
        message->text[0] = '\0';
        status = OG_OK;
    }
    if (status == OG_OK && asked->request.exact && isfinite(out->bound[i].value) &&
        !stopped(settings)) {
        status = family->model.bound(asked->problem,
                                     &(og_bound_use){.which = which,
                                                     .settings = &part,
                                                     .least = i > 0 ? &out->exact[0] : NULL},
                                     &out->bound[i], &out->exact[i], message);
        status = status == OG_STOPPED || status == OG_NO_MEMORY ? OG_OK : status;
    }
    return status;
}

og_status og_bounds_find(const og_asked *asked, const og_settings *settings, og_bounds *out,
                         og_message *message)
{
    const og_family *family = asked->family;
    memset(out, 0, sizeof *out);
    for (int32_t i = 0; family->model.bounds != NULL && family->model.bounds[i] != NULL; i++) {
        if (strcmp(family->model.bounds[i], "joint_end") != 0 || settings->joint_end != 0) {
            out->name[out->count] = family->model.bounds[i];
            out->which[out->count] = i;
            out->tried[out->count] = family->model.bound == NULL;
            out->bound[out->count++].value = INFINITY;
        }
    }
    return og_bounds_find_rest(asked, settings, out, message);
}

og_status og_bounds_find_rest(const og_asked *asked, const og_settings *settings, og_bounds *out,
                              og_message *message)
{
    og_message ignored = {""};
    og_status status = OG_OK;
    message = message != NULL ? message : &ignored;
    for (int32_t i = 0; status == OG_OK && i < out->count; i++) {
        if (!out->tried[i] && (i == 0 || !stopped(settings))) {
            status = find(asked, settings, i, out, message);
        }
    }
    if (status != OG_OK && message->text[0] == '\0') {
        og_message_set(message, status, "the bounds could not be computed: %s",
                       og_status_text(status));
    }
    return status;
}

void og_bounds_add(og_bounds *bounds, const char *name, double value, double error)
{
    if (bounds->count < OG_BOUNDS_MAX) {
        int32_t i = bounds->count++;
        bounds->name[i] = name;
        bounds->tried[i] = true;
        bounds->bound[i] = (og_upper_bound){.value = value, .error = error, .converged = true};
    }
}

void og_bounds_clear(og_bounds *bounds)
{
    for (int32_t i = 0; i < bounds->count; i++) {
        og_bound_clear(&bounds->bound[i]);
        og_exact_bound_clear(&bounds->exact[i]);
    }
    memset(bounds, 0, sizeof *bounds);
}

double og_bounds_least(const og_bounds *bounds)
{
    double least = INFINITY;
    for (int32_t i = 0; i < bounds->count; i++) {
        least = fmin(least, bounds->bound[i].value);
    }
    return least;
}

/* True if there was time to complete all of them. */
static bool is_whole(const og_bounds *bounds)
{
    bool whole = true;
    for (int32_t i = 0; i < bounds->count; i++) {
        whole = whole && bounds->tried[i] &&
                (!isfinite(bounds->bound[i].value) || bounds->bound[i].converged);
    }
    return whole;
}

static bool is_shown(const og_bounds *bounds, int32_t i)
{
    return isfinite(bounds->bound[i].value) || !bounds->tried[i];
}

int32_t og_bounds_shown(const og_bounds *bounds)
{
    int32_t count = 0;
    for (int32_t i = 0; i < bounds->count; i++) {
        count += is_shown(bounds, i);
    }
    return count;
}

static void put_exact(og_document *object, const og_exact_bound *bound, bool one, bool many)
{
    og_put_fraction(object, "value_exact", og_exact_bound_value(bound));
    if (one || (many && bound->number == NULL)) {
        og_put_fraction(object, one ? "price_exact" : "prices_exact",
                        bound->number != NULL ? bound->number[0] : NULL);
    } else if (many) {
        og_document *prices = og_put_array(object, "prices_exact");
        for (int32_t i = 0; i < bound->price_count; i++) {
            og_put_fraction(prices, NULL, bound->number[i]);
        }
    }
}

/* A bound with one price for all labels has "price"; with one price for each label it has "prices".
 * If the prices belong to the moments at which workers arrive, there are none; if only the last
 * labels have prices, these are listed. */
static void put(og_document *parent, const og_bounds *bounds, int32_t i, bool exact)
{
    const og_upper_bound *bound = &bounds->bound[i];
    bool joint = strcmp(bounds->name[i], "joint_end") == 0;
    const char *tighter = bound->converged ? "" : " (could be tighter)";
    bool one =
        strcmp(bounds->name[i], "lagrangian_scalar") == 0 || strcmp(bounds->name[i], "split") == 0;
    bool many = strcmp(bounds->name[i], "lagrangian_vector") == 0;
    bool end = strcmp(bounds->name[i], "priced_end") == 0;
    og_document *object = og_put_object(parent, bounds->name[i]);
    og_put_result(object, "value", bound->value != INFINITY, bound->value); /* INFINITY: none */
    og_put_result(object, "error_bound", true, bound->error);
    og_put_bool(object, "converged", bound->converged);
    if (one) {
        double price = bound->price != NULL ? bound->price[0] : NAN;
        og_put_number(object, "price", price);
        og_show_cell(object, "price", "%s%s", og_words_value(price).text, tighter);
    } else if (many) {
        og_put_numbers(object, "prices", bound->price, bound->price_count);
        og_show_cell(object, "price", "one for each %s%s",
                     bound->price_count > 0 ? "label" : "worker", tighter);
    } else if (end) {
        og_put_numbers(object, "prices", bound->price, bound->price_count);
    }
    if (joint) {
        og_put_whole(object, "labels", (uint64_t)bound->price_count);
        og_show_cell(object, "price", "the last %" PRId32 " together%s", bound->price_count,
                     tighter);
    } else if (end && bound->price_count > 0) {
        og_show_cell(object, "price", "for the last %" PRId32 "%s", bound->price_count, tighter);
    } else if (!one && !many) {
        og_show_cell(object, "price", "-%s", tighter);
    }
    if (exact) {
        put_exact(object, &bounds->exact[i], one, many);
    }
    if (!isfinite(bound->value)) {
        og_show_cell(object, "value", "no time");
    }
    if (!is_shown(bounds, i)) {
        og_show_hide(object);
    }
}

og_document *og_put_bounds(og_document *parent, const og_bounds *bounds, bool exact)
{
    og_document *object = og_put_object(parent, "bounds");
    for (int32_t i = 0; i < bounds->count; i++) {
        put(object, bounds, i, exact);
    }
    return object;
}

int og_bounds_inexact(const og_bounds *bounds, char *text, size_t size)
{
    og_text names = og_text_begin(text, size);
    int count = 0, last = -1;
    for (int32_t i = 0; i < bounds->count; i++) {
        if (bounds->exact[i].number == NULL && isfinite(bounds->bound[i].value)) {
            last = i;
        }
    }
    for (int32_t i = 0; i <= last; i++) {
        if (bounds->exact[i].number == NULL && isfinite(bounds->bound[i].value)) {
            const char *before = count == 0 ? "" : i == last ? " and " : ", ";
            og_text_add(&names, "%s%s", before, bounds->name[i]);
            count++;
        }
    }
    if (count > 0) {
        og_text_add(&names, " %s no exact form here", count == 1 ? "has" : "have");
    }
    return count;
}

/* A note about the values in fractions, and about bounds without one. */
static void note_fractions(og_document *document, const og_bounds *bounds,
                           const og_document *object)
{
    char inexact[OG_BOUNDS_INEXACT_BYTES], text[2 * OG_BOUNDS_INEXACT_BYTES];
    og_text words = og_text_begin(text, sizeof text);
    int count = og_bounds_inexact(bounds, inexact, sizeof inexact);
    bool charged = strstr(inexact, "prevailing_charge") != NULL;
    bool ended = strstr(inexact, "priced_end") != NULL;
    if (count == 1) {
        og_text_add(&words, " %s: its value allows for its rounding%s.", inexact,
                    charged ? " and its grid" : "");
    } else if (count > 1) {
        og_text_add(&words, " %s: their values allow for their rounding%s.", inexact,
                    charged && ended ? ", those of charges also for their grid"
                    : charged        ? ", that of prevailing_charge also for its grid"
                                     : "");
    }
    og_show_paragraph(document,
                      "Exactly: the relaxation's value in fractions; value: it, rounded up.%s%s",
                      text, og_document_is_long(object, "value_exact") ? og_fraction_note : "");
}

/* Show the bounds as a table, with an explanation. */
static void show_bounds(og_document *document, const og_bounds *found, const og_document *bounds,
                        bool exact, const og_metric *metric)
{
    og_document *table = og_show_table(document, bounds);
    og_show_column(table, "upper bound", 'l', NULL, OG_SHOW_PLAIN);
    og_show_column(table, "value", 'd', "value", OG_SHOW_VALUE);
    if (exact) {
        og_show_column(table, "exactly", 'l', "value_exact", OG_SHOW_FRACTION);
    } else {
        og_show_column(table, "rounding\nallowed for", 'l', "error_bound", OG_SHOW_BOUND);
    }
    og_show_column(table, "price of a label", 'l', "price", OG_SHOW_PLAIN);
    if (exact) {
        note_fractions(document, found, bounds);
    }
    og_show_paragraph(document, "\nNo policy can expect %s %s than the smallest bound.",
                      metric->share ? "a larger" : "more", metric->unit);
}

static void file_bounds(og_document *document, const og_document *bounds, const char *unit,
                        bool exact)
{
    og_file_row(document, "prior", og_document_find(document, "call_value"));
    og_file_rows(document, "bound", bounds);
    og_file_column(document, "name", NULL, 'l', NULL, OG_SHOW_PLAIN);
    og_file_values(document, unit, exact);
    og_file_column(document, "price of a label", unit, OG_CSV_ONLY, "price", OG_SHOW_VALUE);
    og_file_column(document, "converged", NULL, OG_CSV_ONLY, "converged", OG_SHOW_PLAIN);
}

static og_document *describe(const og_asked *asked, const og_bounds *found, double prior,
                             mpq_srcptr prior_exact)
{
    const og_family *family = asked->family;
    const og_problem_size *sizes = &asked->sizes;
    bool exact = asked->request.exact;
    og_document *document = og_document_new();
    og_family_describe_problem(family, asked->problem, document);
    if (family->words.theory != NULL) {
        family->words.theory(asked->problem, document);
    }
    og_put_number(document, "call_value", prior);
    if (exact) {
        og_put_fraction(document, "call_value_exact", prior_exact);
    }
    og_put_text(document, "accuracy", exact ? "exact" : "double");
    og_show_field(document, "Without labels", "%s expected %s", og_words_value(prior).text,
                  og_counted_of(sizes).text);
    og_document *object = og_put_bounds(document, found, exact);
    if (og_bounds_shown(found) > 0) {
        show_bounds(document, found, object, exact, &sizes->metric);
    }
    file_bounds(document, object, sizes->metric.unit, exact);
    return document;
}

/* Refuses a problem without a bound: because of its size, in the words of its solver, or its type.
 */
static og_status refuse(const og_asked *asked, og_message *message)
{
    const og_value_asked question = {.reductions = asked->request.settings.reductions};
    og_solution solution = {.self = NULL};
    og_problem_size sizes;
    og_status status = OG_OK;
    asked->family->model.sizes(asked->problem, &sizes);
    if (sizes.unvalued) {
        status = og_family_solve(asked->family, asked->problem, &question, &asked->request.settings,
                                 &solution, message);
        og_value_found ignored;
        OG_THEN(status, solution.value(solution.self, &ignored, message));
        og_solution_free(&solution);
    }
    return status != OG_OK ? status : og_family_lacks(asked->family, "bound", message);
}

static og_status find_all(og_asked *asked, og_bounds *found, double *prior, mpq_ptr exact,
                          og_message *message)
{
    double error;
    OG_TRY(og_family_prior(asked->family, asked->problem, prior, &error,
                           asked->request.exact ? exact : NULL, message));
    OG_TRY(og_bounds_find(asked, &asked->request.settings, found, message));
    if (og_bounds_shown(found) == 0 && asked->family->words.theory == NULL) {
        return refuse(asked, message);
    }
    asked->limit = og_stop_look(&asked->stop) != OG_LIMIT_NONE && !is_whole(found) ? OG_LIMIT_TIME
                                                                                   : OG_LIMIT_NONE;
    return OG_OK;
}

static og_status answer(og_asked *asked, og_message *message)
{
    og_bounds found = {.count = 0};
    mpq_t exact;
    mpq_init(exact);
    double prior = NAN;
    og_status status = find_all(asked, &found, &prior, exact, message);
    if (status == OG_OK) {
        asked->document = describe(asked, &found, prior, exact);
    }
    og_bounds_clear(&found);
    mpq_clear(exact);
    return status;
}

const og_question_kind og_question_bound = {.answer = answer, .bounds_only = true};
