"""Priors that are not Beta, and bandits, on the command line.

    test_priors_cli.py PROGRAM [unittest option...]

Known values are fractions from the definition, by another program.
"""

import os
import sys
import tempfile
from fractions import Fraction

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
from cli import Case, main, run  # noqa: E402

MIXTURE_WORD = "0.25:5,1+0.5:1,1+0.25:1,5"
SMALL = ["--policies", "kg,opt-kg,gittins-fh"]


class MixtureTest(Case):
    def test_solve_and_compare_give_the_definitions_value(self):
        expected = Fraction(4461, 1792)
        words = ["-T", "6", "3x" + MIXTURE_WORD]
        found = self.document("solve", *words, "--arithmetic", "exact")
        self.assertEqual(Fraction(found["optimal"]["value_exact"]), expected)
        found = self.document("compare", *words)
        self.assertLessEqual(abs(Fraction(found["optimal"]["value"]) - expected),
                             Fraction(found["optimal"]["error_bound"]))
        for row in found["policies"]:
            self.assertLessEqual(row["value"] - row["error_bound"], expected)
        for bound in found["bounds"].values():
            self.assertGreaterEqual(bound["value"], expected)

    def test_json_names_the_components(self):
        found = self.document("bound", "-T", "3", "2x1:5,1+3:1,2.5@0.3", "1,1")["problem"]
        self.assertEqual(found["objective"], "calls")
        self.assertEqual(found["instances"][0],
                         {"text": "2x1:5,1+3:1,2.5@0.3", "prior": [[0.25, 5, 1], [0.75, 1, 2.5]],
                          "count": 2, "threshold": 0.3})
        self.assertEqual(found["instances"][1]["prior"], [1, 1])

    def document(self, *words):
        return super().document(*words, "--quiet")

    # one thread: a second one lays open states ahead, a few more or less from run to run
    def test_one_component_is_a_beta(self):
        plain = self.document("solve", "-T", "9", "--threads", "1", "3x2,1")["optimal"]
        for word in ("3x1:2,1", "3x0.1:2,1+0.9:2,1"):
            found = self.document("solve", "-T", "9", "--threads", "1", word)["optimal"]
            for key in ("value", "gain", "error_bound", "states"):
                self.assertEqual(found[key], plain[key])

    def test_equal_mixtures_are_one_kind_of_instance(self):
        one = self.document("solve", "-T", "8", "--threads", "1", "4x1:1,4+1:3,1")["optimal"]
        two = self.document("solve", "-T", "8", "--threads", "1", "2x5:1,4+5:3,1",
                            "2x0.5:3,1+0.5:1,4")["optimal"]
        self.assertEqual([one["value"], one["states"]], [two["value"], two["states"]])

    def test_weights_far_from_one_are_noted(self):
        done = run("solve", "-T", "2", "1:1,1+2:2,1")
        self.assertEqual(done.returncode, 0)
        self.assertIn("the weights add up to 3, not 1, and are divided by it", done.stderr)
        for quiet in (["--quiet", "1:1,1+2:2,1"], ["0.33:1,1+0.33:2,1+0.33:3,1"]):
            self.assertEqual(run("solve", "-T", "2", *quiet).stderr, "")

    def test_query_answers_for_mixtures(self):
        found = self.document("query", "-T", "3", MIXTURE_WORD, "1,1", "--arithmetic", "exact",
                              *SMALL)
        self.assertEqual(found["instances"][0]["posterior"],
                         [[0.25, 5, 1], [0.5, 1, 1], [0.25, 1, 5]])
        self.assertEqual(found["q"], max(row["q"] for row in found["instances"]))

    def test_index_names_nodes_by_their_labels(self):
        done = run("index", "--policy", "kg", "-T", "2", MIXTURE_WORD)
        lines = [line.split("\t") for line in done.stdout.splitlines()]
        self.assertEqual(lines[0], ["positive", "negative", "left", "index"])
        gain = Fraction(113, 384)
        self.assertEqual(lines[1][:3], ["0", "0", "1"])
        self.assertLessEqual(abs(Fraction(float(lines[1][3])) - gain), gain / 2**53)
        self.assert_refused(["index", "--policy", "kg", "-T", "2", MIXTURE_WORD, "1,1"],
                            "supports one instance")

    def test_simulation_comes_near_the_exact_value(self):
        words = ["-T", "6", "3x" + MIXTURE_WORD, "--policies", "gittins-fh"]
        exact = self.document("compare", *words)["policies"][0]["value"]
        found = self.document("simulate", *words, "--runs", "20000")["policies"][0]
        self.assertLess(abs(found["mean"] - exact), 5 * found["standard_error"])
        self.assertLess(abs(3 * found["accuracy"] - exact), 15 * found["accuracy_standard_error"])

    def test_exported_policies_are_verified(self):
        with test_cli.tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "policy")
            words = ["-T", "6", "2x1:1,4+2:3,1@0.4", "2,1", "--export-policy", path]
            value = self.document("solve", *words)["optimal"]["value"]
            found = self.document("verify", path)
            self.assertTrue(found["optimality_certified"])
            self.assertAlmostEqual(found["value"], value, delta=1e-12)

    def test_what_is_wrong_is_said(self):
        for word, expected in {
            "1,1+2,1": "has no weight",
            "1:1,1+2": "has no weight",
            "0:1,1+1:2,1": "a weight must be greater than 0",
            "1:1,1+1:2,0": "the parameter B must be greater than 0",
            "1:1,1,1+1:1,1": "must have two parameters",
            "1:1,1+1:2,1@1": "the threshold must lie strictly between 0 and 1",
        }.items():
            self.assert_refused(["solve", "-T", "2", word], expected)
        self.assert_refused(["solve", "-T", "3", "1:0.5,1+1:1,1", "--arithmetic", "exact",
                             "--quiet"], "has no exact values")

    def test_tables_are_for_betas(self):
        with test_cli.tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "table.tsv")
            with open(path, "w", encoding="ascii") as file:
                file.write(run("index", "--policy", "opt-kg", "-T", "3", "1,1").stdout)
            for word in ("0.25:5,1+0.75:1,2", "1,1,1"):
                self.assert_refused(["compare", "-T", "3", "--policy", "table:" + path, "1,1", word],
                                    "supports only Beta priors")


class BanditTest(Case):
    def test_values_are_the_definitions(self):
        for expected, word in ((Fraction(595, 144), "1,1"), (Fraction(3593, 700), "2,1"), (Fraction(33599, 7840), MIXTURE_WORD)):
            words = ["-T", "7", "--problem", "bandit", "2x" + word]
            found = self.document("solve", *words, "--arithmetic", "exact")
            self.assertEqual(Fraction(found["optimal"]["value_exact"]), expected)
            found = self.document("compare", *words)
            self.assertEqual(found["problem"]["objective"], "bandit")
            self.assertEqual(found["call_value"], 0)
            self.assertLessEqual(abs(Fraction(found["optimal"]["value"]) - expected),
                                 Fraction(found["optimal"]["error_bound"]))
            for bound in found["bounds"].values():
                self.assertGreaterEqual(bound["value"], expected)

    def test_the_published_value_comes_out(self):
        found = self.document("solve", "-T", "60", "2x1,1", "--problem", "bandit")["optimal"]
        self.assertLessEqual(abs(found["value"] - 38.562343246635564), 1e-13)

    def test_the_gittins_index_is_the_classical_one(self):
        """Gittins's table of the Bernoulli bandit with discount 0.9."""
        done = run("index", "--policy", "gittins-inf:0.9", "-T", "2", "1,1", "--problem",
                   "bandit", "--quiet")
        rows = [line.split("\t") for line in done.stdout.splitlines()[1:]]
        found = {(row[0], row[1]): float(row[3]) for row in rows}
        for node, value in {("1", "1"): 0.7029, ("1", "2"): 0.5001, ("2", "1"): 0.8001}.items():
            self.assertAlmostEqual(found[node], value, delta=5e-5)

    def test_what_is_counted_is_said(self):
        done = run("solve", "-T", "5", "--problem", "bandit", "2x1,1")
        self.assertRegex(done.stdout, r"expected positive labels of 5\n")
        self.assertNotIn("correct calls", done.stdout)
        done = run("query", "-T", "5", "--problem", "bandit", "2x1,1", "2.5,1", *SMALL)
        self.assertIn("Q: expected positive labels", done.stdout)

    def test_what_is_wrong_is_said(self):
        bandit = ["--problem", "bandit", "-T", "2"]
        self.assert_refused(["solve", *bandit, "1,1@0.3"], "no threshold")
        self.assert_refused(["solve", *bandit, "1,1,1"], "no further classes")
        self.assert_refused(["solve", "-T", "2", "1,1", "--problem", "slots"],
                            "--problem must be labels, bandit, ranking, labelers or assignment")
        with tempfile.TemporaryDirectory() as folder:
            self.assert_refused(["solve", *bandit, "1,1", "--export-policy", folder + "/policy"],
                                "--export-policy supports only calls")
            self.assertEqual(os.listdir(folder), [])
        self.assert_refused(["solve", "--problem", "bandit", "--arrival-rate", "1",
                             "--service-rate", "1", "--arrivals", "2", "1,1"],
                            "--problem bandit does not support labels that take time")


if __name__ == "__main__":
    main()
