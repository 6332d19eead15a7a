"""Labels in batches, through the program. The definition is in tests/conformance_arms.c.

    test_batch_cli.py PROGRAM [unittest option...]
"""

import sys

sys.dont_write_bytecode = True
from cli import Case, main, run  # noqa: E402


class ValueTest(Case):
    def test_a_value_is_the_fraction_by_hand(self):
        words = ["-T", "2", "--batch", "2", "--arithmetic", "exact", "1,1"]
        optimal = self.document("compare", *words)["optimal"]
        self.assertEqual((optimal["value_exact"], optimal["gain_exact"]), ("3/4", "1/4"))
        self.assertEqual([row["q_exact"] for row in self.document("query", *words)["instances"]], ["1/4"])


class WordTest(Case):
    def test_what_it_is_not(self):
        self.assert_refused(["solve", "-T", "3", "--batch", "0", "1,1"], "from 1 to")
        self.assert_refused(["solve", "--batch", "2", "1,1"], "-T N")
        self.assert_refused(["solve", "-T", "20000", "--batch", "1", "1,1"], "batches of at most", code=3)
        self.assert_refused(["simulate", "-T", "3", "--batch", "2", "--truth", "list:0.3", "1,1"],
                            "does not support labels in batches")
        self.assert_refused(["compare", "-T", "3", "--batch", "2", "--policies", "lookahead:2", "1,1"],
                            "not an index of one instance")

    def test_a_tree_has_fractions(self):
        states = self.document("tree", "-T", "2", "--batch", "2", "--arithmetic", "exact", "1,1")["states"]
        self.assertEqual(states[0]["value_exact"], "1/4")
        for words in (["-T", "3", "--batch", "3", "1,2", "2,1"], ["-T", "5", "--batch", "2", "2x1,1"]):
            exact = self.document("tree", "--arithmetic", "exact", *words)["states"]
            for one, other in zip(exact, self.document("tree", *words)["states"], strict=True):
                self.assertEqual(one["text"], other["text"])
                self.assertAlmostEqual(one["value"], other["value"], 12)

    def test_a_game_without_labels_is_worth_the_calls_now(self):
        for words in (["--batch", "2"], ["--deadline", "2"], ["--source", "e:2:1"], ["--workers-prior", "4,1"], []):
            worth = 3.5 / 3 if "e:2:1" in words else 1.25
            self.assertIn(f"was worth {worth:.10g} of 2", " ".join(run("play", "-T", "0", *words, "1,1", "2,1", given="").stdout.split()))

    def test_runs_agree_with_values(self):
        words = ["-T", "4", "--batch", "2", "--policies", "uniform,kg", "2,1", "2x1,1"]
        valued = {row["name"]: row["value"] for row in self.document("compare", *words)["policies"]}
        for row in self.document("simulate", "--runs", "2000", *words)["policies"]:
            self.assertLess(abs(row["mean"] - valued[row["name"]]), 5 * row["standard_error"] + 1e-12)
            self.assertIsNone(row["accuracy"])

    def test_says_how_labels_come(self):
        self.assertRegex(run("solve", "-T", "3", "--batch", "2", "1,1").stdout,
                         r"(?m)^Batches +2 labels each, seen when all are there$")
        found = self.document("solve", "-T", "3", "--batch", "2", "1,1")
        self.assertEqual(found["problem"]["batch"], 2)


if __name__ == "__main__":
    main()
