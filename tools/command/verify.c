/* The command verify: checks an exported policy without the engine that made it. */
#include "tools/command/commands.h"
#include "tools/command/open.h"

static og_status check_file(const command_request *request, og_message *message)
{
    return request->wish.file != NULL
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT, "%s", command_verify.word.required);
}

static int run(command_request *request)
{
    const question about = {.ask = &og_question_verify,
                            .opens =
                                request->family != NULL && request->family->model.verify != NULL,
                            .check = check_file,
                            .fail = fail_by_limit};
    return answer_question(request, &about, request->wish.file);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(og_verify_options),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_verify = {
    .name = "verify",
    .summary = "check an exported optimal policy independently",
    .word = FILE_WORD(
        "FILE",
        .required = "no FILE is given: a policy that 'optgap solve --export-policy FILE' wrote"),
    .brief = "Check a policy written with 'optgap solve --export-policy FILE', with code that\n"
             "shares only the tables of posteriors with the solver.",
    .example = "  optgap solve -T 12 --export-policy policy.txt 10x1,1\n"
               "  optgap verify policy.txt",
    .about = "Checks a policy written with 'optgap solve --export-policy FILE', with code that "
             "shares only the tables of posteriors with the solver: that the file is complete, "
             "that it has a legal choice for every state that its choices can reach, and that its "
             "value is the stated one.",
    .details =
        "Example:\n"
        "\n"
        "  optgap solve -T 12 --export-policy policy.txt 10x1,1\n"
        "  optgap verify policy.txt\n"
        "\n"
        "If all choices in all states reach at most two million states, each choice is also "
        "compared with all others. Fractions decide if doubles cannot and the parameters are whole "
        "numbers. Then the policy is certified as optimal, or as within a proved bound of the "
        "optimum. Otherwise only its value is certified. The result states which.\n"
        "\n"
        "With --process FILE is a table of states and acts, as 'optgap solve --process' exports "
        "it. "
        "Its value is a sum over the states that it reaches, without the solver's values.\n"
        "\n"
        "Exit status: 0 certified; 1 the file cannot be read; 2 the file is missing, is not a "
        "policy, is damaged or makes a false claim, with one line on standard error that says "
        "where; 3 the memory limit is too small, or the time limit or a signal ended the check.",
    .options = options,
    .families = FAMILY_FILES,
    .run = run,
};
