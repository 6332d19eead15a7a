/*
 * Every policy of independent instances on instances of several kinds at once: Betas, mixtures, two
 * to five classes, thresholds, payoffs, prices. Each question is answered or refused in one line;
 * no policy beats the optimum; the order of instances does not matter; and an instance's index
 * stays the same whatever the others are, since their work space is shared.
 */
#include <unistd.h>

#include "heuristics/policy.h"
#include "tests/public_support.h"
#include "tests/random_problem.h"

OG_SUITE(kinds, 120);

enum { GROUPS = 3, NAMES = 64, BYTES = 256 };

/* ---- the policies ---- */

typedef struct {
    char policy[NAMES][BYTES]; /* "policy=NAME" */
    int32_t count;
} policy_list;

static void add_policy(policy_list *all, const char *name, const char *parameter)
{
    ck_assert_int_lt(all->count, NAMES);
    snprintf(all->policy[all->count++], BYTES, "policy=%s%s%s", name, parameter != NULL ? ":" : "",
             parameter != NULL ? parameter : "");
}

/* Every row of the table that needs no file, with its example and further parameters. */
static policy_list policies_of_instances(void)
{
    policy_list all = {.count = 0};
    const og_policy_row *row;
    for (size_t i = 0; (row = og_policy_row_at(i)) != NULL; i++) {
        if (row->objective != NULL || row->form == OG_PARAMETER_FILE ||
            row->form == OG_PARAMETER_COMMAND) {
            continue;
        }
        if (row->form == OG_PARAMETER_LOOK) { /* its default looks far ahead, for seconds */
            add_policy(&all, row->name, "0.2");
        } else if (row->parameter[0] == '\0' || row->parameter[0] == '[') {
            add_policy(&all, row->name, NULL);
        }
        if (row->example != NULL) {
            add_policy(&all, row->name, row->example);
        }
        if (row->form == OG_PARAMETER_COUNT || row->form == OG_PARAMETER_LOOK) {
            add_policy(&all, row->name, "2");
        }
        if (row->form == OG_PARAMETER_POLICY) {
            add_policy(&all, row->name, strcmp(row->name, "midway") == 0 ? "kg" : "gittins-fh");
        }
    }
    return all;
}

/* ---- problems ---- */

typedef struct {
    char word[GROUPS][BYTES];
    int count;
    char budget[8];
    const char *price; /* NULL: labels are free */
    char text[BYTES * GROUPS + BYTES];
} mix;

static void draw_classes(random_source *random, char *word)
{
    uint32_t classes = 3 + random_below(random, 1 + random_below(random, 3)); /* mostly 3 */
    char *at = word;
    for (uint32_t i = 0; i < classes; i++) {
        at += sprintf(at, "%s%u", i > 0 ? "," : "", 1 + random_below(random, 2));
    }
}

static void draw_two(random_source *random, char *word)
{
    const random_limits limits = {
        .instances = 1, .budget = 1, .mixtures = random_below(random, 2) == 0, .payoffs = true};
    og_groups one;
    random_problem(random, &limits, &one);
    og_group_format(og_groups_at(&one, 0), word, BYTES);
    og_groups_clear(&one);
}

static void describe(mix *out)
{
    int used =
        snprintf(out->text, sizeof out->text, "-T %s%s%s", out->budget,
                 out->price != NULL ? " --price " : "", out->price != NULL ? out->price : "");
    for (int i = 0; i < out->count; i++) {
        used += snprintf(out->text + used, sizeof out->text - (size_t)used, " %s", out->word[i]);
    }
}

static mix draw_mix(random_source *random)
{
    static const char *const prices[] = {NULL, NULL, NULL, "0.05", "0.01,0.1", "0.02,0.05,0.02"};
    mix out = {.price = prices[random_below(random, 6)]};
    out.count = 2 + (int)random_below(random, GROUPS - 1);
    if (out.price != NULL && strchr(out.price, ',') != NULL) {
        out.count = strlen(out.price) > 8 ? 3 : 2;
    }
    for (int i = 0; i < out.count; i++) {
        (random_below(random, 2) == 0 ? draw_classes : draw_two)(random, out.word[i]);
    }
    snprintf(out.budget, sizeof out.budget, "%u", random_below(random, 4));
    describe(&out);
    return out;
}

/* The same with its instances, and their prices, in the opposite order. */
static mix turned(const mix *from)
{
    mix out = *from;
    for (int i = 0; i < out.count; i++) {
        strcpy(out.word[i], from->word[out.count - 1 - i]);
    }
    if (out.price != NULL && strcmp(out.price, "0.01,0.1") == 0) {
        out.price = "0.1,0.01";
    }
    describe(&out);
    return out;
}

static og_problem *open_mix(const mix *from)
{
    og_problem *problem = problem_of(from->price != NULL ? "priced" : "independent");
    set(problem, "budget", from->budget);
    if (from->price != NULL) {
        set(problem, "price", from->price);
    }
    for (int i = 0; i < from->count; i++) {
        add(problem, from->word[i]);
    }
    return problem;
}

/* ---- questions ---- */

/* The answer, or NULL if the question is refused in one line. */
static og_document *answer(const char *asked, const mix *from, const char *policy)
{
    bool runs = strcmp(asked, "compare") == 0 || strcmp(asked, "simulate") == 0;
    og_problem *problem = open_mix(from);
    og_document *report = NULL;
    memset(&said, 0, sizeof said);
    og_status status = attempt(asked, problem, NULL, &report, "memory=256M",
                               policy != NULL ? policy : "threads=1", runs ? "runs=3" : NULL, NULL);
    ck_assert_msg(status == OG_OK || (status == OG_BAD_INPUT && said.text[0] != '\0'),
                  "%s: %s: status %d: %s", from->text, policy != NULL ? policy : "none", status,
                  said.text);
    og_problem_free(problem);
    return report;
}

/* Compared in both orders of instances: below the optimum, and the same value. */
static void check_compare(const mix *from, const char *policy)
{
    const mix other = turned(from);
    og_document *report = answer("compare", from, policy);
    og_document *again = answer("compare", &other, policy);
    ck_assert((report == NULL) == (again == NULL));
    if (report != NULL && og_text_at(policy_of(report, 0), "limit") == NULL &&
        og_number_at(policy_of(report, 0), "simulated") == 0) {
        const og_document *x = policy_of(report, 0), *y = policy_of(again, 0);
        ck_assert_msg(policy_value(x) <= og_number_at(report, "optimal.value") + policy_error(x) +
                                             og_number_at(report, "optimal.error_bound"),
                      "%s: %s: %.17g, above the optimum %.17g", from->text, og_text_at(x, "name"),
                      policy_value(x), og_number_at(report, "optimal.value"));
        ck_assert_msg(fabs(policy_value(x) - policy_value(y)) <= policy_error(x) + policy_error(y),
                      "%s: %s: %.17g, turned %.17g", from->text, og_text_at(x, "name"),
                      policy_value(x), policy_value(y));
    }
    og_document_free(report);
    og_document_free(again);
}

static void check_query(const mix *from, const char *policy)
{
    og_document *report = answer("query", from, policy);
    bool picks = report == NULL || strcmp(from->budget, "0") == 0;
    for (int32_t i = 0; !picks && i < og_document_count(acts_of(report)); i++) {
        picks = is_picked(report, 0, i);
    }
    ck_assert_msg(picks, "%s: %s: nothing is chosen", from->text, policy);
    og_document_free(report);
}

static void check_simulate(const mix *from, const char *policy)
{
    og_document *report = answer("simulate", from, policy);
    ck_assert(report == NULL || isfinite(policy_value(policy_of(report, 0))));
    og_document_free(report);
}

/* All questions, of the bounds now and then, for one policy. */
static void check_questions(const mix *from, const char *policy, bool bounds)
{
    check_compare(from, policy);
    check_query(from, policy);
    check_simulate(from, policy);
    og_document_free(bounds ? answer("bound", from, NULL) : NULL);
}

OG_TEST(every_policy_takes_instances_of_several_kinds)
{
    policy_list all = policies_of_instances();
    random_source random = random_start(test_seed(91));
    for (int i = 0; i < test_cases(all.count); i++) {
        const mix from = draw_mix(&random);
        check_questions(&from, all.policy[i % all.count], i % 8 == 0);
    }
}

/* Here gittins-fh wrote behind its work space. */
OG_TEST(the_work_space_is_large_enough_for_all_kinds)
{
    static const mix known[] = {
        {{"2,1,1", "2,1"}, 2, "2", NULL, "-T 2 2,1,1 2,1"},
        {{"1,2,1", "2,1"}, 2, "2", "0.05", "-T 2 --price 0.05 1,2,1 2,1"},
        {{"2,1,1", "1,2.5"}, 2, "2", NULL, "-T 2 2,1,1 1,2.5"},
    };
    policy_list all = {.count = 0};
    add_policy(&all, "gittins-fh", NULL);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        check_questions(&known[i], all.policy[0], true);
    }
}

/* ---- recorded labels ---- */

enum { TASKS = 3 };

typedef struct {
    char labels[BYTES], gold[BYTES], prior[BYTES], text[2 * BYTES];
    int count; /* of labels */
} record;

static FILE *new_file(char *path)
{
    snprintf(path, BYTES, "%.200s/optgap-kinds-XXXXXX", test_temporary());
    FILE *file = fdopen(mkstemp(path), "w");
    ck_assert_ptr_nonnull(file);
    return file;
}

/* Up to three labels a task, each class at least once. */
static record draw_record(random_source *random)
{
    record out = {.count = 0};
    int classes = 2 + (int)random_below(random, 2);
    FILE *labels = new_file(out.labels), *gold = new_file(out.gold);
    fputs("task\tworker\tlabel\n", labels);
    fputs("task\tlabel\n", gold);
    for (int t = 0; t < TASKS; t++) {
        fprintf(gold, "t%d\tc%d\n", t, t % classes);
        for (uint32_t n = 1 + random_below(random, 3); n > 0; n--, out.count++) {
            int label = out.count < classes ? out.count : (int)random_below(random, classes);
            fprintf(labels, "t%d\tw%u\tc%d\n", t, n, label);
        }
    }
    for (int c = 0; c < classes; c++) {
        sprintf(out.prior + strlen(out.prior), "%s%u", c > 0 ? "," : "",
                1 + random_below(random, 2));
    }
    ck_assert_int_eq(fclose(labels) + fclose(gold), 0);
    return out;
}

static void record_remove(const record *from)
{
    unlink(from->labels);
    unlink(from->gold);
}

/* With a price, the arms are those of the tasks and one that stands for no label. */
static void draw_stakes(random_source *random, const record *from, const char *stakes[2])
{
    bool two = strchr(from->prior, ',') == strrchr(from->prior, ',');
    stakes[0] = random_below(random, 2) == 0 ? "price=0.05" : "seed=1";
    stakes[1] = two && random_below(random, 2) == 0 ? "payoff=1,-5,0,1" : "seed=1";
}

static void ask_recorded(const record *from, const char *policy, int32_t budget,
                         const char *const stakes[2])
{
    char option[4][BYTES + 16];
    og_document *report = NULL;
    snprintf(option[0], sizeof *option, "labels=%s", from->labels);
    snprintf(option[1], sizeof *option, "gold=%s", from->gold);
    snprintf(option[2], sizeof *option, "prior=%s", from->prior);
    snprintf(option[3], sizeof *option, "budget=%d", (int)budget);
    og_status status = attempt("replay", NULL, NULL, &report, option[0], option[1], option[2],
                               option[3], stakes[0], stakes[1], policy, "runs=3", NULL);
    ck_assert_msg(status == OG_OK || status == OG_BAD_INPUT, "%s: %s", policy, said.text);
    ck_assert(
        report == NULL || og_text_at(policy_of(report, 0), "message") != NULL ||
        (policy_accuracy(policy_of(report, 0)) >= 0 && policy_accuracy(policy_of(report, 0)) <= 1));
    og_document_free(report);
    report = NULL;
    status = attempt("next", NULL, NULL, &report, option[0], option[2], option[3], stakes[0],
                     stakes[1], policy, NULL);
    ck_assert_msg(status == OG_OK || status == OG_BAD_INPUT, "%s: %s", policy, said.text);
    ck_assert(report == NULL ||
              og_document_count(og_document_find(report, "next")) <= (budget > 0));
    og_document_free(report);
}

/* The budgets at the ends too: nothing, one label, all but one. */
OG_TEST(every_policy_takes_recorded_labels)
{
    policy_list all = policies_of_instances();
    random_source random = random_start(test_seed(93));
    for (int i = 0; i < test_cases(1); i++) {
        const record from = draw_record(&random);
        const char *stakes[2];
        draw_stakes(&random, &from, stakes);
        const int32_t budgets[] = {0, 1, from.count - 1, from.count};
        for (int32_t k = 0; k < all.count; k++) {
            ask_recorded(&from, all.policy[k], budgets[(i + k) % 4], stakes);
        }
        record_remove(&from);
    }
}

/* ---- one instance's index ---- */

static og_arms *arms_of(const mix *from, int first, int end)
{
    OWN(og_groups) problem;
    og_group group;
    og_groups_init(&problem, atoi(from->budget));
    for (int i = first; i < end; i++) {
        ck_assert_int_eq(og_group_parse_paid(from->word[i], &group, &said), OG_OK);
        ck_assert_int_eq(og_groups_add(&problem, &group, &said), OG_OK);
    }
    return test_arms(&problem);
}

/* The index of each instance beside the others is its index alone; lagrangian depends on all. */
static void check_alone(const mix *from, const char *name)
{
    const int32_t budget = atoi(from->budget);
    OWN(og_arms) *arms = arms_of(from, 0, from->count);
    const og_policy_use use = {.whole_budget = budget, .threads = 1};
    og_policy_name policy;
    OWN(og_index) *together = NULL;
    ck_assert_int_eq(og_policy_name_parse(name, &policy, &said), OG_OK);
    ck_assert_int_eq(og_policy_name_index(&policy, arms, &use, &together, &said), OG_OK);
    for (int i = 0; i < from->count; i++) {
        OWN(og_arms) *one = arms_of(from, i, i + 1);
        OWN(og_index) *alone = NULL;
        ck_assert_int_eq(og_policy_name_index(&policy, one, &use, &alone, &said), OG_OK);
        for (int32_t left = 1; left <= budget; left++) {
            const double *x = og_index_of(together, arms->arm_of_group[i], left);
            const double *y = og_index_of(alone, 0, left);
            for (uint32_t node = 0; node < one->arm[0]->level[budget - left + 1]; node++) {
                double error = (together->error + alone->error) * fabs(y[node]) * 1.01 +
                               together->absolute_error + alone->absolute_error;
                test_assert_msg(fabs(x[node] - y[node]) <= error,
                                "%s: %s of %s, node %u with %d left: %.17g, alone %.17g",
                                from->text, name, from->word[i], node, left, x[node], y[node]);
            }
        }
    }
}

OG_TEST(an_index_does_not_depend_on_other_instances)
{
    static const char *const names[] = {
        "kg",         "opt-kg",       "pess-kg",         "cvar-kg:0.4",
        "gittins-fh", "gittins-fh:2", "gittins-inf:0.2", "kg-star"};
    random_source random = random_start(test_seed(92));
    check_alone(&(mix){.text = "-T 2 1,1 2,1", .budget = "2", .word = {"1,1", "2,1"}, .count = 2},
                "gittins-fh:2"); /* a posterior after a label, and without one */
    for (int i = 0; i < test_cases(2); i++) {
        const mix from = draw_mix(&random);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            check_alone(&from, names[k]);
        }
    }
}
