#ifndef OG_TOOLS_OPTION_STUDY_OPTIONS_H
#define OG_TOOLS_OPTION_STUDY_OPTIONS_H

#include "bench/study/study.h"
#include "tools/option/options.h"

/*
 * What the commands on studies share: options whose values are kept as words, under the option's
 * name, and are read when the study is put together (bench/study/study.h).
 */
extern const og_option_row study_rows[]; /* those that choose from a study */

/* A row like these, and its reader: always OG_OK. */
og_option_reader keep_study_word;
#define STUDY_OPTION(name_, argument_, ...)                                                        \
    OG_OPTION(CUSTOM, name_, argument_, command_request, study_words, .read = keep_study_word,     \
              __VA_ARGS__)

/* Set the keys of the study that the words are about. */
og_status read_study_words(const command_request *request, og_study *study, og_message *message);

/* Write the file whole or not at all (dp/base/file.h); `what` names it in the message. */
og_status save_output(const char *path, const char *what, const char *bytes, size_t size,
                      og_message *message);

#endif
