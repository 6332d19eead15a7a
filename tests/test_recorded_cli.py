#!/usr/bin/env python3
"""Recorded labels as people have them: real tables with known answers, blanks and capitals.

    test_recorded_cli.py PROGRAM [unittest option...]
"""

import json
import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPORTS = pathlib.Path(os.environ.get("OPTGAP_SHARED") or ROOT.parent / "shared") / "data" / "reports"

sys.dont_write_bytecode = True
from cli import FolderCase, main, run  # noqa: E402


@unittest.skipUnless(REPORTS.is_dir(), f"no folder {REPORTS}")
class Reports(unittest.TestCase):
    """Values that scipy, or a count, gives for the same tables."""

    def answer(self, *words):
        done = run(*words, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return json.loads(done.stdout)

    def test_priors_that_are_fitted(self):
        found = self.answer("fit", REPORTS / "entail.tsv")
        self.assertEqual((found["tasks"], found["labels"]), (60, 600))
        for value, right in zip(found["prior"], (2.177305, 1.472822)):
            self.assertAlmostEqual(value, right, delta=2e-6)
        self.assertAlmostEqual(found["log_likelihood"], -372.863210, delta=2e-6)
        found = self.answer("fit", REPORTS / "faces.tsv")["prior"]
        for value, right in zip(found, (0.292367, 0.264116, 0.124783, 0.149246)):
            self.assertAlmostEqual(value, right, delta=2e-6)

    def test_all_labels(self):
        for name, right in ("tweets", 0.7), ("faces", 0.675):
            found = self.answer("replay", "--labels", REPORTS / f"{name}.tsv", "--gold", REPORTS / f"{name}-gold.tsv",
                                "--policies", "uniform", "--runs", "2")
            self.assertAlmostEqual(found["all_labels_accuracy"], right, delta=1e-12)

    def test_unanimous(self):
        done = run("fit", REPORTS / "unanimous.tsv")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Aoptgap: every task is unanimous[^\n]+ such as 0\.4,0\.6\n\Z")

    def test_one_task_of_sixty_labels(self):
        row, = self.answer("next", "--labels", REPORTS / "sixty.tsv", "--final", "--prior", "1,1,1,1,1",
                           "--memory", "100M")["final"]
        self.assertEqual((row["counts"], row["call"]), ([46, 10, 2, 1, 1], "A"))


class Blanks(FolderCase):
    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    ROWS = [("a", "w", "cat"), ("a", "v w", "dog"), ("b", "w", "dog"), ("b", "v w", "dog"), ("c", "u", "cat"), ("c", "w", "cat")]

    def test_they_are_trimmed_and_counted_once(self):
        """Every command that reads the table gives the same as without them, and one line that counts them."""
        gold = self.write("gold", "task,label\na,cat\n b ,dog\nc, cat\n")
        for between, blank in (",", " "), ("\t", " "), (",", "   "):
            plain = self.write("plain", "".join(between.join(row) + "\n" for row in [("task", "worker", "label"), *self.ROWS]))
            padded = self.write("padded", "".join(between.join(blank + word + " " for word in row) + "\n"
                                                  for row in [("task", "worker", "label"), *self.ROWS]))
            for words in (["fit", "--method", "paper"], ["next", "--final", "--prior", "1,1", "--labels"], ["next", "-T", "3", "--prior", "1,1", "--labels"],
                          ["replay", "--gold", gold, "--runs", "2", "--prior", "1,1", "--labels"],
                          ["replay", "--objective", "labelers", "--gold", gold, "--runs", "2", "--labels"]):
                known, found = run(*words, plain), run(*words, padded)
                self.assertEqual(known.returncode, 0, known.stderr)
                outs = [re.sub(r"(?: +\d+\.\d{3})+$", "", out, flags=re.M) for out in (known.stdout, found.stdout)]  # without seconds
                self.assertEqual((found.returncode, outs[1].replace("padded", "plain")), (0, outs[0]), words)
                told = [line for line in found.stderr.splitlines() if "blanks" in line]
                of_gold = [(gold, 2)] if "--gold" in words else []
                self.assertEqual([(len(told), self.told(found)), self.told(known)], [(1, [(padded, 21), *of_gold]), of_gold], words)

    def told(self, done):
        """The files and the numbers of fields that the one line of warning names."""
        found = re.findall(r"(?:^optgap: |; )(?:warning: |note: )?(\S+): blanks around (\d+) fields? (?:is|are) ignored", done.stderr, re.M)
        return [(pathlib.Path(name), int(count)) for name, count in found]

    def test_comparisons(self):
        scores = self.write("scores", "item,score\na ,1\n b,2\n")
        pairs = self.write("pairs", "worker,left,right,label\nw, a,b , b\nw,b,a,a \nw,a,b,b\n")
        done = run("replay", "--pairs", pairs, "--gold", scores, "--policies", "uniform", "--runs", "2")
        self.assertEqual((done.returncode, self.told(done)), (0, [(pairs, 4), (scores, 2)]), done.stderr)

    def test_tables_of_an_assignment(self):
        """Each of them, in any role."""
        labels = self.write("labels", "task,worker,label\na,w, 1\nb ,w,0\na,v,1\nb,v,0\n")
        gold = self.write("gold", "task,label\n a,1\nb, 0\n")
        contexts = self.write("contexts", "task,context\na, x\n b ,y\n")
        data = self.write("data", "task,size\na,1 \nb, 2\n")
        replay = ["replay", "--objective", "assignment", "--runs", "2", "-T", "2", "--policies", "naive", "--gold", gold]
        for words, told in ((["--labels", labels], [(labels, 2), (gold, 2)]),
                            (["--labels", labels, "--contexts", contexts], [(labels, 2), (gold, 2), (contexts, 2)]),
                            (["--labels", labels, "--kmeans", "2", "--data", data], [(labels, 2), (gold, 2), (data, 2)]),
                            (["--crowd", "spammer-hammer:2", "--contexts", contexts], [(gold, 2), (contexts, 2)])):
            done = run(*replay, *words)
            self.assertEqual((done.returncode, self.told(done)), (0, told), done.stderr)

    def test_capitals_alone(self):
        rows = "".join(f"t{i},w,{label}\n" for i, label in enumerate(["Cat", "cat", "dog", "CAT", "owl"]))
        labels = self.write("labels", "task,worker,label\n" + rows)
        done = run("next", "--final", "--prior", "1,1,1,1,1", "--labels", labels)
        self.assertEqual(done.returncode, 0)
        self.assertIn("the labels 'CAT', 'Cat', 'cat' differ only in capitals but are different classes", done.stderr)
        labels = self.write("labels", "task,worker,label\n" + rows.replace("Cat", "cat").replace("CAT", "cat"))
        self.assertNotIn("capitals", run("next", "--final", "--prior", "1,1,1", "--labels", labels).stderr)


if __name__ == "__main__":
    main()
