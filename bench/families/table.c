/* All families of problems. */
#include "bench/families/table.h"

#include <string.h>

#include "bench/families/assignment.h"
#include "bench/families/deadline.h"
#include "bench/families/delayed.h"
#include "bench/families/features.h"
#include "bench/families/independent.h"
#include "bench/families/labelers.h"
#include "bench/families/priced.h"
#include "bench/families/ranking.h"
#include "bench/families/sources.h"
#include "bench/families/workers.h"

const og_family *const og_families[] = {
    &og_family_independent, &og_family_delayed,  &og_family_batch,      &og_family_deadline,
    &og_family_workers,     &og_family_features, &og_family_ranking,    &og_family_sources,
    &og_family_priced,      &og_family_labelers, &og_family_assignment, NULL,
};

og_status og_problem_option(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    og_option_row choice = *row;
    choice.kind = OG_OPTION_CHOICE;
    return og_option_read(&choice, options, strcmp(text, "calls") == 0 ? "labels" : text, message);
}

const og_family *og_family_of_objective(const char *objective)
{
    for (int i = 1; objective != NULL && og_families[i] != NULL; i++) {
        const char *known = og_families[i]->objectives;
        const char *at = known != NULL ? strstr(known, objective) : NULL;
        if (at != NULL && (at == known || at[-1] == ' ') &&
            strchr(" ", at[strlen(objective)]) != NULL) {
            return og_families[i];
        }
    }
    return NULL;
}
