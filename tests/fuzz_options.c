/* Command lines: a command and its words, one in each line. Accepted values are in range, others
 * are refused with one line, and the numbers among the words equal those of a simpler parser. */
#include <math.h>

#include "dp/base/number.h"
#include "tests/fuzz.h"
#include "tools/command/commands.h"

enum { WORDS_MAX = 24 };

static void check_request(const command_request *request)
{
    const og_settings *settings = &request->wish.ask.settings;
    fuzz_check(request->wish.budget >= -1 && request->wish.budget <= OG_BUDGET_MAX &&
                   request->wish.left >= -1 && request->wish.left <= OG_BUDGET_MAX,
               "labels out of range");
    fuzz_check(settings->threads >= 1 && settings->threads <= OG_THREADS_MAX &&
                   settings->memory_bytes >= 1,
               "settings out of range");
    fuzz_check(request->wish.ask.seconds_max >= 0 && request->wish.ask.seconds_max <= 1e9 &&
                   request->wish.ask.index_seconds_max >= 0 &&
                   request->wish.ask.index_seconds_max <= 1e9 &&
                   settings->checkpoint_seconds >= 0 && settings->checkpoint_seconds <= 1e9,
               "seconds out of range");
    fuzz_check(request->wish.ask.ties_count >= 0 && request->wish.ask.ties_count <= OG_TIES_COUNT,
               "too many tie rules");
    for (int32_t i = 0; i < request->wish.ask.ties_count; i++) {
        for (int32_t j = 0; j < i; j++) {
            fuzz_check(request->wish.ties[i] != request->wish.ties[j], "a tie rule twice");
        }
    }
    for (int32_t i = 0; i < request->wish.policy_count; i++) {
        fuzz_check(og_policy_row_at((size_t)request->wish.policies[i].kind) != NULL,
                   "no such policy");
    }
    for (int32_t i = 0; i < request->word_count; i++) {
        og_group group;
        fuzz_check(og_group_parse(request->word[i], &group, NULL) != OG_OK ||
                       og_group_check(&group, 0, NULL) == OG_OK,
                   "an instance out of range");
    }
}

/* Reads digits only, with strtoull, which fails for numbers that are too large. */
static bool plain_number(const char *text, int64_t *out)
{
    if (*text == '\0' || text[strspn(text, "0123456789")] != '\0') {
        return false;
    }
    unsigned long long value = strtoull(text, NULL, 10);
    *out = (int64_t)value;
    return value <= INT64_MAX;
}

static void check_number(const char *word)
{
    static const char units[] = "KMGTkmgt";
    int64_t number = 0, plain = 0;
    double seconds = 0;
    uint64_t bytes = 0;
    bool good = plain_number(word, &plain);
    fuzz_check(og_number_parse(word, 0, INT64_MAX, &number) == good, "a number taken or refused");
    fuzz_check(!good || number == plain, "another number");
    if (og_seconds_parse(word, &seconds)) {
        fuzz_check(seconds == strtod(word, NULL) && seconds > 0 && seconds <= 1e9, "other seconds");
    }
    if (og_bytes_parse(word, &bytes)) {
        const char *unit = strpbrk(word, units);
        double factor =
            unit == NULL ? 1 : pow(1024, (double)((strchr(units, *unit) - units) % 4) + 1);
        /* Exact: at most 2^50, and a power of 2. */
        fuzz_check((double)bytes == strtod(word, NULL) * factor && bytes >= 1 &&
                       bytes <= UINT64_C(1) << 50,
                   "another size");
    }
}

FUZZ_TARGET(options)
{
    char *text = fuzz_text(data, size), *rest = text, *words[WORDS_MAX + 1];
    int count = 0;
    while (rest != NULL && count < WORDS_MAX) {
        words[count++] = strsep(&rest, "\n");
    }
    words[count] = NULL;
    const command *chosen = commands[0];
    for (int i = 0; commands[i] != NULL; i++) {
        chosen = strcmp(words[0], commands[i]->name) == 0 ? commands[i] : chosen;
    }
    for (int i = 0; i < count; i++) {
        check_number(words[i]);
    }
    command_request request;
    help_kind help = HELP_NONE;
    og_message message = {""};
    og_status status = options_read(chosen, count, words, &request, &help, &message);
    if (status == OG_OK) {
        check_request(&request);
    } else {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check_message(&message);
    }
    request_clear(&request);
    free(text);
}
