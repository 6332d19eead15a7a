#ifndef OG_TOOLS_OPTION_FAMILY_H
#define OG_TOOLS_OPTION_FAMILY_H


#include "bench/document.h"
#include "bench/family.h"
#include "tools/option/options.h"

/*
 * Problems of another kind than independent instances, as the command line describes them. An
 * option of such a kind chooses it; commands then ask the kind. One file
 * tools/command/family_NAME.c each.
 */
typedef struct family_kind {
    const char *option; /* its first option, for messages: "--arrival-rate" */
    const og_option_set *options;
    bool own_budget;    /* an option of its own takes the place of -T */
    bool own_instances; /* its option brings the instances, and no INSTANCE is given */
    bool has_bounds;
    bool has_runs;      /* can be simulated */
    const char *labels; /* what the budget counts: "Labels" */
    /* After the words, before the defaults: fit the request to the kind's own options. NULL: no
     * need. */
    og_status (*settle)(request *asked, og_message *message);
    /* Make the problem for so many policies; free it with og_family_free. */
    og_status (*make)(const request *asked, int32_t policy_count, og_family *out,
                      og_message *message);
    /* The object "problem" with "instances" and "budget", and the fields that describe it. */
    void (*describe)(const request *asked, og_document *document);
    /* What can be labelled first, in a few words: "1,1", "instance 3", "1,1 by worker 4,1". */
    void (*action)(const request *asked, const og_first_action *action, char *words, size_t size);
    /* A paragraph on how far figures can be trusted; NULL: errors are proved. */
    const char *note;
    /* simulate; NULL: not for this kind. Returns the exit status. */
    int (*simulate)(const request *asked);
} family_kind;

extern const family_kind family_delayed, family_workers, family_features;
extern const family_kind *const family_kinds[]; /* all of them, up to NULL */

static inline bool family_has(const family_kind *kind, family_use use)
{
    return use == FAMILY_VALUES || (use == FAMILY_BOUNDS && kind->has_bounds) ||
           (use == FAMILY_RUNS && kind->has_runs);
}

/* One of the kind's options is given: there is a struct for them. OG_BAD_INPUT if another kind was
 * chosen before. */
og_status family_choose(request *asked, const family_kind *kind, og_message *message);
void family_forget(request *asked); /* and what it owns */

/* Where no policies were given: those with these names, commas between. */
og_status family_usual_policies(request *asked, const char *names, og_message *message);

/* Makes the problem, and the policies that are valued where none were asked for. */
og_status family_make(request *asked, og_family *out, og_message *message);

/* The commands for these kinds; return the exit status. */
int family_solve(request *asked);
int family_query(request *asked);
int family_bound(request *asked);

#endif
