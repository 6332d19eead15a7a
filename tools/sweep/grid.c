/* Combinations of values and their command lines. Values are counted in fractions, so that a range
 * of decimals has no rounding. */
#include "tools/sweep/grid.h"

#include <ctype.h>
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/show/memory.h"

enum { NAME_BYTES = 64, TEXT_SHOWN = 60 };

/* One item of a list: a word; or a sum, or a range of sums, that is counted for each cell. */
typedef struct {
    char *text;
    char *part[3]; /* from, to, step; NULL: not a range */
    bool counted;
} item;

typedef struct {
    char name[NAME_BYTES];
    item *item; /* [count] */
    int32_t count;
    int32_t rank; /* when it is counted: after the names in its sums; -1: not yet known */
} entry;

struct grid {
    entry *entry; /* [count] as given */
    int32_t count;
    int32_t *order; /* [count] numbers of entries, each after those that it needs */
};

/* ---- names and sums ---- */

static size_t name_length(const char *text)
{
    size_t length = 0;
    if (isalpha((unsigned char)text[0]) || text[0] == '_') {
        while (isalnum((unsigned char)text[length]) || text[length] == '_') {
            length++;
        }
    }
    return length;
}

static const entry *find_whole(const grid *names, const char *text, size_t length)
{
    for (int32_t i = 0; i < names->count; i++) {
        const char *name = names->entry[i].name;
        if (strlen(name) == length && strncmp(name, text, length) == 0) {
            return &names->entry[i];
        }
    }
    return NULL;
}

/* The longest name that the text begins with; NULL: none. */
static const entry *find_longest(const grid *names, const char *text)
{
    const entry *found = NULL;
    for (size_t length = name_length(text); length > 0 && found == NULL; length--) {
        found = find_whole(names, text, length);
    }
    return found;
}

/* Reads a decimal, 1.25 or .5; returns its length, 0: there is none. */
static size_t read_decimal(const char *text, mpq_t out)
{
    size_t whole = strspn(text, "0123456789");
    size_t part = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
    if (whole + part == 0 || whole + part > 30) {
        return 0;
    }
    char digits[32];
    snprintf(digits, sizeof digits, "%.*s%.*s", (int)whole, text, (int)part, text + whole + 1);
    mpz_set_str(mpq_numref(out), digits, 10);
    mpz_ui_pow_ui(mpq_denref(out), 10, part);
    mpq_canonicalize(out);
    return whole + part + (part > 0 || text[whole] == '.');
}

/* A term of a sum: how often which name; NULL: the number itself. */
typedef struct {
    mpq_t factor;
    const char *name; /* in the text */
    size_t length;
} term;

/* Reads the next term, +2K or -1; returns its length, 0: there is none. */
static size_t read_term(const char *text, term *out)
{
    size_t sign = text[0] == '+' || text[0] == '-';
    size_t number = read_decimal(text + sign, out->factor);
    if (number == 0) {
        mpq_set_si(out->factor, 1, 1);
    }
    if (text[0] == '-') {
        mpq_neg(out->factor, out->factor);
    }
    out->name = text + sign + number;
    out->length = name_length(out->name);
    return number + out->length > 0 ? sign + number + out->length : 0;
}

/* Goes through the terms of a sum. True if the text is one; *name is set to an unknown name in it
 * or left; *known to whether it holds a name. */
static bool scan_sum(const grid *names, const char *text, bool *known, const char **unknown)
{
    term one;
    bool is_sum = text[0] != '\0';
    mpq_init(one.factor);
    for (const char *at = text; is_sum && *at != '\0';) {
        size_t length = at == text || *at == '+' || *at == '-' ? read_term(at, &one) : 0;
        is_sum = length > 0;
        if (is_sum && one.length > 0) {
            const entry *found = find_whole(names, one.name, one.length);
            *known = *known || found != NULL;
            *unknown = found == NULL ? one.name : *unknown;
        }
        at += length;
    }
    mpq_clear(one.factor);
    return is_sum;
}

/* ---- reading ---- */

static char *copy_text(const char *text, size_t length)
{
    char *copy = allocate(length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

static void add_item(entry *to, const char *text, size_t length)
{
    to->item = grow(to->item, (size_t)to->count + 1, sizeof *to->item);
    to->item[to->count++] = (item){.text = copy_text(text, length)};
}

/* Cuts a list at its blanks, or, without blanks, at its commas; *words is set if at blanks. */
static void cut_list(entry *to, const char *text, bool *words)
{
    *words = strchr(text, ' ') != NULL;
    const char *between = *words ? " " : ",";
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, between);
        if (length > 0 || !*words) {
            add_item(to, at, length);
        }
        at += length + (at[length] != '\0');
    }
}

/* Cuts FROM:TO:STEP into its parts, if the text looks like one. */
static void cut_range(const grid *names, item *at)
{
    const char *from = at->text;
    bool known = false;
    const char *unknown = NULL;
    size_t count = 0, length = strcspn(from, ":");
    char *first = copy_text(from, length);
    bool is_range = from[length] == ':' && scan_sum(names, first, &known, &unknown) &&
                    (known || unknown == NULL);
    free(first);
    while (is_range && count < 3) {
        length = strcspn(from, ":");
        at->part[count++] = copy_text(from, length);
        from += length;
        if (*from == '\0') {
            return;
        }
        from++;
    }
    if (is_range) { /* more than three parts */
        free(at->part[2]);
        at->part[2] = copy_text("", 0);
    }
}

static og_status refuse_range(const entry *at, const char *text, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "--for %s: a range must be FROM:TO or FROM:TO:STEP, such as 1:12 or "
                          "10:50:10, not '%.60s'",
                          at->name, text);
}

/* True for 1e-7, which would otherwise be a sum of a name e. */
static bool is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end > text && *end == '\0';
}

static og_status check_sum(const grid *names, const entry *at, const char *text, bool range,
                           bool *known, og_message *message)
{
    const char *unknown = NULL;
    bool is_sum = scan_sum(names, text, known, &unknown);
    if (range && !is_sum) {
        return refuse_range(at, text, message);
    }
    bool begins = isdigit((unsigned char)text[0]) || text[0] == '.'; /* 2K, and not a word kg */
    bool other = !range && !*known && is_number(text);
    if (is_sum && unknown != NULL && !other && (*known || range || begins)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--for %s: '%.60s' uses '%.*s', which no --for names; add --for "
                              "%.*s=VALUES",
                              at->name, text, (int)name_length(unknown), unknown,
                              (int)name_length(unknown), unknown);
    }
    *known = *known && is_sum;
    return OG_OK;
}

/* Finds what each item is, when all names are known. */
static og_status sort_item(const grid *names, const entry *of_name, item *at, og_message *message)
{
    cut_range(names, at);
    if (at->part[0] == NULL) {
        return check_sum(names, of_name, at->text, false, &at->counted, message);
    }
    at->counted = true;
    for (int i = 0; i < 3; i++) {
        bool known = false;
        if (i == 1 && at->part[i] == NULL) {
            return refuse_range(of_name, at->text, message);
        }
        if (at->part[i] != NULL) {
            if (at->part[i][0] == '\0') {
                return refuse_range(of_name, at->text, message);
            }
            OG_TRY(check_sum(names, of_name, at->part[i], true, &known, message));
        }
    }
    return OG_OK;
}

static og_status read_entry(const char *text, entry *out, bool *words, og_message *message)
{
    size_t length = name_length(text);
    if (length == 0 || length >= NAME_BYTES || text[length] != '=' || text[length + 1] == '\0') {
        return og_message_set(message, OG_BAD_INPUT,
                              "--for must be NAME=VALUES, such as K=2,5,10 or T=1:12, not '%.60s'",
                              text);
    }
    snprintf(out->name, sizeof out->name, "%.*s", (int)length, text);
    cut_list(out, text + length + 1, words);
    for (int32_t i = 0; i < out->count; i++) {
        if (out->item[i].text[0] == '\0') {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--for %s: a value is empty in '%.60s'; omit the comma",
                                  out->name, text);
        }
    }
    return OG_OK;
}

/* True if the sum in this text names the entry. */
static bool sum_names(const char *text, const entry *at)
{
    bool found = false;
    term one;
    mpq_init(one.factor);
    for (const char *from = text; text != NULL && !found && *from != '\0';) {
        size_t length = read_term(from, &one);
        found = one.length == strlen(at->name) && strncmp(one.name, at->name, one.length) == 0;
        from += length > 0 ? length : strlen(from);
    }
    mpq_clear(one.factor);
    return found;
}

static bool needs(const entry *one, const entry *other)
{
    for (int32_t i = 0; i < one->count; i++) {
        const item *at = &one->item[i];
        bool range = at->part[0] != NULL;
        for (int k = 0; at->counted && k < 3; k++) {
            if (sum_names(range ? at->part[k] : at->text, other)) {
                return true;
            }
        }
    }
    return false;
}

/* Orders the names so that each comes after those that it needs; keeps the given order otherwise.
 */
static og_status order_names(grid *names, og_message *message)
{
    int32_t placed = 0;
    while (placed < names->count) {
        int32_t next = -1;
        for (int32_t i = 0; i < names->count && next < 0; i++) {
            bool ready = names->entry[i].rank < 0;
            for (int32_t k = 0; ready && k < names->count; k++) {
                ready = names->entry[k].rank >= 0 || !needs(&names->entry[i], &names->entry[k]);
            }
            next = ready ? i : next;
        }
        if (next < 0) {
            int32_t first = 0;
            while (names->entry[first].rank >= 0) {
                first++;
            }
            return og_message_set(message, OG_BAD_INPUT,
                                  "--for %s: its values need themselves, in a circle; give one of "
                                  "the names a number",
                                  names->entry[first].name);
        }
        names->entry[next].rank = placed;
        names->order[placed++] = next;
    }
    return OG_OK;
}

og_status grid_new(const char *const *text, int32_t count, grid **out, og_message *message)
{
    grid *names = allocate(1, sizeof *names);
    bool *words = allocate((size_t)count + 1, sizeof *words);
    og_status status = OG_OK;
    names->entry = allocate((size_t)count + 1, sizeof *names->entry);
    names->order = allocate((size_t)count + 1, sizeof *names->order);
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        entry *at = &names->entry[i];
        at->rank = -1;
        status = read_entry(text[i], at, &words[i], message);
        if (status == OG_OK && find_whole(names, at->name, strlen(at->name)) != NULL) {
            status =
                og_message_set(message, OG_BAD_INPUT,
                               "--for %s is given twice; write its values in one list", at->name);
        }
        names->count = i + 1;
    }
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; status == OG_OK && !words[i] && k < names->entry[i].count; k++) {
            status = sort_item(names, &names->entry[i], &names->entry[i].item[k], message);
        }
    }
    OG_THEN(status, order_names(names, message));
    free(words);
    if (status != OG_OK) {
        grid_free(names);
        return status;
    }
    *out = names;
    return OG_OK;
}

void grid_free(grid *names)
{
    for (int32_t i = 0; names != NULL && i < names->count; i++) {
        entry *at = &names->entry[i];
        for (int32_t k = 0; k < at->count; k++) {
            free(at->item[k].text);
            for (int part = 0; part < 3; part++) {
                free(at->item[k].part[part]);
            }
        }
        free(at->item);
    }
    if (names != NULL) {
        free(names->entry);
        free(names->order);
    }
    free(names);
}

/* ---- cells ---- */

typedef struct {
    const grid *names;
    const char *const *word; /* [count] with %NAME */
    int32_t count;
    char **value;         /* [names->count] of each name, as far as they are chosen; owned */
    int64_t cells, taken; /* values of all names */
    grid_visit *visit;    /* NULL: only counts */
    void *user;
    og_message *message;
} walk;

/* Counts a sum with the values chosen so far; rounded down if it has a name. */
static og_status count_sum(const walk *w, const char *text, mpq_t out)
{
    og_status status = OG_OK;
    term one;
    mpq_t value;
    mpq_inits(one.factor, value, NULL);
    bool named = false;
    mpq_set_ui(out, 0, 1);
    for (const char *at = text; status == OG_OK && *at != '\0';) {
        at += read_term(at, &one);
        if (one.length > 0) {
            named = true;
            const entry *found = find_whole(w->names, one.name, one.length);
            const char *given = w->value[found - w->names->entry];
            size_t minus = given[0] == '-', used = read_decimal(given + minus, value);
            if (used == 0 || given[minus + used] != '\0') {
                status = og_message_set(w->message, OG_BAD_INPUT,
                                        "--for: '%.60s' needs numbers for %s, not '%.60s'", text,
                                        found->name, given);
            }
            if (minus > 0) {
                mpq_neg(value, value);
            }
            mpq_mul(one.factor, one.factor, value);
        }
        mpq_add(out, out, one.factor);
    }
    if (named) {
        mpz_fdiv_q(mpq_numref(out), mpq_numref(out), mpq_denref(out));
        mpz_set_ui(mpq_denref(out), 1);
    }
    mpq_clears(one.factor, value, NULL);
    return status;
}

/* A number as a decimal; it has finitely many digits, as all sums of decimals. */
static char *number_text(const mpq_t value)
{
    mpz_t scaled;
    mpz_init(scaled);
    mpz_fdiv_q(scaled, mpq_numref(value), mpq_denref(value));
    growing to = {.text = NULL};
    size_t digits = 0;
    if (mpz_cmp_ui(mpq_denref(value), 1) != 0) {
        mpz_t ten;
        mpz_init_set_ui(ten, 1);
        while (!mpz_divisible_p(ten, mpq_denref(value))) {
            mpz_mul_ui(ten, ten, 10);
            digits++;
        }
        mpz_mul(scaled, mpq_numref(value), ten);
        mpz_divexact(scaled, scaled, mpq_denref(value));
        mpz_clear(ten);
    }
    char *plain = allocate(mpz_sizeinbase(scaled, 10) + digits + 4, 1);
    bool minus = mpz_sgn(scaled) < 0;
    mpz_abs(scaled, scaled);
    mpz_get_str(plain, 10, scaled);
    size_t length = strlen(plain), whole_digits = length > digits ? length - digits : 0;
    growing_put(&to, minus ? "-" : "");
    growing_add(&to, whole_digits > 0 ? plain : "0", whole_digits > 0 ? whole_digits : 1);
    growing_put(&to, digits > 0 ? "." : "");
    for (size_t i = length; i < digits; i++) {
        growing_put(&to, "0");
    }
    growing_put(&to, plain + whole_digits);
    free(plain);
    mpz_clear(scaled);
    return to.text;
}

static og_status visit_cells(walk *w, int32_t rank);

static og_status refuse_size(const walk *w)
{
    return og_message_set(w->message, OG_BAD_INPUT,
                          "--for makes more than %d cells; give fewer values, or several files",
                          GRID_CELLS_MAX);
}

/* Goes on with this value of the name at this rank, which is taken over. */
static og_status take_value(walk *w, int32_t rank, char *text)
{
    int32_t i = w->names->order[rank];
    w->value[i] = text;
    /* A name inside may have an empty range, and so no cell. */
    bool many = ++w->taken > (int64_t)GRID_CELLS_MAX * w->names->count;
    og_status status = many ? refuse_size(w) : visit_cells(w, rank + 1);
    free(w->value[i]);
    w->value[i] = NULL;
    return status;
}

static og_status take_range(walk *w, int32_t rank, const item *at)
{
    mpq_t from, to, step;
    mpq_inits(from, to, step, NULL);
    mpq_set_ui(step, 1, 1);
    og_status status = count_sum(w, at->part[0], from);
    OG_THEN(status, count_sum(w, at->part[1], to));
    OG_THEN(status, at->part[2] != NULL ? count_sum(w, at->part[2], step) : OG_OK);
    if (status == OG_OK && mpq_sgn(step) <= 0) {
        status = og_message_set(w->message, OG_BAD_INPUT,
                                "--for: the step in '%.60s' must be greater than 0", at->text);
    }
    while (status == OG_OK && mpq_cmp(from, to) <= 0) {
        status = take_value(w, rank, number_text(from));
        mpq_add(from, from, step);
    }
    mpq_clears(from, to, step, NULL);
    return status;
}

static og_status take_item(walk *w, int32_t rank, const item *at)
{
    if (at->part[0] != NULL) {
        return take_range(w, rank, at);
    }
    if (!at->counted) {
        return take_value(w, rank, copy_text(at->text, strlen(at->text)));
    }
    mpq_t sum;
    mpq_init(sum);
    og_status status = count_sum(w, at->text, sum);
    char *text = status == OG_OK ? number_text(sum) : NULL;
    mpq_clear(sum);
    return status == OG_OK ? take_value(w, rank, text) : status;
}

/* The name at a percent sign, and the length of the whole reference; NULL: it names none. */
static const entry *find_reference(const grid *names, const char *at, size_t *length)
{
    const entry *found = NULL;
    if (at[1] == '{') {
        size_t inner = strcspn(at + 2, "}");
        found = at[2 + inner] == '}' ? find_whole(names, at + 2, inner) : NULL;
        *length = inner + 3;
    } else {
        found = find_longest(names, at + 1);
        *length = found != NULL ? strlen(found->name) + 1 : 0;
    }
    return found;
}

/* A word with the values of its names; NULL: one of them has none. */
static char *fill_word(const walk *w, const char *word)
{
    growing to = {.text = NULL};
    size_t length = 0;
    growing_put(&to, "");
    for (const char *at = word; *at != '\0'; at += length) {
        length = strcspn(at, "%");
        growing_add(&to, at, length);
        if (length > 0 || *at == '\0') {
            continue;
        }
        if (at[1] == '%') {
            growing_put(&to, "%");
            length = 2;
            continue;
        }
        const entry *found = find_reference(w->names, at, &length);
        if (found == NULL) {
            free(to.text);
            return NULL;
        }
        growing_put(&to, w->value != NULL ? w->value[found - w->names->entry] : "");
    }
    return to.text;
}

static og_status visit_cell(walk *w)
{
    char **word = allocate((size_t)w->count + 1, sizeof *word);
    for (int32_t i = 0; i < w->count; i++) {
        word[i] = fill_word(w, w->word[i]);
    }
    og_status status = w->visit(w->user, word, w->count, w->message);
    for (int32_t i = 0; i < w->count; i++) {
        free(word[i]);
    }
    free(word);
    return status;
}

/* Visits all cells with the values of the names of lower rank. */
static og_status visit_cells(walk *w, int32_t rank)
{
    if (rank < w->names->count) {
        const entry *at = &w->names->entry[w->names->order[rank]];
        og_status status = OG_OK;
        for (int32_t i = 0; status == OG_OK && i < at->count; i++) {
            status = take_item(w, rank, &at->item[i]);
        }
        return status;
    }
    if (++w->cells > GRID_CELLS_MAX) {
        return refuse_size(w);
    }
    return w->visit != NULL ? visit_cell(w) : OG_OK;
}

static og_status check_words(const walk *w)
{
    for (int32_t i = 0; i < w->count; i++) {
        char *filled = fill_word(w, w->word[i]);
        if (filled == NULL) {
            return og_message_set(w->message, OG_BAD_INPUT,
                                  "'%.60s' has a name that no --for gives; a percent sign is "
                                  "written %%%%",
                                  w->word[i]);
        }
        free(filled);
    }
    return OG_OK;
}

og_status grid_each(const grid *names, const char *const *word, int32_t count, grid_visit *visit,
                    void *user, og_message *message)
{
    walk w = {.names = names, .word = word, .count = count, .message = message};
    OG_TRY(check_words(&w));
    w.value = allocate((size_t)names->count + 1, sizeof *w.value);
    og_status status = visit_cells(&w, 0); /* counts */
    if (status == OG_OK && w.cells == 0) {
        status = og_message_set(message, OG_BAD_INPUT,
                                "--for has a range without numbers; FROM must be at most TO");
    }
    w.cells = w.taken = 0;
    w.visit = visit;
    w.user = user;
    OG_THEN(status, visit_cells(&w, 0));
    free(w.value);
    return status;
}
