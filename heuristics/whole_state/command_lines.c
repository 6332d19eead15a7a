/*
 * The lines of JSON that go to a policy that is a program, and come back: numbers that read back as
 * they were, and an answer's checks.
 */
#include "heuristics/whole_state/command_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "dp/engine/strategy.h"
#include "heuristics/steady.h"

enum { DECIMAL = 10, NUMBER_BYTES = 32 };

static const double whole_max = 0x1p53;

/* ---- the request ---- */

/* Prints the shortest decimal that reads back as the number, with a point in any locale. */
static void put_number(FILE *line, double number)
{
    char text[NUMBER_BYTES];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) {
            break;
        }
    }
    size_t whole = strspn(text, "-+0123456789e");
    if (text[whole] != '\0') {
        text[whole] = '.';
    }
    fputs(text, line);
}

static void put_list(FILE *line, const double *number, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        putc(i > 0 ? ',' : '[', line);
        put_number(line, number[i]);
    }
    putc(']', line);
}

/* A name without control characters as JSON. */
static void put_name(FILE *line, const char *name)
{
    putc('"', line);
    for (; *name != '\0'; name++) {
        if (*name == '"' || *name == '\\') {
            putc('\\', line);
        }
        putc(*name, line);
    }
    putc('"', line);
}

static void put_posterior(FILE *line, const og_arm *arm, uint32_t node)
{
    double number[OG_POSTERIOR_NUMBERS];
    if (og_arm_node_name(arm, node) != NULL) {
        put_name(line, og_arm_node_name(arm, node));
        return;
    }
    int32_t count = og_posterior_numbers(arm, node, number);
    if (og_arm_prior(arm)->kind != OG_PRIOR_MIXTURE) {
        put_list(line, number, count);
        return;
    }
    for (int32_t i = 0; i < count; i += 3) {
        putc(i > 0 ? ',' : '[', line);
        put_list(line, &number[i], 3);
    }
    putc(']', line);
}

static void put_threshold(FILE *line, const og_group *prior)
{
    if (prior->kind == OG_PRIOR_DIRICHLET || prior->kind == OG_PRIOR_NODES) {
        fputs("null", line);
    } else {
        put_number(line, og_fraction_double(prior->threshold));
    }
}

void og_command_put_request(FILE *line, const og_arms *arms, const og_view *view, double price,
                            const og_state *state)
{
    fprintf(line, "{\"left\":%" PRId32 ",\"budget\":%" PRId32 ",\"instances\":[", state->left,
            state->budget);
    for (int32_t i = 0; i < view->count; i++) {
        fputs(i > 0 ? "," : "", line);
        put_posterior(line, arms->arm[view->group[i].arm], view->group[i].node);
    }
    fputs("],\"counts\":[", line);
    for (int32_t i = 0; i < view->count; i++) {
        fprintf(line, "%s%" PRId64, i > 0 ? "," : "", view->group[i].copies);
    }
    fputs("],\"thresholds\":[", line);
    for (int32_t i = 0; i < view->count; i++) {
        fputs(i > 0 ? "," : "", line);
        put_threshold(line, og_arm_prior(arms->arm[view->group[i].arm]));
    }
    fputs("],\"price\":", line);
    put_number(line, price);
    fputs("}", line);
}

/* ---- the answer ---- */

static og_status malformed(og_message *why, const char *what)
{
    return og_message_set(why, OG_FAILED, "%s", what);
}

static og_status read_choice(const json_t *value, og_view *view, og_message *why)
{
    json_int_t group = json_is_integer(value) ? json_integer_value(value) : -1;
    if (group < 0 || group >= view->count) {
        return og_message_set(why, OG_FAILED, "\"choose\" must be one of the groups, 0 to %" PRId32,
                              view->count - 1);
    }
    for (int32_t i = 0; i < view->count; i++) {
        view->answer[i] = i == group;
    }
    return OG_OK;
}

static og_status check_length(const json_t *value, const char *name, const og_view *view,
                              og_message *why)
{
    return json_is_array(value) && json_array_size(value) == (size_t)view->count
               ? OG_OK
               : og_message_set(why, OG_FAILED,
                                "\"%s\" must be a list of %" PRId32 " numbers, one for each group",
                                name, view->count);
}

/* The groups' numbers and that of stopping, which may be missing. */
typedef struct {
    const json_t *list, *stop;
} numbers;

/* Number i of an answer; NULL: that of stopping, if it is missing. */
static const json_t *number_at(const numbers *given, const og_view *view, int32_t i)
{
    return i < view->count ? json_array_get(given->list, (size_t)i) : given->stop;
}

/* True for an index of -INFINITY. */
static bool is_done(const json_t *entry)
{
    return entry == NULL || json_is_null(entry) ||
           (json_is_string(entry) && strcmp(json_string_value(entry), "-inf") == 0);
}

static og_status read_numbers(const numbers *given, const char *name, bool weights, og_view *view,
                              og_message *why)
{
    for (int32_t i = 0; i <= view->count; i++) {
        const json_t *entry = number_at(given, view, i);
        double number = json_number_value(entry);
        if (weights && json_is_null(entry)) {
            return og_message_set(why, OG_FAILED, "it answered null in \"weights\"; give 0");
        }
        if (weights ? entry == NULL : is_done(entry)) {
            view->answer[i] = -INFINITY;
            continue;
        }
        if (!json_is_number(entry) || (weights && number < 0)) {
            return og_message_set(why, OG_FAILED, "\"%s\" must have only numbers%s", name,
                                  weights ? " of at least 0" : "");
        }
        if (json_is_integer(entry) &&
            fabs(number) >= whole_max) { /* doubles would tie with other whole numbers */
            return og_message_set(
                why, OG_FAILED,
                "\"%s\" has a whole number of 2^53 or more, which doubles do not represent", name);
        }
        view->answer[i] = number;
    }
    og_answer kind = weights ? OG_ANSWER_WEIGHTS : OG_ANSWER_INDEX;
    OG_TRY(og_stopping_check(kind, &view->answer[view->count], why));
    return og_answer_check(kind, view->count + 1, view->answer, "group", why);
}

/* True for "-1/3" and the like: digits, and a denominator other than 0. */
static bool is_fraction(const char *text)
{
    text += *text == '-';
    size_t over = strspn(text, "0123456789");
    const char *under = text + over + 1;
    size_t digits = text[over] == '/' ? strspn(under, "0123456789") : 0;
    return over > 0 && (text[over] == '\0' ||
                        (digits > 0 && under[digits] == '\0' && strspn(under, "0") < digits));
}

static bool read_fraction(const json_t *entry, mpq_t out)
{
    if (json_is_integer(entry)) {
        mpq_set_ui(out, 0, 1);
        og_mpz_set(mpq_numref(out), json_integer_value(entry));
        return true;
    }
    if (!json_is_string(entry) || !is_fraction(json_string_value(entry)) ||
        mpq_set_str(out, json_string_value(entry), DECIMAL) != 0) {
        return false;
    }
    mpq_canonicalize(out);
    return true;
}

static og_status read_fractions(const numbers *given, og_view *view, og_message *why)
{
    size_t count = (size_t)view->count + 1, finite = 0;
    og_arena arena = {0};
    mpq_t *exact = og_arena_fractions(&arena, count);
    double *nearest = og_arena_array(&arena, count, sizeof *nearest);
    og_status status = og_arena_status(&arena);
    for (int32_t i = 0; status == OG_OK && i <= view->count; i++) {
        const json_t *entry = number_at(given, view, i);
        if (!is_done(entry) && !read_fraction(entry, exact[finite++])) {
            status =
                malformed(why, "\"index\" has a string that is not a whole number or a fraction "
                               "such as \"1/3\"");
        }
    }
    OG_THEN(status, og_nearest_apart(finite, exact, nearest));
    for (int32_t i = view->count; status == OG_OK && i >= 0; i--) {
        view->answer[i] = is_done(number_at(given, view, i)) ? -INFINITY : nearest[--finite];
    }
    og_arena_clear(&arena);
    return status != OG_BAD_INPUT
               ? status
               : malformed(why, "\"index\" has a fraction out of the range of doubles");
}

/* Reads fractions if all numbers are whole numbers or fractions; if any is a double, all are
 * doubles. */
static og_status read_index(const numbers *given, og_view *view, og_answer *kind, og_message *why)
{
    size_t reals = 0, texts = 0;
    for (int32_t i = 0; i <= view->count; i++) {
        const json_t *entry = number_at(given, view, i);
        reals += !is_done(entry) && !json_is_integer(entry) && !json_is_string(entry);
        texts += !is_done(entry) && json_is_string(entry);
    }
    if (reals > 0 && texts > 0) {
        return malformed(why, "\"index\" mixes fractions in strings with decimals; give only "
                              "fractions and whole numbers, or only numbers");
    }
    *kind = reals > 0 ? OG_ANSWER_INDEX : OG_ANSWER_EXACT;
    return reals > 0 ? read_numbers(given, "index", false, view, why)
                     : read_fractions(given, view, why);
}

/* "stop" is true alone, or the number of stopping beside a list. */
static bool is_stop_fitting(const json_t *stop, bool beside, bool weights)
{
    bool number = json_is_number(stop) || (!weights && json_is_string(stop));
    return stop == NULL || (beside ? number : json_is_true(stop));
}

/* Reads what an answer says of later questions; returns the number of its other keys. */
static og_status read_announced(const json_t *answer, og_command_manner *manner, size_t *others,
                                og_message *why)
{
    static const char *const name[] = {"batch", "alone"};
    bool *const announced[] = {&manner->batch, &manner->alone};
    *others = json_object_size(answer);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        const json_t *value = json_object_get(answer, name[i]);
        if (value != NULL && !json_is_boolean(value)) {
            return og_message_set(why, OG_FAILED, "\"%s\" must be true or false", name[i]);
        }
        *announced[i] = *announced[i] || json_is_true(value);
        *others -= value != NULL;
    }
    return OG_OK;
}

og_status og_command_read_answer(const json_t *answer, og_view *view, og_command_manner *manner,
                                 og_answer *kind, og_message *why)
{
    const json_t *choice = json_object_get(answer, "choose");
    const json_t *weights = json_object_get(answer, "weights");
    const json_t *index = json_object_get(answer, "index");
    const json_t *stop = json_object_get(answer, "stop");
    const bool beside = weights != NULL || index != NULL;
    const numbers given = {weights != NULL ? weights : index, stop};
    size_t keys = 0;
    *kind = weights != NULL ? OG_ANSWER_WEIGHTS : OG_ANSWER_INDEX;
    view->answer[view->count] = -INFINITY;
    OG_TRY(read_announced(answer, manner, &keys, why));
    if (!is_stop_fitting(stop, beside, weights != NULL)) {
        return malformed(why, "\"stop\" must be true alone, or a number beside \"index\" or "
                              "\"weights\"");
    }
    if (keys != 1 + (size_t)(beside && stop != NULL) ||
        (choice == NULL && weights == NULL && index == NULL && stop == NULL)) {
        return malformed(why, "its answer must be {\"choose\":GROUP}, {\"weights\":[...]}, "
                              "{\"index\":[...]} or {\"stop\":true}");
    }
    if (manner->alone && index == NULL) {
        return malformed(why, "\"alone\" needs \"index\"");
    }
    if (choice != NULL) {
        return read_choice(choice, view, why);
    }
    for (int32_t i = 0; !beside && i < view->count; i++) {
        view->answer[i] = -INFINITY;
    }
    if (!beside) {
        return OG_OK;
    }
    OG_TRY(check_length(given.list, weights != NULL ? "weights" : "index", view, why));
    return weights != NULL ? read_numbers(&given, "weights", true, view, why)
                           : read_index(&given, view, kind, why);
}
