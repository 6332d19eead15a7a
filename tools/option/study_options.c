/* Options that are keys of a study: kept as text until the study is built. */
#include "tools/option/study_options.h"

#include "dp/base/file.h"
#include "tools/show/memory.h"

og_status keep_study_word(void *options, const og_option_row *row, const char *text,
                          og_message *message)
{
    command_request *request = options;
    size_t count = (size_t)request->study_word_count + 1;
    (void)message;
    request->study_words = grow(request->study_words, count, sizeof *request->study_words);
    request->study_words[request->study_word_count++] = (study_word){row->name, text};
    return OG_OK;
}

og_status read_study_words(const command_request *request, og_study *study, og_message *message)
{
    for (int32_t i = 0; i < request->study_word_count; i++) {
        const study_word *word = &request->study_words[i];
        OG_TRY(og_study_set(study, word->key, word->text, message));
    }
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

const og_option_row study_rows[] = {
    STUDY_OPTION("prior", "PRIOR", .repeats = true, .topic = OG_TOPIC_PROBLEM, .basic = true,
                 .brief = "draw only this prior; may be repeated",
                 .help = "draw only this prior; may be repeated"),
    STUDY_OPTION("instances", "NUMBERS", .repeats = true, .topic = OG_TOPIC_PROBLEM, .basic = true,
                 .brief = "draw only these numbers of instances",
                 .help = "draw only these numbers of instances"),
    STUDY_OPTION("budget", "NUMBERS", .repeats = true, .topic = OG_TOPIC_PROBLEM, .basic = true,
                 .brief = "draw only these numbers of labels",
                 .help = "draw only these numbers of labels", .letter = 'T'),
    STUDY_OPTION("policies", "NAME,...", .repeats = true, .topic = OG_TOPIC_POLICIES, .basic = true,
                 .brief = "draw only these policies", .help = "draw only these policies"),
    STUDY_OPTION("ties", "RULE,...", .repeats = true, .topic = OG_TOPIC_POLICIES, .basic = true,
                 .brief = "draw only these tie rules", .help = "draw only these tie rules",
                 .choices = TIES_CHOICES),
    OG_OPTION_LAST,
};
