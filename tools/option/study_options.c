/* Options that are keys of a study: kept as words until the study is made. */
#include "tools/option/study_options.h"

#include "dp/base/file.h"
#include "tools/show/memory.h"

og_status keep_study_word(request *asked, const char *key, const char *text)
{
    size_t count = (size_t)asked->study_word_count + 1;
    asked->study_words = grow(asked->study_words, count, sizeof *asked->study_words);
    asked->study_words[asked->study_word_count++] = (study_word){key, text};
    return OG_OK;
}

og_status read_study_prior(request *asked, const char *text, og_message *message)
{
    (void)message;
    return keep_study_word(asked, "prior", text);
}

og_status read_study_instances(request *asked, const char *text, og_message *message)
{
    (void)message;
    return keep_study_word(asked, "instances", text);
}

og_status read_study_budget(request *asked, const char *text, og_message *message)
{
    (void)message;
    return keep_study_word(asked, "budget", text);
}

og_status read_study_policies(request *asked, const char *text, og_message *message)
{
    (void)message;
    return keep_study_word(asked, "policies", text);
}

og_status read_study_ties(request *asked, const char *text, og_message *message)
{
    (void)message;
    return keep_study_word(asked, "ties", text);
}

og_status read_study_words(const request *asked, og_study *study, og_message *message)
{
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < asked->study_word_count; i++) {
        const study_word *word = &asked->study_words[i];
        status = og_study_set(study, word->key, word->text, message);
    }
    return status;
}

og_status read_output(request *asked, const char *text, og_message *message)
{
    (void)message;
    asked->output = text;
    return OG_OK;
}

og_status save_output(const char *path, const char *what, const char *bytes, size_t size,
                      og_message *message)
{
    og_atomic_file draft;
    og_status status = og_atomic_file_begin(path, what, &draft, message);
    if (status == OG_OK) {
        og_atomic_file_write(&draft, bytes, size);
        status = og_atomic_file_end(&draft, what, message);
    }
    return status;
}

const option option_only_prior = {
    .name = "prior",
    .argument = "PRIOR",
    .help = "only this prior; may be given several times",
    .read = read_study_prior,
};

const option option_only_instances = {
    .name = "instances",
    .argument = "NUMBERS",
    .help = "only these numbers of instances",
    .read = read_study_instances,
};

const option option_only_budget = {
    .name = "budget",
    .letter = 'T',
    .argument = "NUMBERS",
    .help = "only these numbers of labels",
    .read = read_study_budget,
};

const option option_only_policies = {
    .name = "policies",
    .argument = "NAME[,NAME...]",
    .help = "only these policies",
    .read = read_study_policies,
};

const option option_only_ties = {
    .name = "ties",
    .argument = "RULE[,RULE...]",
    .help = "only these tie rules",
    .read = read_study_ties,
};
