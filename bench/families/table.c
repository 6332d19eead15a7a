/* Problems by their families. */
#include "bench/families/table.h"

#include <string.h>

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
