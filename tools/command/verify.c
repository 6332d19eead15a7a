/* verify: an exported policy, checked without the engine that made it. */
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/report.h"

static int run(command_request *request)
{
    static const question about = {.ask = og_task_verify, .fail = fail_by_limit};
    return answer_question(request, &about, request->file);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_verify = {
    .name = "verify",
    .summary = "check an exported optimal policy independently",
    .word = FILE_WORD(
        "FILE",
        .required = "no FILE is given: a policy that 'optgap solve --export-policy FILE' wrote",
        .once = "verify takes one policy file"),
    .brief = "Check a policy that 'optgap solve --export-policy FILE' wrote, with code that\n"
             "shares nothing with the solver but the tables of posteriors.",
    .example = "  optgap solve -T 12 --export-policy policy.txt 10x1,1\n"
               "  optgap verify policy.txt",
    .about = "Checks a policy that 'optgap solve --export-policy FILE' wrote, by code that shares "
             "nothing with the engine but the tables of posteriors: that the file is whole, that "
             "it has a legal choice for every state that its choices can reach, and what these "
             "choices are worth.",
    .details =
        "Example:\n"
        "\n"
        "  optgap solve -T 12 --export-policy policy.txt 10x1,1\n"
        "  optgap verify policy.txt\n"
        "\n"
        "Where all actions from all states reach few enough states (two million), every choice "
        "is compared with all other actions too, in fractions where doubles cannot decide and the "
        "parameters are whole numbers. Then the policy is certified to be optimal, or to be "
        "within a proved bound of that; beyond, its value is certified and not its optimality. The "
        "result says which.\n"
        "\n"
        "Exit status: 0 certified; 1 the file cannot be read; 2 there is none, it is no policy "
        "file, damaged, or not what it claims to be, and one line on standard error says where; 3 "
        "the memory "
        "limit does not hold what must be held, or the time limit or a signal ended the check.\n"
        "\n"
        "JSON: file, budget, instances, actions (\"one\" or \"all\"), states, near_ties, "
        "value, gain, error_bound, stated_value, stated_error_bound, optimality_certified, "
        "optimality_states, certificate (\"optimal\", \"within\" or \"value\"), loss_bound (the "
        "optimum is at most so much more than the value, proved; null where only the value is "
        "certified), certified (in words).",
    .options = options,
    .run = run,
};
