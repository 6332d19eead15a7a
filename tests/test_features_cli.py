"""The program's instances with features: --features and its other options.

    test_features_cli.py PROGRAM [unittest option...]

Values are compared with Simpson's rule over one weight, written out here.
"""

import itertools
import math
import sys

sys.dont_write_bytecode = True
from cli import FolderCase, main, run  # noqa: E402

POLICIES = ["uniform", "kg", "opt-kg", "kg-exact", "opt-kg-exact"]
# Steps of h = 0.01: h^4 / 180 = 6e-11, times the third derivative at 0, for a dozen integrals.
SIMPSON_ERROR = 1e-9


def sigma(t):
    return 1 / (1 + math.exp(-t))


class Definition:
    """Calls of instances x_i with one weight, w ~ N(mean, sd^2)."""

    def __init__(self, rows, mean, sd):
        self.rows, self.mean, self.sd = rows, mean, sd
        self.known = {}

    def half(self, counts, sign):
        """The integral of density times likelihood over w * sign >= 0."""
        steps, reach = 1500, 15
        total = 0
        for k in range(steps + 1):
            w = sign * reach * k / steps
            z = (w - self.mean) / self.sd
            value = math.exp(-z * z / 2) / (self.sd * math.sqrt(2 * math.pi))
            for x, (negative, positive) in zip(self.rows, counts):
                value *= sigma(w * x) ** positive * sigma(-w * x) ** negative
            total += value * (1 if k in (0, steps) else 4 if k % 2 else 2)
        return total * reach / steps / 3

    def halves(self, counts):
        if counts not in self.known:
            self.known[counts] = (self.half(counts, -1), self.half(counts, 1))
        return self.known[counts]

    def evidence(self, counts):
        return sum(self.halves(counts))

    def correct(self, counts):
        return len(self.rows) * max(self.halves(counts)) / self.evidence(counts)


class FeaturesCase(FolderCase):
    def file(self, text, name="features.tsv"):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)


class ValueTest(FeaturesCase):
    rows = [0.5, 1.5, -1]
    file_text = "x\tpositive\tnegative\n0.5\t0\t0\n1.5\t1\t0\n-1\t0\t0\n"
    weights = ["--weight-mean", "0.3", "--weight-sd", "1.2"]
    root = ((0, 0), (0, 1), (0, 0))

    def setUp(self):
        super().setUp()
        self.truth = Definition(self.rows, 0.3, 1.2)
        self.words = ["-T", "2", "--features", self.file(self.file_text), *self.weights]

    def test_compare_values_its_policies(self):
        found = self.document("compare", *self.words)
        self.assertEqual({name: bound["value"] for name, bound in found["bounds"].items()},
                         dict.fromkeys(["lagrangian_scalar", "lagrangian_vector",
                                        "prevailing_charge", "priced_end"]))
        self.assertEqual([row["name"] for row in found["policies"]], POLICIES)
        self.assertAlmostEqual(found["call_value"], self.truth.correct(self.root),
                               delta=SIMPSON_ERROR)
        for row in found["policies"]:
            self.assertEqual(row["status"], "ok")
            self.assertGreaterEqual(row["gap"], 0)
            has_own_calls = row["name"] in ("kg", "opt-kg")
            self.assertEqual(row["called_value"] is not None, has_own_calls, row)
            if has_own_calls:
                self.assertLessEqual(row["value"], row["called_value"] + 2 * row["error_bound"])

    def test_problem_is_told_back(self):
        problem = self.document("compare", *self.words)["problem"]
        self.assertEqual(problem["budget"], 2)
        self.assertEqual(problem["weight_mean"], [0.3])
        self.assertEqual(problem["weight_sd"], [1.2])
        self.assertEqual(problem["instances"][1],
                         {"features": [1.5], "positive": 1, "negative": 0, "count": 1})

    def test_many_features_can_be_asked_about(self):
        path = self.file("a\tb\tc\n1\t2\t3\n-1\t.5\t0\n")
        found = self.document("query", "-T", "3", "--features", path)
        self.assertEqual([action["q"] for action in found["actions"]], [None, None])
        self.assertEqual(found["policies"]["uniform"], [0, 1])
        self.assertEqual(found["policies"]["kg"], [0])
        for words, expected in ((["-T", "3"], "(without a bound of its error)"), (["-T", "0"], "No labels are")):
            done = run("query", *words, "--features", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(expected, done.stdout)
        self.assert_refused(["compare", "-T", "3", "--features", path], "one or two features")
        self.assert_refused(["query", "-T", "3", "--policy", "kg-exact", "--features", path],
                            "one or two features")

    def test_only_what_saves_is_advised(self):
        path = self.file("a\tb\n1\t2\n-1\t.5\n.3\t1\n1\t1\n")
        for command, problem, saves in (("query", ["12x1,1@0.7"], False),
                                        ("solve", ["12x1,1@0.7"], True),
                                        ("query", ["--features", path], False),
                                        ("solve", ["--features", path], False),
                                        ("compare", ["--features", path], False)):
            done = run(command, "-T", "40", "--time-limit", "0.2", *problem)
            self.assertEqual(done.returncode, 3)
            self.assertEqual("--checkpoint" in done.stderr, saves, done.stderr)

    def test_limits_end_with_a_bracket(self):
        path = self.file("a\tb\n1\t2\n-1\t.5\n.3\t1\n1\t1\n")
        done = run("compare", "-T", "40", "--time-limit", "0.2", "--features", path)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stdout, r"at most +4 \(every call right\)")


def laplace(mean, variance, x, label):
    """The maximum of ln sigma(y w x) - (w - mean)^2 / (2 variance) by bisection, and the curvature there."""
    y = 1 if label else -1
    low, high = mean - 1 - variance * abs(x), mean + 1 + variance * abs(x)
    for _ in range(200):
        middle = (low + high) / 2
        slope = y * x * sigma(-y * middle * x) - (middle - mean) / variance
        low, high = (middle, high) if slope > 0 else (low, middle)
    s = sigma(low * x)
    return low, 1 / (1 / variance + s * (1 - s) * x * x)


class RunsTest(FeaturesCase):
    covariance = "a\tb\n2\t1.2\n1.2\t1\n"

    def test_means_are_near_the_exact_values(self):
        words = ["-T", "3", "--weight-mean", "0.4,-0.2", "--weight-covariance", self.file(self.covariance, "cov.tsv"),
                 "--policies", "kg,opt-kg", "--features", self.file("a\tb\n1\t2\n-1\t.5\n.3\t1\n.3\t1\n")]
        exact = {row["name"]: row for row in self.document("compare", *words)["policies"]}
        played = self.document("simulate", "--runs", "6000", *words)
        call = self.document("compare", *words)["call_value"]
        self.assertAlmostEqual(played["call_value"], call, delta=1e-10)
        for row in played["policies"]:
            self.assertLess(abs(row["mean"] - exact[row["name"]]["value"]), 5 * row["standard_error"], row)

    def test_uniform_calls_with_laplace(self):
        rows, mean, sd = [0.5, 1.5, -1], 0.3, 1.2
        truth, value = Definition(rows, mean, sd), 0
        for history in itertools.product(range(3), range(2), repeat=2):
            counts, belief = [[0, 0] for _ in rows], (mean, sd * sd)
            for instance, label in zip(history[::2], history[1::2]):
                counts[instance][label] += 1
                belief = laplace(*belief, rows[instance], label)
            halves = truth.halves(tuple(map(tuple, counts)))  # w < 0, w >= 0
            value += sum(halves[(x > 0) == (belief[0] * x >= 0)] for x in rows) / 9
        words = ["-T", "2", "--weight-mean", "0.3", "--weight-sd", "1.2", "--features", self.file("x\n.5\n1.5\n-1\n")]
        found = self.document("simulate", "--runs", "6000", "--policies", "uniform", *words)["policies"][0]
        self.assertLess(abs(found["mean"] - value), 5 * found["standard_error"])

    def test_any_number_of_features_and_labels(self):
        rows = ["\t".join(f"{math.cos(i * i + 3 * d):.3f}" for d in range(12)) for i in range(6)]
        path = self.file("\n".join(["\t".join(f"x{d}" for d in range(12)), *rows]))
        found = self.document("simulate", "-T", "300", "--at", "0,100", "--counts", "--runs", "4", "--features", path)
        for row in found["policies"]:
            self.assertEqual([point["labels"] for point in row["points"]], [0, 100, 300])
            self.assertAlmostEqual(sum(row["by_instance"]), 300)
            self.assertAlmostEqual(row["points"][2]["accuracy"], row["mean"] / 6)

    def test_truth_may_be_given(self):
        path = self.file("a\tb\n1\t0\n0\t1\n")
        words = ["simulate", "-T", "40", "--runs", "4", "--features", path, "--truth"]
        for row in self.document(*words, "list:1,0")["policies"]:
            self.assertEqual(row["mean"], 2)
        self.document(*words, "beta:2,1")
        for truth, expected in (("list:1,0,1", "--truth lists 3 numbers, but there are 2 instances"),
                                ("list:1,2", "the soft label 2 must be from 0 to 1"),
                                ("workers:1,1", "must be prior, list:X,X,... or beta:A,B with --features"),
                                ("uniform:0,1", "must be prior, list:X,X,... or beta:A,B with --features")):
            self.assert_refused([*words, truth], expected)

    def test_refusals(self):
        path = self.file("a\tb\n1\t0\n0\t1\n")
        had = self.file("a\tpositive\n1\t1\n", "had.tsv")

        def cov(text):
            return ["solve", "-T", "1", "--features", path,
                    "--weight-covariance", self.file(text, f"cov{hash(text)}.tsv")]

        cases = [
            (["simulate", "-T", "2", "--features", had], "simulate does not support labels so far"),
            (["simulate", "-T", "2", "--features", path, "--policies", "kg-exact"], "does not support policy 'kg-exact'"),
            (["simulate", "-T", "2", "--features", path, "--memory", "1"], "memory"),
            (["simulate", "-T", "2", "--features", path, "--workers-prior", "1,1"], "different problem types"),
            ([*cov(self.covariance), "--weight-sd", "1"], "cannot be combined"),
            (cov("a\n1\n"), "must have 2 lines and columns, one for each feature of"),
            (cov("a\tb\n1\t0\n"), "not 1 lines and 2 columns"),
            (cov("a\tb\n1\t0.5\n0.4\t1\n"), "must be symmetric; the covariances of weights 1 and 2 are 0.5 and 0.4"),
            (cov("a\tb\n1\t1\n1\t1\n"), "must be positive definite; weight 2"),
            (cov("a\tb\n-1\t0\n0\t1\n"), "must be positive definite; weight 1"),
        ]
        for words, expected in cases:
            self.assert_refused(words, expected, 3 if "memory" == expected else 2)


class FileTest(FeaturesCase):
    def test_columns_are_known_by_their_names(self):
        texts = ("x\tpositive\tnegative\n0.5\t2\t0\n1.5\t1\t3\n",
                 "negative\tx\tpositive\n0\t0.5\t2\n3\t1.5\t1\n",
                 "\ufeffpositive\tx\tnegative\r\n\r\n2\t.5\t0\r\n1\t15e-1\t3")
        values = {self.document("solve", "-T", "2", "--features", self.file(text))["optimal"]["value"]
                  for text in texts}
        self.assertEqual(len(values), 1)


class RefusalTest(FeaturesCase):
    def test_files(self):
        good = "a\tb\n1\t2\n"
        cases = [
            ("", "the table has no instances"),
            ("a\tb\n", "the table has no instances"),
            ("1\t2\n3\t4\n", "the first line must name the columns"),
            ("a\ta\n1\t2\n", "names two columns"),
            ("a\t\n1\t2\n", "a column has no name"),
            ("positive\tnegative\n1\t2\n", "no column has a feature"),
            (good + "1\n", "line 3: 1 columns, but the first line has 2"),
            (good + "1\tx\n", "line 3: 'x' must be a decimal"),
            (good + "1\tnan\n", "'nan' must be a decimal"),
            (good + "1\t0x1p3\n", "'0x1p3' must be a decimal"),
            (good + "1\t1e999\n", "'1e999' must be a decimal"),
            (good + "1\t\n", "'' must be a decimal"),
            ("a\tpositive\n1\t-1\n", "'-1' must be a number of labels"),
            ("a\tpositive\n1\t256\n", "'256' must be a number of labels"),
            ("a\tpositive\n1\t250\n1\t5\n", "at most 255 labels"),
            (b"a\tb\n1\t2\0\n", "a NUL byte"),
            ("\t".join(f"c{i}" for i in range(1003)) + "\n", "more than 1002 columns"),
        ]
        for text, expected in cases:
            with self.subTest(expected=expected):
                self.assert_refused(["solve", "-T", "3", "--features", self.file(text)], expected)
        self.assert_refused(["solve", "-T", "3", "--features", str(self.folder / "none")],
                            "No such file")
        self.assert_refused(["solve", "-T", "3", "--features", str(self.folder)], "a directory")

    def test_files_that_are_odd_but_right(self):
        plain = self.document("solve", "-T", "2", "--features", self.file("a\n1\n2\n"))
        for text in ["\ufeffa\r\n1\r\n2\r\n", "a\n\n1\n\n2", "negative\ta\n0\t+1.0\n0\t20e-1\n"]:
            odd = self.document("solve", "-T", "2", "--features", self.file(text))
            self.assertEqual(odd["optimal"]["value"], plain["optimal"]["value"])

    def test_options(self):
        path = self.file("a\tb\n1\t2\n")
        cases = [
            (["-T", "3", "--weight-sd", "1"], "--features FILE is missing"),
            (["--features", path], "-T N"),
            (["-T", "3", "--features", path, "1,1"], "omit the INSTANCE words"),
            (["-T", "3", "--features", path, "--weight-sd", "0"], "greater than 0"),
            (["-T", "3", "--features", path, "--weight-sd=-1"], "greater than 0"),
            (["-T", "3", "--features", path, "--weight-mean", "1,2,3"], "3 numbers"),
            (["-T", "3", "--features", path, "--weight-mean", "1,"], "--weight-mean must be"),
            (["-T", "3", "--features", path, "--weight-mean", "inf"], "--weight-mean must be"),
            (["-T", "256", "--features", path], "at most 255 labels"),
            (["-T", "3", "--features", path, "--arrival-rate", "1"], "different problem types"),
        ]
        for words, expected in cases:
            self.assert_refused(["solve", *words], expected)
        self.assert_refused(["compare", "-T", "3", "--features", path, "--policy", "gittins-fh"],
                            "does not support instances with features")
        self.assert_refused(["compare", "-T", "3", "--features", path, "--arithmetic", "exact"],
                            "--arithmetic exact does not support instances with features")
        self.assert_refused(["bound", "-T", "3", f"--features={path}"],
                            "bound does not support instances with features")


if __name__ == "__main__":
    main()
