/*
 * Labels given in words, against a literal reading: a list of instances, one by one, whose labels
 * are added and which are then gathered by holding each against all before it.
 */
#include "bench/history.h"

#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(history, 60);

enum { INSTANCES = 200, WORDS_BYTES = 4096 };

static void draw_problem(random_source *source, og_groups *out)
{
    static const char *const words[] = {"1,1",     "2,1",     "1,2",           "0.5,1.5",
                                        "2,2@0.3", "1,1@0.3", "3,1",           "1,1,1",
                                        "2,1,1,1", "1,2,1",   "1,1,1@1,-3,0,0"};
    og_message message = {""};
    int count = 1 + (int)random_below(source, 6);
    og_groups_init(out, 10);
    for (int k = 0; k < count; k++) {
        og_group group;
        og_status status = og_group_parse(words[random_below(source, 10)], &group, &message);
        ck_assert_msg(status == OG_OK, "%s", message.text);
        group.count = 1 + random_below(source, random_below(source, 3) == 0 ? 20 : 3);
        ck_assert_int_eq(og_groups_add(out, &group, &message), OG_OK);
    }
}

/* Each instance as a group of one. */
static int list_all(const og_groups *problem, og_group *each)
{
    int count = 0;
    for (int32_t g = 0; g < problem->group_count; g++) {
        for (int64_t k = 0; k < og_groups_at(problem, g)->count; k++) {
            ck_assert_int_lt(count, INSTANCES);
            each[count] = *og_groups_at(problem, g);
            each[count++].count = 1;
        }
    }
    return count;
}

/* A history, and the instances after it. */
static void draw_history(random_source *source, og_group *each, int count, char *words)
{
    int labels = (int)random_below(source, 40),
        favourites = 1 + (int)random_below(source, (uint32_t)count);
    size_t used = 0;
    *words = '\0';
    for (int k = 0; k < labels; k++) {
        int i = (int)random_below(source,
                                  (uint32_t)(random_below(source, 2) == 0 ? favourites : count));
        og_group *to = &each[i];
        if (to->kind == OG_PRIOR_DIRICHLET) {
            int label = (int)random_below(source, (uint32_t)to->part_count);
            to->alpha[label] = og_fraction_plus(to->alpha[label], 1);
            used += (size_t)snprintf(words + used, WORDS_BYTES - used, "%d:%d", i + 1, label + 1);
        } else {
            bool positive = random_below(source, 2) == 0;
            og_fraction *parameter = positive ? &to->a : &to->b;
            *parameter = og_fraction_plus(*parameter, 1);
            used += (size_t)snprintf(words + used, WORDS_BYTES - used, "%d%c", i + 1,
                                     positive ? '+' : '-');
        }
        used += (size_t)snprintf(words + used, WORDS_BYTES - used, "%s",
                                 random_below(source, 4) == 0 ? ", " : " ");
    }
}

/* For each group first the unlabelled instances, then the labelled ones in order; each joins the
 * first equal one. */
static void gather(const og_groups *problem, const og_group *each, og_groups *out)
{
    og_message message = {""};
    og_groups_init(out, problem->budget);
    int begin = 0;
    for (int32_t g = 0; g < problem->group_count; g++) {
        const og_group *from = og_groups_at(problem, g);
        for (int labelled = 0; labelled < 2; labelled++) {
            for (int i = begin; i < begin + (int)from->count; i++) {
                og_group one = *from;
                one.count = 1;
                int32_t to = 0;
                if ((og_group_compare(&one, &each[i]) != 0) != (labelled == 1)) {
                    continue;
                }
                while (to < out->group_count &&
                       og_group_compare(og_groups_at(out, to), &each[i]) != 0) {
                    to++;
                }
                if (to < out->group_count) {
                    out->kind[out->kind_of[to]].count++;
                } else {
                    ck_assert_int_eq(og_groups_add(out, &each[i], &message), OG_OK);
                }
            }
        }
        begin += (int)from->count;
    }
}

OG_TEST(labels_are_the_literal_ones)
{
    int joined = 0;
    for (int n = 0; n < test_cases(2000); n++) {
        uint64_t seed = test_seed(7100) + (uint64_t)n;
        random_source source = random_start(seed);
        static og_group each[INSTANCES];
        char words[WORDS_BYTES];
        og_groups problem, literal;
        og_message message = {""};
        draw_problem(&source, &problem);
        int count = list_all(&problem, each);
        draw_history(&source, each, count, words);
        problem_label label = problem_with_seed(&problem, seed);
        if (og_history_count(words) > 0) {
            gather(&problem, each, &literal);
        } else {
            og_groups_init(&literal, problem.budget); /* nothing is gathered */
            for (int32_t g = 0; g < problem.group_count; g++) {
                ck_assert_int_eq(og_groups_add(&literal, og_groups_at(&problem, g), &message),
                                 OG_OK);
            }
        }
        og_status status = og_history_apply(words, &problem, &message);
        test_assert_msg(status == OG_OK, "%s --history '%s': %s", label.text, words, message.text);
        test_assert_msg(problem.group_count == literal.group_count &&
                            problem.budget == literal.budget && og_groups_size(&problem) == count,
                        "%s --history '%s': %d groups, not %d", label.text, words,
                        (int)problem.group_count, (int)literal.group_count);
        for (int32_t g = 0; g < problem.group_count; g++) {
            test_assert_msg(
                og_group_compare(og_groups_at(&problem, g), og_groups_at(&literal, g)) == 0 &&
                    og_groups_at(&problem, g)->count == og_groups_at(&literal, g)->count,
                "%s --history '%s': group %d", label.text, words, (int)g + 1);
            joined += og_groups_at(&problem, g)->count > 1;
        }
        og_groups_clear(&problem);
        og_groups_clear(&literal);
    }
    ck_assert_int_gt(joined, 100);
}

/* Many words and many groups; where each label stands is known without looking. */
OG_TEST(each_of_many_instances_gets_its_label)
{
    const int32_t count = 4000, parameters = 80;
    char *words = calloc((size_t)count, 8);
    size_t used = 0;
    og_message message = {""};
    OWN(og_groups) problem;
    og_groups_init(&problem, 1);
    ck_assert_ptr_nonnull(words);
    for (int32_t i = 0; i < count; i++) {
        char text[32];
        og_group group;
        snprintf(text, sizeof text, "%d,%d", (int)(2 * (i % parameters) + 1),
                 (int)(2 * (i / parameters) + 1));
        ck_assert_int_eq(og_group_parse(text, &group, &message), OG_OK);
        ck_assert_int_eq(og_groups_add(&problem, &group, &message), OG_OK);
    }
    for (int32_t i = count; i-- > 0;) {
        used += (size_t)snprintf(words + used, 8, "%d%c ", (int)i + 1, i % 3 == 0 ? '+' : '-');
    }
    ck_assert_msg(og_history_apply(words, &problem, &message) == OG_OK, "%s", message.text);
    ck_assert_int_eq(problem.group_count, count);
    for (int32_t i = 0; i < count; i++) {
        const og_group *group = og_groups_at(&problem, i);
        og_fraction a = og_fraction_make(2 * (i % parameters) + 1 + (i % 3 == 0), 1);
        og_fraction b = og_fraction_make(2 * (i / parameters) + 1 + (i % 3 != 0), 1);
        ck_assert(og_fraction_compare(group->a, a) == 0 && og_fraction_compare(group->b, b) == 0);
    }
    free(words);
}
