/* Reads the texts of laws and checks that a problem supports them. */
#include "bench/study/law.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/truth_grid.h"

enum { LIST_MAX = 10000 };

static const char believe[] = "believe:";

og_status og_study_law_read(const char *text, int64_t instances, og_study_law *out,
                            og_message *message)
{
    og_study_law law = {.believed = strncmp(text, believe, strlen(believe)) == 0};
    og_status status = law.believed ? og_belief_parse(text + strlen(believe), &law.belief, message)
                                    : og_truth_at(text, instances, &law.truth, message);
    law.actual = !law.believed && strcmp(text, "prior") != 0;
    if (status == OG_OK) {
        *out = law;
    }
    return status;
}

void og_study_law_clear(og_study_law *law)
{
    og_truth_clear(&law->truth);
    *law = (og_study_law){.believed = false};
}

og_status og_study_law_check(const og_study_law *law, const og_groups *problem, og_message *message)
{
    for (int32_t g = 0; law->believed && g < problem->group_count; g++) {
        if (problem->groups[g].kind == OG_PRIOR_DIRICHLET) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--assume does not support several classes; omit it");
        }
    }
    return law->actual ? og_truth_check(&law->truth, problem, message) : OG_OK;
}

/* ---- laws of a study ---- */

og_status og_study_add_text(char ***list, int32_t *count, const char *text, const char *what,
                            og_message *message)
{
    for (int32_t i = 0; i < *count; i++) {
        if (strcmp((*list)[i], text) == 0) {
            return OG_OK;
        }
    }
    if (*count >= LIST_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "at most %d %s are supported; give fewer",
                              (int)LIST_MAX, what);
    }
    char **longer = realloc(*list, ((size_t)*count + 1) * sizeof *longer);
    OG_TRY(OG_ALLOCATED(longer));
    *list = longer;
    longer[*count] = strdup(text);
    OG_TRY(OG_ALLOCATED(longer[*count]));
    ++*count;
    return OG_OK;
}

static og_status take_law(void *user, const char *text, og_message *message)
{
    og_study *study = user;
    return og_study_add_text(&study->laws, &study->law_count, text, "truths", message);
}

static og_status take_belief(void *user, const char *text, og_message *message)
{
    og_study *study = user;
    char law[OG_POINT_BYTES];
    snprintf(law, sizeof law, "believe:%.4000s", text);
    return og_study_add_text(&study->laws, &study->law_count, law, "beliefs", message);
}

/* List the laws for every problem of the grid. */
og_status og_study_laws_make(og_study *study, og_message *message)
{
    bool actual = strcmp(study->truth_text, "prior") != 0;
    if (actual && study->belief_count > 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "truth and assume cannot be combined; give one");
    }
    for (int32_t i = 0; i < study->belief_count; i++) {
        OG_TRY(og_belief_points(study->beliefs[i], take_belief, study, message));
    }
    if (study->belief_count > 0) {
        return OG_OK;
    }
    return og_truth_is_grid(study->truth_text)
               ? og_truth_points(study->truth_text, take_law, study, message)
               : take_law(study, study->truth_text, message);
}

bool og_study_is_plain(const og_study *study)
{
    return study->law_count == 1 && strcmp(study->laws[0], "prior") == 0;
}

og_status og_study_laws_check(const og_study *study, const og_groups *problem, int64_t instances,
                              og_message *message)
{
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < study->law_count; i++) {
        og_study_law law = {.believed = false};
        status = og_study_law_read(study->laws[i], instances, &law, message);
        OG_THEN(status, og_study_law_check(&law, problem, message));
        og_study_law_clear(&law);
    }
    return status;
}
