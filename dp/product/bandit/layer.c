/* A layer of a bandit: its types in ascending order of their sums of labels, row by row. */
#include "dp/base/clock.h"
#include "dp/base/parallel.h"
#include "dp/product/bandit/made.h"

enum { WORTH_THREADS = 1 << 15 }; /* values for which threads are worth while */

bool og_bandit_go_on(og_bandit *b, int thread, uint64_t done)
{
    done += atomic_fetch_add_explicit(&b->done, done, memory_order_relaxed);
    if (thread == 0 && b->settings.watch != NULL && og_seconds() - b->start - b->told >= 0.1) {
        b->told = og_seconds() - b->start;
        og_progress progress = {.states = done,
                                .memory_bytes = og_arms_bytes(b->arms) + (uint64_t)b->size.bytes,
                                .settled = (double)done / b->size.states,
                                .seconds = b->told};
        if (!b->settings.watch(b->settings.watch_user, &progress)) {
            atomic_store(&b->stopped, true);
        }
    }
    return !atomic_load_explicit(&b->stopped, memory_order_relaxed);
}

/* The types of one sum, row by row. */
typedef struct {
    og_bandit *bandit;
    int32_t last;
    uint32_t begin, end; /* types */
    int32_t one, other;  /* axes to exchange; other 0: none */
} team;

static bool applies(const team *w, const og_bandit_type *type)
{
    const og_bandit *b = w->bandit;
    int32_t axes = b->axes;
    bool there = axes < 2 || !b->alike[axes - 2] || type->labels[axes - 2] <= w->last;
    for (int32_t j = w->one; j < w->other && there; j++) {
        there = b->alike[j] && type->labels[j] == (j + 2 < axes ? type->labels[j + 1] : w->last);
    }
    return there;
}

static void do_part(const team *w, const og_bandit_part *part)
{
    if (w->other > 0) {
        og_bandit_exchange(w->bandit, part, w->one, w->other);
    } else if (og_bandit_length(w->bandit, &w->bandit->type[part->type]) == (uint64_t)w->last + 1) {
        og_bandit_last_label(w->bandit, part);
    } else {
        og_bandit_update(w->bandit, part);
    }
}

/* Updates rows of all these types, counted together. */
static void do_rows(void *context, int thread, int64_t begin, int64_t end)
{
    const team *w = context;
    int64_t before = 0;
    uint64_t done = 0;
    for (uint32_t t = w->begin; t < w->end && before < end; t++) {
        const og_bandit_type *type = &w->bandit->type[t];
        int64_t rows = applies(w, type) ? (int64_t)type->rows : 0;
        int64_t from = begin > before ? begin - before : 0;
        int64_t upto = end - before < rows ? end - before : rows;
        if (from < upto) {
            do_part(w,
                    &(og_bandit_part){t, w->last, (uint64_t)from, (uint64_t)upto, 0, w->last + 1});
            done += (uint64_t)(upto - from) * (uint64_t)(w->last + 1);
        }
        before += rows;
    }
    og_bandit_go_on(w->bandit, thread, w->other > 0 ? 0 : done);
}

static void do_types(team *w)
{
    const og_bandit *b = w->bandit;
    int64_t rows = 0;
    for (uint32_t t = w->begin; t < w->end; t++) {
        rows += applies(w, &b->type[t]) ? (int64_t)b->type[t].rows : 0;
    }
    int64_t grain = rows / ((int64_t)b->settings.threads * 4) + 1;
    int threads = rows * (w->last + 1) < WORTH_THREADS ? 1 : b->settings.threads;
    og_parallel_ranges(threads, rows, grain, do_rows, w);
}

void og_bandit_layer(og_bandit *b, int32_t given, int32_t sum)
{
    for (int32_t m = sum; m <= given && !atomic_load(&b->stopped); m++) {
        team w = {.bandit = b, .last = given - m, .begin = b->first[m], .end = b->first[m + 1]};
        do_types(&w);
        for (w.other = 1; w.other < b->axes; w.other++) {
            for (w.one = w.other - 1; w.one >= 0 && b->alike[w.one]; w.one--) {
                do_types(&w);
            }
        }
    }
}
