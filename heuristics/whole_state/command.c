/*
 * Asks a policy that is a program, and stores its answers.
 */
#include "heuristics/whole_state/command.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"
#include "dp/base/state_set.h"
#include "dp/engine/strategy.h"
#include "heuristics/steady.h"
#include "heuristics/whole_state/child.h"
#include "heuristics/whole_state/command_lines.h"
#include "heuristics/whole_state/view.h"

enum {
    DECIMAL = 10,
    ANSWER_BYTES = 65536, /* longest answer, plus for each group: */
    ANSWER_GROUP_BYTES = 64,
    BATCH_STATES = 1000,  /* most states of a line */
    ALONE_MOST = 1000000, /* most posteriors, one for each number of labels left, asked alone */
    STATES_TOLD = 10000,  /* a warning follows so many states */
};

/* Location of a stored answer: answer[first ..], one number for each group of the view and one for
 * stopping. */
typedef struct {
    uint64_t first;
    uint64_t kind;
} place;

/* The answers about every posterior alone, with one number of labels left. */
typedef struct {
    double *answer; /* [names of posteriors] NaN: not asked; NULL: not yet */
    double stop;    /* the index of stopping */
    og_answer kind;
} lone_answers;

typedef struct {
    char *command;
    double answer_seconds;
    double tie_relative, price;
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
    og_command_manner manner;
    lone_answers *lone;  /* [budget + 1] by labels left; NULL: not alone so far */
    int32_t here_left;   /* labels left in the states foreseen last */
    double here, before; /* states foreseen with so many left, and with one more */
    double foreseen;     /* states in all */
    bool told;           /* the warning was given */
} asker;

static void asker_free(void *self)
{
    asker *command = self;
    if (command != NULL) {
        og_child_end(command->child);
        og_steady_clear(&command->steady);
        og_view_clear(&command->view);
        og_state_set_free(command->known);
        for (int32_t left = 0; command->lone != NULL && left <= command->arms->budget; left++) {
            free(command->lone[left].answer);
        }
        free(command->lone);
        free(command->list);
        free(command->answer);
        free(command->command);
    }
    free(command);
}

/* ---- a line ---- */

/* Writes one state or, as a list, several; the view is that of the last one. The caller frees
 * *text. */
static og_status write_request(asker *command, const og_state *state, int32_t count, bool list,
                               char **text, size_t *length)
{
    FILE *line = open_memstream(text, length);
    OG_TRY(OG_ALLOCATED(line));
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        fputs(!list ? "" : i > 0 ? "," : "[", line);
        status = og_view_take(&command->view, command->ranks, &state[i]);
        if (status == OG_OK) {
            og_command_put_request(line, command->arms, &command->view, command->price, &state[i]);
        }
    }
    fputs(list ? "]\n" : "\n", line);
    bool failed = status != OG_OK || ferror(line) != 0;
    if (fclose(line) != 0 || failed) {
        free(*text);
        return OG_NO_MEMORY;
    }
    return OG_OK;
}

static og_status complain(const asker *command, og_child_line request, og_child_line answer,
                          const og_message *why, og_message *message)
{
    return og_child_complain(command->command, request, answer, why, message);
}

/* One line sent and the line that came back. */
typedef struct {
    char *request; /* owned, like json */
    size_t length;
    og_child_line answer;
    json_t *json; /* NULL: not read */
} exchange;

static void exchange_clear(exchange *line)
{
    json_decref(line->json);
    free(line->request);
}

static og_answer_limits limits_of(const asker *command, const og_state *state, int32_t count,
                                  bool list)
{
    size_t groups = list ? 0 : (size_t)command->view.count;
    for (int32_t i = 0; list && i < count; i++) {
        groups += (size_t)state[i].count + 1;
    }
    return (og_answer_limits){command->answer_seconds, ANSWER_BYTES + ANSWER_GROUP_BYTES * groups,
                              command->stop};
}

/* Sends these states on one line and reads a line of JSON; the caller clears *line in any case. */
static og_status converse(asker *command, const og_state *state, int32_t count, bool list,
                          exchange *line, og_message *message)
{
    og_message why = {""};
    json_error_t error;
    *line = (exchange){.answer = {"", 0}};
    og_status status = write_request(command, state, count, list, &line->request, &line->length);
    if (status != OG_OK) {
        return og_message_set(message, status, "out of memory for a request");
    }
    if (command->child == NULL) {
        status = og_child_start(command->command, &command->child, &why);
    }
    if (status == OG_OK) {
        const og_answer_limits limits = limits_of(command, state, count, list);
        status = og_child_ask(command->child, (og_child_line){line->request, line->length}, &limits,
                              &line->answer, &why);
    }
    if (status == OG_OK) {
        line->json =
            json_loadb(line->answer.text, line->answer.length, JSON_REJECT_DUPLICATES, &error);
        if (line->json == NULL) {
            status = og_message_set(&why, OG_FAILED, "its answer is not JSON (%.80s)", error.text);
        } else if (list &&
                   (!json_is_array(line->json) || json_array_size(line->json) != (size_t)count)) {
            status = og_message_set(
                &why, OG_FAILED,
                "its answer must be a list of %" PRId32 " answers, one for each state", count);
        }
    }
    if (status == OG_FAILED) {
        complain(command, (og_child_line){line->request, line->length - 1}, line->answer, &why,
                 message);
    } else if (status != OG_OK) {
        og_message_set(message, status, "%s", why.text);
    }
    return status;
}

/* Complains of the answer to one state of a list. */
static void complain_of(asker *command, const og_state *state, const json_t *entry,
                        const og_message *why, og_message *message)
{
    char *request = NULL;
    size_t length = 1;
    char *answer = json_dumps(entry, JSON_COMPACT | JSON_ENCODE_ANY);
    if (write_request(command, state, 1, false, &request, &length) == OG_OK && answer != NULL) {
        complain(command, (og_child_line){request, length - 1},
                 (og_child_line){answer, strlen(answer)}, why, message);
    } else {
        *message = *why;
    }
    free(answer);
    free(request);
}

/* Gets the view's answer from the child. */
static og_status ask_once(void *self, og_answer *kind, og_message *message)
{
    asker *command = self;
    exchange line;
    og_message why = {""};
    og_status status = converse(command, command->state, 1, false, &line, message);
    if (status == OG_OK) {
        status = og_command_read_answer(line.json, &command->view, &command->manner, kind, &why);
        if (status == OG_FAILED) {
            complain(command, (og_child_line){line.request, line.length - 1}, line.answer, &why,
                     message);
        }
    }
    exchange_clear(&line);
    return status;
}

/* Ends the child if the question failed. */
static og_status asked_child(asker *command, og_status status, const og_message *message)
{
    if (status != OG_OK) {
        og_child_end(command->child);
        command->child = NULL;
        command->failure = *message;
        command->failed = status;
    }
    return status;
}

static og_steady_question steady_question(asker *command)
{
    return (og_steady_question){.ask = ask_once,
                                .self = command,
                                .answer = command->view.answer,
                                .count = command->view.count + 1,
                                .tie_relative = command->tie_relative,
                                .prefix = "command:",
                                .policy = command->command,
                                .weights = "{\"weights\":[...]}"};
}

static og_status ask_child(asker *command, const og_state *state, og_answer *kind,
                           og_message *message)
{
    const og_steady_question question = steady_question(command);
    command->state = state;
    return asked_child(command, og_steady_ask(&command->steady, &question, kind, message), message);
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

/* Stores the view's answer, or replaces the stored one. */
static og_status remember(asker *command, og_answer kind, og_message *message)
{
    uint64_t count = (uint64_t)command->view.count + 1;
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
    if (added) {
        *at = (place){command->answer_count, (uint64_t)kind};
        command->answer_count += count;
    }
    memcpy(command->answer + at->first, command->view.answer,
           (size_t)count * sizeof *command->answer);
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
           ((size_t)command->view.count + 1) * sizeof *command->view.answer);
    *kind = (og_answer)at->kind;
    return true;
}

/* True if it failed permanently, or was stopped by a watch that would stop it again. */
static bool has_failed(const asker *command)
{
    return command->failed != OG_OK &&
           (command->failed != OG_STOPPED || og_stop_look(command->stop) != OG_LIMIT_NONE);
}

/* ---- posteriors alone ---- */

/* Makes room for the answers about posteriors alone, unless these would be too many questions. */
static og_status begin_alone(asker *command)
{
    const og_arms *arms = command->arms;
    double most = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        for (int32_t left = 1; left <= arms->budget; left++) {
            most += arms->arm[a]->level[arms->budget - left + 1];
        }
    }
    if (most > ALONE_MOST) {
        command->manner.alone = false;
        return OG_OK;
    }
    command->lone = calloc((size_t)arms->budget + 1, sizeof *command->lone);
    return OG_ALLOCATED(command->lone);
}

/* Every posterior that can occur with so many labels left, as the groups of one state, in the order
 * of the view; *names: of all posteriors. */
static og_status gather_alone(const asker *command, int32_t left, og_state_group **out,
                              int32_t *count, uint32_t *names)
{
    const og_arms *arms = command->arms;
    *names = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        for (uint32_t node = 0; node < arms->arm[a]->node_count; node++) {
            uint32_t name = command->ranks->rank[a][node];
            *names = name >= *names ? name + 1 : *names;
        }
    }
    og_state_group *group = calloc((size_t)*names + 1, sizeof *group);
    OG_TRY(OG_ALLOCATED(group));
    for (int32_t a = 0; a < arms->arm_count; a++) {
        for (uint32_t node = 0; node < arms->arm[a]->level[arms->budget - left + 1]; node++) {
            group[command->ranks->rank[a][node]] = (og_state_group){a, node, 1};
        }
    }
    *count = 0;
    for (uint32_t name = 0; name < *names; name++) {
        if (group[name].copies > 0) {
            group[(*count)++] = group[name];
        }
    }
    *out = group;
    return OG_OK;
}

static og_status ask_alone(asker *command, int32_t left, og_message *message)
{
    lone_answers *lone = &command->lone[left];
    og_state state = {.left = left, .budget = command->arms->budget};
    og_state_group *group = NULL;
    uint32_t names = 0;
    og_status status = gather_alone(command, left, &group, &state.count, &names);
    state.group = group;
    OG_THEN(status, og_view_take(&command->view, command->ranks, &state));
    double *answer = status == OG_OK ? calloc(names, sizeof *answer) : NULL;
    if (answer == NULL) {
        free(group);
        return og_message_set(message, OG_NO_MEMORY, "out of memory for a request");
    }
    status = ask_child(command, &state, &lone->kind, message);
    for (uint32_t i = 0; i < names; i++) {
        answer[i] = NAN;
    }
    for (int32_t i = 0; status == OG_OK && i < command->view.count; i++) {
        const og_state_group *seen = &command->view.group[i];
        answer[command->ranks->rank[seen->arm][seen->node]] = command->view.answer[i];
    }
    lone->stop = status == OG_OK ? command->view.answer[command->view.count] : -INFINITY;
    free(group);
    return OG_MADE(status, answer, free, &lone->answer);
}

/* Answers the view from its posteriors alone; false if one of them cannot occur with so many
 * labels left, as in states of a caller. */
static bool recall_alone(asker *command, int32_t left, og_answer *kind)
{
    const lone_answers *lone = &command->lone[left];
    bool all = true;
    for (int32_t i = 0; i < command->view.count; i++) {
        const og_state_group *seen = &command->view.group[i];
        command->view.answer[i] = lone->answer[command->ranks->rank[seen->arm][seen->node]];
        all = all && !isnan(command->view.answer[i]);
    }
    command->view.answer[command->view.count] = lone->stop;
    *kind = lone->kind;
    return all;
}

/* ---- questions ---- */

/* Takes the stored answer, or asks about the state, which the view shows. */
static og_status know(asker *command, const og_state *state, og_answer *kind, og_message *message)
{
    bool alone = command->lone != NULL && state->left <= command->arms->budget;
    if (alone && command->lone[state->left].answer != NULL &&
        recall_alone(command, state->left, kind)) {
        return OG_OK;
    }
    if (write_list(command, state) != OG_OK) {
        return og_message_set(message, OG_NO_MEMORY, "out of memory for a request");
    }
    if (recall(command, kind)) {
        return OG_OK;
    }
    if (has_failed(command)) {
        *message = command->failure;
        return command->failed;
    }
    if (alone && command->lone[state->left].answer == NULL) {
        OG_TRY(ask_alone(command, state->left, message));
        OG_TRY(og_view_take(&command->view, command->ranks, state));
        if (recall_alone(command, state->left, kind)) {
            return OG_OK;
        }
    }
    OG_TRY(ask_child(command, state, kind, message));
    return remember(command, *kind, message);
}

static og_status choose(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message)
{
    asker *command = self;
    if (og_view_take(&command->view, command->ranks, state) != OG_OK) {
        return og_message_set(message, OG_NO_MEMORY, "out of memory for a request");
    }
    OG_TRY(know(command, state, kind, message));
    if (command->manner.alone && command->lone == NULL) {
        OG_TRY(begin_alone(command));
    }
    return og_view_answer(&command->view, state, *kind, answer, message);
}

/* ---- several states at once ---- */

/* Reads the answers to a list; `again`: the second ones, which must be the same. */
static og_status read_list(asker *command, const og_state *state, int32_t count,
                           const exchange *line, bool again, og_message *message)
{
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        const json_t *entry = json_array_get(line->json, (size_t)i);
        og_answer kind = OG_ANSWER_INDEX, first = kind;
        og_message why = {""};
        status = og_view_take(&command->view, command->ranks, &state[i]);
        OG_THEN(status, write_list(command, &state[i]));
        const og_steady_question question = steady_question(command);
        if (status == OG_OK && again && recall(command, &first)) {
            status = og_steady_keep(&command->steady, &question);
        }
        if (status != OG_OK) {
            return og_message_set(message, status, "out of memory for an answer");
        }
        status = og_command_read_answer(entry, &command->view, &command->manner, &kind, &why);
        if (status == OG_FAILED) {
            complain_of(command, &state[i], entry, &why, message);
        }
        if (again) {
            OG_THEN(status, og_steady_same(&command->steady, &question, first, kind, message));
        }
        OG_THEN(status, remember(command, kind, message));
    }
    return status;
}

static og_status ask_list(asker *command, const og_state *state, int32_t count, bool again,
                          og_message *message)
{
    exchange line;
    og_status status = converse(command, state, count, true, &line, message);
    OG_THEN(status, read_list(command, state, count, &line, again, message));
    exchange_clear(&line);
    return asked_child(command, status, message);
}

/* Asks about these states, [count <= BATCH_STATES], and about some of them twice. */
static og_status ask_batch(asker *command, og_state *state, int32_t count, og_message *message)
{
    int32_t due = 0;
    OG_TRY(ask_list(command, state, count, false, message));
    for (int32_t i = 0; i < count; i++) {
        if (og_steady_due(&command->steady)) {
            state[due++] = state[i];
        }
    }
    return due > 0 ? ask_list(command, state, due, true, message) : OG_OK;
}

/* Warns of the states that are expected: those so far, and later ones as if each further label
 * multiplied them like the last one. */
static void warn_of_states(asker *command, int32_t left)
{
    char line[OG_MESSAGE_BYTES];
    double growth = command->before > 0 ? command->here / command->before : 1;
    double layer = command->here, sum = command->foreseen;
    for (int32_t k = 0; k < left; k++) {
        layer *= growth;
        sum += layer;
    }
    double unit = pow(DECIMAL, floor(log10(sum)));
    snprintf(line, sizeof line,
             "policy 'command:%.60s%s' is asked about each state, about %.0f in all; table:FILE "
             "and plugin:FILE are faster%s",
             command->command, strlen(command->command) > 60 ? "..." : "", unit * round(sum / unit),
             command->manner.batch ? "" : ", and answers with \"alone\":true or \"batch\":true");
    og_stop_warn(command->stop, line);
    command->told = true;
}

/* Counts states that come; all with one number of labels left come before those with less. */
static void count_states(asker *command, int32_t left, int32_t count)
{
    if (left > command->here_left) { /* another walk begins */
        command->here = command->before = command->foreseen = 0;
        command->here_left = left;
    } else if (left < command->here_left) {
        if (command->foreseen >= STATES_TOLD && !command->told) {
            warn_of_states(command, left);
        }
        command->before = command->here;
        command->here = 0;
        command->here_left = left;
    }
    command->here += count;
    command->foreseen += count;
}

/* Asks about states that will come, if the program takes several at once. */
static og_status foresee(void *self, const og_state *state, int32_t count, bool *more,
                         og_message *message)
{
    asker *command = self;
    og_state asked[BATCH_STATES];
    int32_t unknown = 0;
    og_status status = has_failed(command) ? command->failed : OG_OK;
    *more = command->lone == NULL;
    if (*more) {
        count_states(command, state[0].left, count);
    }
    for (int32_t i = 0; status == OG_OK && *more && command->manner.batch && i < count; i++) {
        og_answer kind;
        status = og_view_take(&command->view, command->ranks, &state[i]);
        OG_THEN(status, write_list(command, &state[i]));
        if (status == OG_OK && !recall(command, &kind)) {
            asked[unknown++] = state[i];
        }
        if (status == OG_OK && unknown > 0 && (unknown == BATCH_STATES || i + 1 == count)) {
            status = ask_batch(command, asked, unknown, message);
            unknown = 0;
        }
    }
    return status;
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
        command->price = use->price;
        command->memory_bytes = use->memory_bytes;
        command->stop = use->stop;
        command->arms = arms;
        status = command->command == NULL ? OG_NO_MEMORY : OG_OK;
    }
    og_chooser chooser = {.self = command,
                          .look = OG_LOOK_POSTERIOR,
                          .tie_relative = use->tie_relative,
                          .choose = choose,
                          .foresee = foresee,
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
