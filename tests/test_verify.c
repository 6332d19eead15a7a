/*
 * Exported policies: unchanged ones are certified, and ones with any change are not. The oracle's
 * fractions check the optimality of their actions.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "bench/questions/verify.h"
#include "dp/export/export.h"
#include "dp/export/policy_file.h"
#include "tests/oracle.h"
#include "tests/policy_text.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE_WITH(verify, 120, policy_folder_make, policy_folder_remove);

/* ---- value ---- */

OG_TEST(verify_certifies_what_is_exported)
{
    static const struct {
        const char *words;
        int32_t budget;
        double value;
        bool optimal;
    } known[] = {{"1x1,1", 1, 3.0 / 4, true},
                 {"2x1,1", 5, 77.0 / 48, true},
                 {"3x1,1", 8, 175.0 / 72, true},
                 {"5x1,1", 10, 853.0 / 216, true},
                 {"10x1,1", 12, 121.0 / 16, true},
                 {"2,1 2,1 3,3", 2, 0, true},
                 {"1x1,1", 0, 1.0 / 2, true},
                 {"1x0.5,0.5@0.3 7,1@0.9", 9, 0, true},
                 {"10x1,1", 30, 8.33553239866391, false}};
    const size_t count = sizeof known / sizeof *known;
    for (size_t i = 0; i < 2 * count; i++) {
        bool all = i >= count;
        const char *words = known[i % count].words;
        if (!known[i % count].optimal && (all || test_is_short())) {
            continue; /* large */
        }
        policy_text text = export_words(words, known[i % count].budget, all);
        og_verification found;
        og_message message;
        og_status status = verify_text(&text, 0, &found, &message);
        ck_assert_msg(status == OG_OK, "%s: %s", words, message.text);
        ck_assert(found.all == all);
        ck_assert_msg(found.optimal == known[i % count].optimal, "%s: %s", words,
                      found.certified.text);
        ck_assert_double_le(found.error_bound, 1e-11);
        if (known[i % count].value > 0) {
            double slack = known[i % count].optimal ? 1e-15 : 1e-14; /* digits given */
            ck_assert_double_le(fabs(found.value - known[i % count].value),
                                found.error_bound + slack);
        }
        free(text.text);
    }
}

OG_TEST(random_policies_are_certified_and_optimal_in_fractions)
{
    uint64_t seed = test_seed(4711);
    random_source source = random_start(seed);
    random_limits limits = {.instances = 4, .budget = 5};
    int near_ties[2] = {0, 0};
    for (int round = 0; round < test_cases(40); round++) {
        OWN(og_groups) problem;
        og_result result;
        og_verification found;
        og_message message;
        char plain[400], words[500];
        OWN_MPQ value = MPQ_NEW;
        random_problem(&source, &limits, &problem);
        problem_format(&problem, plain, sizeof plain);
        snprintf(words, sizeof words, "%s (TEST_SEED=%" PRIu64 ", case %d)", plain, seed, round);
        og_settings settings = export_settings(1);
        settings.reductions =
            round % 3 == 0 ? random_below(&source, OG_REDUCE_ALL + 1) : OG_REDUCE_ALL;
        OWN(oracle_arms) *of_problem = oracle_new(&problem);
        oracle_optimum(of_problem, value);
        for (int kind = 0; kind < (settings.reductions == OG_REDUCE_ALL ? 4 : 2); kind++) {
            int all = kind % 2;
            settings.engine = kind < 2 ? OG_ENGINE_RECURSION : OG_ENGINE_BLOCKS;
            policy_text text = export_of(&problem, all, &settings, &result);
            og_status status = verify_text(&text, 0, &found, &message);
            ck_assert_msg(status == OG_OK, "%s: %s", words, message.text);
            ck_assert(found.optimal);
            ck_assert_msg(
                oracle_within(found.value, found.error_bound + oracle_error(of_problem), value),
                "%s: %.17g", words, found.value);
            near_ties[all] += assert_choices(&text, words);
            free(text.text);
        }
    }
    if (test_cases(40) >= 40) { /* some have them, not each */
        ck_assert_int_gt(near_ties[0], 0);
        ck_assert_int_gt(near_ties[1], near_ties[0]);
    }
}

OG_TEST(the_file_does_not_depend_on_threads_or_memory)
{
    OWN(og_groups) problem;
    og_result result;
    test_problem("10x1,1", 30, &problem);
    og_settings settings = export_settings(1);
    settings.reductions &= ~(unsigned)OG_REDUCE_TWO; /* it would leave too few states */
    policy_text text = export_of(&problem, false, &settings, &result);
    for (int kind = test_is_short() ? 1 : 0; kind < 3; kind++) {
        og_settings other = export_settings(kind < 2 ? 2 + 2 * kind : 1);
        other.memory_bytes = kind < 2 ? MEMORY_BYTES : 850000;
        other.reductions = settings.reductions;
        policy_text again = export_of(&problem, false, &other, &result);
        ck_assert_msg(kind < 2 || result.forgotten > 0, "the table was not too small");
        ck_assert_uint_eq(text.length, again.length);
        ck_assert_mem_eq(text.text, again.text, text.length);
        free(again.text);
    }
    free(text.text);
}

/* ---- wrong files ---- */

static const struct {
    const char *words;
    int32_t budget;
    bool all;
} small[] = {{"2x1,1", 5, false},
             {"2x1,1", 4, true},
             {"2,1 2,1 3,3", 3, false},
             {"1,1@0.3 2x2,1", 4, false},
             {"1,2@0.25 2x2,1", 3, true}};
enum { SMALL = sizeof small / sizeof *small };

OG_TEST_LOOP(every_flipped_byte_is_refused, 0, SMALL)
{
    policy_text text = export_words(small[_i].words, small[_i].budget, small[_i].all);
    og_verification found;
    og_message message;
    for (size_t at = 0; at < text.length; at++) {
        char was = text.text[at];
        /* Every other byte in the first file, every flipped bit in the others. */
        for (int change = 1; change < 256; change = _i == 0 ? change + 1 : change * 2) {
            text.text[at] = (char)(was ^ change);
            ck_assert_msg(verify_text(&text, 0, &found, &message) == OG_BAD_INPUT,
                          "byte %zu, '%c' for '%c': accepted", at, text.text[at], was);
            ck_assert_str_ne(message.text, "");
        }
        text.text[at] = was;
    }
    ck_assert_int_eq(verify_text(&text, 0, &found, &message), OG_OK);
    free(text.text);
}

OG_TEST_LOOP(every_cut_and_any_addition_is_refused, 0, SMALL)
{
    policy_text text = export_words(small[_i].words, small[_i].budget, small[_i].all);
    og_verification found;
    og_message message;
    for (size_t length = 1; length < text.length; length++) {
        policy_text cut = {text.text, length};
        ck_assert_int_eq(verify_text(&cut, 0, &found, &message), OG_BAD_INPUT);
    }
    for (int byte = 0; byte < 256; byte++) { /* calloc'ed with one byte more */
        text.text[text.length] = (char)byte;
        policy_text longer = {text.text, text.length + 1};
        ck_assert_int_eq(verify_text(&longer, 0, &found, &message), OG_BAD_INPUT);
    }
    free(text.text);
}

/* The file with another choice for one state: certified only if the oracle calls it optimal. */
static int try_choice(const policy_text *text, size_t from, size_t to, const char *choice,
                      bool optimal, uint64_t optimum_states)
{
    og_verification found;
    og_message message;
    policy_text other = policy_text_changed(text, from, to, choice, 0);
    og_status status = verify_text(&other, optimum_states, &found, &message);
    ck_assert_msg(status == OG_BAD_INPUT || (optimal && status == OG_OK), "status %d, %s for: %.*s",
                  status, choice, (int)(to - from), text->text + from);
    free(other.text);
    return status == OG_OK;
}

/* The state's choices marked as a near tie, which some other action must come near to. */
static void try_mark(const policy_text *text, const og_policy_state *state, mpq_t *q, size_t choice,
                     size_t last, uint64_t optimum_states)
{
    char put[256];
    int used = 0, other = 0;
    for (int32_t i = 0; i < state->count; i++) {
        const og_policy_item *item = &state->item[i];
        if (item->choice != OG_CHOICE_NONE) {
            used += snprintf(put + used, sizeof put - (size_t)used, "%s%d:%d,%d~",
                             used > 0 ? ";" : "", item->prior, item->positive, item->negative);
        }
        other += loss_of(q, state->count, i) == 0;
    }
    bool believed = other > 1 || (optimum_states > 0 && state->count > 1);
    try_choice(text, choice, last - 1, put, believed, optimum_states);
}

/* Every other action of one state. Returns how many there were. */
static int try_state(const policy_text *text, const og_policy_header *header,
                     const og_policy_state *state, size_t first, size_t last,
                     uint64_t optimum_states)
{
    mpq_t q[ITEMS_MOST];
    for (int i = 0; i < ITEMS_MOST; i++) {
        mpq_init(q[i]);
    }
    int tried = 0;
    size_t choice = choice_at(text, first);
    oracle_q_of(header, state, q);
    for (int32_t i = 0; i < state->count; i++) {
        char put[64];
        const og_policy_item *item = &state->item[i];
        bool optimal = loss_of(q, state->count, i) == 0;
        snprintf(put, sizeof put, "%d:%d,%d", item->prior, item->positive, item->negative);
        if (item->choice == OG_CHOICE_NONE && !state->any) {
            try_choice(text, choice, last - 1, put, optimal && !header->all, optimum_states);
            tried++;
        }
    }
    if (!state->any) {
        try_choice(text, choice, last - 1, "*", false, optimum_states);
        try_mark(text, state, q, choice, last, optimum_states);
        tried += 2;
    }
    for (int i = 0; i < ITEMS_MOST; i++) {
        mpq_clear(q[i]);
    }
    return tried;
}

/* With the Bellman equation, and with only the value and the states. */
OG_TEST_LOOP(every_wrong_action_is_refused, 0, SMALL)
{
    policy_text text = export_words(small[_i].words, small[_i].budget, small[_i].all);
    for (int with = 0; with < 2; with++) {
        FILE *file = fmemopen(text.text, text.length, "rb");
        og_policy_reader *reader = NULL;
        const og_policy_state *state;
        og_message message;
        ck_assert_int_eq(og_policy_reader_new(file, "p", &reader, &message), OG_OK);
        bool more = true;
        int tried = 0;
        for (int n = 0; more; n++) {
            ck_assert_int_eq(og_policy_reader_next(reader, &state, &more, &message), OG_OK);
            size_t first = 0, last = 0;
            ck_assert(state_at(&text, n, &first, &last) == more);
            if (more) {
                tried += try_state(&text, og_policy_reader_header(reader), state, first, last,
                                   with == 1 ? 0 : 1);
            }
        }
        ck_assert_int_gt(tried, 5);
        og_policy_reader_free(reader);
        fclose(file);
    }
    free(text.text);
}

/* The text from after `name` to the end of its line, replaced. */
static policy_text line_changed(const policy_text *text, const char *name, const char *put)
{
    const char *at = strstr(text->text, name) + strlen(name);
    size_t from = (size_t)(at - text->text), to = (size_t)(strchr(at, '\n') - text->text);
    return policy_text_changed(text, from, to, put, 0);
}

/* A value and a gain that are off by ten of the stated errors, alone, with an error to match, and
 * with a near tie: rational numbers, and others. */
OG_TEST_LOOP(a_value_off_by_ten_errors_is_refused, 0, 4)
{
    static const char *const words[] = {"2x1,1 2,1", "2x1.5,0.7@0.3 2.5,1"};
    static const char *const lines[] = {"\nvalue\t", "\ngain\t"};
    policy_text text = export_words(words[_i / 2], 4, _i % 2 == 1);
    og_verification found;
    og_message message;
    ck_assert_int_eq(verify_text(&text, 0, &found, &message), OG_OK);
    for (int kind = 0; kind < 8; kind++) {
        char put[64];
        double off = (kind & 1 ? 10 : -10) * found.stated_error;
        double stated = kind & 2 ? found.stated_value : found.gain;
        snprintf(put, sizeof put, "%.17g", stated + off);
        policy_text other = line_changed(&text, lines[(kind & 2) == 0], put);
        if (kind & 4) {
            snprintf(put, sizeof put, "%.17g", 10 * found.stated_error);
            policy_text wider = line_changed(&other, "\nerror_bound\t", put);
            free(other.text);
            other = wider;
        }
        og_verification ignored;
        ck_assert_msg(verify_text(&other, 0, &ignored, &message) == OG_BAD_INPUT, "kind %d", kind);
        free(other.text);
    }
    free(text.text);
}

/* Thresholds that differ by 1e-18: only fractions know which of the two instances to label. Marked
 * as a near tie, the worse one is certified to be near the optimum, and no nearer than it is. */
OG_TEST(an_action_worse_by_less_than_rounding_is_refused)
{
    policy_text text = export_words("1,1@0.4 1,1@0.400000000000000001", 1, false);
    size_t first = 0, last = 0;
    og_verification found;
    og_message message;
    ck_assert_int_eq(verify_text(&text, 0, &found, &message), OG_OK);
    ck_assert(found.optimal && found.loss_bound == 0);
    ck_assert(state_at(&text, 0, &first, &last));
    size_t choice = choice_at(&text, first);
    bool second = text.text[choice] == '0';
    policy_text worse = policy_text_changed(&text, choice, last - 1, second ? "1:0,0" : "0:0,0", 0);
    ck_assert_int_eq(verify_text(&worse, 0, &found, &message), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "is not optimal, it loses") != NULL, "%s", message.text);
    policy_text marked =
        policy_text_changed(&text, choice, last - 1, second ? "1:0,0~" : "0:0,0~", 0);
    ck_assert_msg(verify_text(&marked, 0, &found, &message) == OG_OK, "%s", message.text);
    /* R of 1,1@d is 2 d - d^2 - 1/2, whose slope is 1.2 here */
    ck_assert(found.optimal && fabs(found.loss_bound - 1.2e-18) <= 1e-23);
    ck_assert_ptr_nonnull(strstr(found.certified.text, "of optimal, proved"));
    free(marked.text);
    free(worse.text);
    free(text.text);
}

/* Parameters that are no whole numbers: doubles alone, which leave a bound. */
OG_TEST(a_policy_without_fractions_is_certified_within_a_bound)
{
    policy_text text = export_words("2x1.5,0.7@0.3 2.5,1", 4, false);
    og_verification found;
    og_message message;
    ck_assert_msg(verify_text(&text, 0, &found, &message) == OG_OK, "%s", message.text);
    ck_assert(found.optimal);
    ck_assert_double_le(found.loss_bound, 2 * found.error_bound);
    free(text.text);
}

/* Which lines with several actions may lose one of them: none. */
OG_TEST(an_optimal_action_left_out_is_refused)
{
    policy_text text = export_words("2x1,1 2,1", 4, true);
    size_t first = 0, last = 0;
    int tried = 0;
    og_verification found;
    og_message message;
    for (int n = 0; state_at(&text, n, &first, &last); n++) {
        size_t from = choice_at(&text, first);
        for (char *semicolon = strchr(text.text + from, ';');
             semicolon != NULL && semicolon < text.text + last;
             semicolon = strchr(semicolon + 1, ';')) {
            policy_text other =
                policy_text_changed(&text, (size_t)(semicolon - text.text), last - 1, "", 0);
            ck_assert_int_eq(verify_text(&other, 0, &found, &message), OG_BAD_INPUT);
            free(other.text);
            tried++;
        }
    }
    ck_assert_int_gt(tried, 5);
    free(text.text);
}

OG_TEST_LOOP(a_missing_or_doubled_state_is_refused, 0, SMALL)
{
    policy_text text = export_words(small[_i].words, small[_i].budget, small[_i].all);
    size_t first = 0, last = 0;
    og_verification found;
    og_message message;
    for (int n = 0; state_at(&text, n, &first, &last); n++) {
        policy_text less = policy_text_changed(&text, first, last, "", -1);
        ck_assert_int_eq(verify_text(&less, 0, &found, &message), OG_BAD_INPUT);
        free(less.text);
        char twice[256] = "";
        ck_assert_uint_lt(last - first, sizeof twice);
        memcpy(twice, text.text + first, last - first);
        policy_text more = policy_text_changed(&text, first, first, twice, 1);
        ck_assert_int_eq(verify_text(&more, 0, &found, &message), OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, "twice") != NULL, "%s", message.text);
        free(more.text);
        policy_text count = policy_text_changed(&text, first, first, "", 1);
        ck_assert_int_eq(verify_text(&count, 0, &found, &message), OG_BAD_INPUT);
        free(count.text);
    }
    free(text.text);
}

OG_TEST(a_wrong_header_is_refused)
{
    static const char *const lines[][2] = {{"optgap-policy\t", "2"},
                                           {"optgap-policy\t", "1.5"},
                                           {"budget\t", "4"},
                                           {"budget\t", "6"},
                                           {"budget\t", "1e6"},
                                           {"budget\t", "1000001"},
                                           {"prior\t", "3x1,1"},
                                           {"prior\t", "2x1,2"},
                                           {"prior\t", "2x2,2"},
                                           {"prior\t", "2x1,1@0.4"},
                                           {"prior\t", "1,1\nprior\t1,1"},
                                           {"prior\t", "2x1.0,1"},
                                           {"value\t", "1.75"},
                                           {"value\t", "1.6041666666667"},
                                           {"value\t", "nan"},
                                           {"value\t", "0x1.9p0"},
                                           {"gain\t", "0.625"},
                                           {"gain\t", "-0"},
                                           {"error_bound\t", "0.5"},
                                           {"error_bound\t", "inf"},
                                           {"error_bound\t", "1e-12"},
                                           {"actions\t", "all"},
                                           {"actions\t", "none"}};
    policy_text text = export_words("2x1,1", 5, false);
    og_verification found;
    og_message message;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *at = strstr(text.text, lines[i][0]);
        ck_assert_ptr_nonnull(at);
        size_t from = (size_t)(at - text.text) + strlen(lines[i][0]);
        size_t to = (size_t)(strchr(at, '\n') - text.text);
        policy_text other = policy_text_changed(&text, from, to, lines[i][1], 0);
        ck_assert_msg(verify_text(&other, 0, &found, &message) == OG_BAD_INPUT, "%s%s", lines[i][0],
                      lines[i][1]);
        free(other.text);
    }
    free(text.text);
}

/* Random damage with the right checksum: refused or, where only a number's last digits moved,
 * certified within the errors; never anything worse. */
OG_TEST(damage_with_the_right_checksum_does_no_harm)
{
    static const char bytes[] = "0123456789:,;x*~\t\n.@-eadn/";
    uint64_t seed = test_seed(99);
    random_source source = random_start(seed);
    policy_text text = export_words("1,1@0.3 2x2,1", 4, false);
    og_verification found, whole;
    og_message message;
    ck_assert_int_eq(verify_text(&text, 0, &whole, &message), OG_OK);
    policy_text other = {.text = malloc(text.length + 1)};
    for (int round = 0; round < test_cases(20000); round++) {
        memcpy(other.text, text.text, text.length + 1);
        other.length = text.length;
        for (uint32_t changes = 1 + random_below(&source, 3); changes > 0; changes--) {
            size_t at = random_below(&source, (uint32_t)(text.length - SUM_DIGITS - 1));
            other.text[at] = bytes[random_below(&source, sizeof bytes - 1)];
        }
        policy_text_repair(&other);
        if (verify_text(&other, 0, &found, &message) == OG_OK) {
            ck_assert_msg(found.states == whole.states &&
                              fabs(found.value - whole.value) <= whole.error_bound,
                          "TEST_SEED=%" PRIu64 ", round %d: accepted\n%s", seed, round, other.text);
        } else {
            ck_assert_str_ne(message.text, "");
        }
    }
    free(other.text);
    free(text.text);
}

/* ---- contract ---- */

typedef struct {
    og_groups problem;
    og_arms *arms;
    og_solver *solver;
} bench;

static bench bench_new(const char *words, int32_t budget, const og_settings *settings)
{
    bench made = {.solver = NULL};
    test_problem(words, budget, &made.problem);
    ck_assert_int_eq(test_arms_new(&made.problem, 1, MEMORY_BYTES, &made.arms, NULL), OG_OK);
    ck_assert_int_eq(og_solver_new(made.arms, settings, &made.solver, NULL), OG_OK);
    return made;
}

static void bench_free(bench *done)
{
    og_solver_free(done->solver);
    og_arms_free(done->arms);
    og_groups_clear(&done->problem);
}

/* Two thresholds whose doubles are the same: only fractions know that the choice is not free. */
OG_TEST(fractions_settle_what_doubles_cannot_and_without_them_it_is_marked)
{
    og_settings settings = export_settings(1);
    bench at = bench_new("1,1@0.4 1,1@0.400000000000000001", 3, &settings);
    for (int kind = 0; kind < 4; kind++) {
        test_path path = policy_folder_path("settled");
        og_export_request request = {.path = path.text, .all = kind % 2 == 1};
        og_export_info info;
        og_message message = {""};
        request.memory_bytes = kind < 2 ? 0 : 12000; /* for no fractions */
        ck_assert_msg(og_export_policy(at.solver, &request, NULL, &info, &message) == OG_OK, "%s",
                      message.text);
        ck_assert_msg((info.near_ties > 0) == (kind >= 2), "%d: %d near ties", kind,
                      (int)info.near_ties);
        unlink(path.text);
    }
    bench_free(&at);
}

/* A solver that its limit would stop is not started. */
OG_TEST(export_looks_first_whether_it_can_write)
{
    og_settings settings = export_settings(1);
    settings.states_max = 1;
    bench at = bench_new("10x1,1", 30, &settings);
    test_path nowhere = policy_folder_path("none/policy");
    test_path folder = policy_folder_path("");
    const char *const paths[] = {nowhere.text, folder.text};
    for (int i = 0; i < 2; i++) {
        og_export_request request = {.path = paths[i]};
        og_export_info info;
        og_message message = {""};
        ck_assert_int_eq(og_export_policy(at.solver, &request, NULL, &info, &message), OG_FAILED);
        ck_assert_ptr_nonnull(strstr(message.text, "could not be written"));
    }
    bench_free(&at);
}

OG_TEST(export_that_fails_leaves_no_file_and_an_old_one_alone)
{
    og_settings settings = export_settings(1);
    bench at = bench_new("6x1,1", 16, &settings);
    test_path path = policy_folder_path("policy");
    test_path folder = policy_folder_path("");
    test_path nowhere = policy_folder_path("none/policy");
    const struct {
        og_export_request request;
        og_status status;
    } cases[] = {{{.path = nowhere.text}, OG_FAILED},
                 {{.path = folder.text}, OG_FAILED},
                 {{.path = path.text, .states_max = 10}, OG_STOPPED},
                 {{.path = path.text, .states_max = 10, .all = true}, OG_STOPPED},
                 {{.path = path.text, .memory_bytes = 100}, OG_STOPPED},
                 {{.path = path.text, .memory_bytes = 20000}, OG_STOPPED}};
    for (int old = 0; old < 2; old++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            og_message message = {""};
            og_export_info info;
            og_status status =
                og_export_policy(at.solver, &cases[i].request, NULL, &info, &message);
            ck_assert_msg(status == cases[i].status, "case %zu: status %d %s", i, status,
                          message.text);
            ck_assert_str_ne(message.text, "");
            ck_assert_int_eq(test_files_beside(path.text), 0);
            ck_assert_int_eq(access(path.text, F_OK), old == 0 ? -1 : 0);
        }
        FILE *file = fopen(path.text, "wb");
        ck_assert_ptr_nonnull(file);
        fputs("old", file);
        fclose(file);
    }
    policy_text text = policy_text_read(path.text);
    ck_assert_str_eq(text.text, "old");
    free(text.text);
    unlink(path.text);
    bench_free(&at);
}

/* But not while tables are built, which takes a slow machine long enough to ask. */
static bool stop_at_once(void *user, const og_progress *progress)
{
    (void)user;
    return progress->states == 0;
}

OG_TEST(export_stops_when_told_to)
{
    og_settings settings = export_settings(1);
    settings.states_max = 100;
    settings.watch = stop_at_once;
    og_stop stop;
    og_stop_take(&stop, &settings);
    bench at = bench_new("10x1,1", 60, &settings);
    test_path path = policy_folder_path("policy");
    og_export_request request = {.path = path.text};
    og_export_info info;
    og_message message = {""};
    ck_assert_int_eq(og_export_policy(at.solver, &request, NULL, &info, &message), OG_STOPPED);
    ck_assert_int_ne(access(path.text, F_OK), 0);
    bench_free(&at);
}

OG_TEST_LOOP(all_actions_of_too_many_states_are_refused, 0, !test_is_sanitized())
{
    og_settings settings = export_settings(1);
    bench at = bench_new("10x1,1", 32, &settings);
    test_path path = policy_folder_path("policy");
    og_export_request request = {.path = path.text, .all = true};
    og_export_info info;
    og_message message = {""};
    ck_assert_int_eq(og_export_policy(at.solver, &request, NULL, &info, &message), OG_STOPPED);
    ck_assert_msg(strstr(message.text, "200000 states") != NULL, "%s", message.text);
    ck_assert_int_ne(access(path.text, F_OK), 0);
    bench_free(&at);
}

OG_TEST(verify_refuses_what_is_no_policy_file)
{
    og_settings settings = {.threads = 1, .memory_bytes = MEMORY_BYTES};
    og_verification found;
    og_message message = {""};
    test_path path = policy_folder_path("other");
    ck_assert_int_eq(og_verify_path(path.text, &settings, &found, &message), OG_BAD_INPUT);
    ck_assert_int_eq(og_verify_path(policy_folder_path("").text, &settings, &found, &message),
                     OG_BAD_INPUT);
    /* Linux: opens, and its first read fails. */
    ck_assert_int_eq(og_verify_path("/proc/self/mem", &settings, &found, &message), OG_FAILED);
    ck_assert_ptr_nonnull(strstr(message.text, "Input/output error"));
    static const char *const texts[] = {"",
                                        "\n",
                                        "x",
                                        "optgap-policy",
                                        "optgap-policy\t1\n",
                                        "optgap-policy\t1\nbudget\t1\nend\t0\t0123456789abcdef\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FILE *file = fopen(path.text, "wb");
        ck_assert_ptr_nonnull(file);
        fputs(texts[i], file);
        fclose(file);
        ck_assert_int_eq(og_verify_path(path.text, &settings, &found, &message), OG_BAD_INPUT);
        ck_assert_str_ne(message.text, "");
    }
    unlink(path.text);
}

OG_TEST(verify_keeps_to_its_memory_limit)
{
    policy_text text = export_words("10x1,1", 24, false);
    og_verification found;
    og_message message = {""};
    FILE *file = fmemopen(text.text, text.length, "rb");
    og_settings settings = {.threads = 1, .memory_bytes = 40000};
    ck_assert_int_eq(og_verify_run(file, "p", &settings, &found, &message), OG_STOPPED);
    ck_assert_msg(strstr(message.text, "memory limit") != NULL, "%s", message.text);
    fclose(file);
    free(text.text);
}

static bool stop_now(void *user, const og_progress *progress)
{
    (void)user;
    (void)progress;
    return false;
}

/* The watch is asked every tenth of a second; this takes more than one. */
OG_TEST(verify_stops_when_told_to)
{
    policy_text text = export_words("10x1,1", 20, false);
    og_verification found;
    og_message message = {""};
    FILE *file = fmemopen(text.text, text.length, "rb");
    og_stop stop;
    og_settings settings = {
        .threads = 1, .memory_bytes = MEMORY_BYTES, .watch = og_stop_watch, .watch_user = &stop};
    og_stop_init(&stop, stop_now, NULL);
    ck_assert_int_eq(og_verify_run(file, "p", &settings, &found, &message), OG_STOPPED);
    ck_assert_str_eq(message.text, "the check of p was stopped");
    fclose(file);
    free(text.text);
}
