/* completion: what a shell needs to complete the program's words, from the tables of options. */
#include <stdio.h>
#include <string.h>

#include "heuristics/policy.h"
#include "tools/command/commands.h"
#include "tools/show/report.h"

static const char script_head[] =
    "# bash completion for optgap: eval \"$(optgap completion bash)\", or this as a file named\n"
    "# optgap in ~/.local/share/bash-completion/completions.\n"
    "_optgap()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local words='' kind=word\n"
    "    COMPREPLY=()\n"
    "    # \"--ties=first\" is three words to bash.\n"
    "    if [[ $word == = ]]; then\n"
    "        word=''\n"
    "    elif [[ $option == = ]]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n";

static const char script_tail[] =
    "    case $kind in\n"
    "    word) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\") ;;\n"
    "    list)\n"
    "        local last=${word##*,}\n"
    "        mapfile -t COMPREPLY < <(compgen -P \"${word%\"$last\"}\" -W \"$words\" -- "
    "\"$last\")\n"
    "        ;;\n"
    "    path)\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
    "        ;;\n"
    "    esac\n"
    "    # What still needs a parameter is not finished by a blank.\n"
    "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null\n"
    "    return 0\n"
    "}\n"
    "complete -F _optgap optgap\n";

static void print_policy_names(void)
{
    for (size_t i = 0; og_policy_row_at(i) != NULL; i++) {
        const og_policy_row *info = og_policy_row_at(i);
        bool needs_parameter = info->parameter[0] != '\0' && info->parameter[0] != '[';
        printf("%s%s%s", i > 0 ? " " : "", info->name, needs_parameter ? ":" : "");
    }
}

/* What the value of an option can be: its name in the help says what kind of thing it is. */
static void print_values(const og_option_row *row)
{
    const char *kind = row->argument;
    if (strcmp(kind, "FILE") == 0) {
        fputs("kind=path", stdout);
        return;
    }
    fputs("words='", stdout);
    if (strncmp(kind, "NAME", 4) == 0) {
        print_policy_names();
    } else if (row->choices != NULL) {
        fputs(row->choices, stdout);
    }
    printf("'%s", strstr(kind, "[,") != NULL ? " kind=list" : "");
}

static void print_command(const command *chosen)
{
    printf("    1:%s)\n        case $option in\n", chosen->name);
    option_list list;
    options_list(chosen, &list);
    for (int32_t i = 0; i < list.count; i++) {
        const og_option_row *row = list.row[i];
        if (row->argument != NULL) {
            printf("        --%s", row->name);
            if (row->letter != 0) {
                printf(" | -%c", row->letter);
            }
            fputs(") ", stdout);
            print_values(row);
            puts(" ;;");
        }
    }
    fputs("        *) words='", stdout);
    for (int32_t i = 0; i < list.count; i++) {
        printf("--%s ", list.row[i]->name);
    }
    fputs("--help'", stdout);
    if (chosen->word.choices != NULL) {
        printf("; [[ $word == -* ]] || words='%s'", chosen->word.choices);
    } else if (chosen->word.kind == OG_OPTION_PATH || chosen->word.kind == OG_OPTION_OUTPUT) {
        fputs("; [[ $word == -* ]] || kind=path", stdout);
    }
    puts(" ;;\n        esac\n        ;;");
}

static int run(command_request *request)
{
    (void)request;
    fputs(script_head, stdout);
    fputs("    if ((COMP_CWORD == 1)); then\n        words='", stdout);
    for (size_t i = 0; commands[i] != NULL; i++) {
        printf("%s ", commands[i]->name);
    }
    puts("help --help --version'\n    fi\n    case $((COMP_CWORD > 1)):${COMP_WORDS[1]} in");
    for (size_t i = 0; commands[i] != NULL; i++) {
        print_command(commands[i]);
    }
    puts("    esac");
    fputs(script_tail, stdout);
    return EXIT_RESULT;
}

static og_status read_shell(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    command_request *request = options;
    (void)row;
    if (request->file != NULL || strcmp(text, "bash") != 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the shell must be bash, once, and not '%.64s'", text);
    }
    request->file = text;
    return OG_OK;
}

static const og_option_row options[] = {
    OG_OPTION_LAST,
};

const command command_completion = {
    .name = "completion",
    .summary = "what a shell needs to complete these words",
    .word = {.kind = OG_OPTION_CUSTOM,
             .argument = "SHELL",
             .required = "the name of the shell is missing: optgap completion bash",
             .choices = "bash",
             .read = read_shell},
    .about = "Prints what a shell needs to complete commands, options, and the names of policies "
             "and tie rules. SHELL is bash.",
    .details = "Examples:\n"
               "\n"
               "  eval \"$(optgap completion bash)\"\n"
               "  optgap completion bash >optgap.bash\n"
               "\n"
               "The first is for this shell, or for all of them in ~/.bashrc. An installed optgap "
               "needs neither: 'meson install' puts the words where bash looks for them.",
    .options = options,
    .run = run,
};
