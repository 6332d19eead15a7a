"""replay, as its users meet it. Usage: test_replay_cli.py OPTGAP"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

OPTGAP = ""
LABELS = "task\tworker\tlabel\na\tw1\t1\na\tw2\t1\nb\tw1\t0\nb\tw2\t1\nc\tw1\t0\n"
GOLD = "task\tlabel\nc\t0\nb\t1\na\t1\n"


class Replay(unittest.TestCase):
    def setUp(self):
        self.held = tempfile.TemporaryDirectory()
        self.addCleanup(self.held.cleanup)
        self.labels = self.write("labels.tsv", LABELS)
        self.gold = self.write("gold.tsv", GOLD)

    def write(self, name, text):
        path = os.path.join(self.held.name, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def run_replay(self, *words, labels=None, gold=None):
        return subprocess.run([OPTGAP, "replay", "--labels", labels or self.labels, "--gold",
                               gold or self.gold, *words], capture_output=True, text=True, timeout=120)

    def assert_refused(self, done, *parts):
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_points_and_json(self):
        done = self.run_replay("--at", "0,2", "--policies", "kg,uniform", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["all_labels_accuracy"], 2.5 / 3)
        for row in found["policies"]:
            self.assertEqual([point["labels"] for point in row["points"]], [0, 2, 5])
            self.assertEqual(row["points"][0]["accuracy"], 0.5)
            self.assertAlmostEqual(row["points"][2]["accuracy"], 2.5 / 3, 14)

    def test_the_table(self):
        done = self.run_replay("--policies", "opt-kg", "--ties", "random,first", "-T", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("accuracy 83.333 %; ties count half", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.split("\n"))), 110)

    def test_classes(self):
        """Two labels of three classes: half of a tie is right where its classes are equally likely."""
        labels = self.write("l", "task,worker,label\na,x,cat\na,y,dog\nb,x,owl\nb,x,owl\nc,x,dog\n")
        gold = self.write("g", "task,label\na,dog\nb,owl\nc,cat\n")
        done = self.run_replay("--json", "--policies", "opt-kg,uniform", labels=labels, gold=gold)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["all_labels_accuracy"], (0.5 + 1 + 0) / 3)
        self.assertEqual(found["repeated_labels"], 1)
        for row in found["policies"]:
            self.assertAlmostEqual(row["points"][-1]["accuracy"], 0.5, 14)
        self.assert_refused(self.run_replay("--prior", "1,1", labels=labels, gold=gold), "3 classes",
                            "Dirichlet")

    def test_the_same_seed_is_the_same_result(self):
        texts = [self.run_replay("--policies", "uniform", "--json", "--seed", seed).stdout for seed in "112"]
        points = [[p["accuracy"] for p in json.loads(text)["policies"][0]["points"]] for text in texts]
        self.assertEqual(points[0], points[1])

    def test_tasks_that_do_not_match_are_named(self):
        done = self.run_replay("--json", gold=self.write("g", GOLD + "d\t1\nd\t0\n"))
        found = json.loads(done.stdout)
        self.assertEqual((found["tasks_without_gold"], found["gold_without_labels"]), (0, 2))
        done = self.run_replay("--json", gold=self.write("g", "task\tlabel\na\t1\nb\t0\nc\t\n"))
        found = json.loads(done.stdout)
        self.assertEqual((found["tasks_without_gold"], found["gold_without_labels"]), (1, 0))
        self.assertEqual(found["all_labels_accuracy"], 1.5 / 2)  # of a and b: b is undecided
        self.assertEqual(found["repeated_labels"], 0)
        self.assert_refused(self.run_replay(gold=self.write("g", "task\tlabel\nd\t1\n")), "no task")
        self.assert_refused(self.run_replay(gold=self.write("g", GOLD + "a\t0\n")), "'a'",
                            "two different")
        self.assert_refused(self.run_replay(gold=self.write("g", "task\tvalue\na\t1\n")), "label")
        self.assert_refused(self.run_replay(gold=self.write("g", GOLD + "a\t2\n")), "line 5", "'2'")

    def test_bad_options_are_refused(self):
        self.assert_refused(self.run_replay("-T", "6"), "6", "only 5")
        self.assert_refused(self.run_replay("--at", "3,2"), "--at")
        self.assert_refused(self.run_replay("--at", "9"), "9")
        self.assert_refused(self.run_replay("--prior", "2x1,1"), "--prior")
        self.assert_refused(self.run_replay("--prior", "1,1,1"), "Beta")
        self.assert_refused(self.run_replay("--final-ties", "third"), "half or positive")
        self.assert_refused(self.run_replay("--ties", "best"), "best")
        self.assert_refused(self.run_replay("more"), "no argument")
        self.assert_refused(self.run_replay(labels=os.path.join(self.held.name, "none")), "none")
        done = subprocess.run([OPTGAP, "replay", "--labels", self.labels], capture_output=True, text=True,
                              timeout=60)
        self.assert_refused(done, "--gold")


if __name__ == "__main__":
    OPTGAP = sys.argv.pop(1)
    unittest.main()
