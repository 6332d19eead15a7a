"""Arms told by Python functions."""

import doctest
import math
import pathlib
import sys
import unittest
from fractions import Fraction

import numpy as np
import optgap

sys.dont_write_bytecode = True


def right(node):
    """P(the call is right) of Beta(a, b): at least a of a + b - 1 coins show heads with P(soft label < 1/2)."""
    a, b = node
    below = Fraction(sum(math.comb(a + b - 1, k) for k in range(a, a + b)), 2**(a + b - 1))
    return max(below, 1 - below)


def label(node):
    a, b = node
    return {"+": (Fraction(a, a + b), (a + 1, b)), "-": (Fraction(b, a + b), (a, b + 1))}


class Judge:
    """Three votes of one kind end it; counts how often each node is asked."""

    def __init__(self):
        self.asked, self.valued = {}, {}

    def outcomes(self, votes):
        self.asked[votes] = self.asked.get(votes, 0) + 1
        yes = 1 / (1 + 3.0 ** -votes)
        p = 0.75 * yes + 0.25 * (1 - yes)
        return [(p, votes + 1), (1 - p, votes - 1)] if abs(votes) < 3 else []

    def value(self, votes):
        self.valued[votes] = self.valued.get(votes, 0) + 1
        return 1 / (1 + 3.0 ** -abs(votes))


class ArmTest(unittest.TestCase):
    def test_a_beta_as_an_arm_is_the_prior(self):
        arm = optgap.arm((1, 1), label, value=right)
        policies = ["uniform", "kg", "gittins-fh", "lagrangian"]
        for exact in (False, True):
            own = optgap.compare(7, [(3, arm), "2,1"], policies=policies, exact=exact)
            prior = optgap.compare(7, "3x1,1 2,1", policies=policies, exact=exact)
            self.assertEqual(own.value, prior.value)
            self.assertEqual([row.value for row in own.rows], [row.value for row in prior.rows])
        self.assertEqual(optgap.solve("5each", [(100, arm)]).value, optgap.solve("5each", "100x1,1").value)

    def test_different_arms_differ(self):
        first, second = (optgap.arm("x", lambda node, p=p: [(p, "y"), (1 - p, "x")] if node == "x" else [],
                                    value=lambda node: node == "y") for p in (Fraction(1, 2), Fraction(1, 3)))
        for T, value in (("2each", Fraction(3, 4) + Fraction(5, 9)), (2, Fraction(1, 2) + Fraction(1, 2) * Fraction(1, 2) + Fraction(1, 2) * Fraction(1, 3))):
            self.assertEqual(optgap.solve(T, [first, second], exact=True).value, value)

    def test_each_node_is_asked_once_and_only_if_labels_reach_it(self):
        counts = {}

        def counted(node):
            counts[node] = counts.get(node, 0) + 1
            return label(node)
        arm = optgap.arm((1, 1), counted, value=right)
        optgap.solve(3, [arm])
        self.assertEqual(counts, {(a, b): 1 for a in range(1, 4) for b in range(1, 5 - a)})
        optgap.solve(2, [arm])
        optgap.compare(5, [(2, arm), arm])
        self.assertEqual(counts, {(a, b): 1 for a in range(1, 6) for b in range(1, 7 - a)})
        judge = Judge()
        arm = optgap.arm(0, judge.outcomes, value=judge.value)
        optgap.solve(9, [(3, arm)])
        optgap.solve(90, [arm])
        self.assertEqual((judge.asked, judge.valued), (dict.fromkeys(range(-3, 4), 1), dict.fromkeys(range(-3, 4), 1)))

    def test_numbers_are_fractions_or_have_17_digits(self):
        arm = optgap.arm("x", lambda node: [(Fraction(1, 3), "y", 0.1), (np.float32(0.5), "y", 2), (Fraction(1, 6), "x", -1)]
                         if node == "x" else [], value=0.3)
        self.assertEqual(arm.table(1).split("\n")[:5], [
            "node\toutcome\tprobability\tnext\tvalue\treward", "x\t1\t1/3\ty\t0.29999999999999999\t0.10000000000000001",
            "x\t2\t0.5\ty\t0.29999999999999999\t2/1", "x\t3\t1/6\tx\t0.29999999999999999\t-1/1",
            "y\t\t\t\t0.29999999999999999\t"])
        self.assertEqual(arm.table(0).split("\n")[1:], ["x\t\t\t\t0.29999999999999999\t", ""])
        # One label: 0.1 / 3 + 2 / 2 - 1 / 6; the second from x with 1/6.
        once = Fraction(0.1) / 3 + 1 - Fraction(1, 6)
        found = optgap.solve(2, [arm], exact=True).optimal.value_exact
        self.assertLess(abs(Fraction(found) - Fraction(3, 10) - once * Fraction(7, 6)), Fraction(1, 10**15))

    def test_names_of_nodes(self):
        """Texts of nodes where they are short, can be printed and differ; else numbers."""
        nodes = [1, "1", "a\tb", "", "y" * 64, "z" * 63, ("w", 2)]
        arm = optgap.arm(nodes[0], lambda node: [(Fraction(1, 6), other) for other in nodes[1:]] if node == 1 else [])
        query = optgap.query(1, [arm])
        self.assertEqual(query["instances"][0]["posterior"], "1")
        names = [line.split("\t")[0] for line in arm.table(1).splitlines()[1:]]
        self.assertEqual(names, ["1"] * 6 + ["#1", "#2", "#3", "#4", "z" * 63, "('w', 2)"])
        self.assertEqual(arm.nodes, nodes)

    def test_policies_see_the_numbers_of_nodes(self):
        judge = Judge()
        arm = optgap.arm(0, judge.outcomes, value=judge.value)

        @optgap.policy
        def nearest(posterior):
            return [-abs(arm.nodes[int(number)]) for number in posterior[:, 0]]

        @optgap.policy
        def two_ahead(posterior):
            return [-np.inf if abs(arm.nodes[int(number)]) >= 2 else 0 for number in posterior[:, 0]]
        found = optgap.compare(4, [(2, arm)], policies=[nearest, "kg", two_ahead, "fixed:1"])
        self.assertAlmostEqual(found.rows[0].gap, 0, delta=1e-12)
        self.assertGreater(found.rows[2].labels["least"], found.rows[3].labels["least"])

    def test_earlier_labels(self):
        arm = optgap.arm((1, 1), label, value=right)
        after = optgap.query(5, [(2, arm)], history="1:+ 1:+ 2:-", exact=True)
        prior = optgap.query(5, "2x1,1", history="1+ 1+ 2-", exact=True)
        self.assertEqual([row["posterior"] for row in after["instances"]], ["(3, 1)", "(1, 2)"])
        self.assertEqual([row["q"] for row in after["instances"]], [row["q"] for row in prior["instances"]])

    def test_mistakes_reach_the_caller(self):
        for outcomes, value, kind, words in (
                (lambda node: 1 / 0, 0, ZeroDivisionError, "division"),
                (lambda node: [1 / 2], 0, ValueError, r"node 'r': an outcome is \(probability, next node\)"),
                (lambda node: [(1, "s", 0, 0)], 0, ValueError, "an outcome is"),
                (lambda node: [("half", "s")], 0, ValueError, "node 'r': a probability must be a number, not 'half'"),
                (lambda node: {3: (1, "s")}, 0, ValueError, "the name of an outcome must be a text"),
                (lambda node: {"a\tb": (1, "s")}, 0, ValueError, "the name of an outcome must be a text"),
                (lambda node: [(1, [])], 0, TypeError, "unhashable"),
                (lambda node: [(0.5, "s")], 0, ValueError, "probabilities of node 'r' add up to 0.5"),
                (lambda node: [(0, "s")], 0, ValueError, "must be above 0"),
                (lambda node: [], float("nan"), ValueError, "'nan' is not a decimal or a fraction"),
                (lambda node: [], lambda node: None, ValueError, "node 'r': the value must be a number, not None")):
            with self.assertRaisesRegex(kind, words):
                optgap.solve(1, [optgap.arm("r", outcomes, value=value)])
        arm = optgap.arm("r", lambda node: [])
        for T, instances, kind, words in ((None, [arm], ValueError, "T is missing"), (1, [(0, arm)], ValueError, "count"),
                                          (1, [("2", arm)], ValueError, "the count of an arm must be a whole number"), ("x", [arm], ValueError, "T")):
            with self.assertRaisesRegex(kind, words):
                optgap.solve(T, instances)
        with self.assertRaisesRegex(ValueError, "independent instances"):
            optgap.solve(1, [arm], workers_prior="2,1")

    def test_examples_of_the_documentation(self):
        module = sys.modules["optgap._arm"]
        page = pathlib.Path(__file__).parent.parent.parent / "tools/manual/own.md"
        found = doctest.testfile(str(page), module_relative=False)
        self.assertEqual((found.failed, found.attempted > 4), (0, True))
        self.assertEqual(doctest.testmod(module).failed, 0)
        self.assertGreater(len(doctest.DocTestFinder().find(module.arm)[0].examples), 3)


if __name__ == "__main__":
    sys.argv[1:] = [word for word in sys.argv[1:] if word.startswith("-")]
    unittest.main()
