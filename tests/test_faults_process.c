/*
 * Allocations and file operations that fail, one after the other, while a process is found, valued,
 * simulated, exported and checked: each is an error or the same result, and nothing leaks.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/families/process/process.h"
#include "dp/base/stop.h"
#include "tests/fault_walk.h"
#include "tests/process_sample.h"

static char folder[64], file[96], table[128];

typedef struct {
    og_problem *problem;
    og_policy *own;
    sample from;
} world;

/* A trial of four patients, with fractions, and two policies. */
static og_status begin(world *w, outcome *out)
{
    *w = (world){.from = sample_named("trial N=4 M=10")};
    w->from.exact = true;
    const og_process process = sample_process(&w->from);
    out->status = og_problem_new("process", &w->problem, &out->message);
    if (out->status == OG_OK) {
        out->status = og_problem_process(w->problem, &process, &out->message);
    }
    if (out->status == OG_OK) {
        out->status = og_policy_process("own", sample_winner, NULL, &w->own, &out->message);
    }
    return out->status;
}

static void end(world *w)
{
    og_policy_free(w->own);
    og_problem_free(w->problem);
}

/* Options, ended by NULL, "NAME=TEXT" or "NAME"; with a policy's name also `own`, or else none. */
static og_status make_question(world *w, const char *name, const char *const *option,
                               og_question **question, outcome *out)
{
    out->status = og_question_new(name, question, &out->message);
    for (; out->status == OG_OK && *option != NULL; option++) {
        char word[32];
        const char *text = strchr(*option, '=');
        snprintf(word, sizeof word, "%.*s", (int)strcspn(*option, "="), *option);
        if (strcmp(word, "policy") == 0 && strcmp(text, "=uniform") == 0) {
            out->status = og_question_policy(*question, w->own, &out->message);
        }
        if (out->status == OG_OK) {
            out->status =
                og_question_set(*question, word, text != NULL ? text + 1 : NULL, &out->message);
        }
    }
    return out->status;
}

/* `row`: the number of each policy's row, which is missing if memory did not suffice for the row;
 * NULL: the answer has no rows. */
static void ask(world *w, const char *name, const char *const *option, const char *row,
                outcome *out)
{
    og_question *question = NULL;
    static const char *const keys[] = {"optimal.value", "actions.1.index", "states.2.value", "q"};
    og_document *answer = NULL;
    if (out->status == OG_OK && make_question(w, name, option, &question, out) == OG_OK) {
        out->status = og_ask(w->problem, question, &answer, &out->message);
        out->touched = out->status != OG_OK && answer != NULL;
    }
    for (size_t k = 0; out->status == OG_OK && k < sizeof keys / sizeof *keys; k++) {
        double number = og_number_at(answer, keys[k]);
        digest_double(out, isnan(number) ? 0 : number);
    }
    if (out->status == OG_OK && row != NULL && strcmp(row, "value") == 0 &&
        isnan(og_number_at(answer, "optimal.value"))) {
        out->status = OG_NO_MEMORY; /* a bracket */
    }
    for (int32_t i = 0; out->status == OG_OK && row != NULL && i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, "policies.%d.%s", (int)i, row);
        double number = og_number_at(answer, path);
        digest_double(out, number);
        out->status = isnan(number) ? OG_NO_MEMORY : OG_OK;
    }
    og_document_free(answer);
    og_question_free(question);
}

#define LIMITS "threads=1", "memory=64M"
#define BOTH "policy=uniform"
#define EXACT "arithmetic=exact"
#define OPTIONS(...) ((const char *const[]){LIMITS, __VA_ARGS__, NULL})

static void run_solve(outcome *out)
{
    world w;
    begin(&w, out);
    ask(&w, "solve", OPTIONS(EXACT), NULL, out);
    end(&w);
}

static void run_compare(outcome *out)
{
    world w;
    begin(&w, out);
    ask(&w, "compare", OPTIONS(BOTH, EXACT, "runs=10", "explain"), "value", out);
    end(&w);
}

static void run_query(outcome *out)
{
    world w;
    begin(&w, out);
    ask(&w, "query", OPTIONS(BOTH, EXACT), NULL, out);
    end(&w);
}

static void run_tree(outcome *out)
{
    world w;
    begin(&w, out);
    ask(&w, "tree", OPTIONS(EXACT), NULL, out);
    end(&w);
}

static void run_simulate(outcome *out)
{
    world w;
    begin(&w, out);
    ask(&w, "simulate", OPTIONS(BOTH, "runs=10"), "mean", out);
    end(&w);
}

static void run_export(outcome *out)
{
    world w;
    char option[sizeof file + 16];
    snprintf(option, sizeof option, "export-policy=%s", file);
    begin(&w, out);
    ask(&w, "solve", OPTIONS("all-optimal", option), NULL, out);
    end(&w);
}

static void start_world(void)
{
    snprintf(folder, sizeof folder, "%.40s/faults-XXXXXX", test_temporary());
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/policy.tsv", folder);
    snprintf(table, sizeof table, "policy=table:%s", file);
    outcome out = {.status = OG_OK};
    run_export(&out);
    ck_assert_msg(out.status == OG_OK, "%s", out.message.text);
}

static void end_world(void)
{
    unlink(file);
    rmdir(folder);
}

/* What run_export wrote, as a policy and as a file to check. */
static void run_table(outcome *out)
{
    world w;
    begin(&w, out);
    ask(&w, "compare", OPTIONS(table, BOTH, EXACT, "runs=10"), "value", out);
    end(&w);
}

static void run_verify(outcome *out)
{
    sample from = sample_named("trial N=4 M=10");
    const og_process_options options = {.given = sample_process(&from)};
    const og_problem_text text = {.options = &options, .budget = -1, .left = -1};
    const og_settings settings = og_stop_limits(1, UINT64_C(1) << 26, NULL);
    og_document *answer = og_document_new();
    void *problem = NULL;
    out->status = og_family_process.model.open(&text, &settings, &problem, &out->message);
    if (out->status == OG_OK) {
        out->status =
            og_family_process.model.verify(problem, file, &settings, answer, &out->message);
    }
    if (out->status == OG_OK) {
        out->status = og_document_status(answer, &out->message);
        digest_double(out, og_number_at(answer, "value"));
    }
    og_family_close(&og_family_process, problem);
    og_document_free(answer);
}

static const fault_scene scenes[] = {
    SCENE("solve", .run = run_solve),       SCENE("compare", .run = run_compare),
    SCENE("query", .run = run_query),       SCENE("tree", .run = run_tree),
    SCENE("simulate", .run = run_simulate), SCENE("export", .run = run_export),
    SCENE("table", .run = run_table),       SCENE("verify", .run = run_verify),
};

OG_SUITE_RUN(faults_process)
{
    return fault_suite("faults_process", scenes, sizeof scenes / sizeof *scenes, start_world,
                       end_world);
}
