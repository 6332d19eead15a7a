/*
 * Sends requests to a policy that is a program, checks its answers and stores them.
 */
#include "heuristics/whole_state/command.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"
#include "dp/base/rational.h"
#include "dp/base/state_set.h"
#include "dp/base/wide.h"
#include "dp/engine/strategy.h"
#include "heuristics/steady.h"
#include "heuristics/whole_state/child.h"
#include "heuristics/whole_state/view.h"

enum {
    DECIMAL = 10,
    COMMAND_SHOWN = 60, /* length shown in a message, like the next two */
    REQUEST_SHOWN = 160,
    ANSWER_SHOWN = 100,
    NUMBER_BYTES = 32,
    ANSWER_BYTES = 65536, /* longest answer, plus for each group: */
    ANSWER_GROUP_BYTES = 64,
};

static const double whole_max = 0x1p53;

/* Location of a stored answer: answer[first ..], one number for each group of the view. */
typedef struct {
    uint64_t first;
    uint64_t kind;
} place;

typedef struct {
    char *command;
    double answer_seconds;
    double tie_relative;
    uint64_t memory_bytes;
    og_stop *stop; /* looked at while waiting for the child */
    const og_arms *arms;
    const og_ranks *ranks; /* the ranks with this chooser; their names of posteriors are in order */
    og_child *child;       /* NULL until the first question */
    og_message failure;    /* the first failure; the child is not asked again */
    og_status failed;      /* the failure's status */
    og_view view;
    const og_state *state; /* the state that the view shows */
    og_steady steady;
    og_copies *list; /* [list_room] the view as a multiset, and the labels left */
    size_t list_room;
    og_state_set *known; /* lists with stored answers, each with a place */
    double *answer;      /* [answer_room] the stored answers */
    uint64_t answer_room;
    uint64_t answer_count;
} asker;

static void asker_free(void *self)
{
    asker *command = self;
    if (command != NULL) {
        og_child_end(command->child);
        og_steady_clear(&command->steady);
        og_view_clear(&command->view);
        og_state_set_free(command->known);
        free(command->list);
        free(command->answer);
        free(command->command);
    }
    free(command);
}

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

static void put_posterior(FILE *line, const og_arm *arm, uint32_t node)
{
    double number[OG_POSTERIOR_NUMBERS];
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
    if (prior->kind == OG_PRIOR_DIRICHLET) {
        fputs("null", line);
    } else {
        put_number(line, og_fraction_double(prior->threshold));
    }
}

static void put_request(FILE *line, const asker *command, const og_state *state)
{
    const og_view *view = &command->view;
    fprintf(line, "{\"left\":%" PRId32 ",\"budget\":%" PRId32 ",\"instances\":[", state->left,
            state->budget);
    for (int32_t i = 0; i < view->count; i++) {
        fputs(i > 0 ? "," : "", line);
        put_posterior(line, command->arms->arm[view->group[i].arm], view->group[i].node);
    }
    fputs("],\"counts\":[", line);
    for (int32_t i = 0; i < view->count; i++) {
        fprintf(line, "%s%" PRId64, i > 0 ? "," : "", view->group[i].copies);
    }
    fputs("],\"thresholds\":[", line);
    for (int32_t i = 0; i < view->count; i++) {
        fputs(i > 0 ? "," : "", line);
        put_threshold(line, og_arm_prior(command->arms->arm[view->group[i].arm]));
    }
    fputs("]}\n", line);
}

/* The caller frees *text. */
static og_status write_request(const asker *command, const og_state *state, char **text,
                               size_t *length)
{
    FILE *line = open_memstream(text, length);
    OG_TRY(OG_ALLOCATED(line));
    put_request(line, command, state);
    bool failed = ferror(line) != 0;
    if (fclose(line) != 0 || failed) {
        free(*text);
        return OG_NO_MEMORY;
    }
    return OG_OK;
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

static og_status read_numbers(const json_t *value, const char *name, bool weights, og_view *view,
                              og_message *why)
{
    for (int32_t i = 0; i < view->count; i++) {
        const json_t *entry = json_array_get(value, (size_t)i);
        double number = json_number_value(entry);
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
    return og_answer_check(weights ? OG_ANSWER_WEIGHTS : OG_ANSWER_INDEX, view->count, view->answer,
                           "group", why);
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

static og_status read_fractions(const json_t *value, og_view *view, og_message *why)
{
    size_t count = (size_t)view->count;
    og_arena arena = {0};
    mpq_t *exact = og_arena_fractions(&arena, count);
    og_status status = og_arena_status(&arena);
    for (size_t i = 0; status == OG_OK && i < count; i++) {
        if (!read_fraction(json_array_get(value, i), exact[i])) {
            status =
                malformed(why, "\"index\" has a string that is not a whole number or a fraction "
                               "such as \"1/3\"");
        }
    }
    OG_THEN(status, og_nearest_apart(count, exact, view->answer));
    og_arena_clear(&arena);
    return status != OG_BAD_INPUT
               ? status
               : malformed(why, "\"index\" has a fraction out of the range of doubles");
}

/* Reads fractions if all numbers are whole numbers or fractions; if any is a double, all are
 * doubles. */
static og_status read_index(const json_t *value, og_view *view, og_answer *kind, og_message *why)
{
    size_t reals = 0, texts = 0;
    for (size_t i = 0; i < (size_t)view->count; i++) {
        const json_t *entry = json_array_get(value, i);
        reals += !json_is_integer(entry) && !json_is_string(entry);
        texts += json_is_string(entry);
    }
    if (reals > 0 && texts > 0) {
        return malformed(why, "\"index\" mixes fractions in strings with decimals; give only "
                              "fractions and whole numbers, or only numbers");
    }
    *kind = reals > 0 ? OG_ANSWER_INDEX : OG_ANSWER_EXACT;
    return reals > 0 ? read_numbers(value, "index", false, view, why)
                     : read_fractions(value, view, why);
}

/* Reads an object with one key, which is the kind of answer. */
static og_status read_answer(og_child_line line, og_view *view, og_answer *kind, og_message *why)
{
    json_error_t error;
    json_t *answer = json_loadb(line.text, line.length, JSON_REJECT_DUPLICATES, &error);
    if (answer == NULL) {
        return og_message_set(why, OG_FAILED, "its answer is not JSON (%.80s)", error.text);
    }
    const json_t *choice = json_object_get(answer, "choose");
    const json_t *weights = json_object_get(answer, "weights");
    const json_t *index = json_object_get(answer, "index");
    og_status status;
    *kind = weights != NULL ? OG_ANSWER_WEIGHTS : OG_ANSWER_INDEX;
    if (!json_is_object(answer) || json_object_size(answer) != 1 ||
        (choice == NULL && weights == NULL && index == NULL)) {
        status = malformed(why, "its answer must be {\"choose\":GROUP}, {\"weights\":[...]} or "
                                "{\"index\":[...]}");
    } else if (choice != NULL) {
        status = read_choice(choice, view, why);
    } else {
        const char *name = weights != NULL ? "weights" : "index";
        status = check_length(weights != NULL ? weights : index, name, view, why);
        OG_THEN(status, weights != NULL ? read_numbers(weights, name, true, view, why)
                                        : read_index(index, view, kind, why));
    }
    json_decref(answer);
    return status;
}

static int shown(size_t length, int most)
{
    return length < (size_t)most ? (int)length : most;
}

static const char *dots(size_t length, int most)
{
    return length <= (size_t)most ? "" : "...";
}

static og_status complain(const asker *command, og_child_line request, og_child_line answer,
                          const og_message *why, og_message *message)
{
    size_t name = strlen(command->command);
    if (answer.length == 0) {
        answer = (og_child_line){"nothing", strlen("nothing")};
    }
    return og_message_set(
        message, OG_FAILED, "policy 'command:%.*s%s': %s; asked: %.*s%s; answered: %.*s%s",
        shown(name, COMMAND_SHOWN), command->command, dots(name, COMMAND_SHOWN), why->text,
        shown(request.length, REQUEST_SHOWN), request.text, dots(request.length, REQUEST_SHOWN),
        shown(answer.length, ANSWER_SHOWN), answer.text, dots(answer.length, ANSWER_SHOWN));
}

/* Gets the view's answer from the child. */
static og_status ask_once(void *self, og_answer *kind, og_message *message)
{
    asker *command = self;
    char *request;
    size_t length;
    og_child_line answer = {"", 0};
    og_message why = {""};
    og_status status = write_request(command, command->state, &request, &length);
    if (status != OG_OK) {
        return og_message_set(message, status, "out of memory for a request");
    }
    if (command->child == NULL) {
        status = og_child_start(command->command, &command->child, &why);
    }
    if (status == OG_OK) {
        const og_answer_limits limits = {
            command->answer_seconds,
            ANSWER_BYTES + ANSWER_GROUP_BYTES * (size_t)command->view.count, command->stop};
        status =
            og_child_ask(command->child, (og_child_line){request, length}, &limits, &answer, &why);
    }
    OG_THEN(status, read_answer(answer, &command->view, kind, &why));
    if (status == OG_FAILED) {
        complain(command, (og_child_line){request, length - 1}, answer, &why, message);
    } else if (status != OG_OK) {
        og_message_set(message, status, "%s", why.text);
    }
    free(request);
    return status;
}

static og_status ask_child(asker *command, const og_state *state, og_answer *kind,
                           og_message *message)
{
    const og_steady_question question = {.ask = ask_once,
                                         .self = command,
                                         .answer = command->view.answer,
                                         .count = command->view.count,
                                         .tie_relative = command->tie_relative,
                                         .prefix = "command:",
                                         .policy = command->command,
                                         .weights = "{\"weights\":[...]}"};
    command->state = state;
    og_status status = og_steady_ask(&command->steady, &question, kind, message);
    if (status != OG_OK) {
        og_child_end(command->child);
        command->child = NULL;
        command->failure = *message;
        command->failed = status;
    }
    return status;
}

/* ---- the memory ---- */

/* Writes the view as a list: the names of its groups in ascending order, then the labels left. */
static og_status write_list(asker *command, const og_state *state)
{
    og_copies *list =
        og_grown(command->list, &command->list_room, (size_t)command->view.count + 1, sizeof *list);
    OG_TRY(OG_ALLOCATED(list));
    command->list = list;
    for (int32_t i = 0; i < command->view.count; i++) {
        const og_state_group *group = &command->view.group[i];
        command->list[i] =
            (og_copies){command->ranks->rank[group->arm][group->node], (uint32_t)group->copies};
    }
    command->list[command->view.count] = (og_copies){UINT32_MAX, (uint32_t)state->left};
    return OG_OK;
}

static og_status reserve_answers(asker *command, uint64_t more)
{
    if (command->answer_count + more <= command->answer_room) {
        return OG_OK;
    }
    uint64_t room = command->answer_room + command->answer_room / 2 + more + 64;
    if (room * sizeof *command->answer > command->memory_bytes / 2) {
        return OG_STOPPED;
    }
    double *answer = realloc(command->answer, (size_t)room * sizeof *answer);
    OG_TRY(OG_ALLOCATED(answer));
    command->answer = answer;
    command->answer_room = room;
    return OG_OK;
}

static og_status remember(asker *command, og_answer kind, og_message *message)
{
    uint64_t count = (uint64_t)command->view.count;
    uint32_t entry = 0;
    bool added;
    og_status status = reserve_answers(command, count);
    OG_THEN(status, og_state_set_put(command->known, command->list, command->view.count + 1,
                                     command->memory_bytes / 2, &entry, &added));
    if (status != OG_OK) {
        return og_message_set(message, status,
                              "the answers of policy 'command:%.60s' to %" PRIu32
                              " states do not fit the memory limit",
                              command->command, og_state_set_count(command->known));
    }
    place *at = og_state_set_payload(command->known, entry);
    *at = (place){command->answer_count, (uint64_t)kind};
    memcpy(command->answer + command->answer_count, command->view.answer,
           (size_t)count * sizeof *command->answer);
    command->answer_count += count;
    return OG_OK;
}

static bool recall(asker *command, og_answer *kind)
{
    uint32_t entry;
    if (!og_state_set_find(command->known, command->list, command->view.count + 1, &entry)) {
        return false;
    }
    const place *at = og_state_set_payload(command->known, entry);
    memcpy(command->view.answer, command->answer + at->first,
           (size_t)command->view.count * sizeof *command->view.answer);
    *kind = (og_answer)at->kind;
    return true;
}

/* True if it failed permanently, or was stopped by a watch that would stop it again. */
static bool has_failed(const asker *command)
{
    return command->failed != OG_OK &&
           (command->failed != OG_STOPPED || og_stop_look(command->stop) != OG_LIMIT_NONE);
}

static og_status choose(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message)
{
    asker *command = self;
    og_status status = og_view_take(&command->view, command->ranks, state);
    OG_THEN(status, write_list(command, state));
    if (status != OG_OK) {
        return og_message_set(message, status, "out of memory for a request");
    }
    if (!recall(command, kind)) {
        if (has_failed(command)) {
            *message = command->failure;
            return command->failed;
        }
        status = ask_child(command, state, kind, message);
        OG_THEN(status, remember(command, *kind, message));
    }
    return status == OG_OK ? og_view_answer(&command->view, state, *kind, answer, message) : status;
}

og_status og_command_ranks(const og_command_use *use, const og_arms *arms, og_ranks **out,
                           og_message *message)
{
    asker *command = calloc(1, sizeof *command);
    og_status status =
        command == NULL ? OG_NO_MEMORY : og_state_set_new(sizeof(place), &command->known);
    if (status == OG_OK) {
        command->command = strdup(use->command);
        command->answer_seconds = use->answer_seconds;
        command->tie_relative = use->tie_relative;
        command->memory_bytes = use->memory_bytes;
        command->stop = use->stop;
        command->arms = arms;
        status = command->command == NULL ? OG_NO_MEMORY : OG_OK;
    }
    og_chooser chooser = {.self = command,
                          .look = OG_LOOK_POSTERIOR,
                          .tie_relative = use->tie_relative,
                          .choose = choose,
                          .free = asker_free};
    og_ranks *ranks = NULL;
    OG_THEN(status, og_ranks_new_chooser(arms, &chooser, &ranks));
    if (status != OG_OK) {
        asker_free(command);
        return og_message_set(message, status, "out of memory for the policy");
    }
    command->ranks = ranks;
    *out = ranks;
    return OG_OK;
}
