/* Processes from their definitions, in small whole numbers. */
#include "tests/process_sample.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 6, ITEMS_MAX = 4, NUMBER_BYTES = 48 };

typedef struct {
    int64_t num, den;
} part;

typedef struct {
    const sample *from;
    og_expanded *to;
} teller;

static void tell(const teller *t, part p, part reward, const void *next, size_t bytes)
{
    if (t->from->exact) {
        char texts[2][NUMBER_BYTES];
        snprintf(texts[0], NUMBER_BYTES, "%" PRId64 "/%" PRId64, p.num, p.den);
        snprintf(texts[1], NUMBER_BYTES, "%" PRId64 "/%" PRId64, reward.num, reward.den);
        t->to->outcome_text(t->to, texts[0], texts[1], next, bytes);
    } else {
        t->to->outcome(t->to, (double)p.num / (double)p.den,
                       (double)reward.num / (double)reward.den, next, bytes);
    }
}

static void tell_end(const teller *t, part value)
{
    if (t->from->exact) {
        char text[NUMBER_BYTES];
        snprintf(text, sizeof text, "%" PRId64 "/%" PRId64, value.num, value.den);
        t->to->end_text(t->to, text);
    } else {
        t->to->end(t->to, (double)value.num / (double)value.den);
    }
}

static part larger(part x, part y)
{
    return x.num * y.den >= y.num * x.den ? x : y;
}

/* ---- arms: pairs in ascending order, and labels left ---- */

static int compare_pairs(const void *x, const void *y)
{
    return memcmp(x, y, 2);
}

/* Pr(theta >= 1/2) or its complement, the larger, times 2^(a + b - 1). */
static int64_t right_call(int a, int b)
{
    int64_t sum = 0, choose = 1, all = INT64_C(1) << (a + b - 1);
    for (int j = 0; j < a; j++) {
        sum += choose;
        choose = choose * (a + b - 1 - j) / (j + 1);
    }
    return sum > all - sum ? sum : all - sum;
}

static void end_arms(const teller *t, const uint8_t *state)
{
    part best = {0, 1}, right = {0, 1};
    for (int i = 0; i < t->from->arms; i++) {
        int a = state[2 * i], b = state[2 * i + 1];
        int64_t scale = INT64_C(1) << (a + b - 1);
        best = larger(best, (part){a, a + b});
        right = (part){right.num * scale + right_call(a, b) * right.den, right.den * scale};
    }
    tell_end(t, t->from->kind == SAMPLE_LABELS ? right : best);
}

static void expand_arms(const teller *t, const uint8_t *state, size_t bytes)
{
    for (int i = 0; i < t->from->arms; i++) {
        const uint8_t *pair = state + 2 * i;
        char name[NUMBER_BYTES];
        if (i > 0 && memcmp(pair, pair - 2, 2) == 0) {
            continue;
        }
        snprintf(name, sizeof name, "%d,%d", pair[0], pair[1]);
        t->to->act(t->to, name);
        for (int lost = 0; lost < 2; lost++) {
            uint8_t next[2 * 16 + 1];
            memcpy(next, state, bytes);
            next[2 * i + lost]++;
            next[bytes - 1]--;
            qsort(next, (size_t)t->from->arms, 2, compare_pairs);
            tell(t, (part){pair[lost], pair[0] + pair[1]}, (part){0, 1}, next, bytes);
        }
    }
}

/* ---- a trial: two pairs, and patients left ---- */

static void expand_trial(const teller *t, const uint8_t *state, size_t bytes)
{
    for (int arm = 0; arm < 2; arm++) {
        t->to->act(t->to, arm == 0 ? "A" : "B");
        for (int lost = 0; lost < 2; lost++) {
            const uint8_t *pair = state + 2 * arm;
            uint8_t next[5];
            memcpy(next, state, sizeof next);
            next[2 * arm + lost]++;
            next[4]--;
            tell(t, (part){pair[lost], pair[0] + pair[1]}, (part){!lost, 1}, next, bytes);
        }
    }
}

static void end_trial(const teller *t, const uint8_t *state)
{
    part best =
        larger((part){state[0], state[0] + state[1]}, (part){state[2], state[2] + state[3]});
    tell_end(t, (part){best.num * t->from->after, best.den});
}

og_status sample_winner(void *user, const void *state, size_t bytes, int32_t act_count,
                        const char *const *act, double *answer, bool *weights, og_message *message)
{
    const uint8_t *s = state;
    bool first = s[0] * (s[2] + s[3]) >= s[2] * (s[0] + s[1]);
    (void)user, (void)bytes, (void)act, (void)weights, (void)message;
    for (int32_t i = 0; i < act_count; i++) {
        answer[i] = (i == 0) == first;
    }
    return OG_OK;
}

/* ---- the top of a ranking: wins of both sides of each pair, and comparisons left ---- */

/* Adds up, over all orders, the mass of those in which i is above j, and of those with i on top. */
typedef struct {
    int64_t whole, above[ITEMS_MAX][ITEMS_MAX], top[ITEMS_MAX];
} masses;

static void add_orders(const sample *from, const uint8_t *wins, int *order, int placed, masses *to)
{
    if (placed < from->arms) {
        for (int i = placed; i < from->arms; i++) {
            int kept = order[placed];
            order[placed] = order[i];
            order[i] = kept;
            add_orders(from, wins, order, placed + 1, to);
            order[i] = order[placed];
            order[placed] = kept;
        }
        return;
    }
    int64_t mass = 1;
    int place[ITEMS_MAX] = {0}, pair = 0;
    for (int i = 0; i < from->arms; i++) {
        place[order[i]] = i;
    }
    for (int i = 0; i < from->arms; i++) {
        for (int j = i + 1; j < from->arms; j++, pair++) {
            int right = wins[2 * pair + (place[i] > place[j])];
            int wrong = wins[2 * pair + (place[i] < place[j])];
            while (right-- > 0) {
                mass *= from->a;
            }
            while (wrong-- > 0) {
                mass *= from->b - from->a;
            }
        }
    }
    to->whole += mass;
    to->top[order[0]] += mass;
    for (int i = 0; i < from->arms; i++) {
        for (int j = 0; j < from->arms; j++) {
            to->above[i][j] += place[i] < place[j] ? mass : 0;
        }
    }
}

static masses mass_of_orders(const sample *from, const uint8_t *wins)
{
    int order[ITEMS_MAX] = {0, 1, 2, 3};
    masses sum = {0};
    add_orders(from, wins, order, 0, &sum);
    return sum;
}

static void expand_top(const teller *t, const uint8_t *state, size_t bytes)
{
    const sample *from = t->from;
    const masses sum = mass_of_orders(from, state);
    int pair = 0;
    for (int i = 0; i < from->arms; i++) {
        for (int j = i + 1; j < from->arms; j++, pair++) {
            char name[NUMBER_BYTES];
            snprintf(name, sizeof name, "%d-%d", i, j);
            t->to->act(t->to, name);
            for (int lost = 0; lost < 2; lost++) {
                int64_t above = lost == 0 ? sum.above[i][j] : sum.above[j][i];
                uint8_t next[2 * PAIRS_MAX + 1];
                memcpy(next, state, bytes);
                next[2 * pair + lost]++;
                next[bytes - 1]--;
                tell(t,
                     (part){above * from->a + (sum.whole - above) * (from->b - from->a),
                            sum.whole * from->b},
                     (part){0, 1}, next, bytes);
            }
        }
    }
}

static void end_top(const teller *t, const uint8_t *state)
{
    const masses sum = mass_of_orders(t->from, state);
    part best = {0, 1};
    for (int i = 0; i < t->from->arms; i++) {
        best = larger(best, (part){sum.top[i], sum.whole});
    }
    tell_end(t, best);
}

/* ---- lines ---- */

static const char *const hand[] = {"start ask=1/3:-1/10:yes,2/3:-1/10:no stop=1:1/2:done",
                                   "yes wait=1/2:2:done,1/2:0:no",
                                   "no call=1:3/4:done again=1/4:0:yes2,3/4:1/4:done",
                                   "yes2 3/2",
                                   "done 0",
                                   NULL};

static void tell_words(const teller *t, char *p, char *reward, const char *next)
{
    if (t->from->exact) {
        t->to->outcome_text(t->to, p, reward, next, strlen(next));
        return;
    }
    char *words[2] = {p, reward};
    double number[2];
    for (int i = 0; i < 2; i++) {
        char *under = strchr(words[i], '/');
        number[i] = strtod(words[i], NULL) / (under != NULL ? strtod(under + 1, NULL) : 1);
    }
    t->to->outcome(t->to, number[0], number[1], next, strlen(next));
}

static void tell_outcomes(const teller *t, char *word)
{
    char *save = NULL, *equals = strchr(word, '=');
    *equals = '\0';
    t->to->act(t->to, word);
    for (char *one = strtok_r(equals + 1, ",", &save); one != NULL;
         one = strtok_r(NULL, ",", &save)) {
        char *reward = strchr(one, ':'), *next = strchr(reward + 1, ':');
        *reward++ = '\0';
        *next++ = '\0';
        tell_words(t, one, reward, next);
    }
}

static void tell_value(const teller *t, const char *text)
{
    char *under = strchr(text, '/');
    if (t->from->exact) {
        t->to->end_text(t->to, text);
    } else {
        t->to->end(t->to, strtod(text, NULL) / (under != NULL ? strtod(under + 1, NULL) : 1));
    }
}

static void expand_line(const teller *t, const char *const *lines, const char *state, size_t bytes)
{
    for (; *lines != NULL; lines++) {
        char line[512], *save = NULL;
        snprintf(line, sizeof line, "%s", *lines);
        char *word = strtok_r(line, " ", &save);
        if (strlen(word) != bytes || memcmp(word, state, bytes) != 0) {
            continue;
        }
        while ((word = strtok_r(NULL, " ", &save)) != NULL) {
            if (strchr(word, '=') != NULL) {
                tell_outcomes(t, word);
            } else {
                tell_value(t, word);
            }
        }
        return;
    }
}

/* ---- a chain ---- */

static void expand_chain(const teller *t, const void *state, size_t bytes)
{
    int32_t at;
    memcpy(&at, state, sizeof at);
    if (at == 0) {
        tell_end(t, (part){0, 1});
        return;
    }
    at--;
    t->to->act(t->to, "on");
    tell(t, (part){1, 1}, (part){1, 1}, &at, bytes);
}

/* ---- the process ---- */

static size_t write_root(void *user, void *state, char *message, size_t message_bytes)
{
    const sample *from = user;
    uint8_t *s = state;
    (void)message, (void)message_bytes;
    if (from->kind == SAMPLE_HAND || from->kind == SAMPLE_TEXT) {
        const char *line = from->kind == SAMPLE_HAND ? hand[0] : from->lines[0];
        size_t length = strcspn(line, " ");
        memcpy(state, line, length);
        return length;
    }
    if (from->kind == SAMPLE_CHAIN) {
        memcpy(state, &from->after, sizeof from->after);
        return sizeof from->after;
    }
    int pairs = from->kind == SAMPLE_TOP     ? from->arms * (from->arms - 1) / 2
                : from->kind == SAMPLE_TRIAL ? 2
                                             : from->arms;
    for (int i = 0; i < pairs; i++) {
        bool second = from->kind == SAMPLE_TRIAL && i == 1, top = from->kind == SAMPLE_TOP;
        s[2 * i] = (uint8_t)(top ? 0 : second ? from->c : from->a);
        s[2 * i + 1] = (uint8_t)(top ? 0 : second ? from->d : from->b);
    }
    s[2 * pairs] = (uint8_t)from->left;
    return (size_t)(2 * pairs + 1);
}

static bool expand(void *user, const void *state, size_t bytes, og_expanded *to, char *message,
                   size_t message_bytes)
{
    sample *from = user;
    const teller t = {from, to};
    const uint8_t *s = state;
    (void)message, (void)message_bytes;
    from->expanded++;
    bool odd = from->odd_from > 0 && from->expanded >= from->odd_from, ends = s[bytes - 1] == 0;
    if (odd) {
        to->end(to, (double)from->expanded);
    } else if (from->kind == SAMPLE_HAND || from->kind == SAMPLE_TEXT) {
        expand_line(&t, from->kind == SAMPLE_HAND ? hand : from->lines, state, bytes);
    } else if (from->kind == SAMPLE_CHAIN) {
        expand_chain(&t, state, bytes);
    } else if (from->kind == SAMPLE_TOP) {
        (ends ? end_top(&t, s) : expand_top(&t, s, bytes));
    } else if (from->kind == SAMPLE_TRIAL) {
        (ends ? end_trial(&t, s) : expand_trial(&t, s, bytes));
    } else {
        (ends ? end_arms(&t, s) : expand_arms(&t, s, bytes));
    }
    return true;
}

static int write_text(void *user, const void *state, size_t bytes, char *text, size_t text_bytes)
{
    const sample *from = user;
    const uint8_t *s = state;
    int used = 0;
    if (from->kind == SAMPLE_HAND || from->kind == SAMPLE_TEXT) {
        return snprintf(text, text_bytes, "%.*s", (int)bytes, (const char *)state);
    }
    for (size_t i = 0; i < bytes && (size_t)used < text_bytes; i++) {
        used += snprintf(text + used, text_bytes - (size_t)used, "%s%d", i > 0 ? " " : "", s[i]);
    }
    return used;
}

og_process sample_process(sample *from)
{
    return (og_process){.version = OG_PROCESS_VERSION,
                        .user = from,
                        .root = write_root,
                        .expand = expand,
                        .text = write_text};
}

sample sample_named(const char *name)
{
    sample s = {.kind = SAMPLE_HAND, .a = 1, .b = 1, .c = 1, .d = 1};
    if (sscanf(name, "best-arm %dx%d,%d T=%d", &s.arms, &s.a, &s.b, &s.left) == 4) {
        s.kind = SAMPLE_BEST_ARM;
    } else if (sscanf(name, "labels %dx%d,%d T=%d", &s.arms, &s.a, &s.b, &s.left) == 4) {
        s.kind = SAMPLE_LABELS;
    } else if (sscanf(name, "trial N=%d M=%d", &s.left, &s.after) == 2 ||
               sscanf(name, "trial %d,%d and %d,%d N=%d M=%d", &s.a, &s.b, &s.c, &s.d, &s.left,
                      &s.after) == 6) {
        s.kind = SAMPLE_TRIAL;
    } else if (sscanf(name, "top-1 %d items T=%d accuracy %d/%d", &s.arms, &s.left, &s.a, &s.b) ==
               4) {
        s.kind = SAMPLE_TOP;
    }
    return s;
}
