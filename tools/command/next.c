/* next: which tasks to label next, by name, from recorded labels; and what each is called now. */
#include "bench/recorded/next.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/recorded/fit.h"
#include "bench/words.h"
#include "tools/command/commands.h"
#include "tools/option/study_options.h"
#include "tools/show/report.h"

typedef struct {
    const command_request *request;
    og_labels labels;
    og_group prior;
    og_standing standing;
    const og_arm *arm;
    og_next next;
    int32_t *called;     /* [tasks] outcomes; --final */
    double *probability; /* [tasks] */
} work;

/* ---- the table ---- */

static void put_counts(const work *of, uint32_t task, FILE *table, og_document *row)
{
    int32_t counts[OG_CLASSES_MAX], classes = og_labels_classes(&of->labels);
    og_arm_counts(of->arm, of->standing.node[task], counts);
    og_document *array = classes > 2 ? og_put_array(row, "counts") : NULL;
    for (int32_t k = 0; k < classes; k++) {
        fprintf(table, "\t%" PRId32, counts[k]);
        og_put_whole(classes > 2 ? array : row,
                     classes > 2 ? NULL
                     : k == 0    ? "positive"
                                 : "negative",
                     (uint64_t)counts[k]);
    }
}

static void put_heading(const work *of, FILE *table, const char *before, const char *after)
{
    int32_t classes = og_labels_classes(&of->labels);
    fputs(before, table);
    for (int32_t k = 0; k < classes; k++) {
        fprintf(table, "\t%s",
                classes > 2 ? og_labels_class_name(&of->labels, k)
                : k == 0    ? "positive"
                            : "negative");
    }
    fputs(after, table);
}

static void put_next(const work *of, FILE *table, og_document *rows)
{
    put_heading(of, table, "task\trank", "\tindex\n");
    for (int32_t i = 0; i < of->next.count; i++) {
        uint32_t task = of->next.task[i];
        const char *name = og_labels_task_name(&of->labels, task);
        og_document *row = og_put_object(rows, NULL);
        fprintf(table, "%s\t%" PRId32, name, i + 1);
        og_put_text(row, "task", name);
        og_put_whole(row, "rank", (uint64_t)i + 1);
        put_counts(of, task, table, row);
        if (of->next.index != NULL) {
            fprintf(table, "\t%s\n", og_words_exact(of->next.index[i]).text);
            og_put_number(row, "index", of->next.index[i]);
        } else {
            fputs("\t-\n", table);
            og_put_null(row, "index");
        }
    }
}

static void put_calls(const work *of, FILE *table, og_document *rows)
{
    put_heading(of, table, "task", "\tcall\tprobability\n");
    for (uint32_t task = 0; task < of->labels.task_count; task++) {
        const char *name = og_labels_task_name(&of->labels, task);
        const char *call = og_labels_outcome_name(&of->labels, of->called[task]);
        og_document *row = og_put_object(rows, NULL);
        fputs(name, table);
        og_put_text(row, "task", name);
        put_counts(of, task, table, row);
        fprintf(table, "\t%s\t%.10g\n", call, of->probability[task]);
        og_put_text(row, "call", call);
        og_put_number(row, "probability", of->probability[task]);
    }
}

/* ---- what goes with it ---- */

static double loss_of(const og_next *next)
{
    return next->gain_most > next->gain_least ? next->gain_most - next->gain_least : 0;
}

static og_document *describe(const work *of)
{
    og_document *document = og_document_new();
    const command_request *request = of->request;
    og_put_whole(document, "tasks", of->labels.task_count);
    og_put_whole(document, "labels", (uint64_t)of->labels.label_count);
    og_put_parameters(document, "prior", &of->prior);
    og_put_text(document, "prior_from", request->prior != NULL ? "given" : "labels");
    if (!request->final_calls) {
        og_put_whole(document, "budget", (uint64_t)request->budget);
        og_put_whole(document, "batch", (uint64_t)of->next.count);
        og_put_text(document, "policy", request->policies[0].name);
        og_put_whole(document, "seed", request->seed);
        og_put_number(document, "gain_at_most", of->next.gain_most);
        og_put_number(document, "gain_at_least", of->next.gain_least);
        og_put_number(document, "loss_at_most", loss_of(&of->next));
    }
    return document;
}

/* In one line, beside the table or instead of it. */
static void summary(const work *of, char *words, size_t size)
{
    char prior[OG_GROUP_TEXT_BYTES];
    og_group_format(&of->prior, prior, sizeof prior);
    if (of->request->final_calls) {
        double right = 0;
        for (uint32_t i = 0; i < of->labels.task_count; i++) {
            right += of->probability[i];
        }
        snprintf(words, size, "%.6g of %" PRIu32 " calls are expected to be right; prior %s", right,
                 of->labels.task_count, prior);
        return;
    }
    snprintf(words, size,
             "%" PRId32 " labels can add at most %.4g expected correct calls; giving these %" PRId32
             " first, without seeing any of them before all are chosen, loses at most %.3g of that "
             "(proved); prior %s",
             of->request->budget, of->next.gain_most, of->next.count, loss_of(&of->next), prior);
}

static int put_out(const work *of, og_document *document, const char *table, size_t size)
{
    og_message message = {""};
    const command_request *request = of->request;
    char words[OG_GROUP_TEXT_BYTES + 512];
    og_status status = OG_OK;
    if (request->output != NULL) {
        status = save_output(request->output, "table", table, size, &message);
    }
    if (status != OG_OK || request->json) {
        if (status == OG_OK) {
            return show(document, request);
        }
        og_document_free(document);
        return complain(status, &message);
    }
    og_document_free(document);
    summary(of, words, sizeof words);
    if (request->output != NULL) {
        puts(words);
    } else {
        fwrite(table, 1, size, stdout);
        if (!request->quiet && fflush(stdout) == 0 && ferror(stdout) == 0) { /* else no result */
            note("%s", words);
        }
    }
    return EXIT_RESULT;
}

static int print(const work *of)
{
    char *table = NULL;
    size_t size = 0;
    og_document *document = describe(of);
    FILE *file = open_memstream(&table, &size);
    int code;
    if (file != NULL) {
        if (of->request->final_calls) {
            put_calls(of, file, og_put_array(document, "final"));
        } else {
            put_next(of, file, og_put_array(document, "next"));
        }
    }
    bool failed = file == NULL || ferror(file) != 0;
    if (file != NULL) {
        failed = fclose(file) != 0 || failed;
    }
    if (failed || og_document_failed(document)) {
        og_document_free(document);
        code = complain(OG_NO_MEMORY, &(og_message){""});
    } else {
        code = put_out(of, document, table, size);
    }
    free(table);
    return code;
}

/* ---- the work ---- */

static og_status find_prior(work *of, og_message *message)
{
    char words[24 * OG_CLASSES_MAX] = "";
    size_t used = 0;
    if (of->request->prior != NULL) {
        return og_group_parse(of->request->prior, &of->prior, message);
    }
    og_fit fit;
    og_message why = {""};
    og_status status = og_fit_prior(&of->labels, OG_FIT_ML, &fit, &why);
    if (status != OG_OK) {
        return og_message_set(message, status, "%.300s; here by --prior", why.text);
    }
    for (int32_t k = 0; k < fit.class_count; k++) {
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%.12g", k > 0 ? "," : "",
                                 fit.parameter[k]);
    }
    return og_group_parse(words, &of->prior, message);
}

static og_status check_batch(const work *of, og_message *message)
{
    const command_request *request = of->request;
    if (request->budget < 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "-T N (--budget N) is missing: how many labels are left to give");
    }
    if (request->batch > request->budget) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a batch of %" PRId32 " labels, but only %" PRId32
                              " are left to give",
                              request->batch, request->budget);
    }
    if ((uint32_t)request->batch > of->labels.task_count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a batch has each task at most once: %" PRId32 " of %" PRIu32
                              " tasks",
                              request->batch, of->labels.task_count);
    }
    return OG_OK;
}

static og_status find(work *of, og_message *message)
{
    const command_request *request = of->request;
    size_t tasks = of->labels.task_count;
    const og_settings *how = &request->settings;
    OG_TRY(request->final_calls ? OG_OK : check_batch(of, message));
    OG_TRY(find_prior(of, message));
    OG_TRY(og_standing_init(&of->labels, &of->prior, request->final_calls ? 1 : request->budget,
                            how->threads, how->memory_bytes, &of->standing, message));
    of->arm = of->standing.arms->arm[0];
    if (!request->final_calls) {
        return og_next_find(&of->standing, &request->policies[0], request->budget, request->batch,
                            request->seed, how->threads, how->memory_bytes, &of->next, message);
    }
    of->called = calloc(tasks, sizeof *of->called);
    of->probability = calloc(tasks, sizeof *of->probability);
    OG_TRY(OG_ALLOCATED(of->called));
    OG_TRY(OG_ALLOCATED(of->probability));
    return og_standing_calls(&of->standing, of->called, of->probability);
}

static int run(command_request *request)
{
    og_message message = {""};
    work of = {.request = request};
    og_status status =
        og_labels_read(request->labels_file, &request->settings, &of.labels, &message);
    if (status == OG_OK) {
        status = find(&of, &message);
    }
    int code = status == OG_OK ? print(&of) : complain(status, &message);
    og_next_clear(&of.next);
    og_standing_clear(&of.standing);
    og_labels_clear(&of.labels);
    free(of.called);
    free(of.probability);
    return code;
}

static const og_option_row options[] = {
    OG_OPTION(PATH, "labels", "FILE", command_request, labels_file,
              .help = "the recorded labels, as fit takes them; required",
              .required =
                  "--labels FILE is missing: the recorded labels, columns task, worker, label"),
    OG_OPTION(INT32, "budget", "N", command_request, budget,
              .help = "labels left to give; required but for --final", .letter = 'T', .least = 1,
              .most = OG_BUDGET_MAX, .what = "the budget (-T)"),
    OG_OPTION(INT32, "batch", "N", command_request, batch,
              .help = "how many tasks to name, each once", .least = 1, .most = OG_BUDGET_MAX,
              .fallback = "1"),
    OG_OPTION(SWITCH, "final", NULL, command_request, final_calls,
              .help = "instead, what each task is called now"),
    OG_OPTION(POLICY, "policy", "NAME", command_request, policies,
              .help = "who chooses, a policy with an index for each task",
              .count = offsetof(command_request, policy_count), .fallback = "opt-kg",
              .once = "next asks one policy"),
    OG_OPTION(TEXT, "prior", "A,B[@D]", command_request, prior,
              .help = "the prior of every task, of several classes A,B,C,... (default: fitted to "
                      "the labels)"),
    SEED_ROW("1", "another seed draws other tasks among those that tie"),
    OG_OPTION(OUTPUT, "output", "FILE", command_request, output, .what = "table",
              .help = "where the table goes (default: standard output)", .letter = 'o'),
    OG_OPTION_TABLE(thread_rows),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_next = {
    .name = "next",
    .summary = "which tasks to label next, from recorded labels",
    .about = "Which tasks to label next, by name, where some labels are recorded and some are left "
             "to give.",
    .details =
        "Example: 200 labels are left, and 10 are asked for today\n"
        "\n"
        "  optgap next --labels labels.tsv -T 200 --batch 10 -o next.tsv\n"
        "\n"
        "The table has the columns task, rank, positive, negative (labels so far; with three "
        "classes and more one column for each) and index. No label of a batch is seen before the "
        "whole batch is chosen, so a large batch chooses worse than label by label; how much "
        "that, and all else, can lose against the best play is said, and proved.\n"
        "\n"
        "With --final the columns are task, positive, negative, call and probability, that the "
        "call is right.\n"
        "\n"
        "JSON: tasks, labels, prior, prior_from (labels or given), budget, batch, policy, seed, "
        "gain_at_most, gain_at_least (expected correct calls that the budget can add, whatever "
        "is done; if the batch is labelled first), loss_at_most, next[].task, .rank, .positive, "
        ".negative (or .counts), .index; with --final final[].task, .positive, .negative, .call, "
        ".probability.",
    .options = options,
    .lists_policies = true,
    .run = run,
};
