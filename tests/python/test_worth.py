"""Worths that are Python functions: payoff=f."""

import sys
import unittest
import warnings
from fractions import Fraction

import numpy
import optgap

sys.dont_write_bytecode = True


def variance(posterior):
    a, b = posterior[0]
    return -a * b / ((a + b) ** 2 * (a + b + 1))


class WorthTest(unittest.TestCase):
    def test_a_function_is_the_name_that_it_copies(self):
        own = optgap.compare(6, "3x1,1", payoff=variance, policies=["kg", "opt-kg", "gittins-fh"])
        named = optgap.compare(6, "3x1,1", payoff="squared", policies=["kg", "opt-kg", "gittins-fh"])
        self.assertAlmostEqual(own.value, named.value, delta=1e-15)
        self.assertAlmostEqual(own.value, -1 / 8, delta=1e-15)
        for row, other in zip(own.rows, named.rows):
            self.assertAlmostEqual(row.value, other.value, delta=1e-14)
        self.assertEqual(own.json["problem"]["instances"][0]["payoff"], "variance")
        usual = [row.name for row in optgap.compare(3, "2x1,1", payoff=variance).rows]
        self.assertEqual(usual, ["uniform", "kg", "opt-kg", "gittins-fh"])

    def test_doubles_are_exact_numbers(self):
        worth = lambda posterior: posterior[0, 0] ** 2 / 4  # noqa: E731
        found = optgap.solve(1, "1,1", payoff=worth, exact=True)
        self.assertEqual(found.value, Fraction(5, 8))

    def test_arguments_by_name_once_for_each_posterior(self):
        seen = []

        def worth(labels, posterior, threshold):
            seen.append((labels.tolist(), posterior.tolist(), threshold.tolist()))
            return 0

        optgap.solve(2, ["2x1,1@0.25", "1,1@0.25"], payoff=worth)
        self.assertEqual(seen, [([[0, 0]], [[1, 1]], [0.25]), ([[0, 1]], [[1, 2]], [0.25]), ([[1, 0]], [[2, 1]], [0.25]),
                                ([[0, 2]], [[1, 3]], [0.25]), ([[1, 1]], [[2, 2]], [0.25]), ([[2, 0]], [[3, 1]], [0.25])])

    def test_classes_and_mixtures(self):
        largest = optgap.solve(2, "1,1,1", payoff=lambda posterior: posterior.max() / posterior.sum())
        self.assertAlmostEqual(largest.value, (1 / 2 * 3 / 5 + 1 / 2 * 2 / 5), delta=1e-14)
        weights = optgap.solve(1, "0.5:9,1+0.5:1,9", payoff=lambda posterior: posterior[0].reshape(-1, 3)[:, 0].max())
        self.assertAlmostEqual(weights.value, 0.9, delta=1e-14)

    def test_labels_that_lose(self):
        with self.assertWarnsRegex(UserWarning, r"a label can lower this payoff \(at 1,2 by 0.3333\)"):
            lost = optgap.compare(3, "1,1", payoff=lambda posterior: -numpy.minimum(*posterior[0]), policies="kg")
        self.assertLess(lost.value, -1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kept = optgap.compare(3, "1,1", payoff=lambda posterior: -posterior.sum(), price=0, policies="kg")
        self.assertEqual(kept.value, -2)

    def test_wrong_functions(self):
        with self.assertRaisesRegex(ValueError, "payoff: the function <lambda> returned nan for the posterior 2,1"):
            optgap.solve(3, "1,1", payoff=lambda posterior: numpy.nan if posterior[0, 0] == 2 else 0)
        with self.assertRaisesRegex(ValueError, "must lie between -1000000 and 1000000"):
            optgap.solve(3, "1,1", payoff=lambda posterior: 1e300)
        with self.assertRaisesRegex(ValueError, "must return a number, not"):
            optgap.solve(3, "1,1", payoff=lambda posterior: "much")
        with self.assertRaisesRegex(ValueError, "takes 'left'; there are: posterior, threshold, labels"):
            optgap.solve(3, "1,1", payoff=lambda left: 0)
        with self.assertRaises(ZeroDivisionError):
            optgap.solve(3, "1,1", payoff=lambda posterior: 1 // 0)
        with self.assertRaisesRegex(ValueError, "gittins-inf"):
            optgap.compare(3, "1,1", payoff=variance, policies="gittins-inf")
        with self.assertRaisesRegex(ValueError, "payoff must be TP,FP,FN,TN"):
            optgap.solve(3, "1,1", payoff="brie")

    def test_other_questions(self):
        problem = optgap.Problem(3, "2x1,1", payoff=variance)
        self.assertIn("1,1", repr(problem))
        self.assertEqual(len(optgap.query(problem).q), 1)
        self.assertAlmostEqual(optgap.tree(problem).states[0].value, optgap.solve(problem).value, delta=1e-15)
        mean = optgap.simulate(problem, policies="kg", runs=1000).rows[0]
        self.assertLess(abs(mean.mean - optgap.solve(problem).value), 5 * mean.standard_error + 1e-12)


if __name__ == "__main__":
    sys.argv[1:] = [word for word in sys.argv[1:] if word.startswith("-")]
    unittest.main()
