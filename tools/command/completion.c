/*
 * The command completion: a shell script that completes the words of the program, made from the
 * tables of options. For each shell, a few functions print what surrounds the script, a command and
 * an option. All shells offer the same words.
 */
#include <stdio.h>
#include <string.h>

#include "heuristics/policy.h"
#include "tools/command/commands.h"
#include "tools/show/report.h"

static const char bash_head[] =
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

static const char bash_tail[] =
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

static const char zsh_head[] = "#compdef optgap\n"
                               "# zsh completion for optgap: eval \"$(optgap completion zsh)\", or "
                               "this as a file named _optgap\n"
                               "# in a folder of $fpath.\n";

static const char zsh_body[] = "_optgap()\n"
                               "{\n"
                               "    local -a rows\n"
                               "    case $((CURRENT > 2)):$words[2] in\n";

static const char zsh_tail[] =
    "    esac\n"
    "    if ((CURRENT > 2)); then\n"
    "        shift words\n"
    "        ((CURRENT--))\n"
    "    elif [[ $PREFIX != -* ]]; then\n"
    "        _describe command rows\n"
    "        return\n"
    "    else\n"
    "        rows=('--help[print this help]' '--version[print the version]')\n"
    "    fi\n"
    "    _arguments -S $rows\n"
    "}\n"
    "if [[ $funcstack[1] == _optgap ]]; then\n"
    "    _optgap \"$@\"\n"
    "else\n"
    "    compdef _optgap optgap\n"
    "fi\n";

static const char fish_head[] =
    "# fish completion for optgap: optgap completion fish | source, or this as a file named "
    "optgap.fish\n"
    "# in ~/.config/fish/completions.\n"
    "complete -c optgap -f\n"
    "complete -c optgap -n __fish_use_subcommand -s h -l help -d 'print this help'\n"
    "complete -c optgap -n __fish_use_subcommand -l version -d 'print the version'\n";

typedef enum {
    ANY_POLICY,
    POLICY_ALONE,         /* is a whole word */
    POLICY_BEFORE_A_COLON /* needs a parameter */
} policy_form;

/* The possible values of an option, recognized from the name of its value in the help. */
typedef enum { VALUE_FREE, VALUE_PATH, VALUE_POLICY, VALUE_CHOICE } value_kind;

static value_kind value_of(const og_option_row *row)
{
    if (row->kind == OG_OPTION_PATH || row->kind == OG_OPTION_OUTPUT ||
        strcmp(row->argument, "FILE") == 0 || strcmp(row->argument, "FOLDER") == 0) {
        return VALUE_PATH;
    }
    if (row->topic == OG_TOPIC_POLICIES && strncmp(row->argument, "NAME", 4) == 0) {
        return VALUE_POLICY;
    }
    return row->choices != NULL ? VALUE_CHOICE : VALUE_FREE;
}

/* A file is the first word, choices are the others: "STUDY.jsonl KIND". */
static bool takes_a_file_first(const og_option_row *word)
{
    return word->choices != NULL && strchr(word->argument, ' ') != NULL;
}

static void print_help_words(void)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        printf("%s ", commands[i]->name);
    }
    for (size_t i = 0; topic_names[i] != NULL; i++) {
        printf("%s%s", i > 0 ? " " : "", topic_names[i]);
    }
}

static bool takes_a_list(const og_option_row *row)
{
    return strstr(row->argument, "[,") != NULL || strstr(row->argument, ",...") != NULL;
}

static void print_policy_names(policy_form form)
{
    const char *blank = "";
    for (size_t i = 0; og_policy_row_at(i) != NULL; i++) {
        const og_policy_row *info = og_policy_row_at(i);
        bool colon = info->parameter[0] != '\0' && info->parameter[0] != '[';
        if (form == ANY_POLICY || colon == (form == POLICY_BEFORE_A_COLON)) {
            printf("%s%s%s", blank, info->name, colon ? ":" : "");
            blank = " ";
        }
    }
}

/* Prints a text inside single quotes: a quote becomes `quote`, and each of `special` gets a
 * backslash. */
static void print_quoted(const char *text, size_t length, const char *special, const char *quote)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'') {
            fputs(quote, stdout);
        } else {
            printf("%s%c", strchr(special, text[i]) != NULL ? "\\" : "", text[i]);
        }
    }
}

static void print_bash_value(const og_option_row *row)
{
    value_kind kind = value_of(row);
    if (kind == VALUE_PATH) {
        fputs("kind=path", stdout);
        return;
    }
    fputs("words='", stdout);
    if (kind == VALUE_POLICY) {
        print_policy_names(ANY_POLICY);
    } else if (kind == VALUE_CHOICE) {
        fputs(row->choices, stdout);
    }
    printf("'%s", takes_a_list(row) ? " kind=list" : "");
}

static void print_bash_command(const command *chosen, const option_list *list)
{
    printf("    1:%s)\n        case $option in\n", chosen->name);
    for (int32_t i = 0; i < list->count; i++) {
        const og_option_row *row = list->row[i];
        if (row->argument != NULL && option_shown(chosen, row)) {
            printf("        --%s", row->name);
            if (row->letter != 0) {
                printf(" | -%c", row->letter);
            }
            fputs(") ", stdout);
            print_bash_value(row);
            puts(" ;;");
        }
    }
    fputs("        *) words='", stdout);
    for (int32_t i = 0; i < list->count; i++) {
        if (option_shown(chosen, list->row[i])) {
            printf("--%s ", list->row[i]->name);
        }
    }
    fputs("--help --help-all'", stdout);
    if (chosen->word.argument != NULL && value_of(&chosen->word) == VALUE_CHOICE) {
        printf("; [[ $word == -* ]] || { words='%s'%s; }", chosen->word.choices,
               takes_a_file_first(&chosen->word) ? "; ((COMP_CWORD > 2)) || kind=path" : "");
    } else if (chosen->word.argument != NULL && value_of(&chosen->word) == VALUE_PATH) {
        fputs("; [[ $word == -* ]] || kind=path", stdout);
    }
    puts(" ;;\n        esac\n        ;;");
}

static void print_bash_head(void)
{
    fputs(bash_head, stdout);
    fputs("    if ((COMP_CWORD == 1)); then\n        words='", stdout);
    for (size_t i = 0; commands[i] != NULL; i++) {
        printf("%s ", commands[i]->name);
    }
    puts("help --help --version'\n    fi\n    case $((COMP_CWORD > 1)):${COMP_WORDS[1]} in");
}

static void print_bash_tail(void)
{
    fputs("    1:help) words='", stdout);
    print_help_words();
    puts("' ;;\n    esac");
    fputs(bash_tail, stdout);
}

/* ":FILE:_files": the name of the value, and the function that lists values. */
static void print_zsh_value(const og_option_row *row)
{
    const char *list = takes_a_list(row) ? "_sequence " : "";
    fputs(":", stdout);
    print_quoted(row->argument, strlen(row->argument), "[]:", "'\\''");
    fputs(":", stdout);
    switch (value_of(row)) {
    case VALUE_PATH:
        fputs("_files", stdout);
        break;
    case VALUE_POLICY:
        printf("%s_optgap_policies", list);
        break;
    case VALUE_CHOICE:
        printf("%scompadd - %s", list, row->choices);
        break;
    case VALUE_FREE:
        break;
    }
}

static void print_zsh_option(const og_option_row *row, const char *name)
{
    printf("            '*%s[", name);
    print_quoted(row->brief, strlen(row->brief), "[]:", "'\\''");
    putchar(']');
    if (row->argument != NULL) {
        print_zsh_value(row);
    }
    puts("'");
}

static void print_zsh_command(const command *chosen, const option_list *list)
{
    printf("    1:%s)\n        rows=(\n", chosen->name);
    for (int32_t i = 0; i < list->count; i++) {
        const og_option_row *row = list->row[i];
        if (!option_shown(chosen, row)) {
            continue;
        }
        char name[64];
        snprintf(name, sizeof(name), "--%s%s", row->name, row->argument != NULL ? "=" : "");
        print_zsh_option(row, name);
        if (row->letter != 0) {
            snprintf(name, sizeof(name), "-%c%s", row->letter, row->argument != NULL ? "+" : "");
            print_zsh_option(row, name);
        }
    }
    puts("            '(- *)'{-h,--help}'[print this help]'\n"
         "            '(- *)--help-all[print every option]'");
    if (takes_a_file_first(&chosen->word)) {
        puts("            '1:FILE:_files'");
    }
    if (chosen->word.argument != NULL) {
        fputs("            '*", stdout);
        print_zsh_value(&chosen->word);
        puts("'");
    }
    puts("        )\n        ;;");
}

static void print_zsh_head(void)
{
    fputs(zsh_head, stdout);
    fputs("_optgap_policies()\n{\n    compadd \"$@\" - ", stdout);
    print_policy_names(POLICY_ALONE);
    fputs("\n    compadd \"$@\" -S '' - ", stdout);
    print_policy_names(POLICY_BEFORE_A_COLON);
    puts("\n}");
    fputs(zsh_body, stdout);
    puts("    0:*)\n        rows=(");
    for (size_t i = 0; commands[i] != NULL; i++) {
        printf("            '%s:", commands[i]->name);
        print_quoted(commands[i]->summary, strlen(commands[i]->summary), "", "'\\''");
        puts("'");
    }
    puts("            'help:what a command does, or a topic'\n        )\n        ;;");
}

static void print_zsh_tail(void)
{
    fputs("    1:help)\n        rows=('1:COMMAND:compadd - ", stdout);
    print_help_words();
    puts("')\n        ;;");
    fputs(zsh_tail, stdout);
}

/* The possible values of an option or a word, as arguments of fish's complete. */
static void print_fish_value(const og_option_row *row)
{
    const char *list = takes_a_list(row) ? "__fish_complete_list , " : "";
    switch (value_of(row)) {
    case VALUE_PATH:
        fputs(" -r -F", stdout);
        break;
    case VALUE_POLICY:
        printf(" -x -a '(%s__optgap_policies)'", list);
        break;
    case VALUE_CHOICE:
        printf(" -x -a '%s%s%s'",
               takes_a_list(row) ? "(__fish_complete_list , \"string split , " : "", row->choices,
               takes_a_list(row) ? "\")" : "");
        break;
    case VALUE_FREE:
        fputs(" -x", stdout);
        break;
    }
}

static void print_fish_command(const command *chosen, const option_list *list)
{
    const char *start = "complete -c optgap -n '__fish_seen_subcommand_from";
    for (int32_t i = 0; i < list->count; i++) {
        const og_option_row *row = list->row[i];
        if (!option_shown(chosen, row)) {
            continue;
        }
        printf("%s %s' -l %s", start, chosen->name, row->name);
        if (row->letter != 0) {
            printf(" -s %c", row->letter);
        }
        if (row->argument != NULL) {
            print_fish_value(row);
        }
        fputs(" -d '", stdout);
        print_quoted(row->brief, strlen(row->brief), "\\", "\\'");
        puts("'");
    }
    printf("%s %s' -s h -l help -d 'print this help'\n", start, chosen->name);
    printf("%s %s' -l help-all -d 'print every option'\n", start, chosen->name);
    if (chosen->word.argument != NULL && value_of(&chosen->word) == VALUE_PATH) {
        printf("%s %s' -F\n", start, chosen->name);
    } else if (takes_a_file_first(&chosen->word)) {
        const char *count = "; and test (count (commandline -opc))";
        printf("%s %s%s -eq 2' -F\n", start, chosen->name, count);
        printf("%s %s%s -gt 2' -a '%s'\n", start, chosen->name, count, chosen->word.choices);
    } else if (chosen->word.argument != NULL && value_of(&chosen->word) == VALUE_CHOICE) {
        printf("%s %s' -a '%s'\n", start, chosen->name, chosen->word.choices);
    }
}

static void print_fish_head(void)
{
    fputs(fish_head, stdout);
    fputs("function __optgap_policies\n    string split ' ' '", stdout);
    print_policy_names(ANY_POLICY);
    puts("'\nend");
    for (size_t i = 0; commands[i] != NULL; i++) {
        printf("complete -c optgap -n __fish_use_subcommand -a %s -d '", commands[i]->name);
        print_quoted(commands[i]->summary, strlen(commands[i]->summary), "\\", "\\'");
        puts("'");
    }
    puts(
        "complete -c optgap -n __fish_use_subcommand -a help -d 'what a command does, or a topic'");
}

static void print_fish_tail(void)
{
    fputs("complete -c optgap -n '__fish_seen_subcommand_from help' -a '", stdout);
    print_help_words();
    puts("'");
}

typedef struct {
    const char *name;
    void (*head)(void);
    void (*command)(const command *chosen, const option_list *list);
    void (*tail)(void);
} shell;

static const shell shells[] = {
    {"bash", print_bash_head, print_bash_command, print_bash_tail},
    {"zsh", print_zsh_head, print_zsh_command, print_zsh_tail},
    {"fish", print_fish_head, print_fish_command, print_fish_tail},
};
enum { SHELL_COUNT = sizeof(shells) / sizeof(shells[0]) };

/* NULL if there is no shell of that name. */
static const shell *shell_named(const char *name)
{
    for (size_t i = 0; i < SHELL_COUNT; i++) {
        if (strcmp(shells[i].name, name) == 0) {
            return &shells[i];
        }
    }
    return NULL;
}

static int run(command_request *request)
{
    const shell *chosen = shell_named(request->wish.file);
    chosen->head();
    for (size_t i = 0; commands[i] != NULL; i++) {
        option_list list;
        options_list(commands[i], NULL, &list);
        chosen->command(commands[i], &list);
    }
    chosen->tail();
    return EXIT_RESULT;
}

static og_status read_shell(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    command_request *request = options;
    (void)row;
    if (request->wish.file != NULL || shell_named(text) == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the shell must be one of bash, zsh and fish, not '%.64s'", text);
    }
    request->wish.file = text;
    return OG_OK;
}

static const og_option_row options[] = {
    OG_OPTION_LAST,
};

const command command_completion = {
    .name = "completion",
    .summary = "print a completion script for bash, zsh or fish",
    .word = {.kind = OG_OPTION_CUSTOM,
             .argument = "SHELL",
             .required = "the name of the shell is missing: optgap completion bash",
             .choices = "bash zsh fish",
             .read = read_shell},
    .brief = "Print a completion script for bash, zsh or fish.",
    .example = "  optgap completion bash\n"
               "  optgap completion zsh >_optgap\n"
               "  optgap completion fish >optgap.fish",
    .about = "Prints a completion script for commands, options, and the names of policies and tie "
             "rules. SHELL is bash, zsh or fish.",
    .details = "Examples:\n"
               "\n"
               "  eval \"$(optgap completion bash)\"\n"
               "  optgap completion zsh >_optgap\n"
               "  optgap completion fish >optgap.fish\n"
               "\n"
               "The first line is for the current bash, or for ~/.bashrc. The other files belong "
               "in a folder of zsh's $fpath and in ~/.config/fish/completions. 'meson install' "
               "installs all three.",
    .options = options,
    .run = run,
};
