/* Creates the policies of task assignment from their names. */
#include "heuristics/families/assignment_play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/engine/strategy.h"
#include "heuristics/families/assignment_rule.h"

static const struct {
    const char *name;
    og_assignment_make *make;
    bool classes; /* several classes are supported */
} rows[] = {
    {"naive", og_assignment_make_naive, true},
    {"bbta", og_assignment_make_bbta, true},
    {"opt-kg-multi", og_assignment_make_kg_multi, false},
    {"iethresh", og_assignment_make_iethresh, false},
    {"crowdsense", og_assignment_make_crowdsense, false},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ROWS: none. */
static size_t row_of(const char *name)
{
    size_t k = 0, length = strcspn(name, ":");
    while (k < ROWS &&
           (strlen(rows[k].name) != length || memcmp(rows[k].name, name, length) != 0)) {
        k++;
    }
    return k;
}

static og_status make(const og_policy_name *named, const og_assignment_setting *setting,
                      og_assignment_player *out, og_message *message)
{
    const char *name = named->name, *colon = strchr(name, ':');
    const size_t row = named->function == NULL ? row_of(name) : ROWS;
    og_rule_use use;
    bool ruled = row == ROWS && og_policy_name_rule(named, &use) && !use.exact;
    if (row == ROWS && !ruled) {
        return og_policy_name_refuse(named, "task assignment", "assignment", message);
    }
    if (og_assignment_several(setting) && (ruled || !rows[row].classes)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.64s' requires labels of two classes, got %d; choose naive "
                              "or bbta",
                              name, setting->classes);
    }
    return ruled ? og_assignment_make_rule(&use, setting, out)
                 : rows[row].make(rows[row].name, colon != NULL ? colon + 1 : NULL, setting, out,
                                  message);
}

static og_status player_of(const og_policy_name *named, const og_assignment_setting *setting,
                           og_assignment_player *out, og_message *message)
{
    og_assignment_player made = {.self = NULL};
    OG_TRY(make(named, setting, &made, message));
    if (!made.ends && setting->budget < 0) {
        og_assignment_player_free(&made);
        return og_message_set(message, OG_BAD_INPUT, "policy '%.64s' needs a budget: -T N",
                              named->name);
    }
    *out = made;
    return OG_OK;
}

og_status og_assignment_player_new(const char *name, const og_assignment_setting *setting,
                                   og_assignment_player *out, og_message *message)
{
    og_policy_name named = {.kind = 0};
    if (row_of(name) == ROWS) {
        OG_TRY(og_policy_name_parse(name, &named, message));
    }
    snprintf(named.name, sizeof named.name, "%s", name);
    return player_of(&named, setting, out, message);
}

void og_assignment_player_free(og_assignment_player *player)
{
    if (player->free != NULL) {
        player->free(player->self);
    }
    *player = (og_assignment_player){.self = NULL};
}

/* ---- as strategies ---- */

typedef struct {
    og_assignment_player player;
    char name[];
} played;

static void played_free(void *self)
{
    played *play = self;
    og_assignment_player_free(&play->player);
    free(play);
}

static og_status choose(void *self, const og_strategy_view *view, double *answer, og_answer *kind,
                        og_message *message)
{
    const played *play = self;
    (void)view, (void)answer, (void)kind;
    return og_message_set(
        message, OG_BAD_INPUT,
        "policy '%.60s' depends on the order of labels, and does not support single states",
        play->name);
}

og_status og_assignment_played(const og_policy_name *named, const og_assignment_setting *setting,
                               struct og_strategy *out, og_message *message)
{
    played *made = malloc(sizeof *made + strlen(named->name) + 1);
    OG_TRY(OG_ALLOCATED(made));
    strcpy(made->name, named->name);
    og_status status = player_of(named, setting, &made->player, message);
    if (status != OG_OK) {
        free(made);
        return status;
    }
    *out = (og_strategy){
        .self = made, .by_order = true, .concurrent = true, .choose = choose, .free = played_free};
    return OG_OK;
}

const og_assignment_player *og_assignment_player_of(const struct og_strategy *by)
{
    return by != NULL && by->free == played_free ? &((const played *)by->self)->player : NULL;
}

const char *og_assignment_played_name(const struct og_strategy *by)
{
    return ((const played *)by->self)->name;
}
