"""Payoffs of calls and prices of labels, on the command line.

    test_payoff_cli.py PROGRAM [unittest option...]

Expected values are fractions from the definition, written out here without a shortcut.
"""

import functools
import os
import random
import subprocess
import sys
from fractions import Fraction
from math import comb

sys.dont_write_bytecode = True
from cli import PROGRAM, Case, main  # noqa: E402

USUAL = (1, 0, 0, 1)
PAYOFFS = [USUAL, (1, -1, 0, 1), (1, -5, 0, 1), (2, 0, -1, 1), (3, 1, 2, 2), (0, -1, -1, 0),
           (1, 0, 0, 1, "0.75"), (1, -5, 0, 1, "0.5"), (3, 1, 2, 2, "2.25"), (0, -1, -1, 0, "-0.125")]
PRICES = ["0.01", "0.02", "0.05", "0.1", "0.125", "0.25", "1.5"]


@functools.cache


def above(a, b, d):
    """P(soft label >= d) of Beta(a, b), whole a and b."""
    n = a + b - 1
    return sum(comb(n, k) * d**k * (1 - d) ** (n - k) for k in range(a))


def worth(instance):
    """The payoff of the best call; a fifth number is that of undecided."""
    a, b, d, (tp, fp, fn, tn, *third), _ = instance
    p = above(a, b, d)
    return max(p * tp + (1 - p) * fp, p * fn + (1 - p) * tn, *map(Fraction, third))


def after(state, i):
    """Chance of a positive label of instance i, and the states then."""
    a, b, *rest = state[i]
    return Fraction(a, a + b), tuple(
        tuple(sorted(state[:i] + ((a + one, b + 1 - one, *rest),) + state[i + 1:]))
        for one in (1, 0))


def optimum(state, budget, sign=0):
    """The optimal value with at most so many labels, each at the price of its instance. With a sign: also the sign
    times the most (1) or fewest (-1) labels that optimal policies buy on average."""

    @functools.cache
    def value(state, left):
        acts = [(sum(worth(instance) for instance in state), 0)]
        for i in range(len(state) if left else 0):
            chance, (up, down) = after(state, i)
            x, y = value(up, left - 1), value(down, left - 1)
            acts.append((chance * x[0] + (1 - chance) * y[0] - state[i][4],
                         chance * x[1] + (1 - chance) * y[1] + sign))
        return max(acts)

    found = value(tuple(sorted(state)), budget)
    return found if sign else found[0]


def index_value(state, budget, index):
    """Of the policy that labels one with the largest index less its price, alike where several have
    it, and stops where none is above 0; and the labels it buys."""

    @functools.cache
    def value(state, left):
        now = sum(worth(instance) for instance in state)
        scores = []
        for i in range(len(state)):
            chance, states = after(state, i)
            gains = [sum(worth(x) for x in to) - now for to in states]
            scores.append(index(chance, gains) - state[i][4])
        if left == 0 or max(scores) <= 0:
            return now, 0
        best = [i for i, score in enumerate(scores) if score == max(scores)]
        total, labels = Fraction(0), Fraction(0)
        for i in best:
            chance, (up, down) = after(state, i)
            x, y = value(up, left - 1), value(down, left - 1)
            total += chance * x[0] + (1 - chance) * y[0] - state[i][4]
            labels += chance * x[1] + (1 - chance) * y[1] + 1
        return total / len(best), labels / len(best)

    return value(tuple(sorted(state)), budget)


def best_part(alpha, chance, gains):
    """The mean gain of the best outcomes with this probability in all."""
    shares, rest, mean = (chance, 1 - chance), Fraction(1), Fraction(0)
    for k in sorted((0, 1), key=lambda k: -gains[k]):
        share = min(rest, shares[k] / alpha)
        mean, rest = mean + share * gains[k], rest - share
    return mean


INDICES = {"kg": lambda chance, gains: chance * gains[0] + (1 - chance) * gains[1],
           "opt-kg": lambda chance, gains: max(gains), "pess-kg": lambda chance, gains: min(gains),
           "cvar-kg:0.3": functools.partial(best_part, Fraction(3, 10)),
           "cvar-kg:0.8": functools.partial(best_part, Fraction(4, 5))}


def problem(source, prices=False):
    """Instances, and their words; with prices of one for all, or of each, those in words too."""
    state, words = [], []
    one = source.choice(PRICES) if prices else "0"
    several = prices and source.random() < 0.6
    costs = []
    for _ in range(source.randint(1, 3)):
        a, b = source.choice([(1, 1), (2, 1), (1, 2), (2, 2), (1, 3), (4, 1)])
        d = source.choice(["0.5", "0.5", "0.4", "0.7"])
        payoff = source.choice(PAYOFFS)
        costs.append(source.choice(PRICES) if several else one)
        state.append((a, b, Fraction(d), payoff, Fraction(costs[-1])))
        words.append(f"{a},{b}@{d}=" + ",".join(map(str, payoff)))
    if prices:
        words += ["--price", ",".join(costs if several else costs[:1])]
    return tuple(state), words


class PayoffTest(Case):
    def test_one_payoff_for_all_is_that_of_each(self):
        one = self.document("compare", "-T", "5", "--payoff", "1,-5,0,1", "2x1,1", "2,1@0.4")
        each = self.document("compare", "-T", "5", "2x1,1=1,-5,0,1", "2,1@0.4=1,-5,0,1")
        for found in (one, each):
            for key in ("seconds", "command", "commit", "memory_bytes"):
                found["optimal"].pop(key, None)
        self.assertEqual(one["problem"]["instances"], each["problem"]["instances"])
        self.assertEqual(one["problem"]["instances"][0]["payoff"], [1, -5, 0, 1])
        self.assertEqual(one["optimal"], each["optimal"])
        for x, y in zip(one["policies"], each["policies"]):
            self.assertEqual((x["name"], x["value"]), (y["name"], y["value"]))
        usual = self.document("solve", "-T", "5", "--payoff", "1,0,0,1", "2x1,1")
        self.assertNotIn("payoff", usual["problem"]["instances"][0])

    def test_undecided_for_all_is_that_of_each(self):
        one = self.document("compare", "-T", "5", "--payoff", "1,0,0,1,0.75", "2x1,1", "1,2=1,0,0,1,0.25")
        each = self.document("compare", "-T", "5", "2x1,1=1,0,0,1,0.75", "1,2=1,0,0,1,0.25")
        self.assertEqual(one["problem"]["instances"], each["problem"]["instances"])
        first = one["problem"]["instances"][0]
        self.assertEqual((first["payoff"], first["undecided"]), ([1, 0, 0, 1], 0.75))
        for x, y in zip(one["policies"], each["policies"]):
            self.assertEqual((x["name"], x["value"]), (y["name"], y["value"]))

    def test_undecided_is_among_the_decisions(self):
        shown = subprocess.run([PROGRAM, "play", "-T", "1", "--payoff", "1,0,0,1,0.7", "2x1,1"],
                               input="1\n", capture_output=True, text=True, check=True).stdout
        before, after = shown.split("Instance 1: the label says")
        self.assertEqual(before.count("undecided"), 2)
        self.assertEqual(after.count("undecided"), 1)

    def test_losses_have_no_percents(self):
        found = self.document("compare", "-T", "2", "--policies", "uniform", "2x1,1=0,-1,-1,0")
        self.assertLess(found["optimal"]["value"], 0)
        self.assertIsNone(found["policies"][0]["gap_percent"])
        self.assertLess(0, found["policies"][0]["gain_lost_percent"] + 1)

    def test_what_is_not_known_is_refused(self):
        paid = ["-T", "2", "--payoff", "1,-5,0,1"]
        for words, expected in [
                (["solve", *paid, "1,1,1"], "two classes"),
                (["solve", *paid, "--objective", "bandit", "1,1"], "about calls"),
                (["solve", *paid, "--batch", "2", "1,1"], "different problem types"),
                (["solve", "-T", "2", "--batch", "2", "1,1=1,-5,0,1"], "independent instances"),
                (["compare", *paid, "--truth", "list:0.5", "1,1"], "does not support --payoff"),
                (["compare", *paid, "--believe", "2,1", "1,1"], "does not support --payoff"),
                (["compare", *paid, "--reach", "0.9", "1,1"], "--reach is a share"),
                (["solve", *paid, "--export-policy", "x", "1,1"], "--export-policy does not support --payoff"),
                (["solve", "-T", "2", "--payoff", "1,2,3", "1,1"], "must be TP,FP,FN,TN[,U], accuracy, brier"),
                (["solve", "-T", "2", "1,1=1,2,3,4"], "wrong call"),
                (["solve", "-T", "2", "--payoff", "1,0,0,1,1e9", "1,1"], "between"),
                (["solve", "-T", "2", "--undecided", "0.7", "1,1"], "unknown option '--undecided'")]:
            self.assert_refused(words, expected)
        self.assertFalse(os.path.exists("x"))


class PriceTest(Case):
    def assert_labels(self, found, least, most, words):
        slack = Fraction(found["error_bound"])
        self.assertLess(slack, 1e-6)
        self.assertLessEqual(Fraction(found["least"]), least + slack, words)
        self.assertGreaterEqual(Fraction(found["most"]), most - slack, words)

    def test_values_are_those_of_the_definition(self):
        source = random.Random(2)
        for _ in range(16):
            state, words = problem(source, prices=True)
            exact = self.document("compare", "-T", "4", "--arithmetic", "exact", "--policies",
                                  ",".join(INDICES), *words)
            truth, most = optimum(state, 4, 1)
            least = -optimum(state, 4, -1)[1]
            labels = exact["optimal"]["labels"]
            self.assertEqual(Fraction(exact["optimal"]["value_exact"]), truth, words)
            self.assert_labels(labels, least, most, words)
            # At no price so near are other policies equally good.
            self.assert_near(labels["least"], least, labels["error_bound"])
            self.assert_near(labels["most"], most, labels["error_bound"])
            near = self.document("compare", "-T", "4", "--policies", ",".join(INDICES), *words)
            self.assert_near(near["optimal"]["value"], truth, near["optimal"]["error_bound"])
            self.assert_labels(near["optimal"]["labels"], least, most, words)
            for row, other in zip(exact["policies"], near["policies"]):
                value, bought = index_value(state, 4, INDICES[row["name"]])
                self.assertEqual(Fraction(row["value_exact"]), value, (words, row["name"]))
                self.assert_near(other["value"], value, other["error_bound"])
                for of in (row["labels"], other["labels"]):
                    self.assertEqual(of["least"], of["most"])
                    self.assert_near(of["least"], bought, of["error_bound"])
            for bound in near["bounds"].values():
                self.assertLessEqual(truth, Fraction(bound["value"]), words)

    def test_what_pays_for_itself_may_be_bought(self):
        found = self.document("compare", "-T", "1", "--price", "0.25", "--policies", "kg", "1,1")
        self.assertEqual([found["optimal"]["labels"][end] for end in ("least", "most")], [0, 1])

    def test_each_instance_is_told_its_price(self):
        for prices in [0.1, 0.2], [0.2, 0.1]:
            found = self.document("solve", "-T", "2", "--price", ",".join(map(str, prices)), "1,1", "2,1")
            self.assertEqual(found["problem"]["price"], prices)

    def test_query_says_when_to_stop(self):
        source = random.Random(3)
        for _ in range(8):
            state, words = problem(source, prices=True)
            found = self.document("query", "-T", "3", "--arithmetic", "exact", "--policies", "kg",
                                  *words)
            now = sum(worth(instance) for instance in state)
            for i, row in enumerate(found["instances"][:-1]):
                chance, (up, down) = after(state, i)
                q = (chance * optimum(up, 2) + (1 - chance) * optimum(down, 2) - state[i][4] - now)
                self.assertEqual(Fraction(row["q_exact"]), q, words)
            stop = found["instances"][-1]
            self.assertEqual((stop["text"], Fraction(stop["q_exact"])), ("stop", 0))
            self.assertEqual(stop["optimal"], optimum(state, 3) == now)

    def test_explanations_add_up_to_the_gap(self):
        source = random.Random(4)
        for _ in range(6):
            state, words = problem(source, prices=True)
            found = self.document("compare", "-T", "4", "--explain", "--policies",
                                  "uniform,kg,opt-kg,gittins-fh", "--ties", "random,best", *words)
            for row in found["policies"]:
                about = (words, row["name"], row["ties"])
                self.assertIsNotNone(row["explain"], about)
                lost = sum(stage["loss"] for stage in row["explain"]["stages"])
                self.assertAlmostEqual(lost, row["gap"], delta=1e-11, msg=about)
                for made in row["explain"]["decisions"]:
                    chosen = sum(group["chosen"] * group["q"] for group in made["state"])
                    best = max(group["q"] for group in made["state"])
                    self.assertAlmostEqual(best - chosen, made["loss"], delta=1e-11, msg=about)

    def test_trees_tell_values_of_the_definition(self):
        source = random.Random(5)
        for _ in range(6):
            state, words = problem(source, prices=True)
            tree = self.document("tree", "-T", "3", "--all-actions", "--arithmetic", "exact", *words)
            truth = optimum(state, 3)
            self.assertEqual(Fraction(tree["states"][0]["value_exact"]), truth, words)
            for place in tree["states"]:
                acts = place["actions"]
                values = [Fraction(act["value_exact"]) for act in acts]
                for act, value in zip(acts, values):
                    self.assertEqual(act["optimal"], value == max(values), words)
                    if act["text"] == "stop":
                        continue
                    ahead = sum(Fraction(to["probability_exact"])
                                * Fraction(tree["states"][to["to"]]["value_exact"])
                                for to in act["outcomes"])
                    self.assertIn(ahead - value, {one[4] for one in state}, words)
                if acts:
                    self.assertEqual(Fraction(place["value_exact"]), max(values), words)

    def test_an_instance_of_several_classes_beside_one_with_a_payoff(self):
        """The calls of simulated runs are worth what compare says, 10/9: the payoff is of its own instance only."""
        words = ["-T", "2", "--policies", "kg", "1,1=1,-2,0,1", "1,1,1"]
        self.assertAlmostEqual(self.document("compare", *words)["policies"][0]["value"], 10 / 9, delta=1e-12)
        kg = self.document("simulate", "--runs", "3000", *words)["policies"][0]
        for found in kg, kg["paid"]:
            self.assertLess(abs(found["mean"] - 10 / 9), 5 * found["standard_error"])

    def test_who_stops_ends_the_game(self):
        shown = subprocess.run([PROGRAM, "play", "-T", "4", "--price", "0.1", "2x1,1"],
                               input="1\n2\n3\n", capture_output=True, text=True, check=True)
        self.assertIn("Stop.\nThat choice was optimal.", shown.stdout)
        self.assertIn("Your choices cost 0 expected", shown.stdout)
        self.assertIn("the optimal policy was worth 1.3 from the start", " ".join(shown.stdout.split()))

    def test_ties_by_values_have_no_labels(self):
        found = self.document("compare", "-T", "2", "--price", "0.1", "--policies", "kg", "--ties",
                              "best,first", "2x1,1")
        best, first = found["policies"]
        self.assertIsNone(best["labels"])
        self.assertEqual(first["labels"]["least"], 2)

    def test_what_is_not_known_is_refused(self):
        for words, expected in [
                (["compare", "-T", "2", "--price", "0.1", "--policies", "nlu", "1,1"],
                 "does not support --price"),
                (["simulate", "-T", "2", "--price", "0.1", "--policies", "thompson", "1,1"],
                 "does not support --price"),
                (["fit", "--payoff=1,-5,0,1"], "unknown option '--payoff' of fit"),
                (["solve", "-T", "2", "--price", "0.1", "--engine", "blocks", "1,1"],
                 "--engine blocks does not support"),
                (["compare", "-T", "2", "--price", "-0.1", "1,1"], "a decimal from 0 to less than 1000000"),
                (["compare", "-T", "2", "--price", "0.1,", "1,1"], "a decimal from 0 to"),
                (["compare", "-T", "2", "--price", "0.00000190734863281250", "1,1"], "six decimals"),
                (["compare", "-T", "2", "--price", ",".join(["1"] * 101), "1,1"], "100 prices"),
                (["compare", "-T", "2", "--price", "0.1,0.2", "1,1"], "2 prices for 1 INSTANCE"),
                (["compare", "-T", "2", "--price", "0.1", "--problem", "bandit", "1,1"],
                 "--problem bandit"),
                (["compare", "-T", "2", "--price", "0.1", "--truth", "list:0.5", "1,1"],
                 "does not support labels that have a price")]:
            self.assert_refused(words, expected)


if __name__ == "__main__":
    main()
