"""compare --reach: the number of labels needed, compared with the values of one budget after another.

    test_reach_cli.py PROGRAM [unittest option...]
"""

import json
import sys

sys.dont_write_bytecode = True
from cli import SANITIZED, Case, main, run  # noqa: E402

PROBLEMS = [  # words, largest budget, share
    (["6x1,1"], 20, "0.75"),
    (["3x1,1@0.3", "2,1"], 16, "0.85"),
    (["3x1,1"], 4, "0.75"),
    (["2x1,1,1"], 9, "0.6"),
    (["--batch", "3", "4x1,1"], 16, "0.8"),
    (["2x1,1", "--workers-prior", "3,1", "--workers-prior", "1,1"], 4, "0.6"),
]


class ReachTest(Case):
    def reach(self, words, labels, share, *more):
        return self.document("compare", "-T", str(labels), "--reach", share, *words, *more)

    def test_one_label_less_is_too_few(self):
        for words, labels, share in PROBLEMS[1::2] if SANITIZED else PROBLEMS:
            found = self.reach(words, labels, share, "--policies", "uniform,kg", "--ties", "random,worst")
            wanted = found["reach"]["correct"]
            rows = [("optimal", None, found["optimal"])]
            rows += [(row["name"], row["ties"], row) for row in found["policies"]]
            self.assertEqual(len(rows), 5)
            for name, ties, row in rows:
                values = {}
                for budget in {labels, row["labels"] or labels, (row["labels"] or 1) - 1}:
                    at = self.document("compare", "-T", str(budget), *words, "--policies", "uniform,kg",
                                       "--ties", "random,worst")
                    values[budget] = at["optimal"] if ties is None else next(
                        p for p in at["policies"] if (p["name"], p["ties"]) == (name, ties))
                if row["labels"] is None:
                    self.assertLess(values[labels]["value"], wanted)
                    self.assertEqual(row["more_than"], labels)
                    continue
                self.assertEqual(row["value"], values[row["labels"]]["value"], (name, words))
                self.assertGreaterEqual(row["value"] + row["error_bound"], wanted)
                self.assertLess(values[row["labels"] - 1]["value"], wanted)
                self.assertGreaterEqual(row["labels"], found["optimal"]["labels"])

    def test_a_share_that_is_met_without_labels_and_one_met_exactly(self):
        found = self.reach(["2x1,1"], 5, "0.5", "--policies", "kg")
        self.assertEqual((found["optimal"]["labels"], found["policies"][0]["labels"]), (0, 0))
        found = self.reach(["1,1"], 5, "0.75", "--policies", "kg")  # 3/4 after one label
        self.assertEqual(found["optimal"]["labels"], 1)
        self.assertTrue(found["optimal"]["within_error"])

    def test_what_cannot_be_reached(self):
        found = self.reach(["4x1,1"], 6, "0.99", "--policies", "kg,uniform")
        self.assertEqual([(row["labels"], row["more_than"], row["limit"]) for row in (found["optimal"], *found["policies"])],
                         3 * [(None, 6, None)])
        self.assertIn("more than 6 (-T)", self.answer("compare", "-T", "6", "--reach", "0.99", "4x1,1"))

    def test_a_limit_is_said(self):
        words = ["compare", "-T", "300", "--reach", "0.95", "--policies", "kg", "10x1,1"]
        for limit in ("0.5", "2.5", "12.5"):
            done = run(*words, "--time-limit", limit)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            if "more than " in done.stderr:  # on a busy machine no budget is solved before the first
                break
        self.assertRegex(done.stderr, r"\Aoptgap: the time limit [^\n]*more than \d+ labels[^\n]*\n\Z")
        self.assertNotIn("--checkpoint", done.stderr)
        done = run("compare", "-T", "40", "--reach", "0.83", "10x1,1", "--policies", "kg,uniform", "--max-policy-states",
                   "1000", "--engine", "recursion", "--json")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"\Aoptgap: the limit on states [^\n]*a policy's number of labels was not found\n\Z")
        found = json.loads(done.stdout)
        stopped, uniform = found["policies"]
        self.assertIsNone(stopped["labels"])
        self.assertRegex(stopped["limit"], r"\d states")
        self.assertGreaterEqual(stopped["more_than"], found["optimal"]["labels"] - 1)
        self.assertGreater(uniform["more_than"] if uniform["labels"] is None else uniform["labels"], 28)

    def test_sources_need_few_states(self):
        """The optimum by an independent recursion; without mirror images kg visits 829 591 states at its 31 labels."""
        found = self.reach(["--source", "r:1:0.8", "10x1,1"], 31, "0.9", "--policies", "kg", "--max-policy-states", "20000")
        optimal, kg = found["optimal"], found["policies"][0]
        self.assertEqual((optimal["labels"], kg["labels"]), (25, 31))
        self.assertAlmostEqual(optimal["value"], 9.021263476, delta=2e-9)

    def test_refuses(self):
        for words, expected in (
            (["--reach", "1.5"], "at most 1"),
            (["--reach", "0"], "--reach"),
            (["--reach", "0.9", "--explain"], "--explain"),
            (["--reach", "0.9", "--arithmetic", "exact"], "--reach does not support --arithmetic"),
            (["--reach", "0.9", "--checkpoint", "file"], "--checkpoint"),
            (["--reach", "0.9", "--problem", "bandit"], "share of the calls"),
            (["--reach", "0.9", "--policies", "no-such"], "no-such"),
        ):
            self.assert_refused(["compare", "-T", "5", *words, "2x1,1"], expected)
        self.assert_refused(["compare", "--arrivals", "5", "--arrival-rate", "1", "--service-rate", "1", "--reach",
                             "0.9", "2x1,1"], "does not support labels that take time")
        self.assert_refused(["solve", "-T", "5", "--reach", "0.9", "2x1,1"], "--reach")


if __name__ == "__main__":
    main()
