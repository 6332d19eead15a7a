/* Policy names: an accepted name is in the registry, has a parameter, in range, only if the policy
 * has one, and has the same meaning when read again. */
#include "heuristics/policy.h"
#include "tests/fuzz.h"

static size_t row_count(void)
{
    size_t count = 0;
    while (og_policy_row_at(count) != NULL) {
        count++;
    }
    return count;
}

/* As the row's form says; 0 where it is words. */
static void check_parameter(const og_policy_row *info, double parameter)
{
    bool fine = parameter == 0;
    if (info->form == OG_PARAMETER_PART || info->form == OG_PARAMETER_SHARE ||
        info->form == OG_PARAMETER_LOOK) {
        fine = parameter >= 0 &&
               (parameter < 1 || (info->form == OG_PARAMETER_SHARE && parameter == 1) ||
                (info->form == OG_PARAMETER_LOOK && parameter >= 2 && parameter <= OG_BUDGET_MAX &&
                 parameter == (int32_t)parameter));
    } else if (info->form == OG_PARAMETER_COUNT) {
        fine = parameter >= 1 && parameter <= OG_BUDGET_MAX && parameter == (int32_t)parameter;
    }
    fuzz_check(fine, "a parameter out of range");
}

static void check_accepted(const char *name, const og_policy_name *policy)
{
    og_policy_name again;
    fuzz_check(strcmp(policy->name, name) == 0, "another name than given");
    fuzz_check(policy->kind >= 0 && (size_t)policy->kind < row_count(), "no row of the registry");
    const og_policy_row *info = og_policy_row_at((size_t)policy->kind);
    size_t length = strlen(info->name);
    fuzz_check(strncmp(name, info->name, length) == 0, "the wrong row of the registry");
    fuzz_check(policy->has_parameter == (name[length] == ':'), "a parameter out of nowhere");
    if (policy->has_parameter) {
        fuzz_check(info->parameter[0] != '\0', "a parameter where there is none");
        check_parameter(info, policy->parameter);
        fuzz_check(og_fraction_double(policy->parameter_exact) == policy->parameter,
                   "two different parameters");
    }
    fuzz_check(og_policy_name_parse(policy->name, &again, NULL) == OG_OK &&
                   again.kind == policy->kind && again.parameter == policy->parameter,
               "not read back");
}

FUZZ_TARGET(policy)
{
    og_policy_name policy = {.kind = -7};
    og_message message = {""};
    char *name = fuzz_text(data, size);
    og_status status = og_policy_name_parse(name, &policy, &message);
    if (status == OG_OK) {
        check_accepted(name, &policy);
    } else {
        fuzz_check(status == OG_BAD_INPUT && policy.kind == -7, "a refusal writes the output");
        fuzz_check_message(&message);
    }
    free(name);
}
