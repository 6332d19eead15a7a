/* The brackets of one state: what an act can lose at most, against its definition, and in linear
 * work. */
#include "bench/families/independent/independent.h"
#include "bench/questions/query.h"
#include "tests/families.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(query, 60);

static int64_t calls;

static bool counted_alike(const void *problem, og_act x, og_act y)
{
    calls++;
    return og_family_alike(&og_family_independent, problem, x, y);
}

/* No states are allowed, so that all is bracketed. */
static void bracket(const og_groups *groups, og_asked *asked, void **problem,
                    og_query_result *found)
{
    static og_family counting;
    og_message message = {""};
    counting = og_family_independent;
    counting.model.alike = counted_alike;
    const og_settings settings = {.threads = 1, .memory_bytes = UINT64_C(1) << 30, .states_max = 1};
    og_status status = family_open(&counting, groups, NULL, &settings, problem, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    *asked = og_asked_about(&counting, *problem, &settings);
    calls = 0;
    status = og_query_run(asked, found, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
}

static double literal(const og_asked *asked, const og_query_result *found, int32_t act)
{
    double most = 0;
    for (int32_t i = 0; i < found->count; i++) {
        bool same = i == act || og_family_alike(&og_family_independent, asked->problem,
                                                found->act[act].act, found->act[i].act);
        most = same ? most : fmax(most, found->upper[i] - found->lower[act]);
    }
    return most;
}

OG_TEST(what_an_act_can_lose_is_the_definition)
{
    const random_limits limits = {
        .instances = 6, .budget = 12, .mixtures = true, .bandit = false, .payoffs = true};
    int seen = 0, open = 0;
    for (int n = 0; n < test_cases(300); n++) {
        uint64_t seed = test_seed(4100) + (uint64_t)n;
        random_source source = random_start(seed);
        og_asked asked;
        og_query_result found;
        OWN(og_groups) groups;
        void *problem;
        random_problem(&source, &limits, &groups);
        bracket(&groups, &asked, &problem, &found);
        for (int32_t i = 0; found.lower != NULL && i < found.count; i++) {
            double most = literal(&asked, &found, i);
            ck_assert_msg(found.at_most[i] == most, "%s, act %d: %.17g, not %.17g",
                          problem_with_seed(&groups, seed).text, (int)i, found.at_most[i], most);
            ck_assert(found.optimal[i] == (most == 0));
            seen++;
            open += most > 0;
        }
        og_query_clear(&found);
        og_family_close(&og_family_independent, problem);
    }
    ck_assert_msg(seen > open && open > 10, "%d acts in brackets, %d of them open", seen, open);
}

OG_TEST(many_acts_take_linear_work)
{
    const int32_t count = 3000;
    og_asked asked;
    og_query_result found;
    OWN(og_groups) groups;
    og_message message = {""};
    void *problem;
    og_groups_init(&groups, 3);
    for (int32_t i = 0; i < count; i++) {
        og_group group;
        char text[32];
        snprintf(text, sizeof text, "%d,%d", 1 + (int)i % 60, 1 + (int)i / 60);
        ck_assert_int_eq(og_group_parse(text, &group, &message), OG_OK);
        ck_assert_int_eq(og_groups_add(&groups, &group, &message), OG_OK);
    }
    bracket(&groups, &asked, &problem, &found);
    ck_assert_ptr_nonnull(found.at_most);
    ck_assert_int_eq(found.count, count);
    ck_assert_msg(calls <= 3 * (int64_t)count, "%lld questions whether acts are worth the same",
                  (long long)calls);
    og_query_clear(&found);
    og_family_close(&og_family_independent, problem);
}
