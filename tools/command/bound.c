/* The command bound: upper bounds on the optimal value, without solving the problem. */
#include <stddef.h>

#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/report.h"

/* Bounds that a limit ended early are valid, but the exit status shows that they are not complete.
 */
static int finish(const command_request *request, const og_asked *asked)
{
    return finish_by_limit(request, asked, "bounds are missing, or could be tighter");
}

static int run(command_request *request)
{
    static const question about = {
        .ask = &og_question_bound, .opens = true, .fail = fail_by_limit, .finish = finish};
    return answer_question(request, &about, NULL);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(og_bound_options),
    OG_OPTION_TABLE(table_rows),
    OG_OPTION_LAST,
};

const command command_bound = {
    .name = "bound",
    .summary = "compute upper bounds, for any number of instances and labels",
    .word = INSTANCE_WORDS("10x1,1"),
    .brief = "Compute upper bounds on the optimal value (the largest expected number of\n"
             "correct calls) without solving the problem.",
    .example = "  optgap bound -T 100 50x1,1\n"
               "  optgap bound -T 40 --joint-end 6 50x1,1",
    .about =
        "Computes upper bounds on the optimal value without solving the problem.\n"
        "\n"
        "lagrangian_scalar and lagrangian_vector are Lagrangian relaxations (Hu and Frazier): each "
        "instance buys its own labels, at one price for all labels or at one for each number of "
        "labels left. prevailing_charge charges for each label of an instance its smallest Gittins "
        "index so far (Weber 1992), and adds up what the T largest charges can pay. priced_end "
        "does the same, with prices for the last labels, when few are left to choose. joint_end "
        "(--joint-end) optimizes the last labels jointly, from any state.",
    .details = "Examples:\n"
               "\n"
               "  optgap bound -T 100 50x1,1\n"
               "  optgap bound -T 40 --joint-end 6 50x1,1\n"
               "\n"
               "The bounds are proved for any prices; a search only makes them smaller. Each value "
               "is rounded up to allow for rounding errors and, with charges, for their grid. With "
               "--arithmetic exact the Lagrangian bounds are fractions.",
    .options = options,
    .families = FAMILY_BOUNDS,
    .run = run,
};
