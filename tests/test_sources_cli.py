"""Labels from sources with prices, through the program.

    test_sources_cli.py PROGRAM [unittest option...]
"""

import json
import math
import sys
import tempfile
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import Case, main, run  # noqa: E402


class SourcesTest(Case):
    def test_a_value_is_the_fraction_by_hand(self):
        """Two of three labels, of which each is right in four of five cases."""
        words = ["-T", "3", "--source", "crowd:1:0.8", "--arithmetic", "exact", "1,1"]
        found = self.document("compare", *words)
        self.assertEqual(found["optimal"]["value_exact"], "112/125")
        self.assertEqual([row["name"] for row in found["policies"]], ["naive", "kg", "cheapest", "dearest"])
        actions = self.document("query", *words)["actions"]
        self.assertEqual([action["q_exact"] for action in actions], ["99/250"])

    def test_random_labels_of_one_source_are_binomial(self):
        """naive: each of K instances has Binomial(T, 1/K) labels, and the majority is called."""
        def right(labels, p=0.8):
            part = [math.comb(labels, k) * p**k * (1 - p)**(labels - k) for k in range(labels + 1)]
            return sum(x * ((2 * k > labels) + (2 * k >= labels)) / 2 for k, x in enumerate(part))

        count, labels = 6, 22
        value = count * sum(math.comb(labels, n) * (count - 1)**(labels - n) / count**labels * right(n)
                            for n in range(labels + 1))
        found = self.document("compare", "-T", str(labels), "--source", "r:1:0.8", "--policies", "naive", f"{count}x1,1")
        self.assertAlmostEqual(found["policies"][0]["value"], value, delta=1e-12)

    def test_unknown_accuracies_have_the_values_of_workers(self):
        """Three sources, each once for 1, are three workers: figures of the specification."""
        sources = [word for name in "abc" for word in ("--source", name + ":1:4,1:1")]
        golden = {"2x1,1": {3: "101/125", 4: "107/125", 5: "332/375", 6: "112/125"},
                  "3x1,1": {1: "3/5", 2: "7/10", 3: "4/5", 4: "304/375", 5: "6658/7875"}}
        for word, values in golden.items():
            tasks = int(word[0])
            for budget, share in values.items():
                line = ["solve", "-T", str(budget), "--arithmetic", "exact"]
                found = self.document(*line, *sources, word)["optimal"]["value_exact"]
                self.assertEqual(Fraction(found), tasks * Fraction(share), (word, budget))
                other = self.document(*line, "--objective", "assignment", "--workers-prior",
                                      "3x4,1", f"{tasks}x1")["optimal"]["value_exact"]
                self.assertEqual(Fraction(other), Fraction(share))

    def test_unknown_accuracies_of_any_size_are_bounded(self):
        line = ["-T", "2000", "--source", "e:20:0.97", "--source", "c:1:7,3", "1000x1,1"]
        done = run("solve", *line)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z")
        bound = self.document("bound", *line)["bounds"]["known_accuracies"]["value"]
        self.assertTrue(500 < bound < 1000)

    def test_what_is_too_large_is_bracketed(self):
        line = ["-T", "5000", "--source", "e:20:0.97", "--source", "c:1:0.7", "1000x1,1"]
        done = run("compare", *line, "--json")
        self.assertEqual(done.returncode, 3, done.stderr)
        bound = json.loads(done.stdout)["bounds"]["lagrangian_scalar"]["value"]
        self.assertEqual(bound, self.document("bound", *line)["bounds"]["lagrangian_scalar"]["value"])
        self.assertTrue(500 < bound < 1000)
        self.assertEqual(run("solve", *line).returncode, 3)

    def test_either_engine_has_the_value(self):
        line = ["-T", "18", "--source", "c:1:0.7", "--source", "m:2:0.8:1", "--source", "e:5:0.97",
                "2x1,1", "3,1"]
        optimal = {engine: self.document("solve", *line, "--engine", engine)["optimal"]
                   for engine in ("recursion", "blocks", "auto")}
        for engine in "recursion", "blocks":
            self.assertEqual(optimal[engine]["engine"], engine)
            self.assertLessEqual(
                abs(optimal[engine]["value"] - optimal["auto"]["value"]),
                optimal[engine]["error_bound"] + optimal["auto"]["error_bound"])
        with tempfile.TemporaryDirectory() as folder:
            line = ["solve", "-T", "24", "--source", "c:1:0.7", "--source", "d:2:0.8", "4x1,1",
                    "--engine", "blocks"]
            held = self.document(*line)["optimal"]
            filed = self.document(*line, "--scratch", folder, "--memory", "3M")["optimal"]
            self.assertEqual(filed["value"], held["value"])
            self.assertLess(filed["memory_bytes"], held["memory_bytes"])

    def test_refuses_what_blocks_cannot_do(self):
        known, unknown = ["--source", "e:1:0.8"], ["--source", "e:1:2,1"]
        for words, expected in [
                (["solve", *known, "--arithmetic", "exact", "--engine", "blocks"], "does not support --arithmetic exact"),
                (["solve", *unknown, "--engine", "blocks"], "does not support unknown accuracies"),
                (["solve", *unknown, "--scratch", "."], "does not support unknown accuracies"),
                (["query", *known, "--engine", "blocks"], "each source's label"),
                (["solve", *known, "--dry-run"], "--dry-run does not support"),
                (["solve", *known, "--checkpoint", "x"], "--checkpoint does not support")]:
            done = run(*words, "-T", "3", "1,1")
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z", words)
            self.assertIn(expected, done.stderr, words)

    def test_bad_sources_are_refused(self):
        for text in "e", "e:1", ":1:0.8", "e:0:0.8", "e:1.5:0.8", "e:1:1.1", "e:1:x", "e:1001:1", "e:1:0.8:0", "e:1:0.8:x", "e:1:0.8:1:1", "e:1:0.8:", "e:1:3,", "e:1:,1", "e:1:0,1", "e:1:3,0", "e:1:3,1,1", "e:1:3,1:0", "e:1:3,x", "e:1:2000000,1", "e:1:1e-9,1":
            done = run("solve", "-T", "3", "--source", text, "1,1")
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z", text)
        same = ["--source", "e:1:0.8", "--source", "e:2:0.9"]
        policy = ["--source", "e:1:0.8", "--policy", "gittins-fh"]
        for words in same + ["1,1"], same[:2] + ["1,1@0.3"]:
            self.assertEqual(run("solve", "-T", "3", *words).returncode, 2, words)
        self.assertEqual(run("compare", "-T", "3", *policy, "1,1").returncode, 2)
        self.assertEqual(run("query", "-T", "3", "--source", "e:7:0.8", "1,1").returncode, 2)


if __name__ == "__main__":
    main()
