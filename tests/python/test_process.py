"""Processes told by Python functions."""

import doctest
import sys
import unittest
from fractions import Fraction

import optgap
import optgap._process

sys.dont_write_bytecode = True


def trial(patients, after=10, share=Fraction, counts=None):
    def expand(state):
        if counts is not None:
            counts[state] = counts.get(state, 0) + 1
        (a, b), (c, d), left = state
        if left == 0:
            return after * max(share(a, a + b), share(c, c + d))
        p, q = share(a, a + b), share(c, c + d)
        return {"A": [(p, ((a + 1, b), (c, d), left - 1), 1), (1 - p, ((a, b + 1), (c, d), left - 1))],
                "B": [(q, ((a, b), (c + 1, d), left - 1), 1), (1 - q, ((a, b), (c, d + 1), left - 1))]}
    return optgap.process(((1, 1), (1, 1), patients), expand)


def winner(state, acts):
    (a, b), (c, d), left = state
    return "A" if a * d >= c * b else "B"


class ProcessTest(unittest.TestCase):
    def test_known_values(self):
        mixed = lambda state, acts: dict.fromkeys(acts, 2)  # noqa: E731
        r = optgap.compare(trial(6), policies=[winner, "uniform", "first", mixed], exact=True)
        self.assertEqual(r.value, Fraction(12311, 1260))
        self.assertEqual([row.value for row in r.rows],
                         [Fraction(16279, 1680), Fraction(12437, 1344), Fraction(127, 14), Fraction(12437, 1344)])
        r = optgap.compare(trial(4, share=lambda a, n: a / n), policies=[winner])
        self.assertAlmostEqual(r.value, 379 / 45, delta=r.optimal.error_bound)
        self.assertAlmostEqual(r.rows[0].value, 376 / 45, delta=r.rows[0].error_bound)

    def test_states_are_expanded_once_and_some_twice(self):
        counts = {}
        problem = trial(14, counts=counts)
        optgap.solve(problem)
        self.assertEqual(len(counts), 3060)  # C(18, 4)
        twice = sum(count == 2 for count in counts.values())
        self.assertTrue(600 < twice <= 1000 and max(counts.values()) == 2, twice)
        optgap.compare(problem, policies=[winner])
        self.assertEqual(sum(counts.values()), 3060 + twice)

    def test_questions(self):
        problem = trial(3, 20)
        self.assertEqual(len(optgap.query(problem, policies=[winner], exact=True).q), 2)
        tree = optgap.tree(problem, against=winner, exact=True)
        self.assertEqual(tree.states[0].text, "((1, 1), (1, 1), 3)")
        gap = optgap.compare(problem, policies=[winner], exact=True, explain=True).rows[0]
        self.assertEqual(tree.lost, gap.gap)
        mean = optgap.simulate(problem, policies=[winner]).rows[0]
        self.assertLess(abs(mean.mean - float(gap.value)), 5 * mean.standard_error)
        self.assertIn("root ((1, 1)", repr(problem))

    def test_exceptions_and_mistakes_reach_the_caller(self):
        for expand, kind, words in (
                (lambda state: 1 / 0, ZeroDivisionError, "division"),
                (lambda state: None, ValueError, "must return a number or a dict"),
                (lambda state: {3: [(1, 1)]}, ValueError, "an act's name must be a text"),
                (lambda state: {}, ValueError, "process: state '0' has no act and no value"),
                (lambda state: {"A": [(0.5, 1)]}, ValueError, "probabilities add up to 0.5"),
                (lambda state: {"A": [(1, state)]}, ValueError, "leads back to itself: 0, 0"),
                (lambda state: float("nan"), ValueError, "process: state '0': value nan"),
                (lambda state: [7], ValueError, "must return a number")):
            with self.assertRaisesRegex(kind, words):
                optgap.solve(optgap.process(0, expand))
        for policy, kind, words in ((lambda state, acts: "C", ValueError, "has no act 'C'"),
                                    (lambda state, acts: {"A": 1, "D": 1}, ValueError, "has no act 'D'"),
                                    (lambda state, acts: acts[7], IndexError, "range")):
            with self.assertRaisesRegex(kind, words):
                optgap.compare(trial(2), policies=[policy])
        with self.assertRaisesRegex(ValueError, "has a double; exact=True needs"):
            optgap.solve(trial(2, share=lambda a, n: a / n), exact=True)
        with self.assertRaises(optgap.MemoryLimit):
            optgap.solve(trial(30, share=lambda a, n: a / n), memory="1M")
        drawn = iter(range(10**6))
        with self.assertRaisesRegex(RuntimeError, "in two ways when asked twice"):
            optgap.solve(optgap.process(0, lambda state: next(drawn)))

    def test_the_examples_of_the_documentation(self):
        module = sys.modules["optgap._process"]
        found = doctest.testmod(module)
        self.assertGreater(found.attempted, 0)
        self.assertEqual(found.failed, 0)


if __name__ == "__main__":
    sys.argv[1:] = [word for word in sys.argv[1:] if word.startswith("-")]
    unittest.main()
