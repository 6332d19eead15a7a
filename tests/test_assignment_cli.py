"""Assigning workers to tasks, through the program.

    test_assignment_cli.py PROGRAM [unittest option...]
"""

import json
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import FolderCase, main, run  # noqa: E402


A = ["--accuracies", "0.9,0.6,0.6;0.6,0.9,0.6", "1", "2"]
B = ["--accuracies", "0.9,0.7,0.6", "3x1"]
C = ["--workers-prior", "3x4,1", "2x1"]
D = ["--workers-prior", "3x4,1", "3x1"]
OPTIMA = [  # T = 0, 1, ...
    (A, "1/2 7/10 9/10 9/10 9/10 9/10"),
    (B, "1/2 19/30 23/30 9/10 9/10 9/10"),
    (C, "1/2 13/20 4/5 101/125 107/125 332/375 112/125 112/125"),
    (D, "1/2 3/5 7/10 4/5 304/375 6658/7875 1364/1575"),
]
EXACT = 1e-13


class AssignmentCase(FolderCase):
    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def document(self, command, budget, *words):
        done = run(command, "--problem", "assignment", "-T", str(budget), "--json", *words)
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        return json.loads(done.stdout)

    def assert_refused(self, expected, *words, status=2):
        super().assert_refused(words, expected, status)


class OptimumTest(AssignmentCase):
    def test_known_optima(self):
        for problem, row in OPTIMA:
            for budget, value in enumerate(row.split()):
                with self.subTest(problem=problem, budget=budget):
                    found = self.document("solve", budget, *problem)["optimal"]
                    self.assertAlmostEqual(found["value"], float(Fraction(value)), delta=EXACT)
                    self.assertLess(found["error_bound"], 1e-13)

    def test_one_label_ahead(self):
        for budget, values in [(5, (0.834962962963, 0.837333333333, 0.832)),
                               (6, (0.859885714286, 0.865015873016, 0.837333333333))]:
            rows = self.document("compare", budget, "--policy", "kg-exact", "--ties",
                                 "random,best,worst", *D)["policies"]
            for row, value in zip(rows, values):
                self.assertAlmostEqual(row["value"], value, delta=1e-12)

    def test_fractions(self):
        for problem, row in OPTIMA:
            for budget, value in list(enumerate(row.split()))[:6]:
                with self.subTest(problem=problem, budget=budget):
                    found = self.document("solve", budget, "--arithmetic", "exact", *problem)
                    self.assertEqual(found["optimal"]["value_exact"], str(Fraction(value)))
        found = self.document("query", 3, "--arithmetic", "exact", "--history", "1@1+", *C)
        for action in found["actions"]:
            self.assertAlmostEqual(action["q"], float(Fraction(action["q_exact"])), delta=1e-15)
        plain = self.document("query", 3, "--history", "1@1+", *C)
        for x, y in zip(found["actions"], plain["actions"]):
            self.assertAlmostEqual(x["q"], y["q"], delta=EXACT)

    def test_q_after_a_history(self):
        found = self.document("query", 4, "--history", "1@2+ 1@3-", *A)
        q = {action["text"]: action["q"] for action in found["actions"]}
        self.assertEqual(sorted(q), ["task 1 by worker 1", "task 2 by worker 1",
                                     "task 2 by worker 2", "task 2 by worker 3"])
        # Task 1 is at 1/2, an exact tie: each good worker alone is right with probability 9/10.
        self.assertAlmostEqual(q["task 1 by worker 1"], 0.4, delta=EXACT)
        self.assertAlmostEqual(q["task 2 by worker 2"], 0.4, delta=EXACT)
        self.assertAlmostEqual(q["task 2 by worker 1"], 0.25, delta=EXACT)

    def test_more_labels_than_cells_are_lost(self):
        values = [self.document("solve", budget, *D)["optimal"]["value"] for budget in (9, 50)]
        self.assertEqual(values[0], values[1])
        self.assertAlmostEqual(values[0], 0.896, delta=EXACT)

    def test_sure_workers(self):
        found = self.document("solve", 2, "--accuracies", "1,0", "2x1")["optimal"]
        self.assertEqual(found["value"], 1)

    def test_one_worker(self):
        found = self.document("compare", 2, "--accuracies", "0.75", "--policy", "kg-exact", "2x1")
        self.assertAlmostEqual(found["optimal"]["value"], 0.75, delta=EXACT)
        self.assertAlmostEqual(found["policies"][0]["value"], 0.75, delta=EXACT)


class PolicyTest(AssignmentCase):
    ROWS = [  # problem, T, policy: own value, called exactly
        (A, 5, "naive", 373 / 500, 17 / 20),
        (A, 5, "opt-kg", 154327 / 200000, 3439 / 4000),
        (A, 4, "kg", 0.7455, 0.806333333333),
        (A, 5, "opt-kg-multi", 373 / 500, 17 / 20),
        (A, 5, "bbta:0", 0.727466372505, 0.793198752536),
        (A, 5, "bbta:0,fresh", 0.726352450240, 0.793153021096),
        (A, 5, "bbta:0,skip", 0.77176, 0.86),
        (B, 5, "naive", 0.734206349206, 0.789682539683),
        (B, 4, "bbta:1", 0.690141415342, 0.712141415342),
        (C, 5, "opt-kg", 1321 / 1500, 332 / 375),
        (C, 4, "bbta:1,skip", 0.850853150179, 0.850853150179),
    ]

    def test_known_values(self):
        for problem, budget, policy, own, called in self.ROWS:
            with self.subTest(problem=problem, budget=budget, policy=policy):
                row = self.document("compare", budget, "--policy", policy, *problem)["policies"][0]
                self.assertAlmostEqual(row["value"], own, delta=1e-11)
                self.assertAlmostEqual(row["called_value"], called, delta=1e-11)
                self.assertAlmostEqual(row["labels"], budget, delta=1e-12)

    def test_policies_that_end(self):
        five = ["--accuracies", "0.9,0.7,0.6", "5x1"]
        row = self.document("compare", 1000, "--policy", "iethresh:0.5", *five)["policies"][0]
        self.assertAlmostEqual(row["value"], 1975497723 / 2500000000, delta=1e-12)
        self.assertAlmostEqual(row["called_value"], 42364497 / 50000000, delta=1e-12)
        self.assertAlmostEqual(row["labels"], 299631 / 25000, delta=1e-12)
        three = ["--accuracies", "0.9,0.8,0.7,0.6", "3x1"]
        row = self.document("compare", 1000, "--policy", "crowdsense:-0.1", *three)["policies"][0]
        self.assertAlmostEqual(row["value"], 35235597 / 40000000, delta=1e-12)
        self.assertAlmostEqual(row["labels"], 9, delta=1e-12)

    def test_fractions_of_policies(self):
        rows = self.document("compare", 4, "--arithmetic", "exact", "--policies",
                             "naive,opt-kg", *A)["policies"]
        self.assertEqual([row["value_exact"] for row in rows], ["449/625", "1193/1600"])
        for policy in ("kg-exact", "bbta:0"):
            self.assert_refused("", "compare", "--problem", "assignment", "-T", "2",
                                "--arithmetic", "exact", "--policy", policy, *A)

    def test_usual_policies(self):
        for budget, problem, names in [
                (3, A, "naive opt-kg opt-kg-multi bbta:0"),
                (6, A, "naive opt-kg opt-kg-multi bbta:0 bbta:1"),
                (3, C, "naive opt-kg bbta:0 bbta:1")]:
            rows = self.document("compare", budget, *problem)["policies"]
            self.assertEqual([row["name"] for row in rows], names.split())

    def test_what_policies_refuse(self):
        for expected, *words in [
                ("EPS", "--policy", "iethresh:much", *A), ("", "--policy", "bbta:x", *A),
                ("", "--policy", "bbta:5", *A), ("does not support", "--policy", "gittins-fh", *A)]:
            self.assert_refused(expected, "compare", "--problem", "assignment", "-T", "3", *words)
        self.assert_refused("does not support --history", "query", "--problem", "assignment", "-T", "3",
                            "--history", "1@1+", "--policy", "bbta:0", *A)
        self.assert_refused("--problem assignment", "compare", "-T", "3", "--policy", "bbta:0",
                            "1,1")

    def test_more_histories_than_allowed(self):
        row = self.document("compare", 5, "--max-histories", "100", "--policy", "bbta:0", *A)["policies"][0]
        self.assertEqual((row["status"], row["engine"]), ("simulated", None))
        self.assertAlmostEqual(row["value"], 0.727466372505, delta=6 * row["standard_error"])


class BoundTest(AssignmentCase):
    def test_lagrangian(self):
        two = ["--accuracies", "0.7,0.7,0.7", "2x1"]
        optima = "3/5 7/10 7/10 371/500 19159/25000 98/125".split()
        bounds = "3/5 7/10 259/355 539/710 98/125 98/125".split()
        for budget, (optimum, value) in enumerate(zip(optima, bounds), 1):
            found = self.document("compare", budget, *two)
            self.assertAlmostEqual(found["optimal"]["value"], float(Fraction(optimum)), delta=EXACT)
            bound = found["bounds"]["lagrangian_scalar"]
            self.assertAlmostEqual(bound["value"], float(Fraction(value)), delta=EXACT)
            self.assertGreaterEqual(bound["value"], float(Fraction(value)))
            found = self.document("bound", budget, "--arithmetic", "exact", *two)
            self.assertEqual(found["bounds"]["lagrangian_scalar"]["value_exact"],
                             str(Fraction(value)))
        self.assertAlmostEqual(self.document("bound", 1, *two)["bounds"]["lagrangian_scalar"]
                               ["price"], 0.2, delta=EXACT)

    def test_lagrangian_is_the_optimum(self):
        for problem in (A, B):
            for budget in range(7):
                found = self.document("compare", budget, "--policy", "naive", *problem)
                self.assertAlmostEqual(found["bounds"]["lagrangian_scalar"]["value"],
                                       found["optimal"]["value"], delta=EXACT)

    def test_any_number_of_tasks(self):
        found = self.document("bound", 5265, "--accuracies", "0.9,0.7,0.6;0.6,0.6,0.9", "500x1",
                              "500x2")
        self.assertAlmostEqual(found["bounds"]["lagrangian_scalar"]["value"], 0.9072, delta=0.01)
        self.assertIsNone(found["bounds"]["everything"]["value"])

    def test_everything(self):
        for budget in (4, 9):
            found = self.document("compare", budget, "--policy", "naive", *D)["bounds"]
            self.assertAlmostEqual(found["everything"]["value"], 0.896, delta=EXACT)


class AccuraciesTest(AssignmentCase):
    def test_file_and_words_are_the_same(self):
        lines = "context\tworker\taccuracy\nfar\tann\t0.9\nnear\tbob\t.9\nnear\tann\t0.6\n" \
                "far\tbob\t0.6\n# a remark\nunused\tann\t0\nunused\tbob\t1\n"
        path = self.file("accuracies.tsv", lines)
        by_words = self.document("solve", 2, "--accuracies", "0.9,0.6;0.6,0.9", "1", "2x2")
        for words in (["far", "2xnear"], ["1", "2x2"]):
            found = self.document("solve", 2, "--accuracies", path, *words)
            self.assertEqual(found["optimal"]["value"], by_words["optimal"]["value"])
        self.assertEqual([row["context"] for row in found["problem"]["instances"]], ["far", "near"])
        self.assertEqual([row["name"] for row in found["problem"]["workers"]], ["ann", "bob"])

    def test_contexts_are_any_words(self):
        path = self.file("accuracies.tsv", "kg\tann\t0.9\n3 x\tann\t0.6\n--\tann\t0.7\n")
        found = self.document("solve", 3, "--accuracies", path, "kg", "3 x", "--", "--")
        self.assertAlmostEqual(found["optimal"]["value"], 2.2 / 3, delta=EXACT)

    def test_bad_files(self):
        for text, expected in [
                ("a\tb\n", "line 1: the line must be a context, a worker and an accuracy"),
                ("a\tb\t0.5\na\tb\t0.6\n", "line 2: a second accuracy of worker 'b' in context 'a'"),
                ("a\tb\t1.5\n", "line 1: the accuracy must be from 0 to 1, not '1.5'"),
                ("a\tb\tx\n", "line 1: the accuracy must be from 0 to 1, not 'x'"),
                ("a\tb\t0.5\nc\td\t0.6\n", "worker 'd' has no accuracy in context 'a'"),
                ("\n", "no line has an accuracy")]:
            path = self.file("bad.tsv", text)
            self.assert_refused(expected, "solve", "--problem", "assignment", "-T", "1",
                                "--accuracies", path, "1")

    def test_bad_words(self):
        for expected, *words in [
                ("context S from 1 to 2", *A[:2], "3"),
                ("context S from 1 to 1000", "--workers-prior", "4,1", "0"),
                ("context S from 1 to 1000", "--workers-prior", "4,1", "99999999999x1"),
                ("requires workers", "1"),
                ("requires words [COUNTx]S", "--workers-prior", "4,1"),
                ("cannot be combined", "--workers-prior", "4,1", *B),
                ("numbers from 0 to 1", "--accuracies", "0.9,1.1", "1"),
                ("numbers from 0 to 1", "--accuracies", "", "1"),
                ("different workers", "--accuracies", "0.9;0.8,0.7", "1"),
                ("cannot be opened", "--accuracies", "no-such-file.tsv", "1"),
                ("must be a Beta", "--workers-prior", "4,1@0.3", "1"),
                ("-T", "--workers-prior", "4,1", "1", "--budget=-1")]:
            budget = [] if "--budget=-1" in words else ["-T", "4"]
            self.assert_refused(expected, "solve", "--problem", "assignment", *budget, *words)

    def test_bad_histories(self):
        for expected, *words in [
                ("is a second label by this worker", *C, "--history", "1@1+,1@1-"),
                ("must be a label of an instance, 1 to 2", *C, "--history", "3@1+"),
                ("must be a label of two classes", *C, "--history", "1@1:2"),
                ("impossible", "--accuracies", "1,1", "1", "--history", "1@1+,1@2-")]:
            self.assert_refused(expected, "query", "--problem", "assignment", "-T", "4", *words)

    def test_too_large(self):
        for expected, *words in [("at most 20 labelled tasks", "--workers-prior", "4,1", "30x1"),
                                 ("at most 31 workers", "--workers-prior", "40x4,1", "3x1"),
                                 ("at most 256 tasks", "--workers-prior", "4x4,1", "300x1")]:
            self.assert_refused(expected, "solve", "--problem", "assignment", "-T", "25", *words,
                                status=3)


class PlayTest(AssignmentCase):
    def test_tree(self):
        done = run("tree", "--problem", "assignment", "-T", "2", *A)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("task 1 by worker 1", done.stdout)
        self.assertIn("1@1+", done.stdout)


if __name__ == "__main__":
    main()
