#ifndef OG_TOOLS_OPTION_STUDY_OPTIONS_H
#define OG_TOOLS_OPTION_STUDY_OPTIONS_H

#include "bench/study/study.h"
#include "tools/option/options.h"

/*
 * What the commands on studies share: options whose values are kept as words and are read when the
 * study is put together (bench/study/study.h).
 */
og_status read_study_prior(request *asked, const char *text, og_message *message);
og_status read_study_instances(request *asked, const char *text, og_message *message);
og_status read_study_budget(request *asked, const char *text, og_message *message);
og_status read_study_policies(request *asked, const char *text, og_message *message);
og_status read_study_ties(request *asked, const char *text, og_message *message);

/* For further readers: always OG_OK. */
og_status keep_study_word(request *asked, const char *key, const char *text);

/* Set the keys of the study that the words are about. */
og_status read_study_words(const request *asked, og_study *study, og_message *message);

/* Rows that choose from a study, and -o, which is required. */
extern const option option_only_prior;
extern const option option_only_instances;
extern const option option_only_budget;
extern const option option_only_policies;
extern const option option_only_ties;
og_status read_output(request *asked, const char *text, og_message *message);

/* Write the file whole or not at all (dp/base/file.h); `what` names it in the message. */
og_status save_output(const char *path, const char *what, const char *bytes, size_t size,
                      og_message *message);

#endif
