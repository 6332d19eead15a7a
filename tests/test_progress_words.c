/*
 * The progress line's words: the share done and a steady forecast of the time left, if they are
 * known.
 */
#include "tests/support.h"
#include "tools/show/progress_words.h"

OG_SUITE(progress_words, 60);

enum { WIDTH = 100 };

static void expect(const og_progress *progress, double now, size_t width, progress_past *past,
                   const char *expected)
{
    char words[WIDTH + 1];
    progress_words(words, width, "solving", progress, now, past);
    ck_assert_str_eq(words, expected);
    ck_assert(past->seconds == now && past->states == progress->states &&
              past->settled == progress->settled);
}

OG_TEST(an_even_share_has_a_forecast)
{
    progress_past past = {0};
    const og_progress at[] = {{.settled = 0.1}, {.settled = 0.2}, {.settled = 0.3}, {.settled = 1}};
    expect(&at[0], 1, WIDTH, &past, "solving: 10 %, 1 s so far");
    expect(&at[1], 2, WIDTH, &past, "solving: 20 %, 2 s so far");
    expect(&at[2], 3, WIDTH, &past, "solving: 30 %, about 7 s left, 3 s so far");
    expect(&at[3], 10, WIDTH, &past, "solving: 100 %, 10 s so far");
}

OG_TEST(an_uneven_share_has_none)
{
    progress_past past = {0};
    expect(&(og_progress){.settled = 0.1}, 1, WIDTH, &past, "solving: 10 %, 1 s so far");
    expect(&(og_progress){.settled = 0.2}, 2, WIDTH, &past, "solving: 20 %, 2 s so far");
    expect(&(og_progress){.settled = 0.6}, 3, WIDTH, &past, "solving: 60 %, 3 s so far");
    expect(&(og_progress){.settled = 0.6}, 4, WIDTH, &past, "solving: 60 %, 4 s so far");
    expect(&(og_progress){.settled = 0.61}, 5, WIDTH, &past, "solving: 61 %, 5 s so far");
}

OG_TEST(long_times_have_few_digits)
{
    static const struct {
        double step;
        const char *left;
    } known[] = {{99.0 / 97, "99 s"},
                 {120.0 / 97, "2 min"},
                 {5400.0 / 97, "90 min"},
                 {36000.0 / 97, "10.0 h"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        progress_past past = {0};
        char words[WIDTH + 1], part[40];
        for (int percent = 1; percent <= 3; percent++) {
            progress_words(words, WIDTH, "", &(og_progress){.settled = percent / 100.0},
                           percent * known[i].step, &past);
        }
        snprintf(part, sizeof part, ": 3 %%, about %s left, ", known[i].left);
        ck_assert_msg(strstr(words, part) == words, "%s, not %s", words, part);
    }
}

OG_TEST(without_a_share_counts_are_shown)
{
    progress_past past = {0};
    expect(&(og_progress){0}, 1, WIDTH, &past, "solving: at work, 1 s so far");
    expect(&(og_progress){.memory_bytes = 2048}, 1, WIDTH, &past,
           "solving: counting states, 2.0 KB, 1 s so far");
    expect(&(og_progress){.states = 500, .settled = 0.004}, 2, WIDTH, &past,
           "solving: 500 states, 2 s so far");
    expect(&(og_progress){.states = 700, .settled = 0.01}, 3, WIDTH, &past,
           "solving: 1 %, 700 states, 200/s, 3 s so far");
}

OG_TEST(a_narrow_line_is_not_exceeded)
{
    for (size_t width = 1; width <= 60; width++) {
        progress_past past = {.seconds = 1, .states = 10, .settled = 0.1, .end = 10};
        char words[WIDTH + 1];
        progress_words(words, width, "solving", &(og_progress){.settled = 0.2, .states = 20}, 2,
                       &past);
        ck_assert_uint_le(strlen(words), width);
        ck_assert_msg(width < 13 || strncmp(words, "solving: 20 %", 13) == 0, "%s", words);
    }
}
