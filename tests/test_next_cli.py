"""next, as its users meet it, against solve and query. Usage: test_next_cli.py OPTGAP"""

import collections
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

OPTGAP = ""


class Next(unittest.TestCase):
    def setUp(self):
        self.held = tempfile.TemporaryDirectory()
        self.addCleanup(self.held.cleanup)

    def write(self, name, text):
        path = os.path.join(self.held.name, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def run_program(self, *words):
        return subprocess.run([OPTGAP, *words], capture_output=True, text=True, timeout=240)

    def next(self, labels, *words):
        done = self.run_program("next", "--labels", labels, "--json", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def assert_refused(self, words, part):
        done = self.run_program("next", *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z")
        self.assertIn(part, done.stderr)

    def draw(self, source, tasks):
        """A table of a few labels for each task, and the posteriors from 1,1."""
        rows, counts = [], collections.OrderedDict()
        for task in range(tasks):
            for worker in range(source.randint(1, 4)):
                label = source.randint(0, 1)
                rows.append(f"task {task},w{worker},{label}\n")
                counts.setdefault(f"task {task}", [1, 1])[1 - label] += 1
        return self.write("labels.csv", "task,worker,label\n" + "".join(rows)), counts

    def test_bounds_hold_the_optimum(self):
        source = random.Random(5)
        for _ in range(6):
            labels, counts = self.draw(source, source.randint(2, 5))
            budget = source.randint(1, 6)
            batch = source.randint(1, min(budget, len(counts)))
            words = [f"{a},{b}" for a, b in counts.values()]
            solved = json.loads(self.run_program("solve", "--json", "-T", str(budget), *words).stdout)
            gain = solved["optimal"]["gain"]
            found = self.next(labels, "-T", str(budget), "--batch", str(batch), "--prior", "1,1")
            self.assertEqual(len({row["task"] for row in found["next"]}), batch)
            self.assertGreaterEqual(found["gain_at_most"], gain)
            self.assertLessEqual(found["gain_at_least"], gain)
            self.assertEqual(found["loss_at_most"], found["gain_at_most"] - found["gain_at_least"])
            # one label now: what query says of it
            first = self.next(labels, "-T", str(budget), "--prior", "1,1")
            asked = json.loads(self.run_program("query", "--json", "-T", str(budget), "--policies",
                                                "opt-kg", *words).stdout)
            place = list(counts).index(first["next"][0]["task"])
            where = [row["posterior"] for row in asked["instances"]]
            chosen = where.index([float(x) for x in list(counts.values())[place]])
            self.assertIn(chosen, asked["policies"]["opt-kg"])
            q = asked["instances"][chosen]["q"]
            self.assertGreaterEqual(q, first["gain_at_least"])
            self.assertLessEqual(gain - q, first["loss_at_most"])

    def test_one_label_is_the_best_one(self):
        """With one label left the gains are those of kg, and the bounds meet."""
        labels = self.write("l", "task\tworker\tlabel\na\tx\t1\nb\tx\t1\nb\ty\t0\n")
        found = self.next(labels, "-T", "1", "--policy", "kg", "--prior", "1,1")
        self.assertEqual([found["next"][0][key] for key in ("task", "rank", "positive", "negative")],
                         ["b", 1, 1, 1])
        self.assertAlmostEqual(found["next"][0]["index"], 3 / 16, 12)
        self.assertAlmostEqual(found["gain_at_most"], 3 / 16, 9)
        self.assertAlmostEqual(found["gain_at_least"], 3 / 16, 9)

    def test_final_calls(self):
        labels = self.write("l", "task\tworker\tlabel\na\tx\tyes\na\ty\tyes\nb\tx\tno\na\tz\tno\n")
        found = self.next(labels, "--final", "--prior", "1,1")
        chance = [sum(math.comb(4, k) for k in (0, 1, 2)) / 2 ** 4, 0.75]  # of Beta(3,2), Beta(1,2)
        for row, task, call, right in zip(found["final"], "ab", ("yes", "no"), chance):
            self.assertEqual((row["task"], row["call"]), (task, call))
            self.assertAlmostEqual(row["probability"], right, 13)

    def test_payoffs(self):
        """Beta(3,2), Beta(1,2) and Beta(2,1): P is 11/16, 1/4 and 3/4."""
        labels = self.write("l", "task\tworker\tlabel\na\tx\tyes\na\ty\tyes\nb\tx\tno\na\tz\tno\n"
                                 "c\tx\tyes\n")
        prior = "1,1=1,-2,0,1,0.5"
        found = self.next(labels, "--final", "--prior", prior)
        for row, call, worth in zip(found["final"], ("undecided", "no", "undecided"), (0.5, 0.75, 0.5)):
            self.assertEqual(row["call"], call)
            self.assertAlmostEqual(row["payoff"], worth, 13)
            self.assertNotIn("probability", row)
        shown = self.run_program("next", "--labels", labels, "--final", "--prior", prior)
        self.assertEqual(shown.stdout.splitlines()[:2],
                         ["task\tpositive\tnegative\tcall\tpayoff", "a\t2\t1\tundecided\t0.5"])
        self.assertIn("a payoff of 1.75 is expected of 3 calls", shown.stderr)
        for prior in ("1,1=1,-2,0,1,0.5", "1,1=100,-500,0,250", "1,1=0.01,0,0,0.01"):
            for budget, batch in ((1, 1), (4, 2), (6, 3)):
                payoff = prior[3:]
                words = [f"{place}{payoff}" for place in ("3,2", "1,2", "2,1")]
                solved = json.loads(self.run_program("solve", "--json", "-T", str(budget), *words).stdout)
                gain = solved["optimal"]["gain"]
                found = self.next(labels, "-T", str(budget), "--batch", str(batch), "--prior", prior)
                self.assertGreaterEqual(found["gain_at_most"], gain)
                self.assertLessEqual(found["gain_at_least"], gain)
        bounds = [[self.next(labels, "-T", "4", "--batch", "2", "--prior", prior)[key]
                   for key in ("gain_at_most", "gain_at_least")] for prior in ("1,1", "1,1=0.01,0,0,0.01")]
        for usual, small in zip(*bounds):
            self.assertAlmostEqual(usual / 100, small, 12)

    def test_classes(self):
        text = "task\tworker\tlabel\na\tx\tcat\na\ty\tdog\nb\tx\towl\nb\ty\towl\nc\tx\tdog\n"
        labels = self.write("l", text)
        found = self.next(labels, "-T", "2", "--batch", "2", "--prior", "1,1,1")
        self.assertEqual({tuple(row["counts"]) for row in found["next"]}, {(1, 1, 0), (0, 1, 0)})
        solved = json.loads(self.run_program("solve", "--json", "-T", "2", "2,2,1", "1,1,3", "1,2,1").stdout)
        self.assertGreaterEqual(found["gain_at_most"], solved["optimal"]["gain"])
        self.assertLessEqual(found["gain_at_least"], solved["optimal"]["gain"])
        self.assertEqual(self.next(labels, "--final", "--prior", "1,1,1")["final"][1]["call"], "owl")

    def test_table_and_file(self):
        labels, _ = self.draw(random.Random(7), 5)
        words = ["next", "--labels", labels, "-T", "4", "--batch", "3", "--prior", "1,1"]
        shown = self.run_program(*words)
        self.assertEqual(shown.stderr.count("\n"), 1)
        lines = [line.split("\t") for line in shown.stdout.splitlines()]
        self.assertEqual(lines[0], ["task", "rank", "positive", "negative", "index"])
        self.assertEqual([line[1] for line in lines[1:]], ["1", "2", "3"])
        path = os.path.join(self.held.name, "next.tsv")
        done = self.run_program(*words, "-o", path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(path) as file:
            self.assertEqual(file.read(), shown.stdout)
        self.assertIn("proved", done.stdout)

    def test_ties_are_drawn_by_the_seed(self):
        rows = "".join(f"t{i}\tw\t{i % 2}\n" for i in range(40))
        labels = self.write("l", "task\tworker\tlabel\n" + rows)
        picks = [[row["task"] for row in self.next(labels, "-T", "9", "--batch", "5", "--prior", "1,1",
                                                   "--policy", "uniform", "--seed", seed)["next"]]
                 for seed in "112"]
        self.assertEqual(picks[0], picks[1])
        self.assertNotEqual(picks[0], picks[2])

    def test_bad_input_is_refused(self):
        labels, _ = self.draw(random.Random(9), 3)
        self.assert_refused(["-T", "3"], "--labels")
        self.assert_refused(["--labels", labels], "-T N")
        self.assert_refused(["--labels", labels, "-T", "2", "--batch", "3"], "only 2")
        self.assert_refused(["--labels", labels, "-T", "9", "--batch", "4"], "at most once")
        self.assert_refused(["--labels", labels, "-T", "2", "--prior", "1,1,1"], "2 classes")
        self.assert_refused(["--labels", labels, "-T", "2", "--prior", "3x1,1"], "every task")
        self.assert_refused(["--labels", labels, "-T", "2", "--prior", "1,1", "--policy", "lagrangian"],
                            "all tasks together")
        self.assert_refused(["--labels", labels, "-T", "2", "--prior", "1,1", "--policy", "nlu"], "nlu")
        single = self.write("s", "task\tworker\tlabel\na\tw\t1\nb\tw\t0\n")
        self.assert_refused(["--labels", single, "-T", "2"], "--prior")


if __name__ == "__main__":
    OPTGAP = sys.argv.pop(1)
    unittest.main()
