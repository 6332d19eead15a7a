/*
 * The topics of the help: words, problem types and questions, each with its options, which come
 * from the rows of commands and families.
 */
#include <stdio.h>
#include <string.h>

#include "tools/command/commands.h"

typedef struct {
    const char *title;
    og_topic topic;
    const char *family; /* the family whose rows are listed if several have one of the same name;
                           NULL: the first */
    const char *also;   /* names of further options to list, separated by blanks */
    const char *happens, *usage, *words, *examples, *limits; /* usage NULL: it has no options */
    const char *page;                                        /* page of the manual */
} topic_text;

const char *const topic_names[] = {
    "words",      "instances", "truth",   "prices",   "features", "workers", "sources",
    "assignment", "labelers",  "ranking", "deadline", "limits",   "files",   NULL,
};

/* In the order of the names. */
static const topic_text topics[] = {
    {.title = "Words",
     .topic = OG_TOPIC_NONE,
     .happens = "instance    a thing to label, such as a picture or a comment\n"
                "label       one answer about an instance, positive or negative; can be wrong\n"
                "soft label  the probability that a label of the instance is positive\n"
                "truth       an instance is positive if its soft label is at least 1/2, or\n"
                "            another threshold\n"
                "prior       what is assumed about a soft label before the first label: a\n"
                "            distribution, usually Beta(A,B). 1,1 is uniform: all are equally\n"
                "            likely\n"
                "posterior   the distribution after labels: Beta(A + positive, B + negative)\n"
                "budget      the number of labels, -T\n"
                "policy      a rule that chooses the instance to label next\n"
                "index       a number for each instance; the largest one is labelled\n"
                "tie         equal indices; --ties chooses among them\n"
                "call        the decision at the end, positive or negative\n"
                "value       expected number of correct calls; other problem types (ranking, ...)\n"
                "            count something else, see their topics\n"
                "gain        value minus the value without labels\n"
                "optimum     the largest value of any policy; a policy that has it is optimal\n"
                "gap         the optimum minus a policy's value\n"
                "bound       a number that the optimum is proved not to exceed\n"
                "bracket     two numbers with the optimum between them\n"
                "exact       computed with a proved error, not estimated by simulation\n"
                "state       the posteriors of all instances and the labels left; memory and\n"
                "            time grow with the number of states\n"
                "regret      value lost against someone who knows more, such as the prior\n"
                "class       one of three or more answers, in place of positive and negative\n"
                "run         one repetition of a simulation, with new random numbers\n"
                "worker      a person who labels. Sources are kinds of workers with prices;\n"
                "            labelers are workers who vote in sets",
     .examples = "  optgap compare -T 2 2,1 4,2 4,4",
     .page = "reference"},
    {.title = "Instances",
     .topic = OG_TOPIC_PROBLEM,
     .family = NULL,
     .also = "left history",
     .happens = "An instance is a thing to label. Its soft label, the probability of a positive\n"
                "label, is unknown and has a prior distribution, usually Beta(A,B). At the end\n"
                "each instance is called positive or negative. The value of a policy is the\n"
                "expected number of correct calls.",
     .usage = "compare -T N [OPTION...] INSTANCE...",
     .words = "  [COUNTx]A,B[@D]    COUNT instances (default: 1) with the prior Beta(A,B); an\n"
              "                     instance is positive if its soft label is at least D\n"
              "                     (default: 0.5)\n"
              "  W:A,B+W:A,B        a mixture of Beta priors with the weights W\n"
              "  A,B,C...           3 to 10 classes with a Dirichlet prior\n"
              "  arm:FILE           a table of nodes, for processes without a prior\n"
              "  @FILE              the INSTANCEs in a file; @- reads standard input\n"
              "After P positive and N negative labels, A becomes A + P, and B becomes B + N.\n"
              "1,1 means that all soft labels are equally likely.\n"
              "Policies: optgap policies instances.",
     .examples = "  optgap compare -T 12 10x1,1\n"
                 "  optgap query -T 6 2,1@0.3 0.5:1,1+0.5:4,1\n"
                 "  optgap compare -T 3 2x1,1,1",
     .limits = "Limits: A and B from 1e-6 to 1e6; up to 10 classes or parts of a mixture.",
     .page = "reference"},
    {.title = "When the prior is wrong",
     .topic = OG_TOPIC_TRUTH,
     .family = NULL,
     .also = "",
     .happens = "Policies assume a prior (a distribution of soft labels), and their value is an\n"
                "average over it. These options evaluate policies when the prior is wrong.\n"
                "--truth: policies assume INSTANCE, but the soft labels are those given.\n"
                "--assume: labels follow INSTANCE, but policies assume another prior.",
     .usage = "compare -T N [OPTION...] INSTANCE...",
     .words = "  list:X,X,...       one soft label for each instance\n"
              "  beta:A,B           drawn from Beta(A,B) for each instance\n"
              "  grid:FROM:TO:STEP  each of these for all instances (compare)\n"
              "  prior              the prior itself\n"
              "simulate also takes dirichlet:A,A,... and list:X,X,... for scores of a ranking.",
     .examples = "  optgap compare -T 4 --truth list:.3,.9 2x1,1\n"
                 "  optgap compare -T 8 --policies kg --truth grid:.1:.9:.1 3x1,1\n"
                 "  optgap compare -T 8 --policies kg,opt-kg --assume 4,1 3x1,1",
     .limits = "Limits: --truth does not support --price and --payoff.",
     .page = "truth"},
    {.title = "Prices and payoffs",
     .topic = OG_TOPIC_PRICES,
     .family = "priced",
     .also = "",
     .happens = "With --price each label costs Z, -T is the most labels to buy, and a policy may\n"
                "stop early: it stops if no index exceeds the price. With --payoff, calls have\n"
                "different worths: TP for a positive call that is right, FP for a positive call\n"
                "that is wrong, FN for a negative call that is wrong, TN for one that is right.\n"
                "Or labels serve a probability (brier, log), an estimate (squared) or another\n"
                "worth of each posterior (table:FILE).",
     .usage = "COMMAND -T N --price=Z [OPTION...] INSTANCE...",
     .words = "Policies: optgap policies prices; default: uniform, kg, opt-kg and gittins-fh.\n"
              "uniform never stops.",
     .examples = "  optgap compare -T 6 --price 0.05 3x1,1\n"
                 "  optgap compare -T 6 --payoff 1,-2,0,1 3x1,1\n"
                 "  optgap compare -T 6 --payoff squared 3x1,1\n"
                 "  optgap simulate -T 20 --price 0.05 --runs 400 10x1,1",
     .limits = "Limits: up to 100 different prices.",
     .page = "variants"},
    {.title = "Instances with features",
     .topic = OG_TOPIC_FEATURES,
     .family = "features",
     .also = "",
     .happens = "Instances have features and share a weight vector with a normal prior. A label\n"
                "of one instance also informs about the others. The table has a line for each\n"
                "instance; its first line names the columns. The columns positive and negative,\n"
                "if present, count the labels so far.",
     .usage = "COMMAND -T N --features=FILE [OPTION...]",
     .words = "COMMAND is compare, solve, query, simulate, tree or play.\n"
              "Policies: optgap policies features.",
     .examples = "  optgap compare -T 4 --features items.tsv\n"
                 "  optgap simulate -T 200 --features items.tsv --runs 300",
     .limits = "Limits: exact values for up to 2 features; simulate plays any number.",
     .page = "variants"},
    {.title = "Workers of unknown reliability",
     .topic = OG_TOPIC_WORKERS,
     .family = "workers",
     .also = "",
     .happens = "Each label is bought from one of several workers. A worker answers like a\n"
                "reliable one with an unknown probability that has the prior Beta(A,B), otherwise\n"
                "the opposite. A choice is an instance and a worker.",
     .usage = "COMMAND -T N --workers-prior=[Nx]A,B [OPTION...] INSTANCE...",
     .words = "Policies: optgap policies workers; default: uniform, kg, opt-kg, opt-kg-exact.",
     .examples = "  optgap compare -T 3 --workers-prior 2x4,1 2x1,1\n"
                 "  optgap simulate -T 400 --at 200 --runs 40 --workers-prior 100x4,1 50x1,1",
     .limits = "Limits: exact values for up to 32 instances, 32 workers and 60 labels, in\n"
               "practice much smaller problems; simulate plays problems of any size.",
     .page = "workers"},
    {.title = "Sources of labels",
     .topic = OG_TOPIC_SOURCES,
     .family = "sources",
     .also = "",
     .happens = "Labels come from sources with different prices and accuracies, and -T is the\n"
                "money to spend. A label of a source is right with probability P. An instance A,B\n"
                "is positive with probability A/(A+B). With A,B in place of P, the accuracy is\n"
                "unknown and has the prior Beta(A,B). MOST limits the labels per instance.",
     .usage = "COMMAND -T N --source=NAME:PRICE:P[:MOST] [OPTION...] INSTANCE...",
     .words = "Policies: optgap policies sources; default: naive, kg, cheapest and dearest.",
     .examples = "  optgap compare -T 6 --source expert:3:0.95 --source crowd:1:0.7 2x1,1\n"
                 "  optgap query -T 4 --source a:1:0.7 --source b:2:3,1 2x1,1",
     .limits = "Limits: prices are whole numbers.",
     .page = "workers"},
    {.title = "Assigning workers to tasks",
     .topic = OG_TOPIC_ASSIGNMENT,
     .family = "assignment",
     .also = "counts",
     .happens = "Each task is called by the labels of workers that the policy chooses. Workers\n"
                "have accuracies, which can differ between contexts (kinds of tasks). They are\n"
                "known (--accuracies) or have a prior (--workers-prior). The value is the\n"
                "expected share of tasks called correctly. An INSTANCE is [COUNTx]S: COUNT tasks\n"
                "of the context S.",
     .usage = "COMMAND -T N --problem assignment [OPTION...] INSTANCE...",
     .words = "COMMAND is compare, solve, query, bound, simulate, tree or play. --gold,\n"
              "--crowd, --contexts, --kmeans and --data are for simulate.\n"
              "Policies: optgap policies assignment.",
     .examples = "  optgap compare -T 2 --problem assignment --workers-prior 2x4,1 1\n"
                 "  optgap compare -T 4 --problem assignment --accuracies 0.9,0.6 3x1",
     .limits = "Limits: exact values for up to 31 workers, in practice a few tasks.",
     .page = "workers"},
    {.title = "Choosing labelers",
     .topic = OG_TOPIC_LABELERS,
     .family = "labelers",
     .also = "",
     .happens = "Tasks come one by one, and the policy chooses a set of labelers, whose majority\n"
                "decides; the truth is never revealed. The value is the expected number of right\n"
                "labels. Each INSTANCE word is the accuracy of a labeler; with --accuracy-prior,\n"
                "accuracies are uncertain.",
     .usage = "COMMAND -T N --problem labelers [OPTION...] ACCURACY...",
     .words = "--drop and --contexts are for simulate.\n"
              "Policies: optgap policies labelers.",
     .examples = "  optgap compare -T 2 --problem labelers 0.9 0.7 0.6\n"
                 "  optgap compare -T 2 --problem labelers --accuracy-prior orders 0.9 0.7 0.6\n"
                 "  optgap simulate -T 100 --problem labelers --runs 100 0.9 0.7 0.6",
     .limits = "Limits: up to 9 labelers, with simulate 30.",
     .page = "labelers"},
    {.title = "Ranking by comparisons",
     .topic = OG_TOPIC_RANKING,
     .family = "ranking",
     .also = "history truth counts",
     .happens = "Items have unknown scores. Item i beats item j with probability\n"
                "score_i / (score_i + score_j). The budget buys comparisons of two items; at\n"
                "the end all items are ranked. The value of a policy is the expected share of\n"
                "pairs in the right order.",
     .usage = "COMMAND --problem ranking -T N [OPTION...] INSTANCE...",
     .words = "COMMAND is compare, solve, query, bound, simulate, tree or play. -T counts\n"
              "comparisons. An INSTANCE is [COUNTx]A: COUNT items with the parameter A of a\n"
              "Dirichlet prior. Policies: optgap policies ranking.\n"
              "  compare, query     uniform, kg-exact, akg, distance, sorting\n"
              "  simulate only      akg-printed, rc+uniform, rc+akg, adaptive-polling, crowd-bt\n"
              "distance, akg-printed and adaptive-polling need reliable workers; crowd-bt\n"
              "needs --workers-prior.",
     .examples = "  optgap compare -T 8 --problem ranking 3x1\n"
                 "  optgap query -T 2 --problem ranking --history \"1>2\" 3x1\n"
                 "  optgap compare -T 4 --problem ranking --workers-prior 2x4,1 3x1\n"
                 "  optgap simulate -T 10 --problem ranking --runs 20 --counts 4x1\n"
                 "  optgap replay --pairs pairs.tsv --gold scores.tsv --policies akg,uniform",
     .limits = "Limits: exact values for up to 6 items and 8 workers, in practice 2 to 4 items\n"
               "(no fractions); simulation for up to 1000 items and 1000 workers.",
     .page = "ranking"},
    {.title = "Labels that take time",
     .topic = OG_TOPIC_DEADLINE,
     .family = NULL,
     .also = "",
     .happens = "A label arrives some time after its choice. --batch: B labels are chosen\n"
                "before any of them is seen. --deadline: workers arrive in slots of time, and a\n"
                "label takes some slots. --arrival-rate: workers arrive and work at random times,\n"
                "and the number of arrivals replaces -T; replay has it for recorded labels.",
     .usage = "COMMAND -T N --batch=B or --deadline=D [OPTION...] INSTANCE...",
     .words = "Policies: optgap policies deadline; default: uniform, kg, opt-kg, gittins-fh,\n"
              "and hu-frazier without --batch.",
     .examples = "  optgap compare -T 10 --batch 5 4x1,1\n"
                 "  optgap compare -T 4 --deadline 6 --slot-service 2 2x1,1\n"
                 "  optgap compare --arrivals 4 --arrival-rate 2 --service-rate 1 2x1,1",
     .limits = "Limits: up to 10000 slots.",
     .page = "time"},
    {.title = "Limits of time and memory",
     .topic = OG_TOPIC_LIMITS,
     .family = NULL,
     .also = "dry-run",
     .happens = "The time to compute an optimum grows fast with the number of labels and of\n"
                "different instances. If a limit is reached, or at Ctrl-C, the program prints\n"
                "the results proved so far and exits with status 3.",
     .usage = "COMMAND -T N [OPTION...] INSTANCE...",
     .words = "With --checkpoint, the same command continues after an interruption.",
     .examples = "  optgap solve -T 100 --dry-run 50x1,1\n"
                 "  optgap compare -T 20 --time-limit 60 --checkpoint saved.ogc 10x1,1\n"
                 "  optgap bound -T 100 1000x1,1",
     .limits = "Limits: up to 1000000 labels. 'optgap bound' and 'optgap simulate' compute no\n"
               "optimum and take much larger problems.",
     .page = "limits"},
    {.title = "Files",
     .topic = OG_TOPIC_FILES,
     .family = NULL,
     .also = "",
     .happens = "A table of labels has the columns task, worker and label, or usual names such\n"
                "as item, annotator and answer, separated by tabs, commas, semicolons or |. True\n"
                "labels have the columns task and gold or label; comparisons worker, left, right\n"
                "and label; scores item and score. Files can be compressed with gzip; - is\n"
                "standard input. Exports of Label Studio, Prodigy, Mechanical Turk, Toloka and\n"
                "doccano are read as they are. A study has a JSON object on each line.",
     .usage = "labels, next, fit, replay, solve, verify, sweep, plot, report",
     .words = "'optgap labels FILE' prints how a file is read. Outputs are written whole.",
     .examples = "  optgap labels --gold gold.tsv labels.tsv\n"
                 "  optgap next --labels labels.tsv -T 40 --batch 5 -o today.tsv\n"
                 "  optgap solve -T 12 --export-policy policy.txt 10x1,1",
     .limits = "Limits: see man optgap-COMMAND.",
     .page = "reference"},
};

enum { ROOM = 200 };

static bool is_named(const char *words, const char *name)
{
    size_t length = strlen(name);
    const char *at = strstr(words, name);
    return at != NULL && (at == words || at[-1] == ' ') && strchr(" ", at[length]) != NULL;
}

/* Prints the rows of compare and of all families, then those of other commands, each name once. */
static void print_options(const topic_text *about, const og_family *wanted)
{
    const og_option_row *shown[ROOM];
    int32_t count = 0;
    for (int i = -1; i < 0 || commands[i] != NULL; i++) {
        option_list list;
        options_list(i < 0 ? &command_compare : commands[i], wanted, &list);
        for (int32_t j = 0; j < list.count; j++) {
            const og_option_row *row = list.row[j];
            bool files = about->topic == OG_TOPIC_FILES || i < 0;
            bool meant = !row->hidden && ((row->topic == about->topic && files) ||
                                          is_named(about->also, row->name));
            for (int32_t k = 0; k < count; k++) {
                meant = meant && strcmp(shown[k]->name, row->name) != 0;
            }
            if (meant && count < ROOM) {
                shown[count++] = row;
                print_option(row, false);
            }
        }
    }
}

bool print_topic(const char *name)
{
    size_t at = 0;
    while (topic_names[at] != NULL && strcmp(topic_names[at], name) != 0) {
        at++;
    }
    if (strcmp(name, "topics") == 0) {
        puts("policies");
        for (size_t i = 0; topic_names[i] != NULL; i++) {
            puts(topic_names[i]);
        }
        return true;
    }
    if (topic_names[at] == NULL) {
        return false;
    }
    const topic_text *about = &topics[at];
    const og_family *wanted = NULL;
    for (int i = 0; about->family != NULL && og_families[i] != NULL; i++) {
        wanted = strcmp(og_families[i]->name, about->family) == 0 ? og_families[i] : wanted;
    }
    printf("%s\n\n%s\n", about->title, about->happens);
    if (about->usage != NULL) {
        printf("\nUsage: optgap %s\n%s\n\nOptions\n", about->usage, about->words);
        print_options(about, wanted);
    }
    printf("\nExamples\n%s\n\n%s%sManual: man 7 optgap-%s\n", about->examples,
           about->limits != NULL ? about->limits : "", about->limits != NULL ? "\n" : "",
           about->page);
    return true;
}
