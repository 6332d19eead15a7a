"""Labels in batches, through the program. The definition is in tests/conformance_arms.c.

    test_batch_cli.py PROGRAM [unittest option...]
"""

import re
import sys

sys.dont_write_bytecode = True
from cli import Case, main, run  # noqa: E402


PROBLEMS = [("1,1", 4), ("2x1,1", 5), ("2x1,1 2,1", 4), ("3x1,1", 5), ("1,1 2,3 4,1", 4)]


class ValueTest(Case):
    def test_a_value_is_the_fraction_by_hand(self):
        words = ["-T", "2", "--batch", "2", "--arithmetic", "exact", "1,1"]
        optimal = self.document("compare", *words)["optimal"]
        self.assertEqual((optimal["value_exact"], optimal["gain_exact"]), ("3/4", "1/4"))
        self.assertEqual([row["q_exact"] for row in self.document("query", *words)["instances"]], ["1/4"])

    def test_one_at_a_time_is_the_usual_problem(self):
        for words in (["-T", "9", "6x1,1"], ["-T", "7", "3x2,1@0.3", "0.5,0.7"], ["-T", "5", "2x1,1,1"]):
            one = self.document("solve", *words, "--batch", "1")["optimal"]
            usual = self.document("solve", *words)["optimal"]
            self.assertLessEqual(abs(one["value"] - usual["value"]),
                                 one["error_bound"] + usual["error_bound"])

    def test_larger_batches_that_are_made_of_smaller_ones_lose(self):
        values = []
        for size in ("1", "2", "4", "12"):
            found = self.document("compare", "-T", "12", "--batch", size, "5x1,1", "2x2,1")
            optimal = found["optimal"]
            values.append(optimal["value"])
            for bound in found["bounds"].values():
                self.assertGreaterEqual(bound["value"], optimal["value"] - optimal["error_bound"])
        self.assertEqual(values, sorted(values, reverse=True))
        self.assertGreater(values[0], values[-1])
        one = found["bounds"]["one_by_one"]  # the value, its error added
        self.assertLessEqual(one["value"] - one["error_bound"], values[0] + 1e-12)

    def test_nothing_depends_on_reductions(self):
        # a tree has states without merging
        for words, labels in PROBLEMS:
            for size in (2, 3):
                options = ["-T", str(labels), "--batch", str(size), *words.split()]
                shown = re.search(r's0 \[[^\n]*left, value ([0-9.]+)', self.answer("tree", *options))
                gain = self.document("solve", *options)["optimal"]["gain"]
                self.assertAlmostEqual(float(shown[1]), gain, delta=5e-6)  # five digits are shown


class WordTest(Case):
    def test_what_it_is_not(self):
        self.assert_refused(["solve", "-T", "3", "--batch", "0", "1,1"], "from 1 to")
        self.assert_refused(["solve", "--batch", "2", "1,1"], "-T N")
        self.assert_refused(["tree", "-T", "3", "--batch", "2", "--arithmetic", "exact", "1,1"],
                            "does not support labels in batches")
        self.assert_refused(["solve", "-T", "20000", "--batch", "1", "1,1"], "batches of at most", code=3)
        self.assert_refused(["simulate", "-T", "3", "--batch", "2", "1,1"],
                            "does not support labels in batches")
        self.assert_refused(["compare", "-T", "3", "--batch", "2", "--policies", "lookahead:2", "1,1"],
                            "not an index of one instance")

    def test_says_how_labels_come(self):
        self.assertRegex(run("solve", "-T", "3", "--batch", "2", "1,1").stdout,
                         r"(?m)^Batches +2 labels each, seen when all are there$")
        found = self.document("solve", "-T", "3", "--batch", "2", "1,1")
        self.assertEqual(found["problem"]["batch"], 2)


if __name__ == "__main__":
    main()
