"""Labels in batches, through the program, against the definition written out in fractions.

    test_batch_cli.py PROGRAM [unittest option...]
"""

import functools
import itertools
import json
import math
import re
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import Case, main, run  # noqa: E402


def tail(a, b):
    """P(theta > 1/2) for Beta(a, b), whole parameters."""
    n = a + b - 1
    return Fraction(sum(math.comb(n, j) for j in range(a)), 2**n)


def call(state):
    return sum(max(tail(a, b), 1 - tail(a, b)) for a, b in state)


def outcomes(state, batch):
    """[(chance, state)] after batch[i] labels of each instance i, one after another."""
    found = [(Fraction(1), list(state))]
    for i, labels in enumerate(batch):
        for _ in range(labels):
            split = []
            for chance, now in found:
                a, b = now[i]
                split.append((chance * Fraction(a, a + b), now[:i] + [(a + 1, b)] + now[i + 1:]))
                split.append((chance * Fraction(b, a + b), now[:i] + [(a, b + 1)] + now[i + 1:]))
            found = split
    return [(chance, tuple(now)) for chance, now in found]


def batches(instances, labels):
    """All ways to order so many labels."""
    if instances == 1:
        return [(labels,)]
    return [(first, *rest) for first in range(labels + 1)
            for rest in batches(instances - 1, labels - first)]


@functools.cache
def optimum(state, left, size):
    if left == 0:
        return call(state)
    return max(sum(chance * optimum(tuple(sorted(after)), left - min(size, left), size)
                   for chance, after in outcomes(state, batch))
               for batch in batches(len(state), min(size, left)))


def fillings(index, labels):
    """All batches that fill rounds with this index; they are equally likely."""
    places = range(len(index))
    rounds, rest = divmod(labels, len(index))
    chosen = [some for some in itertools.permutations(places, rest)
              if all(index[some[j]] == max(index[i] for i in places if i not in some[:j])
                     for j in range(rest))]
    # each of the tied instances is drawn with the same probability, independent of earlier draws
    return [tuple(rounds + (i in some) for i in places) for some in chosen]


def gains(a, b):
    """The call after a positive and after a negative label, and before."""
    return call([(a + 1, b)]), call([(a, b + 1)]), call([(a, b)])


INDEX = {
    "uniform": lambda a, b: 0,
    "kg": lambda a, b: (a * gains(a, b)[0] + b * gains(a, b)[1]) / (a + b) - gains(a, b)[2],
    "opt-kg": lambda a, b: max(gains(a, b)[:2]) - gains(a, b)[2],
}


def policy(name, state, left, size):
    if left == 0:
        return call(state)
    some = fillings([INDEX[name](a, b) for a, b in state], min(size, left))
    return sum(chance * policy(name, after, left - min(size, left), size)
               for batch in some for chance, after in outcomes(state, batch)) / len(some)


PROBLEMS = [("1,1", 4), ("2x1,1", 5), ("2x1,1 2,1", 4), ("3x1,1", 5), ("1,1 2,3 4,1", 4)]


def instances(words):
    found = []
    for word in words.split():
        copies, _, prior = word.rpartition("x")
        found += [tuple(map(int, prior.split(",")))] * int(copies or 1)
    return tuple(found)


class ValueTest(Case):
    def check(self, stated, exact, error):
        self.assertLessEqual(abs(Fraction(stated) - exact), Fraction(error))
        self.assertLess(error, 1e-12)

    def test_the_optimum_and_policies_are_those_of_the_definition(self):
        for words, labels in PROBLEMS:
            for size in range(1, labels + 1):
                state = instances(words)
                found = self.document("compare", "-T", str(labels), "--batch", str(size),
                                      *words.split(), "--policies", ",".join(INDEX), "--explain")
                optimal = found["optimal"]
                exact = optimum(tuple(sorted(state)), labels, size)
                self.check(optimal["value"], exact, optimal["error_bound"])
                for row in found["policies"]:
                    value = policy(row["name"], state, labels, size)
                    self.check(row["value"], value, row["error_bound"])
                    self.check(row["explain"]["total"], exact - value, row["explain"]["error_bound"])

    def test_fractions_are_those_of_the_definition(self):
        for words, labels in PROBLEMS[:4]:
            for size in (1, 2, 3, labels + 2):
                state = instances(words)
                options = ["-T", str(labels), "--batch", str(size), "--arithmetic", "exact", *words.split()]
                exact = optimum(tuple(sorted(state)), labels, size)
                found = self.document("compare", *options, "--policies", ",".join(INDEX))
                self.assertEqual(Fraction(found["optimal"]["value_exact"]), exact)
                for row in found["policies"]:
                    self.assertEqual(Fraction(row["value_exact"]), policy(row["name"], state, labels, size))
                best = max(Fraction(row["q_exact"]) for row in self.document("query", *options)["instances"])
                self.assertEqual(best, Fraction(found["optimal"]["gain_exact"]))

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

    def test_every_q_is_at_most_the_best_and_the_best_is_the_value(self):
        words = ["-T", "6", "--batch", "3", "2x1,1", "2,1", "3,1"]
        found = self.document("query", *words)
        optimal = self.document("solve", *words)["optimal"]
        best = max(row["q"] for row in found["instances"])
        self.assertAlmostEqual(best, optimal["gain"], delta=2 * optimal["error_bound"])

    def test_nothing_depends_on_reductions(self):
        # a tree has states without merging
        for words, labels in PROBLEMS:
            for size in (2, 3):
                options = ["-T", str(labels), "--batch", str(size), *words.split()]
                shown = re.search(r's0 \[[^\n]*left, value ([0-9.]+)', self.answer("tree", *options))
                gain = self.document("solve", *options)["optimal"]["gain"]
                self.assertAlmostEqual(float(shown[1]), gain, delta=5e-6)  # five digits are shown

    def test_ties_by_the_first_and_bracketed(self):
        rows = {}
        found = self.document("compare", "-T", "8", "--batch", "3", "4x1,1", "--policies", "kg",
                              "--ties", "random,first,best,worst")
        for row in found["policies"]:
            rows[row["ties"]] = row["value"]
        for value in rows.values():
            self.assertTrue(rows["worst"] <= value <= rows["best"])


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
