#ifndef OG_HEURISTICS_FAMILIES_ASSIGNMENT_RULE_H
#define OG_HEURISTICS_FAMILIES_ASSIGNMENT_RULE_H

#include "dp/base/arena.h"
#include "heuristics/families/assignment_play.h"

/*
 * The common part of the policies of heuristics/families/assignment_play.h (private to
 * heuristics/families/). Their structures start with it.
 */
typedef struct {
    og_arena arena;
    og_assignment_setting setting; /* copied */
    int32_t *askable;              /* [tasks] number of the task's available cells */
} og_assignment_rule;

/* Numbers this close to 0 count as 0, and tie. */
#define OG_ASSIGNMENT_ZERO 1e-12

/* Creates an object of `size` bytes that starts with a rule. OG_NO_MEMORY. */
og_status og_assignment_rule_new(size_t size, const og_assignment_setting *setting, void **out);

static inline size_t og_assignment_cell_count(const og_assignment_rule *rule)
{
    return (size_t)rule->setting.tasks * (size_t)rule->setting.workers;
}

static inline bool og_assignment_there(const og_assignment_rule *rule, int32_t cell)
{
    return rule->setting.there == NULL || rule->setting.there[cell];
}

/* Layout of states: consecutive arrays, each aligned for doubles. */
static inline size_t og_assignment_place(size_t *bytes, size_t count, size_t size)
{
    size_t at = *bytes;
    *bytes = (at + count * size + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    return at;
}

/* Calls by the majority of a task's labels. */
void og_assignment_majority(const void *self, const void *state, double *positive);

/* Writes the cells without a label, for the tasks of a context or of all contexts (-1), to `out`;
 * returns their number. */
int32_t og_assignment_free_cells(const og_assignment_rule *rule, const int8_t *label,
                                 int32_t context, int32_t *out);

/* Creates the player of one kind from the text after the colon of its name; NULL: no text. */
typedef og_status og_assignment_make(const char *name, const char *parameter,
                                     const og_assignment_setting *setting,
                                     og_assignment_player *out, og_message *message);
og_assignment_make og_assignment_make_naive, og_assignment_make_bbta, og_assignment_make_kg_multi,
    og_assignment_make_iethresh, og_assignment_make_crowdsense;

/* A rule of one label. */
og_status og_assignment_make_rule(const og_rule_use *use, const og_assignment_setting *setting,
                                  og_assignment_player *out);

#endif
