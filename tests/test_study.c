/* What a study is: keys, lists, the file, and the words it becomes again. */
#include <unistd.h>

#include "bench/study/study.h"
#include "bench/study/study_family.h"
#include "tests/support.h"

static og_study study;
static og_message message;

static void start_study(void)
{
    memset(&study, 0, sizeof study);
    memset(&message, 0, sizeof message);
}

static void end_study(void)
{
    og_study_clear(&study);
}

OG_SUITE_WITH(study, 60, start_study, end_study);

static void set(const char *key, const char *text)
{
    ck_assert_msg(og_study_set(&study, key, text, &message) == OG_OK, "%s", message.text);
}

static void assert_refused(const char *key, const char *text, const char *words)
{
    ck_assert_int_eq(og_study_set(&study, key, text, &message), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, words) != NULL, "'%s' lacks '%s'", message.text, words);
}

static void assert_numbers(const int64_t *found, int32_t count, const int64_t *known,
                           int32_t known_count)
{
    ck_assert_int_eq(count, known_count);
    for (int32_t i = 0; i < count; i++) {
        ck_assert_int_eq(found[i], known[i]);
    }
}

/* Write a file and read it; the path is the same every time, so that messages can be compared. */
static og_status read_file(const char *text, char path[64])
{
    snprintf(path, 64, "/tmp/test-study-%d", (int)getpid());
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    og_status status = og_study_read(path, &study, &message);
    unlink(path);
    return status;
}

/* -- value ------------------------------------------------------------------------------------ */

/* What a cell is known by: blanks and the way to write a value make no difference. */
OG_TEST(priors_take_options_of_a_family)
{
    set("prior", "1.0,1");
    set("prior", "1.0,1  --workers-prior 4,1 --once");
    set("prior", "1,1 --workers-prior=4,1   --once");
    ck_assert_int_eq(study.prior_count, 2);
    ck_assert_str_eq(study.priors[0], "1,1");
    ck_assert_str_eq(study.priors[1], "1,1 --workers-prior=4,1 --once");
    og_groups problem;
    ck_assert_int_eq(og_study_problem(study.priors[1], 2, 3, &problem, &message), OG_OK);
    ck_assert_int_eq(og_groups_size(&problem), 2);
    og_groups_clear(&problem);
    assert_refused("prior", "1,1 2,1", "not '2,1'");
    assert_refused("prior", "1,1 --some=1", "no problem type has an option --some");
    assert_refused("prior", "1,1 --once", "--workers-prior A,B is missing");
    assert_refused("prior", "1,1 --once=2", "--once takes no value");
    assert_refused("prior", "1,1 --workers-prior", "--workers-prior takes a value");
    assert_refused("prior", "1,1 --workers-prior=0,1", "0,1");
    assert_refused("prior", "1,1 --once --arrival-rate=1", "another problem type");
    assert_refused("prior", "1,1 --arrivals=3", "--arrivals, which is the study's budget");
    assert_refused("prior", "1,1 --features=x", "sweep does not support instances with features");
    ck_assert_int_eq(study.prior_count, 2);
    set("instances", "2");
    set("budget", "1:3");
    set("runs", "10");
    set("prior", "1,1 --batch=2");
    ck_assert_int_eq(og_study_complete(&study, &message), OG_BAD_INPUT);
    ck_assert_str_eq(message.text, "--runs does not support labels in batches; omit it");
}

/* A family with a special objective may have several INSTANCE words, which are read when it is
 * opened. */
OG_TEST(priors_take_words_of_a_family)
{
    set("prior", "0.9  0.7 --objective labelers --explore 1.5,1");
    set("prior", "0.9 0.7 --problem=labelers --explore=1.5,1");
    set("prior", "1 --workers-prior=4,1 --objective=ranking");
    set("prior", "0.90 --explore=1,1");
    ck_assert_int_eq(study.prior_count, 3);
    ck_assert_str_eq(study.priors[0], "0.9 0.7 --problem=labelers --explore=1.5,1");
    ck_assert_str_eq(study.priors[1], "1 --workers-prior=4,1 --problem=ranking");
    ck_assert_str_eq(study.priors[2], "0.90 --explore=1,1");
    assert_refused("prior", "0.9 0.7", "not '0.7'");
    assert_refused("prior", "1,1 0.7", "not '0.7'");
    assert_refused("prior", "0.9 2x0.7 --objective=labelers", "no COUNT, not '2x0.7");
    assert_refused("prior", "0.9 --objective", "one --problem");
    assert_refused("prior", "--objective=labelers", "--problem=labelers");
    assert_refused("prior", "0.9--explore=1,1", "0.9--explore");
    assert_refused("prior", "0.9 --objective=label", "not support --problem label");
    assert_refused("prior", "0.9 --objective=bandit", "not support --problem bandit");
    assert_refused("prior", "0.9 --objective=labelers --objective=ranking", "one --problem");
    assert_refused("prior", "0.9 --objective=labelers --once", "another problem type");
    assert_refused("prior", "0.9 --objective=labelers --explore=1", "two numbers");
    set("instances", "2,4");
    set("budget", "1:3");
    set("policies", "ls-ol");
    ck_assert_msg(og_study_complete(&study, &message) == OG_OK, "%s", message.text);
    set("prior", "0.9 1.7 --objective=labelers");
    ck_assert_int_eq(og_study_complete(&study, &message), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "'2x1.7' has no probability") != NULL, "%s", message.text);
}

/* An earlier name of an option means the row that the family has under it. */
OG_TEST(priors_have_the_current_names_of_options)
{
    static const char *const same[][2] = {
        {"1,1 --workers-prior 4,1 --once", "1,1 --workers-prior=4,1 --once"},
        {"1 --workers-prior=4,1 --objective=ranking", "1 --workers-prior=4,1 --problem=ranking"},
        {"1 --objective ranking --workers-prior 4,1", "1 --problem=ranking --workers-prior=4,1"},
        {"1,1 --workers=3", "1,1 --arrivals=3"},
        {"0.9 0.5 --unknown=orders", "0.9 0.5 --accuracy-prior=orders"},
        {"1,1 --arrival-rate=1 --service-rate=2 --workers=3",
         "1,1 --arrival-rate=1 --service-rate=2 --arrivals=3"},
        {"1,1 --not-an-option=--objective", "1,1 --not-an-option=--objective"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char text[200], again[200];
        ck_assert_int_eq(og_study_family_format(same[i][0], text, sizeof text, &message), OG_OK);
        ck_assert_str_eq(text, same[i][1]);
        ck_assert_int_eq(og_study_family_format(text, again, sizeof again, &message), OG_OK);
        ck_assert_str_eq(again, text);
    }
    char text[28]; /* room for the given name, not for the current one */
    ck_assert_int_eq(
        og_study_family_format("0.9 0.5 --unknown=orders", text, sizeof text, &message),
        OG_BAD_INPUT);
    ck_assert_str_eq(message.text, "the options of a prior are too long; give fewer");
}

OG_TEST(numbers_are_lists_and_ranges)
{
    static const int64_t instances[] = {2, 3, 5, 10}, budgets[] = {0, 1, 3, 5, 7, 9, 20, 25, 30};
    set("instances", "10,2,5,3,2");
    assert_numbers(study.instances, study.instances_count, instances, 4);
    set("budget", "20:30:5,1:10:2,3");
    set("budget", "0");
    assert_numbers(study.budgets, study.budget_count, budgets, 9);
}

OG_TEST(range_that_passes_its_end_stops_before_it)
{
    static const int64_t known[] = {5, 8};
    set("budget", "5:10:3");
    assert_numbers(study.budgets, study.budget_count, known, 2);
}

OG_TEST(priors_are_kept_once_in_their_plain_spelling)
{
    set("prior", "1,1");
    set("prior", "1.0,1@0.50");
    set("prior", "2,1@0.3");
    ck_assert_int_eq(study.prior_count, 2);
    ck_assert_str_eq(study.priors[0], "1,1");
    ck_assert_str_eq(study.priors[1], "2,1@0.3");
}

OG_TEST(all_policies_are_those_without_a_parameter)
{
    set("policies", "all");
    bool uniform = false, table = false;
    for (int32_t i = 0; i < study.policy_count; i++) {
        const char *name = study.policies[i].name;
        uniform = uniform || strcmp(name, "uniform") == 0;
        table = table || strncmp(name, "table", 5) == 0 || strncmp(name, "cvar", 4) == 0 ||
                strcmp(name, "hu-frazier") == 0;
    }
    ck_assert(uniform && !table);
    ck_assert_int_ge(study.policy_count, 8);
    int32_t count = study.policy_count;
    set("policy", "cvar-kg:0.5");
    set("policies", "kg,opt-kg");
    ck_assert_int_eq(study.policy_count, count + 1);
}

OG_TEST(complete_fills_the_defaults)
{
    set("prior", "1,1");
    set("instances", "2");
    set("budget", "3");
    ck_assert_int_eq(og_study_complete(&study, &message), OG_OK);
    ck_assert_int_eq(study.policy_count, 5);
    ck_assert_int_eq(study.ties_count, 1);
    ck_assert_int_eq(study.ties[0], OG_TIES_RANDOM);
    ck_assert_int_eq(study.runs, 0);
    ck_assert_uint_eq(study.policy_states_max, 20000000);
    ck_assert_str_eq(study.truth_text, "prior");
}

OG_TEST(one_policy_replaces_the_default_ones)
{
    set("prior", "1,1");
    set("instances", "2");
    set("budget", "3");
    set("policy", "kg");
    ck_assert_int_eq(og_study_complete(&study, &message), OG_OK);
    ck_assert_int_eq(study.policy_count, 1);
}

/* -- file ------------------------------------------------------------------------------------- */

OG_TEST(file_says_the_same_as_the_command_line)
{
    char path[64];
    static const int64_t budgets[] = {1, 2, 3};
    ck_assert_int_eq(read_file("# a study\n\nprior = 1,1\r\n  prior=2,1   # the other\n"
                               "instances = 2,3\nbudget = 1:3\npolicies = kg\npolicy = opt-kg",
                               path),
                     OG_OK);
    ck_assert_int_eq(study.prior_count, 2);
    ck_assert_str_eq(study.priors[1], "2,1");
    ck_assert_int_eq(study.policy_count, 2);
    assert_numbers(study.budgets, study.budget_count, budgets, 3);
}

OG_TEST(command_line_counts_more_than_the_file)
{
    char path[64];
    set("prior", "4,1");
    set("policy", "kg");
    ck_assert_int_eq(read_file("prior = 1,1\nprior = 2,1\npolicies = uniform\nbudget = 4\n", path),
                     OG_OK);
    ck_assert_int_eq(study.prior_count, 1);
    ck_assert_str_eq(study.priors[0], "4,1");
    ck_assert_int_eq(study.policy_count, 1);
    ck_assert_int_eq(study.budget_count, 1);
}

typedef struct {
    const char *text;
    const char *where;
    const char *words;
} bad_file;

static const bad_file bad_files[] = {
    {"prior = 1,1\n\npolices = kg\n", "line 3", "unknown key 'polices' (known: prior, instances"},
    {"prior 1,1\n", "line 1", "expected 'key = value', not 'prior 1,1'"},
    {"prior = 1,1\nbudget = 1:x\n", "line 2", "budget must be numbers"},
    {"# nothing\nprior = 0,1\n", "line 2", "0,1"},
    {"policy = opt-kgg\n", "line 1", "unknown policy 'opt-kgg'"},
    {"ties = randon\n", "line 1", "unknown tie rule 'randon'"},
    {" = 4\n", "line 1", "unknown key ''"},
};

OG_TEST_LOOP(file_is_refused_with_its_line, 0, sizeof bad_files / sizeof *bad_files)
{
    const bad_file *at = &bad_files[_i];
    char path[64];
    ck_assert_int_eq(read_file(at->text, path), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, at->where) != NULL && strstr(message.text, path) != NULL &&
                      strstr(message.text, at->words) != NULL,
                  "'%s' lacks '%s' or '%s'", message.text, at->where, at->words);
}

OG_TEST(key_that_the_command_line_set_is_checked_in_the_file_all_the_same)
{
    char path[64];
    set("budget", "3");
    ck_assert_int_eq(read_file("budget = 1:x\n", path), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "line 1"));
}

OG_TEST(file_that_is_not_there_or_no_file_is_refused)
{
    ck_assert_int_eq(og_study_read("/nonexistent/study", &study, &message), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "/nonexistent/study"));
    ck_assert_int_eq(og_study_read("/", &study, &message), OG_BAD_INPUT);
}

/* -- contract --------------------------------------------------------------------------------- */

OG_TEST(bad_values_are_refused)
{
    assert_refused("instances", "0", "instances must be");
    assert_refused("instances", "", "instances must be");
    assert_refused("instances", "2,", "instances must be");
    assert_refused("instances", "5:2", "instances must be");
    assert_refused("instances", "2:5:0", "instances must be");
    assert_refused("instances", "99999999999999999999", "instances must be");
    assert_refused("budget", "-1", "budget must be");
    assert_refused("budget", "1:1000001", "budget must be");
    assert_refused("instances", "1:1000001", "too many");
    assert_refused("prior", "3x1,1", "no COUNT");
    assert_refused("runs", "1", "one run has no interval");
    assert_refused("truth", "nonsense", "nonsense");
    assert_refused("index-time", "0", "max-index-time must be");
    assert_refused("index-time", "1x", "max-index-time must be");
    assert_refused("colour", "red", "unknown key 'colour'");
}

typedef struct {
    const char *key, *text, *words;
} addition;

static const addition incomplete[] = {
    {"seed", "3", "seed requires runs"},
    {"truth", "beta:1,1", ""},
    {"truth", "list:0.2,0.3", "lists 2 soft labels"},
    {"truth", "grid:0:1:0.5,0.3", "lists 2 soft labels"},
    {"believe", "1:3,2", ""},
    {"runs", "2", ""}, /* this one is whole */
};

OG_TEST_LOOP(study_that_is_not_whole_is_refused, 0, sizeof incomplete / sizeof *incomplete)
{
    ck_assert_int_eq(og_study_complete(&study, &message), OG_BAD_INPUT);
    ck_assert_str_eq(message.text, "prior is missing in the study; give it");
    set("prior", "1,1");
    set("instances", "2,3");
    set("budget", "3");
    set(incomplete[_i].key, incomplete[_i].text);
    bool good = incomplete[_i].words[0] == '\0';
    ck_assert_int_eq(og_study_complete(&study, &message), good ? OG_OK : OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, incomplete[_i].words));
}

OG_TEST(runs_need_ties_that_can_be_played_and_a_truth_for_each_instance)
{
    set("prior", "1,1");
    set("instances", "2,3");
    set("budget", "3");
    set("runs", "10");
    set("truth", "list:0,1");
    ck_assert_int_eq(og_study_complete(&study, &message), OG_BAD_INPUT);
    set("truth", "prior");
    set("ties", "worst");
    ck_assert_int_eq(og_study_complete(&study, &message), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "only ties random and first, not 'worst'"));
}

static const addition apart[] = {
    {"truth", "beta:4,1", "cannot be combined"},
    {"runs", "10", "assume does not support runs"},
    {"prior", "1,1,1", "does not support several classes"},
    {"prior", "1,1 --workers-prior=4,1", "--assume does not support"},
};

OG_TEST_LOOP(belief_does_not_go_with_everything, 0, sizeof apart / sizeof *apart)
{
    set("prior", "1,1");
    set("instances", "2");
    set("budget", "3");
    set("believe", "2,1");
    set(apart[_i].key, apart[_i].text);
    ck_assert_int_eq(og_study_complete(&study, &message), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, apart[_i].words) != NULL, "%s", message.text);
}

/* Texts between blanks. */
static void assert_laws(const char *expected)
{
    char found[512] = "";
    for (int32_t i = 0; i < study.law_count; i++) {
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%s%s", i > 0 ? " " : "", study.laws[i]);
    }
    ck_assert_str_eq(found, expected);
}

static void complete_with(const char *key, const char *text)
{
    set("prior", "1,1");
    set("instances", "2");
    set("budget", "3");
    set(key, text);
    ck_assert_msg(og_study_complete(&study, &message) == OG_OK, "%s", message.text);
}

OG_TEST_LOOP(ranges_are_written_out_with_exact_steps, 0, 9)
{
    static const struct {
        const char *key, *text, *laws;
    } known[] = {
        {"truth", "grid:0.1:0.7:0.3", "grid:0.1 grid:0.4 grid:0.7"}, /* in doubles 0.7 is beyond */
        {"truth", "grid:.25", "grid:0.25"},
        {"truth", "grid:0:1:0.5,0.3", "list:0,0.3 list:0.5,0.3 list:1,0.3"},
        {"truth", "grid:0:1:0.5,0.8:0.6:0.1", NULL},
        {"truth", "grid:0:1:0.5,0:0.2:0.1", "list:0,0 list:0.5,0.1 list:1,0.2"},
        {"truth", "beta:2,1", "beta:2,1"},
        {"truth", "prior", "prior"},
        {"believe", "1:2,0.5:1:0.5", "believe:1,0.5 believe:1,1 believe:2,0.5 believe:2,1"},
        {"believe", "2,1", "believe:2,1"},
    };
    if (known[_i].laws == NULL) {
        assert_refused(known[_i].key, known[_i].text, "grid:FROM:TO:STEP");
        return;
    }
    complete_with(known[_i].key, known[_i].text);
    assert_laws(known[_i].laws);
}

OG_TEST(ranges_that_are_none_are_refused)
{
    assert_refused("truth", "grid:0:1", "grid:FROM:TO:STEP");
    assert_refused("truth", "grid:0:1:0", "grid:FROM:TO:STEP");
    assert_refused("truth", "grid:0:1:0.1:2", "grid:FROM:TO:STEP");
    assert_refused("truth", "grid:0:1.5:0.5", "grid:FROM:TO:STEP");
    assert_refused("truth", "grid:0:1:0.00001", "grid:FROM:TO:STEP");
    assert_refused("truth", "grid:", "grid:FROM:TO:STEP");
    assert_refused("truth", "grid:0:1:0.5,0:1:0.1", "grid:FROM:TO:STEP");
    assert_refused("truth", "grid:0:1:0.1,", "grid:FROM:TO:STEP");
    assert_refused("believe", "2", "A,B");
    assert_refused("believe", "0:2,1", "A,B");
    assert_refused("believe", "2:1,1", "A,B");
    assert_refused("believe", "1:200,1:200", "10000 pairs");
    assert_refused("believe", "2,1@0.3", "A,B");
}

OG_TEST(beliefs_and_truths_are_words_again)
{
    char *words = NULL;
    complete_with("believe", "1:2,1");
    ck_assert_int_eq(og_study_words(&study, &words), OG_OK);
    ck_assert_ptr_nonnull(strstr(words, "--ties random --assume 1:2,1"));
    free(words);
}

OG_TEST(grid_of_more_than_a_million_cells_is_refused)
{
    set("prior", "1,1");
    set("instances", "1:1001");
    set("budget", "1:1000");
    ck_assert_int_eq(og_study_complete(&study, &message), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "1001000 problems"));
}

/* The words, as a shell would split them, make the same words again. */
/* A file without end does not fill the memory. */
OG_TEST(ten_thousand_priors_are_enough)
{
    char path[64], *text = malloc(400000), *end = text;
    for (int i = 0; i <= 10000; i++) {
        end += sprintf(end, "prior = %d,%d\n", i % 100 + 1, i / 100 + 1);
    }
    ck_assert_int_eq(read_file(text, path), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "line 10001: at most 10000 priors") != NULL, "%s",
                  message.text);
    free(text);
}

OG_TEST(words_are_the_command_line_again)
{
    char *words = NULL;
    set("prior", "1,1");
    set("prior", "2,1@0.3");
    set("instances", "2,3,10:50:10");
    set("budget", "1:40,100");
    set("policies", "kg,opt-kg");
    set("policy", "table:a file,with 'all'.tsv");
    set("ties", "random,first");
    set("runs", "100");
    set("seed", "7");
    set("truth", "beta:4,1");
    ck_assert_int_eq(og_study_complete(&study, &message), OG_OK);
    ck_assert_int_eq(og_study_words(&study, &words), OG_OK);
    ck_assert_str_eq(words, "--prior 1,1 --prior 2,1@0.3 --instances 2,3,10:50:10 "
                            "--budget 1:40,100 --policies kg,opt-kg --policy "
                            "'table:a file,with '\\''all'\\''.tsv' --ties random,first "
                            "--runs 100 --seed 7 --truth beta:4,1");
    free(words);
}

OG_TEST(problem_is_so_many_instances_of_the_prior)
{
    og_groups problem;
    ck_assert_int_eq(og_study_problem("2,1@0.3", 7, 12, &problem, &message), OG_OK);
    ck_assert_int_eq(og_groups_size(&problem), 7);
    ck_assert_int_eq(problem.budget, 12);
    og_groups_clear(&problem);
    ck_assert_int_eq(og_study_problem("2,1", 7, -1, &problem, &message), OG_BAD_INPUT);
    ck_assert_int_eq(og_study_problem("2,1", 0, 1, &problem, &message), OG_BAD_INPUT);
}
