/* Functions that all families share. */
#include "bench/family.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/history.h"
#include "dp/base/grow.h"
#include "dp/base/number.h"
#include "dp/base/stop.h"
#include "dp/base/world.h"
#include "dp/prior/respell.h"
#include "dp/product/optimum/optimum.h"

og_status og_family_lacks(const og_family *family, const char *what, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT, "%s does not support %s%s", what,
                          family->words.problems, strncmp(what, "--", 2) == 0 ? "; omit it" : "");
}

og_status og_budget_read(const og_option_row *row, const char *text, int32_t *budget, bool *each,
                         og_message *message)
{
    static const char word[] = "each";
    const size_t end = sizeof word - 1;
    char digits[24];
    size_t length = strlen(text);
    int64_t number;
    bool has = length > end && strcmp(text + length - end, word) == 0;
    snprintf(digits, sizeof digits, "%.*s", (int)fmin((double)length - (has ? end : 0), 23), text);
    if (length >= sizeof digits || !og_number_parse(digits, 0, OG_BUDGET_MAX, &number)) {
        return og_option_refuse(row, text, message,
                                "a whole number from 0 to %d, or such a number and each, as in "
                                "8each",
                                OG_BUDGET_MAX);
    }
    *budget = (int32_t)number;
    *each = has;
    return OG_OK;
}

/* Check that the history and the labels left add up to the whole budget. */
static og_status check_history(const og_family *family, const og_problem_text *given,
                               og_message *message)
{
    int32_t had = og_history_count(given->history), left = given->budget - had;
    if (family->words.history == NULL) {
        return og_family_lacks(family, "--history", message);
    }
    if (left < 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--history has %" PRId32 " words, more than the whole budget, "
                              "-T %" PRId32,
                              had, given->budget);
    }
    return given->left < 0 || given->left == left
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "--left %" PRId32 " and --history disagree: of -T %" PRId32
                                ", %" PRId32 " are left",
                                given->left, given->budget, left);
}

static bool has_bound(const og_family *family, const char *name)
{
    const char *const *at = family->model.bounds;
    while (at != NULL && *at != NULL && strcmp(*at, name) != 0) {
        at++;
    }
    return at != NULL && *at != NULL;
}

og_status og_family_open(const og_family *family, const og_problem_text *given,
                         const og_settings *settings, void **problem, og_message *message)
{
    if (given->objective != NULL && family->objectives == NULL &&
        strcmp(given->objective, "labels") != 0) {
        char words[64];
        snprintf(words, sizeof words, "--problem %s", given->objective);
        return og_family_lacks(family, words, message);
    }
    if (given->each && !family->each) {
        return og_message_set(message, OG_BAD_INPUT, OG_EACH_SUPPORT, given->budget);
    }
    bool blocks = family->model.arms != NULL || family->model.blocks;
    if (settings->engine == OG_ENGINE_BLOCKS && !blocks) {
        return og_family_lacks(family, "--engine blocks", message);
    }
    if (settings->scratch != NULL && !blocks) {
        return og_family_lacks(family, "--scratch", message);
    }
    if (settings->joint_end > 0 && !has_bound(family, "joint_end")) {
        return og_family_lacks(family, "--joint-end", message);
    }
    if (og_world_is_shared(settings->world) && !blocks) {
        return og_message_set(message, OG_BAD_INPUT, "several ranks do not support %s; omit mpirun",
                              family->words.problems);
    }
    if (settings->scratch != NULL || og_world_is_shared(settings->world)) {
        OG_TRY(og_optimum_check(settings, message));
    }
    if (given->budget >= 0 && given->left > given->budget) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--left %" PRId32 " is more than the whole budget, -T %" PRId32,
                              given->left, given->budget);
    }
    if (given->history != NULL) {
        OG_TRY(check_history(family, given, message));
    }
    og_problem_text limited = *given;
    limited.limits = settings;
    return family->model.open(&limited, settings, problem, message);
}

int32_t og_problem_text_left(const og_problem_text *given)
{
    return given->left < 0 ? given->budget - og_history_count(given->history) : given->left;
}

/* Warn if the weights of a mixture do not add up to about 1; only their ratios matter. */
static void check_weights(const og_group *group, og_message *warning)
{
    const double apart = 0.02; /* 0.33:A,B+0.33:A,B+0.33:A,B is not a mistake */
    double sum = og_group_weight_sum(group);
    if (fabs(sum - 1) > apart && warning != NULL) {
        char text[OG_GROUP_TEXT_BYTES];
        og_group_format(group, text, sizeof text);
        (void)og_message_set(
            warning, OG_OK,
            "instance '%.300s': the weights add up to %.6g, not 1, and are divided by it", text,
            sum);
    }
}

/* Warn about three classes that may be meant as two decimals. */
static void check_commas(const char *word, const og_group *group, og_message *warning)
{
    char meant[OG_RESPELT_BYTES];
    if (group->kind == OG_PRIOR_DIRICHLET && og_group_with_points(word, og_group_is_word, meant)) {
        (void)og_message_set(warning, OG_OK,
                             "instance '%.64s' has %" PRId32
                             " classes; if its commas are decimal points, write %s",
                             word, group->part_count, meant);
    }
}

void og_tables_read_clear(og_tables_read *read)
{
    for (size_t i = 0; i < read->count; i++) {
        og_node_table_release(read->table[i]);
    }
    free(read->table);
    *read = (og_tables_read){0};
}

/* The table of a file, held once for the caller. */
static og_status read_table(const char *file, const og_problem_text *given, og_node_table **out,
                            og_message *message)
{
    og_tables_read *read = given->tables;
    og_rows_limits limits = {0};
    for (size_t i = 0; read != NULL && i < read->count; i++) {
        if (strcmp(read->table[i]->name, file) == 0) {
            *out = og_node_table_hold(read->table[i]);
            return OG_OK;
        }
    }
    if (given->limits != NULL) {
        limits = (og_rows_limits){.memory_bytes = given->limits->memory_bytes,
                                  .stop = og_stop_of(given->limits)};
    }
    OG_TRY(og_node_table_read(file, given->limits != NULL ? &limits : NULL, out, message));
    const og_node_table **grown =
        read != NULL ? og_grown(read->table, &read->room, read->count + 1, sizeof *grown) : NULL;
    if (grown != NULL) { /* else the file may be read again */
        read->table = grown;
        grown[read->count++] = og_node_table_hold(*out);
    }
    return OG_OK;
}

/* A word with a table of worths after its '='. */
static og_status read_paid(const char *word, const char *file, og_group *out, og_message *message)
{
    char prior[OG_GROUP_TEXT_BYTES];
    og_worth_values *values = NULL;
    snprintf(prior, sizeof prior, "%.*s", (int)strcspn(word, "="), word);
    OG_TRY(og_group_parse(prior, out, message));
    OG_TRY(og_worth_values_read(file, NULL, &values, message));
    out->payoff = (og_payoff){.given = true, .kind = OG_WORTH_VALUES, .values = values};
    return OG_OK;
}

og_status og_family_group(const char *word, const og_problem_text *given, og_group *out,
                          og_message *message)
{
    const char *file = og_group_file(word);
    og_node_table *table = NULL;
    if (og_group_payoff_file(word) != NULL) {
        return read_paid(word, og_group_payoff_file(word), out, message);
    }
    if (file == NULL) {
        return og_group_parse_paid(word, out, message);
    }
    OG_TRY(og_group_of_nodes(word, NULL, out, message));
    OG_TRY(read_table(file, given, &table, message));
    out->nodes = table;
    return OG_OK;
}

void og_family_group_release(const og_group *group)
{
    if (group->kind == OG_PRIOR_NODES) {
        og_node_table_release(group->nodes);
    }
    og_worth_values_release(group->payoff.values);
}

/* A word or a group in numbers. */
static og_status read_group(const og_problem_text *given, int32_t i, og_group *out,
                            og_message *message)
{
    const og_groups *numbers = given->instances;
    if (numbers == NULL) {
        return given->payoffs ? og_family_group(given->words[i], given, out, message)
                              : og_group_parse(given->words[i], out, message);
    }
    *out = *og_groups_at(numbers, i);
    if (out->payoff.given && !given->payoffs) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--payoff supports only independent instances; omit it");
    }
    if (out->kind == OG_PRIOR_NODES && !given->payoffs) {
        return og_message_set(message, OG_BAD_INPUT,
                              "arm:%.200s is supported only among independent instances",
                              out->nodes->name);
    }
    return OG_OK;
}

og_status og_problem_text_instances(const og_problem_text *given, og_groups *out,
                                    og_message *message)
{
    const og_groups *numbers = given->instances;
    int32_t count = numbers != NULL ? numbers->group_count : given->word_count;
    og_groups_init(out, og_problem_text_left(given));
    for (int32_t i = 0; i < count; i++) {
        og_group group;
        OG_TRY(read_group(given, i, &group, message));
        og_status status = og_groups_add(out, &group, message);
        if (numbers == NULL) {
            og_family_group_release(&group); /* the groups hold its tables */
        }
        OG_TRY(status);
        check_weights(&group, given->warning);
        if (numbers == NULL) {
            check_commas(given->words[i], &group, given->warning);
        }
    }
    return OG_OK;
}

const char *og_counted_parse(const char *word, int64_t *count, og_fraction *number)
{
    const char *times = strchr(word, 'x'), *rest = times != NULL ? times + 1 : word;
    char digits[24];
    int64_t read = 1;
    if (times != NULL) {
        snprintf(digits, sizeof digits, "%.*s", (int)(times - word), word);
        if (times - word >= (ptrdiff_t)sizeof digits ||
            !og_number_parse(digits, 1, INT32_MAX, &read)) {
            return "must begin with a count before the 'x'";
        }
    }
    if (og_fraction_parse(rest, strlen(rest), number) != OG_OK) {
        return "is not a number";
    }
    *count = read;
    return NULL;
}

const char *const og_bounds_of_arms[] = {
    "lagrangian_scalar", "lagrangian_vector", "prevailing_charge", "priced_end", "joint_end", NULL};

static og_status joint_end(const og_arms *arms, const og_settings *settings, og_upper_bound *out,
                           og_message *message)
{
    int32_t labels = settings->joint_end;
    if (labels < 1 || labels > OG_BOUND_JOINT_LABELS_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--joint-end must be from 1 to %d, not %" PRId32,
                              OG_BOUND_JOINT_LABELS_MAX, labels);
    }
    if (labels >= arms->budget) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--joint-end must be less than the number of labels: %" PRId32
                              " is not below %" PRId32,
                              labels, arms->budget);
    }
    return og_bound_joint_end(arms, labels, settings->threads, settings->memory_bytes,
                              og_stop_of(settings), out);
}

og_status og_bound_of_arms(const og_arms *arms, const og_bound_use *use, og_upper_bound *out,
                           og_exact_bound *exact, og_message *message)
{
    typedef og_status maker(const og_arms *arms, int threads, og_stop *stop, og_upper_bound *out);
    static maker *const makers[] = {og_bound_lagrangian_scalar, og_bound_lagrangian_vector,
                                    og_bound_prevailing_charge, og_bound_priced_end};
    if (exact == NULL && use->which == sizeof makers / sizeof *makers) {
        return joint_end(arms, use->settings, out, message);
    }
    if (exact == NULL) {
        return makers[use->which](arms, use->settings->threads, og_stop_of(use->settings), out);
    }
    return use->which < 2
               ? og_exact_bound_find(arms, use->settings, use->least, out, exact, message)
               : OG_OK;
}

static void put_number(og_document *object, const char *name, int32_t number)
{
    if (number < 0) {
        og_put_null(object, name);
    } else {
        og_put_whole(object, name, (uint64_t)number);
    }
}

og_document *og_put_act(og_document *array, const char *text, int32_t instance, int32_t worker)
{
    og_document *object = og_put_object(array, NULL);
    og_put_text(object, "text", text);
    put_number(object, "instance", instance);
    put_number(object, "worker", worker);
    return object;
}

void og_sign_text(const void *problem, og_act act, int32_t answer, char *text, size_t size)
{
    (void)problem;
    (void)act;
    snprintf(text, size, "%s", answer == 1 ? "+" : "-");
}

og_text og_text_begin(char *text, size_t size)
{
    text[0] = '\0';
    return (og_text){text, size, 0};
}

void og_text_add(og_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->text + text->length, text->size - text->length, format, arguments);
    va_end(arguments);
    if (length > 0) {
        size_t room = text->size - text->length - 1;
        text->length += (size_t)length < room ? (size_t)length : room;
    }
}

og_unit_text og_counted_of(const og_problem_size *sizes)
{
    og_unit_text words;
    if (sizes->metric.share || sizes->metric.amount) {
        snprintf(words.text, sizeof words.text, "%s", sizes->metric.unit);
    } else {
        snprintf(words.text, sizeof words.text, "%s of %" PRId64, sizes->metric.unit,
                 sizes->decisions);
    }
    return words;
}
