/* The question compare: reads what generates the labels, and compares. */
#include <stdlib.h>

#include "bench/questions/compare_document.h"
#include "bench/truth_grid.h"

/* ---- what generates the labels ---- */

typedef struct {
    int64_t instances;
    og_truth *truth; /* [count] */
    int32_t count, room;
} budget_points;

static og_status take_point(void *user, const char *text, og_message *message)
{
    budget_points *points = user;
    if (points->count == points->room) {
        int32_t room = 2 * points->room + 1;
        og_truth *more = realloc(points->truth, (size_t)room * sizeof *more);
        OG_TRY(OG_ALLOCATED(more));
        points->truth = more;
        points->room = room;
    }
    points->truth[points->count] = (og_truth){.kind = OG_TRUTH_PRIOR};
    OG_TRY(og_truth_at(text, points->instances, &points->truth[points->count], message));
    points->count++;
    return OG_OK;
}

/* The number of instances; the decisions of a bandit are labels, not calls. */
static int64_t instances_of(const og_asked *asked)
{
    const og_family *family = asked->family;
    const og_arms *arms = og_family_arms(family, asked->problem);
    return arms != NULL ? og_arms_instances(arms) : asked->sizes.decisions;
}

static og_status compare(og_asked *asked, const og_compare_under *under, og_message *message)
{
    og_comparison found = {0};
    OG_TRY(og_compare_run(asked, under, &found, message));
    asked->optimal_status = found.optimal_status;
    asked->limit = found.optimal_limit;
    if (found.optimal_message.text[0] != '\0') {
        asked->warning = found.optimal_message;
    }
    asked->document = og_comparison_describe(asked, &found);
    og_comparison_clear(&found);
    return OG_OK;
}

static og_status compare_under_truth(og_asked *asked, og_message *message)
{
    const char *text = asked->request.truth;
    bool grid = og_truth_is_grid(text);
    budget_points all = {.instances = instances_of(asked)};
    og_status status =
        grid ? og_truth_points(text, take_point, &all, message) : take_point(&all, text, message);
    const og_compare_under under = {
        .truth = grid ? NULL : all.truth, .grid = all.truth, .grid_count = grid ? all.count : 0};
    OG_THEN(status, compare(asked, &under, message));
    for (int32_t i = 0; i < all.count; i++) {
        og_truth_clear(&all.truth[i]);
    }
    free(all.truth);
    return status;
}

/* ---- the question ---- */

static og_status check(const og_request *request, og_message *message)
{
    if (request->truth != NULL && request->believe != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--truth and --assume cannot be combined; give one");
    }
    if (request->runs == 1) {
        return og_message_set(message, OG_BAD_INPUT, "runs must be 0, or 2 to 10^9");
    }
    return og_check_exact(request, message);
}

static og_status answer(og_asked *asked, og_message *message)
{
    const og_request *request = &asked->request;
    og_group belief;
    if (request->truth != NULL) {
        return compare_under_truth(asked, message);
    }
    OG_TRY(request->believe != NULL ? og_belief_parse(request->believe, &belief, message) : OG_OK);
    const og_compare_under under = {.believed = request->believe != NULL ? &belief : NULL};
    return compare(asked, &under, message);
}

const og_question_kind og_question_compare = {.answer = answer,
                                              .check = check,
                                              .policies = true,
                                              .each = true,
                                              .index_time = true,
                                              .own_time = true,
                                              .without_tables = true};
