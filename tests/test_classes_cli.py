"""Instances with several classes, through the program.

    test_classes_cli.py PROGRAM [unittest option...]
"""

import json
import os
import sys
import tempfile
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import Case, main, run  # noqa: E402


POLICIES = "uniform,kg,opt-kg,pess-kg,cvar-kg:0.5,gittins-fh,gittins-inf,kg-star,lagrangian,lookahead:2"


def policies():
    """One option each: a parameter may have a comma in it."""
    return [word for name in POLICIES.split(",") for word in ("--policy", name)]


class ClassesCase(Case):
    def document(self, *words):
        done = run(*words, "--json")
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        return json.loads(done.stdout)


class ValueTest(ClassesCase):
    def test_compare_values_every_policy_and_bound(self):
        found = self.document("compare", "-T", "5", *policies(), "2x1,1,1", "0.5,1.5,0.7", "2,1")
        optimal = found["optimal"]
        self.assertLess(optimal["error_bound"], 1e-12)
        self.assertEqual(len(found["policies"]), 10)
        for policy in found["policies"]:
            self.assertLessEqual(policy["value"], optimal["value"] + 1e-12, policy["name"])
            self.assertGreater(policy["value"], found["call_value"], policy["name"])
        for name in ("lagrangian_scalar", "lagrangian_vector", "prevailing_charge", "priced_end"):
            self.assertGreaterEqual(found["bounds"][name]["value"], optimal["value"], name)
        instances = found["problem"]["instances"]
        self.assertEqual(instances[0]["prior"], [1, 1, 1])
        self.assertEqual(instances[1]["prior"], [0.5, 1.5, 0.7])
        self.assertEqual([i["threshold"] for i in instances], [None, None, 0.5])
        self.assertEqual(instances[0]["count"], 2)

    def test_solve_has_the_fractions_of_small_cases(self):
        # by hand: see the README
        known = {("0", "1,1,1"): "1/3", ("1", "1,1,1"): "11/18", ("2", "1,1,1"): "11/18",
                 ("3", "3x1,1,1"): "11/6", ("1", "2,1,1"): "11/18"}
        for (labels, word), value in known.items():
            found = self.document("solve", "-T", labels, "--arithmetic", "exact", word)
            self.assertEqual(found["optimal"]["value_exact"], value, (labels, word))
            double = self.document("solve", "-T", labels, word)["optimal"]
            off = abs(Fraction(double["value"]) - Fraction(value))
            self.assertLessEqual(off, Fraction(double["error_bound"]), (labels, word))

    def test_query_names_what_policies_would_pick(self):
        found = self.document("query", "-T", "1", "--policies", "kg,opt-kg", "2,1,1", "1,1,2,2")
        first, second = found["instances"]
        self.assertEqual(first["posterior"], [2, 1, 1])
        self.assertEqual((first["q"], first["optimal"]), (0, False))
        self.assertTrue(second["optimal"] and second["q"] > 0)
        self.assertEqual(found["policies"], {"kg": [1], "opt-kg": [1]})

    def test_index_has_a_column_for_every_parameter(self):
        done = run("index", "--policy", "kg", "-T", "2", "1,1,1")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "a\tb\tc\tleft\tindex")
        self.assertEqual(lines[1].split("\t")[:4], ["1", "1", "1", "1"])
        self.assertAlmostEqual(float(lines[1].split("\t")[4]), 5 / 18, delta=1e-15)
        ten = self.document("index", "--policy", "opt-kg", "-T", "1", "1,1,1,1,1,1,1,1,1,1")
        self.assertEqual(ten["columns"], [*"abcdefghij", "left", "index"])
        self.assertEqual(len(ten["rows"][0]), 12)

    def test_tree_ends_in_the_calls_that_it_expects(self):
        printed = run("tree", "-T", "1", "--arithmetic", "exact", "1,1,1").stdout
        self.assertIn("2,1,1\\nvalue 11/18", printed)

    def test_checkpoint_is_continued(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "classes.ck")
            words = ["solve", "-T", "8", "4x1,1,1", "--checkpoint", name]
            first, second = self.document(*words), self.document(*words)
            self.assertEqual(first["optimal"]["value"], second["optimal"]["value"])


class CommaTest(ClassesCase):
    def test_tables_tell_the_number_of_classes(self):
        for command in ("compare", "solve", "query", "bound", "simulate"):
            for words, expected in ((["2,1,1"], "(1 instance of 3 classes)"),
                                    (["3x1,1,1,1"], "(3 instances of 4 classes)"),
                                    (["2,1,1", "1,1"], "(2 instances of 2 or 3 classes)")):
                done = run(command, "-T", "1", *words)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(expected, done.stdout)

    def test_likely_decimal_commas_are_a_warning(self):
        for command in ("compare", "solve", "query", "bound", "simulate"):
            for word, meant in (("10x1.5,2,5", "10x1.5,2.5"), ("1,5,1", "1.5,1")):
                done = run(command, "-T", "1", word)
                self.assertEqual(done.returncode, 0)
                self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z")
                self.assertIn(f"write {meant}\n", done.stderr)
                self.assertEqual(run(command, "-T", "1", "--quiet", word).stderr, "")


class RefusalTest(ClassesCase):
    def test_bad_input_is_refused_in_one_line(self):
        for words, expected in (
            (["solve", "-T", "1", "1,1,1@0.5"], "a threshold needs two classes"),
            (["solve", "-T", "1", "1,1,0"], "greater than 0"),
            (["solve", "-T", "1", "1,1,1,1,1,1,1,1,1,1,1"], "10"),
            (["solve", "-T", "1", "--arithmetic", "exact", "1,1,0.5"], "no exact values"),
            (["solve", "-T", "3", "--arithmetic", "exact", "200,200,110"], "no exact values"),
            (["solve", "-T", "1", "--objective", "bandit", "1,1,1"], "no further classes"),
            (["simulate", "-T", "1", "--truth", "beta:1,1", "1,1,1"], "only --truth prior"),
            (["compare", "-T", "4", "--policy", "gittins-inf:20", "1,1,1"], "requires labels of two outcomes"),
            (["compare", "-T", "1", "--policy", "nlu", "1,1,1"], "two classes"),
            (["index", "-T", "1", "--policy", "kg", "1,1,1", "1,1"], "supports one instance"),
        ):
            self.assert_refused(words, expected)

    def test_too_many_posteriors_are_refused_with_their_size(self):
        self.assert_refused(["solve", "-T", "4000", "1,1,1"], "posteriors", 3)
        self.assert_refused(["solve", "-T", "60", "--memory", "100M", "1,1,1,1,1,1"], "limit", 3)


if __name__ == "__main__":
    main()
