#!/usr/bin/env python3
"""Processes as programs and shared objects, as a user meets them.

    test_process_cli.py PROGRAM [unittest option...]
"""

import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from cli import SANITIZED, FolderCase, main, run  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = SOURCE / "tools/examples"

# A child that answers the root and then a fixed line.
FIXED = """import sys
for k, line in enumerate(sys.stdin):
    print('{"state": "x"}' if k == 0 else sys.argv[1], flush=True)
"""
# A root, 512 states that follow it and are ends; it writes how many states each line has.
CHAIN = """import json, sys
with open(sys.argv[1], "w") as file:
    for line in sys.stdin:
        asked = json.loads(line)
        states = asked.get("expand", [])
        if states:
            print(len(states), file=file, flush=True)
        print(json.dumps({"state": "r"} if "root" in asked else {"expanded": [
            {"end": 1} if state != "r" else {"acts": {"a": [["1/512", str(i)] for i in range(512)]}} for state in states]}), flush=True)
"""
PLUGIN = """
#include "optgap.h"
/* The longer of two ways: 1 + 2 against 2. */
static size_t root(void *user, void *state, char *message, size_t bytes)
{
    (void)user, (void)message, (void)bytes;
    *(char *)state = 'r';
    return 1;
}
static bool expand(void *user, const void *state, size_t bytes, og_expanded *to, char *message, size_t message_bytes)
{
    (void)user, (void)message, (void)message_bytes;
    switch (*(const char *)state) {
    case 'r':
        to->act(to, "long");
        to->outcome_text(to, "1", "1", "m", bytes);
        to->act(to, "short");
        to->outcome_text(to, "1", "2", "e", bytes);
        break;
    case 'm':
        to->act(to, "go");
        to->outcome_text(to, "1", "2", "e", bytes);
        break;
    default:
        to->end_text(to, "0");
    }
    return true;
}
static const og_process process = {VERSION, NULL, root, expand, NULL};
const og_process *optgap_process(void)
{
    return &process;
}
"""


def example(name, *words):
    return " ".join([f"command:python3 {EXAMPLES / name}", *words])


class ProcessTest(FolderCase):
    def answer(self, *words):
        done = run(*words, "--json", folder=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return json.loads(done.stdout)

    def refusal(self, *words, status=2):
        done = run(*words, folder=self.folder)
        self.assertEqual((done.returncode, done.stdout), (status, ""), (words, done.stderr))
        self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z")
        return done.stderr.removeprefix("optgap: ").strip()

    def test_examples_have_the_known_values(self):
        for words, value in ((("trial.py", "6", "100"), "23857/360"), (("trial.py", "4", "0"), "41/18"),
                             (("best-arm.py", "3", "6"), "2951/4320"), (("best-arm.py", "2", "8"), "2671/4200"),
                             (("top.py", "3", "5"), "3/4")):
            found = self.answer("solve", "--process", example(*words), "--arithmetic", "exact")
            self.assertEqual(found["optimal"]["value_exact"], value, words)

    def test_a_trial_without_patients_after_it_is_a_bandit(self):
        of = self.answer("solve", "--process", example("trial.py", "7", "0"), "--arithmetic", "exact")
        bandit = self.answer("solve", "-T", "7", "--problem", "bandit", "--arithmetic", "exact", "2x1,1")
        self.assertEqual(of["optimal"]["value_exact"], bandit["optimal"]["value_exact"])

    def test_exported_policies_are_worth_the_optimum(self):
        process = ["--process", example("trial.py", "6", "10")]
        for more in ([], ["--all-optimal"]):
            solved = self.answer("solve", *process, "--export-policy", "policy.tsv", *more)
            checked = self.answer("verify", *process, "policy.tsv")
            self.assertTrue(checked["optimality_certified"])
            self.assertLessEqual(abs(checked["value"] - solved["optimal"]["value"]),
                                 checked["error_bound"] + solved["optimal"]["error_bound"])
            self.assertEqual(checked["states"], solved["policy"]["states"])
            row = self.answer("compare", *process, "--policy", "table:policy.tsv", "--arithmetic", "exact")["policies"][0]
            self.assertEqual(row["gap_exact"], "0")

    def test_a_worse_table_is_not_certified(self):
        process = ["--process", example("trial.py", "3", "10")]
        states = [f"{a + 1},{b + 1} {c + 1},{d + 1} {3 - a - b - c - d}"
                  for a, b, c, d in itertools.product(range(3), repeat=4) if a + b + c + d < 3]
        (self.folder / "first.tsv").write_text("state\tact\n" + "".join(f"{state}\tA\n" for state in states))
        checked = self.answer("verify", *process, "first.tsv")
        first = self.answer("compare", *process, "--policy", "first", "--arithmetic", "exact")["policies"][0]
        self.assertGreater(first["gap"], 0.1)
        self.assertFalse(checked["optimality_certified"])
        self.assertLessEqual(abs(checked["value"] - first["value"]), checked["error_bound"] + first["error_bound"])
        self.assertLessEqual(abs(checked["loss_bound"] - first["gap"]), 1e-12)
        shown = run("verify", *process, "first.tsv", folder=self.folder)
        self.assertIn("Not optimal: the policy loses at most", shown.stdout)

    def test_tables_that_do_not_fit(self):
        process = ["--process", example("trial.py", "3", "10")]
        for text, words in (("state\tact\n", "has no row for state '1,1 1,1 3'"), ("place\tact\n", "the columns of a policy must be state and act"),
                            ("state\tact\n1,1 1,1 3\tC\n", "policy 'table:act.tsv': state '1,1 1,1 3' has no act 'C'"),
                            ("state\tact\n1,1 1,1 3\tA\n", "has no row for state '2,1 1,1 2'")):
            (self.folder / "act.tsv").write_text(text)
            self.assertIn(words, self.refusal("verify", *process, "act.tsv"))
            self.assertIn(words, self.refusal("compare", *process, "--policy", "table:act.tsv"))

    def test_policies_that_are_programs(self):
        process = ["--process", example("trial.py", "4", "10")]
        (self.folder / "mine.py").write_text("import sys, json\nfor line in sys.stdin:\n asked = json.loads(line)\n print(sys.argv[1])\n"
                                             " sys.stdout.flush()\n")
        for answer, value in (('{"choose":"A"}', "8"), ('{"weights":[1,1]}', "65/8"), ('{"index":[0,0]}', "65/8"), ('{"index":[1,0.5]}', "8")):
            row = self.answer("compare", *process, "--policy", f"command:python3 mine.py '{answer}'", "--arithmetic", "exact")["policies"][0]
            self.assertEqual(row["value_exact"], value, answer)
        for answer, words in (('{"choose":"C"}', "has no act 'C'"), ('{"weights":[1]}', "must be a list of 2 numbers"), ("no", "is not JSON"),
                              ('{"index":["a",1]}', "must have only numbers"), ("{}", "must be")):
            self.assertIn(words, self.refusal("compare", *process, "--policy", f"command:python3 mine.py '{answer}'", status=1))

    def test_a_child_that_answers_nonsense(self):
        (self.folder / "fixed.py").write_text(FIXED)
        for answer, status, words in (
                ("no", 1, "its answer is not JSON"), ("{}", 1, 'its answer has no "expanded"'),
                ('{"expanded":[]}', 1, "it was asked about 1 states and expanded 0"),
                ('{"expanded":[{"end":"x"}]}', 2, "process: state 'x': value 'x' is not a number such as 0.25 or -1/3"),
                ('{"expanded":[{"end":1,"acts":{}}]}', 1, "the program must answer"),
                ('{"expanded":[{"acts":{"A":[[1]]}}]}', 1, "the program must answer"),
                ('{"expanded":[{"acts":{"A":[[1,"x"]]}}]}', 2, "process: state 'x' leads back to itself: x, x"),
                ('{"expanded":[{"acts":{"A":[[0.5,"x"]]}}]}', 2, "process: state 'x', act 'A': probabilities add up to 0.5"),
                ('{"expanded":[{"acts":{}}]}', 2, "process: state 'x' has no act and no value")):
            self.assertIn(words, self.refusal("solve", "--process", f"command:python3 fixed.py '{answer}'", status=status))
        self.assertIn("it ended with status 3", self.refusal("solve", "--process", "command:exit 3", status=1))
        found = self.answer("solve", "--process", "command:python3 fixed.py '{\"expanded\":[{\"end\":-7}]}'")
        self.assertEqual((found["optimal"]["value"], found["problem"]["states"]), (-7, 1))

    def test_a_root_that_is_an_end_is_worth_its_value(self):
        (self.folder / "fixed.py").write_text(FIXED)
        process = ["--process", "command:python3 fixed.py '{\"expanded\":[{\"end\":-7}]}'"]
        for arithmetic in ("double", "exact"):
            asked = self.answer("query", *process, "--arithmetic", arithmetic)
            self.assertEqual((asked["left"], asked["q"], asked["actions"]), (0, None, []))
        played = run("play", *process, folder=self.folder)
        self.assertIn("the optimal policy was worth -7 from the start", " ".join(played.stdout.split()))

    def test_a_program_gets_one_state_first_and_more_when_it_is_quick(self):
        lines = self.folder / "asked.txt"
        (self.folder / "chain.py").write_text(CHAIN)
        found = self.answer("solve", "--process", f"command:python3 chain.py {lines}")
        self.assertEqual((found["problem"]["states"], found["optimal"]["value"]), (513, 1.0))
        sizes = [int(line) for line in lines.read_text().split()]
        self.assertEqual(sizes[0], 1)
        self.assertEqual(sum(sizes), 2 * 513)  # each is asked twice
        self.assertTrue(all(1 <= size <= 1000 for size in sizes))

    def test_words_that_do_not_fit(self):
        process = ["--process", example("trial.py", "2", "1")]
        for words, text in ((["solve", "--process", "trial.py"], "--process must be plugin:FILE.so or"),
                            (["solve", "-T", "3", *process], "-T and --left do not support --process; omit them"),
                            (["solve", *process, "1,1"], "--process has no INSTANCE; omit '1,1'"),
                            (["bound", *process], "bound does not support processes"),
                            (["compare", *process, "--policy", "kg"], "policy 'kg' does not support processes"),
                            (["compare", "-T", "2", "--policy", "first", "1,1"], "chooses an act of a process and requires --process"),
                            (["verify", *process], "no FILE is given"),
                            (["solve", "--process", "plugin:trial.so"], "must be a path with a slash"),
                            (["solve", "--process", "plugin:./trial.so"], "cannot be opened")):
            self.assertIn(text, self.refusal(*words))

    def test_the_memory_limit_is_exit_3(self):
        self.assertIn("process: more than", self.refusal("solve", "--memory", "1M", "--process", example("trial.py", "20", "1"), status=3))

    def test_memory_for_the_table_alone_gives_a_bracket(self):
        process = ["--process", example("trial.py", "8", "10")]
        most = self.answer("solve", *process)["optimal"]["value"]  # all rewards are positive
        done = run("compare", *process, "--arithmetic", "exact", "--memory", "120K", "--json", folder=self.folder)
        self.assertEqual(done.returncode, 3, done.stderr)
        found = json.loads(done.stdout)
        self.assertIsNone(found["optimal"]["value"])
        self.assertLessEqual(found["bracket"]["lower"], -most)
        self.assertGreaterEqual(found["bracket"]["upper"], most)
        self.assertLess(found["bracket"]["upper"], most + 1e-9)

    @unittest.skipUnless(shutil.which("cc") and not SANITIZED, "needs a compiler")
    def test_a_shared_object(self):
        for version in ("OG_PROCESS_VERSION", "7"):
            (self.folder / "way.c").write_text(PLUGIN.replace("VERSION", version, 1))
            subprocess.run(["cc", "-shared", "-fPIC", f"-I{SOURCE}", "way.c", "-o", f"way{version[-1]}.so"], cwd=self.folder, check=True)
        found = self.answer("query", "--process", "plugin:./wayN.so", "--arithmetic", "exact", "--policy", "first")
        self.assertEqual([act["q_exact"] for act in found["actions"]], ["3", "2"])
        self.assertEqual(found["problem"]["root"], "72")
        self.assertIn("has version 7; this program supports version 1", self.refusal("solve", "--process", "plugin:./way7.so"))


if __name__ == "__main__":
    main()
