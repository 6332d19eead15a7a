/* How a family is told, with the defaults. */
#include <inttypes.h>
#include <stdio.h>

#include "bench/family.h"

static void step_by_number(const void *problem, og_act act, char *text, size_t size)
{
    (void)problem;
    snprintf(text, size, "%" PRIu32, act.part[0] + 1);
}

static const char *given_or(const char *given, const char *usual)
{
    return given != NULL ? given : usual;
}

og_family_words og_family_words_of(const og_family *family)
{
    og_family_words words = family->words;
    words.budget_name = given_or(words.budget_name, "Labels");
    words.acts_name = given_or(words.acts_name, "actions");
    words.act_name = given_or(words.act_name, "label");
    words.verb = given_or(words.verb, "label");
    words.acts_between = given_or(words.acts_between, "; ");
    words.act_text = words.act_text != NULL ? words.act_text : step_by_number;
    words.step_text = words.step_text != NULL ? words.step_text : words.act_text;
    words.answer_text = words.answer_text != NULL ? words.answer_text : og_sign_text;
    return words;
}

void og_family_describe_problem(const og_family *family, const void *problem, og_document *document)
{
    og_problem_size sizes;
    if (family->words.describe != NULL) {
        family->words.describe(problem, document);
        return;
    }
    family->model.sizes(problem, &sizes);
    og_document *object = og_put_object(document, "problem");
    og_put_whole(object, "budget", (uint64_t)sizes.budget);
    og_show_field(document, "Problem", "%s", family->words.problems);
    og_show_field(document, og_family_words_of(family).budget_name, "%" PRId32, sizes.budget);
}

og_document *og_family_put_act(const og_family *family, const void *problem, og_act act,
                               og_document *array)
{
    char text[OG_GROUP_TEXT_BYTES];
    int32_t number[2];
    if (family->words.put_act != NULL) {
        return family->words.put_act(problem, act, array);
    }
    og_family_words_of(family).act_text(problem, act, text, sizeof text);
    for (int i = 0; i < 2; i++) {
        int8_t part = family->words.act_parts[i];
        number[i] = part < 0 ? -1 : (int32_t)act.part[part];
    }
    return og_put_act(array, text, number[0], number[1]);
}
