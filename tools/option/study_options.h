#ifndef OG_TOOLS_OPTION_STUDY_OPTIONS_H
#define OG_TOOLS_OPTION_STUDY_OPTIONS_H

#include "bench/study/study.h"
#include "tools/option/options.h"

/*
 * Options that the commands on studies share. Their values are kept as text, under the option's
 * name, and are parsed when the study is built (bench/study/study.h).
 */
extern const og_option_row study_rows[]; /* those that select from a study */

/* Such a row, and its reader, which always returns OG_OK. */
og_option_reader keep_study_word;
#define STUDY_OPTION(name_, argument_, ...)                                                        \
    OG_OPTION(CUSTOM, name_, argument_, command_request, study_words, .read = keep_study_word,     \
              __VA_ARGS__)

/* Sets the keys of the study from these options. */
og_status read_study_words(const command_request *request, og_study *study, og_message *message);

/* Writes the file whole or not at all (dp/base/file.h); `what` names it in messages. */
og_status save_output(const char *path, const char *what, const char *bytes, size_t size,
                      og_message *message);

#endif
