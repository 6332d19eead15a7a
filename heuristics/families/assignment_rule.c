/* Shared code of the policies of task assignment. */
#include "heuristics/families/assignment_rule.h"

#include <math.h>
#include <string.h>

og_status og_assignment_rule_new(size_t size, const og_assignment_setting *setting, void **out)
{
    og_assignment_rule *rule = og_arena_new(size);
    OG_TRY(OG_ALLOCATED(rule));
    size_t tasks = (size_t)setting->tasks, cells = tasks * (size_t)setting->workers;
    rule->setting = *setting;
    rule->setting.context =
        og_arena_copy(&rule->arena, setting->context, tasks, sizeof *setting->context);
    rule->askable = og_arena_array(&rule->arena, tasks, sizeof *rule->askable);
    if (setting->there != NULL) {
        rule->setting.there =
            og_arena_copy(&rule->arena, setting->there, cells, sizeof *setting->there);
    }
    og_status status = og_arena_status(&rule->arena);
    for (size_t cell = 0; status == OG_OK && cell < cells; cell++) {
        rule->askable[cell / (size_t)setting->workers] += og_assignment_there(rule, (int32_t)cell);
    }
    return OG_MADE(status, (void *)rule, og_arena_free, out);
}

int32_t og_assignment_leaders(const double *vote, int32_t classes, double tolerance, int8_t *leader)
{
    double most = vote[0];
    int32_t count = 0;
    for (int32_t c = 1; c < classes; c++) {
        most = fmax(most, vote[c]);
    }
    for (int32_t c = 0; c < classes; c++) {
        if (!(most - vote[c] > tolerance)) { /* equal infinite votes lead too */
            leader[count++] = (int8_t)(c + 1);
        }
    }
    return count;
}

void og_assignment_share(const int8_t *leader, int32_t count, int32_t classes, double *share)
{
    memset(share, 0, (size_t)classes * sizeof *share);
    for (int32_t k = 0; k < count; k++) {
        share[leader[k] - 1] = 1.0 / count;
    }
}

void og_assignment_vote(const og_assignment_setting *setting, const int8_t *label,
                        const double *accuracy, double tolerance, double *share)
{
    double vote[OG_CLASSES_MAX] = {0};
    int8_t leader[OG_CLASSES_MAX];
    for (int32_t j = 0; j < setting->workers; j++) {
        if (label[j] != 0) {
            double q = accuracy != NULL ? accuracy[j] : NAN;
            vote[label[j] - 1] += accuracy != NULL ? log(q * (setting->classes - 1) / (1 - q)) : 1;
        }
    }
    int32_t count = og_assignment_leaders(vote, setting->classes, tolerance, leader);
    og_assignment_share(leader, count, setting->classes, share);
}

void og_assignment_majority(const void *self, const void *state, double *positive)
{
    const og_assignment_rule *rule = self;
    const int8_t *label = state;
    for (int32_t i = 0; i < rule->setting.tasks; i++) {
        int32_t sum = 0;
        if (og_assignment_several(&rule->setting)) {
            og_assignment_vote(&rule->setting, label, NULL, 0,
                               &positive[i * rule->setting.classes]);
            label += rule->setting.workers;
            continue;
        }
        for (int32_t j = 0; j < rule->setting.workers; j++) {
            sum += *label++;
        }
        positive[i] = sum > 0 ? 1 : sum < 0 ? 0 : 0.5;
    }
}

int32_t og_assignment_free_cells(const og_assignment_rule *rule, const int8_t *label,
                                 int32_t context, int32_t *out)
{
    const og_assignment_setting *setting = &rule->setting;
    int32_t count = 0;
    for (int32_t i = 0, cell = 0; i < setting->tasks; i++) {
        bool in = context < 0 || setting->context[i] == context;
        for (int32_t j = 0; j < setting->workers; j++, cell++) {
            if (in && label[cell] == 0 && og_assignment_there(rule, cell)) {
                out[count++] = cell;
            }
        }
    }
    return count;
}
