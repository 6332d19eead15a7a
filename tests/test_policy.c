/* The registry of policies, and the policies' known values. */
#include <ctype.h>
#include <unistd.h>

#include "dp/product/solve.h"
#include "heuristics/policy.h"
#include "tests/oracle.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(policy, 120);

OG_TEST(parse_reads_every_name)
{
    static const char *const names[] = {"uniform",
                                        "kg",
                                        "opt-kg",
                                        "pess-kg",
                                        "cvar-kg:0",
                                        "cvar-kg:.5",
                                        "cvar-kg:1",
                                        "gittins-fh",
                                        "gittins-fh:7",
                                        "hu-frazier",
                                        "gittins-inf",
                                        "gittins-inf:0",
                                        "gittins-inf:0.95",
                                        "gittins-inf:100",
                                        "gittins-inf:9e-1",
                                        "kg-star",
                                        "lagrangian",
                                        "table:no:such,file",
                                        "entropy",
                                        "least-confidence",
                                        "apt",
                                        "apt:1",
                                        "lsa",
                                        "lsa:1000000"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        og_policy_name policy;
        og_message message = {""};
        ck_assert_msg(og_policy_name_parse(names[i], &policy, &message) == OG_OK, "%s",
                      message.text);
        ck_assert_str_eq(policy.name, names[i]);
        ck_assert_int_eq(policy.has_parameter, strchr(names[i], ':') != NULL);
    }
}

OG_TEST(parse_reads_the_parameter_exactly)
{
    og_policy_name policy;
    ck_assert_int_eq(og_policy_name_parse("cvar-kg:0.3", &policy, NULL), OG_OK);
    ck_assert(policy.parameter_exact.num == 3 && policy.parameter_exact.den == 10);
    ck_assert_double_eq(policy.parameter, 0.3);
    ck_assert_int_eq(og_policy_name_parse("gittins-inf:0.999999999999999999", &policy, NULL),
                     OG_OK);
    ck_assert(policy.parameter_exact.num == policy.parameter_exact.den - 1);
}

OG_TEST(parse_refuses_all_else_by_name_and_keeps_the_output)
{
    static const struct {
        const char *name;
        const char *said; /* a part of the message */
    } rows[] = {
        {"", "unknown policy ''"},
        {"kgg", "unknown policy 'kgg'; did you mean 'kg'?"},
        {"KG", "unknown policy 'KG'; did you mean 'kg'?"},
        {"bananas", "unknown policy 'bananas'; see optgap policies"}, /* nothing is near */
        {"kg ", "unknown policy 'kg '"},
        {"optkg", "did you mean 'opt-kg'?"},
        {"gitins-fh", "did you mean 'gittins-fh'?"},
        {"hufrazier:1", "unknown policy 'hufrazier'; did you mean 'hu-frazier'?"},
        {"apt:1.1", "'1.1' is out of range: 0 <= E <= 1"},
        {"lsa:-1", "'-1' is out of range: 0 <= A <= 1000000"},
        {"lsa:1000001", "is out of range: 0 <= A <= 1000000"},
        {"entropy:1", "takes no parameter; omit ':1'"},
        {"cvar-kg", "'cvar-kg' needs a parameter: cvar-kg:ALPHA"},
        {"cvar-kg:", "'' is not a decimal number"},
        {"cvar-kg:x", "'x' is not a decimal number"},
        {"cvar-kg:0.5x", "'0.5x' is not a decimal number"},
        {"cvar-kg:0x1", "'0x1' is not a decimal number"},
        {"cvar-kg:nan", "'nan' is not a decimal number"},
        {"cvar-kg:inf", "'inf' is not a decimal number"},
        {"cvar-kg:0.5:1", "'0.5:1' is not a decimal number"},
        {"cvar-kg:1.1", "'1.1' is out of range: 0 <= ALPHA <= 1"},
        {"cvar-kg:-0.1", "'-0.1' is out of range: 0 <= ALPHA <= 1"},
        {"gittins-inf:1", "'1' is out of range: 0 <= DELTA < 1"},
        {"gittins-inf:1.0", "'1.0' is out of range: 0 <= DELTA < 1"},
        {"gittins-inf:-1", "'-1' is out of range: 0 <= DELTA < 1"},
        {"gittins-inf:", "'' is not a decimal number"},
        {"kg:0.5", "'kg' takes no parameter; omit ':0.5'"},
        {"uniform:", "'uniform' takes no parameter"},
        {"gittins-fh:0", "'0' is not a whole number from 1"},
        {"table", "'table' needs a parameter: table:FILE, such as table:index.tsv"},
        {"table:", "policy 'table' needs the name of a file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        og_policy_name policy = {.kind = 77};
        og_message message = {""};
        ck_assert_int_eq(og_policy_name_parse(rows[i].name, &policy, &message), OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, rows[i].said) != NULL, "'%s': \"%s\" lacks \"%s\"",
                      rows[i].name, message.text, rows[i].said);
        ck_assert_int_eq(policy.kind, 77);
    }
}

OG_TEST(parse_refuses_a_name_that_is_too_long)
{
    char name[OG_POLICY_NAME_BYTES + 1];
    og_policy_name policy = {.kind = 77};
    og_message message = {""};
    memset(name, 'x', sizeof name);
    memcpy(name, "table:", 6);
    name[OG_POLICY_NAME_BYTES - 1] = '\0';
    ck_assert_int_eq(og_policy_name_parse(name, &policy, NULL), OG_OK);
    ck_assert_str_eq(policy.name, name);
    policy.kind = 77;
    name[OG_POLICY_NAME_BYTES - 1] = 'x';
    name[OG_POLICY_NAME_BYTES] = '\0';
    ck_assert_int_eq(og_policy_name_parse(name, &policy, &message), OG_BAD_INPUT);
    ck_assert_int_eq(policy.kind, 77);
    ck_assert_msg(strstr(message.text, "at most 1023 characters") != NULL, "%s", message.text);
}

OG_TEST(parse_takes_a_name_before_the_users_own_policy)
{
    static const char *const wrong[] = {"kg=command:cat", "=table:x", "ours=kg", "a:b=table:x"};
    og_policy_name policy, same;
    og_message message = {""};
    char name[OG_POLICY_NAME_BYTES];
    ck_assert_int_eq(og_policy_name_parse("my own=command:A=1 cat", &policy, &message), OG_OK);
    ck_assert_str_eq(policy.name, "command:A=1 cat");
    ck_assert_str_eq(og_policy_name_shown(&policy), "my own");
    ck_assert_int_eq(og_policy_name_parse("command:A=1 cat", &same, &message), OG_OK);
    ck_assert_str_eq(og_policy_name_shown(&same), "command:A=1 cat");
    ck_assert_int_eq(policy.kind, same.kind);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(og_policy_name_parse(wrong[i], &policy, &message), OG_BAD_INPUT);
    }
    memset(name, 'x', sizeof name);
    strcpy(name + OG_POLICY_OURS_BYTES - 1, "=plugin:./x.so");
    ck_assert_int_eq(og_policy_name_parse(name, &policy, &message), OG_OK);
    ck_assert_uint_eq(strlen(og_policy_name_shown(&policy)), OG_POLICY_OURS_BYTES - 1);
    strcpy(name + OG_POLICY_OURS_BYTES - 1, "x=plugin:./x.so");
    ck_assert_int_eq(og_policy_name_parse(name, &policy, &message), OG_BAD_INPUT);
}

/* A family's own table: its rows and no others. */
OG_TEST(parse_goes_by_the_table_given)
{
    static const og_policy_row rows[] = {
        {"mine", "[:N]", "a count", "nobody", true, .form = OG_PARAMETER_COUNT},
        {"kg", "NAME", "a name", "nobody", false, .form = OG_PARAMETER_POLICY, .noun = "policy",
         .example = "mine"},
    };
    static const og_policy_table table = {rows, 2};
    static const struct {
        const char *name, *said;
    } wrong[] = {{"opt-kg", "unknown policy 'opt-kg' (known: mine[:N], kg:NAME)"},
                 {"kg", "policy 'kg' needs a parameter: kg:NAME, such as kg:mine"},
                 {"mine:0", "'0' is not a whole number from 1"},
                 {"kg:uniform", "unknown policy 'uniform'"},
                 {"kg:kg:mine", "'kg:mine' is only simulated"}};
    og_policy_name policy = {.kind = -7};
    og_message message = {""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(og_policy_name_parse_in(&table, wrong[i].name, &policy, &message),
                         OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, wrong[i].said) != NULL, "%s", message.text);
        ck_assert_int_eq(policy.kind, -7);
    }
    ck_assert_int_eq(og_policy_name_parse_in(&table, "kg:mine:3", &policy, &message), OG_OK);
    ck_assert_int_eq(policy.kind, 1);
    ck_assert_int_eq(og_policy_name_parse_in(&table, "mine:3", &policy, &message), OG_OK);
    ck_assert_int_eq(policy.kind, 0);
    ck_assert_double_eq(policy.parameter, 3);
    ck_assert_int_eq(og_policy_name_parse_in(og_policies_independent(), "kg", &policy, NULL),
                     OG_OK);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

/* The hash of a name with a file in place of %s. */
static uint64_t hash_of(const char *name, const char *file)
{
    char text[OG_POLICY_NAME_BYTES];
    uint64_t hash = 99;
    og_message message = {""};
    snprintf(text, sizeof text, name, file, file);
    og_status status = og_policy_name_file_hash(text, &hash, &message);
    ck_assert_msg(status == OG_OK, "%s: %s", text, message.text);
    return hash;
}

OG_TEST(file_hash_is_of_the_bytes_in_the_files_that_a_name_names)
{
    static const char *const names[] = {"table:%s",
                                        "plugin:%s",
                                        "rollout:table:%s",
                                        "command:python3 %s",
                                        "command:A=1 'python3' \"%s\"|cat",
                                        "rollout:command:(%s)"};
    char path[] = "/tmp/optgap-hash of-XXXXXX";
    int handle = mkstemp(path);
    ck_assert_int_ge(handle, 0);
    close(handle);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool blank = strstr(names[i], "python3 ") != NULL || strstr(names[i], "(") != NULL;
        write_file(path, "one");
        uint64_t one = hash_of(names[i], path);
        write_file(path, "two");
        uint64_t two = hash_of(names[i], path);
        write_file(path, "");
        uint64_t empty = hash_of(names[i], path);
        write_file(path, "one");
        ck_assert_msg(hash_of(names[i], path) == one, "%s", names[i]);
        ck_assert_msg(blank ? one == 0 && two == 0 : one != two && one != 0 && empty != 0, "%s",
                      names[i]);
    }
    ck_assert(hash_of("command:'%s'", path) != hash_of("command:'%s' '%s'", path));
    unlink(path);
    ck_assert_uint_eq(hash_of("table:%s", path), 0);
    ck_assert_uint_eq(hash_of("plugin:/tmp", path), 0);
    ck_assert_uint_eq(hash_of("kg", path), 0);
    ck_assert_uint_eq(hash_of("rollout:cvar-kg:0.5", path), 0);
    uint64_t kept = 7;
    ck_assert_int_eq(og_policy_name_file_hash("nothing", &kept, NULL), OG_BAD_INPUT);
    ck_assert_uint_eq(kept, 7);
}

OG_TEST(info_describes_every_row_and_then_ends)
{
    size_t count = 0;
    for (const og_policy_row *info; (info = og_policy_row_at(count)) != NULL; count++) {
        ck_assert_str_ne(info->name, "");
        ck_assert_str_ne(info->summary, "");
        ck_assert_str_ne(info->source, "");
        char name[OG_POLICY_NAME_BYTES];
        const char *value = strcmp(info->parameter, "D") == 0      ? ":2"
                            : strcmp(info->parameter, "NAME") == 0 ? ":cvar-kg:0.5"
                                                                   : ":0.5";
        if (info->form == OG_PARAMETER_STOPPING) {
            snprintf(name, sizeof name, "%s:%s:kg", info->name, info->example);
        } else {
            snprintf(name, sizeof name, "%s%s", info->name,
                     isupper((unsigned char)info->parameter[0]) ? value : "");
        }
        og_policy_name policy;
        ck_assert_int_eq(og_policy_name_parse(name, &policy, NULL), OG_OK);
    }
    ck_assert_uint_ge(count, 13);
}

static void check_value(const question *q, const og_ranks *ranks, const char *name, og_ties ties,
                        double tolerance, const mpq_t expected)
{
    og_result result;
    og_message message = {""};
    if (og_policy_value(q->arms, ranks, ties, &q->settings, &result, &message) != OG_OK) {
        ck_abort_msg("%s: %s: %s", q->words, name, message.text);
    }
    ck_assert_msg(oracle_within(result.value, result.error_bound + tolerance, expected),
                  "%s: %s, ties %s: %.17g, expected %.17g +- %.1g", q->words, name,
                  og_ties_name(ties), result.value, mpq_get_d(expected),
                  result.error_bound + tolerance);
}

OG_TEST(uniform_has_ranks_and_no_index)
{
    og_policy_name policy;
    og_index *index = NULL;
    og_message message = {""};
    OWN(question) q = question_of("1,1 2,1", 3);
    ck_assert_int_eq(og_policy_name_parse("uniform", &policy, NULL), OG_OK);
    ck_assert_int_eq(og_policy_name_index(&policy, q.arms,
                                          &(og_policy_use){.whole_budget = 3, .threads = 1}, &index,
                                          &message),
                     OG_BAD_INPUT);
    ck_assert_ptr_null(index);
    ck_assert_ptr_nonnull(strstr(message.text, "'uniform' has no index"));
    og_ranks_free(question_named_ranks(q.arms, "uniform", q.words));
}

OG_TEST(policies_have_the_known_values)
{
    OWN(golden_rows) known;
    golden_read(&known);
    int checked = 0;
    for (size_t i = 0; i < known.count; i++) {
        const golden_row *row = &known.row[i];
        const char *slash = strchr(row->quantity, '/');
        og_ties ties;
        if (slash == NULL || og_ties_parse(slash + 1, &ties) != OG_OK) {
            continue;
        }
        char name[OG_POLICY_NAME_BYTES];
        snprintf(name, sizeof name, "%.*s", (int)(slash - row->quantity), row->quantity);
        OWN(question) q = question_of(row->problem, row->budget);
        og_ranks *ranks = question_named_ranks(q.arms, name, q.words);
        check_value(&q, ranks, name, ties, row->tolerance, row->value);
        og_ranks_free(ranks);
        checked++;
    }
    ck_assert_int_gt(checked, 150);
}
