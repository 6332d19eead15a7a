/* Parts that documents share: problems, optima, bounds. Values for programs are stored unrounded;
 * only the text for people is rounded. */
#include "bench/describe.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/words.h"
#include "commit.h"
#include "config.h"
#include "dp/prior/worker.h"

void og_put_fraction(og_document *parent, const char *name, mpq_srcptr value)
{
    if (value == NULL) {
        og_put_null(parent, name);
        return;
    }
    /* Digits of both numbers, a sign, a slash and a terminator. */
    size_t digits = mpz_sizeinbase(mpq_numref(value), 10) + mpz_sizeinbase(mpq_denref(value), 10);
    char *room = og_put_buffer(parent, name, digits + 3);
    if (room != NULL) {
        mpq_get_str(room, 10, value);
    }
}

void og_put_parameters(og_document *parent, const char *name, const og_group *group)
{
    og_document *array = og_put_array(parent, name);
    double sum = og_group_weight_sum(group);
    switch (group->kind) {
    case OG_PRIOR_BETA:
        og_put_number(array, NULL, og_fraction_double(group->a));
        og_put_number(array, NULL, og_fraction_double(group->b));
        break;
    case OG_PRIOR_MIXTURE: /* the weights add up to 1 */
        for (int32_t i = 0; i < group->part_count; i++) {
            const og_component *part = &group->component[i];
            double values[] = {og_fraction_double(part->weight) / sum, og_fraction_double(part->a),
                               og_fraction_double(part->b)};
            og_put_numbers(array, NULL, values, 3);
        }
        break;
    case OG_PRIOR_DIRICHLET:
        for (int32_t i = 0; i < group->part_count; i++) {
            og_put_number(array, NULL, og_fraction_double(group->alpha[i]));
        }
        break;
    case OG_PRIOR_COINS:
        for (int32_t i = 0; i < group->part_count; i++) {
            double values[] = {og_fraction_double(group->component[i].a),
                               og_fraction_double(group->component[i].b)};
            og_put_numbers(array, NULL, values, 2);
        }
        break;
    case OG_PRIOR_NODES: /* no numbers */
        break;
    }
}

void og_put_payoff(og_document *object, const og_payoff *payoff)
{
    double worth[4];
    if (og_payoff_name(payoff) != NULL) {
        og_put_text(object, "payoff", og_payoff_name(payoff));
        return;
    }
    for (int i = 0; i < 4; i++) {
        worth[i] = og_payoff_worth(payoff, i / 2, i % 2);
    }
    og_put_numbers(object, "payoff", worth, 4);
    if (og_payoff_call_count(payoff) == 3) {
        og_put_number(object, "undecided", og_payoff_worth(payoff, OG_CALL_UNDECIDED, 0));
    }
}

og_document *og_put_instance(og_document *parent, const og_group *group, const char *key)
{
    char words[OG_GROUP_TEXT_BYTES];
    og_document *object = og_put_object(parent, NULL);
    bool classes = group->kind == OG_PRIOR_DIRICHLET || group->kind == OG_PRIOR_NODES;
    og_group_format(group, words, sizeof words);
    og_put_text(object, "text", words);
    if (group->kind == OG_PRIOR_NODES) {
        og_put_text(object, key, group->nodes->node[group->root]);
    } else {
        og_put_parameters(object, key, group);
    }
    og_put_whole(object, "count", (uint64_t)group->count);
    og_put_number(object, "threshold", classes ? NAN : og_fraction_double(group->threshold));
    if (group->payoff.given) {
        og_put_payoff(object, &group->payoff);
    }
    return object;
}

/* " of 3 classes", " of 2 to 4 classes"; nothing if all have two. */
static void show_classes(og_document *document, const og_groups *problem)
{
    int32_t least = OG_CLASSES_MAX, most = 2;
    for (int32_t i = 0; i < problem->group_count; i++) {
        const og_group *group = og_groups_at(problem, i);
        int32_t classes = group->kind == OG_PRIOR_DIRICHLET ? group->part_count : 2;
        least = classes < least ? classes : least;
        most = classes > most ? classes : most;
    }
    if (most > 2 && least < most) {
        og_show_more(document, " of %" PRId32 " %s %" PRId32 " classes", least,
                     most == least + 1 ? "or" : "to", most);
    } else if (most > 2) {
        og_show_more(document, " of %" PRId32 " classes", most);
    }
}

/* "10x1,1 2,1@0.3 (11 instances)", with the number of classes if it is more than two. */
static void show_groups(og_document *document, const char *title, const og_groups *problem,
                        const char *what, int (*format)(const og_group *, char *, size_t))
{
    char words[OG_GROUP_TEXT_BYTES];
    int64_t size = og_groups_size(problem);
    if (og_document_is_bare(document)) {
        return;
    }
    og_show_field(document, title, "%s", "");
    for (int32_t i = 0; i < problem->group_count; i++) {
        format(og_groups_at(problem, i), words, sizeof words);
        og_show_more(document, "%s%s", i > 0 ? " " : "", words);
    }
    og_show_more(document, " (%" PRId64 " %s%s", size, what, size == 1 ? "" : "s");
    show_classes(document, problem);
    og_show_more(document, ")");
}

void og_show_workers(og_document *document, const og_groups *workers)
{
    show_groups(document, "Workers", workers, "worker", og_worker_format);
}

/* Equal groups are one part of the document. */
static void put_instances(og_document *instances, const og_groups *problem)
{
    og_document **of_kind = calloc((size_t)problem->kind_count + 1, sizeof(og_document *));
    if (of_kind == NULL) {
        og_document_fail(instances);
        return;
    }
    for (int32_t i = 0; i < problem->group_count; i++) {
        const og_group *group = og_groups_at(problem, i);
        og_document **put = &of_kind[group - problem->kind];
        if (*put != NULL) {
            og_put_again(instances, *put);
        } else {
            *put = og_put_instance(instances, group, "prior");
        }
    }
    free(of_kind);
}

og_document *og_describe_problem(og_document *document, const og_groups *problem,
                                 const char *budget_name)
{
    og_document *object = og_put_object(document, "problem");
    put_instances(og_put_array(object, "instances"), problem);
    og_put_whole(object, "budget", (uint64_t)problem->budget);
    og_put_text(object, "objective",
                problem->objective == OG_OBJECTIVE_BANDIT ? "bandit" : "calls");
    show_groups(document, "Problem", problem, "instance", og_group_format);
    og_show_field(document, budget_name, "%" PRId32, problem->budget);
    return object;
}

og_document *og_put_by_policy(og_document *rows, const char *name, og_ties ties)
{
    og_document *row = og_put_object(rows, NULL);
    og_put_text(row, "name", name);
    og_put_text(row, "ties", og_ties_name(ties));
    return row;
}

og_document *og_show_by_policy(og_document *document, const og_document *rows)
{
    og_document *table = og_show_table(document, rows);
    og_show_column(table, "policy", 'l', "name", OG_SHOW_PLAIN);
    og_show_column(table, "ties", 'l', "ties", OG_SHOW_PLAIN);
    return table;
}

og_document *og_put_optimum(og_document *parent, const og_result *result, bool known, bool exact,
                            mpq_srcptr value, mpq_srcptr gain)
{
    og_document *object = og_put_object(parent, "optimal");
    og_put_result(object, "value", known, result->value);
    og_put_result(object, "gain", known, result->gain);
    if (exact) {
        og_put_fraction(object, "value_exact", value);
        og_put_fraction(object, "gain_exact", gain);
    }
    og_put_result(object, "error_bound", known, result->error_bound);
    og_put_text(object, "accuracy", exact ? "exact" : "double");
    og_put_text(object, "engine", og_result_engine(result));
    og_put_whole(object, "states", result->states);
    og_put_whole(object, "forgotten", result->forgotten);
    og_put_whole(object, "memory_bytes", result->memory_bytes);
    if (result->disk_bytes > 0) {
        og_put_whole(object, "disk_bytes", result->disk_bytes);
    }
    if (result->ranks > 1) {
        og_put_whole(object, "ranks", (uint64_t)result->ranks);
        og_put_whole(object, "sent_bytes", result->sent_bytes);
    }
    og_put_number(object, "seconds", result->seconds);
    return object;
}

void og_show_fraction(og_document *document, const og_document *parent, const char *name)
{
    const char *text = og_document_text(og_document_find(parent, name));
    if (text != NULL && og_fraction_is_long(text)) {
        og_show_field(document, "Exactly", "a fraction of %zu characters, which --json prints",
                      strlen(text));
    } else if (text != NULL) {
        og_show_field(document, "Exactly", "%s", text);
    }
}

void og_file_values(og_document *document, const char *unit, bool exact)
{
    og_file_column(document, "value", unit, 'd', "value", OG_SHOW_VALUE);
    og_file_column(document, "value exactly", NULL, exact ? 'l' : OG_CSV_ONLY, "value_exact",
                   OG_SHOW_FRACTION);
    og_file_column(document, "error at most", unit, OG_CSV_ONLY, "error_bound", OG_SHOW_BOUND);
}

void og_file_effort(og_document *document)
{
    og_file_column(document, "engine", NULL, OG_CSV_ONLY, "engine", OG_SHOW_PLAIN);
    og_file_column(document, "states", NULL, OG_CSV_ONLY, "states", OG_SHOW_PLAIN);
    og_file_column(document, "memory", "bytes", OG_CSV_ONLY, "memory_bytes", OG_SHOW_PLAIN);
    og_file_column(document, "time", "s", OG_CSV_ONLY, "seconds", OG_SHOW_PLAIN);
}

void og_put_origin(og_document *document)
{
    og_put_text(document, "version", OG_VERSION);
    og_put_text(document, "commit", strcmp(OG_COMMIT, "unknown") != 0 ? OG_COMMIT : NULL);
}

void og_show_forgotten(og_document *document, const og_result *result)
{
    if (result->forgotten > 0) {
        og_show_field(document, "Forgotten",
                      "%" PRIu64 " states, as the memory was full: slower, same value",
                      result->forgotten);
    }
}

const char og_fraction_note[] = " Long: more than 24 characters; --json prints it.";

void og_show_reading(og_document *document, const char *policy)
{
    if (strcmp(policy, "nlu") == 0) {
        og_show_paragraph(document, "nlu: the estimation of labeller quality is our reading of "
                                    "Ipeirotis et al. 2014.");
    }
}

void og_show_tolerance(og_document *document, const char *policy, const char *ties, uint64_t pairs)
{
    if (pairs > 0) {
        og_show_paragraph(document,
                          "Ties of %s%s%s%s depend on a tolerance: %" PRIu64
                          " pairs of indices are too close to tell apart.",
                          policy, ties != NULL ? " (" : "", ties != NULL ? ties : "",
                          ties != NULL ? ")" : "", pairs);
    }
}

/* True if all policies of this value buy the same number of labels. */
static bool is_one_number(const og_labels_paid *labels)
{
    return labels->most - labels->least <= 2 * labels->error + 1e-6 * labels->most;
}

void og_put_labels(og_document *object, const og_labels_paid *labels)
{
    if (!labels->known) {
        og_put_null(object, "labels");
        return;
    }
    og_document *document = og_put_object(object, "labels");
    og_put_number(document, "least", labels->least);
    og_put_number(document, "most", labels->most);
    og_put_result(document, "error_bound", true, labels->error);
    if (is_one_number(labels)) {
        og_show_cell(object, "labels", "%.5g", (labels->least + labels->most) / 2);
    } else {
        og_show_cell(object, "labels", "%.5g to %.5g", labels->least, labels->most);
    }
}

void og_show_labels(og_document *document, const og_labels_paid *labels)
{
    if (!labels->known) {
        og_show_field(document, "Labels bought", "not found within the limits");
    } else if (is_one_number(labels)) {
        og_show_field(document, "Labels bought", "%.5g on average",
                      (labels->least + labels->most) / 2);
    } else {
        og_show_field(document, "Labels bought", "%.5g to %.5g on average: worth as much",
                      labels->least, labels->most);
    }
}
