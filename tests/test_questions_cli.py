#!/usr/bin/env python3
"""An option that a question does not use is refused, with one sentence that names both.

    test_questions_cli.py PROGRAM [unittest option...]

Every option of a command is given alone to each of its questions: either the answer changes, or the option
has no effect here (WITHOUT_EFFECT has the reason), or it is refused: half of them, or all with TEST_SCALE=2. The
same for all commands and families: every fortieth of their cases; TEST_SEED=N selects others, TEST_SCALE=40 all
of them.
"""

import concurrent.futures
import itertools
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
from cli import SCALE, SEED, FolderCase, some  # noqa: E402
from test_cli import run  # noqa: E402

TRIAL = pathlib.Path(__file__).resolve().parent.parent / "tools/examples/trial.py"

# A value for each option, other than the default.
VALUES = {
    "at": "1,2", "batch": "2", "budget": "3", "checkpoint-every": "10", "contexts": "CONTEXTS",
    "crowd": "one-coin:2", "data": "DATA", "drop": "0.9", "drop-exponent": "2", "order": "file", "explore": "0,0", "fill": "none",
    "final-ties": "positive", "gold": "GOLD", "kmeans": "2", "labels": "MORE", "problem": "labels",
    "pairs": "PAIRS", "payoff": "3,0,0,1", "policies": "uniform", "policy": "uniform",
    "max-answer-time": "3", "price": "0.001", "prior": "3,1", "votes": "weighted", "runs": "3", "seed": "7",
    "threads": "1", "memory": "100M", "time-limit": "60", "tie-tolerance": "0.001", "ties": "first",
    "workers-prior": "3,1", "output": "out.tsv", "tasks": "MORETASKS", "closed": "CLOSED", "workers-free": "FREE",
    "source": "w0:1:0.8", "max-per-task": "4", "per-batch": "2", "model-strength": "2", "columns": "task=task",
    "missing": "7", "encoding": "latin1", "format": "table", "classes": "0,1", "repeats": "first", "positive": "0", "draws": "drop",
    "trace": "trace.tsv", "result": "result.tsv", "arrival-rate": "0.5", "service-rate": "0.1", "arrivals": "12", "holdout": "first:5",
    "method": "moments", "events": "EVENTS",
    "task-priors": "TASKPRIORS", "worker-priors": "WORKERPRIORS",
}
OWN_VALUES = {("replay", "tasks"): "3"}
# They change how, not what is computed: the answer is the same, as other tests check.
WITHOUT_EFFECT = {"no-times", "threads", "memory", "time-limit", "quiet", "max-answer-time", "tie-tolerance",
                  "problem", "final-ties", "labels", "trace", "gold", "columns", "missing", "encoding", "format", "classes", "repeats",
                  "positive", "draws"}
TABLES = {
    "LABELS": ["task\tworker\tlabel"] + [f"t{i}\tw{j}\t{i % 2 ^ (j > 2 and i % j < 2)}"
                                        for i in range(12) for j in range(5)],
    "MORE": ["task\tworker\tlabel", "t0\tw0\t1", "t1\tw0\t0"],
    "SOURCED": ["task\tworker\tlabel", *(f"t{i}\ta\t{i % 3 % 2}" for i in range(12))],
    "GOLD": ["task\tlabel"] + [f"t{i}\t{i % 2}" for i in range(12)],
    "PAIRS": ["worker\tleft\tright\tlabel"] + [f"w{i % 2}\t{a}\t{b}\t{a if i % 3 else b}"
                                               for i, (a, b) in enumerate(["ab", "bc", "ac", "ab", "bc", "ca"])],
    "MORETASKS": ["task", "more"], "CLOSED": ["task", *(f"t{i}" for i in range(11))], "FREE": ["worker", "new"],
    "EVENTS": ["event\ttask", *["arrive\t"] * 9],
    "FEATURES": ["x\ty", "1\t0", "0\t1", "1\t1"], "COVARIANCE": ["x\ty", "2\t1", "1\t1"],
    "TASKPRIORS": ["task\ta\tb"] + [f"t{i}\t{1 + i % 2}\t3" for i in range(12)],
    "WORKERPRIORS": ["worker\tc\td"] + [f"w{j}\t{1 + j}\t2" for j in range(5)],
    "SCORES": ["item\tscore", "a\t1", "b\t2", "c\t3"],
    "CONTEXTS": ["task\tcontext"] + [f"t{i}\t{i % 2}" for i in range(12)],
    "DATA": ["task\tx"] + [f"t{i}\t{i * i}" for i in range(12)],
}
NOT_THE_ANSWER = r'"(command|seconds|table_seconds|commit)": [^\n]*'
RUNS = ["--runs", "2"]
QUESTIONS = {
    ("replay", "--labels"): ["--labels", "LABELS", "--gold", "GOLD", *RUNS],
    ("replay", "--labels with --workers-prior"): ["--labels", "LABELS", "--gold", "GOLD", "--workers-prior", "4,1",
                                                  "--policies", "opt-kg,kos:1", *RUNS],
    ("replay", "--labels with --arrival-rate"): ["--labels", "LABELS", "--gold", "GOLD", "--arrival-rate", "1", "--service-rate",
                                                 "1", "--arrivals", "9", "--holdout", "4", *RUNS],
    ("replay", "--pairs"): ["--pairs", "PAIRS", "--gold", "SCORES", *RUNS],
    ("replay", "--problem labelers"): ["--problem", "labelers", "--labels", "LABELS", "--gold", "GOLD", "--counts", "--at", "3", *RUNS],
    ("replay", "--problem assignment"): ["--problem", "assignment", "--labels", "LABELS", "--gold", "GOLD",
                                           "--policies", "naive,opt-kg", *RUNS],
    ("next", "--source"): ["--labels", "SOURCED", "--source", "a:1:0.7", "--budget", "40", "--batch", "20"],
    ("next", "--tasks"): ["--tasks", "GOLD", "--budget", "60", "--batch", "20"],
    ("simulate", "--gold"): ["--problem", "assignment", "--gold", "GOLD", "--crowd", "one-coin:3", "--budget", "9", "--policies", "naive,opt-kg",
                             *RUNS],
    ("next", "--final"): ["--labels", "LABELS", "--prior", "1,1", "--final"],
    ("next", "the next tasks"): ["--labels", "LABELS", "--prior", "1,1", "--budget", "40", "--batch", "20"],
    ("next", "--pairs"): ["--pairs", "PAIRS"],
    ("next", "--pairs --final"): ["--pairs", "PAIRS", "--final"],
}

# ---- commands and families ----

FAMILIES = {
    "independent": ["-T", "3", "2,1", "2x1,1"],
    "delayed": ["--arrival-rate", "1", "--service-rate", "0.5", "--arrivals", "3", "2,1", "2x1,1"],
    "batch": ["--batch", "2", "-T", "4", "2,1", "2x1,1"],
    "deadline": ["--deadline", "4", "-T", "3", "2,1", "2x1,1"],
    "workers": ["--workers-prior", "2x2,1", "-T", "3", "2,1", "1,1"],
    "features": ["--features", "FEATURES", "-T", "2"],
    "ranking": ["--problem", "ranking", "-T", "3", "2", "2x1"],
    "crowd": ["--problem", "ranking", "--workers-prior", "2,1", "-T", "3", "2", "2x1"],
    "sources": ["--source", "a:1:0.8", "--source", "b:2:0.9", "-T", "3", "2,1", "1,1"],
    "priced": ["--price", "0.02", "-T", "3", "2,1", "2x1,1"],
    "bandit": ["--problem", "bandit", "-T", "3", "2,1", "2x1,1"],
    "labelers": ["--problem", "labelers", "--cost", "0.5", "-T", "3", "0.9", "0.8", "0.7", "0.6"],
    "hypotheses": ["--problem", "labelers", "--accuracy-prior", "orders", "--cost", "0.5", "-T", "2", "0.9", "0.7", "0.6"],
    "assignment": ["--problem", "assignment", "--accuracies", "0.9,0.6", "-T", "2", "2x1"],
    "process": ["--process", f"command:python3 {TRIAL} 3 5"],
}
ASKED = {
    **{command: [command] for command in ("solve", "query", "bound", "compare", "tree")},
    "simulate": ["simulate", "--runs", "8"],
    "compare --truth": ["compare", "--truth", "list:0.3,0.8,0.6"],
    "compare --assume": ["compare", "--assume", "2,2"],
    "compare --reach": ["compare", "--reach", "0.65"],
}
GIVEN = {
    **VALUES, "budget": "1", "left": "1", "history": "1+", "policy": "kg-star", "policies": "uniform,kg-star",
    "problem": "bandit", "arithmetic": "exact", "engine": "recursion", "checkpoint": "CHECKPOINT", "scratch": ".",
    "export-policy": "POLICY", "export-model": "model.drn", "ranks": "2", "arrival-rate": "2",
    "service-rate": "2", "arrivals": "2", "batch": "3", "deadline": "2", "slot-arrivals": "0.5", "slot-service": "2",
    "features": "FEATURES", "weight-mean": "0.5", "weight-sd": "2", "weight-covariance": "COVARIANCE", "source": "c:1:0.9", "price": "0.3",
    "explore": "2,2", "accuracy-prior": "orders", "cost": "0.1", "cost-weight": "0.3", "votes": "weighted:1.5", "sets": "all,nobody", "contexts": "2",
    "accuracies": "0.9,0.8", "crowd": "one-coin:2", "regret-on": "LABELS", "max-histories": "1", "ties": "first",
    "truth": "list:0.1,0.9,0.5", "assume": "3,1", "reach": "0.6", "max-index-time": "50",
    "joint-end": "1", "format": "dot", "font": "serif,12", "size": "6x4", "states": "2", "levels": "1", "output": "tree.svg",
    "max-policy-states": "1000", "max-states": "1000000", "against": "kg", "process": f"command:python3 {TRIAL} 2 5",
}
# They change how, not what is computed; or name a file; or are limits far above these problems.
HOW = {"threads", "memory", "time-limit", "quiet", "engine", "scratch", "checkpoint", "max-index-time", "max-policy-states",
       "max-states", "output", "states", "json", "no-times", "csv", "latex", "help", "help-all"}
# Read, but without effect on some of these problems.
AT_TIMES = {
    "runs": "of policies that have no exact value", "seed": "the same", "votes": "no sum of log odds is so near 0",
    "sets": "the best set is odd, and worth its cost", "whole": "there are no mirror images",
    "ties": "nothing ties", "max-histories": "no policy depends on the order of labels", "explore": "ls-ol is too short",
    "trace": "it goes to a file", "all-actions": "all are optimal", "late-labels": "nothing is under way at the deadline",
}


def options_of(command):
    """Long names, and whether each takes a value."""
    text = run(command, "--help-all").stdout
    found = re.findall(r"(?m)^\s+(?:-\w, )?--([\w-]+)(=|\[=)?", text)
    return {name: value != "" for name, value in found}


class QuestionsTest(FolderCase):
    def setUp(self):
        super().setUp()
        for name, lines in TABLES.items():
            (self.folder / name).write_text("\n".join(lines) + "\n")

    def ask(self, command, line, *more):
        done = run(command, *line, *more, folder=self.folder)
        out = re.sub(NOT_THE_ANSWER, "", done.stdout)
        return done.returncode, out, done.stderr

    def cases(self):
        for (command, name), line in QUESTIONS.items():
            plain = self.ask(command, line, "--json")
            self.assertEqual(plain[0], 0, (command, name, plain))
            for option, valued in options_of(command).items():
                given = {word[2:] for word in line if word.startswith("--")}
                if option in {"json", "help", "help-all", "output", "wide", *given} - {"runs", "policies", "problem"}:
                    continue
                words = [word for i, word in enumerate(line)
                         if option != "runs" or "--runs" not in line[max(i - 1, 0):i + 1]]
                yield command, name, plain, words, option, [OWN_VALUES.get((command, option)) or {**GIVEN, **VALUES}[option]] if valued else []

    def check(self, command, name, plain, line, option, value):
        code, out, err = self.ask(command, line, "--json", "--" + option, *value)
        what = (command, name, option, code, err)
        if code == 2:
            self.assertEqual(out, "", what)
            self.assertRegex(err, r"\Aoptgap: [^\n]*\n\Z", what)
            self.assertIn(option, err, what)
            return f"{name} does not support --{option}; omit it" in err or f"--{option} requires --" in err
        self.assertEqual(code, 0, what)
        self.assertTrue(out != plain[1] or option in WITHOUT_EFFECT, what)
        return False

    def test_every_option_of_every_question(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            refused = sum(pool.map(lambda case: self.check(*case), some(self.cases())))
        self.assertGreater(refused, 20 * min(SCALE, 2))

    def test_a_file_that_is_not_there_is_missed(self):
        """By every question that takes an option for it."""
        cases = [(command, line, option) for (command, _), line in QUESTIONS.items()
                 for option in re.findall(r"--([\w-]+)=FILE", run(command, "--help-all").stdout)
                 if option not in {"output", "trace", "result"} and "--" + option not in line]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.assertGreater(len(cases), 40)
            cases = some(cases)
            told = pool.map(lambda case: self.ask(case[0], case[1], "--" + case[2], "not-there"), cases)
            for case, (code, out, err) in zip(cases, told):
                self.assertEqual((out, err.count("\n")), ("", 1), (case, err))
                self.assertTrue(code != 0 and ("not-there" in err or "--" + case[2] in err), (case, err))

    def problem(self, question, family):
        """Words, and the message of a run with only these; None: the family does not support it."""
        line = [*ASKED[question], *([] if question == "tree" else ["--json"]), *FAMILIES[family]]
        plain = self.ask(line[0], line[1:])
        if plain[0] == 2:
            self.assertRegex(plain[2], r"\Aoptgap: [^\n]*\n\Z", line)
            return None
        self.assertEqual(plain[0], 0, (line, plain))
        return line, plain

    def check_option(self, question, family, option, valued, line, plain):
        words = list(line)
        for taken in {"budget": ["-T"], "runs": ["--runs"]}.get(option, []):
            at = words.index(taken) if taken in words else len(words)
            del words[at:at + 2]
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            for name in TABLES:
                os.link(self.folder / name, pathlib.Path(folder) / name)
            done = run(*words, "--" + option, *([GIVEN[option]] if valued else []), folder=folder)
        what = (question, family, option, done.returncode, done.stderr)
        if done.returncode == 2:
            if done.stdout != "" or re.fullmatch(r"optgap: [^\n]*\n", done.stderr) is None:
                return what
            own = {"budget": "-T", "accuracy-prior": "states", "against": "policy 'kg'", "regret-on": "LABELS"}.get(option, "--" + option)
            named = ["--" + option, f"{line[0]} does not support", own, option.replace("policies", "policy"), "--problem", *ASKED[question][1:2]]
            return None if any(name in done.stderr for name in named) else what
        out = re.sub(NOT_THE_ANSWER, "", done.stdout)
        silent = out == plain[1] and done.stderr == plain[2] and option not in AT_TIMES
        return what if silent or done.returncode != 0 else None

    def test_every_option_of_every_family(self):
        options = {line[0]: options_of(line[0]) for line in ASKED.values()}
        cases = [(question, family, option, valued) for question, line in ASKED.items() for family in FAMILIES
                 for option, valued in options[line[0]].items()
                 if option not in HOW and "--" + option not in [*line[1:], *FAMILIES[family]]]
        step = max(1, round(40 / SCALE))
        cases = cases[SEED % step::step]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            asked = sorted({case[:2] for case in cases})
            plain = dict(zip(asked, pool.map(lambda pair: self.problem(*pair), asked)))
            cases = [(*case, *plain[case[:2]]) for case in cases if plain[case[:2]] is not None]
            wrong = [found for found in pool.map(lambda case: self.check_option(*case), cases) if found is not None]
        self.assertEqual(wrong, [])
        self.assertGreater(len(cases), 1200 // step)

    def test_no_budget_prints_what_is_no_number(self):
        """Each question of each family with no label and with one."""
        cases = []
        for question, family, budget in itertools.product(ASKED, FAMILIES, "01"):
            words = [*ASKED[question], *FAMILIES[family]]
            at = words.index({"delayed": "--arrivals", "process": "--process"}.get(family, "-T")) + 1
            words[at] = f"command:python3 {TRIAL} {budget} 5" if family == "process" else budget
            cases.append(words)
        cases = some(cases)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for words, (code, out, err) in zip(cases, pool.map(lambda words: self.ask(words[0], words[1:]), cases)):
                self.assertIn(code, (0, 2), (words, err))
                self.assertIsNone(re.search(r"(?<![\w-])-?(nan|inf)\b", out + err), (words, out))

    def test_what_is_silent_was_not_read(self):
        line = QUESTIONS["replay", "--problem labelers"]
        for words in (["--policy", "greedy"], ["--policies", "ls-ol"],
                      ["--ties", "first"], ["--prior", "2,1"], ["--fill", "none"]):
            code, out, err = self.ask("replay", line, *words)
            self.assertEqual((code, out), (2, ""), words)
            self.assertIn("--problem labelers does not support --", err)

    def test_an_option_of_a_family_is_for_its_commands(self):
        labelers = ["--problem", "labelers", "-T", "3", "0.9", "0.8", "0.7"]
        for command in ("solve", "query", "bound"):
            code, out, err = self.ask(command, labelers, "--drop", "0.1")
            self.assertEqual((code, out), (2, ""), command)
            self.assertEqual(err, f"optgap: {command} does not support --drop; omit it, or use simulate\n")

    def test_what_says_more_of_another_option_wants_it(self):
        for command in ("solve", "compare"):
            code, out, err = self.ask(command, ["-T", "2", "1,1"], "--checkpoint-every", "10")
            self.assertEqual((code, out), (2, ""), command)
            self.assertIn("--checkpoint-every requires --checkpoint; give both", err)

    def test_a_refusal_answers_what_was_asked(self):
        (self.folder / "crowdkit.csv").write_text("task,worker,label\n")
        for words, part in (
                ("next --gilt g", "unknown option '--gilt' of next"),
                ("next --arrivals 3", "unknown option '--arrivals' of next"),
                ("fit --features f", "unknown option '--features' of fit"),
                ("next crowdkit.csv", "write --labels crowdkit.csv"),
                ("replay crowdkit.csv", "write --labels crowdkit.csv"),
                ("compare -T 3 --problem labelers 10x0.7", "--problem labelers supports at most 9 labelers, and more in simulate; give fewer"),
                ("bound -T 2 --problem assignment --theory 1", "--problem assignment does not support --theory, an option of labelers; omit one of them"),
                ("solve -T 2 --problem ranking --batch 2 3x1", "--problem ranking does not support --batch, an option of labels in batches"),
                ("compare -T 2 --problem ranking --policy crowd-bt 3x1", "without workers (--workers-prior"),
                ("compare -T 3 --policy mypolicy.py 1,1", "write 'command:python3 mypolicy.py'"),
                ("query -T 3 --policies kg,./my.so 1,1", "write 'plugin:./my.so'")):
            command, *line = words.split()
            code, out, err = self.ask(command, line)
            self.assertEqual((code, out), (2, ""), words)
            self.assertIn(part, err)
            self.assertRegex(err, r"\Aoptgap: [^\n]+\n\Z")


if __name__ == "__main__":
    test_cli.PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
